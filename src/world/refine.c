/* Candidates of the search, which are between chords, on the true curves. */
#include "world/world.h"

#include <math.h>

/* Point and tangent. */
static void curve_at(const sk_attempt *w, const sk_curves *c, int i, double s, sk_vec3 *r, sk_vec3 *t)
{
  const sk_rod_part *p = w->rods + i;
  sk_mat3 R;
  sk_rod_pose_in(p->rod, c->x + p->is->x, c->frames + p->first_frame, s, r, &R);
  *t = R.c[2];
}

sk_vec3 sk_curve_point(const sk_attempt *w, const sk_curves *c, int i, double s)
{
  sk_vec3 r, t;
  curve_at(w, c, i, s, &r, &t);
  return r;
}

static bool is_curved(const sk_attempt *w, int object)
{
  return sk_is_rod(w, object) && w->rods[object].rod->ops->curved;
}

/* Part of the tangent at s along which a nearer place is looked for: a piece to both sides on a smooth curve, the piece
 * itself on a chain, whose corners no tangent knows. */
typedef struct span {
  double s, lo, hi;
  sk_vec3 r, t;
} span;

static span span_make(const sk_attempt *w, int object, double s, int piece)
{
  const sk_rod_part *strand = w->rods + object;
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
  bool parallel = 1 - c * c <= sk_limit.refine.parallel;
  sk_vec3 from = parallel ? b->r : span_end(b, b->lo), to = parallel ? b->r : span_end(b, b->hi);
  sk_segment_segment(span_end(a, a->lo), span_end(a, a->hi), from, to, &x, &y);
  a->s = a->lo + x * (a->hi - a->lo);
  if (!parallel) b->s = b->lo + y * (b->hi - b->lo);
}

/* Gauss-Newton on |r_a(sa) - r_b(sb)|^2 within the spans; the nearest of a few tries. */
void sk_refine_rods(const sk_attempt *w, const sk_curves *c, sk_contact *t, int piece_a, int piece_b)
{
  span a = span_make(w, t->a, t->sa, piece_a), b = span_make(w, t->b, t->sb, piece_b), best_a = a, best_b = b;
  double distance = HUGE_VAL, radii = w->rods[t->a].radius + w->rods[t->b].radius;
  double enough = sk_limit.refine.exact * fmax(0, w->model->scene->step.overlap - sk_limit.refine.bears) *
                  radii; /* where overlaps are borne */
  for (int k = 0; k < sk_limit.refine.tries; k++) {
    curve_at(w, c, t->a, a.s, &a.r, &a.t), curve_at(w, c, t->b, b.s, &b.r, &b.t);
    double now = sk_norm(sk_sub(a.r, b.r));
    if (!(now < distance)) break;
    distance = now, best_a = a, best_b = b;
    if (k < sk_limit.refine.tries - 1) approach(&a, &b);
    if (fabs(a.s - best_a.s) + fabs(b.s - best_b.s) < enough) break;
  }
  t->sa = best_a.s, t->sb = best_b.s, t->point_a = best_a.r, t->point_b = best_b.r;
  if (distance > 1e-6 * radii) {
    sk_vec3 n = sk_mul(1 / distance, sk_sub(best_a.r, best_b.r));
    if (sk_dot(n, t->frame[0]) > 0) t->frame[0] = n, t->gap = distance - radii;
  }
}

bool sk_refine_place(const sk_attempt *w, sk_contact *t, sk_vec3 r, double reach)
{
  int body = t->b - w->model->rod_count, found = 1, best = -1;
  sk_near near[SK_NEAR_MAX];
  const sk_shape *shape = sk_shape_now(w, body);
  bool nearest = sk_shape_point(shape, &w->bodies[body].pose, r, reach, near);
  if (!nearest || sk_dot(near[0].normal, t->frame[0]) < sk_limit.refine.facing)
    found = sk_shape_segment(shape, &w->bodies[body].pose, r, r, reach, near);
  for (int k = 0; k < found; k++)
    if (best < 0 || sk_dot(near[k].normal, t->frame[0]) > sk_dot(near[best].normal, t->frame[0])) best = k;
  if (best < 0) return false;
  t->point_a = r, t->point_b = near[best].point, t->frame[0] = near[best].normal;
  t->feature = near[best].feature;
  t->gap = near[best].distance - w->rods[t->a].radius;
  return true;
}

static void refine_on_body(const sk_attempt *w, sk_contact *t)
{
  double radius = w->rods[t->a].radius;
  sk_vec3 r = sk_curve_point(w, &w->search.before, t->a, t->sa);
  sk_refine_place(w, t, r, t->gap + radius + 2 * sk_norm(sk_sub(r, t->point_a)) + sk_limit.refine.grace * radius);
}

void sk_contact_tangents(sk_contact *t)
{
  t->frame[1] = sk_perpendicular(t->frame[0]);
  t->frame[2] = sk_cross(t->frame[0], t->frame[1]);
}

static bool is_hollow(const sk_shape *s)
{
  return s->kind == SK_MESH && !sk_mesh_is_polytope(s->mesh);
}

double sk_skin(const sk_model *m, int a, int b)
{
  const sk_shape *both[2] = {&m->scene->bodies[a].shape, &m->scene->bodies[b].shape};
  double size = HUGE_VAL;
  if (both[0]->kind < SK_CYLINDER || both[1]->kind < SK_CYLINDER || !(is_hollow(both[0]) || is_hollow(both[1])))
    return 0;
  for (int k = 0; k < 2; k++) {
    sk_vec3 lo, hi;
    sk_shape_bounds(both[k], &(sk_pose){.q = {1, {0, 0, 0}}}, &lo, &hi);
    size = fmin(size, sk_norm(sk_sub(hi, lo)));
  }
  return sk_limit.distances.skin * size;
}

void sk_refine(const sk_attempt *w, const sk_candidate *c, sk_contact *t)
{
  bool both = sk_is_rod(w, c->a) && sk_is_rod(w, c->b);
  if (both && (is_curved(w, c->a) || is_curved(w, c->b)))
    sk_refine_rods(w, &w->search.before, t, c->piece_a, c->piece_b);
  else if (is_curved(w, c->a) && !sk_is_rod(w, c->b)) refine_on_body(w, t);
  if (!sk_is_rod(w, c->a) && w->model->scene->step.rigid == SK_RIGID_VELOCITY)
    t->gap -= sk_skin(w->model, c->a - w->model->rod_count, c->b - w->model->rod_count);
  sk_contact_tangents(t);
}
