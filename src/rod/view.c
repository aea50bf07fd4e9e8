/* What is at an abscissa of a rod of any model, with a view of its state where the model has one. */
#include "rod/rod.h"

void sk_rod_frames(const sk_rod *rod, const double *x, sk_rod_frame *out)
{
  if (rod->ops->frames) rod->ops->frames(rod, x, out);
}

void sk_rod_elements(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_element *out)
{
  if (rod->ops->elements) rod->ops->elements(rod, x, v, in, out);
}

void sk_rod_pose_in(const sk_rod *rod, const double *x, const sk_rod_frame *frames, double s, sk_vec3 *r, sk_mat3 *R)
{
  if (rod->ops->pose_in) rod->ops->pose_in(rod, x, frames, s, r, R);
  else rod->ops->pose(rod, x, s, r, R);
}

void sk_rod_jacobian_in(const sk_rod *rod, const double *x, const sk_rod_element *elements, double s,
                        const sk_rod_input *in, double *J, sk_vec3 *drift)
{
  if (rod->ops->jacobian_in) rod->ops->jacobian_in(rod, x, elements, s, in, J, drift);
  else rod->ops->jacobian(rod, x, s, in, J, NULL, drift, NULL);
}

sk_vec3 sk_rod_velocity_in(const sk_rod *rod, const double *x, const double *v, const sk_rod_element *elements,
                           double s, const sk_rod_input *in)
{
  if (rod->ops->velocity_in) return rod->ops->velocity_in(rod, x, v, elements, s);
  return rod->ops->velocity(rod, x, v, s, in);
}
