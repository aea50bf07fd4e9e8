/* The scene's forces: dead loads that the rods have during a step, and the work they do in it, F . (r after - r
 * before). In a step of the theta-scheme a force has its value at t + theta dt. A rod whose loads change wakes. */
#include "world/world.h"

#include <math.h>
#include <string.h>

/* Whether it acts in the step that begins at `time`; steps do not cross `from` and `until`. */
static bool is_on(const sk_model *m, double time, const sk_scene_force *f)
{
  double slack = 1e-9 * m->scene->step.dt;
  return time >= f->from - slack && time < f->until - slack;
}

/* Whether it is not what it was in the last step. Known from the time alone: a run that goes on from a state must wake
 * the same rods. */
static bool changes(const sk_model *m, double time, const sk_scene_force *f)
{
  double slack = 1e-9 * m->scene->step.dt;
  return (is_on(m, time, f) && time <= f->from + f->ramp + slack) || fabs(time - f->until) <= slack;
}

static bool is_about(const sk_scene_force *f, const sk_model_rod *rod)
{
  return rod->source >= f->rod_first && rod->source < f->rod_first + f->rod_count;
}

/* The load on a rod, which may be a part of the rod that the scene names; false: it acts elsewhere, or not now. */
static bool load_make(const sk_attempt *w, const sk_model_rod *rod, const sk_scene_force *f, skein_rod_load *load)
{
  const skein_scene *scene = w->model->scene;
  double time = w->now->time;
  if (!is_about(f, rod) || !is_on(w->model, time, f)) return false;
  double whole = scene->rods[rod->source].def.length, L = rod->rod->def.length;
  double s = (isnan(f->s) ? whole : fmin(f->s, whole)) - rod->begin, slack = 1e-9 * whole;
  bool last = rod->begin + L >= whole - slack;
  if (s < -slack || (s >= L - slack && !last)) return false;
  double since = time + scene->step.theta * w->plan.dt - f->from, share = since < f->ramp ? since / f->ramp : 1;
  *load = (skein_rod_load){.s = fmin(fmax(s, 0), L)};
  sk_store3(load->force, sk_mul(share, sk_load3(f->force)));
  return true;
}

/* Sum of F . r over the loads of a rod at x. */
static double load_level(const sk_rod *rod, const sk_rod_drive *d, const double *x)
{
  double sum = 0;
  for (int k = 0; k < d->load_count; k++) {
    sk_vec3 r;
    sk_mat3 R;
    rod->ops->pose(rod, x, d->loads[k].s, &r, &R);
    sum += sk_dot(sk_load3(d->loads[k].force), r);
  }
  return sum;
}

/* loads: room for all forces of the scene; those of this rod stay there, and their number is returned. */
static int load_rod(sk_attempt *w, int i, skein_rod_load *loads)
{
  sk_rod_part *p = w->rods + i;
  const skein_scene *scene = w->model->scene;
  int count = 0;
  for (int k = 0; k < scene->force_count; k++) {
    const sk_scene_force *f = scene->forces + k;
    if (is_about(f, p->is) && changes(w->model, w->now->time, f)) sk_wake(w->model, w->next, i);
    count += load_make(w, p->is, f, loads + count);
  }
  p->drive.loads = loads, p->drive.load_count = count;
  p->load_level = load_level(p->rod, &p->drive, p->x);
  return count;
}

skein_status sk_attempt_load(sk_attempt *w)
{
  int most = w->model->scene->force_count;
  if (most == 0) return sk_ok();
  skein_rod_load *room = SK_NEW(&w->work.arena, most, skein_rod_load);
  for (int i = 0; room && i < w->model->rod_count; i++)
    if (load_rod(w, i, room) > 0) room = SK_NEW(&w->work.arena, most, skein_rod_load);
  return room ? sk_ok() : sk_no_memory();
}

double sk_attempt_load_work(const sk_attempt *w)
{
  double work = 0;
  for (int i = 0; i < w->model->rod_count; i++) {
    const sk_rod_part *p = w->rods + i;
    if (p->drive.load_count > 0) work += load_level(p->rod, &p->drive, w->next->x + p->is->x) - p->load_level;
  }
  return work;
}

double sk_load_change(const sk_model *m, const sk_state *s)
{
  double next = HUGE_VAL, slack = 1e-9 * m->scene->step.dt;
  for (int k = 0; k < m->scene->force_count; k++) {
    const sk_scene_force *f = m->scene->forces + k;
    if (f->from > s->time + slack) next = fmin(next, f->from);
    else if (f->until > s->time + slack) next = fmin(next, f->until);
  }
  return next;
}
