/* Video: raw frames through a pipe to ffmpeg, which writes H.264 into a temporary file beside the place of the video.
 */
#include "render.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool on_path(const char *program)
{
  const char *path = getenv("PATH");
  char full[4096];
  for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
    size_t n = strcspn(at, ":");
    int length = snprintf(full, sizeof full, "%.*s%s%s", (int)n, at, n > 0 ? "/" : "./", program);
    if (length > 0 && (size_t)length < sizeof full && access(full, X_OK) == 0) return true;
    at += n;
    if (*at == ':') at++;
  }
  return false;
}

bool render_video_possible(void)
{
  if (on_path("ffmpeg")) return true;
  tool_error(
      "render: ffmpeg is not on the path, and videos need it (Debian: ffmpeg); or write pictures: -o NAME_%%04d.png");
  return false;
}

/* The child: input from the pipe, messages into a file. It leaves Ctrl-C to its parent. */
static void become_ffmpeg(int input, int messages, char **arguments)
{
  setpgid(0, 0);
  dup2(input, STDIN_FILENO);
  int nothing = open("/dev/null", O_WRONLY);
  if (nothing >= 0) dup2(nothing, STDOUT_FILENO);
  dup2(messages, STDERR_FILENO);
  execvp("ffmpeg", arguments);
  _exit(127);
}

static int start(render_video *v, char **arguments)
{
  int ends[2];
  if (pipe(ends) != 0) return tool_error("render: cannot make a pipe: %s", strerror(errno)), TOOL_IO;
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  v->ffmpeg = fork();
  if (v->ffmpeg == 0) become_ffmpeg(ends[0], fileno(v->messages), arguments);
  int reason = errno;
  close(ends[0]);
  v->pipe = ends[1];
  if (v->ffmpeg > 0) return TOOL_OK;
  v->ffmpeg = 0;
  return tool_error("render: cannot start ffmpeg: %s", strerror(reason)), TOOL_IO;
}

int render_video_open(const char *path, int width, int height, double fps, int crf, render_video *v)
{
  char size[32], rate[32], quality[16];
  *v = (render_video){.pipe = -1};
  int code = tool_file_open(path, &v->file);
  if (code != TOOL_OK) return code;
  if (!v->file.temporary)
    return tool_error("%s: is no regular file, and a video must be one", path), render_video_discard(v), TOOL_IO;
  v->messages = tmpfile();
  if (!v->messages)
    return tool_error("render: no temporary file: %s", strerror(errno)), render_video_discard(v), TOOL_IO;
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(rate, sizeof rate, "%.9g", fps);
  snprintf(quality, sizeof quality, "%d", crf);
  char *arguments[] = {"ffmpeg",  "-hide_banner", "-nostdin",   "-loglevel", "error",  "-xerror",
                       "-y",      "-f",           "rawvideo",   "-pix_fmt",  "rgb24",  "-s",
                       size,      "-r",           rate,         "-i",        "pipe:0", "-c:v",
                       "libx264", "-preset",      "medium",     "-crf",      quality,  "-pix_fmt",
                       "yuv420p", "-movflags",    "+faststart", "-f",        "mp4",    v->file.temporary,
                       NULL};
  code = start(v, arguments);
  if (code != TOOL_OK) render_video_discard(v);
  return code;
}

/* The last line that ffmpeg said, without its own prefix. */
static void last_message(FILE *messages, char *text, size_t size)
{
  char line[512];
  text[0] = 0;
  rewind(messages);
  while (fgets(line, sizeof line, messages)) {
    line[strcspn(line, "\r\n")] = 0;
    const char *from = line[0] == '[' && strchr(line, ']') ? strchr(line, ']') + 1 : line;
    while (*from == ' ') from++;
    if (*from) snprintf(text, size, "%s", from);
  }
}

static int wait_for(render_video *v)
{
  int status = 0;
  if (v->ffmpeg <= 0) return -1;
  while (waitpid(v->ffmpeg, &status, 0) < 0 && errno == EINTR) {}
  v->ffmpeg = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int fail(render_video *v)
{
  char said[512];
  if (v->pipe >= 0) close(v->pipe), v->pipe = -1;
  int code = wait_for(v);
  last_message(v->messages, said, sizeof said);
  tool_error("%s: ffmpeg could not write the video: %s", v->file.path,
             said[0]       ? said
             : code == 127 ? "it did not start"
                           : "it says nothing");
  render_video_discard(v);
  return TOOL_IO;
}

int render_video_add(render_video *v, const render_canvas *c)
{
  size_t count = (size_t)c->width * (size_t)c->height, size = 3 * count, done = 0;
  unsigned char *rgb = malloc(size);
  if (!rgb) return tool_error("out of memory"), TOOL_IO;
  for (size_t i = 0; i < count; i++) memcpy(rgb + 3 * i, c->bytes + 4 * i, 3);
  while (done < size) {
    ssize_t n = write(v->pipe, rgb + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += (size_t)n;
  }
  free(rgb);
  return done == size ? TOOL_OK : fail(v);
}

int render_video_close(render_video *v)
{
  char said[512];
  close(v->pipe);
  v->pipe = -1;
  int code = wait_for(v);
  last_message(v->messages, said, sizeof said);
  if (code != 0 || said[0]) return fail(v);
  fclose(v->messages);
  v->messages = NULL;
  return tool_file_commit(&v->file);
}

void render_video_discard(render_video *v)
{
  if (v->pipe >= 0) close(v->pipe);
  if (v->ffmpeg > 0) kill(v->ffmpeg, SIGKILL);
  wait_for(v);
  if (v->messages) fclose(v->messages);
  tool_file_discard(&v->file);
  *v = (render_video){.pipe = -1};
}
