/* Synthetic problems: the known answer solves them, the same seed gives the same bits, bad definitions are refused. */
#include "base/base.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <skein/skein.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_ok(skein_status s)
{
  assert_string_equal(s.message, "");
  assert_int_equal(s.code, SKEIN_OK);
}

static void expect_bad(skein_status s, const skein_problem *p, const char *part)
{
  assert_int_equal(s.code, SKEIN_BAD_INPUT);
  if (!strstr(s.message, part)) fail_msg("\"%s\" does not contain \"%s\"", s.message, part);
  assert_null(p->mu);
  assert_null(p->M.val);
}

static void expect_same(const skein_problem *p, const skein_problem *q)
{
  size_t m = (size_t)p->dofs, size = (size_t)p->d * (size_t)p->contacts;
  assert_int_equal(p->dofs, q->dofs);
  assert_int_equal(p->contacts, q->contacts);
  assert_memory_equal(p->M.val, q->M.val, (size_t)p->M.start[m] * sizeof(double));
  assert_memory_equal(p->H.col, q->H.col, (size_t)p->H.start[size] * sizeof(int));
  assert_memory_equal(p->H.val, q->H.val, (size_t)p->H.start[size] * sizeof(double));
  assert_memory_equal(p->f, q->f, m * sizeof(double));
  assert_memory_equal(p->u_f, q->u_f, size * sizeof(double));
}

/* ---- manufactured ---- */

static void check_answer(const skein_manufactured_def *def)
{
  skein_problem p;
  skein_solution answer;
  skein_error error;
  expect_ok(skein_make_manufactured(def, &p, &answer));
  expect_ok(skein_problem_check(&p));
  assert_int_equal(p.contacts, def->contacts);
  assert_int_equal(p.dofs, def->objects * def->dofs_per_object);
  double *u = sk_calloc((size_t)p.d * (size_t)p.contacts, sizeof *u), *v = sk_calloc((size_t)p.dofs, sizeof *v);
  expect_ok(skein_problem_error(&p, answer.r, &error, u, v));
  assert_true(error.rel <= 1e-10);
  assert_true(error.fb <= 1e-10);
  for (int k = 0; k < p.d * p.contacts; k++) assert_true(fabs(u[k] - answer.u[k]) <= 1e-10);
  for (int k = 0; k < p.dofs; k++) assert_true(fabs(v[k] - answer.v[k]) <= 1e-10);
  free(u);
  free(v);
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
}

static void answer_solves(void **state)
{
  (void)state;
  static const double mus[] = {0, 0.3, 1};
  for (int d = 2; d <= 3; d++)
    for (int k = 0; k < 3; k++)
      for (uint64_t seed = 1; seed <= 5; seed++) {
        skein_manufactured_def def = skein_default_manufactured_def();
        def.d = d, def.mu = mus[k], def.seed = seed;
        check_answer(&def);
        def.contacts = 500; /* more than the dofs can tell apart */
        check_answer(&def);
        def.contacts = 7, def.objects = 1, def.dofs_per_object = 1;
        check_answer(&def);
      }
}

static void shares(void **state)
{
  (void)state;
  skein_manufactured_def def = skein_default_manufactured_def();
  def.contacts = 3000, def.objects = 3000, def.open = 0.2, def.stick = 0.5;
  skein_problem p;
  skein_solution answer;
  expect_ok(skein_make_manufactured(&def, &p, &answer));
  int open = 0, stick = 0;
  for (int i = 0; i < p.contacts; i++) {
    const double *r = answer.r + 3 * i, *u = answer.u + 3 * i;
    open += r[0] == 0;
    stick += r[0] > 0 && u[1] == 0 && u[2] == 0;
    if (r[0] > 0) assert_true(u[0] == 0);
  }
  assert_true(abs(open - 600) < 120);
  assert_true(abs(stick - 1500) < 150);
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
}

static void no_manufactured_contacts(void **state)
{
  (void)state;
  skein_manufactured_def def = skein_default_manufactured_def();
  def.contacts = 0;
  check_answer(&def);
}

static void manufactured_repeats(void **state)
{
  (void)state;
  skein_manufactured_def def = skein_default_manufactured_def();
  skein_problem p, q;
  skein_solution a, b;
  expect_ok(skein_make_manufactured(&def, &p, &a));
  expect_ok(skein_make_manufactured(&def, &q, &b));
  expect_same(&p, &q);
  assert_memory_equal(a.r, b.r, (size_t)(p.d * p.contacts) * sizeof(double));
  skein_problem_destroy(&q);
  skein_solution_destroy(&b);
  def.seed++;
  expect_ok(skein_make_manufactured(&def, &q, &b));
  assert_memory_not_equal(a.r, b.r, (size_t)(p.d * p.contacts) * sizeof(double));
  skein_problem_destroy(&p);
  skein_problem_destroy(&q);
  skein_solution_destroy(&a);
  skein_solution_destroy(&b);
}

static void bad_manufactured(void **state)
{
  (void)state;
  static const struct {
    skein_manufactured_def def;
    const char *part;
  } rows[] = {
      {{.d = 4, .objects = 1, .dofs_per_object = 1}, "d is 4, expected 2 or 3"},
      {{.d = 3, .objects = 0, .dofs_per_object = 6}, "objects is 0, expected 1 to"},
      {{.d = 3, .objects = 1, .dofs_per_object = 0}, "dofs_per_object is 0"},
      {{.d = 3, .objects = INT_MAX, .dofs_per_object = 6}, "objects is 2147483647"},
      {{.d = 3, .objects = 1, .dofs_per_object = 6, .contacts = -1}, "contacts is -1"},
      {{.d = 3, .objects = 1, .dofs_per_object = 6, .contacts = INT_MAX}, "contacts is 2147483647"},
      {{.d = 3, .objects = 1, .dofs_per_object = 6, .mu = -0.1}, "mu is -0.1"},
      {{.d = 3, .objects = 1, .dofs_per_object = 6, .mu = INFINITY}, "mu is inf"},
      {{.d = 3, .objects = 1, .dofs_per_object = 6, .open = 1.5}, "open is 1.5"},
      {{.d = 3, .objects = 1, .dofs_per_object = 6, .stick = NAN}, "stick is"},
      {{.d = 3, .objects = 1, .dofs_per_object = 6, .open = 0.6, .stick = 0.6}, "open + stick is 1.2"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    skein_problem p;
    skein_solution answer;
    expect_bad(skein_make_manufactured(&rows[k].def, &p, &answer), &p, rows[k].part);
    assert_null(answer.r);
  }
}

/* ---- hairlike ---- */

static void hairlike_is_sound(void **state)
{
  (void)state;
  static const int sizes[][3] = {{2, 1, 16}, {3, 40, 16}, {50, 640, 16}, {10, 0, 16}, {20, 30, 1}, {20, 30, 50}};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    skein_hairlike_def def = skein_default_hairlike_def();
    skein_problem p;
    def.rods = sizes[k][0], def.contacts = sizes[k][1], def.dofs_per_rod = sizes[k][2];
    expect_ok(skein_make_hairlike(&def, &p));
    expect_ok(skein_problem_check(&p));
    assert_int_equal(p.form, SKEIN_GLOBAL);
    assert_int_equal(p.dofs, def.rods * def.dofs_per_rod);
    for (int row = 0; row < 3 * p.contacts; row++) /* two different rods in every row */
      assert_true(p.H.col[p.H.start[row]] / def.dofs_per_rod != p.H.col[p.H.start[row + 1] - 1] / def.dofs_per_rod);
    skein_problem_destroy(&p);
  }
}

/* What makes it like dense hair: over-constrained, in one piece, most contacts closing, M positive definite. */
static void hairlike_is_like_hair(void **state)
{
  (void)state;
  skein_hairlike_def def = skein_default_hairlike_def();
  skein_problem p;
  skein_problem_info info;
  expect_ok(skein_make_hairlike(&def, &p));
  expect_ok(skein_problem_describe(&p, &info));
  assert_int_equal(info.objects, 1000);
  assert_int_equal(info.islands, 1);
  assert_true(fabs(info.nu - 2.4) < 1e-12);
  assert_true(info.closing > 5000 && info.closing < 12800);
  assert_true(info.diag_min > 0);
  skein_problem_destroy(&p);
}

static void hairlike_repeats(void **state)
{
  (void)state;
  skein_hairlike_def def = skein_default_hairlike_def();
  skein_problem p, q;
  def.rods = 60, def.contacts = 700;
  expect_ok(skein_make_hairlike(&def, &p));
  expect_ok(skein_make_hairlike(&def, &q));
  expect_same(&p, &q);
  skein_problem_destroy(&q);
  def.seed++;
  expect_ok(skein_make_hairlike(&def, &q));
  assert_memory_not_equal(p.f, q.f, (size_t)p.dofs * sizeof(double));
  skein_problem_destroy(&p);
  skein_problem_destroy(&q);
}

static void bad_hairlike(void **state)
{
  (void)state;
  static const struct {
    skein_hairlike_def def;
    const char *part;
  } rows[] = {
      {{.rods = 1, .dofs_per_rod = 16}, "rods is 1, expected 2 to"},
      {{.rods = INT_MAX, .dofs_per_rod = 16}, "rods is 2147483647"},
      {{.rods = 10, .dofs_per_rod = 0}, "dofs_per_rod is 0, expected 1 to 1000"},
      {{.rods = 10, .dofs_per_rod = 16, .contacts = -5}, "contacts is -5"},
      {{.rods = 10, .dofs_per_rod = 16, .mu = NAN}, "mu is"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    skein_problem p;
    expect_bad(skein_make_hairlike(&rows[k].def, &p), &p, rows[k].part);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answer_solves),
      cmocka_unit_test(shares),
      cmocka_unit_test(no_manufactured_contacts),
      cmocka_unit_test(manufactured_repeats),
      cmocka_unit_test(bad_manufactured),
      cmocka_unit_test(hairlike_is_sound),
      cmocka_unit_test(hairlike_is_like_hair),
      cmocka_unit_test(hairlike_repeats),
      cmocka_unit_test(bad_hairlike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
