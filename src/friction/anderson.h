/* Anderson acceleration of a fixed-point map r -> g(r) that carries a state x, affine in r, along. Private. */
#ifndef SK_ANDERSON_H
#define SK_ANDERSON_H

#include "base/base.h"

enum { SK_ANDERSON_MEMORY = 5 };

typedef struct sk_anderson {
  int n, x_size;        /* contacts, doubles of state */
  const double *weight; /* n: w_i; residuals are measured by sum w_i |f_i|^2, the energy of the change */
  int held, next;       /* differences held, slot of the next */
  bool fresh;           /* no previous iterate yet */
  double *before;       /* 3 n: r before the sweep */
  double *f, *g, *xg;   /* last residual, last g(r), its state */
  double *df[SK_ANDERSON_MEMORY], *dg[SK_ANDERSON_MEMORY], *dx[SK_ANDERSON_MEMORY];
  double gram[SK_ANDERSON_MEMORY][SK_ANDERSON_MEMORY];
  double norm, best; /* residual of the last sweep, smallest since the restart */
} sk_anderson;

skein_status sk_anderson_make(int n, int x_size, const double *weight, sk_arena *arena, sk_anderson *a);
void sk_anderson_restart(sk_anderson *a);
/* Before a sweep: remembers r. */
void sk_anderson_before(sk_anderson *a, const double *r);
/* After it: r = g(r), x its state; replaces both by the mixture. Returns the residual's norm before mixing. */
double sk_anderson_mix(sk_anderson *a, double *r, double *x);

#endif
