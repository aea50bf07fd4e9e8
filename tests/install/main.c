#include <skein/skein.h>
#include <stdio.h>

int main(void)
{
  double W[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 0.125, 0}, r[3] = {0};
  bool converged;
  skein_status s = skein_solve_one(3, W, b, 0.5, SKEIN_SECULAR, false, 1e-12, r, &converged);
  printf("skein %s: r = %g %g %g\n", skein_version(), r[0], r[1], r[2]);
  return s.code || !converged || r[0] != 0.5 || r[1] != -0.125 || r[2] != 0; /* it sticks: W r + b = 0 */
}
