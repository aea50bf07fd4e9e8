/* A pose that goes with a triangle of a mesh that deforms: the root of a hair on a scalp. Its place keeps its weights
 * on the corners and its offset from the triangle; its axes turn with the rotation R of the polar decomposition F = R S
 * of the triangle's deformation, normal to normal and in the plane by the angle atan2(F21 - F12, F11 + F22): stretch
 * and shear do not turn it, whichever corner is the first. */
#include "body/inside.h"

/* First edge, across it in the plane, normal; false: no area. */
static bool find_frame(const sk_vec3 x[3], sk_mat3 *B)
{
  sk_vec3 e = sk_sub(x[1], x[0]), f = sk_sub(x[2], x[0]), n = sk_cross(e, f);
  double longest = fmax(sk_norm(e), sk_norm(f));
  if (!(sk_norm(n) > 1e-10 * longest * longest)) return false;
  B->c[0] = sk_unit(e), B->c[2] = sk_unit(n), B->c[1] = sk_cross(B->c[2], B->c[0]);
  return true;
}

static sk_vec3 mean(const double weight[3], const sk_vec3 x[3])
{
  return sk_axpy(sk_axpy(sk_mul(weight[0], x[0]), weight[1], x[1]), weight[2], x[2]);
}

sk_anchor sk_anchor_make(const sk_mesh *m, const sk_pose *pose)
{
  sk_anchor a = {.pose = *pose};
  sk_vec3 y;
  sk_mat3 B;
  int k = sk_mesh_nearest(m, pose->r, &y);
  for (int i = 0; i < 3; i++) {
    a.corner[i] = m->t[3 * (size_t)k + (size_t)i];
    a.base[i] = sk_load3(m->v + 3 * (size_t)a.corner[i]);
  }
  a.turns = find_frame(a.base, &B);
  sk_mesh_weights(m, k, y, a.weight);
  return a;
}

sk_pose sk_anchor_pose(const sk_anchor *a, const sk_vec3 x[3])
{
  sk_mat3 B0, B1, R = sk_identity3();
  if (a->turns && find_frame(a->base, &B0) && find_frame(x, &B1)) {
    sk_vec3 e0 = sk_sub(a->base[1], a->base[0]), f0 = sk_sub(a->base[2], a->base[0]);
    sk_vec3 e1 = sk_sub(x[1], x[0]), f1 = sk_sub(x[2], x[0]);
    double stretch = sk_norm(e1) / sk_norm(e0), height = sk_dot(f0, B0.c[1]); /* F21 = 0 in these bases */
    double F12 = (sk_dot(f1, B1.c[0]) - stretch * sk_dot(f0, B0.c[0])) / height, F22 = sk_dot(f1, B1.c[1]) / height;
    sk_mat3 turn = sk_rotation(sk_vec(0, 0, atan2(-F12, stretch + F22)));
    R = sk_mat_mul(sk_mat_mul(B1, turn), sk_transpose3(B0));
  }
  sk_vec3 offset = sk_sub(a->pose.r, mean(a->weight, a->base));
  return (sk_pose){sk_add(mean(a->weight, x), sk_apply(R, offset)),
                   sk_quat_unit(sk_quat_mul(sk_frame_quat(R), a->pose.q))};
}
