/* Numbers as text and as little-endian bytes, the same on every machine and in every locale. */
#include "export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A locale may have a comma. */
static void put_number(FILE *out, char *text)
{
  char *comma = strchr(text, ',');
  if (comma) *comma = '.';
  fputs(text, out);
}

void sk_put_float(FILE *out, float x)
{
  char text[32];
  x += 0.0f; /* no "-0" */
  for (int digits = 7; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, (double)x);
    if (strtof(text, NULL) == x) break;
  }
  put_number(out, text);
}

void sk_put_double(FILE *out, double x)
{
  char text[32];
  x += 0.0;
  snprintf(text, sizeof text, "%.15g", x);
  if (strtod(text, NULL) != x) snprintf(text, sizeof text, "%.17g", x);
  put_number(out, text);
}

void sk_put_point(FILE *out, const float *x, const char *between)
{
  for (int k = 0; k < 3; k++) {
    if (k) fputs(between, out);
    sk_put_float(out, x[k]);
  }
}

void sk_put_u16(FILE *out, unsigned x)
{
  fputc((int)(x & 255), out), fputc((int)(x >> 8 & 255), out);
}

void sk_put_i32(FILE *out, int x)
{
  uint32_t u = (uint32_t)x;
  unsigned char b[4] = {(unsigned char)u, (unsigned char)(u >> 8), (unsigned char)(u >> 16), (unsigned char)(u >> 24)};
  fwrite(b, 1, sizeof b, out);
}

void sk_put_f32(FILE *out, float x)
{
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  sk_put_i32(out, bits);
}

void sk_put_identifier(const char *name, char *out, size_t size)
{
  size_t n = 0;
  if (name[0] >= '0' && name[0] <= '9') out[n++] = '_';
  for (const char *c = name; *c && n + 1 < size; c++) {
    bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    out[n++] = letter ? *c : '_';
  }
  if (!n) out[n++] = '_';
  out[n] = 0;
}

int sk_srgb_byte(float linear)
{
  double c = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
  return (int)(255 * fmin(fmax(c, 0), 1) + 0.5);
}
