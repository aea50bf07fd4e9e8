/* Every rod model at every pair of ends: forces, Jacobians and matrices against differences; rigid motions and
 * momentum; motion of the clamp; bad input by name. */
#include "rod_support.h"

#include "rod/chain.h"

enum { SHAPES = 3, ELEMENTS = 4 };

/* Natural cells (1/m) of a rod of length one. Straight; curled and twisted, within what a joint of points can turn. */
static const double curled[] = {1.5, -0.4, 0.8, -0.7, 1.1, -0.5, 0.3, 0.9, 1.4};

typedef void (*check_fn)(trial *t);

/* check for all models, ends and shapes. */
static void for_every_rod(check_fn check)
{
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++)
    for (int ends = 0; ends < 9; ends++)
      for (int shape = 0; shape < SHAPES; shape++) {
        skein_rod_def def =
            trial_def((skein_rod_model)m, ELEMENTS, (skein_rod_end)(ends / 3), (skein_rod_end)(ends % 3));
        if (shape > 0) def.natural = curled, def.naturals = 3;
        if (shape == 2 && m == SKEIN_SUPER_HELIX) def.twist_locked = 2;
        trial t = trial_make(&def, (uint64_t)(100 * m + 10 * ends + shape));
        check(&t);
        trial_destroy(&t);
      }
}

/* Super-helices alone, with curvatures from nothing to several turns per element. */
static void for_every_curvature(check_fn check)
{
  static const double sizes[] = {0, 1e-12, 1e-7, 1e-3, 0.3, 3, 8, 20, 80};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
    for (int root = 0; root < 3; root++) {
      double natural[3 * ELEMENTS];
      for (int i = 0; i < 3 * ELEMENTS; i++) natural[i] = sizes[k] * (1 + 0.1 * i) * (i % 2 ? 1 : -0.6);
      skein_rod_def def = trial_def(SKEIN_SUPER_HELIX, ELEMENTS, (skein_rod_end)root, SKEIN_FREE);
      def.natural = natural, def.naturals = ELEMENTS;
      trial t = trial_make(&def, 1000 + 10 * k + (uint64_t)root);
      check(&t);
      trial_destroy(&t);
    }
}

/* ---- Forces ---- */

static const skein_env weight = {.gravity = {1, -2, -9.81}};

static void add_load_and_hold(trial *t)
{
  skein_rod_load load = {.s = 0.6, .force = {0.5, 0.2, -0.3}};
  skein_rod_hold hold = {.s = 0.85, .stiffness = {2, 0.5, 1}, .torsion = 0.2, .target = skein_default_pose()};
  expect_ok(skein_rod_set_loads(t->rod, &load, 1));
  expect_ok(skein_rod_set_holds(t->rod, &hold, 1));
}

static void potential(trial *t, const double *x, const void *with, double *value)
{
  (void)with;
  sk_rod_input in = sk_rod_input_make(t->rod, &weight, false, false);
  skein_rod_energy e = t->rod->ops->energy(t->rod, x, t->rod->v, &in);
  *value = e.elastic + e.gravity + sk_rod_held_energy(t->rod, x, 1);
}

/* F = - d energy / dq, loads and holds included. */
static void check_forces(trial *t)
{
  const skein_rod *rod = t->rod;
  sk_rod_input in = sk_rod_input_make(rod, &weight, false, false);
  double *F = numbers(rod->n);
  add_load_and_hold(t);
  if (rod->def.model != SKEIN_SUPER_HELIX || rod->natural == NULL) disturb(t, 0.12);
  sk_rod_eval(rod, rod->x, rod->v, &in, &t->sys);
  for (int i = 0; i < rod->n; i++) {
    derivative_of(t, potential, NULL, 1, i, 4e-3, F + i);
    F[i] = (F[i] + t->sys.F[i]) * rod->ops->scale(rod, i), t->sys.F[i] *= rod->ops->scale(rod, i);
  }
  expect_at_most(largest(F, (size_t)rod->n) / largest(t->sys.F, (size_t)rod->n), 1e-9, "force against energy");
  free(F);
}

static void forces(void **unused)
{
  (void)unused;
  for_every_rod(check_forces);
  for_every_curvature(check_forces);
}

/* ---- Points, frames, velocities ---- */

static void pose_at(trial *t, const double *x, const void *with, double *value)
{
  sk_vec3 r;
  sk_mat3 R;
  t->rod->ops->pose(t->rod, x, *(const double *)with, &r, &R);
  sk_store3(value, r), sk_store33(value + 3, R);
}

/* dr/dt = J v + drift and dR/dt = (Jw v + spin) x R, with held ends in motion; J by J. */
static void check_jacobians(trial *t)
{
  static const double places[] = {0, 0.13, 0.25, 0.5, 0.81, 1};
  const skein_rod *rod = t->rod;
  int n = rod->n;
  disturb(t, 0.1);
  double *J = numbers(3 * n), *Jw = numbers(3 * n), *v = draw_velocities(t), rate[12], value[12];
  sk_rod_input in = draw_motion(t);
  for (int p = 0; p < 6; p++) {
    sk_vec3 r, drift, spin, a, w;
    sk_mat3 R;
    rod->ops->pose(rod, rod->x, places[p], &r, &R);
    rod->ops->jacobian(rod, rod->x, places[p], &in, J, Jw, &drift, &spin);
    rate_of(t, pose_at, places + p, 12, v, &in, 1e-3 / (1 + largest(v, (size_t)n)), rate);
    a = drift, w = spin;
    for (int i = 0; i < n; i++) {
      a = sk_axpy(a, v[i], sk_vec(J[i], J[n + i], J[2 * n + i]));
      w = sk_axpy(w, v[i], sk_vec(Jw[i], Jw[n + i], Jw[2 * n + i]));
    }
    sk_store3(value, a);
    for (int k = 0; k < 3; k++) sk_store3(value + 3 + 3 * k, sk_cross(w, R.c[k]));
    expect_at_most(largest_difference(rate, value, 3), 1e-8 * (1 + largest(value, 3)), "velocity of a point");
    bool frame_moves = skein_rod_model_twists(rod->def.model); /* a frame without twist only follows the tangent */
    if (frame_moves) expect_at_most(largest_difference(rate, value, 12), 1e-8 * (1 + largest(value, 12)), "spin");
    else expect_at_most(largest_difference(rate + 9, value + 9, 3), 1e-8 * (1 + largest(value, 12)), "turn");
    sk_store3(value, rod->ops->velocity(rod, rod->x, v, places[p], &in)), sk_store3(rate, a);
    expect_at_most(largest_difference(rate, value, 3), 1e-12 * (1 + largest(value, 3)), "point velocity against J v");
  }
  free(J), free(Jw), free(v);
}

/* Zeros of J: dofs beyond s come first (tip to root) and do not move the point. */
static void check_order(trial *t)
{
  int n = t->rod->n;
  double *J = numbers(3 * n);
  if (t->rod->def.root == SKEIN_CLAMPED && t->rod->def.tip == SKEIN_FREE) {
    skein_rod_jacobian(t->rod, 0.3, J, NULL);
    for (int i = 0; i < n / 2 - 3; i++) assert_true(J[i] == 0 && J[n + i] == 0 && J[2 * n + i] == 0);
  }
  free(J);
}

static void jacobians(void **unused)
{
  (void)unused;
  for_every_rod(check_jacobians);
  for_every_curvature(check_jacobians);
  for_every_rod(check_order);
}

/* ---- Matrices ---- */

/* 1/2 v' M v is the kinetic energy (held ends still). */
static void check_mass(trial *t)
{
  const skein_rod *rod = t->rod;
  sk_rod_input in = {.load = 1, .matrices = true};
  disturb(t, 0.1);
  double *v = draw_velocities(t), *Mv = numbers(rod->n), sum = 0;
  sk_rod_eval(rod, rod->x, v, &in, &t->sys);
  sk_band_mul_add(rod->n, rod->kd, t->sys.M, 1, v, Mv);
  for (int i = 0; i < rod->n; i++) sum += 0.5 * v[i] * Mv[i];
  double kinetic = rod->ops->energy(rod, rod->x, v, &in).kinetic;
  expect_at_most(fabs(sum - kinetic), 1e-10 * kinetic, "v'Mv/2 against the kinetic energy");
  free(v), free(Mv);
}

static void force_of(trial *t, const double *x, const void *with, double *value)
{
  (void)with;
  const sk_rod_input in = {.load = 1};
  sk_rod_eval(t->rod, x, t->rod->v, &in, &t->sys);
  memcpy(value, t->sys.F, sizeof(double) * (size_t)t->rod->n);
}

/* At the natural shape K is the Hessian of the energy. */
static void check_stiffness(trial *t)
{
  const skein_rod *rod = t->rod;
  int n = rod->n;
  sk_rod_input in = {.load = 1, .matrices = true};
  double *K = numbers((int)sk_band_size(n, rod->kd)), *column = numbers(n), most = 0, error = 0;
  sk_rod_eval(rod, rod->x, rod->v, &in, &t->sys);
  memcpy(K, t->sys.K, sizeof(double) * sk_band_size(n, rod->kd));
  expect_at_most(largest(t->sys.F, (size_t)n), 1e-9, "force at the natural shape");
  for (int j = 0; j < n; j++) {
    derivative_of(t, force_of, NULL, n, j, 4e-3, column);
    for (int i = 0; i < n; i++) {
      double unit = rod->ops->scale(rod, i) * rod->ops->scale(rod, j);
      double entry = abs(i - j) <= rod->kd ? K[sk_band_at(rod->kd, i, j)] : 0;
      error = fmax(error, fabs(entry + column[i]) * unit), most = fmax(most, fabs(entry) * unit);
    }
  }
  expect_at_most(error / most, 1e-7, "K against the Hessian");
  free(K), free(column);
}

static void matrices(void **unused)
{
  (void)unused;
  for_every_rod(check_mass);
  for_every_curvature(check_mass);
  for_every_rod(check_stiffness);
}

/* ---- Rigid motions ---- */

/* The velocities of a rigid motion v + w x r: the ones whose points move so, by least squares on the numbering. */
static void rigid_velocities(const skein_rod *rod, sk_vec3 v, sk_vec3 w, double *out)
{
  memset(out, 0, sizeof(double) * (size_t)rod->n);
  if (rod->def.model == SKEIN_SUPER_HELIX) {
    sk_vec3 at = sk_add(v, sk_cross(w, sk_load3(rod->x + SK_ROOT)));
    if (rod->def.root == SKEIN_FREE) sk_store3(out + rod->n - 6, at);
    if (rod->def.root != SKEIN_CLAMPED) sk_store3(out + rod->n - 3, w);
    return;
  }
  int N = rod->def.elements, width = rod->width;
  for (int i = 0; i <= N; i++) {
    int k = sk_chain_node_dof(rod, i);
    if (k >= 0) sk_store3(out + k, sk_add(v, sk_cross(w, sk_chain_node(rod->x, i))));
  }
  for (int j = 0; width > 0 && j < N; j++) {
    sk_vec3 r;
    sk_mat3 R;
    rod->ops->pose(rod, rod->x, (j + 0.5) * rod->l, &r, &R);
    double *p = out + sk_chain_segment_dof(rod, j);
    if (width == 1) *p = sk_dot(w, R.c[2]);
    else sk_store3(p, sk_apply_t(R, w));
  }
}

/* A rigid motion of rod and ends strains nothing: K v + Kb = 0; and internal forces do no work in it when free. */
static void check_rigid(trial *t)
{
  const skein_rod *rod = t->rod;
  int n = rod->n;
  if (rod->def.model == SKEIN_SUPER_HELIX && rod->def.tip != SKEIN_FREE) return; /* a spring with a length turns */
  if (rod->def.model == SKEIN_MASS_SPRING) return; /* an ellipse that does not twist: see test_rod_chain */
  disturb(t, 0.1);
  double *v = numbers(n), *Kv = numbers(n), work = 0, size = 0;
  sk_rod_input in = {.load = 1, .matrices = true};
  sk_vec3 move = draw(t), w = draw(t);
  in.root.v = sk_add(move, sk_cross(w, sk_load3(rod->x + SK_ROOT))), in.root.w = w;
  in.tip.v = sk_add(move, sk_cross(w, sk_load3(rod->x + SK_TIP))), in.tip.w = w;
  rigid_velocities(rod, move, w, v);
  sk_rod_eval(rod, rod->x, v, &in, &t->sys);
  sk_band_mul_add(n, rod->kd, t->sys.K, 1, v, Kv);
  for (int i = 0; i < n; i++) {
    double unit = rod->ops->scale(rod, i);
    expect_at_most(fabs(Kv[i] + t->sys.Kb[i]) * unit, 1e-8 * (fabs(Kv[i]) * unit + 10),
                   "strain rates of a rigid motion");
    work += t->sys.F[i] * v[i], size += fabs(t->sys.F[i] * v[i]);
  }
  if (rod->def.root == SKEIN_FREE && rod->def.tip == SKEIN_FREE)
    expect_at_most(fabs(work), 1e-10 * (1 + size), "momentum");
  free(v), free(Kv);
}

static void rigid_motions(void **unused)
{
  (void)unused;
  for_every_rod(check_rigid);
}

/* ---- The moving clamp ---- */

/* Steps with the root accelerated by `pull` and gravity `g`; the tip relative to the root at the end. */
static sk_vec3 accelerated(skein_rod_model model, sk_vec3 g, sk_vec3 pull, double theta)
{
  skein_rod_def def = trial_def(model, 8, SKEIN_CLAMPED, SKEIN_FREE);
  skein_env env = {.gravity = {g.x, g.y, g.z}};
  skein_rod_step_def step = {.dt = 1e-4, .theta = theta, .threads = 1};
  skein_pose root = def.pose, tip;
  double *x;
  int steps = 400;
  skein_rod *rod;
  def.damping = 1e-3, def.drag = 0;
  expect_ok(skein_rod_create(&def, &rod));
  x = numbers(skein_rod_state_size(rod));
  skein_rod_state(rod, x, NULL);
  sk_store3(x + SK_ROOT_V, sk_mul(-0.5 * step.dt, pull)); /* the mean velocity of the step before: at rest at t = 0 */
  expect_ok(skein_rod_set_state(rod, x, NULL));
  double *v = numbers(skein_rod_dofs(rod)); /* points of a chain fall with the frame that is at rest at t = -dt/2 */
  for (int i = 1; model != SKEIN_SUPER_HELIX && i <= def.elements; i++)
    sk_store3(v + sk_chain_node_dof(rod, i), sk_mul(-0.5 * step.dt, pull));
  expect_ok(skein_rod_set_state(rod, NULL, v));
  for (int k = 1; k <= steps; k++) {
    double time = k * step.dt;
    for (int c = 0; c < 3; c++) root.r[c] = def.pose.r[c] + 0.5 * time * time * (&pull.x)[c];
    expect_ok(skein_rod_drive(rod, &root, NULL));
    expect_ok(skein_rods_step(&rod, 1, &env, &step));
  }
  skein_rod_point(rod, 1, &tip);
  skein_rod_destroy(rod);
  free(x), free(v);
  return sk_sub(sk_load3(tip.r), sk_load3(root.r));
}

/* A clamp pulled up in free space is a clamp at rest in gravity. */
static void equivalence(void **unused)
{
  (void)unused;
  sk_vec3 g = {3, -5, -20}, none = {0, 0, 0};
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) {
    sk_vec3 at_rest = accelerated((skein_rod_model)m, g, none, 1);
    sk_vec3 pulled = accelerated((skein_rod_model)m, none, sk_mul(-1, g), 1);
    sk_vec3 straight = accelerated((skein_rod_model)m, none, none, 1);
    double bend = sk_norm(sk_sub(at_rest, straight)), error = sk_norm(sk_sub(at_rest, pulled));
    assert_true(bend > 1e-3);
    expect_at_most(error / bend, 0.01, skein_rod_model_name((skein_rod_model)m));
  }
}

/* Inertia of a super-helix in a turning frame: F - F(at rest) = - int rho S J' (acceleration), the acceleration by
 * second differences of points along the motion. */
typedef struct path {
  const double *v;
  const sk_motion *m;
  double s;
} path;

static sk_vec3 point_on_path(trial *t, const path *p, double time)
{
  const skein_rod *rod = t->rod;
  double *x = numbers(rod->nx);
  sk_rod_input in = {.load = 1};
  sk_vec3 r;
  sk_mat3 R;
  memcpy(x, rod->x, sizeof(double) * (size_t)rod->nx);
  in.root.v = sk_axpy(p->m->v, 0.5 * time, p->m->a), in.root.w = sk_axpy(p->m->w, 0.5 * time, p->m->dw);
  rod->ops->move(rod, x, p->v, &in, time);
  rod->ops->pose(rod, x, p->s, &r, &R);
  free(x);
  return r;
}

static sk_vec3 acceleration_on_path(trial *t, const path *p)
{
  static const double weights[] = {-49. / 18, 3. / 2, -3. / 20, 1. / 90};
  const double h = 4e-3;
  sk_vec3 a = sk_mul(weights[0], point_on_path(t, p, 0));
  for (int k = 1; k <= 3; k++) {
    a = sk_axpy(a, weights[k], point_on_path(t, p, k * h));
    a = sk_axpy(a, weights[k], point_on_path(t, p, -k * h));
  }
  return sk_mul(1 / (h * h), a);
}

static void check_inertia(trial *t)
{
  const skein_rod *rod = t->rod;
  int n = rod->n, points = 0;
  static const double nodes[5][2] = {{0.046910077030668, 0.118463442528095},
                                     {0.230765344947158, 0.239314335249683},
                                     {0.5, 0.284444444444444},
                                     {0.769234655052842, 0.239314335249683},
                                     {0.953089922969332, 0.118463442528095}};
  if (rod->def.tip != SKEIN_FREE || rod->def.model != SKEIN_SUPER_HELIX) return;
  double *v = draw_velocities(t), *J = numbers(3 * n), *Q = numbers(n);
  for (int i = 0; i < n; i++) v[i] *= 0.3;
  sk_rod_input in = {.load = 1, .dynamic = true}, rest = {.load = 1};
  in.root = (sk_motion){draw(t), draw(t), draw(t), draw(t)};
  if (rod->def.root != SKEIN_CLAMPED) in.root.w = in.root.dw = sk_vec(0, 0, 0);
  if (rod->def.root == SKEIN_FREE) in.root = (sk_motion){0};
  path p = {.v = v, .m = &in.root};
  for (int piece = 0; piece < 4 * ELEMENTS; piece++) /* four pieces per element: converged */
    for (int g = 0; g < 5; g++, points++) {
      p.s = (piece + nodes[g][0]) * rod->l / 4;
      sk_vec3 a = sk_mul(rod->section.rho_S * nodes[g][1] * rod->l / 4, acceleration_on_path(t, &p));
      rod->ops->jacobian(rod, rod->x, p.s, &in, J, NULL, NULL, NULL);
      for (int i = 0; i < n; i++) Q[i] += sk_dot(a, sk_vec(J[i], J[n + i], J[2 * n + i]));
    }
  sk_rod_eval(rod, rod->x, v, &rest, &t->sys);
  for (int i = 0; i < n; i++) Q[i] -= t->sys.F[i];
  sk_rod_eval(rod, rod->x, v, &in, &t->sys);
  for (int i = 0; i < n; i++) t->sys.F[i] *= -1;
  expect_at_most(largest_difference(Q, t->sys.F, (size_t)n) / largest(Q, (size_t)n), 1e-7, "inertia");
  free(v), free(J), free(Q);
}

static void inertia(void **unused)
{
  (void)unused;
  for_every_rod(check_inertia);
}

/* ---- Bad input ---- */

static void expect_refused(skein_rod_def def, const char *part)
{
  skein_rod *rod = (skein_rod *)&def;
  expect_bad(skein_rod_def_check(&def), part);
  expect_bad(skein_rod_create(&def, &rod), part);
  assert_null(rod);
}

static void bad_definitions(void **unused)
{
  (void)unused;
  const double curls[6] = {1, 2, 3, 4, NAN, 6}, steep[3] = {1e6, 0, 0};
  skein_rod_def ok = skein_default_rod_def(), d;
  d = ok, d.length = 0, expect_refused(d, "length is 0");
  d = ok, d.length = NAN, expect_refused(d, "length");
  d = ok, d.radius1 = -1e-5, expect_refused(d, "radius1 is -1e-05");
  d = ok, d.radius2 = 0, expect_refused(d, "radius2");
  d = ok, d.elements = 0, expect_refused(d, "elements is 0");
  d = ok, d.elements = -4, expect_refused(d, "elements is -4");
  d = ok, d.elements = 2000, d.twist_locked = 0, expect_refused(d, "dense");
  d = ok, d.twist_locked = 7, expect_refused(d, "twist_locked is 7");
  d = ok, d.E = 0, expect_refused(d, "E is 0");
  d = ok, d.G = -1, expect_refused(d, "G is -1");
  d = ok, d.density = INFINITY, expect_refused(d, "density");
  d = ok, d.damping = -1, expect_refused(d, "damping");
  d = ok, d.drag = NAN, expect_refused(d, "drag");
  d = ok, d.natural = curls, d.naturals = 2, expect_refused(d, "natural[4] (curvature about d2 of cell 1) is nan");
  d = ok, d.natural = curls, d.naturals = 0, expect_refused(d, "naturals is 0");
  d = ok, d.initial = steep, d.initials = 1, expect_refused(d, "initial[0]");
  d = ok, d.model = (skein_rod_model)17, expect_refused(d, "model is 17");
  d = ok, d.tip = (skein_rod_end)3, expect_refused(d, "tip is 3");
  d = ok, d.pose.d[1][1] = 0.5, expect_refused(d, "pose.d");
  d = ok, d.pose.d[2][2] = -1, expect_refused(d, "left-handed");
  d = ok, d.pose.r[2] = NAN, expect_refused(d, "pose.r[2]");
  d = ok, d.alignment = 0, d.model = SKEIN_CORDE, expect_refused(d, "alignment");
  d = ok, d.tip = SKEIN_PINNED, d.tip_factor = 0, expect_refused(d, "tip_factor");
  d = ok, d.model = SKEIN_DER, d.elements = 1, d.twist_locked = 0, d.tip = SKEIN_CLAMPED,
  expect_refused(d, "elements is 1");
}

static void bad_steps(void **unused)
{
  (void)unused;
  skein_rod_def def = skein_default_rod_def();
  skein_env env = skein_default_env();
  skein_rod *rod;
  skein_rod_step_def step = skein_default_rod_step_def(), s;
  skein_relax_def relax = skein_default_relax_def();
  skein_relax_info info;
  skein_rod_load load = {.s = 0.05, .force = {0, NAN, 0}};
  skein_rod_hold hold = {.s = -1, .target = skein_default_pose()};
  double omega2, before[100], after[100];
  expect_ok(skein_rod_create(&def, &rod));
  skein_rod_state(rod, before, NULL);
  s = step, s.dt = 0, expect_bad(skein_rods_step(&rod, 1, &env, &s), "dt is 0");
  s = step, s.dt = -1e-3, expect_bad(skein_rods_step(&rod, 1, &env, &s), "dt is -0.001");
  s = step, s.dt = NAN, expect_bad(skein_rods_step(&rod, 1, &env, &s), "dt");
  s = step, s.dt = 1e9, expect_bad(skein_rods_step(&rod, 1, &env, &s), "dt is 1e+09");
  s = step, s.theta = 0.3, expect_bad(skein_rods_step(&rod, 1, &env, &s), "theta is 0.3");
  s = step, s.threads = -1, expect_bad(skein_rods_step(&rod, 1, &env, &s), "threads");
  env.gravity[1] = NAN, expect_bad(skein_rods_step(&rod, 1, &env, &step), "gravity[1]"), env.gravity[1] = 0;
  env.wind[2] = INFINITY, expect_bad(skein_rods_step(&rod, 1, &env, &step), "wind[2]"), env.wind[2] = 0;
  expect_bad(skein_rod_set_loads(rod, &load, 1), "loads[0].force: component 1 is nan");
  expect_bad(skein_rod_set_holds(rod, &hold, 1), "holds[0].s");
  expect_bad(skein_rod_drive(rod, NULL, &hold.target), "tip is free");
  expect_bad(skein_rod_modes(rod, &env, 17, &omega2, NULL), "count of modes is 17");
  relax.tol = 0, expect_bad(skein_rod_relax(rod, &env, &relax, &info), "tol");
  skein_rod_state(rod, after, NULL);
  assert_memory_equal(before, after, sizeof(double) * (size_t)skein_rod_state_size(rod)); /* nothing has moved */
  expect_ok(skein_rods_step(NULL, 0, &env, &step));
  skein_rod_destroy(rod);
}

/* ---- Many rods ---- */

static uint64_t step_many(int threads)
{
  enum { RODS = 40 };
  skein_rod *rods[RODS];
  skein_env env = {.gravity = {0, 0, -9.81}, .wind = {1, 0, 0}};
  skein_rod_step_def step = {.dt = 1e-3, .theta = 1, .threads = threads};
  uint64_t hash = 0;
  for (int i = 0; i < RODS; i++) {
    static const skein_rod_model models[] = {SKEIN_SUPER_HELIX, SKEIN_MASS_SPRING, SKEIN_CORDE, SKEIN_DER};
    skein_rod_def def = skein_default_rod_def();
    double natural[3] = {10 + i, 5, 0.3 * i};
    def.model = models[i % 4], def.natural = natural, def.naturals = 1, def.drag = 1e-5, def.pose.r[0] = 0.01 * i;
    expect_ok(skein_rod_create(&def, rods + i));
  }
  for (int k = 0; k < 20; k++) expect_ok(skein_rods_step(rods, RODS, &env, &step));
  for (int i = 0; i < RODS; i++) {
    double *x = numbers(rods[i]->nx);
    skein_rod_state(rods[i], x, NULL);
    assert_true(isfinite(largest(x, (size_t)rods[i]->nx)));
    hash = 31 * hash + fnv(x, sizeof(double) * (size_t)rods[i]->nx);
    free(x);
    skein_rod_destroy(rods[i]);
  }
  return hash;
}

static void threads_agree(void **unused)
{
  (void)unused;
  uint64_t one = step_many(1);
  for (int threads = 2; threads <= 5; threads++) assert_true(step_many(threads) == one);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces),        cmocka_unit_test(jacobians),       cmocka_unit_test(matrices),
      cmocka_unit_test(rigid_motions), cmocka_unit_test(inertia),         cmocka_unit_test(equivalence),
      cmocka_unit_test(bad_steps),     cmocka_unit_test(bad_definitions), cmocka_unit_test(threads_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
