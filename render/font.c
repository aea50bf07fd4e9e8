/* Glyphs of the stroke font (drawn for Skein). */
#include "font.h"

#include <stddef.h>

static const char *const ascii[95] = {
    ['!' - 32] = "0n0g 0d0d",
    ['"' - 32] = "0n0l 2n2l",
    ['#' - 32] = "1d2n 4d5n 0g6g 0k6k",
    ['$' - 32] = "~6l5m3m1m0k1j3i5h6g5e3e1e0f 3o3c",
    ['%' - 32] = "0d7n ~1n2m1k0m1n ~6g7f6d5f6g",
    ['&' - 32] = "7d2l ~2l2n4n4l2i0g0e2d4d6h",
    ['\'' - 32] = "0n0l",
    ['(' - 32] = "~3o1l0i1e3b",
    [')' - 32] = "~0o2l3i2e0b",
    ['*' - 32] = "2i2m 0j4l 4j0l",
    ['+' - 32] = "0h6h 3e3k",
    [',' - 32] = "1e0b",
    ['-' - 32] = "0h4h",
    ['.' - 32] = "0d0d",
    ['/' - 32] = "0c5o",
    ['0' - 32] = "~3n5m6i5e3d1e0i1m3n",
    ['1' - 32] = "0l3n3d",
    ['2' - 32] = "~0l1n3n5n6l5i3g0d 0d6d",
    ['3' - 32] = "~0m1n3n5n6l5j3i ~3i5i6g5d3d1d0e",
    ['4' - 32] = "5d5n0g7g",
    ['5' - 32] = "5n1n0i ~0i2j4j6g4d2d0e",
    ['6' - 32] = "~5n3m1j0g1d3d5d6g5i3j1i0g",
    ['7' - 32] = "0n6n2d",
    ['8' - 32] = "~3i1j0l1n3n5n6l5j3i5h6f5d3d1d0f1h3i",
    ['9' - 32] = "~1d3e5h6k5n3n1n0k1i3h5i6k",
    [':' - 32] = "0d0d 0j0j",
    [';' - 32] = "1j1j 1e0b",
    ['<' - 32] = "6l0h6d",
    ['=' - 32] = "0g6g 0j6j",
    ['>' - 32] = "0l6h0d",
    ['?' - 32] = "~0l1n3n5m5k3i3g 3d3d",
    ['@' - 32] = "~6k4k3h4f6h6k7g9g9k7n3n0k0f3c7c",
    ['A' - 32] = "0d4n8d 1g7g",
    ['B' - 32] = "3d0d0n3n ~3n6m6j3i ~3i7h7e3d 0i3i",
    ['C' - 32] = "~7l6n4n1m0i1e4d6d7f",
    ['D' - 32] = "3d0d0n3n ~3n6m7i6e3d",
    ['E' - 32] = "6n0n0d6d 0i5i",
    ['F' - 32] = "6n0n0d 0i5i",
    ['G' - 32] = "~7l6n4n1m0i1e4d6d7f 7f7i4i",
    ['H' - 32] = "0d0n 7d7n 0i7i",
    ['I' - 32] = "0d0n",
    ['J' - 32] = "4n4g ~4g4e2d0e",
    ['K' - 32] = "0d0n 6n0h 2j7d",
    ['L' - 32] = "0n0d5d",
    ['M' - 32] = "0d0n4f8n8d",
    ['N' - 32] = "0d0n7d7n",
    ['O' - 32] = "~4n7m8i7e4d1e0i1m4n",
    ['P' - 32] = "0d0n3n ~3n6m6j3i 3i0i",
    ['Q' - 32] = "~4n7m8i7e4d1e0i1m4n 5g8c",
    ['R' - 32] = "0d0n3n ~3n6m6j3i 0i3i7d",
    ['S' - 32] = "~6l5n3n1n0l1j3i5h6f5d3d1d0f",
    ['T' - 32] = "0n8n 4n4d",
    ['U' - 32] = "0n0h ~0h1d4d6d7h 7h7n",
    ['V' - 32] = "0n4d8n",
    ['W' - 32] = "0n2d4l6d8n",
    ['X' - 32] = "0n7d 7n0d",
    ['Y' - 32] = "0n4i8n 4i4d",
    ['Z' - 32] = "0n7n0d7d",
    ['[' - 32] = "2o0o0b2b",
    ['\\' - 32] = "0o5c",
    [']' - 32] = "0o2o2b0b",
    ['^' - 32] = "0k3n6k",
    ['_' - 32] = "0c6c",
    ['`' - 32] = "0n1l",
    ['a' - 32] = "5k5d ~5i4k2k0i0f2d4d5f",
    ['b' - 32] = "0n0d ~0i1k3k5i5f3d1d0f",
    ['c' - 32] = "~5j4k2k0i0f2d4d5e",
    ['d' - 32] = "5n5d ~5i4k2k0i0f2d4d5f",
    ['e' - 32] = "0h5h ~5h5j3k2k0i0f2d4d5e",
    ['f' - 32] = "~4n3n2m2k 2k2d 0k4k",
    ['g' - 32] = "5k5d ~5d5b3a2a0b ~5i4k2k0i0f2d4d5f",
    ['h' - 32] = "0n0d ~0i2k4k5h 5h5d",
    ['i' - 32] = "0k0d 0n0n",
    ['j' - 32] = "2k2c ~2c2b1a0a 2n2n",
    ['k' - 32] = "0n0d 5k0g 2h5d",
    ['l' - 32] = "0n0d",
    ['m' - 32] = "0k0d ~0i2k3k4h 4h4d ~4i6k7k8h 8h8d",
    ['n' - 32] = "0k0d ~0i2k4k5h 5h5d",
    ['o' - 32] = "~3k5j6h6g5e3d1e0g0h1j3k",
    ['p' - 32] = "0k0a ~0i1k3k5i5f3d1d0f",
    ['q' - 32] = "5k5a ~5i4k2k0i0f2d4d5f",
    ['r' - 32] = "0k0d ~0h1k2k3k",
    ['s' - 32] = "~5j4k1k0i1h4g5f4d1d0e",
    ['t' - 32] = "2m2f ~2f2d3d4d 0k4k",
    ['u' - 32] = "0k0g ~0g1d3d5f 5k5d",
    ['v' - 32] = "0k3d6k",
    ['w' - 32] = "0k2d4k6d8k",
    ['x' - 32] = "0k5d 5k0d",
    ['y' - 32] = "0k3d 6k3d1a0a",
    ['z' - 32] = "0k5k0d5d",
    ['{' - 32] = "~3o1n2j0i2h1c3b",
    ['|' - 32] = "0b0o",
    ['}' - 32] = "~0o2n1j3i1h2c0b",
    ['~' - 32] = "~0g1i3i4h6g7i",
};

static const struct {
  uint32_t code;
  const char *strokes;
} others[] = {
    {0xb0, "~1n2m1l0m1n"},
    {0xb1, "0h6h 3e3k 0c6c"},
    {0xb2, "~0m1n2m0j 0j2j"},
    {0xb5, "0k0a ~0g1d3d5f 5k5d"},
    {0xb7, "0h0h"},
    {0xd7, "0j5e 5j0e"},
    {0x3bc, "0k0a ~0g1d3d5f 5k5d"},
    {0x2013, "0h5h"},
    {0x2014, "0h8h"},
    {0x2018, "0n0l"},
    {0x2019, "0n0l"},
    {0x201c, "0n0l 2n2l"},
    {0x201d, "0n0l 2n2l"},
    {0x2026, "0d0d 3d3d 6d6d"},
    {0x2212, "0h6h"},
};

/* Letters of Latin-1 without their accents. */
static const char plain[65] = "AAAAAA CEEEEIIIIDNOOOOO OUUUUY  aaaaaa ceeeeiiiidnooooo ouuuuy y";

const char *font_glyph(uint32_t code)
{
  if (code == ' ' || code == 0xa0) return "";
  if (code > 32 && code < 127 && ascii[code - 32]) return ascii[code - 32];
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
    if (others[k].code == code) return others[k].strokes;
  if (code >= 0xc0 && code <= 0xff && plain[code - 0xc0] != ' ') return ascii[plain[code - 0xc0] - 32];
  return "0d0n5n5d0d";
}

uint32_t font_next(const char **text)
{
  const unsigned char *c = (const unsigned char *)*text;
  if (c[0] == 0) return 0;
  int more = c[0] < 0x80                   ? 0
             : c[0] >= 0xc2 && c[0] < 0xe0 ? 1
             : c[0] >= 0xe0 && c[0] < 0xf0 ? 2
             : c[0] >= 0xf0 && c[0] < 0xf5 ? 3
                                           : -1;
  uint32_t code = more == 0 ? c[0] : more > 0 ? c[0] & (0x3fu >> more) : 0xfffd;
  for (int k = 1; k <= more; k++) {
    if ((c[k] & 0xc0) != 0x80) {
      *text += k;
      return 0xfffd;
    }
    code = code << 6 | (c[k] & 0x3f);
  }
  *text += more < 0 ? 1 : more + 1;
  return code;
}
