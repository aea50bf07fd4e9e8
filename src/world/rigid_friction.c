/* Friction in a step that enforces distances. The note of Sauer and Schoemer has normal forces only; here Coulomb's law
 * is solved in velocities, with the distances at the end of the step, linear about the trial poses, in the normal row:
 *
 *     M v = M u_free + H' r,   u_N = delta'/dt + n' J (v - u'),   u_T = the slip,   (r, u) in C(mu)
 *
 * again and again about the poses that it leads to. When these stay, its tangential impulses are given to the normal
 * problem, whose method has the last word on the distances. */
#include "world/rigid.h"

#include <math.h>

bool sk_rigid_is_rough(const sk_rigid *r)
{
  for (int k = 0; k < r->w->model->scene->group_count * r->w->model->scene->group_count; k++)
    if (r->w->live->mu[k] > 0) return true;
  return false;
}

/* The normal, and tangents that do not depend on anything else. */
static sk_vec3 axis(const sk_grip *g, int c)
{
  sk_vec3 t = sk_perpendicular(g->place.n);
  return c == 0 ? g->place.n : c == 1 ? t : sk_cross(g->place.n, t);
}

static skein_status allocate(sk_rigid *r, skein_problem *p, skein_solution *solution)
{
  sk_arena *arena = &r->w->work.arena;
  size_t n = 3 * (size_t)r->count, m = (size_t)r->dofs;
  *p = (skein_problem){.form = SKEIN_GLOBAL, .d = 3, .contacts = r->count, .dofs = r->dofs};
  p->M.rows = p->M.cols = r->dofs, p->H.rows = 3 * r->count, p->H.cols = r->dofs;
  p->M.start = SK_NEW(arena, m + 1, int64_t), p->H.start = SK_NEW(arena, n + 1, int64_t);
  p->M.col = SK_NEW(arena, 3 * m, int), p->M.val = SK_NEW(arena, 3 * m, double);
  p->H.col = SK_NEW(arena, 12 * n, int), p->H.val = SK_NEW(arena, 12 * n, double);
  p->mu = SK_NEW(arena, r->count, double), p->f = SK_NEW(arena, m, double), p->u_f = SK_NEW(arena, n, double);
  *solution = (skein_solution){SK_NEW(arena, n, double), SK_NEW(arena, n, double), SK_NEW(arena, m, double)};
  return arena->failed ? sk_no_memory() : sk_ok();
}

static void fill_mass(const sk_rigid *r, skein_problem *p)
{
  int64_t at = 0;
  for (int i = 0; i < r->bodies; i++) {
    int dof = r->dof[i];
    if (dof < 0) continue;
    double m = r->w->model->scene->bodies[i].mass, entries[9];
    sk_mat3 I = sk_body_inertia(r->w->model, i, &r->w->bodies[i].pose);
    sk_store33(entries, I);
    for (int c = 0; c < 6; c++) {
      if (c < 3) p->M.col[at] = dof + c, p->M.val[at++] = m;
      for (int k = 0; c >= 3 && k < 3; k++)
        p->M.col[at] = dof + 3 + k, p->M.val[at++] = 0.5 * (entries[3 * k + c - 3] + entries[3 * (c - 3) + k]);
      p->M.start[dof + c + 1] = at;
    }
    sk_store3(p->f + dof, sk_mul(m, sk_load3(r->motion.free + dof)));
    sk_store3(p->f + dof + 3, sk_apply(I, sk_load3(r->motion.free + dof + 3)));
  }
}

/* Rows of one grip; what is prescribed goes into u_f. */
static void fill_grip(const sk_rigid *r, skein_problem *p, int k, int64_t *at)
{
  const sk_grip *g = r->at + k;
  for (int c = 0; c < 3; c++) {
    int row = 3 * k + c;
    for (int side = 0; side < 2; side++) {
      int body = side ? g->b : g->a, dof = r->dof[body];
      const sk_body_motion *b = r->w->bodies + body;
      sk_vec3 e = sk_mul(side ? -1 : 1, axis(g, c)), m = sk_cross(g->rows.arm[side], e);
      double entries[6] = {e.x, e.y, e.z, m.x, m.y, m.z};
      if (dof < 0 && c > 0) p->u_f[row] += sk_dot(e, b->v) + sk_dot(m, b->w);
      for (int j = 0; dof >= 0 && j < 6; j++) p->H.col[*at] = dof + j, p->H.val[(*at)++] = entries[j];
    }
    p->H.start[row + 1] = *at;
  }
  p->u_f[3 * k] = g->place.distance / r->dt - sk_rigid_speed(r, g, r->motion.u);
  p->mu[k] = fmax(g->mu, 0);
}

skein_status sk_rigid_rub(sk_rigid *r, bool *converged)
{
  const sk_scene_step *step = &r->w->model->scene->step;
  skein_problem p;
  skein_solution solution;
  skein_solve_def def = skein_default_solve_def();
  skein_solve_info info;
  int64_t at = 0;
  *converged = true;
  if (r->count == 0) return sk_ok();
  skein_status s = allocate(r, &p, &solution);
  if (s.code != SKEIN_OK) return s;
  fill_mass(r, &p);
  for (int k = 0; k < r->count; k++) {
    const sk_grip *g = r->at + k;
    fill_grip(r, &p, k, &at);
    solution.r[3 * k] = g->force.press;
    for (int c = 1; c < 3; c++) solution.r[3 * k + c] = sk_dot(g->force.drag, axis(g, c));
  }
  def.method = step->method, def.local = step->local, def.failsafe = step->failsafe;
  def.tol = fmin(step->tol_rest, sk_limit.distances.friction), def.local_tol = sk_limit.solve.local * def.tol;
  def.stop = sk_solver_stop(r->w), def.max_seconds = step->max_seconds, def.threads = r->w->work.threads,
  def.warm_start = true;
  if (step->max_sweeps > 0) def.max_sweeps = step->max_sweeps;
  s = skein_solve(&p, &def, &solution, &info);
  if (s.code != SKEIN_OK) return s;
  for (int k = 0; k < r->count; k++) {
    sk_grip *g = r->at + k;
    const double *x = solution.r + 3 * k;
    g->force.f = g->force.press = x[0], g->force.drag = sk_add(sk_mul(x[1], axis(g, 1)), sk_mul(x[2], axis(g, 2)));
  }
  *converged = info.converged;
  r->w->linear.problem = p, r->w->linear.solution = solution;
  return s;
}
