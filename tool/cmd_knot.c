/* `skein knot`: the live page of a rope with a loose knot. The scene, scenes/knot.json, is inside the tool; SCENE_KNOT
 * is its path. */
#include "live.h"

#include <getopt.h>

__asm__(".section .rodata\n"
        "scene_knot:\n"
        ".incbin \"" SCENE_KNOT "\"\n"
        ".byte 0\n"
        ".text\n");

extern const char scene_knot[] __attribute__((visibility("hidden")));

static const tool_option options[] = {LIVE_OPTIONS, {0}};

static int run(const tool_command *command, int argc, char **argv)
{
  live_def def = live_default_def();
  const char *value;
  int key;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0)
    if (!live_option(&def, key, value)) return TOOL_BAD;
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_OK : TOOL_BAD;
  if (optind < argc) return tool_error("knot: takes no files, got '%s'", argv[optind]), TOOL_BAD;
  def.scene = "knot.json", def.text = scene_knot;
  return tool_live_run(&def);
}

const tool_command tool_knot = {.name = "knot",
                                .about = "A rope with a knot, to be tightened by hand in a browser",
                                .usage = "[OPTIONS]",
                                .options = options,
                                .examples =
                                    "  skein knot                          pull at the free end with the mouse\n"
                                    "  skein knot --set friction=0.05      a knot that slips\n"
                                    "  skein knot --port 9000 --no-open    then open http://127.0.0.1:9000/\n",
                                .run = run};
