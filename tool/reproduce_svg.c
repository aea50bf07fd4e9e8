/* Plots as inline SVG: lines, dashes and dots over linear or logarithmic axes, with a legend. Colours are classes that
 * the page defines for light and dark. */
#include "reproduce.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { WIDTH = 640, HEIGHT = 340, LEFT = 70, RIGHT = 16, TOP = 30, BOTTOM = 46, LEGEND_LINE = 16, TICKS = 40 };

reproduce_plot reproduce_plot_make(const char *title, const char *x_label, const char *y_label)
{
  return (reproduce_plot){.title = title, .x_label = x_label, .y_label = y_label, .line_x = NAN};
}

int reproduce_plot_series(reproduce_plot *p, reproduce_mark mark, const char *format, ...)
{
  va_list args;
  if (p->count >= REPRODUCE_SERIES) return -1;
  reproduce_series *s = &p->series[p->count];
  *s = (reproduce_series){.mark = mark};
  va_start(args, format);
  vsnprintf(s->name, sizeof s->name, format, args);
  va_end(args);
  return p->count++;
}

void reproduce_plot_add(reproduce_plot *p, int series, double x, double y)
{
  if (series < 0 || !isfinite(x) || !isfinite(y)) return;
  reproduce_series *s = &p->series[series];
  if (s->count == s->room) {
    int room = s->room ? 2 * s->room : 64;
    double *grown_x = realloc(s->x, (size_t)room * sizeof *s->x);
    if (grown_x) s->x = grown_x;
    double *grown_y = realloc(s->y, (size_t)room * sizeof *s->y);
    if (grown_y) s->y = grown_y;
    if (!grown_x || !grown_y) return;
    s->room = room;
  }
  s->x[s->count] = x, s->y[s->count++] = y;
}

/* ---- Axes ---- */

typedef struct axis {
  double lo, hi; /* in decades when log */
  bool log;
  double from, to; /* pixels */
} axis;

static double scaled(const axis *a, double v)
{
  return a->log ? log10(v) : v;
}

static double place(const axis *a, double v)
{
  return a->from + (scaled(a, v) - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

/* A round number near the sixth part of the range: 1, 2 or 5 times a power of ten. */
static double round_step(double range)
{
  double raw = range / 6, ten = pow(10, floor(log10(raw))), m = raw / ten;
  return (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * ten;
}

/* A little air around the numbers; whole decades on logarithmic axes. */
static void finish_axis(axis *a)
{
  if (!(a->lo <= a->hi)) a->lo = 0, a->hi = 1;
  if (a->log) {
    a->lo = floor(a->lo + 1e-9), a->hi = ceil(a->hi - 1e-9);
    if (a->hi <= a->lo) a->hi = a->lo + 1;
    return;
  }
  double range = a->hi - a->lo;
  if (range <= 1e-12 * fmax(fabs(a->lo), fabs(a->hi)) || range <= 0) {
    double air = a->lo != 0 ? 0.1 * fabs(a->lo) : 1;
    a->lo -= air, a->hi += air, range = 2 * air;
  }
  double step = round_step(range);
  a->lo = step * floor(a->lo / step + 1e-9), a->hi = step * ceil(a->hi / step - 1e-9);
}

static axis make_axis(const reproduce_plot *p, bool y)
{
  axis a = {.lo = HUGE_VAL, .hi = -HUGE_VAL, .log = y ? p->log_y : p->log_x};
  a.from = y ? HEIGHT - BOTTOM : LEFT, a.to = y ? TOP : WIDTH - RIGHT;
  for (int k = 0; k < p->count; k++)
    for (int i = 0; i < p->series[k].count; i++) {
      double v = y ? p->series[k].y[i] : p->series[k].x[i];
      if (a.log && v <= 0) continue;
      a.lo = fmin(a.lo, scaled(&a, v)), a.hi = fmax(a.hi, scaled(&a, v));
    }
  if (y && p->y_from < p->y_to) a.lo = scaled(&a, p->y_from), a.hi = scaled(&a, p->y_to);
  finish_axis(&a);
  return a;
}

/* Widens the axis with more pixels per unit until both have as many. */
static void make_equal(axis *x, axis *y)
{
  double per_x = (x->to - x->from) / (x->hi - x->lo), per_y = (y->from - y->to) / (y->hi - y->lo);
  axis *wide = per_x > per_y ? x : y;
  double range = (wide->hi - wide->lo) * fmax(per_x, per_y) / fmin(per_x, per_y), middle = 0.5 * (wide->lo + wide->hi);
  wide->lo = middle - 0.5 * range, wide->hi = middle + 0.5 * range;
}

static int find_ticks(const axis *a, double tick[TICKS])
{
  int count = 0;
  double step = a->log ? fmax(1, ceil((a->hi - a->lo) / 8)) : round_step(a->hi - a->lo);
  for (double v = step * ceil(a->lo / step - 1e-9); v <= a->hi + 1e-9 * step && count < TICKS; v += step)
    tick[count++] = fabs(v) < 1e-9 * step ? 0 : v;
  return count;
}

static void write_tick(const axis *a, double v, char text[32])
{
  if (a->log && (v < -3 || v > 3)) snprintf(text, 32, "1e%+.0f", v);
  else snprintf(text, 32, "%.6g", a->log ? pow(10, v) : v);
}

static void draw_axes(FILE *out, const reproduce_plot *p, const axis *x, const axis *y)
{
  double tick[TICKS];
  char text[32];
  int count = find_ticks(x, tick);
  for (int k = 0; k < count; k++) {
    double at = x->from + (tick[k] - x->lo) / (x->hi - x->lo) * (x->to - x->from);
    write_tick(x, tick[k], text);
    fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", at, at, y->from, y->to);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", at, y->from + 16, text);
  }
  count = find_ticks(y, tick);
  for (int k = 0; k < count; k++) {
    double at = y->from + (tick[k] - y->lo) / (y->hi - y->lo) * (y->to - y->from);
    write_tick(y, tick[k], text);
    fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x->from, x->to, at, at);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", x->from - 6, at + 4, text);
  }
  fprintf(out, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x->from, y->to,
          x->to - x->from, y->from - y->to);
  fprintf(out, "<text class=\"label\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", 0.5 * (x->from + x->to),
          HEIGHT - 8);
  reproduce_escape(out, p->x_label);
  fprintf(out, "</text><text class=\"label\" transform=\"translate(14 %.1f) rotate(-90)\" text-anchor=\"middle\">",
          0.5 * (y->from + y->to));
  reproduce_escape(out, p->y_label);
  fprintf(out, "</text><text class=\"title\" x=\"%.1f\" y=\"18\">", x->from);
  reproduce_escape(out, p->title);
  fputs("</text>\n", out);
}

/* ---- Series ---- */

/* Points closer than this to the last one are left out: a thousandth of the picture. */
static const double apart = 0.6;

static bool visible(const axis *x, const axis *y, double px, double py)
{
  return px >= x->from - 0.5 && px <= x->to + 0.5 && py <= y->from + 0.5 && py >= y->to - 0.5;
}

static void draw_dots(FILE *out, const reproduce_series *s, int k, const axis *x, const axis *y)
{
  for (int i = 0; i < s->count; i++) {
    if ((x->log && s->x[i] <= 0) || (y->log && s->y[i] <= 0)) continue;
    double px = place(x, s->x[i]), py = place(y, s->y[i]);
    if (visible(x, y, px, py)) fprintf(out, "<circle class=\"dot c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\"/>", k, px, py);
  }
  fputc('\n', out);
}

static void draw_line(FILE *out, const reproduce_series *s, int k, const axis *x, const axis *y)
{
  double last_x = -1e9, last_y = -1e9;
  bool open = false;
  fprintf(out, "<path class=\"line c%d%s\" d=\"", k, s->mark == REPRODUCE_DASHES ? " dashed" : "");
  for (int i = 0; i < s->count; i++) {
    if ((x->log && s->x[i] <= 0) || (y->log && s->y[i] <= 0)) continue;
    double px = place(x, s->x[i]), py = place(y, s->y[i]);
    bool seen = visible(x, y, px, py);
    if (seen && open && hypot(px - last_x, py - last_y) < apart && i + 1 < s->count) continue;
    if (seen) fprintf(out, "%s%.1f %.1f", open ? "L" : "M", px, py), last_x = px, last_y = py;
    open = seen;
  }
  fputs("\"/>\n", out);
}

static void draw_legend(FILE *out, const reproduce_plot *p)
{
  int columns = 3;
  for (int k = 0; k < p->count; k++) {
    double at_x = LEFT + (k % columns) * (WIDTH - LEFT - RIGHT) / (double)columns;
    double at_y = HEIGHT + 10 + (k / columns) * (double)LEGEND_LINE;
    if (p->series[k].mark == REPRODUCE_DOTS)
      fprintf(out, "<circle class=\"dot c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\"/>", k, at_x + 10, at_y - 4);
    else
      fprintf(out, "<line class=\"line c%d%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", k,
              p->series[k].mark == REPRODUCE_DASHES ? " dashed" : "", at_x, at_x + 20, at_y - 4, at_y - 4);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", at_x + 26, at_y);
    reproduce_escape(out, p->series[k].name);
    fputs("</text>\n", out);
  }
}

void reproduce_plot_end(reproduce_plot *p, FILE *out)
{
  axis x = make_axis(p, false), y = make_axis(p, true);
  int height = HEIGHT + LEGEND_LINE * ((p->count + 2) / 3);
  if (p->equal) make_equal(&x, &y);
  fprintf(out, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, height);
  reproduce_escape(out, p->title);
  fputs("\">\n", out);
  draw_axes(out, p, &x, &y);
  if (isfinite(p->line_x) && scaled(&x, p->line_x) > x.lo && scaled(&x, p->line_x) < x.hi)
    fprintf(out, "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", place(&x, p->line_x),
            place(&x, p->line_x), y.from, y.to);
  for (int k = 0; k < p->count; k++) {
    if (p->series[k].mark == REPRODUCE_DOTS) draw_dots(out, &p->series[k], k, &x, &y);
    else draw_line(out, &p->series[k], k, &x, &y);
    free(p->series[k].x);
    free(p->series[k].y);
  }
  draw_legend(out, p);
  fputs("</svg></figure>\n", out);
  p->count = 0;
}
