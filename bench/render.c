/* Speed of the renderer on two grooms on a head-like ball: 2,000 strands x 40 points and 150,000 x 20, 960x720, 16
 * samples. bench_render [--png PREFIX] [--samples N] [--threads N] [small|large]... Prints one line of CSV each:
 * strands, points, threads, seconds of building and tracing, rays per second, memory. */
#include "base/base.h"
#include "render/render.h"

#include <math.h>
#include <skein/skein.h>
#include <stdlib.h>
#include <string.h>

typedef struct groom {
  int strands, per_strand, per_lock;
  float hair; /* m: radius */
  float *point, *colour, *radius;
  int *start;
} groom;

enum { MOST_POINTS = 64 };

static const double pi = 3.14159265358979, head = 0.09; /* m */

static void normalise(double a[3])
{
  double n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int k = 0; k < 3; k++) a[k] /= n;
}

/* A root on the scalp: the upper part of the ball, low at the back (+y), high at the front. */
static void draw_root(sk_random *g, double n[3])
{
  do {
    double z = sk_random_uniform(g, -0.6, 1), a = sk_random_uniform(g, 0, 2 * pi), r = sqrt(1 - z * z);
    n[0] = r * cos(a), n[1] = r * sin(a), n[2] = z;
  } while (n[2] < -0.02 - (n[1] < 0 ? 1.15 : 0.8) * n[1]);
}

/* The middle of a lock: combed away from a parting and to the back, it falls and stays outside of the head. */
static void grow_guide(sk_random *g, int points, float *p)
{
  double n[3], x[3], d[3], length = sk_random_uniform(g, 0.19, 0.27), step = length / (points - 1);
  draw_root(g, n);
  double side = n[0] > 0.03 ? 1 : -1, comb[3] = {0.75 * side, 0.45, -0.1}, along = 0,
         lift = sk_random_uniform(g, 0.35, 0.6);
  for (int k = 0; k < 3; k++) along += comb[k] * n[k];
  for (int k = 0; k < 3; k++) x[k] = n[k] * head, d[k] = comb[k] - along * n[k] + lift * n[k];
  double layer = sk_random_uniform(g, 1.03, 1.16), wave = sk_random_uniform(g, 0, 2 * pi);
  for (int k = 0; k < points; k++) {
    double s = (double)k / (points - 1), swing = 0.009 * s * sin(wave + 14 * s), turn = 0.009 * s * cos(wave + 14 * s);
    p[3 * k] = (float)(x[0] - swing * n[1] + turn * n[0]);
    p[3 * k + 1] = (float)(x[1] + swing * n[0] + turn * n[1]);
    p[3 * k + 2] = (float)x[2];
    normalise(d);
    d[2] -= step * 30;
    normalise(d);
    for (int j = 0; j < 3; j++) x[j] += step * d[j];
    double low = x[2] < 0 ? 1.25 : 1, out = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] / (low * low));
    double least = head * (1 + (layer - 1) * fmin(1, 4 * s));
    if (out < least)
      for (int j = 0; j < 3; j++) x[j] *= least / out, d[j] += 0.3 * x[j] / least;
  }
}

/* A strand of a lock: beside the guide at the root, nearer to it at the tip, with a will of its own. */
static void grow(const groom *m, sk_random *g, const float *guide, double shade, int i)
{
  double away[3], phase = sk_random_uniform(g, 0, 2 * pi), frizz = sk_random_uniform(g, 0.0004, 0.0012);
  double stop = sk_random_uniform(g, 0.8, 1);
  for (int k = 0; k < 3; k++) away[k] = sk_random_normal(g) * 0.0048;
  shade *= sk_random_uniform(g, 0.85, 1.15);
  for (int k = 0; k < m->per_strand; k++) {
    double s = stop * k / (m->per_strand - 1), at = s * (m->per_strand - 1);
    int j = (int)at < m->per_strand - 2 ? (int)at : m->per_strand - 2;
    double near = 1 - 0.55 * s, curl = frizz * s;
    float *p = m->point + 3 * ((size_t)i * (size_t)m->per_strand + (size_t)k);
    for (int c = 0; c < 3; c++)
      p[c] = (float)(guide[3 * j + c] + (at - j) * (guide[3 * j + 3 + c] - guide[3 * j + c]) + near * away[c]);
    p[0] += (float)(curl * sin(phase + 30 * s)), p[1] += (float)(curl * cos(phase + 26 * s));
    float *c = m->colour + 3 * ((size_t)i * (size_t)m->per_strand + (size_t)k), tip = (float)(shade * (0.75 + 0.5 * s));
    c[0] = 0.36f * tip, c[1] = 0.165f * tip, c[2] = 0.062f * tip;
  }
  m->radius[i] = m->hair;
}

static bool make_groom(groom *m)
{
  size_t points = (size_t)m->strands * (size_t)m->per_strand;
  m->point = malloc(points * 3 * sizeof(float));
  m->colour = malloc(points * 3 * sizeof(float));
  m->radius = malloc((size_t)m->strands * sizeof(float));
  m->start = malloc(((size_t)m->strands + 1) * sizeof(int));
  if (!m->point || !m->colour || !m->radius || !m->start) return false;
  sk_random g = sk_random_make(5);
  float guide[3 * MOST_POINTS];
  double shade = 1;
  for (int i = 0; i < m->strands; i++) {
    if (i % m->per_lock == 0) grow_guide(&g, m->per_strand, guide), shade = sk_random_uniform(&g, 0.85, 1.15);
    grow(m, &g, guide, shade, i);
  }
  for (int i = 0; i <= m->strands; i++) m->start[i] = i * m->per_strand;
  return true;
}

enum { RINGS = 96, SIDES = 192 };

/* The head: a ball, a little taller than wide. */
static render_mesh make_head(float *vertex, float *normal, int *triangle)
{
  int count = 0;
  for (int i = 0; i <= RINGS; i++)
    for (int j = 0; j < SIDES; j++) {
      double a = pi * i / RINGS, b = 2 * pi * j / SIDES;
      double n[3] = {sin(a) * cos(b), sin(a) * sin(b), cos(a)};
      for (int k = 0; k < 3; k++)
        vertex[3 * (i * SIDES + j) + k] = (float)(head * n[k] * (k == 2 && n[2] < 0 ? 1.25 : 1));
      for (int k = 0; k < 3; k++) normal[3 * (i * SIDES + j) + k] = (float)(n[k] / (k == 2 && n[2] < 0 ? 1.25 : 1));
    }
  for (int i = 0; i < RINGS; i++)
    for (int j = 0; j < SIDES; j++) {
      int a = i * SIDES + j, b = i * SIDES + (j + 1) % SIDES;
      int corners[6] = {a, a + SIDES, b, b, a + SIDES, b + SIDES};
      memcpy(triangle + 3 * count, corners, sizeof corners), count += 2;
    }
  return (render_mesh){.vertices = (RINGS + 1) * SIDES,
                       .triangles = count,
                       .vertex = vertex,
                       .normal = normal,
                       .triangle = triangle,
                       .colour = {0.62f, 0.43f, 0.34f},
                       .pose = {.turn = {1}},
                       .before = {.turn = {1}}};
}

static void save(const char *prefix, const groom *m, const float *rgba, int width, int height)
{
  char path[512];
  snprintf(path, sizeof path, "%s-%d.png", prefix, m->strands);
  FILE *file = fopen(path, "wb");
  unsigned char *bytes = malloc(4 * (size_t)width * (size_t)height);
  if (file && bytes) {
    render_bytes(rgba, width, height, bytes);
    render_png_write(file, &(render_canvas){width, height, bytes}, false);
  }
  if (file) fclose(file);
  free(bytes);
}

static int measure(groom m, int threads, int samples, const char *prefix)
{
  static float vertex[3 * (RINGS + 1) * SIDES], normal[3 * (RINGS + 1) * SIDES];
  static int triangle[3 * 2 * RINGS * SIDES];
  render_mesh mesh = make_head(vertex, normal, triangle);
  render_def def = render_default_def();
  render_plane floor = {.point = {0, 0, -0.19}, .normal = {0, 0, 1}, .colour = {0.5f, 0.5f, 0.5f}};
  float *rgba = malloc(4 * sizeof(float) * (size_t)def.width * (size_t)def.height);
  render_studio *studio = NULL;
  render_info info = {0};
  int code = 1;
  if (rgba && make_groom(&m) && render_create(&studio).code == SKEIN_OK) {
    render_fit fit = render_camera_fit_begin(32, 6, 30, (double)def.width / def.height);
    for (int i = 0; i < m.start[m.strands]; i++)
      render_camera_fit_add(&fit, (double[]){m.point[3 * i], m.point[3 * i + 1], m.point[3 * i + 2]}, 0);
    def.camera = render_camera_fit_end(&fit, 0.12, 1);
    def.samples = samples, def.threads = threads, def.size = 0.2;
    render_light_studio(&def);
    render_scene scene = {.strands = {m.strands, m.start[m.strands], m.start, m.point, NULL, m.radius, m.colour, NULL},
                          .meshes = 1,
                          .mesh = &mesh,
                          .planes = 1,
                          .plane = &floor};
    if (render_frame(studio, &def, &scene, rgba, NULL, &info).code == SKEIN_OK) code = 0;
    printf("%d,%d,%d,%d,%.3f,%.3f,%.0f,%.2f,%.0f\n", m.strands, m.per_strand, threads, samples, info.seconds_build,
           info.seconds_trace, (double)info.rays, (double)info.rays / info.seconds_trace / 1e6,
           (double)info.bytes / 1e6);
    fflush(stdout);
    if (prefix) save(prefix, &m, rgba, def.width, def.height);
  }
  render_destroy(studio);
  free(rgba), free(m.point), free(m.colour), free(m.radius), free(m.start);
  return code;
}

int main(int argc, char **argv)
{
  const char *prefix = NULL;
  int threads = 2, samples = 16, code = 0;
  bool small = false, large = false;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--png") && i + 1 < argc) prefix = argv[++i];
    else if (!strcmp(argv[i], "--threads") && i + 1 < argc) threads = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--samples") && i + 1 < argc) samples = atoi(argv[++i]);
    else if (!strcmp(argv[i], "small")) small = true;
    else if (!strcmp(argv[i], "large")) large = true;
    else
      return fprintf(stderr, "bench_render: '%s' is none of --png, --threads, --samples, small, large\n", argv[i]), 2;
  }
  printf("strands,points_each,threads,samples,seconds_build,seconds_trace,rays,million_rays_per_second,megabytes\n");
  if (small || !large)
    code |=
        measure((groom){.strands = 2000, .per_strand = 40, .per_lock = 20, .hair = 4e-5f}, threads, samples, prefix);
  if (large || !small)
    code |=
        measure((groom){.strands = 150000, .per_strand = 20, .per_lock = 150, .hair = 4e-5f}, threads, samples, prefix);
  return code;
}
