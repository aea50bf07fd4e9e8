/* What the tests of rods share: a rod with its scratch, random disturbances, differences of sixth order along `move`.
 */
#ifndef SK_ROD_SUPPORT_H
#define SK_ROD_SUPPORT_H

#include "rod/rod.h"
#include "support.h"

typedef struct trial {
  skein_rod *rod;
  sk_rod_system sys;
  sk_arena arena;
  sk_random g;
} trial;

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
  expect_ok(sk_rod_system_create(&t.rod, 1, &t.arena, &t.sys));
  return t;
}

static inline void trial_destroy(trial *t)
{
  skein_rod_destroy(t->rod);
  sk_arena_free(&t->arena);
}

static inline double *numbers(int count)
{
  double *a = sk_calloc((size_t)count, sizeof *a);
  assert_non_null(a);
  return a;
}

static inline sk_vec3 draw(trial *t)
{
  double x = sk_random_normal(&t->g), y = sk_random_normal(&t->g), z = sk_random_normal(&t->g);
  return sk_vec(x, y, z);
}

/* Every dof displaced by about `size` of its scale; held ends too. */
static inline void disturb(trial *t, double size)
{
  double *dq = numbers(t->rod->n);
  sk_rod_input in = {.load = 1};
  double l = size * t->rod->l;
  in.root.v = sk_mul(l, draw(t)), in.root.w = sk_mul(size, draw(t));
  in.tip.v = sk_mul(l, draw(t)), in.tip.w = sk_mul(size, draw(t));
  for (int i = 0; i < t->rod->n; i++) dq[i] = size * t->rod->ops->scale(t->rod, i) * sk_random_normal(&t->g);
  t->rod->ops->move(t->rod, t->rod->x, dq, &in, 1);
  free(dq);
}

/* Velocities of the size of a length per unit of time; returned, and owned by the caller. */
static inline double *draw_velocities(trial *t)
{
  double *v = numbers(t->rod->n);
  for (int i = 0; i < t->rod->n; i++) v[i] = t->rod->ops->scale(t->rod, i) * sk_random_normal(&t->g);
  return v;
}

static inline sk_rod_input draw_motion(trial *t)
{
  sk_rod_input in = {.load = 1, .dynamic = true, .matrices = true};
  in.root.v = draw(t), in.root.w = draw(t), in.tip.v = draw(t), in.tip.w = draw(t);
  return in;
}

/* A function of the state with several values. */
typedef void (*state_function)(trial *t, const double *x, const void *with, double *value);

/* df/dt when the rod moves with velocities v and its ends with `in`: (45 (f1 - f-1) - 9 (f2 - f-2) + f3 - f-3) / 60 h.
 */
static inline void rate_of(trial *t, state_function f, const void *with, int count, const double *v,
                           const sk_rod_input *in, double h, double *out)
{
  static const double weights[7] = {-1. / 60, 9. / 60, -45. / 60, 0, 45. / 60, -9. / 60, 1. / 60};
  double *x = numbers(t->rod->nx), *value = numbers(count);
  for (int k = 0; k < count; k++) out[k] = 0;
  for (int a = 0; a < 7; a++) {
    if (a == 3) continue;
    memcpy(x, t->rod->x, sizeof(double) * (size_t)t->rod->nx);
    t->rod->ops->move(t->rod, x, v, in, (a - 3) * h);
    f(t, x, with, value);
    for (int k = 0; k < count; k++) out[k] += weights[a] / h * value[k];
  }
  free(x), free(value);
}

/* df/dq_i, held ends still. */
static inline void derivative_of(trial *t, state_function f, const void *with, int count, int i, double h, double *out)
{
  const sk_rod_input still = {.load = 1};
  double *v = numbers(t->rod->n);
  v[i] = 1;
  rate_of(t, f, with, count, v, &still, h * t->rod->ops->scale(t->rod, i), out);
  free(v);
}

#endif
