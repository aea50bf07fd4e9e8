/* Sparse LU by UMFPACK (Davis 2004): symmetric strategy, pivots from the diagonal unless they are poor. A small matrix
 * that is nearly full, as of one rod that touches itself, costs a fifth by LAPACK. */
#include "sparse/lu.h"

#include "sparse/sparse.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <umfpack.h>

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

static void control(double *c)
{
  umfpack_di_defaults(c);
  c[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
  c[UMFPACK_SYM_PIVOT_TOLERANCE] = 1e-3;
  c[UMFPACK_IRSTEP] = 0;
}

skein_status sk_lu_analyse(sk_lu *a)
{
  double c[UMFPACK_CONTROL], info[UMFPACK_INFO];
  if (a->n > 0 && a->n <= SMALL && a->start[a->n] >= filled * a->n * a->n) return analyse_full(a);
  control(c);
  int status = umfpack_di_symbolic(a->n, a->n, a->start, a->row, NULL, &a->symbolic, c, info);
  if (status == UMFPACK_ERROR_out_of_memory) return sk_no_memory();
  if (status < 0)
    return sk_fail(SKEIN_BAD_INPUT, "sparse LU: the matrix cannot be ordered (UMFPACK status %d)", status);
  double diagonal = info[UMFPACK_SYMMETRIC_FLOPS]; /* with pivots from the diagonal, as nearly always */
  sk_blas_hold(1);
  a->flops = diagonal > 0 ? diagonal : info[UMFPACK_FLOPS_ESTIMATE];
  return sk_ok();
}

bool sk_lu_factor(sk_lu *a)
{
  double c[UMFPACK_CONTROL], info[UMFPACK_INFO];
  if (a->full) return factor_full(a);
  control(c);
  if (a->numeric) umfpack_di_free_numeric(&a->numeric);
  a->numeric = NULL;
  int status = umfpack_di_numeric(a->start, a->row, a->val, a->symbolic, &a->numeric, c, info);
  a->rcond = status == UMFPACK_OK ? info[UMFPACK_RCOND] : 0;
  if (status == UMFPACK_OK) return true;
  if (a->numeric) umfpack_di_free_numeric(&a->numeric);
  a->numeric = NULL;
  return false;
}

void sk_lu_solve(const sk_lu *a, const double *b, double *x)
{
  double c[UMFPACK_CONTROL], info[UMFPACK_INFO];
  if (a->full) {
    memcpy(x, b, (size_t)a->n * sizeof *x);
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', a->n, 1, a->full, a->n, a->pivot, x, a->n);
    return;
  }
  control(c);
  umfpack_di_solve(UMFPACK_A, a->start, a->row, a->val, x, b, a->numeric, c, info);
}

void sk_lu_destroy(sk_lu *a)
{
  if (a->numeric) umfpack_di_free_numeric(&a->numeric);
  if (a->symbolic) umfpack_di_free_symbolic(&a->symbolic), sk_blas_hold(-1);
  if (a->full) free(a->full), free(a->pivot), sk_blas_hold(-1);
  a->numeric = a->symbolic = NULL, a->full = NULL, a->pivot = NULL;
}
