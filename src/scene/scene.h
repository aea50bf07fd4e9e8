/* Door of the scene room (its functions are skein_scene_* of the public header): what exists, checked, in SI units, and
 * constant once read. Bundles, grids and files are expanded:
 * rods and bodies are flat lists. */
#ifndef SK_SCENE_H
#define SK_SCENE_H

#include "base/base.h"
#include "body/body.h"

#include <skein/picture.h>
#include <skein/problem.h>
#include <skein/rod.h>
#include <skein/scene.h>

/* Linear RGB, 0 to 1. */
typedef struct sk_rgb {
  float r, g, b;
} sk_rgb;

/* What rods are made of, as far as pictures care. */
typedef struct sk_scene_material {
  const char *name;
  sk_rgb colour;
} sk_scene_material;

/* One rod: its definition (arrays owned by the scene), what it collides as, and what holds its ends. */
typedef struct sk_scene_rod {
  const char *name;  /* "spaghetti", "spaghetti[3]": of its entry in the file */
  const char *file;  /* that its strand is from; NULL: none */
  skein_rod_def def; /* pose: of the root, in the world, at t = 0 */
  double radius;     /* m: of its capsules; the section's mean radius unless the scene says otherwise */
  int group;
  int material;                /* of the scene's materials */
  int root_body, tip_body;     /* the body that a held end moves with; -1: none */
  sk_path root_path, tip_path; /* motion of a held end that no body holds, on top of its pose at t = 0: m =
                                  sk_path_pose(path, identity, t) gives the pose (r0 + m.r, m.q q0) */
  double velocity[3];          /* m/s at the start, of the whole rod (free roots and chains) */
  bool outside;                /* the initial shape is to be outside bodies: */
  double moved, inside;        /* m: furthest that a point was moved for it; deepest that one is inside (all the same) */
  int inside_body;             /* and in which body */
  bool sag_free;               /* the natural shape is the one that hangs in the initial one under gravity */
  bool fitted;                 /* to a strand */
  double fit;                  /* m: rods from a file, the largest distance between a point of the strand and the rod */
} sk_scene_rod;

typedef enum sk_body_mode { SK_STATIC, SK_PRESCRIBED, SK_DYNAMIC } sk_body_mode;

typedef struct sk_scene_body {
  const char *name;
  sk_shape shape;
  sk_body_mode mode;
  int group;
  sk_rgb colour;
  sk_pose pose;           /* at t = 0 */
  sk_path path;           /* SK_PRESCRIBED */
  double mass;            /* kg, SK_DYNAMIC */
  sk_mat3 inertia;        /* about the centre of mass, body axes; the shape's origin is its centre of mass */
  sk_vec3 velocity, spin; /* at t = 0, SK_DYNAMIC */
} sk_scene_body;

typedef enum sk_event_kind {
  SK_EVENT_RELEASE_ROOT,
  SK_EVENT_RELEASE_TIP,
  SK_EVENT_CUT,
  SK_EVENT_GRAVITY,
  SK_EVENT_WIND
} sk_event_kind;

/* Something that happens at the first step that starts at or after `time`. */
typedef struct sk_event {
  double time;
  sk_event_kind kind;
  int rod_first, rod_count; /* release, cut */
  double s;                 /* cut: m from the root */
  double value[3];          /* gravity, wind */
} sk_event;

/* A dead force on rods while from <= t < until; it comes on evenly over `ramp`. */
typedef struct sk_scene_force {
  int rod_first, rod_count;
  double s;        /* m from the root; NaN: the tip */
  double force[3]; /* N, on each of the rods */
  double from, until, ramp;
} sk_scene_force;

/* How rigid bodies are kept apart: by velocities (and a push-out), or by the distances at the end of the step. */
typedef enum sk_rigid_method {
  SK_RIGID_VELOCITY,
  SK_RIGID_NEWTON,
  SK_RIGID_FISCHER,
  SK_RIGID_LCP,
  SK_RIGID_COUNT
} sk_rigid_method;

typedef struct sk_scene_step {
  double dt, dt_min, dt_max; /* s: the default step, and the bounds of the adaptive one */
  double theta;
  double settle;          /* s before t = 0 in which the scene comes to rest */
  double settle_friction; /* share of mu that acts meanwhile */
  double tol, tol_rest;   /* of the friction solve, error_rel: in motion, and where all is calm */
  double slop;            /* share of the radius that contacts may overlap before they are pushed out */
  double push;            /* m/s: bound of the push-out velocity */
  double push_share;      /* and this share of the speed of the places that touch */
  int start_sweeps;       /* sweeps at most that a solve by a Newton method begins with */
  int corrections;        /* how often a step is solved again for what its motion is beside the linear one, at most */
  bool passive;           /* overlaps are pushed out at once, but no faster than the surfaces came together */
  double chord;           /* share of the radius that the chord of a capsule may miss the curve by */
  double overlap;         /* share of the radius beyond which an overlap that grows makes steps shorter */
  double spacing;         /* share of an element within which contacts of a pair that face the same way are one */
  double travel;          /* largest travel of a point in one step, in lengths of a capsule; 0: any */
  skein_method method;
  skein_local local;
  bool failsafe;
  sk_rigid_method rigid;
  double max_seconds; /* 0: none */
  int max_sweeps;
  bool sleep;         /* islands at rest are put to sleep: */
  double sleep_speed; /* slower than this, in radii per second, */
  double sleep_after; /* for so long, in s */
} sk_scene_step;

typedef struct sk_scene_output {
  double fps;           /* frames per second of simulated time */
  bool every_step;      /* frames are steps; steps still end at multiples of 1/fps */
  int points;           /* of the centreline per rod that frames hold; 0: enough for the chord error */
  bool contacts;        /* frames hold the contacts */
  int checkpoint_every; /* frames */
} sk_scene_output;

struct skein_scene {
  sk_stop stop; /* who may end its reading; its worlds ask the same */
  const char *title;
  double duration; /* s */
  skein_env env;
  sk_scene_rod *rods;
  int rod_count;
  sk_scene_body *bodies;
  int body_count;
  sk_scene_material *materials; /* of the file, then the presets */
  int material_count;
  skein_look_camera camera;
  char **groups;
  int group_count;
  double *mu, *restitution; /* group_count^2, mu < 0: no contact */
  sk_event *events;         /* by time */
  int event_count;
  sk_scene_force *forces;
  int force_count;
  sk_scene_step step;
  sk_scene_output output;
  const char **names;    /* of rods, then of bodies */
  double unit;           /* metres per length unit of the file: 1, 0.01, 0.001; files that are exported go back to it */
  const char *guessed;   /* the first file whose unit was guessed, NULL: none, */
  double guessed_metres; /* and what it was taken to be */
  skein_warning *warnings;
  int warning_count;
  char *source;   /* the JSON text as read, with --set applied */
  sk_arena arena; /* everything but the meshes, their caches and the tubes */
  sk_mesh **meshes;
  int mesh_count;
  sk_cache **caches;
  int cache_count;
  sk_tube **tubes;
  int tube_count;
};

#endif
