/* The scalp: which triangles of a mesh hair grows on, and roots spread evenly over them. */
#include "scene/files.h"
#include "scene/groom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PER_ROOT = 10 };

/* How a scalp is told from the rest: the hairline of a head, the faces of a group, or a cap about a direction. */
typedef struct rule {
  double head; /* height; 0: no head */
  const uint8_t *marked;
  sk_vec3 centre, direction;
  double angle;
} rule;

static bool is_scalp(const rule *w, int triangle, sk_vec3 x)
{
  if (w->marked) return w->marked[triangle];
  if (w->head > 0) return sk_head_has_hair(w->head, x);
  sk_vec3 d = sk_sub(x, w->centre);
  return atan2(sk_norm(sk_cross(d, w->direction)), sk_dot(d, w->direction)) <= w->angle;
}

static sk_vec3 corner(const sk_mesh *m, int triangle, int k)
{
  return sk_load3(sk_mesh_vertex_data(m) + 3 * (size_t)sk_mesh_triangle_data(m)[3 * (size_t)triangle + (size_t)k]);
}

static sk_vec3 area_vector(const sk_mesh *m, int triangle)
{
  sk_vec3 a = corner(m, triangle, 0);
  return sk_mul(0.5, sk_cross(sk_sub(corner(m, triangle, 1), a), sk_sub(corner(m, triangle, 2), a)));
}

static void collect(sk_reader *r, const rule *w, sk_scalp *s)
{
  int triangles = sk_mesh_triangles(s->mesh);
  double sum = 0;
  s->triangle = SK_READ_NEW(r, triangles, int), s->area = SK_READ_NEW(r, triangles, double);
  s->lo = sk_vec(INFINITY, INFINITY, INFINITY), s->hi = sk_mul(-1, s->lo);
  for (int k = 0; k < triangles && !sk_failed(r); k++) {
    sk_vec3 a = corner(s->mesh, k, 0), b = corner(s->mesh, k, 1), c = corner(s->mesh, k, 2);
    sk_vec3 x = sk_mul(1.0 / 3, sk_add(a, sk_add(b, c)));
    double area = sk_norm(area_vector(s->mesh, k));
    if (!(area > 0) || !is_scalp(w, k, x)) continue;
    s->lo = sk_vec(fmin(s->lo.x, x.x), fmin(s->lo.y, x.y), fmin(s->lo.z, x.z));
    s->hi = sk_vec(fmax(s->hi.x, x.x), fmax(s->hi.y, x.y), fmax(s->hi.z, x.z));
    s->triangle[s->count] = k, s->area[s->count++] = sum += area;
  }
}

/* ---- Fields ---- */

static void read_cap(sk_reader *r, const sk_at *at, rule *w)
{
  static const char *const fields[] = {"centre", "direction", "angle"};
  if (!json_is_object(at->value)) sk_at_wrong(r, at, "an object { }");
  if (!sk_at_object(r, at, fields, 3)) return;
  w->centre = sk_get_vector(r, at, "centre", SK_LENGTH, sk_vec(0, 0, 0));
  w->direction = sk_get_direction(r, at, "direction", sk_vec(0, 0, 1));
  w->angle = sk_get_number(r, at, "angle", SK_ANGLE, SK_POSITIVE, 0.5 * SK_PI);
}

/* The faces of a group, object or material of the body's file. */
static void read_group(sk_reader *r, const sk_at *scalp, const sk_at *shape, int triangles, rule *w)
{
  char word[80];
  sk_at at = sk_at_get(scalp, "group");
  const char *name = sk_get_string(r, scalp, "group", NULL), *file = sk_get_string(r, shape, "file", NULL);
  if (!sk_failed(r) && !file) sk_at_fail(r, &at, "the body has no file, expected 'cap'");
  const char *path = name && file ? sk_reader_path(r, file) : NULL;
  uint8_t *marked = path ? SK_READ_NEW(r, triangles, uint8_t) : NULL;
  if (!marked) return;
  sk_at_refuse(r, &at,
               sk_status_prefix(sk_triangles_mark(path, name, triangles, marked), sk_safe(file, word, sizeof word)));
  w->marked = marked;
}

bool sk_scalp_read(sk_reader *r, const sk_at *entry, const sk_at *groom, int body, sk_scalp *out)
{
  static const char *const fields[] = {"group", "cap"};
  const sk_scene_body *b = r->scene->bodies + body;
  sk_at bodies = sk_at_get(entry->up->up, "bodies"), item = sk_at_item(&bodies, (size_t)body);
  sk_at shape = sk_at_get(&item, "shape"), at = sk_at_get(groom, "scalp");
  sk_at root = sk_at_get(entry, "root"), named = sk_at_get(&root, "body");
  const char *type = json_string_value(json_object_get(shape.value, "type"));
  rule w = {0};
  *out = (sk_scalp){.mesh = b->shape.mesh, .pose = b->pose};
  if (b->shape.kind != SK_MESH)
    sk_at_fail(r, &named, "'%.60s' is a %.20s, expected a 'head' or a 'mesh'", b->name, type);
  bool head = type && !strcmp(type, "head");
  if (!sk_failed(r) && !at.value && !head) sk_at_fail(r, groom, "the field 'scalp' is missing, which a mesh needs");
  if (at.value && !json_is_object(at.value)) sk_at_wrong(r, &at, "an object { }");
  if (at.value && sk_at_object(r, &at, fields, 2)) {
    sk_at cap = sk_at_get(&at, "cap");
    if (sk_at_has(&at, "group") == sk_at_has(&at, "cap")) sk_at_fail(r, &at, "expected one of: 'group', 'cap'");
    else if (cap.value) read_cap(r, &cap, &w);
    else read_group(r, &at, &shape, sk_mesh_triangles(b->shape.mesh), &w);
  } else w.head = sk_get_number(r, &shape, "height", SK_LENGTH, SK_POSITIVE, SK_HEAD_HEIGHT);
  if (sk_failed(r)) return false;
  collect(r, &w, out);
  if (!sk_failed(r) && !out->count) sk_at_fail(r, at.value ? &at : groom, "no face of '%.60s' is scalp", b->name);
  return !sk_failed(r);
}

/* ---- Roots ---- */

/* Normals of the vertices: the sum of the areas around. */
static sk_vec3 *vertex_normals(sk_reader *r, const sk_mesh *m)
{
  sk_vec3 *n = SK_READ_NEW(r, sk_mesh_vertices(m), sk_vec3);
  for (int k = 0; n && k < sk_mesh_triangles(m); k++)
    for (int i = 0; i < 3; i++) {
      sk_vec3 *at = &n[sk_mesh_triangle_data(m)[3 * k + i]];
      *at = sk_add(*at, area_vector(m, k));
    }
  return n;
}

/* A place drawn evenly over the area, with the normal there. */
static sk_root draw(const sk_scalp *s, const sk_vec3 *normals, sk_random *g)
{
  double at = sk_random_uniform(g, 0, s->area[s->count - 1]);
  double u = sqrt(sk_random_uniform(g, 0, 1)), v = sk_random_uniform(g, 0, 1), w[3] = {1 - u, u * (1 - v), u * v};
  int lo = 0, hi = s->count - 1;
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (s->area[middle] < at) lo = middle + 1;
    else hi = middle;
  }
  const int *t = sk_mesh_triangle_data(s->mesh) + 3 * (size_t)s->triangle[lo];
  sk_root out = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < 3; k++) {
    out.r = sk_axpy(out.r, w[k], corner(s->mesh, s->triangle[lo], k));
    out.n = sk_axpy(out.n, w[k], normals[t[k]]);
  }
  sk_vec3 face = sk_unit(area_vector(s->mesh, s->triangle[lo]));
  out.n = sk_dot(out.n, face) > 0 ? sk_unit(out.n) : face;
  return (sk_root){sk_pose_out(&s->pose, out.r), sk_apply(sk_quat_frame(s->pose.q), out.n)};
}

/* Squared distance from a to the nearest root so far becomes that to the last one where it is less. */
static double nearer(sk_vec3 a, sk_vec3 b, double known)
{
  sk_vec3 d = sk_sub(a, b);
  return fmin(known, sk_dot(d, d));
}

sk_root *sk_scalp_roots(sk_reader *r, const sk_scalp *scalp, int count, uint64_t seed)
{
  size_t many = (size_t)count * PER_ROOT;
  sk_random g = sk_random_make(seed);
  sk_root *roots = SK_READ_NEW(r, count, sk_root);
  sk_vec3 *normals = vertex_normals(r, scalp->mesh);
  sk_root *drawn = calloc(many, sizeof *drawn);
  double *away = calloc(many, sizeof *away);
  if (!sk_failed(r) && (!drawn || !away)) r->status = sk_no_memory();
  for (size_t i = 0; i < many && !sk_failed(r); i++) drawn[i] = draw(scalp, normals, &g), away[i] = INFINITY;
  for (int k = 0; k < count && !sk_read_stopped(r); k++) {
    size_t best = 0;
    for (size_t i = 0; i < many; i++) {
      if (k > 0) away[i] = nearer(drawn[i].r, roots[k - 1].r, away[i]);
      if (away[i] > away[best]) best = i;
    }
    roots[k] = drawn[best];
  }
  free(drawn), free(away);
  return sk_failed(r) ? NULL : roots;
}
