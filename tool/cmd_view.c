/* `skein view`: a run as one page for a browser.
 *
 * Two passes over the frames: the first finds times and the box of all, the second packs them. A page that would be too
 * large is packed again with every second, third, ... frame. */
#include "live.h"

#include <getopt.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { OUTPUT, FRAMES, MAX_SIZE, LIVE, LIVE_FIRST, HAIRS = LIVE_FIRST + 5 };

static const tool_option options[] = {
    [OUTPUT] = {"output", 'o', "PAGE.html", "where to write (default: beside the run, with .html for .h5)"},
    [FRAMES] = {"frames", 'f', "A:B[:STEP]", "frames A to B, both included, every STEP-th (default: all)"},
    [MAX_SIZE] = {"max-size", 0, "MB", "keep fewer frames, evenly, until the page has at most this size (default: 50)"},
    [LIVE] = {"live", 0, NULL, "simulate a scene and serve its page, to pause, drag and change"},
    LIVE_OPTIONS,
    TOOL_HAIR_OPTIONS,
    {0}};

enum { CHUNK = 16, ROWS = 6000, MOST_HAIRS = 20000 }; /* frames per chunk; rows of statistics and hairs in a page */

typedef struct settings {
  const char *output;
  int first, last, step; /* last -1: to the end */
  double max_size;       /* bytes */
  tool_hairs hairs;
} settings;

/* A run, and what the first pass found. */
typedef struct subject {
  const char *path;
  skein_run *run;
  skein_scene *scene;
  skein_look *look;
  skein_hairs *hairs; /* NULL: rods as they are */
  view_packer *packer;
  skein_step_info *steps;
  int step_count;
  int first, last;     /* frames to show */
  int rods;            /* most of any frame */
  double lo[3], hi[3]; /* rods and bodies */
  double box[2][3];    /* points and contacts */
} subject;

/* What the second pass makes. */
typedef struct packed {
  int frames;
  double *time, *speed, *force; /* of each frame: time, tops of the colour scales */
  json_t *chunks;               /* frames in each */
  view_bytes text;              /* <script> elements */
} packed;

static skein_status no_memory(void)
{
  return (skein_status){.code = SKEIN_NO_MEMORY, .message = "no memory for the page"};
}

/* ---- First pass ---- */

static void grow(double lo[3], double hi[3], const double a[3], const double b[3])
{
  for (int k = 0; k < 3; k++) lo[k] = fmin(lo[k], a[k]), hi[k] = fmax(hi[k], b[k]);
}

static void survey_frame(subject *s, const skein_frame *f)
{
  double lo[3], hi[3];
  if (f->rods > s->rods) s->rods = f->rods;
  if (skein_look_bounds(s->look, f, lo, hi)) grow(s->lo, s->hi, lo, hi);
  for (int i = 0; i < f->points; i++) {
    double p[3] = {f->point[3 * i], f->point[3 * i + 1], f->point[3 * i + 2]};
    grow(s->box[0], s->box[1], p, p);
  }
  for (int i = 0; i < f->contacts; i++)
    grow(s->box[0], s->box[1], f->contact_point + 3 * (size_t)i, f->contact_point + 3 * (size_t)i);
}

static skein_status survey_hairs(subject *s, const skein_frame *f)
{
  skein_frame frame;
  skein_status status = skein_hairs_frame(s->hairs, f, &frame);
  if (status.code == SKEIN_OK) survey_frame(s, &frame);
  skein_frame_destroy(&frame);
  return status;
}

static skein_status survey(subject *s, int step)
{
  skein_status status = {0};
  for (int k = 0; k < 3; k++) s->lo[k] = s->box[0][k] = INFINITY, s->hi[k] = s->box[1][k] = -INFINITY;
  for (int i = s->first; i <= s->last && status.code == SKEIN_OK; i += step) {
    skein_frame frame = {0};
    status = skein_run_frame(s->run, i, &frame);
    if (status.code == SKEIN_OK && s->hairs) status = survey_hairs(s, &frame);
    else if (status.code == SKEIN_OK) survey_frame(s, &frame), status = view_packer_see(s->packer, &frame);
    skein_frame_destroy(&frame);
  }
  for (int k = 0; k < 3; k++) { /* without rods, or with nothing but planes */
    if (!(s->lo[k] <= s->hi[k])) s->lo[k] = -0.5, s->hi[k] = 0.5;
    if (!(s->box[0][k] <= s->box[1][k])) s->box[0][k] = s->box[1][k] = 0;
  }
  view_packer_set_box(s->packer, s->box[0], s->box[1]);
  return status;
}

/* ---- Second pass ---- */

/* First all bytes of even place, then all of odd place, after the size. */
static bool take_apart(const view_bytes *frame, view_bytes *out)
{
  uint32_t size = (uint32_t)frame->size;
  size_t half = frame->size / 2, at = out->size + sizeof size;
  if (!view_bytes_add(out, &size, sizeof size) || !view_bytes_add(out, NULL, frame->size)) return false;
  for (size_t i = 0; i < half; i++) {
    out->data[at + i] = frame->data[2 * i];
    out->data[at + half + i] = frame->data[2 * i + 1];
  }
  return true;
}

/* Compresses the chunk into an element of the page, and empties it. */
static bool close_chunk(packed *page, view_bytes *chunk, int frames)
{
  char open[80];
  uLongf size = compressBound(chunk->size);
  unsigned char *small = malloc(size);
  bool done = small && compress2(small, &size, chunk->data, chunk->size, 9) == Z_OK;
  snprintf(open, sizeof open, "<script type=\"text/plain\" id=\"skein-chunk-%zu\">", json_array_size(page->chunks));
  done = done && view_bytes_text(&page->text, open) && view_bytes_base64(&page->text, small, size) &&
         view_bytes_text(&page->text, "</script>\n") && !json_array_append_new(page->chunks, json_integer(frames));
  free(small);
  chunk->size = 0;
  return done;
}

/* The steps that end after `from` and by `to`: first of them, and how many. */
static int find_steps(const subject *s, double from, double to, int *count)
{
  int first = 0, last;
  double slack = 1e-9 * fmax(1, fabs(to));
  while (first < s->step_count && s->steps[first].time <= from + slack) first++;
  for (last = first; last < s->step_count && s->steps[last].time <= to + slack; last++) {}
  *count = last - first;
  return first;
}

static skein_status pack_frame(const subject *s, packed *page, const skein_frame *before, const skein_frame *frame,
                               int step_limit, view_bytes *bytes)
{
  int n = page->frames, count = 0;
  int first = before ? find_steps(s, before->time, frame->time, &count) : 0;
  view_input in = {.before = before,
                   .frame = frame,
                   .steps = s->steps ? s->steps + first : NULL,
                   .step_count = count,
                   .step_limit = step_limit,
                   .sequence = (uint32_t)n + 1,
                   .complete = n % CHUNK == 0};
  bytes->size = 0;
  skein_status status = view_pack(s->packer, &in, bytes);
  if (status.code != SKEIN_OK) return status;
  page->time[n] = frame->time;
  view_tops(bytes->data, &page->speed[n], &page->force[n]);
  page->frames++;
  return status;
}

static skein_status pack_frames(const subject *s, int step, packed *page)
{
  skein_status status = {0};
  skein_frame before = {0}, frame = {0};
  view_bytes chunk = {0}, bytes = {0};
  int all = (s->last - s->first) / step + 1, limit = ROWS / all > 1 ? ROWS / all : 1;
  for (int i = s->first; i <= s->last && status.code == SKEIN_OK; i += step) {
    status = skein_run_frame(s->run, i, &frame);
    if (status.code == SKEIN_OK) status = pack_frame(s, page, i > s->first ? &before : NULL, &frame, limit, &bytes);
    if (status.code == SKEIN_OK && !take_apart(&bytes, &chunk)) status = no_memory();
    int open = (page->frames - 1) % CHUNK + 1; /* frames in the chunk */
    if (status.code == SKEIN_OK && (open == CHUNK || i + step > s->last) && !close_chunk(page, &chunk, open))
      status = no_memory();
    skein_frame_destroy(&before);
    before = frame;
    frame = (skein_frame){0};
  }
  skein_frame_destroy(&before);
  skein_frame_destroy(&frame);
  view_bytes_free(&chunk);
  view_bytes_free(&bytes);
  return status;
}

static void packed_free(packed *page)
{
  free(page->time);
  view_bytes_free(&page->text);
  json_decref(page->chunks);
  *page = (packed){0};
}

static skein_status pack(const subject *s, int step, packed *page)
{
  size_t all = (size_t)((s->last - s->first) / step + 1);
  *page = (packed){.time = calloc(3 * all, sizeof(double)), .chunks = json_array()};
  if (!page->time || !page->chunks) return no_memory();
  page->speed = page->time + all;
  page->force = page->speed + all;
  return pack_frames(s, step, page);
}

/* ---- The page ---- */

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A value that nineteen of twenty frames do not exceed. Sorts them. */
static double usual_top(double *top, int count)
{
  qsort(top, (size_t)count, sizeof *top, by_size);
  double usual = top[(count - 1) * 19 / 20];
  return usual > 0 ? usual : top[count - 1];
}

/* Gravity of the scene as written, in SI. */
static void find_gravity(const skein_run *run, double g[3])
{
  static const struct {
    const char *name;
    double factor;
  } units[] = {{"cm", 1e-2}, {"mm", 1e-3}, {"ms", 1e-3}};
  json_t *scene = json_loads(skein_run_source(run), 0, NULL), *given = json_object_get(scene, "gravity");
  json_t *unit = json_object_get(scene, "units");
  double length = 1, time = 1;
  for (int k = 0; k < 3; k++) {
    const char *l = json_string_value(json_object_get(unit, "length")),
               *t = json_string_value(json_object_get(unit, "time"));
    if (l && !strcmp(l, units[k].name)) length = units[k].factor;
    if (t && !strcmp(t, units[k].name)) time = units[k].factor;
  }
  g[0] = g[1] = 0, g[2] = -9.81;
  for (size_t k = 0; json_is_array(given) && k < 3; k++)
    g[k] = json_number_value(json_array_get(given, k)) * length / (time * time);
  json_decref(scene);
}

static json_t *describe(const subject *s, packed *page)
{
  char *copy = strdup(s->path);
  view_head head = {.title = skein_run_title(s->run),
                    .file = copy ? basename(copy) : "",
                    .version = skein_run_version(s->run),
                    .fps = skein_run_fps(s->run),
                    .lo = s->lo,
                    .hi = s->hi};
  json_t *times = json_array();
  for (int i = 0; i < page->frames; i++) json_array_append_new(times, json_real(page->time[i]));
  find_gravity(s->run, head.gravity);
  head.speed = usual_top(page->speed, page->frames);
  head.force = usual_top(page->force, page->frames);
  json_t *o = view_head_json(s->look, &head);
  double end = s->step_count > 0 ? s->steps[s->step_count - 1].time : page->time[page->frames - 1];
  json_object_set_new(o, "frames", json_integer(page->frames));
  json_object_set_new(o, "times", times);
  json_object_set(o, "chunks", page->chunks);
  json_object_set_new(o, "source",
                      json_pack("{sisisfsi}", "rods", s->rods, "frames", skein_run_frames(s->run), "duration", end,
                                "steps", s->step_count));
  json_object_set_new(o, "verdict", view_verdict_json(run_names_of(s->run), s->steps, s->step_count));
  json_object_set_new(o, "hairs", json_boolean(s->hairs != NULL)); /* then rods of frames are not those of steps */
  free(copy);
  return o;
}

static int write_page(const char *path, const view_bytes *head, const packed *page)
{
  const char *before, *after;
  size_t before_size, after_size;
  tool_file file;
  view_page(&before, &before_size, &after, &after_size);
  int code = tool_file_open(path, &file);
  if (code != TOOL_OK) return code;
  fwrite(before, 1, before_size, file.stream);
  fwrite(head->data, 1, head->size, file.stream);
  fwrite(page->text.data, 1, page->text.size, file.stream);
  fwrite(after, 1, after_size, file.stream);
  return tool_file_commit(&file);
}

/* The head as an element; false: no memory. */
static bool make_head(const subject *s, packed *page, view_bytes *head)
{
  json_t *o = describe(s, page);
  head->size = 0;
  bool done = o && view_bytes_text(head, "<script type=\"application/json\" id=\"skein-head\">") &&
              view_head_write(o, head) && view_bytes_text(head, "</script>\n");
  json_decref(o);
  return done;
}

/* Packs with every step-th frame, and fewer until the page is small enough. */
static skein_status pack_within(const subject *s, double max_size, int *step, packed *page, view_bytes *head)
{
  const char *text;
  size_t before, after;
  view_page(&text, &before, &text, &after);
  for (;;) {
    skein_status status = pack(s, *step, page);
    if (status.code == SKEIN_OK && !make_head(s, page, head)) status = no_memory();
    if (status.code != SKEIN_OK) return status;
    double rest = (double)(before + after + head->size), size = rest + (double)page->text.size;
    if (size <= max_size || page->frames == 1) {
      if (size <= max_size) return status;
      status.code = SKEIN_BAD_INPUT;
      snprintf(status.message, sizeof status.message, "--max-size: one frame alone makes a page of %.1f MB",
               size / 1e6);
      return status;
    }
    double ratio = max_size > rest ? (double)page->text.size / (max_size - rest) : page->frames;
    int next = (int)fmin(*step * fmax(ratio, 1), 1e9), most = s->last - s->first + 1;
    *step = next > *step ? next : *step + 1;
    if (*step > most) *step = most;
    packed_free(page);
  }
}

static void say(const char *output, const subject *s, const packed *page, size_t size, int step, int asked)
{
  printf("%s: %d %s, %d %s, %.1f MB\n", output, page->frames, page->frames == 1 ? "frame" : "frames", s->rods,
         s->rods == 1 ? "strand" : "strands", (double)size / 1e6);
  if (step != asked) printf("one frame in %d, to keep the page small (--max-size)\n", step);
}

static int make_page(const settings *set, const char *output, subject *s)
{
  const char *text;
  size_t before, after;
  int step = set->step;
  packed page = {0};
  view_bytes head = {0};
  skein_status status = survey(s, step);
  if (status.code == SKEIN_OK) status = pack_within(s, set->max_size, &step, &page, &head);
  int code = status.code == SKEIN_OK ? write_page(output, &head, &page) : tool_fail(s->path, status);
  view_page(&text, &before, &text, &after);
  if (code == TOOL_OK) say(output, s, &page, before + after + head.size + page.text.size, step, set->step);
  view_bytes_free(&head);
  packed_free(&page);
  return code;
}

/* ---- The command ---- */

/* "A:B[:STEP]", each part may be empty; a single number is one frame. */
static bool parse_frames(const char *text, settings *s)
{
  int *part[] = {&s->first, &s->last, &s->step}, k = 0;
  char copy[64];
  if (strlen(text) >= sizeof copy) return tool_error("--frames: expected A:B[:STEP], got '%s'", text), false;
  strcpy(copy, text);
  for (char *at = copy, *next; at; at = next, k++) {
    next = strchr(at, ':');
    if (next) *next++ = 0;
    if (k > 2) return tool_error("--frames: expected A:B[:STEP], got '%s'", text), false;
    if (*at && !tool_parse_int("--frames", at, k == 2, 1000000000, part[k])) return false;
  }
  if (k == 1) s->last = s->first;
  if (s->last >= 0 && s->last < s->first)
    return tool_error("--frames: %d:%d is empty, expected A:B with A <= B", s->first, s->last), false;
  return true;
}

/* The run's path with .html for its last ending; the caller frees. */
static char *beside(const char *path)
{
  const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
  size_t length = dot && dot != path ? (size_t)(dot - path) : strlen(path);
  char *output = malloc(length + 6);
  if (output) memcpy(output, path, length), strcpy(output + length, ".html");
  return output;
}

static int show(const settings *set, const char *path)
{
  subject s = {.path = path};
  char *output = set->output ? strdup(set->output) : beside(path);
  int code = TOOL_OK;
  skein_status status = skein_run_open(path, false, &s.run);
  if (status.code == SKEIN_OK && !output) status = no_memory();
  if (status.code == SKEIN_OK)
    status = skein_scene_parse(skein_run_source(s.run), path, skein_run_folder(s.run), NULL, 0, &s.scene);
  if (status.code == SKEIN_OK) status = skein_look_create(s.scene, &s.look);
  if (status.code == SKEIN_OK) status = view_packer_create(s.look, NULL, NULL, &s.packer);
  if (status.code == SKEIN_OK) status = tool_hairs_create(&set->hairs, s.run, s.scene, &s.hairs);
  if (status.code == SKEIN_OK) view_packer_set_hairs(s.packer, s.hairs);
  if (status.code == SKEIN_OK) status = skein_run_steps(s.run, &s.steps, &s.step_count);
  int frames = status.code == SKEIN_OK ? skein_run_frames(s.run) : 0;
  s.first = set->first;
  s.last = set->last >= 0 && set->last < frames ? set->last : frames - 1;
  if (status.code != SKEIN_OK) code = tool_fail_input(path, status, TOOL_RUN);
  else if (frames == 0) code = TOOL_BAD, tool_error("%s: has no frames yet", path);
  else if (set->first >= frames)
    code = TOOL_BAD,
    tool_error("%s: --frames: starts at %d, expected less than %d, the number of frames", path, set->first, frames);
  else code = make_page(set, output, &s);
  free(output);
  free(s.steps);
  view_packer_destroy(s.packer);
  skein_hairs_destroy(s.hairs);
  skein_look_destroy(s.look);
  skein_scene_destroy(s.scene);
  skein_run_close(s.run);
  return code;
}

static int run(const tool_command *command, int argc, char **argv)
{
  settings s = {.last = -1, .step = 1, .max_size = 50e6, .hairs = tool_default_hairs()};
  live_def live = live_default_def();
  bool is_live = false;
  const char *value;
  int key;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0) {
    if (key == OUTPUT) s.output = value;
    if (key == FRAMES && !parse_frames(value, &s)) return TOOL_BAD;
    if (key == LIVE) is_live = true;
    if (key >= HAIRS && !tool_hairs_option(&s.hairs, key - HAIRS, value)) return TOOL_BAD;
    if (key >= LIVE_FIRST && key < HAIRS && !live_option(&live, key - LIVE_FIRST, value)) return TOOL_BAD;
    if (key == MAX_SIZE) {
      if (!tool_parse_double("--max-size", value, 0.1, 1e5, &s.max_size)) return TOOL_BAD;
      s.max_size *= 1e6;
    }
  }
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (!tool_hairs_check(&s.hairs)) return TOOL_BAD;
  if (s.hairs.wanted && is_live) return tool_error("view: --hairs is for runs, not for --live"), TOOL_BAD;
  if (s.hairs.wanted && s.hairs.def.hairs > MOST_HAIRS)
    return tool_error("--hairs is %d, expected at most %d in a page; 'skein render' draws more", s.hairs.def.hairs,
                      MOST_HAIRS),
           TOOL_BAD;
  const char *what = is_live ? "scene" : "run";
  if (optind >= argc) return tool_error("view: no %s given, see 'skein view --help'", what), TOOL_BAD;
  if (argc - optind > 1) return tool_error("view: takes one %s, %d were given", what, argc - optind), TOOL_BAD;
  live.scene = argv[optind];
  if (is_live) return tool_live_run(&live);
  return show(&s, argv[optind]);
}

const tool_command tool_view = {
    .name = "view",
    .about = "A run as one page for a browser",
    .usage = "RUN.h5 [OPTIONS]\n       skein view --live SCENE.json [OPTIONS]",
    .options = options,
    .examples = "  skein view heap.h5                              heap.html: open it in a browser, no network needed\n"
                "  skein view heap.h5 -o page.html --frames 0:120:2\n"
                "  skein view heap.h5 --max-size 5                 small enough for a mail\n"
                "  skein view head.h5 --hairs 3000                 many hairs from few rods\n"
                "  skein view --live scenes/spaghetti-31.json      simulate now, drag strands with the mouse\n",
    .run = run};
