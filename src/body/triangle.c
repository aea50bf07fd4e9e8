/* Nearest points of points and segments to triangles, for triangles of any shape: the face counts only where the
 * projection falls on it, by the signs of n . (e x (x - v)); everything else is left to the three edges, so a needle
 * without area is three segments. */
#include "body/inside.h"

/* Products of two segments p + s u, q + t v with r = p - q. */
typedef struct products {
  sk_vec3 r, u, v;
  double a, b, c, e, f; /* uu uv ur vv vr */
} products;

/* Improves (s, t): projects s on the second segment and back; the squared distance there. */
static inline double settle(const products *w, double *s, double *t)
{
  *t = w->e > 0 ? sk_clamp01((w->b * *s + w->f) / w->e) : 0;
  *s = w->a > 0 ? sk_clamp01((w->b * *t - w->c) / w->a) : 0;
  sk_vec3 x = sk_sub(sk_axpy(w->r, *s, w->u), sk_mul(*t, w->v));
  return sk_dot(x, x);
}

static inline double nearest_segments(sk_vec3 p, sk_vec3 u, sk_vec3 q, sk_vec3 v, double *s, double *t)
{
  products w = {sk_sub(p, q), u, v, sk_dot(u, u), sk_dot(u, v), 0, sk_dot(v, v), 0};
  w.c = sk_dot(u, w.r), w.f = sk_dot(v, w.r);
  double den = w.a * w.e - w.b * w.b;
  *s = den > 0 ? sk_clamp01((w.b * w.f - w.c * w.e) / den) : 0;
  double best = settle(&w, s, t);
  if (den > 1e-8 * w.a * w.e) return best;
  for (int end = 0; end < 2; end++) { /* nearly parallel: den has lost its digits */
    double s1 = end, t1, d = settle(&w, &s1, &t1);
    if (d < best) best = d, *s = s1, *t = t1;
  }
  return best;
}

double sk_nearest_segments(sk_vec3 p, sk_vec3 u, sk_vec3 q, sk_vec3 v, double *s, double *t)
{
  return nearest_segments(p, u, q, v, s, t);
}

/* x projects on the face: it is on the inner side of the three edges. */
static bool over_face(sk_vec3 x, const double *c, sk_vec3 n)
{
  sk_vec3 v[3] = {sk_load3(c), sk_load3(c + 3), sk_load3(c + 6)};
  for (int i = 0; i < 3; i++)
    if (!(sk_dot(sk_cross(sk_sub(v[(i + 1) % 3], v[i]), sk_sub(x, v[i])), n) >= 0)) return false;
  return true;
}

static inline int part_of_edge(int i, double t)
{
  return t <= 0 ? SK_PART_CORNER + i : t >= 1 ? SK_PART_CORNER + (i + 1) % 3 : SK_PART_EDGE + i;
}

bool sk_nearest_on_triangle(sk_vec3 x, const double *c, double *d2, sk_vec3 *y, int *part)
{
  sk_vec3 n = sk_load3(c + 9);
  double h = sk_dot(n, sk_sub(x, sk_load3(c)));
  bool found = false;
  if (h * h >= *d2) return false;
  if (sk_dot(n, n) > 0 && over_face(x, c, n)) {
    *d2 = h * h, *y = sk_axpy(x, -h, n), *part = SK_PART_FACE;
    return true;
  }
  for (int i = 0; i < 3; i++) {
    sk_vec3 v = sk_load3(c + 3 * i), e = sk_sub(sk_load3(c + 3 * ((i + 1) % 3)), v), r = sk_sub(x, v);
    double ee = sk_dot(e, e), t = ee > 0 ? sk_clamp01(sk_dot(r, e) / ee) : 0;
    sk_vec3 w = sk_axpy(r, -t, e);
    if (sk_dot(w, w) < *d2) *d2 = sk_dot(w, w), *y = sk_axpy(v, t, e), *part = part_of_edge(i, t), found = true;
  }
  return found;
}

/* Where the segment goes through the face, or its ends over it (over: bit 0 the start, bit 1 the end). */
static inline int spots_of_face(sk_vec3 a, sk_vec3 d, const double *c, double ha, double hb, int over, sk_spot *spot)
{
  sk_vec3 n = sk_load3(c + 9);
  int count = 0;
  if ((ha < 0) != (hb < 0)) {
    double t = sk_clamp01(ha / (ha - hb));
    sk_vec3 x = sk_axpy(a, t, d);
    if (over == 3 || over_face(x, c, n)) spot[count++] = (sk_spot){x, t, 0, SK_PART_FACE};
    return count;
  }
  if (over & 1) spot[count++] = (sk_spot){sk_axpy(a, -ha, n), 0, fabs(ha), SK_PART_FACE};
  if (over & 2) spot[count++] = (sk_spot){sk_axpy(sk_add(a, d), -hb, n), 1, fabs(hb), SK_PART_FACE};
  return count;
}

/* An edge can be nearest only where the segment is on its outer side; beyond reach there, the triangle is out. */
int sk_segment_triangle(sk_vec3 a, sk_vec3 d, const double *c, double reach, double flat, sk_spot spot[3])
{
  sk_vec3 n = sk_load3(c + 9), v[3] = {sk_load3(c), sk_load3(c + 3), sk_load3(c + 6)}, e[3], r = sk_sub(a, v[0]);
  double ha = sk_dot(n, r), hb = sk_dot(n, sk_add(r, d));
  if ((ha > reach && hb > reach) || (ha < -reach && hb < -reach)) return 0;
  bool area = sk_dot(n, n) > 0, outer[3] = {true, true, true};
  int over = area ? 3 : 0, count = 0;
  for (int i = 0; i < 3; i++) {
    e[i] = sk_sub(v[(i + 1) % 3], v[i]);
    if (!area) continue;
    sk_vec3 m = sk_cross(n, e[i]), from = sk_sub(a, v[i]);
    double sa = sk_dot(m, from), sb = sa + sk_dot(m, d);
    if (sa < 0 && sb < 0 && SK_MIN(sa * sa, sb * sb) > reach * reach * sk_dot(e[i], e[i])) return 0;
    if (sa < 0) over &= 2;
    if (sb < 0) over &= 1;
    outer[i] = sa < 0 || sb < 0;
  }
  sk_spot all[5];
  if (area) count = spots_of_face(a, d, c, ha, hb, over, all);
  bool through = count > 0 && all[0].d == 0;
  for (int i = 0; i < 3 && !through; i++) {
    if (!outer[i]) continue;
    double s, t, d2 = nearest_segments(a, d, v[i], e[i], &s, &t);
    all[count++] = (sk_spot){sk_axpy(v[i], t, e[i]), s, sqrt(d2), part_of_edge(i, t)};
  }
  if (count == 0) return 0;
  int best = 0;
  for (int k = 1; k < count; k++)
    if (all[k].d < all[best].d) best = k;
  if (!(all[best].d <= reach)) return 0;
  int first = best, last = best, out = 0;
  for (int k = 0; k < count; k++) {
    if (!(all[k].d <= all[best].d + flat)) continue;
    if (all[k].t < all[first].t) first = k;
    if (all[k].t > all[last].t) last = k;
  }
  spot[out++] = all[best];
  if (first != best) spot[out++] = all[first];
  if (last != best) spot[out++] = all[last];
  return out;
}
