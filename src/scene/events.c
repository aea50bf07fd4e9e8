/* Events: what happens at a time. "rods" names an entry ("hair": all of its rods) or one of them ("hair[3]"). */
#include "scene/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sk_find_rods(sk_reader *r, const sk_at *at, const char *name, int *first, int *count)
{
  const char *bracket = strrchr(name, '[');
  char *end = NULL, base[256];
  size_t length = bracket ? (size_t)(bracket - name) : 0;
  json_t *whole = json_object_get(r->entry_index, name);
  if (whole) {
    const sk_entry *e = &r->entries[json_integer_value(whole)];
    return *first = e->first, *count = e->count, true;
  }
  if (bracket && length < sizeof base) {
    memcpy(base, name, length), base[length] = 0;
    json_t *part = json_object_get(r->entry_index, base);
    const sk_entry *e = part ? &r->entries[json_integer_value(part)] : NULL;
    long index = strtol(bracket + 1, &end, 10);
    if (e && end != bracket + 1 && !strcmp(end, "]")) {
      if (index < 0 || index >= e->count)
        return sk_at_fail(r, at, "'%.60s' has %d rods, found number %ld", base, e->count, index), false;
      return *first = e->first + (int)index, *count = 1, true;
    }
  }
  const char **names = SK_READ_NEW(r, r->entry_count, const char *);
  for (int k = 0; names && k < r->entry_count; k++) names[k] = r->entries[k].name;
  if (names) sk_at_unknown(r, at, "rods", name, names, r->entry_count);
  return false;
}

static int read_release(sk_reader *r, const sk_at *at, sk_event e, sk_event *list)
{
  static const char *const ends[] = {"root", "tip"};
  int end = sk_get_choice(r, at, "release", "end", ends, 2, 0);
  const char *name = sk_at_need(r, at, "rods") ? sk_get_string(r, at, "rods", NULL) : NULL;
  sk_at rods = sk_at_get(at, "rods");
  if (!name || !sk_find_rods(r, &rods, name, &e.rod_first, &e.rod_count)) return 0;
  const skein_rod_def *def = &r->scene->rods[e.rod_first].def;
  if ((end ? def->tip : def->root) == SKEIN_FREE)
    sk_at_fail(r, at, "the %s of '%.60s' is free from the start, expected an end that is held", ends[end], name);
  e.kind = end ? SK_EVENT_RELEASE_TIP : SK_EVENT_RELEASE_ROOT;
  if (list) *list = e;
  return 1;
}

/* `at` is a share of the length: rods of different lengths are cut one by one. */
static int read_cut(sk_reader *r, const sk_at *at, sk_event e, sk_event *list)
{
  const char *name = sk_get_string(r, at, "cut", NULL);
  sk_at cut = sk_at_get(at, "cut"), place = sk_at_get(at, "at");
  int count = 0;
  double share = sk_get_number(r, at, "at", SK_ONE, SK_SHARE, 0.5);
  if (sk_failed(r) || !sk_find_rods(r, &cut, name, &e.rod_first, &e.rod_count)) return 0;
  if (!(share > 0 && share < 1)) return sk_at_fail(r, &place, "is %g, expected between 0 and 1", share), 0;
  e.kind = SK_EVENT_CUT;
  for (int i = e.rod_first, last = e.rod_first + e.rod_count; i < last;) {
    double length = r->scene->rods[i].def.length;
    int run = 1;
    while (i + run < last && r->scene->rods[i + run].def.length == length) run++;
    if (list) list[count] = e, list[count].rod_first = i, list[count].rod_count = run, list[count].s = share * length;
    count++, i += run;
  }
  return count;
}

/* One entry becomes one event, or several where rods of different lengths are cut. list NULL: only counts. */
static int read_event(sk_reader *r, const sk_at *at, sk_event *list)
{
  static const char *const fields[] = {"time", "release", "rods", "cut", "at", "gravity", "wind"};
  static const char *const kinds[] = {"release", "cut", "gravity", "wind"};
  int kind = -1, given = 0;
  sk_event e = {0};
  if (!json_is_object(at->value)) sk_at_wrong(r, at, "an object { }");
  if (!sk_at_object(r, at, fields, SK_COUNT(fields)) || !sk_at_need(r, at, "time")) return 0;
  for (int k = 0; k < 4; k++)
    if (sk_at_has(at, kinds[k])) kind = k, given++;
  if (given != 1) return sk_at_fail(r, at, "has %d of 'release', 'cut', 'gravity', 'wind', expected one", given), 0;
  sk_at rods = sk_at_get(at, "rods"), place = sk_at_get(at, "at");
  if (rods.value && kind != 0) sk_at_fail(r, &rods, "belongs to 'release', not to '%s'", kinds[kind]);
  if (place.value && kind != 1) sk_at_fail(r, &place, "belongs to 'cut', not to '%s'", kinds[kind]);
  e.time = sk_get_number(r, at, "time", SK_TIME, SK_NOT_NEGATIVE, 0);
  if (kind == 1) return read_cut(r, at, e, list);
  if (kind == 0) return read_release(r, at, e, list);
  e.kind = kind == 2 ? SK_EVENT_GRAVITY : SK_EVENT_WIND;
  sk_store3(e.value, sk_get_vector(r, at, kinds[kind], kind == 2 ? SK_ACCELERATION : SK_SPEED, sk_vec(0, 0, 0)));
  if (list) *list = e;
  return 1;
}

/* By time; those of the same time stay in the order of the file. */
static void sort(sk_event *list, sk_event *spare, int count)
{
  for (int width = 1; width < count; width *= 2) {
    for (int lo = 0; lo < count; lo += 2 * width) {
      int i = lo, middle = SK_MIN(lo + width, count), j = middle, hi = SK_MIN(lo + 2 * width, count);
      for (int k = lo; k < hi; k++)
        spare[k] = i < middle && (j >= hi || list[i].time <= list[j].time) ? list[i++] : list[j++];
    }
    memcpy(list, spare, sizeof *list * (size_t)count);
    if (width > count / 2) break;
  }
}

void sk_read_events(sk_reader *r, const sk_at *root)
{
  skein_scene *s = r->scene;
  sk_at at = sk_at_get(root, "events");
  size_t entries = sk_at_array(r, &at);
  int64_t total = 0;
  for (size_t i = 0; i < entries && !sk_failed(r); i++) {
    sk_at item = sk_at_item(&at, i);
    total += read_event(r, &item, NULL);
    if (total > 10 * (int64_t)SK_MOST_RODS) sk_at_fail(r, &item, "makes more than %d events", 10 * SK_MOST_RODS);
  }
  if (sk_failed(r) || !total) return;
  s->events = SK_READ_NEW(r, total, sk_event);
  sk_event *spare = SK_READ_NEW(r, total, sk_event);
  for (size_t i = 0; i < entries && !sk_failed(r); i++) {
    sk_at item = sk_at_item(&at, i);
    s->event_count += read_event(r, &item, s->events + s->event_count);
  }
  if (!sk_failed(r)) sort(s->events, spare, s->event_count);
}
