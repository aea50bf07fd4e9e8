/* Products, Cholesky factor and solves of symmetric band matrices. */
#include "sparse/band.h"

#include <math.h>

void sk_band_mul_add(int n, int kd, const double *A, double a, const double *x, double *y)
{
  for (int j = 0; j < n; j++) {
    const double *c = A + sk_band_at(kd, j, j);
    int m = SK_MIN(kd, n - 1 - j);
    double ax = a * x[j], sum = c[0] * x[j];
    for (int i = 1; i <= m; i++) y[j + i] += c[i] * ax, sum += c[i] * x[j + i];
    y[j] += a * sum;
  }
}

/* By columns, right-looking: column j of L, then its outer product taken from what is below. The rods' matrices are
 * small (18 x 18) or narrow (band 10 to 17); calls of LAPACK's dpbtrf cost twice this loop there (make bench). */
bool sk_band_factor(int n, int kd, double *A)
{
  for (int j = 0; j < n; j++) {
    double *c = A + sk_band_at(kd, j, j);
    int m = SK_MIN(kd, n - 1 - j);
    if (!(c[0] > 0) || !isfinite(c[0])) return false;
    double d = sqrt(c[0]), inv = 1 / d;
    c[0] = d;
    for (int i = 1; i <= m; i++) c[i] *= inv;
    for (int k = 1; k <= m; k++) {
      double *t = c + (size_t)k * (size_t)(kd + 1), f = c[k];
      for (int i = k; i <= m; i++) t[i - k] -= f * c[i];
    }
  }
  return true;
}

void sk_band_solve(int n, int kd, const double *L, double *x)
{
  for (int j = 0; j < n; j++) {
    const double *c = L + sk_band_at(kd, j, j);
    int m = SK_MIN(kd, n - 1 - j);
    double xj = x[j] /= c[0];
    for (int i = 1; i <= m; i++) x[j + i] -= c[i] * xj;
  }
  for (int j = n - 1; j >= 0; j--) {
    const double *c = L + sk_band_at(kd, j, j);
    int m = SK_MIN(kd, n - 1 - j);
    double sum = x[j];
    for (int i = 1; i <= m; i++) sum -= c[i] * x[j + i];
    x[j] = sum / c[0];
  }
}
