/* Values as colours: palettes for what has names, one ramp for what is continuous, hues for islands. Linear RGB. */
#include "look/look.h"

#include <string.h>

typedef struct mode {
  const char *name, *about, *unit;
} mode;

static const mode modes[SKEIN_COLOUR_COUNT] = {
    [SKEIN_BY_MATERIAL] = {"material", "the colours that the scene gives its materials", ""},
    [SKEIN_BY_GROUP] = {"group", "one colour per group", ""},
    [SKEIN_BY_SPEED] = {"speed", "how fast each point moves", "m/s"},
    [SKEIN_BY_STATUS] = {"status", "where contacts stick and where they slide", ""},
    [SKEIN_BY_FORCE] = {"force", "contact forces", "N"},
    [SKEIN_BY_ISLAND] = {"island", "what hangs together by contacts", ""},
};

const char *skein_colour_name(skein_colour by)
{
  return (unsigned)by < SKEIN_COLOUR_COUNT ? modes[by].name : "?";
}

const char *skein_colour_about(skein_colour by)
{
  return (unsigned)by < SKEIN_COLOUR_COUNT ? modes[by].about : "?";
}

const char *skein_colour_unit(skein_colour by)
{
  return (unsigned)by < SKEIN_COLOUR_COUNT ? modes[by].unit : "?";
}

int skein_colour_find(const char *name)
{
  for (int k = 0; k < SKEIN_COLOUR_COUNT; k++)
    if (!strcmp(modes[k].name, name)) return k;
  return -1;
}

/* From dark blue over violet and orange to pale yellow; each step is lighter than the one before. */
void skein_colour_ramp(double t, float rgb[3])
{
  static const float stop[][3] = {{0.010f, 0.012f, 0.080f}, {0.080f, 0.020f, 0.260f}, {0.330f, 0.035f, 0.230f},
                                  {0.750f, 0.120f, 0.090f}, {0.960f, 0.420f, 0.060f}, {0.990f, 0.960f, 0.520f}};
  enum { last = sizeof stop / sizeof stop[0] - 1 };
  double at = last * fmin(fmax(t, 0), 1);
  int k = SK_MIN((int)at, last - 1);
  for (int c = 0; c < 3; c++) rgb[c] = (float)(stop[k][c] + (at - k) * (stop[k + 1][c] - stop[k][c]));
}

static void copy3(const float from[3], float to[3])
{
  for (int c = 0; c < 3; c++) to[c] = from[c];
}

static const float grey[3] = {0.25f, 0.25f, 0.26f};

static void group_colour(int g, float rgb[3])
{
  static const float palette[][3] = {{0.060f, 0.190f, 0.420f}, {0.720f, 0.220f, 0.030f}, {0.070f, 0.330f, 0.090f},
                                     {0.480f, 0.060f, 0.190f}, {0.250f, 0.140f, 0.440f}, {0.600f, 0.370f, 0.020f},
                                     {0.050f, 0.360f, 0.370f}, {0.330f, 0.140f, 0.060f}};
  int count = (int)(sizeof palette / sizeof palette[0]);
  copy3(g >= 0 ? palette[g % count] : grey, rgb);
}

static const char *const status_names[] = {"no contact", "sticks", "slides"};

static void status_colour(int status, float rgb[3])
{
  static const float palette[][3] = {{0.250f, 0.250f, 0.260f}, {0.020f, 0.230f, 0.640f}, {0.880f, 0.190f, 0.010f}};
  copy3(palette[SK_MIN(SK_MAX(status, 0), 2)], rgb);
}

/* Hues a golden angle apart, so that neighbours in number differ. */
static void island_colour(int island, float rgb[3])
{
  if (island < 0) {
    copy3(grey, rgb);
    return;
  }
  double turn = fmod(0.6180339887498949 * island + 0.58, 1);
  for (int c = 0; c < 3; c++) {
    double wave = 0.5 + 0.5 * cos(2 * SK_PI * (turn - c / 3.0));
    rgb[c] = (float)(0.03 + 0.62 * wave * wave);
  }
}

/* The range of the values from zero; (0, 1) when all are zero. */
static void find_range(const float *value, int count, double *lo, double *hi)
{
  *lo = *hi = 0;
  for (int k = 0; k < count; k++) *hi = fmax(*hi, value[k]);
  if (!(*hi > 0)) *hi = 1;
}

static void colour_of(const skein_look *look, skein_colour by, double value, double lo, double hi, float rgb[3])
{
  int number = (int)value;
  switch (by) {
  case SKEIN_BY_MATERIAL:
    copy3(number >= 0 && number < look->material_count ? look->materials[number].colour : grey, rgb);
    break;
  case SKEIN_BY_GROUP:
    group_colour(number, rgb);
    break;
  case SKEIN_BY_STATUS:
    status_colour(number, rgb);
    break;
  case SKEIN_BY_ISLAND:
    island_colour(number, rgb);
    break;
  default:
    skein_colour_ramp((value - lo) / (hi - lo), rgb);
  }
}

void skein_look_paint(const skein_look *look, skein_colour by, const float *value, int count, double *lo, double *hi,
                      float *rgb)
{
  double from = lo ? *lo : 0, to = hi ? *hi : 0;
  if (!(from < to) && !(from > to)) find_range(value, count, &from, &to);
  for (int k = 0; k < count; k++) { /* colour k is written after value k is read, also where it is the last third */
    float colour[3];
    colour_of(look, by, value[k], from, to, colour);
    copy3(colour, rgb + 3 * (size_t)k);
  }
  if (lo) *lo = from;
  if (hi) *hi = to;
}

skein_status skein_look_colours(const skein_look *look, skein_colour by, const skein_frame *before,
                                const skein_frame *f, double *lo, double *hi, float *rgb)
{
  float *value = rgb + 2 * (size_t)f->points;
  skein_status s = skein_look_values(look, by, before, f, value);
  if (s.code == SKEIN_OK) skein_look_paint(look, by, value, f->points, lo, hi, rgb);
  return s;
}

bool skein_look_legend(const skein_look *look, skein_colour by, int i, skein_legend_entry *entry)
{
  if (i < 0) return false;
  if (by == SKEIN_BY_MATERIAL && i < look->material_count) entry->name = look->materials[i].name;
  else if (by == SKEIN_BY_GROUP && i < look->group_count) entry->name = look->groups[i];
  else if (by == SKEIN_BY_STATUS && i < 3) entry->name = status_names[i];
  else return false;
  colour_of(look, by, i, 0, 1, entry->colour);
  return true;
}
