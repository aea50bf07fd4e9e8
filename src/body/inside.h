/* What the files of the body room share: triangles, the tree, the mesh and bags of contacts. Not a door. */
#ifndef SK_BODY_INSIDE_H
#define SK_BODY_INSIDE_H

#include "body/body.h"

/* t in 0 .. 1; NaN becomes 0. */
static inline double sk_clamp01(double t)
{
  return t > 0 ? (t < 1 ? t : 1) : 0;
}

/* v brought into -h .. h. */
static inline double sk_clamp_half(double v, double h)
{
  return v < -h ? -h : v > h ? h : v;
}

/* Unit of a; where a is shorter than `tiny`, of b; where that is null too, z. */
static inline sk_vec3 sk_unit_or(sk_vec3 a, double tiny, sk_vec3 b)
{
  double n = sk_norm(a);
  if (n > tiny && n > 1e-150) return sk_mul(1 / n, a);
  double k = sk_norm(b);
  return k > 1e-150 ? sk_mul(1 / k, b) : sk_vec(0, 0, 1);
}

/* ---- triangle.c ---- */

/* Where on a triangle: 0 its face, 1 + i its edge from corner i to i + 1, 4 + i its corner i. */
enum { SK_PART_FACE = 0, SK_PART_EDGE = 1, SK_PART_CORNER = 4 };

typedef struct sk_spot {
  sk_vec3 y;   /* on the triangle */
  double t, d; /* place on the segment, distance */
  int part;
} sk_spot;

/* A triangle as the tree stores it: three corners, then the unit normal (null when it has no area). */
enum { SK_PACKED = 12 };

/* Nearest points of the segments p + s u and q + t v, s, t in 0 .. 1; the squared distance (Lumelsky 1985). */
double sk_nearest_segments(sk_vec3 p, sk_vec3 u, sk_vec3 q, sk_vec3 v, double *s, double *t);
/* The point of the triangle nearest to x, when its squared distance is below *d2, which it replaces. */
bool sk_nearest_on_triangle(sk_vec3 x, const double *c, double *d2, sk_vec3 *y, int *part);
/* Places of a + t d, t in 0 .. 1, nearest to the triangle: spot[0] the nearest; where the distance is the same within
 * `flat`, also the first and the last such place. Their number; 0 when further than reach. */
int sk_segment_triangle(sk_vec3 a, sk_vec3 d, const double *c, double reach, double flat, sk_spot spot[3]);

/* ---- net.c ---- */

/* Negative inside; data is the caller's. */
typedef double (*sk_field)(const void *data, sk_vec3 x);
/* The surface field = 0 within lo .. hi, which it does not reach, as a mesh with edges of about `cell`; its vertices
 * are multiplied by scale. The same bits on any number of threads. */
skein_status sk_net_create(sk_field field, const void *data, sk_vec3 lo, sk_vec3 hi, double cell, double scale,
                           sk_mesh **out);

/* ---- tree.c: bounding-volume tree of boxes, children after their parent ---- */
typedef struct sk_node {
  double lo[3], hi[3];
  int first, count; /* leaf: slots first .. first + count - 1; else count 0, children: this + 1 and first */
} sk_node;

enum { SK_GRID_COARSE = 16, SK_GRID_FINE = 96 };
enum { SK_STACK = 128 }; /* deeper than any tree: median splits below the 40th level */

/* Convex meshes of few faces as planes, edges and corners (mesh.c, polytope.c). */
enum { SK_PLANES = 128, SK_EDGES = 192, SK_CORNERS = 128 };

typedef struct sk_face {
  sk_vec3 n;
  double d; /* n x <= d inside */
} sk_face;

typedef struct sk_polytope {
  int faces, edges, corners;
  sk_face face[SK_PLANES];
  int edge[SK_EDGES][4]; /* corners, faces */
  sk_vec3 corner[SK_CORNERS];
} sk_polytope;

struct sk_mesh {
  sk_arena arena;
  int vertices, triangles;
  double *v;
  int *t;
  int *weld;                                /* vertex: the first vertex at the same place */
  int *owner;                               /* welded vertex: the first triangle that has it */
  int *across;                              /* 3 per triangle: the neighbour across each edge; -1: none, or several */
  bool says_convex, sealed, closed, convex; /* sealed: every edge has two triangles */
  double size;                              /* diagonal of the bounds */
  sk_vec3 *face_normal, *edge_normal, *corner_normal; /* pseudo-normals out: per triangle, 3 per triangle, per vertex */
  int slots, nodes;
  int *slot;      /* triangle of each slot */
  double *packed; /* SK_PACKED per slot */
  int *corner;    /* 3 per slot: welded corners */
  sk_node *node;
  double
      *grid; /* closed meshes: signed distance at the middles of cells of the bounds, as they were then; 0: not yet */
  int grid_side; /* cells along each axis */
  double grid_lo[3], grid_hi[3];
  double grid_moved;     /* m: how far vertices may have moved since */
  int grid_sign;         /* the mesh's orientation then; 0: it is new */
  sk_polytope *polytope; /* NULL: not convex, or too many faces */
};

/* A part of a tube's curve: c[0] + c[1] u + c[2] u^2 + c[3] u^3, u in 0 .. 1. */
typedef struct sk_cubic {
  sk_vec3 c[4];
} sk_cubic;

struct sk_tube {
  sk_arena arena;
  bool closed;
  int pieces;
  sk_cubic *piece;
  int *segment;          /* per piece: the point before it */
  sk_vec3 *knot, *along; /* pieces + 1: where they meet, unit tangents */
  double radius, length; /* of the tube, of the curve */
  sk_node *node;         /* of the curve; leaves are single pieces, in order */
};

static inline sk_vec3 sk_cubic_at(const sk_cubic *p, double u)
{
  return sk_axpy(p->c[0], u, sk_axpy(p->c[1], u, sk_axpy(p->c[2], u, p->c[3])));
}

static inline sk_vec3 sk_cubic_slope(const sk_cubic *p, double u)
{
  return sk_axpy(p->c[1], u, sk_axpy(sk_mul(2, p->c[2]), 3 * u, p->c[3]));
}

static inline sk_vec3 sk_cubic_bend(const sk_cubic *p, double u)
{
  return sk_axpy(sk_mul(2, p->c[2]), 6 * u, p->c[3]);
}

typedef struct sk_tube_walk {
  const sk_tube *tube;
  double lo[3], hi[3];
  int stack[SK_STACK], depth;
} sk_tube_walk;

/* Pieces whose box meets lo .. hi, in order; -1 at the end. */
sk_tube_walk sk_tube_walk_start(const sk_tube *t, const double lo[3], const double hi[3]);
int sk_tube_walk_next(sk_tube_walk *w);
bool sk_tube_inertia(const sk_tube *t, double *volume, sk_vec3 *centre, sk_mat3 *inertia);

bool sk_tree_build(sk_mesh *m); /* slots and nodes, from v and t; false: no memory */
void sk_tree_refit(sk_mesh *m);
/* The nearest place of the mesh to x, if within `reach`: triangle (or -1), point, part, distance. */
int sk_tree_nearest(const sk_mesh *m, sk_vec3 x, double reach, sk_vec3 *y, int *part, double *distance);

typedef struct sk_walk {
  const sk_mesh *mesh;
  int stack[SK_STACK], depth;
} sk_walk;

/* Leaves that meet a box: slots first .. first + count - 1, then the next; false at the end. */
sk_walk sk_walk_start(const sk_mesh *m);
bool sk_walk_box(sk_walk *w, const double lo[3], const double hi[3], int *first, int *count);
/* Leaves within reach (or a little more) of a segment with middle c and half-vector h. */
bool sk_walk_segment(sk_walk *w, sk_vec3 c, sk_vec3 h, double reach, int *first, int *count);
/* Leaves that reach below the plane n x = d. */
bool sk_walk_plane(sk_walk *w, sk_vec3 n, double d, int *first, int *count);

/* ---- mesh.c ---- */
sk_vec3 sk_mesh_normal(const sk_mesh *m, int triangle, int part); /* pseudo-normal out; not of unit length */
/* Signed distance (closed meshes; else unsigned) with point, normal and feature. false: beyond reach. */
bool sk_mesh_point(const sk_mesh *m, sk_vec3 x, double reach, sk_near *near);
/* Between which the signed distance of x is, by the grid. */
void sk_mesh_estimate(const sk_mesh *m, sk_vec3 x, double *least, double *most);

/* ---- segments.c, segment_mesh.c, segment_tube.c: in the axes of the shape ---- */
int sk_segment_mesh(const sk_shape *s, sk_vec3 a, sk_vec3 b, double reach, sk_near *out);
int sk_segment_tube(const sk_shape *s, sk_vec3 a, sk_vec3 b, double reach, sk_near *out);
/* Orders by distance (then t, then feature); SK_NEAR_MAX at most stay. */
int sk_near_sort(sk_near *near, int count);

/* ---- bag.c: contacts of two shapes, thinned to the nearest and the most spread ---- */
enum { SK_BAG = 64 };

typedef struct sk_bag {
  sk_near near[SK_BAG];
  int count;
  double reach, same; /* m: nearer together than `same`: one contact */
} sk_bag;

void sk_bag_add(sk_bag *bag, sk_vec3 point, sk_vec3 normal, double distance, sk_feature feature);
int sk_bag_empty(sk_bag *bag, sk_near *out);

/* ---- polytope.c ---- */
void sk_polytope_box(sk_vec3 half, sk_polytope *p);
void sk_polytope_move(const sk_polytope *p, const sk_pose *pose, sk_polytope *out);
/* Contacts of two polytopes in the world, seen from B. */
void sk_polytope_pair(const sk_polytope *A, const sk_polytope *B, double reach, sk_bag *bag);

#endif
