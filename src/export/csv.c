/* CSV: a line per point of every frame; with contacts, a second file beside it with a line per contact. Lengths in the
 * unit of the file, all else in SI. */
#include "export/export.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void put_points(FILE *o, const sk_view *view)
{
  const skein_frame *f = &view->f;
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++) {
      fprintf(o, "%d,", f->index), sk_put_double(o, f->time);
      fprintf(o, ",%d,%d,%d,%d,", i, f->rod_source[i], f->rod_group[i], k - f->point_start[i]);
      sk_put_point(o, f->point + 3 * (size_t)k, ","), fputc(',', o), sk_put_float(o, f->radius[i]);
      fputc(',', o), sk_put_float(o, view->abscissa[k]), fputc(',', o), sk_put_float(o, view->value[SK_SPEED][k]);
      fprintf(o, ",%d,", (int)view->value[SK_STATUS][k]), sk_put_float(o, view->value[SK_FORCE][k]);
      fprintf(o, ",%d\n", (int)view->value[SK_ISLAND][k]);
    }
}

static void put_contacts(FILE *o, const skein_frame *f)
{
  const double *vectors[] = {f->contact_point, f->contact_normal, f->contact_impulse};
  for (size_t c = 0; c < (size_t)f->contacts; c++) {
    fprintf(o, "%d,", f->index), sk_put_double(o, f->time);
    fprintf(o, ",%zu,%d,%d", c, f->contact_object[2 * c], f->contact_object[2 * c + 1]);
    for (int v = 0; v < 3; v++)
      for (size_t k = 0; k < 3; k++) fputc(',', o), sk_put_double(o, vectors[v][3 * c + k]);
    fputc(',', o), sk_put_double(o, f->contact_gap[c]);
    fprintf(o, ",%d\n", f->contact_status[c]);
  }
}

/* "out_contacts.csv" of "out.csv" */
static char *contacts_path(const char *path)
{
  size_t n = strlen(path), head = n > 4 && !strcasecmp(path + n - 4, ".csv") ? n - 4 : n;
  char *out = malloc(n + 16);
  if (out) snprintf(out, n + 16, "%.*s_contacts%s", (int)head, path, path + head);
  return out;
}

static skein_status open_contacts(sk_export *x, sk_out *out)
{
  char *path = contacts_path(x->def->path);
  skein_status s = path ? sk_files_open(x->files, path, out) : sk_no_memory();
  free(path);
  if (s.code == SKEIN_OK)
    fputs("frame,time,contact,object_a,object_b,x,y,z,normal_x,normal_y,normal_z,impulse_x,impulse_y,impulse_z,gap,"
          "status\n",
          out->stream);
  return s;
}

skein_status sk_write_csv(sk_export *x)
{
  sk_out points = {0}, contacts = {0};
  x->steps = x->count;
  skein_status s = sk_files_open(x->files, x->def->path, &points);
  if (s.code == SKEIN_OK)
    fputs("frame,time,rod,source,group,point,x,y,z,radius,abscissa,speed,status,force,island\n", points.stream);
  if (s.code == SKEIN_OK && x->def->contacts) s = open_contacts(x, &contacts);
  for (int k = 0; k < x->count && s.code == SKEIN_OK; k++) {
    sk_view view;
    s = sk_view_load(x, k, true, &view);
    if (s.code == SKEIN_OK) put_points(points.stream, &view);
    if (s.code == SKEIN_OK && contacts.stream) put_contacts(contacts.stream, &view.f);
    if (s.code == SKEIN_OK && sk_out_failed(&points)) s = sk_out_failure(&points);
    sk_view_free(&view);
  }
  skein_status a = sk_files_close(x->files, &points), b = sk_files_close(x->files, &contacts);
  return s.code != SKEIN_OK ? s : a.code != SKEIN_OK ? a : b;
}
