/* Capsules of the rods for the search of a step: chords of the true curves, how far each looks, and whether one went
 * further than that. */
#include "world/world.h"

#include <math.h>

/* ---- Before the step ---- */

int sk_pieces_of(const sk_model *m, const sk_state *s, int i, double miss)
{
  const sk_model_rod *rod = m->rods + i;
  double most = fmax(1, ceil(rod->rod->l / (sk_limit.reach.shortest * rod->radius)));
  return SK_MIN(sk_rod_pieces(rod->rod, s->x + rod->x, miss), (int)fmin(most, sk_limit.reach.pieces));
}

/* Numbers the pieces of every rod; chords miss the curve by at most the scene's share of the radius. */
static void count_pieces(sk_attempt *w)
{
  sk_search *q = &w->search;
  q->piece_count = q->frame_count = 0;
  for (int i = 0; i < w->model->rod_count; i++) {
    sk_rod_part *s = w->rods + i;
    double miss = w->model->scene->step.chord * s->is->radius;
    s->pieces = SK_MAX(w->next->look[i].finer, sk_pieces_of(w->model, w->now, i, miss));
    s->first = q->piece_count;
    q->piece_count += s->pieces * s->rod->def.elements;
    s->first_frame = q->frame_count, q->frame_count += s->rod->def.elements;
  }
}

/* How far the arc over chord k is beside it, c^2 kappa / 8: the second differences of the points are c^2 kappa. Next to
 * an element of one piece, they are half of its own and half of the next one's. */
static double bow_of(const sk_rod_part *s, const sk_vec3 *r, int k, int count)
{
  double bend[2] = {0, 0};
  if (!s->rod->ops->curved) return 0;
  for (int end = 0; end < 2; end++) {
    int i = k + end;
    if (i > 0 && i < count) bend[end] = sk_norm(sk_add(sk_sub(r[i - 1], r[i]), sk_sub(r[i + 1], r[i])));
  }
  return (s->pieces > 1 ? fmax(bend[0], bend[1]) : bend[0] + bend[1]) / 8;
}

/* Way: the mean of that at the present velocities and that in the free motion, of both ends; reach: how far these
 * differ from it, a fifth more, and a little of the way and of the overlap that is borne, or what the curve may be
 * beside its chord. What grows out of a scalp is hidden in it. */
static sk_piece piece_make(const sk_attempt *w, int i, int k)
{
  const sk_rod_part *s = w->rods + i;
  const sk_vec3 *r = w->search.before.points + s->first + i, *velocity = w->search.velocity + s->first + i,
                *free = w->search.free + s->first + i;
  int count = s->pieces * s->rod->def.elements;
  double ds = s->rod->def.length / count, dt = w->plan.dt, beside = 0;
  double slack = sk_limit.reach.share * fmin(sk_limit.reach.bears, w->model->scene->step.overlap) * s->radius +
                 w->next->look[i].extra;
  double share = sk_settling(w->now) ? sk_limit.reach.way_settling
                                     : sk_limit.reach.way; /* no step is taken again while the scene settles */
  const sk_vec3 v[4] = {velocity[k], velocity[k + 1], free[k], free[k + 1]};
  sk_vec3 mean = sk_mul(0.25, sk_add(sk_add(v[0], v[1]), sk_add(v[2], v[3])));
  for (int j = 0; j < 4; j++) beside = fmax(beside, sk_norm(sk_sub(v[j], mean)));
  double bow = bow_of(s, r, k, count), more = fmax(0, sk_limit.reach.bow * s->radius + bow - slack);
  bool rooted = (k + 1) * ds <= s->is->rooted_until;
  return (sk_piece){.a = r[k],
                    .b = r[k + 1],
                    .radius = s->radius,
                    .reach = (sk_limit.reach.motion * beside + share * sk_norm(mean)) * dt + slack + more,
                    .bow = bow,
                    .s0 = k * ds,
                    .s1 = (k + 1) * ds,
                    .object = i,
                    .group = s->is->group,
                    .piece = k,
                    .straight = !s->rod->ops->curved,
                    .way = sk_mul(dt, mean),
                    .hidden = rooted ? 1 + w->model->rod_count + s->is->rooted_in : 0};
}

static void fill_pieces(sk_attempt *w, int i)
{
  const sk_rod_part *s = w->rods + i;
  sk_vec3 *r = w->search.before.points + s->first + i, *velocity = w->search.velocity + s->first + i,
          *free = w->search.free + s->first + i;
  int count = s->pieces * s->rod->def.elements;
  sk_look *look = w->next->look + i;
  sk_rod_input in = sk_rod_input_make(&s->drive, &w->live->env, true, false);
  sk_rod_frames(s->rod, s->x, w->search.before.frames + s->first_frame);
  s->rod->ops->points(s->rod, s->x, w->v + s->is->v, &in, s->pieces, r, free);
  s->rod->ops->points(s->rod, s->x, s->v, &in, s->pieces, r, velocity);
  look->speed = 0;
  for (int k = 0; k <= count; k++) look->speed = fmax(look->speed, sk_norm(velocity[k]));
  for (int k = 0; k < count; k++) w->search.pieces[s->first + k] = piece_make(w, i, k);
}

static bool curves_make(sk_attempt *w, const double *x, sk_curves *c)
{
  size_t points = (size_t)w->search.piece_count + (size_t)w->model->rod_count;
  *c = (sk_curves){x, SK_NEW_RAW(&w->work.arena, w->search.frame_count, sk_rod_frame),
                   SK_NEW_RAW(&w->work.arena, points, sk_vec3)};
  return !w->work.arena.failed;
}

skein_status sk_pieces_make(sk_attempt *w)
{
  sk_search *q = &w->search;
  count_pieces(w);
  size_t points = (size_t)q->piece_count + (size_t)w->model->rod_count;
  q->pieces = SK_NEW_RAW(&w->work.arena, q->piece_count, sk_piece);
  q->velocity = SK_NEW_RAW(&w->work.arena, points, sk_vec3), q->free = SK_NEW_RAW(&w->work.arena, points, sk_vec3);
  if (!curves_make(w, w->now->x, &q->before) || !curves_make(w, w->next->x, &q->after)) return sk_no_memory();
#pragma omp parallel for num_threads(sk_team(w, w->model->rod_count, 16)) schedule(dynamic, 16)
  for (int i = 0; i < w->model->rod_count; i++) fill_pieces(w, i);
  return sk_ok();
}

/* ---- After it ---- */

/* The same for one rod. *fastest: the largest speed of a point. A rod looks further, but not without end: an attempt
 * may throw a hair across the head; were it to look that far, the next one would have all that it might meet there in
 * its problem, with gap / dt of metres per second, which is what the tolerance is relative to: the hair was thrown
 * again, or met so many that the search gave up. */
static bool rod_left(sk_attempt *w, int i, double *fastest)
{
  sk_rod_part *s = w->rods + i;
  sk_look *look = w->next->look + i;
  const sk_vec3 *before = w->search.before.points + s->first + i;
  const sk_piece *piece = w->search.pieces + s->first;
  int count = s->pieces * s->rod->def.elements;
  double worst = 0, borne = sk_limit.stray.stray * w->model->scene->step.overlap * s->radius;
  sk_vec3 *after = w->search.after.points + s->first + i;
  look->moved = 0, s->stray[0] = count, s->stray[1] = 0;
  s->rod->ops->points(s->rod, w->search.after.x + s->is->x, NULL, NULL, s->pieces, after, NULL);
  sk_rod_frames(s->rod, w->search.after.x + s->is->x, w->search.after.frames + s->first_frame);
  for (int k = 0; k <= count; k++) {
    double way = sk_norm(sk_sub(after[k], before[k]));
    for (int j = SK_MAX(k - 1, 0); j <= SK_MIN(k, count - 1); j++) {
      double more = sk_norm(sk_sub(sk_sub(after[k], before[k]), piece[j].way)) - piece[j].reach;
      worst = fmax(worst, more);
      if (more > borne) s->stray[0] = SK_MIN(s->stray[0], j), s->stray[1] = SK_MAX(s->stray[1], j + 1);
    }
    look->moved = fmax(look->moved, way / w->plan.dt);
  }
  *fastest = fmax(*fastest, look->moved);
  double looked = look->extra,
         farthest = fmax(sk_limit.stray.radii * s->radius, sk_limit.stray.length * s->rod->def.length);
  if (worst > 0) look->extra = fmax(looked, fmin(looked + sk_limit.stray.more * worst, farthest));
  return worst > borne && look->extra > looked;
}

bool sk_pieces_left(sk_attempt *w, double *speed)
{
  double fastest = 0;
  bool over = false;
  *speed = 0;
  if (sk_all_asleep(w)) return false;
  int count = w->model->rod_count;
#pragma omp parallel for num_threads(sk_team(w, count, 16)) schedule(dynamic, 16) reduction(max                        \
                                                                                            : fastest)                 \
    reduction(||                                                                                                       \
              : over)
  for (int i = 0; i < count; i++) over = rod_left(w, i, &fastest) || over;
  *speed = fastest;
  return over;
}
