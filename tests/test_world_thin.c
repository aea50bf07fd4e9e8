/* Contacts that say the same count once (solver.spacing): fewer of them, the same motion, nothing that sinks in. */
#include "world/world.h"
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

/* Of contacts that are near each other the deepest stays, and with it those that last. */
static void lasting_ones_stay(void **state)
{
  (void)state;
  play p = fall_open(0.25, 1);
  sk_touch t[4];
  for (int lasting = 0; lasting < 2; lasting++) {
    for (int k = 0; k < 4; k++)
      t[k] = (sk_touch){.a = 0,
                        .b = 1,
                        .sa = 0.1 + 0.002 * k,
                        .sb = 0.1 + 0.002 * k,
                        .gap = k == 1 ? -2e-4 : -1e-4,
                        .lasting = lasting && k > 1,
                        .frame = {{0, 1, 0}}};
    sk_world_spare(p.world, t, 4);
    for (int k = 0; k < 4; k++) assert_int_equal(t[k].spared, lasting ? k < 2 : k != 1);
  }
  play_close(&p);
}

/* Contacts of the last step, not open in it, that are none any more, nor any other of their pair within half a
 * millimetre. */
static int count_lost(const skein_world *w, const sk_touch *old, int count)
{
  int lost = 0;
  for (int i = 0; i < count; i++) {
    bool found = old[i].gap > 0;
    for (int k = sk_touches_find(&w->touches, &old[i]); k < w->touches.count; k++) {
      const sk_touch *t = w->touches.at + k;
      if (sk_touch_order(t, &old[i]) != 0) break;
      found = found || fabs(t->sa - old[i].sa) + fabs(t->sb - old[i].sb) < 0.0005;
    }
    lost += !found;
  }
  return lost;
}

/* In steps that come after a calm one, or after one that was not. */
static int lose(bool calm)
{
  play p = fall_open(0.25, 1);
  sk_touch old[4096];
  int lost = 0;
  play_until(&p, 0.3);
  for (int k = 0; k < 50; k++) {
    int count = p.world->touches.count;
    assert_in_range(count, 6, 4096);
    memcpy(old, p.world->touches.at, sizeof *old * (size_t)count);
    p.world->calm = calm;
    play_step(&p, 1);
    lost += count_lost(p.world, old, count);
  }
  play_close(&p);
  return lost;
}

static void contacts_last_while_it_is_calm(void **state)
{
  (void)state;
  assert_int_equal(lose(true), 0);
  assert_true(lose(false) > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(fewer_contacts), cmocka_unit_test(lasting_ones_stay),
                                     cmocka_unit_test(contacts_last_while_it_is_calm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
