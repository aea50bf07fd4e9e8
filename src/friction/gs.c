/* `gs`: Gauss-Seidel over contacts with any local solver (Daviet et al. 2011, algorithm 1), contact freezing, warm
 * start, Anderson acceleration or over-relaxation, patches. The sweeps themselves are in sweep.c. */
#include "friction/anderson.h"
#include "friction/patch.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <string.h>

typedef struct gs {
  sk_sweep sweep;
  sk_anderson anderson;
  bool accelerate;
  int next_look, next_tell;
  double lowest;       /* smallest residual norm of a sweep so far */
  int without;         /* accelerated sweeps since it fell */
  int rest, rest_next; /* plain sweeps still to do; the next rest is twice as long */
  double *plain;       /* 3 n: where the plain iteration stands */
  double least;        /* smallest error of a look so far, and when that was */
  int least_at;
  bool done;
  bool measured;           /* the last look was at all contacts */
  int next_patch, patches; /* sweeps before the next patch; how many there were */
} gs;

/* Over-relaxation: 1.3 took the fewest sweeps on Free/A (1,920 rods: 578 -> 401 from nothing; 300 rods with a warm
 * start: 31 -> 22); 1.7 never arrived. */
static const double over = 1.3;

/* Contacts that go to and fro learn to take shorter steps in over-relaxed sweeps: patches before this many of them
 * would disturb that. */
enum { late = 150 };

/* Whether the island is so large that some of its contacts may be worth sweeps of their own; and some of a patch. Plain
 * sweeps stay what they are: the paper's. */
static bool has_patches(const sk_work *w)
{
  if (w->def->accelerate == SKEIN_ACCELERATE_NONE) return false;
  return w->system->form == SKEIN_FACTORED && w->system->n >= (w->is_patch ? 500 : SK_LARGE);
}

/* Sweeps between two full evaluations of the error. More of them did not save sweeps: 0.998 of the number with one
 * after every sweep, in the mean of 26 problems. */
static int look(const sk_work *w)
{
  return has_patches(w) || w->is_patch ? 10 : 20;
}

static skein_status make(sk_work *w, gs *g)
{
  *g = (gs){.accelerate = w->def->accelerate == SKEIN_ANDERSON, .lowest = INFINITY, .least = INFINITY, .rest_next = 40};
  skein_status status = sk_sweep_make(w, &g->sweep);
  if (status.code || w->arena.failed) return sk_no_memory();
  if (w->def->accelerate == SKEIN_RELAX) g->sweep.omega = over, g->next_patch = w->iterations + late;
  if (w->def->freeze && !g->accelerate) g->sweep.freeze_below = 0.02 * w->def->tol * g->sweep.scale.U;
  return sk_ok();
}

static skein_status make_acceleration(sk_work *w, gs *g)
{
  size_t m = 3 * (size_t)w->system->n;
  g->plain = SK_NEW_RAW(&w->arena, m, double);
  sk_anderson_def def = {.n = w->system->n,
                         .x_size = g->sweep.x_size,
                         .r = g->sweep.r,
                         .x = g->sweep.x,
                         .weight = g->sweep.weight,
                         .order = g->sweep.order,
                         .team = g->sweep.team};
  skein_status status = sk_anderson_make(&def, &w->arena, &g->anderson);
  if (status.code == SKEIN_OK) memcpy(g->plain, w->r, m * sizeof *g->plain);
  return status;
}

/* Mixes the last sweeps, unless that has stopped helping: then the plain iteration, which starts at the guess and knows
 * nothing of the mixing, goes on for a while, each time twice as long; so the plain iteration always gets its share.
 * Mixing restarts when the residual doubles (measured against fourfold: fewer sweeps on the real problems). */
static void accelerate(const sk_work *w, gs *g)
{
  enum { patience = 30 };
  if (g->rest > 0) {
    if (--g->rest > 0) return;
    memcpy(g->plain, g->sweep.r, 3 * (size_t)w->system->n * sizeof *g->plain);
    sk_sweep_set(&g->sweep, w->r); /* the best iterate of both */
    sk_anderson_restart(&g->anderson);
    return;
  }
  sk_anderson_mix(&g->anderson);
  g->without = g->anderson.norm < 0.9 * g->lowest ? 0 : g->without + 1;
  if (g->without == 0) g->lowest = g->anderson.norm;
  if (g->anderson.norm > 2 * g->anderson.best) sk_anderson_restart(&g->anderson);
  if (g->without < patience) return;
  g->rest = g->rest_next, g->rest_next *= 2;
  g->without = 0, g->lowest = INFINITY;
  sk_sweep_set(&g->sweep, g->plain);
}

/* Over-relaxed sweeps that have stopped helping, or go round in circles, go on as damped ones. */
static void moderate(const sk_work *w, gs *g, double error)
{
  enum { patience = 60 };
  if (error < 0.9 * g->least) g->least = error, g->least_at = w->iterations;
  if (w->iterations - g->least_at >= patience) sk_sweep_damp(&g->sweep);
}

/* Whether the contact that was the worst and some behind it are within tol: most sweeps are not the last, which that
 * tells at once. */
static bool may_be_within(sk_work *w, const sk_sweep *g)
{
  enum { some = 256 };
  int n = w->system->n;
  for (int k = 0, i = w->suspect; k < SK_MIN(n, (int)some); k++, i = i + 1 < n ? i + 1 : 0) {
    double u[3];
    sk_sweep_contact_velocity(g, i, u);
    if (!(sk_work_contact(w, i, g->r + 3 * (size_t)i, u) <= w->def->tol)) return w->suspect = i, false;
  }
  return true;
}

/* Tells the caller an error that the solver itself does not look at, and leaves no trace of that: whoever watches sees
 * the same bits. True when the caller says stop. */
static bool tell(sk_work *w, gs *g)
{
  int worst;
  if (!w->def->progress || w->iterations < g->next_tell) return false;
  g->next_tell = w->def->look > 0 ? w->iterations + w->def->look : INT_MAX;
  return sk_work_tell(w, sk_sweep_measure(&g->sweep, &worst));
}

/* Looks at the error after a sweep where it may be within tol, and from time to time. The velocity is the one that the
 * sweep keeps; the caller of the solver has the last word, with a fresh one. */
static bool finished(sk_work *w, gs *g, sk_watch *watch)
{
  bool full = w->iterations >= g->next_look || w->iterations >= w->def->max_sweeps;
  g->measured = false;
  if (g->sweep.change <= g->sweep.ignore / g->sweep.scale.U) sk_sweep_tighten(&g->sweep);
  if (!full && !may_be_within(w, &g->sweep)) return tell(w, g);
  if (full) sk_sweep_refresh(&g->sweep);
  double error = sk_sweep_measure(&g->sweep, &w->suspect);
  if (error < w->error) sk_work_keep(w, g->sweep.r, error);
  if (error > w->def->tol) sk_sweep_thaw(&g->sweep);
  g->measured = full;
  if (full) g->next_look = w->iterations + look(w);
  if (full && w->def->accelerate == SKEIN_RELAX) moderate(w, g, error);
  if (!full && error > w->def->tol) return tell(w, g);
  return sk_work_done(w, error) || (watch && watch->give_up(watch, w->iterations, error));
}

/* Whether it is time for a patch: all contacts were measured, and this is not the plain iteration. */
static bool wants_patch(const sk_work *w, const gs *g)
{
  return has_patches(w) && g->measured && g->rest == 0 && w->iterations >= g->next_patch;
}

/* Where few contacts are above the tolerance, these on their own; again after a few sweeps, and after ever more of them
 * where that does not end. */
static skein_status mend(sk_work *w, gs *g)
{
  enum { few = 5, usual = 10 };
  bool helped = false;
  skein_status status = sk_patch_solve(w, &g->sweep, &helped);
  if (status.code != SKEIN_OK || !helped) return status;
  double error = sk_sweep_measure(&g->sweep, &w->suspect);
  if (error < w->error) sk_work_keep(w, g->sweep.r, error);
  g->done = sk_work_done(w, error); /* before contacts that jump are visited again */
  g->next_look = g->next_patch = w->iterations + few * SK_MAX(1, ++g->patches - usual);
  if (g->accelerate) sk_anderson_restart(&g->anderson);
  return status;
}

/* Where the guess stands. */
static void begin(sk_work *w, gs *g, sk_watch *watch)
{
  (void)watch;
  sk_sweep_set(&g->sweep, w->r);
  g->done = finished(w, g, NULL);
}

/* Sweeps until all is done or a patch is wanted. */
static void go_on(sk_work *w, gs *g, sk_watch *watch)
{
  do {
    if (g->accelerate && !g->rest) sk_anderson_before(&g->anderson);
    sk_sweep_run(&g->sweep);
    w->iterations++, w->visits += w->system->n - g->sweep.resting;
    g->done = finished(w, g, watch) || sk_work_stopped(w);
    if (!g->done && g->accelerate) accelerate(w, g);
  } while (!g->done && !wants_patch(w, g));
}

/* A part of the iteration on the leading thread; the others are its team. */
static void lead(sk_work *w, gs *g, sk_watch *watch, void (*part)(sk_work *, gs *, sk_watch *))
{
  if (g->sweep.threads == 1) {
    part(w, g, watch);
    return;
  }
  sk_team_gather(g->sweep.team);
#pragma omp parallel num_threads(g->sweep.threads)
  {
    if (omp_get_thread_num() == 0) {
      part(w, g, watch);
      sk_team_dismiss(g->sweep.team);
    } else {
      sk_team_help(g->sweep.team, omp_get_thread_num());
    }
  }
}

skein_status sk_gs_run(sk_work *w, sk_watch *watch)
{
  gs g;
  skein_status status = make(w, &g);
  if (status.code) return status;
  g.next_look = w->iterations + look(w), g.next_tell = w->iterations; /* progress begins with the guess */
  lead(w, &g, watch, begin);
  if (!g.done && g.accelerate) status = make_acceleration(w, &g);
  while (!g.done && status.code == SKEIN_OK) {
    lead(w, &g, watch, go_on);
    if (!g.done) status = mend(w, &g);
  }
  sk_local_counts counts = sk_sweep_finish(&g.sweep);
  w->counts.solves += counts.solves;
  w->counts.alternates += counts.alternates;
  w->counts.failures += counts.failures;
  return status;
}

skein_status sk_solve_gs(sk_work *w)
{
  return sk_gs_run(w, NULL);
}
