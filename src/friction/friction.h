/* Door of the friction room: the law, its error, local and global solvers, the two forms of the operator. */
#ifndef SK_FRICTION_H
#define SK_FRICTION_H

#include "base/base.h"
#include "sparse/sparse.h"

/* ---- law.c: Coulomb's law and its error, independent of every solver ---- */

/* Units: u is measured by U, r by U / w. Both 1: the problem's own units (error_fb). */
typedef struct sk_scale {
  double U, w;
} sk_scale;

/* f = x + y - (x o x + y o y)^(1/2), the Fischer-Burmeister function of the self-dual cone, d = 2 or 3. */
void sk_fb(int d, const double *x, const double *y, double *f);

/* |f_FB(r^, u^)|_inf of one contact, r^ = (mu r_N, r_T) w/U, u^ = (u_N + mu |u_T|, mu u_T) / U. */
double sk_contact_error(int d, const double *r, const double *u, double mu, sk_scale scale);

/* Both errors over all contacts: the one function that every solver reports. */
skein_error sk_law_error(int d, int n, const double *r, const double *u, const double *mu, sk_scale scale);

/* error.c: skein_problem_error without the checks; scale: U and w where they are known already, or NULL. */
skein_status sk_problem_error(const skein_problem *p, const double *r, const sk_scale *scale, int threads,
                              skein_error *error, double *u_out, double *v_out);

/* U = max |b|_inf, w = mean trace(W_ii)/d; 1 where that is zero. Wii: d x d blocks of the diagonal. */
sk_scale sk_scale_make(int d, int n, const double *Wii, const double *b);

#endif
