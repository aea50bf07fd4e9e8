/* One-contact Newton methods: `mfb` on the Fischer-Burmeister function (Daviet et al. 2011, appendix A.2), `pac` and
 * `dac`, pure and damped, on the Alart-Curnier function (Bertails-Descoubes et al. 2011, algorithms 1 and 2). */
#include "friction/local.h"

#include <math.h>
#include <string.h>

/* A = df/du W + df/dr */
static void chain(const double *dfdu, const double *dfdr, const double *W, double *A)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      A[3 * i + j] = dfdr[3 * i + j] + dfdu[3 * i] * W[j] + dfdu[3 * i + 1] * W[3 + j] + dfdu[3 * i + 2] * W[6 + j];
}

static double dot3(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double norm_inf(const double *f)
{
  return fmax(fabs(f[0]), fmax(fabs(f[1]), fabs(f[2])));
}

/* A' f */
static void gradient(const double *A, const double *f, double *g)
{
  for (int j = 0; j < 3; j++) g[j] = A[j] * f[0] + A[3 + j] * f[1] + A[6 + j] * f[2];
}

bool sk_one_mfb(const sk_one *p, double tol, double *r)
{
  const double sigma = 1e-3;
  double best[3] = {r[0], r[1], r[2]}, best_error = INFINITY;
  for (int it = 0; it < 40; it++) {
    double u[3], f[3], dfdr[9], dfdu[9], A[9], g[3], step[3], minus[3];
    sk_one_velocity(p, r, u);
    sk_fb_eval(r, u, p->mu, 1, f, dfdr, dfdu);
    double error = norm_inf(f);
    if (error < best_error) best_error = error, memcpy(best, r, sizeof best);
    if (!(error > tol)) break;
    chain(dfdu, dfdr, p->W, A);
    gradient(A, f, g);
    for (int i = 0; i < 3; i++) minus[i] = -f[i];
    bool descent = sk_solve3(A, minus, step) && dot3(step, g) <= -sigma * sqrt(dot3(step, step) * dot3(g, g));
    for (int i = 0; i < 3; i++) r[i] += descent ? step[i] : -g[i];
    if (!isfinite(dot3(r, r))) break;
  }
  memcpy(r, best, sizeof best);
  return best_error <= tol;
}

/* Goldstein-Price: q(alpha) = |f|^2/2 with m2 slope <= (q - q0)/alpha <= m1 slope; slope = f' A d. */
static double line_search(const sk_one *p, const sk_ac_def *ac, const double *r, const double *step, double q0,
                          double slope)
{
  double lo = 0, hi = INFINITY, alpha = 1;
  for (int it = 0; it < 20; it++) {
    double t[3], u[3], f[3], dfdr[9], dfdu[9];
    for (int i = 0; i < 3; i++) t[i] = r[i] + alpha * step[i];
    sk_one_velocity(p, t, u);
    sk_ac_eval(t, u, p->mu, ac, f, dfdr, dfdu);
    double change = 0.5 * dot3(f, f) - q0;
    if (change > 0.1 * slope * alpha) hi = alpha;
    else if (change < 0.9 * slope * alpha) lo = alpha;
    else break;
    alpha = isinf(hi) ? 2 * lo : 0.5 * (lo + hi);
    if (alpha > 16) return 16;
  }
  return alpha;
}

static bool newton_ac(const sk_one *p, double tol, double *r, bool damped)
{
  sk_ac_def ac = {p->ball, 1 / p->W[0], 2 / (p->W[4] + p->W[8])};
  if (!isfinite(ac.rho_N)) ac.rho_N = 1;
  if (!isfinite(ac.rho_T)) ac.rho_T = 1;
  double best[3] = {r[0], r[1], r[2]}, best_error = INFINITY;
  for (int it = 0; it < 60; it++) {
    double u[3], f[3], dfdr[9], dfdu[9], A[9], g[3], step[3], minus[3];
    double error = sk_one_error(p, r);
    if (error < best_error) best_error = error, memcpy(best, r, sizeof best);
    if (!(error > tol)) break;
    sk_one_velocity(p, r, u);
    sk_ac_eval(r, u, p->mu, &ac, f, dfdr, dfdu);
    chain(dfdu, dfdr, p->W, A);
    for (int i = 0; i < 3; i++) minus[i] = -f[i];
    if (!sk_solve3(A, minus, step)) { /* singular: steepest descent of |f|^2/2 */
      gradient(A, f, g);
      for (int i = 0; i < 3; i++) step[i] = -g[i];
    }
    double alpha = 1;
    if (damped) {
      gradient(A, f, g);
      alpha = line_search(p, &ac, r, step, 0.5 * dot3(f, f), dot3(g, step));
    }
    for (int i = 0; i < 3; i++) r[i] += alpha * step[i];
    if (!isfinite(dot3(r, r))) break;
  }
  memcpy(r, best, sizeof best);
  return best_error <= tol;
}

bool sk_one_pac(const sk_one *p, double tol, double *r)
{
  return newton_ac(p, tol, r, false);
}

bool sk_one_dac(const sk_one *p, double tol, double *r)
{
  return newton_ac(p, tol, r, true);
}
