/* Rods with a number of points that stays the same from frame to frame, so that the page can go smoothly from one to
 * the next and differences are small. A run has as many points as a polyline needs, which changes; the page draws
 * cubics, which need fewer.
 *
 * The points of a rod are at equal steps of abscissa. Between p[k] and p[k+1] lies the cubic with slopes
 * m[k] = (p[k+1] - p[k-1]) / 2, and at an end m = (3 d - m') / 2, d the last difference and m' the slope beside it. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 24 }; /* that many points are kept anyway: colours need them, too */

/* p[k] of `count` points of a rod, slope at k. */
static double slope(const float *p, int count, int k, int axis)
{
  const float *at = p + 3 * (size_t)k + axis;
  if (count < 3) return count == 2 ? (double)p[3 + axis] - p[axis] : 0;
  if (k == 0) return 1.5 * ((double)at[3] - at[0]) - 0.25 * ((double)at[6] - at[0]);
  if (k == count - 1) return 1.5 * ((double)at[0] - at[-3]) - 0.25 * ((double)at[0] - at[-6]);
  return 0.5 * ((double)at[3] - at[-3]);
}

/* The cubic at x, 0 .. count - 1. */
static void point_at(const float *p, int count, double x, float out[3])
{
  int k = (int)fmin(fmax(floor(x), 0), count > 1 ? count - 2 : 0);
  double u = x - k, v = 1 - u;
  for (int a = 0; a < 3; a++) {
    double from = p[3 * (size_t)k + (size_t)a];
    if (count < 2) {
      out[a] = (float)from;
      continue;
    }
    double to = p[3 * (size_t)k + 3 + (size_t)a], m0 = slope(p, count, k, a), m1 = slope(p, count, k + 1, a);
    out[a] = (float)(v * v * (1 + 2 * u) * from + u * u * (3 - 2 * u) * to + u * v * (v * m0 - u * m1));
  }
}

/* `count` points of p as n points. */
static void resample(const float *p, int count, float *out, int n)
{
  if (n == count) {
    memcpy(out, p, 3 * sizeof *p * (size_t)n);
    return;
  }
  for (int k = 0; k < n; k++) point_at(p, count, n > 1 ? (double)k * (count - 1) / (n - 1) : 0, out + 3 * (size_t)k);
}

/* Largest distance of the points of p to the cubic through n of them; room: 3 n. */
static double miss(const float *p, int count, int n, float *room)
{
  double worst = 0;
  resample(p, count, room, n);
  for (int k = 0; k < count; k++) {
    float q[3];
    const float *at = p + 3 * (size_t)k;
    point_at(room, n, (double)k * (n - 1) / (count - 1), q);
    double d[3] = {(double)q[0] - at[0], (double)q[1] - at[1], (double)q[2] - at[2]};
    worst = fmax(worst, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  }
  return worst;
}

int view_points_needed(const skein_frame *f, int rod, int least, float *room)
{
  int first = f->point_start[rod], count = f->point_start[rod + 1] - first, n = count < FEW ? count : FEW;
  const float *p = f->point + 3 * (size_t)first;
  double length = 0;
  if (n < least) n = least;
  if (n >= count) return n;
  for (int k = 0; k + 1 < count; k++) {
    const float *a = p + 3 * (size_t)k;
    length += sqrt(pow((double)a[3] - a[0], 2) + pow((double)a[4] - a[1], 2) + pow((double)a[5] - a[2], 2));
  }
  double tol = fmax(0.1 * f->radius[rod], 1e-4 * length);
  while (n < count && miss(p, count, n, room) > tol) n += n / 4;
  return n < count ? n : count;
}

bool view_resample(const skein_frame *f, const int *count, skein_frame *out)
{
  *out = *f;
  out->point_start = calloc((size_t)f->rods + 1, sizeof *out->point_start);
  for (int r = 0; out->point_start && r < f->rods; r++) {
    bool empty = f->point_start[r] == f->point_start[r + 1];
    out->point_start[r + 1] = out->point_start[r] + (empty ? 0 : count[r]);
  }
  out->points = out->point_start ? out->point_start[f->rods] : 0;
  out->point = calloc(3 * (size_t)out->points + 3, sizeof *out->point);
  if (!out->point_start || !out->point) return view_resample_free(out), false;
  for (int r = 0; r < f->rods; r++) {
    int from = f->point_start[r], to = out->point_start[r], n = out->point_start[r + 1] - to;
    if (n > 0) resample(f->point + 3 * (size_t)from, f->point_start[r + 1] - from, out->point + 3 * (size_t)to, n);
  }
  return true;
}

void view_resample_free(skein_frame *resampled)
{
  free(resampled->point_start);
  free(resampled->point);
  *resampled = (skein_frame){0};
}
