/* What a run looks like, and hairs: for pictures, pages and exported files. */
#ifndef SKEIN_PICTURE_H
#define SKEIN_PICTURE_H

#include <skein/run.h>
#include <skein/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What a run looks like: for pictures, pages and exported files --------------------------------------------- */

/* Meshes of the bodies, colours, groups and the camera of a scene; needs the scene only while it is created. That of a
 * run: skein_scene_parse of skein_run_source with skein_run_folder. */
typedef struct skein_look skein_look;

typedef struct skein_look_body {
  const char *name, *group;
  int vertices, triangles;
  const float *vertex, *normal; /* 3 per vertex, m, axes of the body (frame->body_pose takes them to the world) */
  const int *triangle;          /* 3 each, counter-clockwise from outside */
  const float *uv;              /* 6 per triangle: texture coordinates of its corners; NULL: the mesh has none */
  float colour[3];              /* linear RGB, 0 to 1 */
  bool endless;                 /* a plane: the mesh is a square that covers the scene */
  bool moves;                   /* prescribed or dynamic */
  bool deforms;                 /* vertex and normal are those of t = 0: skein_look_surface has those of a frame */
} skein_look_body;

typedef struct skein_look_camera {
  bool given;
  double eye[3], target[3], up[3]; /* m; up is a unit vector */
  double fov;                      /* degrees, from the lower to the upper edge */
} skein_look_camera;

SKEIN_API skein_status skein_look_create(const skein_scene *scene, skein_look **look);
SKEIN_API void skein_look_destroy(skein_look *look); /* NULL is fine */
SKEIN_API int skein_look_bodies(const skein_look *look);
SKEIN_API const skein_look_body *skein_look_body_at(const skein_look *look, int i);
/* The vertices of body i in a frame and, unless NULL, their normals (3 per vertex of the body, its axes). */
SKEIN_API void skein_look_surface(const skein_look *look, const skein_frame *f, int i, float *vertex, float *normal);
/* Texture coordinates of the place where a rod (or hair) of frame 0 roots; false: no body holds it, they are 0. */
SKEIN_API bool skein_look_root_uv(const skein_look *look, const skein_frame *first, int rod, float uv[2]);
SKEIN_API int skein_look_groups(const skein_look *look);
SKEIN_API const char *skein_look_group_name(const skein_look *look, int g);
SKEIN_API int skein_look_materials(const skein_look *look); /* those that rods are made of */
SKEIN_API const char *skein_look_material_name(const skein_look *look, int m);
/* By material; linear RGB. */
SKEIN_API void skein_look_rod_colour(const skein_look *look, const skein_frame *f, int rod, float colour[3]);
SKEIN_API skein_look_camera skein_look_camera_of(const skein_look *look); /* given = false: the scene has none */
/* Of rods with their radius and bodies without planes; false: there are none. */
SKEIN_API bool skein_look_bounds(const skein_look *look, const skein_frame *f, double lo[3], double hi[3]);

/* What colours show. */
typedef enum skein_colour {
  SKEIN_BY_MATERIAL,
  SKEIN_BY_GROUP,
  SKEIN_BY_SPEED,
  SKEIN_BY_STATUS,
  SKEIN_BY_FORCE,
  SKEIN_BY_ISLAND,
  SKEIN_COLOUR_COUNT
} skein_colour;

SKEIN_API const char *skein_colour_name(skein_colour by);
SKEIN_API int skein_colour_find(const char *name);         /* -1: none */
SKEIN_API const char *skein_colour_about(skein_colour by); /* one line for --help */
SKEIN_API const char *skein_colour_unit(skein_colour by);  /* "m/s", "N"; "": it is not a continuous scale */
SKEIN_API void skein_colour_ramp(double t, float rgb[3]);  /* the continuous scale, t from 0 to 1 */

/* One number per point of the frame, always finite: material, group (numbers as above), speed in m/s (by the difference
 * to `before`, an earlier frame; NULL: 0), status (0 none or open, 1 stick, 2 slide: of contacts near the point), force
 * in N (of contacts, fading over two diameters from each), island (the number of its first rod; -1: touches nothing).
 */
SKEIN_API skein_status skein_look_values(const skein_look *look, skein_colour by, const skein_frame *before,
                                         const skein_frame *f, float *value);
/* The same as colours, 3 per point, linear RGB. lo, hi: range of a continuous scale; where *lo == *hi it is taken from
 * the values and returned. Both NULL: taken, not returned. */
SKEIN_API skein_status skein_look_colours(const skein_look *look, skein_colour by, const skein_frame *before,
                                          const skein_frame *f, double *lo, double *hi, float *rgb);

/* Numbers of skein_look_values as colours, 3 per number, linear RGB; lo and hi as above. value may be the last third of
 * rgb. */
SKEIN_API void skein_look_paint(const skein_look *look, skein_colour by, const float *value, int count, double *lo,
                                double *hi, float *rgb);

typedef struct skein_legend_entry {
  const char *name;
  float colour[3];
} skein_legend_entry;

/* Entry i of a named scale (material, group, status), as long as it returns true; false at once: continuous (speed,
 * force: skein_colour_ramp) or without names (island). */
SKEIN_API bool skein_look_legend(const skein_look *look, skein_colour by, int i, skein_legend_entry *entry);

/* ---- Hairs: many strands for pictures, from the few that were simulated ----------------------------------------- */

/* Guides are simulated rods; hairs root between them on the skin of the body that holds them, and follow those nearest
 * (docs/hairs.md). */
typedef struct skein_hairs_def {
  int hairs;          /* 1 to 1,000,000 */
  double clump;       /* 0 to 1: how far hairs gather around their guide towards the tip */
  double frizz;       /* 0 to 10: how far a hair strays by itself, in radii of its guide */
  double width;       /* m: diameter of a hair; 0: 0.08 mm, thicker where there are few */
  double vary;        /* 0 to 0.9: hairs are shorter than their guides, by up to this share */
  int points;         /* of each hair, 2 to 256; 0: enough for the curls of the guides */
  uint64_t seed;      /* of the same seed, the first hairs are the same whatever their number */
  const char *groups; /* names of groups whose rods are guides, with commas; NULL: those of which a body holds 20 rods
                         or more by their root */
  int threads;        /* 0: all cores. The bits of the hairs do not depend on it */
} skein_hairs_def;

SKEIN_API skein_hairs_def skein_default_hairs_def(void);

typedef struct skein_hairs skein_hairs;

/* first: frame 0 of the run; hairs are rooted and tied to their guides there. Needs scene and frame only while it is
 * created. BAD_INPUT where no rods can be guides. */
SKEIN_API skein_status skein_hairs_create(const skein_scene *scene, const skein_frame *first,
                                          const skein_hairs_def *def, skein_hairs **hairs);
SKEIN_API void skein_hairs_destroy(skein_hairs *hairs); /* NULL is fine */
SKEIN_API int skein_hairs_guides(const skein_hairs *hairs);
SKEIN_API int skein_hairs_points(const skein_hairs *hairs); /* of each hair */
/* The guide of a hair: the rod of the scene (rod_source) that is nearest to it. */
SKEIN_API int skein_hairs_guide_of(const skein_hairs *hairs, int hair);
/* The frame with hairs in the place of the guides: hairs first, then rods that are no guides (and what was cut off from
 * guides). Contacts of a guide are those of its first hair; without one they are left out. The caller destroys it. */
SKEIN_API skein_status skein_hairs_frame(const skein_hairs *hairs, const skein_frame *frame, skein_frame *out);
/* As skein_look_values, one number per point of the frame above: a hair has the values of its guide. */
SKEIN_API skein_status skein_hairs_values(const skein_hairs *hairs, const skein_look *look, skein_colour by,
                                          const skein_frame *before, const skein_frame *frame, float *value);

#ifdef __cplusplus
}
#endif
#endif
