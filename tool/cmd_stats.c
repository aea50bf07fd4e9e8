/* `skein stats`: what happened in a run. */
#include "run.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JSON, CSV, PLOT };

static const tool_option options[] = {
    [JSON] = {"json", 0, NULL, "one JSON object instead of a table"},
    [CSV] = {"csv", 0, "FILE.csv", "write a line per step"},
    [PLOT] = {"plot", 0, "DIR", "draw energies, contacts, errors, step lengths and times (needs gnuplot)"},
    {0}};

typedef struct settings {
  bool json;
  const char *csv, *plot;
} settings;

/* What is known of a run. */
typedef struct facts {
  const char *path;
  const skein_run *run;
  const skein_step_info *steps;
  int count;
  double time; /* of the last frame */
  run_summary summary;
} facts;

/* ---- Table ---- */

static void print_table(const facts *f)
{
  printf("\n%-12s %-6s %12s %12s %12s\n", "per step", "", "min", "mean", "max");
  for (int c = 1; c < RUN_COLUMNS; c++) { /* not the time itself */
    const run_column *column = &run_columns[c];
    const run_range *r = &f->summary.range[c];
    if (column->kind == RUN_TRUTH || !isfinite(r->mean) || !strncmp(column->name, "seconds", 7)) continue;
    if (column->kind == RUN_INTEGER)
      printf("%-12s %-6s %12.0f %12.5g %12.0f\n", column->name, column->unit, r->min, r->mean, r->max);
    else printf("%-12s %-6s %12.4g %12.4g %12.4g\n", column->name, column->unit, r->min, r->mean, r->max);
  }
}

static void print_energy(const run_summary *s)
{
  static const char *const names[] = {"kinetic", "elastic", "gravity", "sum"};
  printf("\n%-12s %-6s %12s %12s %12s\n", "energy", "J", "start", "end", "change");
  double start = 0, end = 0;
  for (int k = 0; k < 4; k++) {
    double a = k < 3 ? s->energy_start[k] : start, b = k < 3 ? s->energy_end[k] : end;
    printf("%-12s %-6s %12.4g %12.4g %12.4g\n", names[k], "", a, b, b - a);
    start += a, end += b;
  }
  if (s->work != 0) printf("%-12s %-6s %12s %12s %12.4g\n", "work", "", "", "", s->work);
  printf("%-12s %-6s %12s %12s %12.4g\n", "dissipated", "", "", "", s->dissipated);
}

static void print_time(const run_summary *s)
{
  printf("\n%-12s %-6s %12s %12s %12s\n", "wall clock", "", "s", "ms per step", "share");
  for (int p = 0; p < RUN_PHASES; p++)
    printf("%-12s %-6s %12.4g %12.4g %10.1f %%\n", run_phases[p], "", s->seconds[p], 1e3 * s->seconds[p] / s->steps,
           s->seconds_all > 0 ? 100 * s->seconds[p] / s->seconds_all : 0);
  printf("%-12s %-6s %12.4g %12.4g\n", "all", "", s->seconds_all, 1e3 * s->seconds_all / s->steps);
}

static int print_text(const facts *f)
{
  const char *title = skein_run_title(f->run);
  printf("%s: %s%s%d frames, %.6g s in %d steps, version %s\n", f->path, title, title[0] ? "; " : "",
         skein_run_frames(f->run), f->time, f->count, skein_run_version(f->run));
  if (f->count == 0) return TOOL_OK;
  run_print_summary(&f->summary);
  print_table(f);
  print_energy(&f->summary);
  print_time(&f->summary);
  return TOOL_OK;
}

/* ---- JSON ---- */

static json_t *json_range(const run_range *r)
{
  json_t *o = json_object();
  json_object_set_new(o, "min", tool_json_number(r->min));
  json_object_set_new(o, "mean", tool_json_number(r->mean));
  json_object_set_new(o, "max", tool_json_number(r->max));
  return o;
}

static json_t *json_energy(const double energy[3], bool known)
{
  json_t *o = json_object();
  json_object_set_new(o, "kinetic", tool_json_number(known ? energy[0] : NAN));
  json_object_set_new(o, "elastic", tool_json_number(known ? energy[1] : NAN));
  json_object_set_new(o, "gravity", tool_json_number(known ? energy[2] : NAN));
  return o;
}

static int print_json(const facts *f)
{
  const run_summary *s = &f->summary;
  json_t *o = json_object(), *columns = json_object(), *seconds = json_object();
  for (int c = 0; c < RUN_COLUMNS; c++) json_object_set_new(columns, run_columns[c].name, json_range(&s->range[c]));
  for (int p = 0; p < RUN_PHASES; p++) json_object_set_new(seconds, run_phases[p], tool_json_number(s->seconds[p]));
  json_object_set_new(seconds, "all", tool_json_number(s->seconds_all));
  json_object_set_new(o, "file", tool_json_text(f->path));
  json_object_set_new(o, "title", tool_json_text(skein_run_title(f->run)));
  json_object_set_new(o, "version", tool_json_text(skein_run_version(f->run)));
  json_object_set_new(o, "frames", json_integer(skein_run_frames(f->run)));
  json_object_set_new(o, "fps", tool_json_number(skein_run_fps(f->run)));
  json_object_set_new(o, "time", tool_json_number(f->time));
  json_object_set_new(o, "steps", json_integer(f->count));
  json_object_set_new(o, "above_tolerance", json_integer(s->above));
  json_object_set_new(o, "retries", json_integer(s->retried));
  json_object_set_new(o, "stick", tool_json_number(s->stick));
  json_object_set_new(o, "slide", tool_json_number(s->slide));
  json_object_set_new(o, "open", tool_json_number(s->open));
  json_object_set_new(o, "energy_start", json_energy(s->energy_start, f->count > 0));
  json_object_set_new(o, "energy_end", json_energy(s->energy_end, f->count > 0));
  json_object_set_new(o, "work", tool_json_number(s->work));
  json_object_set_new(o, "dissipated", tool_json_number(s->dissipated));
  json_object_set_new(o, "seconds", seconds);
  json_object_set_new(o, "columns", columns);
  return tool_json_print(o);
}

/* ---- CSV ---- */

static int write_csv(const char *path, const skein_step_info *steps, int count)
{
  tool_file file;
  int code = tool_file_open(path, &file);
  if (code != TOOL_OK) return code;
  for (int c = 0; c < RUN_COLUMNS; c++) fprintf(file.stream, "%s%s", c ? "," : "", run_columns[c].name);
  fputc('\n', file.stream);
  for (int k = 0; k < count; k++) {
    for (int c = 0; c < RUN_COLUMNS; c++) {
      if (c) fputc(',', file.stream);
      tool_csv_number(file.stream, run_value(&steps[k], &run_columns[c]));
    }
    fputc('\n', file.stream);
  }
  return tool_file_commit(&file);
}

/* ---- The command ---- */

static int report(const settings *s, facts *f)
{
  f->summary = run_summarise(f->steps, f->count);
  int code = s->json ? print_json(f) : print_text(f);
  if (s->csv) code = tool_worst(code, write_csv(s->csv, f->steps, f->count));
  if (s->plot) code = tool_worst(code, run_plot(s->plot, skein_run_title(f->run), f->steps, f->count));
  return code;
}

static int show(const settings *s, const char *path)
{
  skein_run *run = NULL;
  skein_step_info *steps = NULL;
  skein_frame last = {0};
  int count = 0;
  skein_status status = skein_run_open(path, false, &run);
  if (status.code == SKEIN_OK) status = skein_run_steps(run, &steps, &count);
  if (status.code == SKEIN_OK) status = skein_run_frame(run, skein_run_frames(run) - 1, &last);
  facts f = {.path = path, .run = run, .steps = steps, .count = count, .time = last.time};
  int code = status.code == SKEIN_OK ? report(s, &f) : tool_fail_input(path, status, TOOL_RUN);
  skein_frame_destroy(&last);
  free(steps);
  skein_run_close(run);
  return code;
}

static int run(const tool_command *command, int argc, char **argv)
{
  settings s = {0};
  const char *value;
  int key;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0) {
    if (key == JSON) s.json = true;
    if (key == CSV) s.csv = value;
    if (key == PLOT) s.plot = value;
  }
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (optind >= argc) return tool_error("stats: no run given, see 'skein stats --help'"), TOOL_BAD;
  if (argc - optind > 1) return tool_error("stats: takes one run, %d were given", argc - optind), TOOL_BAD;
  return show(&s, argv[optind]);
}

const tool_command tool_stats = {
    .name = "stats",
    .about = "Contacts, errors, energies and times of a run",
    .usage = "RUN.h5 [OPTIONS]",
    .options = options,
    .examples = "  skein stats heap.h5                                   tables\n"
                "  skein stats heap.h5 --json                            for another program\n"
                "  skein stats heap.h5 --csv steps.csv --plot figures    every step, and pictures\n",
    .run = run};
