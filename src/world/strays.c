/* Pieces that went further than they looked, and what they have met there. */
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

/* A piece that went further than it looked, where it is now. */
typedef struct stray {
  int strand, piece;
  sk_vec3 a, b, lo, hi; /* lo, hi: its bounds with its radius */
} stray;

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

/* All strays, and their bounds; more than SK_STRAYS_MOST: their number only. */
static int list_strays(const sk_attempt *w, stray *out, stray *all)
{
  int count = 0;
  all->lo = sk_vec(HUGE_VAL, HUGE_VAL, HUGE_VAL), all->hi = sk_mul(-1, all->lo);
  for (int i = 0; i < w->model->rod_count; i++)
    for (int k = w->rods[i].stray[0]; k < w->rods[i].stray[1]; k++, count++) {
      if (count >= SK_STRAYS_MOST) continue;
      const sk_vec3 *x = w->search.after.points + w->rods[i].first + i + k;
      double r = w->rods[i].radius;
      stray s = {i, k, x[0], x[1], least(x[0], x[1]), most(x[0], x[1])};
      s.lo = sk_sub(s.lo, sk_vec(r, r, r)), s.hi = sk_add(s.hi, sk_vec(r, r, r));
      all->lo = least(all->lo, s.lo), all->hi = most(all->hi, s.hi);
      out[count] = s;
    }
  return count;
}

/* Whether the two touch in the problem within `near` of the place at s on `a`: its contacts are by (a, b). */
static bool is_known(const sk_attempt *w, int a, double s, int b, double near)
{
  sk_contact key = {.a = SK_MIN(a, b), .b = SK_MAX(a, b)};
  for (int k = sk_contacts_find(&w->found.contacts, &key); k < w->found.contacts.count; k++) {
    const sk_contact *t = w->found.contacts.at + k;
    if (sk_contact_order(t, &key) != 0) break;
    if (fabs((a <= b ? t->sa : t->sb) - s) < near) return true;
  }
  return false;
}

static double piece_length(const sk_rod_part *s)
{
  return s->rod->def.length / (s->pieces * s->rod->def.elements);
}

/* Deeper in each other than is borne, deeper than before, and strangers. */
static bool struck(const sk_attempt *w, const stray *s, int j, int k)
{
  const sk_vec3 *x = w->search.after.points + w->rods[j].first + j + k,
                *y = w->search.before.points + w->rods[j].first + j + k;
  const sk_vec3 *old = w->search.before.points + w->rods[s->strand].first + s->strand + s->piece;
  double ra = w->rods[s->strand].radius, rb = w->rods[j].radius, u, v;
  double now = sqrt(sk_segment_segment(s->a, s->b, x[0], x[1], &u, &v)) - ra - rb;
  if (now > -w->model->scene->step.overlap * fmin(ra, rb)) return false;
  double length = piece_length(w->rods + s->strand), at = (s->piece + u) * length;
  double before = sqrt(sk_segment_segment(old[0], old[1], y[0], y[1], &u, &v)) - ra - rb;
  return before > now && !is_known(w, s->strand, at, j, 2 * length);
}

static bool strand_is_struck(const sk_attempt *w, int j, const stray *strays, int count, const stray *all)
{
  const sk_rod_part *s = w->rods + j;
  const sk_vec3 *x = w->search.after.points + s->first + j;
  for (int k = 0; k < s->pieces * s->rod->def.elements; k++) {
    if (!meet(all->lo, all->hi, x[k], x[k + 1], s->radius)) continue;
    for (int i = 0; i < count; i++) {
      bool itself =
          strays[i].strand == j && abs(strays[i].piece - k) * s->rod->def.length <
                                       (2 + sk_limit.roots.apart) * s->radius * s->pieces * s->rod->def.elements;
      if (itself || !meet(strays[i].lo, strays[i].hi, x[k], x[k + 1], s->radius)) continue;
      if (struck(w, strays + i, j, k)) return true;
    }
  }
  return false;
}

/* The same with bodies that it may touch. */
static bool body_is_struck(const sk_attempt *w, const stray *s)
{
  const sk_rod_part *strand = w->rods + s->strand;
  const sk_vec3 ends[2] = {s->a, s->b}, *old = w->search.before.points + strand->first + s->strand + s->piece;
  double length = piece_length(strand);
  for (int b = 0; b < w->model->scene->body_count; b++) {
    int object = w->model->rod_count + b;
    double mu = w->live->mu[strand->is->group * w->model->scene->group_count + w->model->scene->bodies[b].group];
    bool rooted = strand->is->rooted_in == b && (s->piece + 1) * length <= strand->is->rooted_until;
    if (mu < 0 || rooted || is_known(w, s->strand, (s->piece + 0.5) * length, object, 2 * length)) continue;
    double now = sk_chord_gap(sk_shape_after(w, b), &w->next->body[b].pose, ends, strand->radius);
    if (now > -w->model->scene->step.overlap * strand->radius) continue;
    if (sk_chord_gap(sk_shape_now(w, b), &w->now->body[b].pose, old, strand->radius) > now) return true;
  }
  return false;
}

bool sk_verify_strays(const sk_attempt *w)
{
  stray strays[SK_STRAYS_MOST], all;
  int count = list_strays(w, strays, &all);
  bool struck_any = count > SK_STRAYS_MOST;
  for (int i = 0; i < count && !struck_any; i++) struck_any = body_is_struck(w, strays + i);
  if (struck_any || count == 0) return struck_any;
#pragma omp parallel for num_threads(sk_team(w, w->model->rod_count, 64)) schedule(static, 64) reduction(||            \
                                                                                                         : struck_any)
  for (int j = 0; j < w->model->rod_count; j++) struck_any = struck_any || strand_is_struck(w, j, strays, count, &all);
  return struck_any;
}
