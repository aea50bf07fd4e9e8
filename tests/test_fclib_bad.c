/* FCLIB files that are broken, one field at a time: each is refused with the file and the field in the message. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "friction/fclib_io.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5_hl.h>

static char directory[256], file_path[300];

static int setup(void **state)
{
  (void)state;
  const char *base = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/skein-test-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(directory)) return -1;
  snprintf(file_path, sizeof file_path, "%s/bad.hdf5", directory);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  remove(file_path);
  return rmdir(directory);
}

/* The file is refused: code, path first, `part` in the message, nothing left in the struct. */
static void refused(skein_code code, const char *part)
{
  skein_fclib file;
  skein_status s = skein_fclib_read(file_path, &file);
  if (s.code != code || strncmp(s.message, file_path, strlen(file_path)) || !strstr(s.message, part))
    fail_msg("code %d, \"%s\", expected code %d, \"%s: ... %s\"", s.code, s.message, code, file_path, part);
  assert_null(file.problem.mu);
  skein_fclib_destroy(&file);
}

static void accepted(void)
{
  skein_fclib file;
  skein_status s = skein_fclib_read(file_path, &file);
  assert_string_equal(s.message, "");
  skein_fclib_destroy(&file);
}

/* ---- A good file: two contacts in the plane, W or M = 2 I, H = I (4 x 4), one guess, a solution ----------------- */

static void write_good(skein_form form)
{
  int64_t start[] = {0, 1, 2, 3, 4};
  int col[] = {0, 1, 2, 3};
  double two[] = {2, 2, 2, 2}, one[] = {1, 1, 1, 1}, mu[] = {0.3, 0};
  bool global = form == SKEIN_GLOBAL;
  skein_csr A = {.rows = 4, .cols = 4, .start = start, .col = col, .val = two}, H = A;
  H.val = one;
  skein_solution s = {.r = one, .u = one, .v = global ? one : NULL};
  skein_fclib file = {.problem = {.form = form, .d = 2, .contacts = 2, .mu = mu},
                      .guesses = 1,
                      .guess = &s,
                      .solution = s,
                      .title = "t"};
  if (global) {
    file.problem.M = A, file.problem.H = H, file.problem.dofs = 4, file.problem.f = one, file.problem.u_f = one;
  } else {
    file.problem.W = A, file.problem.b = one;
  }
  skein_status written = skein_fclib_write(file_path, &file);
  assert_string_equal(written.message, "");
}

typedef enum change { REMOVE, INTS, REALS, TEXT, MATRIX, GROUP, SOFT, EXTERNAL, UNWRITTEN, STORED_OUTSIDE } change;

/* A field gets `count` values, or is removed, or becomes something else; the message then says `part`. */
typedef struct spoil {
  skein_form form;
  const char *field;
  change change;
  int count;
  double values[6];
  const char *part;
} spoil;

static void put(hid_t h, const spoil *s)
{
  hsize_t size = (hsize_t)s->count, square[2] = {2, 2};
  int ints[6];
  for (int k = 0; k < 6; k++) ints[k] = isfinite(s->values[k]) ? (int)s->values[k] : 0;
  hid_t properties = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &size, NULL), set = -1;
  switch (s->change) {
  case REMOVE:
    break;
  case INTS:
    H5LTmake_dataset_int(h, s->field, 1, &size, ints);
    break;
  case REALS:
    H5LTmake_dataset_double(h, s->field, 1, &size, s->values);
    break;
  case TEXT:
    H5LTmake_dataset_string(h, s->field, "text");
    break;
  case MATRIX:
    H5LTmake_dataset_double(h, s->field, 2, square, s->values);
    break;
  case GROUP:
    H5Gclose(H5Gcreate2(h, s->field, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    break;
  case SOFT:
    H5Lcreate_soft("/solution", h, s->field, H5P_DEFAULT, H5P_DEFAULT);
    break;
  case EXTERNAL:
    H5Lcreate_external("other.hdf5", "/x", h, s->field, H5P_DEFAULT, H5P_DEFAULT);
    break;
  case STORED_OUTSIDE:
    H5Pset_external(properties, "other.bin", 0, H5F_UNLIMITED); /* fall through */
  case UNWRITTEN:
    set = H5Dcreate2(h, s->field, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Dclose(set);
  }
  H5Sclose(space);
  H5Pclose(properties);
}

static void spoil_and_read(const spoil *table, int count)
{
  for (int k = 0; k < count; k++) {
    write_good(table[k].form);
    hid_t h = H5Fopen(file_path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (H5LTpath_valid(h, table[k].field, false) > 0) H5Ldelete(h, table[k].field, H5P_DEFAULT);
    put(h, &table[k]);
    assert_true(H5Fclose(h) >= 0);
    if (table[k].part) refused(SKEIN_BAD_INPUT, table[k].part);
    else accepted();
  }
}

#define SPOIL(table) spoil_and_read(table, (int)(sizeof table / sizeof table[0]))
#define LOCAL SKEIN_REDUCED, "fclib_local/"
#define GLOBAL SKEIN_GLOBAL, "fclib_global/"
#define ROOT SKEIN_REDUCED, ""

static void bad_fields(void **state)
{
  (void)state;
  const spoil table[] = {
      {LOCAL, REMOVE, 0, {0}, "both are missing"},
      {ROOT "fclib_global", GROUP, 0, {0}, "both are there"},
      {ROOT "fclib_local", REALS, 1, {0}, "fclib_local: is not a group"},
      {LOCAL "spacedim", REMOVE, 0, {0}, "fclib_local/spacedim: is missing"},
      {LOCAL "spacedim", INTS, 1, {4}, "fclib_local/spacedim: is 4, expected 2 to 3"},
      {LOCAL "spacedim", INTS, 1, {1}, "fclib_local/spacedim: is 1"},
      {LOCAL "spacedim", INTS, 1, {3}, "fclib_local/W/m: is 4, expected a multiple of spacedim"},
      {LOCAL "spacedim", INTS, 2, {2, 2}, "fclib_local/spacedim: has 2 entries, expected 1"},
      {LOCAL "spacedim", INTS, 0, {0}, "fclib_local/spacedim: has 0 entries, expected 1"},
      {LOCAL "spacedim", REALS, 1, {2}, "fclib_local/spacedim: has the wrong type, expected integers"},
      {LOCAL "vectors", REMOVE, 0, {0}, "fclib_local/vectors/q: is missing"},
      {LOCAL "vectors/q", REMOVE, 0, {0}, "fclib_local/vectors/q: is missing"},
      {LOCAL "vectors/q", GROUP, 0, {0}, "fclib_local/vectors/q: is not a dataset"},
      {LOCAL "vectors/q", TEXT, 0, {0}, "fclib_local/vectors/q: has the wrong type, expected real numbers"},
      {LOCAL "vectors/q", MATRIX, 0, {0}, "fclib_local/vectors/q: has rank 2, expected 1"},
      {LOCAL "vectors/q", REALS, 5, {0}, "fclib_local/vectors/q: has 5 entries, expected 4 (W/m)"},
      {LOCAL "vectors/q", REALS, 4, {0, 0, NAN}, "fclib_local/vectors/q: entry 2 is"},
      {LOCAL "vectors/q", REALS, 4, {0, 0, 0, INFINITY}, "fclib_local/vectors/q: entry 3 is inf"},
      {LOCAL "vectors/q", SOFT, 0, {0}, "fclib_local/vectors/q: is a link"},
      {LOCAL "vectors/q", EXTERNAL, 0, {0}, "fclib_local/vectors/q: is a link"},
      {LOCAL "vectors/q", STORED_OUTSIDE, 4, {0}, "fclib_local/vectors/q: has a storage layout that is not supported"},
      {LOCAL "vectors/q", UNWRITTEN, 2000000000, {0}, "fclib_local/vectors/q: claims more bytes than the file has"},
      {LOCAL "vectors/q", UNWRITTEN, 4, {0}, NULL},
      {LOCAL "vectors/mu", REALS, 2, {0.3, -0.5}, "fclib_local/vectors/mu: entry 1 is -0.5, expected >= 0"},
      {LOCAL "vectors/mu", REALS, 3, {0}, "fclib_local/vectors/mu: has 3 entries, expected 2 (W/m / spacedim)"},
      {LOCAL "vectors/mu", INTS, 2, {1, 1}, "fclib_local/vectors/mu: has the wrong type"},
      {LOCAL "info/title", INTS, 1, {1}, "fclib_local/info/title: has the wrong type, expected text"},
      {LOCAL "info", REMOVE, 0, {0}, NULL},
      {GLOBAL "vectors/f", REALS, 3, {0}, "fclib_global/vectors/f: has 3 entries, expected 4 (M/m)"},
      {GLOBAL "vectors/w", REMOVE, 0, {0}, "fclib_global/vectors/w: is missing"},
      {GLOBAL "vectors/w", REALS, 3, {0}, "fclib_global/vectors/w: has 3 entries, expected 4 (H/n)"},
      {GLOBAL "vectors/mu", REALS, 1, {0}, "fclib_global/vectors/mu: has 1 entries, expected 2 (H/n / spacedim)"},
  };
  SPOIL(table);
}

static void bad_matrices(void **state)
{
  (void)state;
  const spoil table[] = {
      {LOCAL "W", REMOVE, 0, {0}, "fclib_local/W: is missing"},
      {LOCAL "W/p", REMOVE, 0, {0}, "fclib_local/W/p: is missing"},
      {LOCAL "W/m", INTS, 1, {6}, "fclib_local/W/n: is 4, expected W to be square"},
      {LOCAL "W/m", INTS, 1, {-4}, "fclib_local/W/m: is -4"},
      {LOCAL "W/m", INTS, 1, {2147483647}, "fclib_local/W/m: is 2147483647"},
      {LOCAL "W/nz", INTS, 1, {-3}, "fclib_local/W/nz: is -3"},
      {LOCAL "W/nzmax", INTS, 1, {3}, "fclib_local/W/p: entry 4 is 4, expected <= 3 (nzmax)"},
      {LOCAL "W/p", INTS, 4, {0, 1, 2, 3}, "fclib_local/W/p: has 4 entries, expected 5 (m + 1)"},
      {LOCAL "W/p", INTS, 5, {0, 2, 1, 3, 4}, "fclib_local/W/p: entry 2 is 1, expected >= 2"},
      {LOCAL "W/p", INTS, 5, {0, 1, 2, 3, 5}, "fclib_local/W/p: entry 4 is 5, expected <= 4 (nzmax)"},
      {LOCAL "W/p", INTS, 5, {0, 9, 9, 9, 9}, "fclib_local/W/p: entry 4 is 9"},
      {LOCAL "W/p", INTS, 5, {1, 1, 2, 3, 4}, "fclib_local/W/p: entry 0 is 1, expected 0"},
      {LOCAL "W/p", REALS, 5, {0, 1, 2, 3, 4}, "fclib_local/W/p: has the wrong type"},
      {LOCAL "W/i", INTS, 4, {0, 1, 2, 4}, "fclib_local/W/i: entry 3 is 4, expected 0 to 3"},
      {LOCAL "W/i", INTS, 4, {0, 1, -1, 3}, "fclib_local/W/i: entry 2 is -1"},
      {LOCAL "W/i", INTS, 4, {3, 1, 2, 0}, NULL},
      {LOCAL "W/x", REALS, 3, {0}, "fclib_local/W/x: has 3 entries, expected 4 to 4 (nzmax)"},
      {LOCAL "W/x", REALS, 4, {NAN}, "fclib_local/W/x: entry 0 is"},
      {LOCAL "W/x", REALS, 4, {1, 0, -3, 4}, NULL},
      {LOCAL "W/nz", INTS, 1, {-1}, NULL},                                             /* columns */
      {LOCAL "W/nz", INTS, 1, {4}, "fclib_local/W/p: has 5 entries, expected 4 (nz)"}, /* triplets */
      {LOCAL "W/nz", INTS, 1, {5}, "fclib_local/W/i: has 4 entries, expected 5 (nz)"}, /* triplets */
      {GLOBAL "M/n", INTS, 1, {5}, "fclib_global/M/n: is 5, expected M to be square"},
      {GLOBAL "M/x", REALS, 4, {2, 2, -2, 2}, "M: diagonal entry 2 is -2, expected > 0"},
      {GLOBAL "M/i", INTS, 4, {0, 1, 3, 0}, "expected symmetric"},
      {GLOBAL "M/i", INTS, 4, {0, 1, 2, 2}, "M: diagonal entry 3 is 0"}, /* one triangle */
      {GLOBAL "H", REMOVE, 0, {0}, "fclib_global/H: is missing"},
      {GLOBAL "H/m", INTS, 1, {5}, "fclib_global/H/m: is 5, expected the same as M/m"},
      {GLOBAL "H/n", INTS, 1, {5}, "fclib_global/H/n: is 5, expected a multiple of spacedim"},
      {GLOBAL "H/n", INTS, 1, {6}, "fclib_global/vectors/w: has 4 entries, expected 6 (H/n)"},
      {GLOBAL "H/x", REALS, 4, {NAN}, "fclib_global/H/x: entry 0"},
  };
  SPOIL(table);
}

static void bad_solutions(void **state)
{
  (void)state;
  const spoil table[] = {
      {ROOT "solution", REMOVE, 0, {0}, NULL},
      {ROOT "solution/u", REMOVE, 0, {0}, NULL},
      {ROOT "solution", REALS, 4, {0}, "solution: is not a group"},
      {ROOT "solution/r", REALS, 3, {0}, "solution/r: has 3 entries, expected 4"},
      {ROOT "solution/r", REALS, 4, {NAN}, "solution/r: entry 0 is"},
      {ROOT "solution/u", INTS, 4, {0}, "solution/u: has the wrong type"},
      {SKEIN_GLOBAL, "solution/v", REALS, 5, {0}, "solution/v: has 5 entries, expected 4 (M/m)"},
      {ROOT "guesses", REMOVE, 0, {0}, NULL},
      {ROOT "guesses/number_of_guesses", REMOVE, 0, {0}, "guesses/number_of_guesses: is missing"},
      {ROOT "guesses/number_of_guesses", INTS, 1, {-1}, "guesses/number_of_guesses: is -1"},
      {ROOT "guesses/number_of_guesses", INTS, 1, {2e9}, "guesses/2: is missing"},
      {ROOT "guesses/1", REMOVE, 0, {0}, "guesses/1: is missing"},
      {ROOT "guesses/1/r", REALS, 5, {0}, "guesses/1/r: has 5 entries, expected 4"},
  };
  SPOIL(table);
}

/* Adds a matrix group of m x n without entries. */
static void add_matrix(hid_t h, const char *group, int m, int n)
{
  hsize_t one = 1;
  int nz = -2, zero = 0;
  hid_t g = H5Gcreate2(h, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5LTmake_dataset_int(g, "m", 1, &one, &m);
  H5LTmake_dataset_int(g, "n", 1, &one, &n);
  H5LTmake_dataset_int(g, "nz", 1, &one, &nz);
  H5LTmake_dataset_int(g, "nzmax", 1, &one, &zero);
  H5Gclose(g);
}

static void equality_constraints(void **state)
{
  (void)state;
  const char *groups[] = {"fclib_local/V", "fclib_local/R", "fclib_global/G"};
  for (int k = 0; k < 3; k++)
    for (int n = 0; n < 2; n++) {
      write_good(k == 2 ? SKEIN_GLOBAL : SKEIN_REDUCED);
      hid_t h = H5Fopen(file_path, H5F_ACC_RDWR, H5P_DEFAULT);
      add_matrix(h, groups[k], 4, n);
      H5Fclose(h);
      char part[100];
      snprintf(part, sizeof part, "%s: equality constraints are not supported", groups[k]);
      if (n > 0) refused(SKEIN_BAD_INPUT, part);
      else accepted();
    }
  const spoil table[] = {
      {LOCAL "vectors/s", REALS, 2, {0}, "fclib_local/vectors/s: equality constraints are not supported"},
      {GLOBAL "vectors/b", REALS, 2, {0}, "fclib_global/vectors/b: equality constraints are not supported"},
      {LOCAL "vectors/s", REALS, 0, {0}, NULL},
  };
  SPOIL(table);
}

/* ---- What is not an HDF5 file ---------------------------------------------------------------------------------- */

static void write_bytes(const void *data, size_t size)
{
  FILE *out = fopen(file_path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(data, 1, size, out), size);
  fclose(out);
}

static void not_hdf5(void **state)
{
  (void)state;
  char path[300];
  remove(file_path);
  refused(SKEIN_IO_FAILURE, "cannot open: No such file or directory");
  memcpy(path, file_path, sizeof path);
  memcpy(file_path, directory, sizeof directory);
  refused(SKEIN_IO_FAILURE, "is not a regular file");
  memcpy(file_path, path, sizeof path);
  assert_int_equal(mkfifo(file_path, 0600), 0);
  refused(SKEIN_IO_FAILURE, "is not a regular file");
  remove(file_path);
  write_bytes("", 0);
  refused(SKEIN_BAD_INPUT, "is empty");
  write_bytes("{\"a\": 1}\n", 9);
  refused(SKEIN_BAD_INPUT, "is not an HDF5 file");
  write_bytes("\x89HDF\r\n\x1a\n", 8);
  refused(SKEIN_BAD_INPUT, "truncated or damaged");
  remove(file_path);
}

static void truncated(void **state)
{
  (void)state;
  sk_bytes whole;
  write_good(SKEIN_GLOBAL);
  skein_status s = sk_bytes_read(file_path, &whole);
  assert_int_equal(s.code, SKEIN_OK);
  for (size_t size = 8; size < whole.size; size += whole.size / 37) {
    write_bytes(whole.data, size);
    refused(SKEIN_BAD_INPUT, "truncated or damaged");
  }
  free(whole.data);
}

/* Files of other programs: the newest format, a compressed chunked dataset, text of variable length, 64-bit and
 * big-endian numbers, something unrelated beside. */
static void other_writers(void **state)
{
  (void)state;
  const char *text = "variable";
  hsize_t size = 4, two = 2;
  int64_t index[] = {0, 1, 2, 3};
  float mu[] = {0.5f, 0};
  double q[] = {1, 2, 3, 4};
  write_good(SKEIN_REDUCED);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), chunked = H5Pcreate(H5P_DATASET_CREATE), type = H5Tcopy(H5T_C_S1);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_chunk(chunked, 1, &two);
  H5Pset_shuffle(chunked);
  H5Pset_deflate(chunked, 6);
  H5Tset_size(type, H5T_VARIABLE);
  hid_t h = H5Fopen(file_path, H5F_ACC_RDWR, access), space = H5Screate_simple(1, &size, NULL);
  hid_t one = H5Screate(H5S_SCALAR);
  const char *names[] = {"fclib_local/W/i", "fclib_local/vectors/mu", "fclib_local/vectors/q",
                         "fclib_local/info/title"};
  for (int k = 0; k < 4; k++) H5Ldelete(h, names[k], H5P_DEFAULT);
  H5LTmake_dataset(h, names[0], 1, &size, H5T_NATIVE_INT64, index);
  H5LTmake_dataset_float(h, names[1], 1, &two, mu);
  hid_t set = H5Dcreate2(h, names[2], H5T_IEEE_F64BE, space, H5P_DEFAULT, chunked, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, q);
  H5Dclose(set);
  set = H5Dcreate2(h, names[3], type, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text);
  H5Dclose(set);
  H5LTmake_dataset_double(h, "unrelated", 1, &size, q);
  H5Sclose(space);
  H5Sclose(one);
  H5Tclose(type);
  H5Pclose(chunked);
  H5Pclose(access);
  H5Fclose(h);
  skein_fclib file;
  skein_status s = skein_fclib_read(file_path, &file);
  assert_string_equal(s.message, "");
  assert_true(file.problem.mu[0] == 0.5 && file.problem.b[3] == 4);
  assert_null(file.title);
  skein_fclib_destroy(&file);
}

/* A compact dataset that says it has 8 bytes where its shape needs 32: HDF5 1.10 would read beyond them. */
static void short_compact(void **state)
{
  (void)state;
  const unsigned char layout[] = {3, 0, 32, 0}; /* version, compact, bytes */
  const double q[] = {1, 2, 3, 4};
  hsize_t size = 4;
  sk_bytes whole;
  write_good(SKEIN_REDUCED);
  hid_t h = H5Fopen(file_path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &size, NULL);
  hid_t compact = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_layout(compact, H5D_COMPACT);
  H5Ldelete(h, "fclib_local/vectors/q", H5P_DEFAULT);
  hid_t set = H5Dcreate2(h, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, compact, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, q);
  H5Dclose(set);
  H5Pclose(compact);
  H5Sclose(space);
  H5Fclose(h);
  accepted();
  assert_int_equal(sk_bytes_read(file_path, &whole).code, SKEIN_OK);
  size_t at = 0;
  while (at + 36 < whole.size && (memcmp(whole.data + at, layout, 4) || memcmp(whole.data + at + 4, q, 32))) at++;
  assert_true(at + 36 < whole.size);
  whole.data[at + 2] = 8;
  write_bytes(whole.data, whole.size);
  free(whole.data);
  refused(SKEIN_BAD_INPUT, "fclib_local/vectors/q: claims more bytes than the file has");
}

/* Damaged groups that crash HDF5 1.10 or keep it busy for ever: eight bytes after a signature are overwritten. */
static void damaged_groups(void **state)
{
  (void)state;
  const struct {
    const char *signature;
    size_t length, offset;
    uint64_t value;
    const char *part;
  } table[] = {
      {"HEAP", 4, 8, UINT64_MAX, "heap of a group"},          {"HEAP", 4, 24, UINT64_MAX, "heap of a group"},
      {"TREE", 4, 32, UINT64_MAX, "tree of a group"},         {"SNOD", 4, 16, UINT64_MAX, "node of a group"},
      {"\x11\0\x10\0", 4, 8, UINT64_MAX, "table of a group"}, {"\x89HDF", 4, 80, UINT64_MAX, "root group"},
      {"\x89HDF", 4, 13, 0x0404, "has addresses of 4"},
  };
  for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
    sk_bytes whole;
    write_good(SKEIN_REDUCED);
    assert_int_equal(sk_bytes_read(file_path, &whole).code, SKEIN_OK);
    size_t at = 0;
    while (at + 64 < whole.size && memcmp(whole.data + at, table[k].signature, table[k].length)) at++;
    memcpy(whole.data + at + table[k].offset, &table[k].value, table[k].value == UINT64_MAX ? 8 : 2);
    write_bytes(whole.data, whole.size);
    free(whole.data);
    refused(SKEIN_BAD_INPUT, table[k].part);
  }
}

/* The list of free pieces of a heap leads back to its own beginning. */
static void circle_in_heap(void **state)
{
  (void)state;
  sk_bytes whole;
  uint64_t piece, names;
  write_good(SKEIN_REDUCED);
  assert_int_equal(sk_bytes_read(file_path, &whole).code, SKEIN_OK);
  size_t at = 0;
  while (at + 32 < whole.size && memcmp(whole.data + at, "HEAP", 4)) at++;
  memcpy(&piece, whole.data + at + 16, 8);
  memcpy(&names, whole.data + at + 24, 8);
  assert_true(piece != 1 && names + piece + 8 < whole.size);
  memcpy(whole.data + names + piece, &piece, 8);
  write_bytes(whole.data, whole.size);
  free(whole.data);
  refused(SKEIN_BAD_INPUT, "heap of a group");
}

/* Data that looks like a broken record is data. */
static void not_a_record(void **state)
{
  (void)state;
  hsize_t size = 48;
  char bytes[48];
  const char *signatures[] = {"HEAP\0\0\0\0", "TREE\0\0\0\0"};
  for (int k = 0; k < 2; k++) {
    memset(bytes, 0xff, sizeof bytes);
    memcpy(bytes, signatures[k], 8);
    write_good(SKEIN_REDUCED);
    hid_t h = H5Fopen(file_path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5LTmake_dataset_char(h, "notes", 1, &size, bytes);
    H5Fclose(h);
    accepted();
  }
}

static herr_t no_print(hid_t stack, void *user)
{
  (void)stack, (void)user;
  return 0;
}

/* The error handler of the program is left as it was, after success and after failure. */
static void error_handler_kept(void **state)
{
  (void)state;
  H5E_auto2_t old, now;
  void *old_user, *user;
  H5Eget_auto2(H5E_DEFAULT, &old, &old_user);
  H5Eset_auto2(H5E_DEFAULT, no_print, directory);
  write_good(SKEIN_REDUCED);
  accepted();
  truncated(NULL);
  H5Eget_auto2(H5E_DEFAULT, &now, &user);
  H5Eset_auto2(H5E_DEFAULT, old, old_user);
  assert_true(now == no_print && user == (void *)directory);
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_fields),           cmocka_unit_test(bad_matrices),  cmocka_unit_test(bad_solutions),
      cmocka_unit_test(equality_constraints), cmocka_unit_test(not_hdf5),      cmocka_unit_test(truncated),
      cmocka_unit_test(other_writers),        cmocka_unit_test(short_compact), cmocka_unit_test(damaged_groups),
      cmocka_unit_test(circle_in_heap),       cmocka_unit_test(not_a_record),  cmocka_unit_test(error_handler_kept),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
