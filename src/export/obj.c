/* Wavefront OBJ: one object per group of rods and per body. Rods are one "l a b" per segment, for programs that keep
 * only the first segment of longer lines; bodies are faces with normals. */
#include "export/export.h"

#include <stdlib.h>

static void put_vertex(FILE *o, const char *kind, sk_vec3 r)
{
  float x[3] = {(float)r.x, (float)r.y, (float)r.z};
  fputs(kind, o), sk_put_point(o, x, " "), fputc('\n', o);
}

/* Rods of a group; the number of vertices so far grows. */
static void put_group(const sk_export *x, const sk_view *view, int g, int *vertices, FILE *o)
{
  const skein_frame *f = &view->f;
  const char *name = skein_look_group_name(x->look, g);
  char safe[80];
  bool begun = false;
  for (int i = 0; i < f->rods; i++) {
    int first = f->point_start[i], count = f->point_start[i + 1] - first;
    if (f->rod_group[i] != g) continue;
    if (!begun) sk_put_identifier(name ? name : "rods", safe, sizeof safe), fprintf(o, "o %s\n", safe), begun = true;
    for (int k = 0; k < count; k++)
      fputs("v ", o), sk_put_point(o, f->point + 3 * (size_t)(first + k), " "), fputc('\n', o);
    for (int k = 1; k < count; k++) fprintf(o, "l %d %d\n", *vertices + k, *vertices + k + 1);
    *vertices += count;
  }
}

static bool put_body(const sk_export *x, const sk_view *view, int i, int *vertices, int *normals, FILE *o)
{
  const skein_look_body *b = skein_look_body_at(x->look, i);
  char safe[80];
  float *v = sk_body_vertices(x, view, i);
  if (!v) return false;
  sk_put_identifier(b->name, safe, sizeof safe);
  fprintf(o, "o %s\n", safe);
  for (int k = 0; k < b->vertices; k++) put_vertex(o, "v ", sk_body_out(view, i, v + 3 * (size_t)k));
  for (int k = 0; k < b->vertices; k++) put_vertex(o, "vn ", sk_body_turn(view, i, v + 3 * (size_t)(b->vertices + k)));
  for (int t = 0; t < b->triangles; t++) {
    const int *c = b->triangle + 3 * (size_t)t;
    fputc('f', o);
    for (int k = 0; k < 3; k++) fprintf(o, " %d//%d", *vertices + c[k] + 1, *normals + c[k] + 1);
    fputc('\n', o);
  }
  *vertices += b->vertices, *normals += b->vertices;
  free(v);
  return true;
}

skein_status sk_write_obj(const sk_export *x, const sk_view *view, sk_out *out)
{
  FILE *o = out->stream;
  int vertices = 0, normals = 0, groups = 0;
  fprintf(o, "# Skein %s, frame %d, %.9g s\n", skein_version(), view->f.index, view->f.time);
  for (int i = 0; i < view->f.rods; i++) groups = SK_MAX(groups, view->f.rod_group[i] + 1);
  groups = SK_MIN(groups, SK_MAX(skein_look_groups(x->look), 1));
  for (int g = 0; g < groups; g++) put_group(x, view, g, &vertices, o);
  for (int i = 0; i < sk_view_bodies(x, view); i++)
    if (!put_body(x, view, i, &vertices, &normals, o)) return sk_no_memory();
  return sk_ok();
}
