/* PLY, binary little-endian: points of rods with radius, colour and values, the segments as edges; bodies, where
 * wanted, as further vertices and as faces. */
#include "export/export.h"

#include <stdlib.h>

typedef struct totals {
  int vertices, edges, faces;
} totals;

static totals count(const sk_export *x, const sk_view *view)
{
  const skein_frame *f = &view->f;
  totals t = {.vertices = f->points};
  for (int i = 0; i < f->rods; i++) t.edges += SK_MAX(f->point_start[i + 1] - f->point_start[i] - 1, 0);
  for (int i = 0; i < sk_view_bodies(x, view); i++) {
    t.vertices += skein_look_body_at(x->look, i)->vertices;
    t.faces += skein_look_body_at(x->look, i)->triangles;
  }
  return t;
}

static void put_header(FILE *o, const sk_view *view, const totals *t)
{
  fprintf(o, "ply\nformat binary_little_endian 1.0\ncomment Skein %s, frame %d, %.9g s\n", skein_version(),
          view->f.index, view->f.time);
  fprintf(o,
          "element vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
          "property uchar red\nproperty uchar green\nproperty uchar blue\n"
          "property float radius\nproperty float speed\nproperty float force\n"
          "property int status\nproperty int rod\n",
          t->vertices);
  if (t->faces) fprintf(o, "element face %d\nproperty list uchar int vertex_indices\n", t->faces);
  fprintf(o, "element edge %d\nproperty int vertex1\nproperty int vertex2\nend_header\n", t->edges);
}

static void put_colour(FILE *o, const float *linear)
{
  for (int c = 0; c < 3; c++) fputc(sk_srgb_byte(linear[c]), o);
}

static void put_points(FILE *o, const sk_view *view)
{
  const skein_frame *f = &view->f;
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++) {
      for (int c = 0; c < 3; c++) sk_put_f32(o, f->point[3 * (size_t)k + (size_t)c]);
      put_colour(o, view->colour + 3 * (size_t)i);
      sk_put_f32(o, f->radius[i]);
      sk_put_f32(o, view->value[SK_SPEED][k]), sk_put_f32(o, view->value[SK_FORCE][k]);
      sk_put_i32(o, (int)view->value[SK_STATUS][k]), sk_put_i32(o, i);
    }
}

static bool put_body_vertices(FILE *o, const sk_export *x, const sk_view *view, int i)
{
  const skein_look_body *b = skein_look_body_at(x->look, i);
  float *v = sk_body_vertices(x, view, i);
  for (int k = 0; v && k < b->vertices; k++) {
    sk_vec3 r = sk_body_out(view, i, v + 3 * (size_t)k);
    sk_put_f32(o, (float)r.x), sk_put_f32(o, (float)r.y), sk_put_f32(o, (float)r.z);
    put_colour(o, b->colour);
    for (int c = 0; c < 3; c++) sk_put_f32(o, 0);
    sk_put_i32(o, 0), sk_put_i32(o, -1); /* no rod */
  }
  free(v);
  return v != NULL;
}

static void put_faces(FILE *o, const sk_export *x, const sk_view *view)
{
  int first = view->f.points;
  for (int i = 0; i < sk_view_bodies(x, view); i++) {
    const skein_look_body *b = skein_look_body_at(x->look, i);
    for (int t = 0; t < b->triangles; t++) {
      fputc(3, o);
      for (int c = 0; c < 3; c++) sk_put_i32(o, first + b->triangle[3 * (size_t)t + (size_t)c]);
    }
    first += b->vertices;
  }
}

skein_status sk_write_ply(const sk_export *x, const sk_view *view, sk_out *out)
{
  FILE *o = out->stream;
  const skein_frame *f = &view->f;
  totals t = count(x, view);
  put_header(o, view, &t);
  put_points(o, view);
  for (int i = 0; i < sk_view_bodies(x, view); i++)
    if (!put_body_vertices(o, x, view, i)) return sk_no_memory();
  put_faces(o, x, view);
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; k + 1 < f->point_start[i + 1]; k++) sk_put_i32(o, k), sk_put_i32(o, k + 1);
  return sk_ok();
}
