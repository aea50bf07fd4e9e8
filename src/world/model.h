/* The model: what exists. Cuts and releases change it between two steps, nothing else does. */
#ifndef SK_WORLD_MODEL_H
#define SK_WORLD_MODEL_H

#include "rod/rod.h"
#include "scene/scene.h"

typedef struct sk_model_rod {
  sk_rod *rod; /* owned */
  int source;  /* of the scene's rods */
  int group;
  double radius;       /* m: of its capsules */
  size_t x, v;         /* where its numbers begin in a state */
  double begin;        /* m: abscissa of its root on the rod of the scene, more than 0 behind a cut */
  int cut_off;         /* rod that was cut off at its tip, and whose root begins where it ends; -1: none */
  int rooted_in;       /* body that a held root starts in (a scalp); -1: none */
  double rooted_until; /* abscissa up to which it may stay inside */
  bool root_driven, tip_driven;
  sk_pose root_base, tip_base; /* of its ends at t = 0 */
} sk_model_rod;

typedef struct sk_model {
  const skein_scene *scene;
  sk_model_rod *rods;
  int rod_count, object_count;
  size_t nx, nv; /* numbers of all rods in a state */
} sk_model;

#endif
