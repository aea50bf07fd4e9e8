/* Bodies and the camera of an Alembic archive. A place is a matrix of 16 numbers that multiplies rows: its last row is
 * the translation. Faces turn clockwise there, seen from outside. */
#include "export/alembic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fill_matrix(sk_vec3 r, sk_quat q, double m[16])
{
  sk_mat3 frame = sk_quat_frame(q);
  memset(m, 0, 16 * sizeof *m);
  for (int k = 0; k < 3; k++) sk_store3(m + 4 * k, frame.c[k]);
  sk_store3(m + 12, r), m[15] = 1;
}

/* An object that carries others, with the compound that properties go into as its first. */
sk_abc_object *sk_abc_add_place(sk_abc *abc, sk_abc_object *parent, const char *name)
{
  static const unsigned char yes = 1;
  sk_abc_object *o =
      sk_abc_add_object(abc, parent, name, "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform");
  sk_abc_property *xform = sk_abc_add_compound(abc, o ? &o->top : NULL, ".xform", "schema=AbcGeom_Xform_v3");
  sk_abc_put(abc, sk_abc_add(abc, xform, ".inherits", "", SK_ABC_SCALAR, SK_ABC_BOOL, 1, false), &yes, 1);
  return o;
}

/* Where its samples go: one matrix. */
static sk_abc_property *add_matrix(sk_abc *abc, sk_abc_object *o, bool moves)
{
  static const unsigned char matrix = 0x30, yes = 1;
  static const uint32_t channels[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  sk_abc_property *xform = o ? o->top.child : NULL;
  sk_abc_put(abc, sk_abc_add(abc, xform, ".ops", "", SK_ABC_SCALAR, SK_ABC_U8, 1, false), &matrix, 1);
  sk_abc_property *values = sk_abc_add(abc, xform, ".vals", "", SK_ABC_SCALAR, SK_ABC_F64, 16, moves);
  sk_abc_put(abc, sk_abc_add(abc, xform, "isNotConstantIdentity", "", SK_ABC_SCALAR, SK_ABC_BOOL, 1, false), &yes, 1);
  if (moves)
    sk_abc_put(abc, sk_abc_add(abc, xform, ".animChans", "", SK_ABC_ARRAY, SK_ABC_U32, 1, false), channels, 16);
  return values;
}

/* ---- Bodies ---- */

static void name_body(const sk_export *x, int body, char *name, size_t size)
{
  char other[96];
  sk_put_identifier(skein_look_body_at(x->look, body)->name, name, size - 12);
  for (int i = 0; i < body; i++) {
    sk_put_identifier(skein_look_body_at(x->look, i)->name, other, sizeof other - 12);
    if (strcmp(name, other) != 0) continue;
    size_t n = strlen(name);
    snprintf(name + n, size - n, "_%d", body);
    return;
  }
}

static void put_faces(sk_abc *abc, sk_abc_property *geom, const skein_look_body *b, int *room)
{
  size_t n = (size_t)b->triangles;
  for (size_t t = 0; t < n; t++)
    for (size_t k = 0; k < 3; k++) room[3 * t + k] = b->triangle[3 * t + 2 - k];
  sk_abc_put(abc, sk_abc_add(abc, geom, ".faceIndices", "", SK_ABC_ARRAY, SK_ABC_I32, 1, false), room, 3 * n);
  for (size_t t = 0; t < n; t++) room[t] = 3;
  sk_abc_put(abc, sk_abc_add(abc, geom, ".faceCounts", "", SK_ABC_ARRAY, SK_ABC_I32, 1, false), room, n);
}

/* Texture coordinates per corner, in the order of the corners. */
static bool put_uv(sk_abc *abc, sk_abc_property *geom, const skein_look_body *b)
{
  static const char meta[] =
      "arrayExtent=1;geoScope=fvr;interpretation=vector;isGeomParam=true;podExtent=2;podName=float32_t";
  size_t n = (size_t)b->triangles;
  float *uv = b->uv ? sk_calloc(6 * n, sizeof *uv) : NULL;
  if (!b->uv) return true;
  if (!uv) return false;
  for (size_t t = 0; t < n; t++)
    for (size_t k = 0; k < 3; k++) memcpy(uv + 6 * t + 2 * k, b->uv + 6 * t + 2 * (2 - k), 2 * sizeof *uv);
  sk_abc_put(abc, sk_abc_add(abc, geom, "uv", meta, SK_ABC_ARRAY, SK_ABC_F32, 2, false), uv, 3 * n);
  free(uv);
  return true;
}

static skein_status make_body(sk_abc *abc, sk_export *x, sk_abc_object *parent, int i, sk_abc_body *out)
{
  static const char colour_meta[] =
      "arrayExtent=1;geoScope=con;interpretation=rgb;isGeomParam=true;podExtent=3;podName=float32_t";
  const skein_look_body *b = skein_look_body_at(x->look, i);
  char name[96], shape[112];
  name_body(x, i, name, sizeof name), snprintf(shape, sizeof shape, "%sShape", name);
  sk_abc_object *place = sk_abc_add_place(abc, parent, name);
  out->place = add_matrix(abc, place, b->moves);
  sk_abc_object *mesh = sk_abc_add_object(
      abc, place, shape,
      "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle=AbcGeom_PolyMesh_v1:.geom");
  sk_abc_property *geom = sk_abc_add_compound(abc, mesh ? &mesh->top : NULL, ".geom",
                                              "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1");
  out->bounds = sk_abc_add(abc, geom, ".selfBnds", "interpretation=box", SK_ABC_SCALAR, SK_ABC_F64, 6, b->deforms);
  out->points =
      sk_abc_add(abc, geom, "P", "geoScope=vtx;interpretation=point", SK_ABC_ARRAY, SK_ABC_F32, 3, b->deforms);
  out->normals = sk_abc_add(
      abc, geom, "N", "arrayExtent=1;geoScope=vtx;interpretation=normal;isGeomParam=true;podExtent=3;podName=float32_t",
      SK_ABC_ARRAY, SK_ABC_F32, 3, b->deforms);
  if (b->deforms)
    out->velocities = sk_abc_add(abc, geom, ".velocities", "interpretation=vector", SK_ABC_ARRAY, SK_ABC_F32, 3, true);
  sk_abc_property *more = sk_abc_add_compound(abc, geom, ".arbGeomParams", "");
  sk_abc_put(abc, sk_abc_add(abc, more, "Cd", colour_meta, SK_ABC_ARRAY, SK_ABC_F32, 3, false), b->colour, 1);
  int *room = sk_calloc(3 * (size_t)b->triangles, sizeof *room);
  if (room) put_faces(abc, geom, b, room);
  bool good = room && put_uv(abc, geom, b);
  free(room);
  return good ? sk_ok() : sk_no_memory();
}

skein_status sk_abc_bodies_make(sk_abc *abc, sk_export *x, sk_abc_bodies *b)
{
  b->count = skein_look_bodies(x->look);
  b->body = sk_calloc((size_t)b->count, sizeof *b->body);
  if (!b->body) return sk_no_memory();
  sk_abc_object *parent = b->count > 0 ? sk_abc_add_place(abc, &abc->top, "bodies") : NULL;
  skein_status s = sk_ok();
  for (int i = 0; i < b->count && s.code == SKEIN_OK; i++) s = make_body(abc, x, parent, i, &b->body[i]);
  return s;
}

static bool put_surface(sk_abc *abc, const sk_export *x, const sk_abc_body *body, const sk_view *view, int i)
{
  size_t n = (size_t)skein_look_body_at(x->look, i)->vertices;
  double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
  float *v = sk_body_vertices(x, view, i), *rate = body->velocities ? sk_body_velocities(x, view, i) : NULL;
  bool room = v && (rate || !body->velocities);
  for (size_t k = 0; room && k < 3 * n; k++)
    box[k % 3] = fmin(box[k % 3], (double)v[k]), box[3 + k % 3] = fmax(box[3 + k % 3], (double)v[k]);
  if (room) {
    sk_abc_put(abc, body->points, v, n), sk_abc_put(abc, body->normals, v + 3 * n, n);
    sk_abc_put(abc, body->bounds, box, 1);
  }
  if (room && rate) sk_abc_put(abc, body->velocities, rate, n);
  free(v), free(rate);
  return room;
}

skein_status sk_abc_bodies_put(sk_abc *abc, sk_export *x, sk_abc_bodies *b, const sk_view *view, int k)
{
  bool room = true;
  for (int i = 0; i < b->count && i < view->f.bodies && room; i++) {
    const skein_look_body *body = skein_look_body_at(x->look, i);
    const double *p = view->f.body_pose + 7 * (size_t)i;
    double m[16];
    fill_matrix(sk_load3(p), (sk_quat){p[3], sk_load3(p + 4)}, m);
    if (k == 0 || body->moves) sk_abc_put(abc, b->body[i].place, m, 1);
    if (k == 0 || body->deforms) room = put_surface(abc, x, &b->body[i], view, i);
  }
  return room ? sk_ok() : sk_no_memory();
}

/* ---- The camera: looks along its -z, y is up in the picture; a film of 36 x 24 mm ---- */

static sk_vec3 turned(const sk_export *x, const double *v, double scale)
{
  sk_vec3 r = sk_mul(scale, sk_load3(v));
  return x->def->y_up ? sk_vec(r.x, r.z, -r.y) : r;
}

void sk_abc_camera_put(sk_abc *abc, const sk_export *x)
{
  skein_look_camera c = skein_look_camera_of(x->look);
  if (!c.given) return;
  sk_vec3 eye = turned(x, c.eye, x->scale), target = turned(x, c.target, x->scale), away = sk_sub(eye, target);
  sk_vec3 z = sk_unit(away), side = sk_unit(sk_cross(turned(x, c.up, 1), z)), up = sk_cross(z, side);
  double m[16] = {side.x, side.y, side.z, 0, up.x, up.y, up.z, 0, z.x, z.y, z.z, 0, eye.x, eye.y, eye.z, 1};
  double distance = sk_norm(away), focal = 12 / tan(c.fov * SK_PI / 360); /* mm */
  double core[16] = {focal, 3.6, 0, 2.4, 0, 1, 0, 0, 0, 0, 5.6, distance, 0, 1, 0.01 * distance, 1000 * distance};
  sk_abc_object *place = sk_abc_add_place(abc, &abc->top, "camera");
  sk_abc_put(abc, add_matrix(abc, place, false), m, 1);
  sk_abc_object *o =
      sk_abc_add_object(abc, place, "cameraShape", "schema=AbcGeom_Camera_v1;schemaObjTitle=AbcGeom_Camera_v1:.geom");
  sk_abc_property *geom = sk_abc_add_compound(abc, o ? &o->top : NULL, ".geom", "schema=AbcGeom_Camera_v1");
  sk_abc_put(abc, sk_abc_add(abc, geom, ".core", "", SK_ABC_SCALAR, SK_ABC_F64, 16, false), core, 1);
}
