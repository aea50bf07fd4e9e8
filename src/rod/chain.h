/* What the models made of points have in common: numbering, held ends, quadratic strains, lumped mass. */
#ifndef SK_CHAIN_H
#define SK_CHAIN_H

#include "rod/rod.h"

/* State: nodes 0 .. N in x from SK_MODEL on, three numbers each; then of every edge the strain with which it pulled in
 * the last step (see sk_chain_stretch); what the model adds follows from sk_chain_extra on. Blocks of dofs from tip to
 * root: node N, segment N-1, node N-1, ..., segment 0, node 0, with rod->width (0, 1 or 3) of them per segment; a node
 * at a held end has none. */

/* First dof of node i or segment j; -1: prescribed. */
int sk_chain_node_dof(const sk_rod *rod, int i);
int sk_chain_segment_dof(const sk_rod *rod, int j);
int sk_chain_dofs(const sk_rod *rod); /* n */

static inline int sk_chain_extra(const sk_rod *rod)
{
  return SK_MODEL + 3 * (rod->def.elements + 1) + rod->def.elements;
}

static inline sk_vec3 sk_chain_node(const double *x, int i)
{
  return sk_load3(x + SK_MODEL + 3 * i);
}

/* x_{j+1} - x_j */
static inline sk_vec3 sk_chain_edge(const double *x, int j)
{
  return sk_sub(sk_chain_node(x, j + 1), sk_chain_node(x, j));
}

static inline bool sk_root_held(const sk_rod *rod)
{
  return rod->def.root != SKEIN_FREE;
}

static inline bool sk_tip_held(const sk_rod *rod)
{
  return rod->def.tip != SKEIN_FREE;
}

/* The natural (or initial) shape as a polygon with edges of length l: frames[j] of segment j, which a held root or an
 * imagined one turns by half an element: R_0 = R exp(u l/2), R_j = R_{j-1} exp(u_j l) with u_j the mean over the two
 * halves. Fills the nodes and the pose of the tip in x. */
void sk_chain_shape(const sk_rod *rod, const double *cells, int count, double *x, sk_mat3 *frames);
/* Length that belongs to the joint between segments i-1 and i: l inside, l/2 at a clamp (i = 0 and i = N), 0 where an
 * end is free or pinned (no joint there). */
double sk_chain_joint_length(const sk_rod *rod, int i);
/* Natural curvatures and twist of that joint. */
sk_vec3 sk_chain_joint_natural(const sk_rod *rod, int i);
/* Mass of node i. */
double sk_chain_mass(const sk_rod *rod, int i);

/* Velocity of node i: of its dofs, or of the held end. */
sk_vec3 sk_chain_velocity(const sk_rod *rod, const double *v, const sk_rod_input *in, int i);
/* Gravity and drag in the wind at the nodes into F, lumped masses into M (with `inertia` per segment dof). */
void sk_chain_eval(const sk_rod *rod, const double *inertia, const sk_rod_input *in, sk_rod_system *sys);
/* Nodes moved by dt v, held ends (poses in x and nodes) by their motion. */
void sk_chain_move(const sk_rod *rod, double *x, const double *v, const sk_rod_input *in, double dt);
/* Segment that contains s, and the place in it, 0 .. 1. */
int sk_chain_find(const sk_rod *rod, double s, double *place);
/* The point at s, on the polygon. */
sk_vec3 sk_chain_point(const sk_rod *rod, const double *x, double s);
/* J and drift of the point at s, by linear interpolation of the nodes. */
void sk_chain_jacobian(const sk_rod *rod, double s, const sk_rod_input *in, double *J, sk_vec3 *drift);
/* Ops of all chains: columns of J, velocity of the point at s. */
void sk_chain_support(const sk_rod *rod, double s, int *first, int *count);
sk_vec3 sk_chain_point_velocity(const sk_rod *rod, const double *x, const double *v, double s, const sk_rod_input *in);
/* Points and velocities, `pieces` per edge: the op of all chains. */
void sk_chain_points(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, int pieces,
                     sk_vec3 *r, sk_vec3 *velocity);
double sk_chain_elastic(const sk_rod *rod, const double *x); /* energy of stretching */
/* Kinetic energy of the nodes, and gravity. */
skein_rod_energy sk_chain_energy(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in);

/* ---- Strains ----
 * An energy 1/2 k e^2 of a strain e with gradient B over the dofs of a stencil. A prescribed one has dof -1 and its
 * velocity in vel. */
enum { SK_STENCIL = 18 };
typedef struct sk_stencil {
  int count;
  int dof[SK_STENCIL];
  double vel[SK_STENCIL];
} sk_stencil;

/* Appends three components that start at `dof` (-1: prescribed with `velocity`). */
void sk_stencil_add3(sk_stencil *st, int dof, sk_vec3 velocity);
void sk_stencil_add1(sk_stencil *st, int dof, double velocity);
/* F -= k e B; with matrices also K += k B B', Kb += B k (B . vel of the prescribed). */
void sk_strain_add(const sk_rod *rod, const sk_rod_input *in, const sk_stencil *st, const double *B, double k, double e,
                   sk_rod_system *sys);
/* Node i of a stencil: its dofs, or the velocity of the end that holds it. */
void sk_stencil_add_node(sk_stencil *st, const sk_rod *rod, const sk_rod_input *in, int i);
/* Stretching of all edges, 1/2 ES l (|e|/l - 1)^2, and in a step of implicit Euler the stiffness that tension gives
 * them. nu: damping by forces at the velocities v, of explicit models. */
void sk_chain_stretch(const sk_rod *rod, const double *x, const double *v, double nu, const sk_rod_input *in,
                      sk_rod_system *sys);
/* K += k B B' alone (and Kb): terms that have no force of their own. */
void sk_stiffness_add(const sk_rod *rod, const sk_stencil *st, const double *B, double k, sk_rod_system *sys);

/* Rows of the table that all chains have, with the functions of the file that uses it. */
#define SK_CHAIN_OPS                                                                                                   \
  .size = size, .init = init, .eval = eval, .move = move, .pose = pose, .jacobian = jacobian,                          \
  .support = sk_chain_support, .velocity = sk_chain_point_velocity, .points = sk_chain_points, .energy = energy,       \
  .elastic = elastic, .scale = scale

#endif
