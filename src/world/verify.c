/* What the one-step problem did not see, after the rods have moved: it is linear, the motion is not. Distances are
 * those of the chords at the end of the step; they cost little beside the search. */
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

bool sk_world_coarse(skein_world *w)
{
  bool coarse = false;
  for (int i = 0; i < w->strand_count; i++) {
    sk_strand *s = w->strands + i;
    double miss = w->scene->step.chord * s->radius;
    if (sk_world_asleep(w, i)) continue;
    if (sk_rod_pieces(s->rod, 2 * miss) > s->pieces) s->finer = sk_rod_pieces(s->rod, miss), coarse = true;
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

static chain chain_make(const skein_world *w, int object, double s)
{
  const sk_strand *strand = w->strands + object;
  int start = strand->first + object, count = strand->pieces * strand->rod->def.elements;
  chain c = {.at = w->after + start, .before = w->points + start, .object = object, .count = count};
  c.length = strand->rod->def.length / count;
  c.apart = SK_MAX(2, 1 + (int)ceil(SK_APART * strand->radius / c.length));
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

static bool is_curved(const skein_world *w, int rod)
{
  return w->strands[rod].rod->def.model == SKEIN_SUPER_HELIX;
}

/* The gap of two rods after the step. Chords miss the curves by a share of the radius, nearly the same before and
 * after: the change of their gap tells; where that may be bad, the curves do. *before: the gap where they are nearest
 * now. */
static double gap_of_rods(const skein_world *w, const sk_touch *touch, double bad, double *before)
{
  double radius_a = w->strands[touch->a].radius, radius_b = w->strands[touch->b].radius, radii = radius_a + radius_b;
  chain a = chain_make(w, touch->a, touch->sa), b = chain_make(w, touch->b, touch->sb);
  double miss = w->scene->step.chord * radii, way = relative_way(&a, &b);
  double distance = find_nearest(&a, &b, way > 0.05 * fmin(radius_a, radius_b));
  way = fmax(way, relative_way(&a, &b));
  /* Two curves that cross inside and have changed sides went through each other, if they moved enough for it. */
  sk_vec3 d = sk_sub(chain_point(&a), chain_point(&b));
  bool through = is_inside(&a) && is_inside(&b) && sk_dot(d, touch->frame[0]) < 0 && way > touch->gap + radii;
  if (through) return fmax(-distance - radii, touch->gap - way);
  sk_touch now = *touch;
  now.sa = (a.piece + a.t) * a.length, now.sb = (b.piece + b.t) * b.length;
  now.gap = touch->gap + distance - radii - touch->chord_gap;
  double slid = fabs(now.sa - touch->sa) / a.length + fabs(now.sb - touch->sb) / b.length;
  double was = sqrt(sk_segment_segment(a.before[a.piece], a.before[a.piece + 1], b.before[b.piece],
                                       b.before[b.piece + 1], &(double){0}, &(double){0}));
  *before = fmin(touch->gap, touch->gap + was - radii - touch->chord_gap);
  bool curved = is_curved(w, touch->a) || is_curved(w, touch->b);
  if (curved && now.gap <= bad + fmin(1, 4 * slid) * miss) sk_world_refine(w, &now, a.piece, b.piece);
  return fmax(now.gap, touch->gap - way); /* nearer: that is another contact of the two */
}

/* Deepest place of a chord in a body, 0 outside. */
static double chord_gap(const sk_shape *shape, const sk_pose *pose, const sk_vec3 *ends, double radius)
{
  sk_near near[SK_NEAR_MAX];
  double least = 0;
  int found = sk_shape_segment(shape, pose, ends[0], ends[1], radius, near);
  for (int k = 0; k < found; k++) least = fmin(least, near[k].distance - radius);
  return least;
}

/* The same for a rod and a body. */
static double gap_on_body(const skein_world *w, const sk_touch *touch, double bad, double *before)
{
  double radius = w->strands[touch->a].radius, miss = touch->gap - touch->chord_gap;
  int body = touch->b - w->strand_count;
  chain c = chain_make(w, touch->a, touch->sa);
  double gap = miss + chord_gap(sk_world_shape_after(w, body), &w->bodies[body].pose, c.at + c.piece, radius);
  if (gap < bad)
    *before = miss + chord_gap(sk_world_shape(w, body), &w->saved_bodies[body].pose, c.before + c.piece, radius);
  return gap;
}

/* How much deeper than before, in radii, where that is too much: a fifth of the scene's overlap a step once it is
 * deeper than that, less beyond, so that the push-out gets the better of it. 0: it is fine. */
static double deepened(const skein_world *w, const sk_touch *t)
{
  if (!sk_is_rod(w, t->a)) return 0;
  bool rods = sk_is_rod(w, t->b);
  double radius = rods ? fmin(w->strands[t->a].radius, w->strands[t->b].radius) : w->strands[t->a].radius;
  double most = w->scene->step.overlap, bad = -most * radius, before = t->gap;
  double gap = rods ? gap_of_rods(w, t, bad, &before) : gap_on_body(w, t, bad, &before);
  double overlap = -gap / radius, more = (fmin(before, 0) - gap) / radius;
  return overlap > most && more > fmax(0.02 * most, fmin(0.2 * most, (1.6 * most - overlap) / 3)) ? more : 0;
}

double sk_world_deepened(skein_world *w, bool *missed)
{
  double worst = 0;
#pragma omp parallel for num_threads(sk_world_team(w, w->tried.count, 64)) schedule(static, 64) reduction(max : worst)
  for (int k = 0; k < w->tried.count; k++) worst = fmax(worst, deepened(w, w->tried.at + k));
#pragma omp parallel for num_threads(sk_world_team(w, w->remote.count, 64)) schedule(static, 64)
  for (int k = 0; k < w->remote.count; k++) w->remote.at[k].status = deepened(w, w->remote.at + k) > 0;
  *missed = false;
  for (int k = 0; k < w->remote.count; k++) {
    const sk_touch *t = w->remote.at + k;
    if (!t->status) continue;
    *missed = true;
    if (t->spared) {
      w->strands[t->a].dense = true;
      continue;
    }
    w->strands[t->a].extra = fmax(w->strands[t->a].extra, 1.01 * t->gap); /* enough by itself, whatever b is */
  }
  return worst;
}
