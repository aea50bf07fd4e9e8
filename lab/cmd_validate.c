/* `skein validate`: rod models and contacts against reference solutions. */
#include "validate.h"

#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MODEL, LIST, THREADS, JSON, PLOT };
enum { max_jobs = VALIDATE_TESTS * VALIDATE_MODELS, max_threads = 64 };

static const tool_option options[] = {
    [MODEL] = {"model", 'm', "A,B,...", "rod models to run; bodies: tests of rigid bodies (default: all)"},
    [LIST] = {"list", 0, NULL, "what tests there are, and stop"},
    [THREADS] = {"threads", 'j', "N",
                 "tests run side by side, 0: all cores (default); the answers do not depend on it"},
    [JSON] = {"json", 0, NULL, "one JSON document instead of tables"},
    [PLOT] = {"plot", 0, "DIR", "draw every curve against the reference into DIR (needs gnuplot)"},
    {0}};

typedef struct settings {
  bool tests[VALIDATE_TESTS], models[VALIDATE_MODELS];
  bool list, json;
  int threads;
  const char *plot;
} settings;

/* ---- Options ---- */

static bool parse_models(settings *s, const char *text)
{
  const char *names[VALIDATE_MODELS];
  char name[64];
  for (int k = 0; k < VALIDATE_MODELS; k++) names[k] = validate_model_name(k);
  for (const char *at = text;; at++) {
    size_t length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), at);
    int found = tool_parse_word("--model", name, names, VALIDATE_MODELS);
    if (found < 0) return false;
    s->models[found] = true;
    at += length;
    if (!*at) return true;
  }
}

static bool set_option(settings *s, int key, const char *value)
{
  switch (key) {
  case MODEL:
    return parse_models(s, value);
  case LIST:
    return s->list = true;
  case THREADS:
    return tool_parse_int("--threads", value, 0, max_threads, &s->threads);
  case JSON:
    return s->json = true;
  case PLOT:
    return s->plot = value, true;
  default:
    return false;
  }
}

static bool parse_tests(settings *s, int count, char **names)
{
  const char *words[VALIDATE_TESTS];
  for (int k = 0; k < VALIDATE_TESTS; k++) words[k] = validate_tests[k].name;
  for (int k = 0; k < count; k++) {
    int found = tool_parse_word("validate: test", names[k], words, VALIDATE_TESTS);
    if (found < 0) return false;
    s->tests[found] = true;
  }
  return true;
}

/* Nothing chosen: everything. */
static void choose_all(bool *chosen, int count)
{
  for (int k = 0; k < count; k++)
    if (chosen[k]) return;
  for (int k = 0; k < count; k++) chosen[k] = true;
}

static void print_list(FILE *out)
{
  for (int k = 0; k < VALIDATE_TESTS; k++)
    fprintf(out, "  %-12s %s\n", validate_tests[k].name, validate_tests[k].about);
}

static void print_notes(FILE *out)
{
  fputs("\nTests:\n", out);
  print_list(out);
  fputs("\nModels:\n", out);
  for (int k = 0; k < SKEIN_ROD_MODEL_COUNT; k++)
    fprintf(out, "  %-14s %s\n", skein_rod_model_name((skein_rod_model)k), skein_rod_model_about((skein_rod_model)k));
}

/* ---- The runs ---- */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One test of one model, in the order of the table. */
typedef struct job {
  validate_task task;
  validate_results results;
  double seconds;
  bool done;
} job;

/* The jobs are taken one after the other by whoever is free; each fills its own results. */
typedef struct pool {
  job jobs[max_jobs];
  int count, next, done;
  pthread_mutex_t lock;
  pthread_cond_t finished;
} pool;

static void *work(void *user)
{
  pool *p = user;
  pthread_mutex_lock(&p->lock);
  while (p->next < p->count) {
    job *j = &p->jobs[p->next++];
    pthread_mutex_unlock(&p->lock);
    double begin = now();
    validate_run(&j->task);
    j->seconds = now() - begin;
    pthread_mutex_lock(&p->lock);
    j->done = true;
    p->done++;
    pthread_cond_broadcast(&p->finished);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

static void wait_for(pool *p, const job *j)
{
  bool terminal = isatty(STDERR_FILENO);
  pthread_mutex_lock(&p->lock);
  while (!j->done) {
    if (terminal)
      fprintf(stderr, "\r\033[K%s: %s (%d of %d done)", j->task.test->name, validate_model_name(j->task.model), p->done,
              p->count);
    pthread_cond_wait(&p->finished, &p->lock);
  }
  pthread_mutex_unlock(&p->lock);
  if (terminal) fputs("\r\033[K", stderr);
}

/* The results of each test as soon as its jobs are done, in the order of the table. */
static void collect(const settings *s, pool *p, validate_results *results)
{
  for (int k = 0; k < p->count;) {
    const validate_test *test = p->jobs[k].task.test;
    int first = results->rows;
    double seconds = 0;
    for (; k < p->count && p->jobs[k].task.test == test; k++) {
      wait_for(p, &p->jobs[k]);
      seconds += p->jobs[k].seconds;
      validate_results_append(results, &p->jobs[k].results);
    }
    if (!s->json) validate_print_test(results, first, test, seconds);
  }
}

static void fill_pool(const settings *s, pool *p)
{
  for (int t = 0; t < VALIDATE_TESTS; t++)
    for (int m = 0; m < VALIDATE_MODELS; m++) {
      if (!s->tests[t] || !s->models[m] || !validate_is_about(&validate_tests[t], m)) continue;
      job *j = &p->jobs[p->count++];
      j->task = (validate_task){&validate_tests[t], (skein_rod_model)m, &j->results};
    }
}

/* Every chosen test of every chosen model. A thread that cannot be made is done without. */
static bool run_pool(const settings *s, validate_results *results)
{
  pthread_t threads[max_threads];
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int wanted = s->threads > 0 ? s->threads : cores < 1 ? 1 : cores > max_threads ? max_threads : (int)cores, made = 0;
  pool *p = calloc(1, sizeof *p);
  if (!p) return false;
  fill_pool(s, p);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->finished, NULL);
  while (made < wanted && made < p->count && pthread_create(&threads[made], NULL, work, p) == 0) made++;
  if (made == 0) work(p);
  collect(s, p, results);
  for (int k = 0; k < made; k++) pthread_join(threads[k], NULL);
  for (int k = 0; k < p->count; k++) validate_results_destroy(&p->jobs[k].results);
  pthread_cond_destroy(&p->finished);
  pthread_mutex_destroy(&p->lock);
  free(p);
  return !results->no_memory;
}

static int run_all(const settings *s)
{
  validate_results results = {0};
  int code = s->plot ? validate_plot_prepare(s->plot) : TOOL_OK;
  if (code != TOOL_OK) return code;
  bool ready = run_pool(s, &results);
  if (!ready) tool_error("out of memory"), code = TOOL_IO;
  else if (s->json) code = validate_print_json(&results);
  else validate_print_summary(&results, s->tests, s->models);
  if (validate_count(&results, VALIDATE_FAIL) > 0) code = tool_worst(code, TOOL_NOT_CONVERGED);
  if (s->plot && ready) code = tool_worst(code, validate_plot(s->plot, &results));
  validate_results_destroy(&results);
  return code;
}

/* Whether some chosen test is about some chosen model. */
static bool has_work(const settings *s)
{
  for (int t = 0; t < VALIDATE_TESTS; t++)
    for (int m = 0; m < VALIDATE_MODELS; m++)
      if (s->tests[t] && s->models[m] && validate_is_about(&validate_tests[t], m)) return true;
  tool_error("validate: none of these tests is about these models");
  return false;
}

static int run(const tool_command *command, int argc, char **argv)
{
  settings s = {0};
  const char *value;
  int key;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0)
    if (!set_option(&s, key, value)) return TOOL_BAD;
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (!parse_tests(&s, argc - optind, argv + optind)) return TOOL_BAD;
  if (s.list) return print_list(stdout), TOOL_OK;
  choose_all(s.tests, VALIDATE_TESTS);
  choose_all(s.models, VALIDATE_MODELS);
  return has_work(&s) ? run_all(&s) : TOOL_BAD;
}

const tool_command tool_validate = {
    .name = "validate",
    .about = "Compare rods and contacts with reference solutions",
    .usage = "[TEST...] [OPTIONS]",
    .options = options,
    .notes = print_notes,
    .examples = "  skein validate                                   every test of every model\n"
                "  skein validate cantilever --model super-helix    one test of one model\n"
                "  skein validate helix ring --model der,corde      two tests of two models\n"
                "  skein validate incline stopping ball capstan      contacts\n"
                "  skein validate --plot figures                    with every curve as SVG and PNG\n"
                "  skein validate --json > rods.json                for other programs\n",
    .run = run};
