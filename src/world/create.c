/* A world from a scene, and what one may ask it. */
#include "world/world.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Weight times length, and the motion that the scene starts with: what a blow-up is measured by. */
double sk_world_scale(const skein_world *w)
{
  double sum = 0, g = sk_norm(sk_load3(w->env.gravity));
  skein_step_info info;
  sk_world_energies(w, &info);
  for (int i = 0; i < w->strand_count; i++) {
    const skein_rod *rod = w->strands[i].rod;
    double m = rod->section.rho_S * rod->def.length, EI = fmax(rod->section.EI1, rod->section.EI2);
    sum += m * g * rod->def.length + EI / rod->def.length;
  }
  for (int i = 0; i < w->scene->body_count; i++)
    if (w->scene->bodies[i].mode == SK_DYNAMIC) sum += w->scene->bodies[i].mass * g;
  return sum + fabs(info.kinetic) + fabs(info.elastic);
}

/* The rod of the scene, with the natural shape that its start asks for. */
static skein_status create_rod(const skein_world *w, const sk_scene_rod *from, skein_rod **out)
{
  skein_rod *rod;
  skein_status s = skein_rod_create(&from->def, out);
  if (s.code != SKEIN_OK || !from->sag_free) return s;
  rod = *out;
  s = sk_rod_sag_free(rod, &w->env, out);
  skein_rod_destroy(rod);
  return s;
}

static skein_status create_strands(skein_world *w)
{
  skein_status s = sk_ok();
  for (int i = 0; i < w->scene->rod_count && s.code == SKEIN_OK; i++) {
    if (sk_stop_asked(&w->stop)) return sk_stopped();
    const sk_scene_rod *from = w->scene->rods + i;
    sk_strand *strand = w->strands + i;
    *strand = (sk_strand){.radius = from->radius, .group = from->group, .source = i, .dof = -1, .cut_off = -1};
    s = sk_status_prefix(create_rod(w, from, &strand->rod), from->name);
    w->strand_count = i + (s.code == SKEIN_OK);
  }
  return s;
}

skein_status skein_world_create(const skein_scene *scene, int threads, skein_world **out)
{
  *out = NULL;
  if (threads < 0) return sk_fail(SKEIN_BAD_INPUT, "threads is %d, expected >= 0", threads);
  skein_world *w = sk_calloc(1, sizeof *w);
  if (!w) return sk_no_memory();
  w->scene = scene, w->stop.by = scene->stop.by, w->env = scene->env, w->dt = scene->step.dt;
  if (scene->step.settle > 0) w->time = -scene->step.settle;
  w->threads = threads > 0 ? threads : omp_get_max_threads();
  w->strands = sk_calloc((size_t)scene->rod_count, sizeof *w->strands);
  w->bodies = sk_calloc((size_t)scene->body_count, sizeof *w->bodies);
  w->rest = sk_calloc((size_t)scene->rod_count + (size_t)scene->body_count, sizeof *w->rest);
  w->solver = sk_solver_create(), w->verlet = sk_verlet_create();
  bool there = sk_world_live_create(w) && w->strands && w->bodies && w->rest && w->solver && w->verlet;
  skein_status s = there ? create_strands(w) : sk_no_memory();
  if (s.code == SKEIN_OK) s = sk_world_deform_create(w);
  if (s.code == SKEIN_OK) s = sk_world_start(w);
  if (s.code == SKEIN_OK) sk_world_find_roots(w);
  s = sk_unless_stopped(s, &w->stop);
  if (s.code != SKEIN_OK) {
    skein_world_destroy(w);
    return s;
  }
  w->energy_scale = sk_world_scale(w);
  *out = w;
  return s;
}

void skein_world_destroy(skein_world *w)
{
  if (!w) return;
  for (int i = 0; i < w->strand_count; i++) skein_rod_destroy(w->strands[i].rod);
  sk_world_deform_destroy(w);
  sk_solver_destroy(w->solver), sk_verlet_destroy(w->verlet);
  sk_arena_free(&w->arena), sk_arena_free(&w->kept), sk_arena_free(&w->again);
  free(w->strands), free(w->bodies), free(w->rest), free(w->mu), free(w->pulls), free(w->before);
  free(w);
}

void sk_world_name(const skein_world *w, int strand, char *out, size_t size)
{
  const sk_scene_rod *rod = w->scene->rods + w->strands[strand].source;
  if (rod->file) snprintf(out, size, "%.60s of '%.80s'", rod->name, rod->file);
  else snprintf(out, size, "%.140s", rod->name);
}

skein_status sk_world_blame(const skein_world *w, int strand, skein_status s)
{
  char name[160];
  sk_world_name(w, strand, name, sizeof name);
  return sk_status_prefix(s, name);
}

void skein_world_set_stop(skein_world *w, skein_stop stop)
{
  w->stop = (sk_stop){.by = stop};
}

double skein_world_time(const skein_world *w)
{
  return w->time;
}

const skein_problem *skein_world_problem(const skein_world *w)
{
  return w->problem.contacts > 0 ? &w->problem : NULL;
}

const skein_solution *skein_world_solution(const skein_world *w)
{
  return w->problem.contacts > 0 ? &w->solution : NULL;
}

const double *skein_world_guess(const skein_world *w)
{
  return w->problem.contacts > 0 ? w->guess : NULL;
}

int skein_world_rods(const skein_world *w)
{
  return w->strand_count;
}

const skein_rod *skein_world_rod(const skein_world *w, int i)
{
  return w->strands[i].rod;
}

int skein_world_bodies(const skein_world *w)
{
  return w->scene->body_count;
}

void skein_world_body(const skein_world *w, int i, double place[3], double quaternion[4], double velocity[3],
                      double spin[3])
{
  const sk_body_state *b = w->bodies + i;
  sk_store3(place, b->pose.r), sk_store3(velocity, b->v), sk_store3(spin, b->w);
  quaternion[0] = b->pose.q.w, sk_store3(quaternion + 1, b->pose.q.v);
}
