/* Triangle meshes: who is whose neighbour, whether the surface is closed and convex, and the pseudo-normals that tell
 * inside from outside wherever the nearest point lies (face, edge, corner weighted by angle: Baerentzen and Aanaes
 * 2005). Vertices at the same place are one for all of this, so seams of texture coordinates do not open a mesh. */
#include "body/inside.h"

#include <stdlib.h>
#include <string.h>

static const double BIGGEST = 1e60; /* m: areas and their squares stay finite */

/* ---- Topology ---- */

typedef struct place {
  double x[3];
  int index;
} place;

static int compare_places(const void *pa, const void *pb)
{
  const place *a = pa, *b = pb;
  for (int k = 0; k < 3; k++)
    if (a->x[k] != b->x[k]) return a->x[k] < b->x[k] ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

static bool weld_vertices(sk_mesh *m)
{
  place *p = sk_calloc((size_t)m->vertices, sizeof *p);
  if (!p) return false;
  for (int i = 0; i < m->vertices; i++) {
    memcpy(p[i].x, m->v + 3 * (size_t)i, sizeof p[i].x);
    p[i].index = i;
  }
  qsort(p, (size_t)m->vertices, sizeof *p, compare_places);
  for (int i = 0, first = 0; i < m->vertices; i++) {
    if (p[i].x[0] != p[first].x[0] || p[i].x[1] != p[first].x[1] || p[i].x[2] != p[first].x[2]) first = i;
    m->weld[p[i].index] = p[first].index;
  }
  free(p);
  return true;
}

static inline int corner_of(const sk_mesh *m, int triangle, int i)
{
  return m->weld[m->t[3 * (size_t)triangle + (size_t)i]];
}

/* Two of its corners are one: it bounds nothing. */
static bool collapsed(const sk_mesh *m, int k)
{
  int a = corner_of(m, k, 0), b = corner_of(m, k, 1), c = corner_of(m, k, 2);
  return a == b || b == c || c == a;
}

typedef struct side {
  int lo, hi, at; /* corners, 3 triangle + edge */
  bool up;        /* runs from lo to hi */
} side;

static int compare_sides(const void *pa, const void *pb)
{
  const side *a = pa, *b = pb;
  if (a->lo != b->lo) return a->lo < b->lo ? -1 : 1;
  if (a->hi != b->hi) return a->hi < b->hi ? -1 : 1;
  return (a->at > b->at) - (a->at < b->at);
}

/* Neighbours; sealed: every edge has exactly two triangles, which run along it in opposite senses. */
static bool find_neighbours(sk_mesh *m)
{
  side *s = sk_calloc(3 * (size_t)m->triangles, sizeof *s);
  if (!s) return false;
  size_t n = 0;
  for (int k = 0; k < m->triangles; k++)
    for (int i = 0; i < 3; i++) {
      int a = corner_of(m, k, i), b = corner_of(m, k, (i + 1) % 3);
      m->across[3 * (size_t)k + (size_t)i] = -1;
      if (!collapsed(m, k)) s[n++] = (side){SK_MIN(a, b), SK_MAX(a, b), 3 * k + i, a < b};
    }
  qsort(s, n, sizeof *s, compare_sides);
  m->sealed = n > 0;
  for (size_t i = 0, next; i < n; i = next) {
    for (next = i + 1; next < n && s[next].lo == s[i].lo && s[next].hi == s[i].hi;) next++;
    if (next - i == 2 && s[i].up != s[i + 1].up) {
      m->across[s[i].at] = s[i + 1].at / 3;
      m->across[s[i + 1].at] = s[i].at / 3;
    } else {
      m->sealed = false;
    }
  }
  free(s);
  return true;
}

/* ---- Normals ---- */

static sk_vec3 vertex(const sk_mesh *m, int triangle, int i)
{
  return sk_load3(m->v + 3 * (size_t)m->t[3 * (size_t)triangle + (size_t)i]);
}

/* Six times the volume that the triangles enclose, from their first corner for the digits. */
static double signed_volume6(const sk_mesh *m)
{
  sk_vec3 o = sk_load3(m->v);
  double sum = 0;
  for (int k = 0; k < m->triangles; k++) {
    sk_vec3 a = sk_sub(vertex(m, k, 0), o), b = sk_sub(vertex(m, k, 1), o), c = sk_sub(vertex(m, k, 2), o);
    sum += sk_dot(a, sk_cross(b, c));
  }
  return sum;
}

/* Closed: sealed around some volume, which two triangles back to back are not. */
static void measure(sk_mesh *m)
{
  sk_vec3 lo = sk_load3(m->v), hi = lo;
  for (int i = 0; i < m->vertices; i++) {
    sk_vec3 x = sk_load3(m->v + 3 * (size_t)i);
    lo = sk_vec(SK_MIN(lo.x, x.x), SK_MIN(lo.y, x.y), SK_MIN(lo.z, x.z));
    hi = sk_vec(SK_MAX(hi.x, x.x), SK_MAX(hi.y, x.y), SK_MAX(hi.z, x.z));
  }
  m->size = sk_norm(sk_sub(hi, lo));
  m->closed = m->sealed && fabs(signed_volume6(m)) > 1e-13 * m->size * m->size * m->size;
}

/* A triangle without area takes the normal of its neighbour across its longest edge, on which it lies. */
static void borrow_normals(sk_mesh *m)
{
  for (int pass = 0; pass < 4; pass++)
    for (int k = 0; k < m->triangles; k++) {
      if (sk_dot(m->face_normal[k], m->face_normal[k]) > 0) continue;
      int longest = 0;
      double most = -1;
      for (int i = 0; i < 3; i++) {
        double length = sk_norm(sk_sub(vertex(m, k, (i + 1) % 3), vertex(m, k, i)));
        if (length > most) most = length, longest = i;
      }
      int other = m->across[3 * (size_t)k + (size_t)longest];
      if (other >= 0) m->face_normal[k] = m->face_normal[other];
    }
}

static double angle_at(const sk_mesh *m, int k, int i)
{
  sk_vec3 p = vertex(m, k, i), e = sk_sub(vertex(m, k, (i + 1) % 3), p), f = sk_sub(vertex(m, k, (i + 2) % 3), p);
  return atan2(sk_norm(sk_cross(e, f)), sk_dot(e, f));
}

/* -1: a closed mesh that is inside out, which is turned. */
static int orientation(const sk_mesh *m)
{
  return m->closed && signed_volume6(m) < 0 ? -1 : 1;
}

static void find_normals(sk_mesh *m)
{
  double sign = orientation(m);
  for (int i = 0; i < m->vertices; i++) m->corner_normal[i] = sk_vec(0, 0, 0);
  for (int k = 0; k < m->triangles; k++) m->face_normal[k] = sk_vec(0, 0, 0);
  for (int s = 0; s < m->slots; s++)
    m->face_normal[m->slot[s]] = sk_mul(sign, sk_load3(m->packed + SK_PACKED * (size_t)s + 9));
  borrow_normals(m);
  for (int s = 0; s < m->slots; s++) {
    int k = m->slot[s];
    for (int i = 0; i < 3; i++) {
      int other = m->across[3 * (size_t)k + (size_t)i], c = corner_of(m, k, i);
      sk_vec3 n = m->face_normal[k];
      m->edge_normal[3 * (size_t)k + (size_t)i] = other >= 0 ? sk_add(n, m->face_normal[other]) : n;
      m->corner_normal[c] = sk_axpy(m->corner_normal[c], angle_at(m, k, i), n);
    }
  }
}

sk_vec3 sk_mesh_normal(const sk_mesh *m, int triangle, int part)
{
  if (part == SK_PART_FACE) return m->face_normal[triangle];
  if (part < SK_PART_CORNER) return m->edge_normal[3 * (size_t)triangle + (size_t)(part - SK_PART_EDGE)];
  return m->corner_normal[corner_of(m, triangle, part - SK_PART_CORNER)];
}

/* ---- Convex meshes ---- */

static bool flat_between(const sk_mesh *m, int k, int other)
{
  return sk_dot(m->face_normal[k], m->face_normal[other]) > 1 - 1e-10;
}

/* No neighbour stands above a face, and the surface is one ball (corners - edges + faces = 2). */
static bool is_convex(const sk_mesh *m)
{
  if (!m->closed || !m->says_convex) return false;
  int corners = 0;
  for (int i = 0; i < m->vertices; i++) corners += sk_dot(m->corner_normal[i], m->corner_normal[i]) > 0;
  if (corners - m->slots / 2 != 2) return false; /* edges = 3/2 faces */
  for (int s = 0; s < m->slots; s++) {
    int k = m->slot[s];
    for (int i = 0; i < 3; i++) {
      int other = m->across[3 * (size_t)k + (size_t)i];
      for (int j = 0; j < 3; j++) {
        double h = sk_dot(m->face_normal[k], sk_sub(vertex(m, other, j), vertex(m, k, 0)));
        if (!(h <= 1e-9 * m->size)) return false;
      }
    }
  }
  return true;
}

/* Number of the plane of triangle k in the polytope, a new one if need be; -1: full. */
static int plane_of(const sk_mesh *m, sk_polytope *p, int k)
{
  sk_face f = {m->face_normal[k], sk_dot(m->face_normal[k], vertex(m, k, 0))};
  for (int i = 0; i < p->faces; i++)
    if (sk_dot(p->face[i].n, f.n) > 1 - 1e-10 && fabs(p->face[i].d - f.d) <= 1e-9 * m->size) return i;
  if (p->faces == SK_PLANES) return -1;
  p->face[p->faces] = f;
  return p->faces++;
}

static int polytope_corner(const sk_mesh *m, sk_polytope *p, int vertex_index)
{
  sk_vec3 x = sk_load3(m->v + 3 * (size_t)vertex_index);
  for (int i = 0; i < p->corners; i++)
    if (p->corner[i].x == x.x && p->corner[i].y == x.y && p->corner[i].z == x.z) return i;
  if (p->corners == SK_CORNERS) return -1;
  p->corner[p->corners] = x;
  return p->corners++;
}

/* Planes, edges that are not flat, and corners of a convex mesh; false: too many, or not convex. */
static bool fill_polytope(const sk_mesh *m, sk_polytope *p)
{
  p->faces = p->edges = p->corners = 0;
  if (!m->convex) return false;
  for (int s = 0; s < m->slots; s++) {
    int k = m->slot[s], f = plane_of(m, p, k);
    for (int i = 0; i < 3; i++) {
      int other = m->across[3 * (size_t)k + (size_t)i];
      if (other < k || flat_between(m, k, other)) continue;
      int g = plane_of(m, p, other), a = polytope_corner(m, p, corner_of(m, k, i));
      int b = polytope_corner(m, p, corner_of(m, k, (i + 1) % 3));
      if (f < 0 || g < 0 || a < 0 || b < 0 || p->edges == SK_EDGES) return false;
      int *e = p->edge[p->edges++];
      e[0] = a, e[1] = b, e[2] = f, e[3] = g;
    }
  }
  return p->edges > 0;
}

/* ---- The grid: where the surface is far, its sign costs nothing ---- */

static sk_vec3 cell_middle(const sk_mesh *m, const int *cell)
{
  double x[3];
  for (int k = 0; k < 3; k++) x[k] = m->grid_lo[k] + (cell[k] + 0.5) / m->grid_side * (m->grid_hi[k] - m->grid_lo[k]);
  return sk_load3(x);
}

/* A few cells for each triangle. Where the system gives memory when it is written to, they cost nothing before. */
static bool make_grid(sk_mesh *m)
{
  int cells = SK_MAX(SK_GRID_COARSE, SK_MIN(SK_GRID_FINE, 2 * (int)cbrt(4.0 * m->slots)));
  m->grid = sk_calloc((size_t)cells * (size_t)cells * (size_t)cells, sizeof *m->grid), m->grid_side = cells;
  return m->grid;
}

/* Cells are filled when they are first asked for. */
static void clear_grid(sk_mesh *m)
{
  size_t cells = (size_t)m->grid_side;
  if (m->grid_sign != 0) memset(m->grid, 0, cells * cells * cells * sizeof *m->grid);
  memcpy(m->grid_lo, m->node->lo, sizeof m->grid_lo), memcpy(m->grid_hi, m->node->hi, sizeof m->grid_hi);
  m->grid_moved = 0, m->grid_sign = orientation(m);
}

/* The distance at the middle of a cell, as it is now or has been since the grid was cleared. Threads that come at once
 * find the same. */
static double distance_at(const sk_mesh *m, const int *cell, sk_vec3 middle)
{
  double *at = m->grid + cell[0] + (size_t)m->grid_side * ((size_t)cell[1] + (size_t)m->grid_side * (size_t)cell[2]), d;
  __atomic_load(at, &d, __ATOMIC_RELAXED);
  if (d != 0) return d;
  sk_near n = {.distance = 0};
  sk_mesh_point(m, middle, INFINITY, &n);
  d = n.distance != 0 ? n.distance : 1e-300;
  __atomic_store(at, &d, __ATOMIC_RELAXED);
  return d;
}

void sk_mesh_estimate(const sk_mesh *m, sk_vec3 x, double *least, double *most)
{
  double p[3];
  int cell[3], cells = m->grid_side;
  *least = -INFINITY, *most = INFINITY;
  if (!m->grid || !m->closed) return;
  sk_store3(p, x);
  for (int k = 0; k < 3; k++) {
    double at = cells * (p[k] - m->grid_lo[k]) / (m->grid_hi[k] - m->grid_lo[k]);
    cell[k] = at > 0 ? (at < cells ? (int)at : cells - 1) : 0;
  }
  sk_vec3 middle = cell_middle(m, cell);
  double off = sk_norm(sk_sub(x, middle)) + m->grid_moved + 1e-12 * m->size, d = distance_at(m, cell, middle);
  *least = d - off, *most = d + off;
}

/* All that depends on where the vertices are. A surface that has moved by d changes no distance by more: the grid may
 * wait until that is half of one of its cells; it is coarse from then on, as it will have to be filled again and again.
 */
static void refresh(sk_mesh *m)
{
  measure(m);
  find_normals(m);
  m->convex = is_convex(m);
  bool filled = m->grid_sign != 0, turned = m->grid_sign != orientation(m);
  if (m->grid && m->closed && (turned || m->grid_moved > 0.5 * m->size / m->grid_side)) {
    if (filled) m->grid_side = SK_GRID_COARSE;
    clear_grid(m);
  }
  if (m->polytope && !fill_polytope(m, m->polytope)) m->polytope->faces = 0;
}

/* ---- The door ---- */

static skein_status check_mesh(const double *v, int vertices, const int *t, int triangles)
{
  if (!v || vertices < 1) return sk_fail(SKEIN_BAD_INPUT, "mesh: no vertices");
  if (!t || triangles < 1) return sk_fail(SKEIN_BAD_INPUT, "mesh: no triangles");
  if (triangles > INT32_MAX / 8 || vertices > INT32_MAX / 8)
    return sk_fail(SKEIN_BAD_INPUT, "mesh: %d triangles, %d vertices, expected at most %d", triangles, vertices,
                   INT32_MAX / 8);
  for (size_t i = 0; i < 3 * (size_t)vertices; i++)
    if (!(fabs(v[i]) <= BIGGEST))
      return sk_fail(SKEIN_BAD_INPUT, "mesh: vertex %zu has coordinate %g, expected a finite number", i / 3, v[i]);
  for (size_t i = 0; i < 3 * (size_t)triangles; i++)
    if (t[i] < 0 || t[i] >= vertices)
      return sk_fail(SKEIN_BAD_INPUT, "mesh: triangle %zu has vertex %d, expected 0 to %d", i / 3, t[i], vertices - 1);
  return sk_ok();
}

/* Triangles that the tree holds: all, but of a closed mesh only those that bound it. */
static void fill_slots(sk_mesh *m)
{
  for (int k = 0; k < m->triangles; k++)
    if (!m->closed || !collapsed(m, k)) m->slot[m->slots++] = k;
  for (int s = m->slots - 1; s >= 0; s--)
    for (int i = 0; i < 3; i++) m->owner[corner_of(m, m->slot[s], i)] = m->slot[s];
}

skein_status sk_mesh_create(const double *v, int vertices, const int *t, int triangles, bool convex, sk_mesh **out)
{
  *out = NULL;
  skein_status status = check_mesh(v, vertices, t, triangles);
  if (status.code != SKEIN_OK) return status;
  sk_mesh *m = sk_calloc(1, sizeof *m);
  if (!m) return sk_no_memory();
  size_t nv = (size_t)vertices, nt = (size_t)triangles;
  m->vertices = vertices, m->triangles = triangles, m->says_convex = convex;
  m->v = SK_NEW_RAW(&m->arena, 3 * nv, double);
  m->t = SK_NEW_RAW(&m->arena, 3 * nt, int);
  m->weld = SK_NEW(&m->arena, nv, int);
  m->across = SK_NEW(&m->arena, 3 * nt, int);
  m->slot = SK_NEW(&m->arena, nt, int);
  m->owner = SK_NEW(&m->arena, nv, int);
  m->face_normal = SK_NEW(&m->arena, nt, sk_vec3);
  m->edge_normal = SK_NEW(&m->arena, 3 * nt, sk_vec3);
  m->corner_normal = SK_NEW(&m->arena, nv, sk_vec3);
  if (convex && triangles <= 2 * SK_PLANES) m->polytope = SK_NEW(&m->arena, 1, sk_polytope);
  if (!m->arena.failed) {
    memcpy(m->v, v, 3 * nv * sizeof *v);
    memcpy(m->t, t, 3 * nt * sizeof *t);
    if (weld_vertices(m) && find_neighbours(m)) {
      measure(m);
      fill_slots(m);
      bool has_grid = m->sealed && m->slots > 200;
      if ((!has_grid || make_grid(m)) && sk_tree_build(m)) {
        refresh(m);
        *out = m;
        return sk_ok();
      }
    }
  }
  sk_mesh_destroy(m);
  return sk_no_memory();
}

void sk_mesh_destroy(sk_mesh *m)
{
  if (!m) return;
  sk_arena_free(&m->arena);
  free(m->grid);
  free(m);
}

void sk_mesh_move(sk_mesh *m, const double *v)
{
  double most = 0;
  for (size_t i = 0; i < 3 * (size_t)m->vertices; i += 3) {
    sk_vec3 d = sk_sub(sk_load3(v + i), sk_load3(m->v + i));
    most = fmax(most, sk_dot(d, d));
  }
  m->grid_moved += sqrt(most);
  memcpy(m->v, v, 3 * (size_t)m->vertices * sizeof *v);
  sk_tree_refit(m);
  refresh(m);
}

bool sk_mesh_is_polytope(const sk_mesh *m)
{
  return m->polytope && m->polytope->faces > 0;
}

int sk_mesh_vertices(const sk_mesh *m)
{
  return m->vertices;
}

int sk_mesh_triangles(const sk_mesh *m)
{
  return m->triangles;
}

const double *sk_mesh_vertex_data(const sk_mesh *m)
{
  return m->v;
}

const int *sk_mesh_triangle_data(const sk_mesh *m)
{
  return m->t;
}

int sk_mesh_nearest(const sk_mesh *m, sk_vec3 x, sk_vec3 *y)
{
  int part;
  double distance;
  *y = x;
  return SK_MAX(0, sk_tree_nearest(m, x, INFINITY, y, &part, &distance));
}

/* The least squares of y - a = s (b - a) + t (c - a); a triangle without area gives all to its first corner. */
void sk_mesh_weights(const sk_mesh *m, int triangle, sk_vec3 y, double weight[3])
{
  sk_vec3 a = vertex(m, triangle, 0), e = sk_sub(vertex(m, triangle, 1), a), f = sk_sub(vertex(m, triangle, 2), a);
  sk_vec3 d = sk_sub(y, a);
  double ee = sk_dot(e, e), ef = sk_dot(e, f), ff = sk_dot(f, f), det = ee * ff - ef * ef;
  bool flat = !(det > 1e-20 * ee * ff);
  double s = flat ? 0 : (ff * sk_dot(e, d) - ef * sk_dot(f, d)) / det;
  double t = flat ? 0 : (ee * sk_dot(f, d) - ef * sk_dot(e, d)) / det;
  weight[0] = 1 - s - t, weight[1] = s, weight[2] = t;
}

sk_vec3 sk_mesh_place(const sk_mesh *m, int triangle, const double weight[3])
{
  sk_vec3 y = sk_mul(weight[0], vertex(m, triangle, 0));
  return sk_axpy(sk_axpy(y, weight[1], vertex(m, triangle, 1)), weight[2], vertex(m, triangle, 2));
}

bool sk_mesh_point(const sk_mesh *m, sk_vec3 x, double reach, sk_near *near)
{
  sk_vec3 y = x;
  int part = 0;
  double d = 0;
  int k = sk_tree_nearest(m, x, reach, &y, &part, &d);
  if (k < 0) return false;
  sk_vec3 pseudo = sk_mesh_normal(m, k, part), out = sk_sub(x, y);
  double sign = m->closed && sk_dot(out, pseudo) < 0 ? -1 : 1;
  *near =
      (sk_near){y, sk_unit_or(sk_mul(sign, out), 1e-12 * m->size, pseudo), sign * d, 0, sk_feature_at(k, SK_AT_START)};
  return true;
}
