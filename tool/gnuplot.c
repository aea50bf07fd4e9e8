/* Figures: a folder for them, files in it, and gnuplot as a child process. */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int tool_folder_make(const char *folder)
{
  struct stat about;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return tool_error("%s: cannot make the directory: %s", folder, strerror(errno)), TOOL_IO;
  if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
    return tool_error("%s: is not a directory", folder), TOOL_IO;
  return TOOL_OK;
}

int tool_file_open_in(const char *folder, const char *name, const char *extension, tool_file *file)
{
  size_t size = strlen(folder) + strlen(name) + strlen(extension) + 2;
  char *path = malloc(size);
  if (!path) return tool_error("out of memory"), TOOL_IO;
  snprintf(path, size, "%s/%s%s", folder, name, extension);
  int code = tool_file_open(path, file);
  free(path);
  return code;
}

/* The child's part: does not return. */
static void become_gnuplot(const tool_gnuplot_def *def)
{
  bool ready = true;
  if (def->folder) ready = chdir(def->folder) == 0;
  if (def->in) ready = ready && lseek(fileno(def->in), 0, SEEK_SET) == 0 && dup2(fileno(def->in), STDIN_FILENO) >= 0;
  if (def->out) ready = ready && dup2(fileno(def->out), STDOUT_FILENO) >= 0;
  if (def->quiet) {
    int nowhere = open("/dev/null", O_WRONLY);
    ready = ready && nowhere >= 0 && dup2(nowhere, STDERR_FILENO) >= 0;
  }
  if (!ready) _exit(126);
  execlp("gnuplot", "gnuplot", def->script, (char *)NULL);
  _exit(127);
}

int tool_gnuplot(const tool_gnuplot_def *def)
{
  int state;
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) become_gnuplot(def);
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

int tool_gnuplot_report(const char *path, int drawn)
{
  if (drawn == 0) return TOOL_OK;
  if (drawn == 127) return tool_error("%s: not drawn, gnuplot is not installed (Debian: gnuplot-nox)", path), TOOL_IO;
  return tool_error("%s: not drawn, gnuplot failed", path), TOOL_IO;
}
