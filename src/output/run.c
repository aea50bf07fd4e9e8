/* Runs: their life, and reading them.
 *
 * A finished run is one file. While it is written, PATH is a small file whose frames are links to finished files in the
 * folder PATH.d, and PATH.d/state.h5 is where it goes on. run_write.c keeps them in step. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "output/output.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { layout_version = 1, most_frames = 10000000 };

/* ---- Life ---- */

static void run_free(skein_run *run)
{
  free(run->path), free(run->folder);
  free(run->source), free(run->title), free(run->version), free(run->files);
  sk_names_free(&run->names);
  free(run);
}

/* A run at path (through symbolic links, so that they stay what they are) with the folder beside it. */
static skein_run *run_new(const char *path, bool writes)
{
  skein_run *run = sk_calloc(1, sizeof *run);
  if (!run) return NULL;
  struct stat about;
  bool link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
  *run = (skein_run){.writes = writes, .lock = -1, .path = link ? realpath(path, NULL) : NULL};
  if (!run->path) run->path = strdup(path);
  size_t size = run->path ? strlen(run->path) + 3 : 0;
  run->folder = size ? malloc(size) : NULL;
  if (!run->folder) return run_free(run), NULL;
  snprintf(run->folder, size, "%s.d", run->path);
  return run;
}

/* What is at PATH may be replaced: nothing, or an HDF5 file. */
static skein_status check_target(const char *path)
{
  struct stat about;
  if (stat(path, &about)) {
    if (errno == ENOENT && path[0]) return sk_ok();
    return sk_fail(SKEIN_IO_FAILURE, "cannot write: %s", strerror(errno));
  }
  if (!S_ISREG(about.st_mode)) return sk_fail(SKEIN_IO_FAILURE, "cannot write: is not a regular file");
  if (access(path, W_OK)) return sk_fail(SKEIN_IO_FAILURE, "cannot write: %s", strerror(errno));
  if (about.st_size == 0) return sk_ok();
  sk_h5 h;
  skein_status s = sk_h5_open(path, &h);
  sk_h5_close(&h);
  if (s.code != SKEIN_BAD_INPUT || !strstr(s.message, "is not an HDF5 file")) return sk_ok();
  return sk_fail(SKEIN_BAD_INPUT, "is there and is not an HDF5 file, not replaced");
}

static char *copy_text(const char *text)
{
  return strdup(text ? text : "");
}

static skein_status copy_manifest(skein_run *run, const skein_manifest *m)
{
  run->source = copy_text(m->source);
  run->title = copy_text(m->title);
  run->files = copy_text(m->folder);
  run->version = copy_text(skein_version());
  run->fps = m->fps;
  bool memory = run->source && run->title && run->version && run->files && sk_names_make(&run->names, m);
  return memory ? sk_ok() : sk_no_memory();
}

skein_status skein_run_create(const char *path, const skein_manifest *manifest, skein_run **out)
{
  *out = NULL;
  sk_h5_quiet quiet = sk_h5_hide();
  skein_status s = sk_status_prefix(check_target(path), path);
  sk_h5_show(quiet);
  if (s.code != SKEIN_OK) return s;
  skein_run *run = run_new(path, true);
  if (!run) return sk_no_memory();
  run->fresh = true;
  s = copy_manifest(run, manifest);
  if (s.code == SKEIN_OK) *out = run;
  else run_free(run);
  return s;
}

void skein_run_close(skein_run *run)
{
  if (!run) return;
  sk_folder_leave(run);
  run_free(run);
}

int skein_run_frames(const skein_run *run)
{
  return run->frames;
}

double skein_run_fps(const skein_run *run)
{
  return run->fps;
}

const char *skein_run_source(const skein_run *run)
{
  return run->source;
}

const char *skein_run_title(const skein_run *run)
{
  return run->title;
}

const char *skein_run_version(const skein_run *run)
{
  return run->version;
}

const char *skein_run_folder(const skein_run *run)
{
  return run->files;
}

const char *skein_run_name(const skein_run *run, int rods, int object)
{
  return sk_names_find(&run->names, rods, object);
}

/* ---- Opening ---- */

/* The folder under the name that it had when the file was written last, where PATH.d is not there: the file alone was
 * given another name. */
static skein_status find_folder(skein_run *run, const char *name)
{
  struct stat about;
  if (stat(run->folder, &about) == 0 && S_ISDIR(about.st_mode)) return sk_ok();
  const char *slash = strrchr(run->path, '/');
  size_t lead = slash ? (size_t)(slash - run->path) + 1 : 0, size = lead + strlen(name) + 1;
  char *other = malloc(size);
  if (!other) return sk_no_memory();
  snprintf(other, size, "%.*s%s", (int)lead, run->path, name);
  bool there = name[0] && !strchr(name, '/') && stat(other, &about) == 0 && S_ISDIR(about.st_mode);
  if (!there) free(other);
  if (!there) return sk_fail(SKEIN_IO_FAILURE, "is not finished, and its folder '%.200s' is not there", run->folder);
  free(run->folder);
  run->folder = other;
  return sk_ok();
}

/* A copy of RUN.h5 alone reads the frames in the folder of its original; going on with it would take them away. */
static skein_status check_own(const skein_run *run)
{
  struct stat own, other;
  size_t size = strlen(run->folder) - 1; /* PATH.d without .d */
  char *original = malloc(size);
  if (!original) return sk_no_memory();
  snprintf(original, size, "%s", run->folder);
  bool copied = stat(run->path, &own) == 0 && stat(original, &other) == 0 &&
                (own.st_ino != other.st_ino || own.st_dev != other.st_dev);
  skein_status s = sk_ok();
  if (copied)
    s = sk_fail(SKEIN_BAD_INPUT, "is a copy of '%.150s', whose frames are in '%.150s': expected a copy of both",
                original, run->folder);
  free(original);
  return s;
}

static skein_status read_numbers(skein_run *run, hid_t file)
{
  int version = 0, finished = 0;
  hid_t frames;
  H5G_info_t about = {0};
  skein_status s = sk_h5_get_attribute(file, "skein_run", H5T_NATIVE_INT, &version);
  if (s.code != SKEIN_OK) return sk_fail(SKEIN_BAD_INPUT, "is an HDF5 file, but not a run of skein");
  if (version != layout_version)
    return sk_fail(SKEIN_BAD_INPUT, "has layout %d, this version reads %d", version, layout_version);
  s = sk_h5_get_attribute(file, "finished", H5T_NATIVE_INT, &finished);
  if (s.code == SKEIN_OK) s = sk_h5_get_attribute(file, "frames", H5T_NATIVE_INT, &run->frames);
  if (s.code == SKEIN_OK) s = sk_h5_get_attribute(file, "base", H5T_NATIVE_INT, &run->base);
  if (s.code == SKEIN_OK) s = sk_h5_get_attribute(file, "fps", H5T_NATIVE_DOUBLE, &run->fps);
  if (s.code == SKEIN_OK) s = sk_h5_get_group(file, "frames", &frames);
  if (s.code != SKEIN_OK) return s;
  if (H5Gget_info(frames, &about) < 0) s = sk_fail(SKEIN_BAD_INPUT, "'frames' is damaged");
  sk_h5_end(frames);
  run->linked = !finished;
  run->listed = run->linked ? run->frames : 0;
  if (s.code == SKEIN_OK &&
      (run->frames < finished || run->frames > most_frames || about.nlinks != (hsize_t)run->frames || run->base < 0 ||
       run->base > run->frames || !isfinite(run->fps)))
    s = sk_fail(SKEIN_BAD_INPUT, "says %d frames and has %llu", run->frames, (unsigned long long)about.nlinks);
  return s;
}

static skein_status read_head(skein_run *run)
{
  sk_h5 h;
  char *folder = NULL;
  skein_status s = sk_h5_open(run->path, &h);
  if (s.code != SKEIN_OK) return s;
  s = read_numbers(run, h.file);
  if (s.code == SKEIN_OK) s = sk_h5_get_text(&h, h.file, "scene", &run->source);
  if (s.code == SKEIN_OK) s = sk_h5_get_text(&h, h.file, "title", &run->title);
  if (s.code == SKEIN_OK) s = sk_h5_get_text(&h, h.file, "version", &run->version);
  if (s.code == SKEIN_OK) s = sk_h5_get_text(&h, h.file, "files", &run->files);
  if (s.code == SKEIN_OK) s = sk_names_get(&h, &run->names);
  if (s.code == SKEIN_OK && run->linked) s = sk_h5_get_text(&h, h.file, "folder", &folder);
  if (s.code == SKEIN_OK && run->linked) s = find_folder(run, folder);
  free(folder);
  sk_h5_close(&h);
  return s;
}

/* A run goes on from its last state: frames behind it are dropped (they come again, with the same bits), a frame that
 * was finished just before the end is taken in. */
static skein_status reconcile(skein_run *run)
{
  int frames;
  void *state;
  size_t size;
  struct stat about;
  skein_status s = sk_run_state_get(run, &state, &size, NULL, NULL, &frames);
  if (s.code != SKEIN_OK) return s;
  free(state);
  if (size == 0) frames = run->frames; /* it was written without states: nothing to go on from but its frames */
  if (frames < 0 || frames > most_frames) return sk_fail(SKEIN_BAD_INPUT, "its state belongs to %d frames", frames);
  int listed = run->frames;
  run->frames = frames;
  run->base = SK_MIN(run->base, frames);
  for (int k = run->linked ? run->base : listed; k < frames && s.code == SKEIN_OK; k++) {
    char *file, name[32];
    s = sk_run_place(run, k, &file, name);
    if (s.code == SKEIN_OK && (!run->linked || stat(file, &about) || about.st_size == 0))
      s = sk_fail(SKEIN_BAD_INPUT, "frame %d is missing", k);
    free(file);
  }
  return s;
}

skein_status sk_run_place(const skein_run *run, int k, char **file, char name[32])
{
  char base[32];
  *file = NULL;
  if (!run->linked) *file = strdup(run->path);
  else if (k < run->base) *file = sk_path_join(run->folder, "base.h5");
  else {
    snprintf(base, sizeof base, "%06d.h5", k);
    *file = sk_path_join(run->folder, base);
  }
  if (run->linked && k >= run->base) snprintf(name, 32, "frame");
  else snprintf(name, 32, "frames/%06d", k);
  return *file ? sk_ok() : sk_no_memory();
}

/* The group of frame k, in `h`, which may have its file open already (`opened`: the name of that file). */
static skein_status open_frame(const skein_run *run, int k, sk_h5 *h, char **opened, hid_t *group)
{
  char *file, name[32];
  *group = -1;
  skein_status s = sk_run_place(run, k, &file, name);
  if (s.code != SKEIN_OK) return s;
  if (*opened && !strcmp(*opened, file)) free(file);
  else {
    if (*opened) sk_h5_close(h), free(*opened);
    *opened = NULL;
    s = sk_h5_open(file, h);
    if (s.code == SKEIN_OK) *opened = file;
    else free(file);
  }
  if (s.code != SKEIN_OK) return s;
  if (strchr(name, '/')) { /* each link on the way stays in the file */
    hid_t frames;
    s = sk_h5_get_group(h->file, "frames", &frames);
    if (s.code == SKEIN_OK) s = sk_h5_get_group(frames, strchr(name, '/') + 1, group);
    sk_h5_end(frames);
  } else s = sk_h5_get_group(h->file, name, group);
  return sk_status_prefix(s, *opened);
}

/* What the rods of the last frame were cut from: for their names. What is wrong with that frame is told when it is
 * read. */
static void see_last_frame(skein_run *run)
{
  sk_h5 h;
  hid_t group = -1;
  char *opened = NULL;
  int *source = NULL;
  int64_t rods = -1;
  if (run->frames == 0 || !run->names.rod.text) return;
  skein_status s = open_frame(run, run->frames - 1, &h, &opened, &group);
  if (s.code == SKEIN_OK) s = sk_h5_get(&h, group, "rod_source", H5T_NATIVE_INT, &rods, 0, (void **)&source);
  if (s.code == SKEIN_OK) (void)sk_names_see(&run->names, source, (int)rods);
  free(source);
  sk_h5_end(group);
  if (opened) sk_h5_close(&h);
  free(opened);
}

skein_status skein_run_open(const char *path, bool write, skein_run **out)
{
  *out = NULL;
  skein_run *run = run_new(path, write);
  if (!run) return sk_no_memory();
  sk_h5_quiet quiet = sk_h5_hide();
  skein_status s = read_head(run);
  if (s.code == SKEIN_OK && write && access(run->path, W_OK))
    s = sk_fail(SKEIN_IO_FAILURE, "cannot write: %s", strerror(errno));
  if (s.code == SKEIN_OK && write && run->linked) s = check_own(run);
  if (s.code == SKEIN_OK && write && run->linked) s = sk_folder_enter(run);
  if (s.code == SKEIN_OK && write) s = reconcile(run);
  if (s.code == SKEIN_OK && write && run->linked) sk_folder_clean(run, true);
  if (s.code == SKEIN_OK) see_last_frame(run);
  if (write) run->listed = 0; /* the folder may have another name now: all links are written again */
  sk_h5_show(quiet);
  if (s.code == SKEIN_OK) return *out = run, s;
  if (run->lock >= 0) close(run->lock);
  bool named = !strncmp(s.message, run->path, strlen(run->path));
  run_free(run);
  return named ? s : sk_status_prefix(s, path);
}

/* ---- Reading ---- */

static skein_status frame_prefix(skein_status s, int k)
{
  char what[32];
  snprintf(what, sizeof what, "frame %d", k);
  return sk_status_prefix(s, what);
}

skein_status skein_run_frame(const skein_run *run, int index, skein_frame *frame)
{
  sk_h5 h;
  hid_t group;
  char *opened = NULL;
  *frame = (skein_frame){0};
  if (run->frames == 0) return sk_fail(SKEIN_BAD_INPUT, "%.300s: has no frames yet", run->path);
  if (index < 0 || index >= run->frames)
    return sk_fail(SKEIN_BAD_INPUT, "%.300s: has frames 0 to %d, not %d", run->path, run->frames - 1, index);
  sk_h5_quiet quiet = sk_h5_hide();
  skein_status s = open_frame(run, index, &h, &opened, &group);
  if (s.code == SKEIN_OK) {
    s = frame_prefix(sk_frame_get(&h, group, frame), index);
    if (s.code == SKEIN_OK && frame->index != index) {
      s = sk_fail(SKEIN_BAD_INPUT, "frame %d has index %d", index, frame->index);
      skein_frame_destroy(frame);
    }
    s = sk_status_prefix(s, opened);
  }
  sk_h5_end(group);
  if (opened) sk_h5_close(&h);
  free(opened);
  sk_h5_show(quiet);
  return s;
}

/* Adds `more` steps to *steps. */
static skein_status add_steps(skein_step_info **steps, int *count, size_t *room, const skein_step_info *more, int added)
{
  if (added > INT_MAX - *count) return sk_fail(SKEIN_BAD_INPUT, "has too many steps");
  size_t needed = (size_t)*count + (size_t)added;
  if (needed > *room) {
    size_t larger = needed + needed / 2;
    skein_step_info *grown = realloc(*steps, larger * sizeof *grown);
    if (!grown) return sk_no_memory();
    *steps = grown, *room = larger;
  }
  if (added > 0) memcpy(*steps + *count, more, (size_t)added * sizeof *more);
  *count = (int)needed;
  return sk_ok();
}

skein_status skein_run_steps(const skein_run *run, skein_step_info **steps, int *count)
{
  sk_h5 h;
  char *opened = NULL;
  size_t room = 16;
  *count = 0;
  *steps = sk_calloc(room, sizeof **steps);
  skein_status s = *steps ? sk_ok() : sk_no_memory();
  sk_h5_quiet quiet = sk_h5_hide();
  for (int k = 0; k < run->frames && s.code == SKEIN_OK; k++) {
    skein_step_info *more = NULL;
    int added = 0;
    hid_t group;
    s = open_frame(run, k, &h, &opened, &group);
    if (s.code == SKEIN_OK) s = sk_status_prefix(frame_prefix(sk_steps_get(&h, group, &more, &added), k), opened);
    if (s.code == SKEIN_OK) s = add_steps(steps, count, &room, more, added);
    free(more);
    sk_h5_end(group);
  }
  if (opened) sk_h5_close(&h);
  free(opened);
  sk_h5_show(quiet);
  if (s.code != SKEIN_OK) free(*steps), *steps = NULL, *count = 0;
  return s;
}

static skein_status read_state(const sk_h5 *h, void **state, size_t *size, skein_step_info **steps, int *count,
                               int *frames)
{
  hid_t group;
  int64_t bytes = -1;
  skein_status s = sk_h5_get_group(h->file, "state", &group);
  if (s.code != SKEIN_OK) return s;
  s = sk_h5_get_attribute(group, "frames", H5T_NATIVE_INT, frames);
  if (s.code == SKEIN_OK) s = sk_h5_get(h, group, "bytes", H5T_NATIVE_UCHAR, &bytes, 0, state);
  if (s.code == SKEIN_OK) s = sk_steps_get(h, group, steps, count);
  sk_h5_end(group);
  *size = bytes > 0 ? (size_t)bytes : 0;
  return s;
}

skein_status sk_run_state_get(const skein_run *run, void **state, size_t *size, skein_step_info **steps, int *count,
                              int *frames)
{
  sk_h5 h;
  void *bytes = NULL;
  skein_step_info *rows = NULL;
  size_t byte_count = 0;
  int row_count = 0, belongs = 0;
  char *path = run->linked ? sk_path_join(run->folder, "state.h5") : strdup(run->path);
  if (!path) return sk_no_memory();
  skein_status s = sk_h5_open(path, &h);
  if (s.code == SKEIN_OK) s = sk_status_prefix(read_state(&h, &bytes, &byte_count, &rows, &row_count, &belongs), path);
  sk_h5_close(&h);
  free(path);
  if (state && s.code == SKEIN_OK) *state = bytes, *size = byte_count;
  else free(bytes);
  if (steps && s.code == SKEIN_OK) *steps = rows, *count = row_count;
  else free(rows);
  if (frames) *frames = belongs;
  return s;
}

skein_status skein_run_state(const skein_run *run, void **state, size_t *size, skein_step_info **steps, int *step_count)
{
  *state = NULL, *size = 0, *steps = NULL, *step_count = 0;
  if (run->fresh) return sk_ok();
  sk_h5_quiet quiet = sk_h5_hide();
  skein_status s = sk_run_state_get(run, state, size, steps, step_count, NULL);
  sk_h5_show(quiet);
  return s;
}
