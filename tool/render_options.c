/* Options of `skein render`. */
#include "render.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
  OUTPUT,
  FRAME,
  FRAMES,
  SIZE,
  SAMPLES,
  COLOUR,
  RANGE,
  SHADING,
  RADIUS,
  EYE,
  TARGET,
  FOV,
  AZIMUTH,
  ELEVATION,
  ZOOM,
  BACKGROUND,
  TRANSPARENT,
  BLUR,
  FPS,
  CRF,
  TITLE,
  NO_LEGEND,
  THREADS,
  QUIET,
  HAIRS
};

const tool_option render_options[] = {
    [OUTPUT] = {"output", 'o', "FILE", "NAME.png, NAME_%04d.png (a picture per frame) or NAME.mp4"},
    [FRAME] = {"frame", 'f', "N", "one frame; -1 is the last (default for NAME.png)"},
    [FRAMES] = {"frames", 'n', "A:B[:STEP]", "frames A to B, either may be left out (default: all)"},
    [SIZE] = {"size", 0, "WxH", "pixels (default: 960x720)"},
    [SAMPLES] = {"samples", 0, "N", "rays per pixel at most (default: 16)"},
    [COLOUR] = {"colour", 'c', "BY", "material, group, speed, status, force or island, with a legend"},
    [RANGE] = {"range", 0, "LO:HI", "of the colour scale (default: that of all frames)"},
    [SHADING] = {"shading", 0, "HOW", "hair, surface or auto: hair where strands are thin (default)"},
    [RADIUS] = {"radius-scale", 0, "S", "draw rods S times as thick (default: 1; one pixel at least)"},
    [EYE] = {"eye", 0, "X,Y,Z", "where the camera is, m (default: the scene's, else fitted to all frames)"},
    [TARGET] = {"target", 0, "X,Y,Z", "what it looks at, m"},
    [FOV] = {"fov", 0, "DEG", "vertical angle of view (default: 30)"},
    [AZIMUTH] = {"azimuth", 0, "DEG", "fitted camera: 0 looks along +y, 90 along -x (default: 28)"},
    [ELEVATION] = {"elevation", 0, "DEG", "fitted camera: 0 is level, 90 looks down (default: 16)"},
    [ZOOM] = {"zoom", 0, "Z", "2 shows half of it (default: 1)"},
    [BACKGROUND] = {"background", 'b', "COLOUR", "studio (default), dark, white, black, #rrggbb or #top,#bottom"},
    [TRANSPARENT] = {"transparent", 0, NULL, "no background: PNG with alpha, of the floor only the shadows"},
    [BLUR] = {"blur", 0, "S", "motion blur, share of a frame (default: 0.5 in videos, 0 in pictures)"},
    [FPS] = {"fps", 0, "F", "frames per second of the video (default: real time)"},
    [CRF] = {"crf", 0, "Q", "quality of the video, 0 best to 51 (default: 18)"},
    [TITLE] = {"title", 0, "TEXT", "in the upper left corner; \"\" is that of the scene (default: none)"},
    [NO_LEGEND] = {"no-legend", 0, NULL, "colours without their legend"},
    [THREADS] = {"threads", 'j', "N", "threads, 0: all cores (default); the picture does not depend on it"},
    [QUIET] = {"quiet", 'q', NULL, "no progress and no summary"},
    TOOL_HAIR_OPTIONS,
    {0}};

static const struct {
  const char *name;
  unsigned colour[2]; /* top, bottom: 0xrrggbb of the display */
  bool dark;
} backgrounds[] = {{"studio", {0xe8edf3, 0xc3cad3}, false},
                   {"dark", {0x3a414c, 0x14171c}, true},
                   {"white", {0xffffff, 0xffffff}, false},
                   {"black", {0x000000, 0x000000}, true}};
enum { background_count = sizeof backgrounds / sizeof backgrounds[0] };

static void set_colour(unsigned rgb, float colour[3])
{
  for (int k = 0; k < 3; k++) colour[k] = render_linear((float)(rgb >> (16 - 8 * k) & 255) / 255);
}

static bool read_hex(const char *text, size_t length, float colour[3])
{
  char copy[8], *end;
  if (length != 7 || text[0] != '#') return false;
  memcpy(copy, text + 1, 6);
  copy[6] = 0;
  if (strspn(copy, "0123456789abcdefABCDEF") != 6) return false;
  set_colour((unsigned)strtoul(copy, &end, 16), colour);
  return true;
}

static bool read_background(const char *text, render_settings *s)
{
  const char *names[background_count];
  for (int k = 0; k < background_count; k++) {
    names[k] = backgrounds[k].name;
    if (strcmp(text, names[k]) != 0) continue;
    for (int j = 0; j < 2; j++) set_colour(backgrounds[k].colour[j], s->background[j]);
    s->dark = backgrounds[k].dark;
    return true;
  }
  size_t n = strcspn(text, ",");
  if (text[0] == '#' && read_hex(text, n, s->background[0]) &&
      read_hex(text[n] ? text + n + 1 : text, text[n] ? strlen(text + n + 1) : n, s->background[1])) {
    const float *c = s->background[1];
    s->dark = 0.21f * c[0] + 0.72f * c[1] + 0.07f * c[2] < 0.18f;
    return true;
  }
  if (text[0] == '#') tool_error("--background '%s': expected #rrggbb or #rrggbb,#rrggbb", text);
  else tool_parse_word("--background", text, names, background_count);
  return false;
}

static bool read_point(const char *option, const char *text, double p[3])
{
  char *copy = strdup(text), *rest = copy, *part;
  int n = 0;
  bool ok = copy != NULL;
  while (ok && (part = rest) != NULL && n < 3) {
    rest = strchr(part, ',');
    if (rest) *rest++ = 0;
    ok = tool_parse_double(option, part, -1e9, 1e9, &p[n++]);
  }
  if (ok && (n != 3 || rest))
    ok = false, tool_error("%s '%s': expected three numbers, as in 0.1,-0.5,0.2", option, text);
  free(copy);
  return ok;
}

static bool read_size(const char *text, render_settings *s)
{
  int used = 0;
  if (sscanf(text, "%5dx%5d%n", &s->width, &s->height, &used) == 2 && text[used] == 0 && s->width >= 16 &&
      s->height >= 16 && s->width <= 16384 && s->height <= 16384)
    return true;
  tool_error("--size '%s': expected WIDTHxHEIGHT, each from 16 to 16384, as in 960x720", text);
  return false;
}

/* A:B[:STEP]; A and B may be empty. */
static bool read_frames(const char *text, render_settings *s)
{
  char part[3][16] = {"", "", ""};
  int n = 0;
  const char *at = text;
  for (bool more = true; more; n++) {
    size_t length = strcspn(at, ":");
    if (n == 3 || length >= sizeof part[0]) return tool_error("--frames '%s': expected A:B or A:B:STEP", text), false;
    memcpy(part[n], at, length);
    more = at[length] == ':';
    at += length + more;
  }
  if (n < 2) return tool_error("--frames '%s': expected A:B or A:B:STEP; one frame is --frame %s", text, text), false;
  bool ok = !part[0][0] || tool_parse_int("--frames", part[0], -1000000000, 1000000000, &s->first);
  ok = ok && (!part[1][0] || tool_parse_int("--frames", part[1], -1000000000, 1000000000, &s->last));
  return ok && (!part[2][0] || tool_parse_int("--frames (step)", part[2], 1, 1000000000, &s->step));
}

static bool read_range(const char *text, render_settings *s)
{
  char lo[40];
  size_t n = strcspn(text, ":");
  if (text[n] != ':' || n >= sizeof lo) return tool_error("--range '%s': expected LO:HI, as in 0:1.5", text), false;
  memcpy(lo, text, n);
  lo[n] = 0;
  if (!tool_parse_double("--range", lo, -1e30, 1e30, &s->lo) ||
      !tool_parse_double("--range", text + n + 1, -1e30, 1e30, &s->hi))
    return false;
  return s->lo < s->hi || (tool_error("--range '%s': the first number must be the smaller one", text), false);
}

static bool read_colour(const char *text, render_settings *s)
{
  const char *names[SKEIN_COLOUR_COUNT];
  for (int k = 0; k < SKEIN_COLOUR_COUNT; k++) names[k] = skein_colour_name((skein_colour)k);
  int found = tool_parse_word("--colour", text, names, SKEIN_COLOUR_COUNT);
  s->colour = found < 0 ? SKEIN_BY_MATERIAL : (skein_colour)found;
  s->colour_given = true;
  return found >= 0;
}

static bool read_shading(const char *text, render_settings *s)
{
  static const char *const names[] = {"auto", "hair", "surface"};
  int found = tool_parse_word("--shading", text, names, 3);
  s->shading = found < 0 ? RENDER_AUTO : (render_shading)found;
  return found >= 0;
}

/* Options that place the camera. */
static bool read_camera(int key, const char *value, render_settings *s)
{
  switch (key) {
  case EYE:
    return s->eye_given = true, read_point("--eye", value, s->eye);
  case TARGET:
    return s->target_given = true, read_point("--target", value, s->target);
  case FOV:
    return s->fov_given = true, tool_parse_double("--fov", value, 1, 150, &s->fov);
  case AZIMUTH:
    return s->angles_given = true, tool_parse_double("--azimuth", value, -3600, 3600, &s->azimuth);
  case ELEVATION:
    return s->angles_given = true, tool_parse_double("--elevation", value, -90, 90, &s->elevation);
  default:
    return tool_parse_double("--zoom", value, 0.01, 1000, &s->zoom);
  }
}

static bool read_option(int key, const char *value, render_settings *s)
{
  if (key >= HAIRS) return tool_hairs_option(&s->hairs, key - HAIRS, value);
  switch (key) {
  case OUTPUT:
    return s->output = value, true;
  case FRAME:
    return tool_parse_int("--frame", value, -1000000000, 1000000000, &s->frame);
  case FRAMES:
    return read_frames(value, s);
  case SIZE:
    return read_size(value, s);
  case SAMPLES:
    return tool_parse_int("--samples", value, 1, 65536, &s->samples);
  case COLOUR:
    return read_colour(value, s);
  case RANGE:
    return read_range(value, s);
  case SHADING:
    return read_shading(value, s);
  case RADIUS:
    return tool_parse_double("--radius-scale", value, 1e-6, 1e6, &s->radius_scale);
  case BACKGROUND:
    return read_background(value, s);
  case TRANSPARENT:
    return s->transparent = true;
  case BLUR:
    return tool_parse_double("--blur", value, 0, 1, &s->blur);
  case FPS:
    return tool_parse_double("--fps", value, 0.01, 1000, &s->fps);
  case CRF:
    return tool_parse_int("--crf", value, 0, 51, &s->crf);
  case TITLE:
    return s->title = value, true;
  case NO_LEGEND:
    return s->legend = false, true;
  case THREADS:
    return tool_parse_int("--threads", value, 0, 1024, &s->threads);
  case QUIET:
    return s->quiet = true;
  default:
    return read_camera(key, value, s);
  }
}

render_settings render_default_settings(void)
{
  render_settings s = {.frame = RENDER_NO_FRAME,
                       .first = RENDER_NO_FRAME,
                       .last = RENDER_NO_FRAME,
                       .step = 1,
                       .width = 960,
                       .height = 720,
                       .samples = 16,
                       .crf = 18,
                       .legend = true,
                       .radius_scale = 1,
                       .blur = -1,
                       .fov = 30,
                       .azimuth = 28,
                       .elevation = 16,
                       .zoom = 1,
                       .hairs = tool_default_hairs()};
  read_background("studio", &s);
  return s;
}

int render_read_options(const tool_command *command, int argc, char **argv, render_settings *s)
{
  const char *value;
  int key;
  while ((key = tool_option_next(command, argc, argv, &value)) >= 0)
    if (!read_option(key, value, s)) return TOOL_BAD;
  if (key != TOOL_NO_MORE) return key == TOOL_HELP ? TOOL_HELP : TOOL_BAD;
  if (!tool_hairs_check(&s->hairs)) return TOOL_BAD;
  s->hairs.def.threads = s->threads;
  if (optind >= argc) return tool_error("render: no run given, see 'skein render --help'"), TOOL_BAD;
  if (argc - optind > 1) return tool_error("render: takes one run, %d were given", argc - optind), TOOL_BAD;
  s->run = argv[optind];
  return TOOL_OK;
}
