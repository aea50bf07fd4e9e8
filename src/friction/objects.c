/* The objects of a global problem: M is block diagonal, its connected components are rods or bodies. Each block is
 * factored once, M = L L'. */
#include "friction/system.h"

#include <lapacke.h>
#include <string.h>

/* Numbers the components of M and lists their dofs, the last first: a place on a rod moves with the dofs between it and
 * the root, so that in this order its row of H begins with zeros, and L^-1 keeps them. */
static void number_objects(const skein_csr *M, int *parent, sk_objects *o)
{
  sk_union_init(parent, o->dofs);
  for (int i = 0; i < o->dofs; i++)
    for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) /* one triangle tells; most are known to be joined */
      if (M->val[k] != 0 && M->col[k] < i && parent[M->col[k]] != parent[i]) sk_union_join(parent, i, M->col[k]);
  for (int i = 0; i < o->dofs; i++) {
    int root = sk_union_find(parent, i);
    o->object_of[i] = root == i ? o->count++ : o->object_of[root];
    o->start[o->object_of[i] + 1]++;
  }
  for (int k = 0; k < o->count; k++) o->start[k + 1] += o->start[k];
  for (int k = 0; k < o->count; k++) parent[k] = o->start[k + 1]; /* reused: one behind the next free place */
  for (int i = 0; i < o->dofs; i++) {
    int k = o->object_of[i];
    o->dof[--parent[k]] = i;
    o->place[i] = parent[k] - o->start[k];
  }
}

/* L L' = A in place, lower, by rows (LAPACK's upper factor by columns); false when A is not positive definite. */
static bool cholesky(double *A, int m)
{
  bool large = m > 32; /* below, OpenBLAS uses one thread anyway */
  if (large) sk_blas_hold(1);
  bool definite = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', m, A, m) == 0;
  if (large) sk_blas_hold(-1);
  return definite;
}

/* x <- L^-1 x; zeros at the head stay zeros. */
void sk_lower_solve(const double *L, int m, double *x)
{
  int first = 0;
  while (first < m && x[first] == 0) first++;
  for (int i = first; i < m; i++) {
    const double *row = L + (size_t)i * (size_t)m;
    double sum = x[i];
    for (int k = first; k < i; k++) sum -= row[k] * x[k];
    x[i] = sum / row[i];
  }
}

/* x <- L^-T x */
static void upper_solve(const double *L, int m, double *x)
{
  for (int i = m - 1; i >= 0; i--) {
    x[i] /= L[(size_t)i * (size_t)m + (size_t)i];
    for (int k = 0; k < i; k++) x[k] -= L[(size_t)i * (size_t)m + (size_t)k] * x[i];
  }
}

/* Threads for the objects: few are not worth a second one. */
static int team(const sk_objects *o)
{
  return SK_MAX(1, SK_MIN(o->threads, o->count / 64));
}

/* x <- M^-1 x over all objects */
static skein_status solve_mass(const sk_objects *o, double *x)
{
  if (o->sparse) return sk_cholesky_solve(o->sparse, x);
#pragma omp parallel for num_threads(team(o)) schedule(static)
  for (int k = 0; k < o->count; k++) {
    int m = o->start[k + 1] - o->start[k];
    const int *dof = o->dof + o->start[k];
    double *work = o->work + o->start[k];
    for (int i = 0; i < m; i++) work[i] = x[dof[i]];
    sk_lower_solve(o->L[k], m, work);
    upper_solve(o->L[k], m, work);
    for (int i = 0; i < m; i++) x[dof[i]] = work[i];
  }
  return sk_ok();
}

/* The dense block of object k, factored; false when it is not positive definite. */
static bool factor_object(const skein_csr *M, const sk_objects *o, int k)
{
  int size = o->start[k + 1] - o->start[k];
  double *A = o->L[k];
  for (int i = 0; i < size; i++) {
    int dof = o->dof[o->start[k] + i];
    for (int64_t e = M->start[dof]; e < M->start[dof + 1]; e++)
      if (M->val[e] != 0) A[(size_t)i * (size_t)size + (size_t)o->place[M->col[e]]] += M->val[e];
  }
  return cholesky(A, size);
}

static skein_status factor_objects(const skein_csr *M, sk_arena *arena, sk_objects *o)
{
  int bad = o->count;
  for (int k = 0; k < o->count; k++) {
    size_t size = (size_t)(o->start[k + 1] - o->start[k]);
    o->L[k] = SK_NEW(arena, size * size, double);
  }
  if (arena->failed) return sk_no_memory();
#pragma omp parallel for num_threads(team(o)) schedule(static) reduction(min : bad)
  for (int k = 0; k < o->count; k++)
    if (k < bad && !factor_object(M, o, k)) bad = k;
  if (bad == o->count) return sk_ok();
  return sk_fail(SKEIN_BAD_INPUT, "M: the block of dof %d (%d dofs) is not positive definite",
                 o->dof[o->start[bad + 1] - 1], o->start[bad + 1] - o->start[bad]);
}

skein_status sk_objects_make(const skein_problem *p, int threads, sk_arena *arena, sk_objects *o)
{
  int m = p->dofs;
  *o = (sk_objects){.dofs = m,
                    .threads = threads,
                    .object_of = SK_NEW(arena, m, int),
                    .place = SK_NEW(arena, m, int),
                    .dof = SK_NEW(arena, m, int),
                    .start = SK_NEW(arena, m + 1, int),
                    .L = SK_NEW(arena, m, double *),
                    .vf = SK_NEW(arena, m, double),
                    .work = SK_NEW(arena, m, double)};
  int *parent = SK_NEW(arena, m, int);
  if (arena->failed) return sk_no_memory();
  number_objects(&p->M, parent, o);
  for (int k = 0; k < o->count; k++) o->largest = SK_MAX(o->largest, o->start[k + 1] - o->start[k]);
  bool dense = o->largest <= SK_DENSE;
  skein_status status = dense ? factor_objects(&p->M, arena, o) : sk_cholesky_create(&p->M, &o->sparse);
  if (m) memcpy(o->vf, p->f, (size_t)m * sizeof *o->vf);
  return status.code ? status : solve_mass(o, o->vf);
}

void sk_objects_destroy(sk_objects *o)
{
  sk_cholesky_destroy(o->sparse);
  o->sparse = NULL;
}

skein_status sk_objects_velocity(const sk_objects *o, const skein_problem *p, const double *r, double *v)
{
  if (o->dofs) memcpy(v, p->f, (size_t)o->dofs * sizeof *v);
  for (int i = 0; i < p->H.rows; i++)
    for (int64_t k = p->H.start[i]; k < p->H.start[i + 1]; k++) v[p->H.col[k]] += p->H.val[k] * r[i];
  return solve_mass(o, v);
}

double sk_objects_diagonal(const sk_objects *o, const skein_csr *H, int row, double *work)
{
  double sum = 0;
  if (o->sparse) { /* h . M^-1 h */
    memset(work, 0, (size_t)o->dofs * sizeof *work);
    for (int64_t k = H->start[row]; k < H->start[row + 1]; k++) work[H->col[k]] += H->val[k];
    if (sk_cholesky_solve(o->sparse, work).code) return 0;
    for (int64_t k = H->start[row]; k < H->start[row + 1]; k++) sum += H->val[k] * work[H->col[k]];
    return sum;
  }
  for (int64_t k = H->start[row]; k < H->start[row + 1]; k++) { /* one object at a time, at its first entry */
    int object = o->object_of[H->col[k]], size = o->start[object + 1] - o->start[object];
    bool first = true;
    for (int64_t e = H->start[row]; e < k && first; e++) first = o->object_of[H->col[e]] != object;
    if (!first) continue;
    memset(work, 0, (size_t)size * sizeof *work);
    for (int64_t e = k; e < H->start[row + 1]; e++)
      if (o->object_of[H->col[e]] == object) work[o->place[H->col[e]]] += H->val[e];
    sk_lower_solve(o->L[object], size, work);
    for (int i = 0; i < size; i++) sum += work[i] * work[i];
  }
  return sum;
}
