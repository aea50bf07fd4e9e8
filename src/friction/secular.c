/* The one-contact problem as a scalar secular equation.
 *
 * Sliding means u_N = 0, u_T = -a r_T, a > 0. Eliminating r_N = -(b_N + w_T . r_T)/w_N leaves
 *     (Wb + a) r_T = -(b_T - b_N w_T / w_N),   Wb = W_T - w_T w_T'/w_N = Q diag(l1, l2) Q'.
 * With w = Q' w_T / w_N, beta = Q' b_T - b_N w, y_i(a) = beta_i / (l_i + a):  r_T = -Q y, and |r_T| = mu r_N becomes
 *     g(a) = |y(a)| - mu w . y(a) = -mu b_N / w_N.
 * g(0) above the right side means that sticking is not admissible, g -> 0 at infinity: the root is bracketed.
 * Newton runs on 1/g, which is nearly linear in a, as in the trust-region subproblem (More and Sorensen 1983);
 * nothing is squared. A singular Wb only loses the stick test: a then goes to 0 as it should.
 *
 * g need not be monotone: then the contact may stick and may slide. With D = (Wb + a)^-1, |y| g' = mu |y| w . D y - y .
 * D y, and by Kantorovich's inequality that is negative for all y, and the answer unique, where
 *     mu |w| (1 + k) / (2 sqrt(k)) < 1,   k = l_max / l_min */
#include "friction/local.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Symmetric 2 x 2 [p q; q t] = Q diag(l1, l2) Q', Q = [c -s; s c]: one Jacobi rotation. */
static void diagonalise(double p, double q, double t, double scale, sk_secular *k)
{
  k->c = 1, k->s = 0, k->l1 = p, k->l2 = t;
  if (q != 0) {
    double theta = 0.5 * (t - p) / q;
    double tan = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(1 + theta * theta));
    k->c = 1 / sqrt(1 + tan * tan), k->s = -tan * k->c;
    k->l1 = p - tan * q, k->l2 = t + tan * q;
  }
  double floor = 1e-14 * (fabs(p) + fabs(t) + scale); /* below: rounding of a singular Wb */
  if (k->l1 <= floor) k->l1 = 0;
  if (k->l2 <= floor) k->l2 = 0;
}

sk_secular sk_secular_make(const sk_one *p)
{
  const double *W = p->W;
  sk_secular k = {.W = {W[0], 0.5 * (W[1] + W[3]), 0.5 * (W[2] + W[6]), W[4], 0.5 * (W[5] + W[7]), W[8]},
                  .mu = p->mu,
                  .stop = 1e-8};
  if (!(W[0] > 0)) {
    diagonalise(k.W[3], k.W[4], k.W[5], 0, &k);
    return k;
  }
  k.inv_wN = 1 / W[0];
  double v1 = k.W[1] * k.inv_wN, v2 = k.W[2] * k.inv_wN;
  diagonalise(k.W[3] - k.W[1] * v1, k.W[4] - k.W[1] * v2, k.W[5] - k.W[2] * v2, k.W[3] + k.W[5], &k);
  k.w1 = k.c * v1 + k.s * v2;
  k.w2 = -k.s * v1 + k.c * v2;
  k.tangent = 1 + k.mu * sqrt(k.w1 * k.w1 + k.w2 * k.w2);
  k.inv_l1 = k.l1 > 0 ? 1 / k.l1 : 0, k.inv_l2 = k.l2 > 0 ? 1 / k.l2 : 0;
  k.several = (k.tangent - 1) * (k.l1 + k.l2) >= 2 * sqrt(k.l1 * k.l2);
  return k;
}

/* g(a) = |y(a)| - mu w . y(a) */
static double secular_function(const sk_secular *k, double beta1, double beta2, double a)
{
  double y1 = beta1 / (k->l1 + a), y2 = beta2 / (k->l2 + a);
  return sqrt(y1 * y1 + y2 * y2) - k->mu * (k->w1 * y1 + k->w2 * y2);
}

/* Where Wb is singular and mu |w| > 1, g can fall to minus infinity at 0: a lower end of the bracket is looked for from
 * above, by octaves. */
static double find_lower(const sk_secular *k, double beta1, double beta2, double target, double hi)
{
  double a = hi;
  for (int it = 0; it < 200 && a > 0; it++, a *= 0.5)
    if (secular_function(k, beta1, beta2, a) > target) return a;
  return 0;
}

/* The root of g(a) = target, from the last root; y(a) in y. lo and hi bracket it throughout. Newton doubles the digits:
 * a step from a relative miss of k->stop is the last. */
static double find_root(const sk_secular *k, double beta1, double beta2, double target, double *y)
{
  double lo = 0, hi = INFINITY, a = k->a;
  bool hard = k->tangent > 2 && (k->l1 == 0 || k->l2 == 0);
  if (!(a > 0)) {
    hi = k->tangent * sqrt(beta1 * beta1 + beta2 * beta2) / target;
    a = fmin(hi, fmax(k->l1, k->l2));
    if (a == 0) a = hi;
    if (hard) a = lo = find_lower(k, beta1, beta2, target, hi);
  }
  for (int it = 0; it < 100; it++) {
    double d1 = k->l1 + a, d2 = k->l2 + a, i = 1 / (d1 * d2), i1 = d2 * i, i2 = d1 * i;
    if (!(i <= DBL_MAX && i >= DBL_MIN)) i1 = 1 / d1, i2 = 1 / d2;
    y[0] = beta1 * i1, y[1] = beta2 * i2;
    double norm = sqrt(y[0] * y[0] + y[1] * y[1]), wy1 = k->w1 * y[0], wy2 = k->w2 * y[1];
    double g = norm - k->mu * (wy1 + wy2), miss = g - target;
    if (miss > 0) lo = a;
    else hi = a;
    double slope = k->mu * norm * (wy1 * i1 + wy2 * i2) - (y[0] * y[0] * i1 + y[1] * y[1] * i2); /* norm times g' */
    double next = a - miss * g * norm / (target * slope); /* Newton on 1/g - 1/target */
    bool inside = next > lo && next < hi;
    if (!inside) {
      if (isinf(hi)) hi = k->tangent * sqrt(beta1 * beta1 + beta2 * beta2) / target;
      next = lo > 0 && hi > 4 * lo ? sqrt(lo * hi) : 0.5 * (lo + hi);
    }
    if (fabs(miss) <= 4e-16 * (norm + target) || (hi < INFINITY && hi - lo <= 4e-16 * hi)) break;
    bool last = inside && fabs(miss) <= k->stop * target && norm < 16 * target;
    if (last || fabs(next - a) <= 2e-16 * a) {
      a = next;
      i = 1 / ((k->l1 + a) * (k->l2 + a));
      y[0] = beta1 * (k->l2 + a) * i, y[1] = beta2 * (k->l1 + a) * i;
      if (!isfinite(y[0] + y[1])) y[0] = beta1 / (k->l1 + a), y[1] = beta2 / (k->l2 + a);
      break;
    }
    a = next;
  }
  return a;
}

/* b = u - W_s r: what the velocity would be without this contact's impulse, as the secular equation sees it. */
void sk_secular_free(const sk_secular *k, const double *u, const double *r, double *b)
{
  const double *S = k->W;
  b[0] = u[0] - (S[0] * r[0] + S[1] * r[1] + S[2] * r[2]);
  b[1] = u[1] - (S[1] * r[0] + S[3] * r[1] + S[4] * r[2]);
  b[2] = u[2] - (S[2] * r[0] + S[4] * r[1] + S[5] * r[2]);
}

/* r = -Q y, r_N given. */
static void impulse(const sk_secular *k, double rN, const double *y, double *r)
{
  r[0] = rN;
  r[1] = -(k->c * y[0] - k->s * y[1]);
  r[2] = -(k->s * y[0] + k->c * y[1]);
}

/* y_i(0) = beta_i / l_i along a singular direction: 0 when beta vanishes too (u is then 0 as it is), else infinite. */
static double singular_component(double beta, double size)
{
  return fabs(beta) <= 1e-13 * size ? 0 : INFINITY;
}

/* Stick for beta, or false when it is not admissible: |y(0)| > mu r_N. */
static bool stick(const sk_secular *k, const double *b, double beta1, double beta2, double *r)
{
  double y[2] = {beta1 * k->inv_l1, beta2 * k->inv_l2};
  if (k->inv_l1 == 0 || k->inv_l2 == 0) {
    double size = fabs(b[1]) + fabs(b[2]) - b[0] * (fabs(k->w1) + fabs(k->w2));
    if (k->inv_l1 == 0) y[0] = singular_component(beta1, size);
    if (k->inv_l2 == 0) y[1] = singular_component(beta2, size);
    if (isinf(y[0]) || isinf(y[1])) return false;
  }
  double rN = -b[0] * k->inv_wN + k->w1 * y[0] + k->w2 * y[1], limit = k->mu * rN;
  if (!(rN >= 0) || y[0] * y[0] + y[1] * y[1] > limit * limit) return false;
  impulse(k, rN, y, r);
  return true;
}

bool sk_secular_stick(const sk_secular *k, const double *b, double *r)
{
  return stick(k, b, k->c * b[1] + k->s * b[2] - b[0] * k->w1, -k->s * b[1] + k->c * b[2] - b[0] * k->w2, r);
}

/* The sliding answer for beta, by the root nearest to the last one. */
static bool slide(sk_secular *k, const double *b, double beta1, double beta2, double *r)
{
  double rN = -b[0] * k->inv_wN, y[2];
  k->a = find_root(k, beta1, beta2, k->mu * rN, y);
  double wy = k->w1 * y[0] + k->w2 * y[1]; /* r_N from u_N = 0, cheap, unless it cancels; then from |r_T| = mu r_N */
  impulse(k, wy > -0.5 * rN ? rN + wy : sqrt(y[0] * y[0] + y[1] * y[1]) / k->mu, y, r);
  return isfinite(r[0] + r[1] + r[2]);
}

bool sk_secular_slide(sk_secular *k, const double *b, double *r)
{
  return slide(k, b, k->c * b[1] + k->s * b[2] - b[0] * k->w1, -k->s * b[1] + k->c * b[2] - b[0] * k->w2, r);
}

bool sk_secular_solve(sk_secular *k, const double *b, double *r)
{
  r[0] = r[1] = r[2] = 0;
  if (b[0] >= 0) return true; /* take-off: r = 0 is a solution */
  if (k->inv_wN == 0) return false;
  if (k->mu == 0) return r[0] = -b[0] * k->inv_wN, true;
  double beta1 = k->c * b[1] + k->s * b[2] - b[0] * k->w1, beta2 = -k->s * b[1] + k->c * b[2] - b[0] * k->w2;
  return stick(k, b, beta1, beta2, r) || slide(k, b, beta1, beta2, r);
}

/* A sliding answer for a contact that slides, near the last; false where there is none. Contacts that jump between two
 * answers keep their neighbours from settling (Free/A: 23 of 29 problems that 2,000 sweeps had not solved). */
static bool slide_on(sk_secular *k, const double *u, const double *b, double *r)
{
  double last = k->a, T2 = r[1] * r[1] + r[2] * r[2], limit = k->mu * r[0];
  if (!(r[0] > 0) || !(b[0] < 0) || !(k->mu > 0)) return false;
  if (!(k->visited ? k->slides : T2 >= 0.999 * limit * limit)) return false;
  if (!(k->a > 0)) k->a = sqrt((u[1] * u[1] + u[2] * u[2]) / T2);
  double beta1 = k->c * b[1] + k->s * b[2] - b[0] * k->w1, beta2 = -k->s * b[1] + k->c * b[2] - b[0] * k->w2;
  double t[3], target = -k->mu * b[0] * k->inv_wN;
  bool found = k->a > 0 && slide(k, b, beta1, beta2, t) && k->a > 0 && t[0] > 0 &&
               fabs(secular_function(k, beta1, beta2, k->a) - target) <= 1e-2 * target;
  if (found) memcpy(r, t, sizeof t);
  else k->a = last;
  return found;
}

bool sk_secular_visit(sk_secular *k, const double *u, double *r)
{
  double b[3], t[3];
  sk_secular_free(k, u, r, b);
  if (k->several && slide_on(k, u, b, r)) return k->visited = k->slides = true;
  if (!sk_secular_solve(k, b, t)) return false;
  double T2 = t[1] * t[1] + t[2] * t[2], limit = k->mu * t[0];
  k->visited = true, k->slides = t[0] > 0 && T2 >= (1 - 1e-9) * limit * limit;
  r[0] = t[0], r[1] = t[1], r[2] = t[2];
  return true;
}

/* One step of refinement for a sticking answer: the same linear equations with the residual u as right side. */
static void refine_stick(const sk_one *p, const sk_secular *k, double *r)
{
  double u[3];
  sk_one_velocity(p, r, u);
  if (k->inv_wN == 0 || k->l1 == 0 || k->l2 == 0) return;
  double beta1 = k->c * u[1] + k->s * u[2] - u[0] * k->w1, beta2 = -k->s * u[1] + k->c * u[2] - u[0] * k->w2;
  double y1 = beta1 / k->l1, y2 = beta2 / k->l2;
  r[0] += -u[0] * k->inv_wN + k->w1 * y1 + k->w2 * y2;
  r[1] -= k->c * y1 - k->s * y2;
  r[2] -= k->s * y1 + k->c * y2;
}

/* The generic interface. What the secular equation does not see (the antisymmetric part of W_ii, and a proximal
 * term alpha where W_ii is singular and sliding has no root) is lagged: r <- solve(W_s + alpha, b + (W - W_s - alpha)
 * r). Its fixed point is the exact law. */
bool sk_one_secular(const sk_one *p, double tol, double *r)
{
  sk_secular k = sk_secular_make(p);
  double alpha = 0, best[3] = {0, 0, 0}, best_error = INFINITY;
  for (int it = 0; it < 60; it++) {
    double u[3], b[3], t[3];
    sk_one_velocity(p, r, u);
    sk_secular_free(&k, u, r, b);
    bool solved = sk_secular_solve(&k, b, r);
    double error = sk_one_error(p, r);
    if (!(error <= tol) && solved && alpha == 0) {
      memcpy(t, r, sizeof t);
      refine_stick(p, &k, t);
      double refined = sk_one_error(p, t);
      if (refined < error) error = refined, memcpy(r, t, sizeof t);
    }
    if (error < best_error) best_error = error, memcpy(best, r, sizeof best);
    if (error <= tol) break;
    if (!solved && k.inv_wN == 0) break;
    if (it == 4 || !solved) { /* lagging the antisymmetric part would have converged by now: W_ii is singular */
      sk_one prox = *p;
      alpha = 1e-3 * (p->W[0] + p->W[4] + p->W[8]);
      for (int i = 0; i < 9; i += 4) prox.W[i] += alpha;
      k = sk_secular_make(&prox);
    }
    if (!isfinite(r[0] + r[1] + r[2])) memset(r, 0, 3 * sizeof *r);
  }
  memcpy(r, best, sizeof best);
  if (best_error <= tol && r[0] < 1e4) return true;
  double t[3], score = sk_one_score(p, r); /* W_ii nearly singular: there may be another, tamer solution */
  sk_one_enum(p, tol, t);
  sk_one_keep(p, t, &score, r);
  return sk_one_error(p, r) <= tol;
}
