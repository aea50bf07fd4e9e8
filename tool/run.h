/* What `skein run` and `skein stats` share: the columns of the statistics, their summary, the verdict, progress and
 * figures. */
#ifndef SKEIN_TOOL_RUN_H
#define SKEIN_TOOL_RUN_H

#include "tool.h"

/* ---- run_summary.c ---- */

typedef enum run_kind { RUN_NUMBER, RUN_INTEGER, RUN_TRUTH, RUN_FLAWS } run_kind;

/* A field of skein_step_info. */
typedef struct run_column {
  const char *name, *unit;
  run_kind kind;
  size_t offset;
} run_column;

enum { RUN_COLUMNS = 41 };
extern const run_column run_columns[RUN_COLUMNS];

/* NaN: what belongs to a verdict, of a step that was never judged. */
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

/* ---- run_verdict.c ---- */

enum { RUN_NAME = 96, RUN_TEXT = 320 };

/* Steps with a flaw: places among the steps of the first one and of the worst. */
typedef struct run_flaw {
  int steps, first, worst;
  double seconds; /* simulated */
} run_flaw;

typedef struct run_verdict {
  int steps, judged;         /* all, and those that are not of a time before verdicts */
  int flawed, first;         /* steps with any flaw; the first of them, -1: none */
  int missed;                /* their tolerance, judged or not */
  double simulated, seconds; /* s: all steps, flawed ones */
  run_flaw flaw[SKEIN_FLAW_COUNT];
  double crossings;
  int crossed;                                               /* the first step with a crossing, -1: none */
  double made, turnover;                                     /* J */
  int64_t attempt[SKEIN_FLAW_COUNT + 1][SKEIN_ACTION_COUNT]; /* by their first flaw, last those without */
  int64_t attempts;                                          /* all of them */
} run_verdict;

/* Who the objects of a step are: of a run, or of a world. */
typedef struct run_names {
  const char *(*find)(const void *of, int rods, int object); /* NULL: not known */
  const void *of;
} run_names;

unsigned run_flaws(const skein_step_info *step); /* a set, or SKEIN_FLAWS_UNKNOWN */
bool run_step_flawed(const skein_step_info *step);
run_verdict run_judge(const skein_step_info *steps, int count);
bool run_made_much(const run_verdict *v); /* energy of nothing */
bool run_flawed(const run_verdict *v);
bool run_within(const run_verdict *v); /* every step was judged and nothing is flawed */

run_names run_names_of(const skein_run *run);
void run_object(run_names names, int rods, int object, char text[RUN_NAME]); /* "hair[17]", "rod 17"; "": nobody */
void run_count(double n, char text[32]);                                     /* "12,000" */
/* What tells how bad the flaw is, and in words with names: "1.3 collision radii, hair[17] in hair[23]". */
skein_finding run_finding(const skein_step_info *step, skein_flaw flaw);
void run_describe(run_names names, const skein_step_info *step, skein_flaw flaw, char text[RUN_TEXT]);
/* "flawed: 12 of 2,000 steps (0.6 %; 0.4 % of the time)"; "0.8 % of the work came from nothing" */
void run_headline(const run_verdict *v, char text[RUN_TEXT]);
void run_made(const run_verdict *v, char text[RUN_TEXT]);
/* A line, and one for each thing that is wrong; a table of the attempts. */
void run_print_verdict(const run_verdict *v, run_names names, const skein_step_info *steps);
void run_print_attempts(const run_verdict *v);

/* ---- run_progress.c ---- */

typedef struct run_progress {
  bool quiet, terminal, shown;
  int first, last; /* frames: where this call began, and the last one */
  int flawed;      /* steps so far */
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

/* energy, contacts, solver, verdict, step and time as .dat, .gp, .svg and .png in the folder. */
int run_plot(const char *folder, const char *title, const skein_step_info *steps, int count);

/* ---- run_interrupt.c ---- */

/* The first Ctrl-C ends the run, in a step as if that had not begun; the second one the process. A limit on the size of
 * files is told as a full disk is. */
void run_catch_interrupts(void);
bool run_interrupted(void);
extern const skein_stop run_interrupt; /* what the library asks, from any thread */

#endif
