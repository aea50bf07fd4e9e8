/* Closed-form kinematics of a piece of constant curvatures and twist u, in the axes at its start:
 *
 *     R(s) = I + s1 [u] + s2 [u]^2,   p(s) = V(s) e3,   V(s) = s I + s2 [u] + s3 [u]^2
 *     s1 = sin x / w,  s2 = (1 - cos x) / w^2,  s3 = (x - sin x) / w^3,   w = |u|, x = w s
 *
 * and the derivatives D = (1/w) ds/dw, E = (1/w) dD/dw, so that d s2/d u_k = D2 u_k and d D2/d u_k = E2 u_k
 * (Bertails et al. 2006; RODS: super-helix). Near x = 0 all of them are even power series in x, which are used up to
 * x = 2: the closed forms lose x^-6 of their digits below. */
#ifndef SK_HELIX_H
#define SK_HELIX_H

#include "math/vec3.h"

typedef struct sk_helix {
  double s1, s2, s3, D2, D3, E2, E3;
} sk_helix;

/* Coefficients of x^2k of s1/s, s2/s^2, s3/s^3, D2/s^4, D3/s^5, E2/s^6, E3/s^7. */
enum { SK_HELIX_TERMS = 13 };
extern const double sk_helix_series[SK_HELIX_TERMS][8];

/* w2 = |u|^2. */
static inline sk_helix sk_helix_make(double w2, double s)
{
  double x2 = w2 * s * s, ss = s * s;
  if (x2 < 4) {
    double a[8] = {0};
    int terms = x2 < 0.1 ? 6 : x2 < 1 ? 9 : SK_HELIX_TERMS;
    for (int k = terms - 1; k >= 0; k--)
      for (int i = 0; i < 8; i++) a[i] = a[i] * x2 + sk_helix_series[k][i];
    double s4 = ss * ss;
    return (sk_helix){s * a[0], ss * a[1], ss * s * a[2], s4 * a[3], s4 * s * a[4], s4 * ss * a[5], s4 * ss * s * a[6]};
  }
  double x = sqrt(x2), w = sqrt(w2), sn = sin(x), h = sin(0.5 * x), v = 2 * h * h /* 1 - cos x */, z = x - sn;
  double i1 = 1 / w, i2 = i1 * i1, i3 = i2 * i1, i4 = i2 * i2, i5 = i4 * i1;
  return (sk_helix){sn * i1,
                    v * i2,
                    z * i3,
                    s * sn * i3 - 2 * v * i4,
                    s * v * i4 - 3 * z * i5,
                    ss * (1 - v) * i4 - 5 * s * sn * i5 + 8 * v * i5 * i1,
                    ss * sn * i5 - 7 * s * v * i5 * i1 + 15 * z * i5 * i2};
}

/* u x (u x e3) = u (u . e3) - e3 |u|^2 */
static inline sk_vec3 sk_helix_uue(sk_vec3 u)
{
  return sk_vec(u.x * u.z, u.y * u.z, -(u.x * u.x + u.y * u.y));
}

/* u x e3 */
static inline sk_vec3 sk_helix_ue(sk_vec3 u)
{
  return sk_vec(u.y, -u.x, 0);
}

/* a x (b x e3) + b x (a x e3) = e3-components of both: a b3 + b a3 - 2 e3 (a . b) */
static inline sk_vec3 sk_helix_abe(sk_vec3 a, sk_vec3 b)
{
  return sk_vec(a.x * b.z + b.x * a.z, a.y * b.z + b.y * a.z, -2 * (a.x * b.x + a.y * b.y));
}

/* p(s) */
static inline sk_vec3 sk_helix_point(const sk_helix *h, sk_vec3 u, double s)
{
  return sk_axpy(sk_axpy(sk_vec(0, 0, s), h->s2, sk_helix_ue(u)), h->s3, sk_helix_uue(u));
}

/* p'(s) = R(s) e3 */
static inline sk_vec3 sk_helix_tangent(const sk_helix *h, sk_vec3 u)
{
  return sk_axpy(sk_axpy(sk_vec(0, 0, 1), h->s1, sk_helix_ue(u)), h->s2, sk_helix_uue(u));
}

/* Derivative of p along du; du = e_k gives dp/du_k. */
static inline sk_vec3 sk_helix_derivative(const sk_helix *h, sk_vec3 u, sk_vec3 du)
{
  double a = sk_dot(u, du);
  sk_vec3 p = sk_axpy(sk_mul(h->D2 * a, sk_helix_ue(u)), h->s2, sk_helix_ue(du));
  return sk_axpy(sk_axpy(p, h->D3 * a, sk_helix_uue(u)), h->s3, sk_helix_abe(u, du));
}

/* Second derivative of p along du. */
static inline sk_vec3 sk_helix_second(const sk_helix *h, sk_vec3 u, sk_vec3 du)
{
  double a = sk_dot(u, du), b = sk_dot(du, du);
  sk_vec3 p = sk_axpy(sk_mul(h->E2 * a * a + h->D2 * b, sk_helix_ue(u)), 2 * h->D2 * a, sk_helix_ue(du));
  p = sk_axpy(sk_axpy(p, h->E3 * a * a + h->D3 * b, sk_helix_uue(u)), 2 * h->D3 * a, sk_helix_abe(u, du));
  return sk_axpy(p, 2 * h->s3, sk_helix_uue(du));
}

/* R(s) */
static inline sk_mat3 sk_helix_frame(const sk_helix *h, sk_vec3 u)
{
  double d = h->s2, uu = sk_dot(u, u);
  double a = h->s1 * u.x, b = h->s1 * u.y, c = h->s1 * u.z;
  return (sk_mat3){{{1 + d * (u.x * u.x - uu), d * u.x * u.y + c, d * u.x * u.z - b},
                    {d * u.x * u.y - c, 1 + d * (u.y * u.y - uu), d * u.y * u.z + a},
                    {d * u.x * u.z + b, d * u.y * u.z - a, 1 + d * (u.z * u.z - uu)}}};
}

/* V(s) y: what a change y of u turns the frame at s by, in the axes at the start. */
static inline sk_vec3 sk_helix_turn(const sk_helix *h, sk_vec3 u, double s, sk_vec3 y)
{
  sk_vec3 uy = sk_cross(u, y);
  return sk_axpy(sk_axpy(sk_mul(s, y), h->s2, uy), h->s3, sk_cross(u, uy));
}

/* d/dt (V(s)) y with u changing at the rate y. */
static inline sk_vec3 sk_helix_turn_rate(const sk_helix *h, sk_vec3 u, sk_vec3 y)
{
  double a = sk_dot(u, y);
  sk_vec3 uy = sk_cross(u, y), p = sk_axpy(sk_mul(h->D2 * a, uy), h->D3 * a, sk_cross(u, uy));
  return sk_axpy(p, h->s3, sk_cross(y, uy));
}

#endif
