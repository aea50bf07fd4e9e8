/* The one-step problem as the caller gives it: shapes, finite numbers, mu >= 0, M symmetric with a positive diagonal.
 * Everything behind the front door relies on these promises and does not check them again. */
#include "friction/fclib_io.h"
#include "friction/friction.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double symmetry_tol = 1e-8; /* of the largest entry of M */

/* Every entry of x is there and finite. */
static skein_status check_vector(const double *x, int64_t count, const char *field)
{
  if (count > 0 && !x)
    return sk_fail(SKEIN_BAD_INPUT, "%s: is missing, expected %lld numbers", field, (long long)count);
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(x[k]))
      return sk_fail(SKEIN_BAD_INPUT, "%s[%lld] is %g, expected a finite number", field, (long long)k, x[k]);
  return sk_ok();
}

static skein_status check_mu(const double *mu, int contacts)
{
  skein_status s = check_vector(mu, contacts, "mu");
  for (int i = 0; i < contacts && s.code == SKEIN_OK; i++)
    if (mu[i] < 0) s = sk_fail(SKEIN_BAD_INPUT, "mu[%d] is %g, expected >= 0", i, mu[i]);
  return s;
}

/* Row i of M - M' is within tol of zero and M_ii > 0; sum and diff are zero before and after. */
static skein_status check_row(const skein_csr *M, const skein_csr *T, int i, double tol, double *sum, double *diff)
{
  skein_status s = sk_ok();
  for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) sum[M->col[k]] += M->val[k], diff[M->col[k]] += M->val[k];
  for (int64_t k = T->start[i]; k < T->start[i + 1]; k++) diff[T->col[k]] -= T->val[k];
  const skein_csr *side[2] = {M, T};
  for (int a = 0; a < 2; a++)
    for (int64_t k = side[a]->start[i]; k < side[a]->start[i + 1]; k++) {
      int j = side[a]->col[k];
      if (s.code == SKEIN_OK && !(fabs(diff[j]) <= tol))
        s = sk_fail(SKEIN_BAD_INPUT, "M: entry (%d, %d) is %g, entry (%d, %d) is %g, expected symmetric", i, j, sum[j],
                    j, i, sum[j] - diff[j]);
    }
  if (s.code == SKEIN_OK && !(sum[i] > 0))
    s = sk_fail(SKEIN_BAD_INPUT, "M: diagonal entry %d is %g, expected > 0", i, sum[i]);
  for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) sum[M->col[k]] = diff[M->col[k]] = 0;
  for (int64_t k = T->start[i]; k < T->start[i + 1]; k++) diff[T->col[k]] = 0;
  return s;
}

/* |M_ij - M_ji| <= 1e-8 max |M|, M_ii > 0; entries that are given twice add up. */
static skein_status check_mass(const skein_csr *M)
{
  skein_csr T = {0};
  double largest = 0, *work = sk_calloc(2 * (size_t)M->rows, sizeof *work);
  skein_status s = work ? sk_csr_transpose(M, &T) : sk_no_memory();
  if (s.code == SKEIN_OK) {
    for (int64_t k = 0; k < M->start[M->rows]; k++) largest = SK_MAX(largest, fabs(M->val[k]));
    for (int i = 0; i < M->rows && s.code == SKEIN_OK; i++)
      s = check_row(M, &T, i, symmetry_tol * largest, work, work + M->rows);
  }
  sk_csr_destroy(&T);
  free(work);
  return s;
}

static skein_status check_reduced(const skein_problem *p)
{
  int size = p->d * p->contacts;
  skein_status s = sk_csr_check(&p->W, size, size, "W");
  if (s.code == SKEIN_OK) s = check_vector(p->b, size, "b");
  return s;
}

static skein_status check_global(const skein_problem *p)
{
  int size = p->d * p->contacts;
  skein_status s = sk_csr_check(&p->M, p->dofs, p->dofs, "M");
  if (s.code == SKEIN_OK) s = sk_csr_check(&p->H, size, p->dofs, "H");
  if (s.code == SKEIN_OK) s = check_vector(p->f, p->dofs, "f");
  if (s.code == SKEIN_OK) s = check_vector(p->u_f, size, "u_f");
  if (s.code == SKEIN_OK) s = check_mass(&p->M);
  return s;
}

/* d is 2 or 3, nothing is negative, d n and every size + 1 fit into an int. */
static skein_status check_sizes(const skein_problem *p)
{
  if (p->form != SKEIN_REDUCED && p->form != SKEIN_GLOBAL)
    return sk_fail(SKEIN_BAD_INPUT, "form is %d, expected SKEIN_REDUCED or SKEIN_GLOBAL", (int)p->form);
  if (p->d != 2 && p->d != 3) return sk_fail(SKEIN_BAD_INPUT, "d is %d, expected 2 or 3", p->d);
  if (p->contacts < 0 || p->contacts > (INT_MAX - 1) / p->d)
    return sk_fail(SKEIN_BAD_INPUT, "contacts is %d, expected 0 to %d", p->contacts, (INT_MAX - 1) / p->d);
  if (p->dofs < 0 || p->dofs > INT_MAX - 1)
    return sk_fail(SKEIN_BAD_INPUT, "dofs is %d, expected 0 to %d", p->dofs, INT_MAX - 1);
  return sk_ok();
}

skein_status skein_problem_check(const skein_problem *p)
{
  skein_status s = check_sizes(p);
  if (s.code == SKEIN_OK) s = check_mu(p->mu, p->contacts);
  if (s.code == SKEIN_OK) s = p->form == SKEIN_GLOBAL ? check_global(p) : check_reduced(p);
  return s;
}

bool sk_problem_is_finite(const skein_problem *p, int threads)
{
  double sum = 0;
  for (int i = 0; i < p->dofs; i++) sum += 0 * p->f[i]; /* NaN when one is not finite */
  for (int i = 0; i < p->d * p->contacts; i++) sum += 0 * p->u_f[i];
  return sum == 0 && sk_csr_is_good(&p->M, threads) && sk_csr_is_good(&p->H, threads);
}

void skein_problem_destroy(skein_problem *p)
{
  sk_csr_destroy(&p->W);
  sk_csr_destroy(&p->M);
  sk_csr_destroy(&p->H);
  free(p->mu);
  free(p->b);
  free(p->f);
  free(p->u_f);
  *p = (skein_problem){0};
}

skein_status sk_solution_check(const skein_problem *p, const skein_solution *s, const char *name)
{
  char field[32];
  const double *arrays[] = {s->r, s->u, s->v};
  const int sizes[] = {p->d * p->contacts, p->d * p->contacts, p->dofs};
  for (int k = 0; k < 3; k++) {
    snprintf(field, sizeof field, "%s.%c", name, "ruv"[k]);
    skein_status status = arrays[k] ? check_vector(arrays[k], sizes[k], field) : sk_ok();
    if (status.code != SKEIN_OK) return status;
  }
  return sk_ok();
}

skein_status skein_solution_create(const skein_problem *p, skein_solution *s)
{
  size_t size = (size_t)p->d * (size_t)p->contacts;
  bool global = p->form == SKEIN_GLOBAL;
  *s = (skein_solution){.r = sk_calloc(size, sizeof *s->r), .u = sk_calloc(size, sizeof *s->u)};
  if (global) s->v = sk_calloc((size_t)p->dofs, sizeof *s->v);
  if (s->r && s->u && (s->v || !global)) return sk_ok();
  skein_solution_destroy(s);
  return sk_no_memory();
}

void skein_solution_destroy(skein_solution *s)
{
  free(s->r);
  free(s->u);
  free(s->v);
  *s = (skein_solution){0};
}
