/* Normals for a mesh that has none: at each corner of a triangle the mean of the faces around the vertex that meet this
 * one at less than 40 degrees, weighted by area. Corners of a vertex with the same set of faces share a vertex. */
#include "look/look.h"

#include <string.h>

static const double least_cosine = 0.766; /* of 40 degrees */
enum { MANY = 64 };                       /* faces around a vertex; beyond, it is smooth in any case */

/* Faces around each vertex: around[start[i]] .. around[start[i + 1] - 1] are corners 3 t + k. */
typedef struct fans {
  int *start, *around;
} fans;

static bool find_fans(sk_arena *arena, const int *t, int vertices, int triangles, fans *f)
{
  f->start = SK_NEW(arena, (size_t)vertices + 2, int), f->around = SK_NEW_RAW(arena, 3 * (size_t)triangles, int);
  if (arena->failed) return false;
  for (int k = 0; k < 3 * triangles; k++) f->start[t[k] + 2]++;
  for (int i = 0; i <= vertices; i++) f->start[i + 1] += f->start[i];
  for (int k = 0; k < 3 * triangles; k++) f->around[f->start[t[k] + 1]++] = k;
  return true;
}

/* Twice the area along the normal. */
static sk_vec3 face_area(const double *v, const int *t)
{
  sk_vec3 a = sk_load3(v + 3 * (size_t)t[0]), b = sk_load3(v + 3 * (size_t)t[1]), c = sk_load3(v + 3 * (size_t)t[2]);
  return sk_cross(sk_sub(b, a), sk_sub(c, a));
}

static sk_vec3 corner_normal(const sk_vec3 *area, const int *around, int count, int face)
{
  sk_vec3 sum = {0, 0, 0}, own = sk_unit(area[face]);
  for (int k = 0; k < count; k++) {
    sk_vec3 other = area[around[k] / 3];
    if (count > MANY || around[k] / 3 == face || sk_dot(own, sk_unit(other)) > least_cosine) sum = sk_add(sum, other);
  }
  sk_vec3 n = sk_unit(sum);
  if (sk_dot(n, n) > 0.5) return n;
  return sk_dot(own, own) > 0.5 ? own : sk_vec(0, 0, 1);
}

/* A vertex of the surface with this normal among those made of the same vertex, or a new one. */
static int place_corner(sk_surface *s, int first, const double *v, int source, sk_vec3 n)
{
  float place[3] = {(float)v[0], (float)v[1], (float)v[2]}, normal[3] = {(float)n.x, (float)n.y, (float)n.z};
  for (int i = first; i < s->vertices; i++) {
    const float *w = s->normal + 3 * (size_t)i;
    if (w[0] * normal[0] + w[1] * normal[1] + w[2] * normal[2] > 0.9999f) return i;
  }
  memcpy(s->vertex + 3 * (size_t)s->vertices, place, sizeof place);
  memcpy(s->normal + 3 * (size_t)s->vertices, normal, sizeof normal);
  s->source[s->vertices] = source;
  return s->vertices++;
}

sk_surface sk_surface_mesh(sk_arena *arena, const double *v, int vertices, const int *t, int triangles)
{
  sk_surface s = {0};
  fans f;
  sk_arena work = {0};
  sk_vec3 *area = SK_NEW_RAW(&work, triangles, sk_vec3);
  s.vertex = SK_NEW_RAW(arena, 9 * (size_t)triangles, float),
  s.normal = SK_NEW_RAW(arena, 9 * (size_t)triangles, float);
  s.triangle = SK_NEW_RAW(arena, 3 * (size_t)triangles, int), s.source = SK_NEW_RAW(arena, 3 * (size_t)triangles, int);
  bool room = find_fans(&work, t, vertices, triangles, &f) && !arena->failed;
  arena->failed |= !room;
  for (int k = 0; room && k < triangles; k++) area[k] = face_area(v, t + 3 * (size_t)k);
  for (int i = 0; room && i < vertices; i++) {
    int first = s.vertices, count = f.start[i + 1] - f.start[i];
    const int *around = f.around + f.start[i];
    for (int k = 0; k < count; k++) {
      sk_vec3 n = corner_normal(area, around, count, around[k] / 3);
      s.triangle[around[k]] = place_corner(&s, first, v + 3 * (size_t)i, i, n);
    }
  }
  sk_arena_free(&work);
  if (!room) return (sk_surface){0};
  s.triangles = triangles;
  return s;
}
