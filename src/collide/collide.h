/* Door of the collision room: capsules and shapes in, candidate contacts out, always in the same order.
 * It knows no rods and no dynamics: a rod is a chain of capsules, `object` says whose they are. */
#ifndef SK_COLLIDE_H
#define SK_COLLIDE_H

#include "base/base.h"
#include "body/body.h"

/* A rigid move: what is at x goes by v + w x (x - r). */
typedef struct sk_move {
  sk_vec3 r, v, w;
} sk_move;

static inline sk_vec3 sk_moved(const sk_move *m, sk_vec3 x)
{
  return sk_add(m->v, sk_cross(m->w, sk_sub(x, m->r)));
}

/* A piece of a rod. Pieces of one object follow each other, with ascending `piece`. Its points go by `way` in the
 * coming step, give or take `reach`: what moves together is near only if it is near. */
typedef struct sk_piece {
  sk_vec3 a, b;      /* ends of its axis now */
  double radius;     /* m */
  double reach;      /* m: how far its surface may travel beside `way`, with a little slack */
  double s0, s1;     /* abscissae of the ends */
  int object, group; /* object: 0 .. rods - 1 */
  int piece;         /* number along the object */
  bool straight;     /* the rod is its axis, not a curve beside it */
  double bow;        /* m: how far the curve is beside it */
  sk_vec3 way;       /* m */
  int hidden;        /* 1 + object of the solid that it is not tested against; 0: none */
} sk_piece;

typedef struct sk_solid {
  const sk_shape *shape;
  sk_pose pose;
  double reach;
  int object, group; /* object: rods + index of the body */
  bool moves;        /* two solids that do not move are not tested against each other */
  sk_move move;      /* in the coming step, seen by pieces */
  double slack;      /* m: how far it may travel beside it; reach: how far at all, seen by other solids */
} sk_solid;

/* Which groups touch: mu < 0 means that they do not. groups x groups, symmetric. */
typedef struct sk_pairing {
  int groups;
  const double *mu, *restitution;
} sk_pairing;

/* Two items that may meet in the coming step, before anything is left to a neighbour or merged: pieces i and j (a's and
 * b's), piece i and solid j - piece_count, two solids. distance: of the axes, of an axis and a surface, of two
 * surfaces; normal: out of the solid there, and t: the place on the piece (0 .. 1), with a few digits; of two pieces
 * none. */
typedef struct sk_meet {
  int i, j;
  double distance;
  float normal[3], t;
} sk_meet;

typedef struct sk_meets {
  sk_meet *at;
  int64_t count;
} sk_meets;

typedef struct sk_collide_input {
  const sk_piece *pieces;
  int piece_count;
  const sk_solid *solids;
  int solid_count;
  sk_pairing pairing;
  /* Self-contact: pieces of one object count only when their abscissae are at least `apart` radii of arc apart. */
  double apart;
  int threads;
  /* Pieces that run side by side within reach over at least this many radii give, beside the nearest place, the far
   * ends of that stretch, so that a straight rod rests on another without rocking; 0: the nearest place only. Between
   * straight pieces that are level there the nearest place is left out. */
  double stretch;
  sk_move carrier; /* a move that most share: a search is as wide as the motion beside it. It changes no candidate */
  sk_pose carrier_pose;     /* axes that move with it */
  int carrier_object;       /* whose they are; -1: the world's */
  struct sk_verlet *verlet; /* kept from call to call by the caller, saves searches, changes no candidate; NULL: none */
  sk_meets *meets;          /* filled with all pairs, in any order; NULL: they are not wanted */
  int *crowded;             /* where the search gives up: the object that it was at; NULL: nobody asks */
  sk_stop *stop;            /* NULL: nobody wants it to end */
  const double *margin;     /* m, of each piece: how much wider the search is; NULL: not at all */
} sk_collide_input;

/* verlet.c: pairs of pieces, and of pieces with solids that keep their shape, which may meet in the next calls too. */
typedef struct sk_verlet sk_verlet;
sk_verlet *sk_verlet_create(void); /* NULL: no memory */
void sk_verlet_destroy(sk_verlet *v);
int sk_verlet_age(const sk_verlet *v); /* calls that its list has served; 0: there is none */

/* A candidate: objects a and b (a < b, or a = b for self-contact with sa < sb), the unit normal from b to a, the gap
 * between the surfaces (negative: overlap). Rod side: the piece and the abscissa on the chord; body side: piece -1, and
 * `feature` as sk_near has it. point: on the axis of a's piece (or the surface of a body), and the same on b. */
typedef struct sk_candidate {
  int a, b;
  int piece_a, piece_b;
  sk_feature feature;
  double sa, sb;
  sk_vec3 point_a, point_b, normal;
  double gap;
  double mu, restitution;
} sk_candidate;

/* All candidates that may meet: gap <= reach_a + reach_b + |way_a - way_b|; of a solid: its slack, and its move where
 * the piece is, with what it turns by over the piece. Sorted by (a, b, sa, sb, feature); neighbours that meet in the
 * same point (the shared end of two pieces) are one. A piece whose nearest point is its end, while the neighbour beyond
 * that end is clearly nearer (more than 17 degrees off the perpendicular), leaves the contact to that neighbour: rods
 * do not catch on their joints. BAD_INPUT when candidates run away (millions on top of each other). Memory from the
 * arena. The bits do not depend on threads. Broad phase: spatial hashing (Teschner et al. 2003) of the pieces with
 * their reach; bodies by their bounds. */
skein_status sk_collide_find(const sk_collide_input *in, sk_arena *arena, sk_candidate **out, int *count);

/* segment.c: nearest points of two segments, s, t in 0 .. 1 on the first and second; the squared distance. Robust for
 * parallel, crossing and degenerate ones (Lumelsky 1985). */
double sk_segment_segment(sk_vec3 p1, sk_vec3 q1, sk_vec3 p2, sk_vec3 q2, double *s, double *t);

#endif
