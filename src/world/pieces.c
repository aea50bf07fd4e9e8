/* Capsules of the rods for the search of a step: chords of the true curves, how far each looks, and whether one went
 * further than that. */
#include "world/world.h"

#include <math.h>

/* ---- Before the step ---- */

int sk_world_pieces(const skein_world *w, int strand, double miss)
{
  const sk_strand *s = w->strands + strand;
  double most = fmax(1, ceil(s->rod->l / (0.2 * w->scene->rods[s->source].radius)));
  return SK_MIN(sk_rod_pieces(s->rod, miss), (int)fmin(most, 10000));
}

/* Numbers the pieces of every strand; chords miss the curve by at most the scene's share of the radius. */
static void count_pieces(skein_world *w)
{
  w->piece_count = w->frame_count = 0;
  for (int i = 0; i < w->strand_count; i++) {
    sk_strand *s = w->strands + i;
    s->pieces = SK_MAX(s->finer, sk_world_pieces(w, i, w->scene->step.chord * w->scene->rods[s->source].radius));
    s->first = w->piece_count;
    w->piece_count += s->pieces * s->rod->def.elements;
    s->first_frame = w->frame_count, w->frame_count += s->rod->def.elements;
  }
}

/* Where the elements of strand i begin, as it is now. */
static void fill_frames(skein_world *w, int i)
{
  const sk_strand *s = w->strands + i;
  if (s->rod->def.model == SKEIN_SUPER_HELIX) sk_helix_frames(s->rod, s->rod->x, w->frames + s->first_frame);
}

/* How far the arc over chord k is beside it, c^2 kappa / 8: the second differences of the points are c^2 kappa. Next to
 * an element of one piece, they are half of its own and half of the next one's. */
static double bow_of(const sk_strand *s, const sk_vec3 *r, int k, int count)
{
  double bend[2] = {0, 0};
  if (s->rod->def.model != SKEIN_SUPER_HELIX) return 0;
  for (int end = 0; end < 2; end++) {
    int i = k + end;
    if (i > 0 && i < count) bend[end] = sk_norm(sk_add(sk_sub(r[i - 1], r[i]), sk_sub(r[i + 1], r[i])));
  }
  return (s->pieces > 1 ? fmax(bend[0], bend[1]) : bend[0] + bend[1]) / 8;
}

/* Way: the mean of that at the present velocities and that in the free motion, of both ends; reach: how far these
 * differ from it, a fifth more, and a little of the way and of the overlap that is borne, or what the curve may be
 * beside its chord. What grows out of a scalp is hidden in it. */
static void fill_pieces(skein_world *w, int i, double dt)
{
  sk_strand *s = w->strands + i;
  sk_vec3 *velocity = w->velocity + s->first + i, *free = w->free + s->first + i;
  int count = s->pieces * s->rod->def.elements;
  sk_vec3 *r = w->points + s->first + i;
  sk_rod_input in = sk_rod_input_make(s->rod, &w->env, true, false);
  fill_frames(w, i);
  double ds = s->rod->def.length / count, slack = 0.6 * fmin(0.5, w->scene->step.overlap) * s->radius + s->extra;
  s->rod->ops->points(s->rod, s->rod->x, w->v + w->v_start[i], &in, s->pieces, r, free);
  s->rod->ops->points(s->rod, s->rod->x, s->rod->v, &in, s->pieces, r, velocity);
  double share = sk_world_settling(w) ? 0.5 : 0.03; /* no step is taken again while the scene settles */
  s->speed = 0;
  for (int k = 0; k <= count; k++) s->speed = fmax(s->speed, sk_norm(velocity[k]));
  for (int k = 0; k < count; k++) {
    const sk_vec3 v[4] = {velocity[k], velocity[k + 1], free[k], free[k + 1]};
    sk_vec3 mean = sk_mul(0.25, sk_add(sk_add(v[0], v[1]), sk_add(v[2], v[3])));
    double beside = 0;
    for (int j = 0; j < 4; j++) beside = fmax(beside, sk_norm(sk_sub(v[j], mean)));
    double bow = bow_of(s, r, k, count), more = fmax(0, 0.1 * s->radius + bow - slack);
    w->pieces[s->first + k] = (sk_piece){.a = r[k],
                                         .b = r[k + 1],
                                         .radius = s->radius,
                                         .reach = (1.2 * beside + share * sk_norm(mean)) * dt + slack + more,
                                         .bow = bow,
                                         .s0 = k * ds,
                                         .s1 = (k + 1) * ds,
                                         .object = i,
                                         .group = s->group,
                                         .piece = k,
                                         .straight = s->rod->def.model != SKEIN_SUPER_HELIX,
                                         .way = sk_mul(dt, mean),
                                         .hidden = (k + 1) * ds <= s->rooted_until ? 1 + s->rooted_in : 0};
  }
}

skein_status sk_world_make_pieces(skein_world *w, double dt)
{
  count_pieces(w);
  size_t points = (size_t)w->piece_count + (size_t)w->strand_count;
  w->pieces = SK_NEW_RAW(&w->arena, w->piece_count, sk_piece);
  w->points = SK_NEW_RAW(&w->arena, points, sk_vec3), w->after = SK_NEW_RAW(&w->arena, points, sk_vec3);
  w->velocity = SK_NEW_RAW(&w->arena, points, sk_vec3), w->free = SK_NEW_RAW(&w->arena, points, sk_vec3);
  w->frames = SK_NEW_RAW(&w->arena, w->frame_count, sk_rod_frame);
  if (w->arena.failed) return sk_no_memory();
#pragma omp parallel for num_threads(sk_world_team(w, w->strand_count, 16)) schedule(dynamic, 16)
  for (int i = 0; i < w->strand_count; i++) fill_pieces(w, i, dt);
  return sk_ok();
}

/* ---- After it ---- */

/* How much further a rod looks at most, in radii or as a share of its length, the larger one. A try may throw a hair
 * across the head; were it to look that far, the next one would have all that it might meet there in its problem, with
 * gap / dt of metres per second, which is what the tolerance is relative to: the hair was thrown again, or met so many
 * that the search gave up. */
static const double farthest_radii = 10, farthest_share = 0.014;

bool sk_world_overshoot(skein_world *w, double dt, double *speed)
{
  double fastest = 0;
  bool over = false;
  *speed = 0;
  if (sk_world_all_asleep(w)) return false;
#pragma omp parallel for num_threads(sk_world_team(w, w->strand_count, 16)) schedule(dynamic, 16) reduction(max        \
                                                                                                            : fastest) \
    reduction(||                                                                                                       \
              : over)
  for (int i = 0; i < w->strand_count; i++) {
    sk_strand *s = w->strands + i;
    const sk_vec3 *before = w->points + s->first + i;
    const sk_piece *piece = w->pieces + s->first;
    int count = s->pieces * s->rod->def.elements;
    double worst = 0, borne = 0.8 * w->scene->step.overlap * s->radius;
    s->moved = 0, s->stray_first = count, s->stray_end = 0;
    sk_vec3 *after = w->after + s->first + i;
    s->rod->ops->points(s->rod, s->rod->x, NULL, NULL, s->pieces, after, NULL);
    fill_frames(w, i);
    for (int k = 0; k <= count; k++) {
      double way = sk_norm(sk_sub(after[k], before[k]));
      for (int j = SK_MAX(k - 1, 0); j <= SK_MIN(k, count - 1); j++) {
        double more = sk_norm(sk_sub(sk_sub(after[k], before[k]), piece[j].way)) - piece[j].reach;
        worst = fmax(worst, more);
        if (more > borne) s->stray_first = SK_MIN(s->stray_first, j), s->stray_end = SK_MAX(s->stray_end, j + 1);
      }
      s->moved = fmax(s->moved, way / dt);
    }
    fastest = fmax(fastest, s->moved);
    double looked = s->extra, farthest = fmax(farthest_radii * s->radius, farthest_share * s->rod->def.length);
    if (worst > 0) s->extra = fmax(looked, fmin(looked + 1.5 * worst, farthest));
    if (worst > borne && s->extra > looked) over = true;
  }
  *speed = fastest;
  return over;
}
