/* Super-helix: curvatures and twist u_Q = (kappa1, kappa2, tau), constant on each of N elements (Bertails et al. 2006).
 *
 * Unknowns are the u_Q, from tip to root, and the motion of the root where it is not clamped. The centreline is exact
 * and inextensible (helix.h). The stiffness is constant and diagonal: K = diag(l EI1, l EI2, l GJ). A column of the
 * Jacobian, dr(s)/du_Qk, is known inside element Q and a rigid motion beyond it,
 *
 *     dr/du_Qk = e_Qk + w_Qk x (r - r_{Q+1}),    w_Qk = R_Q V(l) e_k,
 *
 * so all integrals over the rod are sums over elements of a few moments, carried from the tip to the root as in the
 * composite-rigid-body method (Featherstone 1987): O(N) quadratures, O(N^2) short products for M. Forces, with the
 * accelerations J' v that the velocities make, go the same way (recursive Newton-Euler): exact, nothing dropped.
 *
 * In a step of implicit Euler these accelerations are the difference to the velocities of the points in the last step,
 *
 *     M v - dt int rho S J' a ds = int rho S J' (w0 - drift) ds,    w0 = J(x0) v + drift0,  x0: where that step began,
 *
 * which is a projection of w0 on what the rod can do now: it never adds energy, however much M has changed meanwhile
 * (the twist of a rod has hardly any mass while it is straight, and much as soon as it bends). */
#include "math/gauss.h"
#include "rod/super_helix.h"

#include <math.h>
#include <string.h>

/* One element in the axes of the world; moments of its own mass are about its start r. */
typedef struct element {
  sk_vec3 r, delta; /* start; end - start */
  sk_mat3 R;        /* at the start */
  sk_vec3 u, du;    /* curvatures and their rates */
  sk_vec3 e[3], w[3];
  sk_vec3 v, spin, a, dspin; /* velocity, angular velocity and their rates at the start, with no change of the rates */
  sk_mat3 R0;                /* the same element where the last step began: frame, curvatures, motion of its start */
  sk_vec3 u0, v0, spin0;
  double mass, Jj[6];    /* int rho S; int rho S c_j . c_k (00 11 22 01 02 12) */
  sk_vec3 h, f[3], n[3]; /* int rho S p, int rho S c_k, int rho S p x c_k */
  sk_mat3 I, T;          /* inertia about the start; int d3 d3' ds (for a root that may spin) */
  sk_vec3 force, torque; /* of what acts on it, about the start */
  double q[3];           /* int c_k . force */
} element;

enum { ELEMENT_DOUBLES = (sizeof(element) + sizeof(double) - 1) / sizeof(double) };

static void size(sk_rod *rod)
{
  int N = rod->def.elements;
  rod->n = 3 * N - rod->def.twist_locked + sk_helix_base_dofs(rod);
  rod->kd = rod->n - 1;
  rod->nx = SK_MODEL + 3 * N;
  rod->works = N * ELEMENT_DOUBLES;
}

static double scale(const sk_rod *rod, int i)
{
  int base = sk_helix_base_dofs(rod), from_end = rod->n - i;
  if (from_end <= SK_MIN(3, base)) return 1; /* rotation of the root */
  return from_end <= base ? rod->l : 1 / rod->l;
}

/* ---- Kinematics ---- */

/* Start of every element, its columns e and w, and with velocities the motion of its start:
 * at the end  spin += R V u',  dspin += spin x (R V u') + R V' u',  v += spin x d + R p',
 * a += dspin x d + spin x (spin x d) + 2 spin x R p' + R p''. */
static void forward(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, element *el)
{
  sk_vec3 r = sk_load3(x + SK_ROOT);
  sk_mat3 R = sk_load33(x + SK_ROOT + 3);
  sk_motion m = sk_helix_root_motion(rod, v, in);
  double l = rod->l;
  for (int Q = 0; Q < rod->def.elements; Q++) {
    element *q = el + Q;
    q->r = r, q->R = R, q->u = sk_helix_u(x, Q);
    q->v = m.v, q->spin = m.w, q->a = m.a, q->dspin = m.dw;
    sk_helix h = sk_helix_make(sk_dot(q->u, q->u), l);
    q->delta = sk_apply(R, sk_helix_point(&h, q->u, l));
    for (int k = 0; k < 3; k++) {
      sk_vec3 e = {k == 0, k == 1, k == 2};
      q->e[k] = sk_apply(R, sk_helix_derivative(&h, q->u, e));
      q->w[k] = sk_apply(R, sk_helix_turn(&h, q->u, l, e));
    }
    q->du = in->dynamic ? sk_helix_du(rod, v, Q) : sk_vec(0, 0, 0);
    if (in->dynamic) {
      sk_vec3 dp = sk_apply(R, sk_helix_derivative(&h, q->u, q->du)),
              turn = sk_apply(R, sk_helix_turn(&h, q->u, l, q->du));
      sk_vec3 ddp = sk_apply(R, sk_helix_second(&h, q->u, q->du)),
              rate = sk_apply(R, sk_helix_turn_rate(&h, q->u, q->du));
      sk_vec3 swing = sk_add(sk_cross(m.w, q->delta), sk_mul(2, dp));
      m.v = sk_add(m.v, sk_add(sk_cross(m.w, q->delta), dp));
      m.a = sk_add(sk_add(m.a, sk_cross(m.dw, q->delta)), sk_add(sk_cross(m.w, swing), ddp));
      m.dw = sk_add(sk_add(m.dw, sk_cross(m.w, turn)), rate);
      m.w = sk_add(m.w, turn);
    }
    r = sk_add(r, q->delta);
    R = sk_mat_mul(R, sk_helix_frame(&h, q->u));
  }
}

static void move_pose(double *pose, sk_vec3 v, sk_vec3 w, double dt)
{
  sk_store3(pose, sk_axpy(sk_load3(pose), dt, v));
  sk_mat3 R = sk_mat_mul(sk_rotation(sk_mul(dt, w)), sk_load33(pose + 3));
  sk_store33(pose + 3, sk_orthonormal(R));
}

/* Every element where the last step began, x0 = x moved back by v, with the velocities that this step had. */
static void forward_last(const sk_rod *rod, const double *x, const double *v, double dt, element *el)
{
  sk_rod_input last = {.root = {.v = sk_load3(x + SK_ROOT_V), .w = sk_load3(x + SK_ROOT_V + 3)}};
  sk_motion m = sk_helix_root_motion(rod, v, &last);
  double pose[12], back = x[SK_LAST_DT] > 0 ? -x[SK_LAST_DT] : -dt, l = rod->l;
  memcpy(pose, x + SK_ROOT, sizeof pose);
  move_pose(pose, m.v, m.w, back);
  sk_mat3 R = sk_load33(pose + 3);
  for (int Q = 0; Q < rod->def.elements; Q++) {
    element *q = el + Q;
    q->u0 = sk_axpy(q->u, back, q->du), q->R0 = R, q->v0 = m.v, q->spin0 = m.w;
    sk_helix h = sk_helix_make(sk_dot(q->u0, q->u0), l);
    sk_vec3 d = sk_apply(R, sk_helix_point(&h, q->u0, l)), dp = sk_apply(R, sk_helix_derivative(&h, q->u0, q->du));
    m.v = sk_add(m.v, sk_add(sk_cross(m.w, d), dp));
    m.w = sk_add(m.w, sk_apply(R, sk_helix_turn(&h, q->u0, l, q->du)));
    R = sk_mat_mul(R, sk_helix_frame(&h, q->u0));
  }
}

/* Quadrature of one element: `count` points at s with weights ds. */
typedef struct quadrature {
  const double (*rule)[2];
  int points, count;
  double piece; /* length of each of the pieces that the rule is used on */
} quadrature;

/* To nine digits and mostly to rounding: five points while the element turns by less than 0.7 rad, more beyond; several
 * pieces when it makes more than three turns. */
static quadrature quadrature_make(double turn, double l)
{
  int pieces = 1 + (int)(turn / 20);
  quadrature q = {.piece = l / pieces};
  turn /= pieces;
  q.rule = sk_gauss(turn < 0.7 ? 5 : turn < 2.5 ? 8 : turn < 6 ? 12 : turn < 11 ? 16 : 24, &q.points);
  q.count = pieces * q.points;
  return q;
}

static double quadrature_at(const quadrature *q, int g, double *ds)
{
  const double *point = q->rule[g % q->points];
  *ds = point[1] * q->piece;
  return (g / q->points + point[0]) * q->piece;
}

/* I += m (|p|^2 - p p') */
static void add_inertia(sk_mat3 *I, double m, sk_vec3 p)
{
  double pp = sk_dot(p, p);
  I->c[0] = sk_axpy(sk_add(I->c[0], sk_vec(m * pp, 0, 0)), -m * p.x, p);
  I->c[1] = sk_axpy(sk_add(I->c[1], sk_vec(0, m * pp, 0)), -m * p.y, p);
  I->c[2] = sk_axpy(sk_add(I->c[2], sk_vec(0, 0, m * pp)), -m * p.z, p);
}

/* ---- Integrals over one element ----
 * Everything is summed in the axes of the element's start and turned to the world once. */

/* What acts per unit of mass at a point p of the element: g - a(p) + eta (wind - v_root(p)). */
typedef struct field {
  sk_vec3 constant, spin, dspin; /* constant: without what depends on p */
  sk_vec3 drag_spin;             /* eta times the prescribed spin of the root */
} field;

static field field_make(const sk_rod *rod, const element *q, const double *x, const sk_rod_input *in)
{
  field f = {0};
  sk_vec3 constant = in->g;
  double eta = rod->def.drag / rod->section.rho_S;
  if (in->dynamic) {
    sk_motion drift = in->root; /* the part of the velocity that is not J v */
    if (rod->def.root != SKEIN_CLAMPED) drift.w = sk_vec(0, 0, 0);
    if (rod->def.root == SKEIN_FREE) drift.v = sk_vec(0, 0, 0);
    sk_vec3 at = sk_add(drift.v, sk_cross(drift.w, sk_sub(q->r, sk_load3(x + SK_ROOT))));
    sk_vec3 a = in->dt > 0 ? sk_mul(1 / in->dt, q->v) : q->a;
    constant = sk_axpy(sk_sub(constant, a), eta, sk_sub(in->wind, at));
    f.spin = sk_apply_t(q->R, q->spin), f.dspin = sk_apply_t(q->R, q->dspin);
    f.drag_spin = sk_apply_t(q->R, sk_mul(eta, drift.w));
  }
  f.constant = sk_apply_t(q->R, constant);
  return f;
}

/* Velocity of the point at s in the last step, in the axes of the element now. */
static sk_vec3 last_velocity(const element *q, double s)
{
  sk_helix h = sk_helix_make(sk_dot(q->u0, q->u0), s);
  sk_vec3 d = sk_apply(q->R0, sk_helix_point(&h, q->u0, s)),
          dp = sk_apply(q->R0, sk_helix_derivative(&h, q->u0, q->du));
  return sk_apply_t(q->R, sk_add(q->v0, sk_add(sk_cross(q->spin0, d), dp)));
}

/* Force per mass at p = p(s): in a step of implicit Euler constant - (spin x p + p' - w0) / dt - drag_spin x p, else
 * constant - dspin x p - spin x (spin x p + 2 p') - p'' - drag_spin x p. */
static sk_vec3 field_at(const field *f, const element *q, const sk_helix *h, double s, sk_vec3 p,
                        const sk_rod_input *in)
{
  if (!in->dynamic) return f->constant;
  if (in->dt > 0) {
    sk_vec3 w = sk_add(sk_cross(f->spin, p), sk_helix_derivative(h, q->u, q->du));
    sk_vec3 a = sk_mul(1 / in->dt, sk_sub(w, last_velocity(q, s)));
    return sk_sub(f->constant, sk_add(a, sk_cross(f->drag_spin, p)));
  }
  sk_vec3 dp = sk_helix_derivative(h, q->u, q->du), ddp = sk_helix_second(h, q->u, q->du);
  sk_vec3 swing = sk_add(sk_cross(f->spin, p), sk_mul(2, dp));
  sk_vec3 a = sk_add(sk_add(sk_cross(sk_add(f->dspin, f->drag_spin), p), sk_cross(f->spin, swing)), ddp);
  return sk_sub(f->constant, a);
}

typedef struct sums {
  double q[3], Jj[6];
  sk_vec3 force, torque, h, f[3], n[3];
  sk_mat3 I, T;
} sums;

/* One point of the quadrature, of mass m. */
static void add_point(sums *sum, double m, sk_vec3 p, const sk_vec3 c[3], sk_vec3 force, bool matrices)
{
  force = sk_mul(m, force);
  sum->force = sk_add(sum->force, force);
  sum->torque = sk_add(sum->torque, sk_cross(p, force));
  for (int k = 0; k < 3; k++) sum->q[k] += sk_dot(c[k], force);
  if (!matrices) return;
  sk_vec3 mc[3];
  for (int k = 0; k < 3; k++) {
    mc[k] = sk_mul(m, c[k]);
    sum->f[k] = sk_add(sum->f[k], mc[k]);
    sum->n[k] = sk_add(sum->n[k], sk_cross(p, mc[k]));
    sum->Jj[k] += sk_dot(c[k], mc[k]);
  }
  sum->Jj[3] += sk_dot(c[0], mc[1]), sum->Jj[4] += sk_dot(c[0], mc[2]), sum->Jj[5] += sk_dot(c[1], mc[2]);
  sum->h = sk_axpy(sum->h, m, p);
  add_inertia(&sum->I, m, p);
}

/* A (in the element's axes) to the world: R A R'. */
static sk_mat3 turn_tensor(sk_mat3 R, sk_mat3 A)
{
  return sk_mat_mul(sk_mat_mul(R, A), sk_transpose3(R));
}

static void store_sums(element *q, const sums *s, bool matrices)
{
  q->force = sk_apply(q->R, s->force), q->torque = sk_apply(q->R, s->torque);
  memcpy(q->q, s->q, sizeof q->q);
  if (!matrices) return;
  memcpy(q->Jj, s->Jj, sizeof q->Jj);
  q->h = sk_apply(q->R, s->h);
  for (int k = 0; k < 3; k++) q->f[k] = sk_apply(q->R, s->f[k]), q->n[k] = sk_apply(q->R, s->n[k]);
  q->I = turn_tensor(q->R, s->I), q->T = turn_tensor(q->R, s->T);
}

static void integrate(const sk_rod *rod, element *q, const double *x, const sk_rod_input *in)
{
  double w2 = sk_dot(q->u, q->u), l = rod->l, ds;
  quadrature over = quadrature_make(sqrt(w2) * l, l);
  field f = field_make(rod, q, x, in);
  sums sum = {0};
  bool spins = rod->def.root != SKEIN_CLAMPED && in->matrices;
  for (int g = 0; g < over.count; g++) {
    double s = quadrature_at(&over, g, &ds), m = rod->section.rho_S * ds;
    sk_helix h = sk_helix_make(w2, s);
    sk_vec3 p = sk_helix_point(&h, q->u, s), c[3];
    for (int k = 0; k < 3; k++) c[k] = sk_helix_derivative(&h, q->u, sk_vec(k == 0, k == 1, k == 2));
    add_point(&sum, m, p, c, field_at(&f, q, &h, s, p, in), in->matrices);
    if (spins) {
      sk_vec3 t = sk_helix_tangent(&h, q->u);
      double tt[3] = {t.x, t.y, t.z};
      for (int k = 0; k < 3; k++) sum.T.c[k] = sk_axpy(sum.T.c[k], ds * tt[k], t);
    }
  }
  q->mass = rod->section.rho_S * l;
  store_sums(q, &sum, in->matrices);
}

/* ---- From the tip to the root ---- */

/* Everything beyond the end of an element, about that end. */
typedef struct distal {
  double mass;
  sk_vec3 h, force, torque;
  sk_mat3 I;
} distal;

/* The moments about a point that lies d before: I += ..., h += mass d. */
static void shift(distal *c, sk_vec3 d)
{
  sk_vec3 h = c->h;
  double dd = sk_dot(d, d), dh = 2 * sk_dot(d, h);
  double dx[3] = {d.x, d.y, d.z}, hx[3] = {h.x, h.y, h.z};
  for (int k = 0; k < 3; k++) { /* (|d|^2 + 2 d.h) 1 - m d d' - d h' - h d' */
    sk_vec3 col = sk_axpy(sk_mul(-c->mass * dx[k] - hx[k], d), -dx[k], h);
    double diagonal = c->mass * dd + dh;
    col = sk_add(col, sk_vec(k == 0 ? diagonal : 0, k == 1 ? diagonal : 0, k == 2 ? diagonal : 0));
    c->I.c[k] = sk_add(c->I.c[k], col);
  }
  c->h = sk_axpy(h, c->mass, d);
  c->torque = sk_add(c->torque, sk_cross(d, c->force));
}

/* Own moments of the element join those beyond it, about its start. */
static void absorb(distal *c, const element *q, bool matrices)
{
  shift(c, q->delta);
  c->force = sk_add(c->force, q->force), c->torque = sk_add(c->torque, q->torque);
  if (!matrices) return;
  c->mass += q->mass;
  c->h = sk_add(c->h, q->h);
  for (int k = 0; k < 3; k++) c->I.c[k] = sk_add(c->I.c[k], q->I.c[k]);
}

/* Diagonal block: int c_j . c_k inside, and beyond (e_j + w_j x p).(e_k + w_k x p). */
static double diagonal_entry(const element *q, const distal *c, int j, int k)
{
  static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  return q->Jj[place[j][k]] + c->mass * sk_dot(q->e[j], q->e[k]) + sk_dot(q->e[j], sk_cross(q->w[k], c->h)) +
         sk_dot(q->e[k], sk_cross(q->w[j], c->h)) + sk_dot(q->w[j], sk_apply(c->I, q->w[k]));
}

/* The column of M that belongs to dof k of element P: f and n are the momentum of the motion J_Pk and its moment about
 * the start of P; element Q before it moves all that rigidly: M = e_Q . f + w_Q . (n + (r_P - r_{Q+1}) x f). */
static void mass_column(const sk_rod *rod, const element *el, int P, int k, const distal *c, double *M)
{
  const element *p = el + P;
  sk_vec3 beyond = sk_axpy(sk_cross(p->w[k], c->h), c->mass, p->e[k]), f = sk_add(p->f[k], beyond);
  sk_vec3 n =
      sk_add(sk_add(p->n[k], sk_cross(p->delta, beyond)), sk_add(sk_cross(c->h, p->e[k]), sk_apply(c->I, p->w[k])));
  int col = sk_helix_first_dof(rod, P) + k, kd = rod->kd;
  for (int j = k; j < sk_helix_dof_count(rod, P); j++) M[sk_band_at(kd, col - k + j, col)] = diagonal_entry(p, c, j, k);
  double *m = M + sk_band_at(kd, col - k + sk_helix_dof_count(rod, P), col); /* the rows that follow, up to the root */
  for (int Q = P - 1; Q >= 0; Q--) {
    const element *q = el + Q;
    for (int j = 0, count = sk_helix_dof_count(rod, Q); j < count; j++) *m++ = sk_dot(q->e[j], f) + sk_dot(q->w[j], n);
    n = sk_add(n, sk_cross(q->delta, f));
  }
  if (rod->def.root == SKEIN_FREE) sk_store3(m, f), m += 3;
  if (rod->def.root != SKEIN_CLAMPED) sk_store3(m, n);
}

/* Rows and columns of the root: mass, first moment, inertia; the spin of the section about the tangent is added,
 * without which a straight free rod could spin for nothing. */
static void mass_root(const sk_rod *rod, const element *el, const distal *c, double *M)
{
  int w = sk_helix_spin_dof(rod), kd = rod->kd;
  sk_mat3 I = c->I;
  for (int Q = 0; Q < rod->def.elements; Q++)
    for (int k = 0; k < 3; k++) I.c[k] = sk_axpy(I.c[k], rod->section.rho_I, el[Q].T.c[k]);
  for (int k = 0; k < 3; k++) {
    double col[3];
    sk_store3(col, I.c[k]);
    for (int j = k; j < 3; j++) M[sk_band_at(kd, w + j, w + k)] = col[j];
    if (rod->def.root != SKEIN_FREE) continue;
    M[sk_band_at(kd, w - 3 + k, w - 3 + k)] = c->mass;
    sk_store3(col, sk_cross(c->h, sk_vec(k == 0, k == 1, k == 2))); /* w . (h x v) */
    for (int j = 0; j < 3; j++) M[sk_band_at(kd, w + j, w - 3 + k)] = col[j];
  }
}

/* Moment of inertia of the sections about the tangent, as if the rod were straight: rho I int phi_P phi_Q ds, where
 * phi_P is what a unit of twist in P turns the section at s by, 0 to l inside P and l beyond. Tiny and constant;
 * without it the twist of a straight rod has no mass, and with it vibrates as it should. */
static double twist_inertia(const sk_rod *rod, int P, int Q)
{
  double l = rod->l, beyond = rod->def.elements - 1 - P; /* P >= Q */
  return rod->section.rho_I * l * l * l * (beyond + (P == Q ? 1.0 / 3 : 0.5));
}

static void add_twist_inertia(const sk_rod *rod, double *M)
{
  for (int P = 0; P < rod->def.elements - rod->def.twist_locked; P++)
    for (int Q = 0; Q <= P; Q++)
      M[sk_band_at(rod->kd, sk_helix_first_dof(rod, Q) + 2, sk_helix_first_dof(rod, P) + 2)] +=
          twist_inertia(rod, P, Q);
}

static void backward(const sk_rod *rod, const element *el, const sk_rod_input *in, sk_rod_system *sys)
{
  const double EI[3] = {rod->section.EI1, rod->section.EI2, rod->section.GJ};
  distal c = {0};
  for (int P = rod->def.elements - 1; P >= 0; P--) {
    const element *p = el + P;
    int dof = sk_helix_first_dof(rod, P), count = sk_helix_dof_count(rod, P);
    sk_vec3 strain = sk_sub(p->u, sk_load3(rod->rest + 3 * P));
    double e[3] = {strain.x, strain.y, strain.z};
    for (int k = 0; k < count; k++) {
      sys->F[dof + k] = p->q[k] + sk_dot(p->e[k], c.force) + sk_dot(p->w[k], c.torque) - rod->l * EI[k] * e[k];
      if (!in->matrices) continue;
      sys->K[sk_band_at(rod->kd, dof + k, dof + k)] = rod->l * EI[k];
      mass_column(rod, el, P, k, &c, sys->M);
    }
    absorb(&c, p, in->matrices);
  }
  if (in->matrices) add_twist_inertia(rod, sys->M);
  if (rod->def.root == SKEIN_FREE) sk_store3(sys->F + sk_helix_spin_dof(rod) - 3, c.force);
  if (rod->def.root != SKEIN_CLAMPED) sk_store3(sys->F + sk_helix_spin_dof(rod), c.torque);
  if (rod->def.root != SKEIN_CLAMPED && in->matrices) mass_root(rod, el, &c, sys->M);
}

static void eval(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_system *sys)
{
  element *el = (element *)sys->work;
  forward(rod, x, v, in, el);
  if (in->dynamic && in->dt > 0) forward_last(rod, x, v, in->dt, el);
  for (int Q = 0; Q < rod->def.elements; Q++) integrate(rod, el + Q, x, in);
  backward(rod, el, in, sys);
}

/* ---- The rest of the interface ---- */

static void init(sk_rod *rod, double *x, sk_mat3 *frames)
{
  (void)frames;
  int N = rod->def.elements;
  sk_vec3 r = sk_load3(x + SK_ROOT);
  sk_mat3 R = sk_load33(x + SK_ROOT + 3);
  for (int Q = 0; Q < N; Q++) {
    double s0 = Q * rod->l, s1 = (Q + 1) * rod->l, L = rod->def.length;
    sk_vec3 rest = sk_cells_mean(rod->natural, rod->def.naturals, L, s0, s1), u = rest;
    if (rod->initial) u = sk_cells_mean(rod->initial, rod->def.initials, L, s0, s1);
    if (sk_helix_dof_count(rod, Q) == 2) u.z = rest.z;
    sk_store3(rod->rest + 3 * Q, rest);
    sk_store3(x + SK_MODEL + 3 * Q, u);
    sk_helix_advance(u, rod->l, &r, &R);
  }
  sk_store3(x + SK_TIP, r), sk_store33(x + SK_TIP + 3, R);
}

static void move(const sk_rod *rod, double *x, const double *v, const sk_rod_input *in, double dt)
{
  sk_motion root = sk_helix_root_motion(rod, v, in);
  for (int Q = 0; Q < rod->def.elements; Q++)
    sk_store3(x + SK_MODEL + 3 * Q, sk_axpy(sk_helix_u(x, Q), dt, sk_helix_du(rod, v, Q)));
  move_pose(x + SK_ROOT, root.v, root.w, dt);
  move_pose(x + SK_TIP, in->tip.v, in->tip.w, dt);
}

/* Kinetic energy of the section's spin with the root, as in mass_root. */
static double spin_energy(const sk_rod *rod, sk_vec3 w, sk_vec3 t, double ds)
{
  double wt = rod->def.root == SKEIN_CLAMPED ? 0 : sk_dot(w, t);
  return 0.5 * rod->section.rho_I * wt * wt * ds;
}

/* Kinetic energy of the twist, as in add_twist_inertia. */
static double twist_energy(const sk_rod *rod, const double *v)
{
  double sum = 0, spin = 0, l = rod->l;
  for (int Q = 0; Q < rod->def.elements; Q++) {
    double rate = sk_helix_du(rod, v, Q).z;
    sum += l * (spin * spin + spin * rate * l + rate * rate * l * l / 3);
    spin += rate * l;
  }
  return 0.5 * rod->section.rho_I * sum;
}

static double elastic(const sk_rod *rod, const double *x)
{
  double sum = 0, l = rod->l;
  sk_vec3 EI = {rod->section.EI1, rod->section.EI2, rod->section.GJ};
  for (int Q = 0; Q < rod->def.elements; Q++) {
    sk_vec3 e = sk_sub(sk_helix_u(x, Q), sk_load3(rod->rest + 3 * Q));
    sum += 0.5 * l * (EI.x * e.x * e.x + EI.y * e.y * e.y + EI.z * e.z * e.z);
  }
  return sum;
}

static skein_rod_energy energy(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in)
{
  skein_rod_energy sum = {.kinetic = twist_energy(rod, v), .elastic = elastic(rod, x)};
  sk_vec3 r = sk_load3(x + SK_ROOT);
  sk_mat3 R = sk_load33(x + SK_ROOT + 3);
  sk_motion m = sk_helix_root_motion(rod, v, in);
  sk_vec3 root_spin = m.w;
  double l = rod->l;
  for (int Q = 0; Q < rod->def.elements; Q++) {
    sk_vec3 u = sk_helix_u(x, Q), du = sk_helix_du(rod, v, Q);
    double w2 = sk_dot(u, u), ds = 0;
    quadrature over = quadrature_make(sqrt(w2) * l, l);
    for (int g = 0; g <= over.count; g++) { /* the last one is the end */
      bool inside = g < over.count;
      double s = inside ? quadrature_at(&over, g, &ds) : l, mass = inside ? rod->section.rho_S * ds : 0;
      sk_helix h = sk_helix_make(w2, s);
      sk_vec3 d = sk_apply(R, sk_helix_point(&h, u, s)), dp = sk_apply(R, sk_helix_derivative(&h, u, du));
      sk_vec3 vel = sk_add(m.v, sk_add(sk_cross(m.w, d), dp));
      sum.kinetic += 0.5 * mass * sk_dot(vel, vel);
      sum.gravity -= mass * sk_dot(in->g, sk_add(r, d));
      if (inside) sum.kinetic += spin_energy(rod, root_spin, sk_apply(R, sk_helix_tangent(&h, u)), ds);
      if (inside) continue;
      r = sk_add(r, d), m.v = vel;
      m.w = sk_add(m.w, sk_apply(R, sk_helix_turn(&h, u, l, du)));
      R = sk_mat_mul(R, sk_helix_frame(&h, u));
    }
  }
  return sum;
}

const sk_rod_ops sk_super_helix = {.name = "super-helix",
                                   .about = "piecewise constant curvatures and twist, inextensible; the default",
                                   .twists = true,
                                   .curved = true,
                                   .size = size,
                                   .init = init,
                                   .eval = eval,
                                   .move = move,
                                   .pose = sk_helix_pose,
                                   .jacobian = sk_helix_jacobian,
                                   .support = sk_helix_support,
                                   .velocity = sk_helix_velocity,
                                   .points = sk_helix_points,
                                   .energy = energy,
                                   .elastic = elastic,
                                   .scale = scale,
                                   .frames = sk_helix_frames,
                                   .elements = sk_helix_elements,
                                   .pose_in = sk_helix_pose_in,
                                   .jacobian_in = sk_helix_jacobian_in,
                                   .velocity_in = sk_helix_velocity_in};
