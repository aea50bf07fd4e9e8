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

/* A place of the touch over the step, from where it was: on the true curve of a rod, or with the body. frames: where
 * elements begin now. */
static sk_vec3 way_of(const skein_world *w, const sk_rod_frame *frames, const sk_touch *t, bool second, double dt)
{
  int object = second ? t->b : t->a, body = object - w->strand_count;
  sk_vec3 from = second ? t->point_b : t->point_a, to;
  if (sk_is_rod(w, object)) {
    const sk_strand *strand = w->strands + object;
    const skein_rod *rod = strand->rod;
    double s = second ? t->sb : t->sa;
    sk_mat3 R;
    if (rod->def.model != SKEIN_SUPER_HELIX) rod->ops->pose(rod, rod->x, s, &to, &R);
    else sk_helix_pose_in(rod, rod->x, frames + strand->first_frame, s, &to, &R);
    return sk_sub(to, from);
  }
  if (sk_world_deforms(w, body)) return sk_mul(dt, sk_world_body_velocity(w, body, sk_touch_triangle(w, t), from));
  const sk_pose *p = &w->saved_bodies[body].pose, *q = &w->bodies[body].pose;
  to = sk_add(q->r, sk_apply(sk_quat_frame(q->q), sk_apply_t(sk_quat_frame(p->q), sk_sub(from, p->r))));
  return sk_sub(to, from);
}

static sk_vec3 at_most(sk_vec3 a, double most)
{
  double size = sk_norm(a);
  return size > most ? sk_mul(most / size, a) : a;
}

/* m of contact k; how far that is from the last, over the step, in radii, where it matters: not where the two stay
 * apart. */
static double miss_of(const skein_world *w, const sk_rod_frame *frames, int k, double dt, sk_vec3 *miss)
{
  const sk_touch *t = w->tried.at + k;
  const double *u = w->solution.u + 3 * k;
  if (!sk_is_rod(w, t->a)) return 0;
  sk_vec3 way = sk_sub(way_of(w, frames, t, false, dt), way_of(w, frames, t, true, dt));
  sk_vec3 mean = sk_mul(1 / dt, way), more = mean;
  for (int c = 0; c < 3; c++) more = sk_axpy(more, (c == 0 ? t->offset : t->shift[c - 1]) - u[c], t->frame[c]);
  double radius = w->strands[t->a].radius;
  *miss = at_most(sk_add(t->miss, more), radius / dt), more = sk_sub(*miss, t->miss);
  double end = t->gap + dt * sk_dot(t->frame[0], mean);
  return end < 0.5 * radius || w->solution.r[3 * k] > 0 ? fabs(sk_dot(t->frame[0], more)) * dt / radius : 0;
}

/* The solution as it is, for sk_world_uncorrect. */
static skein_status keep(skein_world *w)
{
  size_t rows = 3 * (size_t)w->tried.count, dofs = (size_t)w->problem.dofs;
  double *all = SK_NEW_RAW(&w->arena, 3 * rows + dofs, double);
  if (!all) return sk_no_memory();
  w->uncorrected = (skein_solution){all, all + rows, all + 2 * rows}, w->u_f_before = all + 2 * rows + dofs;
  memcpy(w->uncorrected.r, w->solution.r, rows * sizeof *all);
  memcpy(w->uncorrected.u, w->solution.u, rows * sizeof *all);
  memcpy(w->uncorrected.v, w->solution.v, dofs * sizeof *all);
  memcpy(w->u_f_before, w->problem.u_f, rows * sizeof *all);
  return sk_ok();
}

void sk_world_uncorrect(skein_world *w)
{
  size_t rows = 3 * (size_t)w->tried.count;
  memcpy(w->solution.r, w->uncorrected.r, rows * sizeof(double));
  memcpy(w->solution.u, w->uncorrected.u, rows * sizeof(double));
  memcpy(w->solution.v, w->uncorrected.v, (size_t)w->problem.dofs * sizeof(double));
  memcpy(w->problem.u_f, w->u_f_before, rows * sizeof(double));
}

/* Where the elements of a rod that touches something begin now. */
static void fill_frames(const sk_strand *s, sk_rod_frame *frames)
{
  if (s->dof >= 0 && s->rod->def.model == SKEIN_SUPER_HELIX)
    sk_helix_frames(s->rod, s->rod->x, frames + s->first_frame);
}

skein_status sk_world_correct(skein_world *w, double dt, bool *again)
{
  double worst = 0;
  sk_vec3 *miss = SK_NEW(&w->arena, w->tried.count, sk_vec3);
  sk_rod_frame *frames = SK_NEW_RAW(&w->arena, w->frame_count, sk_rod_frame);
  *again = false;
  if (w->arena.failed) return sk_no_memory();
#pragma omp parallel for num_threads(sk_world_team(w, w->strand_count, 64)) schedule(static, 64)
  for (int i = 0; i < w->strand_count; i++) fill_frames(w->strands + i, frames);
#pragma omp parallel for num_threads(sk_world_team(w, w->tried.count, 64)) schedule(static, 64) reduction(max : worst)
  for (int k = 0; k < w->tried.count; k++) worst = fmax(worst, miss_of(w, frames, k, dt, miss + k));
  *again = worst > 0.1 * w->scene->step.overlap;
  skein_status s = *again ? keep(w) : sk_ok();
  for (int k = 0; k < w->tried.count; k++) {
    sk_touch *t = w->tried.at + k;
    sk_vec3 more = sk_sub(miss[k], t->miss);
    for (int c = 0; *again && c < 3; c++) w->problem.u_f[3 * k + c] += sk_dot(t->frame[c], more);
    t->miss = miss[k];
  }
  return s;
}
