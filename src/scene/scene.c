/* Scenes: a JSON file, checked, in SI. The order of reading is the order of what refers to what: units, settings,
 * materials, groups, bodies, rods, pairs, events, forces. */
#include "scene/reader.h"
#include "scene/files.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20 }; /* of a scene */

static void read_all(sk_reader *r, const sk_at *root)
{
  static const char *const fields[] = {"title",  "units",  "gravity", "wind",   "time",     "materials",
                                       "rods",   "bodies", "groups",  "pairs",  "friction", "restitution",
                                       "events", "forces", "solver",  "output", "camera",   "$schema"};
  if (!sk_at_object(r, root, fields, SK_COUNT(fields))) return;
  sk_get_string(r, root, "$schema", "");
  sk_read_units(r, root);
  sk_read_settings(r, root);
  sk_read_camera(r, root);
  sk_read_materials(r, root);
  sk_read_group_list(r, root);
  sk_read_bodies(r, root);
  sk_read_rods(r, root);
  sk_read_pairs(r, root);
  sk_rods_push_out(r);
  sk_read_events(r, root);
  sk_read_forces(r, root);
  sk_check_rigid(r, root);
  sk_find_warnings(r, root);
  if (!sk_failed(r) && !r->scene->rod_count && !r->scene->body_count)
    sk_at_fail(r, root, "the scene is empty, expected 'rods' or 'bodies'");
}

/* Rods leave the heap, where they grew, for the arena. */
static void settle(sk_reader *r)
{
  skein_scene *s = r->scene;
  sk_scene_rod *grown = s->rods;
  s->rods = sk_failed(r) ? NULL : SK_READ_NEW(r, s->rod_count, sk_scene_rod);
  if (s->rods && s->rod_count) memcpy(s->rods, grown, sizeof *grown * (size_t)s->rod_count);
  free(grown);
}

/* jansson's message, with the line. */
static skein_status syntax(const char *name, const json_error_t *e)
{
  char text[200], plain[JSON_ERROR_TEXT_LENGTH];
  size_t used = 0;
  if (json_error_code(e) == json_error_out_of_memory) return sk_no_memory();
  for (const char *c = e->text; *c; c++)
    if (*c != '"') plain[used++] = *c; /* it quotes what it quotes */
  plain[used] = 0;
  return sk_fail(SKEIN_BAD_INPUT, "%.150s:%d: not JSON: %s", name, e->line > 0 ? e->line : 1,
                 sk_safe(plain, text, sizeof text));
}

static skein_status load(const char *text, const char *name, json_t **root)
{
  json_error_t error;
  *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!*root) return syntax(name, &error);
  if (json_is_object(*root)) return sk_ok();
  json_decref(*root), *root = NULL;
  return sk_fail(SKEIN_BAD_INPUT, "%.150s:1: expected an object { }, found a list", name);
}

static skein_status fill(skein_scene *scene, const char *name, const char *folder, char **sets, int set_count)
{
  sk_reader r = {.scene = scene,
                 .arena = &scene->arena,
                 .name = name,
                 .folder = folder,
                 .text = scene->source,
                 .sets = sets,
                 .set_count = set_count};
  sk_at root = {0};
  r.status = load(scene->source, name, &root.value);
  r.group_index = json_object(), r.body_index = json_object(), r.entry_index = json_object();
  if (!sk_failed(&r) && (!r.group_index || !r.body_index || !r.entry_index)) r.status = sk_no_memory();
  if (!sk_failed(&r)) read_all(&r, &root);
  settle(&r);
  json_decref(r.group_index), json_decref(r.body_index), json_decref(r.entry_index);
  json_decref(root.value);
  return r.status;
}

/* The text with the sets in it, in the arena. */
static skein_status edit(skein_scene *scene, const char *text, const char *name, const char *folder,
                         const char *const *sets, int count, char ***paths)
{
  json_t *root;
  skein_status s = load(text, name, &root);
  if (s.code != SKEIN_OK) return s;
  json_decref(root);
  char *edited = strdup(text);
  if (!edited) return sk_no_memory();
  s = sk_sets_apply(&edited, name, folder, sets, count, &scene->arena, paths);
  if (s.code == SKEIN_OK) {
    scene->source = SK_NEW_RAW(&scene->arena, strlen(edited) + 1, char);
    if (scene->source) memcpy(scene->source, edited, strlen(edited) + 1);
    else s = sk_no_memory();
  }
  free(edited);
  return s;
}

static skein_status list_names(skein_scene *scene)
{
  scene->names = SK_NEW(&scene->arena, scene->rod_count + scene->body_count, const char *);
  if (!scene->names) return sk_no_memory();
  for (int i = 0; i < scene->rod_count; i++) scene->names[i] = scene->rods[i].name;
  for (int i = 0; i < scene->body_count; i++) scene->names[scene->rod_count + i] = scene->bodies[i].name;
  return sk_ok();
}

skein_status skein_scene_parse_until(const char *text, const char *name, const char *folder, const char *const *sets,
                                     int set_count, skein_stop stop, skein_scene **out)
{
  char **paths = NULL;
  *out = NULL;
  skein_scene *scene = sk_calloc(1, sizeof *scene);
  if (!scene) return sk_no_memory();
  scene->stop.by = stop;
  skein_status s = edit(scene, text, name, folder, sets, set_count, &paths);
  if (s.code == SKEIN_OK) s = fill(scene, name, folder, paths, set_count);
  if (s.code == SKEIN_OK) s = list_names(scene);
  if (s.code != SKEIN_OK) skein_scene_destroy(scene);
  else *out = scene;
  return s;
}

skein_status skein_scene_parse(const char *text, const char *name, const char *folder, const char *const *sets,
                               int set_count, skein_scene **out)
{
  return skein_scene_parse_until(text, name, folder, sets, set_count, (skein_stop){0}, out);
}

skein_status skein_scene_read_until(const char *path, const char *const *sets, int set_count, skein_stop stop,
                                    skein_scene **out)
{
  char *text;
  size_t size;
  *out = NULL;
  skein_status s = sk_file_read(path, MOST_BYTES, &text, &size);
  if (s.code != SKEIN_OK) return sk_status_prefix(s, path);
  char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
  if (!folder) s = sk_no_memory();
  else if (strlen(text) != size) s = sk_fail(SKEIN_BAD_INPUT, "%.200s: not JSON: has a zero byte", path);
  else {
    if (slash) slash[slash == folder] = 0;
    else folder[0] = 0;
    s = skein_scene_parse_until(text, path, folder, sets, set_count, stop, out);
  }
  free(folder), free(text);
  return s;
}

skein_status skein_scene_read(const char *path, const char *const *sets, int set_count, skein_scene **out)
{
  return skein_scene_read_until(path, sets, set_count, (skein_stop){0}, out);
}

void skein_scene_destroy(skein_scene *scene)
{
  if (!scene) return;
  for (int i = 0; i < scene->mesh_count; i++) sk_mesh_destroy(scene->meshes[i]);
  for (int i = 0; i < scene->cache_count; i++) sk_cache_destroy(scene->caches[i]);
  for (int i = 0; i < scene->tube_count; i++) sk_tube_destroy(scene->tubes[i]);
  sk_arena_free(&scene->arena);
  free(scene);
}

skein_manifest skein_scene_manifest(const skein_scene *scene)
{
  return (skein_manifest){.source = scene->source,
                          .title = scene->title,
                          .fps = scene->output.fps,
                          .rods = scene->rod_count,
                          .bodies = scene->body_count,
                          .name = scene->names};
}

const char *skein_scene_source(const skein_scene *scene)
{
  return scene->source;
}

const char *skein_scene_title(const skein_scene *scene)
{
  return scene->title;
}

double skein_scene_duration(const skein_scene *scene)
{
  return scene->duration;
}

double skein_scene_fps(const skein_scene *scene)
{
  return scene->output.fps;
}

bool skein_scene_every_step(const skein_scene *scene)
{
  return scene->output.every_step;
}

int skein_scene_checkpoint_every(const skein_scene *scene)
{
  return scene->output.checkpoint_every;
}

int skein_scene_rods(const skein_scene *scene)
{
  return scene->rod_count;
}

int skein_scene_bodies(const skein_scene *scene)
{
  return scene->body_count;
}

const char *skein_scene_name(const skein_scene *scene, int object)
{
  bool there = object >= 0 && object < scene->rod_count + scene->body_count;
  return there ? scene->names[object] : NULL;
}

skein_start_info skein_scene_start(const skein_scene *scene)
{
  skein_start_info s = {.rods = scene->rod_count, .guessed = scene->guessed, .guessed_metres = scene->guessed_metres};
  for (int i = 0; i < scene->rod_count; i++) {
    const sk_scene_rod *rod = scene->rods + i;
    if (rod->fitted) {
      if (!s.fitted || rod->fit > s.fit_most) s.fit_most = rod->fit, s.fit_worst = rod->name;
      s.fitted++, s.fit_mean += rod->fit, s.share_mean += rod->fit / rod->def.length;
      s.share_most = fmax(s.share_most, rod->fit / rod->def.length);
    }
    if (rod->moved > 0) s.moved++, s.moved_most = fmax(s.moved_most, rod->moved);
    if (rod->inside > 0) {
      if (rod->inside > s.inside_most)
        s.inside_most = rod->inside, s.inside_worst = rod->name, s.inside_body = scene->bodies[rod->inside_body].name;
      s.inside++;
    }
  }
  if (s.fitted) s.fit_mean /= s.fitted, s.share_mean /= s.fitted;
  return s;
}
