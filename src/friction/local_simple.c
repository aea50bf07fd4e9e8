/* Projection methods for one contact: `duriez06`, `duriez08` (Duriez et al. 2006, 2008) and `pyramid4`
 * (Otaduy et al. 2009). The first and the last are approximations of Coulomb's law, on purpose. */
#include "friction/local.h"

#include <math.h>

/* r_T clamped to the disc of radius mu r_N. */
static void clamp_disc(double mu, double *r)
{
  double norm = sqrt(r[1] * r[1] + r[2] * r[2]), radius = mu * r[0];
  if (norm <= radius) return;
  double k = norm > 0 ? radius / norm : 0;
  r[1] *= k, r[2] *= k;
}

/* W replaced by its diagonal, the two tangential entries by their mean. */
bool sk_one_duriez06(const sk_one *p, double tol, double *r)
{
  double wN = p->W[0], wT = 0.5 * (p->W[4] + p->W[8]);
  r[0] = p->b[0] < 0 && wN > 0 ? -p->b[0] / wN : 0;
  r[1] = wT > 0 ? -p->b[1] / wT : 0;
  r[2] = wT > 0 ? -p->b[2] / wT : 0;
  clamp_disc(p->mu, r);
  return sk_one_error(p, r) <= tol;
}

/* The same projection with the true residual, repeated: r_N <- max(0, r_N - u_N/w_N), u_T += w_T dr_N,
 * r_T <- r_T - u_T/w_t clamped. Exact if it converges. */
bool sk_one_duriez08(const sk_one *p, double tol, double *r)
{
  const double *W = p->W;
  double wN = W[0], wT = 0.5 * (W[4] + W[8]);
  if (!(wN > 0)) {
    r[0] = r[1] = r[2] = 0;
    return p->b[0] >= 0;
  }
  for (int it = 0; it < 100; it++) {
    double u[3];
    if (sk_one_error(p, r) <= tol) return true;
    sk_one_velocity(p, r, u);
    double rN = fmax(0, r[0] - u[0] / wN), change = rN - r[0];
    r[0] = rN;
    if (wT > 0) {
      r[1] -= (u[1] + W[3] * change) / wT;
      r[2] -= (u[2] + W[6] * change) / wT;
    }
    clamp_disc(p->mu, r);
  }
  return sk_one_error(p, r) <= tol;
}

/* Scalar projected Gauss-Seidel on (N, t1, t2), |r_ti| <= mu r_N. */
bool sk_one_pyramid4(const sk_one *p, double tol, double *r)
{
  const double *W = p->W;
  if (!(W[0] > 0)) {
    r[0] = r[1] = r[2] = 0;
    return p->b[0] >= 0;
  }
  for (int pass = 0; pass < 10; pass++) {
    r[0] = fmax(0, r[0] - (W[0] * r[0] + W[1] * r[1] + W[2] * r[2] + p->b[0]) / W[0]);
    double limit = p->mu * r[0];
    for (int t = 1; t < 3; t++) {
      double w = W[4 * t];
      if (!(w > 0)) {
        r[t] = 0;
        continue;
      }
      double next = r[t] - (W[3 * t] * r[0] + W[3 * t + 1] * r[1] + W[3 * t + 2] * r[2] + p->b[t]) / w;
      r[t] = fmin(limit, fmax(-limit, next));
    }
  }
  return sk_one_error(p, r) <= tol;
}
