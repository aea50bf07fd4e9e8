/* Bundles and grids: copies of one rod, moved sideways. Same seed, same places. */
#include "scene/rods.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* A copy that is moved and rolled about its root's tangent. */
static void add_copy(sk_reader *r, const sk_at *entry, const sk_scene_rod *rod, int number, sk_vec3 by, double roll)
{
  sk_scene_rod copy = *rod;
  skein_pose *p = &copy.def.pose;
  sk_vec3 d1 = sk_load3(p->d[0]), d2 = sk_load3(p->d[1]);
  double c = cos(roll), s = sin(roll);
  sk_store3(p->r, sk_add(sk_load3(p->r), by));
  if (roll != 0) {
    sk_store3(p->d[0], sk_axpy(sk_mul(c, d1), s, d2));
    sk_store3(p->d[1], sk_axpy(sk_mul(c, d2), -s, d1));
  }
  sk_rods_add(r, entry, &copy, number);
}

/* ---- Bundles: the points of a hexagonal lattice nearest to its origin ---- */

typedef struct cell {
  int i, j, order;
} cell;

/* Squared distance of i (1, 0) + j (1/2, sqrt(3)/2), a whole number. */
static int square(const cell *c)
{
  return c->i * c->i + c->i * c->j + c->j * c->j;
}

static int nearer(const void *a, const void *b)
{
  const cell *x = a, *y = b;
  int d = square(x) - square(y);
  return d ? d : x->order - y->order;
}

/* The `count` nearest cells, nearest first; the rest of the list is of no use. */
static cell *pack(sk_reader *r, int count)
{
  int rings = (int)ceil(1.16 * sqrt(count / 3.0)) + 1, n = 0;
  cell *cells = SK_READ_NEW(r, (size_t)(2 * rings + 1) * (size_t)(2 * rings + 1), cell);
  for (int i = -rings; cells && i <= rings; i++)
    for (int j = -rings; j <= rings; j++)
      if (abs(i + j) <= rings) cells[n] = (cell){i, j, n}, n++;
  if (cells) qsort(cells, (size_t)n, sizeof *cells, nearer);
  return cells;
}

sk_vec3 *sk_rods_pack(sk_reader *r, int count, double spacing)
{
  const cell *cells = pack(r, count);
  sk_vec3 *places = cells ? SK_READ_NEW(r, count, sk_vec3) : NULL;
  for (int k = 0; places && k < count; k++)
    places[k] = sk_vec(spacing * (cells[k].i + 0.5 * cells[k].j), spacing * 0.5 * sqrt(3) * cells[k].j, 0);
  return places;
}

/* The distance of neighbours: given, or so that the bundle fills its radius; never less than two radii of a rod. */
static double read_spacing(sk_reader *r, const sk_at *at, double radius, double reach)
{
  sk_at outer = sk_at_get(at, "radius"), given = sk_at_get(at, "spacing");
  double unit = r->factor[SK_LENGTH], spacing = 2.2 * radius;
  if (outer.value && given.value) sk_at_fail(r, &outer, "stands beside 'spacing', expected one of them");
  if (outer.value && reach > 0) {
    spacing = (sk_get_number(r, at, "radius", SK_LENGTH, SK_POSITIVE, 0) - radius) / reach;
    if (!sk_failed(r) && !(spacing >= 2 * radius * (1 - 1e-9)))
      sk_at_fail(r, &outer, "is too small for these rods of radius %.6g, expected at least %.6g", radius / unit,
                 radius * (2 * reach + 1) / unit);
  } else spacing = sk_get_number(r, at, "spacing", SK_LENGTH, SK_POSITIVE, spacing);
  if (!sk_failed(r) && !(spacing >= 2 * radius * (1 - 1e-9)))
    sk_at_fail(r, &given, "is too small for rods of radius %.6g, expected at least %.6g", radius / unit,
               2 * radius / unit);
  return spacing;
}

static void add_bundle(sk_reader *r, const sk_at *entry, const sk_at *at, const sk_scene_rod *rod)
{
  static const char *const fields[] = {"count", "radius", "spacing", "seed", "jitter", "roll"};
  if (!sk_at_object(r, at, fields, SK_COUNT(fields)) || !sk_at_need(r, at, "count")) return;
  int count = sk_get_int(r, at, "count", 1, SK_MOST_RODS, 1);
  double jitter = sk_get_number(r, at, "jitter", SK_ONE, SK_SHARE, 0);
  double roll = sk_get_number(r, at, "roll", SK_ANGLE, SK_NOT_NEGATIVE, 0);
  sk_random g = sk_random_make((uint64_t)sk_get_int(r, at, "seed", 0, INT_MAX, 1));
  if (!sk_rods_reserve(r, at, count)) return;
  const cell *cells = pack(r, count);
  if (!cells) return;
  double spacing = read_spacing(r, at, rod->radius, sqrt(square(&cells[count - 1])));
  double free_way = jitter * fmax(0, 0.5 * (spacing - 2 * rod->radius));
  sk_vec3 d1 = sk_load3(rod->def.pose.d[0]), d2 = sk_load3(rod->def.pose.d[1]);
  for (int k = 0; k < count && !sk_failed(r); k++) {
    double away = free_way * sqrt(sk_random_uniform(&g, 0, 1)), turn = sk_random_uniform(&g, 0, 2 * SK_PI);
    double x = spacing * (cells[k].i + 0.5 * cells[k].j) + away * cos(turn);
    double y = spacing * 0.5 * sqrt(3) * cells[k].j + away * sin(turn);
    add_copy(r, entry, rod, k, sk_axpy(sk_mul(x, d1), y, d2), sk_random_uniform(&g, -roll, roll));
  }
}

/* ---- Grids: along the axes of the world, around the place of the root ---- */

static void add_grid(sk_reader *r, const sk_at *entry, const sk_at *at, const sk_scene_rod *rod)
{
  static const char *const fields[] = {"count", "spacing", "seed", "jitter", "roll"};
  int n[3] = {1, 1, 1}, number = 0;
  double d[3];
  if (!sk_at_object(r, at, fields, SK_COUNT(fields)) || !sk_at_need(r, at, "count") || !sk_at_need(r, at, "spacing"))
    return;
  sk_at counts = sk_at_get(at, "count"), spacing = sk_at_get(at, "spacing");
  if (!sk_at_numbers(r, &counts, SK_ONE, 3, d)) return;
  for (int k = 0; k < 3; k++) {
    sk_at item = sk_at_item(&counts, (size_t)k);
    if (!(d[k] >= 1 && d[k] <= SK_MOST_RODS && d[k] == floor(d[k]))) sk_at_wrong(r, &item, "a whole number >= 1");
    else n[k] = (int)d[k];
  }
  if (json_is_number(spacing.value)) d[0] = d[1] = d[2] = sk_at_number(r, &spacing, SK_LENGTH, SK_ANY);
  else sk_at_numbers(r, &spacing, SK_LENGTH, 3, d);
  double jitter = sk_get_number(r, at, "jitter", SK_ONE, SK_SHARE, 0);
  double roll = sk_get_number(r, at, "roll", SK_ANGLE, SK_NOT_NEGATIVE, 0);
  sk_random g = sk_random_make((uint64_t)sk_get_int(r, at, "seed", 0, INT_MAX, 1));
  double many = (double)n[0] * n[1] * n[2];
  if (!sk_rods_reserve(r, at, many > SK_MOST_RODS ? (int64_t)fmin(many, 1e18) : (int64_t)many)) return;
  for (int a = 0; a < n[0]; a++)
    for (int b = 0; b < n[1]; b++)
      for (int c = 0; c < n[2] && !sk_failed(r); c++) {
        int at3[3] = {a, b, c};
        double by[3];
        for (int k = 0; k < 3; k++) {
          double loose = n[k] > 1 ? 0.5 * jitter : 0;
          by[k] = d[k] * (at3[k] - 0.5 * (n[k] - 1) + sk_random_uniform(&g, -loose, loose));
        }
        add_copy(r, entry, rod, number++, sk_load3(by), sk_random_uniform(&g, -roll, roll));
      }
}

void sk_rods_expand(sk_reader *r, const sk_at *entry, const sk_scene_rod *rod)
{
  sk_at bundle = sk_at_get(entry, "bundle"), grid = sk_at_get(entry, "grid");
  if (bundle.value && !json_is_object(bundle.value)) sk_at_wrong(r, &bundle, "an object { }");
  else if (grid.value && !json_is_object(grid.value)) sk_at_wrong(r, &grid, "an object { }");
  else if (bundle.value) add_bundle(r, entry, &bundle, rod);
  else if (grid.value) add_grid(r, entry, &grid, rod);
  else if (sk_rods_reserve(r, entry, 1)) sk_rods_add(r, entry, rod, -1);
}
