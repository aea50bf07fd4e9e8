/* Curves of a USD stage: those of one group of rods. */
#include "export/usda.h"

/* Goes through the rods of a group: a comma between two, `count` pieces each. */
static void put_points(sk_usda *u, const sk_view *view, int group)
{
  const skein_frame *f = &view->f;
  FILE *o = u->out.stream;
  const char *between = "[";
  bool any = false;
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; f->rod_group[i] == group && k < f->point_start[i + 1]; k++) {
      fputs(between, o), fputc('(', o), sk_put_point(o, f->point + 3 * (size_t)k, ", "), fputc(')', o);
      between = ", ", any = true;
    }
  fputs(any ? "]" : "[]", o);
}

static void put_counts(sk_usda *u, const sk_view *view, int group)
{
  const skein_frame *f = &view->f;
  bool any = false;
  for (int i = 0; i < f->rods; i++)
    if (f->rod_group[i] == group)
      fprintf(u->out.stream, "%s%d", any ? ", " : "[", f->point_start[i + 1] - f->point_start[i]), any = true;
  fputs(any ? "]" : "[]", u->out.stream);
}

static void put_widths(sk_usda *u, const sk_view *view, int group)
{
  const skein_frame *f = &view->f;
  bool any = false;
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; f->rod_group[i] == group && k < f->point_start[i + 1]; k++)
      fputs(any ? ", " : "[", u->out.stream), sk_put_float(u->out.stream, 2 * f->radius[i]), any = true;
  fputs(any ? "]" : "[]", u->out.stream);
}

static void put_colours(sk_usda *u, const sk_view *view, int group)
{
  bool any = false;
  FILE *o = u->out.stream;
  for (int i = 0; i < view->f.rods; i++)
    if (view->f.rod_group[i] == group) {
      fputs(any ? ", (" : "[(", o), sk_put_point(o, view->colour + 3 * (size_t)i, ", "), fputc(')', o);
      any = true;
    }
  fputs(any ? "]" : "[]", o);
}

static void put_velocities(sk_usda *u, const sk_view *view, int group)
{
  const skein_frame *f = &view->f;
  FILE *o = u->out.stream;
  bool any = false;
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; f->rod_group[i] == group && k < f->point_start[i + 1]; k++)
      fputs(any ? ", (" : "[(", o), sk_put_point(o, view->velocity + 3 * (size_t)k, ", "), fputc(')', o), any = true;
  fputs(any ? "]" : "[]", o);
}

/* What every strand has once: its number, its rod in the scene, texture coordinates of its root. */
static void put_once(sk_usda *u, int group)
{
  static const char *const head[] = {"int[] primvars:id = [", "int[] primvars:source = [",
                                     "texCoord2f[] primvars:st = ["};
  const sk_topology *t = &u->x->topology;
  FILE *o = u->out.stream;
  for (int what = 0; what < 3; what++) {
    bool any = false;
    fprintf(o, "            %s", head[what]);
    for (int i = 0; i < t->count; i++) {
      float uv[2];
      if (t->strand[i].group != group) continue;
      if (any) fputs(", ", o);
      if (what < 2) fprintf(o, "%d", what ? t->strand[i].source : i);
      else {
        sk_topology_root_uv(u->x, &u->first, i, uv);
        fputc('(', o), sk_put_float(o, uv[0]), fputs(", ", o), sk_put_float(o, uv[1]), fputc(')', o);
      }
      any = true;
    }
    fputs("] (\n                interpolation = \"uniform\"\n            )\n", o);
  }
}

/* Where the points are in frame 0 of the run. */
static skein_status put_rest(sk_usda *u, int group)
{
  sk_view view;
  skein_status s = sk_view_rest(u->x, &view);
  fputs("            point3f[] primvars:rest = ", u->out.stream);
  if (s.code == SKEIN_OK) put_points(u, &view, group);
  fputs(" (\n                interpolation = \"vertex\"\n            )\n", u->out.stream);
  sk_view_free(&view);
  return s;
}

static void put_extents(sk_usda *u, const sk_usda_group *g)
{
  FILE *o = u->out.stream;
  int frames = u->x->count;
  fprintf(o, frames > 1 ? "            float3[] extent.timeSamples = {\n" : "            float3[] extent = ");
  for (int k = 0; k < frames; k++) {
    const float *e = g->extent + 6 * (size_t)k, none[6] = {0};
    if (e[0] > e[3]) e = none;
    if (frames > 1) sk_usda_code(u, k);
    fputs("[(", o), sk_put_point(o, e, ", "), fputs("), (", o), sk_put_point(o, e + 3, ", "), fputs(")]", o);
    fputs(frames > 1 ? ",\n" : "\n", o);
  }
  if (frames > 1) fputs("            }\n", o);
}

skein_status sk_usda_group_put(sk_usda *u, int g)
{
  const sk_usda_group *group = &u->groups[g];
  const char *name = skein_look_group_name(u->x->look, g);
  FILE *o = u->out.stream;
  int all = u->x->count, some = group->changes ? all : 1;
  fprintf(o, "        def BasisCurves \"%s\"\n        {\n", group->name);
  fputs("            uniform token type = \"cubic\"\n            uniform token basis = \"catmullRom\"\n"
        "            uniform token wrap = \"pinned\"\n",
        o);
  fputs("            custom string skein:group = ", o), sk_usda_string(u, name ? name : ""), fputc('\n', o);
  skein_status s = sk_usda_samples(u, "int[] curveVertexCounts", "", 1, put_counts, g);
  if (s.code == SKEIN_OK) s = sk_usda_samples(u, "point3f[] points", "", all, put_points, g);
  u->x->velocities = true;
  if (s.code == SKEIN_OK) s = sk_usda_samples(u, "vector3f[] velocities", "", all, put_velocities, g);
  u->x->velocities = false;
  if (s.code == SKEIN_OK) s = put_rest(u, g);
  if (s.code != SKEIN_OK) return s;
  put_once(u, g), put_extents(u, group);
  if (group->one_radius) {
    fputs("            float[] widths = [", o), sk_put_float(o, 2 * group->radius);
    fputs("] (\n                interpolation = \"constant\"\n            )\n", o);
  } else
    s = sk_usda_samples(u, "float[] widths", " (\n                interpolation = \"vertex\"\n            )", some,
                        put_widths, g);
  if (s.code == SKEIN_OK && group->one_colour) {
    fputs("            color3f[] primvars:displayColor = [(", o), sk_put_point(o, group->colour, ", ");
    fputs(")] (\n                interpolation = \"constant\"\n            )\n", o);
  } else if (s.code == SKEIN_OK)
    s = sk_usda_samples(u, "color3f[] primvars:displayColor",
                        " (\n                interpolation = \"uniform\"\n            )", some, put_colours, g);
  fputs("        }\n", o);
  return s;
}
