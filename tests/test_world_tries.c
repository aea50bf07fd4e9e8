/* Steps for which no velocity gives what was asked for. */
#include "world_support.h"

/* A straight rod, free, that is wedged between two planes 1.6 radii apart: no velocity takes it out of both. */
static play open_wedge(int threads)
{
  text t = {0};
  say(&t, "{\"time\": {\"dt\": 0.004}, \"solver\": {\"method\": \"gs\", \"tol\": 2e-3, \"push\": 0.01, \"overlap\": 1, "
          "\"sleep_speed\": 0}, "
          "\"materials\": {\"m\": {\"preset\": \"hair-caucasian\", \"collision_radius\": 0.0005}}, \"bodies\": ["
          "{\"shape\": {\"type\": \"plane\"}, \"position\": [0, 0, -0.0004]}, {\"shape\": {\"type\": \"plane\", "
          "\"normal\": [0, 0, -1]}, \"position\": [0, 0, 0.0004]}], \"friction\": 0.3, \"rods\": [{\"length\": 0.1, "
          "\"elements\": 4, \"material\": \"m\", \"root\": {\"type\": \"free\", \"position\": [0, 0, 0], "
          "\"direction\": [1, 0, 0]}}]}");
  return play_text(&t, threads);
}

/* No step fails, and the rod stays where it is. */
static void what_cannot_open_is_kept(void **state)
{
  (void)state;
  play p = open_wedge(1);
  sk_vec3 before = place(&p, 0, 0.1);
  for (int i = 0; i < 60; i++) {
    play_step(&p, 1);
    assert_true(p.info.converged && p.info.contacts > 1);
  }
  expect_at_most(sk_norm(sk_sub(place(&p, 0, 0.1), before)), 5e-5, "way of the tip, m");
  play_close(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_cannot_open_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
