/* The measures of a run, summed up by how its roots move. */
#include "measure.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

const char *const measure_phase_names[MEASURE_PHASES] = {"all", "still", "gentle", "rough"};
static const double still_below = 1e-3, rough_above = 0.5; /* m/s; of the largest speed of the roots */
static const double around = 0.5;                          /* s: a motion to and fro stops where it turns */

#define AT(field) offsetof(skein_measure_row, field)
const measure_column measure_columns[MEASURE_COLUMNS] = {
    {"root_speed", "m/s", 1, AT(motion.root_speed), false, false, false},
    {"speed", "m/s", 1, AT(motion.speed), false, false, false},
    {"fastest", "m/s", 1, AT(motion.fastest), false, false, false},
    {"clumps", "", 1, AT(clumps.clumps), true, false, false},
    {"clump_mean", "rods", 1, AT(clumps.mean), false, false, false},
    {"clump_largest", "rods", 1, AT(clumps.largest), true, false, false},
    {"clump_of_rod", "rods", 1, AT(clumps.of_rod), false, false, false},
    {"singles", "rods", 1, AT(clumps.singles), true, false, false},
    {"pairs", "", 1, AT(clumps.pairs), true, false, false},
    {"occupied", "l", 1e3, AT(volume.occupied), false, false, false},
    {"envelope", "l", 1e3, AT(volume.envelope), false, false, false},
    {"spread", "mm", 1e3, AT(volume.spread), false, false, false},
    {"contacts", "", 1, AT(contacts), false, false, false},
    {"stick", "%", 100, AT(stick), false, false, true},
    {"slide", "%", 100, AT(slide), false, false, true},
    {"open", "%", 100, AT(open), false, false, true},
    {"kinetic", "J", 1, AT(kinetic), false, false, false},
    {"dissipated", "J", 1, AT(dissipated), false, true, false},
    {"friction", "J", 1, AT(friction), false, true, false},
};
#undef AT

double measure_value(const skein_measure_row *row, const measure_column *c)
{
  const char *at = (const char *)row + c->offset;
  return c->integer ? *(const int *)(const void *)at : *(const double *)(const void *)at;
}

measure_phase measure_phase_of(const skein_measures *m, int frame, double rough_from)
{
  double speed = 0, t = m->row[frame].time;
  for (int k = frame; k >= 0 && t - m->row[k].time <= around; k--) speed = fmax(speed, m->row[k].motion.root_speed);
  for (int k = frame; k < m->frames && m->row[k].time - t <= around; k++)
    speed = fmax(speed, m->row[k].motion.root_speed);
  if (speed < still_below) return MEASURE_STILL;
  return speed > rough_from ? MEASURE_ROUGH : MEASURE_GENTLE;
}

/* Sum, mean or weighted mean of a column over the frames of a phase; the first frame, which nothing led to, is none. */
static double reduce(const skein_measures *m, const measure_column *c, measure_phase phase, double rough_from)
{
  double sum = 0, weight = 0;
  for (int k = 1; k < m->frames; k++) {
    const skein_measure_row *row = &m->row[k];
    double x = measure_value(row, c), w = c->weighted ? row->contacts : 1;
    if (phase != MEASURE_ALL && measure_phase_of(m, k, rough_from) != phase) continue;
    if (!isfinite(x) || !isfinite(w)) continue;
    sum += w * x, weight += w;
  }
  if (!(weight > 0)) return NAN;
  return c->sum ? sum : sum / weight;
}

static void follow_strand(const skein_measures *m, measure_summary *s)
{
  int last = 0;
  for (int k = 1; k < m->frames; k++) {
    const skein_rub *rub = &m->rub[k];
    if (rub->status < 1) continue;
    if (rub->status == 1) s->sticks++, s->slip_stick += rub->slip;
    else s->slides++, s->slip_slide += rub->slip;
    s->changes += last > 0 && last != rub->status, last = rub->status;
  }
}

measure_summary measure_summarise(const skein_measures *m)
{
  measure_summary s = {0};
  for (int k = 0; k < m->frames; k++) s.rough_from = fmax(s.rough_from, rough_above * m->row[k].motion.root_speed);
  for (int k = 1; k < m->frames; k++) s.frames[MEASURE_ALL]++, s.frames[measure_phase_of(m, k, s.rough_from)]++;
  for (int p = 0; p < MEASURE_PHASES; p++)
    for (int c = 0; c < MEASURE_COLUMNS; c++)
      s.value[p][c] = reduce(m, &measure_columns[c], (measure_phase)p, s.rough_from);
  if (m->strand >= 0) follow_strand(m, &s);
  return s;
}

double measure_find(const measure_summary *s, measure_phase phase, const char *column)
{
  for (int c = 0; c < MEASURE_COLUMNS; c++)
    if (!strcmp(measure_columns[c].name, column)) return s->value[phase][c];
  return NAN;
}

static bool show_progress(void *user, int done, int all)
{
  if (*(bool *)user) fprintf(stderr, done < all ? "\r\033[Kframe %d of %d" : "\r\033[K", done, all);
  return true;
}

skein_status measure_read(const char *path, const skein_measure_def *def, skein_measures *m)
{
  skein_run *run = NULL;
  bool terminal = isatty(STDERR_FILENO);
  *m = (skein_measures){.strand = -1};
  skein_status status = skein_run_open(path, false, &run);
  skein_measure_def with = *def;
  with.progress = show_progress, with.user = &terminal;
  if (status.code == SKEIN_OK) status = skein_measure_run(run, &with, m);
  skein_run_close(run);
  return status;
}

void measure_write_rows(FILE *out, const skein_measures *m, char separator, const char *missing)
{
  for (int k = 0; k < m->frames; k++) {
    const skein_rub *rub = &m->rub[k];
    const double strand[4] = {rub->contacts, rub->status, rub->slip, rub->force};
    fprintf(out, "%.9g", m->row[k].time);
    for (int c = 0; c < MEASURE_COLUMNS + 4; c++) {
      double x = c < MEASURE_COLUMNS ? measure_value(&m->row[k], &measure_columns[c]) : strand[c - MEASURE_COLUMNS];
      if (isfinite(x)) fprintf(out, "%c%.9g", separator, x);
      else fprintf(out, "%c%s", separator, missing);
    }
    fputc('\n', out);
  }
}
