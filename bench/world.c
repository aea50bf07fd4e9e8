/* Cost of a step of the world: hairs of 16 dofs whose number grows at equal density, in two scenes that differ in how
 * far a contact is felt.
 *   hair: ten rows of hair, each with a curl of its own, on a ridge that is as long as the rows, between two walls;
 *         it has settled and the ridge turns to and fro. A contact is felt by the hairs around it.
 *   box:  ten layers of straight rods that want to curl, let go in a flat box, in the fourth and fifth step: each
 *         presses on its neighbours and all together on the walls. A contact is felt across the box: the wider it
 *         is, the more sweeps it takes.
 * About ten contacts each.
 *
 *   bench_world [hair|box [RODS ...]]
 *         default: both; of 500, 1000, 1920, 4000 and 8000 rods (a multiple of ten each)
 *
 * Two things are compared in one run, from one saved state on, over the same steps (the bits are the same): one thread
 * and all of them. Times are means per step in ms, tries that were repeated included. us_per_contact says how the cost
 * grows: it stays where it grows linearly with contacts. ms_output: one frame, with all that a resumed run needs,
 * appended to a RUN.h5; it is not part of ms_step, for most steps of a run write none. */
#include "base/base.h"
#include "math/vec3.h"

#include <math.h>
#include <omp.h>
#include <skein/skein.h>
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

enum { LAYERS = 10, USUAL = 5 };

typedef struct subject {
  const char *name;
  skein_scene *(*make)(int rods);
  int warm_up, steps; /* after it has settled */
} subject;

static skein_scene *parse(const char *text, const char *name)
{
  skein_scene *scene;
  stop(skein_scene_parse(text, name, ".", NULL, 0, &scene));
  return scene;
}

/* ---- Hair on a ridge ---- */

static const double ridge = 0.059, apart = 0.001; /* m: where roots are, and how far from each other in a row */

/* Roots lie on the upper side of a cylinder along y, on a quarter that the hair falls to; each row stands out straight,
 * so that none cross at the start. */
static size_t print_row(char *text, size_t size, int rods, int row)
{
  double angle = (5 + 55.0 * row / (LAYERS - 1)) * SK_PI / 180, x = sin(angle), z = cos(angle);
  return (size_t)snprintf(
      text, size,
      "%s{\"name\": \"row%d\", \"group\": \"hair\", \"length\": 0.25, \"elements\": 6, \"twist_locked\": 2, "
      "\"material\": \"hair\", \"initial\": \"straight\", \"natural\": {\"curvature\": 4}, \"root\": {\"body\": "
      "\"ridge\", "
      "\"position\": [%.17g, %.17g, %.17g], \"direction\": [%.17g, 0, %.17g]}, \"grid\": {\"count\": [1, %d, 1], "
      "\"spacing\": [1, %g, 1], \"roll\": 180, \"seed\": %d}}",
      row ? ", " : "", row, ridge * x, row % 2 ? 0.5 * apart : 0, ridge * z, x, z, rods / LAYERS, apart, row + 1);
}

static skein_scene *make_hair(int rods)
{
  static const char head[] =
      "{\"time\": {\"dt\": 0.004, \"dt_min\": 0.001, \"travel\": 0.07, \"settle\": 1, \"settle_friction\": 0.3}, "
      "\"friction\": 0.3, \"pairs\": [{\"groups\": [\"hair\", \"skin\"], \"mu\": 0.5}], \"materials\": {\"hair\": "
      "{\"preset\": \"hair-caucasian\", \"damping\": 0.005, \"drag\": 3e-5, \"collision_radius\": 0.0005}}, "
      "\"solver\": {\"method\": \"gs\", \"tol\": 2e-3, \"tol_rest\": 2e-3, \"max_sweeps\": 10000, \"chord\": 0.5, "
      "\"overlap\": 1, \"push\": 0.003, \"push_share\": 0.1, \"corrections\": 1, \"spacing\": 0.25, \"sleep\": false}, "
      "\"bodies\": [{\"name\": \"ridge\", \"group\": \"skin\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.06, "
      "\"length\": %g, \"axis\": [0, 1, 0]}, \"motion\": {\"waves\": [{\"turn\": true, \"axis\": [0, 1, 0], "
      "\"amplitude\": 20, \"frequency\": 1}]}}, {\"group\": \"skin\", \"shape\": {\"type\": \"plane\", \"normal\": "
      "[0, 1, 0]}, \"position\": [0, %.17g, 0]}, {\"group\": \"skin\", \"shape\": {\"type\": \"plane\", \"normal\": "
      "[0, -1, 0]}, \"position\": [0, %.17g, 0]}], \"rods\": [";
  char text[8192];
  double width = rods / LAYERS * apart + 0.002;
  size_t at = (size_t)snprintf(text, sizeof text, head, width + 0.02, -0.5 * width, 0.5 * width);
  for (int row = 0; row < LAYERS; row++) at += print_row(text + at, sizeof text - at, rods, row);
  snprintf(text + at, sizeof text - at, "]}");
  return parse(text, "hair");
}

/* ---- A box ---- */

static const double radius = 0.1, spacing = 0.27, curl = 0.0035; /* mm, mm, 1/mm */

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
static skein_scene *make_box(int rods)
{
  static const char format[] =
      "{\"units\": {\"length\": \"mm\"}, \"time\": {\"dt\": 0.001, \"dt_min\": 0.001}, \"friction\": 0.3, "
      "\"materials\": {\"hair\": "
      "{\"preset\": \"hair-caucasian\", \"collision_radius\": %g, \"damping\": 0.002, \"drag\": 1e-4}}, \"rods\": "
      "[%s, %s], \"bodies\": ["
      "{\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}, \"position\": [0, 0, %.17g]},"
      "{\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, -1]}, \"position\": [0, 0, %.17g]},"
      "{\"shape\": {\"type\": \"plane\", \"normal\": [0, 1, 0]}, \"position\": [0, %.17g, 0]},"
      "{\"shape\": {\"type\": \"plane\", \"normal\": [0, -1, 0]}, \"position\": [0, %.17g, 0]}],"
      " \"solver\": {\"tol\": 1e-4, \"tol_rest\": 1e-4, \"chord\": 0.2, \"sleep\": false}}";
  char text[4096], layers[2][1024];
  double beyond = spacing - radius, high = 0.5 * (LAYERS - 1) * sqrt(0.75) * spacing + beyond;
  double wide = 0.5 * (rods / LAYERS - 0.5) * spacing + beyond;
  for (int odd = 0; odd < 2; odd++) print_layers(layers[odd], sizeof layers[odd], rods, odd);
  snprintf(text, sizeof text, format, radius, layers[0], layers[1], -high, high, -wide, wide);
  return parse(text, "box");
}

static const subject subjects[] = {{"hair", make_hair, 50, 20}, {"box", make_box, 3, 2}};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

/* ---- Measuring ---- */

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

static void print_sums(const subject *of, int rods, int threads, const sums *s, double base, double output)
{
  int steps = of->steps;
  double ms = 1e3 / steps, all = total(s);
  printf("%s,%d,%d,%.0f,%.1f,%.1f,%.1f,%.0f,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.1f,%.2f,%.2f\n", of->name, rods,
         threads, s->contacts / steps, s->contacts / steps / rods, s->active / steps / rods, s->tries / steps,
         s->sweeps / steps, ms * all, ms * s->rods, ms * s->collide, ms * s->assemble, ms * s->solve, ms * s->other,
         1e3 * output, 100 * s->collide / all, 1e6 * all / s->contacts, base > 0 ? base / all : 1);
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
  skein_manifest manifest = skein_scene_manifest(scene);
  stop(skein_run_create(path, &manifest, &run));
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

static void bench(const subject *of, int rods)
{
  skein_scene *scene = of->make(rods);
  int threads[2] = {1, omp_get_max_threads()};
  skein_world *world;
  skein_step_info info;
  void *state;
  size_t size;
  double base = 0;
  stop(skein_world_create(scene, 0, &world));
  while (skein_world_time(world) < 0) stop(skein_world_step(world, 0, &info));
  take_steps(world, of->warm_up);
  stop(skein_world_save(world, &state, &size));
  skein_world_destroy(world);
  for (int k = 0; k < 2 && (k == 0 || threads[1] > 1); k++) {
    stop(skein_world_create(scene, threads[k], &world));
    stop(skein_world_load(world, state, size));
    sums s = take_steps(world, of->steps);
    print_sums(of, rods, threads[k], &s, base, write_frames(scene, world));
    if (k == 0) base = total(&s);
    skein_world_destroy(world);
  }
  free(state);
  skein_scene_destroy(scene);
}

int main(int argc, char **argv)
{
  static const int usual[USUAL] = {500, 1000, 1920, 4000, 8000};
  bool known = argc < 2;
  for (int k = 0; k < SUBJECTS && !known; k++) known = !strcmp(argv[1], subjects[k].name);
  if (!known) return fprintf(stderr, "bench_world: '%s' is no scene, expected hair or box\n", argv[1]), 2;
  for (int k = 2; k < argc; k++)
    if (atoi(argv[k]) < LAYERS || atoi(argv[k]) % LAYERS != 0)
      return fprintf(stderr, "bench_world: RODS is '%s', expected a multiple of %d\n", argv[k], LAYERS), 2;
  printf("scene,rods,threads,contacts,contacts_per_rod,active_per_rod,tries_per_step,sweeps,ms_step,ms_rods,ms_collide,"
         "ms_assemble,ms_solve,ms_other,ms_output,collide_percent,us_per_contact,speedup\n");
  for (int j = 0; j < SUBJECTS; j++) {
    if (argc > 1 && strcmp(argv[1], subjects[j].name) != 0) continue;
    for (int k = 0; argc <= 2 && k < USUAL; k++) bench(&subjects[j], usual[k]);
    for (int k = 2; k < argc; k++) bench(&subjects[j], atoi(argv[k]));
  }
  return 0;
}
