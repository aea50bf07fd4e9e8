/* skein_problem_check: every promise that it makes, broken one at a time. */
#include "base/base.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <skein/skein.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two contacts of dimension d with identity matrices, all in static arrays that every test may spoil. */
typedef struct fixture {
  skein_problem p;
  int64_t start[7], H_start[7];
  int col[7], H_col[7];
  double val[7], H_val[7], mu[2], b[6], f[6];
} fixture;

static void fixture_make(fixture *x, skein_form form, int d)
{
  int size = 2 * d;
  *x = (fixture){.p = {.form = form, .d = d, .contacts = 2, .mu = x->mu}, .mu = {0.3, 0}};
  for (int i = 0; i < size; i++) {
    x->start[i + 1] = x->H_start[i + 1] = i + 1;
    x->col[i] = x->H_col[i] = i;
    x->val[i] = 2, x->H_val[i] = 1, x->b[i] = -i, x->f[i] = i;
  }
  skein_csr A = {.rows = size, .cols = size, .start = x->start, .col = x->col, .val = x->val};
  skein_csr H = {.rows = size, .cols = size, .start = x->H_start, .col = x->H_col, .val = x->H_val};
  if (form == SKEIN_REDUCED) {
    x->p.W = A, x->p.b = x->b;
  } else {
    x->p.M = A, x->p.H = H, x->p.f = x->f, x->p.u_f = x->b, x->p.dofs = size;
  }
}

static void expect_ok(const fixture *x)
{
  skein_status s = skein_problem_check(&x->p);
  assert_string_equal(s.message, "");
  assert_int_equal(s.code, SKEIN_OK);
}

static void expect_bad(const fixture *x, const char *part)
{
  skein_status s = skein_problem_check(&x->p);
  assert_int_equal(s.code, SKEIN_BAD_INPUT);
  if (!strstr(s.message, part)) fail_msg("\"%s\" does not contain \"%s\"", s.message, part);
}

static void good_problems(void **state)
{
  (void)state;
  fixture x;
  for (int d = 2; d <= 3; d++)
    for (int form = SKEIN_REDUCED; form <= SKEIN_GLOBAL; form++) {
      fixture_make(&x, (skein_form)form, d);
      expect_ok(&x);
    }
}

static void no_contacts(void **state)
{
  (void)state;
  fixture x = {.p = {.d = 3, .W = {.start = x.start}}};
  expect_ok(&x);
  fixture_make(&x, SKEIN_GLOBAL, 3);
  x.p.contacts = 0, x.p.mu = NULL, x.p.u_f = NULL, x.p.H.rows = 0;
  x.H_start[0] = 0;
  expect_ok(&x);
}

static void bad_sizes(void **state)
{
  (void)state;
  fixture x;
  fixture_make(&x, SKEIN_REDUCED, 3);
  x.p.form = (skein_form)7;
  expect_bad(&x, "form is 7");
  fixture_make(&x, SKEIN_REDUCED, 3);
  x.p.d = 4;
  expect_bad(&x, "d is 4, expected 2 or 3");
  x.p.d = 3, x.p.contacts = -1;
  expect_bad(&x, "contacts is -1");
  x.p.contacts = INT_MAX / 3 + 1;
  expect_bad(&x, "contacts is 715827883");
  fixture_make(&x, SKEIN_GLOBAL, 3);
  x.p.dofs = -1;
  expect_bad(&x, "dofs is -1");
  x.p.dofs = INT_MAX;
  expect_bad(&x, "dofs is 2147483647");
}

static void bad_vectors(void **state)
{
  (void)state;
  fixture x;
  fixture_make(&x, SKEIN_REDUCED, 3);
  x.mu[1] = -0.3;
  expect_bad(&x, "mu[1] is -0.3, expected >= 0");
  x.mu[1] = NAN;
  expect_bad(&x, "mu[1] is");
  x.p.mu = NULL;
  expect_bad(&x, "mu: is missing");
  fixture_make(&x, SKEIN_REDUCED, 3);
  x.b[5] = -INFINITY;
  expect_bad(&x, "b[5] is -inf");
  fixture_make(&x, SKEIN_GLOBAL, 3);
  x.f[2] = NAN;
  expect_bad(&x, "f[2] is");
  x.f[2] = 0, x.b[0] = NAN;
  expect_bad(&x, "u_f[0] is");
  x.p.f = NULL;
  expect_bad(&x, "f: is missing");
}

static void bad_matrices(void **state)
{
  (void)state;
  fixture x;
  fixture_make(&x, SKEIN_REDUCED, 3);
  x.p.W.cols = 5;
  expect_bad(&x, "W: is 6 x 5, expected 6 x 6");
  x.p.W.cols = 6, x.p.W.start = NULL;
  expect_bad(&x, "W: arrays are missing");
  fixture_make(&x, SKEIN_REDUCED, 3);
  x.start[0] = 1;
  expect_bad(&x, "W: first row starts at 1");
  fixture_make(&x, SKEIN_REDUCED, 3);
  x.start[3] = 1 << 30; /* far beyond the arrays, although the last start is right: nothing may be read there */
  expect_bad(&x, "W.start[4] is 4");
  fixture_make(&x, SKEIN_REDUCED, 3);
  x.col[2] = 6;
  expect_bad(&x, "W: column 6 in row 2");
  fixture_make(&x, SKEIN_REDUCED, 2);
  x.val[1] = NAN;
  expect_bad(&x, "W: entry (1, 1)");
  fixture_make(&x, SKEIN_GLOBAL, 3);
  x.H_col[4] = -1;
  expect_bad(&x, "H: column -1 in row 4");
}

static void mass_matrix(void **state)
{
  (void)state;
  fixture x;
  fixture_make(&x, SKEIN_GLOBAL, 3);
  x.val[4] = -2;
  expect_bad(&x, "M: diagonal entry 4 is -2, expected > 0");
  x.val[4] = 0;
  expect_bad(&x, "M: diagonal entry 4 is 0");
  fixture_make(&x, SKEIN_GLOBAL, 3);
  x.start[6] = 7, x.col[6] = 2, x.val[6] = 0.5; /* (5, 2) without (2, 5) */
  expect_bad(&x, "M: entry (2, 5) is 0, entry (5, 2) is 0.5");
  x.val[6] = 1e-8;
  expect_ok(&x); /* within 1e-8 of the largest entry, 2 */
  x.val[6] = 2.1e-8;
  expect_bad(&x, "expected symmetric");
  x.col[6] = 5, x.val[6] = -1; /* the diagonal given twice adds up */
  expect_ok(&x);
  x.val[6] = -2;
  expect_bad(&x, "M: diagonal entry 5 is 0");
}

static void solutions(void **state)
{
  (void)state;
  fixture x;
  skein_solution s;
  fixture_make(&x, SKEIN_REDUCED, 3);
  assert_int_equal(skein_solution_create(&x.p, &s).code, SKEIN_OK);
  assert_non_null(s.r);
  assert_non_null(s.u);
  assert_null(s.v);
  for (int k = 0; k < 6; k++) assert_true(s.r[k] == 0 && s.u[k] == 0);
  skein_solution_destroy(&s);
  assert_null(s.r);
  fixture_make(&x, SKEIN_GLOBAL, 2);
  assert_int_equal(skein_solution_create(&x.p, &s).code, SKEIN_OK);
  for (int k = 0; k < 4; k++) assert_true(s.v[k] == 0);
  skein_solution_destroy(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_problems), cmocka_unit_test(no_contacts),  cmocka_unit_test(bad_sizes),
      cmocka_unit_test(bad_vectors),   cmocka_unit_test(bad_matrices), cmocka_unit_test(mass_matrix),
      cmocka_unit_test(solutions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
