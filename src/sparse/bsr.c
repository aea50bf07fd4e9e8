/* Sparse matrices by rows of small square blocks. */
#include "sparse/sparse.h"

#include <string.h>

/* Sorts the columns of one row by insertion: rows are short and nearly sorted. */
static void sort_ints(int *x, int count)
{
  for (int i = 1; i < count; i++) {
    int key = x[i], j = i;
    for (; j > 0 && x[j - 1] > key; j--) x[j] = x[j - 1];
    x[j] = key;
  }
}

/* Whether the three scalar rows of block row i hold the same whole, ascending blocks, the diagonal among them: what
 * nearly every file has. Then the blocks can be copied as they stand; their number, or -1. */
static int whole_blocks(const skein_csr *A, int i)
{
  int64_t a = A->start[3 * i], b = A->start[3 * i + 1], c = A->start[3 * i + 2];
  int length = (int)(b - a), last = -1;
  bool diagonal = false, good = c - b == length && A->start[3 * i + 3] - c == length && length % 3 == 0;
  for (int k = 0; k < length && good; k += 3) {
    const int *x = A->col + a + k, *y = A->col + b + k, *z = A->col + c + k;
    int j = x[0];
    good = j % 3 == 0 && j > last && x[1] == j + 1 && x[2] == j + 2 && y[0] == j && y[1] == j + 1 && y[2] == j + 2 &&
           z[0] == j && z[1] == j + 1 && z[2] == j + 2;
    diagonal |= j == 3 * i, last = j;
  }
  return good && diagonal ? length / 3 : -1;
}

/* Copies a row of whole blocks, leaving out off-diagonal blocks of stored zeros, which connect nothing. */
static int copy_blocks(const skein_csr *A, int i, int blocks, int *col, double *val)
{
  int count = 0;
  for (int k = 0; k < blocks; k++) {
    int j = A->col[A->start[3 * i] + 3 * k] / 3;
    bool zero = true;
    for (int p = 0; p < 3; p++)
      for (int q = 0; q < 3; q++) {
        double v = A->val[A->start[3 * i + p] + 3 * k + q];
        val[3 * p + q] = v, zero &= v == 0;
      }
    if (zero && j != i) continue;
    *col++ = j, val += 9, count++;
  }
  return count;
}

/* The distinct block columns of block row i, with i itself; `mark` holds i + 1 where a column was seen. */
static int row_pattern(const skein_csr *A, int d, int i, int *mark, int *cols)
{
  int count = 0;
  mark[i] = i + 1, cols[count++] = i;
  for (int64_t k = A->start[d * i]; k < A->start[d * (i + 1)]; k++) {
    int j = A->col[k] / d;
    if (mark[j] == i + 1 || A->val[k] == 0) continue;
    mark[j] = i + 1, cols[count++] = j;
  }
  return count;
}

/* A row with any pattern: entries in any order, given twice, zero. */
static int gather_blocks(const skein_csr *A, int d, int i, int *mark, int *place, int *col, double *val)
{
  int count = row_pattern(A, d, i, mark, col);
  sort_ints(col, count);
  memset(val, 0, (size_t)count * (size_t)(d * d) * sizeof *val);
  for (int k = 0; k < count; k++) place[col[k]] = k;
  for (int p = 0; p < d; p++)
    for (int64_t k = A->start[d * i + p]; k < A->start[d * i + p + 1]; k++) {
      int j = A->col[k] / d;
      if (A->val[k] != 0) val[(place[j] * d + p) * d + (A->col[k] - d * j)] += A->val[k];
    }
  return count;
}

skein_status sk_bsr_from_csr(const skein_csr *A, int d, sk_arena *arena, sk_bsr *B)
{
  int n = A->rows / d;
  *B = (sk_bsr){.d = d, .n = n, .start = SK_NEW_RAW(arena, n + 1, int64_t)};
  int *mark = SK_NEW(arena, n, int), *place = SK_NEW_RAW(arena, n + 1, int), *whole = SK_NEW_RAW(arena, n + 1, int);
  if (arena->failed) return sk_no_memory();
  int64_t room = 0;
  for (int i = 0; i < n; i++) {
    whole[i] = d == 3 ? whole_blocks(A, i) : -1;
    room += whole[i] >= 0 ? whole[i] : row_pattern(A, d, i, mark, place);
  }
  B->col = SK_NEW_RAW(arena, room, int);
  B->val = SK_NEW_RAW(arena, room * d * d + SK_BSR_PAD, double);
  if (arena->failed) return sk_no_memory();
  memset(mark, 0, (size_t)n * sizeof *mark);
  B->start[0] = 0;
  for (int i = 0; i < n; i++) {
    int64_t at = B->start[i];
    int *col = B->col + at;
    double *val = B->val + at * d * d;
    B->start[i + 1] =
        at + (whole[i] >= 0 ? copy_blocks(A, i, whole[i], col, val) : gather_blocks(A, d, i, mark, place, col, val));
  }
  memset(B->val + B->start[n] * d * d, 0, SK_BSR_PAD * sizeof *B->val);
  return sk_ok();
}

skein_status sk_bsr_extract(const sk_bsr *A, const int *rows, int count, const int *map, sk_arena *arena, sk_bsr *B)
{
  size_t dd = (size_t)A->d * (size_t)A->d;
  *B = (sk_bsr){.d = A->d, .n = count, .start = SK_NEW(arena, count + 1, int64_t)};
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < count; i++) {
    int64_t kept = 0;
    for (int64_t k = A->start[rows[i]]; k < A->start[rows[i] + 1]; k++) kept += map[A->col[k]] >= 0;
    B->start[i + 1] = B->start[i] + kept;
  }
  B->col = SK_NEW_RAW(arena, B->start[count], int);
  B->val = SK_NEW_RAW(arena, (size_t)B->start[count] * dd + SK_BSR_PAD, double);
  if (arena->failed) return sk_no_memory();
  memset(B->val + (size_t)B->start[count] * dd, 0, SK_BSR_PAD * sizeof(double));
  for (int i = 0; i < count; i++) {
    int64_t at = B->start[i];
    for (int64_t k = A->start[rows[i]]; k < A->start[rows[i] + 1]; k++) {
      if (map[A->col[k]] < 0) continue;
      int64_t to = at++; /* kept ascending, whatever the order of the rows */
      for (; to > B->start[i] && B->col[to - 1] > map[A->col[k]]; to--) {
        B->col[to] = B->col[to - 1];
        memcpy(B->val + (size_t)to * dd, B->val + (size_t)(to - 1) * dd, dd * sizeof(double));
      }
      B->col[to] = map[A->col[k]];
      memcpy(B->val + (size_t)to * dd, A->val + (size_t)k * dd, dd * sizeof(double));
    }
  }
  return sk_ok();
}

skein_status sk_bsr_transpose(const sk_bsr *A, sk_arena *arena, sk_bsr *B)
{
  int d = A->d, n = A->n;
  int64_t blocks = A->start[n];
  *B = (sk_bsr){.d = d,
                .n = n,
                .start = SK_NEW(arena, n + 1, int64_t),
                .col = SK_NEW_RAW(arena, blocks, int),
                .val = SK_NEW_RAW(arena, blocks * d * d + SK_BSR_PAD, double)};
  int64_t *next = SK_NEW(arena, n + 1, int64_t);
  if (arena->failed) return sk_no_memory();
  for (int64_t k = 0; k < blocks; k++) B->start[A->col[k] + 1]++;
  for (int j = 0; j < n; j++) B->start[j + 1] += B->start[j];
  memcpy(next, B->start, (size_t)n * sizeof *next);
  memset(B->val + blocks * d * d, 0, SK_BSR_PAD * sizeof *B->val);
  for (int i = 0; i < n; i++)
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      int64_t to = next[A->col[k]]++;
      B->col[to] = i;
      for (int p = 0; p < d; p++)
        for (int q = 0; q < d; q++) B->val[(to * d + q) * d + p] = A->val[(k * d + p) * d + q];
    }
  return sk_ok();
}

void sk_bsr_mul_add(const sk_bsr *A, const double *x, const double *b, double *y)
{
  int d = A->d;
  for (int i = 0; i < A->n; i++) {
    double sum[3] = {b[d * i], b[d * i + 1], d == 3 ? b[d * i + 2] : 0};
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      const double *block = A->val + k * d * d, *xj = x + (size_t)d * (size_t)A->col[k];
      if (d == 3) {
        for (int p = 0; p < 3; p++)
          sum[p] += block[3 * p] * xj[0] + block[3 * p + 1] * xj[1] + block[3 * p + 2] * xj[2];
      } else {
        for (int p = 0; p < 2; p++) sum[p] += block[2 * p] * xj[0] + block[2 * p + 1] * xj[1];
      }
    }
    for (int p = 0; p < d; p++) y[d * i + p] = sum[p];
  }
}
