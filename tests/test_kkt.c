/* The linear system of the interior point: the same answer in the coordinates of the problem as in whitened ones. */
#include "friction/kkt.h"
#include "support.h"

enum { CHAINS = 5, NODES = 9, DOFS = 3 * NODES, EACH = 4 };

/* Chains with a banded M; neighbours touch at a few places, each with the dofs of two nodes of either. */
typedef struct chains {
  skein_problem p;
  int64_t M_start[CHAINS * DOFS + 1], H_start[3 * CHAINS * EACH + 1];
  int M_col[CHAINS * DOFS * 7], H_col[3 * CHAINS * EACH * 12];
  double M_val[CHAINS * DOFS * 7], H_val[3 * CHAINS * EACH * 12], mu[CHAINS * EACH];
  double f[CHAINS * DOFS], u_f[3 * CHAINS * EACH];
} chains;

static double draw(sk_random *random)
{
  return sk_random_uniform(random, -1, 1);
}

static void fill_mass(chains *x)
{
  int64_t at = 0;
  for (int i = 0; i < CHAINS * DOFS; i++) {
    int first = i / DOFS * DOFS, place = i - first;
    for (int j = SK_MAX(0, place - 3); j <= SK_MIN(DOFS - 1, place + 3); j++, at++)
      x->M_col[at] = first + j, x->M_val[at] = j == place ? 5 + place % 3 : -0.5 / (1 + abs(j - place));
    x->M_start[i + 1] = at;
  }
}

static void fill_contacts(chains *x, int d, sk_random *random)
{
  int64_t at = 0;
  for (int i = 0; i < CHAINS * EACH; i++) {
    int a = i % CHAINS, b = (a + 1) % CHAINS, side[2] = {SK_MIN(a, b), SK_MAX(a, b)};
    x->mu[i] = i % 7 == 0 ? 0 : 0.4;
    for (int k = 0; k < d; k++) {
      for (int o = 0; o < 2; o++) {
        int node = (i * 5 + o * 3) % (NODES - 1);
        for (int e = 0; e < 6; e++, at++) x->H_col[at] = side[o] * DOFS + 3 * node + e, x->H_val[at] = draw(random);
      }
      x->H_start[d * i + k + 1] = at;
      x->u_f[d * i + k] = draw(random);
    }
  }
}

static void chains_make(chains *x, int d)
{
  sk_random random = sk_random_make(7);
  memset(x, 0, sizeof *x);
  fill_mass(x);
  fill_contacts(x, d, &random);
  for (int i = 0; i < CHAINS * DOFS; i++) x->f[i] = draw(&random);
  x->p = (skein_problem){.form = SKEIN_GLOBAL, .d = d, .contacts = CHAINS * EACH, .dofs = CHAINS * DOFS};
  x->p.mu = x->mu, x->p.f = x->f, x->p.u_f = x->u_f;
  x->p.M = (skein_csr){CHAINS * DOFS, CHAINS * DOFS, x->M_start, x->M_col, x->M_val};
  x->p.H = (skein_csr){d * CHAINS * EACH, CHAINS * DOFS, x->H_start, x->H_col, x->H_val};
}

/* out = x + G' D G x */
static void multiply(const sk_system *s, const double *D, const double *x, double *out)
{
  memcpy(out, x, (size_t)s->y_size * sizeof *out);
  for (int i = 0; i < s->n; i++) {
    double v[3] = {0, 0, 0}, q[3] = {0, 0, 0};
    for (int64_t e = s->g_start[i]; e < s->g_start[i + 1]; e++)
      for (int k = 0; k < 3 * s->g_width[e]; k++)
        v[k / s->g_width[e]] += s->G[s->g_at[e] + k] * x[s->g_y[e] + k % s->g_width[e]];
    for (int k = 0; k < 9; k++) q[k / 3] += D[9 * i + k] * v[k % 3];
    for (int64_t e = s->g_start[i]; e < s->g_start[i + 1]; e++)
      for (int k = 0; k < 3 * s->g_width[e]; k++)
        out[s->g_y[e] + k % s->g_width[e]] += s->G[s->g_at[e] + k] * q[k / s->g_width[e]];
  }
}

static void expect_solves(const sk_system *s, sk_arena *arena)
{
  sk_kkt kkt;
  sk_random random = sk_random_make(3);
  double D[9 * CHAINS * EACH], rhs[CHAINS * (DOFS + 3)], y[CHAINS * (DOFS + 3)], back[CHAINS * (DOFS + 3)];
  expect_ok(sk_kkt_make(s, arena, &kkt));
  assert_true(kkt.primal && kkt.sparse);
  for (int k = 0; k < 9 * s->n; k++) D[k] = (k % 9 % 4 == 0) * 3 + 0.5 * draw(&random); /* not symmetric */
  for (int k = 0; k < s->y_size; k++) rhs[k] = draw(&random);
  assert_true(sk_kkt_factor_primal(&kkt, D));
  sk_kkt_solve(&kkt, rhs, y);
  multiply(s, D, y, back);
  expect_at_most(largest_difference(back, rhs, (size_t)s->y_size), 1e-11, "(1 + G' D G) y - rhs");
  sk_kkt_destroy(&kkt);
}

/* The whole, and every second chain's contacts as an island would have them: with places and contacts of its own. */
static void chains_in_their_coordinates(void **state)
{
  (void)state;
  static chains x;
  for (int d = 2; d <= 3; d++) {
    sk_arena arena = {0};
    sk_system s, part;
    int rows[CHAINS * EACH], position[CHAINS * EACH] = {0}, count = 0;
    chains_make(&x, d);
    expect_ok(skein_problem_check(&x.p));
    expect_ok(sk_system_make(&x.p, SKEIN_FACTORED, 1, &arena, &s));
    expect_solves(&s, &arena);
    for (int i = CHAINS * EACH - 1; i >= 0; i--)
      if (i % CHAINS > 1) position[i] = count, rows[count++] = i;
    expect_ok(sk_system_extract(&s, rows, count, position, 1, &arena, &part));
    expect_solves(&part, &arena);
    sk_arena_free(&arena);
  }
}

/* Methods that use it end where the others do. */
static void methods_agree(void **state)
{
  (void)state;
  static chains x;
  static const skein_method methods[] = {SKEIN_GS, SKEIN_IPM, SKEIN_ADMM};
  double v[3][CHAINS * DOFS];
  chains_make(&x, 3);
  for (int k = 0; k < 3; k++) {
    skein_solve_def def = skein_default_solve_def();
    skein_solution out;
    skein_solve_info info;
    def.method = methods[k], def.tol = 1e-9, def.operator_form = SKEIN_FACTORED;
    expect_ok(skein_solution_create(&x.p, &out));
    expect_ok(skein_solve(&x.p, &def, &out, &info));
    assert_true(info.converged);
    memcpy(v[k], out.v, sizeof v[k]);
    skein_solution_destroy(&out);
  }
  for (int k = 1; k < 3; k++)
    expect_at_most(largest_difference(v[0], v[k], CHAINS * DOFS), 1e-6, skein_method_name(methods[k]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_in_their_coordinates),
      cmocka_unit_test(methods_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
