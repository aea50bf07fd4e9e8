/* Ogawa, the container of Alembic: a file of data (a length, then bytes) and groups (a number, then the places of that
 * many children). All numbers are 64 bits, little-endian.
 *
 *     "Ogawa", 255 when the file is whole, version 0 1, place of the root group
 *
 * A child with the top bit set is data; 0 is the empty group, the top bit alone is empty data. */
#include "export/alembic.h"

#include <stdlib.h>
#include <string.h>

/* ---- Digests: two lanes of multiply and shift, over words of 8 bytes ---- */

static uint64_t stir(uint64_t h, uint64_t word, uint64_t factor)
{
  h = (h ^ word) * factor;
  return h ^ h >> 29;
}

void sk_digest_add(sk_digest *sum, const void *data, size_t size)
{
  const unsigned char *bytes = data;
  uint64_t a = sum->a, b = sum->b, word;
  for (; size >= 8; size -= 8, bytes += 8) {
    memcpy(&word, bytes, 8);
    a = stir(a, word, 0x9e3779b97f4a7c15u), b = stir(b, word + a, 0xc2b2ae3d27d4eb4fu);
  }
  word = size + 1;
  for (size_t k = 0; k < size; k++) word = word << 8 | bytes[k];
  sum->a = stir(a, word, 0x9e3779b97f4a7c15u), sum->b = stir(b, word + sum->a, 0xc2b2ae3d27d4eb4fu);
}

sk_digest sk_digest_make(const void *data, size_t size)
{
  sk_digest d = {size, ~(uint64_t)size};
  sk_digest_add(&d, data, size);
  return d;
}

/* ---- Bytes ---- */

static void put(sk_ogawa *o, const void *data, size_t size)
{
  if (size > 0) fwrite(data, 1, size, o->out.stream);
  o->at += size;
}

void sk_ogawa_start(sk_ogawa *o)
{
  static const char head[16] = "Ogawa\0\0\1";
  put(o, head, sizeof head);
}

void sk_ogawa_finish(sk_ogawa *o, uint64_t root)
{
  FILE *stream = o->out.stream;
  if (fseeko(stream, 8, SEEK_SET) == 0) fwrite(&root, 1, sizeof root, stream);
  if (fseeko(stream, 5, SEEK_SET) == 0) fputc(0xff, stream);
  fseeko(stream, 0, SEEK_END);
}

uint64_t sk_ogawa_put(sk_ogawa *o, const void *data, size_t size)
{
  uint64_t place = o->at, length = size;
  if (size == 0) return SK_OGAWA_DATA;
  put(o, &length, sizeof length), put(o, data, size);
  return place | SK_OGAWA_DATA;
}

/* ---- What is stored already ---- */

static sk_stored *find(sk_stored *table, size_t room, const sk_digest *digest, uint64_t size)
{
  size_t k = (size_t)(digest->a ^ digest->b >> 17) & (room - 1);
  while (table[k].place && (table[k].digest.a != digest->a || table[k].digest.b != digest->b || table[k].size != size))
    k = (k + 1) & (room - 1);
  return &table[k];
}

static bool grow(sk_ogawa *o)
{
  if (o->count < o->room / 2) return true;
  size_t room = SK_MAX(2 * o->room, (size_t)256);
  sk_stored *table = sk_calloc(room, sizeof *table);
  if (!table) return false;
  for (size_t k = 0; k < o->room; k++)
    if (o->stored[k].place) *find(table, room, &o->stored[k].digest, o->stored[k].size) = o->stored[k];
  free(o->stored);
  o->stored = table, o->room = room;
  return true;
}

uint64_t sk_ogawa_put_sample(sk_ogawa *o, const void *data, size_t size, sk_digest *digest)
{
  *digest = sk_digest_make(data, size);
  if (size == 0) return SK_OGAWA_DATA;
  if (!grow(o)) return o->starved = true, SK_OGAWA_DATA;
  sk_stored *s = find(o->stored, o->room, digest, size);
  if (s->place) return s->place | SK_OGAWA_DATA;
  *s = (sk_stored){*digest, size, o->at}, o->count++;
  uint64_t length = sizeof *digest + size;
  put(o, &length, sizeof length), put(o, digest, sizeof *digest), put(o, data, size);
  return s->place | SK_OGAWA_DATA;
}

/* ---- Groups ---- */

void sk_children_add(sk_ogawa *o, sk_children *c, uint64_t place)
{
  if (c->count == c->room) {
    size_t room = SK_MAX(2 * c->room, (size_t)8);
    uint64_t *grown = realloc(c->place, sizeof *grown * room);
    if (!grown) {
      o->starved = true;
      return;
    }
    c->place = grown, c->room = room;
  }
  c->place[c->count++] = place;
}

uint64_t sk_ogawa_put_group(sk_ogawa *o, const sk_children *c)
{
  uint64_t place = o->at, count = c->count;
  if (count == 0) return 0;
  put(o, &count, sizeof count), put(o, c->place, sizeof *c->place * c->count);
  return place;
}
