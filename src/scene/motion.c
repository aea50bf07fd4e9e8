/* Prescribed motion as it stands in the file: keys and waves. Angles in degrees there, in radians here. */
#include "scene/reader.h"

static sk_wave read_wave(sk_reader *r, const sk_at *at)
{
  static const char *const fields[] = {"turn", "axis", "amplitude", "frequency", "phase", "rate", "start"};
  sk_wave w = {0};
  if (!json_is_object(at->value)) sk_at_wrong(r, at, "an object { }");
  if (!sk_at_object(r, at, fields, SK_COUNT(fields)) || !sk_at_need(r, at, "axis")) return w;
  w.turns = sk_get_bool(r, at, "turn", false);
  w.axis = sk_get_direction(r, at, "axis", sk_vec(0, 0, 1));
  w.amplitude = sk_get_number(r, at, "amplitude", w.turns ? SK_ANGLE : SK_LENGTH, SK_ANY, 0);
  w.rate = sk_get_number(r, at, "rate", w.turns ? SK_ANGLE_RATE : SK_SPEED, SK_ANY, 0);
  w.frequency = sk_get_number(r, at, "frequency", SK_FREQUENCY, SK_NOT_NEGATIVE, 0);
  w.phase = sk_get_number(r, at, "phase", SK_ANGLE, SK_ANY, 0);
  w.start = sk_get_number(r, at, "start", SK_TIME, SK_NOT_NEGATIVE, 0);
  if (!sk_at_has(at, "amplitude") && !sk_at_has(at, "rate"))
    sk_at_fail(r, at, "does not move, expected 'amplitude' and 'frequency', or 'rate'");
  if (sk_at_has(at, "amplitude") != sk_at_has(at, "frequency"))
    sk_at_fail(r, at, "has one of 'amplitude' and 'frequency', expected both");
  return w;
}

static void read_waves(sk_reader *r, const sk_at *motion, sk_path *p)
{
  sk_at at = sk_at_get(motion, "waves");
  size_t count = sk_at_array(r, &at);
  p->waves = count ? SK_READ_NEW(r, count, sk_wave) : NULL;
  for (size_t i = 0; i < count && !sk_failed(r); i++) {
    sk_at item = sk_at_item(&at, i);
    p->waves[i] = read_wave(r, &item), p->wave_count++;
  }
}

/* place: the name of the field with the place of a key. */
static void read_keys(sk_reader *r, const sk_at *motion, const char *place, const sk_pose *base, sk_path *p)
{
  const char *const fields[] = {"time", place, "rotation"};
  sk_at at = sk_at_get(motion, "keys");
  size_t count = sk_at_array(r, &at);
  p->keys = count ? SK_READ_NEW(r, count, sk_key) : NULL;
  for (size_t i = 0; i < count && !sk_failed(r); i++) {
    sk_at item = sk_at_item(&at, i), time = sk_at_get(&item, "time");
    sk_pose last = i ? (sk_pose){p->keys[i - 1].r, p->keys[i - 1].q} : *base; /* what a key does not say stays */
    if (!json_is_object(item.value)) sk_at_wrong(r, &item, "an object { }");
    if (!sk_at_object(r, &item, fields, 3) || !sk_at_need(r, &item, "time")) return;
    sk_key *k = &p->keys[i];
    k->time = sk_get_number(r, &item, "time", SK_TIME, SK_NOT_NEGATIVE, 0);
    k->r = sk_get_vector(r, &item, place, SK_LENGTH, last.r), k->q = sk_get_rotation(r, &item, "rotation", last.q);
    if (i && !sk_failed(r) && !(k->time > p->keys[i - 1].time))
      sk_at_fail(r, &time, "is not after that of the key before, expected ascending times");
    p->key_count++;
  }
}

/* A body may turn about another place than its own. */
static sk_path read_path(sk_reader *r, const sk_at *object, const char *place, const sk_pose *base, bool body)
{
  static const char *const fields[] = {"keys", "waves", "pivot"};
  sk_path p = {0};
  sk_at at = sk_at_get(object, "motion");
  if (!sk_at_object(r, &at, fields, body ? 3 : 2)) return p;
  read_keys(r, &at, place, base, &p);
  read_waves(r, &at, &p);
  if (!p.key_count && !p.wave_count) sk_at_fail(r, &at, "is empty, expected 'keys' or 'waves'");
  return p;
}

sk_path sk_get_body_path(sk_reader *r, const sk_at *object, const sk_pose *base, sk_quat turned)
{
  sk_path p = read_path(r, object, "position", base, true);
  for (int i = 0; i < p.key_count; i++) p.keys[i].q = sk_quat_mul(p.keys[i].q, turned);
  return p;
}

sk_path sk_get_end_path(sk_reader *r, const sk_at *object)
{
  sk_pose still = {.q = {.w = 1}};
  return read_path(r, object, "offset", &still, false);
}
