/* Verdicts, attempts and names in runs: they come back as they went in; runs that were made before have none and say
 * so; what no judge could have written is refused. */
#include "run_support.h"

#include "output/output.h"

/* Opens the finished run to be changed, in the steps of frame 3. */
static hid_t open_steps(sk_h5 *h)
{
  hid_t group;
  expect_ok(sk_h5_extend("v.h5", h));
  group = H5Gopen2(h->file, "frames/000003/steps", H5P_DEFAULT);
  assert_true(group >= 0);
  return group;
}

static void close_steps(sk_h5 *h, hid_t group)
{
  H5Gclose(group);
  expect_ok(sk_h5_commit(h, "v.h5", false));
}

static void put_integer(const char *name, int row, int value)
{
  sk_h5 h;
  int x[64];
  hid_t group = open_steps(&h), set = H5Dopen2(group, name, H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  x[row] = value;
  assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  H5Dclose(set);
  close_steps(&h, group);
}

static void put_number(const char *name, int row, double value)
{
  sk_h5 h;
  double x[64];
  hid_t group = open_steps(&h), set = H5Dopen2(group, name, H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  x[row] = value;
  assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  H5Dclose(set);
  close_steps(&h, group);
}

static void drop_from_steps(const char *name)
{
  sk_h5 h;
  hid_t group = open_steps(&h);
  assert_true(H5Ldelete(group, name, H5P_DEFAULT) >= 0);
  close_steps(&h, group);
}

/* Of the run as it is now; `message` NULL: they are good. */
static void expect_reading(const char *message)
{
  skein_run *run;
  skein_step_info *steps;
  int count;
  expect_ok(skein_run_open("v.h5", false, &run));
  skein_status s = skein_run_steps(run, &steps, &count);
  if (message) expect_bad(s, message);
  else expect_ok(s);
  free(steps);
  skein_run_close(run);
}

static void test_nonsense(void **unused)
{
  (void)unused;
  const struct {
    const char *name;
    int row, value;
    const char *message;
  } bad[] = {{"verdict/flaws", 1, 1 << SKEIN_FLAW_COUNT, "expected a set of flaws"},
             {"verdict/flaws", 0, -1, "expected a set of flaws"},
             {"verdict/overlap_of", 2, -2, "expected -1 or more"},
             {"attempts", 1, 25, "expected 0 to 24"},
             {"attempts", 1, -1, "expected 0 to 24"},
             {"attempts", 1, 2, "rows, expected"},
             {"attempt/action", 0, SKEIN_ACTION_COUNT, "no attempt"},
             {"attempt/action", 0, -1, "no attempt"},
             {"attempt/flaws", 0, -5, "no attempt"},
             {"attempt/sweeps", 0, -5, "no attempt"},
             {"rods", 0, -1, "rods is -1"}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    make_run("v.h5", 4, RODS, true);
    expect_reading(NULL);
    put_integer(bad[k].name, bad[k].row, bad[k].value);
    expect_reading(bad[k].message);
    remove_run("v.h5");
  }
  const char *const clocks[] = {"time",         "dt",         "seconds_rods",   "seconds_solve",
                                "seconds_loop", "attempt/dt", "attempt/seconds"};
  for (size_t k = 0; k < sizeof clocks / sizeof *clocks; k++) {
    make_run("v.h5", 4, RODS, true);
    put_number(clocks[k], 0, k % 2 ? NAN : INFINITY);
    expect_reading(strchr(clocks[k], '/') ? "no attempt" : "expected a finite number");
    remove_run("v.h5");
  }
  const char *const needed[] = {"verdict/flaws", "verdict/speed", "verdict/crossed_of", "attempt", "attempt/dt"};
  for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
    make_run("v.h5", 4, RODS, true);
    drop_from_steps(needed[k]);
    expect_reading("has no '");
    remove_run("v.h5");
  }
}

static void test_refused(void **unused)
{
  (void)unused;
  skein_run *run;
  skein_frame f = make_frame(0, 3);
  skein_step_info step = {.attempts = SKEIN_ATTEMPTS + 1};
  expect_ok(skein_run_create("w.h5", &manifest, &run));
  expect_bad(skein_run_append(run, &f, &step, 1, "x", 1), "step 0: attempts is 25");
  expect_bad(skein_run_checkpoint(run, &step, 1, "x", 1), "step 0: attempts is 25");
  step = (skein_step_info){.verdict.flaws = 1u << 20};
  expect_bad(skein_run_append(run, &f, &step, 1, "x", 1), "expected a set of flaws");
  step = (skein_step_info){.attempts = 1, .attempt[0].dt = NAN};
  expect_bad(skein_run_append(run, &f, &step, 1, "x", 1), "no attempt");
  skein_run_close(run);
  skein_frame_destroy(&f);
}

/* A run of a version without verdicts: it opens, says of each step that nobody judged it, and goes on. */
static void test_before_verdicts(void **unused)
{
  (void)unused;
  skein_run *run;
  skein_step_info *steps;
  int count, unknown = 0;
  sk_h5 h;
  make_run("v.h5", 4, RODS, true);
  drop_from_steps("verdict");
  drop_from_steps("attempt");
  drop_from_steps("attempts");
  drop_from_steps("rods");
  expect_ok(sk_h5_extend("v.h5", &h));
  assert_true(H5Ldelete(h.file, "names", H5P_DEFAULT) >= 0);
  expect_ok(sk_h5_commit(&h, "v.h5", false));
  expect_ok(skein_run_open("v.h5", true, &run));
  expect_ok(append(run, 4, RODS));
  expect_ok(skein_run_finish(run));
  assert_null(skein_run_name(run, 0, 0));
  skein_run_close(run);
  expect_ok(skein_run_open("v.h5", false, &run));
  assert_int_equal(skein_run_frames(run), 5);
  expect_ok(skein_run_steps(run, &steps, &count));
  for (int k = 0; k < count; k++) {
    if (steps[k].verdict.flaws != SKEIN_FLAWS_UNKNOWN) continue;
    assert_true(steps[k].verdict.overlap.a == -1 && steps[k].verdict.overlap.size == 0 && steps[k].attempts == 0);
    unknown++;
  }
  assert_int_equal(unknown, steps_before(3));
  assert_int_equal(count, steps_before(1) + steps_before(2) + unknown + steps_before(4));
  free(steps);
  skein_run_close(run);
  remove_run("v.h5");
}

/* What was never judged stays so when it is written again. */
static void test_unknown_round_trip(void **unused)
{
  (void)unused;
  skein_run *run;
  skein_step_info step = {.verdict.flaws = SKEIN_FLAWS_UNKNOWN}, *steps;
  int count;
  skein_frame f = make_frame(0, 3);
  expect_ok(skein_run_create("u.h5", &manifest, &run));
  expect_ok(skein_run_append(run, &f, &step, 1, "x", 1));
  expect_ok(skein_run_steps(run, &steps, &count));
  assert_true(count == 1 && steps[0].verdict.flaws == SKEIN_FLAWS_UNKNOWN);
  free(steps);
  skein_run_close(run);
  skein_frame_destroy(&f);
  remove_run("u.h5");
}

/* ---- Names ---- */

static const char hair[] =
    "{\"rods\": [{\"name\": \"hair\", \"length\": 0.1, \"bundle\": {\"count\": 3, \"spacing\": 0.02}},"
    " {\"name\": \"a\\u0007b\", \"length\": 0.1, \"root\": {\"type\": \"clamped\", \"position\": [1, 0, 0]}}],"
    " \"bodies\": [{\"name\": \"head\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"position\": [0, 0, 5]}]}";

static void expect_names(const skein_run *run)
{
  assert_string_equal(skein_run_name(run, 4, 1), "hair[1]");
  assert_string_equal(skein_run_name(run, 4, 3), "a?b"); /* names are shown on terminals */
  assert_string_equal(skein_run_name(run, 4, 4), "head");
  assert_string_equal(skein_run_name(run, 6, 5), "hair[2]"); /* the sixth rod was cut off the third */
  assert_string_equal(skein_run_name(run, 6, 6), "head");
  assert_null(skein_run_name(run, 6, 7));
  assert_null(skein_run_name(run, 6, -1));
  assert_null(skein_run_name(run, 9, 8));
}

static void test_names(void **unused)
{
  (void)unused;
  skein_run *run;
  skein_scene *made;
  expect_ok(skein_scene_parse(hair, "hair", ".", NULL, 0, &made));
  assert_true(skein_scene_rods(made) == 4 && skein_scene_bodies(made) == 1);
  assert_string_equal(skein_scene_name(made, 4), "head");
  assert_null(skein_scene_name(made, 5));
  assert_null(skein_scene_name(made, -1));
  skein_manifest named = skein_scene_manifest(made);
  expect_ok(skein_run_create("n.h5", &named, &run));
  skein_scene_destroy(made);
  skein_frame f = make_frame(0, 6);
  for (int i = 0; i < 6; i++) f.rod_source[i] = i < 4 ? i : i - 3;
  expect_ok(skein_run_append(run, &f, NULL, 0, "x", 1));
  expect_names(run);
  skein_run_close(run);
  expect_ok(skein_run_open("n.h5", true, &run));
  expect_names(run);
  expect_ok(skein_run_finish(run));
  skein_run_close(run);
  expect_ok(skein_run_open("n.h5", false, &run));
  expect_names(run);
  skein_run_close(run);
  skein_frame_destroy(&f);
  remove_run("n.h5");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nonsense),           cmocka_unit_test(test_refused), cmocka_unit_test(test_before_verdicts),
      cmocka_unit_test(test_unknown_round_trip), cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
