/* A head of hair made by rule: where it grows (scalp.c), how it is combed (comb.c), and the rods it becomes (groom.c).
 * All places are in the world at t = 0. */
#ifndef SK_SCENE_GROOM_H
#define SK_SCENE_GROOM_H

#include "scene/reader.h"

/* The part of a mesh that hair grows on: its triangles and their areas, summed up; bounds in the axes of the body. */
typedef struct sk_scalp {
  const sk_mesh *mesh;
  sk_pose pose;
  int *triangle;
  double *area; /* of triangles 0 .. i together */
  int count;
  sk_vec3 lo, hi;
} sk_scalp;

typedef struct sk_root {
  sk_vec3 r, n; /* place, and unit normal out of the skin */
} sk_root;

/* scalp.c: what "scalp" of the groom says, or the hairline of a head. false: failed. */
bool sk_scalp_read(sk_reader *r, const sk_at *entry, const sk_at *groom, int body, sk_scalp *out);
/* Places spread evenly: each the farthest from those before, of ten times as many drawn at random. The first few are
 * spread as evenly as all. NULL: failed. */
sk_root *sk_scalp_roots(sk_reader *r, const sk_scalp *scalp, int count, uint64_t seed);

typedef enum sk_parting { SK_PARTING_NONE, SK_PARTING_LEFT, SK_PARTING_MIDDLE, SK_PARTING_RIGHT } sk_parting;

/* How hair is combed: what all strands share. */
typedef struct sk_comb {
  const skein_scene *scene;
  int body;      /* it grows on */
  double radius; /* of a strand, m */
  double thatch; /* how fast strands rise over those that grow below them, m per m */
  double lift;   /* of the root over the skin, rad */
  bool raised;   /* strands go straight on from their roots: none begins in another, and they fall */
  sk_vec3 down;  /* unit: gravity */
  sk_parting parting;
  sk_vec3 front, crown; /* the parting's ends, axes of the body */
} sk_comb;

sk_comb sk_comb_make(const skein_scene *scene, int body, const sk_scalp *scalp, double radius, int count);

/* One strand to be combed: a line of that length, wound as a helix of that radius. */
typedef struct sk_lock {
  sk_vec3 r, n;       /* root and normal; of a tie: its middle and direction */
  double length;      /* of the line, m */
  double turn;        /* of the combing direction about the normal, rad */
  double coil, pitch; /* radius and rise per turn of the helix, m; 0: none */
  double phase;
  double spare;   /* more height over the skin, m */
  bool curls;     /* not wound yet, but it will be */
  bool tied;      /* leaves along n, at `across` from the middle of its bunch */
  sk_vec3 across; /* in places of the section (x, y), m */
  double bunch;   /* radius of the bunch, m */
} sk_lock;

enum { SK_LOCK_POINTS = 512 };

/* How deep a place on the axis of a strand is in bodies: how far it must go to be a radius off them; 0: outside. */
double sk_comb_depth(const sk_comb *c, sk_vec3 x);
/* comb.c: points of the strand from root to tip, outside of all bodies; their number. */
int sk_comb_grow(const sk_comb *c, const sk_lock *lock, double *points);

#endif
