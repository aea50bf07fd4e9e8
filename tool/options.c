/* Options of the subcommands: one table each, read by getopt_long and printed by --help. */
#include "tool.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { max_options = 32, key_help = 1000, key_first };

/* ---- The nearest word ---- */

/* Edits (insert, delete, replace) from a to b; words beyond 63 letters are far from everything. */
static int edit_distance(const char *a, const char *b)
{
  int row[64], n = (int)strlen(b);
  if (n > 63 || strlen(a) > 63) return INT_MAX;
  for (int j = 0; j <= n; j++) row[j] = j;
  for (int i = 1; a[i - 1]; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int replace = corner + (a[i - 1] != b[j - 1]), other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
      corner = row[j];
      row[j] = replace < other ? replace : other;
    }
  }
  return row[n];
}

const char *tool_nearest(const char *text, const char *const *words, int count)
{
  const char *nearest = NULL;
  int best = 1 + (int)strlen(text) / 3;
  for (int k = 0; k < count; k++) {
    bool begins = strlen(text) >= 3 && !strncmp(text, words[k], strlen(text));
    int distance = begins ? 1 : edit_distance(text, words[k]);
    if (distance <= best && (!nearest || distance < best)) best = distance, nearest = words[k];
  }
  return nearest;
}

/* ---- Walking the command line ---- */

static int count_options(const tool_command *command)
{
  int count = 0;
  while (command->options[count].name) count++;
  return count;
}

static void make_table(const tool_command *command, struct option *longs, char *shorts)
{
  int count = count_options(command);
  *shorts++ = ':', *shorts++ = 'h';
  for (int k = 0; k < count; k++) {
    const tool_option *o = &command->options[k];
    longs[k] =
        (struct option){.name = o->name, .has_arg = o->value ? required_argument : no_argument, .val = key_first + k};
    if (o->letter) *shorts++ = o->letter;
    if (o->letter && o->value) *shorts++ = ':';
  }
  longs[count] = (struct option){.name = "help", .val = key_help};
  longs[count + 1] = (struct option){0};
  *shorts = 0;
}

static void report_wrong(const tool_command *command, const char *argument, bool missing)
{
  const char *words[max_options + 1], *nearest;
  char name[64];
  int count = count_options(command), known = optopt >= key_first ? optopt - key_first : -1;
  for (int k = 0; k < count; k++) {
    words[k] = command->options[k].name;
    if (optopt && optopt == command->options[k].letter) known = k;
  }
  words[count] = "help";
  if (missing) {
    const char *needs = known >= 0 ? command->options[known].value : "value";
    tool_error("%s: option '%s' needs a value (%s)", command->name, argument, needs);
  } else if (known >= 0 || optopt == key_help) {
    tool_error("%s: option '--%s' takes no value", command->name, known >= 0 ? words[known] : "help");
  } else if (optopt) {
    tool_error("%s: unknown option '-%c', see 'skein %s --help'", command->name, optopt, command->name);
  } else {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
    nearest = tool_nearest(name, words, count + 1);
    if (nearest) tool_error("%s: unknown option '--%s', did you mean '--%s'?", command->name, name, nearest);
    else tool_error("%s: unknown option '--%s', see 'skein %s --help'", command->name, name, command->name);
  }
}

int tool_option_next(const tool_command *command, int argc, char **argv, const char **value)
{
  struct option longs[max_options + 2];
  char shorts[2 * max_options + 3];
  make_table(command, longs, shorts);
  opterr = 0;
  int key = getopt_long(argc, argv, shorts, longs, NULL);
  *value = optarg;
  if (key == -1) return TOOL_NO_MORE;
  if (key == 'h' || key == key_help) return tool_help(command, stdout), TOOL_HELP;
  if (key >= key_first) return key - key_first;
  for (int k = 0; command->options[k].name; k++)
    if (key == command->options[k].letter) return k;
  return report_wrong(command, argv[optind - 1], key == ':'), TOOL_WRONG;
}

void tool_help(const tool_command *command, FILE *out)
{
  char left[64];
  fprintf(out, "Usage: skein %s %s\n\n%s.\n\nOptions:\n", command->name, command->usage, command->about);
  for (const tool_option *o = command->options; o->name; o++) {
    char letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value ? " " : "", o->value ? o->value : "");
    fprintf(out, "  %-30s %s\n", left, o->help);
  }
  fprintf(out, "  %-30s %s\n", "-h, --help", "this text");
  if (command->notes) command->notes(out);
  fprintf(out, "\nExamples:\n%s", command->examples);
}

/* ---- Values ---- */

bool tool_parse_double(const char *option, const char *text, double lo, double hi, double *value)
{
  char *end;
  double x = strtod(text, &end);
  if (end != text && !*end && !isspace((unsigned char)text[0]) && x >= lo && x <= hi) return *value = x, true;
  if (hi >= 1e300) tool_error("%s is '%s', expected a number of %g or more", option, text, lo);
  else tool_error("%s is '%s', expected a number from %g to %g", option, text, lo, hi);
  return false;
}

bool tool_parse_int(const char *option, const char *text, int lo, int hi, int *value)
{
  char *end;
  errno = 0;
  long x = strtol(text, &end, 10);
  if (end != text && !*end && !errno && !isspace((unsigned char)text[0]) && x >= lo && x <= hi)
    return *value = (int)x, true;
  tool_error("%s is '%s', expected a whole number from %d to %d", option, text, lo, hi);
  return false;
}

bool tool_parse_seed(const char *option, const char *text, uint64_t *value)
{
  char *end;
  errno = 0;
  unsigned long long x = strtoull(text, &end, 10);
  if (isdigit((unsigned char)text[0]) && !*end && !errno) return *value = x, true;
  tool_error("%s is '%s', expected a whole number from 0 to %llu", option, text, ULLONG_MAX);
  return false;
}

int tool_parse_word(const char *option, const char *text, const char *const *words, int count)
{
  char list[256] = "";
  size_t used = 0;
  for (int k = 0; k < count; k++) {
    if (!strcmp(text, words[k])) return k;
    if (used < sizeof list) used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", words[k]);
  }
  const char *nearest = tool_nearest(text, words, count);
  if (nearest) tool_error("%s is '%s', did you mean '%s'? (one of %s)", option, text, nearest, list);
  else tool_error("%s is '%s', expected one of %s", option, text, list);
  return -1;
}

bool tool_parse_local(const char *option, const char *text, skein_local *local, bool *failsafe)
{
  const char *words[SKEIN_LOCAL_COUNT], *plus = strchr(text, '+');
  char name[64];
  for (int k = 0; k < SKEIN_LOCAL_COUNT; k++) words[k] = skein_local_name((skein_local)k);
  if (plus && strcmp(plus, "+enum") != 0) {
    tool_error("%s is '%s', expected '+enum' after the '+'", option, text);
    return false;
  }
  snprintf(name, sizeof name, "%.*s", plus ? (int)(plus - text) : (int)strlen(text), text);
  int found = tool_parse_word(option, name, words, SKEIN_LOCAL_COUNT);
  if (found < 0) return false;
  *local = (skein_local)found;
  *failsafe = plus != NULL;
  return true;
}

void tool_set_tol(skein_solve_def *def, double tol)
{
  def->tol = tol;
  def->local_tol = fmin(skein_default_solve_def().local_tol, 1e-2 * tol);
}
