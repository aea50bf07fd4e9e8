/* Vectors, frames and quaternions of space: small inline functions, by value. */
#ifndef SK_VEC3_H
#define SK_VEC3_H

#include <math.h>

typedef struct sk_vec3 {
  double x, y, z;
} sk_vec3;

/* Columns: the images of the axes. As a frame: d1, d2 span the section, d3 is the tangent. */
typedef struct sk_mat3 {
  sk_vec3 c[3];
} sk_mat3;

typedef struct sk_quat {
  double w;
  sk_vec3 v;
} sk_quat;

#define SK_PI 3.14159265358979323846

static inline sk_vec3 sk_vec(double x, double y, double z)
{
  return (sk_vec3){x, y, z};
}

static inline sk_vec3 sk_load3(const double *p)
{
  return (sk_vec3){p[0], p[1], p[2]};
}

static inline void sk_store3(double *p, sk_vec3 a)
{
  p[0] = a.x, p[1] = a.y, p[2] = a.z;
}

static inline sk_vec3 sk_add(sk_vec3 a, sk_vec3 b)
{
  return (sk_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline sk_vec3 sk_sub(sk_vec3 a, sk_vec3 b)
{
  return (sk_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline sk_vec3 sk_mul(double k, sk_vec3 a)
{
  return (sk_vec3){k * a.x, k * a.y, k * a.z};
}

/* a + k b */
static inline sk_vec3 sk_axpy(sk_vec3 a, double k, sk_vec3 b)
{
  return (sk_vec3){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}

static inline double sk_dot(sk_vec3 a, sk_vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sk_vec3 sk_cross(sk_vec3 a, sk_vec3 b)
{
  return (sk_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double sk_norm(sk_vec3 a)
{
  return sqrt(sk_dot(a, a));
}

/* a / |a|; a null vector stays null. */
static inline sk_vec3 sk_unit(sk_vec3 a)
{
  double n = sk_norm(a);
  return n > 0 ? sk_mul(1 / n, a) : a;
}

/* Any unit vector perpendicular to the unit vector t. */
static inline sk_vec3 sk_perpendicular(sk_vec3 t)
{
  double x = fabs(t.x), y = fabs(t.y), z = fabs(t.z);
  sk_vec3 e = x <= y && x <= z ? sk_vec(1, 0, 0) : y <= z ? sk_vec(0, 1, 0) : sk_vec(0, 0, 1);
  return sk_unit(sk_sub(e, sk_mul(sk_dot(e, t), t)));
}

/* ---- 3 x 3 ---- */

static inline sk_mat3 sk_identity3(void)
{
  return (sk_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

/* Nine numbers: the three columns one after the other. */
static inline sk_mat3 sk_load33(const double *p)
{
  return (sk_mat3){{sk_load3(p), sk_load3(p + 3), sk_load3(p + 6)}};
}

static inline void sk_store33(double *p, sk_mat3 A)
{
  for (int k = 0; k < 3; k++) sk_store3(p + 3 * k, A.c[k]);
}

/* A x */
static inline sk_vec3 sk_apply(sk_mat3 A, sk_vec3 x)
{
  return (sk_vec3){A.c[0].x * x.x + A.c[1].x * x.y + A.c[2].x * x.z, A.c[0].y * x.x + A.c[1].y * x.y + A.c[2].y * x.z,
                   A.c[0].z * x.x + A.c[1].z * x.y + A.c[2].z * x.z};
}

/* A' x */
static inline sk_vec3 sk_apply_t(sk_mat3 A, sk_vec3 x)
{
  return (sk_vec3){sk_dot(A.c[0], x), sk_dot(A.c[1], x), sk_dot(A.c[2], x)};
}

static inline sk_mat3 sk_mat_mul(sk_mat3 A, sk_mat3 B)
{
  return (sk_mat3){{sk_apply(A, B.c[0]), sk_apply(A, B.c[1]), sk_apply(A, B.c[2])}};
}

static inline sk_mat3 sk_transpose3(sk_mat3 A)
{
  return (sk_mat3){{{A.c[0].x, A.c[1].x, A.c[2].x}, {A.c[0].y, A.c[1].y, A.c[2].y}, {A.c[0].z, A.c[1].z, A.c[2].z}}};
}

/* x with A x = b, by Cramer's rule. */
static inline sk_vec3 sk_solve3(sk_mat3 A, sk_vec3 b)
{
  sk_vec3 yz = sk_cross(A.c[1], A.c[2]), zx = sk_cross(A.c[2], A.c[0]), xy = sk_cross(A.c[0], A.c[1]);
  double det = sk_dot(A.c[0], yz);
  return sk_vec(sk_dot(b, yz) / det, sk_dot(b, zx) / det, sk_dot(b, xy) / det);
}

/* The orthonormal frame nearest to d3 first, then d1: for frames that rounding has bent. */
static inline sk_mat3 sk_orthonormal(sk_mat3 R)
{
  sk_vec3 d3 = sk_unit(R.c[2]), d1 = sk_unit(sk_sub(R.c[0], sk_mul(sk_dot(R.c[0], d3), d3)));
  return (sk_mat3){{d1, sk_cross(d3, d1), d3}};
}

/* ---- Rotations ---- */

/* exp([w]): rotation by |w| about w (Rodrigues). */
static inline sk_mat3 sk_rotation(sk_vec3 w)
{
  double x2 = sk_dot(w, w), x = sqrt(x2);
  double a = x < 1e-4 ? 1 - x2 / 6 : sin(x) / x, h = 0.5 * x, s = x < 1e-4 ? 1 - x2 / 24 : sin(h) / h;
  double b = 0.5 * s * s;
  sk_mat3 R;
  for (int k = 0; k < 3; k++) {
    sk_vec3 e = {k == 0, k == 1, k == 2}, we = sk_cross(w, e);
    R.c[k] = sk_axpy(sk_axpy(e, a, we), b, sk_cross(w, we));
  }
  return R;
}

/* a turned as t1 is turned into t2 by the shortest rotation (unit vectors, not opposite). */
static inline sk_vec3 sk_transport(sk_vec3 a, sk_vec3 t1, sk_vec3 t2)
{
  sk_vec3 b = sk_cross(t1, t2);
  double c = 1 + sk_dot(t1, t2);
  return sk_add(sk_add(a, sk_cross(b, a)), sk_mul(1 / (c > 1e-300 ? c : 1e-300), sk_cross(b, sk_cross(b, a))));
}

static inline sk_quat sk_quat_mul(sk_quat p, sk_quat q)
{
  return (sk_quat){p.w * q.w - sk_dot(p.v, q.v),
                   sk_add(sk_add(sk_mul(p.w, q.v), sk_mul(q.w, p.v)), sk_cross(p.v, q.v))};
}

static inline sk_quat sk_quat_conj(sk_quat q)
{
  return (sk_quat){q.w, sk_mul(-1, q.v)};
}

static inline sk_quat sk_quat_unit(sk_quat q)
{
  double n = 1 / sqrt(q.w * q.w + sk_dot(q.v, q.v));
  return (sk_quat){n * q.w, sk_mul(n, q.v)};
}

/* The quaternion of exp([w]). */
static inline sk_quat sk_quat_rotation(sk_vec3 w)
{
  double h2 = 0.25 * sk_dot(w, w), h = sqrt(h2), s = h < 1e-4 ? 1 - h2 / 6 : sin(h) / h;
  return (sk_quat){cos(h), sk_mul(0.5 * s, w)};
}

static inline sk_mat3 sk_quat_frame(sk_quat q)
{
  double w = q.w, x = q.v.x, y = q.v.y, z = q.v.z;
  return (sk_mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                    {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                    {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}};
}

/* The unit quaternion of a frame, by the largest of its four components. */
static inline sk_quat sk_frame_quat(sk_mat3 R)
{
  double a = R.c[0].x, b = R.c[1].y, c = R.c[2].z;
  double p[4] = {1 + a + b + c, 1 + a - b - c, 1 - a + b - c, 1 - a - b + c};
  double yz = R.c[1].z - R.c[2].y, zx = R.c[2].x - R.c[0].z, xy = R.c[0].y - R.c[1].x;
  double sxy = R.c[0].y + R.c[1].x, szx = R.c[2].x + R.c[0].z, syz = R.c[1].z + R.c[2].y;
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (p[i] > p[k]) k = i;
  sk_quat q = k == 0   ? (sk_quat){p[0], {yz, zx, xy}}
              : k == 1 ? (sk_quat){yz, {p[1], sxy, szx}}
              : k == 2 ? (sk_quat){zx, {sxy, p[2], syz}}
                       : (sk_quat){xy, {szx, syz, p[3]}};
  return sk_quat_unit(q);
}

/* The rotation vector w, |w| <= pi, with exp([w]) = R. */
static inline sk_vec3 sk_rotation_log(sk_mat3 R)
{
  sk_quat q = sk_frame_quat(R);
  if (q.w < 0) q = (sk_quat){-q.w, sk_mul(-1, q.v)};
  double s = sk_norm(q.v);
  return sk_mul(s < 1e-8 ? 2 : 2 * atan2(s, q.w) / s, q.v);
}

#endif
