/* A friction problem from arrays of one's own: a particle of 2 kg that falls on the ground at 1 m/s and slides.
 *
 *   M v = f + H' r,   u = H v + u_f,   (r, u) in C(mu)          normal component first */
#include <skein/skein.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
  /* M = 2 I, H = I: rows are the normal and the two tangents of the one contact, columns x, y, z of the velocity. */
  int64_t start[] = {0, 1, 2, 3};
  int diagonal[] = {0, 1, 2}, axes[] = {2, 0, 1};
  double mass[] = {2, 2, 2}, ones[] = {1, 1, 1};
  double f[] = {2 * 0.8, 0, 2 * -1.0}; /* momentum before contact: 0.8 m/s along x, 1 m/s down */
  double u_f[3] = {0}, mu = 0.5;
  skein_problem p = {.form = SKEIN_GLOBAL,
                     .d = 3,
                     .contacts = 1,
                     .dofs = 3,
                     .mu = &mu,
                     .M = {3, 3, start, diagonal, mass},
                     .H = {3, 3, start, axes, ones},
                     .f = f,
                     .u_f = u_f};
  double r[3], u[3], v[3];
  skein_solution x = {r, u, v}; /* arrays of one's own, too */
  skein_solve_def def = skein_default_solve_def();
  skein_solve_info info;
  skein_status s = skein_solve(&p, &def, &x, &info);
  if (s.code != SKEIN_OK) return puts(s.message), 1;
  printf("impulse  %.3f normal, %.3f and %.3f tangential\n", r[0], r[1], r[2] + 0.0);
  printf("velocity %.3f along x: friction took %.3f of 0.8 m/s\n", v[0], 0.8 - v[0]);
  bool right = info.converged && fabs(r[0] - 2) < 1e-6 && fabs(r[1] + 1) < 1e-6 && fabs(v[0] - 0.3) < 1e-6;
  return right ? 0 : 1;
}
