/* `skein export`: a run as files of other programs. */
#include "tool.h"

#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { FORMAT, OUTPUT, FRAMES, START, RATE, UP, UNIT, POINTS, BODIES, NO_BODIES, CONTACTS, QUIET, HAIRS };

static const tool_option options[] = {
    [FORMAT] = {"format", 'f', "NAME", "see below; default: by the ending of the output"},
    [OUTPUT] = {"output", 'o', "OUT", "where to; series: out_%04d.hair, or out.hair, which becomes that"},
    [FRAMES] = {"frames", 'n', "A:B[:STEP]", "frames A to B, every STEP-th; A, A: and :B do too; default: all"},
    [START] = {"start", 0, "N", "number of the run's frame 0 in the files (a shot: 1001); default 0"},
    [RATE] = {"rate", 0, "FPS",
              "of the files: usda, abc; a run with more has samples between frames; default: its own"},
    [UP] = {"up", 'u', "AXIS", "y or z is up in the file; default z, as in the run"},
    [UNIT] = {"unit", 0, "UNIT", "m, cm or mm: of all lengths in the file; default m"},
    [POINTS] = {"points", 0, "N", "points per rod or hair, evenly along it; default: as its curve needs"},
    [BODIES] = {"bodies", 0, NULL, "with bodies; default for abc, usda, vtp and obj"},
    [NO_BODIES] = {"no-bodies", 0, NULL, "without bodies"},
    [CONTACTS] = {"contacts", 0, NULL, "with contacts: usda, vtp, csv"},
    [QUIET] = {"quiet", 'q', NULL, "no progress"},
    TOOL_HAIR_OPTIONS,
    {0}};

typedef struct settings {
  skein_export_def def;
  const char *format, *frames;
  tool_hairs hairs;
  int bodies; /* 1 wanted, 0 not wanted, -1 not said */
  bool quiet;
} settings;

/* ---- Stopping ---- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
  (void)signal;
  interrupted = 1;
}

static void catch_signals(void)
{
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  action = (struct sigaction){.sa_handler = SIG_IGN};
  sigaction(SIGXFSZ, &action, NULL); /* a write that fails says so */
}

static bool show_progress(int done, int all, void *user)
{
  const settings *s = user;
  if (!s->quiet && isatty(STDERR_FILENO)) {
    fprintf(stderr, "\r%3d %%", all > 0 ? (int)(100.0 * done / all) : 0);
    if (done >= all) fputs("\r     \r", stderr);
    fflush(stderr);
  }
  return !interrupted;
}

/* ---- Options ---- */

static void print_formats(FILE *out)
{
  fputs("\nFormats:\n", out);
  for (int k = 0; k < SKEIN_FORMAT_COUNT; k++)
    fprintf(out, "  %-6s %s\n", skein_format_name((skein_format)k), skein_format_about((skein_format)k));
  fputs("\nLengths are in the unit; speeds in m/s, forces in N, impulses in N s.\n", out);
}

/* "7", "3:9", "3:", ":9", "3:9:2" */
static bool parse_frames(const char *text, int frames, skein_export_def *def)
{
  char copy[64], *part[3] = {copy, NULL, NULL};
  int count = 1;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *c = copy; *c; c++)
    if (*c == ':' && count < 3) *c = 0, part[count++] = c + 1;
  def->first = 0, def->last = frames - 1, def->step = 1;
  if (!text[0] || strlen(text) >= sizeof copy)
    return tool_error("--frames is '%.40s', expected A, A:B or A:B:STEP", text), false;
  if (*part[0] && !tool_parse_int("--frames", part[0], 0, frames - 1, &def->first)) return false;
  if (count == 1) def->last = def->first;
  else if (*part[1] && !tool_parse_int("--frames", part[1], 0, frames - 1, &def->last)) return false;
  if (count == 3 && !tool_parse_int("--frames", part[2], 1, INT_MAX, &def->step)) return false;
  if (def->last < def->first) return tool_error("--frames is '%s', expected A of at most B", text), false;
  return true;
}

/* What to take for a program whose own format is none of ours. */
static void refuse_ending(const char *path)
{
  static const struct {
    const char *ending, *take;
  } others[] = {{".fbx", ".abc, which what reads FBX reads too (Maya, Unreal, Houdini, 3ds Max)"},
                {".ma", ".abc for Maya"},
                {".mb", ".abc for Maya"},
                {".max", ".abc for 3ds Max"},
                {".c4d", ".abc for Cinema 4D"},
                {".bgeo", ".abc or .usda for Houdini"},
                {".hip", ".abc or .usda for Houdini"},
                {".uasset", ".abc for Unreal"},
                {".blend", "the run itself: the add-on for Blender reads it"},
                {".usd", ".usda for what reads USD"},
                {".usdc", ".usda for what reads USD"},
                {".usdz", ".usda for what reads USD"},
                {".gltf", ".obj or .usda: glTF has no curves"},
                {".glb", ".obj or .usda: glTF has no curves"},
                {".vtk", ".pvd for ParaView"},
                {".vtu", ".pvd for ParaView"},
                {".stl", ".obj"},
                {NULL, NULL}};
  char list[160] = "";
  for (int k = 0; k < SKEIN_FORMAT_COUNT; k++) {
    size_t n = strlen(list);
    snprintf(list + n, sizeof list - n, "%s.%s", k ? " " : "", skein_format_name((skein_format)k));
  }
  const char *dot = strrchr(path, '.'), *take = NULL;
  for (int k = 0; dot && others[k].ending; k++)
    if (!strcasecmp(dot, others[k].ending)) take = others[k].take;
  if (take) tool_error("%s: %s is not written, take %s; all formats: %s", path, dot, take, list);
  else tool_error("%s: no format is known by this ending, choose one with --format: %s", path, list);
}

static bool find_format(settings *s)
{
  const char *names[SKEIN_FORMAT_COUNT];
  for (int k = 0; k < SKEIN_FORMAT_COUNT; k++) names[k] = skein_format_name((skein_format)k);
  int found = -1;
  if (s->format) found = tool_parse_word("--format", s->format, names, SKEIN_FORMAT_COUNT);
  else found = skein_format_of_path(s->def.path);
  if (found < 0 && !s->format) refuse_ending(s->def.path);
  if (found < 0) return false;
  s->def.format = (skein_format)found;
  bool usual = found == SKEIN_USDA || found == SKEIN_ABC || found == SKEIN_VTP || found == SKEIN_OBJ;
  s->def.bodies = s->bodies < 0 ? usual : s->bodies > 0;
  return true;
}

static bool set_option(settings *s, int key, const char *value)
{
  static const char *const ups[] = {"y", "z"}, *const units[] = {"m", "cm", "mm"};
  static const double metres[] = {1, 0.01, 0.001};
  int word = 0;
  if (key >= HAIRS) return tool_hairs_option(&s->hairs, key - HAIRS, value);
  if (key == FORMAT) s->format = value;
  if (key == OUTPUT) s->def.path = value;
  if (key == FRAMES) s->frames = value;
  if (key == UP && (word = tool_parse_word("--up", value, ups, 2)) >= 0) s->def.y_up = word == 0;
  if (key == UNIT && (word = tool_parse_word("--unit", value, units, 3)) >= 0) s->def.unit = metres[word];
  if (key == POINTS && !tool_parse_int("--points", value, 2, 65536, &s->def.points)) word = -1;
  if (key == BODIES) s->bodies = 1;
  if (key == NO_BODIES) s->bodies = 0;
  if (key == START && !tool_parse_int("--start", value, -100000000, 100000000, &s->def.start)) word = -1;
  if (key == RATE && !tool_parse_double("--rate", value, 1e-3, 1e5, &s->def.rate)) word = -1;
  if (key == CONTACTS) s->def.contacts = true;
  if (key == QUIET) s->quiet = true;
  return word >= 0;
}

/* ---- The command ---- */

static int export_run(settings *s, const char *path)
{
  skein_run *run = NULL;
  skein_export_info info = {0};
  skein_status status = skein_run_open(path, false, &run);
  if (status.code != SKEIN_OK) return tool_fail_input(path, status, TOOL_RUN);
  int code = TOOL_OK;
  if (s->frames && !parse_frames(s->frames, skein_run_frames(run), &s->def)) code = TOOL_BAD;
  if (code == TOOL_OK) {
    catch_signals();
    s->def.progress = show_progress, s->def.user = s;
    status = skein_export(run, &s->def, &info);
    if (status.code != SKEIN_OK) code = tool_fail(NULL, status);
    else if (info.stopped) code = TOOL_INTERRUPTED, tool_error("%s: interrupted, nothing was written", s->def.path);
    else
      printf("%s: %d frame%s in %d file%s, %.4g MB\n", s->def.path, info.frames, info.frames == 1 ? "" : "s",
             info.files, info.files == 1 ? "" : "s", 1e-6 * (double)info.bytes);
  }
  skein_run_close(run);
  return code;
}

static int run(const tool_command *command, int argc, char **argv)
{
  settings s = {.def = skein_default_export_def(), .hairs = tool_default_hairs(), .bodies = -1};
  const char *value;
  int key;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0)
    if (!set_option(&s, key, value)) return TOOL_BAD;
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (!tool_hairs_check(&s.hairs)) return TOOL_BAD;
  s.def.hairs = s.hairs.wanted ? &s.hairs.def : NULL;
  if (optind >= argc) return tool_error("export: no run given, see 'skein export --help'"), TOOL_BAD;
  if (argc - optind > 1) return tool_error("export: takes one run, %d were given", argc - optind), TOOL_BAD;
  if (!s.def.path) return tool_error("export: no output given, expected -o OUT"), TOOL_BAD;
  if (!find_format(&s)) return TOOL_BAD;
  return export_run(&s, argv[optind]);
}

const tool_command tool_export = {
    .name = "export",
    .about = "A run as files of other programs: Alembic, USD, VTK, hair, OBJ, PLY, CSV",
    .usage = "RUN.h5 -o OUT [OPTIONS]",
    .options = options,
    .notes = print_formats,
    .examples = "  skein export heap.h5 -o heap.abc --up y --unit cm            for Maya\n"
                "  skein export heap.h5 -o heap.usda --up y                     for Solaris\n"
                "  skein export heap.h5 -o heap.pvd --contacts                  for ParaView\n"
                "  skein export heap.h5 -o hair_%04d.hair --frames 0:100:2      every second frame\n"
                "  skein export heap.h5 -o last.obj --frames 240                one frame\n"
                "  skein export head.h5 -o hair.usda --hairs 10000 --points 20  many hairs from few rods\n",
    .run = run};
