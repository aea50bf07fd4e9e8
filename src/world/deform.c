/* Meshes whose surface moves as a vertex cache says, with the pose of their body on top. There are two meshes of each:
 * where the surface is at the start of the step, and at its end. An attempt moves the second alone; accepted, they
 * change places. The velocity of a place on the surface is that of its triangle,
 *
 *     (x_end - x_start) / dt,   x = pose (sum of weight_i corner_i),
 *
 * so that a rod which moves with it ends where the surface does. */
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct surface {
  sk_mesh *mesh[2]; /* NULL: this body does not deform */
  sk_shape shape[2];
  double speed; /* m/s: largest of a vertex in the step */
} surface;

struct sk_surfaces {
  surface *of; /* each body */
  int bodies;
  int now;            /* which of the two */
  sk_anchor *anchors; /* root and tip of each rod of the scene, where such a body holds it */
  double *places;     /* room for the vertices of one */
};

static const surface *surface_of(const sk_surfaces *s, int body)
{
  return s && s->of[body].mesh[0] ? s->of + body : NULL;
}

bool sk_surface_deforms(const sk_surfaces *s, int body)
{
  return surface_of(s, body) != NULL;
}

double sk_surface_speed(const sk_attempt *w, int body)
{
  const surface *d = surface_of(w->surfaces, body);
  return d ? d->speed : 0;
}

const sk_shape *sk_surface_now(const sk_surfaces *s, const sk_model *m, int body)
{
  const surface *d = surface_of(s, body);
  return d ? d->shape + s->now : &m->scene->bodies[body].shape;
}

const sk_shape *sk_surface_after(const sk_surfaces *s, const sk_model *m, int body)
{
  const surface *d = surface_of(s, body);
  return d ? d->shape + !s->now : &m->scene->bodies[body].shape;
}

/* ---- Create ---- */

static skein_status create_meshes(const sk_shape *from, surface *d)
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

static skein_status fill(const skein_scene *scene, sk_surfaces *all)
{
  skein_status s = sk_ok();
  int most = 0;
  for (int i = 0; i < scene->body_count && s.code == SKEIN_OK; i++) {
    const sk_shape *shape = &scene->bodies[i].shape;
    if (!shape->cache) continue;
    s = create_meshes(shape, all->of + i);
    most = SK_MAX(most, shape->cache->vertices);
  }
  all->places = sk_calloc(3 * (size_t)most, sizeof *all->places);
  return s.code == SKEIN_OK && !all->places ? sk_no_memory() : s;
}

skein_status sk_surfaces_create(const skein_scene *scene, sk_surfaces **out)
{
  *out = NULL;
  if (scene->cache_count == 0) return sk_ok();
  sk_surfaces *all = sk_calloc(1, sizeof *all);
  if (!all) return sk_no_memory();
  all->bodies = scene->body_count;
  all->of = sk_calloc((size_t)scene->body_count, sizeof *all->of);
  all->anchors = sk_calloc(2 * (size_t)scene->rod_count, sizeof *all->anchors);
  skein_status s = all->of && all->anchors ? fill(scene, all) : sk_no_memory();
  if (s.code == SKEIN_OK) *out = all;
  else sk_surfaces_destroy(all);
  return s;
}

void sk_surfaces_destroy(sk_surfaces *s)
{
  if (!s) return;
  for (int i = 0; s->of && i < s->bodies; i++)
    for (int k = 0; k < 2; k++) sk_mesh_destroy(s->of[i].mesh[k]);
  free(s->of), free(s->anchors), free(s->places);
  free(s);
}

/* ---- Motion ---- */

/* Leaves a mesh alone whose vertices are there already. */
static void move_mesh(sk_surfaces *s, const sk_cache *cache, double time, sk_mesh *m)
{
  sk_cache_places(cache, time, s->places);
  if (memcmp(s->places, sk_mesh_vertex_data(m), 3 * sizeof(double) * (size_t)cache->vertices) != 0)
    sk_mesh_move(m, s->places);
}

/* Largest way of a vertex in the step, in the world. */
static double largest_way(const sk_mesh *now, const sk_mesh *next, const sk_body_motion *b)
{
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

void sk_surfaces_move(sk_attempt *w)
{
  sk_surfaces *s = w->surfaces;
  for (int i = 0; s && i < s->bodies; i++) {
    surface *d = s->of + i;
    if (!d->mesh[0]) continue;
    move_mesh(s, d->shape->cache, w->plan.end, d->mesh[!s->now]);
    d->speed = largest_way(d->mesh[s->now], d->mesh[!s->now], w->bodies + i) / w->plan.dt;
  }
}

void sk_surfaces_accept(sk_surfaces *s)
{
  if (s) s->now = !s->now;
}

void sk_surfaces_set(sk_surfaces *s, double time)
{
  for (int i = 0; s && i < s->bodies; i++)
    if (s->of[i].mesh[0]) move_mesh(s, s->of[i].shape->cache, time, s->of[i].mesh[s->now]);
}

sk_vec3 sk_body_velocity(const sk_attempt *w, int body, int triangle, sk_vec3 point)
{
  const sk_body_motion *b = w->bodies + body;
  const surface *d = surface_of(w->surfaces, body);
  if (!d) return sk_add(b->v, sk_cross(b->w, sk_sub(point, b->pose.r)));
  const sk_mesh *now = d->mesh[w->surfaces->now], *next = d->mesh[!w->surfaces->now];
  sk_vec3 x = sk_pose_in(&b->pose, point), y = x;
  double weight[3];
  if (triangle < 0 || triangle >= sk_mesh_triangles(now)) triangle = sk_mesh_nearest(now, x, &y);
  sk_mesh_weights(now, triangle, y, weight);
  sk_vec3 start = sk_pose_out(&b->pose, sk_mesh_place(now, triangle, weight));
  sk_vec3 end = sk_pose_out(&b->next, sk_mesh_place(next, triangle, weight));
  return sk_mul(1 / w->plan.dt, sk_sub(end, start));
}

/* ---- Held ends ---- */

void sk_surface_anchor(sk_surfaces *s, const sk_model *m, int rod, bool tip, int body, const sk_pose *base)
{
  const sk_pose *at = &m->scene->bodies[body].pose;
  sk_pose local = {sk_pose_in(at, base->r), sk_quat_mul(sk_quat_conj(at->q), base->q)};
  s->anchors[2 * (size_t)rod + (size_t)tip] = sk_anchor_make(m->scene->bodies[body].shape.mesh, &local);
}

sk_pose sk_surface_anchored(const sk_surfaces *s, const sk_model *m, int rod, bool tip, int body, double time)
{
  const sk_anchor *a = s->anchors + 2 * (size_t)rod + (size_t)tip;
  sk_vec3 corner[3];
  for (int k = 0; k < 3; k++) corner[k] = sk_cache_place(m->scene->bodies[body].shape.cache, time, a->corner[k]);
  return sk_anchor_pose(a, corner);
}
