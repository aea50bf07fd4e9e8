/* What all parts of the scene reader share: a place in the JSON tree that knows its path, typed reads that turn what
 * the file says into SI, and one failure that is kept (the first), so that readers are straight lines. */
#ifndef SK_SCENE_READER_H
#define SK_SCENE_READER_H

#include "scene/files.h"
#include "scene/scene.h"

#include <jansson.h>

/* A value and the way to it. Lives on the stack of whoever reads; the parent must live as long. */
typedef struct sk_at {
  json_t *value; /* NULL: the file does not have it */
  const struct sk_at *up;
  const char *key; /* NULL: item of an array */
  size_t index;
} sk_at;

/* What one unit of a field is in SI depends on the units of the scene. */
typedef enum sk_dimension {
  SK_ONE,
  SK_LENGTH,
  SK_TIME,
  SK_SPEED,
  SK_ACCELERATION,
  SK_CURVATURE,
  SK_FREQUENCY,
  SK_ANGLE,      /* degrees */
  SK_ANGLE_RATE, /* degrees per time */
  SK_PRESSURE,
  SK_DENSITY,
  SK_MASS,
  SK_DRAG, /* mass / (length time) */
  SK_FORCE,
  SK_DIMENSION_COUNT
} sk_dimension;

typedef enum sk_bound { SK_ANY, SK_NOT_NEGATIVE, SK_POSITIVE, SK_SHARE /* 0 .. 1 */ } sk_bound;

/* A material in SI. */
typedef struct sk_material {
  const char *name;
  double E, G, density, radius1, radius2, damping, drag;
  double collision_radius; /* 0: the section's mean radius */
  sk_rgb colour;
} sk_material;

/* One entry of "rods" and what it became. */
typedef struct sk_entry {
  const char *name;
  int first, count;
} sk_entry;

#define SK_HEAD_HEIGHT 0.23 /* m, chin to crown: of a head whose scene does not say it */

enum { SK_MOST_RODS = 1000000, SK_MOST_GROUPS = 1000, SK_MOST_CELLS = 1000000 };

typedef struct sk_reader {
  skein_scene *scene;
  sk_arena *arena; /* the scene's */
  const char *name, *folder, *text;
  char **sets; /* paths that --set replaced */
  int set_count;
  skein_status status; /* the first failure */
  double factor[SK_DIMENSION_COUNT];
  json_t *group_index, *body_index, *entry_index; /* names to numbers */
  bool groups_listed;
  sk_material *materials;
  int material_count;
  sk_entry *entries;
  int entry_count;
  int rod_room; /* scene->rods is on the heap while it grows */
} sk_reader;

static inline bool sk_failed(const sk_reader *r)
{
  return r->status.code != SKEIN_OK;
}

/* Whether the caller wants the reading to end, which is a failure then. Not from several threads. */
static inline bool sk_read_stopped(sk_reader *r)
{
  if (!sk_failed(r)) r->status = sk_unless_stopped(r->status, &r->scene->stop);
  return sk_failed(r);
}

/* ---- Failures: "name:line: path: what was expected" ---- */
__attribute__((format(printf, 3, 4))) void sk_at_fail(sk_reader *r, const sk_at *at, const char *format, ...);
/* The same for what a file or another room says. */
void sk_at_refuse(sk_reader *r, const sk_at *at, skein_status why);
/* "expected a number, found true" */
void sk_at_wrong(sk_reader *r, const sk_at *at, const char *expected);
/* "unknown material 'hari', did you mean 'hair'?" or the list of what is known. kind NULL: the value is named already
 */
void sk_at_unknown(sk_reader *r, const sk_at *at, const char *kind, const char *word, const char *const *known,
                   int count);
/* NULL when memory is out, which fails the reader. */
void *sk_reader_alloc(sk_reader *r, size_t count, size_t size);
char *sk_reader_copy(sk_reader *r, const char *text);
#define SK_READ_NEW(r, count, type) ((type *)sk_reader_alloc((r), (size_t)(count), sizeof(type)))

/* ---- Walking ---- */
sk_at sk_at_get(const sk_at *object, const char *key);
sk_at sk_at_item(const sk_at *array, size_t index);
static inline bool sk_at_has(const sk_at *object, const char *key)
{
  return json_object_get(object->value, key) != NULL;
}
/* It is an object with none but these fields (and "comment"); false: failed, or not in the file. */
bool sk_at_object(sk_reader *r, const sk_at *at, const char *const *fields, int count);
/* The number of items of an array; 0 when it is not in the file or failed. */
size_t sk_at_array(sk_reader *r, const sk_at *at);
/* The field is there, or failed. */
bool sk_at_need(sk_reader *r, const sk_at *object, const char *key);

/* "rods[0].root.position"; the line of the value, or of the nearest thing around it that the file has. */
void sk_at_path(const sk_at *at, char *out, size_t size);
int sk_at_line(const sk_reader *r, const sk_at *at);

#define SK_COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

/* ---- Values of an object's field, in SI; the fallback (in SI) where the file does not have it ---- */
double sk_get_number(sk_reader *r, const sk_at *object, const char *key, sk_dimension unit, sk_bound bound,
                     double fallback);
sk_vec3 sk_get_vector(sk_reader *r, const sk_at *object, const char *key, sk_dimension unit, sk_vec3 fallback);
sk_vec3 sk_get_direction(sk_reader *r, const sk_at *object, const char *key, sk_vec3 fallback); /* made a unit vector */
sk_quat sk_get_rotation(sk_reader *r, const sk_at *object, const char *key, sk_quat fallback);
int sk_get_int(sk_reader *r, const sk_at *object, const char *key, int lo, int hi, int fallback);
bool sk_get_bool(sk_reader *r, const sk_at *object, const char *key, bool fallback);
const char *sk_get_string(sk_reader *r, const sk_at *object, const char *key, const char *fallback);
int sk_get_choice(sk_reader *r, const sk_at *object, const char *key, const char *kind, const char *const *words,
                  int count, int fallback);
/* One number by itself (an item of a list). */
double sk_at_number(sk_reader *r, const sk_at *at, sk_dimension unit, sk_bound bound);
/* An array of `count` numbers; 0 when it failed. */
size_t sk_at_numbers(sk_reader *r, const sk_at *at, sk_dimension unit, size_t count, double *out);

/* ---- Parts ---- */
void sk_read_units(sk_reader *r, const sk_at *root);
void sk_read_settings(sk_reader *r, const sk_at *root); /* settings.c: title, gravity, time, solver, output */
void sk_check_rigid(sk_reader *r, const sk_at *root);   /* solver.rigid against the rest; at the end */
void sk_read_materials(sk_reader *r, const sk_at *root);
const sk_material *sk_get_material(sk_reader *r, const sk_at *rod);
sk_rgb sk_colour_hex(const char *hex); /* look.c: "#rrggbb" */
sk_rgb sk_colour_pick(int index);      /* of a palette, round and round */
sk_rgb sk_get_colour(sk_reader *r, const sk_at *object, sk_rgb fallback);
void sk_read_camera(sk_reader *r, const sk_at *root);
void sk_read_group_list(sk_reader *r, const sk_at *root); /* groups.c */
int sk_get_group(sk_reader *r, const sk_at *object, const char *fallback);
void sk_read_pairs(sk_reader *r, const sk_at *root);
void sk_read_bodies(sk_reader *r, const sk_at *root);
struct sk_triangles;
/* animation.c: where the vertices of the mesh go, owned by the scene; NULL: nowhere, or failed. The mesh becomes that
 * of t = 0. scale: m per unit of the files */
sk_cache *sk_read_animation(sk_reader *r, const sk_at *shape, struct sk_triangles *mesh, double scale);
void sk_read_tube(sk_reader *r, const sk_at *at, sk_shape *shape); /* its radius is known */
int sk_get_body(sk_reader *r, const sk_at *object);                /* -1: the field is not there */
/* motion.c: an end's keys are offsets from its pose at the start, a body's are poses in the world. `turned` is what the
 * body's shape is turned by in its own axes (a plane's normal). */
sk_path sk_get_body_path(sk_reader *r, const sk_at *object, const sk_pose *base, sk_quat turned);
sk_path sk_get_end_path(sk_reader *r, const sk_at *object);
void sk_read_rods(sk_reader *r, const sk_at *root);
void sk_rods_push_out(sk_reader *r); /* outside.c: once rods, bodies and pairs are known */
/* shapes.c: curvatures and twist of "natural" or "initial" (three numbers per cell, 1/m); NULL: not in the file. */
const double *sk_get_cells(sk_reader *r, const sk_at *rod, const char *key, int *count);
/* The rods that a name stands for: an entry ("hair") or one of its rods ("hair[3]"); false: failed. */
bool sk_find_rods(sk_reader *r, const sk_at *at, const char *name, int *first, int *count);
void sk_read_events(sk_reader *r, const sk_at *root);
void sk_read_forces(sk_reader *r, const sk_at *root);
/* Registers a name: false and a failure when it is taken. kind: "rods", "bodies" */
bool sk_name_take(sk_reader *r, json_t *index, const sk_at *at, const char *kind, const char *name, int number);
/* values.c: "up" of a file, "z" or "y"; its points (3 each) turned so that up is z: (x, -z, y). */
bool sk_get_y_up(sk_reader *r, const sk_at *object);
void sk_turn_up(double *points, int count);
/* Scale and axes of a file that says something of them (or whose program is known by them): what the entry says goes
 * before. The first file of the scene whose unit was guessed is kept, for skein_scene_start. */
void sk_use_units(sk_reader *r, const sk_at *entry, const char *file, const sk_units *units, double *scale, bool *y_up);
/* The path of a file that is named in the scene; in the arena. */
const char *sk_reader_path(sk_reader *r, const char *file);

/* warnings.c: values that are allowed and hardly meant, at the end. */
void sk_find_warnings(sk_reader *r, const sk_at *root);
/* homes.c: where a field is that was looked for in the wrong place, "'time'"; NULL: nowhere, or not known. */
const char *sk_field_home(const sk_at *field);

/* sets.c: "path=value" strings put into the text (heap; replaced). paths: what they replaced, in the arena. */
skein_status sk_sets_apply(char **text, const char *name, const char *folder, const char *const *sets, int count,
                           sk_arena *arena, char ***paths);
/* A word, safe in a one-line message: control characters out, cut to what fits. */
const char *sk_safe(const char *word, char *buffer, size_t size);
/* The known word nearest to this one, or NULL when none is near. */
const char *sk_nearest(const char *word, const char *const *known, int count);

#endif
