/* `newton-ac` and `newton-mfb`: Newton on all contacts at once, for the stacked Alart-Curnier function
 * (Bertails-Descoubes et al. 2011, algorithms 1 and 2) or the stacked Fischer-Burmeister function (Daviet et al. 2011).
 *     (df/dr + df/du W) d = -f,  slope = f' A d,  Armijo's rule (Grippo, Lampariello, Lucidi 1986: not monotone)
 * Where that matrix is singular (over-constrained contacts), or its step leads nowhere, W in it becomes
 * W + alpha diag(w_i), a proximal term. */
#include "friction/kkt.h"
#include "friction/solver.h"

#include <math.h>
#include <string.h>

enum { MEMORY = 10 };

typedef struct newton {
  const sk_system *s; /* explicit */
  bool mfb;
  skein_ball ball; /* of Alart-Curnier */
  sk_kkt kkt;
  double merit[MEMORY];                                      /* the last ones */
  double *r, *u, *f, *step, *trial, *trial_u, *trial_f, *Ad; /* 3 n */
  double *dfdr, *dfdu, *E;                                   /* 9 n */
} newton;

/* f of one contact; rho = 1/w_i makes the units of u and r agree. */
static void contact_function(const newton *p, int i, const double *r, const double *u, double *f, double *dfdr,
                             double *dfdu)
{
  const double *W = p->s->Wii + 9 * (size_t)i;
  double w = (W[0] + W[4] + W[8]) / 3, mu = p->s->mu[i];
  if (!(w > 0)) w = p->s->scale.w;
  if (p->mfb && mu > 0) {
    sk_fb_eval(r, u, mu, 1 / w, f, dfdr, dfdu);
    return;
  }
  sk_ac_def ac = {p->ball, W[0] > 0 ? 1 / W[0] : 1 / w, W[4] + W[8] > 0 ? 2 / (W[4] + W[8]) : 1 / w};
  sk_ac_eval(r, u, mu, &ac, f, dfdr, dfdu);
}

/* All of f, in units of velocity (multiplied by w_i); |f|^2 / 2. */
static double evaluate(newton *p, const double *r, double *u, double *f, bool jacobian)
{
  double merit = 0, dr[9], du[9];
  sk_system_velocity(p->s, r, u, NULL);
  for (int i = 0; i < p->s->n; i++) {
    double *a = jacobian ? p->dfdr + 9 * (size_t)i : dr, *c = jacobian ? p->dfdu + 9 * (size_t)i : du;
    const double *W = p->s->Wii + 9 * (size_t)i;
    double w = (W[0] + W[4] + W[8]) / 3 / p->s->scale.w;
    if (!(w > 0)) w = 1;
    contact_function(p, i, r + 3 * i, u + 3 * i, f + 3 * i, a, c);
    for (int k = 0; k < 3; k++) f[3 * i + k] *= w, merit += 0.5 * f[3 * i + k] * f[3 * i + k];
    for (int k = 0; k < 9; k++) a[k] *= w, c[k] *= w;
  }
  return merit;
}

static const double singular =
    1e-13; /* pivots: two sticking contacts of one body have one that is zero but for rounding */

/* Factors df/dr + df/du (W + alpha diag w), alpha from 0 up until it is not singular. */
static bool factor(newton *p, double *alpha)
{
  for (int attempt = 0; attempt < 8; attempt++) {
    for (int i = 0; i < p->s->n; i++) {
      const double *W = p->s->Wii + 9 * (size_t)i;
      double shift = *alpha * (W[0] + W[4] + W[8]) / 3;
      for (int k = 0; k < 9; k++)
        p->E[9 * (size_t)i + (size_t)k] =
            p->dfdr[9 * (size_t)i + (size_t)k] + shift * p->dfdu[9 * (size_t)i + (size_t)k];
    }
    if (sk_kkt_factor_dual(&p->kkt, p->E, p->dfdu) && p->kkt.lu.rcond > singular) return true;
    *alpha = *alpha > 0 ? 100 * *alpha : 1e-10;
  }
  return false;
}

/* f' A d, A = df/dr + df/du W */
static double slope(newton *p)
{
  double sum = 0;
  for (int i = 0; i < 3 * p->s->n; i++) p->trial_f[i] = 0;
  sk_bsr_mul_add(&p->s->W, p->step, p->trial_f, p->Ad);
  for (int i = 0; i < p->s->n; i++)
    for (int k = 0; k < 3; k++) {
      const double *a = p->dfdr + 9 * (size_t)i + 3 * (size_t)k, *c = p->dfdu + 9 * (size_t)i + 3 * (size_t)k;
      double v = 0;
      for (int e = 0; e < 3; e++) v += a[e] * p->step[3 * i + e] + c[e] * p->Ad[3 * i + e];
      sum += p->f[3 * i + k] * v;
    }
  return sum;
}

/* Armijo's rule, halving, against the largest of the last merits: |f_AC|^2 has kinks, and Newton must be able to cross
 * them; |f_FB|^2 has none, there the last merit alone counts. False where no step is short enough: the elements on both
 * sides of a kink point at it. */
static bool line_search(newton *p, double gradient, double *t)
{
  enum { HALVINGS = 10 };
  double reference = 0;
  for (int k = 0; k < (p->mfb ? 1 : MEMORY); k++) reference = fmax(reference, p->merit[k]);
  *t = 1;
  for (int it = 0; it < HALVINGS; it++, *t *= 0.5) {
    for (int i = 0; i < 3 * p->s->n; i++) p->trial[i] = p->r[i] + *t * p->step[i];
    if (evaluate(p, p->trial, p->trial_u, p->trial_f, false) <= reference + 1e-4 * gradient * *t) return true;
  }
  return false;
}

/* One Newton step. Where the search fails, alpha grows until it does not: with a large alpha the step is that of the
 * projection itself, contact by contact. False where it ends. */
static bool advance(newton *p, int iteration, double *alpha)
{
  double size = 0, t;
  p->merit[p->mfb ? 0 : iteration % MEMORY] = evaluate(p, p->r, p->u, p->f, true);
  if (!factor(p, alpha)) return false;
  for (int i = 0; i < 3 * p->s->n; i++) p->trial[i] = -p->f[i];
  sk_kkt_solve(&p->kkt, p->trial, p->step);
  if (!line_search(p, slope(p), &t) && *alpha < 1e4) {
    *alpha = fmax(1, 10 * *alpha);
    return true;
  }
  for (int i = 0; i < 3 * p->s->n; i++) p->r[i] += t * p->step[i], size = fmax(size, fabs(p->r[i]));
  *alpha = *alpha < 1e-11 ? 0 : 0.1 * *alpha;
  return isfinite(size);
}

static skein_status make(sk_work *w, newton *p, sk_system *own)
{
  sk_arena *arena = &w->arena;
  skein_status status = sk_ok();
  p->s = w->system;
  if (p->s->form == SKEIN_FACTORED) { /* Newton on contacts needs W */
    *own = *w->system;
    status = sk_system_explicit(w->system, arena, &own->W);
    if (status.code) return status;
    own->Wt = own->W, own->form = SKEIN_EXPLICIT;
    p->s = own;
  }
  status = sk_kkt_make(p->s, arena, &p->kkt);
  size_t m = 3 * (size_t)p->s->n;
  double **vectors[] = {&p->r, &p->u, &p->f, &p->step, &p->trial, &p->trial_u, &p->trial_f, &p->Ad};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = SK_NEW(arena, m, double);
  double **blocks[] = {&p->dfdr, &p->dfdu, &p->E};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) *blocks[k] = SK_NEW(arena, 3 * m, double);
  return status.code ? status : arena->failed ? sk_no_memory() : sk_ok();
}

static skein_status solve(sk_work *w, bool mfb)
{
  newton p = {.mfb = mfb, .ball = w->def->ball};
  sk_system own;
  skein_status status = make(w, &p, &own);
  if (status.code == SKEIN_OK) {
    memcpy(p.r, w->r, 3 * (size_t)w->system->n * sizeof *p.r);
    double alpha = 0;
    while (!sk_work_done(w, sk_work_accept(w, p.r)) && advance(&p, w->iterations, &alpha)) w->iterations++;
  }
  sk_kkt_destroy(&p.kkt);
  return status;
}

skein_status sk_solve_newton_ac(sk_work *w)
{
  return solve(w, false);
}

skein_status sk_solve_newton_mfb(sk_work *w)
{
  return solve(w, true);
}
