/* Figure 6 of Daviet et al. 2011: the time to assemble W = H M^-1 H', block by block (skein_problem_reduce) and as a
 * product of general sparse matrices:
 *
 *     M = L L' (sparse Cholesky, ordered by AMD), Y = L^-1 P H' by sparse triangular solves, W = Y' Y
 *
 * with CSparse (Davis 2006), which knows the pattern of every column but no blocks. */
#include "reproduce.h"

#include <cs.h>
#include <math.h>
#include <stdlib.h>

/* ---- The general product ---- */

/* A matrix by rows is its transpose by columns; entries that are given twice add up. */
static cs_dl *transposed(const skein_csr *A)
{
  SuiteSparse_long entries = (SuiteSparse_long)A->start[A->rows];
  cs_dl *B = cs_dl_spalloc(A->cols, A->rows, entries > 0 ? entries : 1, 1, 0);
  if (!B) return NULL;
  for (int i = 0; i <= A->rows; i++) B->p[i] = (SuiteSparse_long)A->start[i];
  for (SuiteSparse_long k = 0; k < entries; k++) B->i[k] = A->col[k], B->x[k] = A->val[k];
  if (!cs_dl_dupl(B)) return cs_dl_spfree(B), NULL;
  return B;
}

/* Y = L^-1 P B, column by column; NULL: no memory. */
static cs_dl *solve_columns(const cs_dl *L, const SuiteSparse_long *pinv, const cs_dl *B)
{
  SuiteSparse_long m = B->m, used = 0;
  cs_dl *PB = cs_dl_permute(B, pinv, NULL, 1), *Y = cs_dl_spalloc(m, B->n, 16 * B->n + m, 1, 0);
  SuiteSparse_long *reach = cs_dl_malloc(2 * m + 1, sizeof *reach);
  double *x = cs_dl_calloc(m + 1, sizeof *x);
  bool good = PB && Y && reach && x;
  for (SuiteSparse_long j = 0; j < B->n && good; j++) {
    SuiteSparse_long top = cs_dl_spsolve((cs_dl *)L, PB, j, reach, x, NULL, 1);
    if (used + (m - top) > Y->nzmax) good = cs_dl_sprealloc(Y, 2 * Y->nzmax + m);
    Y->p[j] = used;
    for (SuiteSparse_long k = top; k < m && good; k++) Y->i[used] = reach[k], Y->x[used++] = x[reach[k]];
  }
  if (good) Y->p[B->n] = used;
  cs_dl_spfree(PB), cs_dl_free(reach), cs_dl_free(x);
  return good ? Y : (cs_dl_spfree(Y), NULL);
}

/* W as a general sparse matrix; NULL: no memory, or M is not positive definite. */
static cs_dl *general_product(const skein_problem *p)
{
  cs_dl *M = transposed(&p->M), *Ht = transposed(&p->H), *Y = NULL, *Yt = NULL, *W = NULL;
  cs_dls *symbols = M ? cs_dl_schol(1, M) : NULL;
  cs_dln *factor = symbols ? cs_dl_chol(M, symbols) : NULL;
  if (factor && Ht) Y = solve_columns(factor->L, symbols->pinv, Ht);
  if (Y) Yt = cs_dl_transpose(Y, 1);
  if (Yt) W = cs_dl_multiply(Yt, Y);
  cs_dl_spfree(M), cs_dl_spfree(Ht), cs_dl_spfree(Y), cs_dl_spfree(Yt);
  cs_dl_sfree(symbols), cs_dl_nfree(factor);
  return W;
}

/* max |W - general| / max |W|; the general one by columns, which are rows: W is symmetric. */
static double difference(const skein_csr *W, const cs_dl *general)
{
  double *row = calloc((size_t)W->cols + 1, sizeof *row), most = 0, scale = 0;
  for (int i = 0; i < W->rows && row; i++) {
    for (SuiteSparse_long k = general->p[i]; k < general->p[i + 1]; k++) row[general->i[k]] += general->x[k];
    for (int64_t k = W->start[i]; k < W->start[i + 1]; k++)
      row[W->col[k]] -= W->val[k], scale = fmax(scale, fabs(W->val[k]));
    for (SuiteSparse_long k = general->p[i]; k < general->p[i + 1]; k++)
      most = fmax(most, fabs(row[general->i[k]])), row[general->i[k]] = 0;
    for (int64_t k = W->start[i]; k < W->start[i + 1]; k++) most = fmax(most, fabs(row[W->col[k]])), row[W->col[k]] = 0;
  }
  free(row);
  return scale > 0 ? most / scale : 0;
}

/* ---- The experiment ---- */

typedef struct job {
  reproduce_section *section;
  reproduce_table raw;
  reproduce_plot by_n, by_blocks;
  int every, problems, faster;
  double least, most, worst;                 /* ratio of the times; difference */
  double sx, sy, sxx, sxy, largest, slowest; /* sums of log(blocks), log(time); largest n and its time */
} job;

static skein_status measure(job *j, const skein_problem *p, int64_t step)
{
  skein_problem reduced = {0};
  double begun = reproduce_clock();
  skein_status s = skein_problem_reduce(p, &reduced);
  double ours = reproduce_clock() - begun;
  if (s.code != SKEIN_OK) return s;
  begun = reproduce_clock();
  cs_dl *W = general_product(p);
  double general = reproduce_clock() - begun;
  if (!W) s = (skein_status){.code = SKEIN_NO_MEMORY, .message = "the general sparse product ran out of memory"};
  if (s.code == SKEIN_OK) {
    double blocks = (double)reduced.W.start[reduced.W.rows] / 9, ratio = general / ours;
    double x = log(blocks), y = log(ours), wrong = difference(&reduced.W, W);
    j->problems++, j->faster += ratio > 1, j->worst = fmax(j->worst, wrong);
    j->least = fmin(j->least, ratio), j->most = fmax(j->most, ratio);
    j->sx += x, j->sy += y, j->sxx += x * x, j->sxy += x * y;
    if (p->contacts > j->largest) j->largest = p->contacts, j->slowest = ours;
    reproduce_plot_add(&j->by_n, 0, p->contacts, ours), reproduce_plot_add(&j->by_n, 1, p->contacts, general);
    reproduce_plot_add(&j->by_blocks, 0, blocks, ours), reproduce_plot_add(&j->by_blocks, 1, blocks, general);
    const double row[] = {(double)step, p->contacts, p->dofs, blocks, ours, general, ratio, wrong};
    for (int k = 0; k < 8; k++) reproduce_cell(&j->raw, "%g", row[k]);
  }
  cs_dl_spfree(W);
  skein_problem_destroy(&reduced);
  return s;
}

static skein_status watch(void *user, const skein_world *world, int64_t step)
{
  job *j = user;
  const skein_problem *p = skein_world_problem(world);
  if (step % j->every != 0 || !p || p->contacts < 10) return (skein_status){.code = SKEIN_OK};
  return measure(j, p, step);
}

static void begin_plots(job *j)
{
  j->by_n = reproduce_plot_make("Time to assemble W against contacts", "contacts", "time (s)");
  j->by_blocks = reproduce_plot_make("Time to assemble W against its non-zero blocks", "blocks of 3 x 3", "time (s)");
  reproduce_plot *plots[2] = {&j->by_n, &j->by_blocks};
  for (int k = 0; k < 2; k++) {
    plots[k]->log_x = plots[k]->log_y = true;
    reproduce_plot_series(plots[k], REPRODUCE_DOTS, "block by block");
    reproduce_plot_series(plots[k], REPRODUCE_DOTS, "general sparse product");
  }
}

skein_status reproduce_assembly(reproduce_section *s)
{
  static const char *const columns[] = {"step",        "contacts", "dofs",      "blocks", "block by block (s)",
                                        "general (s)", "ratio",    "difference"};
  const char *small = "rods=200";
  job j = {.section = s, .every = s->set->quick ? 2 : 20, .least = INFINITY};
  reproduce_film film;
  reproduce_film_def def = {.name = "curly-assembly", .scene = "curly", .sets = &small, .watch = watch, .user = &j};
  if (s->set->quick) def.set_count = 1, def.frames = 20, def.patience = 9;
  else def.frames = 120; /* the hair has gathered on the shoulders by then */
  begin_plots(&j);
  j.raw = reproduce_table_raw(s, "assembly", columns, 8);
  skein_status status = reproduce_film_make(s, &def, &film);
  reproduce_film_end(&film);
  reproduce_table_end(&j.raw);
  reproduce_plot_end(&j.by_n, s->out), reproduce_plot_end(&j.by_blocks, s->out);
  if (status.code != SKEIN_OK || j.problems < 2) return status;
  double n = j.problems, slope = (n * j.sxy - j.sx * j.sy) / (n * j.sxx - j.sx * j.sx);
  reproduce_say(
      s,
      "%d problems, up to %.0f contacts. Ours takes blocks to the power %.2f; the largest %.3g s. The default "
      "solver of Skein does not assemble W at all where that is dearer (docs/solvers.md).",
      j.problems, j.largest, slope, j.slowest);
  reproduce_claim(s, j.worst < 1e-8, "both products agree: the largest difference is %.1e of the largest entry",
                  j.worst);
  reproduce_claim(s, j.faster == j.problems,
                  "block by block is faster than the general sparse product on %d of %d problems, %.1f to %.1f times",
                  j.faster, j.problems, j.least, j.most);
  if (j.largest >= 20000)
    reproduce_claim(s, j.slowest < 1, "%.0f contacts in less than a second: %.3g s", j.largest, j.slowest);
  return status;
}
