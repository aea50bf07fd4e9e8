/* Takes the grain of soft shadows out of smooth things. A pixel that shows one plane, body or tube only becomes the mean
 * of the pixels around it that show the same, weighted by distance and by how near their light is: a bilateral filter
 * (Tomasi and Manduchi 1998). Strands thinner than a few pixels and all edges stay as they are. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { REACH = 3 };

static void smooth_pixel(const float *from, const int16_t *kind, int width, int height, int x, int y, float *to)
{
  size_t here = (size_t)y * (size_t)width + (size_t)x;
  float range = kind[here] == KIND_PLANE ? 0.09f : 0.035f, sum[4] = {0}, weights = 0;
  const float *mine = from + 4 * here;
  for (int v = y - REACH; v <= y + REACH; v++)
    for (int u = x - REACH; u <= x + REACH; u++) {
      if (u < 0 || v < 0 || u >= width || v >= height) continue;
      size_t there = (size_t)v * (size_t)width + (size_t)u;
      if (kind[there] != kind[here]) continue;
      const float *other = from + 4 * there;
      float apart = (float)((u - x) * (u - x) + (v - y) * (v - y)), differ = 0;
      for (int k = 0; k < 4; k++) differ += (other[k] - mine[k]) * (other[k] - mine[k]);
      float w = expf(-apart / 6 - differ / (2 * range * range));
      for (int k = 0; k < 4; k++) sum[k] += w * other[k];
      weights += w;
    }
  for (int k = 0; k < 4; k++) to[k] = sum[k] / weights;
}

bool smooth_image(float *rgba, const int16_t *kind, int width, int height, int threads)
{
  size_t bytes = (size_t)width * (size_t)height * 4 * sizeof(float);
  float *from = malloc(bytes);
  if (!from) return false;
  memcpy(from, rgba, bytes);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      size_t at = (size_t)y * (size_t)width + (size_t)x;
      if (kind[at] != KIND_MIXED && kind[at] != KIND_NOTHING)
        smooth_pixel(from, kind, width, height, x, y, rgba + 4 * at);
    }
  free(from);
  return true;
}
