/* Pictures of strands and bodies by ray tracing (Embree): arrays in, an image out. It knows nothing of runs.
 *
 * The order of use:
 *   render_camera_fit_* -> render_default_def, render_light_studio -> render_create -> render_frame -> render_bytes
 *   -> render_draw_* (text, legends) -> render_png_write
 *
 * Colours are linear RGB. An image is `height` rows of `width` pixels from the top, four floats each: red, green, blue
 * (multiplied by alpha) and alpha; it is tone mapped, so 1 is the white of the display. */
#ifndef SK_RENDER_H
#define SK_RENDER_H

#include <signal.h>
#include <skein/base.h>
#include <stdio.h>

/* ---- What is in the picture ---- */

/* Curves through their points (Catmull-Rom), root to tip. */
typedef struct render_strands {
  int strands, points;
  const int *start;    /* strands + 1: points of strand i are start[i] .. start[i+1] - 1 */
  const float *point;  /* 3 each */
  const float *before; /* where the points were a frame earlier, for motion blur; NULL: the same place */
  const float *radius; /* of each strand */
  const float *colour; /* 3 per point */
  const float *plain;  /* NULL, or per strand: 1 takes the highlights away, so that colours can be read */
} render_strands;

typedef struct render_pose {
  double place[3], turn[4]; /* turn: quaternion w x y z */
} render_pose;

typedef struct render_mesh {
  int vertices, triangles;
  const float *vertex, *normal; /* 3 per vertex, axes of the body */
  const int *triangle;          /* 3 each */
  float colour[3];
  render_pose pose, before;
  const float *vertex_before; /* of a mesh that deforms, for blur; NULL: the same */
} render_mesh;

/* An endless floor or wall, seen from the side of its normal; far away it fades into the background. */
typedef struct render_plane {
  double point[3], normal[3];
  float colour[3];
} render_plane;

typedef struct render_scene {
  render_strands strands;
  int meshes;
  const render_mesh *mesh;
  int planes;
  const render_plane *plane;
} render_scene;

/* ---- Camera ---- */

typedef struct render_camera {
  double eye[3], target[3], up[3];
  double fov; /* degrees, vertical */
} render_camera;

/* Points that a camera looking along a given direction must show: the nearest place for its eye is known exactly from
 * four numbers, which grow point by point. */
typedef struct render_fit {
  double right[3], up[3], forward[3];
  double tan_x, tan_y;
  double reach[4]; /* right, left, up, down: max of +-x - tan z, seen from the origin */
  double near, far;
} render_fit;

/* azimuth 0 looks along +y (from the front), 90 along -x; elevation 90 looks straight down. Degrees. */
render_fit render_camera_fit_begin(double azimuth, double elevation, double fov, double aspect);
void render_camera_fit_add(render_fit *fit, const double point[3], double radius);
/* margin: share of the picture that stays free around; zoom: 2 shows half of it. No points: a metre around 0. */
render_camera render_camera_fit_end(const render_fit *fit, double margin, double zoom);
/* Pixel of a point (x to the right, y down) and its depth along the view; false: behind the eye. */
bool render_camera_project(const render_camera *camera, int width, int height, const double point[3], double pixel[2],
                           double *depth);

/* ---- How it is seen ---- */

typedef enum render_shading { RENDER_AUTO, RENDER_HAIR, RENDER_SURFACE } render_shading;

/* A soft light at infinity. */
typedef struct render_light {
  float direction[3]; /* towards it */
  float colour[3];    /* radiance of a white matt surface that faces it */
  float angle;        /* degrees, of its radius as seen from the scene */
} render_light;

enum { RENDER_LIGHTS = 4 };

typedef struct render_def {
  int width, height, samples, threads; /* threads 0: all. The bits of the image do not depend on it */
  render_camera camera;
  render_shading shading; /* auto: hair below a few pixels of width */
  double radius_scale;    /* of strands */
  double min_width;       /* pixels: thinner strands are drawn that wide */
  double shutter;         /* 0: no motion blur, 0.5: open for half of the time between frames */
  double centre[3], size; /* m: middle and radius of what is shown; planes fade beyond */
  int lights;
  render_light light[RENDER_LIGHTS];
  float sky[3], floor[3]; /* ambient light from above and from below */
  float background[2][3]; /* of the display, top and bottom */
  bool transparent;       /* no background; planes show shadows only */
  double exposure;
} render_def;

render_def render_default_def(void);
/* Key light over the left shoulder of the camera, two rim lights from behind, a soft sky. */
void render_light_studio(render_def *def);

typedef struct render_info {
  int64_t rays;
  double seconds_build, seconds_trace;
  size_t bytes; /* most memory in use: the tree and the arrays of the renderer */
} render_info;

typedef struct render_studio render_studio; /* what is kept from frame to frame */

skein_status render_create(render_studio **studio);
void render_destroy(render_studio *studio); /* NULL is fine */
/* stop: NULL, or looked at between tiles: true ends the frame early (status OK, image unfinished). */
skein_status render_frame(render_studio *studio, const render_def *def, const render_scene *scene, float *rgba,
                          const volatile sig_atomic_t *stop, render_info *info);

/* ---- Images ---- */

float render_linear(float srgb); /* of a display value 0 to 1 */
/* 8 bit sRGB, four bytes per pixel; alpha not multiplied. */
void render_bytes(const float *rgba, int width, int height, unsigned char *bytes);

/* A picture to draw on. */
typedef struct render_canvas {
  int width, height;
  unsigned char *bytes; /* RGBA */
} render_canvas;

/* Text with its baseline at y; size: height of a capital, pixels. UTF-8; what the font lacks is a box. */
void render_draw_text(render_canvas *canvas, double x, double y, double size, const unsigned char colour[4],
                      const char *text);
double render_text_width(double size, const char *text);
/* A filled rectangle with round corners. */
void render_draw_panel(render_canvas *canvas, double x, double y, double width, double height, double corner,
                       const unsigned char colour[4]);

typedef struct render_legend {
  const char *title, *unit; /* unit "": none */
  int entries;              /* named swatches; 0: a scale */
  const char *const *name;
  const float (*colour)[3]; /* of the entries, or of `stops` evenly spaced places of the scale */
  int stops;
  double lo, hi;
} render_legend;

/* In the lower left corner; scale 1 suits a picture of 720 rows. dark: light text on a dark panel. */
void render_draw_legend(render_canvas *canvas, const render_legend *legend, double scale, bool dark);
/* The title in the upper left corner, lines broken where they must. */
void render_draw_title(render_canvas *canvas, const char *title, double scale, bool dark);

/* false: errno says why. alpha: keep it, otherwise RGB. */
bool render_png_write(FILE *file, const render_canvas *canvas, bool alpha);

#endif
