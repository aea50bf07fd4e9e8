/* Scenes: what exists, read from JSON and checked; constant from then on. */
#ifndef SKEIN_SCENE_H
#define SKEIN_SCENE_H

#include <skein/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skein_scene skein_scene;

/* Reads and checks a scene file (docs/scene.md). sets: "path=value" strings that replace fields ("time.dt=1e-3"). */
SKEIN_API skein_status skein_scene_read(const char *path, const char *const *sets, int set_count, skein_scene **scene);
/* The same while `stop` does not want it to end. Worlds of the scene ask it too. */
SKEIN_API skein_status skein_scene_read_until(const char *path, const char *const *sets, int set_count, skein_stop stop,
                                              skein_scene **scene);
SKEIN_API skein_status skein_scene_parse_until(const char *text, const char *name, const char *folder,
                                               const char *const *sets, int set_count, skein_stop stop,
                                               skein_scene **scene);
/* The same from text; `name` stands in messages, files are relative to `folder`. */
SKEIN_API skein_status skein_scene_parse(const char *text, const char *name, const char *folder,
                                         const char *const *sets, int set_count, skein_scene **scene);
SKEIN_API void skein_scene_destroy(skein_scene *scene);             /* NULL is fine */
SKEIN_API const char *skein_scene_source(const skein_scene *scene); /* the JSON text, with the sets in it */
SKEIN_API const char *skein_scene_title(const skein_scene *scene);
SKEIN_API double skein_scene_duration(const skein_scene *scene);      /* s */
SKEIN_API double skein_scene_fps(const skein_scene *scene);           /* frames per second of simulated time */
SKEIN_API bool skein_scene_every_step(const skein_scene *scene);      /* a run has a frame of every step */
SKEIN_API int skein_scene_checkpoint_every(const skein_scene *scene); /* frames between two states of a run */
SKEIN_API int skein_scene_rods(const skein_scene *scene);
SKEIN_API int skein_scene_bodies(const skein_scene *scene);
/* Rods first ("hair[17]"), then bodies; NULL: there is no such object. */
SKEIN_API const char *skein_scene_name(const skein_scene *scene, int object);

/* What a run keeps of its scene. */
typedef struct skein_manifest {
  const char *source; /* the JSON text */
  const char *title;
  const char *folder; /* where the files that the scene names are; NULL: "" */
  double fps;         /* frames per second of simulated time */
  int rods, bodies;
  const char *const *name; /* of rods, then of bodies; NULL: they have none */
} skein_manifest;

/* folder is NULL: whoever read the scene knows it. Texts belong to the scene. */
SKEIN_API skein_manifest skein_scene_manifest(const skein_scene *scene);

/* How the rods of a scene got their initial shapes. Names are of rods, NULL where there is none. */
typedef struct skein_start_info {
  int rods;
  int fitted;                    /* to strands of files or points: the largest distance between a strand and its rod, */
  double fit_most, fit_mean;     /* m: over all of them, and the mean over rods; */
  double share_most, share_mean; /* the same as shares of the rod's length */
  const char *fit_worst;
  int moved;                              /* out of bodies ("start": {"outside": true}): */
  double moved_most;                      /* m: largest way of a point */
  int inside;                             /* that start inside bodies (those that are to be moved out: all the same): */
  double inside_most;                     /* m: the deepest place */
  const char *inside_worst, *inside_body; /* of which rod, and in which body */
  const char *guessed;   /* the first file that does not say its unit and axes, which were guessed; NULL: none. Taken as: */
  double guessed_metres; /* m per unit, y up */
} skein_start_info;

SKEIN_API skein_start_info skein_scene_start(const skein_scene *scene);

/* A value that is allowed but hardly meant, as a modulus of 4 Pa. Texts are the scene's. */
typedef struct skein_warning {
  const char *field;       /* "materials.hair.E" */
  int line;                /* of the file */
  double value, low, high; /* in SI units: what it is, and the usual range */
  const char *unit;        /* of these, "Pa"; "" for numbers without one */
  const char *meant;       /* the unit in which the same number would be usual, "GPa"; "": none is known */
  double instead;          /* what the scene would say then, in its own units; NaN: not known */
  const char *text;        /* all that in a sentence that begins with the field */
} skein_warning;

/* Those of a scene, in the order of docs/scene.md. */
SKEIN_API const skein_warning *skein_scene_warnings(const skein_scene *scene, int *count);

#ifdef __cplusplus
}
#endif
#endif
