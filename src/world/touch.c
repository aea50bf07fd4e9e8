/* Contacts of the coming step: capsules of the rods (pieces.c) and bodies, candidates from the collision room, refined
 * on the true curves. What stays of them, and with which impulses, is up to persist.c. */
#include "world/world.h"

#include <math.h>
#include <string.h>

/* ---- Bodies ---- */

/* A body's surface travels with its velocity and its turn, which takes no ball anywhere. Steps by distances look
 * further: a contact that they find late costs them a new start. */
static void fill_solid(const skein_world *w, int i, double dt, sk_solid *out)
{
  const sk_scene_body *b = w->scene->bodies + i;
  const sk_body_state *at = w->bodies + i;
  double size = 0, fall = 0;
  sk_vec3 lo, hi;
  if (b->shape.kind != SK_PLANE) {
    sk_shape_bounds(sk_world_shape(w, i), &at->pose, &lo, &hi);
    size = sk_norm(sk_sub(hi, lo));
  }
  if (b->mode == SK_DYNAMIC) fall = sk_norm(sk_load3(w->env.gravity)) * dt * dt;
  bool idle = b->shape.kind == SK_SPHERE && w->scene->step.rigid == SK_RIGID_VELOCITY;
  double speed = sk_norm(at->v) + (idle ? 0 : sk_norm(at->w) * size);
  double surface = sk_world_deforms(w, i) ? sk_world_surface_speed(w, i) : 0;
  if (sk_world_deforms(w, i)) speed = surface;
  sk_move move = {at->pose.r, sk_mul(dt, at->v), sk_mul(idle ? 0 : dt, at->w)};
  if (sk_world_deforms(w, i)) move.v = move.w = sk_vec(0, 0, 0);
  *out = (sk_solid){.shape = sk_world_shape(w, i),
                    .pose = at->pose,
                    .reach = 1.2 * speed * dt + fall + 1e-3 * size,
                    .move = move,
                    .slack = 0.2 * (b->mode == SK_DYNAMIC ? speed : 0) * dt + 1.2 * surface * dt + fall +
                             (b->mode == SK_DYNAMIC ? 1e-3 : 1e-6) * size,
                    .object = w->strand_count + i,
                    .group = b->group,
                    .moves = b->mode == SK_DYNAMIC};
}

/* ---- Refinement ---- */

static void curve_at(const skein_world *w, int object, double s, sk_vec3 *r, sk_vec3 *t)
{
  const sk_strand *strand = w->strands + object;
  const skein_rod *rod = strand->rod;
  sk_mat3 R;
  if (rod->def.model != SKEIN_SUPER_HELIX) rod->ops->pose(rod, rod->x, s, r, &R);
  else sk_helix_pose_in(rod, rod->x, w->frames + strand->first_frame, s, r, &R);
  *t = R.c[2];
}

static bool is_curved(const skein_world *w, int object)
{
  return sk_is_rod(w, object) && w->strands[object].rod->def.model == SKEIN_SUPER_HELIX;
}

/* Part of the tangent at s along which a nearer place is looked for: a piece to both sides on a smooth curve, the piece
 * itself on a chain, whose corners no tangent knows. */
typedef struct span {
  double s, lo, hi;
  sk_vec3 r, t;
} span;

static span span_make(const skein_world *w, int object, double s, int piece)
{
  const sk_strand *strand = w->strands + object;
  double L = strand->rod->def.length, l = L / (strand->pieces * strand->rod->def.elements);
  if (is_curved(w, object)) return (span){.s = s, .lo = fmax(s - l, 0), .hi = fmin(s + l, L)};
  return (span){.s = s, .lo = piece * l, .hi = fmin((piece + 1) * l, L)};
}

static sk_vec3 span_end(const span *p, double s)
{
  return sk_axpy(p->r, s - p->s, p->t);
}

/* Nearest places of the two tangents; b stays where they are almost parallel: contacts along a stretch stay apart. */
static void approach(span *a, span *b)
{
  double c = sk_dot(a->t, b->t), x, y;
  bool parallel = 1 - c * c <= 0.01;
  sk_vec3 from = parallel ? b->r : span_end(b, b->lo), to = parallel ? b->r : span_end(b, b->hi);
  sk_segment_segment(span_end(a, a->lo), span_end(a, a->hi), from, to, &x, &y);
  a->s = a->lo + x * (a->hi - a->lo);
  if (!parallel) b->s = b->lo + y * (b->hi - b->lo);
}

/* Gauss-Newton on |r_a(sa) - r_b(sb)|^2 within the spans; the nearest of three tries. */
void sk_world_refine(const skein_world *w, sk_touch *t, int piece_a, int piece_b)
{
  span a = span_make(w, t->a, t->sa, piece_a), b = span_make(w, t->b, t->sb, piece_b), best_a = a, best_b = b;
  double distance = HUGE_VAL, radii = w->strands[t->a].radius + w->strands[t->b].radius;
  double enough = 0.1 * fmax(0, w->scene->step.overlap - 0.1) * radii; /* where overlaps are borne */
  for (int k = 0; k < 3; k++) {
    curve_at(w, t->a, a.s, &a.r, &a.t), curve_at(w, t->b, b.s, &b.r, &b.t);
    double now = sk_norm(sk_sub(a.r, b.r));
    if (!(now < distance)) break;
    distance = now, best_a = a, best_b = b;
    if (k < 2) approach(&a, &b);
    if (fabs(a.s - best_a.s) + fabs(b.s - best_b.s) < enough) break;
  }
  t->sa = best_a.s, t->sb = best_b.s, t->point_a = best_a.r, t->point_b = best_b.r;
  if (distance > 1e-6 * radii) {
    sk_vec3 n = sk_mul(1 / distance, sk_sub(best_a.r, best_b.r));
    if (sk_dot(n, t->frame[0]) > 0) t->frame[0] = n, t->gap = distance - radii;
  }
}

/* The place on the body that is nearest to the point r of the curve, within reach, and faces as before; false: none. */
static bool place_on_body(const skein_world *w, sk_touch *t, sk_vec3 r, double reach)
{
  int body = t->b - w->strand_count, found = 1, best = -1;
  sk_near near[SK_NEAR_MAX];
  const sk_shape *shape = sk_world_shape(w, body);
  bool nearest = sk_shape_point(shape, &w->bodies[body].pose, r, reach, near);
  if (!nearest || sk_dot(near[0].normal, t->frame[0]) < 0.9)
    found = sk_shape_segment(shape, &w->bodies[body].pose, r, r, reach, near);
  for (int k = 0; k < found; k++)
    if (best < 0 || sk_dot(near[k].normal, t->frame[0]) > sk_dot(near[best].normal, t->frame[0])) best = k;
  if (best < 0) return false;
  t->point_a = r, t->point_b = near[best].point, t->frame[0] = near[best].normal;
  t->feature = near[best].feature;
  t->gap = near[best].distance - w->strands[t->a].radius;
  return true;
}

static void refine_on_body(const skein_world *w, sk_touch *t)
{
  double radius = w->strands[t->a].radius;
  sk_vec3 r, tangent;
  curve_at(w, t->a, t->sa, &r, &tangent);
  place_on_body(w, t, r, t->gap + radius + 2 * sk_norm(sk_sub(r, t->point_a)) + 1e-3 * radius);
}

static void fill_tangents(sk_touch *t)
{
  t->frame[1] = sk_perpendicular(t->frame[0]);
  t->frame[2] = sk_cross(t->frame[0], t->frame[1]);
}

static bool is_hollow(const sk_shape *s)
{
  return s->kind == SK_MESH && !sk_mesh_is_polytope(s->mesh);
}

double sk_world_skin(const skein_world *w, int a, int b)
{
  const sk_shape *both[2] = {&w->scene->bodies[a].shape, &w->scene->bodies[b].shape};
  double size = HUGE_VAL;
  if (both[0]->kind < SK_CYLINDER || both[1]->kind < SK_CYLINDER || !(is_hollow(both[0]) || is_hollow(both[1])))
    return 0;
  for (int k = 0; k < 2; k++) {
    sk_vec3 lo, hi;
    sk_shape_bounds(both[k], &(sk_pose){.q = {1, {0, 0, 0}}}, &lo, &hi);
    size = fmin(size, sk_norm(sk_sub(hi, lo)));
  }
  return 5e-4 * size;
}

/* The candidate as it is, between chords. */
static sk_touch touch_make(const sk_candidate *c)
{
  return (sk_touch){.a = c->a,
                    .b = c->b,
                    .feature = c->feature,
                    .sa = c->sa,
                    .sb = c->sb,
                    .gap = c->gap,
                    .chord_gap = c->gap,
                    .mu = c->mu,
                    .restitution = c->restitution,
                    .point_a = c->point_a,
                    .point_b = c->point_b,
                    .frame = {c->normal}};
}

static void refine(const skein_world *w, const sk_candidate *c, sk_touch *t)
{
  bool both = sk_is_rod(w, c->a) && sk_is_rod(w, c->b);
  if (both && (is_curved(w, c->a) || is_curved(w, c->b))) sk_world_refine(w, t, c->piece_a, c->piece_b);
  else if (is_curved(w, c->a) && !sk_is_rod(w, c->b)) refine_on_body(w, t);
  if (!sk_is_rod(w, c->a) && w->scene->step.rigid == SK_RIGID_VELOCITY)
    t->gap -= sk_world_skin(w, c->a - w->strand_count, c->b - w->strand_count);
  fill_tangents(t);
}

/* ---- Which of them count ---- */

/* Velocity of a place, now or in the free motion. */
static sk_vec3 velocity_at(const skein_world *w, const sk_touch *t, bool second, bool free)
{
  int object = second ? t->b : t->a;
  double s = second ? t->sb : t->sa;
  if (!sk_is_rod(w, object))
    return sk_world_body_velocity(w, object - w->strand_count, sk_touch_triangle(w, t),
                                  second ? t->point_b : t->point_a);
  const sk_strand *strand = w->strands + object;
  int count = strand->pieces * strand->rod->def.elements;
  double at = s / strand->rod->def.length * count;
  int k = SK_MIN((int)at, count - 1);
  const sk_vec3 *v = (free ? w->free : w->velocity) + strand->first + object + k;
  return sk_axpy(v[0], at - k, sk_sub(v[1], v[0]));
}

/* How far apart surfaces may be that matter; infinite where no rod is in it. */
static double range_of(const skein_world *w, const sk_touch *t, double dt)
{
  double speed = 0, radius = HUGE_VAL, extra = 0;
  for (int free = 0; free < 2; free++) {
    sk_vec3 va = velocity_at(w, t, false, free), vb = velocity_at(w, t, true, free);
    speed = fmax(speed, sk_norm(sk_sub(va, vb)));
  }
  if (sk_is_rod(w, t->a)) radius = w->strands[t->a].radius, extra += w->strands[t->a].extra;
  if (sk_is_rod(w, t->b)) radius = fmin(radius, w->strands[t->b].radius), extra += w->strands[t->b].extra;
  return speed * dt + 0.3 * radius + extra;
}

/* Surfaces so far apart that they would not meet at their relative speed: hair that swings together. bow: how much
 * nearer they may be than the gap says. */
static bool is_remote(const skein_world *w, const sk_touch *t, double bow, double dt)
{
  return t->gap > 0 && t->gap > range_of(w, t, dt) + bow;
}

/* A hair grows out of its scalp: what is held inside a body cannot be pushed out of it, nor can a held root be pushed
 * out of another body that does not yield. */
static bool is_rooted(const skein_world *w, const sk_touch *t)
{
  if (!sk_is_rod(w, t->a) || sk_is_rod(w, t->b)) return false;
  const sk_strand *s = w->strands + t->a;
  bool yields = w->scene->bodies[t->b - w->strand_count].mode == SK_DYNAMIC;
  if (s->rod->def.root != SKEIN_FREE && !yields && t->sa < s->radius) return true;
  return t->b == s->rooted_in && t->sa <= s->rooted_until;
}

/* Whether the tip of the first strand is where the second was cut off, and the places are neighbours in what was one
 * rod. */
static bool is_across_cut(const skein_world *w, int near, double s_near, int far, double s_far)
{
  if (!sk_is_rod(w, near) || !sk_is_rod(w, far) || w->strands[near].cut_off != far) return false;
  return w->strands[near].rod->def.length - s_near + s_far < SK_APART * w->strands[near].radius;
}

/* Contacts that are none: inside the scalp, or across a cut, whose ends begin on top of each other. */
static bool is_ignored(const skein_world *w, const sk_touch *t)
{
  return is_rooted(w, t) || sk_world_tangled(w, t) || is_across_cut(w, t->a, t->sa, t->b, t->sb) ||
         is_across_cut(w, t->b, t->sb, t->a, t->sa);
}

enum { NEAR, REMOTE, NONE };

/* By how much the curves of a candidate may be nearer than their chords. */
static double bow_beside(const skein_world *w, const sk_candidate *c)
{
  double bow = 0;
  if (sk_is_rod(w, c->a)) bow += w->pieces[w->strands[c->a].first + c->piece_a].bow;
  if (sk_is_rod(w, c->b)) bow += w->pieces[w->strands[c->b].first + c->piece_b].bow;
  return bow;
}

/* What becomes of a candidate: it counts, it is too far off to matter and is looked at after the step, it is none. */
static char fate_of(const skein_world *w, const sk_candidate *c, double dt)
{
  sk_touch t = touch_make(c);
  if (is_ignored(w, &t) || sk_world_dormant(w, &t)) return NONE;
  return is_remote(w, &t, bow_beside(w, c), dt) ? REMOTE : NEAR;
}

/* Of the refined candidates `near` those that are not so near after all become remote, as they were. What stays wakes
 * whom it touches. */
static void sift(skein_world *w, const sk_candidate *found, const int *near, const bool *gone)
{
  int kept = 0;
  for (int k = 0; k < w->tried.count; k++) {
    if (gone[k]) {
      w->remote.at[w->remote.count++] = touch_make(found + near[k]);
      continue;
    }
    if (kept < k) w->tried.at[kept] = w->tried.at[k];
    kept++;
    w->disturbed |= sk_world_disturb(w, found[near[k]].a, found[near[k]].b);
  }
  w->tried.count = w->disturbed ? 0 : kept;
}

/* The candidates that count, refined, in w->tried, in their order, and the remote ones as they are in w->remote. Where
 * some were woken there is nothing yet. */
static skein_status refine_all(skein_world *w, const sk_candidate *found, int count, double dt)
{
  char *fate = SK_NEW_RAW(&w->arena, count, char);
  int *near = SK_NEW_RAW(&w->arena, count, int), *far = SK_NEW_RAW(&w->arena, count, int), near_count = 0;
  size_t most = (size_t)count + (size_t)w->touches.count; /* that may be spared, with those that carry on */
  w->remote = (sk_touches){SK_NEW_RAW(&w->arena, most, sk_touch), 0};
  if (w->arena.failed) return sk_no_memory();
#pragma omp parallel for num_threads(sk_world_team(w, count, 64)) schedule(static, 64)
  for (int i = 0; i < count; i++) fate[i] = fate_of(w, found + i, dt);
  for (int i = 0; i < count; i++) {
    if (fate[i] == REMOTE) far[w->remote.count++] = i;
    if (fate[i] == NEAR) near[near_count++] = i;
  }
  w->tried = (sk_touches){SK_NEW_RAW(&w->arena, near_count, sk_touch), near_count};
  bool *gone = SK_NEW_RAW(&w->arena, near_count, bool);
  if (w->arena.failed) return w->tried.count = 0, sk_no_memory();
#pragma omp parallel num_threads(sk_world_team(w, count, 64))
  {
#pragma omp for schedule(static, 64) nowait
    for (int k = 0; k < near_count; k++) {
      sk_touch *t = w->tried.at + k;
      *t = touch_make(found + near[k]);
      refine(w, found + near[k], t);
      gone[k] = !sk_world_settling(w) && is_remote(w, t, 0, dt); /* nothing is looked at after steps that settle */
      if (sk_world_settling(w)) sk_world_ease(w, t);
    }
#pragma omp for schedule(static, 64)
    for (int k = 0; k < w->remote.count; k++) w->remote.at[k] = touch_make(found + far[k]);
  }
  sift(w, found, near, gone);
  return sk_ok();
}

/* ---- What acted ---- */

/* Whether a contact of the last step is one that may be lost: curves that lie along each other, or on a body, are
 * nearest at other places than their chords, and which places these are turns on a hair's breadth. While all is calm,
 * also those that have not acted: two places of a pair of hairs took turns, one sinking while the other acted, and the
 * hairs swayed for ever. Not of a rod with itself: step by step one place would go along it to the other. */
static bool is_at_stake(const skein_world *w, const sk_touch *t)
{
  bool other = sk_is_rod(w, t->a) && t->a != t->b, acts = w->calm > 0 || sk_norm(t->impulse) > 0;
  return other && acts && (is_curved(w, t->a) || is_curved(w, t->b)) && !sk_world_dormant(w, t);
}

static int piece_at(const skein_world *w, int object, double s)
{
  const sk_strand *strand = w->strands + object;
  int count = strand->pieces * strand->rod->def.elements;
  return SK_MAX(0, SK_MIN((int)(s / strand->rod->def.length * count), count - 1));
}

/* The same places of two rods, or nearer ones beside them. */
static bool renew_on_rod(const skein_world *w, sk_touch *t)
{
  int i = piece_at(w, t->a, t->sa), k = piece_at(w, t->b, t->sb);
  const sk_strand *a = w->strands + t->a, *b = w->strands + t->b;
  const sk_vec3 *p = w->points + a->first + t->a + i, *q = w->points + b->first + t->b + k;
  t->chord_gap = sqrt(sk_segment_segment(p[0], p[1], q[0], q[1], &(double){0}, &(double){0})) - a->radius - b->radius;
  t->gap = HUGE_VAL;
  sk_world_refine(w, t, i, k);
  return t->gap < HUGE_VAL;
}

/* The same place of a rod, wherever on that side of the body it is now. */
static bool renew_on_body(const skein_world *w, double dt, sk_touch *t)
{
  const sk_strand *s = w->strands + t->a;
  int k = piece_at(w, t->a, t->sa), count = s->pieces * s->rod->def.elements;
  const sk_vec3 *p = w->points + s->first + t->a + k;
  sk_vec3 chord = sk_axpy(p[0], t->sa / s->rod->def.length * count - k, sk_sub(p[1], p[0]));
  sk_vec3 side = t->frame[0], r, tangent;
  curve_at(w, t->a, t->sa, &r, &tangent);
  if (!place_on_body(w, t, r, s->radius + range_of(w, t, dt))) return false;
  t->chord_gap = t->gap - sk_dot(t->frame[0], sk_sub(r, chord));
  return sk_dot(t->frame[0], side) > 0;
}

static int group_of(const skein_world *w, int object)
{
  return sk_is_rod(w, object) ? w->strands[object].group : w->scene->bodies[object - w->strand_count].group;
}

/* It as it is now, at its place on b or, of a body, on a; false: the two are too far apart by now. */
static bool renew(const skein_world *w, const sk_touch *old, double dt, sk_touch *t)
{
  size_t pair = (size_t)group_of(w, old->a) * (size_t)w->scene->group_count + (size_t)group_of(w, old->b);
  *t = (sk_touch){.a = old->a,
                  .b = old->b,
                  .feature = old->feature,
                  .lasting = w->calm > 0,
                  .sa = old->sa,
                  .sb = old->sb,
                  .mu = w->mu[pair],
                  .restitution = w->scene->restitution[pair],
                  .point_a = old->point_a,
                  .point_b = old->point_b,
                  .frame = {old->frame[0]}};
  bool found = sk_is_rod(w, t->b) ? renew_on_rod(w, t) : renew_on_body(w, dt, t);
  fill_tangents(t);
  return t->mu >= 0 && found && !is_ignored(w, t) && !is_remote(w, t, 0, dt);
}

/* Whether x comes before y, by (a, b, sa). */
static bool comes_before(const sk_touch *x, const sk_touch *y)
{
  int order = sk_touch_order(x, y);
  return order != 0 ? order < 0 : x->sa < y->sa;
}

/* Where contacts are thinned, those that acted in the last step are among them wherever the chords are nearest now: one
 * that was found in one step and not in the next let go of what it held, and hair never came to rest. Which of them
 * stay is up to the thinning; all of them while all is calm. */
static skein_status carry_on(skein_world *w, double dt)
{
  if (!(w->scene->step.spacing > 0) || sk_world_settling(w)) return sk_ok();
  int count = 0, kept = 0, n = w->tried.count + w->touches.count, *from = SK_NEW_RAW(&w->arena, w->touches.count, int);
  sk_touch *old = SK_NEW_RAW(&w->arena, w->touches.count, sk_touch), *all = SK_NEW_RAW(&w->arena, n, sk_touch);
  bool *stays = SK_NEW_RAW(&w->arena, w->touches.count, bool);
  if (w->arena.failed) return sk_no_memory();
  for (int k = 0; k < w->touches.count; k++)
    if (is_at_stake(w, w->touches.at + k)) from[count++] = k;
#pragma omp parallel for num_threads(sk_world_team(w, count, 64)) schedule(static, 64)
  for (int k = 0; k < count; k++) stays[k] = renew(w, w->touches.at + from[k], dt, old + k);
  n = 0;
  for (int k = 0; k < count; k++) {
    if (!stays[k]) continue;
    while (kept < w->tried.count && !comes_before(old + k, w->tried.at + kept)) all[n++] = w->tried.at[kept++];
    all[n++] = old[k];
  }
  while (kept < w->tried.count) all[n++] = w->tried.at[kept++];
  w->tried = (sk_touches){all, n};
  return sk_ok();
}

/* The body that holds the most rods carries them; -1: none. */
static int find_carrier(skein_world *w, const sk_solid *solids)
{
  int best = -1, most = 0;
  int *held = SK_NEW(&w->arena, w->scene->body_count, int);
  for (int i = 0; held && i < w->strand_count; i++) {
    const sk_scene_rod *rod = w->scene->rods + w->strands[i].source;
    if (rod->root_body >= 0 && w->strands[i].rod->def.root != SKEIN_FREE) held[rod->root_body]++;
  }
  for (int k = 0; held && k < w->scene->body_count; k++)
    if (held[k] > most) most = held[k], best = k;
  return best >= 0 && sk_norm(solids[best].move.w) > 0.1 ? -1 : best;
}

/* Bodies that change their shape are in no list. */
static bool keeps_shapes(const skein_world *w)
{
  for (int i = 0; i < w->scene->body_count; i++)
    if (sk_world_deforms(w, i)) return false;
  return true;
}

skein_status sk_world_touch(skein_world *w, double dt)
{
  w->tried = w->remote = (sk_touches){0}, w->meets = (sk_meets){0}, w->disturbed = false;
  if (sk_world_all_asleep(w)) return sk_ok();
  skein_status s = sk_world_make_pieces(w, dt);
  if (s.code != SKEIN_OK) return s;
  sk_solid *solids = SK_NEW(&w->arena, w->scene->body_count, sk_solid);
  sk_candidate *found = NULL;
  int count = 0;
  if (w->arena.failed) return sk_no_memory();
  for (int i = 0; i < w->scene->body_count; i++) fill_solid(w, i, dt, solids + i);
  int carrier = find_carrier(w, solids);
  sk_collide_input in = {.pieces = w->pieces,
                         .piece_count = w->piece_count,
                         .solids = solids,
                         .solid_count = w->scene->body_count,
                         .pairing = {w->scene->group_count, w->mu, w->scene->restitution},
                         .apart = SK_APART,
                         .stretch = w->scene->step.spacing > 0 ? 0 : 1, /* one place a pair of pieces */
                         .carrier = carrier >= 0 ? solids[carrier].move : (sk_move){0},
                         .carrier_pose = carrier >= 0 ? solids[carrier].pose : (sk_pose){.q = {1, {0, 0, 0}}},
                         .carrier_object = carrier,
                         .verlet = keeps_shapes(w) ? w->verlet : NULL,
                         .meets = &w->meets,
                         .threads = w->threads};
  s = sk_collide_find(&in, &w->arena, &found, &count);
  if (s.code != SKEIN_OK) return s;
  s = refine_all(w, found, count, dt);
  if (s.code == SKEIN_OK && !w->disturbed) s = carry_on(w, dt);
  if (s.code != SKEIN_OK || w->disturbed) return s;
  if (w->last_try.count > 0) return sk_world_persist(w, &w->last_try, 1);
  return sk_world_persist(w, &w->touches, w->last_dt > 0 ? dt / w->last_dt : 1);
}

/* The first body that a held root is in at the start (touching is not enough), and where the rod has left it, with two
 * radii of grace. */
void sk_world_find_roots(skein_world *w)
{
  for (int i = 0; i < w->strand_count; i++) {
    sk_strand *s = w->strands + i;
    s->rooted_in = -1, s->rooted_until = 0;
    for (int b = 0; s->rod->def.root != SKEIN_FREE && s->rooted_in < 0 && b < w->scene->body_count; b++) {
      double at = 0, step = fmin(s->radius, s->rod->def.length);
      for (sk_near near; at <= s->rod->def.length; at += step) {
        sk_vec3 r;
        sk_mat3 R;
        s->rod->ops->pose(s->rod, s->rod->x, at, &r, &R);
        bool found = sk_shape_point(sk_world_shape(w, b), &w->bodies[b].pose, r, 1.01 * s->radius, &near);
        if (!found || near.distance > 0.9 * s->radius) break;
      }
      if (at > 0) s->rooted_in = w->strand_count + b, s->rooted_until = at + 2 * s->radius;
    }
  }
}
