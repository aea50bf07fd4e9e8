/* The rods before contact: A v = b (rod.h), and how far each might go. */
#include "world/world.h"

#include <string.h>

/* A, b, and the free velocity: where the rod goes if it touches nothing. */
static skein_status predict_rod(sk_attempt *w, int i, sk_rod_system *sys)
{
  sk_rod_part *p = w->rods + i;
  double *v = w->v + p->is->v, dt = w->plan.dt;
  if (sk_asleep(w->next, i)) {
    memset(v, 0, sizeof(double) * (size_t)p->rod->n);
    return sk_ok();
  }
  sk_rod_step step = {p->rod, p->x, p->v, &p->drive, &w->live->env, dt, w->model->scene->step.theta};
  skein_status s = sk_rod_assemble(&step, p->A, p->b, sys);
  if (s.code == SKEIN_OK) sk_live_pull(w, i, sys);
  return s.code == SKEIN_OK ? sk_rod_solve(p->rod, dt, p->A, p->b, v, sys) : s;
}

skein_status sk_attempt_predict(sk_attempt *w)
{
  return sk_for_rods(w, predict_rod);
}
