/* Writing runs, so that whatever stops the program leaves a run that opens.
 *
 * Everything is written beside its place first (frame, state, the file that refers to them), and so is all that can
 * fail for want of space. Then it is renamed into place in that order:
 *
 *     frame k      nobody knows of it yet
 *     state        goes on behind frame k; skein_run_open takes the frame in
 *     PATH         refers to frame k
 *
 * A kill between any two leaves a run with all frames that were appended before. A loss of power is guarded against by
 * fsync, once a second at most: what fast runs write in between is left to the kernel's own pace. */
#include "output/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  layout_version = 1,
  rewrite_every = 256 /* frames: what was added one by one becomes dense again */
};
static const double sync_seconds = 1;

/* ---- The pieces ---- */

static skein_status write_frame(const char *path, const skein_frame *frame, const skein_step_info *steps, int count,
                                bool sync)
{
  sk_h5 h;
  skein_status s = sk_h5_create(path, &h);
  if (s.code != SKEIN_OK) return s;
  hid_t group = sk_h5_put_group(&h, h.file, "frame", 7);
  sk_frame_put(&h, group, frame);
  s = sk_steps_put(&h, group, steps, count);
  sk_h5_end(group);
  if (s.code != SKEIN_OK) h.failed = true;
  skein_status closed = sk_h5_commit(&h, path, sync);
  return s.code == SKEIN_OK ? closed : s;
}

static skein_status put_state(sk_h5 *h, const void *state, size_t size, const skein_step_info *steps, int count,
                              int frames)
{
  hid_t group = sk_h5_put_group(h, h->file, "state", 2);
  sk_h5_put_attribute(h, group, "frames", H5T_NATIVE_INT, &frames);
  sk_h5_put(h, group, "bytes", H5T_NATIVE_UCHAR, (int64_t)size, 0, state, SK_H5_SUMMED);
  skein_status s = count > 0 ? sk_steps_put(h, group, steps, count) : sk_ok();
  sk_h5_end(group);
  if (s.code != SKEIN_OK) h->failed = true;
  return s;
}

static skein_status write_state(const char *path, const void *state, size_t size, const skein_step_info *steps,
                                int count, int frames, bool sync)
{
  sk_h5 h;
  skein_status s = sk_h5_create(path, &h);
  if (s.code != SKEIN_OK) return s;
  s = put_state(&h, state, size, steps, count, frames);
  skein_status closed = sk_h5_commit(&h, path, sync);
  return s.code == SKEIN_OK ? closed : s;
}

static void put_head(sk_h5 *h, const skein_run *run, int frames, int base, int finished)
{
  int version = layout_version;
  sk_h5_put_attribute(h, h->file, "skein_run", H5T_NATIVE_INT, &version);
  sk_h5_put_attribute(h, h->file, "finished", H5T_NATIVE_INT, &finished);
  sk_h5_put_attribute(h, h->file, "frames", H5T_NATIVE_INT, &frames);
  sk_h5_put_attribute(h, h->file, "base", H5T_NATIVE_INT, &base);
  sk_h5_put_attribute(h, h->file, "fps", H5T_NATIVE_DOUBLE, &run->fps);
  sk_h5_put_text(h, h->file, "scene", run->source);
  sk_h5_put_text(h, h->file, "title", run->title);
  sk_h5_put_text(h, h->file, "version", run->version);
  sk_h5_put_text(h, h->file, "files", run->files);
  sk_names_put(h, &run->names);
}

/* Links, by the folder's name: file and folder can be moved together. From frame `first` on. */
static skein_status put_links(sk_h5 *h, hid_t group, const skein_run *run, int first, int frames)
{
  char name[32];
  const char *slash = strrchr(run->folder, '/'), *folder = slash ? slash + 1 : run->folder;
  size_t size = strlen(folder) + 40;
  char *file = malloc(size);
  if (!file) return sk_no_memory();
  for (int k = first; k < frames && !h->failed; k++) {
    snprintf(name, sizeof name, "/frames/%06d", k);
    if (k < run->base) snprintf(file, size, "%s/base.h5", folder);
    else snprintf(file, size, "%s/%06d.h5", folder, k);
    h->failed =
        H5Lcreate_external(file, k < run->base ? name : "/frame", group, name + 8, H5P_DEFAULT, H5P_DEFAULT) < 0;
  }
  snprintf(file, size, "%s/state.h5", folder);
  if (first == 0 && !h->failed) {
    h->failed = H5Lcreate_external(file, "/state", h->file, "state", H5P_DEFAULT, H5P_DEFAULT) < 0;
    sk_h5_put_text(h, h->file, "folder", folder);
  }
  free(file);
  return sk_ok();
}

/* The last file with one more link, so that a run of many frames does not write all of them each time. */
static skein_status extend_master(const char *path, const skein_run *run, int frames, bool sync)
{
  sk_h5 h;
  hid_t group = -1, attribute = -1;
  skein_status s = sk_file_copy(run->path, path, false);
  if (s.code == SKEIN_OK) s = sk_h5_extend(path, &h);
  if (s.code != SKEIN_OK) return s;
  s = sk_h5_get_group(h.file, "frames", &group);
  if (s.code == SKEIN_OK) s = put_links(&h, group, run, frames - 1, frames);
  if (s.code == SKEIN_OK) attribute = H5Aopen(h.file, "frames", H5P_DEFAULT);
  if (attribute < 0 || H5Awrite(attribute, H5T_NATIVE_INT, &frames) < 0) h.failed = true;
  if (attribute >= 0) H5Aclose(attribute);
  sk_h5_end(group);
  skein_status closed = sk_h5_commit(&h, path, sync);
  return s.code == SKEIN_OK ? closed : s;
}

/* The file that refers to the folder. */
static skein_status write_master(const char *path, const skein_run *run, int frames, bool sync)
{
  sk_h5 h;
  bool one_more = run->linked && run->listed == frames - 1 && frames % rewrite_every != 0;
  if (one_more && extend_master(path, run, frames, sync).code == SKEIN_OK) return sk_ok();
  skein_status s = sk_h5_create(path, &h);
  if (s.code != SKEIN_OK) return s;
  put_head(&h, run, frames, run->base, 0);
  hid_t group = sk_h5_put_group(&h, h.file, "frames", 8);
  s = put_links(&h, group, run, 0, frames);
  sk_h5_end(group);
  if (s.code != SKEIN_OK) h.failed = true;
  skein_status closed = sk_h5_commit(&h, path, sync);
  return s.code == SKEIN_OK ? closed : s;
}

/* ---- Appending ---- */

/* Temporary files and the places they go to. */
typedef struct pending {
  char *from[3], *to[3]; /* frame, state, master; NULL: not to be moved */
} pending;

static bool pending_add(pending *p, int k, const skein_run *run, const char *temporary, const char *name)
{
  p->from[k] = sk_path_join(run->folder, temporary);
  p->to[k] = name ? sk_path_join(run->folder, name) : strdup(run->path);
  return p->from[k] && p->to[k];
}

static void pending_drop(pending *p, bool written)
{
  for (int k = 0; k < 3; k++) {
    if (p->from[k] && !written) unlink(p->from[k]);
    free(p->from[k]), free(p->to[k]);
  }
  *p = (pending){0};
}

static skein_status pending_move(const pending *p)
{
  for (int k = 0; k < 3; k++)
    if (p->from[k] && rename(p->from[k], p->to[k]))
      return sk_fail(SKEIN_IO_FAILURE, "%.300s: cannot write: %s", p->to[k], strerror(errno));
  return sk_ok();
}

/* The folder, ready for the next piece. A finished run becomes the base of the one that goes on: its file gets a second
 * name there, and stays what it is until the new one takes its place. */
static skein_status prepare(skein_run *run)
{
  bool entered = run->lock >= 0;
  skein_status s = sk_folder_enter(run);
  if (s.code != SKEIN_OK || entered) return s;
  sk_folder_clean(run, true);
  if (run->linked || run->fresh) return s;
  char *base = sk_path_join(run->folder, "base.h5");
  sk_folder_clean(run, false);
  s = base ? sk_file_copy(run->path, base, true) : sk_no_memory();
  free(base);
  if (s.code == SKEIN_OK) run->base = run->frames;
  else sk_folder_leave(run);
  return s;
}

/* The state of the base, where the piece that comes has none. */
static skein_status write_base_state(const skein_run *run, const char *path, bool sync)
{
  void *state = NULL;
  skein_step_info *steps = NULL;
  size_t size = 0;
  int count = 0, frames = 0;
  skein_status s = sk_run_state_get(run, &state, &size, &steps, &count, &frames);
  if (s.code == SKEIN_OK) s = write_state(path, state, size, steps, count, frames, sync);
  free(state);
  free(steps);
  return s;
}

static void after_move(skein_run *run, bool sync, int listed)
{
  if (listed > 0) run->listed = listed;
  run->fresh = false;
  run->linked = true;
  if (!sync) return;
  char *inside = sk_path_join(run->folder, "");
  if (inside) sk_sync_directory(inside);
  free(inside);
  sk_sync_directory(run->path);
  run->synced = sk_seconds();
}

/* A new run takes the place of an old one only when its first frame is ready. Frames of an old run that was not
 * finished have the same names: their file goes first, so that it never refers to frames of another run. */
static void retire_old(const skein_run *run)
{
  struct stat about;
  char *state = sk_path_join(run->folder, "state.h5");
  if (state && stat(state, &about) == 0) unlink(run->path);
  free(state);
}

/* listed: the frames that the new file knows of; 0: there is no new file. */
static skein_status put_in_place(skein_run *run, pending *p, skein_status s, bool sync, int listed)
{
  if (s.code == SKEIN_OK && run->fresh) {
    retire_old(run);
    sk_folder_clean(run, false); /* not what is pending */
  }
  if (s.code == SKEIN_OK) s = pending_move(p);
  pending_drop(p, s.code == SKEIN_OK);
  if (s.code == SKEIN_OK) after_move(run, sync, listed);
  else if (!run->linked) {
    if (!run->fresh) sk_folder_clean(run, false), run->base = 0;
    sk_folder_leave(run);
  }
  return s;
}

static skein_status check_steps(const skein_step_info *steps, int count)
{
  if (count >= 0 && (count == 0 || steps)) return sk_steps_check(steps, count);
  return sk_fail(SKEIN_BAD_INPUT, "step_count is %d, steps are %s", count, steps ? "there" : "missing");
}

static skein_status check_append(const skein_run *run, const skein_frame *frame)
{
  if (!run->writes) return sk_fail(SKEIN_BAD_INPUT, "was opened to be read only");
  if (frame->index != run->frames)
    return sk_fail(SKEIN_BAD_INPUT, "frame %d cannot follow frame %d", frame->index, run->frames - 1);
  return sk_frame_check(frame);
}

/* state NULL: the old one stays, and the run would go on from there. */
static skein_status append(skein_run *run, const skein_frame *frame, const skein_step_info *steps, int count,
                           const void *state, size_t size)
{
  char name[32];
  pending p = {0};
  bool sync = run->synced == 0 || sk_seconds() - run->synced > sync_seconds;
  bool keeps = size == 0 && run->linked; /* the state that is there */
  skein_status s = prepare(run);
  if (s.code != SKEIN_OK) return s;
  snprintf(name, sizeof name, "%06d.h5", frame->index);
  bool memory = pending_add(&p, 0, run, "frame.new", name) &&
                (keeps || pending_add(&p, 1, run, "state.new", "state.h5")) &&
                pending_add(&p, 2, run, "master.new", NULL);
  if (!memory) s = sk_no_memory();
  if (s.code == SKEIN_OK) s = write_frame(p.from[0], frame, steps, count, sync);
  if (s.code == SKEIN_OK && !keeps && size == 0 && !run->fresh) s = write_base_state(run, p.from[1], sync);
  else if (s.code == SKEIN_OK && !keeps) s = write_state(p.from[1], state, size, NULL, 0, run->frames + 1, sync);
  if (s.code == SKEIN_OK) s = write_master(p.from[2], run, run->frames + 1, sync);
  s = put_in_place(run, &p, s, sync, run->frames + 1);
  if (s.code == SKEIN_OK) run->frames++;
  return s;
}

skein_status skein_run_append(skein_run *run, const skein_frame *frame, const skein_step_info *steps, int step_count,
                              const void *state, size_t state_size)
{
  skein_status s = check_append(run, frame);
  if (s.code == SKEIN_OK) s = check_steps(steps, step_count);
  if (s.code == SKEIN_OK && !sk_names_see(&run->names, frame->rod_source, frame->rods)) s = sk_no_memory();
  if (s.code != SKEIN_OK) return sk_status_prefix(s, run->path);
  sk_h5_quiet quiet = sk_h5_hide();
  s = append(run, frame, steps, step_count, state, state ? state_size : 0);
  sk_h5_show(quiet);
  return s;
}

static skein_status checkpoint(skein_run *run, const skein_step_info *steps, int count, const void *state, size_t size)
{
  pending p = {0};
  skein_status s = prepare(run);
  if (s.code != SKEIN_OK) return s;
  bool memory =
      pending_add(&p, 1, run, "state.new", "state.h5") && (run->linked || pending_add(&p, 2, run, "master.new", NULL));
  if (!memory) s = sk_no_memory();
  if (s.code == SKEIN_OK) s = write_state(p.from[1], state, size, steps, count, run->frames, true);
  if (s.code == SKEIN_OK && !run->linked) s = write_master(p.from[2], run, run->frames, true);
  return put_in_place(run, &p, s, true, run->linked ? 0 : run->frames);
}

skein_status skein_run_checkpoint(skein_run *run, const skein_step_info *steps, int step_count, const void *state,
                                  size_t state_size)
{
  skein_status s = check_steps(steps, step_count);
  if (s.code == SKEIN_OK && !run->writes) s = sk_fail(SKEIN_BAD_INPUT, "was opened to be read only");
  if (s.code == SKEIN_OK && (!state || state_size == 0)) s = sk_fail(SKEIN_BAD_INPUT, "the state is empty");
  if (s.code != SKEIN_OK) return sk_status_prefix(s, run->path);
  sk_h5_quiet quiet = sk_h5_hide();
  s = checkpoint(run, steps, step_count, state, state_size);
  sk_h5_show(quiet);
  return s;
}

/* ---- Finishing ---- */

/* Frame k as it is, compressed data and all. */
static skein_status copy_frame(sk_h5 *to, hid_t frames, const skein_run *run, int k, sk_h5 *from, char **opened)
{
  char *file, name[32], target[32];
  skein_status s = sk_run_place(run, k, &file, name);
  if (s.code != SKEIN_OK) return s;
  if (!*opened || strcmp(*opened, file) != 0) {
    if (*opened) sk_h5_close(from), free(*opened);
    *opened = NULL;
    s = sk_h5_open(file, from);
    if (s.code != SKEIN_OK) return free(file), s;
    *opened = file;
  } else free(file);
  snprintf(target, sizeof target, "%06d", k);
  if (H5Ocopy(from->file, name, frames, target, H5P_DEFAULT, H5P_DEFAULT) >= 0) return s;
  if (to->error) return sk_fail(SKEIN_IO_FAILURE, "cannot write: %s", strerror(to->error));
  return sk_fail(SKEIN_BAD_INPUT, "%.300s: frame %d cannot be copied", *opened, k);
}

static skein_status copy_frames(sk_h5 *to, const skein_run *run)
{
  sk_h5 from;
  char *opened = NULL;
  hid_t frames = sk_h5_put_group(to, to->file, "frames", 8);
  skein_status s = frames >= 0 ? sk_ok() : sk_no_memory();
  for (int k = 0; k < run->frames && s.code == SKEIN_OK && !to->error; k++)
    s = copy_frame(to, frames, run, k, &from, &opened);
  if (opened) sk_h5_close(&from);
  free(opened);
  sk_h5_end(frames);
  return s;
}

static skein_status write_finished(const char *path, const skein_run *run)
{
  sk_h5 h;
  void *state = NULL;
  skein_step_info *steps = NULL;
  size_t size = 0;
  int count = 0, frames = 0;
  skein_status s = sk_run_state_get(run, &state, &size, &steps, &count, &frames);
  if (s.code == SKEIN_OK) s = sk_h5_create(path, &h);
  if (s.code == SKEIN_OK) {
    put_head(&h, run, run->frames, 0, 1);
    s = put_state(&h, state, size, steps, count, frames);
    if (s.code == SKEIN_OK) s = copy_frames(&h, run);
    if (s.code != SKEIN_OK) h.failed = true;
    bool disk = h.error != 0; /* says more than what followed from it */
    skein_status closed = sk_h5_commit(&h, path, true);
    if (s.code == SKEIN_OK || disk) s = closed;
  }
  free(state);
  free(steps);
  return s;
}

skein_status skein_run_finish(skein_run *run)
{
  if (!run->writes) return sk_fail(SKEIN_BAD_INPUT, "%.300s: was opened to be read only", run->path);
  if (run->frames == 0) return sk_fail(SKEIN_BAD_INPUT, "%.300s: has no frame yet, nothing to finish", run->path);
  if (!run->linked) return sk_ok();
  char *path = sk_path_join(run->folder, "finished.new");
  if (!path) return sk_no_memory();
  sk_h5_quiet quiet = sk_h5_hide();
  skein_status s = write_finished(path, run);
  sk_h5_show(quiet);
  if (s.code == SKEIN_OK && rename(path, run->path)) {
    s = sk_fail(SKEIN_IO_FAILURE, "%.300s: cannot write: %s", run->path, strerror(errno));
    unlink(path);
  }
  free(path);
  if (s.code != SKEIN_OK) return s;
  sk_sync_directory(run->path);
  run->linked = false;
  run->base = run->listed = 0;
  sk_folder_clean(run, false);
  sk_folder_leave(run);
  return s;
}
