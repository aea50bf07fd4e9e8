/* Balls on rails: spun up by friction to the speed of theory, through the double loop with two contacts and no energy
 * from nowhere; a ring falls flat and lies still. */
#include "world_support.h"

/* On straight rails a ball with spin w0 ends up rolling with v = w0 a k / (1 + k), k = 2 R^2 / (5 a^2), a the distance
 * of its contacts from the axis. */
static void rolls_on_rails(void **state)
{
  (void)state;
  const double R = 0.1, r = 0.02, half = 0.07, w0 = 60, rise = sqrt((R + r) * (R + r) - half * half);
  text t = {0};
  say(&t, "{\"time\": {\"dt\": 0.001}, \"friction\": 0.5, \"solver\": {\"tol\": 1e-10, \"slop\": 0}, \"bodies\": [");
  for (int side = -1; side <= 1; side += 2)
    say(&t,
        "{\"group\": \"rails\", \"shape\": {\"type\": \"tube\", \"radius\": %g, \"points\": [[-1, %g, 0], [9, %g, "
        "0]]}},",
        r, side * half, side * half);
  say(&t, "{\"shape\": {\"type\": \"sphere\", \"radius\": %g}, \"position\": [0, 0, %.17g], \"density\": 800,", R,
      rise);
  say(&t, "\"spin\": [0, %.17g, 0]}]}", w0 * 180 / SK_PI);
  play p = play_text(&t, 1);
  play_until(&p, 1.5);
  double arm = R * rise / (R + r), k = 0.4 * R * R / (arm * arm), v = w0 * arm * k / (1 + k);
  body_view b = look(&p, 2);
  expect_at_most(fabs(b.v.x / v - 1), 1e-3, "speed of rolling");
  expect_at_most(fabs(b.w.y * arm / v - 1), 1e-3, "spin of rolling");
  assert_int_equal(p.contacts, 2);
  play_close(&p);
}

static play open_double_loop(const char *friction)
{
  play p = {.least_dissipated = INFINITY, .gain = -INFINITY};
  expect_ok(skein_scene_read(SKEIN_SOURCE_DIR "/scenes/double-loop.json", &friction, friction != NULL, &p.scene));
  expect_ok(skein_world_create(p.scene, 1, &p.world));
  return p;
}

/* Sticking turns to sliding and back in the loops, and a step of 11 ms takes few Newton iterations to 1e-12. */
static void newton_follows_the_ball(void **state)
{
  (void)state;
  static const char *const frictions[] = {"friction=0.2", "friction=0.3", "friction=0.5", "friction=1"};
  for (int k = 0; k < 4; k++) {
    play p = open_double_loop(frictions[k]);
    int most = 0;
    for (int step = 1; step <= 400; step++) {
      play_step(&p, 0.011 * step);
      most = SK_MAX(most, p.info.sweeps);
    }
    assert_int_equal(p.unfinished, 0);
    assert_int_equal(p.retries, 0);
    assert_in_range(most, 2, 5);
    play_close(&p);
  }
}

static void goes_through_the_double_loop(void **state)
{
  (void)state;
  play p = open_double_loop(NULL);
  play_until(&p, 0.011);
  double start = p.energy;
  play_until(&p, 2.2);
  body_view b = look(&p, 2);
  assert_true(b.r.x > 3.5 && b.r.y > 0.66); /* behind the second loop */
  assert_int_equal(p.contacts, 2);
  assert_int_equal(p.unfinished, 0);
  expect_at_most(-p.least_dissipated, 1e-4 * start, "energy that a step gave");
  play_close(&p);
}

static void ring_lies_flat(void **state)
{
  (void)state;
  play p = play_open(
      "{\"time\": {\"dt\": 0.002}, \"friction\": 0.5, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}, {\"shape\": "
      "{\"type\": \"tube\", \"radius\": 0.01, \"closed\": true, \"points\": [[0.1, 0, 0], [0.07, 0.07, 0], [0, 0.1, "
      "0], "
      "[-0.07, 0.07, 0], [-0.1, 0, 0], [-0.07, -0.07, 0], [0, -0.1, 0], [0.07, -0.07, 0]]}, \"density\": 1000, "
      "\"position\": [0, 0, 0.05], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": 20}}]}",
      1);
  play_until(&p, 2);
  body_view b = look(&p, 1);
  expect_at_most(fabs(b.r.z - 0.01), 1e-3, "height of a ring that lies");
  expect_at_most(sk_norm(b.v) + 0.1 * sk_norm(b.w), 1e-2, "speed");
  play_close(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rolls_on_rails),
      cmocka_unit_test(goes_through_the_double_loop),
      cmocka_unit_test(newton_follows_the_ball),
      cmocka_unit_test(ring_lies_flat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
