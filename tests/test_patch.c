/* Patches: the contacts of a large island that are not done are solved on their own, and the others do not notice. */
#include "friction/friction.h"
#include "friction/patch.h"
#include "support.h"

typedef struct bench {
  skein_problem problem;
  skein_solution x; /* within a hundredth of tol */
  skein_solve_def def;
  sk_arena arena;
  sk_system system;
  sk_work work;
  sk_sweep sweep;
} bench;

enum { RODS = 500, CONTACTS = 2400 };

static void bench_make(bench *b, double tol)
{
  skein_solve_info info;
  *b = (bench){.def = skein_default_solve_def(), .problem = make_hairlike(RODS, CONTACTS, 0.3, 3)};
  expect_ok(skein_solution_create(&b->problem, &b->x));
  b->def.method = SKEIN_GS, b->def.threads = 1, b->def.tol = 0.01 * tol;
  expect_ok(skein_solve(&b->problem, &b->def, &b->x, &info));
  assert_true(info.converged);
  b->def.tol = tol;
  expect_ok(sk_system_make(&b->problem, SKEIN_FACTORED, 1, &b->arena, &b->system));
  b->work = (sk_work){.system = &b->system, .def = &b->def, .error = INFINITY};
  expect_ok(sk_sweep_make(&b->work, &b->sweep));
}

static void bench_destroy(bench *b)
{
  sk_sweep_finish(&b->sweep);
  sk_arena_free(&b->work.arena), sk_arena_free(&b->arena);
  skein_solution_destroy(&b->x), skein_problem_destroy(&b->problem);
}

/* The solution with the impulses of every `step`-th contact from `first` on taken away; its error. */
static double disturb(bench *b, int first, int step)
{
  int worst;
  sk_sweep_set(&b->sweep, b->x.r);
  for (int i = first; i < CONTACTS; i += step) memset(b->sweep.r + 3 * i, 0, 3 * sizeof(double));
  sk_sweep_refresh(&b->sweep);
  return sk_sweep_measure(&b->sweep, &worst);
}

/* Three contacts are disturbed: the patch mends them, and few beside them have changed. */
static void few_are_mended(void **state)
{
  bench b;
  bool helped;
  int worst, changed = 0, first = 0;
  (void)state;
  bench_make(&b, 1e-3);
  while (!(b.x.r[3 * first] > 0)) first++;
  assert_true(disturb(&b, first, CONTACTS / 3) > b.def.tol);
  expect_ok(sk_patch_solve(&b.work, &b.sweep, &helped));
  assert_true(helped);
  expect_at_most(sk_sweep_measure(&b.sweep, &worst), b.def.tol, "error after the patch");
  for (int i = 0; i < CONTACTS; i++) changed += memcmp(b.sweep.r + 3 * i, b.x.r + 3 * i, 3 * sizeof(double)) != 0;
  assert_in_range(changed, 3, CONTACTS / 4);
  assert_true(b.work.visits > 0);
  bench_destroy(&b);
}

/* Where contacts everywhere are not done there is no patch, and nothing has changed. */
static void many_are_not(void **state)
{
  bench b;
  bool helped = true;
  (void)state;
  bench_make(&b, 1e-3);
  disturb(&b, 0, 2);
  double *before = calloc(3 * CONTACTS, sizeof *before);
  memcpy(before, b.sweep.r, 3 * CONTACTS * sizeof *before);
  expect_ok(sk_patch_solve(&b.work, &b.sweep, &helped));
  assert_false(helped);
  assert_memory_equal(before, b.sweep.r, 3 * CONTACTS * sizeof *before);
  free(before);
  bench_destroy(&b);
}

/* Progress calls so far; says nothing. */
static bool count_calls(void *user, const skein_progress *p)
{
  (void)p;
  return ++*(int *)user < 0;
}

/* The whole solver from a disturbed guess, watched or not: the same bits on any number of threads, and the last word is
 * that of the error over all contacts. */
static void same_bits(void **state)
{
  bench b;
  uint64_t hash = 0;
  int calls = 0;
  (void)state;
  bench_make(&b, 1e-4);
  for (int threads = 1; threads <= 3; threads++) {
    skein_solve_info info;
    skein_solution x;
    skein_error error;
    expect_ok(skein_solution_create(&b.problem, &x));
    memcpy(x.r, b.x.r, 3 * CONTACTS * sizeof *x.r);
    for (int i = 0; i < CONTACTS; i += CONTACTS / 7) x.r[3 * i] *= 3;
    b.def.warm_start = true, b.def.threads = threads;
    b.def.look = threads - 1, b.def.progress = threads > 1 ? count_calls : NULL, b.def.user = &calls;
    expect_ok(skein_solve(&b.problem, &b.def, &x, &info));
    assert_true(info.converged);
    expect_ok(skein_problem_error(&b.problem, x.r, &error, NULL, NULL));
    expect_at_most(error.rel, b.def.tol, "error over all contacts");
    uint64_t own = fnv(x.r, 3 * CONTACTS * sizeof *x.r);
    if (threads > 1) assert_true(own == hash);
    hash = own;
    skein_solution_destroy(&x);
  }
  bench_destroy(&b);
}

/* Sweeps without acceleration are the paper's: no patches, every sweep is one of all contacts. */
static void plain_sweeps_have_none(void **state)
{
  bench b;
  (void)state;
  bench_make(&b, 1e-4);
  skein_solve_info info;
  int calls = 0;
  memset(b.x.r, 0, 3 * CONTACTS * sizeof *b.x.r);
  b.def.progress = count_calls, b.def.user = &calls, b.def.look = 1, b.def.max_sweeps = 60;
  b.def.accelerate = SKEIN_ACCELERATE_NONE;
  expect_ok(skein_solve(&b.problem, &b.def, &b.x, &info));
  assert_int_equal(calls, info.iterations + 1); /* the guess, and every sweep */
  bench_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_are_mended),
      cmocka_unit_test(many_are_not),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(plain_sweeps_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
