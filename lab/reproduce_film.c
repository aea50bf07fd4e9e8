/* Runs in files that experiments share: made once, used again, gone on with where they were left. */
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static skein_status no_memory(void)
{
  return (skein_status){.code = SKEIN_NO_MEMORY, .message = "out of memory"};
}

char *reproduce_place(const reproduce_section *s, const char *name, const char *ending)
{
  const char *folder = s->set->runs ? s->set->runs : s->set->folder;
  size_t size = strlen(folder) + strlen(name) + strlen(ending) + sizeof "/-quick";
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s/%s%s%s", folder, name, s->set->quick ? "-quick" : "", ending);
  return path;
}

/* ---- The world of a film ---- */

typedef struct studio {
  reproduce_section *section;
  const reproduce_film_def *def;
  reproduce_film *film;
  skein_scene *scene;
  skein_world *world;
  skein_step_info *steps; /* since the last frame */
  int step_count, step_room;
  int64_t taken; /* steps, all */
  double begun, said;
} studio;

static skein_status load(studio *d)
{
  void *state = NULL;
  size_t size = 0;
  skein_step_info *old = NULL;
  int count = 0;
  skein_status s = skein_run_state(d->film->run, &state, &size, &d->steps, &d->step_count);
  d->step_room = d->step_count;
  if (s.code == SKEIN_OK && size == 0)
    s = (skein_status){.code = SKEIN_BAD_INPUT, .message = "the run holds no state to go on from"};
  if (s.code == SKEIN_OK) s = skein_world_load(d->world, state, size);
  if (s.code == SKEIN_OK) s = skein_run_steps(d->film->run, &old, &count);
  d->taken = (int64_t)count + d->step_count;
  free(old);
  free(state);
  return s;
}

/* The frame with its steps; the state with every tenth, the last and where it ends. */
static skein_status save(studio *d, int index, bool state_too)
{
  skein_frame frame = {0};
  void *state = NULL;
  size_t size = 0;
  skein_status s = skein_world_frame(d->world, index, &frame);
  if (s.code == SKEIN_OK && state_too) s = skein_world_save(d->world, &state, &size);
  if (s.code == SKEIN_OK) s = skein_run_append(d->film->run, &frame, d->steps, d->step_count, state, size);
  if (s.code == SKEIN_OK) d->step_count = 0;
  free(state);
  skein_frame_destroy(&frame);
  return s;
}

/* The way to frame 0, which is in no statistics. A try with few steps ends on it. */
static skein_status settle(studio *d)
{
  skein_status s = {.code = SKEIN_OK};
  int most = d->section->set->steps;
  while (s.code == SKEIN_OK && skein_world_time(d->world) < 0 && (most == 0 || d->film->made < most)) {
    skein_step_info step;
    if (reproduce_interrupted())
      return (skein_status){.code = SKEIN_IO_FAILURE, .message = "interrupted while its rods settled"};
    s = skein_world_step(d->world, 0, &step);
    d->film->made++;
  }
  if (skein_world_time(d->world) < 0) d->section->cut = true;
  return s;
}

/* A scene of the program, from its start. */
static skein_status begin(studio *d, const char *path)
{
  const reproduce_film_def *def = d->def;
  char *scene = reproduce_find_scene(def->scene), *slash;
  skein_status s = {.code = SKEIN_IO_FAILURE};
  if (!scene) {
    d->section->missing = true;
    snprintf(s.message, sizeof s.message,
             "the scene %s.json is not there, expected it in $SKEIN_SCENES, in "
             "share/skein/scenes beside the program, or in ./scenes",
             def->scene);
    return s;
  }
  s = skein_scene_read(scene, def->sets, def->set_count, &d->scene);
  if (s.code == SKEIN_OK) s = skein_world_create(d->scene, d->section->set->threads, &d->world);
  if (s.code == SKEIN_OK) s = settle(d);
  d->begun = reproduce_clock(); /* patience is for what is shown */
  if ((slash = strrchr(scene, '/'))) *slash = 0;
  skein_manifest manifest = s.code == SKEIN_OK ? skein_scene_manifest(d->scene) : (skein_manifest){0};
  manifest.folder = slash ? scene : ".";
  if (s.code == SKEIN_OK) s = skein_run_create(path, &manifest, &d->film->run);
  if (s.code == SKEIN_OK) s = save(d, 0, true);
  free(scene);
  return s;
}

static skein_status go_on(studio *d, const char *path)
{
  skein_status s = skein_run_open(path, true, &d->film->run);
  if (s.code == SKEIN_OK)
    s = skein_scene_parse(skein_run_source(d->film->run), path, skein_run_folder(d->film->run), NULL, 0, &d->scene);
  if (s.code == SKEIN_OK) s = skein_world_create(d->scene, d->section->set->threads, &d->world);
  return s.code == SKEIN_OK ? load(d) : s;
}

/* ---- Filming ---- */

static bool keep(studio *d, const skein_step_info *step)
{
  if (d->step_count == d->step_room) {
    int room = 2 * d->step_room + 64;
    skein_step_info *grown = realloc(d->steps, (size_t)room * sizeof *grown);
    if (!grown) return false;
    d->steps = grown, d->step_room = room;
  }
  d->steps[d->step_count++] = *step;
  return true;
}

/* Out of time, of steps, or asked to stop. */
static bool over(studio *d)
{
  reproduce_section *s = d->section;
  bool late = s->set->quick && d->def->patience > 0 && reproduce_clock() - d->begun > d->def->patience;
  bool enough = s->set->steps > 0 && d->film->made >= s->set->steps;
  if (late) d->film->late = true;
  if (enough) s->cut = true;
  return reproduce_over(s) || late || enough;
}

static void tell(studio *d, const skein_step_info *step, int last)
{
  double now = reproduce_clock();
  if (now - d->said < 10) return;
  d->said = now;
  fprintf(stderr, "%s: %s, %.4g s (frame %d of %d), %d contacts, %.0f s so far\n", d->section->experiment->name,
          d->def->name, step->time, skein_run_frames(d->film->run) - 1, last, step->contacts, now - d->begun);
}

static skein_status film_frame(studio *d, int index, int last, double fps)
{
  double until = index / fps, sliver = 1e-9 / fps;
  skein_status s = {.code = SKEIN_OK};
  while (s.code == SKEIN_OK && until - skein_world_time(d->world) > sliver && !over(d)) {
    skein_step_info step;
    s = skein_world_step(d->world, until, &step);
    if (s.code != SKEIN_OK) break;
    d->taken++, d->film->made++, d->section->steps++;
    if (!keep(d, &step)) s = no_memory();
    if (s.code == SKEIN_OK && d->def->watch) s = d->def->watch(d->def->user, d->world, d->taken);
    tell(d, &step, last);
  }
  if (s.code != SKEIN_OK || until - skein_world_time(d->world) > sliver) return s;
  return save(d, index, index % 10 == 0 || index == last);
}

/* Up to the last frame; what was begun of another one stays as a state between frames. */
static skein_status film(studio *d, int last)
{
  double fps = skein_scene_fps(d->scene);
  skein_status s = {.code = SKEIN_OK};
  while (s.code == SKEIN_OK && skein_run_frames(d->film->run) <= last && !over(d))
    s = film_frame(d, skein_run_frames(d->film->run), last, fps);
  if (s.code != SKEIN_OK) return s;
  if (skein_run_frames(d->film->run) > last) return skein_run_finish(d->film->run);
  void *state = NULL;
  size_t size = 0;
  s = skein_world_save(d->world, &state, &size);
  if (s.code == SKEIN_OK) s = skein_run_checkpoint(d->film->run, d->steps, d->step_count, state, size);
  free(state);
  return s;
}

static int last_frame(const reproduce_film_def *def, double duration, double fps)
{
  int all = (int)fmin(floor(duration * fps * (1 + 1e-12) + 1e-9), 1e8);
  return def->frames > 0 && def->frames < all ? def->frames : all;
}

/* Whether an existing run has all of its frames; it stays open then. */
static skein_status look(studio *d, const char *path, bool *enough)
{
  skein_scene *own = NULL, *now = NULL;
  reproduce_film *f = d->film;
  skein_status s = skein_run_open(path, false, &f->run);
  if (s.code == SKEIN_OK)
    s = skein_scene_parse(skein_run_source(f->run), path, skein_run_folder(f->run), NULL, 0, &own);
  if (s.code != SKEIN_OK) return s;
  f->last = last_frame(d->def, skein_scene_duration(own), skein_scene_fps(own));
  *enough = skein_run_frames(f->run) > f->last;
  char *scene = reproduce_find_scene(d->def->scene);
  if (scene && skein_scene_read(scene, d->def->sets, d->def->set_count, &now).code == SKEIN_OK)
    f->other = strcmp(skein_scene_source(now), skein_run_source(f->run)) != 0;
  free(scene);
  skein_scene_destroy(own), skein_scene_destroy(now);
  if (!*enough) skein_run_close(f->run), f->run = NULL;
  return s;
}

/* A run that may be used: whole ones may be from any time, small ones are of this call, for their times are shown. */
static bool is_there(const studio *d, const char *path)
{
  struct stat about;
  if (stat(path, &about) != 0 || d->def->watch) return false; /* a watched one begins at its start */
  return !d->section->set->quick || about.st_mtime >= d->section->set->begun;
}

static skein_status make(studio *d, const char *path)
{
  bool enough = false, there = is_there(d, path);
  skein_status s = {.code = SKEIN_OK};
  if (there) s = look(d, path, &enough);
  if (s.code != SKEIN_OK || enough) return s;
  s = there ? go_on(d, path) : begin(d, path);
  if (s.code != SKEIN_OK) return s;
  d->film->last = last_frame(d->def, skein_scene_duration(d->scene), skein_scene_fps(d->scene));
  return film(d, d->film->last);
}

skein_status reproduce_film_make(reproduce_section *section, const reproduce_film_def *def, reproduce_film *out)
{
  studio d = {.section = section, .def = def, .film = out, .begun = reproduce_clock()};
  *out = (reproduce_film){.path = reproduce_place(section, def->name, ".h5")};
  d.said = d.begun;
  skein_status s = out->path ? make(&d, out->path) : no_memory();
  if (s.code == SKEIN_OK) out->frames = skein_run_frames(out->run) - 1;
  if (s.code == SKEIN_OK) s = skein_run_steps(out->run, &out->steps, &out->step_count);
  skein_frame first = {0};
  if (s.code == SKEIN_OK) s = skein_run_frame(out->run, 0, &first);
  out->rods = first.rods;
  skein_frame_destroy(&first);
  free(d.steps);
  skein_world_destroy(d.world);
  skein_scene_destroy(d.scene);
  return s;
}

void reproduce_film_end(reproduce_film *f)
{
  skein_run_close(f->run);
  free(f->steps), free(f->path);
  *f = (reproduce_film){0};
}
