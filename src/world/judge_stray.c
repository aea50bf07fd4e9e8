/* Reach: a search covers what is within `reach` of the way that a piece was thought to go. A place that went further,
 * by more than a share of the thinnest radius (what two such may then overlap unseen is what an overlap may be), is a
 * stray, and is held against everything. */
#include "world/judge.h"

#include <math.h>
#include <string.h>

typedef struct stray {
  int rod, piece;
  sk_vec3 lo, hi; /* of all that it swept, with its radius */
} stray;

static sk_vec3 least(sk_vec3 a, sk_vec3 b)
{
  return sk_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static sk_vec3 most(sk_vec3 a, sk_vec3 b)
{
  return sk_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

static stray stray_make(const sk_judge_input *in, int rod, int piece)
{
  const sk_judge_rod *r = in->objects.rods + rod;
  const sk_vec3 *x = r->before.r + piece, *y = r->after.r + piece;
  double R = r->radius + sk_limit.sight.bow * in->pieces[r->first + piece].bow;
  stray s = {rod, piece, least(least(x[0], x[1]), least(y[0], y[1])), most(most(x[0], x[1]), most(y[0], y[1]))};
  s.lo = sk_sub(s.lo, sk_vec(R, R, R)), s.hi = sk_add(s.hi, sk_vec(R, R, R));
  return s;
}

static bool is_near(const stray *x, const stray *y)
{
  return x->lo.x <= y->hi.x && y->lo.x <= x->hi.x && x->lo.y <= y->hi.y && y->lo.y <= x->hi.y && x->lo.z <= y->hi.z &&
         y->lo.z <= x->hi.z;
}

/* ---- Who went how far ---- */

static double thinnest(const sk_judge_input *in)
{
  double radius = HUGE_VAL;
  for (int i = 0; i < in->objects.rod_count; i++) radius = fmin(radius, in->objects.rods[i].radius);
  return radius;
}

/* Motion of the piece beside its way over what was searched; slack: that it may be more. */
static double reach_of(const sk_judge_input *in, const sk_judge_rod *rod, int k, double slack)
{
  const sk_piece *p = in->pieces + rod->first + k;
  double far = 0;
  for (int e = k; e <= k + 1; e++) {
    sk_vec3 beside = sk_sub(sk_sub(rod->after.r[e], rod->before.r[e]), p->way);
    far = fmax(far, sk_dot(beside, beside));
  }
  return sqrt(far) / (p->reach + slack);
}

/* strays[i]: how many of rod i. */
static void measure(const sk_judge_input *in, double slack, int *strays, sk_sight *sight)
{
#pragma omp parallel num_threads(in->threads)
  {
    sk_sight mine = sk_sight_make();
#pragma omp for schedule(static, 16)
    for (int i = 0; i < in->objects.rod_count; i++) {
      const sk_judge_rod *rod = in->objects.rods + i;
      double far = 0;
      strays[i] = 0;
      for (int k = 0; k < rod->count && !rod->asleep; k++) {
        double reach = reach_of(in, rod, k, slack);
        far = fmax(far, reach), strays[i] += reach > 1;
      }
      sk_finding_take(&mine.reach, far, i, -1);
    }
#pragma omp critical
    sk_sight_take(sight, &mine);
  }
}

/* ---- What they met ---- */

static bool is_listed(const sk_judge_input *in, int i, int j)
{
  for (int64_t k = 0; k < in->meets.count; k++) {
    const sk_meet *m = in->meets.at + k;
    if ((m->i == i && m->j == j) || (m->i == j && m->j == i)) return true;
  }
  return false;
}

/* Whether something was met that the search had not; findings into sight and crossed. */
static bool take(const sk_judge_input *in, const sk_limits *limits, const sk_near_view *view, const int item[2],
                 const int object[2], sk_sight *sight, sk_crossed *crossed)
{
  bool met = view->crossed || (view->overlap > limits->judge.overlap && view->deeper > limits->judge.deeper);
  if (!(view->overlap > 0 || view->crossed)) return false;
  sk_sight_see(sight, limits, view->overlap, view->deeper, object[0], object[1]);
#pragma omp critical(sk_judge_crossed)
  if (view->crossed) sk_crossed_add(crossed, object[0], object[1]);
  return met && !is_listed(in, item[0], item[1]);
}

/* A stray and piece k of rod j. */
static bool meet_piece(const sk_judge_input *in, const sk_limits *limits, const stray *s, int j, int k, sk_sight *sight,
                       sk_crossed *crossed)
{
  bool swap = j < s->rod || (j == s->rod && k < s->piece);
  int a = swap ? j : s->rod, i = swap ? k : s->piece, b = swap ? s->rod : j, l = swap ? s->piece : k;
  const sk_judge_rod *x = in->objects.rods + a, *y = in->objects.rods + b;
  if (a == b && l - i < 2) return false;
  double u, v,
      distance =
          sqrt(sk_segment_segment(x->before.r[i], x->before.r[i + 1], y->before.r[l], y->before.r[l + 1], &u, &v));
  sk_near_view view = sk_judge_rods(in, limits, a, i, b, l, distance);
  return take(in, limits, &view, (int[2]){x->first + i, y->first + l}, (int[2]){a, b}, sight, crossed);
}

static bool touches(const sk_judge_input *in, int group_a, int group_b)
{
  return in->objects.mu[(size_t)group_a * (size_t)in->objects.groups + (size_t)group_b] >= 0;
}

static bool meet_rod(const sk_judge_input *in, const sk_limits *limits, const stray *strays, int count,
                     const stray *all, int j, sk_sight *sight, sk_crossed *crossed)
{
  const sk_judge_rod *rod = in->objects.rods + j;
  bool unseen = false;
  for (int k = 0; k < rod->count; k++) {
    stray box = stray_make(in, j, k);
    if (!is_near(&box, all)) continue;
    for (int i = 0; i < count; i++) {
      int group = in->pieces[in->objects.rods[strays[i].rod].first].group;
      if (is_near(&box, strays + i) && touches(in, group, in->pieces[rod->first].group))
        unseen |= meet_piece(in, limits, strays + i, j, k, sight, crossed);
    }
  }
  return unseen;
}

static bool meet_bodies(const sk_judge_input *in, const sk_limits *limits, const stray *s, sk_sight *sight,
                        sk_crossed *crossed)
{
  bool unseen = false;
  int first = in->objects.rods[s->rod].first;
  for (int b = 0; b < in->objects.body_count; b++) {
    if (!touches(in, in->pieces[first].group, in->objects.bodies[b].group)) continue;
    sk_near_view view = sk_judge_on_body(in, limits, s->rod, s->piece, b, 0, sk_vec(0, 0, 0), 0);
    int item[2] = {first + s->piece, in->piece_count + b}, object[2] = {s->rod, in->objects.rod_count + b};
    unseen |= take(in, limits, &view, item, object, sight, crossed);
  }
  return unseen;
}

/* All strays, and their bounds; more than SK_STRAYS_MOST: the first of them. */
static int list(const sk_judge_input *in, double slack, const int *strays, stray *out, stray *all)
{
  int count = 0;
  *all = (stray){.lo = sk_vec(HUGE_VAL, HUGE_VAL, HUGE_VAL), .hi = sk_vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL)};
  for (int i = 0; i < in->objects.rod_count; i++)
    for (int k = 0; strays[i] > 0 && k < in->objects.rods[i].count && count < SK_STRAYS_MOST; k++) {
      if (!(reach_of(in, in->objects.rods + i, k, slack) > 1)) continue;
      out[count] = stray_make(in, i, k);
      all->lo = least(all->lo, out[count].lo), all->hi = most(all->hi, out[count].hi), count++;
    }
  return count;
}

skein_status sk_judge_strays(const sk_judge_input *in, const sk_limits *limits, sk_arena *arena, sk_sight *sight,
                             sk_crossed *crossed, bool *unseen)
{
  int *strays = SK_NEW_RAW(arena, in->objects.rod_count, int), total = 0;
  double slack = limits->judge.beyond * thinnest(in);
  stray list_of[SK_STRAYS_MOST], all;
  *unseen = false;
  if (!strays) return sk_no_memory();
  measure(in, slack, strays, sight);
  for (int i = 0; i < in->objects.rod_count; i++) total += strays[i];
  int count = total > 0 ? list(in, slack, strays, list_of, &all) : 0;
  bool met = total > SK_STRAYS_MOST;
  for (int k = 0; k < count; k++) met |= meet_bodies(in, limits, list_of + k, sight, crossed);
#pragma omp parallel num_threads(in->threads) reduction(|| : met)
  {
    sk_sight mine = sk_sight_make();
#pragma omp for schedule(static, 16)
    for (int j = 0; j < (count > 0 ? in->objects.rod_count : 0); j++)
      met |= meet_rod(in, limits, list_of, count, &all, j, &mine, crossed);
#pragma omp critical
    sk_sight_take(sight, &mine);
  }
  *unseen = met;
  return sk_ok();
}
