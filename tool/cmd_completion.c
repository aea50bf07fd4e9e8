/* `skein completion`: tab completion for bash, zsh and fish, made from the tables that the command itself reads. */
#include "reproduce.h"
#include "tool.h"
#include "validate.h"

#include <getopt.h>
#include <string.h>

typedef enum what { NOTHING, FILES, WORDS, METHODS, LOCALS, MODELS, FORMATS, TESTS, EXPERIMENTS, COMMANDS } what;

/* What stands behind an option, or as an argument (option NULL), of a command (NULL: of any). FILES: their endings;
 * WORDS: the words; LOCALS: further ones. The first row that fits. */
static const struct {
  const char *command, *option;
  what what;
  const char *text;
} rows[] = {
    {"solve", NULL, FILES, "hdf5 h5"},
    {"info", NULL, FILES, "hdf5 h5"},
    {"gen", NULL, WORDS, "hairlike manufactured"},
    {"bench", NULL, FILES, "hdf5 h5"},
    {"validate", NULL, TESTS, ""},
    {"reproduce", NULL, EXPERIMENTS, ""},
    {"run", NULL, FILES, "json"},
    {"view", NULL, FILES, "h5 json"},
    {"completion", NULL, WORDS, "bash zsh fish"},
    {"help", NULL, COMMANDS, ""},
    {"knot", NULL, NOTHING, ""},
    {NULL, NULL, FILES, "h5"},
    {"validate", "method", MODELS, ""},
    {NULL, "method", METHODS, ""},
    {NULL, "local", LOCALS, ""},
    {NULL, "locals", LOCALS, " pac/plain dac/plain pac/plain+enum dac/plain+enum"},
    {NULL, "model", MODELS, ""},
    {NULL, "measure", WORDS, "rel fb"},
    {NULL, "accelerate", WORDS, "none anderson relax"},
    {NULL, "ball", WORDS, "augmented plain"},
    {"gen", "form", WORDS, "global local both"},
    {NULL, "form", WORDS, "explicit factored auto"},
    {NULL, "d", WORDS, "2 3"},
    {NULL, "history", FILES, "csv"},
    {NULL, "csv", FILES, "csv"},
    {"bench", "plot", FILES, "svg"},
    {NULL, "plot", FILES, ""},
    {NULL, "dump-problems", FILES, ""},
    {NULL, "resume", FILES, "h5"},
    {NULL, "against", FILES, "h5"},
    {"gen", "output", FILES, "hdf5"},
    {"run", "output", FILES, "h5"},
    {"view", "output", FILES, "html"},
    {"render", "output", FILES, "png mp4"},
    {NULL, "output", FILES, ""},
    {"export", "format", FORMATS, ""},
    {NULL, "up", WORDS, "y z"},
    {NULL, "unit", WORDS, "m cm mm"},
    {NULL, "colour", WORDS, "material group speed status force island"},
    {NULL, "shading", WORDS, "auto hair surface"},
    {NULL, "background", WORDS, "studio dark white black"},
};

static int find_row(const char *command, const char *option)
{
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    bool fits = option ? rows[k].option && !strcmp(rows[k].option, option) : !rows[k].option;
    if (fits && (!rows[k].command || !strcmp(rows[k].command, command))) return (int)k;
  }
  return -1;
}

/* ---- Words ---- */

static void put_commands(void)
{
  int count;
  const tool_command *const *commands = tool_commands(&count);
  for (int k = 0; k < count; k++) printf("%s%s", k ? " " : "", commands[k]->name);
}

/* The words of a row, with spaces. */
static void put_words(int row)
{
  switch (rows[row].what) {
  case METHODS:
    for (int k = 0; k < SKEIN_METHOD_COUNT; k++) printf("%s%s", k ? " " : "", skein_method_name((skein_method)k));
    break;
  case LOCALS:
    for (int k = 0; k < SKEIN_LOCAL_COUNT; k++)
      printf("%s%s %s+enum", k ? " " : "", skein_local_name((skein_local)k), skein_local_name((skein_local)k));
    fputs(rows[row].text, stdout);
    break;
  case MODELS:
    for (int k = 0; k < SKEIN_ROD_MODEL_COUNT; k++) printf("%s ", skein_rod_model_name((skein_rod_model)k));
    fputs("bodies", stdout);
    break;
  case FORMATS:
    for (int k = 0; k < SKEIN_FORMAT_COUNT; k++) printf("%s%s", k ? " " : "", skein_format_name((skein_format)k));
    break;
  case TESTS:
    for (int k = 0; k < VALIDATE_TESTS; k++) printf("%s%s", k ? " " : "", validate_tests[k].name);
    break;
  case EXPERIMENTS:
    for (int k = 0; k < REPRODUCE_EXPERIMENTS; k++) printf("%s%s", k ? " " : "", reproduce_experiments[k].name);
    break;
  case COMMANDS:
    put_commands();
    break;
  default:
    fputs(rows[row].text, stdout);
  }
}

/* Text for a single-quoted word; zsh parts its specifications at colons and brackets. */
static void put_text(const char *text, bool zsh)
{
  for (; *text; text++) {
    if (*text == '\'') fputs("'\\''", stdout);
    else if (zsh && strchr(":[]\\", *text)) printf("\\%c", *text);
    else putchar(*text);
  }
}

/* ---- bash ---- */

static void bash_value(const char *command, const tool_option *o)
{
  if (!o->value) return;
  int row = find_row(command, o->name);
  printf("        %s:--%s", command, o->name);
  if (o->letter) printf(" | %s:-%c", command, o->letter);
  fputs(") ", stdout);
  if (row < 0 || rows[row].what == NOTHING) fputs("return", stdout);
  else if (rows[row].what == FILES) printf("_skein_files %s; return", rows[row].text);
  else fputs("_skein_words '", stdout), put_words(row), fputs("'; return", stdout);
  fputs(" ;;\n", stdout);
}

static void bash_arguments(const char *command)
{
  int row = find_row(command, NULL);
  printf("        %s:*) ", command);
  if (row < 0 || rows[row].what == NOTHING) fputs(":", stdout);
  else if (rows[row].what == FILES) printf("_skein_files %s", rows[row].text);
  else fputs("_skein_words '", stdout), put_words(row), fputs("'", stdout);
  if (!strcmp(command, "bench")) fputs("; ((COMP_CWORD > 2)) || _skein_words friction", stdout);
  fputs(" ;;\n", stdout);
}

static void put_bash(const tool_command *const *commands, int count)
{
  fputs("# bash completion of skein, made by `skein completion bash`.\n\n"
        "_skein_words()\n{\n    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n}\n\n"
        "# Files with one of the endings (none: no files), and folders.\n"
        "_skein_files()\n{\n    local ending\n    for ending in \"$@\"; do\n"
        "        mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -X \"!*.$ending\" -- \"$cur\")\n    done\n"
        "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$cur\")\n"
        "    compopt -o filenames 2>/dev/null\n}\n\n"
        "_skein()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} "
        "command=${COMP_WORDS[1]}\n"
        "    COMPREPLY=()\n    if ((COMP_CWORD == 1)); then\n        _skein_words '",
        stdout);
  put_commands();
  fputs(" help --help --version'\n        return\n    fi\n    case $command:$prev in\n", stdout);
  for (int k = 0; k < count; k++)
    for (const tool_option *o = commands[k]->options; o->name; o++) bash_value(commands[k]->name, o);
  fputs("    esac\n    case $command:$cur in\n", stdout);
  for (int k = 0; k < count; k++) {
    printf("        %s:-*) _skein_words '", commands[k]->name);
    for (const tool_option *o = commands[k]->options; o->name; o++) printf("--%s ", o->name);
    fputs("--help' ;;\n", stdout);
    bash_arguments(commands[k]->name);
  }
  bash_arguments("help");
  fputs("    esac\n}\n\ncomplete -F _skein skein\n", stdout);
}

/* ---- zsh ---- */

/* ":what:how" of a value or an argument. */
static void zsh_action(const char *name, int row)
{
  printf(":%s:", name);
  if (row < 0 || rows[row].what == NOTHING) return;
  if (rows[row].what != FILES) putchar('('), put_words(row), putchar(')');
  else if (!rows[row].text[0]) fputs("_files -/", stdout);
  else {
    fputs("_files -g \"*.(", stdout);
    for (const char *c = rows[row].text; *c; c++) putchar(*c == ' ' ? '|' : *c);
    fputs(")(-.)\"", stdout);
  }
}

static void zsh_option(const char *command, const tool_option *o)
{
  for (int form = o->letter ? 0 : 1; form < 2; form++) {
    fputs("        '*", stdout);
    if (form) printf("--%s%s", o->name, o->value ? "=" : "");
    else printf("-%c", o->letter);
    putchar('['), put_text(o->help, true), putchar(']');
    if (o->value) zsh_action("value", find_row(command, o->name));
    fputs("' \\\n", stdout);
  }
}

static void put_zsh(const tool_command *const *commands, int count)
{
  fputs("#compdef skein\n# zsh completion of skein, made by `skein completion zsh`.\n\n_skein() {\n"
        "  local -a commands\n  commands=(\n",
        stdout);
  for (int k = 0; k < count; k++)
    printf("    '%s:", commands[k]->name), put_text(commands[k]->about, true), fputs("'\n", stdout);
  fputs("    'help:what a command does'\n  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    "
        "return\n  fi\n"
        "  local command=$words[2]\n  shift words; (( CURRENT-- ))\n  case $command in\n",
        stdout);
  for (int k = 0; k < count; k++) {
    printf("    %s)\n      _arguments -s \\\n", commands[k]->name);
    for (const tool_option *o = commands[k]->options; o->name; o++) zsh_option(commands[k]->name, o);
    fputs("        '*--help[its options]' \\\n        '*", stdout);
    zsh_action("argument", find_row(commands[k]->name, NULL));
    fputs("' ;;\n", stdout);
  }
  fputs("    help) _describe command commands ;;\n  esac\n}\n\n_skein \"$@\"\n", stdout);
}

/* ---- fish ---- */

static void fish_values(int row)
{
  if (row < 0 || rows[row].what == NOTHING) return;
  if (rows[row].what != FILES) fputs(" -a '", stdout), put_words(row), putchar('\'');
  else if (!rows[row].text[0]) fputs(" -a '(__fish_complete_directories)'", stdout);
  else {
    fputs(" -a '(", stdout);
    for (const char *c = rows[row].text, *end; *c; c = *end ? end + 1 : end) {
      end = c + strcspn(c, " ");
      printf("%s__fish_complete_suffix .%.*s", c == rows[row].text ? "" : "; ", (int)(end - c), c);
    }
    fputs(")'", stdout);
  }
}

static void put_fish(const tool_command *const *commands, int count)
{
  fputs("# fish completion of skein, made by `skein completion fish`.\n\ncomplete -c skein -f\n", stdout);
  for (int k = 0; k < count; k++) {
    printf("complete -c skein -n __fish_use_subcommand -a %s -d '", commands[k]->name);
    put_text(commands[k]->about, false), fputs("'\n", stdout);
  }
  for (int k = 0; k < count; k++) {
    const char *name = commands[k]->name;
    for (const tool_option *o = commands[k]->options; o->name; o++) {
      printf("complete -c skein -n '__fish_seen_subcommand_from %s' -l %s", name, o->name);
      if (o->letter) printf(" -s %c", o->letter);
      fputs(" -d '", stdout), put_text(o->help, false), putchar('\'');
      if (o->value) fputs(" -x", stdout), fish_values(find_row(name, o->name));
      putchar('\n');
    }
    if (find_row(name, NULL) < 0 || rows[find_row(name, NULL)].what == NOTHING) continue;
    printf("complete -c skein -n '__fish_seen_subcommand_from %s'", name);
    fish_values(find_row(name, NULL)), putchar('\n');
  }
}

/* ---- The command ---- */

static const tool_option options[] = {{0}};

static int run(const tool_command *command, int argc, char **argv)
{
  static const char *const shells[] = {"bash", "zsh", "fish"};
  static void (*const put[])(const tool_command *const *, int) = {put_bash, put_zsh, put_fish};
  const char *value;
  int key = tool_option_next(command, argc, argv, &value), count;
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (argc - optind != 1) return tool_error("completion: takes one shell: bash, zsh or fish"), TOOL_BAD;
  int shell = tool_parse_word("completion: the shell", argv[optind], shells, 3);
  if (shell < 0) return TOOL_BAD;
  const tool_command *const *commands = tool_commands(&count);
  put[shell](commands, count);
  return TOOL_OK;
}

const tool_command tool_completion = {.name = "completion",
                                      .about = "Tab completion for bash, zsh or fish",
                                      .usage = "bash|zsh|fish",
                                      .options = options,
                                      .examples =
                                          "  source <(skein completion bash)                       in ~/.bashrc\n"
                                          "  skein completion zsh >~/.zfunc/_skein                 a folder of $fpath\n"
                                          "  skein completion fish >~/.config/fish/completions/skein.fish\n",
                                      .run = run};
