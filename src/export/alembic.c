/* Alembic (alembic.io: OCurves, OPolyMesh, OXform, OCamera) with the attributes by which Unreal knows a groom:
 *
 *     /rods            version of the groom's schema, as attributes and as user properties
 *     /rods/GROUP      linear curves through all points of the rods of a group, with widths and velocities; per curve
 *                      uv of the root, id, number in the scene; what Unreal reads under its own names
 *     /bodies/NAME     a place, and in it the mesh NAMEShape; where it deforms, samples of points and velocities
 *     /camera          a place, and in it the camera
 *
 * Frame k of the run is at (start + k) / fps. The same bytes are stored once. */
#include "export/alembic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the file has of a group of rods. */
typedef struct group {
  int *strand, count, points; /* its strands, and the points of all of them */
  float *number;              /* room for 3 per point */
  sk_abc_property *place, *velocity, *width, *groom_width, *bounds;
} group;

typedef struct job {
  sk_export *x;
  sk_abc abc;
  group *groups;
  int group_count;
  sk_abc_bodies bodies;
  skein_frame first; /* frame 0 of the run, as it is shown: where strands root */
} job;

/* ---- Metadata ---- */

#define GEOM_PARAM(pod, extent, scope, meaning)                                                                        \
  "arrayExtent=1;geoScope=" scope ";" meaning "isGeomParam=true;podExtent=" extent ";podName=" pod

static const char position_meta[] = "geoScope=vtx;interpretation=point", vector_meta[] = "interpretation=vector",
                  box_meta[] = "interpretation=box", width_meta[] = GEOM_PARAM("float32_t", "1", "vtx", ""),
                  uv_meta[] = GEOM_PARAM("float32_t", "2", "uni", "interpretation=vector;"),
                  colour_meta[] = GEOM_PARAM("float32_t", "3", "vtx", "interpretation=rgb;"),
                  int_meta[] = GEOM_PARAM("int32_t", "1", "uni", ""),
                  short_meta[] = GEOM_PARAM("int16_t", "1", "uni", ""),
                  text_meta[] = GEOM_PARAM("string", "1", "uni", "");

static sk_abc_property *array(job *j, sk_abc_property *in, const char *name, const char *meta, sk_abc_pod pod,
                              int extent, bool moves)
{
  return sk_abc_add(&j->abc, in, name, meta, SK_ABC_ARRAY, pod, extent, moves);
}

/* ---- What stands still: counts, ids, uv, colours ---- */

static void put_ints(job *j, sk_abc_property *in, const char *const *name, int names, const int *value, int count)
{
  for (int k = 0; k < names; k++)
    sk_abc_put(&j->abc, array(j, in, name[k], int_meta, SK_ABC_I32, 1, false), value, (size_t)count);
}

/* The numbers of a group's strands: how many points, id, number in the scene, group. */
static void put_numbers(job *j, sk_abc_property *geom, sk_abc_property *more, const group *g, int which)
{
  static const char *const id[] = {"id", "groom_id"}, *const source[] = {"source"}, *const own[] = {"groom_group_id"};
  int *value = sk_calloc((size_t)g->count, sizeof *value);
  const sk_strand *strand = j->x->topology.strand;
  if (!value) {
    j->abc.file.starved = true;
    return;
  }
  for (int k = 0; k < g->count; k++) value[k] = strand[g->strand[k]].points;
  sk_abc_put(&j->abc, array(j, geom, "nVertices", "", SK_ABC_I32, 1, false), value, (size_t)g->count);
  put_ints(j, more, id, 2, g->strand, g->count);
  for (int k = 0; k < g->count; k++) value[k] = strand[g->strand[k]].source;
  put_ints(j, more, source, 1, value, g->count);
  for (int k = 0; k < g->count; k++) value[k] = which;
  put_ints(j, more, own, 1, value, g->count);
  memset(value, 0, sizeof *value * (size_t)g->count); /* as many numbers of 16 bits fit */
  sk_abc_put(&j->abc, array(j, more, "groom_guide", short_meta, SK_ABC_I16, 1, false), value, (size_t)g->count);
  free(value);
}

static void put_names(job *j, sk_abc_property *more, const group *g, int which)
{
  const char *name = skein_look_group_name(j->x->look, which);
  size_t size = strlen(name ? name : "") + 1, all = size * (size_t)g->count;
  char *text = malloc(SK_MAX(all, (size_t)1));
  for (size_t k = 0; text && k < all; k += size) memcpy(text + k, name ? name : "", size);
  sk_abc_property *p = array(j, more, "groom_group_name", text_meta, SK_ABC_STRING, 1, false);
  if (text) sk_abc_put_strings(&j->abc, p, text, all, (size_t)g->count);
  else j->abc.file.starved = true;
  free(text);
}

static void put_roots(job *j, sk_abc_property *geom, sk_abc_property *more, const group *g)
{
  for (int k = 0; k < g->count; k++) sk_topology_root_uv(j->x, &j->first, g->strand[k], g->number + 2 * (size_t)k);
  sk_abc_put(&j->abc, array(j, geom, "uv", uv_meta, SK_ABC_F32, 2, false), g->number, (size_t)g->count);
  sk_abc_put(&j->abc, array(j, more, "groom_root_uv", uv_meta, SK_ABC_F32, 2, false), g->number, (size_t)g->count);
}

static void put_colours(job *j, sk_abc_property *more, const group *g, const sk_view *view)
{
  float *to = g->number;
  for (int k = 0; k < g->count; k++)
    for (int p = 0; p < j->x->topology.strand[g->strand[k]].points; p++, to += 3)
      memcpy(to, view->colour + 3 * (size_t)g->strand[k], 3 * sizeof *to);
  sk_abc_put(&j->abc, array(j, more, "Cd", colour_meta, SK_ABC_F32, 3, false), g->number, (size_t)g->points);
  sk_abc_put(&j->abc, array(j, more, "groom_color", colour_meta, SK_ABC_F32, 3, false), g->number, (size_t)g->points);
}

/* ---- Objects ---- */

static void name_group(const job *j, int g, char *name, size_t size)
{
  const char *word = skein_look_group_name(j->x->look, g);
  sk_put_identifier(word ? word : "rods", name, size - 12);
  for (int h = 0; h < g; h++) {
    char other[96];
    word = skein_look_group_name(j->x->look, h);
    sk_put_identifier(word ? word : "rods", other, sizeof other - 12);
    if (strcmp(name, other) != 0) continue;
    size_t n = strlen(name);
    snprintf(name + n, size - n, "_%d", g);
    return;
  }
}

static void make_group(job *j, sk_abc_object *parent, int which, const sk_view *view)
{
  static const unsigned char linear[4] = {1, 0, 0, 0};
  group *g = &j->groups[which];
  char name[96];
  name_group(j, which, name, sizeof name);
  sk_abc_object *o = sk_abc_add_object(
      &j->abc, parent, name,
      "schema=AbcGeom_Curve_v2;schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle=AbcGeom_Curve_v2:.geom");
  sk_abc_property *geom = sk_abc_add_compound(&j->abc, o ? &o->top : NULL, ".geom",
                                              "schema=AbcGeom_Curve_v2;schemaBaseType=AbcGeom_GeomBase_v1");
  g->bounds = sk_abc_add(&j->abc, geom, ".selfBnds", box_meta, SK_ABC_SCALAR, SK_ABC_F64, 6, true);
  g->place = array(j, geom, "P", position_meta, SK_ABC_F32, 3, true);
  sk_abc_property *more = sk_abc_add_compound(&j->abc, geom, ".arbGeomParams", "");
  put_numbers(j, geom, more, g, which);
  sk_abc_property *kind = sk_abc_add(&j->abc, geom, "curveBasisAndType", "", SK_ABC_SCALAR, SK_ABC_U8, 4, false);
  sk_abc_put(&j->abc, kind, linear, 1);
  g->velocity = array(j, geom, ".velocities", vector_meta, SK_ABC_F32, 3, true);
  g->width = array(j, geom, "width", width_meta, SK_ABC_F32, 1, true);
  g->groom_width = array(j, more, "groom_width", width_meta, SK_ABC_F32, 1, true);
  put_roots(j, geom, more, g), put_colours(j, more, g, view), put_names(j, more, g, which);
}

/* The numbers by which a file is known as a groom: where a reader looks for attributes, and where for properties. */
static void put_version(job *j, sk_abc_object *rods)
{
  static const char *const name[] = {"groom_version_major", "groom_version_minor"};
  static const int16_t value[] = {1, 4};
  sk_abc_property *xform = rods ? rods->top.child : NULL;
  sk_abc_property *arb = sk_abc_add_compound(&j->abc, xform, ".arbGeomParams", "");
  sk_abc_property *user = sk_abc_add_compound(&j->abc, xform, ".userProperties", "");
  for (int k = 0; k < 2; k++) {
    sk_abc_put(&j->abc, array(j, arb, name[k], short_meta, SK_ABC_I16, 1, false), &value[k], 1);
    sk_abc_put(&j->abc, sk_abc_add(&j->abc, user, name[k], "", SK_ABC_SCALAR, SK_ABC_I16, 1, false), &value[k], 1);
  }
}

/* ---- A frame ---- */

static void gather(const job *j, const group *g, const sk_view *view, const float *from)
{
  float *to = g->number;
  for (int k = 0; k < g->count; k++) {
    int first = view->f.point_start[g->strand[k]], count = j->x->topology.strand[g->strand[k]].points;
    memcpy(to, from + 3 * (size_t)first, 3 * sizeof *to * (size_t)count);
    to += 3 * (size_t)count;
  }
}

static void put_bounds(job *j, const group *g, const sk_view *view)
{
  double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY}, r = 0;
  for (int k = 0; k < g->count; k++) r = fmax(r, (double)view->f.radius[g->strand[k]]);
  for (size_t k = 0; k < 3 * (size_t)g->points; k++) {
    double at = (double)g->number[k];
    box[k % 3] = fmin(box[k % 3], at - r), box[3 + k % 3] = fmax(box[3 + k % 3], at + r);
  }
  sk_abc_put(&j->abc, g->bounds, box, 1);
}

static void put_group(job *j, const group *g, const sk_view *view)
{
  float *to = g->number;
  gather(j, g, view, view->f.point);
  sk_abc_put(&j->abc, g->place, g->number, (size_t)g->points), put_bounds(j, g, view);
  gather(j, g, view, view->velocity);
  sk_abc_put(&j->abc, g->velocity, g->number, (size_t)g->points);
  for (int k = 0; k < g->count; k++)
    for (int p = 0; p < j->x->topology.strand[g->strand[k]].points; p++) *to++ = 2 * view->f.radius[g->strand[k]];
  sk_abc_put(&j->abc, g->width, g->number, (size_t)g->points);
  sk_abc_put(&j->abc, g->groom_width, g->number, (size_t)g->points);
}

/* ---- The archive ---- */

static bool sort_strands(job *j)
{
  const sk_topology *t = &j->x->topology;
  for (int i = 0; i < t->count; i++)
    if (t->strand[i].group < j->group_count) j->groups[t->strand[i].group].count++;
  for (int k = 0; k < j->group_count; k++) {
    group *g = &j->groups[k];
    g->strand = sk_calloc((size_t)g->count, sizeof *g->strand), g->count = 0;
    if (!g->strand) return false;
  }
  for (int i = 0; i < t->count; i++) {
    group *g = t->strand[i].group < j->group_count ? &j->groups[t->strand[i].group] : NULL;
    if (g) g->strand[g->count++] = i, g->points += t->strand[i].points;
  }
  for (int k = 0; k < j->group_count; k++)
    if (!(j->groups[k].number = sk_calloc(3 * (size_t)j->groups[k].points, sizeof(float)))) return false;
  return true;
}

static skein_status make_objects(job *j, const sk_view *view)
{
  sk_abc_object *rods = sk_abc_add_place(&j->abc, &j->abc.top, "rods");
  put_version(j, rods);
  for (int g = 0; g < j->group_count; g++)
    if (j->groups[g].count > 0) make_group(j, rods, g, view);
  skein_status s = j->x->def->bodies ? sk_abc_bodies_make(&j->abc, j->x, &j->bodies) : sk_ok();
  sk_abc_camera_put(&j->abc, j->x);
  return s;
}

static skein_status write_frames(job *j)
{
  skein_status s = sk_ok();
  sk_ogawa *file = &j->abc.file;
  for (int k = 0; k < j->x->count && s.code == SKEIN_OK; k++) {
    sk_view view;
    s = sk_view_load(j->x, k, false, &view);
    if (s.code == SKEIN_OK && k == 0) s = make_objects(j, &view);
    for (int g = 0; g < j->group_count && s.code == SKEIN_OK; g++)
      if (j->groups[g].count > 0) put_group(j, &j->groups[g], &view);
    if (s.code == SKEIN_OK && j->x->def->bodies) s = sk_abc_bodies_put(&j->abc, j->x, &j->bodies, &view, k);
    if (s.code == SKEIN_OK && sk_out_failed(&file->out)) s = sk_out_failure(&file->out);
    if (s.code == SKEIN_OK && file->starved) s = sk_no_memory();
    sk_view_free(&view);
  }
  return s;
}

/* What an archive says about itself; "metres per unit" and "up" are what our own reader looks for. */
static skein_status write_tree(job *j)
{
  char title[200], about[600];
  size_t n = 0;
  const char *from = skein_run_title(j->x->run);
  for (; *from && n + 1 < sizeof title; from++) title[n++] = strchr(";=\n", *from) ? ' ' : *from;
  title[n] = 0;
  snprintf(about, sizeof about,
           "_ai_Application=Skein %s;_ai_DCC_FPS=%.15g;_ai_Description=%s;metersPerUnit=%.15g;upAxis=%s",
           skein_run_version(j->x->run), sk_export_rate(j->x), title, j->x->def->unit, j->x->def->y_up ? "Y" : "Z");
  sk_abc_write(&j->abc, about);
  if (j->abc.file.starved) return sk_no_memory();
  return sk_out_failed(&j->abc.file.out) ? sk_out_failure(&j->abc.file.out) : sk_ok();
}

skein_status sk_write_abc(sk_export *x)
{
  double fps = skein_run_fps(x->run);
  job j = {.x = x, .abc = {.start = sk_view_number(x, 0) / sk_export_rate(x), .step = x->step / fps}};
  j.group_count = SK_MAX(skein_look_groups(x->look), 1);
  j.groups = sk_calloc((size_t)j.group_count, sizeof *j.groups);
  x->steps = x->count, x->velocities = true;
  skein_status s = j.groups && sort_strands(&j) ? sk_frame_shown(x, 0, NULL, &j.first) : sk_no_memory();
  if (s.code == SKEIN_OK) s = sk_files_open(x->files, x->def->path, &j.abc.file.out);
  if (s.code == SKEIN_OK && fseeko(j.abc.file.out.stream, 0, SEEK_SET) != 0)
    s = sk_fail(SKEIN_IO_FAILURE, "%.350s: is no file that can be gone back in, as Alembic wants", x->def->path);
  if (s.code == SKEIN_OK) sk_ogawa_start(&j.abc.file), s = write_frames(&j);
  if (s.code == SKEIN_OK) s = write_tree(&j);
  skein_status closed = sk_files_close(x->files, &j.abc.file.out);
  for (int g = 0; j.groups && g < j.group_count; g++) free(j.groups[g].strand), free(j.groups[g].number);
  free(j.groups), free(j.bodies.body);
  skein_frame_destroy(&j.first);
  sk_abc_free(&j.abc);
  return s.code == SKEIN_OK ? closed : s;
}
