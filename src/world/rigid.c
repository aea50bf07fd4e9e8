/* A step of rigid bodies in which forces are complementary to the *distances* at its end (Sauer and Schoemer 1998):
 *
 *     f >= 0,   delta(sigma(f)) >= 0,   f' delta = 0,     sigma(f) = s + dt S (u + M^-1 (N' f + dt f_ext)),
 *
 * f: normal impulses, delta: distances of the contacts in the poses sigma(f). Three ways to solve it:
 *
 *   newton   contacts that would close are bilateral, delta(sigma(f)) = 0 by Newton-Raphson; those that pull are
 *            released; where that does not end, as fischer
 *   fischer  Newton on phi(k_i f_i, delta_i) = 0, phi(a, b) = sqrt(a^2 + b^2) - a - b, k_i = d delta_i / d f_i, with
 *            a line search on the sum of squares
 *   lcp      a fixed point: delta linear about the poses of the last f, an LCP for the next one by Lemke's algorithm
 *
 * All start at the poses before the step, where the first LCP is the velocity formulation, and turn normals and arms
 * with the trial poses. Matrices are singular where more contacts hold a body than it has freedoms: Newton adds a small
 * part of the diagonal, which slows its last digits by that part and changes no answer. */
#include "world/rigid.h"

#include "sparse/sparse.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Dense work of `room` contacts. */
typedef struct work {
  int room;
  double *A, *x, *y, *base;
  int *row;
  lapack_int *order;
} work;

static bool make_room(sk_rigid *r, work *k)
{
  sk_arena *arena = &r->w->work.arena;
  if (k->A && r->count <= k->room) return true;
  size_t n = (size_t)r->room;
  k->room = r->room;
  k->A = SK_NEW_RAW(arena, n * n, double), k->x = SK_NEW_RAW(arena, n, double), k->y = SK_NEW_RAW(arena, n, double);
  k->row = SK_NEW_RAW(arena, n, int), k->order = SK_NEW_RAW(arena, n, lapack_int);
  k->base = SK_NEW_RAW(arena, r->dofs + 1, double);
  return !arena->failed;
}

/* Moves to what the impulses lead to, and looks there; false: no memory. *added: contacts that nobody had seen. */
static bool advance(sk_rigid *r, work *k, int *added)
{
  sk_rigid_move(r);
  *added = sk_rigid_look(r, true);
  r->iterations++;
  return *added >= 0 && make_room(r, k);
}

/* Contacts that press although the shapes do not have them where they are now; their number. They go. */
static int drop_phantoms(sk_rigid *r)
{
  int kept = 0, count = r->count;
  for (int i = 0; i < count; i++)
    if (r->at[i].seen || !(r->at[i].rows.weight * r->at[i].force.f > r->tol)) r->at[kept++] = r->at[i];
  r->count = kept;
  return count - kept;
}

/* ---- The fixed point over LCPs ---- */

/* delta' + dt N (u(f) - u') as A f + b, by rows. */
static void linearise(sk_rigid *r, work *k, double regular)
{
  int n = r->count;
  sk_rigid_velocities(r, false, k->base);
  for (int i = 0; i < n; i++) {
    const sk_grip *g = r->at + i;
    k->x[i] = g->place.distance + r->dt * (sk_rigid_speed(r, g, k->base) - sk_rigid_speed(r, g, r->motion.u));
    for (int j = 0; j < n; j++) k->A[(size_t)i * (size_t)n + (size_t)j] = sk_rigid_coupling(r, g, r->at + j, false);
    k->A[(size_t)i * (size_t)n + (size_t)i] += regular * g->rows.weight;
  }
}

static skein_status solve_lcp(sk_rigid *r, work *k, bool *converged)
{
  int added = 0;
  skein_lcp_def def = skein_default_lcp_def();
  def.tol = sk_limit.distances.lcp;
  *converged = false;
  for (int count = 0; count < sk_limit.newton.iterations; count++) {
    skein_lcp_info info = {0};
    for (int again = 0; again < 2 && !info.converged; again++) {
      linearise(r, k,
                again ? sk_limit.newton.regular
                      : 0); /* bodies that are clamped have an answer then, up to a small overlap */
      skein_status s = skein_lcp_solve(r->count, k->A, k->x, &def, k->y, NULL, &info);
      if (s.code != SKEIN_OK) return s;
    }
    for (int i = 0; i < r->count; i++) r->at[i].force.f = k->y[i];
    if (!advance(r, k, &added)) return sk_no_memory();
    if (sk_stop_asked(r->w->work.stop)) return sk_stopped();
    if (added > 0 || sk_rigid_error(r) > r->tol) continue;
    if (drop_phantoms(r) > 0) continue;
    *converged = true;
    return sk_ok();
  }
  return sk_ok();
}

/* ---- Newton ---- */

/* x <- A^-1 x of the first n; A by columns. */
static bool solve_dense(work *k, int n)
{
  return n == 0 || LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, 1, k->A, n, k->order, k->x, n) == 0;
}

/* The Newton step of the active contacts, which are to have distance 0; false: singular. */
static bool step_bilateral(sk_rigid *r, work *k)
{
  int n = 0;
  for (int i = 0; i < r->count; i++)
    if (r->at[i].active) k->row[n++] = i;
  for (int i = 0; i < n; i++) {
    const sk_grip *g = r->at + k->row[i];
    k->x[i] = -g->place.distance;
    for (int j = 0; j < n; j++)
      k->A[(size_t)j * (size_t)n + (size_t)i] = sk_rigid_coupling(r, g, r->at + k->row[j], true);
    k->A[(size_t)i * (size_t)n + (size_t)i] += sk_limit.newton.regular * g->rows.weight;
  }
  if (!solve_dense(k, n)) return false;
  for (int i = 0; i < n; i++) r->at[k->row[i]].force.f += k->x[i];
  return true;
}

/* Releases what pulls most, takes what has closed, a contact not more than twice; whether that changed anything. */
static bool change_active(sk_rigid *r)
{
  double most = 0;
  bool changed = false;
  for (int i = 0; i < r->count; i++)
    if (r->at[i].active) most = fmin(most, r->at[i].rows.weight * r->at[i].force.f);
  for (int i = 0; i < r->count; i++) {
    sk_grip *g = r->at + i;
    bool pulls = g->active && g->rows.weight * g->force.f < fmin(0.5 * most, -r->tol);
    bool closed = !g->active && g->released < sk_limit.newton.releases && g->place.distance < -r->tol;
    if (pulls) g->active = false, g->released++;
    if (closed) g->active = true;
    if (!g->active) g->force.f = 0;
    changed |= pulls || closed;
  }
  return changed;
}

static skein_status solve_newton(sk_rigid *r, work *k, bool *converged)
{
  int added;
  *converged = false;
  sk_rigid_velocities(r, false, k->base);
  for (int i = 0; i < r->count; i++) { /* those that press, touch, or would close */
    sk_grip *g = r->at + i;
    double end = g->place.distance + r->dt * (sk_rigid_speed(r, g, k->base) - sk_rigid_speed(r, g, r->motion.u));
    g->active = g->force.f > 0 || g->place.distance <= sk_limit.newton.touch * r->tol || end < -r->tol, g->released = 0;
  }
  for (int count = 0; count < sk_limit.newton.iterations; count++) {
    if (!advance(r, k, &added)) return sk_no_memory();
    if (sk_stop_asked(r->w->work.stop)) return sk_stopped();
    double worst = 0;
    for (int i = 0; i < r->count; i++)
      if (r->at[i].active) worst = fmax(worst, fabs(r->at[i].place.distance));
    if (worst <= r->tol && !change_active(r) && drop_phantoms(r) == 0) break;
    if (!step_bilateral(r, k)) break;
  }
  *converged = sk_rigid_error(r) <= r->tol; /* what was released twice may overlap */
  return sk_ok();
}

/* ---- Newton on the Fischer function ---- */

/* sqrt(a^2 + b^2) - a - b, without the difference of large numbers. */
static double fischer(double a, double b)
{
  double h = hypot(a, b);
  return a + b > 0 ? -2 * a * b / (h + a + b) : h - a - b;
}

static double merit(const sk_rigid *r)
{
  double sum = 0;
  for (int i = 0; i < r->count; i++) {
    double phi = fischer(r->at[i].rows.weight * r->at[i].force.f, r->at[i].place.distance);
    sum += phi * phi;
  }
  return sum;
}

/* The Newton direction into k->x: (d phi/da k + d phi/db G) df = - phi; false: singular. */
static bool fischer_direction(sk_rigid *r, work *k, double regular)
{
  int n = r->count;
  for (int i = 0; i < n; i++) {
    const sk_grip *g = r->at + i;
    double a = g->rows.weight * g->force.f, b = g->place.distance, h = hypot(a, b);
    double da = h > 0 ? a / h - 1 : sqrt(0.5) - 1, db = h > 0 ? b / h - 1 : sqrt(0.5) - 1;
    k->x[i] = -fischer(a, b);
    for (int j = 0; j < n; j++) k->A[(size_t)j * (size_t)n + (size_t)i] = db * sk_rigid_coupling(r, g, r->at + j, true);
    k->A[(size_t)i * (size_t)n + (size_t)i] += da * g->rows.weight + regular * db * g->rows.weight;
  }
  return solve_dense(k, n);
}

/* The longest of the steps 1, 1/2, 1/4 ... that lowers the merit; false: none, and the impulses are as before. */
static bool line_search(sk_rigid *r, work *k, double before)
{
  double t = 1;
  for (int i = 0; i < r->count; i++) k->y[i] = r->at[i].force.f;
  for (int c = 0; c < sk_limit.newton.tries; c++, t *= 0.5) {
    for (int i = 0; i < r->count; i++) r->at[i].force.f = k->y[i] + t * k->x[i];
    sk_rigid_move(r);
    sk_rigid_look(r, false);
    if (merit(r) < (1 - sk_limit.newton.decrease * t) * before) return true;
  }
  for (int i = 0; i < r->count; i++) r->at[i].force.f = k->y[i];
  return false;
}

static skein_status solve_fischer(sk_rigid *r, work *k, bool *converged)
{
  int added;
  double regular = sk_limit.newton.regular;
  *converged = false;
  for (int count = 0; count < sk_limit.newton.iterations; count++) {
    if (!advance(r, k, &added)) return sk_no_memory();
    if (sk_stop_asked(r->w->work.stop)) return sk_stopped();
    double now = merit(r);
    if (added == 0 && sk_rigid_error(r) <= r->tol && drop_phantoms(r) == 0) {
      *converged = true;
      break;
    }
    if (!fischer_direction(r, k, regular)) break;
    bool down = line_search(r, k, now);
    regular = down ? fmax(sk_limit.newton.regular, sk_limit.newton.less * regular) : sk_limit.newton.more * regular;
    if (regular > sk_limit.newton.regular_most) break;
  }
  return sk_ok();
}

/* ---- The step ---- */

static skein_status solve_normal(sk_rigid *r, work *k, sk_rigid_method method, bool *converged)
{
  switch (method) {
  case SK_RIGID_NEWTON:
    return solve_newton(r, k, converged);
  case SK_RIGID_FISCHER:
    return solve_fischer(r, k, converged);
  default:
    return solve_lcp(r, k, converged);
  }
}

/* The fixed point with Coulomb's problem in the place of the LCP; its tangential impulses stay. */
static skein_status settle_friction(sk_rigid *r, work *k, bool *converged)
{
  int added;
  *converged = false;
  for (int count = 0; count < sk_limit.newton.frictions && !*converged; count++) {
    bool solved;
    skein_status s = sk_rigid_rub(r, &solved);
    if (s.code != SKEIN_OK || !solved) return s;
    if (!advance(r, k, &added)) return sk_no_memory();
    if (sk_stop_asked(r->w->work.stop)) return sk_stopped();
    *converged = added == 0 && sk_rigid_error(r) <= r->rough_tol && drop_phantoms(r) == 0;
  }
  return sk_ok();
}

/* Friction first, where there is some; then the normal impulses by the method. */
static skein_status solve_by(sk_attempt *w, sk_rigid_method method, double dt, sk_rigid *r, bool *converged)
{
  bool settled = true;
  work k = {0};
  *converged = false;
  skein_status s = sk_rigid_create(w, dt, r);
  if (s.code != SKEIN_OK) return s;
  if (sk_rigid_look(r, true) < 0 || !make_room(r, &k)) return sk_no_memory();
  if (sk_rigid_is_rough(r)) s = settle_friction(r, &k, &settled);
  return s.code == SKEIN_OK && settled ? solve_normal(r, &k, method, converged) : s;
}

/* Which contacts hold may go round in circles in Newton's method: then the Fischer function decides. */
static skein_status solve_all(sk_attempt *w, double dt, sk_rigid *r, bool *converged)
{
  sk_rigid_method method = w->model->scene->step.rigid;
  skein_status s = solve_by(w, method, dt, r, converged);
  if (s.code != SKEIN_OK || *converged || method != SK_RIGID_NEWTON) return s;
  int iterations = r->iterations;
  s = solve_by(w, SK_RIGID_FISCHER, dt, r, converged);
  r->iterations += iterations;
  return s;
}

static int compare(const void *x, const void *y)
{
  const sk_contact *s = x, *t = y;
  int order = sk_contact_order(s, t);
  return order ? order : sk_feature_order(s->feature, t->feature);
}

static sk_vec3 velocity_of(const sk_attempt *w, const sk_rigid *r, int body, bool after, sk_vec3 arm)
{
  const sk_body_motion *b = w->bodies + body;
  bool moves = after && r->dof[body] >= 0;
  sk_vec3 v = moves ? sk_load3(r->motion.u + r->dof[body]) : b->v,
          spin = moves ? sk_load3(r->motion.u + r->dof[body] + 3) : b->w;
  return sk_add(v, sk_cross(spin, arm));
}

/* The contacts become the touches of the step, with their distances at its end; what they dissipate, and by friction.
 */
static double take_touches(sk_attempt *w, const sk_rigid *r, bool rough, double *friction)
{
  double work_done = 0, rubbed = 0;
  for (int k = 0; k < r->count; k++) {
    const sk_grip *g = r->at + k;
    sk_contact *t = w->found.contacts.at + k;
    double f = fmax(rough ? g->force.press : g->force.f, 0);
    sk_vec3 u[2];
    *t = (sk_contact){.a = w->model->rod_count + g->a,
                      .b = w->model->rod_count + g->b,
                      .feature = g->feature,
                      .gap = g->place.distance + g->place.floor,
                      .mu = g->mu,
                      .point_a = g->place.x,
                      .point_b = g->place.y,
                      .frame = {g->place.n, sk_perpendicular(g->place.n)},
                      .impulse = sk_axpy(g->force.drag, f, g->place.n)};
    t->frame[2] = sk_cross(t->frame[0], t->frame[1]);
    for (int after = 0; after < 2; after++)
      u[after] = sk_sub(velocity_of(w, r, g->a, after, g->rows.arm[0]), velocity_of(w, r, g->b, after, g->rows.arm[1]));
    work_done += 0.5 * sk_dot(t->impulse, sk_add(u[0], u[1]));
    rubbed += 0.5 * sk_dot(g->force.drag, sk_add(u[0], u[1]));
    bool sticks = sk_norm(g->force.drag) < g->mu * f * (1 - 1e-6) || (!rough && sk_norm(u[1]) == 0);
    t->status = !(f > 0) ? 0 : sticks ? 1 : 2;
  }
  w->found.contacts.count = r->count;
  if (r->count > 0) qsort(w->found.contacts.at, (size_t)r->count, sizeof *w->found.contacts.at, compare);
  *friction = -rubbed;
  return -work_done;
}

static void take_velocities(sk_attempt *w, const sk_rigid *r)
{
  for (int i = 0; i < r->bodies; i++) {
    const sk_body_motion *from = w->bodies + i;
    sk_body_state *b = w->next->body + i;
    *b = (sk_body_state){from->pose, from->v, from->w};
    if (r->dof[i] >= 0) b->v = sk_load3(r->motion.u + r->dof[i]), b->w = sk_load3(r->motion.u + r->dof[i] + 3);
  }
}

skein_status sk_attempt_rigid(sk_attempt *w, skein_step_info *info)
{
  sk_rigid r;
  bool converged;
  w->linear.problem = (skein_problem){0}, w->linear.pushed = 0;
  sk_blas_hold(1);
  double begun = sk_seconds();
  skein_status s = solve_all(w, w->plan.dt, &r, &converged);
  info->seconds_loop += sk_seconds() - begun;
  sk_blas_hold(-1);
  if (s.code != SKEIN_OK) return s;
  bool rough = sk_rigid_is_rough(&r);
  w->found.contacts.at = SK_NEW_RAW(&w->work.arena, r.count, sk_contact);
  if (w->work.arena.failed) return sk_no_memory();
  info->dissipated = take_touches(w, &r, rough, &info->dissipated_friction);
  take_velocities(w, &r);
  w->linear.problem.dofs = r.dofs;
  info->converged = converged, info->tol = sk_limit.distances.size, info->error = r.error / r.tol * info->tol;
  info->sweeps = r.iterations, info->islands = 1;
  return s;
}

skein_status skein_world_nearest(const skein_world *w, double reach, double *distance)
{
  if (!(reach > 0)) return sk_fail(SKEIN_BAD_INPUT, "reach is %g m, expected more than 0", reach);
  *distance = sk_rigid_nearest(w, reach);
  return sk_ok();
}
