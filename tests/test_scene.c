/* Scenes: every one that ships reads, every bad one says what is wrong and where, units do not matter, --set edits the
 * text, files of strands and triangles read back, and no bytes at all crash a reader. */
#include "support.h"

#include "scene/files.h"
#include "scene/locate.h"
#include "scene/scene.h"

#include <dirent.h>
#include <unistd.h>

/* ---- Help ---- */

/* The folder of this file, with something after it. */
static void beside(const char *part, char *out, size_t size)
{
  const char *slash = strrchr(__FILE__, '/');
  snprintf(out, size, "%.*s/%s", (int)(slash ? slash - __FILE__ : 1), slash ? __FILE__ : ".", part);
}

static skein_scene *parse(const char *text)
{
  skein_scene *s;
  expect_ok(skein_scene_parse(text, "test.json", ".", NULL, 0, &s));
  return s;
}

static void expect_refused(const char *text, const char *const *sets, int count, const char *message)
{
  skein_scene *s;
  skein_status status = skein_scene_parse(text, "test.json", ".", sets, count, &s);
  assert_null(s);
  assert_string_equal(status.message, message);
}

static void expect_near(double a, double b, double tol, const char *what)
{
  if (!(fabs(a - b) <= tol * fmax(fabs(a), fabs(b)))) fail_msg("%s: %.17g against %.17g", what, a, b);
}

/* Calls `look` for every .json of a folder beside this file; how many. */
static int for_every_file(const char *folder, void (*look)(const char *path, const char *name))
{
  char dir[1024], path[2048];
  int count = 0;
  beside(folder, dir, sizeof dir);
  DIR *d = opendir(dir);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) {
    size_t n = strlen(e->d_name);
    if (n < 6 || strcmp(e->d_name + n - 5, ".json") || strstr(e->d_name, ".schema.")) continue;
    snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
    look(path, e->d_name), count++;
  }
  closedir(d);
  return count;
}

static void read_text(const char *path, char **text, size_t *size)
{
  expect_ok(sk_file_read(path, 1 << 26, text, size));
}

/* ---- Scenes that ship ---- */

static void look_at_scene(const char *path, const char *name)
{
  skein_scene *s;
  size_t size;
  char *text;
  read_text(path, &text, &size);
  expect_ok(skein_scene_read(path, NULL, 0, &s));
  assert_true(strlen(skein_scene_title(s)) > 20 && strcmp(skein_scene_title(s), name));
  assert_true(skein_scene_duration(s) > 0 && skein_scene_fps(s) > 0);
  assert_string_equal(skein_scene_source(s), text);
  for (int i = 0; i < s->rod_count; i++) {
    skein_rod *rod;
    expect_ok(skein_rod_create(&s->rods[i].def, &rod));
    skein_rod_destroy(rod);
  }
  skein_scene_destroy(s);
  free(text);
}

static void test_every_scene_reads(void **state)
{
  (void)state;
  assert_true(for_every_file("../scenes", look_at_scene) >= 8);
}

/* ---- Bad scenes: the file holds the message ---- */

static void look_at_bad_scene(const char *path, const char *name)
{
  static const char mark[] = "\"expect: ";
  skein_scene *s;
  size_t size;
  char *text, *expected, *end;
  read_text(path, &text, &size);
  expected = strstr(text, mark);
  if (!expected) fail_msg("%s: has no comment with what to expect", name);
  expected += sizeof mark - 1, end = strchr(expected, '"');
  assert_non_null(end);
  *end = 0;
  skein_status status = skein_scene_read(path, NULL, 0, &s);
  assert_null(s);
  assert_int_not_equal(status.code, SKEIN_OK);
  assert_string_equal(status.message + (strlen(path) - strlen(name)), expected);
  free(text);
}

static void test_bad_scenes(void **state)
{
  (void)state;
  assert_true(for_every_file("scenes_bad", look_at_bad_scene) >= 25);
  skein_scene *s;
  skein_status status = skein_scene_read("/nowhere/scene.json", NULL, 0, &s);
  assert_int_equal(status.code, SKEIN_IO_FAILURE);
  assert_string_equal(status.message, "/nowhere/scene.json: cannot open: No such file or directory");
  status = skein_scene_read("/", NULL, 0, &s);
  assert_string_equal(status.message, "/: is not a regular file");
}

/* ---- Where a field is ---- */

static void test_lines(void **state)
{
  (void)state;
  static const char text[] = "{\n \"a\\u0062\": [1, \"]},\\\"\",\n  {\"c\": {}, \"d\": [ ],\n \"e\": -1e3}]\n}";
  sk_span v;
  sk_path_step e[] = {{"ab", 0}, {NULL, 2}, {"e", 0}}, none[] = {{"ab", 0}, {NULL, 3}}, wrong[] = {{"ab", 0}, {"c", 0}};
  assert_true(sk_locate(text, e, 3, &v));
  assert_int_equal(sk_line(text, v.start), 4);
  assert_int_equal(v.end - v.start, 4);
  assert_true(sk_locate(text, NULL, 0, &v));
  assert_int_equal(v.end, sizeof text - 1);
  assert_false(sk_locate(text, none, 2, &v) || sk_locate(text, wrong, 2, &v));
}

/* ---- Sets ---- */

static const char small[] =
    "{\n  \"rods\": [\n    {\"name\": \"a\", \"length\": 1},\n    {\"name\": \"b\", \"length\": 2}\n  ]\n}";

static void test_sets(void **state)
{
  (void)state;
  const char *sets[] = {"rods[1].length=3", "rods.0.elements=7",  "rods.b.root.type=free", "time.dt=1e-4",
                        "title=bare words", "time.duration = 5 ", "gravity=[0,0,-1]"};
  skein_scene *s, *again;
  expect_ok(skein_scene_parse(small, "test.json", ".", sets, 7, &s));
  expect_near(s->rods[1].def.length, 3, 0, "length");
  assert_int_equal(s->rods[0].def.elements, 7);
  assert_int_equal(s->rods[1].def.root, SKEIN_FREE);
  expect_near(s->step.dt, 1e-4, 0, "dt");
  assert_string_equal(s->title, "bare words");
  expect_near(s->env.gravity[2], -1, 0, "gravity");
  int lines = 0;
  for (const char *c = s->source; *c; c++) lines += *c == '\n';
  assert_int_equal(lines, 5);
  expect_ok(skein_scene_parse(s->source, "test.json", ".", NULL, 0, &again));
  expect_near(again->rods[1].def.length, s->rods[1].def.length, 0, "length, read again");
  assert_string_equal(again->title, s->title);
  skein_scene_destroy(s), skein_scene_destroy(again);
}

/* rods=N: counts in proportion, all of them together N. */
static void test_set_rod_count(void **state)
{
  (void)state;
  static const char text[] =
      "{\"rods\": [{\"length\": 1, \"bundle\": {\"count\": 30}}, {\"length\": 1, \"name\": \"one\"},"
      " {\"length\": 1, \"bundle\": {\"count\": 61}}]}";
  const char *fewer = "rods=10", *more = " rods = 200";
  skein_scene *s;
  expect_ok(skein_scene_parse(text, "test.json", ".", &fewer, 1, &s));
  assert_int_equal(s->rod_count, 10 + 1);
  assert_string_equal(s->rods[3].name, "one");
  skein_scene_destroy(s);
  expect_ok(skein_scene_parse(text, "test.json", ".", &more, 1, &s));
  assert_int_equal(s->rod_count, 200 + 1);
  skein_scene_destroy(s);
  const char *none = "rods=0", *half = "rods=2.5", *any = "rods=3";
  expect_refused(text, &none, 1,
                 "test.json: --set rods=0: expected a whole number from 1 to 1000000, or a list of rods");
  expect_refused(text, &half, 1,
                 "test.json: --set rods=2.5: expected a whole number from 1 to 1000000, or a list of rods");
  expect_refused(small, &any, 1,
                 "test.json: --set rods=3: no entry of 'rods' has a count, expected a bundle, a groom or a file");
}

static void test_bad_sets(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"time.dt", "test.json: --set time.dt: expected path=value, as in time.dt=1e-3 or rods[0].elements=8"},
      {"=1", "test.json: --set =1: expected path=value, as in time.dt=1e-3 or rods[0].elements=8"},
      {"a..b=1", "test.json: --set a..b=1: expected path=value, as in time.dt=1e-3 or rods[0].elements=8"},
      {"rods[2].length=1", "test.json: --set rods[2].length=1: 'rods' has 2 items and none is '2', expected a number "
                           "below that or a name"},
      {"rods.c.length=1",
       "test.json: --set rods.c.length=1: 'rods' has 2 items and none is 'c', expected a number below "
       "that or a name"},
      {"rods[0].length.x=1",
       "test.json: --set rods[0].length.x=1: 'rods[0].length' has no fields, expected a path to a "
       "value"},
      {"time[0]=1", "test.json: --set time[0]=1: 'time' is not a list, expected the name of a field, not '0'"},
      {"tim.dt=1e-3", "test.json:1: tim: unknown field, did you mean 'time'? (from --set)"},
      {"time.td=1e-3", "test.json:1: time.td: unknown field, did you mean 'dt'? (from --set)"},
      {"rods[1].length=-1", "test.json:4: rods[1].length: is -1, expected a number > 0 (from --set)"},
      {"rods[1].length=long",
       "test.json:4: rods[1].length: expected a number > 0, found the string 'long' (from --set)"},
      {"rods[1]={\"length\": -2}", "test.json:4: rods[1].length: is -2, expected a number > 0 (from --set)"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) expect_refused(small, &cases[k][0], 1, cases[k][1]);
}

/* ---- Units ---- */

/* The same scene with numbers in SI and in mm-g-s; "%L" and the like are written in place of numbers. */
static const char units_text[] =
    "{ %s \"gravity\": [0, 0, %A-9.81], \"wind\": [%V1, 0, 0], \"time\": {\"duration\": 2, \"dt\": 0.002},"
    " \"materials\": {\"x\": {\"E\": %P1.5e6, \"poisson\": 0.4, \"density\": %D1200, \"radii\": [%L0.002, %L0.001],"
    "  \"damping\": 0.003, \"drag\": %G0.01, \"collision_radius\": %L0.0017}},"
    " \"bodies\": [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": %L0.05}, \"density\": %D800,"
    "  \"position\": [%L0.1, %L0.2, %L0.3], \"velocity\": [%V1, %V2, %V3], \"spin\": [10, 20, 30]},"
    "  {\"shape\": {\"type\": \"box\", \"size\": [%L0.1, %L0.2, %L0.3]}, \"mass\": %M2},"
    "  {\"shape\": {\"type\": \"capsule\", \"radius\": %L0.1, \"length\": %L0.3, \"axis\": [1, 1, 0]}, \"motion\":"
    "   {\"keys\": [{\"time\": 0, \"position\": [%L1, 0, 0]}, {\"time\": 1, \"rotation\": {\"axis\": [0, 0, 1], "
    "\"angle\": 30}}],"
    "    \"waves\": [{\"axis\": [0, 1, 0], \"amplitude\": %L0.2, \"frequency\": 2, \"rate\": %V0.5}]}}],"
    " \"rods\": [{\"model\": \"corde\", \"elements\": 20, \"alignment\": %F3, \"material\": \"x\", \"length\": %L0.5,"
    "   \"natural\": {\"curvature\": [%K10, %K3], \"twist\": %K2}, \"initial\": {\"cells\": [[%K1, 0, 0], [0, %K2, "
    "%K3]]},"
    "   \"root\": {\"type\": \"free\", \"position\": [%L1, 0, %L2], \"direction\": [0, 1, 0]}, \"velocity\": [0, %V1, "
    "0],"
    "   \"bundle\": {\"count\": 7, \"radius\": %L0.01, \"jitter\": 0.5}},"
    "  {\"name\": \"h\", \"material\": \"x\", \"length\": %L0.1, \"natural\": {\"helix\": {\"radius\": %L0.01, "
    "\"pitch\": %L0.02}},"
    "   \"root\": {\"motion\": {\"keys\": [{\"time\": 0.5, \"offset\": [0, 0, %L0.1]}]}},"
    "   \"grid\": {\"count\": [2, 2, 1], \"spacing\": [%L0.1, %L0.2, 0], \"jitter\": 0.1}}],"
    " \"events\": [{\"time\": 1, \"cut\": \"h\", \"at\": 0.25}, {\"time\": 0.5, \"gravity\": [%A1, 0, 0]}],"
    " \"forces\": [{\"rods\": \"h\", \"at\": %L0.05, \"force\": [%F1, 0, %F2], \"from\": 1}],"
    " \"solver\": {\"push\": %V0.2} }";

static char *write_units(const char *units, const double *factor)
{
  static const char letters[] = "LVAKPDGMF";
  size_t room = 8 * sizeof units_text, used = 0;
  char *out = malloc(room);
  assert_non_null(out);
  for (const char *c = units_text; *c; c++) {
    char *end;
    const char *letter = *c == '%' ? strchr(letters, c[1]) : NULL;
    if (*c != '%') out[used++] = *c;
    else if (!letter) used += (size_t)snprintf(out + used, room - used, "%s", units), c++;
    else {
      double x = strtod(c + 2, &end);
      used += (size_t)snprintf(out + used, room - used, "%.17g", x / factor[letter - letters]), c = end - 1;
    }
  }
  out[used] = 0;
  return out;
}

static void compare_numbers(const void *a, const void *b, int count, const char *what)
{
  const double *x = a, *y = b;
  double size = fmax(largest(x, (size_t)count), largest(y, (size_t)count));
  expect_at_most(largest_difference(x, y, (size_t)count), 1e-12 * size, what);
}

static void compare_rods(const sk_scene_rod *a, const sk_scene_rod *b)
{
  const skein_rod_def *p = &a->def, *q = &b->def;
  const double x[] = {p->length, p->radius1, p->radius2, p->E, p->G, p->density, p->damping, p->drag};
  const double y[] = {q->length, q->radius1, q->radius2, q->E, q->G, q->density, q->damping, q->drag};
  for (int k = 0; k < 8; k++) expect_near(x[k], y[k], 1e-12, "a rod's number");
  if (!isnan(p->alignment)) expect_near(p->alignment, q->alignment, 1e-12, "alignment");
  expect_near(a->radius, b->radius, 1e-12, "collision radius");
  assert_int_equal(p->naturals, q->naturals);
  compare_numbers(p->natural, q->natural, 3 * p->naturals, "natural");
  compare_numbers(p->initial, q->initial, 3 * p->initials, "initial");
  compare_numbers(p->pose.r, q->pose.r, 3, "root"), compare_numbers(p->pose.d, q->pose.d, 9, "frame");
  compare_numbers(a->velocity, b->velocity, 3, "velocity of a rod");
  for (int k = 0; k < a->root_path.key_count; k++)
    compare_numbers(&a->root_path.keys[k], &b->root_path.keys[k], 8, "key of an end");
}

static void compare_bodies(const sk_scene_body *a, const sk_scene_body *b)
{
  compare_numbers(&a->shape.radius, &b->shape.radius, 5, "shape"); /* radius, half, edges */
  compare_numbers(&a->pose, &b->pose, 7, "pose"), compare_numbers(&a->velocity, &b->velocity, 3, "velocity");
  compare_numbers(&a->spin, &b->spin, 3, "spin"), compare_numbers(&a->inertia, &b->inertia, 9, "inertia");
  expect_near(a->mass, b->mass, 1e-12, "mass");
  assert_int_equal(a->path.key_count, b->path.key_count);
  for (int k = 0; k < a->path.key_count; k++) compare_numbers(&a->path.keys[k], &b->path.keys[k], 8, "key");
  for (int k = 0; k < a->path.wave_count; k++)
    compare_numbers(&a->path.waves[k].axis, &b->path.waves[k].axis, 8, "wave");
}

static void compare_scenes(const skein_scene *a, const skein_scene *b)
{
  assert_int_equal(a->rod_count, b->rod_count);
  assert_int_equal(a->body_count, b->body_count);
  assert_int_equal(a->event_count, b->event_count);
  assert_int_equal(a->force_count, b->force_count);
  compare_numbers(&a->env, &b->env, 6, "surroundings"), compare_numbers(&a->step, &b->step, 10, "step");
  for (int i = 0; i < a->rod_count; i++) compare_rods(&a->rods[i], &b->rods[i]);
  for (int i = 0; i < a->body_count; i++) compare_bodies(&a->bodies[i], &b->bodies[i]);
  for (int i = 0; i < a->event_count; i++) {
    expect_near(a->events[i].time, b->events[i].time, 1e-12, "time"),
        expect_near(a->events[i].s, b->events[i].s, 1e-12, "s");
    compare_numbers(a->events[i].value, b->events[i].value, 3, "event");
  }
  for (int i = 0; i < a->force_count; i++)
    expect_near(a->forces[i].s, b->forces[i].s, 1e-12, "place of a force"),
        compare_numbers(a->forces[i].force, b->forces[i].force, 3, "force");
}

static void test_units(void **state)
{
  (void)state;
  /* length, speed, acceleration, curvature, pressure, density, drag, mass, force */
  static const double si[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, mm[] = {1e-3, 1e-3, 1e-3, 1e3, 1, 1, 1, 1, 1},
                      mm_g[] = {1e-3, 1e-3, 1e-3, 1e3, 1, 1e6, 1, 1e-3, 1e-6},
                      cgs[] = {1e-2, 1e-2, 1e-2, 1e2, 0.1, 1e3, 0.1, 1e-3, 1e-5};
  const struct {
    const char *units;
    const double *factor;
  } all[] = {{"", si},
             {"\"units\": {\"length\": \"mm\"},", mm},
             {"\"units\": {\"length\": \"mm\", \"mass\": \"g\", \"time\": \"s\"},", mm_g},
             {"\"units\": {\"length\": \"cm\", \"mass\": \"g\"},", cgs}};
  skein_scene *scene[4];
  for (int k = 0; k < 4; k++) {
    char *text = write_units(all[k].units, all[k].factor);
    scene[k] = parse(text);
    free(text);
    if (k) compare_scenes(scene[0], scene[k]);
  }
  expect_near(scene[0]->bodies[0].mass, 800 * 4.0 / 3 * SK_PI * 0.05 * 0.05 * 0.05, 1e-12, "mass of the ball");
  expect_near(scene[0]->rods[7].def.natural[0], 0.01 / (1e-4 + 4e-4 / (4 * SK_PI * SK_PI)), 1e-12, "helix");
  expect_near(scene[2]->unit, 1e-3, 0, "unit");
  for (int k = 0; k < 4; k++) skein_scene_destroy(scene[k]);
}

/* ---- Bundles, grids, groups, events ---- */

static double apart(const sk_scene_rod *a, const sk_scene_rod *b)
{
  return sk_norm(sk_sub(sk_load3(a->def.pose.r), sk_load3(b->def.pose.r)));
}

static void test_bundle(void **state)
{
  (void)state;
  skein_scene *s =
      parse("{\"rods\": [{\"name\": \"p\", \"length\": 0.2, \"material\": \"spaghetti-cooked\", \"root\":"
            "{\"direction\": [1, 2, 3]}, \"bundle\": {\"count\": 91, \"jitter\": 1, \"spacing\": 0.0025}}]}");
  double least = INFINITY, most = 0;
  assert_int_equal(s->rod_count, 91);
  assert_string_equal(s->rods[90].name, "p[90]");
  for (int i = 0; i < 91; i++) {
    sk_vec3 r = sk_load3(s->rods[i].def.pose.r);
    expect_at_most(fabs(sk_dot(r, sk_load3(s->rods[i].def.pose.d[2]))), 1e-15, "off the plane of the bundle");
    most = fmax(most, sk_norm(r));
    for (int j = 0; j < i; j++) least = fmin(least, apart(&s->rods[i], &s->rods[j]));
  }
  expect_at_most(2e-3, least * (1 + 1e-12), "two radii");
  expect_at_most(most, 5.3 * 0.0025 + 0.25e-3, "radius of the bundle");
  skein_scene_destroy(s);
}

static void test_grid(void **state)
{
  (void)state;
  skein_scene *s = parse("{\"rods\": [{\"length\": 0.2, \"root\": {\"position\": [1, 1, 1]}, \"grid\": {\"count\":"
                         "[2, 3, 1], \"spacing\": [0.1, 0.2, 5]}}]}");
  assert_int_equal(s->rod_count, 6);
  const double first[] = {0.95, 0.8, 1}, last[] = {1.05, 1.2, 1};
  compare_numbers(s->rods[0].def.pose.r, first, 3, "first"), compare_numbers(s->rods[5].def.pose.r, last, 3, "last");
  skein_scene_destroy(s);
}

static void test_groups(void **state)
{
  (void)state;
  skein_scene *s =
      parse("{\"rods\": [{\"length\": 1, \"group\": \"a\"}, {\"length\": 1, \"group\": \"b\"}],"
            "\"bodies\": [{\"shape\": {\"type\": \"plane\"}}], \"friction\": 0.7, \"restitution\": 0.1,"
            "\"pairs\": [{\"groups\": [\"a\", \"b\"], \"mu\": 0.2}, {\"groups\": [\"b\"], \"contacts\": false},"
            "{\"groups\": [\"bodies\", \"a\"], \"restitution\": 0.5}]}");
  static const double mu[] = {0.7, 0.7, 0.7, 0.7, 0.7, 0.2, 0.7, 0.2, -1},
                      e[] = {0.1, 0.5, 0.1, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1};
  assert_int_equal(s->group_count, 3);
  assert_string_equal(s->groups[1], "a");
  compare_numbers(s->mu, mu, 9, "mu"), compare_numbers(s->restitution, e, 9, "restitution");
  skein_scene_destroy(s);
}

static void test_events(void **state)
{
  (void)state;
  skein_scene *s =
      parse("{\"rods\": [{\"name\": \"a\", \"length\": 1, \"bundle\": {\"count\": 3}}, {\"length\": 1}],"
            "\"events\": [{\"time\": 2, \"wind\": [1, 0, 0]}, {\"time\": 1, \"release\": \"root\", \"rods\":"
            "\"a[1]\"}, {\"time\": 1, \"cut\": \"a\", \"at\": 0.25}, {\"time\": 0, \"gravity\": [0, 0, 1]}]}");
  static const sk_event_kind kinds[] = {SK_EVENT_GRAVITY, SK_EVENT_RELEASE_ROOT, SK_EVENT_CUT, SK_EVENT_WIND};
  assert_int_equal(s->event_count, 4);
  for (int k = 0; k < 4; k++) assert_int_equal(s->events[k].kind, kinds[k]);
  assert_int_equal(s->events[1].rod_first, 1);
  assert_int_equal(s->events[1].rod_count, 1);
  assert_int_equal(s->events[2].rod_count, 3);
  expect_near(s->events[2].s, 0.25, 1e-15, "cut");
  skein_scene_destroy(s);
}

/* What docs/scene.md promises where a scene says nothing. */
static void test_defaults(void **state)
{
  (void)state;
  skein_scene *s = parse("{\"rods\": [{\"length\": 0.1}]}");
  const sk_scene_step *t = &s->step;
  const double found[] = {
      s->duration, t->dt,   t->dt_min * 1024, t->dt_max,     t->theta,          t->travel, t->tol,     t->tol_rest,
      t->slop,     t->push, t->chord,         s->output.fps, s->env.gravity[2], s->mu[0],  t->overlap, t->spacing};
  static const double expected[] = {1, 1e-3, 1e-3, 1e-3, 1, 1, 1e-6, 1e-8, 0.02, 0.1, 0.05, 30, -9.81, 0.3, 0.05, 0};
  for (size_t k = 0; k < sizeof found / sizeof found[0]; k++) expect_near(found[k], expected[k], 1e-15, "a default");
  assert_true(t->sleep && t->failsafe && s->output.contacts && t->method == SKEIN_AUTO && t->local == SKEIN_SECULAR);
  assert_string_equal(s->title, "test.json");
  assert_string_equal(s->rods[0].name, "rod0");
  expect_near(SK_PI * s->rods[0].def.radius1 * s->rods[0].def.radius2, 4079e-12, 1e-12, "section");
  expect_near(s->rods[0].def.radius1 / s->rods[0].def.radius2, 1.41, 1e-12, "ellipticity");
  skein_scene_destroy(s);
}

/* ---- Text that is damaged ---- */

enum { LONG = 3000, MANY = 100, FEW = 8 };

/* How dear it is to read, so how seldom it is damaged: the points of rods are fitted, heads are made. */
static int price(const char *text)
{
  return strstr(text, "\"type\": \"head\"") ? 40 : strlen(text) > LONG ? 4 : 1;
}

/* Hundreds of strands become a few: the fields that can be damaged stay. */
static void thin_out(char *text)
{
  for (char *at = text; (at = strstr(at, "\"count\": ")); at++) {
    char *number = at + strlen("\"count\": "), *end;
    if (strtol(number, &end, 10) < MANY) continue;
    *number = '0' + FEW;
    memset(number + 1, ' ', (size_t)(end - number - 1));
  }
}

/* Whatever it says, it says it in one line; what it reads, it can release. */
static void expect_sane(const char *text)
{
  skein_scene *s;
  skein_status status = skein_scene_parse(text, "test.json", "/nowhere", NULL, 0, &s);
  assert_true((status.code == SKEIN_OK) == (s != NULL));
  assert_true(status.code == SKEIN_OK || (strlen(status.message) > 0 && !strchr(status.message, '\n')));
  skein_scene_destroy(s);
}

static void damage(const char *path, const char *name)
{
  static const char swaps[] = "0-{}[]\",:e.ntf\n9";
  size_t size;
  char *text;
  read_text(path, &text, &size);
  thin_out(text);
  sk_random g = sk_random_make(size);
  (void)name;
  for (int k = 0; k < 2 + (SLOW_BUILD ? 30 : 200) / price(text); k++) {
    size_t at = (size_t)sk_random_int(&g, (int)size);
    char old = text[at];
    text[at] = k % 2 ? swaps[sk_random_int(&g, sizeof swaps - 1)] : 0;
    expect_sane(text);
    text[at] = old;
  }
  free(text);
}

/* Every value of the tree in turn is replaced by one of another kind; of dear scenes some are. */
static void change_kinds(const char *path, const char *name)
{
  static const char *const values[] = {"null", "true", "-1", "0", "1e15", "\"\\u0001x\"", "[]", "[1,2,3]", "{}"};
  size_t size;
  char *text;
  read_text(path, &text, &size);
  thin_out(text);
  (void)name;
  int turn = 0, every = price(text) * (SLOW_BUILD ? 4 : 1);
  for (size_t at = 0; at < size; at++) {
    if (text[at] != ':' || text[at + 1] != ' ') continue;
    size_t end = at + 2 + strcspn(text + at + 2, ",}\n");
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
      if (turn++ % every != 0) continue;
      char *changed = malloc(size + 32);
      snprintf(changed, size + 32, "%.*s%s%s", (int)(at + 2), text, values[k], text + end);
      expect_sane(changed);
      free(changed);
    }
  }
  free(text);
}

static void test_damage(void **state)
{
  (void)state;
  for_every_file("../scenes", damage);
  for_every_file("scenes_bad", damage);
  for_every_file("../scenes", change_kinds);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_scene_reads),
                                     cmocka_unit_test(test_bad_scenes),
                                     cmocka_unit_test(test_lines),
                                     cmocka_unit_test(test_sets),
                                     cmocka_unit_test(test_bad_sets),
                                     cmocka_unit_test(test_set_rod_count),
                                     cmocka_unit_test(test_units),
                                     cmocka_unit_test(test_bundle),
                                     cmocka_unit_test(test_grid),
                                     cmocka_unit_test(test_groups),
                                     cmocka_unit_test(test_events),
                                     cmocka_unit_test(test_defaults),

                                     cmocka_unit_test(test_damage)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
