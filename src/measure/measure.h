/* Inside the measure room: numbers of frames and runs (docs/measures.md). The room has no door of its own: what others
 * use is skein_measure_* of the public header. Every function takes frames as they are in a run file, and gives the
 * same bits for the same frames. */
#ifndef SK_MEASURE_H
#define SK_MEASURE_H

#include "base/base.h"
#include "math/vec3.h"

#include <skein/measure.h>

enum { SK_MEASURE_SAMPLES = 16 }; /* places of a rod that are looked at, evenly from behind its root to its tip */

/* ---- samples.c ---- */

/* The place of rod i at a share t of its length, 0 to 1; a frame's points are at equal steps of abscissa. */
sk_vec3 sk_frame_at(const skein_frame *f, int rod, double t);
double sk_frame_length(const skein_frame *f, int rod); /* m, of the polyline */
sk_vec3 sk_frame_point(const skein_frame *f, int k);
/* All points are finite and every rod has one at least. */
skein_status sk_frame_vet(const skein_frame *f);
/* Whether the same rods are in both. */
bool sk_frames_agree(const skein_frame *a, const skein_frame *b);

/* Bounds of all points; false: there are none. */
bool sk_frame_bounds(const skein_frame *f, sk_vec3 *lo, sk_vec3 *hi);

/* ---- near.c ---- */

/* A place of a rod (0 to 15) that is close to another rod, which is nearest to it at the share `at` of its length. */
typedef struct sk_near {
  int rod, place, other;
  float at;
} sk_near;

typedef struct sk_near_rod {
  int source;            /* as rod_source of a frame */
  double radius, length; /* m */
} sk_near_rod;

/* Of a frame: all close places, by rod, place and other rod; the rods. */
typedef struct sk_nears {
  sk_near *at;
  size_t count, room;
  sk_near_rod *rod;
  int rods, rod_room;
} sk_nears;

/* What is in the list is replaced, its room is used again. */
skein_status sk_nears_find(const skein_frame *f, double reach, sk_nears *nears);
void sk_nears_free(sk_nears *nears);

/* ---- clumps.c ---- */

/* Components of rods whose places are held since `before` (NULL: close now); clump (of each rod, may be NULL) receives
 * the first rod of its clump, or -1. */
skein_status sk_nears_clumps(const sk_nears *before, const sk_nears *now, const skein_measure_def *def, int *clump,
                             skein_clumps *out);

/* ---- run.c ---- */

skein_status sk_measure_def_check(const skein_measure_def *def);

#endif
