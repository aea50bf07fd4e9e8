/* What the models made of points have in common. A chain of N edges of length l; mass is lumped at the nodes; a clamp
 * is a frame outside the rod, joined to the first (last) segment by half an element: with that the chain is second
 * order. */
#include "rod/chain.h"

#include <math.h>
#include <string.h>

/* ---- Numbering ---- */

/* Dofs that a held tip takes away in front of everything else. */
static int tip_shift(const sk_rod *rod)
{
  return sk_tip_held(rod) ? 3 : 0;
}

int sk_chain_node_dof(const sk_rod *rod, int i)
{
  int N = rod->def.elements;
  if ((i == 0 && sk_root_held(rod)) || (i == N && sk_tip_held(rod))) return -1;
  return (3 + rod->width) * (N - i) - tip_shift(rod);
}

int sk_chain_segment_dof(const sk_rod *rod, int j)
{
  return (3 + rod->width) * (rod->def.elements - 1 - j) + 3 - tip_shift(rod);
}

int sk_chain_dofs(const sk_rod *rod)
{
  int N = rod->def.elements;
  return 3 * (N + 1) + rod->width * N - tip_shift(rod) - (sk_root_held(rod) ? 3 : 0);
}

/* ---- Shape ---- */

double sk_chain_joint_length(const sk_rod *rod, int i)
{
  int N = rod->def.elements;
  if (i == 0) return rod->def.root == SKEIN_CLAMPED ? 0.5 * rod->l : 0;
  if (i == N) return rod->def.tip == SKEIN_CLAMPED ? 0.5 * rod->l : 0;
  return rod->l;
}

sk_vec3 sk_chain_joint_natural(const sk_rod *rod, int i)
{
  return sk_cells_mean(rod->natural, rod->def.naturals, rod->def.length, (i - 0.5) * rod->l, (i + 0.5) * rod->l);
}

void sk_chain_shape(const sk_rod *rod, const double *cells, int count, double *x, sk_mat3 *frames)
{
  int N = rod->def.elements;
  double l = rod->l;
  sk_vec3 r = sk_load3(x + SK_ROOT);
  sk_mat3 R = sk_load33(x + SK_ROOT + 3);
  for (int j = 0; j <= N; j++) {
    double turn = j == 0 || j == N ? 0.5 * l : l;
    sk_vec3 u = sk_cells_mean(cells, count, rod->def.length, (j - 0.5) * l, (j + 0.5) * l);
    R = sk_mat_mul(R, sk_rotation(sk_mul(turn, u)));
    sk_store3(x + SK_MODEL + 3 * j, r);
    if (j < N) frames[j] = R, r = sk_axpy(r, l, R.c[2]);
  }
  sk_store3(x + SK_TIP, r);
  sk_store33(x + SK_TIP + 3, R);
}

double sk_chain_mass(const sk_rod *rod, int i)
{
  double m = rod->section.rho_S * rod->l;
  return i == 0 || i == rod->def.elements ? 0.5 * m : m;
}

/* ---- Evaluation ---- */

sk_vec3 sk_chain_velocity(const sk_rod *rod, const double *v, const sk_rod_input *in, int i)
{
  int k = sk_chain_node_dof(rod, i);
  return k >= 0 ? sk_load3(v + k) : i == 0 ? in->root.v : in->tip.v;
}

void sk_chain_eval(const sk_rod *rod, const double *inertia, const sk_rod_input *in, sk_rod_system *sys)
{
  int N = rod->def.elements;
  double eta = rod->def.drag / rod->section.rho_S;
  sk_vec3 f = in->dynamic ? sk_axpy(in->g, eta, in->wind) : in->g;
  for (int i = 0; i <= N; i++) {
    int k = sk_chain_node_dof(rod, i);
    double m = sk_chain_mass(rod, i);
    if (k < 0) continue;
    sk_store3(sys->F + k, sk_axpy(sk_load3(sys->F + k), m, f));
    for (int c = 0; in->matrices && c < 3; c++) sys->M[sk_band_at(rod->kd, k + c, k + c)] += m;
  }
  for (int j = 0; in->matrices && j < N; j++)
    for (int c = 0; c < rod->width; c++) {
      int k = sk_chain_segment_dof(rod, j) + c;
      sys->M[sk_band_at(rod->kd, k, k)] += inertia[c];
    }
}

/* pose <- moved by (v, w) during dt; its point is the node's. */
static void move_end(double *pose, double *node, const sk_motion *m, double dt)
{
  sk_vec3 r = sk_axpy(sk_load3(pose), dt, m->v);
  sk_mat3 R = sk_orthonormal(sk_mat_mul(sk_rotation(sk_mul(dt, m->w)), sk_load33(pose + 3)));
  sk_store3(pose, r), sk_store33(pose + 3, R), sk_store3(node, r);
}

/* Strain with which the edges pull during a step, by its linear equations: |e|/l - 1 + (dt + nu) t . e' / l. */
static void note_pull(const sk_rod *rod, double *x, const double *v, const sk_rod_input *in)
{
  double *pull = x + sk_chain_extra(rod) - rod->def.elements;
  for (int j = 0; j < rod->def.elements; j++) {
    sk_vec3 e = sk_chain_edge(x, j);
    sk_vec3 rate = sk_sub(sk_chain_velocity(rod, v, in, j + 1), sk_chain_velocity(rod, v, in, j));
    pull[j] = (sk_norm(e) + (in->dt + rod->def.damping) * sk_dot(sk_unit(e), rate)) / rod->l - 1;
  }
}

void sk_chain_move(const sk_rod *rod, double *x, const double *v, const sk_rod_input *in, double dt)
{
  int N = rod->def.elements;
  if (in->dt > 0) note_pull(rod, x, v, in);
  for (int i = 0; i <= N; i++) {
    int k = sk_chain_node_dof(rod, i);
    double *node = x + SK_MODEL + 3 * i;
    if (k >= 0) sk_store3(node, sk_axpy(sk_load3(node), dt, sk_load3(v + k)));
  }
  if (sk_root_held(rod)) move_end(x + SK_ROOT, x + SK_MODEL, &in->root, dt);
  if (sk_tip_held(rod)) move_end(x + SK_TIP, x + SK_MODEL + 3 * N, &in->tip, dt);
}

int sk_chain_find(const sk_rod *rod, double s, double *place)
{
  int N = rod->def.elements;
  double t = s / rod->l;
  t = t > 0 ? t : 0;
  t = t < N ? t : N;
  int j = t < N ? (int)t : N - 1;
  *place = t - j;
  return j;
}

void sk_chain_jacobian(const sk_rod *rod, double s, const sk_rod_input *in, double *J, sk_vec3 *drift)
{
  double place;
  int j = sk_chain_find(rod, s, &place), n = rod->n;
  if (J) memset(J, 0, sizeof(double) * 3 * (size_t)n);
  if (drift) *drift = sk_vec(0, 0, 0);
  for (int e = 0; e < 2; e++) {
    double weight = e ? place : 1 - place;
    int k = sk_chain_node_dof(rod, j + e);
    if (J && k >= 0)
      for (int c = 0; c < 3; c++) J[c * n + k + c] = weight;
    if (drift && k < 0) *drift = sk_axpy(*drift, weight, j + e == 0 ? in->root.v : in->tip.v);
  }
}

sk_vec3 sk_chain_point(const sk_rod *rod, const double *x, double s)
{
  double place;
  int j = sk_chain_find(rod, s, &place);
  return sk_axpy(sk_chain_node(x, j), place, sk_chain_edge(x, j));
}

void sk_chain_support(const sk_rod *rod, double s, int *first, int *count)
{
  double place;
  int j = sk_chain_find(rod, s, &place), near = sk_chain_node_dof(rod, j + 1), far = sk_chain_node_dof(rod, j);
  *first = near >= 0 ? near : SK_MAX(0, far);
  *count = far >= 0 ? far + 3 - *first : near >= 0 ? 3 : 0;
}

sk_vec3 sk_chain_point_velocity(const sk_rod *rod, const double *x, const double *v, double s, const sk_rod_input *in)
{
  (void)x;
  double place;
  int j = sk_chain_find(rod, s, &place);
  return sk_add(sk_mul(1 - place, sk_chain_velocity(rod, v, in, j)),
                sk_mul(place, sk_chain_velocity(rod, v, in, j + 1)));
}

void sk_chain_points(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, int pieces,
                     sk_vec3 *r, sk_vec3 *velocity)
{
  for (int k = 0; k <= pieces * rod->def.elements; k++) {
    int j = SK_MIN(k / pieces, rod->def.elements - 1);
    double place = (double)(k - j * pieces) / pieces;
    r[k] = sk_axpy(sk_chain_node(x, j), place, sk_chain_edge(x, j));
    if (velocity)
      velocity[k] = sk_add(sk_mul(1 - place, sk_chain_velocity(rod, v, in, j)),
                           sk_mul(place, sk_chain_velocity(rod, v, in, j + 1)));
  }
}

skein_rod_energy sk_chain_energy(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in)
{
  skein_rod_energy sum = {0};
  for (int i = 0; i <= rod->def.elements; i++) {
    double m = sk_chain_mass(rod, i);
    sk_vec3 w = sk_chain_velocity(rod, v, in, i);
    sum.kinetic += 0.5 * m * sk_dot(w, w);
    sum.gravity -= m * sk_dot(in->g, sk_chain_node(x, i));
  }
  return sum;
}

double sk_chain_elastic(const sk_rod *rod, const double *x)
{
  double sum = 0;
  for (int j = 0; j < rod->def.elements; j++) {
    double strain = sk_norm(sk_chain_edge(x, j)) / rod->l - 1;
    sum += 0.5 * rod->section.ES * rod->l * strain * strain;
  }
  return sum;
}

/* ---- Strains ---- */

void sk_stencil_add1(sk_stencil *st, int dof, double velocity)
{
  st->dof[st->count] = dof;
  st->vel[st->count++] = velocity;
}

void sk_stencil_add3(sk_stencil *st, int dof, sk_vec3 velocity)
{
  double vel[3] = {velocity.x, velocity.y, velocity.z};
  for (int c = 0; c < 3; c++) sk_stencil_add1(st, dof < 0 ? -1 : dof + c, vel[c]);
}

void sk_stiffness_add(const sk_rod *rod, const sk_stencil *st, const double *B, double k, sk_rod_system *sys)
{
  double rate = 0; /* of the strain, by what is prescribed */
  for (int a = 0; a < st->count; a++)
    if (st->dof[a] < 0) rate += B[a] * st->vel[a];
  for (int a = 0; a < st->count; a++) {
    int i = st->dof[a];
    if (i < 0) continue;
    double kB = k * B[a];
    sys->Kb[i] += kB * rate;
    for (int b = 0; b <= a; b++)
      if (st->dof[b] >= 0) sys->K[sk_band_at(rod->kd, i, st->dof[b])] += kB * B[b];
  }
}

void sk_strain_add(const sk_rod *rod, const sk_rod_input *in, const sk_stencil *st, const double *B, double k, double e,
                   sk_rod_system *sys)
{
  for (int a = 0; a < st->count; a++)
    if (st->dof[a] >= 0) sys->F[st->dof[a]] -= k * e * B[a];
  if (in->matrices) sk_stiffness_add(rod, st, B, k, sys);
}

void sk_stencil_add_node(sk_stencil *st, const sk_rod *rod, const sk_rod_input *in, int i)
{
  sk_stencil_add3(st, sk_chain_node_dof(rod, i), i == 0 ? in->root.v : in->tip.v);
}

/* Stiffness of an edge under tension across itself, ES pull / |e| (I - t t'). The tension is that of the last implicit
 * step, not that of the present strain: an edge that turns by w dt on a straight line is too long by (w dt)^2 / 2
 * afterwards, which the next step undoes; counted as tension that would stop the motion. Damping shall not see it:
 * (nu + dt) k = dt ES pull / |e|. */
static void add_tension(const sk_rod *rod, const sk_rod_input *in, const sk_stencil *st, sk_vec3 t, double length,
                        double pull, sk_rod_system *sys)
{
  double B[6], k = rod->section.ES * pull / fmax(length, 1e-9 * rod->l) * in->dt / (in->dt + rod->def.damping);
  sk_vec3 n = sk_perpendicular(t);
  for (int c = 0; c < 2; c++, n = sk_cross(t, n)) {
    sk_store3(B, sk_mul(-1, n)), sk_store3(B + 3, n);
    sk_stiffness_add(rod, st, B, k, sys);
  }
}

void sk_chain_stretch(const sk_rod *rod, const double *x, const double *v, double nu, const sk_rod_input *in,
                      sk_rod_system *sys)
{
  const double *pull = x + sk_chain_extra(rod) - rod->def.elements;
  double l = rod->l;
  for (int j = 0; j < rod->def.elements; j++) {
    sk_vec3 e = sk_chain_edge(x, j), t = sk_unit(e);
    double length = sk_norm(e), strain = length / l - 1, B[6];
    sk_stencil st = {.count = 0};
    sk_stencil_add_node(&st, rod, in, j), sk_stencil_add_node(&st, rod, in, j + 1);
    sk_store3(B, sk_mul(-1 / l, t)), sk_store3(B + 3, sk_mul(1 / l, t));
    if (nu > 0) {
      sk_vec3 rate = sk_sub(sk_chain_velocity(rod, v, in, j + 1), sk_chain_velocity(rod, v, in, j));
      strain += nu * sk_dot(t, rate) / l;
    }
    sk_strain_add(rod, in, &st, B, rod->section.ES * l, strain, sys);
    if (in->matrices && in->dt > 0 && pull[j] > 0) add_tension(rod, in, &st, t, length, pull[j], sys);
  }
}
