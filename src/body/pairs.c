/* Contacts of two shapes, by a table of their kinds. Spheres and capsules are a core with a radius, so they are the
 * segment queries of the other shape. Boxes and small convex meshes are polytopes. What is left is made of edges,
 * corners and rims of one shape against the other: on a flat face the nearest point of a cylinder is on its rim, and
 * edges against triangles hold corners against faces and edges against edges. Tubes are exact against planes, spheres
 * and capsules; against the others they are the capsules between the joints of their pieces. */
#include "body/inside.h"

typedef struct pair {
  const sk_shape *a, *b;
  sk_pose pa, pb;
  double reach;
  sk_bag *bag;
} pair;

typedef void (*pair_fn)(const pair *p);

enum { CORE = 10, RIM, SIDES, EDGE, POINT, CHORD }; /* kinds of features; the flipped ones are 16 more */

/* Adds a segment's contacts; flip: the segment is B's and the queried shape A. */
static void add_segment(const pair *p, bool flip, sk_vec3 x0, sk_vec3 x1, int kind, int id)
{
  sk_near near[SK_NEAR_MAX];
  int n = flip ? sk_shape_segment(p->a, &p->pa, x0, x1, p->reach, near)
               : sk_shape_segment(p->b, &p->pb, x0, x1, p->reach, near);
  for (int k = 0; k < n; k++) {
    sk_near c = near[k];
    sk_feature feature =
        sk_feature_of_two(kind + 16 * flip, id, kind == EDGE ? sk_feature_number(c.feature) : (int)c.feature.place);
    if (flip) sk_bag_add(p->bag, sk_axpy(c.point, c.distance, c.normal), sk_mul(-1, c.normal), c.distance, feature);
    else sk_bag_add(p->bag, c.point, c.normal, c.distance, feature);
  }
}

static void none(const pair *p)
{
  (void)p;
}

/* A is a sphere or a capsule. */
static void core(const pair *p)
{
  double half = p->a->kind == SK_CAPSULE ? p->a->half : 0, r = p->a->radius;
  sk_vec3 x0 = sk_pose_out(&p->pa, sk_vec(0, 0, -half)), x1 = sk_pose_out(&p->pa, sk_vec(0, 0, half));
  sk_near near[SK_NEAR_MAX];
  int n = sk_shape_segment(p->b, &p->pb, x0, x1, p->reach + r, near);
  for (int k = 0; k < n; k++)
    sk_bag_add(p->bag, near[k].point, near[k].normal, near[k].distance - r,
               sk_feature_of_two(CORE, sk_feature_number(near[k].feature), 0));
}

/* ---- Rims of cylinders ---- */

typedef struct rim {
  const sk_shape *other;
  const sk_pose *pose;
  sk_vec3 centre, u, v; /* radius times two directions */
  double reach;
} rim;

/* The contact of the rim's point at this angle; infinitely far when out of reach. */
static sk_near rim_at(const rim *r, double angle)
{
  sk_near near[SK_NEAR_MAX];
  sk_vec3 x = sk_add(r->centre, sk_add(sk_mul(cos(angle), r->u), sk_mul(sin(angle), r->v)));
  if (sk_shape_segment(r->other, r->pose, x, x, r->reach, near) == 0) near[0].distance = INFINITY;
  near[0].t = angle;
  return near[0];
}

/* The nearest point from a start: towards the surface, which is exact on a flat face; else by the golden section. */
static sk_near rim_nearest(const rim *r, sk_near best, double step)
{
  for (int k = 0; k < 4; k++) {
    double x = -sk_dot(best.normal, r->u), y = -sk_dot(best.normal, r->v);
    if (!(fabs(x) + fabs(y) > 1e-7 * (sk_norm(r->u)))) return best; /* level: all are the same */
    sk_near n = rim_at(r, atan2(y, x));
    if (!(n.distance < best.distance)) break;
    bool still = best.distance - n.distance < 1e-12 * sk_norm(r->u);
    best = n;
    if (still) return best;
  }
  double lo = best.t - step, hi = best.t + step, g = 0.5 * (sqrt(5) - 1);
  sk_near x = rim_at(r, hi - g * (hi - lo)), y = rim_at(r, lo + g * (hi - lo));
  for (int k = 0; k < 30; k++) {
    if (x.distance < y.distance) hi = y.t, y = x, x = rim_at(r, hi - g * (hi - lo));
    else lo = x.t, x = y, y = rim_at(r, lo + g * (hi - lo));
  }
  if (y.distance < x.distance) x = y;
  return x.distance < best.distance ? x : best;
}

static void add_rim(const pair *p, bool flip, sk_near c, int id)
{
  sk_feature feature = sk_feature_of_two(RIM + 16 * flip, id, 0);
  if (flip) sk_bag_add(p->bag, sk_axpy(c.point, c.distance, c.normal), sk_mul(-1, c.normal), c.distance, feature);
  else sk_bag_add(p->bag, c.point, c.normal, c.distance, feature);
}

/* Both rims of the cylinder (A; flip: B) on the other shape: eight points each, and the nearest. */
static void rims(const pair *p, bool flip)
{
  const sk_shape *c = flip ? p->b : p->a;
  const sk_pose *pose = flip ? &p->pb : &p->pa;
  sk_mat3 R = sk_quat_frame(pose->q);
  for (int cap = 0; cap < 2; cap++) {
    rim r = {flip ? p->a : p->b,        flip ? &p->pa : &p->pb,    sk_axpy(pose->r, cap ? -c->half : c->half, R.c[2]),
             sk_mul(c->radius, R.c[0]), sk_mul(c->radius, R.c[1]), p->reach + 0.4 * c->radius};
    sk_near best = {.distance = INFINITY};
    for (int k = 0; k < 8; k++) {
      sk_near n = rim_at(&r, k * SK_PI / 4);
      if (n.distance < best.distance) best = n;
      if (n.distance < INFINITY) add_rim(p, flip, n, 9 * cap + k);
    }
    if (best.distance < INFINITY) add_rim(p, flip, rim_nearest(&r, best, SK_PI / 4), 9 * cap + 8);
  }
}

static void cylinder_plane(const pair *p)
{
  rims(p, false);
}

/* Rims on the other's side or caps, and side on side where the axes cross. */
static void cylinder_cylinder(const pair *p)
{
  rims(p, false);
  rims(p, true);
  sk_vec3 a = sk_pose_out(&p->pa, sk_vec(0, 0, -p->a->half)), b = sk_pose_out(&p->pb, sk_vec(0, 0, -p->b->half));
  sk_vec3 u = sk_sub(sk_pose_out(&p->pa, sk_vec(0, 0, p->a->half)), a);
  sk_vec3 v = sk_sub(sk_pose_out(&p->pb, sk_vec(0, 0, p->b->half)), b);
  double s, t, radii = p->a->radius + p->b->radius, d = sqrt(sk_nearest_segments(a, u, b, v, &s, &t));
  if (!(s > 0 && s < 1 && t > 0 && t < 1)) return;
  sk_vec3 y = sk_axpy(b, t, v), n = sk_unit_or(sk_sub(sk_axpy(a, s, u), y), 1e-9 * radii, sk_cross(u, v));
  sk_bag_add(p->bag, sk_axpy(y, p->b->radius, n), n, d - radii, sk_feature_of_two(SIDES, 0, 0));
}

/* ---- Edges and corners ---- */

static sk_pose relative(const sk_pose *to, const sk_pose *of)
{
  return (sk_pose){sk_pose_in(to, of->r), sk_quat_mul(sk_quat_conj(to->q), of->q)};
}

/* Bounds, in the axes of `pose`, of a shape and what is within reach of it. */
static void bounds_near(const sk_pose *pose, const sk_shape *s, const sk_pose *ps, double reach, double *lo, double *hi)
{
  sk_pose rel = relative(pose, ps);
  sk_vec3 a, b;
  sk_shape_bounds(s, &rel, &a, &b);
  sk_store3(lo, a), sk_store3(hi, b);
  for (int k = 0; k < 3; k++) lo[k] -= fmax(reach, 0), hi[k] += fmax(reach, 0);
}

static sk_vec3 mesh_place(const sk_mesh *m, const sk_pose *pose, int triangle, int i)
{
  return sk_pose_out(pose, sk_load3(m->v + 3 * (size_t)m->t[3 * (size_t)triangle + (size_t)i]));
}

/* Edges of mesh A, but those in a flat area, against B. */
static void mesh_edges(const pair *p)
{
  const sk_mesh *m = p->a->mesh;
  double lo[3], hi[3];
  int first, count;
  bounds_near(&p->pa, p->b, &p->pb, p->reach, lo, hi);
  for (sk_walk w = sk_walk_start(m); sk_walk_box(&w, lo, hi, &first, &count);)
    for (int s = first; s < first + count; s++)
      for (int i = 0; i < 3; i++) {
        int k = m->slot[s], other = m->across[3 * (size_t)k + (size_t)i];
        if (other > k || (other >= 0 && sk_dot(m->face_normal[k], m->face_normal[other]) > 1 - 1e-9)) continue;
        add_segment(p, false, mesh_place(m, &p->pa, k, i), mesh_place(m, &p->pa, k, (i + 1) % 3), EDGE, 3 * k + i);
      }
}

/* Vertices of a mesh (A; flip: B) near the other shape. */
static void mesh_points(const pair *p, bool flip)
{
  const sk_mesh *m = flip ? p->b->mesh : p->a->mesh;
  const sk_pose *pose = flip ? &p->pb : &p->pa;
  double lo[3], hi[3];
  int first, count;
  bounds_near(pose, flip ? p->a : p->b, flip ? &p->pa : &p->pb, p->reach, lo, hi);
  for (sk_walk w = sk_walk_start(m); sk_walk_box(&w, lo, hi, &first, &count);)
    for (int s = first; s < first + count; s++)
      for (int i = 0; i < 3; i++) {
        int k = m->slot[s], v = m->weld[m->t[3 * (size_t)k + (size_t)i]];
        if (m->owner[v] != k) continue;
        sk_vec3 x = mesh_place(m, pose, k, i);
        add_segment(p, flip, x, x, POINT, v);
      }
}

/* The twelve edges of box A against B. */
static void box_edges(const pair *p)
{
  sk_polytope box, at;
  sk_polytope_box(p->a->edges, &box);
  sk_polytope_move(&box, &p->pa, &at);
  for (int e = 0; e < at.edges; e++) add_segment(p, false, at.corner[at.edge[e][0]], at.corner[at.edge[e][1]], EDGE, e);
}

static void box_cylinder(const pair *p)
{
  box_edges(p);
  rims(p, true);
}

static void mesh_cylinder(const pair *p)
{
  mesh_edges(p);
  rims(p, true);
}

static void box_plane(const pair *p)
{
  sk_polytope box, at;
  sk_polytope_box(p->a->edges, &box);
  sk_polytope_move(&box, &p->pa, &at);
  for (int k = 0; k < at.corners; k++) add_segment(p, false, at.corner[k], at.corner[k], POINT, k);
}

static void mesh_plane(const pair *p)
{
  const sk_mesh *m = p->a->mesh;
  sk_pose rel = relative(&p->pa, &p->pb);
  sk_vec3 n = sk_quat_frame(rel.q).c[2];
  double d = sk_dot(n, rel.r) + p->reach;
  int first, count;
  for (sk_walk w = sk_walk_start(m); sk_walk_plane(&w, n, d + 1e-12 * m->size, &first, &count);)
    for (int s = first; s < first + count; s++)
      for (int i = 0; i < 3; i++) {
        int k = m->slot[s], v = m->weld[m->t[3 * (size_t)k + (size_t)i]];
        if (m->owner[v] != k) continue;
        sk_vec3 x = mesh_place(m, &p->pa, k, i);
        add_segment(p, false, x, x, POINT, v);
      }
}

/* The shape as a polytope in the world; false: it is none. */
static bool polytope_of(const sk_shape *s, const sk_pose *pose, sk_polytope *out)
{
  sk_polytope box;
  if (s->kind == SK_MESH && (!s->mesh->polytope || s->mesh->polytope->faces == 0)) return false;
  if (s->kind == SK_BOX) sk_polytope_box(s->edges, &box);
  sk_polytope_move(s->kind == SK_BOX ? &box : s->mesh->polytope, pose, out);
  return true;
}

/* Boxes and meshes: as polytopes where both are, else the edges of A on B and the corners of B on A. */
static void faceted(const pair *p)
{
  sk_polytope A, B;
  if (polytope_of(p->a, &p->pa, &A) && polytope_of(p->b, &p->pb, &B)) {
    sk_polytope_pair(&A, &B, p->reach, p->bag);
    return;
  }
  if (p->a->kind == SK_BOX) box_edges(p);
  else mesh_edges(p);
  if (p->b->kind == SK_MESH) mesh_points(p, true);
}

/* ---- Tubes ---- */

/* The place of a piece nearest to the plane with normal n: the root of n . c' that goes from - to +. */
static double lowest(const sk_cubic *c, sk_vec3 n)
{
  double q = 3 * sk_dot(n, c->c[3]), h = sk_dot(n, c->c[2]), l = sk_dot(n, c->c[1]), disc = h * h - q * l;
  return disc >= 0 && h + sqrt(disc) > 0 ? sk_clamp01(-l / (h + sqrt(disc))) : 0.5;
}

/* Joints of tube A within reach, and where it is lowest. */
static void tube_plane(const pair *p)
{
  const sk_tube *t = p->a->tube;
  sk_vec3 n = sk_quat_frame(relative(&p->pa, &p->pb).q).c[2];
  for (int k = 0; k <= t->pieces - t->closed; k++) {
    sk_vec3 x = sk_axpy(sk_pose_out(&p->pa, t->knot[k]), -t->radius, sk_quat_frame(p->pb.q).c[2]);
    add_segment(p, false, x, x, POINT, k);
    if (k == t->pieces || !(sk_dot(n, t->along[k]) < 0) || sk_dot(n, t->along[k + 1]) < 0) continue;
    x = sk_pose_out(&p->pa, sk_cubic_at(&t->piece[k], lowest(&t->piece[k], n)));
    x = sk_axpy(x, -t->radius, sk_quat_frame(p->pb.q).c[2]);
    add_segment(p, false, x, x, CHORD, k);
  }
}

/* The pieces of tube A as capsules against B. */
static void tube_chords(const pair *p)
{
  const sk_tube *t = p->a->tube;
  double lo[3], hi[3], reach = p->reach + t->radius;
  bounds_near(&p->pa, p->b, &p->pb, reach, lo, hi);
  sk_tube_walk w = sk_tube_walk_start(t, lo, hi);
  for (int k = sk_tube_walk_next(&w); k >= 0; k = sk_tube_walk_next(&w)) {
    sk_near near[SK_NEAR_MAX];
    sk_vec3 a = sk_pose_out(&p->pa, t->knot[k]), b = sk_pose_out(&p->pa, t->knot[k + 1]);
    int n = sk_shape_segment(p->b, &p->pb, a, b, reach, near);
    for (int c = 0; c < n; c++)
      sk_bag_add(p->bag, near[c].point, near[c].normal, near[c].distance - t->radius,
                 sk_feature_of_two(CHORD, k, sk_feature_number(near[c].feature)));
  }
}

/* ---- The table ---- */

typedef struct entry {
  pair_fn fn;
  bool swap; /* call it with A and B exchanged */
} entry;

static const entry table[SK_SHAPE_COUNT][SK_SHAPE_COUNT] = {
    [SK_PLANE] = {[SK_PLANE] = {none, 0},
                  [SK_SPHERE] = {core, 1},
                  [SK_CAPSULE] = {core, 1},
                  [SK_CYLINDER] = {cylinder_plane, 1},
                  [SK_BOX] = {box_plane, 1},
                  [SK_MESH] = {mesh_plane, 1},
                  [SK_TUBE] = {tube_plane, 1}},
    [SK_SPHERE] = {{core, 0}, {core, 0}, {core, 0}, {core, 0}, {core, 0}, {core, 0}, {core, 0}},
    [SK_CAPSULE] = {{core, 0}, {core, 1}, {core, 0}, {core, 0}, {core, 0}, {core, 0}, {core, 0}},
    [SK_CYLINDER] = {[SK_PLANE] = {cylinder_plane, 0},
                     [SK_SPHERE] = {core, 1},
                     [SK_CAPSULE] = {core, 1},
                     [SK_CYLINDER] = {cylinder_cylinder, 0},
                     [SK_BOX] = {box_cylinder, 1},
                     [SK_MESH] = {mesh_cylinder, 1},
                     [SK_TUBE] = {tube_chords, 1}},
    [SK_BOX] = {[SK_PLANE] = {box_plane, 0},
                [SK_SPHERE] = {core, 1},
                [SK_CAPSULE] = {core, 1},
                [SK_CYLINDER] = {box_cylinder, 0},
                [SK_BOX] = {faceted, 0},
                [SK_MESH] = {faceted, 0},
                [SK_TUBE] = {tube_chords, 1}},
    [SK_MESH] = {[SK_PLANE] = {mesh_plane, 0},
                 [SK_SPHERE] = {core, 1},
                 [SK_CAPSULE] = {core, 1},
                 [SK_CYLINDER] = {mesh_cylinder, 0},
                 [SK_BOX] = {faceted, 1},
                 [SK_MESH] = {faceted, 0},
                 [SK_TUBE] = {tube_chords, 1}},
    [SK_TUBE] = {[SK_PLANE] = {tube_plane, 0},
                 [SK_SPHERE] = {core, 1},
                 [SK_CAPSULE] = {core, 1},
                 [SK_CYLINDER] = {tube_chords, 0},
                 [SK_BOX] = {tube_chords, 0},
                 [SK_MESH] = {tube_chords, 0},
                 [SK_TUBE] = {tube_chords, 0}},
};

static double size_of(sk_vec3 lo, sk_vec3 hi)
{
  double d = sk_norm(sk_sub(hi, lo));
  return isfinite(d) ? d : 0;
}

static bool apart(sk_vec3 alo, sk_vec3 ahi, sk_vec3 blo, sk_vec3 bhi, double reach)
{
  return !(alo.x <= bhi.x + reach && blo.x <= ahi.x + reach && alo.y <= bhi.y + reach && blo.y <= ahi.y + reach &&
           alo.z <= bhi.z + reach && blo.z <= ahi.z + reach);
}

int sk_shape_shape(const sk_shape *a, const sk_pose *pose_a, const sk_shape *b, const sk_pose *pose_b, double reach,
                   sk_near *out)
{
  if ((a->kind == SK_MESH && !a->mesh) || (b->kind == SK_MESH && !b->mesh)) return 0;
  if ((a->kind == SK_TUBE && !a->tube) || (b->kind == SK_TUBE && !b->tube)) return 0;
  sk_vec3 alo, ahi, blo, bhi;
  sk_shape_bounds(a, pose_a, &alo, &ahi);
  sk_shape_bounds(b, pose_b, &blo, &bhi);
  if (apart(alo, ahi, blo, bhi, reach)) return 0;
  sk_bag bag = {.count = 0, .reach = reach};
  bag.same = fmax(0.05 * fmin(fabs(reach), size_of(alo, ahi) + size_of(blo, bhi)),
                  1e-7 * (size_of(alo, ahi) + size_of(blo, bhi)));
  entry e = table[a->kind][b->kind];
  pair p = e.swap ? (pair){b, a, *pose_b, *pose_a, reach, &bag} : (pair){a, b, *pose_a, *pose_b, reach, &bag};
  e.fn(&p);
  int found = sk_bag_empty(&bag, out), count = 0;
  for (int k = 0; k < found; k++) {
    sk_near n = out[k];
    if (e.swap) n.point = sk_axpy(n.point, n.distance, n.normal), n.normal = sk_mul(-1, n.normal);
    if (isfinite(sk_dot(n.point, n.normal))) out[count++] = n; /* numbers near overflow */
  }
  return count;
}
