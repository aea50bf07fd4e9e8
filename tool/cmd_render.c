/* `skein render`: pictures and videos of a run, by ray tracing. */
#include "render.h"
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
  (void)signal;
  interrupted = 1;
}

/* Ctrl-C ends the picture at the next tile, and what is not finished is not there. A dead ffmpeg is an error of write.
 */
static void catch_interrupts(void)
{
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  action = (struct sigaction){.sa_handler = SIG_IGN};
  sigaction(SIGPIPE, &action, NULL);
  sigaction(SIGXFSZ, &action, NULL);
}

/* ---- Names of files ---- */

static bool ends_with(const char *text, const char *end)
{
  size_t n = strlen(text), m = strlen(end);
  return n > m && !strcmp(text + n - m, end);
}

/* Exactly one % in the name, and that is %d, %4d or %04d. */
static bool is_pattern(const char *name)
{
  const char *at = strchr(name, '%');
  if (!at || strchr(at + 1, '%')) return false;
  size_t digits = strspn(at + 1, "0123456789");
  return digits <= 2 && at[1 + digits] == 'd';
}

/* "out_%04d.png" and 7 make "out_0007.png"; the caller frees. */
static char *file_name(const char *pattern, int frame)
{
  const char *at = strchr(pattern, '%');
  size_t size = strlen(pattern) + 128;
  char *name = malloc(size);
  if (!name || !at) return name ? strcpy(name, pattern) : NULL;
  int width = atoi(at + 1), zeros = at[1] == '0';
  const char *rest = strchr(at, 'd') + 1;
  if (zeros) snprintf(name, size, "%.*s%0*d%s", (int)(at - pattern), pattern, width, frame, rest);
  else snprintf(name, size, "%.*s%*d%s", (int)(at - pattern), pattern, width, frame, rest);
  return name;
}

static int check_output(const render_settings *s, bool *video)
{
  if (!s->output) return tool_error("render: no output given: -o NAME.png, NAME_%%04d.png or NAME.mp4"), TOOL_BAD;
  *video = ends_with(s->output, ".mp4");
  if (!*video && !ends_with(s->output, ".png")) return tool_error("%s: must end in .png or .mp4", s->output), TOOL_BAD;
  if (strchr(s->output, '%') && (*video || !is_pattern(s->output)))
    return tool_error("%s: %s", s->output,
                      *video ? "a video has one name, without %" : "expected one number, as in NAME_%04d.png"),
           TOOL_BAD;
  if (s->frame != RENDER_NO_FRAME && (s->first != RENDER_NO_FRAME || s->last != RENDER_NO_FRAME || s->step != 1))
    return tool_error("render: --frame and --frames exclude each other"), TOOL_BAD;
  if (*video && (s->width % 2 || s->height % 2))
    return tool_error("--size %dx%d: width and height of a video must be even", s->width, s->height), TOOL_BAD;
  if (*video && s->transparent)
    return tool_error("render: --transparent is for pictures, a video has no alpha"), TOOL_BAD;
  return *video && !render_video_possible() ? TOOL_IO : TOOL_OK;
}

/* Whether the first file can be written, before hours are spent on it. */
static int try_output(const render_job *job)
{
  tool_file file;
  char *name = file_name(job->set->output, job->first);
  if (!name) return tool_error("out of memory"), TOOL_IO;
  int code = tool_file_open(name, &file);
  if (code == TOOL_OK) tool_file_discard(&file);
  free(name);
  return code;
}

/* ---- Progress ---- */

typedef struct progress {
  bool terminal;
  double begun, said;
} progress;

static void show_progress(const render_job *job, progress *p, int done)
{
  double now = run_clock(), each = (now - p->begun) / (done > 0 ? done : 1);
  if (job->set->quiet || job->count < 2 || now - p->said < (p->terminal ? 0.1 : 10)) return;
  p->said = now;
  fprintf(stderr, "%sframe %d of %d, %.2f s each, %.0f s left%s", p->terminal ? "\r\033[K" : "", done, job->count, each,
          ceil(each * (job->count - done)), p->terminal ? "" : "\n");
  fflush(stderr);
}

static void clear_progress(const progress *p)
{
  if (p->terminal) fputs("\r\033[K", stderr);
}

/* ---- Frames ---- */

typedef struct output {
  render_studio *studio;
  render_video video;
  float *rgba;
  render_canvas canvas;
  progress progress;
  int64_t rays;
  size_t bytes;
} output;

static int write_picture(const render_job *job, const output *out, int frame)
{
  tool_file file;
  char *name = file_name(job->set->output, frame);
  if (!name) return tool_error("out of memory"), TOOL_IO;
  int code = tool_file_open(name, &file);
  if (code == TOOL_OK && !render_png_write(file.stream, &out->canvas, job->set->transparent)) {
    tool_error("%s: cannot write: %s", name, strerror(errno));
    tool_file_discard(&file);
    code = TOOL_IO;
  } else if (code == TOOL_OK) code = tool_file_commit(&file);
  free(name);
  return code;
}

static int draw_frame(const render_job *job, output *out, int frame)
{
  render_view view;
  render_info info;
  skein_status status = render_view_read(job, frame, &view);
  if (status.code == SKEIN_OK)
    status = render_frame(out->studio, &job->def, &view.scene, out->rgba, &interrupted, &info);
  render_view_free(&view);
  if (status.code != SKEIN_OK) return clear_progress(&out->progress), tool_fail(job->set->run, status);
  if (interrupted) return TOOL_INTERRUPTED;
  out->rays += info.rays;
  if (info.bytes > out->bytes) out->bytes = info.bytes;
  render_bytes(out->rgba, out->canvas.width, out->canvas.height, out->canvas.bytes);
  render_draw_over(job, &out->canvas);
  return job->video ? render_video_add(&out->video, &out->canvas) : write_picture(job, out, frame);
}

static int draw_frames(const render_job *job, output *out)
{
  int code = TOOL_OK;
  for (int k = 0; code == TOOL_OK && k < job->count; k++) {
    show_progress(job, &out->progress, k);
    code = draw_frame(job, out, job->first + k * job->step);
    if (interrupted && code == TOOL_OK && k + 1 < job->count) code = TOOL_INTERRUPTED;
  }
  clear_progress(&out->progress);
  return code;
}

static double video_rate(const render_job *job)
{
  double fps = job->set->fps > 0 ? job->set->fps : skein_run_fps(job->run) / job->step;
  return fmin(fmax(fps, 0.01), 1000);
}

static int open_output(const render_job *job, output *out)
{
  const render_settings *s = job->set;
  size_t pixels = (size_t)s->width * (size_t)s->height;
  *out = (output){.video = {.pipe = -1},
                  .rgba = malloc(pixels * 4 * sizeof(float)),
                  .canvas = {s->width, s->height, malloc(pixels * 4)},
                  .progress = {.terminal = !s->quiet && job->count > 1 && isatty(STDERR_FILENO),
                               .begun = run_clock(),
                               .said = run_clock()}};
  if (!out->rgba || !out->canvas.bytes)
    return tool_error("out of memory for %dx%d pixels", s->width, s->height), TOOL_IO;
  skein_status status = render_create(&out->studio);
  if (status.code != SKEIN_OK) return tool_fail(NULL, status);
  return job->video ? render_video_open(s->output, s->width, s->height, video_rate(job), s->crf, &out->video) : TOOL_OK;
}

static int make_all(const render_job *job)
{
  output out;
  int code = open_output(job, &out);
  if (code == TOOL_OK) code = draw_frames(job, &out);
  if (code == TOOL_OK && job->video) code = render_video_close(&out.video);
  else render_video_discard(&out.video);
  if (code == TOOL_INTERRUPTED) tool_error("interrupted%s", job->video ? ": no video was written" : "");
  if (code == TOOL_OK && !job->set->quiet) {
    double seconds = run_clock() - out.progress.begun;
    printf("%s: %d frame%s of %dx%d in %.2f s, %.1f million rays, %.0f MB\n", job->set->output, job->count,
           job->count == 1 ? "" : "s", job->set->width, job->set->height, seconds, (double)out.rays / 1e6,
           (double)out.bytes / 1e6);
  }
  render_destroy(out.studio);
  free(out.rgba);
  free(out.canvas.bytes);
  return code;
}

static int run(const tool_command *command, int argc, char **argv)
{
  render_settings s = render_default_settings();
  int code = render_read_options(command, argc, argv, &s);
  if (code == TOOL_HELP) return TOOL_OK;
  render_job job = {.set = &s, .def = render_default_def()};
  if (code == TOOL_OK) code = check_output(&s, &job.video);
  if (code != TOOL_OK) return code;
  catch_interrupts();
  code = render_job_open(&job, &interrupted);
  if (code == TOOL_OK) code = try_output(&job);
  if (code == TOOL_OK) code = make_all(&job);
  render_job_close(&job);
  return code;
}

static void notes(FILE *out)
{
  fputs("\nColours:\n", out);
  for (int k = 0; k < SKEIN_COLOUR_COUNT; k++)
    fprintf(out, "  %-9s %s\n", skein_colour_name((skein_colour)k), skein_colour_about((skein_colour)k));
}

const tool_command tool_render = {
    .name = "render",
    .about = "Pictures and videos of a run, by ray tracing",
    .usage = "RUN.h5 -o NAME.png|NAME_%04d.png|NAME.mp4 [OPTIONS]",
    .options = render_options,
    .notes = notes,
    .examples = "  skein render heap.h5 -o heap.png                         the last frame\n"
                "  skein render heap.h5 -o heap.mp4                         all of it, in real time\n"
                "  skein render heap.h5 -o slip.png -f 40 --colour status   who sticks and who slips\n"
                "  skein render heap.h5 -o f_%04d.png -n 10:50:2 --samples 64 --size 1920x1080\n"
                "  skein render head.h5 -o head.png --hairs 100000          many hairs from few rods\n",
    .run = run};
