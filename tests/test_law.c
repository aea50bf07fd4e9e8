/* Coulomb's law and its error: zero on the law and nowhere else, free of units, exact on the cone's boundary; the
 * Jacobians against finite differences. */
#include "friction/local.h"
#include "support.h"

static const sk_scale own = {1, 1};

typedef struct state {
  double r[3], u[3], mu;
} state;

/* A state that obeys the law: open (0), stick (1) or slide (2). */
static state draw_lawful(sk_random *g, int status, double mu)
{
  double angle = sk_random_uniform(g, 0, 6.3), c = cos(angle), s = sin(angle);
  double rN = sk_random_uniform(g, 0.1, 2), part = sk_random_uniform(g, 0, 1), slip = sk_random_uniform(g, 0.01, 3);
  if (status == 0) return (state){.u = {rN, slip * c, slip * s}, .mu = mu};
  if (status == 1) return (state){.r = {rN, part * mu * rN * c, part * mu * rN * s}, .mu = mu};
  return (state){.r = {rN, mu * rN * c, mu * rN * s}, .u = {0, -slip * c, -slip * s}, .mu = mu};
}

static double error_of(const state *s)
{
  return sk_contact_error(3, s->r, s->u, s->mu, own);
}

static double magnitude(const state *s)
{
  return (1 + s->mu) * (largest(s->r, 3) + largest(s->u, 3));
}

static void scale_state(state *s, double k)
{
  for (int i = 0; i < 3; i++) s->r[i] *= k, s->u[i] *= k;
}

/* Take-off, stick and slide have no error beyond the rounding of r and u, at any scale. */
static void zero_on_the_law(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(1);
  const double scales[] = {1, 1e-12, 1e12, 1e-100, 1e100};
  for (int t = 0; t < 30000; t++) {
    state s = draw_lawful(&g, t % 3, t % 7 ? sk_random_uniform(&g, 0, 2) : 0);
    scale_state(&s, scales[t % 5]);
    expect_at_most(error_of(&s), 1e-15 * magnitude(&s), "error of a lawful state");
  }
}

/* A state that misses the law by delta has an error of the order of delta. */
static void not_zero_elsewhere(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(2);
  for (int t = 0; t < 20000; t++) {
    double mu = sk_random_uniform(&g, 0.1, 2), delta = pow(10, sk_random_uniform(&g, -9, -1));
    state pull = draw_lawful(&g, 0, mu), dig = draw_lawful(&g, 1, mu), wide = draw_lawful(&g, 2, mu);
    pull.r[0] = -delta;
    dig.u[0] = -delta;
    wide.r[1] *= 1 + delta, wide.r[2] *= 1 + delta;
    assert_true(error_of(&pull) > 0.01 * mu * delta);
    assert_true(error_of(&dig) > 0.001 * mu * delta);
    assert_true(error_of(&wide) > 0.001 * mu * delta);
    state along = draw_lawful(&g, 2, mu); /* friction that drives the motion */
    for (int i = 0; i < 3; i++) along.u[i] *= -1;
    assert_true(error_of(&along) > 0.001 * mu);
  }
}

/* f(k x, k y) = k f(x, y): to the bit for powers of two, to rounding for others. */
static void homogeneous(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(3);
  for (int t = 0; t < 10000; t++) {
    double x[3], y[3], kx[3], ky[3], f[3], kf[3],
        k = t % 2 ? ldexp(1, sk_random_int(&g, 200) - 100) : pow(10, sk_random_uniform(&g, -12, 12));
    for (int i = 0; i < 3; i++)
      x[i] = sk_random_normal(&g), y[i] = sk_random_normal(&g), kx[i] = k * x[i], ky[i] = k * y[i];
    sk_fb(3, x, y, f);
    sk_fb(3, kx, ky, kf);
    for (int i = 0; i < 3; i++)
      expect_at_most(fabs(kf[i] - k * f[i]), t % 2 ? 0 : 4e-15 * k, "f(k x, k y) - k f(x, y)");
  }
}

/* On the boundary of the cone, where sliding lives, no digit is lost: subtraction would leave an error of 1e-8. */
static void exact_on_the_boundary(void **unused)
{
  (void)unused;
  state s = {.r = {5, 3, 4}, .u = {0, -3, -4}, .mu = 1}; /* exactly on it */
  expect_at_most(error_of(&s), 1e-15, "error of an exact slide");
  sk_random g = sk_random_make(4);
  for (int t = 0; t < 20000; t++) {
    s = draw_lawful(&g, 2, pow(10, sk_random_uniform(&g, -6, 1)));
    double ratio = pow(10, sk_random_uniform(&g, -8, 8));
    for (int i = 0; i < 3; i++) s.u[i] *= ratio;
    expect_at_most(error_of(&s), 1e-15 * magnitude(&s), "error of a slide");
  }
}

/* d = 2 is d = 3 with nothing along the second tangent. */
static void plane_is_space(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(5);
  for (int t = 0; t < 10000; t++) {
    double r[3] = {sk_random_normal(&g), sk_random_normal(&g), 0},
           u[3] = {sk_random_normal(&g), sk_random_normal(&g), 0};
    double mu = t % 5 ? sk_random_uniform(&g, 0, 2) : 0, f[3], h[3];
    double two = sk_contact_error(2, r, u, mu, own), three = sk_contact_error(3, r, u, mu, own);
    expect_at_most(fabs(two - three), 2e-15, "difference of d = 2 and d = 3");
    sk_fb(2, r, u, f);
    sk_fb(3, r, u, h);
    expect_at_most(fmax(fabs(f[0] - h[0]), fabs(f[1] - h[1])), 2e-15, "difference of f");
    assert_true(h[2] == 0);
  }
}

/* mu = 0 is the scalar Fischer-Burmeister function of the normal part, and any tangential impulse is an error. */
static void frictionless(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(6);
  for (int t = 0; t < 10000; t++) {
    double r[3] = {sk_random_normal(&g), 0, 0},
           u[3] = {sk_random_normal(&g), sk_random_normal(&g), sk_random_normal(&g)};
    double expected = fabs(r[0] + u[0] - hypot(r[0], u[0]));
    expect_at_most(fabs(sk_contact_error(3, r, u, 0, own) - expected), 2e-15, "scalar function");
    r[0] = fabs(r[0]), u[0] = 0, r[2] = sk_random_normal(&g);
    expect_at_most(fabs(sk_contact_error(3, r, u, 0, own) - fabs(r[2])), 1e-15, "tangential impulse");
  }
}

/* NaN anywhere that the law looks at is an infinite error, never a NaN and never a small number. */
static void nan_is_infinite(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(7);
  for (int d = 2; d <= 3; d++)
    for (int k = 0; k < 2 * d; k++)
      for (int status = 0; status < 3; status++)
        for (int smooth = 0; smooth < 2; smooth++) {
          state s = draw_lawful(&g, status, smooth ? 0 : 0.5);
          (k < d ? s.r : s.u)[k % d] = NAN;
          if (smooth && k > d) continue; /* without friction the slip does not matter */
          double e = sk_contact_error(d, s.r, s.u, s.mu, own);
          if (!(isinf(e) && e > 0))
            fail_msg("NaN in %c[%d], mu %g, d %d: error %g, expected infinity", k < d ? 'r' : 'u', k % d, s.mu, d, e);
          skein_error all = sk_law_error(d, 1, s.r, s.u, &s.mu, own, 1);
          assert_true(isinf(all.rel) && isinf(all.fb) && all.worst == 0);
        }
}

/* error_rel of a problem does not change with the units of length, mass and time; error_fb does. Both forms. */
static void units(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(8);
  skein_solution answer;
  skein_problem p = make_manufactured(3, 10, 12, 0.4, 8, &answer), w = make_reduced(&p);
  skein_error before, reduced, after;
  size_t size = size_of(&p);
  for (size_t i = 0; i < size; i++) answer.r[i] += 0.1 * sk_random_normal(&g);
  expect_ok(skein_problem_error(&p, answer.r, &before, NULL, NULL));
  expect_ok(skein_problem_error(&w, answer.r, &reduced, NULL, NULL));
  expect_at_most(fabs(before.rel - reduced.rel), 1e-12 * before.rel, "global against reduced");
  double length = 1e-3, mass = 1e-6, time = 60, speed = length / time, impulse = mass * speed;
  for (size_t i = 0; i < size; i++) answer.r[i] *= impulse, p.u_f[i] *= speed, w.b[i] *= speed;
  for (int i = 0; i < p.dofs; i++) p.f[i] *= impulse;
  for (int64_t k = 0; k < p.M.start[p.dofs]; k++) p.M.val[k] *= mass;
  for (int64_t k = 0; k < w.W.start[size]; k++) w.W.val[k] /= mass;
  expect_ok(skein_problem_error(&p, answer.r, &after, NULL, NULL));
  expect_at_most(fabs(before.rel - after.rel), 1e-11 * before.rel, "change of units, global");
  assert_true(fabs(before.fb - after.fb) > 0.5 * before.fb);
  expect_ok(skein_problem_error(&w, answer.r, &after, NULL, NULL));
  expect_at_most(fabs(before.rel - after.rel), 1e-11 * before.rel, "change of units, reduced");
  assert_int_equal(before.worst, after.worst);
  skein_problem_destroy(&p);
  skein_problem_destroy(&w);
  skein_solution_destroy(&answer);
}

/* b = 0 and r = 0 is a solution without error, W = 0 too; so is a problem without contacts. */
static void nothing_happens(void **unused)
{
  (void)unused;
  double W[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, b[3] = {0}, mu = 0.5, r[3] = {0};
  skein_error e;
  for (int k = 0; k < 2; k++, memset(W, 0, sizeof W)) {
    skein_problem p = make_dense(3, 1, W, b, &mu);
    expect_ok(skein_problem_error(&p, r, &e, NULL, NULL));
    assert_true(e.rel == 0 && e.fb == 0);
    skein_problem_destroy(&p);
  }
  skein_problem none = make_dense(3, 0, W, b, &mu);
  expect_ok(skein_problem_error(&none, r, &e, NULL, NULL));
  assert_true(e.rel == 0 && e.fb == 0 && e.worst == -1);
  skein_problem_destroy(&none);
}

/* ---- Jacobians ---- */

typedef void (*law_fn)(const double *r, const double *u, const double *c, double *f, double *dfdr, double *dfdu);

static void eval_fb(const double *r, const double *u, const double *c, double *f, double *dfdr, double *dfdu)
{
  sk_fb_eval(r, u, c[0], c[1], f, dfdr, dfdu);
}

/* c[3]: the ball. */
static void eval_ac(const double *r, const double *u, const double *c, double *f, double *dfdr, double *dfdu)
{
  sk_ac_def def = {c[3] == 0 ? SKEIN_BALL_AUGMENTED : SKEIN_BALL_PLAIN, c[1], c[2]};
  sk_ac_eval(r, u, c[0], &def, f, dfdr, dfdu);
}

/* Both Jacobians of f against central differences, 1e-6 of the largest entry. */
static void compare_jacobians(law_fn law, const double *r, const double *u, const double *c)
{
  const double h = 1e-6;
  double f[3], plus[3], minus[3], J[2][9], scrap[2][9], size;
  law(r, u, c, f, J[0], J[1]);
  size = fmax(1, fmax(largest(J[0], 9), largest(J[1], 9)));
  for (int j = 0; j < 6; j++) {
    double x[6] = {r[0], r[1], r[2], u[0], u[1], u[2]};
    x[j] += h;
    law(x, x + 3, c, plus, scrap[0], scrap[1]);
    x[j] -= 2 * h;
    law(x, x + 3, c, minus, scrap[0], scrap[1]);
    for (int i = 0; i < 3; i++)
      expect_at_most(fabs((plus[i] - minus[i]) / (2 * h) - J[j / 3][3 * i + j % 3]), 1e-6 * size, "Jacobian");
  }
}

/* sqrt of the small eigenvalue of x o x + y o y: the distance to the kink of the Fischer-Burmeister function. */
static double small_root(const double *r, const double *u, double mu, double rho)
{
  double x[3] = {mu * r[0], r[1], r[2]},
         y[3] = {rho * (u[0] + mu * hypot(u[1], u[2])), rho * mu * u[1], rho * mu * u[2]};
  double a1 = x[0] * x[1] + y[0] * y[1], a2 = x[0] * x[2] + y[0] * y[2], sum = 0;
  for (int i = 0; i < 3; i++) sum += x[i] * x[i] + y[i] * y[i];
  return sqrt(fmax(0, sum - 2 * hypot(a1, a2)));
}

static void jacobian_fb(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(9);
  int tried = 0;
  while (tried < 5000) {
    double r[3], u[3], c[2] = {sk_random_uniform(&g, 0.1, 2), pow(10, sk_random_uniform(&g, -1, 1))};
    for (int i = 0; i < 3; i++) r[i] = sk_random_normal(&g), u[i] = sk_random_normal(&g);
    if (small_root(r, u, c[0], c[1]) < 0.1 || hypot(u[1], u[2]) < 0.1) continue;
    compare_jacobians(eval_fb, r, u, c);
    tried++;
  }
}

/* With both balls, and at the new contact where they differ: r = 0, u_N < 0, where the plain one is empty. */
static void jacobian_ac(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(10);
  int tried = 0;
  while (tried < 10000) {
    double r[3], u[3],
        c[4] = {sk_random_uniform(&g, 0, 2), pow(10, sk_random_uniform(&g, -1, 1)),
                pow(10, sk_random_uniform(&g, -1, 1)), tried % 2};
    for (int i = 0; i < 3; i++) r[i] = sk_random_normal(&g), u[i] = sk_random_normal(&g);
    if (tried % 10 == 0) r[0] = r[1] = r[2] = 0;
    double reach = hypot(r[1] - c[2] * u[1], r[2] - c[2] * u[2]), a = r[0] - c[1] * u[0], size = c[3] == 0 ? a : r[0];
    if ((c[3] != 0 && fabs(r[0]) < 0.01) || fabs(a) < 0.01 || fabs(reach - c[0] * size) < 0.01 || reach < 0.1) continue;
    compare_jacobians(eval_ac, r, u, c);
    tried++;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zero_on_the_law), cmocka_unit_test(not_zero_elsewhere),
      cmocka_unit_test(homogeneous),     cmocka_unit_test(exact_on_the_boundary),
      cmocka_unit_test(plane_is_space),  cmocka_unit_test(frictionless),
      cmocka_unit_test(nan_is_infinite), cmocka_unit_test(units),
      cmocka_unit_test(nothing_happens), cmocka_unit_test(jacobian_fb),
      cmocka_unit_test(jacobian_ac),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
