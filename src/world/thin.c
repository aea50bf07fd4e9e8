/* Contacts that say the same. Two rods that lie along each other touch at every capsule, but an element bends with
 * three curvatures: contacts nearer together than a share of it move as one, W is all but singular in them and the
 * solver's work grows with their number, not the motion's precision. Of those of one pair that are nearer together than
 * the scene's `spacing`, on both sides, and face the same way, the deepest stays. The others are set aside and looked
 * at after the step, like those that were too far to matter: where one has sunk in, the step is taken again with all
 * contacts of that rod. */
#include "world/world.h"

#include <math.h>

static double element_of(const sk_attempt *w, int object)
{
  const sk_rod *rod = w->rods[object].rod;
  return rod->def.length / rod->def.elements;
}

/* How far apart contacts of this pair must be, 0: any distance. */
static double spacing_of(const sk_attempt *w, const sk_contact *t)
{
  if (!sk_is_rod(w, t->a) || w->next->look[t->a].dense) return 0;
  if (!sk_is_rod(w, t->b)) return w->model->scene->step.spacing * element_of(w, t->a);
  return w->next->look[t->b].dense ? 0 : w->model->scene->step.spacing * fmin(element_of(w, t->a), element_of(w, t->b));
}

static bool stands_for(const sk_contact *kept, const sk_contact *t, double spacing)
{
  return fabs(kept->sa - t->sa) < spacing && fabs(kept->sb - t->sb) < spacing &&
         sk_dot(kept->frame[0], t->frame[0]) > sk_limit.thinning.facing;
}

/* Marks those of a pair that others stand for: the deepest stays, spares what is near and takes over its impulse; then
 * the deepest that is left. One that has acted counts as deeper by `faith`, so that a pair at rest keeps its contacts;
 * the lasting come before all others, and none is spared. */
static void spare(sk_contact *t, int count, double spacing, double faith)
{
  double depth[SK_PAIR_MOST];
  for (int i = 0; i < count; i++)
    depth[i] = t[i].search.lasting ? HUGE_VAL : (sk_norm(t[i].impulse) > 0 ? faith : 0) - t[i].gap;
  for (;;) {
    int deepest = -1;
    for (int i = 0; i < count; i++)
      if (depth[i] > -HUGE_VAL && (deepest < 0 || depth[i] > depth[deepest])) deepest = i;
    if (deepest < 0) return;
    depth[deepest] = -HUGE_VAL;
    for (int i = 0; i < count; i++) {
      if (!(depth[i] > -HUGE_VAL) || t[i].search.lasting || !stands_for(t + deepest, t + i, spacing)) continue;
      depth[i] = -HUGE_VAL, t[i].search.spared = true;
      t[deepest].impulse = sk_add(t[deepest].impulse, t[i].impulse);
    }
  }
}

void sk_thin(const sk_attempt *w, sk_contact *t, int count)
{
  if (!(w->model->scene->step.spacing > 0)) return;
  for (int i = 0, end; i < count; i = end) {
    double spacing = spacing_of(w, t + i);
    for (end = i + 1; end < count && end < i + SK_PAIR_MOST && sk_contact_order(t + i, t + end) == 0;) end++;
    if (spacing > 0) spare(t + i, end - i, spacing, sk_limit.thinning.faith * w->rods[t[i].a].radius);
  }
}
