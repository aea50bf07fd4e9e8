/* A warm start: the solution of a problem is the guess of the next, which differs a little, as from step to step. */
#include <skein/skein.h>

#include <stdio.h>

int main(void)
{
  skein_hairlike_def hair = skein_default_hairlike_def();
  hair.rods = 40, hair.contacts = 300, hair.mu = 0.3;
  skein_problem p;
  skein_solution cold = {0}, warm = {0};
  skein_solve_info first, again = {0}, anew = {0};
  skein_solve_def def = skein_default_solve_def();
  def.method = SKEIN_GS;
  skein_status s = skein_make_hairlike(&hair, &p);
  if (s.code != SKEIN_OK) return puts(s.message), 1;
  s = skein_solution_create(&p, &warm);
  if (s.code == SKEIN_OK) s = skein_solution_create(&p, &cold);
  if (s.code == SKEIN_OK) s = skein_solve(&p, &def, &warm, &first);
  for (int k = 0; k < p.dofs; k++) p.f[k] *= 1 + 1e-5 * (k % 7); /* the next step */
  if (s.code == SKEIN_OK) s = skein_solve(&p, &def, &cold, &anew);
  def.warm_start = true; /* warm.r is the guess */
  if (s.code == SKEIN_OK) s = skein_solve(&p, &def, &warm, &again);
  if (s.code != SKEIN_OK) puts(s.message);
  else printf("from zero %d sweeps, from the last solution %d\n", anew.iterations, again.iterations);
  bool right = s.code == SKEIN_OK && anew.converged && again.converged && again.iterations < anew.iterations;
  skein_solution_destroy(&cold);
  skein_solution_destroy(&warm);
  skein_problem_destroy(&p);
  return right ? 0 : 1;
}
