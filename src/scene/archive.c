/* The container of Alembic (Ogawa), read: data is a length and bytes, a group a number and that many places; the top
 * bit of a place says data. All numbers are little-endian.
 *
 *     archive    file version, library version, top object, text about it, time samplings, list of metadata
 *     object     its properties, its children, their headers (name, metadata; 32 bytes of digests behind)
 *     compound   its properties, their headers
 *     property   of a scalar: samples; of an array: samples and dimensions in turn. A sample begins with 16 bytes of
 *                digest */
#include "scene/archive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGEST = 16, HASHES = 32, SPELT_OUT = 255 };
static const uint64_t data_bit = UINT64_C(1) << 63;

static skein_status broken(const char *what)
{
  return sk_fail(SKEIN_BAD_INPUT, "is damaged: %s", what);
}

static uint64_t number(const unsigned char *b, int bytes)
{
  uint64_t x = 0;
  for (int k = 0; k < bytes; k++) x |= (uint64_t)b[k] << (8 * k);
  return x;
}

static double number_f64(const unsigned char *b)
{
  uint64_t bits = number(b, 8);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* ---- Groups and data ---- */

/* The span of `count` items of `size` bytes behind a number at `place`. */
static skein_status span_at(const sk_archive *a, uint64_t place, size_t size, sk_span *out)
{
  *out = (sk_span){a->file.at, 0};
  if (place == 0) return sk_ok();
  if (place > a->file.size || a->file.size - place < 8) return broken("a place is outside the file");
  uint64_t count = number(a->file.at + place, 8);
  if (count > (a->file.size - place - 8) / size) return broken("it ends before its data");
  *out = (sk_span){a->file.at + place + 8, (size_t)count * size};
  return sk_ok();
}

static size_t children_of(sk_span group)
{
  return group.size / 8;
}

static uint64_t place_of(sk_span group, size_t k)
{
  return number(group.at + 8 * k, 8);
}

static skein_status group_of(const sk_archive *a, sk_span group, size_t k, sk_span *out)
{
  if (k >= children_of(group) || place_of(group, k) & data_bit) return broken("data stands where a group should");
  return span_at(a, place_of(group, k), 8, out);
}

static skein_status data_of(const sk_archive *a, sk_span group, size_t k, sk_span *out)
{
  if (k >= children_of(group) || !(place_of(group, k) & data_bit)) return broken("a group stands where data should");
  return span_at(a, place_of(group, k) & ~data_bit, 1, out);
}

/* ---- Walking through bytes ---- */

static bool take(sk_span *from, size_t size, sk_span *out)
{
  if (size > from->size) return false;
  *out = (sk_span){from->at, size};
  from->at += size, from->size -= size;
  return true;
}

static bool take_number(sk_span *from, int hint, uint32_t *x)
{
  sk_span s;
  if (hint > 2 || !take(from, (size_t)1 << hint, &s)) return false;
  *x = (uint32_t)number(s.at, 1 << hint);
  return true;
}

static bool take_meta(const sk_archive *a, sk_span *from, uint32_t which, int hint, sk_span *meta)
{
  uint32_t size;
  if (which == SPELT_OUT) return take_number(from, hint, &size) && take(from, size, meta);
  if (which >= (uint32_t)a->metas) return false;
  *meta = a->meta[which];
  return true;
}

/* ---- The archive ---- */

static skein_status read_samplings(sk_archive *a, sk_span from)
{
  int room = (int)SK_MIN(from.size / 24 + 1, (size_t)100000);
  a->sampling = sk_calloc((size_t)room, sizeof *a->sampling);
  if (!a->sampling) return sk_no_memory();
  while (from.size > 0 && a->samplings < room) {
    uint32_t most, count;
    sk_span step, times;
    if (!take_number(&from, 2, &most) || !take(&from, 8, &step) || !take_number(&from, 2, &count) || count == 0 ||
        !take(&from, 8 * (size_t)count, &times))
      return broken("a time sampling ends too early");
    double s = number_f64(step.at);
    a->sampling[a->samplings++] = (sk_sampling){s, (int)SK_MIN(count, (uint32_t)INT32_MAX), !(fabs(s) < 1e12), times};
  }
  return a->samplings > 0 ? sk_ok() : broken("it has no time sampling");
}

static skein_status read_metas(sk_archive *a, sk_span from)
{
  a->meta = sk_calloc(256, sizeof *a->meta), a->metas = 1;
  if (!a->meta) return sk_no_memory();
  while (from.size > 0 && a->metas < SPELT_OUT) {
    uint32_t size;
    if (!take_number(&from, 0, &size) || !take(&from, size, &a->meta[a->metas++]))
      return broken("its metadata ends too early");
  }
  return sk_ok();
}

skein_status sk_archive_open(const char *bytes, size_t size, sk_archive *a)
{
  sk_span root, data;
  *a = (sk_archive){.file = {(const unsigned char *)bytes, size}, .budget = SK_ARCHIVE_BUDGET};
  if (size > 4 && !memcmp(bytes, "\x89HDF", 4))
    return sk_fail(SKEIN_BAD_INPUT, "is Alembic of before 2013 (HDF5), expected Ogawa: save it again");
  if (size < 16 || memcmp(bytes, "Ogawa", 5) != 0)
    return sk_fail(SKEIN_BAD_INPUT, "does not start with Ogawa, expected an Alembic archive");
  if (a->file.at[5] != 255) return sk_fail(SKEIN_BAD_INPUT, "was not written to its end");
  if (number(a->file.at + 6, 2) != 256) return sk_fail(SKEIN_BAD_INPUT, "is of an unknown version of Ogawa");
  skein_status s = span_at(a, number(a->file.at + 8, 8), 8, &root);
  if (s.code == SKEIN_OK && children_of(root) < 6) s = broken("its root has too few parts");
  if (s.code == SKEIN_OK) s = data_of(a, root, 0, &data);
  if (s.code == SKEIN_OK && (data.size != 4 || number(data.at, 4) != 0)) s = broken("its version is not 0");
  if (s.code == SKEIN_OK) s = group_of(a, root, 2, &a->top);
  if (s.code == SKEIN_OK) s = data_of(a, root, 3, &a->about);
  if (s.code == SKEIN_OK) s = data_of(a, root, 4, &data);
  if (s.code == SKEIN_OK) s = read_samplings(a, data);
  if (s.code == SKEIN_OK) s = data_of(a, root, 5, &data);
  if (s.code == SKEIN_OK) s = read_metas(a, data);
  if (s.code != SKEIN_OK) sk_archive_close(a);
  return s;
}

void sk_archive_close(sk_archive *a)
{
  free(a->sampling), free(a->meta);
  a->sampling = NULL, a->meta = NULL;
}

/* ---- Objects ---- */

skein_status sk_archive_children(sk_archive *a, sk_span object, int *count)
{
  size_t n = children_of(object);
  (void)a;
  *count = n >= 2 && place_of(object, n - 1) & data_bit ? (int)SK_MIN(n - 2, (size_t)SK_ARCHIVE_BUDGET) : 0;
  return sk_ok();
}

skein_status sk_archive_child(sk_archive *a, sk_span object, int k, sk_node *child)
{
  sk_span headers;
  skein_status s = data_of(a, object, children_of(object) - 1, &headers);
  if (s.code != SKEIN_OK) return s;
  if (headers.size < HASHES) return broken("the headers of its objects are too short");
  headers.size -= HASHES;
  for (int i = 0; i <= k; i++) {
    uint32_t size, which;
    if (--a->budget < 0) return broken("it has too many objects");
    if (!take_number(&headers, 2, &size) || !take(&headers, size, &child->name) || !take_number(&headers, 0, &which) ||
        !take_meta(a, &headers, which, 2, &child->meta))
      return broken("the header of an object ends too early");
  }
  return group_of(a, object, (size_t)k + 1, &child->group);
}

/* ---- Properties ---- */

skein_status sk_archive_properties(sk_archive *a, sk_span object, sk_property *top)
{
  *top = (sk_property){.kind = SK_PROPERTY_COMPOUND, .group = {a->file.at, 0}};
  if (children_of(object) == 0 || place_of(object, 0) & data_bit) return sk_ok();
  return group_of(a, object, 0, &top->group);
}

/* One header; false: it ends too early. */
static bool take_header(const sk_archive *a, sk_span *from, sk_property *p)
{
  uint32_t info, size, sampling = 0;
  sk_span meta;
  *p = (sk_property){0};
  if (!take_number(from, 2, &info)) return false;
  int hint = info >> 2 & 3;
  p->kind = (info & 3) == 3 ? SK_PROPERTY_ARRAY : (sk_archive_kind)(info & 3);
  p->pod = info >> 4 & 15, p->extent = info >> 12 & 255;
  if (p->kind != SK_PROPERTY_COMPOUND) {
    if (!take_number(from, hint, &p->samples)) return false;
    if (info & 0x200) {
      if (!take_number(from, hint, &p->first) || !take_number(from, hint, &p->last)) return false;
    } else if (!(info & 0x800)) p->first = 1, p->last = p->samples - 1;
    if (info & 0x100 && !take_number(from, hint, &sampling)) return false;
  }
  p->sampling = sampling < (uint32_t)a->samplings ? (int)sampling : 0;
  return take_number(from, hint, &size) && take(from, size, &p->name) &&
         take_meta(a, from, info >> 20 & 255, hint, &meta);
}

skein_status sk_archive_find(sk_archive *a, const sk_property *in, const char *name, sk_property *found, bool *is)
{
  size_t n = children_of(in->group), length = strlen(name);
  sk_span headers;
  *is = false;
  if (in->kind != SK_PROPERTY_COMPOUND || n < 2) return sk_ok();
  skein_status s = data_of(a, in->group, n - 1, &headers);
  for (size_t k = 0; k + 1 < n && headers.size > 0 && s.code == SKEIN_OK; k++) {
    if (--a->budget < 0) return broken("it has too many properties");
    if (!take_header(a, &headers, found)) return broken("the header of a property ends too early");
    if (found->name.size != length || memcmp(found->name.at, name, length) != 0) continue;
    *is = true;
    return group_of(a, in->group, k, &found->group);
  }
  return s;
}

/* ---- Samples ---- */

double sk_archive_time(const sk_archive *a, int sampling, uint32_t sample)
{
  const sk_sampling *s = &a->sampling[sampling];
  uint32_t count = (uint32_t)s->count, k = s->acyclic ? SK_MIN(sample, count - 1) : sample % count;
  double t = number_f64(s->times.at + 8 * (size_t)k);
  return s->acyclic ? t : t + s->step * (sample / count);
}

uint32_t sk_archive_sample_at(const sk_archive *a, const sk_property *p, double t)
{
  uint32_t lo = 0, hi = p->samples > 0 ? p->samples - 1 : 0;
  while (lo < hi) { /* the last one that is not after t */
    uint32_t middle = lo + (hi - lo + 1) / 2;
    if (sk_archive_time(a, p->sampling, middle) <= t + 1e-6) lo = middle;
    else hi = middle - 1;
  }
  return lo;
}

static double number_of(const unsigned char *b, int pod)
{
  uint32_t bits = (uint32_t)number(b, pod == SK_POD_F64 ? 4 : pod <= SK_POD_I8 ? 1 : pod <= SK_POD_I16 ? 2 : 4);
  float x;
  switch (pod) {
  case SK_POD_I8:
    return (int8_t)bits;
  case SK_POD_I16:
    return (int16_t)bits;
  case SK_POD_I32:
    return (int32_t)bits;
  case SK_POD_F32:
    memcpy(&x, &bits, sizeof x);
    return (double)x;
  case SK_POD_F64:
    return number_f64(b);
  default:
    return bits;
  }
}

skein_status sk_archive_numbers(sk_archive *a, const sk_property *p, uint32_t sample, double **x, size_t *count)
{
  static const size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 0, 0, 0, 4, 8, 0, 0, 0, 0};
  sk_span data;
  size_t step = p->kind == SK_PROPERTY_ARRAY ? 2 : 1, size = sizes[p->pod];
  *x = NULL, *count = 0;
  if (p->kind == SK_PROPERTY_COMPOUND || p->samples == 0) return sk_ok();
  if (size == 0) return broken("a property has numbers of an unexpected kind");
  size_t k = sample < p->first || p->last == 0 ? 0 : (size_t)SK_MIN(sample, p->last) - p->first + 1;
  skein_status s = data_of(a, p->group, step * k, &data);
  if (s.code != SKEIN_OK || data.size <= DIGEST) return s;
  size_t n = (data.size - DIGEST) / size;
  if (n > INT32_MAX / 4) return broken("a sample is too large");
  if (!(*x = sk_calloc(n, sizeof **x))) return sk_no_memory();
  for (size_t i = 0; i < n; i++) (*x)[i] = number_of(data.at + DIGEST + i * size, p->pod);
  *count = n;
  return s;
}

/* ---- Metadata ---- */

bool sk_archive_value(sk_span meta, const char *key, char *value, size_t size)
{
  size_t n = strlen(key);
  for (size_t i = 0; i < meta.size;) {
    const unsigned char *at = meta.at + i, *end = memchr(at, ';', meta.size - i);
    size_t length = end ? (size_t)(end - at) : meta.size - i;
    if (length > n && at[n] == '=' && !memcmp(at, key, n)) {
      snprintf(value, size, "%.*s", (int)SK_MIN(length - n - 1, size - 1), (const char *)at + n + 1);
      return true;
    }
    i += length + 1;
  }
  return false;
}

bool sk_archive_says(sk_span meta, const char *key, const char *value)
{
  char text[80];
  return sk_archive_value(meta, key, text, sizeof text) && !strcmp(text, value);
}
