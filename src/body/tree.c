/* Bounding-volume tree of a mesh: boxes in double precision, split by the surface-area heuristic over bins (Wald 2007),
 * leaves of at most two triangles, children behind their parent so that refitting is one pass from the end. */
#include "body/inside.h"

#include <stdlib.h>

enum { LEAF = 2, BINS = 16, MEDIAN_BELOW = 40 };

typedef struct box {
  double lo[3], hi[3];
} box;

typedef struct build {
  sk_mesh *m;
  const box *bounds; /* of triangles */
} build;

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void grow(box *b, const double *lo, const double *hi)
{
  for (int k = 0; k < 3; k++) b->lo[k] = SK_MIN(b->lo[k], lo[k]), b->hi[k] = SK_MAX(b->hi[k], hi[k]);
}

static double half_area(const box *b)
{
  double x = b->hi[0] - b->lo[0], y = b->hi[1] - b->lo[1], z = b->hi[2] - b->lo[2];
  return x >= 0 ? x * y + y * z + z * x : 0;
}

static double middle(const build *w, int slot, int axis)
{
  const box *b = &w->bounds[w->m->slot[slot]];
  return 0.5 * b->lo[axis] + 0.5 * b->hi[axis];
}

/* The split of least cost between the bins, as a bin; -1: none helps. */
static int best_bin(const build *w, int first, int count, int axis, double lo, double scale)
{
  box bin[BINS];
  double right[BINS];
  int held[BINS] = {0}, best = -1;
  for (int k = 0; k < BINS; k++) bin[k] = nothing;
  for (int i = first; i < first + count; i++) {
    int k = SK_MIN((int)((middle(w, i, axis) - lo) * scale), BINS - 1);
    const box *b = &w->bounds[w->m->slot[i]];
    grow(&bin[k], b->lo, b->hi), held[k]++;
  }
  box all = nothing;
  for (int k = BINS - 1, n = 0; k > 0; k--) {
    grow(&all, bin[k].lo, bin[k].hi), n += held[k];
    right[k] = n > 0 ? n * half_area(&all) : -1;
  }
  all = nothing;
  double least = INFINITY;
  for (int k = 0, n = 0; k < BINS - 1; k++) {
    grow(&all, bin[k].lo, bin[k].hi), n += held[k];
    if (n == 0 || right[k + 1] < 0) continue;
    double cost = n * half_area(&all) + right[k + 1];
    if (cost < least) least = cost, best = k;
  }
  return best;
}

/* Puts the `half` slots with the smallest middles first (quickselect; equal ones split evenly). */
static void select_half(const build *w, int first, int count, int half, int axis)
{
  int *slot = w->m->slot, lo = first, hi = first + count - 1, want = first + half;
  while (lo < hi) {
    double pivot = middle(w, lo + (hi - lo) / 2, axis);
    int i = lo, j = hi;
    while (i <= j) {
      while (middle(w, i, axis) < pivot) i++;
      while (middle(w, j, axis) > pivot) j--;
      if (i <= j) {
        int swap = slot[i];
        slot[i++] = slot[j], slot[j--] = swap;
      }
    }
    if (want <= j) hi = j;
    else if (want >= i) lo = i;
    else return;
  }
}

/* Orders the slots so that the first child holds the first ones; how many. */
static int split(const build *w, int first, int count, int depth)
{
  box c = nothing;
  int *slot = w->m->slot, axis = 0;
  for (int i = first; i < first + count; i++) {
    double p[3] = {middle(w, i, 0), middle(w, i, 1), middle(w, i, 2)};
    grow(&c, p, p);
  }
  for (int k = 1; k < 3; k++)
    if (c.hi[k] - c.lo[k] > c.hi[axis] - c.lo[axis]) axis = k;
  double scale = BINS / (c.hi[axis] - c.lo[axis]);
  if (depth < MEDIAN_BELOW && isfinite(scale) && c.hi[axis] > c.lo[axis]) {
    int at = best_bin(w, first, count, axis, c.lo[axis], scale), n = first;
    for (int i = first; i < first + count && at >= 0; i++) {
      if (SK_MIN((int)((middle(w, i, axis) - c.lo[axis]) * scale), BINS - 1) > at) continue;
      int swap = slot[i];
      slot[i] = slot[n], slot[n++] = swap;
    }
    if (n > first && n < first + count) return n - first;
  }
  select_half(w, first, count, count / 2, axis);
  return count / 2;
}

static void build_node(build *w, int first, int count, int depth)
{
  int at = w->m->nodes++;
  sk_node *node = &w->m->node[at];
  node->first = first, node->count = count;
  if (count <= LEAF) return;
  int left = split(w, first, count, depth);
  build_node(w, first, left, depth + 1);
  node->first = w->m->nodes, node->count = 0;
  build_node(w, first + left, count - left, depth + 1);
}

void sk_tree_refit(sk_mesh *m)
{
  for (int s = 0; s < m->slots; s++) {
    double *c = m->packed + (size_t)SK_PACKED * (size_t)s;
    sk_vec3 p[3];
    for (int i = 0; i < 3; i++) p[i] = sk_load3(m->v + 3 * (size_t)m->t[3 * (size_t)m->slot[s] + (size_t)i]);
    for (int i = 0; i < 3; i++) sk_store3(c + 3 * i, p[i]);
    sk_vec3 e = sk_sub(p[1], p[0]), f = sk_sub(p[2], p[0]), g = sk_sub(p[2], p[1]), n = sk_cross(e, f);
    double longest = SK_MAX(sk_dot(e, e), SK_MAX(sk_dot(f, f), sk_dot(g, g))), area = sk_norm(n);
    sk_store3(c + 9, area > 1e-10 * longest && area > 1e-290 ? sk_mul(1 / area, n) : sk_vec(0, 0, 0));
  }
  for (int k = m->nodes - 1; k >= 0; k--) {
    sk_node *node = &m->node[k];
    box b = nothing;
    for (int s = node->first; s < node->first + node->count; s++)
      for (int i = 0; i < 3; i++) {
        const double *p = m->packed + (size_t)SK_PACKED * (size_t)s + 3 * i;
        grow(&b, p, p);
      }
    if (node->count == 0) {
      grow(&b, node[1].lo, node[1].hi);
      grow(&b, m->node[node->first].lo, m->node[node->first].hi);
    }
    for (int i = 0; i < 3; i++) node->lo[i] = b.lo[i], node->hi[i] = b.hi[i];
  }
}

bool sk_tree_build(sk_mesh *m)
{
  m->node = SK_NEW(&m->arena, 2 * (size_t)m->slots, sk_node);
  m->packed = SK_NEW(&m->arena, SK_PACKED * (size_t)m->slots, double);
  m->corner = SK_NEW(&m->arena, 3 * (size_t)m->slots, int);
  box *bounds = sk_calloc((size_t)m->triangles, sizeof *bounds);
  if (m->arena.failed || !bounds) {
    free(bounds);
    return false;
  }
  for (int k = 0; k < m->triangles; k++) {
    bounds[k] = nothing;
    for (int i = 0; i < 3; i++) {
      const double *p = m->v + 3 * (size_t)m->t[3 * (size_t)k + (size_t)i];
      grow(&bounds[k], p, p);
    }
  }
  m->nodes = 0;
  build_node(&(build){m, bounds}, 0, m->slots, 0);
  for (size_t i = 0; i < 3 * (size_t)m->slots; i++) m->corner[i] = m->weld[m->t[3 * (size_t)m->slot[i / 3] + i % 3]];
  sk_tree_refit(m);
  free(bounds);
  return true;
}

/* ---- Queries ---- */

/* Squared distance from x to the box; 0 inside. */
static inline double box_distance2(const sk_node *n, const double *x)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double d = SK_MAX(SK_MAX(n->lo[k] - x[k], x[k] - n->hi[k]), 0);
    sum += d * d;
  }
  return sum;
}

int sk_tree_nearest(const sk_mesh *m, sk_vec3 x, double reach, sk_vec3 *y, int *part, double *distance)
{
  struct {
    int node;
    double d2;
  } stack[SK_STACK];
  double p[3], d2 = reach * reach * (1 + 1e-15);
  int depth = 0, found = -1;
  sk_store3(p, x);
  stack[depth].node = 0, stack[depth++].d2 = box_distance2(m->node, p);
  while (depth > 0) {
    depth--;
    if (!(stack[depth].d2 < d2)) continue;
    const sk_node *n = &m->node[stack[depth].node];
    if (n->count > 0) {
      for (int s = n->first; s < n->first + n->count; s++)
        if (sk_nearest_on_triangle(x, m->packed + (size_t)SK_PACKED * (size_t)s, &d2, y, part)) found = s;
      continue;
    }
    int near = (int)(n - m->node) + 1, far = n->first;
    double dn = box_distance2(&m->node[near], p), df = box_distance2(&m->node[far], p);
    if (df < dn) {
      int swap = near;
      double swap2 = dn;
      near = far, far = swap, dn = df, df = swap2;
    }
    if (df < d2) stack[depth].node = far, stack[depth++].d2 = df;
    if (dn < d2) stack[depth].node = near, stack[depth++].d2 = dn;
  }
  if (found < 0) return -1;
  *distance = sqrt(d2);
  return m->slot[found];
}

sk_walk sk_walk_start(const sk_mesh *m)
{
  sk_walk w;
  w.mesh = m, w.stack[0] = 0, w.depth = 1;
  return w;
}

/* A node that passed its test: true and its slots for a leaf; else its children are next. */
static inline bool descend(sk_walk *w, int at, int *first, int *count)
{
  const sk_node *n = &w->mesh->node[at];
  if (n->count > 0) {
    *first = n->first, *count = n->count;
    return true;
  }
  w->stack[w->depth++] = n->first, w->stack[w->depth++] = at + 1;
  return false;
}

bool sk_walk_box(sk_walk *w, const double lo[3], const double hi[3], int *first, int *count)
{
  while (w->depth > 0) {
    int at = w->stack[--w->depth];
    const sk_node *n = &w->mesh->node[at];
    bool meets = true;
    for (int k = 0; k < 3; k++) meets = meets && n->lo[k] <= hi[k] && n->hi[k] >= lo[k];
    if (meets && descend(w, at, first, count)) return true;
  }
  return false;
}

/* The segment c +- h meets the box grown by reach: six separating axes (Ericson 2005, 5.3.3). */
static inline bool segment_meets(const sk_node *n, sk_vec3 c, sk_vec3 h, sk_vec3 size, double reach)
{
  double ex = 0.5 * (n->hi[0] - n->lo[0]) + reach, ey = 0.5 * (n->hi[1] - n->lo[1]) + reach;
  double ez = 0.5 * (n->hi[2] - n->lo[2]) + reach;
  double x = c.x - 0.5 * (n->lo[0] + n->hi[0]), y = c.y - 0.5 * (n->lo[1] + n->hi[1]);
  double z = c.z - 0.5 * (n->lo[2] + n->hi[2]);
  if (!(fabs(x) <= ex + size.x && fabs(y) <= ey + size.y && fabs(z) <= ez + size.z)) return false;
  double slack = 1e-14 * (ex + ey + ez) * (size.x + size.y + size.z);
  return fabs(y * h.z - z * h.y) <= ey * size.z + ez * size.y + slack &&
         fabs(z * h.x - x * h.z) <= ex * size.z + ez * size.x + slack &&
         fabs(x * h.y - y * h.x) <= ex * size.y + ey * size.x + slack;
}

bool sk_walk_segment(sk_walk *w, sk_vec3 c, sk_vec3 h, double reach, int *first, int *count)
{
  sk_vec3 size = {fabs(h.x), fabs(h.y), fabs(h.z)};
  while (w->depth > 0) {
    int at = w->stack[--w->depth];
    if (segment_meets(&w->mesh->node[at], c, h, size, reach) && descend(w, at, first, count)) return true;
  }
  return false;
}

bool sk_walk_plane(sk_walk *w, sk_vec3 n, double d, int *first, int *count)
{
  while (w->depth > 0) {
    int at = w->stack[--w->depth];
    const sk_node *b = &w->mesh->node[at];
    sk_vec3 low = {n.x > 0 ? b->lo[0] : b->hi[0], n.y > 0 ? b->lo[1] : b->hi[1], n.z > 0 ? b->lo[2] : b->hi[2]};
    if (sk_dot(n, low) <= d && descend(w, at, first, count)) return true;
  }
  return false;
}
