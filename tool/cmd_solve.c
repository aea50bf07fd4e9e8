/* `skein solve`: FCLIB files in, impulses out. */
#include "tool.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

typedef struct settings {
  skein_solve_def def;
  bool save, json, guess; /* guess: begins with the first one, whatever solution there is */
  const char *history;    /* path, NULL: none */
  int name_width;         /* of the file column */
} settings;

/* What the progress callback needs; islands may call it from several threads. */
typedef struct watch {
  pthread_mutex_t lock;
  const char *path;
  FILE *history; /* NULL: none */
  skein_measure measure;
  bool terminal;
  double shown; /* seconds of the last line on the terminal */
} watch;

enum {
  METHOD,
  LOCAL,
  TOL,
  MEASURE,
  MAX_SWEEPS,
  MAX_SECONDS,
  THREADS,
  FORM,
  ACCELERATE,
  BALL,
  NO_FREEZE,
  WARM_START,
  GUESS,
  HISTORY,
  SAVE,
  JSON
};

static const tool_option options[] = {
    [METHOD] = {"method", 'm', "M", "global solver: see below"},
    [LOCAL] = {"local", 'l', "L[+enum]", "one-contact solver of gs: see below"},
    [TOL] = {"tol", 't', "T", "tolerance on the error"},
    [MEASURE] = {"measure", 0, "rel|fb", "error that --tol is compared with: rel has no units, fb has"},
    [MAX_SWEEPS] = {"max-sweeps", 0, "N", "most sweeps or Newton iterations, per island"},
    [MAX_SECONDS] = {"max-seconds", 0, "S", "most seconds per file, 0: no limit"},
    [THREADS] = {"threads", 'j', "N", "threads, 0: all cores; the answer does not depend on it"},
    [FORM] = {"form", 0, "F", "operator: explicit (W), factored (M, H) or auto"},
    [ACCELERATE] = {"accelerate", 0, "A", "none, anderson or relax (over-relaxation)"},
    [BALL] = {"ball", 0, "B", "of newton-ac, pac and dac: augmented (Alart-Curnier's) or plain (of the 2011 paper)"},
    [NO_FREEZE] = {"no-freeze", 0, NULL, "visit every contact in every sweep"},
    [WARM_START] = {"warm-start", 0, NULL, "start from the solution, or the first guess, in the file"},
    [GUESS] = {"guess", 0, NULL, "start from the first guess in the file"},
    [HISTORY] = {"history", 0, "FILE.csv", "write the error over the iterations"},
    [SAVE] = {"save", 0, NULL, "put converged solutions into their files"},
    [JSON] = {"json", 0, NULL, "one JSON object per file and line"},
    {0}};

static const char *const accelerators[] = {"none", "anderson", "relax"};

static void print_notes(FILE *out)
{
  char local[32];
  skein_solve_def def = skein_default_solve_def();
  tool_local_name(def.local, def.failsafe, def.ball, local);
  fprintf(out, "\nDefaults: --method %s --local %s --tol %g --measure %s --max-sweeps %d --accelerate %s\n",
          skein_method_name(def.method), local, def.tol, def.measure == SKEIN_ERROR_REL ? "rel" : "fb", def.max_sweeps,
          accelerators[def.accelerate]);
  fputs("\nMethods:\n", out);
  for (int k = 0; k < SKEIN_METHOD_COUNT; k++)
    fprintf(out, "  %-12s %s\n", skein_method_name((skein_method)k), skein_method_about((skein_method)k));
  fputs("\nLocal solvers (L+enum: enum takes over where L misses its tolerance):\n", out);
  for (int k = 0; k < SKEIN_LOCAL_COUNT; k++)
    fprintf(out, "  %-12s %s\n", skein_local_name((skein_local)k), skein_local_about((skein_local)k));
  fputs("\nExit code: 0 all converged, 1 some did not, 2 bad usage or input, 3 I/O failure, 130 interrupted.\n", out);
}

/* ---- Options ---- */

static bool set_word(const char *name, const char *text, const char *const *words, int count, int *value)
{
  *value = tool_parse_word(name, text, words, count);
  return *value >= 0;
}

static bool set_method(const char *text, skein_method *method)
{
  const char *words[SKEIN_METHOD_COUNT];
  for (int k = 0; k < SKEIN_METHOD_COUNT; k++) words[k] = skein_method_name((skein_method)k);
  int found = tool_parse_word("--method", text, words, SKEIN_METHOD_COUNT);
  if (found >= 0) *method = (skein_method)found;
  return found >= 0;
}

static bool set_option(settings *s, int key, const char *value)
{
  static const char *const measures[] = {"rel", "fb"}, *const forms[] = {"auto", "explicit", "factored"},
                           *const balls[] = {"augmented", "plain"};
  skein_solve_def *def = &s->def;
  int word = 0;
  double tol = 0;
  bool good = true;
  switch (key) {
  case METHOD:
    return set_method(value, &def->method);
  case LOCAL:
    return tool_parse_local("--local", value, &def->local, &def->failsafe);
  case TOL:
    if ((good = tool_parse_double("--tol", value, 1e-30, 1e300, &tol))) tool_set_tol(def, tol);
    return good;
  case MEASURE:
    if ((good = set_word("--measure", value, measures, 2, &word))) def->measure = (skein_measure)word;
    return good;
  case MAX_SWEEPS:
    return tool_parse_int("--max-sweeps", value, 1, INT_MAX, &def->max_sweeps);
  case MAX_SECONDS:
    return tool_parse_double("--max-seconds", value, 0, 1e300, &def->max_seconds);
  case THREADS:
    return tool_parse_int("--threads", value, 0, 1024, &def->threads);
  case FORM:
    if ((good = set_word("--form", value, forms, 3, &word))) def->operator_form = (skein_operator)word;
    return good;
  case ACCELERATE:
    if ((good = set_word("--accelerate", value, accelerators, 3, &word))) def->accelerate = (skein_accelerate)word;
    return good;
  case BALL:
    if ((good = set_word("--ball", value, balls, 2, &word))) def->ball = (skein_ball)word;
    return good;
  case NO_FREEZE:
    return def->freeze = false, true;
  case WARM_START:
    return def->warm_start = true;
  case GUESS:
    return def->warm_start = s->guess = true;
  case HISTORY:
    return s->history = value, true;
  case SAVE:
    return s->save = true;
  case JSON:
    return s->json = true;
  default:
    return false;
  }
}

/* ---- While it runs ---- */

static void on_interrupt(int signal)
{
  (void)signal;
  interrupted = 1;
}

/* The first Ctrl-C ends the solve at its next error evaluation, the second one the process. */
static void catch_interrupt(void)
{
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
}

static void show_progress(watch *w, const skein_progress *p, double error)
{
  if (!w->terminal || p->seconds < 1 || p->seconds - w->shown < 0.2) return;
  w->shown = p->seconds;
  fprintf(stderr, "\r\033[K%.60s: %s, iteration %d, error %.2e, %.1f s", w->path, p->method, p->iteration, error,
          p->seconds);
  fflush(stderr);
}

static bool on_progress(void *user, const skein_progress *p)
{
  watch *w = user;
  pthread_mutex_lock(&w->lock);
  double error = w->measure == SKEIN_ERROR_REL ? p->error.rel : p->error.fb;
  if (w->history) {
    tool_csv_text(w->history, w->path);
    fprintf(w->history, ",%s,%d,", p->method, p->iteration);
    tool_csv_number(w->history, p->seconds);
    fputc(',', w->history);
    tool_csv_number(w->history, error);
    fputc('\n', w->history);
  }
  show_progress(w, p, error);
  pthread_mutex_unlock(&w->lock);
  return interrupted;
}

/* ---- Results ---- */

static int print_json(const settings *s, const char *path, const skein_problem *p, const skein_solve_info *info)
{
  char local[32];
  const char *form = info->operator_form == SKEIN_FACTORED ? "factored" : "explicit";
  double unknown = nan("");
  tool_local_name(s->def.local, s->def.failsafe, s->def.ball, local);
  json_t *o = json_object();
  json_object_set_new(o, "file", tool_json_text(path));
  json_object_set_new(o, "contacts", json_integer(p->contacts));
  json_object_set_new(o, "dofs", p->dofs > 0 ? json_integer(p->dofs) : json_null());
  json_object_set_new(o, "nu", tool_json_number(p->dofs > 0 ? (double)p->d * p->contacts / p->dofs : unknown));
  json_object_set_new(o, "islands", json_integer(info->islands));
  json_object_set_new(o, "method", json_string(skein_method_name(info->method)));
  json_object_set_new(o, "requested", json_string(skein_method_name(s->def.method)));
  json_object_set_new(o, "local", json_string(local));
  json_object_set_new(o, "form", json_string(form));
  json_object_set_new(o, "converged", json_boolean(info->converged));
  json_object_set_new(o, "iterations", json_integer(info->iterations));
  json_object_set_new(o, "error_rel", tool_json_number(info->error.rel));
  json_object_set_new(o, "error_fb", tool_json_number(info->error.fb));
  json_object_set_new(o, "seconds", tool_json_number(info->seconds));
  json_object_set_new(o, "seconds_setup", tool_json_number(info->seconds_setup));
  json_object_set_new(o, "threads", json_integer(info->threads));
  json_object_set_new(o, "stick", json_integer(info->stick));
  json_object_set_new(o, "slide", json_integer(info->slide));
  json_object_set_new(o, "open", json_integer(info->open));
  json_object_set_new(o, "local_failures", json_integer(info->local_failures));
  json_object_set_new(o, "version", json_string(skein_version()));
  return tool_json_print(o);
}

static void print_header(const settings *s)
{
  printf("%-*s %8s %8s %6s  %-10s %-13s %7s %10s %10s %9s %8s %8s %8s\n", s->name_width, "file", "contacts", "dofs",
         "nu", "method", "local", "sweeps", "error_rel", "error_fb", "seconds", "stick", "slide", "open");
}

static void print_line(const settings *s, const char *path, const skein_problem *p, const skein_solve_info *info)
{
  char local[32], dofs[16] = "-", nu[16] = "-";
  tool_local_name(s->def.local, s->def.failsafe, s->def.ball, local);
  if (p->dofs > 0) {
    snprintf(dofs, sizeof dofs, "%d", p->dofs);
    snprintf(nu, sizeof nu, "%.2f", (double)p->d * p->contacts / p->dofs);
  }
  printf("%-*s %8d %8s %6s  %-10s %-13s %7d %10.2e %10.2e %9.4g %8d %8d %8d  %s\n", s->name_width, path, p->contacts,
         dofs, nu, skein_method_name(info->method), local, info->iterations, info->error.rel, info->error.fb,
         info->seconds, info->stick, info->slide, info->open, info->converged ? "converged" : "NOT CONVERGED");
  fflush(stdout);
}

/* ---- One file ---- */

/* r of the file's solution, unless the guess is wanted, or else of its first guess; zero when it has neither. */
static void copy_guess(const settings *s, const char *path, const skein_fclib *file, double *r)
{
  const double *from = s->guess ? NULL : file->solution.r;
  if (!from && file->guesses > 0) from = file->guess[0].r;
  if (from) memcpy(r, from, (size_t)file->problem.d * (size_t)file->problem.contacts * sizeof *r);
  else if (s->guess) tool_error("%s: has no guess, --guess begins from zero", path);
  else tool_error("%s: has no solution and no guess, --warm-start begins from zero", path);
}

static int save(const settings *s, const char *path, const skein_problem *p, const skein_solution *solution,
                bool converged)
{
  if (!s->save) return TOOL_OK;
  if (!converged) return tool_error("%s: not converged, nothing saved", path), TOOL_OK;
  skein_status status = skein_fclib_save_solution(path, p, solution);
  return status.code == SKEIN_OK ? TOOL_OK : tool_fail(path, status);
}

static int solve_problem(const settings *s, const char *path, const skein_fclib *file, FILE *history, int *solved)
{
  skein_solution solution = {0};
  skein_solve_info info = {0};
  skein_solve_def def = s->def;
  watch w = {.lock = PTHREAD_MUTEX_INITIALIZER,
             .path = path,
             .history = history,
             .measure = def.measure,
             .terminal = isatty(STDERR_FILENO)};
  def.progress = on_progress;
  def.user = &w;
  def.look = history ? 1 : 0; /* a curve needs every sweep */
  skein_status status = skein_solution_create(&file->problem, &solution);
  if (status.code == SKEIN_OK && def.warm_start) copy_guess(s, path, file, solution.r);
  if (status.code == SKEIN_OK) status = skein_solve(&file->problem, &def, &solution, &info);
  if (w.shown > 0) fputs("\r\033[K", stderr);
  int code = status.code == SKEIN_OK ? TOOL_OK : tool_fail(path, status);
  if (code == TOOL_OK) {
    ++*solved;
    if (s->json) code = print_json(s, path, &file->problem, &info);
    else print_line(s, path, &file->problem, &info);
    code = tool_worst(code, save(s, path, &file->problem, &solution, info.converged));
    if (!info.converged) code = tool_worst(code, TOOL_NOT_CONVERGED);
  }
  skein_solution_destroy(&solution);
  return code;
}

static int solve_file(const settings *s, const char *path, FILE *history, int *solved)
{
  skein_fclib file = {0};
  skein_status status = skein_fclib_read(path, &file);
  if (status.code != SKEIN_OK) return tool_fail_input(path, status, TOOL_PROBLEM);
  if (!s->json && *solved == 0) print_header(s);
  int code = solve_problem(s, path, &file, history, solved);
  skein_fclib_destroy(&file);
  return code;
}

/* ---- All files ---- */

static int solve_files(const settings *s, int count, char **paths)
{
  tool_file history = {0};
  int solved = 0, code = s->history ? tool_file_open(s->history, &history) : TOOL_OK;
  if (code != TOOL_OK) return code;
  if (history.stream) fputs("file,method,iteration,seconds,error\n", history.stream);
  catch_interrupt();
  for (int k = 0; k < count && !interrupted; k++)
    code = tool_worst(code, solve_file(s, paths[k], history.stream, &solved));
  if (history.stream && solved > 0) code = tool_worst(code, tool_file_commit(&history));
  else tool_file_discard(&history);
  return interrupted ? TOOL_INTERRUPTED : code;
}

static int run(const tool_command *command, int argc, char **argv)
{
  settings s = {.def = skein_default_solve_def(), .name_width = 4};
  const char *value;
  int key;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0)
    if (!set_option(&s, key, value)) return TOOL_BAD;
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (optind >= argc) return tool_error("solve: no file given, see 'skein solve --help'"), TOOL_BAD;
  for (int k = optind; k < argc; k++) {
    int length = (int)strlen(argv[k]);
    if (length > s.name_width) s.name_width = length > 40 ? 40 : length;
  }
  return solve_files(&s, argc - optind, argv + optind);
}

const tool_command tool_solve = {
    .name = "solve",
    .about = "Solve FCLIB friction problems by exact Coulomb friction",
    .usage = "FILE... [OPTIONS]",
    .options = options,
    .notes = print_notes,
    .examples = "  skein solve box.hdf5                                  the default method and tolerance\n"
                "  skein solve *.hdf5 --tol 1e-4 --json                  many files, for another program\n"
                "  skein solve hair.hdf5 --method gs --local mfb+enum --accelerate none\n"
                "                                                        the hybrid method of the paper\n"
                "  skein solve hair.hdf5 --history hair.csv --save       convergence and solution kept\n",
    .run = run};
