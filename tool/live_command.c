/* Commands of the live page: one JSON object each, every field checked. */
#include "live.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const struct {
  const char *name, *fields; /* that it may have beside "type" */
} kinds[] = {[LIVE_PAUSE] = {"pause", ""},
             [LIVE_PLAY] = {"play", ""},
             [LIVE_STEP] = {"step", ""},
             [LIVE_RESET] = {"reset", ""},
             [LIVE_DRAG] = {"drag", " rod s target hand "},
             [LIVE_DROP] = {"drop", " hand "},
             [LIVE_SET] = {"set", " mu gravity wind "}};

__attribute__((format(printf, 2, 3))) static bool wrong(char *message, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(message, LIVE_MESSAGE, format, args);
  va_end(args);
  return false;
}

/* A field's name as a message may show it. */
static void show_name(const char *name, char out[40])
{
  size_t i = 0;
  for (; name[i] && i < 36; i++) out[i] = name[i] >= 32 && name[i] < 127 ? name[i] : '?';
  strcpy(out + i, name[i] ? ".." : "");
}

static bool read_number(const json_t *o, const char *field, double lo, double hi, double *x, char *message)
{
  const json_t *value = json_object_get(o, field);
  if (!value) return wrong(message, "%s: is missing, expected a number", field);
  if (!json_is_number(value)) return wrong(message, "%s: expected a number", field);
  *x = json_number_value(value);
  if (!(*x >= lo && *x <= hi)) return wrong(message, "%s: is %g, expected %g to %g", field, *x, lo, hi);
  return true;
}

static bool read_integer(const json_t *o, const char *field, int lo, int hi, int *x, char *message)
{
  const json_t *value = json_object_get(o, field);
  if (!value) return wrong(message, "%s: is missing, expected an integer", field);
  if (!json_is_integer(value)) return wrong(message, "%s: expected an integer", field);
  json_int_t i = json_integer_value(value);
  if (i < lo || i > hi) return wrong(message, "%s: is %lld, expected %d to %d", field, (long long)i, lo, hi);
  *x = (int)i;
  return true;
}

static bool read_vector(const json_t *o, const char *field, double most, double x[3], char *message)
{
  const json_t *value = json_object_get(o, field);
  if (!value) return wrong(message, "%s: is missing, expected [x, y, z]", field);
  if (!json_is_array(value) || json_array_size(value) != 3) return wrong(message, "%s: expected [x, y, z]", field);
  for (size_t k = 0; k < 3; k++) {
    const json_t *item = json_array_get(value, k);
    if (!json_is_number(item)) return wrong(message, "%s[%zu]: expected a number", field, k);
    x[k] = json_number_value(item);
    if (!(fabs(x[k]) <= most)) return wrong(message, "%s[%zu]: is %g, expected %g to %g", field, k, x[k], -most, most);
  }
  return true;
}

static bool read_kind(const json_t *o, live_kind *kind, char *message)
{
  const char *name = json_string_value(json_object_get(o, "type"));
  if (!name) return wrong(message, "type: expected one of pause, play, step, reset, drag, drop, set");
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    if (!strcmp(name, kinds[k].name)) {
      *kind = (live_kind)k;
      return true;
    }
  char shown[40];
  show_name(name, shown);
  return wrong(message, "type: is '%s', expected one of pause, play, step, reset, drag, drop, set", shown);
}

/* No field that the command does not know. */
static bool check_fields(json_t *o, live_kind kind, char *message)
{
  const char *field;
  json_t *value;
  json_object_foreach(o, field, value)
  {
    char shown[40], word[48];
    show_name(field, shown);
    snprintf(word, sizeof word, " %s ", shown);
    if (strcmp(field, "type") && (strchr(field, ' ') || !strstr(kinds[kind].fields, word)))
      return wrong(message, "%s: unknown field of '%s'", shown, kinds[kind].name);
  }
  return true;
}

static bool read_set(const json_t *o, live_command *c, char *message)
{
  c->has_mu = json_object_get(o, "mu"), c->has_gravity = json_object_get(o, "gravity");
  c->has_wind = json_object_get(o, "wind");
  if (!c->has_mu && !c->has_gravity && !c->has_wind)
    return wrong(message, "set: expected at least one of mu, gravity, wind");
  return (!c->has_mu || read_number(o, "mu", 0, 100, &c->mu, message)) &&
         (!c->has_gravity || read_vector(o, "gravity", 1e4, c->gravity, message)) &&
         (!c->has_wind || read_vector(o, "wind", 1e3, c->wind, message));
}

static bool read_object(json_t *o, live_command *c, char *message)
{
  if (!json_is_object(o)) return wrong(message, "expected a JSON object with a type");
  if (!read_kind(o, &c->kind, message) || !check_fields(o, c->kind, message)) return false;
  if (c->kind == LIVE_SET) return read_set(o, c, message);
  if (json_object_get(o, "hand") && !read_integer(o, "hand", 0, LIVE_HANDS - 1, &c->hand, message)) return false;
  if (c->kind != LIVE_DRAG) return true;
  return read_integer(o, "rod", 0, 1 << 30, &c->rod, message) && read_number(o, "s", 0, 1e6, &c->s, message) &&
         read_vector(o, "target", 1e5, c->target, message);
}

bool live_command_read(const char *text, size_t size, live_command *command, char message[LIVE_MESSAGE])
{
  json_error_t error;
  *command = (live_command){0};
  json_t *o = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
  if (!o) {
    char shown[40];
    show_name(error.text, shown);
    return wrong(message, "not JSON: line %d, column %d: %s", error.line, error.column, shown);
  }
  bool read = read_object(o, command, message);
  json_decref(o);
  return read;
}
