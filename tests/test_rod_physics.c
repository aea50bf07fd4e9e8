/* Rods against formulas: loads, torques, wind, damping, free flight, driven ends. Every model that can. What needs
 * tables of reference numbers is in `skein validate`. */
#include "rod_support.h"

/* L = 1, EI = 1, rho S = 1, GJ = 2/3: thin, straight, along x. */
static skein_rod_def unit_def(skein_rod_model model, int elements)
{
  skein_rod_def def = skein_default_rod_def();
  double r = 2e-3;
  def.model = model, def.elements = elements, def.twist_locked = 0, def.length = 1, def.radius1 = def.radius2 = r;
  def.E = 4 / (SK_PI * r * r * r * r), def.density = 1 / (SK_PI * r * r), def.G = def.E / 3, def.damping = 0;
  def.pose = (skein_pose){.d = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
  return def;
}

static skein_rod *make(const skein_rod_def *def)
{
  skein_rod *rod;
  expect_ok(skein_rod_create(def, &rod));
  return rod;
}

static void relax(skein_rod *rod, const skein_env *env) /* without torques: to a minimum */
{
  skein_relax_def def = skein_default_relax_def();
  skein_relax_info info;
  expect_ok(skein_rod_relax(rod, env, &def, &info));
  assert_true(info.converged && (info.stable || rod->drive.loads));
}

static void step(skein_rod *rod, const skein_env *env, double dt, double theta, int steps)
{
  skein_rod_step_def def = {.dt = dt, .theta = theta, .threads = 1};
  for (int k = 0; k < steps; k++) expect_ok(skein_rods_step(&rod, 1, env, &def));
}

static const skein_rod_model statics[] = {SKEIN_SUPER_HELIX, SKEIN_MASS_SPRING, SKEIN_CORDE, SKEIN_DER};
enum { STATICS = 4 };
static const skein_env nothing = {{0, 0, 0}, {0, 0, 0}};

/* A small force at the tip: P L^3 / 3 EI; at the middle: 5 P L^3 / 48 EI. */
static void tip_force(void **unused)
{
  (void)unused;
  for (int m = 0; m < STATICS; m++)
    for (int middle = 0; middle < 2; middle++) {
      skein_rod_def def = unit_def(statics[m], 20);
      skein_rod *rod = make(&def);
      skein_rod_load load = {.s = middle ? 0.5 : 1, .force = {0, 0, -1e-3}};
      skein_pose tip;
      expect_ok(skein_rod_set_loads(rod, &load, 1));
      relax(rod, &nothing);
      skein_rod_point(rod, 1, &tip);
      double expected = middle ? -5e-3 / 48 : -1e-3 / 3;
      expect_at_most(fabs(tip.r[2] / expected - 1), 5e-3, skein_rod_model_name(statics[m]));
      skein_rod_destroy(rod);
    }
}

/* A torque at the tip makes an arc of curvature T/EI, or a twist of T/GJ. */
static void tip_torque(void **unused)
{
  (void)unused;
  for (int m = 0; m < STATICS; m++) {
    skein_rod_def def = unit_def(statics[m], 32);
    skein_rod *rod = make(&def);
    skein_rod_load load = {.s = 1, .torque = {0, 2, 0}}; /* about y: from x down to -z */
    skein_pose tip;
    expect_ok(skein_rod_set_loads(rod, &load, 1));
    relax(rod, &nothing);
    skein_rod_point(rod, 1, &tip);
    expect_at_most(fabs(tip.r[0] - sin(2.) / 2) + fabs(tip.r[2] + (1 - cos(2.)) / 2), 2e-3,
                   skein_rod_model_name(statics[m]));
    skein_rod_destroy(rod);
    if (!skein_rod_model_twists(statics[m])) continue;
    rod = make(&def);
    load = (skein_rod_load){.s = 1, .torque = {0.4, 0, 0}};
    expect_ok(skein_rod_set_loads(rod, &load, 1));
    relax(rod, &nothing);
    skein_rod_point(rod, 1, &tip);
    double angle = atan2(tip.d[0][2], tip.d[0][1]); /* d1 was along y */
    expect_at_most(fabs(angle - 0.6), 0.02, skein_rod_model_name(statics[m]));
    skein_rod_destroy(rod);
  }
}

/* Terminal velocity of a free rod: wind + rho S g / drag. Exact at every step size once it is reached. */
static void wind(void **unused)
{
  (void)unused;
  skein_env env = {.gravity = {0, 0, -2}, .wind = {0.3, -0.1, 0}};
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) {
    if (m == SKEIN_CORDE_EXPLICIT) continue; /* too many steps; its drag is that of corde */
    skein_rod_def def = unit_def((skein_rod_model)m, 6);
    def.root = SKEIN_FREE, def.drag = 4;
    skein_rod *rod = make(&def);
    double v[3];
    step(rod, &env, 0.02, 1, 500);
    for (int k = 0; k < 3; k++) {
      skein_rod_velocity(rod, 0.5 * k, v);
      expect_at_most(fabs(v[0] - 0.3) + fabs(v[1] + 0.1) + fabs(v[2] + 0.5), 1e-7,
                     skein_rod_model_name((skein_rod_model)m));
    }
    skein_rod_destroy(rod);
  }
}

/* A clamped rod in the wind bends as under a weight: drag w against rho S g. */
static void bent_by_wind(void **unused)
{
  (void)unused;
  skein_env blown = {.wind = {0, 0, -2.5}}, heavy = {.gravity = {0, 0, -10}};
  for (int m = 0; m < STATICS; m++) {
    skein_rod_def def = unit_def(statics[m], 16);
    def.drag = 4, def.damping = 0.05;
    skein_rod *a = make(&def), *b = make(&def);
    skein_pose p, q;
    step(a, &blown, 0.05, 1, 400);
    relax(b, &heavy);
    skein_rod_point(a, 1, &p), skein_rod_point(b, 1, &q);
    expect_at_most(largest_difference(p.r, q.r, 3), 1e-6, skein_rod_model_name(statics[m]));
    skein_rod_destroy(a), skein_rod_destroy(b);
  }
}

/* The first mode decays as exp(-(nu omega^2 + eta) t / 2) and swings with omega, by the midpoint rule. */
static void damping(void **unused)
{
  (void)unused;
  for (int m = 0; m < STATICS; m++) {
    skein_rod_def def = unit_def(statics[m], 12);
    def.damping = 2e-3, def.drag = 0.05;
    skein_rod *rod = make(&def);
    int n = skein_rod_dofs(rod);
    double *shape = numbers(2 * n), omega2[2];
    skein_rod_energy before, after;
    expect_ok(skein_rod_modes(rod, &nothing, 2, omega2, shape));
    for (int i = 0; i < n; i++) shape[i] *= 1e-4;
    expect_ok(skein_rod_set_state(rod, NULL, shape));
    expect_ok(skein_rod_energies(rod, &nothing, &before));
    double T = 2 * SK_PI / sqrt(omega2[0]);
    step(rod, &nothing, T / 400, 0.5, 3 * 400);
    expect_ok(skein_rod_energies(rod, &nothing, &after));
    double expected = exp(-(2e-3 * omega2[0] + 0.05) * 3 * T);
    double ratio = (after.kinetic + after.elastic) / (before.kinetic + before.elastic);
    expect_at_most(fabs(ratio / expected - 1), 5e-3, skein_rod_model_name(statics[m]));
    skein_rod_destroy(rod);
    free(shape);
  }
}

/* Momentum and its moment about the origin, by sums over a fine grid. */
static void momentum(const skein_rod *rod, double p[6])
{
  int grid = 2000;
  sk_vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
  for (int i = 0; i < grid; i++) {
    double s = (i + 0.5) / grid, v[3];
    skein_pose at;
    skein_rod_point(rod, s, &at), skein_rod_velocity(rod, s, v);
    sum = sk_axpy(sum, 1.0 / grid, sk_load3(v));
    moment = sk_axpy(moment, 1.0 / grid, sk_cross(sk_load3(at.r), sk_load3(v)));
  }
  sk_store3(p, sum), sk_store3(p + 3, moment);
}

/* A free super-helix thrown and spinning keeps momentum, its moment and energy; errors fall with dt^2. */
static void free_flight(void **unused)
{
  (void)unused;
  const double natural[3] = {2, 0.5, 1};
  double drift[2];
  for (int k = 0; k < 2; k++) {
    skein_rod_def def = unit_def(SKEIN_SUPER_HELIX, 6);
    def.root = SKEIN_FREE, def.natural = natural, def.naturals = 1;
    skein_rod *rod = make(&def);
    int n = skein_rod_dofs(rod);
    double *v = numbers(n), before[6], after[6];
    skein_rod_energy a, b;
    for (int i = 0; i < n; i++) v[i] = i >= n - 6 ? 0.7 * cos(2 + 3 * i) : i % 3 == 2 ? 0 : 0.5 * sin(1 + i);
    expect_ok(skein_rod_set_state(rod, NULL, v));
    momentum(rod, before), expect_ok(skein_rod_energies(rod, &nothing, &a));
    step(rod, &nothing, k ? 2.5e-4 : 5e-4, 0.5, k ? 4000 : 2000);
    momentum(rod, after), expect_ok(skein_rod_energies(rod, &nothing, &b));
    drift[k] = largest_difference(before, after, 6) / largest(before, 6);
    expect_at_most(fabs(b.kinetic + b.elastic - a.kinetic - a.elastic) / (a.kinetic + a.elastic), 5e-5, "energy");
    skein_rod_destroy(rod);
    free(v);
  }
  expect_at_most(drift[1], 1e-5, "momentum");
  expect_at_most(drift[1], drift[0] / 3 + 1e-9, "momentum with half the step");
}

/* In a frame that turns steadily about z, a damped rod comes to rest in that frame: the same in all models. */
static void turning_clamp(void **unused)
{
  (void)unused;
  sk_vec3 tips[STATICS];
  for (int m = 0; m < STATICS; m++) {
    skein_rod_def def = unit_def(statics[m], statics[m] == SKEIN_SUPER_HELIX ? 16 : 32);
    skein_env env = {.gravity = {0, 0, -5}};
    skein_pose root = def.pose, tip;
    double dt = SLOW_BUILD ? 4e-3 : 2e-3, angle = 0;
    def.damping = 0.1;
    skein_rod *rod = make(&def);
    for (int k = 0; k < (SLOW_BUILD ? 2500 : 4000); k++) {
      angle += 4 * fmin(1, k * dt / 3) * dt;
      sk_mat3 R = sk_rotation(sk_vec(0, 0, angle));
      for (int c = 0; c < 3; c++) sk_store3(root.d[c], sk_apply(R, sk_load3(def.pose.d[c])));
      sk_store3(root.r, sk_apply(R, sk_vec(0.2, 0, 0)));
      expect_ok(skein_rod_drive(rod, &root, NULL));
      step(rod, &env, dt, 1, 1);
    }
    skein_rod_point(rod, 1, &tip);
    tips[m] = sk_apply_t(sk_rotation(sk_vec(0, 0, angle)), sk_load3(tip.r));
    skein_rod_destroy(rod);
  }
  assert_true(tips[0].z < -0.1 && fabs(tips[0].y) < 0.02);
  for (int m = 1; m < STATICS; m++)
    expect_at_most(sk_norm(sk_sub(tips[m], tips[0])), SLOW_BUILD ? 0.03 : 0.015,
                   skein_rod_model_name(statics[m])); /* chains: order dt */
}

/* Both ends held: clamps brought together make the same arch (the elastica) in all models that twist. */
static void arch(void **unused)
{
  (void)unused;
  double height[STATICS];
  for (int m = 0; m < STATICS; m++) {
    skein_rod_def def = unit_def(statics[m], SLOW_BUILD ? 16 : 32);
    const double bent[6] = {-0.3, 0, 0, 0.3, 0, 0}; /* which way to go: towards z */
    def.radius1 *= 1.2, def.tip = SKEIN_CLAMPED, def.initial = bent, def.initials = 2, def.tip_factor = 1e6;
    skein_rod *rod = make(&def);
    skein_pose tip = def.pose, mid;
    skein_relax_def path = skein_default_relax_def();
    skein_relax_info info;
    tip.r[0] = 0.7;
    path.load_steps = 20;
    expect_ok(skein_rod_drive(rod, NULL, &tip));
    expect_ok(skein_rod_relax(rod, &nothing, &path, &info));
    assert_true(info.converged);
    skein_rod_point(rod, 0.5, &mid);
    height[m] = fabs(mid.r[2]); /* over the weak axis */
    skein_rod_point(rod, 1, &mid);
    expect_at_most(largest_difference(mid.r, tip.r, 3), 1e-3, "the tip is where it is held");
    skein_rod_destroy(rod);
  }
  for (int m = 1; m < STATICS; m++)
    expect_at_most(fabs(height[m] - height[0]), SLOW_BUILD ? 8e-3 : 3e-3, skein_rod_model_name(statics[m]));
}

/* The length of a super-helix is exact: neighbouring points are never further apart than their abscissae. */
static void exact_length(void **unused)
{
  (void)unused;
  skein_rod_def def = unit_def(SKEIN_SUPER_HELIX, 8);
  skein_env env = {.gravity = {3, 1, -20}};
  skein_rod *rod = make(&def);
  step(rod, &env, 2e-3, 1, 300);
  double length = 0;
  skein_pose a, b;
  skein_rod_point(rod, 0, &a);
  for (int i = 1; i <= 20000; i++, a = b) {
    skein_rod_point(rod, i / 20000.0, &b);
    length += sk_norm(sk_sub(sk_load3(b.r), sk_load3(a.r)));
  }
  expect_at_most(fabs(length - 1), 1e-7, "length");
  skein_rod_destroy(rod);
}

/* Pieces of a curve whose chords miss it by exactly what is allowed: not a matter of rounding. kappa l^2 / 8 is the
 * miss of one piece, a quarter of it that of two. */
static void pieces_at_the_edge(void **unused)
{
  (void)unused;
  const double natural[3] = {2, 0, 0}, l = 0.25, miss = 2 * l * l / 8;
  skein_rod_def def = unit_def(SKEIN_SUPER_HELIX, 4);
  def.natural = natural, def.naturals = 1;
  skein_rod *rod = make(&def);
  double *u = rod->x + SK_MODEL;
  for (int k = -1; k <= 1; k++) {
    for (int i = 0; i < 4; i++) u[3 * i] = 2 + 1e-12 * k;
    assert_int_equal(sk_rod_pieces(rod->fixed, rod->x, miss), 1);
    assert_int_equal(sk_rod_pieces(rod->fixed, rod->x, miss / 4), 2);
    assert_int_equal(sk_rod_pieces(rod->fixed, rod->x, miss / 9), 3);
  }
  assert_int_equal(sk_rod_pieces(rod->fixed, rod->x, 0.99 * miss), 2);
  skein_rod_destroy(rod);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tip_force),          cmocka_unit_test(tip_torque), cmocka_unit_test(wind),
      cmocka_unit_test(bent_by_wind),       cmocka_unit_test(damping),    cmocka_unit_test(free_flight),
      cmocka_unit_test(turning_clamp),      cmocka_unit_test(arch),       cmocka_unit_test(exact_length),
      cmocka_unit_test(pieces_at_the_edge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
