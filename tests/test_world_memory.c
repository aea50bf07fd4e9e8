/* A malloc that fails at call k, for every k, while a world is made, steps, is cut, saved and loaded: out of memory is
 * said, nothing leaks (the sanitizer looks at that), and a world whose step failed is still there to be destroyed, with
 * the whole problem of that step or none. */
#include "memory_support.h"
#include "world_support.h"

/* Rods on each other and on a floor, and events in the second step. */
static const char scene_text[] =
    "{\"rods\": [{\"name\": \"a\", \"length\": 0.1, \"material\": \"rope\", \"root\": {\"type\": \"free\", "
    "\"position\": [0, 0, 0.004], \"direction\": [1, 0, 0]}}, {\"name\": \"b\", \"model\": \"der\", \"length\": 0.1, "
    "\"material\": \"rope\", \"root\": {\"type\": \"free\", \"position\": [0.05, -0.05, 0.012], "
    "\"direction\": [0, 1, 0]}}], \"bodies\": [{\"shape\": {\"type\": \"plane\"}}, {\"shape\": {\"type\": \"box\", "
    "\"size\": [0.1, 0.1, 0.02]}, \"position\": [0.05, 0, 0.03], \"density\": 500}], "
    "\"events\": [{\"time\": 0.001, \"cut\": \"a\"}, {\"time\": 0.001, \"gravity\": [0, 0, -5]}], "
    "\"forces\": [{\"rods\": \"a\", \"force\": [0, 0, 1e-3]}]}";

static skein_status save_and_load(skein_world *world)
{
  void *bytes;
  size_t size;
  skein_frame frame;
  skein_status s = skein_world_save(world, &bytes, &size);
  if (s.code != SKEIN_OK) return s;
  s = skein_world_load(world, bytes, size);
  free(bytes);
  if (s.code == SKEIN_OK) s = skein_world_frame(world, 0, &frame);
  if (s.code == SKEIN_OK) skein_frame_destroy(&frame);
  return s;
}

/* The problem of a step that failed can be read through, or there is none. */
static void expect_whole_problem(const skein_world *world)
{
  const skein_problem *p = skein_world_problem(world);
  atomic_store(&calls_left, -1);
  if (p) expect_ok(skein_problem_check(p));
}

static skein_status live(const skein_scene *scene)
{
  skein_world *world;
  skein_step_info info;
  skein_status s = skein_world_create(scene, 1, &world);
  if (s.code != SKEIN_OK) return s;
  for (int i = 0; i < 3 && s.code == SKEIN_OK; i++) s = skein_world_step(world, 1, &info);
  if (s.code == SKEIN_OK) s = save_and_load(world);
  if (s.code == SKEIN_OK) s = skein_world_step(world, 1, &info);
  if (s.code != SKEIN_OK) expect_whole_problem(world);
  skein_world_destroy(world);
  return s;
}

/* Boxes by distances, with friction. */
static const char rigid_text[] =
    "{\"friction\": 0.3, \"solver\": {\"rigid\": \"lcp\"}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}, "
    "{\"shape\": "
    "{\"type\": \"box\", \"size\": [0.1, 0.1, 0.02]}, \"position\": [0, 0, 0.01], \"density\": 500}, {\"shape\": "
    "{\"type\": \"sphere\", \"radius\": 0.02}, \"position\": [0, 0, 0.04], \"density\": 500}]}";

static void fail_everywhere(const char *source)
{
  skein_scene *scene;
  int wrong = 0, k = 0;
  expect_ok(skein_scene_parse(source, "test", ".", NULL, 0, &scene));
  for (bool failed = true; failed; k++) {
    atomic_store(&calls_left, k);
    skein_status s = live(scene);
    failed = atomic_load(&calls_left) < 0;
    atomic_store(&calls_left, -1);
    if (s.code != SKEIN_OK && s.code != SKEIN_NO_MEMORY && wrong++ < 10)
      print_message("  call %d fails: \"%s\", expected out of memory\n", k, s.message);
    if (!failed) expect_ok(s);
  }
  skein_scene_destroy(scene);
  print_message("  %d allocations\n", k - 1);
  assert_int_equal(wrong, 0);
}

static void every_allocation_may_fail(void **state)
{
  (void)state;
  fail_everywhere(scene_text);
  fail_everywhere(rigid_text);
}

/* A sheet that rises, with a rod on it and one that it holds. */
static void every_allocation_of_a_surface_may_fail(void **state)
{
  (void)state;
  char folder[] = "/tmp/skein_memory_XXXXXX", path[64];
  text t = {0};
  assert_non_null(mkdtemp(folder));
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "%s/%d.obj", folder, k);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "v -1 -1 %g\nv 1 -1 %g\nv 1 1 %g\nv -1 1 %g\nf 1 2 3 4\n", 0.01 * k, 0.01 * k, 0.01 * k, 0.01 * k);
    fclose(out);
  }
  say(&t,
      "{\"bodies\": [{\"name\": \"sheet\", \"shape\": {\"type\": \"mesh\", \"file\": \"%s/0.obj\", \"animation\": "
      "{\"file\": \"%s/%%d.obj\", \"fps\": 100, \"first\": 0, \"last\": 2}}}], \"rods\": [{\"length\": 0.1, \"root\": "
      "{\"direction\": [0, 0, 1], \"body\": \"sheet\"}}, {\"length\": 0.1, \"material\": \"rope\", \"root\": "
      "{\"type\": "
      "\"free\", \"position\": [0, 0.1, 0.004], \"direction\": [1, 0, 0]}}]}",
      folder, folder);
  fail_everywhere(t.at);
  free(t.at);
  for (int k = 0; k < 3; k++) snprintf(path, sizeof path, "%s/%d.obj", folder, k), remove(path);
  remove(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                     cmocka_unit_test(every_allocation_of_a_surface_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
