/* Plots of the page: lines, dashes and dots over linear or logarithmic axes, drawn by gnuplot as SVG that stands in the
 * page itself. */
#include "reproduce.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- The script ---- */

/* In single quotes, as gnuplot reads them. */
static void put_quoted(FILE *out, const char *text)
{
  fputc('\'', out);
  for (; *text; text++) fputs(*text == '\'' ? "''" : (char[2]){*text}, out);
  fputc('\'', out);
}

static void put_setting(FILE *out, const char *setting, const char *text)
{
  fprintf(out, "set %s ", setting);
  put_quoted(out, text);
  fputc('\n', out);
}

/* $d0, $d1, ...: what the axes can show. */
static void put_series(FILE *out, const reproduce_plot *p)
{
  for (int k = 0; k < p->count; k++) {
    const reproduce_series *s = &p->series[k];
    fprintf(out, "$d%d << END\n", k);
    for (int i = 0; i < s->count; i++)
      if (!(p->log_x && s->x[i] <= 0) && !(p->log_y && s->y[i] <= 0)) fprintf(out, "%.9g %.9g\n", s->x[i], s->y[i]);
    fputs("END\n", out);
  }
}

static void put_script(FILE *out, const reproduce_plot *p)
{
  static const char *const colours[] = {"#1769aa", "#d1495b", "#3b8f5a", "#b9770e", "#7d3c98",
                                        "#2e86a0", "#8c8c8c", "#222222", "#a04000", "#5d6d7e"};
  static const char *const marks[] = {[REPRODUCE_LINE] = "lines lw 1.8",
                                      [REPRODUCE_DASHES] = "lines lw 1.8 dt (6,4)",
                                      [REPRODUCE_DOTS] = "points pt 7 ps 0.45"};
  fprintf(
      out,
      "set terminal svg size 640,%d noenhanced dynamic font 'sans-serif,12' background 'white'\nset encoding utf8\n",
      350 + 18 * ((p->count + 2) / 3));
  put_setting(out, "title", p->title), put_setting(out, "xlabel", p->x_label), put_setting(out, "ylabel", p->y_label);
  fputs("set border lc rgb '#888888'\nset tics nomirror\nset grid lc rgb '#dddddd' lt 1 lw 0.6\nset key below maxcols "
        "3\n",
        out);
  if (p->log_x) fputs("set logscale x\nset format x '10^{%T}' enhanced\n", out);
  if (p->log_y) fputs("set logscale y\nset format y '10^{%T}' enhanced\n", out);
  if (p->y_from < p->y_to) fprintf(out, "set yrange [%.9g:%.9g]\n", p->y_from, p->y_to);
  if (p->equal) fputs("set size ratio -1\n", out);
  if (isfinite(p->line_x))
    fprintf(out, "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead dt 3 lc rgb '#555555'\n", p->line_x,
            p->line_x);
  put_series(out, p);
  for (int k = 0; k < p->count; k++) {
    fprintf(out, "%s $d%d using 1:2 with %s lc rgb '%s' title ", k ? ", \\\n " : "plot", k, marks[p->series[k].mark],
            colours[(size_t)k % (sizeof colours / sizeof *colours)]);
    put_quoted(out, p->series[k].name);
  }
  fputc('\n', out);
}

/* ---- The picture ---- */

/* From the first "<svg" on: what stands before is for files of their own. */
static bool copy_svg(FILE *from, FILE *out)
{
  char line[4096];
  bool begun = false;
  rewind(from);
  while (fgets(line, sizeof line, from)) {
    const char *start = begun ? line : strstr(line, "<svg");
    if (start) begun = true, fputs(start, out);
  }
  return begun;
}

void reproduce_plot_end(reproduce_plot *p, FILE *out)
{
  FILE *script = tmpfile(), *picture = tmpfile();
  int drawn = -1, points = 0;
  for (int k = 0; k < p->count; k++) points += p->series[k].count;
  if (script && picture && points > 0) {
    put_script(script, p);
    fflush(script);
    drawn = tool_gnuplot(&(tool_gnuplot_def){.in = script, .out = picture, .quiet = true});
  }
  fputs("<figure>", out);
  if (drawn != 0 || !copy_svg(picture, out)) {
    fputs("<figcaption>", out);
    reproduce_escape(out, p->title);
    fprintf(out, ": not drawn, %s</figcaption>",
            points == 0    ? "it has no points"
            : drawn == 127 ? "gnuplot is not installed"
                           : "gnuplot failed");
  }
  fputs("</figure>\n", out);
  if (script) fclose(script);
  if (picture) fclose(picture);
  for (int k = 0; k < p->count; k++) free(p->series[k].x), free(p->series[k].y);
  p->count = 0;
}
