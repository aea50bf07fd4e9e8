/* Forces: dead loads on places of rods, for a time. "rods" names rods as in events; "at" is "root", "tip" or the
 * distance from the root along the rod. */
#include "scene/reader.h"

#include <math.h>
#include <string.h>

/* The place: NaN is the tip, which is elsewhere on rods of different lengths. */
static double read_place(sk_reader *r, const sk_at *at, const sk_scene_force *f)
{
  static const char *const words[] = {"root", "tip"};
  sk_at place = sk_at_get(at, "at");
  if (sk_failed(r)) return 0;
  if (json_is_string(place.value)) return sk_get_choice(r, at, "at", "place", words, 2, 0) ? NAN : 0;
  if (place.value && !json_is_number(place.value))
    return sk_at_wrong(r, &place, "\"root\", \"tip\" or a distance from the root"), 0;
  double s = sk_get_number(r, at, "at", SK_LENGTH, SK_NOT_NEGATIVE, NAN);
  for (int i = f->rod_first; i < f->rod_first + f->rod_count && !sk_failed(r); i++) {
    const sk_scene_rod *rod = r->scene->rods + i;
    if (s > rod->def.length * (1 + 1e-12))
      sk_at_fail(r, &place, "is %g m, expected at most %g m, the length of '%.60s'", s, rod->def.length, rod->name);
  }
  return s;
}

static void read_force(sk_reader *r, const sk_at *at, sk_scene_force *f)
{
  static const char *const fields[] = {"rods", "at", "force", "from", "until", "ramp"};
  if (!json_is_object(at->value)) sk_at_wrong(r, at, "an object { }");
  if (!sk_at_object(r, at, fields, SK_COUNT(fields)) || !sk_at_need(r, at, "rods") || !sk_at_need(r, at, "force"))
    return;
  const char *name = sk_get_string(r, at, "rods", NULL);
  sk_at rods = sk_at_get(at, "rods"), end = sk_at_get(at, "until");
  if (!name || !sk_find_rods(r, &rods, name, &f->rod_first, &f->rod_count)) return;
  f->s = read_place(r, at, f);
  sk_store3(f->force, sk_get_vector(r, at, "force", SK_FORCE, sk_vec(0, 0, 0)));
  f->from = sk_get_number(r, at, "from", SK_TIME, SK_NOT_NEGATIVE, 0);
  f->until = sk_get_number(r, at, "until", SK_TIME, SK_NOT_NEGATIVE, HUGE_VAL);
  f->ramp = sk_get_number(r, at, "ramp", SK_TIME, SK_NOT_NEGATIVE, 0);
  if (!sk_failed(r) && !(f->until > f->from))
    sk_at_fail(r, &end, "is %g s, expected later than 'from', %g s", f->until, f->from);
}

void sk_read_forces(sk_reader *r, const sk_at *root)
{
  sk_at at = sk_at_get(root, "forces");
  size_t count = sk_at_array(r, &at);
  if (sk_failed(r) || !count) return;
  if (count > SK_MOST_RODS) sk_at_fail(r, &at, "has %zu items, expected at most %d", count, SK_MOST_RODS);
  r->scene->forces = SK_READ_NEW(r, count, sk_scene_force);
  for (size_t i = 0; i < count && !sk_failed(r); i++) {
    sk_at item = sk_at_item(&at, i);
    read_force(r, &item, r->scene->forces + i);
    r->scene->force_count++;
  }
}
