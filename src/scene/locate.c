/* Finds fields in the text of a scene. A scanner for JSON that is known to be valid: strings are skipped with their
 * escapes, everything else by counting brackets. */
#include "scene/locate.h"

#include <jansson.h>
#include <string.h>

static size_t skip_space(const char *t, size_t i)
{
  while (t[i] == ' ' || t[i] == '\t' || t[i] == '\n' || t[i] == '\r') i++;
  return i;
}

/* i at the opening quote; the byte after the closing one. */
static size_t skip_string(const char *t, size_t i)
{
  for (i++; t[i] && t[i] != '"'; i++)
    if (t[i] == '\\' && t[i + 1]) i++;
  return t[i] ? i + 1 : i;
}

static size_t skip_value(const char *t, size_t i)
{
  size_t depth = 0;
  do {
    i = skip_space(t, i);
    if (t[i] == '"') i = skip_string(t, i);
    else if (t[i] == '{' || t[i] == '[') depth++, i++;
    else if (t[i] == '}' || t[i] == ']') depth--, i++;
    else if (t[i] == ',' || t[i] == ':') i++;
    else
      while (t[i] && !strchr(",:{}[]\" \t\n\r", t[i])) i++;
  } while (depth > 0 && t[i]);
  return i;
}

/* The key t[i .. end), quotes included, is the string `key`; escapes are decoded where there are any. */
static bool same_key(const char *t, size_t i, size_t end, const char *key)
{
  size_t length = end - i - 2;
  if (!memchr(t + i, '\\', end - i)) return strlen(key) == length && !strncmp(t + i + 1, key, length);
  json_t *decoded = json_loadb(t + i, end - i, JSON_DECODE_ANY, NULL);
  bool same = decoded && json_is_string(decoded) && !strcmp(json_string_value(decoded), key);
  json_decref(decoded);
  return same;
}

/* From the start of an object or array to the start of one of its values. */
static bool enter(const char *t, size_t *at, const sk_path_step *step)
{
  size_t i = *at, count = 0;
  char open = step->key ? '{' : '[', close = step->key ? '}' : ']';
  if (t[i] != open) return false;
  for (i = skip_space(t, i + 1); t[i] && t[i] != close; count++) {
    size_t key = i, end = step->key ? skip_string(t, i) : i;
    if (step->key) i = skip_space(t, skip_space(t, end) + 1); /* past the colon */
    if (step->key ? same_key(t, key, end, step->key) : count == step->index) return *at = i, true;
    i = skip_space(t, skip_value(t, i));
    if (t[i] == ',') i = skip_space(t, i + 1);
  }
  return false;
}

bool sk_locate(const char *text, const sk_path_step *path, int steps, sk_span *value)
{
  size_t at = skip_space(text, 0);
  for (int k = 0; k < steps; k++)
    if (!enter(text, &at, &path[k])) return false;
  *value = (sk_span){at, skip_value(text, at)};
  return true;
}

int sk_line(const char *text, size_t at)
{
  int line = 1;
  for (size_t i = 0; i < at && text[i]; i++) line += text[i] == '\n';
  return line;
}
