/* Nearest points of two segments x = p1 + s d1, y = p2 + t d2, s and t in 0 .. 1 (Lumelsky 1985; Ericson 2005, 5.1.9).
 *     |x - y|^2 is convex in (s, t): clamp the free minimum in s, take the best t, and where that leaves 0 .. 1, clamp
 *     it and take the best s. Where the segments are parallel to rounding the free minimum means nothing: the nearest
 *     points are then at the ends of the stretch that they share, or, when both ends are as near, in its middle. */
#include "collide/collide.h"

static const double parallel = 1e-24; /* squared sine below which directions count as parallel */

static double clamp01(double x)
{
  return x > 0 ? (x < 1 ? x : 1) : 0; /* NaN: 0 */
}

typedef struct pair {
  sk_vec3 r, d1, d2;    /* p1 - p2, q1 - p1, q2 - p2 */
  double a, b, c, e, f; /* d1.d1, d1.d2, d1.r, d2.d2, d2.r */
} pair;

static double squared_distance(const pair *p, double s, double t)
{
  sk_vec3 w = sk_axpy(sk_axpy(p->r, s, p->d1), -t, p->d2);
  return sk_dot(w, w);
}

/* d1 and d2 have a length and are parallel: the ends of the shared stretch, as s on the first; empty ones shrink to the
 * end that is nearest. */
static double nearest_parallel(const pair *p, double *s, double *t)
{
  double u = -p->c / p->a, v = (p->b - p->c) / p->a;
  double s0 = clamp01(SK_MIN(u, v)), s1 = clamp01(SK_MAX(u, v));
  double t0 = clamp01((p->b * s0 + p->f) / p->e), t1 = clamp01((p->b * s1 + p->f) / p->e);
  double at0 = squared_distance(p, s0, t0), at1 = squared_distance(p, s1, t1);
  double even = 1e-12 * (at0 + at1) + 1e-28 * (p->a + p->e);
  double S = fabs(at0 - at1) <= even ? 0.5 * (s0 + s1) : at0 < at1 ? s0 : s1;
  *s = S, *t = clamp01((p->b * S + p->f) / p->e);
  return squared_distance(p, *s, *t);
}

double sk_segment_segment(sk_vec3 p1, sk_vec3 q1, sk_vec3 p2, sk_vec3 q2, double *s, double *t)
{
  pair p = {.r = sk_sub(p1, p2), .d1 = sk_sub(q1, p1), .d2 = sk_sub(q2, p2)};
  sk_vec3 n = sk_cross(p.d1, p.d2);
  double den = sk_dot(n, n); /* a e - b^2, without its cancellation */
  p.a = sk_dot(p.d1, p.d1), p.b = sk_dot(p.d1, p.d2), p.c = sk_dot(p.d1, p.r);
  p.e = sk_dot(p.d2, p.d2), p.f = sk_dot(p.d2, p.r);
  if (den > parallel * p.a * p.e) {
    double S = clamp01(sk_dot(sk_cross(p.d2, p.r), n) / den), T = p.b * S + p.f;
    if (T <= 0) T = 0, S = clamp01(-p.c / p.a);
    else if (T >= p.e) T = 1, S = clamp01((p.b - p.c) / p.a);
    else T /= p.e;
    *s = S, *t = T;
    return squared_distance(&p, S, T);
  }
  if (p.a > 0 && p.e > 0) return nearest_parallel(&p, s, t);
  *s = p.a > 0 ? clamp01(-p.c / p.a) : 0; /* one is a point, or both are */
  *t = p.e > 0 ? clamp01(p.f / p.e) : 0;
  return squared_distance(&p, *s, *t);
}
