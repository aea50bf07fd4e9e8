/* Rods: bad input by name, and many rods side by side. */
#include "rod_support.h"

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

/* A rod that cannot make the step is named and stays; the others move. */
static void one_fails(void **unused)
{
  (void)unused;
  enum { RODS = 5, BAD = 3 };
  skein_rod *rods[RODS];
  double *before[RODS];
  skein_env env = skein_default_env();
  skein_rod_step_def step = {.dt = 1e-3, .theta = 1, .threads = 2};
  for (int i = 0; i < RODS; i++) {
    skein_rod_def def = skein_default_rod_def();
    def.model = i == BAD ? SKEIN_CORDE_EXPLICIT : SKEIN_DER,
    def.pose = (skein_pose){.d = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
    expect_ok(skein_rod_create(&def, rods + i));
    before[i] = copy_of(rods[i]->x, (size_t)rods[i]->fixed->nx);
  }
  expect_bad(skein_rods_step(rods, RODS, &env, &step), "rod 3: dt is 0.001");
  for (int i = 0; i < RODS; i++) {
    double way = largest_difference(before[i], rods[i]->x, (size_t)rods[i]->fixed->nx);
    assert_true(i == BAD ? way == 0 : way > 0);
    free(before[i]), skein_rod_destroy(rods[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_definitions),
      cmocka_unit_test(bad_steps),
      cmocka_unit_test(one_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
