/* The answer does not depend on how the problem is written down: frames of the tangents, order of the contacts, units.
 * Without friction it is a linear complementarity problem; from the answer there is nothing left to do. */
#include "support.h"

enum { contacts = 14, size = 3 * contacts };

typedef struct dense {
  double W[size * size], b[size], mu[contacts];
} dense;

/* Each contact has dofs of its own and mu is small: r and u are unique. */
static dense draw_problem(int seed)
{
  static dense x;
  skein_solution answer;
  skein_problem p = make_manufactured(3, 16, contacts, 0.25, (uint64_t)seed, &answer), w = make_reduced(&p);
  double *W = dense_W(&w);
  memcpy(x.W, W, sizeof x.W), memcpy(x.b, w.b, sizeof x.b), memcpy(x.mu, w.mu, sizeof x.mu);
  free(W);
  skein_problem_destroy(&p);
  skein_problem_destroy(&w);
  skein_solution_destroy(&answer);
  return x;
}

static void solve_dense(const dense *x, skein_method m, double *r, double *u)
{
  skein_problem p = make_dense(3, contacts, x->W, x->b, x->mu);
  skein_solve_def def = skein_default_solve_def();
  skein_solution s = {0};
  def.method = m, def.tol = m == SKEIN_IPM ? 1e-7 : 1e-10;
  skein_solve_info info = solve(&p, &def, &s);
  if (!info.converged) fail_msg("%s stops at %g", skein_method_name(m), info.error.rel);
  memcpy(r, s.r, size * sizeof *r), memcpy(u, s.u, size * sizeof *u);
  skein_solution_destroy(&s);
  skein_problem_destroy(&p);
}

/* y = Q x with Q of size x size by rows. */
static void multiply(const double *Q, const double *x, double *y)
{
  for (int i = 0; i < size; i++) {
    y[i] = 0;
    for (int j = 0; j < size; j++) y[i] += Q[size * i + j] * x[j];
  }
}

/* The problem in other coordinates: W <- Q W Q', b <- Q b, for an orthogonal Q. */
static dense transform(const dense *x, const double *Q)
{
  static dense y;
  double column[size], image[size];
  static double half[size * size]; /* Q W, by rows */
  for (int j = 0; j < size; j++) {
    for (int i = 0; i < size; i++) column[i] = x->W[size * i + j];
    multiply(Q, column, image);
    for (int i = 0; i < size; i++) half[size * i + j] = image[i];
  }
  for (int i = 0; i < size; i++) multiply(Q, half + size * i, y.W + size * i);
  multiply(Q, x->b, y.b);
  memcpy(y.mu, x->mu, sizeof y.mu);
  return y;
}

static const skein_method methods[] = {SKEIN_AUTO, SKEIN_GS, SKEIN_IPM};

/* The solutions of x and of its transform agree: r' = Q r, u' = Q u. */
static void compare(const dense *x, const dense *y, const double *Q, const char *what)
{
  for (int m = 0; m < 3; m++) {
    double r[size], u[size], r2[size], u2[size], Qr[size], Qu[size];
    solve_dense(x, methods[m], r, u);
    solve_dense(y, methods[m], r2, u2);
    multiply(Q, r, Qr), multiply(Q, u, Qu);
    expect_at_most(largest_difference(Qu, u2, size), 1e-5 * largest(u, size), what);
    expect_at_most(largest_difference(Qr, r2, size), 1e-4 * largest(r, size), what);
  }
}

/* Each contact may turn its tangents as it likes. */
static void rotated_tangents(void **unused)
{
  (void)unused;
  static double Q[size * size];
  sk_random g = sk_random_make(1);
  for (int seed = 1; seed <= 4; seed++) {
    dense x = draw_problem(seed);
    memset(Q, 0, sizeof Q);
    for (int i = 0; i < contacts; i++) {
      double angle = sk_random_uniform(&g, 0, 6.3), *q = Q + (size + 1) * 3 * i;
      q[0] = 1, q[size + 1] = q[2 * size + 2] = cos(angle), q[size + 2] = sin(angle), q[2 * size + 1] = -sin(angle);
    }
    dense y = transform(&x, Q);
    compare(&x, &y, Q, "rotated tangents");
  }
}

/* The contacts may come in any order. */
static void permuted_contacts(void **unused)
{
  (void)unused;
  static double Q[size * size];
  sk_random g = sk_random_make(2);
  for (int seed = 5; seed <= 8; seed++) {
    int order[contacts];
    dense x = draw_problem(seed);
    for (int i = 0; i < contacts; i++) order[i] = i, x.mu[i] = 0.1 + 0.01 * i;
    for (int i = contacts - 1; i > 0; i--) {
      int j = sk_random_int(&g, i + 1), t = order[i];
      order[i] = order[j], order[j] = t;
    }
    memset(Q, 0, sizeof Q);
    for (int i = 0; i < size; i++) Q[size * i + 3 * order[i / 3] + i % 3] = 1;
    dense y = transform(&x, Q);
    for (int i = 0; i < contacts; i++) y.mu[i] = x.mu[order[i]];
    compare(&x, &y, Q, "permuted contacts");
  }
}

/* Other units of length, mass and time: the same answer in those units, and the same number of sweeps. */
static void other_units(void **unused)
{
  (void)unused;
  for (int k = 0; k < 6; k++) {
    const double speed = (const double[]){1e-9, 1e6, 1}[k % 3], mass = (const double[]){1e-6, 1e3}[k % 2];
    dense x = draw_problem(9 + k), y = x;
    for (int i = 0; i < size * size; i++) y.W[i] /= mass;
    for (int i = 0; i < size; i++) y.b[i] *= speed;
    for (int m = 0; m < 3; m++) {
      double r[size], u[size], r2[size], u2[size];
      solve_dense(&x, methods[m], r, u);
      solve_dense(&y, methods[m], r2, u2);
      for (int i = 0; i < size; i++) r2[i] /= speed * mass, u2[i] /= speed;
      expect_at_most(largest_difference(u, u2, size), 1e-5 * largest(u, size), "u in other units");
      expect_at_most(largest_difference(r, r2, size), 1e-4 * largest(r, size), "r in other units");
    }
  }
}

/* Units that are powers of two change no bit of the way: the same r, scaled. */
static void units_of_two(void **unused)
{
  (void)unused;
  dense x = draw_problem(20), y = x;
  for (int i = 0; i < size * size; i++) y.W[i] = ldexp(x.W[i], 12);
  for (int i = 0; i < size; i++) y.b[i] = ldexp(x.b[i], -20);
  double r[size], u[size], r2[size], u2[size];
  solve_dense(&x, SKEIN_GS, r, u);
  solve_dense(&y, SKEIN_GS, r2, u2);
  for (int i = 0; i < size; i++) assert_true(ldexp(r[i], -32) == r2[i]);
}

/* mu = 0: the linear complementarity problem 0 <= r_N _|_ W_NN r_N + b_N >= 0, solved here by projected sweeps. */
static void frictionless_is_lcp(void **unused)
{
  (void)unused;
  for (int seed = 30; seed < 34; seed++) {
    dense x = draw_problem(seed);
    double z[contacts] = {0};
    memset(x.mu, 0, sizeof x.mu);
    for (int sweep = 0; sweep < 20000; sweep++)
      for (int i = 0; i < contacts; i++) {
        double u = x.b[3 * i];
        for (int j = 0; j < contacts; j++) u += x.W[size * 3 * i + 3 * j] * z[j];
        z[i] = fmax(0, z[i] - u / x.W[(size + 1) * 3 * i]);
      }
    for (int m = 0; m < 3; m++) {
      double r[size], u[size];
      solve_dense(&x, methods[m], r, u);
      for (int i = 0; i < contacts; i++) {
        expect_at_most(fabs(r[3 * i] - z[i]), 1e-4 * largest(z, contacts), "r_N against the LCP");
        assert_true(r[3 * i + 1] == 0 && r[3 * i + 2] == 0);
      }
    }
  }
}

/* Started from the answer, a solve needs at most two sweeps and does not leave it; the error never grows. */
static void warm_start(void **unused)
{
  (void)unused;
  for (int k = 0; k < 4; k++) {
    skein_solution answer, s = {0};
    skein_problem p = make_manufactured(3, k < 2 ? 20 : 8, 24, 0.3, (uint64_t)(40 + k), &answer);
    skein_solve_def def = skein_default_solve_def();
    def.tol = 1e-8;
    skein_solve_info first = solve(&p, &def, &s);
    assert_true(first.converged);
    for (int m = 0; m < SKEIN_METHOD_COUNT; m++) {
      skein_solution t;
      expect_ok(skein_solution_create(&p, &t));
      memcpy(t.r, s.r, size_of(&p) * sizeof *t.r);
      def.method = (skein_method)m, def.warm_start = true, def.tol = 1e-6;
      skein_solve_info info = solve(&p, &def, &t);
      if (!info.converged) fail_msg("%s leaves the answer: error %g", skein_method_name(def.method), info.error.rel);
      if (info.iterations > 2)
        fail_msg("%s needs %d iterations from the answer", skein_method_name(def.method), info.iterations);
      skein_solution_destroy(&t);
    }
    skein_solution_destroy(&s);
    skein_solution_destroy(&answer);
    skein_problem_destroy(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotated_tangents), cmocka_unit_test(permuted_contacts),   cmocka_unit_test(other_units),
      cmocka_unit_test(units_of_two),     cmocka_unit_test(frictionless_is_lcp), cmocka_unit_test(warm_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
