/* What the tests share: problems, comparisons, a hash. Every test_*.c is a program of its own, so all is inline. */
#ifndef SKEIN_TESTS_SUPPORT_H
#define SKEIN_TESTS_SUPPORT_H

#include "base/base.h"
#include "sparse/sparse.h"

#include <math.h>
#include <setjmp.h>
#include <skein/skein.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Builds that look at every access, or that are not optimised: the tests take fewer samples there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
#define SLOW_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOW_BUILD 1
#endif
#endif
#ifndef SLOW_BUILD
#define SLOW_BUILD 0
#endif

/* ---- Expectations ---- */

static inline void expect_ok(skein_status s)
{
  assert_string_equal(s.message, "");
  assert_int_equal(s.code, SKEIN_OK);
}

static inline void expect_bad(skein_status s, const char *part)
{
  assert_int_equal(s.code, SKEIN_BAD_INPUT);
  if (!strstr(s.message, part)) fail_msg("\"%s\" does not contain \"%s\"", s.message, part);
}

/* a <= b; says both numbers, and what they are, when not. NaN fails. */
static inline void expect_at_most(double a, double b, const char *what)
{
  if (!(a <= b)) fail_msg("%s: %g, expected at most %g", what, a, b);
}

static inline double largest(const double *a, size_t count)
{
  double most = 0;
  for (size_t k = 0; k < count; k++) most = isnan(a[k]) ? INFINITY : fmax(most, fabs(a[k]));
  return most;
}

static inline double largest_difference(const double *a, const double *b, size_t count)
{
  double most = 0;
  for (size_t k = 0; k < count; k++) most = isnan(a[k] - b[k]) ? INFINITY : fmax(most, fabs(a[k] - b[k]));
  return most;
}

/* FNV-1a over bytes: the same hash, the same bits. */
static inline uint64_t fnv(const void *data, size_t bytes)
{
  const unsigned char *c = data;
  uint64_t h = 14695981039346656037u;
  for (size_t k = 0; k < bytes; k++) h = (h ^ c[k]) * 1099511628211u;
  return h;
}

/* ---- Problems ---- */

static inline size_t size_of(const skein_problem *p)
{
  return (size_t)p->d * (size_t)p->contacts;
}

static inline skein_problem make_manufactured(int d, int objects, int contacts, double mu, uint64_t seed,
                                              skein_solution *answer)
{
  skein_manufactured_def def = skein_default_manufactured_def();
  skein_problem p;
  def.d = d, def.objects = objects, def.contacts = contacts, def.mu = mu, def.seed = seed;
  expect_ok(skein_make_manufactured(&def, &p, answer));
  return p;
}

static inline skein_problem make_hairlike(int rods, int contacts, double mu, uint64_t seed)
{
  skein_hairlike_def def = skein_default_hairlike_def();
  skein_problem p;
  def.rods = rods, def.contacts = contacts, def.mu = mu, def.seed = seed;
  expect_ok(skein_make_hairlike(&def, &p));
  return p;
}

static inline skein_problem make_reduced(const skein_problem *global)
{
  skein_problem p;
  expect_ok(skein_problem_reduce(global, &p));
  return p;
}

/* A reduced problem from a dense W, by rows; entries that are zero are not stored. */
static inline skein_problem make_dense(int d, int contacts, const double *W, const double *b, const double *mu)
{
  skein_problem p = {.form = SKEIN_REDUCED, .d = d, .contacts = contacts};
  int size = d * contacts;
  int64_t at = 0;
  expect_ok(sk_csr_create(size, size, (int64_t)size * size, &p.W));
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++)
      if (W[i * size + j] != 0) p.W.col[at] = j, p.W.val[at++] = W[i * size + j];
    p.W.start[i + 1] = at;
  }
  p.b = sk_calloc((size_t)size, sizeof *p.b), p.mu = sk_calloc((size_t)contacts, sizeof *p.mu);
  assert_true(p.b && p.mu);
  for (int i = 0; i < size; i++) p.b[i] = b[i];
  for (int i = 0; i < contacts; i++) p.mu[i] = mu[i];
  return p;
}

/* W of a reduced problem as a dense matrix, by rows; the caller frees it. */
static inline double *dense_W(const skein_problem *p)
{
  size_t size = size_of(p);
  double *W = sk_calloc(size * size, sizeof *W);
  assert_non_null(W);
  for (size_t i = 0; i < size; i++)
    for (int64_t k = p->W.start[i]; k < p->W.start[i + 1]; k++) W[i * size + (size_t)p->W.col[k]] += p->W.val[k];
  return W;
}

/* ---- Solving ---- */

/* Solves and checks what every solve must keep: the error it reports is the true one, converged says what the error
 * says, everything is finite, and r is not worse than r = 0 unless it started elsewhere. */
static inline skein_solve_info solve(const skein_problem *p, const skein_solve_def *def, skein_solution *s)
{
  skein_solve_info info;
  skein_error error, zero;
  if (!s->r) expect_ok(skein_solution_create(p, s));
  double *nothing = sk_calloc(size_of(p), sizeof *nothing), *u = sk_calloc(size_of(p), sizeof *u);
  expect_ok(skein_solve(p, def, s, &info));
  expect_ok(skein_problem_error(p, s->r, &error, u, NULL));
  expect_ok(skein_problem_error(p, nothing, &zero, NULL, NULL));
  assert_true(isfinite(largest(s->r, size_of(p))));
  expect_at_most(largest_difference(u, s->u, size_of(p)), 1e-12 * largest(u, size_of(p)), "u against W r + b");
  expect_at_most(fabs(info.error.rel - error.rel), 1e-9 * error.rel + 1e-14, "reported against true error_rel");
  expect_at_most(fabs(info.error.fb - error.fb), 1e-9 * error.fb + 1e-14 * largest(u, size_of(p)),
                 "reported against true error_fb");
  assert_int_equal(info.converged, (def->measure == SKEIN_ERROR_FB ? info.error.fb : info.error.rel) <= def->tol);
  if (!def->warm_start) expect_at_most(error.rel, fmax(zero.rel, def->tol), "error against that of r = 0");
  assert_int_equal(info.stick + info.slide + info.open, p->contacts);
  free(nothing);
  free(u);
  return info;
}

#endif
