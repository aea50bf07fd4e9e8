/* Door of the body room: shapes, poses, inertia and prescribed motion of what is not a rod. */
#ifndef SK_BODY_H
#define SK_BODY_H

#include "base/base.h"
#include "math/vec3.h"

/* ---- Shapes, in their own axes ---- */
typedef enum sk_shape_kind {
  SK_PLANE,    /* half-space z <= 0, normal along z */
  SK_SPHERE,   /* radius */
  SK_CAPSULE,  /* radius, half-length of its axis along z */
  SK_CYLINDER, /* radius, half-height along z */
  SK_BOX,      /* half-edges */
  SK_MESH,     /* triangles */
  SK_TUBE,     /* a ball of that radius swept along a smooth curve */
  SK_SHAPE_COUNT
} sk_shape_kind;

typedef struct sk_mesh sk_mesh; /* triangles with their tree (mesh.c) */
typedef struct sk_tube sk_tube; /* a curve with its tree (tube.c) */

/* Where the vertices of a mesh are at given times (cache.c). */
typedef struct sk_cache {
  int frames, vertices;
  double scale; /* m per unit of v */
  double *time; /* s, ascending */
  float *v;     /* 3 per vertex, frame after frame */
} sk_cache;

typedef struct sk_shape {
  sk_shape_kind kind;
  double radius, half;   /* sphere, capsule, cylinder, tube (m) */
  sk_vec3 edges;         /* box: half-edges (m) */
  const sk_mesh *mesh;   /* SK_MESH: owned by the scene */
  const sk_tube *tube;   /* SK_TUBE: the same */
  const float *uv;       /* SK_MESH: texture coordinates, 6 per triangle, owned by the scene; NULL: none */
  const sk_cache *cache; /* SK_MESH: its surface moves by itself, and the mesh is that of t = 0; NULL: it does not */
} sk_shape;

typedef struct sk_pose {
  sk_vec3 r;
  sk_quat q;
} sk_pose;

static inline sk_vec3 sk_pose_out(const sk_pose *p, sk_vec3 x) /* from the body's axes to the world */
{
  return sk_add(p->r, sk_apply(sk_quat_frame(p->q), x));
}

static inline sk_vec3 sk_pose_in(const sk_pose *p, sk_vec3 x) /* from the world to the body's axes */
{
  return sk_apply_t(sk_quat_frame(p->q), sk_sub(x, p->r));
}

/* mesh.c: v (3 per vertex) and t (3 per triangle) are copied. Builds a bounding-volume tree in double precision. Convex
 * meshes may say so. BAD_INPUT for indices out of range, numbers that are not finite, no triangles. */
skein_status sk_mesh_create(const double *v, int vertices, const int *t, int triangles, bool convex, sk_mesh **out);
void sk_mesh_destroy(sk_mesh *m);
/* New places of the same vertices (an animated mesh): the tree is refitted. */
void sk_mesh_move(sk_mesh *m, const double *v);
bool sk_mesh_is_polytope(
    const sk_mesh *m); /* convex, of few faces: contacts of two such are exact also where they touch */
int sk_mesh_vertices(const sk_mesh *m);
int sk_mesh_triangles(const sk_mesh *m);
const double *sk_mesh_vertex_data(const sk_mesh *m);
const int *sk_mesh_triangle_data(const sk_mesh *m);

/* head.c: a head with the upper neck, or the neck, shoulders and chest below it (a bust), as closed meshes in the same
 * axes: metres, the origin where the skull turns on the spine, z up, the face looks to -y. height: chin to crown. */
typedef enum sk_head_part { SK_HEAD, SK_BUST } sk_head_part;
skein_status sk_head_create(sk_head_part part, double height, sk_mesh **out);
/* Whether hair grows at this place of a head of that height: behind the hairline, above the ears and the nape. */
bool sk_head_has_hair(double height, sk_vec3 x);

/* The triangle that is nearest to x, and the place on it. */
int sk_mesh_nearest(const sk_mesh *m, sk_vec3 x, sk_vec3 *y);
/* Weights of the corners of that triangle for a place on it; they add up to one. */
void sk_mesh_weights(const sk_mesh *m, int triangle, sk_vec3 y, double weight[3]);
sk_vec3 sk_mesh_place(const sk_mesh *m, int triangle, const double weight[3]);

/* cache.c: room for frames, to be filled; NULL: no memory. Times ascend. */
sk_cache *sk_cache_create(int frames, int vertices, double scale);
void sk_cache_destroy(sk_cache *c);
/* All vertices (3 numbers each, m) or one at time t: smooth between the frames, at rest outside them. */
void sk_cache_places(const sk_cache *c, double t, double *v);
sk_vec3 sk_cache_place(const sk_cache *c, double t, int vertex);

/* anchor.c: a pose that goes with the nearest triangle of a mesh, in the axes of the mesh. */
typedef struct sk_anchor {
  int corner[3]; /* vertices */
  bool turns;    /* false: the triangle has no area, only the place follows */
  double weight[3];
  sk_vec3 base[3]; /* the corners at the start */
  sk_pose pose;    /* at the start */
} sk_anchor;

sk_anchor sk_anchor_make(const sk_mesh *m, const sk_pose *pose);
sk_pose sk_anchor_pose(const sk_anchor *a, const sk_vec3 corner[3]); /* where the corners are now */

/* tube.c: the cubic spline (curvature goes on, none at open ends) through `count` points, copied: two at least, three
 * for a closed one, whose last point is not the first. BAD_INPUT for numbers that are not finite, points that coincide,
 * a curve that bends more tightly than the tube is thick. */
skein_status sk_tube_create(const double *points, int count, bool closed, double radius, sk_tube **out);
void sk_tube_destroy(sk_tube *t);
void sk_tube_move(sk_tube *t, sk_vec3 by);
bool sk_tube_closed(const sk_tube *t);
int sk_tube_pieces(const sk_tube *t); /* parts of the curve that turn little */
double sk_tube_length(const sk_tube *t);
/* Place and unit tangent at x, which goes from 0 to the number of pieces. */
sk_vec3 sk_tube_at(const sk_tube *t, double x, sk_vec3 *tangent);

/* ---- Queries ---- */

/* Which feature of a shape a contact is on: the same name for the same feature from step to step. Either one of one
 * shape (triangle, face, point of a tube) with the part of the segment that is nearest there, or one made of a feature
 * of each of two shapes. Only the functions below look inside. */
typedef enum sk_place { SK_AT_MIDDLE, SK_AT_START, SK_AT_END, SK_OF_TWO } sk_place;

typedef struct sk_feature {
  int32_t name; /* of the face; SK_OF_TWO: a hash */
  sk_place place;
} sk_feature;

static inline sk_feature sk_feature_at(int face, sk_place place)
{
  return (sk_feature){face, place};
}

/* kind: of pair; i, j: numbers of the features of the two shapes. */
static inline sk_feature sk_feature_of_two(int kind, int i, int j)
{
  uint32_t h = (uint32_t)kind * 83492791u ^ (uint32_t)i * 73856093u ^ (uint32_t)j * 19349663u;
  return (sk_feature){(int32_t)(h & 0x7fffffffu), SK_OF_TWO};
}

/* The triangle of a mesh, the face of a shape; -1: made of two. */
static inline int sk_feature_face(sk_feature f)
{
  return f.place == SK_OF_TWO ? -1 : f.name;
}

/* Face and place as one number, for the name of a pair. */
static inline int sk_feature_number(sk_feature f)
{
  return (int)(3 * (uint32_t)f.name + (uint32_t)f.place);
}

static inline int sk_feature_order(sk_feature f, sk_feature g) /* negative: f comes first; 0: the same */
{
  if (f.name != g.name) return f.name < g.name ? -1 : 1;
  return (int)f.place - (int)g.place;
}

/* One place where a shape and something else are nearest: the point on the surface of the shape, the unit normal out of
 * the shape there, the signed distance (negative: inside) from that surface to the other thing's core. */
typedef struct sk_near {
  sk_vec3 point, normal;
  double distance;
  double t; /* segment: place of the nearest point, 0 .. 1 */
  sk_feature feature;
} sk_near;

enum { SK_NEAR_MAX = 16 };

/* Places where the segment a-b (of a capsule; its radius is not subtracted) is within `reach` of the shape in that
 * pose: the nearest, and the ends where these are apart and within reach too (a rod lies on a plane with two contacts),
 * for a mesh those of different triangles that are local minima, for a tube one for each of its strands that passes. At
 * most SK_NEAR_MAX, nearest first; their number. */
int sk_shape_segment(const sk_shape *s, const sk_pose *pose, sk_vec3 a, sk_vec3 b, double reach, sk_near *out);
/* The nearest place to a point, where it is within reach or the point is inside: false: neither. */
bool sk_shape_point(const sk_shape *s, const sk_pose *pose, sk_vec3 x, double reach, sk_near *near);
/* Contacts of two shapes within reach, as seen from B: point on B, normal out of B, distance to A; enough of them for a
 * box to stand on a plane or on a box (corners, edges). Meshes: convex ones by their vertices, edges and faces. */
int sk_shape_shape(const sk_shape *a, const sk_pose *pose_a, const sk_shape *b, const sk_pose *pose_b, double reach,
                   sk_near *out);
/* Bounds of the shape in that pose; infinite for planes. */
void sk_shape_bounds(const sk_shape *s, const sk_pose *pose, sk_vec3 *lo, sk_vec3 *hi);
/* Volume, centre of mass and inertia about it per unit of density, in the shape's axes. false: it has none (plane, open
 * mesh). */
bool sk_shape_inertia(const sk_shape *s, double *volume, sk_vec3 *centre, sk_mat3 *inertia);

/* ---- Prescribed motion (motion.c) ---- */
typedef struct sk_key {
  double time;
  sk_vec3 r;
  sk_quat q;
} sk_key;

/* A sum of sines: offset = axis * amplitude * sin(2 pi frequency t + phase), of a place (m) or of an angle (rad) about
 * the axis through the body's origin; `rate` adds axis * rate * t (a constant speed or spin). Starts after `start`. */
typedef struct sk_wave {
  bool turns; /* angle, not place */
  sk_vec3 axis;
  double amplitude, frequency, phase, rate, start;
} sk_wave;

typedef struct sk_path {
  sk_key *keys; /* ascending times; before the first and after the last it stays */
  int key_count;
  sk_wave *waves;
  int wave_count;
  sk_vec3 pivot; /* turns are about this place, in the axes of the body */
} sk_path;

/* The pose at time t of what is at `base` when nothing moves: keys (poses in the world; smooth, monotone cubic in r,
 * slerp with smooth speed in q) take the place of base, waves act on top, turns before moves; then what has turned
 * since base is moved so that it turned about the pivot. Path NULL or empty: base. */
sk_pose sk_path_pose(const sk_path *path, const sk_pose *base, double t);

#endif
