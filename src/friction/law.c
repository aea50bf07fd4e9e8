/* Coulomb's law as a zero of the second-order-cone Fischer-Burmeister function (Daviet et al. 2011, section 5),
 * and the error that everything reports. Nothing here knows a solver. */
#include "friction/friction.h"

#include <math.h>

/* Compiles to one instruction, which fmax does not. */
static inline double larger(double a, double b)
{
  return a > b ? a : b;
}

/* z = x o x + y o y has eigenvalues l_1,2 = |x|^2 + |y|^2 -+ 2|a|, a = x_N x_T + y_N y_T. By subtraction l_1 loses
 * all digits on the cone's boundary, where sliding lives; as a sum of squares, with e = a/|a|, it loses none:
 *     l_1,2 = |x_T -+ x_N e|^2 + |y_T -+ y_N e|^2
 * f is positively homogeneous: extreme components are brought to order one, so nothing over- or underflows. */
void sk_fb(int d, const double *x, const double *y, double *f)
{
  double big = 0;
  for (int i = 0; i < d; i++) big = larger(big, larger(fabs(x[i]), fabs(y[i])));
  if (big == 0 || !isfinite(big)) {
    for (int i = 0; i < d; i++) f[i] = x[i] + y[i];
    return;
  }
  double s = big > 1e-70 && big < 1e70 ? 1 : 1 / big;
  if (!isfinite(s)) s = 1;
  double xN = x[0] * s, yN = y[0] * s;
  double x1 = x[1] * s, y1 = y[1] * s, x2 = d == 3 ? x[2] * s : 0, y2 = d == 3 ? y[2] * s : 0;
  double a1 = xN * x1 + yN * y1, a2 = xN * x2 + yN * y2, norm = sqrt(a1 * a1 + a2 * a2);
  double e1 = norm > 0 ? a1 / norm : 1, e2 = norm > 0 ? a2 / norm : 0;
  double p1 = x1 - xN * e1, p2 = x2 - xN * e2, q1 = y1 - yN * e1, q2 = y2 - yN * e2;
  double root1 = sqrt(p1 * p1 + p2 * p2 + q1 * q1 + q2 * q2);
  p1 = x1 + xN * e1, p2 = x2 + xN * e2, q1 = y1 + yN * e1, q2 = y2 + yN * e2;
  double root2 = sqrt(p1 * p1 + p2 * p2 + q1 * q1 + q2 * q2);
  double half = 0.5 * (root2 - root1);
  f[0] = (xN + yN - 0.5 * (root2 + root1)) / s;
  f[1] = (x1 + y1 - half * e1) / s;
  if (d == 3) f[2] = (x2 + y2 - half * e2) / s;
}

double sk_contact_error(int d, const double *r, const double *u, double mu, sk_scale scale)
{
  if (r[0] == 0 && u[0] >= 0 && r[1] == 0 && r[d - 1] == 0 && isfinite(u[1] + u[d - 1])) return 0; /* take-off */
  double su = 1 / scale.U, sr = scale.w / scale.U, x[3] = {0}, y[3] = {0}, f[3] = {0};
  for (int i = 0; i < d; i++) x[i] = r[i] * sr, y[i] = u[i] * su;
  if (mu == 0) { /* scalar Fischer-Burmeister on the normal part; no tangential impulse */
    double h = hypot(x[0], y[0]), tangent = larger(fabs(x[1]), fabs(x[2]));
    double gap = x[0] + y[0] > 0 ? 2 * x[0] * y[0] / (x[0] + y[0] + h) : x[0] + y[0] - h; /* no cancellation */
    return isnan(gap + x[1] + x[2] + y[1] + y[2]) ? INFINITY : larger(fabs(gap), tangent);
  }
  y[0] += mu * (d == 3 ? sqrt(y[1] * y[1] + y[2] * y[2]) : fabs(y[1]));
  x[0] *= mu;
  for (int i = 1; i < d; i++) y[i] *= mu;
  sk_fb(d, x, y, f);
  double error = larger(fabs(f[0]), larger(fabs(f[1]), fabs(f[2])));
  return isnan(f[0] + f[1] + f[2]) ? INFINITY : error;
}

/* Of contacts first .. end - 1. */
static skein_error error_between(int d, int first, int end, const double *r, const double *u, const double *mu,
                                 sk_scale scale)
{
  skein_error error = {.worst = -1};
  for (int i = first; i < end; i++) {
    double fb = sk_contact_error(d, r + d * i, u + d * i, mu[i], (sk_scale){1, 1});
    double rel = sk_contact_error(d, r + d * i, u + d * i, mu[i], scale);
    error.fb = larger(error.fb, fb);
    if (error.worst < 0 || rel > error.rel) error.rel = rel, error.worst = i;
  }
  return error;
}

skein_error sk_law_error(int d, int n, const double *r, const double *u, const double *mu, sk_scale scale, int threads)
{
  enum { parts = 16 };
  skein_error part[parts], error = {.worst = -1};
  if (threads < 2 || n < 2048) return error_between(d, 0, n, r, u, mu, scale); /* as much as all parts together */
#pragma omp parallel for num_threads(SK_MIN(threads, n / 1024)) schedule(static)
  for (int k = 0; k < parts; k++) {
    int first = (int)((int64_t)n * k / parts), end = (int)((int64_t)n * (k + 1) / parts);
    part[k] = error_between(d, first, end, r, u, mu, scale);
  }
  for (int k = 0; k < parts; k++) {
    error.fb = larger(error.fb, part[k].fb);
    if (part[k].worst >= 0 && (error.worst < 0 || part[k].rel > error.rel))
      error.rel = part[k].rel, error.worst = part[k].worst;
  }
  return error;
}

sk_scale sk_scale_make(int d, int n, const double *Wii, const double *b)
{
  sk_scale scale = {0, 0};
  for (int i = 0; i < d * n; i++) scale.U = fmax(scale.U, fabs(b[i]));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < d; k++) scale.w += Wii[(size_t)i * (size_t)(d * d) + (size_t)(k * (d + 1))] / d / n;
  if (!(scale.U > 0)) scale.U = 1;
  if (!(scale.w > 0)) scale.w = 1;
  return scale;
}
