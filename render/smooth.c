/* Takes the grain of soft shadows out of smooth things. A pixel that shows one plane or body only becomes the mean
 * of the pixels around it that show the same, weighted by distance and by how near their light is: a bilateral filter
 * (Tomasi and Manduchi 1998). Edges stay as they are.
 *
 * Of strands, light without shadows shows their shape and has no grain; the shadows have. So only the share of light
 * that arrives is smoothed, as the ratio of the means of light with and without shadows. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { REACH = 3, NEAR = 1 };

/* Mean of the pixels of the same kind around one, of size 2 reach + 1. guide: NULL, or what says which light is near.
 */
static void mean_pixel(const float *from, const float *guide, const int16_t *kind, int width, int height, int x, int y,
                       int reach, float *to)
{
  size_t here = (size_t)y * (size_t)width + (size_t)x;
  float range = kind[here] == KIND_PLANE ? 0.06f : 0.035f, sum[4] = {0}, weights = 0;
  const float steep = 1 / (2 * range * range);
  for (int v = y - reach; v <= y + reach; v++)
    for (int u = x - reach; u <= x + reach; u++) {
      if (u < 0 || v < 0 || u >= width || v >= height) continue;
      size_t there = (size_t)v * (size_t)width + (size_t)u;
      if (kind[there] != kind[here]) continue;
      float apart = (float)((u - x) * (u - x) + (v - y) * (v - y)), differ = 0;
      for (int k = 0; guide && k < 4; k++)
        differ += (guide[4 * there + k] - guide[4 * here + k]) * (guide[4 * there + k] - guide[4 * here + k]);
      float w = expf(-apart / 6 - differ * steep);
      for (int k = 0; k < 4; k++) sum[k] += w * from[4 * there + k];
      weights += w;
    }
  for (int k = 0; k < 4; k++) to[k] = sum[k] / weights;
}

static void smooth_rows(const float *from, const float *guide, const int16_t *kind, int width, int height, int reach,
                        int threads, float *to)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      size_t at = (size_t)y * (size_t)width + (size_t)x;
      if (kind[at] == KIND_MIXED || kind[at] == KIND_NOTHING) memcpy(to + 4 * at, from + 4 * at, 4 * sizeof(float));
      else mean_pixel(from, guide, kind, width, height, x, y, reach, to + 4 * at);
    }
}

bool smooth_image(float *rgba, const int16_t *kind, int width, int height, int threads)
{
  size_t bytes = (size_t)width * (size_t)height * 4 * sizeof(float);
  float *from = malloc(bytes), *guide = malloc(bytes);
  if (from && guide) {
    memcpy(from, rgba, bytes);
    smooth_rows(from, NULL, kind, width, height, NEAR, threads, guide); /* grain must not guide */
    smooth_rows(from, guide, kind, width, height, REACH, threads, rgba);
  }
  bool ok = from && guide;
  free(from);
  free(guide);
  return ok;
}

/* ---- Strands ---- */

enum { HAIR_REACH = 2 };

static vec hair_colour(const hair_pixel *hair, int width, int height, int x, int y)
{
  const hair_pixel *mine = &hair[(size_t)y * (size_t)width + (size_t)x];
  vec lit = v3(0, 0, 0), whole = lit;
  for (int v = y - HAIR_REACH; v <= y + HAIR_REACH; v++)
    for (int u = x - HAIR_REACH; u <= x + HAIR_REACH; u++) {
      if (u < 0 || v < 0 || u >= width || v >= height) continue;
      const hair_pixel *other = &hair[(size_t)v * (size_t)width + (size_t)u];
      float w = other->share * expf(-(float)((u - x) * (u - x) + (v - y) * (v - y)) / 2.4f);
      if (w <= 0) continue;
      lit = v_along(lit, w, other->lit), whole = v_along(whole, w, other->whole);
    }
  vec arrives =
      v3(whole.x > 0 ? lit.x / whole.x : 0, whole.y > 0 ? lit.y / whole.y : 0, whole.z > 0 ? lit.z / whole.z : 0);
  return v_mul(mine->whole, arrives);
}

void smooth_hair(float *rgba, const hair_pixel *hair, int width, int height, float exposure, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      size_t at = (size_t)y * (size_t)width + (size_t)x;
      if (hair[at].share <= 0) continue;
      vec c = tone_map(v_scale(exposure, hair_colour(hair, width, height, x, y)));
      rgba[4 * at] += hair[at].share * c.x, rgba[4 * at + 1] += hair[at].share * c.y,
          rgba[4 * at + 2] += hair[at].share * c.z;
    }
}
