/* An attempt at a step: drive -> predict -> search -> assemble -> solve -> move. It reads the state now and writes the
 * state next. */
#include "world/world.h"

#include <omp.h>

skein_status sk_for_rods(sk_attempt *w, sk_rod_job job)
{
  int count = w->model->rod_count, failed = count;
  skein_status status = sk_ok();
#pragma omp parallel for num_threads(sk_team(w, count, 16)) schedule(dynamic, 16)
  for (int i = 0; i < count; i++) {
    if (sk_stop_asked(w->work.stop)) continue;
    skein_status s = job(w, i, w->work.systems + omp_get_thread_num());
    if (s.code == SKEIN_OK) continue;
#pragma omp critical
    if (i < failed) failed = i, status = s;
  }
  return failed < count ? sk_model_blame(w->model, failed, status) : sk_unless_stopped(status, w->work.stop);
}

/* ---- Begin ---- */

static void fill_part(sk_attempt *w, int i)
{
  const sk_model_rod *is = w->model->rods + i;
  sk_rod_part *p = w->rods + i;
  p->rod = is->rod, p->is = is, p->dof = -1;
  p->x = w->now->x + is->x, p->v = w->now->v + is->v, p->radius = w->next->growth * is->radius;
  p->A = SK_NEW_RAW(&w->work.arena, sk_band_size(is->rod->n, is->rod->kd), double);
  p->b = SK_NEW_RAW(&w->work.arena, is->rod->n, double);
}

/* The arena is emptied first, and with it goes the problem of the last attempt. */
static skein_status begin(sk_attempt *w)
{
  sk_arena *arena = &w->work.arena;
  int rods = w->model->rod_count, bodies = w->model->scene->body_count;
  sk_arena_reset(arena);
  w->linear = (sk_linear){0}, w->search = (sk_search){0}, w->found = (sk_found){0};
  const sk_rod **all = SK_NEW(arena, rods, const sk_rod *);
  w->work.systems = SK_NEW(arena, w->work.threads, sk_rod_system);
  w->rods = SK_NEW(arena, rods, sk_rod_part), w->bodies = SK_NEW(arena, bodies, sk_body_motion);
  w->linear.body_dof = SK_NEW(arena, bodies, int);
  w->v = SK_NEW_RAW(arena, w->model->nv, double);
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < rods; i++) all[i] = w->model->rods[i].rod, fill_part(w, i);
  skein_status s = arena->failed ? sk_no_memory() : sk_ok();
  for (int t = 0; t < w->work.threads && s.code == SKEIN_OK; t++)
    s = sk_rod_system_create(all, rods, arena, w->work.systems + t);
  return s;
}

/* ---- Its parts ---- */

/* Adds the time since *last to *sum. */
static void lap(double *last, double *sum)
{
  double now = sk_seconds();
  *sum += now - *last, *last = now;
}

static bool by_distances(const sk_attempt *w)
{
  return w->model->scene->step.rigid != SK_RIGID_VELOCITY;
}

static skein_status move(sk_attempt *w, skein_step_info *info)
{
  double last = sk_seconds();
  skein_status s = sk_attempt_move(w);
  lap(&last, &info->seconds_rods);
  return s;
}

/* Friction, and where everything goes with it. */
static skein_status solve_and_move(sk_attempt *w, sk_round round, skein_step_info *info)
{
  double last = sk_seconds();
  skein_status s = by_distances(w) ? sk_attempt_rigid(w, info) : sk_attempt_solve(w, round, info);
  if (s.code == SKEIN_OK) sk_settle_restrain(w);
  lap(&last, &info->seconds_solve);
  return s.code == SKEIN_OK ? move(w, info) : s;
}

/* Less: no push-out, for where contacts press from all sides there may be no velocity that opens all overlaps, while
 * there always is one that keeps them; then no arcs of the last step, for the same reason. */
void sk_plan_less(sk_attempt *w)
{
  if (!w->plan.gentle && w->linear.pushed > 0) w->plan.gentle = true;
  else w->plan.plain = true;
}

/* The contacts of the last attempt, which found no answer, asked for less, from the same start. */
static skein_status soften(sk_attempt *w, skein_step_info *info)
{
  double last = sk_seconds();
  int sweeps = info->sweeps;
  sk_attempt_soften(w, info->error);
  lap(&last, &info->seconds_assemble);
  skein_status s = solve_and_move(w, SK_SOFTER, info);
  info->sweeps += sweeps;
  return s;
}

/* Solves again for what the motion was beside the linear one, from the same start; what finds no answer is dropped. */
static skein_status correct(sk_attempt *w, skein_step_info *info)
{
  const sk_scene_step *step = &w->model->scene->step;
  int most = sk_settling(w->now) || step->theta < 1 ? 0 : step->corrections;
  bool again = true;
  skein_status s = sk_ok();
  for (int k = 0; k < most && info->converged && s.code == SKEIN_OK; k++) {
    skein_step_info before = *info;
    double last = sk_seconds();
    s = sk_attempt_correct(w, &again);
    lap(&last, &info->seconds_assemble);
    if (s.code != SKEIN_OK || !again) break;
    s = solve_and_move(w, SK_CORRECTED, info);
    info->sweeps += before.sweeps;
    if (s.code != SKEIN_OK || info->converged) continue;
    sk_attempt_uncorrect(w);
    sk_attempt_take(w, info);
    info->converged = true, info->error = before.error, info->islands = before.islands;
    return move(w, info);
  }
  return s;
}

/* All contacts of the step, and what they lead to. */
static skein_status solve_all(sk_attempt *w, skein_step_info *info)
{
  double last = sk_seconds();
  skein_status s = begin(w);
  if (s.code == SKEIN_OK) s = sk_attempt_drive(w);
  if (s.code == SKEIN_OK) sk_wake_driven(w);
  if (s.code == SKEIN_OK) s = sk_attempt_predict(w);
  lap(&last, &info->seconds_rods);
  if (s.code == SKEIN_OK) s = sk_attempt_find(w);
  lap(&last, &info->seconds_collide);
  if (s.code != SKEIN_OK || w->found.woken) return s;
  if (!by_distances(w)) s = sk_attempt_assemble(w);
  lap(&last, &info->seconds_assemble);
  return s.code == SKEIN_OK ? solve_and_move(w, SK_FIRST, info) : s;
}

skein_status sk_attempt_run(sk_attempt *w, skein_step_info *info)
{
  skein_status s = w->plan.again ? soften(w, info) : solve_all(w, info);
  return s.code == SKEIN_OK && !w->found.woken && !by_distances(w) ? correct(w, info) : s;
}
