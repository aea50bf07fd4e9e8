/* What the subcommands of `skein` share: options, messages, safe output files, JSON. */
#ifndef SKEIN_TOOL_H
#define SKEIN_TOOL_H

#include <jansson.h>
#include <skein/skein.h>
#include <stdio.h>

/* Exit codes, in the order of severity: the worst of several files wins. */
enum { TOOL_OK = 0, TOOL_NOT_CONVERGED = 1, TOOL_BAD = 2, TOOL_IO = 3, TOOL_FLAWED = 4, TOOL_INTERRUPTED = 130 };

/* ---- options.c ---- */

typedef struct tool_option {
  const char *name;
  char letter;       /* short form, 0: none */
  const char *value; /* name of the value in --help, NULL: a flag */
  const char *help;
} tool_option;

/* One subcommand: a row of the table in main.c. */
typedef struct tool_command tool_command;
struct tool_command {
  const char *name, *about;
  const char *usage;          /* after "skein name " */
  const tool_option *options; /* until name is NULL */
  void (*notes)(FILE *out);   /* between options and examples of --help, may be NULL */
  const char *examples;
  int (*run)(const tool_command *command, int argc, char **argv);
};

enum { TOOL_NO_MORE = -1, TOOL_HELP = -2, TOOL_WRONG = -3 };

/* The next option: its place in command->options, with its value; TOOL_NO_MORE when only files remain (argv[optind]
 * on); TOOL_HELP after the help was printed; TOOL_WRONG after a message. */
int tool_option_next(const tool_command *command, int argc, char **argv, const char **value);
void tool_help(const tool_command *command, FILE *out);

/* Strict numbers within lo .. hi (the message names the option); false after a message. */
bool tool_parse_double(const char *option, const char *text, double lo, double hi, double *value);
bool tool_parse_int(const char *option, const char *text, int lo, int hi, int *value);
bool tool_parse_seed(const char *option, const char *text, uint64_t *value);
/* One of `count` words; -1 after a message that suggests the nearest. */
int tool_parse_word(const char *option, const char *text, const char *const *words, int count);
/* "mfb" or "mfb+enum". */
bool tool_parse_local(const char *option, const char *text, skein_local *local, bool *failsafe);
/* The word closest to text, NULL when none is close. */
const char *tool_nearest(const char *text, const char *const *words, int count);

/* Sets tol and a local tolerance well below it. */
void tool_set_tol(skein_solve_def *def, double tol);

/* ---- report.c ---- */

/* "skein: ..." on stderr, one line. */
__attribute__((format(printf, 1, 2))) void tool_error(const char *format, ...);
/* Prints the message of a failed status, after "path: " unless that is NULL or there already; its exit code. */
int tool_fail(const char *path, skein_status status);
int tool_worst(int a, int b);
/* The ending of a noun: "" of one, "s" of others. */
static inline const char *tool_plural(int64_t count)
{
  return count == 1 ? "" : "s";
}

/* "mfb+enum", "pac/plain": with the plain ball, of pac and dac alone. */
void tool_local_name(skein_local local, bool failsafe, skein_ball ball, char name[32]);

/* A JSON number, null where x is not finite; a JSON string, whatever bytes the text has. */
json_t *tool_json_number(double x);
json_t *tool_json_text(const char *text);
/* One object on one line of stdout; takes the reference. */
int tool_json_print(json_t *object);

/* A field of a CSV file, quoted where it must be; a number, empty where it is not finite. */
void tool_csv_text(FILE *out, const char *text);
void tool_csv_number(FILE *out, double x);

/* A file that is there as a whole or not at all: written beside its place, then renamed. */
typedef struct tool_file {
  FILE *stream;
  char *path, *temporary; /* temporary is NULL when path is a device or a pipe */
} tool_file;

int tool_folder_check(
    const char *path); /* the folder of a file to be written is there, or an exit code after a message */
int tool_file_open(const char *path, tool_file *file);
int tool_file_commit(tool_file *file); /* flush, rename */
void tool_file_discard(tool_file *file);

/* ---- file_kind.c ---- */

typedef enum tool_input { TOOL_SCENE, TOOL_RUN, TOOL_PROBLEM, TOOL_INPUTS } tool_input;

bool tool_is_hdf5(const char *path);
/* tool_fail for an input file that could not be read; says what it is where it is something else that skein reads. */
int tool_fail_input(const char *path, skein_status status, tool_input expected);

/* ---- hairs.c: many hairs instead of the rods that were simulated ---- */

typedef struct tool_hairs {
  skein_hairs_def def;
  bool wanted;       /* --hairs was given */
  const char *extra; /* another option that was given and needs it; NULL: none */
} tool_hairs;

/* Rows of a command's table of options; `key` of tool_hairs_option counts from the first of these rows. */
#define TOOL_HAIR_OPTIONS                                                                                              \
  {"hairs", 0, "N", "N hairs around the rods that a body holds by their root, instead of these"},                      \
      {"clump", 0, "C", "hairs: 0 to 1, how far they gather around their rod to the tip (default: 0.6)"},              \
      {"frizz", 0, "F", "hairs: how far each strays by itself, in radii of its rod (default: 0.4)"},                   \
      {"hair-width", 0, "MM", "hairs: diameter in mm (default: 0.08, more when there are few)"},                       \
      {"hair-seed", 0, "N", "hairs: other roots and waves of the same kind (default: 1)"},                             \
  {                                                                                                                    \
    "hair-group", 0, "NAMES", "hairs: groups with hair, with commas (default: those of 20 held rods or more)"          \
  }
tool_hairs tool_default_hairs(void);
bool tool_hairs_option(tool_hairs *h, int key, const char *value); /* false after a message */
bool tool_hairs_check(const tool_hairs *h);                        /* when all options are read; the same */
/* By frame 0 of the run. NULL and OK where no hairs are wanted. */
skein_status tool_hairs_create(const tool_hairs *h, const skein_run *run, const skein_scene *scene,
                               skein_hairs **hairs);

/* ---- gnuplot.c ---- */

int tool_folder_make(const char *folder); /* it is there, or an exit code after a message */
int tool_file_open_in(const char *folder, const char *name, const char *extension, tool_file *file);

typedef struct tool_gnuplot_def {
  const char *folder, *script; /* where it runs, and what; NULL: here, and what comes `in` */
  FILE *in, *out;              /* instead of stdin (read from its start) and stdout */
  bool quiet;                  /* without its warnings */
} tool_gnuplot_def;

int tool_gnuplot(const tool_gnuplot_def *def);        /* its exit code; 127: not installed, -1: it could not be run */
int tool_gnuplot_report(const char *path, int drawn); /* the exit code of the tool, after a message */

/* ---- the subcommands ---- */
extern const tool_command tool_reproduce;
extern const tool_command tool_solve, tool_info, tool_gen, tool_bench, tool_validate;
extern const tool_command tool_completion;
const tool_command *const *tool_commands(int *count); /* main.c: all of them */
extern const tool_command tool_run, tool_stats, tool_measure, tool_view, tool_knot, tool_render, tool_export;

#endif
