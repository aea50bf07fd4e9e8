/* Sparse matrices by scalar rows. */
#include "sparse/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

skein_status sk_csr_create(int rows, int cols, int64_t entries, skein_csr *A)
{
  *A = (skein_csr){.rows = rows, .cols = cols};
  A->start = sk_calloc((size_t)rows + 1, sizeof *A->start);
  A->col = sk_calloc((size_t)entries, sizeof *A->col);
  A->val = sk_calloc((size_t)entries, sizeof *A->val);
  if (A->start && A->col && A->val) return sk_ok();
  sk_csr_destroy(A);
  return sk_no_memory();
}

void sk_csr_destroy(skein_csr *A)
{
  free(A->start);
  free(A->col);
  free(A->val);
  *A = (skein_csr){0};
}

/* Columns in range and values finite, without a branch per entry: 0 x is NaN when x is not finite. */
static bool entries_are_good(const skein_csr *A, int64_t first, int64_t end)
{
  unsigned bad = 0, cols = (unsigned)A->cols;
  double sums[4] = {0};
  for (int64_t k = first; k < end; k++) bad |= (unsigned)A->col[k] >= cols;
  int64_t k = first;
  for (; k + 4 <= end; k += 4)
    for (int e = 0; e < 4; e++) sums[e] += 0 * A->val[k + e];
  for (; k < end; k++) sums[0] += 0 * A->val[k];
  return !bad && sums[0] + sums[1] + sums[2] + sums[3] == 0;
}

bool sk_csr_is_good(const skein_csr *A, int threads)
{
  enum { portion = 1 << 15 };
  int64_t entries = A->start[A->rows], portions = entries / portion + 1;
  int bad = 0;
  if (threads < 2 || portions < 8) return entries_are_good(A, 0, entries); /* a region of one thread costs 0.3 us */
#pragma omp parallel for num_threads((int)SK_MAX(1, SK_MIN(threads, portions / 4))) schedule(static) reduction(+ : bad)
  for (int64_t k = 0; k < portions; k++) bad += !entries_are_good(A, k * portion, SK_MIN((k + 1) * portion, entries));
  return bad == 0;
}

skein_status sk_csr_check(const skein_csr *A, int rows, int cols, const char *field)
{
  if (A->rows != rows || A->cols != cols)
    return sk_fail(SKEIN_BAD_INPUT, "%s: is %d x %d, expected %d x %d", field, A->rows, A->cols, rows, cols);
  if (!A->start || (A->start[rows] > 0 && (!A->col || !A->val)))
    return sk_fail(SKEIN_BAD_INPUT, "%s: arrays are missing", field);
  if (A->start[0] != 0)
    return sk_fail(SKEIN_BAD_INPUT, "%s: first row starts at %lld, expected 0", field, (long long)A->start[0]);
  for (int i = 0; i < rows; i++) /* all of them before any entry: a start in the middle may point beyond the arrays */
    if (A->start[i + 1] < A->start[i])
      return sk_fail(SKEIN_BAD_INPUT, "%s.start[%d] is %lld, expected >= %lld", field, i + 1,
                     (long long)A->start[i + 1], (long long)A->start[i]);
  if (sk_csr_is_good(A, 1)) return sk_ok();
  for (int i = 0; i < rows; i++)
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      if (A->col[k] < 0 || A->col[k] >= cols)
        return sk_fail(SKEIN_BAD_INPUT, "%s: column %d in row %d, expected 0 to %d", field, A->col[k], i, cols - 1);
      if (!isfinite(A->val[k]))
        return sk_fail(SKEIN_BAD_INPUT, "%s: entry (%d, %d) is %g, expected a finite number", field, i, A->col[k],
                       A->val[k]);
    }
  return sk_ok();
}

static void mul_add_rows(const skein_csr *A, int first, int end, const double *x, double beta, double *y)
{
  for (int i = first; i < end; i++) {
    double sum = 0;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) sum += A->val[k] * x[A->col[k]];
    y[i] = (beta != 0 ? beta * y[i] : 0) + sum;
  }
}

void sk_csr_mul_add(const skein_csr *A, const double *x, double beta, double *y, int threads)
{
  int parts = SK_MIN(threads, A->rows / 2048);
  if (parts < 2) {
    mul_add_rows(A, 0, A->rows, x, beta, y);
    return;
  }
#pragma omp parallel for num_threads(parts) schedule(static)
  for (int k = 0; k < parts; k++)
    mul_add_rows(A, (int)((int64_t)A->rows * k / parts), (int)((int64_t)A->rows * (k + 1) / parts), x, beta, y);
}

skein_status sk_csr_transpose(const skein_csr *A, skein_csr *T)
{
  skein_status s = sk_csr_create(A->cols, A->rows, A->start[A->rows], T);
  if (s.code != SKEIN_OK) return s;
  for (int64_t k = 0; k < A->start[A->rows]; k++) T->start[A->col[k] + 1]++;
  for (int j = 0; j < A->cols; j++) T->start[j + 1] += T->start[j];
  for (int i = 0; i < A->rows; i++) /* start[j] runs to the end of row j ... */
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      int64_t at = T->start[A->col[k]]++;
      T->col[at] = i;
      T->val[at] = A->val[k];
    }
  memmove(T->start + 1, T->start, (size_t)A->cols * sizeof *T->start); /* ... and is one row ahead now */
  T->start[0] = 0;
  return s;
}
