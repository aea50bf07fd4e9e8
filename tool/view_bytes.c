/* Bytes that grow, and base64 (RFC 4648, section 4). */
#include "view.h"

#include <stdlib.h>
#include <string.h>

bool view_bytes_add(view_bytes *b, const void *data, size_t size)
{
  if (size > b->room - b->size) {
    size_t room = b->room ? b->room : 4096;
    while (room - b->size < size) {
      if (room > SIZE_MAX / 2) return false;
      room *= 2;
    }
    unsigned char *grown = realloc(b->data, room);
    if (!grown) return false;
    b->data = grown, b->room = room;
  }
  if (data && size) memcpy(b->data + b->size, data, size);
  else if (size) memset(b->data + b->size, 0, size);
  b->size += size;
  return true;
}

bool view_bytes_text(view_bytes *b, const char *text)
{
  return view_bytes_add(b, text, strlen(text));
}

bool view_bytes_base64(view_bytes *b, const void *data, size_t size)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *in = data;
  size_t at = b->size;
  if (!view_bytes_add(b, NULL, (size + 2) / 3 * 4)) return false;
  char *out = (char *)b->data + at;
  for (size_t k = 0; k < size; k += 3, out += 4) {
    size_t left = size - k;
    uint32_t three = (uint32_t)in[k] << 16 | (left > 1 ? (uint32_t)in[k + 1] << 8 : 0) | (left > 2 ? in[k + 2] : 0);
    for (int d = 0; d < 4; d++) out[d] = digit[three >> (18 - 6 * d) & 63];
    if (left < 3) out[3] = '=';
    if (left < 2) out[2] = '=';
  }
  return true;
}

void view_bytes_free(view_bytes *b)
{
  free(b->data);
  *b = (view_bytes){0};
}
