/* Places of a rod before and after the step, from the ends of its pieces. A curve is beside its chord by
 *
 *     4 t (1 - t) m,   m = - (second differences of the ends of the chord, in the mean) / 8
 *
 * which is exact for a parabola; chains are their chords. */
#include "world/judge.h"

#include <math.h>

/* What the curve has beside the middle of chord k. */
static sk_vec3 middle(const sk_judge_rod *rod, const sk_vec3 *r, int k)
{
  sk_vec3 sum = {0, 0, 0};
  int ends = 0;
  if (rod->straight) return sum;
  for (int i = k; i <= k + 1; i++) {
    if (i == 0 || i == rod->count) continue;
    sum = sk_add(sum, sk_add(sk_sub(r[i - 1], r[i]), sk_sub(r[i + 1], r[i]))), ends++;
  }
  return ends > 0 ? sk_mul(-0.125 / ends, sum) : sum;
}

sk_vec3 sk_judge_place(const sk_judge_rod *rod, bool after, int k, double t)
{
  const sk_vec3 *r = after ? rod->r1 : rod->r0;
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
  return sk_norm(middle(rod, after ? rod->r1 : rod->r0, k));
}

/* In the state a held end has the motion of the step that led there. All of a curve that is held by its root goes with
 * that, of a chain the held nodes alone. */
sk_vec3 sk_judge_velocity_before(const sk_judge_rod *rod, int k)
{
  bool tip = rod->straight && k == rod->count && rod->rod->def.tip != SKEIN_FREE;
  bool root = rod->rod->def.root != SKEIN_FREE && (!rod->straight || k == 0);
  int from = tip ? SK_TIP_V : SK_ROOT_V, pose = tip ? SK_TIP : SK_ROOT;
  if (!tip && !root) return rod->velocity[k];
  sk_vec3 v = sk_sub(sk_load3(rod->x0 + from), sk_load3(rod->x1 + from));
  sk_vec3 w = sk_sub(sk_load3(rod->x0 + from + 3), sk_load3(rod->x1 + from + 3));
  if (rod->rod->def.root == SKEIN_PINNED) w = sk_vec(0, 0, 0); /* its spin is its own */
  return sk_add(rod->velocity[k], sk_add(v, sk_cross(w, sk_sub(rod->r0[k], sk_load3(rod->x0 + pose)))));
}

/* Chains have their mass at the nodes. On a curve Simpson's rule, with three eighths at the end where the pieces are
 * odd; a single piece has the trapezoidal one. */
double sk_judge_weight(const sk_judge_rod *rod, int k)
{
  int n = rod->count, last = n % 2 == 0 ? n : n - 3; /* of Simpson's rule */
  double h = sk_judge_length(rod);
  if (rod->straight || n == 1) return k == 0 || k == n ? 0.5 * h : h;
  double w = 0;
  if (k <= last && last > 0) w += (k == 0 || k == last ? 1 : k % 2 ? 4 : 2) / 3.0;
  if (k >= last && last < n) w += (k == last || k == n ? 3 : 9) / 8.0;
  return w * h;
}
