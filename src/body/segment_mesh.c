/* A segment against a mesh. The triangles within reach give each its nearest pair (place on the segment, point on the
 * triangle). Distance is convex over segment x triangle, so a pair is a local minimum over the whole mesh exactly when
 * no triangle around its point (across the edge, around the corner) comes nearer. Minima with one normal belong to one
 * flat area, where the nearest, the first and the last say all. Signs of closed meshes are those of pseudo-normals. */
#include "body/inside.h"

enum { TOUCHES = 128, SAMPLES = 5, TANGENTS = 16 };

/* A triangle within reach. */
typedef struct touch {
  int triangle, slot, spots;
  int id[3]; /* welded corners */
  sk_spot spot[3];
  double surplus[3]; /* how much nearer than each spot the triangles around its point come */
} touch;

typedef struct query {
  const sk_mesh *m;
  sk_vec3 a, d;
  double length, reach;
  double apart, flat, strict, tiny; /* m: lengths that count as one place, one height, equal, zero */
  touch touch[TOUCHES];             /* the nearest ones */
  int count, nearest;
  sk_near *out;
  int found;
} query;

/* ---- Triangles within reach ---- */

static int worst_touch(const query *q)
{
  int worst = 0;
  for (int k = 1; k < q->count; k++)
    if (q->touch[k].spot[0].d > q->touch[worst].spot[0].d) worst = k;
  return worst;
}

static void gather(query *q)
{
  const sk_mesh *m = q->m;
  sk_vec3 half = sk_mul(0.5, q->d), middle = sk_add(q->a, half);
  double limit = q->reach;
  int first, count;
  q->count = q->nearest = 0;
  if (!(limit >= 0)) limit = 0;
  for (sk_walk w = sk_walk_start(m); sk_walk_segment(&w, middle, half, limit, &first, &count);)
    for (int s = first; s < first + count; s++) {
      touch x;
      x.spots = sk_segment_triangle(q->a, q->d, m->packed + SK_PACKED * (size_t)s, limit, q->flat, x.spot);
      if (x.spots == 0) continue;
      int at = q->count < TOUCHES ? q->count++ : worst_touch(q);
      x.slot = s, x.triangle = m->slot[s];
      for (int i = 0; i < 3; i++) x.id[i] = m->corner[3 * (size_t)s + (size_t)i];
      q->touch[at] = x;
      if (q->count == TOUCHES) limit = q->touch[worst_touch(q)].spot[0].d;
    }
  for (int k = 1; k < q->count; k++)
    if (q->touch[k].spot[0].d < q->touch[q->nearest].spot[0].d) q->nearest = k;
}

static bool has_corner(const touch *x, int id)
{
  return x->id[0] == id || x->id[1] == id || x->id[2] == id;
}

/* The surplus of a spot; 0: it is a local minimum. */
static double surplus(const query *q, const touch *x, const sk_spot *spot)
{
  double least = x->spot[0].d;
  int a = -1, b = -1;
  if (spot->part >= SK_PART_CORNER) a = b = x->id[spot->part - SK_PART_CORNER];
  else if (spot->part >= SK_PART_EDGE) a = x->id[spot->part - SK_PART_EDGE], b = x->id[spot->part % 3];
  for (int k = 0; k < q->count && a >= 0; k++) {
    const touch *y = &q->touch[k];
    if (y->spot[0].d < least && has_corner(y, a) && has_corner(y, b)) least = y->spot[0].d;
  }
  return spot->d - least;
}

/* ---- Contacts ---- */

static sk_vec3 place(const query *q, double t)
{
  return sk_axpy(q->a, t, q->d);
}

/* Adds a contact; of two with about the same normal at the same place the nearer stays. */
static void add(query *q, sk_near n)
{
  bool start = n.t * q->length <= q->apart, end = (1 - n.t) * q->length <= q->apart;
  n.feature.place = start ? SK_AT_START : end ? SK_AT_END : SK_AT_MIDDLE;
  for (int k = 0; k < q->found; k++)
    if (fabs(n.t - q->out[k].t) * q->length <= q->apart && sk_dot(n.normal, q->out[k].normal) > 0.9) {
      if (n.distance < q->out[k].distance) q->out[k] = n;
      return;
    }
  if (n.distance <= q->reach && q->found < SK_NEAR_MAX) q->out[q->found++] = n;
}

/* The contact of a spot, with its sign where the mesh is closed. */
static sk_near contact_of(const query *q, int triangle, const sk_spot *s)
{
  sk_vec3 pseudo = sk_mesh_normal(q->m, triangle, s->part), out = sk_sub(place(q, s->t), s->y);
  double sign = q->m->closed && sk_dot(out, pseudo) < 0 ? -1 : 1;
  return (sk_near){s->y, sk_unit_or(sk_mul(sign, out), q->tiny, pseudo), sign * s->d, s->t,
                   sk_feature_at(triangle, SK_AT_MIDDLE)};
}

typedef struct group { /* minima with one normal: the nearest, the first, the last */
  sk_near nearest, first, last;
} group;

static group *group_of(group *groups, int count, sk_vec3 normal)
{
  for (int k = 0; k < count; k++)
    if (sk_dot(groups[k].nearest.normal, normal) > 1 - 1e-4) return &groups[k];
  return NULL;
}

/* Puts spots into groups: strict minima may found one, those of nearly the same height only join. */
static void group_spots(const query *q, bool strict, double from, group *groups, int *count)
{
  for (int k = 0; k < q->count; k++)
    for (int j = 0; j < q->touch[k].spots; j++) {
      const touch *x = &q->touch[k];
      double more = x->surplus[j];
      if (x->spot[j].d < from || (more <= q->strict) != strict || more > q->flat) continue;
      sk_near n = contact_of(q, x->triangle, &x->spot[j]);
      if (q->m->closed && n.distance < -q->tiny) continue; /* the back of a thin wall */
      group *g = group_of(groups, *count, n.normal);
      if (!g && strict && *count < SK_NEAR_MAX) groups[(*count)++] = (group){n, n, n};
      if (!g) continue;
      if (n.distance < g->nearest.distance) g->nearest = n;
      if (n.t < g->first.t) g->first = n;
      if (n.t > g->last.t) g->last = n;
    }
}

/* Contacts of what is outside, `from` this distance on. */
static void add_minima(query *q, double from)
{
  group groups[SK_NEAR_MAX];
  int count = 0;
  for (int k = 0; k < q->count; k++)
    for (int j = 0; j < q->touch[k].spots; j++) q->touch[k].surplus[j] = surplus(q, &q->touch[k], &q->touch[k].spot[j]);
  group_spots(q, true, from, groups, &count);
  group_spots(q, false, from, groups, &count);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < count; k++) {
      group *g = &groups[k];
      bool flat = SK_MIN(g->first.distance, g->last.distance) <= g->nearest.distance + q->strict &&
                  (g->last.t - g->first.t) * q->length > q->apart;
      if (pass == 0) add(q, flat ? (g->first.distance <= g->last.distance ? g->first : g->last) : g->nearest);
      else add(q, g->first), add(q, g->last);
    }
}

/* The ends of the segment, where they are within reach; the triangles near them are those gathered, if that was all. */
static void add_ends(query *q)
{
  for (int end = 0; end < 2; end++) {
    sk_vec3 x = place(q, end);
    double d2 = q->reach * q->reach;
    sk_spot s = {x, end, 0, 0};
    int triangle = -1;
    bool there = false;
    for (int k = 0; k < q->found && !there; k++) there = fabs(end - q->out[k].t) * q->length <= 1e-3 * q->apart;
    if (there) continue;
    if (q->count == TOUCHES) triangle = sk_tree_nearest(q->m, x, q->reach, &s.y, &s.part, &s.d), d2 = s.d * s.d;
    for (int k = 0; k < q->count && q->count < TOUCHES; k++)
      if (sk_nearest_on_triangle(x, q->m->packed + SK_PACKED * (size_t)q->touch[k].slot, &d2, &s.y, &s.part))
        triangle = q->touch[k].triangle;
    if (triangle < 0) continue;
    s.d = sqrt(d2);
    add(q, contact_of(q, triangle, &s));
  }
}

/* ---- Inside and through ---- */

static sk_near at(const query *q, double t)
{
  sk_near n = {.distance = INFINITY};
  double least, most;
  sk_mesh_estimate(q->m, place(q, t), &least, &most);
  sk_mesh_point(q->m, place(q, t), SK_MAX(fabs(least), fabs(most)), &n);
  n.t = t;
  return n;
}

/* The deepest place between t0 and t1: samples, then around the best one the place where the tangents of both sides
 * meet, which ends after a few steps where phi is convex and made of planes. */
static sk_near deepest(const query *q, double t0, double t1)
{
  sk_near x[SAMPLES];
  int best = 0;
  for (int k = 0; k < SAMPLES; k++) {
    x[k] = at(q, k == SAMPLES - 1 ? t1 : t0 + (t1 - t0) * k / (SAMPLES - 1));
    if (x[k].distance < x[best].distance) best = k;
  }
  sk_near low = x[best], lo = x[SK_MAX(best - 1, 0)], hi = x[SK_MIN(best + 1, SAMPLES - 1)];
  for (int k = 0; k < TANGENTS && (hi.t - lo.t) * q->length > 1e-12 * q->m->size; k++) {
    double a = sk_dot(lo.normal, q->d), b = sk_dot(hi.normal, q->d);
    double t = (hi.distance - lo.distance + a * lo.t - b * hi.t) / (a - b);
    if (!(t > lo.t && t < hi.t) || k % 4 == 3) t = 0.5 * (lo.t + hi.t);
    sk_near n = at(q, t);
    if (n.distance < low.distance) low = n;
    if (sk_dot(n.normal, q->d) < 0) lo = n;
    else hi = n;
  }
  return low;
}

/* Places where the segment goes through the mesh, ascending, with their touches. */
static int crossings(const query *q, double *t, int *which)
{
  int n = 0;
  for (int k = 0; k < q->count; k++) {
    if (q->touch[k].spot[0].d > q->tiny) continue;
    double x = q->touch[k].spot[0].t;
    int j = n++;
    for (; j > 0 && t[j - 1] > x; j--) t[j] = t[j - 1], which[j] = which[j - 1];
    t[j] = x, which[j] = k;
  }
  int kept = 0;
  for (int k = 0; k < n; k++)
    if (kept == 0 || (t[k] - t[kept - 1]) * q->length > q->tiny) t[kept] = t[k], which[kept++] = which[k];
  return kept;
}

/* A closed mesh that the segment enters: the deepest place of each part inside, the ends, and what is outside. */
static void through_closed(query *q)
{
  double t[TOUCHES + 1], from = 0;
  int which[TOUCHES], n = crossings(q, t, which);
  bool inside = false;
  t[n] = 1;
  for (int k = 0; k <= n; k++) {
    if (t[k] > from && at(q, 0.5 * (from + t[k])).distance < 0) add(q, deepest(q, from, t[k])), inside = true;
    from = t[k];
  }
  add_minima(q, inside ? 10 * q->tiny : 0);
  for (int end = 0; end < 2 && inside; end++) add(q, at(q, end));
}

/* An open mesh: the shorter part is on the wrong side, as deep as its end. Two crossings: each end keeps its side. */
static void through_open(query *q)
{
  double t[TOUCHES + 1];
  int which[TOUCHES], n = crossings(q, t, which);
  for (int k = 0; k < n; k += SK_MAX(n - 1, 1)) {
    const touch *x = &q->touch[which[k]];
    double right = n > 1 ? (k == 0 ? 0 : 1) : t[0] > 0.5 ? 0 : 1, wrong = 1 - right;
    sk_vec3 normal = sk_unit_or(sk_mesh_normal(q->m, x->triangle, SK_PART_FACE), 0, sk_cross(q->d, sk_vec(1, 2, 3)));
    double side = sk_dot(normal, sk_sub(place(q, right), x->spot[0].y));
    if (side < 0) normal = sk_mul(-1, normal);
    sk_near c = {x->spot[0].y, normal, 0, t[k], sk_feature_at(x->triangle, SK_AT_MIDDLE)};
    if (n == 1) {
      c.t = wrong, c.distance = SK_MIN(0, sk_dot(normal, sk_sub(place(q, wrong), c.point)));
      c.point = sk_axpy(place(q, wrong), -c.distance, normal);
    }
    add(q, c);
  }
}

static bool within_bounds(const sk_mesh *m, sk_vec3 x)
{
  const sk_node *root = m->node;
  return x.x > root->lo[0] && x.x < root->hi[0] && x.y > root->lo[1] && x.y < root->hi[1] && x.z > root->lo[2] &&
         x.z < root->hi[2];
}

/* Whether the grid knows that the segment is out of reach: all of it from its middle, or each third from its own.
 * *least: how far its middle is from the surface, at least. */
static bool is_far(const query *q, double *least)
{
  double most;
  sk_mesh_estimate(q->m, place(q, 0.5), least, &most);
  if (*least > q->reach + q->length / 2) return true;
  if (!(*least > q->reach + q->length / 6)) return false;
  for (int k = 0; k < 3; k += 2) {
    double third;
    sk_mesh_estimate(q->m, place(q, (k + 0.5) / 3), &third, &most);
    if (!(third > q->reach + q->length / 6)) return false;
  }
  return true;
}

int sk_segment_mesh(const sk_shape *s, sk_vec3 a, sk_vec3 b, double reach, sk_near *out)
{
  query q;
  q.m = s->mesh, q.a = a, q.d = sk_sub(b, a), q.reach = reach, q.out = out, q.found = 0;
  if (!q.m) return 0;
  double scale = SK_MIN(fabs(reach), q.m->size);
  q.length = sk_norm(q.d), q.apart = 0.1 * scale, q.flat = 0.1 * scale, q.strict = 1e-7 * scale;
  q.tiny = 1e-13 * q.m->size;
  double least, most;
  if (is_far(&q, &least)) return 0;
  gather(&q);
  if (q.count == 0) { /* far from the surface: outside, or deep inside? */
    if (!q.m->closed || least >= 0 || !within_bounds(q.m, place(&q, 0.5))) return 0;
    sk_mesh_estimate(q.m, place(&q, 0.5), &least, &most);
    if (most >= 0 && !(at(&q, 0.5).distance < 0)) return 0;
  }
  const touch *x = &q.touch[q.nearest];
  bool crosses = q.count > 0 && x->spot[0].d <= q.tiny;
  bool inside = q.count == 0 || (q.m->closed && contact_of(&q, x->triangle, &x->spot[0]).distance < 0);
  if (q.m->closed && (crosses || inside)) {
    through_closed(&q);
  } else if (crosses) {
    through_open(&q);
  } else {
    add_minima(&q, 0);
    add_ends(&q);
  }
  return sk_near_sort(out, q.found);
}
