/* Files that scenes name: strands of .hair, OBJ and PLY become rods that lie on them, OBJ meshes become bodies, and no
 * bytes at all crash a reader. */
#include "support.h"

#include "scene/files.h"
#include "scene/fit.h"
#include "scene/scene.h"

#include <unistd.h>

static char folder[64];

static void write_file(const char *name, const void *bytes, size_t size, char *path, size_t room)
{
  snprintf(path, room, "%s/%s", folder, name);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  fclose(f);
}

/* A file as a scene sees it: the scene is text, the file is beside it. */
static skein_status read_scene(const char *text, skein_scene **s)
{
  return skein_scene_parse(text, "test.json", folder, NULL, 0, s);
}

static sk_vec3 helix_point(double a, double pitch, double s)
{
  double c = pitch / (2 * SK_PI), t = s / sqrt(a * a + c * c);
  return sk_vec(a * cos(t), a * sin(t), -c * t);
}

/* ---- .hair ---- */

enum { STRANDS = 3, POINTS = 5 + 9 + 33 };
static const int strand_points[STRANDS] = {5, 9, 33};

static void put32(unsigned char *p, uint32_t x)
{
  for (int k = 0; k < 4; k++) p[k] = (unsigned char)(x >> (8 * k));
}

static void put_float(unsigned char *p, float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  put32(p, bits);
}

/* Three helices; with these flags. Without segments all strands have five points. The size. */
static size_t make_hair(uint32_t flags, unsigned char *b)
{
  int strands = STRANDS, points = flags & 1 ? POINTS : 5 * STRANDS;
  size_t at = 128;
  memset(b, 0, 128), memcpy(b, "HAIR", 4);
  put32(b + 4, (uint32_t)strands), put32(b + 8, (uint32_t)points), put32(b + 12, flags), put32(b + 16, 4);
  for (int i = 0; i < strands && flags & 1; i++) b[at++] = (unsigned char)(strand_points[i] - 1), b[at++] = 0;
  for (int i = 0; i < strands && flags & 2; i++)
    for (int j = 0, n = flags & 1 ? strand_points[i] : 5; j < n; j++) {
      sk_vec3 x = helix_point(2, 30, 20.0 * j / (n - 1));
      put_float(b + at, (float)(x.x + 10 * i)), put_float(b + at + 4, (float)x.y), put_float(b + at + 8, (float)x.z);
      at += 12;
    }
  size_t rest = (size_t)points * ((flags & 4 ? 4 : 0) + (flags & 8 ? 4 : 0) + (flags & 16 ? 12 : 0));
  memset(b + at, 0, rest);
  return at + rest;
}

static void test_hair(void **state)
{
  (void)state;
  unsigned char b[8192];
  for (uint32_t flags = 0; flags < 32; flags++) {
    sk_strands s = {0};
    size_t size = make_hair(flags, b);
    skein_status status = sk_hair_parse((char *)b, size, &s);
    if (flags & 2) {
      expect_ok(status);
      assert_int_equal(s.count, STRANDS);
      for (int i = 0; i < STRANDS; i++) assert_int_equal(s.start[i + 1] - s.start[i], flags & 1 ? strand_points[i] : 5);
      expect_at_most(fabs(s.point[3 * (size_t)s.start[2]] - 22), 1e-6, "first point of the last strand");
    } else expect_bad(status, "has no points");
    sk_strands_destroy(&s);
    if (flags & 2) {
      expect_bad(sk_hair_parse((char *)b, size - 1, &s), "bytes, expected");
      sk_strands_destroy(&s);
    }
  }
}

/* A strand of two points is as long as they are apart. */
static void test_two_points(void **state)
{
  (void)state;
  static const char two[] = "v 1 2 3\nv 1 2 3.2\nl 1 2\n";
  char path[128];
  skein_scene *s;
  write_file("two.obj", two, strlen(two), path, sizeof path);
  expect_ok(read_scene("{\"rods\": [{\"file\": \"two.obj\", \"elements\": 4}]}", &s));
  expect_at_most(fabs(s->rods[0].def.length - 0.2), 1e-12, "length");
  expect_at_most(s->rods[0].fit, 1e-12, "distance of rod and strand");
  skein_scene_destroy(s);
}

static void test_hair_scene(void **state)
{
  (void)state;
  unsigned char b[8192];
  char path[128];
  skein_scene *s;
  write_file("groom.hair", b, make_hair(31, b), path, sizeof path);
  expect_ok(read_scene(
      "{\"units\": {\"length\": \"mm\"}, \"rods\": [{\"name\": \"g\", \"file\": \"groom.hair\", \"elements\": 6,"
      "\"root\": {\"position\": [0, 0, 5]}}]}",
      &s));
  assert_int_equal(s->rod_count, STRANDS);
  assert_string_equal(s->rods[2].name, "g[2]");
  expect_at_most(fabs(s->rods[2].def.length - 0.02), 1e-7, "length");
  expect_at_most(fabs(s->rods[2].def.pose.r[2] - 0.005), 1e-12, "height");
  expect_at_most(s->rods[2].fit, 1e-6, "distance of rod and strand");
  double c = 30 / (2 * SK_PI), w = 1 / (4 + c * c);
  for (int e = 0; e < 6; e++) {
    const double *u = s->rods[2].def.natural + 3 * e;
    expect_at_most(fabs(hypot(u[0], u[1]) - 2e3 * w), 4e3 * w * 1e-2, "curvature of the helix");
    expect_at_most(fabs(fabs(u[2]) - 1e3 * c * w), 1e3 * c * w * 0.2, "twist of the helix");
  }
  skein_scene_destroy(s);
  expect_ok(read_scene("{\"rods\": [{\"file\": \"groom.hair\", \"count\": 2, \"scale\": 0.001}]}", &s));
  assert_int_equal(s->rod_count, 2);
  skein_scene_destroy(s);
}

/* ---- OBJ ---- */

static skein_status parse_obj(const char *text, sk_strands *s)
{
  char copy[1024];
  snprintf(copy, sizeof copy, "%s", text);
  *s = (sk_strands){0};
  return sk_obj_strands_parse(copy, strlen(copy), s);
}

static void test_obj_lines(void **state)
{
  (void)state;
  sk_strands s;
  expect_ok(parse_obj(
      "# lines\nv 0 0 0\nv 0 0 1\n v 0 0 2 \r\nv 5 0 0\nv 5 0 1\nl 1/1 2/2 3\nl -1 -2 # two\nvn 0 0 1\n", &s));
  assert_int_equal(s.count, 2);
  assert_int_equal(s.start[1], 3);
  expect_at_most(fabs(s.point[3 * 3 + 2] - 1), 0, "root of the second strand");
  sk_strands_destroy(&s);
  expect_ok(parse_obj("v 0 0 0\nv 0 0 1\nv 0 0 2\nv 0 0 3\nl 3 4\nl 1 2\nl 2 3\n", &s)); /* one edge per line */
  assert_int_equal(s.count, 1);
  assert_int_equal(s.start[1], 4);
  sk_strands_destroy(&s);
  static const char *const bad[][2] = {{"v 0 0\nl 1 2\n", "line 1: expected v and three finite numbers"},
                                       {"v 0 0 nan\n", "line 1: expected v and three finite numbers"},
                                       {"v 0 0 0\nl 1 2\n", "line 2: expected numbers of vertices, 1 to 1 or -1 to -1"},
                                       {"v 0 0 0\nl 1\n", "line 2: expected at least 2 vertices, found 1"},
                                       {"v 0 0 0\nv 1 0 0\n", "has no lines"},
                                       {"v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3 1\n", "vertex 1 is on a closed loop"},
                                       {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nl 1 2 3\nl 2 4\n", "vertex 2 has three"}};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    expect_bad(parse_obj(bad[k][0], &s), bad[k][1]);
    sk_strands_destroy(&s);
  }
}

static const char cube[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                           "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static void test_mesh(void **state)
{
  (void)state;
  char path[128];
  skein_scene *s;
  write_file("cube.obj", cube, strlen(cube), path, sizeof path);
  write_file("open.obj", cube, strlen(cube) - 10, path, sizeof path);
  expect_ok(read_scene(
      "{\"units\": {\"length\": \"cm\"}, \"bodies\": [{\"shape\": {\"type\": \"mesh\", \"file\": \"cube.obj\","
      "\"scale\": 2, \"convex\": true}, \"density\": 1000, \"position\": [10, 0, 0],"
      "\"rotation\": {\"axis\": [0, 0, 1], \"angle\": 90}}, {\"shape\": {\"type\": \"mesh\", \"file\": "
      "\"open.obj\"}}]}",
      &s));
  const sk_scene_body *b = &s->bodies[0];
  assert_int_equal(s->mesh_count, 2);
  assert_int_equal(sk_mesh_triangles(b->shape.mesh), 12);
  expect_at_most(fabs(b->mass - 8e-3), 1e-15, "mass");
  expect_at_most(fabs(b->inertia.c[0].x - 8e-3 * 4e-4 / 6), 1e-18, "inertia");
  expect_at_most(sk_norm(sk_sub(b->pose.r, sk_vec(0.09, 0.01, 0.01))), 1e-15, "centre of mass in the world");
  expect_at_most(fabs(sk_mesh_vertex_data(b->shape.mesh)[0] + 0.01), 1e-15, "corner from the centre");
  skein_scene_destroy(s);
  expect_bad(read_scene("{\"bodies\": [{\"shape\": {\"type\": \"mesh\", \"file\": \"open.obj\"}, \"mass\": 1}]}", &s),
             "bodies[0].shape: has no volume");
}

/* ---- PLY ---- */

static size_t make_ply(bool big, char *out)
{
  static const float points[][3] = {{0, 0, 0}, {0, 0, 1}, {0, 0.25f, 2}};
  static const unsigned char edges[][2] = {{1, 2}, {0, 1}};
  size_t n =
      (size_t)sprintf(out,
                      "ply\nformat binary_%s_endian 1.0\ncomment x\nelement face 1\nproperty list uchar int v\n"
                      "element vertex 3\nproperty uchar red\nproperty float x\nproperty float y\nproperty double z\n"
                      "element edge 2\nproperty uchar vertex1\nproperty ushort vertex2\nend_header\n",
                      big ? "big" : "little");
  memcpy(out + n, "\1\0\0\0\0", 5), n += 5;
  for (int i = 0; i < 3; i++) {
    out[n++] = 7;
    double z = points[i][2];
    unsigned char bytes[16];
    memcpy(bytes, &points[i][0], 4), memcpy(bytes + 4, &points[i][1], 4), memcpy(bytes + 8, &z, 8);
    static const int starts[] = {0, 4, 8, 16};
    for (int f = 0; f < 3; f++)
      for (int k = 0, w = starts[f + 1] - starts[f]; k < w; k++)
        out[n++] = (char)bytes[big ? starts[f] + w - 1 - k : starts[f] + k];
  }
  for (int i = 0; i < 2; i++) {
    out[n++] = (char)edges[i][0];
    out[n++] = big ? 0 : (char)edges[i][1], out[n++] = big ? (char)edges[i][1] : 0;
  }
  return n;
}

static void test_ply(void **state)
{
  (void)state;
  char b[2048];
  sk_strands s = {0};
  for (int big = 0; big < 2; big++) {
    size_t size = make_ply(big, b);
    expect_ok(sk_ply_parse(b, size, &s));
    assert_int_equal(s.count, 1);
    assert_int_equal(s.start[1], 3);
    expect_at_most(fabs(s.point[7] - 0.25) + fabs(s.point[8] - 2), 0, "last point");
    sk_strands_destroy(&s);
    make_ply(big, b);
    expect_bad(sk_ply_parse(b, size - 1, &s), "ends at edge 1 of 2");
    sk_strands_destroy(&s);
  }
  strcpy(b,
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
         "0 0 0\n0 0 1\n0 0 2.5\n");
  expect_ok(sk_ply_parse(b, strlen(b), &s));
  expect_at_most(fabs(s.point[8] - 2.5), 0, "a chain of vertices");
  sk_strands_destroy(&s);
  strcpy(b, "ply\nformat ascii 1.0\nelement vertex 1000000000\nproperty float x\nend_header\n");
  expect_bad(sk_ply_parse(b, strlen(b), &s), "line 3: not understood");
  strcpy(b, "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nend_header\n1 2 3 4 5");
  expect_bad(sk_ply_parse(b, strlen(b), &s), "no x, y and z");
}

/* ---- Fits ---- */

static void test_fit(void **state)
{
  (void)state;
  enum { N = 64, ELEMENTS = 80 };
  double x[3 * N], cells[3 * ELEMENTS];
  sk_fit fit = {.cells = cells};
  for (int i = 0; i < N; i++) sk_store3(x + 3 * i, sk_vec(0, 0, -i)); /* straight */
  expect_ok(sk_fit_strand(x, N, 6, false, &fit));
  expect_at_most(fit.largest, 1e-9, "straight strand"), expect_at_most(largest(cells, 18), 1e-9, "its curvatures");
  for (int i = 0; i < N; i++) sk_store3(x + 3 * i, helix_point(2, 6, i)); /* four and a half turns */
  expect_ok(sk_fit_strand(x, N, ELEMENTS, false, &fit));
  expect_at_most(fit.largest, 0.02, "helix with many elements");
  expect_ok(sk_fit_strand(x, N, 10, false, &fit));
  expect_at_most(fit.largest, 0.02, "helix with few elements");
  for (int i = 0; i < N; i++) sk_store3(x + 3 * i, sk_vec(1, 2, 3));
  expect_bad(sk_fit_strand(x, N, 6, false, &fit), "has no length");
  for (int i = 0; i < N; i++) sk_store3(x + 3 * i, sk_vec(0, 0, i % 2)); /* to and fro */
  expect_ok(sk_fit_strand(x, N, 6, false, &fit));
  assert_true(isfinite(fit.largest) && isfinite(largest(cells, 18)));
  for (int i = 0; i < 3 * N; i++) x[i] = (i % 7 - 3) * 1e15;
  skein_status s = sk_fit_strand(x, N, 6, false, &fit);
  assert_true(s.code == SKEIN_BAD_INPUT || isfinite(fit.largest));
}

enum { SHAPES = 9 };

/* Curves of the kinds that rounding may take for another: straight, in a plane with inflections, with corners. */
static sk_vec3 odd_point(int shape, int i, int count)
{
  double t = (double)i / (count - 1);
  switch (shape) {
  case 0:
    return sk_vec(0, 0, -0.2 * t);
  case 1:
    return sk_vec(0.1 * t, 0.1 * t, 0.1 * t);
  case 2:
    return sk_vec(0.05 * cos(3 * t), 0.05 * sin(3 * t), 0);
  case 3:
    return sk_vec(0.2 * t, 0.02 * sin(12 * t), 0);
  case 4:
    return sk_vec(0.02 * sin(4 * SK_PI * t), 0, -0.2 * t);
  case 5:
    return sk_vec(0.1 * t, 0.1 * (t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t)), 0);
  case 6:
    return sk_vec(0.1 * fmin(t, 0.5), 0.1 * fmax(0, t - 0.5), 0);
  case 7: /* to and back */
    return sk_vec(0, 0, -0.2 * fmin(t, 1 - t));
  default:
    return sk_vec(0.01 * ((i + 2) / 3), 0.01 * ((i + 1) / 3), 0.01 * (i / 3));
  }
}

/* Places and frames of a fitted rod, in units of `scale`. */
static void walk(const sk_fit *f, int elements, double scale, sk_vec3 *r, sk_mat3 *R)
{
  double l = f->length / elements;
  r[0] = f->root, R[0] = f->frame;
  for (int q = 0; q < elements; q++) {
    sk_vec3 u = sk_load3(f->cells + 3 * q);
    r[q + 1] = sk_add(r[q], sk_apply(R[q], sk_fit_piece(u, l)));
    R[q + 1] = sk_mat_mul(R[q], sk_rotation(sk_mul(l, u)));
  }
  for (int q = 0; q <= elements; q++) r[q] = sk_mul(1 / scale, r[q]);
}

/* The same strand in other units has the same fit, as far as numbers can. */
static void test_fit_units(void **state)
{
  (void)state;
  enum { N = 41, MOST = 40 };
  static const int counts[] = {N, 40, 25}, elements[] = {1, 6, 16, MOST};
  static const double scale[] = {1e3, 1e2, 1 / 0.0254};
  sk_mat3 turn[] = {sk_identity3(), sk_rotation(sk_vec(SK_PI / 2, 0, 0)), sk_rotation(sk_vec(0.3, -0.7, 1.1)),
                    sk_rotation(sk_vec(0, 0, SK_PI / 4))};
  for (int k = 0; k < SHAPES * 3 * 4 * 4 * 3; k++) {
    int shape = k % SHAPES, count = counts[k / SHAPES % 3], n = elements[k / SHAPES / 3 % 4];
    sk_mat3 T = turn[k / SHAPES / 12 % 4];
    double x[3 * N], y[3 * N], cells[2][3 * MOST], unit = scale[k / SHAPES / 48];
    sk_vec3 r[2][MOST + 1];
    sk_mat3 R[2][MOST + 1];
    sk_fit a = {.cells = cells[0]}, b = {.cells = cells[1]};
    for (int i = 0; i < count; i++) sk_store3(x + 3 * i, sk_apply(T, odd_point(shape, i, count)));
    for (int i = 0; i < 3 * count; i++) y[i] = unit * x[i];
    expect_ok(sk_fit_strand(x, count, n, n >= 16, &a));
    expect_ok(sk_fit_strand(y, count, n, n >= 16, &b));
    walk(&a, n, 1, r[0], R[0]), walk(&b, n, unit, r[1], R[1]);
    for (int q = 0; q <= n; q++) {
      expect_at_most(sk_norm(sk_sub(r[0][q], r[1][q])), 1e-10 * a.length, "place in other units");
      for (int c = 0; c < 3; c++)
        expect_at_most(sk_norm(sk_sub(R[0][q].c[c], R[1][q].c[c])), 1e-8, "frame in other units");
    }
  }
}

/* ---- Damage ---- */

typedef skein_status (*parser)(char *bytes, size_t size);

static skein_status try_hair(char *b, size_t size)
{
  sk_strands s = {0};
  skein_status status = sk_hair_parse(b, size, &s);
  sk_strands_destroy(&s);
  return status;
}

static skein_status try_obj(char *b, size_t size)
{
  sk_strands s = {0};
  sk_triangles t = {0};
  char *copy = malloc(size + 1);
  memcpy(copy, b, size + 1);
  skein_status status = sk_obj_strands_parse(copy, size, &s);
  memcpy(copy, b, size + 1);
  sk_obj_triangles_parse(copy, size, &t);
  free(copy);
  sk_strands_destroy(&s), sk_triangles_destroy(&t);
  return status;
}

static skein_status try_ply(char *b, size_t size)
{
  sk_strands s = {0};
  skein_status status = sk_ply_parse(b, size, &s);
  sk_strands_destroy(&s);
  return status;
}

/* On the heap at its exact size, with the zero byte that files have: the sanitizer sees every step beyond. */
static void try_bytes(parser parse, const char *bytes, size_t size)
{
  char *copy = malloc(size + 1);
  memcpy(copy, bytes, size), copy[size] = 0;
  skein_status s = parse(copy, size);
  assert_true(s.code == SKEIN_OK || strlen(s.message) > 0);
  free(copy);
}

static void damage(parser parse, const char *bytes, size_t size, uint64_t seed)
{
  sk_random g = sk_random_make(seed);
  char *copy = malloc(size), noise[256];
  for (size_t n = 0; n <= size; n++) try_bytes(parse, bytes, n);
  for (int k = 0; k < (SLOW_BUILD ? 1000 : 10000); k++) {
    memcpy(copy, bytes, size);
    for (int i = 0; i <= k % 3; i++) copy[sk_random_int(&g, (int)size)] = (char)sk_random_u64(&g);
    try_bytes(parse, copy, size);
    int n = sk_random_int(&g, sizeof noise);
    for (int i = 0; i < n; i++) noise[i] = (char)sk_random_u64(&g);
    memcpy(noise, bytes, (size_t)SK_MIN(n, k % 20));
    try_bytes(parse, noise, (size_t)n);
  }
  free(copy);
}

static void test_damage(void **state)
{
  (void)state;
  static char b[8192];
  size_t n = make_hair(31, (unsigned char *)b);
  damage(try_hair, b, n, 1);
  damage(try_obj, cube, strlen(cube), 2);
  n = (size_t)sprintf(b, "v 0 0 0\nv 0 1 0\nv 0 2 0\nl 1 2 3\n");
  damage(try_obj, b, n, 3);
  n = make_ply(false, b), damage(try_ply, b, n, 4);
  n = make_ply(true, b), damage(try_ply, b, n, 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hair),      cmocka_unit_test(test_hair_scene), cmocka_unit_test(test_two_points),
      cmocka_unit_test(test_obj_lines), cmocka_unit_test(test_mesh),       cmocka_unit_test(test_ply),
      cmocka_unit_test(test_fit),       cmocka_unit_test(test_fit_units),  cmocka_unit_test(test_damage)};
  strcpy(folder, "/tmp/skein_scene_XXXXXX");
  if (!mkdtemp(folder)) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  static const char *const made[] = {"groom.hair", "cube.obj", "open.obj"};
  for (int k = 0; k < 3; k++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, made[k]);
    unlink(path);
  }
  rmdir(folder);
  return failed;
}
