/* Bodies that deform: their vertices in a frame, with normals that are the means of the faces around each vertex. */
#include "look/look.h"

#include <string.h>

/* The surface of body i in the frame, if it has one that fits the look; -1. */
static int surface_of(const skein_look *look, const skein_frame *f, int i)
{
  if (!look->source[i]) return -1;
  for (int k = 0; k < f->surfaces; k++) {
    if (f->surface_body[k] != i) continue;
    int most = 0;
    for (int v = 0; v < look->bodies[i].vertices; v++) most = SK_MAX(most, look->source[i][v] + 1);
    return f->surface_start[k + 1] - f->surface_start[k] >= most ? k : -1;
  }
  return -1;
}

static sk_vec3 place(const float *v, int i)
{
  return sk_vec(v[3 * (size_t)i], v[3 * (size_t)i + 1], v[3 * (size_t)i + 2]);
}

/* Sums of the areas of the faces, then made unit vectors; where they vanish, those of t = 0. */
static void find_normals(const skein_look_body *b, const float *v, float *normal)
{
  memset(normal, 0, 3 * sizeof *normal * (size_t)b->vertices);
  for (int t = 0; t < b->triangles; t++) {
    const int *c = b->triangle + 3 * (size_t)t;
    sk_vec3 a = place(v, c[0]), n = sk_cross(sk_sub(place(v, c[1]), a), sk_sub(place(v, c[2]), a));
    for (int k = 0; k < 3; k++) {
      float *sum = normal + 3 * (size_t)c[k];
      sum[0] += (float)n.x, sum[1] += (float)n.y, sum[2] += (float)n.z;
    }
  }
  for (int i = 0; i < b->vertices; i++) {
    float *out = normal + 3 * (size_t)i;
    sk_vec3 n = place(normal, i);
    double length = sk_norm(n);
    sk_vec3 unit = length > 0 ? sk_mul(1 / length, n) : place(b->normal, i);
    out[0] = (float)unit.x, out[1] = (float)unit.y, out[2] = (float)unit.z;
  }
}

void skein_look_surface(const skein_look *look, const skein_frame *f, int i, float *vertex, float *normal)
{
  const skein_look_body *b = look->bodies + i;
  int k = surface_of(look, f, i);
  size_t bytes = 3 * sizeof *vertex * (size_t)b->vertices;
  if (k < 0) {
    if (bytes > 0) memcpy(vertex, b->vertex, bytes);
    if (normal && bytes > 0) memcpy(normal, b->normal, bytes);
    return;
  }
  const float *from = f->surface_vertex + 3 * (size_t)f->surface_start[k];
  for (int v = 0; v < b->vertices; v++)
    memcpy(vertex + 3 * (size_t)v, from + 3 * (size_t)look->source[i][v], 3 * sizeof *vertex);
  if (normal) find_normals(b, vertex, normal);
}

void sk_look_places(const skein_look *look, const skein_frame *f, int i, const float **vertex, int *count)
{
  int k = surface_of(look, f, i);
  *vertex = k < 0 ? look->bodies[i].vertex : f->surface_vertex + 3 * (size_t)f->surface_start[k];
  *count = k < 0 ? look->bodies[i].vertices : f->surface_start[k + 1] - f->surface_start[k];
}
