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
    [PLOT] = {"plot", 0, "DIR", "draw energies, contacts, errors, verdict, step lengths and times (needs gnuplot)"},
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
  run_verdict verdict;
} facts;

/* ---- Table ---- */

static void print_table(const facts *f)
{
  printf("\n%-12s %-6s %12s %12s %12s\n", "per step", "", "min", "mean", "max");
  for (int c = 1; c < RUN_COLUMNS; c++) { /* not the time itself */
    const run_column *column = &run_columns[c];
    const run_range *r = &f->summary.range[c];
    if (column->kind == RUN_TRUTH || column->kind == RUN_FLAWS || !isfinite(r->mean) ||
        !strncmp(column->name, "seconds", 7))
      continue;
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
  run_print_verdict(&f->verdict, run_names_of(f->run), f->steps);
  run_print_attempts(&f->verdict);
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

/* Who the objects of a finding are, for those that there are. */
static json_t *json_objects(const facts *f, int rods, skein_finding found)
{
  const int object[] = {found.a, found.b};
  char name[RUN_NAME];
  json_t *o = json_array();
  for (int k = 0; k < 2; k++) {
    run_object(run_names_of(f->run), rods, object[k], name);
    if (object[k] >= 0) json_array_append_new(o, tool_json_text(name));
  }
  return o;
}

static json_t *json_worst(const facts *f, skein_flaw flaw)
{
  const skein_step_info *step = &f->steps[f->verdict.flaw[flaw].worst];
  skein_finding found = run_finding(step, flaw);
  char text[RUN_TEXT];
  json_t *o = json_object();
  run_describe(run_names_of(f->run), step, flaw, text);
  json_object_set_new(o, "time", tool_json_number(step->time));
  json_object_set_new(o, "size", tool_json_number(found.size));
  json_object_set_new(o, "objects", json_objects(f, step->rods, found));
  json_object_set_new(o, "text", tool_json_text(text));
  return o;
}

static json_t *json_flaws(const facts *f)
{
  json_t *all = json_object();
  for (int k = 0; k < SKEIN_FLAW_COUNT; k++) {
    const run_flaw *flaw = &f->verdict.flaw[k];
    if (flaw->steps == 0) continue;
    json_t *o = json_object();
    json_object_set_new(o, "steps", json_integer(flaw->steps));
    json_object_set_new(o, "seconds", tool_json_number(flaw->seconds));
    json_object_set_new(o, "first", tool_json_number(f->steps[flaw->first].time));
    json_object_set_new(o, "worst", json_worst(f, k));
    json_object_set_new(all, skein_flaw_name(k), o);
  }
  return all;
}

/* {"too deep": {"halve": 3}}, "solved" for those without a flaw */
static json_t *json_attempts(const run_verdict *v)
{
  json_t *all = json_object();
  for (int k = 0; k <= SKEIN_FLAW_COUNT; k++) {
    json_t *o = json_object();
    for (int a = 0; a < SKEIN_ACTION_COUNT; a++)
      if (v->attempt[k][a] > 0) json_object_set_new(o, skein_action_name(a), json_integer(v->attempt[k][a]));
    const char *name = k == SKEIN_FLAW_COUNT ? "solved" : skein_flaw_name(k);
    if (json_object_size(o) > 0) json_object_set_new(all, name, o);
    else json_decref(o);
  }
  return all;
}

static json_t *json_verdict(const facts *f)
{
  const run_verdict *v = &f->verdict;
  json_t *o = json_object();
  bool unknown = v->judged < v->steps && !run_flawed(v);
  json_object_set_new(o, "within_tolerance", unknown ? json_null() : json_boolean(run_within(v)));
  json_object_set_new(o, "judged", json_integer(v->judged));
  json_object_set_new(o, "flawed", json_integer(v->flawed));
  json_object_set_new(o, "seconds", tool_json_number(v->seconds));
  json_object_set_new(o, "first", v->first < 0 ? json_null() : tool_json_number(f->steps[v->first].time));
  json_object_set_new(o, "crossings", tool_json_number(v->crossings));
  json_object_set_new(o, "made", tool_json_number(v->made));
  json_object_set_new(o, "turnover", tool_json_number(v->turnover));
  json_object_set_new(o, "flaws", json_flaws(f));
  json_object_set_new(o, "attempts", json_attempts(v));
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
  json_object_set_new(o, "verdict", json_verdict(f));
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

/* Objects of a column that is the size of a finding; NULL: it is none. */
static const skein_finding *finding_of(const skein_step_info *step, const run_column *column)
{
  const skein_verdict *v = &step->verdict;
  const skein_finding *const found[] = {&v->overlap, &v->deeper, &v->curved, &v->balance,
                                        &v->reach,   &v->speed,  &v->crossed};
  for (size_t k = 0; k < sizeof found / sizeof *found; k++)
    if ((const char *)&found[k]->size == (const char *)step + column->offset) return found[k];
  return NULL;
}

/* "too deep+unbalanced"; nothing: solved. */
static void write_flaws(FILE *out, unsigned flaws)
{
  bool more = false;
  if (flaws & SKEIN_FLAWS_UNKNOWN) fputs("unknown", out);
  for (int f = 0; f < SKEIN_FLAW_COUNT; f++)
    if (flaws >> f & 1) fprintf(out, "%s%s", more ? "+" : "", skein_flaw_name(f)), more = true;
}

static void write_field(FILE *out, const facts *f, const skein_step_info *step, const run_column *column)
{
  const skein_finding *found = finding_of(step, column);
  char name[RUN_NAME];
  if (column->kind == RUN_FLAWS) write_flaws(out, run_flaws(step));
  else tool_csv_number(out, run_value(step, column));
  for (int k = 0; found && k < 2; k++) {
    run_object(run_names_of(f->run), step->rods, k ? found->b : found->a, name);
    fputc(',', out), tool_csv_text(out, name);
  }
}

static int write_csv(const char *path, const facts *f)
{
  static const skein_step_info any;
  tool_file file;
  int code = tool_file_open(path, &file);
  if (code != TOOL_OK) return code;
  for (int c = 0; c < RUN_COLUMNS; c++) {
    const char *name = run_columns[c].name;
    fprintf(file.stream, "%s%s", c ? "," : "", name);
    if (finding_of(&any, &run_columns[c])) fprintf(file.stream, ",%s_a,%s_b", name, name);
  }
  fputc('\n', file.stream);
  for (int k = 0; k < f->count; k++) {
    for (int c = 0; c < RUN_COLUMNS; c++) {
      if (c) fputc(',', file.stream);
      write_field(file.stream, f, &f->steps[k], &run_columns[c]);
    }
    fputc('\n', file.stream);
  }
  return tool_file_commit(&file);
}

/* ---- The command ---- */

static int report(const settings *s, facts *f)
{
  f->summary = run_summarise(f->steps, f->count);
  f->verdict = run_judge(f->steps, f->count);
  int code = s->json ? print_json(f) : print_text(f);
  if (s->csv) code = tool_worst(code, write_csv(s->csv, f));
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
    .about = "Verdict, contacts, errors, energies and times of a run",
    .usage = "RUN.h5 [OPTIONS]",
    .options = options,
    .examples = "  skein stats heap.h5                                   tables\n"
                "  skein stats heap.h5 --json                            for another program\n"
                "  skein stats heap.h5 --csv steps.csv --plot figures    every step, and pictures\n",
    .run = run};
