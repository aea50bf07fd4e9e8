/* Bodies, contacts and the camera of a USD stage. */
#include "export/usda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sk_usda_string(sk_usda *u, const char *text)
{
  FILE *o = u->out.stream;
  fputc('"', o);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', o);
    if (*text == '\n') fputs("\\n", o);
    else if ((unsigned char)*text >= ' ') fputc(*text, o);
  }
  fputc('"', o);
}

/* ---- Bodies ---- */

static const double *pose_of(const sk_usda *u, int body, int k)
{
  return u->pose + 7 * ((size_t)k * (size_t)u->body_count + (size_t)body);
}

static bool body_moves(const sk_usda *u, int body)
{
  for (int k = 1; k < u->x->count; k++)
    if (memcmp(pose_of(u, body, 0), pose_of(u, body, k), 7 * sizeof(double)) != 0) return true;
  return false;
}

/* Quaternions keep the sign of the one before, so that what is between two samples goes the short way. */
static void put_pose(sk_usda *u, int body)
{
  FILE *o = u->out.stream;
  int frames = body_moves(u, body) ? u->x->count : 1;
  fputs(frames > 1 ? "            double3 xformOp:translate.timeSamples = {\n"
                   : "            double3 xformOp:translate = ",
        o);
  for (int k = 0; k < frames; k++) {
    const double *p = pose_of(u, body, k);
    if (frames > 1) sk_usda_code(u, k);
    for (int c = 0; c < 3; c++) fputs(c ? ", " : "(", o), sk_put_double(o, p[c]);
    fputs(frames > 1 ? "),\n" : ")\n", o);
  }
  fputs(frames > 1 ? "            }\n            quatf xformOp:orient.timeSamples = {\n"
                   : "            quatf xformOp:orient = ",
        o);
  double last[4] = {1, 0, 0, 0};
  for (int k = 0; k < frames; k++) {
    const double *q = pose_of(u, body, k) + 3;
    double sign = q[0] * last[0] + q[1] * last[1] + q[2] * last[2] + q[3] * last[3] < 0 ? -1 : 1;
    if (frames > 1) sk_usda_code(u, k);
    for (int c = 0; c < 4; c++) last[c] = sign * q[c], fputs(c ? ", " : "(", o), sk_put_float(o, (float)last[c]);
    fputs(frames > 1 ? "),\n" : ")\n", o);
  }
  if (frames > 1) fputs("            }\n", o);
  fputs("            uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n", o);
}

static void put_list(FILE *o, const float *x, int count)
{
  fputc('[', o);
  for (int k = 0; k < count; k++) fputs(k ? ", (" : "(", o), sk_put_point(o, x + 3 * (size_t)k, ", "), fputc(')', o);
  fputc(']', o);
}

/* The surface of a body in one frame: its box, its vertices, its normals. */
static void put_extent(sk_usda *u, const sk_view *view, int body)
{
  int count = skein_look_body_at(u->x->look, body)->vertices;
  float e[6] = {0}, *v = sk_body_vertices(u->x, view, body);
  for (int k = 0; v && k < count; k++)
    for (int c = 0; c < 3; c++) {
      float x = v[3 * (size_t)k + (size_t)c];
      e[c] = k ? SK_MIN(e[c], x) : x, e[3 + c] = k ? SK_MAX(e[3 + c], x) : x;
    }
  put_list(u->out.stream, e, 2);
  u->starved |= !v;
  free(v);
}

static void put_vertices(sk_usda *u, const sk_view *view, int body)
{
  float *v = sk_body_vertices(u->x, view, body);
  if (v) put_list(u->out.stream, v, skein_look_body_at(u->x->look, body)->vertices);
  u->starved |= !v;
  free(v);
}

static void put_normals(sk_usda *u, const sk_view *view, int body)
{
  int count = skein_look_body_at(u->x->look, body)->vertices;
  float *v = sk_body_vertices(u->x, view, body);
  if (v) put_list(u->out.stream, v + 3 * (size_t)count, count);
  u->starved |= !v;
  free(v);
}

static void put_rates(sk_usda *u, const sk_view *view, int body)
{
  float *v = sk_body_velocities(u->x, view, body);
  if (v) put_list(u->out.stream, v, skein_look_body_at(u->x->look, body)->vertices);
  u->starved |= !v;
  free(v);
}

/* An attribute of the surface: samples in time where it deforms. */
static skein_status put_surface(sk_usda *u, const char *head, const char *tail, sk_usda_put *put, int body)
{
  const sk_view at_rest = {0};
  if (skein_look_body_at(u->x->look, body)->deforms) return sk_usda_samples(u, head, tail, u->x->count, put, body);
  fprintf(u->out.stream, "            %s = ", head);
  put(u, &at_rest, body);
  fprintf(u->out.stream, "%s\n", tail);
  return u->starved ? sk_no_memory() : sk_ok();
}

/* A name of its own: that of the body, with its number where an earlier one has it. */
static void name_body(const sk_usda *u, int body, char *name, size_t size)
{
  char other[96];
  sk_put_identifier(skein_look_body_at(u->x->look, body)->name, name, size - 12);
  for (int i = 0; i < body; i++) {
    sk_put_identifier(skein_look_body_at(u->x->look, i)->name, other, sizeof other - 12);
    if (strcmp(name, other) != 0) continue;
    size_t n = strlen(name);
    snprintf(name + n, size - n, "_%d", body);
    return;
  }
}

static void put_uv(FILE *o, const skein_look_body *b)
{
  fputs("            texCoord2f[] primvars:st = [", o);
  for (int k = 0; k < 3 * b->triangles; k++) {
    fputs(k ? ", (" : "(", o), sk_put_float(o, b->uv[2 * (size_t)k]);
    fputs(", ", o), sk_put_float(o, b->uv[2 * (size_t)k + 1]), fputc(')', o);
  }
  fputs("] (\n                interpolation = \"faceVarying\"\n            )\n", o);
}

static skein_status put_body(sk_usda *u, int body)
{
  const skein_look_body *b = skein_look_body_at(u->x->look, body);
  FILE *o = u->out.stream;
  char name[96];
  name_body(u, body, name, sizeof name);
  fprintf(o, "        def Mesh \"%s\"\n        {\n", name);
  fputs("            custom string skein:name = ", o), sk_usda_string(u, b->name), fputc('\n', o);
  fputs("            uniform token subdivisionScheme = \"none\"\n            uniform token orientation = "
        "\"rightHanded\"\n",
        o);
  if (b->endless) fputs("            uniform bool doubleSided = 1\n", o);
  skein_status s = put_surface(u, "float3[] extent", "", put_extent, body);
  if (s.code == SKEIN_OK) s = put_surface(u, "point3f[] points", "", put_vertices, body);
  if (s.code == SKEIN_OK && b->deforms) {
    u->x->velocities = true;
    s = sk_usda_samples(u, "vector3f[] velocities", "", u->x->count, put_rates, body);
    u->x->velocities = false;
  }
  if (s.code == SKEIN_OK)
    s = put_surface(u, "normal3f[] normals", " (\n                interpolation = \"vertex\"\n            )",
                    put_normals, body);
  if (s.code != SKEIN_OK) return s;
  fputs("            int[] faceVertexCounts = [", o);
  for (int t = 0; t < b->triangles; t++) fputs(t ? ", 3" : "3", o);
  fputs("]\n            int[] faceVertexIndices = [", o);
  for (int t = 0; t < 3 * b->triangles; t++) fprintf(o, t ? ", %d" : "%d", b->triangle[t]);
  fputs("]\n", o);
  fputs("            color3f[] primvars:displayColor = ", o), put_list(o, b->colour, 1);
  fputs(" (\n                interpolation = \"constant\"\n            )\n", o);
  if (b->uv) put_uv(o, b);
  put_pose(u, body);
  fputs("        }\n", o);
  return s;
}

skein_status sk_usda_bodies(sk_usda *u)
{
  FILE *o = u->out.stream;
  fputs("\n    def Scope \"Bodies\"\n    {\n", o);
  skein_status s = sk_ok();
  for (int i = 0; i < u->body_count && s.code == SKEIN_OK; i++) s = put_body(u, i);
  fputs("    }\n", o);
  return s;
}

/* ---- Contacts ---- */

static void put_vectors(sk_usda *u, const double *x, int count)
{
  FILE *o = u->out.stream;
  fputc('[', o);
  for (int k = 0; k < count; k++) {
    float v[3] = {(float)x[3 * k], (float)x[3 * k + 1], (float)x[3 * k + 2]};
    fputs(k ? ", (" : "(", o), sk_put_point(o, v, ", "), fputc(')', o);
  }
  fputc(']', o);
}

static void put_places(sk_usda *u, const sk_view *view, int which)
{
  (void)which;
  put_vectors(u, view->f.contact_point, view->f.contacts);
}

static void put_impulses(sk_usda *u, const sk_view *view, int which)
{
  (void)which;
  put_vectors(u, view->f.contact_impulse, view->f.contacts);
}

static void put_status(sk_usda *u, const sk_view *view, int which)
{
  (void)which;
  fputc('[', u->out.stream);
  for (int k = 0; k < view->f.contacts; k++) fprintf(u->out.stream, k ? ", %d" : "%d", view->f.contact_status[k]);
  fputc(']', u->out.stream);
}

skein_status sk_usda_contacts(sk_usda *u)
{
  static const char vertex[] = " (\n                interpolation = \"vertex\"\n            )";
  FILE *o = u->out.stream;
  int frames = u->x->count;
  float width = 1e-3f;
  for (int g = 0; g < u->group_count; g++)
    if (u->groups[g].used) width = 2 * u->groups[g].radius;
  fputs(
      "\n    def Scope \"Contacts\"\n    {\n        def Points \"contacts\"\n        {\n            float[] widths = [",
      o);
  sk_put_float(o, width);
  fputs("] (\n                interpolation = \"constant\"\n            )\n", o);
  skein_status s = sk_usda_samples(u, "point3f[] points", "", frames, put_places, 0);
  if (s.code == SKEIN_OK) s = sk_usda_samples(u, "vector3f[] primvars:impulse", vertex, frames, put_impulses, 0);
  if (s.code == SKEIN_OK) s = sk_usda_samples(u, "int[] primvars:status", vertex, frames, put_status, 0);
  fputs("        }\n    }\n", o);
  return s;
}

/* ---- The camera: looks along its -z, y is up in the picture; a film of 36 x 24 mm ---- */

static sk_vec3 turned(const sk_export *x, const double *v, double scale)
{
  sk_vec3 r = sk_mul(scale, sk_load3(v));
  return x->def->y_up ? sk_vec(r.x, r.z, -r.y) : r;
}

void sk_usda_camera(sk_usda *u)
{
  FILE *o = u->out.stream;
  skein_look_camera c = skein_look_camera_of(u->x->look);
  if (!c.given) return;
  sk_vec3 eye = turned(u->x, c.eye, u->x->scale), away = sk_sub(eye, turned(u->x, c.target, u->x->scale));
  sk_vec3 z = sk_unit(away), side = sk_unit(sk_cross(turned(u->x, c.up, 1), z));
  const sk_vec3 row[4] = {side, sk_cross(z, side), z, eye};
  double distance = sk_norm(away), to_tenth = 0.01 / u->x->def->unit; /* a lens is in tenths of the stage's unit */
  fputs("\n    def Camera \"Camera\"\n    {\n        float focalLength = ", o);
  sk_put_float(o, (float)(to_tenth * 12 / tan(c.fov * SK_PI / 360)));
  fputs("\n        float horizontalAperture = ", o), sk_put_float(o, (float)(36 * to_tenth));
  fputs("\n        float verticalAperture = ", o), sk_put_float(o, (float)(24 * to_tenth));
  fputs("\n        float focusDistance = ", o), sk_put_float(o, (float)distance);
  fputs("\n        float2 clippingRange = (", o), sk_put_float(o, (float)(0.01 * distance));
  fputs(", ", o), sk_put_float(o, (float)(1000 * distance));
  fputs(")\n        matrix4d xformOp:transform = ( ", o);
  for (int k = 0; k < 4; k++) {
    double r[4] = {row[k].x, row[k].y, row[k].z, k == 3};
    for (int m = 0; m < 4; m++) fputs(m ? ", " : k ? ", (" : "(", o), sk_put_double(o, r[m]);
    fputc(')', o);
  }
  fputs(" )\n        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n    }\n", o);
}
