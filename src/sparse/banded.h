/* Cholesky of a block diagonal matrix whose blocks are narrow bands in the order they have: long chains of nodes. */
#ifndef SK_BANDED_H
#define SK_BANDED_H

#include "sparse/sparse.h"

typedef struct sk_banded sk_banded;

/* Diagonals below the main one. */
int sk_banded_width(const skein_csr *M);
/* M = L L'; BAD_INPUT when M is not positive definite. kd: its width. */
skein_status sk_banded_create(const skein_csr *M, int kd, sk_banded **out);
void sk_banded_destroy(sk_banded *b); /* NULL is fine */
/* x <- M^-1 x */
void sk_banded_solve(const sk_banded *b, double *x);
/* W = H M^-1 H', symmetric to the last bit. The caller owns W. */
skein_status sk_banded_reduce(const sk_banded *b, const skein_csr *H, skein_csr *W);

#endif
