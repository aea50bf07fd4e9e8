/* Options of the commands that show many hairs instead of the rods that were simulated. */
#include "tool.h"

#include <string.h>

enum { HAIRS, CLUMP, FRIZZ, WIDTH, SEED, GROUP };

tool_hairs tool_default_hairs(void)
{
  return (tool_hairs){.def = skein_default_hairs_def()};
}

bool tool_hairs_option(tool_hairs *h, int key, const char *value)
{
  static const char *const names[] = {"--hairs", "--clump", "--frizz", "--hair-width", "--hair-seed", "--hair-group"};
  bool ok = true;
  if (key == HAIRS) h->wanted = true;
  else h->extra = names[key];
  if (key == HAIRS) ok = tool_parse_int(names[key], value, 1, 1000000, &h->def.hairs);
  if (key == CLUMP) ok = tool_parse_double(names[key], value, 0, 1, &h->def.clump);
  if (key == FRIZZ) ok = tool_parse_double(names[key], value, 0, 10, &h->def.frizz);
  if (key == WIDTH) ok = tool_parse_double(names[key], value, 1e-6, 1000, &h->def.width), h->def.width *= 1e-3;
  if (key == SEED) ok = tool_parse_seed(names[key], value, &h->def.seed);
  if (key == GROUP) h->def.groups = value;
  return ok;
}

bool tool_hairs_check(const tool_hairs *h)
{
  if (h->wanted || !h->extra) return true;
  tool_error("%s: says how hairs are, and needs --hairs N", h->extra);
  return false;
}

skein_status tool_hairs_create(const tool_hairs *h, const skein_run *run, const skein_scene *scene, skein_hairs **hairs)
{
  skein_frame first = {0};
  *hairs = NULL;
  if (!h->wanted || skein_run_frames(run) == 0) return (skein_status){0};
  skein_status status = skein_run_frame(run, 0, &first);
  if (status.code == SKEIN_OK) status = skein_hairs_create(scene, &first, &h->def, hairs);
  skein_frame_destroy(&first);
  return status;
}
