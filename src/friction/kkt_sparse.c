/* The primal system in the coordinates of the problem, for objects whose contacts touch few of their dofs: chains.
 *     1 + G' D G = L^-1 (M + H' D H) L^-T     with G = H L^-T, M = L L'
 * G is dense in its object, H and M are not: a contact of a chain has the dofs of two edges. Unknowns keep the places
 * of y; those that only fill up a width have 1 on the diagonal. */
#include "friction/kkt.h"

#include <stdlib.h>
#include <string.h>

static int contact_in_problem(const sk_system *s, int i)
{
  return s->contact_of ? s->contact_of[i] : i;
}

/* Entries of H of contact i, zeros not counted. */
static int64_t count_entries(const sk_system *s, int i)
{
  const skein_csr *H = &s->problem->H;
  int d = s->problem->d, c = contact_in_problem(s, i);
  int64_t count = 0;
  for (int64_t e = H->start[d * c]; e < H->start[d * (c + 1)]; e++) count += H->val[e] != 0;
  return count;
}

bool sk_kkt_is_sparse(const sk_system *s)
{
  double wide = 0, narrow = 0;
  if (!s->problem) return false;
  for (int i = 0; i < s->n; i++) {
    double width = 0, columns = (double)count_entries(s, i) / s->problem->d;
    for (int64_t e = s->g_start[i]; e < s->g_start[i + 1]; e++) width += s->g_width[e];
    wide += width * width, narrow += columns * columns;
  }
  return narrow < 0.1 * wide;
}

/* ---- Columns of the contacts ---- */

/* Column x of contact i, made where it is not there yet; its three entries of H. */
static double *column_entry(sk_kkt *k, int i, int x)
{
  int64_t e = k->c_start[i];
  for (; e < k->c_start[i + 1]; e++)
    if (k->c_col[e] == x) return k->c_H + 3 * e;
  k->c_col[e] = x, k->c_start[i + 1]++;
  return k->c_H + 3 * e;
}

static skein_status list_columns(sk_kkt *k, sk_arena *arena)
{
  const sk_system *s = k->s;
  const skein_problem *p = s->problem;
  const sk_objects *o = s->parts;
  int64_t most = 0;
  int *y_of = SK_NEW(arena, o->count, int);
  for (int i = 0; i < s->n; i++) most += count_entries(s, i);
  k->c_start = SK_NEW(arena, s->n + 1, int64_t), k->c_col = SK_NEW(arena, most, int);
  k->c_H = SK_NEW(arena, 3 * (size_t)most, double);
  if (arena->failed) return sk_no_memory();
  for (int y = 0; y < s->y_size; y++)
    if (s->object_at[y] >= 0) y_of[s->object_at[y]] = y;
  for (int i = 0; i < s->n; i++) {
    k->c_start[i + 1] = k->c_start[i];
    for (int c = 0; c < p->d; c++) {
      int row = p->d * contact_in_problem(s, i) + c;
      for (int64_t e = p->H.start[row]; e < p->H.start[row + 1]; e++) {
        int dof = p->H.col[e];
        if (p->H.val[e] != 0) column_entry(k, i, y_of[o->object_of[dof]] + o->place[dof])[c] += p->H.val[e];
      }
    }
  }
  return sk_ok();
}

/* ---- The pattern ---- */

/* The contacts of every column: start (size + 1) and list. */
static skein_status transpose(const sk_kkt *k, sk_arena *arena, int64_t **start, int **contact)
{
  int n = k->s->n;
  int64_t entries = k->c_start[n];
  *start = SK_NEW(arena, k->size + 2, int64_t), *contact = SK_NEW(arena, entries, int);
  if (arena->failed) return sk_no_memory();
  for (int64_t e = 0; e < entries; e++) (*start)[k->c_col[e] + 2]++;
  for (int j = 0; j < k->size; j++) (*start)[j + 2] += (*start)[j + 1];
  for (int i = 0; i < n; i++)
    for (int64_t e = k->c_start[i]; e < k->c_start[i + 1]; e++) (*contact)[(*start)[k->c_col[e] + 1]++] = i;
  return sk_ok();
}

static int compare_ints(const void *a, const void *b)
{
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* The object that holds column j, and its first column; -1 for one that only fills up. */
static int column_dof(const sk_kkt *k, int j, int *first)
{
  const sk_objects *o = k->s->parts;
  while (k->s->object_at[*first] < 0 || (*first < j && k->s->object_at[j] >= 0)) ++*first;
  int object = k->s->object_at[*first], size = o->start[object + 1] - o->start[object];
  return j - *first < size ? o->dof[o->start[object] + j - *first] : -1;
}

/* Rows of column j, ascending: the diagonal, M, and what shares a contact with it. */
static int column_rows(const sk_kkt *k, int j, int dof, int first, const int64_t *start, const int *contact, int *mark,
                       int *list)
{
  const skein_csr *M = &k->s->problem->M;
  int count = 0;
  mark[j] = j + 1, list[count++] = j;
  for (int64_t e = dof < 0 ? 0 : M->start[dof]; dof >= 0 && e < M->start[dof + 1]; e++) {
    int x = first + k->s->parts->place[M->col[e]];
    if (M->val[e] != 0 && mark[x] != j + 1) mark[x] = j + 1, list[count++] = x;
  }
  for (int64_t c = start[j]; c < start[j + 1]; c++)
    for (int64_t e = k->c_start[contact[c]]; e < k->c_start[contact[c] + 1]; e++) {
      int x = k->c_col[e];
      if (mark[x] != j + 1) mark[x] = j + 1, list[count++] = x;
    }
  qsort(list, (size_t)count, sizeof *list, compare_ints);
  return count;
}

static int find_entry(const sk_kkt *k, int row, int column)
{
  int lo = k->lu.start[column], hi = k->lu.start[column + 1] - 1;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (k->lu.row[mid] < row) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/* M in the pattern; rows and columns of M are the same, it is symmetric. */
static void fill_mass(sk_kkt *k)
{
  const skein_csr *M = &k->s->problem->M;
  for (int j = 0, first = 0; j < k->size; j++) {
    int dof = column_dof(k, j, &first);
    if (dof < 0) k->base[find_entry(k, j, j)] = 1;
    for (int64_t e = dof < 0 ? 0 : M->start[dof]; dof >= 0 && e < M->start[dof + 1]; e++)
      if (M->val[e] != 0) k->base[find_entry(k, first + k->s->parts->place[M->col[e]], j)] += M->val[e];
  }
}

/* Where the products of a contact's columns stand. */
static skein_status place_products(sk_kkt *k, sk_arena *arena)
{
  int n = k->s->n;
  k->b_start = SK_NEW(arena, n + 1, int64_t);
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < n; i++) {
    int64_t count = k->c_start[i + 1] - k->c_start[i];
    k->b_start[i + 1] = k->b_start[i] + count * count;
  }
  k->b_at = SK_NEW(arena, k->b_start[n], int);
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < n; i++) {
    int *at = k->b_at + k->b_start[i];
    for (int64_t c = k->c_start[i]; c < k->c_start[i + 1]; c++)
      for (int64_t r = k->c_start[i]; r < k->c_start[i + 1]; r++) *at++ = find_entry(k, k->c_col[r], k->c_col[c]);
  }
  return sk_ok();
}

skein_status sk_kkt_make_sparse(sk_kkt *k, sk_arena *arena)
{
  int64_t *start, entries = 0;
  int *contact;
  k->sparse = true, k->size = k->lu.n = k->s->y_size;
  skein_status status = list_columns(k, arena);
  if (status.code == SKEIN_OK) status = transpose(k, arena, &start, &contact);
  int *mark = SK_NEW(arena, k->size, int), *list = SK_NEW(arena, k->size + 1, int);
  k->lu.start = SK_NEW(arena, k->size + 1, int), k->shift = SK_NEW(arena, k->size, double);
  if (status.code || arena->failed) return status.code ? status : sk_no_memory();
  for (int j = 0, first = 0; j < k->size && entries <= INT32_MAX; j++) {
    int dof = column_dof(k, j, &first);
    entries += column_rows(k, j, dof, first, start, contact, mark, list);
    if (entries <= INT32_MAX) k->lu.start[j + 1] = (int)entries;
  }
  if (entries > INT32_MAX)
    return sk_fail(SKEIN_BAD_INPUT, "the coupled mass matrix has %lld entries, too many for a direct solver",
                   (long long)entries);
  k->lu.row = SK_NEW(arena, entries + k->size, int), k->lu.val = SK_NEW(arena, entries, double);
  k->base = SK_NEW(arena, entries, double);
  if (arena->failed) return sk_no_memory();
  memset(mark, 0, (size_t)k->size * sizeof *mark);
  for (int j = 0, first = 0; j < k->size; j++) {
    int dof = column_dof(k, j, &first);
    column_rows(k, j, dof, first, start, contact, mark, k->lu.row + k->lu.start[j]);
  }
  fill_mass(k);
  return place_products(k, arena);
}

/* ---- Values ---- */

void sk_kkt_fill_sparse(sk_kkt *k, const double *D)
{
  memcpy(k->lu.val, k->base, (size_t)k->lu.start[k->size] * sizeof *k->base);
  for (int i = 0; i < k->s->n; i++) {
    const double *d = D + 9 * (size_t)i, *H = k->c_H + 3 * k->c_start[i];
    const int *at = k->b_at + k->b_start[i];
    int count = (int)(k->c_start[i + 1] - k->c_start[i]);
    for (int c = 0; c < count; c++) {
      const double *h = H + 3 * (size_t)c;
      double t0 = d[0] * h[0] + d[1] * h[1] + d[2] * h[2], t1 = d[3] * h[0] + d[4] * h[1] + d[5] * h[2];
      double t2 = d[6] * h[0] + d[7] * h[1] + d[8] * h[2];
      for (int r = 0; r < count; r++)
        k->lu.val[*at++] += H[3 * (size_t)r] * t0 + H[3 * (size_t)r + 1] * t1 + H[3 * (size_t)r + 2] * t2;
    }
  }
}

/* dy = L' (M + H' D H)^-1 L rhs */
void sk_kkt_solve_sparse(const sk_kkt *k, const double *rhs, double *x)
{
  const sk_objects *o = k->s->parts;
  memcpy(k->shift, rhs, (size_t)k->size * sizeof *k->shift);
  for (int y = 0; y < k->size; y++) {
    int object = k->s->object_at[y], m = object < 0 ? 0 : o->start[object + 1] - o->start[object];
    for (int i = m - 1; i >= 0; i--) {
      const double *row = o->L[object] + (size_t)i * (size_t)m;
      double sum = 0;
      for (int j = 0; j <= i; j++) sum += row[j] * rhs[y + j];
      k->shift[y + i] = sum;
    }
  }
  sk_lu_solve(&k->lu, k->shift, x);
  for (int y = 0; y < k->size; y++) {
    int object = k->s->object_at[y], m = object < 0 ? 0 : o->start[object + 1] - o->start[object];
    double *v = x + y;
    for (int i = 0; i < m; i++) { /* row i of L' has the entries from i on: v_i is no longer needed after it */
      double vi = v[i];
      v[i] = 0;
      const double *row = o->L[object] + (size_t)i * (size_t)m;
      for (int j = 0; j <= i; j++) v[j] += row[j] * vi;
    }
  }
}
