/* The figures of `skein validate --plot`, as gnuplot commands: one function each. */
#include "validate.h"

#include <math.h>
#include <string.h>

static const char *const colours[] = {"#d62728", "#7f7f7f", "#1f77b4", "#17becf", "#2ca02c", "#98a01e"};

static const int marks[] = {7, 4, 6, 8, 1, 2};
static const double widths[] = {3.6, 2.8, 2.1, 1.7, 1.2, 0.9};
static const char *const beside = "set key at screen 0.985,0.92 right top Left reverse\n";

const char *validate_colour(int model)
{
  return colours[model % 6];
}

/* ---- What the figures share ---- */

typedef struct pen {
  FILE *out;
  const validate_results *results;
  const validate_figure *figure;
  int lines; /* of the plot command so far */
} pen;

static const char *model_of(int model)
{
  return skein_rod_model_name((skein_rod_model)model);
}

/* Walks the curves of the figure: the next one of `model` (-2: any) with the label (NULL: any) from *k on, its block in
 * the data file in *block; NULL: no more. Begin with *k = *block = -1. */
static const validate_curve *next_curve(const pen *p, int model, const char *label, int *k, int *block)
{
  const validate_results *r = p->results;
  for (++*k; *k < r->curves; ++*k) {
    const validate_curve *c = &r->curve[*k];
    if (strcmp(c->figure, p->figure->name) != 0 || c->points == 0) continue;
    ++*block;
    if ((model == -2 || c->model == model) && (!label || !strcmp(c->label, label))) return c;
  }
  return NULL;
}

/* The block of the only such curve, -1: none. */
static int find_block(const pen *p, int model, const char *label)
{
  int k = -1, block = -1;
  return next_curve(p, model, label, &k, &block) ? block : -1;
}

/* One more line of the plot command; style: what follows the data. */
static void add_line(pen *p, int block, const char *columns, const char *style)
{
  fprintf(p->out, "%s'%s.dat' index %d using %s with %s", p->lines++ ? ", \\\n  " : "plot ", p->figure->name, block,
          columns, style);
}

/* A line in the colour of its model, named once. */
static void add_model(pen *p, int block, const char *columns, int model, const char *style, bool named)
{
  char text[256];
  snprintf(text, sizeof text, "%s lc rgb '%s' %s%s%s", style, validate_colour(model), named ? "title '" : "notitle",
           named ? model_of(model) : "", named ? "'" : "");
  add_line(p, block, columns, text);
}

static void end_plot(pen *p)
{
  fputc('\n', p->out);
  p->lines = 0;
}

/* Curves of all models with this label: wide lines and large markers first, so that equal ones are all seen. */
static void add_models(pen *p, const char *label, const char *columns, bool named)
{
  char style[64];
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) {
    int block = find_block(p, m, label);
    snprintf(style, sizeof style, "linespoints lw %.1f pt %d ps %.1f", widths[m], marks[m], 1.15 - 0.12 * m);
    if (block >= 0) add_model(p, block, columns, m, style, named);
  }
}

/* ---- Cantilever ---- */

static void write_cantilever(FILE *out, const validate_results *r, const validate_figure *f)
{
  pen p = {out, r, f, 0};
  fputs(
      "set multiplot\nset logscale xy\nset xrange [0.07:1500]\nset lmargin at screen 0.1\nset rmargin at screen 0.76\n"
      "set tmargin at screen 0.95\nset bmargin at screen 0.45\nset format x ''\nset format y '10^{%T}'\n"
      "set ylabel 'H / W'\nset yrange [0.006:60]\nunset xlabel\nset key at screen 0.985,0.95 right top Left reverse\n",
      out);
  add_models(&p, "drop", "1:2", true);
  add_line(&p, find_block(&p, -1, ""), "1:2", "points pt 6 ps 1.8 lw 1.8 lc rgb 'black' title 'reference'");
  end_plot(&p);
  fputs("set tmargin at screen 0.42\nset bmargin at screen 0.12\nset format x '%g'\nset autoscale y\nunset key\n"
        "set xlabel 'Γ = ρSgL^3 / EI'\nset ylabel 'relative error'\nset yrange [3e-5:0.2]\n"
        "set arrow 1 from 0.07,0.01 to 1500,0.01 nohead dt 2 lc rgb 'black'\n"
        "set label 1 '1 %' at 0.08,0.017\n",
        out);
  add_models(&p, "error", "1:2", false);
  end_plot(&p);
  fputs("unset arrow\nunset label\nunset multiplot\nset key default\n", out);
}

static void write_profiles(FILE *out, const validate_results *r, const validate_figure *f)
{
  static const char *const ramp[] = {"#fdbe85", "#fd8d3c", "#e6550d", "#a63603", "#8856a7",
                                     "#6a51a3", "#3182bd", "#08519c", "#08306b"};
  pen p = {out, r, f, 0};
  int k = -1, block = -1, first = SKEIN_ROD_MODEL_COUNT, n = 0;
  char style[160];
  for (int m = SKEIN_ROD_MODEL_COUNT - 1; m >= 0; m--)
    if (find_block(&p, m, NULL) >= 0) first = m;
  fputs("set size ratio -1\nset xrange [-0.02:1.05]\nset yrange [-1.02:0.06]\nset xlabel 'x / L'\nset ylabel 'z / L'\n"
        "set key outside right top Left reverse\n",
        out);
  fprintf(out, "set key title 'lines: %s, Γ ='\n", first < SKEIN_ROD_MODEL_COUNT ? model_of(first) : "");
  for (const validate_curve *c; (c = next_curve(&p, first, NULL, &k, &block)); n++) {
    snprintf(style, sizeof style, "lines lw 2.2 lc rgb '%s' title '%s'", ramp[n % 9], c->label);
    add_line(&p, block, "1:2", style);
  }
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) {
    bool named = true;
    for (k = block = -1; m != first && next_curve(&p, m, NULL, &k, &block); named = false) {
      snprintf(style, sizeof style, "points pt %d ps 0.9", marks[m]);
      add_model(&p, block, "($1):($2):(1) every 8::4", m, style, named);
    }
  }
  end_plot(&p);
  fputs("set size noratio\nset key default\n", out);
}

/* Twice the largest error times N^2: a line of slope -2 above all curves. */
static double guide(const pen *p, const char *label)
{
  int k = -1, block = -1;
  double largest = 1e-30;
  for (const validate_curve *c; (c = next_curve(p, -2, label, &k, &block));)
    largest = fmax(largest, c->xy[1] * c->xy[0] * c->xy[0]);
  return 2 * largest;
}

/* Error against N, with the slope of second order. */
static void write_order(FILE *out, const validate_results *r, const validate_figure *f)
{
  static const char *const gammas[] = {"0.1", "1", "5", "10"};
  pen p = {out, r, f, 0};
  fputs("set multiplot layout 2,2 margins 0.09,0.78,0.1,0.93 spacing 0.08,0.12\nset logscale xy 2\n"
        "set logscale y 10\nset xrange [6.5:160]\nset xtics (8,16,32,64,128)\nset format y "
        "'10^{%T}'\n"
        "set key at screen 0.985,0.93 right top Left reverse\n",
        out);
  for (int g = 0; g < 4; g++) {
    fprintf(out, "set title 'Γ = %s' offset 0,-0.6\nset %s\nset %s\n", gammas[g],
            g >= 2 ? "xlabel 'elements N'" : "xlabel ''", g % 2 ? "ylabel ''" : "ylabel 'error of the tip / L'");
    add_models(&p, gammas[g], "1:2", g == 0);
    fprintf(out, "%s%g*x**-2 with lines dt 2 lw 1.4 lc rgb 'black' %s", p.lines ? ", " : "plot ", guide(&p, gammas[g]),
            g == 0 ? "title 'slope -2'" : "notitle");
    end_plot(&p);
  }
  fputs("unset multiplot\nunset title\nunset logscale\nset xtics auto\nset key default\n", out);
}

/* ---- Helix and bend-twist ---- */

/* One model in the wedge; the legend is that of the first panel. */
static void add_wedge(pen *p, int model, bool named)
{
  static const struct {
    const char *label, *style;
  } marks_of[] = {
      {"planar", "points pt 6 ps 1.1 lw 1.6"}, {"3D", "points pt 7 ps 1.1"}, {"edge found", "points pt 2 ps 1 lw 1.6"}};
  char style[160];
  add_line(p, find_block(p, -1, "wedge"), "1:2", "filledcurves closed lc rgb '#f1ede0' notitle");
  add_line(p, find_block(p, -1, "lower edge"), "1:2",
           named ? "lines lw 1.6 lc rgb 'black' title 'reference edges'" : "lines lw 1.6 lc rgb 'black' notitle");
  add_line(p, find_block(p, -1, "upper edge"), "1:2", "lines lw 1.6 lc rgb 'black' notitle");
  for (int k = 0; k < 3; k++) {
    int block = find_block(p, model, marks_of[k].label);
    snprintf(style, sizeof style, "%s lc rgb '%s' %s%s%s", marks_of[k].style, k == 2 ? "black" : validate_colour(model),
             named ? "title '" : "notitle", named ? marks_of[k].label : "", named ? "'" : "");
    if (block >= 0) add_line(p, block, "1:2", style);
  }
  end_plot(p);
}

/* Wedge in the plane of natural curvature and weight: a panel per model. */
static void write_bend_twist(FILE *out, const validate_results *r, const validate_figure *f)
{
  pen p = {out, r, f, 0};
  int panels = 0, panel = 0;
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) panels += find_block(&p, m, NULL) >= 0;
  fprintf(out,
          "set multiplot layout 1,%d margins 0.065,0.83,0.15,0.91 spacing 0.05,0.1\nset logscale y\n"
          "set xrange [4.5:21.5]\nset yrange [9:800]\nset ytics (10, 20, 50, 100, 200, 500)\nset xlabel 'κ_0 L'\n%s"
          "set label 1 '3D' at 11.3,80 center front\nset label 2 'planar' at 15,22 center\n"
          "set label 3 'planar' at 6.6,350 center\n",
          panels, beside);
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) {
    if (find_block(&p, m, NULL) < 0) continue;
    fprintf(out, "set title '%s' offset 0,-0.5\nset ylabel '%s'\n%s", model_of(m), panel ? "" : "Γ = ρSgL^3 / EI",
            panel ? "unset key\n" : "");
    add_wedge(&p, m, panel++ == 0);
  }
  fputs("unset multiplot\nunset title\nunset label\nunset logscale\nset ytics auto\nset key default\n", out);
}

static void write_helix(FILE *out, const validate_results *r, const validate_figure *f)
{
  pen p = {out, r, f, 0};
  int k = -1, block = -1, g = 0;
  static const char *const dashes[] = {"1", "1", "'-'", "'-'", "'.'", "'.'"};
  char style[64];
  fputs("set multiplot layout 1,3 margins 0.07,0.82,0.13,0.92 spacing 0.06,0.1\nset size ratio -1\n"
        "set xlabel 'y / L'\nset xrange [-0.42:0.1]\nset yrange [-0.62:0.06]\nset xtics 0.1\nset ytics 0.1\n",
        out);
  fputs(beside, out);
  for (const validate_curve *c; (c = next_curve(&p, -1, NULL, &k, &block)); g++) {
    fprintf(out, "set title '(κ_0L, τ_0L, Γ) = %s' offset 0,-0.5\nset ylabel '%s'\n%s", c->label, g ? "" : "z / L",
            g ? "unset key\n" : "");
    for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) {
      snprintf(style, sizeof style, "lines lw %d dt %s", m == 0 ? 4 : 2, dashes[m]);
      if (find_block(&p, m, c->label) >= 0) add_model(&p, find_block(&p, m, c->label), "1:2", m, style, g == 0);
    }
    add_line(&p, block, "1:2",
             g ? "points pt 6 ps 2 lw 2 lc rgb 'black' notitle"
               : "points pt 6 ps 2 lw 2 lc rgb 'black' title 'reference tip'");
    end_plot(&p);
  }
  fputs("unset multiplot\nunset title\nset size noratio\nset xtics auto\nset ytics auto\nset key default\n", out);
}

/* ---- Motion ---- */

static void write_release(FILE *out, const validate_results *r, const validate_figure *f)
{
  static const char *const dashes[] = {"1", "1", "'-'", "'_'", "'.'", "'-.'"};
  pen p = {out, r, f, 0};
  char style[64];
  fputs("set size ratio -1\nset xrange [-0.35:1.1]\nset yrange [-1.08:0.08]\nset xlabel 'x / L'\nset ylabel 'z / L'\n"
        "set key outside right top Left reverse\n",
        out);
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) {
    snprintf(style, sizeof style, "lines lw %g dt %s", m == 0 ? 3.5 : 2, dashes[m]);
    if (find_block(&p, m, "") >= 0) add_model(&p, find_block(&p, m, ""), "1:2", m, style, true);
  }
  add_line(&p, find_block(&p, -1, ""), "1:2", "points pt 6 ps 1.8 lw 2 lc rgb 'black' title 'reference'");
  for (int k = 0; k < 4; k++) { /* beside the curve */
    char columns[96];
    snprintf(columns, sizeof columns, "1:2:('t = 0.%d') every ::%d::%d", 2 * (k + 1), k, k);
    add_line(&p, find_block(&p, -1, ""), columns,
             k == 2 ? "labels offset 0,1.1 notitle" : "labels offset 3.4,-0.9 notitle");
  }
  end_plot(&p);
  fputs("set size noratio\nset key default\n", out);
}

/* Left: the super-helix for several steps. */
static void add_steps(pen *p)
{
  static const char *const ramp[] = {"#fdae61", "#d7301f", "#74a9cf", "#0570b0", "#252525", "#7f7f7f"};
  char style[160];
  int k = -1, block = -1, n = 0;
  fputs("set title 'super-helix'\n", p->out);
  for (const validate_curve *c; (c = next_curve(p, SKEIN_SUPER_HELIX, NULL, &k, &block)); n++) {
    const char *rest = strchr(c->label, '='); /* of "theta = ..." */
    snprintf(style, sizeof style, "lines lw 1.3 lc rgb '%s' title 'θ %s'", ramp[n % 6], rest ? rest : c->label);
    add_line(p, block, "1:(abs($2)+1e-12)", style);
  }
  end_plot(p);
}

/* Right: every model. */
static void write_energy(FILE *out, const validate_results *r, const validate_figure *f)
{
  pen p = {out, r, f, 0};
  bool steps = find_block(&p, SKEIN_SUPER_HELIX, NULL) >= 0;
  fprintf(out, "set multiplot layout 1,%d margins 0.09,0.985,0.32,0.92 spacing 0.1,0.1\n", steps ? 2 : 1);
  fputs("set logscale y\nset format y '10^{%T}'\nset xlabel 't / (ρSL^4/EI)^{1/2}'\n"
        "set ylabel '|E(t) - E(0)| / (ρSgL^2 / 2)'\nset xrange [0:18]\nset yrange [1e-8:1]\n"
        "set key at graph 0.5,-0.17 center top horizontal maxrows 3 Left reverse\n",
        out);
  if (steps) add_steps(&p);
  fputs("set title 'every model (see the table); dashed: θ = 1, dt = 0.001'\n", out);
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) {
    int half = find_block(&p, m, m == SKEIN_SUPER_HELIX ? "theta = 0.5, dt = 0.0005" : NULL);
    int one = find_block(&p, m, "theta = 1, dt = 0.001");
    if (half >= 0) add_model(&p, half, "1:(abs($2)+1e-12)", m, "lines lw 1.3", true);
    if (one >= 0) add_model(&p, one, "1:(abs($2)+1e-12)", m, "lines lw 1.3 dt 2", half < 0);
  }
  end_plot(&p);
  fputs("unset multiplot\nunset title\nunset logscale\nset key default\n", out);
}

static void write_frequencies(FILE *out, const validate_results *r, const validate_figure *f)
{
  pen p = {out, r, f, 0};
  char columns[64];
  int g = 0;
  fputs("set boxwidth 0.13\nset style fill solid 0.9 noborder\nset xrange [0.5:3.5]\nset yrange [-2.3:2.3]\n"
        "set xtics ('ω_1 = 3.516' 1, 'ω_2 = 22.03' 2, 'ω_3 = 61.70' 3)\nset ylabel 'error (%)'\nset xlabel 'frequency "
        "in units of (EI/ρSL^4)^{1/2}'\n"
        "set key outside right top Left reverse\nset xzeroaxis lt 1 lc rgb '#444444'\n",
        out);
  for (int k = 1; k <= 3; k++)
    for (int side = -1; side <= 1; side += 2) {
      double allowed = k == 1 ? 0.2 : k - 1;
      fprintf(out, "set arrow from %g,%g to %g,%g nohead dt 2 lc rgb 'black'\n", k - 0.4, side * allowed, k + 0.4,
              side * allowed);
    }
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) {
    int block = find_block(&p, m, "");
    if (block < 0) continue;
    snprintf(columns, sizeof columns, "($1 + %g):2", 0.15 * (g++ - 1.5));
    add_model(&p, block, columns, m, "boxes", true);
  }
  fputs(", NaN with lines dt 2 lc rgb 'black' title 'allowed (super-helix)'", out);
  end_plot(&p);
  fputs("unset arrow\nset xtics auto\nunset xzeroaxis\nset key default\n", out);
}

/* ---- Buckling ---- */

static void write_buckling(FILE *out, const validate_results *r, const validate_figure *f)
{
  static const char *const cases[] = {"Euler, tip free",  "Euler, tip pinned", "heavy column",
                                      "lateral buckling", "twisted ring",      "twisted ring, GJ/EI = 2/3"};
  pen p = {out, r, f, 0};
  int panels = 0, panel = 0;
  for (int c = 0; c < 6; c++) panels += find_block(&p, -2, cases[c]) >= 0;
  int across = panels < 3 ? panels : 3;
  fprintf(out,
          "set multiplot layout %d,%d margins 0.065,0.84,0.1,0.94 spacing 0.06,0.15\nset xrange [0:1.15]\n"
          "set xlabel 'load / critical load'\nset xzeroaxis lt 1 lc rgb '#444444'\n"
          "set arrow 1 from 1, graph 0 to 1, graph 1 nohead dt 2 lc rgb 'black'\n%s",
          (panels + across - 1) / across, across, beside);
  for (int c = 0; c < 6; c++) {
    if (find_block(&p, -2, cases[c]) < 0) continue;
    fprintf(out, "set title '%s' offset 0,-0.5\nset ylabel '%s'\n", cases[c],
            panel % across ? "" : "ω^2 / ω^2 without load");
    add_models(&p, cases[c], "1:2", panel == 0);
    fputs(panel++ == 0 ? ", NaN with lines dt 2 lc rgb 'black' title 'reference'\nunset key" : "", out);
    end_plot(&p);
  }
  fputs("unset multiplot\nunset title\nunset arrow\nunset xzeroaxis\nset key default\n", out);
}

const validate_figure validate_figures[VALIDATE_FIGURES] = {
    {"cantilever", 900, 640, write_cantilever}, {"profiles", 820, 620, write_profiles},
    {"order", 960, 640, write_order},           {"bend-twist", 1200, 440, write_bend_twist},
    {"helix", 1100, 470, write_helix},          {"release", 900, 620, write_release},
    {"energy", 1100, 580, write_energy},        {"frequencies", 860, 460, write_frequencies},
    {"buckling", 1200, 640, write_buckling}};
