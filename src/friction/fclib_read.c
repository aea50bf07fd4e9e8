/* An FCLIB file (HDF5) into a problem, guesses and a solution. The layout, as libfclib 3.1 writes it:
 *
 *     fclib_local/   spacedim, W/, vectors/{q, mu}, info/{title, description, math_info}    u = W r + q
 *     fclib_global/  spacedim, M/, H/, vectors/{f, w, mu}, info/                            M v = H r + f, u = H' v + w
 *     guesses/       number_of_guesses, 1/ 2/ ... each {v, u, r}
 *     solution/      {v, u, r}
 *     a matrix/      m, n, nz, nzmax, p, i, x      nz: -2 compressed rows, -1 compressed columns, >= 0 triplets
 *
 * libfclib exits or crashes on a file that it does not understand. Here nothing that the file says is believed: type,
 * rank and size of a dataset are checked before memory is taken for it, and the memory is bounded by what is stored. */
#include "friction/fclib_io.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  hid_t file;
  sk_vet *vet;
  uint64_t size; /* bytes of the image */
  uint64_t left; /* to be claimed by datasets: each byte of the file by four of them, for one may have several names */
} reader;

static skein_status damaged(const char *path)
{
  return sk_fail(SKEIN_BAD_INPUT, "%s: cannot be read, the file is damaged", path);
}

/* ---- Groups and datasets --------------------------------------------------------------------------------------- */

/* Opens a group or dataset; -1 when there is none. Only what lies in the file itself: no links to other files. */
static skein_status find(const reader *in, const char *path, H5I_type_t type, hid_t *id)
{
  sk_field part;
  H5L_info_t info;
  *id = -1;
  for (size_t k = 1; k <= strlen(path); k++) {
    if (path[k] != '/' && path[k] != '\0') continue;
    snprintf(part.path, sizeof part.path, "%.*s", (int)k, path);
    htri_t there = H5Lexists(in->file, part.path, H5P_DEFAULT);
    if (there == 0) return sk_ok();
    if (there < 0 || H5Lget_info(in->file, part.path, &info, H5P_DEFAULT) < 0) return damaged(part.path);
    if (info.type != H5L_TYPE_HARD)
      return sk_fail(SKEIN_BAD_INPUT, "%s: is a link, expected the data itself", part.path);
    skein_status sound = sk_vet_object(in->vet, info.u.address);
    if (sound.code) return sound;
  }
  hid_t object = H5Oopen(in->file, path, H5P_DEFAULT);
  if (object < 0) return damaged(path);
  if (H5Iget_type(object) == type) return *id = object, sk_ok();
  H5Oclose(object);
  return sk_fail(SKEIN_BAD_INPUT, "%s: is not a %s", path, type == H5I_GROUP ? "group" : "dataset");
}

static skein_status find_group(const reader *in, const char *path, bool *there)
{
  hid_t id;
  skein_status s = find(in, path, H5I_GROUP, &id);
  *there = id >= 0;
  if (id >= 0) H5Oclose(id);
  return s;
}

typedef enum kind { INTEGERS, REALS, TEXT } kind;

/* Plain numbers: whole bytes, IEEE 754. Anything else would go through the soft conversions of HDF5. */
static bool is_kind(hid_t type, kind k)
{
  size_t size = H5Tget_size(type);
  H5T_class_t class = H5Tget_class(type);
  if (k == TEXT) return class == H5T_STRING && size > 0 && H5Tis_variable_str(type) == 0;
  if (k == INTEGERS)
    return class == H5T_INTEGER && (size == 1 || size == 2 || size == 4 || size == 8) &&
           H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0;
  return class == H5T_FLOAT && (H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0 ||
                                H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0);
}

static skein_status check_type(hid_t set, const char *path, kind k, size_t *size)
{
  static const char *names[] = {"integers", "real numbers", "text of fixed length"};
  hid_t type = H5Dget_type(set);
  bool good = type >= 0 && is_kind(type, k);
  *size = good ? H5Tget_size(type) : 0;
  if (type >= 0) H5Tclose(type);
  return good ? sk_ok() : sk_fail(SKEIN_BAD_INPUT, "%s: has the wrong type, expected %s", path, names[k]);
}

/* A row of numbers or a single one. */
static skein_status check_rank(hid_t set, const char *path, int64_t *count)
{
  hid_t space = H5Dget_space(set);
  int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  if (space >= 0) H5Sclose(space);
  *count = points;
  if (rank < 0 || points < 0) return damaged(path);
  return rank <= 1 ? sk_ok() : sk_fail(SKEIN_BAD_INPUT, "%s: has rank %d, expected 1", path, rank);
}

/* Only deflate, shuffle and checksum: other filters are plugins, code that a file could ask to load. */
static bool has_known_filters(hid_t properties)
{
  int filters = H5Pget_nfilters(properties);
  for (int k = 0; k < filters; k++) {
    unsigned flags, values[8], config;
    size_t count = 8;
    char name[2];
    H5Z_filter_t f = H5Pget_filter2(properties, (unsigned)k, &flags, &count, values, sizeof name, name, &config);
    if (f != H5Z_FILTER_DEFLATE && f != H5Z_FILTER_SHUFFLE && f != H5Z_FILTER_FLETCHER32) return false;
  }
  return filters >= 0;
}

/* The chunk that HDF5 will unpack in one piece is no larger than `most` bytes, and there are no more of them than the
 * file has words: HDF5 takes memory and time for each, whether it was ever written or not. */
static bool has_good_chunks(const reader *in, hid_t properties, int64_t count, size_t item, uint64_t most)
{
  hsize_t chunk;
  bool one = H5Pget_chunk(properties, 1, &chunk) == 1 && chunk > 0 && chunk <= most / item;
  return one && (uint64_t)count / chunk <= in->size / 8;
}

static const uint64_t largest_chunk = 1 << 26; /* bytes: of a few numbers in a dataset that could grow, too */

/* count items are stored in this file and in no other. Deflate packs at most 1032 : 1; what was never written is zero
 * and may be as large as the file. So no file makes us take more than about 1100 times its own size. HDF5 1.10 does not
 * compare the bytes of a compact dataset with its shape and reads beyond them. */
static skein_status check_storage(reader *in, hid_t set, const char *path, int64_t count, size_t item)
{
  hid_t properties = H5Dget_create_plist(set);
  if (properties < 0) return damaged(path);
  H5D_layout_t layout = H5Pget_layout(properties);
  uint64_t stored = H5Dget_storage_size(set);
  uint64_t most = (layout == H5D_CHUNKED ? 1100 : 1) * SK_MIN(stored, in->size) + in->size;
  bool here = layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED;
  here = here && H5Pget_external_count(properties) == 0 && has_known_filters(properties);
  if (here && layout == H5D_CHUNKED) here = has_good_chunks(in, properties, count, item, most + largest_chunk);
  bool short_of = layout != H5D_CHUNKED && (stored > 0 || layout == H5D_COMPACT) && stored / item < (uint64_t)count;
  H5Pclose(properties);
  if (!here) return sk_fail(SKEIN_BAD_INPUT, "%s: has a storage layout that is not supported", path);
  if (short_of || stored > in->left || (uint64_t)count > most / item)
    return sk_fail(SKEIN_BAD_INPUT, "%s: claims more bytes than the file has", path);
  in->left -= stored;
  return sk_ok();
}

static skein_status read_open(reader *in, hid_t set, const char *path, kind k, sk_fclib_array *a)
{
  size_t item;
  skein_status s = check_type(set, path, k, &item);
  if (s.code == SKEIN_OK) s = check_rank(set, path, &a->count);
  if (s.code == SKEIN_OK && k == TEXT && a->count != 1) s = sk_fail(SKEIN_BAD_INPUT, "%s: is not one text", path);
  if (s.code == SKEIN_OK) s = check_storage(in, set, path, a->count, item);
  if (s.code != SKEIN_OK) return s;
  hid_t type = k == INTEGERS ? H5Tcopy(H5T_NATIVE_INT) : k == REALS ? H5Tcopy(H5T_NATIVE_DOUBLE) : H5Dget_type(set);
  a->data = type < 0 ? NULL : k == TEXT ? sk_calloc(item + 1, 1) : sk_calloc((size_t)a->count, H5Tget_size(type));
  if (!a->data) s = sk_no_memory();
  else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data) < 0) s = damaged(path);
  if (type >= 0) H5Tclose(type);
  return s;
}

/* A dataset as a whole; data NULL and count 0 where there is none and it is not needed. */
static skein_status read_array(reader *in, const char *path, kind k, bool needed, sk_fclib_array *a)
{
  hid_t set;
  *a = (sk_fclib_array){0};
  skein_status s = find(in, path, H5I_DATASET, &set);
  if (s.code == SKEIN_OK && set < 0 && needed) s = sk_fail(SKEIN_BAD_INPUT, "%s: is missing", path);
  if (set < 0) return s;
  s = read_open(in, set, path, k, a);
  H5Oclose(set);
  if (s.code == SKEIN_OK) return s;
  free(a->data);
  *a = (sk_fclib_array){0};
  return s;
}

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

static skein_status check_finite(const char *path, const sk_fclib_array *a)
{
  const double *x = a->data;
  for (int64_t k = 0; k < a->count; k++)
    if (!isfinite(x[k]))
      return sk_fail(SKEIN_BAD_INPUT, "%s: entry %lld is %g, expected a finite number", path, (long long)k, x[k]);
  return sk_ok();
}

/* The one integer of a field, lo <= value <= hi. */
static skein_status read_int(reader *in, sk_field f, int lo, int hi, int *value)
{
  sk_fclib_array a;
  skein_status s = read_array(in, f.path, INTEGERS, true, &a);
  if (s.code == SKEIN_OK) s = sk_fclib_count(f.path, a.count, 1, "one number");
  if (s.code == SKEIN_OK) *value = *(int *)a.data;
  if (s.code == SKEIN_OK && (*value < lo || *value > hi))
    s = sk_fail(SKEIN_BAD_INPUT, "%s: is %d, expected %d to %d", f.path, *value, lo, hi);
  free(a.data);
  return s;
}

/* count finite numbers; *x is NULL where there are none and they are not needed. */
static skein_status read_vector(reader *in, sk_field f, bool needed, int count, const char *why, double **x)
{
  sk_fclib_array a;
  skein_status s = read_array(in, f.path, REALS, needed, &a);
  if (s.code == SKEIN_OK && a.data) s = sk_fclib_count(f.path, a.count, count, why);
  if (s.code == SKEIN_OK) s = check_finite(f.path, &a);
  if (s.code == SKEIN_OK) return *x = a.data, s;
  free(a.data);
  return s;
}

/* Friction coefficients, >= 0. */
static skein_status read_mu(reader *in, sk_field f, int count, const char *why, double **mu)
{
  skein_status s = read_vector(in, f, true, count, why, mu);
  for (int i = 0; i < count && s.code == SKEIN_OK; i++)
    if ((*mu)[i] < 0) s = sk_fail(SKEIN_BAD_INPUT, "%s: entry %d is %g, expected >= 0", f.path, i, (*mu)[i]);
  return s;
}

/* ---- Matrices -------------------------------------------------------------------------------------------------- */

static skein_status read_head(reader *in, const char *group, sk_fclib_head *h)
{
  bool there;
  skein_status s = find_group(in, group, &there);
  if (s.code == SKEIN_OK && !there) s = sk_fail(SKEIN_BAD_INPUT, "%s: is missing", group);
  if (s.code == SKEIN_OK) s = read_int(in, sk_fclib_at(group, "m"), 0, INT_MAX - 1, &h->m);
  if (s.code == SKEIN_OK) s = read_int(in, sk_fclib_at(group, "n"), 0, INT_MAX - 1, &h->n);
  if (s.code == SKEIN_OK) s = read_int(in, sk_fclib_at(group, "nz"), -2, INT_MAX - 1, &h->nz);
  if (s.code == SKEIN_OK) s = read_int(in, sk_fclib_at(group, "nzmax"), 0, INT_MAX - 1, &h->nzmax);
  return s;
}

static skein_status read_matrix(reader *in, const char *group, const sk_fclib_head *h, skein_csr *A)
{
  sk_fclib_entries e = {0};
  skein_status s = read_array(in, sk_fclib_at(group, "p").path, INTEGERS, true, &e.p);
  if (s.code == SKEIN_OK) s = read_array(in, sk_fclib_at(group, "i").path, INTEGERS, true, &e.i);
  if (s.code == SKEIN_OK) s = read_array(in, sk_fclib_at(group, "x").path, REALS, true, &e.x);
  if (s.code == SKEIN_OK) s = check_finite(sk_fclib_at(group, "x").path, &e.x);
  if (s.code == SKEIN_OK) s = sk_fclib_matrix(group, h, &e, A);
  free(e.p.data);
  free(e.i.data);
  free(e.x.data);
  return s;
}

/* ---- The problem ----------------------------------------------------------------------------------------------- */

/* Equality constraints (a matrix with columns, a vector with entries) are refused, never dropped. */
static skein_status refuse_equalities(reader *in, const char *group, const char *matrix, const char *vector)
{
  sk_fclib_head h = {0};
  sk_fclib_array a = {0};
  bool there = false;
  skein_status s = find_group(in, sk_fclib_at(group, matrix).path, &there);
  if (s.code == SKEIN_OK && there) s = read_head(in, sk_fclib_at(group, matrix).path, &h);
  if (s.code == SKEIN_OK) s = read_array(in, sk_fclib_at(group, vector).path, REALS, false, &a);
  if (s.code == SKEIN_OK && (h.n > 0 || a.count > 0))
    s = sk_fail(SKEIN_BAD_INPUT, "%s/%s: equality constraints are not supported", group, h.n > 0 ? matrix : vector);
  free(a.data);
  return s;
}

static skein_status check_head(const char *group, const char *name, int value, bool good, const char *expected)
{
  return good ? sk_ok() : sk_fail(SKEIN_BAD_INPUT, "%s/%s: is %d, expected %s", group, name, value, expected);
}

static skein_status read_local(reader *in, skein_problem *p)
{
  sk_fclib_head W = {0};
  p->form = SKEIN_REDUCED;
  skein_status s = read_int(in, sk_fclib_at("fclib_local", "spacedim"), 2, 3, &p->d);
  if (s.code == SKEIN_OK) s = refuse_equalities(in, "fclib_local", "V", "vectors/s");
  if (s.code == SKEIN_OK) s = refuse_equalities(in, "fclib_local", "R", "vectors/s");
  if (s.code == SKEIN_OK) s = read_head(in, "fclib_local/W", &W);
  if (s.code == SKEIN_OK) s = check_head("fclib_local/W", "n", W.n, W.n == W.m, "W to be square");
  if (s.code == SKEIN_OK) s = check_head("fclib_local/W", "m", W.m, W.m % p->d == 0, "a multiple of spacedim");
  if (s.code != SKEIN_OK) return s;
  p->contacts = W.m / p->d;
  s = read_vector(in, sk_fclib_at("fclib_local/vectors", "q"), true, W.m, "W/m", &p->b);
  if (s.code == SKEIN_OK)
    s = read_mu(in, sk_fclib_at("fclib_local/vectors", "mu"), p->contacts, "W/m / spacedim", &p->mu);
  if (s.code == SKEIN_OK) s = read_matrix(in, "fclib_local/W", &W, &p->W);
  return s;
}

/* FCLIB's H is dofs x d n: ours is its transpose. */
static skein_status read_jacobian(reader *in, const sk_fclib_head *h, skein_csr *H)
{
  skein_csr T = {0};
  skein_status s = read_matrix(in, "fclib_global/H", h, &T);
  if (s.code == SKEIN_OK) s = sk_csr_transpose(&T, H);
  sk_csr_destroy(&T);
  return s;
}

static skein_status read_global(reader *in, skein_problem *p, bool *triangle)
{
  sk_fclib_head M = {0}, H = {0};
  p->form = SKEIN_GLOBAL;
  skein_status s = read_int(in, sk_fclib_at("fclib_global", "spacedim"), 2, 3, &p->d);
  if (s.code == SKEIN_OK) s = refuse_equalities(in, "fclib_global", "G", "vectors/b");
  if (s.code == SKEIN_OK) s = read_head(in, "fclib_global/M", &M);
  if (s.code == SKEIN_OK) s = check_head("fclib_global/M", "n", M.n, M.n == M.m, "M to be square");
  if (s.code == SKEIN_OK) s = read_head(in, "fclib_global/H", &H);
  if (s.code == SKEIN_OK) s = check_head("fclib_global/H", "m", H.m, H.m == M.m, "the same as M/m");
  if (s.code == SKEIN_OK) s = check_head("fclib_global/H", "n", H.n, H.n % p->d == 0, "a multiple of spacedim");
  if (s.code != SKEIN_OK) return s;
  p->dofs = M.m, p->contacts = H.n / p->d;
  s = read_vector(in, sk_fclib_at("fclib_global/vectors", "f"), true, M.m, "M/m", &p->f);
  if (s.code == SKEIN_OK) s = read_vector(in, sk_fclib_at("fclib_global/vectors", "w"), true, H.n, "H/n", &p->u_f);
  if (s.code == SKEIN_OK)
    s = read_mu(in, sk_fclib_at("fclib_global/vectors", "mu"), p->contacts, "H/n / spacedim", &p->mu);
  if (s.code == SKEIN_OK) s = read_matrix(in, "fclib_global/M", &M, &p->M);
  if (s.code == SKEIN_OK) s = sk_fclib_mirror(&p->M, triangle);
  if (s.code == SKEIN_OK) s = read_jacobian(in, &H, &p->H);
  return s;
}

/* ---- Information, guesses, solution ---------------------------------------------------------------------------- */

static skein_status find_variable_text(const reader *in, const char *path, bool *there)
{
  hid_t set, type = -1;
  skein_status s = find(in, path, H5I_DATASET, &set);
  if (set >= 0) type = H5Dget_type(set);
  *there = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0;
  if (type >= 0) H5Tclose(type);
  if (set >= 0) H5Oclose(set);
  return s;
}

/* Text of variable length is taken as not there: HDF5 1.10 believes the length that a damaged file gives for it, and
 * libfclib, which writes text of fixed length, cannot read it either. */
static skein_status read_text(reader *in, sk_field f, char **text)
{
  sk_fclib_array a;
  bool variable;
  skein_status s = find_variable_text(in, f.path, &variable);
  if (s.code != SKEIN_OK || variable) return s;
  s = read_array(in, f.path, TEXT, false, &a);
  if (s.code == SKEIN_OK) *text = a.data;
  return s;
}

static skein_status read_info(reader *in, const char *group, skein_fclib *file)
{
  skein_status s = read_text(in, sk_fclib_at(group, "info/title"), &file->title);
  if (s.code == SKEIN_OK) s = read_text(in, sk_fclib_at(group, "info/description"), &file->description);
  if (s.code == SKEIN_OK) s = read_text(in, sk_fclib_at(group, "info/math_info"), &file->math_info);
  return s;
}

/* What there is of r, u and, in the global form, v. Multipliers of equality constraints (l) have no meaning here. */
static skein_status read_solution(reader *in, const char *group, const skein_problem *p, skein_solution *solution)
{
  bool there;
  int size = p->d * p->contacts;
  skein_status s = find_group(in, group, &there);
  if (s.code != SKEIN_OK || !there) return s;
  s = read_vector(in, sk_fclib_at(group, "r"), false, size, "spacedim * contacts", &solution->r);
  if (s.code == SKEIN_OK)
    s = read_vector(in, sk_fclib_at(group, "u"), false, size, "spacedim * contacts", &solution->u);
  if (s.code == SKEIN_OK && p->form == SKEIN_GLOBAL)
    s = read_vector(in, sk_fclib_at(group, "v"), false, p->dofs, "M/m", &solution->v);
  return s;
}

/* Every one of guesses/1 ... guesses/k is there; then memory is taken. */
static skein_status count_guesses(reader *in, int *count)
{
  bool there;
  char name[32];
  *count = 0;
  skein_status s = find_group(in, "guesses", &there);
  if (s.code != SKEIN_OK || !there) return s;
  s = read_int(in, sk_fclib_at("guesses", "number_of_guesses"), 0, INT_MAX - 1, count);
  for (int k = 1; k <= *count && s.code == SKEIN_OK; k++) {
    snprintf(name, sizeof name, "guesses/%d", k);
    s = find_group(in, name, &there);
    if (s.code == SKEIN_OK && !there)
      s = sk_fail(SKEIN_BAD_INPUT, "%s: is missing, guesses/number_of_guesses is %d", name, *count);
  }
  return s;
}

static skein_status read_guesses(reader *in, skein_fclib *file)
{
  int count;
  char name[32];
  skein_status s = count_guesses(in, &count);
  if (s.code != SKEIN_OK || count == 0) return s;
  file->guess = sk_calloc((size_t)count, sizeof *file->guess);
  if (!file->guess) return sk_no_memory();
  file->guesses = count;
  for (int k = 0; k < count && s.code == SKEIN_OK; k++) {
    snprintf(name, sizeof name, "guesses/%d", k + 1);
    s = read_solution(in, name, &file->problem, &file->guess[k]);
  }
  return s;
}

/* One problem per file: with both, nothing tells which of them the solution belongs to. */
static skein_status read_file(reader *in, skein_fclib *file)
{
  bool local, global = false;
  skein_status s = find_group(in, "fclib_local", &local);
  if (s.code == SKEIN_OK) s = find_group(in, "fclib_global", &global);
  if (s.code != SKEIN_OK) return s;
  if (!local && !global) return sk_fail(SKEIN_BAD_INPUT, "fclib_local, fclib_global: both are missing, expected one");
  if (local && global) return sk_fail(SKEIN_BAD_INPUT, "fclib_local, fclib_global: both are there, expected one");
  s = local ? read_local(in, &file->problem) : read_global(in, &file->problem, &file->M_triangle);
  if (s.code == SKEIN_OK) s = skein_problem_check(&file->problem);
  if (s.code == SKEIN_OK) s = read_info(in, local ? "fclib_local" : "fclib_global", file);
  if (s.code == SKEIN_OK) s = read_guesses(in, file);
  if (s.code == SKEIN_OK) s = read_solution(in, "solution", &file->problem, &file->solution);
  return s;
}

skein_status sk_fclib_read_image(const sk_bytes *bytes, skein_fclib *file)
{
  *file = (skein_fclib){0};
  sk_vet vet;
  skein_status s = sk_vet_open(bytes, &vet);
  if (s.code != SKEIN_OK) return sk_vet_close(&vet), s;
  sk_h5_quiet quiet = sk_h5_hide();
  sk_h5_image image = sk_h5_image_open(bytes, false);
  reader in = {.file = image.file, .vet = &vet, .size = bytes->size, .left = 4 * (uint64_t)bytes->size};
  s = in.file >= 0    ? read_file(&in, file)
      : !image.memory ? sk_no_memory()
                      : sk_fail(SKEIN_BAD_INPUT, "is not an HDF5 file, or one that is truncated or damaged");
  sk_h5_image_close(image, NULL);
  sk_h5_show(quiet);
  sk_vet_close(&vet);
  if (s.code != SKEIN_OK) skein_fclib_destroy(file);
  return s;
}
