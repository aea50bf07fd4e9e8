/* Gauss-Seidel sweeps over contacts (Daviet et al. 2011, algorithm 1): explicit W by pushing or pulling, factored W.
 *
 * Bytes per contact and sweep: explicit 76 per neighbour (about 50 in dense hair), factored 24 per dof of the objects
 * touched that is between the contact and the root (768 at most for two rods of 16). The same order of visits, hence
 * the same bits, for any number of threads. */
#include "friction/sweep.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
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

/* u_i = b_i + G_i y */
static void pull_factored(const sk_system *s, const double *y, int i, double *u)
{
  v4 a0 = {0}, a1 = {0}, a2 = {0};
  for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
    const double *G = s->G + s->g_at[k], *z = y + s->g_y[k];
    int width = s->g_width[k];
    for (int e = s->g_first[k]; e < width; e += 4) {
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
    for (int e = s->g_first[k]; e < width; e += 4)
      *(v4 *)(z + e) += *(const v4 *)(G + e) * dr[0] + *(const v4 *)(G + width + e) * dr[1] +
                        *(const v4 *)(G + 2 * width + e) * dr[2];
  }
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
  double u[3], *r = g->r + 3 * (size_t)i, next[3] = {r[0], r[1], r[2]};
  if (g->kind == SK_SWEEP_PUSH) memcpy(u, g->x + 4 * (size_t)i, sizeof u);
  else if (g->kind == SK_SWEEP_PULL) pull_explicit(g->s, g->r, i, u);
  else pull_factored(g->s, g->x, i, u);
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
  if (g->kind == SK_SWEEP_PUSH) push_explicit(g->s, g->x, i, dr);
  else if (g->kind == SK_SWEEP_FACTORED) push_factored(g->s, g->x, i, dr);
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

static void run_sequential(sk_sweep *g)
{
  double change = 0;
  for (int i = 0; i < g->s->n; i++) {
    double c = visit_or_rest(g, i, &g->counts, &g->resting);
    change = c > change ? c : change;
  }
  g->change = change;
}

static inline void cpu_pause(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/* ---- A team of threads on a large island ----
 * The system says in which pieces a sweep is done, stage by stage. A member does the pieces of its own part of the
 * island first, the same ones in every sweep: what it wrote is still in its cache, and reading what another core wrote
 * costs more than computing it. Then it helps with what is left of the stage. Progress hangs on work that is done and
 * not on threads that arrive: when another program holds a core, the threads that run go on without the one that waits
 * for it. The team stays for the whole solve; its members spin for a moment and then sleep until the next sweep. */

struct sk_team {
  int count;      /* pieces of a sweep */
  double *change; /* what a piece did in the last sweep */
  int *resting;
  sk_local_counts *counts;
  atomic_long *taken; /* the last sweep in which the piece was taken */
  atomic_long asked;  /* sweeps asked for */
  atomic_long done;   /* pieces done, over all sweeps */
  atomic_int sleeping;
  atomic_bool quit;
  pthread_mutex_t lock;
  pthread_cond_t work;
};

static skein_status make_team(sk_sweep *g, sk_arena *arena)
{
  int count = g->s->order.pieces;
  sk_team *t = g->team = SK_NEW(arena, 1, sk_team);
  if (!t) return sk_no_memory();
  t->count = count, t->change = SK_NEW(arena, count, double), t->resting = SK_NEW(arena, count, int);
  t->counts = SK_NEW(arena, count, sk_local_counts), t->taken = SK_NEW(arena, count, atomic_long);
  if (arena->failed) return sk_no_memory();
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->work, NULL);
  return sk_ok();
}

/* Does piece q in that sweep, unless another thread has taken it. */
static void try_piece(sk_sweep *g, int q, long sweep)
{
  sk_team *t = g->team;
  long last = sweep - 1;
  if (!atomic_compare_exchange_strong(&t->taken[q], &last, sweep)) return;
  double most = 0;
  int resting = 0;
  sk_local_counts counts = t->counts[q];
  for (int i = g->s->order.start[q]; i < g->s->order.start[q + 1]; i++) {
    double change = visit_or_rest(g, i, &counts, &resting);
    if (change > most) most = change;
  }
  t->change[q] = most, t->resting[q] = resting, t->counts[q] = counts;
  atomic_fetch_add(&t->done, 1);
}

/* What one thread does of a sweep. */
static void take_part(sk_sweep *g, int thread, long sweep)
{
  sk_team *t = g->team;
  const sk_order *o = &g->s->order;
  for (int first = 0, end = 0; first < t->count; first = end) {
    for (int waits = 1; atomic_load(&t->done) < (sweep - 1) * t->count + first; waits++) {
      cpu_pause();
      if (waits % 1024 == 0) sched_yield();
    }
    while (end < t->count && o->before[end] == o->before[first]) end++;
    for (int q = first; q < end; q++)
      if ((int)(o->home[q] * g->threads) == thread) try_piece(g, q, sweep);
    for (int q = end - 1; q >= first; q--)
      if ((int)(o->home[q] * g->threads) != thread) try_piece(g, q, sweep);
  }
}

static void wake(sk_team *t)
{
  if (!atomic_load(&t->sleeping)) return;
  pthread_mutex_lock(&t->lock);
  pthread_cond_broadcast(&t->work);
  pthread_mutex_unlock(&t->lock);
}

static bool idle(sk_team *t, long sweep)
{
  return atomic_load(&t->asked) == sweep && !atomic_load(&t->quit);
}

void sk_sweep_help(sk_sweep *g, int thread)
{
  enum { spins = 20000 };
  sk_team *t = g->team;
  for (long sweep = 0; !atomic_load(&t->quit);) {
    for (int k = 0; k < spins && idle(t, sweep); k++) cpu_pause();
    if (idle(t, sweep)) {
      pthread_mutex_lock(&t->lock);
      atomic_fetch_add(&t->sleeping, 1);
      while (idle(t, sweep)) pthread_cond_wait(&t->work, &t->lock);
      atomic_fetch_sub(&t->sleeping, 1);
      pthread_mutex_unlock(&t->lock);
    }
    long asked = atomic_load(&t->asked);
    if (asked > sweep) take_part(g, thread, sweep = asked);
  }
}

void sk_sweep_dismiss(sk_sweep *g)
{
  atomic_store(&g->team->quit, true);
  wake(g->team);
}

static void run_team(sk_sweep *g)
{
  sk_team *t = g->team;
  long sweep = atomic_fetch_add(&t->asked, 1) + 1;
  wake(t);
  take_part(g, 0, sweep);
  for (int waits = 1; atomic_load(&t->done) < sweep * t->count; waits++) {
    cpu_pause();
    if (waits % 1024 == 0) sched_yield();
  }
  g->change = 0;
  for (int q = 0; q < t->count; q++) {
    if (t->change[q] > g->change) g->change = t->change[q];
    g->resting += t->resting[q];
  }
}

void sk_sweep_finish(sk_sweep *g)
{
  sk_team *t = g->team;
  if (!t) return;
  for (int q = 0; q < t->count; q++) {
    g->counts.solves += t->counts[q].solves, g->counts.alternates += t->counts[q].alternates;
    g->counts.failures += t->counts[q].failures;
  }
  pthread_mutex_destroy(&t->lock);
  pthread_cond_destroy(&t->work);
}

void sk_sweep_run(sk_sweep *g)
{
  g->resting = 0;
  g->far_open = g->runs++ ? 20 * g->change * g->scale.U : INFINITY; /* what it would take many sweeps to close */
  if (g->team) run_team(g);
  else run_sequential(g);
  g->change /= g->scale.U;
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

void sk_sweep_contact_velocity(const sk_sweep *g, int i, double *u)
{
  if (g->kind == SK_SWEEP_PUSH) memcpy(u, g->x + 4 * (size_t)i, 3 * sizeof *u);
  else if (g->kind == SK_SWEEP_PULL) pull_explicit(g->s, g->r, i, u);
  else pull_factored(g->s, g->x, i, u);
}

void sk_sweep_velocity(const sk_sweep *g, double *u)
{
  for (int i = 0; i < g->s->n; i++) sk_sweep_contact_velocity(g, i, u + 3 * (size_t)i);
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

skein_status sk_sweep_make(sk_work *w, sk_sweep *g)
{
  const sk_system *s = w->system;
  sk_arena *arena = &w->arena;
  *g = (sk_sweep){.s = s,
                  .omega = 1,
                  .local = w->def->local,
                  .failsafe = w->def->failsafe,
                  .local_tol = w->def->local_tol,
                  .scale = w->def->measure == SKEIN_ERROR_FB ? (sk_scale){1, 1} : s->scale,
                  .ignore = 0.005 * w->def->tol * (w->def->measure == SKEIN_ERROR_FB ? 1 : s->scale.U),
                  .threads = w->def->threads > 0 ? w->def->threads : omp_get_max_threads()};
  g->kind = s->form == SKEIN_FACTORED ? SK_SWEEP_FACTORED : s->n < SK_LARGE ? SK_SWEEP_PUSH : SK_SWEEP_PULL;
  g->x_size = g->kind == SK_SWEEP_PUSH ? 4 * s->n : g->kind == SK_SWEEP_FACTORED ? s->y_size : 0;
  g->r = SK_NEW_RAW(arena, 3 * (size_t)s->n, double);
  g->x = SK_NEW_RAW(arena, g->x_size, double);
  g->contact = SK_NEW_RAW(arena, s->n, sk_secular);
  g->weight = SK_NEW_RAW(arena, s->n, double);
  g->frozen = SK_NEW(arena, s->n, int);
  if (w->def->accelerate == SKEIN_RELAX)
    g->last = SK_NEW(arena, 3 * (size_t)s->n, double), g->own = SK_NEW_RAW(arena, s->n, double);
  if (arena->failed) return sk_no_memory();
#pragma omp parallel for num_threads(SK_MAX(1, SK_MIN(g->threads, s->n / SK_LARGE))) schedule(static, 64)
  for (int i = 0; i < s->n; i++) make_contact(g, i, w->def->tol);
  return s->order.pieces && g->threads > 1 ? make_team(g, arena) : sk_ok();
}
