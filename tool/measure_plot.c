/* Figures of `skein measure`, by gnuplot. Columns of the numbers: time, those of measure_columns, the strand's. */
#include "measure.h"
#include "run.h"

/* 2 root_speed, 5 clumps, 6 mean, 7 largest, 8 of_rod, 9 singles, 11 occupied, 12 envelope, 13 spread, 14 contacts,
 * 15 stick, 16 slide, 17 open, 18 kinetic, 19 dissipated, 20 friction, 21 to 24 contacts, status, slip, force */
static const run_figure figures[] = {
    {"clumps", 960, 620, "Clumps: rods that move as one",
     "set multiplot\nset rmargin at screen 0.84\nset bmargin at screen 0.4\nset yrange [0:*]\nunset xlabel\n"
     "set format x ''\nset ylabel 'rods, clumps'\n"
     "plot D u 1:5 w l lw 2 lc rgb '#2471a3' t 'clumps', D u 1:7 w l lw 2 lc rgb '#c0392b' t 'largest', \\\n"
     "     D u 1:8 w l lw 2 lc rgb '#b9770e' t 'clump of a rod', D u 1:9 w l lw 2 lc rgb '#888888' t 'single rods'\n"
     "unset label\nset tmargin at screen 0.34\nset bmargin at screen 0.12\nset format x '%g'\n"
     "set xlabel 'time (s)'\nunset key\nset ylabel 'speed of the roots (m/s)'\n"
     "plot D u 1:2 w filledcurves x1 lc rgb '#d5d8dc'\nunset multiplot\n"},
    {"volume", 960, 480, "Volume of the hair",
     "set ylabel 'litres'\nset yrange [0:*]\n"
     "plot D u 1:(1e3*$12) w l lw 2 lc rgb '#888888' t 'envelope', \\\n"
     "     D u 1:(1e3*$11) w l lw 2 lc rgb '#2471a3' t 'occupied'\n"},
    {"stick-slip", 960, 480, "Contacts that stick, slide, open",
     "set ylabel 'share of contacts (%)'\nset yrange [0:100]\n"
     "plot D u 1:(100*($15+$16+$17)) w filledcurves x1 lc rgb '#d5d8dc' t 'open', \\\n"
     "     D u 1:(100*($15+$16)) w filledcurves x1 lc rgb '#e59866' t 'slide', \\\n"
     "     D u 1:(100*$15) w filledcurves x1 lc rgb '#7fb3d5' t 'stick'\n"},
    {"strand", 960, 620, "A strand on a body: where it sticks and where it slips",
     "set multiplot\nset rmargin at screen 0.87\nset bmargin at screen 0.4\nunset xlabel\nset format x ''\n"
     "set ylabel 'way along the body (mm)'\nset yrange [0:*]\nway = 0\n"
     "plot D u 1:(way = way + 1e3*$23, $22 == 1 ? way : NaN) w p pt 7 ps 0.4 lc rgb '#2471a3' t 'sticks', \\\n"
     "     way = 0, D u 1:(way = way + 1e3*$23, $22 == 2 ? way : NaN) w p pt 7 ps 0.4 lc rgb '#c0392b' t 'slides', \\\n"
     "     way = 0, D u 1:(way = way + 1e3*$23, $22 < 1 ? way : NaN) w p pt 7 ps 0.3 lc rgb '#bbbbbb' t 'apart'\n"
     "unset label\nset tmargin at screen 0.34\nset bmargin at screen 0.12\nset format x '%g'\n"
     "set xlabel 'time (s)'\nunset key\nset ylabel 'force (mN)'\n"
     "plot D u 1:(1e3*$24) w l lw 1.4 lc rgb '#222222'\nunset multiplot\n"},
    {"energy", 960, 480, "Energy: kinetic, and what contacts and friction took",
     "set ylabel 'J'\nall = 0\nrub = 0\n"
     "plot D u 1:18 w l lw 2 lc rgb '#c0392b' t 'kinetic', \\\n"
     "     D u 1:(all = all + $19) w l lw 2 lc rgb '#888888' t 'contacts took', \\\n"
     "     D u 1:(rub = rub + $20) w l lw 2 dt 2 lc rgb '#b9770e' t 'friction took'\n"},
};
enum { figure_count = sizeof figures / sizeof figures[0] };

int measure_plot(const char *folder, const char *title, const skein_measures *m)
{
  tool_file file;
  int code = tool_folder_make(folder);
  if (code != TOOL_OK) return code;
  if (m->frames < 3) return tool_error("%s: not drawn, the run has %d frames", folder, m->frames), TOOL_OK;
  code = tool_file_open_in(folder, "measures", ".dat", &file);
  if (code != TOOL_OK) return code;
  measure_write_rows(file.stream, m, ' ', "?");
  code = tool_file_commit(&file);
  return code == TOOL_OK ? run_draw(folder, "measures", title, figures, figure_count) : code;
}
