/* `admm`: alternating directions on min r'W r/2 + (b + s)'r, r in the cones, with De Saxce's shift s = mu |u_T| e
 * updated as it goes (Boyd et al. 2011; Acary et al. 2018 for friction). R = rho diag(w_i): (W + R) r = R (x - q) - b -
 * s,   x = P_K(r + q),   q += r - x One factorisation serves until rho changes; rho balances the two residuals. In
 * factored form the inverse is taken through 1 + G' R^-1 G (Woodbury). */
#include "friction/kkt.h"
#include "friction/solver.h"

#include <math.h>
#include <string.h>

typedef struct admm {
  const sk_system *s;
  sk_kkt kkt;
  double rho;
  double *r, *x, *q, *u, *rhs; /* 3 n */
  double *y, *z;               /* primal unknowns */
  double *weight;              /* n: w_i */
  double *E, *F;               /* 9 n */
} admm;

/* Projection on K_mu = { |x_T| <= mu x_N }, orthogonal. */
static void project_cone(double mu, double *x)
{
  double t = sqrt(x[1] * x[1] + x[2] * x[2]);
  if (t <= mu * x[0]) return;
  if (mu * t <= -x[0]) {
    x[0] = x[1] = x[2] = 0;
    return;
  }
  double n = (x[0] + mu * t) / (1 + mu * mu), k = t > 0 ? mu * n / t : 0;
  x[0] = n, x[1] *= k, x[2] *= k;
}

static bool factor(admm *p)
{
  for (int i = 0; i < p->s->n; i++) {
    double R = p->rho * p->weight[i];
    for (int k = 0; k < 9; k++) {
      double one = k % 4 == 0;
      p->E[9 * (size_t)i + (size_t)k] = one * (p->kkt.primal ? 1 / R : R);
      p->F[9 * (size_t)i + (size_t)k] = one;
    }
  }
  return p->kkt.primal ? sk_kkt_factor_primal(&p->kkt, p->E) : sk_kkt_factor_dual(&p->kkt, p->E, p->F);
}

/* r = (W + R)^-1 rhs; Woodbury: R^-1 (rhs - G (1 + G' R^-1 G)^-1 G' R^-1 rhs). */
static void solve_shifted(admm *p)
{
  const sk_system *s = p->s;
  if (!p->kkt.primal) {
    sk_kkt_solve(&p->kkt, p->rhs, p->r);
    return;
  }
  memset(p->y, 0, (size_t)p->kkt.size * sizeof *p->y);
  for (int i = 0; i < s->n; i++)
    for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
      const double *G = s->G + s->g_at[k], *a = p->rhs + 3 * i;
      double *to = p->y + s->g_y[k], R = 1 / (p->rho * p->weight[i]);
      int w = s->g_width[k];
      for (int e = 0; e < w; e++) to[e] += R * (G[e] * a[0] + G[w + e] * a[1] + G[2 * w + e] * a[2]);
    }
  sk_kkt_solve(&p->kkt, p->y, p->z);
  for (int i = 0; i < s->n; i++) {
    double sum[3] = {p->rhs[3 * i], p->rhs[3 * i + 1], p->rhs[3 * i + 2]}, R = 1 / (p->rho * p->weight[i]);
    for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
      const double *G = s->G + s->g_at[k], *a = p->z + s->g_y[k];
      int w = s->g_width[k];
      for (int e = 0; e < w; e++) sum[0] -= G[e] * a[e], sum[1] -= G[w + e] * a[e], sum[2] -= G[2 * w + e] * a[e];
    }
    for (int c = 0; c < 3; c++) p->r[3 * i + c] = R * sum[c];
  }
}

/* One iteration; the primal and the dual residual, in energy norm. */
static void iterate(admm *p, double *primal, double *dual)
{
  const sk_system *s = p->s;
  *primal = *dual = 0;
  for (int i = 0; i < s->n; i++) {
    double R = p->rho * p->weight[i], *u = p->u + 3 * i, shift = s->mu[i] * sqrt(u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++) p->rhs[3 * i + k] = R * (p->x[3 * i + k] - p->q[3 * i + k]) - s->b[3 * i + k];
    p->rhs[3 * i] -= shift;
  }
  solve_shifted(p);
  for (int i = 0; i < s->n; i++) {
    double *x = p->x + 3 * i, *q = p->q + 3 * i, *r = p->r + 3 * i, old[3] = {x[0], x[1], x[2]}, w = p->weight[i];
    for (int k = 0; k < 3; k++) { /* over-relaxed by 1.6 */
      x[k] = 1.6 * r[k] - 0.6 * old[k] + q[k];
      q[k] = x[k];
    }
    project_cone(s->mu[i], x);
    for (int k = 0; k < 3; k++) {
      q[k] -= x[k];
      *primal += w * (r[k] - x[k]) * (r[k] - x[k]);
      *dual += w * (x[k] - old[k]) * (x[k] - old[k]);
    }
  }
  *primal = sqrt(*primal), *dual = p->rho * sqrt(*dual);
}

static skein_status make(sk_work *w, admm *p)
{
  const sk_system *s = w->system;
  sk_arena *arena = &w->arena;
  size_t m = 3 * (size_t)s->n;
  p->s = s, p->rho = 1;
  skein_status status = sk_kkt_make(s, arena, &p->kkt);
  double **vectors[] = {&p->r, &p->x, &p->q, &p->u, &p->rhs};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = SK_NEW(arena, m, double);
  p->y = SK_NEW(arena, s->y_size, double), p->z = SK_NEW(arena, s->y_size, double);
  p->weight = SK_NEW(arena, s->n, double), p->E = SK_NEW(arena, 3 * m, double), p->F = SK_NEW(arena, 3 * m, double);
  if (status.code || arena->failed) return status.code ? status : sk_no_memory();
  for (int i = 0; i < s->n; i++) {
    const double *W = s->Wii + 9 * (size_t)i;
    p->weight[i] = (W[0] + W[4] + W[8]) / 3;
    if (!(p->weight[i] > 0)) p->weight[i] = s->scale.w;
  }
  return sk_ok();
}

skein_status sk_solve_admm(sk_work *w)
{
  enum { look = 10 };
  admm p = {0};
  skein_status status = make(w, &p);
  if (status.code == SKEIN_OK) {
    memcpy(p.x, w->r, 3 * (size_t)w->system->n * sizeof *p.x);
    bool done = sk_work_done(w, sk_work_accept(w, p.x)) || !factor(&p);
    while (!done) {
      double primal, dual;
      sk_system_velocity(p.s, p.x, p.u, w->y);
      iterate(&p, &primal, &dual);
      w->iterations++;
      if (w->iterations % look && w->iterations < w->def->max_sweeps) continue;
      done = sk_work_done(w, sk_work_accept(w, p.x));
      double ratio = primal / fmax(dual, 1e-300), change = ratio > 8 ? 4 : ratio < 0.125 ? 0.25 : 1;
      if (done || change == 1 || !(p.rho * change > 1e-8 && p.rho * change < 1e8)) continue;
      p.rho *= change;
      for (int i = 0; i < 3 * p.s->n; i++) p.q[i] /= change;
      done = !factor(&p);
    }
  }
  sk_kkt_destroy(&p.kkt);
  return status;
}
