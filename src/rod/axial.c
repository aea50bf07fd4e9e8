/* A rod that is pushed along its own axis. A curve of constant length does not stretch: while it is straight, a force
 * at s along its axis moves nothing (J' n = 0), W is singular there and no impulse stops what comes. A real rod gives
 * way like a spring, ES/s over the length from its held root, with the mass rho S s/3 of a bar; and then it buckles,
 * because no force meets the axis exactly. So such a contact gets a dof of its own, the stretch e of that part:
 *
 *     (rho S s/3 + theta dt (nu + theta dt) ES/s) e' = t . r,    u += t e'
 *
 * Beside the compliance of bending, that of stretching vanishes as soon as the rod is bent. */
#include "rod/rod.h"

#include <math.h>

static const double straight = 0.995, along = 0.95; /* chord over arc; cosine between chord and push */

bool sk_rod_is_axial(const sk_rod *rod, const double *x, double s, sk_vec3 at, sk_vec3 normal)
{
  if (!rod->ops->curved || rod->def.root == SKEIN_FREE || !(s > 0)) return false;
  sk_vec3 chord = sk_sub(at, sk_load3(x + SK_ROOT));
  return sk_norm(chord) > straight * s && fabs(sk_dot(chord, normal)) > along * sk_norm(chord);
}

double sk_rod_axial_mass(const sk_rod *rod, double s, double dt, double theta)
{
  return rod->section.rho_S * s / 3 + theta * dt * (rod->def.damping + theta * dt) * rod->section.ES / s;
}
