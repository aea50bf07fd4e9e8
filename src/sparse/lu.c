/* Sparse LU by UMFPACK (Davis 2004): symmetric strategy, pivots from the diagonal unless they are poor. */
#include "sparse/lu.h"

#include "sparse/sparse.h"

#include <umfpack.h>

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
  control(c);
  umfpack_di_solve(UMFPACK_A, a->start, a->row, a->val, x, b, a->numeric, c, info);
}

void sk_lu_destroy(sk_lu *a)
{
  if (a->numeric) umfpack_di_free_numeric(&a->numeric);
  if (a->symbolic) umfpack_di_free_symbolic(&a->symbolic), sk_blas_hold(-1);
  a->numeric = a->symbolic = NULL;
}
