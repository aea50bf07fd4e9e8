/* HDF5 files through a driver that never fails to write, and POSIX around it (output.h says why). */
#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The driver (HDF5 Virtual File Layer, "Virtual File Drivers" of its reference manual) ---- */

typedef struct driver_file {
  H5FD_t common;
  sk_h5 *owner;
  haddr_t eoa, eof; /* end of what is allocated, and of what was written */
} driver_file;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t largest)
{
  (void)name, (void)flags, (void)largest;
  sk_h5 *const *owner = H5Pget_driver_info(access);
  driver_file *d = owner ? sk_calloc(1, sizeof *d) : NULL;
  if (!d) return NULL;
  d->owner = *owner;
  d->eof = (haddr_t)d->owner->size;
  return &d->common;
}

static herr_t driver_close(H5FD_t *file)
{
  free(file);
  return 0;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
  const driver_file *d = (const driver_file *)file;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
  if (!d || !d->owner->reads) *flags |= H5FD_FEAT_ACCUMULATE_METADATA; /* or else headers are read one by one */
  return 0;
}

static haddr_t driver_eoa(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const driver_file *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
  (void)type;
  ((driver_file *)file)->eoa = address;
  return 0;
}

static haddr_t driver_eof(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const driver_file *)file)->eof;
}

/* Behind the end of the file are zeros. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *buffer)
{
  (void)transfer;
  const driver_file *d = (const driver_file *)file;
  size_t done = 0;
  while (done < size) {
    ssize_t got = pread(d->owner->fd, (char *)buffer + done, SK_MIN(size - done, (size_t)1 << 30), (off_t)(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += (size_t)got;
  }
  memset((char *)buffer + done, 0, size - done);
  bool header = type == H5FD_MEM_OHDR && d->owner->reads;
  return header && !sk_h5_header_sound(d->owner, at, buffer, done) ? -1 : 0;
}

/* After the first failure nothing is written any more: the file is lost, HDF5 need not know. */
static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, const void *buffer)
{
  (void)type, (void)transfer;
  driver_file *d = (driver_file *)file;
  for (size_t done = 0; done < size && !d->owner->error;) {
    size_t part = SK_MIN(size - done, (size_t)1 << 30);
    ssize_t put = pwrite(d->owner->fd, (const char *)buffer + done, part, (off_t)(at + done));
    if (put < 0 && errno != EINTR) d->owner->error = errno;
    if (put == 0) d->owner->error = ENOSPC;
    if (put > 0) done += (size_t)put;
  }
  d->eof = SK_MAX(d->eof, at + size);
  return 0;
}

static herr_t driver_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
  (void)transfer, (void)closing;
  driver_file *d = (driver_file *)file;
  if (d->eoa == d->eof) return 0;
  if (!d->owner->error && ftruncate(d->owner->fd, (off_t)d->eoa)) d->owner->error = errno;
  d->eof = d->eoa;
  return 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* of the range for drivers that are not registered */
#endif
    .name = "skein",
    .maxaddr = (haddr_t)1 << 62,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(sk_h5 *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* ---- Files ---- */

typedef enum access_mode { READ, EXTEND, CREATE } access_mode;

/* An HDF5 file on h->fd. The name is only a name. */
static void attach(sk_h5 *h, const char *path, access_mode mode)
{
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  h->driver = H5FDregister(&driver);
  bool ready = h->driver >= 0 && access >= 0 && H5Pset_driver(access, h->driver, &h) >= 0 &&
               H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST) >= 0 &&
               H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
  h->file = -1;
  hid_t how = ready && mode == CREATE ? H5Pcreate(H5P_FILE_CREATE) : -1;
  if (how >= 0 && H5Pset_est_link_info(how, 16, 20) >= 0) /* its attributes fit in the header of the root */
    h->file = H5Fcreate(path, H5F_ACC_TRUNC, how, access);
  if (how >= 0) H5Pclose(how);
  if (ready && mode != CREATE) h->file = H5Fopen(path, mode == READ ? H5F_ACC_RDONLY : H5F_ACC_RDWR, access);
  if (access >= 0) H5Pclose(access);
}

/* The driver goes after its file: HDF5 1.10 looks at it once more after it has let go of it. */
static bool detach(sk_h5 *h)
{
  bool closed = h->file < 0 || H5Fclose(h->file) >= 0;
  if (h->driver > 0) H5FDunregister(h->driver);
  h->file = -1, h->driver = -1;
  return closed;
}

static skein_status file_failed(const char *path, const char *what, int error)
{
  return sk_status_prefix(sk_fail(SKEIN_IO_FAILURE, "%s: %s", what, strerror(error)), path);
}

skein_status sk_h5_create(const char *path, sk_h5 *h)
{
  *h = (sk_h5){.file = -1, .fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (h->fd < 0) return file_failed(path, "cannot write", errno);
  attach(h, path, CREATE);
  if (h->file >= 0) return sk_ok();
  skein_status s = h->error ? file_failed(path, "cannot write", h->error) : sk_no_memory();
  sk_h5_close(h);
  unlink(path);
  return s;
}

skein_status sk_h5_commit(sk_h5 *h, const char *path, bool sync)
{
  if (!detach(h)) h->failed = true;
  if (!h->error && sync && fsync(h->fd)) h->error = errno;
  if (close(h->fd) && !h->error) h->error = errno;
  h->fd = -1;
  if (!h->error && !h->failed) return sk_ok();
  unlink(path);
  if (h->error) return file_failed(path, "cannot write", h->error);
  return sk_status_prefix(sk_fail(SKEIN_NO_MEMORY, "HDF5 cannot build the file"), path);
}

/* HDF5 may allocate what a damaged file asks for, but a file that is cut is known by its own size. */
static skein_status open_checked(const char *path, sk_h5 *h, access_mode mode)
{
  struct stat about;
  unsigned char first[9];
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  if (fstat(h->fd, &about)) return sk_fail(SKEIN_IO_FAILURE, "cannot read: %s", strerror(errno));
  if (!S_ISREG(about.st_mode)) return sk_fail(SKEIN_IO_FAILURE, "is not a regular file");
  if (about.st_size == 0) return sk_fail(SKEIN_BAD_INPUT, "is empty, expected a run");
  if (pread(h->fd, first, sizeof first, 0) != (ssize_t)sizeof first || memcmp(first, signature, sizeof signature))
    return sk_fail(SKEIN_BAD_INPUT, "is not an HDF5 file");
  if (first[8] < 2) return sk_fail(SKEIN_BAD_INPUT, "is an HDF5 file, but not a run of skein"); /* no checksums */
  h->size = (int64_t)about.st_size, h->reads = mode == READ;
  attach(h, path, mode);
  if (h->file < 0) return sk_fail(SKEIN_BAD_INPUT, "is a damaged or truncated HDF5 file");
  return sk_ok();
}

static skein_status open_file(const char *path, sk_h5 *h, access_mode mode)
{
  *h = (sk_h5){.file = -1, .fd = open(path, (mode == READ ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK)};
  if (h->fd < 0) return file_failed(path, "cannot open", errno);
  skein_status s = open_checked(path, h, mode);
  if (s.code == SKEIN_OK) return s;
  sk_h5_close(h);
  return sk_status_prefix(s, path);
}

skein_status sk_h5_open(const char *path, sk_h5 *h)
{
  return open_file(path, h, READ);
}

skein_status sk_h5_extend(const char *path, sk_h5 *h)
{
  return open_file(path, h, EXTEND);
}

void sk_h5_close(sk_h5 *h)
{
  detach(h);
  if (h->fd >= 0) close(h->fd);
  *h = (sk_h5){.file = -1, .fd = -1};
}
