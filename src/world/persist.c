/* The contacts of the step from the refined ones: those that came to the same place are one, those that go on keep
 * their impulses, those that say the same as another are spared. All of it is between contacts of one pair of objects,
 * so that threads take blocks of whole rods. */
#include "world/world.h"

#include <math.h>
#include <string.h>

int sk_contact_order(const sk_contact *x, const sk_contact *y)
{
  return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b != y->b ? (x->b < y->b ? -1 : 1) : 0;
}

/* Neighbours of one pair that refinement has brought to the same place are one. */
static int merge(const sk_attempt *w, sk_contact *t, int count)
{
  int kept = 0;
  for (int i = 0; i < count; i++) {
    sk_contact *last = kept > 0 ? t + kept - 1 : NULL;
    double near = sk_is_rod(w, t[i].a) ? sk_limit.refine.same * w->rods[t[i].a].radius : 0;
    bool same = last && sk_contact_order(last, t + i) == 0 &&
                fabs(last->sa - t[i].sa) + fabs(last->sb - t[i].sb) < near &&
                sk_dot(last->frame[0], t[i].frame[0]) > sk_limit.refine.facing;
    if (!same) {
      t[kept++] = t[i];
      continue;
    }
    int lasting = last->search.lasting || t[i].search.lasting;
    if (t[i].gap < last->gap) *last = t[i];
    last->search.lasting = lasting;
  }
  return kept;
}

static double apart(const sk_contact *x, const sk_contact *y)
{
  return fabs(x->sa - y->sa) + fabs(x->sb - y->sb) + sk_norm(sk_sub(x->point_b, y->point_b));
}

/* The miss of the old contact of the same objects that is nearest, and its impulse, if none other is nearer to it; both
 * grow with the step. Contacts that face each other are about one motion: where one went on with its arc and a new one
 * beside it began without, they asked for opposite velocities, which no impulse could give. */
static void inherit(const sk_contact *old, int old_count, sk_contact *now, int count, double scale)
{
  for (int i = 0; i < count; i++) {
    int best = -1, back = -1;
    for (int k = 0; k < old_count; k++)
      if (best < 0 || apart(now + i, old + k) < apart(now + i, old + best)) best = k;
    for (int k = 0; best >= 0 && k < count; k++)
      if (back < 0 || apart(now + k, old + best) < apart(now + back, old + best)) back = k;
    if (best >= 0) now[i].miss = sk_mul(scale, old[best].miss);
    if (back == i) now[i].impulse = sk_mul(scale, old[best].impulse);
  }
}

int sk_contacts_find(const sk_contacts *list, const sk_contact *t)
{
  int lo = 0, hi = list->count;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (sk_contact_order(list->at + mid, t) < 0) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/* Both lists are sorted by (a, b). */
static void warm_start(const sk_contacts *old, sk_contact *t, int count, double scale)
{
  for (int i = 0, k = count > 0 ? sk_contacts_find(old, t) : 0; i < count;) {
    int end = i, last;
    while (end < count && sk_contact_order(t + end, t + i) == 0) end++;
    while (k < old->count && sk_contact_order(old->at + k, t + i) < 0) k++;
    for (last = k; last < old->count && sk_contact_order(old->at + last, t + i) == 0;) last++;
    inherit(old->at + k, last - k, t + i, end - i, scale);
    i = end, k = last;
  }
}

/* ---- Blocks ---- */

/* So many contacts at least, then to the end of the rod. */

typedef struct block {
  int first, count; /* of w->found.contacts */
  int kept, spared;
  int remote; /* where its spared ones go in w->found.remote */
} block;

static int cut_blocks(const sk_contacts *t, block *out)
{
  int blocks = 0;
  for (int first = 0, end; first < t->count; first = end) {
    for (end = SK_MIN(first + (int)SK_CONTACT_BLOCK, t->count); end < t->count && t->at[end].a == t->at[end - 1].a;)
      end++;
    out[blocks++] = (block){.first = first, .count = end - first};
  }
  return blocks;
}

static void judge(const sk_attempt *w, const sk_contacts *old, double scale, block *b)
{
  sk_contact *t = w->found.contacts.at + b->first;
  b->count = merge(w, t, b->count);
  warm_start(old, t, b->count, scale);
  sk_thin(w, t, b->count);
  for (int i = 0; i < b->count; i++) b->spared += t[i].search.spared;
}

/* Those that stay to the head of the block, the spared to the remote ones. */
static void part(sk_attempt *w, block *b)
{
  sk_contact *t = w->found.contacts.at + b->first, *spared = w->found.remote.at + b->remote;
  for (int i = 0; i < b->count; i++) {
    if (t[i].search.spared) *spared++ = t[i];
    else if (b->kept == i) b->kept++;
    else t[b->kept++] = t[i];
  }
}

skein_status sk_attempt_persist(sk_attempt *w, const sk_contacts *old, double scale)
{
  block *b = SK_NEW(&w->work.arena, w->found.contacts.count / SK_CONTACT_BLOCK + 1, block);
  if (w->work.arena.failed) return sk_no_memory();
  int blocks = cut_blocks(&w->found.contacts, b);
#pragma omp parallel for num_threads(sk_team(w, blocks, 1)) schedule(dynamic, 1)
  for (int k = 0; k < blocks; k++) judge(w, old, scale, b + k);
  for (int k = 0; k < blocks; k++) b[k].remote = w->found.remote.count, w->found.remote.count += b[k].spared;
#pragma omp parallel for num_threads(sk_team(w, blocks, 1)) schedule(dynamic, 1)
  for (int k = 0; k < blocks; k++) part(w, b + k);
  w->found.contacts.count = 0;
  for (int k = 0; k < blocks; k++) {
    memmove(w->found.contacts.at + w->found.contacts.count, w->found.contacts.at + b[k].first,
            sizeof(sk_contact) * (size_t)b[k].kept);
    w->found.contacts.count += b[k].kept;
  }
  return sk_ok();
}
