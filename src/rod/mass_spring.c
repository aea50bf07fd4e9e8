/* A chain of points: stretching springs, and bending by second differences. It has no twist.
 *
 * Edge E = x_{j+1} - x_j, t = E / |E|, rest length l. Stretching of an edge, with the stiffness of its tension T where
 * that is positive (sk_chain_stretch):
 *
 *     1/2 ES l (|E|/l - 1)^2,     K = ES/l t t' + max(0, T) / |E| (I - t t')
 *
 * Bending at joint i, of length b, between the edges E_{i-1} and E_i (at a clamp one of them is the ghost l d3):
 *
 *     1/2 sum_c K_c / (b l^2) e_c^2,   e = F' (E_i - E_{i-1}) - c_i,   K_c = (EI2, EI1, (EI1 + EI2)/2)
 *
 * The second difference is seen from F = (d1, d2, t) of segment i-1 (of the clamp at the root); c_i is that of the
 * natural polygon, l (exp(b [u]) - I) e3. The frames are carried along in time without twist (spin t x E'/|E|), so that
 *
 *     e' = F' (E_i' - E_{i-1}' - spin x (E_i - E_{i-1}))
 *
 * is exact; K is Gauss-Newton's, the sum of k B B'. Frames that know no twist do not follow a rod that turns about its
 * own axis: natural curvature keeps its direction then, and so do the axes of an elliptic section. */
#include "rod/chain.h"

#include <math.h>
#include <string.h>

/* What the chain adds to the state: the frame (d1, d2, t) of every segment, as sk_store33 writes it. */
static int frame_at(const sk_rod *rod, int j)
{
  return sk_chain_extra(rod) + 9 * j;
}

/* Parallel transport of the frames from the tangents they were made for to the present ones. */
static void carry_frames(const sk_rod *rod, double *x)
{
  for (int j = 0; j < rod->def.elements; j++) {
    sk_mat3 F = sk_load33(x + frame_at(rod, j));
    sk_vec3 t = sk_unit(sk_chain_edge(x, j));
    F.c[0] = sk_transport(F.c[0], F.c[2], t), F.c[2] = t;
    sk_store33(x + frame_at(rod, j), sk_orthonormal(F));
  }
}

static void size(sk_rod *rod)
{
  rod->width = 0, rod->n = sk_chain_dofs(rod);
  rod->kd = SK_MIN(8, rod->n - 1); /* three nodes in a row */
  rod->nx = frame_at(rod, rod->def.elements);
  rod->works = 0;
}

static void init(sk_rod *rod, double *x, sk_mat3 *frames)
{
  const double *cells = rod->initial ? rod->initial : rod->natural;
  int N = rod->def.elements, count = rod->initial ? rod->def.initials : rod->def.naturals;
  sk_chain_shape(rod, cells, count, x, frames);
  memcpy(x + frame_at(rod, 0), frames, sizeof *frames * (size_t)N);
  carry_frames(rod, x);
  for (int i = 0; i <= N; i++) {
    sk_vec3 u = sk_mul(sk_chain_joint_length(rod, i), sk_chain_joint_natural(rod, i)), e3 = {0, 0, 1};
    sk_store3(rod->rest + 3 * i, sk_mul(rod->l, sk_sub(sk_rotation(u).c[2], e3)));
  }
}

/* ---- Joints ---- */

typedef struct joint {
  sk_mat3 F;
  sk_vec3 before, after; /* edges */
  double e[3], k[3];     /* strains and their stiffness */
} joint;

/* Joint i; its length is not zero. */
static joint joint_make(const sk_rod *rod, const double *x, int i)
{
  int N = rod->def.elements;
  double l = rod->l, unit = 1 / (sk_chain_joint_length(rod, i) * l * l);
  double EI1 = rod->section.EI1, EI2 = rod->section.EI2;
  joint a = {.k = {unit * EI2, unit * EI1, unit * 0.5 * (EI1 + EI2)}};
  a.F = sk_load33(i > 0 ? x + frame_at(rod, i - 1) : x + SK_ROOT + 3);
  a.before = i > 0 ? sk_chain_edge(x, i - 1) : sk_mul(l, sk_load3(x + SK_ROOT + 9));
  a.after = i < N ? sk_chain_edge(x, i) : sk_mul(l, sk_load3(x + SK_TIP + 9));
  sk_store3(a.e, sk_sub(sk_apply_t(a.F, sk_sub(a.after, a.before)), sk_load3(rod->rest + 3 * i)));
  return a;
}

/* d e_c / d E_{i-1} = -F_c - [ (D.t) F_c - (F_c.t) D ] / |E_{i-1}|,  D = E_i - E_{i-1}; with d e_c / d E_i = F_c. */
static sk_vec3 gradient_before(const joint *a, int c)
{
  sk_vec3 D = sk_sub(a->after, a->before), t = a->F.c[2];
  double inv = 1 / sk_norm(a->before);
  return sk_axpy(sk_mul(-1 - inv * sk_dot(D, t), a->F.c[c]), c == 2 ? inv : 0, D);
}

/* Nodes i+1, i, i-1. At a clamp the ghost takes the place of the missing one: at the root the angular velocity w of F,
 * with e_c' = F_c . (E_0' - w x E_0); at the tip the velocity of l d3. */
static void add_joint(const sk_rod *rod, const double *x, const sk_rod_input *in, int i, sk_rod_system *sys)
{
  int N = rod->def.elements;
  joint a = joint_make(rod, x, i);
  sk_stencil st = {0};
  if (i < N) sk_stencil_add_node(&st, rod, in, i + 1);
  else sk_stencil_add3(&st, -1, sk_cross(in->tip.w, a.after));
  sk_stencil_add_node(&st, rod, in, i);
  if (i > 0) sk_stencil_add_node(&st, rod, in, i - 1);
  else sk_stencil_add3(&st, -1, in->root.w);
  for (int c = 0; c < 3; c++) {
    double B[9];
    sk_vec3 after = a.F.c[c], before = i > 0 ? gradient_before(&a, c) : sk_vec(0, 0, 0);
    sk_store3(B, after);
    sk_store3(B + 3, i < N ? sk_sub(before, after) : before);
    sk_store3(B + 6, i > 0 ? sk_mul(-1, before) : sk_cross(after, a.after));
    sk_strain_add(rod, in, &st, B, a.k[c], a.e[c], sys);
  }
}

/* ---- The model ---- */

static void eval(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_system *sys)
{
  sk_chain_stretch(rod, x, v, 0, in, sys);
  for (int i = 0; i <= rod->def.elements; i++)
    if (sk_chain_joint_length(rod, i) > 0) add_joint(rod, x, in, i, sys);
  sk_chain_eval(rod, NULL, in, sys);
}

static void move(const sk_rod *rod, double *x, const double *v, const sk_rod_input *in, double dt)
{
  sk_chain_move(rod, x, v, in, dt);
  carry_frames(rod, x);
}

static void pose(const sk_rod *rod, const double *x, double s, sk_vec3 *r, sk_mat3 *R)
{
  double place;
  int j = sk_chain_find(rod, s, &place);
  *r = sk_chain_point(rod, x, s);
  *R = sk_load33(x + frame_at(rod, j));
}

/* Spin of a frame: t x E' / |E|. */
static void spin_jacobian(const sk_rod *rod, const double *x, int j, const sk_rod_input *in, double *Jw,
                          sk_vec3 *spin_drift)
{
  int n = rod->n;
  sk_vec3 E = sk_chain_edge(x, j), w = sk_mul(1 / sk_dot(E, E), E);
  if (Jw) memset(Jw, 0, sizeof(double) * 3 * (size_t)n);
  if (spin_drift) *spin_drift = sk_vec(0, 0, 0);
  for (int e = 0; e < 2; e++) {
    int k = sk_chain_node_dof(rod, j + e);
    sk_vec3 a = sk_mul(e ? 1 : -1, w);
    if (k < 0 && spin_drift) *spin_drift = sk_add(*spin_drift, sk_cross(a, j + e == 0 ? in->root.v : in->tip.v));
    if (k < 0 || !Jw) continue;
    Jw[k + 1] = -a.z, Jw[k + 2] = a.y;
    Jw[n + k] = a.z, Jw[n + k + 2] = -a.x;
    Jw[2 * n + k] = -a.y, Jw[2 * n + k + 1] = a.x;
  }
}

static void jacobian(const sk_rod *rod, const double *x, double s, const sk_rod_input *in, double *J, double *Jw,
                     sk_vec3 *drift, sk_vec3 *spin_drift)
{
  double place;
  sk_chain_jacobian(rod, s, in, J, drift);
  spin_jacobian(rod, x, sk_chain_find(rod, s, &place), in, Jw, spin_drift);
}

static double elastic(const sk_rod *rod, const double *x)
{
  double sum = sk_chain_elastic(rod, x);
  for (int i = 0; i <= rod->def.elements; i++) {
    if (!(sk_chain_joint_length(rod, i) > 0)) continue;
    joint a = joint_make(rod, x, i);
    for (int c = 0; c < 3; c++) sum += 0.5 * a.k[c] * a.e[c] * a.e[c];
  }
  return sum;
}

static skein_rod_energy energy(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in)
{
  skein_rod_energy sum = sk_chain_energy(rod, x, v, in);
  sum.elastic = elastic(rod, x);
  return sum;
}

static double scale(const sk_rod *rod, int i)
{
  (void)i;
  return rod->l;
}

const sk_rod_ops sk_mass_spring = {
    .name = "mass-spring", .about = "chain of points with implicit springs; no twist", SK_CHAIN_OPS};
