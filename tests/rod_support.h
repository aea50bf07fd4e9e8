/* What the tests of rods share: a rod with its scratch, random disturbances and motions, differences of sixth order
 * along `move`, rigid motions, K against differences of forces. */
#ifndef SK_ROD_SUPPORT_H
#define SK_ROD_SUPPORT_H

#include "rod/chain.h"
#include "support.h"

typedef struct trial {
  skein_rod *rod;
  sk_rod_system sys;
  sk_arena arena;
  sk_random g;
  double size; /* of the disturbance that a check is to make */
} trial;

/* Natural cells (1/m) of a rod of length one, within what one joint of points can turn. */
static const double curled[] = {1.5, -0.4, 0.8, -0.7, 1.1, -0.5, 0.3, 0.9, 1.4};
enum { CURLED = 3 };

/* An elliptic rod with sizes near one, so that no strain hides behind another, in a pose like no other. */
static inline skein_rod_def trial_def(skein_rod_model model, int elements, skein_rod_end root, skein_rod_end tip)
{
  skein_rod_def def = skein_default_rod_def();
  sk_mat3 R = sk_rotation(sk_vec(0.7, -1.1, 0.4));
  def.model = model, def.elements = elements, def.twist_locked = 0, def.length = 1;
  def.radius1 = 0.09, def.radius2 = 0.06, def.E = 1000, def.G = 420, def.density = 30, def.damping = 0;
  def.root = root, def.tip = tip, def.tip_factor = 10;
  def.pose.r[0] = 0.3, def.pose.r[1] = -0.2, def.pose.r[2] = 0.1;
  for (int k = 0; k < 3; k++) sk_store3(def.pose.d[k], R.c[k]);
  return def;
}

static inline trial trial_make(const skein_rod_def *def, uint64_t seed)
{
  trial t = {.g = sk_random_make(seed)};
  expect_ok(skein_rod_create(def, &t.rod));
  expect_ok(sk_rod_system_create(&t.rod->fixed, 1, &t.arena, &t.sys));
  return t;
}

static inline void trial_destroy(trial *t)
{
  skein_rod_destroy(t->rod);
  sk_arena_free(&t->arena);
}

/* a <= b, or a message that says of which rod. */
static inline void expect_of_rod(const trial *t, double a, double b, const char *what)
{
  static const char *const ends[] = {"free", "pinned", "clamped"};
  const skein_rod_def *def = &t->rod->fixed->def;
  char text[200];
  snprintf(text, sizeof text, "%s, elements %d, %s, %s-%s, radii %g %g: %s", t->rod->fixed->ops->name, def->elements,
           t->rod->fixed->natural ? "curled" : "straight", ends[def->root], ends[def->tip], def->radius1, def->radius2,
           what);
  expect_at_most(a, b, text);
}

static inline double *numbers(int count)
{
  double *a = sk_calloc((size_t)count, sizeof *a);
  assert_non_null(a);
  return a;
}

static inline double *copy_of(const double *a, size_t count)
{
  double *copy = numbers((int)count);
  memcpy(copy, a, sizeof(double) * count);
  return copy;
}

static inline double dot(const double *a, const double *b, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

/* ---- Random states and motions ---- */

static inline sk_vec3 draw(trial *t)
{
  double x = sk_random_normal(&t->g), y = sk_random_normal(&t->g), z = sk_random_normal(&t->g);
  return sk_vec(x, y, z);
}

/* Velocities of about `size` times the scale of each dof per unit of time; owned by the caller. */
static inline double *draw_velocities(trial *t, double size)
{
  double *v = numbers(t->rod->fixed->n);
  for (int i = 0; i < t->rod->fixed->n; i++)
    v[i] = size * t->rod->fixed->ops->scale(t->rod->fixed, i) * sk_random_normal(&t->g);
  return v;
}

/* Ends that move, each on its own. */
static inline sk_rod_input draw_motion(trial *t)
{
  sk_rod_input in = {.load = 1, .matrices = true};
  in.root.v = draw(t), in.root.w = draw(t), in.tip.v = draw(t), in.tip.w = draw(t);
  return in;
}

/* Every dof displaced by about `size` of its scale, held ends where they are. */
static inline void disturb_dofs(trial *t, double size)
{
  double *dq = draw_velocities(t, size);
  expect_ok(skein_rod_displace(t->rod, dq));
  free(dq);
}

/* Held ends too. */
static inline void disturb(trial *t, double size)
{
  sk_rod_input in = draw_motion(t);
  double *dq = draw_velocities(t, size), l = size * t->rod->fixed->l;
  in.root.v = sk_mul(l, in.root.v), in.root.w = sk_mul(size, in.root.w);
  in.tip.v = sk_mul(l, in.tip.v), in.tip.w = sk_mul(size, in.tip.w);
  t->rod->fixed->ops->move(t->rod->fixed, t->rod->x, dq, &in, 1);
  free(dq);
}

/* ---- Differences ---- */

/* A function of the state with several values. */
typedef void (*state_function)(trial *t, const double *x, const void *with, double *value);

/* df/dt when the rod moves with velocities v and its ends with `in`: (45 (f1 - f-1) - 9 (f2 - f-2) + f3 - f-3) / 60 h.
 */
static inline void rate_of(trial *t, state_function f, const void *with, int count, const double *v,
                           const sk_rod_input *in, double h, double *out)
{
  static const double weights[7] = {-1. / 60, 9. / 60, -45. / 60, 0, 45. / 60, -9. / 60, 1. / 60};
  double *x = numbers(t->rod->fixed->nx), *value = numbers(count);
  for (int k = 0; k < count; k++) out[k] = 0;
  for (int a = 0; a < 7; a++) {
    if (a == 3) continue;
    memcpy(x, t->rod->x, sizeof(double) * (size_t)t->rod->fixed->nx);
    t->rod->fixed->ops->move(t->rod->fixed, x, v, in, (a - 3) * h);
    f(t, x, with, value);
    for (int k = 0; k < count; k++) out[k] += weights[a] / h * value[k];
  }
  free(x), free(value);
}

/* df/dq_i, held ends still. */
static inline void derivative_of(trial *t, state_function f, const void *with, int count, int i, double h, double *out)
{
  const sk_rod_input still = {.load = 1};
  double *v = numbers(t->rod->fixed->n);
  v[i] = 1;
  rate_of(t, f, with, count, v, &still, h * t->rod->fixed->ops->scale(t->rod->fixed, i), out);
  free(v);
}

/* F of statics, without gravity. */
static inline void force_of(trial *t, const double *x, const void *with, double *value)
{
  (void)with;
  const sk_rod_input in = {.load = 1};
  sk_rod_eval(t->rod->fixed, x, t->rod->v, &in, &t->sys);
  memcpy(value, t->sys.F, sizeof(double) * (size_t)t->rod->fixed->n);
}

/* K = - dF/dq and, with ends that move each on its own, Kb = - dF/dt; all in units of the scales of dofs, relative to
 * the largest entry of K. dt: of the step in which K is wanted. */
static inline void expect_hessian(trial *t, double dt, double tol)
{
  const skein_rod *rod = t->rod;
  int n = rod->fixed->n, kd = rod->fixed->kd;
  sk_rod_input in = draw_motion(t), ends = in;
  double *rest = numbers(n), *slope = numbers(n), most = 0, error = 0, error_b = 0;
  in.dt = dt;
  sk_rod_eval(rod->fixed, rod->x, rod->v, &in, &t->sys);
  double *K = copy_of(t->sys.K, sk_band_size(n, kd)), *Kb = copy_of(t->sys.Kb, (size_t)n);
  for (int j = 0; j < n; j++) {
    derivative_of(t, force_of, NULL, n, j, 2e-3, slope);
    for (int i = 0; i < n; i++) {
      double unit = rod->fixed->ops->scale(rod->fixed, i) * rod->fixed->ops->scale(rod->fixed, j);
      double entry = abs(i - j) <= kd ? K[sk_band_at(kd, i, j)] : 0;
      error = fmax(error, fabs(entry + slope[i]) * unit), most = fmax(most, fabs(entry) * unit);
    }
  }
  rate_of(t, force_of, NULL, n, rest, &ends, 1e-3 * rod->fixed->l, slope);
  for (int i = 0; i < n; i++)
    error_b = fmax(error_b, fabs(Kb[i] + slope[i]) * rod->fixed->ops->scale(rod->fixed, i) * rod->fixed->l);
  expect_of_rod(t, error, tol * most, "K against differences of forces");
  expect_of_rod(t, error_b, tol * most, "Kb against differences of forces");
  free(rest), free(slope), free(K), free(Kb);
}

/* ---- Rigid motions ---- */

/* Velocities v + w x r of all nodes, spin w of all segments; of a super-helix, those of its root. */
static inline void rigid_velocities(const skein_rod *rod, sk_vec3 v, sk_vec3 w, double *out)
{
  memset(out, 0, sizeof(double) * (size_t)rod->fixed->n);
  if (rod->fixed->def.model == SKEIN_SUPER_HELIX) {
    sk_vec3 at = sk_add(v, sk_cross(w, sk_load3(rod->x + SK_ROOT)));
    if (rod->fixed->def.root == SKEIN_FREE) sk_store3(out + rod->fixed->n - 6, at);
    if (rod->fixed->def.root != SKEIN_CLAMPED) sk_store3(out + rod->fixed->n - 3, w);
    return;
  }
  int N = rod->fixed->def.elements, width = rod->fixed->width;
  for (int i = 0; i <= N; i++) {
    int k = sk_chain_node_dof(rod->fixed, i);
    if (k >= 0) sk_store3(out + k, sk_add(v, sk_cross(w, sk_chain_node(rod->x, i))));
  }
  for (int j = 0; width > 0 && j < N; j++) {
    sk_vec3 r;
    sk_mat3 R;
    rod->fixed->ops->pose(rod->fixed, rod->x, (j + 0.5) * rod->fixed->l, &r, &R);
    double *p = out + sk_chain_segment_dof(rod->fixed, j);
    if (width == 1) *p = sk_dot(w, R.c[2]);
    else sk_store3(p, sk_apply_t(R, w));
  }
}

/* The same motion of the ends. */
static inline void rigid_ends(const skein_rod *rod, sk_vec3 v, sk_vec3 w, sk_rod_input *in)
{
  in->root.v = sk_add(v, sk_cross(w, sk_load3(rod->x + SK_ROOT))), in->root.w = w;
  in->tip.v = sk_add(v, sk_cross(w, sk_load3(rod->x + SK_TIP))), in->tip.w = w;
}

/* Sum (three numbers) and torque about the origin (three) of the generalised force f on a free rod: its power in unit
 * motions. weight, unless NULL: the same sums of absolute values. */
static inline void resultant(const skein_rod *rod, const double *f, double sum[6], double weight[6])
{
  const sk_vec3 none = {0, 0, 0};
  double *q = numbers(rod->fixed->n);
  for (int k = 0; k < 6; k++) {
    sk_vec3 e = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    rigid_velocities(rod, k < 3 ? e : none, k < 3 ? none : e, q);
    sum[k] = dot(q, f, rod->fixed->n);
    for (int i = 0; i < rod->fixed->n; i++) q[i] = fabs(q[i] * f[i]);
    for (int i = 1; i < rod->fixed->n; i++) q[0] += q[i];
    if (weight) weight[k] = q[0];
  }
  free(q);
}

/* Largest |K v + Kb| of a rigid motion of the rod with its ends, over the largest of K times the largest of v. */
static inline double rigid_strain(trial *t, sk_vec3 v, sk_vec3 w)
{
  const skein_rod *rod = t->rod;
  int n = rod->fixed->n;
  size_t band = sk_band_size(n, rod->fixed->kd);
  sk_rod_input in = {.load = 1, .matrices = true};
  double *q = numbers(n), ends[12];
  rigid_ends(rod, v, w, &in);
  rigid_velocities(rod, v, w, q);
  sk_rod_eval(rod->fixed, rod->x, rod->v, &in, &t->sys);
  sk_band_mul_add(n, rod->fixed->kd, t->sys.K, 1, q, t->sys.Kb);
  sk_store3(ends, in.root.v), sk_store3(ends + 3, in.root.w), sk_store3(ends + 6, in.tip.v);
  sk_store3(ends + 9, in.tip.w);
  double size = largest(t->sys.K, band) * fmax(largest(q, (size_t)n), largest(ends, 12));
  free(q);
  return size > 0 ? largest(t->sys.Kb, (size_t)n) / size : 0;
}

#endif
