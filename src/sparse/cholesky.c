/* Sparse Cholesky by CHOLMOD (Chen, Davis, Hager, Rajamanickam 2008); chains of nodes, which are narrow bands as they
 * stand, by banded.c, without a search for an order. */
#include "sparse/cholesky.h"

#include "sparse/banded.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

enum { NARROW = 48 }; /* diagonals of a band that no other order would improve by much */

struct sk_cholesky {
  sk_banded *band; /* instead of what follows */
  cholmod_common common;
  cholmod_factor *L;
  int n;
};

static skein_status failure(const cholmod_common *c)
{
  if (c->status == CHOLMOD_OUT_OF_MEMORY) return sk_no_memory();
  return sk_fail(SKEIN_BAD_INPUT, "M: sparse Cholesky failed (CHOLMOD status %d)", c->status);
}

/* The rows of A as the columns of a CHOLMOD matrix: A'. */
static cholmod_sparse *to_columns(const skein_csr *A, int stype, cholmod_common *c)
{
  cholmod_triplet *t =
      cholmod_allocate_triplet((size_t)A->cols, (size_t)A->rows, (size_t)A->start[A->rows], stype, CHOLMOD_REAL, c);
  if (!t) return NULL;
  int *row = t->i, *col = t->j;
  double *val = t->x;
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      if (stype && A->col[k] > i)
        continue; /* the half that CHOLMOD wants: column index <= row index of M, stored as upper */
      row[t->nnz] = A->col[k], col[t->nnz] = i, val[t->nnz++] = A->val[k];
    }
  cholmod_sparse *s = cholmod_triplet_to_sparse(t, 0, c);
  cholmod_free_triplet(&t, c);
  return s;
}

skein_status sk_cholesky_create(const skein_csr *M, sk_cholesky **out)
{
  sk_cholesky *c = *out = sk_calloc(1, sizeof *c);
  int kd = sk_banded_width(M);
  if (!c) return sk_no_memory();
  if (kd <= NARROW) {
    skein_status made = sk_banded_create(M, kd, &c->band);
    if (made.code) free(c), *out = NULL;
    return made;
  }
  cholmod_start(&c->common);
  c->common.print = 0, c->common.final_ll = 1, c->n = M->rows;
  sk_blas_hold(1);
  cholmod_sparse *A = to_columns(M, 1, &c->common);
  c->L = A ? cholmod_analyze(A, &c->common) : NULL;
  if (c->L) cholmod_factorize(A, c->L, &c->common);
  cholmod_free_sparse(&A, &c->common);
  skein_status s = sk_ok();
  if (!c->L || c->common.status < 0) s = failure(&c->common);
  else if (c->L->minor < c->L->n) s = sk_fail(SKEIN_BAD_INPUT, "M: is not positive definite");
  if (s.code) sk_cholesky_destroy(c), *out = NULL;
  return s;
}

void sk_cholesky_destroy(sk_cholesky *c)
{
  if (!c) return;
  if (c->band) {
    sk_banded_destroy(c->band);
    free(c);
    return;
  }
  cholmod_free_factor(&c->L, &c->common);
  cholmod_finish(&c->common);
  sk_blas_hold(-1);
  free(c);
}

skein_status sk_cholesky_solve(sk_cholesky *c, double *x)
{
  if (c->band) {
    sk_banded_solve(c->band, x);
    return sk_ok();
  }
  cholmod_dense b = {.nrow = (size_t)c->n,
                     .ncol = 1,
                     .nzmax = (size_t)c->n,
                     .d = (size_t)c->n,
                     .x = x,
                     .xtype = CHOLMOD_REAL,
                     .dtype = CHOLMOD_DOUBLE};
  cholmod_dense *y = cholmod_solve(CHOLMOD_A, c->L, &b, &c->common);
  if (!y) return failure(&c->common);
  memcpy(x, y->x, (size_t)c->n * sizeof *x);
  cholmod_free_dense(&y, &c->common);
  return sk_ok();
}

/* Rows of a symmetric matrix that CHOLMOD holds by columns. */
static skein_status to_rows(const cholmod_sparse *A, skein_csr *W)
{
  const int *p = A->p;
  skein_status s = sk_csr_create((int)A->ncol, (int)A->nrow, p[A->ncol], W);
  if (s.code) return s;
  for (size_t j = 0; j <= A->ncol; j++) W->start[j] = p[j];
  if (p[A->ncol] == 0) return s;
  memcpy(W->col, A->i, (size_t)p[A->ncol] * sizeof *W->col);
  memcpy(W->val, A->x, (size_t)p[A->ncol] * sizeof *W->val);
  return s;
}

skein_status sk_cholesky_reduce(sk_cholesky *c, const skein_csr *H, skein_csr *W)
{
  if (c->band) return sk_banded_reduce(c->band, H, W);
  cholmod_common *common = &c->common;
  cholmod_sparse *B = to_columns(H, 0, common);
  cholmod_sparse *P = B ? cholmod_spsolve(CHOLMOD_P, c->L, B, common) : NULL;
  cholmod_sparse *X = P ? cholmod_spsolve(CHOLMOD_L, c->L, P, common) : NULL;
  cholmod_sparse *T = X ? cholmod_transpose(X, 1, common) : NULL;
  cholmod_sparse *A = T ? cholmod_aat(T, NULL, 0, 1, common) : NULL;
  skein_status s = A ? to_rows(A, W) : failure(common);
  cholmod_sparse **all[] = {&B, &P, &X, &T, &A};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) cholmod_free_sparse(all[k], common);
  return s;
}
