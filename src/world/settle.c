/* The time before t = 0, in which a scene comes to rest: `settle` seconds with every prescribed motion where it is at
 * t = 0, no events, no forces, no velocities of the scene, under its gravity and wind, with contacts. Beside all other
 * forces there is -c M v (damping in proportion to the mass), split off and integrated exactly:
 *
 *     v <- exp(-c dt) v after each step,   c = max(2 sqrt(3 g / (2 L)), 6 / settle)
 *
 * which only takes energy, whatever c and dt are. The first is critical for the slowest pendulum, a straight rod of the
 * greatest length L that hangs by its root; the second lets the start fade where nothing pulls. One c for all: contacts
 * that stick or are closed (u = 0) go on doing so, and no rod pulls at another for being damped differently.
 *
 * Rods may start on top of each other. They begin at a twentieth of their radius and grow to all of it in the first
 * half: thin ones cross in few places and have a way out, where thick ones would press from all sides and no velocity
 * could part them. Overlaps open by a factor e in settle / 20, near a held root no faster than by a tenth of the way to
 * it; two rods whose roots are held on top of each other have no contacts there. A rod goes on with half its
 * velocities, or a quarter, and so on, where a point of it would be faster than sqrt(g L) or 4 L / settle, or would go
 * deeper into a body: solves are short here, and nothing that ends up inside a body finds its way out by itself. The
 * friction may be a share of the scene's: what is at rest without friction also is with it. */
#include "world/world.h"

#include <math.h>
#include <omp.h>
#include <string.h>

bool sk_settling(const sk_state *s)
{
  return s->time < 0;
}

double sk_path_time(const sk_state *s, double dt)
{
  return fmax(s->time + dt, 0);
}

/* Before t = 0 a step that stays above its tolerance is no loss: a sixteenth of dt is short enough. */
double sk_shortest(const sk_model *m, const sk_state *s)
{
  const sk_scene_step *step = &m->scene->step;
  return sk_settling(s) ? fmax(step->dt_min, step->dt / sk_limit.settling.shortest) : step->dt_min;
}

double sk_settle_growth(const sk_model *m, const sk_state *s)
{
  double settle = m->scene->step.settle;
  return sk_settling(s) ? fmin(1, sk_limit.settling.begins + (s->time + settle) / (sk_limit.settling.grown * settle))
                        : 1;
}

/* Signed distance from a place of rod i to the nearest body that it may touch, as far as its radius; beyond: that. Near
 * a root that grows out of a body, that body does not count. */
static double clearance(const sk_attempt *w, int i, double s, sk_vec3 r)
{
  const sk_model_rod *rod = w->model->rods + i;
  double radius = rod->radius, nearest = radius;
  for (int b = 0; b < w->model->scene->body_count; b++) {
    sk_near near;
    bool rooted = rod->rooted_in == b && s <= rod->rooted_until;
    if (rooted || w->live->mu[rod->group * w->model->scene->group_count + w->model->scene->bodies[b].group] < 0)
      continue;
    if (sk_shape_point(sk_shape_now(w, b), &w->bodies[b].pose, r, radius, &near))
      nearest = fmin(nearest, near.distance);
  }
  return nearest;
}

/* Whether the rod with these velocities moves no point further than `most`, and none further into a body. */
static bool is_modest(const sk_attempt *w, int i, const double *v, double most, sk_rod_system *sys)
{
  const sk_rod_part *s = w->rods + i;
  const sk_rod *rod = s->rod;
  double radius = s->is->radius;
  int count = s->pieces * rod->def.elements;
  const sk_vec3 *before = w->search.before.points + s->first + i;
  sk_vec3 *after = w->search.after.points + s->first + i;
  sk_rod_input in = sk_rod_input_make(&s->drive, &w->live->env, true, false);
  memcpy(sys->xe, s->x, sizeof(double) * (size_t)rod->nx);
  rod->ops->move(rod, sys->xe, v, &in, w->plan.dt);
  rod->ops->points(rod, sys->xe, NULL, NULL, s->pieces, after, NULL);
  for (int k = 0; k <= count; k++)
    if (!(sk_norm(sk_sub(after[k], before[k])) <= most)) return false;
  for (int k = 1; k <= count; k++) {
    double at = rod->def.length * k / count, now = clearance(w, i, at, after[k]);
    double creep =
        now < 0 ? sk_limit.settling.inside : sk_limit.settling.creeps; /* once the axis is inside, next to nothing */
    if (now < sk_limit.settling.near * radius && now < clearance(w, i, at, before[k]) - creep * radius) return false;
  }
  return true;
}

void sk_settle_restrain(sk_attempt *w)
{
  double g = sk_norm(sk_load3(w->live->env.gravity));
  if (!sk_settling(w->now) || sk_all_asleep(w)) return;
#pragma omp parallel for num_threads(sk_team(w, w->model->rod_count, 16)) schedule(dynamic, 16)
  for (int i = 0; i < w->model->rod_count; i++) {
    if (sk_stop_asked(w->work.stop)) continue;
    const sk_rod_part *s = w->rods + i;
    double *v = w->v + s->is->v, L = s->rod->def.length;
    double most = fmax(sqrt(g * L), sk_limit.settling.lengths * L / w->model->scene->step.settle) * w->plan.dt;
    for (int k = 0; k < sk_limit.settling.halvings && !is_modest(w, i, v, most, w->work.systems + omp_get_thread_num());
         k++)
      for (int j = 0; j < s->rod->n; j++) v[j] *= k < sk_limit.settling.halvings - 1 ? 0.5 : 0;
  }
}

void sk_settle_damp(const sk_model *m, const sk_live *live, sk_state *s, double dt)
{
  double L = sk_model_longest(m, s), g = sk_norm(sk_load3(live->env.gravity));
  double c = fmax(L > 0 ? 2 * sqrt(1.5 * g / L) : 0, sk_limit.settling.damping / m->scene->step.settle),
         keep = exp(-c * dt);
  for (size_t k = 0; k < m->nv; k++) s->v[k] *= keep;
  for (int i = 0; i < m->scene->body_count; i++) {
    sk_body_state *b = s->body + i;
    if (m->scene->bodies[i].mode == SK_DYNAMIC) b->v = sk_mul(keep, b->v), b->w = sk_mul(keep, b->w);
  }
}

void sk_settle_contact(const sk_attempt *w, sk_contact *t)
{
  t->mu *= w->model->scene->step.settle_friction, t->restitution = 0;
}

void sk_settle_solver(const sk_attempt *w, skein_solve_def *def)
{
  def->tol = fmax(w->model->scene->step.tol, sk_limit.settling.tol),
  def->max_sweeps = SK_MIN(def->max_sweeps, sk_limit.settling.sweeps);
}

/* How far from a held root the place is: nothing is moved far there. */
static double lever(const sk_attempt *w, int object, double s)
{
  if (!sk_is_rod(w, object))
    return w->model->scene->bodies[object - w->model->rod_count].mode == SK_DYNAMIC ? HUGE_VAL : 0;
  return w->rods[object].rod->def.root == SKEIN_FREE ? HUGE_VAL : s;
}

double sk_settle_opening(const sk_attempt *w, const sk_contact *t, double overlap)
{
  double arm = fmax(lever(w, t->a, t->sa), lever(w, t->b, t->sb));
  return fmin(overlap, sk_limit.settling.arm * arm) /
         fmax(sk_limit.settling.steps * w->plan.dt, sk_limit.settling.opens * w->model->scene->step.settle);
}

/* Beside the roots of two rods that are held on top of each other. */
bool sk_settle_tangled(const sk_attempt *w, const sk_contact *t)
{
  if (!(w->model->scene->step.settle > 0) || !sk_is_rod(w, t->b) || t->a == t->b) return false;
  const sk_rod_part *a = w->rods + t->a, *b = w->rods + t->b;
  double radii = a->radius + b->radius;
  if (a->rod->def.root == SKEIN_FREE || b->rod->def.root == SKEIN_FREE ||
      fmax(t->sa, t->sb) > sk_limit.roots.tangled * radii)
    return false;
  return sk_norm(sk_sub(sk_load3(a->x + SK_ROOT), sk_load3(b->x + SK_ROOT))) < radii;
}
