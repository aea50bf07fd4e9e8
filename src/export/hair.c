/* Cem Yuksel's HAIR files (format: cemyuksel.com/research/hairmodels), little-endian: "HAIR", strands, points, flags,
 * default segments (u32), default thickness, transparency and colour (f32), 88 bytes of text; then segments per strand
 * (u16), points, thickness per point (the diameter) and colour per point (linear). Strands are rods, root to tip. */
#include "export/export.h"

#include <string.h>

enum { SEGMENTS = 1, POINTS = 2, THICKNESS = 4, COLOUR = 16, MOST = 65535 };

static void put_header(FILE *o, const skein_frame *f, float thickness)
{
  char text[88] = "";
  snprintf(text, sizeof text, "Skein %s, frame %d, %.9g s", skein_version(), f->index, f->time);
  fputs("HAIR", o);
  sk_put_i32(o, f->rods), sk_put_i32(o, f->points), sk_put_i32(o, SEGMENTS | POINTS | THICKNESS | COLOUR);
  sk_put_i32(o, 0);                           /* segments: in the array */
  sk_put_f32(o, thickness), sk_put_f32(o, 0); /* opaque */
  for (int k = 0; k < 3; k++) sk_put_f32(o, 0.5f);
  fwrite(text, 1, sizeof text, o);
}

skein_status sk_write_hair(const sk_export *x, const sk_view *view, sk_out *out)
{
  (void)x;
  const skein_frame *f = &view->f;
  FILE *o = out->stream;
  for (int i = 0; i < f->rods; i++) {
    int points = f->point_start[i + 1] - f->point_start[i];
    if (points < 1 || points - 1 > MOST)
      return sk_fail(SKEIN_BAD_INPUT, "rod %d has %d points, hair files hold 1 to %d (use --points)", i, points,
                     MOST + 1);
  }
  put_header(o, f, f->rods > 0 ? 2 * f->radius[0] : 0);
  for (int i = 0; i < f->rods; i++) sk_put_u16(o, (unsigned)(f->point_start[i + 1] - f->point_start[i] - 1));
  for (size_t k = 0; k < 3 * (size_t)f->points; k++) sk_put_f32(o, f->point[k]);
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++) sk_put_f32(o, 2 * f->radius[i]);
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++)
      for (int c = 0; c < 3; c++) sk_put_f32(o, view->colour[3 * (size_t)i + (size_t)c]);
  return sk_ok();
}
