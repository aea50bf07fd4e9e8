/* Measures: what a run shows (docs/measures.md). */
#ifndef SKEIN_MEASURE_H
#define SKEIN_MEASURE_H

#include <skein/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* After each frame of a run; returning false stops, with BAD_INPUT. */
typedef bool (*skein_measure_fn)(void *user, int done, int all);

typedef struct skein_measure_def {
  double reach;              /* clumps: rods are close where their axes are within this many sums of their radii, */
  double share;              /* joined where that is so over this share of the length of one of them, */
  double hold;               /* s: and was so this long before, */
  double slip;               /* sums of radii: without sliding further than this along each other; INFINITY: any way */
  double cell;               /* m: edge of the cells that rods occupy */
  double outer;              /* contacts of rods with bodies are watched from this share of their length on */
  skein_measure_fn progress; /* of skein_measure_run; may be NULL */
  void *user;
} skein_measure_def;

SKEIN_API skein_measure_def skein_default_measure_def(void); /* 2 radii, half the length, 0.2 s, 1 radius; 1 cm; half */

/* Connected components of rods that run side by side and move as one. */
typedef struct skein_clumps {
  int clumps;    /* of two rods or more */
  int singles;   /* rods that are joined to none */
  int largest;   /* rods in the largest; 1: none is joined, 0: there are no rods */
  int pairs;     /* joined ones */
  double mean;   /* rods per clump; 0: there are none */
  double of_rod; /* size of the clump that a rod is in, 1 for singles: mean over the rods */
} skein_clumps;

/* before: an earlier frame of the same rods, in which places must have been close, too, and since which they have not
 * slid; NULL: close now is enough. clump (one number per rod, may be NULL) receives the first rod of its clump, -1:
 * single. */
SKEIN_API skein_status skein_measure_clumps(const skein_frame *before, const skein_frame *frame,
                                            const skein_measure_def *def, int *clump, skein_clumps *clumps);

typedef struct skein_volume {
  double occupied; /* m^3: cells that a rod passes through */
  double envelope; /* m^3: cells that have such ones on both sides, or are one, along two axes at least */
  double spread;   /* m: root mean square distance of the rods from their middle */
} skein_volume;

SKEIN_API skein_status skein_measure_volume(const skein_frame *frame, double cell, skein_volume *volume);

/* Between two frames with the same rods, 17 places of each. */
typedef struct skein_motion {
  double root_speed; /* m/s, the largest of a root: what holds the hair */
  double speed;      /* m/s, root mean square over all places */
  double fastest;    /* m/s, the largest */
  double shift;      /* m, the longest way of a place */
} skein_motion;

SKEIN_API skein_status skein_measure_motion(const skein_frame *before, const skein_frame *frame, skein_motion *motion);

/* How a rod rubs on bodies, with the outer part of its length. */
typedef struct skein_rub {
  int contacts;
  int status;   /* -1: touches none, 0 open, 1 stick, 2 slide: the largest of its contacts */
  double slip;  /* m along the bodies since the frame before, mean over its contacts */
  double force; /* N, normal, sum */
} skein_rub;

/* rubs: one per rod. */
SKEIN_API skein_status skein_measure_rubs(const skein_frame *before, const skein_frame *frame, double outer,
                                          skein_rub *rubs);

/* Over the last `window` s of the steps. */
typedef struct skein_rest {
  double from, to;         /* s */
  double speed, kinetic;   /* the largest: m/s, J */
  double speed_end;        /* m/s */
  double contacts_changed; /* largest change of the number of contacts of a status between two steps */
} skein_rest;

SKEIN_API skein_rest skein_measure_rest(const skein_step_info *steps, int count, double window);

/* All of it, for one frame of a run; with the steps that led to it. */
typedef struct skein_measure_row {
  double time; /* s */
  skein_motion motion;
  skein_clumps clumps;
  skein_volume volume;
  double contacts, stick, slide, open; /* mean number over the steps, and shares of it; NaN: no step, no contacts */
  double kinetic;                      /* J, at the frame */
  double dissipated, friction;         /* J since the frame before: by contacts, of that by friction */
} skein_measure_row;

typedef struct skein_measures {
  int frames, rods;       /* rods: of the first frame */
  skein_measure_row *row; /* frames of them */
  int strand;             /* the rod that both sticks and slides on bodies for the longest time; -1: none does */
  skein_rub *rub;         /* frames of them: how that one rubs */
  skein_rest rest;        /* over the last 2 s */
  double shift;           /* m: longest way of a place between the frames at the two ends of that time */
} skein_measures;

SKEIN_API skein_status skein_measure_run(const skein_run *run, const skein_measure_def *def, skein_measures *measures);
SKEIN_API void skein_measures_destroy(skein_measures *measures);

#ifdef __cplusplus
}
#endif
#endif
