/* What the two files of discrete elastic rods share: where the state is, and the projection. */
#ifndef SK_DER_H
#define SK_DER_H

#include "rod/chain.h"

/* What the chain adds to the state: of every segment its tangent and its director d1, of every joint (N + 1) its twist.
 * The tangent is the one to which d1 belongs: nodes that moved leave it behind until sk_der_follow. */
static inline int sk_der_frame(const sk_rod *rod, int j)
{
  return sk_chain_extra(rod) + 6 * j;
}

static inline int sk_der_twist(const sk_rod *rod, int i)
{
  return sk_der_frame(rod, rod->def.elements) + i;
}

/* Directors carried from their tangents to those of the nodes by the shortest rotation, turned by dt times the spins in
 * v (NULL: none); twists counted on without jumps. */
void sk_der_follow(const sk_rod *rod, double *x, const double *v, double dt);

/* Numbers of work that the projection needs. */
int sk_der_project_works(const sk_rod *rod);
/* Edges back to length l, masses weighing; v gains what the nodes were moved by, over dt. false: no edges of that
 * length were found (ends too far apart), x and v are as before. */
bool sk_der_project(const sk_rod *rod, const double *x0, double *x, double *v, const sk_rod_input *in, double dt,
                    sk_rod_system *sys);

#endif
