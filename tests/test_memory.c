/* A malloc that fails at call k, for every k: each function returns SKEIN_NO_MEMORY or succeeds, and leaks nothing (the
 * sanitizer looks at that). The linker sends malloc, calloc, realloc and aligned_alloc of our objects here; libraries
 * keep their own. */
#include "memory_support.h"
#include "support.h"

#include <unistd.h>

/* ---- The loop ---- */

static int misreported; /* failures that were not called out of memory: looked at when the test has cleaned up */

typedef skein_status (*job)(void *context);

/* Runs the job with a failure at call k = 0, 1, ... until it runs to the end without one. A job frees what it made. */
static void fail_everywhere(const char *name, job run, void *context)
{
  int wrong = 0;
  for (int k = 0;; k++) {
    if (k > 100000) fail_msg("%s never ends", name);
    atomic_store(&calls_left, k);
    skein_status s = run(context);
    bool failed = atomic_load(&calls_left) < 0; /* the failing call was reached */
    atomic_store(&calls_left, -1);
    if (s.code != SKEIN_OK && s.code != SKEIN_NO_MEMORY)
      printf("  %s, call %d fails: \"%s\", expected out of memory\n", name, k, s.message), wrong++;
    if (!failed) {
      expect_ok(s);
      assert_true(k > 0);
      misreported += wrong;
      printf("  %-24s %d allocations\n", name, k);
      return;
    }
    if (s.code) assert_true(strlen(s.message) > 0);
  }
}

/* ---- Jobs ---- */

typedef struct solving {
  const skein_problem *p;
  skein_solve_def def;
  double *r; /* solution->u is made by the call itself when it is NULL */
} solving;

static skein_status run_solve(void *context)
{
  solving *c = context;
  skein_solve_info info;
  skein_solution s = {.r = c->r};
  return skein_solve(c->p, &c->def, &s, &info);
}

static skein_status run_reduce(void *context)
{
  skein_problem reduced;
  skein_status s = skein_problem_reduce(context, &reduced);
  if (s.code == SKEIN_OK) skein_problem_destroy(&reduced);
  return s;
}

static skein_status run_describe(void *context)
{
  skein_problem_info info;
  return skein_problem_describe(context, &info);
}

static skein_status run_check(void *context)
{
  return skein_problem_check(context);
}

static skein_status run_error(void *context)
{
  solving *c = context;
  skein_error error;
  return skein_problem_error(c->p, c->r, &error, NULL, NULL);
}

static skein_status run_lcp(void *context)
{
  static const double A[4] = {2, 1, 1, 2}, b[2] = {-1, -2};
  double z[2], error;
  skein_lcp_info info;
  (void)context;
  skein_status s = skein_lcp_solve(2, A, b, NULL, z, NULL, &info);
  return s.code == SKEIN_OK ? skein_lcp_error(2, A, b, z, &error) : s;
}

static skein_status run_create(void *context)
{
  skein_solution s;
  skein_status status = skein_solution_create(context, &s);
  if (status.code == SKEIN_OK) skein_solution_destroy(&s);
  return status;
}

static skein_status run_hairlike(void *context)
{
  skein_problem p;
  skein_status s = skein_make_hairlike(context, &p);
  if (s.code == SKEIN_OK) skein_problem_destroy(&p);
  return s;
}

static skein_status run_manufactured(void *context)
{
  skein_problem p;
  skein_solution answer;
  skein_status s = skein_make_manufactured(context, &p, &answer);
  if (s.code == SKEIN_OK) skein_problem_destroy(&p), skein_solution_destroy(&answer);
  return s;
}

typedef struct filing {
  char path[256];
  skein_fclib file;
} filing;

static skein_status run_write(void *context)
{
  filing *c = context;
  return skein_fclib_write(c->path, &c->file);
}

static skein_status run_read(void *context)
{
  filing *c = context;
  skein_fclib file;
  skein_status s = skein_fclib_read(c->path, &file);
  if (s.code == SKEIN_OK) skein_fclib_destroy(&file);
  return s;
}

static skein_status run_save(void *context)
{
  filing *c = context;
  return skein_fclib_save_solution(c->path, &c->file.problem, &c->file.solution);
}

/* A rod made, loaded, moved, relaxed, and its modes. */
static skein_status run_rod(void *context)
{
  skein_rod *rod = NULL;
  skein_env env = skein_default_env();
  skein_rod_step_def step = skein_default_rod_step_def();
  skein_relax_def relax = skein_default_relax_def();
  skein_relax_info info;
  skein_rod_load load = {.s = 0.1, .force = {1e-6, 0, 0}, .torque = {0, 1e-9, 0}};
  skein_rod_hold hold = {.s = 0.05, .target = skein_default_pose(), .stiffness = {1e-4, 0, 0}};
  double omega2;
  step.threads = 1, step.dt = 1e-12, relax.max_iterations = 2, relax.load_steps = 1;
  skein_status s = skein_rod_create(context, &rod);
  if (s.code == SKEIN_OK) s = skein_rod_set_loads(rod, &load, 1);
  if (s.code == SKEIN_OK) s = skein_rod_set_holds(rod, &hold, 1);
  if (s.code == SKEIN_OK) s = skein_rods_step(&rod, 1, &env, &step);
  if (s.code == SKEIN_OK) s = skein_rod_relax(rod, &env, &relax, &info);
  if (s.code == SKEIN_OK) s = skein_rod_modes(rod, &env, 1, &omega2, NULL);
  skein_rod_destroy(rod);
  return s;
}

/* ---- Tests ---- */

static void rods(void **unused)
{
  (void)unused;
  const double natural[6] = {10, 0, 5, 0, 10, 0};
  skein_rod_def def = skein_default_rod_def();
  def.natural = def.initial = natural, def.naturals = def.initials = 2;
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++) {
    def.model = (skein_rod_model)m;
    fail_everywhere(skein_rod_model_name(def.model), run_rod, &def);
  }
}

/* Every method, on both forms, with one island and with several. */
static void solvers(void **unused)
{
  (void)unused;
  for (int kind = 0; kind < 4; kind++) {
    skein_solution answer;
    skein_problem global = make_manufactured(3, kind < 2 ? 4 : 12, kind < 2 ? 8 : 6, 0.4, 3, &answer);
    skein_problem reduced = make_reduced(&global);
    solving c = {.p = kind % 2 ? &reduced : &global, .def = skein_default_solve_def(), .r = answer.r};
    c.def.threads = 1, c.def.max_sweeps = 60;
    for (int m = 0; m < SKEIN_METHOD_COUNT; m++) {
      c.def.method = (skein_method)m;
      fail_everywhere(skein_method_name(c.def.method), run_solve, &c);
    }
    c.def.operator_form = SKEIN_EXPLICIT;
    fail_everywhere("auto explicit", run_solve, &c);
    skein_problem_destroy(&global);
    skein_problem_destroy(&reduced);
    skein_solution_destroy(&answer);
  }
}

/* A solver that has solved a problem solves it again, and smaller ones, where no call succeeds. */
static void solver_keeps_memory(void **unused)
{
  (void)unused;
#if defined(__SANITIZE_ADDRESS__)
  skip(); /* arenas give everything back there */
#endif
  skein_problem hair = make_hairlike(10, 40, 0.4, 2), p[2] = {make_reduced(&hair), {0}};
  const double W[9] = {2, 0.5, 0, 0.5, 1, 0, 0, 0, 1}, b[3] = {-1, 1, 0.5}, mu[1] = {0.3};
  p[1] = make_dense(3, 1, W, b, mu);
  skein_solver *solver = skein_solver_create();
  skein_solve_def def = skein_default_solve_def();
  def.threads = 1;
  for (int k = 0; k < 12; k++) {
    skein_solution s, alone;
    skein_solve_info info;
    const skein_problem *q = &p[k % 2];
    expect_ok(skein_solution_create(q, &s)), expect_ok(skein_solution_create(q, &alone));
    atomic_store(&calls_left, k < 4 ? -1 : 0);
    skein_status status = skein_solver_solve(solver, q, &def, &s, &info);
    assert_int_equal(atomic_exchange(&calls_left, -1), k < 4 ? -1 : 0); /* nobody asked */
    expect_ok(status);
    assert_true(info.converged);
    expect_ok(skein_solve(q, &def, &alone, &info));
    assert_memory_equal(s.r, alone.r, size_of(q) * sizeof *s.r);
    skein_solution_destroy(&s), skein_solution_destroy(&alone);
  }
  skein_solver_destroy(solver);
  skein_solver_destroy(NULL);
  for (int k = 0; k < 2; k++) skein_problem_destroy(&p[k]);
  skein_problem_destroy(&hair);
}

/* `auto` where it leaves Gauss-Seidel for the interior point. */
static void switching(void **unused)
{
  (void)unused;
  skein_problem p = make_hairlike(16, 200, 0.3, 1);
  double *r = sk_calloc(size_of(&p), sizeof *r);
  solving c = {.p = &p, .def = skein_default_solve_def(), .r = r};
  c.def.threads = 1, c.def.max_sweeps = SLOW_BUILD ? 200 : 400, c.def.tol = 1e-12;
  fail_everywhere("auto, switching", run_solve, &c);
  free(r);
  skein_problem_destroy(&p);
}

/* What is done to a problem without solving it. */
static void problems(void **unused)
{
  (void)unused;
  skein_solution answer;
  skein_problem global = make_manufactured(3, 6, 10, 0.4, 3, &answer), reduced = make_reduced(&global);
  solving c = {.p = &global, .r = answer.r};
  fail_everywhere("reduce", run_reduce, &global);
  fail_everywhere("describe global", run_describe, &global);
  fail_everywhere("describe reduced", run_describe, &reduced);
  fail_everywhere("check", run_check, &global);
  fail_everywhere("error global", run_error, &c);
  c.p = &reduced;
  fail_everywhere("error reduced", run_error, &c);
  fail_everywhere("solution", run_create, &global);
  fail_everywhere("lcp", run_lcp, NULL);
  skein_problem_destroy(&global);
  skein_problem_destroy(&reduced);
  skein_solution_destroy(&answer);
}

static void generators(void **unused)
{
  (void)unused;
  skein_hairlike_def hair = skein_default_hairlike_def();
  skein_manufactured_def made = skein_default_manufactured_def();
  hair.rods = 6, hair.contacts = 10, made.objects = 4, made.contacts = 10;
  fail_everywhere("hairlike", run_hairlike, &hair);
  fail_everywhere("manufactured", run_manufactured, &made);
}

/* Files of both forms: written, read, and given a solution. A write that failed leaves the old file whole. */
static void files(void **unused)
{
  (void)unused;
  const char *folder = getenv("TMPDIR");
  for (int k = 0; k < 2; k++) {
    filing c = {0};
    skein_solution answer;
    skein_problem global = make_manufactured(3, 4, 6, 0.4, 3, &answer);
    c.file.problem = k ? make_reduced(&global) : global;
    c.file.solution = answer;
    if (k) c.file.solution.v = NULL;
    snprintf(c.path, sizeof c.path, "%s/skein-test-memory-%ld.hdf5", folder ? folder : "/tmp", (long)getpid());
    fail_everywhere("write", run_write, &c);
    fail_everywhere("read", run_read, &c);
    fail_everywhere("save", run_save, &c);
    expect_ok(run_read(&c));
    remove(c.path);
    if (k) skein_problem_destroy(&c.file.problem);
    skein_problem_destroy(&global);
    skein_solution_destroy(&answer);
  }
  assert_int_equal(misreported, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solvers),  cmocka_unit_test(solver_keeps_memory), cmocka_unit_test(switching),
      cmocka_unit_test(problems), cmocka_unit_test(generators),          cmocka_unit_test(rods),
      cmocka_unit_test(files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
