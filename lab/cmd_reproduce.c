/* `skein reproduce`: the published experiments, run in this process and reported on one page. */
#include "reproduce.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OUTPUT, QUICK, RUNS, PROBLEMS, STEPS, THREADS, LIST };

static const tool_option options[] = {
    [OUTPUT] = {"output", 'o', "DIR", "folder of the report (default: reproduce)"},
    [QUICK] = {"quick", 'q', NULL, "short runs: less than 10 minutes on 2 cores"},
    [RUNS] = {"runs", 0, "DIR", "where runs of hair are looked for and kept (default: the report's folder)"},
    [PROBLEMS] = {"problems", 0, "N", "one-step problems of Table 2 (default: 306, 8 with --quick)"},
    [STEPS] = {"steps", 0, "N", "at most N steps of each simulation: a try, nothing is judged"},
    [THREADS] = {"threads", 'j', "N", "threads, 0: all cores (default)"},
    [LIST] = {"list", 'l', NULL, "the names of the experiments"},
    {0}};

static void print_notes(FILE *out)
{
  fputs("\nExperiments:\n", out);
  for (int k = 0; k < REPRODUCE_EXPERIMENTS; k++)
    fprintf(out, "  %-13s %s\n", reproduce_experiments[k].name, reproduce_experiments[k].title);
  fputs("\nWrites DIR/report.html (one page, nothing else needed), DIR/report.json and DIR/*.csv, again after every\n"
        "experiment; Ctrl-C writes what there is. Scenes are looked for in $SKEIN_SCENES, else beside the program, in\n"
        "its share/skein/scenes, in ./scenes. Runs of hair are files (free-a.h5): one that is there is used, one that\n"
        "is not whole is gone on with; they take hours, see 'skein run --resume'. Exit code 1: an experiment failed or "
        "a claim did not hold.\n",
        out);
}

/* Which experiments are asked for; false after a message. */
static bool choose(int argc, char **argv, bool *chosen)
{
  const char *names[REPRODUCE_EXPERIMENTS];
  for (int k = 0; k < REPRODUCE_EXPERIMENTS; k++) names[k] = reproduce_experiments[k].name, chosen[k] = argc == 0;
  for (int i = 0; i < argc; i++) {
    int found = -1;
    for (int k = 0; k < REPRODUCE_EXPERIMENTS; k++)
      if (!strcmp(argv[i], names[k])) found = k;
    if (found >= 0) chosen[found] = true;
    else {
      const char *nearest = tool_nearest(argv[i], names, REPRODUCE_EXPERIMENTS);
      if (nearest) tool_error("reproduce: no experiment '%s', did you mean '%s'?", argv[i], nearest);
      else tool_error("reproduce: no experiment '%s', see 'skein reproduce --list'", argv[i]);
      return false;
    }
  }
  return true;
}

static int prepare(const char *folder)
{
  struct stat about;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return tool_error("%s: cannot make the directory: %s", folder, strerror(errno)), TOOL_IO;
  if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
    return tool_error("%s: is not a directory", folder), TOOL_IO;
  return TOOL_OK;
}

/* Runs it with its text going to memory. */
static void run_one(const reproduce_settings *set, const reproduce_experiment *e, reproduce_section *s)
{
  *s = (reproduce_section){.set = set, .experiment = e, .begun = reproduce_clock(), .cut = set->steps > 0};
  s->tables = json_object(), s->claims = json_array();
  s->out = open_memstream(&s->html, &s->html_size);
  fprintf(stderr, "%s: %s\n", e->name, e->title);
  if (s->out) {
    s->status = e->run(s);
    fclose(s->out);
    s->out = NULL;
  } else s->status = (skein_status){.code = SKEIN_NO_MEMORY, .message = "out of memory"};
  s->seconds = reproduce_clock() - s->begun;
  if (s->status.code != SKEIN_OK) tool_error("%s: %s", e->name, s->status.message);
  fprintf(stderr, "%s: %.1f s, %lld steps, %d of %d claims hold%s\n", e->name, s->seconds, (long long)s->steps, s->held,
          s->held + s->failed, s->cut ? ", cut short" : "");
}

static int run_all(const reproduce_settings *set, const bool *chosen)
{
  reproduce_section section[REPRODUCE_EXPERIMENTS];
  int count = 0, code = prepare(set->folder), result = TOOL_OK;
  double begun = reproduce_clock();
  if (code == TOOL_OK && set->runs) code = prepare(set->runs);
  if (code != TOOL_OK) return code;
  reproduce_catch();
  for (int k = 0; k < REPRODUCE_EXPERIMENTS && code == TOOL_OK && !reproduce_interrupted(); k++) {
    if (!chosen[k]) continue;
    run_one(set, &reproduce_experiments[k], &section[count]);
    if (section[count].status.code != SKEIN_OK || section[count].failed > 0) result = TOOL_NOT_CONVERGED;
    count++;
    code = reproduce_write(set, section, count, reproduce_clock() - begun, false);
  }
  if (code == TOOL_OK && !reproduce_interrupted())
    code = reproduce_write(set, section, count, reproduce_clock() - begun, true);
  if (code == TOOL_OK)
    printf("%s/report.html: %d experiments, %.0f s\n", set->folder, count, reproduce_clock() - begun);
  for (int k = 0; k < count; k++) {
    free(section[k].html);
    json_decref(section[k].tables);
    json_decref(section[k].claims);
  }
  if (code != TOOL_OK) return code;
  return reproduce_interrupted() ? TOOL_INTERRUPTED : result;
}

static int run(const tool_command *command, int argc, char **argv)
{
  reproduce_settings set = {.folder = "reproduce", .begun = time(NULL)};
  bool list = false, ok = true, chosen[REPRODUCE_EXPERIMENTS];
  const char *value;
  int key;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0) {
    if (key == OUTPUT) set.folder = value;
    if (key == QUICK) set.quick = true;
    if (key == RUNS) set.runs = value;
    if (key == LIST) list = true;
    if (key == PROBLEMS) ok = ok && tool_parse_int("--problems", value, 1, 1000000, &set.problems);
    if (key == STEPS) ok = ok && tool_parse_int("--steps", value, 1, 100000000, &set.steps);
    if (key == THREADS) ok = ok && tool_parse_int("--threads", value, 0, 4096, &set.threads);
  }
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (!ok || !choose(argc - optind, argv + optind, chosen)) return TOOL_BAD;
  for (int k = 0; k < REPRODUCE_EXPERIMENTS && list; k++)
    printf("%-13s %s\n", reproduce_experiments[k].name, reproduce_experiments[k].title);
  return list ? TOOL_OK : run_all(&set, chosen);
}

const tool_command tool_reproduce = {
    .name = "reproduce",
    .about = "The papers' experiments, run and reported on one page",
    .usage = "[NAME ...] [OPTIONS]",
    .options = options,
    .notes = print_notes,
    .examples = "  skein reproduce hair locals --runs runs -o report   hair, from runs/free-a.h5 and so on\n"
                "  skein reproduce --quick -o report           all of them, in less than 10 minutes\n"
                "  skein reproduce knot reef -o report         two of them, whole\n"
                "  skein reproduce table1 --steps 50 -o try    a first look\n",
    .run = run};
