/* Gauss-Legendre quadrature on 0 .. 1: exact for polynomials of degree 2 n - 1. */
#ifndef SK_GAUSS_H
#define SK_GAUSS_H

/* The smallest rule with at least n points (5, 8, 12, 16 or 24): pairs (place, weight). */
const double (*sk_gauss(int n, int *points))[2];

#endif
