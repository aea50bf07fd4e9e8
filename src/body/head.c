/* A head, and the neck, shoulders and chest below it, as smooth unions of ellipsoids and tapered capsules. The numbers
 * are metres on a head that is 0.23 m from chin to crown; the origin is where the skull turns on the spine, z up, the
 * face looks to -y. Both parts are in the same axes.
 *
 * smooth union of distances a and b over a width k: min(a, b) - k h^3 / 6 with h = max(1 - |a - b| / k, 0)
 * ellipsoid: q0 (q0 - 1) / q1 with q0 = |x / r|, q1 = |x / r^2|, the distance to first order. */
#include "body/inside.h"

static const double own_height = 0.23;

typedef enum form { ELLIPSOID, CAPSULE } form;

/* One piece: added, or cut out; `twin`: also on the other side. */
typedef struct lump {
  form form;
  bool cut, twin;
  double k;      /* width of the blend */
  sk_vec3 a, b;  /* centre and radii; or the ends of the axis */
  double ra, rb; /* capsule: radii at the ends; ellipsoid: turn about x (rad), turn about z */
} lump;

static const lump head[] = {
    /* skull, forehead, back of the head */
    {ELLIPSOID, false, false, 0, {0, 0.004, 0.064}, {0.0725, 0.090, 0.081}, 0, 0},
    {ELLIPSOID, false, false, 0.03, {0, -0.034, 0.052}, {0.062, 0.058, 0.066}, 0, 0},
    {ELLIPSOID, false, false, 0.04, {0, 0.046, 0.035}, {0.060, 0.050, 0.062}, 0, 0},
    /* face and jaw */
    {ELLIPSOID, false, false, 0.03, {0, 0.000, 0.012}, {0.068, 0.070, 0.054}, 0, 0},
    {ELLIPSOID, false, false, 0.03, {0, -0.040, -0.008}, {0.060, 0.051, 0.066}, 0, 0},
    {CAPSULE, false, true, 0.036, {0.010, -0.077, -0.069}, {0.044, -0.016, -0.036}, 0.0125, 0.016},
    {ELLIPSOID, false, false, 0.020, {0, -0.070, -0.052}, {0.030, 0.026, 0.026}, 0, 0},
    {ELLIPSOID, false, false, 0.016, {0, -0.080, -0.074}, {0.017, 0.014, 0.012}, 0, 0},
    /* cheekbones, brow, eye sockets, eyes */
    {ELLIPSOID, false, true, 0.022, {0.040, -0.064, -0.004}, {0.019, 0.022, 0.014}, 0, 0.4},
    {CAPSULE, false, true, 0.014, {0.006, -0.0885, 0.030}, {0.040, -0.076, 0.033}, 0.0075, 0.0075},
    {ELLIPSOID, true, true, 0.012, {0.030, -0.103, 0.014}, {0.019, 0.016, 0.0115}, 0, 0},
    {ELLIPSOID, false, true, 0.004, {0.0305, -0.0765, 0.0125}, {0.0145, 0.0130, 0.0120}, 0, 0},
    /* nose: its base, bridge, tip, wings */
    {ELLIPSOID, false, false, 0.010, {0, -0.095, -0.010}, {0.0125, 0.0150, 0.0165}, 0, 0},
    {CAPSULE, false, false, 0.012, {0, -0.090, 0.024}, {0, -0.107, -0.012}, 0.0055, 0.0075},
    {ELLIPSOID, false, false, 0.008, {0, -0.109, -0.0165}, {0.0085, 0.0105, 0.0080}, 0, 0},
    {ELLIPSOID, false, true, 0.006, {0.0100, -0.0975, -0.0185}, {0.0070, 0.0100, 0.0070}, 0, 0},
    /* lips, and the line between them */
    {ELLIPSOID, false, false, 0.007, {0, -0.0925, -0.0410}, {0.022, 0.0085, 0.0055}, 0, 0},
    {ELLIPSOID, false, false, 0.007, {0, -0.0915, -0.0510}, {0.019, 0.0085, 0.0060}, 0, 0},
    {ELLIPSOID, true, false, 0.003, {0, -0.103, -0.0460}, {0.021, 0.0055, 0.0012}, 0, 0},
    /* ears: flat, for hair is not to be caught behind them */
    {ELLIPSOID, false, true, 0.014, {0.0675, 0.012, 0.003}, {0.0085, 0.017, 0.029}, 0.25, 0.12},
    /* neck: it turns with the head, so that no hair is caught between two bodies at the nape */
    {CAPSULE, false, false, 0.030, {0, 0.016, -0.010}, {0, 0.018, -0.150}, 0.052, 0.057},
};

static const lump bust[] = {
    /* foot of the neck, the muscles at its sides, shoulders, arms, chest, back */
    {CAPSULE, false, false, 0, {0, 0.024, -0.150}, {0, 0.036, -0.200}, 0.056, 0.064},
    {CAPSULE, false, true, 0.060, {0.030, 0.040, -0.115}, {0.145, 0.040, -0.175}, 0.034, 0.042},
    {ELLIPSOID, false, true, 0.040, {0.160, 0.036, -0.200}, {0.056, 0.058, 0.058}, 0, 0},
    {CAPSULE, false, true, 0.030, {0.174, 0.036, -0.220}, {0.196, 0.040, -0.420}, 0.048, 0.044},
    {ELLIPSOID, false, false, 0.060, {0, 0.020, -0.290}, {0.156, 0.092, 0.150}, 0, 0},
    {ELLIPSOID, false, true, 0.050, {0.070, -0.030, -0.330}, {0.075, 0.062, 0.070}, 0, 0},
    {ELLIPSOID, false, true, 0.050, {0.070, 0.080, -0.270}, {0.075, 0.045, 0.090}, 0, 0},
    {CAPSULE, false, false, 0.060, {0, 0.030, -0.330}, {0, 0.030, -0.440}, 0.125, 0.120},
};

static const double floor_of_bust = -0.40; /* cut here, with a rounded edge */

static double ellipsoid(const lump *l, sk_vec3 x)
{
  sk_vec3 p = sk_sub(x, l->a), r = l->b;
  if (l->rb != 0) {
    double c = cos(l->rb), s = sin(l->rb);
    p = sk_vec(c * p.x + s * p.y, c * p.y - s * p.x, p.z);
  }
  if (l->ra != 0) {
    double c = cos(l->ra), s = sin(l->ra);
    p = sk_vec(p.x, c * p.y + s * p.z, c * p.z - s * p.y);
  }
  sk_vec3 q = {p.x / r.x, p.y / r.y, p.z / r.z};
  double q0 = sk_norm(q), q1 = sk_norm(sk_vec(q.x / r.x, q.y / r.y, q.z / r.z));
  return q1 > 0 ? q0 * (q0 - 1) / q1 : -fmin(r.x, fmin(r.y, r.z));
}

/* The radius goes evenly from end to end. */
static double capsule(const lump *l, sk_vec3 x)
{
  sk_vec3 d = sk_sub(l->b, l->a), p = sk_sub(x, l->a);
  double t = sk_clamp01(sk_dot(p, d) / sk_dot(d, d));
  return sk_norm(sk_axpy(p, -t, d)) - (l->ra + t * (l->rb - l->ra));
}

static double smooth_min(double a, double b, double k)
{
  double h = k > 0 ? fmax(1 - fabs(a - b) / k, 0) : 0;
  return fmin(a, b) - k * h * h * h / 6;
}

/* Too far to matter: further than the blend, with a margin for distances of first order. */
static bool is_far(const lump *l, double f, sk_vec3 x)
{
  double size =
      l->form == ELLIPSOID ? fmax(l->b.x, fmax(l->b.y, l->b.z)) : fmax(l->ra, l->rb) + sk_norm(sk_sub(l->b, l->a));
  double reach = size + l->k + fabs(f) + 0.02;
  sk_vec3 p = sk_sub(x, l->a);
  return sk_dot(p, p) > reach * reach;
}

static double add_lump(const lump *l, double f, sk_vec3 x)
{
  if (is_far(l, f, x)) return f;
  double d = l->form == ELLIPSOID ? ellipsoid(l, x) : capsule(l, x);
  return l->cut ? -smooth_min(-f, d, l->k) : smooth_min(f, d, l->k);
}

static double unite(const lump *lumps, int count, sk_vec3 x)
{
  double f = 1;
  for (int i = 0; i < count; i++) {
    f = add_lump(&lumps[i], f, x);
    if (lumps[i].twin) f = add_lump(&lumps[i], f, sk_vec(-x.x, x.y, x.z));
  }
  return f;
}

static double head_field(const void *data, sk_vec3 x)
{
  (void)data;
  return unite(head, sizeof head / sizeof *head, x);
}

static double bust_field(const void *data, sk_vec3 x)
{
  (void)data;
  return -smooth_min(-unite(bust, sizeof bust / sizeof *bust, x), x.z - floor_of_bust, 0.02);
}

skein_status sk_head_create(sk_head_part part, double height, sk_mesh **out)
{
  double scale = height / own_height;
  if (part == SK_HEAD)
    return sk_net_create(head_field, NULL, sk_vec(-0.1025, -0.1350, -0.2200), sk_vec(0.1025, 0.1150, 0.1600), 0.005,
                         scale, out);
  return sk_net_create(bust_field, NULL, sk_vec(-0.2720, -0.1450, -0.4260), sk_vec(0.2720, 0.1750, 0.0500), 0.008,
                       scale, out);
}

/* Height of the hairline over the angle about z from the face (0) to the nape (180 degrees), in steps of 15. */
bool sk_head_has_hair(double height, sk_vec3 x)
{
  static const double line[] = {0.090, 0.090, 0.088,  0.078,  0.052,  0.034, 0.042,
                                0.038, 0.006, -0.022, -0.034, -0.038, -0.040};
  sk_vec3 p = sk_mul(own_height / height, x);
  double at = atan2(fabs(p.x), -p.y) / SK_PI * 12;
  int k = SK_MIN((int)at, 11);
  return p.z > line[k] + (at - k) * (line[k + 1] - line[k]);
}
