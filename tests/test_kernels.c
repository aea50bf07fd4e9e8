/* Every version of the inner loops that this processor can run has the same bits: alone, and in whole sweeps. */
#include "friction/friction.h"
#include "friction/kernels.h"
#include "friction/sweep.h"
#include "support.h"

enum { RODS = 30, CONTACTS = 200 };

typedef struct bench {
  skein_problem problem;
  sk_arena arena;
  sk_system factored, blocks;
} bench;

static void bench_make(bench *b)
{
  *b = (bench){.problem = make_hairlike(RODS, CONTACTS, 0.4, 5)};
  expect_ok(sk_system_make(&b->problem, SKEIN_FACTORED, 1, &b->arena, &b->factored));
  expect_ok(sk_system_make(&b->problem, SKEIN_EXPLICIT, 1, &b->arena, &b->blocks));
}

static void bench_destroy(bench *b)
{
  sk_arena_free(&b->arena);
  skein_problem_destroy(&b->problem);
}

static void fill(sk_random *g, double *x, int count)
{
  for (int k = 0; k < count; k++) x[k] = sk_random_normal(g) * pow(10, sk_random_uniform(g, -8, 8));
}

/* A hash of what every loop makes of the same random numbers. */
static uint64_t run_all(const bench *b, const sk_kernels *k)
{
  const sk_system *s = &b->factored;
  sk_random g = sk_random_make(3);
  double *y = calloc((size_t)s->y_size, sizeof *y), *u = calloc(4 * CONTACTS, sizeof *u), block[9] = {0};
  double lane[4 * 20], L[20 * 20], out[3 * CONTACTS], dr[3];
  assert_true(y && u);
  fill(&g, y, s->y_size), fill(&g, u, 4 * CONTACTS), fill(&g, lane, 80), fill(&g, L, 400);
  for (int i = 0; i < s->n; i++) {
    fill(&g, dr, 3);
    k->pull(s, y, i, out + 3 * i);
    k->push(s, y, i, dr);
    k->push_blocks(&b->blocks, u, i, dr);
    int64_t at = s->g_start[i];
    k->product(s->G + s->g_at[at], y + s->g_y[at] / 4, s->g_width[at], s->g_first[at], block);
  }
  k->forward(L, 20, 3, lane);
  uint64_t hash = fnv(y, (size_t)s->y_size * sizeof *y) ^ 3 * fnv(out, sizeof out) ^ 5 * fnv(block, sizeof block) ^
                  7 * fnv(lane, sizeof lane);
  for (int i = 0; i < CONTACTS; i++) hash = 31 * hash + fnv(u + 4 * i, 3 * sizeof *u); /* lane 3 is padding */
  free(y), free(u);
  return hash;
}

static void same_loops(void **unused)
{
  (void)unused;
  bench b;
  bench_make(&b);
  uint64_t expected = run_all(&b, sk_kernels_of(SK_CPU_ANY));
  for (int cpu = SK_CPU_ANY; cpu < SK_CPU_COUNT; cpu++) {
    const sk_kernels *k = sk_kernels_of((sk_cpu)cpu);
    printf("  version %d: %s%s\n", cpu, k ? k->name : "not on this processor", k == sk_kernels_best() ? ", used" : "");
    if (k) assert_true(run_all(&b, k) == expected);
  }
  bench_destroy(&b);
}

/* Impulses after some sweeps. */
static uint64_t run_sweeps(const sk_system *system, const sk_kernels *k)
{
  sk_system own = *system;
  skein_solve_def def = skein_default_solve_def();
  sk_work w = {.system = &own, .def = &def, .error = INFINITY};
  sk_sweep sweep;
  double r[3 * CONTACTS] = {0};
  own.kernels = k, def.threads = 1;
  expect_ok(sk_sweep_make(&w, &sweep));
  sk_sweep_set(&sweep, r);
  for (int i = 0; i < 30; i++) sk_sweep_run(&sweep);
  uint64_t hash = fnv(sweep.r, sizeof r);
  assert_true(largest(sweep.r, 3 * CONTACTS) > 0);
  sk_sweep_finish(&sweep);
  sk_arena_free(&w.arena);
  return hash;
}

static void same_sweeps(void **unused)
{
  (void)unused;
  bench b;
  bench_make(&b);
  const sk_system *systems[] = {&b.factored, &b.blocks};
  for (int f = 0; f < 2; f++)
    for (int cpu = SK_CPU_ANY + 1; cpu < SK_CPU_COUNT; cpu++)
      if (sk_kernels_of((sk_cpu)cpu))
        assert_true(run_sweeps(systems[f], sk_kernels_of((sk_cpu)cpu)) ==
                    run_sweeps(systems[f], sk_kernels_of(SK_CPU_ANY)));
  bench_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_loops), cmocka_unit_test(same_sweeps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
