/* The collision room, case by case: self-contact and crossings, groups, solids, what is degenerate, huge, crowded or
 * not a number. */
#include "collide_support.h"

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

/* Straight pieces that are level need no third place between the ends of what they share; a dip needs it, and so does a
 * chord, which does not tell what the curve does beside it. */
static void test_level(void **state)
{
  (void)state;
  const double r = 0.01;
  for (int k = 0; k < 4; k++) {
    double skew = k == 0 ? 0 : k == 1 ? 0.1 * r : 0.5 * r; /* 0.1: nearer by 0.0025 radii, 0.5: by 0.06 */
    set *s = set_create();
    sk_arena arena = {0};
    int count;
    add_rod(s, (sk_vec3[]){sk_vec(0, 0, 0), sk_vec(1, 0, 0)}, 1, r, r, 0);
    add_rod(s, (sk_vec3[]){sk_vec(0, -skew, 2.1 * r), sk_vec(1, skew, 2.1 * r)}, 1, r, r, 0);
    s->p[0].straight = true, s->p[1].straight = k != 3;
    sk_collide_input in = input_of(s, 1);
    in.stretch = 1;
    find(&in, &arena, &count);
    assert_int_equal(count, k < 2 ? 2 : 3);
    sk_arena_free(&arena);
    free(s);
  }
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
  s->solid[k] = (sk_solid){.shape = s->shape + k,
                           .pose = {at, {1, {0, 0, 0}}},
                           .reach = reach,
                           .slack = reach,
                           .object = rods + k,
                           .group = 1,
                           .moves = moves};
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

/* ---- What moves together ---- */

static void expect_same(const sk_collide_input *x, const sk_collide_input *y, int least)
{
  sk_arena arena = {0};
  int count, others;
  sk_candidate *c = find(x, &arena, &count), *d = find(y, &arena, &others);
  assert_int_equal(count, others);
  assert_true(count >= least);
  for (int i = 0; i < count; i++) assert_memory_equal(&c[i].gap, &d[i].gap, sizeof c[i].gap);
  for (int i = 0; i < count; i++) assert_true(c[i].a == d[i].a && c[i].b == d[i].b && c[i].sa == d[i].sa);
  sk_arena_free(&arena);
}

/* The carrier narrows the search and changes no candidate; a move that all share changes none either. */
static void test_carried(void **state)
{
  (void)state;
  set *s = set_create(), *still = set_create();
  sk_random g = sk_random_make(31);
  sk_move head = {.r = {0.1, 0, 0}, .v = {0.02, 0.01, 0}, .w = {0, 0.01, 0.05}};
  draw_rods(s, &g, 60, 1, 0.5, 0.01, sk_vec(0, 0, 1));
  for (int i = 0; i < s->pieces; i++) s->p[i].group = 1;
  for (int k = 0; k < 20; k++)
    add_solid(s, (sk_shape){.kind = SK_SPHERE, .radius = 0.1}, sk_add(draw(&g, 0.3), sk_vec(0, 0, 1)), 0.001, false);
  *still = *s;
  for (int i = 0; i < s->pieces; i++) s->p[i].way = head.v;
  for (int k = 0; k < s->solids; k++)
    s->solid[k].move = (sk_move){.v = head.v}, s->solid[k].shape = s->shape + k, still->solid[k].shape = s->shape + k;
  sk_collide_input moved = input_of(s, 1), rests = input_of(still, 1);
  expect_same(&moved, &rests, 20);
  for (int i = 0; i < s->pieces; i++)
    s->p[i].way = sk_add(sk_moved(&head, sk_mul(0.5, sk_add(s->p[i].a, s->p[i].b))), draw(&g, 0.005));
  for (int k = 0; k < s->solids; k++) {
    s->solid[k].move = k % 2 ? head : (sk_move){.r = s->solid[k].pose.r, .v = draw(&g, 0.01), .w = draw(&g, 0.03)};
  }
  sk_collide_input carried = input_of(s, 1);
  moved = carried, carried.carrier = head;
  expect_same(&moved, &carried, 20);
  free(s), free(still);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_carried),
      cmocka_unit_test(test_self_contact),
      cmocka_unit_test(test_crossing_is_one),
      cmocka_unit_test(test_axes_that_meet),
      cmocka_unit_test(test_stretch),
      cmocka_unit_test(test_level),
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
