/* Frames: given back, and checked. */
#include "frame/frame.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

void skein_frame_destroy(skein_frame *f)
{
  free(f->point_start), free(f->point), free(f->radius), free(f->rod_group), free(f->rod_source);
  free(f->body_pose);
  free(f->contact_object), free(f->contact_s);
  free(f->contact_point), free(f->contact_normal), free(f->contact_impulse);
  free(f->contact_gap), free(f->contact_status);
  free(f->surface_body), free(f->surface_start), free(f->surface_vertex);
  *f = (skein_frame){0};
}

static skein_status check_points(const skein_frame *f)
{
  if (f->point_start[0] != 0 || f->point_start[f->rods] != f->points)
    return sk_fail(SKEIN_BAD_INPUT, "point_start goes from %d to %d, expected 0 to %d", f->point_start[0],
                   f->point_start[f->rods], f->points);
  for (int i = 0; i < f->rods; i++)
    if (f->point_start[i + 1] < f->point_start[i]) return sk_fail(SKEIN_BAD_INPUT, "point_start falls at rod %d", i);
  for (int64_t k = 0; k < 3 * (int64_t)f->points; k++)
    if (!isfinite(f->point[k])) return sk_fail(SKEIN_BAD_INPUT, "points: point %lld is not finite", (long long)(k / 3));
  for (int i = 0; i < f->rods; i++)
    if (!isfinite(f->radius[i])) return sk_fail(SKEIN_BAD_INPUT, "radius of rod %d is not finite", i);
  for (int i = 0; i < f->rods; i++)
    if (f->rod_source[i] < 0 || f->rod_group[i] < 0)
      return sk_fail(SKEIN_BAD_INPUT, "rod_source or rod_group of rod %d is negative", i);
  for (int64_t k = 0; k < 7 * (int64_t)f->bodies; k++)
    if (!isfinite(f->body_pose[k]))
      return sk_fail(SKEIN_BAD_INPUT, "body_pose of body %lld is not finite", (long long)(k / 7));
  return sk_ok();
}

static bool all_finite(const double *x, size_t count)
{
  for (size_t k = 0; k < count; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

static skein_status check_contacts(const skein_frame *f)
{
  int objects = f->rods + f->bodies;
  size_t n = (size_t)f->contacts;
  if (!all_finite(f->contact_s, 2 * n) || !all_finite(f->contact_point, 3 * n) ||
      !all_finite(f->contact_normal, 3 * n) || !all_finite(f->contact_impulse, 3 * n) || !all_finite(f->contact_gap, n))
    return sk_fail(SKEIN_BAD_INPUT, "a number of a contact is not finite");
  for (int c = 0; c < f->contacts; c++) {
    const int *o = f->contact_object + 2 * (size_t)c;
    if (o[0] < 0 || o[0] >= objects || o[1] < 0 || o[1] >= objects)
      return sk_fail(SKEIN_BAD_INPUT, "contact %d is between objects %d and %d of %d", c, o[0], o[1], objects);
    if (f->contact_status[c] < 0 || f->contact_status[c] > 2)
      return sk_fail(SKEIN_BAD_INPUT, "contact %d has status %d, expected 0, 1 or 2", c, f->contact_status[c]);
  }
  return sk_ok();
}

static skein_status check_surfaces(const skein_frame *f)
{
  if (f->surfaces == 0) return sk_ok();
  if (f->surfaces < 0 || f->surfaces > f->bodies || f->surface_vertices < 0 || f->surface_vertices > INT_MAX / 8 ||
      !f->surface_body || !f->surface_start || (f->surface_vertices > 0 && !f->surface_vertex))
    return sk_fail(SKEIN_BAD_INPUT, "surfaces are not those of %d bodies", f->bodies);
  bool good = f->surface_start[0] == 0 && f->surface_start[f->surfaces] == f->surface_vertices;
  for (int k = 0; k < f->surfaces; k++)
    good = good && f->surface_start[k] <= f->surface_start[k + 1] && f->surface_body[k] >= 0 &&
           f->surface_body[k] < f->bodies;
  if (!good) return sk_fail(SKEIN_BAD_INPUT, "surface_start or surface_body is out of order");
  for (int64_t k = 0; k < 3 * (int64_t)f->surface_vertices; k++)
    if (!isfinite(f->surface_vertex[k]))
      return sk_fail(SKEIN_BAD_INPUT, "surface_vertex %lld is not finite", (long long)(k / 3));
  return sk_ok();
}

skein_status sk_frame_check(const skein_frame *f)
{
  enum { most = INT_MAX / 8 };
  if (f->index < 0 || !isfinite(f->time) || !isfinite(f->dt))
    return sk_fail(SKEIN_BAD_INPUT, "index, time or dt is not a number of a frame");
  if (f->rods < 0 || f->points < 0 || f->bodies < 0 || f->contacts < 0 || f->rods > most || f->points > most ||
      f->bodies > most || f->contacts > most)
    return sk_fail(SKEIN_BAD_INPUT, "a number of rods, points, bodies or contacts is out of range");
  bool rods =
      f->point_start && (f->points == 0 || f->point) && (f->rods == 0 || (f->radius && f->rod_group && f->rod_source));
  bool contacts = f->contacts == 0 || (f->contact_object && f->contact_s && f->contact_point && f->contact_normal &&
                                       f->contact_impulse && f->contact_gap && f->contact_status);
  if (!rods || !contacts || (f->bodies > 0 && !f->body_pose))
    return sk_fail(SKEIN_BAD_INPUT, "an array of the frame is missing");
  skein_status s = check_points(f);
  if (s.code == SKEIN_OK) s = check_contacts(f);
  return s.code == SKEIN_OK ? check_surfaces(f) : s;
}
