/* Velocities of points in a frame: the derivative of the polynomial through the places in the frames of the run around
 * it, two on each side where there are as many (so wrong by the fourth power of the time between frames), fewer at the
 * ends of the run and beside a cut, where a strand's points become others.
 *
 *     v = sum_j w_j x_j / h,   w_j = d/dt prod_{m != j} (t - m) / (j - m)  at t = 0 */
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = SK_RING / 2 };

/* Weights of the frames -before .. after; w[SIDE] is that of the frame itself. */
static void find_weights(int before, int after, double w[SK_RING])
{
  memset(w, 0, sizeof *w * SK_RING);
  for (int j = -before; j <= after; j++) {
    double product = 1;
    for (int m = -before; m <= after; m++)
      if (m != j && m != 0) product *= j ? -m / (double)(j - m) : 1;
    if (j) w[SIDE + j] = product / j, w[SIDE] -= product / j;
  }
}

/* Frame `index` in the strands of the run, SI, in the place of the one that is farthest from frame `middle`. */
static skein_status ring_frame(sk_export *x, int middle, int index, const skein_frame **out)
{
  int oldest = 0, farthest = -1;
  for (int k = 0; k < SK_RING; k++) {
    int away = x->ring[k].point_start ? abs(x->ring[k].index - middle) : INT32_MAX;
    if (x->ring[k].point_start && x->ring[k].index == index) return *out = &x->ring[k], sk_ok();
    if (away > farthest) farthest = away, oldest = k;
  }
  skein_frame *f = &x->ring[oldest];
  skein_frame_destroy(f);
  skein_status s = sk_frame_shown(x, index, NULL, f);
  if (s.code == SKEIN_OK) s = sk_topology_fit(&x->topology, f);
  if (s.code != SKEIN_OK) skein_frame_destroy(f);
  *out = f;
  return s;
}

void sk_ring_free(sk_export *x)
{
  for (int k = 0; k < SK_RING; k++) skein_frame_destroy(&x->ring[k]);
}

/* to = sum_j w_j from_j / h over `count` numbers from `first` on. */
static void derive(const float *const from[SK_RING], const double w[SK_RING], double h, size_t first, size_t count,
                   float *to)
{
  for (size_t k = first; k < first + count; k++) {
    double sum = 0;
    for (int j = 0; j < SK_RING; j++)
      if (w[j] != 0) sum += w[j] * from[j][k];
    to[k] = (float)(sum / h);
  }
}

static void derive_strands(const sk_topology *t, int index, const int *first, const int *last, const int *start,
                           const float *const from[SK_RING], double h, float *to)
{
  double w[SK_RING];
  int sides[2] = {-1, -1};
  for (int i = 0; i < t->count; i++) {
    int before = SK_MIN(index - first[i], SIDE), after = SK_MIN(last[i] - index, SIDE);
    if (before != sides[0] || after != sides[1]) find_weights(before, after, w);
    sides[0] = before, sides[1] = after;
    derive(from, w, h, 3 * (size_t)start[i], 3 * (size_t)(start[i + 1] - start[i]), to);
  }
}

skein_status sk_velocities(sk_export *x, int index, sk_view *view)
{
  const sk_topology *t = &x->topology;
  const skein_frame *around[SK_RING] = {0};
  const float *point[SK_RING] = {0}, *surface[SK_RING] = {0};
  int end = skein_run_frames(x->run) - 1, from = SK_MAX(index - SIDE, 0), to = SK_MIN(index + SIDE, end);
  skein_status s = sk_ok();
  for (int k = from; k <= to && s.code == SKEIN_OK; k++) {
    s = ring_frame(x, index, k, &around[k - index + SIDE]);
    if (s.code == SKEIN_OK && around[k - index + SIDE]->surface_vertices != view->f.surface_vertices)
      s = sk_fail(SKEIN_BAD_INPUT, "frame %d: its surfaces are not those of frame %d", k, index);
  }
  if (s.code != SKEIN_OK) return s;
  for (int k = from - index + SIDE; k <= to - index + SIDE; k++)
    point[k] = around[k]->point, surface[k] = around[k]->surface_vertex;
  int *first = sk_calloc((size_t)t->count, sizeof *first), *last = sk_calloc((size_t)t->count, sizeof *last);
  view->velocity = sk_calloc(3 * (size_t)t->points, sizeof(float));
  view->surface_velocity = sk_calloc(3 * (size_t)view->f.surface_vertices, sizeof(float));
  if (first && last && view->velocity && view->surface_velocity) {
    double w[SK_RING], h = 1 / skein_run_fps(x->run);
    for (int i = 0; i < t->count; i++) last[i] = end;
    sk_topology_ranges(t, index, first, last);
    derive_strands(t, index, first, last, view->f.point_start, point, h, view->velocity);
    find_weights(index - from, to - index, w);
    derive(surface, w, h, 0, 3 * (size_t)view->f.surface_vertices, view->surface_velocity);
  } else s = sk_no_memory();
  free(first), free(last);
  return s;
}
