/* Rods and bodies, and two bodies, at the end of a step. The motion of a rod is seen in the axes of the body. */
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

/* Least distance of the piece from the surface, from its place `from` on: of the chord, or, where the curve may be
 * nearer, of the curve beside the middle of that and a quarter to both sides. */
static double piece_distance(const sk_judge_rod *rod, const sk_judge_body *b, bool after, int i, double from,
                             double reach)
{
  const sk_vec3 *r = (after ? rod->r1 : rod->r0) + i;
  const sk_shape *shape = after ? b->shape1 : b->shape0;
  const sk_pose *pose = after ? &b->pose1 : &b->pose0;
  if (rod->straight) return segment_distance(shape, pose, sk_axpy(r[0], from, sk_sub(r[1], r[0])), r[1], reach);
  double least = reach;
  sk_vec3 x = sk_judge_place(rod, after, i, from);
  for (int k = 1; k <= 4; k++) {
    sk_vec3 y = sk_judge_place(rod, after, i, from + (1 - from) * k / 4);
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

/* Largest way of an end of the piece in the axes of the body, and of its surface. */
static double relative_way(const sk_judge_rod *rod, const sk_judge_body *b, int i)
{
  double way = 0;
  for (int e = i; e <= i + 1; e++)
    way = fmax(way, sk_norm(sk_sub(sk_pose_in(&b->pose1, rod->r1[e]), sk_pose_in(&b->pose0, rod->r0[e]))));
  return way + b->surface;
}

sk_near_view sk_judge_on_body(const sk_judge_input *in, const sk_limits *limits, int a, int i, int body,
                              double distance)
{
  const sk_judge_rod *rod = in->objects.rods + a;
  const sk_judge_body *b = in->objects.bodies + body;
  sk_near_view view = {0};
  double c = rod->radius, skip = 0.8 * limits->overlap * c, bow = 1.5 * in->pieces[rod->first + i].bow;
  double from = fmax(hidden_share(in, rod, i, body), 0);
  if (from >= 1 || (rod->asleep && (b->asleep || !b->dynamic) && b->surface == 0)) return view;
  double way = relative_way(rod, b, i);
  if (distance - way - bow > c - skip) return view;
  double now = piece_distance(rod, b, true, i, from, c);
  view.crossed = distance - bow <= way && went_through(rod, b, i, from);
  if (!(now < c - skip)) return view;
  view.overlap = (c - now) / c;
  view.deeper = view.overlap - fmax(0, (c - piece_distance(rod, b, false, i, from, c)) / c);
  return view;
}

/* ---- Two bodies ---- */

double sk_judge_body_length(const sk_judge_body *a, const sk_judge_body *b)
{
  double size = fmin(a->size, b->size);
  return isfinite(size) ? size / 50 : 1e-3;
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
    if (turn > 0) way += 1.5 * turn * x->size;
  }
  return way + sk_norm(move);
}

sk_near_view sk_judge_bodies(const sk_judge_input *in, const sk_limits *limits, int a, int b, double distance)
{
  const sk_judge_body *x = in->objects.bodies + a, *y = in->objects.bodies + b;
  sk_near_view view = {0};
  double c = sk_judge_body_length(x, y);
  bool rests = (x->asleep || !x->dynamic) && (y->asleep || !y->dynamic);
  if (rests || !(distance - body_way(x, y) < -0.8 * limits->overlap * c)) return view;
  double now = shape_distance(x, y, true);
  if (!(-now > 0.8 * limits->overlap * c)) return view;
  view.overlap = -now / c;
  view.deeper = (fmin(0, shape_distance(x, y, false)) - now) / c;
  return view;
}
