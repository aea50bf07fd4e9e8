/* Scenes by name, stepped within limits of steps, time and patience; one-step problems solved once more. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "reproduce.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static const double line_seconds = 10; /* between two lines on stderr */

static void on_interrupt(int signal)
{
  (void)signal;
  interrupted = 1;
}

void reproduce_catch(void)
{
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool reproduce_interrupted(void)
{
  return interrupted;
}

double reproduce_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool reproduce_over(reproduce_section *s)
{
  bool late = s->set->quick && reproduce_clock() - s->begun > s->experiment->seconds;
  if (interrupted || late) s->cut = true;
  return interrupted || late;
}

/* ---- Scenes ---- */

/* folder + middle + name.json, if it is there. */
static char *try_place(const char *folder, const char *middle, const char *name)
{
  size_t size = strlen(folder) + strlen(middle) + strlen(name) + sizeof "/.json";
  char *path = malloc(size);
  if (!path) return NULL;
  snprintf(path, size, "%s%s/%s.json", folder, middle, name);
  if (access(path, R_OK) == 0) return path;
  free(path);
  return NULL;
}

/* The folder that holds the program; "" where the system does not say. */
static void find_program(char *folder, size_t size)
{
  ssize_t length = readlink("/proc/self/exe", folder, size - 1);
  folder[length > 0 ? length : 0] = 0;
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
}

char *reproduce_find_scene(const char *name)
{
  /* installed: PREFIX/bin; built: ROOT/build/release */
  static const char *const beside[] = {"/../share/skein/scenes", "/../../scenes", "/../scenes"};
  char program[4096];
  const char *asked = getenv("SKEIN_SCENES");
  if (asked && asked[0]) return try_place(asked, "", name);
  find_program(program, sizeof program);
  for (size_t k = 0; k < sizeof beside / sizeof beside[0] && program[0]; k++) {
    char *path = try_place(program, beside[k], name), *plain = path ? realpath(path, NULL) : NULL;
    if (plain) free(path), path = plain;
    if (path) return path;
  }
  return try_place(".", "/scenes", name);
}

double reproduce_tolerance(const skein_scene *scene)
{
  json_t *root = json_loads(skein_scene_source(scene), 0, NULL);
  json_t *tol = json_object_get(json_object_get(root, "solver"), "tol");
  double value = json_is_number(tol) ? json_number_value(tol) : 1e-6;
  json_decref(root);
  return value;
}

/* ---- Runs ---- */

skein_status reproduce_start(reproduce_section *s, const char *scene, const char *const *sets, int set_count, int limit,
                             reproduce_run *run)
{
  skein_status status = {.code = SKEIN_OK};
  char *path = reproduce_find_scene(scene);
  *run = (reproduce_run){.section = s, .limit = limit, .begun = reproduce_clock()};
  run->said = run->begun;
  if (s->set->steps > 0 && (limit == 0 || s->set->steps < limit)) run->limit = s->set->steps, s->cut = true;
  if (!path) {
    s->missing = true;
    status.code = SKEIN_IO_FAILURE;
    snprintf(status.message, sizeof status.message,
             "the scene %s.json is not there, expected it in $SKEIN_SCENES, in "
             "share/skein/scenes beside the program, or in ./scenes",
             scene);
    return status;
  }
  status = skein_scene_read(path, sets, set_count, &run->scene);
  free(path);
  if (status.code == SKEIN_OK) status = skein_world_create(run->scene, s->set->threads, &run->world);
  if (status.code == SKEIN_OK) run->until = skein_scene_duration(run->scene);
  return status;
}

static void count_step(reproduce_run *run, double seconds)
{
  const skein_step_info *t = &run->info;
  run->steps++, run->section->steps++;
  run->seconds += seconds, run->above += !t->converged;
  run->error_max = fmax(run->error_max, t->error);
  run->penetration_max = fmax(run->penetration_max, t->penetration);
  if (t->contacts > 0 && t->nu > 0) run->busy++, run->seconds_busy += seconds;
  if (t->contacts > run->contacts_max) run->contacts_max = t->contacts;
  if (t->stick + t->slide > run->acting_max) run->acting_max = t->stick + t->slide;
  if (isfinite(t->nu)) run->nu_max = fmax(run->nu_max, t->nu);
}

bool reproduce_step(reproduce_run *run, skein_status *status)
{
  reproduce_section *s = run->section;
  if (status->code != SKEIN_OK || !run->world || reproduce_over(s)) return false;
  if (run->limit > 0 && run->steps >= run->limit) return false;
  run->late = s->set->quick && run->patience > 0 && reproduce_clock() - run->begun > run->patience;
  if (run->late || skein_world_time(run->world) >= run->until * (1 - 1e-12)) return false;
  double begun = reproduce_clock();
  *status = skein_world_step(run->world, run->until, &run->info);
  if (status->code != SKEIN_OK) return false;
  double now = reproduce_clock();
  count_step(run, now - begun);
  if (now - run->said > line_seconds) {
    run->said = now;
    fprintf(stderr, "%s: %.4g of %.4g s, step %d, %d contacts, %.0f s so far\n", s->experiment->name, run->info.time,
            run->until, run->steps, run->info.contacts, now - s->begun);
  }
  return true;
}

void reproduce_stop(reproduce_run *run)
{
  skein_world_destroy(run->world);
  skein_scene_destroy(run->scene);
  run->world = NULL, run->scene = NULL;
}

/* ---- Problems ---- */

const char *reproduce_solver_name(reproduce_solver solver)
{
  if (solver.method == SKEIN_NEWTON_AC && solver.ball == SKEIN_BALL_PLAIN) return "newton-ac/plain";
  return skein_method_name(solver.method);
}

skein_status reproduce_solve(const reproduce_run *run, reproduce_solver solver, double tol, double seconds,
                             skein_progress_fn progress, void *user, skein_solve_info *info)
{
  const skein_problem *p = skein_world_problem(run->world);
  skein_solution solution = {0};
  skein_solve_def def = skein_default_solve_def();
  *info = (skein_solve_info){.converged = true};
  if (!p) return (skein_status){.code = SKEIN_OK};
  skein_method method = solver.method;
  def.method = method, def.ball = solver.ball, def.threads = run->section->set->threads, def.max_seconds = seconds;
  tool_set_tol(&def, tol);
  def.max_sweeps = method == SKEIN_NEWTON_AC || method == SKEIN_NEWTON_MFB ? 200 : 100000; /* 200: the paper's */
  def.progress = progress, def.user = user;
  if (progress) def.look = 1;
  skein_status status = skein_solution_create(p, &solution);
  if (status.code == SKEIN_OK) status = skein_solve(p, &def, &solution, info);
  skein_solution_destroy(&solution);
  return status;
}
