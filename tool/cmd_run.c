/* `skein run`: a scene in, a run out. Whatever stops it, it can go on. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "run.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A state at least that often, however long frames take and however many of them the scene wants between two. */
static const double checkpoint_seconds = 60;

enum { OUTPUT, OVERWRITE, FRAMES, THREADS, SET, STRICT, RESUME, DUMP, DUMP_EVERY, DUMP_MISSED, QUIET };

static const tool_option options[] = {
    [OUTPUT] = {"output", 'o', "RUN.h5", "the run (default: the scene's name with .h5)"},
    [OVERWRITE] = {"overwrite", 0, NULL, "replace a run that is there"},
    [FRAMES] = {"frames", 'n', "N", "frames of 1/fps after the start (default: the scene's duration)"},
    [THREADS] = {"threads", 'j', "N", "threads, 0: all cores (default); the run does not depend on it"},
    [SET] = {"set", 's', "PATH=VALUE", "replace a field of the scene, as in time.dt=1e-3; may be repeated"},
    [STRICT] = {"strict", 0, NULL, "warnings on the scene are errors (exit 2), and so is a flawed run (exit 4)"},
    [RESUME] = {"resume", 'r', "RUN.h5", "go on with a run that was stopped, or make a finished one longer"},
    [DUMP] = {"dump-problems", 0, "DIR", "write one-step problems with their guesses and solutions as FCLIB files"},
    [DUMP_EVERY] = {"dump-every", 0, "K", "of every K-th step only (default: 1)"},
    [DUMP_MISSED] = {"dump-missed", 0, NULL, "of steps only that missed their tolerance"},
    [QUIET] = {"quiet", 'q', NULL, "no progress and no summary"},
    {0}};

typedef struct settings {
  const char *scene, *output, *resume, *dump;
  int frames, threads, dump_every; /* frames -1: as the scene says */
  bool quiet, strict, dump_missed, overwrite;
  const char **sets;
  int set_count;
} settings;

/* Everything that lives while a run is made. */
typedef struct job {
  const settings *set;
  char *path; /* of the run */
  skein_scene *scene;
  skein_world *world;
  skein_run *run;
  skein_step_info *steps; /* since the last frame */
  int step_count, step_room;
  int64_t steps_before; /* of earlier frames */
  int flawed_before;    /* steps, when this job began */
  int last;             /* frame */
  double fps, end;      /* s: no frame is later */
  double saved;         /* when a state was last written */
  double wall;          /* seconds spent in this job */
  double output;        /* of them, for frames and states */
  bool blown;           /* the motion blew up */
  run_progress progress;
} job;

/* ---- Start ---- */

/* The folder that the scene's files are relative to, as an absolute path. */
static char *folder_of(const char *scene)
{
  const char *slash = strrchr(scene, '/');
  char *folder = slash ? strndup(scene, slash == scene ? 1 : (size_t)(slash - scene)) : strdup(".");
  char *full = folder ? realpath(folder, NULL) : NULL;
  if (!full) return folder;
  free(folder);
  return full;
}

/* "scenes/heap.json" becomes "heap.h5" here. */
static char *default_output(const char *scene)
{
  const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene, *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  size_t size = (size_t)length + 4;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%.*s.h5", length, name);
  return path;
}

/* The number of the last frame, which is at the end: a duration that is a whole number of frames to rounding is that
 * many. */
static int frames_of(const skein_scene *scene)
{
  double frames = ceil(skein_scene_duration(scene) * skein_scene_fps(scene) * (1 - 1e-12) - 1e-9);
  return frames < INT_MAX ? (int)frames : INT_MAX;
}

/* What the scene says of the frames. */
static void plan_frames(job *s)
{
  s->fps = skein_scene_fps(s->scene);
  s->last = s->set->frames >= 0 ? s->set->frames : frames_of(s->scene);
  s->end = s->set->frames >= 0 ? s->last / s->fps : skein_scene_duration(s->scene);
}

/* The end of the run is reached, to rounding. */
static bool is_done(const job *s)
{
  return skein_world_time(s->world) >= fmin(s->last / s->fps, s->end) - 1e-9 / s->fps;
}

/* The frame that the coming step leads to, were frames at multiples of 1/fps: steps end there in any case. */
static int next_mark(const job *s)
{
  return (int)floor(skein_world_time(s->world) * s->fps + 1e-9) + 1;
}

/* Without a state the run would go on from an older one, and come to the same frame. */
static skein_status save_frame(job *s, int index)
{
  skein_frame frame = {0};
  void *state = NULL;
  size_t size = 0;
  double begun = run_clock();
  bool saves = index == 0 || is_done(s) || index % skein_scene_checkpoint_every(s->scene) == 0 ||
               begun - s->saved >= checkpoint_seconds;
  skein_status status = skein_world_frame(s->world, index, &frame);
  if (status.code == SKEIN_OK && saves) status = skein_world_save(s->world, &state, &size);
  if (status.code == SKEIN_OK) status = skein_run_append(s->run, &frame, s->steps, s->step_count, state, size);
  if (status.code == SKEIN_OK) s->steps_before += s->step_count, s->step_count = 0;
  if (status.code == SKEIN_OK && saves) s->saved = run_clock();
  free(state);
  skein_frame_destroy(&frame);
  s->output += run_clock() - begun;
  return status;
}

static skein_status save_checkpoint(job *s)
{
  void *state = NULL;
  size_t size = 0;
  skein_status status = skein_world_save(s->world, &state, &size);
  if (status.code == SKEIN_OK) status = skein_run_checkpoint(s->run, s->steps, s->step_count, state, size);
  if (status.code == SKEIN_OK) s->saved = run_clock();
  free(state);
  return status;
}

/* How well the rods meet the strands of files, what was guessed of files, and what was moved out of bodies. */
static void tell_start(const job *s)
{
  skein_start_info i = skein_scene_start(s->scene);
  if (s->set->quiet) return;
  if (i.fitted > 0)
    fprintf(stderr, "fit: %d strand%s, largest error %.3g mm (%.2g %% of the length; %s), mean %.3g mm (%.2g %%)\n",
            i.fitted, tool_plural(i.fitted), 1e3 * i.fit_most, 100 * i.share_most, i.fit_worst, 1e3 * i.fit_mean,
            100 * i.share_mean);
  if (i.guessed)
    fprintf(stderr, "%s: says no unit, taken as %s with y up; 'scale' and 'up' would say otherwise\n", i.guessed,
            i.guessed_metres < 1 ? "centimetres" : "metres");
  if (i.moved > 0)
    fprintf(stderr, "start: %d of %d rods moved out of bodies, by up to %.3g mm\n", i.moved, i.rods,
            1e3 * i.moved_most);
  if (i.inside == 1)
    fprintf(stderr, "start: the rod '%s' is inside '%s', by %.3g mm\n", i.inside_worst, i.inside_body,
            1e3 * i.inside_most);
  if (i.inside > 1)
    fprintf(stderr, "start: %d rods are inside bodies, the deepest is '%s' in '%s', by %.3g mm\n", i.inside,
            i.inside_worst, i.inside_body, 1e3 * i.inside_most);
}

/* Values that are hardly meant: told, or refused. */
static int check_warnings(const job *s)
{
  int count;
  const skein_warning *w = skein_scene_warnings(s->scene, &count);
  bool strict = s->set->strict;
  for (int k = 0; k < count && (strict || !s->set->quiet); k++)
    tool_error("%s:%d: %s%s", s->set->scene, w[k].line, strict ? "" : "warning: ", w[k].text);
  return strict && count > 0 ? TOOL_BAD : TOOL_OK;
}

/* What is at the place of the run: nothing, or what may be replaced, in a folder that is there. */
static int check_place(const job *s)
{
  if (tool_folder_check(s->path) != TOOL_OK) return TOOL_IO;
  if (s->set->overwrite || !tool_is_hdf5(s->path)) return TOOL_OK; /* other files are never replaced */
  tool_error("%s: is there already; --overwrite replaces it, 'skein run --resume %s' goes on with it", s->path,
             s->path);
  return TOOL_BAD;
}

/* Before there is anything to go on from. */
static int start_failed(const char *path, skein_status status, tool_input expected)
{
  if (status.code != SKEIN_STOPPED) return tool_fail_input(path, status, expected);
  tool_error("%s: stopped before its first step", path);
  return TOOL_INTERRUPTED;
}

static int begin(job *s)
{
  const settings *set = s->set;
  s->path = set->output ? strdup(set->output) : default_output(set->scene);
  char *folder = folder_of(set->scene);
  skein_status status = {.code = SKEIN_NO_MEMORY, .message = "out of memory"};
  int code = s->path ? check_place(s) : TOOL_OK;
  if (code != TOOL_OK) return free(folder), code;
  if (s->path && folder)
    status = skein_scene_read_until(set->scene, set->sets, set->set_count, run_interrupt, &s->scene);
  if (status.code == SKEIN_OK) code = check_warnings(s);
  if (status.code == SKEIN_OK && code == TOOL_OK) status = skein_world_create(s->scene, set->threads, &s->world);
  if (status.code != SKEIN_OK) code = start_failed(set->scene, status, TOOL_SCENE);
  if (code == TOOL_OK) {
    plan_frames(s);
    skein_manifest manifest = skein_scene_manifest(s->scene);
    manifest.folder = folder;
    status = skein_run_create(s->path, &manifest, &s->run);
    tell_start(s);
    if (status.code == SKEIN_OK && skein_world_time(s->world) >= 0) status = save_frame(s, 0);
    if (status.code != SKEIN_OK) code = tool_fail(s->path, status);
  }
  free(folder);
  return code;
}

/* The world as it was, with the steps since the last frame. */
static skein_status load_state(job *s)
{
  void *state = NULL;
  size_t size = 0;
  skein_step_info *old = NULL;
  int old_count = 0;
  skein_status status = skein_run_state(s->run, &state, &size, &s->steps, &s->step_count);
  s->step_room = s->step_count;
  if (status.code == SKEIN_OK && size == 0)
    status = (skein_status){.code = SKEIN_BAD_INPUT, .message = "holds no state to go on from"};
  if (status.code == SKEIN_OK) status = skein_world_load(s->world, state, size);
  if (status.code == SKEIN_OK) status = skein_run_steps(s->run, &old, &old_count);
  s->steps_before = old_count;
  for (int k = 0; k < old_count; k++) s->flawed_before += run_step_flawed(&old[k]);
  for (int k = 0; k < s->step_count; k++) s->flawed_before += run_step_flawed(&s->steps[k]);
  free(old);
  free(state);
  return status;
}

static int resume(job *s)
{
  const char *path = s->set->resume;
  s->path = strdup(path);
  if (!s->path) return tool_error("out of memory"), TOOL_IO;
  skein_status status = skein_run_open(path, true, &s->run);
  if (status.code == SKEIN_OK)
    status = skein_scene_parse_until(skein_run_source(s->run), path, skein_run_folder(s->run), NULL, 0, run_interrupt,
                                     &s->scene);
  if (status.code == SKEIN_OK) status = skein_world_create(s->scene, s->set->threads, &s->world);
  if (status.code == SKEIN_OK) status = load_state(s);
  if (status.code != SKEIN_OK) return start_failed(path, status, TOOL_RUN);
  plan_frames(s);
  if (strcmp(skein_run_version(s->run), skein_version()) != 0)
    tool_error("%s: was written by version %s, this is %s: the bits may differ", path, skein_run_version(s->run),
               skein_version());
  return TOOL_OK;
}

/* ---- Dumps ---- */

/* The problem of step number `step`, the last one that was tried. */
static skein_status dump(job *s, const char *path, int64_t step, bool solved)
{
  char title[128];
  snprintf(title, sizeof title, "step %lld, t = %.9g s", (long long)step, skein_world_time(s->world));
  return run_dump(s->world, title, solved, path);
}

/* The problem of the step just taken, if it is its turn. */
static int dump_step(job *s)
{
  int64_t step = s->steps_before + s->step_count;
  if (!s->set->dump || step % s->set->dump_every != 0 || !skein_world_problem(s->world)) return TOOL_OK;
  if (s->set->dump_missed && s->steps[s->step_count - 1].converged) return TOOL_OK;
  size_t size = strlen(s->set->dump) + 48;
  char *path = malloc(size);
  if (!path) return tool_error("out of memory"), TOOL_IO;
  snprintf(path, size, "%s/step-%08lld.hdf5", s->set->dump, (long long)step);
  skein_status status = dump(s, path, step, true);
  int code = status.code == SKEIN_OK ? TOOL_OK : (run_progress_clear(&s->progress), tool_fail(path, status));
  free(path);
  return code;
}

/* RUN-blowup.hdf5 beside the run: the problem that went wrong, for `skein solve` to look at. */
static void dump_blow_up(job *s)
{
  size_t length = strlen(s->path), size = length + 16;
  char *path = skein_world_problem(s->world) ? malloc(size) : NULL;
  if (!path) return; /* nothing touched, or no memory */
  if (length > 3 && !strcmp(s->path + length - 3, ".h5")) length -= 3;
  snprintf(path, size, "%.*s-blowup.hdf5", (int)length, s->path);
  int64_t step = s->steps_before + s->step_count + 1;
  skein_status status = dump(s, path, step, true);
  if (status.code == SKEIN_BAD_INPUT) status = dump(s, path, step, false); /* the solution need not be finite */
  if (status.code == SKEIN_OK) tool_error("the problem of that step is in %s", path);
  else tool_error("the problem of that step could not be written: %s", status.message);
  free(path);
}

/* ---- The loop ---- */

static bool add_step(job *s, const skein_step_info *step)
{
  if (s->step_count == s->step_room) {
    int room = 2 * s->step_room + 64;
    skein_step_info *grown = realloc(s->steps, (size_t)room * sizeof *grown);
    if (!grown) return false;
    s->steps = grown, s->step_room = room;
  }
  s->steps[s->step_count++] = *step;
  return true;
}

/* The world towards `until`; *done: not interrupted. A blow-up is not the fault of the file: its exit code is that of a
 * failed run. */
static int move_world(job *s, double until, skein_step_info *step, bool *done)
{
  skein_status status = skein_world_step(s->world, until, step);
  *done = status.code == SKEIN_OK;
  if (*done || status.code == SKEIN_STOPPED) return TOOL_OK;
  run_progress_clear(&s->progress);
  tool_fail(NULL, status);
  s->blown = status.code == SKEIN_BAD_INPUT;
  if (s->blown) dump_blow_up(s);
  return TOOL_IO;
}

static int take_step(job *s, double until, int frame)
{
  skein_step_info step = {0};
  bool done;
  int code = move_world(s, until, &step, &done);
  if (code != TOOL_OK || !done) return code;
  if (!add_step(s, &step)) return run_progress_clear(&s->progress), tool_error("out of memory"), TOOL_IO;
  run_progress_step(&s->progress, &step, frame);
  return dump_step(s);
}

static int write_failed(job *s, skein_status status)
{
  run_progress_clear(&s->progress);
  int code = tool_fail(s->path, status);
  if (skein_run_frames(s->run) > 0)
    tool_error("%s: has frames 0 to %d, go on with: skein run --resume %s", s->path, skein_run_frames(s->run) - 1,
               s->path);
  return code;
}

static int write_frame(job *s, int index, int mark)
{
  skein_step_info last = {.time = skein_world_time(s->world)};
  if (s->step_count > 0) last = s->steps[s->step_count - 1];
  skein_status status = save_frame(s, index);
  if (status.code != SKEIN_OK) return write_failed(s, status);
  run_progress_frame(&s->progress, &last, mark);
  return TOOL_OK;
}

/* From the last frame to the next one, at a multiple of 1/fps. */
static int make_frame(job *s, int index)
{
  double until = fmin(index / s->fps, s->end), sliver = 1e-9 / s->fps;
  int code = TOOL_OK;
  while (code == TOOL_OK && !run_interrupted() && until - skein_world_time(s->world) > sliver) {
    code = take_step(s, until, index);
    if (code != TOOL_OK || run_clock() - s->saved < checkpoint_seconds) continue;
    skein_status status = save_checkpoint(s);
    if (status.code != SKEIN_OK) code = write_failed(s, status);
  }
  if (code != TOOL_OK || until - skein_world_time(s->world) > sliver) return code;
  return write_frame(s, index, index);
}

/* From the last frame to that of the next step. */
static int make_step_frame(job *s, int index)
{
  int mark = next_mark(s), code = take_step(s, fmin(mark / s->fps, s->end), mark);
  return code == TOOL_OK ? write_frame(s, index, mark) : code;
}

static int stop(job *s)
{
  skein_status status = save_checkpoint(s);
  if (status.code != SKEIN_OK) return write_failed(s, status);
  tool_error("stopped at %.6g s, resume with: skein run --resume %s", skein_world_time(s->world), s->path);
  return TOOL_INTERRUPTED;
}

static void tell_settled(const job *s, const skein_step_info *last, int steps)
{
  fprintf(stderr, "settled in %d step%s: %d contact%s, largest speed %.2g m/s, largest overlap %.2g radii", steps,
          steps == 1 ? "" : "s", last->contacts, last->contacts == 1 ? "" : "s", last->speed, last->penetration);
  if (s->progress.flawed > 0) fprintf(stderr, "; %d flawed", s->progress.flawed);
  fputc('\n', stderr);
}

/* The time before frame 0. Its steps are no part of the run; a state now and then is. */
static int settle(job *s)
{
  skein_step_info step = {0};
  int code = TOOL_OK, steps = 0;
  bool done;
  for (; code == TOOL_OK && !run_interrupted() && skein_world_time(s->world) < 0; steps++) {
    code = move_world(s, 0, &step, &done);
    if (code == TOOL_OK && done) run_progress_step(&s->progress, &step, 0);
    if (code != TOOL_OK || run_clock() - s->saved < checkpoint_seconds) continue;
    skein_status status = save_checkpoint(s);
    if (status.code != SKEIN_OK) code = write_failed(s, status);
  }
  if (code != TOOL_OK || skein_world_time(s->world) < 0) return code;
  run_progress_clear(&s->progress);
  if (!s->set->quiet) tell_settled(s, &step, steps);
  skein_status status = save_frame(s, 0);
  return status.code == SKEIN_OK ? TOOL_OK : write_failed(s, status);
}

/* Whether the run has its last frame. */
static bool is_complete(const job *s)
{
  return skein_scene_every_step(s->scene) ? is_done(s) : skein_run_frames(s->run) > s->last;
}

static int loop(job *s)
{
  int code = TOOL_OK;
  bool steps = skein_scene_every_step(s->scene);
  s->saved = run_clock();
  if (skein_world_time(s->world) < 0) {
    s->progress = run_progress_make(s->set->quiet, 0, s->last, s->fps, skein_world_time(s->world));
    code = settle(s);
    run_progress_clear(&s->progress);
    if (code == TOOL_OK && skein_world_time(s->world) < 0) return stop(s);
  }
  if (is_complete(s) && s->set->resume && !s->set->quiet)
    fprintf(stderr, "%s: already has frame %d, --frames makes it longer\n", s->path, skein_run_frames(s->run) - 1);
  s->progress = run_progress_make(s->set->quiet, next_mark(s) - 1, s->last, s->fps, skein_world_time(s->world));
  s->progress.flawed = s->flawed_before;
  s->output = 0;
  while (code == TOOL_OK && !run_interrupted() && !is_complete(s))
    code = (steps ? make_step_frame : make_frame)(s, skein_run_frames(s->run));
  run_progress_clear(&s->progress);
  s->wall = run_clock() - s->progress.begun;
  if (code == TOOL_OK && run_interrupted() && !is_complete(s)) return stop(s);
  return code;
}

/* ---- End ---- */

static void print_summary(const job *s, const run_verdict *v, const skein_step_info *steps)
{
  run_summary summary = run_summarise(steps, v->steps);
  double simulated = skein_world_time(s->world) - s->progress.time_begun;
  int frames = skein_run_frames(s->run);
  printf("%s: %d frame%s, %.6g s in %d step%s", s->path, frames, frames == 1 ? "" : "s", skein_world_time(s->world),
         v->steps, v->steps == 1 ? "" : "s");
  if (simulated > 0) printf("; %.4g s here took %.4g s (speed %.2g)", simulated, s->wall, simulated / s->wall);
  putchar('\n');
  run_print_summary(&summary);
  if (simulated > 0) printf("output       %.1f %% of the time here\n", 100 * s->output / s->wall);
  run_print_verdict(v, run_names_of(s->run), steps);
}

/* What the whole run is worth, not only what was added to it here. */
static int conclude(const job *s)
{
  skein_step_info *steps = NULL;
  int count = 0;
  if (s->set->quiet && !s->set->strict) return TOOL_OK;
  skein_status status = skein_run_steps(s->run, &steps, &count);
  if (status.code != SKEIN_OK) return tool_fail(s->path, status);
  run_verdict verdict = run_judge(steps, count);
  if (!s->set->quiet) print_summary(s, &verdict, steps);
  free(steps);
  if (!s->set->strict || run_within(&verdict)) return TOOL_OK;
  fflush(stdout);
  tool_error("%s: %s, see 'skein stats %s'", s->path, run_flawed(&verdict) ? "is flawed" : "was not judged as a whole",
             s->path);
  return TOOL_FLAWED;
}

/* One file is left, whether the motion reached its end or blew up on the way. */
static int finish(job *s, int code)
{
  if (code != TOOL_OK && (!s->blown || skein_run_frames(s->run) == 0)) return code; /* it can go on, or has no frame */
  skein_status status = skein_run_finish(s->run);
  if (status.code != SKEIN_OK) return tool_worst(code, write_failed(s, status));
  if (s->blown) tool_error("%s: has frames 0 to %d", s->path, skein_run_frames(s->run) - 1);
  return code == TOOL_OK ? conclude(s) : code;
}

static int make_run(const settings *set)
{
  job s = {.set = set};
  int code = set->dump ? tool_folder_make(set->dump) : TOOL_OK;
  run_catch_interrupts();
  if (code == TOOL_OK) code = set->resume ? resume(&s) : begin(&s);
  if (code == TOOL_OK) code = finish(&s, loop(&s));
  skein_run_close(s.run);
  skein_world_destroy(s.world);
  skein_scene_destroy(s.scene);
  free(s.steps);
  free(s.path);
  return code;
}

/* ---- Options ---- */

static bool set_option(settings *s, int key, const char *value)
{
  switch (key) {
  case OUTPUT:
    return s->output = value, true;
  case OVERWRITE:
    return s->overwrite = true;
  case FRAMES:
    return tool_parse_int("--frames", value, 0, 9999999, &s->frames);
  case THREADS:
    return tool_parse_int("--threads", value, 0, 1024, &s->threads);
  case SET:
    return s->sets[s->set_count++] = value, true;
  case STRICT:
    return s->strict = true;
  case RESUME:
    return s->resume = value, true;
  case DUMP:
    return s->dump = value, true;
  case DUMP_EVERY:
    return tool_parse_int("--dump-every", value, 1, INT_MAX, &s->dump_every);
  case DUMP_MISSED:
    return s->dump_missed = true;
  case QUIET:
    return s->quiet = true;
  default:
    return false;
  }
}

static bool check_settings(const settings *s, int files)
{
  if (s->resume && files > 0) return tool_error("run: --resume takes its scene from the run, no other one"), false;
  if (s->resume && s->output) return tool_error("run: --resume goes on in the same file, -o has no place"), false;
  if (s->resume && s->overwrite)
    return tool_error("run: --resume goes on in the same file, --overwrite has no place"), false;
  if (s->resume && s->set_count > 0)
    return tool_error("run: --set would change a scene that has already begun, not with --resume"), false;
  if (!s->resume && files == 0) return tool_error("run: no scene given, see 'skein run --help'"), false;
  if (files > 1) return tool_error("run: takes one scene, %d were given", files), false;
  return true;
}

static int run(const tool_command *command, int argc, char **argv)
{
  settings s = {.frames = -1, .dump_every = 1};
  const char *value;
  int key = TOOL_NO_MORE, code = TOOL_BAD;
  s.sets = calloc((size_t)argc, sizeof *s.sets);
  if (!s.sets) return tool_error("out of memory"), TOOL_IO;
  bool good = true;
  while (good && (key = tool_option_next(command, argc, argv, &value)) >= 0) good = set_option(&s, key, value);
  if (key == TOOL_HELP) code = TOOL_OK;
  if (good && key == TOOL_NO_MORE && check_settings(&s, argc - optind)) {
    s.scene = s.resume ? NULL : argv[optind];
    code = make_run(&s);
  }
  free(s.sets);
  return code;
}

static void print_notes(FILE *out)
{
  fputs("\nCtrl-C is heard within a step, which then has not begun, and writes a checkpoint; a run that was killed has "
        "every finished frame. Either "
        "goes on\n"
        "with --resume, with the same bits as if it had never been stopped.\n"
        "\nThe last lines say what the run is worth: within tolerance, or flawed: what, when, who and how often\n"
        "(docs/runs.md).\n"
        "\nExit code: 0 done, 2 bad usage or scene, 3 I/O failure, or the motion blew up (its problem is in\n"
        "RUN-blowup.hdf5), 4 flawed, with --strict, 130 interrupted.\n",
        out);
}

const tool_command tool_run = {
    .name = "run",
    .about = "Simulate a scene",
    .usage = "SCENE.json [-o RUN.h5] [OPTIONS]\n       skein run --resume RUN.h5 [OPTIONS]",
    .options = options,
    .notes = print_notes,
    .examples = "  skein run heap.json                                   heap.h5, to the end of the scene\n"
                "  skein run heap.json -o soft.h5 --set materials.hair.E=1e8 --frames 50\n"
                "  skein run --resume soft.h5 --frames 100               go on, or further\n"
                "  skein run heap.json --strict && skein render heap.h5 -o heap.mp4\n"
                "  skein run heap.json --dump-problems problems --dump-every 10\n",
    .run = run};
