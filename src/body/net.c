/* A closed surface f(x) = 0 as triangles: naive surface nets (Gibson 1998). Every cell of a grid that the surface
 * passes has one vertex, the mean of the crossings of its edges; every edge of the grid that it crosses has one
 * quadrangle, of the four cells around it. Vertices are then moved towards the mean of their neighbours and back onto
 * the surface, along the gradient by Newton's method, in turns: triangles become even. */
#include "body/inside.h"

#include <stdlib.h>
#include <string.h>

enum { EVEN = 5, LAST = 3 }; /* turns of both; steps of Newton's method in the last, in the others one */

typedef struct net {
  sk_field field;
  const void *data;
  sk_vec3 lo;
  double cell;
  int n[3]; /* nodes */
  sk_arena arena;
  double *f;
  int *vertex_of; /* cell: its vertex, or -1 */
  sk_vec3 *x;
  int *t;
  int vertices, triangles;
} net;

static size_t node(const net *g, int i, int j, int k)
{
  return (size_t)i + (size_t)g->n[0] * ((size_t)j + (size_t)g->n[1] * (size_t)k);
}

static double value(const net *g, sk_vec3 x)
{
  return g->field(g->data, x);
}

static void sample(net *g)
{
#pragma omp parallel for schedule(static)
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) g->f[node(g, i, j, k)] = value(g, sk_axpy(g->lo, g->cell, sk_vec(i, j, k)));
}

/* The vertex of a cell, in cells from its lowest corner; false: the surface does not pass. */
static bool cell_vertex(const net *g, int i, int j, int k, sk_vec3 *out)
{
  static const int edge[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                  {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  double f[8];
  int crossings = 0;
  sk_vec3 sum = {0, 0, 0};
  for (int c = 0; c < 8; c++) f[c] = g->f[node(g, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))];
  for (int e = 0; e < 12; e++) {
    int a = edge[e][0], b = edge[e][1];
    if ((f[a] < 0) == (f[b] < 0)) continue;
    double u = f[a] / (f[a] - f[b]);
    sk_vec3 p = {a & 1, a >> 1 & 1, a >> 2}, q = {b & 1, b >> 1 & 1, b >> 2};
    sum = sk_add(sum, sk_axpy(p, u, sk_sub(q, p))), crossings++;
  }
  if (crossings) *out = sk_mul(1.0 / crossings, sum);
  return crossings > 0;
}

static void place_vertices(net *g)
{
  for (int k = 0; k + 1 < g->n[2]; k++)
    for (int j = 0; j + 1 < g->n[1]; j++)
      for (int i = 0; i + 1 < g->n[0]; i++) {
        sk_vec3 in;
        bool passes = cell_vertex(g, i, j, k, &in);
        g->vertex_of[node(g, i, j, k)] = passes ? g->vertices : -1;
        if (passes) g->x[g->vertices++] = sk_axpy(g->lo, g->cell, sk_add(sk_vec(i, j, k), in));
      }
}

/* A quadrangle, parted along its shorter diagonal. */
static void add_quad(net *g, const int *q)
{
  int turn = sk_norm(sk_sub(g->x[q[0]], g->x[q[2]])) > sk_norm(sk_sub(g->x[q[1]], g->x[q[3]]));
  int a = q[turn], b = q[1 + turn], c = q[2 + turn], d = q[(3 + turn) % 4], two[6] = {a, b, c, a, c, d};
  memcpy(g->t + 3 * (size_t)g->triangles, two, sizeof two);
  g->triangles += 2;
}

/* The cells around each edge along `axis` whose ends differ in sign, counterclockwise as seen from outside. */
static void add_quads(net *g, int axis)
{
  int u = (axis + 1) % 3, v = (axis + 2) % 3, at[3];
  for (at[2] = 1; at[2] + 1 < g->n[2]; at[2]++)
    for (at[1] = 1; at[1] + 1 < g->n[1]; at[1]++)
      for (at[0] = 1; at[0] + 1 < g->n[0]; at[0]++) {
        int end[3] = {at[0], at[1], at[2]}, q[4];
        end[axis]++;
        bool inside = g->f[node(g, at[0], at[1], at[2])] < 0;
        if (inside == (g->f[node(g, end[0], end[1], end[2])] < 0)) continue;
        for (int c = 0; c < 4; c++) {
          int cell[3] = {at[0], at[1], at[2]}, turn = inside ? c : 3 - c;
          cell[u] -= turn == 0 || turn == 3, cell[v] -= turn == 0 || turn == 1;
          q[c] = g->vertex_of[node(g, cell[0], cell[1], cell[2])];
        }
        add_quad(g, q);
      }
}

/* x - f g / |g|^2, the gradient g by central differences. */
static sk_vec3 onto(const net *g, sk_vec3 x, int steps)
{
  double h = 1e-4 * g->cell;
  for (int step = 0; step < steps; step++) {
    sk_vec3 d = {value(g, sk_vec(x.x + h, x.y, x.z)) - value(g, sk_vec(x.x - h, x.y, x.z)),
                 value(g, sk_vec(x.x, x.y + h, x.z)) - value(g, sk_vec(x.x, x.y - h, x.z)),
                 value(g, sk_vec(x.x, x.y, x.z + h)) - value(g, sk_vec(x.x, x.y, x.z - h))};
    double d2 = sk_dot(d, d), f = value(g, x);
    if (!(d2 > 0)) break;
    sk_vec3 by = sk_mul(-f * 2 * h / d2, d);
    double far = sk_norm(by) / g->cell;
    x = sk_axpy(x, far > 0.5 ? 0.5 / far : 1, by); /* a bad gradient takes it nowhere */
  }
  return x;
}

static void make_even(net *g, sk_vec3 *sum, int *count)
{
  for (int turn = 0; turn <= EVEN; turn++) {
    memset(sum, 0, sizeof *sum * (size_t)g->vertices), memset(count, 0, sizeof *count * (size_t)g->vertices);
    for (size_t k = 0; k < 3 * (size_t)g->triangles; k++) {
      int a = g->t[k], b = g->t[k - k % 3 + (k + 1) % 3];
      sum[a] = sk_add(sum[a], g->x[b]), count[a]++;
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < g->vertices; i++) {
      sk_vec3 mean = sk_mul(1.0 / SK_MAX(count[i], 1), sum[i]);
      g->x[i] = onto(g, turn ? sk_axpy(g->x[i], 0.5, sk_sub(mean, g->x[i])) : g->x[i], turn < EVEN ? 1 : LAST);
    }
  }
}

skein_status sk_net_create(sk_field field, const void *data, sk_vec3 lo, sk_vec3 hi, double cell, double scale,
                           sk_mesh **out)
{
  net g = {.field = field, .data = data, .lo = lo, .cell = cell};
  double size[3];
  skein_status s = sk_no_memory();
  sk_store3(size, sk_sub(hi, lo));
  for (int k = 0; k < 3; k++) g.n[k] = (int)ceil(size[k] / cell) + 1;
  size_t nodes = (size_t)g.n[0] * (size_t)g.n[1] * (size_t)g.n[2];
  *out = NULL;
  g.f = SK_NEW_RAW(&g.arena, nodes, double), g.vertex_of = SK_NEW(&g.arena, nodes, int);
  g.x = SK_NEW_RAW(&g.arena, nodes, sk_vec3), g.t = SK_NEW_RAW(&g.arena, 18 * nodes, int);
  if (!g.arena.failed) {
    sample(&g);
    place_vertices(&g);
    for (int axis = 0; axis < 3; axis++) add_quads(&g, axis);
    sk_vec3 *sum = SK_NEW_RAW(&g.arena, g.vertices, sk_vec3);
    int *count = SK_NEW_RAW(&g.arena, g.vertices, int);
    double *v = SK_NEW_RAW(&g.arena, 3 * (size_t)g.vertices, double);
    if (!g.arena.failed) {
      make_even(&g, sum, count);
      for (int i = 0; i < g.vertices; i++) sk_store3(v + 3 * (size_t)i, sk_mul(scale, g.x[i]));
      s = sk_mesh_create(v, g.vertices, g.t, g.triangles, false, out);
    }
  }
  sk_arena_free(&g.arena);
  return s;
}
