/* Rods whose start lies inside bodies are moved out of them before t = 0, where they are to be; how deep the others are
 * inside is told.
 *
 * The curve is walked from the root in steps of equal length, each in the direction that it has there: a step that
 * would end nearer to a body than the rod is thick is turned out of it and keeps its length. So the strand goes around
 * what is in its way, on the side that it came from, and goes on as it was behind it. The polyline is fitted as one
 * from a file is (fit.c); where the fit cuts a corner, the walk is done again a little further out. The root of a held
 * rod stays where it is, and near it the rod may leave the body that it grows from. A natural shape that is
 * not the initial one stays. */
#include "scene/fit.h"
#include "scene/rods.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 256, ROUNDS = 6 };

typedef struct curve {
  sk_vec3 x[POINTS + 1]; /* at equal arcs */
  int count;             /* of steps */
  double l;
} curve;

static sk_pose body_at_start(const sk_scene_body *b)
{
  return b->mode == SK_PRESCRIBED ? sk_path_pose(&b->path, &b->pose, 0) : b->pose;
}

/* The nearest of the bodies that the rod may touch; its distance, infinite beyond reach. normal, body: where there is
 * one. */
static double nearest(const skein_scene *s, int group, sk_vec3 x, double reach, sk_vec3 *normal, int *body)
{
  double best = HUGE_VAL;
  for (int i = 0; i < s->body_count; i++) {
    sk_near near;
    sk_pose pose = body_at_start(s->bodies + i);
    if (s->mu && s->mu[group * s->group_count + s->bodies[i].group] < 0) continue;
    if (sk_shape_point(&s->bodies[i].shape, &pose, x, reach, &near) && near.distance < best)
      best = near.distance, *normal = near.normal, *body = i;
  }
  return best;
}

/* ---- The curve of a rod ---- */

static sk_vec3 cell_at(const double *cells, int count, double share)
{
  if (!cells || count == 0) return sk_vec(0, 0, 0);
  return sk_load3(cells + 3 * (size_t)SK_MAX(0, SK_MIN((int)(share * count), count - 1)));
}

static void trace(const skein_rod_def *d, curve *c)
{
  const double *cells = d->initial ? d->initial : d->natural;
  int count = d->initial ? d->initials : d->naturals;
  sk_vec3 r = sk_load3(d->pose.r);
  sk_mat3 R = {{sk_load3(d->pose.d[0]), sk_load3(d->pose.d[1]), sk_load3(d->pose.d[2])}};
  enum { FINE = 4 };
  double h = c->l / FINE;
  c->x[0] = r;
  for (int j = 0; j < FINE * c->count; j++) {
    sk_vec3 u = cell_at(cells, count, (j + 0.5) / (FINE * c->count));
    r = sk_add(r, sk_apply(R, sk_fit_piece(u, h)));
    R = sk_orthonormal(sk_mat_mul(R, sk_rotation(sk_mul(h, u))));
    if (j % FINE == FINE - 1) c->x[j / FINE + 1] = r;
  }
}

/* Arc from an end within which it may be inside: what it takes to leave the body that it grows from. */
static double held(const skein_scene *s, const sk_scene_rod *rod, skein_rod_end end, sk_vec3 x)
{
  sk_vec3 n;
  int body;
  if (end == SKEIN_FREE) return 0;
  double depth = rod->radius - nearest(s, rod->group, x, rod->def.length, &n, &body);
  return depth > 0 ? 2 * depth + 2 * rod->radius : 0;
}

/* Deepest place beyond `from` and before `to`, less what contacts may overlap anyway; 0: outside. body: the one that it
 * is in. */
static double depth_between(const skein_scene *s, const sk_scene_rod *rod, const curve *c, double from, double to,
                            int *body)
{
  double deepest = 0;
  sk_vec3 n;
  for (int j = 0; j <= c->count; j++) {
    int in = -1;
    if (j * c->l < from || j * c->l > to) continue;
    double depth = 0.98 * rod->radius - nearest(s, rod->group, c->x[j], rod->radius, &n, &in);
    if (depth > deepest) deepest = depth, *body = in;
  }
  return deepest;
}

static double depth_of(const skein_scene *s, const sk_scene_rod *rod, const curve *c, double from, int *body)
{
  return depth_between(s, rod, c, from, HUGE_VAL, body);
}

/* ---- The walk ---- */

/* A step of length l from x along d, ending at least `away` from bodies where it can. */
static sk_vec3 step_out(const skein_scene *s, int group, sk_vec3 x, sk_vec3 d, double l, double away)
{
  sk_vec3 y = sk_axpy(x, l, d), n;
  int body;
  for (int k = 0; k < 12; k++) {
    double distance = nearest(s, group, y, away + 4 * l, &n, &body);
    if (!(distance < away)) break;
    sk_vec3 way = sk_sub(sk_axpy(y, away - distance, n), x);
    if (sk_norm(way) < 0.1 * l) way = sk_perpendicular(n); /* straight into it: any way along the surface */
    y = sk_axpy(x, l / sk_norm(way), way);
  }
  return y;
}

static void walk(const skein_scene *s, const sk_scene_rod *rod, const curve *from, double exempt, double away,
                 curve *to)
{
  sk_vec3 n;
  int body;
  *to = *from;
  if (rod->def.root == SKEIN_FREE) {
    double distance = nearest(s, rod->group, to->x[0], rod->def.length, &n, &body);
    if (distance < away) to->x[0] = sk_axpy(to->x[0], away - distance, n);
  }
  for (int j = 0; j < from->count; j++) {
    sk_vec3 d = sk_unit(sk_sub(from->x[j + 1], from->x[j]));
    bool inside = (j + 1) * from->l < exempt;
    to->x[j + 1] = inside ? sk_axpy(to->x[j], from->l, d) : step_out(s, rod->group, to->x[j], d, from->l, away);
  }
}

/* Directions become means over half an element to both sides: the curve turns before it meets a body. */
static void smooth(const sk_scene_rod *rod, curve *c)
{
  sk_vec3 d[POINTS];
  int reach = SK_MAX(1, c->count / (2 * rod->def.elements));
  for (int j = 0; j < c->count; j++) {
    d[j] = sk_vec(0, 0, 0);
    for (int k = SK_MAX(0, j - reach); k <= SK_MIN(c->count - 1, j + reach); k++)
      d[j] = sk_axpy(d[j], 1 + reach - abs(j - k), sk_sub(c->x[k + 1], c->x[k]));
    double norm = sk_norm(d[j]);
    d[j] = norm > 1e-3 * c->l ? sk_mul(1 / norm, d[j]) : sk_unit(sk_sub(c->x[j + 1], c->x[j]));
  }
  for (int j = 0; j < c->count; j++) c->x[j + 1] = sk_axpy(c->x[j], c->l, d[j]);
}

/* The way around bodies, without corners. */
static void go_around(const skein_scene *s, const sk_scene_rod *rod, const curve *from, double exempt, double away,
                      curve *to)
{
  curve c;
  walk(s, rod, from, exempt, away, to);
  for (int k = 0; k < 3; k++) {
    c = *to;
    smooth(rod, &c);
    walk(s, rod, &c, exempt, away, to);
  }
}

/* ---- The rod ---- */

/* The fit in the frame whose d1 is nearest to that of the rod, so that its natural shape keeps its direction. */
static void take_fit(const sk_fit *f, double *cells, int count, skein_pose *pose)
{
  sk_vec3 d1 = sk_load3(pose->d[0]);
  double c = sk_dot(d1, f->frame.c[0]), s = sk_dot(d1, f->frame.c[1]), norm = hypot(c, s);
  c = norm > 1e-9 ? c / norm : 1, s = norm > 1e-9 ? s / norm : 0;
  sk_store3(pose->r, f->root);
  sk_store3(pose->d[0], sk_axpy(sk_mul(c, f->frame.c[0]), s, f->frame.c[1]));
  sk_store3(pose->d[1], sk_axpy(sk_mul(c, f->frame.c[1]), -s, f->frame.c[0]));
  sk_store3(pose->d[2], f->frame.c[2]);
  for (int q = 0; q < count; q++) {
    double k1 = f->cells[3 * q], k2 = f->cells[3 * q + 1];
    cells[3 * q] = c * k1 + s * k2, cells[3 * q + 1] = c * k2 - s * k1, cells[3 * q + 2] = f->cells[3 * q + 2];
  }
}

/* Twists that are locked are those of the start. */
static void lock_twists(const skein_rod_def *old, skein_rod_def *d, const double *cells, double *natural)
{
  int N = d->elements;
  for (int q = 0; q < N; q++) {
    sk_store3(natural + 3 * q, cell_at(old->natural, old->naturals, (q + 0.5) / N));
    if (q >= N - d->twist_locked) natural[3 * q + 2] = cells[3 * q + 2];
  }
  d->natural = natural, d->naturals = N;
}

typedef struct room {
  double *cells, *natural, *scratch; /* 3 per element each */
} room;

/* Walks and fits, further out each time, until it is outside; the best of the tries. */
static skein_status push_out(const skein_scene *s, sk_scene_rod *rod, const curve *before, double exempt, const room *m)
{
  const sk_scene_rod old = *rod;
  int N = rod->def.elements;
  double margin = 0.05 * rod->radius;
  int slot = 0; /* of the two rooms: the one that the best try is not in */
  sk_fit fit = {.cells = m->scratch};
  for (int k = 0; k < ROUNDS && rod->inside > 0; k++) {
    curve c;
    double at[3 * (POINTS + 1)];
    sk_scene_rod trial = old;
    go_around(s, &old, before, exempt, rod->radius + margin, &c);
    for (int j = 0; j <= c.count; j++) sk_store3(at + 3 * j, c.x[j]);
    skein_status status = sk_fit_strand(at, c.count + 1, N, !sk_rod_model_is_curved(old.def.model), &fit);
    if (status.code != SKEIN_OK) return status;
    double *cells = m->cells + 3 * (size_t)(slot * N), *natural = m->natural + 3 * (size_t)(slot * N);
    take_fit(&fit, cells, N, &trial.def.pose);
    trial.def.initial = cells, trial.def.initials = N;
    if (!old.def.initial) trial.def.natural = cells, trial.def.naturals = N;
    else if (old.def.twist_locked > 0) lock_twists(&old.def, &trial.def, cells, natural);
    trace(&trial.def, &c);
    double depth = depth_of(s, &old, &c, exempt, &trial.inside_body);
    margin += 1.2 * depth + 0.05 * old.radius;
    if (!(depth < rod->inside)) continue;
    *rod = trial, rod->inside = depth, rod->moved = 0, slot = 1 - slot;
    for (int j = 0; j <= c.count; j++) rod->moved = fmax(rod->moved, sk_norm(sk_sub(c.x[j], before->x[j])));
  }
  return sk_ok();
}

static void trace_start(const sk_scene_rod *rod, curve *c)
{
  int wanted = (int)fmin(POINTS, ceil(rod->def.length / (2 * rod->radius)));
  c->count = SK_MAX(SK_MIN(POINTS, SK_MAX(32, 8 * rod->def.elements)), wanted), c->l = rod->def.length / c->count;
  trace(&rod->def, c);
}

/* Whether it is to be moved, and by how much it is inside. */
static bool is_inside(const skein_scene *s, sk_scene_rod *rod, curve *c, double *exempt)
{
  trace_start(rod, c);
  *exempt = held(s, rod, rod->def.root, c->x[0]);
  rod->inside = depth_of(s, rod, c, *exempt, &rod->inside_body);
  return rod->inside > 0 && rod->def.tip == SKEIN_FREE; /* a tip that is held stays where it is */
}

static skein_status push_one(const skein_scene *s, sk_scene_rod *rod, const room *m)
{
  curve c;
  double exempt;
  return is_inside(s, rod, &c, &exempt) ? push_out(s, rod, &c, exempt, m) : sk_ok();
}

/* A rod that stays where it is: how deep it is inside, away from the bodies that hold its ends. */
static void look_inside(const skein_scene *s, sk_scene_rod *rod)
{
  curve c;
  trace_start(rod, &c);
  double from = held(s, rod, rod->def.root, c.x[0]), tip = held(s, rod, rod->def.tip, c.x[c.count]);
  rod->inside = depth_between(s, rod, &c, from, rod->def.length - tip, &rod->inside_body);
}

void sk_rods_push_out(sk_reader *r)
{
  skein_scene *s = r->scene;
  size_t elements = 1; /* so that nothing is allocated with size 0 */
  for (int i = 0; i < s->rod_count; i++) elements += s->rods[i].outside ? (size_t)s->rods[i].def.elements : 0;
  if (sk_failed(r) || s->body_count == 0) return;
  room *rooms = SK_READ_NEW(r, s->rod_count, room);
  double *numbers = SK_READ_NEW(r, 15 * elements, double);
  skein_status *status = SK_READ_NEW(r, s->rod_count, skein_status);
  if (sk_failed(r)) return;
  for (int i = 0; i < s->rod_count; i++) {
    size_t n = s->rods[i].outside ? 3 * (size_t)s->rods[i].def.elements : 0;
    rooms[i] = (room){numbers, numbers + 2 * n, numbers + 4 * n}, numbers += 5 * n;
  }
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < s->rod_count; i++)
    if (sk_stop_asked(&s->stop)) continue;
    else if (s->rods[i].outside) status[i] = push_one(s, s->rods + i, rooms + i);
    else look_inside(s, s->rods + i);
  if (sk_read_stopped(r)) return;
  for (int i = 0; i < s->rod_count && !sk_failed(r); i++)
    if (status[i].code != SKEIN_OK) r->status = sk_status_prefix(status[i], s->rods[i].name);
}
