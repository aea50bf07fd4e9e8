/* Siconos against Skein on FCLIB files: one thread, the time of the solve alone, every answer judged by Skein's
 * error function (skein_problem_error, measure rel) and not by the stopping test of the solver that gave it.
 *
 * A rival is one method of Siconos (fc3d_driver) in several settings; its best setting counts. Siconos stops on a
 * residual of its own, so its tolerance is searched: from 1000 times the target downwards, each time from r = 0, the
 * loosest tolerance whose answer satisfies the target is the one that is timed. What Siconos needs before a solve
 * (matrix in its fastest storage, options) is not timed, and neither are Skein's checks and blocks; they are given
 * beside.
 *
 * Every solve runs in a forked child with a time limit: a crash, an exit or a hang loses that solve and nothing else.
 * In a timing child the two programs take turns, so that the noise of the machine hits both alike.
 *
 * Siconos: Acary et al., version 4.4. */
#define _POSIX_C_SOURCE 200809L
#include "siconos_rivals.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_TARGETS = 8, MAX_FILES = 4096, SMALL = 20 /* contacts: below it a solve is mostly call overhead */ };

/* ---- One piece of work in a child ------------------------------------------------------------------------------ */

typedef struct job {
  const skein_problem *problem; /* as in the file: what Skein solves and what judges */
  const siconos_problem *siconos;
  const variant *rival;
  double target, tol; /* error_rel wanted; Siconos' tolerance */
  int repeats;
  bool with_skein; /* take turns with it */
  double limit;    /* seconds */
} job;

typedef struct outcome {
  double seconds;       /* minimum over repeats, of the rival */
  double skein_seconds; /* likewise, of Skein: the solve alone, as for the rival, whose storage is made beforehand */
  double skein_setup;   /* Skein's checks and conversion of the arrays into blocks */
  skein_error error;
  int info; /* 0: the solver says it has converged */
  int iterations;
  skein_method method;
} outcome;

typedef enum child_end { CHILD_DONE, CHILD_CRASHED, CHILD_TIMEOUT } child_end;
typedef void (*child_work)(const job *j, outcome *out);

static double run_skein(const job *j, skein_solution *s, skein_solve_info *info)
{
  skein_solve_def def = skein_default_solve_def();
  def.tol = j->target, def.measure = SKEIN_ERROR_REL, def.threads = 1;
  def.max_seconds = 0.9 * j->limit; /* it should answer before it is killed */
  memset(s->r, 0, 3 * (size_t)j->problem->contacts * sizeof(double));
  double start = sk_seconds();
  skein_status status = skein_solve(j->problem, &def, s, info);
  double seconds = sk_seconds() - start;
  if (status.code) _exit(3);
  return seconds - info->seconds_setup;
}

static void judge(const job *j, const double *r, outcome *out)
{
  if (skein_problem_error(j->problem, r, &out->error, NULL, NULL).code) _exit(3);
  if (!isfinite(out->error.rel)) out->error.rel = INFINITY;
}

/* The rival alone, once: does this tolerance do? */
static void work_rival(const job *j, outcome *out)
{
  size_t size = 3 * (size_t)j->problem->contacts;
  double *r = sk_calloc(size, sizeof *r), *u = sk_calloc(size, sizeof *u);
  if (!r || !u) _exit(3);
  out->seconds = siconos_solve(j->siconos, j->rival, j->tol, r, u, &out->info);
  judge(j, r, out);
}

static int repeats_for(double seconds)
{
  if (seconds > 5) return 1;
  return (int)fmin(300, fmax(3, 0.3 / fmax(seconds, 1e-6)));
}

/* Skein alone: what counts when no rival reaches the target. */
static void work_skein(const job *j, outcome *out)
{
  skein_solution s;
  skein_solve_info info;
  if (skein_solution_create(j->problem, &s).code) _exit(3);
  out->skein_seconds = run_skein(j, &s, &info), out->skein_setup = info.seconds_setup;
  int repeats = repeats_for(out->skein_seconds);
  for (int k = 1; k < repeats && info.converged; k++) {
    out->skein_seconds = fmin(out->skein_seconds, run_skein(j, &s, &info));
    out->skein_setup = fmin(out->skein_setup, info.seconds_setup);
  }
  out->info = !info.converged, out->iterations = info.iterations, out->method = info.method;
  judge(j, s.r, out);
}

/* Both, taking turns; the first turn only warms the caches up unless it is the only one. */
static void work_both(const job *j, outcome *out)
{
  size_t size = 3 * (size_t)j->problem->contacts;
  double *r = sk_calloc(size, sizeof *r), *u = sk_calloc(size, sizeof *u);
  skein_solution s;
  skein_solve_info info;
  if (!r || !u || skein_solution_create(j->problem, &s).code) _exit(3);
  out->seconds = out->skein_seconds = INFINITY;
  for (int k = 0; k <= j->repeats; k++) {
    double rival = siconos_solve(j->siconos, j->rival, j->tol, r, u, &out->info);
    double skein = j->with_skein ? run_skein(j, &s, &info) : INFINITY;
    if (k == 0 && j->repeats > 1) continue;
    out->seconds = fmin(out->seconds, rival), out->skein_seconds = fmin(out->skein_seconds, skein);
  }
  judge(j, r, out);
}

static void child_main(child_work work, const job *j, int pipe_out)
{
  int quiet = open("/dev/null", O_WRONLY);
  if (quiet >= 0) dup2(quiet, STDOUT_FILENO), dup2(quiet, STDERR_FILENO);
  outcome out = {0};
  work(j, &out);
  ssize_t written = write(pipe_out, &out, sizeof out);
  _exit(written == (ssize_t)sizeof out ? 0 : 3);
}

static child_end run_child(child_work work, const job *j, outcome *out)
{
  int ends[2];
  *out = (outcome){.seconds = INFINITY, .skein_seconds = INFINITY, .error = {INFINITY, INFINITY, -1}, .info = 1};
  if (pipe(ends)) return CHILD_CRASHED;
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    child_main(work, j, ends[1]);
  }
  close(ends[1]);
  child_end end = CHILD_CRASHED;
  if (pid > 0) {
    struct pollfd wait_for = {.fd = ends[0], .events = POLLIN};
    outcome got;
    if (poll(&wait_for, 1, (int)(1000 * fmax(j->limit, 0.001)) + 1) == 0) end = CHILD_TIMEOUT;
    else if (read(ends[0], &got, sizeof got) == (ssize_t)sizeof got) end = CHILD_DONE, *out = got;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
  }
  close(ends[0]);
  return end;
}

/* ---- The search for the loosest tolerance ---------------------------------------------------------------------- */

typedef struct found {
  bool ok;
  const char *status; /* "ok" or why not */
  double tol, seconds, error;
} found;

/* One solve with this tolerance, before the deadline and not longer than `enough` (what the rival has already). */
static bool try_tol(job *j, double deadline, double enough, double tol, found *f)
{
  outcome out;
  double left = deadline - sk_seconds();
  j->tol = tol, j->limit = fmin(left, enough);
  f->status = "timeout";
  if (j->limit <= 0) return false;
  child_end end = run_child(work_rival, j, &out);
  if (end == CHILD_DONE && out.error.rel <= j->target) {
    *f = (found){true, "ok", tol, out.seconds, out.error.rel};
    return true;
  }
  if (out.error.rel < f->error) f->error = out.error.rel;
  if (end == CHILD_TIMEOUT) f->status = left > enough ? "slower" : "timeout";
  else f->status = end == CHILD_CRASHED ? "crash" : out.info ? "stalled" : "inexact";
  return false;
}

/* By decades from 1000 target; then thirds of a decade, looser. A solver that gave up on a tolerance would follow the
 * same path and give up on a smaller one. */
static found find_tol(job *j, double deadline, double enough)
{
  found f = {.status = "inexact", .error = INFINITY};
  double tol = 1000 * j->target;
  int step = 0;
  while (!try_tol(j, deadline, enough, tol, &f)) {
    if (strcmp(f.status, "inexact") != 0 || tol < 1.5e-14) return f;
    tol /= 10, step++;
  }
  for (int third = 2; third >= 1 && step > 0; third--) {
    found looser = f;
    if (!try_tol(j, deadline, enough, tol * pow(10, third / 3.0), &looser)) continue;
    if (looser.seconds < f.seconds) f = looser;
    break;
  }
  return f;
}

/* ---- One file --------------------------------------------------------------------------------------------------- */

typedef struct row {
  char name[256];
  int contacts;
  double target;
  bool skein_ok;
  outcome skein;
  child_end skein_end;
  double rival[RIVALS];       /* seconds; infinite when it failed */
  double paired[RIVALS];      /* Skein's seconds, measured in turns with that rival */
  const char *status[RIVALS]; /* the setting that counts, or why it failed */
  int best;                   /* rival; -1 when all failed */
} row;

typedef struct bench {
  double targets[MAX_TARGETS];
  int target_count;
  double seconds; /* limit for one rival, all its settings, on one file and target */
  FILE *csv, *detail;
  row *rows;
  int row_count, row_room;
} bench;

static void write_detail(const bench *b, const row *w, const variant *v, const found *f, double seconds)
{
  if (!b->detail) return;
  const char *rival = rival_name[variant_rival(v)];
  fprintf(b->detail, "%s,%d,%s:%s,%g,", w->name, w->contacts, rival, variant_label(v), w->target);
  if (f->ok) fprintf(b->detail, "%.4g", seconds);
  fprintf(b->detail, ",%.3g,%.3g,%s\n", f->error, f->tol, f->status);
  fflush(b->detail);
}

/* Looks for a tolerance in every setting of one rival; they share its seconds. `hopeless` is the target at which a
 * setting failed, not merely lost: a tighter one is not tried. Returns the shortest single solve. */
static double search_rival(const bench *b, int rival, job j, double *hopeless, found *f)
{
  double best = INFINITY, end = sk_seconds() + b->seconds;
  int left = 0;
  for (int k = 0; k < VARIANTS; k++) left += variant_rival(variant_at(k)) == rival;
  for (int k = 0; k < VARIANTS; k++) {
    if (variant_rival(variant_at(k)) != rival) continue;
    double now = sk_seconds(), deadline = now + (end - now) / left--;
    f[k] = (found){.status = "skipped", .error = INFINITY};
    if (j.target <= hopeless[k]) continue;
    j.rival = variant_at(k);
    f[k] = find_tol(&j, deadline, 1.5 * best + 0.05);
    if (f[k].ok) best = fmin(best, f[k].seconds);
    else if (strcmp(f[k].status, "slower") != 0) hopeless[k] = j.target;
  }
  return best;
}

/* The minimum over repeats of one setting that was found to do, and of Skein in turns with it. */
static double time_variant(job j, const variant *v, const found *f, const row *w, double *skein_seconds)
{
  outcome out;
  double turn = f->seconds + (w->skein_ok ? w->skein.skein_seconds : 0);
  j.rival = v, j.tol = f->tol, j.repeats = repeats_for(turn), j.with_skein = w->skein_ok;
  j.limit = 20 + 2 * (j.repeats + 1) * turn;
  if (run_child(work_both, &j, &out) != CHILD_DONE) return f->seconds;
  *skein_seconds = out.skein_seconds;
  return fmin(f->seconds, out.seconds);
}

/* One rival on one file and target: its fastest setting counts; settings far from it are not timed again. */
static void run_rival(const bench *b, int rival, job j, double *hopeless, row *w)
{
  found f[VARIANTS] = {0};
  double single = search_rival(b, rival, j, hopeless, f);
  w->rival[rival] = INFINITY, w->status[rival] = "";
  for (int k = 0; k < VARIANTS; k++) {
    const variant *v = variant_at(k);
    if (variant_rival(v) != rival) continue;
    bool near = f[k].ok && f[k].seconds <= 3 * single + 2e-5;
    double paired = w->skein.skein_seconds, seconds = near ? time_variant(j, v, &f[k], w, &paired) : f[k].seconds;
    write_detail(b, w, v, &f[k], seconds);
    if (f[k].ok && seconds < w->rival[rival])
      w->rival[rival] = seconds, w->paired[rival] = paired, w->status[rival] = variant_label(v);
    else if (!w->status[rival][0]) w->status[rival] = f[k].status;
  }
}

static double row_ratio(const row *w)
{
  return w->skein_ok && w->best >= 0 ? w->rival[w->best] / w->skein.skein_seconds : NAN;
}

/* The same with Skein's setup counted. */
static double row_ratio_total(const row *w)
{
  return row_ratio(w) * w->skein.skein_seconds / (w->skein.skein_seconds + w->skein.skein_setup);
}

static void write_row(const bench *b, const row *w)
{
  fprintf(b->csv, "%s,%d,%g,", w->name, w->contacts, w->target);
  if (w->skein_ok) fprintf(b->csv, "%.4g,%.4g", w->skein.skein_seconds, w->skein.skein_setup);
  else fprintf(b->csv, ",");
  fprintf(b->csv, ",%.3g,%s,%d,", w->skein.error.rel, skein_method_name(w->skein.method), w->skein.iterations);
  if (w->best >= 0) fprintf(b->csv, "%s:%s,%.4g", rival_name[w->best], w->status[w->best], w->rival[w->best]);
  else fprintf(b->csv, ",");
  for (int k = 0; k < RIVALS; k++) {
    fprintf(b->csv, ",");
    if (isfinite(w->rival[k])) fprintf(b->csv, "%.4g", w->rival[k]);
  }
  fprintf(b->csv, ",");
  if (isfinite(row_ratio(w))) fprintf(b->csv, "%.3g,%.3g", row_ratio(w), row_ratio_total(w));
  else fprintf(b->csv, ",");
  fprintf(b->csv, "\n");
  fflush(b->csv);
}

static void run_target(bench *b, const char *name, const skein_problem *p, const siconos_problem *s, double target,
                       double *hopeless)
{
  row w = {.contacts = p->contacts, .target = target, .best = -1};
  snprintf(w.name, sizeof w.name, "%s", name);
  job j = {.problem = p, .siconos = s, .target = target, .repeats = 1, .limit = b->seconds};
  w.skein_end = run_child(work_skein, &j, &w.skein);
  w.skein_ok = w.skein_end == CHILD_DONE && w.skein.error.rel <= target;
  for (int k = 0; k < RIVALS; k++) {
    run_rival(b, k, j, hopeless, &w);
    if (isfinite(w.rival[k]) && (w.best < 0 || w.rival[k] < w.rival[w.best])) w.best = k;
  }
  if (w.best >= 0) w.skein.skein_seconds = w.paired[w.best];
  write_row(b, &w);
  fprintf(stderr, "%-44s %5d contacts  %7g  Skein %9.3g s  %-12s %9.3g s  ratio %.3g\n", name, w.contacts, target,
          w.skein_ok ? w.skein.skein_seconds : NAN, w.best < 0 ? "none" : rival_name[w.best],
          w.best < 0 ? NAN : w.rival[w.best], row_ratio(&w));
  if (b->row_count < b->row_room) b->rows[b->row_count++] = w;
}

static skein_status run_file(bench *b, const char *path)
{
  skein_fclib file;
  skein_problem reduced = {0};
  skein_status status = skein_fclib_read(path, &file);
  if (status.code) return status;
  sk_arena arena = {0};
  siconos_problem *s;
  const skein_problem *p = &file.problem;
  if (p->d != 3) status = sk_fail(SKEIN_BAD_INPUT, "spacedim is %d, expected 3 (fc3d_driver)", p->d);
  if (!status.code && p->form == SKEIN_GLOBAL) status = skein_problem_reduce(p, &reduced);
  if (!status.code) status = siconos_make(p->form == SKEIN_GLOBAL ? &reduced : p, &arena, &s);
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  double hopeless[VARIANTS] = {0};
  for (int k = 0; !status.code && k < b->target_count; k++) run_target(b, name, p, s, b->targets[k], hopeless);
  sk_arena_free(&arena);
  skein_problem_destroy(&reduced);
  skein_fclib_destroy(&file);
  return status;
}

/* ---- Summary ---------------------------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_machine(void)
{
  char line[512], model[256] = "unknown";
  FILE *f = fopen("/proc/cpuinfo", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "model name : %255[^\n]", model) == 1) break;
  if (f) fclose(f);
  printf("machine: %s, one thread; Skein %s\n", model, skein_version());
}

static double median(double *x, int count)
{
  qsort(x, (size_t)count, sizeof *x, compare_doubles);
  return 0.5 * (x[(count - 1) / 2] + x[count / 2]);
}

/* Ratios (best rival / Skein: above 1 Skein is faster) over problems of at least SMALL contacts; failures over all. */
static void print_target(const bench *b, double target)
{
  double *ratio = sk_calloc((size_t)b->row_count, sizeof *ratio),
         *total = sk_calloc((size_t)b->row_count, sizeof *total);
  int count = 0, slower = 0;
  if (!ratio || !total) exit(3);
  for (int i = 0; i < b->row_count; i++) {
    double x = row_ratio(&b->rows[i]);
    if (b->rows[i].target != target || b->rows[i].contacts < SMALL || !isfinite(x)) continue;
    total[count] = row_ratio_total(&b->rows[i]), ratio[count++] = x;
    slower += x < 1;
  }
  printf("target %g: %d problems of %d contacts or more", target, count, SMALL);
  if (count) printf(", ratio median %.3g (%.3g with setup)", median(ratio, count), median(total, count));
  if (count) printf(", minimum %.3g (%.3g)", ratio[0], total[0]);
  printf(", Skein slower on %d\n", slower);
  for (int i = 0; i < b->row_count; i++) {
    const row *w = &b->rows[i];
    if (w->target != target) continue;
    if (isfinite(row_ratio(w)) && row_ratio(w) < 1) printf("  slower: %s, ratio %.3g\n", w->name, row_ratio(w));
    if (!w->skein_ok)
      printf("  failed: Skein on %s, %s, error_rel %.3g\n", w->name,
             w->skein_end == CHILD_TIMEOUT   ? "timeout"
             : w->skein_end == CHILD_CRASHED ? "crash"
                                             : "missed the target",
             w->skein.error.rel);
    for (int k = 0; k < RIVALS; k++)
      if (!isfinite(w->rival[k])) printf("  failed: Siconos %s on %s, %s\n", rival_name[k], w->name, w->status[k]);
  }
  free(ratio);
  free(total);
}

/* ---- Command line ----------------------------------------------------------------------------------------------- */

static const char usage[] =
    "usage: siconos_compare [--targets 1e-4,1e-6] [--seconds S] [--csv OUT] [--detail OUT] FILE|DIR...\n"
    "\n"
    "Times Siconos and Skein on FCLIB files (*.hdf5 of a DIR) until error_rel <= target, one thread each.\n"
    "  --targets LIST  error_rel to reach (default 1e-4,1e-6)\n"
    "  --seconds S     limit for one rival (all its settings), or Skein, on one file and target (default 60)\n"
    "  --csv OUT       the table (default: standard output)\n"
    "  --detail OUT    one line for every setting of Siconos\n"
    "  --help          this text\n"
    "Run it on a quiet core: taskset -c 1 siconos_compare ...\n";

static int fail_usage(const char *what, const char *arg)
{
  fprintf(stderr, "siconos_compare: %s%s%s\n%s", what, arg ? ": " : "", arg ? arg : "", usage);
  return 2;
}

static int parse_targets(bench *b, const char *list)
{
  b->target_count = 0;
  for (const char *s = list; *s;) {
    char *end;
    double x = strtod(s, &end);
    if (end == s || !(x > 0) || (*end && *end != ',') || b->target_count == MAX_TARGETS) return 0;
    b->targets[b->target_count++] = x;
    s = *end ? end + 1 : end;
  }
  return b->target_count;
}

static int compare_names(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_hdf5(const struct dirent *e)
{
  size_t length = strlen(e->d_name);
  return length > 5 && strcmp(e->d_name + length - 5, ".hdf5") == 0;
}

/* Appends path, or the *.hdf5 files of it when it is a folder, sorted by name. */
static int add_path(const char *path, char **files, int count)
{
  DIR *dir = opendir(path);
  int first = count;
  if (!dir) {
    if (count < MAX_FILES && (files[count] = strdup(path))) count++;
    return count;
  }
  for (struct dirent *e; (e = readdir(dir)) && count < MAX_FILES;) {
    if (!is_hdf5(e)) continue;
    size_t size = strlen(path) + strlen(e->d_name) + 2;
    if (!(files[count] = malloc(size))) break;
    snprintf(files[count++], size, "%s/%s", path, e->d_name);
  }
  closedir(dir);
  qsort(files + first, (size_t)(count - first), sizeof *files, compare_names);
  return count;
}

static FILE *open_out(const char *path, const char *header)
{
  FILE *f = fopen(path, "w");
  if (f) fprintf(f, "%s\n", header);
  else perror(path);
  return f;
}

int main(int argc, char **argv)
{
  static char *files[MAX_FILES];
  bench b = {.targets = {1e-4, 1e-6}, .target_count = 2, .seconds = 60, .csv = stdout};
  const char *csv = NULL, *detail = NULL;
  int count = 0, failures = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) return fputs(usage, stdout) < 0;
    if (strncmp(argv[i], "--", 2) != 0) count = add_path(argv[i], files, count);
    else if (i + 1 == argc) return fail_usage("value missing or option unknown", argv[i]);
    else if (strcmp(argv[i], "--csv") == 0) csv = argv[++i];
    else if (strcmp(argv[i], "--detail") == 0) detail = argv[++i];
    else if (strcmp(argv[i], "--seconds") == 0 && (b.seconds = atof(argv[++i])) > 0) continue;
    else if (strcmp(argv[i], "--targets") == 0 && parse_targets(&b, argv[++i])) continue;
    else return fail_usage("option unknown or bad value", argv[i]);
  }
  if (!count) return fail_usage("no files", NULL);
  /* before BLAS starts its threads: the environment is read when a library is loaded, so start again with it set */
  if (!getenv("OPENBLAS_NUM_THREADS") || strcmp(getenv("OPENBLAS_NUM_THREADS"), "1") != 0) {
    setenv("OPENBLAS_NUM_THREADS", "1", 1), setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
  }
  static const char header[] =
      "file,contacts,target,skein_seconds,skein_setup,skein_error_rel,skein_method,skein_iterations,"
      "best_rival,best_seconds,nsgs_ac,nsgs_quartic,admm,nsn_ac,ratio,ratio_with_setup";
  if (csv && !(b.csv = open_out(csv, header))) return 1;
  if (!csv) printf("%s\n", header);
  if (detail && !(b.detail = open_out(detail, "file,contacts,method,target,seconds,our_error_rel,siconos_tol,status")))
    return 1;
  b.row_room = count * b.target_count;
  if (!(b.rows = sk_calloc((size_t)b.row_room, sizeof *b.rows))) return 1;
  for (int i = 0; i < count; i++) {
    skein_status status = run_file(&b, files[i]);
    if (status.code) fprintf(stderr, "%s: %s\n", files[i], status.message), failures++;
    free(files[i]);
  }
  if (csv && fclose(b.csv)) return 1;
  if (b.detail && fclose(b.detail)) return 1;
  print_machine();
  for (int k = 0; k < b.target_count; k++) print_target(&b, b.targets[k]);
  free(b.rows);
  return failures > 0;
}
