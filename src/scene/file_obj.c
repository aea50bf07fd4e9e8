/* Wavefront OBJ: "v x y z", "f a b c ..." (fans of triangles), "l a b ..." (polylines; exporters that write one edge
 * per line are chained), "g name ...", "o name", "usemtl name" (of the faces that follow). Indices start at 1, negative
 * ones count from the end; of "a/b/c" a is the vertex, b its texture coordinates ("vt u v"). All else is passed over.
 */
#include "scene/files.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct obj {
  sk_list v, edges, faces; /* of double, int, int: the counts are those of numbers */
  const char *name;        /* NULL, or faces in a group, object or material of this name are marked */
  bool in_group, in_object, in_material;
  sk_list marks; /* of bytes, one per triangle */
  sk_list vt;    /* of float, 2 each */
  sk_list uv;    /* of float, 6 per triangle, as long as all corners have them */
} obj;

static skein_status read_vertex(char *at, obj *o, int line)
{
  double x[3];
  for (int k = 0; k < 3; k++) {
    char *end;
    x[k] = strtod(at, &end);
    if (end == at || !(fabs(x[k]) <= 1e15))
      return sk_fail(SKEIN_BAD_INPUT, "line %d: expected v and three finite numbers", line);
    at = end;
  }
  return sk_list_push(&o->v, x, 3, sizeof *x) ? sk_ok() : sk_no_memory();
}

static skein_status read_texture(char *at, obj *o)
{
  float x[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    double value = strtod(at, &at);
    x[k] = fabs(value) <= 1e6 ? (float)value : 0;
  }
  return sk_list_push(&o->vt, x, 2, sizeof *x) ? sk_ok() : sk_no_memory();
}

/* Where the b of "a/b/c" is in the list, from 0; -1: nowhere. */
static int texture_of(const char *slash, int count)
{
  char *end;
  long i = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
  if (i == 0 || end == slash + 1 || i > count || i < -(long)count) return -1;
  return (int)(i > 0 ? i - 1 : count + i);
}

/* The next index, from 0; false: none is left. *bad: it is none, or there is no such vertex. */
static bool next_index(char **at, int vertices, int textures, int *index, int *texture, bool *bad)
{
  char *end;
  *at += strspn(*at, " \t\r");
  if (!**at || **at == '#') return false;
  long i = strtol(*at, &end, 10);
  *bad = end == *at || !strchr(" \t\r/", *end) || i == 0 || i > vertices || i < -(long)vertices;
  *index = *bad ? 0 : (int)(i > 0 ? i - 1 : vertices + i);
  *texture = *bad ? -1 : texture_of(end, textures);
  *at = end + strcspn(end, " \t\r");
  return true;
}

/* Whether one of the words is the name. */
static bool has_name(const char *words, const char *name)
{
  size_t n = strlen(name);
  for (const char *at = words; *(at += strspn(at, " \t\r"));) {
    size_t word = strcspn(at, " \t\r");
    if (word == n && !memcmp(at, name, n)) return true;
    at += word;
  }
  return false;
}

/* A line that says which faces follow. */
static void read_name(const char *at, obj *o)
{
  if (!strncmp(at, "usemtl ", 7)) o->in_material = has_name(at + 7, o->name);
  else if (!strncmp(at, "g", 1) && strchr(" \t\r", at[1])) o->in_group = has_name(at + 1, o->name);
  else if (!strncmp(at, "o ", 2)) o->in_object = has_name(at + 2, o->name);
}

static bool push_face(obj *o, const int *fan, const int *texture)
{
  uint8_t mark = o->in_group || o->in_object || o->in_material;
  float uv[6];
  bool all = o->uv.count == 2 * o->faces.count; /* until a corner has none */
  for (size_t k = 0; k < 3 && all; k++)
    if ((all = texture[k] >= 0)) memcpy(uv + 2 * k, (float *)o->vt.data + 2 * (size_t)texture[k], 2 * sizeof *uv);
  if (all && !sk_list_push(&o->uv, uv, 6, sizeof *uv)) return false;
  return sk_list_push(&o->faces, fan, 3, sizeof *fan) && (!o->name || sk_list_push(&o->marks, &mark, 1, 1));
}

/* Edges of a polyline, or the triangles of a fan. */
static skein_status read_indices(char *at, obj *o, bool face, int line)
{
  int vertices = (int)(o->v.count / 3), count = 0, first = 0, last = 0, index, texture[3] = {-1, -1, -1};
  bool bad = false, room = true;
  while (room && next_index(&at, vertices, (int)(o->vt.count / 2), &index, &texture[2], &bad)) {
    if (bad)
      return sk_fail(SKEIN_BAD_INPUT, "line %d: expected numbers of vertices, 1 to %d or -%d to -1", line, vertices,
                     vertices);
    int edge[2] = {last, index}, fan[3] = {first, last, index};
    if (face && count >= 2) room = push_face(o, fan, texture);
    if (!face && count >= 1) room = sk_list_push(&o->edges, edge, 2, sizeof *edge);
    if (!count) first = index, texture[0] = texture[2];
    last = index, texture[1] = texture[2], count++;
  }
  if (!room) return sk_no_memory();
  if (count < (face ? 3 : 2))
    return sk_fail(SKEIN_BAD_INPUT, "line %d: expected at least %d vertices, found %d", line, face ? 3 : 2, count);
  return sk_ok();
}

static skein_status parse(char *text, size_t size, bool faces, obj *o)
{
  int line = 1;
  for (char *at = text, *end = text + size; at < end; line++) {
    char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end; /* a zero byte is there */
    *stop = 0;
    at += strspn(at, " \t");
    skein_status s = sk_ok();
    bool space = at[0] && (at[1] == ' ' || at[1] == '\t');
    if (at[0] == 'v' && space) s = read_vertex(at + 1, o, line);
    else if (faces && at[0] == 'v' && at[1] == 't') s = read_texture(at + 2, o);
    else if (at[0] == 'f' && space && faces) s = read_indices(at + 1, o, true, line);
    else if (at[0] == 'l' && space && !faces) s = read_indices(at + 1, o, false, line);
    else if (o->name) read_name(at, o);
    if (s.code != SKEIN_OK) return s;
    at = stop + 1;
    if (line == INT_MAX) return sk_fail(SKEIN_BAD_INPUT, "has too many lines");
  }
  return sk_ok();
}

static void destroy(obj *o)
{
  free(o->v.data), free(o->edges.data), free(o->faces.data), free(o->marks.data);
  free(o->vt.data), free(o->uv.data);
}

skein_status sk_obj_strands_parse(char *text, size_t size, sk_strands *out)
{
  obj o = {0};
  skein_status s = parse(text, size, false, &o);
  if (s.code == SKEIN_OK)
    s = sk_strands_chain(o.v.data, (int)(o.v.count / 3), o.edges.data, (int)(o.edges.count / 2), 1, out);
  destroy(&o);
  return s;
}

skein_status sk_obj_triangles_parse(char *text, size_t size, sk_triangles *out)
{
  obj o = {0};
  skein_status s = parse(text, size, true, &o);
  if (s.code == SKEIN_OK && !o.faces.count) s = sk_fail(SKEIN_BAD_INPUT, "has no faces, expected lines 'f a b c'");
  if (s.code == SKEIN_OK) {
    *out =
        (sk_triangles){(int)(o.v.count / 3), (int)(o.faces.count / 3), o.v.data, o.faces.data, NULL, {0, false, false}};
    o.v.data = o.faces.data = NULL;
    if (o.uv.count == 2 * o.faces.count) out->uv = o.uv.data, o.uv.data = NULL;
  }
  destroy(&o);
  return s;
}

skein_status sk_obj_mark_parse(char *text, size_t size, const char *name, int triangles, uint8_t *marked)
{
  obj o = {.name = name};
  bool any = false;
  skein_status s = parse(text, size, true, &o);
  if (s.code == SKEIN_OK && o.marks.count != (size_t)triangles)
    s = sk_fail(SKEIN_BAD_INPUT, "has %zu triangles, had %d", o.marks.count, triangles);
  for (int k = 0; s.code == SKEIN_OK && k < triangles; k++) marked[k] = ((uint8_t *)o.marks.data)[k], any |= marked[k];
  if (s.code == SKEIN_OK && !any)
    s = sk_fail(SKEIN_BAD_INPUT, "has no faces in a group, object or material of this name");
  destroy(&o);
  return s;
}
