/* The renderer on plain arrays: camera, a lit ball against the analytic picture, coverage of strands, the same bits for
 * any number of threads, motion blur, legends, PNG files read back. */
#include "render/render.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;
enum { RINGS = 128, SIDES = 256 };

typedef struct ball {
  float vertex[3 * (RINGS + 1) * SIDES];
  int triangle[6 * RINGS * SIDES];
} ball;

/* A unit ball; its vertices are its normals. */
static void make_ball(ball *b, render_mesh *mesh)
{
  int count = 0;
  for (int i = 0; i <= RINGS; i++)
    for (int j = 0; j < SIDES; j++) {
      double a = pi * i / RINGS, c = 2 * pi * j / SIDES;
      float *v = b->vertex + 3 * (i * SIDES + j);
      v[0] = (float)(sin(a) * cos(c)), v[1] = (float)(sin(a) * sin(c)), v[2] = (float)cos(a);
    }
  for (int i = 0; i < RINGS; i++)
    for (int j = 0; j < SIDES; j++) {
      int p = i * SIDES + j, q = i * SIDES + (j + 1) % SIDES, corners[6] = {p, p + SIDES, q, q, p + SIDES, q + SIDES};
      memcpy(b->triangle + 3 * count, corners, sizeof corners);
      count += 2;
    }
  *mesh = (render_mesh){.vertices = (RINGS + 1) * SIDES,
                        .triangles = count,
                        .vertex = b->vertex,
                        .normal = b->vertex,
                        .triangle = b->triangle,
                        .colour = {0.5f, 0.4f, 0.3f},
                        .pose = {.turn = {1}},
                        .before = {.turn = {1}}};
}

static render_def small_def(int width, int height)
{
  render_def def = render_default_def();
  def.width = width, def.height = height;
  def.camera = (render_camera){.eye = {0, -6, 0}, .up = {0, 0, 1}, .fov = 30};
  for (int k = 0; k < 3; k++) def.background[0][k] = def.background[1][k] = 0.25f;
  def.size = 2;
  return def;
}

static float *draw(const render_def *def, const render_scene *scene, render_info *info)
{
  render_studio *studio;
  float *rgba = malloc((size_t)def->width * (size_t)def->height * 4 * sizeof(float));
  assert_non_null(rgba);
  assert_int_equal(render_create(&studio).code, SKEIN_OK);
  skein_status status = render_frame(studio, def, scene, rgba, NULL, info);
  assert_string_equal(status.message, "");
  assert_int_equal(status.code, SKEIN_OK);
  render_destroy(studio);
  return rgba;
}

static const float *at(const float *rgba, const render_def *def, double x, double y)
{
  return rgba + 4 * ((size_t)y * (size_t)def->width + (size_t)x);
}

/* ---- Camera ---- */

static void camera_projects(void **state)
{
  (void)state;
  render_camera camera = {.eye = {0, -5, 0}, .up = {0, 0, 1}, .fov = 90};
  double pixel[2], depth, p[3] = {0, 0, 0}, q[3] = {1, 0, 2}, behind[3] = {0, -9, 0};
  assert_true(render_camera_project(&camera, 400, 200, p, pixel, &depth));
  assert_float_equal(pixel[0], 200, 1e-9);
  assert_float_equal(pixel[1], 100, 1e-9);
  assert_float_equal(depth, 5, 1e-12);
  assert_true(render_camera_project(&camera, 400, 200, q, pixel, &depth)); /* tan 45 = 1: 5 m are 100 pixels */
  assert_float_equal(pixel[0], 220, 1e-9);
  assert_float_equal(pixel[1], 60, 1e-9);
  assert_false(render_camera_project(&camera, 400, 200, behind, pixel, &depth));
}

/* Whatever the points, the fitted camera shows them all, and touches at least two opposite edges with them. */
static void camera_fits(void **state)
{
  (void)state;
  srand(3);
  for (int trial = 0; trial < 50; trial++) {
    double point[20][3], lo[2] = {1e9, 1e9}, hi[2] = {-1e9, -1e9};
    render_fit fit = render_camera_fit_begin(rand() % 360, rand() % 181 - 90, 20 + rand() % 60, 4.0 / 3);
    for (int i = 0; i < 20; i++) {
      for (int k = 0; k < 3; k++) point[i][k] = (rand() % 2001 - 1000) * 1e-3 + 7;
      render_camera_fit_add(&fit, point[i], 0);
    }
    render_camera camera = render_camera_fit_end(&fit, 0, 1);
    for (int i = 0; i < 20; i++) {
      double pixel[2], depth;
      assert_true(render_camera_project(&camera, 800, 600, point[i], pixel, &depth));
      for (int k = 0; k < 2; k++) lo[k] = fmin(lo[k], pixel[k]), hi[k] = fmax(hi[k], pixel[k]);
    }
    assert_true(lo[0] > -1e-6 && lo[1] > -1e-6 && hi[0] < 800 + 1e-6 && hi[1] < 600 + 1e-6);
    assert_true((lo[0] < 1e-6 && hi[0] > 800 - 1e-6) || (lo[1] < 1e-6 && hi[1] > 600 - 1e-6));
  }
  render_fit none = render_camera_fit_begin(0, 0, 30, 1);
  render_camera camera = render_camera_fit_end(&none, 0.1, 1);
  assert_true(isfinite(camera.eye[0] + camera.eye[1] + camera.eye[2]) && camera.eye[1] < 0);
}

/* ---- Light ---- */

/* pi f cos of the clear coat (GGX, width 0.25, F0 0.04), light from above, eye at (0, -6, 0), at (0, y, z) of the unit
 * ball. */
static double coat(double y, double z)
{
  const double a2 = 0.25 * 0.25, f0 = 0.04;
  double view[2] = {-6 - y, -z}, n = hypot(view[0], view[1]);
  view[0] /= n, view[1] /= n;
  double half[2] = {view[0], view[1] + 1}, m = hypot(half[0], half[1]), nh = (y * half[0] + z * half[1]) / m;
  double ni = z, no = y * view[0] + z * view[1], d = a2 / (pi * pow(nh * nh * (a2 - 1) + 1, 2));
  double g = 2 * ni / (ni + sqrt(a2 + (1 - a2) * ni * ni)) * 2 * no / (no + sqrt(a2 + (1 - a2) * no * no));
  return pi * d * g * (f0 + (1 - f0) * pow(1 - half[1] / m, 5)) / (4 * no);
}

/* One light, no sky: the pixel is light * (colour * cos + coat). */
static void ball_is_lit(void **state)
{
  (void)state;
  static ball b;
  render_mesh mesh;
  make_ball(&b, &mesh);
  render_def def = small_def(400, 400);
  def.lights = 1;
  def.light[0] = (render_light){{0, 0, 1}, {0.8f, 0.8f, 0.8f}, 0.01f};
  memset(def.sky, 0, sizeof def.sky), memset(def.floor, 0, sizeof def.floor);
  render_scene scene = {.meshes = 1, .mesh = &mesh};
  float *rgba = draw(&def, &scene, NULL);
  for (int i = 0; i <= 4; i++) { /* from the middle to the top, in the plane x = 0, as seen by the eye at -6 */
    double z = 0.15 * i + 0.1, y = -sqrt(1 - z * z), p[3] = {0, y, z}, pixel[2], depth;
    assert_true(render_camera_project(&def.camera, 400, 400, p, pixel, &depth));
    const float *seen = at(rgba, &def, pixel[0], pixel[1]);
    for (int k = 0; k < 3; k++) assert_float_equal(seen[k], 0.8 * (mesh.colour[k] * z + coat(y, z)), 0.012);
  }
  const float *dark = at(rgba, &def, 200, 283), *back = at(rgba, &def, 3, 3);
  assert_true(dark[0] < 0.01f && dark[1] < 0.01f); /* turned away from the light */
  for (int k = 0; k < 3; k++) assert_float_equal(back[k], 0.25f, 1e-5);
  assert_float_equal(back[3], 1, 0);
  free(rgba);
}

/* A ball under an even sky and nothing else has the colour times the sky everywhere (and a thin gloss at its rim). */
static void sky_is_even(void **state)
{
  (void)state;
  static ball b;
  render_mesh mesh;
  make_ball(&b, &mesh);
  render_def def = small_def(80, 80);
  for (int k = 0; k < 3; k++) def.sky[k] = def.floor[k] = 0.5f;
  render_scene scene = {.meshes = 1, .mesh = &mesh};
  float *rgba = draw(&def, &scene, NULL);
  const float *seen = at(rgba, &def, 40, 40);
  for (int k = 0; k < 3; k++) assert_float_equal(seen[k], 0.5f * mesh.colour[k] + 0.5f * 0.5f * 0.04f, 0.004f);
  free(rgba);
}

/* The shadow of a ball on a plane is dark, the plane far away is the background. */
static void plane_has_shadow(void **state)
{
  (void)state;
  static ball b;
  render_mesh mesh;
  make_ball(&b, &mesh);
  render_def def = small_def(160, 120);
  def.camera = (render_camera){.eye = {0, -9, 5}, .up = {0, 0, 1}, .fov = 40};
  def.lights = 1;
  def.light[0] = (render_light){{0, 0, 1}, {0.8f, 0.8f, 0.8f}, 1};
  render_plane floor = {.point = {0, 0, -1.5}, .normal = {0, 0, 1}, .colour = {0.6f, 0.6f, 0.6f}};
  render_scene scene = {.meshes = 1, .mesh = &mesh, .planes = 1, .plane = &floor};
  float *rgba = draw(&def, &scene, NULL);
  double shade[3] = {0.3, -0.85, -1.5}, open[3] = {2.2, -0.5, -1.5}, pixel[2], depth;
  assert_true(render_camera_project(&def.camera, 160, 120, shade, pixel, &depth));
  float in_shadow = at(rgba, &def, pixel[0], pixel[1])[1];
  assert_true(render_camera_project(&def.camera, 160, 120, open, pixel, &depth));
  float in_light = at(rgba, &def, pixel[0], pixel[1])[1];
  assert_true(in_shadow < 0.5f * in_light);
  assert_float_equal(at(rgba, &def, 80, 1)[1], 0.25f, 0.01f);
  def.transparent = true;
  float *clear = draw(&def, &scene, NULL);
  assert_float_equal(at(clear, &def, 2, 2)[3], 0, 0);
  assert_float_equal(at(clear, &def, 80, 50)[3], 1, 1e-6); /* the ball */
  assert_true(render_camera_project(&def.camera, 160, 120, shade, pixel, &depth));
  assert_true(at(clear, &def, pixel[0], pixel[1])[3] > 0.4f);
  free(clear);
  free(rgba);
}

/* ---- Strands ---- */

/* One straight strand across the picture: the share of the picture it hides is its width times its length. */
static void strand_covers(void **state)
{
  (void)state;
  const double widths[3] = {0.3, 2, 12}; /* pixels: widened to one; a ribbon; a tube */
  for (int w = 0; w < 3; w++) {
    render_def def = small_def(200, 200);
    double pixel = 2 * tan(15 * pi / 180) * 6 / 200; /* m at the distance of the target */
    float point[9] = {-0.8f, 0, -0.3f, 0, 0, 0, 0.8f, 0, 0.3f}, colour[9] = {0},
          radius = (float)(widths[w] * pixel / 2);
    int start[2] = {0, 3};
    render_scene scene = {.strands = {1, 3, start, point, NULL, &radius, colour, NULL}};
    def.samples = 64, def.transparent = true;
    float *rgba = draw(&def, &scene, NULL);
    double sum = 0, wide = fmax(widths[w], 1), length = 2 * hypot(0.8, 0.3) / pixel;
    for (int i = 0; i < 200 * 200; i++) sum += rgba[4 * i + 3];
    double expected = wide * length + (w == 2 ? pi * wide * wide / 4 : 0); /* tubes have round ends */
    assert_float_equal(sum, expected, 0.03 * expected + 2);
    free(rgba);
  }
}

enum { TUFT = 60, LONG = 12 };

static render_scene make_tuft(float *point, float *before, float *colour, float *radius, int *start)
{
  srand(8);
  for (int i = 0; i < TUFT; i++) {
    double x = (rand() % 1000) * 1e-3 - 0.5, y = (rand() % 1000) * 1e-3 - 0.5;
    for (int k = 0; k < LONG; k++) {
      float *p = point + 3 * (i * LONG + k), *c = colour + 3 * (i * LONG + k), s = (float)k / LONG;
      p[0] = (float)x + 0.4f * s * s, p[1] = (float)y, p[2] = 1.4f * s - 0.7f;
      for (int j = 0; j < 3; j++) before[3 * (i * LONG + k) + j] = p[j] - (j == 0 ? 0.5f * s : 0);
      c[0] = 0.4f, c[1] = 0.25f, c[2] = 0.1f;
    }
    radius[i] = i % 5 ? 0.002f : 0.03f; /* hair and cords */
    start[i] = i * LONG;
  }
  start[TUFT] = TUFT * LONG;
  return (render_scene){.strands = {TUFT, TUFT * LONG, start, point, NULL, radius, colour, NULL}};
}

static void threads_agree(void **state)
{
  (void)state;
  static float point[3 * TUFT * LONG], before[3 * TUFT * LONG], colour[3 * TUFT * LONG], radius[TUFT];
  static int start[TUFT + 1];
  static ball b;
  render_mesh mesh;
  make_ball(&b, &mesh);
  mesh.pose.place[1] = 1.5;
  render_scene scene = make_tuft(point, before, colour, radius, start);
  render_plane floor = {.point = {0, 0, -1}, .normal = {0, 0, 1}, .colour = {0.6f, 0.6f, 0.6f}};
  scene.meshes = 1, scene.mesh = &mesh, scene.planes = 1, scene.plane = &floor;
  for (int blur = 0; blur < 2; blur++) {
    render_def def = small_def(160, 120);
    render_light_studio(&def);
    def.samples = 4, def.threads = 1, def.shutter = blur;
    scene.strands.before = blur ? before : NULL;
    render_info one, more;
    float *first = draw(&def, &scene, &one);
    for (int threads = 2; threads <= 5; threads += 3) {
      def.threads = threads;
      float *other = draw(&def, &scene, &more);
      assert_memory_equal(first, other, 160 * 120 * 4 * sizeof(float));
      assert_true(one.rays == more.rays && more.rays > 0 && more.bytes > 0);
      free(other);
    }
    for (int i = 0; i < 160 * 120 * 4; i++) assert_true(first[i] >= 0 && first[i] <= 1.0001f);
    free(first);
  }
}

/* A strand that moves to the right is smeared to the left of where it is. */
static void motion_blurs(void **state)
{
  (void)state;
  float point[6] = {0.5f, 0, -1, 0.5f, 0, 1}, before[6] = {-0.5f, 0, -1, -0.5f, 0, 1}, colour[6] = {0}, radius = 0.02f;
  int start[2] = {0, 2};
  render_def def = small_def(100, 100);
  render_scene scene = {.strands = {1, 2, start, point, before, &radius, colour, NULL}};
  def.transparent = true, def.samples = 64, def.shutter = 0.5;
  float *rgba = draw(&def, &scene, NULL);
  double pixel[2], depth, p[3] = {0.25, 0, 0}, q[3] = {-0.25, 0, 0};
  assert_true(render_camera_project(&def.camera, 100, 100, p, pixel, &depth));
  float smear = at(rgba, &def, pixel[0], pixel[1])[3];
  assert_true(smear > 0.02f && smear < 0.3f); /* 0.04 m wide, over 0.5 m */
  assert_true(render_camera_project(&def.camera, 100, 100, q, pixel, &depth));
  assert_float_equal(at(rgba, &def, pixel[0], pixel[1])[3], 0, 0); /* the shutter was closed then */
  free(rgba);
}

/* Nothing, single points, numbers that are none: a picture all the same. */
static void odd_strands(void **state)
{
  (void)state;
  float point[21] = {0, 0, 0, 0, 0, 0, 0, 0, 0, NAN, 0, 0, 1, 0, 0, 0, 0, 0.5f, 0, 0, 0.6f}, colour[21] = {0};
  float radius[4] = {0.01f, 0.1f, 0.01f, 0.05f};
  int start[5] = {0, 1, 3, 5, 7}; /* one point; twice the same; NaN; a good one */
  render_def def = small_def(60, 60);
  render_light_studio(&def);
  def.samples = 4;
  render_scene scene = {.strands = {4, 7, start, point, NULL, radius, colour, NULL}}, empty = {.meshes = 0};
  float *rgba = draw(&def, &scene, NULL), *nothing = draw(&def, &empty, NULL);
  for (int i = 0; i < 60 * 60 * 4; i++) assert_true(isfinite(rgba[i]));
  for (int i = 0; i < 60 * 60; i++) assert_float_equal(nothing[4 * i], 0.25f, 1e-5);
  free(rgba);
  free(nothing);
  render_studio *studio;
  assert_int_equal(render_create(&studio).code, SKEIN_OK);
  memcpy(def.camera.target, def.camera.eye, sizeof def.camera.eye);
  rgba = calloc(60 * 60 * 4, sizeof(float));
  assert_int_equal(render_frame(studio, &def, &empty, rgba, NULL, NULL).code, SKEIN_BAD_INPUT);
  free(rgba);
  render_destroy(studio);
}

/* ---- Over the picture, and files ---- */

static void legend_is_drawn(void **state)
{
  (void)state;
  enum { W = 320, H = 240 };
  unsigned char *bytes = malloc(4 * W * H);
  memset(bytes, 255, 4 * W * H);
  render_canvas canvas = {W, H, bytes};
  const float scale[2][3] = {{1, 0, 0}, {0, 0, 1}}, swatch[2][3] = {{0, 1, 0}, {1, 0, 1}};
  const char *names[2] = {"stick", "slide"};
  render_legend legend = {.title = "speed", .unit = "m/s", .colour = scale, .stops = 2, .lo = 0, .hi = 2};
  render_draw_legend(&canvas, &legend, 1, false);
  int red = 0, blue = 0, ink = 0, green = 0;
  for (int i = 0; i < W * H; i++) {
    const unsigned char *p = bytes + 4 * i;
    red += p[0] > 230 && p[1] == 0 && p[2]<40, blue += p[2]> 230 && p[1] == 0 && p[0] < 40,
        ink += p[0] < 60 && p[2] < 60;
  }
  assert_true(red >= 12 && blue >= 12 && ink > 100); /* both ends of the bar, and text */
  memset(bytes, 255, 4 * W * H);
  legend = (render_legend){.title = "status", .unit = "", .entries = 2, .name = names, .colour = swatch};
  render_draw_legend(&canvas, &legend, 1, true);
  for (int i = 0; i < W * H; i++) green += bytes[4 * i] == 0 && bytes[4 * i + 1] == 255 && bytes[4 * i + 2] == 0;
  assert_true(green > 100 && green < 400);
  assert_true(render_text_width(10, "ii") < render_text_width(10, "WW"));
  render_draw_title(&canvas,
                    "bytes that are no text: \xff\xc3 and a name that is much longer than the picture is wide, so it "
                    "needs some lines; averylongwordthatdoesnotfitintoonelinehoweverthepictureisturnedaround",
                    1, false);
  render_draw_text(&canvas, -50, -3, 300, (unsigned char[4]){0, 0, 0, 255}, "outside");
  free(bytes);
}

static void png_comes_back(void **state)
{
  (void)state;
  enum { W = 5, H = 3 };
  unsigned char bytes[4 * W * H], back[4 * W * H];
  for (int i = 0; i < 4 * W * H; i++) bytes[i] = (unsigned char)(17 * i);
  for (int alpha = 0; alpha < 2; alpha++) {
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(render_png_write(file, &(render_canvas){W, H, bytes}, alpha));
    rewind(file);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_stdio(&image, file));
    assert_int_equal(image.width, W);
    assert_int_equal(image.height, H);
    assert_int_equal((image.format & PNG_FORMAT_FLAG_ALPHA) != 0, alpha);
    image.format = PNG_FORMAT_RGBA;
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    for (int i = 0; i < 4 * W * H; i++) assert_int_equal(back[i], i % 4 == 3 && !alpha ? 255 : bytes[i]);
    fclose(file);
  }
  FILE *full = fopen("/dev/full", "wb");
  if (full) assert_false(render_png_write(full, &(render_canvas){W, H, bytes}, false)), fclose(full);
}

static void bytes_are_srgb(void **state)
{
  (void)state;
  float rgba[8] = {0.5f, 0.0f, 1.0f, 1, 0.1f, 0.05f, 0.2f, 0.5f};
  unsigned char bytes[8];
  render_bytes(rgba, 2, 1, bytes);
  assert_int_equal(bytes[0], 188);
  assert_int_equal(bytes[1], 0);
  assert_int_equal(bytes[2], 255);
  assert_int_equal(bytes[7], 128);
  assert_int_equal(bytes[4], 124); /* 0.1 / 0.5, no longer multiplied by alpha */
  for (int k = 0; k < 256; k++) {
    float pixel[4] = {render_linear((float)k / 255), 0, 0, 1};
    render_bytes(pixel, 1, 1, bytes);
    assert_int_equal(bytes[0], k);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(camera_projects), cmocka_unit_test(camera_fits),      cmocka_unit_test(ball_is_lit),
      cmocka_unit_test(sky_is_even),     cmocka_unit_test(plane_has_shadow), cmocka_unit_test(strand_covers),
      cmocka_unit_test(threads_agree),   cmocka_unit_test(motion_blurs),     cmocka_unit_test(odd_strands),
      cmocka_unit_test(legend_is_drawn), cmocka_unit_test(png_comes_back),   cmocka_unit_test(bytes_are_srgb),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
