/* What a curve is, seen from outside: the knot in it, its writhe, how near it comes to itself.
 *
 * Knot: the curve is closed far away and projected; with n crossings, each between an over-arc a and the under-arcs b,
 * c, the rows 2 a - b - c make the n x n matrix of Fox' colourings. Any minor of n - 1 has the absolute value
 * |Delta(-1)|, the determinant of the knot (Alexander 1928; Fox 1961): 1 unknot, 3 trefoil.
 * Writhe: sum over pairs of segments of the solid angle in which they cross (Klenin and Langowski 2000, method 1a). */
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void reproduce_curve(const skein_rod *rod, int count, double *points)
{
  double length = skein_rod_definition(rod).length;
  skein_pose pose;
  for (int k = 0; k < count; k++) {
    skein_rod_point(rod, length * k / (count - 1), &pose);
    memcpy(points + 3 * k, pose.r, sizeof pose.r);
  }
}

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c)
{
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

static void sub(const double *a, const double *b, double *c)
{
  for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

/* ---- The knot ---- */

enum { CLOSING = 4 };

/* A crossing as the under-strand meets it: where along the curve both strands are (segment + share). */
typedef struct crossing {
  double over, under;
} crossing;

/* Looks along a direction without symmetry, so that no two things fall upon each other. */
static void project(const double *from, double *to)
{
  static const double axes[3][3] = {{0.9561, 0.2031, -0.2109}, {-0.2470, 0.9457, -0.2113}, {0.1565, 0.2541, 0.9544}};
  for (int i = 0; i < 3; i++) to[i] = dot(axes[i], from);
}

/* The projected curve, its ends drawn out along the line through them, and two far corners that close it. */
static void close_curve(const double *points, int count, double *q)
{
  double along[2], size = 0;
  for (int k = 0; k < count; k++) project(points + 3 * k, q + 3 * (k + 1));
  const double *first = q + 3, *last = q + 3 * count;
  for (int k = 1; k <= count; k++) size = fmax(size, hypot(q[3 * k] - first[0], q[3 * k + 1] - first[1]));
  along[0] = last[0] - first[0], along[1] = last[1] - first[1];
  double norm = hypot(along[0], along[1]), far = 10 * size;
  along[0] = norm > 0 ? along[0] / norm : 1, along[1] = norm > 0 ? along[1] / norm : 0;
  double *before = q, *behind = q + 3 * (count + 1), *corner = q + 3 * (count + 2);
  for (int i = 0; i < 2; i++) before[i] = first[i] - far * along[i], behind[i] = last[i] + far * along[i];
  before[2] = first[2], behind[2] = last[2];
  const double up[2] = {-along[1], along[0]};
  for (int i = 0; i < 2; i++) corner[i] = behind[i] + far * up[i], corner[3 + i] = before[i] + far * up[i];
  corner[2] = behind[2], corner[5] = before[2];
}

/* Whether segments a and b of the closed curve cross in the plane, and who is above. */
static bool meet(const double *q, int n, int a, int b, crossing *c)
{
  const double *a0 = q + 3 * a, *a1 = q + 3 * ((a + 1) % n), *b0 = q + 3 * b, *b1 = q + 3 * ((b + 1) % n);
  double ax = a1[0] - a0[0], ay = a1[1] - a0[1], bx = b1[0] - b0[0], by = b1[1] - b0[1];
  double det = ax * by - ay * bx, rx = b0[0] - a0[0], ry = b0[1] - a0[1];
  if (det == 0) return false;
  double s = (rx * by - ry * bx) / det, t = (rx * ay - ry * ax) / det;
  if (s < 0 || s >= 1 || t < 0 || t >= 1) return false;
  bool above = a0[2] + s * (a1[2] - a0[2]) > b0[2] + t * (b1[2] - b0[2]);
  *c = above ? (crossing){a + s, b + t} : (crossing){b + t, a + s};
  return true;
}

static int by_under(const void *a, const void *b)
{
  double x = ((const crossing *)a)->under, y = ((const crossing *)b)->under;
  return (x > y) - (x < y);
}

/* |det| of the leading n x n part, rows of `stride`, by elimination with pivots. */
static double determinant(double *m, int n, int stride)
{
  double det = 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(m[i * stride + k]) > fabs(m[best * stride + k])) best = i;
    double pivot = m[best * stride + k];
    if (fabs(pivot) < 1e-9) return 0;
    for (int j = 0; j < n && best != k; j++) {
      double swap = m[k * stride + j];
      m[k * stride + j] = m[best * stride + j], m[best * stride + j] = swap;
    }
    det *= fabs(pivot);
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--) m[i * stride + j] -= m[i * stride + k] / pivot * m[k * stride + j];
  }
  return det;
}

/* Crossings sorted by their under-strand: arc k runs from the under-crossing k to the next one. */
static int colourings(crossing *c, int n)
{
  if (n < 3) return 1;
  double *m = calloc((size_t)n * (size_t)n, sizeof *m);
  if (!m) return -1;
  qsort(c, (size_t)n, sizeof *c, by_under);
  for (int k = 0; k < n; k++) {
    int over = n - 1; /* before the first under-crossing: the arc that comes around */
    for (int i = 0; i < n && c[i].under < c[k].over; i++) over = i;
    m[k * n + over] += 2, m[k * n + k] -= 1, m[k * n + (k + n - 1) % n] -= 1;
  }
  double det = determinant(m, n - 1, n);
  free(m);
  return det < 1e6 ? (int)lround(det) : -1;
}

int reproduce_determinant(const double *points, int count)
{
  int n = count + CLOSING, found = 0, room = 0, result = -1;
  double *q = calloc(3 * (size_t)n, sizeof *q);
  crossing *list = NULL;
  if (!q) return -1;
  close_curve(points, count, q);
  for (int a = 0; a < n; a++)
    for (int b = a + 2; b < n; b++) {
      crossing c;
      if ((a == 0 && b == n - 1) || !meet(q, n, a, b, &c)) continue;
      if (found == room) {
        room = room ? 2 * room : 32;
        crossing *grown = realloc(list, (size_t)room * sizeof *list);
        if (!grown) goto done;
        list = grown;
      }
      list[found++] = c;
    }
  result = found > 200 ? -1 : colourings(list, found);
done:
  free(list);
  free(q);
  return result;
}

/* ---- Distances ---- */

static double clamp01(double x)
{
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Smallest distance of two segments: the inner minimum, or one with an end. */
static double segments_apart(const double *p0, const double *p1, const double *q0, const double *q1)
{
  double u[3], v[3], w[3];
  sub(p1, p0, u), sub(q1, q0, v), sub(p0, q0, w);
  double a = dot(u, u), b = dot(u, v), c = dot(v, v), d = dot(u, w), e = dot(v, w), det = a * c - b * b;
  double s = det > 1e-12 * a * c ? clamp01((b * e - c * d) / det) : 0, t = c > 0 ? clamp01((b * s + e) / c) : 0;
  s = a > 0 ? clamp01((b * t - d) / a) : 0;
  for (int i = 0; i < 3; i++) w[i] += s * u[i] - t * v[i];
  return sqrt(dot(w, w));
}

static double length_of(const double *points, int count)
{
  double length = 0, d[3];
  for (int k = 1; k < count; k++) sub(points + 3 * k, points + 3 * (k - 1), d), length += sqrt(dot(d, d));
  return length;
}

double reproduce_nearest(const double *points, int count, double apart)
{
  double nearest = HUGE_VAL, piece = length_of(points, count) / (count - 1);
  int skip = (int)ceil(apart / piece) + 1;
  for (int a = 0; a + 1 < count; a++)
    for (int b = a + skip; b + 1 < count; b++)
      nearest = fmin(nearest, segments_apart(points + 3 * a, points + 3 * a + 3, points + 3 * b, points + 3 * b + 3));
  return nearest;
}

double reproduce_bend(const double *points, int count)
{
  double chord[3], d[3], c[3], most = 0, length = length_of(points, count);
  sub(points + 3 * (count - 1), points, chord);
  double size = sqrt(dot(chord, chord));
  for (int k = 1; k + 1 < count && size > 0; k++) {
    sub(points + 3 * k, points, d), cross(d, chord, c);
    most = fmax(most, sqrt(dot(c, c)) / size);
  }
  return length > 0 ? most / length : 0;
}

/* ---- Writhe ---- */

static double arc_sine(double x)
{
  return asin(x < -1 ? -1 : x > 1 ? 1 : x);
}

/* Signed solid angle / 4 pi of the directions in which the segments 1-2 and 3-4 cross. */
static double pair_writhe(const double *p1, const double *p2, const double *p3, const double *p4)
{
  double r13[3], r14[3], r23[3], r24[3], r12[3], r34[3], n[4][3], c[3], sum = 0;
  sub(p3, p1, r13), sub(p4, p1, r14), sub(p3, p2, r23), sub(p4, p2, r24), sub(p2, p1, r12), sub(p4, p3, r34);
  cross(r13, r14, n[0]), cross(r14, r24, n[1]), cross(r24, r23, n[2]), cross(r23, r13, n[3]);
  for (int k = 0; k < 4; k++) {
    double size = sqrt(dot(n[k], n[k]));
    if (size < 1e-300) return 0;
    for (int i = 0; i < 3; i++) n[k][i] /= size;
  }
  for (int k = 0; k < 4; k++) sum += arc_sine(dot(n[k], n[(k + 1) % 4]));
  cross(r34, r12, c);
  return (dot(c, r13) < 0 ? -1 : 1) * sum / (4 * 3.14159265358979323846);
}

double reproduce_writhe(const double *points, int count)
{
  double sum = 0;
  for (int a = 0; a + 1 < count; a++)
    for (int b = a + 2; b + 1 < count; b++)
      sum += 2 * pair_writhe(points + 3 * a, points + 3 * a + 3, points + 3 * b, points + 3 * b + 3);
  return sum;
}
