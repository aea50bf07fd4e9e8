/* The report of `skein reproduce`: one page that needs nothing else, the same numbers as CSV and JSON. */
#include "reproduce.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

void reproduce_escape(FILE *out, const char *text)
{
  for (; *text; text++) switch (*text) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputc(*text, out);
    }
}

void reproduce_say(reproduce_section *s, const char *format, ...)
{
  va_list args;
  fputs("<p>", s->out);
  va_start(args, format);
  vfprintf(s->out, format, args);
  va_end(args);
  fputs("</p>\n", s->out);
}

void reproduce_claim(reproduce_section *s, bool held, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const char *word = s->cut ? "not judged" : held ? "holds" : "does not hold";
  if (!s->cut) s->held += held, s->failed += !held;
  fprintf(s->out, "<p class=\"claim %s\"><b>%s</b> ", s->cut ? "open" : held ? "yes" : "no", word);
  reproduce_escape(s->out, text);
  fputs("</p>\n", s->out);
  json_array_append_new(s->claims, json_pack("{s:s, s:o}", "verdict", word, "claim", tool_json_text(text)));
}

/* ---- Tables ---- */

static void open_csv(reproduce_table *t)
{
  size_t size = strlen(t->section->set->folder) + strlen(t->name) + sizeof "/.csv";
  char *path = malloc(size);
  if (!path) return;
  snprintf(path, size, "%s/%s.csv", t->section->set->folder, t->name);
  t->written = tool_file_open(path, &t->csv) == TOOL_OK;
  free(path);
  for (int k = 0; k < t->count && t->written; k++) {
    if (k) fputc(',', t->csv.stream);
    tool_csv_text(t->csv.stream, t->columns[k]);
  }
  if (t->written) fputc('\n', t->csv.stream);
}

reproduce_table reproduce_table_raw(reproduce_section *s, const char *name, const char *const *columns, int count)
{
  reproduce_table t = {.section = s, .name = name, .columns = columns, .count = count, .rows = json_array()};
  open_csv(&t);
  return t;
}

reproduce_table reproduce_table_begin(reproduce_section *s, const char *name, const char *caption,
                                      const char *const *columns, int count)
{
  reproduce_table t = reproduce_table_raw(s, name, columns, count);
  t.shown = true;
  fputs("<div class=\"wide\"><table><caption>", s->out);
  reproduce_escape(s->out, caption);
  fprintf(s->out, " <small>(%s.csv)</small></caption><thead><tr>", name);
  for (int k = 0; k < count; k++) {
    fputs("<th>", s->out);
    reproduce_escape(s->out, columns[k]);
    fputs("</th>", s->out);
  }
  fputs("</tr></thead><tbody>\n", s->out);
  return t;
}

/* The value takes its column's place in the row; the last one ends the row. */
static void put(reproduce_table *t, json_t *value)
{
  if (t->at == 0) t->row = json_object();
  json_object_set_new(t->row, t->columns[t->at], value);
  if (++t->at < t->count) return;
  json_array_append_new(t->rows, t->row);
  t->row = NULL, t->at = 0;
  if (t->written) fputc('\n', t->csv.stream);
  if (t->shown) fputs("</tr>\n", t->section->out);
}

void reproduce_cell_text(reproduce_table *t, const char *text)
{
  if (t->written) {
    if (t->at) fputc(',', t->csv.stream);
    tool_csv_text(t->csv.stream, text);
  }
  if (t->shown) {
    fputs(t->at ? "<td class=\"text\">" : "<tr><td class=\"text\">", t->section->out);
    reproduce_escape(t->section->out, text);
    fputs("</td>", t->section->out);
  }
  put(t, tool_json_text(text));
}

void reproduce_cell(reproduce_table *t, const char *format, double x)
{
  char text[64] = "–";
  if (isfinite(x)) snprintf(text, sizeof text, format, x);
  if (t->written) {
    if (t->at) fputc(',', t->csv.stream);
    tool_csv_number(t->csv.stream, x);
  }
  if (t->shown) fprintf(t->section->out, "%s<td>%s</td>", t->at ? "" : "<tr>", text);
  put(t, tool_json_number(x));
}

void reproduce_table_end(reproduce_table *t)
{
  if (t->shown) fputs("</tbody></table></div>\n", t->section->out);
  if (t->written && tool_file_commit(&t->csv) != TOOL_OK) t->section->status.code = SKEIN_IO_FAILURE;
  json_decref(t->row);
  json_object_set_new(t->section->tables, t->name, t->rows);
}

/* ---- Machine ---- */

typedef struct machine {
  char cpu[128], system[256], date[64], load[64];
  long cores;
} machine;

/* The first "model name" of the system's list. */
static void find_cpu(char *name, size_t size)
{
  char line[512];
  FILE *in = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "unknown processor");
  while (in && fgets(line, sizeof line, in)) {
    char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
    if (!colon) continue;
    colon[strcspn(colon, "\n")] = 0;
    snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
    break;
  }
  if (in) fclose(in);
}

static machine describe_machine(void)
{
  machine m = {.cores = sysconf(_SC_NPROCESSORS_ONLN), .load = "unknown"};
  struct utsname about;
  time_t now = time(NULL);
  struct tm utc;
  find_cpu(m.cpu, sizeof m.cpu);
  if (uname(&about) == 0) snprintf(m.system, sizeof m.system, "%.60s %.120s", about.sysname, about.machine);
  if (gmtime_r(&now, &utc)) strftime(m.date, sizeof m.date, "%Y-%m-%d %H:%M UTC", &utc);
  FILE *in = fopen("/proc/loadavg", "r");
  double load;
  if (in && fscanf(in, "%lf", &load) == 1) snprintf(m.load, sizeof m.load, "%.2f", load);
  if (in) fclose(in);
  return m;
}

/* ---- The page ---- */

static const char style[] =
    ":root{--bg:#fdfdfb;--ink:#20242a;--soft:#69707a;--rule:#dfe2e6;--card:#f4f5f3;--yes:#2b7a4b;--no:#b3372f;"
    "--link:#2f6db3}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#16181c;--ink:#e3e6ea;--soft:#9aa2ad;--rule:#363b43;--card:#1e2126;"
    "--yes:#63c38b;--no:#f08a80;--link:#6fa8e6}}\n"
    "body{margin:0 auto;max-width:68rem;padding:2rem 1.2rem 5rem;background:var(--bg);color:var(--ink);"
    "font:16px/1.55 system-ui,sans-serif}h1{font-size:1.9rem;line-height:1.2;margin:0 0 .4rem}"
    "h2{margin:3.2rem 0 .4rem;padding-top:1rem;border-top:1px solid var(--rule)}p{margin:.6rem 0}"
    "a{color:var(--link)}small,.soft{color:var(--soft)}code,pre{font:.86em/1.5 ui-monospace,monospace}"
    "pre{background:var(--card);padding:.8rem 1rem;overflow-x:auto;border-radius:6px}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;margin:1rem 0;font-size:.85rem;"
    "font-variant-numeric:tabular-nums}caption{text-align:left;padding:.3rem 0;font-weight:600}"
    "th,td{padding:.28rem .6rem;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}"
    "th{font-weight:600;color:var(--soft);vertical-align:bottom;white-space:normal}td.text,th.left,th:first-child,td:"
    "first-child{text-align:"
    "left}"
    ".claim{padding-left:.8rem;border-left:3px solid var(--soft)}.claim.yes{border-color:var(--yes)}"
    ".claim.no{border-color:var(--no)}.yes b,b.yes{color:var(--yes)}.no b,b.no{color:var(--no)}"
    "figure{margin:1.2rem 0}svg{width:100%;max-width:44rem;height:auto;border-radius:6px}"
    "nav table{width:100%}dl{display:grid;grid-template-columns:max-content 1fr;"
    "gap:.1rem 1rem;margin:1rem 0}dt{color:var(--soft)}dd{margin:0}\n";

static void write_head(FILE *out, const reproduce_settings *set, double seconds, bool done)
{
  machine m = describe_machine();
  fprintf(out,
          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>Published experiments, run by skein</title>\n<style>\n%s",
          style);
  fputs(
      "\n</style></head>\n<body>\n<h1>Published experiments, run by skein</h1>\n"
      "<p>The tables and figures of two papers on exact Coulomb friction between fibres, and of one on rigid bodies by "
      "distances: the published numbers beside what this program finds on this machine. [AC]: Bertails-Descoubes, "
      "Cadoux, Daviet, Acary, <i>A Nonsmooth Newton Solver for Capturing Exact Coulomb Friction in Fiber "
      "Assemblies</i>, ACM Transactions on Graphics 30(1), 2011. [H]: Daviet, Bertails-Descoubes, Boissieux, <i>A "
      "Hybrid Iterative Solver for Robustly Capturing Coulomb Friction in Hair Dynamics</i>, ACM Transactions on "
      "Graphics 30(6), 2011.</p>\n<dl>",
      out);
  fputs("<dt>machine</dt><dd>", out);
  reproduce_escape(out, m.cpu);
  fprintf(out, ", %ld cores, %s; load average %s when this was written</dd>", m.cores, m.system, m.load);
  fprintf(out, "<dt>version</dt><dd>skein %s, tool %s</dd><dt>date</dt><dd>%s</dd>", skein_version(), SKEIN_VERSION,
          m.date);
  fprintf(out, "<dt>asked for</dt><dd>%s%s", set->quick ? "--quick: short runs" : "whole runs",
          set->threads == 0 ? ", all cores" : "");
  if (set->threads > 0) fprintf(out, ", %d thread%s", set->threads, set->threads > 1 ? "s" : "");
  if (set->steps > 0) fprintf(out, ", at most %d steps of each simulation: a try, nothing is judged", set->steps);
  fprintf(out, "</dd><dt>duration</dt><dd>%.0f s%s</dd></dl>\n", seconds, done ? "" : ", not finished");
}

static const char *outcome(const reproduce_section *s, const char **class)
{
  *class = "";
  if (s->status.code != SKEIN_OK) return *class = "no", s->missing ? "not run" : "failed";
  if (s->failed > 0) return *class = "no", "differs";
  if (s->cut) return "cut short";
  return *class = "yes", "holds";
}

static void write_contents(FILE *out, const reproduce_section *sections, int count)
{
  fputs("<nav><table><thead><tr><th>experiment</th><th class=\"left\">what</th><th>claims held</th><th>steps</th>"
        "<th>s</th><th>outcome</th></tr></thead><tbody>\n",
        out);
  for (int k = 0; k < count; k++) {
    const reproduce_section *s = &sections[k];
    const char *class, *word = outcome(s, &class);
    fprintf(out,
            "<tr><td class=\"text\"><a href=\"#%s\">%s</a></td><td class=\"text\">%s</td><td>%d of %d</td>"
            "<td>%lld</td><td>%.1f</td><td><b class=\"%s\">%s</b></td></tr>\n",
            s->experiment->name, s->experiment->name, s->experiment->title, s->held, s->held + s->failed,
            (long long)s->steps, s->seconds, class, word);
  }
  fputs("</tbody></table></nav>\n", out);
}

static void write_section(FILE *out, const reproduce_section *s)
{
  const reproduce_experiment *e = s->experiment;
  fprintf(out, "<section id=\"%s\"><h2>%s</h2>\n<p>%s</p>\n", e->name, e->title, e->source);
  if (s->status.code != SKEIN_OK) {
    fputs("<p class=\"claim no\"><b>failed</b> ", out);
    reproduce_escape(out, s->status.message);
    fputs("</p>\n", out);
  }
  if (s->cut)
    fputs("<p class=\"claim open\"><b>cut short</b> by a limit of time or steps, or by an interrupt: what follows is "
          "shown, not judged.</p>\n",
          out);
  if (s->html) fputs(s->html, out);
  fprintf(out, "<p><b>What differs, and why.</b> %s</p>\n<p>Alone:</p>\n<pre>", e->differs);
  fprintf(out, "skein reproduce %s%s -o report\n", e->name, s->set->quick ? " --quick" : "");
  reproduce_escape(out, e->commands);
  fprintf(out, "</pre>\n<p class=\"soft\">%lld steps, %.1f s.</p></section>\n", (long long)s->steps, s->seconds);
}

/* ---- Files ---- */

static json_t *json_section(const reproduce_section *s)
{
  const char *class, *word = outcome(s, &class);
  return json_pack("{s:s, s:s, s:s, s:b, s:i, s:i, s:I, s:f, s:s, s:O, s:O}", "name", s->experiment->name, "title",
                   s->experiment->title, "outcome", word, "cut_short", s->cut, "held", s->held, "failed", s->failed,
                   "steps", (json_int_t)s->steps, "seconds", s->seconds, "message",
                   s->status.code == SKEIN_OK ? "" : s->status.message, "claims", s->claims, "tables", s->tables);
}

static json_t *json_report(const reproduce_settings *set, const reproduce_section *sections, int count, double seconds,
                           bool done)
{
  machine m = describe_machine();
  json_t *list = json_array();
  for (int k = 0; k < count; k++) json_array_append_new(list, json_section(&sections[k]));
  return json_pack("{s:s, s:s, s:s, s:i, s:s, s:b, s:i, s:i, s:f, s:b, s:o}", "version", skein_version(), "date",
                   m.date, "cpu", m.cpu, "cores", (int)m.cores, "load", m.load, "quick", set->quick, "threads",
                   set->threads, "steps_limit", set->steps, "seconds", seconds, "finished", done, "experiments", list);
}

static int open_in(const char *folder, const char *name, tool_file *file)
{
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (!path) return tool_error("out of memory"), TOOL_IO;
  snprintf(path, size, "%s/%s", folder, name);
  int code = tool_file_open(path, file);
  free(path);
  return code;
}

int reproduce_write(const reproduce_settings *set, const reproduce_section *sections, int count, double seconds,
                    bool done)
{
  tool_file file;
  int code = open_in(set->folder, "report.html", &file);
  if (code != TOOL_OK) return code;
  write_head(file.stream, set, seconds, done);
  write_contents(file.stream, sections, count);
  for (int k = 0; k < count; k++) write_section(file.stream, &sections[k]);
  fputs("</body></html>\n", file.stream);
  code = tool_file_commit(&file);
  int second = open_in(set->folder, "report.json", &file);
  if (second != TOOL_OK) return tool_worst(code, second);
  json_t *report = json_report(set, sections, count, seconds, done);
  if (!report || json_dumpf(report, file.stream, JSON_INDENT(1)) != 0) tool_error("out of memory"), code = TOOL_IO;
  fputc('\n', file.stream);
  json_decref(report);
  return tool_worst(code, tool_file_commit(&file));
}
