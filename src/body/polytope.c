/* Two convex polytopes. Separating axes (face normals; crossed edges that meet on the Gauss map, Gregorius 2013) give
 * the least overlap or a bound of the distance; where that bound is the distance, the contacts are the corners of the
 * two faces' common part: corners of one over the other, and crossings of their edges. Elsewhere (corner or edge
 * against corner or edge) the contacts are the nearest features. */
#include "body/inside.h"

enum { FACE_B, FACE_A, CROSSED }; /* what an axis comes from */

typedef struct axis {
  double s; /* separation */
  int kind, i, j;
  sk_vec3 n; /* out of B */
} axis;

typedef struct duel {
  const sk_polytope *A, *B;
  double reach, tol; /* tol: heights that are the same */
  sk_bag *bag;
} duel;

void sk_polytope_box(sk_vec3 h, sk_polytope *p)
{
  static const int edge[12][4] = {{0, 1, 3, 5}, {2, 3, 2, 5}, {4, 5, 3, 4}, {6, 7, 2, 4}, {0, 2, 1, 5}, {1, 3, 0, 5},
                                  {4, 6, 1, 4}, {5, 7, 0, 4}, {0, 4, 1, 3}, {1, 5, 0, 3}, {2, 6, 1, 2}, {3, 7, 0, 2}};
  p->faces = 6, p->edges = 12, p->corners = 8;
  for (int k = 0; k < 8; k++) p->corner[k] = sk_vec(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
  for (int k = 0; k < 6; k++) { /* +x -x +y -y +z -z */
    double s = k & 1 ? -1 : 1;
    p->face[k].n = sk_vec(k / 2 == 0 ? s : 0, k / 2 == 1 ? s : 0, k / 2 == 2 ? s : 0);
    p->face[k].d = k / 2 == 0 ? h.x : k / 2 == 1 ? h.y : h.z;
  }
  for (int k = 0; k < 12; k++)
    for (int i = 0; i < 4; i++) p->edge[k][i] = edge[k][i];
}

void sk_polytope_move(const sk_polytope *p, const sk_pose *pose, sk_polytope *out)
{
  sk_mat3 R = sk_quat_frame(pose->q);
  out->faces = p->faces, out->edges = p->edges, out->corners = p->corners;
  for (int k = 0; k < p->faces; k++) {
    out->face[k].n = sk_apply(R, p->face[k].n);
    out->face[k].d = p->face[k].d + sk_dot(out->face[k].n, pose->r);
  }
  for (int k = 0; k < p->edges; k++)
    for (int i = 0; i < 4; i++) out->edge[k][i] = p->edge[k][i];
  for (int k = 0; k < p->corners; k++) out->corner[k] = sk_add(pose->r, sk_apply(R, p->corner[k]));
}

/* ---- Separating axes ---- */

static double height(const sk_face *f, sk_vec3 x)
{
  return sk_dot(f->n, x) - f->d;
}

/* The face of P with the largest distance below the other's lowest corner. */
static axis best_face(const sk_polytope *P, const sk_polytope *other, int kind)
{
  axis best = {-INFINITY, kind, 0, 0, {0, 0, 1}};
  for (int f = 0; f < P->faces; f++) {
    double low = INFINITY;
    for (int k = 0; k < other->corners; k++) low = SK_MIN(low, height(&P->face[f], other->corner[k]));
    if (low > best.s) best.s = low, best.i = f, best.n = P->face[f].n;
  }
  if (kind == FACE_A) best.n = sk_mul(-1, best.n);
  return best;
}

static sk_vec3 edge_start(const sk_polytope *p, int e)
{
  return p->corner[p->edge[e][0]];
}

static sk_vec3 edge_vector(const sk_polytope *p, int e)
{
  return sk_sub(p->corner[p->edge[e][1]], p->corner[p->edge[e][0]]);
}

/* The arcs of the two edges' normals cross on the sphere: a face of the Minkowski difference. */
static bool arcs_cross(const sk_polytope *A, const int *e, const sk_polytope *B, const int *f)
{
  sk_vec3 a = A->face[e[2]].n, b = A->face[e[3]].n, c = sk_mul(-1, B->face[f[2]].n), d = sk_mul(-1, B->face[f[3]].n);
  sk_vec3 ba = sk_cross(b, a), dc = sk_cross(d, c);
  double cba = sk_dot(c, ba), dba = sk_dot(d, ba), adc = sk_dot(a, dc), bdc = sk_dot(b, dc);
  return cba * dba < 0 && adc * bdc < 0 && cba * bdc > 0;
}

/* Of pairs with the same separation (an edge in pieces), the one whose segments meet. */
static axis best_crossing(const sk_polytope *A, const sk_polytope *B, double tol)
{
  double nearest = INFINITY, at, bt;
  axis best = {-INFINITY, CROSSED, 0, 0, {0, 0, 1}};
  for (int i = 0; i < A->edges; i++)
    for (int j = 0; j < B->edges; j++) {
      if (!arcs_cross(A, A->edge[i], B, B->edge[j])) continue;
      sk_vec3 u = edge_vector(A, i), v = edge_vector(B, j), n = sk_cross(u, v);
      double size = sk_norm(n);
      if (!(size > 1e-6 * sk_norm(u) * sk_norm(v))) continue;
      n = sk_mul(1 / size, n);
      if (sk_dot(n, sk_add(B->face[B->edge[j][2]].n, B->face[B->edge[j][3]].n)) < 0) n = sk_mul(-1, n);
      double s = sk_dot(n, sk_sub(edge_start(A, i), edge_start(B, j)));
      if (s < best.s - tol) continue;
      double d2 = sk_nearest_segments(edge_start(A, i), u, edge_start(B, j), v, &at, &bt);
      if (s > best.s + tol || d2 < nearest) nearest = d2, best = (axis){s, CROSSED, i, j, n};
    }
  return best;
}

/* ---- Faces on faces ---- */

/* x (on the plane of face f) belongs to the face. */
static bool on_face(const sk_polytope *P, int f, sk_vec3 x, double tol)
{
  for (int k = 0; k < P->faces; k++)
    if (k != f && height(&P->face[k], x) > tol) return false;
  return true;
}

/* The face belongs to the side of a polytope that looks against n. */
static bool looks_down(const sk_polytope *P, int f, sk_vec3 n)
{
  return sk_dot(P->face[f].n, n) < -1e-6;
}

static bool corner_looks_down(const sk_polytope *P, int corner, sk_vec3 n)
{
  for (int e = 0; e < P->edges; e++)
    if (P->edge[e][0] == corner || P->edge[e][1] == corner)
      if (looks_down(P, P->edge[e][2], n) || looks_down(P, P->edge[e][3], n)) return true;
  return false;
}

/* Adds the contact of point y on the reference face and x = y + h n on the other; flip: the reference is A. */
static void add_on(duel *w, bool flip, sk_vec3 y, sk_vec3 n, double h, sk_feature feature)
{
  if (flip) sk_bag_add(w->bag, sk_axpy(y, h, n), sk_mul(-1, n), h, feature);
  else sk_bag_add(w->bag, y, n, h, feature);
}

/* How far above w, along n, P begins; false: the line misses it. */
static bool enters(const sk_polytope *P, sk_vec3 w, sk_vec3 n, double tol, double *h)
{
  double lo = -INFINITY, hi = INFINITY;
  for (int f = 0; f < P->faces; f++) {
    double rate = sk_dot(P->face[f].n, n), gap = height(&P->face[f], w);
    if (fabs(rate) < 1e-9) {
      if (gap > tol) return false;
    } else if (rate < 0) {
      lo = SK_MAX(lo, -gap / rate);
    } else {
      hi = SK_MIN(hi, -gap / rate);
    }
  }
  *h = lo;
  return lo <= hi + tol;
}

/* Contacts between face f of the reference P and what of Q is above it. */
static void add_face(duel *w, const sk_polytope *P, int f, const sk_polytope *Q, bool flip)
{
  sk_vec3 n = P->face[f].n;
  double h;
  for (int k = 0; k < Q->corners; k++) {
    h = height(&P->face[f], Q->corner[k]);
    sk_vec3 y = sk_axpy(Q->corner[k], -h, n);
    if (h <= w->reach && on_face(P, f, y, w->tol) && corner_looks_down(Q, k, n))
      add_on(w, flip, y, n, h, sk_feature_of_two(flip, k, -1));
  }
  for (int e = 0; e < P->edges; e++) {
    if (P->edge[e][2] != f && P->edge[e][3] != f) continue;
    for (int i = 0; i < 2; i++) {
      sk_vec3 y = P->corner[P->edge[e][i]];
      if (enters(Q, y, n, w->tol, &h)) add_on(w, flip, y, n, h, sk_feature_of_two(flip, -1, P->edge[e][i]));
    }
    sk_vec3 q = edge_start(P, e), v = edge_vector(P, e);
    for (int k = 0; k < Q->edges; k++) {
      if (!looks_down(Q, Q->edge[k][2], n) && !looks_down(Q, Q->edge[k][3], n)) continue;
      sk_vec3 p = edge_start(Q, k), u = edge_vector(Q, k), r = sk_sub(q, p);
      double det = sk_dot(n, sk_cross(u, v));
      if (!(fabs(det) > 1e-9 * sk_norm(u) * sk_norm(v))) continue;
      double s = sk_dot(n, sk_cross(r, v)) / det, t = sk_dot(n, sk_cross(r, u)) / det;
      if (!(s > 0 && s < 1 && t > 0 && t < 1)) continue;
      sk_vec3 y = sk_axpy(q, t, v);
      add_on(w, flip, y, n, sk_dot(n, sk_sub(sk_axpy(p, s, u), y)), sk_feature_of_two(2 + flip, k, e));
    }
  }
}

/* ---- Nearest features of polytopes that are apart ---- */

/* Corners of Q over faces of P: the least distance, and all within `add` as contacts. */
static double corner_distance(duel *w, const sk_polytope *P, const sk_polytope *Q, bool flip, double add)
{
  double least = INFINITY;
  for (int k = 0; k < Q->corners; k++)
    for (int f = 0; f < P->faces; f++) {
      double h = height(&P->face[f], Q->corner[k]);
      if (!(h > 0 && (h < least || h <= add))) continue;
      sk_vec3 y = sk_axpy(Q->corner[k], -h, P->face[f].n);
      if (!on_face(P, f, y, 0)) continue;
      least = SK_MIN(least, h);
      if (h <= add) add_on(w, flip, y, P->face[f].n, h, sk_feature_of_two(flip, k, -1));
    }
  return least;
}

static double edge_distance(duel *w, double add)
{
  double least = INFINITY, s, t;
  for (int i = 0; i < w->A->edges; i++)
    for (int j = 0; j < w->B->edges; j++) {
      sk_vec3 p = edge_start(w->A, i), u = edge_vector(w->A, i), q = edge_start(w->B, j), v = edge_vector(w->B, j);
      double d = sqrt(sk_nearest_segments(p, u, q, v, &s, &t));
      least = SK_MIN(least, d);
      if (!(d <= add && d > 0)) continue;
      sk_vec3 y = sk_axpy(q, t, v), x = sk_axpy(p, s, u);
      sk_bag_add(w->bag, y, sk_mul(1 / d, sk_sub(x, y)), d, sk_feature_of_two(4, i, j));
    }
  return least;
}

/* Corners of Q that are lowest over face f of P, on it or not. */
static void add_lowest(duel *w, const sk_polytope *P, int f, const sk_polytope *Q, bool flip, double s)
{
  for (int k = 0; k < Q->corners; k++) {
    double h = height(&P->face[f], Q->corner[k]);
    if (h <= s + w->tol)
      add_on(w, flip, sk_axpy(Q->corner[k], -h, P->face[f].n), P->face[f].n, h, sk_feature_of_two(flip, k, -1));
  }
}

static void add_axis(duel *w, const axis *x)
{
  double s, t;
  if (x->kind == FACE_B) add_face(w, w->B, x->i, w->A, false);
  if (x->kind == FACE_A) add_face(w, w->A, x->i, w->B, true);
  if (x->kind != CROSSED) return;
  sk_vec3 p = edge_start(w->A, x->i), u = edge_vector(w->A, x->i), q = edge_start(w->B, x->j);
  sk_vec3 v = edge_vector(w->B, x->j);
  sk_nearest_segments(p, u, q, v, &s, &t);
  sk_bag_add(w->bag, sk_axpy(q, t, v), x->n, x->s, sk_feature_of_two(4, x->i, x->j));
}

static double nearest_in(const sk_bag *bag)
{
  double least = INFINITY;
  for (int k = 0; k < bag->count; k++) least = SK_MIN(least, bag->near[k].distance);
  return least;
}

void sk_polytope_pair(const sk_polytope *A, const sk_polytope *B, double reach, sk_bag *bag)
{
  double size = sk_norm(sk_sub(A->corner[0], A->corner[A->corners - 1])) +
                sk_norm(sk_sub(B->corner[0], B->corner[B->corners - 1]));
  duel w = {A, B, reach, 1e-9 * size, bag};
  double bias = 1e-3 * SK_MIN(fabs(reach), size) + w.tol;
  axis best = best_face(B, A, FACE_B), other = best_face(A, B, FACE_A);
  if (best.s > reach || other.s > reach) return;
  if (other.s > best.s + bias) best = other;
  other = best_crossing(A, B, w.tol);
  if (other.s > best.s + bias) best = other;
  if (best.s > reach) return;
  double d = best.s;
  if (best.s > w.tol) {
    d = SK_MIN(edge_distance(&w, -1), corner_distance(&w, B, A, false, -1));
    d = SK_MIN(d, corner_distance(&w, A, B, true, -1));
    if (d > reach) return;
  }
  bool edges = best.kind == CROSSED && best.s > w.tol; /* apart: their nearest points tell the direction better */
  if (d <= best.s + bias && !edges) add_axis(&w, &best);
  if (nearest_in(bag) <= d + bias) return;
  if (best.s > w.tol) { /* corners and edges that no face explains */
    edge_distance(&w, SK_MIN(reach, d + 50 * bias));
    corner_distance(&w, B, A, false, reach);
    corner_distance(&w, A, B, true, reach);
  } else if (best.kind == FACE_B) {
    add_lowest(&w, B, best.i, A, false, best.s);
  } else if (best.kind == FACE_A) {
    add_lowest(&w, A, best.i, B, true, best.s);
  }
}
