/* The bits of an answer do not depend on the number of threads. */
#include <skein/skein.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
  skein_hairlike_def hair = skein_default_hairlike_def();
  hair.rods = 100, hair.contacts = 800;
  skein_problem p;
  skein_solution x[2] = {{0}};
  skein_solve_info info[2] = {{0}};
  skein_status s = skein_make_hairlike(&hair, &p);
  if (s.code != SKEIN_OK) return puts(s.message), 1;
  for (int k = 0; k < 2 && s.code == SKEIN_OK; k++) {
    skein_solve_def def = skein_default_solve_def();
    def.method = SKEIN_GS, def.max_sweeps = 200, def.threads = 1 + k; /* 0: all cores */
    s = skein_solution_create(&p, &x[k]);
    if (s.code == SKEIN_OK) s = skein_solve(&p, &def, &x[k], &info[k]);
  }
  bool same = s.code == SKEIN_OK && !memcmp(x[0].r, x[1].r, sizeof *x[0].r * 3 * (size_t)p.contacts);
  if (s.code != SKEIN_OK) puts(s.message);
  else
    printf("one thread and two: error %.2e and %.2e, the impulses are %s\n", info[0].error.rel, info[1].error.rel,
           same ? "the same to the last bit" : "not the same");
  for (int k = 0; k < 2; k++) skein_solution_destroy(&x[k]);
  skein_problem_destroy(&p);
  return same ? 0 : 1;
}
