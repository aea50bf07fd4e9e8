/* Combing: a strand grows from its root in short steps. On the skin it goes where the comb goes, away from the parting
 * (or back) and down; it rises slowly over the strands that grow below it, as thatch does; where the skin falls away it
 * bends down. What it meets below, it goes around. So it is outside of all bodies, and beside the others, not in them.
 *
 * The comb's direction at x: the unit vector from the nearest place of the parting to x, level; a little back; down. In
 * the plane of the skin. */
#include "scene/groom.h"

static const double bend = 0.025; /* m over which a strand turns to where it should go */

sk_comb sk_comb_make(const skein_scene *scene, int body, const sk_scalp *scalp, double radius, int count)
{
  sk_vec3 g = sk_load3(scene->env.gravity);
  sk_comb c = {.scene = scene, .body = body, .radius = radius};
  double area = scalp->count ? scalp->area[scalp->count - 1] : 1;
  c.thatch = fmin(SK_PI * radius * radius * count / area / 0.7, 0.2); /* sections of the roots below, loosely packed */
  c.down = sk_norm(g) > 0 ? sk_unit(g) : sk_vec(0, 0, -1);
  c.front = sk_vec(0.5 * (scalp->lo.x + scalp->hi.x), scalp->lo.y, 0);
  c.crown = sk_vec(c.front.x, scalp->lo.y + 0.7 * (scalp->hi.y - scalp->lo.y), 0);
  return c;
}

static sk_vec3 in_plane(sk_vec3 a, sk_vec3 n)
{
  return sk_axpy(a, -sk_dot(a, n), n);
}

/* Where the comb goes at x, on skin with that normal; a unit vector. */
static sk_vec3 comb_at(const sk_comb *c, sk_vec3 x, sk_vec3 n)
{
  const sk_pose *pose = &c->scene->bodies[c->body].pose;
  sk_vec3 p = sk_pose_in(pose, x), d = {0, 1, 0};
  if (c->parting != SK_PARTING_NONE) {
    double y = fmin(fmax(p.y, c->front.y), c->crown.y);
    d = sk_unit(sk_vec(p.x - c->front.x, p.y - y, 0));
    d.y += 0.35;
  }
  d = sk_apply(sk_quat_frame(pose->q), d);
  sk_vec3 t = in_plane(sk_axpy(d, 0.8, c->down), n);
  return sk_norm(t) > 1e-6 ? sk_unit(t) : sk_perpendicular(n);
}

/* The body nearest to x, of those within reach; false: none. */
static bool nearest(const sk_comb *c, sk_vec3 x, double reach, sk_near *out, int *body)
{
  sk_near near;
  bool found = false;
  for (int b = 0; b < c->scene->body_count; b++) {
    const sk_scene_body *s = c->scene->bodies + b;
    if (s->mode == SK_DYNAMIC || !sk_shape_point(&s->shape, &s->pose, x, reach, &near)) continue;
    if (!found || near.distance < out->distance) *out = near, *body = b, found = true;
  }
  return found;
}

double sk_comb_depth(const sk_comb *c, sk_vec3 x)
{
  sk_near near = {.distance = 0};
  int body = -1;
  return nearest(c, x, c->radius, &near, &body) ? c->radius - near.distance : 0;
}

/* How high over the skin the line is at s from its root. */
static double height(const sk_comb *c, const sk_lock *l, double s)
{
  double out = fmin(s / 0.01, 1), wound = l->coil * fmin(s / (0.15 * l->length), 1);
  if (l->tied) return c->radius + l->bunch;
  return c->radius * (0.2 + out) + fmin(c->thatch * s, 0.02) + wound + l->spare * fmin(s / 0.03, 1);
}

/* Where the strand should go from x: along the skin when it is near, else down. */
static sk_vec3 aim(const sk_comb *c, const sk_lock *l, sk_vec3 x, sk_vec3 d, double s)
{
  sk_near near = {.distance = 0};
  int body = -1;
  double high = height(c, l, s);
  if (!nearest(c, x, 1.5 * high + 2e-3, &near, &body)) return c->down;
  sk_vec3 n = near.normal, along = in_plane(sk_axpy(c->down, 0.3, d), n);
  if (body == c->body && !l->tied) {
    sk_vec3 t = comb_at(c, x, n), side = sk_cross(n, t);
    double turn = l->turn * exp(-s / 0.1), fall = sk_dot(n, c->down);
    t = sk_axpy(sk_mul(cos(turn), t), sin(turn), side);
    return fall > 0 ? sk_unit(sk_axpy(t, 3 * fall, c->down)) : t;
  }
  return sk_norm(along) > 1e-3 ? sk_unit(along) : d;
}

/* Moves x out to the height over every body, keeping its distance from the last point. */
static sk_vec3 push_out(const sk_comb *c, double high, sk_vec3 last, sk_vec3 x, double step)
{
  sk_near near = {.distance = 0};
  int body = -1;
  for (int k = 0; k < 4; k++) {
    if (!nearest(c, x, high, &near, &body)) break;
    x = sk_axpy(x, high - near.distance, near.normal);
    sk_vec3 d = sk_sub(x, last);
    if (sk_norm(d) > 0) x = sk_axpy(last, step, sk_unit(d));
  }
  return x;
}

/* The line: `count` points, step apart. */
static void grow_line(const sk_comb *c, const sk_lock *l, int count, double step, sk_vec3 *x)
{
  sk_vec3 t = l->tied ? l->n : comb_at(c, l->r, l->n);
  sk_vec3 d = l->tied ? l->n : sk_axpy(sk_mul(cos(c->lift), t), sin(c->lift), l->n);
  x[0] = l->tied ? l->r : sk_axpy(l->r, 0.2 * c->radius, l->n);
  double turn = c->raised ? 0 : fmin(step / (l->tied ? 2 * bend : bend), 1);
  for (int i = 1; i < count; i++) {
    double s = (i - 1) * step;
    if (turn > 0) d = sk_unit(sk_axpy(d, turn, sk_sub(aim(c, l, x[i - 1], d, s), d)));
    x[i] = push_out(c, height(c, l, s + step), x[i - 1], sk_axpy(x[i - 1], step, d), step);
    d = sk_unit(sk_sub(x[i], x[i - 1]));
  }
}

/* Whether the line keeps `room` from all bodies, once it has left the skin. */
static bool is_clear(const sk_comb *c, double room, int count, double step, const sk_vec3 *x)
{
  sk_near near = {.distance = 0};
  int body = -1;
  for (int i = (int)(0.02 / step) + 1; i < count; i++)
    if (nearest(c, x[i], room, &near, &body)) return false;
  return true;
}

/* The line of a strand that will curl once it is let go: it leaves the skin as the others do and soon goes straight on,
 * as low as bodies allow. It has to be straight: elements without twist of their own cannot lie around a shoulder. */
static void grow_straight(const sk_comb *c, const sk_lock *l, int count, double step, sk_vec3 *x)
{
  sk_vec3 t = comb_at(c, l->r, l->n);
  for (double lift = c->lift;; lift += 5 * SK_PI / 180) {
    sk_vec3 d = sk_axpy(sk_mul(cos(c->lift), t), sin(c->lift), l->n);
    sk_vec3 to = sk_axpy(sk_mul(cos(lift), t), sin(lift), l->n);
    x[0] = sk_axpy(l->r, 0.2 * c->radius, l->n);
    for (int i = 1; i < count; i++) {
      d = sk_unit(sk_axpy(d, fmin(step / bend, 1), sk_sub(to, d)));
      x[i] = sk_axpy(x[i - 1], step, d);
    }
    if (lift >= 0.5 * SK_PI || is_clear(c, c->radius + l->spare, count, step, x)) return;
  }
}

/* The helix about the line, and the place in the bunch, in a frame carried along without twist (Bishop 1975). */
static void wind(const sk_lock *l, int count, double step, const sk_vec3 *x, double *points)
{
  sk_vec3 t = sk_unit(sk_sub(x[1], x[0])), e = sk_perpendicular(t);
  for (int i = 0; i < count; i++) {
    sk_vec3 next = i + 1 < count ? sk_unit(sk_sub(x[i + 1], x[i])) : t;
    e = sk_unit(in_plane(sk_transport(e, t, next), next)), t = next;
    double s = i * step, a = l->coil * fmin(s / (0.15 * l->length), 1);
    double angle = l->phase + (l->coil > 0 ? 2 * SK_PI * s / l->pitch : 0);
    double u = l->across.x + a * cos(angle), v = l->across.y + a * sin(angle);
    sk_store3(points + 3 * i, sk_axpy(sk_axpy(x[i], u, e), v, sk_cross(t, e)));
  }
}

int sk_comb_grow(const sk_comb *c, const sk_lock *lock, double *points)
{
  sk_vec3 x[SK_LOCK_POINTS];
  double turns = lock->coil > 0 ? lock->length / lock->pitch : 0;
  int count = (int)fmin(fmax(lock->length / 0.004, 16 * turns), SK_LOCK_POINTS - 33) + 32;
  double step = lock->length / (count - 1);
  if (lock->curls) grow_straight(c, lock, count, step, x);
  else grow_line(c, lock, count, step, x);
  wind(lock, count, step, x, points);
  return count;
}
