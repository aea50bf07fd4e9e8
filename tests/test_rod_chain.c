/* Rods made of points: what only some of them have. Stiffness of tension, turns of a straight mass-spring chain, frames
 * and spins of CoRdE, and the damping and the limit of explicit steps. What all models share is in test_rod.c. */
#include "rod_support.h"

#include <lapacke.h>

enum { ELEMENTS = 5 };

static skein_rod_def curled_def(skein_rod_model model, int elements, skein_rod_end root, skein_rod_end tip)
{
  skein_rod_def def = trial_def(model, elements, root, tip);
  def.natural = curled, def.naturals = CURLED;
  return def;
}

/* Where a straight rod is pulled K is the Hessian too: tension stiffens it across. */
static void tension(void **unused)
{
  (void)unused;
  for (int m = SKEIN_MASS_SPRING; m < SKEIN_ROD_MODEL_COUNT; m++) {
    skein_rod_def def = trial_def((skein_rod_model)m, ELEMENTS, SKEIN_PINNED, SKEIN_PINNED);
    trial t = trial_make(&def, 1);
    double *x = t.rod->x, *pull = x + sk_chain_extra(t.rod->fixed) - ELEMENTS;
    for (int i = 0; i < 3; i++) x[SK_ROOT + i] *= 1.1, x[SK_TIP + i] *= 1.1;
    for (int i = SK_MODEL; i < SK_MODEL + 3 * (ELEMENTS + 1); i++) x[i] *= 1.1;
    for (int j = 0; j < ELEMENTS; j++) pull[j] = 0.1; /* and pulled so in the last step */
    expect_hessian(&t, 1, 1e-11);
    trial_destroy(&t);
  }
}

/* A step of implicit Euler notes the strain with which its edges pull: |e|/l - 1 + (dt + nu) t . e' / l. */
static void noted_pull(void **unused)
{
  (void)unused;
  for (int m = SKEIN_MASS_SPRING; m < SKEIN_ROD_MODEL_COUNT; m++) {
    skein_rod_def def = trial_def((skein_rod_model)m, ELEMENTS, SKEIN_PINNED, SKEIN_FREE);
    def.damping = 0.03;
    trial t = trial_make(&def, 2);
    sk_rod_input in = {.load = 1, .dt = 0.02};
    sk_vec3 d3 = sk_load3(t.rod->x + SK_ROOT + 9);
    double *v = numbers(t.rod->fixed->n), *pull = t.rod->x + sk_chain_extra(t.rod->fixed) - ELEMENTS;
    for (int i = 1; i <= ELEMENTS; i++)
      sk_store3(v + sk_chain_node_dof(t.rod->fixed, i), sk_mul(0.4 * i * t.rod->fixed->l, d3));
    t.rod->fixed->ops->move(t.rod->fixed, t.rod->x, v, &in, in.dt);
    for (int j = 0; j < ELEMENTS; j++) expect_of_rod(&t, fabs(pull[j] - 0.4 * (0.02 + 0.03)), 1e-14, "pull");
    free(v), trial_destroy(&t);
  }
}

/* A mass-spring chain turns freely at least where it is straight, elliptic or not. */
static void straight_chain_turns(void **unused)
{
  (void)unused;
  for (int ends = 0; ends < 9; ends++) {
    skein_rod_def def = trial_def(SKEIN_MASS_SPRING, ELEMENTS, (skein_rod_end)(ends / 3), (skein_rod_end)(ends % 3));
    trial t = trial_make(&def, 3);
    expect_of_rod(&t, rigid_strain(&t, draw(&t), draw(&t)), 1e-14, "strain rates of a turned straight chain");
    trial_destroy(&t);
  }
}

/* ---- CoRdE ---- */

/* The frame at a clamp is the clamp's. */
static void frame_of_clamp(void **unused)
{
  (void)unused;
  skein_rod_def def = curled_def(SKEIN_CORDE, ELEMENTS, SKEIN_CLAMPED, SKEIN_CLAMPED);
  trial t = trial_make(&def, 6);
  disturb(&t, 0.3);
  for (int end = 0; end < 2; end++) {
    skein_pose p;
    skein_rod_point(t.rod, end ? def.length : 0, &p);
    const double *axes = t.rod->x + (end ? SK_TIP : SK_ROOT) + 3;
    expect_of_rod(&t, largest_difference(&p.d[0][0], axes, 9), 1e-14, "axes of the end");
  }
  trial_destroy(&t);
}

/* Angular momentum about the origin. */
static sk_vec3 spin_of(trial *t)
{
  const skein_rod *rod = t->rod;
  sk_rod_input in = {.load = 1, .matrices = true};
  double *Mv = numbers(rod->fixed->n), sum[6];
  sk_rod_eval(rod->fixed, rod->x, rod->v, &in, &t->sys);
  sk_band_mul_add(rod->fixed->n, rod->fixed->kd, t->sys.M, 1, rod->v, Mv);
  resultant(rod, Mv, sum, NULL);
  free(Mv);
  return sk_load3(sum + 3);
}

/* A free, spinning, elliptic rod keeps its angular momentum: the midpoint rule loses it with dt^2, 4 times less at half
 * the step. A gyroscopic force that is missing or has the wrong sign would lose it at once. */
static void spinning(void **unused)
{
  (void)unused;
  const skein_env nothing = {{0}, {0}};
  double lost[2];
  for (int fine = 0; fine < 2; fine++) {
    skein_rod_def def = curled_def(SKEIN_CORDE, 2, SKEIN_FREE, SKEIN_FREE);
    def.radius1 = 0.3, def.radius2 = 0.15;
    skein_rod_step_def step = {.dt = 2e-3 / (1 + fine), .theta = 0.5, .threads = 1};
    trial t = trial_make(&def, 7);
    rigid_velocities(t.rod, sk_vec(0, 0, 0), sk_vec(0.4, 1.5, -0.8), t.rod->v);
    sk_vec3 before = spin_of(&t);
    for (int i = 0; i < 250 * (1 + fine); i++) expect_ok(skein_rods_step(&t.rod, 1, &nothing, &step));
    lost[fine] = sk_norm(sk_sub(spin_of(&t), before)) / sk_norm(before);
    trial_destroy(&t);
  }
  expect_at_most(lost[0], 1e-7, "angular momentum lost");
  expect_at_most(lost[1], 0.3 * lost[0], "angular momentum lost at half the step");
}

/* ---- Explicit steps ---- */

/* Velocities of nodes alone: spins would add gyroscopic torques. */
static double *draw_without_spins(trial *t)
{
  double *v = numbers(t->rod->fixed->n);
  for (int i = 0; i <= t->rod->fixed->def.elements; i++) {
    int k = sk_chain_node_dof(t->rod->fixed, i);
    if (k >= 0) sk_store3(v + k, draw(t));
  }
  return v;
}

/* In motion there is no stiffness, and the damping force is -nu (K v + Kb) of the implicit model. */
static void explicit_damping(void **unused)
{
  (void)unused;
  for (int ends = 0; ends < 9; ends++) {
    skein_rod_def def =
        curled_def(SKEIN_CORDE_EXPLICIT, ELEMENTS, (skein_rod_end)(ends / 3), (skein_rod_end)(ends % 3));
    def.damping = 0.07;
    trial t = trial_make(&def, 80 + (uint64_t)ends);
    const skein_rod *rod = t.rod;
    size_t n = (size_t)rod->fixed->n, band = sk_band_size(rod->fixed->n, rod->fixed->kd);
    disturb(&t, 0.1);
    sk_rod_input in = draw_motion(&t);
    double *v = draw_without_spins(&t);
    sk_rod_eval(rod->fixed, rod->x, v, &in, &t.sys);
    double *F = copy_of(t.sys.F, n);
    for (size_t i = 0; i < n; i++) F[i] -= def.damping * t.sys.Kb[i];
    sk_band_mul_add(rod->fixed->n, rod->fixed->kd, t.sys.K, -def.damping, v, F);
    in.dynamic = true;
    sk_rod_eval(rod->fixed, rod->x, v, &in, &t.sys);
    expect_of_rod(&t, largest_difference(F, t.sys.F, n), 1e-14 * largest(F, n), "damped force");
    assert_true(largest(t.sys.K, band) == 0 && largest(t.sys.Kb, n) == 0 && largest(t.sys.M, band) > 0);
    free(v), free(F), trial_destroy(&t);
  }
}

/* Damping is an internal force: no resultant, no torque. */
static void explicit_momentum(void **unused)
{
  (void)unused;
  for (int elements = 1; elements <= 10; elements++) {
    skein_rod_def def = curled_def(SKEIN_CORDE_EXPLICIT, elements, SKEIN_FREE, SKEIN_FREE);
    def.damping = 0.1;
    trial t = trial_make(&def, 90 + (uint64_t)elements);
    sk_rod_input in = {.load = 1, .dynamic = true};
    double sum[6], size[6];
    disturb(&t, 0.2);
    double *v = draw_without_spins(&t);
    sk_rod_eval(t.rod->fixed, t.rod->x, v, &in, &t.sys);
    resultant(t.rod, t.sys.F, sum, size);
    for (int k = 0; k < 6; k++) expect_of_rod(&t, fabs(sum[k]), 1e-14 * size[k], "resultant of damped forces");
    free(v), trial_destroy(&t);
  }
}

/* The largest omega of K v = omega^2 M v at the state of the rod; M is diagonal. */
static double fastest(trial *t)
{
  int n = t->rod->fixed->n, kd = t->rod->fixed->kd;
  const sk_rod_input in = {.load = 1, .matrices = true};
  double *w = numbers(n), none, *K = t->sys.K, *M = t->sys.M;
  sk_rod_eval(t->rod->fixed, t->rod->x, t->rod->v, &in, &t->sys);
  for (int j = 0; j < n; j++)
    for (int i = j; i <= SK_MIN(n - 1, j + kd); i++)
      K[sk_band_at(kd, i, j)] /= sqrt(M[sk_band_at(kd, i, i)]) * sqrt(M[sk_band_at(kd, j, j)]);
  assert_int_equal(LAPACKE_dsbev(LAPACK_COL_MAJOR, 'N', 'L', n, kd, K, kd + 1, w, &none, 1), 0);
  double omega = sqrt(w[n - 1]);
  free(w);
  return omega;
}

/* The limit is below what the eigenvalues say and not far below. bent: 0 straight, 1 curled, 2 stiffly aligned too. */
static void check_limit(const double radius[2], int ends, int elements, int bent)
{
  static const double nu[] = {0, 1e-3, 1};
  skein_rod_def def = curled_def(SKEIN_CORDE_EXPLICIT, elements, (skein_rod_end)(ends / 3), (skein_rod_end)(ends % 3));
  def.radius1 = radius[0], def.radius2 = radius[1], def.damping = nu[ends % 3];
  if (!bent) def.natural = NULL, def.naturals = 0;
  if (bent == 2) def.alignment = def.G * SK_PI * def.radius1 * def.radius2;
  trial t = trial_make(&def, 9 + (uint64_t)(100 * ends + 10 * elements + bent));
  if (bent) disturb(&t, 0.02);
  double four = 4 / pow(fastest(&t), 2), longest = four / (def.damping + sqrt(pow(def.damping, 2) + four));
  double ratio = t.rod->fixed->ops->limit(t.rod->fixed) / longest,
         flat = fmax(radius[0], radius[1]) / fmin(radius[0], radius[1]);
  expect_of_rod(&t, ratio, 1, "limit over longest stable step");
  expect_of_rod(&t, 0.3 / flat / flat, ratio, "part of the longest stable step");
  trial_destroy(&t);
}

/* For thick and thin, round and flat, whatever the ends. */
static void step_limit(void **unused)
{
  (void)unused;
  static const double radius[][2] = {{0.09, 0.06}, {0.01, 0.01}, {0.3, 0.3}, {1e-3, 4e-4}, {0.02, 0.05}};
  for (int r = 0; r < 5; r++)
    for (int ends = 0; ends < 9; ends++)
      for (int elements = 2; elements <= 12; elements += 5)
        for (int bent = 0; bent < 3; bent++) check_limit(radius[r], ends, elements, bent);
}

/* At the limit a rod that swings from its clamp keeps its energy or, damped, loses it; a longer step is refused. */
static void step_at_limit(void **unused)
{
  (void)unused;
  skein_rod_def def = curled_def(SKEIN_CORDE_EXPLICIT, ELEMENTS, SKEIN_CLAMPED, SKEIN_FREE);
  def.radius1 = def.radius2 = 0.02;
  skein_env env = {{0, 0, -0.02}, {0}};
  for (int damped = 0; damped < 2; damped++) {
    def.damping = damped ? 1e-3 : 0;
    trial t = trial_make(&def, 10);
    skein_rod_step_def step = {.dt = t.rod->fixed->ops->limit(t.rod->fixed), .theta = 1, .threads = 1};
    skein_rod_energy start, end;
    expect_ok(skein_rod_energies(t.rod, &env, &start));
    for (int i = 0; i < 20000; i++) expect_ok(skein_rods_step(&t.rod, 1, &env, &step));
    expect_ok(skein_rod_energies(t.rod, &env, &end));
    double gain = end.elastic + end.kinetic + end.gravity - (start.elastic + start.kinetic + start.gravity);
    if (damped) expect_of_rod(&t, gain, 0, "energy gained");
    else expect_of_rod(&t, fabs(gain), 0.05 * (end.elastic + end.kinetic), "energy gained or lost");
    step.dt *= 1.001;
    expect_bad(skein_rods_step(&t.rod, 1, &env, &step), "corde-explicit");
    trial_destroy(&t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tension),           cmocka_unit_test(noted_pull), cmocka_unit_test(straight_chain_turns),
      cmocka_unit_test(frame_of_clamp),    cmocka_unit_test(spinning),   cmocka_unit_test(explicit_damping),
      cmocka_unit_test(explicit_momentum), cmocka_unit_test(step_limit), cmocka_unit_test(step_at_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
