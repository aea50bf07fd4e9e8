/* The cells of the grid that an item may touch, by their slots in the hash table (Teschner et al. 2003). A short item
 * is in all cells of its box. A long piece is walked along its main axis, slab by slab of one cell: in a slab it is in
 * the cells of the box of that part of the axis that comes within radius and reach of the slab. */
#include "collide/inside.h"

/* Blocks of 2 x 2 x 2 cells lie side by side in the table: what is near in space is near in memory. */
static uint32_t slot_of(const sk_grid *g, int x, int y, int z, int level)
{
  uint32_t h = (uint32_t)(x >> 1) * 73856093u ^ (uint32_t)(y >> 1) * 19349663u ^ (uint32_t)(z >> 1) * 83492791u;
  h = (h ^ (uint32_t)level * 374761393u) * 2654435769u;
  return (h >> (35 - g->table_bits)) << 3 | (uint32_t)(x & 1) << 2 | (uint32_t)(y & 1) << 1 | (uint32_t)(z & 1);
}

static int fill(const sk_grid *g, const int *lo, const int *hi, int level, uint32_t *slots)
{
  int count = 0;
  for (int x = lo[0]; x <= hi[0]; x++)
    for (int y = lo[1]; y <= hi[1]; y++)
      for (int z = lo[2]; z <= hi[2]; z++) slots[count++] = slot_of(g, x, y, z, level);
  return count;
}

static int between(int k, int lo, int hi)
{
  return k < lo ? lo : k > hi ? hi : k;
}

/* A piece that is long along `axis`, within its cells lo .. hi. Lengths in cells. */
static int walk(const sk_grid *g, int i, int level, int axis, const int *lo, const int *hi, uint32_t *slots)
{
  const sk_core *p = g->core + i;
  double k = g->scale / (double)(1 << (SK_CELL_BITS + SK_LEVEL_BITS * level));
  double R = k * p->R + 1e-8, a[3], d[3];
  sk_store3(a, sk_mul(k, sk_sub(p->a, sk_load3(g->origin))));
  sk_store3(d, sk_mul(k, sk_sub(p->b, p->a)));
  double slope = 1 / d[axis], wide = (0.5 + R) * fabs(slope);
  int count = 0, from[3], to[3], other[2] = {axis == 0, axis == 2 ? 1 : 2};
  for (int x = lo[axis]; x <= hi[axis]; x++) {
    double t = (x + 0.5 - a[axis]) * slope, t0 = SK_MAX(t - wide, 0), t1 = SK_MIN(t + wide, 1);
    t0 = SK_MIN(t0, 1), t1 = SK_MAX(t1, 0);
    for (int o = 0; o < 2; o++) {
      int c = other[o];
      double u = a[c] + t0 * d[c], v = a[c] + t1 * d[c];
      from[c] = between((int)floor(SK_MIN(u, v) - R), lo[c], hi[c]);
      to[c] = between((int)floor(SK_MAX(u, v) + R), lo[c], hi[c]);
    }
    from[axis] = to[axis] = x;
    count += fill(g, from, to, level, slots + count);
  }
  return count;
}

int sk_cells(const sk_grid *g, int i, int level, uint32_t *slots)
{
  const sk_box *box = g->box + i;
  int lo[3], hi[3], axis = 0, shift = SK_CELL_BITS + SK_LEVEL_BITS * level;
  for (int c = 0; c < 3; c++) {
    lo[c] = box->lo[c] >> shift, hi[c] = box->hi[c] >> shift;
    if (box->hi[c] - box->lo[c] > box->hi[axis] - box->lo[axis]) axis = c;
  }
  bool is_short = hi[axis] - lo[axis] < 2 || g->core[i].item >= g->in->piece_count;
  return is_short ? fill(g, lo, hi, level, slots) : walk(g, i, level, axis, lo, hi, slots);
}
