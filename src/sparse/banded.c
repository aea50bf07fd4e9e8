/* W = H M^-1 H' for chains: four rows of H at a time, h -> M^-1 h by two sweeps over the block that they touch, with
 * four numbers side by side, then products with the rows that touch the same block. Flops per row of H: 4 n_b kd, where
 * a fill-reducing order has nothing to gain. */
#include "sparse/banded.h"

#include "sparse/band.h"

#include <stdlib.h>
#include <string.h>

struct sk_banded {
  int n, kd;
  double *L;  /* as band.h has it */
  int *block; /* of each dof: number of its block */
  int *start; /* blocks + 1 */
  int blocks;
};

typedef double four __attribute__((vector_size(32)));

int sk_banded_width(const skein_csr *M)
{
  int kd = 0;
  for (int i = 0; i < M->rows; i++)
    for (int64_t k = M->start[i]; k < M->start[i + 1]; k++)
      if (M->val[k] != 0) kd = SK_MAX(kd, abs(M->col[k] - i));
  return kd;
}

/* Blocks end where no entry crosses. */
static void find_blocks(const skein_csr *M, sk_banded *b)
{
  int reach = 0;
  for (int i = 0; i < b->n; i++) {
    if (i == 0 || i > reach) b->start[b->blocks++] = i;
    b->block[i] = b->blocks - 1;
    for (int64_t k = M->start[i]; k < M->start[i + 1]; k++)
      if (M->val[k] != 0) reach = SK_MAX(reach, M->col[k]);
    reach = SK_MAX(reach, i);
  }
  b->start[b->blocks] = b->n;
}

skein_status sk_banded_create(const skein_csr *M, int kd, sk_banded **out)
{
  sk_banded *b = *out = sk_calloc(1, sizeof *b);
  size_t n = (size_t)M->rows;
  if (!b) return sk_no_memory();
  *b = (sk_banded){.n = M->rows, .kd = kd, .L = sk_calloc(sk_band_size(M->rows, kd), sizeof(double))};
  b->block = sk_calloc(n, sizeof(int)), b->start = sk_calloc(n + 1, sizeof(int));
  skein_status s = b->L && b->block && b->start ? sk_ok() : sk_no_memory();
  if (s.code == SKEIN_OK) {
    find_blocks(M, b);
    for (int i = 0; i < b->n; i++)
      for (int64_t k = M->start[i]; k < M->start[i + 1]; k++)
        if (M->val[k] != 0 && M->col[k] <= i) b->L[sk_band_at(kd, i, M->col[k])] += M->val[k];
    if (!sk_band_factor(b->n, kd, b->L)) s = sk_fail(SKEIN_BAD_INPUT, "M: is not positive definite");
  }
  if (s.code) sk_banded_destroy(b), *out = NULL;
  return s;
}

void sk_banded_destroy(sk_banded *b)
{
  if (!b) return;
  free(b->L), free(b->block), free(b->start);
  free(b);
}

void sk_banded_solve(const sk_banded *b, double *x)
{
  sk_band_solve(b->n, b->kd, b->L, x);
}

/* x <- (L L')^-1 x for four columns over one block; x is zero before `first`. */
static void solve_block(const sk_banded *b, int block, int first, four *x)
{
  int begin = b->start[block], end = b->start[block + 1], kd = b->kd;
  for (int j = first; j < end; j++) {
    const double *c = b->L + sk_band_at(kd, j, j);
    int m = SK_MIN(kd, end - 1 - j);
    four xj = x[j] = x[j] / c[0];
    for (int i = 1; i <= m; i++) x[j + i] -= c[i] * xj;
  }
  for (int j = end - 1; j >= begin; j--) {
    const double *c = b->L + sk_band_at(kd, j, j);
    int m = SK_MIN(kd, end - 1 - j);
    four sum = x[j];
    for (int i = 1; i <= m; i++) sum -= c[i] * x[j + i];
    x[j] = sum / c[0];
  }
}

/* ---- W ---- */

/* Rows of H by block, and room for what one batch needs. */
typedef struct reducer {
  const sk_banded *b;
  const skein_csr *H;
  int *row_start, *row; /* of each block: the rows that touch it, ascending */
  int *mark, *list;     /* rows */
  int *seen;            /* blocks: the last batch that has solved it */
  int *cursor;          /* rows: the next place to fill in W */
  four *x, *sum;        /* dofs; rows */
} reducer;

static void free_reducer(reducer *r)
{
  free(r->row_start), free(r->row), free(r->mark), free(r->list), free(r->seen), free(r->cursor), free(r->x),
      free(r->sum);
}

/* The rows of every block, in two passes: counted, then listed. */
static bool list_rows(reducer *r)
{
  const skein_csr *H = r->H;
  const sk_banded *b = r->b;
  r->row_start = sk_calloc((size_t)b->blocks + 2, sizeof(int));
  if (!r->row_start) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < b->blocks; k++) r->seen[k] = -1;
    for (int i = 0; i < H->rows; i++)
      for (int64_t e = H->start[i]; e < H->start[i + 1]; e++) {
        int k = b->block[H->col[e]];
        if (H->val[e] == 0 || r->seen[k] == i) continue;
        r->seen[k] = i;
        if (pass) r->row[r->row_start[k + 1]++] = i;
        else r->row_start[k + 2]++;
      }
    if (pass) break;
    for (int k = 0; k <= b->blocks; k++) r->row_start[k + 1] += r->row_start[k];
    r->row = sk_calloc((size_t)r->row_start[b->blocks + 1], sizeof(int));
    if (!r->row) return false;
  }
  return true;
}

static bool make_reducer(const sk_banded *b, const skein_csr *H, reducer *r)
{
  size_t rows = (size_t)H->rows;
  *r = (reducer){.b = b, .H = H};
  r->mark = sk_calloc(rows, sizeof(int)), r->list = sk_calloc(rows, sizeof(int));
  r->seen = sk_calloc((size_t)b->blocks, sizeof(int)), r->cursor = sk_calloc(rows, sizeof(int));
  r->x = aligned_alloc(32, sizeof(four) * ((size_t)b->n + 1)), r->sum = aligned_alloc(32, sizeof(four) * (rows + 1));
  if (!r->mark || !r->list || !r->seen || !r->cursor || !r->x || !r->sum) return false;
  memset(r->sum, 0, sizeof(four) * (rows + 1));
  return list_rows(r);
}

static int compare_ints(const void *a, const void *b)
{
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* The rows that share a block with row i, itself included where it has entries, ascending; stamp: unlike any before. */
static int neighbours(reducer *r, int i, int stamp, int *list)
{
  int count = 0;
  for (int64_t e = r->H->start[i]; e < r->H->start[i + 1]; e++) {
    int k = r->b->block[r->H->col[e]];
    for (int q = r->row_start[k]; r->H->val[e] != 0 && q < r->row_start[k + 1]; q++)
      if (r->mark[r->row[q]] != stamp) r->mark[r->row[q]] = stamp, list[count++] = r->row[q];
    while (e + 1 < r->H->start[i + 1] && r->b->block[r->H->col[e + 1]] == k && r->H->val[e] != 0) e++;
  }
  qsort(list, (size_t)count, sizeof *list, compare_ints);
  return count;
}

/* Pattern of W: places in rows, sorted. */
static skein_status make_pattern(reducer *r, skein_csr *W)
{
  int rows = r->H->rows;
  int64_t entries = 0;
  for (int i = 0; i < rows; i++) entries += neighbours(r, i, i + 1, r->list);
  skein_status s = sk_csr_create(rows, rows, entries, W);
  if (s.code) return s;
  memset(r->mark, 0, sizeof(int) * (size_t)rows);
  for (int i = 0; i < rows; i++) {
    int count = neighbours(r, i, i + 1, r->list);
    W->start[i + 1] = W->start[i] + count;
    if (count > 0) memcpy(W->col + W->start[i], r->list, sizeof(int) * (size_t)count);
  }
  return s;
}

/* sum[k] += h_k . x over one block, for rows from `first` on. */
static void add_products(reducer *r, int block, int first)
{
  const skein_csr *H = r->H;
  for (int q = r->row_start[block]; q < r->row_start[block + 1]; q++) {
    int k = r->row[q];
    if (k < first) continue;
    four sum = r->sum[k];
    for (int64_t e = H->start[k]; e < H->start[k + 1]; e++)
      if (r->b->block[H->col[e]] == block) sum += H->val[e] * r->x[H->col[e]];
    r->sum[k] = sum;
  }
}

/* Rows first .. first + count - 1 of W from the diagonal on, and the same below it. */
static void reduce_batch(reducer *r, int first, int count, skein_csr *W)
{
  const skein_csr *H = r->H;
  for (int64_t e = H->start[first]; e < H->start[first + count]; e++) {
    int block = r->b->block[H->col[e]], begin = r->b->start[block], end = r->b->start[block + 1], low = end;
    if (H->val[e] == 0 || r->seen[block] == first) continue;
    r->seen[block] = first;
    memset(r->x + begin, 0, sizeof(four) * (size_t)(end - begin));
    for (int c = 0; c < count; c++)
      for (int64_t a = H->start[first + c]; a < H->start[first + c + 1]; a++)
        if (r->b->block[H->col[a]] == block) r->x[H->col[a]][c] += H->val[a], low = SK_MIN(low, H->col[a]);
    solve_block(r->b, block, low, r->x);
    add_products(r, block, first);
  }
  for (int c = 0; c < count; c++) {
    int i = first + c;
    for (int64_t e = W->start[i]; e < W->start[i + 1]; e++) {
      int k = W->col[e];
      if (k < i) continue;
      W->val[e] = r->sum[k][c];
      if (k > i) W->val[W->start[k] + r->cursor[k]++] = r->sum[k][c];
    }
  }
  for (int c = 0; c < count; c++)
    for (int64_t e = W->start[first + c]; e < W->start[first + c + 1]; e++) r->sum[W->col[e]] = (four){0, 0, 0, 0};
}

skein_status sk_banded_reduce(const sk_banded *b, const skein_csr *H, skein_csr *W)
{
  reducer r;
  *W = (skein_csr){0};
  skein_status s = make_reducer(b, H, &r) ? make_pattern(&r, W) : sk_no_memory();
  if (s.code == SKEIN_OK) {
    for (int k = 0; k < b->blocks; k++) r.seen[k] = -1;
    for (int i = 0; i < H->rows; i += 4) reduce_batch(&r, i, SK_MIN(4, H->rows - i), W);
  }
  free_reducer(&r);
  return s;
}
