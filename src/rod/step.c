/* One implicit step of a rod, and of many rods side by side: the scheme in the head of rod.h. */
#include "rod/rod.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

skein_rod_step_def skein_default_rod_step_def(void)
{
  return (skein_rod_step_def){.dt = 1e-3, .theta = 1};
}

/* Mean velocities that bring a held end from its pose in x to `next` in dt, and their change since the last step. An
 * end that is there already does not turn, to the last bit. */
static sk_motion motion_make(skein_rod_end end, const double *pose, const double *last, const skein_pose *next,
                             double dt)
{
  sk_motion m = {0};
  if (end == SKEIN_FREE) return m;
  sk_mat3 R0 = sk_load33(pose + 3), R1 = {{sk_load3(next->d[0]), sk_load3(next->d[1]), sk_load3(next->d[2])}};
  m.v = sk_mul(1 / dt, sk_sub(sk_load3(next->r), sk_load3(pose)));
  m.a = sk_mul(1 / dt, sk_sub(m.v, sk_load3(last)));
  if (end == SKEIN_PINNED) return m;
  if (memcmp(&R1, &R0, sizeof R1) != 0) m.w = sk_mul(1 / dt, sk_rotation_log(sk_mat_mul(R1, sk_transpose3(R0))));
  m.dw = sk_mul(1 / dt, sk_sub(m.w, sk_load3(last + 3)));
  return m;
}

/* b = M v + dt F + (1-theta)^2 dt^2 K v - (1-theta) dt (nu K + eta M) v + ((1-2 theta) dt^2 - nu dt) K_fb v_b */
static void right_side(const sk_rod_step *step, const sk_rod_system *sys, double *b)
{
  const sk_rod *rod = step->rod;
  double dt = step->dt, theta = step->theta;
  double nu = rod->def.damping, eta = rod->def.drag / rod->section.rho_S, o = 1 - theta;
  double kb = (1 - 2 * theta) * dt * dt - nu * dt;
  for (int i = 0; i < rod->n; i++) b[i] = dt * sys->F[i] + kb * sys->Kb[i];
  sk_band_mul_add(rod->n, rod->kd, sys->M, 1 - o * dt * eta, step->v, b);
  if (o > 0) sk_band_mul_add(rod->n, rod->kd, sys->K, o * o * dt * dt - o * dt * nu, step->v, b);
}

/* A = (1 + theta dt eta) M + (theta dt nu + theta^2 dt^2) K */
static void left_side(const sk_rod_step *step, const sk_rod_system *sys, double *A)
{
  const sk_rod *rod = step->rod;
  double dt = step->dt, theta = step->theta;
  double m = 1 + theta * dt * rod->def.drag / rod->section.rho_S, k = theta * dt * (rod->def.damping + theta * dt);
  size_t size = sk_band_size(rod->n, rod->kd);
  for (size_t i = 0; i < size; i++) A[i] = m * sys->M[i] + k * sys->K[i];
}

static skein_status check_step(const sk_rod *rod, double dt)
{
  double L = rod->def.length, EI = SK_MIN(rod->section.EI1, rod->section.EI2);
  double T = L * L * sqrt(rod->section.rho_S / EI);
  if (dt > 1000 * T)
    return sk_fail(SKEIN_BAD_INPUT,
                   "dt is %g s, expected at most 1000 times the rod's own L^2 sqrt(rho S / EI) = %.3g s", dt, T);
  if (rod->ops->limit && dt > rod->ops->limit(rod))
    return sk_fail(SKEIN_BAD_INPUT, "dt is %g s, expected at most %.3g s, the stability limit of %s here", dt,
                   rod->ops->limit(rod), rod->ops->name);
  return sk_ok();
}

static sk_rod_input input_of(const sk_rod_step *step, bool matrices)
{
  sk_rod_input in = sk_rod_input_make(step->drive, step->env, true, matrices);
  in.dt = step->theta < 1 ? 0 : step->dt;
  return in;
}

skein_status sk_rod_assemble(const sk_rod_step *step, double *A, double *b, sk_rod_system *sys)
{
  const sk_rod *rod = step->rod;
  double dt = step->dt, theta = step->theta;
  skein_status s = check_step(rod, dt);
  if (s.code != SKEIN_OK) return s;
  const double *x = step->x;
  step->drive->root = motion_make(rod->def.root, x + SK_ROOT, x + SK_ROOT_V, &step->drive->root_next, dt);
  step->drive->tip = motion_make(rod->def.tip, x + SK_TIP, x + SK_TIP_V, &step->drive->tip_next, dt);
  sk_rod_input in = input_of(step, true);
  if (theta < 1) {
    memcpy(sys->xe, x, sizeof(double) * (size_t)rod->nx);
    rod->ops->move(rod, sys->xe, step->v, &in, (1 - theta) * dt);
    x = sys->xe;
  }
  sk_rod_eval(rod, x, step->v, &in, sys);
  left_side(step, sys, A);
  right_side(step, sys, b);
  if (theta < 1) { /* forces that depend on velocity, at the velocity of the evaluation */
    double *v = sys->spare + 6 * rod->n;
    s = sk_rod_solve(rod, dt, A, b, v, sys);
    if (s.code != SKEIN_OK) return s;
    for (int i = 0; i < rod->n; i++) v[i] = theta * step->v[i] + (1 - theta) * v[i];
    in.matrices = false;
    sk_rod_eval(rod, x, v, &in, sys);
    right_side(step, sys, b);
  }
  return s;
}

skein_status sk_rod_solve(const sk_rod *rod, double dt, const double *A, const double *b, double *v, sk_rod_system *sys)
{
  memcpy(sys->L, A, sizeof(double) * sk_band_size(rod->n, rod->kd));
  memcpy(v, b, sizeof(double) * (size_t)rod->n);
  if (!sk_band_factor(rod->n, rod->kd, sys->L))
    return sk_fail(SKEIN_BAD_INPUT, "dt is %g s: the matrix of the step is not positive definite", dt);
  sk_band_solve(rod->n, rod->kd, sys->L, v);
  return sk_ok();
}

static bool all_finite(const double *x, int n)
{
  double sum = 0; /* NaN or infinite as soon as one is */
  for (int i = 0; i < n; i++) sum += 0 * x[i];
  return sum == 0;
}

/* Where the step ends, in sys->xe and v. */
static skein_status try_move(const sk_rod_step *step, const sk_rod_input *in, double *v, sk_rod_system *sys)
{
  const sk_rod *rod = step->rod;
  double *mean = sys->spare, dt = step->dt, theta = step->theta;
  if (!all_finite(v, rod->n)) return sk_fail(SKEIN_BAD_INPUT, "dt is %g s: the velocities are not finite", dt);
  for (int i = 0; i < rod->n; i++) mean[i] = theta * v[i] + (1 - theta) * step->v[i];
  memcpy(sys->xe, step->x, sizeof(double) * (size_t)rod->nx);
  rod->ops->move(rod, sys->xe, mean, in, dt);
  if (rod->ops->project && !rod->ops->project(rod, step->x, sys->xe, v, in, dt, sys))
    return sk_fail(SKEIN_BAD_INPUT, "dt is %g s: the projection to constant length failed", dt);
  if (!all_finite(sys->xe, rod->nx) || !all_finite(v, rod->n))
    return sk_fail(SKEIN_BAD_INPUT, "dt is %g s: the positions are not finite", dt);
  return sk_ok();
}

static void store_motion(double *x, const sk_motion *m)
{
  sk_store3(x, m->v), sk_store3(x + 3, m->w);
}

skein_status sk_rod_advance(const sk_rod_step *step, const double *with, double *x_next, double *v_next,
                            sk_rod_system *sys)
{
  const sk_rod *rod = step->rod;
  sk_rod_input in = input_of(step, false);
  double *next = sys->spare + 7 * rod->n;
  memcpy(next, with, sizeof(double) * (size_t)rod->n);
  skein_status s = try_move(step, &in, next, sys);
  if (s.code != SKEIN_OK) return s;
  store_motion(sys->xe + SK_ROOT_V, &in.root), store_motion(sys->xe + SK_TIP_V, &in.tip);
  sys->xe[SK_LAST_DT] = step->dt;
  memcpy(x_next, sys->xe, sizeof(double) * (size_t)rod->nx);
  memcpy(v_next, next, sizeof(double) * (size_t)rod->n);
  return s;
}

static skein_status step_one(skein_rod *rod, const skein_env *env, double dt, double theta, sk_rod_system *sys)
{
  const sk_rod *fixed = rod->fixed;
  sk_rod_step step = {fixed, rod->x, rod->v, &rod->drive, env, dt, theta};
  skein_status s = sk_rod_assemble(&step, rod->A, rod->b, sys);
  double *v = sys->spare + 6 * fixed->n;
  if (s.code == SKEIN_OK) s = sk_rod_solve(fixed, dt, rod->A, rod->b, v, sys);
  if (s.code == SKEIN_OK) s = sk_rod_advance(&step, v, rod->x, rod->v, sys);
  if (s.code != SKEIN_OK) sk_rod_stay(rod->x, &rod->drive);
  return s;
}

static skein_status check_def(const skein_rod_step_def *d, int count)
{
  if (!(d->dt > 0) || !isfinite(d->dt))
    return sk_fail(SKEIN_BAD_INPUT, "dt is %g, expected a positive number of seconds", d->dt);
  if (!(d->theta >= 0.5 && d->theta <= 1)) return sk_fail(SKEIN_BAD_INPUT, "theta is %g, expected 0.5 to 1", d->theta);
  if (d->threads < 0) return sk_fail(SKEIN_BAD_INPUT, "threads is %d, expected >= 0", d->threads);
  if (count < 0) return sk_fail(SKEIN_BAD_INPUT, "count of rods is %d, expected >= 0", count);
  return sk_ok();
}

static skein_status create_systems(skein_rod *const *rods, int count, int threads, sk_arena *arena, sk_rod_system **out)
{
  skein_status s = sk_ok();
  sk_rod_system *sys = SK_NEW(arena, threads, sk_rod_system);
  const sk_rod **fixed = SK_NEW(arena, count, const sk_rod *);
  if (!sys || !fixed) return sk_no_memory();
  for (int i = 0; i < count; i++) fixed[i] = rods[i]->fixed;
  for (int t = 0; t < threads && s.code == SKEIN_OK; t++) s = sk_rod_system_create(fixed, count, arena, sys + t);
  *out = sys;
  return s;
}

skein_status skein_rods_step(skein_rod *const *rods, int count, const skein_env *env, const skein_rod_step_def *def)
{
  skein_status status = check_def(def, count);
  if (status.code == SKEIN_OK) status = sk_env_check(env);
  if (status.code != SKEIN_OK) return status;
  int threads = SK_MIN(def->threads > 0 ? def->threads : omp_get_max_threads(), SK_MAX(1, count)), failed = count;
  sk_arena arena = {0};
  sk_rod_system *systems = NULL;
  status = create_systems(rods, count, threads, &arena, &systems);
  if (status.code == SKEIN_OK) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < count; i++) {
      skein_status s = step_one(rods[i], env, def->dt, def->theta, systems + omp_get_thread_num());
      if (s.code == SKEIN_OK) continue;
#pragma omp critical
      if (i < failed) failed = i, status = s;
    }
  }
  sk_arena_free(&arena);
  if (failed == count || count == 1) return status;
  char prefix[32];
  snprintf(prefix, sizeof prefix, "rod %d", failed);
  return sk_status_prefix(status, prefix);
}
