/* Friction: the solver on the one-step problem, and its solution back into rods, bodies and contacts. */
#include "world/world.h"

#include <math.h>
#include <string.h>

/* Where the solve was near an answer, what it found is a better start than the last step. */
void sk_attempt_soften(sk_attempt *w, double error)
{
  double *u_f = w->linear.problem.u_f;
  for (int k = 0; k < w->found.contacts.count; k++) {
    sk_contact *t = w->found.contacts.at + k;
    sk_row *row = w->linear.rows + k;
    bool gentle = w->plan.gentle && !w->model->scene->step.passive;
    double offset = gentle ? sk_gap_velocity(w, t, row, 0) : row->offset;
    u_f[3 * k] += offset - row->offset, row->offset = offset;
    for (int c = 0; w->plan.plain && c < 3; c++) u_f[3 * k + c] -= sk_dot(t->frame[c], t->miss);
    if (w->plan.plain) t->miss = sk_vec(0, 0, 0);
  }
  sk_count_asked(w);
  bool found = error <= sk_limit.solve.found * w->model->scene->step.tol;
  if (!found && w->found.contacts.count > 0)
    memcpy(w->linear.solution.r, w->linear.guess, 3 * sizeof(double) * (size_t)w->found.contacts.count);
}

/* Impulses back into the contacts, in world axes; what they dissipate is - r . (u before + u after) / 2. *friction: of
 * the tangential part. */
static double take_impulses(sk_attempt *w, double *friction)
{
  double work[3] = {0};
  for (int k = 0; k < w->found.contacts.count; k++) {
    sk_contact *t = w->found.contacts.at + k;
    const sk_row *row = w->linear.rows + k;
    const double *r = w->linear.solution.r + 3 * k, *u = w->linear.solution.u + 3 * k;
    t->impulse = sk_vec(0, 0, 0);
    double force = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), slip = hypot(u[1], u[2]);
    t->status = !(force > 0) ? 0 : hypot(r[1], r[2]) < t->mu * r[0] * (1 - 1e-6) || slip == 0 ? 1 : 2;
    for (int c = 0; c < 3; c++) {
      t->impulse = sk_axpy(t->impulse, r[c], t->frame[c]);
      work[c] += 0.5 * r[c] * (row->u_before[c] + u[c] - (c == 0 ? row->offset : row->shift[c - 1]));
    }
  }
  *friction = -(work[1] + work[2]);
  return *friction - work[0];
}

/* Rods that touch something get its velocities; the others have the free ones already. */
static void take_velocities(sk_attempt *w)
{
  for (int i = 0; i < w->model->rod_count; i++) {
    const sk_rod_part *s = w->rods + i;
    if (s->dof >= 0) memcpy(w->v + s->is->v, w->linear.solution.v + s->dof, sizeof(double) * (size_t)s->rod->n);
  }
}

/* Velocities after the step. */
static void solve_body(sk_attempt *w, int i)
{
  const sk_body_motion *from = w->bodies + i;
  sk_body_state *b = w->next->body + i;
  double dt = w->plan.dt;
  *b = (sk_body_state){from->pose, from->v, from->w};
  if (w->model->scene->bodies[i].mode != SK_DYNAMIC || sk_asleep(w->next, w->model->rod_count + i)) return;
  if (w->linear.body_dof[i] >= 0) {
    const double *v = w->linear.solution.v + w->linear.body_dof[i];
    b->v = sk_load3(v), b->w = sk_load3(v + 3);
    return;
  }
  sk_mat3 I = sk_body_inertia(w->model, i, &b->pose), R = sk_quat_frame(b->pose.q);
  sk_vec3 torque = sk_apply_t(R, sk_mul(-1, sk_cross(b->w, sk_apply(I, b->w)))); /* body axes: I_0 a = torque */
  b->v = sk_axpy(b->v, dt, sk_load3(w->live->env.gravity));
  b->w = sk_axpy(b->w, dt, sk_apply(R, sk_solve3(w->model->scene->bodies[i].inertia, torque)));
}

/* Sweeps of a solve that need not succeed. Push-out, arcs and corrections that have no answer are dropped, and most
 * that have one are solved long before that; what misses a finer tolerance than motion asks for is taken all the same;
 * what a shorter step would replace is worth more; else only the scene has a limit. */
static int sweeps_allowed(const sk_attempt *w, sk_round round, const skein_solve_def *def)
{
  const double loose = sk_limit.solve.loose;
  int most = def->max_sweeps;
  if (def->method != SKEIN_GS) return most;
  bool asks = round == SK_CORRECTED || sk_asks(w);
  if (asks && def->tol < loose) return SK_MAX(1, SK_MIN(sk_limit.solve.fine, most / sk_limit.solve.fine_share));
  if (asks) return SK_MIN(most, !w->plan.gentle && w->linear.pushed > 0 ? sk_limit.solve.push : sk_limit.solve.arcs);
  if (def->tol < loose && w->model->scene->step.tol >= loose) return SK_MIN(most, sk_limit.solve.fine);
  return w->plan.dt <= sk_shortest(w->model, w->now) * (1 + 1e-9) ? most : SK_MIN(most, sk_limit.solve.step);
}

double sk_tolerance(const sk_attempt *w)
{
  const sk_scene_step *step = &w->model->scene->step;
  return fmax(step->tol_rest, ldexp(step->tol, -w->plan.calm));
}

void sk_attempt_take(sk_attempt *w, skein_step_info *info)
{
  take_velocities(w);
  for (int i = 0; i < w->model->scene->body_count; i++) solve_body(w, i);
  info->dissipated = take_impulses(w, &info->dissipated_friction);
}

/* A better start for Newton's method than the last step, where contacts change between sticking and sliding: a few
 * sweeps, whatever they reach. */
static skein_status sweep_first(sk_attempt *w, const skein_solve_def *def)
{
  skein_solve_def sweeps = *def;
  skein_solve_info result;
  sweeps.method = SKEIN_GS, sweeps.accelerate = SKEIN_ACCELERATE_NONE,
  sweeps.tol = fmax(sk_limit.solve.rough, def->tol);
  sweeps.max_sweeps = w->model->scene->step.start_sweeps;
  return sk_solver_run(w->work.solver, &sweeps, &w->linear.solution, &result);
}

/* The problem as it is now, or with another u_f, into the solver. */
static skein_status make_ready(sk_attempt *w, sk_round round)
{
  if (!sk_problem_is_finite(&w->linear.problem, w->work.threads)) return skein_problem_check(&w->linear.problem);
  if (round == SK_FIRST) return sk_solver_set(w->work.solver, &w->linear.problem, SKEIN_OPERATOR_AUTO, w->work.threads);
  sk_solver_update(w->work.solver);
  return sk_ok();
}

/* The solve, and where the scene's tolerance is loose a second one: what mixed sweeps do not finish goes on with
 * over-relaxed ones, which damp contacts that jump. Free/A, rough motion, 17 steps, 8 of them with contacts that jump:
 * all but one are done after 137 mixed sweeps, 67 on average (150 over-relaxed). */
static skein_status run(sk_attempt *w, skein_solve_def *def, skein_solve_info *info)
{
  const double loose = sk_limit.solve.loose;
  int sweeps = def->max_sweeps, mixed = def->tol >= loose ? sk_limit.solve.mixed : sk_limit.solve.mixed_fine;
  if (def->method == SKEIN_GS && w->model->scene->step.tol >= loose) def->max_sweeps = SK_MIN(sweeps, mixed);
  skein_status s = sk_solver_run(w->work.solver, def, &w->linear.solution, info);
  if (s.code != SKEIN_OK || info->converged || sweeps <= def->max_sweeps) return s;
  skein_solve_info first = *info;
  def->accelerate = SKEIN_RELAX, def->max_sweeps = sweeps - mixed;
  s = sk_solver_run(w->work.solver, def, &w->linear.solution, info);
  info->iterations += first.iterations, info->seconds += first.seconds;
  return s;
}

static bool is_stopped(void *user)
{
  return sk_stop_asked(user);
}

skein_stop sk_solver_stop(const sk_attempt *w)
{
  return w->work.stop->by.ask ? (skein_stop){is_stopped, w->work.stop} : (skein_stop){0};
}

skein_status sk_attempt_solve(sk_attempt *w, sk_round round, skein_step_info *info)
{
  const sk_scene_step *step = &w->model->scene->step;
  skein_solve_def def = skein_default_solve_def();
  skein_solve_info result = {.converged = true};
  def.method = step->method, def.local = step->local, def.failsafe = step->failsafe;
  def.tol = sk_tolerance(w);
  def.max_seconds = step->max_seconds, def.warm_start = true;
  def.stop = sk_solver_stop(w);
  if (step->max_sweeps > 0) def.max_sweeps = step->max_sweeps;
  def.max_sweeps = sweeps_allowed(w, round, &def);
  if (sk_settling(w->now)) sk_settle_solver(w, &def);
  def.local_tol = fmin(def.local_tol, sk_limit.solve.local * def.tol);
  bool newton = def.method == SKEIN_NEWTON_AC || def.method == SKEIN_NEWTON_MFB;
  bool any = w->found.contacts.count > 0;
  if (any && round != SK_CORRECTED)
    memcpy(w->linear.guess, w->linear.solution.r, 3 * sizeof(double) * (size_t)w->found.contacts.count);
  skein_status s = any ? make_ready(w, round) : sk_ok();
  if (any && s.code == SKEIN_OK && newton && step->start_sweeps > 0) s = sweep_first(w, &def);
  if (any && s.code == SKEIN_OK) s = run(w, &def, &result);
  s = sk_unless_stopped(s, w->work.stop);
  if (s.code != SKEIN_OK) return s;
  sk_attempt_take(w, info);
  info->seconds_loop += result.seconds;
  info->converged = result.converged, info->tol = def.tol, info->error = result.error.rel;
  if (!info->converged && info->error <= step->tol) info->converged = true, info->tol = step->tol;
  info->sweeps = result.iterations;
  info->islands = result.islands;
  return s;
}
