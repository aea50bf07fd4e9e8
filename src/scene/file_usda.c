/* Curves and meshes of USD stages in text (openusd.org: UsdGeomBasisCurves, UsdGeomMesh, UsdGeomXformable), in the
 * world. The text is gone through once for prims and for the attributes that are wanted; their numbers are read when
 * they are asked for. What a stage refers to (references, payloads, variants) is not followed.
 *
 *     def TYPE "NAME" (metadata) { attribute = value   attribute.timeSamples = { code: value, ... }   def ... }
 *
 * Units are those of the stage: metersPerUnit (0.01 where it does not say) and upAxis (Y). */
#include "math/vec3.h"
#include "scene/collect.h"
#include "scene/usda_stage.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values ---- */

static const sk_usd_found *find(const sk_usd_stage *s, int in, sk_usd_attribute what, const sk_text *name)
{
  const sk_usd_found *all = s->founds.data;
  for (int k = ((const sk_usd_prim *)s->prims.data)[in].last; k >= 0; k = all[k].before)
    if (all[k].what == what && (!name || (name->end - name->at == all[k].name.end - all[k].name.at &&
                                          !memcmp(name->at, all[k].name.at, (size_t)(name->end - name->at)))))
      return &all[k];
  return NULL;
}

/* At a time code: the last sample that is not after it, or the first one. */
static sk_text value_at(const sk_usd_stage *s, const sk_usd_found *f, double code)
{
  const sk_usd_sample *all = (const sk_usd_sample *)s->samples.data + f->first;
  int best = 0;
  for (int k = 0; k < f->count; k++)
    if (all[k].time <= code + 1e-6 && (all[best].time > code + 1e-6 || all[k].time >= all[best].time)) best = k;
  return all[best].value;
}

/* All numbers of a value, whatever brackets they stand in. */
static skein_status read_numbers(const sk_usd_stage *s, const sk_usd_found *f, double code, sk_numbers *out)
{
  sk_list l = {0};
  skein_status status = sk_ok();
  *out = (sk_numbers){NULL, 0};
  if (!f) return status;
  sk_text t = value_at(s, f, code);
  while (t.at < t.end && status.code == SKEIN_OK) {
    if (sk_text_quote(*t.at)) {
      if (!sk_text_skip_quoted(&t)) break;
    } else if (isdigit((unsigned char)*t.at) || strchr("+-.", *t.at) || sk_text_starts(&t, "inf") ||
               sk_text_starts(&t, "nan")) {
      char *end;
      double x = strtod(t.at, &end);
      if (!sk_list_push(&l, &x, 1, sizeof x)) status = sk_no_memory();
      t.at = end > t.at ? end : t.at + 1;
    } else t.at++;
  }
  if (status.code == SKEIN_OK) *out = (sk_numbers){l.data, l.count};
  else free(l.data);
  return status;
}

/* ---- Places ---- */

/* Rotations about axes, one after the other: "XYZ" begins with x. */
static sk_matrix turns(sk_text axes, const double *degrees)
{
  sk_matrix m = sk_matrix_identity;
  for (const char *c = axes.at; c < axes.end; c++) {
    sk_matrix one = sk_matrix_operation(4 + (*c - 'X'), &degrees[axes.end - axes.at == 1 ? 0 : *c - 'X']);
    m = sk_matrix_product(&m, &one);
  }
  return m;
}

/* "xformOp:translate", "xformOp:rotateXYZ:pivot" and the like. */
static skein_status read_operation(const sk_usd_stage *s, int in, sk_text name, double code, sk_matrix *m)
{
  static const struct {
    const char *word;
    int type;
    size_t count;
  } kinds[] = {{"scale", 0, 3}, {"translate", 1, 3}, {"orient", 2, 4}, {"transform", 3, 16}};
  sk_text word = {name.at + strlen("xformOp:"), NULL};
  sk_numbers x;
  const char *colon = memchr(word.at, ':', (size_t)(name.end - word.at));
  word.end = colon ? colon : name.end;
  skein_status status = read_numbers(s, find(s, in, SK_USD_XFORM_OP, &name), code, &x);
  bool known = false;
  for (int k = 0; k < 4 && status.code == SKEIN_OK; k++) {
    if (!sk_text_is(word, kinds[k].word) || x.count != kinds[k].count) continue;
    double v[4] = {0};
    known = true;
    if (k != 2) *m = sk_matrix_operation(kinds[k].type, x.x);
    else { /* w x y z as an axis and an angle */ v[0] = x.x[1], v[1] = x.x[2], v[2] = x.x[3];
      v[3] = 360 / SK_PI * atan2(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), x.x[0]);
      *m = sk_matrix_operation(2, v);
    }
  }
  sk_text axes = {word.at + 6, word.end};
  if (status.code == SKEIN_OK && !known && sk_text_starts(&word, "rotate") && word.end - word.at > 6) {
    size_t n = (size_t)(axes.end - axes.at);
    known = (n == 1 && x.count == 1) || (n == 3 && x.count == 3);
    for (const char *c = axes.at; c < axes.end; c++) known = known && *c >= 'X' && *c <= 'Z';
    if (known) *m = turns(axes, x.x);
  }
  free(x.x);
  if (status.code == SKEIN_OK && !known)
    status = sk_fail(SKEIN_BAD_INPUT, "'%.*s' is an operation that is not known or not whole",
                     (int)SK_MIN(name.end - name.at, 60), name.at);
  return status;
}

/* The prim's own place put before `place`, that of its parent. The first operation is applied last. */
static skein_status read_place(const sk_usd_stage *s, int in, double code, sk_matrix *place)
{
  const sk_usd_found *f = find(s, in, SK_USD_XFORM_ORDER, NULL);
  sk_matrix own = sk_matrix_identity;
  skein_status status = sk_ok();
  if (!f) return status;
  for (sk_text t = value_at(s, f, code); t.at < t.end && status.code == SKEIN_OK; t.at++) {
    if (*t.at != '"') continue;
    sk_text name = {t.at + 1, NULL};
    name.end = memchr(name.at, '"', (size_t)(t.end - name.at));
    if (!name.end) break;
    t.at = name.end;
    sk_matrix m = sk_matrix_identity;
    if (sk_text_is(name, "!resetXformStack!")) *place = sk_matrix_identity;
    else if (!sk_text_starts(&name, "xformOp:"))
      return sk_fail(SKEIN_BAD_INPUT, "'%.*s' is an operation that is not known", (int)SK_MIN(name.end - name.at, 60),
                     name.at);
    else status = read_operation(s, in, name, code, &m), own = sk_matrix_product(&m, &own);
  }
  *place = sk_matrix_product(&own, place);
  return status;
}

static skein_status world_place(const sk_usd_stage *s, int in, double code, sk_matrix *place)
{
  int chain[SK_USD_DEEPEST + 2], count = 0;
  skein_status status = sk_ok();
  for (int k = in; k >= 0 && count < SK_USD_DEEPEST + 2; k = ((const sk_usd_prim *)s->prims.data)[k].parent)
    chain[count++] = k;
  *place = sk_matrix_identity;
  while (count > 0 && status.code == SKEIN_OK) status = read_place(s, chain[--count], code, place);
  return status;
}

/* ---- Curves and meshes ---- */

static skein_status read_curves(const sk_usd_stage *s, int in, double code, const sk_matrix *place, sk_collect *out)
{
  sk_numbers p, size = {0}, width = {0};
  const sk_numbers none = {NULL, 0};
  skein_status status = read_numbers(s, find(s, in, SK_USD_POINTS, NULL), code, &p);
  if (status.code == SKEIN_OK) status = read_numbers(s, find(s, in, SK_USD_COUNTS, NULL), code, &size);
  if (status.code == SKEIN_OK) status = read_numbers(s, find(s, in, SK_USD_WIDTHS, NULL), code, &width);
  if (status.code == SKEIN_OK) status = sk_collect_curves(out, size, p.count / 3, none, width);
  if (status.code == SKEIN_OK) status = sk_collect_points(out, p, place);
  free(p.x), free(size.x), free(width.x);
  return status;
}

static skein_status read_faces(const sk_usd_stage *s, int in, double code, size_t vertices, sk_collect *out)
{
  sk_numbers count = {0}, corner = {0}, value = {0}, index = {0}, uv = {0};
  const sk_usd_found *side = find(s, in, SK_USD_ORIENTATION, NULL);
  skein_status status = read_numbers(s, find(s, in, SK_USD_FACE_COUNTS, NULL), code, &count);
  if (status.code == SKEIN_OK) status = read_numbers(s, find(s, in, SK_USD_FACE_INDICES, NULL), code, &corner);
  if (status.code == SKEIN_OK) status = read_numbers(s, find(s, in, SK_USD_ST, NULL), code, &value);
  if (status.code == SKEIN_OK) status = read_numbers(s, find(s, in, SK_USD_ST_INDICES, NULL), code, &index);
  if (status.code == SKEIN_OK) status = sk_collect_uv(value, index, corner.count, &uv);
  if (status.code == SKEIN_OK)
    status = sk_collect_faces(out, count, corner, uv, vertices,
                              side && sk_text_is(value_at(s, side, code), "\"leftHanded\""));
  free(count.x), free(corner.x), free(value.x), free(index.x), free(uv.x);
  return status;
}

static skein_status read_mesh(const sk_usd_stage *s, int in, double code, bool faces, const sk_matrix *place,
                              sk_collect *out)
{
  sk_numbers p;
  skein_status status = read_numbers(s, find(s, in, SK_USD_POINTS, NULL), code, &p);
  if (status.code == SKEIN_OK && faces) status = read_faces(s, in, code, p.count / 3, out);
  if (status.code == SKEIN_OK) status = sk_collect_points(out, p, place);
  free(p.x);
  return status;
}

/* All curves, or all meshes (with their faces), at a time code. */
static skein_status read_all(const sk_usd_stage *s, bool curves, bool faces, double code, sk_collect *out)
{
  skein_status status = sk_ok();
  for (size_t k = 0; k < s->prims.count && status.code == SKEIN_OK; k++) {
    sk_matrix place;
    if (!sk_text_is(((const sk_usd_prim *)s->prims.data)[k].type, curves ? "BasisCurves" : "Mesh")) continue;
    status = world_place(s, (int)k, code, &place);
    if (status.code != SKEIN_OK) break;
    status = curves ? read_curves(s, (int)k, code, &place, out) : read_mesh(s, (int)k, code, faces, &place, out);
  }
  return status;
}

/* ---- What others ask for ---- */

static sk_units units_of(const sk_usd_stage *s)
{
  return (sk_units){.metres = s->metres, .y_up = !s->z_up};
}

skein_status sk_usda_strands_parse(const char *bytes, size_t size, sk_strands *out)
{
  sk_usd_stage s;
  sk_collect c = {.most = 8 * size};
  skein_status status = sk_usd_open(bytes, size, &s);
  if (status.code == SKEIN_OK) status = read_all(&s, true, false, -INFINITY, &c);
  if (status.code == SKEIN_OK) status = sk_collect_strands(&c, out);
  if (status.code == SKEIN_OK) out->units = units_of(&s);
  sk_collect_free(&c), sk_usd_close(&s);
  return status;
}

skein_status sk_usda_triangles_parse(const char *bytes, size_t size, sk_triangles *out)
{
  sk_usd_stage s;
  sk_collect c = {.most = 8 * size};
  skein_status status = sk_usd_open(bytes, size, &s);
  if (status.code == SKEIN_OK) status = read_all(&s, false, true, -INFINITY, &c);
  if (status.code == SKEIN_OK) status = sk_collect_triangles(&c, out);
  if (status.code == SKEIN_OK) out->units = units_of(&s);
  sk_collect_free(&c), sk_usd_close(&s);
  return status;
}

/* What has most samples of the points and places of meshes and what is above them. */
static const sk_usd_found *find_times(const sk_usd_stage *s)
{
  const sk_usd_found *best = NULL, *all = s->founds.data;
  const sk_usd_prim *prims = s->prims.data;
  for (size_t k = 0; k < s->prims.count; k++)
    for (int p = sk_text_is(prims[k].type, "Mesh") ? (int)k : -1; p >= 0; p = prims[p].parent)
      for (int f = prims[p].last; f >= 0; f = all[f].before)
        if ((all[f].what == SK_USD_POINTS || all[f].what == SK_USD_XFORM_OP) && (!best || all[f].count > best->count))
          best = &all[f];
  return best;
}

skein_status sk_usda_cache_parse(const char *bytes, size_t size, const sk_cache_def *def, int vertices, sk_cache **out)
{
  sk_usd_stage s;
  sk_collect c = {.most = 8 * size};
  skein_status status = sk_usd_open(bytes, size, &s);
  const sk_usd_found *times = status.code == SKEIN_OK ? find_times(&s) : NULL;
  if (status.code == SKEIN_OK && !times) status = sk_fail(SKEIN_BAD_INPUT, "has no mesh");
  if (status.code == SKEIN_OK) status = sk_collect_cache(def, (uint64_t)times->count, vertices, out);
  const sk_usd_sample *sample_of = times ? (const sk_usd_sample *)s.samples.data + times->first : NULL;
  for (int k = 0; status.code == SKEIN_OK && k < times->count; k++) {
    double first = isfinite(sample_of[0].time) ? sample_of[0].time : 0;
    double code = isfinite(sample_of[k].time) ? sample_of[k].time : first;
    c.point.count = 0, (*out)->time[k] = def->start + (code - first) / s.codes;
    status = read_all(&s, false, false, code, &c);
    if (status.code == SKEIN_OK) status = sk_collect_frame(&c, k, *out);
  }
  sk_collect_free(&c), sk_usd_close(&s);
  return status;
}
