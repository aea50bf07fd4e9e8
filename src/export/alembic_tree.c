/* The tree of an Alembic archive. Of a property the file holds the first sample, then those from the first change to
 * the last one; a sample that changes back to bytes that were there before is only a place. Groups:
 *
 *     archive    file version, library version, top object, text about it, time samplings, list of metadata
 *     object     its properties, its children, then their headers
 *     compound   its properties, then their headers
 *     property   of a scalar: samples; of an array: sample and its dimensions, in turn */
#include "export/alembic.h"

#include <stdlib.h>
#include <string.h>

static const int pod_sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 0, 0};

/* ---- Making it ---- */

static char *copy(sk_abc *abc, const char *text)
{
  char *c = strdup(text);
  if (!c) abc->file.starved = true;
  return c;
}

sk_abc_object *sk_abc_add_object(sk_abc *abc, sk_abc_object *parent, const char *name, const char *meta)
{
  sk_abc_object *o = parent ? sk_calloc(1, sizeof *o) : NULL;
  if (!o) return abc->file.starved = true, NULL;
  o->name = copy(abc, name), o->meta = copy(abc, meta);
  sk_abc_object **last = &parent->child;
  while (*last) last = &(*last)->next;
  *last = o;
  return o;
}

sk_abc_property *sk_abc_add(sk_abc *abc, sk_abc_property *parent, const char *name, const char *meta, sk_abc_kind kind,
                            sk_abc_pod pod, int extent, bool moves)
{
  sk_abc_property *p = parent ? sk_calloc(1, sizeof *p) : NULL;
  if (!p) return abc->file.starved = true, NULL;
  p->name = copy(abc, name), p->meta = copy(abc, meta);
  p->kind = kind, p->pod = pod, p->extent = extent, p->moves = moves, p->single = p->even = true;
  sk_abc_property **last = &parent->child;
  while (*last) last = &(*last)->next;
  *last = p;
  return p;
}

sk_abc_property *sk_abc_add_compound(sk_abc *abc, sk_abc_property *parent, const char *name, const char *meta)
{
  return sk_abc_add(abc, parent, name, meta, SK_ABC_COMPOUND, SK_ABC_BOOL, 0, false);
}

/* ---- Samples ---- */

static void add_place(sk_abc *abc, sk_abc_property *p)
{
  uint64_t elements = p->elements;
  sk_children_add(&abc->file, &p->data, p->last_place);
  if (p->kind != SK_ABC_ARRAY) return;
  uint64_t dims = p->pod == SK_ABC_STRING ? sk_ogawa_put(&abc->file, &elements, sizeof elements) : SK_OGAWA_DATA;
  sk_children_add(&abc->file, &p->data, dims);
}

static void put_bytes(sk_abc *abc, sk_abc_property *p, const void *data, size_t size, size_t elements)
{
  sk_digest digest;
  if (!p || abc->file.starved) return;
  uint64_t place = sk_ogawa_put_sample(&abc->file, data, size, &digest);
  if (p->samples == 0 || place != p->last_place || elements != p->elements) {
    if (p->first_change > 0) /* those between are the one before again */
      for (uint32_t k = p->last_change + 1; k < p->samples; k++) add_place(abc, p);
    p->single &= elements == 1;
    p->even &= p->samples == 0 || elements == p->elements;
    p->last_place = place, p->elements = elements;
    add_place(abc, p);
    if (p->first_change == 0) p->first_change = p->samples;
    p->last_change = p->samples;
  }
  p->last = digest;
  sk_digest_add(&p->all, &digest, sizeof digest);
  p->samples++;
  if (p->moves) abc->most = SK_MAX(abc->most, p->samples);
}

void sk_abc_put(sk_abc *abc, sk_abc_property *p, const void *data, size_t elements)
{
  if (p) put_bytes(abc, p, data, elements * (size_t)p->extent * (size_t)pod_sizes[p->pod], elements);
}

void sk_abc_put_strings(sk_abc *abc, sk_abc_property *p, const char *text, size_t size, size_t elements)
{
  put_bytes(abc, p, text, size, elements);
}

/* ---- Headers ---- */

typedef struct bytes {
  sk_abc *abc;
  unsigned char *data;
  size_t count, room;
} bytes;

static void add_bytes(bytes *b, const void *data, size_t size)
{
  if (b->count + size > b->room) {
    size_t room = SK_MAX(2 * b->room, b->count + size + 64);
    unsigned char *grown = realloc(b->data, room);
    if (!grown) {
      b->abc->file.starved = true;
      return;
    }
    b->data = grown, b->room = room;
  }
  if (size > 0) memcpy(b->data + b->count, data, size);
  b->count += size;
}

/* hint 0, 1, 2: in one, two, four bytes */
static void add_number(bytes *b, uint32_t x, int hint)
{
  unsigned char c[4] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16), (unsigned char)(x >> 24)};
  add_bytes(b, c, (size_t)1 << hint);
}

enum { MOST_METAS = 254, SPELT_OUT = 255 };

/* Its number in the list, from 1; 0: empty; SPELT_OUT: not in the list. */
static uint32_t number_of_meta(sk_abc *abc, const char *meta)
{
  if (!meta || !meta[0]) return 0;
  for (int k = 0; k < abc->metas; k++)
    if (!strcmp(abc->meta[k], meta)) return (uint32_t)k + 1;
  if (strlen(meta) > 255 || abc->metas == MOST_METAS) return SPELT_OUT;
  char **grown = realloc(abc->meta, sizeof *grown * ((size_t)abc->metas + 1));
  if (!grown) return abc->file.starved = true, 0;
  abc->meta = grown;
  abc->meta[abc->metas] = copy(abc, meta);
  return abc->meta[abc->metas] ? (uint32_t)++abc->metas : 0;
}

static void add_meta(bytes *b, uint32_t number, const char *meta, int hint)
{
  if (number != SPELT_OUT) return;
  add_number(b, (uint32_t)strlen(meta), hint);
  add_bytes(b, meta, strlen(meta));
}

/* Bits: 0-1 kind (1 also of arrays of one element), 2-3 size of numbers, 4-7 type, 8 not the first time sampling, 9
 * first and last change follow, 10 even, 11 constant, 12-19 extent, 20-27 metadata. */
static void add_header(sk_abc *abc, bytes *b, const sk_abc_property *p)
{
  uint32_t meta = number_of_meta(abc, p->meta), name = (uint32_t)strlen(p->name);
  uint32_t most = SK_MAX(SK_MAX(name, (uint32_t)strlen(p->meta)), p->samples);
  int hint = most > 65535 ? 2 : most > 255 ? 1 : 0;
  uint32_t info = (uint32_t)hint << 2 | meta << 20;
  if (p->kind != SK_ABC_COMPOUND) {
    bool constant = p->first_change == 0 && p->last_change == 0;
    bool some = !constant && (p->first_change != 1 || p->last_change != p->samples - 1);
    info |= (uint32_t)p->kind | p->single | (uint32_t)p->pod << 4 | (uint32_t)p->extent << 12;
    info |= (p->moves ? 0x100u : 0) | (some ? 0x200u : 0) | (p->even ? 0x400u : 0) | (constant ? 0x800u : 0);
    add_number(b, info, 2), add_number(b, p->samples, hint);
    if (some) add_number(b, p->first_change, hint), add_number(b, p->last_change, hint);
    if (p->moves) add_number(b, 1, hint);
  } else add_number(b, info, 2);
  add_number(b, name, hint), add_bytes(b, p->name, name);
  add_meta(b, meta, p->meta, hint);
}

static uint64_t write_property(sk_abc *abc, sk_abc_property *p, sk_digest *sum)
{
  bytes b = {.abc = abc};
  sk_digest_add(sum, &p->all, sizeof p->all);
  if (p->kind == SK_ABC_COMPOUND) {
    for (sk_abc_property *c = p->child; c; c = c->next) {
      sk_children_add(&abc->file, &p->data, write_property(abc, c, sum));
      add_header(abc, &b, c);
    }
    if (b.count > 0) sk_children_add(&abc->file, &p->data, sk_ogawa_put(&abc->file, b.data, b.count));
    sk_digest_add(sum, b.data, b.count);
  }
  free(b.data);
  return sk_ogawa_put_group(&abc->file, &p->data);
}

/* The headers of its children end with digests of its properties and of its children. */
static uint64_t write_object(sk_abc *abc, sk_abc_object *o, sk_digest *sum)
{
  sk_children all = {0};
  bytes b = {.abc = abc};
  sk_digest digest[2] = {{1, 2}, {0}};
  sk_children_add(&abc->file, &all, write_property(abc, &o->top, &digest[0]));
  for (sk_abc_object *c = o->child; c; c = c->next) {
    uint32_t meta = number_of_meta(abc, c->meta);
    sk_children_add(&abc->file, &all, write_object(abc, c, &digest[1]));
    add_number(&b, (uint32_t)strlen(c->name), 2), add_bytes(&b, c->name, strlen(c->name));
    add_number(&b, meta, 0), add_meta(&b, meta, c->meta, 2);
  }
  add_bytes(&b, digest, sizeof digest);
  sk_digest_add(sum, digest, sizeof digest);
  if (o->name) sk_digest_add(sum, o->name, strlen(o->name));
  sk_children_add(&abc->file, &all, sk_ogawa_put(&abc->file, b.data, b.count));
  uint64_t place = sk_ogawa_put_group(&abc->file, &all);
  free(b.data), free(all.place);
  return place;
}

/* Two uniform samplings: 0 of what stands still, 1 of the frames. */
static uint64_t write_samplings(sk_abc *abc)
{
  bytes b = {.abc = abc};
  const double still[2] = {1, 0}, moving[2] = {abc->step, abc->start};
  for (int k = 0; k < 2; k++) {
    const double *s = k ? moving : still;
    add_number(&b, k ? abc->most : 1, 2), add_bytes(&b, &s[0], 8), add_number(&b, 1, 2), add_bytes(&b, &s[1], 8);
  }
  uint64_t place = sk_ogawa_put(&abc->file, b.data, b.count);
  free(b.data);
  return place;
}

static uint64_t write_metas(sk_abc *abc)
{
  bytes b = {.abc = abc};
  for (int k = 0; k < abc->metas; k++) {
    add_number(&b, (uint32_t)strlen(abc->meta[k]), 0);
    add_bytes(&b, abc->meta[k], strlen(abc->meta[k]));
  }
  uint64_t place = sk_ogawa_put(&abc->file, b.data, b.count);
  free(b.data);
  return place;
}

void sk_abc_write(sk_abc *abc, const char *about)
{
  const int32_t version = 0, library = 10800; /* as files of the library's version 1.8.0 */
  sk_digest sum = {0};
  sk_children root = {0};
  sk_ogawa *o = &abc->file;
  if (o->starved) return;
  sk_children_add(o, &root, sk_ogawa_put(o, &version, sizeof version));
  sk_children_add(o, &root, sk_ogawa_put(o, &library, sizeof library));
  sk_children_add(o, &root, write_object(abc, &abc->top, &sum));
  sk_children_add(o, &root, sk_ogawa_put(o, about, strlen(about)));
  sk_children_add(o, &root, write_samplings(abc));
  sk_children_add(o, &root, write_metas(abc));
  sk_ogawa_finish(o, sk_ogawa_put_group(o, &root));
  free(root.place);
}

/* ---- The end ---- */

static void free_properties(sk_abc_property *p)
{
  while (p) {
    sk_abc_property *next = p->next;
    free_properties(p->child);
    free(p->name), free(p->meta), free(p->data.place), free(p);
    p = next;
  }
}

static void free_objects(sk_abc_object *o)
{
  while (o) {
    sk_abc_object *next = o->next;
    free_objects(o->child), free_properties(o->top.child);
    free(o->top.data.place), free(o->name), free(o->meta), free(o);
    o = next;
  }
}

void sk_abc_free(sk_abc *abc)
{
  free_objects(abc->top.child), free_properties(abc->top.top.child);
  free(abc->top.top.data.place);
  for (int k = 0; k < abc->metas; k++) free(abc->meta[k]);
  free(abc->meta), free(abc->file.stored);
}
