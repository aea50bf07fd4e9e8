/* A world from a scene, and what one may ask it. */
#include "world/world.h"

#include <omp.h>
#include <stdlib.h>

/* Memory of what the model needs beside itself, and the state at the start. */
static skein_status create_states(skein_world *w)
{
  skein_status s = sk_state_create(&w->model, w->states);
  if (s.code == SKEIN_OK) s = sk_state_create(&w->model, w->states + 1);
  w->views = sk_calloc((size_t)w->model.rod_count, sizeof *w->views);
  return s.code == SKEIN_OK && !w->views ? sk_no_memory() : s;
}

skein_status skein_world_create(const skein_scene *scene, int threads, skein_world **out)
{
  *out = NULL;
  if (threads < 0) return sk_fail(SKEIN_BAD_INPUT, "threads is %d, expected >= 0", threads);
  skein_world *w = sk_calloc(1, sizeof *w);
  if (!w) return sk_no_memory();
  sk_work *work = &w->attempt.work;
  work->threads = threads > 0 ? threads : omp_get_max_threads();
  work->solver = sk_solver_create(), work->neighbours = sk_verlet_create();
  w->controller.dt = scene->step.dt, w->stop.by = scene->stop.by, work->stop = &w->stop;
  skein_status s = work->solver && work->neighbours ? sk_live_create(scene, &w->live) : sk_no_memory();
  if (s.code == SKEIN_OK) s = sk_model_create(scene, &w->live.env, &w->stop, &w->model);
  if (s.code == SKEIN_OK) s = sk_surfaces_create(scene, &w->surfaces);
  if (s.code == SKEIN_OK) s = create_states(w);
  if (s.code == SKEIN_OK) s = sk_world_start(w);
  s = sk_unless_stopped(s, &w->stop);
  if (s.code != SKEIN_OK) {
    skein_world_destroy(w);
    return s;
  }
  sk_world_show(w);
  *out = w;
  return s;
}

void skein_world_destroy(skein_world *w)
{
  if (!w) return;
  sk_work *work = &w->attempt.work;
  sk_state_destroy(w->states), sk_state_destroy(w->states + 1);
  if (w->model.scene) sk_model_destroy(&w->model);
  sk_surfaces_destroy(w->surfaces), sk_live_destroy(&w->live);
  sk_solver_destroy(work->solver), sk_verlet_destroy(work->neighbours);
  sk_arena_free(&work->arena), sk_arena_free(&work->last_kept);
  free(w->views);
  free(w);
}

void sk_world_show(skein_world *w)
{
  const sk_state *now = sk_now(w);
  for (int i = 0; i < w->model.rod_count; i++) {
    const sk_model_rod *rod = w->model.rods + i;
    w->views[i] = (skein_rod){.fixed = rod->rod, .x = now->x + rod->x, .v = now->v + rod->v};
    sk_rod_stay(w->views[i].x, &w->views[i].drive);
  }
}

void skein_world_set_stop(skein_world *w, skein_stop stop)
{
  w->stop = (sk_stop){.by = stop};
}

double skein_world_time(const skein_world *w)
{
  return sk_now(w)->time;
}

static bool has_problem(const skein_world *w)
{
  return w->attempt.linear.problem.contacts > 0;
}

const skein_problem *skein_world_problem(const skein_world *w)
{
  return has_problem(w) ? &w->attempt.linear.problem : NULL;
}

const skein_solution *skein_world_solution(const skein_world *w)
{
  return has_problem(w) ? &w->attempt.linear.solution : NULL;
}

const double *skein_world_guess(const skein_world *w)
{
  return has_problem(w) ? w->attempt.linear.guess : NULL;
}

int skein_world_rods(const skein_world *w)
{
  return w->model.rod_count;
}

const skein_rod *skein_world_rod(const skein_world *w, int i)
{
  return w->views + i;
}

int skein_world_bodies(const skein_world *w)
{
  return w->model.scene->body_count;
}

const char *skein_world_name(const skein_world *w, int object)
{
  const skein_scene *scene = w->model.scene;
  int body = object - w->model.rod_count;
  if (body >= 0) return skein_scene_name(scene, scene->rod_count + body);
  return object < 0 ? NULL : scene->rods[w->model.rods[object].source].name;
}

void skein_world_body(const skein_world *w, int i, double place[3], double quaternion[4], double velocity[3],
                      double spin[3])
{
  const sk_body_state *b = sk_now(w)->body + i;
  sk_store3(place, b->pose.r), sk_store3(velocity, b->v), sk_store3(spin, b->w);
  quaternion[0] = b->pose.q.w, sk_store3(quaternion + 1, b->pose.q.v);
}
