/* The verdict on one step. What may have met is looked at in two passes: all of it by chords with what the curves have
 * beside them, then the deepest, and those that grew most, on the curves and surfaces themselves. The rules:
 *
 *     diverged     not finite, or energy of nothing above the object's own
 *     too fast     a place went further than contacts were looked for, and met something there
 *     missed       the friction solver missed its tolerance
 *     curved       contacts went elsewhere than the linear problem had them, by more than `curved`
 *     too deep     axes went through each other, or an overlap above `overlap` grew by more than `deeper`
 *     deep         an overlap above `deep`, and none is too deep: with the row above none of these is unnamed
 *     unbalanced   energy of nothing above `balance`, or a speed above its bound */
#include "world/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Findings ---- */

sk_sight sk_sight_make(void)
{
  return (sk_sight){sk_no_finding, sk_no_finding, sk_no_finding};
}

void sk_sight_take(sk_sight *all, const sk_sight *one)
{
  sk_finding_take(&all->overlap, one->overlap.size, one->overlap.a, one->overlap.b);
  sk_finding_take(&all->deeper, one->deeper.size, one->deeper.a, one->deeper.b);
  sk_finding_take(&all->reach, one->reach.size, one->reach.a, one->reach.b);
}

void sk_sight_see(sk_sight *s, const sk_limits *limits, double overlap, double deeper, int a, int b)
{
  sk_finding_take(&s->overlap, overlap, a, b);
  if (overlap > limits->judge.overlap) sk_finding_take(&s->deeper, deeper, a, b);
}

void sk_crossed_add(sk_crossed *c, int a, int b)
{
  if (c->count < c->room) c->at[c->count][0] = a, c->at[c->count][1] = b;
  c->count++;
}

static int compare_pairs(const void *x, const void *y)
{
  const int *a = x, *b = y;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* How many pairs of objects there are, and the first of them. */
static skein_finding count_pairs(sk_crossed *c)
{
  int stored = SK_MIN(c->count, c->room), pairs = c->count - stored;
  if (c->count == 0) return sk_no_finding;
  qsort(c->at, (size_t)stored, sizeof *c->at, compare_pairs);
  for (int k = 0; k < stored; k++) pairs += k == 0 || compare_pairs(c->at[k - 1], c->at[k]) != 0;
  return (skein_finding){pairs, c->at[0][0], c->at[0][1]};
}

/* ---- What may have met ---- */

typedef struct hit {
  const sk_meet *meet;
  sk_near_view view;
} hit;

typedef struct hits {
  hit *at;
  int64_t count;
} hits;

static int object_of(const sk_judge_input *in, int item)
{
  return item < in->piece_count ? in->pieces[item].object : in->objects.rod_count + item - in->piece_count;
}

static sk_near_view look_at(const sk_judge_input *in, const sk_limits *limits, const sk_meet *m)
{
  int n = in->piece_count;
  const sk_piece *p = in->pieces + m->i, *q = in->pieces + m->j;
  if (m->i >= n) return sk_judge_bodies(in, limits, m->i - n, m->j - n, m->distance);
  if (m->j >= n)
    return sk_judge_on_body(in, limits, p->object, p->piece, m->j - n, m->distance,
                            sk_vec(m->normal[0], m->normal[1], m->normal[2]), m->t);
  return sk_judge_rods(in, limits, p->object, p->piece, q->object, q->piece, m->distance);
}

/* All with an overlap, or that crossed; their order means nothing. */
static hits find_hits(const sk_judge_input *in, const sk_limits *limits, sk_arena *arena)
{
  hits h = {SK_NEW_RAW(arena, in->meets.count, hit), 0};
  if (arena->failed) return h;
#pragma omp parallel for num_threads(in->threads) schedule(dynamic, 512)
  for (int64_t k = 0; k < in->meets.count; k++) {
    sk_near_view view = look_at(in, limits, in->meets.at + k);
    if (!(view.overlap > 0 || view.crossed)) continue;
    h.at[__atomic_fetch_add(&h.count, 1, __ATOMIC_RELAXED)] = (hit){in->meets.at + k, view};
  }
  return h;
}

/* ---- The worst, looked at more closely ---- */

static sk_near_view look_closer(const sk_judge_input *in, const hit *h)
{
  int n = in->piece_count;
  const sk_piece *p = in->pieces + h->meet->i, *q = in->pieces + h->meet->j;
  if (h->meet->i >= n) return h->view;
  if (h->meet->j >= n) return sk_judge_on_surface(in, p->object, p->piece, h->meet->j - n);
  return p->straight && q->straight ? h->view : sk_judge_curves(in, p->object, p->piece, q->object, q->piece);
}

static int compare_meets(const hit *x, const hit *y)
{
  const sk_meet *a = x->meet, *b = y->meet;
  return a->i != b->i ? (a->i > b->i) - (a->i < b->i) : (a->j > b->j) - (a->j < b->j);
}

static int by_overlap(const void *x, const void *y)
{
  double a = ((const hit *)x)->view.overlap, b = ((const hit *)y)->view.overlap;
  return a != b ? (a < b) - (a > b) : compare_meets(x, y);
}

static int by_growth(const void *x, const void *y)
{
  double a = ((const hit *)x)->view.deeper, b = ((const hit *)y)->view.deeper;
  return a != b ? (a < b) - (a > b) : compare_meets(x, y);
}

/* From the largest on, until none that is left may be larger than what was found: chords and single places of a mesh
 * see less of an overlap than there is, by the doubt at most. */
static void refine(const sk_judge_input *in, const sk_limits *limits, const hits *h, bool growth, sk_sight *sight)
{
  qsort(h->at, (size_t)h->count, sizeof *h->at, growth ? by_growth : by_overlap);
  for (int64_t first = 0; first < h->count; first += sk_limit.sight.portion) {
    const sk_near_view *next = &h->at[first].view;
    double found = growth ? fmax(sight->deeper.size, 0.5 * limits->judge.deeper) : sight->overlap.size;
    int64_t end = SK_MIN(first + sk_limit.sight.portion, h->count);
    if ((growth ? next->deeper : next->overlap + limits->judge.doubt) < found) return;
#pragma omp parallel for num_threads(in->threads) schedule(dynamic, 1)
    for (int64_t k = first; k < end; k++) {
      const hit *at = h->at + k;
      sk_near_view view = at->view.overlap > 0 ? look_closer(in, at) : at->view;
#pragma omp critical
      sk_sight_see(sight, limits, view.overlap, view.deeper, object_of(in, at->meet->i), object_of(in, at->meet->j));
    }
  }
}

/* ---- The verdict ---- */

static bool is_finite(const skein_verdict *v, const sk_judge_input *in)
{
  return isfinite(v->overlap.size + v->deeper.size + v->curved.size + v->balance.size + v->reach.size + v->speed.size +
                  v->made + v->turnover + in->error);
}

static unsigned flags_of(const skein_verdict *v, const sk_judge_input *in, const sk_limits *limits, bool unseen)
{
  bool too_deep = v->crossed.size > 0 || v->deeper.size > limits->judge.deeper;
  bool is[SKEIN_FLAW_COUNT] = {[SKEIN_FLAW_DIVERGED] = !is_finite(v, in) || v->balance.size > limits->judge.diverged,
                               [SKEIN_FLAW_TOO_FAST] = unseen,
                               [SKEIN_FLAW_MISSED] = in->error > in->tol,
                               [SKEIN_FLAW_CURVED] = v->curved.size > limits->judge.curved,
                               [SKEIN_FLAW_TOO_DEEP] = too_deep,
                               [SKEIN_FLAW_DEEP] = !too_deep && v->overlap.size > limits->judge.deep,
                               [SKEIN_FLAW_UNBALANCED] = v->balance.size > limits->judge.balance || v->speed.size > 1};
  unsigned flaws = 0;
  for (int k = 0; k < SKEIN_FLAW_COUNT; k++) flaws |= (unsigned)is[k] << k;
  return flaws;
}

/* Rods whose places are not numbers are found by nothing else: comparisons with them fail. */
static bool is_broken(const sk_judge_rod *rod)
{
  double sum = 0;
  for (int k = 0; k <= rod->count; k++) sum += 0 * (rod->after.r[k].x + rod->after.r[k].y + rod->after.r[k].z);
  return sum != 0;
}

static int find_broken(const sk_judge_input *in)
{
  for (int i = 0; i < in->objects.rod_count; i++)
    if (is_broken(in->objects.rods + i)) return i;
  return -1;
}

skein_verdict sk_no_verdict(void)
{
  skein_finding no = sk_no_finding;
  return (skein_verdict){0, no, no, no, no, no, no, no, 0, 0};
}

skein_status sk_judge(const sk_judge_input *in, const sk_limits *limits, sk_arena *arena, skein_verdict *out)
{
  bool unseen = false;
  *out = sk_no_verdict();
  int broken = find_broken(in);
  if (broken >= 0) {
    out->balance = (skein_finding){HUGE_VAL, broken, -1}, out->flaws = 1u << SKEIN_FLAW_DIVERGED;
    return sk_ok();
  }
  hits h = find_hits(in, limits, arena);
  sk_crossed crossed = {.room = (int)h.count + sk_limit.sight.crossings};
  crossed.at = (int(*)[2])sk_arena_alloc_raw(arena, (size_t)crossed.room, sizeof *crossed.at);
  if (arena->failed) return sk_no_memory();
  sk_sight sight = sk_sight_make();
  for (int64_t k = 0; k < h.count; k++)
    if (h.at[k].view.crossed) sk_crossed_add(&crossed, object_of(in, h.at[k].meet->i), object_of(in, h.at[k].meet->j));
  if (h.count > 0) refine(in, limits, &h, false, &sight), refine(in, limits, &h, true, &sight);
  skein_status s = sk_judge_strays(in, limits, arena, &sight, &crossed, &unseen);
  out->overlap = sight.overlap, out->deeper = sight.deeper, out->reach = sight.reach;
  out->crossed = count_pairs(&crossed);
  if (s.code == SKEIN_OK && !in->places_only) s = sk_judge_energy(in, limits, arena, out);
  out->flaws = flags_of(out, in, limits, unseen);
  return s;
}
