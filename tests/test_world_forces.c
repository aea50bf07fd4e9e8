/* Forces of the scene: momentum and work, times and ramps, cuts, checkpoints; what is no blow-up; push-out. */
#include "world_support.h"

#include <string.h>

static const char *const models[] = {"super-helix", "mass-spring", "corde", "der"};

/* A free rod without weight, pushed along its axis: all of it moves, and v = (impulse of the force) / m. */
static void impulses_become_momentum(void **state)
{
  (void)state;
  for (int m = 0; m < 4; m++) {
    text t = {0};
    say(&t, "{\"gravity\": [0, 0, 0], \"rods\": [{\"name\": \"r\", \"model\": \"%s\", \"elements\": 8, ", models[m]);
    say(&t, "\"length\": 0.2, \"material\": \"rope\", \"root\": {\"type\": \"free\", \"direction\": [1, 0, 0]}}], ");
    say(&t, "\"forces\": [{\"rods\": \"r\", \"at\": \"tip\", \"force\": [2, 0, 0], \"from\": 0.0103, \"until\": "
            "0.0303, \"ramp\": 0.01}, {\"rods\": \"r\", \"at\": 0.05, \"force\": [1, 0, 0], \"from\": 0.0402}]}");
    play p = play_text(&t, 1);
    double mass = rod_mass(skein_world_rod(p.world, 0)), work = 0;
    play_until(&p, 0.0103);
    expect_at_most(p.info.kinetic, 1e-20, "motion before the force");
    while (skein_world_time(p.world) < 0.05) {
      play_step(&p, 0.05);
      work += p.info.work;
      expect_at_most(p.info.kinetic + p.info.elastic, work * (1 + 1e-9), "energy, against the work of the forces");
    }
    /* the ramp counts with its value at the end of each step of implicit Euler */
    double ramp = 0.5 * 0.01 + 0.5 * 0.001, impulse = 2 * (0.02 - 0.01 + ramp) + 0.0098;
    expect_at_most(fabs(rod_momentum(skein_world_rod(p.world, 0)).x - impulse), 2e-4 * impulse, "momentum");
    expect_at_most(0.9 * work, p.info.kinetic + p.info.elastic, "work that became energy");
    expect_at_most(mass * 0.01, impulse, "it moves");
    play_close(&p);
  }
}

/* A force that outweighs all energy there was by far is no blow-up. */
static void sudden_forces_are_no_blow_up(void **state)
{
  (void)state;
  for (int m = 0; m < 4; m += 3) {
    text t = {0};
    say(&t,
        "{\"gravity\": [0, 0, 0], \"time\": {\"dt\": 0.001, \"travel\": 0}, \"rods\": [{\"name\": \"r\", "
        "\"model\": \"%s\", \"length\": 0.1, \"root\": {\"type\": \"free\"}}], \"forces\": [{\"rods\": \"r\", "
        "\"force\": [0, 0, -0.1], \"from\": 0.003}]}",
        models[m]);
    play p = play_text(&t, 1);
    play_until(&p, 0.003);
    double scale = skein_world_rod(p.world, 0)->fixed->section.EI1 / 0.1;
    play_step(&p, 0.004);
    assert_true(p.info.kinetic > 1000 * scale);
    play_until(&p, 0.006);
    play_close(&p);
  }
}

/* At rest under a small force a hanging hair leans by F/(weight) about its root; a bundle is pulled rod by rod. */
static void every_rod_of_a_name_is_pulled(void **state)
{
  (void)state;
  play p = play_open("{\"rods\": [{\"name\": \"h\", \"model\": \"der\", \"length\": 0.1, \"grid\": {\"count\": [3, 1, "
                     "1], \"spacing\": 0.02}}], \"forces\": [{\"rods\": \"h\", \"force\": [0, 1e-6, 0]}, {\"rods\": "
                     "\"h[1]\", \"force\": [0, 1e-6, 0]}]}",
                     1);
  play_until(&p, 0.02);
  double y[3];
  for (int k = 0; k < 3; k++) y[k] = place(&p, k, 0.1).y;
  assert_true(y[0] > 1e-5 && y[0] == y[2]);
  expect_at_most(fabs(y[1] - 2 * y[0]), 0.05 * y[1], "twice the force, twice the way");
  play_close(&p);
}

/* The force stays with its place: on the near part, on the far part, at the old tip. */
static void cuts_keep_forces(void **state)
{
  (void)state;
  static const char *const at[] = {"0.02", "0.15", "\"tip\"", "\"root\""};
  for (int k = 0; k < 4; k++) {
    text t = {0};
    say(&t,
        "{\"gravity\": [0, 0, 0], \"rods\": [{\"name\": \"r\", \"model\": \"der\", \"elements\": 8, \"length\": "
        "0.2, \"root\": {\"type\": \"free\"}}], \"events\": [{\"time\": 0.01, \"cut\": \"r\"}], \"forces\": "
        "[{\"rods\": \"r\", \"at\": %s, \"force\": [0, 1e-5, 0], \"from\": 0.02}]}",
        at[k]);
    play p = play_text(&t, 1);
    bool near = k == 0 || k == 3;
    play_until(&p, 0.03);
    assert_int_equal(skein_world_rods(p.world), 2);
    sk_vec3 pulled = rod_momentum(skein_world_rod(p.world, near ? 0 : 1)),
            other = rod_momentum(skein_world_rod(p.world, near ? 1 : 0));
    expect_at_most(fabs(pulled.y - 1e-7), 1e-10, "momentum of the part that is pulled");
    expect_at_most(sk_norm(other), 1e-12, "momentum of the other");
    play_close(&p);
  }
}

/* A run that goes on from a saved state has the same bits, cut rods and half a ramp included. */
static void same_bits_after_a_checkpoint(void **state)
{
  (void)state;
  static const char scene[] =
      "{\"rods\": [{\"name\": \"r\", \"length\": 0.2, \"root\": {\"type\": \"free\"}}], \"events\": [{\"time\": 0.01, "
      "\"cut\": \"r\"}], \"forces\": [{\"rods\": \"r\", \"force\": [1e-5, 1e-5, 0], \"from\": 0.005, \"ramp\": 0.02}]}";
  play whole = play_open(scene, 1), p = play_open(scene, 1);
  skein_world *next;
  void *bytes;
  size_t size;
  play_until(&whole, 0.015), play_until(&whole, 0.03), play_until(&p, 0.015);
  expect_ok(skein_world_save(p.world, &bytes, &size));
  expect_ok(skein_world_create(p.scene, 1, &next));
  expect_ok(skein_world_load(next, bytes, size));
  skein_world_destroy(p.world), free(bytes);
  p.world = next;
  play_until(&p, 0.03);
  assert_true(hash_of(&p) == hash_of(&whole) && p.info.work == whole.info.work && p.info.work > 0);
  play_close(&p), play_close(&whole);
}

/* A rod that sleeps on a floor wakes in the step in which a force begins. */
static void forces_wake_sleepers(void **state)
{
  (void)state;
  play p = play_open("{\"time\": {\"dt\": 0.002, \"duration\": 2}, \"rods\": [{\"name\": \"r\", \"model\": \"der\", "
                     "\"elements\": 4, \"length\": 0.1, \"material\": \"rope\", \"root\": {\"type\": \"free\", "
                     "\"position\": [0, 0, 0.004], \"direction\": [1, 0, 0]}}], \"bodies\": [{\"shape\": {\"type\": "
                     "\"plane\"}}], \"forces\": [{\"rods\": \"r\", \"at\": 0.05, \"force\": [0, 0.5, 0], \"from\": "
                     "1.501}]}",
                     1);
  play_until(&p, 1.501);
  assert_int_equal(p.info.rods_asleep, 1);
  play_step(&p, 1.6);
  assert_int_equal(p.info.rods_asleep, 0);
  assert_true(p.info.work > 0);
  play_until(&p, 1.6);
  expect_at_most(0.01, place(&p, 0, 0.05).y, "it is pulled away");
  play_close(&p);
}

/* Two hairs that are held and cross at `s` from their roots, 0.4 radii deep, under gravity g; the largest speed of
 * their first step of dt, and how far that has opened them, in m. */
static double push_apart(double s, double push, double overlap, double g, double dt, double *opened)
{
  const double distance = 0.0008;
  text t = {0};
  say(&t,
      "{\"gravity\": [0, 0, %g], \"time\": {\"dt\": %g}, \"solver\": {\"push\": %g, \"overlap\": %g}, "
      "\"materials\": {\"m\": {\"preset\": \"hair-caucasian\", \"collision_radius\": 0.0005}}, \"rods\": [",
      -g, dt, push, overlap);
  for (int i = 0; i < 2; i++) {
    say(&t, "%s{\"length\": 0.3, \"elements\": 6, \"material\": \"m\", \"root\": {", i ? ", " : "");
    say_vector(&t, "position", i ? sk_vec(s, -s, distance) : sk_vec(0, 0, 0)), say(&t, ", ");
    say_vector(&t, "direction", i ? sk_vec(0, 1, 0) : sk_vec(1, 0, 0)), say(&t, "}}");
  }
  say(&t, "]}");
  play p = play_text(&t, 1);
  play_step(&p, 1);
  assert_int_equal(p.info.contacts, 1);
  *opened = sk_norm(sk_sub(place(&p, 0, s), place(&p, 1, s))) - distance;
  double speed = p.info.speed;
  play_close(&p);
  return speed;
}

/* Overlaps open with `push`, but not near the roots, where that would throw the hairs. */
static void push_out_throws_no_hair(void **state)
{
  (void)state;
  const double push = 0.003, dt = 0.004;
  double opened, speed = push_apart(0.15, push, 1, 0, dt, &opened);
  expect_at_most(fabs(opened - push * dt), 0.05 * push * dt, "opened far from the roots");
  expect_at_most(speed, 10 * push, "speed of hairs that are pushed there");
  speed = push_apart(0.006, push, 1, 0, dt, &opened);
  assert_true(opened > 0);
  expect_at_most(speed, 10 * push, "speed of hairs that are pushed near their roots");
}

/* An overlap that a short step would open at 2 m/s is left as it is: nothing falls as fast in such a step. */
static void what_is_thrown_is_taken_back(void **state)
{
  (void)state;
  double opened, speed = push_apart(0.15, 5, 0.1, 9.81, 2e-5, &opened);
  expect_at_most(speed, 0.01, "speed of hairs that lie in each other");
  expect_at_most(fabs(opened), 1e-6, "opened in a step of 20 us");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impulses_become_momentum),      cmocka_unit_test(sudden_forces_are_no_blow_up),
      cmocka_unit_test(every_rod_of_a_name_is_pulled), cmocka_unit_test(cuts_keep_forces),
      cmocka_unit_test(same_bits_after_a_checkpoint),  cmocka_unit_test(forces_wake_sleepers),
      cmocka_unit_test(push_out_throws_no_hair),       cmocka_unit_test(what_is_thrown_is_taken_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
