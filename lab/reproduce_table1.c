/* Table I of Bertails-Descoubes et al. 2011: contacts, nu and time per step of eight simulations, and the paper's
 * solver on problems taken from each of them. */
#include "reproduce.h"

#include <math.h>

typedef struct row {
  const char *scene, *label, *friction; /* set, NULL: the scene's */
  double mu, dt;                        /* dt in ms */
  int n;                                /* of the paper, like what follows */
  double nu, seconds;
  int quick;              /* steps */
  int every, quick_every; /* steps between two problems that newton-ac gets */
  double patience;        /* s, in --quick */
} row;

static const row rows[] = {
    {"plectoneme", "super-helix 1 x 20", NULL, 0, 11, 18, 0.9, 0.04, 0, 10, 40, 15},
    {"tight-knot", "super-helix 1 x 20", NULL, 0, 11, 8, 0.4, 0.033, 0, 5, 20, 15},
    {"wavy-hair", "super-helix 84 x 8", "friction=0", 0, 11, 392, 0.58, 2.6, 250, 20, 50, 20},
    {"wavy-hair", "super-helix 84 x 8", "friction=0.3", 0.3, 11, 380, 0.57, 41.2, 250, 20, 50, 25},
    {"self-stacking", "CoRdE 1 x 256", NULL, 0.3, 0.25, 303, 1.18, 0.31, 4000, 300, 800, 20},
    {"spaghetti-7", "CoRdE 7 x 16", NULL, 0.3, 0.1, 121, 1.08, 0.36, 2000, 250, 300, 20},
    {"spaghetti-31", "mass-spring 31 x 16", NULL, 0.3, 1, 653, 1.32, 2.26, 400, 20, 30, 30},
    {"spaghetti-76", "mass-spring 76 x 22", NULL, 0.3, 1, 1806, 1.08, 19.1, 350, 100, 40, 35},
};
enum { row_count = sizeof rows / sizeof rows[0] };

/* Ours, and the paper's with both balls. */
enum { SOLVERS = 3 };
static const reproduce_solver solvers[SOLVERS] = {
    {.method = SKEIN_AUTO}, {.method = SKEIN_NEWTON_AC}, {.method = SKEIN_NEWTON_AC, .ball = SKEIN_BALL_PLAIN}};

/* What they did on the problems of a run. */
typedef struct duel {
  int problems, converged[SOLVERS];
  double seconds[SOLVERS], error[SOLVERS];
} duel;

static skein_status fight(const reproduce_run *run, double tol, duel *d)
{
  skein_status status = {.code = SKEIN_OK};
  double limit = run->section->set->quick ? 2 : 10;
  if (!skein_world_problem(run->world)) return status;
  for (int k = 0; k < SOLVERS && status.code == SKEIN_OK; k++) {
    skein_solve_info info;
    status = reproduce_solve(run, solvers[k], tol, limit, NULL, NULL, &info);
    d->seconds[k] += info.seconds, d->converged[k] += info.converged, d->error[k] = fmax(d->error[k], info.error.rel);
  }
  d->problems += status.code == SKEIN_OK;
  return status;
}

static skein_status simulate(reproduce_section *s, const row *r, reproduce_run *run, duel *d)
{
  skein_status status =
      reproduce_start(s, r->scene, &r->friction, r->friction != NULL, s->set->quick ? r->quick : 0, run);
  if (status.code != SKEIN_OK) return status;
  run->patience = r->patience;
  double tol = reproduce_tolerance(run->scene);
  int every = s->set->quick ? r->quick_every : r->every, next = every;
  while (reproduce_step(run, &status)) {
    if (run->steps < next || !skein_world_problem(run->world)) continue;
    next = run->steps + every;
    status = fight(run, tol, d);
  }
  return status;
}

static void write_row(reproduce_table *t, const row *r, const reproduce_run *run)
{
  double ours = run->busy > 0 ? run->seconds_busy / run->busy : NAN;
  reproduce_cell_text(t, r->scene);
  reproduce_cell_text(t, r->label);
  reproduce_cell(t, "%g", r->mu);
  reproduce_cell(t, "%g", r->dt);
  reproduce_cell(t, "%.0f", run->steps);
  reproduce_cell(t, "%.0f", r->n);
  reproduce_cell(t, "%.0f", run->contacts_max);
  reproduce_cell(t, "%.0f", run->acting_max);
  reproduce_cell(t, "%.2f", r->nu);
  reproduce_cell(t, "%.2f", run->nu_max);
  reproduce_cell(t, "%.3g", r->seconds);
  reproduce_cell(t, "%.2g", ours);
  reproduce_cell(t, "%.0f", r->seconds / ours);
  reproduce_cell(t, "%.2f", run->steps > 0 ? 100.0 * (run->steps - run->above) / run->steps : NAN);
  reproduce_cell(t, "%.1e", run->error_max);
}

static void write_duel(reproduce_table *t, const row *r, const duel *d)
{
  reproduce_cell_text(t, r->scene);
  reproduce_cell(t, "%g", r->mu);
  reproduce_cell(t, "%.0f", d->problems);
  for (int k = 0; k < SOLVERS; k++) reproduce_cell(t, "%.3g", d->problems ? d->seconds[k] / d->problems : NAN);
  reproduce_cell(t, "%.3g", d->problems ? d->seconds[1] / d->seconds[0] : NAN);
  for (int k = 0; k < SOLVERS; k++) reproduce_cell(t, "%.0f", d->converged[k]);
  for (int k = 0; k < SOLVERS; k++) reproduce_cell(t, "%.1e", d->problems ? d->error[k] : NAN);
}

static bool is_near(double count, double n)
{
  return count >= 0.5 * n && count <= 2 * n;
}

static void judge(reproduce_section *s, const row *r, const reproduce_run *run)
{
  double ours = run->busy > 0 ? run->seconds_busy / run->busy : NAN;
  reproduce_claim(s, run->above == 0, "%s, mu = %g: every one of %d steps reached its tolerance (%d did not)", r->scene,
                  r->mu, run->steps, run->above);
  reproduce_claim(s, r->seconds / ours >= 20, "%s, mu = %g: %.0f times the paper's speed, at least 20", r->scene, r->mu,
                  r->seconds / ours);
  if (s->set->quick) return; /* not all the contacts there will be */
  reproduce_claim(s, is_near(run->contacts_max, r->n) || is_near(run->acting_max, r->n),
                  "%s, mu = %g: contacts, or those that act, within a factor 2 of the paper's %d: %d, of which at most "
                  "%d act at a time",
                  r->scene, r->mu, r->n, run->contacts_max, run->acting_max);
}

/* Mean time per step, ours against the paper's. */
static void draw(reproduce_section *s, const reproduce_run *run, int count)
{
  reproduce_plot plot = reproduce_plot_make(
      "Mean time per step: ours against the paper's; dashed: as fast, and 20 times", "paper (s)", "here (s)");
  static const double reach[2] = {0.03, 50}, times[2] = {1, 20};
  plot.log_x = plot.log_y = true;
  for (int k = 0; k < count; k++) {
    int dot = reproduce_plot_series(&plot, REPRODUCE_DOTS, "%s%s%s", rows[k].scene, rows[k].friction ? ", " : "",
                                    rows[k].friction ? rows[k].friction : "");
    if (run[k].busy > 0) reproduce_plot_add(&plot, dot, rows[k].seconds, run[k].seconds_busy / run[k].busy);
  }
  for (int k = 0; k < 2; k++) {
    int line = reproduce_plot_series(&plot, REPRODUCE_DASHES, k ? "20 times as fast" : "as fast");
    for (int i = 0; i < 2; i++) reproduce_plot_add(&plot, line, reach[i], reach[i] / times[k]);
  }
  reproduce_plot_end(&plot, s->out);
}

skein_status reproduce_table1(reproduce_section *s)
{
  static const char *const columns[] = {
      "scene",         "rods x elements", "mu",           "dt (ms)",       "steps",
      "n max, paper",  "n max",           "that act",     "nu max, paper", "nu max",
      "s/step, paper", "s/step",          "times faster", "converged (%)", "largest error"};
  static const char *const others[] = {"scene",
                                       "mu",
                                       "problems",
                                       "auto (s)",
                                       "newton-ac (s)",
                                       "newton-ac/plain (s)",
                                       "newton-ac / auto",
                                       "auto converged",
                                       "newton-ac converged",
                                       "newton-ac/plain converged",
                                       "auto error",
                                       "newton-ac error",
                                       "newton-ac/plain error"};
  skein_status status = {.code = SKEIN_OK};
  reproduce_run run[row_count] = {0};
  duel duels[row_count] = {0};
  int done = 0;
  for (; done < row_count && status.code == SKEIN_OK && !reproduce_over(s); done++) {
    status = simulate(s, &rows[done], &run[done], &duels[done]);
    reproduce_stop(&run[done]);
    fprintf(stderr, "table1: %s, mu = %g: %d steps, %d contacts at most\n", rows[done].scene, rows[done].mu,
            run[done].steps, run[done].contacts_max);
  }
  reproduce_table t = reproduce_table_begin(s, "table1", "Table I, the paper's numbers beside ours", columns, 15);
  for (int k = 0; k < done; k++) write_row(&t, &rows[k], &run[k]);
  reproduce_table_end(&t);
  for (int k = 0; k < done; k++)
    if (run[k].late)
      reproduce_say(s, "%s, mu = %g: ended after %d steps, %.0f s, all that --quick has for it.", rows[k].scene,
                    rows[k].mu, run[k].steps, rows[k].patience);
  draw(s, run, done);
  t = reproduce_table_begin(s, "table1-newton",
                            "The same problems by our default and by the paper's method, with both balls", others, 13);
  for (int k = 0; k < done; k++) write_duel(&t, &rows[k], &duels[k]);
  reproduce_table_end(&t);
  for (int k = 0; k < done; k++) judge(s, &rows[k], &run[k]);
  return status;
}
