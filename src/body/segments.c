/* Segments against shapes. The signed distance phi to a convex shape is convex, so along a segment it has one minimum:
 * found exactly for plane, sphere, capsule and box, as the root of a monotone derivative for the cylinder. Outside,
 * half the derivative of phi^2 along the direction d is (x - p(x)) . d, p the nearest point; inside, phi is the largest
 * of the distances to the faces. */
#include "body/inside.h"

/* ---- A point and a shape: point, normal, distance, and which face in `feature`. d: direction of the segment, for
 * places where every normal would do. ---- */
typedef sk_near (*point_fn)(const sk_shape *s, sk_vec3 x, sk_vec3 d);

static sk_feature on_face(int face)
{
  return sk_feature_at(face, SK_AT_START); /* a point is the start of a segment without length */
}

static sk_near point_plane(const sk_shape *s, sk_vec3 x, sk_vec3 d)
{
  (void)s, (void)d;
  return (sk_near){{x.x, x.y, 0}, {0, 0, 1}, x.z, 0, on_face(0)};
}

/* Any direction across d; across z too if `axial`. */
static sk_vec3 across(sk_vec3 d, bool axial)
{
  sk_vec3 u = sk_unit_or(d, 0, sk_vec(0, 0, 1)), n = sk_cross(sk_vec(0, 0, 1), u);
  if (!axial) return sk_perpendicular(u);
  return sk_unit_or(n, 1e-9, sk_vec(1, 0, 0));
}

static sk_near point_sphere(const sk_shape *s, sk_vec3 x, sk_vec3 d)
{
  double rho = sk_norm(x);
  sk_vec3 n = rho > 1e-9 * s->radius && rho > 1e-150 ? sk_mul(1 / rho, x) : across(d, false);
  return (sk_near){sk_mul(s->radius, n), n, rho - s->radius, 0, on_face(0)};
}

static sk_near point_capsule(const sk_shape *s, sk_vec3 x, sk_vec3 d)
{
  sk_vec3 c = {0, 0, sk_clamp_half(x.z, s->half)}, v = sk_sub(x, c);
  double rho = sk_norm(v);
  sk_vec3 n = rho > 1e-9 * s->radius && rho > 1e-150 ? sk_mul(1 / rho, v) : across(d, true);
  return (sk_near){sk_axpy(c, s->radius, n), n, rho - s->radius, 0, on_face(0)};
}

enum { SIDE, TOP, BOTTOM }; /* faces of a cylinder */

static sk_near point_cylinder(const sk_shape *s, sk_vec3 x, sk_vec3 d)
{
  double R = s->radius, rho = sqrt(x.x * x.x + x.y * x.y), qr = rho - R, qz = fabs(x.z) - s->half;
  sk_vec3 u = rho > 1e-9 * R && rho > 1e-150 ? sk_vec(x.x / rho, x.y / rho, 0) : across(d, true);
  double up = x.z < 0 ? -1 : 1, both = sqrt(qr * qr + qz * qz);
  if (qr > 0 && qz > 0 && both > 1e-150) {
    sk_vec3 n = {qr / both * u.x, qr / both * u.y, qz / both * up};
    return (sk_near){{R * u.x, R * u.y, up * s->half}, n, both, 0, on_face(qr >= qz ? SIDE : up > 0 ? TOP : BOTTOM)};
  }
  if (qz > 0 || (qr <= 0 && qz >= qr))
    return (sk_near){{x.x, x.y, up * s->half}, {0, 0, up}, qz, 0, on_face(up > 0 ? TOP : BOTTOM)};
  return (sk_near){{R * u.x, R * u.y, x.z}, u, qr, 0, on_face(SIDE)};
}

static sk_near point_box(const sk_shape *s, sk_vec3 x, sk_vec3 d)
{
  (void)d;
  double p[3] = {x.x, x.y, x.z}, e[3] = {s->edges.x, s->edges.y, s->edges.z}, q[3], n[3] = {0}, out[3] = {0};
  int k = 0;
  for (int i = 0; i < 3; i++) {
    double c = sk_clamp_half(p[i], e[i]);
    q[i] = fabs(p[i]) - e[i], out[i] = p[i] - c;
    if (q[i] > q[k]) k = i;
  }
  double up = p[k] < 0 ? -1 : 1, far = sk_norm(sk_load3(out));
  int face = 2 * k + (up < 0);
  if (far > 1e-150) {
    for (int i = 0; i < 3; i++) n[i] = out[i] / far, p[i] = sk_clamp_half(p[i], e[i]);
    return (sk_near){sk_load3(p), sk_load3(n), far, 0, on_face(face)};
  }
  n[k] = up, p[k] = up * e[k];
  return (sk_near){sk_load3(p), sk_load3(n), q[k], 0, on_face(face)};
}

/* ---- Where along the segment ---- */

typedef struct span {
  double best, lo, hi; /* of the nearest place; of the part that faces the same face, edge or corner of the shape */
} span;

/* Part of lo .. hi where |a + t d| <= h. */
static void clip_slab(double a, double d, double h, double *lo, double *hi)
{
  if (d == 0) return;
  double t0 = (-h - a) / d, t1 = (h - a) / d;
  *lo = SK_MAX(*lo, SK_MIN(t0, t1)), *hi = SK_MIN(*hi, SK_MAX(t0, t1));
}

/* |x| <= h, but for the rounding of a place that was found on the boundary. */
static bool between(double x, double h)
{
  return fabs(x) <= h * (1 + 1e-12);
}

/* Roots of p t^2 + 2 q t + r, ascending; false: none, or no direction. */
static bool roots(double p, double q, double r, double *t0, double *t1)
{
  double disc = q * q - p * r;
  if (!(disc >= 0) || p == 0) return false;
  double w = -(q + copysign(sqrt(disc), q)), a = w / p, b = w != 0 ? r / w : a;
  *t0 = SK_MIN(a, b), *t1 = SK_MAX(a, b);
  return true;
}

static span span_plane(const sk_shape *s, sk_vec3 a, sk_vec3 d)
{
  (void)s, (void)a;
  return (span){d.z < 0 ? 1 : 0, 0, 1};
}

static double nearest_to(sk_vec3 a, sk_vec3 d) /* of the line to the origin */
{
  double dd = sk_dot(d, d);
  return dd > 0 ? sk_clamp01(-sk_dot(a, d) / dd) : 0;
}

static span span_sphere(const sk_shape *s, sk_vec3 a, sk_vec3 d)
{
  (void)s;
  return (span){nearest_to(a, d), 0, 1};
}

static span span_capsule(const sk_shape *s, sk_vec3 a, sk_vec3 d)
{
  span r = {0, 0, 1};
  double t;
  sk_nearest_segments(a, d, sk_vec(0, 0, -s->half), sk_vec(0, 0, 2 * s->half), &r.best, &t);
  if (between(a.z + r.best * d.z, s->half)) clip_slab(a.z, d.z, s->half, &r.lo, &r.hi);
  return r;
}

/* Half the derivative of the squared distance to the cylinder. */
static double slope_cylinder(const sk_shape *s, sk_vec3 a, sk_vec3 d, double t)
{
  sk_vec3 x = sk_axpy(a, t, d);
  double rho = sqrt(x.x * x.x + x.y * x.y), z = x.z - sk_clamp_half(x.z, s->half);
  double radial = rho > s->radius ? (rho - s->radius) / rho * (x.x * d.x + x.y * d.y) : 0;
  return radial + z * d.z;
}

/* The root of the slope, which grows, in lo .. hi (Illinois). */
static double root_cylinder(const sk_shape *s, sk_vec3 a, sk_vec3 d, double lo, double hi)
{
  double glo = slope_cylinder(s, a, d, lo), ghi = slope_cylinder(s, a, d, hi), t = lo;
  for (int k = 0, side = 0; k < 60 && hi - lo > 1e-14; k++) {
    t = glo < ghi ? lo + (hi - lo) * (-glo / (ghi - glo)) : 0.5 * (lo + hi);
    if (!(t > lo && t < hi)) t = 0.5 * (lo + hi);
    double g = slope_cylinder(s, a, d, t);
    if (fabs(g) <= 1e-15 * sk_dot(d, d)) return t;
    if (g < 0) {
      lo = t, glo = g;
      if (side < 0) ghi *= 0.5;
      side = -1;
    } else {
      hi = t, ghi = g;
      if (side > 0) glo *= 0.5;
      side = 1;
    }
  }
  return t;
}

/* Deepest place of a segment of which lo .. hi is inside: phi = max(rho - R, |z| - h) is least at an end, where one of
 * the two is least, or where they are equal. */
static double deepest_cylinder(const sk_shape *s, sk_vec3 a, sk_vec3 d, double lo, double hi, double axis)
{
  double t[8] = {lo, hi, axis, d.z != 0 ? -a.z / d.z : lo, lo, lo, lo, lo}, least = INFINITY, best = lo;
  for (int k = 0; k < 2; k++) { /* rho = R - h +- z */
    double z = k == 0 ? a.z : -a.z, dz = k == 0 ? d.z : -d.z, c = s->radius - s->half + z;
    roots(d.x * d.x + d.y * d.y - dz * dz, a.x * d.x + a.y * d.y - c * dz, a.x * a.x + a.y * a.y - c * c, &t[4 + 2 * k],
          &t[5 + 2 * k]);
  }
  for (int k = 0; k < 8; k++) {
    double at = t[k] < lo ? lo : t[k] > hi ? hi : t[k];
    double phi = point_cylinder(s, sk_axpy(a, at, d), d).distance;
    if (phi < least) least = phi, best = at;
  }
  return best;
}

static span span_cylinder(const sk_shape *s, sk_vec3 a, sk_vec3 d)
{
  double dd = d.x * d.x + d.y * d.y, ad = a.x * d.x + a.y * d.y, R = s->radius;
  double axis = dd > 0 ? sk_clamp01(-ad / dd) : 0, r0 = 0, r1 = 1;
  double rx = a.x + axis * d.x, ry = a.y + axis * d.y;
  bool passes = roots(dd, ad, a.x * a.x + a.y * a.y - R * R, &r0, &r1);
  bool radial = passes || (dd == 0 && rx * rx + ry * ry <= R * R), axial = d.z != 0 || fabs(a.z) <= s->half;
  double lo = radial ? SK_MAX(0, r0) : 1, hi = radial ? SK_MIN(1, r1) : 0;
  span r = {0, 0, 1};
  clip_slab(a.z, d.z, s->half, &lo, &hi);
  if (radial && axial && lo <= hi) {
    r.best = deepest_cylinder(s, a, d, lo, hi, axis);
  } else if (slope_cylinder(s, a, d, 1) <= 0) {
    r.best = 1;
  } else if (slope_cylinder(s, a, d, 0) < 0) {
    double cut[5] = {axis, r0, r1, d.z != 0 ? (-s->half - a.z) / d.z : 0, d.z != 0 ? (s->half - a.z) / d.z : 0};
    lo = 0, hi = 1;
    for (int k = 0; k < 5; k++) {
      if (!(cut[k] > lo && cut[k] < hi)) continue;
      if (slope_cylinder(s, a, d, cut[k]) <= 0) lo = cut[k];
      else hi = cut[k];
    }
    r.best = root_cylinder(s, a, d, lo, hi);
  }
  sk_near n = point_cylinder(s, sk_axpy(a, r.best, d), d);
  if (fabs(n.normal.z) < 1e-9) clip_slab(a.z, d.z, s->half, &r.lo, &r.hi);
  else if (fabs(n.normal.z) > 1 - 1e-12 && passes) r.lo = SK_MAX(0, r0), r.hi = SK_MIN(1, r1);
  return r;
}

/* Deepest place in a box: the least of max_i (|x_i| - e_i), where two of the six faces are equally far, or at an end.
 */
static double deepest_box(const sk_shape *s, const double *a, const double *d, double lo, double hi)
{
  double e[3] = {s->edges.x, s->edges.y, s->edges.z}, t[17], least = INFINITY, best = lo;
  int n = 0;
  t[n++] = lo, t[n++] = hi;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (d[i] != 0) t[n++] = -a[i] / d[i];
    for (int k = 0; k < 4; k++) {
      double si = k & 1 ? -1 : 1, sj = k & 2 ? -1 : 1, rate = si * d[i] - sj * d[j];
      if (rate != 0) t[n++] = (sj * a[j] - e[j] - si * a[i] + e[i]) / rate;
    }
  }
  for (int k = 0; k < n; k++) {
    if (!(t[k] >= lo && t[k] <= hi)) continue;
    double phi = -INFINITY;
    for (int i = 0; i < 3; i++) phi = SK_MAX(phi, fabs(a[i] + t[k] * d[i]) - e[i]);
    if (phi < least) least = phi, best = t[k];
  }
  return best;
}

static double slope_box(const double *a, const double *d, const double *e, double t)
{
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double x = a[i] + t * d[i];
    sum += (x - sk_clamp_half(x, e[i])) * d[i];
  }
  return sum;
}

/* The slope is linear between the places where a coordinate passes a face. */
static double nearest_box(const double *a, const double *d, const double *e)
{
  double lo = 0, hi = 1, glo = slope_box(a, d, e, 0), ghi = slope_box(a, d, e, 1);
  if (glo >= 0) return 0;
  if (ghi <= 0) return 1;
  for (int k = 0; k < 6; k++) {
    int i = k / 2;
    double t = d[i] != 0 ? ((k & 1 ? e[i] : -e[i]) - a[i]) / d[i] : 0;
    if (!(t > lo && t < hi)) continue;
    double g = slope_box(a, d, e, t);
    if (g <= 0) lo = t, glo = g;
    else hi = t, ghi = g;
  }
  return glo < ghi ? lo + (hi - lo) * sk_clamp01(-glo / (ghi - glo)) : lo;
}

static span span_box(const sk_shape *s, sk_vec3 va, sk_vec3 vd)
{
  double a[3], d[3], e[3], x[3], lo = 0, hi = 1;
  bool inside = true;
  span r = {0, 0, 1};
  sk_store3(a, va), sk_store3(d, vd), sk_store3(e, s->edges);
  for (int i = 0; i < 3; i++) {
    clip_slab(a[i], d[i], e[i], &lo, &hi);
    inside = inside && (d[i] != 0 || fabs(a[i]) <= e[i]);
  }
  inside = inside && lo <= hi;
  r.best = inside ? deepest_box(s, a, d, lo, hi) : nearest_box(a, d, e);
  sk_store3(x, sk_axpy(va, r.best, vd));
  int face = inside ? sk_feature_face(point_box(s, sk_load3(x), vd).feature) / 2 : -1;
  for (int i = 0; i < 3; i++)
    if (i != face && between(x[i], e[i])) clip_slab(a[i], d[i], e[i], &r.lo, &r.hi);
  return r;
}

/* ---- All shapes ---- */

int sk_near_sort(sk_near *near, int count)
{
  for (int i = 1; i < count; i++) {
    sk_near x = near[i];
    int j = i;
    for (; j > 0; j--) {
      const sk_near *p = &near[j - 1];
      bool after = p->distance != x.distance ? p->distance > x.distance
                   : p->t != x.t             ? p->t > x.t
                                             : sk_feature_order(p->feature, x.feature) > 0;
      if (!after) break;
      near[j] = near[j - 1];
    }
    near[j] = x;
  }
  return SK_MIN(count, SK_NEAR_MAX);
}

typedef span (*span_fn)(const sk_shape *s, sk_vec3 a, sk_vec3 d);

/* The nearest place and the ends of its span: those within reach that are apart. */
static inline int segment_convex(const sk_shape *s, sk_vec3 a, sk_vec3 b, double reach, sk_near *out, point_fn point,
                                 span_fn find)
{
  sk_vec3 d = sk_sub(b, a);
  span r = find(s, a, d);
  double length = sk_norm(d), apart = 0.1 * fabs(reach);
  sk_near best = point(s, sk_axpy(a, r.best, d), d);
  if (!(best.distance <= reach)) return 0;
  bool at_lo = fabs(r.best - r.lo) * length <= apart, at_hi = fabs(r.hi - r.best) * length <= apart;
  int count = 0;
  best.t = r.best, best.feature.place = at_lo ? SK_AT_START : at_hi ? SK_AT_END : SK_AT_MIDDLE;
  for (int k = 0; k < 2; k++) {
    double t = k == 0 ? r.lo : r.hi;
    if (k == 0 ? at_lo : at_hi) continue;
    sk_near n = point(s, sk_axpy(a, t, d), d);
    n.t = t, n.feature.place = k == 0 ? SK_AT_START : SK_AT_END;
    if (n.distance <= reach) out[count++] = n;
  }
  bool flat = count == 2 && SK_MIN(out[0].distance, out[1].distance) <= best.distance + 1e-9 * fabs(reach);
  if (!flat) out[count++] = best; /* flat: the two ends say it all */
  return sk_near_sort(out, count);
}

static int segment_plane(const sk_shape *s, sk_vec3 a, sk_vec3 b, double reach, sk_near *out)
{
  return segment_convex(s, a, b, reach, out, point_plane, span_plane);
}

static int segment_sphere(const sk_shape *s, sk_vec3 a, sk_vec3 b, double reach, sk_near *out)
{
  return segment_convex(s, a, b, reach, out, point_sphere, span_sphere);
}

static int segment_capsule(const sk_shape *s, sk_vec3 a, sk_vec3 b, double reach, sk_near *out)
{
  return segment_convex(s, a, b, reach, out, point_capsule, span_capsule);
}

/* The segment is out of reach of a box with these half-edges: it lies beyond one face. */
static inline bool beyond(sk_vec3 a, sk_vec3 b, double x, double y, double z)
{
  return (a.x > x && b.x > x) || (a.x < -x && b.x < -x) || (a.y > y && b.y > y) || (a.y < -y && b.y < -y) ||
         (a.z > z && b.z > z) || (a.z < -z && b.z < -z);
}

static int segment_cylinder(const sk_shape *s, sk_vec3 a, sk_vec3 b, double reach, sk_near *out)
{
  if (beyond(a, b, s->radius + reach, s->radius + reach, s->half + reach)) return 0;
  return segment_convex(s, a, b, reach, out, point_cylinder, span_cylinder);
}

static int segment_box(const sk_shape *s, sk_vec3 a, sk_vec3 b, double reach, sk_near *out)
{
  if (beyond(a, b, s->edges.x + reach, s->edges.y + reach, s->edges.z + reach)) return 0;
  return segment_convex(s, a, b, reach, out, point_box, span_box);
}

int sk_shape_segment(const sk_shape *s, const sk_pose *pose, sk_vec3 a, sk_vec3 b, double reach, sk_near *out)
{
  static int (*const table[SK_SHAPE_COUNT])(const sk_shape *, sk_vec3, sk_vec3, double, sk_near *) = {
      segment_plane, segment_sphere, segment_capsule, segment_cylinder, segment_box, sk_segment_mesh, sk_segment_tube};
  sk_mat3 R = sk_quat_frame(pose->q);
  sk_vec3 la = sk_apply_t(R, sk_sub(a, pose->r)), lb = sk_apply_t(R, sk_sub(b, pose->r));
  if (!isfinite(sk_dot(la, la) + sk_dot(lb, lb)) || isnan(reach)) return 0;
  int found = table[s->kind](s, la, lb, reach, out), count = 0;
  for (int k = 0; k < found; k++) {
    sk_near n = out[k];
    n.point = sk_add(pose->r, sk_apply(R, n.point)), n.normal = sk_apply(R, n.normal);
    if (isfinite(n.distance) && isfinite(sk_dot(n.point, n.normal))) out[count++] = n;
  }
  return count;
}

bool sk_shape_point(const sk_shape *s, const sk_pose *pose, sk_vec3 x, double reach, sk_near *near)
{
  sk_near all[SK_NEAR_MAX];
  if (s->kind != SK_MESH || !s->mesh) {
    int found = sk_shape_segment(s, pose, x, x, reach, all);
    if (found > 0) *near = all[0];
    return found > 0;
  }
  sk_mat3 R = sk_quat_frame(pose->q);
  sk_vec3 y = sk_apply_t(R, sk_sub(x, pose->r));
  double least, most;
  if (!isfinite(sk_dot(y, y)) || isnan(reach)) return false;
  sk_mesh_estimate(s->mesh, y, &least, &most);
  if (least > reach || !sk_mesh_point(s->mesh, y, SK_MAX(reach, -least), near) || near->distance > reach) return false;
  near->point = sk_add(pose->r, sk_apply(R, near->point)), near->normal = sk_apply(R, near->normal);
  return true;
}
