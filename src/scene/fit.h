/* A strand (polyline) as a rod: piecewise constant curvatures and twist. */
#ifndef SK_SCENE_FIT_H
#define SK_SCENE_FIT_H

#include "base/base.h"
#include "math/vec3.h"

typedef struct sk_fit {
  double length;
  sk_vec3 root;
  sk_mat3 frame;  /* of the root */
  double *cells;  /* 3 per element: curvatures about d1 and d2, twist; the caller's memory */
  double largest; /* distance between a point of the strand and the rod there */
} sk_fit;

/* Fits `elements` cells to the points (3 each). chain: of many short elements, whose twist is that of a frame carried
 * along, none. BAD_INPUT when the strand has no length. */
skein_status sk_fit_strand(const double *points, int count, int elements, bool chain, sk_fit *fit);

/* Where a piece of constant curvatures and twist u ends that starts at the origin along z, in the axes of its start. */
sk_vec3 sk_fit_piece(sk_vec3 u, double s);

#endif
