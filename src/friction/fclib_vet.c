/* What HDF5 1.10 believes in a damaged file without looking, and then crashes, or loops and takes all memory.
 *
 * Measured with tests/fuzz_fclib.c on classic files (as libfclib and h5py write them): all that was left came from four
 * records of a group and one of a dataset, which are looked at before HDF5 sees them:
 *
 *     table  where the index and the names of a group are: outside the file
 *     tree   the index: a child lies outside the file
 *     node   the members: a member lies outside the file
 *     heap   the names: their size leads beyond the file, or the list of free pieces runs in a circle
 *     chunk  the pieces in which a dataset is stored: one has no size, or not as many dimensions
 *
 * Records are found as HDF5 finds them, from the root: an object header (version 1) holds a table, that leads to a tree
 * and a heap, the tree to nodes, these to object headers. What was deleted is not reached, and may be anything. Groups
 * of the newer kind have checksums; the classic ones in them are looked at when their links are followed.
 * (HDF5 File Format Specification, version 2.0, sections II, III.A.1, III.B to III.D, IV.A.1.a; little-endian.) */
#include "friction/fclib_io.h"

#include <stdlib.h>
#include <string.h>

static uint64_t number(const sk_vet *v, uint64_t at, int width)
{
  uint64_t value = 0;
  for (int k = width - 1; k >= 0; k--) value = value << 8 | v->data[at + (uint64_t)k];
  return value;
}

static bool fits(const sk_vet *v, uint64_t at, uint64_t size)
{
  return at <= v->size && size <= v->size - at;
}

/* True the first time; at is in the file. A damaged file may have an object where it has a record, too. */
static bool visit(unsigned char *seen, uint64_t at)
{
  unsigned char bit = (unsigned char)(1 << (at & 7)), *byte = seen + (at >> 3);
  bool first = !(*byte & bit);
  *byte |= bit;
  return first;
}

static void blame(sk_vet *v, const char *what, uint64_t at)
{
  if (v->status.code == SKEIN_OK)
    v->status = sk_fail(SKEIN_BAD_INPUT, "is truncated or damaged: %s at byte %llu", what, (unsigned long long)at);
}

/* An object to be looked at later: groups may be nested deeper than a stack is. */
static void remember(sk_vet *v, uint64_t at)
{
  if (!fits(v, at, 16) || !visit(v->seen, at)) return;
  if (v->count == v->room) {
    size_t room = 2 * v->room + 64;
    uint64_t *grown = realloc(v->object, room * sizeof *grown);
    if (!grown) {
      v->status = sk_no_memory();
      return;
    }
    v->object = grown, v->room = room;
  }
  v->object[v->count++] = at;
}

/* Signature 4, version and reserved 4, size of the names 8, first free piece 8, address of the names 8. A free piece
 * begins with the next one (1: none) and its own size. */
static bool heap_is_sound(const sk_vet *v, uint64_t at)
{
  if (!fits(v, at, 32) || memcmp(v->data + at, "HEAP", 4) != 0) return false;
  uint64_t size = number(v, at + 8, 8), piece = number(v, at + 16, 8), names = number(v, at + 24, 8);
  if (!fits(v, names, size)) return false;
  for (uint64_t count = 0; piece != 1; count++) {
    if (count > size / 16 || size < 16 || piece > size - 16) return false;
    piece = number(v, names + piece, 8);
  }
  return true;
}

/* Name 8, address 8 (none for a link, kind 2), kind 4, reserved 4, and for a group (kind 1) its tree and heap. */
static bool member_is_sound(const sk_vet *v, uint64_t at)
{
  if (!fits(v, at, 40)) return false;
  uint64_t kind = number(v, at + 16, 4);
  if (kind != 2 && !fits(v, number(v, at + 8, 8), 8)) return false;
  return kind != 1 || (fits(v, number(v, at + 24, 8), 8) && fits(v, number(v, at + 32, 8), 8));
}

/* Signature 4, version and reserved 2, members 2; then 40 for each. */
static void look_at_node(sk_vet *v, uint64_t at)
{
  if (!fits(v, at, 8) || memcmp(v->data + at, "SNOD\1", 5) != 0) {
    blame(v, "node of a group", at);
    return;
  }
  uint64_t members = number(v, at + 6, 2);
  if (!visit(v->record, at)) return;
  for (uint64_t k = 0; k < members && v->status.code == SKEIN_OK; k++) {
    uint64_t member = at + 8 + 40 * k;
    if (!member_is_sound(v, member)) blame(v, "node of a group", at);
    else if (number(v, member + 16, 4) != 2) remember(v, number(v, member + 8, 8));
  }
}

/* Signature 4, type 1 (0: group), level 1, children 2, neighbours 16; then a key of 8 and an address of 8 for each. The
 * children of level 0 are nodes. level: what the parent says, -1: it is the root. */
static void look_at_tree(sk_vet *v, uint64_t at, int level)
{
  bool sound = fits(v, at, 24) && !memcmp(v->data + at, "TREE\0", 5) && (level < 0 || v->data[at + 5] == level);
  uint64_t children = sound ? number(v, at + 6, 2) : 0;
  if (!sound || !fits(v, at + 24, 16 * children)) {
    blame(v, "tree of a group", at);
    return;
  }
  if (!visit(v->record, at)) return;
  for (uint64_t k = 0; k < children && v->status.code == SKEIN_OK; k++) {
    uint64_t child = number(v, at + 32 + 16 * k, 8);
    if (!fits(v, child, 8)) blame(v, "tree of a group", at);
    else if (v->data[at + 5] == 0) look_at_node(v, child);
    else look_at_tree(v, child, v->data[at + 5] - 1);
  }
}

/* Tree 8, heap 8, at byte `at`. */
static void look_at_table(sk_vet *v, uint64_t at)
{
  if (!fits(v, at, 16) || !fits(v, number(v, at, 8), 8) || !fits(v, number(v, at + 8, 8), 8)) {
    blame(v, "table of a group", at);
    return;
  }
  uint64_t tree = number(v, at, 8), heap = number(v, at + 8, 8);
  if (visit(v->record, heap) && !heap_is_sound(v, heap)) blame(v, "heap of a group", heap);
  else look_at_tree(v, tree, -1);
}

/* Dimensions of a dataset and of its chunks (one more: the bytes of a number), as its messages say; -1: they do not. */
typedef struct shape {
  int rank, chunked;
} shape;

/* Version 3, kind 1 (2: chunks), dimensions 1, address 8, then a size of 4 for each dimension; versions 1 and 2 have
 * the dimensions before the kind, and 5 reserved bytes. */
static bool layout_is_sound(const sk_vet *v, uint64_t at, uint64_t size, shape *s)
{
  if (size < 16 || v->data[at] > 3) return true;
  bool old = v->data[at] < 3;
  uint64_t kind = v->data[at + (old ? 2 : 1)], from = old ? 16 : 11;
  if (kind != 2) return true;
  s->chunked = v->data[at + (old ? 1 : 2)];
  for (uint64_t k = 0; k < (uint64_t)s->chunked && from + 4 * k + 4 <= size; k++)
    if (number(v, at + from + 4 * k, 4) == 0) return false;
  return true;
}

/* Messages of an object header from `at` on: kind 2, size 2, flags and reserved 4, then what it says. Kind 17 is the
 * table of a group, kinds 1 and 8 the shape and the layout of a dataset, kind 16 says where more messages are. What
 * leads out of the file HDF5 sees itself. */
static void look_at_messages(sk_vet *v, uint64_t at, uint64_t size, int depth, shape *s)
{
  enum { space = 1, layout = 8, more = 16, table = 17, deepest = 1000 };
  if (!fits(v, at, size)) return;
  for (uint64_t end = at + size; at + 8 <= end && v->status.code == SKEIN_OK; v->messages++) {
    uint64_t kind = number(v, at, 2), length = number(v, at + 2, 2);
    bool whole = at + 8 + length <= end;
    if (depth > deepest || v->messages > v->size / 8) blame(v, "header of an object", at); /* a circle */
    else if (kind == table) look_at_table(v, at + 8);
    else if (kind == space && whole && length >= 2) s->rank = v->data[at + 9];
    else if (kind == layout && whole && !layout_is_sound(v, at + 8, length, s)) blame(v, "chunk of a dataset", at);
    else if (kind == more && at + 24 <= end)
      look_at_messages(v, number(v, at + 8, 8), number(v, at + 16, 8), depth + 1, s);
    at += 8 + length;
  }
}

/* The objects that are left: version 1 and reserved 1, messages 2, links 4, size 4, 4 of padding, messages. */
static skein_status look_at_objects(sk_vet *v)
{
  while (v->count > 0 && v->status.code == SKEIN_OK) {
    uint64_t at = v->object[--v->count];
    shape s = {-1, -1};
    if (v->data[at] == 1) look_at_messages(v, at + 16, number(v, at + 8, 4), 0, &s);
    if (s.rank >= 0 && s.chunked >= 0 && s.chunked != s.rank + 1) blame(v, "chunk of a dataset", at);
  }
  return v->status;
}

skein_status sk_vet_object(sk_vet *v, uint64_t at)
{
  if (v->record) remember(v, at);
  return look_at_objects(v);
}

/* Where the signature of HDF5 is: at 0, 512, 1024, 2048, ...; addresses count from there. */
static uint64_t find_start(const sk_bytes *bytes)
{
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  for (uint64_t at = 0; at + 16 <= bytes->size; at = at ? 2 * at : 512)
    if (!memcmp(bytes->data + at, signature, sizeof signature)) return at;
  return bytes->size;
}

/* The superblock: signature 8, version 1; in versions 0 and 1 the sizes of addresses and sizes at 13 and 14, and the
 * root as a member at 56 or 60; in newer ones at 9 and 10, and the root has a checksum or is looked at by its address.
 */
skein_status sk_vet_open(const sk_bytes *bytes, sk_vet *v)
{
  uint64_t start = find_start(bytes);
  *v = (sk_vet){.data = bytes->data + start, .size = bytes->size - start};
  if (v->size < 16) return sk_ok();
  int classic = v->data[8] < 2, width = v->data[classic ? 13 : 9], other = v->data[classic ? 14 : 10];
  if (width != 8 || other != 8)
    return sk_fail(SKEIN_BAD_INPUT, "has addresses of %d and sizes of %d bytes, expected 8", width, other);
  v->seen = sk_calloc(v->size / 8 + 1, 1), v->record = sk_calloc(v->size / 8 + 1, 1);
  if (!v->seen || !v->record) return sk_no_memory();
  if (!classic) return fits(v, 36, 8) ? sk_vet_object(v, number(v, 36, 8)) : sk_ok();
  uint64_t root = v->data[8] == 0 ? 56 : 60;
  if (!member_is_sound(v, root)) return sk_fail(SKEIN_BAD_INPUT, "is truncated or damaged: root group");
  if (number(v, root + 16, 4) == 1) look_at_table(v, root + 24);
  return sk_vet_object(v, number(v, root + 8, 8));
}

void sk_vet_close(sk_vet *v)
{
  free(v->seen), free(v->record), free(v->object);
  *v = (sk_vet){0};
}
