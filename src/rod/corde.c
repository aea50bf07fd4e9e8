/* CoRdE: points, and a unit quaternion per segment (Spillmann and Teschner 2007), with implicit and with explicit
 * steps.
 *
 * Dofs: velocities of the nodes, and of every segment its angular velocity in its own axes, q' = q (0, w)/2. Strains
 * and their rates, with E = x_{j+1} - x_j, t = E/|E|, R the frame of q_j, and at joint i, of length b, p =
 * conj(q_{i-1}) q_i with p_0 > 0:
 *
 *     stretching  c = |E|/l - 1          1/2 ES l c^2           c' = t . E' / l
 *     alignment   a = R' t - e3          1/2 kappa l |a|^2      a' = R' (I - t t') E' / |E| + (R' t) x w_j
 *     bending     u = (2/b) p_v          1/2 b sum_c K_c (u_c - u0_c)^2,   K_c = (EI1, EI2, GJ)
 *                 u' = (1/b) [ (p_0 + [p_v]) w_i - (p_0 - [p_v]) w_{i-1} ]
 *
 * u0 = (2/b) p_v of the natural turn exp(b [u]), so that the natural polygon is free of forces. The section constants
 * are those of r^4 (the paper prints r^2). A clamp is a frame outside the rod, joined by a joint of length l/2.
 *
 * Implicit: K = sum of k B B' (Gauss-Newton), and what tension adds (sk_chain_stretch): without it a taut rod is
 * unstable across its tangent as soon as dt exceeds what an explicit step could do there. Spins have hardly any
 * inertia, and a mode without inertia is stable while its true stiffness is below 2 (theta^2 + (1-theta)^2) times that
 * of K: twice at theta = 1, but no more than K itself at theta = 1/2, which is for short steps or damped rods.
 *
 * Explicit, as published: K = 0, damping is the force -nu k (B.v) B, and dt is bounded (see limit). */
#include "rod/chain.h"

#include <math.h>
#include <string.h>

static int quat_at(const sk_rod *rod, int j)
{
  return sk_chain_extra(rod) + 4 * j;
}

/* Of segment j; -1 and N are the clamps. */
static sk_quat quat(const sk_rod *rod, const double *x, int j)
{
  if (j < 0) return sk_frame_quat(sk_load33(x + SK_ROOT + 3));
  if (j == rod->def.elements) return sk_frame_quat(sk_load33(x + SK_TIP + 3));
  const double *q = x + quat_at(rod, j);
  return (sk_quat){q[0], sk_load3(q + 1)};
}

static void store_quat(const sk_rod *rod, double *x, int j, sk_quat q)
{
  x[quat_at(rod, j)] = q.w;
  sk_store3(x + quat_at(rod, j) + 1, q.v);
}

/* Moments of inertia of a segment about its axes: l density (I1, I2, I1 + I2). */
static void inertia_of(const sk_rod *rod, double J[3])
{
  double unit = rod->l * rod->def.density / rod->def.E;
  J[0] = unit * rod->section.EI1, J[1] = unit * rod->section.EI2, J[2] = J[0] + J[1];
}

/* kappa. Implicit: the shear stiffness. Explicit: at most 4 EI/l^2, with which a segment that turns alone, omega^2 =
 * kappa / (density I), is as fast as the fastest stretching, 4 E / (density l^2); the shear that this lets through adds
 * 3 EI / (kappa L^2) <= 3/(4 N^2) to the deflection of a cantilever: second order as the rest. */
static double alignment_of(const sk_rod *rod)
{
  const sk_section *s = &rod->section;
  if (!isnan(rod->def.alignment)) return rod->def.alignment;
  if (!rod->ops->explicit_step) return s->GS;
  return fmin(s->GS, 4 * fmin(s->EI1, s->EI2) / (rod->l * rod->l));
}

static void size(sk_rod *rod)
{
  rod->width = 3, rod->n = sk_chain_dofs(rod);
  rod->kd = SK_MIN(8, rod->n - 1); /* node, segment, node; or segment, node, segment */
  rod->nx = quat_at(rod, rod->def.elements);
  rod->works = 0;
}

static void init(sk_rod *rod, double *x, sk_mat3 *frames)
{
  const double *cells = rod->initial ? rod->initial : rod->natural;
  int N = rod->def.elements, count = rod->initial ? rod->def.initials : rod->def.naturals;
  sk_chain_shape(rod, cells, count, x, frames);
  for (int j = 0; j < N; j++) store_quat(rod, x, j, sk_frame_quat(frames[j]));
  for (int i = 0; i <= N; i++) {
    double b = sk_chain_joint_length(rod, i);
    sk_quat p = sk_quat_rotation(sk_mul(b, sk_chain_joint_natural(rod, i)));
    sk_store3(rod->rest + 3 * i, sk_mul(b > 0 ? copysign(2 / b, p.w) : 0, p.v));
  }
}

/* ---- Strains ---- */

/* p = conj(q_{i-1}) q_i with p_0 > 0, and the strain u - u0. */
static sk_quat joint_make(const sk_rod *rod, const double *x, int i, double e[3])
{
  sk_quat p = sk_quat_mul(sk_quat_conj(quat(rod, x, i - 1)), quat(rod, x, i));
  if (p.w < 0) p = (sk_quat){-p.w, sk_mul(-1, p.v)};
  sk_store3(e, sk_sub(sk_mul(2 / sk_chain_joint_length(rod, i), p.v), sk_load3(rod->rest + 3 * i)));
  return p;
}

/* a = R' t - e3 and m = R' t. */
static sk_vec3 misalignment(sk_mat3 R, sk_vec3 t, double a[3])
{
  sk_vec3 m = sk_apply_t(R, t);
  sk_store3(a, sk_vec(m.x, m.y, m.z - 1));
  return m;
}

/* What an evaluation needs at every strain. */
typedef struct scene {
  const sk_rod *rod;
  const double *x, *v;
  sk_rod_input in;
  double nu; /* of damping by explicit forces */
  sk_rod_system *sys;
} scene;

/* The strain e; with explicit damping its force is that of e + nu e'. */
static void add_strain(const scene *s, const sk_stencil *st, const double *B, double k, double e)
{
  double rate = 0;
  for (int a = 0; s->nu > 0 && a < st->count; a++) rate += B[a] * (st->dof[a] < 0 ? st->vel[a] : s->v[st->dof[a]]);
  sk_strain_add(s->rod, &s->in, st, B, k, e + s->nu * rate, s->sys);
}

/* Segment j, or a clamp (-1, N) with the angular velocity in its own axes. */
static void add_segment(const scene *s, sk_stencil *st, int j)
{
  if (j < 0) sk_stencil_add3(st, -1, sk_apply_t(sk_load33(s->x + SK_ROOT + 3), s->in.root.w));
  else if (j == s->rod->def.elements) sk_stencil_add3(st, -1, sk_apply_t(sk_load33(s->x + SK_TIP + 3), s->in.tip.w));
  else sk_stencil_add3(st, sk_chain_segment_dof(s->rod, j), sk_vec(0, 0, 0));
}

/* Alignment of segment j. Stencil: node j+1, node j, segment j. */
static void add_alignment(const scene *s, int j, double kappa)
{
  sk_vec3 E = sk_chain_edge(s->x, j), t = sk_unit(E);
  sk_mat3 R = sk_quat_frame(quat(s->rod, s->x, j));
  double length = sk_norm(E), a[3], B[9];
  sk_vec3 m = misalignment(R, t, a);
  sk_stencil st = {0};
  sk_stencil_add_node(&st, s->rod, &s->in, j + 1), sk_stencil_add_node(&st, s->rod, &s->in, j);
  add_segment(s, &st, j);
  for (int c = 0; c < 3; c++) {
    sk_vec3 d = sk_mul(1 / length, sk_axpy(R.c[c], -sk_dot(R.c[c], t), t)), e = {c == 0, c == 1, c == 2};
    sk_store3(B, d), sk_store3(B + 3, sk_mul(-1, d)), sk_store3(B + 6, sk_cross(e, m));
    add_strain(s, &st, B, kappa * s->rod->l, a[c]);
  }
}

/* Bending and twist of joint i. Stencil: segment i, segment i-1; row c of p_0 + [p_v] is p_0 e_c - p_v x e_c. */
static void add_joint(const scene *s, int i)
{
  double b = sk_chain_joint_length(s->rod, i), e[3], B[6];
  double K[3] = {s->rod->section.EI1, s->rod->section.EI2, s->rod->section.GJ};
  sk_quat p = joint_make(s->rod, s->x, i, e);
  sk_stencil st = {0};
  add_segment(s, &st, i), add_segment(s, &st, i - 1);
  for (int c = 0; c < 3; c++) {
    sk_vec3 axis = {c == 0, c == 1, c == 2}, turn = sk_cross(p.v, axis);
    sk_store3(B, sk_mul(1 / b, sk_sub(sk_mul(p.w, axis), turn)));
    sk_store3(B + 3, sk_mul(-1 / b, sk_add(sk_mul(p.w, axis), turn)));
    add_strain(s, &st, B, b * K[c], e[c]);
  }
}

/* F -= w x (J w) of every segment. */
static void add_gyroscopic(const scene *s, const double J[3])
{
  for (int j = 0; j < s->rod->def.elements; j++) {
    int k = sk_chain_segment_dof(s->rod, j);
    sk_vec3 w = sk_load3(s->v + k), Jw = {J[0] * w.x, J[1] * w.y, J[2] * w.z};
    sk_store3(s->sys->F + k, sk_sub(sk_load3(s->sys->F + k), sk_cross(w, Jw)));
  }
}

static void eval(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_system *sys)
{
  int N = rod->def.elements;
  bool forces = rod->ops->explicit_step && in->dynamic; /* and no stiffness */
  scene s = {.rod = rod, .x = x, .v = v, .in = *in, .nu = forces ? rod->def.damping : 0, .sys = sys};
  double J[3], kappa = alignment_of(rod);
  s.in.matrices = in->matrices && !forces;
  sk_chain_stretch(rod, x, v, s.nu, &s.in, sys);
  for (int j = 0; j < N; j++) add_alignment(&s, j, kappa);
  for (int i = 0; i <= N; i++)
    if (sk_chain_joint_length(rod, i) > 0) add_joint(&s, i);
  inertia_of(rod, J);
  if (in->dynamic) add_gyroscopic(&s, J);
  sk_chain_eval(rod, J, in, sys);
}

static double elastic(const sk_rod *rod, const double *x)
{
  double K[3] = {rod->section.EI1, rod->section.EI2, rod->section.GJ}, kappa = alignment_of(rod);
  double sum = sk_chain_elastic(rod, x);
  for (int j = 0; j < rod->def.elements; j++) {
    double a[3];
    misalignment(sk_quat_frame(quat(rod, x, j)), sk_unit(sk_chain_edge(x, j)), a);
    sum += 0.5 * rod->l * kappa * sk_dot(sk_load3(a), sk_load3(a));
  }
  for (int i = 0; i <= rod->def.elements; i++) {
    double b = sk_chain_joint_length(rod, i), e[3];
    if (!(b > 0)) continue;
    joint_make(rod, x, i, e);
    for (int c = 0; c < 3; c++) sum += 0.5 * b * K[c] * e[c] * e[c];
  }
  return sum;
}

static skein_rod_energy energy(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in)
{
  double J[3];
  skein_rod_energy sum = sk_chain_energy(rod, x, v, in);
  sum.elastic = elastic(rod, x);
  inertia_of(rod, J);
  for (int j = 0; j < rod->def.elements; j++) {
    const double *w = v + sk_chain_segment_dof(rod, j);
    sum.kinetic += 0.5 * (J[0] * w[0] * w[0] + J[1] * w[1] * w[1] + J[2] * w[2] * w[2]);
  }
  return sum;
}

/* ---- Motion ---- */

static void move(const sk_rod *rod, double *x, const double *v, const sk_rod_input *in, double dt)
{
  sk_chain_move(rod, x, v, in, dt);
  for (int j = 0; j < rod->def.elements; j++) {
    sk_vec3 w = sk_load3(v + sk_chain_segment_dof(rod, j));
    sk_quat turn = sk_quat_rotation(sk_mul(dt, w));
    store_quat(rod, x, j, sk_quat_unit(sk_quat_mul(quat(rod, x, j), turn)));
  }
}

/* The frame at s, between the middles of two segments a and b (or the clamps -1, N): q = m / |m| with
 * m = (1 - weight) q_a + weight q_b. */
typedef struct blend {
  int segment[2];
  double weight[2];
  sk_quat q[2], at; /* of the segments, and at s */
  double norm;      /* |m| */
} blend;

static blend blend_make(const sk_rod *rod, const double *x, double s)
{
  double place, w;
  int N = rod->def.elements, j = sk_chain_find(rod, s, &place), a = place < 0.5 ? j - 1 : j, b = a + 1;
  bool root = a < 0, tip = b == N;
  w = root ? 2 * place : tip ? 2 * place - 1 : place < 0.5 ? place + 0.5 : place - 0.5;
  if (root && rod->def.root != SKEIN_CLAMPED) a = 0;
  if (tip && rod->def.tip != SKEIN_CLAMPED) b = N - 1;
  blend m = {.segment = {a, b}, .weight = {1 - w, w}, .q = {quat(rod, x, a), quat(rod, x, b)}};
  double dot = m.q[0].w * m.q[1].w + sk_dot(m.q[0].v, m.q[1].v);
  if (dot < 0) m.q[1] = (sk_quat){-m.q[1].w, sk_mul(-1, m.q[1].v)};
  m.at.w = (1 - w) * m.q[0].w + w * m.q[1].w;
  m.at.v = sk_axpy(sk_mul(1 - w, m.q[0].v), w, m.q[1].v);
  m.norm = sqrt(m.at.w * m.at.w + sk_dot(m.at.v, m.at.v));
  m.at = sk_quat_unit(m.at);
  return m;
}

static void pose(const sk_rod *rod, const double *x, double s, sk_vec3 *r, sk_mat3 *R)
{
  *r = sk_chain_point(rod, x, s);
  *R = sk_quat_frame(blend_make(rod, x, s).at);
}

/* Spin R sum_k weight_k / |m| (g_0 + [g_v]) w_k with g = conj(q) q_k: the vector part of 2 conj(q) m' / |m|. */
static void spin_jacobian(const sk_rod *rod, const double *x, double s, const sk_rod_input *in, double *Jw,
                          sk_vec3 *spin_drift)
{
  int n = rod->n, N = rod->def.elements;
  blend m = blend_make(rod, x, s);
  sk_mat3 R = sk_quat_frame(m.at);
  if (Jw) memset(Jw, 0, sizeof(double) * 3 * (size_t)n);
  if (spin_drift) *spin_drift = sk_vec(0, 0, 0);
  for (int e = 0; e < 2; e++) {
    int j = m.segment[e];
    bool clamp = j < 0 || j == N;
    sk_quat g = sk_quat_mul(sk_quat_conj(m.at), m.q[e]);
    sk_vec3 w = sk_apply_t(sk_quat_frame(m.q[e]), j < 0 ? in->root.w : in->tip.w);
    for (int c = 0; c < 3; c++) {
      sk_vec3 axis = {c == 0, c == 1, c == 2};
      sk_vec3 spin = sk_apply(R, sk_mul(m.weight[e] / m.norm, sk_axpy(sk_cross(g.v, axis), g.w, axis)));
      if (clamp && spin_drift) *spin_drift = sk_axpy(*spin_drift, c == 0 ? w.x : c == 1 ? w.y : w.z, spin);
      if (clamp || !Jw) continue;
      double *column = Jw + sk_chain_segment_dof(rod, j) + c;
      column[0] += spin.x, column[n] += spin.y, column[2 * n] += spin.z;
    }
  }
}

static void jacobian(const sk_rod *rod, const double *x, double s, const sk_rod_input *in, double *J, double *Jw,
                     sk_vec3 *drift, sk_vec3 *spin_drift)
{
  sk_chain_jacobian(rod, s, in, J, drift);
  if (Jw || spin_drift) spin_jacobian(rod, x, s, in, Jw, spin_drift);
}

/* Blocks of three: node, segment, node, ... from the tip; a held tip has no node. */
static double scale(const sk_rod *rod, int i)
{
  return (i / 3) % 2 == sk_tip_held(rod) ? rod->l : 1;
}

/* The longest step of semi-implicit Euler, from a bound of the largest omega^2 = K / M. K and M are sums over elements
 * (an edge, a joint) that share the lumped masses, and then no omega of the whole is above the largest of the elements
 * (Irons and Treharne 1971). With half the mass of a node at each of its edges, and of the inertia of a segment the
 * share kappa l / (kappa l + 4 K_c / l) at its edge, half of the rest at each of its joints:
 *
 *     omega^2 <= max( 4 E / (density l^2),  4 kappa / (density S l^2) + kappa / (density I) + 4 K / (density I l^2) )
 *
 * with the smallest I and, because the strains of bent joints mix the axes, the largest K_c. (A joint at a clamp is
 * half as long but moves on one side only: the same.) Damping by forces at the old velocity makes it dt^2 + 2 nu dt <=
 * 4 / omega^2. A tenth is kept for edges that are shorter than l and for tension. This is a limit
 * for vibrations: in violent motion without damping, the gyroscopic force at the old velocity feeds the spins at any
 * dt. */
static double limit(const sk_rod *rod)
{
  const sk_section *s = &rod->section;
  double density = rod->def.density, l2 = rod->l * rod->l, kappa = alignment_of(rod), nu = rod->def.damping;
  double EI = fmin(s->EI1, s->EI2), I = EI / rod->def.E, K = fmax(fmax(s->EI1, s->EI2), s->GJ);
  double stretching = 4 * rod->def.E / (density * l2);
  double turning = 4 * kappa / (s->rho_S * l2) + (kappa + 4 * K / l2) / (density * I);
  double four = 4 / fmax(stretching, turning);
  return 0.9 * four / (nu + sqrt(nu * nu + four));
}

const sk_rod_ops sk_corde = {
    .name = "corde", .about = "points and quaternions (CoRdE), implicit", .twists = true, SK_CHAIN_OPS};

const sk_rod_ops sk_corde_explicit = {.name = "corde-explicit",
                                      .about = "the same with explicit steps, as published: steps are bounded",
                                      .twists = true,
                                      .explicit_step = true,
                                      .limit = limit,
                                      SK_CHAIN_OPS};
