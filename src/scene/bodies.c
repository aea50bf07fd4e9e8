/* Bodies: shapes that stand still, move as prescribed, or are moved by what touches them. */
#include "scene/files.h"
#include "scene/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Shapes ---- */

enum { HEAD = SK_SHAPE_COUNT, NAMES }; /* a head is a mesh that is made here */

static const char *const shape_names[NAMES] = {"plane", "sphere", "capsule", "cylinder", "box", "mesh", "tube", "head"};

/* The rotation that takes z to the unit vector n by the shortest way. */
static sk_quat from_z(sk_vec3 n)
{
  sk_quat q = {1 + n.z, {-n.y, n.x, 0}};
  return 1 + n.z > 1e-12 ? sk_quat_unit(q) : (sk_quat){0, {1, 0, 0}};
}

static void read_mesh(sk_reader *r, const sk_at *at, sk_shape *shape)
{
  skein_scene *s = r->scene;
  char word[80];
  sk_triangles t = {0};
  sk_mesh *mesh = NULL;
  sk_at field = sk_at_get(at, "file");
  const char *file = sk_at_need(r, at, "file") ? sk_get_string(r, at, "file", NULL) : NULL;
  double scale = sk_get_number(r, at, "scale", SK_ONE, SK_POSITIVE, 1) * r->factor[SK_LENGTH];
  bool convex = sk_get_bool(r, at, "convex", false), y_up = sk_get_y_up(r, at);
  const char *path = file ? sk_reader_path(r, file) : NULL;
  sk_at up = sk_at_get(at, "up");
  if (up.value && sk_at_has(at, "animation"))
    sk_at_fail(r, &up, "stands beside 'animation', expected the body's 'rotation' to turn both");
  if (sk_failed(r)) return;
  skein_status status = sk_triangles_read(path, &t);
  sk_use_units(r, at, file, &t.units, &scale, &y_up);
  t.units.y_up = y_up;
  for (size_t k = 0; k < 3 * (size_t)t.vertices; k++) t.v[k] *= scale;
  if (y_up) sk_turn_up(t.v, t.vertices);
  if (status.code == SKEIN_OK) shape->cache = sk_read_animation(r, at, &t, scale);
  if (status.code == SKEIN_OK && !sk_failed(r))
    status = sk_mesh_create(t.v, t.vertices, t.t, t.triangles, convex, &mesh);
  sk_at_refuse(r, &field, sk_status_prefix(status, sk_safe(file, word, sizeof word)));
  float *uv = t.uv && mesh ? SK_READ_NEW(r, 6 * (size_t)t.triangles, float) : NULL;
  if (uv) shape->uv = memcpy(uv, t.uv, 6 * sizeof *uv * (size_t)t.triangles);
  sk_triangles_destroy(&t);
  if (mesh) s->meshes[s->mesh_count++] = mesh;
  shape->mesh = mesh;
}

static void read_head(sk_reader *r, const sk_at *at, sk_shape *shape)
{
  static const char *const parts[] = {[SK_HEAD] = "head", [SK_BUST] = "bust"};
  skein_scene *s = r->scene;
  sk_mesh *mesh = NULL;
  int part = sk_get_choice(r, at, "part", "part", parts, SK_COUNT(parts), SK_HEAD);
  double height = sk_get_number(r, at, "height", SK_LENGTH, SK_POSITIVE, SK_HEAD_HEIGHT);
  if (sk_failed(r)) return;
  sk_at_refuse(r, at, sk_head_create((sk_head_part)part, height, &mesh));
  if (mesh) s->meshes[s->mesh_count++] = mesh;
  shape->mesh = mesh;
}

/* Which fields belong to which shape; those with a star are required. */
static bool check_fields(sk_reader *r, const sk_at *at, int kind)
{
  static const char *const known[NAMES][6] = {[SK_PLANE] = {"type", "normal"},
                                              [SK_SPHERE] = {"type", "*radius"},
                                              [SK_CAPSULE] = {"type", "*radius", "*length", "axis"},
                                              [SK_CYLINDER] = {"type", "*radius", "*length", "axis"},
                                              [SK_BOX] = {"type", "*size"},
                                              [SK_MESH] = {"type", "*file", "convex", "scale", "animation", "up"},
                                              [SK_TUBE] = {"type", "*radius", "points", "file", "closed", "scale"},
                                              [HEAD] = {"type", "part", "height"}};
  const char *fields[6];
  int count = 0;
  for (; count < 6 && known[kind][count]; count++) fields[count] = known[kind][count] + (known[kind][count][0] == '*');
  if (!sk_at_object(r, at, fields, count)) return false;
  for (int k = 0; k < count; k++)
    if (known[kind][k][0] == '*') sk_at_need(r, at, fields[k]);
  return !sk_failed(r);
}

/* turned: the rotation of the shape's own axes that "normal" or "axis" asks for. */
static sk_shape read_shape(sk_reader *r, const sk_at *body, sk_quat *turned)
{
  sk_shape s = {0};
  sk_at at = sk_at_get(body, "shape");
  *turned = (sk_quat){.w = 1};
  if (!sk_at_need(r, body, "shape")) return s;
  if (!json_is_object(at.value)) return sk_at_wrong(r, &at, "an object { }"), s;
  if (!sk_at_need(r, &at, "type")) return s;
  int kind = sk_get_choice(r, &at, "type", "shape", shape_names, NAMES, SK_SPHERE);
  if (sk_failed(r) || !check_fields(r, &at, kind)) return s;
  s.kind = kind == HEAD ? SK_MESH : (sk_shape_kind)kind;
  s.radius = sk_get_number(r, &at, "radius", SK_LENGTH, SK_POSITIVE, 0);
  s.half = 0.5 * sk_get_number(r, &at, "length", SK_LENGTH, SK_POSITIVE, 0);
  s.edges = sk_mul(0.5, sk_get_vector(r, &at, "size", SK_LENGTH, sk_vec(0, 0, 0)));
  const char *along = s.kind == SK_PLANE ? "normal" : "axis";
  if (sk_at_has(&at, along)) *turned = from_z(sk_get_direction(r, &at, along, sk_vec(0, 0, 1)));
  if (kind == SK_MESH) read_mesh(r, &at, &s);
  if (kind == HEAD) read_head(r, &at, &s);
  if (s.kind == SK_TUBE) sk_read_tube(r, &at, &s);
  sk_at size = sk_at_get(&at, "size");
  if (s.kind == SK_BOX && !(s.edges.x > 0 && s.edges.y > 0 && s.edges.z > 0))
    sk_at_fail(r, &size, "has an edge that is not positive, expected three lengths > 0");
  return s;
}

/* ---- Dynamics ---- */

/* The same mesh, moved so that its centre of mass is its origin. */
static void centre_mesh(sk_reader *r, const sk_shape *s, sk_vec3 centre)
{
  int n = sk_mesh_vertices(s->mesh);
  const double *v = sk_mesh_vertex_data(s->mesh);
  sk_mesh *mesh = r->scene->meshes[r->scene->mesh_count - 1]; /* it was the last to be made */
  double *moved = SK_READ_NEW(r, 3 * (size_t)n, double);
  for (int i = 0; moved && i < n; i++) sk_store3(moved + 3 * i, sk_sub(sk_load3(v + 3 * i), centre));
  if (moved) sk_mesh_move(mesh, moved);
}

static void read_mass(sk_reader *r, const sk_at *at, sk_scene_body *b)
{
  double volume = 0;
  sk_vec3 centre = {0, 0, 0};
  sk_mat3 inertia;
  sk_at shape = sk_at_get(at, "shape"), mass = sk_at_get(at, "mass");
  if (sk_at_has(at, "density") && mass.value) sk_at_fail(r, &mass, "stands beside 'density', expected one of them");
  if (!sk_at_has(at, "density") && !sk_at_has(at, "mass"))
    sk_at_fail(r, at, "the field 'density' or 'mass' is missing, which a dynamic body needs");
  if (sk_failed(r)) return;
  if (b->shape.kind == SK_PLANE) sk_at_fail(r, &shape, "is a plane, which cannot be dynamic");
  else if (!sk_shape_inertia(&b->shape, &volume, &centre, &inertia) || !(volume > 0))
    sk_at_fail(r, &shape, "has no volume (is the mesh closed, with faces that look out?), which a dynamic body needs");
  double density = sk_get_number(r, at, "density", SK_DENSITY, SK_POSITIVE, 0);
  b->mass = sk_get_number(r, at, "mass", SK_MASS, SK_POSITIVE, density * volume);
  if (sk_failed(r)) return;
  for (int k = 0; k < 3; k++) b->inertia.c[k] = sk_mul(b->mass / volume, inertia.c[k]);
  if (b->shape.kind == SK_MESH) {
    centre_mesh(r, &b->shape, centre);
    b->pose.r = sk_pose_out(&b->pose, centre);
  }
  if (b->shape.kind == SK_TUBE) {
    sk_tube_move(r->scene->tubes[r->scene->tube_count - 1], sk_mul(-1, centre)); /* it was the last to be made */
    b->pose.r = sk_pose_out(&b->pose, centre);
  }
}

/* ---- Bodies ---- */

/* static unless something says more: "motion" or an animated shape makes it prescribed, "density" or "mass" dynamic. */
static sk_body_mode read_mode(sk_reader *r, const sk_at *at)
{
  static const char *const modes[] = {[SK_STATIC] = "static", [SK_PRESCRIBED] = "prescribed", [SK_DYNAMIC] = "dynamic"};
  static const char *const dynamic[] = {"density", "mass", "velocity", "spin"};
  sk_at shape = sk_at_get(at, "shape"), motion = sk_at_get(at, "motion");
  if (!motion.value) motion = sk_at_get(&shape, "animation");
  bool heavy = sk_at_has(at, "density") || sk_at_has(at, "mass");
  int guess = motion.value ? SK_PRESCRIBED : heavy ? SK_DYNAMIC : SK_STATIC;
  int mode = sk_get_choice(r, at, "mode", "mode", modes, 3, guess);
  if (sk_failed(r)) return SK_STATIC;
  if (motion.value && mode != SK_PRESCRIBED)
    sk_at_fail(r, &motion, "is for prescribed bodies, this one is %s", modes[mode]);
  if (!motion.value && mode == SK_PRESCRIBED)
    sk_at_fail(r, at, "the field 'motion' is missing, which mode prescribed needs");
  for (int k = 0; k < 4; k++) {
    sk_at field = sk_at_get(at, dynamic[k]);
    if (field.value && mode != SK_DYNAMIC) sk_at_fail(r, &field, "is for dynamic bodies, this one is %s", modes[mode]);
  }
  return (sk_body_mode)mode;
}

static void read_body(sk_reader *r, const sk_at *at, int index, sk_scene_body *b)
{
  static const char *const fields[] = {"name",   "group",   "shape", "mode",     "position", "rotation",
                                       "motion", "density", "mass",  "velocity", "spin",     "colour"};
  char fallback[32];
  sk_quat turned;
  snprintf(fallback, sizeof fallback, "body%d", index);
  if (!json_is_object(at->value)) sk_at_wrong(r, at, "an object { }");
  if (!sk_at_object(r, at, fields, SK_COUNT(fields))) return;
  sk_at named = sk_at_get(at, "name");
  b->name = sk_reader_copy(r, sk_get_string(r, at, "name", fallback));
  if (!b->name || !sk_name_take(r, r->body_index, named.value ? &named : at, "bodies", b->name, index)) return;
  b->mode = read_mode(r, at);
  b->group = sk_get_group(r, at, "bodies");
  b->shape = read_shape(r, at, &turned);
  b->colour = sk_get_colour(r, at, b->shape.kind == SK_PLANE ? sk_colour_hex("#d8d3ca") : sk_colour_pick(index));
  sk_pose base = {sk_get_vector(r, at, "position", SK_LENGTH, sk_vec(0, 0, 0)),
                  sk_get_rotation(r, at, "rotation", (sk_quat){.w = 1})};
  b->path = sk_get_body_path(r, at, &base, turned);
  b->pose = (sk_pose){base.r, sk_quat_mul(base.q, turned)};
  if (b->path.key_count && !sk_at_has(at, "position")) b->pose.r = b->path.keys[0].r;
  if (b->path.key_count && !sk_at_has(at, "rotation")) b->pose.q = b->path.keys[0].q;
  sk_at motion = sk_at_get(at, "motion");
  if (sk_at_has(&motion, "pivot"))
    b->path.pivot = sk_pose_in(&b->pose, sk_get_vector(r, &motion, "pivot", SK_LENGTH, b->pose.r));
  b->velocity = sk_get_vector(r, at, "velocity", SK_SPEED, sk_vec(0, 0, 0));
  b->spin = sk_get_vector(r, at, "spin", SK_ANGLE_RATE, sk_vec(0, 0, 0));
  if (b->mode == SK_DYNAMIC && !sk_failed(r)) read_mass(r, at, b);
}

void sk_read_bodies(sk_reader *r, const sk_at *root)
{
  skein_scene *s = r->scene;
  sk_at at = sk_at_get(root, "bodies");
  size_t count = sk_at_array(r, &at);
  if (count > SK_MOST_RODS) sk_at_fail(r, &at, "has %zu entries, expected at most %d", count, SK_MOST_RODS);
  if (sk_failed(r)) return;
  s->bodies = SK_READ_NEW(r, count, sk_scene_body), s->meshes = SK_READ_NEW(r, count, sk_mesh *);
  s->tubes = SK_READ_NEW(r, count, sk_tube *), s->caches = SK_READ_NEW(r, count, sk_cache *);
  for (size_t i = 0; i < count && !sk_failed(r); i++) {
    sk_at item = sk_at_item(&at, i);
    read_body(r, &item, (int)i, &s->bodies[s->body_count++]);
  }
}

int sk_get_body(sk_reader *r, const sk_at *object)
{
  const skein_scene *s = r->scene;
  const char *name = sk_get_string(r, object, "body", NULL);
  sk_at at = sk_at_get(object, "body");
  const json_t *index = name ? json_object_get(r->body_index, name) : NULL;
  if (!name) return -1;
  if (index) return (int)json_integer_value(index);
  const char **names = SK_READ_NEW(r, s->body_count, const char *);
  for (int k = 0; names && k < s->body_count; k++) names[k] = s->bodies[k].name;
  if (names) sk_at_unknown(r, &at, "body", name, names, s->body_count);
  return -1;
}
