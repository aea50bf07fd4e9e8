/* Hairs: as many as were asked for, the same bits for the same seed and any number of threads; roots on the skin within
 * the guides' area; with their guides, wherever these go; never inside a body; nothing breaks with one guide, with
 * guides in one place or without length; memory that is out at any call is an error and nothing else. */
#include "memory_support.h"
#include "support.h"

#include "math/vec3.h"

enum { ACROSS = 6, GUIDES = ACROSS * ACROSS };
static const double spacing = 0.01, radius = 0.002, length = 0.1; /* m */

/* 36 hairs on a floor that may move, a ball beside them, and a rope that nothing holds. */
static const char skin[] =
    "{\"materials\": {\"m\": {\"preset\": \"hair-caucasian\", \"collision_radius\": 0.002, \"colour\": \"#ff8000\"},"
    "\"r\": {\"preset\": \"rope\"}},"
    "\"rods\": [{\"length\": 0.1, \"elements\": 4, \"material\": \"m\", \"group\": \"hair\", \"root\": {\"position\": "
    "[0, 0, "
    "0], \"direction\": [0, 0, 1], \"body\": \"floor\"}, \"grid\": {\"count\": [6, 6, 1], \"spacing\": 0.01}},"
    "{\"length\": 0.3, \"material\": \"r\", \"group\": \"rope\", \"root\": {\"type\": \"free\", \"position\": [0, 0.5, "
    "0.1], "
    "\"direction\": [1, 0, 0]}}],"
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.4, 0.04]}, \"position\": [0, "
    "0, "
    "-0.02], \"group\": \"floor\"},"
    "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.02}, \"position\": [0.1, 0, 0.1], \"group\": "
    "\"ball\"}],"
    "\"output\": {\"points\": 4}, \"events\": [{\"time\": 0.01, \"cut\": \"rod0\", \"at\": 0.5}]}";

typedef struct stage {
  skein_scene *scene;
  skein_frame frame;
} stage;

static stage open_stage(const char *text)
{
  stage s;
  skein_world *world;
  expect_ok(skein_scene_parse(text, "test.json", ".", NULL, 0, &s.scene));
  expect_ok(skein_world_create(s.scene, 1, &world));
  expect_ok(skein_world_frame(world, 0, &s.frame));
  skein_world_destroy(world);
  return s;
}

static void close_stage(stage *s)
{
  skein_frame_destroy(&s->frame);
  skein_scene_destroy(s->scene);
}

static skein_hairs_def plain(int hairs)
{
  skein_hairs_def def = skein_default_hairs_def();
  def.hairs = hairs, def.threads = 1;
  return def;
}

static skein_hairs *make(const stage *s, const skein_hairs_def *def)
{
  skein_hairs *h;
  expect_ok(skein_hairs_create(s->scene, &s->frame, def, &h));
  return h;
}

/* The hairs of the frame as it is now; def by its value, so that a test can say it in the call. */
static skein_frame hairs_of(const stage *s, const skein_hairs *h)
{
  skein_frame f;
  expect_ok(skein_hairs_frame(h, &s->frame, &f));
  for (int k = 0; k < 3 * f.points; k++)
    if (!isfinite(f.point[k])) fail_msg("point %d is not finite", k / 3);
  assert_int_equal(f.point_start[f.rods], f.points);
  return f;
}

static skein_frame grown(const stage *s, skein_hairs_def def)
{
  skein_hairs *h = make(s, &def);
  skein_frame f = hairs_of(s, h);
  skein_hairs_destroy(h);
  return f;
}

static sk_vec3 point_of(const skein_frame *f, int k)
{
  return sk_vec(f->point[3 * k], f->point[3 * k + 1], f->point[3 * k + 2]);
}

/* From a point to the nearest polyline of the first `rods` rods of a frame. */
static double to_rods(const skein_frame *f, int rods, sk_vec3 x)
{
  double least = INFINITY;
  for (int i = 0; i < rods; i++)
    for (int k = f->point_start[i]; k + 1 < f->point_start[i + 1]; k++) {
      sk_vec3 a = point_of(f, k), d = sk_sub(point_of(f, k + 1), a), e = sk_sub(x, a);
      double t = sk_dot(d, d) > 0 ? fmin(fmax(sk_dot(d, e) / sk_dot(d, d), 0), 1) : 0;
      least = fmin(least, sk_norm(sk_sub(e, sk_mul(t, d))));
    }
  return least;
}

/* ---- What is in the frame ---- */

static void test_frame(void **state)
{
  (void)state;
  stage s = open_stage(skin);
  skein_hairs_def def = plain(777);
  skein_hairs *h = make(&s, &def);
  skein_frame f = hairs_of(&s, h);
  int points = skein_hairs_points(h);
  assert_int_equal(skein_hairs_guides(h), GUIDES);
  assert_int_equal(f.rods, 778);
  assert_int_equal(f.bodies, 2);
  for (int i = 0; i < 777; i++) {
    assert_int_equal(f.point_start[i + 1] - f.point_start[i], points);
    assert_int_equal(f.rod_group[i], s.frame.rod_group[0]);
    assert_true(f.rod_source[i] == skein_hairs_guide_of(h, i) && f.rod_source[i] < GUIDES);
    assert_true(f.radius[i] > 0 && f.radius[i] < 0.001f);
  }
  int rope = s.frame.point_start[GUIDES], count = s.frame.points - rope; /* as it was */
  assert_int_equal(f.point_start[778] - f.point_start[777], count);
  assert_memory_equal(f.point + 3 * f.point_start[777], s.frame.point + 3 * rope, 3 * sizeof(float) * (size_t)count);
  assert_true(f.radius[777] == s.frame.radius[GUIDES] && f.rod_source[777] == GUIDES);
  assert_int_equal(skein_hairs_guide_of(h, 777), -1);
  skein_frame_destroy(&f);
  skein_hairs_destroy(h);
  skein_hairs_destroy(NULL);
  def.width = 1e-4, def.points = 7;
  f = grown(&s, def);
  assert_true(f.radius[0] == 5e-5f && f.point_start[1] == 7);
  skein_frame_destroy(&f);
  close_stage(&s);
}

static void test_roots(void **state)
{
  (void)state;
  stage s = open_stage(skin);
  skein_frame f = grown(&s, plain(5000));
  double half = 0.5 * (ACROSS - 1) * spacing, edge = half + 0.5 * spacing;
  int quarter[4] = {0};
  for (int i = 0; i < 5000; i++) {
    sk_vec3 x = point_of(&f, f.point_start[i]);
    expect_at_most(fabs(x.z), 2e-4, "height of a root");
    expect_at_most(fmax(fabs(x.x), fabs(x.y)), edge, "place of a root");
    quarter[(x.x > 0) + 2 * (x.y > 0)]++;
  }
  for (int k = 0; k < 4; k++) expect_at_most(abs(quarter[k] - 1250), 150, "roots of a quarter against the mean");
  skein_frame_destroy(&f);
  close_stage(&s);
}

static void test_bits(void **state)
{
  (void)state;
  stage s = open_stage(skin);
  skein_hairs_def def = plain(1500);
  skein_frame a = grown(&s, def);
  for (int threads = 2; threads < 6; threads++) {
    def.threads = threads;
    skein_frame b = grown(&s, def);
    assert_memory_equal(a.point, b.point, 3 * sizeof(float) * (size_t)a.points);
    skein_frame_destroy(&b);
  }
  def.hairs = 3000, def.threads = 0;
  skein_frame more = grown(&s, def);
  assert_memory_equal(a.point, more.point, 3 * sizeof(float) * (size_t)a.point_start[1500]);
  def.hairs = 1500, def.seed = 2;
  skein_frame other = grown(&s, def);
  assert_memory_not_equal(a.point, other.point, 3 * sizeof(float) * (size_t)a.points);
  skein_frame_destroy(&a), skein_frame_destroy(&more), skein_frame_destroy(&other);
  close_stage(&s);
}

/* ---- With the guides ---- */

/* All of the clump: tips are within the wisp of their guide. Without: no farther than guides are from each other. */
static void test_near_guides(void **state)
{
  (void)state;
  stage s = open_stage(skin);
  for (int clumps = 0; clumps < 2; clumps++) {
    skein_hairs_def def = plain(1000);
    def.clump = clumps, def.frizz = 0, def.vary = 0;
    skein_frame f = grown(&s, def);
    for (int i = 0; i < 1000; i++)
      for (int k = f.point_start[i]; k < f.point_start[i + 1]; k++) {
        bool tip = k + 3 > f.point_start[i + 1];
        double most = clumps && tip ? 1.05 * radius : 0.9 * spacing;
        expect_at_most(to_rods(&s.frame, GUIDES, point_of(&f, k)), most, "distance to the nearest guide");
      }
    skein_frame_destroy(&f);
  }
  close_stage(&s);
}

/* Guides of x > 0 bend away by d at the tip. */
static void split(stage *s, const skein_frame *rest, double d)
{
  for (int i = 0; i < GUIDES; i++)
    for (int k = rest->point_start[i]; k < rest->point_start[i + 1]; k++) {
      double z = rest->point[3 * k + 2] / length, side = rest->point[3 * rest->point_start[i]] > 0 ? 1 : 0;
      s->frame.point[3 * k] = (float)(rest->point[3 * k] + side * d * z * z);
    }
}

static void test_split(void **state)
{
  (void)state;
  stage s = open_stage(skin), rest = open_stage(skin);
  skein_hairs_def def = plain(1000);
  def.frizz = 0, def.clump = 0;
  skein_hairs *h = make(&s, &def);
  skein_frame last = hairs_of(&s, h);
  double step = 0.0005;
  for (int n = 1; n <= 120; n++) { /* no jump on the way */
    split(&s, &rest.frame, n * step);
    skein_frame f = hairs_of(&s, h);
    for (int k = 0; k < f.point_start[1000]; k++)
      expect_at_most(sk_norm(sk_sub(point_of(&f, k), point_of(&last, k))), 6 * step, "way of a point");
    skein_frame_destroy(&last);
    last = f;
  }
  for (int i = 0; i < 1000; i++) /* 60 mm of nothing are between the two wisps now */
    expect_at_most(to_rods(&s.frame, GUIDES, point_of(&last, last.point_start[i + 1] - 1)), spacing,
                   "distance of a tip to the nearest guide");
  skein_frame_destroy(&last);
  skein_hairs_destroy(h);
  close_stage(&s), close_stage(&rest);
}

/* Everything turned and moved: so are the hairs. */
static void test_rigid(void **state)
{
  (void)state;
  stage s = open_stage(skin);
  skein_hairs_def def = plain(300);
  skein_hairs *h = make(&s, &def);
  skein_frame before = hairs_of(&s, h);
  sk_quat q = sk_quat_rotation(sk_vec(0.5, -1.1, 0.7));
  sk_mat3 turn = sk_quat_frame(q);
  sk_vec3 move = {0.3, -0.2, 0.1};
  for (int k = 0; k < s.frame.points; k++) {
    sk_vec3 x = sk_add(move, sk_apply(turn, point_of(&s.frame, k)));
    s.frame.point[3 * k] = (float)x.x, s.frame.point[3 * k + 1] = (float)x.y, s.frame.point[3 * k + 2] = (float)x.z;
  }
  for (int b = 0; b < s.frame.bodies; b++) {
    double *p = s.frame.body_pose + 7 * b;
    sk_quat now = sk_quat_mul(q, (sk_quat){p[3], sk_load3(p + 4)});
    sk_store3(p, sk_add(move, sk_apply(turn, sk_load3(p))));
    p[3] = now.w, sk_store3(p + 4, now.v);
  }
  skein_frame after = hairs_of(&s, h);
  for (int k = 0; k < after.point_start[300]; k++)
    expect_at_most(sk_norm(sk_sub(point_of(&after, k), sk_add(move, sk_apply(turn, point_of(&before, k))))), 2e-6,
                   "a hair that was turned");
  skein_frame_destroy(&before), skein_frame_destroy(&after);
  skein_hairs_destroy(h);
  close_stage(&s);
}

/* The ball comes to where the hairs are: none is left inside. */
static void test_bodies(void **state)
{
  (void)state;
  stage s = open_stage(skin);
  skein_hairs_def def = plain(1000);
  skein_hairs *h = make(&s, &def);
  double *place = s.frame.body_pose + 7;
  place[0] = 0.005, place[1] = 0.004, place[2] = 0.06;
  skein_frame f = hairs_of(&s, h);
  for (int k = 0; k < f.point_start[1000]; k++)
    expect_at_most(0.02 - sk_norm(sk_sub(point_of(&f, k), sk_load3(place))), 1e-4, "depth in the ball");
  skein_frame_destroy(&f);
  skein_hairs_destroy(h);
  close_stage(&s);
}

/* A guide that was cut: its hairs end there, and what fell off stays a rod. */
static void test_cut(void **state)
{
  (void)state;
  stage s = open_stage(skin);
  skein_world *world;
  skein_step_info info;
  skein_hairs_def def = plain(2000);
  skein_hairs *h = make(&s, &def);
  skein_frame cut, f;
  expect_ok(skein_world_create(s.scene, 1, &world));
  while (skein_world_time(world) < 0.012) expect_ok(skein_world_step(world, 0.012, &info));
  expect_ok(skein_world_frame(world, 1, &cut));
  if (cut.rods != 2 * GUIDES + 1) fail_msg("%d rods after the cut", cut.rods);
  expect_ok(skein_hairs_frame(h, &cut, &f));
  assert_int_equal(f.rods, 2000 + GUIDES + 1);
  for (int i = 0; i < 2000; i++) {
    double long_ = 0;
    for (int k = f.point_start[i]; k + 1 < f.point_start[i + 1]; k++)
      long_ += sk_norm(sk_sub(point_of(&f, k + 1), point_of(&f, k)));
    expect_at_most(long_, 0.06, "length of a hair whose guide was cut");
  }
  skein_frame_destroy(&cut), skein_frame_destroy(&f);
  skein_world_destroy(world);
  skein_hairs_destroy(h);
  close_stage(&s);
}

/* ---- Values ---- */

static void test_values(void **state)
{
  (void)state;
  stage s = open_stage(skin), before = open_stage(skin);
  skein_hairs_def def = plain(500);
  skein_hairs *h = make(&s, &def);
  skein_look *look;
  expect_ok(skein_look_create(s.scene, &look));
  split(&s, &before.frame, 0.03);
  s.frame.index = 1, s.frame.time = 0.1;
  skein_frame f = hairs_of(&s, h);
  float *value = malloc(sizeof *value * (size_t)f.points), *guide = malloc(sizeof *guide * (size_t)s.frame.points);
  for (int by = 0; by < SKEIN_COLOUR_COUNT; by++) {
    expect_ok(skein_look_values(look, (skein_colour)by, &before.frame, &s.frame, guide));
    expect_ok(skein_hairs_values(h, look, (skein_colour)by, &before.frame, &s.frame, value));
    for (int i = 0; i < f.rods; i++) {
      int g = f.rod_source[i];
      double most = 0, hair = 0;
      for (int k = s.frame.point_start[g]; k < s.frame.point_start[g + 1]; k++) most = fmax(most, guide[k]);
      for (int k = f.point_start[i]; k < f.point_start[i + 1]; k++) hair = fmax(hair, value[k]);
      assert_true(hair <= most * (1 + 1e-6) + 1e-12 && hair >= 0.5 * most - 1e-12);
    }
  }
  free(value), free(guide);
  skein_frame_destroy(&f);
  skein_look_destroy(look), skein_hairs_destroy(h);
  close_stage(&s), close_stage(&before);
}

/* Contacts of a guide become those of its first hair, all others keep their objects. */
static void test_contacts(void **state)
{
  (void)state;
  stage s = open_stage(skin);
  skein_frame *g = &s.frame;
  int pair[3][2] = {{3, 7}, {GUIDES, GUIDES + 2}, {5, GUIDES + 1}};
  skein_hairs_def def = plain(2000);
  skein_hairs *h = make(&s, &def);
  free(g->contact_object), free(g->contact_s), free(g->contact_point), free(g->contact_normal);
  free(g->contact_impulse), free(g->contact_gap), free(g->contact_status);
  g->contacts = 3, g->contact_object = calloc(6, sizeof(int)), g->contact_s = calloc(6, sizeof(double));
  g->contact_point = calloc(9, sizeof(double)), g->contact_normal = calloc(9, sizeof(double));
  g->contact_impulse = calloc(9, sizeof(double)), g->contact_gap = calloc(3, sizeof(double));
  g->contact_status = calloc(3, 1);
  memcpy(g->contact_object, pair, sizeof pair);
  for (int k = 0; k < 9; k++) g->contact_point[k] = k;
  skein_frame f = hairs_of(&s, h);
  assert_int_equal(f.contacts, 3);
  assert_int_equal(f.rod_source[f.contact_object[0]], 3);
  assert_int_equal(f.rod_source[f.contact_object[1]], 7);
  assert_int_equal(f.contact_object[2], 2000);       /* the rope */
  assert_int_equal(f.contact_object[3], f.rods + 1); /* the ball */
  assert_int_equal(f.contact_object[5], f.rods);     /* the floor */
  assert_true(f.contact_point[8] == 8);
  skein_frame_destroy(&f);
  skein_hairs_destroy(h);
  close_stage(&s);
}

/* ---- Odd inputs ---- */

static void test_few(void **state)
{
  (void)state;
  for (int guides = 1; guides < 4; guides++)
    for (int squeeze = 0; squeeze < 3; squeeze++) { /* as they are; in one place; without length */
      char text[512];
      snprintf(text, sizeof text,
               "{\"rods\": [{\"length\": 0.1, \"group\": \"a\", \"root\": {\"position\": [0, 0, 0]}, \"grid\": "
               "{\"count\": [%d, 1, 1], \"spacing\": 0.01}}]}",
               guides);
      stage s = open_stage(text);
      for (int i = 0; squeeze && i < s.frame.rods; i++)
        for (int k = s.frame.point_start[i]; k < s.frame.point_start[i + 1]; k++)
          for (int c = 0; c < 3; c++)
            s.frame.point[3 * k + c] = squeeze == 2 ? 0 : s.frame.point[3 * (k - s.frame.point_start[i]) + c];
      skein_hairs_def def = plain(50);
      def.groups = "a";
      skein_frame f = grown(&s, def);
      assert_int_equal(f.rods, 50);
      for (int k = 0; k < f.points; k++)
        expect_at_most(to_rods(&s.frame, s.frame.rods, point_of(&f, k)), 0.011, "distance to the nearest guide");
      skein_frame_destroy(&f);
      close_stage(&s);
    }
}

static void test_bad(void **state)
{
  (void)state;
  stage s = open_stage(skin);
  skein_hairs *h = (skein_hairs *)&s;
  static const struct {
    skein_hairs_def def;
    const char *part;
  } bad[] = {{{.hairs = 0}, "hairs is 0, expected 1 to 1000000"},
             {{.hairs = 1000001}, "hairs is 1000001"},
             {{.hairs = 1, .clump = NAN}, "clump is nan, expected 0 to 1"},
             {{.hairs = 1, .frizz = -1}, "frizz is -1, expected 0 to 10"},
             {{.hairs = 1, .width = INFINITY}, "width of hairs is inf m"},
             {{.hairs = 1, .vary = 1}, "vary is 1, expected 0 to 0.9"},
             {{.hairs = 1, .points = 1}, "points of a hair is 1, expected 0 or 2 to 256"},
             {{.hairs = 1, .threads = -1}, "threads is -1"},
             {{.hairs = 1, .groups = "hair,wig"}, "the scene has no group 'wig' for hairs"},
             {{.hairs = 1, .groups = "ball"}, "group 'ball' has no rods for hairs"},
             {{.hairs = 1, .groups = ""}, "the scene has no group ''"}};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    expect_bad(skein_hairs_create(s.scene, &s.frame, &bad[k].def, &h), bad[k].part);
    assert_null(h);
  }
  skein_hairs_def def = plain(10);
  def.groups = "rope,hair"; /* the rope too, now that it is named */
  h = make(&s, &def);
  assert_int_equal(skein_hairs_guides(h), GUIDES + 1);
  skein_frame none = {.index = 4}, f;
  expect_bad(skein_hairs_frame(h, &none, &f), "frame 4: rod 0 of the scene is a guide of hairs and is not there");
  skein_hairs_destroy(h);
  close_stage(&s);
  s = open_stage("{\"rods\": [{\"length\": 0.1, \"root\": {\"type\": \"free\"}}]}");
  def = plain(10);
  expect_bad(skein_hairs_create(s.scene, &s.frame, &def, &h), "no rods for hairs to follow: expected a group");
  close_stage(&s);
}

static void test_no_memory(void **state)
{
  (void)state;
  stage s = open_stage(skin);
  skein_look *look;
  skein_hairs_def def = plain(20);
  float value[20 * 64 + 200];
  bool done = false;
  expect_ok(skein_look_create(s.scene, &look));
  for (int k = 0; !done; k++) {
    skein_hairs *h = NULL;
    skein_frame f = {0};
    atomic_store(&calls_left, k);
    skein_status status = skein_hairs_create(s.scene, &s.frame, &def, &h);
    if (status.code == SKEIN_OK) status = skein_hairs_frame(h, &s.frame, &f);
    if (status.code == SKEIN_OK) status = skein_hairs_values(h, look, SKEIN_BY_FORCE, NULL, &s.frame, value);
    done = atomic_load(&calls_left) > 0;
    atomic_store(&calls_left, -1);
    if (!done && status.code != SKEIN_OK) assert_int_equal(status.code, SKEIN_NO_MEMORY);
    if (done) expect_ok(status);
    skein_frame_destroy(&f);
    skein_hairs_destroy(h);
  }
  skein_look_destroy(look);
  close_stage(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frame),       cmocka_unit_test(test_roots), cmocka_unit_test(test_bits),
      cmocka_unit_test(test_near_guides), cmocka_unit_test(test_split), cmocka_unit_test(test_rigid),
      cmocka_unit_test(test_bodies),      cmocka_unit_test(test_cut),   cmocka_unit_test(test_values),
      cmocka_unit_test(test_contacts),    cmocka_unit_test(test_few),   cmocka_unit_test(test_bad),
      cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
