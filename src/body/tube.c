/* Tubes: a ball swept along a smooth curve. The curve is the cubic spline through the points, parametrised by the chord
 * lengths h: with the second derivatives m,
 *
 *     h[i-1] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i] m[i+1] = 6 ((p[i+1] - p[i]) / h[i] - (p[i] - p[i-1]) / h[i-1]),
 *
 * m = 0 at open ends (de Boor 1978, chapter IV). Each segment is cut into pieces that turn little, over which stands a
 * tree of boxes; pieces follow the curve, so the tree halves their range. */
#include "body/inside.h"

#include <stdlib.h>
#include <string.h>

static const double most_turn = 0.15; /* rad within a piece */
enum { MOST_CUTS = 64, SAMPLES = 8, GAUSS = 4 };

/* Nodes and weights on 0 .. 1. */
static const double gauss_u[GAUSS] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970263};
static const double gauss_w[GAUSS] = {0.17392742256872692, 0.3260725774312731, 0.3260725774312731, 0.17392742256872692};

/* ---- The spline ---- */

typedef struct spline {
  int points, segments;
  bool closed;
  const double *p;
  double *h;               /* chords */
  sk_vec3 *m;              /* second derivatives at the points */
  double *d, *z, *scratch; /* the diagonal, the cyclic correction */
} spline;

static sk_vec3 point(const spline *s, int i)
{
  return sk_load3(s->p + 3 * (size_t)(i % s->points));
}

/* Right side of row i, in m. */
static sk_vec3 second_difference(const spline *s, int i)
{
  int before = (i + s->segments - 1) % s->segments;
  sk_vec3 to = sk_mul(1 / s->h[i], sk_sub(point(s, i + 1), point(s, i)));
  sk_vec3 from = sk_mul(1 / s->h[before], sk_sub(point(s, i), point(s, i + s->points - 1)));
  return sk_mul(6, sk_sub(to, from));
}

/* Thomas' algorithm on rows lo .. hi with off-diagonals h, for m and z at once. */
static void solve_band(spline *s, int lo, int hi)
{
  double *c = s->scratch;
  for (int i = lo; i <= hi; i++) {
    double below = i > lo ? s->h[i - 1] : 0, pivot = s->d[i] - (i > lo ? below * c[i - 1] : 0);
    sk_vec3 m = i > lo ? s->m[i - 1] : sk_vec(0, 0, 0);
    c[i] = i < hi ? s->h[i] / pivot : 0;
    s->m[i] = sk_mul(1 / pivot, sk_axpy(s->m[i], -below, m));
    s->z[i] = (s->z[i] - below * (i > lo ? s->z[i - 1] : 0)) / pivot;
  }
  for (int i = hi - 1; i >= lo; i--) {
    s->m[i] = sk_axpy(s->m[i], -c[i], s->m[i + 1]);
    s->z[i] -= c[i] * s->z[i + 1];
  }
}

/* Closed: the corners h[n-1] of the matrix are a change of rank one (Sherman and Morrison 1950). */
static void solve_spline(spline *s)
{
  int n = s->points;
  for (int i = 0; i < n; i++) s->m[i] = sk_vec(0, 0, 0), s->z[i] = 0;
  for (int i = s->closed ? 0 : 1; i < s->segments; i++) {
    s->d[i] = 2 * (s->h[(i + s->segments - 1) % s->segments] + s->h[i]);
    s->m[i] = second_difference(s, i);
  }
  if (!s->closed) {
    solve_band(s, 1, n - 2);
    return;
  }
  double corner = s->h[n - 1], first = -s->d[0];
  s->d[0] -= first, s->d[n - 1] -= corner * corner / first;
  s->z[0] = first, s->z[n - 1] = corner;
  solve_band(s, 0, n - 1);
  double share = 1 / (1 + s->z[0] + corner / first * s->z[n - 1]);
  sk_vec3 k = sk_mul(share, sk_axpy(s->m[0], corner / first, s->m[n - 1]));
  for (int i = 0; i < n; i++) s->m[i] = sk_axpy(s->m[i], -s->z[i], k);
}

static sk_cubic segment_cubic(const spline *s, int i)
{
  double h2 = s->h[i] * s->h[i];
  sk_vec3 a = point(s, i), b = point(s, i + 1), ma = s->m[i], mb = s->m[(i + 1) % s->points];
  sk_vec3 c2 = sk_mul(h2 / 2, ma), c3 = sk_mul(h2 / 6, sk_sub(mb, ma));
  return (sk_cubic){{a, sk_sub(sk_sub(b, a), sk_add(c2, c3)), c2, c3}};
}

/* ---- Pieces ---- */

/* The part from u to u + w, as 0 .. 1. */
static sk_cubic part(const sk_cubic *p, double u, double w)
{
  sk_vec3 bend = sk_axpy(p->c[2], 3 * u, p->c[3]);
  return (sk_cubic){
      {sk_cubic_at(p, u), sk_mul(w, sk_cubic_slope(p, u)), sk_mul(w * w, bend), sk_mul(w * w * w, p->c[3])}};
}

/* The least number of cuts in powers of two after which each part turns little; 0: none is enough. */
static int count_cuts(const sk_cubic *p)
{
  for (int cuts = 1; cuts <= MOST_CUTS; cuts *= 2) {
    double turn = 0;
    for (int k = 0; k < 2 * cuts; k++) { /* halves: a part that turns to and fro is seen too */
      sk_vec3 a = sk_unit(sk_cubic_slope(p, k / (2.0 * cuts))), b = sk_unit(sk_cubic_slope(p, (k + 1) / (2.0 * cuts)));
      turn = fmax(turn, 2 * atan2(sk_norm(sk_cross(a, b)), sk_dot(a, b)));
    }
    if (turn <= most_turn) return cuts;
  }
  return 0;
}

/* |c' x c''| / |c'|^3, the largest of some places. */
static double curvature(const sk_cubic *p)
{
  double most = 0;
  for (int k = 0; k <= SAMPLES; k++) {
    sk_vec3 a = sk_cubic_slope(p, k / (double)SAMPLES), b = sk_cubic_bend(p, k / (double)SAMPLES);
    most = fmax(most, sk_norm(sk_cross(a, b)) / pow(sk_dot(a, a), 1.5));
  }
  return most;
}

static skein_status check_bend(const sk_tube *t, const sk_cubic *p, int i, int count)
{
  double bend = t->radius * curvature(p);
  if (count == 0 || !isfinite(bend))
    return sk_fail(SKEIN_BAD_INPUT, "turns back on itself after point %d, expected a smooth curve", i);
  if (bend > 1)
    return sk_fail(SKEIN_BAD_INPUT, "bends after point %d with %.3g of the tube's radius, expected at least 1", i,
                   1 / bend);
  return sk_ok();
}

static skein_status make_pieces(sk_tube *t, const spline *s, int *cuts)
{
  for (int i = 0; i < s->segments; i++) {
    sk_cubic c = segment_cubic(s, i);
    cuts[i] = count_cuts(&c), t->pieces += cuts[i];
    skein_status bad = check_bend(t, &c, i, cuts[i]);
    if (bad.code != SKEIN_OK) return bad;
  }
  size_t n = (size_t)t->pieces;
  t->piece = SK_NEW_RAW(&t->arena, n, sk_cubic), t->segment = SK_NEW_RAW(&t->arena, n, int);
  t->knot = SK_NEW_RAW(&t->arena, n + 1, sk_vec3), t->along = SK_NEW_RAW(&t->arena, n + 1, sk_vec3);
  t->node = SK_NEW_RAW(&t->arena, 2 * n, sk_node);
  if (t->arena.failed) return sk_no_memory();
  for (int i = 0, k = 0; i < s->segments; i++) {
    sk_cubic c = segment_cubic(s, i);
    for (int j = 0; j < cuts[i]; j++, k++)
      t->piece[k] = part(&c, j / (double)cuts[i], 1.0 / cuts[i]), t->segment[k] = i;
  }
  return sk_ok();
}

/* Joints and the length. The last joint of a closed curve has the bits of the first. */
static void make_knots(sk_tube *t)
{
  t->length = 0;
  for (int k = 0; k < t->pieces; k++) {
    t->knot[k] = t->piece[k].c[0], t->along[k] = sk_unit(t->piece[k].c[1]);
    for (int g = 0; g < GAUSS; g++) t->length += gauss_w[g] * sk_norm(sk_cubic_slope(&t->piece[k], gauss_u[g]));
  }
  const sk_cubic *last = &t->piece[t->pieces - 1];
  t->knot[t->pieces] = t->closed ? t->knot[0] : sk_cubic_at(last, 1);
  t->along[t->pieces] = t->closed ? t->along[0] : sk_unit(sk_cubic_slope(last, 1));
}

/* ---- The tree ---- */

static void include(sk_node *n, sk_vec3 x)
{
  double p[3] = {x.x, x.y, x.z};
  for (int k = 0; k < 3; k++) n->lo[k] = SK_MIN(n->lo[k], p[k]), n->hi[k] = SK_MAX(n->hi[k], p[k]);
}

/* The node at `at` over pieces lo .. hi - 1; the place after its last child. A cubic lies among its Bezier points. */
static int build_node(sk_tube *t, int at, int lo, int hi)
{
  sk_node *n = &t->node[at];
  *n = (sk_node){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, lo, hi - lo == 1};
  if (n->count == 1) {
    const sk_vec3 *c = t->piece[lo].c;
    sk_vec3 b = sk_axpy(c[0], 1.0 / 3, c[1]), d = sk_add(b, sk_axpy(sk_mul(1.0 / 3, c[1]), 1.0 / 3, c[2]));
    include(n, t->knot[lo]), include(n, t->knot[lo + 1]), include(n, b), include(n, d);
    return at + 1;
  }
  int middle = lo + (hi - lo) / 2;
  n->first = build_node(t, at + 1, lo, middle);
  int end = build_node(t, n->first, middle, hi);
  for (int k = 0; k < 2; k++) {
    const sk_node *child = &t->node[k ? n->first : at + 1];
    include(n, sk_load3(child->lo)), include(n, sk_load3(child->hi));
  }
  return end;
}

sk_tube_walk sk_tube_walk_start(const sk_tube *t, const double lo[3], const double hi[3])
{
  sk_tube_walk w = {.tube = t, .stack = {0}, .depth = 1};
  for (int k = 0; k < 3; k++) w.lo[k] = lo[k], w.hi[k] = hi[k];
  return w;
}

int sk_tube_walk_next(sk_tube_walk *w)
{
  while (w->depth > 0) {
    int at = w->stack[--w->depth];
    const sk_node *n = &w->tube->node[at];
    bool meets = true;
    for (int k = 0; k < 3; k++) meets &= n->lo[k] <= w->hi[k] && n->hi[k] >= w->lo[k];
    if (!meets) continue;
    if (n->count == 1) return n->first;
    w->stack[w->depth++] = n->first, w->stack[w->depth++] = at + 1;
  }
  return -1;
}

/* ---- Making ---- */

/* Chords; a failure for points that are none, or coincide. */
static skein_status check_points(const double *p, int count, bool closed, double radius)
{
  if (count < 2 + closed) return sk_fail(SKEIN_BAD_INPUT, "has %d points, expected at least %d", count, 2 + closed);
  if (!(radius > 0) || !isfinite(radius)) return sk_fail(SKEIN_BAD_INPUT, "radius is %g, expected more than 0", radius);
  double size = 0;
  for (int i = 0; i < count; i++) {
    double x = sk_norm(sk_load3(p + 3 * (size_t)i));
    if (!(x < 1e100)) return sk_fail(SKEIN_BAD_INPUT, "point %d has a number that is not finite", i);
    size = fmax(size, sk_norm(sk_sub(sk_load3(p + 3 * (size_t)i), sk_load3(p))));
  }
  for (int i = 0; i < count - !closed; i++) {
    int j = (i + 1) % count;
    if (!(sk_norm(sk_sub(sk_load3(p + 3 * (size_t)j), sk_load3(p + 3 * (size_t)i))) > 1e-9 * size))
      return sk_fail(SKEIN_BAD_INPUT, "points %d and %d are at the same place", i, j);
  }
  return sk_ok();
}

static skein_status build(sk_tube *t, const double *points, int count)
{
  sk_arena room = {0};
  spline s = {.points = count, .segments = count - !t->closed, .closed = t->closed, .p = points};
  s.h = SK_NEW(&room, count, double), s.m = SK_NEW(&room, count, sk_vec3), s.d = SK_NEW(&room, count, double);
  s.z = SK_NEW(&room, count, double), s.scratch = SK_NEW(&room, count, double);
  int *cuts = SK_NEW(&room, count, int);
  skein_status status = room.failed ? sk_no_memory() : sk_ok();
  if (status.code == SKEIN_OK) {
    for (int i = 0; i < s.segments; i++) s.h[i] = sk_norm(sk_sub(point(&s, i + 1), point(&s, i)));
    solve_spline(&s);
    status = make_pieces(t, &s, cuts);
  }
  if (status.code == SKEIN_OK) {
    make_knots(t);
    build_node(t, 0, 0, t->pieces);
  }
  sk_arena_free(&room);
  return status;
}

skein_status sk_tube_create(const double *points, int count, bool closed, double radius, sk_tube **out)
{
  *out = NULL;
  skein_status status = check_points(points, count, closed, radius);
  if (status.code != SKEIN_OK) return status;
  sk_tube *t = sk_calloc(1, sizeof *t);
  if (!t) return sk_no_memory();
  t->closed = closed, t->radius = radius;
  status = build(t, points, count);
  if (status.code == SKEIN_OK) *out = t;
  else sk_tube_destroy(t);
  return status;
}

void sk_tube_destroy(sk_tube *t)
{
  if (!t) return;
  sk_arena_free(&t->arena);
  free(t);
}

void sk_tube_move(sk_tube *t, sk_vec3 by)
{
  for (int k = 0; k < t->pieces; k++) t->piece[k].c[0] = sk_add(t->piece[k].c[0], by);
  make_knots(t);
  build_node(t, 0, 0, t->pieces);
}

bool sk_tube_closed(const sk_tube *t)
{
  return t->closed;
}

int sk_tube_pieces(const sk_tube *t)
{
  return t->pieces;
}

double sk_tube_length(const sk_tube *t)
{
  return t->length;
}

sk_vec3 sk_tube_at(const sk_tube *t, double x, sk_vec3 *tangent)
{
  int k = SK_MIN(SK_MAX((int)x, 0), t->pieces - 1);
  double u = sk_clamp01(x - k);
  *tangent = sk_unit(sk_cubic_slope(&t->piece[k], u));
  return sk_cubic_at(&t->piece[k], u);
}

/* ---- Mass ---- */

/* Adds k (a b' + b a') / 2 to the symmetric C = xx yy zz xy yz zx. */
static void add_outer(double C[6], double k, sk_vec3 a, sk_vec3 b)
{
  C[0] += k * a.x * b.x, C[1] += k * a.y * b.y, C[2] += k * a.z * b.z;
  C[3] += k / 2 * (a.x * b.y + a.y * b.x), C[4] += k / 2 * (a.y * b.z + a.z * b.y);
  C[5] += k / 2 * (a.z * b.x + a.x * b.z);
}

/* A section of area A = pi r^2 at c with unit tangent t and curvature vector k has volume A ds, and
 *     int x = A c - Q k,   int x x' = A c c' - Q (c k' + k c') + Q (1 - t t'),   Q = pi r^4 / 4;
 * a half-ball at an open end, out along t: 2/3 A r of volume, int x = 2/3 A r c + Q t, int x x' the same with 2/15 pi
 * r^5 and Q (c t' + t c'). Places are from o. */
bool sk_tube_inertia(const sk_tube *t, double *volume, sk_vec3 *centre, sk_mat3 *inertia)
{
  double r = t->radius, A = SK_PI * r * r, Q = A * r * r / 4, ball = 2.0 / 3 * A * r, V = 0, C[6] = {0};
  sk_vec3 o = t->knot[0], first = {0, 0, 0};
  for (int i = 0; i < t->pieces * GAUSS; i++) {
    const sk_cubic *p = &t->piece[i / GAUSS];
    double u = gauss_u[i % GAUSS];
    sk_vec3 c = sk_sub(sk_cubic_at(p, u), o), d = sk_cubic_slope(p, u), dd = sk_cubic_bend(p, u);
    double v2 = sk_dot(d, d), ds = gauss_w[i % GAUSS] * sqrt(v2);
    sk_vec3 k = sk_mul(1 / v2, sk_axpy(dd, -sk_dot(dd, d) / v2, d));
    V += A * ds, first = sk_add(first, sk_mul(ds, sk_axpy(sk_mul(A, c), -Q, k)));
    add_outer(C, A * ds, c, c), add_outer(C, -2 * Q * ds, c, k), add_outer(C, -Q * ds / v2, d, d);
    for (int j = 0; j < 3; j++) C[j] += Q * ds;
  }
  for (int end = 0; end < 2 && !t->closed; end++) {
    sk_vec3 c = sk_sub(t->knot[end ? t->pieces : 0], o), out = sk_mul(end ? 1 : -1, t->along[end ? t->pieces : 0]);
    V += ball, first = sk_add(first, sk_axpy(sk_mul(ball, c), Q, out));
    add_outer(C, ball, c, c), add_outer(C, 2 * Q, c, out);
    for (int j = 0; j < 3; j++) C[j] += 2.0 / 15 * A * r * r * r;
  }
  sk_vec3 g = sk_mul(1 / V, first);
  add_outer(C, -V, g, g);
  *volume = V, *centre = sk_add(o, g);
  *inertia = (sk_mat3){{{C[1] + C[2], -C[3], -C[5]}, {-C[3], C[2] + C[0], -C[4]}, {-C[5], -C[4], C[0] + C[1]}}};
  return V > 0 && isfinite(V);
}
