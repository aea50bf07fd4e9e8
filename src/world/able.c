/* The speed that a motion could have reached by now: what falls from the highest place to the lowest, beside what turns
 * and moves fastest, with what the start and the springs of the rods had. A bound that does not go by the motion
 * itself:
 *
 *     v = sqrt(2 g (drop + L)) + drive,   drive = max (|v| + |w| (size + L) + surface) over ends and bodies, and the
 *                                                 largest |v| + sqrt(2 E / m) at the start
 *
 * with the length L of the longest rod or the largest body.
 *
 * Loads and pulls may give any speed: then it is not known. */
#include "world/world.h"

#include <math.h>

/* m: of a body that moves; a plane has no size that counts. */
static double size_of(const sk_model *m, int body)
{
  double size = sk_model_body_size(m, body);
  return isfinite(size) ? size : 0;
}

static void see_height(sk_able *a, sk_vec3 down, sk_vec3 r)
{
  double depth = sk_dot(down, r);
  if (isfinite(depth)) a->lowest = fmax(a->lowest, depth), a->highest = fmin(a->highest, depth);
}

sk_able sk_able_start(const sk_model *m, const sk_live *live, const sk_state *s)
{
  sk_able a = {.highest = HUGE_VAL, .lowest = -HUGE_VAL};
  for (int i = 0; i < m->rod_count; i++) {
    const sk_model_rod *p = m->rods + i;
    sk_rod_drive drive = {0};
    sk_rod_stay(s->x + p->x, &drive);
    sk_rod_input in = sk_rod_input_make(&drive, &live->env, true, false);
    skein_rod_energy e = p->rod->ops->energy(p->rod, s->x + p->x, s->v + p->v, &in);
    a.drive = fmax(a.drive, sqrt(2 * (e.kinetic + e.elastic) / sk_model_mass(m, i)));
  }
  for (int i = 0; i < m->scene->body_count; i++)
    a.drive = fmax(a.drive, sk_norm(s->body[i].v) + sk_norm(s->body[i].w) * size_of(m, i));
  return a;
}

void sk_able_see(sk_attempt *w)
{
  sk_able *a = &w->next->able;
  const sk_model *m = w->model;
  double g = sk_norm(sk_load3(w->live->env.gravity)), L = sk_model_longest(m, w->now);
  sk_vec3 down = g > 0 ? sk_mul(1 / g, sk_load3(w->live->env.gravity)) : sk_vec(0, 0, 0);
  if (w->live->pull_count > 0) a->drive = HUGE_VAL; /* and what it gave stays */
  for (int i = 0; i < m->scene->body_count; i++) {
    const sk_body_motion *b = w->bodies + i;
    bool driven = m->scene->bodies[i].mode == SK_PRESCRIBED;
    if (driven) a->drive = fmax(a->drive, sk_norm(b->v) + sk_norm(b->w) * (size_of(m, i) + L) + sk_surface_speed(w, i));
    if (m->scene->bodies[i].mode == SK_DYNAMIC) see_height(a, down, w->now->body[i].pose.r);
  }
  for (int i = 0; i < m->rod_count; i++) {
    const sk_rod_part *p = w->rods + i;
    const sk_motion *ends[2] = {&p->drive.root, &p->drive.tip};
    for (int k = 0; k < 2; k++) a->drive = fmax(a->drive, sk_norm(ends[k]->v) + sk_norm(ends[k]->w) * L);
    if (!w->search.pieces) continue; /* all sleeps */
    const sk_vec3 *r = w->search.before.points + p->first + i;
    see_height(a, down, r[0]), see_height(a, down, r[p->pieces * p->rod->def.elements]);
  }
}

double sk_able_speed(const sk_attempt *w)
{
  const sk_able *a = &w->next->able;
  const sk_model *m = w->model;
  if (m->scene->force_count > 0) return HUGE_VAL;
  double g = sk_norm(sk_load3(w->live->env.gravity)), drop = fmax(0, a->lowest - a->highest);
  return sqrt(2 * g * (drop + sk_model_longest(m, w->now))) + a->drive + sk_norm(sk_load3(w->live->env.wind));
}
