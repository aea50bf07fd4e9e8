/* LU of unsymmetric matrices with a fixed, structurally symmetric pattern: by SuperLU, small full ones by LAPACK. */
#ifndef SK_LU_H
#define SK_LU_H

#include "base/base.h"

typedef struct sk_lu_sparse sk_lu_sparse;

/* Compressed columns: rows of column j are row[start[j] .. start[j+1]-1], ascending. The arrays are the caller's. */
typedef struct sk_lu {
  int n;
  int *start, *row;
  double *val;
  sk_lu_sparse *sparse;
  double *full; /* n x n by columns, instead of these, where the matrix is small and full */
  int *pivot;
  double flops; /* estimate of one factorisation */
  double rcond; /* of the last factorisation: smallest over largest pivot; rounding alone gives some 1e-16 */
} sk_lu;

/* Orders the matrix and estimates the work; values may still be zero. */
skein_status sk_lu_analyse(sk_lu *a);
/* Factors the values as they are now; false: singular. */
bool sk_lu_factor(sk_lu *a);
void sk_lu_solve(const sk_lu *a, const double *b, double *x);
void sk_lu_destroy(sk_lu *a);

#endif
