/* Frames, and runs: frames, steps and states in RUN.h5. */
#ifndef SKEIN_RUN_H
#define SKEIN_RUN_H

#include <skein/scene.h>
#include <skein/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a frame shows. Arrays belong to whoever made it (world or run). */
typedef struct skein_frame {
  int index; /* 0: the start */
  double time;
  double dt; /* s: of the last step before it; 0: none. Impulse / dt is a force */
  int rods, points;
  int *point_start; /* rods + 1: the points of rod i are point_start[i] .. point_start[i+1] - 1, root to tip */
  float *point;     /* 3 each, m */
  float *radius;    /* of each rod, m */
  int *rod_group;   /* of each rod */
  int *rod_source;  /* of each rod: which one of the scene it is, or was cut from */
  int bodies;
  double *body_pose; /* 7 each: place, quaternion w x y z */
  int contacts;
  int *contact_object;                                      /* 2 each: rods first, then bodies (rods + index) */
  double *contact_s;                                        /* 2 each: abscissa on a rod, 0 on a body */
  double *contact_point, *contact_normal, *contact_impulse; /* 3 each, world axes; impulse on the first object, N s */
  double *contact_gap;                                      /* m */
  signed char *contact_status;                              /* 0 open, 1 stick, 2 slide */
  int surfaces, surface_vertices;                           /* of bodies that deform; vertices of all together */
  int *surface_body;                                        /* of each surface: which body */
  int *surface_start;    /* surfaces + 1: the vertices of surface k are surface_start[k] .. surface_start[k+1] - 1 */
  float *surface_vertex; /* 3 each, m, axes of the body, in the order of the mesh's file */
} skein_frame;

SKEIN_API skein_status skein_world_frame(const skein_world *world, int index, skein_frame *frame);
SKEIN_API void skein_frame_destroy(skein_frame *frame);

/* ---- Runs: RUN.h5 ---------------------------------------------------------------------------------------------- */

typedef struct skein_run skein_run;

/* A new run (an existing file is replaced at the first frame; the manifest is copied); one that exists, to be continued
 * or read. While it is written, a run is a small file that refers to finished frames in the folder PATH.d; whatever
 * kills the program, PATH opens with every frame that was appended. skein_run_finish makes one file of it. */
SKEIN_API skein_status skein_run_create(const char *path, const skein_manifest *manifest, skein_run **run);
SKEIN_API skein_status skein_run_open(const char *path, bool write, skein_run **run);
SKEIN_API void skein_run_close(skein_run *run); /* NULL is fine; what was appended stays */
/* Appends a frame, the steps that led to it, and the state of the world after it. On failure (full disk) the file is as
 * before. state NULL: the one before stays; opened for writing again, the run goes on from there, and frames behind it
 * come again. */
SKEIN_API skein_status skein_run_append(skein_run *run, const skein_frame *frame, const skein_step_info *steps,
                                        int step_count, const void *state, size_t state_size);
/* The state between two frames, or before the first, with the steps since the last one: where a stopped run goes on. */
SKEIN_API skein_status skein_run_checkpoint(skein_run *run, const skein_step_info *steps, int step_count,
                                            const void *state, size_t state_size);
SKEIN_API skein_status skein_run_finish(skein_run *run);

SKEIN_API int skein_run_frames(const skein_run *run);
SKEIN_API double skein_run_fps(const skein_run *run);
SKEIN_API const char *skein_run_title(const skein_run *run);   /* of the scene */
SKEIN_API const char *skein_run_source(const skein_run *run);  /* the scene's JSON */
SKEIN_API const char *skein_run_version(const skein_run *run); /* of the library that wrote it */
SKEIN_API const char *skein_run_folder(const skein_run *run);  /* of the manifest: where the scene's files are */
/* The last state and the steps since the last frame (the caller frees both); size 0: none. */
SKEIN_API skein_status skein_run_state(const skein_run *run, void **state, size_t *size, skein_step_info **steps,
                                       int *step_count);
SKEIN_API skein_status skein_run_frame(const skein_run *run, int index, skein_frame *frame);
/* The name of an object of a verdict in a step with so many rods (skein_step_info.rods); NULL: there is no such object,
 * or the run was made before verdicts and has no names. */
SKEIN_API const char *skein_run_name(const skein_run *run, int rods, int object);
/* All steps of the frames, one after the other; the caller frees. */
SKEIN_API skein_status skein_run_steps(const skein_run *run, skein_step_info **steps, int *count);

#ifdef __cplusplus
}
#endif
#endif
