/* What `skein run` and `skein stats` share: the columns of the statistics, their summary, progress and figures. */
#ifndef SKEIN_TOOL_RUN_H
#define SKEIN_TOOL_RUN_H

#include "tool.h"

/* ---- run_summary.c ---- */

typedef enum run_kind { RUN_NUMBER, RUN_INTEGER, RUN_TRUTH } run_kind;

/* A field of skein_step_info. */
typedef struct run_column {
  const char *name, *unit;
  run_kind kind;
  size_t offset;
} run_column;

enum { RUN_COLUMNS = 29 };
extern const run_column run_columns[RUN_COLUMNS];

double run_value(const skein_step_info *step, const run_column *column);

typedef struct run_range {
  double min, mean, max; /* of the finite values; NaN when there are none */
} run_range;

enum { RUN_PHASES = 5 };
extern const char *const run_phases[RUN_PHASES]; /* rods, collision, assembly, solve, other */

typedef struct run_summary {
  int steps;
  double simulated; /* s */
  run_range range[RUN_COLUMNS];
  int above;                             /* steps that did not reach their tolerance */
  int retried;                           /* shorter tries */
  double stick, slide, open;             /* shares of all contacts of all steps; NaN without contacts */
  double seconds[RUN_PHASES];            /* wall clock, all steps */
  double seconds_all;                    /* their sum */
  double energy_start[3], energy_end[3]; /* kinetic, elastic, gravity after the first and the last step */
  double work, dissipated;               /* J, all steps: by forces, by contacts */
} run_summary;

run_summary run_summarise(const skein_step_info *steps, int count);
const run_range *run_find(const run_summary *s, const char *column);
/* A few lines on contacts, solver and time. */
void run_print_summary(const run_summary *s);

/* ---- run_progress.c ---- */

typedef struct run_progress {
  bool quiet, terminal, shown;
  int first, last; /* frames: where this call began, and the last one */
  double fps;
  double begun, said;             /* seconds: start, last line */
  double time_begun;              /* simulated */
  double since[2], time_since[2]; /* marks of the last half minute: how fast it is now */
} run_progress;

double run_clock(void);
run_progress run_progress_make(bool quiet, int first, int last, double fps, double time);
/* After a step, and after a frame (step may be NULL then). */
void run_progress_step(run_progress *p, const skein_step_info *step, int frame);
void run_progress_frame(run_progress *p, const skein_step_info *step, int frame);
void run_progress_clear(run_progress *p); /* before other lines on the terminal */

/* ---- run_dump.c ---- */

/* The problem of the last step, the last one that was tried; solved: with guess and solution, which are finite. */
skein_status run_dump(const skein_world *world, const char *title, bool solved, const char *path);

/* ---- run_figures.c ---- */

typedef struct run_figure {
  const char *name;
  int width, height;
  const char *title, *commands; /* of gnuplot; D is the file of numbers, time in column 1, "?" where there is none */
} run_figure;

/* NAME.gp, .svg and .png of each figure in the folder, from DATA.dat there. */
int run_draw(const char *folder, const char *data, const char *title, const run_figure *figures, int count);

/* ---- run_plot.c ---- */

/* energy, contacts, solver, step and time as .dat, .gp, .svg and .png in the folder. */
int run_plot(const char *folder, const char *title, const skein_step_info *steps, int count);

#endif
