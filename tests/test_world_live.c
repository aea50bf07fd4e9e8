/* A world that is changed by hand while it runs: pulls, gravity, wind, friction; their errors; the same bits. */
#include "world_support.h"

static const char *const models[] = {"der", "super-helix", "mass-spring", "corde", "der-projection"};

/* A soft rod of 0.2 m that hangs from a clamp. */
static play hanging(const char *model, int threads)
{
  text t = {0};
  say(&t,
      "{\"materials\": {\"soft\": {\"E\": 1e6, \"density\": 1000, \"radius\": 0.002, \"damping\": 0.01, \"drag\": "
      "0.1}}, "
      "\"rods\": [{\"model\": \"%s\", \"elements\": %d, \"length\": 0.2, \"material\": \"soft\"}]}",
      model, strcmp(model, "super-helix") ? 20 : 8);
  return play_text(&t, threads);
}

static double away(const play *p, int rod, double s, const double target[3])
{
  return sk_norm(sk_sub(place(p, rod, s), sk_load3(target)));
}

/* ---- Pulls ---- */

/* The rod can reach the targets: the point comes there, and stays. What is left is weight and stiffness over k. */
static void pulled_point_reaches_target(void **state)
{
  (void)state;
  static const double targets[][3] = {{0.1, 0, -0.12}, {0, -0.09, -0.1}, {0.05, 0.05, -0.15}};
  for (size_t m = 0; m < sizeof models / sizeof models[0]; m++)
    for (size_t n = 0; n < (SLOW_BUILD ? 1 : 3); n++) {
      play p = hanging(models[m], 1);
      double s = n == 1 ? 0.15 : 0.2;
      expect_ok(skein_world_set_pull(p.world, 0, s, targets[n], 500));
      play_until(&p, 0.6);
      char what[80];
      snprintf(what, sizeof what, "%s, target %zu: distance", models[m], n);
      expect_at_most(away(&p, 0, s, targets[n]), 2e-3, what);
      snprintf(what, sizeof what, "%s, target %zu: speed", models[m], n);
      expect_at_most(sk_norm(velocity(&p, 0, s)), 0.05, what);
      play_close(&p);
    }
}

/* Critical damping: a free rod in space comes to the target as a whole and hardly beyond. */
static void pull_does_not_overshoot(void **state)
{
  (void)state;
  play p = play_open("{\"gravity\": [0, 0, 0], \"materials\": {\"stiff\": {\"E\": 1e9, \"density\": 1000, \"radius\": "
                     "0.004}}, \"rods\": [{\"model\": \"der\", \"length\": 0.2, \"material\": \"stiff\", \"root\": "
                     "{\"type\": \"free\", \"direction\": [1, 0, 0]}}]}",
                     1);
  const double target[3] = {0.1, 0, 0.05};
  double highest = 0, k = 2, m = 1000 * SK_PI * 16e-6 * 0.2, late = 0;
  expect_ok(skein_world_set_pull(p.world, 0, 0.1, target, k));
  while (skein_world_time(p.world) < 1.5) {
    play_step(&p, 1.5);
    double z = place(&p, 0, 0.1).z, x = sqrt(k / m) * p.info.time;
    highest = fmax(highest, z), late = fmax(late, fabs(z - 0.05 * (1 - (1 + x) * exp(-x))));
  }
  expect_at_most(highest, 0.05 * 1.001, "height");
  expect_at_most(late, 0.05 * 0.01, "difference to 1 - (1 + t/tau) exp(-t/tau)");
  play_close(&p);
}

/* Any stiffness, also with targets out of reach, and moved about: nothing blows up, and the rod keeps its length. */
static void stiff_pulls_are_stable(void **state)
{
  (void)state;
  for (size_t m = 0; m < 2; m++)
    for (double k = 1; k < 1e12; k *= SLOW_BUILD ? 1e5 : 1e3) {
      play p = hanging(models[m], 1);
      for (int i = 0; i < (SLOW_BUILD ? 15 : 40); i++) {
        double angle = 2.1 * i, far = i % 4 ? 0.15 : 0.4;
        double target[3] = {far * cos(angle), far * sin(angle), -0.1 + 0.04 * (i % 3)};
        expect_ok(skein_world_set_pull(p.world, 0, 0.2, target, k));
        for (int n = 0; n < 5; n++) play_step(&p, 10);
      }
      char what[80];
      snprintf(what, sizeof what, "%s, k = %g: speed", models[m], k);
      expect_at_most(p.speed, 500, what);
      double still[3] = {0.1, 0.05, -0.1};
      expect_ok(skein_world_set_pull(p.world, 0, 0.2, still, k));
      play_until(&p, skein_world_time(p.world) + 0.3);
      snprintf(what, sizeof what, "%s, k = %g: speed in the end", models[m], k);
      expect_at_most(p.info.speed, 3, what);
      if (k > 1e3) expect_at_most(away(&p, 0, 0.2, still), 1e-3, what);
      play_close(&p);
    }
}

/* After the end of the pull the world goes on as one that has never been pulled. */
static void pull_ends(void **state)
{
  (void)state;
  play p = hanging("der", 1), q = hanging("der", 1);
  const double target[3] = {0.1, 0, -0.12};
  expect_ok(skein_world_set_pull(p.world, 0, 0.2, target, 500));
  expect_ok(skein_world_set_pull(p.world, 0, 0.1, target, 500));
  expect_ok(skein_world_set_pull(p.world, 0, 0.2, NULL, 0));
  expect_ok(skein_world_set_pull(p.world, 0, 0.1, NULL, 0));
  expect_ok(skein_world_set_pull(p.world, 0, 0.1, NULL, 0)); /* there is none: nothing to do */
  for (int i = 0; i < 30; i++) play_step(&p, 1), play_step(&q, 1);
  assert_true(hash_of(&p) == hash_of(&q));
  expect_ok(skein_world_set_pull(p.world, 0, 0.2, target, 500));
  play_until(&p, 0.5);
  expect_at_most(away(&p, 0, 0.2, target), 1e-3, "distance");
  expect_ok(skein_world_set_pull(p.world, 0, 0.2, NULL, 0));
  play_until(&p, 3);
  const double rest[3] = {0, 0, -0.2};
  expect_at_most(away(&p, 0, 0.2, rest), 5e-3, "distance from the place of rest");
  play_close(&p), play_close(&q);
}

/* A pull beyond a cut goes with the piece that was cut off, under the rod and s that it was set with. */
static void pull_follows_cut(void **state)
{
  (void)state;
  play p = play_open("{\"rods\": [{\"name\": \"a\", \"model\": \"der\", \"length\": 0.2, \"material\": \"rope\"}], "
                     "\"events\": [{\"time\": 0.05, \"cut\": \"a\"}]}",
                     1);
  double target[3] = {0.02, 0, -0.18};
  expect_ok(skein_world_set_pull(p.world, 0, 0.15, target, 1000));
  play_until(&p, 0.1);
  assert_int_equal(skein_world_rods(p.world), 2);
  target[0] = 0.2;
  expect_bad(skein_world_set_pull(p.world, 0, 0.18, target, 1000), "s is");
  expect_ok(skein_world_set_pull(p.world, 0, 0.15, target, 1000));
  play_until(&p, 0.6);
  expect_at_most(away(&p, 1, 0.05, target), 2e-3, "distance of the piece that was cut off");
  expect_ok(skein_world_set_pull(p.world, 0, 0.15, NULL, 0));
  play_until(&p, 0.8);
  expect_at_most(place(&p, 1, 0.05).z, -0.3, "height after the end");
  play_close(&p);
}

/* ---- The same bits ---- */

/* Two rods that are pulled across each other over a floor. */
static void say_crossing(text *t)
{
  say(t, "{\"friction\": 0.4, \"materials\": {\"soft\": {\"E\": 1e6, \"density\": 1000, \"radius\": 0.002, "
         "\"damping\": 0.01}}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}], \"rods\": [");
  for (int k = 0; k < 24; k++)
    say(t,
        "%s{\"model\": \"%s\", \"elements\": 10, \"length\": 0.2, \"material\": \"soft\", \"root\": {\"type\": "
        "\"free\", \"position\": [%g, %g, %g], \"direction\": [%d, %d, 0]}}",
        k ? ", " : "", models[k % 2], k % 2 ? 0.0 : -0.1 + 0.01 * k, k % 2 ? -0.1 + 0.01 * k : 0.0, 0.003 + 0.004 * k,
        k % 2, 1 - k % 2);
  say(t, "]}");
}

static void pull_about(play *p, int i)
{
  double target[3] = {0.1 * cos(0.1 * i), 0.1 * sin(0.1 * i), 0.05}, wind[3] = {0.1 * i, 0, 0};
  double gravity[3] = {0, 0.05 * i, -9.81};
  expect_ok(skein_world_set_pull(p->world, i % 3, 0.2, target, 200));
  if (i == 10) expect_ok(skein_world_set_pull(p->world, 1, 0.1, target, 1e4));
  if (i == 15) expect_ok(skein_world_set_mu(p->world, 0, 1, 0.05));
  if (i == 20) expect_ok(skein_world_set_pull(p->world, 2, 0.2, NULL, 0));
  if (i % 5 == 0) expect_ok(skein_world_set_gravity(p->world, gravity));
  if (i % 7 == 0) expect_ok(skein_world_set_wind(p->world, wind));
}

static void same_bits_for_any_threads(void **state)
{
  (void)state;
  static const int threads[] = {1, 2, 5};
  uint64_t hash = 0;
  text t = {0};
  say_crossing(&t);
  for (int k = 0; k < 3; k++) {
    play p = play_open(t.at, threads[k]);
    for (int i = 0; i < (SLOW_BUILD ? 12 : 40); i++) pull_about(&p, i), play_step(&p, 10);
    if (k == 0) hash = hash_of(&p);
    assert_true(hash == hash_of(&p));
    play_close(&p);
  }
  free(t.at);
}

/* A new world takes the state over, with its pulls, gravity, wind and friction, after any of the steps. */
static void same_bits_across_a_saved_state(void **state)
{
  (void)state;
  text t = {0};
  say_crossing(&t);
  play whole = play_open(t.at, 2), p = play_open(t.at, 2);
  for (int i = 0; i < (SLOW_BUILD ? 12 : 40); i++) {
    pull_about(&whole, i), pull_about(&p, i);
    if (i % 3 == 1) {
      void *bytes;
      size_t size;
      skein_world *next;
      expect_ok(skein_world_save(p.world, &bytes, &size));
      expect_ok(skein_world_create(p.scene, 2, &next));
      expect_ok(skein_world_load(next, bytes, size));
      for (size_t cut = 0; cut < size; cut += 1 + size / 20) expect_bad(skein_world_load(next, bytes, cut), "state");
      skein_world_destroy(p.world), free(bytes);
      p.world = next;
    }
    play_step(&whole, 10), play_step(&p, 10);
    assert_true(hash_of(&p) == hash_of(&whole));
  }
  double a, b;
  expect_ok(skein_world_mu(p.world, 1, 0, &a)), expect_ok(skein_world_mu(whole.world, 0, 1, &b));
  assert_true(a == b);
  play_close(&p), play_close(&whole);
  free(t.at);
}

/* ---- Surroundings ---- */

/* A rod along a slope of 20 degrees (tan = 0.364) holds at mu = 0.5, slides with g (sin - mu cos) at 0.1, holds again.
 */
static void mu_lets_it_slide_and_stick(void **state)
{
  (void)state;
  play p = play_open("{\"friction\": 0.5, \"bodies\": [{\"group\": \"slope\", \"shape\": {\"type\": \"plane\", "
                     "\"normal\": [0.3420201433256687, 0, 0.9396926207859084]}}], \"rods\": [{\"group\": \"rod\", "
                     "\"model\": \"der\", \"length\": 0.1, \"material\": \"rope\", \"root\": {\"type\": \"free\", "
                     "\"direction\": [0, 1, 0], \"position\": [0.00137, -0.05, 0.00376]}, \"velocity\": [0, 0, 0]}, "
                     "{\"group\": \"rod\", \"model\": \"der\", \"length\": 0.1, \"material\": \"rope\", \"root\": "
                     "{\"type\": \"free\", \"direction\": [0.9396926207859084, 0, -0.3420201433256687], \"position\": "
                     "[0.00137, 0.2, 0.00376]}}]}",
                     1);
  double mu;
  int slope = -1, rod = -1;
  for (int g = 0; g < 2; g++) {
    expect_ok(skein_world_mu(p.world, g, 1 - g, &mu));
    assert_true(mu == 0.5);
  }
  slope = 0, rod = 1; /* the matrix is symmetric: either order */
  play_until(&p, 0.2);
  sk_vec3 from = place(&p, 1, 0.05);
  play_until(&p, 0.4);
  expect_at_most(sk_norm(sk_sub(place(&p, 1, 0.05), from)), 1e-5, "way at mu = 0.5");
  expect_ok(skein_world_set_mu(p.world, slope, rod, 0.1));
  play_until(&p, 0.6);
  double g = 9.81 * (sin(SK_PI / 9) - 0.1 * cos(SK_PI / 9)), speed = sk_norm(velocity(&p, 1, 0.05));
  expect_at_most(fabs(speed - 0.2 * g), 0.03 * 0.2 * g, "speed at mu = 0.1");
  expect_ok(skein_world_set_mu(p.world, rod, slope, 0.8));
  play_until(&p, 1);
  expect_at_most(sk_norm(velocity(&p, 1, 0.05)), 1e-4, "speed at mu = 0.8");
  play_close(&p);
}

static void gravity_and_wind_change(void **state)
{
  (void)state;
  play p = play_open("{\"materials\": {\"m\": {\"E\": 1e7, \"density\": 1000, \"radius\": 0.002, \"drag\": 1}}, "
                     "\"rods\": [{\"model\": \"der\", \"length\": 0.2, \"material\": \"m\", \"root\": {\"type\": "
                     "\"free\"}}]}",
                     1);
  const double none[3] = {0}, up[3] = {0, 0, 5}, wind[3] = {3, 0, 0};
  assert_true(skein_world_env(p.world).gravity[2] == -9.81);
  expect_ok(skein_world_set_gravity(p.world, none));
  play_until(&p, 0.1);
  expect_at_most(sk_norm(velocity(&p, 0, 0.1)), 1e-12, "speed without gravity");
  expect_ok(skein_world_set_wind(p.world, wind));
  play_until(&p, 0.6);
  expect_at_most(sk_norm(sk_sub(velocity(&p, 0, 0.1), sk_load3(wind))), 1e-3, "speed against the wind");
  expect_ok(skein_world_set_wind(p.world, none)), expect_ok(skein_world_set_gravity(p.world, up));
  play_until(&p, 1.1);
  double terminal = 5 * 1000 * SK_PI * 4e-6;
  expect_at_most(fabs(velocity(&p, 0, 0.1).z - terminal), 1e-3 * terminal, "terminal speed");
  assert_true(skein_world_env(p.world).gravity[2] == 5);
  play_close(&p);
}

/* A rod that has come to rest and sleeps wakes when it is pulled, and its neighbour sleeps on. */
static void pull_wakes(void **state)
{
  (void)state;
  play p =
      play_open("{\"friction\": 0.5, \"materials\": {\"m\": {\"E\": 1e7, \"density\": 1000, \"radius\": 0.002, "
                "\"damping\": 0.01}}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}], \"rods\": [{\"model\": "
                "\"der\", \"length\": 0.1, \"material\": \"m\", \"root\": {\"type\": \"free\", \"position\": "
                "[0, 0, 0.0021], \"direction\": [1, 0, 0]}}, {\"model\": \"der\", \"length\": 0.1, \"material\": "
                "\"m\", \"root\": {\"type\": \"free\", \"position\": [0, 0.1, 0.0021], \"direction\": [1, 0, 0]}}]}",
                1);
  for (int i = 0; i < 5000 && p.info.rods_asleep < 2; i++) play_step(&p, 1e3);
  assert_int_equal(p.info.rods_asleep, 2);
  const double target[3] = {0.1, 0, 0.05};
  expect_ok(skein_world_set_pull(p.world, 0, 0.1, target, 50));
  play_step(&p, 1e3);
  assert_int_equal(p.info.rods_asleep, 1);
  play_until(&p, p.info.time + 0.5);
  expect_at_most(away(&p, 0, 0.1, target), 2e-3, "distance");
  play_close(&p);
}

/* ---- Errors ---- */

static void bad_arguments(void **state)
{
  (void)state;
  play p = play_open("{\"rods\": [{\"model\": \"der\", \"length\": 0.2, \"group\": \"a\"}], \"bodies\": [{\"shape\": "
                     "{\"type\": \"sphere\", \"radius\": 0.1}, \"group\": \"b\", \"position\": [9, 0, 0]}], "
                     "\"pairs\": [{\"groups\": [\"a\", \"b\"], \"contacts\": false}]}",
                     1);
  double fine[3] = {0, 0, 0}, bad[][3] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, 1e30}}, mu;
  void *before, *after;
  size_t size, again;
  expect_ok(skein_world_save(p.world, &before, &size));
  expect_bad(skein_world_set_pull(p.world, -1, 0, fine, 1), "rod is -1");
  expect_bad(skein_world_set_pull(p.world, 1, 0, fine, 1), "rod is 1");
  expect_bad(skein_world_set_pull(p.world, 0, -0.1, fine, 1), "s is");
  expect_bad(skein_world_set_pull(p.world, 0, 0.21, fine, 1), "s is");
  expect_bad(skein_world_set_pull(p.world, 0, NAN, fine, 1), "s is");
  expect_bad(skein_world_set_pull(p.world, 0, 0.1, fine, 0), "stiffness");
  expect_bad(skein_world_set_pull(p.world, 0, 0.1, fine, NAN), "stiffness");
  expect_bad(skein_world_set_pull(p.world, 0, 0.1, fine, INFINITY), "stiffness");
  for (int k = 0; k < 3; k++) {
    expect_bad(skein_world_set_pull(p.world, 0, 0.1, bad[k], 1), "target");
    expect_bad(skein_world_set_gravity(p.world, bad[k]), "gravity");
    expect_bad(skein_world_set_wind(p.world, bad[k]), "wind");
  }
  expect_bad(skein_world_mu(p.world, 0, 2, &mu), "group_b is 2");
  expect_bad(skein_world_set_mu(p.world, -1, 0, 0.1), "group_a is -1");
  expect_bad(skein_world_set_mu(p.world, 0, 0, -0.1), "mu is");
  expect_bad(skein_world_set_mu(p.world, 0, 0, NAN), "mu is");
  expect_bad(skein_world_set_mu(p.world, 0, 1, 0.1), "pass through");
  expect_ok(skein_world_save(p.world, &after, &again));
  assert_true(size == again && memcmp(before, after, size) == 0);
  free(before), free(after);
  play_close(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(pulled_point_reaches_target),
                                     cmocka_unit_test(pull_does_not_overshoot),
                                     cmocka_unit_test(stiff_pulls_are_stable),
                                     cmocka_unit_test(pull_ends),
                                     cmocka_unit_test(pull_wakes),
                                     cmocka_unit_test(pull_follows_cut),
                                     cmocka_unit_test(same_bits_for_any_threads),
                                     cmocka_unit_test(same_bits_across_a_saved_state),
                                     cmocka_unit_test(mu_lets_it_slide_and_stick),
                                     cmocka_unit_test(gravity_and_wind_change),
                                     cmocka_unit_test(bad_arguments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
