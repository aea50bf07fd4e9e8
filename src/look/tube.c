/* A tube as triangles: rings across the curve, whose first corner is carried along without twist (parallel transport);
 * on a closed curve what is left of a turn is spread evenly. Open ends are half-balls. */
#include "look/look.h"

enum { SIDES = 32, PER_PIECE = 2, CAP = 6 }; /* corners of a ring, rings in a piece and in a half-ball */

static void add_ring(sk_surface *s, sk_vec3 centre, sk_vec3 e, sk_vec3 t, double r, double tilt)
{
  sk_vec3 f = sk_cross(t, e);
  for (int k = 0; k < SIDES; k++) {
    double a = 2 * SK_PI * k / SIDES;
    sk_vec3 across = sk_axpy(sk_mul(cos(a), e), sin(a), f), n = sk_axpy(sk_mul(cos(tilt), across), sin(tilt), t);
    sk_vec3 x = sk_axpy(centre, r, n);
    float *v = s->vertex + 3 * (size_t)s->vertices, *w = s->normal + 3 * (size_t)s->vertices++;
    v[0] = (float)x.x, v[1] = (float)x.y, v[2] = (float)x.z;
    w[0] = (float)n.x, w[1] = (float)n.y, w[2] = (float)n.z;
  }
}

/* The band from ring a to ring b, which comes after it; a or b is the point of a half-ball at the poles. */
static void add_band(sk_surface *s, int a, int b, bool a_pole, bool b_pole)
{
  for (int k = 0; k < SIDES; k++) {
    int next = (k + 1) % SIDES, corner[6] = {a + k, a + next, b + next, a + k, b + next, b + k};
    for (int i = a_pole ? 3 : 0; i < (b_pole ? 3 : 6); i++)
      s->triangle[3 * (size_t)s->triangles + (size_t)(a_pole ? i - 3 : i)] = corner[i];
    s->triangles += a_pole || b_pole ? 1 : 2;
  }
}

/* The angle about the tangent by which the first ring, carried once around, is behind itself. */
static double left_over(const sk_tube *tube, sk_vec3 e)
{
  int rings = PER_PIECE * sk_tube_pieces(tube);
  sk_vec3 t, first, x = e;
  sk_tube_at(tube, 0, &first);
  t = first;
  for (int k = 1; k <= rings; k++) {
    sk_vec3 last = t;
    if (k == rings) t = first;
    else sk_tube_at(tube, k / (double)PER_PIECE, &t);
    x = sk_transport(x, last, t);
  }
  return atan2(sk_dot(sk_cross(x, e), first), sk_dot(x, e));
}

sk_surface sk_surface_tube(sk_arena *arena, const sk_tube *tube, double radius)
{
  bool closed = sk_tube_closed(tube);
  int steps = PER_PIECE * sk_tube_pieces(tube), rings = steps + (closed ? 0 : 1 + 2 * CAP);
  sk_surface s = {0};
  s.vertex = SK_NEW_RAW(arena, 3 * (size_t)rings * SIDES, float);
  s.normal = SK_NEW_RAW(arena, 3 * (size_t)rings * SIDES, float);
  s.triangle = SK_NEW_RAW(arena, 6 * (size_t)rings * SIDES, int);
  if (arena->failed) return (sk_surface){0};
  sk_vec3 t, last, c = sk_tube_at(tube, 0, &t), e = sk_perpendicular(t);
  double twist = closed ? left_over(tube, e) / steps : 0;
  for (int k = CAP; k > 0 && !closed; k--) add_ring(&s, c, e, t, radius, -0.5 * SK_PI * k / CAP);
  for (int k = 0; k <= steps - closed; k++) {
    last = t, c = sk_tube_at(tube, k / (double)PER_PIECE, &t);
    e = sk_unit(sk_transport(e, last, t));
    add_ring(&s, c, sk_axpy(sk_mul(cos(k * twist), e), sin(k * twist), sk_cross(t, e)), t, radius, 0);
  }
  for (int k = 1; k <= CAP && !closed; k++) add_ring(&s, c, e, t, radius, 0.5 * SK_PI * k / CAP);
  for (int k = 0; k < rings - !closed; k++)
    add_band(&s, k * SIDES, (k + 1) % rings * SIDES, !closed && k == 0, !closed && k == rings - 2);
  return s;
}
