/* The collision room: nearest points of segments against a slow and safe way; candidates of random sets against all
 * pairs, merged the naive way; order, threads. */
#include "collide_support.h"

/* ---- Nearest points of segments ---- */

typedef long double real;

/* Distance^2 of (s, t), in more digits. */
static real far_apart(sk_vec3 p1, sk_vec3 q1, sk_vec3 p2, sk_vec3 q2, real s, real t)
{
  real x = (real)p1.x - p2.x + s * ((real)q1.x - p1.x) - t * ((real)q2.x - p2.x);
  real y = (real)p1.y - p2.y + s * ((real)q1.y - p1.y) - t * ((real)q2.y - p2.y);
  real z = (real)p1.z - p2.z + s * ((real)q1.z - p1.z) - t * ((real)q2.z - p2.z);
  return x * x + y * y + z * z;
}

/* The least over t for one s: a parabola through three values. */
static real best_t(sk_vec3 p1, sk_vec3 q1, sk_vec3 p2, sk_vec3 q2, real s)
{
  real f0 = far_apart(p1, q1, p2, q2, s, 0), f1 = far_apart(p1, q1, p2, q2, s, 0.5L);
  real f2 = far_apart(p1, q1, p2, q2, s, 1), a = 2 * (f0 - 2 * f1 + f2), b = 4 * f1 - 3 * f0 - f2;
  real t = a > 0 ? -b / (2 * a) : 0, best = f0 < f2 ? f0 : f2;
  if (t <= 0 || t >= 1) return best;
  real f = far_apart(p1, q1, p2, q2, s, t);
  return f < best ? f : best;
}

/* The least over s by golden section: the function is convex. */
static double slow_distance2(sk_vec3 p1, sk_vec3 q1, sk_vec3 p2, sk_vec3 q2)
{
  real lo = 0, hi = 1, r = 0.6180339887498948482L, best = best_t(p1, q1, p2, q2, 0), end = best_t(p1, q1, p2, q2, 1);
  for (int k = 0; k < 90; k++) {
    real x = hi - r * (hi - lo), y = lo + r * (hi - lo);
    if (best_t(p1, q1, p2, q2, x) < best_t(p1, q1, p2, q2, y)) hi = y;
    else lo = x;
  }
  real inside = best_t(p1, q1, p2, q2, 0.5L * (lo + hi));
  best = end < best ? end : best;
  return (double)(inside < best ? inside : best);
}

static void check_segments(sk_vec3 p1, sk_vec3 q1, sk_vec3 p2, sk_vec3 q2)
{
  double s, t, d2 = sk_segment_segment(p1, q1, p2, q2, &s, &t), least = slow_distance2(p1, q1, p2, q2);
  double size = sk_norm(sk_sub(q1, p1)) + sk_norm(sk_sub(q2, p2)) + sk_norm(sk_sub(p1, p2));
  assert_true(s >= 0 && s <= 1 && t >= 0 && t <= 1);
  expect_at_most(fabs(d2 - (double)far_apart(p1, q1, p2, q2, s, t)), 1e-14 * size * size, "distance^2 at s and t");
  expect_at_most(sqrt(d2) - sqrt(least), 1e-9 * size, "distance above the least");
  expect_at_most(d2 - least, 2e-12 * least + 1e-15 * size * size, "distance^2 above the least");
}

static void test_segments(void **state)
{
  (void)state;
  sk_random g = sk_random_make(3);
  for (int k = 0; k < (SLOW_BUILD ? 1000 : 10000); k++) {
    sk_vec3 p1 = draw(&g, 1), d = draw(&g, 1), p2 = draw(&g, k % 3 == 0 ? 0.1 : 1), e = draw(&g, 1);
    double tilt = pow(10, sk_random_uniform(&g, -18, 0));
    if (k % 4 == 1) e = sk_axpy(sk_mul(sk_random_uniform(&g, -2, 2), d), tilt, e);            /* nearly parallel */
    if (k % 4 == 2) p2 = sk_axpy(p1, sk_random_uniform(&g, -2, 2), d);                        /* begins on the line */
    if (k % 8 == 3) p2 = sk_sub(sk_axpy(p1, sk_random_uniform(&g, 0, 1), d), sk_mul(0.5, e)); /* crosses */
    if (k % 16 == 7) e = sk_mul(tilt, e);                                                     /* nearly a point */
    if (k % 64 == 5) d = sk_vec(0, 0, 0);
    if (k % 128 == 5) e = sk_vec(0, 0, 0);
    check_segments(p1, sk_add(p1, d), p2, sk_add(p2, e));
  }
}

static void test_parallel_segments(void **state)
{
  (void)state;
  double s, t;
  sk_vec3 o = sk_vec(0, 0, 0), x = sk_vec(1, 0, 0), up = sk_vec(0, 0, 0.5);
  assert_true(sk_segment_segment(o, x, sk_add(o, up), sk_add(x, up), &s, &t) == 0.25);
  assert_true(s == 0.5 && t == 0.5); /* side by side: in the middle */
  assert_true(sk_segment_segment(o, x, sk_vec(1.5, 0, 0.5), sk_vec(0.5, 0, 0.5), &s, &t) == 0.25);
  assert_true(s == 0.75 && t == 0.75);
  assert_true(sk_segment_segment(o, x, sk_vec(4, 0, 0), sk_vec(3, 0, 0), &s, &t) == 4);
  assert_true(s == 1 && t == 1);
  assert_true(sk_segment_segment(o, x, o, x, &s, &t) == 0);
  assert_true(sk_segment_segment(o, o, o, o, &s, &t) == 0);
  assert_true(sk_segment_segment(o, x, sk_vec(0.25, 1, 0), sk_vec(0.25, 1, 0), &s, &t) == 1);
  assert_true(s == 0.25);
}

/* ---- Random sets ---- */

static void test_rods_against_all_pairs(void **state)
{
  (void)state;
  int most = SLOW_BUILD ? 6 : 24, total = 0;
  for (int k = 0; k < most; k++) {
    set *s = set_create();
    sk_random g = sk_random_make((uint64_t)k);
    static const int rods[] = {1, 3, 20, 60}, pieces[] = {1, 4, 12, 40};
    static const double size[] = {0.05, 0.3, 1, 3}, reach[] = {0, 0.005, 0.05, 0.3};
    sk_vec3 origin = k % 5 == 4 ? sk_vec(1e5, -3e5, 2e5) : sk_vec(0, 0, 0);
    draw_rods(s, &g, rods[k % 4], pieces[(k / 2) % 4], size[(k / 3) % 4], reach[(k / 4) % 4], origin);
    draw_rods(s, &g, 5, 3, 0.3, 0.1, origin);
    total += expect_like_all_pairs(s);
    free(s);
  }
  assert_true(total > (SLOW_BUILD ? 20 : 1000));
}

/* Single pieces whose sizes and reaches span many orders, far clusters among them. */
static void test_mixed_sizes(void **state)
{
  (void)state;
  for (int k = 0; k < (SLOW_BUILD ? 2 : 8); k++) {
    set *s = set_create();
    sk_random g = sk_random_make((uint64_t)(50 + k));
    for (int i = 0; i < 700; i++) {
      double l = pow(10, sk_random_uniform(&g, -3, k % 2 ? 0 : -2)), r = pow(10, sk_random_uniform(&g, -5, -3));
      double reach = pow(10, sk_random_uniform(&g, -5, k % 4 < 2 ? -1 : -3));
      if (i == 300 && k % 3 == 1) reach = 1e3;
      if (i == 200 && k % 3 == 2) l = 50;
      sk_vec3 x[2] = {draw(&g, i % 50 == 0 ? 1e9 : 0.1)};
      if (i % 50 == 1) x[0] = s->p[s->pieces - 1].a;
      x[1] = sk_axpy(x[0], l, sk_unit(draw(&g, 1)));
      add_rod(s, x, 1, r, reach, sk_random_int(&g, GROUPS));
    }
    assert_true(expect_like_all_pairs(s) >= (k % 4 < 2 ? 50 : 1));
    free(s);
  }
}

static void test_all_in_one_cell(void **state)
{
  (void)state;
  set *s = set_create();
  sk_random g = sk_random_make(8);
  for (int i = 0; i < 300; i++) {
    sk_vec3 x[2] = {draw(&g, 1e-3), draw(&g, 1)};
    add_rod(s, x, 1, 0.01, 0.01, 0);
  }
  assert_int_equal(expect_like_all_pairs(s), 300 * 299 / 2);
  free(s);
}

/* Points, twins and lattices: many equal numbers. Normals are compared among threads only. */
static void test_degenerate(void **state)
{
  (void)state;
  set *s = set_create();
  sk_random g = sk_random_make(9);
  for (int i = 0; i < 400; i++) {
    double a = sk_random_int(&g, 6), b = sk_random_int(&g, 6), c = sk_random_int(&g, 3);
    sk_vec3 x[2] = {sk_vec(a, b, c), sk_vec(a, b, c)};
    if (i % 4 > 0) (i % 4 == 1 ? &x[1].x : i % 4 == 2 ? &x[1].y : &x[1].z)[0] += 1 + i % 3;
    add_rod(s, x, 1, 0.1, 0.05, 0);
  }
  assert_true(expect_like_all_pairs(s) > 1000);
  free(s);
}

/* One long piece against many short ones, and a fast one. */
static void test_one_against_many(void **state)
{
  (void)state;
  set *s = set_create();
  sk_random g = sk_random_make(10);
  sk_vec3 from = sk_vec(-30, 0.1, 0.2), to = sk_vec(30, -4, 7);
  add_rod(s, (sk_vec3[]){from, to}, 1, 0.01, 0, 0);
  for (int i = 0; i < 1500; i++) {
    sk_vec3 at = sk_add(sk_axpy(from, sk_random_uniform(&g, 0, 1), sk_sub(to, from)), draw(&g, 0.05));
    add_rod(s, (sk_vec3[]){at, sk_add(at, draw(&g, 0.02))}, 1, 0.005, 0.005, 0);
  }
  assert_true(expect_like_all_pairs(s) > 100);
  s->p[40].reach = 200;
  assert_true(expect_like_all_pairs(s) >= 1500);
  free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_segments),
      cmocka_unit_test(test_parallel_segments),
      cmocka_unit_test(test_rods_against_all_pairs),
      cmocka_unit_test(test_mixed_sizes),
      cmocka_unit_test(test_all_in_one_cell),
      cmocka_unit_test(test_degenerate),
      cmocka_unit_test(test_one_against_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
