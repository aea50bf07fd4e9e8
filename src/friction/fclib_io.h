/* FCLIB files, between problem.c and fclib_*.c.
 *
 * A file is read into memory as a whole, and written from memory as a whole: HDF5 only ever sees an image (its core
 * driver). So the errors of the file system are ours to report, with errno; a full disk cannot leave HDF5 with a file
 * that it can neither flush nor close (which crashes 1.10 at exit); and HDF5 opens no file that a file names. */
#ifndef SK_FCLIB_IO_H
#define SK_FCLIB_IO_H

#include "base/base.h"
#include "base/hdf5_quiet.h"
#include "sparse/sparse.h"

#include <hdf5.h>

typedef struct sk_bytes {
  unsigned char *data; /* owned */
  size_t size;
} sk_bytes;

/* ---- fclib_io.c: files as bytes, images as HDF5 files; messages begin with the path ---- */

/* The bytes of a regular file that carries the signature of HDF5. */
skein_status sk_bytes_read(const char *path, sk_bytes *bytes);
/* Writes a temporary file beside path and renames it; the old file and its permissions stay unless all went well. */
skein_status sk_bytes_write(const char *path, const sk_bytes *bytes);

/* An image as an HDF5 file: `bytes` themselves, which must stay, or a copy of them where it is writable; bytes NULL: an
 * empty file. */
typedef struct sk_h5_image {
  hid_t file; /* negative when HDF5 cannot open it */
  struct sk_h5_memory *memory;
} sk_h5_image;
sk_h5_image sk_h5_image_open(const sk_bytes *bytes, bool writable);
/* Closes the file and every object in it. `bytes` receives the closed file unless NULL; false when that failed. */
bool sk_h5_image_close(sk_h5_image image, sk_bytes *bytes);

/* ---- fclib_matrix.c; messages begin with the field ---- */

typedef struct sk_field {
  char path[96];
} sk_field;

typedef struct sk_fclib_array {
  void *data; /* owned; int, double or char with a final zero */
  int64_t count;
} sk_fclib_array;

typedef struct sk_fclib_head {
  int m, n, nz, nzmax;
} sk_fclib_head;

typedef struct sk_fclib_entries {
  sk_fclib_array p, i, x; /* int, int, double */
} sk_fclib_entries;

sk_field sk_fclib_at(const char *group, const char *name);
/* count is what is expected, which `why` names. */
skein_status sk_fclib_count(const char *path, int64_t count, int64_t expected, const char *why);
/* A from its entries, some of which it may take over. */
skein_status sk_fclib_matrix(const char *group, const sk_fclib_head *h, sk_fclib_entries *e, skein_csr *A);
/* A symmetric matrix of which a file holds one triangle: the other one is its mirror image. */
skein_status sk_fclib_mirror(skein_csr *A, bool *triangle);

/* ---- fclib_read.c ---- */

/* The content of an FCLIB file that is in memory; messages begin with the field. */
skein_status sk_fclib_read_image(const sk_bytes *bytes, skein_fclib *file);

/* ---- fclib_vet.c ---- */

/* Looks for the damaged groups on which HDF5 1.10 is known to crash or to run without end. */
typedef struct sk_vet {
  const unsigned char *data; /* of the file, from the signature of HDF5 on */
  uint64_t size;
  unsigned char *seen, *record; /* a bit per byte: an object, a record that begins there was looked at */
  uint64_t *object;             /* addresses of objects still to be looked at */
  size_t count, room;
  uint64_t messages;   /* of objects, so far */
  skein_status status; /* the first thing that is wrong */
} sk_vet;

/* All groups that are reached from the root by links of the classic kind. Close it also after a failure. */
skein_status sk_vet_open(const sk_bytes *bytes, sk_vet *v);
/* The same from the object at an address, which a link of another kind leads to. */
skein_status sk_vet_object(sk_vet *v, uint64_t at);
void sk_vet_close(sk_vet *v);

/* ---- problem.c ---- */

/* What there is of a solution is finite; v holds p->dofs numbers. */
skein_status sk_solution_check(const skein_problem *p, const skein_solution *s, const char *name);

#endif
