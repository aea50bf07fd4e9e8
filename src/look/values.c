/* One number per point of a frame. The points of a rod are at equal steps of abscissa, so that a contact's place on the
 * rod is a share of its length; a rod that was cut has the length of its polyline. */
#include "look/look.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lengths ---- */

static double chord(const skein_frame *f, int k)
{
  const float *p = f->point + 3 * (size_t)k;
  return sk_norm(sk_vec((double)p[3] - p[0], (double)p[4] - p[1], (double)p[5] - p[2]));
}

static double polyline_length(const skein_frame *f, int rod)
{
  double sum = 0;
  for (int k = f->point_start[rod]; k + 1 < f->point_start[rod + 1]; k++) sum += chord(f, k);
  return sum;
}

/* How many pieces each rod of the scene is in; NULL: no memory. */
static int *count_pieces(const skein_look *look, const skein_frame *f)
{
  int *pieces = sk_calloc((size_t)look->rod_count, sizeof *pieces);
  for (int i = 0; pieces && i < f->rods; i++)
    if (f->rod_source[i] >= 0 && f->rod_source[i] < look->rod_count) pieces[f->rod_source[i]]++;
  return pieces;
}

static double rod_length(const skein_look *look, const skein_frame *f, const int *pieces, int rod)
{
  int source = f->rod_source[rod];
  bool whole = source >= 0 && source < look->rod_count && pieces[source] == 1;
  return whole ? look->rods[source].length : polyline_length(f, rod);
}

/* ---- Contacts ---- */

/* Adds what a contact at abscissa s says to the points near it: status within two radii or on the segment that it is
 * on; force fading to nothing over two diameters, or over a segment where that is longer. */
static void touch_points(const skein_frame *f, int rod, double s, double length, skein_colour by, float amount,
                         float *value)
{
  int first = f->point_start[rod], last = f->point_start[rod + 1] - 1;
  if (last <= first || !(length > 0)) return;
  double step = length / (last - first),
         reach = fmax(by == SKEIN_BY_FORCE ? 4 * f->radius[rod] : 2 * f->radius[rod], step);
  double from = ceil((s - reach) / step), to = floor((s + reach) / step);
  int lo = from > 0 ? (int)fmin(from, last - first) : 0, hi = to < last - first ? (int)fmax(to, 0) : last - first;
  for (int k = lo; k <= hi; k++) {
    double away = fabs(k * step - s) / reach;
    if (by == SKEIN_BY_FORCE) value[first + k] += amount * (float)fmax(0, 1 - away);
    else value[first + k] = SK_MAX(value[first + k], amount);
  }
}

static skein_status contact_values(const skein_look *look, skein_colour by, const skein_frame *f, float *value)
{
  int *pieces = count_pieces(look, f);
  if (!pieces) return sk_no_memory();
  for (int c = 0; c < f->contacts; c++) {
    double force = f->dt > 0 ? sk_norm(sk_load3(f->contact_impulse + 3 * (size_t)c)) / f->dt : 0;
    float amount = by == SKEIN_BY_FORCE ? (isfinite(force) ? (float)fmin(force, 1e30) : 0) : f->contact_status[c];
    for (int k = 0; k < 2; k++) {
      int object = f->contact_object[2 * (size_t)c + (size_t)k];
      double s = f->contact_s[2 * (size_t)c + (size_t)k];
      if (object >= f->rods || !isfinite(s)) continue;
      touch_points(f, object, s, rod_length(look, f, pieces, object), by, amount, value);
    }
  }
  free(pieces);
  return sk_ok();
}

/* ---- Islands: what is joined by contacts that are not open, through rods and dynamic bodies ---- */

static int root_of(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static skein_status island_values(const skein_look *look, const skein_frame *f, float *value)
{
  int objects = f->rods + f->bodies;
  int *parent = sk_calloc((size_t)objects, sizeof *parent);
  bool *touched = sk_calloc((size_t)objects, sizeof *touched);
  for (int i = 0; parent && i < objects; i++) parent[i] = i;
  for (int c = 0; parent && touched && c < f->contacts; c++) {
    int a = f->contact_object[2 * (size_t)c], b = f->contact_object[2 * (size_t)c + 1];
    if (f->contact_status[c] == 0) continue;
    touched[a] = touched[b] = true;
    bool through = (a < f->rods || (a - f->rods < look->body_count && look->joins[a - f->rods])) &&
                   (b < f->rods || (b - f->rods < look->body_count && look->joins[b - f->rods]));
    if (!through) continue;
    a = root_of(parent, a), b = root_of(parent, b); /* the smallest is the root: a rod, where there is one */
    if (a < b) parent[b] = a;
    else parent[a] = b;
  }
  for (int i = 0; parent && touched && i < f->rods; i++)
    for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++)
      value[k] = touched[i] ? (float)root_of(parent, i) : -1;
  bool room = parent && touched;
  free(parent), free(touched);
  return room ? sk_ok() : sk_no_memory();
}

/* ---- Speed ---- */

/* The point at a share of the way along a rod. */
static sk_vec3 point_at(const skein_frame *f, int rod, double share)
{
  int first = f->point_start[rod], last = f->point_start[rod + 1] - 1;
  double at = fmin(fmax(share, 0), 1) * (last - first);
  int k = SK_MIN((int)at, SK_MAX(last - first - 1, 0));
  const float *p = f->point + 3 * (size_t)(first + k), *q = last > first ? p + 3 : p;
  double t = at - k;
  return sk_vec(p[0] + t * ((double)q[0] - p[0]), p[1] + t * ((double)q[1] - p[1]), p[2] + t * ((double)q[2] - p[2]));
}

/* The rod of the earlier frame that this one was cut from since: the one of the same source with the nearest tip. */
static int parent_of(const skein_frame *before, const skein_frame *f, int rod)
{
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < before->rods; i++) {
    if (before->rod_source[i] != f->rod_source[rod] || before->point_start[i] == before->point_start[i + 1]) continue;
    double away = sk_norm(sk_sub(point_at(before, i, 1), point_at(f, rod, 1)));
    if (away < least) least = away, best = i;
  }
  return best;
}

/* The same material points in the earlier frame: all of the rod, or the part of it from the root or the tip that a cut
 * has left. */
static void rod_speed(const skein_frame *before, const skein_frame *f, int rod, double dt, float *value)
{
  int first = f->point_start[rod], count = f->point_start[rod + 1] - first;
  bool old = rod < before->rods && before->rod_source[rod] == f->rod_source[rod];
  int from = old ? rod : parent_of(before, f, rod);
  if (from < 0 || count < 1 || before->point_start[from] == before->point_start[from + 1]) return;
  double ratio = polyline_length(f, rod) / fmax(polyline_length(before, from), 1e-300);
  if (!(ratio < 0.95)) ratio = 1;
  for (int k = 0; k < count; k++) {
    double share = ratio * k / SK_MAX(count - 1, 1);
    sk_vec3 was = point_at(before, from, old ? share : 1 - ratio + share);
    const float *p = f->point + 3 * (size_t)(first + k);
    value[first + k] = (float)(sk_norm(sk_sub(sk_vec(p[0], p[1], p[2]), was)) / dt);
  }
}

static void speed_values(const skein_frame *before, const skein_frame *f, float *value)
{
  double dt = before ? f->time - before->time : 0;
  for (int i = 0; dt > 0 && i < f->rods; i++) rod_speed(before, f, i, dt, value);
}

/* ---- The door ---- */

skein_status skein_look_values(const skein_look *look, skein_colour by, const skein_frame *before, const skein_frame *f,
                               float *value)
{
  memset(value, 0, sizeof *value * (size_t)f->points);
  switch (by) {
  case SKEIN_BY_STATUS:
  case SKEIN_BY_FORCE:
    return contact_values(look, by, f, value);
  case SKEIN_BY_ISLAND:
    return island_values(look, f, value);
  case SKEIN_BY_SPEED:
    speed_values(before, f, value);
    return sk_ok();
  default:
    for (int i = 0; i < f->rods; i++)
      for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++)
        value[k] = (float)(by == SKEIN_BY_GROUP ? f->rod_group[i] : sk_look_material_of(look, f, i));
    return sk_ok();
  }
}
