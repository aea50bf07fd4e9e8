/* Segments against shapes and meshes: against brute force, at odd places, and bad meshes by name. */
#include "body_support.h"

/* ---- Segments ---- */

typedef struct trial {
  const sk_shape *s;
  sk_pose pose;
  sk_vec3 a, b;
  double reach;
  bool closed;
  int samples;
} trial;

/* Every contact is true: unit normal, point on the surface, x = point + distance normal; nearest first; the nearest is
 * what sampling finds. */
static void check_segment(const trial *w)
{
  sk_near near[SK_NEAR_MAX];
  int n = sk_shape_segment(w->s, &w->pose, w->a, w->b, w->reach, near);
  double length = sk_norm(sk_sub(w->b, w->a)), least = INFINITY, slack = length / w->samples + 1e-9;
  for (int k = 0; k <= w->samples; k++) {
    sk_vec3 x = sk_axpy(w->a, (double)k / w->samples, sk_sub(w->b, w->a));
    least = fmin(least, distance_to(w->s, &w->pose, x, w->closed));
  }
  if (n == 0) {
    expect_at_most(w->reach - slack, least, "reach of what was not found");
    return;
  }
  expect_at_most(near[0].distance, least + 1e-6, "nearest against sampled");
  expect_at_most(least - slack, near[0].distance, "sampled against nearest");
  for (int k = 0; k < n; k++) {
    sk_vec3 x = sk_axpy(w->a, near[k].t, sk_sub(w->b, w->a));
    double phi = distance_to(w->s, &w->pose, x, w->closed);
    expect_at_most(fabs(sk_norm(near[k].normal) - 1), 1e-12, "length of the normal");
    expect_at_most(fabs(distance_to(w->s, &w->pose, near[k].point, false)), 1e-9, "point on the surface");
    expect_at_most(sk_norm(sk_sub(x, sk_axpy(near[k].point, near[k].distance, near[k].normal))), 1e-9, "x - point");
    if (w->s->kind != SK_MESH || k == 0) expect_at_most(fabs(phi - near[k].distance), 1e-8, "distance at t");
    expect_at_most(phi, near[k].distance + 1e-9, "distance over the nearest");
    expect_at_most(near[k].distance, w->reach, "distance within reach");
    assert_true(near[k].t >= 0 && near[k].t <= 1 && sk_feature_face(near[k].feature) >= 0);
    if (k > 0) assert_true(near[k].distance >= near[k - 1].distance);
  }
}

/* A segment somewhere: long or short, a point, along an axis of the shape, through its middle. */
static trial trial_drawn(sk_random *g, const sk_shape *s, double size, int k)
{
  trial w = {.s = s, .pose = pose_drawn(g, 1), .samples = 400};
  sk_vec3 a = drawn(g, size), b = drawn(g, size);
  if (k % 7 == 1) b = a;
  if (k % 7 == 2) b = sk_axpy(a, 1e-9, b);
  if (k % 7 == 3) b = sk_add(a, sk_vec(0, k % 2 ? size : 0, k % 2 ? 0 : size));
  if (k % 7 == 4) b = sk_mul(-0.5, a);
  if (k % 7 == 5) a = sk_mul(0.3, a), b = sk_mul(0.3, b);
  if (k % 49 == 6) a = sk_vec(0, 0, 0);
  if (k % 49 == 13) a = sk_vec(0, 0, -0.3), b = sk_vec(0, 0, 0.4);
  w.a = sk_pose_out(&w.pose, a), w.b = sk_pose_out(&w.pose, b);
  w.reach = k % 5 == 0 ? 0.01 : sk_random_uniform(g, 0, size);
  return w;
}

static void test_segment_solids(void **state)
{
  (void)state;
  for (int i = 0; i < SOLIDS; i++) {
    sk_random g = sk_random_make((uint64_t)i + 1);
    for (int k = 0; k < CASES; k++) {
      trial w = trial_drawn(&g, &solids[i], 1.5, k);
      check_segment(&w);
    }
  }
}

static void check_mesh(const soup *s, bool convex, bool closed, uint64_t seed)
{
  sk_mesh *m = mesh_of(s, convex);
  sk_shape shape = {.kind = SK_MESH, .mesh = m};
  sk_random g = sk_random_make(seed);
  for (int k = 0; k < MESH_CASES; k++) {
    trial w = trial_drawn(&g, &shape, 1.3, k);
    w.samples = 100, w.closed = closed;
    if (closed) check_segment(&w);
    else {
      double least = INFINITY;
      for (int i = 0; i <= 200; i++)
        least = fmin(least, distance_to(&shape, &w.pose, sk_axpy(w.a, i / 200.0, sk_sub(w.b, w.a)), false));
      if (least > 0.01 + sk_norm(sk_sub(w.b, w.a)) / 200) check_segment(&w);
    }
  }
  sk_mesh_destroy(m);
}

static void test_segment_meshes(void **state)
{
  (void)state;
  soup s[] = {make_torus(20, 8, 0.8, 0.3, 0),
              make_torus(24, 8, 0.7, 0.25, 0.4),
              make_ball(8, 12, 0.9),
              make_box(sk_vec(0.4, 0.6, 0.8), 1, 1),
              make_box(sk_vec(0.4, 0.6, 0.8), 5, 3),
              make_box(sk_vec(0.9, 0.7, 0.02), 3, 2),
              make_box(sk_vec(0.5, 0.5, 0.5), 1, 30)};
  for (size_t k = 0; k < sizeof s / sizeof s[0]; k++) {
    check_mesh(&s[k], k == 2, true, 100 + k);
    if (k == 0) /* inside out */
      for (int i = 0; i < s[k].nt; i++) {
        int swap = s[k].t[3 * i];
        s[k].t[3 * i] = s[k].t[3 * i + 1], s[k].t[3 * i + 1] = swap;
      }
    if (k == 0) check_mesh(&s[k], false, true, 200);
    soup_free(&s[k]);
  }
  soup open = make_sheet(12, hills);
  check_mesh(&open, false, false, 300);
  soup_free(&open);
}

/* Triangles thinner than a hair, without area, twice the same: distances stay true. */
static void test_segment_needles(void **state)
{
  (void)state;
  sk_random g = sk_random_make(5);
  for (int k = 0; k < CASES; k++) {
    double thin = pow(10, -1.0 * (k % 18));
    soup s = soup_make(6, 3);
    for (int i = 0; i < 6; i++) sk_store3(s.v + 3 * i, drawn(&g, 0.8));
    sk_store3(s.v + 6, sk_axpy(sk_mul(0.5, sk_add(sk_load3(s.v), sk_load3(s.v + 3))), k % 18 ? thin : 0, drawn(&g, 1)));
    int t[9] = {0, 1, 2, 0, 2, 1, 3, 4, k % 3 ? 5 : 3};
    memcpy(s.t, t, sizeof t);
    check_mesh(&s, k % 2, false, (uint64_t)k + 1);
    soup_free(&s);
    k += 7;
  }
}

/* Pieces that lie on something rest on both ends; what is deep inside goes out the shortest way. */
static void test_segment_places(void **state)
{
  (void)state;
  sk_near n[SK_NEAR_MAX];
  sk_shape plane = solids[0], box = {.kind = SK_BOX, .edges = {1, 1, 1}},
           cylinder = {.kind = SK_CYLINDER, .radius = 1, .half = 2};
  assert_int_equal(sk_shape_segment(&plane, &home, sk_vec(0, 0, 0.1), sk_vec(1, 0, 0.1), 0.2, n), 2);
  assert_int_equal(sk_shape_segment(&plane, &home, sk_vec(0, 0, 0.1), sk_vec(1, 0, 0.5), 0.2, n), 1);
  assert_int_equal(sk_shape_segment(&box, &home, sk_vec(-3, 0, 1.1), sk_vec(3, 0.5, 1.1), 0.2, n), 2);
  expect_at_most(fabs(fabs(n[0].point.x) - 1) + fabs(fabs(n[1].point.x) - 1), 1e-12, "edges of the box");
  assert_int_equal(sk_shape_segment(&cylinder, &home, sk_vec(1.1, 0, -5), sk_vec(1.1, 0, 5), 0.2, n), 2);
  expect_at_most(fabs(fabs(n[0].point.z) - 2) + fabs(fabs(n[1].point.z) - 2), 1e-12, "rims of the cylinder");
  assert_true(sk_shape_segment(&box, &home, sk_vec(0.9, 0, 0), sk_vec(0.9, 0.01, 0), 0.2, n) >= 1);
  expect_at_most(fabs(n[0].distance + 0.1) + fabs(n[0].normal.x - 1), 1e-12, "deep in the box");
  assert_true(sk_shape_segment(&cylinder, &home, sk_vec(0, 0, -0.5), sk_vec(0, 0, 0.5), 0.2, n) >= 1);
  expect_at_most(fabs(n[0].distance + 1) + fabs(n[0].normal.z), 1e-12, "on the axis of the cylinder");
  sk_vec3 bad = {NAN, 0, 0}, far = {1e300, -1e300, 1e300};
  for (int i = 0; i < SOLIDS; i++) {
    assert_int_equal(sk_shape_segment(&solids[i], &home, bad, far, 1, n), 0);
    assert_int_equal(sk_shape_segment(&solids[i], &home, far, bad, INFINITY, n), 0);
    assert_int_equal(sk_shape_segment(&solids[i], &home, far, far, 1, n), 0);
    assert_int_equal(sk_shape_segment(&solids[i], &home, sk_vec(0, 0, 0), sk_vec(1, 1, 1), NAN, n), 0);
  }
}

/* Level sheet: two contacts however fine; ridge: one; groove: one per wall; through it: back to the longer side. */
static void test_segment_minima(void **state)
{
  (void)state;
  sk_near n[SK_NEAR_MAX];
  soup s[] = {make_sheet(1, level), make_sheet(30, level), make_sheet(30, ridge), make_sheet(30, groove)};
  for (int k = 0; k < 4; k++) {
    sk_mesh *m = mesh_of(&s[k], false);
    sk_shape shape = {.kind = SK_MESH, .mesh = m};
    for (int tilt = 0; tilt < 3 && k < 2; tilt++) {
      double up = tilt == 0 ? 0 : tilt == 1 ? 1e-9 : 0.02;
      assert_int_equal(sk_shape_segment(&shape, &home, sk_vec(-0.5, 0.1, 0.05), sk_vec(0.52, 0.2, 0.05 + up), 0.1, n),
                       2);
      expect_at_most(fabs(n[0].normal.z - 1) + fabs(n[1].normal.z - 1), 1e-9, "level normals");
      assert_int_equal(sk_shape_segment(&shape, &home, sk_vec(-3, 0.1, 0.05), sk_vec(3, 0.1, 0.05 + up), 0.1, n), 2);
      expect_at_most(fabs(fabs(n[0].point.x) - 1) + fabs(fabs(n[1].point.x) - 1), 1e-6, "edges of the sheet");
      assert_int_equal(sk_shape_segment(&shape, &home, sk_vec(0.1, 0.1, -0.01), sk_vec(0.1, 0.1, 0.2), 0.1, n), 1);
      expect_at_most(fabs(n[0].distance + 0.01) + fabs(n[0].normal.z - 1), 1e-12, "end that came through");
    }
    if (k == 2) {
      assert_int_equal(sk_shape_segment(&shape, &home, sk_vec(-0.5, 0.01, 0.05), sk_vec(0.5, 0.01, 0.05), 0.1, n), 1);
      expect_at_most(fabs(n[0].point.x) + fabs(n[0].normal.z - 1), 1e-12, "on the ridge");
    }
    if (k == 3) { /* along the groove: ends on both walls */
      int found = sk_shape_segment(&shape, &home, sk_vec(0, -0.5, 0.1), sk_vec(0, 0.5, 0.1), 0.1, n), left = 0;
      for (int i = 0; i < found; i++) left += n[i].normal.x > 0;
      assert_int_equal(found, 4);
      assert_int_equal(left, 2);
      found = sk_shape_segment(&shape, &home, sk_vec(-0.3, 0, 0.34), sk_vec(0.3, 0, 0.34), 0.1, n);
      assert_int_equal(found, 2); /* across: one end on each wall */
    }
    sk_mesh_destroy(m);
    soup_free(&s[k]);
  }
}

/* A mesh that moved answers like one that was built there. */
static void test_mesh_moves(void **state)
{
  (void)state;
  soup s = make_torus(20, 8, 0.8, 0.3, 0), other = make_torus(20, 8, 0.6, 0.2, 0.5);
  sk_mesh *m = mesh_of(&s, false), *fresh = mesh_of(&other, false);
  sk_mesh_move(m, other.v);
  sk_shape a = {.kind = SK_MESH, .mesh = m}, b = {.kind = SK_MESH, .mesh = fresh};
  sk_random g = sk_random_make(3);
  for (int k = 0; k < CASES; k++) {
    trial w = trial_drawn(&g, &a, 1, k);
    sk_near x[SK_NEAR_MAX], y[SK_NEAR_MAX];
    int n = sk_shape_segment(&a, &w.pose, w.a, w.b, w.reach, x);
    int p = sk_shape_segment(&b, &w.pose, w.a, w.b, w.reach, y);
    assert_int_equal(n > 0, p > 0);
    if (n > 0) expect_at_most(fabs(x[0].distance - y[0].distance), 1e-9, "moved against new");
  }
  sk_mesh_destroy(m), sk_mesh_destroy(fresh);
  soup_free(&s), soup_free(&other);
}

/* A point has one face, whoever asks: the triangle that its nearest place is on. */
static void test_point_has_one_face(void **state)
{
  (void)state;
  soup s = make_torus(20, 8, 0.8, 0.3, 0);
  sk_mesh *m = mesh_of(&s, false);
  sk_shape shapes[SOLIDS + 1] = {{.kind = SK_MESH, .mesh = m}};
  sk_random g = sk_random_make(9);
  for (int k = 0; k < SOLIDS; k++) shapes[k + 1] = solids[k];
  int inner = 0;
  for (int k = 0; k < 50 * (SOLIDS + 1); k++) {
    const sk_shape *shape = shapes + k % (SOLIDS + 1);
    sk_pose pose = pose_drawn(&g, 1);
    sk_vec3 x = sk_pose_out(&pose, drawn(&g, 1)), y;
    sk_near point, segment[SK_NEAR_MAX];
    if (!sk_shape_point(shape, &pose, x, 0.5, &point)) continue;
    assert_true(sk_shape_segment(shape, &pose, x, x, 0.5, segment) > 0);
    if (shape->kind == SK_MESH) {
      double weight[3];
      assert_int_equal(sk_feature_face(point.feature), sk_mesh_nearest(m, sk_pose_in(&pose, x), &y));
      sk_mesh_weights(m, sk_feature_face(point.feature), y, weight);
      if (fmin(weight[0], fmin(weight[1], weight[2])) < 1e-9) continue; /* on an edge: either of its triangles */
      inner++;
    }
    assert_int_equal(sk_feature_order(point.feature, segment[0].feature), 0);
  }
  assert_true(inner > 10);
  sk_mesh_destroy(m);
  soup_free(&s);
}

/* Names of features: what was put in comes out, in the order of face, then place; of two shapes there is no face. */
static void test_features(void **state)
{
  (void)state;
  sk_feature last = sk_feature_at(0, SK_AT_MIDDLE), two = sk_feature_of_two(1, 2, 3);
  for (int face = 0; face < 3; face++)
    for (int place = SK_AT_MIDDLE; place <= SK_AT_END; place++) {
      sk_feature f = sk_feature_at(face, (sk_place)place);
      assert_int_equal(sk_feature_face(f), face);
      assert_int_equal(sk_feature_order(f, f), 0);
      if (face + place > 0) assert_true(sk_feature_order(last, f) < 0 && sk_feature_order(f, last) > 0);
      assert_true(sk_feature_number(last) <= sk_feature_number(f));
      last = f;
    }
  assert_int_equal(sk_feature_face(two), -1);
  assert_int_equal(sk_feature_order(two, sk_feature_of_two(1, 2, 3)), 0);
  assert_true(sk_feature_order(two, sk_feature_of_two(1, 3, 2)) != 0);
}

static void test_mesh_bad(void **state)
{
  (void)state;
  double v[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, nan[9] = {0, 0, NAN}, same[9] = {0};
  int t[3] = {0, 1, 2}, out[3] = {0, 1, 3}, below[3] = {-1, 0, 1};
  sk_mesh *m;
  expect_bad(sk_mesh_create(v, 3, t, 0, false, &m), "no triangles");
  expect_bad(sk_mesh_create(v, 0, t, 1, false, &m), "no vertices");
  expect_bad(sk_mesh_create(v, 3, out, 1, false, &m), "vertex 3");
  expect_bad(sk_mesh_create(v, 3, below, 1, false, &m), "vertex -1");
  expect_bad(sk_mesh_create(nan, 3, t, 1, false, &m), "finite");
  assert_null(m);
  sk_mesh_destroy(NULL);
  expect_ok(sk_mesh_create(same, 3, t, 1, true, &m)); /* one point */
  sk_near n[SK_NEAR_MAX];
  sk_shape s = {.kind = SK_MESH, .mesh = m};
  assert_int_equal(sk_shape_segment(&s, &home, sk_vec(1, 0, 0), sk_vec(2, 0, 0), 1.5, n), 1);
  expect_at_most(fabs(n[0].distance - 1) + fabs(n[0].normal.x - 1), 1e-12, "a mesh that is a point");
  assert_true(sk_shape_segment(&s, &home, sk_vec(-1, 0, 0), sk_vec(2, 0, 0), 1.5, n) >= 1);
  sk_mesh_destroy(m);
  int many = SLOW_BUILD ? 20000 : 100000; /* all at one place */
  soup pile = soup_make(3, many);
  memcpy(pile.v, v, sizeof v);
  for (int k = 0; k < many; k++) memcpy(pile.t + 3 * k, t, sizeof t);
  m = mesh_of(&pile, true), s.mesh = m;
  assert_int_equal(sk_shape_segment(&s, &home, sk_vec(0.2, 0.2, 0.1), sk_vec(0.2, 0.2, 2), 0.2, n), 1);
  sk_mesh_destroy(m);
  soup_free(&pile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_segment_solids),  cmocka_unit_test(test_segment_meshes),
                                     cmocka_unit_test(test_segment_needles), cmocka_unit_test(test_segment_places),
                                     cmocka_unit_test(test_segment_minima),  cmocka_unit_test(test_mesh_moves),
                                     cmocka_unit_test(test_mesh_bad),        cmocka_unit_test(test_point_has_one_face),
                                     cmocka_unit_test(test_features)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
