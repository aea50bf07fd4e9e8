/* Statics of one rod: damped Newton on the energy along a load path, and eigenmodes.
 *
 * The Hessian is that of the whole energy, geometric part included (it decides about stability): differences of the
 * exact force, H_ij = -(45 (F_1 - F_-1) - 9 (F_2 - F_-2) + (F_3 - F_-3)) / (60 h), sixth order, so that even the
 * stretching of a thin rod, 1e7 times stiffer than its bending, leaves the bending part right to 1e-4. Columns further
 * apart than the band are differenced together (Curtis, Powell and Reid 1974). */
#include "rod/rod.h"
#include "sparse/sparse.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

skein_relax_def skein_default_relax_def(void)
{
  return (skein_relax_def){.tol = 1e-9, .max_iterations = 100, .load_steps = 10};
}

/* What one relaxation works with. */
typedef struct bench {
  const sk_rod *rod;
  sk_rod_input in;
  sk_rod_system sys;
  double *x, *trial, *best; /* nx */
  double *F, *p, *step;     /* n */
  double *H, *L;            /* bands */
  double *zero;             /* n velocities at rest */
  bool torques;             /* some load is not the gradient of anything: H is not symmetric, */
  double *G;                /* and stands here too, unsymmetric, as LAPACK's dgbsv wants it */
  lapack_int *pivot;
} bench;

static skein_status bench_create(const sk_rod *rod, const sk_rod_input *in, sk_arena *arena, bench *b)
{
  size_t n = (size_t)rod->n, nx = (size_t)rod->nx, band = sk_band_size(rod->n, rod->kd);
  b->rod = rod, b->in = *in;
  b->x = SK_NEW(arena, nx, double), b->trial = SK_NEW(arena, nx, double), b->best = SK_NEW(arena, nx, double);
  b->F = SK_NEW(arena, n, double), b->p = SK_NEW(arena, n, double), b->step = SK_NEW(arena, n, double);
  b->H = SK_NEW(arena, band, double), b->L = SK_NEW(arena, band, double), b->zero = SK_NEW(arena, n, double);
  for (int i = 0; i < in->load_count; i++)
    for (int k = 0; k < 3; k++) b->torques |= in->loads[i].torque[k] != 0;
  if (b->torques) {
    b->G = SK_NEW(arena, n * (3 * (size_t)rod->kd + 1), double);
    b->pivot = SK_NEW(arena, n, lapack_int);
  }
  skein_status s = sk_rod_system_create(&rod, 1, arena, &b->sys);
  return arena->failed ? sk_no_memory() : s;
}

/* Energy of the rod, its weight, loads and holds. */
static double energy_at(const bench *b, const double *x)
{
  skein_rod_energy e = b->rod->ops->energy(b->rod, x, b->zero, &b->in);
  return e.elastic + e.gravity + sk_rod_held_energy(b->rod, x, &b->in);
}

static void force_at(bench *b, const double *x, double *F)
{
  b->in.matrices = false;
  sk_rod_eval(b->rod, x, b->zero, &b->in, &b->sys);
  memcpy(F, b->sys.F, sizeof(double) * (size_t)b->rod->n);
}

/* trial = x moved along dq; held ends stay. */
static void displaced(const bench *b, const double *x, const double *dq)
{
  const sk_rod_input still = {0};
  memcpy(b->trial, x, sizeof(double) * (size_t)b->rod->nx);
  b->rod->ops->move(b->rod, b->trial, dq, &still, 1);
}

/* H -= weight F_i / h_j for the columns of one group; each entry is met from both triangles, so half of it each time.
 */
static void add_columns(const bench *b, int group, int stride, double h, double weight)
{
  int n = b->rod->n, kd = b->rod->kd;
  for (int j = group; j < n; j += stride) {
    double factor = weight / (h * b->rod->ops->scale(b->rod, j));
    for (int i = SK_MAX(0, j - kd); i <= SK_MIN(n - 1, j + kd); i++) {
      b->H[sk_band_at(kd, i, j)] -= (i == j ? 1 : 0.5) * factor * b->sys.F[i];
      if (b->torques) b->G[(size_t)j * (3 * (size_t)kd + 1) + (size_t)(2 * kd + i - j)] -= factor * b->sys.F[i];
    }
  }
}

static void hessian(bench *b)
{
  static const double weights[7] = {-1.0 / 60, 9.0 / 60, -45.0 / 60, 0, 45.0 / 60, -9.0 / 60, 1.0 / 60};
  const double h = 2e-3;
  int n = b->rod->n, kd = b->rod->kd, stride = SK_MIN(n, 2 * kd + 1);
  memset(b->H, 0, sizeof(double) * sk_band_size(n, kd));
  if (b->torques) memset(b->G, 0, sizeof(double) * (size_t)n * (3 * (size_t)kd + 1));
  b->in.matrices = false;
  for (int group = 0; group < stride; group++)
    for (int k = -3; k <= 3; k++) {
      if (k == 0) continue;
      memset(b->step, 0, sizeof(double) * (size_t)n);
      for (int j = group; j < n; j += stride) b->step[j] = k * h * b->rod->ops->scale(b->rod, j);
      displaced(b, b->x, b->step);
      sk_rod_eval(b->rod, b->trial, b->zero, &b->in, &b->sys);
      add_columns(b, group, stride, h, weights[k + 3]);
    }
}

/* The unit of energy, EI / L. */
static double energy_unit(const sk_rod *rod)
{
  return SK_MIN(rod->section.EI1, rod->section.EI2) / rod->def.length;
}

/* p = (H + sigma S)^-1 F with the smallest sigma that makes it positive definite; S_ii = (EI/L) / scale_i^2. */
static bool direction(bench *b, bool *stable)
{
  int n = b->rod->n, kd = b->rod->kd;
  double unit = energy_unit(b->rod);
  *stable = true;
  for (double sigma = 0; sigma < 1e12; sigma = sigma == 0 ? 1e-6 : 4 * sigma) {
    memcpy(b->L, b->H, sizeof(double) * sk_band_size(n, kd));
    for (int i = 0; i < n; i++) {
      double scale = b->rod->ops->scale(b->rod, i);
      b->L[sk_band_at(kd, i, i)] += sigma * unit / (scale * scale);
    }
    if (sk_band_factor(n, kd, b->L)) {
      memcpy(b->p, b->F, sizeof(double) * (size_t)n);
      sk_band_solve(n, kd, b->L, b->p);
      return true;
    }
    *stable = false;
  }
  return false;
}

/* p = H^-1 F with the unsymmetric H: torques have no energy, the zero of F is looked for. */
static bool unsymmetric_direction(bench *b, bool *stable)
{
  int n = b->rod->n, kd = b->rod->kd;
  memcpy(b->L, b->H, sizeof(double) * sk_band_size(n, kd));
  *stable = sk_band_factor(n, kd, b->L);
  memcpy(b->p, b->F, sizeof(double) * (size_t)n);
  return LAPACKE_dgbsv(LAPACK_COL_MAJOR, n, kd, kd, 1, b->G, 3 * kd + 1, b->pivot, b->p, n) == 0;
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* The share of the step that turns or moves no dof by more than its own scale. */
static double trust(const bench *b)
{
  double largest = 0;
  for (int i = 0; i < b->rod->n; i++) largest = fmax(largest, fabs(b->p[i]) / b->rod->ops->scale(b->rod, i));
  return largest > 1 ? 1 / largest : 1;
}

/* trial = x moved by the share t of the step. */
static void take(bench *b, double t)
{
  for (int i = 0; i < b->rod->n; i++) b->step[i] = t * b->p[i];
  displaced(b, b->x, b->step);
}

/* Steps along p until the energy falls enough (Armijo); the new state is in trial, false: none was found. */
static bool search(bench *b, double gain)
{
  double t = trust(b), E = energy_at(b, b->x), noise = 1e-13 * (fabs(E) + energy_unit(b->rod));
  for (int k = 0; k < 40; k++, t *= 0.5) {
    take(b, t);
    if (energy_at(b, b->trial) <= E - 1e-4 * t * gain + noise) return true;
  }
  return false;
}

/* Where the energy was lowest, and how many steps ago. Edges that hardly stretch make a narrow curved valley, in which
 * a search that never climbs creeps; so a few whole steps are taken without looking (each repairs the stretching that
 * the one before made), and only if these do not lead below the best state, the search starts from there (the watchdog
 * of Chamberlain, Powell, Lemarechal and Pedersen 1982). */
enum { WATCH = 5 };
typedef struct watchdog {
  double energy;
  int since;
  bool searching;
} watchdog;

static void watch(bench *b, watchdog *dog)
{
  double E = energy_at(b, b->x);
  if (E < dog->energy || dog->searching) {
    *dog = (watchdog){.energy = E};
    memcpy(b->best, b->x, sizeof(double) * (size_t)b->rod->nx);
  } else if (++dog->since > WATCH) {
    dog->searching = true;
    memcpy(b->x, b->best, sizeof(double) * (size_t)b->rod->nx);
  }
}

/* Newton from b->x at the present loads; true: the decrement is within tol. With torques there is no energy to watch.
 */
static bool newton(bench *b, const skein_relax_def *def, skein_relax_info *info)
{
  double unit = sqrt(energy_unit(b->rod));
  watchdog dog = {.energy = HUGE_VAL};
  for (int k = 0; k < def->max_iterations; k++) {
    if (!b->torques) watch(b, &dog);
    force_at(b, b->x, b->F);
    hessian(b);
    info->iterations++;
    if (!(b->torques ? unsymmetric_direction : direction)(b, &info->stable)) return false;
    double gain = dot(b->F, b->p, b->rod->n);
    info->decrement = sqrt(b->torques ? fabs(gain) : fmax(gain, 0)) / unit;
    if (!isfinite(info->decrement)) return false;
    bool done = info->decrement <= def->tol;
    if (done || !dog.searching) take(b, trust(b));
    else if (!search(b, gain)) return false;
    memcpy(b->x, b->trial, sizeof(double) * (size_t)b->rod->nx);
    if (done) return true;
  }
  return false;
}

/* The motion of the held ends from where they are in x to where they are driven, in one unit of time. */
static sk_motion whole_motion(const double *pose, const skein_pose *next, skein_rod_end end)
{
  sk_motion m = {0};
  if (end == SKEIN_FREE) return m;
  sk_mat3 R1 = {{sk_load3(next->d[0]), sk_load3(next->d[1]), sk_load3(next->d[2])}};
  m.v = sk_sub(sk_load3(next->r), sk_load3(pose));
  m.w = sk_rotation_log(sk_mat_mul(R1, sk_transpose3(sk_load33(pose + 3))));
  return m;
}

/* Gravity, loads and ends at the share `to` of their way, from `from`. */
static void load_step(bench *b, const skein_env *env, const sk_motion *root, const sk_motion *tip, double from,
                      double to)
{
  sk_rod_input ends = {.root = *root, .tip = *tip};
  b->in.g = sk_mul(to, sk_load3(env->gravity)), b->in.load = to;
  b->rod->ops->move(b->rod, b->x, b->zero, &ends, to - from);
}

static void follow_path(bench *b, const sk_rod_drive *drive, const skein_env *env, const skein_relax_def *def,
                        skein_relax_info *info, double *saved)
{
  const sk_rod *rod = b->rod;
  sk_motion root = whole_motion(b->x + SK_ROOT, &drive->root_next, rod->def.root);
  sk_motion tip = whole_motion(b->x + SK_TIP, &drive->tip_next, rod->def.tip);
  double at = 0, h = 1.0 / SK_MAX(1, def->load_steps);
  while (at < 1) {
    double to = at + h > 1 - 1e-9 ? 1 : at + h;
    memcpy(saved, b->x, sizeof(double) * (size_t)rod->nx);
    load_step(b, env, &root, &tip, at, to);
    info->load_steps++;
    if (newton(b, def, info)) at = to;
    else {
      memcpy(b->x, saved, sizeof(double) * (size_t)rod->nx);
      h *= 0.5;
      if (h < 1e-4) break;
    }
  }
  info->converged = at >= 1;
}

skein_status skein_rod_relax(skein_rod *rod, const skein_env *env, const skein_relax_def *def, skein_relax_info *info)
{
  if (!(def->tol > 0)) return sk_fail(SKEIN_BAD_INPUT, "tol is %g, expected a positive number", def->tol);
  if (def->max_iterations < 1)
    return sk_fail(SKEIN_BAD_INPUT, "max_iterations is %d, expected >= 1", def->max_iterations);
  if (def->load_steps < 1) return sk_fail(SKEIN_BAD_INPUT, "load_steps is %d, expected >= 1", def->load_steps);
  skein_status s = sk_env_check(env);
  if (s.code != SKEIN_OK) return s;
  sk_arena arena = {0};
  bench b = {0};
  const sk_rod *fixed = rod->fixed;
  sk_rod_input in = sk_rod_input_make(&rod->drive, NULL, false, false);
  s = bench_create(fixed, &in, &arena, &b);
  double *saved = SK_NEW(&arena, fixed->nx, double);
  if (arena.failed) s = sk_no_memory();
  if (s.code == SKEIN_OK) {
    *info = (skein_relax_info){0};
    memcpy(b.x, rod->x, sizeof(double) * (size_t)fixed->nx);
    follow_path(&b, &rod->drive, env, def, info, saved);
    memcpy(rod->x, b.x, sizeof(double) * (size_t)fixed->nx);
    memset(rod->x + SK_ROOT_V, 0, sizeof(double) * 6), memset(rod->x + SK_TIP_V, 0, sizeof(double) * 6);
    memset(rod->v, 0, sizeof(double) * (size_t)fixed->n);
    rod->drive.root = rod->drive.tip = (sk_motion){0};
  }
  sk_arena_free(&arena);
  return s;
}

/* ---- Modes ---- */

static void unpack(int n, int kd, const double *band, double *dense)
{
  memset(dense, 0, sizeof(double) * (size_t)n * (size_t)n);
  for (int j = 0; j < n; j++)
    for (int i = j; i < n && i <= j + kd; i++) dense[(size_t)j * (size_t)n + (size_t)i] = band[sk_band_at(kd, i, j)];
}

static skein_status eigen(bench *b, int count, double *omega2, double *shapes, sk_arena *arena)
{
  int n = b->rod->n, kd = b->rod->kd, found = 0;
  size_t nn = (size_t)n * (size_t)n;
  double *H = SK_NEW(arena, nn, double), *M = SK_NEW(arena, nn, double), *w = SK_NEW(arena, n, double);
  double *Z = SK_NEW(arena, (size_t)n * (size_t)count, double);
  lapack_int *fail = SK_NEW(arena, n, lapack_int);
  if (arena->failed) return sk_no_memory();
  hessian(b);
  b->in.matrices = true;
  sk_rod_eval(b->rod, b->x, b->zero, &b->in, &b->sys);
  unpack(n, kd, b->H, H), unpack(n, kd, b->sys.M, M);
  sk_blas_hold(1);
  lapack_int error =
      LAPACKE_dsygvx(LAPACK_COL_MAJOR, 1, 'V', 'I', 'L', n, H, n, M, n, 0, 0, 1, count, 0, &found, w, Z, n, fail);
  sk_blas_hold(-1);
  if (error != 0 || found < count)
    return sk_fail(SKEIN_BAD_INPUT, "the state has no modes: LAPACK's dsygvx says %d", (int)error);
  memcpy(omega2, w, sizeof(double) * (size_t)count);
  if (shapes) memcpy(shapes, Z, sizeof(double) * (size_t)n * (size_t)count);
  return sk_ok();
}

skein_status skein_rod_modes(const skein_rod *rod, const skein_env *env, int count, double *omega2, double *shapes)
{
  if (count < 1 || count > rod->fixed->n)
    return sk_fail(SKEIN_BAD_INPUT, "count of modes is %d, expected 1 to the rod's %d dofs", count, rod->fixed->n);
  skein_status s = sk_env_check(env);
  if (s.code != SKEIN_OK) return s;
  sk_arena arena = {0};
  bench b = {0};
  sk_rod_input in = sk_rod_input_make(&rod->drive, env, false, false);
  in.wind = sk_vec(0, 0, 0);
  s = bench_create(rod->fixed, &in, &arena, &b);
  if (s.code == SKEIN_OK) {
    memcpy(b.x, rod->x, sizeof(double) * (size_t)rod->fixed->nx);
    s = eigen(&b, count, omega2, shapes, &arena);
  }
  sk_arena_free(&arena);
  return s;
}
