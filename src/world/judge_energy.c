/* Energy that came of nothing, and speeds. For each rod and each body that moves by itself, in axes that go with the
 * velocity V of its held root in this step (V: its own before the step, where nothing holds it),
 *
 *     made = E+ - E - W,    W = m g . (way of the mass - V dt) + sum F . (way - V dt) + sum r . (way - V dt) / dt +
 * W_held
 *
 * over loads F and contact impulses r with the way of their own places. Implicit Euler has made <= 0, whatever the step
 * is: with V+ as the variation of all places, K+ - K = (sum of the impulses) . V+ - |V+ - V-|^2 / 2, and a convex
 * elastic energy grows by less than its force at the end does. (With (before + after) / 2 in place of way / dt a ball
 * that lands would gain m g dt v / 2.) In these axes a held root does no work but by its torque, which is measured:
 * what the moment of momentum about the root lacks,
 *
 *     W_held = w dt . sum of m (r - r_root) x ((V+ - V-) / dt - g - drag) - moments of loads and contacts
 *
 * Velocities are those of the places, (x+ - x) / dt, before the step and after it: what is seen. A contact makes energy
 * by itself where both sides together gain some, by the mean of the velocities before and after and by those after;
 * half of it counts for each side.
 *
 * Speeds, in the same axes: the bound of a place is `speed` times the largest that anything had that moves it, which is
 * its object before the step and in the free motion, what it touches (1 + restitution), and a fall through a contact
 * length. A whip speeds up from step to step, a throw does not; and no place is faster than `able` times what the
 * motion could have reached by now. */
#include "world/judge.h"

#include <math.h>
#include <string.h>

typedef struct account {
  sk_vec3 V, spin, root;         /* of its axes; m: where the torque is taken about */
  double kinetic, gain;          /* J: before the step; E+ - E */
  double gravity, held, outside; /* J: work of gravity, held ends, loads and air */
  double contact, made_by_contacts;
  double pushed, own, speed; /* m/s: of what it touches; own before and free; after */
  double pace;               /* m/s^2: free acceleration */
  double mass;
} account;

/* ---- Axes ---- */

static account rod_account(const sk_judge_input *in, const sk_judge_rod *rod)
{
  account a = {.root = sk_load3(rod->before.x + SK_ROOT), .mass = rod->rod->section.rho_S * rod->rod->def.length};
  (void)in;
  if (rod->rod->def.root != SKEIN_FREE) {
    a.V = sk_load3(rod->after.x + SK_ROOT_V);
    if (rod->rod->def.root == SKEIN_CLAMPED) a.spin = sk_load3(rod->after.x + SK_ROOT_V + 3);
    return a;
  }
  for (int k = 0; k <= rod->count; k++)
    a.V = sk_axpy(a.V, sk_judge_weight(rod, k) / rod->rod->def.length, rod->velocity[k]);
  return a;
}

/* Both ends are held and move against each other: what the second one does is in no balance. */
static bool is_untold(const sk_judge_rod *rod)
{
  if (rod->rod->def.tip == SKEIN_FREE) return false;
  const double *root = rod->after.x + SK_ROOT_V, *tip = rod->after.x + SK_TIP_V;
  return rod->rod->def.root == SKEIN_FREE || sk_norm(sk_sub(sk_load3(root), sk_load3(tip))) > 0 ||
         sk_norm(sk_load3(root + 3)) > 0 || sk_norm(sk_load3(tip + 3)) > 0;
}

/* ---- Contacts ---- */

/* One side of a contact: velocity of its place over the step, the mean of which the positions have; the speed that the
 * other side gets from it. */
typedef struct side {
  sk_vec3 point, v;
  double speed;
} side;

static side body_side(const sk_judge_input *in, const sk_judge_body *b, sk_vec3 point)
{
  side s = {.point = point};
  sk_vec3 arm = sk_sub(point, b->pose0.r);
  if (b->dynamic) {
    double o = 1 - in->theta;
    s.v = sk_add(sk_add(sk_mul(in->theta, b->v1), sk_mul(o, b->v0)),
                 sk_cross(sk_add(sk_mul(in->theta, b->w1), sk_mul(o, b->w0)), arm));
    s.speed = sk_norm(sk_add(b->v0, sk_cross(b->w0, arm))) + sk_norm(in->g) * in->dt;
    return s;
  }
  sk_vec3 to = sk_pose_out(&b->pose1, sk_pose_in(&b->pose0, point));
  s.v = sk_mul(1 / in->dt, sk_sub(to, point));
  return s;
}

static side side_of(const sk_judge_input *in, const sk_judge_contact *c, bool second, sk_vec3 V)
{
  int object = second ? c->b : c->a;
  sk_vec3 point = second ? c->point_b : c->point_a;
  if (object >= in->objects.rod_count) {
    const sk_judge_body *b = in->objects.bodies + object - in->objects.rod_count;
    side s = body_side(in, b, point);
    if (!b->dynamic) s.speed = sk_norm(sk_sub(s.v, V)) + b->surface / in->dt;
    return s;
  }
  const sk_judge_rod *rod = in->objects.rods + object;
  double s = second ? c->sb : c->sa;
  int k = sk_judge_piece(rod, s);
  sk_vec3 way = sk_sub(sk_judge_place_at(rod, true, s), sk_judge_place_at(rod, false, s));
  side out = {.point = point, .v = sk_mul(1 / in->dt, way)};
  for (int e = k; e <= k + 1; e++)
    out.speed = fmax(out.speed, fmax(sk_norm(sk_sub(rod->velocity[e], V)), sk_norm(sk_sub(rod->free[e], V))));
  return out;
}

/* What a contact does to its sides. */
typedef struct deed {
  double work[2], moment[2], pushed[2], made, curved;
} deed;

static double contact_length(const sk_judge_input *in, int a, int b)
{
  int n = in->objects.rod_count;
  if (a >= n) return sk_judge_body_length(in->objects.bodies + a - n, in->objects.bodies + b - n);
  double radius = in->objects.rods[a].radius;
  return b < n ? fmin(radius, in->objects.rods[b].radius) : radius;
}

/* Way of the contact beside that of the linear problem, along its normal, where it is near. */
static double curved_of(const sk_judge_input *in, const sk_judge_contact *c, sk_vec3 u)
{
  double length = contact_length(in, c->a, c->b), way = in->dt * sk_dot(c->normal, u);
  bool near = c->gap + way < sk_limit.sight.near * length || sk_dot(c->impulse, c->impulse) > 0;
  bool deforms = c->b >= in->objects.rod_count && in->objects.bodies[c->b - in->objects.rod_count].surface > 0;
  return near && !deforms && c->a < in->objects.rod_count && isfinite(c->way) ? fabs(way - c->way) / length : 0;
}

static deed deed_of(const sk_judge_input *in, const account *accounts, const sk_judge_contact *c)
{
  const int object[2] = {c->a, c->b};
  deed d = {.made = 0};
  side s[2];
  for (int e = 0; e < 2; e++) s[e] = side_of(in, c, e, accounts[object[!e]].V);
  sk_vec3 u = sk_sub(s[0].v, s[1].v);
  for (int e = 0; e < 2; e++) {
    const account *a = accounts + object[e];
    sk_vec3 r = sk_mul(e ? -1 : 1, c->impulse);
    d.work[e] = sk_dot(r, sk_sub(s[e].v, a->V));
    d.moment[e] = sk_dot(a->spin, sk_cross(sk_sub(s[e].point, a->root), r));
    d.pushed[e] = (1 + c->restitution) * s[!e].speed;
  }
  double mean = 0.5 * sk_dot(c->impulse, sk_add(u, c->u_before));
  d.made = fmax(0, fmin(mean, sk_dot(c->impulse, u)));
  d.curved = curved_of(in, c, u);
  return d;
}

static skein_status add_contacts(const sk_judge_input *in, sk_arena *arena, account *accounts, skein_verdict *out)
{
  const sk_judge_actions *act = &in->actions;
  deed *deeds = SK_NEW_RAW(arena, act->contact_count, deed);
  if (arena->failed) return sk_no_memory();
#pragma omp parallel for num_threads(in->threads) schedule(static, 64)
  for (int k = 0; k < act->contact_count; k++) deeds[k] = deed_of(in, accounts, act->contacts + k);
  for (int k = 0; k < act->contact_count; k++) {
    const sk_judge_contact *c = act->contacts + k;
    const deed *d = deeds + k;
    for (int e = 0; e < 2; e++) {
      account *a = accounts + (e ? c->b : c->a);
      a->contact += d->work[e], a->held -= d->moment[e], a->made_by_contacts += 0.5 * d->made;
      a->pushed = fmax(a->pushed, d->pushed[e]);
    }
    sk_finding_take(&out->curved, d->curved, c->a, c->b);
  }
  return sk_ok();
}

static void add_forces(const sk_judge_input *in, account *accounts)
{
  for (int k = 0; k < in->actions.force_count; k++) {
    const sk_judge_force *f = in->actions.forces + k;
    const sk_judge_rod *rod = in->objects.rods + f->rod;
    account *a = accounts + f->rod;
    sk_vec3 from = sk_judge_place_at(rod, false, f->s), to = sk_judge_place_at(rod, true, f->s), force = f->force;
    if (f->stiffness > 0) force = sk_mul(f->stiffness, sk_sub(f->target, to));
    a->outside += sk_dot(force, sk_axpy(sk_sub(to, from), -in->dt, a->V));
    a->held -= in->dt * sk_dot(a->spin, sk_cross(sk_sub(from, a->root), force));
  }
}

/* ---- Objects ---- */

static void close_rod(const sk_judge_input *in, const sk_judge_rod *rod, account *a)
{
  double rho = rod->rod->section.rho_S, drag = rod->rod->def.drag, before = 0, after = 0, pace = 0, moment = 0;
  for (int k = 0; k <= rod->count; k++) {
    double h = sk_judge_weight(rod, k), m = rho * h;
    sk_vec3 mean = sk_mul(1 / in->dt, sk_sub(rod->after.r[k], rod->before.r[k])), v0 = rod->velocity[k];
    sk_vec3 v1 = in->theta < 1 ? rod->velocity[rod->count + 1 + k] : mean;
    sk_vec3 x = sk_sub(v0, a->V), y = sk_sub(v1, a->V), moves = sk_sub(mean, a->V), gone = sk_sub(v1, v0);
    sk_vec3 air = sk_mul(h * drag, sk_sub(in->wind, mean)), acts = sk_axpy(air, m, in->g);
    before += 0.5 * m * sk_dot(x, x), after += 0.5 * m * sk_dot(y, y);
    a->gravity += in->dt * m * sk_dot(in->g, moves), a->outside += in->dt * sk_dot(air, moves);
    moment += sk_dot(a->spin, sk_cross(sk_sub(rod->before.r[k], a->root), sk_axpy(sk_mul(m, gone), -in->dt, acts)));
    pace += h * sk_norm(sk_sub(rod->free[k], rod->velocity[k]));
    a->own = fmax(a->own, fmax(sk_norm(x), sk_norm(sk_sub(rod->free[k], a->V))));
    a->speed = fmax(a->speed, sk_norm(moves));
  }
  a->kinetic = before, a->gain = after - before + rod->rod->ops->elastic(rod->rod, rod->after.x) -
                                 rod->rod->ops->elastic(rod->rod, rod->before.x);
  a->held += moment;
  a->pace = pace / (in->dt * rod->rod->def.length);
}

static double spin_energy(const sk_judge_body *b, const sk_pose *pose, sk_vec3 w)
{
  sk_vec3 local = sk_apply_t(sk_quat_frame(pose->q), w);
  return 0.5 * sk_dot(local, sk_apply(b->inertia, local));
}

static void close_body(const sk_judge_input *in, const sk_judge_body *b, account *a)
{
  sk_vec3 gone = sk_sub(b->v1, b->v0), way = sk_sub(b->pose1.r, b->pose0.r);
  a->kinetic = spin_energy(b, &b->pose0, b->w0);
  a->gain = 0.5 * b->mass * sk_dot(gone, gone) + spin_energy(b, &b->pose1, b->w1) - a->kinetic;
  a->gravity = b->mass * sk_dot(in->g, sk_axpy(way, -in->dt, a->V));
  a->pace = sk_norm(in->g), a->own = sk_norm(b->v0) + a->pace * in->dt, a->speed = sk_norm(b->v1);
}

/* What one object adds to the verdict. */
static void close_account(const sk_limits *limits, const account *a, double c, double able, int object, bool balanced,
                          skein_verdict *out)
{
  double work = fabs(a->gravity) + fabs(a->outside) + fabs(a->contact) + fabs(a->held);
  double made = a->gain - a->gravity - a->outside - a->contact - a->held + a->made_by_contacts;
  double scale = a->kinetic + work + a->mass * a->pace * c;
  double most = limits->judge.speed * fmax(fmax(a->own, a->pushed), sqrt(2 * a->pace * c));
  double bound = fmin(most, limits->judge.able * able);
  if (a->speed > 0) sk_finding_take(&out->speed, bound > 0 ? a->speed / bound : HUGE_VAL, object, -1);
  if (!balanced) return;
  if (made > 0) sk_finding_take(&out->balance, made / scale, object, -1);
  if (made > limits->judge.noise * scale) out->made += made;
  out->turnover += fabs(a->gravity) + fabs(a->outside) + fabs(a->held);
}

skein_status sk_judge_energy(const sk_judge_input *in, const sk_limits *limits, sk_arena *arena, skein_verdict *out)
{
  const sk_judge_objects *o = &in->objects;
  account *accounts = SK_NEW(arena, o->rod_count + o->body_count, account);
  if (arena->failed) return sk_no_memory();
#pragma omp parallel for num_threads(in->threads) schedule(static, 16)
  for (int i = 0; i < o->rod_count; i++)
    if (!o->rods[i].asleep) accounts[i] = rod_account(in, o->rods + i);
  for (int i = 0; i < o->body_count; i++)
    accounts[o->rod_count + i] = (account){.V = o->bodies[i].v0, .mass = o->bodies[i].mass};
  skein_status s = add_contacts(in, arena, accounts, out);
  if (s.code != SKEIN_OK) return s;
  add_forces(in, accounts);
#pragma omp parallel for num_threads(in->threads) schedule(static, 16)
  for (int i = 0; i < o->rod_count; i++)
    if (!o->rods[i].asleep) close_rod(in, o->rods + i, accounts + i);
  for (int i = 0; i < o->rod_count; i++) {
    const sk_judge_rod *rod = o->rods + i;
    if (!rod->asleep) close_account(limits, accounts + i, rod->radius, in->able, i, !is_untold(rod), out);
  }
  for (int i = 0; i < o->body_count; i++) {
    const sk_judge_body *b = o->bodies + i;
    if (!b->dynamic || b->asleep) continue;
    close_body(in, b, accounts + o->rod_count + i);
    close_account(limits, accounts + o->rod_count + i, b->size / sk_limit.sight.body, in->able, o->rod_count + i, true,
                  out);
  }
  return s;
}
