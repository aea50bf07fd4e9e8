/* What gaps and overlaps ask of the normal velocity of a contact:
 *
 *     gap / dt                          where the surfaces are apart: they may touch at the end of the step, not before
 *     - min(push, (overlap - slop)/5T)  where they overlap by more than the slop; T: dt, or the scene's longer step
 *                                       where it bears the overlap: a short step is no reason to push harder
 *     e u_N(before)                     where they meet with restitution e
 *
 * The push-out works r_N (u_N before + u_N after)/2, which gives energy where the surfaces part faster than they came
 * together. Passive scenes do not: - min(push, overlap/dt, - u_N before). Then a ball in a bowl goes from chord to
 * chord and keeps its speed. */
#include "world/world.h"

#include <math.h>

/* The radius by which overlaps are judged: that of the thinner side. */
double sk_contact_radius(const sk_attempt *w, const sk_contact *t)
{
  double ra = sk_is_rod(w, t->a) ? w->rods[t->a].radius : HUGE_VAL,
         rb = sk_is_rod(w, t->b) ? w->rods[t->b].radius : HUGE_VAL;
  double r = fmin(ra, rb);
  if (isfinite(r)) return r;
  const sk_shape *a = sk_shape_now(w, t->a - w->model->rod_count), *b = sk_shape_now(w, t->b - w->model->rod_count);
  sk_vec3 lo, hi, size[2] = {{HUGE_VAL, 0, 0}, {HUGE_VAL, 0, 0}};
  const sk_shape *both[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    if (both[k]->kind == SK_PLANE) continue;
    sk_shape_bounds(both[k], &w->bodies[(k ? t->b : t->a) - w->model->rod_count].pose, &lo, &hi);
    size[k] = sk_sub(hi, lo);
    r = fmin(r, sk_limit.overlap.body * sk_norm(size[k]));
  }
  return r;
}

/* The largest share of its motion that a place of this object has: near a held root the rest of the rod moves faster by
 * (l / s)^2 at least. 0: nothing moves it. */
static double leverage(const sk_attempt *w, int object, double s)
{
  if (!sk_is_rod(w, object)) return sk_is_dynamic(w, object) ? 1 : 0;
  const sk_rod *rod = w->rods[object].rod;
  double share = rod->def.root == SKEIN_FREE ? 1 : s / rod->l;
  return fmin(1, share * share);
}

/* How fast an overlap may be pushed out: with the scene's speed and share of that of the places that touch, for what
 * would be seen in hair at rest is lost in its motion; less where there is leverage, for 3 mm/s at 6 mm from a root
 * throw the whole hair at 2.5 m/s. (What settles has its own measure for that, sk_world_opening.) */
static double push_limit(const sk_attempt *w, const sk_contact *t, double speed)
{
  double lever = sk_settling(w->now) ? 1 : fmax(leverage(w, t->a, t->sa), leverage(w, t->b, t->sb));
  return lever * (w->model->scene->step.push + w->model->scene->step.push_share * speed);
}

/* speed: of the faster of the two places. */
double sk_gap_velocity(const sk_attempt *w, const sk_contact *t, const sk_row *row, double speed)
{
  const sk_scene_step *step = &w->model->scene->step;
  double dt = w->plan.dt, radius = sk_contact_radius(w, t);
  double overlap = -t->gap - step->slop * radius, closing = -row->approach * dt;
  double slow = 2 * sk_norm(sk_load3(w->live->env.gravity)) * dt;
  if (t->restitution > 0 && row->approach < -slow && t->gap < closing) return t->restitution * row->approach;
  if (t->gap >= 0) return t->gap / dt;
  if (step->passive) return overlap > 0 ? -fmax(0, fmin(fmin(step->push, overlap / dt), -row->approach)) : 0;
  double T = -t->gap < step->overlap * radius ? fmax(dt, step->dt) : dt;
  double opening = sk_settling(w->now) ? sk_settle_opening(w, t, overlap) : sk_limit.overlap.opens * overlap / T;
  return overlap > 0 && !w->plan.gentle ? -fmin(push_limit(w, t, speed), opening) : 0;
}

/* The dynamic body of a touch with what no contact moves that has an offset and closes in this step, or -1. side: 1 for
 * a, -1 for b. */
static int shifted_body(const sk_attempt *w, int k, double *side)
{
  const sk_contact *t = w->found.contacts.at + k;
  double dt = w->plan.dt;
  bool a = sk_is_dynamic(w, t->a), b = sk_is_dynamic(w, t->b);
  double fall = sk_norm(sk_load3(w->live->env.gravity)) * dt;
  if (a == b || sk_is_rod(w, t->a) || sk_is_rod(w, t->b)) return -1;
  if (t->gap > (fall + fmax(0, -w->linear.rows[k].approach)) * dt) return -1;
  *side = a ? 1 : -1;
  return (a ? t->a : t->b) - w->model->rod_count;
}

/* Passive scenes: what the gaps of a body ask for is a translation c, the least with n . c = - offset at its contacts,
 * and friction is about the velocity beside c. Else a ball in a groove could not move to both sides and stick to them.
 */
skein_status sk_shift_bodies(sk_attempt *w)
{
  double *u_f = w->linear.problem.u_f, side;
  sk_mat3 *A = SK_NEW(&w->work.arena, w->model->scene->body_count, sk_mat3);
  sk_vec3 *c = SK_NEW(&w->work.arena, w->model->scene->body_count, sk_vec3);
  if (w->work.arena.failed) return sk_no_memory();
  for (int k = 0; k < w->found.contacts.count; k++) {
    const sk_contact *t = w->found.contacts.at + k;
    int i = shifted_body(w, k, &side);
    if (i < 0) continue;
    sk_vec3 n = sk_mul(side, t->frame[0]);
    c[i] = sk_axpy(c[i], -w->linear.rows[k].offset, n);
    A[i].c[0] = sk_axpy(A[i].c[0], n.x, n), A[i].c[1] = sk_axpy(A[i].c[1], n.y, n);
    A[i].c[2] = sk_axpy(A[i].c[2], n.z, n);
  }
  for (int i = 0; i < w->model->scene->body_count; i++) {
    A[i].c[0].x += 1e-9, A[i].c[1].y += 1e-9, A[i].c[2].z += 1e-9;
    c[i] = sk_solve3(A[i], c[i]);
  }
  for (int k = 0; k < w->found.contacts.count; k++) {
    const sk_contact *t = w->found.contacts.at + k;
    sk_row *row = w->linear.rows + k;
    int i = shifted_body(w, k, &side);
    if (i < 0) continue;
    double normal = -side * sk_dot(t->frame[0], c[i]); /* to the last bit that of c, where c is all that it asks for */
    if (fabs(normal - row->offset) <= 1e-6 * sk_norm(c[i])) u_f[3 * k] += normal - row->offset, row->offset = normal;
    for (int j = 0; j < 2; j++)
      row->shift[j] = -side * sk_dot(t->frame[j + 1], c[i]), u_f[3 * k + 1 + j] += row->shift[j];
  }
  return sk_ok();
}

/* How many contacts ask for what there need not be. */
void sk_count_asked(sk_attempt *w)
{
  w->linear.pushed = w->linear.arched = 0;
  for (int k = 0; k < w->found.contacts.count; k++) {
    const sk_contact *t = w->found.contacts.at + k;
    double most = sk_limit.arcs.slight * sk_contact_radius(w, t) / w->plan.dt, miss = sk_norm(t->miss);
    if (t->gap < 0 && w->linear.rows[k].offset < 0) w->linear.pushed++;
    if (miss > most) w->linear.arched++;
  }
}
