/* Rigid bodies by distances (newton, fischer, lcp) against the velocity formulation.
 *   bench_rigid [STEPS [SCENE ...]]      default: 10000 steps of box-stack, sphere-pile, chain-of-links, domino-row
 *   bench_rigid STEPS SCENE/MU[/METHOD] ...
 *   bench_rigid forces
 *
 * Reads scenes/NAME.json and prints one row of CSV per scene, friction and method: the smallest distance of two bodies
 * after any step, by all pairs of shapes; the way that bodies have drifted between the middle and the end of the run;
 * iterations and time per step. A run whose motion blew up ends there, one that takes MOST_SECONDS too: its steps are
 * fewer. `forces`: on fixed bodies as dt goes to 0, against what they are and against the velocity formulation. */
#include "base/base.h"

#include <math.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 4, MOST_SECONDS = 150 }; /* a run that takes longer ends there */
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
  double end = sk_seconds() + MOST_SECONDS;
  for (int k = 0; k < steps && sk_seconds() < end; k++) {
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

static void long_runs(const char *name, int steps, const char *friction, const char *only)
{
  char path[256], rigid[64], mu[64];
  const char *sets[] = {rigid, mu, "solver.sleep=false", "events=[]"};
  snprintf(path, sizeof path, "scenes/%s.json", name);
  snprintf(mu, sizeof mu, "friction=%s", friction);
  for (int m = 0; m < METHODS; m++) {
    skein_scene *scene;
    if (only && strcmp(only, methods[m])) continue;
    snprintf(rigid, sizeof rigid, "solver.rigid=\"%s\"", methods[m]);
    stop(skein_scene_read(path, sets, 4, &scene));
    figures f = run(scene, steps);
    printf("%s,%s,%s,%d,%.1f,%.3g,%.3g,%.2f,%.3f,%d,%d\n", name, friction, methods[m], f.steps, f.contacts, f.nearest,
           f.drift, f.iterations, f.ms, f.unfinished, f.retries);
    fflush(stdout);
    skein_scene_destroy(scene);
  }
}

/* ---- Forces as dt goes to 0 ---- */

/* A ball that slides off a fixed one: the radius of its way, where it starts, when it is looked at. */
static const double WAY = 0.6, FROM = 0.3, WHEN = 0.25, G = 9.81;

/* Force per mass of the fixed ball on it: g cos a - R a'^2 with a'' = g/R sin a, by Runge and Kutta. */
static double sliding_force(void)
{
  double a = FROM, w = 0, h = WHEN / 20000;
  for (int k = 0; k < 20000; k++) {
    double a1 = w, w1 = G / WAY * sin(a), a2 = w + 0.5 * h * w1, w2 = G / WAY * sin(a + 0.5 * h * a1);
    double a3 = w + 0.5 * h * w2, w3 = G / WAY * sin(a + 0.5 * h * a2), a4 = w + h * w3, w4 = G / WAY * sin(a + h * a3);
    a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
  }
  return G * cos(a) - WAY * w * w;
}

typedef struct trial {
  const char *name, *text;
  double time;     /* s: when the force is looked at */
  double expected; /* N: size of the force on the first `fixed` bodies together */
  int fixed;
} trial;

/* Size of the sum of the forces on the first bodies, over the last step. */
static double force_at(const trial *c, const char *method, double dt)
{
  char rigid[64], step[64];
  const char *sets[] = {rigid, step, "solver.sleep=false", "solver.tol=1e-10"};
  skein_scene *scene;
  skein_world *world;
  skein_frame frame;
  skein_step_info info;
  double sum[3] = {0, 0, 0};
  snprintf(rigid, sizeof rigid, "solver.rigid=\"%s\"", method), snprintf(step, sizeof step, "time.dt=%.17g", dt);
  if (c->text) stop(skein_scene_parse(c->text, c->name, ".", sets, 4, &scene));
  else stop(skein_scene_read("scenes/sphere-pile.json", sets, 4, &scene));
  stop(skein_world_create(scene, 1, &world));
  while (skein_world_time(world) < c->time) stop(skein_world_step(world, c->time, &info));
  stop(skein_world_frame(world, 0, &frame));
  for (int k = 0; k < frame.contacts; k++)
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < 3 && frame.contact_object[2 * k + side] < c->fixed; i++)
        sum[i] += (side ? 1 : -1) * frame.contact_impulse[3 * k + i] / frame.dt;
  skein_frame_destroy(&frame), skein_world_destroy(world), skein_scene_destroy(scene);
  return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

/* Halves dt; orders by the last two errors, where they are above the tolerances. */
static void forces(const trial *c, double dt, int halvings)
{
  double velocity[16], last[METHODS] = {0}, last_apart[METHODS] = {0};
  for (int h = 0; h < halvings; h++, dt *= 0.5)
    for (int m = 0; m < METHODS; m++) {
      double f = force_at(c, methods[m], dt);
      if (m == 0) velocity[h] = f;
      double error = fabs(f - c->expected) / c->expected, apart = fabs(f - velocity[h]) / c->expected;
      printf("%s,%s,%g,%.9g,%.9g,%.3g,%.3g", c->name, methods[m], dt, f, c->expected, error, apart);
      printf(h > 0 && error > 1e-6 ? ",%.2f" : ",", log2(last[m] / error));
      printf(h > 0 && m > 0 && apart > 1e-6 ? ",%.2f\n" : ",\n", log2(last_apart[m] / apart));
      last[m] = error, last_apart[m] = apart;
      fflush(stdout);
    }
}

#define BOX "{\"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.1]}, \"position\": [%g, 0, 0.0501], \"mass\": 2}"

static void all_forces(void)
{
  static const char *const head = "{\"friction\": 0, \"gravity\": [%.17g, 0, %.17g], \"bodies\": [{\"shape\": "
                                  "{\"type\": \"plane\"}}, %s";
  char box[256], flat[1024], slope[1024], slide[1024];
  double density = 800, ball = 4.0 / 3 * 3.14159265358979323846 * 0.05 * 0.05 * 0.05 * density;
  snprintf(box, sizeof box, BOX "]}", 0.0);
  snprintf(flat, sizeof flat, head, 0.0, -G, box);
  snprintf(box, sizeof box,
           "{\"shape\": {\"type\": \"plane\", \"normal\": [-1, 0, 0]}, \"position\": [0.1001, 0, 0]}, " BOX "]}", 0.0);
  snprintf(slope, sizeof slope, head, G * sin(0.5), -G * cos(0.5), box);
  snprintf(
      slide, sizeof slide,
      "{\"friction\": 0, \"gravity\": [0, 0, %.17g], \"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": "
      "0.5}}, {\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"position\": [%.17g, 0, %.17g], \"mass\": 2}]}",
      -G, WAY * sin(FROM), WAY * cos(FROM));
  printf("case,method,dt_s,force_N,expected_N,error_rel,apart_from_velocity_rel,order,order_apart\n");
  forces(&(trial){"box on a plane", flat, 0.2, 2 * G, 1}, 0.004, 3);
  forces(&(trial){"box on a slope against a wall", slope, 0.2, 2 * G, 2}, 0.004, 3);
  forces(&(trial){"sphere-pile", NULL, 0.4, 14 * ball * G, 5}, 0.004, 3);
  forces(&(trial){"ball sliding off a ball", slide, WHEN, 2 * sliding_force(), 1}, 0.002, 5);
}

int main(int argc, char **argv)
{
  static const char *const usual[] = {"box-stack", "sphere-pile", "chain-of-links", "domino-row"};
  if (argc > 1 && !strcmp(argv[1], "forces")) return all_forces(), 0;
  int steps = argc > 1 ? atoi(argv[1]) : 10000;
  if (steps < 1) return fprintf(stderr, "bench_rigid: STEPS is '%s', expected above zero or 'forces'\n", argv[1]), 2;
  printf("scene,mu,method,steps,contacts,smallest_distance_m,drift_second_half_m,iterations,ms_step,unfinished,"
         "retries\n");
  for (int k = 0; k < (argc > 2 ? argc - 2 : 4); k++) {
    char *name = strdup(argc > 2 ? argv[k + 2] : usual[k]), *mu = strchr(name, '/'),
         *only = mu ? strchr(mu + 1, '/') : NULL;
    if (mu) *mu++ = 0;
    if (only) *only++ = 0;
    if (!mu) long_runs(name, steps, "0", NULL);
    long_runs(name, steps, mu ? mu : "0.3", only);
    free(name);
  }
  return 0;
}
