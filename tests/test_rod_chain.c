/* Rods made of points: mass-spring chain and CoRdE. Forces against differences of the energy, Jacobians against
 * differences of poses, stiffness, rigid motions, momentum, the limit of explicit steps. */
#include "rod/chain.h"
#include "support.h"

#include <lapacke.h>

/* One rod with all that an evaluation needs; room for 12 elements of any model. */
enum { ELEMENTS = 5, DOFS = 80, STATE = 200 };

typedef struct bench {
  skein_rod *rod;
  sk_arena arena;
  sk_rod_system sys;
  sk_rod_input in;
} bench;

static const double curled[] = {1.5, -0.4, 0.8, -0.7, 1.1, -0.5, 0.3, 0.9, 1.4}; /* three cells, 1/m */

/* An elliptic section and sizes near one, so that no strain hides behind another. */
static skein_rod_def make_def(skein_rod_model model, skein_rod_end root, skein_rod_end tip, int elements)
{
  skein_rod_def def = skein_default_rod_def();
  sk_mat3 R = sk_rotation(sk_vec(0.7, -1.1, 0.4));
  def.model = model, def.root = root, def.tip = tip, def.elements = elements;
  def.twist_locked = 0, def.length = 1, def.radius1 = 0.09, def.radius2 = 0.06, def.E = 1000, def.G = 420,
  def.density = 30;
  def.damping = 0, def.natural = curled, def.naturals = 3;
  def.pose.r[0] = 0.3, def.pose.r[1] = -0.2, def.pose.r[2] = 0.1;
  for (int k = 0; k < 3; k++) sk_store3(def.pose.d[k], R.c[k]);
  return def;
}

static bench bench_make(const skein_rod_def *def)
{
  bench b = {.in = {.load = 1, .matrices = true}};
  expect_ok(skein_rod_create(def, &b.rod));
  expect_ok(sk_rod_system_create(&b.rod, 1, &b.arena, &b.sys));
  assert_true(b.rod->n <= DOFS && b.rod->nx <= STATE);
  return b;
}

static void bench_free(bench *b)
{
  sk_arena_free(&b->arena);
  skein_rod_destroy(b->rod);
}

/* Away from the natural shape by `size` of an element and of a radian, held ends too. */
static void disturb(bench *b, sk_random *g, double size)
{
  double v[DOFS];
  sk_rod_input in = {0};
  for (int i = 0; i < b->rod->n; i++) v[i] = size * b->rod->ops->scale(b->rod, i) * sk_random_normal(g);
  double *move[] = {&in.root.v.x, &in.root.w.x, &in.tip.v.x, &in.tip.w.x};
  for (int k = 0; k < 12; k++) move[k / 3][k % 3] = size * (k / 3 % 2 ? 1 : b->rod->l) * sk_random_normal(g);
  b->rod->ops->move(b->rod, b->rod->x, v, &in, 1);
}

static void eval(bench *b, const double *x, const double *v)
{
  sk_rod_eval(b->rod, x, v, &b->in, &b->sys);
}

/* x moved by h along dof i. */
static void displaced(const bench *b, int i, double h, double *x)
{
  double v[DOFS] = {0};
  sk_rod_input still = {0};
  v[i] = 1;
  memcpy(x, b->rod->x, sizeof(double) * (size_t)b->rod->nx);
  b->rod->ops->move(b->rod, x, v, &still, h);
}

/* Sixth-order difference: df/dx = (45 (f1 - f-1) - 9 (f2 - f-2) + (f3 - f-3)) / 60 h. */
static const double difference[7] = {-1.0 / 60, 9.0 / 60, -45.0 / 60, 0, 45.0 / 60, -9.0 / 60, 1.0 / 60};

/* Checks every model of this file at every pair of ends, with 1, 2 and 5 elements. */
typedef void check_fn(bench *b, sk_random *g);

static void every_rod(check_fn *check, uint64_t seed)
{
  const skein_rod_model models[] = {SKEIN_MASS_SPRING, SKEIN_CORDE, SKEIN_CORDE_EXPLICIT};
  const int elements[] = {1, 2, ELEMENTS};
  sk_random g = sk_random_make(seed);
  for (int m = 0; m < 3; m++)
    for (int ends = 0; ends < 9; ends++)
      for (int k = 0; k < 3; k++) {
        skein_rod_end root = (skein_rod_end)(ends / 3), tip = (skein_rod_end)(ends % 3);
        if (elements[k] == 1 && root != SKEIN_FREE && tip != SKEIN_FREE) continue;
        skein_rod_def def = make_def(models[m], root, tip, elements[k]);
        bench b = bench_make(&def);
        check(&b, &g);
        bench_free(&b);
      }
}

/* Velocities of the rigid motion (v, w about the origin), ends included. */
static void rigid(bench *b, sk_vec3 v, sk_vec3 w, double *dofs)
{
  const skein_rod *rod = b->rod;
  int N = rod->def.elements, width = rod->ops == &sk_mass_spring ? 0 : 3;
  for (int i = 0; i <= N; i++) {
    int k = sk_chain_node_dof(rod, i);
    if (k >= 0) sk_store3(dofs + k, sk_add(v, sk_cross(w, sk_chain_node(rod->x, i))));
  }
  for (int j = 0; width && j < N; j++) {
    sk_vec3 r;
    sk_mat3 R;
    rod->ops->pose(rod, rod->x, (j + 0.5) * rod->l, &r, &R);
    sk_store3(dofs + sk_chain_segment_dof(rod, j), sk_apply_t(R, w));
  }
  b->in.root.v = sk_add(v, sk_cross(w, sk_load3(rod->x + SK_ROOT))), b->in.root.w = w;
  b->in.tip.v = sk_add(v, sk_cross(w, sk_load3(rod->x + SK_TIP))), b->in.tip.w = w;
}

/* ---- Forces ---- */

/* F = - d(elastic + gravity)/dq */
static void check_gradient(bench *b, sk_random *g)
{
  const skein_rod *rod = b->rod;
  double v[DOFS] = {0}, x[STATE], F[DOFS];
  b->in.g = sk_vec(0.5, -2, 3);
  disturb(b, g, 0.15);
  eval(b, rod->x, v);
  for (int i = 0; i < rod->n; i++) {
    double h = 1e-3 * rod->ops->scale(rod, i);
    F[i] = 0;
    for (int k = -3; k <= 3; k++) {
      displaced(b, i, k * h, x);
      skein_rod_energy e = rod->ops->energy(rod, x, v, &b->in);
      F[i] -= difference[k + 3] / h * (e.elastic + e.gravity);
    }
  }
  expect_at_most(largest_difference(F, b->sys.F, (size_t)rod->n) / largest(F, (size_t)rod->n), 1e-9,
                 "force against the difference of energies");
}

static void forces(void **unused)
{
  (void)unused;
  every_rod(check_gradient, 1);
}

/* The natural polygon is free of forces, wherever it is. */
static void check_natural(bench *b, sk_random *g)
{
  (void)g;
  double v[DOFS] = {0};
  eval(b, b->rod->x, v);
  skein_rod_energy e = b->rod->ops->energy(b->rod, b->rod->x, v, &b->in);
  expect_at_most(largest(b->sys.F, (size_t)b->rod->n), 1e-13 * b->rod->section.ES, "force of the natural shape");
  expect_at_most(e.elastic, 1e-26 * b->rod->section.ES, "energy of the natural shape");
}

/* Also of curls that turn by more than pi between two segments. */
static void natural(void **unused)
{
  (void)unused;
  every_rod(check_natural, 2);
  for (int m = SKEIN_MASS_SPRING; m <= SKEIN_CORDE; m++) {
    const double coil[] = {9.5, -9.5, 9.5};
    skein_rod_def def = make_def((skein_rod_model)m, SKEIN_CLAMPED, SKEIN_CLAMPED, ELEMENTS);
    def.natural = coil, def.naturals = 1;
    bench b = bench_make(&def);
    check_natural(&b, NULL);
    bench_free(&b);
  }
}

/* Ends that travel with the rod leave it as it is. */
static void check_travel(bench *b, sk_random *g)
{
  (void)g;
  skein_rod *rod = b->rod;
  const double dt = 1e-3;
  skein_env still = {{0}, {0}};
  skein_rod_step_def step = {.dt = dt, .theta = 1, .threads = 1};
  double x0[STATE];
  memcpy(x0, rod->x, sizeof(double) * (size_t)rod->nx);
  memset(rod->v, 0, sizeof(double) * (size_t)rod->n);
  rigid(b, sk_vec(1, -2, 0.5), sk_vec(0, 0, 0), rod->v);
  for (int k = 0; k < 5; k++) {
    skein_pose root = rod->root_next, tip = rod->tip_next;
    root.r[0] += dt, root.r[1] -= 2 * dt, root.r[2] += 0.5 * dt;
    tip.r[0] += dt, tip.r[1] -= 2 * dt, tip.r[2] += 0.5 * dt;
    expect_ok(skein_rod_drive(rod, sk_root_held(rod) ? &root : NULL, sk_tip_held(rod) ? &tip : NULL));
    expect_ok(skein_rods_step(&rod, 1, &still, &step));
  }
  for (int i = 0; i <= rod->def.elements; i++) {
    sk_vec3 way = sk_sub(sk_chain_node(rod->x, i), sk_chain_node(x0, i));
    expect_at_most(sk_norm(sk_axpy(way, -5 * dt, sk_vec(1, -2, 0.5))), 1e-14, "way of a node");
  }
}

static void travel(void **unused)
{
  (void)unused;
  every_rod(check_travel, 10);
}

/* The energy of a curvature or twist u is 1/2 K u^2 L, each with its own K; a mass-spring chain has no twist. */
static void uniform_strains(void **unused)
{
  (void)unused;
  for (int m = SKEIN_MASS_SPRING; m <= SKEIN_CORDE_EXPLICIT; m++)
    for (int c = 0; c < 3; c++) {
      double u[3] = {0}, v[DOFS] = {0};
      skein_rod_def def = make_def((skein_rod_model)m, SKEIN_CLAMPED, SKEIN_CLAMPED, 8);
      u[c] = 0.2;
      def.natural = NULL, def.initial = u, def.initials = 1;
      bench b = bench_make(&def);
      double K[3] = {b.rod->section.EI1, b.rod->section.EI2, b.rod->section.GJ};
      double expected = m == SKEIN_MASS_SPRING && c == 2 ? 0 : 0.5 * K[c] * u[c] * u[c] * def.length;
      skein_rod_energy e = b.rod->ops->energy(b.rod, b.rod->x, v, &b.in);
      expect_at_most(fabs(e.elastic - expected), 1e-3 * 0.5 * K[c] * u[c] * u[c], "energy of a uniform strain");
      bench_free(&b);
    }
}

/* ---- Stiffness ---- */

/* - dF/dq along v and the motion of the ends in `in`, by differences of step h. */
static void difference_of_forces(bench *b, const double *v, const sk_rod_input *in, double h, double *H)
{
  const skein_rod *rod = b->rod;
  double x[STATE];
  memset(H, 0, sizeof(double) * (size_t)rod->n);
  for (int k = -3; k <= 3; k++) {
    memcpy(x, rod->x, sizeof(double) * (size_t)rod->nx);
    rod->ops->move(rod, x, v, in, k * h);
    b->in.matrices = false;
    eval(b, x, v);
    b->in.matrices = true;
    for (int i = 0; i < rod->n; i++) H[i] -= difference[k + 3] / h * b->sys.F[i];
  }
}

/* K and Kb are the derivatives of -F at the present state. */
static void check_hessian(bench *b)
{
  const skein_rod *rod = b->rod;
  int n = rod->n, kd = rod->kd;
  double v[DOFS] = {0}, K[DOFS * DOFS], Kb[DOFS], H[DOFS];
  sk_rod_input still = {0};
  sk_rod_input ends = {.root = {.v = {1, 2, -1}, .w = {0.5, -1, 2}}, .tip = {.v = {-2, 0.3, 1}, .w = {1, 0.2, -0.6}}};
  b->in.root = ends.root, b->in.tip = ends.tip;
  eval(b, rod->x, v);
  memcpy(K, b->sys.K, sizeof(double) * sk_band_size(n, kd)), memcpy(Kb, b->sys.Kb, sizeof(double) * (size_t)n);
  double size = largest(K, sk_band_size(n, kd));
  for (int j = 0; j < n; j++) {
    double most = 0;
    v[j] = 1;
    difference_of_forces(b, v, &still, 1e-3 * rod->ops->scale(rod, j), H);
    v[j] = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(H[i] - (abs(i - j) <= kd ? K[sk_band_at(kd, i, j)] : 0)));
    expect_at_most(most / size, 1e-10, "stiffness against the difference of forces");
  }
  difference_of_forces(b, v, &ends, 1e-3 * rod->l, H);
  expect_at_most(largest_difference(H, Kb, (size_t)n) / size, 1e-10, "Kb against the difference of forces");
}

/* At the natural shape K is the Hessian; everywhere it is positive semi-definite. */
static void check_stiffness(bench *b, sk_random *g)
{
  int n = b->rod->n, kd = b->rod->kd;
  double v[DOFS] = {0}, w[DOFS], none;
  check_hessian(b);
  disturb(b, g, 0.2);
  eval(b, b->rod->x, v);
  assert_int_equal(LAPACKE_dsbev(LAPACK_COL_MAJOR, 'N', 'L', n, kd, b->sys.K, kd + 1, w, &none, 1), 0);
  expect_at_most(-w[0], 1e-13 * w[n - 1], "negative eigenvalue of K");
}

/* And where a straight rod is pulled: tension stiffens it across. */
static void tension(void **unused)
{
  (void)unused;
  for (int m = SKEIN_MASS_SPRING; m <= SKEIN_CORDE_EXPLICIT; m++) {
    skein_rod_def def = make_def((skein_rod_model)m, SKEIN_PINNED, SKEIN_PINNED, ELEMENTS);
    def.natural = NULL;
    bench b = bench_make(&def);
    double *x = b.rod->x;
    for (int i = 0; i < 3; i++) x[SK_ROOT + i] *= 1.1, x[SK_TIP + i] *= 1.1;
    for (int i = SK_MODEL; i < SK_MODEL + 3 * (ELEMENTS + 1); i++) x[i] *= 1.1;
    for (int j = 0; j < ELEMENTS; j++)
      x[sk_chain_extra(b.rod) - ELEMENTS + j] = 0.1; /* and pulled so in the last step */
    b.in.dt = 1;
    check_hessian(&b);
    bench_free(&b);
  }
}

static void stiffness(void **unused)
{
  (void)unused;
  every_rod(check_stiffness, 3);
}

/* K_ff v_f + K_fb v_b = 0 for rigid motions. Edges are pressed, because tension has a stiffness against turning. */
static void check_rigid(bench *b, sk_random *g)
{
  skein_rod *rod = b->rod;
  bool turns = rod->ops->twists;
  size_t n = (size_t)rod->n;
  double v[DOFS], *x = rod->x;
  disturb(b, g, 0.1);
  for (int i = 0; i < 3; i++) x[SK_ROOT + i] *= 0.5, x[SK_TIP + i] *= 0.5;
  for (int i = SK_MODEL; i < SK_MODEL + 3 * (rod->def.elements + 1); i++) x[i] *= 0.5;
  rigid(b, sk_vec(1, -2, 0.5), turns ? sk_vec(0.4, 1.5, -0.8) : sk_vec(0, 0, 0), v);
  eval(b, x, v);
  double size = fmax(largest(b->sys.Kb, n), rod->section.ES / rod->l);
  sk_band_mul_add(rod->n, rod->kd, b->sys.K, 1, v, b->sys.Kb);
  expect_at_most(largest(b->sys.Kb, n) / size, 1e-13, "strain rates of a rigid motion");
}

/* The mass-spring chain turns freely at least where it is straight. */
static void rigid_motions(void **unused)
{
  (void)unused;
  every_rod(check_rigid, 4);
  for (int ends = 0; ends < 9; ends++) {
    skein_rod_def def = make_def(SKEIN_MASS_SPRING, (skein_rod_end)(ends / 3), (skein_rod_end)(ends % 3), ELEMENTS);
    def.natural = NULL, def.naturals = 0;
    bench b = bench_make(&def);
    double v[DOFS];
    rigid(&b, sk_vec(1, -2, 0.5), sk_vec(0.4, 1.5, -0.8), v);
    eval(&b, b.rod->x, v);
    sk_band_mul_add(b.rod->n, b.rod->kd, b.sys.K, 1, v, b.sys.Kb);
    expect_at_most(largest(b.sys.Kb, (size_t)b.rod->n), 1e-12 * b.rod->section.ES / b.rod->l, "turned straight chain");
    bench_free(&b);
  }
}

/* ---- Points and frames ---- */

/* The rotation vector from one frame to another, per 2 h. */
static sk_vec3 spin_between(const sk_mat3 *R, double h)
{
  return sk_mul(0.5 / h, sk_rotation_log(sk_mat_mul(R[1], sk_transpose3(R[0]))));
}

/* Column of J and Jw, or the drifts, against differences: x goes along v and the motion of the ends. */
static void check_column(bench *b, double s, const double *v, const sk_rod_input *in, sk_vec3 velocity, sk_vec3 spin)
{
  const skein_rod *rod = b->rod;
  double x[STATE], h = 1e-6;
  sk_vec3 r[2];
  sk_mat3 R[2];
  for (int k = 0; k < 2; k++) {
    memcpy(x, rod->x, sizeof(double) * (size_t)rod->nx);
    rod->ops->move(rod, x, v, in, k ? h : -h);
    rod->ops->pose(rod, x, s, r + k, R + k);
  }
  expect_at_most(sk_norm(sk_sub(velocity, sk_mul(0.5 / h, sk_sub(r[1], r[0])))), 1e-9, "velocity of a point");
  expect_at_most(sk_norm(sk_sub(spin, spin_between(R, h))), 1e-7, "spin of a frame");
}

static void check_jacobians(bench *b, sk_random *g)
{
  const skein_rod *rod = b->rod;
  int n = rod->n;
  double J[3 * DOFS], Jw[3 * DOFS];
  disturb(b, g, 0.15);
  sk_rod_input in = {.root = {.v = {1, 2, -1}, .w = {0.5, -1, 2}}, .tip = {.v = {-2, 0.3, 1}, .w = {1, 0.2, -0.6}}};
  const double places[] = {0, 0.03, 0.21, 0.4, 0.5, 0.77, 0.96, 1};
  for (int p = 0; p < 8; p++) {
    sk_rod_input still = {0};
    sk_vec3 drift, spin;
    double v[DOFS] = {0};
    rod->ops->jacobian(rod, rod->x, places[p], &in, J, Jw, &drift, &spin);
    check_column(b, places[p], v, &in, drift, spin);
    for (int i = 0; i < n; i++) {
      v[i] = 1;
      check_column(b, places[p], v, &still, sk_vec(J[i], J[n + i], J[2 * n + i]),
                   sk_vec(Jw[i], Jw[n + i], Jw[2 * n + i]));
      v[i] = 0;
    }
  }
}

static void jacobians(void **unused)
{
  (void)unused;
  every_rod(check_jacobians, 5);
}

/* CoRdE: the frame at a clamp is the clamp's. */
static void frame_of_clamp(void **unused)
{
  (void)unused;
  skein_rod_def def = make_def(SKEIN_CORDE, SKEIN_CLAMPED, SKEIN_CLAMPED, ELEMENTS);
  bench b = bench_make(&def);
  sk_random g = sk_random_make(6);
  disturb(&b, &g, 0.3);
  for (int end = 0; end < 2; end++) {
    skein_pose p;
    skein_rod_point(b.rod, end ? def.length : 0, &p);
    expect_at_most(largest_difference(&p.d[0][0], b.rod->x + (end ? SK_TIP : SK_ROOT) + 3, 9), 1e-14,
                   "axes of the end");
  }
  bench_free(&b);
}

/* ---- Momentum ---- */

/* Sum of forces, and of torques about the origin, of a free rod; f: as F or M v. */
static void resultant(const skein_rod *rod, const double *f, sk_vec3 *force, sk_vec3 *torque)
{
  int N = rod->def.elements, width = rod->ops == &sk_mass_spring ? 0 : 3;
  *force = *torque = sk_vec(0, 0, 0);
  for (int i = 0; i <= N; i++) {
    sk_vec3 a = sk_load3(f + sk_chain_node_dof(rod, i));
    *force = sk_add(*force, a), *torque = sk_add(*torque, sk_cross(sk_chain_node(rod->x, i), a));
  }
  for (int j = 0; width && j < N; j++) {
    sk_vec3 r;
    sk_mat3 R;
    rod->ops->pose(rod, rod->x, (j + 0.5) * rod->l, &r, &R);
    *torque = sk_add(*torque, sk_apply(R, sk_load3(f + sk_chain_segment_dof(rod, j))));
  }
}

/* Internal forces of a free rod have no resultant; those of a mass-spring chain no torque if the rod is straight and
 * round, and otherwise one (it knows no twist). Damping of explicit steps changes nothing of it. */
static void momentum(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(7);
  const skein_rod_model models[] = {SKEIN_MASS_SPRING, SKEIN_CORDE, SKEIN_CORDE_EXPLICIT};
  for (int m = 0; m < 3; m++)
    for (int t = 0; t < 10; t++) {
      skein_rod_def def = make_def(models[m], SKEIN_FREE, SKEIN_FREE, 1 + t);
      def.damping = 0.1;
      if (m == 0) def.natural = NULL, def.naturals = 0, def.radius1 = def.radius2;
      bench b = bench_make(&def);
      double v[DOFS];
      sk_vec3 force, torque;
      disturb(&b, &g, 0.2);
      for (int i = 0; i < b.rod->n; i++)
        v[i] = i % 6 < 3 || m == 0 ? sk_random_normal(&g) : 0; /* no gyroscopic torque */
      b.in.dynamic = true;
      eval(&b, b.rod->x, v);
      resultant(b.rod, b.sys.F, &force, &torque);
      double size = largest(b.sys.F, (size_t)b.rod->n);
      expect_at_most(sk_norm(force), 1e-13 * size, "sum of internal forces");
      expect_at_most(sk_norm(torque), 1e-13 * size, "sum of internal torques");
      bench_free(&b);
    }
}

/* A free, spinning, elliptic rod keeps its angular momentum: the midpoint rule loses it with dt^2, 4 times less at half
 * the step. A gyroscopic force that is missing or has the wrong sign would lose it at once. */
static void spinning(void **unused)
{
  (void)unused;
  double lost[2];
  for (int t = 0; t < 2; t++) {
    skein_rod_def def = make_def(SKEIN_CORDE, SKEIN_FREE, SKEIN_FREE, 2);
    def.radius1 = 0.3, def.radius2 = 0.15;
    skein_env env = {{0}, {0}};
    skein_rod_step_def step = {.dt = 2e-3 / (1 + t), .theta = 0.5, .threads = 1};
    bench b = bench_make(&def);
    sk_vec3 force, L[2];
    double Mv[DOFS];
    rigid(&b, sk_vec(0, 0, 0), sk_vec(0.4, 1.5, -0.8), b.rod->v);
    for (int k = 0; k < 2; k++) {
      for (int i = 0; k && i < 250 * (1 + t); i++) expect_ok(skein_rods_step(&b.rod, 1, &env, &step));
      memset(Mv, 0, sizeof Mv);
      eval(&b, b.rod->x, b.rod->v);
      sk_band_mul_add(b.rod->n, b.rod->kd, b.sys.M, 1, b.rod->v, Mv);
      resultant(b.rod, Mv, &force, L + k);
    }
    lost[t] = sk_norm(sk_sub(L[1], L[0])) / sk_norm(L[0]);
    bench_free(&b);
  }
  expect_at_most(lost[0], 1e-4, "angular momentum lost");
  expect_at_most(lost[1], 0.3 * lost[0], "angular momentum lost at half the step");
}

/* ---- Explicit steps ---- */

/* In motion there is no stiffness, and the damping force is -nu (K v + Kb) of the implicit model. */
static void explicit_damping(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(8);
  for (int ends = 0; ends < 9; ends++) {
    skein_rod_def def = make_def(SKEIN_CORDE_EXPLICIT, (skein_rod_end)(ends / 3), (skein_rod_end)(ends % 3), ELEMENTS);
    def.damping = 0.07;
    bench b = bench_make(&def);
    double v[DOFS], F[DOFS], *x = b.rod->x;
    size_t n = (size_t)b.rod->n;
    disturb(&b, &g, 0.1);
    for (int i = 0; i < 3; i++) x[SK_ROOT + i] *= 0.5, x[SK_TIP + i] *= 0.5;
    for (int i = SK_MODEL; i < SK_MODEL + 3 * (ELEMENTS + 1); i++) x[i] *= 0.5; /* no tension */
    rigid(&b, sk_vec(1, 0, 2), sk_vec(3, 1, -1), v);
    for (int i = 0; i < b.rod->n; i++) v[i] = b.rod->ops->scale(b.rod, i) == 1 ? 0 : sk_random_normal(&g);
    eval(&b, x, v);
    memcpy(F, b.sys.F, sizeof(double) * n);
    for (size_t i = 0; i < n; i++) F[i] -= def.damping * b.sys.Kb[i];
    sk_band_mul_add(b.rod->n, b.rod->kd, b.sys.K, -def.damping, v, F);
    b.in.dynamic = true;
    eval(&b, x, v);
    expect_at_most(largest_difference(F, b.sys.F, n) / largest(F, n), 1e-13, "damped force");
    assert_true(largest(b.sys.K, sk_band_size(b.rod->n, b.rod->kd)) == 0 && largest(b.sys.Kb, n) == 0);
    assert_true(largest(b.sys.M, sk_band_size(b.rod->n, b.rod->kd)) > 0);
    bench_free(&b);
  }
}

/* The largest omega of K v = omega^2 M v at the state of the rod; M is diagonal. */
static double fastest(bench *b)
{
  int n = b->rod->n, kd = b->rod->kd;
  double v[DOFS] = {0}, w[DOFS], none;
  eval(b, b->rod->x, v);
  for (int j = 0; j < n; j++)
    for (int i = j; i <= SK_MIN(n - 1, j + kd); i++)
      b->sys.K[sk_band_at(kd, i, j)] /= sqrt(b->sys.M[sk_band_at(kd, i, i)]) * sqrt(b->sys.M[sk_band_at(kd, j, j)]);
  assert_int_equal(LAPACKE_dsbev(LAPACK_COL_MAJOR, 'N', 'L', n, kd, b->sys.K, kd + 1, w, &none, 1), 0);
  return sqrt(w[n - 1]);
}

/* The limit is below what the eigenvalues say and not far below, for thick and thin, round and flat, whatever the ends.
 */
static void step_limit(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(9);
  const double radius[][2] = {{0.09, 0.06}, {0.01, 0.01}, {0.3, 0.3}, {1e-3, 4e-4}, {0.02, 0.05}};
  const double nu[] = {0, 1e-3, 1};
  for (int r = 0; r < 5; r++)
    for (int ends = 0; ends < 9; ends++)
      for (int elements = 2; elements <= 12; elements += 5)
        for (int bent = 0; bent < 3; bent++) {
          skein_rod_def def =
              make_def(SKEIN_CORDE_EXPLICIT, (skein_rod_end)(ends / 3), (skein_rod_end)(ends % 3), elements);
          def.radius1 = radius[r][0], def.radius2 = radius[r][1];
          if (!bent) def.natural = NULL, def.naturals = 0;
          if (bent == 2) def.alignment = def.G * SK_PI * def.radius1 * def.radius2;
          def.damping = nu[ends % 3];
          bench b = bench_make(&def);
          if (bent) disturb(&b, &g, 0.02);
          double four = 4 / pow(fastest(&b), 2), longest = four / (def.damping + sqrt(pow(def.damping, 2) + four));
          double ratio = b.rod->ops->limit(b.rod) / longest,
                 flat = fmax(radius[r][0], radius[r][1]) / fmin(radius[r][0], radius[r][1]);
          expect_at_most(ratio, 1, "limit over longest stable step");
          expect_at_most(0.3 / flat / flat, ratio, "part of the longest stable step");
          bench_free(&b);
        }
}

/* At the limit a rod that swings from its clamp keeps its energy or, damped, loses it; a longer step is refused. */
static void step_at_limit(void **unused)
{
  (void)unused;
  skein_rod_def def = make_def(SKEIN_CORDE_EXPLICIT, SKEIN_CLAMPED, SKEIN_FREE, ELEMENTS);
  def.radius1 = def.radius2 = 0.02;
  skein_env env = {{0, 0, -0.02}, {0}};
  for (int t = 0; t < 2; t++) {
    def.damping = t ? 1e-3 : 0;
    bench b = bench_make(&def);
    skein_rod_step_def step = {.dt = b.rod->ops->limit(b.rod), .theta = 1, .threads = 1};
    skein_rod_energy start, end;
    expect_ok(skein_rod_energies(b.rod, &env, &start));
    for (int i = 0; i < 20000; i++) expect_ok(skein_rods_step(&b.rod, 1, &env, &step));
    expect_ok(skein_rod_energies(b.rod, &env, &end));
    double before = start.elastic + start.kinetic + start.gravity, after = end.elastic + end.kinetic + end.gravity;
    expect_at_most(t ? after - before : fabs(after - before), t ? 0 : 0.05 * (end.elastic + end.kinetic),
                   "energy gained");
    step.dt *= 1.001;
    expect_bad(skein_rods_step(&b.rod, 1, &env, &step), "corde-explicit");
    bench_free(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces),        cmocka_unit_test(natural),       cmocka_unit_test(travel),
      cmocka_unit_test(stiffness),     cmocka_unit_test(tension),       cmocka_unit_test(uniform_strains),
      cmocka_unit_test(rigid_motions), cmocka_unit_test(jacobians),     cmocka_unit_test(frame_of_clamp),
      cmocka_unit_test(momentum),      cmocka_unit_test(spinning),      cmocka_unit_test(explicit_damping),
      cmocka_unit_test(step_limit),    cmocka_unit_test(step_at_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
