/* PLY, text or binary of both byte orders: the elements "vertex" (x, y, z) and "edge" (vertex1, vertex2); others are
 * passed over. Without edges all vertices are one strand, in their order. */
#include "scene/files.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum number { I8, U8, I16, U16, I32, U32, F32, F64, NONE } number;
enum { MOST_ELEMENTS = 32, MOST_PROPERTIES = 64 };
typedef enum role { OTHER, X, Y, Z, FIRST, SECOND } role;

typedef struct property {
  number type, count_type; /* count_type NONE: no list */
  role role;
} property;

typedef struct element {
  char kind; /* 'v', 'e', or 0 */
  long long count;
  property property[MOST_PROPERTIES];
  int properties;
} element;

typedef struct ply {
  bool text, swapped;
  element element[MOST_ELEMENTS];
  int elements;
  const char *at, *end; /* the body */
} ply;

static number find_type(const char *word)
{
  static const char *const names[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                         {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                         {"float", "float32"}, {"double", "float64"}};
  for (int k = 0; k < NONE; k++)
    if (!strcmp(word, names[k][0]) || !strcmp(word, names[k][1])) return (number)k;
  return NONE;
}

static role find_role(char kind, const char *name)
{
  if (kind == 'v') return !strcmp(name, "x") ? X : !strcmp(name, "y") ? Y : !strcmp(name, "z") ? Z : OTHER;
  if (kind == 'e') return !strcmp(name, "vertex1") ? FIRST : !strcmp(name, "vertex2") ? SECOND : OTHER;
  return OTHER;
}

/* ---- Header ---- */

static bool add_property(ply *p, const char *a, const char *b, const char *c, const char *d)
{
  element *e = p->elements ? &p->element[p->elements - 1] : NULL;
  if (!e || e->properties >= MOST_PROPERTIES) return false;
  bool list = !strcmp(a, "list");
  property x = {find_type(list ? c : a), list ? find_type(b) : NONE, list ? OTHER : find_role(e->kind, b)};
  if (x.type == NONE || (list && (x.count_type == NONE || !d[0]))) return false;
  e->property[e->properties++] = x;
  return true;
}

static bool add_element(ply *p, const char *name, const char *count)
{
  char *end;
  if (p->elements >= MOST_ELEMENTS) return false;
  element *e = &p->element[p->elements++];
  e->kind = !strcmp(name, "vertex") ? 'v' : !strcmp(name, "edge") ? 'e' : 0;
  e->count = strtoll(count, &end, 10);
  return end != count && !*end && e->count >= 0 && e->count <= INT_MAX / 4;
}

static bool set_format(ply *p, const char *word)
{
  const uint16_t one = 1;
  bool little_here = *(const unsigned char *)&one == 1, big = !strcmp(word, "binary_big_endian");
  p->text = !strcmp(word, "ascii");
  p->swapped = big == little_here;
  return p->text || big || !strcmp(word, "binary_little_endian");
}

static bool read_line(ply *p, const char *line, bool *last)
{
  char word[6][32] = {{0}};
  sscanf(line, "%31s %31s %31s %31s %31s %31s", word[0], word[1], word[2], word[3], word[4], word[5]);
  *last = !strcmp(word[0], "end_header");
  if (!strcmp(word[0], "format")) return set_format(p, word[1]);
  if (!strcmp(word[0], "element")) return add_element(p, word[1], word[2]);
  if (!strcmp(word[0], "property")) return add_property(p, word[1], word[2], word[3], word[4]);
  return *last || !word[0][0] || !strcmp(word[0], "comment") || !strcmp(word[0], "obj_info") || !strcmp(word[0], "ply");
}

static skein_status read_header(char *bytes, size_t size, ply *p)
{
  char *at = bytes, *end = bytes + size;
  bool last = false;
  if (size < 4 || memcmp(bytes, "ply", 3) || (bytes[3] != '\n' && bytes[3] != '\r'))
    return sk_fail(SKEIN_BAD_INPUT, "does not start with ply, expected a PLY file");
  for (int line = 1; !last; line++) {
    char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (!stop || line > 10000) return sk_fail(SKEIN_BAD_INPUT, "has no end_header");
    *stop = 0;
    if (!read_line(p, at, &last))
      return sk_fail(SKEIN_BAD_INPUT, "line %d: not understood, expected a PLY header of at most %d elements", line,
                     MOST_ELEMENTS);
    at = stop + 1;
  }
  p->at = at, p->end = end;
  return sk_ok();
}

/* ---- Body ---- */

static bool next_text(ply *p, double *x)
{
  char *after;
  *x = strtod(p->at, &after);
  bool good = after != p->at && after <= p->end;
  p->at = after;
  return good;
}

static bool next_binary(ply *p, number type, double *x)
{
  static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  unsigned char b[8] = {0};
  size_t n = sizes[type];
  if ((size_t)(p->end - p->at) < n) return false;
  for (size_t k = 0; k < n; k++) b[k] = (unsigned char)p->at[p->swapped ? n - 1 - k : k];
  p->at += n;
  uint16_t h;
  uint32_t w;
  float f;
  memcpy(&h, b, sizeof h), memcpy(&w, b, sizeof w), memcpy(&f, b, sizeof f);
  switch (type) {
  case I8:
    *x = (signed char)b[0];
    break;
  case U8:
    *x = b[0];
    break;
  case I16:
    *x = (int16_t)h;
    break;
  case U16:
    *x = h;
    break;
  case I32:
    *x = (int32_t)w;
    break;
  case U32:
    *x = w;
    break;
  case F32:
    *x = f;
    break;
  default:
    memcpy(x, b, sizeof *x);
  }
  return true;
}

static bool next(ply *p, number type, double *x)
{
  return p->text ? next_text(p, x) : next_binary(p, type, x);
}

/* One item of an element; by_role gets what has a role. */
static bool read_item(ply *p, const element *e, double *by_role)
{
  for (int k = 0; k < e->properties; k++) {
    const property *q = &e->property[k];
    double x, count = 1;
    if (q->count_type != NONE && (!next(p, q->count_type, &count) || !(count >= 0 && count <= INT_MAX))) return false;
    for (long long i = 0; i < (long long)count; i++)
      if (!next(p, q->type, &x)) return false;
    if (q->count_type == NONE) by_role[q->role] = x;
  }
  return true;
}

static skein_status read_vertices(ply *p, const element *e, sk_list *v)
{
  for (long long i = 0; i < e->count; i++) {
    double x[SECOND + 1] = {0};
    if (!read_item(p, e, x)) return sk_fail(SKEIN_BAD_INPUT, "ends at vertex %lld of %lld", i, e->count);
    for (int k = X; k <= Z; k++)
      if (!(fabs(x[k]) <= 1e15)) return sk_fail(SKEIN_BAD_INPUT, "vertex %lld is not finite", i);
    if (!sk_list_grow(v, 3, sizeof(double))) return sk_no_memory();
    memcpy((double *)v->data + v->count, x + X, 3 * sizeof *x), v->count += 3;
  }
  return sk_ok();
}

static skein_status read_edges(ply *p, const element *e, sk_list *edges)
{
  for (long long i = 0; i < e->count; i++) {
    double x[SECOND + 1] = {0};
    if (!read_item(p, e, x)) return sk_fail(SKEIN_BAD_INPUT, "ends at edge %lld of %lld", i, e->count);
    if (!sk_list_grow(edges, 2, sizeof(int))) return sk_no_memory();
    for (int k = FIRST; k <= SECOND; k++) {
      bool good = x[k] >= 0 && x[k] < INT_MAX && x[k] == floor(x[k]);
      ((int *)edges->data)[edges->count++] = good ? (int)x[k] : -1;
    }
  }
  return sk_ok();
}

static bool has_role(const element *e, role r)
{
  for (int k = 0; k < e->properties; k++)
    if (e->property[k].role == r) return true;
  return false;
}

static skein_status read_element(ply *p, const element *e, sk_list *v, sk_list *edges, bool *has_edges)
{
  double unused[SECOND + 1];
  if (e->properties == 0 && e->count > 0) return sk_fail(SKEIN_BAD_INPUT, "has an element without properties");
  if (e->kind == 'v' && (!has_role(e, X) || !has_role(e, Y) || !has_role(e, Z)))
    return sk_fail(SKEIN_BAD_INPUT, "the element vertex has no x, y and z");
  if (e->kind == 'e' && (!has_role(e, FIRST) || !has_role(e, SECOND)))
    return sk_fail(SKEIN_BAD_INPUT, "the element edge has no vertex1 and vertex2");
  if (e->kind == 'v') return read_vertices(p, e, v);
  if (e->kind == 'e') return *has_edges = true, read_edges(p, e, edges);
  for (long long i = 0; i < e->count; i++)
    if (!read_item(p, e, unused)) return sk_fail(SKEIN_BAD_INPUT, "ends before its elements do");
  return sk_ok();
}

skein_status sk_ply_parse(char *bytes, size_t size, sk_strands *out)
{
  ply *p = sk_calloc(1, sizeof *p);
  sk_list v = {0}, edges = {0};
  bool has_edges = false;
  skein_status s = p ? read_header(bytes, size, p) : sk_no_memory();
  for (int k = 0; s.code == SKEIN_OK && k < p->elements; k++)
    s = read_element(p, &p->element[k], &v, &edges, &has_edges);
  int vertices = (int)(v.count / 3);
  for (int i = 0; s.code == SKEIN_OK && !has_edges && i + 1 < vertices; i++) {
    if (!sk_list_grow(&edges, 2, sizeof(int))) s = sk_no_memory();
    else ((int *)edges.data)[edges.count++] = i, ((int *)edges.data)[edges.count++] = i + 1;
  }
  if (s.code == SKEIN_OK) s = sk_strands_chain(v.data, vertices, edges.data, (int)(edges.count / 2), 0, out);
  free(v.data), free(edges.data), free(p);
  return s;
}
