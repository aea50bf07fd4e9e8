/* A problem, guesses and a solution into an FCLIB file, in the layout of libfclib 3.1 (fclib_read.c lists it).
 *
 * libfclib itself exits, or leaves HDF5 in a state that crashes at exit, when the disk is full: so it is not used. The
 * file is built in memory, carries no time stamps (the same content is the same bytes) and is put in place at once. */
#include "friction/fclib_io.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A failed call is remembered, so that a file is checked once, when it is complete. */
typedef struct writer {
  sk_h5_image image;
  hid_t file, groups, sets; /* of the image; properties for the creation of groups and datasets */
  bool failed;
} writer;

static void writer_open(writer *out, const sk_bytes *bytes)
{
  *out = (writer){.image = sk_h5_image_open(bytes, true)};
  out->file = out->image.file;
  out->groups = H5Pcreate(H5P_GROUP_CREATE);
  out->sets = H5Pcreate(H5P_DATASET_CREATE);
  out->failed =
      out->file < 0 || H5Pset_obj_track_times(out->groups, false) < 0 || H5Pset_obj_track_times(out->sets, false) < 0;
}

/* The image that was built; closes everything. */
static skein_status writer_close(writer *out, sk_bytes *bytes)
{
  if (out->sets >= 0) H5Pclose(out->sets);
  if (out->groups >= 0) H5Pclose(out->groups);
  bool good = sk_h5_image_close(out->image, bytes);
  if (good && !out->failed) return sk_ok();
  free(bytes->data);
  *bytes = (sk_bytes){0};
  return sk_fail(SKEIN_NO_MEMORY, "HDF5 cannot build the file in memory");
}

static void put_group(writer *out, const char *path)
{
  hid_t group = out->failed ? -1 : H5Gcreate2(out->file, path, H5P_DEFAULT, out->groups, H5P_DEFAULT);
  out->failed = group < 0 || H5Gclose(group) < 0;
}

static void put(writer *out, const char *group, const char *name, hid_t type, hid_t space, const void *data)
{
  char path[96];
  snprintf(path, sizeof path, "%s/%s", group, name);
  hid_t set = out->failed || space < 0 || type < 0
                  ? -1
                  : H5Dcreate2(out->file, path, type, space, H5P_DEFAULT, out->sets, H5P_DEFAULT);
  out->failed = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0;
  if (set >= 0 && H5Dclose(set) < 0) out->failed = true;
  if (space >= 0) H5Sclose(space);
}

static void put_array(writer *out, const char *group, const char *name, hid_t type, int64_t count, const void *data)
{
  static const double nothing = 0; /* an empty array may be NULL, which HDF5 refuses */
  hsize_t size = (hsize_t)count;
  put(out, group, name, type, H5Screate_simple(1, &size, NULL), count ? data : &nothing);
}

static void put_int(writer *out, const char *group, const char *name, int value)
{
  put_array(out, group, name, H5T_NATIVE_INT, 1, &value);
}

static void put_text(writer *out, const char *group, const char *name, const char *text)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0 || H5Tset_size(type, strlen(text) + 1) < 0) out->failed = true;
  put(out, group, name, type, H5Screate(H5S_SCALAR), text);
  if (type >= 0) H5Tclose(type);
}

/* A by compressed rows (nz = -2). */
static skein_status put_matrix(writer *out, const char *group, const skein_csr *A)
{
  int *p = sk_calloc((size_t)A->rows + 1, sizeof *p);
  if (!p) return sk_no_memory();
  int entries = (int)A->start[A->rows];
  for (int i = 0; i <= A->rows; i++) p[i] = (int)A->start[i];
  put_group(out, group);
  put_int(out, group, "nzmax", entries);
  put_int(out, group, "m", A->rows);
  put_int(out, group, "n", A->cols);
  put_int(out, group, "nz", -2);
  put_array(out, group, "p", H5T_NATIVE_INT, (int64_t)A->rows + 1, p);
  put_array(out, group, "i", H5T_NATIVE_INT, entries, A->col);
  put_array(out, group, "x", H5T_NATIVE_DOUBLE, entries, A->val);
  free(p);
  return sk_ok();
}

static skein_status put_local(writer *out, const skein_problem *p)
{
  put_group(out, "fclib_local");
  put_int(out, "fclib_local", "spacedim", p->d);
  skein_status s = put_matrix(out, "fclib_local/W", &p->W);
  put_group(out, "fclib_local/vectors");
  put_array(out, "fclib_local/vectors", "q", H5T_NATIVE_DOUBLE, (int64_t)p->d * p->contacts, p->b);
  put_array(out, "fclib_local/vectors", "mu", H5T_NATIVE_DOUBLE, p->contacts, p->mu);
  return s;
}

/* FCLIB's H is dofs x d n: the transpose of ours. */
static skein_status put_global(writer *out, const skein_problem *p)
{
  skein_csr T = {0};
  put_group(out, "fclib_global");
  put_int(out, "fclib_global", "spacedim", p->d);
  skein_status s = put_matrix(out, "fclib_global/M", &p->M);
  if (s.code == SKEIN_OK) s = sk_csr_transpose(&p->H, &T);
  if (s.code == SKEIN_OK) s = put_matrix(out, "fclib_global/H", &T);
  put_group(out, "fclib_global/vectors");
  put_array(out, "fclib_global/vectors", "f", H5T_NATIVE_DOUBLE, p->dofs, p->f);
  put_array(out, "fclib_global/vectors", "w", H5T_NATIVE_DOUBLE, (int64_t)p->d * p->contacts, p->u_f);
  put_array(out, "fclib_global/vectors", "mu", H5T_NATIVE_DOUBLE, p->contacts, p->mu);
  sk_csr_destroy(&T);
  return s;
}

static void put_info(writer *out, const char *group, const skein_fclib *file)
{
  char info[64];
  snprintf(info, sizeof info, "%s/info", group);
  if (!file->title && !file->description && !file->math_info) return;
  put_group(out, info);
  if (file->title) put_text(out, info, "title", file->title);
  if (file->description) put_text(out, info, "description", file->description);
  if (file->math_info) put_text(out, info, "math_info", file->math_info);
}

/* What is known of a solution. libfclib reads only complete ones: r, u and, in the global form, v. */
static void put_solution(writer *out, const char *group, const skein_problem *p, const skein_solution *s)
{
  int64_t size = (int64_t)p->d * p->contacts;
  put_group(out, group);
  if (s->v && p->form == SKEIN_GLOBAL) put_array(out, group, "v", H5T_NATIVE_DOUBLE, p->dofs, s->v);
  if (s->u) put_array(out, group, "u", H5T_NATIVE_DOUBLE, size, s->u);
  if (s->r) put_array(out, group, "r", H5T_NATIVE_DOUBLE, size, s->r);
}

static void put_guesses(writer *out, const skein_fclib *file)
{
  char name[32];
  put_group(out, "guesses");
  put_int(out, "guesses", "number_of_guesses", file->guesses);
  for (int k = 0; k < file->guesses; k++) {
    snprintf(name, sizeof name, "guesses/%d", k + 1);
    put_solution(out, name, &file->problem, &file->guess[k]);
  }
}

/* FCLIB counts entries by int. */
static skein_status check_entries(const skein_csr *A, const char *field)
{
  if (!A->start || A->start[A->rows] < INT_MAX) return sk_ok();
  return sk_fail(SKEIN_BAD_INPUT, "%s: has %lld entries, an FCLIB file holds at most %d", field,
                 (long long)A->start[A->rows], INT_MAX - 1);
}

/* Whatever is written can be read again. */
static skein_status check_file(const skein_fclib *file)
{
  char name[32];
  const skein_problem *p = &file->problem;
  skein_status s = skein_problem_check(p);
  if (s.code == SKEIN_OK) s = check_entries(&p->W, "W");
  if (s.code == SKEIN_OK) s = check_entries(&p->M, "M");
  if (s.code == SKEIN_OK) s = check_entries(&p->H, "H");
  if (s.code == SKEIN_OK) s = sk_solution_check(p, &file->solution, "solution");
  if (s.code == SKEIN_OK && (file->guesses < 0 || (file->guesses > 0 && !file->guess)))
    s = sk_fail(SKEIN_BAD_INPUT, "guesses is %d, guess is %s", file->guesses, file->guess ? "there" : "missing");
  for (int k = 0; k < file->guesses && s.code == SKEIN_OK; k++) {
    snprintf(name, sizeof name, "guess[%d]", k);
    s = sk_solution_check(p, &file->guess[k], name);
  }
  return s;
}

static bool has_solution(const skein_solution *s)
{
  return s->r || s->u || s->v;
}

static skein_status build(const skein_fclib *file, sk_bytes *bytes)
{
  writer out;
  const skein_problem *p = &file->problem;
  writer_open(&out, NULL);
  skein_status s = p->form == SKEIN_GLOBAL ? put_global(&out, p) : put_local(&out, p);
  put_info(&out, p->form == SKEIN_GLOBAL ? "fclib_global" : "fclib_local", file);
  if (file->guesses > 0) put_guesses(&out, file);
  if (has_solution(&file->solution)) put_solution(&out, "solution", p, &file->solution);
  skein_status closed = writer_close(&out, bytes);
  return s.code == SKEIN_OK ? closed : s;
}

skein_status skein_fclib_write(const char *path, const skein_fclib *file)
{
  sk_bytes bytes = {0};
  skein_status s = check_file(file);
  sk_h5_quiet quiet = sk_h5_hide();
  if (s.code == SKEIN_OK) s = build(file, &bytes);
  sk_h5_show(quiet);
  s = s.code == SKEIN_OK ? sk_bytes_write(path, &bytes) : sk_status_prefix(s, path);
  free(bytes.data);
  return s;
}

/* The file holds a problem with the contacts of p, so that the solution belongs to it. A reduced solution may go into
 * the global problem that it comes from; v needs the same degrees of freedom. */
static skein_status check_match(const skein_problem *in_file, const skein_problem *p, const skein_solution *s)
{
  if (in_file->d != p->d || in_file->contacts != p->contacts)
    return sk_fail(SKEIN_BAD_INPUT, "holds %d contacts in %d dimensions, the solution has %d in %d", in_file->contacts,
                   in_file->d, p->contacts, p->d);
  if (s->v && in_file->form == SKEIN_GLOBAL && in_file->dofs != p->dofs)
    return sk_fail(SKEIN_BAD_INPUT, "holds %d degrees of freedom, the solution has %d", in_file->dofs, p->dofs);
  return sk_ok();
}

/* The image `from` with its solution replaced; read once more, since it is somebody's file. Only the sizes of p are
 * looked at. */
static skein_status replace_solution(const sk_bytes *from, const skein_problem *p, const skein_solution *solution,
                                     sk_bytes *to)
{
  writer out;
  skein_fclib file;
  writer_open(&out, from);
  if (!out.failed && H5Lexists(out.file, "solution", H5P_DEFAULT) > 0)
    out.failed = H5Ldelete(out.file, "solution", H5P_DEFAULT) < 0;
  put_solution(&out, "solution", p, solution);
  skein_status s = writer_close(&out, to);
  if (s.code != SKEIN_OK) return s;
  s = sk_fclib_read_image(to, &file);
  skein_fclib_destroy(&file);
  return s;
}

skein_status skein_fclib_save_solution(const char *path, const skein_problem *p, const skein_solution *solution)
{
  sk_bytes old = {0}, new = {0};
  skein_fclib file;
  skein_status s = sk_bytes_read(path, &old);
  if (s.code != SKEIN_OK) return s;
  sk_h5_quiet quiet = sk_h5_hide();
  s = sk_fclib_read_image(&old, &file);
  const skein_problem sizes = {file.problem.form, file.problem.d, file.problem.contacts, .dofs = file.problem.dofs};
  skein_fclib_destroy(&file); /* a large file needs its memory for the copy */
  if (s.code == SKEIN_OK) s = check_match(&sizes, p, solution);
  if (s.code == SKEIN_OK) s = sk_solution_check(p, solution, "solution");
  if (s.code == SKEIN_OK) s = replace_solution(&old, &sizes, solution, &new);
  sk_h5_show(quiet);
  s = s.code == SKEIN_OK ? sk_bytes_write(path, &new) : sk_status_prefix(s, path);
  free(old.data);
  free(new.data);
  return s;
}
