/* The size of the cells, and items in the order of a space-filling curve.
 *
 * Cells are as large as the median piece with its reach, and smaller where pieces are crowded: a piece of length l
 * meets about (1 + l/c) cells of size c, and finds in each a number of others that falls as c^2 (they cross the cell as
 * lines). m, the number of pieces in the cell of a piece at c = l, gives c = l sqrt(few / m).
 *
 * Cells of that first size, by their Z-order (Morton 1966) modulo a power of two, give m, and, by a counting sort,
 * ranks that keep neighbours together: the table and the pieces of a neighbourhood then stay in the first caches. */
#include "collide/inside.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 256, AHEAD = 12 };
static const double few = 8;        /* pieces that a cell should hold */
static const double finest = 0.125; /* cells are not smaller than this share of a piece */

static int compare_doubles(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int count)
{
  if (count == 0) return 0;
  qsort(x, (size_t)count, sizeof *x, compare_doubles);
  return x[count / 2];
}

/* How wide the search around an item must be, with the carrier's move c(x) that all share: two pieces whose axes are D
 * apart, with middles at most D + l/2 + l'/2 apart, may meet if
 *     D <= R0 + R0' + |way - way'|,   |way - way'| <= |way - c| + |way' - c'| + |w| (D + l/2 + l'/2),
 * so that D (1 - |w|) <= sum of R0 + |way - c| + |w| l/2. A solid's move differs from c by another rigid move, which is
 * bounded over its box and the pieces in reach of it. All is a hair wider, so that rounding loses no contact. */
static const double hair = 1 + 1e-9;

sk_core sk_piece_core(const sk_collide_input *in, int i)
{
  const sk_piece *p = in->pieces + i;
  double turn = sk_norm(in->carrier.w);
  double beside = sk_norm(sk_sub(p->way, sk_moved(&in->carrier, sk_mul(0.5, sk_add(p->a, p->b)))));
  if (turn > 0) beside += 0.5 * turn * sk_norm(sk_sub(p->b, p->a));
  double R = (p->radius + p->reach + beside) * hair / (1 - turn) + (in->margin ? in->margin[i] : 0);
  return (sk_core){p->a, p->b, R, i, p->object};
}

static sk_core core_make(const sk_grid *g, int i)
{
  const sk_collide_input *in = g->in;
  if (i < in->piece_count) return sk_piece_core(in, i);
  const sk_solid *s = in->solids + (i - in->piece_count);
  sk_core c = {.item = i, .object = s->object};
  sk_shape_bounds(s->shape, &s->pose, &c.a, &c.b);
  double turn = sk_norm(s->move.w), differs = sk_norm(sk_sub(s->move.w, in->carrier.w)), half = 0;
  if (differs > 0) half = 0.5 * sk_norm(sk_sub(c.b, c.a));
  sk_vec3 middle = differs > 0 ? sk_mul(0.5, sk_add(c.a, c.b)) : s->move.r;
  double beside = sk_norm(sk_sub(sk_moved(&s->move, middle), sk_moved(&in->carrier, middle)));
  double R = s->slack + beside + differs * (half + g->span) + turn * g->span;
  c.R = fmax(s->reach, R) * hair / fmax(0.1, 1 - differs - turn - sk_norm(in->carrier.w));
  return c;
}

/* The longest half of a piece, with its reach. */
static double find_span(const sk_collide_input *in)
{
  double span = 0;
  for (int i = 0; i < in->piece_count && in->solid_count > 0; i++) {
    sk_core c = sk_piece_core(in, i);
    double x = c.R + 0.5 * sk_norm(sk_sub(c.b, c.a));
    if (isfinite(x)) span = fmax(span, x);
  }
  return span;
}

static sk_vec3 middle_of(const sk_core *c)
{
  return sk_mul(0.5, sk_add(c->a, c->b));
}

/* Medians over at most SAMPLES items, evenly taken: place, length of a piece (size of a solid), radius with reach.
 * Numbers that are not finite are left out. */
static void take_medians(sk_grid *g, double *length, double *reach)
{
  double x[5][SAMPLES];
  int count = 0, samples = SK_MIN(g->items, SAMPLES);
  for (int k = 0; k < samples; k++) {
    sk_core c = core_make(g, (int)((int64_t)k * g->items / samples));
    sk_vec3 at = middle_of(&c);
    double l = sk_norm(sk_sub(c.b, c.a));
    if (!isfinite(at.x + at.y + at.z + l + c.R)) continue;
    x[0][count] = at.x, x[1][count] = at.y, x[2][count] = at.z, x[3][count] = l, x[4][count++] = c.R;
  }
  for (int k = 0; k < 3; k++) g->origin[k] = median(x[k], count);
  *length = median(x[3], count), *reach = median(x[4], count);
}

/* Every third bit of a number of up to ten bits. */
static uint32_t spread(uint32_t x)
{
  x &= 0x3ff;
  x = (x | x << 16) & 0x030000ff;
  x = (x | x << 8) & 0x0300f00f;
  x = (x | x << 4) & 0x030c30c3;
  return (x | x << 2) & 0x09249249;
}

static uint32_t curve_key(const sk_grid *g, sk_vec3 at, double scale, uint32_t mask)
{
  double x = floor(scale * (at.x - g->origin[0])), y = floor(scale * (at.y - g->origin[1]));
  double z = floor(scale * (at.z - g->origin[2]));
  if (!(fabs(x) < 1e9 && fabs(y) < 1e9 && fabs(z) < 1e9)) return 0;
  return (spread((uint32_t)(int)x) | spread((uint32_t)(int)y) << 1 | spread((uint32_t)(int)z) << 2) & mask;
}

/* Ranks by the curve; m as above, less what strangers with the same remainder add. */
static skein_status sort_by_curve(sk_grid *g, double size, sk_arena *arena, int *order, double *m)
{
  int bits = 9, threads = SK_MAX(1, g->in->threads);
  while (bits < 24 && (4 << bits) < g->items) bits += 3;
  uint32_t bins = 1u << bits, *key = SK_NEW_RAW(arena, g->items, uint32_t);
  uint32_t *count = SK_NEW(arena, bins, uint32_t), at = 0;
  if (arena->failed) return sk_no_memory();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int i = 0; i < g->items; i++) {
    sk_core c = core_make(g, i);
    key[i] = curve_key(g, middle_of(&c), 1 / size, bins - 1);
  }
  for (int i = 0; i < g->items; i++) count[key[i]]++;
  double sum = 0;
  for (uint32_t k = 0; k < bins; k++) {
    uint32_t here = count[k];
    sum += (double)here * here, count[k] = at, at += here;
  }
  for (int i = 0; i < g->items; i++) order[count[key[i]]++] = i;
  *m = sum / SK_MAX(1, g->items) - (double)g->items / bins;
  return sk_ok();
}

skein_status sk_grid_arrange(sk_grid *g, sk_arena *arena)
{
  double length, reach, m = 0, share = 1;
  int *order = SK_NEW_RAW(arena, g->items, int);
  if (!order) return sk_no_memory();
  g->span = find_span(g->in);
  take_medians(g, &length, &reach);
  double cell = length + 2 * reach;
  if (!(cell > 1e-100 && cell < 1e100)) cell = cell >= 1e100 ? 1e100 : 1e-100;
  skein_status s = sort_by_curve(g, cell, arena, order, &m);
  if (s.code != SKEIN_OK) return s;
  if (m > few) share = SK_MAX(finest, sqrt(few / m));
  g->cell = SK_MAX(share * cell, SK_MIN(2 * reach, 1e100));
  g->scale = (1 << SK_CELL_BITS) / g->cell;
  double entries = g->items * (1 + 1 / share);
  g->table_bits = 8;
  while (g->table_bits < 27 && (double)(1 << g->table_bits) < entries) g->table_bits++;
#pragma omp parallel for num_threads(SK_MAX(1, g->in->threads)) schedule(static)
  for (int r = 0; r < g->items; r++) {
    int ahead = order[SK_MIN(r + AHEAD, g->items - 1)];
    if (ahead < g->in->piece_count) {
      const char *next = (const char *)(g->in->pieces + ahead);
      __builtin_prefetch(next), __builtin_prefetch(next + 64);
    }
    g->core[r] = core_make(g, order[r]);
  }
  return s;
}
