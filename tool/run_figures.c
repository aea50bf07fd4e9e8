/* Figures over time from a file of numbers: scripts of gnuplot, drawn as SVG and PNG. */
#include "run.h"

#include <string.h>

/* A text in the single quotes of gnuplot, cut where it is long (and not within a character of UTF-8). */
static void write_quoted(FILE *out, const char *text)
{
  size_t length = strlen(text), most = 110;
  bool cut = length > most;
  if (cut) length = most;
  while (cut && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
  fputc('\'', out);
  for (size_t k = 0; k < length; k++) {
    if (text[k] == '\'') fputc('\'', out);
    fputc((unsigned char)text[k] < ' ' ? ' ' : text[k], out);
  }
  fputs(cut ? " ...'" : "'", out);
}

/* The same picture twice, as SVG and as PNG, each from a clean slate. */
static void write_script(FILE *out, const run_figure *f, const char *data, const char *title)
{
  fprintf(out, "# gnuplot %s.gp\ndo for [pass = 1:2] {\nreset\nset encoding utf8\n", f->name);
  fprintf(out,
          "if (pass == 1) { set terminal svg size %d,%d dynamic font 'sans-serif,13' background 'white'\n"
          "set output '%s.svg' } else { set terminal pngcairo size %d,%d font 'sans-serif,11' background 'white'\n"
          "set output '%s.png' }\n",
          f->width, f->height, f->name, f->width, f->height, f->name);
  fprintf(out, "D = '%s.dat'\n", data);
  fputs("set datafile missing '?'\nset border 3 lc rgb '#555555'\n"
        "set tics nomirror out textcolor rgb '#222222'\nset grid lt 1 lw 0.6 lc rgb '#e8e8e8'\n"
        "set style fill solid 1 noborder\nset xrange [0:*] noextend\n"
        "set key outside right center vertical Left reverse spacing 1.3 samplen 1.6\nset xlabel 'time (s)'\n",
        out);
  fprintf(out, "set tmargin at screen %g\nset lmargin at screen 0.1\n", 1 - 68.0 / f->height);
  fprintf(out, "set label 2 '%s' at screen 0.48, screen %g center font ',15'\nset label 1 ", f->title,
          1 - 24.0 / f->height);
  write_quoted(out, title);
  fprintf(out, " at screen 0.48, screen %g center font ',10' textcolor rgb '#666666' noenhanced\n",
          1 - 50.0 / f->height);
  fprintf(out, "%s}\nunset output\n", f->commands);
}

/* gnuplot on every script, one at a time: settings of one figure are not those of the next. It warns of empty curves.
 */
static int draw(const char *folder, const run_figure *figures, int count)
{
  int drawn = 0;
  char script[32];
  for (int k = 0; k < count && drawn == 0; k++) {
    snprintf(script, sizeof script, "%s.gp", figures[k].name);
    drawn = tool_gnuplot(&(tool_gnuplot_def){.folder = folder, .script = script, .quiet = true});
  }
  return drawn;
}

int run_draw(const char *folder, const char *data, const char *title, const run_figure *figures, int count)
{
  tool_file file;
  int code = TOOL_OK;
  for (int k = 0; k < count && code == TOOL_OK; k++) {
    code = tool_file_open_in(folder, figures[k].name, ".gp", &file);
    if (code != TOOL_OK) break;
    write_script(file.stream, &figures[k], data, title);
    code = tool_file_commit(&file);
  }
  if (code != TOOL_OK) return code;
  return tool_gnuplot_report(folder, draw(folder, figures, count));
}
