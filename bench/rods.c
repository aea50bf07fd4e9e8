/* Cost of one evaluation of a rod, one thread: M, inertia, forces, and the factor of A.
 *   bench_rods [RODS [REPEATS]]      default: 2,000 rods, 20 times
 *
 * Two things are compared in one run: every model with the super-helix of 16 dofs, and two ways to the mass matrix of
 * the super-helix, moments carried from tip to root (what the library does) against the plain sum of J'J over
 * quadrature points. Roofline: the data of one rod (5 kB) stay in the first cache, so arithmetic bounds it. An
 * evaluation of the 16 dofs does about 400 products and sums per quadrature point (30 to 48 of them) and 3,000 for M
 * and the factor; the rate that independent products and sums reach here is measured beside it. */
#include "math/gauss.h"
#include "rod/rod.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(skein_status s)
{
  if (s.code == SKEIN_OK) return;
  fprintf(stderr, "bench_rods: %s\n", s.message);
  exit(1);
}

/* A curl that differs from rod to rod, moving. */
static skein_rod *make_rod(skein_rod_model model, int elements, int locked, sk_random *g)
{
  skein_rod_def d = skein_default_rod_def();
  double natural[3] = {sk_random_uniform(g, -60, 60), sk_random_uniform(g, -60, 60), sk_random_uniform(g, -20, 20)};
  d.model = model, d.elements = elements, d.twist_locked = locked, d.natural = natural, d.naturals = 1;
  skein_rod *rod;
  stop(skein_rod_create(&d, &rod));
  for (int i = 0; i < rod->n; i++) rod->v[i] = 0.1 * sk_random_normal(g);
  return rod;
}

typedef enum part { EVALUATE, FACTOR, MASS_ONLY_PLAIN } part;

/* M = sum rho S w J'J, five points per element: what the moments replace. */
static void plain_mass(const skein_rod *rod, const sk_rod_input *in, sk_rod_system *sys)
{
  int points, n = rod->n;
  const double(*rule)[2] = sk_gauss(5, &points);
  double *J = sys->spare;
  memset(sys->M, 0, sizeof(double) * sk_band_size(n, rod->kd));
  for (int Q = 0; Q < rod->def.elements; Q++)
    for (int g = 0; g < points; g++) {
      double m = rod->section.rho_S * rule[g][1] * rod->l;
      rod->ops->jacobian(rod, rod->x, (Q + rule[g][0]) * rod->l, in, J, NULL, NULL, NULL);
      for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
          sys->M[sk_band_at(rod->kd, i, j)] += m * (J[i] * J[j] + J[n + i] * J[n + j] + J[2 * n + i] * J[2 * n + j]);
    }
}

/* Products and sums per second of one thread, eight independent chains of four. */
static double measure_peak(void)
{
  double a[32], best = 0;
  for (int series = 0; series < 5; series++) {
    for (int i = 0; i < 32; i++) a[i] = 1 + i * 1e-3;
    double started = sk_seconds();
    for (int k = 0; k < 2000000; k++)
      for (int i = 0; i < 32; i++) a[i] = a[i] * 0.999999 + 1e-6;
    double rate = 2e6 * 64 / (sk_seconds() - started), sum = 0;
    for (int i = 0; i < 32; i++) sum += a[i];
    best = sum > 0 && rate > best ? rate : best;
  }
  return best;
}

/* Microseconds per rod, the smallest of the repeats. */
static double time_part(skein_rod **rods, int count, int repeats, part what)
{
  sk_arena arena = {0};
  sk_rod_system sys;
  skein_env env = skein_default_env();
  double best = 1e30;
  stop(sk_rod_system_create(rods, count, &arena, &sys));
  for (int k = 0; k < repeats; k++) {
    double started = sk_seconds();
    for (int i = 0; i < count; i++) {
      sk_rod_input in = sk_rod_input_make(rods[i], &env, true, true);
      double limit = rods[i]->ops->limit ? rods[i]->ops->limit(rods[i]) : 1e-3;
      double dt = limit < 1e-3 ? limit : 1e-3;
      if (what == FACTOR) stop(sk_rod_assemble(rods[i], &env, dt, 1, &sys));
      if (what == FACTOR) stop(sk_rod_solve(rods[i], dt, sys.spare, &sys));
      if (what == EVALUATE) sk_rod_eval(rods[i], rods[i]->x, rods[i]->v, &in, &sys);
      if (what == MASS_ONLY_PLAIN) plain_mass(rods[i], &in, &sys);
    }
    double us = 1e6 * (sk_seconds() - started) / count;
    best = us < best ? us : best;
  }
  sk_arena_free(&arena);
  return best;
}

static double bench_model(skein_rod_model model, int elements, int locked, int count, int repeats, double unit)
{
  sk_random g = sk_random_make(7);
  skein_rod **rods = calloc((size_t)count, sizeof *rods);
  if (!rods) exit(1);
  for (int i = 0; i < count; i++) rods[i] = make_rod(model, elements, locked, &g);
  double eval = time_part(rods, count, repeats, EVALUATE), whole = time_part(rods, count, repeats, FACTOR);
  printf("%s,%d,%d,%.2f,%.2f,%.2f", skein_rod_model_name(model), elements, rods[0]->n, eval, whole,
         unit > 0 ? whole / unit : 1);
  if (model == SKEIN_SUPER_HELIX) printf(",%.2f", time_part(rods, count, repeats, MASS_ONLY_PLAIN));
  printf("\n");
  for (int i = 0; i < count; i++) skein_rod_destroy(rods[i]);
  free(rods);
  return whole;
}

int main(int argc, char **argv)
{
  int count = argc > 1 ? atoi(argv[1]) : 2000, repeats = argc > 2 ? atoi(argv[2]) : 20;
  if (count < 1 || repeats < 1) return fprintf(stderr, "bench_rods: expected RODS and REPEATS above zero\n"), 2;
  printf("model,elements,dofs,us_evaluation,us_with_factor,ratio_to_16_dofs,us_plain_mass_alone\n");
  double unit = bench_model(SKEIN_SUPER_HELIX, 6, 2, count, repeats, 0);
  bench_model(SKEIN_SUPER_HELIX, 5, 0, count, repeats, unit);
  bench_model(SKEIN_SUPER_HELIX, 16, 0, count, repeats, unit);
  bench_model(SKEIN_SUPER_HELIX, 32, 0, count / 4 + 1, repeats, unit);
  for (int m = SKEIN_MASS_SPRING; m < SKEIN_ROD_MODEL_COUNT; m++)
    bench_model((skein_rod_model)m, 32, 0, count / 4 + 1, repeats, unit);
  double flops = 400 * 40 + 3000, peak = measure_peak();
  printf("# 16 dofs: %.1f Gflop/s of %.1f that this core reaches on independent products and sums\n",
         flops / unit * 1e-3, peak * 1e-9);
  return 0;
}
