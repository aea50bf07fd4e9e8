/* Groups of what may touch, and the friction of each pair of them. */
#include "scene/reader.h"

#include <math.h>
#include <string.h>

/* A group's number; a new one is made when `make`, else -1. */
static int find_group(sk_reader *r, const sk_at *at, const char *name, bool make)
{
  json_t *known = json_object_get(r->group_index, name);
  int count = (int)json_object_size(r->group_index);
  if (known) return (int)json_integer_value(known);
  if (!make) return -1;
  if (count >= SK_MOST_GROUPS)
    return sk_at_fail(r, at, "is one group too many, expected at most %d", SK_MOST_GROUPS), 0;
  if (json_object_set_new(r->group_index, name, json_integer(count)) && !sk_failed(r)) r->status = sk_no_memory();
  return count;
}

static void unknown_group(sk_reader *r, const sk_at *at, const char *name)
{
  size_t count = json_object_size(r->group_index), k = 0;
  const char **names = SK_READ_NEW(r, count, const char *), *key;
  json_t *value;
  if (!names) return;
  json_object_foreach(r->group_index, key, value) names[k++] = key;
  sk_at_unknown(r, at, "group", name, names, (int)count);
}

/* "groups": ["hair", "head"] is optional; where it stands, there are no others. */
void sk_read_group_list(sk_reader *r, const sk_at *root)
{
  sk_at at = sk_at_get(root, "groups");
  size_t count = sk_at_array(r, &at);
  r->groups_listed = at.value != NULL;
  for (size_t i = 0; i < count && !sk_failed(r); i++) {
    sk_at item = sk_at_item(&at, i);
    const char *name = json_string_value(item.value);
    if (!name) sk_at_wrong(r, &item, "the name of a group");
    else if (find_group(r, &item, name, false) >= 0) sk_at_fail(r, &item, "'%.60s' stands twice, expected once", name);
    else find_group(r, &item, name, true);
  }
}

int sk_get_group(sk_reader *r, const sk_at *object, const char *fallback)
{
  sk_at at = sk_at_get(object, "group");
  const char *name = sk_get_string(r, object, "group", fallback);
  if (sk_failed(r)) return 0;
  int group = find_group(r, &at, name, !r->groups_listed);
  if (group < 0) unknown_group(r, &at, name);
  return SK_MAX(group, 0);
}

/* The two groups of a pair; one name stands for a group with itself. */
static bool read_two(sk_reader *r, const sk_at *pair, int *a, int *b)
{
  int group[2] = {0, 0};
  if (!sk_at_need(r, pair, "groups")) return false;
  sk_at at = sk_at_get(pair, "groups");
  size_t count = json_array_size(at.value);
  if (count < 1 || count > 2) return sk_at_wrong(r, &at, "a list of two groups"), false;
  for (size_t i = 0; i < count; i++) {
    sk_at item = sk_at_item(&at, i);
    const char *name = json_string_value(item.value);
    if (!name) return sk_at_wrong(r, &item, "the name of a group"), false;
    group[i] = find_group(r, &item, name, false);
    if (group[i] < 0) return unknown_group(r, &item, name), false;
  }
  *a = group[0], *b = count > 1 ? group[1] : group[0];
  return true;
}

static void read_pair(sk_reader *r, const sk_at *at, bool *seen)
{
  static const char *const fields[] = {"groups", "mu", "restitution", "contacts"};
  skein_scene *s = r->scene;
  int a, b, n = s->group_count;
  if (!json_is_object(at->value)) sk_at_wrong(r, at, "an object { }");
  if (!sk_at_object(r, at, fields, SK_COUNT(fields)) || !read_two(r, at, &a, &b)) return;
  if (seen[a * n + b])
    sk_at_fail(r, at, "the groups '%.60s' and '%.60s' are a pair already, expected one entry", s->groups[a],
               s->groups[b]);
  seen[a * n + b] = seen[b * n + a] = true;
  double mu = sk_get_number(r, at, "mu", SK_ONE, SK_NOT_NEGATIVE, s->mu[a * n + b]);
  double e = sk_get_number(r, at, "restitution", SK_ONE, SK_SHARE, s->restitution[a * n + b]);
  if (!sk_get_bool(r, at, "contacts", true)) mu = -1;
  s->mu[a * n + b] = s->mu[b * n + a] = mu, s->restitution[a * n + b] = s->restitution[b * n + a] = e;
}

/* All groups are known here. */
static bool make_groups(sk_reader *r)
{
  skein_scene *s = r->scene;
  const char *key;
  json_t *value;
  size_t n = json_object_size(r->group_index);
  s->groups = SK_READ_NEW(r, n, char *), s->mu = SK_READ_NEW(r, n * n, double);
  s->restitution = SK_READ_NEW(r, n * n, double), s->group_count = (int)n;
  if (sk_failed(r)) return false;
  json_object_foreach(r->group_index, key, value) s->groups[json_integer_value(value)] = sk_reader_copy(r, key);
  return !sk_failed(r);
}

void sk_read_pairs(sk_reader *r, const sk_at *root)
{
  skein_scene *s = r->scene;
  sk_at at = sk_at_get(root, "pairs");
  double mu = sk_get_number(r, root, "friction", SK_ONE, SK_NOT_NEGATIVE, 0.3);
  double e = sk_get_number(r, root, "restitution", SK_ONE, SK_SHARE, 0);
  if (sk_failed(r) || !make_groups(r)) return;
  size_t n = (size_t)s->group_count, count = sk_at_array(r, &at);
  bool *seen = SK_READ_NEW(r, n * n, bool);
  for (size_t k = 0; k < n * n; k++) s->mu[k] = mu, s->restitution[k] = e;
  for (size_t i = 0; i < count && !sk_failed(r); i++) {
    sk_at item = sk_at_item(&at, i);
    read_pair(r, &item, seen);
  }
}
