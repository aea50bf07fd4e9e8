/* A force of one's own: a magnet that pulls the tip of a hair, evaluated before every step and given as a load. */
#include <skein/skein.h>

#include <math.h>
#include <stdio.h>

/* N: towards the magnet, k / distance^2. */
static skein_rod_load pull(const skein_rod *rod, const double magnet[3], double k)
{
  skein_rod_load load = {.s = skein_rod_definition(rod).length};
  skein_pose tip;
  double way[3], square = 0;
  skein_rod_point(rod, load.s, &tip);
  for (int i = 0; i < 3; i++) way[i] = magnet[i] - tip.r[i], square += way[i] * way[i];
  for (int i = 0; i < 3; i++) load.force[i] = k * way[i] / (square * sqrt(square));
  return load;
}

int main(void)
{
  const double magnet[3] = {0.06, 0, -0.12};
  skein_rod_def def = skein_default_rod_def(); /* one hair of 0.1 m, clamped, hanging down */
  def.pose = (skein_pose){.d = {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
  def.damping = 0.01, def.drag = 1e-3;
  skein_env env = skein_default_env();
  skein_rod_step_def step = skein_default_rod_step_def();
  skein_rod *rod;
  skein_pose tip;
  skein_status s = skein_rod_create(&def, &rod);
  if (s.code != SKEIN_OK) return puts(s.message), 1;
  step.dt = 1e-3;
  for (int k = 0; k <= 1000 && s.code == SKEIN_OK; k++) {
    skein_rod_load load = pull(rod, magnet, 2e-9);
    s = skein_rod_set_loads(rod, &load, 1);
    if (s.code == SKEIN_OK) s = skein_rods_step(&rod, 1, &env, &step);
    skein_rod_point(rod, def.length, &tip);
    if (k % 250 == 0) printf("%.2f s: the tip is at x = %5.2f mm\n", k * step.dt, 1e3 * tip.r[0]);
  }
  if (s.code != SKEIN_OK) puts(s.message);
  skein_rod_destroy(rod);
  return s.code == SKEIN_OK && tip.r[0] > 1e-4 ? 0 : 1;
}
