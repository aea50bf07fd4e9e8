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

enum { HALVINGS = 7 }; /* of the velocities of a rod, before it stays where it is for a step */

bool sk_world_settling(const skein_world *w)
{
  return w->time < 0;
}

double sk_world_path_time(const skein_world *w, double dt)
{
  return fmax(w->time + dt, 0);
}

/* Before t = 0 a step that stays above its tolerance is no loss: a sixteenth of dt is short enough. */
double sk_world_shortest(const skein_world *w)
{
  const sk_scene_step *step = &w->scene->step;
  return sk_world_settling(w) ? fmax(step->dt_min, step->dt / 16) : step->dt_min;
}

/* Length of the longest rod, or of the largest body that moves. */
static double longest(const skein_world *w)
{
  double L = 0;
  for (int i = 0; i < w->strand_count; i++) L = fmax(L, w->strands[i].rod->def.length);
  for (int i = 0; i < w->scene->body_count; i++) {
    sk_vec3 lo, hi;
    if (w->scene->bodies[i].mode != SK_DYNAMIC) continue;
    sk_shape_bounds(&w->scene->bodies[i].shape, &w->bodies[i].pose, &lo, &hi);
    L = fmax(L, sk_norm(sk_sub(hi, lo)));
  }
  return L;
}

void sk_world_swell(skein_world *w)
{
  double settle = w->scene->step.settle, share = 1;
  if (!(settle > 0)) return;
  if (sk_world_settling(w)) share = fmin(1, 0.05 + (w->time + settle) / (0.5 * settle));
  for (int i = 0; i < w->strand_count; i++) w->strands[i].radius = share * w->scene->rods[w->strands[i].source].radius;
}

/* Signed distance from a place of rod i to the nearest body that it may touch, as far as its radius; beyond: that. Near
 * a root that grows out of a body, that body does not count. */
static double clearance(const skein_world *w, int i, double s, sk_vec3 r)
{
  const sk_strand *strand = w->strands + i;
  double radius = w->scene->rods[strand->source].radius, nearest = radius;
  for (int b = 0; b < w->scene->body_count; b++) {
    sk_near near;
    bool rooted = strand->rooted_in == w->strand_count + b && s <= strand->rooted_until;
    if (rooted || w->mu[strand->group * w->scene->group_count + w->scene->bodies[b].group] < 0) continue;
    if (sk_shape_point(sk_world_shape(w, b), &w->bodies[b].pose, r, radius, &near))
      nearest = fmin(nearest, near.distance);
  }
  return nearest;
}

/* Whether the rod with these velocities moves no point further than `most`, and none further into a body. */
static bool is_modest(const skein_world *w, int i, const double *v, double dt, double most, sk_rod_system *sys)
{
  const sk_strand *s = w->strands + i;
  const skein_rod *rod = s->rod;
  double radius = w->scene->rods[s->source].radius;
  int count = s->pieces * rod->def.elements;
  const sk_vec3 *before = w->points + s->first + i;
  sk_vec3 *after = w->after + s->first + i;
  sk_rod_input in = sk_rod_input_make(rod, &w->env, true, false);
  memcpy(sys->xe, rod->x, sizeof(double) * (size_t)rod->nx);
  rod->ops->move(rod, sys->xe, v, &in, dt);
  rod->ops->points(rod, sys->xe, NULL, NULL, s->pieces, after, NULL);
  for (int k = 0; k <= count; k++)
    if (!(sk_norm(sk_sub(after[k], before[k])) <= most)) return false;
  for (int k = 1; k <= count; k++) {
    double at = rod->def.length * k / count, now = clearance(w, i, at, after[k]);
    double creep = now < 0 ? 0.002 : 0.05; /* once the axis is inside, next to nothing */
    if (now < 0.5 * radius && now < clearance(w, i, at, before[k]) - creep * radius) return false;
  }
  return true;
}

void sk_world_restrain(skein_world *w, double dt)
{
  double g = sk_norm(sk_load3(w->env.gravity));
  if (!sk_world_settling(w) || sk_world_all_asleep(w)) return;
#pragma omp parallel for num_threads(sk_world_team(w, w->strand_count, 16)) schedule(dynamic, 16)
  for (int i = 0; i < w->strand_count; i++) {
    if (sk_stop_asked(&w->stop)) continue;
    const sk_strand *s = w->strands + i;
    double *v = w->v + w->v_start[i], L = s->rod->def.length;
    double most = fmax(sqrt(g * L), 4 * L / w->scene->step.settle) * dt;
    for (int k = 0; k < HALVINGS && !is_modest(w, i, v, dt, most, w->systems + omp_get_thread_num()); k++)
      for (int j = 0; j < s->rod->n; j++) v[j] *= k < HALVINGS - 1 ? 0.5 : 0;
  }
}

void sk_world_damp(skein_world *w, double dt)
{
  double L = longest(w), g = sk_norm(sk_load3(w->env.gravity));
  double c = fmax(L > 0 ? 2 * sqrt(1.5 * g / L) : 0, 6 / w->scene->step.settle), keep = exp(-c * dt);
  for (int i = 0; i < w->strand_count; i++) {
    const skein_rod *rod = w->strands[i].rod;
    for (int k = 0; k < rod->n; k++) rod->v[k] *= keep;
  }
  for (int i = 0; i < w->scene->body_count; i++) {
    sk_body_state *b = w->bodies + i;
    if (w->scene->bodies[i].mode == SK_DYNAMIC) b->v = sk_mul(keep, b->v), b->w = sk_mul(keep, b->w);
  }
}

void sk_world_ease(const skein_world *w, sk_touch *t)
{
  t->mu *= w->scene->step.settle_friction, t->restitution = 0;
}

void sk_world_hurry(const skein_world *w, skein_solve_def *def)
{
  def->tol = fmax(w->scene->step.tol, 1e-4), def->max_sweeps = SK_MIN(def->max_sweeps, 80);
}

/* How far from a held root the place is: nothing is moved far there. */
static double lever(const skein_world *w, int object, double s)
{
  if (!sk_is_rod(w, object)) return w->scene->bodies[object - w->strand_count].mode == SK_DYNAMIC ? HUGE_VAL : 0;
  return w->strands[object].rod->def.root == SKEIN_FREE ? HUGE_VAL : s;
}

double sk_world_opening(const skein_world *w, const sk_touch *t, double overlap, double dt)
{
  double arm = fmax(lever(w, t->a, t->sa), lever(w, t->b, t->sb));
  return fmin(overlap, 0.1 * arm) / fmax(5 * dt, 0.05 * w->scene->step.settle);
}

/* Beside the roots of two rods that are held on top of each other. */
bool sk_world_tangled(const skein_world *w, const sk_touch *t)
{
  if (!(w->scene->step.settle > 0) || !sk_is_rod(w, t->b) || t->a == t->b) return false;
  const sk_strand *a = w->strands + t->a, *b = w->strands + t->b;
  double radii = a->radius + b->radius;
  if (a->rod->def.root == SKEIN_FREE || b->rod->def.root == SKEIN_FREE || fmax(t->sa, t->sb) > 5 * radii) return false;
  return sk_norm(sk_sub(sk_load3(a->rod->x + SK_ROOT), sk_load3(b->rod->x + SK_ROOT))) < radii;
}
