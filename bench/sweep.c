/* Cost of one Gauss-Seidel sweep: factored against explicit W, double precision, one thread, the same problem.
 *   bench_sweep [RODS CONTACTS [SWEEPS]]      default: 1,920 rods of 16 dofs and 24,659 contacts
 *
 * Bytes that a sweep must move, beside r, b and the contact's own data: explicit 76 per block of W, factored 24 per
 * column of G (twice in cache, once from memory). The roofline is those bytes over the memory bandwidth, measured by
 * reading an array of the same size. */
#include "friction/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The system in the order in which the solver visits a large island. */
static skein_status make_system(const skein_problem *p, skein_operator form, sk_arena *arena, sk_system *ordered)
{
  sk_system s;
  sk_order order = {0};
  int *rows = SK_NEW(arena, p->contacts, int), *position = SK_NEW(arena, p->contacts, int);
  skein_status status = sk_system_make(p, form, 1, arena, &s);
  for (int i = 0; i < p->contacts; i++) rows[i] = i;
  if (status.code == SKEIN_OK) status = sk_system_order(&s, rows, p->contacts, arena, &order);
  for (int i = 0; i < p->contacts; i++) position[rows[i]] = i;
  if (status.code == SKEIN_OK) status = sk_system_extract(&s, rows, p->contacts, position, 1, arena, ordered);
  ordered->order = order;
  return status;
}

/* Seconds per sweep, the smallest of three series; bytes: what the operator occupies. */
static double time_sweeps(const skein_problem *p, skein_operator form, int sweeps, double *bytes)
{
  sk_arena arena = {0};
  sk_system s;
  sk_sweep g;
  skein_solve_def def = skein_default_solve_def();
  def.threads = 1, def.tol = 0;
  skein_status status = make_system(p, form, &arena, &s);
  sk_work w = {.system = &s, .def = &def};
  if (status.code == SKEIN_OK) status = sk_sweep_make(&w, &g);
  double *zero = SK_NEW(&arena, 3 * (size_t)p->contacts, double), best = 1e30;
  if (status.code || !zero) {
    fprintf(stderr, "bench_sweep: %s\n", status.code ? status.message : "out of memory");
    exit(1);
  }
  for (int series = 0; series < 3; series++) {
    sk_sweep_set(&g, zero);
    sk_sweep_run(&g);
    double started = sk_seconds();
    for (int k = 0; k < sweeps; k++) sk_sweep_thaw(&g), sk_sweep_run(&g); /* all contacts, every time */
    double seconds = (sk_seconds() - started) / sweeps;
    best = seconds < best ? seconds : best;
  }
  sk_sweep_finish(&g);
  *bytes = form == SKEIN_EXPLICIT ? 76.0 * (double)s.W.start[s.n] : 8.0 * (double)s.g_at[s.g_start[s.n]];
  sk_arena_free(&w.arena);
  sk_arena_free(&arena);
  return best;
}

/* Bytes per second of one thread reading an array much larger than the cache. */
static double measure_bandwidth(void)
{
  size_t count = 32u << 20;
  double *x = malloc(count * sizeof *x), best = 0;
  volatile double sink = 0;
  if (!x) return 0;
  memset(x, 1, count * sizeof *x);
  for (int k = 0; k < 4; k++) {
    double sums[16] = {0}, started = sk_seconds();
    for (size_t i = 0; i < count; i += 16)
      for (int e = 0; e < 16; e++) sums[e] += x[i + (size_t)e];
    double rate = (double)(count * sizeof *x) / (sk_seconds() - started);
    for (int e = 0; e < 16; e++) sink += sums[e];
    best = rate > best ? rate : best;
  }
  free(x);
  return best;
}

int main(int argc, char **argv)
{
  skein_hairlike_def def = skein_default_hairlike_def();
  def.rods = argc > 2 ? atoi(argv[1]) : 1920, def.contacts = argc > 2 ? atoi(argv[2]) : 24659;
  int sweeps = argc > 3 ? atoi(argv[3]) : 20;
  skein_problem p;
  skein_status status = skein_make_hairlike(&def, &p);
  if (status.code || sweeps < 1) {
    fprintf(stderr, "bench_sweep: %s\n", status.code ? status.message : "SWEEPS must be at least 1");
    return 2;
  }
  double explicit_bytes, factored_bytes;
  double explicit_seconds = time_sweeps(&p, SKEIN_EXPLICIT, sweeps, &explicit_bytes);
  double factored_seconds = time_sweeps(&p, SKEIN_FACTORED, sweeps, &factored_bytes);
  double rate = measure_bandwidth();
  printf("rods,contacts,form,ms_per_sweep,ns_per_contact,mbytes,roofline_ms\n");
  printf("%d,%d,explicit,%.3f,%.1f,%.1f,%.3f\n", def.rods, def.contacts, 1e3 * explicit_seconds,
         1e9 * explicit_seconds / def.contacts, 1e-6 * explicit_bytes, 1e3 * explicit_bytes / rate);
  printf("%d,%d,factored,%.3f,%.1f,%.1f,%.3f\n", def.rods, def.contacts, 1e3 * factored_seconds,
         1e9 * factored_seconds / def.contacts, 1e-6 * factored_bytes, 1e3 * factored_bytes / rate);
  printf("# factored / explicit = %.3f\n", factored_seconds / explicit_seconds);
  skein_problem_destroy(&p);
  return 0;
}
