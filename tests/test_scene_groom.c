/* Heads and the hair on them: the surface is closed and looks out, the nearest place of a mesh to a point is that of
 * the segment's search, and a groom has its roots on the scalp, its strands outside, and the same bits for any number
 * of threads. */
#include "body_support.h"

#include "scene/reader.h"
#include "scene/scene.h"

#include <omp.h>
#include <unistd.h>

/* ---- The head ---- */

typedef struct edge {
  int from, to;
} edge;

static int compare_edges(const void *pa, const void *pb)
{
  const edge *a = pa, *b = pb;
  return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

/* Each edge is there once in each sense. */
static void expect_closed(const sk_mesh *m)
{
  size_t n = 3 * (size_t)sk_mesh_triangles(m);
  const int *t = sk_mesh_triangle_data(m);
  edge *e = calloc(n, sizeof *e);
  assert_non_null(e);
  for (size_t k = 0; k < n; k++) e[k] = (edge){t[k], t[k - k % 3 + (k + 1) % 3]};
  qsort(e, n, sizeof *e, compare_edges);
  for (size_t k = 0; k < n; k++) {
    edge back = {e[k].to, e[k].from};
    if (k > 0 && compare_edges(&e[k - 1], &e[k]) == 0) fail_msg("edge %d-%d twice in one sense", e[k].from, e[k].to);
    if (!bsearch(&back, e, n, sizeof *e, compare_edges)) fail_msg("edge %d-%d has one side", e[k].from, e[k].to);
  }
  free(e);
}

/* Sum of a . (b x c) / 6: positive where the faces look out. */
static double volume_of(const sk_mesh *m)
{
  const double *v = sk_mesh_vertex_data(m);
  const int *t = sk_mesh_triangle_data(m);
  double sum = 0;
  for (int k = 0; k < sk_mesh_triangles(m); k++, t += 3)
    sum += sk_dot(sk_load3(v + 3 * t[0]), sk_cross(sk_load3(v + 3 * t[1]), sk_load3(v + 3 * t[2]))) / 6;
  return sum;
}

static void test_heads_are_closed(void **state)
{
  (void)state;
  static const double least[] = {[SK_HEAD] = 2e-3, [SK_BUST] = 10e-3}, most[] = {[SK_HEAD] = 6e-3, [SK_BUST] = 40e-3};
  for (int part = SK_HEAD; part <= SK_BUST; part++) {
    sk_mesh *m, *twice;
    expect_ok(sk_head_create((sk_head_part)part, SK_HEAD_HEIGHT, &m));
    expect_ok(sk_head_create((sk_head_part)part, 2 * SK_HEAD_HEIGHT, &twice));
    expect_closed(m);
    double volume = volume_of(m);
    expect_at_most(least[part], volume, "volume, at least");
    expect_at_most(volume, most[part], "volume, at most");
    expect_at_most(fabs(volume_of(twice) - 8 * volume), 1e-9 * volume, "volume of twice the height");
    sk_mesh_destroy(m), sk_mesh_destroy(twice);
  }
}

static void test_nearest_place(void **state)
{
  (void)state;
  sk_mesh *m;
  sk_random g = sk_random_make(3);
  int found = 0;
  expect_ok(sk_head_create(SK_HEAD, SK_HEAD_HEIGHT, &m));
  sk_shape s = {.kind = SK_MESH, .mesh = m}, ball = {.kind = SK_SPHERE, .radius = 0.05};
  for (int k = 0; k < CASES; k++) {
    sk_near one, all[SK_NEAR_MAX];
    sk_pose pose = pose_drawn(&g, 1);
    const sk_shape *shape = k % 8 ? &s : &ball;
    sk_vec3 x = sk_pose_out(&pose, drawn(&g, 0.15));
    double reach = sk_random_uniform(&g, 0, 0.05);
    bool near = sk_shape_point(shape, &pose, x, reach, &one);
    assert_int_equal(near, sk_shape_segment(shape, &pose, x, x, reach, all) > 0);
    if (!near) continue;
    expect_at_most(fabs(one.distance - all[0].distance), 1e-12, "distance");
    expect_at_most(sk_norm(sk_sub(x, sk_axpy(one.point, one.distance, one.normal))), 1e-9, "x - point");
    found++;
  }
  assert_true(found > CASES / 8 && found < CASES);
  sk_mesh_destroy(m);
}

/* ---- Grooms ---- */

static const char curly_text[] =
    "{\"materials\": {\"hair\": {\"preset\": \"hair-caucasian\", \"collision_radius\": 0.001}},"
    " \"rods\": [{\"length\": 0.2, \"elements\": 4, \"material\": \"hair\", \"natural\": {\"curvature\": [60, 0]},"
    " \"root\": {\"body\": \"head\"}, \"start\": {\"outside\": true},"
    " \"groom\": {\"count\": 24, \"parting\": \"left\", \"variation\": 0.2, \"seed\": 5}}],"
    " \"bodies\": [{\"name\": \"head\", \"shape\": {\"type\": \"head\"}, \"position\": [0.1, 0.2, 1.5],"
    " \"rotation\": {\"axis\": [0, 0, 1], \"angle\": 40}}]}";

static skein_scene *parse_with(const char *text, const char *folder, int threads)
{
  skein_scene *s;
  int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  expect_ok(skein_scene_parse(text, "test.json", folder, NULL, 0, &s));
  omp_set_num_threads(before);
  return s;
}

static void test_same_bits(void **state)
{
  (void)state;
  skein_scene *one = parse_with(curly_text, ".", 1), *three = parse_with(curly_text, ".", 3);
  assert_int_equal(one->rod_count, 24);
  assert_int_equal(three->rod_count, 24);
  for (int i = 0; i < one->rod_count; i++) {
    const skein_rod_def *a = &one->rods[i].def, *b = &three->rods[i].def;
    assert_int_equal(a->initials, b->initials);
    assert_int_equal(a->naturals, b->naturals);
    assert_memory_equal(&a->length, &b->length, sizeof a->length);
    assert_memory_equal(&a->pose, &b->pose, sizeof a->pose);
    assert_memory_equal(a->initial, b->initial, 3 * sizeof(double) * (size_t)a->initials);
    assert_memory_equal(a->natural, b->natural, 3 * sizeof(double) * (size_t)a->naturals);
  }
  skein_scene_destroy(one), skein_scene_destroy(three);
}

/* Roots are at the skin where hair grows, in the axes of the body; no two are the same. */
static void test_roots(void **state)
{
  (void)state;
  skein_scene *s = parse_with(curly_text, ".", 2);
  const sk_scene_body *head = s->bodies;
  for (int i = 0; i < s->rod_count; i++) {
    const sk_scene_rod *rod = s->rods + i;
    sk_near near;
    sk_vec3 x = sk_load3(rod->def.pose.r);
    assert_true(sk_shape_point(&head->shape, &head->pose, x, 0.01, &near));
    expect_at_most(fabs(near.distance), 2 * rod->radius, "root off the skin");
    assert_true(sk_head_has_hair(SK_HEAD_HEIGHT, sk_add(sk_pose_in(&head->pose, x), sk_vec(0, 0, 3 * rod->radius))));
    assert_int_equal(rod->root_body, 0);
    expect_at_most(rod->inside, 0.1 * rod->radius, "inside of the head");
    expect_at_most(0.2 * 0.79, rod->def.length, "length, at least");
    expect_at_most(rod->def.length, 0.2 * 1.21, "length, at most");
    for (int j = 0; j < i; j++)
      expect_at_most(1e-3, sk_norm(sk_sub(x, sk_load3(s->rods[j].def.pose.r))), "between roots");
  }
  skein_scene_destroy(s);
}

/* Raised strands go straight on; only what a body stands in the way of is bent. */
static void test_raised(void **state)
{
  (void)state;
  static const char text[] =
      "{\"rods\": [{\"length\": 0.2, \"root\": {\"body\": \"head\"}, \"groom\": {\"count\": 40, \"raised\": true}}],"
      " \"bodies\": [{\"name\": \"head\", \"shape\": {\"type\": \"head\"}}]}";
  skein_scene *s = parse_with(text, ".", 2);
  int straight = 0;
  for (int i = 0; i < s->rod_count; i++) {
    const skein_rod_def *d = &s->rods[i].def;
    double most = 0;
    for (int k = 0; k < 3 * d->initials; k++) most = fmax(most, fabs(d->initial[k]));
    straight += most < 0.5; /* 1/m */
  }
  assert_true(straight >= 30);
  skein_scene_destroy(s);
}

/* Curls that begin raised begin straight, but for what takes them clear of the bodies. Twist belongs to the curl from
 * the start where it is locked: bent there, an element would not lie where it was fitted. */
static void test_raised_curls(void **state)
{
  (void)state;
  static const char text[] =
      "{\"rods\": [{\"length\": 0.3, \"elements\": 6, \"twist_locked\": 2, \"root\": {\"body\": \"head\"},"
      " \"natural\": {\"helix\": {\"radius\": 0.008, \"pitch\": 0.04}}, \"start\": {\"outside\": true},"
      " \"groom\": {\"count\": 60, \"raised\": true}}],"
      " \"bodies\": [{\"name\": \"head\", \"shape\": {\"type\": \"head\"}},"
      " {\"name\": \"bust\", \"shape\": {\"type\": \"head\", \"part\": \"bust\"}}]}";
  skein_scene *s = parse_with(text, ".", 2);
  for (int i = 0; i < s->rod_count; i++) {
    const skein_rod_def *d = &s->rods[i].def;
    const double *natural = d->natural + 3 * (d->naturals - 1);
    expect_at_most(60, sqrt(natural[0] * natural[0] + natural[1] * natural[1]), "natural curvature, at least");
    assert_int_equal(d->initials, 6);
    for (int k = 12; k < 18; k++) expect_at_most(fabs(d->initial[k]), 0.1, "curvature of the last elements");
    expect_at_most(s->rods[i].moved, 0, "moved out of bodies");
  }
  skein_scene_destroy(s);
}

/* A roof of two slopes: one is the group "scalp" and has all the hair. */
static void test_scalp_of_a_group(void **state)
{
  (void)state;
  static const char text[] =
      "{\"rods\": [{\"length\": 0.1, \"root\": {\"body\": \"roof\"}, \"groom\": {\"count\": 9, \"scalp\": {\"group\":"
      " \"scalp\"}}}], \"bodies\": [{\"name\": \"roof\", \"shape\": {\"type\": \"mesh\", \"file\": \"roof.obj\"}}]}";
  char folder[] = "/tmp/skein_groom_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/roof.obj", folder);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs("v -1 -1 0\nv 0 -1 1\nv 0 1 1\nv -1 1 0\nv 1 -1 0\nv 1 1 0\ng skin\nf 1 2 3 4\ng scalp\nf 2 5 6 3\n", out);
  fclose(out);
  skein_scene *s = parse_with(text, folder, 1);
  assert_int_equal(s->rod_count, 9);
  for (int i = 0; i < 9; i++) {
    const double *r = s->rods[i].def.pose.r;
    assert_true(r[0] > 0 && r[0] < 1.01 && fabs(r[1]) < 1.01);
    expect_at_most(fabs(r[0] + r[2] - 1), 0.01, "off the slope");
  }
  skein_scene_destroy(s);
  remove(path), remove(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_heads_are_closed), cmocka_unit_test(test_nearest_place),
                                     cmocka_unit_test(test_same_bits),        cmocka_unit_test(test_roots),
                                     cmocka_unit_test(test_raised),           cmocka_unit_test(test_raised_curls),
                                     cmocka_unit_test(test_scalp_of_a_group)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
