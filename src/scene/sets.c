/* "path=value" put into the text of a scene. The text is edited, not the tree: lines and layout stay, so that messages
 * still name the right line and the source that a run keeps is what its author wrote.
 *
 * A path is names and numbers: "time.dt", "rods[0].elements", "rods.0.elements", "rods.spaghetti.elements" (an item of
 * a list by its "name"). Fields that are missing are made; the reader says when they should not be there.
 *
 * "rods=N" with a whole number changes no list: the counts of all entries of "rods" that have one become N together. */
#include "scene/reader.h"
#include "scene/files.h"
#include "scene/locate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 16, TOKEN = 64 };

typedef struct path {
  char token[MOST_TOKENS][TOKEN];
  int tokens;
  sk_path_step step[MOST_TOKENS]; /* of what the text has */
  int found;
} path;

/* Tokens are parted by dots and brackets. */
static bool split(const char *text, size_t length, path *p)
{
  size_t used = 0;
  *p = (path){0};
  for (size_t i = 0; i <= length; i++) {
    bool parts = i == length || text[i] == '.' || text[i] == '[' || text[i] == ']';
    if (!parts) {
      if (p->tokens >= MOST_TOKENS || used + 1 >= TOKEN) return false;
      p->token[p->tokens][used++] = text[i];
    } else if (used) p->tokens++, used = 0;
    else if (i == length ? text[i - (i > 0)] != ']' : !(i > 0 && text[i - 1] == ']')) return false;
  }
  return p->tokens > 0;
}

static bool is_index(const char *token, size_t *index)
{
  char *end;
  if (token[0] < '0' || token[0] > '9') return false;
  errno = 0;
  unsigned long long n = strtoull(token, &end, 10);
  *index = (size_t)n;
  return !*end && !errno;
}

static json_t *find_item(const json_t *list, const char *token, size_t *index)
{
  if (is_index(token, index)) return json_array_get(list, *index);
  for (*index = 0; *index < json_array_size(list); (*index)++) {
    json_t *item = json_array_get(list, *index);
    const char *name = json_string_value(json_object_get(item, "name"));
    if (name && !strcmp(name, token)) return item;
  }
  return NULL;
}

/* The tokens before k, as the reader writes paths. */
static void write_tokens(const path *p, int k, char *out, size_t size)
{
  size_t used = 0;
  out[0] = 0;
  for (int i = 0; i < k && used < size; i++) {
    bool item = i < p->found && !p->step[i].key;
    int n = item ? snprintf(out + used, size - used, "[%zu]", p->step[i].index)
                 : snprintf(out + used, size - used, "%s%s", used ? "." : "", p->token[i]);
    used += n > 0 ? (size_t)n : 0;
  }
}

/* Follows the path as far as the tree has it; the rest must be names of fields to make. */
static skein_status follow(const json_t *root, path *p)
{
  const json_t *at = root;
  char here[200];
  for (int k = 0; k < p->tokens; k++) {
    size_t index = 0;
    json_t *next = NULL;
    write_tokens(p, k, here, sizeof here);
    if (json_is_object(at)) next = json_object_get(at, p->token[k]);
    else if (json_is_array(at)) {
      next = find_item(at, p->token[k], &index);
      if (!next)
        return sk_fail(SKEIN_BAD_INPUT, "'%s' has %zu items and none is '%s', expected a number below that or a name",
                       here, json_array_size(at), p->token[k]);
    } else return sk_fail(SKEIN_BAD_INPUT, "'%s' has no fields, expected a path to a value", here);
    if (!next) break;
    p->step[k] = (sk_path_step){json_is_object(at) ? p->token[k] : NULL, index};
    p->found = k + 1, at = next;
  }
  for (int k = p->found; k < p->tokens; k++) {
    size_t index;
    write_tokens(p, k, here, sizeof here);
    if (is_index(p->token[k], &index))
      return sk_fail(SKEIN_BAD_INPUT, "'%s' is not a list, expected the name of a field, not '%s'",
                     here[0] ? here : "the scene", p->token[k]);
  }
  return sk_ok();
}

/* What stands after "=" (and spaces): JSON as it is, anything else as a string. The caller frees. */
static skein_status make_value(const char *text, char **out)
{
  json_error_t error;
  json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
  bool raw = value != NULL;
  if (!value) value = json_string(text);
  if (!value) return sk_fail(SKEIN_BAD_INPUT, "the value is not UTF-8, expected JSON or a word");
  *out = raw ? strdup(text) : json_dumps(value, JSON_ENCODE_ANY);
  json_decref(value);
  if (!*out) return sk_no_memory();
  for (char *c = *out; *c; c++)
    if (*c == '\n' || *c == '\r') *c = ' '; /* white space: strings of JSON have none */
  return sk_ok();
}

/* Text with [span) replaced by the new fields and the value. The caller frees. */
static char *edit(const char *text, const path *p, const char *value)
{
  sk_span span;
  if (!sk_locate(text, p->step, p->found, &span)) return NULL;
  bool makes = p->found < p->tokens, empty = false;
  if (makes) { /* right after the brace */
    size_t after = span.start + 1;
    empty = text[after + strspn(text + after, " \t\r\n")] == '}';
    span = (sk_span){after, after};
  }
  size_t size = strlen(text) + strlen(value) + (size_t)MOST_TOKENS * (TOKEN + 8) + 8, used = span.start;
  char *out = malloc(size);
  if (!out) return NULL;
  memcpy(out, text, span.start);
  for (int k = p->found; k < p->tokens; k++)
    used += (size_t)snprintf(out + used, size - used, "%s\"%s\": ", k > p->found ? "{" : "", p->token[k]);
  used += (size_t)snprintf(out + used, size - used, "%s", value);
  for (int k = p->found + 1; k < p->tokens; k++) out[used++] = '}';
  if (makes && !empty) used += (size_t)snprintf(out + used, size - used, ", ");
  snprintf(out + used, size - used, "%s", text + span.end);
  return out;
}

static skein_status apply(char **text, const char *set, sk_arena *arena, char **where)
{
  path p;
  char *value = NULL;
  const char *equals = strchr(set, '=');
  size_t lead = strspn(set, " "), length = equals ? (size_t)(equals - set) : 0;
  while (length > lead && set[length - 1] == ' ') length--;
  if (length <= lead || !split(set + lead, length - lead, &p))
    return sk_fail(SKEIN_BAD_INPUT, "expected path=value, as in time.dt=1e-3 or rods[0].elements=8");
  for (int k = 0; k < p.tokens; k++)
    for (const char *c = p.token[k]; *c; c++)
      if ((unsigned char)*c < ' ' || *c == '"' || *c == '\\')
        return sk_fail(SKEIN_BAD_INPUT, "the path has a quote or a control character, expected names and numbers");
  json_t *root = json_loads(*text, 0, NULL);
  if (!root) return sk_no_memory(); /* the text was read before */
  skein_status s = follow(root, &p);
  if (s.code == SKEIN_OK) s = make_value(equals + 1 + strspn(equals + 1, " "), &value);
  json_decref(root);
  if (s.code != SKEIN_OK) return s;
  char *edited = edit(*text, &p, value);
  free(value);
  if (!edited) return sk_no_memory();
  free(*text), *text = edited;
  if (!(*where = SK_NEW(arena, MOST_TOKENS * (TOKEN + 2), char))) return sk_no_memory();
  write_tokens(&p, SK_MIN(p.found + 1, p.tokens), *where, MOST_TOKENS * (TOKEN + 2));
  return sk_ok();
}

/* ---- rods=N ---- */

/* How many strands a file has: so many rods it makes where the entry has no count. */
static skein_status count_strands(const char *file, const char *folder, sk_arena *arena, double *count)
{
  sk_reader place = {.arena = arena, .folder = folder};
  const char *at = sk_reader_path(&place, file);
  sk_strands strands = {0};
  skein_status s = at ? sk_strands_read(at, &strands) : sk_no_memory();
  if (s.code == SKEIN_OK) *count = strands.count;
  sk_strands_destroy(&strands);
  return sk_status_prefix(s, file);
}

/* The number of an entry's bundle or groom, or of the strands it takes from a file; 0: it has none. where: its path in
 * the entry. */
static skein_status count_of(const json_t *entry, const char *folder, sk_arena *arena, const char **where, double *out)
{
  const char *file = json_string_value(json_object_get(entry, "file"));
  static const char *const paths[] = {"bundle.count", "groom.count", "count"};
  static const char *const makers[] = {"bundle", "groom"};
  for (int k = 0; k < 3; k++) {
    const json_t *maker = k < 2 ? json_object_get(entry, makers[k]) : entry, *count = json_object_get(maker, "count");
    *where = paths[k];
    if (json_is_integer(count) && json_integer_value(count) > 0)
      return *out = (double)json_integer_value(count), sk_ok();
  }
  *out = 0;
  return file && !json_object_get(entry, "count") ? count_strands(file, folder, arena, out) : sk_ok();
}

/* Whether the set is rods=N; N. */
static bool is_rod_count(const char *set, double *count)
{
  char *end;
  const char *at = set + strspn(set, " ");
  if (strncmp(at, "rods", 4) != 0) return false;
  at += 4, at += strspn(at, " ");
  if (*at++ != '=') return false;
  *count = strtod(at, &end);
  return end > at && !end[strspn(end, " ")];
}

/* Counts in proportion to what they were, at least one each, rounded so that they add up. had: what they were. */
static skein_status share_rods(char **text, double count, const double *had, const char *const *where, size_t entries,
                               sk_arena *arena, char **changed)
{
  double all = 0, sum = 0, given = 0;
  skein_status s = sk_ok();
  for (size_t i = 0; i < entries; i++) all += had[i];
  if (!(all > 0))
    return sk_fail(SKEIN_BAD_INPUT, "no entry of 'rods' has a count, expected a bundle, a groom or a file");
  for (size_t i = 0; i < entries && s.code == SKEIN_OK; i++) {
    double until = floor(count * ((sum += had[i]) / all) + 0.5);
    char set[96];
    if (!(had[i] > 0)) continue;
    snprintf(set, sizeof set, "rods[%zu].%s=%.0f", i, where[i], fmax(until - given, 1));
    given = fmax(until, given + 1);
    s = apply(text, set, arena, changed);
  }
  return s;
}

static skein_status apply_rod_count(char **text, const char *folder, double count, sk_arena *arena, char **changed)
{
  if (!(count >= 1 && count <= SK_MOST_RODS && count == floor(count)))
    return sk_fail(SKEIN_BAD_INPUT, "expected a whole number from 1 to %d, or a list of rods", SK_MOST_RODS);
  json_t *root = json_loads(*text, 0, NULL);
  if (!root) return sk_no_memory();
  const json_t *rods = json_object_get(root, "rods");
  size_t entries = json_array_size(rods);
  double *had = SK_NEW(arena, entries + 1, double);
  const char **where = SK_NEW(arena, entries + 1, const char *);
  skein_status s = had && where ? sk_ok() : sk_no_memory();
  for (size_t i = 0; i < entries && s.code == SKEIN_OK; i++)
    s = count_of(json_array_get(rods, i), folder, arena, &where[i], &had[i]);
  if (s.code == SKEIN_OK) s = share_rods(text, count, had, where, entries, arena, changed);
  json_decref(root);
  return s;
}

skein_status sk_sets_apply(char **text, const char *name, const char *folder, const char *const *sets, int count,
                           sk_arena *arena, char ***paths)
{
  char word[80], head[260];
  *paths = SK_NEW(arena, count, char *);
  if (!*paths) return sk_no_memory();
  for (int k = 0; k < count; k++) {
    double rods;
    skein_status s = is_rod_count(sets[k], &rods) ? apply_rod_count(text, folder, rods, arena, &(*paths)[k])
                                                  : apply(text, sets[k], arena, &(*paths)[k]);
    if (s.code == SKEIN_NO_MEMORY) return s;
    snprintf(head, sizeof head, "%.150s: --set %s", name, sk_safe(sets[k], word, sizeof word));
    if (s.code != SKEIN_OK) return sk_status_prefix(s, head);
  }
  return sk_ok();
}
