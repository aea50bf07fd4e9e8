/* What the one-step problem did not see, after the rods have moved: it is linear, the motion is not. Distances are
 * those of the chords at the end of the step; they cost little beside the search. */
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

bool sk_verify_coarse(sk_attempt *w)
{
  bool coarse = false;
  for (int i = 0; i < w->model->rod_count; i++) {
    double miss = w->model->scene->step.chord * w->rods[i].radius;
    if (sk_asleep(w->next, i)) continue;
    if (sk_pieces_of(w->model, w->next, i, 2 * miss) <= w->rods[i].pieces) continue;
    w->next->look[i].finer = sk_pieces_of(w->model, w->next, i, miss), coarse = true;
  }
  return coarse;
}

/* A chain of chords, at the end of the step and before it, and a place on it. */
typedef struct chain {
  const sk_vec3 *at, *before;
  int object, count, piece;
  int apart;        /* pieces of one rod that may touch are at least this many apart */
  double t, length; /* place on the piece, length of a piece on the curve */
} chain;

static chain chain_make(const sk_attempt *w, int object, double s)
{
  const sk_rod_part *strand = w->rods + object;
  int start = strand->first + object, count = strand->pieces * strand->rod->def.elements;
  chain c = {.at = w->search.after.points + start,
             .before = w->search.before.points + start,
             .object = object,
             .count = count};
  c.length = strand->rod->def.length / count;
  c.apart = SK_MAX(2, 1 + (int)ceil(sk_limit.roots.apart * strand->radius / c.length));
  c.piece = SK_MAX(0, SK_MIN((int)(s / c.length), count - 1));
  c.t = s / c.length - c.piece;
  return c;
}

static sk_vec3 chain_point(const chain *c)
{
  return sk_axpy(c->at[c->piece], c->t, sk_sub(c->at[c->piece + 1], c->at[c->piece]));
}

/* Whether the place is inside the chain, not at one of its ends. */
static bool is_inside(const chain *c)
{
  return (c->piece > 0 || c->t > 0) && (c->piece < c->count - 1 || c->t < 1);
}

/* Moves both places to the nearest ones of pieces i and k when these are nearer than *best (squared). */
static bool try_pieces(chain *a, chain *b, int i, int k, double *best)
{
  double s, t;
  if (i < 0 || i >= a->count || k < 0 || k >= b->count) return false;
  if (a->object == b->object && abs(i - k) < a->apart) return false;
  double d = sk_segment_segment(a->at[i], a->at[i + 1], b->at[k], b->at[k + 1], &s, &t);
  if (!(d < *best)) return false;
  *best = d, a->piece = i, a->t = s, b->piece = k, b->t = t;
  return true;
}

/* How far the ends of the two pieces have moved relative to each other: no gap between them closes by more. */
static double relative_way(const chain *a, const chain *b)
{
  sk_vec3 way[4];
  for (int k = 0; k < 2; k++) {
    way[k] = sk_sub(a->at[a->piece + k], a->before[a->piece + k]);
    way[2 + k] = sk_sub(b->at[b->piece + k], b->before[b->piece + k]);
  }
  return fmax(fmax(sk_norm(sk_sub(way[0], way[2])), sk_norm(sk_sub(way[1], way[3]))),
              fmax(sk_norm(sk_sub(way[0], way[3])), sk_norm(sk_sub(way[1], way[2]))));
}

/* The nearest places of two chains, downhill from where they are; neighbours may hide another valley. Of one rod: not
 * nearer along it than where it may touch itself. */
static double find_nearest(chain *a, chain *b, bool neighbours)
{
  double best = HUGE_VAL;
  try_pieces(a, b, a->piece, b->piece, &best);
  for (bool moved = true; moved;) {
    int i = a->piece, k = b->piece, di = (a->t >= 1) - (a->t <= 0), dk = (b->t >= 1) - (b->t <= 0);
    moved = (di || dk) && try_pieces(a, b, i + di, k + dk, &best);
    for (int n = 0; neighbours && n < 9; n++) moved |= try_pieces(a, b, i + n / 3 - 1, k + n % 3 - 1, &best);
  }
  return sqrt(best);
}

static bool is_curved(const sk_attempt *w, int rod)
{
  return w->rods[rod].rod->ops->curved;
}

/* The gap of two rods after the step. Chords miss the curves by a share of the radius, nearly the same before and
 * after: the change of their gap tells; where that may be bad, the curves do. *before: the gap where they are nearest
 * now. */
static double gap_of_rods(const sk_attempt *w, const sk_contact *touch, double bad, double *before)
{
  double radius_a = w->rods[touch->a].radius, radius_b = w->rods[touch->b].radius, radii = radius_a + radius_b;
  chain a = chain_make(w, touch->a, touch->sa), b = chain_make(w, touch->b, touch->sb);
  double miss = w->model->scene->step.chord * radii, way = relative_way(&a, &b);
  if (touch->gap - 2 * way > bad) return touch->gap - 2 * way; /* most: nothing near here has moved that far */
  double distance = find_nearest(&a, &b, way > sk_limit.sinking.valley * fmin(radius_a, radius_b));
  way = fmax(way, relative_way(&a, &b));
  /* Two curves that cross inside and have changed sides went through each other, if they moved enough for it. */
  sk_vec3 d = sk_sub(chain_point(&a), chain_point(&b));
  bool through = is_inside(&a) && is_inside(&b) && sk_dot(d, touch->frame[0]) < 0 && way > touch->gap + radii;
  if (through) return fmax(-distance - radii, touch->gap - way);
  sk_contact now = *touch;
  now.sa = (a.piece + a.t) * a.length, now.sb = (b.piece + b.t) * b.length;
  now.gap = touch->gap + distance - radii - touch->search.chord_gap;
  double slid = fabs(now.sa - touch->sa) / a.length + fabs(now.sb - touch->sb) / b.length;
  double was = sqrt(sk_segment_segment(a.before[a.piece], a.before[a.piece + 1], b.before[b.piece],
                                       b.before[b.piece + 1], &(double){0}, &(double){0}));
  *before = fmin(touch->gap, touch->gap + was - radii - touch->search.chord_gap);
  bool curved = is_curved(w, touch->a) || is_curved(w, touch->b);
  if (curved && now.gap <= bad + fmin(1, sk_limit.sinking.slid * slid) * miss)
    sk_refine_rods(w, &w->search.after, &now, a.piece, b.piece);
  return fmax(now.gap, touch->gap - way); /* nearer: that is another contact of the two */
}

/* Deepest place of a chord in a body, 0 outside. */
double sk_chord_gap(const sk_shape *shape, const sk_pose *pose, const sk_vec3 *ends, double radius)
{
  sk_near near[SK_NEAR_MAX];
  double least = 0;
  int found = sk_shape_segment(shape, pose, ends[0], ends[1], radius, near);
  for (int k = 0; k < found; k++) least = fmin(least, near[k].distance - radius);
  return least;
}

/* The same for a rod and a body. */
static double gap_on_body(const sk_attempt *w, const sk_contact *touch, double bad, double *before)
{
  double radius = w->rods[touch->a].radius, miss = touch->gap - touch->search.chord_gap;
  int body = touch->b - w->model->rod_count;
  chain c = chain_make(w, touch->a, touch->sa);
  double gap = miss + sk_chord_gap(sk_shape_after(w, body), &w->next->body[body].pose, c.at + c.piece, radius);
  if (gap < bad)
    *before = miss + sk_chord_gap(sk_shape_now(w, body), &w->now->body[body].pose, c.before + c.piece, radius);
  return gap;
}

/* How much deeper than before, in radii, where that is too much: a fifth of the scene's overlap a step once it is
 * deeper than that, less beyond, so that the push-out gets the better of it. 0: it is fine. */
static double deepened(const sk_attempt *w, const sk_contact *t)
{
  if (!sk_is_rod(w, t->a)) return 0;
  bool rods = sk_is_rod(w, t->b);
  double radius = rods ? fmin(w->rods[t->a].radius, w->rods[t->b].radius) : w->rods[t->a].radius;
  double most = w->model->scene->step.overlap, bad = -most * radius, before = t->gap;
  double gap = rods ? gap_of_rods(w, t, bad, &before) : gap_on_body(w, t, bad, &before);
  double overlap = -gap / radius, more = (fmin(before, 0) - gap) / radius;
  double allowed =
      fmin(sk_limit.sinking.much * most, (sk_limit.sinking.beyond * most - overlap) / sk_limit.sinking.share);
  return overlap > most && more > fmax(sk_limit.sinking.little * most, allowed) ? more : 0;
}

/* Contacts that may go deeper: in a head of hair a few pairs are always caught between others, and none of its steps
 * would be long if each of them counted. */
static int bearable(const sk_attempt *w)
{
  return w->model->scene->step.overlap >= sk_limit.sinking.bears ? w->found.contacts.count / sk_limit.sinking.few : 0;
}

double sk_verify_deeper(sk_attempt *w, bool *missed)
{
  double worst = 0;
  int sinking = 0;
#pragma omp parallel for num_threads(sk_team(w, w->found.contacts.count, 64)) schedule(static, 64)                        \
    reduction(max : worst) reduction(+ : sinking)
  for (int k = 0; k < w->found.contacts.count; k++) {
    double more = deepened(w, w->found.contacts.at + k);
    worst = fmax(worst, more), sinking += more > 0;
  }
  if (sinking <= bearable(w)) worst = 0;
  int sunk = 0;
  double most = 0;
#pragma omp parallel for num_threads(sk_team(w, w->found.remote.count, 64)) schedule(static, 64)                       \
    reduction(max : most) reduction(+ : sunk)
  for (int k = 0; k < w->found.remote.count; k++) {
    double more = deepened(w, w->found.remote.at + k);
    w->found.remote.at[k].status = more > 0, most = fmax(most, more), sunk += more > 0;
  }
  *missed = sunk > bearable(w) || most > sk_limit.sinking.unasked;
  for (int k = 0; k < w->found.remote.count && sunk > 0; k++) {
    const sk_contact *t = w->found.remote.at + k;
    if (t->status && t->search.spared) w->next->look[t->a].dense = sk_limit.thinning.dense_steps;
    else if (t->status) /* enough by itself, whatever b is */
      w->next->look[t->a].extra = fmax(w->next->look[t->a].extra, sk_limit.stray.gap * t->gap);
  }
  return worst;
}
