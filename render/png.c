/* PNG files by libpng: 8 bit sRGB, with or without alpha. */
#include "render.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

static void fail(png_structp png, png_const_charp message)
{
  (void)message; /* errno has the reason */
  longjmp(png_jmpbuf(png), 1);
}

static void stay_silent(png_structp png, png_const_charp message)
{
  (void)png, (void)message;
}

/* One row without its alpha. */
static void pack_row(const unsigned char *rgba, int width, unsigned char *rgb)
{
  for (int x = 0; x < width; x++)
    for (int k = 0; k < 3; k++) rgb[3 * x + k] = rgba[4 * x + k];
}

/* What longjmp may interrupt. */
static bool write_all(png_structp png, png_infop info, FILE *file, const render_canvas *c, bool alpha,
                      unsigned char *row)
{
  if (setjmp(png_jmpbuf(png))) return false;
  png_init_io(png, file);
  png_set_IHDR(png, info, (png_uint_32)c->width, (png_uint_32)c->height, 8,
               alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_compression_level(png, 6);
  png_write_info(png, info);
  for (int y = 0; y < c->height; y++) {
    unsigned char *from = c->bytes + 4 * (size_t)y * (size_t)c->width;
    if (!alpha) pack_row(from, c->width, row);
    png_write_row(png, alpha ? from : row);
  }
  png_write_end(png, info);
  return fflush(file) == 0;
}

bool render_png_write(FILE *file, const render_canvas *canvas, bool alpha)
{
  unsigned char *row = malloc(3 * (size_t)canvas->width);
  png_structp png = row ? png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, fail, stay_silent) : NULL;
  png_infop info = png ? png_create_info_struct(png) : NULL;
  bool ok = false;
  errno = 0;
  if (info) ok = write_all(png, info, file, canvas, alpha, row);
  int reason = ok ? 0 : errno ? errno : info ? EIO : ENOMEM;
  if (png) png_destroy_write_struct(&png, info ? &info : NULL);
  free(row);
  errno = reason;
  return ok;
}
