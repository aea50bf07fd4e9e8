/* What only pictures use: colours of materials and bodies, the camera. Colours are written as screens have them (sRGB,
 * IEC 61966-2-1) and kept linear. */
#include "scene/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static float linear(double c)
{
  return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static bool is_hex(const char *word)
{
  return strlen(word) == 7 && word[0] == '#' && strspn(word + 1, "0123456789abcdefABCDEF") == 6;
}

sk_rgb sk_colour_hex(const char *hex)
{
  unsigned r = 0, g = 0, b = 0;
  sscanf(hex, "#%2x%2x%2x", &r, &g, &b);
  return (sk_rgb){linear(r / 255.0), linear(g / 255.0), linear(b / 255.0)};
}

sk_rgb sk_colour_pick(int index)
{
  static const char *const palette[] = {"#4c78a8", "#d9803a", "#5fa05a", "#b5567a", "#8a6fb0",
                                        "#c9a227", "#4aa3a2", "#9c6b4a", "#7f8c9b", "#c44e4e"};
  return sk_colour_hex(palette[index % SK_COUNT(palette)]);
}

/* "#rrggbb" or [r, g, b], 0 to 1. */
sk_rgb sk_get_colour(sk_reader *r, const sk_at *object, sk_rgb fallback)
{
  double rgb[3];
  char word[40];
  sk_at at = sk_at_get(object, "colour");
  if (!at.value || sk_failed(r)) return fallback;
  if (json_is_string(at.value)) {
    const char *text = json_string_value(at.value);
    if (is_hex(text)) return sk_colour_hex(text);
    sk_at_fail(r, &at, "is '%s', expected '#rrggbb' or [r, g, b]", sk_safe(text, word, sizeof word));
    return fallback;
  }
  if (!json_is_array(at.value) || json_array_size(at.value) != 3)
    return sk_at_wrong(r, &at, "'#rrggbb' or [r, g, b]"), fallback;
  for (size_t k = 0; k < 3; k++) {
    sk_at item = sk_at_item(&at, k);
    rgb[k] = sk_at_number(r, &item, SK_ONE, SK_SHARE);
  }
  return sk_failed(r) ? fallback : (sk_rgb){linear(rgb[0]), linear(rgb[1]), linear(rgb[2])};
}

void sk_read_camera(sk_reader *r, const sk_at *root)
{
  static const char *const fields[] = {"eye", "target", "up", "fov"};
  skein_look_camera *c = &r->scene->camera;
  sk_at at = sk_at_get(root, "camera");
  if (!at.value || sk_failed(r)) return;
  if (!sk_at_object(r, &at, fields, SK_COUNT(fields))) return;
  if (!sk_at_need(r, &at, "eye") || !sk_at_need(r, &at, "target")) return;
  sk_at eye = sk_at_get(&at, "eye"), up = sk_at_get(&at, "up"), fov = sk_at_get(&at, "fov");
  sk_vec3 from = sk_get_vector(r, &at, "eye", SK_LENGTH, sk_vec(0, 0, 0));
  sk_vec3 to = sk_get_vector(r, &at, "target", SK_LENGTH, sk_vec(0, 0, 0));
  sk_vec3 upward = sk_get_direction(r, &at, "up", sk_vec(0, 0, 1)), along = sk_sub(to, from);
  c->fov = sk_get_number(r, &at, "fov", SK_ONE, SK_POSITIVE, 30);
  if (sk_failed(r)) return;
  if (!(sk_norm(along) > 1e-9 * (sk_norm(from) + sk_norm(to))))
    sk_at_fail(r, &eye, "is 'target', expected another place");
  else if (!(sk_norm(sk_cross(sk_unit(along), upward)) > 1e-6))
    sk_at_fail(r, up.value ? &up : &at, "the camera looks along 'up', expected another 'up'");
  else if (!(c->fov >= 1 && c->fov <= 150)) sk_at_fail(r, &fov, "is %g, expected 1 to 150 degrees", c->fov);
  sk_store3(c->eye, from), sk_store3(c->target, to), sk_store3(c->up, upward);
  c->given = true;
}
