/* The few contacts that hold a large island up. After some sweeps the error of most contacts is far below the
 * tolerance, and some pinched strands relax slowly among themselves: full sweeps then visit ten thousands of contacts
 * for the sake of a few. So these are solved on their own: all contacts of the objects whose contacts are not done,
 *
 *     u_A = W_AA r_A + b',   b' = u_A - W_AA r_A (now),
 *
 * with the impulses of all others as they are, by sweeps that see nothing but this patch: mixed ones, and where
 * contacts jump, damped ones after some of these. Then everybody sweeps on. That is a step of block Gauss-Seidel: the
 * same fixed points. */
#include "friction/patch.h"

#include <math.h>
#include <string.h>

/* By trial on 49 steps of Free/A and Curly, from their guesses, to 2e-3. */
enum { sweeps = 300, mixed = 60 };  /* over the patch, at most; mixed ones */
enum { wide = 1000 };               /* contacts from which a patch is worth all threads */
static const double done = 0.5;     /* of the tolerance: contacts below it need no help; patches are solved to it */
static const double largest = 0.25; /* of all contacts, in the patch */

/* Contacts of all objects that a contact which is not done touches; their number, 0: too many, or none. */
static int gather(const sk_sweep *g, double tol, bool *marked, int *rows)
{
  const sk_system *s = g->s;
  int count = 0, most = (int)(largest * s->n);
  for (int i = 0; i < s->n; i++)
    for (int64_t k = s->g_start[i]; g->error[i] > done * tol && k < s->g_start[i + 1]; k++) marked[s->g_y[k]] = true;
  for (int i = 0; i < s->n && count <= most; i++) {
    bool in = false;
    for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) in |= marked[s->g_y[k]];
    if (in) rows[count++] = i;
  }
  return count <= most ? count : 0;
}

/* b' of the part, and its impulses now. */
static void begin(const sk_sweep *g, const int *rows, sk_work *w, sk_system *part)
{
  for (int i = 0; i < part->n; i++) memcpy(w->r + 3 * i, g->r + 3 * (size_t)rows[i], 3 * sizeof(double));
  sk_system_velocity(part, w->r, w->u, w->y);
  for (int i = 0; i < part->n; i++) {
    double u[3];
    sk_sweep_contact_velocity(g, rows[i], u);
    for (int k = 0; k < 3; k++) part->b[3 * i + k] += u[k] - w->u[3 * i + k];
  }
}

/* Mixed sweeps, then damped ones. */
static skein_status run(sk_work *w, skein_solve_def *def)
{
  int most = def->max_sweeps;
  def->accelerate = SKEIN_ANDERSON, def->max_sweeps = SK_MIN(most, (int)mixed);
  skein_status status = sk_gs_run(w, NULL);
  if (status.code != SKEIN_OK || w->error <= def->tol || most <= mixed) return status;
  def->accelerate = SKEIN_RELAX, def->max_sweeps = most;
  return sk_gs_run(w, NULL);
}

skein_status sk_patch_solve(sk_work *whole, sk_sweep *g, bool *helped)
{
  const sk_system *s = g->s;
  sk_arena arena = {0};
  skein_solve_def def = *whole->def;
  sk_system part;
  *helped = false;
  int *rows = SK_NEW_RAW(&arena, s->n, int);
  bool *marked = SK_NEW(&arena, s->y_size, bool);
  int count = arena.failed ? 0 : gather(g, def.tol, marked, rows);
  skein_status status = arena.failed ? sk_no_memory() : sk_ok();
  if (status.code || count == 0) return sk_arena_free(&arena), status;
  double left = (double)(def.max_sweeps - whole->iterations) * s->n / count; /* sweeps of the patch */
  def.tol *= done, def.max_sweeps = (int)fmin(sweeps, left), def.progress = NULL;
  sk_order order = {0};
  if (count >= wide) status = sk_system_order(s, rows, count, &arena, &order);
  if (status.code == SKEIN_OK) status = sk_system_extract(s, rows, count, NULL, g->threads, &arena, &part);
  part.order = order;
  sk_work w = {.system = &part, .def = &def, .error = INFINITY, .started = whole->started, .is_patch = true};
  if (status.code == SKEIN_OK) {
    w.r = SK_NEW_RAW(&arena, 3 * (size_t)count, double), w.u = SK_NEW_RAW(&arena, 3 * (size_t)count, double);
    w.y = SK_NEW_RAW(&arena, part.y_size, double);
    if (arena.failed) status = sk_no_memory();
  }
  if (status.code == SKEIN_OK) {
    begin(g, rows, &w, &part);
    status = run(&w, &def);
    for (int i = 0; i < count; i++) memcpy(g->r + 3 * (size_t)rows[i], w.r + 3 * i, 3 * sizeof(double));
    sk_sweep_refresh(g);
    whole->visits += w.visits, whole->iterations += (int)(w.visits / s->n);
    *helped = true;
  }
  sk_arena_free(&w.arena), sk_arena_free(&arena);
  return status;
}
