/* What the global solvers share: one island to solve, its progress and its limits. Private to the friction room. */
#ifndef SK_SOLVER_H
#define SK_SOLVER_H

#include "friction/local.h"
#include "friction/system.h"

#include <pthread.h>

/* One island at work. r is the guess and, at the end, the best impulse found; error is its error. */
typedef struct sk_work {
  const sk_system *system;
  const skein_solve_def *def;
  double *r;    /* 3 n */
  double *u;    /* 3 n: velocity of r, by the full operator, where error was evaluated */
  double *y;    /* factored form: y of r */
  double error; /* in the measure of def; infinity: not evaluated */
  int iterations;
  int64_t visits;           /* of contacts, by sweeps: those that rest are not visited */
  double started;           /* wall clock at the start of the solve */
  skein_method method;      /* what is running */
  int suspect;              /* contact that was last seen above tol */
  pthread_mutex_t *telling; /* one progress call at a time, per solve */
  bool stop;                /* time is up, or the caller said so */
  bool is_patch;            /* it is a part of an island (patch.c) */
  sk_local_counts counts;
  sk_arena arena;     /* of this island */
  struct sk_kkt *kkt; /* linear system of the interior-point method where it is already ordered, or NULL */
} sk_work;

/* A global solver: improves w->r until w->error <= tol or a limit; never makes it worse than it was. */
typedef skein_status (*sk_method_fn)(sk_work *w);

/* Looks at Gauss-Seidel from outside: true to give it up. Called at every full evaluation of the error. */
typedef struct sk_watch {
  bool (*give_up)(struct sk_watch *watch, int sweeps, double error);
} sk_watch;

skein_status sk_solve_gs(sk_work *w);
skein_status sk_gs_run(sk_work *w, sk_watch *watch); /* watch may be NULL */
skein_status sk_solve_newton_ac(sk_work *w);
skein_status sk_solve_newton_mfb(sk_work *w);
skein_status sk_solve_admm(sk_work *w);
skein_status sk_solve_ipm(sk_work *w);
skein_status sk_solve_auto(sk_work *w);

/* ---- work.c ---- */

/* Largest contact error of (r, u) in the measure of def. */
double sk_work_measure(const sk_work *w, const double *r, const double *u);
/* r becomes w->r, with its error. */
void sk_work_keep(sk_work *w, const double *r, double error);
/* u = W r + b by the full operator, and the error; r becomes w->r when it is the best so far. */
double sk_work_accept(sk_work *w, const double *r);
/* The error of contact i. */
double sk_work_contact(const sk_work *w, int i, const double *r, const double *u);
/* Whether the caller wants the solve to end. */
bool sk_work_stopped(sk_work *w);
/* Tells the caller; true when it says stop. */
bool sk_work_tell(sk_work *w, double error);
/* Tells the caller and looks at the clock; true when the solver must stop (converged, out of time or iterations). */
bool sk_work_done(sk_work *w, double error);

#endif
