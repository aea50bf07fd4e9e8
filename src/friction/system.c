/* u = W r + b in explicit or factored form: built from a problem, cut into islands, applied. */
#include "friction/system.h"

#include "friction/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Building ---- */

static skein_status alloc_vectors(int n, sk_arena *arena, sk_system *s)
{
  s->n = n;
  s->b = SK_NEW(arena, 3 * (size_t)n, double);
  s->mu = SK_NEW_RAW(arena, n, double);
  s->Wii = SK_NEW(arena, 9 * (size_t)n, double);
  return arena->failed ? sk_no_memory() : sk_ok();
}

static void measure_speed(sk_system *s)
{
  s->scale.U = 0;
  for (int i = 0; i < 3 * s->n; i++) s->scale.U = fmax(s->scale.U, fabs(s->b[i]));
  if (!(s->scale.U > 0)) s->scale.U = 1;
}

/* Scale from the problem's own d x d blocks; then the unused tangent of a two-dimensional contact gets a unit W. */
static void finish_diagonal(int d, sk_system *s)
{
  double trace = 0;
  measure_speed(s);
  for (int i = 0; i < s->n; i++) {
    double *W = s->Wii + 9 * (size_t)i;
    trace += (W[0] + W[4] + W[8]) / d;
    if (d == 2) W[8] = W[4] > 0 ? W[4] : 1;
  }
  s->scale.w = s->n ? trace / s->n : 0;
  if (!(s->scale.w > 0)) s->scale.w = 1;
}

/* 2 x 2 blocks as 3 x 3, with the diagonal of the unused tangent equal to that of the used one. */
static skein_status widen(const sk_bsr *A, sk_arena *arena, sk_bsr *B)
{
  int64_t blocks = A->start[A->n];
  *B = (sk_bsr){.d = 3,
                .n = A->n,
                .start = A->start,
                .col = A->col,
                .val = SK_NEW(arena, 9 * (size_t)blocks + SK_BSR_PAD, double)};
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < A->n; i++)
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      const double *from = A->val + 4 * k;
      double *to = B->val + 9 * k;
      to[0] = from[0], to[1] = from[1], to[3] = from[2], to[4] = from[3];
      if (A->col[k] == i) to[8] = from[3] > 0 ? from[3] : 1;
    }
  return sk_ok();
}

static bool is_symmetric(const sk_bsr *W, const sk_bsr *Wt)
{
  int64_t blocks = W->start[W->n];
  return !memcmp(W->start, Wt->start, ((size_t)W->n + 1) * sizeof *W->start) &&
         !memcmp(W->col, Wt->col, (size_t)blocks * sizeof *W->col) &&
         !memcmp(W->val, Wt->val, 9 * (size_t)blocks * sizeof *W->val);
}

/* The transpose, unless W is symmetric to the last bit. */
static skein_status set_explicit(sk_system *s, sk_arena *arena)
{
  skein_status status = sk_bsr_transpose(&s->W, arena, &s->Wt);
  if (status.code) return status;
  s->form = SKEIN_EXPLICIT;
  s->symmetric = is_symmetric(&s->W, &s->Wt);
  if (s->symmetric) s->Wt = s->W;
  return sk_ok();
}

static void copy_diagonal(sk_system *s)
{
  for (int i = 0; i < s->n; i++)
    for (int64_t k = s->W.start[i]; k < s->W.start[i + 1]; k++)
      if (s->W.col[k] == i) memcpy(s->Wii + 9 * (size_t)i, s->W.val + 9 * k, 9 * sizeof(double));
}

static skein_status make_reduced(const skein_problem *p, sk_arena *arena, sk_system *s)
{
  int d = p->d, n = p->contacts;
  skein_status status = alloc_vectors(n, arena, s);
  if (status.code == SKEIN_OK) status = sk_bsr_from_csr(&p->W, d, arena, &s->W);
  if (status.code == SKEIN_OK && d == 2) {
    sk_bsr narrow = s->W;
    status = widen(&narrow, arena, &s->W);
  }
  if (status.code == SKEIN_OK) status = set_explicit(s, arena);
  if (status.code) return status;
  memcpy(s->mu, p->mu, (size_t)n * sizeof *s->mu);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < d; k++) s->b[3 * i + k] = p->b[d * i + k];
  s->dofs = p->dofs;
  copy_diagonal(s);
  if (d == 2)
    for (int i = 0; i < n; i++) s->Wii[9 * (size_t)i + 8] = 0; /* not part of the scale */
  finish_diagonal(d, s);
  return sk_ok();
}

/* The distinct objects that contact i touches, ascending. */
static int contact_objects(const skein_problem *p, const sk_objects *o, int i, int *list, int room)
{
  int count = 0;
  for (int64_t k = p->H.start[p->d * i]; k < p->H.start[p->d * (i + 1)]; k++) {
    if (p->H.val[k] == 0) continue;
    int object = o->object_of[p->H.col[k]], at = 0;
    while (at < count && list[at] < object) at++;
    if (at < count && list[at] == object) continue;
    if (count == room) return -1;
    memmove(list + at + 1, list + at, (size_t)(count - at) * sizeof *list);
    list[at] = object;
    count++;
  }
  return count;
}

/* G_i = H_i L^-T for one (contact, object) pair: L g = h for the rows of H_i side by side, in the lanes of `lane`;
 * zeros at the head stay zeros. */
static void whiten(const skein_problem *p, const sk_objects *o, const sk_kernels *kernels, int i, int object, int width,
                   double *G)
{
  int size = o->start[object + 1] - o->start[object], first = size;
  double lane[SK_DENSE][4];
  memset(lane, 0, (size_t)size * sizeof *lane);
  for (int k = 0; k < p->d; k++)
    for (int64_t e = p->H.start[p->d * i + k]; e < p->H.start[p->d * i + k + 1]; e++) {
      if (o->object_of[p->H.col[e]] != object) continue;
      int at = o->place[p->H.col[e]];
      lane[at][k] += p->H.val[e], first = SK_MIN(first, at);
    }
  kernels->forward(o->L[object], size, first, lane[0]);
  for (int k = 0; k < p->d; k++)
    for (int j = 0; j < size; j++) G[k * width + j] = lane[j][k];
}

enum { room = 64 }; /* objects that one contact may touch */

/* Threads for the contacts. */
static int team(int threads, int n)
{
  return SK_MAX(1, SK_MIN(threads, n / 128));
}

/* g_start, and the objects of every contact, one after the other. */
static skein_status list_pairs(const skein_problem *p, const sk_objects *o, int threads, sk_arena *arena, sk_system *s,
                               int **objects)
{
  int n = p->contacts, crowded = n;
  s->g_start = SK_NEW(arena, n + 1, int64_t);
  if (arena->failed) return sk_no_memory();
#pragma omp parallel for num_threads(team(threads, n)) schedule(static, 64) reduction(min : crowded)
  for (int i = 0; i < n; i++) {
    int list[room], count = contact_objects(p, o, i, list, room);
    s->g_start[i + 1] = count;
    if (count < 0) crowded = SK_MIN(crowded, i);
  }
  if (crowded < n) return sk_fail(SKEIN_BAD_INPUT, "H: contact %d touches more than %d objects", crowded, room);
  for (int i = 0; i < n; i++) s->g_start[i + 1] += s->g_start[i];
  *objects = SK_NEW_RAW(arena, s->g_start[n], int);
  if (arena->failed) return sk_no_memory();
#pragma omp parallel for num_threads(team(threads, n)) schedule(static, 64)
  for (int i = 0; i < n; i++)
    contact_objects(p, o, i, *objects + s->g_start[i], (int)(s->g_start[i + 1] - s->g_start[i]));
  return sk_ok();
}

/* Dofs of an object, rounded up to a whole number of vectors of four. */
static int padded(const sk_objects *o, int object)
{
  return (o->start[object + 1] - o->start[object] + 3) / 4 * 4;
}

/* Columns at the head of a pair's G that are zero, in whole vectors: of chains, those before the contact. */
static int leading_zeros(const sk_system *s, int64_t pair)
{
  const double *G = s->G + s->g_at[pair];
  int width = s->g_width[pair], first = 0;
  for (; first + 4 < width; first += 4)
    for (int k = 0; k < 12; k++)
      if (G[k / 4 * width + first + k % 4] != 0) return first;
  return first;
}

/* b of contact i: that of the problem, or u_f + H M^-1 f. */
static void fill_velocity(const skein_problem *p, const double *vf, int i, double *b)
{
  for (int k = 0; k < p->d; k++) {
    int row = p->d * i + k;
    double sum = p->form == SKEIN_REDUCED ? p->b[row] : p->u_f[row];
    for (int64_t e = p->H.start[row]; p->form == SKEIN_GLOBAL && e < p->H.start[row + 1]; e++)
      sum += p->H.val[e] * vf[p->H.col[e]];
    b[k] = sum;
  }
}

/* G, W_ii and b of contact i. */
static void fill_contact(const skein_problem *p, const sk_objects *o, const sk_system *s, const int *objects, int i)
{
  for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
    double *G = s->G + s->g_at[k];
    memset(G, 0, 3 * (size_t)s->g_width[k] * sizeof *G);
    whiten(p, o, s->kernels, i, objects[k], s->g_width[k], G);
    s->g_first[k] = leading_zeros(s, k);
    s->kernels->product(G, G, s->g_width[k], s->g_first[k], s->Wii + 9 * (size_t)i);
  }
  fill_velocity(p, o->vf, i, s->b + 3 * (size_t)i);
}

static skein_status make_factored(const skein_problem *p, const sk_objects *o, int threads, sk_arena *arena,
                                  sk_system *s)
{
  int n = p->contacts, *objects;
  skein_status status = alloc_vectors(n, arena, s);
  if (status.code == SKEIN_OK) status = list_pairs(p, o, threads, arena, s, &objects);
  if (status.code) return status;
  int64_t pairs = s->g_start[n], size = 0;
  s->g_y = SK_NEW(arena, pairs, int), s->g_width = SK_NEW(arena, pairs, int), s->g_first = SK_NEW(arena, pairs, int);
  s->g_at = SK_NEW(arena, pairs + 1, int64_t);
  int *y_of = SK_NEW(arena, o->count, int);
  if (arena->failed) return sk_no_memory();
  for (int k = 0; k < o->count; k++) y_of[k] = -1;
  for (int64_t k = 0; k < pairs; k++) {
    int object = objects[k];
    if (y_of[object] < 0) { /* only objects in contact have a state */
      y_of[object] = s->y_size, s->y_size += padded(o, object);
      s->objects++, s->dofs += o->start[object + 1] - o->start[object];
    }
    s->g_y[k] = y_of[object], s->g_width[k] = padded(o, object);
    s->g_at[k] = size, size += 3 * (int64_t)s->g_width[k];
  }
  s->g_at[pairs] = size;
  s->G = SK_NEW_RAW(arena, size, double), s->object_at = SK_NEW_RAW(arena, s->y_size, int);
  if (arena->failed) return sk_no_memory();
  s->problem = p, s->parts = o;
  for (int y = 0; y < s->y_size; y++) s->object_at[y] = -1;
  for (int k = 0; k < o->count; k++)
    if (y_of[k] >= 0) s->object_at[y_of[k]] = k;
#pragma omp parallel for num_threads(team(threads, n)) schedule(static, 64)
  for (int i = 0; i < n; i++) fill_contact(p, o, s, objects, i);
  memcpy(s->mu, p->mu, (size_t)n * sizeof *s->mu);
  s->form = SKEIN_FACTORED, s->symmetric = true;
  finish_diagonal(p->d, s);
  return sk_ok();
}

/* Contacts of every object, as lists of (contact, object) pairs. */
static skein_status pairs_by_object(const sk_system *s, sk_arena *arena, int64_t **start, int **contact, int64_t **pair)
{
  int64_t pairs = s->g_start[s->n];
  *start = SK_NEW(arena, s->y_size + 2, int64_t); /* an object is known by the start of its y */
  *contact = SK_NEW(arena, pairs, int), *pair = SK_NEW(arena, pairs, int64_t);
  if (arena->failed) return sk_no_memory();
  for (int64_t k = 0; k < pairs; k++) (*start)[s->g_y[k] + 2]++;
  for (int i = 0; i <= s->y_size; i++) (*start)[i + 1] += (*start)[i];
  for (int i = 0; i < s->n; i++)
    for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
      int64_t to = (*start)[s->g_y[k] + 1]++;
      (*contact)[to] = i, (*pair)[to] = k;
    }
  return sk_ok();
}

/* The contacts that share an object with contact i, ascending, i included; mark: n ints, i + 1 where seen. */
static int neighbours(const sk_system *s, int i, const int64_t *start, const int *contact, int *mark, int *list)
{
  int count = 0;
  mark[i] = i + 1, list[count++] = i;
  for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++)
    for (int64_t e = start[s->g_y[k]]; e < start[s->g_y[k] + 1]; e++)
      if (mark[contact[e]] != i + 1) mark[contact[e]] = i + 1, list[count++] = contact[e];
  return count;
}

static int compare_ints(const void *a, const void *b)
{
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Blocks on and above the diagonal; those below are their transposes. */
skein_status sk_system_explicit(const sk_system *s, sk_arena *arena, sk_bsr *W)
{
  int64_t *start, *pair;
  int *contact, n = s->n;
  skein_status status = pairs_by_object(s, arena, &start, &contact, &pair);
  int *mark = SK_NEW(arena, n, int), *list = SK_NEW(arena, n, int), *at = SK_NEW(arena, n, int);
  int *below = SK_NEW(arena, n, int); /* blocks of a row that are filled */
  *W = (sk_bsr){.d = 3, .n = n, .start = SK_NEW(arena, n + 1, int64_t)};
  if (status.code || arena->failed) return sk_no_memory();
  for (int i = 0; i < n; i++) W->start[i + 1] = W->start[i] + neighbours(s, i, start, contact, mark, list);
  W->col = SK_NEW_RAW(arena, W->start[n], int);
  W->val = SK_NEW(arena, 9 * (size_t)W->start[n] + SK_BSR_PAD, double);
  if (arena->failed) return sk_no_memory();
  memset(mark, 0, (size_t)n * sizeof *mark);
  for (int i = 0; i < n; i++) {
    int *col = W->col + W->start[i], count = neighbours(s, i, start, contact, mark, col);
    qsort(col, (size_t)count, sizeof *col, compare_ints);
    for (int k = 0; k < count; k++) at[col[k]] = k;
    for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++)
      for (int64_t e = start[s->g_y[k]]; e < start[s->g_y[k] + 1]; e++)
        if (contact[e] >= i)
          s->kernels->product(s->G + s->g_at[k], s->G + s->g_at[pair[e]], s->g_width[k],
                              SK_MAX(s->g_first[k], s->g_first[pair[e]]), W->val + 9 * (W->start[i] + at[contact[e]]));
  }
  for (int i = 0; i < n; i++) /* rows are ascending: block (j, i) is the next one of row j */
    for (int64_t e = W->start[i]; e < W->start[i + 1]; e++) {
      int j = W->col[e];
      if (j <= i) continue;
      double *to = W->val + 9 * (W->start[j] + below[j]++);
      for (int k = 0; k < 9; k++) to[k] = W->val[9 * e + 3 * (k % 3) + k / 3];
    }
  return sk_ok();
}

/* Bytes that one sweep moves: 72 and an index per block of W, against 24 per column of G. */
static bool factored_is_cheaper(const sk_system *s, sk_arena *scratch)
{
  int64_t *start, *pair;
  int *contact;
  if (pairs_by_object(s, scratch, &start, &contact, &pair).code) return true;
  double explicit_bytes = 0, factored_bytes = 24.0 * (double)s->g_at[s->g_start[s->n]];
  for (int i = 0; i < s->n; i++)
    for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++)
      explicit_bytes += 76.0 * (double)(start[s->g_y[k] + 1] - start[s->g_y[k]]);
  return factored_bytes <= 3 * explicit_bytes; /* and W must be assembled first */
}

/* Objects of few dofs: factored, and W from that where it is cheaper. */
static skein_status make_dense(const skein_problem *p, const sk_objects *o, skein_operator form, int threads,
                               sk_arena *arena, sk_system *s)
{
  skein_status status = make_factored(p, o, threads, arena, s);
  if (status.code) return status;
  if (form == SKEIN_OPERATOR_AUTO) {
    sk_arena scratch = {0};
    form = factored_is_cheaper(s, &scratch) ? SKEIN_FACTORED : SKEIN_EXPLICIT;
    sk_arena_free(&scratch);
  }
  if (form == SKEIN_FACTORED) return sk_ok();
  status = sk_system_explicit(s, arena, &s->W);
  return status.code ? status : set_explicit(s, arena);
}

/* An object with many dofs, a mesh: W by sparse Cholesky, then as if it had been given. */
static skein_status make_sparse(const skein_problem *p, const sk_objects *o, skein_operator form, sk_arena *arena,
                                sk_system *s)
{
  if (form == SKEIN_FACTORED)
    return sk_fail(SKEIN_BAD_INPUT, "the factored form is for objects of up to %d dofs, one has %d", SK_DENSE,
                   o->largest);
  skein_problem reduced = {.form = SKEIN_REDUCED, .d = p->d, .contacts = p->contacts, .dofs = p->dofs, .mu = p->mu};
  reduced.b = SK_NEW(arena, p->H.rows, double);
  if (arena->failed) return sk_no_memory();
  if (p->H.rows) memcpy(reduced.b, p->u_f, (size_t)p->H.rows * sizeof *reduced.b);
  sk_csr_mul_add(&p->H, o->vf, 1, reduced.b, 1);
  skein_status status = sk_cholesky_reduce(o->sparse, &p->H, &reduced.W);
  if (status.code == SKEIN_OK) status = make_reduced(&reduced, arena, s);
  sk_csr_destroy(&reduced.W);
  return status;
}

skein_status sk_system_make(const skein_problem *p, skein_operator form, int threads, sk_arena *arena, sk_system *s)
{
  *s = (sk_system){.kernels = sk_kernels_best()};
  if (p->form == SKEIN_REDUCED) {
    if (form == SKEIN_FACTORED)
      return sk_fail(SKEIN_BAD_INPUT, "the factored form needs a global problem (M, H), this one is reduced (W)");
    return make_reduced(p, arena, s);
  }
  sk_objects *o = SK_NEW(arena, 1, sk_objects);
  if (arena->failed) return sk_no_memory();
  skein_status status = sk_objects_make(p, threads, arena, o);
  if (status.code == SKEIN_OK)
    status = o->sparse ? make_sparse(p, o, form, arena, s) : make_dense(p, o, form, threads, arena, s);
  s->vf = o->vf;
  sk_objects_destroy(o);
  return status;
}

void sk_system_update(const skein_problem *p, int threads, sk_system *s)
{
#pragma omp parallel for num_threads(team(threads, s->n)) schedule(static, 64)
  for (int i = 0; i < s->n; i++) fill_velocity(p, s->vf, i, s->b + 3 * (size_t)i);
  measure_speed(s);
}

void sk_system_update_part(const sk_system *s, const int *rows, int count, sk_system *part)
{
  part->scale = s->scale;
  for (int i = 0; i < count; i++) memcpy(part->b + 3 * (size_t)i, s->b + 3 * (size_t)rows[i], 3 * sizeof(double));
}

/* ---- Islands ---- */

int sk_system_islands(const sk_system *s, sk_arena *arena, int *island_of)
{
  int *parent = SK_NEW(arena, s->n, int), *last = SK_NEW(arena, s->y_size + 1, int), count = 0;
  if (arena->failed) return -1;
  sk_union_init(parent, s->n);
  for (int i = 0; i < s->n; i++) {
    if (s->form == SKEIN_EXPLICIT) {
      for (int64_t k = s->W.start[i]; k < s->W.start[i + 1]; k++) sk_union_join(parent, i, s->W.col[k]);
    } else {
      for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
        int *seen = last + s->g_y[k];
        if (*seen) sk_union_join(parent, *seen - 1, i);
        *seen = i + 1;
      }
    }
  }
  for (int i = 0; i < s->n; i++)
    island_of[i] = sk_union_find(parent, i) == i ? count++ : island_of[sk_union_find(parent, i)];
  return count;
}

static skein_status extract_factored(const sk_system *s, const int *rows, int count, int threads, sk_arena *arena,
                                     sk_system *part)
{
  part->g_start = SK_NEW(arena, count + 1, int64_t);
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < count; i++)
    part->g_start[i + 1] = part->g_start[i] + s->g_start[rows[i] + 1] - s->g_start[rows[i]];
  int64_t pairs = part->g_start[count], at = 0;
  part->g_y = SK_NEW(arena, pairs, int), part->g_width = SK_NEW(arena, pairs, int);
  part->g_first = SK_NEW(arena, pairs, int);
  part->g_at = SK_NEW(arena, pairs + 1, int64_t);
  int *moved = SK_NEW(arena, s->y_size + 1, int);
  if (arena->failed) return sk_no_memory();
  for (int i = 0; i < count; i++)
    for (int64_t k = s->g_start[rows[i]], to = part->g_start[i]; k < s->g_start[rows[i] + 1]; k++, to++) {
      int *y = moved + s->g_y[k];
      if (!*y) *y = part->y_size + 1, part->y_size += s->g_width[k], part->objects++;
      part->g_y[to] = *y - 1, part->g_width[to] = s->g_width[k], part->g_first[to] = s->g_first[k];
      part->g_at[to] = at, at += 3 * (int64_t)s->g_width[k];
    }
  part->g_at[pairs] = at;
  part->G = SK_NEW_RAW(arena, at, double);
  part->object_at = SK_NEW_RAW(arena, part->y_size, int), part->contact_of = SK_NEW_RAW(arena, count, int);
  if (arena->failed) return sk_no_memory();
  part->problem = s->problem, part->parts = s->parts;
  for (int y = 0; y < part->y_size; y++) part->object_at[y] = -1;
  for (int y = 0; y < s->y_size; y++)
    if (moved[y]) part->object_at[moved[y] - 1] = s->object_at[y];
#pragma omp parallel for num_threads(team(threads, count)) schedule(static, 64)
  for (int i = 0; i < count; i++) {
    part->contact_of[i] = s->contact_of ? s->contact_of[rows[i]] : rows[i];
    for (int64_t k = s->g_start[rows[i]], to = part->g_start[i]; k < s->g_start[rows[i] + 1]; k++, to++)
      memcpy(part->G + part->g_at[to], s->G + s->g_at[k], 3 * (size_t)s->g_width[k] * sizeof(double));
  }
  part->dofs = part->y_size; /* padding counted: only nu is made of it */
  return sk_ok();
}

skein_status sk_system_extract(const sk_system *s, const int *rows, int count, const int *position, int threads,
                               sk_arena *arena, sk_system *part)
{
  *part = (sk_system){.kernels = s->kernels, .form = s->form, .scale = s->scale, .symmetric = s->symmetric};
  skein_status status = alloc_vectors(count, arena, part);
  if (status.code) return status;
  for (int i = 0; i < count; i++) {
    memcpy(part->b + 3 * i, s->b + 3 * rows[i], 3 * sizeof(double));
    memcpy(part->Wii + 9 * (size_t)i, s->Wii + 9 * (size_t)rows[i], 9 * sizeof(double));
    part->mu[i] = s->mu[rows[i]];
  }
  if (s->form == SKEIN_FACTORED) return extract_factored(s, rows, count, threads, arena, part);
  status = sk_bsr_extract(&s->W, rows, count, position, arena, &part->W);
  if (status.code) return status;
  part->Wt = part->W;
  return s->symmetric ? status : sk_bsr_extract(&s->Wt, rows, count, position, arena, &part->Wt);
}

skein_status sk_system_order(const sk_system *s, int *rows, int count, sk_arena *arena, sk_order *out)
{
  int *order = SK_NEW_RAW(arena, count, int);
  if (arena->failed) return sk_no_memory();
  bool done = s->form == SKEIN_EXPLICIT
                  ? sk_colour_order(rows, count, s->W.start, s->W.col, s->n, arena, order, out)
                  : sk_block_order(rows, count, s->g_start, s->g_y, s->y_size + 1, arena, order, out);
  if (!done) return sk_no_memory();
  memcpy(rows, order, (size_t)count * sizeof *rows);
  return sk_ok();
}

/* ---- Applying ---- */

void sk_system_velocity(const sk_system *s, const double *r, double *u, double *y)
{
  if (s->form == SKEIN_EXPLICIT) {
    sk_bsr_mul_add(&s->W, r, s->b, u);
    return;
  }
  memset(y, 0, (size_t)s->y_size * sizeof *y);
  for (int i = 0; i < s->n; i++)
    for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
      const double *G = s->G + s->g_at[k];
      double *z = y + s->g_y[k];
      int width = s->g_width[k];
      for (int e = 0; e < width; e++)
        z[e] += G[e] * r[3 * i] + G[width + e] * r[3 * i + 1] + G[2 * width + e] * r[3 * i + 2];
    }
  for (int i = 0; i < s->n; i++) {
    double sum[3] = {s->b[3 * i], s->b[3 * i + 1], s->b[3 * i + 2]};
    for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
      const double *G = s->G + s->g_at[k], *z = y + s->g_y[k];
      int width = s->g_width[k];
      for (int a = 0; a < 3; a++)
        for (int e = 0; e < width; e++) sum[a] += G[a * width + e] * z[e];
    }
    memcpy(u + 3 * i, sum, sizeof sum);
  }
}
