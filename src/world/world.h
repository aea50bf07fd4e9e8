/* The world: the only room that knows the others. One step is
 *
 *     drive ends and bodies -> rods: A, b -> collide -> one-step problem -> friction -> integrate
 *
 * (step.c). Objects are numbered rods first, then bodies. Dofs of the one-step problem: those of the rods that touch
 * something, then six (velocity, angular velocity, world axes) of every dynamic body that does. */
#ifndef SK_WORLD_H
#define SK_WORLD_H

#include "body/body.h"
#include "collide/collide.h"
#include "friction/friction.h"
#include "rod/rod.h"
#include "scene/scene.h"

enum {
  SK_APART = 4,       /* radii of arc between two places of one rod that may touch */
  SK_PAIR_MOST = 512, /* contacts of a pair that are compared with each other */
  SK_DENSE_STEPS = 4, /* that a rod keeps all its contacts */
  SK_CALM_MOST = 64   /* halvings of the tolerance */
};

/* A body in motion: static and prescribed ones have the velocity that takes them to their next pose. */
typedef struct sk_body_state {
  sk_pose pose, next; /* next: at the end of the step, of prescribed ones */
  sk_vec3 v, w;
} sk_body_state;

typedef struct sk_deform sk_deform; /* the surface of a body that deforms (deform.c) */

/* A contact of the step: from collide, refined on the true curves. Impulses are kept in world axes: the next step may
 * turn its tangents. */
typedef struct sk_touch {
  int a, b, feature;
  double sa, sb, gap, mu, restitution;
  double chord_gap;         /* the same between the chords */
  sk_vec3 point_a, point_b; /* on the axis of a rod, on the surface of a body */
  sk_vec3 frame[3];         /* normal from b to a, two tangents */
  sk_vec3 impulse;          /* on a */
  double u_before[3];       /* relative velocity before the step */
  double shift[2];          /* what the gap adds to u_T, in passive scenes */
  sk_vec3 miss;             /* what the true motion adds to u, in world axes (bend.c) */
  double approach, offset;  /* its normal part; what the gap adds to u_N */
  int status;               /* 0 open, 1 stick, 2 slide */
  int16_t spared;           /* 1: not in the problem: a contact nearby stands for it */
  int16_t lasting;          /* 1: in the problem all the same, as it was in the last one */
  int axial, axial_dof;     /* 1, 2: its first or second side is pushed along its axis, which has this dof; 0, -1 */
} sk_touch;

typedef struct sk_touches {
  sk_touch *at;
  int count;
} sk_touches;

/* What a rod is in the world. */
typedef struct sk_strand {
  skein_rod *rod;
  double radius;
  int group;
  int source;                 /* of the scene's rods */
  int pieces;                 /* per element, of its capsules in this step */
  int finer;                  /* pieces that it needs at least: a try of this step has bent it */
  int dense;                  /* steps for which all its contacts are needed: one that was spared had sunk in */
  int first, first_frame;     /* of its pieces, of its elements */
  int dof;                    /* first in the problem; -1: it touches nothing */
  double speed;               /* largest of its points */
  double moved;               /* the same over the last step */
  int stray_first, stray_end; /* pieces that went further than they looked; none: first >= end */
  double extra;               /* m: added to the reach of its pieces after it went further than they looked; fades */
  bool root_driven, tip_driven;
  sk_pose root_base, tip_base; /* of its ends at t = 0 */
  int rooted_in;               /* object of the body that a held root starts in (a scalp); -1: none */
  double rooted_until;         /* abscissa up to which it may stay inside */
  double begin;                /* m: abscissa of its root on the rod of the scene, more than 0 behind a cut */
  double load_level;           /* J: sum of F . r over its loads before the step */
  int cut_off;                 /* strand that was cut off at its tip, and whose root begins where it ends; -1: none */
} sk_strand;

/* Of every object: the island that sleeps with it (0: it is awake), and how long it has been slow, in s. */
typedef struct sk_rest {
  int island;
  double quiet;
} sk_rest;

/* A pull by hand on the point at s of a rod (live.c). It is known by the rod and s that it was set with; cuts may have
 * moved it. */
typedef struct sk_pull {
  int key_rod, rod;
  double key_s, s; /* m */
  sk_vec3 target;
  double stiffness; /* N/m */
} sk_pull;

struct skein_world {
  const skein_scene *scene;
  int threads;
  double time, dt, last_dt; /* dt: what the next step would like */
  int64_t steps;
  double energy_scale; /* J: the largest energy so far, or that of the weight over its length */
  skein_env env;
  int next_event;
  sk_strand *strands;
  int strand_count;
  sk_body_state *bodies;
  sk_rest *rest;      /* rods, then bodies */
  sk_touches touches; /* of the last step, by (a, b, sa), and of sleepers: the warm start of the next */
  double penetration; /* of the last step, in radii */
  int calm;           /* how often the tolerance is halved: steps that moved little and were solved so well */
  int hold, meek;     /* steps until dt may grow again, until overlaps are pushed out again */
  int meek_next;      /* for how many that was, the last time */
  int weary;          /* until a finer tolerance is asked for again */
  double *mu;         /* of pairs of groups as they are now: the scene's, or what was set since */
  sk_pull *pulls;
  int pull_count;
  sk_deform *deforms;                            /* of each body; NULL: none deforms */
  sk_anchor *anchors;                            /* root and tip of each rod of the scene, where such a body holds it */
  double *places;                                /* room for the vertices of one */
  double surface_time, surface_next, surface_dt; /* s: of the surfaces now, at the end of the step; its length */

  /* The step that is being tried; all of it lives in `arena` until the next. */
  sk_arena arena, kept;   /* kept: touches of the last step */
  sk_arena again;         /* of the last try */
  sk_touches last_try;    /* the warm start of the next one, of the same length; none: that of the last step */
  sk_rod_system *systems; /* one per thread */
  sk_piece *pieces;
  int piece_count;
  sk_vec3 *points, *after;  /* ends of the pieces, before and after: strand i has its own from first + i on */
  sk_vec3 *velocity, *free; /* of them: now, and in the free motion */
  sk_rod_frame *frames;     /* where elements begin: before the step, and after it once sk_world_overshoot has looked */
  int frame_count;
  sk_rod_element *elements; /* the same of rods that touch something, while the problem is assembled */
  sk_meets meets;           /* all pairs of pieces and bodies that may meet in it */
  sk_touches tried, remote; /* remote: not in the problem, too far apart for their speed, or spared */
  bool disturbed;           /* the search has woken sleepers: the step begins again with them */
  bool gentle;              /* overlaps are not pushed out in this try */
  bool plain;               /* nor do contacts go on with the arcs of the last step (bend.c) */
  int pushed, arched;       /* contacts that are, that do */
  int *body_dof;            /* first dof of body i; -1 */
  double *v;                /* new velocities of all rods, one after the other */
  int *v_start;
  sk_solver *solver;
  sk_verlet *verlet;
  skein_problem problem; /* arrays in `arena` */
  skein_solution solution;
  double *guess;              /* 3 n: the impulses that it began with */
  skein_solution uncorrected; /* the one before a correction, and its u_f */
  double *u_f_before;
  double *saved;                        /* states of all rods before the step */
  sk_body_state *saved_bodies, *driven; /* before the step; with the velocities that the scene prescribes for it */
};

/* ---- create.c ---- */
double sk_world_scale(const skein_world *w); /* J: of its motion as it is now */

/* ---- motion.c: where held ends and bodies go, rigid bodies, events ---- */
skein_status sk_world_start(skein_world *w);
/* The velocities that the scene starts with, at t = 0. */
skein_status sk_world_launch(skein_world *w);
skein_status sk_world_drive(skein_world *w, double dt);
void sk_world_move_bodies(skein_world *w, const sk_body_state *before, double dt);
sk_mat3 sk_world_inertia(const skein_world *w, int body); /* in world axes */
skein_status sk_world_apply_events(skein_world *w);
bool sk_world_end_moves(const skein_world *w, int strand, double dt); /* a held end of it, in the coming step */

/* ---- settle.c: before t = 0 ---- */
bool sk_world_settling(const skein_world *w);
/* The time that prescribed motions are at when the step of length dt ends: not before 0. */
double sk_world_path_time(const skein_world *w, double dt);
double sk_world_shortest(const skein_world *w);        /* s: shortest step */
void sk_world_swell(skein_world *w);                   /* the radii of the coming step */
void sk_world_restrain(skein_world *w, double dt);     /* velocities that the step goes on with, after the solve */
void sk_world_damp(skein_world *w, double dt);         /* after a step of it */
void sk_world_ease(const skein_world *w, sk_touch *t); /* its friction and its bounce */
void sk_world_hurry(const skein_world *w, skein_solve_def *def); /* how exactly it is solved */
double sk_world_opening(const skein_world *w, const sk_touch *t, double overlap,
                        double dt);                             /* m/s: that overlaps open with */
bool sk_world_tangled(const skein_world *w, const sk_touch *t); /* a contact that no motion could open */

/* ---- deform.c: bodies whose surface moves by itself ---- */
skein_status sk_world_deform_create(skein_world *w);
void sk_world_deform_destroy(skein_world *w);
bool sk_world_deforms(const skein_world *w, int body);
double sk_world_surface_speed(const skein_world *w, int body);  /* m/s: largest in the step; 0 where none deforms */
const sk_shape *sk_world_shape(const skein_world *w, int body); /* of any body, as it is now */
const sk_shape *sk_world_shape_after(const skein_world *w, int body); /* at the end of the step that is tried */
void sk_world_deform(skein_world *w, double dt);                      /* moves the latter; poses are driven already */
void sk_world_deform_done(skein_world *w);                            /* the step was taken */
void sk_world_deform_restore(skein_world *w);                         /* to surface_time */
/* Velocity over the step of the place of a body that is at `point` at its start, on that triangle of a mesh that
 * deforms; -1: on the nearest. */
sk_vec3 sk_world_body_velocity(const skein_world *w, int body, int triangle, sk_vec3 point);
/* Binds an end of a rod, which is at `base` at the start, to a body that deforms; where it is, in the body's axes. */
void sk_world_anchor(skein_world *w, int rod, bool tip, int body, const sk_pose *base);
sk_pose sk_world_anchored(const skein_world *w, int rod, bool tip, int body, double time);

/* ---- forces.c: dead loads of the scene ---- */
skein_status sk_world_load(skein_world *w, double dt); /* the loads that rods have in the coming step */
double sk_world_load_work(const skein_world *w);       /* J: of the loads in the step that was taken */
double sk_world_load_change(const skein_world *w);     /* s: when the next force begins or ends */

/* ---- live.c: changes by hand ---- */
bool sk_world_live_create(skein_world *w); /* false: no memory */
/* Pulls on a strand, into its A and b. */
void sk_world_pull(skein_world *w, int strand, double dt, sk_rod_system *sys);
void sk_world_pulls_follow(skein_world *w); /* after a cut */

/* ---- pieces.c: capsules of the rods ---- */
/* Pieces per element of a strand, so that chords miss it by at most that; none is shorter than a fifth of a radius:
 * what is curled more than that has run away, and must not take all memory with it. */
int sk_world_pieces(const skein_world *w, int strand, double miss);
skein_status sk_world_make_pieces(skein_world *w, double dt);
/* Whether a point went further than the reach of its piece, after the rods have moved; its strand will look further.
 * *speed: the largest. */
bool sk_world_overshoot(skein_world *w, double dt, double *speed);

/* ---- touch.c: candidates, refinement on the true curves ---- */
skein_status sk_world_touch(skein_world *w, double dt);
void sk_world_find_roots(skein_world *w);
/* The nearest places of two rods on their true curves as they are now, near the touch's, which is on these pieces. */
void sk_world_refine(const skein_world *w, sk_touch *t, int piece_a, int piece_b);
/* m: edges of meshes that are not convex have no sure normal where they touch, so such bodies are kept this far apart
 * from those that have edges too. */
double sk_world_skin(const skein_world *w, int body_a, int body_b);

/* ---- thin.c: contacts that say the same ---- */
void sk_world_spare(const skein_world *w, sk_touch *t, int count); /* t by (a, b): marks those that are spared */

/* ---- persist.c: from refined contacts to those of the step ---- */
/* w->tried: merged, with the impulses of `old`, times scale, where they go on; the spared go to w->remote. */
skein_status sk_world_persist(skein_world *w, const sk_touches *old, double scale);
int sk_touch_order(const sk_touch *x, const sk_touch *y);       /* by a, then b: < 0, 0, > 0 */
int sk_touches_find(const sk_touches *list, const sk_touch *t); /* the first that does not come before t */

/* ---- bend.c: the linear problem, corrected ---- */
/* After the rods and bodies have moved: what the motion over the step has that the problem had not, for the next step;
 * where it matters also into u_f, and the step is to be solved *again. */
skein_status sk_world_correct(skein_world *w, double dt, bool *again);
void sk_world_uncorrect(skein_world *w); /* problem and solution as they were before the last *again */

/* ---- verify.c: the motion against the linear problem ---- */
/* Whether the step has bent rods so much that their pieces miss them by twice the share; they get more in the next try.
 */
bool sk_world_coarse(skein_world *w);
/* Largest growth of an overlap in this step, in radii; 0 while overlaps are small. *missed: remote or spared pairs
 * met all the same; their strands will look further, or have all their contacts. After sk_world_overshoot. */
double sk_world_deepened(skein_world *w, bool *missed);
/* Whether a piece that went further than it looked has met what nobody had in mind. After sk_world_overshoot. */
bool sk_world_collided(const skein_world *w);

/* ---- judge_view.c ---- */
/* info->verdict on the step that was just tried; its arena, surfaces and saved states are still there. */
skein_status sk_world_judge(skein_world *w, skein_step_info *info);

/* ---- sleep.c: islands at rest ---- */
bool sk_world_wake(skein_world *w, int object); /* with its island; whether it slept */
void sk_world_wake_all(skein_world *w);
/* Wakes what its held ends or the bodies under it begin to move in this step; after sk_world_drive. */
void sk_world_rouse(skein_world *w, double dt);
bool sk_world_dormant(const skein_world *w, const sk_touch *t); /* nothing in it moves */
bool sk_world_disturb(skein_world *w, int a, int b);            /* wakes both sides; whether one slept */
bool sk_world_all_asleep(const skein_world *w);                 /* and no prescribed body moves */
int sk_world_rods_asleep(const skein_world *w);
/* Puts islands to sleep that are at rest; after the step, with its touches. */
skein_status sk_world_doze(skein_world *w, double dt);

/* ---- axial.c: contacts along the axis of a straight rod ---- */
int sk_world_number_axial(skein_world *w, int dofs); /* their dofs come after these; returns the number of all */
double sk_world_axial_mass(const skein_world *w, const sk_touch *t, double dt);
sk_vec3 sk_world_axial_frame(const skein_world *w, const sk_touch *t, sk_vec3 *arm); /* the axis; where it acts */

/* ---- problem.c: M, H, f, u_f, and back ---- */
skein_status sk_world_assemble(skein_world *w, double dt);
/* Of one problem: the first solve, one that asks for less, one for what the motion was. */
typedef enum sk_round { SK_FIRST, SK_SOFTER, SK_CORRECTED } sk_round;
/* With few sweeps where there is another answer already, or will be another try. */
skein_status sk_world_solve(skein_world *w, double dt, sk_round round, skein_step_info *info);
/* The same contacts with what w->gentle and w->plain leave of push-out and arcs; rods and bodies are where the step
 * begins. error: of the last solve. */
void sk_world_soften(skein_world *w, double dt, double error);
void sk_world_take(skein_world *w, double dt, skein_step_info *info); /* velocities and impulses of the solution */
/* What the next solve aims at: that of motion, halved for each calm step, which was a good guess for the next one. */
double sk_world_tolerance(const skein_world *w);
void sk_world_energies(const skein_world *w, skein_step_info *info);

/* ---- rigid.c: instead of both, where distances at the end of the step are enforced ---- */
skein_status sk_world_rigid(skein_world *w, double dt, skein_step_info *info);

/* Threads for `count` pieces of work of which one thread does `each` in the time that it takes to call the others. */
static inline int sk_world_team(const skein_world *w, int count, int each)
{
  return SK_MAX(1, SK_MIN(w->threads, count / each));
}

/* Whether the problem of this try asks for velocities that there need not be: that overlaps open, that arcs go on. */
static inline bool sk_world_asks(const skein_world *w)
{
  return (!w->gentle && w->pushed > 0) || (!w->plain && w->arched > 0);
}

static inline bool sk_world_asleep(const skein_world *w, int object)
{
  return w->rest[object].island > 0;
}

static inline bool sk_is_rod(const skein_world *w, int object)
{
  return object < w->strand_count;
}

/* The triangle of a rod's contact with a mesh; -1: not of a rod, whose features are other ones. */
static inline int sk_touch_triangle(const skein_world *w, const sk_touch *t)
{
  return sk_is_rod(w, t->a) ? t->feature / 3 : -1;
}

#endif
