/* `auto`: Gauss-Seidel with Anderson acceleration first; when its progress says that it will cost more than an
 * interior-point solve, the interior point; then Gauss-Seidel again if something is left to do.
 *
 * Costs are counted, never timed, so that the choice is the same on every run: nanoseconds of a nominal machine. */
#include "friction/kkt.h"
#include "friction/solver.h"

#include <math.h>
#include <string.h>

enum { newton_iterations = 15 }; /* of a typical interior-point solve, at any size */

typedef struct progress_watch {
  sk_watch base;
  sk_work *w;
  sk_kkt kkt;
  bool ordered, impossible;
  double visit_cost, newton_cost;
  double best; /* smallest error so far */
  int mark;    /* sweeps at the last mark, and the best error there: each 1.4 times the last */
  double mark_best;
  double rate; /* decrease of log(best) per sweep between the last two marks */
} progress_watch;

/* Of a contact, on average. */
static double cost_of_visit(const sk_system *s)
{
  if (s->form == SKEIN_EXPLICIT) return 50 + 3.0 * (double)s->W.start[s->n] / s->n;
  int64_t columns = 0;
  for (int64_t k = 0; k < s->g_start[s->n]; k++) columns += s->g_width[k] - s->g_first[k];
  return 50 + 3.9 * (double)columns / s->n;
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
  double spent = (double)p->w->visits * p->visit_cost, sweep = spent / sweeps;
  p->best = fmin(p->best, error);
  if (p->mark == 0) p->mark = sweeps, p->mark_best = p->best;
  if (sweeps >= 1.4 * p->mark) {
    p->rate = log(p->mark_best / p->best) / (sweeps - p->mark);
    p->mark = sweeps, p->mark_best = p->best;
  }
  if (sweeps < 80) return false;
  double left = p->rate > 0 ? log(p->best / p->w->def->tol) / p->rate * sweep : INFINITY;
  double least = cost_of_vectors(p->w->system); /* known without ordering the matrix */
  if (left < 1.5 * least || spent < 0.35 * least) return false;
  double newton = cost_of_newton(p);
  return (spent > 0.35 * newton && left > 1.5 * newton) || (spent > newton && left > 0.5 * newton);
}

/* The interior point leaves a small impulse where a contact is open, u_N > W_NN r_N: away with them, if the error stays
 * within the tolerance. */
static skein_status open_contacts(sk_work *w)
{
  const sk_system *s = w->system;
  double *r = SK_NEW_RAW(&w->arena, 3 * (size_t)s->n, double);
  if (!r) return sk_no_memory();
  memcpy(r, w->r, 3 * (size_t)s->n * sizeof *r);
  sk_system_velocity(s, r, w->u, w->y);
  for (int i = 0; i < s->n; i++)
    if (w->u[3 * i] > s->Wii[9 * (size_t)i] * r[3 * i]) r[3 * i] = r[3 * i + 1] = r[3 * i + 2] = 0;
  sk_system_velocity(s, r, w->u, w->y);
  double error = sk_work_measure(w, r, w->u);
  if (error <= w->def->tol) sk_work_keep(w, r, error);
  return sk_ok();
}

skein_status sk_solve_auto(sk_work *w)
{
  progress_watch watch = {.base.give_up = give_up, .w = w, .best = INFINITY, .visit_cost = cost_of_visit(w->system)};
  w->method = SKEIN_GS;
  skein_status status = sk_gs_run(w, &watch.base);
  bool limits = w->stop || w->iterations >= w->def->max_sweeps;
  if (status.code == SKEIN_OK && w->error > w->def->tol && !limits && watch.ordered && !watch.impossible) {
    const skein_solve_def *def = w->def;
    skein_solve_def finer = *def;
    finer.tol = 0.1 * def->tol; /* open_contacts needs room */
    w->method = SKEIN_IPM, w->kkt = &watch.kkt, w->def = &finer;
    status = sk_solve_ipm(w);
    w->def = def;
    limits = w->stop || w->iterations >= w->def->max_sweeps;
    if (status.code == SKEIN_OK && w->error > w->def->tol && !limits) {
      w->method = SKEIN_GS;
      status = sk_gs_run(w, NULL);
    }
    if (status.code == SKEIN_OK && w->error <= w->def->tol) status = open_contacts(w);
  } else {
    sk_kkt_destroy(&watch.kkt);
  }
  return status;
}
