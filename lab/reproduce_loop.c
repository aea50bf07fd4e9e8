/* A strand on a ball that turns to and fro by exact and by approximate solvers (Daviet et al. 2011, Figure 7), and a
 * ball on rails through two loops (Bertails-Descoubes et al. 2011, Figure 9). */
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Orbit ---- */

typedef struct orbit_solver {
  const char *name, *method, *local; /* as sets */
  bool exact;
} orbit_solver;

static const orbit_solver solvers[] = {
    {"newton-ac", "solver.method=newton-ac", "solver.local=secular+enum", true},
    {"newton-mfb", "solver.method=newton-mfb", "solver.local=secular+enum", true},
    {"gs, dac", "solver.method=gs", "solver.local=dac", true},
    {"gs, mfb", "solver.method=gs", "solver.local=mfb", true},
    {"gs, duriez08", "solver.method=gs", "solver.local=duriez08", true},
    {"gs, enum", "solver.method=gs", "solver.local=enum", true},
    {"gs, duriez06", "solver.method=gs", "solver.local=duriez06", false},
    {"gs, pyramid4", "solver.method=gs", "solver.local=pyramid4", false},
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0], SAMPLES = 240, STATE = 6 };

/* Place and velocity of the free end, at even times of the last period. */
typedef struct orbit {
  double at[SAMPLES][STATE];
  int filled, above;
} orbit;

/* The lowest frequency (1/s) of any wave of a body; 0: none. */
static double frequency_of(const skein_scene *scene)
{
  json_t *root = json_loads(skein_scene_source(scene), 0, NULL), *body, *wave;
  size_t i, k;
  double lowest = 0;
  json_array_foreach(json_object_get(root, "bodies"), i, body)
  {
    json_array_foreach(json_object_get(json_object_get(body, "motion"), "waves"), k, wave)
    {
      double f = json_number_value(json_object_get(wave, "frequency"));
      if (f > 0 && (lowest == 0 || f < lowest)) lowest = f;
    }
  }
  json_decref(root);
  return lowest;
}

static void tip_state(const skein_world *world, double state[STATE])
{
  const skein_rod *rod = skein_world_rod(world, 0);
  skein_pose pose;
  double length = skein_rod_definition(rod).length;
  skein_rod_point(rod, length, &pose);
  skein_rod_velocity(rod, length, state + 3);
  memcpy(state, pose.r, sizeof pose.r);
}

static skein_status fly(reproduce_section *s, const orbit_solver *solver, orbit *o)
{
  const char *sets[] = {solver->method, solver->local};
  double before[STATE], now[STATE], time = 0;
  reproduce_run run;
  skein_status status = reproduce_start(s, "orbit", sets, 2, 0, &run);
  double frequency = status.code == SKEIN_OK ? frequency_of(run.scene) : 0;
  double period = frequency > 0 ? 1 / frequency : run.until, start = run.until - period;
  if (status.code == SKEIN_OK) tip_state(run.world, now);
  while (reproduce_step(&run, &status)) {
    memcpy(before, now, sizeof now);
    tip_state(run.world, now);
    for (double t; o->filled < SAMPLES; o->filled++) {
      t = start + (o->filled + 0.5) * period / SAMPLES;
      if (t > run.info.time) break;
      double share = run.info.time > time ? fmax(0, (t - time) / (run.info.time - time)) : 1;
      for (int k = 0; k < STATE; k++) o->at[o->filled][k] = before[k] + share * (now[k] - before[k]);
    }
    time = run.info.time;
  }
  o->above = run.above;
  reproduce_stop(&run);
  return status;
}

static double extent(const orbit *o, int k)
{
  double lo = HUGE_VAL, hi = -HUGE_VAL;
  for (int i = 0; i < o->filled; i++) lo = fmin(lo, o->at[i][k]), hi = fmax(hi, o->at[i][k]);
  return hi - lo;
}

/* Largest distance of the free ends at the same time, over the size of the first orbit. */
static double compare(const orbit *a, const orbit *b)
{
  double size = hypot(hypot(extent(a, 0), extent(a, 1)), extent(a, 2)), most = 0;
  int count = a->filled < b->filled ? a->filled : b->filled;
  for (int i = 0; i < count; i++)
    most = fmax(most, hypot(hypot(a->at[i][0] - b->at[i][0], a->at[i][1] - b->at[i][1]), a->at[i][2] - b->at[i][2]));
  return size > 0 && count > 0 ? most / size : NAN;
}

static void draw_orbits(reproduce_section *s, const orbit *orbits, int count)
{
  static const char *const names[] = {"x (m)", "y (m)", "z (m)"}, *const speeds[] = {"dx/dt (m/s)", "dy/dt (m/s)",
                                                                                     "dz/dt (m/s)"};
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (extent(&orbits[0], k) > extent(&orbits[0], axis)) axis = k;
  reproduce_plot plot = reproduce_plot_make("Phase portrait of the free end, last period", names[axis], speeds[axis]);
  for (int k = 0; k < count; k++) {
    int line =
        reproduce_plot_series(&plot, solvers[k].exact ? REPRODUCE_LINE : REPRODUCE_DASHES, "%s", solvers[k].name);
    for (int i = 0; i < orbits[k].filled; i++)
      reproduce_plot_add(&plot, line, orbits[k].at[i][axis], orbits[k].at[i][axis + 3]);
    if (orbits[k].filled == SAMPLES) reproduce_plot_add(&plot, line, orbits[k].at[0][axis], orbits[k].at[0][axis + 3]);
  }
  reproduce_plot_end(&plot, s->out);
}

static void write_orbits(reproduce_section *s, const orbit *orbits, int count)
{
  static const char *const columns[] = {"solver", "law", "apart from newton-ac (% of the orbit)",
                                        "steps above tolerance"};
  static const char *const raw_columns[] = {"solver", "sample", "x", "y", "z", "vx", "vy", "vz"};
  reproduce_table raw = reproduce_table_raw(s, "orbit-points", raw_columns, 8);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < orbits[k].filled; i++) {
      reproduce_cell_text(&raw, solvers[k].name);
      reproduce_cell(&raw, "%g", i);
      for (int c = 0; c < STATE; c++) reproduce_cell(&raw, "%g", orbits[k].at[i][c]);
    }
  reproduce_table_end(&raw);
  reproduce_table t =
      reproduce_table_begin(s, "orbit", "Largest distance of the free ends in the last period", columns, 4);
  for (int k = 0; k < count; k++) {
    reproduce_cell_text(&t, solvers[k].name);
    reproduce_cell_text(&t, solvers[k].exact ? "exact" : "approximate");
    reproduce_cell(&t, "%.3g", 100 * compare(&orbits[0], &orbits[k]));
    reproduce_cell(&t, "%.0f", orbits[k].above);
  }
  reproduce_table_end(&t);
  for (int k = 1; k < count; k++) {
    double apart = compare(&orbits[0], &orbits[k]);
    if (solvers[k].exact)
      reproduce_claim(s, apart < 0.01, "%s is within 1 %% of newton-ac: %.2g %%", solvers[k].name, 100 * apart);
    else reproduce_claim(s, apart > 0.05, "%s is off by more than 5 %%: %.3g %%", solvers[k].name, 100 * apart);
  }
}

skein_status reproduce_orbit(reproduce_section *s)
{
  skein_status status = {.code = SKEIN_OK};
  orbit *orbits = calloc(SOLVERS, sizeof *orbits);
  int done = 0;
  if (!orbits) return (skein_status){.code = SKEIN_NO_MEMORY, .message = "out of memory"};
  for (; done < SOLVERS && status.code == SKEIN_OK && !reproduce_over(s); done++)
    status = fly(s, &solvers[done], &orbits[done]);
  if (done > 0 && status.code == SKEIN_OK) draw_orbits(s, orbits, done), write_orbits(s, orbits, done);
  free(orbits);
  return status;
}

/* ---- Double loop ---- */

enum { TRACK = 512, PATHS = 8, TRACED = 4 };

/* The middle line between the rails, as the scene has them. */
typedef struct track {
  double point[TRACK][3], s[TRACK];
  int count;
} track;

static bool read_track(const skein_scene *scene, track *t)
{
  json_t *root = json_loads(skein_scene_source(scene), 0, NULL), *bodies = json_object_get(root, "bodies");
  json_t *rail[2];
  for (int k = 0; k < 2; k++)
    rail[k] = json_object_get(json_object_get(json_array_get(bodies, (size_t)k), "shape"), "points");
  int count = (int)json_array_size(rail[0]);
  t->count = count < TRACK ? count : TRACK;
  if (json_array_size(rail[1]) != json_array_size(rail[0])) t->count = 0;
  for (int i = 0; i < t->count; i++)
    for (size_t c = 0; c < 3; c++)
      t->point[i][c] = 0.5 * (json_number_value(json_array_get(json_array_get(rail[0], (size_t)i), c)) +
                              json_number_value(json_array_get(json_array_get(rail[1], (size_t)i), c)));
  t->s[0] = 0;
  for (int i = 1; i < t->count; i++)
    t->s[i] = t->s[i - 1] + hypot(hypot(t->point[i][0] - t->point[i - 1][0], t->point[i][1] - t->point[i - 1][1]),
                                  t->point[i][2] - t->point[i - 1][2]);
  json_decref(root);
  return t->count > 1;
}

/* m: distance from the place to the point of the track, and how near it is. */
static double off_track(const track *t, int i, const double place[3])
{
  return hypot(hypot(place[0] - t->point[i][0], place[1] - t->point[i][1]), place[2] - t->point[i][2]);
}

/* Follows the ball: the nearest point of the track not far from the last one (loops pass each other). */
static int follow(const track *t, int from, const double place[3])
{
  int best = from;
  for (int i = from - 3; i <= from + 3; i++)
    if (i >= 0 && i < t->count && off_track(t, i, place) < off_track(t, best, place)) best = i;
  return best;
}

/* m along the track at its point i, and from there along its direction to where the ball is. */
static double way_at(const track *t, int i, const double place[3])
{
  int a = i > 0 ? i - 1 : i, b = i + 1 < t->count ? i + 1 : i;
  double along = 0, length = t->s[b] - t->s[a];
  for (int c = 0; c < 3; c++) along += (place[c] - t->point[i][c]) * (t->point[b][c] - t->point[a][c]);
  return length > 0 ? t->s[i] + along / length : t->s[i];
}

typedef struct roll {
  double mu, furthest; /* m along the track, from the start */
  int iterations, above, contacts;
  int steps, many, again; /* many: steps with more than 5 iterations; again: tries that were taken again */
  double mean_iterations;
} roll;

/* Errors of one Newton solve after another, as lines of a plot. */
typedef struct newton_trace {
  reproduce_plot *plot;
  int line;
} newton_trace;

static bool trace(void *user, const skein_progress *p)
{
  const newton_trace *t = user;
  reproduce_plot_add(t->plot, t->line, p->iteration, fmax(p->error.rel, 1e-17));
  return false;
}

/* The last problem from zero, as far down as numbers go. */
static skein_status trace_newton(const reproduce_run *run, reproduce_plot *plot)
{
  skein_solve_info info;
  newton_trace t = {plot, reproduce_plot_series(plot, REPRODUCE_LINE, "t = %.2f s", run->info.time)};
  return reproduce_solve(run, (reproduce_solver){.method = SKEIN_NEWTON_AC}, 1e-15, 1, trace, &t, &info);
}

static skein_status roll_on(reproduce_section *s, roll *r, reproduce_plot *plot, reproduce_plot *newton)
{
  char set[48];
  const char *sets[] = {set};
  track line;
  double place[3], q[4], v[3], w[3], start = 0, sum = 0;
  int at = 0;
  reproduce_run run;
  snprintf(set, sizeof set, "friction=%g", r->mu);
  skein_status status = reproduce_start(s, "double-loop", sets, 1, 0, &run);
  int series = reproduce_plot_series(plot, REPRODUCE_LINE, "mu %g", r->mu);
  if (status.code == SKEIN_OK && !read_track(run.scene, &line))
    status =
        (skein_status){.code = SKEIN_BAD_INPUT, .message = "double-loop.json: expected two rails with as many points"};
  if (status.code == SKEIN_OK) {
    skein_world_body(run.world, 2, place, q, v, w);
    for (int i = 0; i < line.count; i++)
      if (off_track(&line, i, place) < off_track(&line, at, place)) at = i;
    start = way_at(&line, at, place);
  }
  while (reproduce_step(&run, &status)) {
    skein_world_body(run.world, 2, place, q, v, w);
    at = follow(&line, at, place);
    if (off_track(&line, at, place) > 0.4) break; /* it left the rails */
    r->furthest = fmax(r->furthest, way_at(&line, at, place) - start);
    r->iterations = run.info.sweeps > r->iterations ? run.info.sweeps : r->iterations;
    sum += run.info.sweeps, r->many += run.info.sweeps > 5, r->again += run.info.retries;
    reproduce_plot_add(plot, series, run.info.time, way_at(&line, at, place) - start);
    if (newton && run.steps % 25 == 5 && run.info.slide && newton->count < 9) status = trace_newton(&run, newton);
  }
  r->above = run.above, r->contacts = run.contacts_max, r->steps = run.steps;
  r->mean_iterations = run.steps ? sum / run.steps : 0;
  reproduce_stop(&run);
  return status;
}

skein_status reproduce_double_loop(reproduce_section *s)
{
  static const double mus[PATHS] = {0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1};
  static const char *const columns[] = {"mu",
                                        "furthest (m)",
                                        "contacts",
                                        "Newton iterations, mean",
                                        "most",
                                        "steps with more than 5",
                                        "steps above tolerance"};
  reproduce_plot plot = reproduce_plot_make("Way along the rails", "time (s)", "way from the start (m)");
  reproduce_plot newton = reproduce_plot_make("Newton from zero on steps that slide, mu = 0.2", "iteration", "error");
  newton.log_y = true;
  skein_status status = {.code = SKEIN_OK};
  roll r[PATHS] = {0};
  bool grows = true;
  int done = 0, steps = 0, many = 0, again = 0;
  for (; done < PATHS && status.code == SKEIN_OK && !reproduce_over(s); done++) {
    r[done].mu = mus[done];
    status = roll_on(s, &r[done], &plot, done == TRACED ? &newton : NULL);
    if (done > 0) grows = grows && r[done].furthest >= r[done - 1].furthest;
    steps += r[done].steps, many += r[done].many, again += r[done].again;
  }
  reproduce_plot_end(&plot, s->out);
  if (newton.count > 0) reproduce_plot_end(&newton, s->out);
  reproduce_table t = reproduce_table_begin(s, "double-loop", "How far the ball gets", columns, 7);
  static const char *const formats[] = {"%g", "%.2f", "%.0f", "%.2f", "%.0f", "%.0f", "%.0f"};
  for (int k = 0; k < done; k++) {
    const double row[] = {r[k].mu,         r[k].furthest, r[k].contacts, r[k].mean_iterations,
                          r[k].iterations, r[k].many,     r[k].above};
    for (int c = 0; c < 7; c++) reproduce_cell(&t, formats[c], row[c]);
  }
  reproduce_table_end(&t);
  if (status.code == SKEIN_OK) {
    reproduce_claim(s, grows, "the more friction, the further the ball gets");
    reproduce_claim(s, many == 0,
                    "Newton needs at most 5 iterations in every step: more in %d of %d (%d were taken again)", many,
                    steps, again);
  }
  return status;
}
