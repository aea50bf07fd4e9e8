/* The space that rods take: cells of a lattice that is fixed in the world.
 *
 * Occupied: a rod's polyline passes through the cell (Amanatides and Woo 1987 walk from face to face). Envelope: along
 * two of the three axes at least, the cell is an occupied one or has occupied ones on both sides; it holds what is
 * between the strands, and what they hang around. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

typedef struct cells {
  double cell;
  int64_t lo[3];
  int n[3];
  unsigned char *full;
} cells;

static size_t place(const cells *c, const int64_t at[3])
{
  return ((size_t)(at[2] - c->lo[2]) * (size_t)c->n[1] + (size_t)(at[1] - c->lo[1])) * (size_t)c->n[0] +
         (size_t)(at[0] - c->lo[0]);
}

/* Marks the cells from a to b, faces crossed in their order; the walk ends in the cell of b, whatever rounding says. */
static void walk(cells *c, const double a[3], const double b[3])
{
  int64_t at[3], end[3];
  double next[3], each[3]; /* share of the way at which the next face is crossed, and between two */
  for (int k = 0; k < 3; k++) {
    double d = b[k] - a[k];
    at[k] = (int64_t)floor(a[k]), end[k] = (int64_t)floor(b[k]);
    each[k] = d != 0 ? fabs(1 / d) : INFINITY;
    next[k] = at[k] == end[k] ? INFINITY : ((double)(d > 0 ? at[k] + 1 : at[k]) - a[k]) / d;
  }
  c->full[place(c, at)] = 1;
  for (;;) {
    int k = next[0] <= next[1] ? (next[0] <= next[2] ? 0 : 2) : (next[1] <= next[2] ? 1 : 2);
    if (!isfinite(next[k])) return;
    at[k] += end[k] > at[k] ? 1 : -1;
    next[k] = at[k] == end[k] ? INFINITY : next[k] + each[k];
    c->full[place(c, at)] = 1;
  }
}

static void mark(cells *c, const skein_frame *f)
{
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++) {
      double a[3], b[3];
      int last = SK_MIN(k + 1, f->point_start[i + 1] - 1);
      sk_store3(a, sk_mul(1 / c->cell, sk_frame_point(f, k)));
      sk_store3(b, sk_mul(1 / c->cell, sk_frame_point(f, last)));
      walk(c, a, b);
    }
}

/* First and last occupied cell of every line along an axis. */
static skein_status find_ends(const cells *c, int axis, sk_arena *arena, int **ends)
{
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  *ends = SK_NEW_RAW(arena, 2 * (size_t)c->n[u] * (size_t)c->n[v], int);
  if (arena->failed) return sk_no_memory();
  for (int j = 0; j < c->n[v]; j++)
    for (int i = 0; i < c->n[u]; i++) {
      int *e = *ends + 2 * ((size_t)j * (size_t)c->n[u] + (size_t)i);
      e[0] = c->n[axis], e[1] = -1;
      for (int k = 0; k < c->n[axis]; k++) {
        int64_t at[3];
        at[axis] = c->lo[axis] + k, at[u] = c->lo[u] + i, at[v] = c->lo[v] + j;
        if (!c->full[place(c, at)]) continue;
        e[0] = SK_MIN(e[0], k), e[1] = k;
      }
    }
  return sk_ok();
}

static skein_status count_cells(const cells *c, double *occupied, double *envelope)
{
  sk_arena arena = {0};
  int *ends[3];
  int64_t full = 0, inside = 0;
  skein_status s = sk_ok();
  for (int axis = 0; axis < 3 && s.code == SKEIN_OK; axis++) s = find_ends(c, axis, &arena, &ends[axis]);
  for (int z = 0; z < c->n[2] && s.code == SKEIN_OK; z++)
    for (int y = 0; y < c->n[1]; y++)
      for (int x = 0; x < c->n[0]; x++) {
        const int *ex = ends[0] + 2 * ((size_t)z * (size_t)c->n[1] + (size_t)y);
        const int *ey = ends[1] + 2 * ((size_t)x * (size_t)c->n[2] + (size_t)z);
        const int *ez = ends[2] + 2 * ((size_t)y * (size_t)c->n[0] + (size_t)x);
        full += c->full[((size_t)z * (size_t)c->n[1] + (size_t)y) * (size_t)c->n[0] + (size_t)x];
        int axes = (x >= ex[0] && x <= ex[1]) + (y >= ey[0] && y <= ey[1]) + (z >= ez[0] && z <= ez[1]);
        inside += axes >= 2;
      }
  sk_arena_free(&arena);
  double one = c->cell * c->cell * c->cell;
  *occupied = (double)full * one, *envelope = (double)inside * one;
  return s;
}

static double find_spread(const skein_frame *f)
{
  sk_vec3 middle = {0};
  double sum = 0, count = (double)f->rods * SK_MEASURE_SAMPLES;
  for (int i = 0; i < f->rods; i++)
    for (int k = 1; k <= SK_MEASURE_SAMPLES; k++)
      middle = sk_axpy(middle, 1 / count, sk_frame_at(f, i, (double)k / SK_MEASURE_SAMPLES));
  for (int i = 0; i < f->rods; i++)
    for (int k = 1; k <= SK_MEASURE_SAMPLES; k++) {
      sk_vec3 d = sk_sub(sk_frame_at(f, i, (double)k / SK_MEASURE_SAMPLES), middle);
      sum += sk_dot(d, d);
    }
  return sqrt(sum / count);
}

skein_status skein_measure_volume(const skein_frame *f, double cell, skein_volume *out)
{
  const double most_cells = 1 << 27;
  double all = 1, low[3], high[3];
  sk_vec3 lo, hi;
  cells c = {.cell = cell};
  *out = (skein_volume){0};
  if (!(cell > 0) || !isfinite(cell)) return sk_fail(SKEIN_BAD_INPUT, "cell is %g m, expected more than 0", cell);
  skein_status s = sk_frame_vet(f);
  if (s.code != SKEIN_OK || !sk_frame_bounds(f, &lo, &hi)) return s;
  sk_store3(low, sk_mul(1 / cell, lo)), sk_store3(high, sk_mul(1 / cell, hi));
  for (int k = 0; k < 3; k++) all *= floor(high[k]) - floor(low[k]) + 1;
  if (!(all <= most_cells) || fabs(low[0]) + fabs(low[1]) + fabs(low[2]) > 1e15)
    return sk_fail(SKEIN_BAD_INPUT, "cell is %g m: the rods are spread over %.3g cells, expected at most %.0f", cell,
                   all, most_cells);
  for (int k = 0; k < 3; k++) c.lo[k] = (int64_t)floor(low[k]), c.n[k] = (int)(floor(high[k]) - floor(low[k])) + 1;
  c.full = sk_calloc((size_t)all, 1);
  if (!c.full) return sk_no_memory();
  mark(&c, f);
  s = count_cells(&c, &out->occupied, &out->envelope);
  free(c.full);
  out->spread = find_spread(f);
  return s;
}
