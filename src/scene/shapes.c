/* Natural and initial shapes of rods: curvatures and twist in cells. */
#include "scene/reader.h"

#include <string.h>

/* kappa = a / (a^2 + c^2), tau = c / (a^2 + c^2), c = pitch / (2 pi); bends about d1. */
static void read_helix(sk_reader *r, const sk_at *at, double *u)
{
  static const char *const fields[] = {"radius", "pitch"};
  if (!sk_at_object(r, at, fields, 2) || !sk_at_need(r, at, "radius") || !sk_at_need(r, at, "pitch")) return;
  double a = sk_get_number(r, at, "radius", SK_LENGTH, SK_POSITIVE, 0);
  double c = sk_get_number(r, at, "pitch", SK_LENGTH, SK_ANY, 0) / (2 * SK_PI);
  double k = 1 / (a * a + c * c);
  if (!sk_failed(r)) u[0] = k * a, u[1] = 0, u[2] = k * c;
}

/* One number: about d1; two: about d1 and d2. */
static void read_uniform(sk_reader *r, const sk_at *at, double *u)
{
  sk_at k = sk_at_get(at, "curvature");
  u[0] = u[1] = u[2] = 0;
  if (json_is_array(k.value)) sk_at_numbers(r, &k, SK_CURVATURE, 2, u);
  else if (k.value && !json_is_number(k.value)) sk_at_wrong(r, &k, "a number or a list of 2 numbers");
  else u[0] = sk_get_number(r, at, "curvature", SK_CURVATURE, SK_ANY, 0);
  u[2] = sk_get_number(r, at, "twist", SK_CURVATURE, SK_ANY, 0);
}

static double *read_list(sk_reader *r, const sk_at *at, int *count)
{
  size_t n = sk_at_array(r, at);
  if (!sk_failed(r) && !n) sk_at_fail(r, at, "is empty, expected at least one cell [k1, k2, twist]");
  if (n > SK_MOST_CELLS) sk_at_fail(r, at, "has %zu cells, expected at most %d", n, SK_MOST_CELLS);
  double *cells = sk_failed(r) ? NULL : SK_READ_NEW(r, 3 * n, double);
  for (size_t i = 0; cells && i < n && !sk_failed(r); i++) {
    sk_at item = sk_at_item(at, i);
    sk_at_numbers(r, &item, SK_CURVATURE, 3, cells + 3 * i);
  }
  *count = (int)n;
  return cells;
}

const double *sk_get_cells(sk_reader *r, const sk_at *rod, const char *key, int *count)
{
  static const char *const fields[] = {"curvature", "twist", "cells", "helix"};
  sk_at at = sk_at_get(rod, key);
  *count = 0;
  if (!at.value || sk_failed(r)) return NULL;
  double *u = SK_READ_NEW(r, 3, double);
  if (!u) return NULL;
  *count = 1;
  if (json_is_string(at.value) && !strcmp(json_string_value(at.value), "straight")) return u;
  if (!json_is_object(at.value)) return sk_at_wrong(r, &at, "'straight' or an object { }"), NULL;
  if (!sk_at_object(r, &at, fields, SK_COUNT(fields))) return NULL;
  sk_at cells = sk_at_get(&at, "cells"), helix = sk_at_get(&at, "helix");
  bool uniform = sk_at_has(&at, "curvature") || sk_at_has(&at, "twist");
  if ((cells.value != NULL) + (helix.value != NULL) + uniform != 1)
    return sk_at_fail(r, &at, "expected one of: 'curvature' and 'twist', 'cells', 'helix'"), NULL;
  if (cells.value) return read_list(r, &cells, count);
  if (helix.value && !json_is_object(helix.value)) sk_at_wrong(r, &helix, "an object { }");
  if (helix.value) read_helix(r, &helix, u);
  else read_uniform(r, &at, u);
  return u;
}
