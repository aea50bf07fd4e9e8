/* The one-step problem of the world, and its solution back into rods and bodies:
 *
 *     M v = f + H' r,   u = H v + u_f,   (r, u) in Coulomb's law at every contact
 *
 * M: the rods' A and the bodies' inertia. A row of H is a direction of a contact, n or a tangent, times J_a(s_a) -
 * J_b(s_b). u_f has the velocities of what is prescribed, and in the normal row
 *
 *     gap / dt                          where the surfaces are apart: they may touch at the end of the step, not before
 *     - min(push, (overlap - slop)/5T)  where they overlap by more than the slop; T: dt, or the scene's longer step
 *                                       where it bears the overlap: a short step is no reason to push harder
 *     e u_N(before)                     where they meet with restitution e
 *
 * The push-out works r_N (u_N before + u_N after)/2, which gives energy where the surfaces part faster than they came
 * together. Passive scenes do not: - min(push, overlap/dt, - u_N before). Then a ball in a bowl goes from chord to
 * chord and keeps its speed.
 */
#include "world/world.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* ---- Numbering ---- */

static bool is_dynamic(const skein_world *w, int object)
{
  return !sk_is_rod(w, object) && w->scene->bodies[object - w->strand_count].mode == SK_DYNAMIC;
}

static void mark(skein_world *w, int object)
{
  if (sk_is_rod(w, object)) w->strands[object].dof = 0;
  else if (is_dynamic(w, object)) w->body_dof[object - w->strand_count] = 0;
}

/* Dofs of what touches something, in order. */
static int number_dofs(skein_world *w)
{
  int dofs = 0;
  for (int i = 0; i < w->strand_count; i++) w->strands[i].dof = -1;
  for (int i = 0; i < w->scene->body_count; i++) w->body_dof[i] = -1;
  for (int k = 0; k < w->tried.count; k++) mark(w, w->tried.at[k].a), mark(w, w->tried.at[k].b);
  for (int i = 0; i < w->strand_count; i++)
    if (w->strands[i].dof == 0) w->strands[i].dof = dofs, dofs += w->strands[i].rod->n;
  for (int i = 0; i < w->scene->body_count; i++)
    if (w->body_dof[i] == 0) w->body_dof[i] = dofs, dofs += 6;
  return sk_world_number_axial(w, dofs);
}

/* ---- M and f ---- */

static skein_status allocate(skein_world *w, int dofs)
{
  skein_problem *p = &w->problem;
  int n = w->tried.count;
  *p = (skein_problem){.form = SKEIN_GLOBAL, .d = 3, .contacts = n, .dofs = dofs};
  p->M.rows = p->M.cols = dofs, p->H.rows = 3 * n, p->H.cols = dofs;
  p->M.start = SK_NEW(&w->arena, dofs + 1, int64_t), p->H.start = SK_NEW(&w->arena, 3 * (size_t)n + 1, int64_t);
  p->mu = SK_NEW(&w->arena, n, double), p->f = SK_NEW(&w->arena, dofs, double);
  p->u_f = SK_NEW(&w->arena, 3 * (size_t)n, double);
  w->solution = (skein_solution){SK_NEW(&w->arena, 3 * (size_t)n, double), SK_NEW(&w->arena, 3 * (size_t)n, double),
                                 SK_NEW(&w->arena, dofs, double)};
  w->guess = SK_NEW(&w->arena, 3 * (size_t)n, double);
  return w->arena.failed ? sk_no_memory() : sk_ok();
}

static skein_status allocate_entries(skein_world *w, skein_csr *A)
{
  for (int i = 0; i < A->rows; i++) A->start[i + 1] += A->start[i];
  A->col = SK_NEW_RAW(&w->arena, A->start[A->rows], int), A->val = SK_NEW_RAW(&w->arena, A->start[A->rows], double);
  return w->arena.failed ? sk_no_memory() : sk_ok();
}

static void fill_rod_mass(const skein_world *w, const sk_strand *s)
{
  const skein_rod *rod = s->rod;
  const skein_csr *M = &w->problem.M;
  for (int i = 0; i < rod->n; i++) {
    int64_t at = M->start[s->dof + i];
    for (int j = SK_MAX(0, i - rod->kd); j <= SK_MIN(rod->n - 1, i + rod->kd); j++, at++)
      M->col[at] = s->dof + j, M->val[at] = rod->A[sk_band_at(rod->kd, i, j)];
  }
  memcpy(w->problem.f + s->dof, rod->b, sizeof(double) * (size_t)rod->n);
}

/* m v, and the inertia I = R I_0 R' with the gyroscopic torque - w x I w. */
static void fill_body_mass(const skein_world *w, int body, double dt)
{
  const skein_csr *M = &w->problem.M;
  const sk_scene_body *b = w->scene->bodies + body;
  const sk_body_state *at = w->bodies + body;
  int dof = w->body_dof[body];
  sk_mat3 I = sk_world_inertia(w, body);
  sk_vec3 Iw = sk_apply(I, at->w);
  double entries[9];
  sk_store33(entries, I);
  for (int i = 0; i < 6; i++) {
    int64_t k = M->start[dof + i];
    if (i < 3) M->col[k] = dof + i, M->val[k] = b->mass;
    for (int j = 0; i >= 3 && j < 3; j++)
      M->col[k + j] = dof + 3 + j, M->val[k + j] = 0.5 * (entries[3 * j + i - 3] + entries[3 * (i - 3) + j]);
  }
  sk_store3(w->problem.f + dof, sk_mul(b->mass, sk_axpy(at->v, dt, sk_load3(w->env.gravity))));
  sk_store3(w->problem.f + dof + 3, sk_axpy(Iw, -dt, sk_cross(at->w, Iw)));
}

static skein_status fill_mass(skein_world *w, double dt)
{
  skein_csr *M = &w->problem.M;
  for (int i = 0; i < w->strand_count; i++) {
    const sk_strand *s = w->strands + i;
    for (int k = 0; s->dof >= 0 && k < s->rod->n; k++)
      M->start[s->dof + k + 1] = 1 + SK_MIN(k, s->rod->kd) + SK_MIN(s->rod->n - 1 - k, s->rod->kd);
  }
  for (int i = 0; i < w->scene->body_count; i++)
    for (int k = 0; w->body_dof[i] >= 0 && k < 6; k++) M->start[w->body_dof[i] + k + 1] = k < 3 ? 1 : 3;
  for (int k = 0; k < w->tried.count; k++)
    if (w->tried.at[k].axial) M->start[w->tried.at[k].axial_dof + 1] = 1;
  skein_status s = allocate_entries(w, M);
  if (s.code != SKEIN_OK) return s;
  for (int k = 0; k < w->tried.count; k++) {
    const sk_touch *t = w->tried.at + k;
    if (!t->axial) continue;
    int64_t at = M->start[t->axial_dof];
    M->col[at] = t->axial_dof, M->val[at] = sk_world_axial_mass(w, t, dt);
  }
#pragma omp parallel for num_threads(sk_world_team(w, w->strand_count, 64)) schedule(dynamic, 16)
  for (int i = 0; i < w->strand_count; i++)
    if (w->strands[i].dof >= 0) fill_rod_mass(w, w->strands + i);
  for (int i = 0; i < w->scene->body_count; i++)
    if (w->body_dof[i] >= 0) fill_body_mass(w, i, dt);
  return s;
}

/* ---- H and u_f ---- */

/* Columns of one side of a contact: first and count, in the problem. */
static int side_columns(const skein_world *w, int object, double s, int *first)
{
  int count = 0;
  *first = 0;
  if (sk_is_rod(w, object)) w->strands[object].rod->ops->support(w->strands[object].rod, s, first, &count);
  else if (is_dynamic(w, object)) count = 6;
  return count;
}

/* J of a place beside the axis: + w x arm. Jw lies behind J. */
static void add_arm(const skein_rod *rod, double s, sk_vec3 arm, double *J)
{
  int n = rod->n;
  double *Jw = J + 3 * n;
  sk_rod_input in = sk_rod_input_make(rod, NULL, true, false);
  rod->ops->jacobian(rod, rod->x, s, &in, NULL, Jw, NULL, NULL);
  for (int j = 0; j < n; j++) {
    sk_vec3 v = sk_cross(sk_vec(Jw[j], Jw[n + j], Jw[2 * n + j]), arm);
    J[j] += v.x, J[n + j] += v.y, J[2 * n + j] += v.z;
  }
}

/* Adds one side, with its sign, to the three rows of the contact from entry `at` on; its drift to u_f. */
static int fill_side(const skein_world *w, const sk_touch *t, int row, int at, bool second, double *J)
{
  int object = second ? t->b : t->a, first;
  double sign = second ? -1 : 1, s = second ? t->sb : t->sa;
  const skein_csr *H = &w->problem.H;
  int count = side_columns(w, object, s, &first), dof, n;
  sk_vec3 drift = {0, 0, 0};
  if (sk_is_rod(w, object)) {
    const skein_rod *rod = w->strands[object].rod;
    sk_rod_input in = sk_rod_input_make(rod, NULL, true, false);
    const sk_rod_element *elements = w->elements + w->strands[object].first_frame;
    if (rod->def.model == SKEIN_SUPER_HELIX) sk_helix_jacobian_in(rod, rod->x, elements, s, &in, J, &drift);
    else rod->ops->jacobian(rod, rod->x, s, &in, J, NULL, &drift, NULL);
    dof = w->strands[object].dof, n = rod->n;
  } else {
    int body = object - w->strand_count;
    const sk_body_state *b = w->bodies + body;
    sk_vec3 arm = sk_sub(second ? t->point_b : t->point_a, b->pose.r);
    dof = w->body_dof[body], n = 6;
    if (count == 0) drift = sk_world_body_velocity(w, body, sk_touch_triangle(w, t), second ? t->point_b : t->point_a);
    const double turn[18] = {1, 0, 0, 0, arm.z, -arm.y, 0, 1, 0, -arm.z, 0, arm.x, 0, 0, 1, arm.y, -arm.x, 0};
    memcpy(J, turn, sizeof turn); /* v + w x arm */
  }
  if (t->axial == 1 + second) {
    sk_vec3 arm, axis = sk_world_axial_frame(w, t, &arm);
    add_arm(w->strands[object].rod, s, arm, J);
    for (int c = 0; c < 3; c++) {
      int64_t entry = H->start[row + c + 1] - 1;
      H->col[entry] = t->axial_dof, H->val[entry] = sign * sk_dot(t->frame[c], axis);
    }
  }
  for (int c = 0; c < 3; c++) {
    sk_vec3 axis = t->frame[c];
    w->problem.u_f[row + c] += sign * sk_dot(axis, drift);
    int64_t entry = H->start[row + c] + at;
    for (int k = 0; k < count; k++, entry++) {
      int j = first + k;
      H->col[entry] = dof + j;
      H->val[entry] = sign * (axis.x * J[j] + axis.y * J[n + j] + axis.z * J[2 * n + j]);
    }
  }
  return count;
}

/* Velocity of a place before the step. */
static sk_vec3 velocity_before(const skein_world *w, const sk_touch *t, bool second)
{
  int object = second ? t->b : t->a;
  double s = second ? t->sb : t->sa;
  if (!sk_is_rod(w, object))
    return sk_world_body_velocity(w, object - w->strand_count, sk_touch_triangle(w, t),
                                  second ? t->point_b : t->point_a);
  const skein_rod *rod = w->strands[object].rod;
  if (rod->def.model == SKEIN_SUPER_HELIX)
    return sk_helix_velocity_in(rod, rod->x, rod->v, w->elements + w->strands[object].first_frame, s);
  sk_rod_input in = sk_rod_input_make(rod, NULL, true, false);
  return rod->ops->velocity(rod, rod->x, rod->v, s, &in);
}

/* The radius by which overlaps are judged: that of the thinner side. */
static double contact_radius(const skein_world *w, const sk_touch *t)
{
  double ra = sk_is_rod(w, t->a) ? w->strands[t->a].radius : HUGE_VAL,
         rb = sk_is_rod(w, t->b) ? w->strands[t->b].radius : HUGE_VAL;
  double r = fmin(ra, rb);
  if (isfinite(r)) return r;
  const sk_shape *a = sk_world_shape(w, t->a - w->strand_count), *b = sk_world_shape(w, t->b - w->strand_count);
  sk_vec3 lo, hi, size[2] = {{HUGE_VAL, 0, 0}, {HUGE_VAL, 0, 0}};
  const sk_shape *both[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    if (both[k]->kind == SK_PLANE) continue;
    sk_shape_bounds(both[k], &w->bodies[(k ? t->b : t->a) - w->strand_count].pose, &lo, &hi);
    size[k] = sk_sub(hi, lo);
    r = fmin(r, 0.05 * sk_norm(size[k]));
  }
  return isfinite(r) ? r : 1e-3;
}

/* The largest share of its motion that a place of this object has: near a held root the rest of the rod moves faster by
 * (l / s)^2 at least. 0: nothing moves it. */
static double leverage(const skein_world *w, int object, double s)
{
  if (!sk_is_rod(w, object)) return is_dynamic(w, object) ? 1 : 0;
  const skein_rod *rod = w->strands[object].rod;
  double share = rod->def.root == SKEIN_FREE ? 1 : s / rod->l;
  return fmin(1, share * share);
}

/* How fast an overlap may be pushed out: with the scene's speed and share of that of the places that touch, for what
 * would be seen in hair at rest is lost in its motion; less where there is leverage, for 3 mm/s at 6 mm from a root
 * throw the whole hair at 2.5 m/s. (What settles has its own measure for that, sk_world_opening.) */
static double push_limit(const skein_world *w, const sk_touch *t, double speed)
{
  double lever = sk_world_settling(w) ? 1 : fmax(leverage(w, t->a, t->sa), leverage(w, t->b, t->sb));
  return lever * (w->scene->step.push + w->scene->step.push_share * speed);
}

/* speed: of the faster of the two places. */
static double gap_velocity(const skein_world *w, const sk_touch *t, double speed, double dt)
{
  const sk_scene_step *step = &w->scene->step;
  double radius = contact_radius(w, t), overlap = -t->gap - step->slop * radius, closing = -t->approach * dt;
  double slow = 2 * sk_norm(sk_load3(w->env.gravity)) * dt;
  if (t->restitution > 0 && t->approach < -slow && t->gap < closing) return t->restitution * t->approach;
  if (t->gap >= 0) return t->gap / dt;
  if (step->passive) return overlap > 0 ? -fmax(0, fmin(fmin(step->push, overlap / dt), -t->approach)) : 0;
  double T = -t->gap < step->overlap * radius ? fmax(dt, step->dt) : dt;
  double opening = sk_world_settling(w) ? sk_world_opening(w, t, overlap, dt) : 0.2 * overlap / T;
  return overlap > 0 && !w->gentle ? -fmin(push_limit(w, t, speed), opening) : 0;
}

static void fill_contact(const skein_world *w, int k, double dt, double *J)
{
  sk_touch *t = w->tried.at + k;
  skein_problem *p = (skein_problem *)&w->problem;
  int row = 3 * k, count = fill_side(w, t, row, 0, false, J);
  fill_side(w, t, row, count, true, J);
  p->mu[k] = t->mu;
  sk_vec3 va = velocity_before(w, t, false), vb = velocity_before(w, t, true), before = sk_sub(va, vb);
  t->approach = sk_dot(t->frame[0], before);
  for (int c = 0; c < 3; c++) t->u_before[c] = sk_dot(t->frame[c], before);
  t->offset = gap_velocity(w, t, fmax(sk_norm(va), sk_norm(vb)), dt);
  p->u_f[row] += t->offset;
  if (w->plain) t->miss = sk_vec(0, 0, 0);
  for (int c = 0; c < 3; c++) p->u_f[row + c] += sk_dot(t->frame[c], t->miss);
  for (int c = 0; c < 3; c++) w->solution.r[row + c] = sk_dot(t->frame[c], t->impulse);
}

static void fill_elements(const skein_world *w, const sk_strand *s)
{
  const skein_rod *rod = s->rod;
  if (s->dof < 0 || rod->def.model != SKEIN_SUPER_HELIX) return;
  sk_rod_input in = sk_rod_input_make(rod, NULL, true, false);
  sk_helix_elements(rod, rod->x, rod->v, &in, w->elements + s->first_frame);
}

static skein_status fill_contacts(skein_world *w, double dt)
{
  skein_csr *H = &w->problem.H;
  int largest = 6, first;
  for (int k = 0; k < w->tried.count; k++) {
    const sk_touch *t = w->tried.at + k;
    int count = side_columns(w, t->a, t->sa, &first) + side_columns(w, t->b, t->sb, &first);
    for (int c = 0; c < 3; c++) H->start[3 * k + c + 1] = count + (t->axial != 0);
  }
  for (int i = 0; i < w->strand_count; i++) largest = SK_MAX(largest, w->strands[i].rod->n);
  double *J = SK_NEW_RAW(&w->arena, 6 * (size_t)largest * (size_t)w->threads, double);
  w->elements = SK_NEW_RAW(&w->arena, w->frame_count, sk_rod_element);
  skein_status s = allocate_entries(w, H);
  if (w->arena.failed) return sk_no_memory();
#pragma omp parallel for num_threads(sk_world_team(w, w->strand_count, 64)) schedule(dynamic, 16)
  for (int i = 0; i < w->strand_count; i++) fill_elements(w, w->strands + i);
#pragma omp parallel for num_threads(sk_world_team(w, w->tried.count, 64)) schedule(static, 64)
  for (int k = 0; k < w->tried.count; k++)
    if (!sk_stop_asked(&w->stop)) fill_contact(w, k, dt, J + 6 * (size_t)largest * (size_t)omp_get_thread_num());
  return sk_unless_stopped(s, &w->stop);
}

/* The dynamic body of a touch with what no contact moves that has an offset and closes in this step, or -1. side: 1 for
 * a, -1 for b. */
static int shifted_body(const skein_world *w, const sk_touch *t, double dt, double *side)
{
  bool a = is_dynamic(w, t->a), b = is_dynamic(w, t->b);
  double fall = sk_norm(sk_load3(w->env.gravity)) * dt;
  if (a == b || sk_is_rod(w, t->a) || sk_is_rod(w, t->b)) return -1;
  if (t->gap > (fall + fmax(0, -t->approach)) * dt) return -1;
  *side = a ? 1 : -1;
  return (a ? t->a : t->b) - w->strand_count;
}

/* Passive scenes: what the gaps of a body ask for is a translation c, the least with n . c = - offset at its contacts,
 * and friction is about the velocity beside c. Else a ball in a groove could not move to both sides and stick to them.
 */
static skein_status shift_bodies(skein_world *w, double dt)
{
  double *u_f = ((skein_problem *)&w->problem)->u_f, side;
  sk_mat3 *A = SK_NEW(&w->arena, w->scene->body_count, sk_mat3);
  sk_vec3 *c = SK_NEW(&w->arena, w->scene->body_count, sk_vec3);
  if (w->arena.failed) return sk_no_memory();
  for (int k = 0; k < w->tried.count; k++) {
    const sk_touch *t = w->tried.at + k;
    int i = shifted_body(w, t, dt, &side);
    if (i < 0) continue;
    sk_vec3 n = sk_mul(side, t->frame[0]);
    c[i] = sk_axpy(c[i], -t->offset, n);
    A[i].c[0] = sk_axpy(A[i].c[0], n.x, n), A[i].c[1] = sk_axpy(A[i].c[1], n.y, n);
    A[i].c[2] = sk_axpy(A[i].c[2], n.z, n);
  }
  for (int i = 0; i < w->scene->body_count; i++) {
    A[i].c[0].x += 1e-9, A[i].c[1].y += 1e-9, A[i].c[2].z += 1e-9;
    c[i] = sk_solve3(A[i], c[i]);
  }
  for (int k = 0; k < w->tried.count; k++) {
    sk_touch *t = w->tried.at + k;
    int i = shifted_body(w, t, dt, &side);
    if (i < 0) continue;
    double normal = -side * sk_dot(t->frame[0], c[i]); /* to the last bit that of c, where c is all that it asks for */
    if (fabs(normal - t->offset) <= 1e-6 * sk_norm(c[i])) u_f[3 * k] += normal - t->offset, t->offset = normal;
    for (int j = 0; j < 2; j++) t->shift[j] = -side * sk_dot(t->frame[j + 1], c[i]), u_f[3 * k + 1 + j] += t->shift[j];
  }
  return sk_ok();
}

static const double slight = 0.02; /* radii: arcs over a step that nobody would miss */

/* How many contacts ask for what there need not be. */
static void count_asking(skein_world *w, double dt)
{
  w->pushed = w->arched = 0;
  for (int k = 0; k < w->tried.count; k++) {
    const sk_touch *t = w->tried.at + k;
    double most = slight * contact_radius(w, t) / dt, miss = sk_norm(t->miss);
    if (t->gap < 0 && t->offset < 0) w->pushed++;
    if (miss > most) w->arched++;
  }
}

skein_status sk_world_assemble(skein_world *w, double dt)
{
  skein_status s = allocate(w, number_dofs(w));
  if (s.code == SKEIN_OK) s = fill_mass(w, dt);
  if (s.code == SKEIN_OK) s = fill_contacts(w, dt);
  if (s.code == SKEIN_OK && w->scene->step.passive) s = shift_bodies(w, dt);
  if (s.code == SKEIN_OK) count_asking(w, dt);
  else w->problem = (skein_problem){0}; /* half a problem is none */
  return s;
}

/* Where the solve was near an answer, what it found is a better start than the last step. */
void sk_world_soften(skein_world *w, double dt, double error)
{
  static const double near = 10; /* tolerances */
  double *u_f = ((skein_problem *)&w->problem)->u_f;
  for (int k = 0; k < w->tried.count; k++) {
    sk_touch *t = w->tried.at + k;
    bool gentle = w->gentle && !w->scene->step.passive;
    double offset = gentle ? gap_velocity(w, t, 0, dt) : t->offset;
    u_f[3 * k] += offset - t->offset, t->offset = offset;
    for (int c = 0; w->plain && c < 3; c++) u_f[3 * k + c] -= sk_dot(t->frame[c], t->miss);
    if (w->plain) t->miss = sk_vec(0, 0, 0);
  }
  count_asking(w, dt);
  bool found = error <= near * w->scene->step.tol;
  if (!found && w->tried.count > 0) memcpy(w->solution.r, w->guess, 3 * sizeof(double) * (size_t)w->tried.count);
}

/* ---- Solving ---- */

/* Impulses back into the contacts, in world axes; what they dissipate is - r . (u before + u after) / 2. *friction: of
 * the tangential part. */
static double take_impulses(skein_world *w, double *friction)
{
  double work[3] = {0};
  for (int k = 0; k < w->tried.count; k++) {
    sk_touch *t = w->tried.at + k;
    const double *r = w->solution.r + 3 * k, *u = w->solution.u + 3 * k;
    t->impulse = sk_vec(0, 0, 0);
    double force = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), slip = hypot(u[1], u[2]);
    t->status = !(force > 0) ? 0 : hypot(r[1], r[2]) < t->mu * r[0] * (1 - 1e-6) || slip == 0 ? 1 : 2;
    for (int c = 0; c < 3; c++) {
      t->impulse = sk_axpy(t->impulse, r[c], t->frame[c]);
      work[c] += 0.5 * r[c] * (t->u_before[c] + u[c] - (c == 0 ? t->offset : t->shift[c - 1]));
    }
  }
  *friction = -(work[1] + work[2]);
  return *friction - work[0];
}

/* Rods that touch something get its velocities; the others have the free ones already. */
static void take_velocities(skein_world *w)
{
  for (int i = 0; i < w->strand_count; i++) {
    const sk_strand *s = w->strands + i;
    if (s->dof >= 0) memcpy(w->v + w->v_start[i], w->solution.v + s->dof, sizeof(double) * (size_t)s->rod->n);
  }
}

static void solve_bodies(skein_world *w, double dt)
{
  for (int i = 0; i < w->scene->body_count; i++) {
    sk_body_state *b = w->bodies + i;
    if (w->scene->bodies[i].mode != SK_DYNAMIC || sk_world_asleep(w, w->strand_count + i)) continue;
    if (w->body_dof[i] >= 0) {
      b->v = sk_load3(w->solution.v + w->body_dof[i]), b->w = sk_load3(w->solution.v + w->body_dof[i] + 3);
      continue;
    }
    sk_mat3 I = sk_world_inertia(w, i), R = sk_quat_frame(b->pose.q);
    sk_vec3 torque = sk_apply_t(R, sk_mul(-1, sk_cross(b->w, sk_apply(I, b->w)))); /* body axes: I_0 a = torque */
    b->v = sk_axpy(b->v, dt, sk_load3(w->env.gravity));
    b->w = sk_axpy(b->w, dt, sk_apply(R, sk_solve3(w->scene->bodies[i].inertia, torque)));
  }
}

/* In scenes with this tolerance or a larger one, a solve that mixed sweeps do not finish goes on with over-relaxed
 * ones, which damp contacts that jump. Free/A, rough motion, 17 steps, 8 of them with contacts that jump: all but one
 * are done after 137 mixed sweeps, 67 on average (150 over-relaxed). */
static const double loose = 5e-4;
enum { MIXED = 150, MIXED_FINE = 200 }; /* sweeps before that; with a finer tolerance, of what hardly moves */

/* Sweeps of a solve that need not succeed. Push-out, arcs and corrections that have no answer are dropped, and most
 * that have one are solved long before that; what misses a finer tolerance than motion asks for is taken all the same;
 * what a shorter step would replace is worth more; else only the scene has a limit. */
static int patience(const skein_world *w, double dt, sk_round round, const skein_solve_def *def)
{
  enum { PUSH = 160, ARCS = 320, FINE = 400, STEP = 1000 };
  int most = def->max_sweeps;
  if (def->method != SKEIN_GS) return most;
  bool asks = round == SK_CORRECTED || sk_world_asks(w);
  if (asks && def->tol < loose) return SK_MAX(1, SK_MIN((int)FINE, most / 5));
  if (asks) return SK_MIN(most, !w->gentle && w->pushed > 0 ? (int)PUSH : (int)ARCS);
  if (def->tol < loose && w->scene->step.tol >= loose) return SK_MIN(most, (int)FINE);
  return dt <= sk_world_shortest(w) * (1 + 1e-9) ? most : SK_MIN(most, (int)STEP);
}

double sk_world_tolerance(const skein_world *w)
{
  const sk_scene_step *step = &w->scene->step;
  return fmax(step->tol_rest, ldexp(step->tol, -w->calm));
}

void sk_world_take(skein_world *w, double dt, skein_step_info *info)
{
  take_velocities(w);
  solve_bodies(w, dt);
  info->dissipated = take_impulses(w, &info->dissipated_friction);
}

/* A better start for Newton's method than the last step, where contacts change between sticking and sliding: a few
 * sweeps, whatever they reach. */
static skein_status sweep_first(skein_world *w, const skein_solve_def *def)
{
  static const double rough = 1e-5;
  skein_solve_def sweeps = *def;
  skein_solve_info result;
  sweeps.method = SKEIN_GS, sweeps.accelerate = SKEIN_ACCELERATE_NONE, sweeps.tol = fmax(rough, def->tol);
  sweeps.max_sweeps = w->scene->step.start_sweeps;
  return sk_solver_run(w->solver, &sweeps, &w->solution, &result);
}

/* The problem as it is now, or with another u_f, into the solver. */
static skein_status make_ready(skein_world *w, sk_round round)
{
  if (!sk_problem_is_finite(&w->problem, w->threads)) return skein_problem_check(&w->problem);
  if (round == SK_FIRST) return sk_solver_set(w->solver, &w->problem, SKEIN_OPERATOR_AUTO, w->threads);
  sk_solver_update(w->solver);
  return sk_ok();
}

/* The solve, and where the scene's tolerance is loose a second one that goes on with what the first has missed. */
static skein_status run(skein_world *w, skein_solve_def *def, skein_solve_info *info)
{
  int sweeps = def->max_sweeps, mixed = def->tol >= loose ? MIXED : MIXED_FINE;
  if (def->method == SKEIN_GS && w->scene->step.tol >= loose) def->max_sweeps = SK_MIN(sweeps, mixed);
  skein_status s = sk_solver_run(w->solver, def, &w->solution, info);
  if (s.code != SKEIN_OK || info->converged || sweeps <= def->max_sweeps) return s;
  skein_solve_info first = *info;
  def->accelerate = SKEIN_RELAX, def->max_sweeps = sweeps - mixed;
  s = sk_solver_run(w->solver, def, &w->solution, info);
  info->iterations += first.iterations, info->seconds += first.seconds;
  return s;
}

skein_status sk_world_solve(skein_world *w, double dt, sk_round round, skein_step_info *info)
{
  const sk_scene_step *step = &w->scene->step;
  skein_solve_def def = skein_default_solve_def();
  skein_solve_info result = {.converged = true};
  def.method = step->method, def.local = step->local, def.failsafe = step->failsafe;
  def.tol = sk_world_tolerance(w);
  def.max_seconds = step->max_seconds, def.warm_start = true, def.stop = sk_world_stop(w);
  if (step->max_sweeps > 0) def.max_sweeps = step->max_sweeps;
  def.max_sweeps = patience(w, dt, round, &def);
  if (sk_world_settling(w)) sk_world_hurry(w, &def);
  def.local_tol = fmin(def.local_tol, 0.01 * def.tol);
  bool newton = def.method == SKEIN_NEWTON_AC || def.method == SKEIN_NEWTON_MFB;
  bool any = w->tried.count > 0;
  if (any && round != SK_CORRECTED) memcpy(w->guess, w->solution.r, 3 * sizeof(double) * (size_t)w->tried.count);
  skein_status s = any ? make_ready(w, round) : sk_ok();
  if (any && s.code == SKEIN_OK && newton && step->start_sweeps > 0) s = sweep_first(w, &def);
  if (any && s.code == SKEIN_OK) s = run(w, &def, &result);
  s = sk_unless_stopped(s, &w->stop);
  if (s.code != SKEIN_OK) return s;
  sk_world_take(w, dt, info);
  info->seconds_loop += result.seconds;
  info->converged = result.converged, info->tol = def.tol, info->error = result.error.rel;
  if (!info->converged && info->error <= step->tol) info->converged = true, info->tol = step->tol;
  info->sweeps = result.iterations;
  info->islands = result.islands;
  return s;
}
