/* One Gauss-Seidel sweep, in the form that suits the system. Private to the friction room. */
#ifndef SK_SWEEP_H
#define SK_SWEEP_H

#include "friction/solver.h"
#include "friction/team.h"

/* push: u (stride 4) is kept up to date, W_:i dr_i is added to it; small explicit systems, one thread.
 * pull: u_i = b_i + sum_j W_ij r_j; large explicit systems, in pieces for several threads.
 * factored: u_i = b_i + G_i y, y += G_i' dr_i; in pieces for several threads when the system is large. */
typedef enum sk_sweep_kind { SK_SWEEP_PUSH, SK_SWEEP_PULL, SK_SWEEP_FACTORED } sk_sweep_kind;

/* What a piece of the order did in the last sweep; counts: in all. */
typedef struct sk_sweep_part {
  double change, error; /* error: when that was last looked at, and of which contact */
  int resting, worst;
  sk_local_counts counts;
} sk_sweep_part;

typedef struct sk_sweep {
  sk_sweep_kind kind;
  const sk_system *s;
  skein_local local;
  bool failsafe;
  skein_ball ball;
  sk_scale scale;
  double local_tol;
  double omega; /* a visit goes this share of the way to its solution: 1, more to over-relax */
  bool damped;  /* instead, each contact has its own share, and its last change */
  double *own, *last;
  double *r; /* 3 n */
  double *x; /* state beside r: u with stride 4 (push), y (factored), none (pull) */
  int x_size;
  sk_secular *contact;
  double *error;       /* n: of each contact, when they were last measured */
  double *weight;      /* n: w_i = trace(W_ii)/3, units of r -> u */
  int *frozen;         /* sweeps that contact i still sits out */
  double ignore;       /* a change |dr| w_i below this is not made */
  double far_open;     /* an open contact with u_N above this rests for some sweeps */
  int runs;            /* sweeps so far */
  double freeze_below; /* a contact whose |dr| w_i / U is below this rests; 0: never */
  int threads;
  const sk_order *order; /* of the system, or `whole`: one piece */
  sk_order whole;
  sk_sweep_part *part; /* of each piece */
  sk_team *team;
  int sweep_job, refresh_job, measure_job;
  double change; /* largest |dr_i| w_i / U of the last sweep */
  int resting;   /* contacts that sat the last sweep out */
} sk_sweep;

skein_status sk_sweep_make(sk_work *w, sk_sweep *g);
/* Takes r as the current impulse and computes x afresh. */
void sk_sweep_set(sk_sweep *g, const double *r);
/* x from r, afresh: removes the drift of many updates. */
void sk_sweep_refresh(sk_sweep *g);
void sk_sweep_run(sk_sweep *g);
/* Smaller changes count, and roots are found to more digits: for a sweep that stands still above the tolerance. */
void sk_sweep_tighten(sk_sweep *g);
/* From now on contacts that go to and fro take shorter steps. */
void sk_sweep_damp(sk_sweep *g);
/* Every contact takes part again, when the last sweep left some out. */
void sk_sweep_thaw(sk_sweep *g);
/* The largest error, with the velocities that the sweep keeps, in the measure of def; *worst: of which contact. */
double sk_sweep_measure(sk_sweep *g, int *worst);
sk_local_counts sk_sweep_finish(sk_sweep *g); /* of all sweeps; releases the team */
/* The velocity of a contact as the sweep sees it. */
void sk_sweep_contact_velocity(const sk_sweep *g, int i, double *u);

#endif
