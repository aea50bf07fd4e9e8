/* Rods and bodies, and two bodies, at the end of a step. The motion of a rod is seen in the axes of the body.
 *
 * Most pieces beside a body slide along it or rest on it. With the normal n where it was nearest a piece ends no deeper
 * than the plane there says,
 *
 *     d1 >= d0 + min (n . way) - bow
 *
 * on a convex body for sure; in a furrow of a mesh what else is near may be nearer by the way, at most. Where the plane
 * says that a piece is deep, or could by far enough into another part of a mesh, the shape itself is asked. */
#include "world/judge.h"

#include <math.h>

static const sk_pose still = {{0, 0, 0}, {1, {0, 0, 0}}};

/* Least distance from the segment to the surface (negative: inside), where it is within reach; that: it is not. */
static double segment_distance(const sk_shape *shape, const sk_pose *pose, sk_vec3 a, sk_vec3 b, double reach)
{
  sk_near near[SK_NEAR_MAX];
  double least = reach;
  int found = sk_shape_segment(shape, pose, a, b, reach, near);
  for (int k = 0; k < found; k++) least = fmin(least, near[k].distance);
  return least;
}

/* Share of piece i that is hidden in the body that the rod grows out of, or is held in. */
static double hidden_share(const sk_judge_input *in, const sk_judge_rod *rod, int i, int body)
{
  double until = rod->rooted_in == in->objects.rod_count + body ? rod->rooted_until : 0;
  if (rod->rod->def.root != SKEIN_FREE && !in->objects.bodies[body].dynamic) until = fmax(until, rod->radius);
  return until / sk_judge_length(rod) - i;
}

/* Least distance of the piece from the surface, from its place `from` on, within reach. */
static double piece_distance(const sk_judge_rod *rod, const sk_judge_body *b, bool after, int i, double from,
                             double reach)
{
  const sk_shape *shape = after ? b->shape1 : b->shape0;
  const sk_pose *pose = after ? &b->pose1 : &b->pose0;
  int parts = sk_judge_straight(rod) ? 1 : sk_limit.sight.chords;
  double least = reach;
  sk_vec3 x = sk_judge_place(rod, after, i, from);
  for (int k = 1; k <= parts; k++) {
    sk_vec3 y = sk_judge_place(rod, after, i, from + (1 - from) * k / parts);
    least = fmin(least, segment_distance(shape, pose, x, y, reach)), x = y;
  }
  return least;
}

/* ---- Through the surface ---- */

/* Whether a place that goes from x to y in the axes of the body goes in, or in and out again. */
static bool goes_in(const sk_judge_body *b, sk_vec3 x, sk_vec3 y)
{
  double reach = 1e-6 * sk_norm(sk_sub(y, x));
  sk_near near;
  if (sk_shape_point(b->shape0, &still, x, reach, &near) && near.distance < 0) return false; /* it was inside */
  if (b->shape0 != b->shape1) return sk_shape_point(b->shape1, &still, y, reach, &near) && near.distance < 0;
  return segment_distance(b->shape0, &still, x, y, reach) < 0;
}

/* The axis of a body that is thin beside the piece. */
static bool is_thin(const sk_shape *s, double length)
{
  return (s->kind == SK_CAPSULE || s->kind == SK_CYLINDER) && s->radius < length;
}

static bool went_through(const sk_judge_rod *rod, const sk_judge_body *b, int i, double from)
{
  sk_vec3 x[2], y[2];
  for (int e = 0; e < 2; e++) {
    double t = e ? 1 : from;
    x[e] = sk_pose_in(&b->pose0, sk_judge_place(rod, false, i, t));
    y[e] = sk_pose_in(&b->pose1, sk_judge_place(rod, true, i, t));
  }
  if (goes_in(b, x[0], y[0]) || goes_in(b, x[1], y[1])) return true;
  if (!is_thin(b->shape1, sk_judge_length(rod))) return false;
  sk_vec3 end = {0, 0, b->shape1->half}, start = {0, 0, -b->shape1->half};
  return sk_crossing(&(sk_moving){x[0], x[1], y[0], y[1]}, &(sk_moving){start, end, start, end});
}

/* ---- A piece and a body ---- */

/* How far the curve may be beside its chord towards the body, whose normal that is; what runs around a body is beside
 * its chords on the other side. */
static double bow_towards(const sk_judge_rod *rod, int i, sk_vec3 normal)
{
  double bow = 0;
  if (sk_judge_straight(rod)) return 0;
  if (sk_dot(normal, normal) == 0) return fmax(sk_judge_bow(rod, false, i), sk_judge_bow(rod, true, i));
  for (int after = 0; after < 2; after++) {
    const sk_vec3 *r = (after ? rod->after.r : rod->before.r) + i;
    sk_vec3 middle = sk_mul(0.5, sk_add(r[0], r[1]));
    bow = fmax(bow, -sk_dot(normal, sk_sub(sk_judge_place(rod, after, i, 0.5), middle)));
  }
  return bow;
}

/* Way of a place of the piece in the axes of the body as they are after the step. */
static sk_vec3 way_of(const sk_judge_rod *rod, const sk_judge_body *b, int i, double t)
{
  sk_vec3 from = sk_pose_out(&b->pose1, sk_pose_in(&b->pose0, sk_judge_place(rod, false, i, t)));
  return sk_sub(sk_judge_place(rod, true, i, t), from);
}

/* How far both ends go: the larger one, and the least along the normal. */
typedef struct ways {
  double most, inwards;
} ways;

static ways ways_of(const sk_judge_rod *rod, const sk_judge_body *b, int i, sk_vec3 normal)
{
  ways w = {0, HUGE_VAL};
  for (int e = 0; e < 2; e++) {
    sk_vec3 way = way_of(rod, b, i, e);
    w.most = fmax(w.most, sk_norm(way)), w.inwards = fmin(w.inwards, sk_dot(normal, way));
  }
  w.most += b->surface;
  w.inwards = sk_dot(normal, normal) > 0 ? w.inwards - b->surface : -w.most;
  return w;
}

/* By the chord at the end of the step: no less than the overlap, and how far its place came in. */
static sk_near_view estimate(const sk_judge_rod *rod, const sk_judge_body *b, int i, double from, double bow,
                             double deep)
{
  sk_near near[SK_NEAR_MAX];
  sk_near_view view = {0};
  double c = rod->radius;
  sk_vec3 x = sk_judge_place(rod, true, i, from);
  int found = sk_shape_segment(b->shape1, &b->pose1, x, rod->after.r[i + 1], deep + bow, near), best = 0;
  for (int k = 1; k < found; k++)
    if (near[k].distance < near[best].distance) best = k;
  if (found == 0) return view;
  double t = from + (1 - from) * near[best].t;
  sk_vec3 chord = sk_axpy(x, near[best].t, sk_sub(rod->after.r[i + 1], x));
  double beside = sk_dot(near[best].normal, sk_sub(sk_judge_place(rod, true, i, t), chord));
  double overlap = (c - near[best].distance - fmin(0, beside)) / c;
  if (!(overlap * c > c - deep)) return view;
  view.overlap = overlap;
  view.deeper = fmin(overlap, (b->surface - sk_dot(near[best].normal, way_of(rod, b, i, t))) / c);
  return view;
}

/* On a mesh a segment costs several places: the curve where it was nearest, and the far end. */
static sk_near_view estimate_at(const sk_judge_rod *rod, const sk_judge_body *b, int i, double t, double deep)
{
  sk_near_view view = {0};
  double c = rod->radius, end = t < 0.5 ? 1 : 0;
  for (int k = 0; k < 2; k++, t = end) {
    sk_near near;
    bool found = sk_shape_point(b->shape1, &b->pose1, sk_judge_place(rod, true, i, t), deep, &near);
    if (!found || !(near.distance < deep) || (c - near.distance) / c <= view.overlap) continue;
    view.overlap = (c - near.distance) / c;
    view.deeper = fmin(view.overlap, (b->surface - sk_dot(near.normal, way_of(rod, b, i, t))) / c);
  }
  return view;
}

sk_near_view sk_judge_on_body(const sk_judge_input *in, const sk_limits *limits, int a, int i, int body,
                              double distance, sk_vec3 normal, double t)
{
  const sk_judge_rod *rod = in->objects.rods + a;
  const sk_judge_body *b = in->objects.bodies + body;
  sk_near_view view = {0};
  double c = rod->radius, deep = (1 - sk_limit.sight.some * limits->judge.overlap) * c;
  double from = fmax(hidden_share(in, rod, i, body), 0);
  if (from >= 1 || (rod->asleep && (b->asleep || !b->dynamic) && b->surface == 0)) return view;
  double bow = bow_towards(rod, i, normal);
  ways way = ways_of(rod, b, i, normal);
  double plane = distance + way.inwards - bow;
  bool strange = b->shape1->kind == SK_MESH && way.most > sk_limit.sight.far * c && distance - way.most - bow <= deep;
  if (plane > deep && !strange) return view;
  if (plane > (1 - sk_limit.sight.sure * limits->judge.deep) * c && !strange) {
    view.overlap = (c - plane) / c, view.deeper = fmin(view.overlap, -way.inwards / c);
    return view;
  }
  bool places = !strange && !sk_judge_straight(rod) && b->shape1->kind == SK_MESH;
  view = places ? estimate_at(rod, b, i, fmax(t, from), deep) : estimate(rod, b, i, from, bow, deep);
  view.crossed = plane <= 0 && went_through(rod, b, i, from);
  return view;
}

sk_near_view sk_judge_on_surface(const sk_judge_input *in, int a, int i, int body)
{
  const sk_judge_rod *rod = in->objects.rods + a;
  const sk_judge_body *b = in->objects.bodies + body;
  double c = rod->radius, from = fmax(hidden_share(in, rod, i, body), 0);
  sk_near_view view = {.overlap = (c - piece_distance(rod, b, true, i, from, c)) / c};
  view.deeper = view.overlap - (c - piece_distance(rod, b, false, i, from, c)) / c;
  return view;
}

/* ---- Two bodies ---- */

double sk_judge_body_length(const sk_judge_body *a, const sk_judge_body *b)
{
  return fmin(a->size, b->size) / sk_limit.sight.body;
}

static double shape_distance(const sk_judge_body *a, const sk_judge_body *b, bool after)
{
  sk_near near[SK_NEAR_MAX];
  double least = 0;
  int found = after ? sk_shape_shape(a->shape1, &a->pose1, b->shape1, &b->pose1, 0, near)
                    : sk_shape_shape(a->shape0, &a->pose0, b->shape0, &b->pose0, 0, near);
  for (int k = 0; k < found; k++) least = fmin(least, near[k].distance);
  return least;
}

/* Largest way of a place of the body beside that of its centre, and of the centres. */
static double body_way(const sk_judge_body *a, const sk_judge_body *b)
{
  double way = a->surface + b->surface;
  sk_vec3 move = sk_sub(sk_sub(a->pose1.r, a->pose0.r), sk_sub(b->pose1.r, b->pose0.r));
  for (int k = 0; k < 2; k++) {
    const sk_judge_body *x = k ? b : a;
    sk_mat3 R0 = sk_quat_frame(x->pose0.q), R1 = sk_quat_frame(x->pose1.q);
    double turn = 0;
    for (int d = 0; d < 3; d++) turn = fmax(turn, sk_norm(sk_sub(R1.c[d], R0.c[d])));
    if (turn > 0) way += sk_limit.sight.turn * turn * x->size;
  }
  return way + sk_norm(move);
}

sk_near_view sk_judge_bodies(const sk_judge_input *in, const sk_limits *limits, int a, int b, double distance)
{
  const sk_judge_body *x = in->objects.bodies + a, *y = in->objects.bodies + b;
  sk_near_view view = {0};
  double c = sk_judge_body_length(x, y);
  bool rests = (x->asleep || !x->dynamic) && (y->asleep || !y->dynamic);
  if (rests || !(distance - body_way(x, y) < -sk_limit.sight.some * limits->judge.overlap * c)) return view;
  double now = shape_distance(x, y, true);
  if (!(-now > sk_limit.sight.some * limits->judge.overlap * c)) return view;
  view.overlap = -now / c;
  view.deeper = (fmin(0, shape_distance(x, y, false)) - now) / c;
  return view;
}
