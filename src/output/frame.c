/* Frames as groups of an HDF5 file (docs/runs.md has the layout). */
#include "output/output.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Frames ---- */

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
