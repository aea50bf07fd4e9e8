/* Where hairs root, and which guides they follow.
 *
 * Around each guide lies a disc on the skin, a little smaller than the distance to its neighbours. A place is drawn in
 * one of the discs (by area) and kept with the chance 1/m where m discs overlap: that is even over their union. Beyond
 * the outermost guides hairs go on for a third of the distance between guides; farther only among guides, where these
 * stand all around the place. So the hairline is that of the guides. */
#include "hairs/hairs.h"

#include <stdlib.h>

static const double disc = 0.8;    /* radius of the disc, in spacings */
static const double fringe = 0.35; /* beyond the outermost guides, the same */
enum { AROUND = 4, TRIES = 200, LOCKS = 19 };

/* ---- Guides among themselves ---- */

static bool related(const sk_guide *a, const sk_guide *b)
{
  return a->group == b->group && a->body == b->body;
}

static void find_near(const sk_guide *all, int guides, sk_guide *g)
{
  double away[SK_HAIR_NEAR];
  for (int i = 0; i < guides; i++) {
    if (all + i == g || !related(all + i, g)) continue;
    double d = sk_norm(sk_sub(all[i].root, g->root));
    if (g->nears == SK_HAIR_NEAR && !(d < away[SK_HAIR_NEAR - 1])) continue;
    int at = g->nears < SK_HAIR_NEAR ? g->nears++ : SK_HAIR_NEAR - 1;
    for (; at > 0 && away[at - 1] > d; at--) away[at] = away[at - 1], g->near[at] = g->near[at - 1];
    away[at] = d, g->near[at] = i;
  }
  int count = SK_MIN(g->nears, AROUND);
  for (int k = 0; k < count; k++) g->spacing += away[k] / count;
  if (g->nears < 2) g->spacing = 0; /* one or two guides cover no area: only their wisps */
  g->cell = fmax(0.6 * g->spacing, g->radius);
}

void sk_guides_relate(sk_guide *guide, int guides, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int i = 0; i < guides; i++) find_near(guide, guides, guide + i);
}

static double disc_radius(const sk_guide *g)
{
  return fmax(disc * g->spacing, g->radius);
}

void sk_guides_measure(const sk_guide *guide, int guides, double *area)
{
  area[0] = 0;
  for (int i = 0; i < guides; i++) area[i + 1] = area[i] + disc_radius(guide + i) * disc_radius(guide + i);
}

/* ---- A place ---- */

static int draw_guide(const skein_hairs *h, double share)
{
  double x = share * h->area[h->guides];
  int lo = 0, hi = h->guides - 1;
  while (lo < hi) {
    int middle = (lo + hi) / 2;
    if (h->area[middle + 1] > x) hi = middle;
    else lo = middle + 1;
  }
  return lo;
}

/* The nearest place on the skin of the body that holds the guide, in the first frame. */
static sk_vec3 onto_skin(const skein_hairs *h, const sk_guide *g, sk_vec3 x)
{
  double d;
  sk_vec3 n;
  if (!g->on_skin) return x;
  sk_vec3 y = sk_pose_in(&h->rest[g->body], x);
  for (int k = 0; k < 3 && sk_skin_find(&h->skin[g->body], y, &d, &n); k++) y = sk_axpy(y, -d, n);
  return sk_pose_out(&h->rest[g->body], y);
}

static sk_vec3 draw_place(const skein_hairs *h, const sk_guide *g, sk_random *random)
{
  double r = disc_radius(g) * sqrt(sk_random_uniform(random, 0, 1)), a = sk_random_uniform(random, 0, 2 * SK_PI);
  sk_vec3 u = sk_perpendicular(g->normal), v = sk_cross(g->normal, u);
  return onto_skin(h, g, sk_add(g->root, sk_add(sk_mul(r * cos(a), u), sk_mul(r * sin(a), v))));
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Guides stand all around x: seen from there, no two that follow each other are half a turn apart. */
static bool among(const skein_hairs *h, const sk_guide *g, sk_vec3 x)
{
  double angle[SK_HAIR_NEAR + 2];
  int n = 0;
  sk_vec3 u = sk_perpendicular(g->normal), v = sk_cross(g->normal, u);
  for (int k = -1; k < g->nears; k++) {
    sk_vec3 d = sk_sub(k < 0 ? g->root : h->guide[g->near[k]].root, x);
    if (sk_norm(d) < 2 * g->spacing) angle[n++] = atan2(sk_dot(d, v), sk_dot(d, u));
  }
  if (n < 3) return false;
  qsort(angle, (size_t)n, sizeof *angle, by_size);
  angle[n] = angle[0] + 2 * SK_PI;
  for (int k = 0; k < n; k++)
    if (angle[k + 1] - angle[k] >= SK_PI) return false;
  return true;
}

/* Whether a place drawn around g is kept. */
static bool keeps(const skein_hairs *h, const sk_guide *g, sk_vec3 x, sk_random *random)
{
  double least = sk_norm(sk_sub(x, g->root));
  int discs = 1;
  for (int k = 0; k < g->nears; k++) {
    const sk_guide *other = h->guide + g->near[k];
    double d = sk_norm(sk_sub(x, other->root));
    discs += d < disc_radius(other);
    least = fmin(least, d);
  }
  if (sk_random_uniform(random, 0, discs) >= 1) return false;
  return least <= fmax(fringe * g->spacing, g->radius) || among(h, g, x);
}

/* ---- Its guides ---- */

/* The nearest guides to x, of those around g (number `from`), with weights by the inverse square of their distance. */
static void tie(const skein_hairs *h, int from, sk_vec3 x, sk_hair *hair)
{
  const sk_guide *g = h->guide + from;
  double away[SK_HAIR_GUIDES], sum = 0;
  int n = 0;
  for (int k = -1; k < g->nears; k++) {
    int i = k < 0 ? from : g->near[k];
    double d = sk_norm(sk_sub(x, h->guide[i].root));
    if (n == SK_HAIR_GUIDES && !(d < away[n - 1])) continue;
    int at = n < SK_HAIR_GUIDES ? n++ : n - 1;
    for (; at > 0 && away[at - 1] > d; at--) away[at] = away[at - 1], hair->guide[at] = hair->guide[at - 1];
    away[at] = d, hair->guide[at] = i;
  }
  const sk_guide *main = h->guide + hair->guide[0];
  double soft = fmax(0.1 * main->cell, 1e-9);
  for (int j = 0; j < n; j++) sum += 1 / (away[j] * away[j] + soft * soft);
  for (int j = 0; j < SK_HAIR_GUIDES; j++) {
    if (j >= n) hair->guide[j] = hair->guide[0];
    const sk_guide *o = h->guide + hair->guide[j];
    sk_vec3 r = sk_apply_t(o->frame, sk_sub(x, o->root));
    hair->weight[j] = j < n ? (float)(1 / (away[j] * away[j] + soft * soft) / sum) : 0;
    hair->away[j] = (float)sk_norm(sk_sub(o->root, main->root));
    hair->root[j][0] = (float)r.x, hair->root[j][1] = (float)r.y, hair->root[j][2] = (float)r.z;
  }
}

/* ---- Its place in the wisp ---- */

/* Middle of lock k of n: seeds of a sunflower (Vogel 1979), turned for each guide. */
static void lock_at(const sk_guide *g, int k, int n, double place[2])
{
  double r = g->cell * sqrt((k + 0.5) / n), a = 2.399963229728653 * (k + 1.7 * g->source);
  place[0] = r * cos(a), place[1] = r * sin(a);
}

/* Hairs of a lock draw together before locks join their guide; both keep the order across, so that nothing crosses. */
static void gather(const skein_hairs *h, sk_random *random, sk_hair *hair)
{
  const sk_guide *g = h->guide + hair->guide[0];
  double x[2] = {hair->root[0][1], hair->root[0][2]}, best[2] = {0, 0}, least = INFINITY;
  double fit = g->cell / (1.5 * fmax(g->radius, 1e-9));
  int locks = (int)fmin(fmax(fit * fit, 1), LOCKS);
  for (int k = 0; k < locks; k++) {
    double place[2];
    lock_at(g, k, locks, place);
    double d = hypot(place[0] - x[0], place[1] - x[1]);
    if (d < least) least = d, best[0] = place[0], best[1] = place[1];
  }
  sk_vec3 across = sk_add(sk_mul(best[0] - x[0], g->frame.c[1]), sk_mul(best[1] - x[1], g->frame.c[2]));
  for (int j = 0; j < SK_HAIR_GUIDES; j++) {
    sk_vec3 d = sk_apply_t(h->guide[hair->guide[j]].frame, across);
    hair->lock[j][0] = (float)d.x, hair->lock[j][1] = (float)d.y, hair->lock[j][2] = (float)d.z;
  }
  double a = sk_random_uniform(random, 0, 2 * SK_PI), r = 0.3 * sqrt(sk_random_uniform(random, 0, 1));
  double e[2] = {0.7 * (0.4 * x[0] + 0.6 * best[0]) / g->cell, 0.7 * (0.4 * x[1] + 0.6 * best[1]) / g->cell};
  double out = fmax(hypot(e[0], e[1]) / 0.7, 1);
  hair->wisp[0] = (float)(g->radius * (e[0] / out + r * cos(a)));
  hair->wisp[1] = (float)(g->radius * (e[1] / out + r * sin(a)));
}

/* Two waves along the hair; one in twenty strays much farther than the others. */
static void stray(const skein_hairs *h, sk_random *random, sk_hair *hair)
{
  double size = sk_random_uniform(random, 0.3, 1), most = 2 * SK_PI * h->points / 4;
  if (sk_random_uniform(random, 0, 1) < 0.05) size *= 3;
  hair->frizz = (float)(size * h->def.frizz * h->guide[hair->guide[0]].radius);
  hair->turn[0] = (float)fmin(2 * SK_PI * sk_random_uniform(random, 1.5, 4), most);
  hair->turn[1] = (float)fmin(2 * SK_PI * sk_random_uniform(random, 4, 9), most);
  for (int k = 0; k < 2; k++) hair->phase[k] = (float)sk_random_uniform(random, 0, 2 * SK_PI);
}

void sk_hair_plant(const skein_hairs *h, int number, sk_hair *hair)
{
  sk_random random = sk_random_make(h->def.seed ^ (0x9e3779b97f4a7c15u * ((uint64_t)number + 1)));
  double share = 0.6180339887498949 * (number + 1), unused;
  int g = draw_guide(h, modf(share, &unused));
  sk_vec3 x = h->guide[g].root;
  for (int k = 0; k < TRIES; k++) {
    sk_vec3 y = draw_place(h, h->guide + g, &random);
    if (keeps(h, h->guide + g, y, &random)) {
      x = y;
      break;
    }
    g = draw_guide(h, sk_random_uniform(&random, 0, 1));
    x = h->guide[g].root; /* in the end, without luck */
  }
  tie(h, g, x, hair);
  gather(h, &random, hair);
  stray(h, &random, hair);
  double loose = sk_random_uniform(&random, 0, 1);
  hair->clump = (float)pow(h->def.clump, 1 + 4 * loose * loose * loose);
  hair->length = (float)(1 - h->def.vary * sk_random_uniform(&random, 0, 1));
}
