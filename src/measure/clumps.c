/* Clumps: strands that run side by side, and stay there.
 *
 * A place of rod i is close to rod j where their axes are no further apart than reach (r_i + r_j). Rods i and j are
 * joined when at least `share` of the 16 places of one of them are close to the other, in this frame and, where one is
 * given, in an earlier one. Clumps are the connected components of two rods or more. */
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

/* ---- Pairs that run side by side ---- */

static double distance2(const skein_frame *f, int k, sk_vec3 x)
{
  sk_vec3 a = sk_frame_point(f, k), d = sk_sub(sk_frame_point(f, k + 1), a), y = sk_sub(x, a);
  double l2 = sk_dot(d, d), t = l2 > 0 ? fmin(fmax(sk_dot(y, d) / l2, 0), 1) : 0;
  sk_vec3 gap = sk_axpy(y, -t, d);
  return sk_dot(gap, gap);
}

static bool add_pair(sk_pairs *p, int i, int j)
{
  if (p->count == p->room) {
    size_t room = 2 * p->room + 256;
    sk_pair *grown = realloc(p->at, room * sizeof *grown);
    if (!grown) return false;
    p->at = grown, p->room = room;
  }
  p->at[p->count++] = (sk_pair){SK_MIN(i, j), SK_MAX(i, j)};
  return true;
}

static int compare_pairs(const void *x, const void *y)
{
  const sk_pair *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

/* What is counted around one rod: of every other rod, the last place that was close to it, and how many. */
typedef struct counter {
  int *place, *close, *seen; /* seen: rods with a count */
  int seen_count;
} counter;

static void look_around(const lattice *g, const skein_frame *f, double reach, int i, int place, counter *c)
{
  sk_vec3 x = sk_frame_at(f, i, (double)(place + 1) / SK_MEASURE_SAMPLES), y = sk_sub(x, g->lo);
  int at[3] = {clip(floor(y.x / g->cell), g->n[0]), clip(floor(y.y / g->cell), g->n[1]),
               clip(floor(y.z / g->cell), g->n[2])};
  size_t cell = ((size_t)at[2] * (size_t)g->n[1] + (size_t)at[1]) * (size_t)g->n[0] + (size_t)at[0];
  for (int k = g->start[cell]; k < g->start[cell + 1]; k++) {
    int j = g->rod[g->segment[k]];
    double most = reach * ((double)f->radius[i] + f->radius[j]);
    if (j == i || (c->close[j] > 0 && c->place[j] == place) || distance2(f, g->segment[k], x) > most * most) continue;
    if (c->close[j]++ == 0) c->seen[c->seen_count++] = j;
    c->place[j] = place;
  }
}

skein_status sk_pairs_find(const skein_frame *f, const skein_measure_def *def, sk_pairs *p)
{
  sk_arena arena = {0};
  lattice g = {0};
  float largest = 0;
  if (f->points == 0) return sk_ok();
  int least = SK_MAX(1, (int)ceil(def->share * SK_MEASURE_SAMPLES - 1e-9));
  for (int i = 0; i < f->rods; i++) largest = SK_MAX(largest, f->radius[i]);
  skein_status s = make_lattice(f, def->reach, largest, &arena, &g);
  counter c = {SK_NEW(&arena, f->rods, int), SK_NEW(&arena, f->rods, int), SK_NEW(&arena, f->rods, int), 0};
  if (s.code == SKEIN_OK && arena.failed) s = sk_no_memory();
  for (int i = 0; i < f->rods && s.code == SKEIN_OK; i++) {
    for (int k = 0; k < SK_MEASURE_SAMPLES; k++) look_around(&g, f, def->reach, i, k, &c);
    for (int k = 0; k < c.seen_count; k++) {
      if (c.close[c.seen[k]] >= least && !add_pair(p, i, c.seen[k])) s = sk_no_memory();
      c.close[c.seen[k]] = 0;
    }
    c.seen_count = 0;
  }
  sk_arena_free(&arena);
  if (p->count > 0) qsort(p->at, p->count, sizeof *p->at, compare_pairs);
  size_t kept = 0;
  for (size_t k = 0; k < p->count; k++)
    if (k == 0 || compare_pairs(&p->at[k], &p->at[k - 1]) != 0) p->at[kept++] = p->at[k];
  p->count = kept;
  return s;
}

/* ---- Components ---- */

static int root_of(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* The smaller number becomes the root: a clump is known by its first rod. */
static void join(int *parent, const sk_pair *p)
{
  int a = root_of(parent, p->a), b = root_of(parent, p->b);
  if (a < b) parent[b] = a;
  else parent[a] = b;
}

static void count_clumps(int rods, int *clump, const int *size, skein_clumps *out)
{
  double in_clumps = 0, squares = 0;
  for (int i = 0; i < rods; i++) {
    if (clump[i] != i) continue;
    squares += (double)size[i] * size[i];
    out->largest = SK_MAX(out->largest, size[i]);
    if (size[i] == 1) out->singles++, clump[i] = -1;
    else out->clumps++, in_clumps += size[i];
  }
  out->mean = out->clumps > 0 ? in_clumps / out->clumps : 0;
  out->of_rod = rods > 0 ? squares / rods : 0;
}

static bool holds(const sk_pairs *p, const sk_pair *one)
{
  return p->count > 0 && bsearch(one, p->at, p->count, sizeof *p->at, compare_pairs);
}

skein_status sk_pairs_clumps(const sk_pairs *before, const sk_pairs *now, int rods, int *clump, skein_clumps *out)
{
  *out = (skein_clumps){0};
  if (rods == 0) return sk_ok();
  int *size = sk_calloc((size_t)rods, sizeof *size), *parent = clump ? clump : sk_calloc((size_t)rods, sizeof *parent);
  if (size && parent) {
    for (int i = 0; i < rods; i++) parent[i] = i;
    for (size_t k = 0; k < now->count; k++) {
      if (before && !holds(before, &now->at[k])) continue;
      join(parent, &now->at[k]);
      out->pairs++;
    }
    for (int i = 0; i < rods; i++) parent[i] = root_of(parent, i), size[parent[i]]++;
    count_clumps(rods, parent, size, out);
  }
  bool memory = size && parent;
  free(size);
  if (parent != clump) free(parent);
  return memory ? sk_ok() : sk_no_memory();
}

skein_status skein_measure_clumps(const skein_frame *before, const skein_frame *f, const skein_measure_def *def,
                                  int *clump, skein_clumps *out)
{
  sk_pairs now = {0}, then = {0};
  *out = (skein_clumps){0};
  skein_status s = sk_measure_def_check(def);
  if (s.code == SKEIN_OK) s = sk_frame_vet(f);
  if (s.code == SKEIN_OK && before) s = sk_frame_vet(before);
  if (s.code == SKEIN_OK && before && !sk_frames_agree(before, f))
    s = sk_fail(SKEIN_BAD_INPUT, "the two frames have different rods");
  if (s.code == SKEIN_OK) s = sk_pairs_find(f, def, &now);
  if (s.code == SKEIN_OK && before) s = sk_pairs_find(before, def, &then);
  if (s.code == SKEIN_OK) s = sk_pairs_clumps(before ? &then : NULL, &now, f->rods, clump, out);
  free(now.at);
  free(then.at);
  return s;
}
