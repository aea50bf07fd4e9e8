/* Tubes of bodies: the points of their curve, in the scene or as the one line of a file. */
#include "scene/files.h"
#include "scene/reader.h"

#include <stdlib.h>

enum { MOST_POINTS = 100 * 1000 };

/* The numbers of "points", as they are; NULL: failed. */
static const double *read_points(sk_reader *r, const sk_at *at, int *count)
{
  size_t n = sk_at_array(r, at);
  if (n > MOST_POINTS) sk_at_fail(r, at, "has %zu points, expected at most %d", n, MOST_POINTS);
  double *x = sk_failed(r) ? NULL : SK_READ_NEW(r, 3 * n, double);
  for (size_t i = 0; x && i < n && !sk_failed(r); i++) {
    sk_at item = sk_at_item(at, i);
    sk_at_numbers(r, &item, SK_ONE, 3, x + 3 * i);
  }
  *count = (int)n;
  return sk_failed(r) ? NULL : x;
}

/* The same of a file of lines, which has one. */
static const double *read_file(sk_reader *r, const sk_at *shape, const sk_at *at, int *count)
{
  sk_strands lines = {0};
  char word[80];
  const char *file = sk_get_string(r, shape, "file", NULL), *path = file ? sk_reader_path(r, file) : NULL;
  if (sk_failed(r) || !path) return NULL;
  sk_at_refuse(r, at, sk_status_prefix(sk_strands_read(path, &lines), sk_safe(file, word, sizeof word)));
  if (!sk_failed(r) && lines.count != 1) sk_at_fail(r, at, "%s: has %d lines, expected one", word, lines.count);
  if (!sk_failed(r) && lines.start[1] > MOST_POINTS)
    sk_at_fail(r, at, "%s: has %d points, expected at most %d", word, lines.start[1], MOST_POINTS);
  *count = sk_failed(r) ? 0 : lines.start[1];
  double *x = sk_failed(r) ? NULL : SK_READ_NEW(r, 3 * (size_t)*count, double);
  for (size_t k = 0; x && k < 3 * (size_t)*count; k++) x[k] = lines.point[k];
  sk_strands_destroy(&lines);
  return x;
}

void sk_read_tube(sk_reader *r, const sk_at *at, sk_shape *shape)
{
  skein_scene *s = r->scene;
  sk_at points = sk_at_get(at, "points"), file = sk_at_get(at, "file"), from = points.value ? points : file;
  double scale = sk_get_number(r, at, "scale", SK_ONE, SK_POSITIVE, 1) * r->factor[SK_LENGTH];
  bool closed = sk_get_bool(r, at, "closed", false);
  int count = 0;
  sk_tube *tube = NULL;
  if (!points.value == !file.value) sk_at_fail(r, at, "expected one of: 'points', 'file'");
  if (sk_failed(r)) return;
  const double *x = points.value ? read_points(r, &points, &count) : read_file(r, at, &file, &count);
  double *scaled = x ? SK_READ_NEW(r, 3 * (size_t)count, double) : NULL;
  if (!scaled) return;
  for (size_t k = 0; k < 3 * (size_t)count; k++) scaled[k] = scale * x[k];
  sk_at_refuse(r, &from, sk_tube_create(scaled, count, closed, shape->radius, &tube));
  if (tube) s->tubes[s->tube_count++] = tube;
  shape->tube = tube;
}
