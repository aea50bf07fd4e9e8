/* Anderson acceleration, type II (Anderson 1965; Walker and Ni 2011):
 *     gamma = argmin | f_k - sum_j gamma_j df_j |,   r_{k+1} = g_k - sum_j gamma_j dg_j,
 * f = g(r) - r. The velocity state is affine in r, so the same mixture of states belongs to the mixture of impulses. */
#include "friction/anderson.h"

#include <math.h>
#include <string.h>

enum { memory = SK_ANDERSON_MEMORY };
_Static_assert(memory == 5, "mix is written out for five");

static void differ(void *ctx, int q);
static void mix(void *ctx, int q);

skein_status sk_anderson_make(const sk_anderson_def *def, sk_arena *arena, sk_anderson *a)
{
  size_t m = 3 * (size_t)def->n;
  *a = (sk_anderson){.def = *def};
  a->before = SK_NEW_RAW(arena, m, double), a->f = SK_NEW_RAW(arena, m, double), a->g = SK_NEW_RAW(arena, m, double);
  a->xg = SK_NEW_RAW(arena, def->x_size, double);
  a->sums = SK_NEW_RAW(arena, def->order->pieces, sk_anderson_sums);
  for (int j = 0; j < memory; j++) {
    a->df[j] = SK_NEW(arena, m, double), a->dg[j] = SK_NEW(arena, m, double); /* zero: read before they are held */
    a->dx[j] = SK_NEW(arena, def->x_size, double);
  }
  a->differ_job = sk_team_learn(def->team, differ, a, false);
  a->mix_job = sk_team_learn(def->team, mix, a, false);
  sk_anderson_restart(a);
  return arena->failed ? sk_no_memory() : sk_ok();
}

void sk_anderson_restart(sk_anderson *a)
{
  a->held = a->next = 0, a->fresh = true, a->best = INFINITY;
}

void sk_anderson_before(sk_anderson *a)
{
  memcpy(a->before, a->def.r, 3 * (size_t)a->def.n * sizeof *a->before);
}

/* The part of the state x that goes with piece q. */
static int share(const sk_anderson *a, int q)
{
  return (int)((int64_t)a->def.x_size * q / a->def.order->pieces);
}

/* f = g(r) - r in the place of `before`; unless it is the first, the newest differences, in the slot `next`; then the
 * products of f, and of the newest difference, with all differences. */
static void differ(void *ctx, int q)
{
  sk_anderson *a = ctx;
  int first = a->def.order->start[q], end = a->def.order->start[q + 1];
  double *f = a->before, *df = a->df[a->next], *dg = a->dg[a->next], *dx = a->dx[a->next];
  sk_anderson_sums s = {0};
  for (int i = 3 * first; i < 3 * end; i++) f[i] = a->def.r[i] - f[i];
  for (int i = 3 * first; i < 3 * end && !a->fresh; i++) df[i] = f[i] - a->f[i], dg[i] = a->def.r[i] - a->g[i];
  for (int i = share(a, q); i < share(a, q + 1) && !a->fresh; i++) dx[i] = a->def.x[i] - a->xg[i];
  for (int i = first; i < end; i++) {
    double w = a->def.weight[i], F[3] = {w * f[3 * i], w * f[3 * i + 1], w * f[3 * i + 2]};
    double D[3] = {w * df[3 * i], w * df[3 * i + 1], w * df[3 * i + 2]};
    s.norm2 += F[0] * f[3 * i] + F[1] * f[3 * i + 1] + F[2] * f[3 * i + 2];
    for (int k = 0; k < memory; k++) {
      const double *d = a->df[k] + 3 * i;
      s.f[k] += F[0] * d[0] + F[1] * d[1] + F[2] * d[2];
      s.newest[k] += D[0] * d[0] + D[1] * d[1] + D[2] * d[2];
    }
  }
  a->sums[q] = s;
}

/* The sums of all pieces, in their order: always the same bits. */
static sk_anderson_sums sum_up(const sk_anderson *a)
{
  sk_anderson_sums s = {0};
  for (int q = 0; q < a->def.order->pieces; q++) {
    s.norm2 += a->sums[q].norm2;
    for (int k = 0; k < memory; k++) s.f[k] += a->sums[q].f[k], s.newest[k] += a->sums[q].newest[k];
  }
  return s;
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

/* The newest differences are held, with their products. */
static void remember(sk_anderson *a, const double *products)
{
  int j = a->next;
  a->held = SK_MIN(a->held + 1, (int)memory);
  a->next = (j + 1) % memory;
  for (int k = 0; k < a->held; k++) a->gram[j][k] = a->gram[k][j] = products[k];
}

/* x <- x - sum_k gamma_k d_k, in one pass; `copy` keeps x. */
static void subtract(int first, int end, const double *c, double *const *d, double *x, double *copy)
{
  for (int i = first; i < end; i++) {
    double v = x[i];
    copy[i] = v;
    x[i] = v - ((c[0] * d[0][i] + c[1] * d[1][i]) + (c[2] * d[2][i] + c[3] * d[3][i]) + c[4] * d[4][i]);
  }
}

static void mix(void *ctx, int q)
{
  sk_anderson *a = ctx;
  const int *start = a->def.order->start;
  subtract(3 * start[q], 3 * start[q + 1], a->gamma, a->dg, a->def.r, a->g);
  subtract(share(a, q), share(a, q + 1), a->gamma, a->dx, a->def.x, a->xg);
}

double sk_anderson_mix(sk_anderson *a)
{
  sk_team_run(a->def.team, a->differ_job);
  sk_anderson_sums s = sum_up(a);
  a->norm = sqrt(s.norm2);
  if (!a->fresh) remember(a, s.newest);
  a->best = fmin(a->best, a->norm);
  double gamma[memory] = {0};
  bool mixed = a->held && solve_gram(a, s.f, gamma);
  for (int k = 0; k < memory; k++) a->gamma[k] = mixed && k < a->held ? gamma[k] : 0;
  sk_team_run(a->def.team, a->mix_job);
  double *f = a->before;
  a->before = a->f, a->f = f;
  a->fresh = false;
  return a->norm;
}
