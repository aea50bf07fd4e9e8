/* Anderson acceleration of a fixed-point map r -> g(r) that carries a state x, affine in r, along; by the pieces of an
 * order, on a team. Private. */
#ifndef SK_ANDERSON_H
#define SK_ANDERSON_H

#include "friction/team.h"

enum { SK_ANDERSON_MEMORY = 5 };

typedef struct sk_anderson_def {
  int n, x_size;        /* contacts, doubles of state */
  double *r, *x;        /* 3 n and x_size: what is mixed */
  const double *weight; /* n: w_i; residuals are measured by sum w_i |f_i|^2, the energy of the change */
  const sk_order *order;
  sk_team *team;
} sk_anderson_def;

/* What a piece adds to |f|^2, to the products of f with the differences, and of the newest difference with them. */
typedef struct sk_anderson_sums {
  double norm2, f[SK_ANDERSON_MEMORY], newest[SK_ANDERSON_MEMORY];
} sk_anderson_sums;

typedef struct sk_anderson {
  sk_anderson_def def;
  int held, next;     /* differences held, slot of the next */
  bool fresh;         /* no previous iterate yet */
  double *before;     /* 3 n: r before the sweep */
  double *f, *g, *xg; /* last residual, last g(r), its state */
  double *df[SK_ANDERSON_MEMORY], *dg[SK_ANDERSON_MEMORY], *dx[SK_ANDERSON_MEMORY];
  double gram[SK_ANDERSON_MEMORY][SK_ANDERSON_MEMORY];
  double gamma[SK_ANDERSON_MEMORY];
  sk_anderson_sums *sums; /* of each piece */
  int differ_job, mix_job;
  double norm, best; /* residual of the last sweep, smallest since the restart */
} sk_anderson;

skein_status sk_anderson_make(const sk_anderson_def *def, sk_arena *arena, sk_anderson *a);
void sk_anderson_restart(sk_anderson *a);
/* Before a sweep: remembers r. */
void sk_anderson_before(sk_anderson *a);
/* After it: r = g(r), x its state; replaces both by the mixture. Returns the residual's norm before mixing. */
double sk_anderson_mix(sk_anderson *a);

#endif
