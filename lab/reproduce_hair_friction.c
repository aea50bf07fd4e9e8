/* Figure 8 of Daviet et al. 2011: the same head moves with and without friction. */
#include "measure.h"
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 24, PAIR = 2 };
static const char *const names[PAIR] = {"free-a", "free-a-smooth"};
static const char *const labels[PAIR] = {"with friction", "without"};

typedef struct set_list {
  char text[SETS][32];
  const char *at[SETS];
  int count;
} set_list;

/* friction=0 and pairs[k].mu=0 of every pair that has a mu; small: fewer rods. */
static void make_sets(bool small, bool smooth, set_list *sets)
{
  sets->count = 0;
  if (small) snprintf(sets->text[sets->count++], 32, "rods=200");
  char *path = smooth ? reproduce_find_scene("free-a") : NULL;
  json_t *root = path ? json_load_file(path, 0, NULL) : NULL, *pair;
  size_t k;
  if (smooth) snprintf(sets->text[sets->count++], 32, "friction=0");
  json_array_foreach(json_object_get(root, "pairs"), k, pair)
  {
    if (json_is_number(json_object_get(pair, "mu")) && sets->count < SETS)
      snprintf(sets->text[sets->count++], 32, "pairs[%d].mu=0", (int)k);
  }
  json_decref(root);
  free(path);
  for (int i = 0; i < sets->count; i++) sets->at[i] = sets->text[i];
}

static skein_status film_one(reproduce_section *s, int smooth, reproduce_film *film, skein_measures *m)
{
  set_list sets;
  make_sets(s->set->quick, smooth, &sets);
  reproduce_film_def def = {.name = names[smooth], .scene = "free-a", .sets = sets.at, .set_count = sets.count};
  def.frames = 345;                                      /* 11.5 s: the gentle part and the rough one */
  if (s->set->quick) def.frames = 75, def.patience = 25; /* to where it turns fastest */
  skein_status status = reproduce_film_make(s, &def, film);
  skein_measure_def measure = skein_default_measure_def();
  if (status.code == SKEIN_OK) status = skein_measure_run(film->run, &measure, m);
  return status;
}

/* Both runs up to the frame that both have. */
static void make_equal(skein_measures *m, const reproduce_film *film)
{
  int least = film[0].frames < film[1].frames ? film[0].frames : film[1].frames;
  for (int k = 0; k < PAIR; k++)
    if (m[k].frames > least + 1) m[k].frames = least + 1;
}

/* ---- Clumps by what still counts as moving as one ---- */

/* Largest slide within the time of `hold`, in sums of radii. */
static const double slips[] = {1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005};
enum { SLIPS = sizeof slips / sizeof slips[0], LOOKS = 40 }; /* frames of the gentle part, at most */

typedef struct slip_row {
  double clumps, mean, of_rod, pairs;
} slip_row;

static void add_clumps(slip_row *row, const skein_clumps *c)
{
  row->clumps += c->clumps, row->mean += c->mean, row->of_rod += c->of_rod, row->pairs += c->pairs;
}

static skein_status look_at_slips(const skein_run *run, int before, int now, slip_row rows[SLIPS])
{
  skein_frame then = {0}, frame = {0};
  skein_status s = skein_run_frame(run, before, &then);
  if (s.code == SKEIN_OK) s = skein_run_frame(run, now, &frame);
  for (int k = 0; k < SLIPS && s.code == SKEIN_OK; k++) {
    skein_clumps clumps;
    skein_measure_def def = skein_default_measure_def();
    def.slip = slips[k];
    s = skein_measure_clumps(&then, &frame, &def, NULL, &clumps);
    if (s.code == SKEIN_OK) add_clumps(&rows[k], &clumps);
  }
  skein_frame_destroy(&then);
  skein_frame_destroy(&frame);
  return s;
}

/* Means over frames of the gentle part, evenly taken; *looks: how many. */
static skein_status measure_slips(const skein_run *run, const skein_measures *m, double rough_from,
                                  slip_row rows[SLIPS], int *looks)
{
  int hold = (int)fmax(1, round(skein_default_measure_def().hold * skein_run_fps(run))), gentle = 0, seen = 0;
  skein_status s = {.code = SKEIN_OK};
  *looks = 0;
  for (int k = hold; k < m->frames; k++) gentle += measure_phase_of(m, k, rough_from) == MEASURE_GENTLE;
  for (int k = hold; k < m->frames && s.code == SKEIN_OK; k++) {
    if (measure_phase_of(m, k, rough_from) != MEASURE_GENTLE) continue;
    if (seen++ * LOOKS / gentle < *looks) continue;
    s = look_at_slips(run, k - hold, k, rows), ++*looks;
  }
  double share = 1.0 / (*looks > 0 ? *looks : 1);
  for (int k = 0; k < SLIPS; k++) {
    rows[k].clumps *= share, rows[k].mean *= share, rows[k].of_rod *= share, rows[k].pairs *= share;
  }
  return s;
}

static void write_slips(reproduce_section *s, slip_row rows[PAIR][SLIPS], int looks)
{
  static const char *const columns[] = {"slip (diameters)",        "clumps, with friction",
                                        "clumps, without",         "rods per clump, with friction",
                                        "rods per clump, without", "clump of a rod, with friction",
                                        "clump of a rod, without", "pairs, with friction",
                                        "pairs, without"};
  char caption[160];
  snprintf(caption, sizeof caption,
           "Clumps in gentle motion, by how far strands of one may slide along each other in 0.2 s (%d frames)", looks);
  reproduce_table t = reproduce_table_begin(s, "hair-friction-slip", caption, columns, 9);
  for (int k = 0; k < SLIPS; k++) {
    reproduce_cell(&t, "%.3g", slips[k]);
    for (int i = 0; i < PAIR; i++) reproduce_cell(&t, "%.4g", rows[i][k].clumps);
    for (int i = 0; i < PAIR; i++) reproduce_cell(&t, "%.3g", rows[i][k].mean);
    for (int i = 0; i < PAIR; i++) reproduce_cell(&t, "%.3g", rows[i][k].of_rod);
    for (int i = 0; i < PAIR; i++) reproduce_cell(&t, "%.4g", rows[i][k].pairs);
  }
  reproduce_table_end(&t);
}

/* Strands that stick to each other: those that slide by the smallest ways of the list, all of which must agree. */
enum { STUCK = SLIPS - 2 };

static void judge_slips(reproduce_section *s, slip_row rows[PAIR][SLIPS])
{
  bool more = true, larger = true;
  const slip_row *a = &rows[0][STUCK], *b = &rows[1][STUCK];
  if (s->set->quick) return;
  for (int k = STUCK; k < SLIPS; k++) {
    more = more && rows[0][k].clumps > rows[1][k].clumps;
    larger = larger && rows[0][k].mean > rows[1][k].mean && rows[0][k].of_rod > rows[1][k].of_rod;
  }
  reproduce_claim(s, more,
                  "gentle parts: %.4g clumps of strands that stick (that slide by %g diameters in 0.2 s at most) with "
                  "friction, %.4g without: more, with half of that slide too",
                  a->clumps, slips[STUCK], b->clumps);
  reproduce_claim(s, larger,
                  "gentle parts: such clumps have %.3g rods with friction, %.3g without; a rod is in one of %.3g and "
                  "%.3g: larger, with half of that slide too",
                  a->mean, b->mean, a->of_rod, b->of_rod);
}

static skein_status compare_slips(reproduce_section *s, const reproduce_film *film, const skein_measures *m,
                                  const measure_summary *sum)
{
  slip_row rows[PAIR][SLIPS] = {0};
  int looks[PAIR] = {0};
  skein_status status = {.code = SKEIN_OK};
  for (int k = 0; k < PAIR && status.code == SKEIN_OK; k++)
    status = measure_slips(film[k].run, &m[k], sum[k].rough_from, rows[k], &looks[k]);
  if (status.code != SKEIN_OK || looks[0] == 0 || looks[1] == 0) return status;
  write_slips(s, rows, looks[0]);
  judge_slips(s, rows);
  return status;
}

/* ---- The report ---- */

static void write_tables(reproduce_section *s, const measure_summary *sum)
{
  const char *columns[3 + 3 * MEASURE_PHASES];
  static char text[3 * MEASURE_PHASES][32];
  int count = 0;
  columns[count++] = "measure", columns[count++] = "unit";
  for (int p = 0; p < MEASURE_PHASES; p++)
    for (int k = 0; k < PAIR; k++) {
      snprintf(text[2 * p + k], 32, "%s, %s", measure_phase_names[p], labels[k]);
      columns[count++] = text[2 * p + k];
    }
  reproduce_table t = reproduce_table_begin(
      s, "hair-friction", "Means over the frames of a part of the motion (docs/measures.md)", columns, count);
  for (int c = 0; c < MEASURE_COLUMNS; c++) {
    reproduce_cell_text(&t, measure_columns[c].name);
    reproduce_cell_text(&t, measure_columns[c].unit);
    for (int p = 0; p < MEASURE_PHASES; p++)
      for (int k = 0; k < PAIR; k++) reproduce_cell(&t, "%.4g", measure_columns[c].scale * sum[k].value[p][c]);
  }
  reproduce_table_end(&t);
}

static void draw(reproduce_section *s, const skein_measures *m, const char *column, const char *title, const char *y)
{
  reproduce_plot plot = reproduce_plot_make(title, "time (s)", y);
  for (int c = 0; c < MEASURE_COLUMNS; c++) {
    if (strcmp(measure_columns[c].name, column) != 0) continue;
    for (int k = 0; k < PAIR; k++) {
      int line = reproduce_plot_series(&plot, k ? REPRODUCE_DASHES : REPRODUCE_LINE, "%s", labels[k]);
      for (int i = 1; i < m[k].frames; i++)
        reproduce_plot_add(&plot, line, m[k].row[i].time,
                           measure_columns[c].scale * measure_value(&m[k].row[i], &measure_columns[c]));
    }
  }
  reproduce_plot_end(&plot, s->out);
}

static void judge(reproduce_section *s, const measure_summary *sum)
{
  double clumps[PAIR], size[PAIR], joined[PAIR];
  for (int k = 0; k < PAIR; k++) {
    clumps[k] = measure_find(&sum[k], MEASURE_GENTLE, "clumps");
    size[k] = measure_find(&sum[k], MEASURE_GENTLE, "clump_of_rod");
    joined[k] = measure_find(&sum[k], MEASURE_GENTLE, "pairs");
  }
  if (!isfinite(clumps[0]) || !isfinite(clumps[1])) {
    reproduce_say(s, "The roots have no gentle motion in these frames: nothing to compare.");
    return;
  }
  if (s->set->quick) {
    reproduce_say(s,
                  "Not judged in --quick: the motion has hardly begun. Gentle part: %.3g clumps with friction, %.3g "
                  "without; joined pairs %.3g and %.3g.",
                  clumps[0], clumps[1], joined[0], joined[1]);
    return;
  }
  reproduce_claim(
      s, clumps[0] > clumps[1],
      "gentle parts: %.4g clumps that move as one (slide by a diameter at most) with friction, %.4g without: more",
      clumps[0], clumps[1]);
  reproduce_claim(s, size[0] > size[1],
                  "gentle parts: a rod is in such a clump of %.4g rods with friction, of %.4g without: larger", size[0],
                  size[1]);
}

skein_status reproduce_hair_friction(reproduce_section *s)
{
  skein_measures m[PAIR] = {0};
  measure_summary sum[PAIR];
  reproduce_film film[PAIR] = {0};
  skein_status status = {.code = SKEIN_OK};
  for (int k = 0; k < PAIR && status.code == SKEIN_OK; k++) status = film_one(s, k, &film[k], &m[k]);
  if (status.code == SKEIN_OK) {
    make_equal(m, film);
    for (int k = 0; k < PAIR; k++) sum[k] = measure_summarise(&m[k]);
    reproduce_say(s, "%d frames of both, %d rods.", m[0].frames - 1, m[0].rods);
    write_tables(s, sum);
    status = compare_slips(s, film, m, sum);
    draw(s, m, "root_speed", "Speed of the roots", "m/s");
    draw(s, m, "clumps", "Clumps: strands that move as one", "clumps");
    draw(s, m, "clump_of_rod", "Size of the clump that a rod is in", "rods");
    draw(s, m, "envelope", "Volume of the hair, with what it hangs around", "litres");
    draw(s, m, "speed", "Speed of the hair, root mean square", "m/s");
    draw(s, m, "slide", "Contacts that slide", "%");
    judge(s, sum);
  }
  for (int k = 0; k < PAIR; k++) reproduce_film_end(&film[k]), skein_measures_destroy(&m[k]);
  return status;
}
