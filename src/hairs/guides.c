/* Guides of a frame: each as the same number of points at equal steps of abscissa, on Catmull and Rom's cubic through
 * its own, with a frame that is carried along without twist (Bishop 1975) from the root.
 *
 * At the root the frame is that of the first frame, turned as the body that holds it, then as the tangent; hairs leave
 * the skin where they are rooted, so over the first part of the length the frame goes from the body's to the guide's.
 */
#include "hairs/hairs.h"

#include <stdlib.h>

static const double held = 0.15; /* share of the length over which the skin lets go */

static float cubic(float a, float b, float c, float d, float t)
{
  return b + 0.5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

/* The point at a share of the polyline, 0 .. 1. */
static void point_at(const float *p, int count, double share, float out[3])
{
  double at = share * (count - 1);
  int i = SK_MAX(SK_MIN((int)at, count - 2), 0);
  float t = (float)(at - i);
  for (int c = 0; c < 3; c++) {
    float x = p[3 * i + c], y = count > 1 ? p[3 * i + 3 + c] : x;
    float before = i > 0 ? p[3 * i - 3 + c] : 2 * x - y, after = i + 2 < count ? p[3 * i + 6 + c] : 2 * y - x;
    out[c] = cubic(before, x, y, after, t);
  }
}

static sk_vec3 load(const float *p)
{
  return sk_vec(p[0], p[1], p[2]);
}

static void store(float *p, sk_vec3 a)
{
  p[0] = (float)a.x, p[1] = (float)a.y, p[2] = (float)a.z;
}

/* a / |a|, or `other` where there is no direction. */
static sk_vec3 unit_or(sk_vec3 a, sk_vec3 other)
{
  double n = sk_norm(a);
  return n > 1e-12 && isfinite(n) ? sk_mul(1 / n, a) : other;
}

sk_mat3 sk_root_frame(const float *point, int count)
{
  sk_vec3 t = sk_vec(0, 0, 1);
  for (int k = 1; k < count; k++) { /* points may coincide */
    sk_vec3 d = sk_sub(load(point + 3 * (size_t)k), load(point));
    if (sk_norm(d) > 1e-9) {
      t = sk_unit(d);
      break;
    }
  }
  sk_vec3 u = sk_perpendicular(t), v = sk_cross(t, u);
  return (sk_mat3){{t, u, v}};
}

sk_pose sk_frame_pose(const skein_frame *f, int body)
{
  if (body < 0 || body >= f->bodies) return (sk_pose){{0, 0, 0}, {1, {0, 0, 0}}};
  const double *p = f->body_pose + 7 * (size_t)body;
  return (sk_pose){sk_load3(p), sk_quat_unit((sk_quat){p[3], sk_load3(p + 4)})};
}

/* Turned as the body has turned since the first frame. */
static sk_mat3 turned(const skein_hairs *h, const skein_frame *f, const sk_guide *g)
{
  if (g->body < 0) return g->frame;
  sk_pose now = sk_frame_pose(f, g->body);
  sk_quat turn = sk_quat_mul(now.q, sk_quat_conj(h->rest[g->body].q));
  return sk_mat_mul(sk_quat_frame(turn), g->frame);
}

/* a turned as `from` turns into `to`; opposite directions leave it. */
static sk_vec3 carry(sk_vec3 a, sk_vec3 from, sk_vec3 to)
{
  return sk_dot(from, to) > -0.999999 ? sk_transport(a, from, to) : a;
}

static void carry_guide(const skein_hairs *h, const skein_frame *f, int number, const sk_carried *c)
{
  const sk_guide *g = h->guide + number;
  int rod = c->rod[number], first = f->point_start[rod], count = f->point_start[rod + 1] - first, n = h->grid;
  const float *p = f->point + 3 * (size_t)first;
  float *out = c->point + SK_CARRIED * (size_t)n * (size_t)number;
  double reach = c->reach[number];
  for (int k = 0; k < n; k++) point_at(p, count, fmin((double)k / (n - 1) / reach, 1), out + SK_CARRIED * (size_t)k);
  sk_mat3 base = turned(h, f, g);
  sk_vec3 t = base.c[0], u = base.c[1];
  for (int k = 0; k < n; k++) {
    float *x = out + SK_CARRIED * (size_t)k;
    const float *a = k > 0 ? x - SK_CARRIED : x, *b = k + 1 < n ? x + SK_CARRIED : x;
    sk_vec3 now = unit_or(sk_sub(load(b), load(a)), t);
    u = carry(u, t, now), t = now;
    u = unit_or(sk_sub(u, sk_mul(sk_dot(u, t), t)), sk_perpendicular(t));
    double free = fmin((double)k / (n - 1) / held, 1);
    sk_vec3 axis[3] = {t, u, sk_cross(t, u)};
    for (int j = 0; j < 3; j++) store(x + 3 + 3 * j, sk_add(sk_mul(free, axis[j]), sk_mul(1 - free, base.c[j])));
  }
}

/* The rod of each guide: the first of its source, which holds the root; and what is left of it. */
static skein_status find_rods(const skein_hairs *h, const skein_frame *f, sk_carried *c)
{
  int *pieces = sk_calloc((size_t)h->guides, sizeof *pieces);
  if (!pieces) return sk_no_memory();
  for (int i = 0; i < f->rods; i++) {
    int source = f->rod_source[i], g = source >= 0 && source < h->rods ? h->of_rod[source] : -1;
    if (g >= 0 && pieces[g]++ == 0) c->rod[g] = i;
  }
  int missing = -1;
  for (int g = h->guides - 1; g >= 0; g--) {
    if (pieces[g] == 0 || f->point_start[c->rod[g]] == f->point_start[c->rod[g] + 1]) {
      missing = g;
      continue;
    }
    c->reach[g] = 1;
    if (pieces[g] < 2 || !(h->guide[g].length > 0)) continue;
    double length = 0;
    for (int k = f->point_start[c->rod[g]]; k + 1 < f->point_start[c->rod[g] + 1]; k++)
      length += sk_norm(sk_sub(load(f->point + 3 * (size_t)k + 3), load(f->point + 3 * (size_t)k)));
    c->reach[g] = (float)fmin(fmax(length / h->guide[g].length, 1e-3), 1);
  }
  free(pieces);
  if (missing < 0) return sk_ok();
  return sk_fail(SKEIN_BAD_INPUT, "frame %d: rod %d of the scene is a guide of hairs and is not there", f->index,
                 h->guide[missing].source);
}

skein_status sk_carry(const skein_hairs *h, const skein_frame *f, sk_carried *c)
{
  size_t guides = (size_t)h->guides;
  *c = (sk_carried){sk_calloc(SK_CARRIED * guides * (size_t)h->grid, sizeof(float)), sk_calloc(guides, sizeof(float)),
                    sk_calloc(guides, sizeof(int))};
  if (!c->point || !c->reach || !c->rod) return sk_no_memory();
  skein_status s = find_rods(h, f, c);
  if (s.code != SKEIN_OK) return s;
#pragma omp parallel for num_threads(h->def.threads) schedule(static)
  for (int g = 0; g < h->guides; g++) carry_guide(h, f, g, c);
  return s;
}

void sk_carried_free(sk_carried *c)
{
  free(c->point), free(c->reach), free(c->rod);
  *c = (sk_carried){0};
}
