/* Steps that the caller stops at any of the moments at which they ask: they have not begun. */
#include "world_support.h"

/* A caller that wants an end the n-th time that it is asked; negative: never. From any thread. */
typedef struct asker {
  int left, asked;
} asker;

static bool ask(void *user)
{
  asker *a = user;
  __atomic_add_fetch(&a->asked, 1, __ATOMIC_RELAXED);
  return __atomic_fetch_sub(&a->left, 1, __ATOMIC_RELAXED) == 0;
}

/* Rods of four models that fall on a floor and each other, under a ball; one is cut on the way. */
static void say_scene(text *t, const char *solver, const char *more)
{
  sk_random g = sk_random_make(5);
  static const char *const models[] = {"super-helix", "der", "mass-spring", "corde"};
  say(t,
      "{\"solver\": {%s}, \"friction\": 0.4, \"time\": {\"dt\": 0.002%s}, \"materials\": {\"stuff\": {\"E\": 2e7, "
      "\"density\": 1100, \"radius\": 0.001, \"damping\": 1e-3}}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}, "
      "{\"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, \"position\": [0, 0, 0.06], \"density\": 500, "
      "\"velocity\": [0, 0, -1]}], \"events\": [{\"time\": 0.01, \"cut\": \"r3\", \"at\": 0.5}], \"rods\": [",
      solver, more);
  for (int i = 0; i < 9; i++) {
    double angle = sk_random_uniform(&g, 0, 6.28);
    sk_vec3 along = {cos(angle), sin(angle), 0}, root = sk_axpy(sk_vec(0, 0, 0.001 + 0.00199 * i), -0.05, along);
    say(t,
        "{\"name\": \"r%d\", \"model\": \"%s\", \"elements\": %d, \"length\": 0.1, \"material\": \"stuff\", "
        "\"root\": {\"type\": \"free\", ",
        i, models[i % 4], i % 4 ? 6 : 4);
    say_vector(t, "position", root), say(t, ", "), say_vector(t, "direction", along);
    say(t, "}}%s", i < 8 ? ", " : "]}");
  }
}

static bool same_state(const skein_world *w, const void *bytes, size_t size)
{
  void *now;
  size_t now_size;
  expect_ok(skein_world_save(w, &now, &now_size));
  bool same = now_size == size && memcmp(now, bytes, size) == 0;
  free(now);
  return same;
}

/* One step that is stopped at every so many of its moments, then taken. */
static void stop_and_step(play *p)
{
  void *before;
  size_t size;
  skein_step_info info;
  expect_ok(skein_world_save(p->world, &before, &size));
  for (int moment = 0;; moment += 1 + moment) {
    asker a = {.left = moment};
    skein_world_set_stop(p->world, (skein_stop){ask, &a});
    skein_status s = skein_world_step(p->world, INFINITY, &info);
    if (s.code != SKEIN_STOPPED) {
      expect_ok(s);
      assert_true(a.left >= 0 && a.asked > 10);
      break;
    }
    assert_true(same_state(p->world, before, size));
  }
  skein_world_set_stop(p->world, (skein_stop){0});
  free(before);
}

static void compare(const char *solver, const char *more, int threads)
{
  text t = {0};
  say_scene(&t, solver, more);
  play whole = play_open(t.at, 1), p = play_open(t.at, threads);
  for (int k = 0; k < 8; k++) {
    play_step(&whole, INFINITY);
    if (k == 3 || k == 6) stop_and_step(&p);
    else play_step(&p, INFINITY);
    assert_true(hash_of(&p) == hash_of(&whole));
  }
  assert_true(whole.contacts > 0);
  play_close(&p), play_close(&whole);
  free(t.at);
}

static void a_stopped_step_has_not_begun(void **state)
{
  (void)state;
  static const char *const methods[] = {"auto", "gs", "newton-ac", "newton-mfb", "admm", "ipm"};
  for (int m = 0; m < 6; m++) {
    char solver[64];
    snprintf(solver, sizeof solver, "\"method\": \"%s\"", methods[m]);
    compare(solver, "", 1 + m % 3);
  }
  compare("\"corrections\": 3", "", 2);
  compare("\"tol\": 1e-3", ", \"settle\": 0.05", 1);
}

static void a_stopped_step_of_bodies_has_not_begun(void **state)
{
  (void)state;
  static const char *const rigid[] = {"newton", "fischer", "lcp"};
  for (int m = 0; m < 3; m++) {
    text t = {0};
    say(&t,
        "{\"solver\": {\"rigid\": \"%s\"}, \"friction\": 0.3, \"time\": {\"dt\": 0.002}, \"bodies\": "
        "[{\"shape\": {\"type\": \"plane\"}}",
        rigid[m]);
    for (int i = 0; i < 4; i++)
      say(&t, ", {\"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"position\": [%g, 0, %g], \"density\": 800}",
          0.001 * i, 0.0502 + 0.1005 * i);
    say(&t, "]}");
    play whole = play_open(t.at, 1), p = play_open(t.at, 1);
    for (int k = 0; k < 8; k++) {
      play_step(&whole, INFINITY);
      void *before;
      size_t size;
      expect_ok(skein_world_save(p.world, &before, &size));
      for (int moment = 0; moment < 2; moment++) {
        asker a = {.left = moment};
        skein_step_info info;
        skein_world_set_stop(p.world, (skein_stop){ask, &a});
        skein_status s = skein_world_step(p.world, INFINITY, &info);
        assert_int_equal(s.code, SKEIN_STOPPED);
        assert_true(same_state(p.world, before, size));
      }
      skein_world_set_stop(p.world, (skein_stop){0});
      free(before);
      play_step(&p, INFINITY);
      assert_true(hash_of(&p) == hash_of(&whole));
    }
    play_close(&p), play_close(&whole);
    free(t.at);
  }
}

/* Reading ends too, wherever rods are fitted, grown or moved, and so does the making of a world. */
static void reading_stops(void **state)
{
  (void)state;
  static const char source[] =
      "{\"bodies\": [{\"name\": \"head\", \"shape\": {\"type\": \"head\"}}], \"rods\": [{\"name\": \"h\", \"length\": "
      "0.1, \"root\": {\"body\": \"head\"}, \"start\": {\"outside\": true}, \"groom\": {\"count\": 40}}, {\"name\": "
      "\"p\", "
      "\"points\": [[1, 0, 0], [1, 0, 0.1], [1, 0.1, 0.1]]}]}";
  skein_scene *scene;
  skein_world *world;
  asker a = {.left = -1};
  expect_ok(skein_scene_parse_until(source, "test", ".", NULL, 0, (skein_stop){ask, &a}, &scene));
  assert_true(a.asked > 100);
  int all = a.asked;
  a = (asker){.left = 10};
  assert_int_equal(skein_world_create(scene, 1, &world).code, SKEIN_STOPPED);
  assert_null(world);
  skein_scene_destroy(scene);
  for (int moment = 0; moment < all; moment += all / 4) {
    a = (asker){.left = moment};
    skein_status s = skein_scene_parse_until(source, "test", ".", NULL, 0, (skein_stop){ask, &a}, &scene);
    assert_int_equal(s.code, SKEIN_STOPPED);
    assert_null(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_stopped_step_has_not_begun),
                                     cmocka_unit_test(a_stopped_step_of_bodies_has_not_begun),
                                     cmocka_unit_test(reading_stops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
