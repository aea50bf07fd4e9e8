/* The collision room: nearest points of segments against a slow and safe way; candidates against all pairs, merged the
 * naive way; what is degenerate, huge, crowded or not a number; order, threads, groups, solids. */
#include "support.h"

#include "collide/collide.h"

/* ---- Nearest points of segments ---- */

typedef long double real;

/* Distance^2 of (s, t), in more digits. */
static real far_apart(sk_vec3 p1, sk_vec3 q1, sk_vec3 p2, sk_vec3 q2, real s, real t)
{
  real x = (real)p1.x - p2.x + s * ((real)q1.x - p1.x) - t * ((real)q2.x - p2.x);
  real y = (real)p1.y - p2.y + s * ((real)q1.y - p1.y) - t * ((real)q2.y - p2.y);
  real z = (real)p1.z - p2.z + s * ((real)q1.z - p1.z) - t * ((real)q2.z - p2.z);
  return x * x + y * y + z * z;
}

/* The least over t for one s: a parabola through three values. */
static real best_t(sk_vec3 p1, sk_vec3 q1, sk_vec3 p2, sk_vec3 q2, real s)
{
  real f0 = far_apart(p1, q1, p2, q2, s, 0), f1 = far_apart(p1, q1, p2, q2, s, 0.5L);
  real f2 = far_apart(p1, q1, p2, q2, s, 1), a = 2 * (f0 - 2 * f1 + f2), b = 4 * f1 - 3 * f0 - f2;
  real t = a > 0 ? -b / (2 * a) : 0, best = f0 < f2 ? f0 : f2;
  if (t <= 0 || t >= 1) return best;
  real f = far_apart(p1, q1, p2, q2, s, t);
  return f < best ? f : best;
}

/* The least over s by golden section: the function is convex. */
static double slow_distance2(sk_vec3 p1, sk_vec3 q1, sk_vec3 p2, sk_vec3 q2)
{
  real lo = 0, hi = 1, r = 0.6180339887498948482L, best = best_t(p1, q1, p2, q2, 0), end = best_t(p1, q1, p2, q2, 1);
  for (int k = 0; k < 90; k++) {
    real x = hi - r * (hi - lo), y = lo + r * (hi - lo);
    if (best_t(p1, q1, p2, q2, x) < best_t(p1, q1, p2, q2, y)) hi = y;
    else lo = x;
  }
  real inside = best_t(p1, q1, p2, q2, 0.5L * (lo + hi));
  best = end < best ? end : best;
  return (double)(inside < best ? inside : best);
}

static sk_vec3 draw(sk_random *g, double size)
{
  double x = size * sk_random_normal(g), y = size * sk_random_normal(g), z = size * sk_random_normal(g);
  return sk_vec(x, y, z);
}

static void check_segments(sk_vec3 p1, sk_vec3 q1, sk_vec3 p2, sk_vec3 q2)
{
  double s, t, d2 = sk_segment_segment(p1, q1, p2, q2, &s, &t), least = slow_distance2(p1, q1, p2, q2);
  double size = sk_norm(sk_sub(q1, p1)) + sk_norm(sk_sub(q2, p2)) + sk_norm(sk_sub(p1, p2));
  assert_true(s >= 0 && s <= 1 && t >= 0 && t <= 1);
  expect_at_most(fabs(d2 - (double)far_apart(p1, q1, p2, q2, s, t)), 1e-14 * size * size, "distance^2 at s and t");
  expect_at_most(sqrt(d2) - sqrt(least), 1e-9 * size, "distance above the least");
  expect_at_most(d2 - least, 2e-12 * least + 1e-15 * size * size, "distance^2 above the least");
}

static void test_segments(void **state)
{
  (void)state;
  sk_random g = sk_random_make(3);
  for (int k = 0; k < (SLOW_BUILD ? 1000 : 10000); k++) {
    sk_vec3 p1 = draw(&g, 1), d = draw(&g, 1), p2 = draw(&g, k % 3 == 0 ? 0.1 : 1), e = draw(&g, 1);
    double tilt = pow(10, sk_random_uniform(&g, -18, 0));
    if (k % 4 == 1) e = sk_axpy(sk_mul(sk_random_uniform(&g, -2, 2), d), tilt, e);            /* nearly parallel */
    if (k % 4 == 2) p2 = sk_axpy(p1, sk_random_uniform(&g, -2, 2), d);                        /* begins on the line */
    if (k % 8 == 3) p2 = sk_sub(sk_axpy(p1, sk_random_uniform(&g, 0, 1), d), sk_mul(0.5, e)); /* crosses */
    if (k % 16 == 7) e = sk_mul(tilt, e);                                                     /* nearly a point */
    if (k % 64 == 5) d = sk_vec(0, 0, 0);
    if (k % 128 == 5) e = sk_vec(0, 0, 0);
    check_segments(p1, sk_add(p1, d), p2, sk_add(p2, e));
  }
}

static void test_parallel_segments(void **state)
{
  (void)state;
  double s, t;
  sk_vec3 o = sk_vec(0, 0, 0), x = sk_vec(1, 0, 0), up = sk_vec(0, 0, 0.5);
  assert_true(sk_segment_segment(o, x, sk_add(o, up), sk_add(x, up), &s, &t) == 0.25);
  assert_true(s == 0.5 && t == 0.5); /* side by side: in the middle */
  assert_true(sk_segment_segment(o, x, sk_vec(1.5, 0, 0.5), sk_vec(0.5, 0, 0.5), &s, &t) == 0.25);
  assert_true(s == 0.75 && t == 0.75);
  assert_true(sk_segment_segment(o, x, sk_vec(4, 0, 0), sk_vec(3, 0, 0), &s, &t) == 4);
  assert_true(s == 1 && t == 1);
  assert_true(sk_segment_segment(o, x, o, x, &s, &t) == 0);
  assert_true(sk_segment_segment(o, o, o, o, &s, &t) == 0);
  assert_true(sk_segment_segment(o, x, sk_vec(0.25, 1, 0), sk_vec(0.25, 1, 0), &s, &t) == 1);
  assert_true(s == 0.25);
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

static sk_collide_input input_of(const set *s, int threads)
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
static void add_rod(set *s, const sk_vec3 *x, int count, double radius, double reach, int group)
{
  int object = s->pieces > 0 ? s->p[s->pieces - 1].object + 1 : 0;
  double at = 0;
  assert_true(s->pieces + count <= MOST);
  for (int k = 0; k < count; k++) {
    double next = at + sk_norm(sk_sub(x[k + 1], x[k]));
    s->p[s->pieces++] = (sk_piece){x[k], x[k + 1], radius, reach, at, next, object, group, k};
    at = next;
  }
}

static set *set_create(void)
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
static void index_rods(const set *s, int *first)
{
  for (int i = s->pieces - 1; i >= 0; i--) first[s->p[i].object] = i;
}

static void list_add(list *l, sk_candidate c)
{
  if (l->count == l->room) l->at = realloc(l->at, sizeof *l->at * (size_t)(l->room = 2 * l->room + 64));
  assert_non_null(l->at);
  l->at[l->count++] = c;
}

static int by_place(const void *x, const void *y)
{
  const sk_candidate *c = x, *d = y;
  double key[7] = {c->a - (double)d->a,
                   c->b - (double)d->b,
                   c->sa - d->sa,
                   c->sb - d->sb,
                   c->feature - (double)d->feature,
                   c->piece_a - (double)d->piece_a,
                   c->piece_b - (double)d->piece_b};
  for (int k = 0; k < 7; k++)
    if (key[k] != 0) return key[k] < 0 ? -1 : 1;
  return 0;
}

/* Whether the rod goes on, beyond the end s of piece i, towards what lies against n. */
static bool goes_on(const set *s, int i, double at, sk_vec3 n)
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

static void add_pair(const set *s, int i, int j, double apart, list *out)
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

static bool are_one(const set *s, const int *first, const sk_candidate *c, const sk_candidate *d)
{
  const sk_piece *p = s->p + first[c->a] + c->piece_a, *q = s->p + first[c->b] + c->piece_b;
  double axes = sk_norm(sk_sub(c->point_a, c->point_b));
  double wa = fmax(0.05 * (p->s1 - p->s0), 0.35 * axes);
  double wb = fmax(0.05 * (q->s1 - q->s0), 0.35 * axes);
  return c->a == d->a && c->b == d->b && abs(c->piece_a - d->piece_a) <= 1 && abs(c->piece_b - d->piece_b) <= 1 &&
         fabs(c->sa - d->sa) <= wa && fabs(c->sb - d->sb) <= wb && sk_dot(c->normal, d->normal) >= 0.9;
}

/* All pairs, and of each pair of objects the nearest first. Rods against rods only. */
static list find_slowly(const set *s, double apart)
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

static uint64_t hash_of(const sk_candidate *c, int count)
{
  uint64_t h = 0;
  for (int i = 0; i < count; i++) {
    int n[5] = {c[i].a, c[i].b, c[i].piece_a, c[i].piece_b, c[i].feature};
    double x[14] = {c[i].sa,        c[i].sb,        c[i].point_a.x, c[i].point_a.y,  c[i].point_a.z,
                    c[i].point_b.x, c[i].point_b.y, c[i].point_b.z, c[i].normal.x,   c[i].normal.y,
                    c[i].normal.z,  c[i].gap,       c[i].mu,        c[i].restitution};
    h = 31 * h + fnv(n, sizeof n) + 7 * fnv(x, sizeof x);
  }
  return h;
}

/* Finds with 1, 2, 3 and 8 threads: the same bits, sorted, unit normals from b to a. The caller frees the arena. */
static sk_candidate *find(const sk_collide_input *given, sk_arena *arena, int *count)
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

static int expect_like_all_pairs(const set *s)
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
static void draw_rods(set *s, sk_random *g, int rods, int pieces, double size, double reach, sk_vec3 origin)
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

static void test_rods_against_all_pairs(void **state)
{
  (void)state;
  int most = SLOW_BUILD ? 6 : 24, total = 0;
  for (int k = 0; k < most; k++) {
    set *s = set_create();
    sk_random g = sk_random_make((uint64_t)k);
    static const int rods[] = {1, 3, 20, 60}, pieces[] = {1, 4, 12, 40};
    static const double size[] = {0.05, 0.3, 1, 3}, reach[] = {0, 0.005, 0.05, 0.3};
    sk_vec3 origin = k % 5 == 4 ? sk_vec(1e5, -3e5, 2e5) : sk_vec(0, 0, 0);
    draw_rods(s, &g, rods[k % 4], pieces[(k / 2) % 4], size[(k / 3) % 4], reach[(k / 4) % 4], origin);
    draw_rods(s, &g, 5, 3, 0.3, 0.1, origin);
    total += expect_like_all_pairs(s);
    free(s);
  }
  assert_true(total > (SLOW_BUILD ? 20 : 1000));
}

/* Single pieces whose sizes and reaches span many orders, far clusters among them. */
static void test_mixed_sizes(void **state)
{
  (void)state;
  for (int k = 0; k < (SLOW_BUILD ? 2 : 8); k++) {
    set *s = set_create();
    sk_random g = sk_random_make((uint64_t)(50 + k));
    for (int i = 0; i < 700; i++) {
      double l = pow(10, sk_random_uniform(&g, -3, k % 2 ? 0 : -2)), r = pow(10, sk_random_uniform(&g, -5, -3));
      double reach = pow(10, sk_random_uniform(&g, -5, k % 4 < 2 ? -1 : -3));
      if (i == 300 && k % 3 == 1) reach = 1e3;
      if (i == 200 && k % 3 == 2) l = 50;
      sk_vec3 x[2] = {draw(&g, i % 50 == 0 ? 1e9 : 0.1)};
      if (i % 50 == 1) x[0] = s->p[s->pieces - 1].a;
      x[1] = sk_axpy(x[0], l, sk_unit(draw(&g, 1)));
      add_rod(s, x, 1, r, reach, sk_random_int(&g, GROUPS));
    }
    assert_true(expect_like_all_pairs(s) >= (k % 4 < 2 ? 50 : 1));
    free(s);
  }
}

static void test_all_in_one_cell(void **state)
{
  (void)state;
  set *s = set_create();
  sk_random g = sk_random_make(8);
  for (int i = 0; i < 300; i++) {
    sk_vec3 x[2] = {draw(&g, 1e-3), draw(&g, 1)};
    add_rod(s, x, 1, 0.01, 0.01, 0);
  }
  assert_int_equal(expect_like_all_pairs(s), 300 * 299 / 2);
  free(s);
}

/* Points, twins and lattices: many equal numbers. Normals are compared among threads only. */
static void test_degenerate(void **state)
{
  (void)state;
  set *s = set_create();
  sk_random g = sk_random_make(9);
  for (int i = 0; i < 400; i++) {
    double a = sk_random_int(&g, 6), b = sk_random_int(&g, 6), c = sk_random_int(&g, 3);
    sk_vec3 x[2] = {sk_vec(a, b, c), sk_vec(a, b, c)};
    if (i % 4 > 0) (i % 4 == 1 ? &x[1].x : i % 4 == 2 ? &x[1].y : &x[1].z)[0] += 1 + i % 3;
    add_rod(s, x, 1, 0.1, 0.05, 0);
  }
  assert_true(expect_like_all_pairs(s) > 1000);
  free(s);
}

/* One long piece against many short ones, and a fast one. */
static void test_one_against_many(void **state)
{
  (void)state;
  set *s = set_create();
  sk_random g = sk_random_make(10);
  sk_vec3 from = sk_vec(-30, 0.1, 0.2), to = sk_vec(30, -4, 7);
  add_rod(s, (sk_vec3[]){from, to}, 1, 0.01, 0, 0);
  for (int i = 0; i < 1500; i++) {
    sk_vec3 at = sk_add(sk_axpy(from, sk_random_uniform(&g, 0, 1), sk_sub(to, from)), draw(&g, 0.05));
    add_rod(s, (sk_vec3[]){at, sk_add(at, draw(&g, 0.02))}, 1, 0.005, 0.005, 0);
  }
  assert_true(expect_like_all_pairs(s) > 100);
  s->p[40].reach = 200;
  assert_true(expect_like_all_pairs(s) >= 1500);
  free(s);
}

/* ---- Curves ---- */

/* A coil whose turns lie on each other touches itself once per turn and no neighbour touches a neighbour, fast or not;
 * a straight rod never does. */
static void test_self_contact(void **state)
{
  (void)state;
  enum { TURN = 20, TURNS = 5, COUNT = TURN * TURNS };
  set *s = set_create();
  sk_vec3 x[COUNT + 1];
  sk_arena arena = {0};
  int count;
  for (int k = 0; k <= COUNT; k++) {
    double angle = 2 * SK_PI * k / TURN;
    x[k] = sk_vec(cos(angle), sin(angle), 0.1 * k / TURN);
  }
  add_rod(s, x, COUNT, 0.049, 0.004, 0);
  sk_collide_input in = input_of(s, 1);
  sk_candidate *c = find(&in, &arena, &count);
  assert_true(count >= COUNT - TURN && count <= 2 * COUNT);
  for (int i = 0; i < count; i++) {
    expect_at_most(fabs(c[i].normal.z + 1), 0.02, "turn above turn: the normal points down");
    expect_at_most(fabs(c[i].sb - c[i].sa - 2 * SK_PI), 0.4, "one turn along");
    expect_at_most(fabs(c[i].gap - 0.002), 2e-3, "gap");
  }
  assert_int_equal(expect_like_all_pairs(s), count);
  s->pieces = 0;
  for (int k = 0; k <= COUNT; k++) x[k] = sk_vec(0.1 * k, 1e-3 * sin(k), 0);
  add_rod(s, x, COUNT, 0.01, 3, 0);
  find(&in, &arena, &count);
  in.piece_count = s->pieces;
  find(&in, &arena, &count);
  assert_int_equal(count, 0);
  sk_arena_free(&arena);
  free(s);
}

/* Two rods that cross, with joints near and at the crossing, fast or slow: one contact, perpendicular to both. */
static void test_crossing_is_one(void **state)
{
  (void)state;
  sk_arena arena = {0};
  int count;
  for (int k = 0; k < 60; k++) {
    set *s = set_create();
    double shift = (k % 12) * 0.02, reach = k < 24 ? 0.01 : k < 48 ? 0.5 : 3;
    sk_vec3 x[9], y[9];
    for (int i = 0; i < 9; i++) {
      x[i] = sk_vec(0.25 * (i - 4) + shift, 0, 0.05);
      y[i] = sk_vec(0, 0.25 * (i - 4) - 0.5 * shift, k % 2 ? 0 : 0.0499);
    }
    add_rod(s, x, 8, 0.02, reach, 0);
    add_rod(s, y, 8, 0.02, reach, 1);
    sk_collide_input in = input_of(s, 1);
    sk_candidate *c = find(&in, &arena, &count);
    assert_int_equal(count, 1);
    expect_at_most(1 - c->normal.z, 1e-12, "tilt");
    expect_at_most(fabs(c->gap - (k % 2 ? 0.01 : -0.0399)), 1e-12, "gap");
    assert_true(c->mu == 0.5 && c->restitution == 0.1);
    free(s);
  }
  sk_arena_free(&arena);
}

/* Axes that meet exactly: the normal is perpendicular to both, and says the same whoever is called a. */
static void test_axes_that_meet(void **state)
{
  (void)state;
  set *s = set_create();
  sk_arena arena = {0};
  int count;
  sk_vec3 o = sk_vec(0, 0, 0), x = sk_vec(1, 0, 0), y = sk_vec(0, 1, 0), minus = sk_vec(-1, -1, 0);
  add_rod(s, (sk_vec3[]){sk_mul(-1, x), x}, 1, 0.1, 0, 0);
  add_rod(s, (sk_vec3[]){sk_mul(-1, y), y}, 1, 0.1, 0, 0);
  sk_collide_input in = input_of(s, 1);
  sk_vec3 n = find(&in, &arena, &count)->normal;
  assert_int_equal(count, 1);
  assert_true(n.x == 0 && n.y == 0 && n.z == 1);
  s->p[0].object = 1, s->p[1].object = 0;
  n = find(&in, &arena, &count)->normal;
  assert_true(n.x == 0 && n.y == 0 && n.z == -1);
  s->p[1] = s->p[0], s->p[1].object = 2; /* twins */
  n = find(&in, &arena, &count)->normal;
  assert_int_equal(count, 1);
  assert_true(n.x == 0 && sk_norm(n) == 1);
  s->p[0].a = s->p[0].b = s->p[1].a = s->p[1].b = o; /* points */
  find(&in, &arena, &count);
  assert_int_equal(count, 1);
  s->p[0].a = minus, s->p[0].b = sk_mul(-1, minus), s->p[1] = s->p[0], s->p[1].object = 2;
  n = find(&in, &arena, &count)->normal;
  expect_at_most(fabs(sk_dot(n, minus)), 1e-15, "normal of twins along their axis");
  sk_arena_free(&arena);
  free(s);
}

/* Side by side, with `stretch`: both ends of what they share; without: the middle. */
static void test_stretch(void **state)
{
  (void)state;
  set *s = set_create();
  sk_arena arena = {0};
  int count;
  add_rod(s, (sk_vec3[]){sk_vec(0, 0, 0), sk_vec(1, 0, 0)}, 1, 0.01, 0.01, 0);
  add_rod(s, (sk_vec3[]){sk_vec(0.4, 0, 0.021), sk_vec(1.4, 0, 0.022)}, 1, 0.01, 0.01, 0);
  sk_collide_input in = input_of(s, 1);
  sk_candidate *c = find(&in, &arena, &count);
  assert_int_equal(count, 1);
  expect_at_most(fabs(c->sa - 0.4), 1e-4, "nearest");
  in.stretch = 4;
  c = find(&in, &arena, &count);
  assert_int_equal(count, 2);
  expect_at_most(fabs(c[0].sa - 0.4), 1e-4, "one end");
  expect_at_most(fabs(c[1].sa - 1), 1e-4, "the other");
  s->p[1].b = sk_vec(0.4, 1, 0.021); /* across: one, as before */
  find(&in, &arena, &count);
  assert_int_equal(count, 1);
  sk_arena_free(&arena);
  free(s);
}

/* Groups that do not touch. */
static void test_groups(void **state)
{
  (void)state;
  set *s = set_create();
  sk_arena arena = {0};
  int count;
  for (int i = 0; i < 30; i++) add_rod(s, (sk_vec3[]){sk_vec(0, 0, 0), sk_vec(1, i, 1)}, 1, 0.1, 0.1, i % 2 ? 2 : 0);
  sk_collide_input in = input_of(s, 1);
  sk_candidate *c = find(&in, &arena, &count);
  assert_int_equal(count, 2 * 15 * 14 / 2);
  for (int i = 0; i < count; i++) assert_int_equal((c[i].a - c[i].b) % 2, 0);
  sk_arena_free(&arena);
  free(s);
}

/* ---- Solids ---- */

static void add_solid(set *s, sk_shape shape, sk_vec3 at, double reach, bool moves)
{
  int k = s->solids++, rods = s->pieces > 0 ? s->p[s->pieces - 1].object + 1 : 0;
  s->shape[k] = shape;
  s->solid[k] = (sk_solid){s->shape + k, {at, {1, {0, 0, 0}}}, reach, rods + k, 1, moves};
}

/* Rods over a floor and around balls, few balls or many: the candidates of pieces and solids, one by one. */
static void test_solids(void **state)
{
  (void)state;
  for (int many = 0; many < 2; many++) {
    set *s = set_create();
    sk_random g = sk_random_make(21);
    sk_arena arena = {0};
    int count, expected = 0, seen = 0, floor_pieces = 0;
    draw_rods(s, &g, 40, 1, 0.5, 0.01, sk_vec(0, 0, 1));
    for (int i = 0; i < s->pieces; i++) s->p[i].group = 1;
    add_solid(s, (sk_shape){.kind = SK_PLANE}, sk_vec(0, 0, 0), 0, false);
    for (int k = 0; k < (many ? 60 : 10); k++)
      add_solid(s, (sk_shape){.kind = SK_SPHERE, .radius = 0.1}, sk_add(draw(&g, 0.3), sk_vec(0, 0, 1)), 0.02, k % 2);
    for (int i = 0; i < s->pieces; i++) {
      const sk_piece *p = s->p + i;
      floor_pieces += fmin(p->a.z, p->b.z) - p->radius <= p->reach;
      for (int k = 1; k < s->solids; k++) {
        double t, u;
        sk_vec3 at = s->solid[k].pose.r;
        double d = sqrt(sk_segment_segment(p->a, p->b, at, at, &t, &u)) - 0.1 - p->radius;
        expected += d <= p->reach + 0.02;
      }
    }
    sk_collide_input in = input_of(s, 1);
    sk_candidate *c = find(&in, &arena, &count);
    int on_floor = 0, last = -1;
    for (int i = 0; i < count; i++) {
      if (c[i].a >= 40 || c[i].b < 40) continue;
      assert_int_equal(c[i].piece_b, -1);
      expect_at_most(sk_norm(sk_sub(sk_axpy(c[i].point_b, c[i].gap + 0.01, c[i].normal), c[i].point_a)), 1e-9,
                     "point on the axis from that on the surface");
      if (c[i].b == 40) on_floor += c[i].a != last, last = c[i].a;
      else seen++;
    }
    expect_at_most(expected, seen, "pairs of a piece and a ball, and candidates");
    assert_true(expected > 2);
    assert_int_equal(on_floor, floor_pieces);
    sk_arena_free(&arena);
    free(s);
  }
}

/* Balls among themselves: all pairs, but not two that stand still. */
static void test_solids_among_themselves(void **state)
{
  (void)state;
  set *s = set_create();
  sk_arena arena = {0};
  sk_random g = sk_random_make(22);
  int count, expected = 0;
  for (int k = 0; k < 60; k++)
    add_solid(s, (sk_shape){.kind = SK_SPHERE, .radius = sk_random_uniform(&g, 0.01, 0.2)}, draw(&g, 0.5), 0.01, k % 3);
  for (int j = 0; j < 60; j++)
    for (int i = 0; i < j; i++) {
      double d = sk_norm(sk_sub(s->solid[i].pose.r, s->solid[j].pose.r)) - s->shape[i].radius - s->shape[j].radius;
      expected += d <= 0.02 && (i % 3 || j % 3);
    }
  sk_collide_input in = input_of(s, 1);
  sk_candidate *c = find(&in, &arena, &count);
  assert_int_equal(count, expected);
  for (int i = 0; i < count; i++) {
    sk_vec3 w = sk_sub(s->solid[c[i].a].pose.r, s->solid[c[i].b].pose.r);
    expect_at_most(1 - sk_dot(c[i].normal, sk_unit(w)), 1e-12, "normal from b to a");
    expect_at_most(fabs(sk_norm(sk_sub(c[i].point_a, c[i].point_b)) - fabs(c[i].gap)), 1e-12, "gap between the points");
  }
  sk_arena_free(&arena);
  free(s);
}

/* A rod on the floor: one candidate per joint, not two. */
static void test_joints_on_a_floor(void **state)
{
  (void)state;
  set *s = set_create();
  sk_arena arena = {0};
  sk_vec3 x[11];
  int count;
  for (int k = 0; k <= 10; k++) x[k] = sk_vec(0.1 * k, 0, 0.01);
  add_rod(s, x, 10, 0.01, 0.001, 1);
  add_solid(s, (sk_shape){.kind = SK_PLANE}, sk_vec(0, 0, 0), 0, false);
  sk_collide_input in = input_of(s, 1);
  sk_candidate *c = find(&in, &arena, &count);
  assert_true(count >= 11 && count <= 21); /* joints, and perhaps middles */
  for (int i = 0; i + 1 < count; i++) assert_true(c[i + 1].sa - c[i].sa > 0.04);
  sk_arena_free(&arena);
  free(s);
}

/* ---- What must not hurt ---- */

static void test_not_numbers(void **state)
{
  (void)state;
  set *s = set_create();
  sk_arena arena = {0};
  sk_random g = sk_random_make(30);
  int count, before;
  static const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e300, 1e200};
  draw_rods(s, &g, 30, 10, 0.3, 0.02, sk_vec(0, 0, 0));
  sk_collide_input in = input_of(s, 1);
  find(&in, &arena, &before);
  for (int k = 0; k < 30; k++) {
    sk_vec3 x[2] = {draw(&g, 0.3), draw(&g, 0.3)};
    add_rod(s, x, 1, 0.01, 0, 0);
    sk_piece *p = s->p + s->pieces - 1;
    double *field[] = {&p->a.x, &p->b.z, &p->a.y, &p->radius, &p->reach};
    *field[k % 5] = bad[k / 5];
  }
  in.piece_count = s->pieces;
  sk_candidate *c;
  for (int threads = 1; threads < 4; threads++) {
    in.threads = threads;
    expect_ok(sk_collide_find(&in, &arena, &c, &count));
    assert_true(count >= before);
  }
  sk_arena_free(&arena);
  free(s);
}

static void test_nothing(void **state)
{
  (void)state;
  sk_collide_input in = {.pairing = {GROUPS, pair_mu, pair_restitution}};
  sk_arena arena = {0};
  sk_candidate *c;
  int count = 7;
  expect_ok(sk_collide_find(&in, &arena, &c, &count));
  assert_int_equal(count, 0);
  sk_arena_free(&arena);
}

/* More candidates than can be meant: an error that says so, and soon. */
static void test_runaway(void **state)
{
  (void)state;
  set *s = set_create();
  sk_arena arena = {0};
  sk_candidate *c;
  int count;
  for (int i = 0; i < 1600; i++) add_rod(s, (sk_vec3[]){sk_vec(0, 0, 0), sk_vec(1, 0, 0)}, 1, 0.1, 0, 0);
  sk_collide_input in = input_of(s, 2);
  expect_bad(sk_collide_find(&in, &arena, &c, &count), "on top of each other");
  assert_int_equal(count, 0);
  sk_arena_free(&arena);
  free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_segments),
      cmocka_unit_test(test_parallel_segments),
      cmocka_unit_test(test_rods_against_all_pairs),
      cmocka_unit_test(test_mixed_sizes),
      cmocka_unit_test(test_all_in_one_cell),
      cmocka_unit_test(test_degenerate),
      cmocka_unit_test(test_one_against_many),
      cmocka_unit_test(test_self_contact),
      cmocka_unit_test(test_crossing_is_one),
      cmocka_unit_test(test_axes_that_meet),
      cmocka_unit_test(test_stretch),
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_solids),
      cmocka_unit_test(test_solids_among_themselves),
      cmocka_unit_test(test_joints_on_a_floor),
      cmocka_unit_test(test_not_numbers),
      cmocka_unit_test(test_nothing),
      cmocka_unit_test(test_runaway),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
