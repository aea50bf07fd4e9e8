/* A pile at rest is still: 31 spaghetti fall on a plate, with friction and without.
 *   bench_pile SCENE [SECONDS]      default: 10 s after the pile has settled
 * Settled: the largest speed of a second stays below 1e-4 radii per second. Printed: when that is, how fast the fastest
 * point is in the time after it (by its places, not by its velocity), how wide the pile is, and what a step costs. */
#include <skein/skein.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(skein_status s)
{
  if (s.code == SKEIN_OK) return;
  fprintf(stderr, "bench_pile: %s\n", s.message);
  exit(1);
}

/* Largest way of a point between two frames of the same rods, in radii. */
static double way(const skein_frame *a, const skein_frame *b)
{
  double most = 0;
  for (int i = 0; i < a->rods; i++)
    for (int k = a->point_start[i]; k < a->point_start[i + 1]; k++) {
      double d[3];
      for (int c = 0; c < 3; c++) d[c] = (double)b->point[3 * k + c] - (double)a->point[3 * k + c];
      most = fmax(most, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (double)a->radius[i]);
    }
  return most;
}

/* Height of the pile, and the root mean square distance of its points from their centre across the first axis. */
static void measure(const skein_frame *f, double *height, double *width)
{
  double mean = 0, square = 0;
  *height = 0;
  for (int k = 0; k < f->points; k++) mean += (double)f->point[3 * k + 1] / f->points;
  for (int k = 0; k < f->points; k++) {
    double y = (double)f->point[3 * k + 1] - mean;
    square += y * y / f->points, *height = fmax(*height, (double)f->point[3 * k + 2]);
  }
  *width = sqrt(square);
}

typedef struct tally {
  int steps, unfinished;
  double seconds, speed; /* largest, radii per second */
} tally;

static void run_until(skein_world *w, double radius, double until, tally *t)
{
  skein_step_info info;
  t->speed = 0;
  while (skein_world_time(w) < until) {
    stop(skein_world_step(w, until, &info));
    t->steps++, t->unfinished += !info.converged, t->speed = fmax(t->speed, info.speed / radius);
    t->seconds +=
        info.seconds_rods + info.seconds_collide + info.seconds_assemble + info.seconds_solve + info.seconds_other;
  }
}

static void play(const char *path, double mu, double still)
{
  char set[64];
  const char *sets[] = {set};
  skein_scene *scene;
  skein_world *w;
  skein_frame start, end;
  tally t = {0};
  double height, width;
  snprintf(set, sizeof set, "friction=%g", mu);
  stop(skein_scene_read(path, sets, 1, &scene));
  stop(skein_world_create(scene, 0, &w));
  stop(skein_world_frame(w, 0, &start));
  double radius = (double)start.radius[0];
  skein_frame_destroy(&start);
  for (int quiet = 0; quiet < 4 && skein_world_time(w) < (mu > 0 ? 5 : 2);) { /* frictionless ones never rest */
    run_until(w, radius, skein_world_time(w) + 0.25, &t);
    quiet = t.speed < 1e-4 ? quiet + 1 : 0;
  }
  double settled = skein_world_time(w) - 1;
  stop(skein_world_frame(w, 0, &start));
  int steps = t.steps;
  double seconds = t.seconds;
  run_until(w, radius, skein_world_time(w) + (mu > 0 ? still : 1), &t);
  stop(skein_world_frame(w, 1, &end));
  measure(&end, &height, &width);
  printf("%g,%.2f,%g,%.2e,%.2e,%.1f,%.1f,%d,%d,%.1f,%.1f\n", mu, settled, end.time - start.time,
         way(&start, &end) / (end.time - start.time), t.speed, 1e3 * height, 1e3 * width, t.steps, t.unfinished,
         1e3 * seconds / steps, t.seconds);
  fflush(stdout);
  skein_frame_destroy(&start), skein_frame_destroy(&end);
  skein_world_destroy(w), skein_scene_destroy(scene);
}

int main(int argc, char **argv)
{
  if (argc < 2) return fprintf(stderr, "usage: bench_pile SCENE [SECONDS]\n"), 2;
  double still = argc > 2 ? atof(argv[2]) : 10;
  printf("mu,settled_s,watched_s,drift_radii_per_s,speed_radii_per_s,height_mm,width_mm,steps,unfinished,"
         "ms_per_step_until_then,seconds\n");
  play(argv[1], 0.3, still);
  play(argv[1], 0, still);
  return 0;
}
