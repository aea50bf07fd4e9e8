/* Speed of hairs: 150,000 around the guides of a scene (scenes/wavy-hair.json unless another is given), as it starts.
 * bench_hairs [--hairs N] [--points N] [SCENE.json]. Prints a line of CSV for one thread and for two: guides, hairs,
 * points of each, threads, seconds to tie them to their guides (of all threads together, as below), milliseconds of a
 * frame by the clock on the wall and of all threads, megabytes of it. The least of five frames counts. */
#include "base/base.h"

#include <math.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int measure(const skein_scene *scene, const skein_frame *first, skein_hairs_def def)
{
  skein_hairs *hairs = NULL;
  double least = INFINITY, work = INFINITY, megabytes = 0;
  clock_t busy = clock();
  skein_status s = skein_hairs_create(scene, first, &def, &hairs);
  double create = (double)(clock() - busy) / CLOCKS_PER_SEC;
  for (int k = 0; k < 5 && s.code == SKEIN_OK; k++) {
    skein_frame f;
    double begun = sk_seconds();
    busy = clock();
    s = skein_hairs_frame(hairs, first, &f);
    least = fmin(least, sk_seconds() - begun), work = fmin(work, (double)(clock() - busy) / CLOCKS_PER_SEC);
    megabytes = 1e-6 * (12.0 * f.points + 16.0 * f.rods);
    skein_frame_destroy(&f);
  }
  if (s.code == SKEIN_OK)
    printf("%d,%d,%d,%d,%.3f,%.0f,%.0f,%.0f\n", skein_hairs_guides(hairs), def.hairs, skein_hairs_points(hairs),
           def.threads, create, 1e3 * least, 1e3 * work, megabytes);
  else fprintf(stderr, "bench_hairs: %s\n", s.message);
  skein_hairs_destroy(hairs);
  return s.code == SKEIN_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
  const char *path = "scenes/wavy-hair.json";
  skein_hairs_def def = skein_default_hairs_def();
  skein_scene *scene = NULL;
  skein_world *world = NULL;
  skein_frame first = {0};
  int code = 0;
  def.hairs = 150000;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--hairs") && i + 1 < argc) def.hairs = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--points") && i + 1 < argc) def.points = atoi(argv[++i]);
    else path = argv[i];
  }
  skein_status s = skein_scene_read(path, NULL, 0, &scene);
  if (s.code == SKEIN_OK) s = skein_world_create(scene, 1, &world);
  if (s.code == SKEIN_OK) s = skein_world_frame(world, 0, &first);
  if (s.code != SKEIN_OK) fprintf(stderr, "bench_hairs: %s\n", s.message), code = 1;
  if (code == 0) printf("guides,hairs,points_each,threads,seconds_create,ms_frame,ms_work,megabytes\n");
  for (def.threads = 1; code == 0 && def.threads <= 2; def.threads++) code = measure(scene, &first, def);
  skein_frame_destroy(&first);
  skein_world_destroy(world);
  skein_scene_destroy(scene);
  return code;
}
