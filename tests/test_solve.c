/* The matrix of solvers and problems: known answers, both forms, real problems, and what lies at the edges. Every solve
 * is checked by the independent error (support.h: solve). */
#include "support.h"

#include <dirent.h>
#include <unistd.h>

/* The default must reach the tolerance everywhere; gs and ipm, which have no proof at large mu, nearly everywhere; the
 * others must be honest about it. */
static bool must_converge(skein_method m)
{
  return m == SKEIN_AUTO || m == SKEIN_GS || m == SKEIN_IPM;
}

static skein_solve_def definition(skein_method m)
{
  skein_solve_def def = skein_default_solve_def();
  def.method = m;
  if (!must_converge(m)) def.max_sweeps = 500;
  return def;
}

/* One problem by every method; the number of misses of those that must converge. */
static int run_methods(const skein_problem *p, const char *name, int *converged)
{
  int missed = 0;
  for (int m = 0; m < SKEIN_METHOD_COUNT; m++) {
    skein_solve_def def = definition((skein_method)m);
    skein_solution s = {0};
    skein_solve_info info = solve(p, &def, &s);
    converged[m] += info.converged;
    if (!info.converged && must_converge(def.method)) {
      printf("  %s: %s stops at %g after %d iterations\n", name, skein_method_name(def.method), info.error.rel,
             info.iterations);
      missed += def.method == SKEIN_AUTO;
    }
    skein_solution_destroy(&s);
  }
  return missed;
}

static void print_counts(const int *converged, int problems)
{
  for (int m = 0; m < SKEIN_METHOD_COUNT; m++)
    printf("  %-10s converged on %d of %d\n", skein_method_name((skein_method)m), converged[m], problems);
  assert_true(100 * converged[SKEIN_GS] >= 95 * problems);
  assert_true(100 * converged[SKEIN_IPM] >= 95 * problems);
}

/* ---- The matrix ---- */

/* Manufactured problems: d = 2, 3; mu = 0, 0.3, 1; under- and over-constrained, and several islands. */
static void manufactured_matrix(void **unused)
{
  (void)unused;
  const int shape[3][2] = {{30, 20}, {8, 40}, {60, 25}}; /* objects, contacts */
  const double mu[3] = {0, 0.3, 1};
  int converged[SKEIN_METHOD_COUNT] = {0}, missed = 0, problems = 0;
  for (int k = 0; k < 36; k++, problems += 2) {
    int d = 2 + k % 2, seed = 1 + k / 18, *s = (int[]){shape[k / 6 % 3][0], shape[k / 6 % 3][1]};
    char name[96];
    skein_solution answer;
    skein_problem p = make_manufactured(d, s[0], s[1], mu[k / 2 % 3], (uint64_t)seed, &answer), w = make_reduced(&p);
    snprintf(name, sizeof name, "d %d, %d objects, %d contacts, mu %g, seed %d", d, s[0], s[1], mu[k / 2 % 3], seed);
    missed += run_methods(&p, name, converged);
    missed += run_methods(&w, name, converged);
    skein_problem_destroy(&p);
    skein_problem_destroy(&w);
    skein_solution_destroy(&answer);
  }
  print_counts(converged, problems);
  assert_int_equal(missed, 0);
}

/* Small dense hair. */
static void hairlike_matrix(void **unused)
{
  (void)unused;
  int converged[SKEIN_METHOD_COUNT] = {0}, missed = 0, problems = 0;
  const double mu[3] = {0, 0.3, 0.8};
  for (int k = 0; k < 6; k++, problems++) {
    char name[96];
    skein_problem p = make_hairlike(12, k < 3 ? 60 : 150, mu[k % 3], (uint64_t)k);
    snprintf(name, sizeof name, "hairlike, 12 rods, %d contacts, mu %g, seed %d", p.contacts, mu[k % 3], k);
    missed += run_methods(&p, name, converged);
    skein_problem_destroy(&p);
  }
  print_counts(converged, problems);
  assert_int_equal(missed, 0);
}

/* Every local solver inside Gauss-Seidel is honest; the exact ones, with the fail-safe, converge. */
static void local_solvers(void **unused)
{
  (void)unused;
  skein_solution answer;
  skein_problem p = make_manufactured(3, 20, 20, 0.4, 5, &answer);
  for (int l = 0; l < 2 * SKEIN_LOCAL_COUNT; l++) {
    skein_solve_def def = definition(SKEIN_GS);
    skein_solution s = {0};
    def.local = (skein_local)(l / 2), def.failsafe = l % 2, def.max_sweeps = 2000;
    skein_solve_info info = solve(&p, &def, &s);
    if (def.failsafe && !info.converged) fail_msg("%s+enum stops at %g", skein_local_name(def.local), info.error.rel);
    if (!def.failsafe) assert_int_equal(info.local_alternates, 0);
    assert_true(info.local_solves > 0);
    skein_solution_destroy(&s);
  }
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
}

/* ---- Known answers ---- */

/* Solves to 1e-9 and compares u with the answer that the problem was made from, relative to the largest velocity. */
static void recover(int d, int objects, int contacts, double mu, int seed, skein_method m)
{
  skein_solution answer, s = {0};
  skein_problem p = make_manufactured(d, objects, contacts, mu, (uint64_t)seed, &answer);
  skein_solve_def def = definition(m);
  def.tol = m == SKEIN_IPM ? 1e-7 : 1e-9;
  skein_solve_info info = solve(&p, &def, &s);
  if (!info.converged)
    fail_msg("d %d, %d objects, %d contacts, mu %g, seed %d: %s stops at %g", d, objects, contacts, mu, seed,
             skein_method_name(m), info.error.rel);
  expect_at_most(largest_difference(s.u, answer.u, size_of(&p)), 1e-4 * fmax(1, largest(answer.u, size_of(&p))),
                 "u against the known answer");
  expect_at_most(largest_difference(s.v, answer.v, (size_t)p.dofs), 1e-4 * fmax(1, largest(answer.v, (size_t)p.dofs)),
                 "v against the known answer");
  skein_solution_destroy(&s);
  skein_solution_destroy(&answer);
  skein_problem_destroy(&p);
}

/* u is unique without friction, whatever the rank of W; with a small mu it is where each contact has dofs of its own.
 */
static void known_answers(void **unused)
{
  (void)unused;
  const skein_method methods[] = {SKEIN_AUTO, SKEIN_GS, SKEIN_IPM};
  for (int k = 0; k < 12; k++)
    for (int m = 0; m < 3; m++) {
      recover(2 + k % 2, 8, 30, 0, 20 + k, methods[m]);
      recover(2 + k % 2, 20, 20, 0.2, 40 + k, methods[m]);
    }
}

/* ---- Forms ---- */

static void solve_or_fail(const skein_problem *p, const skein_solve_def *def, skein_solution *s)
{
  skein_solve_info info = solve(p, def, s);
  if (!info.converged)
    fail_msg("%s, d %d, mu %g: stops at %g after %d iterations", skein_method_name(def->method), p->d, p->mu[0],
             info.error.rel, info.iterations);
}

static void expect_same_u(const skein_problem *p, const skein_solve_def *a, const skein_problem *q,
                          const skein_solve_def *b)
{
  skein_solution s = {0}, t = {0};
  solve_or_fail(p, a, &s);
  solve_or_fail(q, b, &t);
  expect_at_most(largest_difference(s.u, t.u, size_of(p)), 1e-5 * fmax(1, largest(s.u, size_of(p))), "u of two forms");
  skein_solution_destroy(&s);
  skein_solution_destroy(&t);
}

/* Explicit and factored operators, and the global problem and its reduced form, lead to the same u. */
static void forms_agree(void **unused)
{
  (void)unused;
  const skein_method methods[] = {SKEIN_AUTO, SKEIN_GS, SKEIN_IPM};
  for (int k = 0; k < 12; k++) {
    skein_solution answer;
    skein_problem p = make_manufactured(2 + k % 2, 20, 18, k % 4 ? 0.3 : 0, (uint64_t)(60 + k), &answer),
                  w = make_reduced(&p);
    skein_solve_def expl = definition(methods[k % 3]), fact = expl;
    expl.tol = fact.tol = expl.method == SKEIN_IPM ? 1e-7 : 1e-9, expl.operator_form = SKEIN_EXPLICIT,
    fact.operator_form = SKEIN_FACTORED;
    expect_same_u(&p, &expl, &p, &fact);
    expect_same_u(&w, &expl, &p, &fact);
    skein_problem_destroy(&p);
    skein_problem_destroy(&w);
    skein_solution_destroy(&answer);
  }
}

/* The factored form of a reduced problem does not exist, and that is said. */
static void factored_needs_global(void **unused)
{
  (void)unused;
  skein_solution s = {0};
  skein_problem p = make_manufactured(3, 4, 4, 0.3, 1, &s), w = make_reduced(&p);
  skein_solve_def def = skein_default_solve_def();
  skein_solve_info info;
  def.operator_form = SKEIN_FACTORED;
  expect_bad(skein_solve(&w, &def, &s, &info), "factored");
  skein_problem_destroy(&p);
  skein_problem_destroy(&w);
  skein_solution_destroy(&s);
}

/* ---- Real problems ---- */

static int run_real(const char *folder, const char *name)
{
  const skein_method methods[] = {SKEIN_AUTO, SKEIN_GS, SKEIN_IPM};
  char path[1024];
  skein_fclib file;
  int missed = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  expect_ok(skein_fclib_read(path, &file));
  for (int m = 0; m < 3; m++) {
    skein_solve_def def = definition(methods[m]);
    skein_solution s = {0};
    def.max_seconds = SLOW_BUILD ? 60 : 15;
    skein_solve_info info = solve(&file.problem, &def, &s);
    if (!info.converged) {
      printf("  %s: %s stops at %g after %d iterations, %.1f s\n", name, skein_method_name(methods[m]), info.error.rel,
             info.iterations, info.seconds);
      missed++;
    }
    skein_solution_destroy(&s);
  }
  skein_fclib_destroy(&file);
  return missed;
}

/* All real problems, by auto, gs and ipm, to 1e-6. */
static void real_problems(void **unused)
{
  (void)unused;
  const char *folder = getenv("SKEIN_FCLIB_DIR");
  DIR *dir = folder ? opendir(folder) : NULL;
  int files = 0, missed = 0;
  if (!dir) {
    printf("  skipped: SKEIN_FCLIB_DIR (%s) holds no real problems\n", folder ? folder : "not set");
    skip();
    return;
  }
  for (const struct dirent *e; (e = readdir(dir));)
    if (strstr(e->d_name, ".hdf5")) missed += run_real(folder, e->d_name), files++;
  closedir(dir);
  printf("  %d files\n", files);
  assert_int_equal(missed, 0);
}

/* ---- Edges ---- */

/* A dense problem by every method; those that must converge do. */
static void solve_dense(int d, int n, const double *W, const double *b, const double *mu, const char *name)
{
  int converged[SKEIN_METHOD_COUNT] = {0};
  skein_problem p = make_dense(d, n, W, b, mu);
  assert_int_equal(run_methods(&p, name, converged), 0);
  skein_problem_destroy(&p);
}

/* No contacts, one contact. */
static void few_contacts(void **unused)
{
  (void)unused;
  const double W[9] = {2, 0.5, 0, 0.5, 1, 0, 0, 0, 1}, b[3] = {-1, 1, 0.5}, zero[3] = {0}, mu[1] = {0.3}, high[1] = {2};
  solve_dense(3, 0, W, b, mu, "no contacts");
  solve_dense(2, 0, W, b, mu, "no contacts");
  solve_dense(3, 1, W, b, mu, "one contact");
  solve_dense(3, 1, W, b, high, "one contact, mu 2");
  solve_dense(3, 1, W, zero, mu, "b = 0");
  skein_problem none = make_dense(3, 0, W, b, mu);
  skein_solve_def def = skein_default_solve_def();
  skein_solution s = {0};
  skein_solve_info info;
  expect_ok(skein_solve(&none, &def, &s, &info)); /* no array is needed */
  assert_true(info.converged && info.islands == 0);
  skein_problem_destroy(&none);
}

/* All contacts open: r = 0 exactly, by every method. */
static void all_open(void **unused)
{
  (void)unused;
  skein_manufactured_def made = skein_default_manufactured_def();
  skein_problem p;
  skein_solution answer;
  made.open = 1, made.stick = 0, made.contacts = 30, made.objects = 20;
  expect_ok(skein_make_manufactured(&made, &p, &answer));
  for (int m = 0; m < SKEIN_METHOD_COUNT; m++) {
    skein_solve_def def = definition((skein_method)m);
    skein_solution s = {0};
    skein_solve_info info = solve(&p, &def, &s);
    assert_true(info.converged);
    if (m == SKEIN_AUTO || m == SKEIN_GS) {
      assert_true(largest(s.r, size_of(&p)) == 0);
      assert_int_equal(info.open, p.contacts);
    }
    skein_solution_destroy(&s);
  }
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
}

/* The same contact twice: W is singular, r not unique, u is. mu = 2 and a closed box of it too. */
static void duplicates(void **unused)
{
  (void)unused;
  const double block[9] = {2, 0.3, 0.1, 0.3, 1, 0, 0.1, 0, 1}, b[6] = {-1, 0.8, 0.2, -1, 0.8, 0.2};
  double W[36];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) W[6 * i + j] = block[3 * (i % 3) + j % 3];
  solve_dense(3, 2, W, b, (const double[]){0.3, 0.3}, "contact twice, mu 0.3");
  solve_dense(3, 2, W, b, (const double[]){2, 2}, "contact twice, mu 2");
  solve_dense(3, 2, W, b, (const double[]){0, 0}, "contact twice, mu 0");
  solve_dense(3, 2, W, b, (const double[]){0, 0.3}, "contact twice, two mu");
}

/* A contact that touches nothing (rows of zeros): harmless when it separates; when it closes no impulse helps, and the
 * solve says so without spoiling its neighbour. */
static void contact_with_nothing(void **unused)
{
  (void)unused;
  double W[36] = {0}, b[6] = {-1, 0.5, 0, 1, 0.5, 0};
  const double mu[2] = {0.3, 0.3};
  for (int i = 0; i < 3; i++) W[7 * i] = 1;
  solve_dense(3, 2, W, b, mu, "contact with nothing");
  b[3] = -1;
  skein_problem p = make_dense(3, 2, W, b, mu);
  for (int m = 0; m < SKEIN_METHOD_COUNT; m++) {
    skein_solve_def def = definition((skein_method)m);
    skein_solution s = {0};
    def.max_sweeps = 100;
    skein_solve_info info = solve(&p, &def, &s);
    assert_false(info.converged);
    if (must_converge(def.method)) assert_int_equal(info.error.worst, 1);
    if (must_converge(def.method)) expect_at_most(fabs(s.u[0]), 1e-4, skein_method_name(def.method));
    skein_solution_destroy(&s);
  }
  skein_problem_destroy(&p);
}

/* Numbers of a guess that are not finite count as 0. */
static void bad_guess(void **unused)
{
  (void)unused;
  skein_solution answer;
  skein_problem p = make_manufactured(3, 10, 10, 0.3, 2, &answer);
  for (int m = 0; m < SKEIN_METHOD_COUNT; m++) {
    skein_solve_def def = definition((skein_method)m);
    skein_solution s;
    expect_ok(skein_solution_create(&p, &s));
    for (size_t i = 0; i < size_of(&p); i++) s.r[i] = i % 3 ? NAN : INFINITY;
    def.warm_start = true;
    skein_solve_info info = solve(&p, &def, &s);
    if (must_converge(def.method)) assert_true(info.converged);
    skein_solution_destroy(&s);
  }
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
}

/* Few sweeps: the answer is still finite, its error honest, and it is not worse than where it started. */
static void few_sweeps(void **unused)
{
  (void)unused;
  skein_solution answer;
  skein_problem p = make_manufactured(3, 10, 30, 0.3, 2, &answer);
  skein_error start;
  for (size_t i = 0; i < size_of(&p); i++) answer.r[i] *= 1.01;
  expect_ok(skein_problem_error(&p, answer.r, &start, NULL, NULL));
  for (int m = 0; m < SKEIN_METHOD_COUNT; m++)
    for (int sweeps = 0; sweeps < 3; sweeps++) {
      skein_solve_def def = definition((skein_method)m);
      skein_solution s = {0}, warm;
      def.max_sweeps = sweeps;
      skein_solve_info info = solve(&p, &def, &s);
      if (info.iterations > sweeps)
        fail_msg("%s: %d iterations, expected at most %d", skein_method_name(def.method), info.iterations, sweeps);
      def.warm_start = true;
      expect_ok(skein_solution_create(&p, &warm));
      memcpy(warm.r, answer.r, size_of(&p) * sizeof *warm.r);
      info = solve(&p, &def, &warm);
      expect_at_most(info.error.rel, start.rel, skein_method_name(def.method));
      skein_solution_destroy(&s);
      skein_solution_destroy(&warm);
    }
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
}

/* tol = 0 cannot be reached: the solve ends at max_sweeps, or earlier where a method sees that it is stuck. */
static void zero_tolerance(void **unused)
{
  (void)unused;
  skein_solution answer;
  skein_problem p = make_manufactured(3, 6, 20, 0.3, 2, &answer);
  for (int m = 0; m < SKEIN_METHOD_COUNT; m++) {
    skein_solve_def def = definition((skein_method)m);
    skein_solution s = {0};
    def.tol = 0, def.max_sweeps = 300;
    skein_solve_info info = solve(&p, &def, &s);
    assert_true(info.iterations <= 300);
    if (must_converge(def.method)) expect_at_most(info.error.rel, 1e-6, skein_method_name(def.method));
    skein_solution_destroy(&s);
  }
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
}

/* A tiny time limit ends the solve soon, and the answer is honest. */
static void little_time(void **unused)
{
  (void)unused;
  skein_problem p = make_hairlike(30, 400, 0.3, 3);
  for (int m = 0; m < SKEIN_METHOD_COUNT; m++) {
    skein_solve_def def = definition((skein_method)m);
    skein_solution s = {0};
    def.max_seconds = 1e-9, def.tol = 1e-12, def.max_sweeps = 1000000;
    skein_solve_info info = solve(&p, &def, &s);
    assert_false(info.converged);
    assert_true(info.iterations <= 100);
    skein_solution_destroy(&s);
  }
  skein_problem_destroy(&p);
}

typedef struct watcher {
  int calls, stop_after, last;
  double best;
} watcher;

static bool watch(void *user, const skein_progress *progress)
{
  watcher *w = user;
  assert_true(progress->error.rel >= 0 && progress->seconds >= 0 && progress->iteration >= w->last);
  assert_true(skein_method_find(progress->method) > SKEIN_AUTO);
  w->last = progress->iteration, w->best = fmin(w->best, progress->error.rel);
  return ++w->calls >= w->stop_after;
}

/* The caller sees the progress, in order, and may stop it. */
static void progress(void **unused)
{
  (void)unused;
  skein_problem p = make_hairlike(12, 100, 0.3, 4);
  for (int m = 0; m < SKEIN_METHOD_COUNT; m++)
    for (int stop = 1; stop < 3; stop++) {
      skein_solve_def def = definition((skein_method)m);
      skein_solution s = {0};
      watcher w = {.stop_after = stop, .best = INFINITY};
      def.tol = 1e-14, def.progress = watch, def.user = &w, def.threads = 1;
      skein_solve_info info = solve(&p, &def, &s);
      assert_int_equal(w.calls, stop);
      assert_false(info.converged);
      expect_at_most(info.error.rel, w.best * (1 + 1e-9), skein_method_name(def.method));
      skein_solution_destroy(&s);
    }
  skein_problem_destroy(&p);
}

/* A definition or a solution that makes no sense is refused with the name of the field. */
static void bad_definitions(void **unused)
{
  (void)unused;
  skein_solution s = {0};
  skein_problem p = make_manufactured(3, 2, 2, 0.3, 1, &s);
  const skein_solve_def good = skein_default_solve_def();
  skein_solve_info info;
  skein_solve_def d = good;
  expect_bad((d = good, d.method = SKEIN_METHOD_COUNT, skein_solve(&p, &d, &s, &info)), "method");
  expect_bad((d = good, d.local = SKEIN_LOCAL_COUNT, skein_solve(&p, &d, &s, &info)), "local");
  expect_bad((d = good, d.tol = NAN, skein_solve(&p, &d, &s, &info)), "tol");
  expect_bad((d = good, d.local_tol = -1, skein_solve(&p, &d, &s, &info)), "local_tol");
  expect_bad((d = good, d.max_sweeps = -1, skein_solve(&p, &d, &s, &info)), "max_sweeps");
  expect_bad((d = (skein_solve_def){0}, skein_solve(&p, &d, &s, &info)), "tol and max_sweeps are 0");
  expect_bad((d = good, d.max_seconds = NAN, skein_solve(&p, &d, &s, &info)), "max_seconds");
  expect_bad((d = good, d.threads = -1, skein_solve(&p, &d, &s, &info)), "threads");
  expect_bad((d = good, d.operator_form = 7, skein_solve(&p, &d, &s, &info)), "operator_form");
  expect_bad((d = good, d.accelerate = 7, skein_solve(&p, &d, &s, &info)), "accelerate");
  expect_bad((d = good, d.measure = 7, skein_solve(&p, &d, &s, &info)), "measure");
  skein_solution empty = {0};
  expect_bad(skein_solve(&p, &good, &empty, &info), "solution.r");
  double keep = p.mu[1];
  p.mu[1] = -1;
  expect_bad(skein_solve(&p, &good, &s, &info), "mu[1]");
  p.mu[1] = keep, p.M.val[0] = -1;
  expect_bad(skein_solve(&p, &good, &s, &info), "M");
  skein_problem_destroy(&p);
  skein_solution_destroy(&s);
}

/* tol in the problem's own units. */
static void own_units(void **unused)
{
  (void)unused;
  skein_solution answer;
  skein_problem p = make_manufactured(3, 10, 12, 0.3, 4, &answer);
  for (int m = 0; m < SKEIN_METHOD_COUNT; m++) {
    skein_solve_def def = definition((skein_method)m);
    skein_solution s = {0};
    def.measure = SKEIN_ERROR_FB, def.tol = 1e-5;
    skein_solve_info info = solve(&p, &def, &s);
    if (must_converge(def.method)) assert_true(info.converged);
    skein_solution_destroy(&s);
  }
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
}

/* Acceleration is never much worse than plain sweeps: at most twice as many and 40 more in all but one of thirty, at
 * most five times as many in that one, and fewer over all. */
static void acceleration(void **unused)
{
  (void)unused;
  int bad = 0;
  long total[3] = {0};
  for (int k = 0; k < 30; k++) {
    skein_solution answer = {0}, s = {0};
    double mu = 0.1 + 0.03 * k;
    skein_problem p = k % 3 ? make_manufactured(3, 10, 10 + k, mu, (uint64_t)(80 + k), &answer)
                            : make_hairlike(12, 100, mu, (uint64_t)k);
    skein_solve_def def = definition(SKEIN_GS);
    int sweeps[3];
    def.freeze = false, def.max_sweeps = 20000;
    for (int a = 0; a < 3; a++) {
      def.accelerate = (skein_accelerate)a; /* plain, Anderson, over-relaxed */
      sweeps[a] = solve(&p, &def, &s).iterations;
      total[a] += sweeps[a];
    }
    if (sweeps[1] > 2 * sweeps[0] + 40)
      printf("  problem %d, mu %g: %d sweeps, plain %d\n", k, mu, sweeps[1], sweeps[0]), bad++;
    if (sweeps[1] > 5 * sweeps[0] + 40) printf("  problem %d: %d sweeps, plain %d\n", k, sweeps[1], sweeps[0]);
    assert_true(sweeps[1] <= 5 * sweeps[0] + 40);
    assert_true(sweeps[2] <= 2 * sweeps[0] + 100);
    skein_problem_destroy(&p);
    skein_solution_destroy(&answer);
    skein_solution_destroy(&s);
  }
  printf("  sweeps: plain %ld, accelerated %ld, over-relaxed %ld\n", total[0], total[1], total[2]);
  assert_true(bad <= 1 && total[1] < total[0] && total[2] < total[0]);
}

/* Objects of many dofs, meshes: W by sparse Cholesky gives the answer that is known; the factored form is refused. */
static void large_objects(void **unused)
{
  (void)unused;
  skein_manufactured_def made = skein_default_manufactured_def();
  skein_problem p;
  skein_solution answer, s = {0};
  made.objects = 3, made.dofs_per_object = 300, made.contacts = 40, made.mu = 0.4;
  expect_ok(skein_make_manufactured(&made, &p, &answer));
  skein_solve_def def = definition(SKEIN_AUTO);
  def.tol = 1e-10;
  assert_true(solve(&p, &def, &s).converged);
  for (int i = 0; i < 3 * p.contacts; i++) assert_true(fabs(s.u[i] - answer.u[i]) < 1e-6);
  def.operator_form = SKEIN_FACTORED;
  skein_solve_info info;
  assert_int_equal(skein_solve(&p, &def, &s, &info).code, SKEIN_BAD_INPUT);
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
  skein_solution_destroy(&s);
}

/* Freezing changes the way, not the answer. */
static void freezing(void **unused)
{
  (void)unused;
  for (int k = 0; k < 6; k++) {
    skein_solution answer;
    skein_problem p = make_manufactured(3, 20, 18, 0.3, (uint64_t)(90 + k), &answer);
    skein_solve_def plain = definition(SKEIN_GS), frozen;
    plain.accelerate = SKEIN_ACCELERATE_NONE, plain.freeze = false, plain.tol = 1e-8;
    frozen = plain, frozen.freeze = true;
    expect_same_u(&p, &plain, &p, &frozen);
    skein_problem_destroy(&p);
    skein_solution_destroy(&answer);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(manufactured_matrix),
      cmocka_unit_test(hairlike_matrix),
      cmocka_unit_test(local_solvers),
      cmocka_unit_test(known_answers),
      cmocka_unit_test(forms_agree),
      cmocka_unit_test(factored_needs_global),
      cmocka_unit_test(real_problems),
      cmocka_unit_test(few_contacts),
      cmocka_unit_test(all_open),
      cmocka_unit_test(duplicates),
      cmocka_unit_test(contact_with_nothing),
      cmocka_unit_test(bad_guess),
      cmocka_unit_test(few_sweeps),
      cmocka_unit_test(zero_tolerance),
      cmocka_unit_test(little_time),
      cmocka_unit_test(progress),
      cmocka_unit_test(bad_definitions),
      cmocka_unit_test(own_units),
      cmocka_unit_test(acceleration),
      cmocka_unit_test(large_objects),
      cmocka_unit_test(freezing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
