/* Places of rods that are close to other rods, and where on them.
 *
 * A place x of rod i is close to rod j where the nearest place of the axis of j is no further than reach (r_i + r_j).
 * Where that is on j is told as a share of its length: points are at equal steps of abscissa in every frame, however
 * many there are, and however the rod is bent or stretched. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Segments by the cells of a lattice that they may be close to; segment k begins at point k. */
typedef struct lattice {
  sk_vec3 lo;
  double cell;
  int n[3];
  int *start, *segment; /* cells + 1; the segments of a cell, ascending */
  int *rod;             /* of each point */
} lattice;

/* ---- The lattice ---- */

static int clip(double x, int n)
{
  return x > 0 ? (int)fmin(x, n - 1) : 0;
}

/* Cells from and to (both in it) of a segment with its reach. */
static void find_cells(const lattice *g, const skein_frame *f, int k, double reach, int from[3], int to[3])
{
  sk_vec3 a = sk_sub(sk_frame_point(f, k), g->lo), b = sk_sub(sk_frame_point(f, k + 1), g->lo);
  const double low[3] = {fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
  const double high[3] = {fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
  for (int c = 0; c < 3; c++) {
    from[c] = clip(floor((low[c] - reach) / g->cell), g->n[c]);
    to[c] = clip(floor((high[c] + reach) / g->cell), g->n[c]);
  }
}

/* Counts (segment NULL) or puts the segments into their cells. */
static void fill_cells(const lattice *g, const skein_frame *f, double reach, float largest, int *at, int *segment)
{
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; k + 1 < f->point_start[i + 1]; k++) {
      int from[3], to[3];
      find_cells(g, f, k, reach * ((double)f->radius[i] + largest), from, to);
      for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++)
          for (int x = from[0]; x <= to[0]; x++) {
            size_t cell = ((size_t)z * (size_t)g->n[1] + (size_t)y) * (size_t)g->n[0] + (size_t)x;
            if (segment) segment[at[cell]] = k;
            at[cell]++;
          }
    }
}

/* Cells as long as a mean segment or the reach, but not many more of them than segments. */
static skein_status make_lattice(const skein_frame *f, double reach, float largest, sk_arena *arena, lattice *g)
{
  enum { most_cells = 1 << 22 };
  sk_vec3 hi;
  double length = 0;
  sk_frame_bounds(f, &g->lo, &hi);
  g->rod = SK_NEW_RAW(arena, f->points, int);
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < f->rods; i++) {
    length += sk_frame_length(f, i);
    for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++) g->rod[k] = i;
  }
  sk_vec3 size = sk_sub(hi, g->lo);
  g->cell = fmax(fmax(length / f->points, reach * largest), 1e-12);
  double cells;
  for (;; g->cell *= 1.26) {
    cells = (floor(size.x / g->cell) + 1) * (floor(size.y / g->cell) + 1) * (floor(size.z / g->cell) + 1);
    if (cells <= most_cells && cells <= 64.0 * f->points + 64) break;
  }
  const double extent[3] = {size.x, size.y, size.z};
  for (int c = 0; c < 3; c++) g->n[c] = (int)floor(extent[c] / g->cell) + 1;
  int *at = SK_NEW(arena, cells, int);
  g->start = SK_NEW(arena, cells + 1, int);
  if (arena->failed) return sk_no_memory();
  fill_cells(g, f, reach, largest, at, NULL);
  double all = 0;
  for (size_t k = 0; k < (size_t)cells; k++) all += at[k];
  if (all > 2e9) return sk_fail(SKEIN_BAD_INPUT, "reach is %g radii, which covers everything", reach);
  for (size_t k = 0; k < (size_t)cells; k++) g->start[k + 1] = g->start[k] + at[k], at[k] = g->start[k];
  g->segment = SK_NEW_RAW(arena, all, int);
  if (arena->failed) return sk_no_memory();
  fill_cells(g, f, reach, largest, at, g->segment);
  return sk_ok();
}

/* ---- Close places ---- */

/* Around one place: of every other rod the square of the distance to it and where that is; seen: rods that have one. */
typedef struct around {
  double *distance2, *at; /* distance2: infinite where a rod is not close */
  int *seen, seen_count;
} around;

/* The nearest place of segment k to x: its share of the segment, 0 to 1, and the square of the distance. */
static double project(const skein_frame *f, int k, sk_vec3 x, double *distance2)
{
  sk_vec3 a = sk_frame_point(f, k), d = sk_sub(sk_frame_point(f, k + 1), a), y = sk_sub(x, a);
  double l2 = sk_dot(d, d), t = l2 > 0 ? fmin(fmax(sk_dot(y, d) / l2, 0), 1) : 0;
  sk_vec3 gap = sk_axpy(y, -t, d);
  *distance2 = sk_dot(gap, gap);
  return t;
}

/* The nearest place of every rod that is close to a place of rod i. */
static void look_around(const lattice *g, const skein_frame *f, double reach, int i, int place, around *o)
{
  sk_vec3 x = sk_frame_at(f, i, (double)(place + 1) / SK_MEASURE_SAMPLES), y = sk_sub(x, g->lo);
  int at[3] = {clip(floor(y.x / g->cell), g->n[0]), clip(floor(y.y / g->cell), g->n[1]),
               clip(floor(y.z / g->cell), g->n[2])};
  size_t cell = ((size_t)at[2] * (size_t)g->n[1] + (size_t)at[1]) * (size_t)g->n[0] + (size_t)at[0];
  for (int c = g->start[cell]; c < g->start[cell + 1]; c++) {
    int k = g->segment[c], j = g->rod[k], first = f->point_start[j];
    double most = reach * ((double)f->radius[i] + f->radius[j]), d2, t;
    if (j == i || (t = project(f, k, x, &d2), d2 > most * most) || d2 >= o->distance2[j]) continue;
    if (isinf(o->distance2[j])) o->seen[o->seen_count++] = j;
    o->distance2[j] = d2, o->at[j] = (k - first + t) / (f->point_start[j + 1] - 1 - first);
  }
}

static int compare_ints(const void *x, const void *y)
{
  int a = *(const int *)x, b = *(const int *)y;
  return (a > b) - (a < b);
}

/* Appends what was found around a place, by ascending rods, and clears it. */
static bool take_around(sk_nears *n, int i, int place, around *o)
{
  size_t needed = n->count + (size_t)o->seen_count;
  if (needed > n->room) {
    size_t room = 2 * needed + 256;
    sk_near *grown = realloc(n->at, room * sizeof *grown);
    if (!grown) return false;
    n->at = grown, n->room = room;
  }
  if (o->seen_count > 1) qsort(o->seen, (size_t)o->seen_count, sizeof *o->seen, compare_ints);
  for (int k = 0; k < o->seen_count; k++) {
    int j = o->seen[k];
    n->at[n->count++] = (sk_near){i, place, j, (float)o->at[j]};
    o->distance2[j] = INFINITY;
  }
  o->seen_count = 0;
  return true;
}

/* What clumps are made of needs to know of the rods. */
static skein_status take_rods(const skein_frame *f, sk_nears *n)
{
  if (f->rods > n->rod_room) {
    sk_near_rod *grown = realloc(n->rod, (size_t)f->rods * sizeof *grown);
    if (!grown) return sk_no_memory();
    n->rod = grown, n->rod_room = f->rods;
  }
  n->rods = f->rods;
  for (int i = 0; i < f->rods; i++)
    n->rod[i] = (sk_near_rod){f->rod_source[i], (double)f->radius[i], sk_frame_length(f, i)};
  return sk_ok();
}

skein_status sk_nears_find(const skein_frame *f, double reach, sk_nears *n)
{
  sk_arena arena = {0};
  lattice g = {0};
  float largest = 0;
  n->count = 0;
  skein_status s = take_rods(f, n);
  if (s.code != SKEIN_OK || f->points == 0) return s;
  for (int i = 0; i < f->rods; i++) largest = SK_MAX(largest, f->radius[i]);
  s = make_lattice(f, reach, largest, &arena, &g);
  around o = {SK_NEW(&arena, f->rods, double), SK_NEW(&arena, f->rods, double), SK_NEW(&arena, f->rods, int), 0};
  if (s.code == SKEIN_OK && arena.failed) s = sk_no_memory();
  for (int i = 0; i < f->rods && s.code == SKEIN_OK; i++) o.distance2[i] = INFINITY;
  for (int i = 0; i < f->rods && s.code == SKEIN_OK; i++)
    for (int k = 0; k < SK_MEASURE_SAMPLES && s.code == SKEIN_OK; k++) {
      look_around(&g, f, reach, i, k, &o);
      if (!take_around(n, i, k, &o)) s = sk_no_memory();
    }
  sk_arena_free(&arena);
  return s;
}

void sk_nears_free(sk_nears *n)
{
  free(n->at), free(n->rod);
  *n = (sk_nears){0};
}
