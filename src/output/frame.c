/* Frames and steps as groups of an HDF5 file (docs/runs.md has the layout). */
#include "output/output.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Frames ---- */

void skein_frame_destroy(skein_frame *f)
{
  free(f->point_start), free(f->point), free(f->radius), free(f->rod_group), free(f->rod_source);
  free(f->body_pose);
  free(f->contact_object), free(f->contact_s);
  free(f->contact_point), free(f->contact_normal), free(f->contact_impulse);
  free(f->contact_gap), free(f->contact_status);
  free(f->surface_body), free(f->surface_start), free(f->surface_vertex);
  *f = (skein_frame){0};
}

static skein_status check_points(const skein_frame *f)
{
  if (f->point_start[0] != 0 || f->point_start[f->rods] != f->points)
    return sk_fail(SKEIN_BAD_INPUT, "point_start goes from %d to %d, expected 0 to %d", f->point_start[0],
                   f->point_start[f->rods], f->points);
  for (int i = 0; i < f->rods; i++)
    if (f->point_start[i + 1] < f->point_start[i]) return sk_fail(SKEIN_BAD_INPUT, "point_start falls at rod %d", i);
  for (int64_t k = 0; k < 3 * (int64_t)f->points; k++)
    if (!isfinite(f->point[k])) return sk_fail(SKEIN_BAD_INPUT, "points: point %lld is not finite", (long long)(k / 3));
  for (int i = 0; i < f->rods; i++)
    if (!isfinite(f->radius[i])) return sk_fail(SKEIN_BAD_INPUT, "radius of rod %d is not finite", i);
  for (int i = 0; i < f->rods; i++)
    if (f->rod_source[i] < 0 || f->rod_group[i] < 0)
      return sk_fail(SKEIN_BAD_INPUT, "rod_source or rod_group of rod %d is negative", i);
  for (int64_t k = 0; k < 7 * (int64_t)f->bodies; k++)
    if (!isfinite(f->body_pose[k]))
      return sk_fail(SKEIN_BAD_INPUT, "body_pose of body %lld is not finite", (long long)(k / 7));
  return sk_ok();
}

static bool all_finite(const double *x, size_t count)
{
  for (size_t k = 0; k < count; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

static skein_status check_contacts(const skein_frame *f)
{
  int objects = f->rods + f->bodies;
  size_t n = (size_t)f->contacts;
  if (!all_finite(f->contact_s, 2 * n) || !all_finite(f->contact_point, 3 * n) ||
      !all_finite(f->contact_normal, 3 * n) || !all_finite(f->contact_impulse, 3 * n) || !all_finite(f->contact_gap, n))
    return sk_fail(SKEIN_BAD_INPUT, "a number of a contact is not finite");
  for (int c = 0; c < f->contacts; c++) {
    const int *o = f->contact_object + 2 * (size_t)c;
    if (o[0] < 0 || o[0] >= objects || o[1] < 0 || o[1] >= objects)
      return sk_fail(SKEIN_BAD_INPUT, "contact %d is between objects %d and %d of %d", c, o[0], o[1], objects);
    if (f->contact_status[c] < 0 || f->contact_status[c] > 2)
      return sk_fail(SKEIN_BAD_INPUT, "contact %d has status %d, expected 0, 1 or 2", c, f->contact_status[c]);
  }
  return sk_ok();
}

static skein_status check_surfaces(const skein_frame *f)
{
  if (f->surfaces == 0) return sk_ok();
  if (f->surfaces < 0 || f->surfaces > f->bodies || f->surface_vertices < 0 || f->surface_vertices > INT_MAX / 8 ||
      !f->surface_body || !f->surface_start || (f->surface_vertices > 0 && !f->surface_vertex))
    return sk_fail(SKEIN_BAD_INPUT, "surfaces are not those of %d bodies", f->bodies);
  bool good = f->surface_start[0] == 0 && f->surface_start[f->surfaces] == f->surface_vertices;
  for (int k = 0; k < f->surfaces; k++)
    good = good && f->surface_start[k] <= f->surface_start[k + 1] && f->surface_body[k] >= 0 &&
           f->surface_body[k] < f->bodies;
  if (!good) return sk_fail(SKEIN_BAD_INPUT, "surface_start or surface_body is out of order");
  for (int64_t k = 0; k < 3 * (int64_t)f->surface_vertices; k++)
    if (!isfinite(f->surface_vertex[k]))
      return sk_fail(SKEIN_BAD_INPUT, "surface_vertex %lld is not finite", (long long)(k / 3));
  return sk_ok();
}

skein_status sk_frame_check(const skein_frame *f)
{
  enum { most = INT_MAX / 8 };
  if (f->index < 0 || !isfinite(f->time) || !isfinite(f->dt))
    return sk_fail(SKEIN_BAD_INPUT, "index, time or dt is not a number of a frame");
  if (f->rods < 0 || f->points < 0 || f->bodies < 0 || f->contacts < 0 || f->rods > most || f->points > most ||
      f->bodies > most || f->contacts > most)
    return sk_fail(SKEIN_BAD_INPUT, "a number of rods, points, bodies or contacts is out of range");
  bool rods =
      f->point_start && (f->points == 0 || f->point) && (f->rods == 0 || (f->radius && f->rod_group && f->rod_source));
  bool contacts = f->contacts == 0 || (f->contact_object && f->contact_s && f->contact_point && f->contact_normal &&
                                       f->contact_impulse && f->contact_gap && f->contact_status);
  if (!rods || !contacts || (f->bodies > 0 && !f->body_pose))
    return sk_fail(SKEIN_BAD_INPUT, "an array of the frame is missing");
  skein_status s = check_points(f);
  if (s.code == SKEIN_OK) s = check_contacts(f);
  return s.code == SKEIN_OK ? check_surfaces(f) : s;
}

/* Only where bodies deform. */
static void put_surfaces(sk_h5 *h, hid_t g, const skein_frame *f)
{
  if (f->surfaces == 0) return;
  hid_t c = sk_h5_put_group(h, g, "surfaces", 3);
  sk_h5_put(h, c, "body", H5T_NATIVE_INT, f->surfaces, 0, f->surface_body, SK_H5_PACKED);
  sk_h5_put(h, c, "start", H5T_NATIVE_INT, (int64_t)f->surfaces + 1, 0, f->surface_start, SK_H5_PACKED);
  sk_h5_put(h, c, "vertices", H5T_NATIVE_FLOAT, f->surface_vertices, 3, f->surface_vertex, SK_H5_PACKED);
  sk_h5_end(c);
}

void sk_frame_put(sk_h5 *h, hid_t g, const skein_frame *f)
{
  const hid_t integer = H5T_NATIVE_INT, single = H5T_NATIVE_FLOAT, number = H5T_NATIVE_DOUBLE;
  sk_h5_put_attribute(h, g, "index", integer, &f->index);
  sk_h5_put_attribute(h, g, "time", number, &f->time);
  sk_h5_put_attribute(h, g, "dt", number, &f->dt);
  sk_h5_put(h, g, "point_start", integer, (int64_t)f->rods + 1, 0, f->point_start, SK_H5_PACKED);
  sk_h5_put(h, g, "points", single, f->points, 3, f->point, SK_H5_PACKED);
  sk_h5_put(h, g, "radius", single, f->rods, 0, f->radius, SK_H5_PACKED);
  sk_h5_put(h, g, "rod_group", integer, f->rods, 0, f->rod_group, SK_H5_PACKED);
  sk_h5_put(h, g, "rod_source", integer, f->rods, 0, f->rod_source, SK_H5_PACKED);
  sk_h5_put(h, g, "body_pose", number, f->bodies, 7, f->body_pose, SK_H5_PACKED);
  hid_t c = sk_h5_put_group(h, g, "contacts", 7);
  sk_h5_put(h, c, "object", integer, f->contacts, 2, f->contact_object, SK_H5_PACKED);
  sk_h5_put(h, c, "s", number, f->contacts, 2, f->contact_s, SK_H5_PACKED);
  sk_h5_put(h, c, "point", number, f->contacts, 3, f->contact_point, SK_H5_PACKED);
  sk_h5_put(h, c, "normal", number, f->contacts, 3, f->contact_normal, SK_H5_PACKED);
  sk_h5_put(h, c, "impulse", number, f->contacts, 3, f->contact_impulse, SK_H5_PACKED);
  sk_h5_put(h, c, "gap", number, f->contacts, 0, f->contact_gap, SK_H5_PACKED);
  sk_h5_put(h, c, "status", H5T_NATIVE_SCHAR, f->contacts, 0, f->contact_status, SK_H5_PACKED);
  sk_h5_end(c);
  put_surfaces(h, g, f);
}

/* One array of a frame: where it goes, how it is stored, and its number of rows. */
typedef struct frame_field {
  const char *name;
  hid_t type;
  int *count; /* filled when it is -1 */
  int more;   /* rows beyond the count */
  int cols;
  void **data;
} frame_field;

static skein_status get_fields(const sk_h5 *h, hid_t group, const frame_field *field, int fields)
{
  skein_status s = sk_ok();
  for (int k = 0; k < fields && s.code == SKEIN_OK; k++) {
    const frame_field *f = &field[k];
    int64_t rows = *f->count < 0 ? -1 : (int64_t)*f->count + f->more;
    s = sk_h5_get(h, group, f->name, f->type, &rows, f->cols, f->data);
    if (s.code != SKEIN_OK) break;
    if (rows > INT_MAX || rows < f->more) s = sk_fail(SKEIN_BAD_INPUT, "'%s' has %lld rows", f->name, (long long)rows);
    else *f->count = (int)(rows - f->more);
  }
  return s;
}

static skein_status get_contacts(const sk_h5 *h, hid_t group, skein_frame *f)
{
  hid_t c;
  skein_status s = sk_h5_get_group(group, "contacts", &c);
  if (s.code != SKEIN_OK) return s;
  const frame_field field[] = {
      {"object", H5T_NATIVE_INT, &f->contacts, 0, 2, (void **)&f->contact_object},
      {"s", H5T_NATIVE_DOUBLE, &f->contacts, 0, 2, (void **)&f->contact_s},
      {"point", H5T_NATIVE_DOUBLE, &f->contacts, 0, 3, (void **)&f->contact_point},
      {"normal", H5T_NATIVE_DOUBLE, &f->contacts, 0, 3, (void **)&f->contact_normal},
      {"impulse", H5T_NATIVE_DOUBLE, &f->contacts, 0, 3, (void **)&f->contact_impulse},
      {"gap", H5T_NATIVE_DOUBLE, &f->contacts, 0, 0, (void **)&f->contact_gap},
      {"status", H5T_NATIVE_SCHAR, &f->contacts, 0, 0, (void **)&f->contact_status},
  };
  s = get_fields(h, c, field, (int)(sizeof field / sizeof *field));
  sk_h5_end(c);
  return s;
}

static skein_status get_surfaces(const sk_h5 *h, hid_t group, skein_frame *f)
{
  hid_t c;
  if (H5Lexists(group, "surfaces", H5P_DEFAULT) == 0) return sk_ok();
  skein_status s = sk_h5_get_group(group, "surfaces", &c);
  if (s.code != SKEIN_OK) return s;
  f->surfaces = f->surface_vertices = -1;
  const frame_field field[] = {
      {"body", H5T_NATIVE_INT, &f->surfaces, 0, 0, (void **)&f->surface_body},
      {"start", H5T_NATIVE_INT, &f->surfaces, 1, 0, (void **)&f->surface_start},
      {"vertices", H5T_NATIVE_FLOAT, &f->surface_vertices, 0, 3, (void **)&f->surface_vertex},
  };
  s = get_fields(h, c, field, (int)(sizeof field / sizeof *field));
  sk_h5_end(c);
  return s;
}

skein_status sk_frame_get(const sk_h5 *h, hid_t group, skein_frame *f)
{
  *f = (skein_frame){.rods = -1, .points = -1, .bodies = -1, .contacts = -1};
  const frame_field field[] = {
      {"point_start", H5T_NATIVE_INT, &f->rods, 1, 0, (void **)&f->point_start},
      {"points", H5T_NATIVE_FLOAT, &f->points, 0, 3, (void **)&f->point},
      {"radius", H5T_NATIVE_FLOAT, &f->rods, 0, 0, (void **)&f->radius},
      {"rod_group", H5T_NATIVE_INT, &f->rods, 0, 0, (void **)&f->rod_group},
      {"rod_source", H5T_NATIVE_INT, &f->rods, 0, 0, (void **)&f->rod_source},
      {"body_pose", H5T_NATIVE_DOUBLE, &f->bodies, 0, 7, (void **)&f->body_pose},
  };
  skein_status s = sk_h5_get_attribute(group, "index", H5T_NATIVE_INT, &f->index);
  if (s.code == SKEIN_OK) s = sk_h5_get_attribute(group, "time", H5T_NATIVE_DOUBLE, &f->time);
  if (s.code == SKEIN_OK) s = sk_h5_get_attribute(group, "dt", H5T_NATIVE_DOUBLE, &f->dt);
  if (s.code == SKEIN_OK) s = get_fields(h, group, field, (int)(sizeof field / sizeof *field));
  if (s.code == SKEIN_OK) s = get_contacts(h, group, f);
  if (s.code == SKEIN_OK) s = get_surfaces(h, group, f);
  if (s.code == SKEIN_OK) s = sk_frame_check(f);
  if (s.code != SKEIN_OK) skein_frame_destroy(f);
  return s;
}

/* ---- Steps ---- */

typedef enum column_kind { NUMBER, INTEGER, TRUTH } column_kind;

typedef struct step_column {
  const char *name;
  column_kind kind;
  size_t offset;
  bool optional; /* files of earlier versions have none: it is 0 there */
} step_column;

#define COLUMN(kind, field)                                                                                            \
  {                                                                                                                    \
#field, kind, offsetof(skein_step_info, field), false                                                              \
  }
#define OPTIONAL(kind, field)                                                                                          \
  {                                                                                                                    \
#field, kind, offsetof(skein_step_info, field), true                                                               \
  }
static const step_column columns[] = {
    COLUMN(NUMBER, time),
    COLUMN(NUMBER, dt),
    COLUMN(INTEGER, retries),
    COLUMN(INTEGER, contacts),
    COLUMN(INTEGER, islands),
    COLUMN(INTEGER, rods_asleep),
    COLUMN(NUMBER, nu),
    COLUMN(INTEGER, sweeps),
    COLUMN(NUMBER, error),
    OPTIONAL(NUMBER, tol),
    COLUMN(TRUTH, converged),
    COLUMN(INTEGER, stick),
    COLUMN(INTEGER, slide),
    COLUMN(INTEGER, open),
    COLUMN(NUMBER, penetration),
    COLUMN(NUMBER, speed),
    COLUMN(NUMBER, kinetic),
    COLUMN(NUMBER, elastic),
    COLUMN(NUMBER, gravity),
    OPTIONAL(NUMBER, work),
    COLUMN(NUMBER, dissipated),
    OPTIONAL(NUMBER, dissipated_friction),
    COLUMN(NUMBER, seconds_rods),
    COLUMN(NUMBER, seconds_collide),
    COLUMN(NUMBER, seconds_assemble),
    COLUMN(NUMBER, seconds_solve),
    COLUMN(NUMBER, seconds_other),
    OPTIONAL(NUMBER, seconds_loop),
    OPTIONAL(NUMBER, memory),
};
#undef COLUMN
#undef OPTIONAL
enum { column_count = sizeof columns / sizeof columns[0] };

static hid_t column_type(column_kind kind)
{
  return kind == NUMBER ? H5T_NATIVE_DOUBLE : kind == INTEGER ? H5T_NATIVE_INT : H5T_NATIVE_SCHAR;
}

/* The column c of the steps as an array, or from one. */
static void column_out(const step_column *c, const skein_step_info *steps, int count, void *array)
{
  for (int k = 0; k < count; k++) {
    const char *at = (const char *)&steps[k] + c->offset;
    if (c->kind == NUMBER) ((double *)array)[k] = *(const double *)(const void *)at;
    else if (c->kind == INTEGER) ((int *)array)[k] = *(const int *)(const void *)at;
    else ((signed char *)array)[k] = *(const bool *)at;
  }
}

static void column_in(const step_column *c, const void *array, skein_step_info *steps, int64_t count)
{
  for (int64_t k = 0; k < count; k++) {
    char *at = (char *)&steps[k] + c->offset;
    if (c->kind == NUMBER) *(double *)(void *)at = ((const double *)array)[k];
    else if (c->kind == INTEGER) *(int *)(void *)at = ((const int *)array)[k];
    else *(bool *)at = ((const signed char *)array)[k] != 0;
  }
}

/* Numbers are finite, counts are not negative, truths are 0 or 1. */
static skein_status check_column(const step_column *c, const void *array, int64_t count)
{
  for (int64_t k = 0; k < count; k++) {
    double x = c->kind == NUMBER    ? ((const double *)array)[k]
               : c->kind == INTEGER ? ((const int *)array)[k]
                                    : ((const signed char *)array)[k];
    const char *wanted = c->kind == NUMBER ? "a finite number" : c->kind == INTEGER ? "0 or more" : "0 or 1";
    bool good = isfinite(x) && (c->kind == NUMBER || x >= 0) && (c->kind != TRUTH || x <= 1);
    if (!good) return sk_fail(SKEIN_BAD_INPUT, "%s of step %lld is %g, expected %s", c->name, (long long)k, x, wanted);
  }
  return sk_ok();
}

skein_status sk_steps_put(sk_h5 *h, hid_t in, const skein_step_info *steps, int count)
{
  double *array = sk_calloc((size_t)count, sizeof *array);
  if (!array) return sk_no_memory();
  hid_t group = sk_h5_put_group(h, in, "steps", column_count);
  for (int c = 0; c < column_count; c++) {
    column_out(&columns[c], steps, count, array);
    sk_h5_put(h, group, columns[c].name, column_type(columns[c].kind), count, 0, array, SK_H5_PACKED);
  }
  sk_h5_end(group);
  free(array);
  return sk_ok();
}

static skein_status get_columns(const sk_h5 *h, hid_t group, skein_step_info **steps, int64_t *count)
{
  skein_status s = sk_ok();
  for (int c = 0; c < column_count && s.code == SKEIN_OK; c++) {
    void *array;
    if (columns[c].optional && H5Lexists(group, columns[c].name, H5P_DEFAULT) == 0) continue;
    s = sk_h5_get(h, group, columns[c].name, column_type(columns[c].kind), count, 0, &array);
    if (s.code == SKEIN_OK) s = check_column(&columns[c], array, *count);
    if (s.code == SKEIN_OK && !*steps && !(*steps = sk_calloc((size_t)*count, sizeof **steps))) s = sk_no_memory();
    if (s.code == SKEIN_OK) column_in(&columns[c], array, *steps, *count);
    free(array);
  }
  return s;
}

skein_status sk_steps_get(const sk_h5 *h, hid_t in, skein_step_info **steps, int *count)
{
  hid_t group;
  int64_t rows = -1;
  *steps = NULL, *count = 0;
  if (H5Lexists(in, "steps", H5P_DEFAULT) == 0) return sk_ok();
  skein_status s = sk_h5_get_group(in, "steps", &group);
  if (s.code != SKEIN_OK) return s;
  s = sk_status_prefix(get_columns(h, group, steps, &rows), "steps");
  sk_h5_end(group);
  if (s.code == SKEIN_OK) *count = (int)rows;
  else free(*steps), *steps = NULL;
  return s;
}
