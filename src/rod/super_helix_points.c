/* What is at an abscissa of a super-helix: point, frame, Jacobians, velocity, and all points in a row. */
#include "rod/super_helix.h"

#include <math.h>
#include <string.h>

/* Element that contains s, and the place in it, 0 .. l. */
static int find(const sk_rod *rod, double s, double *place)
{
  int N = rod->def.elements;
  double t = fmin(fmax(s, 0), rod->def.length);
  int Q = SK_MIN((int)(t / rod->l), N - 1);
  *place = fmin(t - Q * rod->l, rod->l);
  return Q;
}

void sk_helix_pose(const sk_rod *rod, const double *x, double s, sk_vec3 *r, sk_mat3 *R)
{
  double place;
  int Q = find(rod, s, &place);
  *r = sk_load3(x + SK_ROOT), *R = sk_load33(x + SK_ROOT + 3);
  for (int P = 0; P < Q; P++) sk_helix_advance(sk_helix_u(x, P), rod->l, r, R);
  sk_helix_advance(sk_helix_u(x, Q), place, r, R);
}

void sk_helix_frames(const sk_rod *rod, const double *x, sk_rod_frame *out)
{
  sk_rod_frame at = {sk_load3(x + SK_ROOT), sk_load33(x + SK_ROOT + 3)};
  for (int P = 0; P < rod->def.elements; P++) {
    out[P] = at;
    sk_helix_advance(sk_helix_u(x, P), rod->l, &at.r, &at.R);
  }
}

void sk_helix_pose_in(const sk_rod *rod, const double *x, const sk_rod_frame *frames, double s, sk_vec3 *r, sk_mat3 *R)
{
  double place;
  int Q = find(rod, s, &place);
  *r = frames[Q].r, *R = frames[Q].R;
  sk_helix_advance(sk_helix_u(x, Q), place, r, R);
}

/* Column `col` of a 3 x n matrix by rows. */
static void store_column(double *J, int n, int col, sk_vec3 a)
{
  if (J) J[col] = a.x, J[n + col] = a.y, J[2 * n + col] = a.z;
}

/* The motion at the end of a piece of length l from that at its start, where its frame is R; returns that at its end.
 */
static sk_mat3 advance_motion(sk_vec3 u, sk_vec3 du, double l, sk_mat3 R, sk_motion *m)
{
  sk_helix h = sk_helix_make(sk_dot(u, u), l);
  m->v = sk_add(m->v, sk_cross(m->w, sk_apply(R, sk_helix_point(&h, u, l))));
  m->v = sk_add(m->v, sk_apply(R, sk_helix_derivative(&h, u, du)));
  m->w = sk_add(m->w, sk_apply(R, sk_helix_turn(&h, u, l, du)));
  return sk_mat_mul(R, sk_helix_frame(&h, u));
}

/* An element, or its first l: its end, and c and w of its dofs; e->start is there. Returns its frame at the end. */
static sk_mat3 fill_element(const sk_rod *rod, sk_vec3 u, int P, double l, sk_rod_element *e)
{
  const sk_mat3 R = e->start.R;
  sk_helix h = sk_helix_make(sk_dot(u, u), l);
  e->end = sk_add(e->start.r, sk_apply(R, sk_helix_point(&h, u, l)));
  for (int k = 0; k < sk_helix_dof_count(rod, P); k++) {
    sk_vec3 axis = {k == 0, k == 1, k == 2};
    e->w[k] = sk_apply(R, sk_helix_turn(&h, u, l, axis));
    e->c[k] = sk_apply(R, sk_helix_derivative(&h, u, axis));
  }
  return sk_mat_mul(R, sk_helix_frame(&h, u));
}

/* dr/du_Pk = c_Pk + w_Pk x (r - r_{P+1}), and the turn w_Pk; in the last element its own derivative. */
static void store_element(const sk_rod *rod, int P, const sk_rod_element *e, sk_vec3 r, double *J, double *Jw)
{
  for (int k = 0; k < sk_helix_dof_count(rod, P); k++) {
    int col = sk_helix_first_dof(rod, P) + k;
    store_column(J, rod->n, col, sk_add(e->c[k], sk_cross(e->w[k], sk_sub(r, e->end))));
    store_column(Jw, rod->n, col, e->w[k]);
  }
}

/* What the root adds to the Jacobians of a place at r, and to its motion. */
static void store_root(const sk_rod *rod, const double *x, const sk_rod_input *in, sk_vec3 r, double *J, double *Jw,
                       sk_vec3 *drift, sk_vec3 *spin_drift)
{
  int n = rod->n;
  sk_vec3 arm = sk_sub(r, sk_load3(x + SK_ROOT));
  for (int k = 0; k < 3; k++) {
    sk_vec3 e = {k == 0, k == 1, k == 2};
    if (rod->def.root == SKEIN_FREE) store_column(J, n, n - 6 + k, e);
    if (rod->def.root != SKEIN_CLAMPED)
      store_column(J, n, n - 3 + k, sk_cross(e, arm)), store_column(Jw, n, n - 3 + k, e);
  }
  sk_vec3 zero = {0, 0, 0}, w = rod->def.root == SKEIN_CLAMPED ? in->root.w : zero;
  if (drift) *drift = sk_add(rod->def.root == SKEIN_FREE ? zero : in->root.v, sk_cross(w, arm));
  if (spin_drift) *spin_drift = w;
}

void sk_helix_jacobian(const sk_rod *rod, const double *x, double s, const sk_rod_input *in, double *J, double *Jw,
                       sk_vec3 *drift, sk_vec3 *spin_drift)
{
  double place;
  int Q = find(rod, s, &place), n = rod->n;
  sk_rod_element e = {.start = {sk_load3(x + SK_ROOT), sk_load33(x + SK_ROOT + 3)}};
  sk_vec3 r;
  sk_mat3 unused;
  sk_helix_pose(rod, x, s, &r, &unused);
  if (J) memset(J, 0, sizeof(double) * 3 * (size_t)n);
  if (Jw) memset(Jw, 0, sizeof(double) * 3 * (size_t)n);
  for (int P = 0; P <= Q; P++) {
    sk_mat3 R = fill_element(rod, sk_helix_u(x, P), P, P < Q ? rod->l : place, &e);
    store_element(rod, P, &e, r, J, Jw);
    e.start = (sk_rod_frame){e.end, R};
  }
  store_root(rod, x, in, r, J, Jw, drift, spin_drift);
}

void sk_helix_elements(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_element *out)
{
  sk_rod_frame at = {sk_load3(x + SK_ROOT), sk_load33(x + SK_ROOT + 3)};
  sk_motion m = sk_helix_root_motion(rod, v, in);
  for (int P = 0; P < rod->def.elements; P++) {
    sk_vec3 u = sk_helix_u(x, P);
    out[P] = (sk_rod_element){.start = at, .v = m.v, .spin = m.w};
    sk_mat3 R = fill_element(rod, u, P, rod->l, out + P);
    advance_motion(u, sk_helix_du(rod, v, P), rod->l, at.R, &m);
    at = (sk_rod_frame){out[P].end, R};
  }
}

void sk_helix_jacobian_in(const sk_rod *rod, const double *x, const sk_rod_element *elements, double s,
                          const sk_rod_input *in, double *J, sk_vec3 *drift)
{
  double place;
  int Q = find(rod, s, &place);
  sk_rod_element last = {.start = elements[Q].start};
  fill_element(rod, sk_helix_u(x, Q), Q, place, &last);
  memset(J, 0, sizeof(double) * 3 * (size_t)rod->n);
  for (int P = 0; P < Q; P++) store_element(rod, P, elements + P, last.end, J, NULL);
  store_element(rod, Q, &last, last.end, J, NULL);
  store_root(rod, x, in, last.end, J, NULL, drift, NULL);
}

void sk_helix_support(const sk_rod *rod, double s, int *first, int *count)
{
  double place;
  *first = sk_helix_first_dof(rod, find(rod, s, &place));
  *count = rod->n - *first;
}

sk_vec3 sk_helix_velocity(const sk_rod *rod, const double *x, const double *v, double s, const sk_rod_input *in)
{
  double place;
  int Q = find(rod, s, &place);
  sk_motion m = sk_helix_root_motion(rod, v, in);
  sk_mat3 R = sk_load33(x + SK_ROOT + 3);
  for (int P = 0; P <= Q; P++)
    R = advance_motion(sk_helix_u(x, P), sk_helix_du(rod, v, P), P < Q ? rod->l : place, R, &m);
  return m.v;
}

sk_vec3 sk_helix_velocity_in(const sk_rod *rod, const double *x, const double *v, const sk_rod_element *elements,
                             double s)
{
  double place;
  int Q = find(rod, s, &place);
  sk_motion m = {.v = elements[Q].v, .w = elements[Q].spin};
  advance_motion(sk_helix_u(x, Q), sk_helix_du(rod, v, Q), place, elements[Q].start.R, &m);
  return m.v;
}

void sk_helix_points(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, int pieces,
                     sk_vec3 *r, sk_vec3 *velocities)
{
  sk_vec3 at = sk_load3(x + SK_ROOT);
  sk_mat3 R = sk_load33(x + SK_ROOT + 3);
  sk_motion m = velocities ? sk_helix_root_motion(rod, v, in) : (sk_motion){0};
  r[0] = at;
  if (velocities) velocities[0] = m.v;
  for (int Q = 0, k = 1; Q < rod->def.elements; Q++) {
    sk_vec3 u = sk_helix_u(x, Q), du = velocities ? sk_helix_du(rod, v, Q) : sk_vec(0, 0, 0);
    for (int p = 1; p <= pieces; p++, k++) {
      double s = rod->l * p / pieces;
      sk_helix h = sk_helix_make(sk_dot(u, u), s);
      sk_vec3 d = sk_apply(R, sk_helix_point(&h, u, s));
      r[k] = sk_add(at, d);
      if (velocities) {
        sk_vec3 dp = sk_apply(R, sk_helix_derivative(&h, u, du));
        velocities[k] = sk_add(m.v, sk_add(sk_cross(m.w, d), dp));
      }
      if (p < pieces) continue;
      at = r[k];
      if (velocities) m.v = velocities[k], m.w = sk_add(m.w, sk_apply(R, sk_helix_turn(&h, u, s, du)));
      R = sk_mat_mul(R, sk_helix_frame(&h, u));
    }
  }
}
