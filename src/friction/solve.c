/* skein_solve: the table of global solvers, islands, threads, and the final word on the error. */
#include "friction/solver.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sk_method_fn method_table[SKEIN_METHOD_COUNT] = {
    [SKEIN_AUTO] = sk_solve_auto,           [SKEIN_GS] = sk_solve_gs,
    [SKEIN_NEWTON_AC] = sk_solve_newton_ac, [SKEIN_NEWTON_MFB] = sk_solve_newton_mfb,
    [SKEIN_ADMM] = sk_solve_admm,           [SKEIN_IPM] = sk_solve_ipm,
};

skein_solve_def skein_default_solve_def(void)
{
  return (skein_solve_def){.method = SKEIN_AUTO,
                           .local = SKEIN_SECULAR,
                           .tol = 1e-6,
                           .local_tol = 1e-10,
                           .max_sweeps = 100000,
                           .accelerate = SKEIN_ANDERSON,
                           .freeze = true};
}

static skein_status check_def(const skein_solve_def *d)
{
  if ((unsigned)d->method >= SKEIN_METHOD_COUNT)
    return sk_fail(SKEIN_BAD_INPUT, "method is %d, expected a global solver", d->method);
  if ((unsigned)d->local >= SKEIN_LOCAL_COUNT)
    return sk_fail(SKEIN_BAD_INPUT, "local is %d, expected a local solver", d->local);
  if (!(d->tol >= 0)) return sk_fail(SKEIN_BAD_INPUT, "tol is %g, expected >= 0", d->tol);
  if (!(d->local_tol >= 0)) return sk_fail(SKEIN_BAD_INPUT, "local_tol is %g, expected >= 0", d->local_tol);
  if (d->max_sweeps < 0) return sk_fail(SKEIN_BAD_INPUT, "max_sweeps is %d, expected >= 0", d->max_sweeps);
  if (d->max_sweeps == 0 && d->tol == 0)
    return sk_fail(SKEIN_BAD_INPUT, "tol and max_sweeps are 0, expected one above: skein_default_solve_def() has both");
  if (!(d->max_seconds >= 0)) return sk_fail(SKEIN_BAD_INPUT, "max_seconds is %g, expected >= 0", d->max_seconds);
  if (d->look < 0) return sk_fail(SKEIN_BAD_INPUT, "look is %d, expected >= 0", d->look);
  if (d->threads < 0) return sk_fail(SKEIN_BAD_INPUT, "threads is %d, expected >= 0", d->threads);
  if ((unsigned)d->measure > SKEIN_ERROR_FB)
    return sk_fail(SKEIN_BAD_INPUT, "measure is %d, expected 0 or 1", d->measure);
  if ((unsigned)d->accelerate > SKEIN_RELAX)
    return sk_fail(SKEIN_BAD_INPUT, "accelerate is %d, expected 0 to 2", d->accelerate);
  if ((unsigned)d->ball > SKEIN_BALL_PLAIN) return sk_fail(SKEIN_BAD_INPUT, "ball is %d, expected 0 or 1", d->ball);
  if ((unsigned)d->operator_form > SKEIN_FACTORED)
    return sk_fail(SKEIN_BAD_INPUT, "operator_form is %d, expected 0 to 2", d->operator_form);
  return sk_ok();
}

/* ---- Islands ---- */

typedef struct outcome {
  bool converged; /* by its own account */
  skein_method method;
  int iterations;
  sk_local_counts counts;
} outcome;

typedef struct islands {
  int count;
  int *start, *contact;     /* contacts by island, ascending */
  int *position;            /* contact -> position in its island */
  sk_order *order;          /* of each island that is large */
  sk_system *part;          /* of each that is large: its own system */
  pthread_mutex_t *telling; /* of this solve */
  outcome *outcome;
} islands;

struct sk_solver {
  const skein_problem *problem;
  int threads;
  double *r, *u;        /* 3 n, d n: impulses at work, velocities where the caller wants none */
  sk_arena arena, work; /* of the problem; of the island at work */
  sk_system system;
  islands parts;
};

/* Contacts of a large island stand in the order in which they are visited, in a system of their own. */
static skein_status order_islands(const sk_system *s, int threads, sk_arena *arena, islands *p)
{
  skein_status status = sk_ok();
  for (int k = 0; k < p->count && status.code == SKEIN_OK; k++) {
    int *rows = p->contact + p->start[k], n = p->start[k + 1] - p->start[k];
    if (n < SK_LARGE) continue;
    status = sk_system_order(s, rows, n, arena, p->order + k);
    for (int i = 0; i < n; i++) p->position[rows[i]] = i;
    if (status.code == SKEIN_OK) status = sk_system_extract(s, rows, n, p->position, threads, arena, p->part + k);
    p->part[k].order = p->order[k];
  }
  return status;
}

static skein_status make_islands(const sk_system *s, int threads, sk_arena *arena, islands *p)
{
  int *island_of = SK_NEW(arena, s->n, int);
  if (arena->failed || (p->count = sk_system_islands(s, arena, island_of)) < 0) return sk_no_memory();
  p->start = SK_NEW(arena, p->count + 2, int), p->contact = SK_NEW(arena, s->n, int),
  p->position = SK_NEW(arena, s->n, int);
  p->outcome = SK_NEW(arena, p->count, outcome);
  p->order = SK_NEW(arena, p->count, sk_order), p->part = SK_NEW(arena, p->count, sk_system);
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < s->n; i++) p->position[i] = p->start[island_of[i] + 2]++;
  for (int k = 0; k < p->count; k++) p->start[k + 1] += p->start[k];
  for (int i = 0; i < s->n; i++) p->contact[p->start[island_of[i] + 1]++] = i;
  return order_islands(s, threads, arena, p);
}

/* Whether every contact of the island is open with no impulse: u = b, b_N >= 0. */
static bool takes_off(const sk_system *s, const int *rows, int n, const double *r)
{
  for (int i = 0; i < n; i++) {
    const double *a = r + 3 * rows[i];
    if (s->b[3 * rows[i]] < 0 || a[0] != 0 || a[1] != 0 || a[2] != 0) return false;
  }
  return true;
}

/* Solves one island with the memory of `arena`; r: impulses of the whole problem, three components per contact. */
static skein_status solve_island(const sk_system *whole, const islands *p, int k, const skein_solve_def *def,
                                 double started, sk_arena *arena, double *r)
{
  const int *rows = p->contact + p->start[k];
  int n = p->start[k + 1] - p->start[k];
  sk_work w = {.system = whole,
               .def = def,
               .error = INFINITY,
               .started = started,
               .method = def->method,
               .telling = p->telling,
               .arena = *arena};
  sk_system part;
  skein_status status = sk_ok();
  if (takes_off(whole, rows, n, r)) {
    p->outcome[k] = (outcome){.method = def->method, .converged = true};
    return status;
  }
  if (n >= SK_LARGE) {
    w.system = p->part + k;
  } else if (p->count > 1) {
    status = sk_system_extract(whole, rows, n, p->position, 1, &w.arena, &part);
    w.system = &part;
  }
  if (status.code == SKEIN_OK) {
    w.r = SK_NEW_RAW(&w.arena, 3 * (size_t)n, double), w.u = SK_NEW_RAW(&w.arena, 3 * (size_t)n, double);
    w.y = SK_NEW_RAW(&w.arena, w.system->y_size, double);
    if (w.arena.failed) status = sk_no_memory();
  }
  if (status.code == SKEIN_OK) {
    for (int i = 0; i < n; i++) memcpy(w.r + 3 * i, r + 3 * rows[i], 3 * sizeof *r);
    status = method_table[def->method](&w);
    for (int i = 0; i < n; i++) memcpy(r + 3 * rows[i], w.r + 3 * i, 3 * sizeof *r);
  }
  sk_arena_reset(&w.arena);
  *arena = w.arena;
  p->outcome[k] =
      (outcome){.converged = w.error <= def->tol, .method = w.method, .iterations = w.iterations, .counts = w.counts};
  return status;
}

/* The islands that are large, or those that are not, one after the other; the first failure. */
static skein_status solve_some(const sk_system *s, const islands *p, bool big, const skein_solve_def *def,
                               double started, sk_arena *arena, double *r)
{
  skein_status status = sk_ok();
  for (int k = 0; k < p->count && status.code == SKEIN_OK; k++)
    if ((p->start[k + 1] - p->start[k] >= SK_LARGE) == big) status = solve_island(s, p, k, def, started, arena, r);
  return status;
}

/* Large islands one after the other, each with all threads; small ones side by side. */
static skein_status solve_islands(const sk_system *s, const islands *p, const skein_solve_def *def, double started,
                                  sk_arena *work, double *r)
{
  skein_status status = solve_some(s, p, true, def, started, work, r);
  if (def->threads == 1 || p->count < 2) return status.code ? status : solve_some(s, p, false, def, started, work, r);
#pragma omp parallel num_threads(def->threads)
  {
    sk_arena arena = {0};
#pragma omp for schedule(dynamic, 8)
    for (int k = 0; k < p->count; k++) {
      if (p->start[k + 1] - p->start[k] >= SK_LARGE) continue;
      skein_status own = solve_island(s, p, k, def, started, &arena, r);
      if (!own.code) continue;
      pthread_mutex_lock(p->telling);
      status = own;
      pthread_mutex_unlock(p->telling);
    }
    sk_arena_free(&arena);
  }
  return status;
}

static void collect(const islands *p, skein_solve_info *info)
{
  int largest = 0;
  info->islands = p->count, info->converged = true;
  for (int k = 0; k < p->count; k++) {
    const outcome *o = p->outcome + k;
    int size = p->start[k + 1] - p->start[k];
    if (size > largest) largest = size, info->method = o->method;
    info->iterations = SK_MAX(info->iterations, o->iterations);
    info->converged &= o->converged;
    info->local_solves += o->counts.solves, info->local_alternates += o->counts.alternates;
    info->local_failures += o->counts.failures;
  }
}

/* Open, stick or slide: open where u_N outweighs r_N w, w making the units agree; the rest by its slip. */
static void count_status(const skein_problem *p, const double *r, const double *u, double w, skein_solve_info *info)
{
  double speed = 0;
  info->stick = info->slide = info->open = 0;
  for (int i = 0; i < p->d * p->contacts; i++) speed = fmax(speed, fabs(u[i]));
  for (int i = 0; i < p->contacts; i++) {
    const double *a = r + p->d * i, *v = u + p->d * i;
    double slip = p->d == 3 ? sqrt(v[1] * v[1] + v[2] * v[2]) : fabs(v[1]);
    if (!(a[0] > 0) || a[0] * w < v[0]) info->open++;
    else if (slip > 1e-6 * speed) info->slide++;
    else info->stick++;
  }
}

/* The final word: error by the full operator, velocities, statuses. */
static skein_status report(const skein_problem *p, const skein_solve_def *def, const sk_error_def *known,
                           skein_solution *out, double *u, skein_solve_info *info)
{
  if (out->u) u = out->u;
  skein_status status = sk_problem_error(p, out->r, known, &info->error, u, out->v);
  if (status.code) return status;
  info->converged = (def->measure == SKEIN_ERROR_FB ? info->error.fb : info->error.rel) <= def->tol;
  count_status(p, out->r, u, known->scale ? known->scale->w : 0, info);
  return status;
}

/* ---- A problem made ready ---- */

sk_solver *sk_solver_create(void)
{
  return sk_calloc(1, sizeof(sk_solver));
}

void sk_solver_destroy(sk_solver *s)
{
  if (!s) return;
  sk_arena_free(&s->arena), sk_arena_free(&s->work);
  free(s);
}

skein_status sk_solver_set(sk_solver *s, const skein_problem *p, skein_operator form, int threads)
{
  sk_arena_reset(&s->arena);
  s->problem = p, s->threads = threads, s->parts = (islands){0};
  skein_status status = sk_system_make(p, form, threads, &s->arena, &s->system);
  if (status.code == SKEIN_OK) status = make_islands(&s->system, threads, &s->arena, &s->parts);
  s->r = SK_NEW_RAW(&s->arena, 3 * (size_t)p->contacts, double);
  s->u = SK_NEW_RAW(&s->arena, (size_t)p->d * (size_t)p->contacts, double);
  return status.code ? status : s->arena.failed ? sk_no_memory() : sk_ok();
}

void sk_solver_update(sk_solver *s)
{
  islands *p = &s->parts;
  sk_system_update(s->problem, s->threads, &s->system);
  for (int k = 0; k < p->count; k++) {
    int n = p->start[k + 1] - p->start[k];
    if (n >= SK_LARGE) sk_system_update_part(&s->system, p->contact + p->start[k], n, p->part + k);
  }
}

/* One attempt, from out->r. */
static skein_status attempt(sk_solver *s, const skein_solve_def *def, double started, skein_solution *out,
                            skein_solve_info *info)
{
  const skein_problem *p = s->problem;
  double *r = s->r;
  memset(r, 0, 3 * (size_t)p->contacts * sizeof *r);
  for (int i = 0; def->warm_start && i < p->contacts; i++)
    for (int k = 0; k < p->d; k++) r[3 * i + k] = isfinite(out->r[p->d * i + k]) ? out->r[p->d * i + k] : 0;
  pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
  s->parts.telling = &telling;
  skein_status status = solve_islands(&s->system, &s->parts, def, started, &s->work, r);
  pthread_mutex_destroy(&telling);
  if (status.code == SKEIN_OK) collect(&s->parts, info);
  for (int i = 0; i < p->contacts; i++)
    for (int k = 0; k < p->d; k++) out->r[p->d * i + k] = r[3 * i + k];
  return status;
}

skein_status sk_solver_run(sk_solver *s, const skein_solve_def *def, skein_solution *out, skein_solve_info *info)
{
  double started = sk_seconds();
  skein_solve_def d = *def;
  sk_error_def known = {&s->system.scale, s->system.parts, s->threads};
  skein_status status = sk_ok();
  bool again = true;
  d.threads = s->threads;
  *info = (skein_solve_info){.threads = s->threads, .operator_form = s->system.form};
  for (int round = 0; again && round < 3; round++) { /* a solver works on velocities that it updates: they may drift */
    status = attempt(s, &d, started, out, info);
    bool claimed = info->converged;
    if (status.code == SKEIN_OK) status = report(s->problem, &d, &known, out, s->u, info);
    again = status.code == SKEIN_OK && claimed && !info->converged;
    d.warm_start = true;
  }
  info->seconds = sk_seconds() - started;
  return status;
}

/* ---- The call ---- */

/* r = 0 is a solution already: nothing to build, nothing to solve. Reduced form only, where u = b is at hand. */
static bool nothing_to_do(const skein_problem *p, const skein_solve_def *def)
{
  if (p->form != SKEIN_REDUCED || def->warm_start) return false;
  sk_scale scale = {0, 1};
  for (int i = 0; i < p->d * p->contacts; i++) scale.U = fmax(scale.U, fabs(p->b[i]));
  if (!(scale.U > 0) || def->measure == SKEIN_ERROR_FB) scale.U = 1;
  double zero[3] = {0};
  for (int i = 0; i < p->contacts; i++)
    if (sk_contact_error(p->d, zero, p->b + p->d * i, p->mu[i], scale) > def->tol) return false;
  return true;
}

/* Nothing to build, nothing to solve. */
static skein_status solve_nothing(sk_solver *s, const skein_problem *p, const skein_solve_def *def, skein_solution *out,
                                  skein_solve_info *info)
{
  sk_arena_reset(&s->arena);
  double *u = SK_NEW_RAW(&s->arena, (size_t)p->d * (size_t)p->contacts, double);
  *info = (skein_solve_info){.threads = def->threads};
  return u ? report(p, def, &(sk_error_def){.threads = 1}, out, u, info) : sk_no_memory();
}

/* def is sound and says how many threads; so is p. */
static skein_status solve(sk_solver *s, const skein_problem *p, const skein_solve_def *def, double started,
                          skein_solution *out, skein_solve_info *info)
{
  if (!def->warm_start && p->contacts) memset(out->r, 0, (size_t)p->d * (size_t)p->contacts * sizeof *out->r);
  if (!p->contacts || nothing_to_do(p, def)) return solve_nothing(s, p, def, out, info);
  skein_status status = sk_solver_set(s, p, def->operator_form, def->threads);
  double setup = sk_seconds() - started;
  if (status.code == SKEIN_OK) status = sk_solver_run(s, def, out, info);
  info->seconds_setup = setup;
  return status;
}

static skein_status check_call(const skein_problem *p, const skein_solve_def *def, const skein_solution *out)
{
  skein_status status = check_def(def);
  if (status.code == SKEIN_OK) status = skein_problem_check(p);
  if (status.code == SKEIN_OK && p->contacts && !out->r)
    status = sk_fail(SKEIN_BAD_INPUT, "solution.r is NULL, expected %d doubles", p->d * p->contacts);
  return status;
}

/* A solver for the caller is one of ours. */
skein_solver *skein_solver_create(void)
{
  return (skein_solver *)sk_solver_create();
}

void skein_solver_destroy(skein_solver *solver)
{
  sk_solver_destroy((sk_solver *)solver);
}

skein_status skein_solver_solve(skein_solver *solver, const skein_problem *p, const skein_solve_def *def,
                                skein_solution *out, skein_solve_info *info)
{
  double started = sk_seconds();
  skein_solve_def d = *def;
  *info = (skein_solve_info){0};
  skein_status status = check_call(p, def, out);
  if (status.code) return status;
  if (d.threads == 0) d.threads = omp_get_max_threads();
  status = solve((sk_solver *)solver, p, &d, started, out, info);
  info->seconds = sk_seconds() - started;
  return status;
}

skein_status skein_solve(const skein_problem *p, const skein_solve_def *def, skein_solution *out,
                         skein_solve_info *info)
{
  sk_solver s = {0};
  skein_status status = skein_solver_solve((skein_solver *)&s, p, def, out, info);
  sk_arena_free(&s.arena), sk_arena_free(&s.work);
  return status;
}

skein_status skein_solve_batch(int count, const skein_problem *p, const skein_solve_def *def, skein_solution *out,
                               skein_solve_info *info)
{
  int threads = def->threads > 0 ? def->threads : omp_get_max_threads(), failed = count;
  skein_status status = sk_ok();
  pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
#pragma omp parallel num_threads(SK_MAX(1, SK_MIN(threads, count / 16)))
  {
    sk_solver s = {0};
    skein_solve_def own = *def;
    own.threads = 1;
#pragma omp for schedule(dynamic, 16)
    for (int k = 0; k < count; k++) {
      skein_status one = skein_solver_solve((skein_solver *)&s, &p[k], &own, &out[k], &info[k]);
      if (one.code == SKEIN_OK) continue;
      pthread_mutex_lock(&telling);
      if (k < failed) failed = k, status = one;
      pthread_mutex_unlock(&telling);
    }
    sk_arena_free(&s.arena), sk_arena_free(&s.work);
  }
  pthread_mutex_destroy(&telling);
  char name[32];
  snprintf(name, sizeof name, "problem %d", failed);
  return sk_status_prefix(status, name);
}
