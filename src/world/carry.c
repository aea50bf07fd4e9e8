/* Contacts that acted in the last step, as they are now. */
#include "world/world.h"

#include <math.h>

static bool is_curved(const sk_attempt *w, int object)
{
  return sk_is_rod(w, object) && w->rods[object].rod->ops->curved;
}

/* Whether a contact of the last step is one that may be lost: curves that lie along each other, or on a body, are
 * nearest at other places than their chords, and which places these are turns on a hair's breadth. While all is calm,
 * also those that have not acted: two places of a pair of hairs took turns, one sinking while the other acted, and the
 * hairs swayed for ever. Not of a rod with itself: step by step one place would go along it to the other. */
static bool is_at_stake(const sk_attempt *w, const sk_contact *t)
{
  bool other = sk_is_rod(w, t->a) && t->a != t->b, acts = w->plan.calm > 0 || sk_norm(t->impulse) > 0;
  return other && acts && (is_curved(w, t->a) || is_curved(w, t->b)) && !sk_both_asleep(w, t);
}

static int piece_at(const sk_attempt *w, int object, double s)
{
  const sk_rod_part *strand = w->rods + object;
  int count = strand->pieces * strand->rod->def.elements;
  return SK_MAX(0, SK_MIN((int)(s / strand->rod->def.length * count), count - 1));
}

/* The same places of two rods, or nearer ones beside them. */
static bool renew_on_rod(const sk_attempt *w, sk_contact *t)
{
  int i = piece_at(w, t->a, t->sa), k = piece_at(w, t->b, t->sb);
  const sk_rod_part *a = w->rods + t->a, *b = w->rods + t->b;
  const sk_vec3 *p = w->search.before.points + a->first + t->a + i, *q = w->search.before.points + b->first + t->b + k;
  t->search.chord_gap =
      sqrt(sk_segment_segment(p[0], p[1], q[0], q[1], &(double){0}, &(double){0})) - a->radius - b->radius;
  t->gap = HUGE_VAL;
  sk_refine_rods(w, &w->search.before, t, i, k);
  return t->gap < HUGE_VAL;
}

/* The same place of a rod, wherever on that side of the body it is now. */
static bool renew_on_body(const sk_attempt *w, sk_contact *t)
{
  const sk_rod_part *s = w->rods + t->a;
  int k = piece_at(w, t->a, t->sa), count = s->pieces * s->rod->def.elements;
  const sk_vec3 *p = w->search.before.points + s->first + t->a + k;
  sk_vec3 chord = sk_axpy(p[0], t->sa / s->rod->def.length * count - k, sk_sub(p[1], p[0]));
  sk_vec3 side = t->frame[0], r = sk_curve_point(w, &w->search.before, t->a, t->sa);
  if (!sk_refine_place(w, t, r, s->radius + sk_contact_range(w, t))) return false;
  t->search.chord_gap = t->gap - sk_dot(t->frame[0], sk_sub(r, chord));
  return sk_dot(t->frame[0], side) > 0;
}

static int group_of(const sk_attempt *w, int object)
{
  return sk_is_rod(w, object) ? w->rods[object].is->group : w->model->scene->bodies[object - w->model->rod_count].group;
}

/* It as it is now, at its place on b or, of a body, on a; false: the two are too far apart by now. */
static bool renew(const sk_attempt *w, const sk_contact *old, sk_contact *t)
{
  size_t pair = (size_t)group_of(w, old->a) * (size_t)w->model->scene->group_count + (size_t)group_of(w, old->b);
  *t = (sk_contact){.a = old->a,
                    .b = old->b,
                    .feature = old->feature,
                    .search = {.lasting = w->plan.calm > 0},
                    .sa = old->sa,
                    .sb = old->sb,
                    .mu = w->live->mu[pair],
                    .restitution = w->model->scene->restitution[pair],
                    .point_a = old->point_a,
                    .point_b = old->point_b,
                    .frame = {old->frame[0]}};
  bool found = sk_is_rod(w, t->b) ? renew_on_rod(w, t) : renew_on_body(w, t);
  sk_contact_tangents(t);
  return t->mu >= 0 && found && !sk_contact_ignored(w, t) && !sk_contact_remote(w, t, 0);
}

/* Whether x comes before y, by (a, b, sa). */
static bool comes_before(const sk_contact *x, const sk_contact *y)
{
  int order = sk_contact_order(x, y);
  return order != 0 ? order < 0 : x->sa < y->sa;
}

/* Where contacts are thinned, those that acted in the last step are among them wherever the chords are nearest now: one
 * that was found in one step and not in the next let go of what it held, and hair never came to rest. Which of them
 * stay is up to the thinning; all of them while all is calm. */
skein_status sk_attempt_carry(sk_attempt *w)
{
  if (!(w->model->scene->step.spacing > 0) || sk_settling(w->now)) return sk_ok();
  int count = 0, kept = 0, n = w->found.contacts.count + w->now->contacts.count,
      *from = SK_NEW_RAW(&w->work.arena, w->now->contacts.count, int);
  sk_contact *old = SK_NEW_RAW(&w->work.arena, w->now->contacts.count, sk_contact),
             *all = SK_NEW_RAW(&w->work.arena, n, sk_contact);
  bool *stays = SK_NEW_RAW(&w->work.arena, w->now->contacts.count, bool);
  if (w->work.arena.failed) return sk_no_memory();
  for (int k = 0; k < w->now->contacts.count; k++)
    if (is_at_stake(w, w->now->contacts.at + k)) from[count++] = k;
#pragma omp parallel for num_threads(sk_team(w, count, 64)) schedule(static, 64)
  for (int k = 0; k < count; k++) stays[k] = renew(w, w->now->contacts.at + from[k], old + k);
  n = 0;
  for (int k = 0; k < count; k++) {
    if (!stays[k]) continue;
    while (kept < w->found.contacts.count && !comes_before(old + k, w->found.contacts.at + kept))
      all[n++] = w->found.contacts.at[kept++];
    all[n++] = old[k];
  }
  while (kept < w->found.contacts.count) all[n++] = w->found.contacts.at[kept++];
  w->found.contacts = (sk_contacts){all, n};
  return sk_ok();
}
