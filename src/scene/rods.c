/* Rods: one entry of the file is one rod, a bundle, a grid, the strands of a file (strands.c) or hair (groom.c). */
#include "scene/rods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const entry_fields[] = {
    "name",    "model", "elements",  "twist_locked", "material", "group", "length", "natural",
    "initial", "root",  "tip",       "velocity",     "bundle",   "grid",  "file",   "points",
    "count",   "scale", "alignment", "tip_factor",   "groom",    "start", "up"};

/* ---- The list ---- */

bool sk_rods_reserve(sk_reader *r, const sk_at *at, int64_t more)
{
  skein_scene *s = r->scene;
  int64_t need = s->rod_count + more;
  if (sk_failed(r)) return false;
  if (need > SK_MOST_RODS)
    return sk_at_fail(r, at, "makes %lld rods in all, expected at most %d", (long long)need, SK_MOST_RODS), false;
  if (need <= r->rod_room) return true;
  int room = (int)SK_MAX(need, SK_MIN(2 * (int64_t)r->rod_room, SK_MOST_RODS));
  sk_scene_rod *grown = realloc(s->rods, sizeof *grown * (size_t)room);
  if (!grown) return r->status = sk_no_memory(), false;
  s->rods = grown, r->rod_room = room;
  return true;
}

/* What the rod room refuses is said at the field that it names, where the entry has that field. */
static void check(sk_reader *r, const sk_at *entry, const skein_rod_def *def)
{
  skein_status s = skein_rod_def_check(def);
  char word[32];
  size_t n = strspn(s.message, "abcdefghijklmnopqrstuvwxyz_");
  if (s.code == SKEIN_OK || sk_failed(r)) return;
  snprintf(word, sizeof word, "%.*s", (int)SK_MIN(n, sizeof word - 1), s.message);
  sk_at at = sk_at_get(entry, word);
  if (at.value && s.message[n] == ' ') memmove(s.message, s.message + n + 1, strlen(s.message + n + 1) + 1);
  sk_at_refuse(r, at.value ? &at : entry, s);
}

void sk_rods_add(sk_reader *r, const sk_at *entry, const sk_scene_rod *rod, int number)
{
  size_t size = strlen(rod->name) + 16;
  check(r, entry, &rod->def);
  char *name = number < 0 ? NULL : sk_reader_alloc(r, size, 1);
  if (sk_failed(r)) return;
  if (name) snprintf(name, size, "%s[%d]", rod->name, number);
  r->scene->rods[r->scene->rod_count] = *rod;
  if (name) r->scene->rods[r->scene->rod_count].name = name;
  r->scene->rod_count++;
}

/* ---- Ends ---- */

static const char *const end_types[] = {[SKEIN_FREE] = "free", [SKEIN_PINNED] = "pinned", [SKEIN_CLAMPED] = "clamped"};

/* Body and motion of an end that is held. */
static void read_hold(sk_reader *r, const sk_at *end, skein_rod_end type, int *body, sk_path *path)
{
  sk_at named = sk_at_get(end, "body"), motion = sk_at_get(end, "motion");
  *body = sk_get_body(r, end);
  *path = sk_get_end_path(r, end);
  if (named.value && type == SKEIN_FREE) sk_at_fail(r, &named, "the end is free, expected 'pinned' or 'clamped'");
  if (*body >= 0 && r->scene->bodies[*body].mode == SK_DYNAMIC)
    sk_at_fail(r, &named, "'%.60s' is dynamic, held ends need a static or prescribed body",
               r->scene->bodies[*body].name);
  if (motion.value && type == SKEIN_FREE) sk_at_fail(r, &motion, "the end is free, expected 'pinned' or 'clamped'");
  if (motion.value && named.value) sk_at_fail(r, &motion, "stands beside 'body', expected one of them");
}

static skein_pose read_pose(sk_reader *r, const sk_at *root)
{
  skein_pose pose = skein_default_pose();
  sk_at at = sk_at_get(root, "normal");
  sk_vec3 t = sk_get_direction(r, root, "direction", sk_vec(0, 0, -1));
  sk_vec3 n = at.value ? sk_get_direction(r, root, "normal", t) : sk_perpendicular(t);
  sk_vec3 across = sk_axpy(n, -sk_dot(n, t), t);
  if (!sk_failed(r) && !(sk_norm(across) > 1e-6)) sk_at_fail(r, &at, "is along 'direction', expected one across it");
  if (sk_failed(r)) return pose;
  sk_vec3 d1 = sk_unit(across);
  sk_store3(pose.r, sk_get_vector(r, root, "position", SK_LENGTH, sk_vec(0, 0, 0)));
  sk_store3(pose.d[0], d1), sk_store3(pose.d[1], sk_cross(t, d1)), sk_store3(pose.d[2], t);
  return pose;
}

static void read_root(sk_reader *r, const sk_at *entry, sk_scene_rod *rod)
{
  static const char *const fields[] = {"type", "position", "direction", "normal", "body", "motion"};
  sk_at at = sk_at_get(entry, "root");
  if (at.value && !sk_at_object(r, &at, fields, SK_COUNT(fields))) return;
  rod->def.root = (skein_rod_end)sk_get_choice(r, &at, "type", "type of end", end_types, 3, SKEIN_CLAMPED);
  rod->def.pose = read_pose(r, &at);
  read_hold(r, &at, rod->def.root, &rod->root_body, &rod->root_path);
}

static void read_tip(sk_reader *r, const sk_at *entry, sk_scene_rod *rod)
{
  static const char *const fields[] = {"type", "body", "motion"};
  sk_at at = sk_at_get(entry, "tip");
  if (at.value && !sk_at_object(r, &at, fields, SK_COUNT(fields))) return;
  rod->def.tip = (skein_rod_end)sk_get_choice(r, &at, "type", "type of end", end_types, 3, SKEIN_FREE);
  read_hold(r, &at, rod->def.tip, &rod->tip_body, &rod->tip_path);
}

/* ---- What all rods of an entry share ---- */

static void read_material(sk_reader *r, const sk_at *entry, sk_scene_rod *rod)
{
  const sk_material *m = sk_get_material(r, entry);
  skein_rod_def *d = &rod->def;
  if (!m) return;
  d->E = m->E, d->G = m->G, d->density = m->density, d->damping = m->damping, d->drag = m->drag;
  d->radius1 = m->radius1, d->radius2 = m->radius2;
  rod->material = (int)(m - r->materials);
  rod->radius = m->collision_radius > 0 ? m->collision_radius : sqrt(m->radius1 * m->radius2);
}

static void read_model(sk_reader *r, const sk_at *entry, skein_rod_def *d)
{
  const char *models[SKEIN_ROD_MODEL_COUNT];
  sk_at locked = sk_at_get(entry, "twist_locked");
  for (int k = 0; k < SKEIN_ROD_MODEL_COUNT; k++) models[k] = skein_rod_model_name((skein_rod_model)k);
  d->model = (skein_rod_model)sk_get_choice(r, entry, "model", "model", models, SKEIN_ROD_MODEL_COUNT, (int)d->model);
  d->elements = sk_get_int(r, entry, "elements", 1, 100000, sk_rod_model_elements(d->model));
  d->twist_locked = sk_get_int(r, entry, "twist_locked", 0, 100000, 0);
  if (d->twist_locked && !sk_rod_model_is_curved(d->model))
    sk_at_fail(r, &locked, "is for super-helices, the model is %s", models[d->model]);
  d->alignment = sk_get_number(r, entry, "alignment", SK_FORCE, SK_POSITIVE, d->alignment);
  d->tip_factor = sk_get_number(r, entry, "tip_factor", SK_ONE, SK_POSITIVE, d->tip_factor);
}

static void read_velocity(sk_reader *r, const sk_at *entry, sk_scene_rod *rod)
{
  sk_at at = sk_at_get(entry, "velocity");
  sk_store3(rod->velocity, sk_get_vector(r, entry, "velocity", SK_SPEED, sk_vec(0, 0, 0)));
  if (at.value && sk_rod_model_is_curved(rod->def.model) && rod->def.root != SKEIN_FREE)
    sk_at_fail(r, &at, "the root of this super-helix is held, expected 'root': {'type': 'free'}");
}

/* How the rods are at the start: pushed out of bodies (in scenes that settle, unless it says no), free of sag. */
static void read_start(sk_reader *r, const sk_at *entry, sk_scene_rod *rod)
{
  static const char *const fields[] = {"outside", "sag_free"};
  sk_at at = sk_at_get(entry, "start"), free = sk_at_get(&at, "sag_free");
  if (at.value && !sk_at_object(r, &at, fields, SK_COUNT(fields))) return;
  rod->outside = sk_get_bool(r, &at, "outside", r->scene->step.settle > 0);
  rod->sag_free = sk_get_bool(r, &at, "sag_free", false);
  if (rod->sag_free && !sk_rod_model_is_curved(rod->def.model))
    sk_at_fail(r, &free, "is for super-helices, the model is %s", skein_rod_model_name(rod->def.model));
  if (rod->sag_free && rod->def.root != SKEIN_CLAMPED)
    sk_at_fail(r, &free, "needs a root that holds the rod, expected 'root': {'type': 'clamped'}");
}

static sk_scene_rod read_shared(sk_reader *r, const sk_at *entry, const char *name)
{
  sk_scene_rod rod = {.name = name, .def = skein_default_rod_def(), .root_body = -1, .tip_body = -1};
  read_material(r, entry, &rod);
  read_model(r, entry, &rod.def);
  rod.group = sk_get_group(r, entry, "rods");
  read_root(r, entry, &rod);
  read_tip(r, entry, &rod);
  read_velocity(r, entry, &rod);
  read_start(r, entry, &rod);
  return rod;
}

/* Fields that stand only where others do, and those that do not stand together. */
static bool check_fields(sk_reader *r, const sk_at *entry)
{
  static const char *const ways[] = {"bundle", "grid", "file", "points", "groom"},
                           *const of_file[] = {"count", "scale", "up"}, *const not_of_file[] = {"length", "initial"};
  const char *way = NULL;
  for (int k = 0; k < SK_COUNT(ways); k++) {
    sk_at at = sk_at_get(entry, ways[k]);
    if (at.value && way) sk_at_fail(r, &at, "stands beside '%s', expected one of them", way);
    if (at.value) way = ways[k];
  }
  bool file = sk_at_has(entry, "file");
  for (int k = 0; k < 3; k++) {
    sk_at at = sk_at_get(entry, of_file[k]);
    if (at.value && !file) sk_at_fail(r, &at, "is for rods from a 'file', the entry has none");
  }
  bool points = sk_at_has(entry, "points");
  for (int k = 0; k < 2; k++) {
    sk_at at = sk_at_get(entry, not_of_file[k]);
    if (at.value && file) sk_at_fail(r, &at, "stands beside 'file', where the strands say it");
    if (at.value && points) sk_at_fail(r, &at, "stands beside 'points', which say it");
  }
  sk_at initial = sk_at_get(entry, "initial");
  if (initial.value && sk_at_has(entry, "groom")) sk_at_fail(r, &initial, "stands beside 'groom', which says it");
  if (!file && !points) sk_at_need(r, entry, "length");
  return !sk_failed(r);
}

static void read_entry(sk_reader *r, const sk_at *entry, int index)
{
  char fallback[32];
  snprintf(fallback, sizeof fallback, "rod%d", index);
  if (!json_is_object(entry->value)) sk_at_wrong(r, entry, "an object { }");
  if (!sk_at_object(r, entry, entry_fields, SK_COUNT(entry_fields)) || !check_fields(r, entry)) return;
  sk_at named = sk_at_get(entry, "name");
  char *name = sk_reader_copy(r, sk_get_string(r, entry, "name", fallback));
  if (!name || !sk_name_take(r, r->entry_index, named.value ? &named : entry, "rods", name, index)) return;
  int first = r->scene->rod_count;
  sk_scene_rod rod = read_shared(r, entry, name);
  if (sk_at_has(entry, "file") || sk_at_has(entry, "points")) sk_rods_from_strands(r, entry, &rod);
  else if (sk_at_has(entry, "groom")) sk_rods_from_groom(r, entry, &rod);
  else {
    rod.def.length = sk_get_number(r, entry, "length", SK_LENGTH, SK_POSITIVE, 1);
    rod.def.natural = sk_get_cells(r, entry, "natural", &rod.def.naturals);
    rod.def.initial = sk_get_cells(r, entry, "initial", &rod.def.initials);
    if (!sk_failed(r)) sk_rods_expand(r, entry, &rod);
  }
  r->entries[r->entry_count++] = (sk_entry){name, first, r->scene->rod_count - first};
}

void sk_read_rods(sk_reader *r, const sk_at *root)
{
  sk_at at = sk_at_get(root, "rods");
  size_t count = sk_at_array(r, &at);
  if (count > SK_MOST_RODS) sk_at_fail(r, &at, "has %zu entries, expected at most %d", count, SK_MOST_RODS);
  r->entries = sk_failed(r) ? NULL : SK_READ_NEW(r, count, sk_entry);
  for (size_t i = 0; i < count && !sk_failed(r); i++) {
    sk_at item = sk_at_item(&at, i);
    read_entry(r, &item, (int)i);
  }
}
