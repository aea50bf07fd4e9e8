/* Sparse LU by SuperLU (Demmel, Eisenstat, Gilbert, Li, Liu 1999) in its symmetric mode: order by AMD (Amestoy, Davis,
 * Duff 2004), rows scaled, pivots from the diagonal unless they are poor. A small matrix that is nearly full, as of one
 * rod that touches itself, costs a fifth by LAPACK. */
#include "sparse/lu.h"

#include "sparse/sparse.h"

#include <amd.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <superlu/slu_ddefs.h>

enum { SMALL = 160 };
static const double filled = 0.4; /* share of the entries from which a small matrix is full */

/* ---- Full ---- */

static skein_status analyse_full(sk_lu *a)
{
  size_t n = (size_t)a->n;
  a->full = malloc(n * n * sizeof *a->full), a->pivot = malloc(n * sizeof *a->pivot);
  if (!a->full || !a->pivot) {
    free(a->full), free(a->pivot);
    a->full = NULL, a->pivot = NULL;
    return sk_no_memory();
  }
  a->flops = 2.0 / 3 * (double)n * (double)n * (double)n;
  sk_blas_hold(1);
  return sk_ok();
}

static bool factor_full(sk_lu *a)
{
  size_t n = (size_t)a->n;
  double least = INFINITY, most = 0;
  memset(a->full, 0, n * n * sizeof *a->full);
  for (size_t j = 0; j < n; j++)
    for (int e = a->start[j]; e < a->start[j + 1]; e++) a->full[j * n + (size_t)a->row[e]] += a->val[e];
  a->rcond = 0;
  if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, a->n, a->n, a->full, a->n, a->pivot) != 0) return false;
  for (size_t j = 0; j < n; j++) {
    double pivot = fabs(a->full[j * n + j]);
    least = fmin(least, pivot), most = fmax(most, pivot);
  }
  a->rcond = least / most;
  return isfinite(most);
}

/* ---- Sparse ---- */

/* A with scaled rows as SuperLU sees it, its order, and the factors. */
struct sk_lu_sparse {
  superlu_options_t options;
  SuperMatrix A, ordered, L, U;
  GlobalLU_t memory;
  int *column, *row, *tree; /* order of the columns, of the rows, elimination tree */
  double *val, *scale;      /* entries; 1 / sum of |entries| of each row */
  bool factored;
};

static void forget_factors(sk_lu_sparse *s)
{
  if (s->factored) Destroy_SuperNode_Matrix(&s->L), Destroy_CompCol_Matrix(&s->U);
  s->factored = false;
}

static void destroy_sparse(sk_lu *a)
{
  sk_lu_sparse *s = a->sparse;
  if (!s) return;
  forget_factors(s);
  if (s->ordered.Store) Destroy_CompCol_Permuted(&s->ordered);
  if (s->A.Store) Destroy_SuperMatrix_Store(&s->A);
  free(s->column), free(s->row), free(s->tree), free(s->val), free(s->scale), free(s);
  a->sparse = NULL;
}

/* The order of AMD as SuperLU wants it, new place of each column; flops: for pivots from the diagonal. */
static skein_status order(sk_lu *a)
{
  sk_lu_sparse *s = a->sparse;
  double info[AMD_INFO];
  int status = amd_order(a->n, a->start, a->row, s->row, NULL, info);
  if (status == AMD_OUT_OF_MEMORY) return sk_no_memory();
  if (status < 0) return sk_fail(SKEIN_BAD_INPUT, "sparse LU: the matrix cannot be ordered (AMD status %d)", status);
  for (int k = 0; k < a->n; k++) s->column[s->row[k]] = k;
  a->flops = info[AMD_NDIV] + 2 * info[AMD_NMULTSUBS_LU];
  return sk_ok();
}

static skein_status analyse_sparse(sk_lu *a)
{
  size_t n = (size_t)a->n, entries = (size_t)a->start[a->n];
  sk_lu_sparse *s = a->sparse = sk_calloc(1, sizeof *s);
  if (!s) return sk_no_memory();
  s->column = malloc(n * sizeof(int) + 1), s->row = malloc(n * sizeof(int) + 1), s->tree = malloc(n * sizeof(int) + 1);
  s->val = sk_calloc(entries, sizeof *s->val), s->scale = malloc(n * sizeof *s->scale + 1);
  if (!s->column || !s->row || !s->tree || !s->val || !s->scale) return sk_no_memory();
  skein_status status = order(a);
  if (status.code) return status;
  set_default_options(&s->options);
  s->options.SymmetricMode = YES, s->options.DiagPivotThresh = 1e-3, s->options.ColPerm = MY_PERMC;
  s->options.PrintStat = NO;
  dCreate_CompCol_Matrix(&s->A, a->n, a->n, (int)entries, s->val, a->row, a->start, SLU_NC, SLU_D, SLU_GE);
  sp_preorder(&s->options, &s->A, s->column, s->tree, &s->ordered);
  return sk_ok();
}

static void scale_rows(sk_lu *a)
{
  sk_lu_sparse *s = a->sparse;
  memset(s->scale, 0, (size_t)a->n * sizeof *s->scale);
  for (int e = 0; e < a->start[a->n]; e++) s->scale[a->row[e]] += fabs(a->val[e]);
  for (int i = 0; i < a->n; i++) s->scale[i] = s->scale[i] > 0 ? 1 / s->scale[i] : 1;
  for (int e = 0; e < a->start[a->n]; e++) s->val[e] = s->scale[a->row[e]] * a->val[e];
}

/* Smallest over largest pivot; the diagonal of U is in the supernodes of L. */
static double pivot_ratio(const sk_lu *a)
{
  const SCformat *L = a->sparse->L.Store;
  const double *value = L->nzval;
  double least = INFINITY, most = 0;
  for (int j = 0; j < a->n; j++) {
    double pivot = fabs(value[L->nzval_colptr[j] + j - L->sup_to_col[L->col_to_sup[j]]]);
    least = fmin(least, pivot), most = fmax(most, pivot);
  }
  return isfinite(most) && most > 0 ? least / most : 0;
}

static bool factor_sparse(sk_lu *a)
{
  sk_lu_sparse *s = a->sparse;
  SuperLUStat_t stat;
  int info = 0;
  forget_factors(s);
  scale_rows(a);
  StatInit(&stat);
  dgstrf(&s->options, &s->ordered, sp_ienv(2), sp_ienv(1), s->tree, NULL, 0, s->column, s->row, &s->L, &s->U,
         &s->memory, &stat, &info);
  StatFree(&stat);
  s->factored = info >= 0 && info <= a->n; /* above: no memory */
  a->rcond = s->factored && info == 0 ? pivot_ratio(a) : 0;
  return a->rcond > 0;
}

static void solve_sparse(const sk_lu *a, const double *b, double *x)
{
  sk_lu_sparse *s = a->sparse;
  SuperMatrix X;
  SuperLUStat_t stat;
  int info;
  for (int i = 0; i < a->n; i++) x[i] = s->scale[i] * b[i];
  StatInit(&stat);
  dCreate_Dense_Matrix(&X, a->n, 1, x, a->n, SLU_DN, SLU_D, SLU_GE);
  dgstrs(NOTRANS, &s->L, &s->U, s->column, s->row, &X, &stat, &info);
  Destroy_SuperMatrix_Store(&X);
  StatFree(&stat);
}

/* ---- Both ---- */

skein_status sk_lu_analyse(sk_lu *a)
{
  if (a->n > 0 && a->n <= SMALL && a->start[a->n] >= filled * a->n * a->n) return analyse_full(a);
  skein_status status = analyse_sparse(a);
  if (status.code) destroy_sparse(a);
  else sk_blas_hold(1);
  return status;
}

bool sk_lu_factor(sk_lu *a)
{
  return a->full ? factor_full(a) : factor_sparse(a);
}

void sk_lu_solve(const sk_lu *a, const double *b, double *x)
{
  if (!a->full) {
    solve_sparse(a, b, x);
    return;
  }
  memcpy(x, b, (size_t)a->n * sizeof *x);
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', a->n, 1, a->full, a->n, a->pivot, x, a->n);
}

void sk_lu_destroy(sk_lu *a)
{
  if (a->sparse) destroy_sparse(a), sk_blas_hold(-1);
  if (a->full) free(a->full), free(a->pivot), sk_blas_hold(-1);
  a->full = NULL, a->pivot = NULL;
}
