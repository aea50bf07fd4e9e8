/* Cem Yuksel's HAIR files (http://www.cemyuksel.com/research/hairmodels): a header of 128 bytes, then the arrays that
 * its flags name, all little-endian:
 *
 *     "HAIR", strands, points, flags, default segments (u32 each), default thickness, transparency, colour (f32), text
 *     1 segments (u16 per strand), 2 points (3 f32), 4 thickness (f32 per point), 8 transparency (f32), 16 colour (3
 * f32)
 *
 * A strand of n segments has n + 1 points. Thickness, transparency and colour are not used: the material says. */
#include "scene/files.h"

#include <math.h>
#include <string.h>

enum { HEADER = 128, SEGMENTS = 1, POINTS = 2, THICKNESS = 4, TRANSPARENCY = 8, COLOUR = 16, KNOWN = 31 };

static uint32_t u32(const char *p)
{
  const unsigned char *b = (const unsigned char *)p;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double f32(const char *p)
{
  uint32_t bits = u32(p);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Bytes that the flags ask for. */
static uint64_t expected_size(uint32_t strands, uint32_t points, uint32_t flags)
{
  uint64_t size = HEADER;
  if (flags & SEGMENTS) size += 2 * (uint64_t)strands;
  if (flags & POINTS) size += 12 * (uint64_t)points;
  if (flags & THICKNESS) size += 4 * (uint64_t)points;
  if (flags & TRANSPARENCY) size += 4 * (uint64_t)points;
  if (flags & COLOUR) size += 12 * (uint64_t)points;
  return size;
}

static skein_status check_header(const char *b, size_t size)
{
  if (size < HEADER) return sk_fail(SKEIN_BAD_INPUT, "has %zu bytes, expected a header of 128", size);
  if (memcmp(b, "HAIR", 4)) return sk_fail(SKEIN_BAD_INPUT, "does not start with HAIR, expected a .hair file");
  uint32_t strands = u32(b + 4), points = u32(b + 8), flags = u32(b + 12), segments = u32(b + 16);
  if (flags & ~(uint32_t)KNOWN) return sk_fail(SKEIN_BAD_INPUT, "has the flags %u, expected at most 31", flags);
  if (!(flags & POINTS)) return sk_fail(SKEIN_BAD_INPUT, "has no points (flags %u)", flags);
  if (!strands) return sk_fail(SKEIN_BAD_INPUT, "has no strands");
  if (expected_size(strands, points, flags) > size)
    return sk_fail(SKEIN_BAD_INPUT, "has %zu bytes, expected %llu for %u strands and %u points", size,
                   (unsigned long long)expected_size(strands, points, flags), strands, points);
  if (!(flags & SEGMENTS) && ((uint64_t)segments + 1) * strands != points)
    return sk_fail(SKEIN_BAD_INPUT, "has %u strands of %u segments and %u points, expected %llu", strands, segments,
                   points, (unsigned long long)(((uint64_t)segments + 1) * strands));
  return sk_ok();
}

skein_status sk_hair_parse(const char *b, size_t size, sk_strands *out)
{
  skein_status s = check_header(b, size);
  if (s.code != SKEIN_OK) return s;
  uint32_t strands = u32(b + 4), points = u32(b + 8), flags = u32(b + 12), segments = u32(b + 16);
  const char *at = b + HEADER;
  uint64_t used = 0;
  if (points > INT32_MAX / 4) return sk_fail(SKEIN_BAD_INPUT, "has %u points, expected fewer", points);
  out->start = sk_calloc((size_t)strands + 1, sizeof *out->start);
  out->point = sk_calloc(3 * (size_t)points, sizeof *out->point);
  if (!out->start || !out->point) return sk_no_memory();
  for (uint32_t i = 0; i < strands; i++) {
    uint32_t n = flags & SEGMENTS ? (uint32_t)(unsigned char)at[0] | (uint32_t)(unsigned char)at[1] << 8 : segments;
    if (flags & SEGMENTS) at += 2;
    if (!n) return sk_fail(SKEIN_BAD_INPUT, "strand %u has no segments, expected one or more", i);
    used += (uint64_t)n + 1;
    if (used > points)
      return sk_fail(SKEIN_BAD_INPUT, "the first %u strands need %llu points, expected %u in all", i + 1,
                     (unsigned long long)used, points);
    out->start[i + 1] = (int)used;
  }
  for (size_t k = 0; k < 3 * (size_t)used; k++) {
    out->point[k] = f32(at + 4 * k);
    if (!isfinite(out->point[k])) return sk_fail(SKEIN_BAD_INPUT, "point %zu is not finite", k / 3);
  }
  out->count = (int)strands;
  return sk_ok();
}
