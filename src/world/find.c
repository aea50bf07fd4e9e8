/* Contacts of the coming step: capsules of the rods (pieces.c) and bodies, candidates from the collision room, refined
 * on the true curves. What stays of them, and with which impulses, is up to persist.c. */
#include "world/world.h"

#include <math.h>
#include <string.h>

/* ---- Bodies ---- */

/* A body's surface travels with its velocity and its turn, which takes no ball anywhere. Steps by distances look
 * further: a contact that they find late costs them a new start. */
static void fill_solid(const sk_attempt *w, int i, sk_solid *out)
{
  double dt = w->plan.dt;
  const sk_scene_body *b = w->model->scene->bodies + i;
  const sk_body_motion *at = w->bodies + i;
  double size = 0, fall = 0;
  sk_vec3 lo, hi;
  if (b->shape.kind != SK_PLANE) {
    sk_shape_bounds(sk_shape_now(w, i), &at->pose, &lo, &hi);
    size = sk_norm(sk_sub(hi, lo));
  }
  if (b->mode == SK_DYNAMIC) fall = sk_norm(sk_load3(w->live->env.gravity)) * dt * dt;
  bool idle = b->shape.kind == SK_SPHERE && w->model->scene->step.rigid == SK_RIGID_VELOCITY;
  double speed = sk_norm(at->v) + (idle ? 0 : sk_norm(at->w) * size);
  double surface = sk_surface_deforms(w->surfaces, i) ? sk_surface_speed(w, i) : 0;
  if (sk_surface_deforms(w->surfaces, i)) speed = surface;
  sk_move move = {at->pose.r, sk_mul(dt, at->v), sk_mul(idle ? 0 : dt, at->w)};
  if (sk_surface_deforms(w->surfaces, i)) move.v = move.w = sk_vec(0, 0, 0);
  *out = (sk_solid){.shape = sk_shape_now(w, i),
                    .pose = at->pose,
                    .reach = sk_limit.reach.motion * speed * dt + fall + sk_limit.reach.body * size,
                    .move = move,
                    .slack = sk_limit.reach.beside * (b->mode == SK_DYNAMIC ? speed : 0) * dt +
                             sk_limit.reach.motion * surface * dt + fall +
                             (b->mode == SK_DYNAMIC ? sk_limit.reach.body : 1e-6) * size,
                    .object = w->model->rod_count + i,
                    .group = b->group,
                    .moves = b->mode == SK_DYNAMIC};
}

/* The candidate as it is, between chords. */
static sk_contact touch_make(const sk_candidate *c)
{
  return (sk_contact){.a = c->a,
                      .b = c->b,
                      .feature = c->feature,
                      .sa = c->sa,
                      .sb = c->sb,
                      .gap = c->gap,
                      .search.chord_gap = c->gap,
                      .mu = c->mu,
                      .restitution = c->restitution,
                      .point_a = c->point_a,
                      .point_b = c->point_b,
                      .frame = {c->normal}};
}

/* ---- Which of them count ---- */

/* Velocity of a place, now or in the free motion. */
static sk_vec3 velocity_at(const sk_attempt *w, const sk_contact *t, bool second, bool free)
{
  int object = second ? t->b : t->a;
  double s = second ? t->sb : t->sa;
  if (!sk_is_rod(w, object))
    return sk_body_velocity(w, object - w->model->rod_count, sk_contact_triangle(w, t),
                            second ? t->point_b : t->point_a);
  const sk_rod_part *strand = w->rods + object;
  int count = strand->pieces * strand->rod->def.elements;
  double at = s / strand->rod->def.length * count;
  int k = SK_MIN((int)at, count - 1);
  const sk_vec3 *v = (free ? w->search.free : w->search.velocity) + strand->first + object + k;
  return sk_axpy(v[0], at - k, sk_sub(v[1], v[0]));
}

/* How far apart surfaces may be that matter; infinite where no rod is in it. */
double sk_contact_range(const sk_attempt *w, const sk_contact *t)
{
  double speed = 0, radius = HUGE_VAL, extra = 0;
  for (int free = 0; free < 2; free++) {
    sk_vec3 va = velocity_at(w, t, false, free), vb = velocity_at(w, t, true, free);
    speed = fmax(speed, sk_norm(sk_sub(va, vb)));
  }
  if (sk_is_rod(w, t->a)) radius = w->rods[t->a].radius, extra += w->next->look[t->a].extra;
  if (sk_is_rod(w, t->b)) radius = fmin(radius, w->rods[t->b].radius), extra += w->next->look[t->b].extra;
  return speed * w->plan.dt + sk_limit.reach.near * radius + extra;
}

/* Surfaces so far apart that they would not meet at their relative speed: hair that swings together. bow: how much
 * nearer they may be than the gap says. */
bool sk_contact_remote(const sk_attempt *w, const sk_contact *t, double bow)
{
  return t->gap > 0 && t->gap > sk_contact_range(w, t) + bow;
}

/* A hair grows out of its scalp: what is held inside a body cannot be pushed out of it, nor can a held root be pushed
 * out of another body that does not yield. */
static bool is_rooted(const sk_attempt *w, const sk_contact *t)
{
  if (!sk_is_rod(w, t->a) || sk_is_rod(w, t->b)) return false;
  const sk_rod_part *s = w->rods + t->a;
  bool yields = w->model->scene->bodies[t->b - w->model->rod_count].mode == SK_DYNAMIC;
  if (s->rod->def.root != SKEIN_FREE && !yields && t->sa < s->radius) return true;
  return t->b - w->model->rod_count == s->is->rooted_in && t->sa <= s->is->rooted_until;
}

/* Whether the tip of the first strand is where the second was cut off, and the places are neighbours in what was one
 * rod. */
static bool is_across_cut(const sk_attempt *w, int near, double s_near, int far, double s_far)
{
  if (!sk_is_rod(w, near) || !sk_is_rod(w, far) || w->rods[near].is->cut_off != far) return false;
  return w->rods[near].rod->def.length - s_near + s_far < sk_limit.roots.apart * w->rods[near].radius;
}

/* Contacts that are none: inside the scalp, or across a cut, whose ends begin on top of each other. */
bool sk_contact_ignored(const sk_attempt *w, const sk_contact *t)
{
  return is_rooted(w, t) || sk_settle_tangled(w, t) || is_across_cut(w, t->a, t->sa, t->b, t->sb) ||
         is_across_cut(w, t->b, t->sb, t->a, t->sa);
}

enum { NEAR, REMOTE, NONE };

/* By how much the curves of a candidate may be nearer than their chords. */
static double bow_beside(const sk_attempt *w, const sk_candidate *c)
{
  double bow = 0;
  if (sk_is_rod(w, c->a)) bow += w->search.pieces[w->rods[c->a].first + c->piece_a].bow;
  if (sk_is_rod(w, c->b)) bow += w->search.pieces[w->rods[c->b].first + c->piece_b].bow;
  return bow;
}

/* What becomes of a candidate: it counts, it is too far off to matter and is looked at after the step, it is none. */
static char find_kind(const sk_attempt *w, const sk_candidate *c)
{
  sk_contact t = touch_make(c);
  if (sk_contact_ignored(w, &t) || sk_both_asleep(w, &t)) return NONE;
  return sk_contact_remote(w, &t, bow_beside(w, c)) ? REMOTE : NEAR;
}

/* Of the refined candidates `near` those that are not so near after all become remote, as they were. What stays wakes
 * whom it touches. */
static void keep_near(sk_attempt *w, const sk_candidate *found, const int *near, const bool *gone)
{
  int kept = 0;
  for (int k = 0; k < w->found.contacts.count; k++) {
    if (gone[k]) {
      w->found.remote.at[w->found.remote.count++] = touch_make(found + near[k]);
      continue;
    }
    if (kept < k) w->found.contacts.at[kept] = w->found.contacts.at[k];
    kept++;
    w->found.woken |= sk_wake_touched(w, found[near[k]].a, found[near[k]].b);
  }
  w->found.contacts.count = w->found.woken ? 0 : kept;
}

/* The candidates that count, refined, in w->found.contacts, in their order, and the remote ones as they are in
 * w->found.remote. Where some were woken there is nothing yet. */
static skein_status refine_all(sk_attempt *w, const sk_candidate *found, int count)
{
  char *kind = SK_NEW_RAW(&w->work.arena, count, char);
  int *near = SK_NEW_RAW(&w->work.arena, count, int), *far = SK_NEW_RAW(&w->work.arena, count, int), near_count = 0;
  size_t most = (size_t)count + (size_t)w->now->contacts.count; /* that may be spared, with those that carry on */
  w->found.remote = (sk_contacts){SK_NEW_RAW(&w->work.arena, most, sk_contact), 0};
  if (w->work.arena.failed) return sk_no_memory();
#pragma omp parallel for num_threads(sk_team(w, count, 64)) schedule(static, 64)
  for (int i = 0; i < count; i++) kind[i] = sk_stop_asked(w->work.stop) ? NONE : find_kind(w, found + i);
  for (int i = 0; i < count; i++) {
    if (kind[i] == REMOTE) far[w->found.remote.count++] = i;
    if (kind[i] == NEAR) near[near_count++] = i;
  }
  w->found.contacts = (sk_contacts){SK_NEW_RAW(&w->work.arena, near_count, sk_contact), near_count};
  bool *gone = SK_NEW_RAW(&w->work.arena, near_count, bool);
  if (w->work.arena.failed) return w->found.contacts.count = 0, sk_no_memory();
#pragma omp parallel num_threads(sk_team(w, count, 64))
  {
#pragma omp for schedule(static, 64) nowait
    for (int k = 0; k < near_count; k++) {
      sk_contact *t = w->found.contacts.at + k;
      *t = touch_make(found + near[k]);
      if (!sk_stop_asked(w->work.stop)) sk_refine(w, found + near[k], t);
      gone[k] = !sk_settling(w->now) && sk_contact_remote(w, t, 0); /* nothing is looked at after steps that settle */
      if (sk_settling(w->now)) sk_settle_contact(w, t);
    }
#pragma omp for schedule(static, 64)
    for (int k = 0; k < w->found.remote.count; k++) w->found.remote.at[k] = touch_make(found + far[k]);
  }
  keep_near(w, found, near, gone);
  return sk_ok();
}

/* The body that holds the most rods carries them; -1: none. */
static int find_carrier(sk_attempt *w, const sk_solid *solids)
{
  int best = -1, most = 0;
  int *held = SK_NEW(&w->work.arena, w->model->scene->body_count, int);
  for (int i = 0; held && i < w->model->rod_count; i++) {
    const sk_scene_rod *rod = w->model->scene->rods + w->model->rods[i].source;
    if (rod->root_body >= 0 && w->rods[i].rod->def.root != SKEIN_FREE) held[rod->root_body]++;
  }
  for (int k = 0; held && k < w->model->scene->body_count; k++)
    if (held[k] > most) most = held[k], best = k;
  return best >= 0 && sk_norm(solids[best].move.w) > sk_limit.reach.turn ? -1 : best;
}

/* Bodies that change their shape are in no list. */
static bool keeps_shapes(const sk_attempt *w)
{
  for (int i = 0; i < w->model->scene->body_count; i++)
    if (sk_surface_deforms(w->surfaces, i)) return false;
  return true;
}

/* All candidates of the step. */
static skein_status search_all(sk_attempt *w, sk_candidate **found, int *count)
{
  const skein_scene *scene = w->model->scene;
  sk_solid *solids = SK_NEW(&w->work.arena, scene->body_count, sk_solid);
  if (w->work.arena.failed) return sk_no_memory();
  for (int i = 0; i < scene->body_count; i++) fill_solid(w, i, solids + i);
  int carrier = find_carrier(w, solids), crowded = -1;
  sk_collide_input in = {.pieces = w->search.pieces,
                         .piece_count = w->search.piece_count,
                         .solids = solids,
                         .solid_count = scene->body_count,
                         .pairing = {scene->group_count, w->live->mu, scene->restitution},
                         .apart = sk_limit.roots.apart,
                         .stretch = scene->step.spacing > 0 ? 0 : 1, /* one place a pair of pieces */
                         .carrier = carrier >= 0 ? solids[carrier].move : (sk_move){0},
                         .carrier_pose = carrier >= 0 ? solids[carrier].pose : (sk_pose){.q = {1, {0, 0, 0}}},
                         .carrier_object = carrier,
                         .verlet = keeps_shapes(w) ? w->work.neighbours : NULL,
                         .meets = &w->search.meets,
                         .threads = w->work.threads,
                         .crowded = &crowded,
                         .stop = w->work.stop};
  skein_status s = sk_collide_find(&in, &w->work.arena, found, count);
  bool rod = s.code == SKEIN_BAD_INPUT && crowded >= 0 && sk_is_rod(w, crowded);
  return rod ? sk_model_blame(w->model, crowded, s) : s;
}

skein_status sk_attempt_find(sk_attempt *w)
{
  sk_candidate *found = NULL;
  int count = 0;
  w->found = (sk_found){0};
  if (sk_all_asleep(w)) return sk_ok();
  skein_status s = sk_pieces_make(w);
  if (s.code == SKEIN_OK) s = search_all(w, &found, &count);
  if (s.code == SKEIN_OK) s = refine_all(w, found, count);
  s = sk_unless_stopped(s, w->work.stop);
  if (s.code == SKEIN_OK && !w->found.woken) s = sk_attempt_carry(w);
  if (s.code != SKEIN_OK || w->found.woken) return s;
  if (w->work.last.count > 0) return sk_attempt_persist(w, &w->work.last, 1);
  return sk_attempt_persist(w, &w->now->contacts, w->now->last_dt > 0 ? w->plan.dt / w->now->last_dt : 1);
}
