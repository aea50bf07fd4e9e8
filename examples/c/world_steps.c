/* A world, step by step: a cord that falls on a ball. What happens is read between the steps. */
#include <skein/skein.h>

#include <stdio.h>

static const char text[] =
    "{\"units\": {\"length\": \"cm\"},"
    " \"materials\": {\"cord\": {\"preset\": \"rope\", \"radius\": 0.2, \"E\": 2e6}},"
    " \"rods\": [{\"name\": \"cord\", \"model\": \"der\", \"elements\": 20, \"material\": \"cord\", \"length\": 20,"
    "   \"root\": {\"type\": \"free\", \"position\": [-10, 0, 5.5], \"direction\": [1, 0, 0]}}],"
    " \"bodies\": [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 5}}]}";

int main(void)
{
  skein_scene *scene = NULL;
  skein_world *world = NULL;
  skein_step_info step;
  int most = 0, flawless = 0, steps = 0;
  skein_status s = skein_scene_parse(text, "cord", ".", NULL, 0, &scene);
  if (s.code == SKEIN_OK) s = skein_world_create(scene, 1, &world);
  while (s.code == SKEIN_OK && skein_world_time(world) < 0.1) {
    s = skein_world_step(world, 0.1, &step);
    most = step.contacts > most ? step.contacts : most;
    flawless += step.converged, steps++;
  }
  if (s.code != SKEIN_OK) puts(s.message);
  else {
    skein_pose end;
    const skein_rod *cord = skein_world_rod(world, 0);
    skein_rod_point(cord, skein_rod_definition(cord).length, &end);
    printf("%d steps, %d within their tolerance, at most %d contacts; the end is at z = %.1f cm\n", steps, flawless,
           most, 100 * end.r[2]);
  }
  bool right = s.code == SKEIN_OK && steps > 0 && flawless == steps && most > 0;
  skein_world_destroy(world);
  skein_scene_destroy(scene);
  return right ? 0 : 1;
}
