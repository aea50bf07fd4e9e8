/* Islands at rest: they fall asleep, lie still to the last bit, and wake in the step in which something begins to act
 * on them: what hits them, what carries them, a held end, an event. A world that wakes goes on like one that never
 * slept. */
#include "world_support.h"

enum { RODS = 4 };

/* A crib of rods on a plate, with more fields and rods where the test wants them. `plate`: more of it. */
static void say_crib(text *t, const char *model, double tol, bool sleep, const char *plate, const char *rods,
                     const char *more)
{
  say(t,
      "{\"friction\": 0.5, \"time\": {\"dt\": 0.002}, \"solver\": {\"tol\": %g, \"sleep\": %s}, \"materials\": "
      "{\"stuff\": {\"E\": 1e7, \"density\": 1100, \"radius\": 0.002, \"damping\": 0.02}}, \"bodies\": "
      "[{\"name\": \"plate\", \"shape\": {\"type\": \"box\", \"size\": [0.3, 0.3, 0.02]}, \"position\": [0, 0, "
      "-0.01]%s}], "
      "\"rods\": [",
      tol, sleep ? "true" : "false", plate);
  for (int i = 0; i < RODS; i++) {
    double aside = i % 2 ? -0.02 : 0.02, z = 0.00205 + 0.0041 * (i / 2);
    sk_vec3 root = i < 2 ? sk_vec(-0.04, aside, z) : sk_vec(aside, -0.04, z);
    say(t,
        "%s{\"model\": \"%s\", \"elements\": %d, \"material\": \"stuff\", \"length\": 0.08, \"root\": {\"type\": "
        "\"free\", ",
        i > 0 ? ", " : "", model, strcmp(model, "der") ? 3 : 6);
    say_vector(t, "position", root), say(t, ", \"direction\": %s}}", i < 2 ? "[1, 0, 0]" : "[0, 1, 0]");
  }
  say(t, "%s]%s}", rods, more);
}

static play crib(const char *model, bool sleep, const char *plate, const char *rods, const char *more)
{
  text t = {0};
  say_crib(&t, model, 1e-8, sleep, plate, rods, more);
  return play_text(&t, 1);
}

static void falls_asleep(play *p, int rods, double by)
{
  while (p->info.rods_asleep < rods && skein_world_time(p->world) < by) play_step(p, by);
  if (p->info.rods_asleep < rods) fail_msg("%d of %d rods sleep at %g s", p->info.rods_asleep, rods, by);
}

/* Largest distance between the rods of two worlds. */
static double apart(const play *a, const play *b)
{
  double most = 0;
  for (int i = 0; i < skein_world_rods(a->world); i++) {
    double length = skein_rod_definition(skein_world_rod(a->world, i)).length;
    for (int k = 0; k <= 8; k++)
      most = fmax(most, sk_norm(sk_sub(place(a, i, k * length / 8), place(b, i, k * length / 8))));
  }
  return most;
}

static void a_pile_lies_still(void **state)
{
  (void)state;
  for (int m = 0; m < 2; m++) {
    play p = crib(m ? "der" : "super-helix", true, "", "", "");
    falls_asleep(&p, RODS, 2);
    uint64_t hash = hash_of(&p);
    int contacts = p.info.contacts;
    assert_true(contacts >= 8);
    play_until(&p, skein_world_time(p.world) + 10);
    assert_true(hash_of(&p) == hash); /* no bit has moved in ten seconds */
    assert_int_equal(p.info.rods_asleep, RODS);
    assert_int_equal(p.info.contacts, contacts);
    skein_frame frame;
    double up = 0;
    expect_ok(skein_world_frame(p.world, 0, &frame)); /* the contacts still carry the weight, over the step's dt */
    for (int c = 0; c < frame.contacts; c++)
      if (frame.contact_object[2 * c + 1] == RODS) up += frame.contact_impulse[3 * c + 2];
    double weight = RODS * rod_mass(skein_world_rod(p.world, 0)) * 9.81 * p.info.dt;
    expect_at_most(fabs(up - weight), 2e-3 * weight, "impulse of the plate on the sleeping pile");
    skein_frame_destroy(&frame);
    play_close(&p);
  }
}

/* The tolerance halves in every step that follows a calm one, down to that of rest, and is back at once when something
 * moves. */
static void the_tolerance_follows_the_motion(void **state)
{
  (void)state;
  text t = {0};
  say_crib(&t, "super-helix", 1e-5, false,
           ", \"motion\": {\"keys\": [{\"time\": 0}, {\"time\": 1},"
           " {\"time\": 1.2, \"position\": [0.05, 0, -0.01]}]}",
           "", "");
  play p = play_text(&t, 1);
  double last = 1e-5, least = 1, most = 0;
  for (int k = 0; skein_world_time(p.world) < 1; k++, last = p.info.tol) {
    play_step(&p, 1);
    assert_true(p.info.tol == 1e-5 || p.info.tol == fmax(1e-8, 0.5 * last));
    least = fmin(least, p.info.tol);
  }
  assert_true(least == 1e-8);
  while (skein_world_time(p.world) < 1.1) play_step(&p, 1.1), most = fmax(most, p.info.tol);
  assert_true(most == 1e-5);
  play_close(&p);
}

/* A rod falls on the pile while it sleeps: the same as if it had never slept. */
static void what_falls_on_it_wakes_it(void **state)
{
  (void)state;
  const char *falls = ", {\"model\": \"der\", \"elements\": 6, \"material\": \"stuff\", \"length\": 0.08, \"root\": "
                      "{\"type\": \"free\", \"position\": [-0.04, 0.001, 2], \"direction\": [1, 0, 0]}, \"velocity\": "
                      "[0, 0, 0]}";
  play a = crib("der", true, "", falls, ""), b = crib("der", false, "", falls, "");
  falls_asleep(&a, RODS, 0.62);
  double hit = sqrt(2 * (2 - 0.0083) / 9.81);
  play_until(&a, hit - 0.01), play_until(&b, hit - 0.01);
  assert_int_equal(a.info.rods_asleep, RODS);
  expect_at_most(apart(&a, &b), 2e-6, "m between the pile that slept and the one that did not, before the impact");
  play_until(&a, hit + 0.008), play_until(&b, hit + 0.008);
  assert_int_equal(a.info.rods_asleep, 0);
  expect_at_most(apart(&a, &b), 2e-5, "m between them after it");
  expect_at_most(a.penetration, 0.1, "overlap, in radii");
  play_close(&a), play_close(&b);
}

/* What moves under it, what pulls the carpet, what turns gravity: awake in that very step. */
static void what_changes_wakes_it(void **state)
{
  (void)state;
  static const struct {
    const char *what, *plate, *more;
  } cases[] = {
      {"the plate moves",
       ", \"motion\": {\"keys\": [{\"time\": 1.5, \"position\": [0, 0, -0.01]}, {\"time\": 2, "
       "\"position\": [0.1, 0, -0.01]}]}",
       ""},
      {"gravity turns", "", ", \"events\": [{\"time\": 1.5, \"gravity\": [7, 0, -9]}]"},
  };
  for (int c = 0; c < 2; c++) {
    play p = crib("super-helix", true, cases[c].plate, "", cases[c].more);
    falls_asleep(&p, RODS, 1.45);
    play_until(&p, 1.5);
    assert_int_equal(p.info.rods_asleep, RODS);
    play_step(&p, 1.51);
    if (p.info.rods_asleep > 0) fail_msg("%s: the pile still sleeps at %g s", cases[c].what, p.info.time);
    play_until(&p, 1.7);
    if (!(p.info.speed > 1e-3)) fail_msg("%s: nothing moves at %g s", cases[c].what, p.info.time);
    play_close(&p);
  }
}

/* The same bits over a saved state, asleep, and in a box that sleeps beside it. */
static void sleep_is_saved(void **state)
{
  (void)state;
  const char *more = ", \"events\": [{\"time\": 0.9, \"gravity\": [7, 0, -9]}]";
  play whole = crib("der", true, "", "", more), p = crib("der", true, "", "", more);
  falls_asleep(&p, RODS, 0.85);
  void *bytes;
  size_t size;
  expect_ok(skein_world_save(p.world, &bytes, &size));
  play_close(&p);
  p = crib("der", true, "", "", more);
  expect_ok(skein_world_load(p.world, bytes, size));
  free(bytes);
  play_until(&p, 0.88), play_until(&whole, 0.88);
  assert_int_equal(p.info.rods_asleep, RODS);
  play_until(&p, 1), play_until(&whole, 1);
  assert_true(hash_of(&p) == hash_of(&whole));
  play_close(&p), play_close(&whole);
}

/* Rigid bodies sleep too, and a box that is pushed wakes the one on top of it. */
static void boxes_sleep(void **state)
{
  (void)state;
  play p = play_open("{\"friction\": 0.5, \"time\": {\"dt\": 0.002}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}, "
                     "{\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"position\": [0, 0, 0.0501], "
                     "\"density\": 500}, {\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"position\": "
                     "[0, 0, 0.1503], \"density\": 500}, {\"shape\": {\"type\": \"sphere\", \"radius\": 0.03}, "
                     "\"position\": [-3, 0, 0.06], \"density\": 5000, \"velocity\": [3, 0, 4.4]}]}",
                     1);
  play_until(&p, 0.8);
  body_view low = look(&p, 1), high = look(&p, 2);
  assert_true(sk_norm(low.v) == 0 && sk_norm(high.v) == 0);
  play_until(&p, 1.2);
  assert_true(sk_norm(sk_sub(look(&p, 1).r, low.r)) + sk_norm(sk_sub(look(&p, 2).r, high.r)) > 1e-3);
  play_close(&p);
}

/* A straight rod in the groove between two others, with contacts that are thinned. Where level chords are nearest is a
 * matter of rounding: contacts that came and went with it let the rod fall through the groove. */
static void what_holds_is_not_lost(void **state)
{
  (void)state;
  static const double aside[3] = {-0.00065, 0.00065, 0};
  text t = {0};
  say(&t, "{\"friction\": 0.3, \"time\": {\"dt\": 0.004}, \"materials\": {\"bar\": {\"preset\": \"hair-caucasian\", "
          "\"collision_radius\": 0.0005, \"E\": 1e13}, \"hair\": {\"preset\": \"hair-caucasian\", \"damping\": 0.005, "
          "\"collision_radius\": 0.0005}}, \"solver\": {\"method\": \"gs\", \"tol\": 1e-4, \"chord\": 1, \"overlap\": "
          "1, \"push\": 0.003, \"spacing\": 0.25, \"sleep\": false}, \"rods\": [");
  for (int i = 0; i < 3; i++) {
    bool free = i == 2;
    sk_vec3 root = sk_vec(free ? -0.045 : -0.06, aside[i], free ? 0.001 : 0);
    say(&t, "%s{\"material\": \"%s\", \"elements\": %d, \"length\": %g, \"root\": {\"type\": \"%s\", ", i ? ", " : "",
        free ? "hair" : "bar", free ? 3 : 1, free ? 0.09 : 0.12, free ? "free" : "clamped");
    say_vector(&t, "position", root), say(&t, ", \"direction\": [1, 0, %g]}}", free ? 0.02 : 0);
  }
  say(&t, "]}");
  play p = play_text(&t, 1);
  play_until(&p, 1);
  expect_at_most(p.info.speed, 1e-7, "speed at rest");
  expect_at_most(fabs(place(&p, 2, 0.045).z - 0.0007), 2e-4, "height in the groove");
  play_close(&p);
}

/* The same of a rod of one chord on a plate, which touches it at both ends: held now at one and now at the other, it
 * rocked for ever as fast as overlaps are pushed out. */
static void what_lies_on_a_body_does_not_rock(void **state)
{
  (void)state;
  static const char *const shapes[2] = {"{\"type\": \"plane\"}",
                                        "{\"type\": \"cylinder\", \"radius\": 0.05, \"length\": 0.4}, \"position\": "
                                        "[0, 0, -0.05], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": 90}"};
  for (int k = 0; k < 2; k++) {
    text t = {0};
    say(&t,
        "{\"friction\": 0.3, \"time\": {\"dt\": 0.004}, \"materials\": {\"hair\": {\"preset\": \"hair-caucasian\", "
        "\"damping\": 0.005, \"collision_radius\": 0.0005}}, \"solver\": {\"method\": \"gs\", \"tol\": 1e-4, "
        "\"chord\": 1, \"overlap\": 1, \"push\": 0.003, \"spacing\": 0.25, \"sleep\": false}, \"rods\": "
        "[{\"material\": "
        "\"hair\", \"elements\": 1, \"length\": 0.09, \"root\": {\"type\": \"free\", \"position\": [-0.045, 0, "
        "0.0008], "
        "\"direction\": [1, 0, 0.02]}}], \"bodies\": [{\"shape\": %s}]}",
        shapes[k]);
    play p = play_text(&t, 1);
    play_until(&p, 0.9);
    p.speed = 0;
    play_until(&p, 1);
    expect_at_most(p.speed, 1e-7, "speed at rest");
    for (int end = 0; end < 2; end++)
      expect_at_most(fabs(place(&p, 0, 0.09 * end).z - 0.0005), 1e-4, "height of an end");
    play_close(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_pile_lies_still),
                                     cmocka_unit_test(the_tolerance_follows_the_motion),
                                     cmocka_unit_test(what_falls_on_it_wakes_it),
                                     cmocka_unit_test(what_changes_wakes_it),
                                     cmocka_unit_test(sleep_is_saved),
                                     cmocka_unit_test(boxes_sleep),
                                     cmocka_unit_test(what_holds_is_not_lost),
                                     cmocka_unit_test(what_lies_on_a_body_does_not_rock)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
