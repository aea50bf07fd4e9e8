/* Cost of finding the candidate contacts of a bundle of hair.
 *   bench_collide [RODS [REPEATS]]      default: 1,920 rods of 40 pieces, 20 times
 *
 * Two things are compared in one run: the hashed grid of the library, and what it replaces, on the same pieces, with
 * the same narrow phase: all pairs of boxes, and a plain grid (a piece in every cell of its box, cells of the size of
 * the longest piece, chains of entries). Bundles of 500 to 8,000 rods at the same density show the growth. All pairs
 * are timed once; the rest is the best of the repeats.
 *
 * Roofline: per piece 96 bytes are read twice (its place on the curve, its core), and 64 of core, 24 of box, 27 of
 * slots and places and 54 of entries are written and read once; at the bandwidth of memory, which is measured beside
 * it, that is a few per cent of the time. Latency of the second and third cache and branches that cannot be foreseen
 * bound it: tests of boxes and pairs of segments are counted to show where. On a machine that others use, the caches
 * are theirs too: run it alone. */
#include "collide/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 40 };

static void stop(skein_status s)
{
  if (s.code == SKEIN_OK) return;
  fprintf(stderr, "bench_collide: %s\n", s.message);
  exit(1);
}

static void *get(size_t count, size_t size)
{
  void *p = calloc(count, size);
  if (!p) exit(1);
  return p;
}

/* Wavy rods of 20 cm that hang from a disc and cross each other, all at the same density, with the travel of a slow
 * step. */
static sk_piece *make_bundle(int rods)
{
  sk_piece *p = get((size_t)rods * PIECES, sizeof *p);
  sk_random g = sk_random_make(11);
  double disc = 0.033 * sqrt(rods / 1920.0), length = 0.2, ds = length / PIECES, radius = 5e-5;
  for (int i = 0; i < rods; i++) {
    double r = disc * sqrt(sk_random_uniform(&g, 0, 1)), angle = sk_random_uniform(&g, 0, 2 * SK_PI);
    sk_vec3 x = sk_vec(r * cos(angle), r * sin(angle), 0), at[PIECES + 1];
    double wave = sk_random_uniform(&g, 30, 120), phase = sk_random_uniform(&g, 0, 2 * SK_PI);
    sk_vec3 to = sk_vec(0.1 * sk_random_normal(&g), 0.1 * sk_random_normal(&g), -1);
    for (int k = 0; k <= PIECES; k++) {
      sk_vec3 t = sk_add(to, sk_vec(0.35 * cos(wave * k * ds + phase), 0.35 * sin(wave * k * ds + phase), 0));
      at[k] = x, x = sk_axpy(x, ds, sk_unit(t));
    }
    double reach = sk_random_uniform(&g, 1e-5, 2.4e-4);
    for (int k = 0; k < PIECES; k++)
      p[i * PIECES + k] = (sk_piece){at[k], at[k + 1], radius, reach, k * ds, (k + 1) * ds, i, 0, k};
  }
  return p;
}

static sk_collide_input input_make(const sk_piece *p, int rods, int threads)
{
  static const double mu = 0.3, restitution = 0;
  return (sk_collide_input){
      .pieces = p, .piece_count = rods * PIECES, .pairing = {1, &mu, &restitution}, .apart = 4, .threads = threads};
}

static double time_find(const sk_collide_input *in, int repeats, int *count)
{
  sk_arena arena = {0};
  double best = 1e30;
  for (int k = 0; k < repeats; k++) {
    sk_candidate *c;
    double started = sk_seconds();
    stop(sk_collide_find(in, &arena, &c, count));
    best = SK_MIN(best, sk_seconds() - started);
    sk_arena_reset(&arena);
  }
  sk_arena_free(&arena);
  return best;
}

/* Where the time goes: the grid alone, and the pairs it offers. */
static void print_parts(const sk_collide_input *in, int repeats)
{
  double build = 1e30, meet = 1e30, narrow = 1e30;
  int64_t tests = 0, pairs = 0, segments = 0;
  int n = in->piece_count;
  double entries = 0, cell = 0;
  sk_meeting m = {.stamp = get((size_t)n, sizeof(int)), .hits = get((size_t)n + 1, sizeof(int))};
  for (int k = 0; k < repeats; k++) {
    sk_arena arena = {0};
    sk_grid g;
    double started = sk_seconds();
    stop(sk_grid_build(in, &arena, &g));
    build = SK_MIN(build, sk_seconds() - started);
    for (int pass = 0; pass < 2; pass++) {
      sk_haul haul = {.arena = &arena};
      for (int i = 0; i < n; i++) m.stamp[i] = -1;
      started = sk_seconds(), pairs = m.tests = segments = 0, entries = 0, cell = g.cell;
      for (int b = 0; b < g.blocks; b++) {
        const uint32_t *slots = g.slots[b], *places = g.places[b];
        for (int i = b * SK_BLOCK; i < SK_MIN((b + 1) * SK_BLOCK, n); i++) {
          sk_grid_meet(&g, i, slots, places, &m);
          pairs += m.count, entries += g.cells[i], slots += g.cells[i], places += g.cells[i];
          if (pass == 0) continue;
          sk_grid_sift(&g, i, &m);
          for (int c = 0; c < m.count; c++) sk_narrow(in, g.core[i].item, g.core[m.hits[c]].item, &haul);
          segments += m.count;
        }
      }
      tests = m.tests;
      double *best = pass == 0 ? &meet : &narrow;
      *best = SK_MIN(*best, sk_seconds() - started);
    }
    sk_arena_free(&arena);
  }
  printf("# per piece: build %.0f ns, tests of boxes %.0f ns, segments %.0f ns; cells of %.2g m, %.1f entries, "
         "%.1f tests, %.2f pairs of boxes that meet, %.2f of segments\n",
         1e9 * build / n, 1e9 * meet / n, 1e9 * (narrow - meet) / n, cell, entries / n, (double)tests / n,
         (double)pairs / n, (double)segments / n);
  free(m.stamp), free(m.hits);
}

/* ---- What it replaces ---- */

typedef struct bounds {
  sk_vec3 lo, hi;
} bounds;

static bounds bounds_of(const sk_piece *p)
{
  double R = p->radius + p->reach;
  return (bounds){{fmin(p->a.x, p->b.x) - R, fmin(p->a.y, p->b.y) - R, fmin(p->a.z, p->b.z) - R},
                  {fmax(p->a.x, p->b.x) + R, fmax(p->a.y, p->b.y) + R, fmax(p->a.z, p->b.z) + R}};
}

static bool bounds_meet(const bounds *a, const bounds *b)
{
  return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y && a->lo.z <= b->hi.z &&
         b->lo.z <= a->hi.z;
}

static double time_brute(const sk_collide_input *in, int *count)
{
  sk_arena arena = {0};
  sk_haul haul = {.arena = &arena};
  sk_candidate *c;
  double started = sk_seconds();
  bounds *b = get((size_t)in->piece_count, sizeof *b);
  for (int i = 0; i < in->piece_count; i++) b[i] = bounds_of(in->pieces + i);
  for (int i = 0; i < in->piece_count; i++)
    for (int j = 0; j < i; j++)
      if (bounds_meet(b + i, b + j)) sk_narrow(in, i, j, &haul);
  stop(sk_hauls_order(&haul, 1, &arena, &c, count));
  double seconds = sk_seconds() - started;
  free(b);
  sk_arena_free(&arena);
  return seconds;
}

typedef struct plain_grid {
  int *head, *next, *item, *stamp, count, room, mask;
} plain_grid;

static uint32_t plain_slot(const plain_grid *g, int x, int y, int z)
{
  return ((uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u) & (uint32_t)g->mask;
}

/* Finds, then enters: each pair once. */
static void plain_visit(plain_grid *g, const sk_collide_input *in, const bounds *b, int i, double cell, sk_haul *haul)
{
  int lo[3] = {(int)floor(b[i].lo.x / cell), (int)floor(b[i].lo.y / cell), (int)floor(b[i].lo.z / cell)};
  int hi[3] = {(int)floor(b[i].hi.x / cell), (int)floor(b[i].hi.y / cell), (int)floor(b[i].hi.z / cell)};
  for (int x = lo[0]; x <= hi[0]; x++)
    for (int y = lo[1]; y <= hi[1]; y++)
      for (int z = lo[2]; z <= hi[2]; z++) {
        uint32_t s = plain_slot(g, x, y, z);
        for (int e = g->head[s]; e >= 0; e = g->next[e]) {
          int j = g->item[e];
          if (j == i || g->stamp[j] == i || !bounds_meet(b + i, b + j)) continue;
          g->stamp[j] = i;
          sk_narrow(in, i, j, haul);
        }
        if (g->count == g->room) exit(1);
        g->item[g->count] = i, g->next[g->count] = g->head[s], g->head[s] = g->count++;
      }
}

static double time_plain(const sk_collide_input *in, int *count)
{
  int n = in->piece_count;
  sk_arena arena = {0};
  sk_haul haul = {.arena = &arena};
  sk_candidate *c;
  double started = sk_seconds(), cell = 0;
  bounds *b = get((size_t)n, sizeof *b);
  plain_grid g = {.room = 16 * n, .mask = 1};
  while (g.mask < 2 * n) g.mask *= 2;
  g.head = get((size_t)g.mask, sizeof(int)), g.next = get((size_t)g.room, sizeof(int));
  g.item = get((size_t)g.room, sizeof(int)), g.stamp = get((size_t)n, sizeof(int));
  memset(g.head, 0xff, (size_t)g.mask-- * sizeof(int)), memset(g.stamp, 0xff, (size_t)n * sizeof(int));
  for (int i = 0; i < n; i++) {
    b[i] = bounds_of(in->pieces + i);
    sk_vec3 size = sk_sub(b[i].hi, b[i].lo);
    cell = fmax(cell, fmax(size.x, fmax(size.y, size.z)));
  }
  for (int i = 0; i < n; i++) plain_visit(&g, in, b, i, cell, &haul);
  stop(sk_hauls_order(&haul, 1, &arena, &c, count));
  double seconds = sk_seconds() - started;
  free(b), free(g.head), free(g.next), free(g.item), free(g.stamp);
  sk_arena_free(&arena);
  return seconds;
}

/* Bytes per second that one core reads from memory. */
static double measure_bandwidth(void)
{
  size_t count = (size_t)1 << 24;
  double *a = get(count, sizeof *a), best = 0, sum = 0;
  for (size_t k = 0; k < count; k++) a[k] = (double)k;
  for (int series = 0; series < 3; series++) {
    double started = sk_seconds(), part[8] = {0};
    for (size_t k = 0; k < count; k += 8)
      for (int c = 0; c < 8; c++) part[c] += a[k + (size_t)c];
    best = fmax(best, (double)(count * sizeof *a) / (sk_seconds() - started));
    for (int c = 0; c < 8; c++) sum += part[c];
  }
  free(a);
  return sum > 0 ? best : 0;
}

int main(int argc, char **argv)
{
  int rods = argc > 1 ? atoi(argv[1]) : 1920, repeats = argc > 2 ? atoi(argv[2]) : 20;
  if (rods < 1 || repeats < 1) return fprintf(stderr, "bench_collide: expected RODS and REPEATS above zero\n"), 2;
  int sizes[] = {rods, 500, 1000, 2000, 4000, 8000};
  printf(
      "pieces,candidates,ms_1_thread,ns_per_piece,ms_2_threads,ms_plain_grid,ratio_to_it,ms_all_pairs,ratio_to_it\n");
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    sk_piece *p = make_bundle(sizes[k]);
    sk_collide_input one = input_make(p, sizes[k], 1), two = input_make(p, sizes[k], 2);
    int count, same, n = one.piece_count, tries = n > 100000 ? SK_MIN(repeats, 5) : repeats;
    double t1 = time_find(&one, tries, &count), t2 = time_find(&two, tries, &same), plain = 1e30;
    for (int r = 0; r < tries; r++) plain = SK_MIN(plain, time_plain(&one, &same)); /* as often as the other */
    printf("%d,%d,%.2f,%.0f,%.2f,%.2f,%.1f", n, count, 1e3 * t1, 1e9 * t1 / n, 1e3 * t2, 1e3 * plain, plain / t1);
    if (same != count) return fprintf(stderr, "bench_collide: %d candidates from the plain grid\n", same), 1;
    double brute = n <= 20000 ? time_brute(&one, &same) : 0;
    if (brute > 0) printf(",%.0f,%.0f", 1e3 * brute, brute / t1);
    printf("\n");
    if (k == 0) {
      print_parts(&one, repeats);
      double bandwidth = measure_bandwidth(), bytes = 2 * 96 + 2 * (64 + 24 + 27 + 54);
      printf("# memory: %.0f bytes per piece are %.0f ns at the %.1f GB/s of this core\n", bytes,
             1e9 * bytes / bandwidth, 1e-9 * bandwidth);
    }
    free(p);
  }
  return 0;
}
