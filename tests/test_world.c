/* The world as a whole: nothing passes through anything, the same bits for any number of threads and across a saved
 * state, no units, no energy from nowhere, and sane answers to scenes with nothing in them. */
#include "world_support.h"

#include <float.h>

/* ---- No pass-through ---- */

typedef struct toss {
  sk_mat3 axes; /* rods lie across the third axis; the first rod is on its positive side */
  double speed;
  const char *model;
} toss;

static void say_thrown(text *t, const char *model, int elements, sk_vec3 root, sk_vec3 along, sk_vec3 velocity)
{
  say(t, "{\"model\": \"%s\", \"elements\": %d, \"material\": \"stuff\", \"length\": 0.2, ", model, elements);
  say(t, "\"root\": {\"type\": \"free\", "), say_vector(t, "position", root), say(t, ", ");
  say_vector(t, "direction", along), say(t, "}, "), say_vector(t, "velocity", velocity), say(t, "}");
}

/* Two straight rods whose crossing point is near the middle of both, at the speed of the throw and a little aside. */
static play throw_pair(sk_random *g, const toss *how)
{
  double angle = sk_random_uniform(g, 0.35, SK_PI - 0.35), start = sk_random_uniform(g, 0.004, 0.02);
  double stiff = pow(10, sk_random_uniform(g, 6, 9.5)), damping = sk_random_uniform(g, 0, 1e-3);
  sk_vec3 along[2] = {{1, 0, 0}, {cos(angle), sin(angle), 0}};
  text t = {0};
  say(&t, "{\"gravity\": [0, 0, 0], \"friction\": %.17g, ", sk_random_uniform(g, 0, 1));
  say(&t, "\"materials\": {\"stuff\": {\"E\": %.17g, \"density\": 1200, \"radius\": 0.001, \"damping\": %.17g}}, ",
      stiff, damping);
  say(&t, "\"rods\": [");
  for (int k = 0; k < 2; k++) {
    double sign = k == 0 ? 1 : -1, aside = 0.2 * how->speed;
    sk_vec3 root = sk_mul(-0.1 + sk_random_uniform(g, -0.04, 0.04), along[k]);
    sk_vec3 move = {sk_random_uniform(g, -aside, aside), sk_random_uniform(g, -aside, aside), -0.5 * sign * how->speed};
    root.z += sign * start;
    say_thrown(&t, how->model, strcmp(how->model, "der") ? 6 : 16, sk_apply(how->axes, root),
               sk_apply(how->axes, along[k]), sk_apply(how->axes, move));
    say(&t, k == 0 ? ", " : "]}");
  }
  return play_text(&t, 1);
}

enum { SAMPLES = 48 };

static void sample(const play *p, int rod, const sk_mat3 *axes, sk_vec3 *out)
{
  double length = skein_rod_definition(skein_world_rod(p->world, rod)).length;
  for (int k = 0; k <= SAMPLES; k++) out[k] = sk_apply_t(*axes, place(p, rod, length * k / SAMPLES));
}

/* Seen along the third axis the curves cross in places; the least height of the first over the second in them. */
static double least_height(const sk_vec3 *a, const sk_vec3 *b, int *crossings)
{
  double least = INFINITY;
  *crossings = 0;
  for (int i = 0; i < SAMPLES; i++)
    for (int k = 0; k < SAMPLES; k++) {
      sk_vec3 u = sk_sub(a[i + 1], a[i]), v = sk_sub(b[k + 1], b[k]), d = sk_sub(b[k], a[i]);
      double det = u.y * v.x - u.x * v.y, x = d.y * v.x - d.x * v.y, y = u.x * d.y - u.y * d.x;
      if (det < 0) det = -det, x = -x, y = -y;
      if (!(det > 0) || x < 0 || x > det || y < 0 || y > det) continue;
      *crossings += 1;
      least = fmin(least, a[i].z + x / det * u.z - b[k].z - y / det * v.z);
    }
  return least;
}

static sk_mat3 random_axes(sk_random *g)
{
  double x = sk_random_normal(g), y = sk_random_normal(g), z = sk_random_normal(g);
  return sk_rotation(sk_mul(2, sk_vec(x, y, z)));
}

/* Until the rods would have passed beyond each other, or are no longer simply crossed: a floppy rod that is hit at 20
 * m/s folds over the other, and what is seen along one axis tells no more. */
static void no_pair_passes(void **state)
{
  (void)state;
  sk_random g = sk_random_make(3);
  int pairs = SLOW_BUILD ? 16 : 100, met = 0;
  for (int i = 0; i < pairs; i++) {
    toss how = {.axes = random_axes(&g), .speed = 0.1 * pow(200, sk_random_uniform(&g, 0, 1))};
    how.model = i % 2 ? "der" : "super-helix";
    play p = throw_pair(&g, &how);
    sk_vec3 a[SAMPLES + 1], b[SAMPLES + 1];
    int crossings = 1, contacts = 0;
    char what[100];
    snprintf(what, sizeof what, "pair %d, %s at %.3g m/s", i, how.model, how.speed);
    for (double end = 0.08 / how.speed; skein_world_time(p.world) < end && crossings == 1;) {
      play_step(&p, end);
      sample(&p, 0, &how.axes, a), sample(&p, 1, &how.axes, b);
      double height = least_height(a, b, &crossings);
      contacts += p.info.stick + p.info.slide;
      if (height < 0 && crossings == 1)
        fail_msg("%s: on the wrong side by %g radii at t = %g s, dt = %g s", what, -height / 1e-3, p.info.time,
                 p.info.dt);
    }
    expect_at_most(p.penetration, 0.1, what);
    assert_int_equal(p.unfinished, 0);
    met += contacts > 0;
    play_close(&p);
  }
  assert_true(met > 9 * pairs / 10);
}

/* Rods that fly together, one above the other and never parallel, onto a floor: the lowest one is stopped, and those
 * above it must be in the same step. Their relative speed before it says nothing. */
static void no_stack_passes(void **state)
{
  (void)state;
  static const double speeds[] = {0.5, 2, 10};
  enum { RODS = 6 };
  for (int n = 0; n < 6; n++) {
    text t = {0};
    say(&t, "{\"friction\": 0.3, \"materials\": {\"stuff\": {\"E\": 3e9, \"density\": 1200, \"radius\": 0.0005, "
            "\"damping\": 1e-4}}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}], \"rods\": [");
    for (int i = 0; i < RODS; i++) {
      sk_vec3 along = {cos(0.5 * i), sin(0.5 * i), 0}, root = sk_mul(-0.1, along);
      root.z = 0.004 + i * 0.0013;
      say_thrown(&t, n % 2 ? "der" : "super-helix", 6, root, along, sk_vec(0, 0, -speeds[n / 2]));
      say(&t, i + 1 < RODS ? ", " : "]}");
    }
    play p = play_text(&t, 1);
    play_until(&p, 0.02 / speeds[n / 2]);
    char what[100];
    snprintf(what, sizeof what, "stack of %s at %g m/s", n % 2 ? "der" : "super-helix", speeds[n / 2]);
    for (int i = 0; i < RODS; i++) {
      sk_vec3 r = place(&p, i, 0.1), below = i > 0 ? place(&p, i - 1, 0.1) : sk_vec(r.x, r.y, -0.5e-3);
      if (!(r.z > below.z)) fail_msg("%s: rod %d is at %g m, what was below at %g m", what, i, r.z, below.z);
    }
    expect_at_most(p.penetration, 0.1, what);
    play_close(&p);
  }
}

/* A loose trefoil of a thin rod, drawn together by its ends: where it slides over itself, by fifty radii in a step if
 * it could, it does not go through itself. One lobe of the closed curve is replaced by straight tails. */
static void no_knot_opens_by_itself(void **unused)
{
  (void)unused;
  enum { POINTS = 120, TAIL = 24 };
  const double h = 0.0016, cut = 0.62, scale = 0.28;
  text t = {0};
  say(&t, "{\"gravity\": [0, 0, 0], \"friction\": 0.008, \"time\": {\"dt\": 0.1, \"duration\": 100}, ");
  say(&t, "\"materials\": {\"m\": {\"E\": %.17g, \"density\": %.17g, \"radius\": %g, ", 4 / (SK_PI * pow(h, 4)),
      1 / (SK_PI * h * h), h);
  say(&t, "\"damping\": 0.05, \"drag\": 0.5}}, \"forces\": [");
  say(&t, "{\"rods\": \"r\", \"at\": \"root\", \"force\": [0.25, 0, 0], \"from\": 0, \"ramp\": 5}, ");
  say(&t, "{\"rods\": \"r\", \"at\": \"tip\", \"force\": [-0.25, 0, 0], \"from\": 0, \"ramp\": 5}], ");
  say(&t, "\"rods\": [{\"name\": \"r\", \"elements\": 80, \"material\": \"m\", \"natural\": \"straight\", ");
  say(&t, "\"root\": {\"type\": \"free\"}, \"points\": [");
  for (int k = -TAIL; k <= POINTS + TAIL; k++) {
    int on = SK_MAX(0, SK_MIN(POINTS, k));
    double a = SK_PI + cut + (2 * SK_PI - 2 * cut) * on / POINTS, beyond = 2.5 * (k - on) / TAIL;
    sk_vec3 p = {sin(a) + 2 * sin(2 * a), cos(a) - 2 * cos(2 * a), -sin(3 * a)};
    sk_vec3 d = sk_unit(sk_vec(cos(a) + 4 * cos(2 * a), 4 * sin(2 * a) - sin(a), -3 * cos(3 * a)));
    p = sk_axpy(sk_mul(scale, p), beyond, d);
    say(&t, "%s[%.9g, %.9g, %.9g]", k > -TAIL ? ", " : "", p.x, p.y, p.z);
  }
  say(&t, "]}]}");
  play p = play_text(&t, 1);
  double deepest = 0;
  skein_step_info info = {0};
  while (info.time < 8) {
    expect_ok(skein_world_step(p.world, 8, &info));
    deepest = fmax(deepest, info.penetration);
  }
  expect_at_most(deepest, 0.1, "a knot in itself, radii");
  assert_true(info.contacts > 10);
  play_close(&p);
}

/* ---- The same bits ---- */

/* Thirty rods of three models that fall on a floor and on each other, and a box that falls on them. */
static void say_heap(text *t)
{
  sk_random g = sk_random_make(11);
  static const char *const models[] = {"super-helix", "der", "mass-spring"};
  say(t, "{\"solver\": {\"tol\": 1e-4, \"tol_rest\": 1e-5}, \"friction\": 0.4, \"materials\": {\"stuff\": {\"E\": 2e7, "
         "\"density\": 1100, "
         "\"radius\": 0.001, \"damping\": 1e-3}}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}, {\"shape\": "
         "{\"type\": \"box\", \"size\": [0.03, 0.03, 0.01]}, \"position\": [0, 0, 0.1], \"density\": 500, "
         "\"velocity\": [0, 0, -1], \"spin\": [100, 200, 300]}], \"rods\": [");
  for (int i = 0; i < 30; i++) {
    double angle = sk_random_uniform(&g, 0, 6.28), tilt = sk_random_uniform(&g, -0.05, 0.05);
    sk_vec3 along = {cos(angle), sin(angle), tilt};
    sk_vec3 root = sk_axpy(sk_vec(0, 0, 0.012 + 0.0026 * i), -0.1, along);
    say_thrown(t, models[i % 3], i % 3 ? 10 : 6, root, along, sk_vec(0, 0, -0.5));
    say(t, i < 29 ? ", " : "]}");
  }
}

static void same_bits_for_any_threads(void **state)
{
  (void)state;
  static const int threads[] = {1, 2, 3, 8};
  uint64_t hash = 0;
  int steps = SLOW_BUILD ? 25 : 120;
  text t = {0};
  say_heap(&t);
  for (int k = 0; k < 4; k++) {
    play p = play_open(t.at, threads[k]);
    for (int i = 0; i < steps; i++) play_step(&p, 10);
    assert_true(p.contacts > 30);
    if (k == 0) hash = hash_of(&p);
    assert_true(hash == hash_of(&p));
    play_close(&p);
  }
  free(t.at);
}

/* Stops after each of some steps, goes on in a new world: with other threads, too. */
static void same_bits_across_a_saved_state(void **state)
{
  (void)state;
  int steps = SLOW_BUILD ? 25 : 100;
  text t = {0};
  say_heap(&t);
  play whole = play_open(t.at, 1), p = play_open(t.at, 1);
  for (int i = 0; i < steps; i++) {
    play_step(&whole, 10), play_step(&p, 10);
    if (i % 7) continue;
    void *bytes;
    size_t size;
    skein_world *next;
    expect_ok(skein_world_save(p.world, &bytes, &size));
    expect_ok(skein_world_create(p.scene, 1 + i % 3, &next));
    expect_ok(skein_world_load(next, bytes, size));
    skein_world_destroy(p.world);
    p.world = next;
    assert_true(hash_of(&p) == hash_of(&whole));
    free(bytes);
  }
  assert_true(hash_of(&p) == hash_of(&whole));
  play_close(&p), play_close(&whole);
  free(t.at);
}

/* The state also knows what events have made of the rods, and where moving ends are. */
static void same_bits_after_events(void **state)
{
  (void)state;
  static const char scene[] =
      "{\"rods\": [{\"name\": \"a\", \"length\": 0.1, \"natural\": {\"curvature\": 30}, \"root\": {\"direction\": [1, "
      "0, 0], "
      "\"motion\": {\"waves\": [{\"axis\": [0, 0, 1], \"amplitude\": 0.01, \"frequency\": 5}]}}}, "
      "{\"name\": \"b\", \"model\": \"der\", \"length\": 0.1, \"root\": {\"position\": [0, 0.01, 0], \"direction\": "
      "[1, 0, 0]}}, "
      "{\"name\": \"c\", \"model\": \"corde\", \"length\": 0.1, \"root\": {\"position\": [0, 0.02, 0], \"direction\": "
      "[1, 0, 0]}}], "
      "\"events\": [{\"time\": 0.01, \"cut\": \"a\"}, {\"time\": 0.01, \"cut\": \"b\", \"at\": 0.3}, "
      "{\"time\": 0.015, \"release\": \"root\", \"rods\": \"c\"}, {\"time\": 0.02, \"gravity\": [1, 2, -3]}, "
      "{\"time\": 0.03, \"release\": \"root\", \"rods\": \"a\"}]}";
  for (double stop = 0.005; stop < 0.05; stop += 0.01) {
    play whole = play_open(scene, 1), p = play_open(scene, 1);
    play_until(&whole, stop), play_until(&whole, 0.05); /* where a step must end, steps before it are chosen to fit */
    skein_world *next;
    void *bytes;
    size_t size;
    play_until(&p, stop);
    expect_ok(skein_world_save(p.world, &bytes, &size));
    expect_ok(skein_world_create(p.scene, 2, &next));
    expect_ok(skein_world_load(next, bytes, size));
    for (size_t cut = 0; cut < size; cut += 1 + size / 50) /* a state that is cut off changes nothing */
      expect_bad(skein_world_load(next, bytes, cut), "state");
    skein_world_destroy(p.world), free(bytes);
    p.world = next;
    play_until(&p, 0.05);
    assert_int_equal(skein_world_rods(p.world), 5);
    assert_true(hash_of(&p) == hash_of(&whole));
    play_close(&p), play_close(&whole);
  }
}

/* ---- No units ---- */

/* The same scene in metres and in mm-g-s: two rods and a box fall on a third rod and a floor. */
static void units_do_not_matter(void **state)
{
  (void)state;
  play p[2];
  for (int k = 0; k < 2; k++) {
    double L = k ? 1e3 : 1, density = k ? 1e-6 : 1; /* Pa is g/(mm s^2) too */
    text t = {0};
    if (k) say(&t, "{\"units\": {\"length\": \"mm\", \"mass\": \"g\", \"time\": \"s\"}, ");
    else say(&t, "{");
    say(&t, "\"gravity\": [0, 0, %.17g], \"friction\": 0.3, \"solver\": {\"tol\": 1e-12, \"push\": %.17g}, ", -9.81 * L,
        0.1 * L);
    say(&t, "\"materials\": {\"stuff\": {\"E\": 2e7, \"density\": %.17g, \"radius\": %.17g, \"damping\": 1e-3}}, ",
        1100 * density, 0.001 * L);
    say(&t,
        "\"bodies\": [{\"shape\": {\"type\": \"plane\"}}, {\"shape\": {\"type\": \"box\", \"size\": [%.17g, %.17g, "
        "%.17g]}, \"position\": [%.17g, 0, %.17g], \"density\": %.17g, \"velocity\": [0, 0, %.17g]}], \"rods\": [",
        0.03 * L, 0.03 * L, 0.01 * L, 0.004 * L, 0.03 * L, 500 * density, -0.2 * L);
    for (int i = 0; i < 3; i++) {
      say(&t, "{\"model\": \"%s\", \"elements\": 6, \"material\": \"stuff\", \"length\": %.17g, ",
          i == 1 ? "der" : "super-helix", 0.1 * L);
      say(&t, "\"root\": {\"type\": \"free\", "),
          say(&t, "\"position\": [%.17g, %.17g, %.17g], ", i == 1 ? 0.003 * L : -0.05 * L,
              i == 1 ? -0.05 * L : 0.004 * (i - 1) * L, (0.004 + 0.003 * i) * L);
      say(&t, "\"direction\": [%d, %d, 0.05]}}%s", i != 1, i == 1, i < 2 ? ", " : "]}");
    }
    p[k] = play_text(&t, 1);
    play_until(&p[k], 0.1);
  }
  assert_true(p[0].contacts > 4);
  assert_int_equal(p[0].steps, p[1].steps);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k <= 6; k++)
      expect_at_most(sk_norm(sk_sub(place(&p[0], i, 0.1 * k / 6), place(&p[1], i, 0.1 * k / 6))), 1e-6 * 0.1,
                     "rods in mm");
  expect_at_most(sk_norm(sk_sub(look(&p[0], 1).r, look(&p[1], 1).r)), 1e-6 * 0.1, "box in mm");
  play_close(&p[0]), play_close(&p[1]);
}

/* ---- Energy ---- */

/* Nothing drives the heap: kinetic and potential energy fall, contacts take and do not give; but for the push-out of
 * overlaps, which may lift a little. */
static void energy_never_grows(void **state)
{
  (void)state;
  text t = {0};
  say_heap(&t);
  play p = play_text(&t, 1);
  play_step(&p, 1);
  double before = p.energy;
  play_until(&p, SLOW_BUILD ? 0.03 : 0.2);
  expect_at_most(p.gain, 1e-3 * before, "growth of the energy in a step");
  expect_at_most(-p.least_dissipated, 2e-3 * before, "energy that contacts gave in a step");
  expect_at_most(p.dissipated, before - p.energy, "dissipation by contacts, the rest is internal");
  if (!SLOW_BUILD) expect_at_most(0.2 * before, p.dissipated, "what contacts have to dissipate at least");
  play_close(&p);
}

/* ---- Scenes with nothing in them ---- */

static void empty_scenes_run(void **state)
{
  (void)state;
  static const char *const scenes[] = {
      "{\"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 1}}]}",
      "{\"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 1}, \"density\": 1}]}",
      "{\"rods\": [{\"length\": 0.1}]}",
      "{\"rods\": [{\"length\": 0.1}, {\"length\": 0.1, \"root\": {\"position\": [1, 0, 0]}}]}",
      "{\"rods\": [{\"length\": 0.1, \"elements\": 1}], \"gravity\": [0, 0, 0]}",
  };
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    play p = play_open(scenes[k], 1);
    skein_frame f;
    void *bytes;
    size_t size;
    for (int i = 0; i < 10; i++) play_step(&p, 1);
    expect_at_most(fabs(p.info.time - 0.01), 1e-12, "time after ten steps");
    assert_int_equal(p.info.contacts, 0);
    assert_true(p.info.converged && p.retries == 0);
    assert_null(skein_world_problem(p.world));
    assert_null(skein_world_solution(p.world));
    expect_ok(skein_world_frame(p.world, 3, &f));
    assert_int_equal(f.index, 3);
    assert_int_equal(f.rods, skein_world_rods(p.world));
    skein_frame_destroy(&f);
    expect_ok(skein_world_save(p.world, &bytes, &size));
    expect_ok(skein_world_load(p.world, bytes, size));
    free(bytes);
    play_close(&p);
  }
}

static void bad_requests_are_refused(void **state)
{
  (void)state;
  skein_scene *nothing;
  expect_bad(skein_scene_parse("{}", "test", ".", NULL, 0, &nothing), "empty");
  assert_null(nothing);
  play p = play_open("{\"rods\": [{\"length\": 0.1}]}", 1);
  skein_step_info info;
  skein_world *none;
  play_until(&p, 0.01);
  uint64_t hash = hash_of(&p);
  expect_bad(skein_world_step(p.world, 0.005, &info), "until");
  expect_bad(skein_world_step(p.world, 0.01, &info), "until");
  expect_bad(skein_world_step(p.world, NAN, &info), "until");
  expect_bad(skein_world_create(p.scene, -1, &none), "threads");
  assert_null(none);
  expect_bad(skein_world_load(p.world, "nothing of the kind", 19), "state");
  expect_bad(skein_world_load(p.world, NULL, 0), "state");
  assert_true(hash == hash_of(&p));
  play_step(&p, INFINITY);
  play_close(&p);
}

/* A step that no time bounds is one of the scene's length, with rods and with bodies, in flight and in contact, like
 * one that ends far away. */
static void steps_without_end(void **state)
{
  (void)state;
  static const char *const what[] = {
      "\"rods\": [{\"length\": 0.1}]",
      "\"rods\": [{\"model\": \"der\", \"length\": 0.1, \"root\": {\"type\": \"free\", \"position\": [0, 0, 0.001], "
      "\"direction\": [1, 0, 0]}}], \"bodies\": [{\"shape\": {\"type\": \"plane\"}}]",
      "\"bodies\": [{\"shape\": {\"type\": \"plane\"}}, {\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
      "\"position\": [0, 0, 0.1001], \"density\": 800}]"};
  static const double far[] = {INFINITY, DBL_MAX, 1e300, 1e6};
  for (int k = 0; k < 3; k++)
    for (int f = 0; f < 4; f++) {
      text t = {0};
      say(&t, "{%s, \"time\": {\"dt\": 0.002}}", what[k]);
      play p = play_text(&t, 1);
      for (int i = 1; i <= 10; i++) {
        play_step(&p, far[f]);
        expect_at_most(fabs(p.info.dt - 0.002), 1e-9, "length of the step");
        expect_at_most(fabs(skein_world_time(p.world) - 0.002 * i), 1e-8, "time");
      }
      play_close(&p);
    }
}

/* Rods exactly on top of each other, rods of one bundle crossed in one point, a rod through a ball: no normal is right,
 * but all of them are numbers, and nothing explodes. */
static void coincident_rods_survive(void **state)
{
  (void)state;
  static const char *const models[] = {"super-helix", "der", "mass-spring", "corde"};
  for (int m = 0; m < 4; m++)
    for (int kind = 0; kind < 3; kind++) {
      text t = {0};
      say(&t,
          "{\"gravity\": [0, 0, 0], \"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.005}, \"position\": "
          "[0, 0, %g]}], "
          "\"materials\": {\"stuff\": {\"E\": 1e7, \"density\": 1000, \"radius\": 0.001, \"damping\": 1e-3}}, "
          "\"rods\": [",
          kind == 2 ? 0.0 : 1.0);
      for (int i = 0; i < 3; i++) {
        sk_vec3 along = kind == 1 ? sk_vec(cos(i), sin(i), 0) : sk_vec(1, 0, 0);
        say_thrown(&t, models[m], 6, sk_mul(-0.1, along), along, sk_vec(0, 0, 0));
        say(&t, i < 2 ? ", " : "]}");
      }
      play p = play_text(&t, 1);
      for (int i = 0; i < 20; i++) play_step(&p, 1);
      expect_at_most(p.speed, 1, "speed of rods that began inside each other"); /* push is 0.1 m/s */
      play_close(&p);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_pair_passes),
      cmocka_unit_test(no_stack_passes),
      cmocka_unit_test(no_knot_opens_by_itself),
      cmocka_unit_test(same_bits_for_any_threads),
      cmocka_unit_test(same_bits_across_a_saved_state),
      cmocka_unit_test(same_bits_after_events),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(energy_never_grows),
      cmocka_unit_test(empty_scenes_run),
      cmocka_unit_test(bad_requests_are_refused),
      cmocka_unit_test(steps_without_end),
      cmocka_unit_test(coincident_rods_survive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
