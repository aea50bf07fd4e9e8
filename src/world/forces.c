/* The scene's forces: dead loads that the rods have during a step, and the work they do in it, F . (r after - r
 * before). In a step of the theta-scheme a force has its value at t + theta dt. A rod whose loads change wakes. */
#include "world/world.h"

#include <math.h>
#include <string.h>

/* Whether it acts in the step that begins now; steps do not cross `from` and `until`. */
static bool is_on(const skein_world *w, const sk_scene_force *f)
{
  double slack = 1e-9 * w->scene->step.dt;
  return w->time >= f->from - slack && w->time < f->until - slack;
}

/* Whether it is not what it was in the last step. Known from the time alone: a run that goes on from a state must wake
 * the same rods. */
static bool changes(const skein_world *w, const sk_scene_force *f)
{
  double slack = 1e-9 * w->scene->step.dt;
  return (is_on(w, f) && w->time <= f->from + f->ramp + slack) || fabs(w->time - f->until) <= slack;
}

static bool is_about(const sk_scene_force *f, const sk_strand *strand)
{
  return strand->source >= f->rod_first && strand->source < f->rod_first + f->rod_count;
}

/* The load on a strand, which may be a part of the rod that the scene names; false: it acts elsewhere, or not now. */
static bool load_make(const skein_world *w, const sk_strand *strand, const sk_scene_force *f, double dt,
                      skein_rod_load *load)
{
  if (!is_about(f, strand) || !is_on(w, f)) return false;
  double whole = w->scene->rods[strand->source].def.length, L = strand->rod->def.length;
  double s = (isnan(f->s) ? whole : fmin(f->s, whole)) - strand->begin, slack = 1e-9 * whole;
  bool last = strand->begin + L >= whole - slack;
  if (s < -slack || (s >= L - slack && !last)) return false;
  double since = w->time + w->scene->step.theta * dt - f->from, share = since < f->ramp ? since / f->ramp : 1;
  *load = (skein_rod_load){.s = fmin(fmax(s, 0), L)};
  sk_store3(load->force, sk_mul(share, sk_load3(f->force)));
  return true;
}

/* Sum of F . r over the loads of a rod. */
static double load_level(const skein_rod *rod)
{
  double sum = 0;
  for (int k = 0; k < rod->load_count; k++) {
    sk_vec3 r;
    sk_mat3 R;
    rod->ops->pose(rod, rod->x, rod->loads[k].s, &r, &R);
    sum += sk_dot(sk_load3(rod->loads[k].force), r);
  }
  return sum;
}

/* Only loads that have changed are set: most rods never have one. */
static skein_status load_strand(skein_world *w, int i, double dt, skein_rod_load *loads)
{
  sk_strand *strand = w->strands + i;
  int count = 0;
  skein_status s = sk_ok();
  for (int k = 0; k < w->scene->force_count; k++) {
    const sk_scene_force *f = w->scene->forces + k;
    if (is_about(f, strand) && changes(w, f)) sk_world_wake(w, i);
    count += load_make(w, strand, f, dt, loads + count);
  }
  const skein_rod *rod = strand->rod;
  bool same = count == rod->load_count && (count == 0 || !memcmp(loads, rod->loads, sizeof *loads * (size_t)count));
  if (!same) s = skein_rod_set_loads(strand->rod, loads, count);
  strand->load_level = load_level(strand->rod);
  return s;
}

skein_status sk_world_load(skein_world *w, double dt)
{
  skein_status s = sk_ok();
  if (w->scene->force_count == 0) return s;
  skein_rod_load *loads = SK_NEW(&w->arena, w->scene->force_count, skein_rod_load);
  if (!loads) return sk_no_memory();
  for (int i = 0; i < w->strand_count && s.code == SKEIN_OK; i++) s = load_strand(w, i, dt, loads);
  return s;
}

double sk_world_load_work(const skein_world *w)
{
  double work = 0;
  for (int i = 0; w->scene->force_count > 0 && i < w->strand_count; i++)
    if (w->strands[i].rod->load_count > 0) work += load_level(w->strands[i].rod) - w->strands[i].load_level;
  return work;
}

double sk_world_load_change(const skein_world *w)
{
  double next = HUGE_VAL, slack = 1e-9 * w->scene->step.dt;
  for (int k = 0; k < w->scene->force_count; k++) {
    const sk_scene_force *f = w->scene->forces + k;
    if (f->from > w->time + slack) next = fmin(next, f->from);
    else if (f->until > w->time + slack) next = fmin(next, f->until);
  }
  return next;
}
