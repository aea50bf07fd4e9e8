/* The error of an impulse over all contacts, straight from the problem as it was given: it knows no solver, no block
 * form and no whitening. */
#include "friction/solver.h"

#include <math.h>
#include <string.h>

/* U = max |b|_inf and w = mean trace(W_ii)/d of a reduced problem. */
static sk_scale reduced_scale(const skein_problem *p)
{
  sk_scale scale = {0, 0};
  int d = p->d;
  for (int i = 0; i < d * p->contacts; i++) {
    scale.U = fmax(scale.U, fabs(p->b[i]));
    for (int64_t k = p->W.start[i]; k < p->W.start[i + 1]; k++)
      if (p->W.col[k] == i) scale.w += p->W.val[k] / (d * p->contacts);
  }
  if (!(scale.U > 0)) scale.U = 1;
  if (!(scale.w > 0)) scale.w = 1;
  return scale;
}

/* The same of a global problem: b = u_f + H M^-1 f, and the diagonal of H M^-1 H'. */
static sk_scale global_scale(const skein_problem *p, const sk_objects *o, double *work)
{
  sk_scale scale = {0, 0};
  for (int i = 0; i < p->d * p->contacts; i++) {
    double b = p->u_f[i];
    for (int64_t k = p->H.start[i]; k < p->H.start[i + 1]; k++) b += p->H.val[k] * o->vf[p->H.col[k]];
    scale.U = fmax(scale.U, fabs(b));
    scale.w += sk_objects_diagonal(o, &p->H, i, work) / (p->d * p->contacts);
  }
  if (!(scale.U > 0)) scale.U = 1;
  if (!(scale.w > 0)) scale.w = 1;
  return scale;
}

static skein_status global_error(const skein_problem *p, const double *r, const sk_error_def *def, skein_error *error,
                                 double *u, double *v)
{
  sk_arena arena = {0};
  sk_objects own = {0};
  const sk_objects *o = def->objects ? def->objects : &own;
  skein_status status = def->objects ? sk_ok() : sk_objects_make(p, def->threads, &arena, &own);
  double *v_own = SK_NEW(&arena, p->dofs, double), *work = SK_NEW(&arena, p->dofs, double);
  if (status.code == SKEIN_OK && arena.failed) status = sk_no_memory();
  if (status.code == SKEIN_OK) status = sk_objects_velocity(o, p, r, v_own);
  if (status.code == SKEIN_OK) {
    memcpy(u, p->u_f, (size_t)p->H.rows * sizeof *u);
    sk_csr_mul_add(&p->H, v_own, 1, u, def->threads);
    sk_scale scale = def->scale ? *def->scale : global_scale(p, o, work);
    *error = sk_law_error(p->d, p->contacts, r, u, p->mu, scale, def->threads);
    if (v) memcpy(v, v_own, (size_t)p->dofs * sizeof *v);
  }
  sk_objects_destroy(&own);
  sk_arena_free(&arena);
  return status;
}

/* u must be there: d n doubles. */
static skein_status error_with(const skein_problem *p, const double *r, const sk_error_def *def, skein_error *error,
                               double *u, double *v)
{
  if (p->form == SKEIN_GLOBAL) return global_error(p, r, def, error, u, v);
  memcpy(u, p->b, (size_t)p->W.rows * sizeof *u);
  sk_csr_mul_add(&p->W, r, 1, u, def->threads);
  *error = sk_law_error(p->d, p->contacts, r, u, p->mu, def->scale ? *def->scale : reduced_scale(p), def->threads);
  return sk_ok();
}

skein_status sk_problem_error(const skein_problem *p, const double *r, const sk_error_def *def, skein_error *error,
                              double *u_out, double *v_out)
{
  *error = (skein_error){.worst = -1};
  sk_arena arena = {0};
  double *u = u_out ? u_out : SK_NEW(&arena, (size_t)p->d * (size_t)p->contacts, double);
  skein_status status = u ? error_with(p, r, def, error, u, v_out) : sk_no_memory();
  sk_arena_free(&arena);
  return status;
}

skein_status skein_problem_error(const skein_problem *p, const double *r, skein_error *error, double *u_out,
                                 double *v_out)
{
  skein_status status = skein_problem_check(p);
  if (status.code) return status;
  return sk_problem_error(p, r, &(sk_error_def){.threads = 1}, error, u_out, v_out);
}
