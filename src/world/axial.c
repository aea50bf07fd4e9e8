/* A rod that is pushed along its own axis. A super-helix does not stretch: while it is straight, a force at s along its
 * axis moves nothing (J' n = 0), W is singular there and no impulse stops what comes. A real rod gives way like a
 * spring, ES/s over the length from its held root, with the mass rho S s/3 of a bar; and then it buckles, because no
 * force meets the axis exactly. So such a contact gets a dof of its own, the stretch e of that part:
 *
 *     (rho S s/3 + theta dt (nu + theta dt) ES/s) e' = t . r,    u += t e'
 *
 * and acts a hundredth of the radius beside the axis. Beside the compliance of bending, that of stretching vanishes as
 * soon as the rod is bent. */
#include "world/world.h"

#include <math.h>

static const double straight = 0.995, along = 0.95, beside = 0.01;

/* Whether the rod is held, all but straight up to s, and pushed along its axis there, at that point. */
static bool is_axial(const skein_world *w, int object, double s, sk_vec3 at, sk_vec3 normal)
{
  if (!sk_is_rod(w, object)) return false;
  const skein_rod *rod = w->strands[object].rod;
  if (rod->def.model != SKEIN_SUPER_HELIX || rod->def.root == SKEIN_FREE || !(s > 0)) return false;
  sk_vec3 chord = sk_sub(at, sk_load3(rod->x + SK_ROOT));
  return sk_norm(chord) > straight * s && fabs(sk_dot(chord, normal)) > along * sk_norm(chord);
}

int sk_world_number_axial(skein_world *w, int dofs)
{
  for (int k = 0; k < w->tried.count; k++) {
    sk_touch *t = w->tried.at + k;
    bool a = is_axial(w, t->a, t->sa, t->point_a, t->frame[0]);
    bool b = is_axial(w, t->b, t->sb, t->point_b, t->frame[0]);
    t->axial = a ? 1 : b ? 2 : 0;
    t->axial_dof = t->axial ? dofs++ : -1;
  }
  return dofs;
}

double sk_world_axial_mass(const skein_world *w, const sk_touch *t, double dt)
{
  const skein_rod *rod = w->strands[t->axial == 1 ? t->a : t->b].rod;
  double s = t->axial == 1 ? t->sa : t->sb, theta = w->scene->step.theta;
  return rod->section.rho_S * s / 3 + theta * dt * (rod->def.damping + theta * dt) * rod->section.ES / s;
}

sk_vec3 sk_world_axial_frame(const skein_world *w, const sk_touch *t, sk_vec3 *arm)
{
  int object = t->axial == 1 ? t->a : t->b;
  const skein_rod *rod = w->strands[object].rod;
  sk_vec3 r;
  sk_mat3 R;
  rod->ops->pose(rod, rod->x, t->axial == 1 ? t->sa : t->sb, &r, &R);
  *arm = sk_mul(beside * w->strands[object].radius, R.c[0]);
  return R.c[2];
}
