/* Whole files, the table of strand formats, and chains made of edges. */
#include "scene/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = INT_MAX };

bool sk_list_grow(sk_list *l, size_t more, size_t size)
{
  size_t need = l->count + more, room = l->room;
  if (need < more || need > INT_MAX / 4) return false;
  if (need <= room) return true;
  room = SK_MAX(SK_MAX(need, 2 * room), (size_t)64);
  void *grown = realloc(l->data, room * size);
  if (!grown) return false;
  l->data = grown, l->room = room;
  return true;
}

bool sk_list_push(sk_list *l, const void *items, size_t count, size_t size)
{
  if (!sk_list_grow(l, count, size)) return false;
  if (count > 0) memcpy((char *)l->data + l->count * size, items, count * size);
  l->count += count;
  return true;
}

/* ---- Bytes ---- */

static skein_status read_bytes(int fd, size_t size, char *bytes)
{
  for (size_t done = 0; done < size;) {
    ssize_t got = read(fd, bytes + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return sk_fail(SKEIN_IO_FAILURE, "cannot read: %s", strerror(errno));
    if (got == 0) return sk_fail(SKEIN_IO_FAILURE, "ended after %zu of %zu bytes", done, size);
    done += (size_t)got;
  }
  return sk_ok();
}

skein_status sk_file_read(const char *path, size_t most, char **bytes, size_t *size)
{
  struct stat info;
  *bytes = NULL, *size = 0;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe does not make us wait */
  if (fd < 0) return sk_fail(SKEIN_IO_FAILURE, "cannot open: %s", strerror(errno));
  skein_status s = sk_ok();
  if (fstat(fd, &info)) s = sk_fail(SKEIN_IO_FAILURE, "cannot read: %s", strerror(errno));
  else if (!S_ISREG(info.st_mode)) s = sk_fail(SKEIN_IO_FAILURE, "is not a regular file");
  else if ((uint64_t)info.st_size > most)
    s = sk_fail(SKEIN_BAD_INPUT, "has %lld bytes, expected at most %zu", (long long)info.st_size, most);
  else if (!(*bytes = malloc((size_t)info.st_size + 1))) s = sk_no_memory();
  else s = read_bytes(fd, (size_t)info.st_size, *bytes);
  close(fd);
  if (s.code != SKEIN_OK) return free(*bytes), *bytes = NULL, s;
  *size = (size_t)info.st_size, (*bytes)[*size] = 0;
  return s;
}

/* ---- Formats ---- */

static bool ends_with(const char *path, const char *end)
{
  size_t n = strlen(path), m = strlen(end);
  return n > m && !strcasecmp(path + n - m, end);
}

static skein_status parse_strands(const char *path, char *bytes, size_t size, sk_strands *out)
{
  if (ends_with(path, ".hair")) return sk_hair_parse(bytes, size, out);
  if (ends_with(path, ".obj")) return sk_obj_strands_parse(bytes, size, out);
  if (ends_with(path, ".ply")) return sk_ply_parse(bytes, size, out);
  if (ends_with(path, ".abc")) return sk_abc_strands_parse(bytes, size, out);
  if (ends_with(path, ".usda")) return sk_usda_strands_parse(bytes, size, out);
  return sk_fail(SKEIN_BAD_INPUT, "expected a file that ends with .hair, .obj, .ply, .abc or .usda");
}

static skein_status parse_triangles(const char *path, char *bytes, size_t size, sk_triangles *out)
{
  if (ends_with(path, ".obj")) return sk_obj_triangles_parse(bytes, size, out);
  if (ends_with(path, ".abc")) return sk_abc_triangles_parse(bytes, size, out);
  if (ends_with(path, ".usda")) return sk_usda_triangles_parse(bytes, size, out);
  return sk_fail(SKEIN_BAD_INPUT, "expected a file that ends with .obj, .abc or .usda");
}

/* What is to be read: strands, or triangles, or which of them have a name. */
typedef struct wish {
  sk_strands *strands;
  sk_triangles *triangles;
  const char *name;
  int count;
  uint8_t *marked;
} wish;

/* Runs the parser with numbers of the C locale, whatever the program has set. */
static skein_status read_file(const char *path, const wish *w)
{
  char *bytes;
  size_t size;
  skein_status s = sk_file_read(path, MOST_BYTES, &bytes, &size);
  if (s.code != SKEIN_OK) return s;
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!plain) return free(bytes), sk_no_memory();
  locale_t before = uselocale(plain);
  if (w->strands) s = parse_strands(path, bytes, size, w->strands);
  else if (w->triangles) s = parse_triangles(path, bytes, size, w->triangles);
  else s = sk_obj_mark_parse(bytes, size, w->name, w->count, w->marked);
  uselocale(before);
  freelocale(plain);
  free(bytes);
  return s;
}

skein_status sk_strands_read(const char *path, sk_strands *out)
{
  *out = (sk_strands){0};
  skein_status s = read_file(path, &(wish){.strands = out});
  if (s.code != SKEIN_OK) sk_strands_destroy(out);
  return s;
}

void sk_strands_destroy(sk_strands *s)
{
  free(s->start), free(s->point);
  *s = (sk_strands){0};
}

skein_status sk_triangles_read(const char *path, sk_triangles *out)
{
  *out = (sk_triangles){0};
  skein_status s = read_file(path, &(wish){.triangles = out});
  if (s.code != SKEIN_OK) sk_triangles_destroy(out);
  return s;
}

skein_status sk_triangles_mark(const char *path, const char *name, int triangles, uint8_t *marked)
{
  return read_file(path, &(wish){.name = name, .count = triangles, .marked = marked});
}

void sk_triangles_destroy(sk_triangles *t)
{
  free(t->v), free(t->t), free(t->uv);
  *t = (sk_triangles){0};
}

/* ---- Chains ---- */

/* The one or two neighbours of a vertex (-1: none), and whether an edge leaves it. */
typedef struct joint {
  int next[2];
  bool leaves, done;
} joint;

static skein_status join(joint *j, int vertices, const int *edges, int count, int base)
{
  for (int i = 0; i < vertices; i++) j[i] = (joint){{-1, -1}, false, false};
  for (int e = 0; e < count; e++) {
    const int *ab = edges + 2 * (size_t)e;
    for (int k = 0; k < 2; k++)
      if (ab[k] < 0 || ab[k] >= vertices)
        return sk_fail(SKEIN_BAD_INPUT, "a line has the vertex %lld, expected %d to %d", (long long)ab[k] + base, base,
                       vertices - 1 + base);
    if (ab[0] == ab[1]) continue;
    for (int k = 0; k < 2; k++) {
      joint *a = &j[ab[k]];
      if (a->next[1] >= 0)
        return sk_fail(SKEIN_BAD_INPUT, "vertex %lld has three neighbours or more, expected strands without branches",
                       (long long)ab[k] + base);
      a->next[a->next[0] >= 0] = ab[1 - k];
      if (k == 0) a->leaves = true;
    }
  }
  return sk_ok();
}

/* Follows the chain from one of its ends; its points go to the list. */
static bool walk(joint *j, int from, const double *v, sk_strands *out, int *points)
{
  int last = -1;
  for (int i = from; i >= 0;) {
    memcpy(out->point + 3 * (size_t)*points, v + 3 * (size_t)i, 3 * sizeof *v), ++*points;
    j[i].done = true;
    int next = j[i].next[0] == last && last >= 0 ? j[i].next[1] : j[i].next[0];
    last = i, i = next;
  }
  out->start[++out->count] = *points;
  return true;
}

skein_status sk_strands_chain(const double *v, int vertices, const int *edges, int count, int base, sk_strands *out)
{
  joint *j = sk_calloc((size_t)vertices, sizeof *j);
  int points = 0;
  out->start = sk_calloc((size_t)vertices + 1, sizeof *out->start);
  out->point = sk_calloc(3 * (size_t)vertices, sizeof *out->point);
  skein_status s = j && out->start && out->point ? join(j, vertices, edges, count, base) : sk_no_memory();
  for (int pass = 0; pass < 2 && s.code == SKEIN_OK; pass++) /* ends where an edge leaves are roots, then any end */
    for (int i = 0; i < vertices; i++) {
      bool end = j[i].next[0] >= 0 && j[i].next[1] < 0;
      if (end && !j[i].done && (pass || j[i].leaves)) walk(j, i, v, out, &points);
    }
  for (int i = 0; i < vertices && s.code == SKEIN_OK; i++)
    if (j[i].next[0] >= 0 && !j[i].done)
      s = sk_fail(SKEIN_BAD_INPUT, "vertex %lld is on a closed loop, expected strands with two ends",
                  (long long)i + base);
  if (s.code == SKEIN_OK && !out->count) s = sk_fail(SKEIN_BAD_INPUT, "has no lines, expected at least one strand");
  free(j);
  return s;
}
