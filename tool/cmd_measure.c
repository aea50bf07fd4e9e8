/* `skein measure`: what the hair of a run did: clumps, volume, stick and slip, rest. */
#include "measure.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>

enum { AGAINST, REACH, SHARE, HOLD, SLIP, CELL, OUTER, JSON, CSV, PLOT };

static const tool_option options[] = {
    [AGAINST] = {"against", 0, "OTHER.h5", "the same of another run, and the ratio: friction against none, say"},
    [REACH] = {"reach", 0, "K", "rods are close within K times the sum of their radii (default: 2)"},
    [SHARE] = {"share", 0, "X", "and joined where that is so over this share of their length (default: 0.5)"},
    [HOLD] = {"hold", 0, "S", "and was so S seconds before (default: 0.2)"},
    [SLIP] = {"slip", 0, "K", "and slid at most K sums of radii along each other since (default: 1; inf: any way)"},
    [CELL] = {"cell", 0, "M", "edge in m of the cells that count as volume (default: 0.01)"},
    [OUTER] = {"outer", 0, "X", "contacts with bodies count from this share of a rod on (default: 0.5)"},
    [JSON] = {"json", 0, NULL, "one JSON object instead of tables"},
    [CSV] = {"csv", 0, "FILE.csv", "write a line per frame"},
    [PLOT] = {"plot", 0, "DIR", "draw clumps, volume, stick and slip, a strand, energy (needs gnuplot)"},
    {0}};

typedef struct settings {
  skein_measure_def def;
  bool json;
  const char *against, *csv, *plot;
} settings;

static bool set_option(settings *s, int key, const char *value)
{
  skein_measure_def *d = &s->def;
  switch (key) {
  case AGAINST:
    return s->against = value, true;
  case REACH:
    return tool_parse_double("--reach", value, 1e-6, 1e6, &d->reach);
  case SHARE:
    return tool_parse_double("--share", value, 1e-6, 1, &d->share);
  case HOLD:
    return tool_parse_double("--hold", value, 0, 1e6, &d->hold);
  case SLIP:
    return tool_parse_double("--slip", value, 0, INFINITY, &d->slip);
  case CELL:
    return tool_parse_double("--cell", value, 1e-9, 1e9, &d->cell);
  case OUTER:
    return tool_parse_double("--outer", value, 0, 1, &d->outer);
  case JSON:
    return s->json = true;
  case CSV:
    return s->csv = value, true;
  case PLOT:
    return s->plot = value, true;
  default:
    return false;
  }
}

/* ---- Table ---- */

static void print_head(void)
{
  printf("\n%-14s %-5s", "", "");
  for (int p = 0; p < MEASURE_PHASES; p++) printf(" %10s", measure_phase_names[p]);
  putchar('\n');
}

static void print_number(double x)
{
  if (isfinite(x)) printf(" %10.4g", x);
  else printf(" %10s", "-");
}

static void print_table(const measure_summary *s)
{
  print_head();
  printf("%-20s", "frames");
  for (int p = 0; p < MEASURE_PHASES; p++) printf(" %10d", s->frames[p]);
  putchar('\n');
  for (int c = 0; c < MEASURE_COLUMNS; c++) {
    printf("%-14s %-5s", measure_columns[c].name, measure_columns[c].unit);
    for (int p = 0; p < MEASURE_PHASES; p++) print_number(measure_columns[c].scale * s->value[p][c]);
    putchar('\n');
  }
}

static void print_run(const char *path, const skein_measures *m, const measure_summary *s)
{
  double taken = measure_find(s, MEASURE_ALL, "dissipated"), rubbed = measure_find(s, MEASURE_ALL, "friction");
  double contacts = measure_find(s, MEASURE_ALL, "contacts");
  printf("%s: %d frame%s, %.6g s, %d rod%s; rough: roots faster than %.3g m/s\n", path, m->frames, tool_plural(m->frames),
         m->frames > 0 ? m->row[m->frames - 1].time : 0, m->rods, tool_plural(m->rods), s->rough_from);
  print_table(s);
  if (taken > 0) printf("\nfriction     took %.4g J, %.1f %% of what contacts took\n", rubbed, 100 * rubbed / taken);
  else printf("\nfriction     took nothing%s\n", contacts > 0 ? "" : ", there were no contacts");
  if (m->strand >= 0)
    printf("strand       rod %d sticks on a body in %d frames (slips %.3g mm), slides in %d (%.3g mm), %d changes\n",
           m->strand, s->sticks, 1e3 * s->slip_stick, s->slides, 1e3 * s->slip_slide, s->changes);
  else printf("strand       no rod both sticks and slides on a body\n");
  printf("rest         %.4g to %.4g s: largest speed %.3g m/s (%.3g at the end), kinetic energy %.3g J, contacts that\n"
         "             changed in a step %.0f at most; nothing moved further than %.3g m between the two\n",
         m->rest.from, m->rest.to, m->rest.speed, m->rest.speed_end, m->rest.kinetic, m->rest.contacts_changed,
         m->shift);
}

static void print_ratio(const measure_summary *a, const measure_summary *b)
{
  printf("\nfirst / second");
  print_head();
  for (int c = 0; c < MEASURE_COLUMNS; c++) {
    printf("%-14s %-5s", measure_columns[c].name, "");
    for (int p = 0; p < MEASURE_PHASES; p++) print_number(a->value[p][c] / b->value[p][c]);
    putchar('\n');
  }
}

/* ---- JSON, CSV ---- */

static json_t *json_run(const char *path, const skein_measures *m, const measure_summary *s)
{
  json_t *o = json_object();
  json_object_set_new(o, "file", tool_json_text(path));
  json_object_set_new(o, "frames", json_integer(m->frames));
  json_object_set_new(o, "rods", json_integer(m->rods));
  json_object_set_new(o, "rough_from", tool_json_number(s->rough_from));
  for (int p = 0; p < MEASURE_PHASES; p++) {
    json_t *phase = json_object();
    json_object_set_new(phase, "frames", json_integer(s->frames[p]));
    for (int c = 0; c < MEASURE_COLUMNS; c++)
      json_object_set_new(phase, measure_columns[c].name, tool_json_number(s->value[p][c]));
    json_object_set_new(o, measure_phase_names[p], phase);
  }
  json_object_set_new(o, "strand",
                      json_pack("{s:i, s:i, s:i, s:i, s:f, s:f}", "rod", m->strand, "sticks", s->sticks, "slides",
                                s->slides, "changes", s->changes, "slip_stick", s->slip_stick, "slip_slide",
                                s->slip_slide));
  json_object_set_new(o, "rest",
                      json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "from", m->rest.from, "to", m->rest.to, "speed",
                                m->rest.speed, "speed_end", m->rest.speed_end, "kinetic", m->rest.kinetic,
                                "contacts_changed", m->rest.contacts_changed, "shift", m->shift));
  return o;
}

static int write_csv(const char *path, const skein_measures *m)
{
  tool_file file;
  int code = tool_file_open(path, &file);
  if (code != TOOL_OK) return code;
  fputs("time", file.stream);
  for (int c = 0; c < MEASURE_COLUMNS; c++) fprintf(file.stream, ",%s", measure_columns[c].name);
  fputs(",strand_contacts,strand_status,strand_slip,strand_force\n", file.stream);
  measure_write_rows(file.stream, m, ',', "");
  return tool_file_commit(&file);
}

/* ---- The command ---- */

static int report(const settings *s, const char *path, const skein_measures *m, const skein_measures *other)
{
  measure_summary first = measure_summarise(m), second = measure_summarise(other);
  int code = TOOL_OK;
  if (s->json) {
    json_t *o = json_run(path, m, &first);
    if (s->against) json_object_set_new(o, "against", json_run(s->against, other, &second));
    code = tool_json_print(o);
  } else {
    print_run(path, m, &first);
    if (s->against) {
      putchar('\n');
      print_run(s->against, other, &second);
      print_ratio(&first, &second);
    }
  }
  if (s->csv) code = tool_worst(code, write_csv(s->csv, m));
  if (s->plot) code = tool_worst(code, measure_plot(s->plot, path, m));
  return code;
}

static int run(const tool_command *command, int argc, char **argv)
{
  settings s = {.def = skein_default_measure_def()};
  skein_measures m = {0}, other = {0};
  const char *value;
  int key;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0)
    if (!set_option(&s, key, value)) return TOOL_BAD;
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (optind >= argc) return tool_error("measure: no run given, see 'skein measure --help'"), TOOL_BAD;
  if (argc - optind > 1) return tool_error("measure: takes one run, %d were given", argc - optind), TOOL_BAD;
  const char *path = argv[optind], *at = path;
  skein_status status = measure_read(path, &s.def, &m);
  if (status.code == SKEIN_OK && s.against) at = s.against, status = measure_read(at, &s.def, &other);
  int code = status.code == SKEIN_OK ? report(&s, path, &m, &other) : tool_fail_input(at, status, TOOL_RUN);
  skein_measures_destroy(&m);
  skein_measures_destroy(&other);
  return code;
}

const tool_command tool_measure = {
    .name = "measure",
    .about = "Clumps, volume, stick and slip, friction's energy and rest of a run",
    .usage = "RUN.h5 [OPTIONS]",
    .options = options,
    .examples = "  skein measure hair.h5                              tables: still, gentle and rough parts\n"
                "  skein measure hair.h5 --csv frames.csv --plot figures\n"
                "  skein measure hair.h5 --against smooth.h5          with friction against without\n"
                "  skein measure hair.h5 --reach 1.5 --share 0.7      a stricter definition of a clump\n"
                "  skein measure hair.h5 --slip inf                   strands in a clump may slide\n",
    .run = run};
