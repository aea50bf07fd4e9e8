/* Vertex caches: PC2, MDD and numbered OBJ files.
 *
 *     PC2  "POINTCACHE2\0", int32 version (1), int32 vertices, float start frame, float frames per sample, int32
 * samples; then the vertices of each sample, 3 floats each; little-endian MDD  int32 frames, int32 vertices, float time
 * of each frame (s); then the vertices of each; big-endian
 *
 * Numbers are as in the file; the first frame comes at `start`, whatever the file calls it. */
#include "scene/files.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PC2_HEAD = 32, MDD_HEAD = 8, MOST_FRAMES = 1000000 };
static const uint64_t most_bytes = (uint64_t)4 << 30; /* of all frames */

/* ---- Bytes ---- */

static uint32_t take_u32(const unsigned char *b, bool big)
{
  if (big) return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
  return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static float take_float(const unsigned char *b, bool big)
{
  uint32_t bits = take_u32(b, big);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static skein_status take_bytes(FILE *file, size_t count, unsigned char *bytes)
{
  if (fread(bytes, 1, count, file) == count) return sk_ok();
  if (ferror(file)) return sk_fail(SKEIN_IO_FAILURE, "cannot read: %s", strerror(errno));
  return sk_fail(SKEIN_BAD_INPUT, "ended before its frames did");
}

/* A frame, number by number; it is turned to floats where it stands. */
static skein_status take_frame(FILE *file, bool big, int frame, int vertices, float *v)
{
  size_t count = 3 * (size_t)vertices;
  skein_status s = take_bytes(file, 4 * count, (unsigned char *)v);
  for (size_t i = 0; i < count && s.code == SKEIN_OK; i++) {
    v[i] = take_float((unsigned char *)(v + i), big);
    if (!(fabsf(v[i]) <= 1e15f))
      s = sk_fail(SKEIN_BAD_INPUT, "frame %d: vertex %zu has coordinate %g, expected a finite number", frame, i / 3,
                  (double)v[i]);
  }
  return s;
}

/* From the axes of the cache to those of the mesh. */
static void turn_axes(const sk_cache_def *def, sk_cache *c)
{
  for (size_t i = 0; i < (size_t)c->frames * (size_t)c->vertices; i++) {
    float *v = c->v + 3 * i, x[3] = {v[0], v[1], v[2]};
    for (int k = 0; k < 3; k++) v[k] = def->axis[k] > 0 ? x[def->axis[k] - 1] : -x[-def->axis[k] - 1];
  }
}

/* ---- PC2 and MDD ---- */

/* What the head of a file says. */
typedef struct head {
  bool big;
  int64_t frames, vertices, bytes; /* bytes: before the first vertex */
  double step;                     /* frames per sample (PC2) */
} head;

static skein_status read_head(FILE *file, const sk_cache_def *def, head *h)
{
  unsigned char b[PC2_HEAD];
  bool mdd = def->format == SK_CACHE_MDD;
  skein_status s = take_bytes(file, mdd ? MDD_HEAD : PC2_HEAD, b);
  if (s.code != SKEIN_OK) return sk_fail(SKEIN_BAD_INPUT, "is shorter than the head of %s", mdd ? "an MDD" : "a PC2");
  if (mdd) {
    *h = (head){true, (int32_t)take_u32(b, true), (int32_t)take_u32(b + 4, true), MDD_HEAD, 1};
    h->bytes += 4 * h->frames;
    return sk_ok();
  }
  if (memcmp(b, "POINTCACHE2", 12) != 0)
    return sk_fail(SKEIN_BAD_INPUT, "does not start with POINTCACHE2, expected a PC2 file");
  if (take_u32(b + 12, false) != 1)
    return sk_fail(SKEIN_BAD_INPUT, "is PC2 of version %u, expected 1", take_u32(b + 12, false));
  *h = (head){false, (int32_t)take_u32(b + 28, false), (int32_t)take_u32(b + 16, false), PC2_HEAD,
              take_float(b + 24, false)};
  if (!(h->step > 0 && h->step <= 1e6))
    return sk_fail(SKEIN_BAD_INPUT, "has a sample every %g frames, expected a positive number", h->step);
  return sk_ok();
}

static skein_status check_size(int64_t frames, int vertices)
{
  if (frames < 1 || frames > MOST_FRAMES)
    return sk_fail(SKEIN_BAD_INPUT, "has %lld frames, expected 1 to %d", (long long)frames, MOST_FRAMES);
  if (12 * (uint64_t)frames * (uint64_t)vertices > most_bytes)
    return sk_fail(SKEIN_BAD_INPUT, "has %lld frames of %d vertices, expected at most %llu GB", (long long)frames,
                   vertices, (unsigned long long)(most_bytes >> 30));
  return sk_ok();
}

static skein_status check_head(FILE *file, const head *h, int vertices)
{
  struct stat about;
  if (fstat(fileno(file), &about)) return sk_fail(SKEIN_IO_FAILURE, "cannot read: %s", strerror(errno));
  if (h->vertices != vertices) {
    bool swapped = __builtin_bswap32((uint32_t)h->vertices) == (uint32_t)vertices;
    return sk_fail(SKEIN_BAD_INPUT, "has %lld vertices, expected %d, those of the mesh%s", (long long)h->vertices,
                   vertices, swapped ? "; its bytes are in the other order" : "");
  }
  skein_status s = check_size(h->frames, vertices);
  int64_t size = h->bytes + 12 * h->frames * (int64_t)vertices;
  if (s.code == SKEIN_OK && (int64_t)about.st_size != size)
    return sk_fail(SKEIN_BAD_INPUT, "has %lld bytes, expected %lld for %lld frames of %d vertices",
                   (long long)about.st_size, (long long)size, (long long)h->frames, vertices);
  return s;
}

/* MDD: as in the file; PC2: by the frame. Both from the first frame on. */
static skein_status read_times(FILE *file, const head *h, const sk_cache_def *def, sk_cache *c)
{
  skein_status s = sk_ok();
  double first = 0;
  for (int i = 0; i < c->frames && s.code == SKEIN_OK; i++) {
    unsigned char b[4];
    double t = i * h->step / def->fps;
    if (h->big) s = take_bytes(file, 4, b), t = s.code == SKEIN_OK ? (double)take_float(b, true) : 0;
    if (i == 0) first = t;
    c->time[i] = def->start + t - first;
    if (s.code == SKEIN_OK && (!(fabs(c->time[i]) <= 1e15) || (i > 0 && !(c->time[i] > c->time[i - 1]))))
      s = sk_fail(SKEIN_BAD_INPUT, "frame %d is at %g s, expected ascending times", i, t);
  }
  return s;
}

static skein_status read_binary(FILE *file, const sk_cache_def *def, int vertices, sk_cache **out)
{
  head h = {0};
  skein_status s = read_head(file, def, &h);
  if (s.code == SKEIN_OK) s = check_head(file, &h, vertices);
  if (s.code != SKEIN_OK) return s;
  sk_cache *c = *out = sk_cache_create((int)h.frames, vertices, def->scale);
  if (!c) return sk_no_memory();
  s = read_times(file, &h, def, c);
  for (int i = 0; i < c->frames && s.code == SKEIN_OK; i++)
    s = take_frame(file, h.big, i, vertices, c->v + 3 * (size_t)i * (size_t)vertices);
  return s;
}

static skein_status open_binary(const sk_cache_def *def, int vertices, sk_cache **out)
{
  struct stat about;
  if (stat(def->path, &about)) return sk_fail(SKEIN_IO_FAILURE, "cannot open: %s", strerror(errno));
  if (!S_ISREG(about.st_mode))
    return sk_fail(SKEIN_IO_FAILURE, "is not a regular file"); /* a pipe would make us wait */
  FILE *file = fopen(def->path, "rb");
  if (!file) return sk_fail(SKEIN_IO_FAILURE, "cannot open: %s", strerror(errno));
  skein_status s = read_binary(file, def, vertices, out);
  fclose(file);
  return s;
}

/* ---- Numbered OBJ files ---- */

/* "head_%04d.obj": where the number stands, and its digits. */
static bool find_number(const char *path, size_t *before, size_t *after, int *digits)
{
  const char *name = strrchr(path, '/'), *percent = strchr(name ? name : path, '%');
  if (!percent) return false;
  const char *at = percent + 1;
  *digits = 1;
  if (*at == '0' && at[1] >= '1' && at[1] <= '9') *digits = at[1] - '0', at += 2;
  *before = (size_t)(percent - path), *after = (size_t)(at + 1 - path);
  return *at == 'd' && !strchr(at, '%');
}

static skein_status read_numbered(const char *path, int frame, const sk_triangles *mesh, sk_cache *c)
{
  sk_triangles t;
  skein_status s = sk_triangles_read(path, &t);
  if (s.code != SKEIN_OK) return s;
  if (t.vertices != mesh->vertices || t.triangles != mesh->triangles)
    s = sk_fail(SKEIN_BAD_INPUT, "has %d vertices and %d triangles, expected %d and %d, those of the mesh", t.vertices,
                t.triangles, mesh->vertices, mesh->triangles);
  else if (memcmp(t.t, mesh->t, 3 * sizeof *t.t * (size_t)t.triangles) != 0)
    s = sk_fail(SKEIN_BAD_INPUT, "has other faces than the mesh, expected the same in the same order");
  float *v = c->v + 3 * (size_t)frame * (size_t)mesh->vertices;
  for (size_t i = 0; s.code == SKEIN_OK && i < 3 * (size_t)t.vertices; i++) v[i] = (float)t.v[i];
  sk_triangles_destroy(&t);
  return s;
}

static skein_status read_series(const sk_cache_def *def, const sk_triangles *mesh, sk_cache **out)
{
  size_t before, after, size = strlen(def->path) + 32;
  int digits;
  if (!find_number(def->path, &before, &after, &digits))
    return sk_fail(SKEIN_BAD_INPUT, "expected one number in its name, %%d or %%04d");
  skein_status s = check_size((int64_t)def->last - def->first + 1, mesh->vertices);
  if (s.code != SKEIN_OK) return s;
  sk_cache *c = *out = sk_cache_create(def->last - def->first + 1, mesh->vertices, def->scale);
  char *path = malloc(size);
  if (!c || !path) s = sk_no_memory();
  for (int i = 0; s.code == SKEIN_OK && i < c->frames; i++) {
    c->time[i] = def->start + i / def->fps;
    snprintf(path, size, "%.*s%0*d%s", (int)before, def->path, digits, def->first + i, def->path + after);
    s = read_numbered(path, i, mesh, c);
    const char *slash = strrchr(path, '/');
    if (s.code != SKEIN_OK) s = sk_status_prefix(s, slash ? slash + 1 : path);
  }
  free(path);
  return s;
}

/* ---- All ---- */

/* Alembic and USD, which are read as a whole. */
static skein_status read_whole(const sk_cache_def *def, int vertices, sk_cache **out)
{
  char *bytes;
  size_t size;
  skein_status s = sk_file_read(def->path, INT32_MAX, &bytes, &size);
  if (s.code != SKEIN_OK) return s;
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before;
  if (!plain) return free(bytes), sk_no_memory();
  before = uselocale(plain);
  s = (def->format == SK_CACHE_ABC ? sk_abc_cache_parse : sk_usda_cache_parse)(bytes, size, def, vertices, out);
  uselocale(before), freelocale(plain);
  free(bytes);
  return s;
}

skein_status sk_cache_read(const sk_cache_def *def, const sk_triangles *mesh, sk_cache **out)
{
  *out = NULL;
  skein_status s;
  if (def->format == SK_CACHE_OBJ) s = read_series(def, mesh, out);
  else if (def->format >= SK_CACHE_ABC) s = read_whole(def, mesh->vertices, out);
  else s = open_binary(def, mesh->vertices, out);
  if (s.code != SKEIN_OK) sk_cache_destroy(*out), *out = NULL;
  else turn_axes(def, *out);
  return s;
}
