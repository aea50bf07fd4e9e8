/* The folder of a run that is being written: PATH.d. One process writes at a time; whoever dies leaves the lock open.
 */
#include "output/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *sk_path_join(const char *folder, const char *name)
{
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", folder, name);
  return path;
}

static skein_status folder_failed(const skein_run *run, const char *what, int error)
{
  return sk_fail(SKEIN_IO_FAILURE, "%.300s: %s: %s", run->folder, what, strerror(error));
}

/* Locks of fcntl end with the process, whatever ends it. */
static skein_status lock_folder(skein_run *run)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  char *path = sk_path_join(run->folder, "lock");
  if (!path) return sk_no_memory();
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  int error = fd < 0 ? errno : 0;
  free(path);
  if (fd < 0) return folder_failed(run, "cannot write", error);
  if (fcntl(fd, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN)) return run->lock = fd, sk_ok();
  if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) lock.l_pid = 0;
  close(fd);
  return sk_fail(SKEIN_IO_FAILURE, "%.300s: is being written by another process (%ld)", run->path, (long)lock.l_pid);
}

skein_status sk_folder_enter(skein_run *run)
{
  struct stat about;
  if (run->lock >= 0) return sk_ok();
  if (mkdir(run->folder, 0777) && errno != EEXIST) return folder_failed(run, "cannot make the folder", errno);
  if (stat(run->folder, &about)) return folder_failed(run, "cannot read", errno);
  if (!S_ISDIR(about.st_mode)) return folder_failed(run, "cannot make the folder", EEXIST);
  return lock_folder(run);
}

void sk_folder_leave(skein_run *run)
{
  if (run->lock < 0) return;
  char *path = sk_path_join(run->folder, "lock");
  if (path) unlink(path);
  free(path);
  close(run->lock);
  run->lock = -1;
  rmdir(run->folder);
}

static bool ends_with(const char *name, const char *end)
{
  size_t a = strlen(name), b = strlen(end);
  return a >= b && !strcmp(name + a - b, end);
}

/* A file that a run makes: 000012.h5, state.h5, base.h5, or one of *.new. Nothing else is ever removed. */
static bool is_ours(const char *name, bool unfinished)
{
  size_t digits = strspn(name, "0123456789");
  if (unfinished) return ends_with(name, ".new");
  return (digits >= 6 && !strcmp(name + digits, ".h5")) || !strcmp(name, "state.h5") || !strcmp(name, "base.h5");
}

void sk_folder_clean(const skein_run *run, bool unfinished)
{
  DIR *d = opendir(run->folder);
  if (!d) return;
  for (struct dirent *entry; (entry = readdir(d));)
    if (is_ours(entry->d_name, unfinished)) unlinkat(dirfd(d), entry->d_name, 0);
  closedir(d);
}

/* 0 or errno. */
static int copy_bytes(int from, int to)
{
  static const size_t size = (size_t)1 << 20;
  char *buffer = malloc(size);
  int error = buffer ? 0 : ENOMEM;
  for (ssize_t got = 1; got && !error;) {
    got = read(from, buffer, size);
    if (got < 0 && errno != EINTR) error = errno;
    for (ssize_t done = 0; done < got && !error;) {
      ssize_t put = write(to, buffer + done, (size_t)(got - done));
      if (put < 0 && errno != EINTR) error = errno;
      if (put > 0) done += put;
    }
  }
  free(buffer);
  return error;
}

skein_status sk_file_copy(const char *from, const char *to, bool links)
{
  if (links && link(from, to) == 0) return sk_ok();
  int in = open(from, O_RDONLY | O_CLOEXEC),
      out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = in < 0 || out < 0 ? errno : copy_bytes(in, out);
  if (in >= 0) close(in);
  if (out >= 0 && close(out) && !error) error = errno;
  if (!error) return sk_ok();
  if (out >= 0) unlink(to);
  return sk_fail(SKEIN_IO_FAILURE, "%.300s: cannot write: %s", to, strerror(error));
}

void sk_sync_directory(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *directory = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  int fd = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) fsync(fd), close(fd); /* some file systems cannot: their loss after a power cut is not ours to report */
  free(directory);
}
