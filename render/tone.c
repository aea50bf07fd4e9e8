/* Tone: light to display values, and display values to bytes.
 *
 * The curve is the identity up to a knee a, so that colours of a legend are the colours of the picture, and approaches
 * 1 beyond it: f(x) = a + (1 - a) (1 - exp(-(x - a) / (1 - a))). It is applied to the largest component; the others
 * keep their ratio to it, and go towards white as the light gets strong. Bytes are sRGB (IEC 61966-2-1). */
#include "inside.h"

static const float knee = 0.6f;

static float curve(float x)
{
  return x <= knee ? x : knee + (1 - knee) * (1 - expf(-(x - knee) / (1 - knee)));
}

static float inverse(float y)
{
  return y <= knee ? y : knee - (1 - knee) * logf(1 - minf((y - knee) / (1 - knee), 0.998f));
}

vec tone_map(vec c)
{
  float m = v_max(c);
  if (!(m > knee)) return c;
  float y = curve(m), white = smooth(0.9f, 6, m) * 0.7f;
  return v_mix(v_scale(y / m, c), v3(y, y, y), white);
}

vec tone_unmap(vec display)
{
  float m = v_max(display);
  return m > knee ? v_scale(inverse(m) / m, display) : display;
}

float render_linear(float s)
{
  return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

static unsigned char byte_of(float x)
{
  float s = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
  return (unsigned char)(clampf(s, 0, 1) * 255 + 0.5f);
}

void render_bytes(const float *rgba, int width, int height, unsigned char *bytes)
{
  size_t count = (size_t)width * (size_t)height;
  for (size_t i = 0; i < count; i++) {
    const float *p = rgba + 4 * i;
    float a = clampf(p[3], 0, 1), undo = a > 0 ? 1 / a : 0;
    for (int k = 0; k < 3; k++) bytes[4 * i + k] = byte_of(clampf(p[k] * undo, 0, 1));
    bytes[4 * i + 3] = (unsigned char)(a * 255 + 0.5f);
  }
}
