/* The linear problem, corrected (solver.corrections): points of a super-helix move on arcs, and a strand that is shaken
 * over a ball sinks into it by what the tangents miss. */
#include "world/world.h"
#include "world_support.h"

typedef struct outcome {
  double overlap;
  sk_vec3 tip;
} outcome;

/* A strand hangs over a ball and is turned to and fro by its root. No push-out, no shorter steps: what sinks in stays.
 */
static play open_scene(int corrections, int threads)
{
  text t = {0};
  say(&t,
      "{\"time\": {\"dt\": 0.004, \"dt_min\": 0.004}, \"solver\": {\"corrections\": %d, \"push\": 0, \"overlap\": 1}, "
      "\"materials\": {\"m\": {\"preset\": \"hair-caucasian\", \"collision_radius\": 0.0005, \"damping\": 0.005}}, "
      "\"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.08}, \"position\": [0.02, 0, -0.085]}, "
      "{\"name\": \"hand\", \"group\": \"hand\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.001}, "
      "\"position\": [0, 0, 0.05], \"motion\": {\"keys\": [{\"time\": 0, \"rotation\": {\"axis\": [0, 0, 1], "
      "\"angle\": 0}}, {\"time\": 0.3, \"rotation\": {\"axis\": [0, 0, 1], \"angle\": 60}}, {\"time\": 0.6, "
      "\"rotation\": {\"axis\": [0, 0, 1], \"angle\": -60}}, {\"time\": 0.9, \"rotation\": {\"axis\": [0, 0, 1], "
      "\"angle\": 60}}]}}], \"rods\": [{\"length\": 0.3, \"elements\": 6, \"material\": \"m\", \"root\": {\"body\": "
      "\"hand\", \"position\": [0, 0, 0], \"direction\": [1, 0, 0]}}]}",
      corrections);
  return play_text(&t, threads);
}

static outcome shake(int corrections, int threads)
{
  play p = open_scene(corrections, threads);
  play_until(&p, 0.9);
  outcome o = {p.penetration, place(&p, 0, 0.3)};
  play_close(&p);
  return o;
}

static void sinks_less(void **state)
{
  (void)state;
  outcome linear = shake(0, 1), once = shake(1, 1), thrice = shake(3, 1), again = shake(3, 3);
  assert_true(linear.overlap > 1); /* the scene is rough enough to tell */
  expect_at_most(once.overlap, 0.5 * linear.overlap, "overlap with one correction, radii");
  expect_at_most(thrice.overlap, 0.5 * linear.overlap, "overlap with three, radii");
  assert_memory_equal(&thrice.tip, &again.tip, sizeof thrice.tip);
}

/* What a contact hands on to the next step is in the state: a world that was saved in the middle of the shaking goes on
 * with the same bits. */
static void goes_on(void **state)
{
  (void)state;
  play whole = open_scene(1, 1), p = open_scene(1, 1);
  int touched = 0;
  for (int i = 0; i < 150; i++) {
    play_step(&whole, 0.9), play_step(&p, 0.9);
    if (i % 5) continue;
    void *bytes;
    size_t size;
    skein_world *next;
    touched += p.info.contacts > 0;
    expect_ok(skein_world_save(p.world, &bytes, &size));
    expect_ok(skein_world_create(p.scene, 1, &next));
    expect_ok(skein_world_load(next, bytes, size));
    skein_world_destroy(p.world);
    p.world = next;
    free(bytes);
    assert_true(hash_of(&p) == hash_of(&whole));
  }
  assert_true(touched > 5 && hash_of(&p) == hash_of(&whole));
  play_close(&p), play_close(&whole);
}

/* A strand that untwists fast beside a ball: its points go round within a step, which no later step continues. What is
 * asked of a contact for that is bounded. */
static void spins_ask_for_little(void **state)
{
  (void)state;
  text t = {0};
  say(&t, "{\"time\": {\"dt\": 0.002, \"dt_min\": 0.002}, \"solver\": {\"corrections\": 1, \"overlap\": 1}, "
          "\"materials\": {\"m\": {\"preset\": \"hair-caucasian\", \"collision_radius\": 0.0005}}, \"bodies\": "
          "[{\"shape\": {\"type\": \"sphere\", \"radius\": 0.03}, \"position\": [0.04, 0.012, -0.032]}], \"rods\": "
          "[{\"length\": 0.12, \"elements\": 4, \"twist_locked\": 0, \"material\": \"m\", \"natural\": "
          "{\"curvature\": [20, 0]}, \"initial\": {\"curvature\": [20, 0], \"twist\": 150}, \"root\": "
          "{\"position\": [0, 0, 0], \"direction\": [1, 0, 0]}}]}");
  play p = play_text(&t, 1);
  double most = 0;
  while (skein_world_time(p.world) < 0.1) {
    play_step(&p, 0.1);
    for (int k = 0; k < sk_now(p.world)->contacts.count; k++)
      most = fmax(most, sk_norm(sk_now(p.world)->contacts.at[k].miss) * p.info.dt / 5e-4);
  }
  expect_at_most(most, 1 + 1e-9, "what is asked for, radii a step");
  assert_true(most > 0.9); /* it was bounded */
  play_close(&p);
}

/* Two arcs at rest that bulge towards each other, `gap` radii apart. Their chords, half a radius off each, leave more
 * than that free: the contact counts all the same. */
static int contacts_of_arcs(double gap)
{
  const double kappa = 76, L = 0.025, r = 5e-4, R = 1 / kappa, phi = 0.5 * kappa * L;
  text t = {0};
  say(&t, "{\"gravity\": [0, 0, 0], \"solver\": {\"chord\": 0.5}, \"time\": {\"dt\": 0.002}, \"materials\": {\"m\": "
          "{\"preset\": \"hair-caucasian\", \"collision_radius\": 0.0005}}, \"rods\": [");
  for (int i = 0; i < 2; i++) {
    double up = i ? -1 : 1, z = up * ((1 + 0.5 * gap) * r + R * (1 - cos(phi))), along = -R * sin(phi);
    say(&t,
        "%s{\"elements\": 1, \"twist_locked\": 0, \"material\": \"m\", \"length\": %g, \"natural\": {\"curvature\": "
        "[%g, 0]}, \"root\": {",
        i ? ", " : "", L, -kappa);
    say_vector(&t, "position", i ? sk_vec(0, along, z) : sk_vec(along, 0, z)), say(&t, ", ");
    say_vector(&t, "direction", i ? sk_vec(0, cos(phi), sin(phi)) : sk_vec(cos(phi), 0, -sin(phi))), say(&t, ", ");
    say_vector(&t, "normal", i ? sk_vec(1, 0, 0) : sk_vec(0, 1, 0)), say(&t, "}}");
  }
  say(&t, "]}");
  play p = play_text(&t, 1);
  sk_vec3 apart = sk_sub(place(&p, 0, 0.5 * L), place(&p, 1, 0.5 * L));
  expect_at_most(fabs(apart.z - (2 + gap) * r), 1e-6 * r, "distance of the axes");
  play_step(&p, 1);
  int contacts = p.info.contacts;
  play_close(&p);
  return contacts;
}

static void chords_hide_nothing(void **state)
{
  (void)state;
  assert_int_equal(contacts_of_arcs(-0.03), 1);
  assert_int_equal(contacts_of_arcs(0.1), 1);
  assert_int_equal(contacts_of_arcs(1), 0); /* nothing moves: too far to matter */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sinks_less), cmocka_unit_test(goes_on),
                                     cmocka_unit_test(spins_ask_for_little), cmocka_unit_test(chords_hide_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
