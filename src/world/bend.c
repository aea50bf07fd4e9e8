/* What the linear problem misses. Its unknowns are velocities; a super-helix that changes its curvatures by v dt
 * carries its points along arcs, not by J v dt, and what is missing grows with the square of the step: hair that a head
 * shakes went millimetres into a shoulder, each step solved exactly. So the step is solved again, from its own
 * impulses, with
 *
 *     u = H v + u_f + m,    m = (way over the step of what touches) / dt - (H v + drift of the last solve)
 *
 * Where that comes to rest, the gaps are those of the true motion. */
#include "world/world.h"

#include <math.h>

/* A place of the touch over the step, from where it was: on the true curve of a rod, or with the body. */
static sk_vec3 way_of(const skein_world *w, const sk_touch *t, bool second, double dt)
{
  int object = second ? t->b : t->a, body = object - w->strand_count;
  sk_vec3 from = second ? t->point_b : t->point_a, to;
  if (sk_is_rod(w, object)) {
    const skein_rod *rod = w->strands[object].rod;
    sk_mat3 R;
    rod->ops->pose(rod, rod->x, second ? t->sb : t->sa, &to, &R);
    return sk_sub(to, from);
  }
  if (sk_world_deforms(w, body)) return sk_mul(dt, sk_world_body_velocity(w, body, sk_touch_triangle(w, t), from));
  const sk_pose *p = &w->saved_bodies[body].pose, *q = &w->bodies[body].pose;
  to = sk_add(q->r, sk_apply(sk_quat_frame(q->q), sk_apply_t(sk_quat_frame(p->q), sk_sub(from, p->r))));
  return sk_sub(to, from);
}

/* m of contact k; how far that is from the last, over the step, in radii, where it matters: not where the two stay
 * apart. */
static double miss_of(const skein_world *w, int k, double dt, double *miss)
{
  const sk_touch *t = w->tried.at + k;
  const double *u = w->solution.u + 3 * k;
  if (!sk_is_rod(w, t->a)) return 0;
  sk_vec3 mean = sk_mul(1 / dt, sk_sub(way_of(w, t, false, dt), way_of(w, t, true, dt)));
  for (int c = 0; c < 3; c++) {
    double linear = u[c] - (c == 0 ? t->offset : t->shift[c - 1]) - t->miss[c];
    miss[c] = sk_dot(t->frame[c], mean) - linear;
  }
  double radius = w->strands[t->a].radius, end = t->gap + dt * sk_dot(t->frame[0], mean);
  return end < 0.5 * radius || w->solution.r[3 * k] > 0 ? fabs(miss[0] - t->miss[0]) * dt / radius : 0;
}

skein_status sk_world_correct(skein_world *w, double dt, bool *again)
{
  double worst = 0, *miss = SK_NEW(&w->arena, 3 * (size_t)w->tried.count, double);
  *again = false;
  if (!miss) return sk_no_memory();
#pragma omp parallel for num_threads(sk_world_team(w, w->tried.count, 64)) schedule(static, 64) reduction(max : worst)
  for (int k = 0; k < w->tried.count; k++) worst = fmax(worst, miss_of(w, k, dt, miss + 3 * (size_t)k));
  if (!(worst > 0.1 * w->scene->step.overlap)) return sk_ok();
  for (int i = 0; i < 3 * w->tried.count; i++) {
    double *last = w->tried.at[i / 3].miss + i % 3;
    w->problem.u_f[i] += miss[i] - *last, *last = miss[i];
  }
  *again = true;
  return sk_ok();
}
