/* Places on the rods of a frame. */
#include "measure/measure.h"

#include <math.h>

sk_vec3 sk_frame_point(const skein_frame *f, int k)
{
  const float *p = f->point + 3 * (size_t)k;
  return sk_vec(p[0], p[1], p[2]);
}

sk_vec3 sk_frame_at(const skein_frame *f, int rod, double t)
{
  int first = f->point_start[rod], pieces = f->point_start[rod + 1] - 1 - first;
  if (pieces < 1) return sk_frame_point(f, first);
  double at = fmin(fmax(t, 0), 1) * pieces;
  int k = SK_MIN((int)at, pieces - 1);
  sk_vec3 a = sk_frame_point(f, first + k), b = sk_frame_point(f, first + k + 1);
  return sk_axpy(a, at - k, sk_sub(b, a));
}

double sk_frame_length(const skein_frame *f, int rod)
{
  double sum = 0;
  for (int k = f->point_start[rod]; k + 1 < f->point_start[rod + 1]; k++)
    sum += sk_norm(sk_sub(sk_frame_point(f, k + 1), sk_frame_point(f, k)));
  return sum;
}

skein_status sk_frame_vet(const skein_frame *f)
{
  for (int i = 0; i < f->rods; i++)
    if (f->point_start[i + 1] <= f->point_start[i]) return sk_fail(SKEIN_BAD_INPUT, "rod %d has no points", i);
  for (size_t k = 0; k < 3 * (size_t)f->points; k++)
    if (!isfinite(f->point[k])) return sk_fail(SKEIN_BAD_INPUT, "point %zu is not finite", k / 3);
  return sk_ok();
}

bool sk_frames_agree(const skein_frame *a, const skein_frame *b)
{
  if (!a || a->rods != b->rods || a->bodies != b->bodies) return false;
  for (int i = 0; i < a->rods; i++)
    if (a->rod_source[i] != b->rod_source[i]) return false;
  return true;
}

bool sk_frame_bounds(const skein_frame *f, sk_vec3 *lo, sk_vec3 *hi)
{
  *lo = sk_vec(INFINITY, INFINITY, INFINITY), *hi = sk_mul(-1, *lo);
  for (int k = 0; k < f->points; k++) {
    sk_vec3 p = sk_frame_point(f, k);
    *lo = sk_vec(fmin(lo->x, p.x), fmin(lo->y, p.y), fmin(lo->z, p.z));
    *hi = sk_vec(fmax(hi->x, p.x), fmax(hi->y, p.y), fmax(hi->z, p.z));
  }
  return f->points > 0;
}
