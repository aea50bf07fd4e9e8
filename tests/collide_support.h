/* What the tests of the collision room share: sets of pieces, candidates by looking at all pairs and merging them the
 * naive way, random rods. */
#ifndef SK_COLLIDE_SUPPORT_H
#define SK_COLLIDE_SUPPORT_H

#include "support.h"

#include "collide/collide.h"

/* A vector of independent normal numbers. */
static inline sk_vec3 draw(sk_random *g, double size)
{
  double x = size * sk_random_normal(g), y = size * sk_random_normal(g), z = size * sk_random_normal(g);
  return sk_vec(x, y, z);
}

/* ---- Sets of pieces ---- */

enum { MOST = 4000, GROUPS = 3 };
static const double pair_mu[GROUPS * GROUPS] = {0.3, 0.5, -1, 0.5, 0, 0.2, -1, 0.2, 0.7};
static const double pair_restitution[GROUPS * GROUPS] = {0, 0.1, 0, 0.1, 0.2, 0, 0, 0, 0.4};

typedef struct set {
  sk_piece p[MOST];
  sk_solid solid[64];
  sk_shape shape[64];
  int pieces, solids;
} set;

static inline sk_collide_input input_of(const set *s, int threads)
{
  return (sk_collide_input){.pieces = s->p,
                            .piece_count = s->pieces,
                            .solids = s->solid,
                            .solid_count = s->solids,
                            .pairing = {GROUPS, pair_mu, pair_restitution},
                            .apart = 4,
                            .threads = threads};
}

/* One more rod of `count` pieces through the points. */
static inline void add_rod(set *s, const sk_vec3 *x, int count, double radius, double reach, int group)
{
  int object = s->pieces > 0 ? s->p[s->pieces - 1].object + 1 : 0;
  double at = 0;
  assert_true(s->pieces + count <= MOST);
  for (int k = 0; k < count; k++) {
    double next = at + sk_norm(sk_sub(x[k + 1], x[k]));
    s->p[s->pieces++] = (sk_piece){.a = x[k],
                                   .b = x[k + 1],
                                   .radius = radius,
                                   .reach = reach,
                                   .s0 = at,
                                   .s1 = next,
                                   .object = object,
                                   .group = group,
                                   .piece = k};
    at = next;
  }
}

static inline set *set_create(void)
{
  set *s = calloc(1, sizeof *s);
  assert_non_null(s);
  return s;
}

/* ---- All pairs ---- */

typedef struct list {
  sk_candidate *at;
  int count, room;
} list;

/* Where each rod begins. */
static inline void index_rods(const set *s, int *first)
{
  for (int i = s->pieces - 1; i >= 0; i--) first[s->p[i].object] = i;
}

static inline void list_add(list *l, sk_candidate c)
{
  if (l->count == l->room) l->at = realloc(l->at, sizeof *l->at * (size_t)(l->room = 2 * l->room + 64));
  assert_non_null(l->at);
  l->at[l->count++] = c;
}

static inline int by_place(const void *x, const void *y)
{
  const sk_candidate *c = x, *d = y;
  double key[7] = {c->a - (double)d->a,
                   c->b - (double)d->b,
                   c->sa - d->sa,
                   c->sb - d->sb,
                   sk_feature_order(c->feature, d->feature),
                   c->piece_a - (double)d->piece_a,
                   c->piece_b - (double)d->piece_b};
  for (int k = 0; k < 7; k++)
    if (key[k] != 0) return key[k] < 0 ? -1 : 1;
  return 0;
}

/* Whether the rod goes on, beyond the end s of piece i, towards what lies against n. */
static inline bool goes_on(const set *s, int i, double at, sk_vec3 n)
{
  const sk_piece *p = s->p + i;
  bool point = sk_norm(sk_sub(p->b, p->a)) == 0;
  for (int side = -1; side <= 1; side += 2) {
    int k = i + side;
    if (!point && at != (side > 0)) continue;
    if (k < 0 || k >= s->pieces || s->p[k].object != p->object) continue;
    sk_vec3 d = sk_sub(s->p[k].b, s->p[k].a);
    if (side * sk_dot(n, d) < -0.3 * sk_norm(d)) return true;
  }
  return false;
}

static inline void add_pair(const set *s, int i, int j, double apart, list *out)
{
  const sk_piece *a = s->p + i, *b = s->p + j;
  double u, v, mu = pair_mu[a->group * GROUPS + b->group];
  if (mu < 0) return;
  if (a->object == b->object && (j - i < 2 || b->s0 - a->s1 < apart * fmax(a->radius, b->radius))) return;
  sk_segment_segment(a->a, a->b, b->a, b->b, &u, &v);
  sk_vec3 x = sk_axpy(a->a, u, sk_sub(a->b, a->a)), y = sk_axpy(b->a, v, sk_sub(b->b, b->a)), w = sk_sub(x, y);
  double gap = sk_norm(w) - (a->radius + b->radius);
  if (!(gap <= a->reach + b->reach)) return;
  sk_vec3 n = sk_unit(w);
  if (goes_on(s, i, u, n) || goes_on(s, j, v, sk_mul(-1, n))) return;
  list_add(out, (sk_candidate){.a = a->object,
                               .b = b->object,
                               .piece_a = a->piece,
                               .piece_b = b->piece,
                               .sa = a->s0 + u * (a->s1 - a->s0),
                               .sb = b->s0 + v * (b->s1 - b->s0),
                               .point_a = x,
                               .point_b = y,
                               .normal = n,
                               .gap = gap,
                               .mu = mu,
                               .restitution = pair_restitution[a->group * GROUPS + b->group]});
}

static inline bool are_one(const set *s, const int *first, const sk_candidate *c, const sk_candidate *d)
{
  const sk_piece *p = s->p + first[c->a] + c->piece_a, *q = s->p + first[c->b] + c->piece_b;
  double axes = sk_norm(sk_sub(c->point_a, c->point_b));
  double wa = fmax(0.05 * (p->s1 - p->s0), 0.35 * axes);
  double wb = fmax(0.05 * (q->s1 - q->s0), 0.35 * axes);
  return c->a == d->a && c->b == d->b && abs(c->piece_a - d->piece_a) <= 1 && abs(c->piece_b - d->piece_b) <= 1 &&
         fabs(c->sa - d->sa) <= wa && fabs(c->sb - d->sb) <= wb && sk_dot(c->normal, d->normal) >= 0.9;
}

/* All pairs, and of each pair of objects the nearest first. Rods against rods only. */
static inline list find_slowly(const set *s, double apart)
{
  static int first[MOST];
  list all = {0}, kept = {0};
  index_rods(s, first);
  for (int j = 0; j < s->pieces; j++)
    for (int i = 0; i < j; i++) add_pair(s, i, j, apart, &all);
  if (all.count > 0) qsort(all.at, (size_t)all.count, sizeof *all.at, by_place);
  bool *gone = calloc((size_t)all.count + 1, sizeof *gone);
  assert_non_null(gone);
  for (int i = 0, end; i < all.count; i = end) {
    for (end = i; end < all.count && all.at[end].a == all.at[i].a && all.at[end].b == all.at[i].b;) end++;
    for (int left = end - i; left > 0; left--) {
      int best = -1;
      for (int k = i; k < end; k++)
        if (!gone[k] && (best < 0 || all.at[k].gap < all.at[best].gap)) best = k;
      if (best < 0) break;
      list_add(&kept, all.at[best]);
      gone[best] = true;
      for (int k = i; k < end; k++) gone[k] = gone[k] || are_one(s, first, all.at + best, all.at + k);
    }
  }
  if (kept.count > 0) qsort(kept.at, (size_t)kept.count, sizeof *kept.at, by_place);
  free(gone), free(all.at);
  return kept;
}

static inline uint64_t hash_of(const sk_candidate *c, int count)
{
  uint64_t h = 0;
  for (int i = 0; i < count; i++) {
    int n[5] = {c[i].a, c[i].b, c[i].piece_a, c[i].piece_b, sk_feature_number(c[i].feature)};
    double x[14] = {c[i].sa,        c[i].sb,        c[i].point_a.x, c[i].point_a.y,  c[i].point_a.z,
                    c[i].point_b.x, c[i].point_b.y, c[i].point_b.z, c[i].normal.x,   c[i].normal.y,
                    c[i].normal.z,  c[i].gap,       c[i].mu,        c[i].restitution};
    h = 31 * h + fnv(n, sizeof n) + 7 * fnv(x, sizeof x);
  }
  return h;
}

/* Finds with 1, 2, 3 and 8 threads: the same bits, sorted, unit normals from b to a. The caller frees the arena. */
static inline sk_candidate *find(const sk_collide_input *given, sk_arena *arena, int *count)
{
  static const int threads[] = {1, 2, 3, 8};
  sk_candidate *c = NULL;
  uint64_t first = 0;
  for (int k = 0; k < 4; k++) {
    sk_collide_input in = *given;
    in.threads = threads[k];
    expect_ok(sk_collide_find(&in, arena, &c, count));
    uint64_t h = hash_of(c, *count);
    if (k > 0) assert_true(h == first);
    first = h;
  }
  for (int i = 0; i < *count; i++) {
    if (i > 0) assert_true(by_place(c + i - 1, c + i) <= 0);
    assert_true(c[i].a < c[i].b || (c[i].a == c[i].b && c[i].sa < c[i].sb));
    expect_at_most(fabs(sk_norm(c[i].normal) - 1), 1e-12, "length of a normal");
    assert_true(c[i].mu >= 0);
  }
  return c;
}

static inline int expect_like_all_pairs(const set *s)
{
  sk_collide_input in = input_of(s, 1);
  sk_arena arena = {0};
  int count;
  sk_candidate *c = find(&in, &arena, &count);
  list slow = find_slowly(s, in.apart);
  assert_int_equal(count, slow.count);
  for (int i = 0; i < count; i++) {
    const sk_candidate *d = slow.at + i;
    assert_int_equal(by_place(c + i, d), 0);
    assert_true(c[i].gap == d->gap && c[i].mu == d->mu && c[i].restitution == d->restitution);
    double axes = sk_norm(sk_sub(d->point_a, d->point_b));
    if (axes > 1e-6) expect_at_most(1 - sk_dot(c[i].normal, d->normal), 1e-12, "turn of a normal");
  }
  free(slow.at);
  sk_arena_free(&arena);
  return count;
}

/* ---- Random sets ---- */

/* Wavy rods in a box; size: of the box, in lengths of a rod. */
static inline void draw_rods(set *s, sk_random *g, int rods, int pieces, double size, double reach, sk_vec3 origin)
{
  sk_vec3 x[64];
  for (int i = 0; i < rods; i++) {
    sk_vec3 d = sk_unit(draw(g, 1)), turn = draw(g, sk_random_uniform(g, 0, 0.5));
    double l = 1.0 / pieces;
    x[0] = sk_add(origin, draw(g, size));
    for (int k = 0; k < pieces; k++) x[k + 1] = sk_axpy(x[k], l, d), d = sk_apply(sk_rotation(turn), d);
    add_rod(s, x, pieces, 0.01, reach * sk_random_uniform(g, 0, 1), sk_random_int(g, GROUPS));
  }
}

#endif
