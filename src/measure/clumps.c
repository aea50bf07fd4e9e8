/* Clumps: strands that run side by side and move as one.
 *
 * A place of rod i is held by rod j where it is close to it (near.c) in this frame and in an earlier one, and has not
 * slid along it between the two: with a, the share of the length of j at which j is nearest to the place,
 *
 *     |a_now - a_before| L_j <= slip (r_i + r_j).
 *
 * Rods i and j are joined when at least `share` of the 16 places of one of them are held by the other; without an
 * earlier frame, close to it. Clumps are the connected components of two rods or more. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

typedef struct pair {
  int a, b; /* rods, a < b */
} pair;

typedef struct pairs {
  pair *at;
  size_t count, room;
} pairs;

/* ---- Pairs that move as one ---- */

static bool add_pair(pairs *p, int i, int j)
{
  if (p->count == p->room) {
    size_t room = 2 * p->room + 256;
    pair *grown = realloc(p->at, room * sizeof *grown);
    if (!grown) return false;
    p->at = grown, p->room = room;
  }
  p->at[p->count++] = (pair){SK_MIN(i, j), SK_MAX(i, j)};
  return true;
}

static int compare_pairs(const void *x, const void *y)
{
  const pair *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

static void sort_once(pairs *p)
{
  size_t kept = 0;
  if (p->count > 0) qsort(p->at, p->count, sizeof *p->at, compare_pairs);
  for (size_t k = 0; k < p->count; k++)
    if (k == 0 || compare_pairs(&p->at[k], &p->at[k - 1]) != 0) p->at[kept++] = p->at[k];
  p->count = kept;
}

/* known[i]: rod i was there before, and has not been cut since. What is cut off comes behind all other rods. */
static void find_known(const sk_nears *before, const sk_nears *now, bool *known)
{
  for (int i = 0; i < now->rods; i++) known[i] = i < before->rods && before->rod[i].source == now->rod[i].source;
  for (int k = before->rods; k < now->rods; k++)
    for (int i = 0; i < before->rods; i++)
      if (now->rod[i].source == now->rod[k].source) known[i] = false;
}

/* By rod, place, other rod: the order of the list. */
static int compare_nears(const sk_near *x, const sk_near *y)
{
  if (x->rod != y->rod) return x->rod < y->rod ? -1 : 1;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  return (x->other > y->other) - (x->other < y->other);
}

/* Whether a place that is close now is held: close before, too, and |a_now - a_before| L_j <= slip (r_i + r_j).
 * next: where the search in `before` goes on, as both lists are in the same order. */
static bool is_held(const sk_nears *before, const sk_nears *now, const sk_near *n, double slip, size_t *next)
{
  const sk_near_rod *i = &now->rod[n->rod], *j = &now->rod[n->other];
  while (*next < before->count && compare_nears(&before->at[*next], n) < 0) ++*next;
  if (*next == before->count || compare_nears(&before->at[*next], n) != 0) return false;
  return fabs((double)n->at - before->at[*next].at) * j->length <= slip * (i->radius + j->radius);
}

/* The pairs of one rod, whose close places begin at `from`: held[] and seen[] are room for all rods, held[] zero. */
static bool join_rod(const sk_nears *now, size_t from, const bool *counts, int least, int *held, int *seen, pairs *p)
{
  int i = now->at[from].rod, seen_count = 0;
  bool memory = true;
  for (size_t k = from; k < now->count && now->at[k].rod == i; k++)
    if (counts[k] && held[now->at[k].other]++ == 0) seen[seen_count++] = now->at[k].other;
  for (int k = 0; k < seen_count; k++) {
    if (held[seen[k]] >= least) memory = add_pair(p, i, seen[k]) && memory;
    held[seen[k]] = 0;
  }
  return memory;
}

/* Joined pairs, sorted, each once; the caller frees. */
static skein_status find_pairs(const sk_nears *before, const sk_nears *now, const skein_measure_def *def, pairs *p)
{
  sk_arena arena = {0};
  size_t next = 0;
  int least = SK_MAX(1, (int)ceil(def->share * SK_MEASURE_SAMPLES - 1e-9));
  bool *known = SK_NEW(&arena, now->rods, bool), *counts = SK_NEW(&arena, now->count, bool);
  int *held = SK_NEW(&arena, now->rods, int), *seen = SK_NEW(&arena, now->rods, int);
  bool memory = !arena.failed;
  if (memory && before) find_known(before, now, known);
  for (size_t k = 0; k < now->count && memory; k++) {
    const sk_near *n = &now->at[k];
    counts[k] = !before || (known[n->rod] && known[n->other] && is_held(before, now, n, def->slip, &next));
  }
  for (size_t k = 0; k < now->count && memory; k++)
    if (k == 0 || now->at[k].rod != now->at[k - 1].rod) memory = join_rod(now, k, counts, least, held, seen, p);
  sk_arena_free(&arena);
  sort_once(p);
  return memory ? sk_ok() : sk_no_memory();
}

/* ---- Components ---- */

static int root_of(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* The smaller number becomes the root: a clump is known by its first rod. */
static void join(int *parent, const pair *p)
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

skein_status sk_nears_clumps(const sk_nears *before, const sk_nears *now, const skein_measure_def *def, int *clump,
                             skein_clumps *out)
{
  pairs p = {0};
  int rods = now->rods;
  *out = (skein_clumps){0};
  if (rods == 0) return sk_ok();
  int *size = sk_calloc((size_t)rods, sizeof *size), *parent = clump ? clump : sk_calloc((size_t)rods, sizeof *parent);
  skein_status s = size && parent ? find_pairs(before, now, def, &p) : sk_no_memory();
  if (s.code == SKEIN_OK) {
    for (int i = 0; i < rods; i++) parent[i] = i;
    for (size_t k = 0; k < p.count; k++) join(parent, &p.at[k]);
    for (int i = 0; i < rods; i++) parent[i] = root_of(parent, i), size[parent[i]]++;
    out->pairs = (int)p.count;
    count_clumps(rods, parent, size, out);
  }
  free(p.at);
  free(size);
  if (parent != clump) free(parent);
  return s;
}

skein_status skein_measure_clumps(const skein_frame *before, const skein_frame *f, const skein_measure_def *def,
                                  int *clump, skein_clumps *out)
{
  sk_nears now = {0}, then = {0};
  *out = (skein_clumps){0};
  skein_status s = sk_measure_def_check(def);
  if (s.code == SKEIN_OK) s = sk_frame_vet(f);
  if (s.code == SKEIN_OK && before) s = sk_frame_vet(before);
  if (s.code == SKEIN_OK && before && !sk_frames_agree(before, f))
    s = sk_fail(SKEIN_BAD_INPUT, "the two frames have different rods");
  if (s.code == SKEIN_OK) s = sk_nears_find(f, def->reach, &now);
  if (s.code == SKEIN_OK && before) s = sk_nears_find(before, def->reach, &then);
  if (s.code == SKEIN_OK) s = sk_nears_clumps(before ? &then : NULL, &now, def, clump, out);
  sk_nears_free(&now);
  sk_nears_free(&then);
  return s;
}
