/* The linear complementarity problem: manufactured solutions, degenerate ones, those that have none, invariance. Every
 * answer is judged by a residual that is computed here. */
#include "support.h"

enum { MOST = 200 };

typedef struct lcp {
  int n;
  double A[MOST * MOST], b[MOST], z[MOST], w[MOST];
} lcp;

static lcp the; /* too large for a stack */

static double *at(lcp *p, int i, int j)
{
  return p->A + (size_t)p->n * (size_t)i + (size_t)j;
}

/* A = scale (G G' / rank) + skew part, G n x rank. */
static void draw_matrix(sk_random *g, lcp *p, int n, int rank, double skew)
{
  static double G[MOST * MOST];
  p->n = n;
  for (int k = 0; k < n * rank; k++) G[k] = sk_random_normal(g);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      *at(p, i, j) = 0;
      for (int k = 0; k < rank; k++) *at(p, i, j) += G[i * rank + k] * G[j * rank + k] / rank;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double k = skew * sk_random_normal(g);
      *at(p, i, j) += k, *at(p, j, i) -= k;
    }
}

/* b of a solution with that share of positive z; where degenerate, as many pairs with z = w = 0. */
static void draw_solution(sk_random *g, lcp *p, double share, double degenerate)
{
  double z[MOST], w[MOST];
  for (int i = 0; i < p->n; i++) {
    bool none = sk_random_uniform(g, 0, 1) < degenerate, active = sk_random_uniform(g, 0, 1) < share;
    z[i] = none || !active ? 0 : sk_random_uniform(g, 0.1, 2), w[i] = none || active ? 0 : sk_random_uniform(g, 0.1, 2);
  }
  for (int i = 0; i < p->n; i++) {
    p->b[i] = w[i];
    for (int j = 0; j < p->n; j++) p->b[i] -= *at(p, i, j) * z[j];
  }
}

/* Largest of -z, -w, |min(z, w)| and what w misses A z + b by. */
static double residual(lcp *p)
{
  double most = 0;
  for (int i = 0; i < p->n; i++) {
    long double sum = p->b[i];
    for (int j = 0; j < p->n; j++) sum += (long double)*at(p, i, j) * p->z[j];
    double w = (double)sum;
    most = fmax(most, fmax(fabs(fmin(p->z[i], w)), fabs(w - p->w[i])));
    if (isnan(w) || isnan(p->z[i])) return INFINITY;
  }
  return most;
}

static skein_lcp_info answer(lcp *p)
{
  skein_lcp_info info;
  double error;
  expect_ok(skein_lcp_solve(p->n, p->A, p->b, NULL, p->z, p->w, &info));
  expect_ok(skein_lcp_error(p->n, p->A, p->b, p->z, &error));
  expect_at_most(fabs(error - info.error), 1e-15 + 1e-6 * error, "reported error against that of skein_lcp_error");
  return info;
}

static void expect_solved(lcp *p, const char *what)
{
  skein_lcp_info info = answer(p);
  if (!info.converged || info.ray || !(residual(p) <= 1e-8))
    fail_msg("%s, n = %d: residual %g, error %g, ray %d, %d pivots", what, p->n, residual(p), info.error, info.ray,
             info.pivots);
}

static void manufactured(void **state)
{
  (void)state;
  static const int sizes[] = {1, 2, 3, 5, 8, 13, 40, 100, 200};
  sk_random g = sk_random_make(1);
  int last = SLOW_BUILD ? 8 : 9;
  for (int k = 0; k < last; k++)
    for (int draw = 0; draw < (sizes[k] < 50 ? 20 : 2); draw++) {
      int n = sizes[k];
      draw_matrix(&g, &the, n, n, 0);
      for (int i = 0; i < n; i++) *at(&the, i, i) += 0.1;
      draw_solution(&g, &the, 0.5, 0);
      expect_solved(&the, "positive definite");
      draw_matrix(&g, &the, n, n, 0.3), draw_solution(&g, &the, 0.5, 0);
      expect_solved(&the, "positive definite, unsymmetric");
      draw_matrix(&g, &the, n, (n + 1) / 2, 0), draw_solution(&g, &the, 0.5, 0);
      expect_solved(&the, "semidefinite of half rank");
      draw_matrix(&g, &the, n, (n + 1) / 2, 0), draw_solution(&g, &the, 0.5, 0.5);
      expect_solved(&the, "semidefinite, degenerate");
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) *at(&the, i, j) = sk_random_uniform(&g, 0, 1) + (i == j);
      for (int i = 0; i < n; i++) the.b[i] = sk_random_normal(&g);
      expect_solved(&the, "strictly co-positive");
    }
}

/* A box on n corners, all alike: A has rank 3, many answers, ties everywhere. */
static void ties(void **state)
{
  (void)state;
  for (int n = 4; n <= 100; n += n < 12 ? 1 : 22) {
    the.n = n;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) *at(&the, i, j) = 1 + (i % 2 == j % 2) + (i % 4 < 2) * (j % 4 < 2);
    for (int i = 0; i < n; i++) the.b[i] = -1;
    expect_solved(&the, "many alike");
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) *at(&the, i, j) = 1;
    expect_solved(&the, "rank one, all the same");
    for (int i = 0; i < n; i++) the.b[i] = 0;
    expect_solved(&the, "b = 0");
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) *at(&the, i, j) = (i == j);
    for (int i = 0; i < n; i++) the.b[i] = i % 3 - 1;
    expect_solved(&the, "identity");
  }
}

/* Without a rule for ties the second one cycles (Kostreva 1979); the first takes 2^n - 1 pivots (Murty 1978). */
static void classics(void **state)
{
  (void)state;
  static const double kostreva[9] = {1, 2, 0, 0, 1, 2, 2, 0, 1};
  for (int n = 1; n <= 10; n++) {
    the.n = n;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) *at(&the, i, j) = j < i ? 2 : j == i;
      the.b[i] = 0;
      for (int j = i; j < n; j++) the.b[i] -= ldexp(1, j);
    }
    expect_solved(&the, "Murty's");
    for (int i = 0; i < n; i++) /* Fathi's: symmetric, positive definite, as long */
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += (k < i ? 2 : k == i) * (k < j ? 2 : k == j);
        *at(&the, i, j) = sum;
      }
    expect_solved(&the, "Fathi's");
  }
  the.n = 3;
  memcpy(the.A, kostreva, sizeof kostreva);
  for (int i = 0; i < 3; i++) the.b[i] = -1;
  expect_solved(&the, "Kostreva's");
  for (int i = 0; i < 3; i++) expect_at_most(fabs(the.z[i] - 1.0 / 3), 1e-12, "z - 1/3");
}

static void a_ray_says_that_there_is_none(void **state)
{
  (void)state;
  sk_random g = sk_random_make(7);
  skein_lcp_info info;
  for (int n = 1; n <= 30; n++) { /* y'A = 0 and y'b < 0 for y = (1, 1, 0 ...) >= 0: no z has A z + b >= 0 */
    draw_matrix(&g, &the, n, n, 0);
    for (int j = 0; j < n; j++) *at(&the, 0, j) = *at(&the, j, 0) = n > 1 ? -*at(&the, 1, j) : 0;
    if (n > 1) *at(&the, 0, 0) = *at(&the, 1, 1), *at(&the, 0, 1) = *at(&the, 1, 0) = -*at(&the, 1, 1);
    for (int j = 2; j < n; j++) *at(&the, j, 0) = -*at(&the, j, 1);
    for (int i = 0; i < n; i++) the.b[i] = i < 2 ? -1 : sk_random_normal(&g);
    info = answer(&the);
    if (!info.ray || info.converged) fail_msg("n = %d: ray %d, converged %d", n, info.ray, info.converged);
  }
}

static void permutations_and_units(void **state)
{
  (void)state;
  static lcp other;
  sk_random g = sk_random_make(3);
  for (int draw = 0; draw < 20; draw++) {
    int n = 30, order[30];
    draw_matrix(&g, &the, n, n, 0.2), draw_solution(&g, &the, 0.5, 0);
    expect_solved(&the, "as drawn");
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
      int k = sk_random_int(&g, i + 1), swap = order[i];
      order[i] = order[k], order[k] = swap;
    }
    other.n = n;
    double units[30];
    for (int i = 0; i < n; i++) units[i] = pow(10, sk_random_uniform(&g, -4, 4));
    for (int i = 0; i < n; i++) {
      other.b[i] = 1e6 * the.b[order[i]] * units[i];
      for (int j = 0; j < n; j++) *at(&other, i, j) = *at(&the, order[i], order[j]) * units[i] * units[j];
    }
    skein_lcp_info info = answer(&other);
    assert_true(info.converged);
    for (int i = 0; i < n; i++)
      expect_at_most(fabs(1e-6 * other.z[i] * units[i] - the.z[order[i]]), 1e-7, "z in other units and another order");
  }
}

static void bad_input(void **state)
{
  (void)state;
  double A[4] = {1, 0, 0, 1}, b[2] = {-1, 1}, z[2], error;
  skein_lcp_info info;
  skein_lcp_def def = skein_default_lcp_def();
  expect_ok(skein_lcp_solve(0, NULL, NULL, NULL, NULL, NULL, &info));
  assert_true(info.converged);
  expect_bad(skein_lcp_solve(-1, A, b, NULL, z, NULL, &info), "n is -1");
  expect_bad(skein_lcp_solve(2, NULL, b, NULL, z, NULL, &info), "NULL");
  A[2] = NAN;
  expect_bad(skein_lcp_solve(2, A, b, NULL, z, NULL, &info), "A[1, 0] is nan");
  expect_bad(skein_lcp_error(2, A, b, z, &error), "A[1, 0]");
  A[2] = 0, b[1] = INFINITY;
  expect_bad(skein_lcp_solve(2, A, b, NULL, z, NULL, &info), "b[1] is inf");
  b[1] = 1, def.tol = 0;
  expect_bad(skein_lcp_solve(2, A, b, &def, z, NULL, &info), "tol");
  def = skein_default_lcp_def(), def.max_pivots = 1;
  b[1] = -2;
  expect_ok(skein_lcp_solve(2, A, b, &def, z, NULL, &info));
  assert_true(!info.converged && !info.ray && info.pivots == 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(manufactured),
                                     cmocka_unit_test(ties),
                                     cmocka_unit_test(classics),
                                     cmocka_unit_test(a_ray_says_that_there_is_none),
                                     cmocka_unit_test(permutations_and_units),
                                     cmocka_unit_test(bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
