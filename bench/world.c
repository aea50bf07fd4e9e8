/* Cost of a step of the world: hairs of 16 dofs in one dense bundle that lies in a trough, each with a curl of its own,
 * 2 to 13 contacts each: large bundles take longer to settle.
 *   bench_world [STEPS [WARM_UP_STEPS [RODS ...]]]      default: 4 steps after 200, of 500, 1920, 4000 and 8000 rods
 *
 * Two things are compared in one run, from one saved state on, over the same steps (the bits are the same): one thread
 * and all of them. Times are means per step in ms, tries that were repeated included. us_per_contact says how the cost
 * grows: it stays where it grows linearly with contacts. */
#include "base/base.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(skein_status s)
{
  if (s.code == SKEIN_OK) return;
  fprintf(stderr, "bench_world: %s\n", s.message);
  exit(1);
}

/* The trough is a V whose sides touch the round bundle from below, half a spacing away. */
static skein_scene *make_scene(int rods)
{
  static const char format[] =
      "{\"units\": {\"length\": \"mm\"}, \"time\": {\"dt\": 0.001}, \"friction\": 0.3,"
      " \"materials\": {\"hair\": {\"preset\": \"hair-caucasian\", \"collision_radius\": 0.1, \"damping\": 0.002,"
      " \"drag\": 1e-4}},"
      " \"rods\": [{\"length\": 60, \"elements\": 6, \"twist_locked\": 2, \"material\": \"hair\", \"initial\": "
      "\"straight\","
      " \"natural\": {\"curvature\": 0.003}, \"root\": {\"direction\": [1, 0, 0]},"
      " \"bundle\": {\"count\": %d, \"spacing\": 0.24, \"roll\": 180, \"jitter\": 0.9}}],"
      " \"bodies\": [{\"shape\": {\"type\": \"plane\", \"normal\": [0, 1, 1]}, \"position\": [0, %g, %g]},"
      " {\"shape\": {\"type\": \"plane\", \"normal\": [0, -1, 1]}, \"position\": [0, %g, %g]}],"
      " \"solver\": {\"tol\": 1e-4, \"tol_rest\": 1e-4, \"chord\": 0.2, \"sleep\": false}}";
  char text[2048];
  skein_scene *scene;
  double edge = sqrt(0.5) * (0.24 * sqrt(0.2757 * rods) + 0.5 * 0.24 + 0.1);
  snprintf(text, sizeof text, format, rods, -edge, -edge, edge, -edge);
  stop(skein_scene_parse(text, "bundle", ".", NULL, 0, &scene));
  return scene;
}

/* Sums of some steps. */
typedef struct sums {
  double rods, collide, assemble, solve, other, contacts, active, sweeps, tries, time;
} sums;

static sums take_steps(skein_world *world, int steps)
{
  sums s = {0};
  skein_step_info i;
  for (int k = 0; k < steps; k++) {
    stop(skein_world_step(world, 1e9, &i));
    s.rods += i.seconds_rods, s.collide += i.seconds_collide, s.assemble += i.seconds_assemble;
    s.solve += i.seconds_solve, s.other += i.seconds_other, s.time += i.dt;
    s.contacts += i.contacts, s.active += i.stick + i.slide, s.sweeps += i.sweeps, s.tries += 1 + i.retries;
  }
  return s;
}

static double total(const sums *s)
{
  return s->rods + s->collide + s->assemble + s->solve + s->other;
}

static void print_row(int rods, int threads, int steps, const sums *s, double base)
{
  double ms = 1e3 / steps, all = total(s);
  printf("%d,%d,%.0f,%.1f,%.1f,%.1f,%.0f,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f,%.1f,%.2f,%.2f\n", rods, threads,
         s->contacts / steps, s->contacts / steps / rods, s->active / steps / rods, s->tries / steps, s->sweeps / steps,
         ms * all, ms * s->rods, ms * s->collide, ms * s->assemble, ms * s->solve, ms * s->other,
         100 * s->collide / all, 1e6 * all / s->contacts, base > 0 ? base / all : 1);
  fflush(stdout);
}

static void bench(int rods, int warm_up, int steps)
{
  skein_scene *scene = make_scene(rods);
  int threads[2] = {1, omp_get_max_threads()};
  skein_world *world;
  void *state;
  size_t size;
  double base = 0;
  stop(skein_world_create(scene, 0, &world));
  take_steps(world, warm_up);
  stop(skein_world_save(world, &state, &size));
  skein_world_destroy(world);
  for (int k = 0; k < 2 && (k == 0 || threads[1] > 1); k++) {
    stop(skein_world_create(scene, threads[k], &world));
    stop(skein_world_load(world, state, size));
    sums s = take_steps(world, steps);
    print_row(rods, threads[k], steps, &s, base);
    if (k == 0) base = total(&s);
    skein_world_destroy(world);
  }
  free(state);
  skein_scene_destroy(scene);
}

int main(int argc, char **argv)
{
  static const int usual[] = {500, 1920, 4000, 8000};
  int steps = argc > 1 ? atoi(argv[1]) : 4, warm_up = argc > 2 ? atoi(argv[2]) : 200;
  if (steps < 1 || warm_up < 0) return fprintf(stderr, "bench_world: expected STEPS above zero\n"), 2;
  printf("rods,threads,contacts,contacts_per_rod,active_per_rod,tries_per_step,sweeps,ms_step,ms_rods,ms_collide,"
         "ms_assemble,ms_solve,ms_other,collide_percent,us_per_contact,speedup\n");
  for (int k = 0; argc <= 3 && k < 4; k++) bench(usual[k], warm_up, steps);
  for (int k = 3; k < argc; k++) {
    int rods = atoi(argv[k]);
    if (rods < 1) return fprintf(stderr, "bench_world: RODS is '%s', expected above zero\n", argv[k]), 2;
    bench(rods, warm_up, steps);
  }
  return 0;
}
