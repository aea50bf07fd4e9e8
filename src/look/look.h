/* Inside the look room: what a scene looks like. The room has no door of its own: what others use is skein_look_* and
 * skein_colour_* of the public header. */
#ifndef SK_LOOK_H
#define SK_LOOK_H

#include "base/base.h"
#include "body/body.h"
#include "scene/scene.h"

#include <skein/picture.h>

/* What values.c must know of a rod of the scene. */
typedef struct sk_look_rod {
  int material;  /* of the look's */
  int root_body; /* that holds its root; -1: none */
  double length;
} sk_look_rod;

typedef struct sk_look_material {
  const char *name;
  float colour[3];
} sk_look_material;

struct skein_look {
  sk_arena arena;
  skein_look_body *bodies;
  bool *joins;  /* of each body: dynamic, so that islands go through it */
  int **source; /* of each body that deforms: the vertex of its file behind each of its vertices; else NULL */
  sk_mesh **tree; /* of each body that has texture coordinates and holds roots: its mesh at t = 0; else NULL */
  int body_count;
  const char **groups;
  int group_count;
  sk_look_material *materials;
  int material_count;
  sk_look_rod *rods; /* of the scene */
  int rod_count;
  skein_look_camera camera;
};

/* ---- tessellate.c: shapes as triangles, counter-clockwise from outside, with unit normals ---- */

typedef struct sk_surface {
  int vertices, triangles;
  float *vertex, *normal;
  int *triangle;
  int *source; /* of a mesh: the vertex behind each vertex */
} sk_surface;

/* All in the arena; without memory the arena says so and the surface is empty. A plane is a square of half-edge `half`
 * around `centre` (its z is not used). */
sk_surface sk_surface_make(sk_arena *arena, const sk_shape *shape, sk_vec3 centre, double half);

/* ---- tube.c: a circle carried along the curve, half-balls at open ends ---- */
sk_surface sk_surface_tube(sk_arena *arena, const sk_tube *tube, double radius);

/* ---- mesh_normals.c: smooth where faces meet at less than 40 degrees, with vertices split along sharper edges ---- */
sk_surface sk_surface_mesh(sk_arena *arena, const double *v, int vertices, const int *t, int triangles);

/* surface.c: places of body i in a frame, in its axes: all that its vertices take, each at least once. */
void sk_look_places(const skein_look *look, const skein_frame *f, int i, const float **vertex, int *count);

/* root_uv.c: the meshes on which roots are looked for. */
skein_status sk_look_make_trees(skein_look *look, const skein_scene *scene);

/* Where rod i of the frame stands in the look; a safe one when the frame is not of this scene. */
int sk_look_material_of(const skein_look *look, const skein_frame *f, int rod);

#endif
