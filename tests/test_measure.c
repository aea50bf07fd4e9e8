/* Measures of frames and runs whose answers are known: bundles of straight rods, tubes, bodies that turn. */
#include "run_support.h"

/* ---- Frames ---- */

/* Straight rods of `points` points each, from a[i] to b[i]; one body at the origin. */
static skein_frame straight(int rods, int points, const double (*a)[3], const double (*b)[3], float radius)
{
  skein_frame f = {.rods = rods, .points = rods * points, .bodies = 1, .dt = 1e-3};
  f.point_start = numbers((size_t)rods + 1, sizeof(int)), f.point = numbers(3 * (size_t)f.points, sizeof(float));
  f.radius = numbers((size_t)rods, sizeof(float)), f.rod_group = numbers((size_t)rods, sizeof(int));
  f.rod_source = numbers((size_t)rods, sizeof(int)), f.body_pose = numbers(7, sizeof(double));
  f.body_pose[3] = 1;
  for (int i = 0; i < rods; i++) {
    f.point_start[i + 1] = (i + 1) * points, f.radius[i] = radius, f.rod_source[i] = i;
    for (int k = 0; k < points; k++)
      for (int c = 0; c < 3; c++)
        f.point[3 * (i * points + k) + c] = (float)(a[i][c] + (b[i][c] - a[i][c]) * k / (points - 1));
  }
  return f;
}

/* Room for contacts of rods with the body, all at the tip, normal up. */
static void touch(skein_frame *f, int contacts, const int *rod, const signed char *status)
{
  size_t c = (size_t)contacts;
  f->contacts = contacts;
  f->contact_object = numbers(2 * c, sizeof(int)), f->contact_s = numbers(2 * c, sizeof(double));
  f->contact_point = numbers(3 * c, sizeof(double)), f->contact_normal = numbers(3 * c, sizeof(double));
  f->contact_impulse = numbers(3 * c, sizeof(double)), f->contact_gap = numbers(c, sizeof(double));
  f->contact_status = numbers(c, 1);
  for (int k = 0; k < contacts; k++) {
    f->contact_object[2 * k] = rod[k], f->contact_object[2 * k + 1] = f->rods;
    f->contact_s[2 * k] = 1, f->contact_normal[3 * k + 2] = 1, f->contact_impulse[3 * k + 2] = 2e-3;
    f->contact_status[k] = status[k];
  }
}

/* Three bundles of three at distances of 3 mm, and one rod apart; lengths of 1 m, radii of 1 mm. */
static skein_frame bundles(int points)
{
  double a[10][3] = {{0}}, b[10][3];
  for (int i = 0; i < 10; i++) {
    a[i][0] = 0.003 * (i % 3) + 0.05 * (i / 3), a[i][1] = 0.2;
    memcpy(b[i], a[i], sizeof b[i]);
    b[i][2] = 1;
  }
  return straight(10, points, (const double(*)[3])a, (const double(*)[3])b, 1e-3f);
}

static void move(skein_frame *f, int rod, double x, double y, double z)
{
  for (int k = f->point_start[rod]; k < f->point_start[rod + 1]; k++)
    f->point[3 * k] += (float)x, f->point[3 * k + 1] += (float)y, f->point[3 * k + 2] += (float)z;
}

/* ---- Clumps ---- */

static void expect_bundles(const skein_clumps *c, const int *clump)
{
  assert_int_equal(c->clumps, 3);
  assert_int_equal(c->singles, 1);
  assert_int_equal(c->largest, 3);
  assert_int_equal(c->pairs, 6); /* neighbours, not the two at the ends */
  assert_true(c->mean == 3 && fabs(c->of_rod - 2.8) < 1e-12);
  for (int i = 0; i < 9; i++) assert_int_equal(clump[i], i - i % 3);
  assert_int_equal(clump[9], -1);
}

static void test_bundles(void **state)
{
  (void)state;
  skein_measure_def def = skein_default_measure_def();
  static const int points[] = {2, 3, 17, 200};
  for (size_t k = 0; k < 4; k++) { /* however finely they are drawn */
    skein_frame f = bundles(points[k]);
    skein_clumps c;
    int clump[10];
    expect_ok(skein_measure_clumps(NULL, &f, &def, clump, &c));
    expect_bundles(&c, clump);
    for (int i = 0; i < 10; i++) move(&f, i, 5, -3, 2);
    expect_ok(skein_measure_clumps(NULL, &f, &def, clump, &c));
    expect_bundles(&c, clump);
    expect_ok(skein_measure_clumps(&f, &f, &def, NULL, &c));
    assert_int_equal(c.clumps, 3);
    def.reach = 25.6; /* 51 mm: one clump of all */
    expect_ok(skein_measure_clumps(NULL, &f, &def, clump, &c));
    assert_true(c.clumps == 1 && c.largest == 10 && c.singles == 0 && c.of_rod == 10 && clump[9] == 0);
    def.reach = 1.4; /* 2.8 mm: none */
    expect_ok(skein_measure_clumps(NULL, &f, &def, clump, &c));
    assert_true(c.clumps == 0 && c.largest == 1 && c.singles == 10 && c.mean == 0 && c.of_rod == 1);
    def.reach = 2;
    skein_frame_destroy(&f);
  }
}

static void test_clumps_need_time(void **state)
{
  (void)state;
  skein_measure_def def = skein_default_measure_def();
  skein_frame before = bundles(5), f = bundles(5);
  skein_clumps c;
  move(&before, 1, 0, 0.1, 0); /* the middle one of the first bundle has just come */
  expect_ok(skein_measure_clumps(&before, &f, &def, NULL, &c));
  assert_true(c.clumps == 2 && c.singles == 4 && c.pairs == 4);
  before.rods = 9;
  expect_bad(skein_measure_clumps(&before, &f, &def, NULL, &c), "different rods");
  before.rods = 10;
  skein_frame_destroy(&before);
  skein_frame_destroy(&f);
}

/* Turned by an angle about x, with all that is in it. */
static void turn(skein_frame *f, double angle)
{
  for (int k = 0; k < f->points; k++) {
    float *p = f->point + 3 * k;
    double y = p[1] * cos(angle) - p[2] * sin(angle), z = p[1] * sin(angle) + p[2] * cos(angle);
    p[1] = (float)y, p[2] = (float)z;
  }
}

/* Bundles that lie equally close before and after: the first moves as one, the middle rod of the second slides by 5 mm
 * along its neighbours. Frames may be drawn with other points, and everything may turn. */
static void test_clumps_move_as_one(void **state)
{
  (void)state;
  skein_measure_def def = skein_default_measure_def();
  skein_frame before = bundles(5), f = bundles(12);
  skein_clumps c;
  int clump[10];
  for (int i = 0; i < 3; i++) move(&f, i, 0.01, 0, 0.02);
  move(&f, 4, 0, 0, 0.005);
  for (int k = 0; k < 4; k++, turn(&f, 0.4)) {
    def.slip = 1; /* 2 mm */
    expect_ok(skein_measure_clumps(&before, &f, &def, clump, &c));
    assert_true(c.clumps == 2 && c.singles == 4 && c.pairs == 4);
    assert_true(clump[1] == 0 && clump[3] == -1 && clump[4] == -1 && clump[5] == -1 && clump[7] == 6);
    expect_ok(skein_measure_clumps(&f, &before, &def, NULL, &c)); /* up or down */
    assert_true(c.clumps == 2 && c.pairs == 4);
    expect_ok(skein_measure_clumps(NULL, &f, &def, clump, &c)); /* they are as close as the others */
    expect_bundles(&c, clump);
    for (int limit = 0; limit < 2; limit++) {
      def.slip = limit ? INFINITY : 2.51; /* 5.02 mm, any way */
      expect_ok(skein_measure_clumps(&before, &f, &def, clump, &c));
      expect_bundles(&c, clump);
    }
    def.slip = 2.49; /* 4.98 mm */
    expect_ok(skein_measure_clumps(&before, &f, &def, NULL, &c));
    assert_int_equal(c.clumps, 2);
  }
  def.slip = NAN;
  expect_bad(skein_measure_clumps(&before, &f, &def, NULL, &c), "slip is nan");
  def.slip = -1;
  expect_bad(skein_measure_clumps(&before, &f, &def, NULL, &c), "slip is -1");
  skein_frame_destroy(&before);
  skein_frame_destroy(&f);
}

/* Two rods that open like a V: the distance at share t is 10 mm t, close up to 4 mm: 6 of 16 places. */
static void test_share_of_length(void **state)
{
  (void)state;
  static const double a[2][3] = {{0}}, b[2][3] = {{0, 0, 1}, {0.01, 0, 1}};
  skein_measure_def def = skein_default_measure_def();
  skein_frame f = straight(2, 9, a, b, 1e-3f);
  skein_clumps c;
  for (int k = 1; k <= 16; k++) {
    def.share = k / 16.0;
    expect_ok(skein_measure_clumps(NULL, &f, &def, NULL, &c));
    assert_int_equal(c.clumps, k <= 6);
  }
  skein_frame_destroy(&f);
}

/* ---- Volume ---- */

static void test_volume(void **state)
{
  (void)state;
  skein_volume v;
  static const double a[1][3] = {{0.005, 0.002, -0.003}}, b[1][3] = {{0.995, 0.002, -0.003}};
  skein_frame f = straight(1, 7, a, b, 1e-3f);
  expect_ok(skein_measure_volume(&f, 0.01, &v));
  assert_true(fabs(v.occupied - 100e-6) < 1e-12 && fabs(v.envelope - 100e-6) < 1e-12);
  move(&f, 0, 3, 1, -7); /* a whole number of cells */
  expect_ok(skein_measure_volume(&f, 0.01, &v));
  assert_true(fabs(v.occupied - 100e-6) < 1e-12);
  expect_bad(skein_measure_volume(&f, 0, &v), "cell is 0 m");
  f.point[0] = 1e7f;
  expect_bad(skein_measure_volume(&f, 0.01, &v), "expected at most");
  f.point[0] = NAN;
  expect_bad(skein_measure_volume(&f, 0.01, &v), "not finite");
  skein_frame_destroy(&f);
}

/* The walls of a tube of 10 x 10 x 10 cells along x: 36 rods. What they enclose is in the envelope. */
static void test_envelope(void **state)
{
  (void)state;
  double a[36][3], b[36][3];
  int count = 0;
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++) {
      if (i % 9 != 0 && j % 9 != 0) continue;
      double place[3] = {0.5, i + 0.5, j + 0.5};
      memcpy(a[count], place, sizeof place), memcpy(b[count], place, sizeof place);
      b[count++][0] = 9.5;
    }
  skein_volume v;
  skein_frame f = straight(36, 4, (const double(*)[3])a, (const double(*)[3])b, 0.1f);
  expect_ok(skein_measure_volume(&f, 1, &v));
  assert_true(v.occupied == 360 && v.envelope == 1000);
  skein_frame_destroy(&f);
}

/* A walk along any line visits no cell twice and all that a fine sampling finds. */
static void test_walks(void **state)
{
  (void)state;
  sk_random g = sk_random_make(3);
  for (int trial = 0; trial < 300; trial++) {
    double a[1][3], b[1][3];
    bool seen[1331] = {0};
    int cells = 0;
    for (int c = 0; c < 3; c++) a[0][c] = sk_random_uniform(&g, 0, 10.9), b[0][c] = sk_random_uniform(&g, 0, 10.9);
    for (int c = 0; c < 3 && trial % 3 == 0; c++) b[0][c] = c == trial / 3 % 3 ? b[0][c] : a[0][c];
    skein_frame f = straight(1, 2, (const double(*)[3])a, (const double(*)[3])b, 0.1f);
    for (int k = 0; k <= 20000; k++) {
      int at[3];
      for (int c = 0; c < 3; c++) {
        double x = f.point[c], y = f.point[3 + c];
        at[c] = (int)(x + (y - x) * k / 20000);
      }
      bool *place = &seen[(at[2] * 11 + at[1]) * 11 + at[0]];
      cells += !*place, *place = true;
    }
    skein_volume v;
    expect_ok(skein_measure_volume(&f, 1, &v));
    expect_at_most(cells, v.occupied, "cells of the fine sampling, and of the walk");
    expect_at_most(v.occupied, cells + 1, "corners that are cut by less than the sampling");
    skein_frame_destroy(&f);
  }
}

/* ---- Motion ---- */

static void test_motion(void **state)
{
  (void)state;
  skein_frame before = bundles(4), f = bundles(9); /* drawn with other points */
  skein_motion m;
  f.time = 0.5;
  for (int i = 0; i < 10; i++) move(&f, i, 0.3, 0, 0.4);
  expect_ok(skein_measure_motion(&before, &f, &m));
  assert_true(fabs(m.root_speed - 1) < 1e-6 && fabs(m.speed - 1) < 1e-6 && fabs(m.fastest - 1) < 1e-6);
  assert_true(fabs(m.shift - 0.5) < 1e-6);
  f.time = 0;
  expect_ok(skein_measure_motion(&before, &f, &m));
  assert_true(m.speed == 0 && fabs(m.shift - 0.5) < 1e-6); /* no time, no speed */
  skein_frame_destroy(&before);
  skein_frame_destroy(&f);
}

static void test_rubs(void **state)
{
  (void)state;
  static const double a[3][3] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}}, b[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 2, 0}};
  static const int rod[] = {0, 0, 1};
  static const signed char status[] = {2, 1, 0};
  skein_frame before = straight(3, 5, a, b, 1e-3f), f = straight(3, 5, a, b, 1e-3f);
  skein_rub rub[3];
  touch(&f, 3, rod, status);
  move(&f, 0, 0.003, 0.004, 0.7); /* up is no slip */
  expect_ok(skein_measure_rubs(&before, &f, 0.5, rub));
  assert_true(rub[0].contacts == 2 && rub[0].status == 2 && fabs(rub[0].slip - 0.005) < 1e-6);
  assert_true(fabs(rub[0].force - 4) < 1e-12);
  assert_true(rub[1].contacts == 1 && rub[1].status == 0 && rub[1].slip == 0);
  assert_true(rub[2].contacts == 0 && rub[2].status == -1);
  f.contact_s[0] = 0.1; /* near the root */
  expect_ok(skein_measure_rubs(&before, &f, 0.5, rub));
  assert_true(rub[0].contacts == 1 && rub[0].status == 1);
  expect_bad(skein_measure_rubs(&before, &f, 2, rub), "outer is 2");
  /* rods that turn with the body do not slip; those that stay do */
  f.contact_s[0] = 1;
  f.body_pose[3] = cos(0.05), f.body_pose[6] = sin(0.05); /* 0.1 about z */
  for (int k = 0; k < 5; k++) {
    float *p = f.point + 3 * k;
    p[0] = (float)(k / 4.0 * cos(0.1)), p[1] = (float)(k / 4.0 * sin(0.1)), p[2] = 0;
  }
  expect_ok(skein_measure_rubs(&before, &f, 0.5, rub));
  assert_true(rub[0].slip < 1e-6 && fabs(rub[1].slip - 2 * sin(0.05) * sqrt(2)) < 1e-6);
  skein_frame_destroy(&before);
  skein_frame_destroy(&f);
}

static void test_rest(void **state)
{
  (void)state;
  skein_step_info steps[100] = {0};
  for (int k = 0; k < 100; k++)
    steps[k] = (skein_step_info){
        .time = 0.1 * (k + 1), .dt = 0.1, .speed = exp(-0.1 * k), .kinetic = exp(-0.2 * k), .stick = k < 90 ? 7 : 9};
  skein_rest r = skein_measure_rest(steps, 100, 2);
  assert_true(fabs(r.from - 8) < 0.11 && r.to == 0.1 * 100 && r.contacts_changed == 2);
  assert_true(fabs(log(r.speed) + 8) < 0.11 && r.speed_end == steps[99].speed && fabs(log(r.kinetic) + 16) < 0.21);
  assert_true(skein_measure_rest(steps, 0, 2).speed == 0);
}

/* ---- A run ---- */

/* A bundle of three and one that slides on the body in every other group of four frames; at 25 per second. */
static skein_frame frame_of_run(int index)
{
  skein_frame f = bundles(6);
  static const int rod[] = {9, 2};
  bool slides = index / 4 % 2;
  const signed char status[] = {slides ? 2 : 1, 1};
  f.index = index, f.time = index / 25.0;
  touch(&f, 2, rod, status);
  int way = index / 8 * 4 + (slides ? index % 4 + 1 : 0); /* 1 mm in each frame that slides */
  move(&f, 9, 1e-3 * way, 0, 0);
  return f;
}

static bool stop(void *user, int done, int all)
{
  (void)user;
  assert_int_equal(all, 64);
  return done < 3;
}

static void test_run(void **state)
{
  (void)state;
  char folder[] = "/tmp/skein_measure_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/run.h5", folder);
  skein_run *run;
  expect_ok(skein_run_create(path, &manifest, &run));
  for (int k = 0; k < 64; k++) {
    skein_frame f = frame_of_run(k);
    skein_step_info step = {.time = k / 25.0,
                            .dt = 0.04,
                            .stick = 3,
                            .slide = 1,
                            .kinetic = k,
                            .dissipated = 2,
                            .dissipated_friction = 1.5};
    expect_ok(skein_run_append(run, &f, &step, k > 0, NULL, 0));
    skein_frame_destroy(&f);
  }
  expect_ok(skein_run_finish(run));
  skein_measure_def def = skein_default_measure_def();
  skein_measures m;
  expect_ok(skein_measure_run(run, &def, &m));
  assert_true(m.frames == 64 && m.rods == 10 && m.strand == 9);
  for (int k = 1; k < 64; k++) {
    const skein_measure_row *row = &m.row[k];
    bool slides = k / 4 % 2;
    assert_true(row->clumps.clumps == 3 && row->clumps.singles == 1 && row->kinetic == k);
    assert_true(row->contacts == 4 && row->stick == 0.75 && row->slide == 0.25 && row->open == 0);
    assert_true(row->dissipated == 2 && row->friction == 1.5);
    assert_true(m.rub[k].status == (slides ? 2 : 1) && fabs(m.rub[k].slip - (slides ? 1e-3 : 0)) < 1e-6);
  }
  assert_true(isnan(m.row[0].stick) && m.rest.to == 63 / 25.0);
  assert_true(fabs(m.shift - 26e-3) < 1e-5); /* the last 2 s: frames 13 to 63 */
  skein_measures_destroy(&m);
  def.share = 0;
  expect_bad(skein_measure_run(run, &def, &m), "share is 0");
  def.share = 0.5, def.progress = stop;
  expect_bad(skein_measure_run(run, &def, &m), "stopped after frame 2");
  assert_null(m.row);
  skein_run_close(run);
  unlink(path);
  rmdir(folder);
}

/* The bundles, with the middle rod of the first cut in halves; what is cut off comes last. */
static skein_frame cut_bundles(void)
{
  double a[11][3] = {{0}}, b[11][3];
  for (int i = 0; i < 11; i++) {
    int from = i < 10 ? i : 1;
    a[i][0] = 0.003 * (from % 3) + 0.05 * (from / 3), a[i][1] = 0.2, a[i][2] = i < 10 ? 0 : 0.5;
    memcpy(b[i], a[i], sizeof b[i]);
    b[i][2] = i == 1 ? 0.5 : 1;
  }
  skein_frame f = straight(11, 6, (const double(*)[3])a, (const double(*)[3])b, 1e-3f);
  f.rod_source[10] = 1;
  return f;
}

/* Rods that are cut in frame 7 are joined to none until they have been there for the time of hold: 5 frames. */
static void test_run_with_cut(void **state)
{
  (void)state;
  char folder[] = "/tmp/skein_measure_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/run.h5", folder);
  skein_run *run;
  expect_ok(skein_run_create(path, &manifest, &run));
  for (int k = 0; k < 16; k++) {
    skein_frame f = k < 7 ? bundles(6) : cut_bundles();
    skein_step_info step = {.time = k / 25.0, .dt = 0.04};
    f.index = k, f.time = k / 25.0;
    expect_ok(skein_run_append(run, &f, &step, k > 0, NULL, 0));
    skein_frame_destroy(&f);
  }
  expect_ok(skein_run_finish(run));
  skein_measure_def def = skein_default_measure_def();
  for (int any = 0; any < 2; any++) {
    skein_measures m;
    def.slip = any ? INFINITY : 1;
    expect_ok(skein_measure_run(run, &def, &m));
    for (int k = 0; k < 16; k++) {
      const skein_clumps *c = &m.row[k].clumps;
      if (k < 7) assert_true(c->clumps == 3 && c->singles == 1 && c->largest == 3);
      else if (k < 12) assert_true(c->clumps == 2 && c->singles == 5 && c->largest == 3);
      else assert_true(c->clumps == 3 && c->singles == 1 && c->largest == 4);
    }
    skein_measures_destroy(&m);
  }
  skein_run_close(run);
  unlink(path);
  rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bundles),
      cmocka_unit_test(test_clumps_need_time),
      cmocka_unit_test(test_clumps_move_as_one),
      cmocka_unit_test(test_share_of_length),
      cmocka_unit_test(test_volume),
      cmocka_unit_test(test_envelope),
      cmocka_unit_test(test_walks),
      cmocka_unit_test(test_motion),
      cmocka_unit_test(test_rubs),
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_run),
      cmocka_unit_test(test_run_with_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
