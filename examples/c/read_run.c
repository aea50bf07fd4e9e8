/* Runs: a short one is written, frame by frame with its state, and read again. */
#include <skein/skein.h>

#include <stdio.h>
#include <stdlib.h>

/* Frames 0 to `last` of the world; steps between frames are kept in a small list. */
static skein_status write_frames(skein_world *world, skein_run *run, int last, double fps)
{
  skein_status s = {0};
  for (int k = 0; k <= last && s.code == SKEIN_OK; k++) {
    skein_step_info steps[256];
    skein_frame frame = {0};
    void *state = NULL;
    size_t size = 0;
    int count = 0;
    while (count < 256 && s.code == SKEIN_OK && k / fps - skein_world_time(world) > 1e-9 / fps)
      s = skein_world_step(world, k / fps, &steps[count++]);
    if (s.code == SKEIN_OK) s = skein_world_frame(world, k, &frame);
    if (s.code == SKEIN_OK) s = skein_world_save(world, &state, &size);
    if (s.code == SKEIN_OK) s = skein_run_append(run, &frame, steps, count, state, size);
    skein_frame_destroy(&frame);
    free(state);
  }
  return s.code == SKEIN_OK ? skein_run_finish(run) : s;
}

int main(void)
{
  skein_scene *scene = NULL;
  skein_world *world = NULL;
  skein_run *run = NULL;
  skein_status s = skein_scene_parse("{\"rods\": [{\"length\": 0.1, \"root\": {\"direction\": [1, 0, 0]}}]}", "hair",
                                     ".", NULL, 0, &scene);
  if (s.code == SKEIN_OK) s = skein_world_create(scene, 1, &world);
  if (s.code == SKEIN_OK) {
    skein_manifest manifest = skein_scene_manifest(scene);
    s = skein_run_create("read_run.h5", &manifest, &run);
  }
  if (s.code == SKEIN_OK) s = write_frames(world, run, 3, skein_scene_fps(scene));
  skein_run_close(run), run = NULL;

  skein_frame frame = {0};
  if (s.code == SKEIN_OK) s = skein_run_open("read_run.h5", false, &run);
  if (s.code == SKEIN_OK) s = skein_run_frame(run, skein_run_frames(run) - 1, &frame);
  if (s.code != SKEIN_OK) puts(s.message);
  else {
    const float *tip = frame.point + 3 * (frame.point_start[1] - 1); /* the last point of rod 0 */
    printf("%d frames; at %.3f s the tip is at %.1f, %.1f, %.1f mm\n", skein_run_frames(run), frame.time, 1e3 * tip[0],
           1e3 * tip[1], 1e3 * tip[2]);
  }
  bool right = s.code == SKEIN_OK && skein_run_frames(run) == 4 && frame.rods == 1;
  skein_frame_destroy(&frame);
  skein_run_close(run);
  skein_world_destroy(world);
  skein_scene_destroy(scene);
  return right ? 0 : 1;
}
