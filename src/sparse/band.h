/* Symmetric band matrices, the shape of one rod: lower triangle by columns, as LAPACK keeps it. A dense matrix is a
 * band of width n - 1. */
#ifndef SK_BAND_H
#define SK_BAND_H

#include "base/base.h"

/* Entries of a matrix of order n with kd diagonals below the main one. */
static inline size_t sk_band_size(int n, int kd)
{
  return (size_t)n * (size_t)(kd + 1);
}

/* Place of (i, j), either triangle, |i - j| <= kd. */
static inline size_t sk_band_at(int kd, int i, int j)
{
  int lo = i < j ? i : j, hi = i < j ? j : i;
  return (size_t)lo * (size_t)(kd + 1) + (size_t)(hi - lo);
}

/* y += a A x */
void sk_band_mul_add(int n, int kd, const double *A, double a, const double *x, double *y);
/* A = L L' in place; false: not positive definite (or not finite). */
bool sk_band_factor(int n, int kd, double *A);
/* x <- (L L')^-1 x */
void sk_band_solve(int n, int kd, const double *L, double *x);

#endif
