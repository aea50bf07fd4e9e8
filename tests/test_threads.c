/* Any number of threads, the same bits: a hash of r over methods, forms and problems. Two solves at the same time do
 * not know of each other. Small enough for the thread sanitizer. */
#include "support.h"

#include <cblas.h>
#include <pthread.h>

/* Hash of r after a solve. */
static uint64_t hash_of(const skein_problem *p, const skein_solve_def *def, int threads)
{
  skein_solve_def d = *def;
  skein_solution s;
  skein_solve_info info;
  d.threads = threads;
  expect_ok(skein_solution_create(p, &s));
  expect_ok(skein_solve(p, &d, &s, &info));
  assert_int_equal(info.threads, threads);
  uint64_t h = fnv(s.r, size_of(p) * sizeof *s.r);
  assert_true(isfinite(largest(s.r, size_of(p))) && largest(s.r, size_of(p)) > 0);
  skein_solution_destroy(&s);
  return h;
}

static void expect_same_bits(const skein_problem *p, const skein_solve_def *def, const char *name)
{
  uint64_t one = hash_of(p, def, 1);
  for (int threads = 2; threads <= 4; threads++) {
    uint64_t many = hash_of(p, def, threads);
    if (many != one)
      fail_msg("%s, %s: hash %016llx with %d threads, %016llx with one", name, skein_method_name(def->method),
               (unsigned long long)many, threads, (unsigned long long)one);
  }
}

static void run_methods(const skein_problem *p, int sweeps, const char *name)
{
  const skein_method methods[] = {SKEIN_GS, SKEIN_AUTO, SKEIN_IPM};
  for (int m = 0; m < 3; m++)
    for (int form = SKEIN_EXPLICIT; form <= SKEIN_FACTORED; form++) {
      skein_solve_def def = skein_default_solve_def();
      if (form == SKEIN_FACTORED && p->form == SKEIN_REDUCED) continue;
      def.method = methods[m], def.operator_form = (skein_operator)form;
      def.max_sweeps = m == 2 ? SK_MIN(sweeps, 6) : sweeps;
      expect_same_bits(p, &def, name);
    }
}

/* A problem so large that contacts of one colour are visited in parallel. */
static void coloured(void **unused)
{
  (void)unused;
  skein_problem p = make_hairlike(400, 2100, 0.3, 1);
  run_methods(&p, SLOW_BUILD ? 5 : 60, "hairlike");
  skein_problem_destroy(&p);
}

/* The same with plain sweeps, freezing and another local solver. */
static void coloured_plain(void **unused)
{
  (void)unused;
  skein_problem p = make_hairlike(300, 2050, 0.5, 2);
  skein_solve_def def = skein_default_solve_def();
  def.method = SKEIN_GS, def.accelerate = SKEIN_ACCELERATE_NONE, def.max_sweeps = SLOW_BUILD ? 5 : 40, def.tol = 1e-3;
  expect_same_bits(&p, &def, "freezing");
  def.local = SKEIN_MFB, def.failsafe = true, def.max_sweeps = SLOW_BUILD ? 3 : 15;
  expect_same_bits(&p, &def, "mfb+enum");
  skein_problem_destroy(&p);
}

/* Many islands side by side, and one that is not. */
static void islands(void **unused)
{
  (void)unused;
  skein_solution answer;
  skein_problem p = make_manufactured(3, 400, 150, 0.4, 1, &answer), w = make_reduced(&p);
  skein_problem_info info;
  expect_ok(skein_problem_describe(&p, &info));
  assert_true(info.islands > 20);
  run_methods(&p, 1000, "islands");
  run_methods(&w, 1000, "islands, reduced");
  skein_problem_destroy(&p);
  skein_problem_destroy(&w);
  skein_solution_destroy(&answer);
}

/* ---- Somebody looks ---- */

static bool listen(void *user, const skein_progress *p)
{
  int *calls = user;
  assert_true(isfinite(p->error.rel) || p->iteration == 0);
  return ++*calls < 0;
}

/* Progress, seldom or after every sweep, with any number of threads: the bits of a solve that nobody watches, and a
 * line for every sweep. */
static void watched(void **unused)
{
  (void)unused;
  const skein_method methods[] = {SKEIN_AUTO, SKEIN_GS, SKEIN_IPM, SKEIN_ADMM, SKEIN_NEWTON_AC, SKEIN_NEWTON_MFB};
  skein_problem p[2] = {make_hairlike(40, 300, 0.6, 3), make_hairlike(250, 2050, 0.4, 4)};
  for (int i = 0; i < (SLOW_BUILD ? 1 : 2); i++)
    for (int m = 0; m < (i == 0 ? 6 : 2); m++)
      for (int mix = SKEIN_ACCELERATE_NONE; mix <= (m == 1 ? SKEIN_RELAX : SKEIN_ACCELERATE_NONE); mix++) {
        skein_solve_def def = skein_default_solve_def();
        def.method = methods[m], def.max_sweeps = m < 2 ? 300 : 20;
        if (m == 1) def.accelerate = (skein_accelerate)mix;
        uint64_t alone = hash_of(&p[i], &def, 1);
        for (int look = 0; look <= 3; look++) {
          int calls = 0;
          def.progress = listen, def.user = &calls, def.look = look;
          if (hash_of(&p[i], &def, 1 + look) != alone)
            fail_msg("%s, acceleration %d: other bits with a look after %d sweeps", skein_method_name(methods[m]), mix,
                     look);
          assert_true(calls > 1);
        }
      }
  for (int i = 0; i < 2; i++) skein_problem_destroy(&p[i]);
}

/* Many problems side by side: each has the bits that it has alone; a bad one is named, and the others are solved. */
static void batch(void **unused)
{
  (void)unused;
  enum { COUNT = 100 };
  static skein_problem p[COUNT];
  static skein_solution s[COUNT];
  static skein_solve_info info[COUNT];
  skein_solve_def def = skein_default_solve_def();
  for (int k = 0; k < COUNT; k++) {
    p[k] = make_hairlike(4 + k % 5, 5 + k % 20, 0.3, (uint64_t)k);
    expect_ok(skein_solution_create(&p[k], &s[k]));
  }
  for (int threads = 1; threads <= 4; threads += 3) {
    def.threads = threads;
    expect_ok(skein_solve_batch(COUNT, p, &def, s, info));
    for (int k = 0; k < COUNT; k++) {
      assert_true(info[k].converged);
      assert_true(fnv(s[k].r, size_of(&p[k]) * sizeof(double)) == hash_of(&p[k], &def, 1));
      memset(s[k].r, 0, size_of(&p[k]) * sizeof(double));
    }
  }
  p[61].mu[0] = -1, p[40].mu[0] = NAN;
  expect_bad(skein_solve_batch(COUNT, p, &def, s, info), "problem 40: mu[0] is nan");
  assert_true(info[99].converged);
  expect_ok(skein_solve_batch(0, NULL, &def, NULL, NULL));
  for (int k = 0; k < COUNT; k++) skein_problem_destroy(&p[k]), skein_solution_destroy(&s[k]);
}

/* ---- Two solves at once ---- */

typedef struct running {
  const skein_problem *p;
  skein_solve_def def;
  uint64_t hash;
} running;

static void *run(void *context)
{
  running *c = context;
  c->hash = hash_of(c->p, &c->def, c->def.threads);
  return NULL;
}

/* Two threads of the caller solve at the same time, each with threads of its own: the bits are those of a lone solve.
 */
static void concurrent(void **unused)
{
  (void)unused;
  skein_solution answer;
  skein_problem p[2] = {make_hairlike(300, 2050, 0.3, 1), make_manufactured(3, 60, 60, 0.4, 1, &answer)};
  for (int k = 0; k < 4; k++) {
    pthread_t thread[2];
    running c[2];
    for (int i = 0; i < 2; i++) {
      c[i] = (running){.p = &p[k == 3 ? i : k % 2], .def = skein_default_solve_def()};
      c[i].def.max_sweeps = SLOW_BUILD ? 8 : 40, c[i].def.threads = 1 + k % 2;
      c[i].def.method = k == 1 ? SKEIN_IPM : SKEIN_AUTO;
    }
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&thread[i], NULL, run, &c[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++) assert_true(c[i].hash == hash_of(c[i].p, &c[i].def, 1));
  }
  for (int i = 0; i < 2; i++) skein_problem_destroy(&p[i]);
  skein_solution_destroy(&answer);
}

/* A solve B that begins while A runs and ends after it: B waits in its progress callback until A is done. */
typedef struct overlap {
  pthread_mutex_t lock;
  pthread_cond_t change;
  bool b_runs, a_done;
  const skein_problem *p;
} overlap;

static void wait_for(overlap *o, const bool *flag)
{
  pthread_mutex_lock(&o->lock);
  while (!*flag) pthread_cond_wait(&o->change, &o->lock);
  pthread_mutex_unlock(&o->lock);
}

static void raise_flag(overlap *o, bool *flag)
{
  pthread_mutex_lock(&o->lock);
  *flag = true;
  pthread_cond_broadcast(&o->change);
  pthread_mutex_unlock(&o->lock);
}

static bool progress_a(void *user, const skein_progress *progress)
{
  (void)progress;
  wait_for(user, &((overlap *)user)->b_runs);
  return false;
}

static bool progress_b(void *user, const skein_progress *progress)
{
  (void)progress;
  raise_flag(user, &((overlap *)user)->b_runs);
  wait_for(user, &((overlap *)user)->a_done);
  return false;
}

static void solve_with(overlap *o, skein_progress_fn progress)
{
  skein_solve_def def = skein_default_solve_def();
  skein_solution s;
  skein_solve_info info;
  def.method = SKEIN_IPM, def.threads = 1, def.progress = progress, def.user = o;
  expect_ok(skein_solution_create(o->p, &s));
  expect_ok(skein_solve(o->p, &def, &s, &info));
  skein_solution_destroy(&s);
}

static void *run_b(void *context)
{
  solve_with(context, progress_b);
  return NULL;
}

/* The threads of BLAS are not ours: whatever their number, the same bits, also for objects of many dofs. */
static void blas_threads_do_not_matter(void **unused)
{
  (void)unused;
  skein_manufactured_def made = skein_default_manufactured_def();
  skein_problem p;
  skein_solution answer;
  uint64_t hash[2];
  int before = openblas_get_num_threads();
  made.objects = 2, made.dofs_per_object = SLOW_BUILD ? 200 : 500, made.contacts = 12;
  expect_ok(skein_make_manufactured(&made, &p, &answer));
  for (int m = SKEIN_GS; m <= SKEIN_IPM; m += SKEIN_IPM - SKEIN_GS) {
    skein_solve_def def = skein_default_solve_def();
    def.method = (skein_method)m;
    for (int threads = 1; threads <= 2; threads++) {
      openblas_set_num_threads(threads);
      hash[threads - 1] = hash_of(&p, &def, 1);
    }
    openblas_set_num_threads(before);
    if (hash[0] != hash[1]) fail_msg("%s: bits differ between 1 and 2 threads of BLAS", skein_method_name(def.method));
  }
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
}

/* The library keeps no global state: two overlapping solves leave the thread count of BLAS as the caller had it. */
static void blas_threads_restored(void **unused)
{
  (void)unused;
  skein_solution answer;
  skein_problem p = make_manufactured(3, 6, 6, 0.4, 1, &answer);
  overlap o = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER, .p = &p};
  pthread_t b;
  int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  assert_int_equal(pthread_create(&b, NULL, run_b, &o), 0);
  solve_with(&o, progress_a); /* cannot end before B runs ... */
  raise_flag(&o, &o.a_done);  /* ... and B cannot end before this */
  pthread_join(b, NULL);
  int after = openblas_get_num_threads();
  openblas_set_num_threads(before);
  skein_problem_destroy(&p);
  skein_solution_destroy(&answer);
  assert_int_equal(after, 2);
}

/* ---- Rods ---- */

static uint64_t step_rods(int threads)
{
  enum { RODS = 40 };
  static const skein_rod_model models[] = {SKEIN_SUPER_HELIX, SKEIN_MASS_SPRING, SKEIN_CORDE, SKEIN_DER,
                                           SKEIN_DER_PROJECTION};
  skein_rod *rods[RODS];
  skein_env env = {.gravity = {0, 0, -9.81}, .wind = {1, 0, 0}};
  skein_rod_step_def step = {.dt = 1e-3, .theta = 1, .threads = threads};
  uint64_t hash = 0;
  for (int i = 0; i < RODS; i++) {
    skein_rod_def def = skein_default_rod_def();
    double natural[3] = {10 + i, 5, 0.3 * i};
    def.model = models[i % 5], def.natural = natural, def.naturals = 1, def.drag = 1e-5, def.pose.r[0] = 0.01 * i;
    expect_ok(skein_rod_create(&def, rods + i));
  }
  for (int k = 0; k < 20; k++) expect_ok(skein_rods_step(rods, RODS, &env, &step));
  for (int i = 0; i < RODS; i++) {
    size_t size = (size_t)skein_rod_state_size(rods[i]);
    double *x = sk_calloc(size, sizeof *x);
    skein_rod_state(rods[i], x, NULL);
    assert_true(isfinite(largest(x, size)));
    hash = 31 * hash + fnv(x, sizeof(double) * size);
    free(x);
    skein_rod_destroy(rods[i]);
  }
  return hash;
}

static void rods(void **unused)
{
  (void)unused;
  uint64_t one = step_rods(1);
  for (int threads = 2; threads <= 5; threads++) assert_true(step_rods(threads) == one);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coloured),
      cmocka_unit_test(coloured_plain),
      cmocka_unit_test(islands),
      cmocka_unit_test(watched),
      cmocka_unit_test(batch),
      cmocka_unit_test(concurrent),
      cmocka_unit_test(rods),
      cmocka_unit_test(blas_threads_do_not_matter),
      cmocka_unit_test(blas_threads_restored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
