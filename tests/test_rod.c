/* Every rod model at every pair of ends: forces, Jacobians and matrices against differences; the natural shape, rigid
 * motions and momentum; motion of the clamp. At the end what only super-helices have; what only one of the other models
 * has is in test_rod_chain.c and test_rod_der.c. */
#include "rod_support.h"

#include <lapacke.h>

typedef void (*check_fn)(trial *t);

static sk_mat3 frame_drawn(sk_random *g)
{
  double x = sk_random_normal(g), y = sk_random_normal(g), z = sk_random_normal(g);
  return sk_rotation(sk_vec(x, y, z));
}

/* The rod, somewhere. */
static void check_somewhere(skein_rod_def def, double size, uint64_t seed, check_fn check)
{
  sk_random g = sk_random_make(seed);
  sk_mat3 R = frame_drawn(&g);
  for (int k = 0; k < 3; k++) sk_store3(def.pose.d[k], R.c[k]), def.pose.r[k] = sk_random_normal(&g);
  trial t = trial_make(&def, seed + 1);
  t.size = size;
  check(&t);
  trial_destroy(&t);
}

/* check for all models, ends, and shapes: straight and curled, round and elliptic (with locked twist when both). */
static void for_every_rod(check_fn check)
{
  static const int elements[] = {1, 2, 5};
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++)
    for (int ends = 0; ends < 9; ends++)
      for (int e = 0; e < 3; e++)
        for (int shape = 0; shape < 4; shape++) {
          skein_rod_end root = (skein_rod_end)(ends / 3), tip = (skein_rod_end)(ends % 3);
          skein_rod_def def = trial_def((skein_rod_model)m, elements[e], root, tip);
          if (shape >= 2) def.natural = curled, def.naturals = CURLED;
          if (shape % 2 == 0) def.radius1 = def.radius2;
          if (shape == 3 && m == SKEIN_SUPER_HELIX) def.twist_locked = SK_MIN(2, elements[e]);
          bool nothing_moves = m != SKEIN_SUPER_HELIX && elements[e] == 1 && root != SKEIN_FREE && tip != SKEIN_FREE;
          if (nothing_moves) continue;
          check_somewhere(def, 0.15, (uint64_t)(1000 * m + 100 * ends + 10 * e + shape), check);
        }
}

/* Super-helices alone, with curvatures from nothing to several turns per element, not disturbed: series and closed
 * forms are taken by size. */
static void for_every_curvature(check_fn check)
{
  enum { ELEMENTS = 4 };
  static const double sizes[] = {0, 1e-12, 1e-7, 1e-3, 0.3, 1, 3, 5, 8, 12, 20, 30, 45, 80};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
    for (int root = 0; root < 3; root++) {
      double natural[3 * ELEMENTS];
      for (int i = 0; i < 3 * ELEMENTS; i++) natural[i] = sizes[k] * (1 + 0.1 * i) * (i % 2 ? 1 : -0.6);
      skein_rod_def def = trial_def(SKEIN_SUPER_HELIX, ELEMENTS, (skein_rod_end)root, SKEIN_FREE);
      def.natural = natural, def.naturals = ELEMENTS;
      check_somewhere(def, 0, 10000 + 10 * k + (uint64_t)root, check);
    }
}

/* Coils that turn by more than pi from one segment to the next. */
static void for_every_coil(check_fn check)
{
  static const double coil[] = {9.5, -9.5, 9.5};
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++)
    for (int ends = 0; ends < 9; ends++) {
      skein_rod_def def = trial_def((skein_rod_model)m, 5, (skein_rod_end)(ends / 3), (skein_rod_end)(ends % 3));
      def.natural = coil, def.naturals = 1;
      check_somewhere(def, 0, 20000 + (uint64_t)(10 * m + ends), check);
    }
}

/* Steps of differences, over the scale of a dof: a super-helix is smooth; chains have joints that are nearly folded and
 * edges that are short, both steep. */
static double short_way(const skein_rod *rod)
{
  return rod->fixed->def.model == SKEIN_SUPER_HELIX ? 4e-3 : 5e-4;
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

/* Elastic energy and that of loads and holds; of gravity too, with an environment. */
static void potential(trial *t, const double *x, const void *env, double *value)
{
  sk_rod_input in = sk_rod_input_make(&t->rod->drive, env, false, false);
  skein_rod_energy e = t->rod->fixed->ops->energy(t->rod->fixed, x, t->rod->v, &in);
  *value = e.elastic + e.gravity + sk_rod_held_energy(t->rod->fixed, x, &in);
}

/* F = - d energy / dq, loads and holds included, near the natural shape and far from it. */
static void check_forces(trial *t)
{
  const skein_rod *rod = t->rod;
  double *error = numbers(rod->fixed->n), *F = numbers(rod->fixed->n);
  add_load_and_hold(t);
  sk_rod_input in = sk_rod_input_make(&rod->drive, &weight, false, false);
  for (int far = 0; far < 2; far++) {
    disturb(t, far ? 1.5 * t->size : 0.15 * t->size);
    sk_rod_eval(rod->fixed, rod->x, rod->v, &in, &t->sys);
    for (int i = 0; i < rod->fixed->n; i++) {
      double unit = rod->fixed->ops->scale(rod->fixed, i), slope;
      derivative_of(t, potential, &weight, 1, i, short_way(rod), &slope);
      error[i] = (slope + t->sys.F[i]) * unit, F[i] = t->sys.F[i] * unit;
    }
    double most = largest(F, (size_t)rod->fixed->n);
    expect_of_rod(t, largest(error, (size_t)rod->fixed->n), 1e-10 * most, "force against energy");
  }
  free(error), free(F);
}

static void forces(void **unused)
{
  (void)unused;
  for_every_rod(check_forces);
  for_every_curvature(check_forces);
}

/* The natural shape is free of forces and of energy. */
static void check_natural(trial *t)
{
  const skein_rod *rod = t->rod;
  double energy;
  force_of(t, rod->x, NULL, t->sys.Kb);
  potential(t, rod->x, NULL, &energy);
  expect_of_rod(t, largest(t->sys.F, (size_t)rod->fixed->n), 1e-14 * rod->fixed->section.ES,
                "force of the natural shape");
  expect_of_rod(t, energy, 1e-29 * rod->fixed->section.ES, "energy of the natural shape");
}

static void natural_shape(void **unused)
{
  (void)unused;
  for_every_rod(check_natural);
  for_every_curvature(check_natural);
  for_every_coil(check_natural);
}

/* The energy of a curvature or twist u is 1/2 K u^2 L, each with its own K; a mass-spring chain has no twist. */
static void uniform_strains(void **unused)
{
  (void)unused;
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++)
    for (int c = 0; c < 3; c++) {
      double u[3] = {0}, energy;
      skein_rod_def def = trial_def((skein_rod_model)m, 8, SKEIN_CLAMPED, SKEIN_CLAMPED);
      u[c] = 0.2;
      def.initial = u, def.initials = 1;
      trial t = trial_make(&def, 1);
      double K[3] = {t.rod->fixed->section.EI1, t.rod->fixed->section.EI2, t.rod->fixed->section.GJ},
             unit = 0.5 * K[c] * u[c] * u[c];
      potential(&t, t.rod->x, NULL, &energy);
      expect_of_rod(&t, fabs(energy - (t.rod->fixed->ops->twists || c < 2 ? unit : 0)), 1e-4 * unit, "uniform strain");
      trial_destroy(&t);
    }
}

/* ---- Points, frames, velocities ---- */

static void pose_at(trial *t, const double *x, const void *with, double *value)
{
  sk_vec3 r;
  sk_mat3 R;
  t->rod->fixed->ops->pose(t->rod->fixed, x, *(const double *)with, &r, &R);
  sk_store3(value, r), sk_store33(value + 3, R);
}

/* a + J v */
static sk_vec3 add_columns(sk_vec3 a, const double *J, const double *v, int n)
{
  return sk_add(a, sk_vec(dot(J, v, n), dot(J + n, v, n), dot(J + 2 * n, v, n)));
}

/* dr/dt = J v + drift and dR/dt = (Jw v + spin) x R, with held ends in motion. */
static void check_jacobians(trial *t)
{
  static const double places[] = {0, 0.03, 0.13, 0.25, 0.4, 0.5, 0.81, 0.96, 1};
  const skein_rod *rod = t->rod;
  int n = rod->fixed->n;
  disturb(t, t->size);
  double *J = numbers(3 * n), *Jw = numbers(3 * n), *v = draw_velocities(t, 1), rate[12], value[12];
  sk_rod_input in = draw_motion(t);
  for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
    sk_vec3 r, drift, spin;
    sk_mat3 R;
    rod->fixed->ops->pose(rod->fixed, rod->x, places[p], &r, &R);
    rod->fixed->ops->jacobian(rod->fixed, rod->x, places[p], &in, J, Jw, &drift, &spin);
    rate_of(t, pose_at, places + p, 12, v, &in, short_way(rod) / (1 + largest(v, (size_t)n)), rate);
    drift = add_columns(drift, J, v, n), spin = add_columns(spin, Jw, v, n);
    sk_store3(value, drift);
    for (int k = 0; k < 3; k++) sk_store3(value + 3 + 3 * k, sk_cross(spin, R.c[k]));
    expect_of_rod(t, largest_difference(rate, value, 3), 1e-10 * (1 + largest(value, 3)), "velocity of a point");
    expect_of_rod(t, largest_difference(rate + 3, value + 3, 9), 1e-10 * (1 + largest(value + 3, 9)), "spin");
    sk_store3(rate, rod->fixed->ops->velocity(rod->fixed, rod->x, v, places[p], &in));
    expect_of_rod(t, largest_difference(rate, value, 3), 1e-14 * (1 + largest(value, 3)), "velocity against J v");
  }
  free(J), free(Jw), free(v);
}

/* Points at even distances and their velocities are those of pose and velocity; no velocities wanted: the same points.
 */
static void check_points(trial *t)
{
  const skein_rod *rod = t->rod;
  disturb(t, t->size);
  double *v = draw_velocities(t, 1), *room = numbers(9 * (7 * rod->fixed->def.elements + 1));
  sk_rod_input in = draw_motion(t);
  for (int pieces = 1; pieces <= 7; pieces += 2) {
    int count = pieces * rod->fixed->def.elements;
    sk_vec3 *r = (sk_vec3 *)room, *velocity = r + count + 1, *alone = velocity + count + 1;
    rod->fixed->ops->points(rod->fixed, rod->x, v, &in, pieces, r, velocity);
    rod->fixed->ops->points(rod->fixed, rod->x, v, &in, pieces, alone, NULL);
    for (int k = 0; k <= count; k++) {
      sk_vec3 at, speed = rod->fixed->ops->velocity(rod->fixed, rod->x, v, k * rod->fixed->def.length / count, &in);
      sk_mat3 R;
      rod->fixed->ops->pose(rod->fixed, rod->x, k * rod->fixed->def.length / count, &at, &R);
      expect_of_rod(t, sk_norm(sk_sub(r[k], at)), 1e-14 * (1 + sk_norm(at)), "one of many points");
      expect_of_rod(t, sk_norm(sk_sub(velocity[k], speed)), 1e-14 * (1 + sk_norm(speed)), "one of many velocities");
    }
    assert_memory_equal(r, alone, sizeof *r * (size_t)(count + 1));
  }
  free(v), free(room);
}

/* Zeros of J: dofs beyond s come first (tip to root) and do not move the point. */
static void check_order(trial *t)
{
  const skein_rod *rod = t->rod;
  int n = rod->fixed->n, beyond = rod->fixed->def.elements - 1 - (int)(0.3 * rod->fixed->def.elements); /* elements */
  bool helix = rod->fixed->def.model == SKEIN_SUPER_HELIX;
  int zeros = helix ? 3 * beyond - SK_MIN(beyond, rod->fixed->def.twist_locked) : (3 + rod->fixed->width) * beyond;
  double *J = numbers(3 * n);
  if (rod->fixed->def.tip == SKEIN_FREE) {
    skein_rod_jacobian(rod, 0.3, J, NULL);
    for (int i = 0; i < zeros; i++) assert_true(J[i] == 0 && J[n + i] == 0 && J[2 * n + i] == 0);
  }
  free(J);
}

static void jacobians(void **unused)
{
  (void)unused;
  for_every_rod(check_jacobians);
  for_every_curvature(check_jacobians);
  for_every_rod(check_points);
  for_every_curvature(check_points);
  for_every_rod(check_order);
}

/* ---- Matrices ---- */

/* 1/2 v' M v is the kinetic energy (held ends still), and positive. */
static void check_mass(trial *t)
{
  const skein_rod *rod = t->rod;
  sk_rod_input in = {.load = 1, .matrices = true};
  disturb(t, t->size);
  double *v = draw_velocities(t, 1), *Mv = numbers(rod->fixed->n);
  sk_rod_eval(rod->fixed, rod->x, v, &in, &t->sys);
  sk_band_mul_add(rod->fixed->n, rod->fixed->kd, t->sys.M, 1, v, Mv);
  double kinetic = rod->fixed->ops->energy(rod->fixed, rod->x, v, &in).kinetic;
  expect_of_rod(t, fabs(0.5 * dot(v, Mv, rod->fixed->n) - kinetic), 2e-14 * kinetic,
                "v'Mv/2 against the kinetic energy");
  assert_true(sk_band_factor(rod->fixed->n, rod->fixed->kd, t->sys.M));
  free(v), free(Mv);
}

static void check_stiffness(trial *t)
{
  expect_hessian(t, 0, 1e-11);
}

/* K is positive semi-definite, at any state and with the tension of the last step. */
static void check_semidefinite(trial *t)
{
  const skein_rod *rod = t->rod;
  sk_rod_input in = {.load = 1, .matrices = true, .dt = 0.01};
  double *still = numbers(rod->fixed->n), *w = numbers(rod->fixed->n), none;
  for (int k = 0; k < 3; k++) {
    disturb(t, t->size);
    rod->fixed->ops->move(rod->fixed, rod->x, still, &in, 0); /* notes the tension */
    sk_rod_eval(rod->fixed, rod->x, rod->v, &in, &t->sys);
    assert_int_equal(LAPACKE_dsbev(LAPACK_COL_MAJOR, 'N', 'L', rod->fixed->n, rod->fixed->kd, t->sys.K,
                                   rod->fixed->kd + 1, w, &none, 1),
                     0);
    expect_of_rod(t, -w[0], 1e-14 * w[rod->fixed->n - 1], "negative eigenvalue of K");
  }
  free(still), free(w);
}

static void matrices(void **unused)
{
  (void)unused;
  for_every_rod(check_mass);
  for_every_curvature(check_mass);
  for_every_rod(check_stiffness);
  for_every_curvature(check_stiffness);
  for_every_rod(check_semidefinite);
}

/* ---- Rigid motions ---- */

/* A mass-spring chain knows no twist: what is not symmetric about its tangents holds its direction when it turns. */
static bool may_turn(const skein_rod *rod)
{
  return rod->fixed->ops->twists || (!rod->fixed->natural && rod->fixed->def.radius1 == rod->fixed->def.radius2);
}

/* A rigid motion of rod and ends strains nothing, K v + Kb = 0, and costs no energy. */
static void check_rigid(trial *t)
{
  const skein_rod *rod = t->rod;
  bool spring = rod->fixed->def.model == SKEIN_SUPER_HELIX &&
                rod->fixed->def.tip != SKEIN_FREE; /* it turns when it has a length */
  sk_rod_input in = {.load = 1};
  sk_vec3 v = draw(t), w = draw(t), none = {0, 0, 0};
  double *q = numbers(rod->fixed->n), scale = rod->fixed->section.ES, power;
  if (spring) expect_of_rod(t, rigid_strain(t, v, w), 1e-14, "strain rates of a rigid motion");
  disturb(t, t->size);
  if (!spring)
    expect_of_rod(t, rigid_strain(t, v, rod->fixed->ops->twists ? w : none), 1e-14, "strain rates of a rigid motion");
  if (!may_turn(rod)) w = none;
  rigid_velocities(rod, v, w, q), rigid_ends(rod, v, w, &in);
  rate_of(t, potential, NULL, 1, q, &in, 1e-3, &power);
  expect_of_rod(t, fabs(power), 2e-12 * scale, "power of a rigid motion");
  free(q);
}

/* Internal forces of a free rod have no resultant and no torque. */
static void check_momentum(trial *t)
{
  const skein_rod *rod = t->rod;
  double sum[6], size[6];
  if (rod->fixed->def.root != SKEIN_FREE || rod->fixed->def.tip != SKEIN_FREE) return;
  for (int trials = 0; trials < 5; trials++) {
    disturb(t, t->size);
    force_of(t, rod->x, NULL, t->sys.Kb);
    resultant(rod, t->sys.F, sum, size);
    for (int k = 0; k < (may_turn(rod) ? 6 : 3); k++)
      expect_of_rod(t, fabs(sum[k]), 1e-14 * size[k], k < 3 ? "sum of internal forces" : "sum of internal torques");
  }
}

/* Ends that travel with the rod leave it as it is. */
static void check_travel(trial *t)
{
  skein_rod *rod = t->rod;
  enum { STEPS = 5, PLACES = 7 };
  const skein_env nothing = {{0}, {0}};
  const skein_rod_step_def step = {.dt = 1e-3, .theta = 1, .threads = 1};
  const sk_vec3 v = {1, -2, 0.5}, none = {0, 0, 0};
  skein_pose before[PLACES], after, root, tip;
  for (int p = 0; p < PLACES; p++) skein_rod_point(rod, p / (PLACES - 1.), before + p);
  rigid_velocities(rod, v, none, rod->v);
  sk_store3(rod->x + SK_ROOT_V, v), sk_store3(rod->x + SK_TIP_V, v);
  for (int k = 0; k < STEPS; k++) {
    root = rod->drive.root_next, tip = rod->drive.tip_next;
    for (int c = 0; c < 3; c++) root.r[c] += step.dt * (&v.x)[c], tip.r[c] += step.dt * (&v.x)[c];
    expect_ok(skein_rod_drive(rod, sk_root_held(rod->fixed) ? &root : NULL, sk_tip_held(rod->fixed) ? &tip : NULL));
    expect_ok(skein_rods_step(&rod, 1, &nothing, &step));
  }
  for (int p = 0; p < PLACES; p++) {
    skein_rod_point(rod, p / (PLACES - 1.), &after);
    sk_vec3 way = sk_sub(sk_load3(after.r), sk_load3(before[p].r));
    expect_of_rod(t, sk_norm(sk_axpy(way, -STEPS * step.dt, v)), 1e-14, "way of a point");
    expect_of_rod(t, largest_difference(&after.d[0][0], &before[p].d[0][0], 9), 1e-13, "turn of a frame");
  }
}

static void rigid_motions(void **unused)
{
  (void)unused;
  for_every_rod(check_rigid);
  for_every_rod(check_momentum);
  for_every_rod(check_travel);
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
    sk_store3(v + sk_chain_node_dof(rod->fixed, i), sk_mul(-0.5 * step.dt, pull));
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
    double tol = m == SKEIN_DER_PROJECTION ? 1e-8 : 1e-11; /* the projection is content with a strain of 1e-10 */
    expect_at_most(error / bend, tol, skein_rod_model_name((skein_rod_model)m));
  }
}

/* ---- Super-helix ---- */

/* A quadrature over the rod that has converged: five points in pieces that turn by less than half a radian. */
static int fine_points(const skein_rod *rod)
{
  double turn = 4 * rod->fixed->l * largest(rod->x + SK_MODEL, 3 * (size_t)rod->fixed->def.elements);
  return 5 * rod->fixed->def.elements * (4 + (int)turn);
}

/* Abscissa and weight of point g. */
static double fine_point(const skein_rod *rod, int g, double *s)
{
  static const double nodes[5][2] = {{0.046910077030668004, 0.118463442528094544},
                                     {0.230765344947158454, 0.239314335249683234},
                                     {0.5, 0.284444444444444444},
                                     {0.769234655052841546, 0.239314335249683234},
                                     {0.953089922969331996, 0.118463442528094544}};
  double piece = 5 * rod->fixed->def.length / fine_points(rod);
  *s = (g / 5 + nodes[g % 5][0]) * piece;
  return piece * nodes[g % 5][1];
}

/* The model's own quadrature: energies are those of its points, to 2e-10 at worst (a turn of 0.7 in an element).
 * Nothing twists, so that no section spins. */
static void check_quadrature(trial *t)
{
  const skein_rod *rod = t->rod;
  double *v = draw_velocities(t, 1), kinetic = 0, gravity = 0, size = 0, s;
  sk_rod_input in = {.load = 1, .g = {3, -5, -20}};
  for (int Q = 0; Q < rod->fixed->def.elements; Q++) v[3 * Q + 2] = 0;
  for (int g = 0; g < fine_points(rod); g++) {
    double mass = rod->fixed->section.rho_S * fine_point(rod, g, &s);
    sk_vec3 r, velocity = rod->fixed->ops->velocity(rod->fixed, rod->x, v, s, &in);
    sk_mat3 R;
    rod->fixed->ops->pose(rod->fixed, rod->x, s, &r, &R);
    kinetic += 0.5 * mass * sk_dot(velocity, velocity), gravity -= mass * sk_dot(in.g, r);
    size += mass * sk_norm(in.g) * sk_norm(r);
  }
  skein_rod_energy e = rod->fixed->ops->energy(rod->fixed, rod->x, v, &in);
  expect_of_rod(t, fabs(e.kinetic - kinetic), 5e-10 * kinetic, "quadrature of the kinetic energy");
  expect_of_rod(t, fabs(e.gravity - gravity), 5e-10 * size, "quadrature of gravity");
  free(v);
}

static void quadrature(void **unused)
{
  (void)unused;
  for (double turn = 0.05; turn < 100; turn *= 1.02) { /* of the one element, nearly */
    const double natural[] = {0.8 * turn, -0.5 * turn, 0.35 * turn};
    skein_rod_def def = trial_def(SKEIN_SUPER_HELIX, 1, SKEIN_CLAMPED, SKEIN_FREE);
    def.natural = natural, def.naturals = 1;
    check_somewhere(def, 0, 30000 + (uint64_t)(100 * turn), check_quadrature);
  }
}

/* Twist that is locked is the natural one, whatever the initial shape and the motion. */
static void locked_twist(void **unused)
{
  (void)unused;
  const double initial[] = {2, 1, -3};
  skein_rod_def def = trial_def(SKEIN_SUPER_HELIX, 3, SKEIN_CLAMPED, SKEIN_FREE);
  def.natural = curled, def.naturals = CURLED, def.initial = initial, def.initials = 1, def.twist_locked = 2;
  trial t = trial_make(&def, 1);
  const double *u = t.rod->x + SK_MODEL;
  assert_int_equal(t.rod->fixed->n, 7);
  assert_true(u[0] == 2 && u[2] == -3 && u[3] == 2);
  disturb(&t, 0.3);
  expect_of_rod(&t, fmax(fabs(u[5] - curled[5]), fabs(u[8] - curled[8])), 1e-15, "locked twist");
  assert_true(u[0] != 2 && u[2] != -3 && u[3] != 2);
  trial_destroy(&t);
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
  double *x = numbers(rod->fixed->nx);
  sk_rod_input in = {.load = 1};
  sk_vec3 r;
  sk_mat3 R;
  memcpy(x, rod->x, sizeof(double) * (size_t)rod->fixed->nx);
  in.root.v = sk_axpy(p->m->v, 0.5 * time, p->m->a), in.root.w = sk_axpy(p->m->w, 0.5 * time, p->m->dw);
  rod->fixed->ops->move(rod->fixed, x, p->v, &in, time);
  rod->fixed->ops->pose(rod->fixed, x, p->s, &r, &R);
  free(x);
  return r;
}

static sk_vec3 acceleration_on_path(trial *t, const path *p)
{
  static const double weights[] = {-49. / 18, 3. / 2, -3. / 20, 1. / 90};
  const double h = 1e-2;
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
  int n = rod->fixed->n;
  if (rod->fixed->def.tip != SKEIN_FREE || rod->fixed->def.model != SKEIN_SUPER_HELIX) return;
  double *v = draw_velocities(t, 0.3), *J = numbers(3 * n), *Q = numbers(n);
  sk_rod_input in = {.load = 1, .dynamic = true}, rest = {.load = 1};
  in.root = (sk_motion){draw(t), draw(t), draw(t), draw(t)};
  if (rod->fixed->def.root != SKEIN_CLAMPED) in.root.w = in.root.dw = sk_vec(0, 0, 0);
  if (rod->fixed->def.root == SKEIN_FREE) in.root = (sk_motion){0};
  path p = {.v = v, .m = &in.root};
  for (int g = 0; g < fine_points(rod); g++) {
    double mass = rod->fixed->section.rho_S * fine_point(rod, g, &p.s);
    sk_vec3 a = sk_mul(mass, acceleration_on_path(t, &p));
    rod->fixed->ops->jacobian(rod->fixed, rod->x, p.s, &in, J, NULL, NULL, NULL);
    for (int i = 0; i < n; i++) Q[i] += sk_dot(a, sk_vec(J[i], J[n + i], J[2 * n + i]));
  }
  sk_rod_eval(rod->fixed, rod->x, v, &rest, &t->sys);
  for (int i = 0; i < n; i++) Q[i] -= t->sys.F[i];
  sk_rod_eval(rod->fixed, rod->x, v, &in, &t->sys);
  for (int i = 0; i < n; i++) t->sys.F[i] *= -1;
  expect_of_rod(t, largest_difference(Q, t->sys.F, (size_t)n), 5e-9 * largest(Q, (size_t)n), "inertia");
  free(v), free(J), free(Q);
}

static void inertia(void **unused)
{
  (void)unused;
  for_every_rod(check_inertia);
  for_every_curvature(check_inertia);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces),      cmocka_unit_test(natural_shape), cmocka_unit_test(uniform_strains),
      cmocka_unit_test(jacobians),   cmocka_unit_test(matrices),      cmocka_unit_test(rigid_motions),
      cmocka_unit_test(quadrature),  cmocka_unit_test(locked_twist),  cmocka_unit_test(inertia),
      cmocka_unit_test(equivalence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
