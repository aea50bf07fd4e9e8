/* Rigid bodies by distances: nothing overlaps, forces are the weight and go to those of the velocity formulation as dt
 * goes to 0, friction holds what it should; states are saved, threads change nothing, wrong scenes say why. */
#include "world_support.h"

static const char *const methods[] = {"newton", "fischer", "lcp"};
enum { METHODS = 3 };

static play open_scene(const char *method, double dt, double mu, const char *bodies)
{
  text t = {0};
  say(&t,
      "{\"friction\": %g, \"time\": {\"dt\": %.17g, \"duration\": 100}, \"solver\": {\"rigid\": \"%s\", \"sleep\": "
      "false, \"tol\": 1e-10}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}, %s]}",
      mu, dt, method, bodies);
  return play_text(&t, 1);
}

static play open_file(const char *name, const char *method, const char *friction)
{
  char path[512], rigid[64], mu[64];
  const char *sets[] = {rigid, mu, "solver.sleep=false", "events=[]"};
  play p = {.least_dissipated = INFINITY, .gain = -INFINITY};
  snprintf(path, sizeof path, "%s/scenes/%s.json", SKEIN_SOURCE_DIR, name);
  snprintf(rigid, sizeof rigid, "solver.rigid=\"%s\"", method), snprintf(mu, sizeof mu, "friction=%s", friction);
  expect_ok(skein_scene_read(path, sets, name[0] == 'b' ? 4 : 3, &p.scene));
  expect_ok(skein_world_create(p.scene, 1, &p.world));
  return p;
}

static double nearest(const play *p)
{
  double d;
  expect_ok(skein_world_nearest(p->world, 1e-4, &d));
  return d;
}

/* The force that body `fixed` (one of the first) gives, over the last step. */
static sk_vec3 force_of(const play *p, int fixed)
{
  skein_frame f;
  sk_vec3 sum = {0, 0, 0};
  expect_ok(skein_world_frame(p->world, 0, &f));
  for (int k = 0; k < f.contacts; k++)
    for (int side = 0; side < 2; side++)
      if (f.contact_object[2 * k + side] == fixed)
        sum = sk_axpy(sum, (side ? 1 : -1) / f.dt, sk_load3(f.contact_impulse + 3 * k));
  skein_frame_destroy(&f);
  return sum;
}

/* ---- The scenes ---- */

static void nothing_overlaps(void **state)
{
  (void)state;
  static const char *const names[] = {"box-stack", "sphere-pile", "domino-row", "chain-of-links"};
  for (int s = 0; s < 4; s++)
    for (int m = 0; m < METHODS; m++)
      for (int rough = 0; rough < 2; rough++) {
        play p = open_file(names[s], methods[m], rough ? "0.3" : "0");
        double least = HUGE_VAL;
        for (int k = 0; k < (SLOW_BUILD ? 25 : s == 2 ? 250 : 120); k++) {
          play_step(&p, 1e9);
          least = fmin(least, nearest(&p));
        }
        if (m > 0 && !(least >= -1e-9))
          fail_msg("%s, %s, mu %s: a distance of %g m", names[s], methods[m], rough ? "0.3" : "0", least);
        if (m > 0 && p.unfinished)
          fail_msg("%s, %s, mu %s: %d steps missed their tolerance", names[s], methods[m], rough ? "0.3" : "0",
                   p.unfinished);
        expect_at_most(fabs(p.info.error), 1e-9, "error of the last step");
        play_close(&p);
      }
}

/* ---- Forces ---- */

/* By velocities links of a chain, whose edges have no sure normal where they touch, are kept apart and come to rest. */
static void links_hang_by_velocities(void **state)
{
  (void)state;
  for (int rough = 0; rough < 2; rough++) {
    play p = open_file("chain-of-links", "velocity", rough ? "0.3" : "0");
    double least = INFINITY;
    for (int k = 0; k < 1500; k++) {
      play_step(&p, 0.001 * (k + 1));
      least = fmin(least, nearest(&p));
    }
    assert_true(least > 1e-5 && p.info.converged && p.info.kinetic < 1e-6);
    play_close(&p);
  }
}

static void a_box_weighs_what_it_weighs(void **state)
{
  (void)state;
  const char *box =
      "{\"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.1]}, \"position\": [0, 0, 0.0501], \"mass\": 2}";
  for (int m = 0; m < METHODS; m++)
    for (int rough = 0; rough < 2; rough++) {
      play p = open_scene(methods[m], 0.002, rough ? 0.4 : 0, box);
      play_until(&p, 0.1);
      sk_vec3 f = force_of(&p, 0);
      expect_at_most(fabs(f.z - 2 * 9.81), 1e-5, "force of the ground, less the weight");
      expect_at_most(hypot(f.x, f.y), 1e-5, "force aside");
      play_close(&p);
    }
}

/* A ball slides off a fixed one: both go to the same force, with dt. */
static void forces_go_to_those_of_the_velocities(void **state)
{
  (void)state;
  const char *balls = "{\"shape\": {\"type\": \"sphere\", \"radius\": 0.5}}, {\"shape\": {\"type\": \"sphere\", "
                      "\"radius\": 0.1}, \"position\": [0.17731, 0, 0.57320], \"mass\": 2}";
  for (int m = 0; m < METHODS; m++) {
    double apart[3];
    for (int h = 0; h < 3; h++) {
      play a = open_scene(methods[m], 0.002 / (1 << h), 0, balls),
           b = open_scene("velocity", 0.002 / (1 << h), 0, balls);
      play_until(&a, 0.2), play_until(&b, 0.2);
      apart[h] = sk_norm(sk_sub(force_of(&a, 1), force_of(&b, 1)));
      play_close(&a), play_close(&b);
    }
    expect_at_most(apart[0], 0.1, "N between them at dt = 2 ms");
    for (int h = 1; h < 3; h++) expect_at_most(apart[h], 0.6 * apart[h - 1], "N between them at half the step");
  }
}

/* ---- Friction ---- */

/* Gravity leans by 15 degrees (tan 0.27): a box stays at mu = 0.3 and slides with g (sin - mu cos) at 0.2. */
static void friction_holds(void **state)
{
  (void)state;
  for (int m = 0; m < METHODS; m++)
    for (int slides = 0; slides < 2; slides++) {
      double mu = slides ? 0.2 : 0.3, lean = SK_PI / 12;
      play p = open_scene(methods[m], 0.002, mu,
                          "{\"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.1]}, \"position\": [0, 0, 0.05], "
                          "\"mass\": 2}");
      expect_ok(skein_world_set_gravity(p.world, (double[]){9.81 * sin(lean), 0, -9.81 * cos(lean)}));
      play_until(&p, 0.2);
      double speed = slides ? 0.2 * 9.81 * (sin(lean) - mu * cos(lean)) : 0;
      expect_at_most(fabs(look(&p, 1).v.x - speed), 1e-6, "speed down the slope, less what it should be");
      expect_at_most(-nearest(&p), 1e-9, "overlap");
      play_close(&p);
    }
}

/* An overlap of the scene is opened at the push-out velocity, not at once. */
static void overlaps_open_gently(void **state)
{
  (void)state;
  for (int m = 0; m < METHODS; m++) {
    play p =
        open_scene(methods[m], 0.001, 0,
                   "{\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"position\": [0, 0, 0.095], \"mass\": 1}");
    play_until(&p, 0.2);
    expect_at_most(p.speed, 0.11, "m/s while it is pushed out");
    expect_at_most(-nearest(&p), 1e-9, "overlap in the end");
    play_close(&p);
  }
}

/* ---- The world ---- */

static void states_and_threads(void **state)
{
  (void)state;
  play a = open_file("domino-row", "lcp", "0.3"), b = open_file("domino-row", "lcp", "0.3");
  void *bytes;
  size_t size;
  for (int k = 0; k < 30; k++) play_step(&a, 1e9);
  expect_ok(skein_world_save(a.world, &bytes, &size));
  expect_ok(skein_world_load(b.world, bytes, size));
  free(bytes);
  for (int k = 0; k < 30; k++) play_step(&a, 1e9), play_step(&b, 1e9);
  assert_true(hash_of(&a) == hash_of(&b));
  play_close(&b);
  expect_ok(skein_scene_parse(skein_scene_source(a.scene), "again", ".", NULL, 0, &b.scene));
  expect_ok(skein_world_create(b.scene, 2, &b.world));
  for (int k = 0; k < 60; k++) play_step(&b, 1e9);
  assert_true(hash_of(&a) == hash_of(&b));
  play_close(&a), play_close(&b);
}

static void wrong_scenes_say_why(void **state)
{
  (void)state;
  skein_scene *scene;
  const char *ball = "\"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 1}, \"mass\": 1}]";
  static const struct {
    const char *more, *part;
  } cases[] = {{"\"solver\": {\"rigid\": \"lemke\"}", "rigid method"},
               {"\"solver\": {\"rigid\": \"lcp\"}, \"rods\": [{\"length\": 1}]", "without rods"},
               {"\"solver\": {\"rigid\": \"fischer\"}, \"restitution\": 0.5", "restitution 0"},
               {"\"solver\": {\"rigid\": \"newton\"}, \"time\": {\"theta\": 0.5}", "theta = 1"}};
  for (int k = 0; k < 4; k++) {
    char source[512];
    snprintf(source, sizeof source, "{%s, %s}", ball, cases[k].more);
    skein_status s = skein_scene_parse(source, "test", ".", NULL, 0, &scene);
    expect_bad(s, cases[k].part), expect_bad(s, "solver.rigid");
  }
  play p = open_scene("lcp", 0.001, 0, "{\"shape\": {\"type\": \"sphere\", \"radius\": 1}, \"mass\": 1}");
  double d;
  expect_bad(skein_world_nearest(p.world, 0, &d), "reach");
  play_close(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_overlaps),
                                     cmocka_unit_test(links_hang_by_velocities),
                                     cmocka_unit_test(a_box_weighs_what_it_weighs),
                                     cmocka_unit_test(forces_go_to_those_of_the_velocities),
                                     cmocka_unit_test(friction_holds),
                                     cmocka_unit_test(overlaps_open_gently),
                                     cmocka_unit_test(states_and_threads),
                                     cmocka_unit_test(wrong_scenes_say_why)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
