/* The stroke font: glyphs as polylines and smooth curves on a grid in which a capital is ten units high. */
#ifndef SK_RENDER_FONT_H
#define SK_RENDER_FONT_H

#include <stdint.h>

/* Strokes separated by spaces, each a list of points: a digit for x and a letter for y, d is the baseline, k the height
 * of a small letter, n of a capital, a the depth of a descender. "~" before a stroke: a smooth curve, closed when it
 * ends where it began. A stroke of one place twice is a dot. */
const char *font_glyph(uint32_t code);
/* The next code point of UTF-8 text; bytes that are none come as 0xfffd. 0 at the end. */
uint32_t font_next(const char **text);

#endif
