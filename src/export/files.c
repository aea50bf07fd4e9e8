/* Files that are there as a whole, all of them, or not at all: each is written beside its place; when the last one is
 * done they are renamed in the order in which they were opened. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static skein_status failure(const char *path, const char *what, int reason)
{
  return sk_fail(SKEIN_IO_FAILURE, "%.350s: %s: %s", path, what, strerror(reason));
}

/* A new file "path.PID-N.new". */
static FILE *create_beside(const char *path, char **temporary)
{
  size_t size = strlen(path) + 40;
  *temporary = malloc(size);
  if (!*temporary) return NULL;
  for (int n = 0; n < 1000; n++) {
    snprintf(*temporary, size, "%s.%ld-%d.new", path, (long)getpid(), n);
    int handle = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (handle < 0 && errno == EEXIST) continue;
    FILE *stream = handle < 0 ? NULL : fdopen(handle, "wb");
    if (stream) return stream;
    int reason = errno;
    if (handle >= 0) close(handle), unlink(*temporary);
    free(*temporary), *temporary = NULL;
    errno = reason;
    return NULL;
  }
  free(*temporary), *temporary = NULL;
  return NULL;
}

static bool grow(sk_files *files)
{
  if (files->count < files->room) return true;
  int room = files->room ? 2 * files->room : 16;
  sk_file *grown = realloc(files->file, sizeof *grown * (size_t)room);
  if (!grown) return false;
  files->file = grown, files->room = room;
  return true;
}

skein_status sk_files_open(sk_files *files, const char *path, sk_out *out)
{
  struct stat about;
  *out = (sk_out){0};
  if (!grow(files)) return sk_no_memory();
  bool exists = stat(path, &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) return failure(path, "cannot write", EISDIR);
  sk_file file = {.path = exists ? realpath(path, NULL) : strdup(path)}; /* a link stays a link */
  if (!file.path) return failure(path, "cannot write", errno);
  if (exists && !S_ISREG(about.st_mode)) out->stream = fopen(path, "wb");
  else if (exists && access(path, W_OK) != 0) out->stream = NULL;
  else out->stream = create_beside(file.path, &file.temporary);
  if (!out->stream) {
    skein_status s = failure(path, "cannot write", errno);
    free(file.path);
    return s;
  }
  files->file[files->count++] = file;
  out->path = file.path;
  return sk_ok();
}

bool sk_out_failed(const sk_out *out)
{
  return ferror(out->stream) != 0;
}

skein_status sk_out_failure(const sk_out *out)
{
  return failure(out->path, "cannot write", errno ? errno : EIO);
}

skein_status sk_files_close(sk_files *files, sk_out *out)
{
  skein_status s = sk_ok();
  if (!out->stream) return s;
  bool written = !ferror(out->stream) && fflush(out->stream) == 0;
  if (!written) s = sk_out_failure(out);
  long size = ftell(out->stream);
  if (fclose(out->stream) != 0 && s.code == SKEIN_OK) s = sk_out_failure(out);
  files->bytes += SK_MAX(size, 0);
  out->stream = NULL;
  return s;
}

skein_status sk_files_folder(sk_files *files, const char *path)
{
  struct stat about;
  if (mkdir(path, 0777) == 0) {
    files->folder = strdup(path);
    return files->folder ? sk_ok() : sk_no_memory();
  }
  if (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return sk_ok();
  return failure(path, "cannot make the folder", errno);
}

skein_status sk_files_commit(sk_files *files)
{
  skein_status s = sk_ok();
  int k = 0;
  for (; k < files->count && s.code == SKEIN_OK; k++) {
    sk_file *f = &files->file[k];
    if (!f->temporary) continue;
    if (rename(f->temporary, f->path) != 0) s = failure(f->path, "cannot write", errno);
    else free(f->temporary), f->temporary = NULL;
  }
  for (int i = 0; s.code != SKEIN_OK && i + 1 < k; i++) unlink(files->file[i].path); /* those that were renamed */
  if (s.code == SKEIN_OK) free(files->folder), files->folder = NULL;
  sk_files_discard(files);
  return s;
}

void sk_files_discard(sk_files *files)
{
  for (int k = 0; k < files->count; k++) {
    if (files->file[k].temporary) unlink(files->file[k].temporary);
    free(files->file[k].temporary), free(files->file[k].path);
  }
  if (files->folder) rmdir(files->folder);
  free(files->folder), free(files->file);
  *files = (sk_files){.bytes = files->bytes};
}
