/* Object headers of HDF5, looked at before HDF5 sees them.
 *
 * HDF5 1.10 finds a wrong checksum by itself, but loses the header's memory over it and complains when the program
 * ends. A header (HDF5 File Format Specification 3.0, section IV.A.1.b; little-endian):
 *
 *     "OHDR", version 2, flags, 16 bytes of times if flags & 32, 4 bytes of limits if flags & 16,
 *     the size of the messages in 1 << (flags & 3) bytes, the messages, the checksum of all that in 4 bytes
 *
 * The checksum is the hash lookup3 of Bob Jenkins (2006). */
#include "output/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t turn(uint32_t x, int bits)
{
  return x << bits | x >> (32 - bits);
}

static uint32_t word(const unsigned char *b, size_t count)
{
  uint32_t x = 0;
  for (size_t k = 0; k < count; k++) x |= (uint32_t)b[k] << 8 * k;
  return x;
}

/* Adds up to twelve bytes to the three words. */
static void add(uint32_t s[3], const unsigned char *b, size_t count)
{
  for (size_t k = 0; k < 3; k++)
    if (count > 4 * k) s[k] += word(b + 4 * k, SK_MIN(count - 4 * k, 4));
}

static uint32_t lookup3(const unsigned char *b, size_t size)
{
  static const int mixing[6] = {4, 6, 8, 16, 19, 4}, ending[7] = {14, 11, 25, 16, 4, 14, 24};
  uint32_t s[3];
  s[0] = s[1] = s[2] = 0xdeadbeefu + (uint32_t)size;
  for (; size > 12; b += 12, size -= 12) {
    add(s, b, 12);
    for (int k = 0; k < 6; k++) {
      uint32_t *p = &s[k % 3], *q = &s[(k + 2) % 3], *r = &s[(k + 1) % 3];
      *p -= *q, *p ^= turn(*q, mixing[k]), *q += *r;
    }
  }
  if (size == 0) return s[2];
  add(s, b, size);
  for (int k = 0; k < 7; k++) {
    uint32_t *p = &s[(k + 2) % 3], *q = &s[(k + 1) % 3];
    *p ^= *q, *p -= turn(*q, ending[k]);
  }
  return s[2];
}

bool sk_h5_header_sound(const sk_h5 *h, uint64_t at, const unsigned char *start, size_t known)
{
  if (known < 8 || memcmp(start, "OHDR", 4) != 0) return true; /* the rest of one, or something else */
  size_t width = (size_t)1 << (start[5] & 3);
  size_t head = 6 + (start[5] & 32 ? 16 : 0) + (start[5] & 16 ? 4 : 0);
  if (start[4] != 2 || known < head + width) return false;
  uint64_t messages = word(start + head, SK_MIN(width, 4));
  if (width == 8) messages |= (uint64_t)word(start + head + 4, 4) << 32;
  if (messages > (uint64_t)h->size || at + head + width + messages + 4 > (uint64_t)h->size) return false;
  size_t size = head + width + (size_t)messages;
  unsigned char *all = malloc(size + 4);
  bool sound =
      all && pread(h->fd, all, size + 4, (off_t)at) == (ssize_t)(size + 4) && lookup3(all, size) == word(all + size, 4);
  free(all);
  return sound;
}
