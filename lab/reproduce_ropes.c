/* Ropes: a knot that is pulled tight (section 5.1.1 of Bertails-Descoubes et al. 2011), a plectoneme that winds up and
 * back, a reef knot and a capstan that friction holds or does not. */
#include "reproduce.h"

#include <math.h>

enum { CURVE = 241 };
static const double pi = 3.14159265358979323846;

/* ---- The knot ---- */

static const double unit_pull = 1.61959e-4; /* N: EI / L^2 of scenes/tight-knot.json */

typedef struct knot {
  double pull;               /* EI / L^2 */
  int lowest, highest;       /* determinant over all steps */
  double nearest;            /* diameters, over all steps */
  double penetration, error; /* radii; error_rel */
  double size;               /* m: distance of the ends at the end */
  int steps, contacts, above;
} knot;

static skein_status tighten(reproduce_section *s, double pull, knot *k)
{
  char set[96];
  const char *sets[] = {set};
  double curve[3 * CURVE];
  reproduce_run run;
  snprintf(set, sizeof set, "forces[0].force=[%.9g, 0, 0]", pull * unit_pull);
  *k = (knot){.pull = pull, .lowest = 1000000, .highest = -1, .nearest = HUGE_VAL};
  skein_status status = reproduce_start(s, "tight-knot", sets, 1, 0, &run);
  while (reproduce_step(&run, &status)) {
    const skein_rod *rod = skein_world_rod(run.world, 0);
    double diameter = 2 * skein_rod_definition(rod).radius1;
    reproduce_curve(rod, CURVE, curve);
    int det = reproduce_determinant(curve, CURVE);
    k->lowest = det < k->lowest ? det : k->lowest, k->highest = det > k->highest ? det : k->highest;
    k->nearest = fmin(k->nearest, reproduce_nearest(curve, CURVE, pi * diameter) / diameter);
    const double *tip = curve + 3 * (CURVE - 1);
    k->size = sqrt(pow(tip[0] - curve[0], 2) + pow(tip[1] - curve[1], 2) + pow(tip[2] - curve[2], 2));
  }
  k->steps = run.steps, k->contacts = run.contacts_max, k->above = run.above;
  k->penetration = run.penetration_max, k->error = run.error_max;
  reproduce_stop(&run);
  return status;
}

static skein_status knots(reproduce_section *s)
{
  static const double pulls[] = {10, 100, 1e3, 1e4, 1e5};
  static const char *const columns[] = {"pull (EI/L^2)",
                                        "steps",
                                        "contacts",
                                        "ends apart (mm)",
                                        "nearest (diameters)",
                                        "deepest overlap (radii)",
                                        "determinant, least",
                                        "determinant, most",
                                        "largest error",
                                        "steps above tolerance"};
  skein_status status = {.code = SKEIN_OK};
  knot k;
  reproduce_table t =
      reproduce_table_begin(s, "knot", "The overhand knot under growing pulls (paper: 8 contacts)", columns, 10);
  bool keeps = true, ran = false;
  for (int i = 0; i < 5 && status.code == SKEIN_OK && !reproduce_over(s); i++) {
    status = tighten(s, pulls[i], &k);
    const double row[] = {k.pull,        k.steps,  k.contacts, 1e3 * k.size, k.nearest,
                          k.penetration, k.lowest, k.highest,  k.error,      k.above};
    static const char *const formats[] = {"%g", "%.0f", "%.0f", "%.1f", "%.3f", "%.2g", "%.0f", "%.0f", "%.1e", "%.0f"};
    for (int c = 0; c < 10 && k.steps > 0; c++) reproduce_cell(&t, formats[c], row[c]);
    if (k.steps > 0) ran = true, keeps = keeps && k.lowest == 3 && k.highest == 3;
  }
  reproduce_table_end(&t);
  if (ran)
    reproduce_claim(s, keeps,
                    "the knot stays a trefoil (determinant 3) in every step and at every pull: the rod "
                    "never crosses itself");
  return status;
}

/* ---- The plectoneme ---- */

typedef struct plectoneme {
  reproduce_plot writhe, contacts;
  reproduce_table raw;
  int there, back;               /* series */
  double writhe_max, start, end; /* bend at the start and at the end, over the length */
} plectoneme;

static void look_at_plectoneme(plectoneme *p, const reproduce_run *run)
{
  double curve[3 * CURVE], time = run->info.time, turns = 5 * sin(2 * pi * 0.05 * time);
  reproduce_curve(skein_world_rod(run->world, 0), CURVE, curve);
  double writhe = reproduce_writhe(curve, CURVE);
  bool back = time > 5;
  p->writhe_max = fmax(p->writhe_max, fabs(writhe));
  p->end = reproduce_bend(curve, CURVE);
  reproduce_plot_add(&p->writhe, back ? p->back : p->there, turns, fabs(writhe));
  reproduce_plot_add(&p->contacts, back ? p->back : p->there, turns, run->info.contacts);
  const double row[] = {time, turns, writhe, run->info.contacts, p->end, run->info.error};
  for (int k = 0; k < 6; k++) reproduce_cell(&p->raw, "%g", row[k]);
}

static skein_status wind(reproduce_section *s)
{
  static const char *const columns[] = {"time (s)", "turns", "writhe", "contacts", "bend / length", "error"};
  plectoneme p = {.writhe = reproduce_plot_make("Plectoneme: writhe against twist", "turns of the end", "|writhe|"),
                  .contacts =
                      reproduce_plot_make("Plectoneme: self-contacts against twist", "turns of the end", "contacts")};
  reproduce_run run;
  p.raw = reproduce_table_raw(s, "plectoneme", columns, 6);
  for (int k = 0; k < 2; k++) {
    reproduce_plot *plot = k ? &p.contacts : &p.writhe;
    p.there = reproduce_plot_series(plot, REPRODUCE_LINE, "winding up"),
    p.back = reproduce_plot_series(plot, REPRODUCE_DASHES, "and back");
  }
  skein_status status = reproduce_start(s, "plectoneme", NULL, 0, 0, &run);
  while (reproduce_step(&run, &status))
    if (run.steps % 4 == 0 || run.info.time >= run.until * (1 - 1e-9)) look_at_plectoneme(&p, &run);
  reproduce_table_end(&p.raw);
  reproduce_plot_end(&p.writhe, s->out);
  reproduce_plot_end(&p.contacts, s->out);
  if (run.steps > 0) {
    reproduce_claim(s, p.writhe_max > 1 && run.contacts_max >= 3,
                    "the plectoneme forms: writhe up to %.2f, up to %d self-contacts (paper: 18)", p.writhe_max,
                    run.contacts_max);
    reproduce_claim(s, p.end < 0.01, "and is reversible: twisted back, the rod is straight to %.1e of its length",
                    p.end);
    reproduce_claim(s, run.above == 0, "every one of its %d steps reached its tolerance", run.steps);
  }
  reproduce_stop(&run);
  return status;
}

skein_status reproduce_knot(reproduce_section *s)
{
  skein_status status = knots(s);
  return status.code == SKEIN_OK ? wind(s) : status;
}

/* ---- What friction holds ---- */

static void root_of(const skein_world *world, int rod, double place[3])
{
  skein_pose pose;
  skein_rod_point(skein_world_rod(world, rod), 0, &pose);
  for (int i = 0; i < 3; i++) place[i] = pose.r[i];
}

/* m: how far the standing ends of the two ropes are apart. */
static double ends_apart(const skein_world *world)
{
  double a[3], b[3];
  root_of(world, 0, a), root_of(world, 1, b);
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* m: where the load hangs. */
static double load_height(const skein_world *world)
{
  double a[3];
  root_of(world, 0, a);
  return a[2];
}

typedef struct rope_case {
  const char *scene, *title, *y_label;
  double (*measure)(const skein_world *world);
  double from; /* s: the change is from here to the end */
} rope_case;

static const rope_case ropes[] = {
    {"reef-knot", "Reef knot: distance of the standing ends", "distance (mm)", ends_apart, 3},
    {"capstan-hoist", "Capstan hoist: height of the load", "height (mm)", load_height, 1},
};

static const double gone = 1; /* m: it holds no more, and flies off */

/* The change (m) of what is measured at mu = 0.3 and 0.05. */
static skein_status pull(reproduce_section *s, const rope_case *c, reproduce_table *raw, double change[2])
{
  static const char *const sets[] = {"friction=0.3", "friction=0.05"}, *const mu[] = {"0.3", "0.05"};
  reproduce_plot plot = reproduce_plot_make(c->title, "time (s)", c->y_label);
  skein_status status = {.code = SKEIN_OK};
  for (int k = 0; k < 2 && status.code == SKEIN_OK; k++) {
    double first = NAN, last = NAN;
    reproduce_run run;
    int line = reproduce_plot_series(&plot, REPRODUCE_LINE, "mu %s", mu[k]);
    status = reproduce_start(s, c->scene, &sets[k], 1, 0, &run);
    while (reproduce_step(&run, &status)) {
      last = c->measure(run.world);
      if (run.info.time <= c->from * (1 + 1e-9)) first = last;
      if (isfinite(first) && fabs(last - first) > gone) break;
      if (run.steps % 5) continue;
      reproduce_plot_add(&plot, line, run.info.time, 1e3 * last);
      reproduce_cell_text(raw, c->scene);
      reproduce_cell_text(raw, mu[k]);
      const double row[] = {run.info.time, last, run.info.contacts, run.info.error};
      for (int i = 0; i < 4; i++) reproduce_cell(raw, "%g", row[i]);
    }
    change[k] = last - first;
    reproduce_stop(&run);
  }
  reproduce_plot_end(&plot, s->out);
  return status;
}

skein_status reproduce_reef(reproduce_section *s)
{
  static const char *const columns[] = {"scene", "mu", "time (s)", "measure (m)", "contacts", "error"};
  double reef[2] = {NAN, NAN}, hoist[2] = {NAN, NAN};
  reproduce_table raw = reproduce_table_raw(s, "reef", columns, 6);
  skein_status status = pull(s, &ropes[0], &raw, reef);
  if (status.code == SKEIN_OK) status = pull(s, &ropes[1], &raw, hoist);
  reproduce_table_end(&raw);
  if (isfinite(reef[0]) && isfinite(reef[1])) {
    reproduce_claim(s, fabs(reef[0]) < 0.01,
                    "the reef knot holds 5 N at mu = 0.3: its ends move by %.2f mm in the last second", 1e3 * reef[0]);
    reproduce_claim(s, reef[1] > 0.05, "and slips at mu = 0.05: by %.0f mm", 1e3 * reef[1]);
  }
  if (isfinite(hoist[0]) && isfinite(hoist[1])) {
    reproduce_claim(s, hoist[0] > 0.02, "the capstan lifts the load at mu = 0.3: by %.0f mm in 3 s of 42 mm/s",
                    1e3 * hoist[0]);
    reproduce_claim(s, hoist[1] < -0.02, "and lets it run off at mu = 0.05: by %.0f mm", 1e3 * hoist[1]);
  }
  return status;
}
