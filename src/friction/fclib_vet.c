/* What HDF5 1.10 believes in a damaged file without looking, and then crashes, or loops and takes all memory.
 *
 * Measured with tests/fuzz_fclib.c on classic files (superblock 0, as libfclib and h5py write them): all that was left
 * came from four records of a group. Each is known by its first bytes, and looked at before HDF5 sees the file:
 *
 *     heap   the names: its size leads beyond the file, or its list of free pieces runs in a circle
 *     tree   the index: a child lies outside the file
 *     node   the members: a member lies outside the file
 *     table  where tree and heap are: outside the file
 *
 * (HDF5 File Format Specification, version 2.0, sections III.A.1, III.B to III.D, IV.A.2.r; little-endian.)
 * The bytes of a record could be data of the user, too: so a broken one counts only if its address is in the file, and
 * that of a tree or heap (a title could be "TREE") only beside the address of the other one. */
#include "friction/fclib_io.h"

#include <string.h>

static uint64_t number(const sk_bytes *b, uint64_t at, int width)
{
  uint64_t value = 0;
  for (int k = width - 1; k >= 0; k--) value = value << 8 | b->data[at + (uint64_t)k];
  return value;
}

static bool fits(const sk_bytes *b, uint64_t at, uint64_t size)
{
  return at <= b->size && size <= b->size - at;
}

/* The place of a pattern at or after `from`; the size of the file where there is none. */
static uint64_t find_bytes(const sk_bytes *b, uint64_t from, const void *pattern, size_t length)
{
  const unsigned char first = *(const unsigned char *)pattern;
  while (fits(b, from, length)) {
    const unsigned char *hit = memchr(b->data + from, first, b->size - from - length + 1);
    if (!hit) break;
    if (!memcmp(hit, pattern, length)) return (uint64_t)(hit - b->data);
    from = (uint64_t)(hit - b->data) + 1;
  }
  return b->size;
}

/* Signature 4, version and reserved 4, size of the names 8, first free piece 8, address of the names 8. A free piece
 * begins with the next one (1: none) and its own size. */
static bool heap_is_sound(const sk_bytes *b, uint64_t at)
{
  if (!fits(b, at, 32)) return false;
  uint64_t size = number(b, at + 8, 8), piece = number(b, at + 16, 8), names = number(b, at + 24, 8);
  if (!fits(b, names, size)) return false;
  for (uint64_t count = 0; piece != 1; count++) {
    if (count > size / 16 || size < 16 || piece > size - 16) return false;
    piece = number(b, names + piece, 8);
  }
  return true;
}

/* Signature 4, type 1 (0: group), level 1, children 2, neighbours 16; then a key of 8 and an address of 8 for each. */
static bool tree_is_sound(const sk_bytes *b, uint64_t at)
{
  if (!fits(b, at, 24)) return false;
  uint64_t children = number(b, at + 6, 2);
  if (!fits(b, at + 24, 16 * children)) return false;
  for (uint64_t k = 0; k < children; k++)
    if (!fits(b, number(b, at + 32 + 16 * k, 8), 8)) return false;
  return true;
}

/* Name 8, address 8 (none for a link, kind 2), kind 4, reserved 4, and for a group (kind 1) its tree and heap. */
static bool member_is_sound(const sk_bytes *b, uint64_t at)
{
  if (!fits(b, at, 40)) return false;
  uint64_t kind = number(b, at + 16, 4);
  if (kind != 2 && !fits(b, number(b, at + 8, 8), 8)) return false;
  return kind != 1 || (fits(b, number(b, at + 24, 8), 8) && fits(b, number(b, at + 32, 8), 8));
}

/* Signature 4, version and reserved 2, members 2; then 40 for each. */
static bool node_is_sound(const sk_bytes *b, uint64_t at)
{
  if (!fits(b, at, 8)) return false;
  uint64_t members = number(b, at + 6, 2);
  if (!fits(b, at + 8, 40 * members)) return false;
  for (uint64_t k = 0; k < members; k++)
    if (!member_is_sound(b, at + 8 + 40 * k)) return false;
  return true;
}

/* A message in the header of a group: type 2, size 2, flags and reserved 4, tree 8, heap 8. */
static bool table_is_sound(const sk_bytes *b, uint64_t at)
{
  return fits(b, at, 24) && fits(b, number(b, at + 8, 8), 8) && fits(b, number(b, at + 16, 8), 8);
}

typedef struct record {
  const char *name, *signature;
  size_t length;
  uint64_t before;     /* bytes from the address of the record to the signature */
  const char *partner; /* what an address beside that of the record leads to; NULL: anything */
  int beside;          /* how far it is */
  bool (*is_sound)(const sk_bytes *b, uint64_t at);
} record;

static bool leads_to(const sk_bytes *b, uint64_t at, const char *signature)
{
  uint64_t address = fits(b, at, 8) ? number(b, at, 8) : UINT64_MAX;
  return fits(b, address, 4) && !memcmp(b->data + address, signature, 4);
}

/* The file holds the address of the record. */
static bool has_address(const sk_bytes *b, uint64_t at, const record *r)
{
  unsigned char address[8];
  for (int k = 0; k < 8; k++) address[k] = (unsigned char)(at >> 8 * k);
  for (uint64_t hit = 0; (hit = find_bytes(b, hit, address, sizeof address)) < b->size; hit++)
    if (!r->partner || leads_to(b, hit + (uint64_t)(int64_t)r->beside, r->partner)) return true;
  return false;
}

skein_status sk_fclib_vet(const sk_bytes *bytes)
{
  static const record records[] = {{"heap", "HEAP\0\0\0\0", 8, 0, "TREE", -8, heap_is_sound},
                                   {"tree", "TREE\0", 5, 0, "HEAP", 8, tree_is_sound},
                                   {"node", "SNOD\1\0", 6, 0, NULL, 0, node_is_sound},
                                   {"table", "\x11\0\x10\0\0\0\0\0", 8, 16, NULL, 0, table_is_sound}};
  static const unsigned char classic[9] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 0};
  if (bytes->size < 16 || memcmp(bytes->data, classic, sizeof classic)) return sk_ok(); /* newer ones have checksums */
  if (bytes->data[13] != 8 || bytes->data[14] != 8)
    return sk_fail(SKEIN_BAD_INPUT, "has addresses of %d and sizes of %d bytes, expected 8", bytes->data[13],
                   bytes->data[14]);
  if (!member_is_sound(bytes, 56)) return sk_fail(SKEIN_BAD_INPUT, "is truncated or damaged: root group");
  for (int k = 0; k < 4; k++) {
    const record *r = &records[k];
    for (uint64_t at = 0; (at = find_bytes(bytes, at, r->signature, r->length)) < bytes->size; at++)
      if (!r->is_sound(bytes, at) && at >= r->before && has_address(bytes, at - r->before, r))
        return sk_fail(SKEIN_BAD_INPUT, "is truncated or damaged: %s of a group at byte %llu", r->name,
                       (unsigned long long)at);
  }
  return sk_ok();
}
