/* Legends and titles: a panel with a colour bar and numbers, or with named swatches. */
#include "inside.h"

#include <string.h>

enum { MOST_ENTRIES = 12, BAR_STEPS = 96 };
static const double margin = 18, pad = 13, letter = 10.5, row = 23; /* pixels of a picture of 720 rows */

static void ink_of(bool dark, unsigned char ink[4], unsigned char panel[4])
{
  const unsigned char light[2][4] = {{34, 38, 44, 255}, {255, 255, 255, 190}};
  const unsigned char night[2][4] = {{236, 238, 241, 255}, {22, 24, 28, 190}};
  memcpy(ink, dark ? night[0] : light[0], 4);
  memcpy(panel, dark ? night[1] : light[1], 4);
}

static void display_colour(const float linear[3], unsigned char bytes[4])
{
  float pixel[4] = {linear[0], linear[1], linear[2], 1};
  render_bytes(pixel, 1, 1, bytes);
}

static void full_title(const render_legend *legend, char *text, size_t size)
{
  bool has_unit = legend->unit && legend->unit[0];
  snprintf(text, size, "%s%s%s", legend->title ? legend->title : "", has_unit ? "  " : "",
           has_unit ? legend->unit : "");
}

static void draw_entries(render_canvas *canvas, const render_legend *legend, double scale, bool dark)
{
  unsigned char ink[4], panel[4], swatch[4];
  char title[128], more[64];
  int shown = legend->entries > MOST_ENTRIES ? MOST_ENTRIES - 1 : legend->entries;
  int rows = shown + (shown < legend->entries);
  ink_of(dark, ink, panel);
  full_title(legend, title, sizeof title);
  snprintf(more, sizeof more, "and %d more", legend->entries - shown);
  double size = letter * scale, box = 15 * scale, wide = render_text_width(size, title);
  for (int k = 0; k < shown; k++) wide = fmax(wide, box * 1.7 + render_text_width(size, legend->name[k]));
  if (rows > shown) wide = fmax(wide, box * 1.7 + render_text_width(size, more));
  double height = (2 * pad + rows * row + 18) * scale, x = margin * scale, y = canvas->height - margin * scale - height;
  render_draw_panel(canvas, x, y, wide + 2 * pad * scale, height, 8 * scale, panel);
  x += pad * scale, y += pad * scale + size;
  render_draw_text(canvas, x, y, size, ink, title);
  for (int k = 0; k < rows; k++) {
    y += row * scale;
    if (k < shown) display_colour(legend->colour[k], swatch);
    if (k < shown) render_draw_panel(canvas, x, y - size / 2 - box / 2, box, box, 3.5 * scale, swatch);
    render_draw_text(canvas, x + box * 1.7, y, size, ink, k < shown ? legend->name[k] : more);
  }
}

/* Colour at t of 0 .. 1 of the scale. */
static void scale_colour(const render_legend *legend, double t, float colour[3])
{
  double at = t * (legend->stops - 1);
  int k = (int)at < legend->stops - 1 ? (int)at : legend->stops - 2;
  for (int j = 0; j < 3; j++)
    colour[j] = legend->colour[k][j] + (float)(at - k) * (legend->colour[k + 1][j] - legend->colour[k][j]);
}

static void draw_bar(render_canvas *canvas, const render_legend *legend, double x, double y, double wide, double high)
{
  for (int k = 0; k < BAR_STEPS; k++) {
    float colour[3];
    unsigned char bytes[4];
    scale_colour(legend, (k + 0.5) / BAR_STEPS, colour);
    display_colour(colour, bytes);
    double from = round(x + wide * k / BAR_STEPS), to = round(x + wide * (k + 1) / BAR_STEPS);
    if (to > from) render_draw_panel(canvas, from, round(y), to - from, round(high), 0, bytes);
  }
}

static void draw_scale(render_canvas *canvas, const render_legend *legend, double scale, bool dark)
{
  unsigned char ink[4], panel[4];
  char title[128], number[3][32];
  ink_of(dark, ink, panel);
  full_title(legend, title, sizeof title);
  double size = letter * scale, wide = 210 * scale, high = 12 * scale;
  double height = (2 * pad + 58) * scale, x = margin * scale, y = canvas->height - margin * scale - height;
  render_draw_panel(canvas, x, y, wide + 2 * pad * scale, height, 8 * scale, panel);
  x += pad * scale, y += pad * scale;
  render_draw_text(canvas, x, y + size, size, ink, title);
  draw_bar(canvas, legend, x, y + size + 11 * scale, wide, high);
  for (int k = 0; k < 3; k++) {
    double value = legend->lo + (legend->hi - legend->lo) * k / 2;
    if (fabs(value) < 1e-12 * fmax(fabs(legend->lo), fabs(legend->hi))) value = 0;
    snprintf(number[k], sizeof number[k], "%.3g", value);
    double shift = render_text_width(size * 0.92, number[k]) * k / 2;
    render_draw_text(canvas, x + wide * k / 2 - shift, y + height - (2 * pad - 2) * scale, size * 0.92, ink, number[k]);
  }
}

void render_draw_legend(render_canvas *canvas, const render_legend *legend, double scale, bool dark)
{
  if (legend->entries > 0) draw_entries(canvas, legend, scale, dark);
  else if (legend->stops > 1) draw_scale(canvas, legend, scale, dark);
}

/* Where the line that begins at text must end to fit, words kept together where they can. */
static size_t line_length(const char *text, double size, double wide)
{
  char part[512];
  size_t best = 0, length = strlen(text);
  for (size_t n = 1; n <= length && n < sizeof part; n++) {
    if (text[n] != ' ' && text[n] != 0) continue;
    memcpy(part, text, n);
    part[n] = 0;
    if (render_text_width(size, part) > wide) break;
    best = n;
  }
  return best > 0 ? best : length < sizeof part - 1 ? length : sizeof part - 1;
}

void render_draw_title(render_canvas *canvas, const char *title, double scale, bool dark)
{
  unsigned char ink[4], panel[4];
  char line[512];
  double size = 13.5 * scale, y = margin * scale + size, wide = canvas->width - 2 * margin * scale;
  ink_of(dark, ink, panel);
  while (*title == ' ') title++;
  for (; *title && y < canvas->height; y += 2 * size) {
    size_t n = line_length(title, size, wide);
    memcpy(line, title, n);
    line[n] = 0;
    render_draw_text(canvas, margin * scale, y, size, ink, line);
    for (title += n; *title == ' ';) title++;
  }
}
