/* Rigid bodies by distances (newton, fischer, lcp) against the velocity formulation.
 *   bench_rigid [STEPS [SCENE ...]]      default: 10000 steps of box-stack, sphere-pile, chain-of-links, domino-row
 *
 * Reads scenes/NAME.json and prints one row of CSV per scene, friction and method: the smallest distance of two bodies
 * after any step, by all pairs of shapes; the way that bodies have drifted between the middle and the end of the run;
 * iterations and time per step. A run whose motion blew up ends there: its steps are fewer. Then the forces as dt goes
 * to 0, against those of the velocity formulation. */
#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 4, SETS = 8 };
static const char *const methods[METHODS] = {"velocity", "newton", "fischer", "lcp"};

static void stop(skein_status s)
{
  if (s.code == SKEIN_OK) return;
  fprintf(stderr, "bench_rigid: %s\n", s.message);
  exit(1);
}

/* ---- Long runs ---- */

typedef struct figures {
  double nearest, drift, iterations, ms, contacts, error;
  int unfinished, retries, steps;
} figures;

static double *places(const skein_world *world)
{
  int n = skein_world_bodies(world);
  double *r = calloc(3 * (size_t)n, sizeof *r), q[4], v[3], w[3];
  for (int i = 0; i < n; i++) skein_world_body(world, i, r + 3 * i, q, v, w);
  return r;
}

static double largest_way(const skein_world *world, const double *from)
{
  double *to = places(world), most = 0;
  for (int i = 0; i < skein_world_bodies(world); i++)
    most = fmax(
        most, hypot(hypot(to[3 * i] - from[3 * i], to[3 * i + 1] - from[3 * i + 1]), to[3 * i + 2] - from[3 * i + 2]));
  free(to);
  return most;
}

static figures run(const skein_scene *scene, int steps)
{
  figures f = {.nearest = HUGE_VAL};
  skein_world *world;
  skein_step_info info;
  double *middle = NULL, nearest;
  stop(skein_world_create(scene, 1, &world));
  for (int k = 0; k < steps; k++) {
    double begin = sk_seconds();
    skein_status s = skein_world_step(world, 1e9, &info);
    if (s.code != SKEIN_OK) {
      fprintf(stderr, "bench_rigid: %s\n", s.message);
      break;
    }
    f.ms += 1e3 * (sk_seconds() - begin);
    stop(skein_world_nearest(world, 1e-4, &nearest));
    f.nearest = fmin(f.nearest, nearest), f.iterations += info.sweeps;
    f.contacts += info.contacts, f.error = fmax(f.error, info.error);
    f.unfinished += !info.converged, f.retries += info.retries, f.steps++;
    if (k == steps / 2) middle = places(world);
  }
  f.ms /= f.steps, f.iterations /= f.steps, f.contacts /= f.steps;
  f.drift = middle ? largest_way(world, middle) : 0;
  free(middle);
  skein_world_destroy(world);
  return f;
}

static void long_runs(const char *name, int steps, const char *friction)
{
  char path[256], rigid[64], mu[64];
  const char *sets[] = {rigid, mu, "solver.sleep=false", "events=[]"};
  snprintf(path, sizeof path, "scenes/%s.json", name);
  snprintf(mu, sizeof mu, "friction=%s", friction);
  for (int m = 0; m < METHODS; m++) {
    skein_scene *scene;
    snprintf(rigid, sizeof rigid, "solver.rigid=\"%s\"", methods[m]);
    stop(skein_scene_read(path, sets, 4, &scene));
    figures f = run(scene, steps);
    printf("%s,%s,%s,%d,%.1f,%.3g,%.3g,%.2f,%.3f,%d,%d\n", name, friction, methods[m], f.steps, f.contacts, f.nearest,
           f.drift, f.iterations, f.ms, f.unfinished, f.retries);
    fflush(stdout);
    skein_scene_destroy(scene);
  }
}

int main(int argc, char **argv)
{
  static const char *const usual[] = {"box-stack", "sphere-pile", "chain-of-links", "domino-row"};
  int steps = argc > 1 ? atoi(argv[1]) : 10000;
  if (steps < 1) return fprintf(stderr, "bench_rigid: STEPS is '%s', expected above zero\n", argv[1]), 2;
  printf("scene,mu,method,steps,contacts,smallest_distance_m,drift_second_half_m,iterations,ms_step,unfinished,"
         "retries\n");
  for (int k = 0; k < (argc > 2 ? argc - 2 : 4); k++)
    for (int rough = 0; rough < 2; rough++) long_runs(argc > 2 ? argv[k + 2] : usual[k], steps, rough ? "0.3" : "0");
  return 0;
}
