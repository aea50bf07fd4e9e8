/* Inside the hairs room: a frame of guides in, a frame of many hairs out. The room has no door of its own: what others
 * use is skein_hairs_* of the public header. */
#ifndef SK_HAIRS_H
#define SK_HAIRS_H

#include "base/base.h"
#include "body/body.h"
#include "scene/scene.h"

#include <skein/picture.h>

enum { SK_HAIR_GUIDES = 3, SK_HAIR_NEAR = 24 }; /* guides that a hair follows; neighbours that are known of a guide */

/* ---- skin.c: distance to the surface of a body ---- */

/* Distances at the nodes of a grid, in the axes of the body; far outside they are cut off. A plane needs none. */
typedef struct sk_skin {
  bool plane;
  sk_vec3 lo;
  double cell;
  int n[3];
  float *distance;
} sk_skin;

/* false: no memory, which the arena says too. */
bool sk_skin_make(sk_arena *arena, const sk_shape *shape, int threads, sk_skin *skin);
/* Signed distance of x and the unit normal, in the axes of the body; false: x is far outside. */
bool sk_skin_find(const sk_skin *skin, sk_vec3 x, double *distance, sk_vec3 *normal);

/* ---- Guides at rest: where they were in the first frame ---- */

typedef struct sk_guide {
  int source; /* of the scene's rods */
  int group, body;
  bool on_skin;           /* it roots on the skin of the body, and so do its hairs */
  double radius;          /* m: of its capsules; hairs of one wisp are within it */
  sk_vec3 root, normal;   /* of the first point, and of the skin there */
  sk_mat3 frame;          /* columns: tangent, two across */
  double length, spacing; /* m: of the polyline; to the guides around */
  double cell;            /* m: roots of its hairs are about that near */
  int near[SK_HAIR_NEAR]; /* guides of the same group and body, nearest first */
  int nears;
} sk_guide;

/* ---- One hair, tied to its guides ---- */

typedef struct sk_hair {
  int guide[SK_HAIR_GUIDES];      /* nearest first; where there are fewer, the nearest again with weight 0 */
  float weight[SK_HAIR_GUIDES];   /* their sum is 1 */
  float away[SK_HAIR_GUIDES];     /* m: from the nearest guide to each, at the roots */
  float root[SK_HAIR_GUIDES][3];  /* from each guide to the hair at the root, in the guide's frame */
  float lock[SK_HAIR_GUIDES][3];  /* from the hair to the middle of its lock, the same */
  float wisp[2];                  /* place in the guide's wisp, across */
  float clump;                    /* of this hair: loose ones stay between the wisps */
  float length;                   /* share of the guide's */
  float frizz, turn[2], phase[2]; /* amplitude (m); waves: turn along the hair (rad), phase */
} sk_hair;

/* ---- roots.c ---- */
void sk_guides_relate(sk_guide *guide, int guides, int threads);         /* spacing, near */
void sk_guides_measure(const sk_guide *guide, int guides, double *area); /* sums of the areas around them */
void sk_hair_plant(const skein_hairs *h, int number, sk_hair *hair);

/* ---- guides.c: guides of a frame, evenly resampled, with frames that are carried along them ---- */

enum { SK_CARRIED = 12 }; /* numbers of a point: place, tangent, two across */

typedef struct sk_carried {
  float *point; /* SK_CARRIED each, `grid` for each guide */
  float *reach; /* of each guide: share of its length that is still there */
  int *rod;     /* of each guide: rod of the frame */
} sk_carried;

skein_status sk_carry(const skein_hairs *h, const skein_frame *f, sk_carried *c);
void sk_carried_free(sk_carried *c);
/* The frame at the root of a polyline: tangent and two across. */
sk_mat3 sk_root_frame(const float *point, int count);
sk_pose sk_frame_pose(const skein_frame *f, int body); /* identity where there is no such body */

/* ---- All of it ---- */

struct skein_hairs {
  sk_arena arena;
  skein_hairs_def def; /* groups is not kept */
  int points, grid;    /* of a hair; of a carried guide */
  double radius;       /* m */
  sk_guide *guide;
  int guides;
  double *area; /* guides + 1: sums of the areas around the guides before this one */
  int *of_rod;  /* of each rod of the scene: its guide, -1: none */
  int rods;     /* of the scene */
  sk_hair *hair;
  int *first; /* of each guide: its first hair, -1: none */
  sk_skin *skin;
  sk_pose *rest; /* of each body in the first frame */
  int bodies;
};

#endif
