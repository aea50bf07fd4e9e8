/* One-contact solvers: u = W r + b, (r, u) in C(mu). Private to the friction room. */
#ifndef SK_LOCAL_H
#define SK_LOCAL_H

#include "friction/friction.h"

/* One contact, always in three dimensions: a two-dimensional contact gets a second tangent with unit W and b = 0,
 * along which the answer is exactly 0. */
typedef struct sk_one {
  double W[9]; /* by rows */
  double b[3];
  double mu;
  skein_ball ball; /* of pac and dac */
} sk_one;

sk_one sk_one_make(int d, const double *W, const double *b, double mu);

/* u = W r + b */
void sk_one_velocity(const sk_one *p, const double *r, double *u);

/* r: guess in, answer out, in units where |b| and trace(W)/3 are about 1; true when |f_FB|_inf <= tol. */
typedef bool (*sk_one_fn)(const sk_one *p, double tol, double *r);

typedef struct sk_local_row {
  sk_one_fn solve;
  bool exact; /* its fixed point is Coulomb's law */
} sk_local_row;

extern const sk_local_row sk_local_table[SKEIN_LOCAL_COUNT];

bool sk_one_secular(const sk_one *p, double tol, double *r);
bool sk_one_mfb(const sk_one *p, double tol, double *r);
bool sk_one_pac(const sk_one *p, double tol, double *r);
bool sk_one_dac(const sk_one *p, double tol, double *r);
bool sk_one_enum(const sk_one *p, double tol, double *r);
bool sk_one_duriez06(const sk_one *p, double tol, double *r);
bool sk_one_duriez08(const sk_one *p, double tol, double *r);
bool sk_one_pyramid4(const sk_one *p, double tol, double *r);

/* What the error of r is above the rounding of r itself, 2e-15 |r|_1 (at least 1e-13: all below is as good), in units
 * where |b| and W are about 1: several solutions may exist (W nearly singular, mu |w_T| > w_N), and a huge one is no
 * better than a tame one. */
double sk_one_score(const sk_one *p, const double *r);
/* r <- t when t scores less, or as little with a smaller impulse; *score follows. */
void sk_one_keep(const sk_one *p, const double *t, double *score, double *r);

/* |f_FB|_inf of r in the units of the problem as given. */
double sk_one_error(const sk_one *p, const double *r);

/* Counts of what the local solvers did. */
typedef struct sk_local_counts {
  int64_t solves, alternates, failures;
} sk_local_counts;

/* Any row of the table, then `enum` when it missed tol and failsafe is set, then r = 0: units are handled here.
 * tol is on the error with the given scale. */
bool sk_one_solve(const sk_one *p, skein_local local, bool failsafe, sk_scale scale, double tol, double *r,
                  sk_local_counts *counts);

/* ---- secular.c: what a contact keeps between visits ---- */
typedef struct sk_secular {
  double W[6];           /* symmetric part of W_ii: NN, N1, N2, 11, 12, 22 */
  double inv_wN;         /* 1 / w_N; 0 when w_N = 0 */
  double w1, w2;         /* Q' w_T / w_N */
  double c, s;           /* Q = [c -s; s c] */
  double l1, l2;         /* eigenvalues of Wb, >= 0 */
  double inv_l1, inv_l2; /* their inverses; 0 where singular */
  double mu;
  double a;             /* root of the last visit: where Newton starts */
  double tangent;       /* 1 + mu |w|: for the bracket */
  double stop;          /* relative miss from which one Newton step is enough */
  bool several;         /* there may be more than one answer; then one that slides goes on sliding while it can */
  bool visited, slides; /* what the last visit found */
} sk_secular;

sk_secular sk_secular_make(const sk_one *p);
/* b = u - W_s r, the free velocity of the contact. With W_s the symmetric part of W_ii (plus a proximal term where it
 * is singular) a fixed point of b = u - W_s r, r = solve(b) is exact for W as it is. */
void sk_secular_free(const sk_secular *k, const double *u, const double *r, double *b);
/* The sticking answer for b_N < 0, mu > 0; false when it is not admissible. */
bool sk_secular_stick(const sk_secular *k, const double *b, double *r);
/* The sliding answer nearest to k->a, whether or not sticking is admissible. */
bool sk_secular_slide(sk_secular *k, const double *b, double *r);
/* r for the free velocity b (three components). False when there is no solution (w_N = 0, b_N < 0). */
bool sk_secular_solve(sk_secular *k, const double *b, double *r);

/* Both: r for the current velocity u and impulse r of the contact; false, and r as it was, when there is no solution.
 */
bool sk_secular_visit(sk_secular *k, const double *u, double *r);

/* ---- fb_ac.c: the two functions whose zero is the law, with Jacobians ---- */

/* f = f_FB(r^, u^) and its derivatives by r and u (3 x 3 by rows); rho: units of u^ against r^. */
void sk_fb_eval(const double *r, const double *u, double mu, double rho, double *f, double *dfdr, double *dfdu);
/* The Alart-Curnier function: its ball, and the units of r against u. */
typedef struct sk_ac_def {
  skein_ball ball;
  double rho_N, rho_T;
} sk_ac_def;

/* f = Alart-Curnier function and its derivatives. */
void sk_ac_eval(const double *r, const double *u, double mu, const sk_ac_def *def, double *f, double *dfdr,
                double *dfdu);

/* Solves A x = f for 3 x 3 A by partial pivoting; false when singular to working precision. */
bool sk_solve3(const double *A, const double *f, double *x);

#endif
