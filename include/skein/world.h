/* The world: a scene in motion, what a step did and what it is worth. */
#ifndef SKEIN_WORLD_H
#define SKEIN_WORLD_H

#include <skein/problem.h>
#include <skein/rod.h>
#include <skein/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What may be wrong with a step, seen from outside: by positions and velocities before and after it. A set of these is
 * an unsigned with bit 1 << flaw; none: the step is solved. */
typedef enum skein_flaw {
  SKEIN_FLAW_DIVERGED,   /* not finite, or an object has more energy of nothing than it has at all */
  SKEIN_FLAW_WOKEN,      /* something that slept was touched; never of a step that was accepted */
  SKEIN_FLAW_TOO_FAST,   /* a place went further than contacts were looked for */
  SKEIN_FLAW_MISSED,     /* the friction solver missed its tolerance */
  SKEIN_FLAW_CURVED,     /* places went elsewhere than the linear problem had them */
  SKEIN_FLAW_TOO_DEEP,   /* two axes went through each other, or an overlap is large and grew */
  SKEIN_FLAW_DEEP,       /* an overlap is large and did not grow */
  SKEIN_FLAW_UNBALANCED, /* energy came from nothing, or a speed is above its bound */
  SKEIN_FLAW_COUNT
} skein_flaw;

SKEIN_API const char *skein_flaw_name(skein_flaw flaw); /* "too deep" */
enum { SKEIN_FLAWS_UNKNOWN = 1 << 30 }; /* the set of a step that was never judged: of a run made before verdicts */

/* The worst of its kind in a step. Objects: rods first, then bodies (rods + index), -1: none. */
typedef struct skein_finding {
  double size;
  int a, b;
} skein_finding;

/* What the step is worth. Lengths in contact lengths: the collision radius of the thinner rod, of two bodies a fiftieth
 * of the smaller one. */
typedef struct skein_verdict {
  unsigned flaws;
  skein_finding overlap; /* at the end of the step, between the true curves; of two rods, or a rod and a body */
  skein_finding deeper;  /* by how much one grew in the step */
  skein_finding curved;  /* largest way of a contact beside what the linear problem had */
  skein_finding balance; /* energy of nothing of an object, over its energy scale */
  skein_finding reach;   /* largest motion of a place over what was searched */
  skein_finding speed;   /* largest of a place over its bound */
  skein_finding crossed; /* the first pair whose axes went through each other; size: how many pairs did */
  double made;           /* J: energy of nothing, all objects */
  double turnover;       /* J: work of gravity, forces and driven ends, by size: what `made` is measured by */
} skein_verdict;

enum { SKEIN_ATTEMPTS = 24 }; /* of one step, at most */

/* What follows an attempt at a step. */
typedef enum skein_action {
  SKEIN_ACCEPT,
  SKEIN_ACCEPT_FLAWED,
  SKEIN_WAKE,
  SKEIN_SEARCH_FURTHER,
  SKEIN_SOLVE_ON,
  SKEIN_ASK_LESS,
  SKEIN_HALVE,
  SKEIN_GIVE_UP,
  SKEIN_ACTION_COUNT
} skein_action;

SKEIN_API const char *skein_action_name(skein_action action); /* "halve" */

typedef struct skein_attempt {
  double dt;      /* s */
  unsigned flaws; /* as in the verdict */
  skein_action action;
  int sweeps;
  double seconds; /* wall clock */
} skein_attempt;

/* What one step did. All in SI units; a row of the statistics. */
typedef struct skein_step_info {
  double time, dt; /* s: at the end of the step, and its length */
  int retries;     /* attempts before this one: the same length or shorter */
  int contacts, islands, rods_asleep;
  double nu;      /* 3 contacts / dofs of what is not asleep */
  int sweeps;     /* largest over islands */
  double error;   /* error_rel over all contacts */
  double tol;     /* what was asked for: less at rest than in motion */
  bool converged; /* error <= tol */
  int stick, slide, open;
  double penetration;               /* largest overlap, in radii */
  double speed;                     /* largest of any point, m/s */
  double kinetic, elastic, gravity; /* J, at the end of the step */
  double work;                      /* J, by the forces of the scene in this step */
  double dissipated;                /* J, by friction and impacts in this step */
  double dissipated_friction;       /* J, of that: by what is tangential */
  double seconds_rods, seconds_collide, seconds_assemble, seconds_solve, seconds_other; /* wall clock */
  double seconds_loop; /* of seconds_solve: the iterations alone, without building W */
  double memory;       /* MB, the most that the process has had so far */
  int rods;            /* at the end of the step: objects of the verdict from here on are bodies */
  skein_verdict verdict;
  int attempts; /* at this step, the accepted one with them */
  skein_attempt attempt[SKEIN_ATTEMPTS];
} skein_step_info;

typedef struct skein_world skein_world;

/* threads 0: all cores. The bits of what follows do not depend on it. The scene must live as long as the world. */
SKEIN_API skein_status skein_world_create(const skein_scene *scene, int threads, skein_world **world);
SKEIN_API void skein_world_destroy(skein_world *world);
/* Whom its steps ask whether to end; from the scene at first. A step that was stopped has not begun. */
SKEIN_API void skein_world_set_stop(skein_world *world, skein_stop stop);
/* Negative while the world settles (time.settle of the scene), which its first steps do. */
SKEIN_API double skein_world_time(const skein_world *world);
/* One step, not beyond `until` (s; INFINITY: as long as the scene allows). BAD_INPUT when the motion blew up (the
 * message names the step and the rods); the problem of that step is then what skein_world_problem returns. */
SKEIN_API skein_status skein_world_step(skein_world *world, double until, skein_step_info *info);
/* The one-step problem of the last step and its solution; valid until the next step. NULL: it had no contacts. */
SKEIN_API const skein_problem *skein_world_problem(const skein_world *world);
SKEIN_API const skein_solution *skein_world_solution(const skein_world *world);
/* The impulses that its solver began with: those of the step before, where contacts go on. NULL: no contacts. */
SKEIN_API const double *skein_world_guess(const skein_world *world);

/* What is in it, to look at: rod i (their number may grow by cuts), body i with its place, quaternion (w x y z),
 * velocity and angular velocity. */
SKEIN_API int skein_world_rods(const skein_world *world);
SKEIN_API const skein_rod *skein_world_rod(const skein_world *world, int i);
SKEIN_API int skein_world_bodies(const skein_world *world);
SKEIN_API void skein_world_body(const skein_world *world, int i, double place[3], double quaternion[4],
                                double velocity[3], double spin[3]);

/* The name of an object as a verdict numbers them, rods first; parts of a rod that was cut have its name. NULL: there
 * is no such object. */
SKEIN_API const char *skein_world_name(const skein_world *world, int object);

/* The smallest distance of two bodies that may touch and of which one is dynamic, as they are now (negative: overlap);
 * infinite when all are further apart than reach (m). By all pairs of shapes, whatever the last step thought. */
SKEIN_API skein_status skein_world_nearest(const skein_world *world, double reach, double *distance);

/* ---- By hand, while it runs: between two steps; the state knows it ---- */

/* Pulls the point at abscissa s (m) of a rod to a target (m) with a critically damped spring (N/m), until set again
 * with the same rod and s; target NULL lets go. Stable for any stiffness. Several pulls at a time; cuts take them
 * along. */
SKEIN_API skein_status skein_world_set_pull(skein_world *world, int rod, double s, const double target[3],
                                            double stiffness);
SKEIN_API skein_env skein_world_env(const skein_world *world);                               /* as it is now */
SKEIN_API skein_status skein_world_set_gravity(skein_world *world, const double gravity[3]); /* m/s^2 */
SKEIN_API skein_status skein_world_set_wind(skein_world *world, const double wind[3]);       /* m/s */
/* Friction of two groups (numbers as in frames); negative: they pass through each other, and cannot be set. */
SKEIN_API skein_status skein_world_mu(const skein_world *world, int group_a, int group_b, double *mu);
SKEIN_API skein_status skein_world_set_mu(skein_world *world, int group_a, int group_b, double mu);

/* The whole state as bytes (warm starts included), and back: the world goes on with the same bits. The caller frees. */
SKEIN_API skein_status skein_world_save(const skein_world *world, void **bytes, size_t *size);
SKEIN_API skein_status skein_world_load(skein_world *world, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
