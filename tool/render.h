/* What the files of `skein render` share: settings, what is known of a run, frames as the renderer wants them, video.
 */
#ifndef SKEIN_TOOL_RENDER_H
#define SKEIN_TOOL_RENDER_H

#include "render/render.h"
#include "tool.h"

#include <signal.h>
#include <sys/types.h>

typedef struct render_settings {
  const char *run, *output, *title; /* title: NULL none, "" that of the scene */
  int frame, first, last,
      step; /* frame: RENDER_NO_FRAME, or the one; first .. last: range, last RENDER_NO_FRAME: end */
  int width, height, samples, threads, crf;
  double fps; /* of the video; 0: as fast as it was */
  skein_colour colour;
  bool colour_given, legend, transparent, quiet, dark;
  double lo, hi; /* range of the scale; equal: found */
  render_shading shading;
  double radius_scale, blur; /* blur < 0: half of a frame in videos, none in pictures */
  bool eye_given, target_given, fov_given, angles_given;
  double eye[3], target[3], fov, azimuth, elevation, zoom;
  float background[2][3]; /* of the display, linear */
  tool_hairs hairs;
} render_settings;

enum { RENDER_NO_FRAME = -2147483647 };

/* ---- render_options.c ---- */
extern const tool_option render_options[];
render_settings render_default_settings(void);
/* TOOL_OK, TOOL_BAD after a message, or TOOL_HELP. */
int render_read_options(const tool_command *command, int argc, char **argv, render_settings *s);

/* ---- render_scene.c: a run, and its frames as arrays for the renderer ---- */
typedef struct render_job {
  const render_settings *set;
  skein_run *run;
  skein_look *look;
  skein_hairs *hairs;           /* NULL: rods are shown as they are */
  int first, last, step, count; /* frames */
  bool video;
  double lo, hi; /* of the scale */
  render_def def;
} render_job;

/* Opens the run and looks through its frames: camera, bounds, range of the scale. */
int render_job_open(render_job *job, const volatile sig_atomic_t *stop);
void render_job_close(render_job *job);

typedef struct render_view {
  skein_frame frame, before;       /* before.rods may be 0: there is none, or things have changed */
  skein_frame hairs, hairs_before; /* instead of these, where hairs are wanted; before only for motion blur */
  float *colour, *plain;
  render_mesh *mesh;
  render_plane *plane;
  float **surface; /* of each body that deforms: vertices, normals, vertices before */
  int bodies;
  render_scene scene;
} render_view;

skein_status render_view_read(const render_job *job, int frame, render_view *view);
void render_view_free(render_view *view);
/* Legend and title over the picture. */
void render_draw_over(const render_job *job, render_canvas *canvas);

/* ---- render_video.c: frames through a pipe to ffmpeg, into a file that is whole or not there ---- */
typedef struct render_video {
  pid_t ffmpeg;
  int pipe;
  FILE *messages; /* what ffmpeg says */
  tool_file file;
} render_video;

bool render_video_possible(void); /* ffmpeg is on the path; false after a message */
int render_video_open(const char *path, int width, int height, double fps, int crf, render_video *video);
int render_video_add(render_video *video, const render_canvas *canvas);
int render_video_close(render_video *video);    /* the file is there, or a message says why not */
void render_video_discard(render_video *video); /* no file */

#endif
