/* Shapes of bodies as triangles. Round ones are bodies of revolution about z: rings of a profile, whose normal turns by
 * equal angles. */
#include "look/look.h"

enum { AROUND = 64, DOWN = 32 }; /* of round shapes: corners around, steps from pole to pole (even) */

static bool reserve(sk_arena *arena, sk_surface *s, int vertices, int triangles)
{
  *s = (sk_surface){0};
  s->vertex = SK_NEW_RAW(arena, 3 * (size_t)vertices, float),
  s->normal = SK_NEW_RAW(arena, 3 * (size_t)vertices, float);
  s->triangle = SK_NEW_RAW(arena, 3 * (size_t)triangles, int);
  return !arena->failed;
}

static int add_vertex(sk_surface *s, sk_vec3 r, sk_vec3 n)
{
  float *v = s->vertex + 3 * (size_t)s->vertices, *w = s->normal + 3 * (size_t)s->vertices;
  v[0] = (float)r.x, v[1] = (float)r.y, v[2] = (float)r.z;
  w[0] = (float)n.x, w[1] = (float)n.y, w[2] = (float)n.z;
  return s->vertices++;
}

static void add_triangle(sk_surface *s, int a, int b, int c)
{
  int *t = s->triangle + 3 * (size_t)s->triangles++;
  t[0] = a, t[1] = b, t[2] = c;
}

/* A ring of radius r at height z, with normals at the angle `tilt` above the horizon; its first vertex. */
static int add_ring(sk_surface *s, double r, double z, double tilt)
{
  int first = s->vertices;
  for (int k = 0; k < AROUND; k++) {
    double a = 2 * SK_PI * k / AROUND, c = cos(a), d = sin(a);
    add_vertex(s, sk_vec(r * c, r * d, z), sk_vec(cos(tilt) * c, cos(tilt) * d, sin(tilt)));
  }
  return first;
}

/* The band between two rings, `upper` above `lower`. */
static void add_band(sk_surface *s, int upper, int lower)
{
  for (int k = 0; k < AROUND; k++) {
    int next = (k + 1) % AROUND;
    add_triangle(s, upper + k, lower + k, lower + next);
    add_triangle(s, upper + k, lower + next, upper + next);
  }
}

/* The fan between a ring and a vertex above (or below) it. */
static void add_fan(sk_surface *s, int pole, int ring, bool above)
{
  for (int k = 0; k < AROUND; k++) {
    int next = (k + 1) % AROUND;
    add_triangle(s, pole, ring + (above ? k : next), ring + (above ? next : k));
  }
}

/* Two half-balls of radius r, their centres 2 half apart; half 0: a ball. */
static sk_surface make_capsule(sk_arena *arena, double r, double half)
{
  sk_surface s;
  int rings = DOWN - 1 + (half > 0); /* the equator twice */
  if (!reserve(arena, &s, 2 + rings * AROUND, 2 * rings * AROUND)) return (sk_surface){0};
  int top = add_vertex(&s, sk_vec(0, 0, half + r), sk_vec(0, 0, 1));
  int bottom = add_vertex(&s, sk_vec(0, 0, -half - r), sk_vec(0, 0, -1)), last = -1;
  for (int k = 1; k < DOWN; k++)
    for (int twice = half > 0 && k == DOWN / 2; twice >= 0; twice--) {
      double tilt = SK_PI * (0.5 - (double)k / DOWN);
      double shift = k < DOWN / 2 || twice ? half : -half;
      if (k == DOWN / 2) tilt = 0;
      int ring = add_ring(&s, r * cos(tilt), shift + r * sin(tilt), tilt);
      if (last < 0) add_fan(&s, top, ring, true);
      else add_band(&s, last, ring);
      last = ring;
    }
  add_fan(&s, bottom, last, false);
  return s;
}

static sk_surface make_cylinder(sk_arena *arena, double r, double half)
{
  sk_surface s;
  if (!reserve(arena, &s, 2 + 4 * AROUND, 4 * AROUND)) return (sk_surface){0};
  add_band(&s, add_ring(&s, r, half, 0), add_ring(&s, r, -half, 0));
  int top = add_vertex(&s, sk_vec(0, 0, half), sk_vec(0, 0, 1));
  add_fan(&s, top, add_ring(&s, r, half, 0.5 * SK_PI), true);
  int bottom = add_vertex(&s, sk_vec(0, 0, -half), sk_vec(0, 0, -1));
  add_fan(&s, bottom, add_ring(&s, r, -half, -0.5 * SK_PI), false);
  return s;
}

/* A rectangle around c with half-edges a and b; its normal is that of a x b. */
static void add_face(sk_surface *s, sk_vec3 c, sk_vec3 a, sk_vec3 b)
{
  sk_vec3 n = sk_unit(sk_cross(a, b));
  int first = add_vertex(s, sk_sub(sk_sub(c, a), b), n);
  add_vertex(s, sk_sub(sk_add(c, a), b), n), add_vertex(s, sk_add(sk_add(c, a), b), n);
  add_vertex(s, sk_add(sk_sub(c, a), b), n);
  add_triangle(s, first, first + 1, first + 2), add_triangle(s, first, first + 2, first + 3);
}

static sk_surface make_box(sk_arena *arena, sk_vec3 e)
{
  sk_surface s;
  sk_vec3 axis[3] = {sk_vec(e.x, 0, 0), sk_vec(0, e.y, 0), sk_vec(0, 0, e.z)};
  if (!reserve(arena, &s, 24, 12)) return (sk_surface){0};
  for (int k = 0; k < 3; k++) {
    sk_vec3 a = axis[(k + 1) % 3], b = axis[(k + 2) % 3];
    add_face(&s, axis[k], a, b), add_face(&s, sk_mul(-1, axis[k]), b, a);
  }
  return s;
}

static sk_surface make_square(sk_arena *arena, sk_vec3 centre, double half)
{
  sk_surface s;
  if (!reserve(arena, &s, 4, 2)) return (sk_surface){0};
  add_face(&s, sk_vec(centre.x, centre.y, 0), sk_vec(half, 0, 0), sk_vec(0, half, 0));
  return s;
}

sk_surface sk_surface_make(sk_arena *arena, const sk_shape *shape, sk_vec3 centre, double half)
{
  const sk_mesh *m = shape->mesh;
  switch (shape->kind) {
  case SK_SPHERE:
    return make_capsule(arena, shape->radius, 0);
  case SK_CAPSULE:
    return make_capsule(arena, shape->radius, shape->half);
  case SK_CYLINDER:
    return make_cylinder(arena, shape->radius, shape->half);
  case SK_BOX:
    return make_box(arena, shape->edges);
  case SK_TUBE:
    return sk_surface_tube(arena, shape->tube, shape->radius);
  case SK_MESH:
    return sk_surface_mesh(arena, sk_mesh_vertex_data(m), sk_mesh_vertices(m), sk_mesh_triangle_data(m),
                           sk_mesh_triangles(m));
  default:
    return make_square(arena, centre, half);
  }
}
