/* What is at an abscissa of a super-helix: point, frame, Jacobians, velocity, and all points in a row. */
#include "rod/super_helix.h"

#include <math.h>
#include <string.h>

/* Element that contains s, and the place in it, 0 .. l. */
static int find(const skein_rod *rod, double s, double *place)
{
  int N = rod->def.elements;
  double t = fmin(fmax(s, 0), rod->def.length);
  int Q = SK_MIN((int)(t / rod->l), N - 1);
  *place = fmin(t - Q * rod->l, rod->l);
  return Q;
}

void sk_helix_pose(const skein_rod *rod, const double *x, double s, sk_vec3 *r, sk_mat3 *R)
{
  double place;
  int Q = find(rod, s, &place);
  *r = sk_load3(x + SK_ROOT), *R = sk_load33(x + SK_ROOT + 3);
  for (int P = 0; P < Q; P++) sk_helix_advance(sk_helix_u(x, P), rod->l, r, R);
  sk_helix_advance(sk_helix_u(x, Q), place, r, R);
}

void sk_helix_frames(const skein_rod *rod, const double *x, sk_rod_frame *out)
{
  sk_rod_frame at = {sk_load3(x + SK_ROOT), sk_load33(x + SK_ROOT + 3)};
  for (int P = 0; P < rod->def.elements; P++) {
    out[P] = at;
    sk_helix_advance(sk_helix_u(x, P), rod->l, &at.r, &at.R);
  }
}

void sk_helix_pose_in(const skein_rod *rod, const double *x, const sk_rod_frame *frames, double s, sk_vec3 *r,
                      sk_mat3 *R)
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

/* dr/du_Pk = e_Pk + w_Pk x (r - r_{P+1}), and the turn w_Pk; in the last element its own derivative. */
void sk_helix_jacobian(const skein_rod *rod, const double *x, double s, const sk_rod_input *in, double *J, double *Jw,
                       sk_vec3 *drift, sk_vec3 *spin_drift)
{
  double place;
  int Q = find(rod, s, &place), n = rod->n;
  sk_vec3 r = sk_load3(x + SK_ROOT), end, at;
  sk_mat3 R = sk_load33(x + SK_ROOT + 3), unused;
  sk_helix_pose(rod, x, s, &end, &unused);
  if (J) memset(J, 0, sizeof(double) * 3 * (size_t)n);
  if (Jw) memset(Jw, 0, sizeof(double) * 3 * (size_t)n);
  for (int P = 0; P <= Q; P++) {
    sk_vec3 u = sk_helix_u(x, P);
    double l = P < Q ? rod->l : place;
    sk_helix h = sk_helix_make(sk_dot(u, u), l);
    at = sk_add(r, sk_apply(R, sk_helix_point(&h, u, l)));
    for (int k = 0; k < sk_helix_dof_count(rod, P); k++) {
      sk_vec3 e = {k == 0, k == 1, k == 2}, w = sk_apply(R, sk_helix_turn(&h, u, l, e));
      sk_vec3 c = sk_apply(R, sk_helix_derivative(&h, u, e));
      store_column(J, n, sk_helix_first_dof(rod, P) + k, sk_add(c, sk_cross(w, sk_sub(end, at))));
      store_column(Jw, n, sk_helix_first_dof(rod, P) + k, w);
    }
    r = at, R = sk_mat_mul(R, sk_helix_frame(&h, u));
  }
  sk_vec3 arm = sk_sub(end, sk_load3(x + SK_ROOT));
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

void sk_helix_support(const skein_rod *rod, double s, int *first, int *count)
{
  double place;
  *first = sk_helix_first_dof(rod, find(rod, s, &place));
  *count = rod->n - *first;
}

sk_vec3 sk_helix_velocity(const skein_rod *rod, const double *x, const double *v, double s, const sk_rod_input *in)
{
  double place;
  int Q = find(rod, s, &place);
  sk_motion m = sk_helix_root_motion(rod, v, in);
  sk_mat3 R = sk_load33(x + SK_ROOT + 3);
  for (int P = 0; P <= Q; P++) {
    sk_vec3 u = sk_helix_u(x, P), du = sk_helix_du(rod, v, P);
    double l = P < Q ? rod->l : place;
    sk_helix h = sk_helix_make(sk_dot(u, u), l);
    m.v = sk_add(m.v, sk_cross(m.w, sk_apply(R, sk_helix_point(&h, u, l))));
    m.v = sk_add(m.v, sk_apply(R, sk_helix_derivative(&h, u, du)));
    m.w = sk_add(m.w, sk_apply(R, sk_helix_turn(&h, u, l, du)));
    R = sk_mat_mul(R, sk_helix_frame(&h, u));
  }
  return m.v;
}

void sk_helix_points(const skein_rod *rod, const double *x, const double *v, const sk_rod_input *in, int pieces,
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
