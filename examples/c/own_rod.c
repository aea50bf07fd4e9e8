/* A rod without a scene: a thin cantilever under its weight, at rest and swinging. */
#include <skein/skein.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
  skein_rod_def def = skein_default_rod_def();
  def.model = SKEIN_DER, def.elements = 40, def.length = 0.02;      /* m: short, so that linear theory holds */
  def.pose = (skein_pose){.d = {{0, 0, 1}, {0, -1, 0}, {1, 0, 0}}}; /* along x, clamped at the origin */
  skein_env env = skein_default_env();
  skein_rod *rod;
  skein_status s = skein_rod_create(&def, &rod);
  if (s.code != SKEIN_OK) return puts(s.message), 1;

  /* d1 is vertical, so the weight bends about d2: w L^4 / (8 E I), I = pi a^3 b / 4 */
  double area = acos(-1) * def.radius1 * def.radius2, inertia = area * def.radius1 * def.radius1 / 4;
  double theory = def.density * area * 9.81 * pow(def.length, 4) / (8 * def.E * inertia);
  skein_relax_def relax = skein_default_relax_def();
  skein_relax_info rest;
  skein_pose tip;
  s = skein_rod_relax(rod, &env, &relax, &rest);
  if (s.code != SKEIN_OK) return puts(s.message), skein_rod_destroy(rod), 1;
  skein_rod_point(rod, def.length, &tip);
  printf("the tip sags by %.4g mm, linear theory says %.4g mm\n", -1e3 * tip.r[2], 1e3 * theory);
  bool right = rest.converged && fabs(-tip.r[2] / theory - 1) < 0.02;

  env.gravity[2] = 0; /* let go of the weight: it swings */
  skein_rod_step_def step = skein_default_rod_step_def();
  step.dt = 2e-5, step.theta = 0.5;
  double highest = -1;
  for (int k = 0; k < 400 && s.code == SKEIN_OK; k++) {
    s = skein_rods_step(&rod, 1, &env, &step);
    skein_rod_point(rod, def.length, &tip);
    highest = fmax(highest, tip.r[2]);
  }
  printf("let go, it swings up to %.4g mm\n", 1e3 * highest);
  skein_rod_destroy(rod);
  return right && s.code == SKEIN_OK && highest > 0 ? 0 : 1;
}
