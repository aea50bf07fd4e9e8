/* `skein gen`: synthetic problems as FCLIB files. */
#include "tool.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { HAIRLIKE, MANUFACTURED } kind;
enum { CONTACTS, RODS, DOFS, MU, SEED, DIMENSION, OPEN, STICK, FORM, OUTPUT };
enum { FORM_GLOBAL, FORM_LOCAL, FORM_BOTH };

static const char *const kinds[] = {"hairlike", "manufactured"};

static const tool_option options[] = {
    [CONTACTS] = {"contacts", 'n', "N", "contacts (default: in proportion to the rods)"},
    [RODS] = {"rods", 'r', "R", "rods or objects (default: in proportion to the contacts)"},
    [DOFS] = {"dofs", 0, "K", "degrees of freedom of each (default: 16 per rod, 6 per object)"},
    [MU] = {"mu", 0, "MU", "friction coefficient (default: 0.3 hairlike, 0.5 manufactured)"},
    [SEED] = {"seed", 's', "S", "of the random numbers: same seed, same problem (default: 1)"},
    [DIMENSION] = {"d", 0, "2|3", "dimension of a contact, manufactured only (default: 3)"},
    [OPEN] = {"open", 0, "SHARE", "share of open contacts, manufactured only (default: 0.3)"},
    [STICK] = {"stick", 0, "SHARE", "share of sticking contacts, manufactured only (default: 0.4)"},
    [FORM] = {"form", 0, "F", "global (M, H), local (W) or both; both adds '-local' to the second name"},
    [OUTPUT] = {"output", 'o', "FILE", "file to write, required"},
    {0}};

/* The options of both kinds; NaN and -1: not given. */
typedef struct settings {
  kind kind;
  int contacts, rods, dofs, d, form;
  double mu, open, stick;
  uint64_t seed;
  const char *path;
} settings;

static void print_notes(FILE *out)
{
  fputs("\nhairlike: dense rods on a lattice in contact with their neighbours, 3n/m = 2.4 unless told otherwise.\n"
        "manufactured: the solution (open, stick, slide) is chosen first and stored in the file.\n",
        out);
}

static bool set_option(settings *s, int key, const char *value)
{
  static const char *const forms[] = {"global", "local", "both"};
  switch (key) {
  case CONTACTS:
    return tool_parse_int("--contacts", value, 0, (INT_MAX - 1) / 3, &s->contacts);
  case RODS:
    return tool_parse_int("--rods", value, 1, INT_MAX - 1, &s->rods);
  case DOFS:
    return tool_parse_int("--dofs", value, 1, 1000, &s->dofs);
  case MU:
    return tool_parse_double("--mu", value, 0, 1e300, &s->mu);
  case SEED:
    return tool_parse_seed("--seed", value, &s->seed);
  case DIMENSION:
    return tool_parse_int("--d", value, 2, 3, &s->d);
  case OPEN:
    return tool_parse_double("--open", value, 0, 1, &s->open);
  case STICK:
    return tool_parse_double("--stick", value, 0, 1, &s->stick);
  case FORM:
    return (s->form = tool_parse_word("--form", value, forms, 3)) >= 0;
  case OUTPUT:
    return s->path = value, true;
  default:
    return false;
  }
}

/* Of rods and contacts, one that was not given follows from the other: d n / (rods dofs) = nu. */
static void fill_sizes(const settings *s, double nu, int d, int dofs, int *rods, int *contacts)
{
  if (s->rods >= 0) *rods = s->rods;
  if (s->contacts >= 0) *contacts = s->contacts;
  if (s->rods >= 0 && s->contacts < 0) *contacts = (int)fmin(nu * dofs * (double)*rods / d, (INT_MAX - 1) / 3);
  if (s->rods < 0) *rods = (int)fmin(fmax(2, ceil((double)d * *contacts / (nu * dofs))), (INT_MAX - 1) / dofs);
}

/* ---- Making ---- */

static skein_status make_hairlike(const settings *s, skein_fclib *file)
{
  skein_hairlike_def def = skein_default_hairlike_def();
  double nu = 3.0 * def.contacts / ((double)def.rods * def.dofs_per_rod);
  if (s->dofs > 0) def.dofs_per_rod = s->dofs;
  if (!isnan(s->mu)) def.mu = s->mu;
  def.seed = s->seed;
  fill_sizes(s, nu, 3, def.dofs_per_rod, &def.rods, &def.contacts);
  return skein_make_hairlike(&def, &file->problem);
}

static skein_status make_manufactured(const settings *s, skein_fclib *file)
{
  skein_manufactured_def def = skein_default_manufactured_def();
  double nu = (double)def.d * def.contacts / ((double)def.objects * def.dofs_per_object);
  if (s->dofs > 0) def.dofs_per_object = s->dofs;
  if (s->d > 0) def.d = s->d;
  if (!isnan(s->mu)) def.mu = s->mu;
  if (!isnan(s->open)) def.open = s->open;
  if (!isnan(s->stick)) def.stick = s->stick;
  if (isnan(s->stick) && def.open + def.stick > 1) def.stick = 1 - def.open;
  if (isnan(s->open) && def.open + def.stick > 1) def.open = 1 - def.stick;
  def.seed = s->seed;
  fill_sizes(s, nu, def.d, def.dofs_per_object, &def.objects, &def.contacts);
  return skein_make_manufactured(&def, &file->problem, &file->solution);
}

/* ---- Writing ---- */

/* "dir/name-local.hdf5" from "dir/name.hdf5"; the caller frees it. */
static char *local_path(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  int stem = dot && dot != name ? (int)(dot - path) : (int)strlen(path);
  size_t size = strlen(path) + sizeof "-local";
  char *out = malloc(size);
  if (out) snprintf(out, size, "%.*s-local%s", stem, path, path + stem);
  return out;
}

static int write_file(const char *path, const skein_fclib *file)
{
  const skein_problem *p = &file->problem;
  skein_status status = skein_fclib_write(path, file);
  if (status.code != SKEIN_OK) return tool_fail(path, status);
  printf("%s: %s, %d contacts", path, p->form == SKEIN_GLOBAL ? "global" : "local", p->contacts);
  if (p->dofs > 0) printf(", %d dofs, %dn/m = %.2f", p->dofs, p->d, (double)p->d * p->contacts / p->dofs);
  printf("\n");
  return TOOL_OK;
}

/* Everything is computed before anything is written. */
static int write_forms(const settings *s, const skein_fclib *file)
{
  skein_fclib reduced = *file;
  char *path = s->form == FORM_BOTH ? local_path(s->path) : strdup(s->path);
  int code = TOOL_OK;
  reduced.problem = (skein_problem){0};
  reduced.solution.v = NULL; /* r and u are those of the global problem, v it does not have */
  if (!path) return tool_error("out of memory"), TOOL_IO;
  if (s->form != FORM_GLOBAL) {
    skein_status status = skein_problem_reduce(&file->problem, &reduced.problem);
    if (status.code != SKEIN_OK) code = tool_fail(s->path, status);
  }
  if (code == TOOL_OK && s->form != FORM_LOCAL) code = write_file(s->path, file);
  if (code == TOOL_OK && s->form != FORM_GLOBAL) code = write_file(path, &reduced);
  skein_problem_destroy(&reduced.problem);
  free(path);
  return code;
}

static int generate(const settings *s)
{
  char title[64], description[128], math_info[64];
  skein_fclib file = {0};
  skein_status status = s->kind == HAIRLIKE ? make_hairlike(s, &file) : make_manufactured(s, &file);
  if (status.code != SKEIN_OK) return tool_fail(kinds[s->kind], status);
  skein_problem *p = &file.problem;
  snprintf(title, sizeof title, "%s, %d contacts", kinds[s->kind], p->contacts);
  snprintf(description, sizeof description, "synthetic, skein gen %s, seed %llu%s", kinds[s->kind],
           (unsigned long long)s->seed, s->kind == MANUFACTURED ? ", the solution is the chosen one" : "");
  snprintf(math_info, sizeof math_info, "d n / m = %.3f", (double)p->d * p->contacts / p->dofs);
  file.title = title, file.description = description, file.math_info = math_info;
  int code = write_forms(s, &file);
  skein_problem_destroy(&file.problem);
  skein_solution_destroy(&file.solution);
  return code;
}

static int run(const tool_command *command, int argc, char **argv)
{
  settings s = {
      .contacts = -1, .rods = -1, .dofs = -1, .d = -1, .mu = nan(""), .open = nan(""), .stick = nan(""), .seed = 1};
  const char *value;
  int key;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0)
    if (!set_option(&s, key, value)) return TOOL_BAD;
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (optind >= argc) return tool_error("gen: no kind given, expected hairlike or manufactured"), TOOL_BAD;
  if (argc - optind > 1) return tool_error("gen: unexpected argument '%s'", argv[optind + 1]), TOOL_BAD;
  int found = tool_parse_word("gen: kind", argv[optind], kinds, 2);
  if (found < 0) return TOOL_BAD;
  s.kind = (kind)found;
  if (!s.path) return tool_error("gen: no output given, expected -o FILE"), TOOL_BAD;
  if (s.kind == HAIRLIKE && (s.d > 0 || !isnan(s.open) || !isnan(s.stick)))
    return tool_error("gen: --d, --open and --stick are for manufactured problems"), TOOL_BAD;
  return generate(&s);
}

const tool_command tool_gen = {
    .name = "gen",
    .about = "Write synthetic friction problems as FCLIB files",
    .usage = "hairlike|manufactured -o FILE [OPTIONS]",
    .options = options,
    .notes = print_notes,
    .examples = "  skein gen hairlike -o hair.hdf5                           1,000 rods, 12,800 contacts\n"
                "  skein gen hairlike --rods 1920 --contacts 24659 --mu 0.3 --seed 7 -o free.hdf5\n"
                "  skein gen hairlike --rods 60 --form both -o small.hdf5    small.hdf5 and small-local.hdf5\n"
                "  skein gen manufactured --contacts 50 --d 2 --open 0 --stick 1 -o stuck.hdf5\n",
    .run = run};
