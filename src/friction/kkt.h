/* The linear systems of Newton, interior-point and splitting methods. Private to the friction room.
 *   dual   (E + F W) dr = rhs          3 n unknowns, for an explicit W
 *   primal (1 + G' D G) dy = rhs       as many unknowns as degrees of freedom, for a factored W = G G'
 * D, E, F: one 3 x 3 block per contact, not necessarily symmetric. */
#ifndef SK_KKT_H
#define SK_KKT_H

#include "friction/system.h"
#include "sparse/lu.h"

typedef struct sk_kkt {
  const sk_system *s;
  bool primal;
  int size;
  sk_lu lu;
  /* primal: contacts of every object (by pairs) and where the blocks of a column stand */
  int objects;
  int *object_y, *object_width; /* per object */
  int64_t *pair_start;          /* objects + 1 */
  int64_t *pair;                /* pairs by object */
  int *contact_of;              /* pair -> contact */
  int *object_of;               /* pair -> object */
  int64_t *near_start;          /* objects + 1: neighbours of an object, itself included, ascending */
  int *near, *near_at;          /* neighbour, and its first row in a column of the object */
  /* primal in the coordinates of the problem: kkt_sparse.c */
  bool sparse;
  int64_t *c_start; /* n + 1: columns of a contact */
  int *c_col;
  double *c_H;      /* 3 per column */
  int64_t *b_start; /* n + 1: products of a contact's columns ... */
  int *b_at;        /* ... and where they stand in lu.val */
  double *base;     /* lu.val without contacts: M */
  double *shift;    /* a right side */
} sk_kkt;

/* Chooses the form of the system, makes the pattern, orders it. */
skein_status sk_kkt_make(const sk_system *s, sk_arena *arena, sk_kkt *k);
bool sk_kkt_factor_primal(sk_kkt *k, const double *D);
bool sk_kkt_factor_dual(sk_kkt *k, const double *E, const double *F);
void sk_kkt_solve(const sk_kkt *k, const double *rhs, double *x);
/* kkt_sparse.c: the primal system as L^-1 (M + H' D H) L^-T, and whether that is the smaller one. */
bool sk_kkt_is_sparse(const sk_system *s);
skein_status sk_kkt_make_sparse(sk_kkt *k, sk_arena *arena);
void sk_kkt_fill_sparse(sk_kkt *k, const double *D);
void sk_kkt_solve_sparse(const sk_kkt *k, const double *rhs, double *x);
void sk_kkt_destroy(sk_kkt *k);

#endif
