/* Two moving segments that go through each other. With x's ends a, b and y's c, d going straight from 0 to 1,
 *
 *     f(t) = ((b - a) x (d - c)) . (c - a)
 *
 * is a cubic that vanishes where the four are in a plane. It changes its sign where the lines pass through each other;
 * the segments do where they meet there. A place where f is zero counts as above: what begins or ends exactly in a
 * plane is counted once. Its Bernstein coefficients bound it: no change of sign among them, no root. */
#include "world/judge.h"

#include <math.h>

/* The segment at time t: its start and its direction. */
static void at(const sk_moving *m, double t, sk_vec3 *r, sk_vec3 *d)
{
  sk_vec3 end = sk_axpy(m->b0, t, sk_sub(m->b1, m->b0));
  *r = sk_axpy(m->a0, t, sk_sub(m->a1, m->a0));
  *d = sk_sub(end, *r);
}

static double volume(const sk_moving *x, const sk_moving *y, double t)
{
  sk_vec3 r, s, d, e;
  at(x, t, &r, &d), at(y, t, &s, &e);
  return sk_dot(sk_cross(d, e), sk_sub(s, r));
}

/* Whether the segments meet at time t, where they are in a plane, to the rounding of t. */
static bool meet(const sk_moving *x, const sk_moving *y, double t)
{
  sk_vec3 r, s, d, e;
  double u, v;
  at(x, t, &r, &d), at(y, t, &s, &e);
  double size = sk_norm(d) + sk_norm(e) + sk_norm(sk_sub(x->a1, x->a0)) + sk_norm(sk_sub(x->b1, x->b0)) +
                sk_norm(sk_sub(y->a1, y->a0)) + sk_norm(sk_sub(y->b1, y->b0));
  double distance = sk_segment_segment(r, sk_add(r, d), s, sk_add(s, e), &u, &v);
  return sqrt(distance) <= 1e-9 * size;
}

/* Where f changes its sign between lo and hi, at whose ends it has different ones. */
static double root(const sk_moving *x, const sk_moving *y, double lo, double hi)
{
  bool above = volume(x, y, lo) >= 0;
  for (int k = 0; k < 60 && hi - lo > 1e-16; k++) {
    double middle = 0.5 * (lo + hi);
    if ((volume(x, y, middle) >= 0) == above) lo = middle;
    else hi = middle;
  }
  return 0.5 * (lo + hi);
}

/* Places in 0 .. 1 where the derivative of the cubic vanishes; its values at 0, 1/3, 2/3, 1 are f. Their number. */
static int turns(const double f[4], double out[2])
{
  double c1 = (-11 * f[0] + 18 * f[1] - 9 * f[2] + 2 * f[3]) / 2, c2 = (18 * f[0] - 45 * f[1] + 36 * f[2] - 9 * f[3]),
         c3 = 3 * (-9 * f[0] + 27 * f[1] - 27 * f[2] + 9 * f[3]) / 2, disc = c2 * c2 - 4 * c3 * c1;
  int count = 0;
  if (!(disc >= 0)) return 0;
  double q = -0.5 * (c2 + copysign(sqrt(disc), c2)), t[2] = {q != 0 ? c1 / q : -1, c3 != 0 ? q / c3 : -1};
  if (t[0] > t[1]) {
    double swap = t[0];
    t[0] = t[1], t[1] = swap;
  }
  for (int k = 0; k < 2; k++)
    if (t[k] > 0 && t[k] < 1) out[count++] = t[k];
  return count;
}

/* Whether all Bernstein coefficients of the cubic are clearly on one side of zero. */
static bool is_one_sided(const double f[4])
{
  double b1 = (-5 * f[0] + 18 * f[1] - 9 * f[2] + 2 * f[3]) / 6, b2 = (2 * f[0] - 9 * f[1] + 18 * f[2] - 5 * f[3]) / 6;
  double slack = 1e-12 * (fabs(f[0]) + fabs(f[1]) + fabs(f[2]) + fabs(f[3]));
  double lo = fmin(fmin(f[0], f[3]), fmin(b1, b2)), hi = fmax(fmax(f[0], f[3]), fmax(b1, b2));
  return lo > slack || hi < -slack;
}

bool sk_crossing(const sk_moving *x, const sk_moving *y)
{
  double f[4] = {volume(x, y, 0), volume(x, y, 1 / 3.0), volume(x, y, 2 / 3.0), volume(x, y, 1)}, turn[2];
  if (!isfinite(f[0] + f[1] + f[2] + f[3]) || is_one_sided(f)) return false;
  int count = turns(f, turn), crossings = 0;
  double from = 0;
  for (int k = 0; k <= count; k++) {
    double to = k < count ? turn[k] : 1;
    if ((volume(x, y, from) >= 0) != (volume(x, y, to) >= 0)) crossings += meet(x, y, root(x, y, from, to));
    from = to;
  }
  return crossings % 2 == 1; /* there and back again is neither */
}
