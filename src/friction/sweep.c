/* Gauss-Seidel sweeps over contacts (Daviet et al. 2011, algorithm 1): explicit W by pushing or pulling, factored W.
 *
 * Bytes per contact and sweep: explicit 76 per neighbour (about 50 in dense hair), factored 24 per dof of the objects
 * touched that is between the contact and the root (768 at most for two rods of 16). The same order of visits, hence
 * the same bits, for any number of threads. */
#include "friction/sweep.h"

#include "friction/kernels.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* u_i = b_i + sum_j W_ij r_j */
static void pull_explicit(const sk_system *s, const double *r, int i, double *u)
{
  double a0 = s->b[3 * i], a1 = s->b[3 * i + 1], a2 = s->b[3 * i + 2];
  const double *B = s->W.val + 9 * s->W.start[i];
  for (int64_t k = s->W.start[i]; k < s->W.start[i + 1]; k++, B += 9) {
    const double *rj = r + 3 * (size_t)s->W.col[k];
    a0 += B[0] * rj[0] + B[1] * rj[1] + B[2] * rj[2];
    a1 += B[3] * rj[0] + B[4] * rj[1] + B[5] * rj[2];
    a2 += B[6] * rj[0] + B[7] * rj[1] + B[8] * rj[2];
  }
  u[0] = a0, u[1] = a1, u[2] = a2;
}

/* ---- One visit ---- */

/* The impulse of contact i for its current velocity u and impulse r; false: no local solution, r is kept. The secular
 * equation keeps what it made of W_ii and its last root; where it finds no answer the fail-safe takes over. */
static bool solve_contact(sk_sweep *g, int i, const double *u, double *r, sk_local_counts *counts)
{
  double b[3];
  if (g->local == SKEIN_SECULAR) {
    if (sk_secular_visit(g->contact + i, u, r)) return counts->solves++, true;
    if (!g->failsafe) return counts->solves++, counts->failures++, false;
  }
  const double *W = g->s->Wii + 9 * (size_t)i;
  for (int k = 0; k < 3; k++) b[k] = u[k] - (W[3 * k] * r[0] + W[3 * k + 1] * r[1] + W[3 * k + 2] * r[2]);
  sk_one p = sk_one_make(3, W, b, g->s->mu[i]);
  p.ball = g->ball;
  return sk_one_solve(&p, g->local, g->failsafe, g->scale, g->local_tol, r, counts);
}

/* next = r + omega (next - r), and back into the cone: the same fixed points. */
static void relax(double omega, double mu, const double *r, double *next)
{
  for (int k = 0; k < 3; k++) next[k] += (omega - 1) * (next[k] - r[k]);
  double most = mu * next[0], T2 = next[1] * next[1] + next[2] * next[2];
  double share = !(next[0] > 0) ? 0 : T2 > most * most ? most / sqrt(T2) : 1;
  next[0] = next[0] > 0 ? next[0] : 0, next[1] *= share, next[2] *= share;
}

/* The share of the way to its solution that contact i goes. Where it has several, others must be able to follow; in
 * damped sweeps one that goes to and fro (its next change is against its last) takes shorter steps, the others longer
 * ones again. */
static double share_of(const sk_sweep *g, int i, const double *r, const double *next)
{
  static const double careful = 0.5, down = 0.5, up = 1.02, least = 0.02;
  if (!g->damped) return g->omega > 1 && g->contact[i].several ? careful : g->omega;
  double d[3] = {next[0] - r[0], next[1] - r[1], next[2] - r[2]}, *last = g->last + 3 * (size_t)i;
  bool back = d[0] * last[0] + d[1] * last[1] + d[2] * last[2] < 0;
  memcpy(last, d, sizeof d);
  return g->own[i] = back ? fmax(least, down * g->own[i]) : fmin(1, up * g->own[i]);
}

enum { still_rest = 4, open_rest = 6 }; /* sweeps that a contact sits out */

/* Visits contact i; the size of its change, |dr_i| w_i. */
static inline double visit(sk_sweep *g, int i, sk_local_counts *counts)
{
  const sk_kernels *kernels = g->s->kernels;
  double u[3], *r = g->r + 3 * (size_t)i, next[3] = {r[0], r[1], r[2]};
  if (g->kind == SK_SWEEP_PUSH) memcpy(u, g->x + 4 * (size_t)i, sizeof u);
  else if (g->kind == SK_SWEEP_PULL) pull_explicit(g->s, g->r, i, u);
  else g->s->kernels->pull(g->s, g->x, i, u);
  if (r[0] == 0 && u[0] >= 0 && r[1] == 0 && r[2] == 0) { /* open, and stays open; far from closing it may rest */
    if (u[0] > g->far_open) g->frozen[i] = open_rest;
    return 0;
  }
  solve_contact(g, i, u, next, counts);
  double omega = share_of(g, i, r, next);
  if (omega != 1) relax(omega, g->s->mu[i], r, next);
  double dr[3] = {next[0] - r[0], next[1] - r[1], next[2] - r[2]};
  double size = (fabs(dr[0]) + fabs(dr[1]) + fabs(dr[2])) * g->weight[i];
  if (size < g->freeze_below) g->frozen[i] = still_rest; /* freezing: it hardly moved */
  if (size <= g->ignore) return size;                    /* nothing that anyone would notice */
  memcpy(r, next, sizeof next);
  if (g->kind == SK_SWEEP_PUSH) kernels->push_blocks(g->s, g->x, i, dr);
  else if (g->kind == SK_SWEEP_FACTORED) kernels->push(g->s, g->x, i, dr);
  return size;
}

/* Asks for what the visit of contact i will read: a sweep waits for memory more than it computes (25,804 contacts of
 * hair: 3.7 ms a sweep without, 2.6 with). */
static inline void fetch(const sk_sweep *g, int i)
{
  const sk_system *s = g->s;
  if (i >= s->n || g->frozen[i] != 0) return;
  __builtin_prefetch(g->contact + i), __builtin_prefetch((const char *)(g->contact + i) + 64);
  __builtin_prefetch((const char *)(g->contact + i) + 128);
  if (g->kind != SK_SWEEP_FACTORED) return;
  for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
    const double *G = s->G + s->g_at[k];
    int width = s->g_width[k], first = s->g_first[k];
    for (int row = 0; row < 3; row++)
      for (int e = first; e < width; e += 8) __builtin_prefetch(G + row * width + e);
  }
}

static inline double visit_or_rest(sk_sweep *g, int i, sk_local_counts *counts, int *resting)
{
  fetch(g, i + 4);
  if (g->frozen[i] == 0) return visit(g, i, counts);
  g->frozen[i]--, ++*resting;
  return 0;
}

/* ---- Jobs of the team, piece by piece of the order; one piece where the island is small ---- */

static void sweep_piece(void *ctx, int q)
{
  sk_sweep *g = ctx;
  double most = 0;
  int resting = 0;
  sk_local_counts counts = g->part[q].counts;
  for (int i = g->order->start[q]; i < g->order->start[q + 1]; i++) {
    double change = visit_or_rest(g, i, &counts, &resting);
    if (change > most) most = change;
  }
  g->part[q].change = most, g->part[q].resting = resting, g->part[q].counts = counts;
}

/* x from r: its share of the pull form, which has no state, is nothing. */
static void refresh_piece(void *ctx, int q)
{
  sk_sweep *g = ctx;
  for (int i = g->order->start[q]; i < g->order->start[q + 1]; i++) {
    double *u = g->x + 4 * (size_t)i;
    if (g->kind == SK_SWEEP_FACTORED) g->s->kernels->push(g->s, g->x, i, g->r + 3 * (size_t)i);
    else if (g->kind == SK_SWEEP_PUSH) pull_explicit(g->s, g->r, i, u), u[3] = 0;
  }
}

static void measure_piece(void *ctx, int q)
{
  sk_sweep *g = ctx;
  double most = 0;
  int worst = g->order->start[q];
  for (int i = g->order->start[q]; i < g->order->start[q + 1]; i++) {
    double u[3];
    sk_sweep_contact_velocity(g, i, u);
    double error = sk_contact_error(3, g->r + 3 * (size_t)i, u, g->s->mu[i], g->scale);
    g->error[i] = error;
    if (!(error <= most)) most = isnan(error) ? INFINITY : error, worst = i;
  }
  g->part[q].error = most, g->part[q].worst = worst;
}

double sk_sweep_measure(sk_sweep *g, int *worst)
{
  double most = 0;
  sk_team_run(g->team, g->measure_job);
  for (int q = 0; q < g->order->pieces; q++)
    if (!(g->part[q].error <= most)) most = g->part[q].error, *worst = g->part[q].worst;
  return most;
}

void sk_sweep_run(sk_sweep *g)
{
  g->far_open = g->runs++ ? 20 * g->change * g->scale.U : INFINITY; /* what it would take many sweeps to close */
  sk_team_run(g->team, g->sweep_job);
  g->change = 0, g->resting = 0;
  for (int q = 0; q < g->order->pieces; q++) {
    if (g->part[q].change > g->change) g->change = g->part[q].change;
    g->resting += g->part[q].resting;
  }
  g->change /= g->scale.U;
}

sk_local_counts sk_sweep_finish(sk_sweep *g)
{
  sk_local_counts sum = {0};
  for (int q = 0; q < g->order->pieces; q++) {
    const sk_local_counts *c = &g->part[q].counts;
    sum.solves += c->solves, sum.alternates += c->alternates, sum.failures += c->failures;
  }
  sk_team_destroy(g->team);
  return sum;
}

void sk_sweep_tighten(sk_sweep *g)
{
  g->ignore *= 0.1;
  for (int i = 0; i < g->s->n; i++) g->contact[i].stop = fmax(1e-8, 0.1 * g->contact[i].stop);
}

void sk_sweep_damp(sk_sweep *g)
{
  if (g->damped) return;
  g->damped = true;
  for (int i = 0; i < g->s->n; i++) g->own[i] = 1;
}

void sk_sweep_thaw(sk_sweep *g)
{
  if (g->resting) memset(g->frozen, 0, (size_t)g->s->n * sizeof *g->frozen);
}

/* ---- State ---- */

void sk_sweep_refresh(sk_sweep *g)
{
  if (g->kind == SK_SWEEP_FACTORED) memset(g->x, 0, (size_t)g->x_size * sizeof *g->x);
  if (g->kind != SK_SWEEP_PULL) sk_team_run(g->team, g->refresh_job);
}

void sk_sweep_set(sk_sweep *g, const double *r)
{
  memmove(g->r, r, 3 * (size_t)g->s->n * sizeof *r);
  sk_sweep_refresh(g);
}

void sk_sweep_contact_velocity(const sk_sweep *g, int i, double *u)
{
  if (g->kind == SK_SWEEP_PUSH) memcpy(u, g->x + 4 * (size_t)i, 3 * sizeof *u);
  else if (g->kind == SK_SWEEP_PULL) pull_explicit(g->s, g->r, i, u);
  else g->s->kernels->pull(g->s, g->x, i, u);
}

static void make_contact(sk_sweep *g, int i, double tol)
{
  sk_one p = {.mu = g->s->mu[i]};
  memcpy(p.W, g->s->Wii + 9 * (size_t)i, sizeof p.W);
  double trace = p.W[0] + p.W[4] + p.W[8];
  g->weight[i] = trace / 3;
  g->contact[i] = sk_secular_make(&p);
  if (g->contact[i].l1 == 0 || g->contact[i].l2 == 0) { /* singular W_ii: proximal term, same fixed point */
    for (int k = 0; k < 9; k += 4) p.W[k] += 1e-3 * trace;
    g->contact[i] = sk_secular_make(&p);
  }
  g->contact[i].stop = fmin(1e-3, fmax(1e-8, 0.1 * sqrt(tol))); /* the step after it squares this */
}

static void make_contacts(sk_sweep *g, double tol)
{
  int threads = SK_MIN(g->threads, g->s->n / SK_LARGE);
  if (threads < 2) {
    for (int i = 0; i < g->s->n; i++) make_contact(g, i, tol);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(static, 64)
  for (int i = 0; i < g->s->n; i++) make_contact(g, i, tol);
}

/* The order of the system, or all in one piece; its team. */
static skein_status make_team(sk_sweep *g, sk_arena *arena)
{
  const sk_system *s = g->s;
  if (!s->order.pieces) {
    g->whole = (sk_order){1, SK_NEW(arena, 2, int), SK_NEW(arena, 1, int), SK_NEW(arena, 1, double)};
    if (arena->failed) return sk_no_memory();
    g->whole.start[1] = s->n, g->threads = 1;
  }
  g->order = s->order.pieces ? &s->order : &g->whole;
  g->part = SK_NEW(arena, g->order->pieces, sk_sweep_part);
  if (arena->failed || !(g->team = sk_team_make(g->order, g->threads, arena))) return sk_no_memory();
  g->sweep_job = sk_team_learn(g->team, sweep_piece, g, true);
  g->refresh_job = sk_team_learn(g->team, refresh_piece, g, true);
  g->measure_job = sk_team_learn(g->team, measure_piece, g, false);
  return sk_ok();
}

skein_status sk_sweep_make(sk_work *w, sk_sweep *g)
{
  const sk_system *s = w->system;
  sk_arena *arena = &w->arena;
  *g = (sk_sweep){.s = s,
                  .omega = 1,
                  .local = w->def->local,
                  .failsafe = w->def->failsafe,
                  .ball = w->def->ball,
                  .local_tol = w->def->local_tol,
                  .scale = w->def->measure == SKEIN_ERROR_FB ? (sk_scale){1, 1} : s->scale,
                  .ignore = 0.005 * w->def->tol * (w->def->measure == SKEIN_ERROR_FB ? 1 : s->scale.U),
                  .threads = w->def->threads > 0 ? w->def->threads : omp_get_max_threads()};
  g->kind = s->form == SKEIN_FACTORED ? SK_SWEEP_FACTORED : s->n < SK_LARGE ? SK_SWEEP_PUSH : SK_SWEEP_PULL;
  g->x_size = g->kind == SK_SWEEP_PUSH ? 4 * s->n : g->kind == SK_SWEEP_FACTORED ? s->y_size : 0;
  g->r = SK_NEW_RAW(arena, 3 * (size_t)s->n, double);
  g->x = SK_NEW_RAW(arena, g->x_size, double);
  g->contact = SK_NEW_RAW(arena, s->n, sk_secular);
  g->weight = SK_NEW_RAW(arena, s->n, double), g->error = SK_NEW_RAW(arena, s->n, double);
  g->frozen = SK_NEW(arena, s->n, int);
  if (w->def->accelerate == SKEIN_RELAX)
    g->last = SK_NEW(arena, 3 * (size_t)s->n, double), g->own = SK_NEW_RAW(arena, s->n, double);
  if (arena->failed) return sk_no_memory();
  make_contacts(g, w->def->tol);
  return make_team(g, arena);
}
