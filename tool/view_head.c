/* The head of a page: what is known of a scene besides its frames, as JSON (docs/viewer.md). */
#include "view.h"

#include <stdlib.h>
#include <string.h>

static json_t *three(const double x[3])
{
  return json_pack("[fff]", x[0], x[1], x[2]);
}

static json_t *colour(const float c[3])
{
  return json_pack("[fff]", (double)c[0], (double)c[1], (double)c[2]);
}

/* Bytes as a JSON string. */
static json_t *packed(const void *data, size_t size)
{
  view_bytes text = {0};
  json_t *value = view_bytes_base64(&text, data, size) ? json_stringn((char *)text.data, text.size) : NULL;
  if (size == 0) value = json_string("");
  view_bytes_free(&text);
  return value;
}

static json_t *body(const skein_look_body *b)
{
  json_t *o = json_object();
  json_object_set_new(o, "name", tool_json_text(b->name ? b->name : ""));
  json_object_set_new(o, "group", tool_json_text(b->group ? b->group : ""));
  json_object_set_new(o, "colour", colour(b->colour));
  json_object_set_new(o, "endless", json_boolean(b->endless));
  json_object_set_new(o, "moves", json_boolean(b->moves));
  json_object_set_new(o, "deforms", json_boolean(b->deforms));
  json_object_set_new(o, "vertex", packed(b->vertex, 3 * sizeof(float) * (size_t)b->vertices));
  json_object_set_new(o, "normal", packed(b->normal, 3 * sizeof(float) * (size_t)b->vertices));
  json_object_set_new(o, "triangle", packed(b->triangle, 3 * sizeof(int) * (size_t)b->triangles));
  return o;
}

static json_t *bodies(const skein_look *look)
{
  json_t *list = json_array();
  for (int i = 0; i < skein_look_bodies(look); i++) json_array_append_new(list, body(skein_look_body_at(look, i)));
  return list;
}

/* Names and colours of a scale. */
static json_t *legend(const skein_look *look, skein_colour by)
{
  json_t *list = json_array();
  skein_legend_entry entry;
  for (int i = 0; skein_look_legend(look, by, i, &entry); i++) {
    json_t *o = json_object();
    json_object_set_new(o, "name", tool_json_text(entry.name));
    json_object_set_new(o, "colour", colour(entry.colour));
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *camera(const skein_look *look)
{
  skein_look_camera c = skein_look_camera_of(look);
  if (!c.given) return json_null();
  json_t *o = json_object();
  json_object_set_new(o, "eye", three(c.eye));
  json_object_set_new(o, "target", three(c.target));
  json_object_set_new(o, "up", three(c.up));
  json_object_set_new(o, "fov", json_real(c.fov));
  return o;
}

json_t *view_head_json(const skein_look *look, const view_head *head)
{
  json_t *o = json_object(), *groups = json_array(), *columns = json_array();
  if (!o || !groups || !columns) return NULL;
  for (int g = 0; g < skein_look_groups(look); g++)
    json_array_append_new(groups, tool_json_text(skein_look_group_name(look, g)));
  for (int c = 0; c < VIEW_COLUMNS; c++) json_array_append_new(columns, json_string(view_columns[c].name));
  json_object_set_new(o, "format", json_integer(1));
  json_object_set_new(o, "kind", json_string(head->live ? "live" : "run"));
  json_object_set_new(o, "title", tool_json_text(head->title));
  json_object_set_new(o, "file", tool_json_text(head->file));
  json_object_set_new(o, "version", tool_json_text(head->version));
  json_object_set_new(o, "fps", json_real(head->fps));
  json_object_set_new(o, "groups", groups);
  json_object_set_new(o, "materials", legend(look, SKEIN_BY_MATERIAL));
  json_object_set_new(o, "bodies", bodies(look));
  json_object_set_new(o, "camera", camera(look));
  json_object_set_new(o, "bounds", json_pack("[oo]", three(head->lo), three(head->hi)));
  json_object_set_new(o, "gravity", three(head->gravity));
  json_object_set_new(o, "columns", columns);
  json_object_set_new(o, "flaws", view_flaw_names());
  json_object_set_new(o, "scale", json_pack("{sfsf}", "speed", head->speed, "force", head->force));
  return o;
}

bool view_head_write(const json_t *head, view_bytes *out)
{
  char *text = json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(9));
  bool done = text != NULL;
  for (const char *c = text, *next; done && c; c = next) { /* "<" would end the element it stands in */
    next = strchr(c, '<');
    done = view_bytes_add(out, c, next ? (size_t)(next - c) : strlen(c)) && (!next || view_bytes_text(out, "\\u003c"));
    if (next) next++;
  }
  free(text);
  return done;
}
