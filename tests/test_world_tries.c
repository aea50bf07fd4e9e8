/* Steps that ask for less: where no impulse gives what was asked for, and after what was asked for was missed. */
#include "world/world.h"
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

/* The step is solved without push-out, in the same try: its problem is the one of a step that never asked for it. */
static void what_cannot_open_is_kept(void **state)
{
  (void)state;
  play p = open_wedge(1), meek = open_wedge(1);
  meek.world->meek = 1;
  play_step(&p, 0.004), play_step(&meek, 0.004);
  assert_true(p.info.converged && p.info.contacts > 1);
  assert_int_equal(p.info.retries, 1);
  assert_int_equal(meek.info.retries, 0);
  assert_true(p.info.sweeps > meek.info.sweeps); /* those in vain count too */
  const skein_problem *a = skein_world_problem(p.world), *b = skein_world_problem(meek.world);
  assert_int_equal(a->contacts, b->contacts);
  for (int i = 0; i < 3 * a->contacts; i++) expect_at_most(fabs(a->u_f[i] - b->u_f[i]), 1e-15, "u_f");
  expect_at_most(sk_norm(sk_sub(place(&p, 0, 0.1), place(&meek, 0, 0.1))), 1e-5, "way of the tip, m");
  play_close(&p), play_close(&meek);
}

/* After push-out has failed it is left alone for a while, each time for longer. */
static void it_is_left_alone(void **state)
{
  (void)state;
  play p = open_wedge(1);
  int asked = 0;
  for (int i = 0; i < 60; i++) play_step(&p, 1), asked += p.info.retries > 0;
  assert_true(p.world->meek_next >= 16 && asked >= 2);
  assert_true(asked <= 4);
  play_close(&p);
}

/* A finer tolerance than motion asks for, which few sweeps miss, is not asked for again at once; one that is met is
 * halved at once. */
static void misses_are_not_repeated(void **state)
{
  (void)state;
  text t = {0};
  say(&t, "{\"time\": {\"dt\": 0.004}, \"solver\": {\"method\": \"gs\", \"tol\": 2e-3, \"tol_rest\": 1e-9, "
          "\"max_sweeps\": 40, \"sleep_speed\": 0}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}], \"friction\": "
          "0.3, \"rods\": [");
  for (int i = 0; i < 8; i++)
    say(&t,
        "%s{\"length\": 0.1, \"elements\": 8, \"model\": \"der\", \"material\": \"rope\", \"root\": {\"type\": "
        "\"free\", \"position\": [%g, %g, %g], \"direction\": [%d, %d, 0]}}",
        i ? ", " : "", i / 2 % 2 ? 0.02 * (i % 2) : -0.05, i / 2 % 2 ? -0.05 : 0.02 * (i % 2), 0.006 + 0.011 * (i / 2),
        i / 2 % 2 == 0, i / 2 % 2);
  say(&t, "]}");
  play p = play_text(&t, 1);
  int missed = 0, halved = 0, again = 0;
  for (int i = 0; i < 400; i++) {
    int calm = p.world->calm, weary = p.world->weary;
    play_step(&p, 10);
    missed += p.world->weary > weary, halved += p.world->calm > calm;
    again += p.world->calm > calm && weary > 0;
  }
  assert_true(halved > 0 && missed > 0);
  assert_int_equal(again, 0);
  play_close(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_cannot_open_is_kept), cmocka_unit_test(it_is_left_alone),
                                     cmocka_unit_test(misses_are_not_repeated)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
