/* Typed reads of fields: numbers with units and bounds, vectors, rotations, words. All numbers are in SI when they
 * leave here, and within 1e-15 .. 1e15 or zero, so that products of a few of them are finite. */
#include "scene/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double smallest = 1e-15, largest = 1e15;

static const char *bound_text(sk_bound b)
{
  static const char *const text[] = {"a number", "a number >= 0", "a number > 0", "a number from 0 to 1"};
  return text[b];
}

static bool in_bound(double x, sk_bound b)
{
  return b == SK_ANY || (b == SK_NOT_NEGATIVE && x >= 0) || (b == SK_POSITIVE && x > 0) ||
         (b == SK_SHARE && x >= 0 && x <= 1);
}

double sk_at_number(sk_reader *r, const sk_at *at, sk_dimension unit, sk_bound bound)
{
  if (sk_failed(r)) return 0;
  if (!json_is_number(at->value)) return sk_at_wrong(r, at, bound_text(bound)), 0;
  double written = json_number_value(at->value), x = written * r->factor[unit];
  if (!in_bound(written, bound)) sk_at_fail(r, at, "is %g, expected %s", written, bound_text(bound));
  else if (!(fabs(x) <= largest)) sk_at_fail(r, at, "is %g (%g in SI units), expected at most 1e15", written, x);
  else if (bound == SK_POSITIVE && x < smallest)
    sk_at_fail(r, at, "is %g (%g in SI units), expected at least 1e-15", written, x);
  return sk_failed(r) ? 0 : x;
}

double sk_get_number(sk_reader *r, const sk_at *object, const char *key, sk_dimension unit, sk_bound bound,
                     double fallback)
{
  sk_at at = sk_at_get(object, key);
  return at.value && !sk_failed(r) ? sk_at_number(r, &at, unit, bound) : fallback;
}

size_t sk_at_numbers(sk_reader *r, const sk_at *at, sk_dimension unit, size_t count, double *out)
{
  char expected[40];
  snprintf(expected, sizeof expected, "a list of %zu numbers", count);
  if (sk_failed(r)) return 0;
  if (!json_is_array(at->value) || json_array_size(at->value) != count) return sk_at_wrong(r, at, expected), 0;
  for (size_t i = 0; i < count; i++) {
    sk_at item = sk_at_item(at, i);
    out[i] = sk_at_number(r, &item, unit, SK_ANY);
  }
  return sk_failed(r) ? 0 : count;
}

sk_vec3 sk_get_vector(sk_reader *r, const sk_at *object, const char *key, sk_dimension unit, sk_vec3 fallback)
{
  double x[3];
  sk_at at = sk_at_get(object, key);
  return at.value && sk_at_numbers(r, &at, unit, 3, x) ? sk_load3(x) : fallback;
}

sk_vec3 sk_get_direction(sk_reader *r, const sk_at *object, const char *key, sk_vec3 fallback)
{
  sk_at at = sk_at_get(object, key);
  sk_vec3 d = sk_get_vector(r, object, key, SK_ONE, fallback);
  double n = sk_norm(d);
  if (!sk_failed(r) && !(n >= smallest)) sk_at_fail(r, &at, "has no length, expected a direction");
  return n > 0 ? sk_mul(1 / n, d) : fallback;
}

/* {"axis": [x, y, z], "angle": degrees}, or the quaternion [w, x, y, z]. */
sk_quat sk_get_rotation(sk_reader *r, const sk_at *object, const char *key, sk_quat fallback)
{
  static const char *const fields[] = {"axis", "angle"};
  sk_at at = sk_at_get(object, key);
  double q[4];
  if (!at.value || sk_failed(r)) return fallback;
  if (json_is_array(at.value)) {
    if (!sk_at_numbers(r, &at, SK_ONE, 4, q)) return fallback;
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(n >= smallest)) return sk_at_fail(r, &at, "has no length, expected a quaternion [w, x, y, z]"), fallback;
    return sk_quat_unit((sk_quat){q[0], sk_load3(q + 1)});
  }
  if (!json_is_object(at.value))
    return sk_at_wrong(r, &at, "{\"axis\": [x, y, z], \"angle\": degrees} or [w, x, y, z]"), fallback;
  if (!sk_at_object(r, &at, fields, SK_COUNT(fields)) || !sk_at_need(r, &at, "angle")) return fallback;
  sk_vec3 axis = sk_get_direction(r, &at, "axis", sk_vec(0, 0, 1));
  return sk_quat_rotation(sk_mul(sk_get_number(r, &at, "angle", SK_ANGLE, SK_ANY, 0), axis));
}

int sk_get_int(sk_reader *r, const sk_at *object, const char *key, int lo, int hi, int fallback)
{
  char expected[80];
  sk_at at = sk_at_get(object, key);
  if (!at.value || sk_failed(r)) return fallback;
  snprintf(expected, sizeof expected, "a whole number from %d to %d", lo, hi);
  double x = json_is_number(at.value) ? json_number_value(at.value) : NAN;
  if (!(x >= lo && x <= hi && x == floor(x))) return sk_at_wrong(r, &at, expected), fallback;
  return (int)x;
}

bool sk_get_bool(sk_reader *r, const sk_at *object, const char *key, bool fallback)
{
  sk_at at = sk_at_get(object, key);
  if (!at.value || sk_failed(r)) return fallback;
  if (!json_is_boolean(at.value)) sk_at_wrong(r, &at, "true or false");
  return json_is_true(at.value);
}

const char *sk_get_string(sk_reader *r, const sk_at *object, const char *key, const char *fallback)
{
  sk_at at = sk_at_get(object, key);
  if (!at.value || sk_failed(r)) return fallback;
  if (!json_is_string(at.value)) sk_at_wrong(r, &at, "a string");
  else if (!json_string_length(at.value)) sk_at_fail(r, &at, "is empty, expected some text");
  else return json_string_value(at.value);
  return fallback;
}

int sk_get_choice(sk_reader *r, const sk_at *object, const char *key, const char *kind, const char *const *words,
                  int count, int fallback)
{
  const char *word = sk_get_string(r, object, key, NULL);
  sk_at at = sk_at_get(object, key);
  if (!word) return fallback;
  for (int k = 0; k < count; k++)
    if (!strcmp(word, words[k])) return k;
  sk_at_unknown(r, &at, kind, word, words, count);
  return fallback;
}

/* ---- Units ---- */

/* Lengths, times and what is made of them follow "length" and "time". Moduli, densities, masses, drag and forces are in
 * SI, unless "mass" is given: then they are in the coherent unit of the three. */
void sk_read_units(sk_reader *r, const sk_at *root)
{
  static const char *const fields[] = {"length", "mass", "time"};
  static const char *const lengths[] = {"m", "cm", "mm"}, *const masses[] = {"kg", "g", "mg"},
                           *const times[] = {"s", "ms"};
  static const double metres[] = {1, 0.01, 0.001}, kilograms[] = {1, 1e-3, 1e-6}, seconds[] = {1, 1e-3};
  double *f = r->factor;
  sk_at at = sk_at_get(root, "units");
  double l = 1, t = 1, m = 0;
  if (sk_at_object(r, &at, fields, SK_COUNT(fields))) {
    l = metres[sk_get_choice(r, &at, "length", "unit of length", lengths, 3, 0)];
    t = seconds[sk_get_choice(r, &at, "time", "unit of time", times, 2, 0)];
    if (sk_at_has(&at, "mass")) m = kilograms[sk_get_choice(r, &at, "mass", "unit of mass", masses, 3, 0)];
  }
  f[SK_ONE] = 1, f[SK_LENGTH] = l, f[SK_TIME] = t, f[SK_SPEED] = l / t, f[SK_ACCELERATION] = l / (t * t);
  f[SK_CURVATURE] = 1 / l, f[SK_FREQUENCY] = 1 / t, f[SK_ANGLE] = SK_PI / 180, f[SK_ANGLE_RATE] = SK_PI / 180 / t;
  f[SK_MASS] = m > 0 ? m : 1, f[SK_PRESSURE] = m > 0 ? m / (l * t * t) : 1, f[SK_DENSITY] = m > 0 ? m / (l * l * l) : 1;
  f[SK_DRAG] = m > 0 ? m / (l * t) : 1, f[SK_FORCE] = m > 0 ? m * l / (t * t) : 1;
  r->scene->unit = l;
}

bool sk_get_y_up(sk_reader *r, const sk_at *object)
{
  static const char *const axes[] = {"z", "y"};
  return sk_get_choice(r, object, "up", "axis", axes, 2, 0) == 1;
}

void sk_turn_up(double *points, int count)
{
  for (size_t i = 0; i < (size_t)count; i++) {
    double *p = points + 3 * i, y = p[1];
    p[1] = -p[2], p[2] = y;
  }
}

void sk_use_units(sk_reader *r, const sk_at *entry, const char *file, const sk_units *units, double *scale, bool *y_up)
{
  skein_scene *s = r->scene;
  if (!(units->metres > 0)) return;
  if (!sk_at_has(entry, "up")) *y_up = units->y_up;
  if (sk_at_has(entry, "scale")) return;
  *scale = units->metres;
  if (units->guessed && !s->guessed) s->guessed = sk_reader_path(r, file), s->guessed_metres = units->metres;
}
