/* Bounds, volume and inertia of shapes. */
#include "body/inside.h"

/* Half the extent along the world's axes of a box with half-edges e in the frame R: |R| e. */
static sk_vec3 extent(sk_mat3 R, sk_vec3 e)
{
  return sk_vec(fabs(R.c[0].x) * e.x + fabs(R.c[1].x) * e.y + fabs(R.c[2].x) * e.z,
                fabs(R.c[0].y) * e.x + fabs(R.c[1].y) * e.y + fabs(R.c[2].y) * e.z,
                fabs(R.c[0].z) * e.x + fabs(R.c[1].z) * e.y + fabs(R.c[2].z) * e.z);
}

void sk_shape_bounds(const sk_shape *s, const sk_pose *pose, sk_vec3 *lo, sk_vec3 *hi)
{
  sk_mat3 R = sk_quat_frame(pose->q);
  sk_vec3 c = pose->r, h = {INFINITY, INFINITY, INFINITY}, z = R.c[2];
  double r = s->radius;
  switch (s->kind) {
  case SK_SPHERE:
    h = sk_vec(r, r, r);
    break;
  case SK_CAPSULE:
    h = sk_vec(r + s->half * fabs(z.x), r + s->half * fabs(z.y), r + s->half * fabs(z.z));
    break;
  case SK_CYLINDER: /* a disc across z reaches r sqrt(1 - z_i^2) along axis i */
    h = sk_vec(s->half * fabs(z.x) + r * sqrt(fmax(0, 1 - z.x * z.x)),
               s->half * fabs(z.y) + r * sqrt(fmax(0, 1 - z.y * z.y)),
               s->half * fabs(z.z) + r * sqrt(fmax(0, 1 - z.z * z.z)));
    break;
  case SK_BOX:
    h = extent(R, s->edges);
    break;
  case SK_MESH: {
    sk_vec3 a = sk_load3(s->mesh->node->lo), b = sk_load3(s->mesh->node->hi);
    c = sk_add(c, sk_apply(R, sk_mul(0.5, sk_add(a, b)))), h = extent(R, sk_mul(0.5, sk_sub(b, a)));
    break;
  }
  case SK_TUBE: {
    sk_vec3 a = sk_load3(s->tube->node->lo), b = sk_load3(s->tube->node->hi);
    c = sk_add(c, sk_apply(R, sk_mul(0.5, sk_add(a, b))));
    h = sk_add(extent(R, sk_mul(0.5, sk_sub(b, a))), sk_vec(r, r, r));
    break;
  }
  default:
    break;
  }
  *lo = sk_sub(c, h), *hi = sk_add(c, h);
}

static sk_mat3 diagonal(double x, double y, double z)
{
  return (sk_mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

/* Sums over the tetrahedra (origin, a, b, c) of each triangle, det = a (b x c):
 *     V = det/6,  V centre = det/24 (a + b + c),  int x x' = det/120 (a a' + b b' + c c' + s s'), s = a + b + c.
 * The origin is put into the middle of the bounds for the digits. */
static bool mesh_inertia(const sk_mesh *m, double *volume, sk_vec3 *centre, sk_mat3 *inertia)
{
  if (!m->closed) return false;
  sk_vec3 o = sk_mul(0.5, sk_add(sk_load3(m->node->lo), sk_load3(m->node->hi))), first = {0, 0, 0};
  double V = 0, C[6] = {0}; /* xx yy zz xy yz zx */
  for (int k = 0; k < m->triangles; k++) {
    sk_vec3 p[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 3; i++) {
      p[i] = sk_sub(sk_load3(m->v + 3 * (size_t)m->t[3 * (size_t)k + (size_t)i]), o);
      p[3] = sk_add(p[3], p[i]);
    }
    double det = sk_dot(p[0], sk_cross(p[1], p[2]));
    V += det / 6, first = sk_axpy(first, det / 24, p[3]);
    for (int i = 0; i < 4; i++) {
      sk_vec3 x = p[i];
      double e[6] = {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.y * x.z, x.z * x.x};
      for (int j = 0; j < 6; j++) C[j] += det / 120 * e[j];
    }
  }
  if (!(fabs(V) > 1e-14 * m->size * m->size * m->size)) return false;
  double sign = V < 0 ? -1 : 1;
  sk_vec3 g = sk_mul(1 / V, first);
  double G[6] = {g.x * g.x, g.y * g.y, g.z * g.z, g.x * g.y, g.y * g.z, g.z * g.x};
  for (int j = 0; j < 6; j++) C[j] = sign * (C[j] - V * G[j]);
  *volume = sign * V, *centre = sk_add(o, g);
  *inertia = (sk_mat3){{{C[1] + C[2], -C[3], -C[5]}, {-C[3], C[2] + C[0], -C[4]}, {-C[5], -C[4], C[0] + C[1]}}};
  return true;
}

bool sk_shape_inertia(const sk_shape *s, double *volume, sk_vec3 *centre, sk_mat3 *inertia)
{
  double r = s->radius, r2 = r * r, h = s->half, V = 0;
  *centre = sk_vec(0, 0, 0);
  switch (s->kind) {
  case SK_SPHERE:
    V = 4.0 / 3 * SK_PI * r2 * r;
    *inertia = diagonal(0.4 * V * r2, 0.4 * V * r2, 0.4 * V * r2);
    break;
  case SK_CAPSULE: { /* cylinder and two half-balls, whose centres are 3/8 r off their discs */
    double side = 2 * SK_PI * r2 * h, caps = 4.0 / 3 * SK_PI * r2 * r, off = h + 0.375 * r;
    double across = side * (r2 / 4 + h * h / 3) + caps * (0.4 * r2 - 0.140625 * r2 + off * off);
    V = side + caps;
    *inertia = diagonal(across, across, side * r2 / 2 + caps * 0.4 * r2);
    break;
  }
  case SK_CYLINDER: {
    V = 2 * SK_PI * r2 * h;
    double across = V * (r2 / 4 + h * h / 3);
    *inertia = diagonal(across, across, V * r2 / 2);
    break;
  }
  case SK_BOX: {
    double x = s->edges.x * s->edges.x, y = s->edges.y * s->edges.y, z = s->edges.z * s->edges.z;
    V = 8 * s->edges.x * s->edges.y * s->edges.z;
    *inertia = diagonal(V / 3 * (y + z), V / 3 * (z + x), V / 3 * (x + y));
    break;
  }
  case SK_MESH:
    return s->mesh && mesh_inertia(s->mesh, volume, centre, inertia);
  case SK_TUBE:
    return s->tube && sk_tube_inertia(s->tube, volume, centre, inertia);
  default:
    return false;
  }
  *volume = V;
  return V > 0 && isfinite(V);
}
