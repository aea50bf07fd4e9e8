/* One island at work: error, best iterate, limits. */
#include "friction/solver.h"

#include <math.h>
#include <string.h>

static sk_scale measure_scale(const sk_work *w)
{
  return w->def->measure == SKEIN_ERROR_FB ? (sk_scale){1, 1} : w->system->scale;
}

double sk_work_measure(const sk_work *w, const double *r, const double *u)
{
  sk_scale scale = measure_scale(w);
  double error = 0;
  for (int i = 0; i < w->system->n; i++)
    error = fmax(error, sk_contact_error(3, r + 3 * i, u + 3 * i, w->system->mu[i], scale));
  return error;
}

double sk_work_contact(const sk_work *w, int i, const double *r, const double *u)
{
  return sk_contact_error(3, r, u, w->system->mu[i], measure_scale(w));
}

void sk_work_keep(sk_work *w, const double *r, double error)
{
  w->error = error;
  if (r != w->r) memcpy(w->r, r, 3 * (size_t)w->system->n * sizeof *r);
}

double sk_work_accept(sk_work *w, const double *r)
{
  sk_system_velocity(w->system, r, w->u, w->y);
  double error = sk_work_measure(w, r, w->u);
  if (error < w->error) sk_work_keep(w, r, error);
  return error;
}

bool sk_work_stopped(sk_work *w)
{
  const skein_stop *stop = &w->def->stop;
  if (stop->ask && stop->ask(stop->user)) w->stop = true;
  return w->stop;
}

bool sk_work_tell(sk_work *w, double error)
{
  const skein_solve_def *def = w->def;
  if (!def->progress) return w->stop;
  skein_progress p = {
      .iteration = w->iterations, .seconds = sk_seconds() - w->started, .method = skein_method_name(w->method)};
  bool rel = def->measure == SKEIN_ERROR_REL;
  p.error = (skein_error){.fb = rel ? NAN : error, .rel = rel ? error : NAN, .worst = -1};
  pthread_mutex_lock(w->telling); /* islands are solved side by side */
  bool stop = def->progress(def->user, &p);
  pthread_mutex_unlock(w->telling);
  if (stop) w->stop = true;
  return w->stop;
}

bool sk_work_done(sk_work *w, double error)
{
  const skein_solve_def *def = w->def;
  sk_work_tell(w, error);
  if (def->max_seconds > 0 && sk_seconds() - w->started > def->max_seconds) w->stop = true;
  return sk_work_stopped(w) || error <= def->tol || w->iterations >= def->max_sweeps;
}
