/* The one-step problem of the world: what it is in, and its mass.
 *
 *     M v = f + H' r,   u = H v + u_f,   (r, u) in Coulomb's law at every contact
 *
 * M: the rods' A and the bodies' inertia; f: the rods' b, the bodies' m v + dt (weight, gyroscopic torque). H and u_f
 * are in rows.c. */
#include "world/world.h"

#include <string.h>

/* ---- Numbering ---- */

bool sk_is_dynamic(const sk_attempt *w, int object)
{
  return !sk_is_rod(w, object) && w->model->scene->bodies[object - w->model->rod_count].mode == SK_DYNAMIC;
}

static void mark(sk_attempt *w, int object)
{
  if (sk_is_rod(w, object)) w->rods[object].dof = 0;
  else if (sk_is_dynamic(w, object)) w->linear.body_dof[object - w->model->rod_count] = 0;
}

/* Sides that are pushed along the axis of a straight rod have a dof of their own (rod/axial.c), after the others. */
static int number_axial(sk_attempt *w, int dofs)
{
  for (int k = 0; k < w->found.contacts.count; k++) {
    const sk_contact *t = w->found.contacts.at + k;
    sk_row *row = w->linear.rows + k;
    const sk_rod_part *a = sk_is_rod(w, t->a) ? w->rods + t->a : NULL, *b = sk_is_rod(w, t->b) ? w->rods + t->b : NULL;
    bool first = a && sk_rod_is_axial(a->rod, a->x, t->sa, t->point_a, t->frame[0]);
    bool second = b && sk_rod_is_axial(b->rod, b->x, t->sb, t->point_b, t->frame[0]);
    row->axial = first ? 1 : second ? 2 : 0;
    row->axial_dof = row->axial ? dofs++ : -1;
  }
  return dofs;
}

/* Dofs of what touches something, in order. */
static int number_dofs(sk_attempt *w)
{
  int dofs = 0;
  for (int i = 0; i < w->model->rod_count; i++) w->rods[i].dof = -1;
  for (int i = 0; i < w->model->scene->body_count; i++) w->linear.body_dof[i] = -1;
  for (int k = 0; k < w->found.contacts.count; k++)
    mark(w, w->found.contacts.at[k].a), mark(w, w->found.contacts.at[k].b);
  for (int i = 0; i < w->model->rod_count; i++)
    if (w->rods[i].dof == 0) w->rods[i].dof = dofs, dofs += w->rods[i].rod->n;
  for (int i = 0; i < w->model->scene->body_count; i++)
    if (w->linear.body_dof[i] == 0) w->linear.body_dof[i] = dofs, dofs += 6;
  return number_axial(w, dofs);
}

/* ---- M and f ---- */

static skein_status allocate(sk_attempt *w, int dofs)
{
  skein_problem *p = &w->linear.problem;
  int n = w->found.contacts.count;
  *p = (skein_problem){.form = SKEIN_GLOBAL, .d = 3, .contacts = n, .dofs = dofs};
  p->M.rows = p->M.cols = dofs, p->H.rows = 3 * n, p->H.cols = dofs;
  p->M.start = SK_NEW(&w->work.arena, dofs + 1, int64_t),
  p->H.start = SK_NEW(&w->work.arena, 3 * (size_t)n + 1, int64_t);
  p->mu = SK_NEW(&w->work.arena, n, double), p->f = SK_NEW(&w->work.arena, dofs, double);
  p->u_f = SK_NEW(&w->work.arena, 3 * (size_t)n, double);
  w->linear.solution =
      (skein_solution){SK_NEW(&w->work.arena, 3 * (size_t)n, double), SK_NEW(&w->work.arena, 3 * (size_t)n, double),
                       SK_NEW(&w->work.arena, dofs, double)};
  w->linear.guess = SK_NEW(&w->work.arena, 3 * (size_t)n, double);
  return w->work.arena.failed ? sk_no_memory() : sk_ok();
}

skein_status sk_allocate_entries(sk_attempt *w, skein_csr *A)
{
  for (int i = 0; i < A->rows; i++) A->start[i + 1] += A->start[i];
  A->col = SK_NEW_RAW(&w->work.arena, A->start[A->rows], int),
  A->val = SK_NEW_RAW(&w->work.arena, A->start[A->rows], double);
  return w->work.arena.failed ? sk_no_memory() : sk_ok();
}

static void fill_rod_mass(const sk_attempt *w, const sk_rod_part *s)
{
  const sk_rod *rod = s->rod;
  const skein_csr *M = &w->linear.problem.M;
  for (int i = 0; i < rod->n; i++) {
    int64_t at = M->start[s->dof + i];
    for (int j = SK_MAX(0, i - rod->kd); j <= SK_MIN(rod->n - 1, i + rod->kd); j++, at++)
      M->col[at] = s->dof + j, M->val[at] = s->A[sk_band_at(rod->kd, i, j)];
  }
  memcpy(w->linear.problem.f + s->dof, s->b, sizeof(double) * (size_t)rod->n);
}

/* m v, and the inertia I = R I_0 R' with the gyroscopic torque - w x I w. */
static void fill_body_mass(const sk_attempt *w, int body)
{
  double dt = w->plan.dt;
  const skein_csr *M = &w->linear.problem.M;
  const sk_scene_body *b = w->model->scene->bodies + body;
  const sk_body_motion *at = w->bodies + body;
  int dof = w->linear.body_dof[body];
  sk_mat3 I = sk_body_inertia(w->model, body, &at->pose);
  sk_vec3 Iw = sk_apply(I, at->w);
  double entries[9];
  sk_store33(entries, I);
  for (int i = 0; i < 6; i++) {
    int64_t k = M->start[dof + i];
    if (i < 3) M->col[k] = dof + i, M->val[k] = b->mass;
    for (int j = 0; i >= 3 && j < 3; j++)
      M->col[k + j] = dof + 3 + j, M->val[k + j] = 0.5 * (entries[3 * j + i - 3] + entries[3 * (i - 3) + j]);
  }
  sk_store3(w->linear.problem.f + dof, sk_mul(b->mass, sk_axpy(at->v, dt, sk_load3(w->live->env.gravity))));
  sk_store3(w->linear.problem.f + dof + 3, sk_axpy(Iw, -dt, sk_cross(at->w, Iw)));
}

/* Entries per row. */
static void count_mass(sk_attempt *w)
{
  int64_t *start = w->linear.problem.M.start;
  for (int i = 0; i < w->model->rod_count; i++) {
    const sk_rod_part *s = w->rods + i;
    for (int k = 0; s->dof >= 0 && k < s->rod->n; k++)
      start[s->dof + k + 1] = 1 + SK_MIN(k, s->rod->kd) + SK_MIN(s->rod->n - 1 - k, s->rod->kd);
  }
  for (int i = 0; i < w->model->scene->body_count; i++)
    for (int k = 0; w->linear.body_dof[i] >= 0 && k < 6; k++) start[w->linear.body_dof[i] + k + 1] = k < 3 ? 1 : 3;
  for (int k = 0; k < w->found.contacts.count; k++)
    if (w->linear.rows[k].axial) start[w->linear.rows[k].axial_dof + 1] = 1;
}

static void fill_axial_mass(sk_attempt *w, int k)
{
  const sk_contact *t = w->found.contacts.at + k;
  const sk_row *row = w->linear.rows + k;
  const skein_csr *M = &w->linear.problem.M;
  if (!row->axial) return;
  const sk_rod *rod = w->rods[row->axial == 1 ? t->a : t->b].rod;
  int64_t at = M->start[row->axial_dof];
  M->col[at] = row->axial_dof;
  M->val[at] = sk_rod_axial_mass(rod, row->axial == 1 ? t->sa : t->sb, w->plan.dt, w->model->scene->step.theta);
}

static skein_status fill_mass(sk_attempt *w)
{
  count_mass(w);
  skein_status s = sk_allocate_entries(w, &w->linear.problem.M);
  if (s.code != SKEIN_OK) return s;
  for (int k = 0; k < w->found.contacts.count; k++) fill_axial_mass(w, k);
#pragma omp parallel for num_threads(sk_team(w, w->model->rod_count, 64)) schedule(dynamic, 16)
  for (int i = 0; i < w->model->rod_count; i++)
    if (w->rods[i].dof >= 0) fill_rod_mass(w, w->rods + i);
  for (int i = 0; i < w->model->scene->body_count; i++)
    if (w->linear.body_dof[i] >= 0) fill_body_mass(w, i);
  return s;
}

skein_status sk_attempt_assemble(sk_attempt *w)
{
  w->linear.rows = SK_NEW(&w->work.arena, w->found.contacts.count, sk_row);
  if (!w->linear.rows) return sk_no_memory();
  skein_status s = allocate(w, number_dofs(w));
  if (s.code == SKEIN_OK) s = fill_mass(w);
  if (s.code == SKEIN_OK) s = sk_fill_contacts(w);
  if (s.code == SKEIN_OK && w->model->scene->step.passive) s = sk_shift_bodies(w);
  if (s.code == SKEIN_OK) sk_count_asked(w);
  else w->linear.problem = (skein_problem){0}; /* half a problem is none */
  return s;
}
