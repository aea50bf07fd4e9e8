/* Where strands root, in texture coordinates: those of the mesh, if its file has them; on a plane the place in its
 * square; on other shapes longitude and latitude about the body's origin. All from 0 to 1, but those of a file. */
#include "look/look.h"

#include <string.h>

skein_status sk_look_make_trees(skein_look *look, const skein_scene *scene)
{
  skein_status s = sk_ok();
  for (int i = 0; i < scene->rod_count && s.code == SKEIN_OK; i++) {
    int body = scene->rods[i].root_body;
    if (body < 0 || look->tree[body] || !look->bodies[body].uv) continue;
    const sk_mesh *m = scene->bodies[body].shape.mesh;
    s = sk_mesh_create(sk_mesh_vertex_data(m), sk_mesh_vertices(m), sk_mesh_triangle_data(m), sk_mesh_triangles(m),
                       false, &look->tree[body]);
  }
  return s;
}

static void mesh_uv(const sk_mesh *tree, const float *corners, sk_vec3 x, float uv[2])
{
  double weight[3], sum[2] = {0, 0};
  sk_vec3 y;
  int t = sk_mesh_nearest(tree, x, &y);
  sk_mesh_weights(tree, t, y, weight);
  for (int k = 0; k < 6; k++) sum[k % 2] += weight[k / 2] * corners[6 * (size_t)t + (size_t)k];
  uv[0] = (float)sum[0], uv[1] = (float)sum[1];
}

static void square_uv(const skein_look_body *b, sk_vec3 x, float uv[2])
{
  double at[2] = {x.x, x.y};
  for (int c = 0; c < 2; c++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int k = 0; k < b->vertices; k++) lo = fmin(lo, b->vertex[3 * k + c]), hi = fmax(hi, b->vertex[3 * k + c]);
    uv[c] = hi > lo ? (float)fmin(fmax((at[c] - lo) / (hi - lo), 0), 1) : 0;
  }
}

bool skein_look_root_uv(const skein_look *look, const skein_frame *first, int rod, float uv[2])
{
  int source = first->rod_source[rod], body = source < look->rod_count ? look->rods[source].root_body : -1;
  uv[0] = uv[1] = 0;
  if (body < 0 || body >= first->bodies || first->point_start[rod] == first->point_start[rod + 1]) return false;
  const skein_look_body *b = &look->bodies[body];
  const float *p = first->point + 3 * (size_t)first->point_start[rod];
  const double *q = first->body_pose + 7 * (size_t)body;
  sk_pose pose = {sk_load3(q), sk_quat_unit((sk_quat){q[3], sk_load3(q + 4)})};
  sk_vec3 x = sk_pose_in(&pose, sk_vec(p[0], p[1], p[2]));
  double r = sk_norm(x);
  if (look->tree[body]) mesh_uv(look->tree[body], b->uv, x, uv);
  else if (b->endless) square_uv(b, x, uv);
  else {
    uv[0] = (float)(0.5 + atan2(x.y, x.x) / (2 * SK_PI));
    uv[1] = r > 0 ? (float)(0.5 + asin(fmin(fmax(x.z / r, -1), 1)) / SK_PI) : 0.5f;
  }
  return true;
}
