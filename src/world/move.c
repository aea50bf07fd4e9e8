/* Where everything goes with its new velocities: the state next. */
#include "world/world.h"

#include <string.h>

static skein_status move_rod(sk_attempt *w, int i, sk_rod_system *sys)
{
  sk_rod_part *p = w->rods + i;
  double *x = w->next->x + p->is->x, *v = w->next->v + p->is->v;
  if (sk_asleep(w->next, i)) {
    memcpy(x, p->x, sizeof *x * (size_t)p->rod->nx), memcpy(v, p->v, sizeof *v * (size_t)p->rod->n);
    return sk_ok();
  }
  sk_rod_step step = {p->rod, p->x, p->v, &p->drive, &w->live->env, w->plan.dt, w->model->scene->step.theta};
  return sk_rod_advance(&step, w->v + p->is->v, x, v, sys);
}

/* x moves by the mean of the velocities, as theta weighs them; those after it are in next. */
static void move_body(sk_attempt *w, int i)
{
  const sk_body_motion *before = w->bodies + i;
  sk_body_state *b = w->next->body + i;
  double theta = w->model->scene->step.theta, dt = w->plan.dt;
  sk_body_mode mode = w->model->scene->bodies[i].mode;
  b->pose = mode == SK_PRESCRIBED ? before->next : before->pose;
  if (mode != SK_DYNAMIC || sk_asleep(w->next, w->model->rod_count + i)) return;
  sk_vec3 v = sk_add(sk_mul(theta, b->v), sk_mul(1 - theta, before->v));
  sk_vec3 spin = sk_add(sk_mul(theta, b->w), sk_mul(1 - theta, before->w));
  b->pose.r = sk_axpy(b->pose.r, dt, v);
  b->pose.q = sk_quat_unit(sk_quat_mul(sk_quat_rotation(sk_mul(dt, spin)), b->pose.q));
}

skein_status sk_attempt_move(sk_attempt *w)
{
  skein_status s = sk_for_rods(w, move_rod);
  for (int i = 0; i < w->model->scene->body_count && s.code == SKEIN_OK; i++) move_body(w, i);
  return s;
}
