/* "animation" of a mesh: the file with the places of its vertices over time. */
#include "scene/files.h"
#include "scene/reader.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

static const char *const endings[SK_CACHE_COUNT] = {".pc2", ".mdd", ".obj", ".abc", ".usda"};

static sk_cache_format format_of(sk_reader *r, const sk_at *at, const char *file)
{
  size_t n = strlen(file);
  for (int k = 0; k < SK_CACHE_COUNT; k++)
    if (n > strlen(endings[k]) && !strcasecmp(file + n - strlen(endings[k]), endings[k])) return (sk_cache_format)k;
  char word[80];
  sk_at_fail(r, at, "'%s': expected a file that ends with .pc2, .mdd, .obj, .abc or .usda",
             sk_safe(file, word, sizeof word));
  return SK_CACHE_PC2;
}

/* PC2 counts frames, MDD, Alembic and USD have times, OBJ files have numbers. */
static void check_fields(sk_reader *r, const sk_at *at, sk_cache_format format)
{
  sk_at fps = sk_at_get(at, "fps");
  if (sk_failed(r)) return;
  bool times = format == SK_CACHE_MDD || format >= SK_CACHE_ABC;
  if (times && fps.value)
    sk_at_fail(r, &fps, "is for .pc2 and .obj, an %s has the times of its frames", endings[format]);
  if (!times && !fps.value) sk_at_fail(r, at, "the field 'fps' is missing, which a %s needs", endings[format]);
  for (int k = 0; k < 2; k++) {
    sk_at number = sk_at_get(at, k ? "last" : "first");
    if (format != SK_CACHE_OBJ && number.value)
      sk_at_fail(r, &number, "is for numbered .obj files, a %s has all frames", endings[format]);
  }
  if (format == SK_CACHE_OBJ) sk_at_need(r, at, "last");
}

/* "xyz", "xzy", "xy-z": which coordinate of the cache is x, y and z of the mesh. */
static void read_axes(sk_reader *r, const sk_at *at, const char *usual, int axis[3])
{
  sk_at field = sk_at_get(at, "axes");
  const char *c = sk_get_string(r, at, "axes", usual);
  int seen = 0;
  if (sk_failed(r)) return;
  for (int k = 0; k < 3; k++) {
    int sign = *c == '-' ? -1 : 1;
    c += *c == '-';
    axis[k] = *c >= 'x' && *c <= 'z' ? sign * (*c - 'x' + 1) : 0;
    if (axis[k]) seen |= 1 << (sign * axis[k]), c++;
  }
  if (*c || seen != 14)
    sk_at_fail(r, &field, "expected x, y and z once each, a minus before those that are turned over");
}

sk_cache *sk_read_animation(sk_reader *r, const sk_at *shape, sk_triangles *mesh, double scale)
{
  static const char *const fields[] = {"file", "fps", "start", "first", "last", "axes"};
  sk_at at = sk_at_get(shape, "animation"), field = sk_at_get(&at, "file");
  char word[80];
  if (!at.value) return NULL;
  if (!json_is_object(at.value)) return sk_at_wrong(r, &at, "an object { }"), NULL;
  if (!sk_at_object(r, &at, fields, SK_COUNT(fields)) || !sk_at_need(r, &at, "file")) return NULL;
  const char *file = sk_get_string(r, &at, "file", NULL);
  if (sk_failed(r)) return NULL;
  sk_cache_def def = {.path = sk_reader_path(r, file), .format = format_of(r, &field, file), .scale = scale};
  check_fields(r, &at, def.format);
  def.fps = sk_get_number(r, &at, "fps", SK_ONE, SK_POSITIVE, 1);
  def.start = sk_get_number(r, &at, "start", SK_TIME, SK_ANY, 0);
  def.first = sk_get_int(r, &at, "first", 0, INT_MAX - 1, 1), def.last = sk_get_int(r, &at, "last", 0, INT_MAX - 1, 1);
  read_axes(r, &at, def.format >= SK_CACHE_ABC && mesh->units.y_up ? "x-zy" : "xyz", def.axis); /* as the mesh is */
  sk_at last = sk_at_get(&at, "last");
  if (!sk_failed(r) && def.last < def.first)
    sk_at_fail(r, &last, "is %d, expected at least %d, the first", def.last, def.first);
  if (sk_failed(r)) return NULL;
  sk_cache *cache;
  skein_status status = sk_cache_read(&def, mesh, &cache);
  sk_at_refuse(r, &field, sk_status_prefix(status, sk_safe(file, word, sizeof word)));
  if (!cache) return NULL;
  r->scene->caches[r->scene->cache_count++] = cache;
  sk_cache_places(cache, 0, mesh->v);
  return cache;
}
