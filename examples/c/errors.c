/* What goes wrong comes back as a status with one line: file or field, value, and what was expected. Not converged is
 * no error: it is data. */
#include <skein/skein.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Prints the message; whether it has the words. */
static bool tells(skein_status s, const char *words)
{
  printf("  %s\n", s.message);
  return s.code != SKEIN_OK && strstr(s.message, words);
}

int main(void)
{
  bool right = true;
  skein_fclib file;
  right &= tells(skein_fclib_read("not-there.hdf5", &file), "not-there.hdf5");

  skein_scene *scene;
  right &= tells(skein_scene_parse("{\"rods\": [{\"lenght\": 1}]}", "mine.json", ".", NULL, 0, &scene), "did you mean");
  skein_rod_def rod = skein_default_rod_def();
  rod.E = NAN;
  right &= tells(skein_rod_def_check(&rod), "E");

  int64_t start[] = {0, 1, 2, 3};
  int column[] = {0, 1, 2};
  double one[] = {1, 1, 1}, b[] = {-1, 0, 0}, mu = -0.5, r[3];
  skein_problem p = {.form = SKEIN_REDUCED, .d = 3, .contacts = 1, .mu = &mu, .W = {3, 3, start, column, one}, .b = b};
  skein_solution x = {.r = r};
  skein_solve_info info;
  skein_solve_def def = skein_default_solve_def(), zero = {0};
  right &= tells(skein_solve(&p, &def, &x, &info), "mu[0]");
  mu = 0.5;
  right &= tells(skein_solve(&p, &zero, &x, &info), "skein_default_solve_def()");

  def.max_sweeps = 0; /* nothing may be done: the answer is the guess, and says so */
  def.method = SKEIN_GS;
  skein_status s = skein_solve(&p, &def, &x, &info);
  printf("  %s, error %.2g\n", info.converged ? "converged" : "not converged", info.error.rel);
  return right && s.code == SKEIN_OK && !info.converged ? 0 : 1;
}
