/* The look of a scene: meshes of its bodies, names, colours of its materials, camera, bounds. */
#include "look/look.h"

#include <stdlib.h>
#include <string.h>

/* ---- How large the scene is: planes are cut to a square that covers it ---- */

typedef struct bounds {
  sk_vec3 lo, hi;
} bounds;

static bounds no_bounds(void)
{
  return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void widen(bounds *b, sk_vec3 lo, sk_vec3 hi)
{
  b->lo = sk_vec(fmin(b->lo.x, lo.x), fmin(b->lo.y, lo.y), fmin(b->lo.z, lo.z));
  b->hi = sk_vec(fmax(b->hi.x, hi.x), fmax(b->hi.y, hi.y), fmax(b->hi.z, hi.z));
}

/* All that is not a plane, where it starts and at the keys of its motion; rods may swing around their root. */
static bounds scene_bounds(const skein_scene *scene)
{
  bounds b = no_bounds();
  for (int i = 0; i < scene->rod_count; i++) {
    sk_vec3 r = sk_load3(scene->rods[i].def.pose.r), L = {scene->rods[i].def.length, 0, 0};
    L.y = L.z = L.x;
    widen(&b, sk_sub(r, L), sk_add(r, L));
  }
  for (int i = 0; i < scene->body_count; i++) {
    const sk_scene_body *body = scene->bodies + i;
    sk_vec3 lo, hi;
    if (body->shape.kind == SK_PLANE) continue;
    for (int k = -1; k < body->path.key_count; k++) {
      sk_pose pose = k < 0 ? body->pose : (sk_pose){body->path.keys[k].r, body->path.keys[k].q};
      sk_shape_bounds(&body->shape, &pose, &lo, &hi);
      widen(&b, lo, hi);
    }
  }
  if (!(b.lo.x <= b.hi.x)) b = (bounds){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  return b;
}

/* ---- Create ---- */

static const char *copy_text(sk_arena *arena, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = SK_NEW_RAW(arena, size, char);
  return copy ? memcpy(copy, text, size) : NULL;
}

static void make_bodies(skein_look *look, const skein_scene *scene)
{
  bounds b = scene_bounds(scene);
  sk_vec3 middle = sk_mul(0.5, sk_add(b.lo, b.hi));
  double half = 1.5 * sk_norm(sk_sub(b.hi, b.lo));
  for (int i = 0; i < scene->body_count && !look->arena.failed; i++) {
    const sk_scene_body *from = scene->bodies + i;
    sk_surface s = sk_surface_make(&look->arena, &from->shape, sk_pose_in(&from->pose, middle), half);
    look->joins[i] = from->mode == SK_DYNAMIC;
    look->source[i] = from->shape.cache ? s.source : NULL;
    float *uv = from->shape.uv ? SK_NEW_RAW(&look->arena, 6 * (size_t)s.triangles, float) : NULL;
    if (uv) memcpy(uv, from->shape.uv, 6 * sizeof *uv * (size_t)s.triangles);
    look->bodies[i] = (skein_look_body){.name = copy_text(&look->arena, from->name),
                                        .group = look->groups[from->group],
                                        .vertices = s.vertices,
                                        .triangles = s.triangles,
                                        .vertex = s.vertex,
                                        .normal = s.normal,
                                        .triangle = s.triangle,
                                        .uv = uv,
                                        .colour = {from->colour.r, from->colour.g, from->colour.b},
                                        .endless = from->shape.kind == SK_PLANE,
                                        .moves = from->mode != SK_STATIC,
                                        .deforms = from->shape.cache != NULL};
  }
}

/* Those materials that a rod is made of, in the order of the scene. */
static void make_rods(skein_look *look, const skein_scene *scene)
{
  int *number = SK_NEW(&look->arena, scene->material_count, int);
  if (look->arena.failed) return;
  for (int i = 0; i < scene->rod_count; i++) number[scene->rods[i].material] = 1;
  for (int k = 0; k < scene->material_count; k++) {
    if (!number[k]) continue;
    const sk_scene_material *from = scene->materials + k;
    look->materials[look->material_count] =
        (sk_look_material){copy_text(&look->arena, from->name), {from->colour.r, from->colour.g, from->colour.b}};
    number[k] = look->material_count++;
  }
  for (int i = 0; i < scene->rod_count; i++)
    look->rods[i] = (sk_look_rod){number[scene->rods[i].material], scene->rods[i].root_body, scene->rods[i].def.length};
}

skein_status skein_look_create(const skein_scene *scene, skein_look **out)
{
  *out = NULL;
  skein_look *look = sk_calloc(1, sizeof *look);
  if (!look) return sk_no_memory();
  look->body_count = scene->body_count, look->group_count = scene->group_count, look->rod_count = scene->rod_count;
  look->camera = scene->camera;
  look->bodies = SK_NEW(&look->arena, scene->body_count, skein_look_body);
  look->joins = SK_NEW(&look->arena, scene->body_count, bool);
  look->source = SK_NEW(&look->arena, scene->body_count, int *);
  look->tree = SK_NEW(&look->arena, scene->body_count, sk_mesh *);
  look->groups = SK_NEW(&look->arena, scene->group_count, const char *);
  look->materials = SK_NEW(&look->arena, scene->material_count, sk_look_material);
  look->rods = SK_NEW(&look->arena, scene->rod_count, sk_look_rod);
  if (!look->arena.failed) {
    for (int g = 0; g < scene->group_count; g++) look->groups[g] = copy_text(&look->arena, scene->groups[g]);
    make_bodies(look, scene);
    make_rods(look, scene);
  }
  skein_status s = look->arena.failed ? sk_no_memory() : sk_look_make_trees(look, scene);
  if (s.code == SKEIN_OK) *out = look;
  else skein_look_destroy(look);
  return s;
}

void skein_look_destroy(skein_look *look)
{
  if (!look) return;
  for (int i = 0; look->tree && i < look->body_count; i++) sk_mesh_destroy(look->tree[i]);
  sk_arena_free(&look->arena);
  free(look);
}

/* ---- What one may ask ---- */

int skein_look_bodies(const skein_look *look)
{
  return look->body_count;
}

const skein_look_body *skein_look_body_at(const skein_look *look, int i)
{
  return i >= 0 && i < look->body_count ? &look->bodies[i] : NULL;
}

int skein_look_groups(const skein_look *look)
{
  return look->group_count;
}

const char *skein_look_group_name(const skein_look *look, int g)
{
  return g >= 0 && g < look->group_count ? look->groups[g] : NULL;
}

int skein_look_materials(const skein_look *look)
{
  return look->material_count;
}

const char *skein_look_material_name(const skein_look *look, int m)
{
  return m >= 0 && m < look->material_count ? look->materials[m].name : NULL;
}

int sk_look_material_of(const skein_look *look, const skein_frame *f, int rod)
{
  int source = f->rod_source[rod];
  return source >= 0 && source < look->rod_count ? look->rods[source].material : -1;
}

void skein_look_rod_colour(const skein_look *look, const skein_frame *f, int rod, float colour[3])
{
  int m = sk_look_material_of(look, f, rod);
  for (int k = 0; k < 3; k++) colour[k] = m >= 0 ? look->materials[m].colour[k] : 0.5f;
}

skein_look_camera skein_look_camera_of(const skein_look *look)
{
  return look->camera;
}

bool skein_look_bounds(const skein_look *look, const skein_frame *f, double lo[3], double hi[3])
{
  bounds b = no_bounds();
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++) {
      const float *p = f->point + 3 * (size_t)k;
      double r = f->radius[i];
      widen(&b, sk_vec(p[0] - r, p[1] - r, p[2] - r), sk_vec(p[0] + r, p[1] + r, p[2] + r));
    }
  for (int i = 0; i < f->bodies && i < look->body_count; i++) {
    const skein_look_body *body = look->bodies + i;
    const double *q = f->body_pose + 7 * (size_t)i;
    sk_pose pose = {sk_load3(q), sk_quat_unit((sk_quat){q[3], sk_load3(q + 4)})};
    const float *v;
    int count;
    sk_look_places(look, f, i, &v, &count);
    for (int k = 0; !body->endless && k < count; k++, v += 3) {
      sk_vec3 r = sk_pose_out(&pose, sk_vec(v[0], v[1], v[2]));
      widen(&b, r, r);
    }
  }
  sk_store3(lo, b.lo), sk_store3(hi, b.hi);
  return b.lo.x <= b.hi.x;
}
