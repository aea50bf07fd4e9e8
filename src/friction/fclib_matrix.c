/* The matrices of an FCLIB file, from p, i, x as they stand there to compressed rows.
 *
 *     nz = -2 compressed rows, -1 compressed columns, >= 0 triplets; nzmax: room for entries, nz or p_m of it are used
 */
#include "friction/fclib_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sk_field sk_fclib_at(const char *group, const char *name)
{
  sk_field f;
  snprintf(f.path, sizeof f.path, "%s/%s", group, name);
  return f;
}

skein_status sk_fclib_count(const char *path, int64_t count, int64_t expected, const char *why)
{
  if (count == expected) return sk_ok();
  return sk_fail(SKEIN_BAD_INPUT, "%s: has %lld entries, expected %lld (%s)", path, (long long)count,
                 (long long)expected, why);
}

/* What is used of nzmax: some files hold no more than that. */
static skein_status check_room(sk_field f, int64_t count, int64_t used, int64_t nzmax)
{
  if (count >= used && count <= nzmax) return sk_ok();
  return sk_fail(SKEIN_BAD_INPUT, "%s: has %lld entries, expected %lld to %lld (nzmax)", f.path, (long long)count,
                 (long long)used, (long long)nzmax);
}

/* 0 <= index < limit for the first `count` of them. */
static skein_status check_range(sk_field f, const int *index, int64_t count, int limit)
{
  for (int64_t k = 0; k < count; k++)
    if (index[k] < 0 || index[k] >= limit)
      return sk_fail(SKEIN_BAD_INPUT, "%s: entry %lld is %d, expected 0 to %d", f.path, (long long)k, index[k],
                     limit - 1);
  return sk_ok();
}

/* p_0 = 0 <= p_1 <= ... <= p_lines <= nzmax */
static skein_status check_pointers(sk_field f, const int *p, int lines, int nzmax)
{
  if (p[0] != 0) return sk_fail(SKEIN_BAD_INPUT, "%s: entry 0 is %d, expected 0", f.path, p[0]);
  for (int k = 0; k < lines; k++)
    if (p[k + 1] < p[k])
      return sk_fail(SKEIN_BAD_INPUT, "%s: entry %d is %d, expected >= %d (never descending)", f.path, k + 1, p[k + 1],
                     p[k]);
  if (p[lines] > nzmax)
    return sk_fail(SKEIN_BAD_INPUT, "%s: entry %d is %d, expected <= %d (nzmax)", f.path, lines, p[lines], nzmax);
  return sk_ok();
}

/* Compressed lines as they are: A takes the columns and values over. */
static skein_status make_compressed(const char *group, int lines, int length, const sk_fclib_head *h,
                                    sk_fclib_entries *e, skein_csr *A)
{
  const int *p = e->p.data;
  skein_status s =
      sk_fclib_count(sk_fclib_at(group, "p").path, e->p.count, (int64_t)lines + 1, h->nz == -2 ? "m + 1" : "n + 1");
  if (s.code == SKEIN_OK) s = check_pointers(sk_fclib_at(group, "p"), p, lines, h->nzmax);
  if (s.code == SKEIN_OK) s = check_room(sk_fclib_at(group, "i"), e->i.count, p[lines], h->nzmax);
  if (s.code == SKEIN_OK) s = check_room(sk_fclib_at(group, "x"), e->x.count, p[lines], h->nzmax);
  if (s.code == SKEIN_OK) s = check_range(sk_fclib_at(group, "i"), e->i.data, p[lines], length);
  if (s.code != SKEIN_OK) return s;
  *A = (skein_csr){.rows = lines, .cols = length, .start = sk_calloc((size_t)lines + 1, sizeof *A->start)};
  if (!A->start) return sk_no_memory();
  for (int k = 0; k <= lines; k++) A->start[k] = p[k];
  A->col = e->i.data, A->val = e->x.data;
  e->i.data = e->x.data = NULL;
  return s;
}

static skein_status make_columns(const char *group, const sk_fclib_head *h, sk_fclib_entries *e, skein_csr *A)
{
  skein_csr T = {0};
  skein_status s = make_compressed(group, h->n, h->m, h, e, &T);
  if (s.code == SKEIN_OK) s = sk_csr_transpose(&T, A);
  sk_csr_destroy(&T);
  return s;
}

/* Some files say "compressed rows" and hold m x n numbers by rows, with pointers that are all zero. */
static bool is_dense(const sk_fclib_head *h, const sk_fclib_entries *e)
{
  const int *p = e->p.data;
  bool empty = e->p.count == (int64_t)h->m + 1 && h->m > 0;
  for (int k = 0; empty && k <= h->m; k++) empty = p[k] == 0;
  return empty && h->n > 0 && e->x.count == (int64_t)h->m * h->n;
}

static skein_status make_dense(const sk_fclib_head *h, const sk_fclib_entries *e, skein_csr *A)
{
  const double *x = e->x.data;
  int64_t count = 0;
  for (int64_t k = 0; k < e->x.count; k++) count += x[k] != 0;
  skein_status s = sk_csr_create(h->m, h->n, count, A);
  if (s.code != SKEIN_OK) return s;
  count = 0;
  for (int i = 0; i < h->m; i++) {
    for (int j = 0; j < h->n; j++) {
      double value = x[(int64_t)i * h->n + j];
      if (value != 0) A->col[count] = j, A->val[count++] = value;
    }
    A->start[i + 1] = count;
  }
  return s;
}

/* fclib.h documents p = rows, i = columns; Siconos writes them the other way round. Whichever fits m x n; where both
 * fit, the documented one. (For a symmetric matrix both are the same.) */
static skein_status find_rows(const char *group, const sk_fclib_head *h, const sk_fclib_entries *e, const int **row,
                              const int **col)
{
  skein_status documented = check_range(sk_fclib_at(group, "p"), e->p.data, h->nz, h->m);
  if (documented.code == SKEIN_OK) documented = check_range(sk_fclib_at(group, "i"), e->i.data, h->nz, h->n);
  bool swapped = documented.code != SKEIN_OK &&
                 check_range(sk_fclib_at(group, "i"), e->i.data, h->nz, h->m).code == SKEIN_OK &&
                 check_range(sk_fclib_at(group, "p"), e->p.data, h->nz, h->n).code == SKEIN_OK;
  *row = swapped ? e->i.data : e->p.data;
  *col = swapped ? e->p.data : e->i.data;
  return swapped ? sk_ok() : documented;
}

static skein_status make_triplets(const char *group, const sk_fclib_head *h, const sk_fclib_entries *e, skein_csr *A)
{
  const int *row, *col;
  const double *x = e->x.data;
  skein_status s = sk_fclib_count(sk_fclib_at(group, "p").path, e->p.count, h->nz, "nz");
  if (s.code == SKEIN_OK) s = sk_fclib_count(sk_fclib_at(group, "i").path, e->i.count, h->nz, "nz");
  if (s.code == SKEIN_OK && h->nzmax < h->nz)
    s = sk_fail(SKEIN_BAD_INPUT, "%s/nzmax: is %d, expected >= %d (nz)", group, h->nzmax, h->nz);
  if (s.code == SKEIN_OK) s = check_room(sk_fclib_at(group, "x"), e->x.count, h->nz, h->nzmax);
  if (s.code == SKEIN_OK) s = find_rows(group, h, e, &row, &col);
  if (s.code == SKEIN_OK) s = sk_csr_create(h->m, h->n, h->nz, A);
  if (s.code != SKEIN_OK) return s;
  for (int k = 0; k < h->nz; k++) A->start[row[k] + 1]++;
  for (int i = 0; i < h->m; i++) A->start[i + 1] += A->start[i];
  for (int k = h->nz - 1; k >= 0; k--) { /* backwards from the end of each row: the order of the file is kept */
    int64_t place = --A->start[row[k] + 1];
    A->col[place] = col[k], A->val[place] = x[k];
  }
  memmove(A->start, A->start + 1, (size_t)h->m * sizeof *A->start); /* start[i + 1] came down to the start of row i */
  A->start[h->m] = h->nz;
  return s;
}

skein_status sk_fclib_matrix(const char *group, const sk_fclib_head *h, sk_fclib_entries *e, skein_csr *A)
{
  if (h->nz >= 0) return make_triplets(group, h, e, A);
  if (h->nz == -1) return make_columns(group, h, e, A);
  return is_dense(h, e) ? make_dense(h, e, A) : make_compressed(group, h->m, h->n, h, e, A);
}

/* Entries of A on one side of the diagonal alone: 1 below, 2 above, 3 on both, 0 on none. */
static int sides_of(const skein_csr *A)
{
  int sides = 0;
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++)
      if (A->val[k] != 0 && A->col[k] != i) sides |= A->col[k] < i ? 1 : 2;
  return sides;
}

skein_status sk_fclib_mirror(skein_csr *A, bool *triangle)
{
  skein_csr T = {0}, whole = {0};
  int sides = sides_of(A);
  *triangle = sides == 1 || sides == 2;
  if (!*triangle) return sk_ok();
  skein_status s = sk_csr_transpose(A, &T);
  if (s.code == SKEIN_OK) s = sk_csr_create(A->rows, A->cols, 2 * A->start[A->rows], &whole);
  int64_t count = 0;
  for (int i = 0; i < A->rows && s.code == SKEIN_OK; i++) {
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++)
      whole.col[count] = A->col[k], whole.val[count++] = A->val[k];
    for (int64_t k = T.start[i]; k < T.start[i + 1]; k++)
      if (T.col[k] != i) whole.col[count] = T.col[k], whole.val[count++] = T.val[k];
    whole.start[i + 1] = count;
  }
  sk_csr_destroy(&T);
  if (s.code != SKEIN_OK) return s;
  sk_csr_destroy(A);
  *A = whole;
  return s;
}
