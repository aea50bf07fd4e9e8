/* Curves and meshes put together: places applied, faces as fans, guides and what has no width told apart. */
#include "scene/collect.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Places ---- */

const sk_matrix sk_matrix_identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};

sk_matrix sk_matrix_product(const sk_matrix *a, const sk_matrix *b)
{
  sk_matrix c = {{{0}}};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++)
      for (int l = 0; l < 4; l++) c.m[i][l] += a->m[i][k] * b->m[k][l];
  return c;
}

/* About an axis by an angle in degrees. */
static sk_matrix rotation(double x, double y, double z, double angle)
{
  double n = sqrt(x * x + y * y + z * z), c = cos(angle * SK_PI / 180), s = sin(angle * SK_PI / 180);
  double u[3] = {x / n, y / n, z / n};
  sk_matrix r = sk_matrix_identity;
  if (!(n > 0)) return r;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) r.m[i][k] = u[i] * u[k] * (1 - c) + (i == k ? c : 0);
  r.m[0][1] += s * u[2], r.m[1][0] -= s * u[2], r.m[2][0] += s * u[1], r.m[0][2] -= s * u[1], r.m[1][2] += s * u[0],
      r.m[2][1] -= s * u[0];
  return r;
}

/* One operation (0 scale, 1 translate, 2 rotate, 3 matrix, 4 to 6 rotate about x, y, z) from its channels. */
sk_matrix sk_matrix_operation(int type, const double *v)
{
  sk_matrix m = sk_matrix_identity;
  if (type == 0)
    for (int k = 0; k < 3; k++) m.m[k][k] = v[k];
  else if (type == 1) memcpy(m.m[3], v, 3 * sizeof *v);
  else if (type == 2) m = rotation(v[0], v[1], v[2], v[3]);
  else if (type == 3) memcpy(m.m, v, sizeof m.m);
  else m = rotation(type == 4, type == 5, type == 6, v[0]);
  return m;
}

/* ---- Lists ---- */

static skein_status push(const sk_collect *c, sk_list *l, const void *items, size_t count, size_t size)
{
  if (l->count + count > c->most)
    return sk_fail(SKEIN_BAD_INPUT, "has more points or faces than a file of its size would have");
  return sk_list_push(l, items, count, size) ? sk_ok() : sk_no_memory();
}

skein_status sk_collect_points(sk_collect *c, sk_numbers p, const sk_matrix *place)
{
  size_t count = p.count / 3 * 3;
  for (size_t i = 0; i < count; i += 3) {
    double x[3] = {p.x[i], p.x[i + 1], p.x[i + 2]};
    for (size_t k = 0; k < 3; k++) {
      p.x[i + k] = x[0] * place->m[0][k] + x[1] * place->m[1][k] + x[2] * place->m[2][k] + place->m[3][k];
      if (!(fabs(p.x[i + k]) <= 1e15)) return sk_fail(SKEIN_BAD_INPUT, "a point is not finite");
    }
  }
  return push(c, &c->point, p.x, count, sizeof *p.x);
}

/* ---- Curves ---- */

static skein_status push_sizes(sk_collect *c, sk_numbers size, size_t points)
{
  size_t sum = 0;
  for (size_t k = 0; k < size.count; k++) {
    int n = size.x[k] >= 0 && size.x[k] <= (double)points ? (int)size.x[k] : -1;
    if (n < 0 || (sum += (size_t)n) > points)
      return sk_fail(SKEIN_BAD_INPUT, "curve %zu has %g points, the object has %zu", k, size.x[k], points);
    skein_status s = push(c, &c->size, &n, 1, sizeof n);
    if (s.code != SKEIN_OK) return s;
  }
  return sum == points ? sk_ok() : sk_fail(SKEIN_BAD_INPUT, "its curves have %zu points of %zu", sum, points);
}

/* What a curve is: a guide, a strand, or nothing yet. */
enum { NOTHING, STRAND, GUIDE };

skein_status sk_collect_curves(sk_collect *c, sk_numbers size, size_t points, sk_numbers guide, sk_numbers width)
{
  skein_status s = push_sizes(c, size, points);
  const double *w = width.count == points && points > 0 ? width.x : NULL;
  for (size_t k = 0; k < size.count && s.code == SKEIN_OK; k++) {
    size_t of = guide.count == 1 ? 0 : k;
    int kind = of < guide.count && guide.x[of] != 0 ? GUIDE : STRAND;
    bool wide = !w;
    for (size_t i = 0; !wide && i < (size_t)size.x[k]; i++) wide = w[i] != 0;
    if (w) w += (size_t)size.x[k];
    if (!wide) kind = NOTHING;
    s = push(c, &c->kind, &kind, 1, sizeof kind);
  }
  return s;
}

/* The guides where some are marked, else all that have two points or more. */
skein_status sk_collect_strands(const sk_collect *c, sk_strands *out)
{
  const int *size = c->size.data, *kind = c->kind.data;
  const double *p = c->point.data;
  size_t n = c->size.count, points = 0;
  bool some = false;
  for (size_t k = 0; k < n; k++) some |= kind[k] == GUIDE;
  out->start = sk_calloc(n + 1, sizeof *out->start);
  out->point = sk_calloc(c->point.count, sizeof *out->point);
  if (!out->start || !out->point) return sk_no_memory();
  for (size_t k = 0; k < n; p += 3 * (size_t)size[k], k++) {
    if (size[k] < 2 || kind[k] == NOTHING || (some && kind[k] != GUIDE)) continue;
    memcpy(out->point + 3 * points, p, 3 * sizeof *p * (size_t)size[k]);
    points += (size_t)size[k];
    out->start[++out->count] = (int)points;
  }
  return out->count > 0 ? sk_ok() : sk_fail(SKEIN_BAD_INPUT, "has no curves of two points or more");
}

/* ---- Meshes ---- */

skein_status sk_collect_uv(sk_numbers value, sk_numbers index, size_t corners, sk_numbers *uv)
{
  *uv = (sk_numbers){NULL, 0};
  if (index.count == 0 && value.count != 2 * corners) return sk_ok();
  if (index.count > 0 && index.count != corners) return sk_ok();
  if (corners == 0) return sk_ok();
  *uv = (sk_numbers){sk_calloc(2 * corners, sizeof(double)), 2 * corners};
  if (!uv->x) return uv->count = 0, sk_no_memory();
  for (size_t k = 0; k < 2 * corners; k++) {
    double at = index.count ? index.x[k / 2] : (double)(k / 2);
    size_t i = at >= 0 && at < (double)(value.count / 2) ? 2 * (size_t)at + k % 2 : value.count;
    uv->x[k] = i < value.count ? value.x[i] : 0;
  }
  return sk_ok();
}

static skein_status push_face(sk_collect *c, const double *corner, const double *uv, size_t count, size_t vertices,
                              bool clockwise)
{
  skein_status s = sk_ok();
  size_t base = c->point.count / 3;
  for (size_t k = 0; k < count; k++)
    if (!(corner[k] >= 0 && corner[k] < (double)vertices))
      return sk_fail(SKEIN_BAD_INPUT, "a face has the vertex %g, the mesh has %zu", corner[k], vertices);
  for (size_t k = 1; k + 1 < count && s.code == SKEIN_OK; k++) {
    const size_t at[3] = {0, clockwise ? k + 1 : k, clockwise ? k : k + 1};
    int t[3];
    float w[6] = {0};
    for (int i = 0; i < 3; i++) t[i] = (int)(base + (size_t)corner[at[i]]);
    for (int i = 0; uv && i < 6; i++) w[i] = (float)uv[2 * at[i / 2] + (size_t)i % 2];
    s = push(c, &c->face, t, 3, sizeof *t);
    if (s.code == SKEIN_OK && !c->no_uv) s = push(c, &c->uv, w, 6, sizeof *w);
  }
  return s;
}

skein_status sk_collect_faces(sk_collect *c, sk_numbers count, sk_numbers corner, sk_numbers uv, size_t vertices,
                              bool clockwise)
{
  skein_status s = sk_ok();
  size_t at = 0;
  c->no_uv |= uv.count != 2 * corner.count || uv.count == 0;
  for (size_t k = 0; s.code == SKEIN_OK && k < count.count; k++) {
    if (!(count.x[k] >= 0 && count.x[k] <= (double)(corner.count - at)))
      return sk_fail(SKEIN_BAD_INPUT, "face %zu has %g corners, %zu are left", k, count.x[k], corner.count - at);
    s = push_face(c, corner.x + at, c->no_uv ? NULL : uv.x + 2 * at, (size_t)count.x[k], vertices, clockwise);
    at += (size_t)count.x[k];
  }
  return s;
}

/* The lists become the triangles'. */
skein_status sk_collect_triangles(sk_collect *c, sk_triangles *out)
{
  if (!c->face.count) return sk_fail(SKEIN_BAD_INPUT, "has no mesh with faces");
  *out = (sk_triangles){(int)(c->point.count / 3), (int)(c->face.count / 3), c->point.data, c->face.data, NULL,
                        {0, false, false}};
  c->point.data = c->face.data = NULL;
  if (!c->no_uv) out->uv = c->uv.data, c->uv.data = NULL;
  return sk_ok();
}

/* ---- Caches ---- */

skein_status sk_collect_cache(const sk_cache_def *def, uint64_t frames, int vertices, sk_cache **out)
{
  enum { MOST_FRAMES = 1000000 };
  if (frames < 1 || frames > MOST_FRAMES || 12 * frames * (uint64_t)vertices > (uint64_t)4 << 30)
    return sk_fail(SKEIN_BAD_INPUT, "has %llu frames of %d vertices, expected at most %d and 4 GB",
                   (unsigned long long)frames, vertices, MOST_FRAMES);
  *out = sk_cache_create((int)frames, vertices, def->scale);
  return *out ? sk_ok() : sk_no_memory();
}

skein_status sk_collect_frame(const sk_collect *c, int k, sk_cache *cache)
{
  size_t count = 3 * (size_t)cache->vertices;
  const double *p = c->point.data;
  if (!(fabs(cache->time[k]) <= 1e15) || (k > 0 && !(cache->time[k] > cache->time[k - 1])))
    return sk_fail(SKEIN_BAD_INPUT, "frame %d is at %g s, expected ascending times", k, cache->time[k]);
  if (c->point.count != count)
    return sk_fail(SKEIN_BAD_INPUT, "has %zu vertices in frame %d, expected %d, those of the mesh", c->point.count / 3,
                   k, cache->vertices);
  for (size_t i = 0; i < count; i++) cache->v[(size_t)k * count + i] = (float)p[i];
  return sk_ok();
}

void sk_collect_free(sk_collect *c)
{
  free(c->point.data), free(c->size.data), free(c->kind.data), free(c->face.data), free(c->uv.data);
}
