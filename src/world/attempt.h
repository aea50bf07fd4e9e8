/* An attempt at a step: how it is to be done, all that it finds on the way from the state now to the state next, and
 * what came of it. */
#ifndef SK_WORLD_ATTEMPT_H
#define SK_WORLD_ATTEMPT_H

#include "collide/collide.h"
#include "friction/friction.h"
#include "world/live.h"
#include "world/model.h"
#include "world/state.h"

#include <skein/run.h>

/* ---- The controller: how the next step is to be attempted (controller.c) ---- */

typedef struct sk_controller {
  double dt;        /* s: of the next step */
  int clean_steps;  /* until dt may grow again */
  int calm;         /* how often the tolerance is halved: steps that moved little and were solved so well */
  int gentle_steps; /* until overlaps are pushed out again */
  int gentle_last;  /* for how many that was, the last time */
  int coarse_steps; /* until a finer tolerance is asked for again */
} sk_controller;

/* One attempt: from the state now, this far. */
typedef struct sk_plan {
  double dt, end;  /* s; end: the time then */
  double shortest; /* s: that a step may be */
  bool settles;    /* before t = 0 */
  int calm;        /* of the controller */
  bool gentle;     /* overlaps are not pushed out */
  bool plain;      /* nor do contacts go on with the arcs of the last step (bend.c) */
  bool again;      /* the contacts of the last attempt, asked for less */
  int number;      /* of the attempt at this step, from 0 */
  int searches;    /* how often it has searched further */
  double grew;     /* radii: by how much an overlap grew in the last attempt that was halved for it; infinite: none */
} sk_plan;

/* What came of an attempt. */
typedef struct sk_outcome {
  skein_status status; /* BAD_INPUT: there is no motion */
  unsigned flaws;
  bool asks;     /* its problem asked for velocities that there need not be */
  double deeper; /* radii: by how much an overlap grew */
} sk_outcome;

/* ---- An attempt ---- */

/* A body during it: static and prescribed ones have the velocity that takes them to their next pose. */
typedef struct sk_body_motion {
  sk_pose pose, next; /* next: at the end of the step, of prescribed ones */
  sk_vec3 v, w;
} sk_body_motion;

/* A rod during it. */
typedef struct sk_rod_part {
  const sk_rod *rod;
  const sk_model_rod *is;
  const double *x, *v; /* in the state now */
  double radius;       /* m: in this step */
  sk_rod_drive drive;
  double load_level;      /* J: sum of F . r over its loads before the step */
  double *A, *b;          /* its linear system */
  int pieces;             /* per element, of its capsules */
  int first, first_frame; /* of its pieces, of its elements */
  int dof;                /* first in the problem; -1: it touches nothing */
  int stray[2];           /* pieces that went further than they looked, from .. to; none: from >= to */
} sk_rod_part;

/* All rods at one state, as the search sees them: rod i has its own points from first + i on. */
typedef struct sk_curves {
  const double *x;      /* of the state */
  sk_rod_frame *frames; /* where elements begin */
  sk_vec3 *points;      /* ends of the pieces */
} sk_curves;

typedef struct sk_search {
  sk_piece *pieces;
  int piece_count, frame_count;
  sk_curves before, after;  /* the step */
  sk_vec3 *velocity, *free; /* of the points: now, and in the free motion */
  sk_meets meets;           /* all pairs of pieces and bodies that may meet */
} sk_search;

/* What the search found. */
typedef struct sk_found {
  sk_contacts contacts; /* of the problem, in their order */
  sk_contacts remote;   /* not in the problem, too far apart for their speed, or spared */
  bool woken;           /* the search has woken sleepers: the step begins again with them */
} sk_found;

/* What a row of the problem knows of its contact beside where it is. */
typedef struct sk_row {
  double u_before[3];      /* relative velocity before the step */
  double shift[2];         /* what the gap adds to u_T, in passive scenes */
  double approach, offset; /* the normal part of u_before; what the gap adds to u_N */
  int axial, axial_dof;    /* 1, 2: its first or second side is pushed along its axis, which has this dof; 0, -1 */
} sk_row;

/* The one-step problem. */
typedef struct sk_linear {
  skein_problem problem;
  skein_solution solution;
  double *guess;              /* 3 n: the impulses that it began with */
  sk_row *rows;               /* n */
  int *body_dof;              /* first dof of body i; -1 */
  sk_rod_element *elements;   /* of rods that touch something */
  int pushed, arched;         /* contacts that are pushed out, that go on with an arc */
  skein_solution uncorrected; /* the solution before a correction, and its u_f */
  double *u_f_before;
} sk_linear;

/* Memory and helpers of an attempt. Solver and neighbours may be dropped at any time: the bits stay. */
typedef struct sk_work {
  sk_arena arena;
  int threads;
  sk_rod_system *systems; /* one per thread */
  sk_solver *solver;
  sk_verlet *neighbours;
  sk_stop *stop;    /* whether the caller wants it to end */
  sk_contacts last; /* of the last attempt at this step, of the same length: a warm start; none: of the last step */
  sk_arena last_kept;
} sk_work;

typedef struct sk_attempt {
  const sk_model *model;
  const sk_state *now;
  sk_state *next;
  const sk_live *live;
  sk_surfaces *surfaces;
  sk_plan plan;
  sk_work work;
  sk_rod_part *rods;
  sk_body_motion *bodies;
  double *v; /* new velocities of all rods: the free ones, then those of the solution */
  sk_search search;
  sk_found found;
  sk_linear linear;
} sk_attempt;

#endif
