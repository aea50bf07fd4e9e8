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
    if (sk_world_pieces(w, i, 2 * miss) > s->pieces) s->finer = sk_world_pieces(w, i, miss), coarse = true;
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
  if (touch->gap - 2 * way > bad) return touch->gap - 2 * way; /* most: nothing near here has moved that far */
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

/* Contacts that may go deeper: in a head of hair a few pairs are always caught between others, and none of its steps
 * would be long if each of them counted. */
static int bearable(const skein_world *w)
{
  return w->scene->step.overlap >= 0.5 ? w->tried.count / 1000 : 0;
}

/* Radii that a contact which is not in the problem may sink by in a step where few do: the next one has it. */
static const double slight = 0.2;

double sk_world_deepened(skein_world *w, bool *missed)
{
  double worst = 0;
  int sinking = 0;
#pragma omp parallel for num_threads(sk_world_team(w, w->tried.count, 64)) schedule(static, 64)                        \
    reduction(max : worst) reduction(+ : sinking)
  for (int k = 0; k < w->tried.count; k++) {
    double more = deepened(w, w->tried.at + k);
    worst = fmax(worst, more), sinking += more > 0;
  }
  if (sinking <= bearable(w)) worst = 0;
  int sunk = 0;
  double most = 0;
#pragma omp parallel for num_threads(sk_world_team(w, w->remote.count, 64)) schedule(static, 64)                       \
    reduction(max : most) reduction(+ : sunk)
  for (int k = 0; k < w->remote.count; k++) {
    double more = deepened(w, w->remote.at + k);
    w->remote.at[k].status = more > 0, most = fmax(most, more), sunk += more > 0;
  }
  *missed = sunk > bearable(w) || most > slight;
  for (int k = 0; k < w->remote.count && sunk > 0; k++) {
    const sk_touch *t = w->remote.at + k;
    if (t->status && t->spared) w->strands[t->a].dense = SK_DENSE_STEPS;
    else if (t->status) /* enough by itself, whatever b is */
      w->strands[t->a].extra = fmax(w->strands[t->a].extra, 1.01 * t->gap);
  }
  return worst;
}

/* ---- Strays ---- */

/* A piece that went further than it looked, where it is now. */
typedef struct stray {
  int strand, piece;
  sk_vec3 a, b, lo, hi; /* lo, hi: its bounds with its radius */
} stray;

enum { STRAYS = 256 };

static sk_vec3 least(sk_vec3 a, sk_vec3 b)
{
  return sk_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static sk_vec3 most(sk_vec3 a, sk_vec3 b)
{
  return sk_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

static bool meet(sk_vec3 lo, sk_vec3 hi, sk_vec3 a, sk_vec3 b, double radius)
{
  sk_vec3 l = least(a, b), h = most(a, b);
  return l.x - radius <= hi.x && h.x + radius >= lo.x && l.y - radius <= hi.y && h.y + radius >= lo.y &&
         l.z - radius <= hi.z && h.z + radius >= lo.z;
}

/* All strays, and their bounds; more than STRAYS: their number only. */
static int list_strays(const skein_world *w, stray *out, stray *all)
{
  int count = 0;
  all->lo = sk_vec(HUGE_VAL, HUGE_VAL, HUGE_VAL), all->hi = sk_mul(-1, all->lo);
  for (int i = 0; i < w->strand_count; i++)
    for (int k = w->strands[i].stray_first; k < w->strands[i].stray_end; k++, count++) {
      if (count >= STRAYS) continue;
      const sk_vec3 *x = w->after + w->strands[i].first + i + k;
      double r = w->strands[i].radius;
      stray s = {i, k, x[0], x[1], least(x[0], x[1]), most(x[0], x[1])};
      s.lo = sk_sub(s.lo, sk_vec(r, r, r)), s.hi = sk_add(s.hi, sk_vec(r, r, r));
      all->lo = least(all->lo, s.lo), all->hi = most(all->hi, s.hi);
      out[count] = s;
    }
  return count;
}

/* Whether the two touch in the problem within `near` of the place at s on `a`: its contacts are by (a, b). */
static bool is_known(const skein_world *w, int a, double s, int b, double near)
{
  sk_touch key = {.a = SK_MIN(a, b), .b = SK_MAX(a, b)};
  for (int k = sk_touches_find(&w->tried, &key); k < w->tried.count; k++) {
    const sk_touch *t = w->tried.at + k;
    if (sk_touch_order(t, &key) != 0) break;
    if (fabs((a <= b ? t->sa : t->sb) - s) < near) return true;
  }
  return false;
}

static double piece_length(const sk_strand *s)
{
  return s->rod->def.length / (s->pieces * s->rod->def.elements);
}

/* Deeper in each other than is borne, deeper than before, and strangers. */
static bool struck(const skein_world *w, const stray *s, int j, int k)
{
  const sk_vec3 *x = w->after + w->strands[j].first + j + k, *y = w->points + w->strands[j].first + j + k;
  const sk_vec3 *old = w->points + w->strands[s->strand].first + s->strand + s->piece;
  double ra = w->strands[s->strand].radius, rb = w->strands[j].radius, u, v;
  double now = sqrt(sk_segment_segment(s->a, s->b, x[0], x[1], &u, &v)) - ra - rb;
  if (now > -w->scene->step.overlap * fmin(ra, rb)) return false;
  double length = piece_length(w->strands + s->strand), at = (s->piece + u) * length;
  double before = sqrt(sk_segment_segment(old[0], old[1], y[0], y[1], &u, &v)) - ra - rb;
  return before > now && !is_known(w, s->strand, at, j, 2 * length);
}

static bool strand_is_struck(const skein_world *w, int j, const stray *strays, int count, const stray *all)
{
  const sk_strand *s = w->strands + j;
  const sk_vec3 *x = w->after + s->first + j;
  for (int k = 0; k < s->pieces * s->rod->def.elements; k++) {
    if (!meet(all->lo, all->hi, x[k], x[k + 1], s->radius)) continue;
    for (int i = 0; i < count; i++) {
      bool itself = strays[i].strand == j && abs(strays[i].piece - k) * s->rod->def.length <
                                                 (2 + SK_APART) * s->radius * s->pieces * s->rod->def.elements;
      if (itself || !meet(strays[i].lo, strays[i].hi, x[k], x[k + 1], s->radius)) continue;
      if (struck(w, strays + i, j, k)) return true;
    }
  }
  return false;
}

/* The same with bodies that it may touch. */
static bool body_is_struck(const skein_world *w, const stray *s)
{
  const sk_strand *strand = w->strands + s->strand;
  const sk_vec3 ends[2] = {s->a, s->b}, *old = w->points + strand->first + s->strand + s->piece;
  double length = piece_length(strand);
  for (int b = 0; b < w->scene->body_count; b++) {
    int object = w->strand_count + b;
    double mu = w->mu[strand->group * w->scene->group_count + w->scene->bodies[b].group];
    bool rooted = strand->rooted_in == object && (s->piece + 1) * length <= strand->rooted_until;
    if (mu < 0 || rooted || is_known(w, s->strand, (s->piece + 0.5) * length, object, 2 * length)) continue;
    double now = chord_gap(sk_world_shape_after(w, b), &w->bodies[b].pose, ends, strand->radius);
    if (now > -w->scene->step.overlap * strand->radius) continue;
    if (chord_gap(sk_world_shape(w, b), &w->saved_bodies[b].pose, old, strand->radius) > now) return true;
  }
  return false;
}

bool sk_world_collided(const skein_world *w)
{
  stray strays[STRAYS], all;
  int count = list_strays(w, strays, &all);
  bool struck_any = count > STRAYS;
  for (int i = 0; i < count && !struck_any; i++) struck_any = body_is_struck(w, strays + i);
  if (struck_any || count == 0) return struck_any;
#pragma omp parallel for num_threads(sk_world_team(w, w->strand_count, 64)) schedule(static, 64)                       \
    reduction(||                                                                                                       \
              : struck_any)
  for (int j = 0; j < w->strand_count; j++) struck_any = struck_any || strand_is_struck(w, j, strays, count, &all);
  return struck_any;
}
