/* The statistics of a run, over all its steps. */
#include "run.h"

#include <math.h>
#include <string.h>

#define COLUMN(kind, field, unit)                                                                                      \
  {                                                                                                                    \
#field, unit, kind, offsetof(skein_step_info, field)                                                               \
  }
#define VERDICT(name, field, kind, unit)                                                                               \
  {                                                                                                                    \
    name, unit, kind, offsetof(skein_step_info, verdict.field)                                                         \
  }
const run_column run_columns[RUN_COLUMNS] = {
    COLUMN(RUN_NUMBER, time, "s"),
    COLUMN(RUN_NUMBER, dt, "s"),
    COLUMN(RUN_INTEGER, retries, ""),
    COLUMN(RUN_INTEGER, contacts, ""),
    COLUMN(RUN_INTEGER, islands, ""),
    COLUMN(RUN_INTEGER, rods_asleep, ""),
    COLUMN(RUN_NUMBER, nu, ""),
    COLUMN(RUN_INTEGER, sweeps, ""),
    COLUMN(RUN_NUMBER, error, ""),
    COLUMN(RUN_NUMBER, tol, ""),
    COLUMN(RUN_TRUTH, converged, ""),
    COLUMN(RUN_INTEGER, stick, ""),
    COLUMN(RUN_INTEGER, slide, ""),
    COLUMN(RUN_INTEGER, open, ""),
    COLUMN(RUN_NUMBER, penetration, "radii"),
    COLUMN(RUN_NUMBER, speed, "m/s"),
    COLUMN(RUN_NUMBER, kinetic, "J"),
    COLUMN(RUN_NUMBER, elastic, "J"),
    COLUMN(RUN_NUMBER, gravity, "J"),
    COLUMN(RUN_NUMBER, work, "J"),
    COLUMN(RUN_NUMBER, dissipated, "J"),
    COLUMN(RUN_NUMBER, dissipated_friction, "J"),
    COLUMN(RUN_NUMBER, seconds_rods, "s"),
    COLUMN(RUN_NUMBER, seconds_collide, "s"),
    COLUMN(RUN_NUMBER, seconds_assemble, "s"),
    COLUMN(RUN_NUMBER, seconds_solve, "s"),
    COLUMN(RUN_NUMBER, seconds_other, "s"),
    COLUMN(RUN_NUMBER, seconds_loop, "s"),
    COLUMN(RUN_NUMBER, memory, "MB"),
    COLUMN(RUN_INTEGER, attempts, ""),
    VERDICT("flaws", flaws, RUN_FLAWS, ""),
    VERDICT("overlap", overlap.size, RUN_NUMBER, "radii"),
    VERDICT("deeper", deeper.size, RUN_NUMBER, "radii"),
    VERDICT("curved", curved.size, RUN_NUMBER, "radii"),
    VERDICT("balance", balance.size, RUN_NUMBER, ""),
    VERDICT("reach", reach.size, RUN_NUMBER, ""),
    VERDICT("speed_ratio", speed.size, RUN_NUMBER, ""),
    VERDICT("crossed", crossed.size, RUN_NUMBER, "pairs"),
    VERDICT("made", made, RUN_NUMBER, "J"),
    VERDICT("turnover", turnover, RUN_NUMBER, "J"),
    COLUMN(RUN_INTEGER, rods, ""),
};
#undef VERDICT
#undef COLUMN

const char *const run_phases[RUN_PHASES] = {"rods", "collision", "assembly", "solve", "other"};

double run_value(const skein_step_info *step, const run_column *column)
{
  const char *at = (const char *)step + column->offset;
  bool judged = !(step->verdict.flaws & SKEIN_FLAWS_UNKNOWN);
  if (column->kind == RUN_FLAWS) return judged ? run_flaws(step) : NAN;
  if (column->offset >= offsetof(skein_step_info, rods) && !judged) return NAN;
  if (column->kind == RUN_NUMBER) return *(const double *)(const void *)at;
  return column->kind == RUN_INTEGER ? *(const int *)(const void *)at : *(const bool *)at;
}

static run_range find_range(const skein_step_info *steps, int count, const run_column *column)
{
  run_range r = {.min = NAN, .mean = 0, .max = NAN};
  int finite = 0;
  for (int k = 0; k < count; k++) {
    double x = run_value(&steps[k], column);
    if (!isfinite(x)) continue;
    r.min = fmin(r.min, x), r.max = fmax(r.max, x), r.mean += x;
    finite++;
  }
  r.mean = finite ? r.mean / finite : NAN;
  return r;
}

run_summary run_summarise(const skein_step_info *steps, int count)
{
  run_summary s = {.steps = count};
  double stick = 0, slide = 0, open = 0;
  for (int c = 0; c < RUN_COLUMNS; c++) s.range[c] = find_range(steps, count, &run_columns[c]);
  for (int k = 0; k < count; k++) {
    const skein_step_info *t = &steps[k];
    const double seconds[RUN_PHASES] = {t->seconds_rods, t->seconds_collide, t->seconds_assemble, t->seconds_solve,
                                        t->seconds_other};
    s.simulated += t->dt;
    s.above += !t->converged, s.retried += t->retries;
    stick += t->stick, slide += t->slide, open += t->open;
    s.work += t->work, s.dissipated += t->dissipated;
    for (int p = 0; p < RUN_PHASES; p++) s.seconds[p] += seconds[p], s.seconds_all += seconds[p];
  }
  double all = stick + slide + open;
  s.stick = all > 0 ? stick / all : NAN, s.slide = all > 0 ? slide / all : NAN, s.open = all > 0 ? open / all : NAN;
  for (int k = 0; k < 2 && count > 0; k++) {
    const skein_step_info *t = k ? &steps[count - 1] : &steps[0];
    double *energy = k ? s.energy_end : s.energy_start;
    energy[0] = t->kinetic, energy[1] = t->elastic, energy[2] = t->gravity;
  }
  return s;
}

const run_range *run_find(const run_summary *s, const char *column)
{
  for (int c = 0; c < RUN_COLUMNS; c++)
    if (!strcmp(run_columns[c].name, column)) return &s->range[c];
  return NULL;
}

void run_print_summary(const run_summary *s)
{
  if (s->steps == 0) return;
  const run_range *contacts = run_find(s, "contacts"), *nu = run_find(s, "nu"), *sweeps = run_find(s, "sweeps");
  const run_range *error = run_find(s, "error"), *deep = run_find(s, "penetration");
  printf("contacts     mean %.1f, most %.0f", contacts->mean, contacts->max);
  if (isfinite(nu->max)) printf("; nu mean %.2f, most %.2f", nu->mean, nu->max);
  if (isfinite(s->stick))
    printf("; stick %.1f %%, slide %.1f %%, open %.1f %%", 100 * s->stick, 100 * s->slide, 100 * s->open);
  if (isfinite(deep->max) && deep->max > 0) printf("; deepest overlap %.2g radii", deep->max);
  printf("\nsolver       sweeps mean %.1f, most %.0f", sweeps->mean, sweeps->max);
  if (isfinite(error->max)) printf("; worst error %.1e", error->max);
  if (s->retried > 0) printf("; %d more %s", s->retried, s->retried == 1 ? "try" : "tries");
  printf("\ntime         %.3g ms per step:", 1e3 * s->seconds_all / s->steps);
  for (int p = 0; p < RUN_PHASES && s->seconds_all > 0; p++)
    printf("%s %s %.1f %%", p ? "," : "", run_phases[p], 100 * s->seconds[p] / s->seconds_all);
  putchar('\n');
}
