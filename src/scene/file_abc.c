/* Curves and meshes of Alembic archives, in the world: places above them are applied. All curves are strands (of a
 * groom that marks guides, the guides alone), all meshes together one mesh. Faces turn clockwise there, seen from
 * outside.
 *
 * An archive has no unit. Ours say theirs ("metersPerUnit", "upAxis"); others are taken as their program writes them:
 * Maya in centimetres, the rest in metres, all with y up. */
#include "scene/archive.h"
#include "scene/collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 }; /* objects in objects */

typedef struct job {
  sk_archive a;
  sk_collect out;
  double time;  /* at which everything is taken */
  bool strands; /* else meshes */
  bool places;  /* of meshes, only the vertices */
  int sampling; /* with the most samples of what moves here */
  uint32_t samples;
} job;

/* Numbers of a property of the compound at the job's time; none where there is no such property. */
static skein_status numbers(job *j, const sk_property *in, const char *name, sk_numbers *x)
{
  sk_property p;
  bool is;
  *x = (sk_numbers){NULL, 0};
  skein_status s = sk_archive_find(&j->a, in, name, &p, &is);
  if (s.code != SKEIN_OK || !is) return s;
  if (p.last >= j->samples && (!strcmp(name, "P") || !strcmp(name, ".vals")))
    j->samples = p.last + 1, j->sampling = p.sampling;
  return sk_archive_numbers(&j->a, &p, sk_archive_sample_at(&j->a, &p, j->time), &x->x, &x->count);
}

/* ---- Objects ---- */

/* The place of an object below that of its parent. The first operation is applied last. */
static skein_status read_place(job *j, const sk_property *top, sk_matrix *place)
{
  static const size_t channels[] = {3, 3, 4, 16, 1, 1, 1};
  sk_property xform;
  bool is;
  sk_numbers ops = {0}, values = {0}, inherits = {0};
  size_t at = 0;
  skein_status s = sk_archive_find(&j->a, top, ".xform", &xform, &is);
  if (s.code != SKEIN_OK || !is) return s;
  s = numbers(j, &xform, ".ops", &ops);
  if (s.code == SKEIN_OK) s = numbers(j, &xform, ".vals", &values);
  if (s.code == SKEIN_OK) s = numbers(j, &xform, ".inherits", &inherits);
  if (inherits.count == 1 && inherits.x[0] == 0) *place = sk_matrix_identity;
  if (s.code == SKEIN_OK) {
    sk_matrix own = sk_matrix_identity;
    for (size_t k = 0; k < ops.count && s.code == SKEIN_OK; k++) {
      int type = (int)ops.x[k] >> 4;
      if (type > 6 || at + channels[type] > values.count)
        s = sk_fail(SKEIN_BAD_INPUT, "is damaged: a place is not whole");
      else {
        sk_matrix m = sk_matrix_operation(type, values.x + at);
        own = sk_matrix_product(&m, &own), at += channels[type];
      }
    }
    *place = sk_matrix_product(&own, place);
  }
  free(ops.x), free(values.x), free(inherits.x);
  return s;
}

static skein_status read_curves(job *j, const sk_property *geom, const sk_matrix *place)
{
  sk_numbers p, size = {0}, guide = {0}, width = {0};
  sk_property more;
  bool is = false;
  skein_status s = numbers(j, geom, "P", &p);
  if (s.code == SKEIN_OK) s = numbers(j, geom, "nVertices", &size);
  if (s.code == SKEIN_OK) s = numbers(j, geom, "width", &width);
  if (s.code == SKEIN_OK) s = sk_archive_find(&j->a, geom, ".arbGeomParams", &more, &is);
  if (s.code == SKEIN_OK && is) s = numbers(j, &more, "groom_guide", &guide);
  if (s.code == SKEIN_OK) s = sk_collect_curves(&j->out, size, p.count / 3, guide, width);
  if (s.code == SKEIN_OK) s = sk_collect_points(&j->out, p, place);
  free(p.x), free(size.x), free(guide.x), free(width.x);
  return s;
}

/* Per corner, or a compound of values and indices. */
static skein_status read_uv(job *j, const sk_property *geom, size_t corners, sk_numbers *uv)
{
  sk_numbers value = {0}, index = {0};
  sk_property p;
  bool is;
  *uv = value;
  skein_status s = sk_archive_find(&j->a, geom, "uv", &p, &is);
  if (s.code != SKEIN_OK || !is) return s;
  if (p.kind == SK_PROPERTY_COMPOUND) {
    s = numbers(j, &p, ".vals", &value);
    if (s.code == SKEIN_OK) s = numbers(j, &p, ".indices", &index);
  } else s = sk_archive_numbers(&j->a, &p, 0, &value.x, &value.count);
  if (s.code == SKEIN_OK) s = sk_collect_uv(value, index, corners, uv);
  free(value.x), free(index.x);
  return s;
}

static skein_status read_mesh(job *j, const sk_property *geom, const sk_matrix *place)
{
  sk_numbers p, corner = {0}, count = {0}, uv = {0};
  skein_status s = numbers(j, geom, "P", &p);
  if (s.code == SKEIN_OK && !j->places) {
    s = numbers(j, geom, ".faceIndices", &corner);
    if (s.code == SKEIN_OK) s = numbers(j, geom, ".faceCounts", &count);
    if (s.code == SKEIN_OK) s = read_uv(j, geom, corner.count, &uv);
    if (s.code == SKEIN_OK) s = sk_collect_faces(&j->out, count, corner, uv, p.count / 3, true);
  }
  if (s.code == SKEIN_OK) s = sk_collect_points(&j->out, p, place);
  free(p.x), free(corner.x), free(count.x), free(uv.x);
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

static skein_status begin(job *j, const char *bytes, size_t size)
{
  skein_status s = sk_archive_open(bytes, size, &j->a);
  j->time = -INFINITY, j->out.most = 8 * size;
  return s.code == SKEIN_OK ? walk(j, j->a.top, &sk_matrix_identity, 0) : s;
}

static void end(job *j)
{
  sk_collect_free(&j->out);
  sk_archive_close(&j->a);
}

skein_status sk_abc_strands_parse(const char *bytes, size_t size, sk_strands *out)
{
  job j = {.strands = true};
  skein_status s = begin(&j, bytes, size);
  if (s.code == SKEIN_OK) s = sk_collect_strands(&j.out, out);
  if (s.code == SKEIN_OK) out->units = units_of(j.a.about);
  end(&j);
  return s;
}

skein_status sk_abc_triangles_parse(const char *bytes, size_t size, sk_triangles *out)
{
  job j = {0};
  skein_status s = begin(&j, bytes, size);
  if (s.code == SKEIN_OK) s = sk_collect_triangles(&j.out, out);
  if (s.code == SKEIN_OK) out->units = units_of(j.a.about);
  end(&j);
  return s;
}

/* Every sample of what moves most often. */
skein_status sk_abc_cache_parse(const char *bytes, size_t size, const sk_cache_def *def, int vertices, sk_cache **out)
{
  job j = {.places = true};
  skein_status s = begin(&j, bytes, size);
  uint32_t samples = SK_MAX(j.samples, 1u);
  if (s.code == SKEIN_OK) s = sk_collect_cache(def, samples, vertices, out);
  for (uint32_t k = 0; k < samples && s.code == SKEIN_OK; k++) {
    j.time = sk_archive_time(&j.a, j.sampling, k), j.out.point.count = 0;
    (*out)->time[k] = def->start + j.time - sk_archive_time(&j.a, j.sampling, 0);
    s = walk(&j, j.a.top, &sk_matrix_identity, 0);
    if (s.code == SKEIN_OK) s = sk_collect_frame(&j.out, (int)k, *out);
  }
  end(&j);
  return s;
}
