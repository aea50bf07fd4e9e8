/* Meshes whose surface moves as a vertex cache says, with the pose of their body on top. The world has two meshes of
 * each: where the surface is at the start of the step, and at its end. A step that is taken again leaves the first
 * alone, one that is done makes them change places. The velocity of a place on the surface is that of its triangle,
 *
 *     (x_end - x_start) / dt,   x = pose (sum of weight_i corner_i),
 *
 * so that a rod which moves with it ends where the surface does. */
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sk_deform {
  sk_mesh *mesh[2]; /* NULL: this body does not */
  sk_shape shape[2];
  int now;      /* which of the two */
  double speed; /* m/s: largest of a vertex in the step */
};

static const sk_deform *deform_of(const skein_world *w, int body)
{
  return w->deforms && w->deforms[body].mesh[0] ? w->deforms + body : NULL;
}

bool sk_world_deforms(const skein_world *w, int body)
{
  return deform_of(w, body) != NULL;
}

double sk_world_surface_speed(const skein_world *w, int body)
{
  const sk_deform *d = deform_of(w, body);
  return d ? d->speed : 0;
}

const sk_shape *sk_world_shape(const skein_world *w, int body)
{
  const sk_deform *d = deform_of(w, body);
  return d ? d->shape + d->now : &w->scene->bodies[body].shape;
}

const sk_shape *sk_world_shape_after(const skein_world *w, int body)
{
  const sk_deform *d = deform_of(w, body);
  return d ? d->shape + !d->now : &w->scene->bodies[body].shape;
}

/* ---- Create ---- */

static skein_status create_meshes(const sk_shape *from, sk_deform *d)
{
  skein_status s = sk_ok();
  const sk_mesh *m = from->mesh;
  for (int k = 0; k < 2 && s.code == SKEIN_OK; k++) {
    s = sk_mesh_create(sk_mesh_vertex_data(m), sk_mesh_vertices(m), sk_mesh_triangle_data(m), sk_mesh_triangles(m),
                       sk_mesh_is_polytope(m), d->mesh + k);
    d->shape[k] = *from, d->shape[k].mesh = d->mesh[k];
  }
  return s;
}

skein_status sk_world_deform_create(skein_world *w)
{
  skein_status s = sk_ok();
  int most = 0;
  if (w->scene->cache_count == 0) return s;
  w->deforms = sk_calloc((size_t)w->scene->body_count, sizeof *w->deforms);
  w->anchors = sk_calloc(2 * (size_t)w->scene->rod_count, sizeof *w->anchors);
  if (!w->deforms || !w->anchors) return sk_no_memory();
  for (int i = 0; i < w->scene->body_count && s.code == SKEIN_OK; i++) {
    const sk_shape *shape = &w->scene->bodies[i].shape;
    if (!shape->cache) continue;
    s = create_meshes(shape, w->deforms + i);
    most = SK_MAX(most, shape->cache->vertices);
  }
  w->places = sk_calloc(3 * (size_t)most, sizeof *w->places);
  return s.code == SKEIN_OK && !w->places ? sk_no_memory() : s;
}

void sk_world_deform_destroy(skein_world *w)
{
  for (int i = 0; w->deforms && i < w->scene->body_count; i++)
    for (int k = 0; k < 2; k++) sk_mesh_destroy(w->deforms[i].mesh[k]);
  free(w->deforms), free(w->anchors), free(w->places);
}

/* ---- Motion ---- */

/* Leaves a mesh alone whose vertices are there already. */
static void move_mesh(skein_world *w, const sk_cache *cache, double time, sk_mesh *m)
{
  sk_cache_places(cache, time, w->places);
  if (memcmp(w->places, sk_mesh_vertex_data(m), 3 * sizeof(double) * (size_t)cache->vertices) != 0)
    sk_mesh_move(m, w->places);
}

/* Largest way of a vertex in the step, in the world. */
static double largest_way(const sk_deform *d, const sk_body_state *b)
{
  const sk_mesh *now = d->mesh[d->now], *next = d->mesh[!d->now];
  const double *x = sk_mesh_vertex_data(now), *y = sk_mesh_vertex_data(next);
  sk_mat3 R = sk_quat_frame(b->pose.q), Q = sk_quat_frame(b->next.q);
  sk_vec3 move = sk_sub(b->next.r, b->pose.r);
  double most = 0;
  for (size_t i = 0; i < 3 * (size_t)sk_mesh_vertices(now); i += 3) {
    sk_vec3 way = sk_add(move, sk_sub(sk_apply(Q, sk_load3(y + i)), sk_apply(R, sk_load3(x + i))));
    most = fmax(most, sk_dot(way, way));
  }
  return sqrt(most);
}

void sk_world_deform(skein_world *w, double dt)
{
  w->surface_next = w->time + dt, w->surface_dt = dt;
  for (int i = 0; w->deforms && i < w->scene->body_count; i++) {
    const sk_deform *d = deform_of(w, i);
    if (!d) continue;
    move_mesh(w, d->shape->cache, w->surface_next, d->mesh[!d->now]);
    w->deforms[i].speed = largest_way(d, w->bodies + i) / dt;
  }
}

void sk_world_deform_done(skein_world *w)
{
  w->surface_time = w->surface_next;
  for (int i = 0; w->deforms && i < w->scene->body_count; i++) w->deforms[i].now = !w->deforms[i].now;
}

void sk_world_deform_restore(skein_world *w)
{
  for (int i = 0; w->deforms && i < w->scene->body_count; i++) {
    const sk_deform *d = deform_of(w, i);
    if (d) move_mesh(w, d->shape->cache, w->surface_time, d->mesh[d->now]);
  }
}

sk_vec3 sk_world_body_velocity(const skein_world *w, int body, int triangle, sk_vec3 point)
{
  const sk_body_state *b = w->bodies + body;
  const sk_deform *d = deform_of(w, body);
  if (!d) return sk_add(b->v, sk_cross(b->w, sk_sub(point, b->pose.r)));
  const sk_mesh *now = d->mesh[d->now], *next = d->mesh[!d->now];
  sk_vec3 x = sk_pose_in(&b->pose, point), y = x;
  double weight[3];
  if (triangle < 0 || triangle >= sk_mesh_triangles(now)) triangle = sk_mesh_nearest(now, x, &y);
  sk_mesh_weights(now, triangle, y, weight);
  sk_vec3 start = sk_pose_out(&b->pose, sk_mesh_place(now, triangle, weight));
  sk_vec3 end = sk_pose_out(&b->next, sk_mesh_place(next, triangle, weight));
  return sk_mul(1 / w->surface_dt, sk_sub(end, start));
}

/* ---- Held ends ---- */

static sk_anchor *anchor_of(const skein_world *w, int rod, bool tip)
{
  return w->anchors + 2 * (size_t)rod + (size_t)tip;
}

void sk_world_anchor(skein_world *w, int rod, bool tip, int body, const sk_pose *base)
{
  const sk_pose *at = &w->scene->bodies[body].pose;
  sk_pose local = {sk_pose_in(at, base->r), sk_quat_mul(sk_quat_conj(at->q), base->q)};
  *anchor_of(w, rod, tip) = sk_anchor_make(w->scene->bodies[body].shape.mesh, &local);
}

sk_pose sk_world_anchored(const skein_world *w, int rod, bool tip, int body, double time)
{
  const sk_anchor *a = anchor_of(w, rod, tip);
  sk_vec3 corner[3];
  for (int k = 0; k < 3; k++) corner[k] = sk_cache_place(w->scene->bodies[body].shape.cache, time, a->corner[k]);
  return sk_anchor_pose(a, corner);
}
