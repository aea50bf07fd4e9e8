/* Hair-like problems against Siconos' Gauss-Seidel, to error_fb <= 1e-4 (the paper's measure), one thread.
 *   bench_hair [--seconds S] LOCAL.hdf5 GLOBAL.hdf5
 * LOCAL and GLOBAL are the same problem (bench/hairlike_global.py): Siconos gets W, Skein gets M and H. A rival starts
 * from zero with a tolerance that is halved until our error is met; the seconds of the last solve alone count,
 * and S limits each solve. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "friction/friction.h"
#include "siconos_rivals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const double goal = 1e-4;

typedef struct answer {
  double seconds, error_fb;
  int done;
} answer;

static skein_problem read_problem(const char *path)
{
  skein_fclib file;
  skein_status s = skein_fclib_read(path, &file);
  if (s.code) fprintf(stderr, "bench_hair: %s\n", s.message), exit(2);
  return file.problem;
}

/* One solve of a rival in a child that may be killed. */
static answer run_rival(const skein_problem *p, const siconos_problem *s, const variant *v, double tol, unsigned limit,
                        answer *shared)
{
  *shared = (answer){0};
  pid_t child = fork();
  if (child == 0) {
    size_t size = 3 * (size_t)p->contacts;
    double *r = sk_calloc(size, sizeof *r), *u = sk_calloc(size, sizeof *u);
    skein_error error;
    int info;
    if (!r || !u || !freopen("/dev/null", "w", stdout)) _exit(3); /* Siconos prints its local failures there */
    alarm(limit);
    shared->seconds = siconos_solve(s, v, tol, r, u, &info);
    alarm(0);
    if (skein_problem_error(p, r, &error, NULL, NULL).code) _exit(3);
    shared->error_fb = error.fb, shared->done = 1;
    _exit(0);
  }
  waitpid(child, NULL, 0);
  return *shared;
}

static double run_siconos(const skein_problem *p, const siconos_problem *s, const variant *v, unsigned limit,
                          answer *shared)
{
  for (double tol = 2e-5; tol > 1e-8; tol /= 2) {
    answer a = run_rival(p, s, v, tol, limit, shared);
    if (!a.done)
      return printf("%s:%s,siconos_tol %.2g,,not done in %u s\n", rival_name[variant_rival(v)], variant_label(v), tol,
                    limit),
             0;
    printf("%s:%s,siconos_tol %.2g,%.3f,error_fb %.3g\n", rival_name[variant_rival(v)], variant_label(v), tol,
           a.seconds, a.error_fb);
    fflush(stdout);
    if (a.error_fb <= goal) return a.seconds;
  }
  return 0;
}

static double run_skein(const char *name, const skein_problem *p)
{
  skein_solve_def def = skein_default_solve_def();
  skein_solution s;
  skein_solve_info info;
  def.tol = goal, def.measure = SKEIN_ERROR_FB, def.threads = 1;
  if (skein_solution_create(p, &s).code || skein_solve(p, &def, &s, &info).code) exit(3);
  printf("skein %s,%s %d iterations,%.3f,error_fb %.3g\n", name, skein_method_name(info.method), info.iterations,
         info.seconds, info.error.fb);
  fflush(stdout); /* a child must not print it again */
  skein_solution_destroy(&s);
  return info.converged ? info.seconds : 0;
}

int main(int argc, char **argv)
{
  unsigned limit = 100;
  if (argc > 2 && !strcmp(argv[1], "--seconds")) limit = (unsigned)atoi(argv[2]), argc -= 2, argv += 2;
  if (argc != 3) return fprintf(stderr, "usage: bench_hair [--seconds S] LOCAL.hdf5 GLOBAL.hdf5\n"), 2;
  skein_problem local = read_problem(argv[1]), global = read_problem(argv[2]);
  sk_arena arena = {0};
  siconos_problem *s;
  answer *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || siconos_make(&local, &arena, &s).code) return 3;
  const char *wanted[] = {"nsn/light", "quartic/light"};
  double best = 0, ours = run_skein("factored", &global);
  run_skein("explicit", &local);
  for (int k = 0; k < VARIANTS; k++)
    for (int e = 0; e < 2; e++) {
      if (strcmp(variant_label(variant_at(k)), wanted[e])) continue;
      double seconds = run_siconos(&local, s, variant_at(k), limit, shared);
      if (seconds > 0 && (best == 0 || seconds < best)) best = seconds;
    }
  if (best > 0 && ours > 0) printf("# best rival / skein factored = %.1f\n", best / ours);
  else printf("# %s\n", ours > 0 ? "no rival reached the goal" : "skein missed the goal");
  return 0;
}
