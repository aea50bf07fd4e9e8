/* Cost of a step of the world: hairs of 16 dofs, each with a curl of its own, ten layers of them in a flat box whose
 * width goes with their number. How densely they lie, and how high, is the same for any number of them by construction:
 * about 13 contacts each, 25,000 of 1,920.
 *   bench_world [STEPS [WARM_UP_STEPS [RODS ...]]]
 *                         default: 8 steps after 30, of 500, 1000, 1920, 4000 and 8000 rods (a multiple of ten each)
 *
 * Two things are compared in one run, from one saved state on, over the same steps (the bits are the same): one thread
 * and all of them. Times are means per step in ms, tries that were repeated included. us_per_contact says how the cost
 * grows: it stays where it grows linearly with contacts. ms_output: one frame, with all that a resumed run needs,
 * appended to a RUN.h5; it is not part of ms_step, for most steps of a run write none. */
#include "base/base.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stop(skein_status s)
{
  if (s.code == SKEIN_OK) return;
  fprintf(stderr, "bench_world: %s\n", s.message);
  exit(1);
}

enum { LAYERS = 10 };
static const double radius = 0.1, spacing = 0.204, curl = 0.0035; /* mm, mm, 1/mm */

/* One rod of every other layer: a rectangular grid, moved by half a cell; two of them are a hexagonal lattice. */
static void print_layers(char *text, size_t size, int rods, int odd)
{
  double layer = sqrt(0.75) * spacing, side = (odd - 0.5) * 0.5;
  snprintf(text, size,
           "{\"length\": 60, \"elements\": 6, \"twist_locked\": 2, \"material\": \"hair\", \"initial\": \"straight\","
           " \"natural\": {\"curvature\": %g}, \"root\": {\"direction\": [1, 0, 0], \"position\": [0, %.17g, %.17g]},"
           " \"grid\": {\"count\": [1, %d, %d], \"spacing\": [1, %.17g, %.17g], \"roll\": 180, \"seed\": %d}}",
           curl, side * spacing, 2 * side * layer, rods / LAYERS, LAYERS / 2, spacing, 2 * layer, 1 + odd);
}

/* Floor, lid and walls leave as much room beyond the outer rods as there is between rods. */
static skein_scene *make_scene(int rods, double tol)
{
  static const char format[] =
      "{\"units\": {\"length\": \"mm\"}, \"time\": {\"dt\": 0.001}, \"friction\": 0.3, \"materials\": {\"hair\": "
      "{\"preset\": \"hair-caucasian\", \"collision_radius\": %g, \"damping\": 0.002, \"drag\": 1e-4}}, \"rods\": "
      "[%s, %s], \"bodies\": ["
      "{\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}, \"position\": [0, 0, %.17g]},"
      "{\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, -1]}, \"position\": [0, 0, %.17g]},"
      "{\"shape\": {\"type\": \"plane\", \"normal\": [0, 1, 0]}, \"position\": [0, %.17g, 0]},"
      "{\"shape\": {\"type\": \"plane\", \"normal\": [0, -1, 0]}, \"position\": [0, %.17g, 0]}],"
      " \"solver\": {\"tol\": %g, \"tol_rest\": %g, \"chord\": 0.2, \"sleep\": false}}";
  char text[4096], layers[2][1024];
  skein_scene *scene;
  double beyond = spacing - radius, high = 0.5 * (LAYERS - 1) * sqrt(0.75) * spacing + beyond;
  double wide = 0.5 * (rods / LAYERS - 0.5) * spacing + beyond;
  for (int odd = 0; odd < 2; odd++) print_layers(layers[odd], sizeof layers[odd], rods, odd);
  snprintf(text, sizeof text, format, radius, layers[0], layers[1], -high, high, -wide, wide, tol, tol);
  stop(skein_scene_parse(text, "box", ".", NULL, 0, &scene));
  return scene;
}

/* Sums of some steps. */
typedef struct sums {
  double rods, collide, assemble, solve, other, contacts, active, sweeps, tries;
} sums;

static sums take_steps(skein_world *world, int steps)
{
  sums s = {0};
  skein_step_info i;
  for (int k = 0; k < steps; k++) {
    stop(skein_world_step(world, 1e9, &i));
    s.rods += i.seconds_rods, s.collide += i.seconds_collide, s.assemble += i.seconds_assemble;
    s.solve += i.seconds_solve, s.other += i.seconds_other;
    s.contacts += i.contacts, s.active += i.stick + i.slide, s.sweeps += i.sweeps, s.tries += 1 + i.retries;
  }
  return s;
}

static double total(const sums *s)
{
  return s->rods + s->collide + s->assemble + s->solve + s->other;
}

static void print_row(int rods, int threads, int steps, const sums *s, double base, double output)
{
  double ms = 1e3 / steps, all = total(s);
  printf("%d,%d,%.0f,%.1f,%.1f,%.1f,%.0f,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.1f,%.2f,%.2f\n", rods, threads,
         s->contacts / steps, s->contacts / steps / rods, s->active / steps / rods, s->tries / steps, s->sweeps / steps,
         ms * all, ms * s->rods, ms * s->collide, ms * s->assemble, ms * s->solve, ms * s->other, 1e3 * output,
         100 * s->collide / all, 1e6 * all / s->contacts, base > 0 ? base / all : 1);
  fflush(stdout);
}

/* Seconds per frame appended to a run, over three of them. */
static double write_frames(const skein_scene *scene, const skein_world *world)
{
  enum { FRAMES = 3 };
  char path[] = "bench_world.XXXXXX";
  double seconds = 0;
  int file = mkstemp(path);
  skein_run *run;
  if (file < 0) stop(sk_fail(SKEIN_IO_FAILURE, "cannot make a file in this folder"));
  close(file), unlink(path);
  stop(skein_run_create(path, scene, &run));
  for (int k = 0; k < FRAMES; k++) {
    skein_frame frame = {0};
    skein_step_info info = {0};
    void *state;
    size_t size;
    double from = sk_seconds();
    stop(skein_world_frame(world, k, &frame));
    stop(skein_world_save(world, &state, &size));
    stop(skein_run_append(run, &frame, &info, 1, state, size));
    seconds += sk_seconds() - from;
    skein_frame_destroy(&frame), free(state);
  }
  stop(skein_run_finish(run));
  skein_run_close(run), unlink(path);
  return seconds / FRAMES;
}

/* The state after `steps` steps from `state` on (NULL: the start); all threads. */
static void settle(const skein_scene *scene, int steps, void **state, size_t *size)
{
  skein_world *world;
  stop(skein_world_create(scene, 0, &world));
  if (*state) stop(skein_world_load(world, *state, *size));
  free(*state);
  take_steps(world, steps);
  stop(skein_world_save(world, state, size));
  skein_world_destroy(world);
}

/* In the first steps all hairs touch at once: a rough answer is enough for these, not for the last of the warm-up. */
static void bench(int rods, int warm_up, int steps)
{
  skein_scene *rough = make_scene(rods, 1e-2), *scene = make_scene(rods, 1e-4);
  int threads[2] = {1, omp_get_max_threads()}, last = SK_MIN(warm_up, 5);
  void *state = NULL;
  size_t size;
  double base = 0;
  settle(rough, warm_up - last, &state, &size);
  settle(scene, last, &state, &size);
  for (int k = 0; k < 2 && (k == 0 || threads[1] > 1); k++) {
    skein_world *world;
    stop(skein_world_create(scene, threads[k], &world));
    stop(skein_world_load(world, state, size));
    sums s = take_steps(world, steps);
    print_row(rods, threads[k], steps, &s, base, write_frames(scene, world));
    if (k == 0) base = total(&s);
    skein_world_destroy(world);
  }
  free(state);
  skein_scene_destroy(scene), skein_scene_destroy(rough);
}

int main(int argc, char **argv)
{
  static const int usual[] = {500, 1000, 1920, 4000, 8000};
  int steps = argc > 1 ? atoi(argv[1]) : 8, warm_up = argc > 2 ? atoi(argv[2]) : 30;
  if (steps < 1 || warm_up < 0) return fprintf(stderr, "bench_world: expected STEPS above zero\n"), 2;
  printf("rods,threads,contacts,contacts_per_rod,active_per_rod,tries_per_step,sweeps,ms_step,ms_rods,ms_collide,"
         "ms_assemble,ms_solve,ms_other,ms_output,collide_percent,us_per_contact,speedup\n");
  for (int k = 0; argc <= 3 && k < (int)(sizeof usual / sizeof *usual); k++) bench(usual[k], warm_up, steps);
  for (int k = 3; k < argc; k++) {
    int rods = atoi(argv[k]);
    if (rods < LAYERS || rods % LAYERS != 0)
      return fprintf(stderr, "bench_world: RODS is '%s', expected a multiple of %d\n", argv[k], LAYERS), 2;
    bench(rods, warm_up, steps);
  }
  return 0;
}
