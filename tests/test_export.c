/* Export: what is written reads back (by the readers of scenes) as what the run holds, in every unit and axis; a series
 * is whole or not there: stopped, on a full disk, without memory at any call. */
#include "memory_support.h"
#include "support.h"

#include "scene/files.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- A run of 5 frames in which a rod is cut ---- */

enum { FRAMES = 5 };

static const char text[] =
    "{\"time\": {\"duration\": 1}, \"output\": {\"fps\": 100, \"points\": 9}, \"materials\": {\"rubber\": {\"preset\": "
    "\"rope\", "
    "\"E\": 1e6, \"colour\": \"#ff8000\"}},"
    "\"rods\": [{\"name\": \"a\", \"length\": 0.2, \"model\": \"der\", \"elements\": 8, \"material\": \"rubber\","
    "\"group\": \"first group\", \"root\": {\"type\": \"free\", \"position\": [0, 0.1, 0.004], \"direction\": [1, 0, "
    "0]}},"
    "{\"name\": \"b\", \"length\": 0.1, \"material\": \"rope\", \"group\": \"2\", \"root\": {\"position\": [0, 0, "
    "0.3]}}],"
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}}, {\"name\": \"ball\", \"shape\": {\"type\": "
    "\"sphere\", \"radius\": 0.05}, \"position\": [0.5, 0, 0.2], \"velocity\": [1, 0, 0], \"density\": 100}],"
    "\"events\": [{\"time\": 0.015, \"cut\": \"a\", \"at\": 0.25}]}";

static char folder[] = "/tmp/skein_export_XXXXXX";
static char run_path[64];

static int make_run(void **state)
{
  (void)state;
  skein_scene *scene;
  skein_world *world;
  skein_run *run;
  skein_step_info info;
  if (!mkdtemp(folder)) return 1;
  snprintf(run_path, sizeof run_path, "%s/run.h5", folder);
  expect_ok(skein_scene_parse(text, "test.json", ".", NULL, 0, &scene));
  expect_ok(skein_world_create(scene, 1, &world));
  skein_manifest manifest = skein_scene_manifest(scene);
  expect_ok(skein_run_create(run_path, &manifest, &run));
  for (int k = 0; k < FRAMES; k++) {
    skein_frame f;
    while (skein_world_time(world) < k * 0.01) expect_ok(skein_world_step(world, k * 0.01, &info));
    expect_ok(skein_world_frame(world, k, &f));
    expect_ok(skein_run_append(run, &f, k ? &info : NULL, k > 0, NULL, 0));
    skein_frame_destroy(&f);
  }
  expect_ok(skein_run_finish(run));
  skein_run_close(run);
  skein_world_destroy(world);
  skein_scene_destroy(scene);
  return 0;
}

static int remove_all(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static skein_run *open_run(void)
{
  skein_run *run;
  expect_ok(skein_run_open(run_path, false, &run));
  return run;
}

/* "folder/name" in a buffer that the next call uses again. */
static const char *in_folder(const char *name)
{
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static bool there(const char *name)
{
  struct stat about;
  return stat(in_folder(name), &about) == 0;
}

/* What is in the folder besides the run. */
static int others(void)
{
  int count = 0;
  DIR *d = opendir(folder);
  for (struct dirent *e; (e = readdir(d));) count += e->d_name[0] != '.' && strcmp(e->d_name, "run.h5") != 0;
  closedir(d);
  return count;
}

static void clean(void)
{
  char command[192];
  snprintf(command, sizeof command, "find '%s' -mindepth 1 ! -name run.h5 -delete", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(others(), 0);
}

static skein_export_def def_of(skein_format format, const char *path)
{
  skein_export_def def = skein_default_export_def();
  def.format = format, def.path = path;
  def.bodies = skein_format_has_bodies(format);
  return def;
}

static char *text_of(const char *name)
{
  char *bytes;
  size_t size;
  expect_ok(sk_file_read(in_folder(name), 1 << 26, &bytes, &size));
  return bytes;
}

static int count_of(const char *in, const char *word)
{
  int count = 0;
  for (const char *at = in; (at = strstr(at, word)); at++) count++;
  return count;
}

/* ---- Strands read back ---- */

static void expect_strands(const skein_run *run, int frame, const char *name, double scale, bool y_up)
{
  sk_strands s;
  skein_frame f;
  expect_ok(skein_run_frame(run, frame, &f));
  expect_ok(sk_strands_read(in_folder(name), &s));
  assert_int_equal(s.count, 3); /* in every frame, that one of the cut, too */
  for (int i = 0; i < f.rods; i++) {
    int best = -1; /* OBJ sorts rods by group */
    for (int k = 0; k < s.count; k++) {
      const double *p = s.point + 3 * s.start[k];
      const float *q = f.point + 3 * f.point_start[i];
      double a[3] = {scale * q[0], scale * (y_up ? q[2] : q[1]), scale * (y_up ? -q[1] : q[2])};
      if (fabs(p[0] - a[0]) + fabs(p[1] - a[1]) + fabs(p[2] - a[2]) < 1e-6 * scale) best = k;
    }
    assert_true(best >= 0);
    int count = f.point_start[i + 1] - f.point_start[i];
    assert_int_equal(s.start[best + 1] - s.start[best], count);
    for (int k = 0; k < count; k++) {
      const double *p = s.point + 3 * (s.start[best] + k);
      const float *q = f.point + 3 * (f.point_start[i] + k);
      double a[3] = {scale * q[0], scale * (y_up ? q[2] : q[1]), scale * (y_up ? -q[1] : q[2])};
      for (int c = 0; c < 3; c++) assert_true(fabs(p[c] - a[c]) <= 1e-6 * scale);
    }
  }
  sk_strands_destroy(&s);
  skein_frame_destroy(&f);
}

static void test_series(void **state)
{
  (void)state;
  static const skein_format formats[] = {SKEIN_HAIR, SKEIN_OBJ, SKEIN_PLY};
  skein_run *run = open_run();
  for (int k = 0; k < 3; k++) {
    skein_export_info info;
    char name[64], path[128], pattern[128];
    const char *ending = skein_format_name(formats[k]);
    snprintf(path, sizeof path, "%s/out.%s", folder, ending);
    skein_export_def def = def_of(formats[k], path);
    def.bodies = false;
    expect_ok(skein_export(run, &def, &info));
    assert_true(info.frames == FRAMES && info.files == FRAMES && info.bytes > 0 && others() == FRAMES);
    for (int f = 0; f < FRAMES; f++) {
      snprintf(name, sizeof name, "out_%04d.%s", f, ending);
      expect_strands(run, f, name, 1, false);
    }
    clean();
    snprintf(pattern, sizeof pattern, "%s/f%%d.%s", folder, ending);
    def.path = pattern, def.first = 1, def.last = 4, def.step = 3, def.unit = 0.001, def.y_up = true;
    expect_ok(skein_export(run, &def, &info));
    assert_true(info.frames == 2 && others() == 2);
    snprintf(name, sizeof name, "f4.%s", ending);
    expect_strands(run, 4, name, 1000, true);
    clean();
    def.path = path, def.first = def.last = 2; /* one frame: the path as it is */
    expect_ok(skein_export(run, &def, NULL));
    snprintf(name, sizeof name, "out.%s", ending);
    expect_strands(run, 2, name, 1000, true);
    clean();
  }
  skein_run_close(run);
}

/* Evenly resampled rods: ends stay, lengths nearly, every rod has as many points. */
static void test_points(void **state)
{
  (void)state;
  skein_run *run = open_run();
  skein_frame f;
  sk_strands s;
  skein_export_def def = def_of(SKEIN_HAIR, in_folder("even.hair"));
  def.points = 33, def.first = def.last = 4;
  char path[128];
  snprintf(path, sizeof path, "%s", def.path), def.path = path;
  expect_ok(skein_export(run, &def, NULL));
  expect_ok(skein_run_frame(run, 4, &f));
  expect_ok(sk_strands_read(in_folder("even.hair"), &s));
  assert_int_equal(s.count, f.rods);
  for (int i = 0; i < s.count; i++) {
    assert_int_equal(s.start[i + 1] - s.start[i], 33);
    for (int c = 0; c < 3; c++) {
      assert_true(fabs(s.point[3 * s.start[i] + c] - f.point[3 * f.point_start[i] + c]) < 1e-6);
      assert_true(fabs(s.point[3 * (s.start[i + 1] - 1) + c] - f.point[3 * (f.point_start[i + 1] - 1) + c]) < 1e-6);
    }
  }
  skein_frame_destroy(&f);
  sk_strands_destroy(&s);
  skein_run_close(run);
  clean();
}

/* ---- Alembic: what is written reads back to the bit, and no bytes crash the reader ---- */

static void export_abc(const skein_run *run, int frame, char *path, size_t size)
{
  snprintf(path, size, "%s/back.abc", folder);
  skein_export_def def = def_of(SKEIN_ABC, path);
  if (frame >= 0) def.first = def.last = frame;
  expect_ok(skein_export(run, &def, NULL));
}

static void test_alembic_back(void **state)
{
  (void)state;
  skein_run *run = open_run();
  char path[128];
  for (int k = 0; k < FRAMES; k++) {
    skein_frame f;
    sk_strands s;
    export_abc(run, k, path, sizeof path);
    expect_ok(skein_run_frame(run, k, &f));
    expect_ok(sk_strands_read(path, &s));
    assert_true(s.count == f.rods && s.units.metres == 1 && !s.units.y_up && !s.units.guessed);
    for (int i = 0; i < f.rods; i++) {
      int at = i == 1 ? s.count - 1 : i == 2 ? 1 : 0; /* sorted by group: a, what comes off it once it has, b */
      int count = f.point_start[i + 1] - f.point_start[i];
      assert_int_equal(s.start[at + 1] - s.start[at], count);
      for (int c = 0; c < 3 * count; c++)
        assert_true((float)s.point[3 * s.start[at] + c] == f.point[3 * f.point_start[i] + c]);
    }
    sk_strands_destroy(&s);
    skein_frame_destroy(&f);
  }
  sk_triangles t;
  expect_ok(sk_triangles_read(path, &t)); /* both bodies, where they are in that frame; faces as they are here */
  double volume = 0;
  for (int k = 0; k < t.triangles; k++) {
    const double *a = t.v + 3 * t.t[3 * k], *b = t.v + 3 * t.t[3 * k + 1], *c = t.v + 3 * t.t[3 * k + 2];
    double d[3][3];
    for (int i = 0; i < 3; i++) d[0][i] = a[i], d[1][i] = b[i], d[2][i] = c[i];
    if (k >= 2) /* the floor comes first */
      volume += (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                 d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
                6;
  }
  assert_true(fabs(volume / (4.0 / 3 * SK_PI * 0.05 * 0.05 * 0.05) - 1) < 0.01);
  sk_triangles_destroy(&t);
  skein_run_close(run);
  clean();
}

static void test_usd_back(void **state)
{
  (void)state;
  skein_run *run = open_run();
  char path[128];
  sk_strands a, b;
  sk_triangles t, u;
  for (int k = 0; k < FRAMES; k += FRAMES - 1) { /* the same as the archive has, to the bit */
    export_abc(run, k, path, sizeof path);
    expect_ok(sk_strands_read(path, &a)), expect_ok(sk_triangles_read(path, &t));
    snprintf(path, sizeof path, "%s/back.usda", folder);
    skein_export_def def = def_of(SKEIN_USDA, path);
    def.first = def.last = k;
    expect_ok(skein_export(run, &def, NULL));
    expect_ok(sk_strands_read(path, &b)), expect_ok(sk_triangles_read(path, &u));
    assert_true(a.count == b.count && t.vertices == u.vertices && t.triangles == u.triangles);
    assert_memory_equal(a.start, b.start, sizeof *a.start * (size_t)(a.count + 1));
    for (int i = 0; i < 3 * a.start[a.count]; i++) assert_true((float)a.point[i] == (float)b.point[i]);
    for (int i = 0; i < 3 * t.vertices; i++) assert_true(fabs(t.v[i] - u.v[i]) < 1e-6);
    assert_true(b.units.metres == 1 && !b.units.y_up && !b.units.guessed);
    sk_strands_destroy(&a), sk_strands_destroy(&b), sk_triangles_destroy(&t), sk_triangles_destroy(&u);
  }
  skein_run_close(run);
  clean();
}

/* All that a file is asked for; the bytes at their exact size, with the zero byte that files have. */
static void try_file(bool usd, const char *bytes, size_t size)
{
  char *copy = malloc(size + 1);
  memcpy(copy, bytes, size), copy[size] = 0;
  sk_strands s = {0};
  sk_triangles t = {0};
  sk_cache *c = NULL;
  const sk_cache_def def = {.scale = 1};
  skein_status a = (usd ? sk_usda_strands_parse : sk_abc_strands_parse)(copy, size, &s);
  skein_status b = (usd ? sk_usda_triangles_parse : sk_abc_triangles_parse)(copy, size, &t);
  assert_true((a.code == SKEIN_OK || a.message[0]) && (b.code == SKEIN_OK || b.message[0]));
  if (b.code == SKEIN_OK) b = (usd ? sk_usda_cache_parse : sk_abc_cache_parse)(copy, size, &def, t.vertices, &c);
  assert_true(b.code == SKEIN_OK || b.message[0]);
  sk_strands_destroy(&s), sk_triangles_destroy(&t), sk_cache_destroy(c);
  free(copy);
}

/* One to three bytes changed, now and then cut off: three times of four among the last `tree` bytes. */
static void damage(bool usd, const char *bytes, size_t size, size_t tree)
{
  static const char signs[] = "{}[]()=\",.:-#\n 0";
  sk_random g = sk_random_make(7);
  char *copy = malloc(size);
  for (int k = 0; k < 10000; k++) {
    memcpy(copy, bytes, size);
    for (int i = 0; i <= k % 3; i++) {
      size_t at = k % 4 ? size - 1 - (size_t)sk_random_int(&g, (int)tree) : (size_t)sk_random_int(&g, (int)size);
      copy[at] = k % 5 ? (char)sk_random_u64(&g) : (char)(copy[at] ^ 1 << k % 8);
      if (usd && k % 2) copy[at] = signs[sk_random_int(&g, sizeof signs - 1)];
    }
    try_file(usd, copy, k % 10 ? size : (size_t)sk_random_int(&g, (int)size));
  }
  free(copy);
}

static void no_memory(bool usd, const char *bytes, size_t size)
{
  for (int call = 0, done = 0; done < 2; call++) {
    sk_strands strands = {0};
    sk_triangles t = {0};
    done = 0;
    atomic_store(&calls_left, call);
    done += (usd ? sk_usda_strands_parse : sk_abc_strands_parse)(bytes, size, &strands).code == SKEIN_OK;
    atomic_store(&calls_left, call);
    done += (usd ? sk_usda_triangles_parse : sk_abc_triangles_parse)(bytes, size, &t).code == SKEIN_OK;
    atomic_store(&calls_left, -1);
    assert_true(done == 0 || call > 0);
    sk_strands_destroy(&strands), sk_triangles_destroy(&t);
  }
}

static const char stage[] =
    "#usda 1.0\n(\n  metersPerUnit = 0.1\n  upAxis = \"Z\"\n  timeCodesPerSecond = 25\n)\n"
    "def Xform \"top\" (kind = \"group\") {\n"
    "  double3 xformOp:translate = (1, 2, 3)\n"
    "  float xformOp:rotateXYZ.timeSamples = { 0: (90, 0, 1), 10: (9, 8, 7), }\n"
    "  quatf xformOp:orient = (1, 0, 0, 0)\n"
    "  uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n"
    "  def Scope \"in\" { def BasisCurves \"fur\" {\n    int[] curveVertexCounts = [3, 2]\n"
    "    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 1, 0), (0, 1, 1e0)] ( doc = '''x''' )\n"
    "    float[] widths = [1, 1, 1, 0, 0] (interpolation = \"vertex\")\n    rel to = </a/b>\n  } }\n"
    "  variantSet \"look\" = { \"a\" { over \"x\" { int a = 1 } } }\n"
    "  def Mesh \"m\" {\n    int[] faceVertexCounts = [4, 3]\n    int[] faceVertexIndices = [0, 1, 2, 3, 0, 2, 4]\n"
    "    texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1)]\n"
    "    int[] primvars:st:indices = [0, 1, 2, 0, 1, 2, 0]\n"
    "    point3f[] points.timeSamples = {\n      0: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 2, 2)],\n"
    "      1.5: [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (2, 2, 3)],\n    }\n  }\n}\n";

static void test_damage(void **state)
{
  (void)state;
  skein_run *run = open_run();
  char path[128], *bytes;
  size_t size;
  export_abc(run, -1, path, sizeof path);
  expect_ok(sk_file_read(path, 1 << 26, &bytes, &size));
  damage(false, bytes, size, 6000); /* groups and headers of an archive are at its end */
  no_memory(false, bytes, size);
  free(bytes);
  sk_triangles t;
  sk_cache *c;
  const sk_cache_def def = {.scale = 1};
  expect_ok(sk_usda_triangles_parse(stage, strlen(stage), &t));
  assert_true(t.vertices == 5 && t.triangles == 3 && t.uv != NULL && t.units.metres == 0.1);
  expect_ok(sk_usda_cache_parse(stage, strlen(stage), &def, 5, &c));
  assert_true(c->frames == 2 && c->time[1] == 0.06 && c->v[3 * 9 + 2] == 6);
  sk_triangles_destroy(&t), sk_cache_destroy(c);
  for (size_t n = 0; n < strlen(stage); n++) try_file(true, stage, n);
  damage(true, stage, strlen(stage), strlen(stage));
  no_memory(true, stage, strlen(stage));
  skein_run_close(run);
  clean();
}

/* ---- USD ---- */

static void test_usda(void **state)
{
  (void)state;
  skein_run *run = open_run();
  char path[128];
  snprintf(path, sizeof path, "%s/out.usda", folder);
  skein_export_def def = def_of(SKEIN_USDA, path);
  def.contacts = true, def.y_up = true, def.unit = 0.01;
  expect_ok(skein_export(run, &def, NULL));
  char *usd = text_of("out.usda");
  assert_true(!strncmp(usd, "#usda 1.0\n", 10));
  assert_true(strstr(usd, "metersPerUnit = 0.01\n") && strstr(usd, "upAxis = \"Y\"") &&
              strstr(usd, "endTimeCode = 4\n"));
  assert_true(strstr(usd, "timeCodesPerSecond = 100\n") && strstr(usd, "defaultPrim = \"World\""));
  assert_int_equal(count_of(usd, "def BasisCurves"), 2);
  assert_true(strstr(usd, "def BasisCurves \"first_group\"") && strstr(usd, "def BasisCurves \"_2\""));
  assert_int_equal(count_of(usd, "int[] curveVertexCounts = "), 2);
  assert_non_null(strstr(usd, "int[] curveVertexCounts = [9, 13]\n")); /* the rod and what the cut takes off it */
  assert_int_equal(count_of(usd, "float[] widths.timeSamples"), 1);    /* no width before */
  assert_int_equal(count_of(usd, "def Mesh"), 2);
  assert_int_equal(count_of(usd, "xformOp:translate.timeSamples"), 1); /* the ball flies, the floor does not */
  assert_int_equal(count_of(usd, "double3 xformOp:translate = (0, 0, 0)\n"), 1);
  assert_int_equal(count_of(usd, "point3f[] points.timeSamples"), 3);
  assert_non_null(strstr(usd, "displayColor = [(1, 0.2158"));
  assert_int_equal(count_of(usd, "{"), count_of(usd, "}"));
  assert_int_equal(count_of(usd, "("), count_of(usd, ")"));
  assert_null(strstr(usd, "nan"));
  free(usd);
  def.first = def.last = 0, def.bodies = def.contacts = false; /* one frame: values, no samples */
  expect_ok(skein_export(run, &def, NULL));
  usd = text_of("out.usda");
  assert_true(!strstr(usd, "timeSamples") && !strstr(usd, "Mesh") && !strstr(usd, "Points"));
  free(usd);
  skein_run_close(run);
  clean();
}

/* ---- VTK and CSV ---- */

static void test_vtp_and_csv(void **state)
{
  (void)state;
  skein_run *run = open_run();
  skein_export_info info;
  char path[128];
  snprintf(path, sizeof path, "%s/out.pvd", folder);
  skein_export_def def = def_of(SKEIN_VTP, path);
  def.contacts = true;
  expect_ok(skein_export(run, &def, &info));
  assert_int_equal(info.files, 3 * FRAMES + 3);
  assert_true(there("out.pvd") && there("out_contacts.pvd") && there("out_bodies.pvd") && there("out/rods_0004.vtp"));
  char *pvd = text_of("out.pvd");
  assert_int_equal(count_of(pvd, "<DataSet"), FRAMES);
  assert_non_null(strstr(pvd, "timestep=\"0.04\" part=\"0\" file=\"out/rods_0004.vtp\""));
  free(pvd);
  char *vtp = text_of("out/rods_0004.vtp"); /* the head is text */
  assert_true(strstr(vtp, "NumberOfLines=\"3\"") && strstr(vtp, "Name=\"speed\"") && strstr(vtp, "Name=\"island\""));
  free(vtp);
  clean();
  snprintf(path, sizeof path, "%s/out.csv", folder);
  def = def_of(SKEIN_CSV, path);
  def.contacts = true;
  expect_ok(skein_export(run, &def, &info));
  assert_int_equal(info.files, 2);
  skein_frame f;
  expect_ok(skein_run_frame(run, FRAMES - 1, &f));
  int lines = 1 + FRAMES * f.points; /* the same strands in all frames */
  skein_frame_destroy(&f);
  char *csv = text_of("out.csv");
  assert_int_equal(count_of(csv, "\n"), lines);
  assert_null(strstr(csv, "nan"));
  free(csv);
  skein_run_close(run);
  clean();
}

/* ---- What is refused ---- */

static void test_refusals(void **state)
{
  (void)state;
  skein_run *run = open_run();
  skein_export_def def = def_of(SKEIN_HAIR, "/nowhere/out.hair");
  skein_status s = skein_export(run, &def, NULL);
  assert_int_equal(s.code, SKEIN_IO_FAILURE);
  assert_string_equal(s.message, "/nowhere/out_0000.hair: cannot write: No such file or directory");
  def.path = "out_%s.hair";
  expect_bad(skein_export(run, &def, NULL), "expected one number like %04d");
  def.path = "x", def.last = 5;
  expect_bad(skein_export(run, &def, NULL), "the run has 0 to 4");
  def.last = 2, def.first = 3;
  expect_bad(skein_export(run, &def, NULL), "the run has 0 to 4");
  def.first = 0, def.step = 0;
  expect_bad(skein_export(run, &def, NULL), "the run has 0 to 4");
  def.step = 1, def.bodies = true;
  expect_bad(skein_export(run, &def, NULL), "hair files hold no bodies");
  def.bodies = false, def.contacts = true;
  expect_bad(skein_export(run, &def, NULL), "hair files hold no contacts");
  def.contacts = false, def.unit = 0;
  expect_bad(skein_export(run, &def, NULL), "unit is 0");
  def.unit = 1, def.points = 1;
  expect_bad(skein_export(run, &def, NULL), "points is 1");
  def.points = 0, def.path = "";
  expect_bad(skein_export(run, &def, NULL), "no path");
  def.path = "x", def.format = (skein_format)99;
  expect_bad(skein_export(run, &def, NULL), "format is 99");
  for (int k = 0; k < SKEIN_FORMAT_COUNT; k++) {
    assert_int_equal(skein_format_find(skein_format_name((skein_format)k)), k);
    assert_true(strlen(skein_format_about((skein_format)k)) > 10);
  }
  assert_int_equal(skein_format_find("fbx"), -1);
  assert_true(skein_format_of_path("a/b.PVD") == SKEIN_VTP && skein_format_of_path("b.usd") == -1 &&
              skein_format_of_path("b.Abc") == SKEIN_ABC);
  assert_int_equal(others(), 0);
  skein_run_close(run);
}

/* ---- Whole or not there ---- */

static bool stop_later(int done, int all, void *user)
{
  (void)all;
  return done < *(const int *)user;
}

static const char *const names[SKEIN_FORMAT_COUNT] = {"o.usda", "o.pvd", "o.hair", "o.obj", "o.ply", "o.csv", "o.abc"};

static void test_stopped(void **state)
{
  (void)state;
  skein_run *run = open_run();
  for (int k = 0; k < SKEIN_FORMAT_COUNT; k++) {
    int most = 3;
    skein_export_info info;
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, names[k]);
    skein_export_def def = def_of((skein_format)k, path);
    def.progress = stop_later, def.user = &most;
    expect_ok(skein_export(run, &def, &info));
    assert_true(info.stopped && info.files == 0);
    assert_int_equal(others(), 0);
  }
  skein_run_close(run);
}

/* What was there before stays as it was. */
static void test_full_disk(void **state)
{
  (void)state;
  skein_run *run = open_run();
  struct rlimit old, tiny;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  for (int k = 0; k < SKEIN_FORMAT_COUNT; k++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, names[k]);
    FILE *before = fopen(path, "w");
    fputs("before", before);
    fclose(before);
    skein_export_def def = def_of((skein_format)k, path);
    tiny = old, tiny.rlim_cur = k == SKEIN_VTP ? 3000 : 300;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    skein_status s = skein_export(run, &def, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(s.code, SKEIN_IO_FAILURE);
    assert_non_null(strstr(s.message, "cannot write: File too large"));
    assert_int_equal(others(), 1);
    char *kept = text_of(names[k]);
    assert_string_equal(kept, "before");
    free(kept);
    clean();
  }
  skein_run_close(run);
}

static void test_no_memory(void **state)
{
  (void)state;
  skein_run *run = open_run();
  for (int k = 0; k < SKEIN_FORMAT_COUNT; k++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, names[k]);
    skein_export_def def = def_of((skein_format)k, path);
    def.last = 1, def.contacts = skein_format_has_contacts((skein_format)k);
    for (int call = 0;; call += 1 + call / 40) {
      atomic_store(&calls_left, call);
      skein_status s = skein_export(run, &def, NULL);
      atomic_store(&calls_left, -1);
      if (s.code == SKEIN_OK) break;
      assert_int_not_equal(s.code, SKEIN_OK);
      assert_int_equal(others(), 0);
    }
    clean();
  }
  skein_run_close(run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_series),       cmocka_unit_test(test_points),    cmocka_unit_test(test_usda),
      cmocka_unit_test(test_alembic_back), cmocka_unit_test(test_damage),    cmocka_unit_test(test_usd_back),
      cmocka_unit_test(test_vtp_and_csv),  cmocka_unit_test(test_refusals),  cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_full_disk),    cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, make_run, remove_all);
}
