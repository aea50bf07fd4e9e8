/* Sparse matrices: blocks from rows in any order, transpose, colouring, disjoint sets, direct solver. */
#include "sparse/banded.h"
#include "sparse/cholesky.h"
#include "sparse/lu.h"
#include "support.h"

/* 0, 1, .. n - 1 */
static int *all_rows(sk_arena *arena, int n)
{
  int *rows = SK_NEW(arena, n, int);
  for (int i = 0; i < n; i++) rows[i] = i;
  return rows;
}

/* A random matrix of n x n with entries in any order, some of them twice, some of them stored zeros. */
static skein_csr draw_matrix(sk_random *g, int n, int per_row)
{
  skein_csr A;
  expect_ok(sk_csr_create(n, n, (int64_t)n * per_row, &A));
  for (int i = 0; i < n; i++) {
    int64_t at = A.start[i];
    int count = sk_random_int(g, per_row + 1);
    for (int k = 0; k < count; k++) {
      A.col[at + k] = k > 0 && sk_random_int(g, 4) == 0 ? A.col[at + k - 1] : sk_random_int(g, n);
      A.val[at + k] = sk_random_int(g, 5) ? sk_random_normal(g) : 0;
    }
    A.start[i + 1] = at + count;
  }
  return A;
}

static void draw_vector(sk_random *g, int n, double *x)
{
  for (int i = 0; i < n; i++) x[i] = sk_random_normal(g);
}

static double *block_of(const sk_bsr *B, int i, int j)
{
  for (int64_t k = B->start[i]; k < B->start[i + 1]; k++)
    if (B->col[k] == j) return B->val + k * B->d * B->d;
  return NULL;
}

/* Columns ascend without repetition, and the diagonal is there. */
static void check_pattern(const sk_bsr *B)
{
  for (int i = 0; i < B->n; i++) {
    assert_non_null(block_of(B, i, i));
    for (int64_t k = B->start[i] + 1; k < B->start[i + 1]; k++) assert_true(B->col[k - 1] < B->col[k]);
  }
}

/* Blocks of A are A: the same product with any vector, whatever the order of entries, doubles or stored zeros. */
static void blocks_from_rows(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(1);
  for (int t = 0; t < 200; t++) {
    int d = 2 + t % 2, n = 1 + sk_random_int(&g, 12), size = d * n;
    skein_csr A = draw_matrix(&g, size, 9);
    sk_arena arena = {0};
    sk_bsr B;
    double x[36], b[36], y[36], z[36];
    expect_ok(sk_bsr_from_csr(&A, d, &arena, &B));
    check_pattern(&B);
    draw_vector(&g, size, x), draw_vector(&g, size, b);
    memcpy(z, b, sizeof z);
    sk_csr_mul_add(&A, x, 1, z, 1);
    sk_bsr_mul_add(&B, x, b, y);
    expect_at_most(largest_difference(y, z, (size_t)size), 1e-13, "product");
    sk_arena_free(&arena);
    sk_csr_destroy(&A);
  }
}

/* A zero that is stored makes no block, and so joins no islands; an empty row has its diagonal block. */
static void stored_zeros(void **unused)
{
  (void)unused;
  skein_csr A;
  sk_arena arena = {0};
  sk_bsr B;
  expect_ok(sk_csr_create(6, 6, 3, &A));
  A.start[1] = 3, A.col[0] = 5, A.val[0] = 0, A.col[1] = 1, A.val[1] = 2, A.col[2] = 1, A.val[2] = 3;
  for (int i = 2; i <= 6; i++) A.start[i] = 3;
  expect_ok(sk_bsr_from_csr(&A, 3, &arena, &B));
  assert_int_equal(B.start[2], 2);
  assert_null(block_of(&B, 0, 1));
  assert_true(block_of(&B, 0, 0)[1] == 5);
  assert_true(largest(block_of(&B, 1, 1), 9) == 0);
  sk_arena_free(&arena);
  sk_csr_destroy(&A);
}

/* (A')' = A to the bit, and x . A y = y . A' x. */
static void transpose(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(2);
  for (int t = 0; t < 100; t++) {
    int d = 2 + t % 2, n = 1 + sk_random_int(&g, 12);
    size_t size = (size_t)(d * n);
    skein_csr A = draw_matrix(&g, d * n, 7);
    sk_arena arena = {0};
    sk_bsr B, T, TT;
    double x[36], y[36], Ay[36], Tx[36], zero[36] = {0}, left = 0, right = 0;
    expect_ok(sk_bsr_from_csr(&A, d, &arena, &B));
    expect_ok(sk_bsr_transpose(&B, &arena, &T));
    expect_ok(sk_bsr_transpose(&T, &arena, &TT));
    check_pattern(&T);
    assert_memory_equal(B.start, TT.start, ((size_t)n + 1) * sizeof *B.start);
    assert_memory_equal(B.col, TT.col, (size_t)B.start[n] * sizeof *B.col);
    assert_memory_equal(B.val, TT.val, (size_t)B.start[n] * (size_t)(d * d) * sizeof *B.val);
    draw_vector(&g, d * n, x), draw_vector(&g, d * n, y);
    sk_bsr_mul_add(&B, y, zero, Ay);
    sk_bsr_mul_add(&T, x, zero, Tx);
    for (size_t i = 0; i < size; i++) left += x[i] * Ay[i], right += y[i] * Tx[i];
    expect_at_most(fabs(left - right), 1e-11, "x . A y - y . A' x");
    sk_arena_free(&arena);
    sk_csr_destroy(&A);
  }
}

/* A part of a matrix holds the blocks between its rows and nothing else. */
static void extract(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(3);
  skein_csr A = draw_matrix(&g, 30, 20);
  sk_arena arena = {0};
  sk_bsr B, part;
  const int rows[4] = {1, 4, 5, 9};
  int map[10] = {-1, 0, -1, -1, 1, 2, -1, -1, -1, 3};
  expect_ok(sk_bsr_from_csr(&A, 3, &arena, &B));
  expect_ok(sk_bsr_extract(&B, rows, 4, map, &arena, &part));
  check_pattern(&part);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      const double *a = block_of(&B, rows[i], rows[j]), *c = block_of(&part, i, j);
      assert_int_equal(!a, !c);
      if (a) assert_memory_equal(a, c, 9 * sizeof *a);
    }
  sk_arena_free(&arena);
  sk_csr_destroy(&A);
}

/* ---- Orders for several threads ---- */

/* Contacts in `order` are a permutation, pieces cover them, and no piece waits for itself or a later one; the piece of
 * each contact in `piece`. Threads find their pieces by home. */
static void read_order(int n, const int *order, const sk_order *o, int *piece)
{
  for (int i = 0; i < n; i++) piece[i] = -1;
  assert_true(o->pieces > 0);
  assert_int_equal(o->start[0], 0);
  assert_int_equal(o->start[o->pieces], n);
  for (int q = 0; q < o->pieces; q++) {
    assert_true(o->start[q] < o->start[q + 1]);
    assert_true(o->before[q] == q || (q > 0 && o->before[q] == o->before[q - 1]));
    assert_true(o->home[q] >= 0 && o->home[q] < 1);
    for (int k = o->start[q]; k < o->start[q + 1]; k++) {
      assert_int_equal(piece[order[k]], -1);
      piece[order[k]] = q;
    }
  }
}

/* Two contacts of two pieces that are done side by side share no object: few and many objects, one to three for each
 * contact, near each other (a chain) or anywhere. */
static void blocks_of_objects(void **unused)
{
  (void)unused;
  sk_random g = sk_random_make(4);
  enum { n = 3000 };
  static int key[3 * n], order[n], piece[n];
  static int64_t start[n + 1];
  for (int t = 0; t < 6; t++) {
    int keys = (const int[]){3000, 100, 8, 1, 2000, 500}[t], most = t == 1 ? 3 : 2;
    bool chain = t >= 4;
    sk_arena arena = {0};
    sk_order o;
    for (int i = 0; i < n; i++) {
      int at = sk_random_int(&g, keys);
      start[i + 1] = start[i] + 1 + sk_random_int(&g, most);
      for (int64_t k = start[i]; k < start[i + 1]; k++)
        key[k] = chain ? (at + sk_random_int(&g, 4)) % keys : sk_random_int(&g, keys);
    }
    assert_true(sk_block_order(all_rows(&arena, n), n, start, key, keys, &arena, order, &o));
    read_order(n, order, &o, piece);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        if (piece[i] == piece[j] || o.before[piece[i]] != o.before[piece[j]]) continue;
        for (int64_t a = start[i]; a < start[i + 1]; a++)
          for (int64_t b = start[j]; b < start[j + 1]; b++) assert_int_not_equal(key[a], key[b]);
      }
    if (chain) expect_at_most(o.start[o.pieces] - o.start[8], 0.2 * n, "contacts between the eight blocks");
    sk_arena_free(&arena);
  }
}

/* Neighbours are not visited side by side, in a symmetric graph where each is also its own; nor when there are more
 * colours than bits for them (share: of all pairs that are neighbours). */
static void check_colours(double share)
{
  enum { n = 1100 };
  static bool near[n][n];
  static int col[n * n], order[n], piece[n];
  static int64_t start[n + 1];
  sk_random g = sk_random_make(5);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) near[i][j] = near[j][i] = i == j || sk_random_uniform(&g, 0, 1) < share;
  for (int i = 0; i < n; i++) {
    start[i + 1] = start[i];
    for (int j = 0; j < n; j++)
      if (near[i][j]) col[start[i + 1]++] = j;
  }
  sk_arena arena = {0};
  sk_order o;
  assert_true(sk_colour_order(all_rows(&arena, n), n, start, col, n, &arena, order, &o));
  read_order(n, order, &o, piece);
  for (int i = 0; i < n; i++)
    for (int64_t k = start[i]; k < start[i + 1]; k++)
      assert_true(col[k] == i || o.before[piece[col[k]]] != o.before[piece[i]]);
  if (share < 0.01) assert_true(o.pieces < n / 4);
  sk_arena_free(&arena);
}

static void colours_of_neighbours(void **unused)
{
  (void)unused;
  check_colours(0.005), check_colours(1);
}

/* ---- Disjoint sets ---- */

/* The root of a set is its smallest member, in whatever order the sets were joined. */
static void union_find(void **unused)
{
  (void)unused;
  enum { n = 200 };
  sk_random g = sk_random_make(6);
  int parent[n], label[n];
  sk_union_init(parent, n);
  for (int i = 0; i < n; i++) label[i] = i;
  for (int t = 0; t < 150; t++) {
    int i = sk_random_int(&g, n), j = sk_random_int(&g, n), lo = SK_MIN(label[i], label[j]),
        hi = SK_MAX(label[i], label[j]);
    sk_union_join(parent, i, j);
    for (int k = 0; k < n; k++)
      if (label[k] == hi) label[k] = lo;
  }
  for (int i = 0; i < n; i++) assert_int_equal(sk_union_find(parent, i), label[i]);
}

/* ---- Direct solver ---- */

/* |A x - b| is rounding; values may change under one ordering; a singular matrix is said to be so. */
static void expect_lu(int width)
{
  enum { n = 60 };
  sk_random g = sk_random_make(7);
  static int start[n + 1], row[n * n];
  static double val[n * n], b[n], x[n];
  for (int j = 0; j < n; j++) { /* a band: structurally symmetric */
    start[j + 1] = start[j];
    for (int i = SK_MAX(0, j - width); i < SK_MIN(n, j + width + 1); i++) row[start[j + 1]++] = i;
  }
  sk_lu a = {.n = n, .start = start, .row = row, .val = val};
  expect_ok(sk_lu_analyse(&a));
  assert_int_equal(a.full != NULL, width > n / 2);
  for (int t = 0; t < 3; t++) {
    for (int k = 0; k < start[n]; k++) val[k] = sk_random_normal(&g);
    for (int j = 0; j < n; j++)
      for (int k = start[j]; k < start[j + 1]; k++) val[k] += row[k] == j ? 2 * width : 0;
    draw_vector(&g, n, b);
    assert_true(sk_lu_factor(&a));
    sk_lu_solve(&a, b, x);
    for (int j = 0; j < n; j++)
      for (int k = start[j]; k < start[j + 1]; k++) b[row[k]] -= val[k] * x[j];
    expect_at_most(largest(b, n), 1e-10, "residual");
  }
  for (int k = start[5]; k < start[6]; k++) val[k] = 0;
  assert_false(sk_lu_factor(&a));
  sk_lu_destroy(&a);
  sk_lu_destroy(&a); /* twice does no harm */
}

static void lu(void **unused)
{
  (void)unused;
  expect_lu(4);
  expect_lu(60);
}

/* Three chains in one band: M x = b to rounding; W = H M^-1 H' against one solve per row, symmetric to the last bit. */
static void banded(void **unused)
{
  (void)unused;
  enum { n = 90, kd = 5, rows = 41, per_row = 9 };
  sk_random g = sk_random_make(8);
  skein_csr M, H, W;
  sk_banded *b;
  double x[n];
  expect_ok(sk_csr_create(n, n, (int64_t)n * (2 * kd + 1), &M));
  for (int i = 0; i < n; i++) {
    M.start[i + 1] = M.start[i];
    for (int j = SK_MAX(0, i - kd); j <= SK_MIN(n - 1, i + kd); j++) {
      if (i / 30 != j / 30) continue;
      M.col[M.start[i + 1]] = j, M.val[M.start[i + 1]++] = i == j ? 2 * kd : 1.0 / (1 + i + j);
    }
  }
  expect_ok(sk_csr_create(rows, n, (int64_t)rows * per_row, &H));
  for (int i = 0; i < rows; i++) { /* row 7 is empty, some touch two chains */
    H.start[i + 1] = H.start[i] + (i == 7 ? 0 : per_row);
    for (int64_t k = H.start[i]; k < H.start[i + 1]; k++)
      H.col[k] = (30 * (i % 3) + sk_random_int(&g, 45)) % n, H.val[k] = sk_random_normal(&g);
  }
  assert_int_equal(sk_banded_width(&M), kd);
  expect_ok(sk_banded_create(&M, kd, &b));
  expect_ok(sk_banded_reduce(b, &H, &W));
  for (int i = 0; i < rows; i++) {
    double want[rows] = {0};
    memset(x, 0, sizeof x);
    for (int64_t k = H.start[i]; k < H.start[i + 1]; k++) x[H.col[k]] += H.val[k];
    sk_banded_solve(b, x);
    sk_csr_mul_add(&H, x, 1, want, 1);
    for (int64_t k = W.start[i]; k < W.start[i + 1]; k++) {
      int j = W.col[k];
      bool found = false;
      for (int64_t e = W.start[j]; e < W.start[j + 1]; e++) found |= W.col[e] == i && W.val[e] == W.val[k];
      assert_true(found && (k == W.start[i] || W.col[k - 1] < j));
      want[j] -= W.val[k];
    }
    expect_at_most(largest(want, rows), 1e-13, "W against one solve per row");
  }
  sk_csr_destroy(&W), sk_csr_destroy(&H), sk_banded_destroy(b);
  M.val[0] = -1;
  assert_int_equal(sk_banded_create(&M, kd, &b).code, SKEIN_BAD_INPUT);
  sk_csr_destroy(&M);
}

/* ---- Sparse Cholesky ---- */

enum { SIDE = 6, CUBE = SIDE * SIDE * SIDE, HELD = 20 };

static void put(skein_csr *A, int64_t *at, int col, double value)
{
  A->col[*at] = col, A->val[(*at)++] = value;
}

/* A cube of nodes, each tied to its six neighbours; too wide for a band. first: of its diagonal. */
static skein_csr make_cube(double first)
{
  static const int step[3] = {1, SIDE, SIDE * SIDE};
  skein_csr M;
  int64_t at = 0;
  expect_ok(sk_csr_create(CUBE, CUBE, 7 * CUBE, &M));
  for (int i = 0; i < CUBE; i++) {
    for (int a = 2; a >= 0; a--)
      if (i / step[a] % SIDE > 0) put(&M, &at, i - step[a], -0.5 - 0.1 * a);
    put(&M, &at, i, i == 0 ? first : 4 + 0.01 * i);
    for (int a = 0; a < 3; a++)
      if (i / step[a] % SIDE < SIDE - 1) put(&M, &at, i + step[a], -0.5 - 0.1 * a);
    M.start[i + 1] = at;
  }
  return M;
}

/* W = H M^-1 H', symmetric to the last bit, agrees with solves by M; what is not positive definite is refused. */
static void sparse_cholesky(void **unused)
{
  (void)unused;
  skein_csr M = make_cube(5), H, W;
  sk_cholesky *c;
  double dense[HELD][HELD] = {{0}}, x[CUBE];
  expect_ok(sk_csr_create(HELD, CUBE, 2 * HELD, &H));
  for (int i = 0; i < HELD; i++) {
    int64_t at = 2 * i;
    put(&H, &at, 7 * i, 1), put(&H, &at, 7 * i + 40, -0.5 - 0.1 * i);
    H.start[i + 1] = at;
  }
  expect_ok(sk_cholesky_create(&M, &c));
  expect_ok(sk_cholesky_reduce(c, &H, &W));
  for (int i = 0; i < HELD; i++)
    for (int64_t k = W.start[i]; k < W.start[i + 1]; k++) dense[i][W.col[k]] += W.val[k];
  for (int i = 0; i < HELD; i++) {
    memset(x, 0, sizeof x);
    for (int64_t k = H.start[i]; k < H.start[i + 1]; k++) x[H.col[k]] += H.val[k];
    expect_ok(sk_cholesky_solve(c, x));
    for (int j = 0; j < HELD; j++) {
      double expected = 0;
      for (int64_t k = H.start[j]; k < H.start[j + 1]; k++) expected += H.val[k] * x[H.col[k]];
      expect_at_most(fabs(expected - dense[i][j]), 1e-14, "H M^-1 H'");
      assert_true(dense[i][j] == dense[j][i]);
    }
  }
  sk_cholesky_destroy(c);
  sk_csr_destroy(&M);
  M = make_cube(-1);
  expect_bad(sk_cholesky_create(&M, &c), "not positive definite");
  sk_csr_destroy(&M), sk_csr_destroy(&H), sk_csr_destroy(&W);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_from_rows),
      cmocka_unit_test(stored_zeros),
      cmocka_unit_test(transpose),
      cmocka_unit_test(extract),
      cmocka_unit_test(blocks_of_objects),
      cmocka_unit_test(colours_of_neighbours),
      cmocka_unit_test(union_find),
      cmocka_unit_test(lu),
      cmocka_unit_test(banded),
      cmocka_unit_test(sparse_cholesky),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
