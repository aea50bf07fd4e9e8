/* `skein info`: what one sees of a problem without solving it. */
#include "tool.h"

#include <getopt.h>
#include <math.h>

enum { JSON };

static const tool_option options[] = {[JSON] = {"json", 0, NULL, "one JSON object per file and line"}, {0}};

/* The stored solution, judged by the library: NaN where the file has none. */
static skein_status judge_solution(const skein_fclib *file, skein_error *error)
{
  *error = (skein_error){.fb = nan(""), .rel = nan(""), .worst = -1};
  if (!file->solution.r) return (skein_status){.code = SKEIN_OK};
  return skein_problem_error(&file->problem, file->solution.r, error, NULL, NULL);
}

static void print_range(const char *name, double lo, double hi)
{
  if (lo == hi) printf("  %-16s %g\n", name, lo);
  else printf("  %-16s %.4g to %.4g\n", name, lo, hi);
}

static void print_text(const char *name, const char *text)
{
  if (!text || !text[0]) return;
  printf("  %-16s ", name);
  for (; *text; text++) putchar((unsigned char)*text < ' ' ? ' ' : *text); /* somebody's file: no control characters */
  putchar('\n');
}

static void print_sizes(const skein_problem *p, const skein_problem_info *i)
{
  bool global = p->form == SKEIN_GLOBAL;
  printf("  %-16s %s\n", "form", global ? "global (M, H, f, u_f)" : "reduced (W, b)");
  printf("  %-16s %d in %d dimensions, %d of them closing (b_N < 0)\n", "contacts", i->contacts, i->d, i->closing);
  if (i->dofs > 0) printf("  %-16s %d\n  %-16s %.3f\n", "dofs", i->dofs, i->d == 3 ? "nu = 3n/m" : "nu = 2n/m", i->nu);
  else printf("  %-16s unknown\n", "dofs");
  if (global) printf("  %-16s %d\n", "objects", i->objects);
  printf("  %-16s %d, the largest of %d contacts\n", "islands", i->islands, i->largest_island);
  printf("  %-16s %lld of %d x %d, %.1f per contact\n", "blocks of W", (long long)i->blocks, i->d, i->d,
         i->contacts ? (double)i->blocks / i->contacts : 0);
}

static void print_block(const char *path, const skein_fclib *file, const skein_problem_info *i, const skein_error *e)
{
  printf("%s\n", path);
  print_sizes(&file->problem, i);
  if (file->M_triangle) printf("  %-16s one triangle in the file, the other one is its mirror image\n", "M");
  print_range("mu", i->mu_min, i->mu_max);
  print_range("diagonal of W", i->diag_min, i->diag_max);
  printf("  %-16s %.2e of the largest entry\n", "asymmetry of W", i->asymmetry);
  if (isfinite(i->local_cond)) printf("  %-16s up to %.3g\n", "cond(W_ii)", i->local_cond);
  else printf("  %-16s infinite: a diagonal block is singular\n", "cond(W_ii)");
  printf("  %-16s U = %.4g (largest |b|), w = %.4g (mean diagonal of W)\n", "scale", i->b_max, i->w_mean);
  printf("  %-16s %d\n", "guesses", file->guesses);
  if (file->solution.r) printf("  %-16s error_rel %.2e, error_fb %.2e\n", "solution", e->rel, e->fb);
  else printf("  %-16s none\n", "solution");
  print_text("title", file->title);
  print_text("description", file->description);
  print_text("math_info", file->math_info);
}

static int print_json(const char *path, const skein_fclib *file, const skein_problem_info *i, const skein_error *e)
{
  json_t *o = json_object();
  bool global = file->problem.form == SKEIN_GLOBAL;
  json_object_set_new(o, "file", tool_json_text(path));
  json_object_set_new(o, "form", json_string(global ? "global" : "reduced"));
  json_object_set_new(o, "d", json_integer(i->d));
  json_object_set_new(o, "contacts", json_integer(i->contacts));
  json_object_set_new(o, "closing", json_integer(i->closing));
  json_object_set_new(o, "dofs", i->dofs > 0 ? json_integer(i->dofs) : json_null());
  json_object_set_new(o, "nu", i->dofs > 0 ? tool_json_number(i->nu) : json_null());
  json_object_set_new(o, "objects", global ? json_integer(i->objects) : json_null());
  json_object_set_new(o, "M_triangle", global ? json_boolean(file->M_triangle) : json_null());
  json_object_set_new(o, "islands", json_integer(i->islands));
  json_object_set_new(o, "largest_island", json_integer(i->largest_island));
  json_object_set_new(o, "blocks", json_integer(i->blocks));
  json_object_set_new(o, "mu_min", tool_json_number(i->mu_min));
  json_object_set_new(o, "mu_max", tool_json_number(i->mu_max));
  json_object_set_new(o, "diag_min", tool_json_number(i->diag_min));
  json_object_set_new(o, "diag_max", tool_json_number(i->diag_max));
  json_object_set_new(o, "asymmetry", tool_json_number(i->asymmetry));
  json_object_set_new(o, "local_cond", tool_json_number(i->local_cond));
  json_object_set_new(o, "b_max", tool_json_number(i->b_max));
  json_object_set_new(o, "w_mean", tool_json_number(i->w_mean));
  json_object_set_new(o, "guesses", json_integer(file->guesses));
  json_object_set_new(o, "solution", json_boolean(file->solution.r != NULL));
  json_object_set_new(o, "solution_error_rel", tool_json_number(e->rel));
  json_object_set_new(o, "solution_error_fb", tool_json_number(e->fb));
  json_object_set_new(o, "title", file->title ? tool_json_text(file->title) : json_null());
  json_object_set_new(o, "description", file->description ? tool_json_text(file->description) : json_null());
  return tool_json_print(o);
}

static int describe_file(const char *path, bool json)
{
  skein_fclib file = {0};
  skein_problem_info info = {0};
  skein_error error = {0};
  int code = TOOL_OK;
  skein_status status = skein_fclib_read(path, &file);
  if (status.code == SKEIN_OK) status = skein_problem_describe(&file.problem, &info);
  if (status.code == SKEIN_OK) status = judge_solution(&file, &error);
  if (status.code != SKEIN_OK) code = tool_fail_input(path, status, TOOL_PROBLEM);
  else if (json) code = print_json(path, &file, &info, &error);
  else print_block(path, &file, &info, &error);
  skein_fclib_destroy(&file);
  return code;
}

static int run(const tool_command *command, int argc, char **argv)
{
  const char *value;
  bool json = false;
  int key, code = TOOL_OK;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0)
    if (key == JSON) json = true;
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (optind >= argc) return tool_error("info: no file given, see 'skein info --help'"), TOOL_BAD;
  for (int k = optind; k < argc; k++) code = tool_worst(code, describe_file(argv[k], json));
  return code;
}

const tool_command tool_info = {
    .name = "info",
    .about = "Describe FCLIB friction problems: sizes, islands, conditioning, stored solution",
    .usage = "FILE... [OPTIONS]",
    .options = options,
    .examples = "  skein info box.hdf5              one block of lines\n"
                "  skein info *.hdf5 --json         one object per file, for another program\n"
                "  skein solve box.hdf5 --save && skein info box.hdf5\n"
                "                                   the error of the stored solution, computed anew\n",
    .run = run};
