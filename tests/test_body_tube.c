/* Tubes: the curve goes smoothly through its points, queries agree with brute force along it, normals turn smoothly,
 * every strand that passes gives one contact, mass agrees with the torus and the capsule, bad curves are refused. */
#include "body_support.h"

enum { FINE = 40000, PLACES = SLOW_BUILD ? 40 : 200 };

static sk_tube *tube_of(const double *points, int count, bool closed, double radius)
{
  sk_tube *t;
  expect_ok(sk_tube_create(points, count, closed, radius, &t));
  return t;
}

static sk_tube *make_ring(int n, double R, double r)
{
  double p[3 * 64];
  for (int i = 0; i < n; i++) sk_store3(p + 3 * i, sk_vec(R * cos(2 * SK_PI * i / n), R * sin(2 * SK_PI * i / n), 0));
  return tube_of(p, n, true, r);
}

/* A coil of three turns about z, radius 1, rise 0.6 per turn. */
static sk_tube *make_coil(double r)
{
  enum { N = 49 };
  double p[3 * N];
  for (int i = 0; i < N; i++) {
    double a = 6 * SK_PI * i / (N - 1);
    sk_store3(p + 3 * i, sk_vec(cos(a), sin(a), 0.6 * a / (2 * SK_PI)));
  }
  return tube_of(p, N, false, r);
}

/* Distance of the segment to the curve, by many places of it. */
static double brute(const sk_tube *t, sk_vec3 a, sk_vec3 b)
{
  double least = INFINITY;
  sk_vec3 tangent;
  for (int k = 0; k <= FINE; k++)
    least = fmin(least, to_segment(sk_tube_at(t, sk_tube_pieces(t) * (double)k / FINE, &tangent), a, b));
  return least;
}

static void goes_through_its_points(void **state)
{
  (void)state;
  double p[] = {0, 0, 0, 1, 0.2, 0, 2, -0.1, 0.5, 2.4, 1, 1, 1, 2, 1.5};
  for (int closed = 0; closed < 2; closed++) {
    sk_tube *t = tube_of(p, 5, closed, 0.05);
    sk_shape s = {.kind = SK_TUBE, .radius = 0.05, .tube = t};
    for (int i = 0; i < 5; i++) {
      sk_near near[SK_NEAR_MAX];
      sk_vec3 x = sk_load3(p + 3 * i);
      assert_true(sk_shape_segment(&s, &home, x, x, 0, near) >= 1);
      expect_at_most(fabs(near[0].distance + 0.05), 1e-12, "distance of a point of the curve");
    }
    sk_vec3 last, next; /* curvature goes on: tangents change by equal amounts on both sides of a joint */
    double h = 1e-4;
    for (int k = 1; k < sk_tube_pieces(t); k++) {
      sk_tube_at(t, k - h, &last), sk_tube_at(t, k + h, &next);
      expect_at_most(sk_norm(sk_sub(next, last)), 1e-3, "turn of the tangent across a joint");
    }
    sk_tube_destroy(t);
  }
  sk_tube *ring = make_ring(24, 2, 0.1);
  expect_at_most(fabs(sk_tube_length(ring) - 4 * SK_PI), 2e-4, "length of a ring");
  sk_tube_destroy(ring);
}

static void agrees_with_brute_force(void **state)
{
  (void)state;
  sk_tube *tubes[2] = {make_coil(0.07), make_ring(12, 1, 0.07)};
  sk_random g = sk_random_make(7);
  for (int k = 0; k < PLACES; k++) {
    sk_shape s = {.kind = SK_TUBE, .radius = 0.07, .tube = tubes[k % 2]};
    sk_pose pose = pose_drawn(&g, 1);
    sk_vec3 a = drawn(&g, 1.5), b = k % 4 < 2 ? a : sk_add(a, drawn(&g, 0.5));
    double exact = brute(s.tube, a, b) - 0.07, reach = 0.6;
    sk_near near[SK_NEAR_MAX];
    int n = sk_shape_segment(&s, &pose, sk_pose_out(&pose, a), sk_pose_out(&pose, b), reach, near);
    assert_int_equal(n > 0, exact <= reach);
    if (n == 0) continue;
    sk_vec3 x = sk_axpy(a, near[0].t, sk_sub(b, a)), p = sk_pose_in(&pose, near[0].point);
    expect_at_most(fabs(near[0].distance - exact), 1e-6, "distance");
    expect_at_most(fabs(sk_norm(near[0].normal) - 1), 1e-12, "normal");
    sk_vec3 back = sk_axpy(near[0].point, near[0].distance, near[0].normal);
    expect_at_most(sk_norm(sk_sub(sk_pose_in(&pose, back), x)), 1e-9, "from the point along the normal");
    expect_at_most(fabs(brute(s.tube, p, p) - 0.07), 1e-6, "the point is on the surface");
  }
  sk_tube_destroy(tubes[0]), sk_tube_destroy(tubes[1]);
}

/* A ball that goes along the coil, beside it: one contact, and the normal turns as the coil does. */
static void normal_is_smooth(void **state)
{
  (void)state;
  sk_tube *t = make_coil(0.05);
  sk_shape s = {.kind = SK_TUBE, .radius = 0.05, .tube = t}, ball = {.kind = SK_SPHERE, .radius = 0.15};
  sk_vec3 last = {0, 0, 0};
  for (int k = 0; k <= 1000; k++) {
    double a = (1 + 4 * k / 1000.0) * SK_PI;
    sk_pose at = {sk_vec(0.8 * cos(a), 0.8 * sin(a), 0.6 * a / (2 * SK_PI)), {1, {0, 0, 0}}};
    sk_near near[SK_NEAR_MAX];
    assert_int_equal(sk_shape_shape(&ball, &at, &s, &home, 0.05, near), 1);
    expect_at_most(fabs(near[0].distance), 1e-3, "gap");
    if (k > 0)
      expect_at_most(fabs(sk_norm(sk_sub(near[0].normal, last)) - 4 * SK_PI / 1000), 2e-4, "turn of the normal");
    assert_true(sk_dot(near[0].normal, sk_vec(cos(a), sin(a), 0)) < -0.99);
    last = near[0].normal;
  }
  sk_tube_destroy(t);
}

static void strands_and_ends(void **state)
{
  (void)state;
  sk_near near[SK_NEAR_MAX];
  sk_tube *coil = make_coil(0.05);
  sk_shape s = {.kind = SK_TUBE, .radius = 0.05, .tube = coil};
  sk_vec3 between = {1, 0, 0.9}; /* two strands pass */
  assert_int_equal(sk_shape_segment(&s, &home, between, between, 0.3, near), 2);
  expect_at_most(fabs(near[0].distance - near[1].distance), 2e-3, "both as near");
  assert_true(near[0].normal.z * near[1].normal.z < 0);
  sk_tube_destroy(coil);

  double line[] = {0, 0, 0, 0.4, 0, 0, 1, 0, 0, 3, 0, 0};
  sk_tube *straight = tube_of(line, 4, false, 0.1);
  sk_shape bar = {.kind = SK_TUBE, .radius = 0.1, .tube = straight};
  expect_at_most(fabs(sk_tube_length(straight) - 3), 1e-12, "length of a line");
  int n = sk_shape_segment(&bar, &home, sk_vec(0.5, 0, 0.2), sk_vec(2, 0, 0.2), 0.2, near); /* lies along it */
  assert_int_equal(n, 2);
  expect_at_most(fabs(fabs(near[0].t - near[1].t) - 1), 1e-9, "contacts at both ends");
  assert_int_equal(sk_shape_segment(&bar, &home, sk_vec(-0.3, 0, 0), sk_vec(-0.3, 0, 0), 0.3, near), 1); /* the cap */
  expect_at_most(fabs(near[0].distance - 0.2) + fabs(near[0].normal.x + 1), 1e-12, "end");
  sk_tube_destroy(straight);

  sk_tube *tie = make_ring(16, 1, 0.1); /* a ball in a ring is held from three sides */
  sk_shape ring = {.kind = SK_TUBE, .radius = 0.1, .tube = tie}, ball = {.kind = SK_SPHERE, .radius = 1};
  for (int k = 0; k < 3; k++) {
    sk_pose above = {sk_vec(1e-4 * (k > 0), 1e-5 * (k > 1), 0.45), {1, {0, 0, 0}}};
    assert_int_equal(sk_shape_shape(&ball, &above, &ring, &home, 0.05, near), 3);
  }
  sk_tube_destroy(tie);
}

static void meets_other_shapes(void **state)
{
  (void)state;
  sk_near near[SK_NEAR_MAX];
  sk_tube *tie = make_ring(16, 1, 0.1);
  sk_shape ring = {.kind = SK_TUBE, .radius = 0.1, .tube = tie}, plane = {.kind = SK_PLANE};
  sk_shape box = {.kind = SK_BOX, .edges = {2, 2, 0.5}}, cylinder = {.kind = SK_CYLINDER, .radius = 0.85, .half = 1};
  sk_pose low = {sk_vec(0, 0, 0.1), {1, {0, 0, 0}}},
          upright = {sk_vec(0, 0, 1.1), sk_quat_rotation(sk_vec(SK_PI / 2, 0, 0))};
  sk_pose on_box = {sk_vec(0, 0, 0.61), {1, {0, 0, 0}}};
  assert_true(sk_shape_shape(&ring, &low, &plane, &home, 0.01, near) >= 3); /* lies flat */
  expect_at_most(fabs(near[0].distance), 1e-12, "gap of a ring on a plane");
  assert_true(sk_shape_shape(&ring, &upright, &plane, &home, 0.001, near) >= 1);
  expect_at_most(fabs(near[0].distance), 1e-5, "gap of an upright ring");
  assert_true(sk_shape_shape(&ring, &on_box, &box, &home, 0.05, near) >= 3);
  expect_at_most(fabs(near[0].distance - 0.01), 1e-9, "gap of a ring on a box");
  assert_true(near[0].normal.z > 0.99);
  assert_true(sk_shape_shape(&box, &home, &ring, &on_box, 0.05, near) >= 3);
  assert_true(near[0].normal.z < -0.99);
  assert_true(sk_shape_shape(&ring, &home, &cylinder, &home, 0.1, near) >= 3); /* around a post */
  expect_at_most(fabs(near[0].distance - 0.05), 3e-3, "gap around a post");
  sk_pose linked = {sk_vec(1, 0, 0), sk_quat_rotation(sk_vec(SK_PI / 2, 0, 0))};
  sk_pose pulled = {sk_vec(1.79, 0, 0), sk_quat_rotation(sk_vec(SK_PI / 2, 0, 0))};
  assert_int_equal(sk_shape_shape(&ring, &linked, &ring, &home, 0.1, near), 0);
  assert_true(sk_shape_shape(&ring, &pulled, &ring, &home, 0.1, near) >= 1); /* links of a chain */
  expect_at_most(fabs(near[0].distance - 0.01), 2e-3, "gap between links");
  sk_tube_destroy(tie);
}

static void bounds_and_mass(void **state)
{
  (void)state;
  double V, R = 1, r = 0.1;
  sk_vec3 c, lo, hi, tangent;
  sk_mat3 I, J;
  sk_tube *tie = make_ring(32, R, r), *coil = make_coil(0.05);
  sk_shape ring = {.kind = SK_TUBE, .radius = r, .tube = tie}, s = {.kind = SK_TUBE, .radius = 0.05, .tube = coil};
  assert_true(sk_shape_inertia(&ring, &V, &c, &I));
  expect_at_most(fabs(V / (2 * SK_PI * SK_PI * R * r * r) - 1), 1e-4, "volume of a torus");
  expect_at_most(sk_norm(c), 1e-9, "centre of a torus");
  expect_at_most(fabs(I.c[2].z / (V * (R * R + 0.75 * r * r)) - 1), 1e-4, "inertia of a torus about its axis");
  expect_at_most(fabs(I.c[0].x / (V * (0.5 * R * R + 0.625 * r * r)) - 1), 1e-4, "inertia across");
  double line[] = {0, 0, -0.5, 0, 0, 0.7}, W;
  sk_tube *bar = tube_of(line, 2, false, 0.3);
  sk_shape stick = {.kind = SK_TUBE, .radius = 0.3, .tube = bar},
           capsule = {.kind = SK_CAPSULE, .radius = 0.3, .half = 0.6};
  assert_true(sk_shape_inertia(&stick, &V, &c, &I));
  expect_at_most(fabs(c.z - 0.1), 1e-12, "centre of a capsule");
  assert_true(sk_shape_inertia(&capsule, &W, &c, &J));
  expect_at_most(fabs(V - W), 1e-12, "volume of a capsule");
  for (int k = 0; k < 3; k++) expect_at_most(sk_norm(sk_sub(I.c[k], J.c[k])), 1e-12, "inertia of a capsule");
  sk_random g = sk_random_make(3);
  for (int k = 0; k < 20; k++) {
    sk_pose pose = pose_drawn(&g, 1);
    sk_shape_bounds(&s, &pose, &lo, &hi);
    for (int i = 0; i <= 500; i++) {
      sk_vec3 x = sk_pose_out(&pose, sk_tube_at(coil, sk_tube_pieces(coil) * i / 500.0, &tangent));
      assert_true(x.x >= lo.x + 0.05 - 1e-9 && x.y >= lo.y + 0.05 - 1e-9 && x.z >= lo.z + 0.05 - 1e-9);
      assert_true(x.x <= hi.x - 0.05 + 1e-9 && x.y <= hi.y - 0.05 + 1e-9 && x.z <= hi.z - 0.05 + 1e-9);
    }
  }
  sk_shape_bounds(&ring, &home, &lo, &hi);
  expect_at_most(sk_norm(sk_sub(hi, sk_vec(1.1, 1.1, 0.1))), 2e-3, "bounds of a ring are tight");
  sk_tube_move(bar, sk_vec(0, 0, 2));
  expect_at_most(fabs(sk_tube_at(bar, 0, &tangent).z - 1.5), 1e-15, "moved");
  sk_tube_destroy(tie), sk_tube_destroy(coil), sk_tube_destroy(bar);
}

static void refuses(void **state)
{
  (void)state;
  sk_tube *t;
  double one[] = {0, 0, 0}, same[] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0}, nan[] = {0, 0, 0, NAN, 0, 0};
  double sharp[] = {0, 0, 0, 1, 0, 0, 1, 0.1, 0, 0, 0.1, 0}, back[] = {0, 0, 0, 1, 0, 0, 0.5, 0, 0};
  double loop[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0};
  expect_bad(sk_tube_create(one, 1, false, 0.1, &t), "has 1 points, expected at least 2");
  expect_bad(sk_tube_create(same, 2, true, 0.1, &t), "has 2 points, expected at least 3");
  expect_bad(sk_tube_create(same, 4, false, 0.1, &t), "points 1 and 2 are at the same place");
  expect_bad(sk_tube_create(loop, 4, true, 0.1, &t), "points 3 and 0 are at the same place");
  expect_bad(sk_tube_create(nan, 2, false, 0.1, &t), "point 1 has a number that is not finite");
  expect_bad(sk_tube_create(sharp, 4, false, 0.3, &t), "expected at least 1");
  expect_bad(sk_tube_create(back, 3, false, 0.1, &t), "turns back on itself");
  expect_bad(sk_tube_create(one, 1, false, 0, &t), "expected");
  assert_null(t);
  expect_ok(sk_tube_create(sharp, 4, false, 0.02, &t));
  sk_tube_destroy(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(goes_through_its_points),
      cmocka_unit_test(agrees_with_brute_force),
      cmocka_unit_test(normal_is_smooth),
      cmocka_unit_test(strands_and_ends),
      cmocka_unit_test(meets_other_shapes),
      cmocka_unit_test(bounds_and_mass),
      cmocka_unit_test(refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
