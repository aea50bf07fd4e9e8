/* What the two files of the super-helix share: numbering, curvatures in the state, motion of the root. */
#ifndef SK_SUPER_HELIX_H
#define SK_SUPER_HELIX_H

#include "rod/helix.h"
#include "rod/rod.h"

static inline int sk_helix_base_dofs(const sk_rod *rod)
{
  return rod->def.root == SKEIN_FREE ? 6 : rod->def.root == SKEIN_PINNED ? 3 : 0;
}

/* First dof of element Q; those near the tip with locked twist have two. */
static inline int sk_helix_first_dof(const sk_rod *rod, int Q)
{
  int from_tip = rod->def.elements - 1 - Q, locked = SK_MIN(from_tip, rod->def.twist_locked);
  return 3 * from_tip - locked;
}

static inline int sk_helix_dof_count(const sk_rod *rod, int Q)
{
  return rod->def.elements - 1 - Q < rod->def.twist_locked ? 2 : 3;
}

/* First dof of the root's angular velocity; its velocity stands before it when the root is free. */
static inline int sk_helix_spin_dof(const sk_rod *rod)
{
  return rod->n - 3;
}

static inline sk_vec3 sk_helix_u(const double *x, int Q)
{
  return sk_load3(x + SK_MODEL + 3 * Q);
}

static inline sk_vec3 sk_helix_du(const sk_rod *rod, const double *v, int Q)
{
  const double *p = v + sk_helix_first_dof(rod, Q);
  return sk_vec(p[0], p[1], sk_helix_dof_count(rod, Q) == 3 ? p[2] : 0);
}

/* Motion of the root: prescribed, or its dofs (whose own rates are the unknowns, zero here). */
static inline sk_motion sk_helix_root_motion(const sk_rod *rod, const double *v, const sk_rod_input *in)
{
  sk_motion m = in->root;
  if (rod->def.root == SKEIN_CLAMPED) return m;
  m.w = sk_load3(v + sk_helix_spin_dof(rod)), m.dw = sk_vec(0, 0, 0);
  if (rod->def.root == SKEIN_FREE) m.v = sk_load3(v + sk_helix_spin_dof(rod) - 3), m.a = sk_vec(0, 0, 0);
  return m;
}

/* The frame and the point at the end of a piece of length s. */
static inline void sk_helix_advance(sk_vec3 u, double s, sk_vec3 *r, sk_mat3 *R)
{
  sk_helix h = sk_helix_make(sk_dot(u, u), s);
  *r = sk_add(*r, sk_apply(*R, sk_helix_point(&h, u, s)));
  *R = sk_mat_mul(*R, sk_helix_frame(&h, u));
}

/* ---- super_helix_points.c: what is at an abscissa ---- */
void sk_helix_pose(const sk_rod *rod, const double *x, double s, sk_vec3 *r, sk_mat3 *R);
void sk_helix_jacobian(const sk_rod *rod, const double *x, double s, const sk_rod_input *in, double *J, double *Jw,
                       sk_vec3 *drift, sk_vec3 *spin_drift);
void sk_helix_support(const sk_rod *rod, double s, int *first, int *count);
sk_vec3 sk_helix_velocity(const sk_rod *rod, const double *x, const double *v, double s, const sk_rod_input *in);
void sk_helix_points(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, int pieces,
                     sk_vec3 *r, sk_vec3 *velocities);
/* With a view. */
void sk_helix_frames(const sk_rod *rod, const double *x, sk_rod_frame *out);
void sk_helix_elements(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in,
                       sk_rod_element *out);
void sk_helix_pose_in(const sk_rod *rod, const double *x, const sk_rod_frame *frames, double s, sk_vec3 *r, sk_mat3 *R);
void sk_helix_jacobian_in(const sk_rod *rod, const double *x, const sk_rod_element *elements, double s,
                          const sk_rod_input *in, double *J, sk_vec3 *drift);
sk_vec3 sk_helix_velocity_in(const sk_rod *rod, const double *x, const double *v, const sk_rod_element *elements,
                             double s);

#endif
