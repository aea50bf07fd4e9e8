/* Files as bytes, images as HDF5 files, and the life of a skein_fclib. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "friction/fclib_io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* HDF5 looks for its signature at 0, 512, 1024, 2048, ...: before it lies what other tools put there. */
static bool has_signature(int fd, off_t size)
{
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  unsigned char found[8];
  for (off_t at = 0; at >= 0 && at < size; at = at ? 2 * at : 512)
    if (pread(fd, found, sizeof found, at) == (ssize_t)sizeof found && !memcmp(found, signature, sizeof found))
      return true;
  return false;
}

/* Exactly size bytes: a file that shrinks while it is read is truncated. */
static skein_status read_all(int fd, size_t size, sk_bytes *bytes)
{
  *bytes = (sk_bytes){.data = malloc(size), .size = size};
  if (!bytes->data) return sk_no_memory();
  for (size_t done = 0; done < size;) {
    ssize_t got = read(fd, bytes->data + done, SK_MIN(size - done, (size_t)1 << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return sk_fail(SKEIN_IO_FAILURE, "cannot read: %s", strerror(errno));
    if (got == 0) return sk_fail(SKEIN_IO_FAILURE, "ended after %zu of %zu bytes", done, size);
    done += (size_t)got;
  }
  return sk_ok();
}

static skein_status read_open(int fd, sk_bytes *bytes)
{
  struct stat info;
  if (fstat(fd, &info)) return sk_fail(SKEIN_IO_FAILURE, "cannot read: %s", strerror(errno));
  if (!S_ISREG(info.st_mode)) return sk_fail(SKEIN_IO_FAILURE, "is not a regular file");
  if (info.st_size == 0) return sk_fail(SKEIN_BAD_INPUT, "is empty, expected an HDF5 file");
  if (!has_signature(fd, info.st_size)) return sk_fail(SKEIN_BAD_INPUT, "is not an HDF5 file");
  return read_all(fd, (size_t)info.st_size, bytes);
}

skein_status sk_bytes_read(const char *path, sk_bytes *bytes)
{
  *bytes = (sk_bytes){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer must not make us wait */
  if (fd < 0) return sk_status_prefix(sk_fail(SKEIN_IO_FAILURE, "cannot open: %s", strerror(errno)), path);
  skein_status s = read_open(fd, bytes);
  close(fd);
  if (s.code == SKEIN_OK) return s;
  free(bytes->data);
  *bytes = (sk_bytes){0};
  return sk_status_prefix(s, path);
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* What a rename onto the target would replace. Devices and directories are refused: a rename would replace them too. */
static skein_status check_target(const char *target, bool *exists, mode_t *mode)
{
  struct stat info;
  *exists = stat(target, &info) == 0;
  if (!*exists) return errno == ENOENT ? sk_ok() : sk_fail(SKEIN_IO_FAILURE, "cannot write: %s", strerror(errno));
  if (!S_ISREG(info.st_mode)) return sk_fail(SKEIN_IO_FAILURE, "cannot write: is not a regular file");
  if (access(target, W_OK)) return sk_fail(SKEIN_IO_FAILURE, "cannot write: %s", strerror(errno));
  *mode = info.st_mode & 0777;
  return sk_ok();
}

/* A new file in the directory of the target, ours alone (O_EXCL); its short name fits where the target's does. */
static int create_temporary(const char *target, char *name, size_t size)
{
  const char *slash = strrchr(target, '/');
  int directory = slash ? (int)(slash - target) + 1 : 0;
  for (int k = 0; k < 1000; k++) {
    int length = snprintf(name, size, "%.*s.skein-%ld-%d.tmp", directory, target, (long)getpid(), k);
    if (length < 0 || (size_t)length >= size) return errno = ENAMETOOLONG, -1;
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/* 0 or errno. Without fsync: after a loss of power the file may be the old one. */
static int write_all(int fd, const sk_bytes *bytes)
{
  for (size_t done = 0; done < bytes->size;) {
    ssize_t put = write(fd, bytes->data + done, SK_MIN(bytes->size - done, (size_t)1 << 30));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    done += (size_t)put;
  }
  return 0;
}

static skein_status replace(const char *target, const sk_bytes *bytes)
{
  char name[PATH_MAX];
  mode_t mode = 0;
  bool exists;
  skein_status s = check_target(target, &exists, &mode);
  if (s.code != SKEIN_OK) return s;
  int fd = create_temporary(target, name, sizeof name);
  if (fd < 0) return sk_fail(SKEIN_IO_FAILURE, "cannot create a file beside it: %s", strerror(errno));
  int error = write_all(fd, bytes);
  if (!error && exists && fchmod(fd, mode)) error = errno;
  if (close(fd) && !error) error = errno;
  if (!error && rename(name, target)) error = errno;
  if (!error) return s;
  unlink(name);
  return sk_fail(SKEIN_IO_FAILURE, "cannot write: %s", strerror(error));
}

skein_status sk_bytes_write(const char *path, const sk_bytes *bytes)
{
  char *target = realpath(path, NULL); /* through symbolic links, so that they stay what they are */
  skein_status s = replace(target ? target : path, bytes);
  free(target);
  return sk_status_prefix(s, path);
}

/* ---- Images as HDF5 files -------------------------------------------------------------------------------------- */

/* Memory of the core driver. Its property lists, and a file that is only read, use the bytes of the caller. What it
 * frees when it closes a file is the finished file: an image taken while the file is open (H5Fget_file_image) has a
 * wrong checksum where the file is of the newest format. */
struct sk_h5_memory {
  unsigned char *shared; /* of the caller; NULL: none */
  bool writable;
  sk_bytes last; /* what the file had when it was closed, with the size that was asked for last */
};

static void *image_malloc(size_t size, H5FD_file_image_op_t op, void *user)
{
  struct sk_h5_memory *m = user;
  if (op != H5FD_FILE_IMAGE_OP_FILE_OPEN || !m->writable) return m->shared;
  m->last.size = size;
  return malloc(size);
}

static void *image_memcpy(void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *user)
{
  (void)op, (void)user;
  return to == from ? to : memcpy(to, from, size);
}

static void *image_realloc(void *memory, size_t size, H5FD_file_image_op_t op, void *user)
{
  (void)op;
  struct sk_h5_memory *m = user;
  void *larger = m->writable ? realloc(memory, size) : NULL;
  if (larger) m->last.size = size;
  return larger;
}

static herr_t image_free(void *memory, H5FD_file_image_op_t op, void *user)
{
  struct sk_h5_memory *m = user;
  if (memory == m->shared) return 0;
  void *old = memory;
  if (op == H5FD_FILE_IMAGE_OP_FILE_CLOSE) old = m->last.data, m->last.data = memory;
  free(old);
  return 0;
}

static void *user_copy(void *user)
{
  return user;
}

static herr_t user_free(void *user)
{
  (void)user;
  return 0;
}

sk_h5_image sk_h5_image_open(const sk_bytes *bytes, bool writable)
{
  char name[64];
  sk_h5_image image = {.file = -1, .memory = sk_calloc(1, sizeof *image.memory)};
  hid_t access = image.memory ? H5Pcreate(H5P_FILE_ACCESS) : -1;
  if (access < 0) return image;
  *image.memory = (struct sk_h5_memory){.shared = bytes ? bytes->data : NULL, .writable = writable};
  H5FD_file_image_callbacks_t calls = {image_malloc, image_memcpy, image_realloc, image_free,
                                       user_copy,    user_free,    image.memory};
  /* HDF5 takes two open images of one name for the same file; the number of a property list is given only once */
  snprintf(name, sizeof name, "skein image %lld", (long long)access);
  bool ready = H5Pset_fapl_core(access, (size_t)1 << 16, false) >= 0 &&
               H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
               H5Pset_file_image_callbacks(access, &calls) >= 0 &&
               (!bytes || H5Pset_file_image(access, bytes->data, bytes->size) >= 0);
  if (ready && bytes) image.file = H5Fopen(name, writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
  if (ready && !bytes) image.file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return image;
}

bool sk_h5_image_close(sk_h5_image image, sk_bytes *bytes)
{
  ssize_t size = 0; /* without the room to grow that the driver has behind the end of the file */
  struct sk_h5_memory *m = image.memory;
  if (bytes) *bytes = (sk_bytes){0};
  if (!m) return false;
  if (bytes && image.file >= 0 && H5Fflush(image.file, H5F_SCOPE_GLOBAL) >= 0)
    size = H5Fget_file_image(image.file, NULL, 0);
  if (image.file >= 0 && H5Fclose(image.file) < 0) return false; /* HDF5 may still use the memory: it is given up */
  bool good = bytes && size > 0 && m->last.data && (size_t)size <= m->last.size;
  if (good) *bytes = (sk_bytes){.data = m->last.data, .size = (size_t)size};
  else free(m->last.data);
  free(m);
  return good || !bytes;
}

/* ---- The content of a file ------------------------------------------------------------------------------------- */

skein_status skein_fclib_read(const char *path, skein_fclib *file)
{
  sk_bytes bytes;
  *file = (skein_fclib){0};
  skein_status s = sk_bytes_read(path, &bytes);
  if (s.code == SKEIN_OK) s = sk_status_prefix(sk_fclib_read_image(&bytes, file), path);
  free(bytes.data);
  return s;
}

void skein_fclib_destroy(skein_fclib *file)
{
  skein_problem_destroy(&file->problem);
  skein_solution_destroy(&file->solution);
  for (int k = 0; k < file->guesses; k++) skein_solution_destroy(&file->guess[k]);
  free(file->guess);
  free(file->title);
  free(file->description);
  free(file->math_info);
  *file = (skein_fclib){0};
}
