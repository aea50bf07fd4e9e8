/* The judge: what a step is worth, from the curves, shapes and velocities before and after it. It only looks.
 *
 *     view of the step (judge_view.c) -> overlaps, crossings (judge_near.c, judge_body.c, crossing.c)
 *                                     -> strays (judge_stray.c) -> energy and speed (judge_energy.c) -> verdict
 *
 * Objects are numbered rods first, then bodies. A rod is the chain of its pieces with what the curve has beside each
 * chord: the second differences of the points, which is all of it but for a few hundredths; the deepest places are
 * looked up on the curves themselves. All findings are largest ones, ties go to the lower objects, and sums run over
 * objects in their order: the verdict has the same bits on any number of threads. */
#ifndef SK_JUDGE_H
#define SK_JUDGE_H

#include "body/body.h"
#include "collide/collide.h"
#include "rod/rod.h"
#include "world/limits.h"

#include <skein/world.h>

/* A rod at one state: ends of its pieces. */
typedef struct sk_judge_state {
  const double *x, *v;
  const sk_vec3 *r;
} sk_judge_state;

typedef struct sk_judge_rod {
  const sk_rod *rod;
  sk_judge_state before, after;
  const sk_vec3 *velocity, *free; /* of the ends of its pieces: before (and after, see sk_judge_velocities); in the free
                                     motion */
  int first, count;               /* of its pieces, among all */
  int rooted_in, cut_off;         /* objects as in the world; -1: none */
  double rooted_until, radius;    /* m */
  bool asleep;
} sk_judge_rod;

typedef struct sk_judge_body {
  const sk_shape *shape0, *shape1;
  sk_pose pose0, pose1;
  sk_vec3 v0, w0, v1, w1; /* of dynamic ones */
  sk_mat3 inertia;        /* about the centre of mass, in its axes */
  double mass, size;      /* kg; m: diagonal of its bounds, infinite: a plane */
  double surface;         /* m: largest way of its surface beside that of its pose */
  int group;
  bool dynamic, asleep;
} sk_judge_body;

/* A contact of the problem. */
typedef struct sk_judge_contact {
  int a, b;
  double sa, sb, gap, restitution;
  sk_vec3 point_a, point_b, normal;
  sk_vec3 impulse;  /* on a, N s */
  sk_vec3 u_before; /* relative velocity before the step */
  double way;       /* m: by how much the gap opens in the linear problem */
} sk_judge_contact;

/* A force on a rod in this step: a load, or a pull to a target (stiffness > 0). */
typedef struct sk_judge_force {
  int rod;
  double s, stiffness;
  sk_vec3 force, target;
} sk_judge_force;

typedef struct sk_judge_objects {
  const sk_judge_rod *rods;
  const sk_judge_body *bodies;
  int rod_count, body_count;
  const double *mu; /* of groups x groups; < 0: they do not touch */
  int groups;
} sk_judge_objects;

/* What acted: contacts of the problem, by (a, b), and forces. */
typedef struct sk_judge_actions {
  const sk_judge_contact *contacts;
  const sk_judge_force *forces;
  int contact_count, force_count;
} sk_judge_actions;

typedef struct sk_judge_input {
  sk_judge_objects objects;
  const sk_piece *pieces;
  int piece_count;
  sk_meets meets;
  sk_judge_actions actions;
  double dt, theta, error, tol; /* error: of the friction solver, and what it may be */
  sk_vec3 g, wind;
  bool places_only; /* no energy, speed or way is judged: before t = 0 velocities are cut and damped, or impulses are
                       not known */
  bool apart_roots; /* rods whose held roots lie in each other do not touch there */
  double able;      /* m/s: speed that the motion could have reached by now; infinite: not known */
  int threads;
} sk_judge_input;

skein_verdict sk_no_verdict(void); /* nothing was found */
/* Memory from the arena; NO_MEMORY is its only failure. */
skein_status sk_judge(const sk_judge_input *in, const sk_limits *limits, sk_arena *arena, skein_verdict *out);

/* ---- Findings ---- */

/* The larger one stays; of two equal ones that of the lower objects. */
static inline void sk_finding_take(skein_finding *best, double size, int a, int b)
{
  bool first = size == best->size && (a < best->a || (a == best->a && b < best->b));
  if (size > best->size || (first && size > 0)) *best = (skein_finding){size, a, b};
}

static const skein_finding sk_no_finding = {0, -1, -1};

/* What one thread saw. */
typedef struct sk_sight {
  skein_finding overlap, deeper, reach;
} sk_sight;

sk_sight sk_sight_make(void);
void sk_sight_take(sk_sight *all, const sk_sight *one);

/* Takes what was found of two objects. */
void sk_sight_see(sk_sight *s, const sk_limits *limits, double overlap, double deeper, int a, int b);

/* Pairs of objects that went through each other, as they are found. */
typedef struct sk_crossed {
  int (*at)[2];
  int count, room; /* count: more than there is room for, where they were too many */
} sk_crossed;
void sk_crossed_add(sk_crossed *c, int a, int b);

/* ---- judge_curve.c: places of a rod ---- */

/* A place of piece k, t = 0 .. 1 along it. */
sk_vec3 sk_judge_place(const sk_judge_rod *rod, bool after, int k, double t);
/* The same at abscissa s. */
int sk_judge_piece(const sk_judge_rod *rod, double s);
sk_vec3 sk_judge_place_at(const sk_judge_rod *rod, bool after, double s);
/* m: how far the curve is beside the chord of piece k at most. */
double sk_judge_bow(const sk_judge_rod *rod, bool after, int k);
/* Velocities of the ends of the pieces before the step and, where theta < 1, behind these those after it. moved: nx
 * numbers; spare: count + 1 places. */
void sk_judge_velocities(const sk_judge_rod *rod, double theta, double *moved, sk_vec3 *spare, sk_vec3 *out);
/* Weight of end k in integrals over the rod, m. */
double sk_judge_weight(const sk_judge_rod *rod, int k);
static inline bool sk_judge_straight(const sk_judge_rod *rod) /* it is its chords */
{
  return !rod->rod->ops->curved;
}

static inline double sk_judge_length(const sk_judge_rod *rod) /* m: of a piece */
{
  return rod->rod->def.length / rod->count;
}

/* ---- crossing.c ---- */

/* A segment that moves: its ends go straight from 0 to 1. */
typedef struct sk_moving {
  sk_vec3 a0, b0, a1, b1;
} sk_moving;

/* Whether the two went through each other: they are coplanar where they meet, and on other sides after it. Segments
 * that stay in one plane, or have no length, do not. */
bool sk_crossing(const sk_moving *x, const sk_moving *y);

/* ---- judge_near.c: rods ---- */
typedef struct sk_near_view {
  double overlap, deeper; /* in contact lengths; 0: less than is looked at */
  bool crossed;
} sk_near_view;

/* Pieces i of rod a and k of rod b, whose axes were `distance` apart. */
sk_near_view sk_judge_rods(const sk_judge_input *in, const sk_limits *limits, int a, int i, int b, int k,
                           double distance);
/* The same overlaps on the curves themselves. */
sk_near_view sk_judge_curves(const sk_judge_input *in, int a, int i, int b, int k);

/* ---- judge_body.c: rods and bodies ---- */
/* Piece i of rod a and the body, whose surface was `distance` from the axis, with that normal at its place t;
 * 0: not known. */
sk_near_view sk_judge_on_body(const sk_judge_input *in, const sk_limits *limits, int a, int i, int body,
                              double distance, sk_vec3 normal, double t);
/* The same overlaps on the curve and the surface themselves. */
sk_near_view sk_judge_on_surface(const sk_judge_input *in, int a, int i, int body);
/* Two bodies. */
sk_near_view sk_judge_bodies(const sk_judge_input *in, const sk_limits *limits, int a, int b, double distance);
double sk_judge_body_length(const sk_judge_body *a, const sk_judge_body *b); /* m: their contact length */

/* ---- judge_stray.c ---- */
/* Places that went further than was searched, against all that they may have met. *unseen: one of them met something
 * that was not among what may meet, or there are too many of them. */
skein_status sk_judge_strays(const sk_judge_input *in, const sk_limits *limits, sk_arena *arena, sk_sight *sight,
                             sk_crossed *crossed, bool *unseen);

/* ---- judge_energy.c ---- */
/* Energy of nothing and speeds: verdict->balance, speed, made, turnover; curved. */
skein_status sk_judge_energy(const sk_judge_input *in, const sk_limits *limits, sk_arena *arena, skein_verdict *out);

#endif
