/* What one sees of a problem without solving it, and the reduced form of a global one. */
#include "friction/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Condition number of the symmetric part of a d x d block by Jacobi rotations; infinite when it is singular. */
static double block_condition(int d, const double *W)
{
  double A[3][3] = {{0}};
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) A[i][j] = 0.5 * (W[3 * i + j] + W[3 * j + i]);
  for (int sweep = 0; sweep < 12; sweep++)
    for (int p = 0; p < d; p++)
      for (int q = p + 1; q < d; q++) {
        if (A[p][q] == 0) continue;
        double theta = 0.5 * (A[q][q] - A[p][p]) / A[p][q];
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(1 + theta * theta)), c = 1 / sqrt(1 + t * t), s = t * c;
        for (int k = 0; k < d; k++) {
          double a = A[k][p], b = A[k][q];
          A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
        }
        for (int k = 0; k < d; k++) {
          double a = A[p][k], b = A[q][k];
          A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
        }
      }
  double lo = INFINITY, hi = 0;
  for (int i = 0; i < d; i++) lo = fmin(lo, A[i][i]), hi = fmax(hi, fabs(A[i][i]));
  return lo > 1e-15 * hi ? hi / lo : INFINITY;
}

/* max |W - W'| / max |W| */
static double asymmetry(const sk_system *s)
{
  double most = 0, size = 0;
  for (int64_t k = 0; k < 9 * s->W.start[s->n]; k++) {
    most = fmax(most, fabs(s->W.val[k] - s->Wt.val[k]));
    size = fmax(size, fabs(s->W.val[k]));
  }
  return size > 0 ? most / size : 0;
}

static void describe_contacts(const skein_problem *p, const sk_system *s, skein_problem_info *info)
{
  info->mu_min = info->diag_min = INFINITY;
  for (int i = 0; i < s->n; i++) {
    const double *W = s->Wii + 9 * (size_t)i;
    info->mu_min = fmin(info->mu_min, s->mu[i]), info->mu_max = fmax(info->mu_max, s->mu[i]);
    for (int k = 0; k < p->d; k++)
      info->diag_min = fmin(info->diag_min, W[4 * k]), info->diag_max = fmax(info->diag_max, W[4 * k]);
    for (int k = 0; k < p->d; k++) info->b_max = fmax(info->b_max, fabs(s->b[3 * i + k]));
    info->local_cond = fmax(info->local_cond, block_condition(p->d, W));
    info->closing += s->b[3 * i] < 0;
  }
  if (!s->n) info->mu_min = info->diag_min = 0;
  info->w_mean = s->n ? s->scale.w : 0;
}

static skein_status describe_islands(const sk_system *s, sk_arena *arena, skein_problem_info *info)
{
  int *island = SK_NEW(arena, s->n, int), *size = SK_NEW(arena, s->n, int);
  if (arena->failed || (info->islands = sk_system_islands(s, arena, island)) < 0) return sk_no_memory();
  for (int i = 0; i < s->n; i++) size[island[i]]++;
  for (int k = 0; k < info->islands; k++) info->largest_island = SK_MAX(info->largest_island, size[k]);
  return sk_ok();
}

/* Block patterns of W and W' may differ where W is unsymmetric: asymmetry compares them on the union. */
static skein_status describe_matrix(sk_system *s, sk_arena *arena, skein_problem_info *info)
{
  skein_status status = sk_ok();
  if (s->form == SKEIN_FACTORED) {
    status = sk_system_explicit(s, arena, &s->W);
    s->Wt = s->W;
  }
  if (status.code) return status;
  info->blocks = s->W.start[s->n];
  bool same = !memcmp(s->W.start, s->Wt.start, ((size_t)s->n + 1) * sizeof *s->W.start) &&
              !memcmp(s->W.col, s->Wt.col, (size_t)info->blocks * sizeof *s->W.col);
  info->asymmetry = same ? asymmetry(s) : 1;
  return sk_ok();
}

skein_status skein_problem_describe(const skein_problem *p, skein_problem_info *info)
{
  *info = (skein_problem_info){.contacts = p->contacts, .dofs = p->dofs, .d = p->d};
  skein_status status = skein_problem_check(p);
  if (status.code) return status;
  sk_arena arena = {0};
  sk_system s;
  status = sk_system_make(p, SKEIN_OPERATOR_AUTO, 1, &arena, &s);
  if (status.code == SKEIN_OK && p->form == SKEIN_GLOBAL) {
    sk_objects o;
    status = sk_objects_make(p, 1, &arena, &o);
    if (status.code == SKEIN_OK) info->objects = o.count;
    sk_objects_destroy(&o);
  }
  if (status.code == SKEIN_OK) {
    info->nu = p->dofs > 0 ? (double)p->d * p->contacts / p->dofs : 0;
    describe_contacts(p, &s, info);
    status = describe_islands(&s, &arena, info);
  }
  if (status.code == SKEIN_OK) status = describe_matrix(&s, &arena, info);
  sk_arena_free(&arena);
  return status;
}

/* Scalar rows of the d x d corner of every 3 x 3 block. */
static skein_status to_rows(const sk_bsr *B, int d, skein_csr *W)
{
  skein_status status = sk_csr_create(d * B->n, d * B->n, B->start[B->n] * d * d, W);
  if (status.code) return status;
  int64_t at = 0;
  for (int i = 0; i < B->n; i++)
    for (int p = 0; p < d; p++) {
      for (int64_t k = B->start[i]; k < B->start[i + 1]; k++)
        for (int q = 0; q < d; q++) W->col[at] = d * B->col[k] + q, W->val[at++] = B->val[9 * k + 3 * p + q];
      W->start[d * i + p + 1] = at;
    }
  return sk_ok();
}

skein_status skein_problem_reduce(const skein_problem *global, skein_problem *reduced)
{
  *reduced = (skein_problem){.form = SKEIN_REDUCED, .d = global->d, .contacts = global->contacts, .dofs = global->dofs};
  skein_status status = skein_problem_check(global);
  if (status.code == SKEIN_OK && global->form != SKEIN_GLOBAL)
    status = sk_fail(SKEIN_BAD_INPUT, "the problem is reduced already");
  if (status.code) return status;
  sk_arena arena = {0};
  sk_system s;
  int d = global->d, n = global->contacts;
  status = sk_system_make(global, SKEIN_EXPLICIT, 1, &arena, &s);
  if (status.code == SKEIN_OK) status = to_rows(&s.W, d, &reduced->W);
  if (status.code == SKEIN_OK) {
    reduced->b = sk_calloc((size_t)d * (size_t)n, sizeof(double));
    reduced->mu = sk_calloc((size_t)n, sizeof(double));
    if (!reduced->b || !reduced->mu) status = sk_no_memory();
  }
  if (status.code == SKEIN_OK) {
    if (n) memcpy(reduced->mu, global->mu, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
      for (int k = 0; k < d; k++) reduced->b[d * i + k] = s.b[3 * i + k];
  }
  if (status.code) skein_problem_destroy(reduced);
  sk_arena_free(&arena);
  return status;
}
