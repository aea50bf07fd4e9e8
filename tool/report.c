/* What the command tells the world: messages, JSON, CSV and files that are whole or not there. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Messages ---- */

void tool_error(const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (char *c = text; *c; c++)
    if (*c == '\n' || *c == '\r') *c = ' '; /* file names may hold anything: still one line */
  fflush(stdout);
  fprintf(stderr, "skein: %s\n", text);
}

int tool_fail(const char *path, skein_status status)
{
  bool named = !path || !strncmp(status.message, path, strlen(path));
  tool_error("%s%s%s", named ? "" : path, named ? "" : ": ", status.message);
  return status.code == SKEIN_BAD_INPUT ? TOOL_BAD : TOOL_IO;
}

int tool_worst(int a, int b)
{
  return a > b ? a : b;
}

void tool_local_name(skein_local local, bool failsafe, skein_ball ball, char name[32])
{
  bool plain = ball == SKEIN_BALL_PLAIN && (local == SKEIN_PAC || local == SKEIN_DAC);
  snprintf(name, 32, "%s%s%s", skein_local_name(local), plain ? "/plain" : "", failsafe ? "+enum" : "");
}

/* ---- JSON ---- */

json_t *tool_json_number(double x)
{
  return isfinite(x) ? json_real(x) : json_null();
}

json_t *tool_json_text(const char *text)
{
  json_t *value = json_string(text);
  char *copy = value ? NULL : strdup(text); /* not UTF-8: show '?' for what JSON cannot hold */
  if (!copy) return value ? value : json_null();
  for (char *c = copy; *c; c++)
    if ((unsigned char)*c >= 0x80) *c = '?';
  value = json_string(copy);
  free(copy);
  return value ? value : json_null();
}

int tool_json_print(json_t *object)
{
  char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
  json_decref(object);
  if (!text) {
    tool_error("out of memory");
    return TOOL_IO;
  }
  puts(text);
  fflush(stdout);
  free(text);
  return TOOL_OK;
}

/* ---- CSV ---- */

void tool_csv_text(FILE *out, const char *text)
{
  if (!strpbrk(text, ",\"\n\r")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

void tool_csv_number(FILE *out, double x)
{
  if (isfinite(x)) fprintf(out, "%.9g", x);
}

/* ---- Files ---- */

static int file_failed(const char *path, const char *what)
{
  tool_error("%s: %s: %s", path, what, strerror(errno));
  return TOOL_IO;
}

int tool_folder_check(const char *path)
{
  struct stat about;
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
  int code = TOOL_OK;
  if (folder && stat(folder, &about) != 0) {
    tool_error("%s: cannot write: the folder '%s' is not there", path, folder);
    code = TOOL_IO;
  }
  free(folder);
  return code;
}

/* A temporary file beside file->path with the rights that the file has or would get. */
static bool open_temporary(tool_file *file, bool exists, mode_t mode)
{
  size_t size = strlen(file->path) + sizeof ".XXXXXX";
  file->temporary = malloc(size);
  if (!file->temporary) return false;
  snprintf(file->temporary, size, "%s.XXXXXX", file->path);
  int handle = mkstemp(file->temporary);
  if (handle < 0) return false;
  mode_t mask = umask(0);
  umask(mask);
  file->stream = fchmod(handle, exists ? mode & 0777 : 0666 & ~mask) == 0 ? fdopen(handle, "w") : NULL;
  if (file->stream) return true;
  int reason = errno;
  close(handle);
  unlink(file->temporary);
  errno = reason;
  return false;
}

int tool_file_open(const char *path, tool_file *file)
{
  struct stat about;
  *file = (tool_file){0};
  if (tool_folder_check(path) != TOOL_OK) return TOOL_IO;
  bool exists = stat(path, &about) == 0, done;
  if (exists && S_ISDIR(about.st_mode)) return errno = EISDIR, file_failed(path, "cannot write");
  file->path = exists ? realpath(path, NULL) : strdup(path); /* a link stays a link */
  if (!file->path) return file_failed(path, "cannot write");
  if (exists && !S_ISREG(about.st_mode)) done = (file->stream = fopen(path, "w")) != NULL;
  else done = open_temporary(file, exists, about.st_mode);
  if (done) return TOOL_OK;
  int code = file_failed(path, "cannot write");
  free(file->temporary);
  free(file->path);
  *file = (tool_file){0};
  return code;
}

int tool_file_commit(tool_file *file)
{
  int code = TOOL_OK;
  bool written = fflush(file->stream) == 0 && !ferror(file->stream);
  if (file->temporary && written) written = fsync(fileno(file->stream)) == 0;
  if (fclose(file->stream) != 0) written = false;
  file->stream = NULL;
  if (written && file->temporary) written = rename(file->temporary, file->path) == 0;
  if (!written) code = file_failed(file->path, "cannot write");
  if (written) free(file->temporary), file->temporary = NULL;
  tool_file_discard(file);
  return code;
}

void tool_file_discard(tool_file *file)
{
  if (file->stream) fclose(file->stream);
  if (file->temporary) unlink(file->temporary);
  free(file->temporary);
  free(file->path);
  *file = (tool_file){0};
}
