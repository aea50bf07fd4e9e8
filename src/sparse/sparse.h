/* Sparse matrices: scalar rows at the border of the library, d x d blocks inside. */
#ifndef SK_SPARSE_H
#define SK_SPARSE_H

#include "base/base.h"

#include <skein/problem.h>

/* ---- union_find.c: sets of 0 .. n-1, the root of a set is its smallest member ---- */
void sk_union_init(int *parent, int n);
int sk_union_find(int *parent, int i);
void sk_union_join(int *parent, int i, int j);

/* ---- colour.c, blocks.c ----
 * Orders in which several threads may visit contacts: the contacts of a piece one after the other, pieces side by side,
 * but each after all that it waits for. Same order, same result, for any number of threads.
 * The contacts are `rows` (n of them); the keys of contact i are key[start[i] .. start[i+1]-1], below `keys`; order
 * gets the rows as they are visited. false: no memory. */
typedef struct sk_order {
  int pieces;   /* 0: no such order */
  int *start;   /* pieces + 1, into the contacts as they are visited */
  int *before;  /* piece q waits for pieces 0 .. before[q] - 1; those that wait for the same ones are a stage */
  double *home; /* where in the whole the piece lies, 0 to 1: threads share them out by it */
} sk_order;

/* Keys are the neighbours: no two contacts of one colour are neighbours; a colour is cut into short pieces. */
bool sk_colour_order(const int *rows, int n, const int64_t *start, const int *key, int keys, sk_arena *arena,
                     int *order, sk_order *out);
/* Keys are the objects that a contact touches, which are put together into blocks. */
bool sk_block_order(const int *rows, int n, const int64_t *start, const int *key, int keys, sk_arena *arena, int *order,
                    sk_order *out);

/* ---- blas.c ----
 * OpenBLAS sums in an order that depends on its own threads: it is held at one thread between sk_blas_hold(1) and
 * sk_blas_hold(-1), over all callers, and gets its setting back afterwards. */
void sk_blas_hold(int change);

/* ---- csr.c ---- */
skein_status sk_csr_create(int rows, int cols, int64_t entries, skein_csr *A); /* owned by the caller */
void sk_csr_destroy(skein_csr *A);
/* Shape, monotone starts, columns in range, finite values; the message names `field`. */
skein_status sk_csr_check(const skein_csr *A, int rows, int cols, const char *field);
/* Of a matrix whose shape and starts are sound: whether columns are in range and values finite. */
bool sk_csr_is_good(const skein_csr *A, int threads);
/* T = A', rows in ascending order of columns; owned by the caller. */
skein_status sk_csr_transpose(const skein_csr *A, skein_csr *T);
/* y = A x + beta y */
void sk_csr_mul_add(const skein_csr *A, const double *x, double beta, double *y, int threads);

/* ---- bsr.c: blocks of d x d, by rows inside a block ---- */
enum { SK_BSR_PAD = 4 }; /* doubles after the last block: kernels load four at a time */
typedef struct sk_bsr {
  int d, n;       /* n x n blocks */
  int64_t *start; /* n + 1 */
  int *col;       /* sorted in each row */
  double *val;    /* d * d each */
} sk_bsr;

/* Blocks of A, duplicates added; every row gets its diagonal block, zero where A has none. */
skein_status sk_bsr_from_csr(const skein_csr *A, int d, sk_arena *arena, sk_bsr *B);
/* The blocks whose row and column are in `rows` (count of them, ascending); map: row -> position or -1. */
skein_status sk_bsr_extract(const sk_bsr *A, const int *rows, int count, const int *map, sk_arena *arena, sk_bsr *B);
/* B = A', block by block. */
skein_status sk_bsr_transpose(const sk_bsr *A, sk_arena *arena, sk_bsr *B);
/* y = A x + b */
void sk_bsr_mul_add(const sk_bsr *A, const double *x, const double *b, double *y);

#endif
