/* A state: where everything is, and how it moves. What a snapshot holds. */
#ifndef SK_WORLD_STATE_H
#define SK_WORLD_STATE_H

#include "body/body.h"
#include "rod/rod.h"

#include <stdint.h>

typedef struct sk_body_state {
  sk_pose pose;
  sk_vec3 v, w;
} sk_body_state;

/* Of every object: the island that sleeps with it (0: it is awake), and how long it has been slow, in s. */
typedef struct sk_rest {
  int island;
  double quiet;
} sk_rest;

/* How far a rod looks for contacts: what steps have taught. */
typedef struct sk_look {
  double speed; /* largest of its points */
  double moved; /* the same over the last step */
  double extra; /* m: added to the reach of its pieces after it went further than they looked; fades */
  int dense;    /* steps for which all its contacts are needed: one that was spared had sunk in */
  int finer;    /* pieces that it needs at least: an attempt at this step has bent it */
} sk_look;

/* A contact: from the search, refined on the true curves. Impulses are kept in world axes: the next step may turn its
 * tangents. */
typedef struct sk_contact {
  int a, b;
  sk_feature feature;
  double sa, sb, gap, mu, restitution;
  sk_vec3 point_a, point_b; /* on the axis of a rod, on the surface of a body */
  sk_vec3 frame[3];         /* normal from b to a, two tangents */
  sk_vec3 impulse;          /* on a */
  sk_vec3 miss;             /* what the true motion adds to u, in world axes (bend.c) */
  int status;               /* 0 open, 1 stick, 2 slide */
  struct {
    double chord_gap; /* between the chords */
    int16_t spared;   /* 1: not in the problem: a contact nearby stands for it */
    int16_t lasting;  /* 1: in the problem all the same, as it was in the last one */
  } search;
} sk_contact;

typedef struct sk_contacts {
  sk_contact *at;
  int count;
} sk_contacts;

/* What a motion could have reached by now (able.c). */
typedef struct sk_able {
  double drive;           /* m/s: by held ends, bodies that are moved, the start, and springs at the start */
  double highest, lowest; /* m: of all places so far, along gravity */
} sk_able;

typedef struct sk_state {
  double time, last_dt;
  int64_t steps;
  int next_event;
  double *x, *v; /* of all rods */
  sk_body_state *body;
  sk_rest *rest;        /* rods, then bodies */
  sk_look *look;        /* of rods */
  sk_contacts contacts; /* of the last step, by (a, b, sa), and of sleepers: the warm start of the next */
  sk_arena kept;        /* where they are */
  double growth;        /* share of their radii that rods had in the last step: less than 1 while they settle */
  double energy_scale;  /* J: the largest energy so far, or that of the weight over its length */
  double penetration;   /* of the last step, in radii */
  sk_able able;
} sk_state;

static inline bool sk_asleep(const sk_state *s, int object)
{
  return s->rest[object].island > 0;
}

#endif
