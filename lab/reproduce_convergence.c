/* Figures 10 and 11 and section 6.1.4 of Bertails-Descoubes et al. 2011: solvers on problems taken from the stacks. */
#include "reproduce.h"

#include <math.h>

/* ---- Time and error against nu ---- */

typedef struct source {
  const char *label, *scene, *elements; /* a set or NULL */
  int quick, every, quick_every;        /* steps, and between two problems */
} source;

static const source sources[] = {
    {"31/16", "spaghetti-31", NULL, 300, 50, 8},
    {"76/16", "spaghetti-76", "rods.spaghetti.elements=16", 260, 100, 6},
    {"76/22", "spaghetti-76", NULL, 240, 100, 6},
};
static const reproduce_solver methods[] = {
    {.method = SKEIN_NEWTON_AC},
    {.method = SKEIN_NEWTON_AC, .ball = SKEIN_BALL_PLAIN},
    {.method = SKEIN_GS},
    {.method = SKEIN_AUTO},
};
enum { SOURCES = 3, METHODS = 4, ZONES = 3 };
static const char *const zones[ZONES] = {"nu < 1", "1 to 1.5", "above 1.5"};

static int zone_of(double nu)
{
  return nu < 1 ? 0 : nu <= 1.5 ? 1 : 2;
}

typedef struct tally {
  int problems, converged;
  double seconds, error, iterations;
} tally;

typedef struct convergence_job {
  reproduce_section *section;
  reproduce_table raw;
  reproduce_plot *errors;
  int error_line;
  tally tally[METHODS][ZONES];
} convergence_job;

static const double tolerance = 1e-4;
/* The run itself does not spend its time on the last digits of what lies almost still. */
static const char calm[] = "solver.tol_rest=1e-4";

static skein_status try_all(convergence_job *job, const reproduce_run *run, const source *from, reproduce_plot *times)
{
  skein_status status = {.code = SKEIN_OK};
  double limit = job->section->set->quick ? 0.5 : 5, nu = run->info.nu;
  for (int m = 0; m < METHODS && status.code == SKEIN_OK; m++) {
    skein_solve_info info;
    double seconds = methods[m].method == SKEIN_AUTO ? 10 * limit : limit;
    status = reproduce_solve(run, methods[m], tolerance, seconds, NULL, NULL, &info);
    if (status.code != SKEIN_OK) break;
    tally *t = &job->tally[m][zone_of(nu)];
    t->problems++, t->converged += info.converged, t->seconds += info.seconds, t->iterations += info.iterations;
    t->error = fmax(t->error, info.error.rel);
    reproduce_plot_add(times, m, nu, info.seconds);
    if (m == 0) reproduce_plot_add(job->errors, job->error_line, nu, fmax(info.error.rel, 1e-16));
    reproduce_cell_text(&job->raw, from->label);
    reproduce_cell_text(&job->raw, reproduce_solver_name(methods[m]));
    const double row[] = {run->steps,     run->info.contacts, nu, info.seconds, info.error.rel,
                          info.converged, info.iterations};
    for (int k = 0; k < 7; k++) reproduce_cell(&job->raw, "%g", row[k]);
  }
  return status;
}

static skein_status sample(convergence_job *job, const source *from)
{
  reproduce_section *s = job->section;
  char title[96];
  snprintf(title, sizeof title, "Time to 1e-4 against nu, spaghetti %s (%s)", from->label,
           s->set->quick ? "at most 0.5 s, auto 5 s" : "at most 5 s, auto 50 s");
  reproduce_plot times = reproduce_plot_make(title, "nu", "time (s)");
  times.log_y = true, times.line_x = 1;
  for (int m = 0; m < METHODS; m++)
    reproduce_plot_series(&times, REPRODUCE_DOTS, "%s", reproduce_solver_name(methods[m]));
  job->error_line = reproduce_plot_series(job->errors, REPRODUCE_DOTS, "newton-ac, %s", from->label);
  const char *sets[] = {calm, from->elements};
  reproduce_run run;
  skein_status status =
      reproduce_start(s, from->scene, sets, from->elements ? 2 : 1, s->set->quick ? from->quick : 0, &run);
  int every = s->set->quick ? from->quick_every : from->every;
  run.patience = 29;
  while (reproduce_step(&run, &status))
    if (run.steps % every == 0 && skein_world_problem(run.world)) status = try_all(job, &run, from, &times);
  reproduce_stop(&run);
  reproduce_plot_end(&times, s->out);
  return status;
}

static void sum_up(convergence_job *job)
{
  static const char *const columns[] = {
      "nu", "method", "problems", "converged (%)", "mean time (s)", "mean iterations", "largest error"};
  reproduce_table t = reproduce_table_begin(job->section, "convergence-zones", "All three together", columns, 7);
  for (int z = 0; z < ZONES; z++)
    for (int m = 0; m < METHODS; m++) {
      const tally *y = &job->tally[m][z];
      if (y->problems == 0) continue;
      reproduce_cell_text(&t, zones[z]);
      reproduce_cell_text(&t, reproduce_solver_name(methods[m]));
      reproduce_cell(&t, "%.0f", y->problems);
      reproduce_cell(&t, "%.0f", 100.0 * y->converged / y->problems);
      reproduce_cell(&t, "%.3g", y->seconds / y->problems);
      reproduce_cell(&t, "%.0f", y->iterations / y->problems);
      reproduce_cell(&t, "%.1e", y->error);
    }
  reproduce_table_end(&t);
}

skein_status reproduce_convergence(reproduce_section *s)
{
  static const char *const columns[] = {"spaghetti", "method", "step",      "contacts",  "nu",
                                        "seconds",   "error",  "converged", "iterations"};
  skein_status status = {.code = SKEIN_OK};
  reproduce_plot errors = reproduce_plot_make("Error that newton-ac ends with, against nu", "nu", "error");
  errors.log_y = true, errors.line_x = 1;
  convergence_job job = {.section = s, .errors = &errors};
  job.raw = reproduce_table_raw(s, "convergence", columns, 9);
  for (int k = 0; k < SOURCES && status.code == SKEIN_OK && !reproduce_over(s); k++) status = sample(&job, &sources[k]);
  reproduce_table_end(&job.raw);
  reproduce_plot_end(&errors, s->out);
  sum_up(&job);
  const tally *newton = job.tally[0], *own = job.tally[METHODS - 1];
  int problems = 0, solved = 0;
  for (int z = 0; z < ZONES; z++) problems += own[z].problems, solved += own[z].converged;
  reproduce_claim(s, problems == solved, "the default solver reaches 1e-4 on all of them, from zero: %d of %d", solved,
                  problems);
  if (newton[0].problems > 0 && newton[1].problems > 0)
    reproduce_claim(s, newton[1].seconds / newton[1].problems > newton[0].seconds / newton[0].problems,
                    "newton-ac needs more time above nu = 1 than below: %.3g s and %.3g s",
                    newton[1].seconds / newton[1].problems, newton[0].seconds / newton[0].problems);
  return status;
}

/* ---- Local and global ---- */

static const double levels[] = {1e-2, 1e-4, 1e-6};
enum { LEVELS = 3, PAIR = 3 };
static const reproduce_solver pair[PAIR] = {
    {.method = SKEIN_GS}, {.method = SKEIN_NEWTON_AC}, {.method = SKEIN_NEWTON_AC, .ball = SKEIN_BALL_PLAIN}};

typedef struct reach {
  int problems, reached;
  double seconds; /* of all, the limit where it was not reached */
} reach;

typedef struct tracer {
  reproduce_plot *plot;
  int line;
} tracer;

static bool trace(void *user, const skein_progress *p)
{
  tracer *t = user;
  reproduce_plot_add(t->plot, t->line, fmax(p->seconds, 1e-6), p->error.rel);
  return false;
}

/* All of them on the last problem, to all three levels. */
static skein_status race(const reproduce_run *run, double limit, reach r[2][PAIR][LEVELS])
{
  skein_status status = {.code = SKEIN_OK};
  int zone = run->info.nu >= 1;
  for (int m = 0; m < PAIR; m++)
    for (int k = 0; k < LEVELS && status.code == SKEIN_OK; k++) {
      skein_solve_info info;
      status = reproduce_solve(run, pair[m], levels[k], limit, NULL, NULL, &info);
      reach *at = &r[zone][m][k];
      at->problems++, at->reached += info.converged, at->seconds += info.seconds;
    }
  return status;
}

static skein_status trace_both(reproduce_run *run, reproduce_plot *plot, double limit)
{
  skein_status status = {.code = SKEIN_OK};
  for (int m = 0; m < PAIR && status.code == SKEIN_OK; m++) {
    skein_solve_info info;
    tracer t = {plot, reproduce_plot_series(plot, REPRODUCE_LINE, "%s", reproduce_solver_name(pair[m]))};
    status = reproduce_solve(run, pair[m], 1e-8, limit, trace, &t, &info);
  }
  return status;
}

static void write_reach(reproduce_section *s, reach r[2][PAIR][LEVELS])
{
  static const char *const columns[] = {"nu", "method", "to", "problems", "reached (%)", "mean time (s)"};
  reproduce_table t =
      reproduce_table_begin(s, "local-global", "Time to an error, local (gs) and global (newton-ac)", columns, 6);
  for (int z = 0; z < 2; z++)
    for (int k = 0; k < LEVELS; k++)
      for (int m = 0; m < PAIR; m++) {
        const reach *at = &r[z][m][k];
        if (at->problems == 0) continue;
        reproduce_cell_text(&t, z ? "1 and above" : "below 1");
        reproduce_cell_text(&t, reproduce_solver_name(pair[m]));
        reproduce_cell(&t, "%.0e", levels[k]);
        reproduce_cell(&t, "%.0f", at->problems);
        reproduce_cell(&t, "%.0f", 100.0 * at->reached / at->problems);
        reproduce_cell(&t, "%.3g", at->seconds / at->problems);
      }
  reproduce_table_end(&t);
}

skein_status reproduce_local_global(reproduce_section *s)
{
  reach r[2][PAIR][LEVELS] = {0};
  double limit = s->set->quick ? 0.5 : 5;
  int every = s->set->quick ? 25 : 200, loose = 0, all = 0;
  reproduce_plot plot = reproduce_plot_make("Error against time, the last of the problems", "time (s)", "error");
  reproduce_run run;
  plot.log_x = plot.log_y = true;
  const char *sets[] = {calm};
  skein_status status = reproduce_start(s, "spaghetti-31", sets, 1, s->set->quick ? 300 : 0, &run);
  while (reproduce_step(&run, &status))
    if (run.steps % every == 0 && skein_world_problem(run.world)) status = race(&run, limit, r);
  if (status.code == SKEIN_OK && run.world && skein_world_problem(run.world)) status = trace_both(&run, &plot, limit);
  reproduce_stop(&run);
  write_reach(s, r);
  reproduce_plot_end(&plot, s->out);
  for (int z = 0; z < 2; z++) loose += r[z][0][1].reached, all += r[z][0][1].problems;
  reproduce_claim(s, loose == all, "gs with exact local solves reaches 1e-4 on %d of %d problems: no cycling", loose,
                  all);
  if (r[0][1][1].problems)
    reproduce_claim(s, r[0][1][1].reached == r[0][1][1].problems,
                    "newton-ac reaches 1e-4 on %d of %d problems with nu below 1", r[0][1][1].reached,
                    r[0][1][1].problems);
  return status;
}
