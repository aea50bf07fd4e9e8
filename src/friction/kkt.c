/* Assembly of the two linear systems, column by column, into a fixed pattern. */
#include "friction/kkt.h"

#include <stdlib.h>
#include <string.h>

/* ---- Dual: the pattern of W ---- */

static skein_status make_dual(sk_kkt *k, sk_arena *arena)
{
  const sk_bsr *T = &k->s->Wt; /* block row j of W' = block column j of W */
  int64_t entries = 9 * T->start[T->n];
  if (entries > INT32_MAX)
    return sk_fail(SKEIN_BAD_INPUT, "W has %lld entries, too many for a direct solver", (long long)entries);
  k->size = k->lu.n = 3 * T->n;
  k->lu.start = SK_NEW(arena, k->size + 1, int), k->lu.row = SK_NEW(arena, entries, int);
  k->lu.val = SK_NEW(arena, entries, double);
  if (arena->failed) return sk_no_memory();
  int at = 0;
  for (int j = 0; j < T->n; j++)
    for (int c = 0; c < 3; c++) {
      for (int64_t e = T->start[j]; e < T->start[j + 1]; e++)
        for (int p = 0; p < 3; p++) k->lu.row[at++] = 3 * T->col[e] + p;
      k->lu.start[3 * j + c + 1] = at;
    }
  return sk_ok();
}

bool sk_kkt_factor_dual(sk_kkt *k, const double *E, const double *F)
{
  const sk_bsr *T = &k->s->Wt;
  double *val = k->lu.val;
  for (int j = 0; j < T->n; j++)
    for (int c = 0; c < 3; c++)
      for (int64_t e = T->start[j]; e < T->start[j + 1]; e++) {
        int i = T->col[e];
        const double *w = T->val + 9 * e + 3 * c, *f = F + 9 * (size_t)i; /* column c of W_ij */
        for (int p = 0; p < 3; p++) {
          *val = f[3 * p] * w[0] + f[3 * p + 1] * w[1] + f[3 * p + 2] * w[2];
          if (i == j) *val += E[9 * (size_t)i + 3 * (size_t)p + (size_t)c];
          val++;
        }
      }
  return sk_lu_factor(&k->lu);
}

/* ---- Primal: objects that share a contact ---- */

/* Numbers the objects of the system by the start of their y, and lists the pairs of each. */
static skein_status list_pairs(sk_kkt *k, sk_arena *arena)
{
  const sk_system *s = k->s;
  int64_t pairs = s->g_start[s->n];
  int *number = SK_NEW(arena, s->y_size + 1, int), *width = SK_NEW(arena, s->y_size + 1, int);
  k->contact_of = SK_NEW(arena, pairs, int), k->object_of = SK_NEW(arena, pairs, int),
  k->pair = SK_NEW(arena, pairs, int64_t);
  if (arena->failed) return sk_no_memory();
  for (int64_t e = 0; e < pairs; e++) width[s->g_y[e]] = s->g_width[e];
  for (int y = 0; y < s->y_size; y++)
    if (width[y]) number[y] = k->objects++;
  k->object_y = SK_NEW(arena, k->objects, int), k->object_width = SK_NEW(arena, k->objects, int);
  k->pair_start = SK_NEW(arena, k->objects + 2, int64_t);
  if (arena->failed) return sk_no_memory();
  for (int y = 0; y < s->y_size; y++)
    if (width[y]) k->object_y[number[y]] = y, k->object_width[number[y]] = width[y];
  for (int i = 0; i < s->n; i++)
    for (int64_t e = s->g_start[i]; e < s->g_start[i + 1]; e++) {
      k->contact_of[e] = i, k->object_of[e] = number[s->g_y[e]];
      k->pair_start[k->object_of[e] + 2]++;
    }
  for (int o = 0; o < k->objects; o++) k->pair_start[o + 1] += k->pair_start[o];
  k->pair_start[k->objects + 1] += k->pair_start[k->objects];
  for (int64_t e = 0; e < pairs; e++) k->pair[k->pair_start[k->object_of[e] + 1]++] = e;
  return sk_ok();
}

static int compare_ints(const void *a, const void *b)
{
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* The objects that share a contact with o, ascending, o included; mark holds o + 1 where seen. */
static int near_objects(const sk_kkt *k, int o, int *mark, int *list)
{
  int count = 0;
  for (int64_t p = k->pair_start[o]; p < k->pair_start[o + 1]; p++) {
    int i = k->contact_of[k->pair[p]];
    for (int64_t e = k->s->g_start[i]; e < k->s->g_start[i + 1]; e++) {
      int other = k->object_of[e];
      if (mark[other] != o + 1) mark[other] = o + 1, list[count++] = other;
    }
  }
  qsort(list, (size_t)count, sizeof *list, compare_ints);
  return count;
}

static skein_status list_near(sk_kkt *k, sk_arena *arena)
{
  int *mark = SK_NEW(arena, k->objects, int), *list = SK_NEW(arena, k->objects + 1, int);
  k->near_start = SK_NEW(arena, k->objects + 1, int64_t);
  if (arena->failed) return sk_no_memory();
  for (int o = 0; o < k->objects; o++) k->near_start[o + 1] = k->near_start[o] + near_objects(k, o, mark, list);
  k->near = SK_NEW(arena, k->near_start[k->objects], int), k->near_at = SK_NEW(arena, k->near_start[k->objects], int);
  if (arena->failed) return sk_no_memory();
  memset(mark, 0, (size_t)k->objects * sizeof *mark);
  for (int o = 0; o < k->objects; o++) {
    int *near = k->near + k->near_start[o], count = near_objects(k, o, mark, near), at = 0;
    for (int e = 0; e < count; e++) k->near_at[k->near_start[o] + e] = at, at += k->object_width[near[e]];
  }
  return sk_ok();
}

/* Rows in a column of object o. */
static int column_rows(const sk_kkt *k, int o)
{
  int64_t last = k->near_start[o + 1] - 1;
  return k->near_at[last] + k->object_width[k->near[last]];
}

static skein_status make_primal(sk_kkt *k, sk_arena *arena)
{
  skein_status status = list_pairs(k, arena);
  if (status.code == SKEIN_OK) status = list_near(k, arena);
  if (status.code) return status;
  int64_t entries = 0;
  for (int o = 0; o < k->objects; o++) entries += (int64_t)k->object_width[o] * column_rows(k, o);
  if (entries > INT32_MAX)
    return sk_fail(SKEIN_BAD_INPUT, "the coupled mass matrix has %lld entries, too many for a direct solver",
                   (long long)entries);
  k->size = k->lu.n = k->s->y_size;
  k->lu.start = SK_NEW(arena, k->size + 1, int), k->lu.row = SK_NEW(arena, entries, int);
  k->lu.val = SK_NEW(arena, entries, double);
  if (arena->failed) return sk_no_memory();
  int at = 0;
  for (int o = 0; o < k->objects; o++)
    for (int c = 0; c < k->object_width[o]; c++) {
      for (int64_t e = k->near_start[o]; e < k->near_start[o + 1]; e++)
        for (int r = 0; r < k->object_width[k->near[e]]; r++) k->lu.row[at++] = k->object_y[k->near[e]] + r;
      k->lu.start[k->object_y[o] + c + 1] = at;
    }
  return sk_ok();
}

/* Position of object `other` among the neighbours of o. */
static int64_t find_near(const sk_kkt *k, int o, int other)
{
  int64_t lo = k->near_start[o], hi = k->near_start[o + 1] - 1;
  while (lo < hi) {
    int64_t mid = (lo + hi) / 2;
    if (k->near[mid] < other) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/* Columns of object o: 1 on the diagonal, and G_a' D G_o for every contact of o and every object a it touches. */
static void fill_columns(sk_kkt *k, int o, const double *D)
{
  const sk_system *s = k->s;
  int width = k->object_width[o], rows = column_rows(k, o);
  double *columns = k->lu.val + k->lu.start[k->object_y[o]];
  memset(columns, 0, (size_t)width * (size_t)rows * sizeof *columns);
  int own = k->near_at[find_near(k, o, o)];
  for (int c = 0; c < width; c++) columns[(size_t)c * (size_t)rows + (size_t)(own + c)] = 1;
  for (int64_t p = k->pair_start[o]; p < k->pair_start[o + 1]; p++) {
    int64_t pair = k->pair[p];
    int i = k->contact_of[pair];
    const double *G = s->G + s->g_at[pair], *d = D + 9 * (size_t)i;
    for (int64_t e = s->g_start[i]; e < s->g_start[i + 1]; e++) {
      int other = s->g_width[e];
      const double *A = s->G + s->g_at[e];
      double *block = columns + k->near_at[find_near(k, o, k->object_of[e])];
      for (int c = 0; c < width; c++, block += rows) {
        double g0 = G[c], g1 = G[width + c], g2 = G[2 * width + c];
        double t0 = d[0] * g0 + d[1] * g1 + d[2] * g2, t1 = d[3] * g0 + d[4] * g1 + d[5] * g2;
        double t2 = d[6] * g0 + d[7] * g1 + d[8] * g2;
        for (int r = 0; r < other; r++) block[r] += A[r] * t0 + A[other + r] * t1 + A[2 * other + r] * t2;
      }
    }
  }
}

bool sk_kkt_factor_primal(sk_kkt *k, const double *D)
{
  if (k->sparse) sk_kkt_fill_sparse(k, D);
  for (int o = 0; !k->sparse && o < k->objects; o++) fill_columns(k, o, D);
  return sk_lu_factor(&k->lu);
}

/* ---- Both ---- */

skein_status sk_kkt_make(const sk_system *s, sk_arena *arena, sk_kkt *k)
{
  *k = (sk_kkt){.s = s, .primal = s->form == SKEIN_FACTORED};
  skein_status status = !k->primal            ? make_dual(k, arena)
                        : sk_kkt_is_sparse(s) ? sk_kkt_make_sparse(k, arena)
                                              : make_primal(k, arena);
  return status.code ? status : sk_lu_analyse(&k->lu);
}

void sk_kkt_solve(const sk_kkt *k, const double *rhs, double *x)
{
  if (k->sparse) sk_kkt_solve_sparse(k, rhs, x);
  else sk_lu_solve(&k->lu, rhs, x);
}

void sk_kkt_destroy(sk_kkt *k)
{
  sk_lu_destroy(&k->lu);
}
