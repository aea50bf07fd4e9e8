/* USD as text (openusd.org: UsdGeomBasisCurves, UsdGeomMesh, UsdGeomPoints). One stage:
 *
 *     /World/Rods/GROUP     cubic Catmull-Rom curves, pinned at their ends, through all points of all rods of a group
 *     /World/Bodies/NAME    a mesh that moves by translate and orient
 *     /World/Contacts       points with impulse and status, where wanted
 *     /World/Camera         where the scene has one
 *
 * Time codes are frames of the run. An attribute that changes has time samples, one that does not has a value: so the
 * run is first read once to see what changes and how far things reach, then once per attribute that does. */
#include "export/usda.h"

#include <stdlib.h>
#include <string.h>

/* ---- What changes ---- */

static uint64_t mix(uint64_t h, const void *data, size_t size)
{
  const unsigned char *b = data;
  for (size_t k = 0; k < size; k++) h = (h ^ b[k]) * 0x100000001b3u;
  return h;
}

static void see_rod(sk_usda_group *g, const sk_view *view, int i, int k)
{
  const skein_frame *f = &view->f;
  const float *colour = view->colour + 3 * (size_t)i;
  int count = f->point_start[i + 1] - f->point_start[i];
  float r = f->radius[i], *e = g->extent + 6 * (size_t)k;
  if (!g->used) g->used = true, g->radius = r, memcpy(g->colour, colour, sizeof g->colour);
  g->one_radius &= g->radius == r;
  g->one_colour &= !memcmp(g->colour, colour, sizeof g->colour);
  g->hash = mix(mix(mix(g->hash, &count, sizeof count), &r, sizeof r), colour, 3 * sizeof *colour);
  for (int p = f->point_start[i]; p < f->point_start[i + 1]; p++)
    for (size_t c = 0; c < 3; c++) {
      float x = f->point[3 * (size_t)p + c];
      if (e[c] > e[3 + c]) e[c] = x - r, e[3 + c] = x + r; /* the first one */
      e[c] = SK_MIN(e[c], x - r), e[3 + c] = SK_MAX(e[3 + c], x + r);
    }
}

static void see_frame(sk_usda *u, const sk_view *view, int k)
{
  const skein_frame *f = &view->f;
  for (int g = 0; g < u->group_count; g++) {
    float *e = u->groups[g].extent + 6 * (size_t)k;
    for (int c = 0; c < 3; c++) e[c] = 1, e[3 + c] = -1;
    u->groups[g].hash = 0xcbf29ce484222325u;
  }
  for (int i = 0; i < f->rods; i++)
    if (f->rod_group[i] < u->group_count) see_rod(&u->groups[f->rod_group[i]], view, i, k);
  for (int g = 0; g < u->group_count; g++) {
    sk_usda_group *group = &u->groups[g];
    if (k == 0) group->first_hash = group->hash;
    group->changes |= group->hash != group->first_hash;
  }
  for (int i = 0; i < u->body_count && i < f->bodies; i++)
    memcpy(u->pose + 7 * ((size_t)k * (size_t)u->body_count + (size_t)i), f->body_pose + 7 * (size_t)i,
           7 * sizeof(double));
}

static skein_status look_through(sk_usda *u)
{
  skein_status s = sk_ok();
  sk_export *x = u->x;
  for (int k = 0; k < x->count && s.code == SKEIN_OK; k++) {
    sk_view view;
    s = sk_view_load(x, k, false, &view);
    if (s.code == SKEIN_OK) see_frame(u, &view, k);
    sk_view_free(&view);
  }
  int passes = 1 + 3 * x->def->contacts;
  for (int g = 0; g < u->group_count; g++) {
    const sk_usda_group *group = &u->groups[g];
    if (group->used) passes += 2 + (group->changes ? !group->one_radius + !group->one_colour : 0);
  }
  for (int i = 0; i < u->body_count; i++) passes += skein_look_body_at(x->look, i)->deforms ? 4 : 0;
  x->steps = passes * x->count;
  return s;
}

/* ---- Samples ---- */

void sk_usda_code(sk_usda *u, int k)
{
  fputs("                ", u->out.stream), sk_put_double(u->out.stream, sk_view_number(u->x, k));
  fputs(": ", u->out.stream);
}

skein_status sk_usda_samples(sk_usda *u, const char *head, const char *tail, int frames, sk_usda_put *put, int which)
{
  skein_status s = sk_ok();
  FILE *o = u->out.stream;
  if (frames > 1 && tail[0]) fprintf(o, "            %s%s\n", head, tail); /* samples cannot have metadata */
  fprintf(o, frames > 1 ? "            %s.timeSamples = {\n" : "            %s = ", head);
  for (int k = 0; k < frames && s.code == SKEIN_OK; k++) {
    sk_view view;
    s = sk_view_load(u->x, k, false, &view);
    if (frames > 1) sk_usda_code(u, k);
    if (s.code == SKEIN_OK) put(u, &view, which);
    fputs(frames > 1 ? ",\n" : "", o);
    if (s.code == SKEIN_OK && sk_out_failed(&u->out)) s = sk_out_failure(&u->out);
    if (s.code == SKEIN_OK && u->starved) s = sk_no_memory();
    sk_view_free(&view);
  }
  if (frames > 1) fputs("            }\n", o);
  else fprintf(o, "%s\n", tail);
  return s;
}

/* ---- The stage ---- */

static void put_head(sk_usda *u)
{
  FILE *o = u->out.stream;
  const sk_export *x = u->x;
  fputs("#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = ", o), sk_usda_string(u, skein_run_title(x->run));
  fputs("\n    startTimeCode = ", o), sk_put_double(o, sk_view_number(x, 0));
  fputs("\n    endTimeCode = ", o), sk_put_double(o, sk_view_number(x, x->count - 1));
  fputs("\n    timeCodesPerSecond = ", o), sk_put_double(o, sk_export_rate(x));
  fputs("\n    framesPerSecond = ", o), sk_put_double(o, sk_export_rate(x));
  fputs("\n    metersPerUnit = ", o), sk_put_double(o, x->def->unit);
  fprintf(o, "\n    upAxis = \"%s\"\n)\n\n", x->def->y_up ? "Y" : "Z");
  fputs("def Xform \"World\" (\n    kind = \"component\"\n)\n{\n", o);
}

static skein_status put_stage(sk_usda *u)
{
  FILE *o = u->out.stream;
  skein_status s = sk_ok();
  put_head(u);
  fputs("    def Scope \"Rods\"\n    {\n", o);
  for (int g = 0; g < u->group_count && s.code == SKEIN_OK; g++)
    if (u->groups[g].used) s = sk_usda_group_put(u, g);
  fputs("    }\n", o);
  if (s.code == SKEIN_OK && u->x->def->bodies) s = sk_usda_bodies(u);
  sk_usda_camera(u);
  if (s.code == SKEIN_OK && u->x->def->contacts) s = sk_usda_contacts(u);
  fputs("}\n", o);
  return s;
}

/* Names that USD allows; the number of the group makes a second one differ. */
static void name_groups(sk_usda *u)
{
  for (int g = 0; g < u->group_count; g++) {
    const char *name = skein_look_group_name(u->x->look, g);
    sk_put_identifier(name ? name : "rods", u->groups[g].name, sizeof u->groups[g].name - 12);
    for (int h = 0; h < g; h++)
      if (!strcmp(u->groups[h].name, u->groups[g].name)) {
        size_t n = strlen(u->groups[g].name);
        snprintf(u->groups[g].name + n, sizeof u->groups[g].name - n, "_%d", g);
        h = -1;
      }
  }
}

static bool reserve(sk_usda *u)
{
  size_t frames = (size_t)u->x->count;
  u->groups = sk_calloc((size_t)u->group_count, sizeof *u->groups);
  u->pose = sk_calloc(7 * frames * (size_t)u->body_count, sizeof *u->pose);
  bool room = u->groups && u->pose;
  for (int g = 0; room && g < u->group_count; g++) {
    u->groups[g] = (sk_usda_group){.one_radius = true, .one_colour = true};
    u->groups[g].extent = sk_calloc(6 * frames, sizeof(float));
    room = u->groups[g].extent != NULL;
  }
  return room;
}

skein_status sk_write_usda(sk_export *x)
{
  sk_usda u = {.x = x, .group_count = SK_MAX(skein_look_groups(x->look), 1)};
  u.body_count = x->def->bodies ? skein_look_bodies(x->look) : 0;
  x->steps = 2 * x->count;
  skein_status s = reserve(&u) ? sk_ok() : sk_no_memory();
  if (s.code == SKEIN_OK) s = sk_frame_shown(x, 0, NULL, &u.first);
  if (s.code == SKEIN_OK) name_groups(&u), s = sk_files_open(x->files, x->def->path, &u.out);
  if (s.code == SKEIN_OK) s = look_through(&u);
  if (s.code == SKEIN_OK) s = put_stage(&u);
  skein_status closed = sk_files_close(x->files, &u.out);
  for (int g = 0; u.groups && g < u.group_count; g++) free(u.groups[g].extent);
  free(u.groups), free(u.pose);
  skein_frame_destroy(&u.first);
  return s.code == SKEIN_OK ? closed : s;
}
