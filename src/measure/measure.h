/* Inside the measure room: numbers of frames and runs (docs/measures.md). The room has no door of its own: what others
 * use is skein_measure_* of the public header. Every function takes frames as they are in a run file, and gives the
 * same bits for the same frames. */
#ifndef SK_MEASURE_H
#define SK_MEASURE_H

#include "base/base.h"
#include "math/vec3.h"

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

/* ---- clumps.c ---- */

typedef struct sk_pair {
  int a, b; /* rods, a < b */
} sk_pair;

typedef struct sk_pairs {
  sk_pair *at; /* the owner frees */
  size_t count, room;
} sk_pairs;

/* Rods of a frame that run side by side, sorted, each pair once. */
skein_status sk_pairs_find(const skein_frame *f, const skein_measure_def *def, sk_pairs *pairs);
/* Components of what is in both (before NULL: in `now`); clump (of each rod, may be NULL) receives the first rod of its
 * clump, or -1. */
skein_status sk_pairs_clumps(const sk_pairs *before, const sk_pairs *now, int rods, int *clump, skein_clumps *out);

/* ---- run.c ---- */

skein_status sk_measure_def_check(const skein_measure_def *def);

#endif
