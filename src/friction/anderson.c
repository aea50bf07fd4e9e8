/* Anderson acceleration, type II (Anderson 1965; Walker and Ni 2011):
 *     gamma = argmin | f_k - sum_j gamma_j df_j |,   r_{k+1} = g_k - sum_j gamma_j dg_j,
 * f = g(r) - r. The velocity state is affine in r, so the same mixture of states belongs to the mixture of impulses. */
#include "friction/anderson.h"

#include <math.h>
#include <string.h>

enum { memory = SK_ANDERSON_MEMORY };
_Static_assert(memory == 5, "mix is written out for five");

skein_status sk_anderson_make(int n, int x_size, const double *weight, sk_arena *arena, sk_anderson *a)
{
  size_t m = 3 * (size_t)n;
  *a = (sk_anderson){.n = n, .x_size = x_size, .weight = weight};
  a->before = SK_NEW_RAW(arena, m, double), a->f = SK_NEW_RAW(arena, m, double), a->g = SK_NEW_RAW(arena, m, double);
  a->xg = SK_NEW_RAW(arena, x_size, double);
  for (int j = 0; j < memory; j++) {
    a->df[j] = SK_NEW(arena, m, double), a->dg[j] = SK_NEW(arena, m, double); /* zero: read before they are held */
    a->dx[j] = SK_NEW(arena, x_size, double);
  }
  sk_anderson_restart(a);
  return arena->failed ? sk_no_memory() : sk_ok();
}

void sk_anderson_restart(sk_anderson *a)
{
  a->held = a->next = 0, a->fresh = true, a->best = INFINITY;
}

void sk_anderson_before(sk_anderson *a, const double *r)
{
  memcpy(a->before, r, 3 * (size_t)a->n * sizeof *r);
}

/* sum_i w_i p_i . q_i in four interleaved sums: vectorises, and always the same bits. */
static double dot(const sk_anderson *a, const double *p, const double *q)
{
  double s[4] = {0};
  int i = 0;
  for (; i + 4 <= a->n; i += 4)
    for (int k = 0; k < 4; k++) {
      const double *x = p + 3 * (i + k), *y = q + 3 * (i + k);
      s[k] += a->weight[i + k] * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
    }
  for (; i < a->n; i++)
    s[0] += a->weight[i] * (p[3 * i] * q[3 * i] + p[3 * i + 1] * q[3 * i + 1] + p[3 * i + 2] * q[3 * i + 2]);
  return (s[0] + s[1]) + (s[2] + s[3]);
}

/* The inner products of p with all differences held, in one pass over the contacts. */
static void dots(const sk_anderson *a, const double *p, double *out)
{
  double s[memory] = {0};
  for (int i = 0; i < a->n; i++) {
    double w = a->weight[i], x = w * p[3 * i], y = w * p[3 * i + 1], z = w * p[3 * i + 2];
    for (int k = 0; k < memory; k++) {
      const double *d = a->df[k] + 3 * i;
      s[k] += x * d[0] + y * d[1] + z * d[2];
    }
  }
  for (int k = 0; k < memory; k++) out[k] = s[k];
}

/* Solves (gram + eps) gamma = rhs by Cholesky; false when it is not definite or gamma is not to be trusted. */
static bool solve_gram(const sk_anderson *a, const double *rhs, double *gamma)
{
  double L[memory][memory];
  int m = a->held;
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) {
      double s = a->gram[i][j] * (i == j ? 1 + 1e-7 : 1);
      for (int k = 0; k < j; k++) s -= L[i][k] * L[j][k];
      if (i == j && !(s > 1e-14 * a->gram[i][i])) return false;
      L[i][j] = i == j ? sqrt(s) : s / L[j][j];
    }
  for (int i = 0; i < m; i++) {
    gamma[i] = rhs[i];
    for (int k = 0; k < i; k++) gamma[i] -= L[i][k] * gamma[k];
    gamma[i] /= L[i][i];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++) gamma[i] -= L[k][i] * gamma[k];
    gamma[i] /= L[i][i];
  }
  double size = 0;
  for (int i = 0; i < m; i++) size += fabs(gamma[i]);
  return size < 1e5; /* more would cancel the digits that hold r and its state together */
}

/* Stores the newest differences and their inner products with the older ones. */
static void remember(sk_anderson *a, const double *f, const double *g, const double *x)
{
  int j = a->next, m = 3 * a->n;
  for (int i = 0; i < m; i++) a->df[j][i] = f[i] - a->f[i], a->dg[j][i] = g[i] - a->g[i];
  for (int i = 0; i < a->x_size; i++) a->dx[j][i] = x[i] - a->xg[i];
  a->held = SK_MIN(a->held + 1, (int)memory);
  a->next = (j + 1) % memory;
  double products[memory];
  dots(a, a->df[j], products);
  for (int k = 0; k < a->held; k++) a->gram[j][k] = a->gram[k][j] = products[k];
}

/* to = from - sum_k gamma_k d_k, in one pass; `copy` keeps from. */
static void mix(int size, int held, const double *gamma, double *const *d, double *x, double *copy)
{
  double c[memory] = {0};
  const double *p[memory];
  for (int k = 0; k < memory; k++) p[k] = d[k < held ? k : 0];
  for (int k = 0; k < held; k++) c[k] = gamma[k];
  for (int i = 0; i < size; i++) {
    double v = x[i];
    copy[i] = v;
    x[i] = v - ((c[0] * p[0][i] + c[1] * p[1][i]) + (c[2] * p[2][i] + c[3] * p[3][i]) + c[4] * p[4][i]);
  }
}

double sk_anderson_mix(sk_anderson *a, double *r, double *x)
{
  int m = 3 * a->n;
  double *f = a->before; /* becomes the residual */
  for (int i = 0; i < m; i++) f[i] = r[i] - f[i];
  a->norm = sqrt(dot(a, f, f));
  if (!a->fresh) remember(a, f, r, x);
  a->best = fmin(a->best, a->norm);
  double rhs[memory], gamma[memory] = {0};
  dots(a, f, rhs);
  bool mixed = a->held && solve_gram(a, rhs, gamma);
  mix(m, mixed ? a->held : 0, gamma, a->dg, r, a->g);
  mix(a->x_size, mixed ? a->held : 0, gamma, a->dx, x, a->xg);
  a->before = a->f, a->f = f;
  a->fresh = false;
  return a->norm;
}
