/* Door of the friction room: the law, its error, local and global solvers, the two forms of the operator. */
#ifndef SK_FRICTION_H
#define SK_FRICTION_H

#include "base/base.h"
#include "sparse/sparse.h"

#include <skein/problem.h>

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
skein_error sk_law_error(int d, int n, const double *r, const double *u, const double *mu, sk_scale scale, int threads);

/* error.c: skein_problem_error without the checks. What is known already, or NULL: U and w, the factors of M. */
typedef struct sk_error_def {
  const sk_scale *scale;
  const struct sk_objects *objects;
  int threads;
} sk_error_def;

skein_status sk_problem_error(const skein_problem *p, const double *r, const sk_error_def *def, skein_error *error,
                              double *u_out, double *v_out);

/* solve.c: a problem made ready once and solved several times, while only its u_f (or b) changes; its memory serves the
 * next problem. skein_solve is all of it in one call, with the checks. */
typedef struct sk_solver sk_solver;
sk_solver *sk_solver_create(void); /* NULL: no memory */
void sk_solver_destroy(sk_solver *s);
/* p, which is sound and has contacts, must outlive what follows. */
skein_status sk_solver_set(sk_solver *s, const skein_problem *p, skein_operator form, int threads);
void sk_solver_update(sk_solver *s); /* u_f, or b, of the problem has changed */
/* As skein_solve, with the form and the threads that were set. */
skein_status sk_solver_run(sk_solver *s, const skein_solve_def *def, skein_solution *out, skein_solve_info *info);

/* problem.c: whether all numbers of a global problem that is sound otherwise are finite. */
bool sk_problem_is_finite(const skein_problem *p, int threads);

/* U = max |b|_inf, w = mean trace(W_ii)/d; 1 where that is zero. Wii: d x d blocks of the diagonal. */
sk_scale sk_scale_make(int d, int n, const double *Wii, const double *b);

#endif
