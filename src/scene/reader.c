/* Walking the JSON tree of a scene: failures that name file, line and path, and what fields an object may have. */
#include "scene/reader.h"
#include "scene/locate.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_STEPS = 32, WORD = 64 };

/* ---- Words ---- */

const char *sk_safe(const char *word, char *buffer, size_t size)
{
  size_t i = 0;
  for (; word[i] && i + 4 < size; i++) buffer[i] = (unsigned char)word[i] < ' ' || word[i] == 127 ? '?' : word[i];
  if (word[i]) {
    while (i > 0 && ((unsigned char)word[i] & 0xC0) == 0x80) i--; /* not inside a character */
    memcpy(buffer + i, "...", 3), i += 3;
  }
  buffer[i] = 0;
  return buffer;
}

/* Edit distance with neighbours swapped as one edit (optimal string alignment), letters of any case alike. */
static int distance(const char *a, const char *b)
{
  int d[3][WORD + 1];
  int m = (int)strlen(a), n = (int)strlen(b);
  if (m > WORD || n > WORD) return WORD;
  for (int j = 0; j <= n; j++) d[0][j] = j;
  for (int i = 1; i <= m; i++) {
    int *now = d[i % 3], *last = d[(i + 2) % 3], *before = d[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= n; j++) {
      int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
      now[j] = SK_MIN(last[j - 1] + (x != y), SK_MIN(last[j], now[j - 1]) + 1);
      bool swapped = i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]);
      if (swapped) now[j] = SK_MIN(now[j], before[j - 2] + 1);
    }
  }
  return d[m % 3][n];
}

const char *sk_nearest(const char *word, const char *const *known, int count)
{
  const char *best = NULL;
  int least = 2 + (int)strlen(word) / 4;
  for (int k = 0; k < count; k++) {
    int away = distance(word, known[k]);
    if (away < least && away < (int)strlen(known[k])) least = away, best = known[k];
  }
  return best;
}

/* The known words from the nearest to the farthest, one per call: *away and *from say where the last call was. */
static const char *next_nearest(const char *word, const char *const *known, int count, int *away, int *from)
{
  for (; *away <= WORD; ++*away, *from = 0)
    for (int k = *from; k < count; k++)
      if (distance(word, known[k]) == *away) return *from = k + 1, known[k];
  return NULL;
}

/* ---- Failures ---- */

void sk_at_path(const sk_at *at, char *out, size_t size)
{
  const sk_at *way[MOST_STEPS];
  int steps = 0;
  size_t used = 0;
  char word[WORD];
  for (; at && at->up && steps < MOST_STEPS; at = at->up) way[steps++] = at;
  out[0] = 0;
  while (steps-- > 0 && used < size) {
    const sk_at *a = way[steps];
    int n = a->key ? snprintf(out + used, size - used, "%s%s", used ? "." : "", sk_safe(a->key, word, sizeof word))
                   : snprintf(out + used, size - used, "[%zu]", a->index);
    used += n > 0 ? (size_t)n : 0;
  }
}

int sk_at_line(const sk_reader *r, const sk_at *at)
{
  sk_path_step path[MOST_STEPS];
  int steps = 0;
  sk_span span;
  while (at->up && !at->value) at = at->up;
  for (const sk_at *a = at; a->up && steps < MOST_STEPS; a = a->up) steps++;
  int k = steps;
  for (const sk_at *a = at; a->up && k > 0; a = a->up) path[--k] = (sk_path_step){a->key, a->index};
  return sk_locate(r->text, path, steps, &span) ? sk_line(r->text, span.start) : 1;
}

static bool was_set(const sk_reader *r, const char *path)
{
  for (int k = 0; k < r->set_count; k++) {
    size_t n = strlen(r->sets[k]);
    if (!strncmp(path, r->sets[k], n) && (!path[n] || path[n] == '.' || path[n] == '[')) return true;
  }
  return false;
}

static void put_failure(sk_reader *r, const sk_at *at, skein_code code, const char *what)
{
  char path[160];
  if (sk_failed(r)) return;
  sk_at_path(at, path, sizeof path);
  r->status = sk_fail(code, "%.150s:%d: %s%s%.300s%s", r->name, sk_at_line(r, at), path, path[0] ? ": " : "", what,
                      was_set(r, path) ? " (from --set)" : "");
}

void sk_at_fail(sk_reader *r, const sk_at *at, const char *format, ...)
{
  char what[320];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  put_failure(r, at, SKEIN_BAD_INPUT, what);
}

void sk_at_refuse(sk_reader *r, const sk_at *at, skein_status why)
{
  if (why.code == SKEIN_NO_MEMORY && !sk_failed(r)) r->status = why;
  else if (why.code != SKEIN_OK) put_failure(r, at, why.code, why.message);
}

void sk_at_wrong(sk_reader *r, const sk_at *at, const char *expected)
{
  char word[40];
  const json_t *v = at->value;
  switch (v ? (int)json_typeof(v) : -1) {
  case JSON_STRING:
    sk_at_fail(r, at, "expected %s, found the string '%s'", expected, sk_safe(json_string_value(v), word, sizeof word));
    break;
  case JSON_INTEGER:
  case JSON_REAL:
    sk_at_fail(r, at, "expected %s, found %g", expected, json_number_value(v));
    break;
  case JSON_OBJECT:
    sk_at_fail(r, at, "expected %s, found an object", expected);
    break;
  case JSON_ARRAY:
    sk_at_fail(r, at, "expected %s, found a list of %zu", expected, json_array_size(v));
    break;
  case JSON_TRUE:
    sk_at_fail(r, at, "expected %s, found true", expected);
    break;
  case JSON_FALSE:
    sk_at_fail(r, at, "expected %s, found false", expected);
    break;
  case JSON_NULL:
    sk_at_fail(r, at, "expected %s, found null", expected);
    break;
  default:
    sk_at_fail(r, at, "expected %s", expected);
  }
}

void sk_at_unknown(sk_reader *r, const sk_at *at, const char *kind, const char *word, const char *const *known,
                   int count)
{
  char list[220] = "", head[110], safe[WORD];
  size_t used = 0;
  if (word) snprintf(head, sizeof head, "unknown %s '%s'", kind, sk_safe(word, safe, sizeof safe));
  else snprintf(head, sizeof head, "unknown %s", kind);
  const char *given = word ? word : at->key ? at->key : "", *nearest = sk_nearest(given, known, count);
  if (nearest) {
    sk_at_fail(r, at, "%s, did you mean '%s'?", head, nearest);
    return;
  }
  int away = -1, from = 0;
  for (int k = 0; k < count; k++) { /* words in their order; fields, of which there are many, from the nearest */
    const char *next = word ? known[k] : next_nearest(given, known, count, &away, &from);
    if (!next || used + strlen(next) + 8 >= sizeof list) break;
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", next);
  }
  if (count) sk_at_fail(r, at, "%s, expected one of: %s", head, list);
  else sk_at_fail(r, at, "%s: the scene has none", head);
}

void *sk_reader_alloc(sk_reader *r, size_t count, size_t size)
{
  void *memory = sk_arena_alloc(r->arena, count, size);
  if (!memory && !sk_failed(r)) r->status = sk_no_memory();
  return memory;
}

char *sk_reader_copy(sk_reader *r, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = sk_reader_alloc(r, size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
}

/* ---- Walking ---- */

sk_at sk_at_get(const sk_at *object, const char *key)
{
  return (sk_at){json_object_get(object->value, key), object, key, 0};
}

sk_at sk_at_item(const sk_at *array, size_t index)
{
  return (sk_at){json_array_get(array->value, index), array, NULL, index};
}

bool sk_at_object(sk_reader *r, const sk_at *at, const char *const *fields, int count)
{
  const char *key;
  json_t *value;
  if (!at->value || sk_failed(r)) return false;
  if (!json_is_object(at->value)) return sk_at_wrong(r, at, "an object { }"), false;
  json_object_foreach(at->value, key, value)
  {
    bool known = false;
    sk_at field = {value, at, key, 0};
    if (!strcmp(key, "comment")) {
      if (!json_is_string(value)) sk_at_wrong(r, &field, "a string");
      continue;
    }
    for (int k = 0; k < count && !known; k++) known = !strcmp(key, fields[k]);
    if (known) continue;
    const char *home = sk_field_home(&field);
    if (home) sk_at_fail(r, &field, "unknown field, it belongs in %s", home);
    sk_at_unknown(r, &field, "field", NULL, fields, count);
  }
  return !sk_failed(r);
}

size_t sk_at_array(sk_reader *r, const sk_at *at)
{
  if (!at->value || sk_failed(r)) return 0;
  if (!json_is_array(at->value)) return sk_at_wrong(r, at, "a list [ ]"), 0;
  return json_array_size(at->value);
}

bool sk_at_need(sk_reader *r, const sk_at *object, const char *key)
{
  if (!sk_failed(r) && !sk_at_has(object, key)) sk_at_fail(r, object, "the field '%s' is missing", key);
  return !sk_failed(r);
}

bool sk_name_take(sk_reader *r, json_t *index, const sk_at *at, const char *kind, const char *name, int number)
{
  char word[WORD];
  const json_t *other = json_object_get(index, name);
  if (sk_failed(r)) return false;
  if (other) {
    sk_at_fail(r, at, "the name '%s' is taken by %s[%lld], expected another", sk_safe(name, word, sizeof word), kind,
               (long long)json_integer_value(other));
    return false;
  }
  if (json_object_set_new(index, name, json_integer(number))) r->status = sk_no_memory();
  return !sk_failed(r);
}

const char *sk_reader_path(sk_reader *r, const char *file)
{
  bool whole = file[0] == '/' || !r->folder || !r->folder[0];
  size_t size = strlen(file) + (whole ? 0 : strlen(r->folder) + 1) + 1;
  char *path = sk_reader_alloc(r, size, 1);
  if (path) snprintf(path, size, "%s%s%s", whole ? "" : r->folder, whole ? "" : "/", file);
  return path;
}
