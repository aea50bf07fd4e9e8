/* Files of the figures: NAME.dat with the curves, NAME.gp that draws them, NAME.svg and NAME.png by gnuplot. */
#include "validate.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int validate_plot_prepare(const char *directory)
{
  int code = tool_folder_make(directory);
  if (code != TOOL_OK) return code;
  if (access(directory, W_OK | X_OK) != 0)
    return tool_error("%s: cannot write: %s", directory, strerror(errno)), TOOL_IO;
  return TOOL_OK;
}

/* One block per curve that has points, two blank lines between: gnuplot's index k is the k-th of them. */
static int write_data(const char *directory, const validate_figure *figure, const validate_results *r)
{
  tool_file file;
  int code = tool_file_open_in(directory, figure->name, ".dat", &file);
  if (code != TOOL_OK) return code;
  for (int k = 0; k < r->curves; k++) {
    const validate_curve *c = &r->curve[k];
    if (strcmp(c->figure, figure->name) != 0 || c->points == 0) continue;
    fprintf(file.stream, "# %s %s\n", c->model < 0 ? "reference" : skein_rod_model_name((skein_rod_model)c->model),
            c->label);
    for (int p = 0; p < c->points; p++) fprintf(file.stream, "%.10g %.10g\n", c->xy[2 * p], c->xy[2 * p + 1]);
    fputs("\n\n", file.stream);
  }
  return tool_file_commit(&file);
}

/* The same picture twice, as SVG and as PNG. */
static int write_script(const char *directory, const validate_figure *figure, const validate_results *r)
{
  tool_file file;
  int code = tool_file_open_in(directory, figure->name, ".gp", &file);
  if (code != TOOL_OK) return code;
  FILE *out = file.stream;
  fprintf(out,
          "# gnuplot %s.gp\nset encoding utf8\n"
          "set border 3 lc rgb '#444444'\nset tics nomirror textcolor rgb '#222222'\n"
          "set grid lt 1 lw 0.6 lc rgb '#e4e4e4'\nset key spacing 1.25 samplen 2.5\n"
          "do for [pass = 1:2] {\n"
          "if (pass == 1) { set terminal svg size %d,%d dynamic font 'sans-serif,13' background 'white'\n"
          "set output '%s.svg' } else { set terminal pngcairo size %d,%d font 'sans-serif,11' background 'white'\n"
          "set output '%s.png' }\n",
          figure->name, figure->width, figure->height, figure->name, figure->width, figure->height, figure->name);
  figure->write(out, r, figure);
  fputs("}\nunset output\n", out);
  return tool_file_commit(&file);
}

static bool has_curves(const validate_results *r, const char *figure)
{
  for (int k = 0; k < r->curves; k++)
    if (!strcmp(r->curve[k].figure, figure) && r->curve[k].points > 0 && r->curve[k].model >= 0) return true;
  return false;
}

int validate_plot(const char *directory, const validate_results *r)
{
  int code = TOOL_OK, drawn = 0;
  for (int k = 0; k < VALIDATE_FIGURES && drawn == 0; k++) {
    const validate_figure *figure = &validate_figures[k];
    if (!has_curves(r, figure->name)) continue;
    code = write_data(directory, figure, r);
    if (code == TOOL_OK) code = write_script(directory, figure, r);
    if (code != TOOL_OK) return code;
    char script[64];
    snprintf(script, sizeof script, "%s.gp", figure->name);
    drawn = tool_gnuplot(&(tool_gnuplot_def){.folder = directory, .script = script});
  }
  return tool_gnuplot_report(directory, drawn);
}
