/* Contacts of one pair: two pieces, a piece and a solid, two solids.
 *
 * A chain of pieces is a curve, and its contacts are where the curve is near, not where one piece alone is: at the end
 * of a piece, when the neighbour beyond it is clearly nearer, the candidate is left out. A rod that slides over another
 * would otherwise catch on its own joints, and a straight rod would touch itself whenever it moves fast. Where rods run
 * side by side (less than `lean` from perpendicular) all pieces count. */
#include "collide/inside.h"

#include <math.h>

static const double lean = 0.3;    /* cosine between normal and neighbour from which the neighbour is clearly nearer */
static const double same = 0.05;   /* share of a piece within which contacts of neighbours are one */
static const double shadow = 0.35; /* and share of the distance of the axes: lean and a little */
static const double level = 0.005; /* radii: how far a place may be nearer than those beside it say */
static const double rounding = 2e-14;

/* ---- One curve ---- */

static bool is_neighbour(const sk_collide_input *in, int i, int k)
{
  return k >= 0 && k < in->piece_count && in->pieces[k].object == in->pieces[i].object &&
         in->pieces[k].piece == in->pieces[i].piece + (k - i);
}

/* Whether the neighbour beyond the end at s (0 or 1) of piece i comes nearer to what lies against the normal. */
static bool is_passed_on(const sk_collide_input *in, int i, double s, sk_vec3 normal)
{
  const sk_piece *p = in->pieces + i;
  bool is_point = p->a.x == p->b.x && p->a.y == p->b.y && p->a.z == p->b.z;
  if ((s >= 1 || is_point) && is_neighbour(in, i, i + 1))
    if (sk_dot(normal, sk_unit(sk_sub(p[1].b, p[1].a))) < -lean) return true;
  if ((s <= 0 || is_point) && is_neighbour(in, i, i - 1))
    if (sk_dot(normal, sk_unit(sk_sub(p[-1].a, p[-1].b))) < -lean) return true;
  return false;
}

static sk_vec3 point_at(const sk_piece *p, double s)
{
  return sk_axpy(p->a, s, sk_sub(p->b, p->a));
}

/* From w = x_a - x_b. Where the axes cross to rounding: d_a x d_b, on the side of w if it has one; it turns with the
 * pair and does not depend on which is called a. Parallel axes: any perpendicular. */
static sk_vec3 normal_of(const sk_piece *a, const sk_piece *b, sk_vec3 w, double distance)
{
  double size = fabs(a->a.x) + fabs(a->a.y) + fabs(a->a.z) + fabs(b->a.x) + fabs(b->a.y) + fabs(b->a.z);
  if (distance > rounding * size && distance > 1e-150) return sk_mul(1 / distance, w);
  sk_vec3 da = sk_sub(a->b, a->a), db = sk_sub(b->b, b->a), n = sk_cross(da, db);
  double la = sk_norm(da), lb = sk_norm(db), l = sk_norm(n);
  if (l > 1e-8 * la * lb) return sk_mul((sk_dot(w, n) < 0 ? -1 : 1) / l, n);
  if (la > 0 || lb > 0) return sk_perpendicular(sk_unit(la >= lb ? da : db));
  return sk_vec(0, 0, 1);
}

/* ---- Two pieces ---- */

typedef struct piece_pair {
  const sk_collide_input *in;
  int i, j; /* of a and b */
  double radii, reach, mu, restitution;
} piece_pair;

/* The candidate at s and t; false: it is out of reach, or a neighbour's. */
static bool candidate_make(const piece_pair *p, double s, double t, sk_found *out)
{
  const sk_piece *a = p->in->pieces + p->i, *b = p->in->pieces + p->j;
  sk_vec3 xa = point_at(a, s), xb = point_at(b, t), w = sk_sub(xa, xb);
  double distance = sk_norm(w), gap = distance - p->radii;
  if (!(gap <= p->reach)) return false;
  sk_vec3 n = normal_of(a, b, w, distance);
  if (is_passed_on(p->in, p->i, s, n) || is_passed_on(p->in, p->j, t, sk_mul(-1, n))) return false;
  *out = (sk_found){.c = {.a = a->object,
                          .b = b->object,
                          .piece_a = a->piece,
                          .piece_b = b->piece,
                          .sa = a->s0 + s * (a->s1 - a->s0),
                          .sb = b->s0 + t * (b->s1 - b->s0),
                          .point_a = xa,
                          .point_b = xb,
                          .normal = n,
                          .gap = gap,
                          .mu = p->mu,
                          .restitution = p->restitution},
                    .same_a = SK_MAX(same * (a->s1 - a->s0), shadow * distance),
                    .same_b = SK_MAX(same * (b->s1 - b->s0), shadow * distance)};
  return true;
}

static void add(sk_haul *haul, const sk_found *f)
{
  sk_found *to = sk_haul_add(haul);
  if (to) *to = *f;
}

/* Whether two straight pieces are level between the places at both ends of their stretch: what holds these apart holds
 * the nearest place between them too, a third contact would only be redundant. */
static bool is_level(const piece_pair *p, const sk_found *nearest, const sk_found *low, const sk_found *high)
{
  const sk_piece *a = p->in->pieces + p->i, *b = p->in->pieces + p->j;
  double t = (nearest->c.sa - low->c.sa) / (high->c.sa - low->c.sa);
  double between = low->c.gap + t * (high->c.gap - low->c.gap);
  return a->straight && b->straight && nearest->c.gap >= between - level * SK_MIN(a->radius, b->radius);
}

/* Pieces side by side: the places beside an end of either, on both sides of the nearest one (at s), the farthest that
 * are within reach, face the same way and are at least `stretch` radii away. True where they make the nearest one
 * redundant. */
static bool add_beside(const piece_pair *p, double s, const sk_found *nearest, sk_haul *haul)
{
  const sk_piece *a = p->in->pieces + p->i, *b = p->in->pieces + p->j;
  sk_vec3 da = sk_sub(a->b, a->a), db = sk_sub(b->b, b->a);
  double la = sk_norm(da), lb = sk_norm(db), apart = p->in->stretch * SK_MAX(a->radius, b->radius);
  if (!(la > 0 && lb > 0) || fabs(sk_dot(da, db)) < (1 - lean * lean) * la * lb) return false;
  double at[4][2] = {{0, 0}, {1, 0}, {0, 0}, {0, 1}};
  sk_segment_segment(a->a, a->a, b->a, b->b, &(double){0}, &at[0][1]);
  sk_segment_segment(a->b, a->b, b->a, b->b, &(double){0}, &at[1][1]);
  sk_segment_segment(a->a, a->b, b->a, b->a, &at[2][0], &(double){0});
  sk_segment_segment(a->a, a->b, b->b, b->b, &at[3][0], &(double){0});
  sk_found end[2];
  bool there[2] = {false, false};
  for (int side = 0; side < 2; side++) {
    sk_found f;
    double farthest = 0;
    for (int k = 0; k < 4; k++) {
      double away = (2 * side - 1) * (at[k][0] - s) * la;
      if (!(away >= apart && away > farthest) || !candidate_make(p, at[k][0], at[k][1], &f)) continue;
      if (sk_dot(f.c.normal, nearest->c.normal) < 0.9 || fabs(sk_dot(f.c.normal, da)) > lean * la) continue;
      farthest = away, end[side] = f, there[side] = true;
    }
    if (there[side]) add(haul, &end[side]);
  }
  return there[0] && there[1] && is_level(p, nearest, &end[0], &end[1]);
}

static void pieces_narrow(const sk_collide_input *in, int i, int j, sk_haul *haul)
{
  const sk_piece *a = in->pieces + i, *b = in->pieces + j;
  bool swapped = a->object > b->object || (a->object == b->object && a->piece > b->piece);
  if (swapped) {
    const sk_piece *c = a;
    int k = i;
    a = b, b = c, i = j, j = k;
  }
  if (a->object == b->object) {
    bool is_near = b->piece - a->piece < 2 || !(b->s0 - a->s1 >= in->apart * SK_MAX(a->radius, b->radius));
    if (is_near) return;
  }
  piece_pair p = {in, i, j, a->radius + b->radius, a->reach + b->reach + sk_norm(sk_sub(a->way, b->way)), 0, 0};
  size_t pair = (size_t)a->group * (size_t)in->pairing.groups + (size_t)b->group;
  p.mu = in->pairing.mu[pair], p.restitution = in->pairing.restitution[pair];
  double s, t, R = (p.radii + p.reach) * (1 + 1e-9);
  if (p.mu < 0) return;
  double square = sk_segment_segment(a->a, a->b, b->a, b->b, &s, &t);
  if (!(square <= R * R)) return;
  if (in->meets) sk_haul_meet(haul, i, j, sqrt(square), sk_vec(0, 0, 0), 0);
  sk_found f;
  if (!candidate_make(&p, s, t, &f)) return;
  if (!(in->stretch > 0 && add_beside(&p, s, &f, haul))) add(haul, &f);
}

/* ---- Solids ---- */

/* Far above a plane: most of a scene is, and the bounds of a plane do not tell. */
static bool is_off_plane(const sk_solid *b, const sk_piece *a, double reach)
{
  if (b->shape->kind != SK_PLANE) return false;
  sk_vec3 n = sk_quat_frame(b->pose.q).c[2];
  return SK_MIN(sk_dot(n, sk_sub(a->a, b->pose.r)), sk_dot(n, sk_sub(a->b, b->pose.r))) > reach;
}

/* A body that is thin beside the piece turns its normal along the piece, as another rod does. */
static bool is_thin(const sk_shape *s, double length)
{
  bool is_round = s->kind == SK_SPHERE || s->kind == SK_CAPSULE || s->kind == SK_CYLINDER || s->kind == SK_TUBE;
  return is_round && s->radius < length;
}

/* How near the two may come: of the solid's turn, what it moves the ends of the piece and what is in reach of them by.
 */
double sk_solid_reach(const sk_piece *a, const sk_solid *b, double length)
{
  sk_vec3 middle = sk_mul(0.5, sk_add(a->a, a->b));
  double beside = sk_norm(sk_sub(a->way, sk_moved(&b->move, middle))), turn = sk_norm(b->move.w);
  double reach = a->reach + b->slack + beside;
  return reach + turn * (0.5 * length + a->radius + reach);
}

/* NULL: there is none. */
static const sk_near *nearest(const sk_near *near, int count)
{
  const sk_near *best = count > 0 ? near : NULL;
  for (int k = 1; k < count; k++)
    if (near[k].distance < best->distance) best = near + k;
  return best;
}

static void solid_narrow(const sk_collide_input *in, int i, int k, sk_haul *haul)
{
  const sk_piece *a = in->pieces + i;
  const sk_solid *b = in->solids + k;
  size_t pair = (size_t)a->group * (size_t)in->pairing.groups + (size_t)b->group;
  double mu = in->pairing.mu[pair], length = sk_norm(sk_sub(a->b, a->a)), reach = sk_solid_reach(a, b, length);
  sk_near near[SK_NEAR_MAX];
  if (mu < 0 || a->hidden == 1 + b->object || is_off_plane(b, a, (reach + a->radius) * (1 + 1e-9))) return;
  int found = sk_shape_segment(b->shape, &b->pose, a->a, a->b, reach + a->radius, near);
  const sk_near *least = nearest(near, found);
  if (in->meets && least && least->distance - a->radius <= reach)
    sk_haul_meet(haul, i, in->piece_count + k, least->distance, least->normal, least->t);
  for (int c = 0; c < found; c++) {
    double gap = near[c].distance - a->radius;
    if (!(gap <= reach)) continue;
    if (is_thin(b->shape, length) && is_passed_on(in, i, near[c].t, near[c].normal)) continue;
    add(haul, &(sk_found){.c = {.a = a->object,
                                .b = b->object,
                                .piece_a = a->piece,
                                .piece_b = -1,
                                .feature = near[c].feature,
                                .sa = a->s0 + near[c].t * (a->s1 - a->s0),
                                .point_a = point_at(a, near[c].t),
                                .point_b = near[c].point,
                                .normal = near[c].normal,
                                .gap = gap,
                                .mu = mu,
                                .restitution = in->pairing.restitution[pair]},
                          .same_a = same * (a->s1 - a->s0),
                          .same_b = same * length});
  }
}

static void solids_narrow(const sk_collide_input *in, int i, int j, sk_haul *haul)
{
  bool swapped = in->solids[i].object > in->solids[j].object;
  const sk_solid *a = in->solids + (swapped ? j : i), *b = in->solids + (swapped ? i : j);
  size_t pair = (size_t)a->group * (size_t)in->pairing.groups + (size_t)b->group;
  double mu = in->pairing.mu[pair], reach = a->reach + b->reach;
  sk_near near[SK_NEAR_MAX];
  if (mu < 0 || (!a->moves && !b->moves)) return;
  int found = sk_shape_shape(a->shape, &a->pose, b->shape, &b->pose, reach, near);
  const sk_near *least = nearest(near, found);
  if (in->meets && least && least->distance <= reach)
    sk_haul_meet(haul, in->piece_count + (swapped ? j : i), in->piece_count + (swapped ? i : j), least->distance,
                 least->normal, 0);
  for (int c = 0; c < found; c++) {
    if (!(near[c].distance <= reach)) continue;
    add(haul, &(sk_found){.c = {.a = a->object,
                                .b = b->object,
                                .piece_a = -1,
                                .piece_b = -1,
                                .feature = near[c].feature,
                                .point_a = sk_axpy(near[c].point, near[c].distance, near[c].normal),
                                .point_b = near[c].point,
                                .normal = near[c].normal,
                                .gap = near[c].distance,
                                .mu = mu,
                                .restitution = in->pairing.restitution[pair]}});
  }
}

void sk_narrow(const sk_collide_input *in, int i, int j, sk_haul *haul)
{
  int n = in->piece_count;
  if (i == j) return; /* two of its cells have the same slot: it meets itself */
  if (i < n && j < n) pieces_narrow(in, i, j, haul);
  else if (i >= n && j >= n) solids_narrow(in, i - n, j - n, haul);
  else solid_narrow(in, SK_MIN(i, j), SK_MAX(i, j) - n, haul);
}
