/* Broad phase: boxes of pieces and solids in a hashed grid (Teschner et al. 2003), with levels of cells four times as
 * large each, so that one fast piece among thousands of slow ones is in few cells.
 *     An item is entered in the cells of its own level, and looks for others there and in the coarser levels. Of two
 *     items of one level the one with the larger number finds the other; of two levels the finer one does.
 *     Levels with few items are joined to the next; the last few are tested against everything.
 * Two cells may share a slot: that costs tests, never a contact. */
#include "collide/inside.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { FEW = 16, LIMIT = 1 << 29 }; /* items that make a level worth while; the grid ends there, in steps */

static int32_t to_step(double u)
{
  return u > -LIMIT ? (u < LIMIT ? (int32_t)floor(u) : LIMIT) : -LIMIT;
}

/* The finest level whose cells are as wide as the item is thick, and of which it crosses few. */
static int find_level(const sk_grid *g, int i)
{
  const sk_box *b = g->box + i;
  bool is_piece = g->core[i].item < g->in->piece_count;
  double thick = is_piece ? 2 * g->core[i].R * g->scale : 0;
  int longest = 0;
  for (int c = 0; c < 3; c++) {
    if (b->lo[c] <= -LIMIT || b->hi[c] >= LIMIT) return SK_LARGE;
    longest = SK_MAX(longest, b->hi[c] - b->lo[c]);
  }
  for (int l = 0; l < SK_LEVELS; l++) {
    double cell = (double)(1 << (SK_CELL_BITS + SK_LEVEL_BITS * l));
    if (thick <= cell && longest <= cell * (is_piece ? SK_WALK_MAX : 2)) return l;
  }
  return SK_LARGE;
}

static void locate(sk_grid *g, int i)
{
  const sk_core *p = g->core + i;
  const double *o = g->origin, k = g->scale, a[3] = {p->a.x, p->a.y, p->a.z}, b[3] = {p->b.x, p->b.y, p->b.z};
  bool is_sound = true;
  for (int c = 0; c < 3; c++) {
    double R = p->R + 1e-15 * fabs(a[c]), lo = SK_MIN(a[c], b[c]) - R, hi = SK_MAX(a[c], b[c]) + R;
    is_sound = is_sound && lo <= hi;
    g->box[i].lo[c] = to_step(k * (lo - o[c])), g->box[i].hi[c] = to_step(k * (hi - o[c]));
  }
  g->level[i] = (uint8_t)(is_sound ? find_level(g, i) : SK_ABSENT);
}

/* Joins levels of few items to the next, and lists the large. */
static void settle_levels(sk_grid *g)
{
  int count[SK_LEVELS] = {0}, to[SK_LEVELS], first = 0, pending = 0;
  for (int i = 0; i < g->items; i++)
    if (g->level[i] < SK_LEVELS) count[g->level[i]]++;
  for (int l = 0; l < SK_LEVELS; l++) {
    pending += count[l];
    if (pending < FEW) continue;
    g->levels |= 1u << l;
    for (; first <= l; first++) to[first] = l;
    pending = 0;
  }
  for (; first < SK_LEVELS; first++) to[first] = SK_LARGE;
  for (int i = 0; i < g->items; i++) {
    if (g->level[i] < SK_LEVELS) g->level[i] = (uint8_t)to[g->level[i]];
    if (g->level[i] == SK_LARGE) g->large[g->large_count++] = i;
  }
}

/* The slots of the items of block k. */
static bool list_cells(sk_grid *g, int k, uint32_t *spare, sk_arena *arena)
{
  int first = k * SK_BLOCK, last = SK_MIN(first + SK_BLOCK, g->items), count = 0;
  for (int i = first; i < last; i++) {
    int cells = g->level[i] < SK_LEVELS ? sk_cells(g, i, g->level[i], spare + count) : 0;
    g->cells[i] = (uint16_t)cells, count += cells;
  }
#pragma omp critical
  g->slots[k] = SK_NEW_RAW(arena, count, uint32_t), g->places[k] = SK_NEW_RAW(arena, count, uint32_t);
  if (g->slots[k]) memcpy(g->slots[k], spare, (size_t)count * sizeof *spare);
  return g->slots[k] && g->places[k];
}

/* hi and -lo of a box in steps of a level, modulo 2^16. */
static sk_entry entry_make(const sk_grid *g, int i, int level)
{
  const sk_box *b = g->box + i;
  sk_entry e = {.rank = i};
  for (int c = 0; c < 3; c++) {
    e.side[c] = (uint16_t)(b->hi[c] >> (SK_LEVEL_BITS * level));
    e.side[3 + c] = (uint16_t) - (b->lo[c] >> (SK_LEVEL_BITS * level));
  }
  return e;
}

/* Threads share the table by slots: each goes through all items and minds its own slots, so that the entries of a slot
 * are in the order of their ranks. Here: how many there are, in start[slot + 1]. */
static void count_entries(sk_grid *g, uint32_t first, uint32_t slots)
{
  for (int k = 0; k < g->blocks; k++) {
    const uint32_t *slot = g->slots[k];
    int count = 0;
    for (int i = k * SK_BLOCK; i < SK_MIN((k + 1) * SK_BLOCK, g->items); i++) count += g->cells[i];
    for (int c = 0; c < count; c++)
      if (slot[c] - first < slots) g->start[slot[c] + 1]++;
  }
}

/* Here: into their places; start[slot] is on its way from the first to the end of the slot. */
static void enter(sk_grid *g, uint32_t first, uint32_t slots)
{
  for (int k = 0; k < g->blocks; k++) {
    const uint32_t *slot = g->slots[k];
    uint32_t *place = g->places[k];
    for (int i = k * SK_BLOCK; i < SK_MIN((k + 1) * SK_BLOCK, g->items); i++) {
      sk_entry e = entry_make(g, i, g->level[i] < SK_LEVELS ? g->level[i] : 0);
      for (int c = 0; c < g->cells[i]; c++, slot++, place++)
        if (*slot - first < slots) *place = g->start[*slot]++, g->entries[*place] = e;
    }
  }
}

/* Counts to first places; false when there are too many entries for 32 bits. */
static bool sum_up(uint32_t *start, size_t slots)
{
  uint64_t sum = 0;
  for (size_t k = 0; k <= slots; k++) sum += start[k], start[k] = (uint32_t)sum;
  return sum < UINT32_MAX;
}

static skein_status fill_table(sk_grid *g, sk_arena *arena)
{
  int threads = SK_MAX(1, g->in->threads), failed = 0;
  size_t slots = (size_t)1 << g->table_bits, room = (size_t)SK_BLOCK * SK_CELLS_MAX;
  uint32_t *start = SK_NEW(arena, slots + 2, uint32_t), *spare = SK_NEW_RAW(arena, room * (size_t)threads, uint32_t);
  uint32_t share = (uint32_t)((slots + (size_t)threads - 1) / (size_t)threads);
  if (arena->failed) return sk_no_memory();
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4) reduction(| : failed)
  for (int k = 0; k < g->blocks; k++) failed |= !list_cells(g, k, spare + room * (size_t)omp_get_thread_num(), arena);
  if (failed) return sk_no_memory();
  g->start = start + 1;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; t++) count_entries(g, (uint32_t)t * share, share);
  if (!sum_up(start, slots + 1)) return sk_no_memory();
  g->entries = SK_NEW_RAW(arena, start[slots + 1], sk_entry);
  if (!g->entries) return sk_no_memory();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; t++) enter(g, (uint32_t)t * share, share);
  g->start = start; /* every slot's number has moved to its end, which is the start of the next */
  return sk_ok();
}

skein_status sk_grid_build(const sk_collide_input *in, sk_arena *arena, sk_grid *g)
{
  *g = (sk_grid){.in = in, .items = in->piece_count + in->solid_count};
  g->blocks = (g->items + SK_BLOCK - 1) / SK_BLOCK;
  g->core = SK_NEW_RAW(arena, g->items, sk_core);
  g->box = SK_NEW_RAW(arena, g->items, sk_box), g->level = SK_NEW_RAW(arena, g->items, uint8_t);
  g->large = SK_NEW_RAW(arena, g->items, int), g->cells = SK_NEW_RAW(arena, g->items, uint16_t);
  g->slots = SK_NEW(arena, g->blocks, uint32_t *), g->places = SK_NEW(arena, g->blocks, uint32_t *);
  if (arena->failed) return sk_no_memory();
  skein_status s = sk_grid_arrange(g, arena);
  if (s.code != SKEIN_OK) return s;
#pragma omp parallel for num_threads(SK_MAX(1, in->threads)) schedule(static)
  for (int i = 0; i < g->items; i++) locate(g, i);
  settle_levels(g);
  return fill_table(g, arena);
}

/* ---- Who meets whom ---- */

typedef uint16_t sides __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

/* Ranks are written down whether they are wanted or not, and counted if they are: branches that nobody can foresee cost
 * more than that. First those whose boxes meet, then of these each once. */
static void hit(sk_meeting *m, int i, int j, bool is)
{
  m->hits[m->count] = j;
  m->count += is & (m->stamp[j] != i);
  m->stamp[j] = is ? i : m->stamp[j];
}

static void empty_batch(const sk_grid *g, int i, int level, sk_meeting *m)
{
  for (int k = 0; k < m->batched; k++) hit(m, i, m->batch[k], g->level[m->batch[k]] == level);
  m->batched = 0;
}

/* Item i, whose -lo and hi at that level are in `mine`, against entries: boxes meet when hi - lo' and hi' - lo are not
 * negative, six numbers at once. */
static void search(const sk_grid *g, int i, sides mine, int level, uint32_t first, uint32_t end, sk_meeting *m)
{
  const uint64_t signs = 0x8000800080008000u, low_signs = 0x80008000u;
  m->tests += end - first;
  while (first < end) {
    if (m->batched > SK_BATCH / 2) empty_batch(g, i, level, m);
    uint32_t last = SK_MIN(end, first + SK_BATCH / 2);
    int count = m->batched;
    for (const sk_entry *e = g->entries + first; e < g->entries + last; e++) {
      sides theirs;
      memcpy(&theirs, e, sizeof theirs);
      halves sum = (halves)(theirs + mine);
      m->batch[count] = e->rank;
      count += ((sum[0] & signs) | (sum[1] & low_signs)) == 0;
    }
    m->batched = count, first = last;
  }
}

/* -lo and hi in the places where an entry has hi and -lo. */
static sides query_make(const sk_grid *g, int i, int level)
{
  sk_entry e = entry_make(g, i, level);
  return (sides){e.side[3], e.side[4], e.side[5], e.side[0], e.side[1], e.side[2], 0, 0};
}

static bool boxes_meet(const sk_box *a, const sk_box *b)
{
  return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]) &
         (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
}

static void search_large(const sk_grid *g, int i, sk_meeting *m)
{
  bool is_large = g->level[i] == SK_LARGE;
  m->tests += g->large_count;
  for (int k = 0; k < g->large_count; k++) {
    int j = g->large[k];
    if (is_large && j >= i) break;
    hit(m, i, j, boxes_meet(g->box + i, g->box + j));
  }
}

void sk_grid_meet(const sk_grid *g, int i, const uint32_t *slots, const uint32_t *places, sk_meeting *m)
{
  int own = g->level[i];
  m->count = 0;
  if (own == SK_ABSENT) return;
  search_large(g, i, m);
  if (own == SK_LARGE) return;
  sides mine = query_make(g, i, own);
  for (int c = 0; c < g->cells[i]; c++) search(g, i, mine, own, g->start[slots[c]], places[c], m);
  empty_batch(g, i, own, m);
  for (int level = own + 1; level < SK_LEVELS; level++) {
    uint32_t coarse[SK_CELLS_MAX];
    if (!(g->levels >> level & 1)) continue;
    int cells = sk_cells(g, i, level, coarse);
    mine = query_make(g, i, level);
    for (int c = 0; c < cells; c++) search(g, i, mine, level, g->start[coarse[c]], g->start[coarse[c] + 1], m);
    empty_batch(g, i, level, m);
  }
}

void sk_grid_sift(const sk_grid *g, int i, sk_meeting *m)
{
  const sk_core *x = g->core + i;
  int kept = 0, pieces = g->in->piece_count;
  for (int k = 0; k < m->count; k++) {
    const sk_core *y = g->core + m->hits[k];
    m->hits[kept] = m->hits[k];
    kept += !((x->item < pieces) & (y->item < pieces) & sk_core_is_idle(x, y));
  }
  m->count = kept;
}
