/* The judge: what is planted in a step is named, with the right objects; a clean motion is not. */
#include "world/judge.h"
#include "world/world.h"
#include "world_support.h"

#include <string.h>

static bool has(const skein_verdict *v, skein_flaw flaw)
{
  return v->flaws >> flaw & 1;
}

/* ---- Moving segments ---- */

static sk_moving moving(sk_vec3 a0, sk_vec3 b0, sk_vec3 a1, sk_vec3 b1)
{
  return (sk_moving){a0, b0, a1, b1};
}

static sk_moving still(sk_vec3 a, sk_vec3 b)
{
  return moving(a, b, a, b);
}

static void segments_cross(void **state)
{
  (void)state;
  sk_moving x = still(sk_vec(-1, 0, 0), sk_vec(1, 0, 0));
  sk_moving down = moving(sk_vec(0, -1, 1), sk_vec(0, 1, 1), sk_vec(0, -1, -1), sk_vec(0, 1, -1));
  sk_moving beside = moving(sk_vec(3, -1, 1), sk_vec(3, 1, 1), sk_vec(3, -1, -1), sk_vec(3, 1, -1));
  sk_moving ends_on = moving(sk_vec(0, -1, 1), sk_vec(0, 1, 1), sk_vec(0, -1, 0), sk_vec(0, 1, 0));
  sk_moving goes_on = moving(sk_vec(0, -1, 0), sk_vec(0, 1, 0), sk_vec(0, -1, -1), sk_vec(0, 1, -1));
  sk_moving turns = moving(sk_vec(-2, 0.5, 1), sk_vec(1, 0.5, -1), sk_vec(-1, -0.5, 1), sk_vec(2, -0.5, -1));
  assert_true(sk_crossing(&x, &down) && sk_crossing(&down, &x));
  assert_false(sk_crossing(&x, &beside));
  assert_true(sk_crossing(&x, &ends_on) != sk_crossing(&x, &goes_on)); /* once, in one of the two steps */
  assert_true(sk_crossing(&x, &turns));
}

/* What has no inside: points, parallel and coplanar segments, places that are not numbers. */
static void hostile_segments(void **state)
{
  (void)state;
  sk_vec3 o = {0, 0, 0}, nan = {NAN, 0, 0}, huge = {1e200, 1e200, -1e200};
  sk_moving x = still(sk_vec(-1, 0, 0), sk_vec(1, 0, 0)), point = moving(sk_vec(0, 0, 1), sk_vec(0, 0, 1), o, o);
  sk_moving parallel = moving(sk_vec(-1, 0, 1), sk_vec(1, 0, 1), sk_vec(-1, 0, -1), sk_vec(1, 0, -1));
  sk_moving plane = moving(sk_vec(5, 1, 0), sk_vec(5, -1, 0), sk_vec(0, 1, 0), sk_vec(0, -1, 0));
  sk_moving broken = moving(nan, o, o, o), far = moving(huge, o, sk_mul(-1, huge), o);
  const sk_moving *all[] = {&x, &point, &parallel, &plane, &broken, &far};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) assert_false(sk_crossing(all[i], all[k]) && (i < 5 || k < 5));
}

static sk_vec3 between(sk_vec3 a, sk_vec3 b, double t)
{
  return sk_axpy(a, t, sk_sub(b, a));
}

/* Volume of the four ends at time t; *distance: of the segments. */
static double look_at(const sk_moving *x, const sk_moving *y, double t, double *distance)
{
  sk_vec3 a = between(x->a0, x->a1, t), b = between(x->b0, x->b1, t);
  sk_vec3 c = between(y->a0, y->a1, t), d = between(y->b0, y->b1, t);
  double u, v;
  *distance = sqrt(sk_segment_segment(a, b, c, d, &u, &v));
  return sk_dot(sk_cross(sk_sub(b, a), sk_sub(d, c)), sk_sub(c, a));
}

/* Random segments that move: a walk along the motion finds where they change sides, and whether they met there. */
static void crossings_are_those_of_a_walk(void **state)
{
  (void)state;
  enum { STEPS = 500 };
  sk_random g = sk_random_make(7);
  int found = 0;
  for (int n = 0; n < 2000; n++) {
    sk_vec3 p[8];
    for (int k = 0; k < 8; k++)
      p[k] = sk_vec(sk_random_uniform(&g, -1, 1), sk_random_uniform(&g, -1, 1), sk_random_uniform(&g, -1, 1));
    sk_moving x = moving(p[0], p[1], p[2], p[3]), y = moving(p[4], p[5], p[6], p[7]);
    int crossings = 0;
    double distance;
    for (int k = 0; k < STEPS; k++) {
      double lo = (double)k / STEPS, hi = (k + 1.0) / STEPS, f = look_at(&x, &y, lo, &distance);
      if (f * look_at(&x, &y, hi, &distance) >= 0) continue;
      for (int i = 0; i < 45; i++) {
        double t = 0.5 * (lo + hi);
        if (f * look_at(&x, &y, t, &distance) > 0) lo = t;
        else hi = t;
      }
      crossings += distance < 1e-8;
    }
    assert_int_equal(sk_crossing(&x, &y), crossings % 2);
    assert_int_equal(sk_crossing(&y, &x), crossings % 2);
    found += crossings % 2;
  }
  assert_true(found > 50);
}

/* ---- What may meet ---- */

/* All pairs of pieces that are within reach, whatever becomes of their candidates. */
static void no_pair_is_left_out(void **state)
{
  (void)state;
  enum { RODS = 12, PIECES = 6 };
  sk_random g = sk_random_make(3);
  sk_piece p[RODS * PIECES];
  double mu = 0.3, e = 0;
  for (int i = 0; i < RODS; i++) {
    sk_vec3 at = {sk_random_uniform(&g, 0, 0.1), sk_random_uniform(&g, 0, 0.1), sk_random_uniform(&g, 0, 0.1)};
    for (int k = 0; k < PIECES; k++) {
      sk_vec3 to = sk_add(at, sk_vec(sk_random_normal(&g) * 0.02, sk_random_normal(&g) * 0.02, 0.02));
      p[i * PIECES + k] = (sk_piece){.a = at,
                                     .b = to,
                                     .radius = 1e-3,
                                     .reach = 2e-3,
                                     .s0 = 0.03 * k,
                                     .s1 = 0.03 * (k + 1),
                                     .object = i,
                                     .piece = k,
                                     .straight = true,
                                     .way = sk_vec(0.01 * (i % 3), 0, 0)};
      at = to;
    }
  }
  sk_meets meets;
  sk_collide_input in = {.pieces = p,
                         .piece_count = RODS * PIECES,
                         .pairing = {1, &mu, &e},
                         .apart = 4,
                         .threads = 2,
                         .carrier_pose = {.q = {1, {0, 0, 0}}},
                         .carrier_object = -1,
                         .meets = &meets};
  sk_arena arena = {0};
  sk_candidate *c;
  int count, expected = 0;
  expect_ok(sk_collide_find(&in, &arena, &c, &count));
  for (int i = 0; i < RODS * PIECES; i++)
    for (int k = i + 1; k < RODS * PIECES; k++) {
      double u, v, reach = 6e-3 + sk_norm(sk_sub(p[i].way, p[k].way));
      bool same = p[i].object == p[k].object, near = same && p[k].s0 - p[i].s1 < 4e-3;
      double d = sqrt(sk_segment_segment(p[i].a, p[i].b, p[k].a, p[k].b, &u, &v));
      if (d > reach || near || (same && k - i < 2)) continue;
      int hits = 0;
      for (int64_t m = 0; m < meets.count; m++) hits += meets.at[m].i == i && meets.at[m].j == k;
      assert_int_equal(hits, 1);
      expected++;
    }
  assert_true(expected > count / 2 && meets.count >= expected);
  sk_arena_free(&arena);
}

/* ---- Planted ---- */

/* Two rods that hang side by side, 2 mm apart with a radius of half a millimetre, a third one far away, a thin plate
 * and a ball; all of it some steps after the start. */
static play hanging(void)
{
  text t = {0};
  say(&t, "{\"time\": {\"dt\": 0.001, \"dt_min\": 0.001}, \"materials\": {\"m\": {\"E\": 1e7, \"density\": 1200, "
          "\"radius\": 0.0005}}, \"bodies\": [{\"name\": \"plate\", \"shape\": {\"type\": \"box\", \"size\": [0.02, "
          "0.02, 0.0002]}, \"position\": [0.3, 0, -0.0013]}], \"rods\": [");
  const char *place[] = {"[0, 0, 0]", "[0.05, -0.05, 0.002]", "[0.25, 0, 0]"};
  const char *direction[] = {"[1, 0, 0]", "[0, 1, 0]", "[1, 0, 0]"};
  for (int i = 0; i < 3; i++)
    say(&t,
        "%s{\"name\": \"r%d\", \"model\": \"mass-spring\", \"elements\": 5, \"length\": 0.1, \"material\": \"m\", "
        "\"root\": {\"position\": %s, \"direction\": %s}}",
        i ? ", " : "", i, place[i], direction[i]);
  say(&t, "], \"gravity\": [0, 0, -0.01]}");
  play p = play_text(&t, 1);
  for (int i = 0; i < 3; i++) {
    play_step(&p, 1);
    assert_int_equal(p.info.verdict.flaws, 0);
  }
  return p;
}

/* Moves node k of a chain at the end of the step. */
static void plant(play *p, int rod, int k, sk_vec3 move)
{
  sk_attempt *w = &p->world->attempt;
  double *x = w->next->x + w->rods[rod].is->x + SK_MODEL + 3 * k;
  sk_store3(x, sk_add(sk_load3(x), move));
  w->search.after.points[w->rods[rod].first + rod + k] = sk_load3(x);
}

static void plant_all(play *p, int rod, sk_vec3 move)
{
  for (int k = 0; k <= p->world->model.rods[rod].rod->def.elements; k++) plant(p, rod, k, move);
}

static skein_verdict judge_again(play *p)
{
  expect_ok(sk_attempt_judge(&p->world->attempt, &p->info));
  return p->info.verdict;
}

static void planted_crossing(void **state)
{
  (void)state;
  play p = hanging();
  plant_all(&p, 1, sk_vec(0, 0, -0.0045)); /* gap after it: more than before */
  skein_verdict v = judge_again(&p);
  assert_true(has(&v, SKEIN_FLAW_TOO_DEEP));
  assert_int_equal(v.crossed.size, 1);
  assert_int_equal(v.crossed.a, 0);
  assert_int_equal(v.crossed.b, 1);
  assert_true(v.overlap.size == 0);
  play_close(&p);
}

static void planted_overlap(void **state)
{
  (void)state;
  play p = hanging();
  plant_all(&p, 1, sk_vec(0, 0, -0.0013)); /* axes 0.7 mm apart: 0.6 of a radius deep */
  skein_verdict v = judge_again(&p);
  assert_true(has(&v, SKEIN_FLAW_TOO_DEEP) && v.crossed.size == 0);
  expect_at_most(fabs(v.overlap.size - 0.6), 0.01, "overlap");
  expect_at_most(fabs(v.deeper.size - 0.6), 0.01, "growth");
  assert_true(v.overlap.a == 0 && v.overlap.b == 1 && v.deeper.a == 0 && v.deeper.b == 1);
  play_close(&p);
}

/* A rod through a plate that is thinner than its radius, and one that comes to lie in it. */
static void planted_in_bodies(void **state)
{
  (void)state;
  play p = hanging(), q = hanging();
  plant_all(&p, 2, sk_vec(0, 0, -0.004));
  skein_verdict v = judge_again(&p);
  assert_true(has(&v, SKEIN_FLAW_TOO_DEEP) && v.crossed.size == 1 && v.crossed.a == 2 && v.crossed.b == 3);
  plant_all(&q, 2, sk_vec(0, 0, -0.001));
  v = judge_again(&q);
  assert_true(has(&v, SKEIN_FLAW_TOO_DEEP) && v.crossed.size == 0 && v.overlap.a == 2 && v.overlap.b == 3);
  expect_at_most(fabs(v.overlap.size - 0.6), 0.02, "overlap with the plate");
  play_close(&p), play_close(&q);
}

static void planted_spike(void **state)
{
  (void)state;
  play p = hanging();
  plant(&p, 2, 5, sk_vec(0, 0.016, 0)); /* 16 m/s */
  skein_verdict v = judge_again(&p);
  assert_true(has(&v, SKEIN_FLAW_UNBALANCED) && v.speed.a == 2 && v.speed.size > 1 && v.reach.a == 2);
  assert_true(v.balance.a == 2);
  play_close(&p);
}

static void broken_places_diverge(void **state)
{
  (void)state;
  play p = hanging();
  plant(&p, 1, 3, sk_vec(NAN, 0, 0));
  skein_verdict v = judge_again(&p);
  assert_true(has(&v, SKEIN_FLAW_DIVERGED) && v.balance.a == 1);
  play_close(&p);
}

/* A swinging rod whose places go 2 % further than they would: 4 % more kinetic energy. */
static void planted_energy(void **state)
{
  (void)state;
  for (int more = 0; more < 2; more++) {
    text t = {0};
    say(&t, "{\"time\": {\"dt\": 0.001}, \"materials\": {\"m\": {\"E\": 1e7, \"density\": 1200, \"radius\": 0.002}}, "
            "\"rods\": [{\"elements\": 6, \"model\": \"mass-spring\", \"length\": 0.2, \"material\": \"m\", \"root\": "
            "{\"direction\": [1, 0, 0]}}]}");
    play p = play_text(&t, 1);
    play_until(&p, 0.1);
    double kinetic = p.info.kinetic;
    assert_int_equal(p.info.verdict.flaws, 0);
    const sk_search *search = &p.world->attempt.search;
    const sk_vec3 *before = search->before.points, *after = search->after.points;
    for (int k = 1; k <= 6 && more; k++) plant(&p, 0, k, sk_mul(0.02, sk_sub(after[k], before[k])));
    skein_verdict v = judge_again(&p);
    assert_int_equal(has(&v, SKEIN_FLAW_UNBALANCED), more);
    if (more) expect_at_most(fabs(v.made - 0.0404 * kinetic), 0.1 * 0.04 * kinetic, "energy of nothing");
    play_close(&p);
  }
}

/* ---- Clean ---- */

/* No flaw in any step; the largest imbalance stays below `most`. */
static void expect_clean(text *t, double until, double most)
{
  play p = play_text(t, 1);
  double made = 0, turnover = 0;
  while (skein_world_time(p.world) < until) {
    play_step(&p, until);
    const skein_verdict *v = &p.info.verdict;
    if (v->flaws) print_error("t = %g s: flaws %x\n", p.info.time, v->flaws);
    assert_int_equal(v->flaws, 0);
    expect_at_most(v->balance.size, most, "imbalance");
    made += v->made, turnover += v->turnover;
  }
  expect_at_most(made, 0.02 * turnover, "energy of nothing over the run");
  play_close(&p);
}

/* Rods that swing from a still root, from one that is turned and moved to and fro, and one that is thrown, all models;
 * by the midpoint rule, which loses nothing, the imbalance is its error. */
static void clean_pendulums(void **state)
{
  (void)state;
  static const char *const models[] = {"super-helix", "der", "mass-spring", "corde", "der-projection"};
  for (int m = 0; m < 5; m++)
    for (int midpoint = 0; midpoint < 2; midpoint++) {
      text t = {0};
      say(&t,
          "{\"time\": {\"dt\": 0.002, \"theta\": %g}, \"materials\": {\"m\": {\"E\": 1e7, \"density\": 1200, "
          "\"radius\": 0.002, \"damping\": 0.001}}, \"bodies\": [{\"name\": \"hand\", \"group\": \"hand\", "
          "\"shape\": {\"type\": \"sphere\", \"radius\": 0.001}, \"position\": [0, 1, 0], \"motion\": {\"waves\": "
          "[{\"turn\": true, \"axis\": [0.2, 1, 0.4], \"amplitude\": 30, \"frequency\": 1}, {\"axis\": [1, 0, 1], "
          "\"amplitude\": 0.1, \"frequency\": 1}]}}], \"pairs\": [{\"groups\": [\"r\", \"r\"], \"contacts\": "
          "false}, {\"groups\": [\"r\", \"hand\"], \"contacts\": false}], \"rods\": [",
          midpoint ? 0.5 : 1.0);
      static const char *const roots[] = {"{\"direction\": [1, 0, 0.2]}",
                                          "{\"body\": \"hand\", \"position\": [0, 0, 0], \"direction\": [1, 0.2, 0]}",
                                          "{\"type\": \"free\", \"position\": [0, 5, 0], \"direction\": [1, 0.2, 0]}"};
      for (int i = 0; i < 3; i++)
        say(&t,
            "%s{\"group\": \"r\", \"model\": \"%s\", \"elements\": 12, \"material\": \"m\", \"length\": 0.3, "
            "%s\"root\": %s}",
            i ? ", " : "", models[m], i == 2 ? "\"initial\": {\"curvature\": [5, 3]}, \"velocity\": [1, 0, 2], " : "",
            roots[i]);
      say(&t, "]}");
      expect_clean(&t, 0.5, midpoint ? 1e-3 : 1e-6);
    }
}

static void clean_bodies_and_ropes(void **state)
{
  (void)state;
  text ball = {0}, rope = {0};
  say(&ball,
      "{\"bodies\": [{\"shape\": {\"type\": \"plane\"}}, {\"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, "
      "\"density\": 500, \"mode\": \"dynamic\", \"position\": [0, 0, 0.05], \"velocity\": [1, 0, 0], \"spin\": [0, "
      "20, 0]}], \"friction\": 0.5}");
  expect_clean(&ball, 0.3, 1e-3);
  say(&rope, "{\"bodies\": [{\"shape\": {\"type\": \"plane\"}}], \"materials\": {\"m\": {\"E\": 1e6, \"density\": "
             "1200, \"radius\": 0.003}}, \"rods\": [{\"material\": \"m\", \"length\": 0.3, \"elements\": 8, \"root\": "
             "{\"type\": \"free\", \"position\": [0, 0, 0.003], \"direction\": [1, 0, 0]}}], \"friction\": 0.5}");
  expect_clean(&rope, 0.3, 1e-3);
}

static void clean_hair(void **state)
{
  (void)state;
  text t = {0};
  say(&t, "{\"time\": {\"dt\": 0.001}, \"bodies\": [{\"name\": \"head\", \"shape\": {\"type\": \"sphere\", \"radius\": "
          "0.08}, \"motion\": {\"waves\": [{\"turn\": true, \"axis\": [0, 0, 1], \"amplitude\": 20, \"frequency\": "
          "1}]}}], \"rods\": [");
  for (int i = 0; i < 3; i++)
    say(&t,
        "%s{\"material\": \"hair-caucasian\", \"length\": 0.1, \"elements\": 4, \"root\": {\"body\": \"head\", "
        "\"position\": [0, %g, -0.08], \"direction\": [0, 0, -1]}}",
        i ? ", " : "", 0.004 * i);
  say(&t, "]}");
  expect_clean(&t, 0.5, 2e-3);
}

/* ---- A strand of a metre ---- */

/* Wavy, on a head that turns to and fro at 12 rad/s, with nothing set: the linear step throws it at tens of metres per
 * second, with a hundred times the energy that there is, and says so from the first such step on. */
static void thrown_strand(void **state)
{
  (void)state;
  text t = {0};
  say(&t,
      "{\"bodies\": [{\"name\": \"head\", \"group\": \"skin\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.09}, "
      "\"motion\": {\"keys\": [{\"time\": 0, \"rotation\": {\"axis\": [0, 0, 1], \"angle\": 0}}, {\"time\": 0.1, "
      "\"rotation\": {\"axis\": [0, 0, 1], \"angle\": 60}}, {\"time\": 0.3, \"rotation\": {\"axis\": [0, 0, 1], "
      "\"angle\": -60}}, {\"time\": 0.5, \"rotation\": {\"axis\": [0, 0, 1], \"angle\": 60}}]}}], \"materials\": "
      "{\"hair\": {\"preset\": \"hair-caucasian\", \"collision_radius\": 0.0004}}, \"rods\": [{\"material\": "
      "\"hair\", \"elements\": 12, \"length\": 1, \"natural\": {\"helix\": {\"radius\": 0.006, \"pitch\": 0.09}}, "
      "\"root\": {\"body\": \"head\", \"position\": [0.09, 0, 0], \"direction\": [0.4, 0, -1]}}]}");
  play p = play_text(&t, 1);
  int named = 0;
  double most = 0, made = 0, turnover = 0;
  while (skein_world_time(p.world) < 0.4) {
    play_step(&p, 0.4);
    const skein_verdict *v = &p.info.verdict;
    named += has(v, SKEIN_FLAW_UNBALANCED);
    if (v->balance.size > 0.02) assert_true(v->balance.a == 0 && v->balance.b == -1);
    if (p.info.speed > 2) assert_true(named > 0);
    most = fmax(most, p.info.speed), made += v->made, turnover += v->turnover;
  }
  assert_true(named > 50 && most > 10);
  assert_true(made > 0.1 * turnover);
  play_close(&p);
}

/* ---- It only looks ---- */

static bool same(const skein_finding *x, const skein_finding *y)
{
  return x->size == y->size && x->a == y->a && x->b == y->b;
}

/* The same verdict on any number of threads, and however often it is asked for; nothing else changes. */
static void only_looks(void **state)
{
  (void)state;
  text t = {0};
  say(&t, "{\"time\": {\"dt\": 0.002}, \"bodies\": [{\"name\": \"head\", \"group\": \"skin\", \"shape\": {\"type\": "
          "\"head\"}, \"motion\": {\"waves\": [{\"turn\": true, \"axis\": [0, 0, 1], \"amplitude\": 40, \"frequency\": "
          "2}]}}], \"rods\": [{\"length\": 0.2, \"elements\": 5, \"material\": \"hair-caucasian\", "
          "\"root\": {\"body\": \"head\"}, \"groom\": {\"count\": "
          "70, \"seed\": 4}}], \"friction\": 0.3}");
  play p = play_open(t.at, 1), q = play_open(t.at, 3);
  free(t.at);
  unsigned flaws = 0;
  for (int k = 0; k < 12; k++) {
    play_step(&p, 1), play_step(&q, 1);
    skein_verdict v = p.info.verdict, u = judge_again(&p), w = q.info.verdict;
    assert_true(v.flaws == u.flaws && v.flaws == w.flaws && v.made == w.made && v.turnover == w.turnover);
    assert_true(same(&v.overlap, &w.overlap) && same(&v.deeper, &w.deeper) && same(&v.curved, &w.curved));
    assert_true(same(&v.balance, &w.balance) && same(&v.reach, &w.reach) && same(&v.speed, &w.speed));
    assert_true(same(&v.crossed, &w.crossed) && same(&v.balance, &u.balance) && same(&v.overlap, &u.overlap));
    assert_true(hash_of(&p) == hash_of(&q));
    flaws |= v.flaws;
  }
  assert_true(flaws != 0); /* there was something to see */
  play_close(&p), play_close(&q);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(segments_cross),
      cmocka_unit_test(hostile_segments),
      cmocka_unit_test(crossings_are_those_of_a_walk),
      cmocka_unit_test(no_pair_is_left_out),
      cmocka_unit_test(planted_crossing),
      cmocka_unit_test(planted_overlap),
      cmocka_unit_test(planted_in_bodies),
      cmocka_unit_test(planted_spike),
      cmocka_unit_test(broken_places_diverge),
      cmocka_unit_test(planted_energy),
      cmocka_unit_test(clean_pendulums),
      cmocka_unit_test(clean_bodies_and_ropes),
      cmocka_unit_test(clean_hair),
      cmocka_unit_test(thrown_strand),
      cmocka_unit_test(only_looks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
