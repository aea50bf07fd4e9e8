/* Table 1 of Daviet et al. 2011: four heads of hair, every column, from the statistics of the runs. */
#include "measure.h"
#include "reproduce.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The paper's row, and what --quick makes of ours. */
typedef struct row {
  const char *scene, *label, *mu;
  double rods, contacts, contacts_max, above, error, sweeps, loop, solve, step, frame, total;
  const char *set; /* in --quick */
  int frames;      /* in --quick */
  double patience; /* s, in --quick */
} row;

static const row rows[] = {
    {"free-a", "Free/A", "0.3 / 0.5", 1920, 24659, 46915, 0.056, 0.004, 136, 2.60, 4.06, 7.15, 2.09, 25, "rods=100", 12,
     30},
    {"free-b", "Free/B", "0.2 / 0.3", 1920, 28153, 36287, 0.13, 0.037, 160, 5.3, 7.0, 11.1, 3.02, 36, "rods=100", 12,
     30},
    {"pony", "Pony", "0.3 / 0.5", 334, 9850, 16613, 0.42, 0.003, 301, 4.43, 5.25, 6.2, 2.47, 30, "rods=60", 12, 30},
    {"curly", "Curly", "0.3 / 0.5", 1920, 21425, 33578, 0.013, 0.003, 118, 2.26, 3.39, 7.54, 4.15, 49, "rods=100", 12,
     30},
};
enum { row_count = sizeof rows / sizeof rows[0] };

/* ---- Our numbers ---- */

typedef struct numbers {
  char mu[48];
  int rods, frames, last, steps;
  bool late, other;
  double simulated, contacts, contacts_max, above, error, tol_min, tol_max, sweeps, loop, solve, step, frame, total;
  double dt_min, dt_max, memory, penetration;
  double seconds[RUN_PHASES];
  skein_rest rest;
} numbers;

/* "0.3 / 0.5": friction of the scene and of its pairs of groups. */
static void find_mu(const char *source, char text[48])
{
  json_t *root = json_loads(source, 0, NULL), *pair;
  json_t *friction = json_object_get(root, "friction");
  size_t k, at = 0;
  text[0] = 0;
  if (json_is_number(friction)) at += (size_t)snprintf(text, 48, "%g", json_number_value(friction));
  json_array_foreach(json_object_get(root, "pairs"), k, pair)
  {
    json_t *mu = json_object_get(pair, "mu");
    if (json_is_number(mu) && at < 40)
      at += (size_t)snprintf(text + at, 48 - at, "%s%g", at ? " / " : "", json_number_value(mu));
  }
  json_decref(root);
}

static numbers sum_up(const reproduce_film *film)
{
  run_summary s = run_summarise(film->steps, film->step_count);
  numbers n = {.rods = film->rods,
               .frames = film->frames,
               .last = film->last,
               .steps = s.steps,
               .late = film->late,
               .other = film->other};
  find_mu(skein_run_source(film->run), n.mu);
  if (s.steps == 0) return n;
  n.simulated = s.simulated, n.contacts = run_find(&s, "contacts")->mean,
  n.contacts_max = run_find(&s, "contacts")->max;
  n.above = 100.0 * s.above / s.steps, n.error = run_find(&s, "error")->max, n.sweeps = run_find(&s, "sweeps")->mean;
  n.tol_min = run_find(&s, "tol")->min, n.tol_max = run_find(&s, "tol")->max;
  n.dt_min = run_find(&s, "dt")->min, n.dt_max = run_find(&s, "dt")->max;
  n.loop = run_find(&s, "seconds_loop")->mean, n.solve = run_find(&s, "seconds_solve")->mean;
  n.step = s.seconds_all / s.steps, n.memory = run_find(&s, "memory")->max;
  n.frame = film->frames > 0 ? s.seconds_all / film->frames / 60 : NAN, n.total = s.seconds_all / 3600;
  n.penetration = run_find(&s, "penetration")->max;
  memcpy(n.seconds, s.seconds, sizeof n.seconds);
  n.rest = skein_measure_rest(film->steps, film->step_count, 2);
  return n;
}

/* ---- Tables ---- */

static void write_row(reproduce_table *t, const char *label, const char *mu, const double *x)
{
  static const char *const formats[] = {"%.0f", "%.0f", "%.0f", "%.3g", "%.2g", "%.0f",
                                        "%.3g", "%.3g", "%.3g", "%.3g", "%.3g"};
  reproduce_cell_text(t, label);
  reproduce_cell(t, formats[0], x[0]);
  reproduce_cell_text(t, mu);
  for (int k = 1; k < 11; k++) reproduce_cell(t, formats[k], x[k]);
}

static void write_table(reproduce_section *s, const numbers *n, int count)
{
  static const char *const columns[] = {
      "name",         "rods",     "mu hair / body", "contacts, mean", "contacts, most", "% > tol",  "max error",
      "sweeps, mean", "T_GS (s)", "T_solv (s)",     "T_dt (s)",       "T_frame (min)",  "T_tot (h)"};
  reproduce_table t = reproduce_table_begin(s, "hair", "Table 1: the paper's row above ours", columns, 13);
  for (int k = 0; k < count; k++) {
    const row *r = &rows[k];
    const double theirs[] = {r->rods, r->contacts, r->contacts_max, r->above, r->error, r->sweeps,
                             r->loop, r->solve,    r->step,         r->frame, r->total};
    const double ours[] = {n[k].rods, n[k].contacts, n[k].contacts_max, n[k].above, n[k].error, n[k].sweeps,
                           n[k].loop, n[k].solve,    n[k].step,         n[k].frame, n[k].total};
    char label[64];
    snprintf(label, sizeof label, "%s, paper", r->label);
    write_row(&t, label, r->mu, theirs);
    snprintf(label, sizeof label, "%s, here", r->scene);
    write_row(&t, label, n[k].mu, ours);
  }
  reproduce_table_end(&t);
}

static void write_details(reproduce_section *s, const numbers *n, int count)
{
  static const char *const columns[] = {"scene",
                                        "frames",
                                        "of",
                                        "steps",
                                        "dt, least (ms)",
                                        "dt, most (ms)",
                                        "tol, least",
                                        "tol, most",
                                        "rods (%)",
                                        "collision (%)",
                                        "assembly (%)",
                                        "solve (%)",
                                        "other (%)",
                                        "memory (MB)",
                                        "overlap, most (radii)",
                                        "last 2 s: speed, most (m/s)",
                                        "kinetic, most (J)",
                                        "times the paper's speed per step"};
  reproduce_table t =
      reproduce_table_begin(s, "hair-runs", "The runs: steps, where the time goes, memory, rest", columns, 18);
  for (int k = 0; k < count; k++) {
    const numbers *m = &n[k];
    double all = 0;
    for (int p = 0; p < RUN_PHASES; p++) all += m->seconds[p];
    reproduce_cell_text(&t, rows[k].scene);
    reproduce_cell(&t, "%.0f", m->frames), reproduce_cell(&t, "%.0f", m->last), reproduce_cell(&t, "%.0f", m->steps);
    reproduce_cell(&t, "%.3g", 1e3 * m->dt_min), reproduce_cell(&t, "%.3g", 1e3 * m->dt_max);
    reproduce_cell(&t, "%.0e", m->tol_min), reproduce_cell(&t, "%.0e", m->tol_max);
    for (int p = 0; p < RUN_PHASES; p++) reproduce_cell(&t, "%.1f", all > 0 ? 100 * m->seconds[p] / all : NAN);
    reproduce_cell(&t, "%.0f", m->memory), reproduce_cell(&t, "%.2g", m->penetration);
    reproduce_cell(&t, "%.2g", m->rest.speed), reproduce_cell(&t, "%.2g", m->rest.kinetic);
    reproduce_cell(&t, "%.0f", m->step > 0 ? rows[k].step / m->step : NAN);
  }
  reproduce_table_end(&t);
}

/* Small versions have other contacts and times; what they share with the large ones is that every step is solved. */
static void judge(reproduce_section *s, const row *r, const numbers *n)
{
  if (n->steps > 0)
    reproduce_claim(s, n->above <= r->above, "%s: %.3g %% of %d steps above their tolerance, the paper has %.3g %%",
                    r->label, n->above, n->steps, r->above);
  if (s->set->quick) return;
  double ratio = n->contacts / r->contacts;
  reproduce_claim(s, n->frames >= 720, "%s: %d of 720 frames", r->label, n->frames);
  reproduce_claim(s, ratio >= 0.5 && ratio <= 2 && n->contacts_max <= 2 * r->contacts_max,
                  "%s: contacts within a factor 2 of the paper's: %.2f of its mean, %.2f of its most", r->label, ratio,
                  n->contacts_max / r->contacts_max);
  reproduce_claim(s, n->step > 0 && r->step / n->step >= 20, "%s: %.1f times the paper's speed per step, at least 20",
                  r->label, r->step / n->step);
  reproduce_claim(s, n->total <= 1.5, "%s: %.0f minutes in all, at most 90", r->label, 60 * n->total);
  reproduce_claim(s, n->rest.to - n->rest.from > 1.9 && n->rest.speed < 1e-5,
                  "%s: at rest, nothing is faster than %.2g m/s for the last 2 s, 1e-5 at most", r->label,
                  n->rest.speed);
}

skein_status reproduce_hair(reproduce_section *s)
{
  numbers n[row_count] = {0};
  skein_status status = {.code = SKEIN_OK};
  int done = 0;
  for (; done < row_count && status.code == SKEIN_OK && !reproduce_over(s); done++) {
    const row *r = &rows[done];
    reproduce_film film;
    reproduce_film_def def = {.name = r->scene, .scene = r->scene, .sets = &r->set};
    if (s->set->quick) def.set_count = 1, def.frames = r->frames, def.patience = r->patience;
    status = reproduce_film_make(s, &def, &film);
    if (status.code == SKEIN_OK) n[done] = sum_up(&film);
    reproduce_film_end(&film);
    fprintf(stderr, "hair: %s, %d frames, %d steps\n", r->scene, n[done].frames, n[done].steps);
  }
  if (status.code != SKEIN_OK) done--;
  if (s->set->quick)
    reproduce_say(s, "Small versions, a few frames (--quick): 100 rods (Pony 60) and at most 12 frames. Times and "
                     "contacts do not compare with the paper's; the full runs do.");
  write_table(s, n, done);
  write_details(s, n, done);
  for (int k = 0; k < done; k++)
    if (n[k].other)
      reproduce_say(s, "%s: the run was made from another version of scenes/%s.json.", rows[k].label, rows[k].scene);
  for (int k = 0; k < done; k++)
    if (n[k].late)
      reproduce_say(s, "%s: ended after %d frames, %.0f s, all that --quick has for it.", rows[k].label, n[k].frames,
                    rows[k].patience);
  for (int k = 0; k < done; k++) judge(s, &rows[k], &n[k]);
  return status;
}
