/* Values that a scene may have but hardly was meant to: moduli in GPa where Pa are expected, a groom in centimetres on
 * a head in metres. A value is compared with its usual range, wide enough for all that the rod models describe; where
 * the same number in another unit would be usual, that unit is named. Nothing is refused. */
#include "scene/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WARNINGS = 50, MOST_UNITS = 4, FIELD = 160, TEXT = 320 };

typedef struct unit {
  const char *name;
  double si;
} unit;

typedef struct usual {
  sk_dimension dimension;
  double low, high; /* SI */
  const char *unit;
  unit others[MOST_UNITS]; /* in which the number may have been meant, likeliest first */
} usual;

static const usual modulus = {SK_PRESSURE, 1e4, 1e12, "Pa", {{"GPa", 1e9}, {"MPa", 1e6}, {"kPa", 1e3}}};
static const usual density = {SK_DENSITY, 20, 25000, "kg/m^3", {{"g/cm^3", 1e3}}};
static const usual damping = {SK_TIME, 0, 1, "s", {{"ms", 1e-3}}};
static const usual time_step = {SK_TIME, 1e-7, 0.05, "s", {{"ms", 1e-3}, {"us", 1e-6}}};
static const usual tolerance = {SK_ONE, 1e-15, 0.02, "", {{0}}};
static const usual coulomb = {SK_ONE, 0, 5, "", {{"percent", 1e-2}}};
static const usual gravity = {SK_ACCELERATION, 0.1, 100, "m/s^2", {{"m/s^2", 1}, {"cm/s^2", 1e-2}, {"mm/s^2", 1e-3}}};
static const usual thickness = {SK_LENGTH, 1e-7, 0, "m", {{"mm", 1e-3}, {"um", 1e-6}, {"cm", 1e-2}}};
static const usual length = {SK_LENGTH, 0, 0, "m", {{"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}}};

/* ---- The list ---- */

/* Adds to the text. */
__attribute__((format(printf, 2, 3))) static void tell(char *text, const char *format, ...)
{
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, TEXT - used, format, args);
  va_end(args);
}

/* The unit in which the number would be usual; NULL: none. */
static const unit *find_meant(const usual *u, double written, double value)
{
  for (int k = 0; k < MOST_UNITS && u->others[k].name; k++) {
    double meant = written * u->others[k].si;
    if (meant != value && meant >= u->low && meant <= u->high) return &u->others[k];
  }
  return NULL;
}

/* what: the subject of the sentence, NULL: the field, else what 'scale' scales. written: the number in the file; said:
 * what would be written instead, per metre (second, ...) of the other unit. why: of the range, may be empty. */
static void add(sk_reader *r, const sk_at *at, const usual *u, double value, double written, double said,
                const char *what, const char *why)
{
  skein_scene *s = r->scene;
  if (sk_failed(r) || s->warning_count == MOST_WARNINGS) return;
  if (!s->warnings) s->warnings = SK_READ_NEW(r, MOST_WARNINGS, skein_warning);
  char field[FIELD], text[TEXT] = "";
  const unit *meant = find_meant(u, written, value);
  sk_at_path(at, field, sizeof field);
  skein_warning w = {.line = sk_at_line(r, at),
                     .value = value,
                     .low = u->low,
                     .high = u->high,
                     .unit = u->unit,
                     .meant = meant ? meant->name : "",
                     .instead = meant ? said * meant->si : NAN};
  tell(text, "%s is %.4g%s%s, usual is %.3g to %.3g%s%s%s", what ? what : field, value, u->unit[0] ? " " : "", u->unit,
       u->low, u->high, u->unit[0] ? " " : "", u->unit, why);
  if (meant) tell(text, "; if it was meant in %s, write %.4g%s", meant->name, w.instead, what ? " as its 'scale'" : "");
  w.field = sk_reader_copy(r, field), w.text = sk_reader_copy(r, text);
  if (!sk_failed(r)) s->warnings[s->warning_count++] = w;
}

/* Zero is a choice, not a mistake. */
static void check(sk_reader *r, const sk_at *object, const char *key, const usual *u, const char *why)
{
  sk_at at = sk_at_get(object, key);
  if (!json_is_number(at.value)) return;
  double written = json_number_value(at.value), value = written * r->factor[u->dimension];
  if (value == 0 || (value >= u->low && value <= u->high)) return;
  add(r, &at, u, value, written, 1 / r->factor[u->dimension] * written, NULL, why);
}

/* ---- What is looked at ---- */

static void check_gravity(sk_reader *r, const sk_at *root)
{
  sk_at at = sk_at_get(root, "gravity");
  double value = sk_norm(sk_load3(r->scene->env.gravity)), written = value / r->factor[SK_ACCELERATION];
  if (!at.value || value == 0 || (value >= gravity.low && value <= gravity.high)) return;
  add(r, &at, &gravity, value, written, written / r->factor[SK_ACCELERATION], NULL, "");
}

/* The longest rod of a material; 0: none. */
static double longest(const skein_scene *s, int material)
{
  double most = 0;
  for (int i = 0; i < s->rod_count; i++)
    if (s->rods[i].material == material) most = fmax(most, s->rods[i].def.length);
  return most;
}

static void check_materials(sk_reader *r, const sk_at *root)
{
  sk_at all = sk_at_get(root, "materials");
  const char *key;
  json_t *value;
  json_object_foreach(all.value, key, value)
  {
    sk_at at = {value, &all, key, 0};
    int material = 0;
    while (material < r->material_count && strcmp(r->materials[material].name, key) != 0) material++;
    double most = material < r->material_count ? longest(r->scene, material) : 0;
    if (!(most > 0)) continue;
    usual radius = thickness;
    radius.high = 0.1 * most;
    const char *why = " (a tenth of its longest rod)";
    check(r, &at, "E", &modulus, ""), check(r, &at, "G", &modulus, "");
    check(r, &at, "density", &density, ""), check(r, &at, "damping", &damping, "");
    check(r, &at, "radius", &radius, why), check(r, &at, "collision_radius", &radius, why);
  }
}

static void check_friction(sk_reader *r, const sk_at *root)
{
  sk_at pairs = sk_at_get(root, "pairs");
  check(r, root, "friction", &coulomb, "");
  for (size_t i = 0; i < json_array_size(pairs.value); i++) {
    sk_at item = sk_at_item(&pairs, i);
    check(r, &item, "mu", &coulomb, "");
  }
}

/* Size of what the rods of an entry grow on; 0: on nothing, or it has no end. */
static double size_of_root(const skein_scene *s, const sk_scene_rod *rod)
{
  sk_vec3 lo, hi;
  if (rod->root_body < 0) return 0;
  sk_shape_bounds(&s->bodies[rod->root_body].shape, &s->bodies[rod->root_body].pose, &lo, &hi);
  double size = fmax(hi.x - lo.x, fmax(hi.y - lo.y, hi.z - lo.z));
  return size < 1e6 ? size : 0;
}

/* Hair that is many times as long as the head that it grows on, or a rod as long as a street. */
static void check_entry(sk_reader *r, const sk_at *entry, const sk_entry *e)
{
  const skein_scene *s = r->scene;
  bool file = sk_at_has(entry, "file"), points = sk_at_has(entry, "points");
  sk_at at = sk_at_get(entry, file ? "file" : points ? "points" : "length");
  double most = 0, size = size_of_root(s, s->rods + e->first), metres = r->factor[SK_LENGTH];
  double scale = file ? sk_get_number(r, entry, "scale", SK_ONE, SK_POSITIVE, 1) : 1;
  char field[FIELD], what[FIELD + 40], why[120] = "";
  usual u = length;
  for (int k = 0; k < e->count; k++) most = fmax(most, s->rods[e->first + k].def.length);
  u.low = size > 0 ? size / 200 : 1e-5, u.high = size > 0 ? 10 * size : 1000;
  if (most >= u.low && most <= u.high) return;
  if (points) u.others[0].name = NULL; /* many numbers: none to be written instead */
  if (size > 0) snprintf(why, sizeof why, " on '%.40s' of %.3g m", s->bodies[s->rods[e->first].root_body].name, size);
  sk_at_path(&at, field, sizeof field);
  snprintf(what, sizeof what, "%s: the longest rod", field);
  add(r, &at, &u, most, most / metres / scale, (file ? 1 : most / metres) / metres, file || points ? what : NULL, why);
}

static void check_rods(sk_reader *r, const sk_at *root)
{
  sk_at rods = sk_at_get(root, "rods");
  for (int i = 0; i < r->entry_count; i++) {
    sk_at entry = sk_at_item(&rods, (size_t)i);
    if (r->entries[i].count > 0) check_entry(r, &entry, r->entries + i);
  }
}

void sk_find_warnings(sk_reader *r, const sk_at *root)
{
  sk_at time = sk_at_get(root, "time"), solver = sk_at_get(root, "solver");
  if (sk_failed(r)) return;
  check_gravity(r, root);
  check(r, &time, "dt", &time_step, "");
  check_materials(r, root);
  check_rods(r, root);
  check_friction(r, root);
  check(r, &solver, "tol", &tolerance, "");
}

const skein_warning *skein_scene_warnings(const skein_scene *scene, int *count)
{
  *count = scene->warning_count;
  return scene->warnings;
}
