/* A bag of contacts of two shapes: one per place, and when there are too many, the nearest and those that are furthest
 * from the ones already chosen, which keep a body standing. */
#include "body/inside.h"

static double apart2(const sk_near *a, const sk_near *b)
{
  sk_vec3 w = sk_sub(a->point, b->point);
  return sk_dot(w, w);
}

/* Keeps SK_NEAR_MAX: the nearest, then each time the one furthest from those kept. */
static void thin(sk_bag *bag)
{
  if (bag->count <= SK_NEAR_MAX) return;
  double away[SK_BAG];
  int next = 0;
  for (int k = 1; k < bag->count; k++)
    if (bag->near[k].distance < bag->near[next].distance) next = k;
  for (int k = 0; k < bag->count; k++) away[k] = INFINITY;
  for (int kept = 0; kept < SK_NEAR_MAX; kept++) {
    sk_near chosen = bag->near[next];
    bag->near[next] = bag->near[kept], bag->near[kept] = chosen, away[next] = away[kept];
    next = kept + 1;
    for (int k = kept + 1; k < bag->count; k++) {
      away[k] = SK_MIN(away[k], apart2(&bag->near[k], &chosen));
      if (away[k] > away[next]) next = k;
    }
  }
  bag->count = SK_NEAR_MAX;
}

void sk_bag_add(sk_bag *bag, sk_vec3 point, sk_vec3 normal, double distance, sk_feature feature)
{
  sk_near n = {point, normal, distance, 0, feature};
  if (!(distance <= bag->reach) || !isfinite(distance) || !isfinite(sk_dot(point, normal))) return;
  for (int k = 0; k < bag->count; k++)
    if (apart2(&bag->near[k], &n) <= bag->same * bag->same && sk_dot(bag->near[k].normal, normal) > 0.9) {
      if (distance < bag->near[k].distance) bag->near[k] = n;
      return;
    }
  if (bag->count == SK_BAG) thin(bag);
  bag->near[bag->count++] = n;
}

int sk_bag_empty(sk_bag *bag, sk_near *out)
{
  thin(bag);
  for (int k = 0; k < bag->count; k++) out[k] = bag->near[k];
  return sk_near_sort(out, bag->count);
}
