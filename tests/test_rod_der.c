/* Discrete elastic rods: twist of many turns, collapsed edges, and the projection onto inextensible chains. What all
 * models share is in test_rod.c. */
#include "rod_support.h"

static const sk_rod_input still = {.load = 1};

enum { SHAPES = 3 };

/* Shape 0: straight, 1: curled, round, 2: curled, elliptic. */
static trial der_make(skein_rod_model model, int elements, skein_rod_end root, skein_rod_end tip, int shape,
                      uint64_t seed)
{
  skein_rod_def def = trial_def(model, elements, root, tip);
  if (shape > 0) def.natural = curled, def.naturals = CURLED;
  if (shape < 2) def.radius1 = def.radius2;
  return trial_make(&def, seed);
}

/* Three turns of the tip's clamp: the twist is counted on, the energy is GJ angle^2 / (2 L). */
static void twist_beyond_a_turn(void **unused)
{
  (void)unused;
  trial t = der_make(SKEIN_DER, 2, SKEIN_CLAMPED, SKEIN_CLAMPED, 0, 700);
  int steps = 60;
  double turn = 6 * SK_PI, v[5] = {0, 0, 0, 0, 0}, GJ = t.rod->fixed->section.GJ, most = 0; /* spin 1, node 1, spin 0 */
  sk_rod_input in = {.load = 1};
  in.tip.w = sk_mul(turn, sk_load3(t.rod->x + SK_TIP + 9));
  v[0] = 0.75 * turn, v[4] = 0.25 * turn;
  assert_int_equal(t.rod->fixed->n, 5);
  for (int k = 1; k <= steps; k++) {
    t.rod->fixed->ops->move(t.rod->fixed, t.rod->x, v, &in, 1. / steps);
    double angle = turn * k / steps, exact = 0.5 * GJ * angle * angle;
    skein_rod_energy e = t.rod->fixed->ops->energy(t.rod->fixed, t.rod->x, t.rod->v, &still);
    most = fmax(most, fabs(e.elastic - exact) / exact);
  }
  expect_of_rod(&t, most, 1e-12, "energy of a twisted rod, relative");
  trial_destroy(&t);
}

/* A frame that has lost its edge keeps everything finite. */
static void collapsed_edge_is_finite(void **unused)
{
  (void)unused;
  trial t = der_make(SKEIN_DER, 4, SKEIN_CLAMPED, SKEIN_FREE, 2, 800);
  memcpy(t.rod->x + SK_MODEL + 6, t.rod->x + SK_MODEL + 3, 3 * sizeof(double)); /* node 2 onto node 1 */
  disturb_dofs(&t, 0);
  sk_rod_input in = {.load = 1, .matrices = true};
  sk_rod_eval(t.rod->fixed, t.rod->x, t.rod->v, &in, &t.sys);
  assert_true(isfinite(largest(t.sys.F, (size_t)t.rod->fixed->n)));
  assert_true(isfinite(largest(t.sys.K, sk_band_size(t.rod->fixed->n, t.rod->fixed->kd))));
  disturb_dofs(&t, 0.1);
  assert_true(isfinite(largest(t.rod->x, (size_t)t.rod->fixed->nx)));
  trial_destroy(&t);
}

/* ---- Projection ---- */

static double longest_strain(const skein_rod *rod)
{
  double most = 0;
  for (int i = 0; i < rod->fixed->def.elements; i++)
    most = fmax(most, fabs(sk_norm(sk_chain_edge(rod->x, i)) / rod->fixed->l - 1));
  return most;
}

static bool project(trial *t, double dt)
{
  return t->rod->fixed->ops->project(t->rod->fixed, t->rod->x, t->rod->x, t->rod->v, &still, dt, &t->sys);
}

/* Chains that were pulled out of their lengths come back, wherever their ends; v takes what the nodes moved. */
static void projection_restores_lengths(void **unused)
{
  (void)unused;
  static const skein_rod_end roots[] = {SKEIN_CLAMPED, SKEIN_FREE, SKEIN_PINNED};
  for (int c = 0; c < 60; c++) {
    trial t = der_make(SKEIN_DER_PROJECTION, c % 2 ? 5 : 40, roots[c % 3], SKEIN_FREE, c % SHAPES, 900 + (uint64_t)c);
    double v = t.rod->v[0], dt = 0.01;
    disturb_dofs(&t, c % 10 ? 0.05 * (c % 10) : 0);
    double *x = copy_of(t.rod->x, (size_t)t.rod->fixed->nx);
    assert_true(project(&t, dt));
    expect_of_rod(&t, longest_strain(t.rod), 1e-10, "strain after projection");
    int tip = SK_MODEL + 3 * t.rod->fixed->def.elements; /* dof 0 is its first component */
    expect_of_rod(&t, fabs(t.rod->v[0] - v - (t.rod->x[tip] - x[tip]) / dt), 1e-12, "v against what the tip moved");
    free(x);
    trial_destroy(&t);
  }
}

/* The impulses of the projection are internal: a free chain keeps its momentum and its centre. */
static void projection_keeps_momentum(void **unused)
{
  (void)unused;
  trial t = der_make(SKEIN_DER_PROJECTION, 12, SKEIN_FREE, SKEIN_FREE, 1, 950);
  disturb_dofs(&t, 0.1);
  assert_true(project(&t, 0.1));
  sk_vec3 sum = {0, 0, 0};
  for (int i = 0; i <= 12; i++) sum = sk_axpy(sum, i % 12 ? 1 : 0.5, sk_load3(t.rod->v + 4 * i));
  expect_of_rod(&t, sk_norm(sum), 1e-13 * largest(t.rod->v, (size_t)t.rod->fixed->n), "momentum of the projection");
  trial_destroy(&t);
}

/* Ends further apart than the rod is long, no length at all, no numbers: it ends, says so, and leaves the state. */
static void projection_admits_failure(void **unused)
{
  (void)unused;
  for (int c = 0; c < 3; c++) {
    trial t = der_make(SKEIN_DER_PROJECTION, 20, SKEIN_PINNED, SKEIN_PINNED, 0, 970);
    double *x = numbers(t.rod->fixed->nx), *tip = t.rod->x + SK_MODEL + 60;
    sk_vec3 t0 = sk_load3(t.rod->x + SK_ROOT + 9);
    sk_store3(tip, sk_axpy(sk_load3(tip), c == 0 ? 0.01 : 30, t0));
    if (c == 2) t.rod->x[SK_MODEL + 15] = NAN;
    memcpy(x, t.rod->x, sizeof(double) * (size_t)t.rod->fixed->nx);
    assert_false(project(&t, 0.01));
    assert_memory_equal(x, t.rod->x, sizeof(double) * (size_t)t.rod->fixed->nx);
    free(x);
    trial_destroy(&t);
  }
}

/* Between ends as far apart as the chain is long, straight is the only shape left: the projection finds it. */
static void projection_draws_a_taut_chain_straight(void **unused)
{
  (void)unused;
  for (int elements = 2; elements <= 64; elements *= 2) {
    trial t = der_make(SKEIN_DER_PROJECTION, elements, SKEIN_CLAMPED, SKEIN_CLAMPED, 0, 975);
    disturb_dofs(&t, 0.1);
    assert_true(project(&t, 0.01));
    expect_of_rod(&t, longest_strain(t.rod), 1e-9, "strain of a taut chain");
    trial_destroy(&t);
  }
}

/* All nodes in one point: frames say where the edges were. */
static void projection_unfolds_a_point(void **unused)
{
  (void)unused;
  trial t = der_make(SKEIN_DER_PROJECTION, 10, SKEIN_PINNED, SKEIN_FREE, 1, 980);
  for (int i = 1; i <= 10; i++) memcpy(t.rod->x + SK_MODEL + 3 * i, t.rod->x + SK_MODEL, 3 * sizeof(double));
  assert_true(project(&t, 0.01));
  expect_of_rod(&t, longest_strain(t.rod), 1e-10, "strain after projection");
  trial_destroy(&t);
}

/* A pinned chain falls: lengths kept in every step. */
static void falling_chain_keeps_its_length(void **unused)
{
  (void)unused;
  trial t = der_make(SKEIN_DER_PROJECTION, 20, SKEIN_PINNED, SKEIN_FREE, 0, 990);
  skein_env env = skein_default_env();
  skein_rod_step_def step = skein_default_rod_step_def();
  double most = 0;
  for (int k = 0; k < 500; k++) {
    expect_ok(skein_rods_step(&t.rod, 1, &env, &step));
    most = fmax(most, longest_strain(t.rod));
  }
  expect_of_rod(&t, most, 1e-10, "strain of a falling chain");
  trial_destroy(&t);
}

/* Ends driven together leave slack and are followed; driven further apart than the rod is long, the step fails and the
 * rod stays. */
static void ends_too_far_apart_fail(void **unused)
{
  (void)unused;
  trial t = der_make(SKEIN_DER_PROJECTION, 16, SKEIN_PINNED, SKEIN_PINNED, 1, 995);
  skein_env env = skein_default_env();
  skein_rod_step_def step = skein_default_rod_step_def();
  skein_pose tip;
  skein_rod_point(t.rod, 1, &tip);
  for (int k = 0; k < 50; k++) {
    for (int i = 0; i < 3; i++) tip.r[i] += 0.01 * (t.rod->x[SK_ROOT + i] - tip.r[i]);
    expect_ok(skein_rod_drive(t.rod, NULL, &tip));
    expect_ok(skein_rods_step(&t.rod, 1, &env, &step));
    expect_of_rod(&t, longest_strain(t.rod), 1e-10, "strain between driven ends");
  }
  double *x = numbers(t.rod->fixed->nx);
  skein_rod_state(t.rod, x, NULL);
  tip.r[0] = t.rod->x[SK_ROOT] + 1.01, tip.r[1] = t.rod->x[SK_ROOT + 1], tip.r[2] = t.rod->x[SK_ROOT + 2];
  expect_ok(skein_rod_drive(t.rod, NULL, &tip));
  expect_bad(skein_rods_step(&t.rod, 1, &env, &step), "projection");
  assert_memory_equal(x, t.rod->x, sizeof(double) * (size_t)t.rod->fixed->nx);
  free(x);
  trial_destroy(&t);
}

/* A stretched rod that is projected feels it in statics and not in motion. */
static void projected_rod_moves_without_stretching_forces(void **unused)
{
  (void)unused;
  trial t = der_make(SKEIN_DER_PROJECTION, 3, SKEIN_CLAMPED, SKEIN_FREE, 0, 997);
  double *dq = numbers(t.rod->fixed->n);
  sk_store3(dq, sk_mul(0.1, sk_load3(t.rod->x + SK_ROOT + 9))); /* the tip, along the rod */
  expect_ok(skein_rod_displace(t.rod, dq));
  sk_rod_input in = {.load = 1};
  sk_rod_eval(t.rod->fixed, t.rod->x, t.rod->v, &in, &t.sys);
  double pull = largest(t.sys.F, (size_t)t.rod->fixed->n), ES = t.rod->fixed->section.ES;
  assert_true(pull > 0.1 * ES);
  in.dynamic = true;
  sk_rod_eval(t.rod->fixed, t.rod->x, t.rod->v, &in, &t.sys);
  expect_of_rod(&t, largest(t.sys.F, (size_t)t.rod->fixed->n), 1e-13 * ES, "stretching force in motion");
  free(dq);
  trial_destroy(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twist_beyond_a_turn),         cmocka_unit_test(collapsed_edge_is_finite),
      cmocka_unit_test(projection_restores_lengths), cmocka_unit_test(projection_keeps_momentum),
      cmocka_unit_test(projection_admits_failure),   cmocka_unit_test(projection_draws_a_taut_chain_straight),
      cmocka_unit_test(projection_unfolds_a_point),  cmocka_unit_test(falling_chain_keeps_its_length),
      cmocka_unit_test(ends_too_far_apart_fail),     cmocka_unit_test(projected_rod_moves_without_stretching_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
