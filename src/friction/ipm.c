/* `ipm`: primal-dual interior-point method for the exact law, for stiff, over-constrained problems where Gauss-Seidel
 * crawls. De Saxce's shift mu |u_T| is part of every Newton step, so the path leads to Coulomb's law itself and not to
 * its convex relaxation (in the spirit of Acary, Armand, Nguyen 2023).
 *
 * Per contact, P = diag(mu, 1, 1), x = P r and z = P^-1 (u + mu |u_T| e) lie in the self-dual cone K, x . z = r . u~:
 *     y = G' P^-1 x,   z = P^-1 (G y + b) + |u_T| e,   x o z = 0,   x, z in K.
 * Nesterov-Todd scaling T (symmetric, T x = T^-1 z = l) turns the linearised third equation into
 * T dx + T^-1 dz = l \ (sigma gap e - l o l - corrector) =: s, and with J = 1 + e n', n = u_T/|u_T|:
 *     primal: (1 + G' P^-1 T^-2 J P^-1 G) dy = r_y + G' P^-1 (T^-1 s - T^-2 r_z)
 *     dual:   (T^2 P + J P^-1 W) dr = T s - r_z
 * Mehrotra's predictor-corrector: one factorisation and two solves per iteration. A contact with mu = 0 keeps only its
 * first component. */
#include "friction/kkt.h"
#include "friction/solver.h"

#include <math.h>
#include <string.h>

typedef struct ipm {
  const sk_system *s;
  sk_kkt kkt;
  double *x, *z, *dx, *dz, *ds; /* 3 n */
  double *r, *u, *du, *rz;      /* 3 n */
  double *y, *dy, *ry, *rhs;    /* size of y */
  double *T, *Ti, *l;           /* scaling, its inverse (9 n), scaled point (3 n) */
  double smooth;                /* |u_T| is taken as sqrt(|u_T|^2 + smooth^2), smooth -> 0 with the gap */
  double *D, *E;                /* blocks of the linear system (9 n) */
} ipm;

/* ---- The cone K, Jordan algebra ---- */

static double cone_det(const double *x)
{
  double t = sqrt(x[1] * x[1] + x[2] * x[2]);
  return (x[0] - t) * (x[0] + t);
}

static void jordan(const double *x, const double *y, double *out)
{
  double p0 = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  double p1 = x[0] * y[1] + y[0] * x[1], p2 = x[0] * y[2] + y[0] * x[2];
  out[0] = p0, out[1] = p1, out[2] = p2;
}

/* Solves l o v = d. */
static void jordan_divide(const double *l, const double *d, double *v)
{
  double v0 = (l[0] * d[0] - l[1] * d[1] - l[2] * d[2]) / cone_det(l);
  v[1] = (d[1] - v0 * l[1]) / l[0], v[2] = (d[2] - v0 * l[2]) / l[0];
  v[0] = v0;
}

static void mul3(const double *A, const double *x, double *y)
{
  double a = A[0] * x[0] + A[1] * x[1] + A[2] * x[2], b = A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
  double c = A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
  y[0] = a, y[1] = b, y[2] = c;
}

static void mul33(const double *A, const double *B, double *C)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* scale * [w0, w1'; w1, 1 + w1 w1'/(1 + w0)] */
static void hyperbolic(const double *w, double scale, double *T)
{
  double k = 1 / (1 + w[0]);
  T[0] = scale * w[0], T[1] = T[3] = scale * w[1], T[2] = T[6] = scale * w[2];
  T[4] = scale * (1 + k * w[1] * w[1]), T[8] = scale * (1 + k * w[2] * w[2]), T[5] = T[7] = scale * k * w[1] * w[2];
}

/* T x = T^-1 z = l */
static void scaling(const double *x, const double *z, double *T, double *Ti, double *l)
{
  double dx = sqrt(cone_det(x)), dz = sqrt(cone_det(z));
  double a[3] = {x[0] / dx, x[1] / dx, x[2] / dx}, c[3] = {z[0] / dz, z[1] / dz, z[2] / dz};
  double g = 1 / sqrt(2 * (1 + a[0] * c[0] + a[1] * c[1] + a[2] * c[2]));
  double w[3] = {g * (c[0] + a[0]), g * (c[1] - a[1]), g * (c[2] - a[2])}, v[3] = {w[0], -w[1], -w[2]};
  double eta = sqrt(dz / dx);
  hyperbolic(w, eta, T);
  hyperbolic(v, 1 / eta, Ti);
  mul3(T, x, l);
}

/* The step t at which x + t d leaves K: first positive root of det(x + t d), infinite when there is none. */
static double step_to_boundary(const double *x, const double *d)
{
  double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2], c = cone_det(x);
  double disc = fmax(b * b - a * c, 0); /* never negative for x in K, but for rounding */
  if (b >= 0 && a >= 0) return INFINITY;
  if (b < 0) return c / (-b + sqrt(disc));
  return (-b - sqrt(disc)) / a;
}

static double largest_step(const ipm *p, double share)
{
  double t = 1 / share;
  for (int i = 0; i < p->s->n; i++) {
    t = fmin(t, step_to_boundary(p->x + 3 * i, p->dx + 3 * i));
    t = fmin(t, step_to_boundary(p->z + 3 * i, p->dz + 3 * i));
  }
  return fmin(1, share * t);
}

/* ---- The operator ---- */

/* P^-1 on one contact; mu = 0 keeps the normal component only. */
static void unscale(double mu, const double *x, double *out)
{
  if (mu > 0) out[0] = x[0] / mu, out[1] = x[1], out[2] = x[2];
  else out[0] = x[0], out[1] = out[2] = 0;
}

/* out += G' q */
static void add_transposed(const sk_system *s, const double *q, double *out)
{
  for (int i = 0; i < s->n; i++)
    for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
      const double *G = s->G + s->g_at[k], *a = q + 3 * i;
      double *to = out + s->g_y[k];
      int w = s->g_width[k];
      for (int e = 0; e < w; e++) to[e] += G[e] * a[0] + G[w + e] * a[1] + G[2 * w + e] * a[2];
    }
}

/* out = G q + b (b may be NULL) */
static void multiply(const sk_system *s, const double *q, const double *b, double *out)
{
  for (int i = 0; i < s->n; i++) {
    double sum[3] = {0, 0, 0};
    for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
      const double *G = s->G + s->g_at[k], *a = q + s->g_y[k];
      int w = s->g_width[k];
      for (int e = 0; e < w; e++) sum[0] += G[e] * a[e], sum[1] += G[w + e] * a[e], sum[2] += G[2 * w + e] * a[e];
    }
    for (int c = 0; c < 3; c++) out[3 * i + c] = sum[c] + (b ? b[3 * i + c] : 0);
  }
}

/* Mean of x . z. */
static double mean_gap(const ipm *p)
{
  double gap = 0;
  for (int i = 0; i < 3 * p->s->n; i++) gap += p->x[i] * p->z[i];
  return gap / p->s->n;
}

/* Residuals r_z = P^-1 u + |u_T| e - z, r_y = G' P^-1 x - y, and r = P^-1 x; the mean of x . z. */
static double residuals(ipm *p)
{
  const sk_system *s = p->s;
  double gap = 0;
  for (int i = 0; i < s->n; i++) unscale(s->mu[i], p->x + 3 * i, p->r + 3 * i);
  if (p->kkt.primal) {
    for (int e = 0; e < p->kkt.size; e++) p->ry[e] = -p->y[e];
    add_transposed(s, p->r, p->ry);
    multiply(s, p->y, s->b, p->u);
  } else {
    sk_system_velocity(s, p->r, p->u, NULL);
  }
  for (int i = 0; i < s->n; i++) {
    double *u = p->u + 3 * i, *z = p->z + 3 * i, *x = p->x + 3 * i, v[3];
    unscale(s->mu[i], u, v);
    double slide = s->mu[i] > 0 ? sqrt(u[1] * u[1] + u[2] * u[2] + p->smooth * p->smooth) : 0;
    p->rz[3 * i] = v[0] + slide - z[0], p->rz[3 * i + 1] = v[1] - z[1], p->rz[3 * i + 2] = v[2] - z[2];
    gap += x[0] * z[0] + x[1] * z[1] + x[2] * z[2];
  }
  return gap / s->n;
}

/* J P^-1, J = 1 + e n' */
static void shift_jacobian(double mu, const double *u, double smooth, double *F)
{
  double norm = sqrt(u[1] * u[1] + u[2] * u[2] + smooth * smooth);
  memset(F, 0, 9 * sizeof *F);
  F[0] = mu > 0 ? 1 / mu : 1;
  if (mu == 0) return;
  F[4] = F[8] = 1;
  if (norm > 0) F[1] = u[1] / norm, F[2] = u[2] / norm;
}

/* Scaling of every contact, blocks of the linear system, factorisation. */
static bool factor(ipm *p)
{
  const sk_system *s = p->s;
  for (int i = 0; i < s->n; i++) {
    double *T = p->T + 9 * (size_t)i, *Ti = p->Ti + 9 * (size_t)i, F[9], A[9], mu = s->mu[i];
    scaling(p->x + 3 * i, p->z + 3 * i, T, Ti, p->l + 3 * i);
    shift_jacobian(mu, p->u + 3 * i, p->smooth, F);
    if (p->kkt.primal) { /* P^-1 T^-2 J P^-1 */
      mul33(Ti, F, A);
      mul33(Ti, A, p->D + 9 * (size_t)i);
      for (int c = 0; c < 3; c++) p->D[9 * (size_t)i + (size_t)c] /= mu > 0 ? mu : 1;
      if (mu == 0) memset(p->D + 9 * (size_t)i + 3, 0, 6 * sizeof(double));
    } else { /* T^2 P and J P^-1 */
      mul33(T, T, p->E + 9 * (size_t)i);
      for (int c = 0; c < 9; c += 3) p->E[9 * (size_t)i + (size_t)c] *= mu > 0 ? mu : 1;
      memcpy(p->D + 9 * (size_t)i, F, sizeof F);
    }
  }
  return p->kkt.primal ? sk_kkt_factor_primal(&p->kkt, p->D) : sk_kkt_factor_dual(&p->kkt, p->E, p->D);
}

/* dx, dy, dz for the right side s of the scaled complementarity equation. */
static void direction(ipm *p)
{
  const sk_system *s = p->s;
  double a[3], c[3];
  if (!p->kkt.primal) {
    for (int i = 0; i < s->n; i++) {
      mul3(p->T + 9 * (size_t)i, p->ds + 3 * i, a);
      for (int k = 0; k < 3; k++) p->du[3 * i + k] = a[k] - p->rz[3 * i + k];
    }
    sk_kkt_solve(&p->kkt, p->du, p->dx);
    for (int i = 0; i < s->n; i++) { /* dz = T s - T^2 dx */
      if (s->mu[i] > 0) p->dx[3 * i] *= s->mu[i];
      mul3(p->T + 9 * (size_t)i, p->dx + 3 * i, a);
      for (int k = 0; k < 3; k++) a[k] = p->ds[3 * i + k] - a[k];
      mul3(p->T + 9 * (size_t)i, a, p->dz + 3 * i);
    }
    return;
  }
  for (int i = 0; i < s->n; i++) { /* P^-1 T^-1 (s - T^-1 r_z) */
    mul3(p->Ti + 9 * (size_t)i, p->rz + 3 * i, a);
    for (int k = 0; k < 3; k++) a[k] = p->ds[3 * i + k] - a[k];
    mul3(p->Ti + 9 * (size_t)i, a, c);
    unscale(s->mu[i], c, p->du + 3 * i);
  }
  memcpy(p->rhs, p->ry, (size_t)p->kkt.size * sizeof *p->rhs);
  add_transposed(s, p->du, p->rhs);
  sk_kkt_solve(&p->kkt, p->rhs, p->dy);
  multiply(s, p->dy, NULL, p->du);
  for (int i = 0; i < s->n; i++) { /* dz = J P^-1 du + r_z, dx = T^-1 (s - T^-1 dz) */
    double F[9], *dz = p->dz + 3 * i;
    shift_jacobian(s->mu[i], p->u + 3 * i, p->smooth, F);
    mul3(F, p->du + 3 * i, dz);
    for (int k = 0; k < 3; k++) dz[k] += p->rz[3 * i + k];
    mul3(p->Ti + 9 * (size_t)i, dz, a);
    for (int k = 0; k < 3; k++) a[k] = p->ds[3 * i + k] - a[k];
    mul3(p->Ti + 9 * (size_t)i, a, p->dx + 3 * i);
  }
}

/* s = l \ (target e - l o l - corrector), corrector = (T dx) o (T^-1 dz) of the predictor when there is one. */
static void right_side(ipm *p, double target, bool corrector)
{
  for (int i = 0; i < p->s->n; i++) {
    double *l = p->l + 3 * i, d[3], a[3], c[3];
    jordan(l, l, d);
    for (int k = 0; k < 3; k++) d[k] = -d[k];
    if (corrector) {
      mul3(p->T + 9 * (size_t)i, p->dx + 3 * i, a);
      mul3(p->Ti + 9 * (size_t)i, p->dz + 3 * i, c);
      jordan(a, c, a);
      for (int k = 0; k < 3; k++) d[k] -= a[k];
    }
    d[0] += target;
    jordan_divide(l, d, p->ds + 3 * i);
  }
}

/* ---- The method ---- */

static skein_status make(sk_work *w, ipm *p)
{
  const sk_system *s = w->system;
  sk_arena *arena = &w->arena;
  size_t m = 3 * (size_t)s->n;
  *p = (ipm){.s = s};
  if (w->kkt) p->kkt = *w->kkt, w->kkt = NULL;
  else {
    skein_status status = sk_kkt_make(s, arena, &p->kkt);
    if (status.code) return status;
  }
  double **vectors[] = {&p->x, &p->z, &p->dx, &p->dz, &p->ds, &p->r, &p->u, &p->du, &p->rz, &p->l};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = SK_NEW(arena, m, double);
  double **blocks[] = {&p->T, &p->Ti, &p->D, &p->E};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) *blocks[k] = SK_NEW(arena, 3 * m, double);
  double **states[] = {&p->y, &p->dy, &p->ry, &p->rhs};
  for (size_t k = 0; k < sizeof states / sizeof *states; k++) *states[k] = SK_NEW(arena, s->y_size, double);
  return arena->failed ? sk_no_memory() : sk_ok();
}

/* Every contact starts on the axis of the cone, at the scale of the problem. */
static void start(ipm *p)
{
  double U = p->s->scale.U, w = p->s->scale.w;
  size_t bytes = 3 * (size_t)p->s->n * sizeof(double);
  memset(p->x, 0, bytes);
  memset(p->z, 0, bytes);
  memset(p->y, 0, (size_t)p->s->y_size * sizeof(double));
  for (int i = 0; i < p->s->n; i++) p->x[3 * i] = 0.3 * U / w, p->z[3 * i] = U;
}

static void advance(ipm *p, double t)
{
  for (int i = 0; i < 3 * p->s->n; i++) p->x[i] += t * p->dx[i], p->z[i] += t * p->dz[i];
  if (p->kkt.primal)
    for (int e = 0; e < p->kkt.size; e++) p->y[e] += t * p->dy[e];
}

/* Predictor-corrector steps from the start until the tolerance, a limit, or no more progress. `smoothing` rounds the
 * kink of |u_T| at zero as long as the gap is open. */
static void follow_path(sk_work *w, ipm *p, double smoothing)
{
  enum { most = 120, patience = 12 };
  double last = INFINITY, taken = 1;
  int stalled = 0;
  start(p);
  for (int it = 0; it < most; it++) {
    p->smooth = smoothing * sqrt(fmax(mean_gap(p), 0) * p->s->scale.w);
    double gap = residuals(p), error = sk_work_accept(w, p->r);
    w->iterations++;
    if (sk_work_done(w, error)) break;
    stalled = error < 0.7 * last ? 0 : stalled + 1;
    last = fmin(last, error);
    if (!isfinite(gap) || stalled > patience || !factor(p)) break;
    right_side(p, 0, false);
    direction(p);
    double t = largest_step(p, 0.99), sigma = (1 - t) * (1 - t) * (1 - t);
    bool centre = taken < 0.2; /* the last step ran into the boundary: back towards the middle first */
    right_side(p, (centre ? fmax(sigma, 0.8) : sigma) * gap, !centre);
    direction(p);
    t = taken = largest_step(p, 0.98);
    if (!(t > 1e-10)) break;
    advance(p, t);
  }
}

/* The kink as it is first: that is best for nearly all; then once more, smoothed, where the size makes this cheap. */
skein_status sk_solve_ipm(sk_work *w)
{
  if (w->error == INFINITY && sk_work_done(w, sk_work_accept(w, w->r))) return sk_ok();
  ipm p;
  skein_status status = make(w, &p);
  if (status.code == SKEIN_OK) {
    follow_path(w, &p, 0);
    bool limits = w->stop || w->iterations >= w->def->max_sweeps;
    if (w->error > w->def->tol && !limits && p.s->n < SK_LARGE) follow_path(w, &p, 0.03);
  }
  sk_kkt_destroy(&p.kkt);
  return status;
}
