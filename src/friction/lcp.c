/* The linear complementarity problem of any dense matrix,
 *
 *     w = A z + b >= 0,   z >= 0,   z'w = 0,
 *
 * by Lemke's complementary pivoting (Lemke 1965; Cottle, Pang and Stone 1992, section 4.4). An artificial z0 with the
 * column d = 1 makes I w - A z - d z0 = b feasible; each pivot brings in the complement of what has left, until z0
 * leaves (a solution) or nothing bounds the entering one (a ray: for positive semidefinite and co-positive-plus A there
 * is no feasible point at all). Who leaves is decided by the rows of (b, B^-1) over the pivots in lexicographic order,
 * so that no basis comes twice however degenerate the problem is.
 *
 * Rows and columns are scaled by 1/sqrt(a_ii), b by its largest entry. The tableau is computed again from the basis
 * every REBUILD pivots, and the answer once more from the data. */
#include "friction/friction.h"
#include "sparse/sparse.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REBUILD = 40 };

typedef struct tableau {
  int n, pivots;
  const double *A;   /* n x n by rows, as given */
  const double *b;   /* as given */
  double *scale;     /* of rows and columns */
  double unit;       /* of b */
  double *T;         /* n x (2 n + 2) by columns: w, z, z0, right side */
  int *basis;        /* column of T that is basic in each row */
  double *enter;     /* copy of the entering column */
  double *B;         /* n x n, for LAPACK */
  lapack_int *order; /* its pivots */
  bool *tied;        /* rows that may still leave */
} tableau;

static double *column(const tableau *t, int c)
{
  return t->T + (size_t)t->n * (size_t)c;
}

static double entry(const tableau *t, int i, int j)
{
  return t->A[(size_t)t->n * (size_t)i + (size_t)j] * t->scale[i] * t->scale[j];
}

/* ---- Checks, scales and memory ---- */

/* What a unit of z_i does to w at most: the diagonal where it is positive, else the largest entry of the row. */
static double stiffness(int n, const double *A, int i)
{
  const double *row = A + (size_t)n * (size_t)i;
  double most = 0;
  if (row[i] > 0) return row[i];
  for (int j = 0; j < n; j++) most = fmax(most, fabs(row[j]));
  return most;
}

static skein_status check(int n, const double *A, const double *b, const double *z)
{
  if (n < 0) return sk_fail(SKEIN_BAD_INPUT, "lcp: n is %d, expected at least 0", n);
  if (n > 0 && (!A || !b || !z)) return sk_fail(SKEIN_BAD_INPUT, "lcp: A, b or z is NULL, expected arrays");
  for (int i = 0; i < n; i++) {
    if (!isfinite(b[i])) return sk_fail(SKEIN_BAD_INPUT, "lcp: b[%d] is %g, expected a finite number", i, b[i]);
    for (int j = 0; j < n; j++) {
      double a = A[(size_t)n * (size_t)i + (size_t)j];
      if (!isfinite(a)) return sk_fail(SKEIN_BAD_INPUT, "lcp: A[%d, %d] is %g, expected a finite number", i, j, a);
    }
  }
  return sk_ok();
}

static skein_status allocate(sk_arena *arena, int n, const double *A, const double *b, tableau *t)
{
  size_t square = (size_t)n * (size_t)n;
  *t = (tableau){.n = n, .A = A, .b = b};
  t->scale = SK_NEW_RAW(arena, n, double), t->enter = SK_NEW_RAW(arena, n, double);
  t->T = SK_NEW_RAW(arena, 2 * square + 2 * (size_t)n, double), t->B = SK_NEW_RAW(arena, square, double);
  t->basis = SK_NEW_RAW(arena, n, int), t->order = SK_NEW_RAW(arena, n, lapack_int);
  t->tied = SK_NEW_RAW(arena, n, bool);
  return arena->failed ? sk_no_memory() : sk_ok();
}

static void choose_scales(tableau *t)
{
  double most = 0;
  for (int i = 0; i < t->n; i++) most = fmax(most, stiffness(t->n, t->A, i));
  for (int i = 0; i < t->n; i++) {
    double s = fmax(stiffness(t->n, t->A, i), 1e-12 * most);
    t->scale[i] = s > 0 ? 1 / sqrt(s) : 1;
  }
  t->unit = 0;
  for (int i = 0; i < t->n; i++) t->unit = fmax(t->unit, fabs(t->b[i]) * t->scale[i]);
}

/* ---- The tableau ---- */

/* [I, -A, -1, b], scaled. */
static void fill(tableau *t)
{
  int n = t->n;
  memset(t->T, 0, sizeof(double) * (size_t)n * (size_t)n);
  for (int j = 0; j < n; j++) {
    double *z = column(t, n + j);
    column(t, j)[j] = 1;
    for (int i = 0; i < n; i++) z[i] = -entry(t, i, j);
  }
  for (int i = 0; i < n; i++) column(t, 2 * n)[i] = -1, column(t, 2 * n + 1)[i] = t->b[i] * t->scale[i] / t->unit;
}

static void pivot(tableau *t, int row, int c)
{
  int n = t->n;
  double *e = t->enter;
  memcpy(e, column(t, c), sizeof(double) * (size_t)n);
  for (int k = 0; k < 2 * n + 2; k++) {
    double *x = column(t, k), f = x[row] / e[row];
    if (x[row] == 0) continue;
    for (int i = 0; i < n; i++) x[i] -= e[i] * f;
    x[row] = f;
  }
  memset(column(t, c), 0, sizeof(double) * (size_t)n);
  column(t, c)[row] = 1;
  t->basis[row] = c, t->pivots++;
}

/* The tableau of the basis from the data: B^-1 [I, -A, -1, b]; false: round-off has made the basis singular. */
static bool rebuild(tableau *t)
{
  int n = t->n;
  fill(t);
  for (int i = 0; i < n; i++) memcpy(t->B + (size_t)n * (size_t)i, column(t, t->basis[i]), sizeof(double) * (size_t)n);
  sk_blas_hold(1);
  bool regular = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, 2 * n + 2, t->B, n, t->order, t->T, n) == 0;
  sk_blas_hold(-1);
  return regular;
}

/* Keeps of the tied rows those with the least T_ic over the pivots `by` (all of one sign); their number. */
static int keep_least(tableau *t, int c, const double *by)
{
  const double *x = column(t, c);
  double least = HUGE_VAL;
  int count = 0;
  for (int i = 0; i < t->n; i++)
    if (t->tied[i]) least = fmin(least, x[i] / by[i]);
  for (int i = 0; i < t->n; i++) {
    if (t->tied[i] && x[i] / by[i] > least + 1e-11 * (1 + fabs(least))) t->tied[i] = false;
    count += t->tied[i];
  }
  return count;
}

/* The first of the tied rows that is basic for z0; -1. */
static int artificial(const tableau *t)
{
  for (int i = 0; i < t->n; i++)
    if (t->tied[i] && t->basis[i] == 2 * t->n) return i;
  return -1;
}

/* The lexicographically least of the tied rows of (right side, B^-1) over the pivots; z0 goes first where it may. */
static int choose_row(tableau *t, const double *by)
{
  int n = t->n, count = keep_least(t, 2 * n + 1, by), best = artificial(t);
  if (best >= 0) return best;
  for (int c = 0; c < n && count > 1; c++) count = keep_least(t, c, by);
  for (int i = 0; i < n; i++)
    if (t->tied[i] && (best < 0 || fabs(by[i]) > fabs(by[best]))) best = i;
  return best;
}

/* The row that bounds the entering column; -1: none does. */
static int leaving(tableau *t, int c)
{
  const double *e = column(t, c);
  double most = 0;
  int count = 0;
  for (int i = 0; i < t->n; i++) most = fmax(most, fabs(e[i]));
  for (int i = 0; i < t->n; i++) t->tied[i] = e[i] > fmax(1e-10 * most, 1e-13), count += t->tied[i];
  return count > 0 ? choose_row(t, e) : -1;
}

/* Pivots until z0 leaves; false: a ray (*ray), the limit, or too much round-off. */
static bool complementary_pivots(tableau *t, int limit, bool *ray)
{
  int n = t->n, row;
  *ray = false;
  fill(t);
  for (int i = 0; i < n; i++) t->basis[i] = i, t->tied[i] = true, t->enter[i] = 1;
  if (keep_least(t, 2 * n + 1, t->enter) > 1)
    for (int c = 0; c < n && keep_least(t, c, t->enter) > 1;) c++;
  for (row = 0; !t->tied[row];) row++;
  if (column(t, 2 * n + 1)[row] >= 0) return true; /* b >= 0 */
  for (int enter = 2 * n; t->pivots < limit;) {
    int left = t->basis[row];
    pivot(t, row, enter);
    if (left == 2 * n) return true;
    if (t->pivots % REBUILD == 0 && !rebuild(t)) return false;
    enter = left < n ? left + n : left - n;
    row = leaving(t, enter);
    *ray = row < 0;
    if (*ray) return false;
  }
  return false;
}

/* ---- The answer ---- */

/* z by the tableau. */
static void read_tableau(const tableau *t, double *z)
{
  memset(z, 0, sizeof(double) * (size_t)t->n);
  for (int i = 0; i < t->n; i++) {
    int j = t->basis[i] - t->n;
    if (j >= 0 && j < t->n) z[j] = fmax(column(t, 2 * t->n + 1)[i], 0) * t->scale[j] * t->unit;
  }
}

/* Solves A_ss x = y over the basic z, scaled; false: singular. */
static bool solve_basic(tableau *t, const int *set, int count, double *y, bool factored)
{
  int error = 0;
  sk_blas_hold(1);
  for (int j = 0; j < count && !factored; j++)
    for (int i = 0; i < count; i++) t->B[(size_t)j * (size_t)count + (size_t)i] = entry(t, set[i], set[j]);
  if (!factored) error = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, count, count, t->B, count, t->order);
  if (!error) LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', count, 1, t->B, count, t->order, y, count);
  sk_blas_hold(-1);
  return error == 0;
}

/* z by A_ss z_s = -b_s over the basic ones, refined once; false: singular. Uses the tableau's memory. */
static bool solve_basis(tableau *t, double *z)
{
  int n = t->n, count = 0, *set = t->basis;
  double *x = t->T, *y = t->T + n;
  for (int i = 0; i < n; i++)
    if (set[i] >= n && set[i] < 2 * n) set[count++] = set[i] - n;
  for (int i = 0; i < count; i++) x[i] = 0;
  for (int pass = 0; pass < 2 && count > 0; pass++) {
    for (int i = 0; i < count; i++) {
      y[i] = -t->b[set[i]] * t->scale[set[i]] / t->unit;
      for (int j = 0; j < count; j++) y[i] -= entry(t, set[i], set[j]) * x[j];
    }
    if (!solve_basic(t, set, count, y, pass > 0)) return false;
    for (int i = 0; i < count; i++) x[i] += y[i];
  }
  memset(z, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < count; i++) z[set[i]] = fmax(x[i], 0) * t->scale[set[i]] * t->unit;
  return true;
}

static void multiply(int n, const double *A, const double *b, const double *z, double *w)
{
  for (int i = 0; i < n; i++) {
    const double *row = A + (size_t)n * (size_t)i;
    w[i] = b[i];
    for (int j = 0; j < n; j++) w[i] += row[j] * z[j];
  }
}

/* max_i |min(k_i z_i, w_i)| / max |b| */
static double natural_error(int n, const double *A, const double *b, const double *z, const double *w)
{
  double most = 0, unit = 0, error = 0;
  for (int i = 0; i < n; i++) most = fmax(most, stiffness(n, A, i)), unit = fmax(unit, fabs(b[i]));
  for (int i = 0; i < n; i++) {
    double k = stiffness(n, A, i), x = (k > 0 ? k : most > 0 ? most : 1) * z[i], e = fabs(fmin(x, w[i]));
    error = isnan(x) || isnan(w[i]) ? INFINITY : fmax(error, e);
  }
  return unit > 0 ? error / unit : error;
}

skein_lcp_def skein_default_lcp_def(void)
{
  return (skein_lcp_def){.tol = 1e-10, .max_pivots = 0};
}

skein_status skein_lcp_error(int n, const double *A, const double *b, const double *z, double *error)
{
  skein_status s = check(n, A, b, z);
  *error = INFINITY;
  if (s.code != SKEIN_OK) return s;
  double *w = sk_calloc((size_t)n, sizeof *w);
  if (!w) return sk_no_memory();
  multiply(n, A, b, z, w);
  *error = natural_error(n, A, b, z, w);
  free(w);
  return s;
}

/* The better of the two readings of the basis. */
static void read_answer(tableau *t, double *z, double *w, double *other, double *error)
{
  int n = t->n;
  read_tableau(t, other);
  bool regular = solve_basis(t, z);
  multiply(n, t->A, t->b, other, w);
  *error = natural_error(n, t->A, t->b, other, w);
  if (regular) {
    multiply(n, t->A, t->b, z, w);
    double again = natural_error(n, t->A, t->b, z, w);
    if (again <= *error) {
      *error = again;
      return;
    }
  }
  memcpy(z, other, sizeof(double) * (size_t)n);
  multiply(n, t->A, t->b, z, w);
}

skein_status skein_lcp_solve(int n, const double *A, const double *b, const skein_lcp_def *def, double *z, double *w,
                             skein_lcp_info *info)
{
  skein_lcp_def own = def ? *def : skein_default_lcp_def();
  *info = (skein_lcp_info){0};
  skein_status s = check(n, A, b, z);
  if (s.code == SKEIN_OK && !(own.tol > 0))
    s = sk_fail(SKEIN_BAD_INPUT, "lcp: tol is %g, expected more than 0", own.tol);
  if (s.code == SKEIN_OK && own.max_pivots < 0)
    s = sk_fail(SKEIN_BAD_INPUT, "lcp: max_pivots is %d, expected at least 0", own.max_pivots);
  if (s.code != SKEIN_OK) return s;
  tableau t;
  sk_arena arena = {0};
  s = allocate(&arena, n, A, b, &t);
  double *other = SK_NEW(&arena, 2 * (size_t)n, double), *slack = w ? w : other + n;
  if (arena.failed) s = sk_no_memory();
  if (s.code == SKEIN_OK) {
    choose_scales(&t);
    if (n > 0) memset(z, 0, sizeof(double) * (size_t)n);
    multiply(n, A, b, z, slack);
    if (t.unit > 0 && complementary_pivots(&t, own.max_pivots > 0 ? own.max_pivots : 100 + 20 * n, &info->ray))
      read_answer(&t, z, slack, other, &info->error);
    else info->error = natural_error(n, A, b, z, slack);
    info->pivots = t.pivots, info->converged = info->error <= own.tol;
  }
  sk_arena_free(&arena);
  return s;
}
