/* Text and panels on a picture: strokes of a round pen, smooth at the edges by the distance to their middle line. */
#include "inside.h"
#include "font.h"

#include <string.h>

enum { MOST_LINES = 160, SMOOTH_STEPS = 6 };
static const double gap = 2.6; /* units between glyphs */

typedef struct glyph {
  int lines;
  float line[MOST_LINES][4]; /* x0 y0 x1 y1, units */
  float width;
} glyph;

static void add_line(glyph *g, float x0, float y0, float x1, float y1)
{
  if (g->lines == MOST_LINES) return;
  float *line = g->line[g->lines++];
  line[0] = x0, line[1] = y0, line[2] = x1, line[3] = y1;
}

static float spline(float a, float b, float c, float d, float u)
{
  return b + 0.5f * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
}

/* A smooth curve through n points; closed when the last is the first. */
static void add_curve(glyph *g, const float (*p)[2], int n)
{
  bool closed = p[0][0] == p[n - 1][0] && p[0][1] == p[n - 1][1];
  for (int k = 0; k + 1 < n; k++) {
    const float *a = k > 0 ? p[k - 1] : closed ? p[n - 2] : p[0], *d = k + 2 < n ? p[k + 2] : closed ? p[1] : p[n - 1];
    float x = p[k][0], y = p[k][1];
    for (int j = 1; j <= SMOOTH_STEPS; j++) {
      float u = (float)j / SMOOTH_STEPS;
      float nx = spline(a[0], p[k][0], p[k + 1][0], d[0], u), ny = spline(a[1], p[k][1], p[k + 1][1], d[1], u);
      add_line(g, x, y, nx, ny);
      x = nx, y = ny;
    }
  }
}

static glyph read_glyph(uint32_t code)
{
  glyph g = {.lines = 0};
  const char *c = font_glyph(code);
  if (!*c) g.width = 2.2f;
  while (*c) {
    float p[32][2] = {{0}};
    int n = 0;
    bool is_smooth = *c == '~';
    for (c += is_smooth; *c && *c != ' ' && n < 32; c += 2, n++) {
      p[n][0] = (float)(c[0] - '0'), p[n][1] = (float)(c[1] - 'd');
      g.width = maxf(g.width, p[n][0]);
    }
    if (is_smooth) add_curve(&g, (const float(*)[2])p, n);
    else
      for (int k = 0; k + 1 < n; k++) add_line(&g, p[k][0], p[k][1], p[k + 1][0], p[k + 1][1]);
    while (*c == ' ') c++;
  }
  return g;
}

static float distance(const float line[4], float x, float y)
{
  float dx = line[2] - line[0], dy = line[3] - line[1], px = x - line[0], py = y - line[1];
  float n = dx * dx + dy * dy, t = n > 0 ? clampf((px * dx + py * dy) / n, 0, 1) : 0;
  return hypotf(px - t * dx, py - t * dy);
}

/* Lays a colour over a pixel. */
static void blend(render_canvas *canvas, int x, int y, const unsigned char colour[4], float cover)
{
  if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height) return;
  unsigned char *p = canvas->bytes + 4 * ((size_t)y * (size_t)canvas->width + (size_t)x);
  float a = clampf(cover, 0, 1) * colour[3] / 255.0f, below = p[3] / 255.0f * (1 - a), all = a + below;
  if (!(a > 0)) return;
  for (int k = 0; k < 3; k++) p[k] = (unsigned char)((colour[k] * a + p[k] * below) / all + 0.5f);
  p[3] = (unsigned char)(255 * all + 0.5f);
}

static void draw_glyph(render_canvas *canvas, const glyph *g, double x, double y, double size,
                       const unsigned char colour[4])
{
  float unit = (float)size / 10, pen = maxf(0.6f * unit, 0.55f);
  int x0 = (int)floor(x - 2 - pen), x1 = (int)ceil(x + g->width * unit + 2 + pen);
  int y0 = (int)floor(y - 11.5 * unit - 2 - pen), y1 = (int)ceil(y + 3.5 * unit + 2 + pen);
  for (int v = y0; g->lines > 0 && v <= y1; v++)
    for (int u = x0; u <= x1; u++) {
      float px = ((float)u + 0.5f - (float)x) / unit, py = ((float)y - (float)v - 0.5f) / unit, near = 1e9f;
      for (int k = 0; k < g->lines; k++) near = minf(near, distance(g->line[k], px, py));
      blend(canvas, u, v, colour, pen + 0.5f - near * unit);
    }
}

void render_draw_text(render_canvas *canvas, double x, double y, double size, const unsigned char colour[4],
                      const char *text)
{
  for (uint32_t code; (code = font_next(&text)) != 0;) {
    glyph g = read_glyph(code);
    draw_glyph(canvas, &g, x, y, size, colour);
    x += (g.width + gap) * size / 10;
  }
}

double render_text_width(double size, const char *text)
{
  double width = 0;
  for (uint32_t code; (code = font_next(&text)) != 0;) width += (read_glyph(code).width + gap) * size / 10;
  return width > 0 ? width - gap * size / 10 : 0;
}

void render_draw_panel(render_canvas *canvas, double x, double y, double width, double height, double corner,
                       const unsigned char colour[4])
{
  for (int v = (int)floor(y) - 1; v <= (int)ceil(y + height); v++)
    for (int u = (int)floor(x) - 1; u <= (int)ceil(x + width); u++) {
      double dx = fabs(u + 0.5 - x - width / 2) - width / 2 + corner,
             dy = fabs(v + 0.5 - y - height / 2) - height / 2 + corner;
      double outside = hypot(fmax(dx, 0), fmax(dy, 0)) + fmin(fmax(dx, dy), 0) - corner;
      blend(canvas, u, v, colour, (float)(0.5 - outside));
    }
}
