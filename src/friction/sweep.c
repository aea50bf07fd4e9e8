/* Gauss-Seidel sweeps over contacts (Daviet et al. 2011, algorithm 1): explicit W by pushing or pulling, factored W.
 *
 * Bytes per contact and sweep: explicit 76 per neighbour (about 50 in dense hair), factored 24 per dof of the objects
 * touched (768 for two rods of 16). The same order of visits, hence the same bits, for any number of threads. */
#include "friction/sweep.h"

#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

typedef double v4 __attribute__((vector_size(32), aligned(8)));

/* ---- Kernels: read the velocity of a contact, hand on the change of its impulse ---- */

static double sum4(v4 a)
{
  return (a[0] + a[1]) + (a[2] + a[3]);
}

/* u_j += W_ji dr; the block rows of W' hold W_ji'. Lane 3 of u is padding that nobody reads. */
static void push_explicit(const sk_system *s, double *u, int i, const double *dr)
{
  v4 d0 = {dr[0], dr[0], dr[0], dr[0]}, d1 = {dr[1], dr[1], dr[1], dr[1]}, d2 = {dr[2], dr[2], dr[2], dr[2]};
  const double *B = s->Wt.val + 9 * s->Wt.start[i];
  for (int64_t k = s->Wt.start[i]; k < s->Wt.start[i + 1]; k++, B += 9) {
    v4 *to = (v4 *)(u + 4 * (size_t)s->Wt.col[k]);
    *to += *(const v4 *)B * d0 + *(const v4 *)(B + 3) * d1 + *(const v4 *)(B + 6) * d2;
  }
}

/* u_i = b_i + sum_j W_ij r_j, through the blocks W_ji' of W' (one row of a block per component of r_j) */
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

/* u_i = b_i + G_i y */
static void pull_factored(const sk_system *s, const double *y, int i, double *u)
{
  v4 a0 = {0}, a1 = {0}, a2 = {0};
  for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
    const double *G = s->G + s->g_at[k], *z = y + s->g_y[k];
    int width = s->g_width[k];
    for (int e = 0; e < width; e += 4) {
      v4 t = *(const v4 *)(z + e);
      a0 += *(const v4 *)(G + e) * t;
      a1 += *(const v4 *)(G + width + e) * t;
      a2 += *(const v4 *)(G + 2 * width + e) * t;
    }
  }
  u[0] = s->b[3 * i] + sum4(a0), u[1] = s->b[3 * i + 1] + sum4(a1), u[2] = s->b[3 * i + 2] + sum4(a2);
}

/* y += G_i' dr */
static void push_factored(const sk_system *s, double *y, int i, const double *dr)
{
  for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
    const double *G = s->G + s->g_at[k];
    double *z = y + s->g_y[k];
    int width = s->g_width[k];
    for (int e = 0; e < width; e += 4)
      *(v4 *)(z + e) += *(const v4 *)(G + e) * dr[0] + *(const v4 *)(G + width + e) * dr[1] +
                        *(const v4 *)(G + 2 * width + e) * dr[2];
  }
}

/* ---- One visit ---- */

/* The impulse of contact i for its current velocity u and impulse r; false: no local solution, r is kept. */
static bool solve_contact(sk_sweep *g, int i, const double *u, double *r, sk_local_counts *counts)
{
  double b[3];
  if (g->local == SKEIN_SECULAR && !g->failsafe) {
    counts->solves++;
    if (sk_secular_visit(g->contact + i, u, r)) return true;
    counts->failures++;
    return false;
  }
  const double *W = g->s->Wii + 9 * (size_t)i;
  for (int k = 0; k < 3; k++) b[k] = u[k] - (W[3 * k] * r[0] + W[3 * k + 1] * r[1] + W[3 * k + 2] * r[2]);
  sk_one p = sk_one_make(3, W, b, g->s->mu[i]);
  return sk_one_solve(&p, g->local, g->failsafe, g->scale, g->local_tol, r, counts);
}

/* Visits contact i; the size of its change, |dr_i| w_i. */
static inline double visit(sk_sweep *g, int i, sk_local_counts *counts)
{
  double u[3], *r = g->r + 3 * (size_t)i, next[3] = {r[0], r[1], r[2]};
  if (g->kind == SK_SWEEP_PUSH) memcpy(u, g->x + 4 * (size_t)i, sizeof u);
  else if (g->kind == SK_SWEEP_PULL) pull_explicit(g->s, g->r, i, u);
  else pull_factored(g->s, g->x, i, u);
  solve_contact(g, i, u, next, counts);
  double dr[3] = {next[0] - r[0], next[1] - r[1], next[2] - r[2]};
  double size = (fabs(dr[0]) + fabs(dr[1]) + fabs(dr[2])) * g->weight[i];
  if (size <= g->ignore) return size; /* nothing that anyone would notice */
  memcpy(r, next, sizeof next);
  if (g->kind == SK_SWEEP_PUSH) push_explicit(g->s, g->x, i, dr);
  else if (g->kind == SK_SWEEP_FACTORED) push_factored(g->s, g->x, i, dr);
  return size;
}

/* Freezing: a contact that hardly moved rests for some sweeps, longer the longer it has been at rest. */
static inline double visit_or_rest(sk_sweep *g, int i, sk_local_counts *counts, int *resting)
{
  enum { rest = 4 };
  if (g->frozen[i] > 0) {
    g->frozen[i]--, ++*resting;
    return 0;
  }
  double change = visit(g, i, counts);
  if (change < g->freeze_below) g->frozen[i] = rest;
  return change;
}

static void run_sequential(sk_sweep *g)
{
  double change = 0;
  for (int i = 0; i < g->s->n; i++) {
    double c = visit_or_rest(g, i, &g->counts, &g->resting);
    change = c > change ? c : change;
  }
  g->change = change;
}

typedef struct share {
  double change;
  int resting;
  sk_local_counts counts;
} share;

/* A sweep in pieces of at most `piece` contacts of one colour. A piece may be taken once all pieces of the colours before
 * are done. Progress hangs on work that is done and not on threads that arrive: when another program holds a core, the
 * threads that run go on without the one that waits for it. */
typedef struct pieces {
  atomic_int next, done;
} pieces;

enum { piece = 32 };

static int count_pieces(const sk_system *s, int colour)
{
  return (s->colour_start[colour + 1] - s->colour_start[colour] + piece - 1) / piece;
}

static void run_share(sk_sweep *g, pieces *p, share *own)
{
  const sk_system *s = g->s;
  int before = 0, waits = 0; /* pieces of the colours before */
  for (int c = 0; c < s->colours;) {
    int here = count_pieces(s, c), k = atomic_load(&p->next);
    if (k >= before + here) {
      before += here, c++;
      continue;
    }
    if (atomic_load(&p->done) < before) {
      if (++waits % 1024 == 0) sched_yield();
      continue;
    }
    if (!atomic_compare_exchange_strong(&p->next, &k, k + 1)) continue;
    int from = s->colour_start[c] + (k - before) * piece, to = SK_MIN(from + (int)piece, s->colour_start[c + 1]);
    for (int i = from; i < to; i++) {
      double change = visit_or_rest(g, i, &own->counts, &own->resting);
      own->change = change > own->change ? change : own->change;
    }
    atomic_fetch_add(&p->done, 1);
  }
}

static void run_coloured(sk_sweep *g)
{
  double change = 0;
  int resting = 0;
  int64_t solves = 0, alternates = 0, failures = 0;
  pieces p;
  atomic_init(&p.next, 0);
  atomic_init(&p.done, 0);
#pragma omp parallel num_threads(g->threads) reduction(max : change) reduction(+ : solves, alternates, failures, resting)
  {
    share own = {0};
    run_share(g, &p, &own);
    change = own.change, resting += own.resting;
    solves += own.counts.solves, alternates += own.counts.alternates, failures += own.counts.failures;
  }
  g->change = change, g->resting = resting;
  g->counts.solves += solves, g->counts.alternates += alternates, g->counts.failures += failures;
}

void sk_sweep_run(sk_sweep *g)
{
  g->resting = 0;
  if (g->s->colours && g->threads > 1) run_coloured(g);
  else run_sequential(g);
  g->change /= g->scale.U;
}

void sk_sweep_thaw(sk_sweep *g)
{
  if (g->resting) memset(g->frozen, 0, (size_t)g->s->n * sizeof *g->frozen);
}

/* ---- State ---- */

void sk_sweep_refresh(sk_sweep *g)
{
  const sk_system *s = g->s;
  if (g->kind == SK_SWEEP_PUSH) {
    for (int i = 0; i < s->n; i++) {
      double *u = g->x + 4 * (size_t)i;
      pull_explicit(s, g->r, i, u);
      u[3] = 0;
    }
  } else if (g->kind == SK_SWEEP_FACTORED) {
    memset(g->x, 0, (size_t)g->x_size * sizeof *g->x);
    for (int i = 0; i < s->n; i++) push_factored(s, g->x, i, g->r + 3 * (size_t)i);
  }
}

void sk_sweep_set(sk_sweep *g, const double *r)
{
  memmove(g->r, r, 3 * (size_t)g->s->n * sizeof *r);
  sk_sweep_refresh(g);
}

static void contact_velocity(const sk_sweep *g, int i, double *u)
{
  if (g->kind == SK_SWEEP_PUSH) memcpy(u, g->x + 4 * (size_t)i, 3 * sizeof *u);
  else if (g->kind == SK_SWEEP_PULL) pull_explicit(g->s, g->r, i, u);
  else pull_factored(g->s, g->x, i, u);
}

void sk_sweep_velocity(const sk_sweep *g, double *u)
{
  if (!g->s->colours || g->threads == 1) {
    for (int i = 0; i < g->s->n; i++) contact_velocity(g, i, u + 3 * (size_t)i);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(g->threads)
  for (int i = 0; i < g->s->n; i++) contact_velocity(g, i, u + 3 * (size_t)i);
}

skein_status sk_sweep_make(sk_work *w, sk_sweep *g)
{
  const sk_system *s = w->system;
  sk_arena *arena = &w->arena;
  *g = (sk_sweep){.s = s, .local = w->def->local, .failsafe = w->def->failsafe, .local_tol = w->def->local_tol,
                  .scale = w->def->measure == SKEIN_ERROR_FB ? (sk_scale){1, 1} : s->scale,
                  .ignore = 0.02 * w->def->tol * (w->def->measure == SKEIN_ERROR_FB ? 1 : s->scale.U),
                  .threads = w->def->threads > 0 ? w->def->threads : omp_get_max_threads()};
  g->kind = s->form == SKEIN_FACTORED ? SK_SWEEP_FACTORED : s->n < SK_LARGE ? SK_SWEEP_PUSH : SK_SWEEP_PULL;
  g->x_size = g->kind == SK_SWEEP_PUSH ? 4 * s->n : g->kind == SK_SWEEP_FACTORED ? s->y_size : 0;
  g->r = SK_NEW_RAW(arena, 3 * (size_t)s->n, double);
  g->x = SK_NEW_RAW(arena, g->x_size, double);
  g->contact = SK_NEW_RAW(arena, s->n, sk_secular);
  g->weight = SK_NEW_RAW(arena, s->n, double);
  g->frozen = SK_NEW(arena, s->n, int);
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < s->n; i++) {
    sk_one p = {.mu = s->mu[i]};
    memcpy(p.W, s->Wii + 9 * (size_t)i, sizeof p.W);
    double trace = p.W[0] + p.W[4] + p.W[8];
    g->weight[i] = trace / 3;
    g->contact[i] = sk_secular_make(&p);
    if (g->contact[i].l1 == 0 || g->contact[i].l2 == 0) { /* singular W_ii: proximal term, same fixed point */
      for (int k = 0; k < 9; k += 4) p.W[k] += 1e-3 * trace;
      g->contact[i] = sk_secular_make(&p);
    }
    g->contact[i].stop = fmin(1e-3, fmax(1e-8, 0.1 * sqrt(w->def->tol))); /* the step after it squares this */
  }
  return sk_ok();
}
