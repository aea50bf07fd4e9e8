/* skein_export: checks what is asked for, makes the look of the run, and hands it to the format's file. */
#include "export/export.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A format writes all frames by itself, or one frame per file. */
typedef struct format {
  const char *name, *about;
  const char *ending[2];
  bool bodies, contacts;
  skein_status (*all)(sk_export *x);
  skein_status (*one)(const sk_export *x, const sk_view *view, sk_out *out);
} format;

static const format formats[SKEIN_FORMAT_COUNT] = {
    [SKEIN_USDA] = {"usda",
                    "USD as text: animated curves and meshes (Houdini, Maya, Blender, Unreal, Omniverse)",
                    {".usda"},
                    true,
                    true,
                    sk_write_usda,
                    NULL},
    [SKEIN_VTP] = {"vtp",
                   "VTK series with speed, status, force, island per point (ParaView)",
                   {".pvd", ".vtp"},
                   true,
                   true,
                   sk_write_vtp,
                   NULL},
    [SKEIN_HAIR] = {"hair",
                    "Cem Yuksel's hair files, one per frame (research renderers)",
                    {".hair"},
                    false,
                    false,
                    NULL,
                    sk_write_hair},
    [SKEIN_OBJ] = {"obj", "Wavefront lines and faces, one file per frame", {".obj"}, true, false, NULL, sk_write_obj},
    [SKEIN_PLY] = {"ply",
                   "vertices with values, edges, faces; binary, one file per frame",
                   {".ply"},
                   true,
                   false,
                   NULL,
                   sk_write_ply},
    [SKEIN_CSV] =
        {"csv", "a line per point and frame (numpy, R, a spreadsheet)", {".csv"}, false, true, sk_write_csv, NULL},
    [SKEIN_ABC] = {"abc",
                   "Alembic: animated curves and meshes, camera, groom attributes (Houdini, Maya, Unreal, Blender)",
                   {".abc"},
                   true,
                   false,
                   sk_write_abc,
                   NULL},
};

const char *skein_format_name(skein_format f)
{
  return formats[f].name;
}

const char *skein_format_about(skein_format f)
{
  return formats[f].about;
}

int skein_format_find(const char *name)
{
  for (int k = 0; k < SKEIN_FORMAT_COUNT; k++)
    if (!strcmp(formats[k].name, name)) return k;
  return -1;
}

static bool ends_with(const char *text, const char *end)
{
  size_t n = strlen(text), m = strlen(end);
  return n > m && !strcasecmp(text + n - m, end);
}

int skein_format_of_path(const char *path)
{
  for (int k = 0; k < SKEIN_FORMAT_COUNT; k++)
    for (int e = 0; e < 2 && formats[k].ending[e]; e++)
      if (ends_with(path, formats[k].ending[e])) return k;
  return -1;
}

bool skein_format_has_bodies(skein_format f)
{
  return formats[f].bodies;
}

bool skein_format_has_contacts(skein_format f)
{
  return formats[f].contacts;
}

skein_export_def skein_default_export_def(void)
{
  return (skein_export_def){.format = SKEIN_USDA, .last = -1, .step = 1, .unit = 1, .bodies = true};
}

/* ---- Series of files ---- */

/* Where the number goes in a path: the place of "%04d" or "%d", and its digits. false: nowhere, or a wrong '%'. */
static bool find_number(const char *path, const char **at, int *digits, int *length)
{
  *at = strchr(path, '%');
  if (!*at) return false;
  const char *c = *at + 1;
  *digits = 0;
  if (c[0] == '0' && c[1] >= '1' && c[1] <= '9') *digits = c[1] - '0', c += 2;
  *length = (int)(c + 1 - *at);
  return *c == 'd' && !strchr(c, '%');
}

/* "out_0012.hair" of "out_%04d.hair" or, when there are several frames, of "out.hair". */
static char *series_path(const sk_export *x, const format *f, int index)
{
  const char *path = x->def->path, *at;
  int digits, length;
  size_t size = strlen(path) + 64, head;
  char *out = malloc(size);
  if (!out) return NULL;
  if (find_number(path, &at, &digits, &length)) {
    head = (size_t)(at - path);
    snprintf(out, size, "%.*s%0*d%s", (int)head, path, digits, index, at + length);
  } else if (x->count > 1) {
    head = strlen(path) - (ends_with(path, f->ending[0]) ? strlen(f->ending[0]) : 0);
    snprintf(out, size, "%.*s_%04d%s", (int)head, path, index, path + head);
  } else snprintf(out, size, "%s", path);
  return out;
}

static skein_status write_one(sk_export *x, const format *f, int k)
{
  sk_view view;
  sk_out out = {0};
  skein_status s = sk_view_load(x, k, true, &view);
  char *path = s.code == SKEIN_OK ? series_path(x, f, view.f.index) : NULL;
  if (s.code == SKEIN_OK && !path) s = sk_no_memory();
  if (s.code == SKEIN_OK) s = sk_files_open(x->files, path, &out);
  if (s.code == SKEIN_OK) s = f->one(x, &view, &out);
  skein_status closed = sk_files_close(x->files, &out);
  free(path);
  sk_view_free(&view);
  return s.code == SKEIN_OK ? closed : s;
}

static skein_status write_series(sk_export *x, const format *f)
{
  skein_status s = sk_ok();
  x->steps = x->count;
  for (int k = 0; k < x->count && s.code == SKEIN_OK; k++) s = write_one(x, f, k);
  return s;
}

/* ---- The door ---- */

static skein_status check(const skein_run *run, const skein_export_def *def)
{
  int frames = skein_run_frames(run), digits, length;
  const char *at;
  if ((int)def->format < 0 || def->format >= SKEIN_FORMAT_COUNT)
    return sk_fail(SKEIN_BAD_INPUT, "format is %d, expected 0 to %d", (int)def->format, SKEIN_FORMAT_COUNT - 1);
  const format *f = &formats[def->format];
  if (!def->path || !def->path[0]) return sk_fail(SKEIN_BAD_INPUT, "no path to write to");
  if (f->one && strchr(def->path, '%') && !find_number(def->path, &at, &digits, &length))
    return sk_fail(SKEIN_BAD_INPUT, "%.200s: expected one number like %%04d in the name", def->path);
  if (!(def->unit > 1e-9 && def->unit < 1e9)) return sk_fail(SKEIN_BAD_INPUT, "unit is %g m, expected > 0", def->unit);
  if (def->rate != 0 && !(def->rate > 1e-6 && def->rate < 1e6))
    return sk_fail(SKEIN_BAD_INPUT, "rate is %g frames per second, expected > 0", def->rate);
  if (def->rate != 0 && def->format != SKEIN_USDA && def->format != SKEIN_ABC)
    return sk_fail(SKEIN_BAD_INPUT, "%s files have no frames between frames, a rate is for usda and abc", f->name);
  if (abs(def->start) > 100000000) return sk_fail(SKEIN_BAD_INPUT, "start is %d, expected at most 1e8", def->start);
  if (def->points < 0 || def->points == 1 || def->points > 65536)
    return sk_fail(SKEIN_BAD_INPUT, "points is %d, expected 0 or 2 to 65536", def->points);
  if (def->bodies && !f->bodies) return sk_fail(SKEIN_BAD_INPUT, "%s files hold no bodies", f->name);
  if (def->contacts && !f->contacts) return sk_fail(SKEIN_BAD_INPUT, "%s files hold no contacts", f->name);
  int last = def->last < 0 ? frames - 1 : def->last;
  if (frames < 1) return sk_fail(SKEIN_BAD_INPUT, "the run has no frames yet");
  if (def->first < 0 || def->first > last || last >= frames || def->step < 1)
    return sk_fail(SKEIN_BAD_INPUT, "frames %d:%d:%d are asked for, the run has 0 to %d", def->first, last, def->step,
                   frames - 1);
  return sk_ok();
}

/* The hairs that are wanted, tied to their guides in frame 0. */
static skein_status make_hairs(const skein_run *run, const skein_scene *scene, const skein_export_def *def,
                               skein_hairs **hairs)
{
  skein_frame first = {0};
  if (!def->hairs) return sk_ok();
  skein_hairs_def wanted = *def->hairs;
  if (def->points > 0) wanted.points = def->points;
  skein_status s = skein_run_frame(run, 0, &first);
  if (s.code == SKEIN_OK) s = skein_hairs_create(scene, &first, &wanted, hairs);
  skein_frame_destroy(&first);
  return s;
}

static skein_status make_look(const skein_run *run, const skein_export_def *def, skein_look **look, skein_hairs **hairs)
{
  skein_scene *scene = NULL;
  skein_status s = skein_scene_parse(skein_run_source(run), "scene of the run", skein_run_folder(run), NULL, 0, &scene);
  if (s.code == SKEIN_OK) s = skein_look_create(scene, look);
  if (s.code == SKEIN_OK) s = make_hairs(run, scene, def, hairs);
  if (s.code != SKEIN_OK) skein_look_destroy(*look), *look = NULL;
  skein_scene_destroy(scene);
  return s;
}

skein_status skein_export(const skein_run *run, const skein_export_def *def, skein_export_info *info)
{
  skein_look *look = NULL;
  skein_hairs *hairs = NULL;
  sk_files files = {0};
  skein_export_info nothing;
  if (!info) info = &nothing;
  *info = (skein_export_info){0};
  skein_status s = check(run, def);
  if (s.code == SKEIN_OK) s = make_look(run, def, &look, &hairs);
  if (s.code != SKEIN_OK) return s;
  const format *f = &formats[def->format];
  int last = def->last < 0 ? skein_run_frames(run) - 1 : def->last;
  sk_export x = {.run = run,
                 .def = def,
                 .look = look,
                 .hairs = hairs,
                 .files = &files,
                 .first = def->first,
                 .step = def->step,
                 .count = (last - def->first) / def->step + 1,
                 .scale = 1 / def->unit};
  x.steps = x.count;
  s = sk_topology_make(&x);
  if (s.code == SKEIN_OK) s = f->all ? f->all(&x) : write_series(&x, f);
  int written = files.count;
  if (s.code == SKEIN_OK) s = sk_files_commit(&files);
  else sk_files_discard(&files);
  if (s.code == SKEIN_OK) *info = (skein_export_info){.frames = x.count, .files = written, .bytes = files.bytes};
  else if (x.stopped) info->stopped = true, s = sk_ok();
  if (s.code == SKEIN_OK && !x.stopped && def->progress) def->progress(x.steps, x.steps, def->user);
  sk_topology_free(&x.topology);
  sk_ring_free(&x);
  skein_hairs_destroy(hairs);
  skein_look_destroy(look);
  return s;
}
