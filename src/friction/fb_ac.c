/* The two functions whose zero is Coulomb's law, with elements of their generalised Jacobians:
 * second-order-cone Fischer-Burmeister (Daviet et al. 2011, appendix A.1, misprints mended) and
 * Alart-Curnier (Bertails-Descoubes et al. 2011, section 4). */
#include "friction/local.h"

#include <math.h>
#include <string.h>

/* L_s has eigenvectors c_1,2 = (1, -+e)/sqrt2 with values sqrt(l_1,2), and (0, e') with value s_N, e' _|_ e. So
 *     df/dx = I - L_s^-1 L_x = I - sum_k c_k (L_x c_k)' / value_k,
 * and L_x c_1 is of the order of sqrt(l_1): the quotient stays bounded up to the boundary of the cone. There
 * (l_1 = 0) the quotient is replaced by x_N / sqrt(x_N^2 + y_N^2), one element of the generalised Jacobian. */
static void fb_jacobian(const double *x, const double *y, const double *e, double root1, double root2, double *J)
{
  const double h = 0.70710678118654752440;
  double c1[3] = {h, -h * e[0], -h * e[1]}, c2[3] = {h, h * e[0], h * e[1]}, c3[3] = {0, -e[1], e[0]};
  double sN = 0.5 * (root1 + root2);
  double size = sqrt(x[0] * x[0] + y[0] * y[0]);
  double t1[3] = {x[0] * c1[0] + x[1] * c1[1] + x[2] * c1[2], x[0] * c1[1] + x[1] * c1[0], x[0] * c1[2] + x[2] * c1[0]};
  double t2[3] = {x[0] * c2[0] + x[1] * c2[1] + x[2] * c2[2], x[0] * c2[1] + x[1] * c2[0], x[0] * c2[2] + x[2] * c2[0]};
  double t3[3] = {x[1] * c3[1] + x[2] * c3[2], x[0] * c3[1], x[0] * c3[2]};
  bool edge = root1 <= 1e-14 * root2;
  for (int i = 0; i < 3; i++) {
    double q1 = edge ? c1[i] * (size > 0 ? x[0] / size : h) : t1[i] / root1;
    for (int j = 0; j < 3; j++) J[3 * j + i] = (i == j) - c1[j] * q1 - c2[j] * t2[i] / root2 - c3[j] * t3[i] / sN;
  }
}

void sk_fb_eval(const double *r, const double *u, double mu, double rho, double *f, double *dfdr, double *dfdu)
{
  double norm = sqrt(u[1] * u[1] + u[2] * u[2]);
  double x[3] = {mu * r[0], r[1], r[2]}, y[3] = {rho * (u[0] + mu * norm), rho * mu * u[1], rho * mu * u[2]};
  sk_fb(3, x, y, f);
  double a1 = x[0] * x[1] + y[0] * y[1], a2 = x[0] * x[2] + y[0] * y[2], na = sqrt(a1 * a1 + a2 * a2);
  double e[2] = {na > 0 ? a1 / na : 1, na > 0 ? a2 / na : 0};
  double sum1 = 0, sum2 = 0;
  for (int i = 0; i < 2; i++) {
    double p = x[1 + i], q = y[1 + i];
    sum1 += (p - x[0] * e[i]) * (p - x[0] * e[i]) + (q - y[0] * e[i]) * (q - y[0] * e[i]);
    sum2 += (p + x[0] * e[i]) * (p + x[0] * e[i]) + (q + y[0] * e[i]) * (q + y[0] * e[i]);
  }
  double fx[9], fy[9];
  if (sum2 > 0) {
    fb_jacobian(x, y, e, sqrt(sum1), sqrt(sum2), fx);
    fb_jacobian(y, x, e, sqrt(sum1), sqrt(sum2), fy);
  } else { /* r = u = 0: the limit along x = y = t (1, 0, 0) */
    for (int i = 0; i < 9; i++) fx[i] = fy[i] = (i % 4 == 0) * (1 - 0.70710678118654752440);
  }
  double n1 = norm > 0 ? u[1] / norm : 0, n2 = norm > 0 ? u[2] / norm : 0; /* du~/du = I at u_T = 0 */
  for (int i = 0; i < 3; i++) {
    const double *g = fy + 3 * i;
    dfdr[3 * i] = mu * fx[3 * i], dfdr[3 * i + 1] = fx[3 * i + 1], dfdr[3 * i + 2] = fx[3 * i + 2];
    dfdu[3 * i] = rho * g[0];
    dfdu[3 * i + 1] = rho * mu * (g[0] * n1 + g[1]);
    dfdu[3 * i + 2] = rho * mu * (g[0] * n2 + g[2]);
  }
}

/* f_N = max(a, 0) - r_N,  f_T = P_ball(r_T - rho_T u_T) - r_T,  a = r_N - rho_N u_N; the ball has the radius mu max(a,
 * 0) (augmented) or mu max(r_N, 0) (plain), and is empty where that is zero. */
void sk_ac_eval(const double *r, const double *u, double mu, const sk_ac_def *def, double *f, double *dfdr,
                double *dfdu)
{
  double rho_N = def->rho_N, rho_T = def->rho_T;
  memset(dfdr, 0, 9 * sizeof *dfdr);
  memset(dfdu, 0, 9 * sizeof *dfdu);
  double a = r[0] - rho_N * u[0];
  if (a > 0) f[0] = -rho_N * u[0], dfdu[0] = -rho_N;
  else f[0] = -r[0], dfdr[0] = -1;
  double p1 = r[1] - rho_T * u[1], p2 = r[2] - rho_T * u[2], norm = sqrt(p1 * p1 + p2 * p2);
  double radius = mu * fmax(def->ball == SKEIN_BALL_PLAIN ? r[0] : a, 0);
  if (norm <= radius && radius > 0) { /* stick */
    f[1] = -rho_T * u[1], f[2] = -rho_T * u[2];
    dfdu[4] = dfdu[8] = -rho_T;
  } else if (radius > 0) { /* slide: P = radius p/|p| */
    double n1 = p1 / norm, n2 = p2 / norm, k = radius / norm;
    double K[4] = {k * (1 - n1 * n1), -k * n1 * n2, -k * n1 * n2, k * (1 - n2 * n2)};
    f[1] = radius * n1 - r[1], f[2] = radius * n2 - r[2];
    dfdr[3] = mu * n1, dfdr[6] = mu * n2;
    dfdr[4] = K[0] - 1, dfdr[5] = K[1], dfdr[7] = K[2], dfdr[8] = K[3] - 1;
    if (def->ball == SKEIN_BALL_AUGMENTED) dfdu[3] = -rho_N * mu * n1, dfdu[6] = -rho_N * mu * n2;
    dfdu[4] = -rho_T * K[0], dfdu[5] = -rho_T * K[1], dfdu[7] = -rho_T * K[2], dfdu[8] = -rho_T * K[3];
  } else { /* empty ball */
    f[1] = -r[1], f[2] = -r[2];
    dfdr[4] = dfdr[8] = -1;
  }
}

bool sk_solve3(const double *A, const double *f, double *x)
{
  double m[3][4] = {{A[0], A[1], A[2], f[0]}, {A[3], A[4], A[5], f[1]}, {A[6], A[7], A[8], f[2]}};
  double size = 0;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(A[i]));
  for (int k = 0; k < 3; k++) {
    int pivot = k;
    for (int i = k + 1; i < 3; i++)
      if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
    if (!(fabs(m[pivot][k]) > 1e-15 * size)) return false;
    for (int j = 0; j < 4; j++) {
      double t = m[k][j];
      m[k][j] = m[pivot][j], m[pivot][j] = t;
    }
    for (int i = k + 1; i < 3; i++) {
      double l = m[i][k] / m[k][k];
      for (int j = k; j < 4; j++) m[i][j] -= l * m[k][j];
    }
  }
  for (int k = 2; k >= 0; k--) {
    double s = m[k][3];
    for (int j = k + 1; j < 3; j++) s -= m[k][j] * x[j];
    x[k] = s / m[k][k];
  }
  return isfinite(x[0] + x[1] + x[2]);
}
