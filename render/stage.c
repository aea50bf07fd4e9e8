/* The stage: the caller's arrays in the units of the picture, and Embree's tree over them. The target of the camera is
 * the origin and its distance from the eye is one, so that floats and their tolerances fit a hair as well as a cable.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

void *stage_array(stage *s, size_t count, size_t size, bool *ok)
{
  size_t bytes = (count ? count : 1) * size;
  void *array = count <= SIZE_MAX / 2 / size ? malloc(bytes) : NULL;
  if (!array) *ok = false;
  else s->bytes += bytes;
  return array;
}

vec stage_place(const stage *s, const double world[3])
{
  return v3((float)((world[0] - s->origin[0]) * s->scale), (float)((world[1] - s->origin[1]) * s->scale),
            (float)((world[2] - s->origin[2]) * s->scale));
}

static vec direction_of(const double a[3])
{
  double n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  return n > 0 ? v3((float)(a[0] / n), (float)(a[1] / n), (float)(a[2] / n)) : v3(0, 0, 1);
}

static skein_status set_view(stage *s)
{
  const render_camera *c = &s->def->camera;
  double to[3] = {c->target[0] - c->eye[0], c->target[1] - c->eye[1], c->target[2] - c->eye[2]};
  double distance = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
  if (!(distance > 0) || !isfinite(distance))
    return (skein_status){.code = SKEIN_BAD_INPUT, .message = "the camera's eye and target are the same place"};
  memcpy(s->origin, c->target, sizeof s->origin);
  s->scale = 1 / distance;
  lens *v = &s->view;
  v->forward = direction_of(to);
  v->eye = v_scale(-1, v->forward);
  v->world_up = direction_of(c->up);
  v->right = v_cross(v->forward, v->world_up);
  if (v_length(v->right) < 1e-6f)
    v->right = v_cross(v->forward, fabsf(v->forward.y) < 0.9f ? v3(0, 1, 0) : v3(0, 0, 1));
  v->right = v_unit(v->right);
  v->up = v_cross(v->right, v->forward);
  v->tan_y = (float)tan(c->fov / 2 * 3.14159265358979 / 180);
  v->tan_x = v->tan_y * (float)s->def->width / (float)s->def->height;
  return (skein_status){.code = SKEIN_OK};
}

static void set_lights(stage *s)
{
  for (int k = 0; k < s->def->lights; k++) {
    const render_light *light = &s->def->light[k];
    s->light[k].direction = v_unit(v_of(light->direction));
    v_frame(s->light[k].direction, &s->light[k].side, &s->light[k].other);
    s->light[k].colour = v_of(light->colour);
    s->light[k].radius = tanf(light->angle * PI / 180);
  }
  for (int k = 0; k < 2; k++) s->background[k] = tone_unmap(v_of(s->def->background[k]));
  s->centre = stage_place(s, s->def->centre);
  s->size = (float)(s->def->size * s->scale);
}

static bool set_planes(stage *s)
{
  bool ok = true;
  s->plane = stage_array(s, (size_t)s->given->planes, sizeof(plane), &ok);
  for (int k = 0; ok && k < s->given->planes; k++) {
    const render_plane *given = &s->given->plane[k];
    plane p = {stage_place(s, given->point), direction_of(given->normal), v_of(given->colour)};
    if (v_dot(p.normal, v_sub(s->view.eye, p.point)) > 0)
      s->plane[s->planes++] = p; /* else seen from behind: not there */
  }
  return ok;
}

/* ---- Blocks of pixels that may show something ---- */

static void mark(stage *s, int x0, int y0, int x1, int y1, int what)
{
  for (int y = y0 < 0 ? 0 : y0; y <= y1 && y < s->mask_height; y++)
    for (int x = x0 < 0 ? 0 : x0; x <= x1 && x < s->mask_width; x++)
      s->mask[y * s->mask_width + x] |= (unsigned char)what;
}

/* Pixel of a point of the stage; false: not well in front of the eye, or far outside. */
static bool to_pixel(const stage *s, vec p, float *x, float *y, float *depth)
{
  float w = (float)s->def->width, h = (float)s->def->height;
  p = v_sub(p, s->view.eye);
  *depth = v_dot(s->view.forward, p);
  if (!(*depth > 1e-3f)) return false;
  *x = w / 2 * (1 + v_dot(s->view.right, p) / (*depth * s->view.tan_x));
  *y = h / 2 * (1 - v_dot(s->view.up, p) / (*depth * s->view.tan_y));
  return fabsf(*x) < 1e6f && fabsf(*y) < 1e6f;
}

/* Along the line from a to b (places and radii). */
static void mark_line(stage *s, const float *a, const float *b)
{
  float x[2], y[2], depth[2];
  bool both = to_pixel(s, v_of(a), &x[0], &y[0], &depth[0]) && to_pixel(s, v_of(b), &x[1], &y[1], &depth[1]);
  if (!both) {
    mark(s, 0, 0, s->mask_width, s->mask_height, MASK_STRAND); /* very near: no pixel is spared */
    return;
  }
  float wide = maxf(a[3] / depth[0], b[3] / depth[1]) * (float)s->def->height / (2 * s->view.tan_y);
  float length = maxf(fabsf(x[1] - x[0]), fabsf(y[1] - y[0]));
  int steps = (int)minf(length / MASK_BLOCK, 1e4f) + 1;
  float reach = (wide + 1.5f) / MASK_BLOCK; /* the filter is one pixel wide, the spline near the line */
  for (int k = 0; k <= steps; k++) {
    float t = (float)k / (float)steps, px = (x[0] + t * (x[1] - x[0])) / MASK_BLOCK,
          py = (y[0] + t * (y[1] - y[0])) / MASK_BLOCK;
    mark(s, (int)floorf(px - reach), (int)floorf(py - reach), (int)floorf(px + reach), (int)floorf(py + reach),
         MASK_STRAND);
  }
}

/* What the line sweeps on its way from its earlier place. */
static void mark_sweep(stage *s, const float *a, const float *old)
{
  float far = 0, x[2], y[2], depth;
  for (int k = 0; k < 2; k++)
    if (to_pixel(s, v_of(a + 4 * k), &x[0], &y[0], &depth) && to_pixel(s, v_of(old + 4 * k), &x[1], &y[1], &depth))
      far = maxf(far, hypotf(x[1] - x[0], y[1] - y[0]));
  int steps = (int)minf(far / MASK_BLOCK, 256) + 1;
  for (int j = 1; j <= steps; j++) {
    float between[8], t = (float)j / (float)steps;
    for (int k = 0; k < 8; k++) between[k] = a[k] + t * (old[k] - a[k]);
    mark_line(s, between, between + 4);
  }
}

static void mark_curves(stage *s, const curves *c, int first)
{
  for (int i = 0; i < c->curves; i++) {
    const float *a = c->vertex + 4 * (size_t)(c->index[i] + (uint32_t)first);
    mark_line(s, a, a + 4);
    if (c->earlier) mark_sweep(s, a, c->earlier + (a - c->vertex));
  }
}

/* The rectangle around a body, at both ends of its motion (old may be NULL). */
static void mark_mesh(stage *s, const float *vertex, const float *old, int vertices)
{
  float lo[2] = {1e6f, 1e6f}, hi[2] = {-1e6f, -1e6f};
  for (int i = 0; i < (old ? 2 : 1) * vertices; i++) {
    float x, y, depth;
    const float *place = i < vertices ? vertex + 3 * (size_t)i : old + 3 * (size_t)(i - vertices);
    if (!to_pixel(s, v_of(place), &x, &y, &depth)) {
      mark(s, 0, 0, s->mask_width, s->mask_height, MASK_BODY);
      return;
    }
    lo[0] = minf(lo[0], x), lo[1] = minf(lo[1], y), hi[0] = maxf(hi[0], x), hi[1] = maxf(hi[1], y);
  }
  mark(s, (int)floorf((lo[0] - 2) / MASK_BLOCK), (int)floorf((lo[1] - 2) / MASK_BLOCK),
       (int)floorf((hi[0] + 2) / MASK_BLOCK), (int)floorf((hi[1] + 2) / MASK_BLOCK), MASK_BODY);
}

static bool make_mask(stage *s)
{
  bool ok = true;
  s->mask_width = (s->def->width + MASK_BLOCK - 1) / MASK_BLOCK;
  s->mask_height = (s->def->height + MASK_BLOCK - 1) / MASK_BLOCK;
  size_t count = (size_t)s->mask_width * (size_t)s->mask_height;
  s->mask = stage_array(s, count, 1, &ok);
  if (!ok) return false;
  memset(s->mask, 0, count);
  mark_curves(s, &s->thin, 0);
  mark_curves(s, &s->thick, 1);
  return true;
}

/* ---- Bodies ---- */

/* R(q) x */
static void turn(const double q[4], const double x[3], double y[3])
{
  double c[3] = {q[2] * x[2] - q[3] * x[1], q[3] * x[0] - q[1] * x[2], q[1] * x[1] - q[2] * x[0]};
  for (int k = 0; k < 3; k++) c[k] += q[0] * x[k];
  y[0] = x[0] + 2 * (q[2] * c[2] - q[3] * c[1]);
  y[1] = x[1] + 2 * (q[3] * c[0] - q[1] * c[2]);
  y[2] = x[2] + 2 * (q[1] * c[1] - q[2] * c[0]);
}

/* back: share of the way to the vertices before, of a mesh that deforms. */
static void put_mesh(const stage *s, const render_mesh *m, const render_pose *pose, double back, float *vertex)
{
  for (int i = 0; i < m->vertices; i++) {
    const float *now = m->vertex + 3 * i, *before = m->vertex_before ? m->vertex_before + 3 * i : now;
    double local[3], world[3];
    for (int k = 0; k < 3; k++) local[k] = now[k] + back * (before[k] - now[k]);
    turn(pose->turn, local, world);
    for (int k = 0; k < 3; k++) world[k] += pose->place[k];
    vec p = stage_place(s, world);
    vertex[3 * i] = p.x, vertex[3 * i + 1] = p.y, vertex[3 * i + 2] = p.z;
  }
}

/* Pose when the shutter opens: straight back in place, the quaternion along the chord. */
static render_pose earlier_pose(const render_mesh *m, double shutter)
{
  render_pose p = m->pose;
  double sum = 0, same = 0;
  for (int k = 0; k < 4; k++) same += m->pose.turn[k] * m->before.turn[k];
  for (int k = 0; k < 3; k++) p.place[k] += shutter * (m->before.place[k] - m->pose.place[k]);
  for (int k = 0; k < 4; k++) {
    p.turn[k] += shutter * ((same < 0 ? -m->before.turn[k] : m->before.turn[k]) - m->pose.turn[k]);
    sum += p.turn[k] * p.turn[k];
  }
  for (int k = 0; k < 4; k++) p.turn[k] /= sqrt(sum);
  return p;
}

static bool attach_mesh(stage *s, RTCDevice device, int i)
{
  const render_mesh *m = &s->given->mesh[i];
  if (m->triangles == 0) return true;
  RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  if (s->moves) rtcSetGeometryTimeStepCount(g, 2);
  unsigned now = s->moves ? 1 : 0;
  size_t stride = 3 * sizeof(float);
  float *vertex =
      rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, now, RTC_FORMAT_FLOAT3, stride, (size_t)m->vertices);
  float *old =
      s->moves ? rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, stride, (size_t)m->vertices)
               : NULL;
  uint32_t *index = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(uint32_t),
                                            (size_t)m->triangles);
  bool ok = vertex && index && (old || !s->moves);
  if (ok) {
    put_mesh(s, m, &m->pose, 0, vertex);
    render_pose earlier = earlier_pose(m, s->def->shutter);
    if (old) put_mesh(s, m, &earlier, s->def->shutter, old);
    mark_mesh(s, vertex, old, m->vertices);
    for (int k = 0; k < 3 * m->triangles; k++) index[k] = (uint32_t)m->triangle[k];
    rtcCommitGeometry(g);
    rtcAttachGeometryByID(s->scene, g, (unsigned)(GEOM_MESH + i));
  }
  rtcReleaseGeometry(g);
  return ok;
}

skein_status stage_build(stage *s, RTCDevice device)
{
  const skein_status no_memory = {.code = SKEIN_NO_MEMORY, .message = "out of memory for the picture"};
  skein_status status = set_view(s);
  if (status.code != SKEIN_OK) return status;
  s->moves = s->def->shutter > 0;
  set_lights(s);
  if (s->moves && !s->given->strands.before && s->given->meshes == 0) s->moves = false;
  if (s->given->strands.strands > 0 && !s->given->strands.before) s->moves = false;
  if (!set_planes(s) || !curves_build(s) || !make_mask(s)) return no_memory;
  s->scene = rtcNewScene(device);
  if (s->scene) rtcSetSceneFlags(s->scene, RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION); /* shadow rays count hairs */
  bool ok = s->scene && curves_attach(s, device);
  for (int i = 0; ok && i < s->given->meshes; i++) ok = attach_mesh(s, device, i);
  if (ok) rtcCommitScene(s->scene);
  struct RTCBounds box = {0};
  if (ok) rtcGetSceneBounds(s->scene, &box);
  s->lo = v3(box.lower_x, box.lower_y, box.lower_z), s->hi = v3(box.upper_x, box.upper_y, box.upper_z);
  enum RTCError error = rtcGetDeviceError(device);
  if (!ok || error == RTC_ERROR_OUT_OF_MEMORY) return no_memory;
  if (error != RTC_ERROR_NONE) {
    status.code = SKEIN_BAD_INPUT;
    snprintf(status.message, sizeof status.message, "Embree refuses the scene (error %d)", (int)error);
  }
  return status;
}

void stage_free(stage *s)
{
  if (s->scene) rtcReleaseScene(s->scene);
  curves *both[2] = {&s->thin, &s->thick};
  for (int k = 0; k < 2; k++) {
    free(both[k]->vertex);
    free(both[k]->earlier);
    free(both[k]->index);
    free(both[k]->source);
    free(both[k]->part);
    free(both[k]->plain);
  }
  free(s->caps.vertex);
  free(s->caps.earlier);
  free(s->caps.source);
  free(s->plane);
  free(s->mask);
}
