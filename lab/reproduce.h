/* What the experiments of `skein reproduce` share: scenes that are stepped, problems that are solved, and a page of
 * tables, plots and claims. An experiment is a row of the table in reproduce.c and a function. */
#ifndef SKEIN_TOOL_REPRODUCE_H
#define SKEIN_TOOL_REPRODUCE_H

#include "tool.h"

#include <time.h>

/* ---- What is asked for ---- */

typedef struct reproduce_settings {
  const char *folder; /* of the report */
  const char *runs;   /* where runs in files are looked for and kept; NULL: in the same folder */
  bool quick;
  time_t begun; /* of this call */
  int threads;
  int steps;    /* at most so many of every simulation; 0: as the experiment says. With it nothing is judged */
  int problems; /* of Table 2; 0: as the experiment says */
} reproduce_settings;

typedef struct reproduce_section reproduce_section;

/* One experiment: what the papers say, how to see it alone, and the function that does it. */
typedef struct reproduce_experiment {
  const char *name, *title;
  const char *source;   /* table or figure of which paper, and what it says, as HTML */
  const char *commands; /* to run it by hand */
  const char *differs;  /* what is not as in the paper and why, as HTML */
  double seconds;       /* wall clock in --quick, after which it is cut short */
  skein_status (*run)(reproduce_section *section);
} reproduce_experiment;

enum { REPRODUCE_EXPERIMENTS = 13 };
extern const reproduce_experiment reproduce_experiments[REPRODUCE_EXPERIMENTS];

skein_status reproduce_table1(reproduce_section *s);
skein_status reproduce_spaghetti(reproduce_section *s);
skein_status reproduce_convergence(reproduce_section *s);
skein_status reproduce_local_global(reproduce_section *s);
skein_status reproduce_knot(reproduce_section *s);
skein_status reproduce_reef(reproduce_section *s);
skein_status reproduce_orbit(reproduce_section *s);
skein_status reproduce_double_loop(reproduce_section *s);
skein_status reproduce_rigid(reproduce_section *s);
skein_status reproduce_hair(reproduce_section *s);
skein_status reproduce_assembly(reproduce_section *s);
skein_status reproduce_hair_friction(reproduce_section *s);
skein_status reproduce_locals(reproduce_section *s);

/* What became of an experiment. */
struct reproduce_section {
  const reproduce_settings *set;
  const reproduce_experiment *experiment;
  char *html; /* the text of `out`, whole after it was closed */
  size_t html_size;
  FILE *out;
  json_t *tables, *claims;
  int held, failed; /* claims */
  bool cut;         /* a time limit, --steps or an interrupt ended it early */
  bool missing;     /* a scene is not installed */
  double begun, seconds;
  int64_t steps;
  skein_status status;
};

/* ---- reproduce_page.c: what is on the page ---- */

void reproduce_escape(FILE *out, const char *text);
/* A line of HTML, a paragraph. */
__attribute__((format(printf, 2, 3))) void reproduce_say(reproduce_section *s, const char *format, ...);
/* A claim of the papers (or of the issue) and whether it held here; not judged where the section was cut short. */
__attribute__((format(printf, 3, 4))) void reproduce_claim(reproduce_section *s, bool held, const char *format, ...);

/* A table goes to the page, to FOLDER/NAME.csv and into report.json. Cells are added one by one. */
typedef struct reproduce_table {
  reproduce_section *section;
  const char *name;
  const char *const *columns;
  int count, at; /* columns; the next cell */
  bool shown;    /* on the page; else in the files only */
  tool_file csv;
  bool written; /* csv is open */
  json_t *rows, *row;
} reproduce_table;

reproduce_table reproduce_table_begin(reproduce_section *s, const char *name, const char *caption,
                                      const char *const *columns, int count);
/* Raw numbers: not on the page. */
reproduce_table reproduce_table_raw(reproduce_section *s, const char *name, const char *const *columns, int count);
void reproduce_cell_text(reproduce_table *t, const char *text);
/* Shown by `format` ("%.3g"); a dash where it is not finite. */
void reproduce_cell(reproduce_table *t, const char *format, double x);
void reproduce_table_end(reproduce_table *t);

/* DIR/report.html and DIR/report.json, of the sections so far; `done` says whether more are to come. */
int reproduce_write(const reproduce_settings *set, const reproduce_section *sections, int count, double seconds,
                    bool done);

/* ---- reproduce_plot.c: plots, by gnuplot ---- */

typedef enum reproduce_mark { REPRODUCE_LINE, REPRODUCE_DASHES, REPRODUCE_DOTS } reproduce_mark;

typedef struct reproduce_series {
  char name[64];
  reproduce_mark mark;
  double *x, *y;
  int count, room;
} reproduce_series;

enum { REPRODUCE_SERIES = 16 };

typedef struct reproduce_plot {
  const char *title, *x_label, *y_label;
  bool log_x, log_y;
  bool equal;          /* one scale on both axes */
  double y_from, y_to; /* asked for; both 0: what the numbers need */
  double line_x;       /* a vertical line; NaN: none */
  reproduce_series series[REPRODUCE_SERIES];
  int count;
} reproduce_plot;

reproduce_plot reproduce_plot_make(const char *title, const char *x_label, const char *y_label);
/* The number of a new series. */
__attribute__((format(printf, 3, 4))) int reproduce_plot_series(reproduce_plot *p, reproduce_mark mark,
                                                                const char *format, ...);
void reproduce_plot_add(reproduce_plot *p, int series, double x, double y);
/* Draws it, inline, and frees it. */
void reproduce_plot_end(reproduce_plot *p, FILE *out);

/* ---- reproduce_world.c: scenes and problems ---- */

/* Where scenes/NAME.json is: $SKEIN_SCENES, beside the program, in its share/skein, ./scenes. The caller frees; NULL:
 * it is nowhere. */
char *reproduce_find_scene(const char *name);

typedef struct reproduce_run {
  reproduce_section *section;
  skein_scene *scene;
  skein_world *world;
  skein_step_info info; /* of the last step */
  double until;         /* s */
  int steps, limit;
  /* over all steps */
  int contacts_max, acting_max; /* acting: that stick or slide */
  int above, busy;              /* busy: steps with contacts that are awake */
  double nu_max, error_max, seconds, seconds_busy, penetration_max;
  double begun, said;
  double patience; /* s of wall clock that --quick gives this run; 0: no limit of its own */
  bool late;       /* it ran out of that */
} reproduce_run;

/* A world from a scene by name, with sets ("friction=0"). limit: steps at most, 0: none. */
skein_status reproduce_start(reproduce_section *s, const char *scene, const char *const *sets, int set_count, int limit,
                             reproduce_run *run);
/* One step; false when the run is over: duration, limit, interrupt, or a failure (in *status). */
bool reproduce_step(reproduce_run *run, skein_status *status);
void reproduce_stop(reproduce_run *run);
double reproduce_tolerance(const skein_scene *scene); /* solver.tol of the scene */

/* A global solver, and the ball of newton-ac. */
typedef struct reproduce_solver {
  skein_method method;
  skein_ball ball;
} reproduce_solver;

const char *reproduce_solver_name(reproduce_solver solver); /* "newton-ac/plain" */

/* The last problem of a world, solved from r = 0 once more. NULL problem: *info is zero and converged. */
skein_status reproduce_solve(const reproduce_run *run, reproduce_solver solver, double tol, double seconds,
                             skein_progress_fn progress, void *user, skein_solve_info *info);

bool reproduce_over(reproduce_section *s); /* interrupted, or out of its time */
bool reproduce_interrupted(void);
void reproduce_catch(void);   /* Ctrl-C ends the experiment after its step; twice: the process */
double reproduce_clock(void); /* s */

/* ---- reproduce_film.c: runs in files ---- */

typedef struct reproduce_film_def {
  const char *name;  /* of the file: FOLDER/NAME.h5, NAME-quick.h5 in --quick */
  const char *scene; /* by name */
  const char *const *sets;
  int set_count;
  int frames;      /* 0: all of the scene */
  double patience; /* s of wall clock that --quick gives it; 0: no limit of its own */
  /* Called after each step, with its number from the start; the run is then made from its start. May be NULL. */
  skein_status (*watch)(void *user, const skein_world *world, int64_t step);
  void *user;
} reproduce_film_def;

typedef struct reproduce_film {
  char *path;
  skein_run *run;
  skein_step_info *steps; /* all */
  int step_count;
  int frames, last; /* that it has behind the start; that it should have */
  int rods;
  int made;   /* steps, now */
  bool late;  /* it ran out of patience */
  bool other; /* the scene has changed since it was made */
} reproduce_film;

/* The run of a scene, from its file where it is there, gone on with where it is not whole. */
skein_status reproduce_film_make(reproduce_section *s, const reproduce_film_def *def, reproduce_film *film);
void reproduce_film_end(reproduce_film *film);
/* A path in the folder of the runs: NAME, "-quick", ending. The caller frees; NULL: no memory. */
char *reproduce_place(const reproduce_section *s, const char *name, const char *ending);

/* ---- reproduce_knot.c: curves ---- */

/* `count` points (3 each) evenly along a rod. */
void reproduce_curve(const skein_rod *rod, int count, double *points);
/* |Delta(-1)| of the curve closed far away: 1 unknot, 3 trefoil, 5 figure eight; -1: not decided. */
int reproduce_determinant(const double *points, int count);
/* Smallest distance of two points of the centreline that are further apart along it than `apart` (m). */
double reproduce_nearest(const double *points, int count, double apart);
double reproduce_writhe(const double *points, int count);
/* Largest distance from the chord, over the length of the curve. */
double reproduce_bend(const double *points, int count);

#endif
