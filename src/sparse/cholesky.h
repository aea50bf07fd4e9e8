/* Sparse Cholesky of a large symmetric positive definite matrix: the mass matrix of a finite-element mesh, or of long
 * chains. */
#ifndef SK_CHOLESKY_H
#define SK_CHOLESKY_H

#include "sparse/sparse.h"

typedef struct sk_cholesky sk_cholesky;

/* M = L L', with a fill-reducing order unless M is a narrow band; BAD_INPUT when M is not positive definite. */
skein_status sk_cholesky_create(const skein_csr *M, sk_cholesky **out);
void sk_cholesky_destroy(sk_cholesky *c); /* NULL is fine */
/* x <- M^-1 x */
skein_status sk_cholesky_solve(sk_cholesky *c, double *x);
/* W = H M^-1 H' = X' X, X = L^-1 H' sparse. The caller owns W. */
skein_status sk_cholesky_reduce(sk_cholesky *c, const skein_csr *H, skein_csr *W);

#endif
