/* Candidate contacts: grid -> pairs of boxes that meet -> contacts -> one sorted list. Threads take blocks of items. */
#include "collide/inside.h"

#include <omp.h>
#include <string.h>

/* Beyond these nothing is simulated any more: everything lies on everything, or is thrown through the whole scene. */
static const int64_t most_found = (int64_t)1 << 20, most_found_each = 8;
static const int64_t most_tests = (int64_t)1 << 33, most_tests_each = 4096;

typedef struct finder {
  sk_grid grid;
  sk_meeting *meetings; /* per thread */
  sk_haul *hauls;
  int64_t found_limit, tests_limit;
  int64_t found, tests; /* of all threads, brought up to date after each item */
} finder;

static skein_status finder_create(const sk_collide_input *in, int threads, sk_haul *hauls, sk_arena *arena, finder *f)
{
  *f = (finder){.meetings = SK_NEW(arena, threads, sk_meeting), .hauls = hauls};
  if (arena->failed) return sk_no_memory();
  skein_status s = sk_grid_build(in, arena, &f->grid);
  if (s.code != SKEIN_OK) return s;
  size_t items = (size_t)f->grid.items;
  for (int t = 0; t < threads; t++) {
    f->meetings[t] = (sk_meeting){.stamp = SK_NEW_RAW(arena, items, int), .hits = SK_NEW_RAW(arena, items + 1, int)};
    if (arena->failed) return sk_no_memory();
    memset(f->meetings[t].stamp, 0xff, items * sizeof(int)); /* -1: no item */
  }
  f->found_limit = most_found + most_found_each * f->grid.items;
  f->tests_limit = most_tests + most_tests_each * f->grid.items;
  return sk_ok();
}

/* The contacts of rank i with those it meets. Most pairs of pieces end here, before the pieces themselves are read. */
static void narrow_hits(const sk_grid *g, int i, const sk_meeting *m, sk_haul *haul)
{
  int pieces = g->in->piece_count;
  const sk_core *x = g->core + i;
  for (int c = 0; c < m->count; c++) {
    const sk_core *y = g->core + m->hits[c];
    double R = x->R + y->R, s, t;
    bool are_pieces = x->item < pieces && y->item < pieces;
    if (are_pieces && !(sk_segment_segment(x->a, x->b, y->a, y->b, &s, &t) <= R * R)) continue;
    sk_narrow(g->in, x->item, y->item, haul);
  }
}

/* Everything that items of block k meet; false when it has become too much. */
static bool find_block(finder *f, int k)
{
  const sk_grid *g = &f->grid;
  sk_meeting *m = f->meetings + omp_get_thread_num();
  sk_haul *haul = f->hauls + omp_get_thread_num();
  const uint32_t *slots = g->slots[k], *places = g->places[k];
  for (int i = k * SK_BLOCK; i < SK_MIN((k + 1) * SK_BLOCK, g->items); i++) {
    if (sk_stop_asked(g->in->stop)) return false;
    int64_t before = haul->count;
    m->tests = 0;
    sk_grid_meet(g, i, slots, places, m);
    sk_grid_sift(g, i, m);
    slots += g->cells[i], places += g->cells[i];
    narrow_hits(g, i, m, haul);
    int64_t found = __atomic_add_fetch(&f->found, haul->count - before, __ATOMIC_RELAXED);
    int64_t tests = __atomic_add_fetch(&f->tests, m->tests, __ATOMIC_RELAXED);
    bool many = found > f->found_limit || tests > f->tests_limit;
    if (many && g->in->crowded) __atomic_store_n(g->in->crowded, g->core[i].object, __ATOMIC_RELAXED);
    if (many || haul->failed) return false;
  }
  return true;
}

/* All pairs that the grid finds. */
static skein_status find_all(const sk_collide_input *in, sk_haul *hauls, sk_arena *arena)
{
  bool failed = false;
  finder f;
  skein_status s = finder_create(in, in->threads, hauls, arena, &f);
  if (s.code != SKEIN_OK) return s;
#pragma omp parallel for num_threads(in->threads) schedule(dynamic, 1)
  for (int k = 0; k < f.grid.blocks; k++) {
    bool stop = __atomic_load_n(&failed, __ATOMIC_RELAXED);
    if (!stop && !find_block(&f, k)) __atomic_store_n(&failed, true, __ATOMIC_RELAXED);
  }
  if (arena->failed) return sk_no_memory();
  if (sk_stop_asked(in->stop)) return sk_stopped();
  if (failed)
    return sk_fail(SKEIN_BAD_INPUT,
                   "collision: more than %lld candidate contacts or %lld tests among %d pieces and bodies, expected "
                   "them not to lie on top of each other, nor to cross the whole scene in one step",
                   (long long)f.found_limit, (long long)f.tests_limit, f.grid.items);
  return s;
}

skein_status sk_collide_find(const sk_collide_input *given, sk_arena *arena, sk_candidate **out, int *count)
{
  sk_collide_input in = *given;
  int threads = (in.piece_count + in.solid_count) / (2 * SK_BLOCK); /* few items are not worth a second one */
  in.threads = threads = SK_MAX(1, SK_MIN(threads, in.threads));
  *out = NULL, *count = 0;
  sk_haul *hauls = SK_NEW(arena, threads, sk_haul);
  if (!hauls) return sk_no_memory();
  for (int t = 0; t < threads; t++) hauls[t].arena = arena;
  skein_status s = sk_verlet_find(&in, hauls, arena) ? sk_ok() : find_all(&in, hauls, arena);
  if (s.code == SKEIN_OK && arena->failed) s = sk_no_memory();
  s = sk_unless_stopped(s, in.stop);
  if (s.code == SKEIN_OK && in.meets) s = sk_hauls_meets(hauls, threads, arena, in.meets);
  return s.code == SKEIN_OK ? sk_hauls_order(hauls, threads, arena, out, count) : s;
}
