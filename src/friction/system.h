/* The linear part of the one-step problem, u = W r + b, in the form that costs less. Private to the friction room.
 *
 * Inside, every contact has three components: a two-dimensional one gets a second tangent along which nothing acts.
 *   explicit: W by rows of 3 x 3 blocks (and its transpose when W is not symmetric)
 *   factored: M = L L' per object, whitened Jacobians G_i = H_i L^-T, state y = L' v: W = G G', u_i = G_i y + b_i */
#ifndef SK_SYSTEM_H
#define SK_SYSTEM_H

#include "friction/friction.h"
#include "sparse/cholesky.h"

enum { SK_LARGE = 2000 }; /* contacts from which an island is worth all threads; never a matter of their number */

/* The objects of a global problem: connected components of M, in the order of their first degree of freedom. */
typedef struct sk_objects {
  int count, dofs;
  int threads;         /* that may work on them */
  int *object_of;      /* dof -> object */
  int *place;          /* dof -> position in its object */
  int *dof;            /* dofs by object, descending */
  int *start;          /* count + 1, into dof */
  double **L;          /* Cholesky factor of the object's block of M, lower, by rows */
  double *vf;          /* dofs: M^-1 f */
  int largest;         /* dofs of the largest object */
  double *work;        /* dofs */
  sk_cholesky *sparse; /* of all of M, instead of L, when an object has more than SK_DENSE dofs; else NULL */
} sk_objects;

enum { SK_DENSE = 256 };

typedef struct sk_kernels sk_kernels;

typedef struct sk_system {
  const sk_kernels *kernels; /* kernels.h: its inner loops */
  int n;                     /* contacts */
  skein_operator form;       /* SKEIN_EXPLICIT or SKEIN_FACTORED */
  sk_scale scale;            /* of the whole problem, not of the island */
  double *b, *mu;            /* 3 n, n */
  double *Wii;               /* 9 n */
  int dofs;                  /* m of the island; 0 where unknown */
  bool symmetric;
  sk_order order;      /* of a large island: how its contacts, as they stand, are visited by several threads */
  sk_bsr W, Wt;        /* explicit; Wt = W when symmetric */
  int objects, y_size; /* factored: objects in contact, their states y one after the other, padded to fours */
  int64_t *g_start;    /* n + 1: the (contact, object) pairs of contact i */
  int *g_y, *g_width;  /* start of the object's y, padded width */
  int *g_first;        /* columns at the head of the pair's G that are zero, in whole vectors of four */
  int64_t *g_at;       /* start of the pair's 3 x width block in G, by rows */
  double *G;
  const skein_problem *problem; /* factored: where G is from, NULL where that is unknown */
  const sk_objects *parts;
  const double *vf; /* dofs of the problem: M^-1 f, of a global one */
  int *contact_of;  /* n: contact in the problem, NULL: the same */
  int *object_at;   /* y_size: the object whose y begins there, or -1 */
} sk_system;

/* objects.c */
skein_status sk_objects_make(const skein_problem *p, int threads, sk_arena *arena, sk_objects *o);
void sk_objects_destroy(sk_objects *o); /* what the arena does not hold; needed also after a failure */
/* x <- L^-1 x */
void sk_lower_solve(const double *L, int m, double *x);
/* Entry `row` of the diagonal of H M^-1 H'; work: the largest object. */
double sk_objects_diagonal(const sk_objects *o, const skein_csr *H, int row, double *work);
/* v = M^-1 (f + H' r) */
skein_status sk_objects_velocity(const sk_objects *o, const skein_problem *p, const double *r, double *v);

/* system.c: the whole problem as one system; objects only for the global form. */
skein_status sk_system_make(const skein_problem *p, skein_operator form, int threads, sk_arena *arena, sk_system *s);
/* b and the scale of it, anew: u_f, or b, of the problem has changed. */
void sk_system_update(const skein_problem *p, int threads, sk_system *s);
/* The same for a part of it. */
void sk_system_update_part(const sk_system *s, const int *rows, int count, sk_system *part);
/* The contacts `rows` of s, as a system of its own; island[i] = position of contact i in its island. */
skein_status sk_system_extract(const sk_system *s, const int *rows, int count, const int *position, int threads,
                               sk_arena *arena, sk_system *part);
/* island_of[i] for every contact; the number of islands, in the order of their first contact. -1: no memory. */
int sk_system_islands(const sk_system *s, sk_arena *arena, int *island_of);
/* Puts the contacts `rows` of a large island into the order in which they are visited. */
skein_status sk_system_order(const sk_system *s, int *rows, int count, sk_arena *arena, sk_order *out);
/* u = W r + b over all contacts. */
void sk_system_velocity(const sk_system *s, const double *r, double *u, double *y);
/* W of a factored system, by blocks. */
skein_status sk_system_explicit(const sk_system *s, sk_arena *arena, sk_bsr *W);

#endif
