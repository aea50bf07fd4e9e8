/* The time before t = 0: scenes come to rest, nothing of the scene's own time has begun, and what starts overlapping is
 * not thrown about. */
#include "world_support.h"

#include <string.h>

static const char *const hair =
    "{\"time\": {\"duration\": 1, \"dt\": 0.002, \"settle\": 1},"
    " \"bodies\": [{\"name\": \"head\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.03},"
    "   \"motion\": {\"waves\": [{\"axis\": [0, 0, 1], \"turn\": true, \"amplitude\": 40, \"frequency\": 1}]}}],"
    " \"rods\": [{\"name\": \"hair\", \"length\": 0.1, \"elements\": 4, \"grid\": {\"count\": [3, 1, 1], \"spacing\": "
    "0.004},"
    "   \"root\": {\"position\": [0, 0.01, 0.034], \"direction\": [0.2, 1, 0.4], \"body\": \"head\"}}],"
    " \"events\": [{\"time\": 0, \"wind\": [0, 0, 1]}], \"friction\": 0.3}";

static void settle(play *p)
{
  while (skein_world_time(p->world) < 0) {
    play_step(p, 1);
    assert_true(skein_world_env(p->world).wind[2] == 0);
  }
  assert_true(skein_world_time(p->world) == 0);
}

/* Bodies wait, events wait; at t = 0 the rods hang still but for the motion of their roots. */
static void test_rest(void **state)
{
  (void)state;
  play p = play_open(hair, 1);
  assert_true(skein_world_time(p.world) == -1);
  sk_vec3 before = place(&p, 0, 0.1);
  settle(&p);
  assert_true(look(&p, 0).q.w == 1 && sk_norm(look(&p, 0).w) == 0);
  sk_vec3 rest = place(&p, 0, 0.1);
  assert_true(sk_norm(sk_sub(rest, before)) > 0.03 && rest.z < before.z);
  assert_true(p.info.speed < 0.02 && p.info.kinetic < 1e-10 && p.retries == 0);
  play_step(&p, 0.001);
  assert_true(skein_world_env(p.world).wind[2] == 1);
  assert_true(sk_norm(look(&p, 0).w) > 1);
  play_close(&p);
}

/* The velocities of the scene are given at t = 0. */
static void test_launch(void **state)
{
  (void)state;
  play p = play_open(
      "{\"gravity\": [0, 0, 0], \"time\": {\"settle\": 0.05}, \"rods\": [{\"length\": 0.1, \"velocity\": [1, 0, 0],"
      " \"root\": {\"type\": \"free\"}}], \"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.01},"
      " \"position\": [1, 0, 0], \"density\": 1000, \"velocity\": [0, 2, 0]}]}",
      1);
  sk_vec3 start = place(&p, 0, 0.1);
  settle(&p);
  assert_true(sk_norm(sk_sub(place(&p, 0, 0.1), start)) < 1e-12);
  assert_true(look(&p, 0).v.y == 2 && look(&p, 0).r.y == 0);
  play_step(&p, 0.001);
  assert_true(fabs(place(&p, 0, 0.1).x - start.x - 0.001) < 1e-9);
  play_close(&p);
}

/* Rods that start on top of each other: opened slowly, no step taken again, little energy given. */
static void test_overlaps(void **state)
{
  (void)state;
  text t = {0};
  say(&t, "{\"time\": {\"dt\": 0.002, \"settle\": 0.5, \"settle_friction\": 0.3}, \"materials\": {\"m\": {\"preset\": "
          "\"hair-caucasian\", \"collision_radius\": 0.001}}, \"rods\": [");
  for (int i = 0; i < 12; i++)
    say(&t,
        "%s{\"length\": 0.1, \"elements\": 4, \"material\": \"m\", \"root\": {\"position\": [%g, %g, 0], "
        "\"direction\": [%g, %g, -1]}}",
        i ? ", " : "", 0.0015 * (i % 4), 0.0015 * (i / 4), 0.2 - 0.1 * (i % 4), 0.1 - 0.1 * (i / 4));
  say(&t, "]}");
  play p = play_text(&t, 1);
  settle(&p);
  assert_true(p.retries == 0 && p.penetration > 0.5 && p.info.penetration < 0.1);
  assert_true(p.speed < 2 && p.info.kinetic < 1e-7); /* sqrt(g L); the rods weigh 5e-6 N together */
  play_until(&p, 0.05);
  assert_true(p.speed < 3);
  play_close(&p);
}

/* Rods that fall across each other onto a body end up on it, not in it. */
static void test_bodies(void **state)
{
  (void)state;
  text t = {0};
  say(&t, "{\"time\": {\"dt\": 0.004, \"settle\": 0.4, \"settle_friction\": 0.3}, \"materials\": {\"m\": {\"preset\": "
          "\"hair-caucasian\", \"collision_radius\": 0.0005}}, \"bodies\": [{\"shape\": {\"type\": \"head\"}}], "
          "\"rods\": [");
  for (int i = 0; i < 12; i++)
    say(&t,
        "%s{\"length\": 0.25, \"material\": \"m\", \"twist_locked\": 2, \"root\": {\"position\": [%g, %g, 0.152], "
        "\"direction\": [%g, %g, 0.3]}}",
        i ? ", " : "", 0.004 * (i % 5) - 0.008, 0.004 * (i / 5) - 0.008, cos(0.9 * i), sin(0.9 * i));
  say(&t, "]}");
  play p = play_text(&t, 1);
  settle(&p);
  assert_true(p.info.penetration < 1.5); /* 24 where rods may go into bodies */
  play_close(&p);
}

/* A state from the middle goes on with the same bits, as do other numbers of threads. */
static void test_same_bits(void **state)
{
  (void)state;
  play a = play_open(hair, 1), b = play_open(hair, 3);
  while (skein_world_time(a.world) < -0.6) play_step(&a, 1);
  void *bytes;
  size_t size;
  expect_ok(skein_world_save(a.world, &bytes, &size));
  expect_ok(skein_world_load(b.world, bytes, size));
  free(bytes);
  for (int k = 0; k < 320; k++) play_step(&a, 1), play_step(&b, 1);
  assert_true(skein_world_time(a.world) > 0 && skein_world_time(a.world) == skein_world_time(b.world));
  assert_true(hash_of(&a) == hash_of(&b));
  play_close(&a), play_close(&b);
}

/* A helix that is groomed under gravity stays where it is for a second, to 1e-6 of its length; without, it sags. */
static void test_sag_free(void **state)
{
  (void)state;
  for (int locked = 0; locked <= 2; locked += 2)
    for (int sags = 0; sags < 2; sags++) {
      text t = {0};
      say(&t,
          "{\"rods\": [{\"length\": 0.15, \"elements\": 6, \"twist_locked\": %d, \"start\": {\"sag_free\": %s}, "
          "\"natural\": "
          "{\"helix\": {\"radius\": 0.01, \"pitch\": 0.05}}, \"root\": {\"direction\": [1, 0.2, -0.5]}}]}",
          locked, sags ? "false" : "true");
      play p = play_text(&t, 1);
      sk_vec3 start[4];
      double moved = 0;
      for (int k = 0; k < 4; k++) start[k] = place(&p, 0, 0.0375 * (k + 1));
      while (skein_world_time(p.world) < 1) {
        play_step(&p, 1);
        for (int k = 0; k < 4; k++) moved = fmax(moved, sk_norm(sk_sub(place(&p, 0, 0.0375 * (k + 1)), start[k])));
      }
      if (sags) assert_true(moved > 0.01);
      else assert_true(moved < 1e-6 * 0.15);
      play_close(&p);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest),      cmocka_unit_test(test_launch),
                                     cmocka_unit_test(test_overlaps),  cmocka_unit_test(test_bodies),
                                     cmocka_unit_test(test_same_bits), cmocka_unit_test(test_sag_free)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
