/* Two rods at the end of a step: how deep in each other, how much deeper than before, and whether their axes went
 * through each other. What leaves pairs out:
 *
 *     d(t) >= d0 - way,   d0 + d1 <= way + 2 bow where the curves meet on their way
 *
 * with d0, d1: distances of the chords before and after, way: the largest relative motion of their ends, bow: what both
 * curves have beside their chords. */
#include "world/judge.h"

#include <math.h>

typedef struct sides {
  const sk_judge_rod *a, *b;
  int i, k;             /* pieces */
  double c, radii, bow; /* m: contact length, both radii, what curves are beside their chords */
} sides;

static sides sides_make(const sk_judge_input *in, int a, int i, int b, int k)
{
  const sk_judge_rod *x = in->objects.rods + a, *y = in->objects.rods + b;
  double bow = in->pieces[x->first + i].bow + in->pieces[y->first + k].bow;
  return (sides){x, y, i, k, fmin(x->radius, y->radius), x->radius + y->radius, sk_limit.sight.bow * bow};
}

/* How far the ends of the pieces have moved relative to each other: no place of one comes nearer to the other by more.
 */
static double relative_way(const sides *p)
{
  sk_vec3 way[4];
  for (int e = 0; e < 2; e++) {
    way[e] = sk_sub(p->a->after.r[p->i + e], p->a->before.r[p->i + e]);
    way[2 + e] = sk_sub(p->b->after.r[p->k + e], p->b->before.r[p->k + e]);
  }
  double most = 0;
  for (int e = 0; e < 4; e++) {
    sk_vec3 d = sk_sub(way[e / 2], way[2 + e % 2]);
    most = fmax(most, sk_dot(d, d));
  }
  return sqrt(most);
}

static double chords(const sides *p, bool after, double *s, double *t)
{
  const sk_vec3 *x = (after ? p->a->after.r : p->a->before.r) + p->i,
                *y = (after ? p->b->after.r : p->b->before.r) + p->k;
  return sqrt(sk_segment_segment(x[0], x[1], y[0], y[1], s, t));
}

/* ---- Contacts that are none ---- */

/* The tip of the first is where the second was cut off, and the places were neighbours. */
static bool is_across_cut(const sk_judge_rod *near, double s, int far, double s_far)
{
  return near->cut_off == far && near->rod->def.length - s + s_far < sk_limit.roots.apart * near->radius;
}

static bool is_held(const sk_judge_rod *rod)
{
  return rod->rod->def.root != SKEIN_FREE;
}

/* Beside roots that are held on top of each other. */
static bool is_tangled(const sides *p, double sa, double sb)
{
  if (p->a == p->b || !is_held(p->a) || !is_held(p->b) || fmax(sa, sb) > sk_limit.roots.tangled * p->radii)
    return false;
  return sk_norm(sk_sub(p->a->before.r[0], p->b->before.r[0])) < p->radii;
}

static bool is_none(const sk_judge_input *in, const sides *p, double s, double t)
{
  int a = (int)(p->a - in->objects.rods), b = (int)(p->b - in->objects.rods);
  double sa = (p->i + s) * sk_judge_length(p->a), sb = (p->k + t) * sk_judge_length(p->b);
  if (a == b && fabs(sb - sa) < sk_limit.roots.apart * p->a->radius) return true;
  return is_across_cut(p->a, sa, b, sb) || is_across_cut(p->b, sb, a, sa) || (in->apart_roots && is_tangled(p, sa, sb));
}

/* ---- Through each other ---- */

/* Pieces of a piece whose chords miss the curve by little. */
static int finer(const sk_judge_rod *rod, int k, double c)
{
  if (sk_judge_straight(rod)) return 1;
  double bow = fmax(sk_judge_bow(rod, false, k), sk_judge_bow(rod, true, k));
  return SK_MAX(1, SK_MIN((int)ceil(sqrt(bow / (sk_limit.sight.fine * c))), (int)SK_PARTS_MOST));
}

static int moving_parts(const sk_judge_rod *rod, int k, double c, sk_moving *out)
{
  int n = finer(rod, k, c);
  sk_vec3 before = rod->before.r[k], after = rod->after.r[k];
  for (int j = 0; j < n; j++) {
    double t = (j + 1.0) / n;
    sk_vec3 next = j + 1 < n ? sk_judge_place(rod, false, k, t) : rod->before.r[k + 1];
    sk_vec3 then = j + 1 < n ? sk_judge_place(rod, true, k, t) : rod->after.r[k + 1];
    out[j] = (sk_moving){before, next, after, then};
    before = next, after = then;
  }
  return n;
}

static bool went_through(const sides *p)
{
  sk_moving x[SK_PARTS_MOST], y[SK_PARTS_MOST];
  int n = moving_parts(p->a, p->i, p->c, x), m = moving_parts(p->b, p->k, p->c, y);
  bool odd = false; /* a piece that went through and back again at another place did not */
  for (int j = 0; j < n; j++)
    for (int l = 0; l < m; l++) odd ^= sk_crossing(x + j, y + l);
  return odd;
}

/* ---- Overlaps ---- */

/* m: between the axes, where the chords are nearest. */
static double distance_at(const sides *p, bool after, double s, double t)
{
  return sk_norm(sk_sub(sk_judge_place(p->a, after, p->i, s), sk_judge_place(p->b, after, p->k, t)));
}

sk_near_view sk_judge_rods(const sk_judge_input *in, const sk_limits *limits, int a, int i, int b, int k,
                           double distance)
{
  sides p = sides_make(in, a, i, b, k);
  sk_near_view view = {0};
  double s, t, skip = sk_limit.sight.some * limits->judge.overlap * p.c, way = relative_way(&p);
  if ((p.a->asleep && p.b->asleep) || distance - way - p.bow > p.radii - skip) return view;
  double now = chords(&p, true, &s, &t);
  bool may_cross = distance + now <= way + 2 * p.bow, may_touch = now - p.bow < p.radii - skip;
  if (!(may_cross || may_touch) || is_none(in, &p, s, t)) return view;
  view.crossed = may_cross && went_through(&p);
  double overlap = may_touch ? (p.radii - distance_at(&p, true, s, t)) / p.c : 0;
  if (!(overlap > sk_limit.sight.some * limits->judge.overlap)) return view;
  chords(&p, false, &s, &t);
  view.overlap = overlap;
  view.deeper = overlap - fmax(0, (p.radii - distance_at(&p, false, s, t)) / p.c);
  return view;
}

/* ---- On the curves themselves ---- */

typedef struct span {
  double s, lo, hi;
  sk_vec3 r, t;
} span;

static void look_up(const sk_judge_rod *rod, bool after, span *x)
{
  sk_mat3 R;
  rod->rod->ops->pose(rod->rod, after ? rod->after.x : rod->before.x, x->s, &x->r, &R);
  x->t = R.c[2];
}

/* The abscissa of place t on piece k, and the piece to both sides. */
static span span_make(const sk_judge_rod *rod, int k, double t)
{
  double l = sk_judge_length(rod), s = (k + t) * l;
  return (span){.s = s, .lo = fmax(s - l, 0), .hi = fmin(s + l, rod->rod->def.length)};
}

/* Nearest places of the tangents. */
static void approach(span *a, span *b)
{
  double x, y;
  sk_segment_segment(sk_axpy(a->r, a->lo - a->s, a->t), sk_axpy(a->r, a->hi - a->s, a->t),
                     sk_axpy(b->r, b->lo - b->s, b->t), sk_axpy(b->r, b->hi - b->s, b->t), &x, &y);
  a->s = a->lo + x * (a->hi - a->lo), b->s = b->lo + y * (b->hi - b->lo);
}

/* Least distance near places s, t of the two pieces, by Gauss-Newton. A chain is its chords. */
static double nearest(const sides *p, bool after, double s, double t)
{
  double least = HUGE_VAL;
  if (sk_judge_straight(p->a) && sk_judge_straight(p->b)) return distance_at(p, after, s, t);
  span a = span_make(p->a, p->i, s), b = span_make(p->b, p->k, t);
  for (int round = 0; round < sk_limit.sight.rounds; round++) {
    look_up(p->a, after, &a), look_up(p->b, after, &b);
    double now = sk_norm(sk_sub(a.r, b.r));
    if (!(now < least)) break;
    least = now;
    approach(&a, &b);
  }
  return least;
}

sk_near_view sk_judge_curves(const sk_judge_input *in, int a, int i, int b, int k)
{
  sides p = sides_make(in, a, i, b, k);
  double s, t;
  chords(&p, true, &s, &t);
  sk_near_view view = {.overlap = (p.radii - nearest(&p, true, s, t)) / p.c};
  chords(&p, false, &s, &t);
  view.deeper = view.overlap - fmax(0, (p.radii - nearest(&p, false, s, t)) / p.c);
  return view;
}
