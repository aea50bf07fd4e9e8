/* Rigid bodies by distances (Sauer and Schoemer 1998) against the velocity formulation: smallest distance after any
 * step, drift in the second half of the run, time. */
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>

enum { METHODS = 4, SCENES = 4, QUICK_STEPS = 250, STEPS = 10000 };
static const char *const methods[METHODS] = {"velocity", "newton", "fischer", "lcp"};
static const char *const scenes[SCENES] = {"box-stack", "sphere-pile", "chain-of-links", "domino-row"};

typedef struct figures {
  double nearest, drift; /* m */
  double iterations, seconds;
  int steps, above;
} figures;

/* The caller frees. */
static double *places(const skein_world *world)
{
  int n = skein_world_bodies(world);
  double *r = calloc(3 * (size_t)n + 1, sizeof *r), q[4], v[3], w[3];
  for (int i = 0; i < n && r; i++) skein_world_body(world, i, r + 3 * i, q, v, w);
  return r;
}

static double largest_way(const skein_world *world, const double *from)
{
  double *to = places(world), most = 0;
  for (int i = 0; i < skein_world_bodies(world) && to && from; i++)
    most = fmax(
        most, hypot(hypot(to[3 * i] - from[3 * i], to[3 * i + 1] - from[3 * i + 1]), to[3 * i + 2] - from[3 * i + 2]));
  free(to);
  return most;
}

static skein_status run_one(reproduce_section *s, const char *scene, const char *method, const char *friction,
                            figures *f)
{
  char rigid[64];
  const char *sets[] = {rigid, friction, "solver.sleep=false", "events=[]", "time.duration=1000"};
  int limit = s->set->quick ? QUICK_STEPS : STEPS;
  double *middle = NULL, nearest = HUGE_VAL;
  reproduce_run run;
  snprintf(rigid, sizeof rigid, "solver.rigid=%s", method);
  *f = (figures){.nearest = HUGE_VAL};
  skein_status status = reproduce_start(s, scene, sets, 5, limit, &run);
  while (reproduce_step(&run, &status)) {
    status = skein_world_nearest(run.world, 1e-4, &nearest);
    f->nearest = fmin(f->nearest, nearest), f->iterations += run.info.sweeps;
    if (run.steps == run.limit / 2) middle = places(run.world);
  }
  if (run.world) f->drift = largest_way(run.world, middle);
  f->steps = run.steps, f->above = run.above;
  if (run.steps > 0) f->iterations /= run.steps, f->seconds = run.seconds / run.steps;
  free(middle);
  reproduce_stop(&run);
  return status;
}

skein_status reproduce_rigid(reproduce_section *s)
{
  static const char *const columns[] = {"scene",
                                        "mu",
                                        "method",
                                        "steps",
                                        "smallest distance (m)",
                                        "drift (m)",
                                        "iterations",
                                        "ms/step",
                                        "steps above tolerance"};
  static const char *const frictions[] = {"friction=0", "friction=0.3"}, *const mu[] = {"0", "0.3"};
  skein_status status = {.code = SKEIN_OK};
  double least[METHODS] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  reproduce_table t = reproduce_table_begin(s, "rigid", "Four ways to make a step", columns, 9);
  for (int k = 0; k < SCENES * 2 * METHODS && status.code == SKEIN_OK && !reproduce_over(s); k++) {
    int scene = k / (2 * METHODS), rough = k / METHODS % 2, m = k % METHODS;
    figures f;
    status = run_one(s, scenes[scene], methods[m], frictions[rough], &f);
    if (f.steps == 0) continue;
    least[m] = fmin(least[m], f.nearest);
    reproduce_cell_text(&t, scenes[scene]);
    reproduce_cell_text(&t, mu[rough]);
    reproduce_cell_text(&t, methods[m]);
    reproduce_cell(&t, "%.0f", f.steps);
    reproduce_cell(&t, "%.2e", f.nearest);
    reproduce_cell(&t, "%.2e", f.drift);
    reproduce_cell(&t, "%.1f", f.iterations);
    reproduce_cell(&t, "%.3f", 1e3 * f.seconds);
    reproduce_cell(&t, "%.0f", f.above);
  }
  reproduce_table_end(&t);
  for (int m = 2; m < METHODS && status.code == SKEIN_OK; m++)
    reproduce_claim(s, least[m] > -1e-9, "%s: no distance below -1e-9 m after any step (%.1e m)", methods[m], least[m]);
  return status;
}
