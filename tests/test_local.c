/* One-contact solvers over random problems: condition 1 to 1e8, mu 0 to 2, singular and nearly singular W, scales from
 * 1e-12 to 1e12 of W and of b, always with a solution. */
#include "friction/local.h"
#include "support.h"

static const double tol = 1e-9;

/* ---- Problems ---- */

typedef struct one {
  int d;
  double W[9], b[3], mu;
  double known; /* |r|_1 of the solution that it was made from; infinite where b is free */
} one;

/* Rows of Q: d orthonormal vectors. */
static void draw_frame(sk_random *g, int d, double *Q)
{
  for (int a = 0; a < d; a++) {
    double *q = Q + d * a, norm = 0;
    for (int k = 0; k < d; k++) q[k] = sk_random_normal(g);
    for (int pass = 0; pass < 2; pass++)
      for (int c = 0; c < a; c++) {
        double along = 0;
        for (int k = 0; k < d; k++) along += q[k] * Q[d * c + k];
        for (int k = 0; k < d; k++) q[k] -= along * Q[d * c + k];
      }
    for (int k = 0; k < d; k++) norm += q[k] * q[k];
    for (int k = 0; k < d; k++) q[k] /= sqrt(norm);
  }
}

/* W = Q' diag(s) Q: the largest s is 1, the others follow the kind of matrix. */
typedef enum rank { REGULAR, NEARLY_SINGULAR, RANK_TWO, RANK_ONE } rank;

static void draw_matrix(sk_random *g, rank kind, one *p)
{
  int d = p->d;
  double Q[9], exponent = sk_random_uniform(g, 0, 8), s[3] = {1, pow(10, -exponent * sk_random_uniform(g, 0, 1)), 0};
  s[d - 1] = pow(10, -exponent);
  if (kind == NEARLY_SINGULAR) s[d - 1] = pow(10, -sk_random_uniform(g, 8, 17));
  if (kind == RANK_TWO || kind == RANK_ONE) s[d - 1] = 0;
  if (kind == RANK_ONE) s[1] = 0;
  draw_frame(g, d, Q);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      p->W[d * i + j] = 0;
      for (int k = 0; k < d; k++) p->W[d * i + j] += s[k] * (Q[d * k + i] * Q[d * k + j]);
    }
}

/* b = u - W r from a chosen state: open, stick or slide. */
static void choose_state(sk_random *g, one *p)
{
  double angle = sk_random_uniform(g, 0, 6.3), t[2] = {cos(angle), sin(angle)}, r[3] = {0}, u[3] = {0};
  double size = pow(10, sk_random_uniform(g, -3, 3)), slip = pow(10, sk_random_uniform(g, -6, 3));
  double part = sk_random_uniform(g, 0, 1);
  int status = sk_random_int(g, 8); /* mostly stick and slide: take-off is trivial */
  if (p->d == 2) t[0] = angle < 3 ? 1 : -1;
  if (status > 0) r[0] = size;
  else u[0] = size;
  for (int k = 1; k < p->d; k++) {
    bool slide = status > 4;
    if (status > 0) r[k] = (slide ? 1 : part) * p->mu * size * t[k - 1];
    if (status == 0 || slide || p->mu == 0) u[k] = -slip * t[k - 1];
  }
  p->known = 0;
  for (int i = 0; i < p->d; i++) {
    p->b[i] = u[i], p->known += fabs(r[i]);
    for (int j = 0; j < p->d; j++) p->b[i] -= p->W[p->d * i + j] * r[j];
  }
}

/* A free b needs a positive definite W for a solution to exist; all others are made from a chosen state. */
static one draw_one(sk_random *g)
{
  int dice = sk_random_int(g, 100);
  rank kind = dice < 76 ? REGULAR : dice < 84 ? NEARLY_SINGULAR : dice < 95 ? RANK_TWO : RANK_ONE;
  one p = {
      .known = INFINITY, .d = sk_random_int(g, 8) ? 3 : 2, .mu = sk_random_int(g, 11) ? sk_random_uniform(g, 0, 2) : 0};
  if (sk_random_int(g, 16) == 0) p.mu *= 1e-6;
  draw_matrix(g, kind, &p);
  if (kind == REGULAR && sk_random_int(g, 3)) {
    for (int i = 0; i < p.d; i++) p.b[i] = sk_random_normal(g);
    if (sk_random_int(g, 8)) p.b[0] = -fabs(p.b[0]) * pow(10, -sk_random_uniform(g, 0, 6));
  } else {
    choose_state(g, &p);
  }
  double size = pow(10, sk_random_uniform(g, -12, 12)), speed = pow(10, sk_random_uniform(g, -12, 12));
  for (int i = 0; i < p.d * p.d; i++) p.W[i] *= size;
  for (int i = 0; i < p.d; i++) p.b[i] *= speed;
  p.known *= speed / size;
  return p;
}

static double error_of(const one *p, const double *r, double *u)
{
  for (int i = 0; i < p->d; i++) {
    u[i] = p->b[i];
    for (int j = 0; j < p->d; j++) u[i] += p->W[p->d * i + j] * r[j];
  }
  return sk_contact_error(p->d, r, u, p->mu, sk_scale_make(p->d, 1, p->W, p->b));
}

/* 1e-9, or, where W r cancels against b so much that a double r of that size cannot do better, the rounding of r
 * itself: 2e-15 |r|_1 w / U. Where a smaller solution is known, its rounding counts: a huge r near a singular direction
 * is then no excuse. */
static double reachable(const one *p, const double *r)
{
  sk_scale s = sk_scale_make(p->d, 1, p->W, p->b);
  double norm = 0;
  for (int i = 0; i < p->d; i++) norm += fabs(r[i]);
  return fmax(tol, 2e-15 * fmin(norm, p->known) * s.w / s.U);
}

/* ---- Solvers over a set of problems ---- */

enum { batch = 1000 };

typedef struct tally {
  skein_local local;
  bool failsafe;
  skein_ball ball;
  long solved, missed, far; /* above what is reachable; above 1e-3 */
  double worst, seconds;
  one first; /* of the missed ones */
} tally;

static void solve_one(const tally *t, const one *p, double *r, bool *converged)
{
  if (t->ball == SKEIN_BALL_AUGMENTED) {
    expect_ok(skein_solve_one(p->d, p->W, p->b, p->mu, t->local, t->failsafe, tol, r, converged));
    return;
  }
  sk_local_counts counts = {0};
  sk_one full = sk_one_make(p->d, p->W, p->b, p->mu);
  double x[3] = {0};
  full.ball = t->ball;
  *converged = sk_one_solve(&full, t->local, t->failsafe, sk_scale_make(p->d, 1, p->W, p->b), tol, x, &counts);
  memcpy(r, x, sizeof x);
}

static void run_batch(tally *t, const one *p, int count, double (*r)[3])
{
  static bool converged[batch];
  memset(r, 0, (size_t)count * sizeof *r);
  double started = sk_seconds();
  for (int k = 0; k < count; k++) solve_one(t, &p[k], r[k], &converged[k]);
  t->seconds += sk_seconds() - started;
  for (int k = 0; k < count; k++) {
    double u[3], e = error_of(&p[k], r[k], u);
    if (!isfinite(r[k][0] + r[k][1] + r[k][2])) fail_msg("%s returned NaN", skein_local_name(t->local));
    if (converged[k]) expect_at_most(e, tol * (1 + 1e-6), "error of an answer that is said to be converged");
    if (!(e <= reachable(&p[k], r[k])) && t->missed++ == 0) t->first = p[k];
    t->far += !(e <= 1e-3);
    t->worst = fmax(t->worst, e);
    t->solved++;
  }
}

static void print_head(void)
{
  printf("  %-16s %9s %9s %9s %11s %8s\n", "solver", "problems", "missed", ">1e-3", "worst", "mean ns");
}

static void print_tally(const tally *t)
{
  char name[32];
  snprintf(name, sizeof name, "%s%s%s", skein_local_name(t->local), t->failsafe ? "+enum" : "",
           t->ball == SKEIN_BALL_PLAIN ? ", plain" : "");
  printf("  %-16s %9ld %9ld %9ld %11.2g %8.0f\n", name, t->solved, t->missed, t->far, t->worst,
         1e9 * t->seconds / (double)t->solved);
}

static void print_problem(const one *p)
{
  printf("  first missed: d %d, mu %.17g\n  W", p->d, p->mu);
  for (int i = 0; i < p->d * p->d; i++) printf(" %.17g", p->W[i]);
  printf("\n  b");
  for (int i = 0; i < p->d; i++) printf(" %.17g", p->b[i]);
  printf("\n");
}

static void draw_batch(sk_random *g, one *p)
{
  for (int k = 0; k < batch; k++) p[k] = draw_one(g);
}

/* `secular` and `mfb+enum` solve every problem that has a solution: a million of them, no exception. */
static void exact_ones_never_fail(void **unused)
{
  (void)unused;
  static one p[batch];
  static double r[batch][3];
  sk_random g = sk_random_make(2024);
  tally t[] = {{.local = SKEIN_SECULAR}, {.local = SKEIN_MFB, .failsafe = true}};
  for (int k = 0; k < (SLOW_BUILD ? 20 : 1000); k++) {
    draw_batch(&g, p);
    for (int l = 0; l < 2; l++) run_batch(&t[l], p, batch, r);
  }
  print_head();
  for (int l = 0; l < 2; l++) print_tally(&t[l]);
  for (int l = 0; l < 2; l++)
    if (t[l].missed) print_problem(&t[l].first);
  assert_int_equal(t[0].missed, 0);
  assert_int_equal(t[1].missed, 0);
}

/* Every solver, alone and with the fail-safe, terminates and returns finite numbers; `pyramid4` and `duriez06` alone
 * are approximate (by more than 1e-3 in a good share of problems); with the fail-safe nothing is missed. */
static void all_terminate(void **unused)
{
  (void)unused;
  static one p[batch];
  static double r[batch][3];
  sk_random g = sk_random_make(7);
  tally t[2 * SKEIN_LOCAL_COUNT] = {0};
  for (int l = 0; l < 2 * SKEIN_LOCAL_COUNT; l++) t[l].local = l / 2, t[l].failsafe = l % 2;
  for (int k = 0; k < (SLOW_BUILD ? 5 : 50); k++) {
    draw_batch(&g, p);
    for (int l = 0; l < 2 * SKEIN_LOCAL_COUNT; l++) run_batch(&t[l], p, batch, r);
  }
  print_head();
  for (int l = 0; l < 2 * SKEIN_LOCAL_COUNT; l++) print_tally(&t[l]);
  for (int l = 0; l < 2 * SKEIN_LOCAL_COUNT; l++) {
    bool approximate = t[l].local == SKEIN_DURIEZ06 || t[l].local == SKEIN_PYRAMID4;
    assert_int_equal(sk_local_table[t[l].local].exact, !approximate);
    if (approximate && !t[l].failsafe) assert_true(t[l].far > t[l].solved / 10);
    if (t[l].failsafe && t[l].missed) print_problem(&t[l].first);
    if (t[l].failsafe) assert_int_equal(t[l].missed, 0);
  }
}

/* pac and dac with both balls, from zero: the augmented one misses less. */
static void two_balls(void **unused)
{
  (void)unused;
  static one p[batch];
  static double r[batch][3];
  sk_random g = sk_random_make(11);
  tally t[4] = {0};
  for (int l = 0; l < 4; l++) t[l].local = l / 2 ? SKEIN_DAC : SKEIN_PAC, t[l].ball = l % 2;
  for (int k = 0; k < (SLOW_BUILD ? 5 : 100); k++) {
    draw_batch(&g, p);
    for (int l = 0; l < 4; l++) run_batch(&t[l], p, batch, r);
  }
  print_head();
  for (int l = 0; l < 4; l++) print_tally(&t[l]);
  assert_true(t[0].missed < t[1].missed && t[2].missed < t[3].missed);
}

/* One solution only: sliding is a monotone equation when mu |w_T|/w_N sqrt(cond(Wb)) < 1. */
static bool is_unique(const one *p)
{
  sk_one full = sk_one_make(p->d, p->W, p->b, p->mu);
  sk_secular k = sk_secular_make(&full);
  double lo = fmin(k.l1, k.l2), hi = fmax(k.l1, k.l2);
  return lo > 1e-4 * hi && p->mu * hypot(k.w1, k.w2) * sqrt(hi / lo) < 1 && lo * k.inv_wN > 1e-4 && hi * k.inv_wN < 1e4;
}

/* Where the solution is unique, exact solvers that say they have it have the same u. */
static void exact_ones_agree(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(11);
  int compared[SKEIN_LOCAL_COUNT] = {0};
  for (int tried = 0; tried < (SLOW_BUILD ? 3000 : 30000); tried++) {
    one p = draw_one(&g);
    if (!is_unique(&p)) continue;
    double u[3], v[3], r[3] = {0}, U = sk_scale_make(p.d, 1, p.W, p.b).U;
    bool good;
    expect_ok(skein_solve_one(p.d, p.W, p.b, p.mu, SKEIN_SECULAR, false, 1e-12, r, &good));
    error_of(&p, r, u);
    for (int l = SKEIN_SECULAR + 1; l < SKEIN_LOCAL_COUNT && good; l++) {
      bool same;
      memset(r, 0, sizeof r);
      expect_ok(skein_solve_one(p.d, p.W, p.b, p.mu, (skein_local)l, false, 1e-12, r, &same));
      if (!same) continue;
      error_of(&p, r, v);
      compared[l]++;
      expect_at_most(largest_difference(u, v, (size_t)p.d) / U, 1e-6, skein_local_name((skein_local)l));
    }
  }
  for (int l = SKEIN_SECULAR + 1; l < SKEIN_LOCAL_COUNT; l++) {
    printf("  %-10s agrees with secular in %d problems\n", skein_local_name((skein_local)l), compared[l]);
    if (sk_local_table[l].exact) assert_true(compared[l] > 100);
  }
}

/* The largest a > 0 where g falls through the right side, by a fine search; 0: none. */
static double last_slide(const sk_secular *k, const double *b)
{
  double beta1 = k->c * b[1] + k->s * b[2] - b[0] * k->w1, beta2 = -k->s * b[1] + k->c * b[2] - b[0] * k->w2;
  double found = 0, above = -1, size = fmax(k->l1, k->l2);
  for (double a = 1e-6 * size; a < 1e6 * size; a *= 1.02) {
    double y1 = beta1 / (k->l1 + a), y2 = beta2 / (k->l2 + a);
    double miss = hypot(y1, y2) - k->mu * (k->w1 * y1 + k->w2 * y2) + k->mu * b[0] * k->inv_wN;
    if (above > 0 && miss <= 0) found = a;
    above = miss;
  }
  return found;
}

/* Where a contact may stick and may slide, a visit stays with what it does; both answers are exact. Where the theory
 * says that there is one answer, there is one. */
static void visits_stay(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(5);
  int both = 0;
  for (int tried = 0; tried < (SLOW_BUILD ? 2000 : 5000); tried++) {
    double stuck[3], slid[3], start[3], u[3], mu = 0.3, turn = sk_random_uniform(&g, 0, 7),
                                              way = sk_random_uniform(&g, 0, 7);
    double size = sk_random_uniform(&g, 0.5, 0.95) / mu, w1 = size * cos(turn), w2 = size * sin(turn);
    double l2 = exp(sk_random_uniform(&g, -5, 0)), e = w1 * cos(way) + w2 * sin(way);
    double T = mu * sk_random_uniform(&g, 0.8, 1) / (1 - mu * e); /* sticks with |r_T| near mu r_N, r_N = 1 + w . y */
    double W[9] = {1, w1, w2, w1, 1 + w1 * w1, w1 * w2, w2, w1 * w2, l2 + w2 * w2};
    sk_one p = sk_one_make(3, W, (double[3]){-1, T * cos(way) - w1, T * sin(way) * l2 - w2}, mu);
    const double *b = p.b;
    sk_secular k = sk_secular_make(&p);
    if (!sk_secular_stick(&k, b, stuck)) continue;
    double a = last_slide(&k, b);
    if (!(a > 0)) continue;
    assert_true(k.several);
    both++, k.a = a;
    assert_true(sk_secular_slide(&k, b, slid));
    expect_at_most(sk_one_error(&p, slid), 1e-9, "error, sliding");
    expect_at_most(sk_one_error(&p, stuck), 1e-9, "error, sticking");
    for (int slides = 0; slides < 2; slides++) {
      const double *own = slides ? slid : stuck;
      sk_secular fresh = sk_secular_make(&p);
      memcpy(start, own, sizeof start);
      for (int visit = 0; visit < 3; visit++) {
        sk_one_velocity(&p, start, u);
        assert_true(sk_secular_visit(&fresh, u, start));
        expect_at_most(largest_difference(start, own, 3), 1e-6 * (slid[0] + stuck[0]), "a visit's jump");
      }
    }
  }
  printf("  %d contacts that may stick and may slide\n", both);
  assert_true(both > 20);
}

/* ---- Degenerate and bad input ---- */

/* Every solver with and without the fail-safe: the answer where it is known in closed form. */
static void expect_answer(const one *p, bool solvable, const double *answer)
{
  for (int l = 0; l < 2 * SKEIN_LOCAL_COUNT; l++) {
    bool approximate = !sk_local_table[l / 2].exact && !(l % 2), converged;
    double r[3] = {0};
    expect_ok(skein_solve_one(p->d, p->W, p->b, p->mu, (skein_local)(l / 2), l % 2, tol, r, &converged));
    assert_true(isfinite(largest(r, 3)));
    if (approximate) continue;
    assert_int_equal(converged, solvable);
    if (solvable)
      expect_at_most(largest_difference(r, answer, (size_t)p->d), 1e-8, skein_local_name((skein_local)(l / 2)));
  }
}

/* W = 0, b = 0, w_N = 0, mu = 0: each has a defined answer, or is said to have none. */
static void degenerate(void **unused)
{
  (void)unused;
  const double zero[3] = {0}, stop[3] = {0.5, 0, 0}, hold[3] = {1, -0.25, 0};
  expect_answer(&(one){.d = 3, .mu = 0.5}, true, zero);
  expect_answer(&(one){.d = 3, .mu = 0.5, .b = {1, 2, 3}}, true, zero);
  expect_answer(&(one){.d = 3, .mu = 0.5, .b = {-1, 2, 3}}, false, zero);
  expect_answer(&(one){.d = 2, .mu = 0.5, .b = {-1, 2}}, false, zero);
  expect_answer(&(one){.d = 3, .mu = 0.5, .W = {0, 0, 0, 0, 1, 0, 0, 0, 1}, .b = {-1, 2, 3}}, false, zero);
  expect_answer(&(one){.d = 3, .mu = 0, .W = {0, 0, 0, 0, 1, 0, 0, 0, 1}, .b = {-1, 2, 3}}, false, zero);
  expect_answer(&(one){.d = 3, .mu = 0.5, .W = {0, 0, 0, 0, 1, 0, 0, 0, 1}, .b = {0, 2, 3}}, true, zero);
  expect_answer(&(one){.d = 3, .mu = 0.5, .W = {2, 0, 0, 0, 2, 0, 0, 0, 2}}, true, zero);
  expect_answer(&(one){.d = 3, .mu = 0, .W = {2, 1, 0, 1, 2, 0, 0, 0, 2}, .b = {-1, 1, 1}}, true, stop);
  expect_answer(&(one){.d = 2, .mu = 0, .W = {2, 1, 1, 2}, .b = {-1, 1}}, true, stop);
  expect_answer(&(one){.d = 3, .mu = 0.5, .W = {2, 0, 0, 0, 2, 0, 0, 0, 2}, .b = {-2, 0.5, 0}}, true, hold);
  expect_answer(&(one){.d = 2, .mu = 0.5, .W = {2, 0, 0, 2}, .b = {-2, 0.5}}, true, hold);
}

/* An unsymmetric W, as real files have it (2e-3 relative), is solved as given. */
static void unsymmetric(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(12);
  const skein_local exact[] = {SKEIN_SECULAR, SKEIN_MFB};
  for (int k = 0; k < 20000; k++) {
    one p = {.d = 3, .mu = sk_random_uniform(&g, 0, 1), .known = INFINITY};
    draw_matrix(&g, REGULAR, &p);
    for (int i = 0; i < 9; i += 4) p.W[i] += 0.1;
    for (int i = 0; i < 9; i++) p.W[i] *= 1 + 2e-3 * sk_random_normal(&g);
    for (int i = 0; i < 3; i++) p.b[i] = sk_random_normal(&g);
    for (int l = 0; l < 2; l++) {
      double r[3] = {0}, u[3];
      bool converged;
      expect_ok(skein_solve_one(3, p.W, p.b, p.mu, exact[l], true, tol, r, &converged));
      expect_at_most(error_of(&p, r, u), reachable(&p, r), skein_local_name(exact[l]));
    }
  }
}

/* A guess, even one that is not finite, changes nothing of what is promised. */
static void any_guess(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(13);
  for (int k = 0; k < 5000; k++) {
    one p = draw_one(&g);
    double u[3], size = p.W[0] > 0 ? fabs(p.b[0]) / p.W[0] : 1;
    for (int l = 0; l < SKEIN_LOCAL_COUNT; l++) {
      double r[3] = {size * sk_random_normal(&g), size * sk_random_normal(&g), size * sk_random_normal(&g)};
      bool converged;
      if (k % 5 == 0) r[k % 3] = k % 2 ? NAN : INFINITY;
      if (k % 7 == 0) r[0] = 1e300;
      expect_ok(skein_solve_one(p.d, p.W, p.b, p.mu, (skein_local)l, true, tol, r, &converged));
      expect_at_most(error_of(&p, r, u), reachable(&p, r), skein_local_name((skein_local)l));
    }
  }
}

/* Bad input is refused with the name of the field. */
static void bad_input(void **unused)
{
  (void)unused;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 0, 0};
  double bad_W[9] = {1, 0, 0, 0, NAN, 0, 0, 0, 1}, bad_b[3] = {-1, INFINITY, 0}, r[3] = {0};
  bool converged = true;
  expect_bad(skein_solve_one(4, W, b, 0.5, SKEIN_SECULAR, false, tol, r, &converged), "d is 4");
  assert_false(converged);
  expect_bad(skein_solve_one(1, W, b, 0.5, SKEIN_SECULAR, false, tol, r, &converged), "d is 1");
  expect_bad(skein_solve_one(3, bad_W, b, 0.5, SKEIN_SECULAR, false, tol, r, &converged), "W");
  expect_bad(skein_solve_one(3, W, bad_b, 0.5, SKEIN_SECULAR, false, tol, r, &converged), "b");
  expect_bad(skein_solve_one(3, W, b, -0.5, SKEIN_SECULAR, false, tol, r, &converged), "mu");
  expect_bad(skein_solve_one(3, W, b, NAN, SKEIN_SECULAR, false, tol, r, &converged), "mu");
  expect_bad(skein_solve_one(3, W, b, INFINITY, SKEIN_SECULAR, false, tol, r, &converged), "mu");
  expect_bad(skein_solve_one(3, W, b, 0.5, SKEIN_LOCAL_COUNT, false, tol, r, &converged), "local");
  expect_bad(skein_solve_one(3, W, b, 0.5, SKEIN_SECULAR, false, -1, r, &converged), "tol");
  expect_bad(skein_solve_one(3, W, b, 0.5, SKEIN_SECULAR, false, NAN, r, &converged), "tol");
}

/* The table by name, both ways. */
static void names(void **unused)
{
  (void)unused;
  for (int l = 0; l < SKEIN_LOCAL_COUNT; l++) assert_int_equal(skein_local_find(skein_local_name((skein_local)l)), l);
  assert_int_equal(skein_local_find("secular"), SKEIN_SECULAR);
  assert_int_equal(skein_local_find("no such solver"), -1);
  assert_string_equal(skein_local_name(SKEIN_LOCAL_COUNT), "?");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_ones_never_fail),
      cmocka_unit_test(all_terminate),
      cmocka_unit_test(two_balls),
      cmocka_unit_test(exact_ones_agree),
      cmocka_unit_test(visits_stay),
      cmocka_unit_test(degenerate),
      cmocka_unit_test(unsymmetric),
      cmocka_unit_test(any_guess),
      cmocka_unit_test(bad_input),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
