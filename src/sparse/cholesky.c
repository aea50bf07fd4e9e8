/* Sparse Cholesky by CXSparse (Davis 2006), up-looking, in the order of AMD; chains of nodes, which are narrow bands as
 * they stand, by banded.c, without a search for an order. */
#include "sparse/cholesky.h"

#include "sparse/banded.h"

#include <cs.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NARROW = 48 }; /* diagonals of a band that no other order would improve by much */

struct sk_cholesky {
  sk_banded *band; /* instead of what follows */
  int n;
  cs_dis *symbolic; /* order: pinv[i] is the place of row i */
  cs_din *numeric;  /* L */
  double *work;     /* n */
};

/* The rows of A as the columns of a CXSparse matrix, A', rows at their places; entries that are given twice add up. */
static cs_di *to_columns(const skein_csr *A, const int *place)
{
  if (A->start[A->rows] > INT_MAX) return NULL;
  cs_di *t = cs_di_spalloc(A->cols, A->rows, (int)A->start[A->rows], 1, 0);
  if (!t) return NULL;
  for (int i = 0; i < A->rows; i++) {
    t->p[i + 1] = (int)A->start[i + 1];
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++)
      t->i[k] = place ? place[A->col[k]] : A->col[k], t->x[k] = A->val[k];
  }
  t->p[0] = 0;
  if (cs_di_dupl(t)) return t;
  cs_di_spfree(t);
  return NULL;
}

static skein_status factor(const skein_csr *M, sk_cholesky *c)
{
  enum { amd_of_sum = 1 };
  cs_di *A = to_columns(M, NULL);
  c->n = M->rows, c->work = malloc((size_t)M->rows * sizeof *c->work + 1);
  c->symbolic = A ? cs_di_schol(amd_of_sum, A) : NULL;
  skein_status s = c->symbolic && c->work ? sk_ok() : sk_no_memory();
  if (s.code == SKEIN_OK && !(c->numeric = cs_di_chol(A, c->symbolic)))
    s = sk_fail(SKEIN_BAD_INPUT, "M: is not positive definite");
  cs_di_spfree(A);
  return s;
}

skein_status sk_cholesky_create(const skein_csr *M, sk_cholesky **out)
{
  sk_cholesky *c = *out = sk_calloc(1, sizeof *c);
  int kd = sk_banded_width(M);
  if (!c) return sk_no_memory();
  skein_status s = kd <= NARROW ? sk_banded_create(M, kd, &c->band) : factor(M, c);
  if (s.code) sk_cholesky_destroy(c), *out = NULL;
  return s;
}

void sk_cholesky_destroy(sk_cholesky *c)
{
  if (!c) return;
  if (c->band) sk_banded_destroy(c->band);
  cs_di_sfree(c->symbolic), cs_di_nfree(c->numeric);
  free(c->work), free(c);
}

skein_status sk_cholesky_solve(sk_cholesky *c, double *x)
{
  if (c->band) {
    sk_banded_solve(c->band, x);
    return sk_ok();
  }
  cs_di_ipvec(c->symbolic->pinv, x, c->work, c->n);
  cs_di_lsolve(c->numeric->L, c->work);
  cs_di_ltsolve(c->numeric->L, c->work);
  cs_di_pvec(c->symbolic->pinv, c->work, x, c->n);
  return sk_ok();
}

/* X = L^-1 B column by column: what of x is not zero is what the entries of the column reach in the graph of L. */
static cs_di *solve_columns(cs_di *L, const cs_di *B)
{
  int n = L->n, *reached = malloc(2 * (size_t)n * sizeof *reached + 1);
  double *x = malloc((size_t)n * sizeof *x + 1);
  cs_di *X = cs_di_spalloc(n, B->n, 4 * B->p[B->n] + n, 1, 0);
  bool good = reached && x && X;
  int count = 0;
  for (int k = 0; k < B->n && good; k++) {
    int top = cs_di_spsolve(L, B, k, reached, x, NULL, 1);
    X->p[k] = count;
    int room = X->nzmax > INT_MAX / 2 - n ? INT_MAX : 2 * X->nzmax + n;
    good = count <= INT_MAX - n && (count + n <= X->nzmax || cs_di_sprealloc(X, room));
    for (; top < n && good; top++) X->i[count] = reached[top], X->x[count++] = x[reached[top]];
  }
  if (good) X->p[B->n] = count;
  free(reached), free(x);
  return good ? X : cs_di_spfree(X);
}

/* Columns of a symmetric matrix are its rows. */
static skein_status to_rows(const cs_di *A, skein_csr *W)
{
  skein_status s = sk_csr_create(A->n, A->m, A->p[A->n], W);
  if (s.code) return s;
  for (int j = 0; j <= A->n; j++) W->start[j] = A->p[j];
  for (int k = 0; k < A->p[A->n]; k++) W->col[k] = A->i[k], W->val[k] = A->x[k];
  return s;
}

skein_status sk_cholesky_reduce(sk_cholesky *c, const skein_csr *H, skein_csr *W)
{
  if (c->band) return sk_banded_reduce(c->band, H, W);
  cs_di *B = to_columns(H, c->symbolic->pinv), *X = B ? solve_columns(c->numeric->L, B) : NULL;
  cs_di *T = X ? cs_di_transpose(X, 1) : NULL, *S = T ? cs_di_transpose(T, 1) : NULL; /* S: X with sorted columns, */
  cs_di *A = S ? cs_di_multiply(T, S) : NULL; /* so that W_ij and W_ji are the same sum */
  skein_status s = A ? to_rows(A, W) : sk_no_memory();
  cs_di *all[] = {B, X, T, S, A};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) cs_di_spfree(all[k]);
  return s;
}
