/* Islands: contacts that share no object do not know each other, and are solved side by side. Two particles on the
 * ground, by W and b; then what skein_problem_describe sees of a tangle. */
#include <skein/skein.h>

#include <stdio.h>

int main(void)
{
  /* W = I of size 6: no entry joins the two contacts. The first one presses, the second one leaves. */
  int64_t start[] = {0, 1, 2, 3, 4, 5, 6};
  int column[] = {0, 1, 2, 3, 4, 5};
  double one[] = {1, 1, 1, 1, 1, 1}, b[] = {-1, 0.1, 0, 0.5, 0, 0}, mu[] = {0.3, 0.3}, r[6], u[6];
  skein_problem two = {.form = SKEIN_REDUCED, .d = 3, .contacts = 2, .mu = mu, .W = {6, 6, start, column, one}, .b = b};
  skein_solution x = {.r = r, .u = u};
  skein_solve_def def = skein_default_solve_def();
  skein_solve_info info;
  skein_status s = skein_solve(&two, &def, &x, &info);
  if (s.code != SKEIN_OK) return puts(s.message), 1;
  printf("two particles: %d islands, %d stick, %d slide, %d open\n", info.islands, info.stick, info.slide, info.open);
  bool right = info.islands == 2 && info.stick == 1 && info.open == 1;

  skein_hairlike_def hair = skein_default_hairlike_def();
  skein_problem tangle;
  skein_problem_info about;
  hair.rods = 60, hair.contacts = 120;
  s = skein_make_hairlike(&hair, &tangle);
  if (s.code == SKEIN_OK) s = skein_problem_describe(&tangle, &about);
  if (s.code != SKEIN_OK) return puts(s.message), 1;
  printf("a tangle: %d contacts of %d objects in %d islands, the largest of %d; nu = %.2f\n", about.contacts,
         about.objects, about.islands, about.largest_island, about.nu);
  skein_problem_destroy(&tangle);
  return right && about.islands >= 1 ? 0 : 1;
}
