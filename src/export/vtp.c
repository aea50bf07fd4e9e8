/* VTK PolyData (XML, raw appended data), one file per frame in the folder OUT, and OUT.pvd that gives them times. Rods
 * are polylines with values per point and per rod; contacts (OUT_contacts.pvd) are vertices; bodies (OUT_bodies.pvd)
 * are polygons in the world. Lengths in the unit of the file, all else in SI. */
#include "export/export.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- One file: arrays in sections ---- */

typedef enum kind { F32, F64, I32, I8, U8 } kind;
typedef enum section { POINT_DATA, CELL_DATA, POINTS, CELLS, SECTIONS } section;
enum { MOST_ARRAYS = 24 };

typedef struct array {
  section in;
  const char *name;
  kind type;
  int parts; /* numbers per entry */
  size_t count;
  const void *data;
} array;

typedef struct piece {
  const char *cells; /* "Verts", "Lines" or "Polys" */
  int points, cell_count;
  double time;
  array array[MOST_ARRAYS];
  int arrays;
  void *owned[MOST_ARRAYS]; /* freed with it */
  int owneds;
  bool starved;
} piece;

static const char *const type_names[] = {"Float32", "Float64", "Int32", "Int8", "UInt8"};
static const size_t type_sizes[] = {4, 8, 4, 1, 1};

static void add(piece *p, section in, const char *name, kind type, int parts, size_t entries, const void *data)
{
  p->array[p->arrays++] = (array){in, name, type, parts, entries * (size_t)parts, data};
}

/* The same of an array that is made here, zeroed. */
static void *add_new(piece *p, section in, const char *name, kind type, int parts, size_t entries)
{
  void *data = sk_calloc(entries * (size_t)parts, type_sizes[type]);
  if (!data) return p->starved = true, NULL;
  p->owned[p->owneds++] = data;
  add(p, in, name, type, parts, entries, data);
  return data;
}

static void put_value(FILE *o, const array *a, size_t k)
{
  double x;
  uint64_t bits;
  switch (a->type) {
  case F32:
    sk_put_f32(o, ((const float *)a->data)[k]);
    break;
  case F64:
    x = ((const double *)a->data)[k];
    memcpy(&bits, &x, sizeof bits);
    sk_put_i32(o, (int)(uint32_t)bits), sk_put_i32(o, (int)(uint32_t)(bits >> 32));
    break;
  case I32:
    sk_put_i32(o, ((const int *)a->data)[k]);
    break;
  default:
    fputc(((const unsigned char *)a->data)[k], o);
  }
}

static void put_section(FILE *o, const piece *p, section in, const char *tag, const char *more)
{
  size_t offset = 0;
  fprintf(o, "      <%s%s>\n", tag, more);
  for (int k = 0; k < p->arrays; k++) {
    const array *a = &p->array[k];
    if (a->in == in)
      fprintf(
          o,
          "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%zu\"/>\n",
          type_names[a->type], a->name, a->parts, offset);
    offset += 8 + a->count * type_sizes[a->type];
  }
  fprintf(o, "      </%s>\n", tag);
}

static void put_piece(FILE *o, const piece *p)
{
  bool verts = !strcmp(p->cells, "Verts"), lines = !strcmp(p->cells, "Lines");
  fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n  <PolyData>\n    <FieldData>\n"
        "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">",
        o);
  sk_put_double(o, p->time);
  fputs("</DataArray>\n    </FieldData>\n", o);
  fprintf(o,
          "    <Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" NumberOfStrips=\"0\" "
          "NumberOfPolys=\"%d\">\n",
          p->points, verts ? p->cell_count : 0, lines ? p->cell_count : 0, verts || lines ? 0 : p->cell_count);
  put_section(o, p, POINT_DATA, "PointData", "");
  put_section(o, p, CELL_DATA, "CellData", "");
  put_section(o, p, POINTS, "Points", "");
  put_section(o, p, CELLS, p->cells, "");
  fputs("    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_", o);
  for (int k = 0; k < p->arrays; k++) {
    const array *a = &p->array[k];
    uint64_t bytes = a->count * type_sizes[a->type];
    sk_put_i32(o, (int)(uint32_t)bytes), sk_put_i32(o, (int)(uint32_t)(bytes >> 32));
    for (size_t i = 0; i < a->count; i++) put_value(o, a, i);
  }
  fputs("\n  </AppendedData>\n</VTKFile>\n", o);
}

static void free_piece(piece *p)
{
  for (int k = 0; k < p->owneds; k++) free(p->owned[k]);
}

/* ---- Rods, contacts, bodies ---- */

static void fill_rods(piece *p, const sk_view *view)
{
  const skein_frame *f = &view->f;
  size_t points = (size_t)f->points, rods = (size_t)f->rods;
  p->cells = "Lines", p->points = f->points, p->cell_count = f->rods;
  add(p, POINTS, "Points", F32, 3, points, f->point);
  add(p, POINT_DATA, "speed", F32, 1, points, view->value[SK_SPEED]);
  add(p, POINT_DATA, "force", F32, 1, points, view->value[SK_FORCE]);
  add(p, POINT_DATA, "abscissa", F32, 1, points, view->abscissa);
  float *radius = add_new(p, POINT_DATA, "radius", F32, 1, points);
  int *status = add_new(p, POINT_DATA, "status", I32, 1, points),
      *island = add_new(p, POINT_DATA, "island", I32, 1, points);
  int *rod = add_new(p, POINT_DATA, "rod", I32, 1, points), *group = add_new(p, POINT_DATA, "group", I32, 1, points);
  unsigned char *colour = add_new(p, CELL_DATA, "colour", U8, 3, rods);
  int *connect = add_new(p, CELLS, "connectivity", I32, 1, points);
  add(p, CELL_DATA, "source", I32, 1, rods, f->rod_source);
  add(p, CELLS, "offsets", I32, 1, rods, f->point_start + 1);
  if (p->starved) return;
  for (int i = 0; i < f->rods; i++) {
    for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++) {
      radius[k] = f->radius[i], rod[k] = i, group[k] = f->rod_group[i], connect[k] = k;
      status[k] = (int)view->value[SK_STATUS][k], island[k] = (int)view->value[SK_ISLAND][k];
    }
    for (size_t c = 0; c < 3; c++)
      colour[3 * (size_t)i + c] = (unsigned char)sk_srgb_byte(view->colour[3 * (size_t)i + c]);
  }
}

static void fill_contacts(piece *p, const sk_view *view)
{
  const skein_frame *f = &view->f;
  size_t n = (size_t)f->contacts;
  p->cells = "Verts", p->points = p->cell_count = f->contacts;
  add(p, POINTS, "Points", F64, 3, n, f->contact_point);
  add(p, POINT_DATA, "normal", F64, 3, n, f->contact_normal);
  add(p, POINT_DATA, "impulse", F64, 3, n, f->contact_impulse);
  add(p, POINT_DATA, "gap", F64, 1, n, f->contact_gap);
  add(p, POINT_DATA, "status", I8, 1, n, f->contact_status);
  add(p, POINT_DATA, "object", I32, 2, n, f->contact_object);
  double *force = add_new(p, POINT_DATA, "force", F64, 1, n);
  int *connect = add_new(p, CELLS, "connectivity", I32, 1, n), *offset = add_new(p, CELLS, "offsets", I32, 1, n);
  for (size_t c = 0; !p->starved && c < n; c++) {
    connect[c] = (int)c, offset[c] = (int)c + 1;
    force[c] = f->dt > 0 ? sk_norm(sk_load3(f->contact_impulse + 3 * c)) / f->dt : 0;
  }
}

/* Where body i stands in the arrays of all. */
typedef struct body_arrays {
  float *point, *normal;
  int *body, *connect, *offset;
  unsigned char *colour;
  int vertex, triangle;
} body_arrays;

static bool fill_body(const sk_export *x, const sk_view *view, int i, body_arrays *a)
{
  const skein_look_body *b = skein_look_body_at(x->look, i);
  float *v = sk_body_vertices(x, view, i);
  for (size_t k = 0; v && k < (size_t)b->vertices; k++) {
    sk_vec3 r = sk_body_out(view, i, v + 3 * k), n = sk_body_turn(view, i, v + 3 * ((size_t)b->vertices + k));
    size_t at = 3 * ((size_t)a->vertex + k);
    a->point[at] = (float)r.x, a->point[at + 1] = (float)r.y, a->point[at + 2] = (float)r.z;
    a->normal[at] = (float)n.x, a->normal[at + 1] = (float)n.y, a->normal[at + 2] = (float)n.z;
  }
  for (int t = 0; v && t < b->triangles; t++) {
    size_t at = (size_t)a->triangle + (size_t)t;
    a->body[at] = i, a->offset[at] = 3 * ((int)at + 1);
    for (size_t c = 0; c < 3; c++) {
      a->connect[3 * at + c] = a->vertex + b->triangle[3 * (size_t)t + c];
      a->colour[3 * at + c] = (unsigned char)sk_srgb_byte(b->colour[c]);
    }
  }
  a->vertex += b->vertices, a->triangle += b->triangles;
  free(v);
  return v != NULL;
}

static void fill_bodies(piece *p, const sk_export *x, const sk_view *view)
{
  int bodies = sk_view_bodies(x, view);
  p->cells = "Polys";
  for (int i = 0; i < bodies; i++) {
    p->points += skein_look_body_at(x->look, i)->vertices;
    p->cell_count += skein_look_body_at(x->look, i)->triangles;
  }
  size_t points = (size_t)p->points, cells = (size_t)p->cell_count;
  body_arrays a = {.point = add_new(p, POINTS, "Points", F32, 3, points),
                   .normal = add_new(p, POINT_DATA, "normal", F32, 3, points),
                   .body = add_new(p, CELL_DATA, "body", I32, 1, cells),
                   .colour = add_new(p, CELL_DATA, "colour", U8, 3, cells),
                   .connect = add_new(p, CELLS, "connectivity", I32, 1, 3 * cells),
                   .offset = add_new(p, CELLS, "offsets", I32, 1, cells)};
  for (int i = 0; i < bodies && !p->starved; i++) p->starved = !fill_body(x, view, i, &a);
}

/* ---- The series ---- */

typedef enum series { RODS, CONTACTS, BODIES, SERIES } series;
static const char *const series_names[SERIES] = {"rods", "contacts", "bodies"};
static const char *const series_endings[SERIES] = {"", "_contacts", "_bodies"};

static bool wanted(const sk_export *x, series s)
{
  return s == RODS || (s == CONTACTS && x->def->contacts) || (s == BODIES && x->def->bodies);
}

static skein_status write_piece(sk_export *x, const char *folder, const sk_view *view, series which)
{
  piece p = {.time = view->f.time};
  sk_out out = {0};
  size_t size = strlen(folder) + 48;
  char *path = malloc(size);
  if (which == RODS) fill_rods(&p, view);
  else if (which == CONTACTS) fill_contacts(&p, view);
  else fill_bodies(&p, x, view);
  skein_status s = p.starved || !path ? sk_no_memory() : sk_ok();
  if (path) snprintf(path, size, "%s/%s_%04d.vtp", folder, series_names[which], view->f.index);
  if (s.code == SKEIN_OK) s = sk_files_open(x->files, path, &out);
  if (s.code == SKEIN_OK) put_piece(out.stream, &p);
  skein_status closed = sk_files_close(x->files, &out);
  free(path);
  free_piece(&p);
  return s.code == SKEIN_OK ? closed : s;
}

static void put_escaped(FILE *o, const char *text)
{
  for (; *text; text++) {
    if (*text == '&') fputs("&amp;", o);
    else if (*text == '<') fputs("&lt;", o);
    else if (*text == '"') fputs("&quot;", o);
    else fputc(*text, o);
  }
}

static skein_status write_pvd(sk_export *x, const char *base, const double *time, series which)
{
  sk_out out;
  size_t size = strlen(base) + 32;
  char *path = malloc(size);
  const char *slash = strrchr(base, '/'), *name = slash ? slash + 1 : base;
  if (path) snprintf(path, size, "%s%s.pvd", base, series_endings[which]);
  skein_status s = path ? sk_files_open(x->files, path, &out) : sk_no_memory();
  free(path);
  if (s.code != SKEIN_OK) return s;
  FILE *o = out.stream;
  fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  "
        "<Collection>\n",
        o);
  for (int k = 0; k < x->count; k++) {
    fputs("    <DataSet timestep=\"", o), sk_put_double(o, time[k]), fputs("\" part=\"0\" file=\"", o),
        put_escaped(o, name);
    fprintf(o, "/%s_%04d.vtp\"/>\n", series_names[which], x->def->start + x->first + k * x->step);
  }
  fputs("  </Collection>\n</VTKFile>\n", o);
  return sk_files_close(x->files, &out);
}

static skein_status write_frames(sk_export *x, const char *folder, double *time)
{
  skein_status s = sk_ok();
  for (int k = 0; k < x->count && s.code == SKEIN_OK; k++) {
    sk_view view;
    s = sk_view_load(x, k, true, &view);
    time[k] = view.f.time;
    for (int w = 0; w < SERIES && s.code == SKEIN_OK; w++)
      if (wanted(x, (series)w)) s = write_piece(x, folder, &view, (series)w);
    sk_view_free(&view);
  }
  return s;
}

skein_status sk_write_vtp(sk_export *x)
{
  const char *path = x->def->path;
  size_t n = strlen(path);
  bool ends = n > 4 && (!strcasecmp(path + n - 4, ".pvd") || !strcasecmp(path + n - 4, ".vtp"));
  char *base = strdup(path);
  double *time = sk_calloc((size_t)x->count, sizeof *time);
  x->steps = x->count;
  if (base && ends) base[n - 4] = 0;
  skein_status s = base && time ? sk_files_folder(x->files, base) : sk_no_memory();
  if (s.code == SKEIN_OK) s = write_frames(x, base, time);
  for (int w = 0; w < SERIES && s.code == SKEIN_OK; w++)
    if (wanted(x, (series)w)) s = write_pvd(x, base, time, (series)w);
  free(base), free(time);
  return s;
}
