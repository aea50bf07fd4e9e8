/* Figure 7 and section 5.1.3 of Bertails-Descoubes et al. 2011: what friction makes of falling spaghetti. */
#include "reproduce.h"

#include <math.h>

enum { POINTS = 17, LOOK = 10 };
static const double stack_patience = 35, curve_patience = 10; /* s, of a run in --quick */

/* ---- 31 rods: a stack ---- */

typedef struct shape {
  double height, width, spread; /* m: top above the plate, extent and root mean square across the rods */
} shape;

static shape measure(const skein_world *world)
{
  double curve[3 * POINTS], sum = 0, sum2 = 0, lo = HUGE_VAL, hi = -HUGE_VAL;
  int rods = skein_world_rods(world), count = rods * POINTS;
  shape out = {0};
  for (int i = 0; i < rods; i++) {
    double radius = skein_rod_definition(skein_world_rod(world, i)).radius1;
    reproduce_curve(skein_world_rod(world, i), POINTS, curve);
    for (int k = 0; k < POINTS; k++) {
      double y = curve[3 * k + 1];
      sum += y, sum2 += y * y, lo = fmin(lo, y - radius), hi = fmax(hi, y + radius);
      out.height = fmax(out.height, curve[3 * k + 2] + radius);
    }
  }
  out.width = hi - lo;
  out.spread = sqrt(fmax(0, sum2 / count - sum / count * (sum / count)));
  return out;
}

typedef struct stack_case {
  const char *label, *friction, *pairs;
  bool quick;
} stack_case;

static const char plate_only[] = "pairs=[{\"groups\": [\"pasta\", \"plate\"], \"mu\": 0.3}]";
static const stack_case cases[] = {
    {"0", "friction=0", NULL, true},      {"plate only, 0.3", "friction=0", plate_only, true},
    {"0.1", "friction=0.1", NULL, false}, {"0.2", "friction=0.2", NULL, false},
    {"0.3", "friction=0.3", NULL, true},  {"0.5", "friction=0.5", NULL, true},
};
enum { CASES = sizeof cases / sizeof cases[0], SMOOTH = 0, PLATE = 1, ROUGH = 4 };

typedef struct stack_result {
  bool ran;
  shape end;
  double speed; /* m/s, largest of any point at the end */
  int asleep;   /* rods */
} stack_result;

static skein_status stack_up(reproduce_section *s, const stack_case *c, stack_result *r, reproduce_plot *height,
                             reproduce_plot *spread, reproduce_table *raw)
{
  const char *sets[] = {c->friction, c->pairs};
  reproduce_run run;
  skein_status status = reproduce_start(s, "spaghetti-31", sets, c->pairs ? 2 : 1, s->set->quick ? 1000 : 0, &run);
  run.patience = stack_patience;
  int h = reproduce_plot_series(height, REPRODUCE_LINE, "mu %s", c->label);
  int w = reproduce_plot_series(spread, REPRODUCE_LINE, "mu %s", c->label);
  while (reproduce_step(&run, &status)) {
    r->ran = true, r->speed = run.info.speed, r->asleep = run.info.rods_asleep;
    if (run.steps % LOOK) continue;
    r->end = measure(run.world);
    reproduce_plot_add(height, h, run.info.time, 1e3 * r->end.height);
    reproduce_plot_add(spread, w, run.info.time, 1e3 * r->end.spread);
    reproduce_cell_text(raw, c->label);
    const double row[] = {run.info.time, r->end.height, r->end.width, r->end.spread, run.info.speed};
    for (int k = 0; k < 5; k++) reproduce_cell(raw, "%g", row[k]);
  }
  if (run.late) s->cut = true;
  reproduce_stop(&run);
  return status;
}

static void judge_stacks(reproduce_section *s, const stack_result *r)
{
  if (!r[SMOOTH].ran || !r[PLATE].ran || !r[ROUGH].ran) return;
  reproduce_claim(s, r[SMOOTH].end.spread > 1.2 * r[ROUGH].end.spread,
                  "without friction the rods spread: %.1f mm root mean square against %.1f mm at mu = 0.3",
                  1e3 * r[SMOOTH].end.spread, 1e3 * r[ROUGH].end.spread);
  reproduce_claim(s, r[ROUGH].end.height > r[SMOOTH].end.height,
                  "with friction the stack is higher: %.1f mm against %.1f mm without", 1e3 * r[ROUGH].end.height,
                  1e3 * r[SMOOTH].end.height);
  if (s->set->quick) return; /* too short to come to rest */
  reproduce_claim(s, r[ROUGH].end.height >= r[PLATE].end.height,
                  "with friction everywhere the stack is not lower than with the plate's only: %.1f and %.1f mm",
                  1e3 * r[ROUGH].end.height, 1e3 * r[PLATE].end.height);
  reproduce_claim(s, r[ROUGH].asleep == 31 || r[ROUGH].speed < 1e-6,
                  "with friction everywhere it stands perfectly still: %d of 31 rods asleep, largest speed %.1e m/s",
                  r[ROUGH].asleep, r[ROUGH].speed);
}

static skein_status stacks(reproduce_section *s)
{
  static const char *const columns[] = {"mu",          "height (mm)",         "width (mm)",
                                        "spread (mm)", "largest speed (m/s)", "rods asleep"};
  static const char *const raw_columns[] = {"mu", "time (s)", "height (m)", "width (m)", "spread (m)", "speed (m/s)"};
  reproduce_plot height = reproduce_plot_make("Height of the stack of 31", "time (s)", "height (mm)");
  reproduce_plot spread = reproduce_plot_make("Spread of the stack of 31", "time (s)", "spread (mm)");
  reproduce_table raw = reproduce_table_raw(s, "spaghetti-31-time", raw_columns, 6);
  stack_result result[CASES] = {0};
  skein_status status = {.code = SKEIN_OK};
  for (int k = 0; k < CASES && status.code == SKEIN_OK; k++)
    if (cases[k].quick || !s->set->quick) status = stack_up(s, &cases[k], &result[k], &height, &spread, &raw);
  reproduce_table_end(&raw);
  reproduce_table t = reproduce_table_begin(s, "spaghetti-31", "31 spaghetti at the end", columns, 6);
  for (int k = 0; k < CASES; k++) {
    if (!result[k].ran) continue;
    reproduce_cell_text(&t, cases[k].label);
    reproduce_cell(&t, "%.2f", 1e3 * result[k].end.height);
    reproduce_cell(&t, "%.1f", 1e3 * result[k].end.width);
    reproduce_cell(&t, "%.2f", 1e3 * result[k].end.spread);
    reproduce_cell(&t, "%.1e", result[k].speed);
    reproduce_cell(&t, "%.0f", result[k].asleep);
  }
  reproduce_table_end(&t);
  reproduce_plot_end(&height, s->out);
  reproduce_plot_end(&spread, s->out);
  judge_stacks(s, result);
  return status;
}

/* ---- 7 curved rods ---- */

/* Mean over the rods of the distance of their ends over their length: 1 is straight. */
static double straightness(const skein_world *world)
{
  double sum = 0;
  int rods = skein_world_rods(world);
  for (int i = 0; i < rods; i++) {
    const skein_rod *rod = skein_world_rod(world, i);
    double ends[6], length = skein_rod_definition(rod).length;
    reproduce_curve(rod, 2, ends);
    sum += sqrt(pow(ends[3] - ends[0], 2) + pow(ends[4] - ends[1], 2) + pow(ends[5] - ends[2], 2)) / length;
  }
  return rods > 0 ? sum / rods : NAN;
}

static skein_status curved(reproduce_section *s)
{
  static const char *const columns[] = {"mu", "time (s)", "ends apart / length"};
  static const char *const sets[] = {"friction=0", "friction=0.3"};
  reproduce_plot plot = reproduce_plot_make("7 spaghetti, curved at the start", "time (s)", "ends apart / length");
  reproduce_table raw = reproduce_table_raw(s, "spaghetti-7-time", columns, 3);
  double first = NAN, last[2] = {NAN, NAN}, most[2] = {0, 0};
  skein_status status = {.code = SKEIN_OK};
  for (int k = 0; k < 2 && status.code == SKEIN_OK; k++) {
    reproduce_run run;
    status = reproduce_start(s, "spaghetti-7", &sets[k], 1, s->set->quick ? 3500 : 0, &run);
    run.patience = curve_patience;
    int line = reproduce_plot_series(&plot, REPRODUCE_LINE, "mu %s", k ? "0.3" : "0");
    if (status.code == SKEIN_OK) first = straightness(run.world);
    while (reproduce_step(&run, &status)) {
      if (run.steps % (5 * LOOK)) continue;
      last[k] = straightness(run.world), most[k] = fmax(most[k], last[k]);
      reproduce_plot_add(&plot, line, run.info.time, last[k]);
      reproduce_cell_text(&raw, k ? "0.3" : "0");
      reproduce_cell(&raw, "%g", run.info.time);
      reproduce_cell(&raw, "%g", last[k]);
    }
    if (run.late) s->cut = true;
    reproduce_stop(&run);
  }
  reproduce_table_end(&raw);
  reproduce_plot_end(&plot, s->out);
  if (isfinite(last[0]) && isfinite(last[1]))
    reproduce_claim(
        s, 1 - most[0] < 0.5 * (1 - most[1]),
        "curved spaghetti straighten without friction (and swing on) and stay curved with it: ends apart by "
        "%.3f of the length at the start, at most %.3f without and %.3f with, %.3f and %.3f at the end",
        first, most[0], most[1], last[0], last[1]);
  return status;
}

skein_status reproduce_spaghetti(reproduce_section *s)
{
  skein_status status = stacks(s);
  return status.code == SKEIN_OK ? curved(s) : status;
}
