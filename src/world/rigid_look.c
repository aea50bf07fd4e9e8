/* The distances delta(s) of a step of rigid bodies as a function of the poses s, and what a change of velocity does to
 * them. A contact is a pair of features of two shapes; its distance is asked of the shapes again in every trial pose.
 * Where they do not have the feature any more (a corner that has left a face), the distance goes on as that of the two
 * points along the last normal. The gradient is n' J: a distance between nearest points does not feel how these move
 * along the surfaces. */
#include "world/rigid.h"

#include <math.h>
#include <string.h>

/* ---- Bodies ---- */

static double body_size(const sk_attempt *w, int i)
{
  sk_vec3 lo, hi;
  if (w->model->scene->bodies[i].shape.kind == SK_PLANE) return 0;
  sk_shape_bounds(&w->model->scene->bodies[i].shape, &w->bodies[i].pose, &lo, &hi);
  return sk_norm(sk_sub(hi, lo));
}

static sk_mat3 inverse(sk_mat3 A)
{
  return (sk_mat3){{sk_solve3(A, sk_vec(1, 0, 0)), sk_solve3(A, sk_vec(0, 1, 0)), sk_solve3(A, sk_vec(0, 0, 1))}};
}

/* Inertia, free velocity (weight, gyroscopic torque) and reach of a body that moves by forces. */
static void fill_free(sk_rigid *r, int i)
{
  const sk_attempt *w = r->w;
  const sk_body_motion *b = w->bodies + i;
  double *u = r->motion.free + r->dof[i];
  sk_mat3 I = sk_body_inertia(w->model, i, &b->pose);
  r->inverse.mass[i] = 1 / w->model->scene->bodies[i].mass, r->inverse.inertia[i] = inverse(I);
  sk_store3(u, sk_axpy(b->v, r->dt, sk_load3(w->live->env.gravity)));
  sk_store3(u + 3, sk_axpy(b->w, -r->dt, sk_apply(r->inverse.inertia[i], sk_cross(b->w, sk_apply(I, b->w)))));
}

static void fill_body(sk_rigid *r, int i, double *smallest)
{
  const sk_attempt *w = r->w;
  const sk_scene_body *body = w->model->scene->bodies + i;
  const sk_body_motion *b = w->bodies + i;
  bool moves = body->mode == SK_DYNAMIC && !sk_asleep(w->next, w->model->rod_count + i);
  double fall = moves ? sk_norm(sk_load3(w->live->env.gravity)) * r->dt * r->dt : 0;
  r->bounds.size[i] = body_size(w, i);
  r->motion.start[i] = r->motion.pose[i] = body->mode == SK_PRESCRIBED ? b->next : b->pose;
  r->bounds.reach[i] = sk_limit.reach.motion * r->dt * (sk_norm(b->v) + sk_norm(b->w) * r->bounds.size[i]) + fall +
                       sk_limit.reach.body * r->bounds.size[i];
  r->dof[i] = moves ? r->dofs : -1;
  if (!moves) return;
  r->dofs += 6;
  *smallest = fmin(*smallest, r->bounds.size[i]);
}

static sk_grip grip_make(const sk_rigid *r, const sk_contact *t)
{
  int first = r->w->model->rod_count;
  double f = fmax(0, sk_dot(t->impulse, t->frame[0]));
  return (sk_grip){.a = t->a - first,
                   .b = t->b - first,
                   .feature = t->feature,
                   .place.n = t->frame[0],
                   .place.x = t->point_a,
                   .place.y = t->point_b,
                   .place.ax = sk_pose_in(&r->w->bodies[t->a - first].pose, t->point_a),
                   .place.by = sk_pose_in(&r->w->bodies[t->b - first].pose, t->point_b),
                   .place.distance = t->gap,
                   .force.f = f,
                   .mu = t->mu,
                   .force.press = f,
                   .force.drag = t->mu > 0 ? sk_axpy(t->impulse, -f, t->frame[0]) : sk_vec(0, 0, 0)};
}

/* What the distance may not be below: the skin. An overlap at the start is opened no faster than the scene's push-out
 * velocity allows. */
static double bottom(const sk_rigid *r, int a, int b, double gap)
{
  double least = sk_skin(r->w->model, a, b);
  return gap < least - r->tol ? fmin(least, gap + r->w->model->scene->step.push * r->dt) : least;
}

/* m: of distances. A force is a distance over dt^2, so that 1e-7 of a fall keeps forces to that part of the weight. */
static double tolerance(const sk_rigid *r, double size)
{
  double fall = sk_norm(sk_load3(r->w->live->env.gravity)) * r->dt * r->dt;
  return fmax(sk_limit.distances.least * size,
              fmin(sk_limit.distances.size * size, fall > 0 ? sk_limit.distances.fall * fall : HUGE_VAL));
}

skein_status sk_rigid_create(sk_attempt *w, double dt, sk_rigid *r)
{
  int n = w->model->scene->body_count;
  double smallest = HUGE_VAL;
  sk_arena *arena = &w->work.arena;
  *r = (sk_rigid){.w = w, .dt = dt, .bodies = n, .room = 2 * w->found.contacts.count + sk_limit.distances.room};
  r->dof = SK_NEW(arena, n, int), r->inverse.mass = SK_NEW(arena, n, double),
  r->inverse.inertia = SK_NEW(arena, n, sk_mat3);
  r->motion.free = SK_NEW(arena, 6 * (size_t)n, double), r->motion.u = SK_NEW(arena, 6 * (size_t)n, double);
  r->motion.start = SK_NEW(arena, n, sk_pose), r->motion.pose = SK_NEW(arena, n, sk_pose);
  r->bounds.reach = SK_NEW(arena, n, double), r->bounds.size = SK_NEW(arena, n, double);
  r->bounds.lo = SK_NEW(arena, n, sk_vec3), r->bounds.hi = SK_NEW(arena, n, sk_vec3);
  r->at = SK_NEW(arena, r->room, sk_grip);
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < n; i++) fill_body(r, i, &smallest);
  for (int i = 0; i < n; i++)
    if (r->dof[i] >= 0) fill_free(r, i);
  smallest = isfinite(smallest) ? smallest : 1;
  r->tol = tolerance(r, smallest),
  r->rough_tol = fmax(sk_limit.distances.rough * r->tol, sk_limit.distances.coarse * smallest);
  for (int k = 0; k < w->found.contacts.count; k++) r->at[r->count++] = grip_make(r, w->found.contacts.at + k);
  for (int k = 0; k < r->count; k++) {
    double deepest = HUGE_VAL;
    for (int j = 0; j < r->count; j++)
      if (r->at[j].a == r->at[k].a && r->at[j].b == r->at[k].b) deepest = fmin(deepest, w->found.contacts.at[j].gap);
    r->at[k].place.floor = bottom(r, r->at[k].a, r->at[k].b, deepest);
  }
  return sk_ok();
}

/* ---- Motion ---- */

void sk_rigid_velocities(const sk_rigid *r, bool with_f, double *u)
{
  memcpy(u, r->motion.free, sizeof(double) * (size_t)r->dofs);
  for (int k = 0; k < r->count; k++) {
    const sk_grip *g = r->at + k;
    sk_vec3 impulse = sk_axpy(g->force.drag, with_f ? g->force.f : 0, g->place.n);
    for (int side = 0; side < 2; side++, impulse = sk_mul(-1, impulse)) {
      int body = side ? g->b : g->a, dof = r->dof[body];
      if (dof < 0) continue;
      sk_vec3 turn = sk_apply(r->inverse.inertia[body], sk_cross(g->rows.arm[side], impulse));
      sk_store3(u + dof, sk_axpy(sk_load3(u + dof), r->inverse.mass[body], impulse));
      sk_store3(u + dof + 3, sk_add(sk_load3(u + dof + 3), turn));
    }
  }
}

void sk_rigid_move(sk_rigid *r)
{
  sk_rigid_velocities(r, true, r->motion.u);
  for (int i = 0; i < r->bodies; i++) { /* as sk_world_move_bodies does */
    if (r->dof[i] < 0) continue;
    sk_vec3 v = sk_load3(r->motion.u + r->dof[i]), spin = sk_load3(r->motion.u + r->dof[i] + 3);
    r->motion.pose[i].r = sk_axpy(r->motion.start[i].r, r->dt, v);
    r->motion.pose[i].q = sk_quat_unit(sk_quat_mul(sk_quat_rotation(sk_mul(r->dt, spin)), r->motion.start[i].q));
  }
}

double sk_rigid_speed(const sk_rigid *r, const sk_grip *g, const double *u)
{
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    int dof = r->dof[side ? g->b : g->a];
    for (int c = 0; dof >= 0 && c < 6; c++) sum += g->rows.row[6 * side + c] * u[dof + c];
  }
  return sum;
}

double sk_rigid_coupling(const sk_rigid *r, const sk_grip *i, const sk_grip *k, bool exact)
{
  double sum = 0;
  for (int si = 0; si < 2; si++)
    for (int sk = 0; sk < 2; sk++) {
      int body = si ? i->b : i->a;
      if (body != (sk ? k->b : k->a) || r->dof[body] < 0) continue;
      const double *x = (exact ? i->rows.turned : i->rows.row) + 6 * si, *y = k->rows.row + 6 * sk;
      sum += r->inverse.mass[body] * sk_dot(sk_load3(x), sk_load3(y));
      sum += sk_dot(sk_load3(x + 3), sk_apply(r->inverse.inertia[body], sk_load3(y + 3)));
    }
  return r->dt * sum;
}

/* A change dw of the spin turns the end of the step by dt J(dt w) dw, J the left Jacobian of the rotations:
 * J(p) = 1 + (1 - cos t)/t^2 [p] + (t - sin t)/t^3 [p]^2, t = |p|. This is J' m. */
static sk_vec3 turn_back(sk_vec3 p, sk_vec3 m)
{
  double t = sk_norm(p), a = t > 1e-4 ? (1 - cos(t)) / (t * t) : 0.5,
         b = t > 1e-2 ? (t - sin(t)) / (t * t * t) : 1.0 / 6;
  sk_vec3 pm = sk_cross(p, m);
  return sk_axpy(sk_axpy(m, -a, pm), b, sk_cross(p, pm));
}

static void fill_rows(sk_rigid *r, sk_grip *g)
{
  for (int side = 0; side < 2; side++) {
    int body = side ? g->b : g->a;
    sk_vec3 n = sk_mul(side ? -1 : 1, g->place.n), m;
    g->rows.arm[side] = sk_sub(side ? g->place.y : g->place.x, r->motion.pose[body].r),
    m = sk_cross(g->rows.arm[side], n);
    sk_store3(g->rows.row + 6 * side, n), sk_store3(g->rows.row + 6 * side + 3, m);
    memcpy(g->rows.turned + 6 * side, g->rows.row + 6 * side, 6 * sizeof(double));
    if (r->dof[body] < 0) continue;
    sk_vec3 p = sk_mul(r->dt, sk_load3(r->motion.u + r->dof[body] + 3));
    sk_store3(g->rows.turned + 6 * side + 3, turn_back(p, m));
  }
  g->rows.weight = sk_rigid_coupling(r, g, g, false);
}

/* ---- Looking ---- */

/* Distance of the two points along the last normal. */
static void carry(const sk_rigid *r, sk_grip *g)
{
  sk_vec3 x = sk_pose_out(r->motion.pose + g->a, g->place.ax), y = sk_pose_out(r->motion.pose + g->b, g->place.by);
  g->place.distance = sk_dot(g->place.n, sk_sub(x, y)) - g->place.floor;
}

static void take_geometry(const sk_rigid *r, const sk_near *near, sk_grip *g)
{
  g->place.n = near->normal, g->place.y = near->point, g->place.x = sk_axpy(near->point, near->distance, near->normal);
  g->place.ax = sk_pose_in(r->motion.pose + g->a, g->place.x),
  g->place.by = sk_pose_in(r->motion.pose + g->b, g->place.y);
}

/* The unseen grip of the pair with that feature, of several the one whose point was nearest. `place`: any feature, but
 * not further away than a fiftieth of the smaller body: where faces lie corner on corner, one place has several names,
 * and round-off chooses among them. NULL: none. */
static sk_grip *find_grip(sk_rigid *r, int a, int b, const sk_near *near, bool place)
{
  sk_grip *best = NULL;
  double size = r->bounds.size[a] > 0 && r->bounds.size[b] > 0 ? fmin(r->bounds.size[a], r->bounds.size[b])
                                                               : fmax(r->bounds.size[a], r->bounds.size[b]);
  double least = place ? sk_limit.distances.place * size : HUGE_VAL;
  for (int k = 0; k < r->count; k++) {
    sk_grip *g = r->at + k;
    if (g->a != a || g->b != b || g->seen || (!place && sk_feature_order(g->feature, near->feature) != 0)) continue;
    if (place && sk_dot(g->place.n, near->normal) < sk_limit.refine.facing) continue;
    double away = sk_norm(sk_sub(sk_pose_out(r->motion.pose + b, g->place.by), near->point));
    if (away < least) least = away, best = g;
  }
  return best;
}

static bool add_grip(sk_rigid *r, int a, int b, const sk_near *near)
{
  if (r->count == r->room) {
    sk_grip *more = SK_NEW(&r->w->work.arena, 2 * r->room, sk_grip);
    if (!more) return false;
    memcpy(more, r->at, sizeof *more * (size_t)r->count);
    r->at = more, r->room *= 2;
  }
  const sk_scene_body *A = r->w->model->scene->bodies + a, *B = r->w->model->scene->bodies + b;
  sk_grip g = {.a = a, .b = b, .feature = near->feature, .seen = true};
  g.mu = r->w->live->mu[A->group * r->w->model->scene->group_count + B->group];
  g.place.floor = sk_skin(r->w->model, a, b);
  for (int k = 0; k < r->count; k++)
    if (r->at[k].a == a && r->at[k].b == b) g.place.floor = r->at[k].place.floor;
  take_geometry(r, near, &g);
  g.place.distance = near->distance - g.place.floor;
  if (g.place.distance < -r->tol) r->at[r->count++] = g;
  return true;
}

static bool pair_may_touch(const sk_rigid *r, int a, int b, double reach)
{
  const sk_scene_body *A = r->w->model->scene->bodies + a, *B = r->w->model->scene->bodies + b;
  if (r->dof[a] < 0 && r->dof[b] < 0) return false;
  if (r->w->live->mu[A->group * r->w->model->scene->group_count + B->group] < 0) return false;
  sk_vec3 alo = r->bounds.lo[a], ahi = r->bounds.hi[a], blo = r->bounds.lo[b], bhi = r->bounds.hi[b];
  return alo.x <= bhi.x + reach && blo.x <= ahi.x + reach && alo.y <= bhi.y + reach && blo.y <= ahi.y + reach &&
         alo.z <= bhi.z + reach && blo.z <= ahi.z + reach;
}

static bool look_at_pair(sk_rigid *r, int a, int b, bool refresh)
{
  const sk_scene_body *A = r->w->model->scene->bodies + a, *B = r->w->model->scene->bodies + b;
  double reach = r->bounds.reach[a] + r->bounds.reach[b];
  sk_near near[SK_NEAR_MAX];
  bool known[SK_NEAR_MAX] = {false};
  if (!pair_may_touch(r, a, b, reach)) return true;
  int found = sk_shape_shape(&A->shape, r->motion.pose + a, &B->shape, r->motion.pose + b, reach, near);
  for (int place = 0; place < 2; place++)
    for (int k = 0; k < found; k++) {
      sk_grip *g = known[k] ? NULL : find_grip(r, a, b, near + k, place);
      if (!g) continue;
      g->seen = known[k] = true, g->place.distance = near[k].distance - g->place.floor;
      if (refresh) g->feature = near[k].feature, take_geometry(r, near + k, g);
    }
  for (int k = 0; refresh && k < found; k++)
    if (!known[k] && !add_grip(r, a, b, near + k)) return false;
  return true;
}

int sk_rigid_look(sk_rigid *r, bool refresh)
{
  int before = r->count;
  for (int i = 0; i < r->bodies; i++)
    sk_shape_bounds(&r->w->model->scene->bodies[i].shape, r->motion.pose + i, r->bounds.lo + i, r->bounds.hi + i);
  for (int k = 0; k < r->count; k++) r->at[k].seen = false, carry(r, r->at + k);
  for (int a = 0; a < r->bodies; a++)
    for (int b = a + 1; b < r->bodies; b++)
      if (!look_at_pair(r, a, b, refresh)) return -1;
  for (int k = 0; refresh && k < r->count; k++) {
    sk_grip *g = r->at + k;
    if (!g->seen)
      g->place.x = sk_pose_out(r->motion.pose + g->a, g->place.ax),
      g->place.y = sk_pose_out(r->motion.pose + g->b, g->place.by);
    fill_rows(r, g);
  }
  return r->count - before;
}

double sk_rigid_error(sk_rigid *r)
{
  r->error = 0;
  for (int k = 0; k < r->count; k++)
    r->error = fmax(r->error, fabs(fmin(r->at[k].rows.weight * r->at[k].force.f, r->at[k].place.distance)));
  return r->error;
}

double sk_rigid_nearest(const skein_world *w, double reach)
{
  double least = HUGE_VAL;
  sk_near near[SK_NEAR_MAX];
  const sk_model *m = &w->model;
  const sk_body_state *body = sk_now(w)->body;
  for (int a = 0; a < m->scene->body_count; a++)
    for (int b = a + 1; b < m->scene->body_count; b++) {
      const sk_scene_body *A = m->scene->bodies + a, *B = m->scene->bodies + b;
      if (A->mode != SK_DYNAMIC && B->mode != SK_DYNAMIC) continue;
      if (w->live.mu[A->group * m->scene->group_count + B->group] < 0) continue;
      int found = sk_shape_shape(sk_surface_now(w->surfaces, m, a), &body[a].pose, sk_surface_now(w->surfaces, m, b),
                                 &body[b].pose, reach, near);
      for (int k = 0; k < found; k++) least = fmin(least, near[k].distance);
    }
  return least;
}
