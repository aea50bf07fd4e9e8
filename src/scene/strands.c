/* Rods from strands, of a file or in the scene: each polyline becomes the initial shape of a rod, and the natural one
 * unless the entry has another. */
#include "scene/files.h"
#include "scene/fit.h"
#include "scene/rods.h"

#include <limits.h>
#include <string.h>

enum { MOST_ELEMENTS = 50 * 1000 * 1000 }; /* of all rods of a file */

typedef struct job {
  const sk_strands *strands;
  int count, elements;
  bool chain;
  double scale;
  const double *natural; /* of the entry, if it has one */
  int naturals;
  bool own_natural;
  sk_fit *fit;
  skein_status *status;
  sk_stop *stop;
} job;

/* Which strand rod i is: spread evenly over the file, since neighbours in the file are often neighbours in space. */
static int strand_of(const job *j, int i)
{
  return (int)((int64_t)i * j->strands->count / j->count);
}

/* Each strand by itself, so that the bits do not depend on threads. */
static void fit_all(const job *j)
{
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < j->count; i++) {
    if (sk_stop_asked(j->stop)) continue;
    const int *start = j->strands->start + strand_of(j, i);
    j->status[i] =
        sk_fit_strand(j->strands->point + 3 * (size_t)start[0], start[1] - start[0], j->elements, j->chain, &j->fit[i]);
  }
}

/* The fit, in SI. */
static void place(const job *j, sk_fit *f, sk_scene_rod *rod, sk_vec3 by)
{
  double k = j->scale;
  skein_pose *p = &rod->def.pose;
  for (int c = 0; c < 3 * j->elements; c++) f->cells[c] /= k;
  rod->def.length = k * f->length, rod->fit = k * f->largest, rod->fitted = true;
  rod->def.natural = f->cells, rod->def.naturals = j->elements;
  if (j->own_natural) {
    rod->def.initial = f->cells, rod->def.initials = j->elements;
    rod->def.natural = j->natural, rod->def.naturals = j->naturals;
  }
  sk_store3(p->r, sk_axpy(by, k, f->root));
  for (int c = 0; c < 3; c++) sk_store3(p->d[c], f->frame.c[c]);
}

/* at: where the strands are said; file: their name in messages, NULL: the one strand in the scene. */
static void add_all(sk_reader *r, const sk_at *entry, const sk_at *at, const char *file, const sk_scene_rod *rod,
                    job *j)
{
  sk_vec3 by = sk_load3(rod->def.pose.r);
  char safe[80];
  const char *copy = file ? sk_reader_copy(r, sk_safe(file, safe, sizeof safe)) : NULL;
  double *cells = SK_READ_NEW(r, 3 * (size_t)j->elements * (size_t)j->count, double);
  j->fit = SK_READ_NEW(r, j->count, sk_fit), j->status = SK_READ_NEW(r, j->count, skein_status);
  if (sk_failed(r)) return;
  for (int i = 0; i < j->count; i++) j->fit[i].cells = cells + 3 * (size_t)j->elements * (size_t)i;
  fit_all(j);
  if (sk_read_stopped(r)) return;
  for (int i = 0; i < j->count && !sk_failed(r); i++) {
    sk_scene_rod one = *rod;
    one.file = copy;
    char head[120], word[80];
    if (file) snprintf(head, sizeof head, "%s: strand %d", sk_safe(file, word, sizeof word), strand_of(j, i));
    sk_at_refuse(r, at, file ? sk_status_prefix(j->status[i], head) : j->status[i]);
    place(j, &j->fit[i], &one, by);
    sk_rods_add(r, entry, &one, file ? i : -1);
  }
}

/* "points": [[x, y, z], ...] as one strand, in the units of the scene. */
static skein_status strand_of_points(sk_reader *r, const sk_at *at, sk_strands *out)
{
  size_t count = sk_at_array(r, at);
  if (count < 3 || count > 1000 * 1000)
    sk_at_fail(r, at,
               "has %zu point%s, expected 3 to a million (a straight rod: 'length', and 'direction' in its 'root')",
               count, count == 1 ? "" : "s");
  if (sk_failed(r)) return sk_ok();
  *out = (sk_strands){.count = 1, .start = sk_calloc(2, sizeof(int)), .point = sk_calloc(3 * count, sizeof(double))};
  if (!out->start || !out->point) return sk_no_memory();
  out->start[1] = (int)count;
  for (size_t i = 0; i < count; i++) {
    sk_at item = sk_at_item(at, i);
    sk_at_numbers(r, &item, SK_ONE, 3, out->point + 3 * i);
  }
  return sk_ok();
}

/* The strands say where the root looks. */
static void check_root(sk_reader *r, const sk_at *entry, const char *what)
{
  static const char *const turned[] = {"direction", "normal"};
  sk_at root = sk_at_get(entry, "root");
  for (int k = 0; k < 2; k++) {
    sk_at field = sk_at_get(&root, turned[k]);
    if (field.value) sk_at_fail(r, &field, "the %s say it, expected only 'position' to move them", what);
  }
}

void sk_rods_from_strands(sk_reader *r, const sk_at *entry, const sk_scene_rod *rod)
{
  sk_at points = sk_at_get(entry, "points"), at = points.value ? points : sk_at_get(entry, "file");
  const char *file = points.value ? NULL : sk_get_string(r, entry, "file", NULL);
  const char *path = file ? sk_reader_path(r, file) : NULL;
  sk_strands strands = {0};
  char word[80];
  check_root(r, entry, points.value ? "'points'" : "strands of the 'file'");
  double scale = sk_get_number(r, entry, "scale", SK_ONE, SK_POSITIVE, 1) * r->factor[SK_LENGTH];
  int count = sk_get_int(r, entry, "count", 1, SK_MOST_RODS, INT_MAX);
  job j = {.strands = &strands, .elements = rod->def.elements, .scale = scale, .stop = &r->scene->stop};
  j.chain = !sk_rod_model_is_curved(rod->def.model);
  j.natural = sk_get_cells(r, entry, "natural", &j.naturals), j.own_natural = sk_at_has(entry, "natural");
  bool y_up = sk_get_y_up(r, entry);
  if (sk_failed(r)) return;
  if (file) sk_at_refuse(r, &at, sk_status_prefix(sk_strands_read(path, &strands), sk_safe(file, word, sizeof word)));
  else sk_at_refuse(r, &at, strand_of_points(r, &at, &strands));
  if (file && !sk_failed(r)) sk_use_units(r, entry, file, &strands.units, &j.scale, &y_up);
  j.count = SK_MIN(count, strands.count);
  if (y_up && !sk_failed(r)) sk_turn_up(strands.point, strands.start[strands.count]);
  if ((int64_t)j.count * j.elements > MOST_ELEMENTS)
    sk_at_fail(r, &at, "%d strands of %d elements are too many, expected at most %d elements in all", j.count,
               j.elements, MOST_ELEMENTS);
  if (sk_rods_reserve(r, entry, j.count)) add_all(r, entry, &at, file, rod, &j);
  sk_strands_destroy(&strands);
}
