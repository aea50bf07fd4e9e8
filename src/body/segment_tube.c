/* Segments against tubes. Along the curve c(u) of the tube the distance to the segment a + t d has the slope
 *
 *     g(u) = (c - y) . c',   g'(u) = |c'|^2 + (c - y) . c'' - (c' . d)^2 / d^2,   y = a + t d the point nearest to c,
 *
 * (no last term where y is an end). Every change of g from - to + is a place where the curve is nearest: one for each
 * strand that passes. Signs at the joints of pieces are looked at once, so that none is found twice; Newton's method
 * between them, on the cubic itself, so that normals turn smoothly. */
#include "body/inside.h"

enum { MOST = 3 * SK_NEAR_MAX };

/* Slopes as small as this share of the distance are none: a segment along a straight tube has one nearest place. */
static const double level = 1e-10;

typedef struct probe {
  const sk_tube *tube;
  sk_vec3 a, d;
  double dd; /* d^2 */
  double reach, apart;
  sk_near *out;
  int count;
} probe;

static double place(const probe *p, sk_vec3 c)
{
  return p->dd > 0 ? sk_clamp01(sk_dot(sk_sub(c, p->a), p->d) / p->dd) : 0;
}

static sk_vec3 from_segment(const probe *p, sk_vec3 c)
{
  return sk_sub(c, sk_axpy(p->a, place(p, c), p->d));
}

/* Whether the curve comes nearer along its direction at joint k. */
static bool falls(const probe *p, int k)
{
  sk_vec3 w = from_segment(p, p->tube->knot[k]);
  return sk_dot(w, p->tube->along[k]) < -level * sk_norm(w);
}

/* The root of g in 0 .. 1 of a piece, g(0) < 0 <= g(1): Newton's method, halving where it leaves the bracket. */
static double nearest_place(const probe *p, const sk_cubic *c)
{
  double lo = 0, hi = 1, u = 0.5;
  for (int k = 0; k < 100; k++) {
    sk_vec3 x = sk_cubic_at(c, u), s = sk_cubic_slope(c, u), w = from_segment(p, x);
    double t = place(p, x), g = sk_dot(w, s), along = sk_dot(s, p->d);
    double slope = sk_dot(s, s) + sk_dot(w, sk_cubic_bend(c, u)) - (t > 0 && t < 1 ? along * along / p->dd : 0);
    if (g < 0) lo = u;
    else hi = u;
    double next = slope > 0 ? u - g / slope : -1;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (fabs(next - u) <= 1e-15 || hi - lo <= 1e-15) return next;
    u = next;
  }
  return u;
}

/* Which end of the segment, or neither. */
static sk_place end_of(const probe *p, double t)
{
  double length = sqrt(p->dd);
  return t * length <= p->apart ? SK_AT_START : (1 - t) * length <= p->apart ? SK_AT_END : SK_AT_MIDDLE;
}

static bool is_known(const probe *p, const sk_near *n)
{
  for (int k = 0; k < p->count; k++)
    if (fabs(p->out[k].t - n->t) * sqrt(p->dd) <= p->apart && sk_dot(p->out[k].normal, n->normal) > 0.9 &&
        sk_norm(sk_sub(p->out[k].point, n->point)) <= 2 * p->apart)
      return true;
  return false;
}

/* The contact at this place of the curve, unless it is out of reach or there already. */
static void add(probe *p, int piece, sk_vec3 c, sk_vec3 tangent)
{
  const sk_tube *tube = p->tube;
  double t = place(p, c), rho = sk_norm(from_segment(p, c)), distance = rho - tube->radius;
  if (!(distance <= p->reach) || p->count == MOST) return;
  sk_vec3 across = sk_unit_or(sk_cross(tangent, p->d), 1e-9 * sqrt(p->dd), sk_perpendicular(tangent));
  sk_vec3 n = sk_unit_or(sk_mul(-1, from_segment(p, c)), 1e-9 * tube->radius, across);
  sk_near near = {sk_axpy(c, tube->radius, n), n, distance, t, sk_feature_at(tube->segment[piece], end_of(p, t))};
  if (!is_known(p, &near)) p->out[p->count++] = near;
}

static void add_joint(probe *p, int k)
{
  add(p, SK_MIN(k, p->tube->pieces - 1), p->tube->knot[k], p->tube->along[k]);
}

/* Both ends of an open curve are nearest places where it only goes away. */
static void add_ends(probe *p)
{
  if (p->tube->closed) return;
  if (!falls(p, 0)) add_joint(p, 0);
  if (falls(p, p->tube->pieces)) add_joint(p, p->tube->pieces);
}

/* A ring around a ball is almost level, with ripples: three places hold it, where one would let it rattle. */
static void add_thirds(probe *p, int k)
{
  int n = p->tube->pieces;
  for (int i = 0; i < 3; i++) add_joint(p, (k + i * n / 3) % n);
}

/* Whether the curve at c bends around the segment: g' is small. */
static bool wraps(const probe *p, const sk_cubic *c, double u)
{
  sk_vec3 s = sk_cubic_slope(c, u), w = from_segment(p, sk_cubic_at(c, u));
  return p->tube->closed && p->dd == 0 && sk_dot(w, sk_cubic_bend(c, u)) < -0.9 * sk_dot(s, s);
}

/* All nearest places within reach. A closed curve without any is level all around. */
static void add_places(probe *p)
{
  const sk_tube *t = p->tube;
  sk_vec3 b = sk_add(p->a, p->d);
  double r = SK_MAX(p->reach + t->radius, 0), least = INFINITY;
  double lo[3] = {SK_MIN(p->a.x, b.x) - r, SK_MIN(p->a.y, b.y) - r, SK_MIN(p->a.z, b.z) - r};
  double hi[3] = {SK_MAX(p->a.x, b.x) + r, SK_MAX(p->a.y, b.y) + r, SK_MAX(p->a.z, b.z) + r};
  int nearest = -1, joint = -1;
  bool joint_falls = false, around = false;
  sk_tube_walk w = sk_tube_walk_start(t, lo, hi);
  for (int k = sk_tube_walk_next(&w); k >= 0; k = sk_tube_walk_next(&w)) {
    bool starts = joint == k ? joint_falls : falls(p, k), ends = falls(p, k + 1);
    double away = sk_norm(from_segment(p, t->knot[k]));
    joint = k + 1, joint_falls = ends;
    if (away < least) least = away, nearest = k;
    if (!starts || ends) continue;
    double u = nearest_place(p, &t->piece[k]);
    if (wraps(p, &t->piece[k], u)) around = true;
    else add(p, k, sk_cubic_at(&t->piece[k], u), sk_unit(sk_cubic_slope(&t->piece[k], u)));
  }
  add_ends(p);
  if (around || (t->closed && p->count == 0 && nearest >= 0)) add_thirds(p, nearest);
}

/* The nearest places of an end by itself: a rod along the tube has two contacts. */
static void add_end_places(probe *p, int end)
{
  sk_near found[MOST];
  probe one = *p;
  one.a = sk_axpy(p->a, end, p->d), one.d = sk_vec(0, 0, 0), one.dd = 0, one.out = found, one.count = 0;
  add_places(&one);
  for (int k = 0; k < one.count && p->count < MOST; k++) {
    found[k].t = end, found[k].feature.place = end == 0 ? SK_AT_START : SK_AT_END;
    if (!is_known(p, &found[k])) p->out[p->count++] = found[k];
  }
}

int sk_segment_tube(const sk_shape *s, sk_vec3 a, sk_vec3 b, double reach, sk_near *out)
{
  sk_near near[MOST];
  sk_vec3 d = sk_sub(b, a);
  probe p = {s->tube, a, d, sk_dot(d, d), reach, 0.1 * fabs(reach), near, 0};
  if (!(p.dd > 1e-300)) p.d = sk_vec(0, 0, 0), p.dd = 0;
  add_places(&p);
  for (int end = 0; end < 2 && p.dd > 0; end++) add_end_places(&p, end);
  int count = sk_near_sort(near, p.count);
  for (int k = 0; k < count; k++) out[k] = near[k];
  return count;
}
