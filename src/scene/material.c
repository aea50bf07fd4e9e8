/* Materials: what a fibre is made of, from scratch or from a preset. Hair after Bertails et al. 2006 and the
 * measurements quoted in docs/scene.md; the modulus of rope is that of its bending (yarns slide), not of its
 * stretching. */
#include "scene/reader.h"

#include <math.h>
#include <string.h>

/* area: m^2; aspect: long over short axis of the section. */
typedef struct preset {
  const char *name;
  double E, G, density, area, aspect, damping;
  const char *colour;
} preset;

static const preset presets[] = {
    {"hair-asian", 3.89e9, 0.89e9, 1320, 5063e-12, 1.29, 1e-3, "#231a16"},
    {"hair-caucasian", 3.89e9, 0.89e9, 1320, 4079e-12, 1.41, 1e-3, "#7a5230"},
    {"hair-african", 3.89e9, 0.89e9, 1320, 4210e-12, 1.66, 1e-3, "#1c1512"},
    {"spaghetti-cooked", 5e5, 5e5 / 3, 1050, SK_PI * 1e-6, 1, 5e-3, "#ecd08a"},
    {"spaghetti-dry", 5e9, 5e9 / 2.6, 1500, SK_PI * 0.85e-3 * 0.85e-3, 1, 1e-4, "#e0ae52"},
    {"rope", 1e7, 1e7 / 3, 900, SK_PI * 4e-3 * 4e-3, 1, 5e-3, "#b8935f"},
};

enum { PRESETS = SK_COUNT(presets), DEFAULT_PRESET = 1 };

static sk_material make_preset(int k)
{
  const preset *p = &presets[k];
  double b = sqrt(p->area / (SK_PI * p->aspect));
  return (sk_material){.name = p->name,
                       .E = p->E,
                       .G = p->G,
                       .density = p->density,
                       .radius1 = p->aspect * b,
                       .radius2 = b,
                       .damping = p->damping,
                       .colour = sk_colour_hex(p->colour)};
}

static void read_section(sk_reader *r, const sk_at *at, sk_material *m)
{
  sk_at radii = sk_at_get(at, "radii");
  if (sk_at_has(at, "radius")) {
    if (radii.value) sk_at_fail(r, &radii, "stands beside 'radius', expected one of them");
    m->radius1 = m->radius2 = sk_get_number(r, at, "radius", SK_LENGTH, SK_POSITIVE, 0);
  } else if (radii.value) {
    double pair[2];
    sk_at first = sk_at_item(&radii, 0), second = sk_at_item(&radii, 1);
    if (!sk_at_numbers(r, &radii, SK_LENGTH, 2, pair)) return;
    m->radius1 = sk_at_number(r, &first, SK_LENGTH, SK_POSITIVE);
    m->radius2 = sk_at_number(r, &second, SK_LENGTH, SK_POSITIVE);
  }
}

/* G by itself, from Poisson's ratio, or in the preset's proportion to E (without a preset: nu = 1/2, G = E/3). */
static void read_moduli(sk_reader *r, const sk_at *at, sk_material *m)
{
  double ratio = m->E > 0 ? m->G / m->E : 1.0 / 3;
  sk_at poisson = sk_at_get(at, "poisson");
  m->E = sk_get_number(r, at, "E", SK_PRESSURE, SK_POSITIVE, m->E);
  m->G = sk_get_number(r, at, "G", SK_PRESSURE, SK_POSITIVE, ratio * m->E);
  if (!poisson.value) return;
  double nu = sk_get_number(r, at, "poisson", SK_ONE, SK_ANY, 0.5);
  if (sk_at_has(at, "G")) sk_at_fail(r, &poisson, "stands beside 'G', expected one of them");
  if (!(nu > -1 && nu <= 0.5)) sk_at_fail(r, &poisson, "is %g, expected above -1, to 0.5 (beyond: give 'G')", nu);
  m->G = m->E / (2 * (1 + nu));
}

/* Whether the material says by itself what it must. */
static bool is_whole(const sk_at *at)
{
  return sk_at_has(at, "E") && sk_at_has(at, "density") && (sk_at_has(at, "radius") || sk_at_has(at, "radii"));
}

/* The preset that a material begins with: the one it names, or the one of its own name, whose other fields it leaves;
 * -1: none. */
static int find_preset(sk_reader *r, const sk_at *at)
{
  const char *names[PRESETS];
  int own = -1;
  for (int k = 0; k < PRESETS; k++) {
    names[k] = presets[k].name;
    if (!strcmp(at->key, names[k])) own = k;
  }
  return sk_get_choice(r, at, "preset", "preset", names, PRESETS, is_whole(at) ? -1 : own);
}

static sk_material read_material(sk_reader *r, const sk_at *at, int index)
{
  static const char *const fields[] = {"preset", "E",       "G",    "poisson",          "density", "radius",
                                       "radii",  "damping", "drag", "collision_radius", "colour"};
  sk_material m = {.colour = sk_colour_pick(index)};
  if (!sk_at_object(r, at, fields, SK_COUNT(fields))) return m;
  int k = find_preset(r, at);
  if (k >= 0) m = make_preset(k);
  else if (!sk_at_need(r, at, "E") || !sk_at_need(r, at, "density")) return m;
  if (k < 0 && !sk_at_has(at, "radius") && !sk_at_need(r, at, "radii")) return m;
  read_moduli(r, at, &m);
  read_section(r, at, &m);
  m.density = sk_get_number(r, at, "density", SK_DENSITY, SK_POSITIVE, m.density);
  m.damping = sk_get_number(r, at, "damping", SK_TIME, SK_NOT_NEGATIVE, m.damping);
  m.drag = sk_get_number(r, at, "drag", SK_DRAG, SK_NOT_NEGATIVE, m.drag);
  m.collision_radius = sk_get_number(r, at, "collision_radius", SK_LENGTH, SK_POSITIVE, 0);
  m.colour = sk_get_colour(r, at, m.colour);
  return m;
}

/* Those of the file first: they hide presets of the same name. */
void sk_read_materials(sk_reader *r, const sk_at *root)
{
  sk_at at = sk_at_get(root, "materials");
  if (sk_failed(r)) return;
  if (at.value && !json_is_object(at.value)) {
    sk_at_wrong(r, &at, "an object { }");
    return;
  }
  r->materials = SK_READ_NEW(r, json_object_size(at.value) + PRESETS, sk_material);
  const char *key;
  json_t *value;
  json_object_foreach(at.value, key, value)
  {
    sk_at item = {value, &at, key, 0};
    if (sk_failed(r)) return;
    if (!strcmp(key, "comment") && json_is_string(value)) continue;
    if (!json_is_object(value)) sk_at_wrong(r, &item, "an object { }");
    sk_material m = read_material(r, &item, r->material_count);
    m.name = sk_reader_copy(r, key);
    r->materials[r->material_count++] = m;
  }
  for (int k = 0; k < PRESETS && !sk_failed(r); k++) r->materials[r->material_count++] = make_preset(k);
  r->scene->materials = SK_READ_NEW(r, r->material_count, sk_scene_material);
  if (sk_failed(r)) return;
  r->scene->material_count = r->material_count;
  for (int k = 0; k < r->material_count; k++)
    r->scene->materials[k] = (sk_scene_material){r->materials[k].name, r->materials[k].colour};
}

const sk_material *sk_get_material(sk_reader *r, const sk_at *rod)
{
  const char *name = sk_get_string(r, rod, "material", presets[DEFAULT_PRESET].name);
  sk_at at = sk_at_get(rod, "material");
  if (sk_failed(r)) return NULL;
  for (int k = 0; k < r->material_count; k++)
    if (!strcmp(r->materials[k].name, name)) return &r->materials[k];
  const char **names = SK_READ_NEW(r, r->material_count, const char *);
  for (int k = 0; names && k < r->material_count; k++) names[k] = r->materials[k].name;
  if (names) sk_at_unknown(r, &at, "material", name, names, r->material_count);
  return NULL;
}
