/* Vertex caches: where the vertices of a mesh are at given times. In between, the cubic Hermite interpolant whose slope
 * at a frame is that of the parabola through it and its two neighbours (Catmull and Rom 1974, for any spacing; at the
 * ends the parabola of the first and the last three). With the differences of the four frames around t,
 *
 *     x(t) = x_1 + a (x_1 - x_0) + b (x_2 - x_1) + c (x_3 - x_2),
 *
 * C1 in time, exact for motions that are quadratic in time, and at rest to the last bit where frames are the same.
 * Before the first frame and after the last, and before t = 0, nothing moves. */
#include "body/body.h"

#include <math.h>
#include <stdlib.h>

sk_cache *sk_cache_create(int frames, int vertices, double scale)
{
  sk_cache *c = sk_calloc(1, sizeof *c);
  if (!c) return NULL;
  *c = (sk_cache){.frames = frames, .vertices = vertices, .scale = scale};
  c->time = sk_calloc((size_t)frames, sizeof *c->time);
  c->v = malloc(3 * sizeof *c->v * (size_t)frames * (size_t)vertices);
  if (c->time && c->v) return c;
  sk_cache_destroy(c);
  return NULL;
}

void sk_cache_destroy(sk_cache *c)
{
  if (!c) return;
  free(c->time), free(c->v);
  free(c);
}

/* Frame 1 of the four around t, and the weights. */
typedef struct stencil {
  int frame;
  double a, b, c;
} stencil;

/* h m0 and h m1, the slopes at both ends of the interval i, as shares of the differences before it, of it, after it. */
static void find_slopes(const sk_cache *k, int i, double m0[3], double m1[3])
{
  const double *t = k->time + i;
  double h = t[1] - t[0], before = i > 0 ? t[0] - t[-1] : 0, after = i + 2 < k->frames ? t[2] - t[1] : 0;
  for (int j = 0; j < 3; j++) m0[j] = m1[j] = j == 1;
  if (before > 0) m0[0] = h * h / (before * (before + h)), m0[1] = before / (before + h);
  else if (after > 0) m0[1] = 1 + h / (h + after), m0[2] = -h * h / (after * (h + after));
  if (after > 0) m1[1] = after / (after + h), m1[2] = h * h / (after * (after + h));
  else if (before > 0) m1[1] = 1 + h / (h + before), m1[0] = -h * h / (before * (h + before));
}

static stencil stencil_at(const sk_cache *k, double t)
{
  int lo = 0, hi = k->frames - 1;
  t = fmax(t, 0);
  if (!(t > k->time[0])) return (stencil){0, 0, 0, 0};
  if (!(t < k->time[hi])) return (stencil){hi, 0, 0, 0};
  while (hi - lo > 1) {
    int mid = lo + (hi - lo) / 2;
    if (k->time[mid] <= t) lo = mid;
    else hi = mid;
  }
  double m0[3], m1[3], u = (t - k->time[lo]) / (k->time[lo + 1] - k->time[lo]), r = 1 - u;
  double p = u * r * r, q = u * u * r;
  find_slopes(k, lo, m0, m1);
  return (stencil){lo, p * m0[0] - q * m1[0], u * u * (3 - 2 * u) + p * m0[1] - q * m1[1], p * m0[2] - q * m1[2]};
}

/* Number `at` of the frame's 3 vertices numbers, in the cache's units. */
static double number_at(const sk_cache *k, const stencil *s, size_t at)
{
  size_t stride = 3 * (size_t)k->vertices;
  const float *x = k->v + (size_t)s->frame * stride + at;
  double out = x[0];
  if (s->a != 0) out += s->a * ((double)x[0] - (double)*(x - stride));
  if (s->b != 0) out += s->b * ((double)x[stride] - (double)x[0]);
  if (s->c != 0) out += s->c * ((double)x[2 * stride] - (double)x[stride]);
  return k->scale * out;
}

void sk_cache_places(const sk_cache *k, double t, double *v)
{
  stencil s = stencil_at(k, t);
  for (size_t i = 0; i < 3 * (size_t)k->vertices; i++) v[i] = number_at(k, &s, i);
}

sk_vec3 sk_cache_place(const sk_cache *k, double t, int vertex)
{
  stencil s = stencil_at(k, t);
  size_t at = 3 * (size_t)vertex;
  return sk_vec(number_at(k, &s, at), number_at(k, &s, at + 1), number_at(k, &s, at + 2));
}
