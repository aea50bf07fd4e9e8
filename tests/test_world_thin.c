/* Contacts that say the same count once (solver.spacing): fewer of them, the same motion, nothing that sinks in. */
#include "world_support.h"

typedef struct outcome {
  int contacts;
  double overlap;
  sk_vec3 tip[6];
} outcome;

/* Six hairs, held side by side, fall along each other over a cylinder. */
static play fall_open(double spacing, int threads)
{
  text t = {0};
  say(&t,
      "{\"time\": {\"dt\": 0.002}, \"solver\": {\"spacing\": %g}, \"materials\": {\"m\": "
      "{\"preset\": "
      "\"hair-caucasian\", \"collision_radius\": 0.001}}, \"bodies\": [{\"shape\": {\"type\": \"cylinder\", "
      "\"radius\": 0.04, \"length\": 0.2}, \"position\": [0.05, 0, -0.045], \"rotation\": {\"axis\": [1, 0, 0], "
      "\"angle\": 90}}], \"rods\": [",
      spacing);
  for (int i = 0; i < 6; i++)
    say(&t,
        "%s{\"length\": 0.2, \"elements\": 4, \"material\": \"m\", \"root\": {\"position\": [0, %g, 0], "
        "\"direction\": [1, 0, 0.2]}}",
        i ? ", " : "", 0.0021 * i);
  say(&t, "]}");
  return play_text(&t, threads);
}

static outcome fall(double spacing, int threads)
{
  outcome o = {0};
  play p = fall_open(spacing, threads);
  play_until(&p, 0.3);
  o.contacts = p.info.contacts, o.overlap = p.penetration;
  for (int i = 0; i < 6; i++) o.tip[i] = place(&p, i, 0.2);
  play_close(&p);
  return o;
}

static void fewer_contacts(void **state)
{
  (void)state;
  outcome all = fall(0, 1), few = fall(0.25, 1), again = fall(0.25, 3);
  assert_true(few.contacts > 6 && 10 * few.contacts < 7 * all.contacts);
  expect_at_most(few.overlap, 0.1, "overlap, radii");
  for (int i = 0; i < 6; i++) {
    expect_at_most(sk_norm(sk_sub(few.tip[i], all.tip[i])), 0.004, "tips, m");
    assert_memory_equal(&few.tip[i], &again.tip[i], sizeof few.tip[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(fewer_contacts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
