/* A list of pairs that is kept from step to step must change nothing: every step, the candidates with it are those
 * without it, to the last bit, while rods swing with what carries them, one jumps, all are thrown, and lie still. */
#include "collide_support.h"

enum { RODS = 80, PIECES = 16, STEPS = 90 };

typedef struct swarm {
  set *s;
  sk_vec3 rest[RODS][PIECES + 1], to[RODS][PIECES + 1];
  double phase[RODS];
} swarm;

static sk_pose pose_at(double t, double swing)
{
  double angle = swing * sin(t), c = cos(0.5 * angle), n = sin(0.5 * angle);
  return (sk_pose){.r = sk_vec(0.1 * swing * t, 0, 0.02 * t), .q = {c, {0, 0, n}}};
}

static sk_vec3 moved_by(const sk_pose *p, sk_vec3 x)
{
  return sk_add(p->r, sk_apply(sk_quat_frame(p->q), x));
}

static void swarm_make(swarm *w)
{
  sk_random g = sk_random_make(7);
  w->s = set_create();
  for (int i = 0; i < RODS; i++) {
    sk_vec3 x = draw(&g, 0.03), d = sk_unit(draw(&g, 1));
    w->phase[i] = sk_random_uniform(&g, 0, 6);
    for (int k = 0; k <= PIECES; k++) {
      w->rest[i][k] = x;
      d = sk_unit(sk_add(d, draw(&g, 0.2)));
      x = sk_axpy(x, 0.006, d);
    }
    add_rod(w->s, w->rest[i], PIECES, 0.0005, 0.0002, sk_random_int(&g, GROUPS));
  }
  w->s->shape[0] = (sk_shape){.kind = SK_SPHERE, .radius = 0.02};
  w->s->shape[1] = (sk_shape){.kind = SK_PLANE};
  w->s->solids = 2;
}

/* Where the points are at t: with the carrier, swaying a little beside it. */
static void place_all(swarm *w, double t, double swing, double sway, sk_vec3 (*out)[PIECES + 1])
{
  sk_pose p = pose_at(t, swing);
  for (int i = 0; i < RODS; i++)
    for (int k = 0; k <= PIECES; k++) {
      double a = sway * k / PIECES * sin(3 * t + w->phase[i]);
      out[i][k] = moved_by(&p, sk_add(w->rest[i][k], sk_vec(a, 0.5 * a, -a)));
    }
}

/* The step from t to t + dt; the move of the carrier. */
static sk_collide_input take_step(swarm *w, double t, double dt, double swing, double sway, int threads)
{
  static sk_vec3 from[RODS][PIECES + 1];
  place_all(w, t, swing, sway, from), place_all(w, t + dt, swing, sway, w->to);
  for (int i = 0; i < RODS; i++)
    for (int k = 0; k < PIECES; k++) {
      sk_piece *p = w->s->p + i * PIECES + k;
      p->a = from[i][k], p->b = from[i][k + 1];
      p->way = sk_mul(0.5, sk_add(sk_sub(w->to[i][k], p->a), sk_sub(w->to[i][k + 1], p->b)));
    }
  sk_pose now = pose_at(t, swing), next = pose_at(t + dt, swing);
  sk_move move = {now.r, sk_sub(next.r, now.r), sk_vec(0, 0, swing * (sin(t + dt) - sin(t)))};
  w->s->solid[0] = (sk_solid){.shape = w->s->shape, .pose = now, .reach = 0.01, .move = move, .object = RODS};
  w->s->solid[1] = (sk_solid){.shape = w->s->shape + 1,
                              .pose = {.r = {0, 0, -0.05}, .q = {1, {0, 0, 0}}},
                              .reach = 0.001,
                              .object = RODS + 1,
                              .group = 1};
  sk_collide_input in = input_of(w->s, threads);
  in.carrier = move, in.carrier_pose = now, in.carrier_object = 0;
  return in;
}

/* The candidates with the list against those without; their number. */
static int expect_same(sk_collide_input in, sk_verlet *v)
{
  sk_arena arena = {0};
  sk_candidate *with, *without;
  int count, plain;
  expect_ok(sk_collide_find(&in, &arena, &without, &plain));
  in.verlet = v;
  expect_ok(sk_collide_find(&in, &arena, &with, &count));
  assert_int_equal(count, plain);
  for (int k = 0; k < count; k++) {
    assert_int_equal(by_place(with + k, without + k), 0);
    assert_true(with[k].gap == without[k].gap && with[k].normal.x == without[k].normal.x &&
                with[k].point_b.z == without[k].point_b.z);
  }
  sk_arena_free(&arena);
  return count;
}

static void test_list_changes_nothing(void **state)
{
  (void)state;
  static swarm w;
  swarm_make(&w);
  sk_verlet *v = sk_verlet_create();
  assert_non_null(v);
  int64_t total = 0, served = 0, longest = 0;
  double t = 0;
  for (int n = 0; n < STEPS; n++) {
    double part = (double)n / STEPS, dt = 0.004, swing = 0.8, sway = 0.002;
    if (part > 0.5 && part < 0.7) dt = 0.2, sway = 0.05; /* thrown: no list is worth it */
    if (part > 0.7) swing = 0.8, sway = 0.002, dt = 1e-6;
    sk_collide_input in = take_step(&w, t, dt, swing, sway, 1 + n % 3);
    if (n == STEPS / 4) { /* one piece jumps into the midst of others */
      sk_piece *p = w.s->p + 5 * PIECES + 3;
      p->a = w.s->p[20 * PIECES + 8].a, p->b = w.s->p[20 * PIECES + 9].b;
    }
    total += expect_same(in, v);
    int age = sk_verlet_age(v);
    served += age > 1, longest = SK_MAX(longest, age);
    t += dt;
  }
  assert_true(total > 100 * STEPS);
  assert_true(served > STEPS / 3); /* it has saved searches */
  assert_true(longest >= 5);
  sk_verlet_destroy(v);
  free(w.s);
}

/* Another number of pieces, another carrier, another solid: never the old list. */
static void test_other_sets(void **state)
{
  (void)state;
  static swarm w;
  swarm_make(&w);
  sk_verlet *v = sk_verlet_create();
  for (int n = 0; n < 8; n++) {
    sk_collide_input in = take_step(&w, 0.001 * n, 1e-6, 0.1, 0, 2);
    if (n % 2) in.piece_count -= PIECES;
    if (n == 4) in.carrier_object = -1, in.carrier = (sk_move){0}, in.carrier_pose = (sk_pose){.q = {1, {0, 0, 0}}};
    if (n == 6) in.solid_count = 1;
    if (n == 7) w.s->p[40].a.x = NAN;
    expect_same(in, v);
  }
  sk_verlet_destroy(v);
  free(w.s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_list_changes_nothing),
      cmocka_unit_test(test_other_sets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
