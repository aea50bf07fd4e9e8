/* `skein bench friction`: Gauss-Seidel with every local solver, alone and with +enum, over a set of problems. */
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOL, MEASURE, MAX_SWEEPS, THREADS, LOCALS, CSV, PLOT };
enum { max_solvers = 4 * SKEIN_LOCAL_COUNT };
static const double approximate_tol = 5e-2;

static const tool_option options[] = {
    [TOL] = {"tol", 't', "T", "global tolerance"},
    [MEASURE] = {"measure", 0, "rel|fb", "error that --tol is compared with (default: rel)"},
    [MAX_SWEEPS] = {"max-sweeps", 0, "N", "most sweeps (default: 2000)"},
    [THREADS] = {"threads", 'j', "N", "threads, 0: all cores (default: 1, so that times compare)"},
    [LOCALS] = {"locals", 'l', "A,B+enum,...",
                "local solvers to run (default: all, alone and with +enum); pac/plain, dac/plain: the plain ball"},
    [CSV] = {"csv", 0, "OUT.csv", "write a line per problem and solver"},
    [PLOT] = {"plot", 0, "OUT.svg", "draw the share of unsolved problems over sweeps (needs gnuplot)"},
    {0}};

typedef struct settings {
  skein_solve_def def;
  bench_solver solver[max_solvers];
  int solvers;
  const char *csv, *plot;
} settings;

/* ---- Options ---- */

static void add_solver(settings *s, skein_local local, bool failsafe, skein_ball ball)
{
  for (int k = 0; k < s->solvers; k++)
    if (s->solver[k].local == local && s->solver[k].failsafe == failsafe && s->solver[k].ball == ball) return;
  s->solver[s->solvers++] = (bench_solver){.local = local, .failsafe = failsafe, .ball = ball};
}

static bool has_ball(skein_local local)
{
  return local == SKEIN_PAC || local == SKEIN_DAC;
}

/* enum+enum would be enum. */
static void add_all_solvers(settings *s)
{
  for (int failsafe = 0; failsafe <= 1; failsafe++)
    for (int k = 0; k < SKEIN_LOCAL_COUNT; k++)
      for (int ball = SKEIN_BALL_AUGMENTED; ball <= SKEIN_BALL_PLAIN; ball++)
        if ((k != SKEIN_ENUM || !failsafe) && (ball == SKEIN_BALL_AUGMENTED || has_ball((skein_local)k)))
          add_solver(s, (skein_local)k, failsafe, (skein_ball)ball);
}

/* Takes "/plain" out of the name of a local solver. */
static skein_ball parse_ball(char *name)
{
  static const char plain[] = "/plain";
  char *at = strstr(name, plain);
  if (!at) return SKEIN_BALL_AUGMENTED;
  memmove(at, at + sizeof plain - 1, strlen(at + sizeof plain - 1) + 1);
  return SKEIN_BALL_PLAIN;
}

static bool parse_locals(settings *s, const char *text)
{
  char name[64];
  s->solvers = 0;
  for (const char *at = text;; at++) {
    size_t length = strcspn(at, ",");
    skein_local local;
    bool failsafe;
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), at);
    skein_ball ball = parse_ball(name);
    if (!tool_parse_local("--locals", name, &local, &failsafe)) return false;
    if (ball == SKEIN_BALL_PLAIN && !has_ball(local))
      return tool_error("--locals: '%s' has no ball, expected /plain after pac or dac", name), false;
    add_solver(s, local, failsafe && local != SKEIN_ENUM, ball);
    at += length;
    if (!*at) return true;
  }
}

static bool set_option(settings *s, int key, const char *value)
{
  static const char *const measures[] = {"rel", "fb"};
  double tol;
  int word;
  switch (key) {
  case TOL:
    if (!tool_parse_double("--tol", value, 1e-30, 1e300, &tol)) return false;
    return tool_set_tol(&s->def, tol), true;
  case MEASURE:
    if ((word = tool_parse_word("--measure", value, measures, 2)) < 0) return false;
    return s->def.measure = (skein_measure)word, true;
  case MAX_SWEEPS:
    return tool_parse_int("--max-sweeps", value, 1, INT_MAX, &s->def.max_sweeps);
  case THREADS:
    return tool_parse_int("--threads", value, 0, 1024, &s->def.threads);
  case LOCALS:
    return parse_locals(s, value);
  case CSV:
    return s->csv = value, true;
  case PLOT:
    return s->plot = value, true;
  default:
    return false;
  }
}

/* ---- The set of problems ---- */

typedef struct path_list {
  char **path;
  size_t count, room;
} path_list;

static bool add_path(path_list *list, const char *directory, const char *name)
{
  if (list->count == list->room) {
    size_t room = 2 * list->room + 16;
    char **grown = realloc(list->path, room * sizeof *grown);
    if (!grown) return false;
    list->path = grown, list->room = room;
  }
  size_t size = (directory ? strlen(directory) + 1 : 0) + strlen(name) + 1;
  char *path = malloc(size);
  if (!path) return false;
  snprintf(path, size, "%s%s%s", directory ? directory : "", directory ? "/" : "", name);
  list->path[list->count++] = path;
  return true;
}

static void free_paths(path_list *list)
{
  for (size_t k = 0; k < list->count; k++) free(list->path[k]);
  free(list->path);
}

static int compare_paths(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The HDF5 files of a directory, by name. */
static int add_directory(path_list *list, const char *directory)
{
  size_t first = list->count;
  bool memory = true;
  DIR *d = opendir(directory);
  if (!d) return tool_error("%s: cannot read: %s", directory, strerror(errno)), TOOL_IO;
  for (struct dirent *entry; (entry = readdir(d)) && memory;) {
    const char *dot = strrchr(entry->d_name, '.');
    bool hdf5 = dot && dot != entry->d_name && (!strcasecmp(dot, ".hdf5") || !strcasecmp(dot, ".h5"));
    if (hdf5) memory = add_path(list, directory, entry->d_name);
  }
  closedir(d);
  if (!memory) return tool_error("out of memory"), TOOL_IO;
  if (list->count == first) return tool_error("%s: holds no .hdf5 file", directory), TOOL_BAD;
  qsort(list->path + first, list->count - first, sizeof *list->path, compare_paths);
  return TOOL_OK;
}

static int collect(path_list *list, int count, char **arguments)
{
  struct stat about;
  int code = TOOL_OK;
  for (int k = 0; k < count; k++) {
    if (stat(arguments[k], &about) == 0 && S_ISDIR(about.st_mode))
      code = tool_worst(code, add_directory(list, arguments[k]));
    else if (!add_path(list, NULL, arguments[k])) return tool_error("out of memory"), TOOL_IO;
  }
  return code;
}

/* ---- The runs ---- */

skein_solve_def bench_default_def(void)
{
  skein_solve_def def = skein_default_solve_def();
  def.method = SKEIN_GS, def.accelerate = SKEIN_ACCELERATE_NONE, def.freeze = true;
  def.max_sweeps = 2000, def.threads = 1;
  return def;
}

double bench_tol(const bench_solver *solver, double tol)
{
  bool approximate = solver->local == SKEIN_PYRAMID4 || solver->local == SKEIN_DURIEZ06;
  return approximate && !solver->failsafe && tol < approximate_tol ? approximate_tol : tol;
}

skein_status bench_solve(const skein_solve_def *base, const bench_solver *solver, const skein_problem *p,
                         const double *guess, bench_run *run)
{
  skein_solution solution = {0};
  skein_solve_def def = *base;
  def.tol = solver->tol, def.local = solver->local, def.failsafe = solver->failsafe, def.ball = solver->ball;
  run->contacts = p->contacts;
  skein_status status = skein_solution_create(p, &solution);
  def.warm_start = guess != NULL;
  if (status.code == SKEIN_OK && guess) memcpy(solution.r, guess, (size_t)p->d * (size_t)p->contacts * sizeof *guess);
  if (status.code == SKEIN_OK) status = skein_solve(p, &def, &solution, &run->info);
  skein_solution_destroy(&solution);
  return status;
}

/* Every solver on one problem; column `column` of the results. */
static int run_problem(const settings *s, const char *path, int column, int columns, bench_run *run)
{
  skein_fclib file = {0};
  bool terminal = isatty(STDERR_FILENO);
  char name[32];
  skein_status status = skein_fclib_read(path, &file);
  for (int k = 0; k < s->solvers && status.code == SKEIN_OK; k++) {
    bench_run *r = &run[(size_t)k * (size_t)columns + (size_t)column];
    tool_local_name(s->solver[k].local, s->solver[k].failsafe, s->solver[k].ball, name);
    if (terminal) fprintf(stderr, "\r\033[K%.60s: %s", path, name);
    r->path = path;
    status = bench_solve(&s->def, &s->solver[k], &file.problem, NULL, r);
  }
  if (terminal) fputs("\r\033[K", stderr);
  skein_fclib_destroy(&file);
  return status.code == SKEIN_OK ? TOOL_OK : tool_fail_input(path, status, TOOL_PROBLEM);
}

/* Takes the columns of the problems that failed out of the results. */
static void pack(bench_run *run, int solvers, int from, int to)
{
  for (int k = 0; k < solvers; k++)
    memmove(run + (size_t)k * (size_t)to, run + (size_t)k * (size_t)from, (size_t)to * sizeof *run);
}

static int report(const settings *s, const bench_results *results)
{
  int code = TOOL_OK;
  bench_print_table(results);
  if (s->csv) code = bench_write_csv(s->csv, results);
  if (s->plot) code = tool_worst(code, bench_plot(s->plot, results));
  return code;
}

static int bench_friction(settings *s, int count, char **arguments)
{
  path_list list = {0};
  int code = collect(&list, count, arguments), good = 0, columns = (int)list.count;
  bench_run *run = calloc(list.count * (size_t)s->solvers + 1, sizeof *run);
  if (!run) code = TOOL_IO, columns = 0, tool_error("out of memory");
  for (int k = 0; k < s->solvers; k++) s->solver[k].tol = bench_tol(&s->solver[k], s->def.tol);
  for (int p = 0; p < columns; p++) {
    int outcome = run_problem(s, list.path[p], good, columns, run);
    good += outcome == TOOL_OK;
    code = tool_worst(code, outcome);
  }
  if (good > 0) {
    pack(run, s->solvers, columns, good);
    bench_results results = {
        .solvers = s->solvers, .problems = good, .solver = s->solver, .run = run, .max_sweeps = s->def.max_sweeps};
    code = tool_worst(code, report(s, &results));
  }
  free(run);
  free_paths(&list);
  return code;
}

static int run(const tool_command *command, int argc, char **argv)
{
  static const char *const subjects[] = {"friction"};
  settings s = {.def = bench_default_def()};
  const char *value;
  int key;
  add_all_solvers(&s);
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0)
    if (!set_option(&s, key, value)) return TOOL_BAD;
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (optind >= argc) return tool_error("bench: nothing given, expected friction FILE|DIR..."), TOOL_BAD;
  if (tool_parse_word("bench: subject", argv[optind], subjects, 1) < 0) return TOOL_BAD;
  if (optind + 1 >= argc) return tool_error("bench friction: no file or directory given"), TOOL_BAD;
  return bench_friction(&s, argc - optind - 1, argv + optind + 1);
}

const tool_command tool_bench = {
    .name = "bench",
    .about = "Compare the local solvers inside Gauss-Seidel over a set of problems",
    .usage = "friction FILE|DIR... [OPTIONS]",
    .options = options,
    .examples = "  skein bench friction problems/                            every .hdf5 file of a folder\n"
                "  skein bench friction problems/ --csv runs.csv --plot convergence.svg\n"
                "  skein bench friction hair.hdf5 --locals secular,mfb+enum --tol 1e-4\n"
                "  skein bench friction a.hdf5 b.hdf5 --max-sweeps 500       stop earlier\n",
    .run = run};
