/* What a run looks like: every shape is a closed surface that looks out, of the right volume; values and colours of
 * each mode on frames whose answer is known; camera, bounds, legends. */
#include "support.h"

#include "look/look.h"
#include "math/vec3.h"

#include <unistd.h>

static skein_look *look_at(const char *text)
{
  skein_scene *scene;
  skein_look *look;
  expect_ok(skein_scene_parse(text, "test.json", ".", NULL, 0, &scene));
  expect_ok(skein_look_create(scene, &look));
  skein_scene_destroy(scene); /* the look needs it no more */
  return look;
}

/* ---- Surfaces ---- */

static sk_vec3 vertex_of(const skein_look_body *b, int i)
{
  const float *v = b->vertex + 3 * (size_t)i;
  return sk_vec(v[0], v[1], v[2]);
}

/* Every directed edge (by place) is met once, and once the other way. */
static void expect_closed(const skein_look_body *b)
{
  int edges = 3 * b->triangles;
  for (int e = 0; e < edges; e++) {
    int t = e / 3, k = e % 3, same = 0, back = 0;
    sk_vec3 from = vertex_of(b, b->triangle[3 * t + k]), to = vertex_of(b, b->triangle[3 * t + (k + 1) % 3]);
    if (e % 7) continue; /* a seventh of them, for the time it takes */
    for (int o = 0; o < edges; o++) {
      sk_vec3 a = vertex_of(b, b->triangle[o]), c = vertex_of(b, b->triangle[3 * (o / 3) + (o + 1 - 3 * (o / 3)) % 3]);
      double tol = 1e-6;
      same += sk_norm(sk_sub(a, from)) < tol && sk_norm(sk_sub(c, to)) < tol;
      back += sk_norm(sk_sub(a, to)) < tol && sk_norm(sk_sub(c, from)) < tol;
    }
    assert_int_equal(same, 1);
    assert_int_equal(back, 1);
  }
}

static double volume_of(const skein_look_body *b)
{
  double sum = 0;
  for (int t = 0; t < b->triangles; t++) {
    sk_vec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = vertex_of(b, b->triangle[3 * t + k]);
    sum += sk_dot(p[0], sk_cross(p[1], p[2])) / 6;
  }
  return sum;
}

/* Unit normals, on the side of the triangles that have them. */
static void expect_normals(const skein_look_body *b)
{
  for (int t = 0; t < b->triangles; t++) {
    const int *c = b->triangle + 3 * t;
    sk_vec3 face = sk_unit(
        sk_cross(sk_sub(vertex_of(b, c[1]), vertex_of(b, c[0])), sk_sub(vertex_of(b, c[2]), vertex_of(b, c[0]))));
    for (int k = 0; k < 3; k++) {
      assert_true(c[k] >= 0 && c[k] < b->vertices);
      const float *n = b->normal + 3 * (size_t)c[k];
      sk_vec3 normal = sk_vec(n[0], n[1], n[2]);
      assert_true(fabs(sk_norm(normal) - 1) < 1e-5);
      assert_true(sk_dot(normal, face) > 0.7);
    }
  }
}

static void test_shapes(void **state)
{
  (void)state;
  char folder[] = "/tmp/skein_look_XXXXXX", obj[64], text[1024];
  assert_non_null(mkdtemp(folder));
  snprintf(obj, sizeof obj, "%s/corner.obj", folder);
  FILE *file = fopen(obj, "w");
  fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", file);
  fclose(file);
  snprintf(text, sizeof text,
           "{\"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.5}},"
           "{\"shape\": {\"type\": \"capsule\", \"radius\": 0.2, \"length\": 1}},"
           "{\"shape\": {\"type\": \"cylinder\", \"radius\": 0.3, \"length\": 2, \"axis\": [1, 0, 0]}},"
           "{\"shape\": {\"type\": \"box\", \"size\": [1, 2, 3]}, \"density\": 10},"
           "{\"name\": \"corner\", \"shape\": {\"type\": \"mesh\", \"file\": \"%s\"}, \"colour\": \"#ff0000\"},"
           "{\"shape\": {\"type\": \"plane\", \"normal\": [1, 0, 0]}, \"group\": \"wall\"}]}",
           obj);
  skein_look *look = look_at(text);
  unlink(obj), rmdir(folder);
  double volumes[] = {SK_PI / 6, SK_PI * 0.04 * (1 + 0.8 / 3), SK_PI * 0.09 * 2, 6, 1.0 / 6};
  assert_int_equal(skein_look_bodies(look), 6);
  for (int i = 0; i < 5; i++) {
    const skein_look_body *b = skein_look_body_at(look, i);
    expect_closed(b);
    expect_normals(b);
    if (!(fabs(volume_of(b) / volumes[i] - 1) < 0.01)) fail_msg("body %d: volume %g", i, volume_of(b));
    assert_false(b->endless);
    assert_int_equal(b->moves, i == 3);
  }
  const skein_look_body *corner = skein_look_body_at(look, 4), *wall = skein_look_body_at(look, 5);
  assert_string_equal(corner->name, "corner");
  assert_int_equal(corner->vertices, 12); /* sharp edges: every face has its own */
  assert_true(corner->colour[0] == 1 && corner->colour[1] == 0 && corner->colour[2] == 0);
  assert_string_equal(wall->group, "wall");
  expect_normals(wall);
  assert_true(wall->endless && wall->triangles == 2);
  for (int k = 0; k < 4; k++) assert_true(sk_norm(vertex_of(wall, k)) > 4); /* the scene is 2 x 2 x 3 m */
  assert_null(skein_look_body_at(look, 6));
  skein_look_destroy(look);
  skein_look_destroy(NULL);
}

static void test_tubes(void **state)
{
  (void)state;
  skein_look *look = look_at(
      "{\"bodies\": [{\"shape\": {\"type\": \"tube\", \"radius\": 0.1, \"points\": [[0, 0, 0], [0, 0, 1], [0, 0, 3]]}},"
      "{\"shape\": {\"type\": \"tube\", \"radius\": 0.1, \"closed\": true, \"points\": [[1, 0, 0.2], [0, 1, -0.2], "
      "[-1, 0, 0.2], [0, -1, -0.2]]}, \"density\": 100}]}");
  double volumes[] = {SK_PI * 0.01 * (3 + 0.4 / 3), SK_PI * 0.01 * 6.6};
  for (int i = 0; i < 2; i++) {
    const skein_look_body *b = skein_look_body_at(look, i);
    expect_closed(b);
    expect_normals(b);
    if (!(fabs(volume_of(b) / volumes[i] - 1) < (i ? 0.05 : 0.01))) fail_msg("tube %d: volume %g", i, volume_of(b));
    assert_int_equal(b->moves, i);
  }
  skein_look_destroy(look);
}

/* ---- Frames ---- */

/* Three rods of 1 m with 11 points along x, 0.1 m apart in y; a ball; two contacts. */
typedef struct small_frame {
  int start[4], group[3], source[3], object[4];
  float point[99], radius[3];
  double pose[7], s[4], place[6], normal[6], impulse[6], gap[2];
  signed char status[2];
  skein_frame f;
} small_frame;

static void fill(small_frame *m, double time, double shift)
{
  *m = (small_frame){.start = {0, 11, 22, 33},
                     .group = {0, 0, 1},
                     .source = {0, 1, 2},
                     .object = {0, 1, 1, 3},
                     .radius = {0.01f, 0.01f, 0.01f},
                     .pose = {0, 0, -1, 1, 0, 0, 0},
                     .s = {0.52, 0.52, 0.93, 0},
                     .normal = {0, 1, 0, 0, 0, 1},
                     .impulse = {0, 0.003, 0.004, 0, 0, 0.02},
                     .status = {1, 2}};
  for (int i = 0; i < 33; i++) {
    m->point[3 * i] = 0.1f * (float)(i % 11) + (float)shift * (float)(i / 11);
    m->point[3 * i + 1] = 0.1f * (float)(i / 11);
  }
  m->f = (skein_frame){.time = time,
                       .dt = 0.001,
                       .rods = 3,
                       .points = 33,
                       .point_start = m->start,
                       .point = m->point,
                       .radius = m->radius,
                       .rod_group = m->group,
                       .rod_source = m->source,
                       .bodies = 1,
                       .body_pose = m->pose,
                       .contacts = 2,
                       .contact_object = m->object,
                       .contact_s = m->s,
                       .contact_point = m->place,
                       .contact_normal = m->normal,
                       .contact_impulse = m->impulse,
                       .contact_gap = m->gap,
                       .contact_status = m->status};
}

static const char three_rods[] =
    "{\"materials\": {\"blue\": {\"preset\": \"rope\", \"colour\": [0, 0, 1]}},"
    "\"rods\": [{\"length\": 1, \"material\": \"blue\"}, {\"length\": 1}, {\"length\": 1, \"group\": \"other\"}],"
    "\"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.5}}],"
    "\"camera\": {\"eye\": [1, 0, 0], \"target\": [0, 0, 0], \"fov\": 20}}";

static void test_values(void **state)
{
  (void)state;
  small_frame now, was;
  float v[33];
  fill(&now, 0.5, 0), fill(&was, 0.4, 0.01);
  skein_look *look = look_at(three_rods);

  expect_ok(skein_look_values(look, SKEIN_BY_MATERIAL, NULL, &now.f, v));
  assert_true(v[0] == 0 && v[11] == 1 && v[32] == 1);
  expect_ok(skein_look_values(look, SKEIN_BY_GROUP, NULL, &now.f, v));
  assert_true(v[0] == 0 && v[11] == 0 && v[22] == 1);

  expect_ok(skein_look_values(look, SKEIN_BY_SPEED, NULL, &now.f, v));
  for (int k = 0; k < 33; k++) assert_true(v[k] == 0);
  expect_ok(skein_look_values(look, SKEIN_BY_SPEED, &was.f, &now.f, v));
  for (int k = 0; k < 33; k++) assert_true(fabs(v[k] - 0.1 * (k / 11)) < 1e-5);

  expect_ok(skein_look_values(look, SKEIN_BY_STATUS, NULL, &now.f, v));
  for (int k = 0; k < 11; k++) assert_true(v[k] == (k >= 5 && k <= 6));
  assert_true(v[11 + 5] == 1 && v[11 + 9] == 2 && v[11 + 10] == 2 && v[11 + 8] == 0 && v[22] == 0);

  expect_ok(skein_look_values(look, SKEIN_BY_FORCE, NULL, &now.f, v));
  assert_true(fabs(v[5] - 4) < 1e-5 && fabs(v[6] - 1) < 1e-5 && v[4] == 0 && v[32] == 0);
  assert_true(fabs(v[11 + 9] - 20 * 0.7) < 1e-4 && fabs(v[11 + 10] - 20 * 0.3) < 1e-4);
  now.f.dt = 0;
  expect_ok(skein_look_values(look, SKEIN_BY_FORCE, NULL, &now.f, v));
  for (int k = 0; k < 33; k++) assert_true(v[k] == 0);

  expect_ok(skein_look_values(look, SKEIN_BY_ISLAND, NULL, &now.f, v));
  assert_true(v[0] == 0 && v[11] == 0 && v[22] == -1);
  now.status[0] = 0; /* open: the second rod is alone on the ball, which is no part of an island */
  expect_ok(skein_look_values(look, SKEIN_BY_ISLAND, NULL, &now.f, v));
  assert_true(v[0] == -1 && v[11] == 1 && v[22] == -1);
  skein_look_destroy(look);
}

/* The first rod is cut in two between the frames; nothing moves. */
static void test_speed_across_a_cut(void **state)
{
  (void)state;
  small_frame now, was;
  float v[33];
  fill(&was, 0, 0), fill(&now, 0.1, 0);
  skein_look *look = look_at(three_rods);
  was.f.rods = 2, was.f.points = 22;
  int start[] = {0, 5, 16, 23};
  memcpy(now.start, start, sizeof start);
  now.f.points = 23, now.source[2] = 0;
  for (int k = 0; k < 23; k++) {
    double x = k < 5 ? 0.1 * k : k < 16 ? 0.1 * (k - 5) : 0.4 + 0.1 * (k - 16);
    now.point[3 * k] = (float)x, now.point[3 * k + 1] = k >= 5 && k < 16 ? 0.1f : 0;
  }
  expect_ok(skein_look_values(look, SKEIN_BY_SPEED, &was.f, &now.f, v));
  for (int k = 0; k < 23; k++) assert_true(v[k] < 1e-5);
  now.s[0] = 0.4; /* the tip of the piece that is left: its length is that of its points */
  expect_ok(skein_look_values(look, SKEIN_BY_STATUS, NULL, &now.f, v));
  assert_true(v[4] == 1 && v[3] == 1 && v[2] == 0);
  skein_look_destroy(look);
}

static void test_colours(void **state)
{
  (void)state;
  small_frame now, was;
  float rgb[99], ramp[3], rod[3];
  double lo = 0, hi = 0;
  skein_legend_entry entry;
  fill(&now, 0.5, 0), fill(&was, 0.4, 0.01);
  skein_look *look = look_at(three_rods);
  expect_ok(skein_look_colours(look, SKEIN_BY_MATERIAL, NULL, &now.f, NULL, NULL, rgb));
  skein_look_rod_colour(look, &now.f, 0, rod);
  assert_memory_equal(rgb, rod, sizeof rod);
  assert_true(rod[0] == 0 && rod[1] == 0 && rod[2] == 1);
  now.source[0] = 77; /* of another scene */
  skein_look_rod_colour(look, &now.f, 0, rod);
  expect_ok(skein_look_colours(look, SKEIN_BY_MATERIAL, NULL, &now.f, NULL, NULL, rgb));
  now.source[0] = 0;

  expect_ok(skein_look_colours(look, SKEIN_BY_SPEED, &was.f, &now.f, &lo, &hi, rgb));
  assert_true(lo == 0 && fabs(hi - 0.2) < 1e-5);
  skein_colour_ramp(1, ramp);
  for (int c = 0; c < 3; c++) assert_true(fabs(rgb[3 * 30 + c] - ramp[c]) < 1e-4);
  skein_colour_ramp(-3, ramp);
  assert_memory_equal(rgb, ramp, sizeof ramp);
  lo = 0, hi = 10;
  expect_ok(skein_look_colours(look, SKEIN_BY_SPEED, &was.f, &now.f, &lo, &hi, rgb));
  assert_true(lo == 0 && hi == 10);

  for (int by = 0; by < SKEIN_COLOUR_COUNT; by++) {
    assert_int_equal(skein_colour_find(skein_colour_name((skein_colour)by)), by);
    assert_true(strlen(skein_colour_about((skein_colour)by)) > 5);
    expect_ok(skein_look_colours(look, (skein_colour)by, &was.f, &now.f, NULL, NULL, rgb));
    for (int k = 0; k < 99; k++) assert_true(rgb[k] >= 0 && rgb[k] <= 1);
  }
  assert_int_equal(skein_colour_find("taste"), -1);
  assert_true(skein_look_legend(look, SKEIN_BY_MATERIAL, 0, &entry) && !strcmp(entry.name, "blue"));
  assert_true(skein_look_legend(look, SKEIN_BY_MATERIAL, 1, &entry) && !strcmp(entry.name, "hair-caucasian"));
  assert_false(skein_look_legend(look, SKEIN_BY_MATERIAL, 2, &entry));
  assert_true(skein_look_legend(look, SKEIN_BY_GROUP, 0, &entry) &&
              skein_look_legend(look, SKEIN_BY_STATUS, 2, &entry));
  assert_string_equal(entry.name, "slides");
  assert_false(skein_look_legend(look, SKEIN_BY_SPEED, 0, &entry) ||
               skein_look_legend(look, SKEIN_BY_ISLAND, 0, &entry));
  assert_string_equal(skein_look_group_name(look, 0), "bodies");
  assert_int_equal(skein_look_materials(look), 2);
  assert_string_equal(skein_look_material_name(look, 0), "blue");
  skein_look_destroy(look);
}

static void test_camera_and_bounds(void **state)
{
  (void)state;
  small_frame now;
  double lo[3], hi[3];
  fill(&now, 0, 0);
  skein_look *look = look_at(three_rods);
  skein_look_camera c = skein_look_camera_of(look);
  assert_true(c.given && c.eye[0] == 1 && c.up[2] == 1 && c.fov == 20);
  assert_true(skein_look_bounds(look, &now.f, lo, hi));
  assert_true(fabs(lo[0] + 0.5) < 1e-6 && fabs(hi[0] - 1.01) < 1e-6 && fabs(lo[2] + 1.5) < 1e-6);
  assert_true(fabs(hi[2] - 0.01) < 1e-6);
  skein_look_destroy(look);
  look = look_at("{\"units\": {\"length\": \"mm\"}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}]}");
  assert_false(skein_look_camera_of(look).given);
  now.f.rods = 0;
  assert_false(skein_look_bounds(look, &now.f, lo, hi));
  skein_look_destroy(look);
}

/* A frame of a world knows where its rods come from, also after a cut, and how long its step was. */
static void test_frame_of_a_world(void **state)
{
  (void)state;
  skein_scene *scene;
  skein_world *world;
  skein_step_info info;
  skein_frame f;
  expect_ok(skein_scene_parse("{\"rods\": [{\"name\": \"a\", \"length\": 0.1}, {\"name\": \"b\", \"length\": 0.1,"
                              "\"root\": {\"position\": [1, 0, 0]}}], \"events\": [{\"time\": 0, \"cut\": \"b\"}]}",
                              "test.json", ".", NULL, 0, &scene));
  expect_ok(skein_world_create(scene, 1, &world));
  expect_ok(skein_world_frame(world, 0, &f));
  assert_true(f.dt == 0 && f.rods == 2 && f.rod_source[1] == 1);
  skein_frame_destroy(&f);
  expect_ok(skein_world_step(world, 1, &info));
  expect_ok(skein_world_frame(world, 1, &f));
  assert_true(f.dt == info.dt && f.rods == 3 && f.rod_source[0] == 0 && f.rod_source[1] == 1 && f.rod_source[2] == 1);
  skein_frame_destroy(&f);
  skein_world_destroy(world);
  skein_scene_destroy(scene);
}

/* Contacts are between two objects: a box that falls past large cells of the grid does not meet itself. */
static void test_contacts_are_of_two(void **state)
{
  (void)state;
  static const char text[] =
      "{\"units\": {\"length\": \"cm\"}, \"time\": {\"dt\": 0.002}, \"materials\": {"
      "\"cord\": {\"preset\": \"rope\", \"radius\": 0.2, \"E\": 2e6}, \"thin\": {\"preset\": \"rope\", \"radius\": "
      "0.1, "
      "\"E\": 2e6}}, \"rods\": [{\"model\": \"der\", \"elements\": 10, \"material\": \"cord\", \"length\": 20, "
      "\"root\": {\"position\": [0, 0, 25]}}, {\"model\": \"der\", \"elements\": 10, \"material\": \"thin\", "
      "\"length\": 20, \"root\": {\"position\": [2, 0, 25]}}], \"bodies\": [{\"shape\": {\"type\": \"plane\"}}, "
      "{\"shape\": {\"type\": \"box\", \"size\": [4, 4, 4]}, \"position\": [8, 0, 6], \"density\": 500}, {\"shape\": "
      "{\"type\": \"capsule\", \"radius\": 1, \"length\": 4}, \"position\": [-8, 0, 6], \"density\": 500}]}";
  skein_scene *scene;
  skein_world *world;
  skein_step_info info;
  skein_frame f;
  expect_ok(skein_scene_parse(text, "test.json", ".", NULL, 0, &scene));
  expect_ok(skein_world_create(scene, 1, &world));
  while (skein_world_time(world) < 0.1) {
    expect_ok(skein_world_step(world, 0.1, &info));
    expect_ok(skein_world_frame(world, 1, &f));
    for (int c = 0; c < f.contacts; c++) assert_int_not_equal(f.contact_object[2 * c], f.contact_object[2 * c + 1]);
    skein_frame_destroy(&f);
  }
  skein_world_destroy(world);
  skein_scene_destroy(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),           cmocka_unit_test(test_tubes),
      cmocka_unit_test(test_values),           cmocka_unit_test(test_speed_across_a_cut),
      cmocka_unit_test(test_colours),          cmocka_unit_test(test_camera_and_bounds),
      cmocka_unit_test(test_frame_of_a_world), cmocka_unit_test(test_contacts_are_of_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
