/* What the linear problem misses. Its unknowns are velocities; a super-helix that changes its curvatures by v dt
 * carries its points along arcs, not by J v dt, and what is missing grows with the square of the step: hair that a head
 * shakes went millimetres into a shoulder, each step solved exactly. So the step is solved again, from its own
 * impulses, with
 *
 *     u = H v + u_f + m,    m = (way over the step of what touches) / dt - (H v + drift of the last solve)
 *
 * Where that comes to rest, the gaps are those of the true motion. A contact hands its m on to the next step, which
 * begins with it: hair that swings steadily needs no second solve. A second solve that finds no answer is dropped.
 * m is at most a radius per step: what turns faster than that (a strand that untwists at 250 rad/s had 5 m/s) is no arc
 * that the next step continues, and asking for it throws hair about. */
#include "world/world.h"

#include <math.h>
#include <string.h>

/* The way of a place of the contact over the step: on the true curve of a rod, or with the body. */
static sk_vec3 way_of(const sk_attempt *w, const sk_contact *t, bool second)
{
  int object = second ? t->b : t->a, body = object - w->model->rod_count;
  sk_vec3 from = second ? t->point_b : t->point_a;
  if (sk_is_rod(w, object)) return sk_sub(sk_curve_point(w, &w->search.after, object, second ? t->sb : t->sa), from);
  if (sk_surface_deforms(w->surfaces, body))
    return sk_mul(w->plan.dt, sk_body_velocity(w, body, sk_contact_triangle(w, t), from));
  const sk_pose *p = &w->now->body[body].pose, *q = &w->next->body[body].pose;
  sk_vec3 to = sk_add(q->r, sk_apply(sk_quat_frame(q->q), sk_apply_t(sk_quat_frame(p->q), sk_sub(from, p->r))));
  return sk_sub(to, from);
}

static sk_vec3 at_most(sk_vec3 a, double most)
{
  double size = sk_norm(a);
  return size > most ? sk_mul(most / size, a) : a;
}

/* m of contact k; how far that is from the last, over the step, in radii, where it matters: not where the two stay
 * apart. */
static double miss_of(const sk_attempt *w, int k, sk_vec3 *miss)
{
  const sk_row *row = w->linear.rows + k;
  double dt = w->plan.dt;
  const sk_contact *t = w->found.contacts.at + k;
  const double *u = w->linear.solution.u + 3 * k;
  if (!sk_is_rod(w, t->a)) return 0;
  sk_vec3 way = sk_sub(way_of(w, t, false), way_of(w, t, true));
  sk_vec3 mean = sk_mul(1 / dt, way), more = mean;
  for (int c = 0; c < 3; c++) more = sk_axpy(more, (c == 0 ? row->offset : row->shift[c - 1]) - u[c], t->frame[c]);
  double radius = w->rods[t->a].radius;
  *miss = at_most(sk_add(t->miss, more), radius / dt), more = sk_sub(*miss, t->miss);
  double end = t->gap + dt * sk_dot(t->frame[0], mean);
  return end < sk_limit.arcs.near * radius || w->linear.solution.r[3 * k] > 0
             ? fabs(sk_dot(t->frame[0], more)) * dt / radius
             : 0;
}

/* The solution as it is, for sk_attempt_uncorrect. */
static skein_status keep(sk_attempt *w)
{
  size_t rows = 3 * (size_t)w->found.contacts.count, dofs = (size_t)w->linear.problem.dofs;
  double *all = SK_NEW_RAW(&w->work.arena, 3 * rows + dofs, double);
  if (!all) return sk_no_memory();
  w->linear.uncorrected = (skein_solution){all, all + rows, all + 2 * rows},
  w->linear.u_f_before = all + 2 * rows + dofs;
  memcpy(w->linear.uncorrected.r, w->linear.solution.r, rows * sizeof *all);
  memcpy(w->linear.uncorrected.u, w->linear.solution.u, rows * sizeof *all);
  memcpy(w->linear.uncorrected.v, w->linear.solution.v, dofs * sizeof *all);
  memcpy(w->linear.u_f_before, w->linear.problem.u_f, rows * sizeof *all);
  return sk_ok();
}

void sk_attempt_uncorrect(sk_attempt *w)
{
  size_t rows = 3 * (size_t)w->found.contacts.count;
  memcpy(w->linear.solution.r, w->linear.uncorrected.r, rows * sizeof(double));
  memcpy(w->linear.solution.u, w->linear.uncorrected.u, rows * sizeof(double));
  memcpy(w->linear.solution.v, w->linear.uncorrected.v, (size_t)w->linear.problem.dofs * sizeof(double));
  memcpy(w->linear.problem.u_f, w->linear.u_f_before, rows * sizeof(double));
}

/* Where the elements of a rod that touches something begin after the step. */
static void fill_frames(sk_attempt *w, const sk_rod_part *p)
{
  if (p->dof >= 0) sk_rod_frames(p->rod, w->search.after.x + p->is->x, w->search.after.frames + p->first_frame);
}

skein_status sk_attempt_correct(sk_attempt *w, bool *again)
{
  double worst = 0;
  int count = w->found.contacts.count, rods = w->model->rod_count;
  sk_vec3 *miss = SK_NEW(&w->work.arena, count, sk_vec3);
  *again = false;
  if (w->work.arena.failed) return sk_no_memory();
#pragma omp parallel for num_threads(sk_team(w, rods, 64)) schedule(static, 64)
  for (int i = 0; i < rods; i++) fill_frames(w, w->rods + i);
#pragma omp parallel for num_threads(sk_team(w, count, 64)) schedule(static, 64) reduction(max : worst)
  for (int k = 0; k < count; k++) worst = fmax(worst, miss_of(w, k, miss + k));
  *again = worst > sk_limit.arcs.again * w->model->scene->step.overlap;
  skein_status s = *again ? keep(w) : sk_ok();
  for (int k = 0; k < count; k++) {
    sk_contact *t = w->found.contacts.at + k;
    sk_vec3 more = sk_sub(miss[k], t->miss);
    for (int c = 0; *again && c < 3; c++) w->linear.problem.u_f[3 * k + c] += sk_dot(t->frame[c], more);
    t->miss = miss[k];
  }
  return s;
}
