/* `auto`: Gauss-Seidel with Anderson acceleration first; when its progress says that it will cost more than an
 * interior-point solve, the interior point; then Gauss-Seidel again if something is left to do.
 *
 * Costs are counted, never timed, so that the choice is the same on every run: nanoseconds of a nominal machine. */
#include "friction/kkt.h"
#include "friction/solver.h"

#include <math.h>

enum { newton_iterations = 15 }; /* of a typical interior-point solve, at any size */

typedef struct progress_watch {
  sk_watch base;
  sk_work *w;
  sk_kkt kkt;
  bool ordered, impossible;
  double sweep_cost, newton_cost;
  double best; /* smallest error so far */
  int mark;    /* sweeps at the last mark, and the best error there: each 1.4 times the last */
  double mark_best;
  double rate; /* decrease of log(best) per sweep between the last two marks */
} progress_watch;

static double cost_of_sweep(const sk_system *s)
{
  double visits = 50.0 * s->n;
  if (s->form == SKEIN_FACTORED) return visits + 1.3 * (double)s->g_at[s->g_start[s->n]];
  return visits + 3.0 * (double)s->W.start[s->n];
}

/* An interior-point solve without its factorisations. */
static double cost_of_vectors(const sk_system *s)
{
  return newton_iterations * 3000.0 * s->n;
}

/* Orders the linear system of the interior-point method once; its cost, infinite when it is out of reach. */
static double cost_of_newton(progress_watch *p)
{
  if (p->ordered) return p->newton_cost;
  p->ordered = true;
  skein_status status = sk_kkt_make(p->w->system, &p->w->arena, &p->kkt);
  p->impossible = status.code != SKEIN_OK || p->kkt.lu.flops > 1e13;
  p->newton_cost = p->impossible ? INFINITY : newton_iterations * p->kkt.lu.flops / 8 + cost_of_vectors(p->w->system);
  return p->newton_cost;
}

static bool give_up(sk_watch *watch, int sweeps, double error)
{
  progress_watch *p = (progress_watch *)watch;
  double spent = sweeps * p->sweep_cost;
  p->best = fmin(p->best, error);
  if (p->mark == 0) p->mark = sweeps, p->mark_best = p->best;
  if (sweeps >= 1.4 * p->mark) {
    p->rate = log(p->mark_best / p->best) / (sweeps - p->mark);
    p->mark = sweeps, p->mark_best = p->best;
  }
  if (sweeps < 80) return false;
  double left = p->rate > 0 ? log(p->best / p->w->def->tol) / p->rate * p->sweep_cost : INFINITY;
  double least = cost_of_vectors(p->w->system); /* known without ordering the matrix */
  if (left < 1.5 * least || spent < 0.35 * least) return false;
  double newton = cost_of_newton(p);
  return (spent > 0.35 * newton && left > 1.5 * newton) || (spent > newton && left > 0.5 * newton);
}

skein_status sk_solve_auto(sk_work *w)
{
  progress_watch watch = {.base.give_up = give_up, .w = w, .best = INFINITY, .sweep_cost = cost_of_sweep(w->system)};
  w->method = SKEIN_GS;
  skein_status status = sk_gs_run(w, &watch.base);
  bool limits = w->stop || w->iterations >= w->def->max_sweeps;
  if (status.code == SKEIN_OK && w->error > w->def->tol && !limits && watch.ordered && !watch.impossible) {
    w->method = SKEIN_IPM, w->kkt = &watch.kkt;
    status = sk_solve_ipm(w);
    limits = w->stop || w->iterations >= w->def->max_sweeps;
    if (status.code == SKEIN_OK && w->error > w->def->tol && !limits) {
      w->method = SKEIN_GS;
      status = sk_gs_run(w, NULL);
    }
  } else {
    sk_kkt_destroy(&watch.kkt);
  }
  return status;
}
