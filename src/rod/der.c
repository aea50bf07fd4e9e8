/* Discrete elastic rods (Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008; Bergou, Audoly, Vouga, Wardetzky, Grinspun
 * 2010): nodes x_i, and on every edge a material director d1 that is carried along in time by parallel transport and
 * spun about the tangent by the edge's own dof.
 *
 * Energies, with edges e, f on both sides of a joint of length lbar, tangents te, tf, chi = 1 + te . tf:
 *
 *     stretch   ES l (|e|/l - 1)^2 / 2
 *     bend      EI_k (kappa_k - rest)^2 / (2 lbar),   kappa_k = kb . (dk_e + dk_f)/2,   kb = 2 te x tf / chi
 *     twist     GJ (m - rest)^2 / (2 lbar),           m = angle about tf from d1_e, transported onto tf, to d1_f
 *
 * Gradients, exact for directors that move by parallel transport (2010, sections 6 and 7), df likewise:
 *
 *     d kappa_k / de = (-kappa_k (te + tf) + tf x (dk_e + dk_f)) / (chi |e|),   d kappa_k / dtheta = kb . (t x dk)/2
 *     d m / de = kb / (2 |e|),   d m / dtheta_f = 1 = - d m / dtheta_e
 *
 * K = sum of k grad grad' (Gauss-Newton): the Hessian at rest, and blind to rigid motion everywhere; in an implicit
 * Euler step with the stiffness of tension (sk_chain_stretch). A clamp is a ghost edge outside the rod with the clamp's
 * frame; its joint has half the usual length, which makes it second order. */
#include "rod/der.h"

enum { STENCIL = 11 }; /* three nodes, two spins */

/* An edge with its frame. */
typedef struct edge {
  sk_vec3 t, d1, d2;
  double length;
} edge;

/* Two edges that meet, and their integrated strains kappa_1, kappa_2, m. */
typedef struct joint {
  edge e, f;
  sk_vec3 kb;
  double chi, strain[3];
} joint;

/* ---- Geometry ---- */

/* d1 made perpendicular to t and of length one; any such vector where d1 has no such part. */
static sk_vec3 director(sk_vec3 d1, sk_vec3 t)
{
  sk_vec3 d = sk_unit(sk_sub(d1, sk_mul(sk_dot(d1, t), t)));
  d = sk_unit(sk_sub(d, sk_mul(sk_dot(d, t), t))); /* once more: the first may have been nearly along t */
  return sk_dot(d, d) > 0.5 ? d : sk_perpendicular(t);
}

/* d1 carried from t1 to t2 by the shortest rotation; half a turn is made about d1 itself. */
static sk_vec3 carry(sk_vec3 d1, sk_vec3 t1, sk_vec3 t2)
{
  return director(1 + sk_dot(t1, t2) > 1e-12 ? sk_transport(d1, t1, t2) : d1, t2);
}

/* Segment j; -1 and N: the ghosts of the clamps. An edge without length keeps the tangent it had. */
static edge edge_at(const sk_rod *rod, const double *x, int j)
{
  const double *pose = x + (j < 0 ? SK_ROOT : SK_TIP);
  if (j < 0 || j == rod->def.elements)
    return (edge){sk_load3(pose + 9), sk_load3(pose + 3), sk_load3(pose + 6), rod->l};
  const double *frame = x + sk_der_frame(rod, j);
  sk_vec3 e = sk_sub(sk_chain_node(x, j + 1), sk_chain_node(x, j)), d1 = sk_load3(frame + 3);
  double length = sk_norm(e);
  sk_vec3 t = length > 0 ? sk_mul(1 / length, e) : sk_load3(frame);
  return (edge){t, d1, sk_cross(t, d1), length};
}

/* 1 / |e|; bounded, so that a collapsed edge has finite forces. */
static double inverse_length(const sk_rod *rod, const edge *e)
{
  return 1 / fmax(e->length, 1e-9 * rod->l);
}

/* Strains of the joint of e and f; of all angles m + 2 pi k the twist is the one nearest to `near`. */
static joint joint_make(edge e, edge f, double near)
{
  joint b = {.e = e, .f = f, .chi = fmax(1 + sk_dot(e.t, f.t), 1e-12)};
  b.kb = sk_mul(2 / b.chi, sk_cross(e.t, f.t));
  b.strain[0] = 0.5 * sk_dot(b.kb, sk_add(e.d1, f.d1));
  b.strain[1] = 0.5 * sk_dot(b.kb, sk_add(e.d2, f.d2));
  sk_vec3 a = carry(e.d1, e.t, f.t);
  double angle = atan2(sk_dot(sk_cross(a, f.d1), f.t), sk_dot(a, f.d1));
  b.strain[2] = near + remainder(angle - near, 2 * SK_PI);
  return b;
}

static joint joint_at(const sk_rod *rod, const double *x, int i)
{
  return joint_make(edge_at(rod, x, i - 1), edge_at(rod, x, i), x[sk_der_twist(rod, i)]);
}

/* Stiffnesses of the strains of a joint of length lbar. */
static void joint_stiffness(const sk_rod *rod, double lbar, double k[3])
{
  const sk_section *s = &rod->section;
  k[0] = s->EI1 / lbar, k[1] = s->EI2 / lbar, k[2] = s->GJ / lbar;
}

/* ---- Size and start ---- */

static void size(sk_rod *rod)
{
  rod->width = 1, rod->n = sk_chain_dofs(rod);
  rod->kd = SK_MAX(0, SK_MIN(STENCIL - 1, rod->n - 1));
  rod->nx = sk_der_twist(rod, rod->def.elements + 1);
  rod->works = rod->ops->project ? sk_der_project_works(rod) : 0;
}

/* Strains of the joint whose second frame is the first turned by exp([u lbar]). */
static joint turned_joint(sk_vec3 u, double lbar)
{
  sk_mat3 I = sk_identity3(), R = sk_rotation(sk_mul(lbar, u));
  return joint_make((edge){I.c[2], I.c[0], I.c[1], 1}, (edge){R.c[2], R.c[0], R.c[1], 1}, lbar * u.z);
}

/* The polygons of chain.h: of the natural shape its strains, of the initial one the frames; twists are counted from
 * those of the curvatures given. */
static void init(sk_rod *rod, double *x, sk_mat3 *frames)
{
  int N = rod->def.elements, count = rod->initial ? rod->def.initials : rod->def.naturals;
  const double *cells = rod->initial ? rod->initial : rod->natural;
  sk_chain_shape(rod, cells, count, x, frames);
  for (int j = 0; j < N; j++) {
    sk_store3(x + sk_der_frame(rod, j), frames[j].c[2]);
    sk_store3(x + sk_der_frame(rod, j) + 3, frames[j].c[0]);
  }
  for (int i = 0; i <= N; i++) {
    double lbar = sk_chain_joint_length(rod, i);
    joint natural = turned_joint(sk_chain_joint_natural(rod, i), lbar);
    for (int k = 0; k < 3; k++) rod->rest[3 * i + k] = natural.strain[k];
    sk_vec3 u = sk_cells_mean(cells, count, rod->def.length, (i - 0.5) * rod->l, (i + 0.5) * rod->l);
    x[sk_der_twist(rod, i)] = lbar * u.z;
  }
  sk_der_follow(rod, x, NULL, 0);
}

/* ---- Forces ---- */

/* Velocity of the node beyond a clamp, with which its ghost edge turns. */
static sk_vec3 ghost_velocity(const sk_rod *rod, const double *x, const sk_motion *m, double side)
{
  const double *pose = x + (side < 0 ? SK_ROOT : SK_TIP);
  return sk_axpy(m->v, side * rod->l, sk_cross(m->w, sk_load3(pose + 9)));
}

/* Nodes i-1, i, i+1 and spins i-1, i; what belongs to a ghost is prescribed. */
static sk_stencil joint_stencil(const sk_rod *rod, const double *x, const sk_rod_input *in, int i)
{
  int N = rod->def.elements;
  sk_stencil st = {.count = 0};
  for (int k = i - 1; k <= i + 1; k++) {
    bool ghost = k < 0 || k > N;
    int dof = ghost ? -1 : sk_chain_node_dof(rod, k);
    sk_vec3 v = k < 0   ? ghost_velocity(rod, x, &in->root, -1)
                : k > N ? ghost_velocity(rod, x, &in->tip, 1)
                : k < N ? in->root.v
                        : in->tip.v;
    sk_stencil_add3(&st, dof, dof < 0 ? v : sk_vec(0, 0, 0));
  }
  for (int j = i - 1; j <= i; j++) {
    bool ghost = j < 0 || j == N;
    double spin = j < 0    ? sk_dot(in->root.w, sk_load3(x + SK_ROOT + 9))
                  : j == N ? sk_dot(in->tip.w, sk_load3(x + SK_TIP + 9))
                           : 0;
    sk_stencil_add1(&st, ghost ? -1 : sk_chain_segment_dof(rod, j), spin);
  }
  return st;
}

/* Gradient over the stencil of a strain that depends on the two edges and their spins. */
static void spread(sk_vec3 de, sk_vec3 df, double theta_e, double theta_f, double B[STENCIL])
{
  sk_store3(B, sk_mul(-1, de));
  sk_store3(B + 3, sk_sub(de, df));
  sk_store3(B + 6, df);
  B[9] = theta_e, B[10] = theta_f;
}

/* Gradient of kappa, the curvature about the director that is d_e on one edge and d_f on the other; ie = 1/|e|,
 * jf = 1/|f|. */
static void bend_gradient(const joint *b, double kappa, sk_vec3 d_e, sk_vec3 d_f, double ie, double jf, double *B)
{
  sk_vec3 t = sk_add(b->e.t, b->f.t), d = sk_add(d_e, d_f);
  sk_vec3 de = sk_axpy(sk_cross(b->f.t, d), -kappa, t), df = sk_axpy(sk_cross(d, b->e.t), -kappa, t);
  double theta_e = 0.5 * sk_dot(b->kb, sk_cross(b->e.t, d_e)), theta_f = 0.5 * sk_dot(b->kb, sk_cross(b->f.t, d_f));
  spread(sk_mul(ie / b->chi, de), sk_mul(jf / b->chi, df), theta_e, theta_f, B);
}

static void add_joint(const sk_rod *rod, const double *x, const sk_rod_input *in, int i, sk_rod_system *sys)
{
  double lbar = sk_chain_joint_length(rod, i), k[3], B[STENCIL];
  if (!(lbar > 0)) return;
  joint b = joint_at(rod, x, i);
  sk_stencil st = joint_stencil(rod, x, in, i);
  const double *rest = rod->rest + 3 * i;
  double ie = inverse_length(rod, &b.e), jf = inverse_length(rod, &b.f);
  joint_stiffness(rod, lbar, k);
  bend_gradient(&b, b.strain[0], b.e.d1, b.f.d1, ie, jf, B);
  sk_strain_add(rod, in, &st, B, k[0], b.strain[0] - rest[0], sys);
  bend_gradient(&b, b.strain[1], b.e.d2, b.f.d2, ie, jf, B);
  sk_strain_add(rod, in, &st, B, k[1], b.strain[1] - rest[1], sys);
  spread(sk_mul(0.5 * ie, b.kb), sk_mul(0.5 * jf, b.kb), -1, 1, B);
  sk_strain_add(rod, in, &st, B, k[2], b.strain[2] - rest[2], sys);
}

/* A rod that is projected has no stretching in its motion; at rest it has, or statics would know nothing of lengths. */
static void eval(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_system *sys)
{
  double inertia = rod->section.rho_I * rod->l;
  sk_chain_eval(rod, &inertia, in, sys);
  for (int i = 0; i <= rod->def.elements; i++) add_joint(rod, x, in, i, sys);
  if (!rod->ops->project || !in->dynamic) sk_chain_stretch(rod, x, v, 0, in, sys);
}

/* ---- Motion ---- */

void sk_der_follow(const sk_rod *rod, double *x, const double *v, double dt)
{
  int N = rod->def.elements;
  for (int j = 0; j < N; j++) {
    double *frame = x + sk_der_frame(rod, j);
    double angle = v ? dt * v[sk_chain_segment_dof(rod, j)] : 0;
    sk_vec3 t = edge_at(rod, x, j).t, d1 = carry(sk_load3(frame + 3), sk_load3(frame), t);
    sk_store3(frame, t);
    sk_store3(frame + 3, director(sk_axpy(sk_mul(cos(angle), d1), sin(angle), sk_cross(t, d1)), t));
  }
  for (int i = 0; i <= N; i++)
    if (sk_chain_joint_length(rod, i) > 0) x[sk_der_twist(rod, i)] = joint_at(rod, x, i).strain[2];
}

static void move(const sk_rod *rod, double *x, const double *v, const sk_rod_input *in, double dt)
{
  sk_chain_move(rod, x, v, in, dt);
  sk_der_follow(rod, x, v, dt);
}

/* ---- Points ---- */

static void pose(const sk_rod *rod, const double *x, double s, sk_vec3 *r, sk_mat3 *R)
{
  double place;
  int j = sk_chain_find(rod, s, &place);
  edge e = edge_at(rod, x, j);
  *r = sk_chain_point(rod, x, s);
  *R = (sk_mat3){{e.d1, e.d2, e.t}};
}

/* Spin of the frame: w = t x de/|e| + t theta_dot, de the velocity of the edge. */
static void spin_jacobian(const sk_rod *rod, const double *x, int j, const sk_rod_input *in, double *Jw, sk_vec3 *drift)
{
  edge e = edge_at(rod, x, j);
  size_t n = (size_t)rod->n;
  double unit[3] = {e.t.x, e.t.y, e.t.z};
  if (Jw) {
    for (size_t k = 0; k < 3 * n; k++) Jw[k] = 0;
    for (size_t a = 0; a < 3; a++) Jw[a * n + (size_t)sk_chain_segment_dof(rod, j)] = unit[a];
  }
  if (drift) *drift = sk_vec(0, 0, 0);
  for (int k = 0; k < 2; k++) {
    int dof = sk_chain_node_dof(rod, j + k);
    double f = (k ? 1 : -1) * inverse_length(rod, &e);
    if (dof < 0 && drift) *drift = sk_axpy(*drift, f, sk_cross(e.t, j + k == 0 ? in->root.v : in->tip.v));
    if (dof < 0 || !Jw) continue;
    for (int c = 0; c < 3; c++) {
      sk_vec3 w = sk_mul(f, sk_cross(e.t, sk_vec(c == 0, c == 1, c == 2)));
      size_t at = (size_t)(dof + c);
      Jw[at] = w.x, Jw[n + at] = w.y, Jw[2 * n + at] = w.z;
    }
  }
}

static void jacobian(const sk_rod *rod, const double *x, double s, const sk_rod_input *in, double *J, double *Jw,
                     sk_vec3 *drift, sk_vec3 *spin_drift)
{
  double place;
  if (J || drift) sk_chain_jacobian(rod, s, in, J, drift);
  if (Jw || spin_drift) spin_jacobian(rod, x, sk_chain_find(rod, s, &place), in, Jw, spin_drift);
}

static double elastic(const sk_rod *rod, const double *x)
{
  double sum = sk_chain_elastic(rod, x);
  for (int i = 0; i <= rod->def.elements; i++) {
    double lbar = sk_chain_joint_length(rod, i), k[3];
    if (!(lbar > 0)) continue;
    joint b = joint_at(rod, x, i);
    joint_stiffness(rod, lbar, k);
    for (int c = 0; c < 3; c++) {
      double strain = b.strain[c] - rod->rest[3 * i + c];
      sum += 0.5 * k[c] * strain * strain;
    }
  }
  return sum;
}

static skein_rod_energy energy(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in)
{
  skein_rod_energy sum = sk_chain_energy(rod, x, v, in);
  sum.elastic = elastic(rod, x);
  for (int j = 0; j < rod->def.elements; j++) {
    double spin = v[sk_chain_segment_dof(rod, j)];
    sum.kinetic += 0.5 * rod->section.rho_I * rod->l * spin * spin;
  }
  return sum;
}

/* Blocks of a node and a spin, the node first, from the tip; a held tip has lost its node. */
static double scale(const sk_rod *rod, int i)
{
  return (i + (sk_tip_held(rod) ? 3 : 0)) % 4 < 3 ? rod->l : 1;
}

const sk_rod_ops sk_der = {.name = "der",
                           .about = "discrete elastic rods: points and directors, stretching in the implicit system",
                           .twists = true,
                           SK_CHAIN_OPS};

const sk_rod_ops sk_der_projection = {.name = "der-projection",
                                      .about = "the same, inextensible by fast projection after every step",
                                      .twists = true,
                                      .project = sk_der_project,
                                      SK_CHAIN_OPS};
