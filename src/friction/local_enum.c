/* `enum`: the one-contact problem by cases (Bonnefon and Daviet 2011; Daviet et al. 2011, appendix B): take-off, stick,
 * and slide through the roots of a quartic. Says when there is no solution. Everything is multiplied through by b_N,
 * so that a vanishing b_N is harmless. */
#include "friction/local.h"

#include <math.h>
#include <string.h>

static double poly(const double *c, int degree, double x)
{
  double v = c[degree];
  for (int i = degree - 1; i >= 0; i--) v = v * x + c[i];
  return v;
}

/* One root of a function that changes sign between lo and hi: Newton kept inside the bracket. */
static double refine(const double *c, const double *dc, int degree, double lo, double hi)
{
  double flo = poly(c, degree, lo), x = 0.5 * (lo + hi);
  for (int it = 0; it < 200; it++) {
    double f = poly(c, degree, x);
    if (f == 0) return x;
    if ((f > 0) == (flo > 0)) lo = x;
    else hi = x;
    double next = x - f / poly(dc, degree - 1, x);
    if (!(next > lo && next < hi)) next = lo > 0 && hi > 4 * lo ? sqrt(lo * hi) : 0.5 * (lo + hi);
    if (fabs(next - x) <= 1e-16 * fabs(x)) return next;
    x = next;
  }
  return x;
}

/* Real roots in [0, bound], ascending, with the points where the polynomial only touches zero: the roots of the
 * derivative cut the interval into monotone pieces. */
static int roots(const double *c, int degree, double bound, double *out)
{
  while (degree > 0 && c[degree] == 0) degree--;
  if (degree < 1) return 0;
  double dc[4] = {0}, cut[8];
  for (int i = 1; i <= degree; i++) dc[i - 1] = i * c[i];
  int pieces = 0, count = 0;
  cut[pieces++] = 0;
  pieces += roots(dc, degree - 1, bound, cut + 1);
  cut[pieces] = bound;
  for (int k = 0; k < pieces; k++) {
    double lo = poly(c, degree, cut[k]), hi = poly(c, degree, cut[k + 1]);
    double size = 0, power = 1;
    for (int i = 0; i <= degree; i++, power *= cut[k + 1]) size += fabs(c[i]) * power;
    if ((lo > 0) != (hi > 0)) out[count++] = refine(c, dc, degree, cut[k], cut[k + 1]);
    else if (k + 1 < pieces && fabs(hi) <= 1e-9 * size) out[count++] = cut[k + 1];
  }
  return count;
}

typedef struct slide {
  double bN, wN, mu, trace, det;      /* of Wb */
  double beta[2], B[2], Wb[3], wT[2]; /* beta = b_T - b_N w_T/w_N, B = adj(Wb) beta */
  double A, C;
} slide;

/* r(a) of the sliding branch: r_T = -(B + a beta)/q, r_N = -(b_N a^2 + A a + C)/(w_N q). */
static void slide_impulse(const slide *s, double a, double *r)
{
  double q = (a + s->trace) * a + s->det;
  r[1] = -(s->B[0] + a * s->beta[0]) / q;
  r[2] = -(s->B[1] + a * s->beta[1]) / q;
  r[0] = -((s->bN * a + s->A) * a + s->C) / (s->wN * q);
}

static slide slide_make(const sk_one *p)
{
  const double *W = p->W, *b = p->b;
  double w1 = 0.5 * (W[1] + W[3]), w2 = 0.5 * (W[2] + W[6]);
  slide s = {.bN = b[0], .wN = W[0], .mu = p->mu, .wT = {w1, w2}};
  s.Wb[0] = W[4] - w1 * w1 / W[0], s.Wb[1] = 0.5 * (W[5] + W[7]) - w1 * w2 / W[0], s.Wb[2] = W[8] - w2 * w2 / W[0];
  s.trace = s.Wb[0] + s.Wb[2], s.det = s.Wb[0] * s.Wb[2] - s.Wb[1] * s.Wb[1];
  s.beta[0] = b[1] - b[0] * w1 / W[0], s.beta[1] = b[2] - b[0] * w2 / W[0];
  s.B[0] = s.Wb[2] * s.beta[0] - s.Wb[1] * s.beta[1], s.B[1] = -s.Wb[1] * s.beta[0] + s.Wb[0] * s.beta[1];
  s.A = s.bN * s.trace - (w1 * s.beta[0] + w2 * s.beta[1]);
  s.C = s.bN * s.det - (w1 * s.B[0] + w2 * s.B[1]);
  return s;
}

/* Keeps the best of the sliding solutions. Only roots with r_N >= 0 count: squaring adds spurious ones. */
static void solve_slide(const sk_one *p, double *score, double *r)
{
  slide s = slide_make(p);
  double D = (s.wN / s.mu) * (s.wN / s.mu);
  double bb = s.beta[0] * s.beta[0] + s.beta[1] * s.beta[1], bB = s.beta[0] * s.B[0] + s.beta[1] * s.B[1];
  double BB = s.B[0] * s.B[0] + s.B[1] * s.B[1];
  double c[5] = {s.C * s.C - D * BB, 2 * (s.C * s.A - D * bB), 2 * s.bN * s.C + s.A * s.A - D * bb, 2 * s.bN * s.A,
                 s.bN * s.bN};
  double bound = 0; /* Cauchy's, then the bracket of the secular equation when b_N < 0 */
  if (s.bN != 0) {
    for (int i = 0; i < 4; i++) bound = fmax(bound, fabs(c[i] / c[4]));
    bound += 1;
    double w = hypot(s.wT[0], s.wT[1]) / s.wN;
    if (s.bN < 0) bound = fmin(bound, 2 * (1 + s.mu * w) * sqrt(bb) * s.wN / (s.mu * -s.bN));
  } else {
    bound = 1e12 * (s.trace + sqrt(D));
  }
  double a[8];
  int count = roots(c, 4, bound, a);
  a[count++] = bound; /* the largest root, which squaring may lose, is found from above by the polish */
  sk_secular k = sk_secular_make(p);
  for (int i = 0; i < count; i++) {
    double t[3];
    slide_impulse(&s, a[i], t);
    sk_one_keep(p, t, score, r);
    k.a = a[i]; /* polish: Newton on the unsquared equation wins back the digits that squaring lost */
    if (a[i] > 0 && sk_secular_slide(&k, p->b, t)) sk_one_keep(p, t, score, r);
  }
}

/* The cases one after the other, for a symmetric W. */
static void solve_cases(const sk_one *p, double tol, double *r)
{
  const double tame = 1e4; /* an impulse below this is the solution, one above it may have a smaller one beside it */
  const double *W = p->W, *b = p->b;
  r[0] = r[1] = r[2] = 0;
  if (b[0] >= 0 || !(W[0] > 0)) return; /* take-off, or no solution */
  if (p->mu == 0) {
    r[0] = -b[0] / W[0];
    return;
  }
  double minus[3] = {-b[0], -b[1], -b[2]}, t[3], score = INFINITY;
  if (sk_solve3(W, minus, t) && sqrt(t[1] * t[1] + t[2] * t[2]) <= p->mu * t[0])
    sk_one_keep(p, t, &score, r); /* stick */
  if (score > tol || r[0] > tame) {
    sk_secular k = sk_secular_make(p);
    if (sk_secular_stick(&k, b, t)) sk_one_keep(p, t, &score, r); /* W_ii singular, b in its range */
    if (score > tol || r[0] > tame) solve_slide(p, &score, r);
  }
}

/* The antisymmetric part of W, rounding of somebody's contact frames, is lagged: b <- u(r) - W_s r. */
bool sk_one_enum(const sk_one *p, double tol, double *r)
{
  sk_one s = *p;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) s.W[3 * i + j] = 0.5 * (p->W[3 * i + j] + p->W[3 * j + i]);
  bool symmetric = !memcmp(s.W, p->W, sizeof s.W);
  solve_cases(&s, tol, r);
  for (int it = 0; it < 20 && !symmetric && sk_one_error(p, r) > tol; it++) {
    sk_one_velocity(p, r, s.b);
    for (int i = 0; i < 3; i++) s.b[i] -= s.W[3 * i] * r[0] + s.W[3 * i + 1] * r[1] + s.W[3 * i + 2] * r[2];
    solve_cases(&s, tol, r);
  }
  return sk_one_error(p, r) <= tol;
}
