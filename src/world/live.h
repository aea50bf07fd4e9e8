/* Surroundings: what may be changed by hand between two steps, and what moves by itself. */
#ifndef SK_WORLD_LIVE_H
#define SK_WORLD_LIVE_H

#include "rod/rod.h"

/* A pull by hand on the point at s of a rod (live.c). It is known by the rod and s that it was set with; cuts may have
 * moved it. */
typedef struct sk_pull {
  int key_rod, rod;
  double key_s, s; /* m */
  sk_vec3 target;
  double stiffness; /* N/m */
} sk_pull;

typedef struct sk_live {
  skein_env env;
  double *mu; /* of pairs of groups as they are now: the scene's, or what was set since */
  sk_pull *pulls;
  int pull_count;
} sk_live;

typedef struct sk_surfaces sk_surfaces; /* of the bodies that deform (deform.c) */

#endif
