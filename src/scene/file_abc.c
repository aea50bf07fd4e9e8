/* Curves and meshes of Alembic archives, in the world: places above them are applied. All curves are strands (of a
 * groom that marks guides, the guides alone), all meshes together one mesh. Faces turn clockwise there, seen from
 * outside.
 *
 * An archive has no unit. Ours say theirs ("metersPerUnit", "upAxis"); others are taken as their program writes them:
 * Maya in centimetres, the rest in metres, all with y up. */
#include "scene/archive.h"
#include "scene/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, MOST_FRAMES = 1000000 }; /* objects in objects */

typedef struct job {
  sk_archive a;
  double time;               /* at which everything is taken */
  bool strands;              /* else meshes */
  bool places;               /* of meshes, only the vertices */
  sk_list point, size, kind; /* of double, int, int: strands; point: also vertices */
  sk_list face, uv;          /* of int, float */
  bool all_uv;
  int sampling; /* with the most samples of what moves here */
  uint32_t samples;
} job;

/* An object that stands in the tree many times is taken as often, but not without end. */
static skein_status push(const job *j, sk_list *l, const void *items, size_t count, size_t size)
{
  if (l->count + count > 8 * j->a.file.size)
    return sk_fail(SKEIN_BAD_INPUT, "has more points or faces than a file of its size would have");
  if (!sk_list_grow(l, count, size)) return sk_no_memory();
  if (count > 0) memcpy((char *)l->data + l->count * size, items, count * size);
  l->count += count;
  return sk_ok();
}

/* Numbers of a property of the compound at the job's time; none where there is no such property. */
static skein_status numbers(job *j, const sk_property *in, const char *name, double **x, size_t *count)
{
  sk_property p;
  bool is;
  *x = NULL, *count = 0;
  skein_status s = sk_archive_find(&j->a, in, name, &p, &is);
  if (s.code != SKEIN_OK || !is) return s;
  if (p.last >= j->samples && (!strcmp(name, "P") || !strcmp(name, ".vals")))
    j->samples = p.last + 1, j->sampling = p.sampling;
  return sk_archive_numbers(&j->a, &p, sk_archive_sample_at(&j->a, &p, j->time), x, count);
}

/* ---- Places ---- */

/* The place of an object below that of its parent. The first operation is applied last. */
static skein_status read_place(job *j, const sk_property *top, sk_matrix *place)
{
  static const size_t channels[] = {3, 3, 4, 16, 1, 1, 1};
  sk_property xform;
  bool is;
  double *ops = NULL, *values = NULL, *inherits = NULL;
  size_t op_count = 0, value_count = 0, inherit_count = 0, at = 0;
  skein_status s = sk_archive_find(&j->a, top, ".xform", &xform, &is);
  if (s.code != SKEIN_OK || !is) return s;
  s = numbers(j, &xform, ".ops", &ops, &op_count);
  if (s.code == SKEIN_OK) s = numbers(j, &xform, ".vals", &values, &value_count);
  if (s.code == SKEIN_OK) s = numbers(j, &xform, ".inherits", &inherits, &inherit_count);
  if (inherit_count == 1 && inherits[0] == 0) *place = sk_matrix_identity;
  if (s.code == SKEIN_OK) {
    sk_matrix own = sk_matrix_identity;
    for (size_t k = 0; k < op_count && s.code == SKEIN_OK; k++) {
      int type = (int)ops[k] >> 4;
      if (type > 6 || at + channels[type] > value_count)
        s = sk_fail(SKEIN_BAD_INPUT, "is damaged: a place is not whole");
      else {
        sk_matrix m = sk_matrix_operation(type, values + at);
        own = sk_matrix_product(&m, &own), at += channels[type];
      }
    }
    *place = sk_matrix_product(&own, place);
  }
  free(ops), free(values), free(inherits);
  return s;
}

static skein_status push_points(job *j, double *p, size_t count, const sk_matrix *m)
{
  for (size_t i = 0; i + 2 < count; i += 3) {
    double x[3] = {p[i], p[i + 1], p[i + 2]};
    for (int k = 0; k < 3; k++) {
      p[i + (size_t)k] = x[0] * m->m[0][k] + x[1] * m->m[1][k] + x[2] * m->m[2][k] + m->m[3][k];
      if (!(fabs(p[i + (size_t)k]) <= 1e15)) return sk_fail(SKEIN_BAD_INPUT, "a point is not finite");
    }
  }
  return push(j, &j->point, p, count, sizeof *p);
}

/* ---- Curves ---- */

static skein_status push_sizes(job *j, const double *size, size_t strands, size_t points)
{
  size_t sum = 0;
  for (size_t k = 0; k < strands; k++) {
    int n = size[k] >= 0 && size[k] <= (double)points ? (int)size[k] : -1;
    if (n < 0 || (sum += (size_t)n) > points)
      return sk_fail(SKEIN_BAD_INPUT, "curve %zu has %g points, the object has %zu", k, size[k], points);
    skein_status s = push(j, &j->size, &n, 1, sizeof n);
    if (s.code != SKEIN_OK) return s;
  }
  return sum == points ? sk_ok() : sk_fail(SKEIN_BAD_INPUT, "its curves have %zu points of %zu", sum, points);
}

/* What a curve is: a guide, a strand, or nothing yet: it has no width at any point. */
enum { NOTHING, STRAND, GUIDE };

/* guide: one for all, or one each; width: counts where there is one per point. */
static skein_status push_kinds(job *j, const double *guide, size_t guides, const double *width, size_t widths,
                               const double *size, size_t strands, size_t points)
{
  skein_status s = sk_ok();
  for (size_t k = 0; k < strands && s.code == SKEIN_OK; k++) {
    int kind = (guides == 1 && guide[0] != 0) || (guides > 1 && k < guides && guide[k] != 0) ? GUIDE : STRAND;
    bool wide = widths != points || widths == 0;
    for (size_t i = 0; !wide && i < (size_t)size[k]; i++) wide = width[i] != 0;
    if (widths == points && widths > 0) width += (size_t)size[k];
    if (!wide) kind = NOTHING;
    s = push(j, &j->kind, &kind, 1, sizeof kind);
  }
  return s;
}

static skein_status read_curves(job *j, const sk_property *geom, const sk_matrix *place)
{
  double *p = NULL, *size = NULL, *guide = NULL, *width = NULL;
  size_t points = 0, strands = 0, guides = 0, widths = 0;
  sk_property more;
  bool is;
  skein_status s = numbers(j, geom, "P", &p, &points);
  if (s.code == SKEIN_OK) s = numbers(j, geom, "nVertices", &size, &strands);
  if (s.code == SKEIN_OK) s = sk_archive_find(&j->a, geom, ".arbGeomParams", &more, &is);
  if (s.code == SKEIN_OK && is) s = numbers(j, &more, "groom_guide", &guide, &guides);
  if (s.code == SKEIN_OK) s = numbers(j, geom, "width", &width, &widths);
  if (s.code == SKEIN_OK) s = push_sizes(j, size, strands, points / 3);
  if (s.code == SKEIN_OK) s = push_kinds(j, guide, guides, width, widths, size, strands, points / 3);
  if (s.code == SKEIN_OK) s = push_points(j, p, points / 3 * 3, place);
  free(p), free(size), free(guide), free(width);
  return s;
}

/* ---- Meshes ---- */

/* Texture coordinates, 2 per corner: per corner, or by index. */
static skein_status read_uv(job *j, const sk_property *geom, size_t corners, double **uv)
{
  double *value = NULL, *index = NULL;
  size_t values, indices = 0;
  sk_property p;
  bool is;
  *uv = NULL;
  skein_status s = sk_archive_find(&j->a, geom, "uv", &p, &is);
  if (s.code != SKEIN_OK || !is) return s;
  if (p.kind == SK_PROPERTY_COMPOUND) {
    s = numbers(j, &p, ".vals", &value, &values);
    if (s.code == SKEIN_OK) s = numbers(j, &p, ".indices", &index, &indices);
  } else s = sk_archive_numbers(&j->a, &p, 0, &value, &values);
  if (s.code == SKEIN_OK && indices == 0 && values == 2 * corners) *uv = value, value = NULL;
  else if (s.code == SKEIN_OK && indices == corners && (*uv = sk_calloc(2 * corners, sizeof **uv)))
    for (size_t k = 0; k < 2 * corners; k++) {
      size_t i = index[k / 2] >= 0 && index[k / 2] < (double)(values / 2) ? 2 * (size_t)index[k / 2] + k % 2 : SIZE_MAX;
      (*uv)[k] = i < values ? value[i] : 0;
    }
  free(value), free(index);
  return s;
}

/* A face as a fan, turned over. */
static skein_status push_face(job *j, const double *corner, const double *uv, size_t first, size_t count,
                              double vertices, size_t base)
{
  skein_status s = sk_ok();
  for (size_t k = 0; k < count; k++)
    if (!(corner[first + k] >= 0 && corner[first + k] < vertices))
      return sk_fail(SKEIN_BAD_INPUT, "a face has the vertex %g, the mesh has %g", corner[first + k], vertices);
  for (size_t k = 1; k + 1 < count && s.code == SKEIN_OK; k++) {
    const size_t at[3] = {first, first + k + 1, first + k};
    int t[3];
    float w[6] = {0};
    for (int c = 0; c < 3; c++) t[c] = (int)(base + (size_t)corner[at[c]]);
    for (int c = 0; uv && c < 6; c++) w[c] = (float)uv[2 * at[c / 2] + (size_t)c % 2];
    s = push(j, &j->face, t, 3, sizeof *t);
    if (s.code == SKEIN_OK && j->all_uv) s = push(j, &j->uv, w, 6, sizeof *w);
  }
  return s;
}

static skein_status push_faces(job *j, const sk_property *geom, size_t vertices)
{
  double *corner = NULL, *count = NULL, *uv = NULL;
  size_t corners, faces, at = 0, base = j->point.count / 3;
  skein_status s = numbers(j, geom, ".faceIndices", &corner, &corners);
  if (s.code == SKEIN_OK) s = numbers(j, geom, ".faceCounts", &count, &faces);
  if (s.code == SKEIN_OK) s = read_uv(j, geom, corners, &uv);
  j->all_uv &= uv != NULL;
  for (size_t k = 0; s.code == SKEIN_OK && k < faces; k++) {
    if (!(count[k] >= 0 && count[k] <= (double)(corners - at)))
      s = sk_fail(SKEIN_BAD_INPUT, "face %zu has %g corners, %zu are left", k, count[k], corners - at);
    else s = push_face(j, corner, uv, at, (size_t)count[k], (double)vertices, base), at += (size_t)count[k];
  }
  free(corner), free(count), free(uv);
  return s;
}

static skein_status read_mesh(job *j, const sk_property *geom, const sk_matrix *place)
{
  double *p;
  size_t count;
  skein_status s = numbers(j, geom, "P", &p, &count);
  if (s.code == SKEIN_OK && !j->places) s = push_faces(j, geom, count / 3);
  if (s.code == SKEIN_OK) s = push_points(j, p, count / 3 * 3, place);
  free(p);
  return s;
}

/* ---- The tree ---- */

static skein_status read_object(job *j, const sk_node *o, sk_matrix *place)
{
  bool curves = sk_archive_says(o->meta, "schema", "AbcGeom_Curve_v2"), is;
  bool mesh = sk_archive_says(o->meta, "schema", "AbcGeom_PolyMesh_v1") ||
              sk_archive_says(o->meta, "schema", "AbcGeom_SubD_v1");
  sk_property top, geom;
  skein_status s = sk_archive_properties(&j->a, o->group, &top);
  if (s.code != SKEIN_OK) return s;
  if (sk_archive_says(o->meta, "schema", "AbcGeom_Xform_v3")) return read_place(j, &top, place);
  if (!(j->strands ? curves : mesh)) return s;
  s = sk_archive_find(&j->a, &top, ".geom", &geom, &is);
  if (s.code != SKEIN_OK || !is) return s;
  return curves ? read_curves(j, &geom, place) : read_mesh(j, &geom, place);
}

static skein_status walk(job *j, sk_span object, const sk_matrix *place, int depth)
{
  int count;
  skein_status s = sk_archive_children(&j->a, object, &count);
  if (depth == 0) j->a.budget = SK_ARCHIVE_BUDGET;
  if (depth > DEEPEST) return sk_fail(SKEIN_BAD_INPUT, "has objects in each other deeper than %d", DEEPEST);
  for (int k = 0; k < count && s.code == SKEIN_OK; k++) {
    sk_node o;
    sk_matrix own = *place;
    s = sk_archive_child(&j->a, object, k, &o);
    if (s.code == SKEIN_OK) s = read_object(j, &o, &own);
    if (s.code == SKEIN_OK) s = walk(j, o.group, &own, depth + 1);
  }
  return s;
}

static void destroy(job *j)
{
  free(j->point.data), free(j->size.data), free(j->kind.data), free(j->face.data), free(j->uv.data);
  sk_archive_close(&j->a);
}

static sk_units units_of(sk_span about)
{
  char value[80];
  sk_units u = {.metres = 1, .y_up = true, .guessed = true};
  if (sk_archive_value(about, "metersPerUnit", value, sizeof value)) {
    double metres = strtod(value, NULL);
    if (metres > 1e-9 && metres < 1e9) u.metres = metres, u.guessed = false;
    u.y_up = !sk_archive_says(about, "upAxis", "Z");
  } else if (sk_archive_value(about, "_ai_Application", value, sizeof value) && strstr(value, "Maya")) u.metres = 0.01;
  return u;
}

/* ---- What others ask for ---- */

/* The guides where some are marked, else all that have two points or more. */
static skein_status gather(job *j, sk_strands *out)
{
  const int *size = j->size.data, *kind = j->kind.data;
  const double *p = j->point.data;
  size_t n = j->size.count, points = 0;
  bool some = false;
  for (size_t k = 0; k < n; k++) some |= kind[k] == GUIDE;
  out->start = sk_calloc(n + 1, sizeof *out->start);
  out->point = sk_calloc(j->point.count, sizeof *out->point);
  if (!out->start || !out->point) return sk_no_memory();
  for (size_t k = 0; k < n; p += 3 * (size_t)size[k], k++) {
    if (size[k] < 2 || kind[k] == NOTHING || (some && kind[k] != GUIDE)) continue;
    memcpy(out->point + 3 * points, p, 3 * sizeof *p * (size_t)size[k]);
    points += (size_t)size[k];
    out->start[++out->count] = (int)points;
  }
  return out->count > 0 ? sk_ok() : sk_fail(SKEIN_BAD_INPUT, "has no curves of two points or more");
}

skein_status sk_abc_strands_parse(const char *bytes, size_t size, sk_strands *out)
{
  job j = {.strands = true, .time = -INFINITY};
  skein_status s = sk_archive_open(bytes, size, &j.a);
  if (s.code != SKEIN_OK) return s;
  s = walk(&j, j.a.top, &sk_matrix_identity, 0);
  if (s.code == SKEIN_OK) s = gather(&j, out);
  out->units = units_of(j.a.about);
  destroy(&j);
  return s;
}

skein_status sk_abc_triangles_parse(const char *bytes, size_t size, sk_triangles *out)
{
  job j = {.time = -INFINITY, .all_uv = true};
  skein_status s = sk_archive_open(bytes, size, &j.a);
  if (s.code != SKEIN_OK) return s;
  s = walk(&j, j.a.top, &sk_matrix_identity, 0);
  if (s.code == SKEIN_OK && !j.face.count) s = sk_fail(SKEIN_BAD_INPUT, "has no mesh with faces");
  if (s.code == SKEIN_OK) {
    *out = (sk_triangles){(int)(j.point.count / 3), (int)(j.face.count / 3), j.point.data, j.face.data, NULL,
                          {0, false, false}};
    j.point.data = j.face.data = NULL;
    if (j.all_uv) out->uv = j.uv.data, j.uv.data = NULL;
    out->units = units_of(j.a.about);
  }
  destroy(&j);
  return s;
}

/* Every sample of what moves most often; the vertices must be those of the mesh in number. */
static skein_status read_frames(job *j, const sk_cache_def *def, int vertices, sk_cache **out)
{
  uint32_t samples = SK_MAX(j->samples, 1u);
  double first = sk_archive_time(&j->a, j->sampling, 0);
  if (samples > MOST_FRAMES || 12 * (uint64_t)samples * (uint64_t)vertices > (uint64_t)4 << 30)
    return sk_fail(SKEIN_BAD_INPUT, "has %u frames of %d vertices, expected at most %d and 4 GB", samples, vertices,
                   MOST_FRAMES);
  sk_cache *c = *out = sk_cache_create((int)samples, vertices, def->scale);
  if (!c) return sk_no_memory();
  skein_status s = sk_ok();
  for (uint32_t k = 0; k < samples && s.code == SKEIN_OK; k++) {
    j->time = sk_archive_time(&j->a, j->sampling, k), j->point.count = 0;
    c->time[k] = def->start + j->time - first;
    if (!(fabs(c->time[k]) <= 1e15) || (k > 0 && !(c->time[k] > c->time[k - 1])))
      return sk_fail(SKEIN_BAD_INPUT, "frame %u is at %g s, expected ascending times", k, c->time[k]);
    s = walk(j, j->a.top, &sk_matrix_identity, 0);
    if (s.code == SKEIN_OK && j->point.count != 3 * (size_t)vertices)
      s = sk_fail(SKEIN_BAD_INPUT, "has %zu vertices in frame %u, expected %d, those of the mesh", j->point.count / 3,
                  k, vertices);
    const double *p = j->point.data;
    float *v = c->v + 3 * (size_t)k * (size_t)vertices;
    for (size_t i = 0; s.code == SKEIN_OK && i < 3 * (size_t)vertices; i++) v[i] = (float)p[i];
  }
  return s;
}

skein_status sk_abc_cache_parse(const char *bytes, size_t size, const sk_cache_def *def, int vertices, sk_cache **out)
{
  job j = {.time = -INFINITY, .places = true};
  skein_status s = sk_archive_open(bytes, size, &j.a);
  if (s.code != SKEIN_OK) return s;
  s = walk(&j, j.a.top, &sk_matrix_identity, 0);
  if (s.code == SKEIN_OK) s = read_frames(&j, def, vertices, out);
  destroy(&j);
  return s;
}
