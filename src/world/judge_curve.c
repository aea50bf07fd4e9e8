/* Places of a rod before and after the step, from the ends of its pieces. A curve is beside its chord by
 *
 *     4 t (1 - t) m,   m = - (second differences of the ends of the chord, in the mean) / 8
 *
 * which is exact for a parabola; chains are their chords. */
#include "world/judge.h"

#include <math.h>
#include <string.h>

/* What the curve has beside the middle of chord k. */
static sk_vec3 middle(const sk_judge_rod *rod, const sk_vec3 *r, int k)
{
  sk_vec3 sum = {0, 0, 0};
  int ends = 0;
  if (sk_judge_straight(rod)) return sum;
  for (int i = k; i <= k + 1; i++) {
    if (i == 0 || i == rod->count) continue;
    sum = sk_add(sum, sk_add(sk_sub(r[i - 1], r[i]), sk_sub(r[i + 1], r[i]))), ends++;
  }
  return ends > 0 ? sk_mul(-0.125 / ends, sum) : sum;
}

sk_vec3 sk_judge_place(const sk_judge_rod *rod, bool after, int k, double t)
{
  const sk_vec3 *r = after ? rod->after.r : rod->before.r;
  return sk_axpy(sk_axpy(r[k], t, sk_sub(r[k + 1], r[k])), 4 * t * (1 - t), middle(rod, r, k));
}

int sk_judge_piece(const sk_judge_rod *rod, double s)
{
  double k = s / sk_judge_length(rod);
  return k >= rod->count ? rod->count - 1 : k > 0 ? (int)k : 0;
}

sk_vec3 sk_judge_place_at(const sk_judge_rod *rod, bool after, double s)
{
  int k = sk_judge_piece(rod, s);
  return sk_judge_place(rod, after, k, fmin(fmax(s / sk_judge_length(rod) - k, 0), 1));
}

double sk_judge_bow(const sk_judge_rod *rod, bool after, int k)
{
  return sk_norm(middle(rod, after ? rod->after.r : rod->before.r, k));
}

/* Those that the state has. */
static void state_velocities(const sk_judge_rod *rod, const double *x, const double *v, sk_vec3 *spare, sk_vec3 *out)
{
  sk_rod_input in = {.load = 1, .dynamic = true};
  in.root = (sk_motion){.v = sk_load3(x + SK_ROOT_V), .w = sk_load3(x + SK_ROOT_V + 3)};
  in.tip = (sk_motion){.v = sk_load3(x + SK_TIP_V), .w = sk_load3(x + SK_TIP_V + 3)};
  rod->rod->ops->points(rod->rod, x, v, &in, rod->count / rod->rod->def.elements, spare, out);
}

/* Before: what was seen of the state, (x - x moved back) / dt; in a state that no step has led to, and where positions
 * go by the mean of two velocities, those of the state itself. */
void sk_judge_velocities(const sk_judge_rod *rod, double theta, double *moved, sk_vec3 *spare, sk_vec3 *out)
{
  const sk_rod *r = rod->rod;
  double dt = rod->before.x[SK_LAST_DT];
  if (theta < 1) state_velocities(rod, rod->after.x, rod->after.v, spare, out + rod->count + 1);
  if (!(dt > 0) || theta < 1) {
    state_velocities(rod, rod->before.x, rod->before.v, spare, out);
    return;
  }
  sk_rod_input in = {.load = 1, .dynamic = true};
  in.root = (sk_motion){.v = sk_load3(rod->before.x + SK_ROOT_V), .w = sk_load3(rod->before.x + SK_ROOT_V + 3)};
  in.tip = (sk_motion){.v = sk_load3(rod->before.x + SK_TIP_V), .w = sk_load3(rod->before.x + SK_TIP_V + 3)};
  memcpy(moved, rod->before.x, sizeof(double) * (size_t)r->nx);
  r->ops->move(r, moved, rod->before.v, &in, -dt);
  r->ops->points(r, moved, NULL, NULL, rod->count / r->def.elements, spare, NULL);
  for (int k = 0; k <= rod->count; k++) out[k] = sk_mul(1 / dt, sk_sub(rod->before.r[k], spare[k]));
}

/* Chains have their mass at the nodes. On a curve Simpson's rule, with three eighths at the end where the pieces are
 * odd; a single piece has the trapezoidal one. */
double sk_judge_weight(const sk_judge_rod *rod, int k)
{
  int n = rod->count, last = n % 2 == 0 ? n : n - 3; /* of Simpson's rule */
  double h = sk_judge_length(rod);
  if (sk_judge_straight(rod) || n == 1) return k == 0 || k == n ? 0.5 * h : h;
  double w = 0;
  if (k <= last && last > 0) w += (k == 0 || k == last ? 1 : k % 2 ? 4 : 2) / 3.0;
  if (k >= last && last < n) w += (k == last || k == n ? 3 : 9) / 8.0;
  return w * h;
}
