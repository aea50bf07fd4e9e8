/* What the threads found, as one list: sorted by (a, b, sa, sb, feature, pieces), so that it does not tell who found
 * what first, and with one candidate where neighbouring pieces meet the same thing in the same point. Each a has its
 * bucket; threads share them. */
#include "collide/inside.h"

#include <string.h>

sk_found *sk_haul_add(sk_haul *haul)
{
  if (!haul->last || haul->last->count == SK_HAUL_ROOM) {
    sk_haul_chunk *c;
#pragma omp critical
    c = SK_NEW_RAW(haul->arena, 1, sk_haul_chunk);
    if (!c) return haul->failed = true, NULL;
    c->previous = haul->last, c->count = 0;
    haul->last = c;
  }
  haul->count++;
  return haul->last->at + haul->last->count++;
}

/* ---- What may meet ---- */

void sk_haul_meet(sk_haul *haul, int i, int j, double distance, sk_vec3 n, double t)
{
  if (!haul->last_meet || haul->last_meet->count == SK_MEET_ROOM) {
    sk_meet_chunk *c;
#pragma omp critical
    c = SK_NEW_RAW(haul->arena, 1, sk_meet_chunk);
    if (!c) {
      haul->failed = true;
      return;
    }
    c->previous = haul->last_meet, c->count = 0;
    haul->last_meet = c;
  }
  haul->meets++;
  haul->last_meet->at[haul->last_meet->count++] =
      (sk_meet){i, j, distance, {(float)n.x, (float)n.y, (float)n.z}, (float)t};
}

skein_status sk_hauls_meets(const sk_haul *hauls, int haul_count, sk_arena *arena, sk_meets *out)
{
  int64_t count = 0, at = 0;
  for (int h = 0; h < haul_count; h++) count += hauls[h].meets;
  *out = (sk_meets){SK_NEW_RAW(arena, count, sk_meet), 0};
  if (arena->failed) return sk_no_memory();
  for (int h = 0; h < haul_count; h++)
    for (const sk_meet_chunk *c = hauls[h].last_meet; c; at += c->count, c = c->previous)
      memcpy(out->at + at, c->at, (size_t)c->count * sizeof *c->at);
  out->count = count;
  return sk_ok();
}

/* ---- Sort ---- */

typedef struct key {
  uint64_t objects; /* a, b */
  double sa, sb;
  const sk_found *f;
} key;

static bool comes_before(const key *x, const key *y)
{
  if (x->objects != y->objects) return x->objects < y->objects;
  if (x->sa != y->sa) return x->sa < y->sa;
  if (x->sb != y->sb) return x->sb < y->sb;
  const sk_candidate *c = &x->f->c, *d = &y->f->c;
  int order = sk_feature_order(c->feature, d->feature);
  if (order != 0) return order < 0;
  if (c->piece_a != d->piece_a) return c->piece_a < d->piece_a;
  if (c->piece_b != d->piece_b) return c->piece_b < d->piece_b;
  if (c->gap != d->gap) return c->gap < d->gap; /* two places of one feature: any order that is always the same */
  if (c->point_b.x != d->point_b.x) return c->point_b.x < d->point_b.x;
  if (c->point_b.y != d->point_b.y) return c->point_b.y < d->point_b.y;
  return c->point_b.z < d->point_b.z;
}

static bool is_nearer(const key *x, const key *y) /* equal gaps: the one that comes first */
{
  double g = x->f->c.gap, h = y->f->c.gap;
  return g != h ? g < h : comes_before(x, y);
}

typedef bool (*order_fn)(const key *, const key *);

/* Merge sort from short runs; `spare` is as long. Never leaves the arrays, whatever the order says of NaN. */
static inline __attribute__((always_inline)) void sort(key *k, key *spare, int count, order_fn before)
{
  enum { RUN = 8 };
  for (int first = 0; first < count; first += RUN)
    for (int i = first + 1; i < SK_MIN(first + RUN, count); i++) {
      key x = k[i];
      int j = i;
      for (; j > first && before(&x, k + j - 1); j--) k[j] = k[j - 1];
      k[j] = x;
    }
  key *from = k, *to = spare;
  for (int64_t run = RUN; run < count; run *= 2) {
    for (int64_t first = 0; first < count; first += 2 * run) {
      int64_t i = first, m = SK_MIN(first + run, count), j = m, end = SK_MIN(first + 2 * run, count);
      for (int64_t at = first; at < end; at++)
        to[at] = j < end && (i >= m || before(from + j, from + i)) ? from[j++] : from[i++];
    }
    key *swap = from;
    from = to, to = swap;
  }
  if (from != k) memcpy(k, from, (size_t)count * sizeof *k);
}

static void sort_all(key *k, key *spare, int count)
{
  sort(k, spare, count, comes_before);
}

static void sort_by_gap(key *k, key *spare, int count)
{
  sort(k, spare, count, is_nearer);
}

/* ---- Merge ---- */

/* Whether y is the contact x (which is nearer) seen by a neighbouring piece. */
static bool is_same(const sk_found *x, const sk_found *y)
{
  const sk_candidate *c = &x->c, *d = &y->c;
  int da = c->piece_a - d->piece_a, db = c->piece_b - d->piece_b;
  if (da < -1 || da > 1 || db < -1 || db > 1 || (da == 0 && db == 0)) return false;
  if (fabs(c->sa - d->sa) > x->same_a || sk_dot(c->normal, d->normal) < 0.9) return false;
  if (c->piece_b >= 0) return fabs(c->sb - d->sb) <= x->same_b;
  return sk_norm(sk_sub(c->point_b, d->point_b)) <= x->same_b + x->same_a;
}

/* One pair of objects: from the nearest on, each keeps its place and silences the same contact of its neighbours. In
 * `order` the same keys by gap, f of a silenced one in k is NULL. k is sorted by sa, so that few are looked at. */
static void merge_pair(key *k, int count, key *order, key *spare)
{
  memcpy(order, k, (size_t)count * sizeof *k);
  sort_by_gap(order, spare, count);
  for (int i = 0; i < count; i++) {
    const sk_found *f = order[i].f;
    int lo = 0, hi = count;
    while (lo < hi) { /* the first that is not before f along a by more than its width */
      int middle = lo + (hi - lo) / 2;
      if (k[middle].sa < f->c.sa - f->same_a) lo = middle + 1;
      else hi = middle;
    }
    int end = lo;
    bool is_silenced = true;
    for (; end < count && k[end].sa <= f->c.sa + f->same_a; end++) is_silenced &= k[end].f != f;
    if (is_silenced) continue;
    for (int j = lo; j < end; j++)
      if (k[j].f && is_nearer(order + i, k + j) && is_same(f, k[j].f)) k[j].f = NULL;
  }
}

/* ---- One list ---- */

/* Keys in buckets: bucket a is start[a] .. start[a + 1] of k. */
typedef struct buckets {
  int count, *start;
  key *k, *order, *spare;
} buckets;

static int last_object(const sk_haul *h)
{
  int last = -1;
  for (const sk_haul_chunk *c = h->last; c; c = c->previous)
    for (int i = 0; i < c->count; i++) last = SK_MAX(last, c->at[i].c.a);
  return last;
}

/* Where what a haul has of each a begins: next[a], from the numbers of all hauls. */
static void find_places(buckets *b, int *next, int haul_count)
{
  int sum = 0;
  for (int a = 0; a < b->count; a++) {
    b->start[a] = sum;
    for (int h = 0; h < haul_count; h++) {
      int *n = next + (size_t)h * (size_t)b->count + a, own = *n;
      *n = sum, sum += own;
    }
  }
  b->start[b->count] = sum;
}

static void count_haul(const sk_haul *h, int *next)
{
  for (const sk_haul_chunk *c = h->last; c; c = c->previous)
    for (int i = 0; i < c->count; i++) next[c->at[i].c.a]++;
}

static void list_haul(const sk_haul *h, int *next, key *k)
{
  for (const sk_haul_chunk *c = h->last; c; c = c->previous)
    for (int i = 0; i < c->count; i++) {
      const sk_candidate *d = &c->at[i].c;
      k[next[d->a]++] = (key){(uint64_t)(uint32_t)d->a << 32 | (uint32_t)d->b, d->sa, d->sb, c->at + i};
    }
}

/* Each thread what it found. */
static skein_status fill_buckets(const sk_haul *hauls, int haul_count, sk_arena *arena, buckets *b)
{
  int64_t total = 0;
  int last = -1;
#pragma omp parallel for num_threads(haul_count) schedule(static) reduction(max : last)
  for (int h = 0; h < haul_count; h++) last = last_object(hauls + h);
  for (int h = 0; h < haul_count; h++) total += hauls[h].count;
  *b = (buckets){.count = last + 1};
  b->k = SK_NEW_RAW(arena, total, key), b->order = SK_NEW_RAW(arena, total, key);
  b->spare = SK_NEW_RAW(arena, total, key), b->start = SK_NEW(arena, b->count + 1, int);
  int *next = SK_NEW(arena, (size_t)haul_count * (size_t)b->count, int);
  if (arena->failed) return sk_no_memory();
#pragma omp parallel for num_threads(haul_count) schedule(static)
  for (int h = 0; h < haul_count; h++) count_haul(hauls + h, next + (size_t)h * (size_t)b->count);
  find_places(b, next, haul_count);
#pragma omp parallel for num_threads(haul_count) schedule(static)
  for (int h = 0; h < haul_count; h++) list_haul(hauls + h, next + (size_t)h * (size_t)b->count, b->k);
  return sk_ok();
}

/* Sorts one bucket and merges neighbours in it; those that are left stand at its head. Their number. */
static int order_bucket(const buckets *b, int a)
{
  int first = b->start[a], count = b->start[a + 1] - first, kept = 0;
  key *k = b->k + first;
  sort_all(k, b->spare + first, count);
  for (int i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && k[end].objects == k[i].objects;) end++;
    if (end > i + 1 && k[i].f->c.piece_a >= 0) merge_pair(k + i, end - i, b->order + first, b->spare + first);
  }
  for (int i = 0; i < count; i++)
    if (k[i].f) k[kept++] = k[i];
  return kept;
}

skein_status sk_hauls_order(const sk_haul *hauls, int haul_count, sk_arena *arena, sk_candidate **out, int *count)
{
  buckets b;
  skein_status s = fill_buckets(hauls, haul_count, arena, &b);
  if (s.code != SKEIN_OK) return s;
  int *place = SK_NEW(arena, b.count + 1, int);
  *count = 0, *out = NULL;
  if (arena->failed) return sk_no_memory();
#pragma omp parallel for num_threads(haul_count) schedule(dynamic, 16)
  for (int a = 0; a < b.count; a++) place[a + 1] = order_bucket(&b, a);
  for (int a = 0; a < b.count; a++) place[a + 1] += place[a];
  *out = SK_NEW_RAW(arena, place[b.count], sk_candidate);
  if (arena->failed) return sk_no_memory();
  *count = place[b.count];
#pragma omp parallel for num_threads(haul_count) schedule(static)
  for (int a = 0; a < b.count; a++)
    for (int i = place[a]; i < place[a + 1]; i++) (*out)[i] = b.k[b.start[a] + i - place[a]].f->c;
  return sk_ok();
}
