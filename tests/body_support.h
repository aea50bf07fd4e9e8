/* What the tests of bodies share: random places, meshes, distances that know nothing of the library, shapes. */
#ifndef SK_BODY_SUPPORT_H
#define SK_BODY_SUPPORT_H

#include "support.h"
#include "body/body.h"

enum { CASES = SLOW_BUILD ? 60 : 400, MESH_CASES = SLOW_BUILD ? 10 : 28 };

/* ---- Random things ---- */

static inline sk_vec3 drawn(sk_random *g, double size)
{
  double x = sk_random_uniform(g, -size, size), y = sk_random_uniform(g, -size, size);
  return sk_vec(x, y, sk_random_uniform(g, -size, size));
}

static inline sk_pose pose_drawn(sk_random *g, double size)
{
  sk_pose p = {drawn(g, size), {0, {0, 0, 0}}};
  p.q = sk_quat_rotation(drawn(g, 3));
  return p;
}

static const sk_pose home = {{0, 0, 0}, {1, {0, 0, 0}}};

/* ---- Meshes ---- */

typedef struct soup {
  double *v;
  int *t;
  int nv, nt;
} soup;

static inline soup soup_make(int nv, int nt)
{
  return (soup){sk_calloc(3 * (size_t)nv, sizeof(double)), sk_calloc(3 * (size_t)nt, sizeof(int)), nv, nt};
}

static inline void soup_free(soup *s)
{
  free(s->v), free(s->t);
}

static inline sk_mesh *mesh_of(const soup *s, bool convex)
{
  sk_mesh *m;
  expect_ok(sk_mesh_create(s->v, s->nv, s->t, s->nt, convex, &m));
  return m;
}

/* A grid of n x m points closed in both directions: a torus with radii R and r, in a wave along its length. */
static inline soup make_torus(int n, int m, double R, double r, double wave)
{
  soup s = soup_make(n * m, 2 * n * m);
  int k = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double u = 2 * SK_PI * i / n, v = 2 * SK_PI * j / m, rr = r * (1 + wave * cos(5 * u));
      sk_store3(s.v + 3 * (i * m + j), sk_vec((R + rr * cos(v)) * cos(u), (R + rr * cos(v)) * sin(u), rr * sin(v)));
      int a = i * m + j, b = (i + 1) % n * m + j, c = (i + 1) % n * m + (j + 1) % m, d = i * m + (j + 1) % m;
      int t[6] = {a, b, c, a, c, d};
      memcpy(s.t + 6 * k++, t, sizeof t);
    }
  return s;
}

/* A ball: rings of latitude. */
static inline soup make_ball(int rings, int around, double r)
{
  soup s = soup_make(2 + (rings - 1) * around, 2 * around * (rings - 1));
  int k = 0;
  sk_store3(s.v, sk_vec(0, 0, -r)), sk_store3(s.v + 3 * (s.nv - 1), sk_vec(0, 0, r));
  for (int i = 1; i < rings; i++)
    for (int j = 0; j < around; j++) {
      double a = SK_PI * i / rings, b = 2 * SK_PI * j / around;
      sk_store3(s.v + 3 * (1 + (i - 1) * around + j), sk_vec(r * sin(a) * cos(b), r * sin(a) * sin(b), -r * cos(a)));
    }
  for (int i = 0; i < rings; i++)
    for (int j = 0; j < around; j++) {
      int n = (j + 1) % around, low = 1 + (i - 1) * around, high = 1 + i * around;
      int up[3] = {i == 0 ? 0 : low + j, i == 0 ? high + n : low + n, high + (i == 0 ? j : n)};
      int down[3] = {low + j, high + n, high + j};
      if (i == 0) memcpy(s.t + 3 * k++, up, sizeof up);
      else if (i == rings - 1) memcpy(s.t + 3 * k++, (int[3]){low + j, low + n, s.nv - 1}, sizeof up);
      else memcpy(s.t + 3 * k++, up, sizeof up), memcpy(s.t + 3 * k++, down, sizeof down);
    }
  assert_int_equal(k, s.nt);
  return s;
}

/* A box cut into n x m x n cells; every face has vertices of its own (seams). */
static inline soup make_box(sk_vec3 h, int n, int m)
{
  int cells[3] = {n, m, n}, nv = 0, nt = 0;
  double e[3] = {h.x, h.y, h.z};
  soup s = soup_make(2 * (2 * (n + 1) * (m + 1) + (n + 1) * (n + 1)), 4 * (2 * n * m + n * n));
  for (int f = 0; f < 6; f++) {
    int axis = f / 2, start = nv, p = (axis + 1) % 3, q = (axis + 2) % 3;
    double side = f % 2 ? -1 : 1;
    for (int i = 0; i <= cells[p]; i++)
      for (int j = 0; j <= cells[q]; j++, nv++) {
        s.v[3 * nv + axis] = side * e[axis];
        s.v[3 * nv + p] = e[p] * (2.0 * i / cells[p] - 1);
        s.v[3 * nv + q] = e[q] * (2.0 * j / cells[q] - 1);
      }
    for (int i = 0; i < cells[p]; i++)
      for (int j = 0; j < cells[q]; j++, nt += 2) {
        int a = start + i * (cells[q] + 1) + j, b = a + cells[q] + 1, c = b + 1, d = a + 1;
        int out[6] = {a, b, c, a, c, d}, in[6] = {a, c, b, a, d, c};
        memcpy(s.t + 3 * nt, side > 0 ? out : in, sizeof out);
      }
  }
  return s;
}

/* Terrain: an open sheet over -1 .. 1. */
static inline soup make_sheet(int n, double (*height)(double x, double y))
{
  soup s = soup_make((n + 1) * (n + 1), 2 * n * n);
  int k = 0;
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= n; j++) {
      double x = 2.0 * i / n - 1, y = 2.0 * j / n - 1;
      sk_store3(s.v + 3 * (i * (n + 1) + j), sk_vec(x, y, height(x, y)));
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int a = i * (n + 1) + j, b = a + n + 1, t[6] = {a, b, b + 1, a, b + 1, a + 1};
      memcpy(s.t + 6 * k++, t, sizeof t);
    }
  return s;
}

static inline double level(double x, double y)
{
  (void)x, (void)y;
  return 0;
}

static inline double hills(double x, double y)
{
  return 0.2 * sin(4 * x) * cos(3 * y);
}

static inline double ridge(double x, double y)
{
  (void)y;
  return -fabs(x);
}

static inline double groove(double x, double y)
{
  (void)y;
  return fabs(x);
}

/* ---- Distances that know nothing of the library ---- */

static inline double to_segment(sk_vec3 x, sk_vec3 a, sk_vec3 b)
{
  sk_vec3 e = sk_sub(b, a);
  double t = sk_dot(e, e) > 0 ? sk_dot(sk_sub(x, a), e) / sk_dot(e, e) : 0;
  return sk_norm(sk_sub(x, sk_axpy(a, fmin(1, fmax(0, t)), e)));
}

static inline double to_triangle(sk_vec3 x, sk_vec3 a, sk_vec3 b, sk_vec3 c)
{
  sk_vec3 n = sk_cross(sk_sub(b, a), sk_sub(c, a));
  double nn = sk_dot(n, n), least = fmin(to_segment(x, a, b), fmin(to_segment(x, b, c), to_segment(x, c, a)));
  if (nn == 0) return least;
  sk_vec3 r = sk_sub(x, a);
  double v = sk_dot(sk_cross(r, sk_sub(c, a)), n) / nn, w = sk_dot(sk_cross(sk_sub(b, a), r), n) / nn;
  return v >= 0 && w >= 0 && v + w <= 1 ? fmin(least, fabs(sk_dot(r, n)) / sqrt(nn)) : least;
}

/* Solid angle of a triangle over 4 pi (Van Oosterom and Strackee 1983). */
static inline double winding(sk_vec3 x, sk_vec3 a, sk_vec3 b, sk_vec3 c)
{
  a = sk_sub(a, x), b = sk_sub(b, x), c = sk_sub(c, x);
  double p = sk_norm(a), q = sk_norm(b), r = sk_norm(c);
  return atan2(sk_dot(a, sk_cross(b, c)), p * q * r + sk_dot(a, b) * r + sk_dot(b, c) * p + sk_dot(c, a) * q) /
         (2 * SK_PI);
}

static inline double mesh_distance(const sk_mesh *m, sk_vec3 x, bool closed)
{
  const double *v = sk_mesh_vertex_data(m);
  const int *t = sk_mesh_triangle_data(m);
  double least = INFINITY, turns = 0;
  for (int k = 0; k < sk_mesh_triangles(m); k++) {
    sk_vec3 a = sk_load3(v + 3 * t[3 * k]), b = sk_load3(v + 3 * t[3 * k + 1]), c = sk_load3(v + 3 * t[3 * k + 2]);
    least = fmin(least, to_triangle(x, a, b, c));
    if (closed) turns += winding(x, a, b, c);
  }
  return fabs(turns) > 0.5 ? -least : least;
}

/* Signed distance of a point of the world to the shape. closed: of a mesh. */
static inline double distance_to(const sk_shape *s, const sk_pose *pose, sk_vec3 world, bool closed)
{
  sk_vec3 x = sk_pose_in(pose, world);
  double rho = hypot(x.x, x.y), q[3] = {fabs(x.x) - s->edges.x, fabs(x.y) - s->edges.y, fabs(x.z) - s->edges.z},
         out = 0;
  switch (s->kind) {
  case SK_PLANE:
    return x.z;
  case SK_SPHERE:
    return sk_norm(x) - s->radius;
  case SK_CAPSULE:
    return to_segment(x, sk_vec(0, 0, -s->half), sk_vec(0, 0, s->half)) - s->radius;
  case SK_CYLINDER:
    out = hypot(fmax(rho - s->radius, 0), fmax(fabs(x.z) - s->half, 0));
    return out > 0 ? out : fmax(rho - s->radius, fabs(x.z) - s->half);
  case SK_BOX:
    for (int k = 0; k < 3; k++) out = hypot(out, fmax(q[k], 0));
    return out > 0 ? out : fmax(q[0], fmax(q[1], q[2]));
  default:
    return mesh_distance(s->mesh, x, closed);
  }
}
static const sk_shape solids[] = {
    {.kind = SK_PLANE},
    {.kind = SK_SPHERE, .radius = 0.7},
    {.kind = SK_CAPSULE, .radius = 0.3, .half = 0.6},
    {.kind = SK_CYLINDER, .radius = 0.5, .half = 0.7},
    {.kind = SK_CYLINDER, .radius = 0.8, .half = 0.1},
    {.kind = SK_BOX, .edges = {0.3, 0.5, 0.8}},
    {.kind = SK_BOX, .edges = {0.9, 0.9, 0.05}},
    {.kind = SK_SPHERE},
    {.kind = SK_BOX},
};

enum { SOLIDS = sizeof solids / sizeof solids[0], PLAIN = SOLIDS - 2 /* the last two are points */ };

#endif
