/* The skin of a body: its signed distance on a grid, so that millions of points are put right in little time.
 *
 *   d(x) by the eight nodes around x, trilinear;  n = grad d / |grad d|
 *
 * The error is about cell^2 / 8R where the surface has the radius R: a fiftieth of a millimetre on a skull. */
#include "hairs/hairs.h"

enum { CELLS = 80, BAND = 3 }; /* along the longest edge; cells beyond the surface that are known */

static float node_distance(const sk_shape *shape, sk_vec3 x, double reach)
{
  static const sk_pose here = {{0, 0, 0}, {1, {0, 0, 0}}};
  sk_near near[SK_NEAR_MAX];
  int found = sk_shape_segment(shape, &here, x, x, reach, near);
  double d = found > 0 ? near[0].distance : reach;
  return (float)fmax(fmin(d, reach), -1e6);
}

static void fill_slice(const sk_shape *shape, const sk_skin *s, int k)
{
  size_t at = (size_t)k * (size_t)s->n[0] * (size_t)s->n[1];
  for (int j = 0; j < s->n[1]; j++)
    for (int i = 0; i < s->n[0]; i++, at++)
      s->distance[at] = node_distance(shape, sk_add(s->lo, sk_mul(s->cell, sk_vec(i, j, k))), BAND * s->cell);
}

bool sk_skin_make(sk_arena *arena, const sk_shape *shape, int threads, sk_skin *skin)
{
  static const sk_pose here = {{0, 0, 0}, {1, {0, 0, 0}}};
  sk_vec3 lo, hi;
  *skin = (sk_skin){.plane = shape->kind == SK_PLANE};
  if (skin->plane) return true;
  sk_shape_bounds(shape, &here, &lo, &hi);
  sk_vec3 size = sk_sub(hi, lo), margin;
  skin->cell = fmax(fmax(fmax(size.x, size.y), size.z) / CELLS, 1e-9);
  margin = sk_vec(BAND * skin->cell, BAND * skin->cell, BAND * skin->cell);
  skin->lo = sk_sub(lo, margin);
  double edge[3] = {size.x, size.y, size.z};
  for (int k = 0; k < 3; k++) skin->n[k] = (int)ceil(edge[k] / skin->cell) + 2 * BAND + 1;
  skin->distance = SK_NEW_RAW(arena, (size_t)skin->n[0] * (size_t)skin->n[1] * (size_t)skin->n[2], float);
  if (!skin->distance) return false;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (int k = 0; k < skin->n[2]; k++) fill_slice(shape, skin, k);
  return true;
}

bool sk_skin_find(const sk_skin *s, sk_vec3 x, double *distance, sk_vec3 *normal)
{
  if (s->plane) return *distance = x.z, *normal = sk_vec(0, 0, 1), true;
  double at[3] = {(x.x - s->lo.x) / s->cell, (x.y - s->lo.y) / s->cell, (x.z - s->lo.z) / s->cell}, t[3];
  int i[3];
  for (int k = 0; k < 3; k++) {
    if (!(at[k] >= 0 && at[k] < s->n[k] - 1)) return false;
    i[k] = (int)at[k], t[k] = at[k] - i[k];
  }
  size_t nx = (size_t)s->n[0], ny = (size_t)s->n[1];
  const float *d = s->distance + ((size_t)i[2] * ny + (size_t)i[1]) * nx + (size_t)i[0];
  double c[2][2], gx[2][2];
  for (int b = 0; b < 2; b++)
    for (int a = 0; a < 2; a++) {
      const float *row = d + (size_t)b * ny * nx + (size_t)a * nx;
      gx[b][a] = (double)row[1] - row[0], c[b][a] = row[0] + t[0] * gx[b][a];
    }
  double lower = c[0][0] + t[1] * (c[0][1] - c[0][0]), upper = c[1][0] + t[1] * (c[1][1] - c[1][0]);
  *distance = lower + t[2] * (upper - lower);
  *normal = sk_unit(
      sk_vec((1 - t[2]) * (gx[0][0] + t[1] * (gx[0][1] - gx[0][0])) + t[2] * (gx[1][0] + t[1] * (gx[1][1] - gx[1][0])),
             (1 - t[2]) * (c[0][1] - c[0][0]) + t[2] * (c[1][1] - c[1][0]), upper - lower));
  return true;
}
