/* Figures of a run: steps.dat with its statistics over time, and for each figure NAME.gp that draws it, NAME.svg and
 * NAME.png by gnuplot. A long run is drawn as the means (or the largest values) of some thousand spans of steps. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { most_points = 1500 };

/* ---- Data ---- */

/* One line of steps.dat; the order of its columns is that of the fields. */
typedef struct point {
  double time, dt, contacts, nu, sweeps, error, stick, slide, open, penetration, speed;
  double kinetic, elastic, gravity, dissipated; /* gravity from the start, dissipated since the start */
  double phase[RUN_PHASES];
  double above;                  /* worst error of the steps that missed their tolerance */
  double work;                   /* of forces, since the start */
  double flaw[SKEIN_FLAW_COUNT]; /* steps with it */
  double overlap;                /* contact lengths */
} point;
enum { point_columns = sizeof(point) / sizeof(double) };

static double larger(double a, double b)
{
  return isnan(a) || b > a ? b : a;
}

static point make_point(const skein_step_info *steps, int count, double gravity, double *dissipated, double *work)
{
  point p = {.nu = 0, .error = NAN, .above = NAN, .overlap = NAN};
  double weight = 1.0 / count;
  for (int k = 0; k < count; k++) {
    const skein_step_info *t = &steps[k];
    p.dt += t->dt * weight, p.contacts += t->contacts * weight;
    p.nu += (isfinite(t->nu) ? t->nu : 0) * weight;
    p.stick += t->stick * weight, p.slide += t->slide * weight, p.open += t->open * weight;
    p.sweeps = fmax(p.sweeps, t->sweeps), p.penetration = fmax(p.penetration, t->penetration);
    p.speed = fmax(p.speed, t->speed);
    if (t->error > 0 && t->converged) p.error = larger(p.error, t->error);
    if (t->error > 0 && !t->converged) p.above = larger(p.above, t->error);
    p.kinetic += t->kinetic * weight, p.elastic += t->elastic * weight, p.gravity += (t->gravity - gravity) * weight;
    for (int f = 0; f < SKEIN_FLAW_COUNT; f++) p.flaw[f] += run_flaws(t) >> f & 1;
    if (!(run_flaws(t) & SKEIN_FLAWS_UNKNOWN)) p.overlap = larger(p.overlap, t->verdict.overlap.size);
    *dissipated += t->dissipated, *work += t->work;
    const double seconds[RUN_PHASES] = {t->seconds_rods, t->seconds_collide, t->seconds_assemble, t->seconds_solve,
                                        t->seconds_other};
    for (int f = 0; f < RUN_PHASES; f++) p.phase[f] += 1e3 * seconds[f] * weight;
  }
  p.time = steps[count - 1].time, p.dissipated = *dissipated, p.work = *work, p.dt *= 1e3;
  return p;
}

static int write_data(FILE *out, const skein_step_info *steps, int count)
{
  int points = count < most_points ? count : most_points;
  double dissipated = 0, work = 0;
  fputs("# time dt/ms contacts nu sweeps error stick slide open penetration speed kinetic elastic gravity dissipated "
        "rods collision assembly solve other above work diverged woken too-fast missed curved too-deep deep unbalanced "
        "overlap\n",
        out);
  for (int k = 0; k < points; k++) {
    int first = (int)((int64_t)k * count / points), next = (int)((int64_t)(k + 1) * count / points);
    point p = make_point(steps + first, next - first, steps[0].gravity, &dissipated, &work);
    double column[point_columns];
    memcpy(column, &p, sizeof p);
    for (int c = 0; c < point_columns; c++) {
      if (isfinite(column[c])) fprintf(out, "%s%.8g", c ? " " : "", column[c]);
      else fprintf(out, "%s?", c ? " " : "");
    }
    fputc('\n', out);
  }
  return points;
}

/* ---- Figures ---- */

static const run_figure figures[] = {
    {"energy", 960, 480, "Energy",
     "set ylabel 'J'\n"
     "plot D u 1:($12+$13+$14+$15-$22) w l lw 6 lc rgb '#d5d8dc' t 'sum + dissipated - work', \\\n"
     "     D u 1:($12+$13+$14) w l lw 2.4 lc rgb '#222222' t 'sum', \\\n"
     "     D u 1:12 w l lw 1.8 lc rgb '#c0392b' t 'kinetic', \\\n"
     "     D u 1:13 w l lw 1.8 lc rgb '#2471a3' t 'elastic', \\\n"
     "     D u 1:14 w l lw 1.8 lc rgb '#1e8449' t 'gravity', \\\n"
     "     D u 1:15 w l lw 1.8 dt 2 lc rgb '#b9770e' t 'dissipated', \\\n"
     "     D u 1:($22 == 0 ? NaN : $22) w l lw 1.8 dt 4 lc rgb '#7d3c98' t 'work of forces'\n"},
    {"contacts", 960, 620, "Contacts",
     "set multiplot\nset rmargin at screen 0.87\nset bmargin at screen 0.4\nset yrange [0:*]\nset ylabel "
     "'contacts'\nunset xlabel\nset format x "
     "''\n"
     "plot D u 1:($7+$8+$9) w filledcurves x1 lc rgb '#d5d8dc' t 'open', \\\n"
     "     D u 1:($7+$8) w filledcurves x1 lc rgb '#e59866' t 'slide', \\\n"
     "     D u 1:7 w filledcurves x1 lc rgb '#7fb3d5' t 'stick'\n"
     "unset label\nset tmargin at screen 0.34\nset bmargin at screen 0.12\nset format x '%g'\n"
     "set xlabel 'time (s)'\nunset key\nset ylabel '{/Symbol n} = 3 contacts / dofs'\n"
     "plot D u 1:4 w l lw 1.6 lc rgb '#222222' \nunset multiplot\n"},
    {"solver", 960, 480, "Solver",
     "stats D u (log10($6)) nooutput name 'E'\nstats D u (log10($21)) nooutput name 'A'\n"
     "top = exists('A_max') && A_records > 0 ? A_max : exists('E_max') && E_records > 0 ? E_max : -6\n"
     "low = exists('E_min') && E_records > 0 ? E_min : top - 3\n"
     "set logscale y\nset yrange [10**(floor(low) - 0.1):10**(ceil(top) + 0.4)]\nset format y '10^{%T}'\n"
     "set ylabel 'error_rel' noenhanced\nset y2label 'sweeps'\nset y2tics\nset y2range [0:*]\nset border 11\n"
     "plot D u 1:5 axes x1y2 w filledcurves x1 lc rgb '#d6eaf8' t 'sweeps', \\\n"
     "     D u 1:6 w p pt 7 ps 0.35 lc rgb '#1a5276' t 'error', \\\n"
     "     D u 1:21 w p pt 7 ps 0.6 lc rgb '#c0392b' t 'above tolerance'\n"},
    {"verdict", 960, 560, "Verdict: steps with a flaw",
     "array C[8] = ['#7b241c', '#616a6b', '#b9770e', '#2471a3', '#7d3c98', '#c0392b', '#dc7633', '#1e8449']\n"
     "set multiplot\nset rmargin at screen 0.96\nset bmargin at screen 0.42\nunset key\nunset xlabel\nset format x ''\n"
     "set lmargin at screen 0.13\nset yrange [0.4:8.6]\n"
     "set ytics ('diverged' 1, 'woken' 2, 'too fast' 3, 'missed' 4, 'curved' 5, 'too deep' 6, 'deep' 7, 'unbalanced' "
     "8)\n"
     "plot for [k=1:8] D u 1:(k) w l lw 0.6 lc rgb '#e8e8e8', \\\n"
     "     for [k=1:8] D u 1:(column(22 + k) > 0 ? k : NaN) w p pt 5 ps 0.5 lc rgb C[k]\n"
     "unset label\nset tmargin at screen 0.36\nset bmargin at screen 0.12\nset format x '%g'\nset xlabel 'time (s)'\n"
     "set yrange [0:*]\nset ytics auto\nset ylabel 'overlap (radii)'\n"
     "plot D u 1:(0) w l lw 0.6 lc rgb '#e8e8e8', D u 1:31 w l lw 1.5 lc rgb '#c0392b'\nunset multiplot\n"},
    {"step", 960, 680, "Step length, speed and overlap",
     "set multiplot\nunset key\nset lmargin at screen 0.11\nset rmargin at screen 0.96\nunset xlabel\nset format x ''\n"
     "set bmargin at screen 0.66\nset ylabel 'dt (ms)'\nset yrange [0:*]\n"
     "stats D u 2 nooutput name 'T'\nif (T_max > 20 * T_min) { set logscale y; set yrange [*:*] }\n"
     "plot D u 1:2 w l lw 1.5 lc rgb '#1a5276'\nunset logscale y\nset yrange [0:*]\nunset label\n"
     "set tmargin at screen 0.61\nset bmargin at screen 0.38\nset ylabel 'speed (m/s)'\n"
     "plot D u 1:11 w l lw 1.5 lc rgb '#1e8449'\n"
     "set tmargin at screen 0.33\nset bmargin at screen 0.1\nset format x '%g'\nset xlabel 'time (s)'\n"
     "set ylabel 'overlap (radii)'\nplot D u 1:10 w l lw 1.5 lc rgb '#c0392b'\nunset multiplot\n"},
    {"time", 960, 480, "Time per step",
     "set ylabel 'wall clock (ms)'\nset yrange [0:*]\n"
     "plot D u 1:($16+$17+$18+$19+$20) w filledcurves x1 lc rgb '#d5d8dc' t 'other', \\\n"
     "     D u 1:($16+$17+$18+$19) w filledcurves x1 lc rgb '#7fb3d5' t 'solve', \\\n"
     "     D u 1:($16+$17+$18) w filledcurves x1 lc rgb '#f7dc6f' t 'assembly', \\\n"
     "     D u 1:($16+$17) w filledcurves x1 lc rgb '#e59866' t 'collision', \\\n"
     "     D u 1:16 w filledcurves x1 lc rgb '#7dcea0' t 'rods'\n"},
};
enum { figure_count = sizeof figures / sizeof figures[0] };

int run_plot(const char *folder, const char *title, const skein_step_info *steps, int count)
{
  tool_file file;
  int code = tool_folder_make(folder);
  if (code != TOOL_OK) return code;
  if (count < 2) return tool_error("%s: not drawn, the run has %d steps", folder, count), TOOL_OK;
  code = tool_file_open_in(folder, "steps", ".dat", &file);
  if (code != TOOL_OK) return code;
  write_data(file.stream, steps, count);
  code = tool_file_commit(&file);
  return code == TOOL_OK ? run_draw(folder, "steps", title, figures, figure_count) : code;
}
