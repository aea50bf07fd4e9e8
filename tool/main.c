/* The `skein` command: a table of subcommands. */
#include "tool.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const tool_command *const commands[] = {
  &tool_solve, &tool_info, &tool_gen, &tool_bench, &tool_validate,
  &tool_reproduce,
  &tool_run, &tool_stats, &tool_measure,
  &tool_view,
  &tool_knot,
  &tool_render,
  &tool_export,
  &tool_completion,
};
/* clang-format on */
enum { command_count = sizeof commands / sizeof commands[0] };

const tool_command *const *tool_commands(int *count)
{
  *count = command_count;
  return commands;
}

static void print_help(FILE *out)
{
  fputs("Usage: skein COMMAND [OPTIONS] ...\n\nExact Coulomb friction for fibres, rigid bodies and finite elements.\n\n"
        "Commands:\n",
        out);
  for (int k = 0; k < command_count; k++) fprintf(out, "  %-10s %s\n", commands[k]->name, commands[k]->about);
  fputs("\nOptions:\n"
        "  -h, --help     this text; 'skein COMMAND --help' for a command\n"
        "  -V, --version  the version\n"
        "\nExamples:\n"
        "  skein gen hairlike --rods 100 -o hair.hdf5   a synthetic problem, as FCLIB file\n"
        "  skein info hair.hdf5                         its sizes, islands and conditioning\n"
        "  skein solve hair.hdf5                        its exact Coulomb solution\n"
        "  skein bench friction hair.hdf5               every local solver on it\n"
        "  skein run heap.json -o heap.h5               a scene, simulated\n"
        "  skein stats heap.h5                          what happened in it\n"
        "  skein measure hair.h5                        clumps, volume, stick and slip of hair\n"
        "  skein view heap.h5                           a page that shows it in a browser\n"
        "  skein view --live heap.json                  the page of a scene that is simulated now\n"
        "  skein knot                                   a knot to be tightened by hand\n"
        "  skein export heap.h5 -o heap.usda            take it to another program\n"
        "  skein render heap.h5 -o heap.mp4             and what it looks like\n"
        "  skein reproduce --quick -o report            the papers' experiments, on one page\n"
        "  skein validate                               the rod models against reference solutions\n",
        out);
}

static const tool_command *find_command(const char *name)
{
  const char *names[command_count + 1];
  for (int k = 0; k < command_count; k++) {
    if (!strcmp(name, commands[k]->name)) return commands[k];
    names[k] = commands[k]->name;
  }
  names[command_count] = "help";
  const char *nearest = tool_nearest(name, names, command_count + 1);
  if (nearest) tool_error("unknown command '%s', did you mean '%s'?", name, nearest);
  else tool_error("unknown command '%s', see 'skein --help'", name);
  return NULL;
}

static int run_help(int argc, char **argv)
{
  const tool_command *command = argc > 2 ? find_command(argv[2]) : NULL;
  if (argc > 2 && !command) return TOOL_BAD;
  if (command) tool_help(command, stdout);
  else print_help(stdout);
  return TOOL_OK;
}

static int dispatch(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL;
  if (!name) return print_help(stderr), TOOL_BAD;
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) return run_help(argc, argv);
  if (!strcmp(name, "--version") || !strcmp(name, "-V")) return printf("skein %s\n", skein_version()), TOOL_OK;
  if (name[0] == '-') return tool_error("unknown option '%s', see 'skein --help'", name), TOOL_BAD;
  const tool_command *command = find_command(name);
  return command ? command->run(command, argc - 1, argv + 1) : TOOL_BAD;
}

/* Steps and solves take and return hundreds of MB many times a second: kept, they need not be mapped and cleared anew
 * (a tenth of the time of a head of hair). */
static void keep_memory(void)
{
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

int main(int argc, char **argv)
{
  keep_memory();
  int code = dispatch(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) tool_error("cannot write the output"), code = tool_worst(code, TOOL_IO);
  return code;
}
