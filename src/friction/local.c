/* The table of one-contact solvers and what they share: units, degenerate inputs, the fail-safe. */
#include "friction/local.h"

#include <math.h>
#include <string.h>

const sk_local_row sk_local_table[SKEIN_LOCAL_COUNT] = {
    [SKEIN_SECULAR] = {sk_one_secular, true},   [SKEIN_MFB] = {sk_one_mfb, true},
    [SKEIN_PAC] = {sk_one_pac, true},           [SKEIN_DAC] = {sk_one_dac, true},
    [SKEIN_ENUM] = {sk_one_enum, true},         [SKEIN_DURIEZ06] = {sk_one_duriez06, false},
    [SKEIN_DURIEZ08] = {sk_one_duriez08, true}, [SKEIN_PYRAMID4] = {sk_one_pyramid4, false},
};

sk_one sk_one_make(int d, const double *W, const double *b, double mu)
{
  if (d == 3) {
    sk_one p = {.b = {b[0], b[1], b[2]}, .mu = mu};
    memcpy(p.W, W, sizeof p.W);
    return p;
  }
  double w = W[3] > 0 ? W[3] : 1;
  return (sk_one){.W = {W[0], W[1], 0, W[2], W[3], 0, 0, 0, w}, .b = {b[0], b[1], 0}, .mu = mu};
}

void sk_one_velocity(const sk_one *p, const double *r, double *u)
{
  for (int i = 0; i < 3; i++) u[i] = p->b[i] + p->W[3 * i] * r[0] + p->W[3 * i + 1] * r[1] + p->W[3 * i + 2] * r[2];
}

double sk_one_error(const sk_one *p, const double *r)
{
  double u[3];
  sk_one_velocity(p, r, u);
  return sk_contact_error(3, r, u, p->mu, (sk_scale){1, 1});
}

static double norm1(const double *r)
{
  return fabs(r[0]) + fabs(r[1]) + fabs(r[2]);
}

double sk_one_score(const sk_one *p, const double *r)
{
  return fmax(1e-13, sk_one_error(p, r) - fmin(1e-6, 2e-15 * norm1(r)));
}

void sk_one_keep(const sk_one *p, const double *t, double *score, double *r)
{
  if (!isfinite(norm1(t)) || t[0] < 0) return;
  double s = sk_one_score(p, t);
  if (s > *score || (s == *score && norm1(t) >= norm1(r))) return;
  *score = s;
  memcpy(r, t, 3 * sizeof *r);
}

/* Error of r with the caller's scale. */
static double scaled_error(const sk_one *p, const double *r, sk_scale scale)
{
  double u[3];
  sk_one_velocity(p, r, u);
  return sk_contact_error(3, r, u, p->mu, scale);
}

bool sk_one_solve(const sk_one *p, skein_local local, bool failsafe, sk_scale scale, double tol, double *r,
                  sk_local_counts *counts)
{
  counts->solves++;
  double size = fmax(fabs(p->b[0]), fmax(fabs(p->b[1]), fabs(p->b[2])));
  double w = (p->W[0] + p->W[4] + p->W[8]) / 3;
  if (p->b[0] >= 0 || size == 0) { /* take-off needs no solver */
    r[0] = r[1] = r[2] = 0;
    return true;
  }
  if (!(w > 0) || !isfinite(w) || !isfinite(size)) {
    r[0] = r[1] = r[2] = 0;
    counts->failures++;
    return false;
  }
  w = exp2(ilogb(w)), size = exp2(ilogb(size)); /* powers of two: the change of units rounds nothing */
  sk_one unit = {.mu = p->mu, .ball = p->ball};
  for (int i = 0; i < 9; i++) unit.W[i] = p->W[i] / w;
  for (int i = 0; i < 3; i++) unit.b[i] = p->b[i] / size;
  double to_unit = w / size, t[3] = {r[0] * to_unit, r[1] * to_unit, r[2] * to_unit};
  if (!isfinite(t[0] + t[1] + t[2])) t[0] = t[1] = t[2] = 0;
  double goal = fmax(1e-14, 0.1 * tol * fmin(1, scale.U / size) * fmin(1, w / scale.w));
  if (p->mu == 0) local = SKEIN_ENUM; /* a scalar problem: closed form */

  sk_local_table[local].solve(&unit, goal, t);
  for (int i = 0; i < 3; i++) r[i] = t[i] / to_unit;
  if (scaled_error(p, r, scale) <= tol) return true;
  if (failsafe) { /* enum; then r = 0, unless what we have is better than that (rounding alone can miss tol) */
    counts->alternates++;
    double zero[3] = {0}, e[3], score = isfinite(norm1(t)) ? sk_one_score(&unit, t) : INFINITY;
    sk_one_enum(&unit, goal, e);
    sk_one_keep(&unit, e, &score, t);
    sk_one_keep(&unit, zero, &score, t);
    for (int i = 0; i < 3; i++) r[i] = t[i] / to_unit;
    if (scaled_error(p, r, scale) <= tol) return true;
  }
  counts->failures++;
  return false;
}

static bool all_finite(const double *x, int count)
{
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

skein_status skein_solve_one(int d, const double *W, const double *b, double mu, skein_local local, bool failsafe,
                             double tol, double *r, bool *converged)
{
  *converged = false;
  if (d != 2 && d != 3) return sk_fail(SKEIN_BAD_INPUT, "d is %d, expected 2 or 3", d);
  if ((unsigned)local >= SKEIN_LOCAL_COUNT)
    return sk_fail(SKEIN_BAD_INPUT, "local is %d, expected a local solver", local);
  if (!all_finite(W, d * d)) return sk_fail(SKEIN_BAD_INPUT, "W has an entry that is not finite");
  if (!all_finite(b, d)) return sk_fail(SKEIN_BAD_INPUT, "b has an entry that is not finite");
  if (!isfinite(mu) || mu < 0) return sk_fail(SKEIN_BAD_INPUT, "mu is %g, expected a finite number >= 0", mu);
  if (!(tol >= 0)) return sk_fail(SKEIN_BAD_INPUT, "tol is %g, expected >= 0", tol);
  sk_one p = sk_one_make(d, W, b, mu);
  double t[3] = {r[0], r[1], d == 3 ? r[2] : 0};
  if (!all_finite(t, 3)) t[0] = t[1] = t[2] = 0;
  sk_local_counts counts = {0};
  *converged = sk_one_solve(&p, local, failsafe, sk_scale_make(d, 1, W, b), tol, t, &counts);
  for (int i = 0; i < d; i++) r[i] = t[i];
  return sk_ok();
}
