/* Meshes that deform: vertex caches in time, poses that go with a triangle, and a grid that is older than the surface.
 */
#include "body_support.h"

#include <string.h>

/* ---- Caches ---- */

static double parabola(double t, int i)
{
  return (1 + i) * (0.5 - 0.3 * t + 2 * t * t);
}

/* Frames at uneven times; vertex i goes along a parabola. */
static sk_cache *make_cache(int frames)
{
  sk_cache *c = sk_cache_create(frames, 2, 0.5);
  assert_non_null(c);
  for (int f = 0; f < frames; f++) {
    c->time[f] = 0.1 * f + 0.03 * (f % 3);
    for (int i = 0; i < 6; i++) c->v[6 * f + i] = (float)(2 * parabola(c->time[f], i));
  }
  return c;
}

static void test_cache_parabola(void **state)
{
  (void)state;
  for (int frames = 3; frames < 8; frames++) {
    sk_cache *c = make_cache(frames);
    double v[6], last = c->time[frames - 1];
    for (int k = 0; k <= 100; k++) {
      double t = last * k / 100;
      sk_cache_places(c, t, v);
      for (int i = 0; i < 6; i++) expect_at_most(fabs(v[i] - parabola(t, i)), 1e-6, "exact for parabolas");
      sk_vec3 one = sk_cache_place(c, t, 1);
      assert_memory_equal(&one, v + 3, sizeof one);
    }
    double ends[6];
    sk_cache_places(c, -1, ends), sk_cache_places(c, 0, v);
    assert_memory_equal(ends, v, sizeof v);
    sk_cache_places(c, last + 1, ends), sk_cache_places(c, last, v);
    assert_memory_equal(ends, v, sizeof v);
    sk_cache_destroy(c);
  }
}

/* Velocities go on from frame to frame; what is the same in four frames rests to the last bit. */
static void test_cache_smooth(void **state)
{
  (void)state;
  sk_cache *c = make_cache(9);
  sk_random g = sk_random_make(7);
  for (int i = 0; i < 54; i++) c->v[i] = (float)sk_random_uniform(&g, -1, 1);
  for (int f = 4; f < 8; f++) memcpy(c->v + 6 * f, c->v + 18, 6 * sizeof *c->v);
  for (int f = 1; f < 8; f++) {
    double h = 1e-6, x[3][6];
    for (int k = 0; k < 3; k++) sk_cache_places(c, c->time[f] + (k - 1) * h, x[k]);
    for (int i = 0; i < 6; i++)
      expect_at_most(fabs(x[0][i] - 2 * x[1][i] + x[2][i]) / h, 1e-2, "jump of the velocity at a frame");
  }
  double still[6], now[6];
  sk_cache_places(c, c->time[4], still);
  for (int k = 0; k <= 20; k++) {
    sk_cache_places(c, c->time[4] + 0.05 * k * (c->time[6] - c->time[4]), now);
    assert_memory_equal(now, still, sizeof now);
  }
  sk_cache_destroy(c);
  sk_cache *one = make_cache(1), *two = make_cache(2);
  sk_cache_places(one, 5, now);
  expect_at_most(fabs(now[3] - parabola(0, 3)), 1e-7, "a single frame");
  sk_cache_places(two, 0.5 * two->time[1], now);
  expect_at_most(fabs(now[3] - 0.5 * (parabola(0, 3) + parabola(two->time[1], 3))), 1e-7, "two frames: a line");
  sk_cache_destroy(one), sk_cache_destroy(two), sk_cache_destroy(NULL);
}

/* ---- Anchors ---- */

static void test_anchor(void **state)
{
  (void)state;
  soup s = make_ball(8, 12, 0.5);
  sk_mesh *m = mesh_of(&s, false);
  sk_random g = sk_random_make(11);
  for (int k = 0; k < 200; k++) {
    sk_pose at = pose_drawn(&g, 1), body = pose_drawn(&g, 1);
    sk_anchor a = sk_anchor_make(m, &at);
    sk_vec3 corner[3], sheared[3];
    assert_true(a.turns);
    for (int i = 0; i < 3; i++) corner[i] = sk_pose_out(&body, a.base[i]);
    sk_pose moved = sk_anchor_pose(&a, corner);
    sk_mat3 R = sk_mat_mul(sk_quat_frame(body.q), sk_quat_frame(at.q)), Q = sk_quat_frame(moved.q);
    expect_at_most(sk_norm(sk_sub(moved.r, sk_pose_out(&body, at.r))), 1e-12, "goes with a rigid motion");
    for (int i = 0; i < 3; i++) expect_at_most(sk_norm(sk_sub(R.c[i], Q.c[i])), 1e-12, "and turns with it");
    /* a symmetric stretch of the plane does not turn it */
    sk_vec3 n = sk_unit(sk_cross(sk_sub(a.base[1], a.base[0]), sk_sub(a.base[2], a.base[0])));
    sk_vec3 d = sk_unit(sk_cross(n, drawn(&g, 1)));
    for (int i = 0; i < 3; i++) sheared[i] = sk_axpy(a.base[i], 0.4 * sk_dot(a.base[i], d), d);
    sk_pose still = sk_anchor_pose(&a, sheared);
    for (int i = 0; i < 3; i++)
      expect_at_most(sk_norm(sk_sub(sk_quat_frame(still.q).c[i], sk_quat_frame(at.q).c[i])), 1e-12, "stretch");
  }
  sk_mesh_destroy(m), soup_free(&s);
}

/* A triangle without area carries the place and leaves the axes. */
static void test_anchor_flat(void **state)
{
  (void)state;
  const double v[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
  const int t[3] = {0, 1, 2};
  sk_mesh *m;
  expect_ok(sk_mesh_create(v, 3, t, 1, false, &m));
  sk_anchor a = sk_anchor_make(m, &(sk_pose){{1, 1, 0}, {1, {0, 0, 0}}});
  sk_vec3 corner[3] = {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}};
  sk_pose p = sk_anchor_pose(&a, corner);
  assert_false(a.turns);
  expect_at_most(sk_norm(sk_sub(p.r, sk_vec(1, 1, 1))), 1e-12, "place");
  sk_mesh_destroy(m);
}

/* ---- The grid ---- */

/* A mesh that came in many small moves answers with the bits of one that came in one. */
static void test_mesh_creeps(void **state)
{
  (void)state;
  soup s = make_torus(40, 16, 0.8, 0.3, 0), to = make_torus(40, 16, 0.6, 0.25, 0.3);
  sk_mesh *slow = mesh_of(&s, false), *fast = mesh_of(&s, false);
  double *v = malloc(3 * sizeof *v * (size_t)s.nv);
  sk_random g = sk_random_make(5);
  assert_non_null(v);
  for (int step = 1; step <= 20; step++) {
    for (int i = 0; i < 3 * s.nv; i++) v[i] = s.v[i] + step / 20.0 * (to.v[i] - s.v[i]);
    sk_mesh_move(slow, v);
    if (step % 4) continue;
    sk_mesh_move(fast, s.v), sk_mesh_move(fast, to.v), sk_mesh_move(fast, v);
    sk_shape a = {.kind = SK_MESH, .mesh = slow}, b = {.kind = SK_MESH, .mesh = fast};
    for (int k = 0; k < 500; k++) {
      sk_near x[SK_NEAR_MAX] = {0}, y[SK_NEAR_MAX] = {0};
      sk_vec3 from = drawn(&g, 0.9), end = sk_axpy(from, k % 3 ? 0.1 : 1, drawn(&g, 1));
      int n = sk_shape_segment(&a, &home, from, end, 0.05, x), p = sk_shape_segment(&b, &home, from, end, 0.05, y);
      assert_int_equal(n, p);
      for (int i = 0; i < n; i++) {
        assert_int_equal(sk_feature_order(x[i].feature, y[i].feature), 0);
        assert_memory_equal(&x[i].point, &y[i].point, sizeof x->point);
        assert_true(x[i].distance == y[i].distance && x[i].t == y[i].t);
      }
    }
  }
  free(v);
  sk_mesh_destroy(slow), sk_mesh_destroy(fast);
  soup_free(&s), soup_free(&to);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cache_parabola), cmocka_unit_test(test_cache_smooth),
                                     cmocka_unit_test(test_anchor), cmocka_unit_test(test_anchor_flat),
                                     cmocka_unit_test(test_mesh_creeps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
