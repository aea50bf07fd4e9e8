/* A run as the renderer wants it: camera and range of the colour scale from all frames, and each frame as plain arrays.
 */
#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOOKED_AT = 160 }; /* frames that camera and scale are fitted to */

/* ---- The frames to show ---- */

static int count_back(int frame, int frames)
{
  return frame < 0 ? frame + frames : frame;
}

static int choose_frames(render_job *job)
{
  const render_settings *s = job->set;
  int frames = skein_run_frames(job->run);
  bool one = s->frame != RENDER_NO_FRAME ||
             (!job->video && !strchr(s->output, '%') && s->first == RENDER_NO_FRAME && s->last == RENDER_NO_FRAME);
  if (frames == 0) return tool_error("%s: has no frames yet", s->run), TOOL_BAD;
  if (one) job->first = job->last = s->frame == RENDER_NO_FRAME ? frames - 1 : count_back(s->frame, frames);
  else {
    job->first = s->first == RENDER_NO_FRAME ? 0 : count_back(s->first, frames);
    job->last = s->last == RENDER_NO_FRAME ? frames - 1 : count_back(s->last, frames);
  }
  if (job->first < 0 || job->first >= frames || job->last < 0 || job->last >= frames)
    return tool_error("%s: has frames 0 to %d; frame %d is not there", s->run, frames - 1,
                      job->first < 0 || job->first >= frames ? job->first : job->last),
           TOOL_BAD;
  if (job->last < job->first)
    return tool_error("%s: --frames goes from %d back to %d: nothing to show", s->run, job->first, job->last), TOOL_BAD;
  job->step = s->step;
  job->count = (job->last - job->first) / job->step + 1;
  return TOOL_OK;
}

/* ---- Looking through them ---- */

typedef struct survey {
  render_fit fit;
  double lo[3], hi[3];
  bool any;
} survey;

/* R(q) x + place, pose: place and quaternion w x y z */
static void to_world(const double pose[7], const float *x, double y[3])
{
  const double *q = pose + 3;
  double c[3] = {q[2] * x[2] - q[3] * x[1], q[3] * x[0] - q[1] * x[2], q[1] * x[1] - q[2] * x[0]};
  for (int k = 0; k < 3; k++) c[k] += q[0] * x[k];
  y[0] = pose[0] + x[0] + 2 * (q[2] * c[2] - q[3] * c[1]);
  y[1] = pose[1] + x[1] + 2 * (q[3] * c[0] - q[1] * c[2]);
  y[2] = pose[2] + x[2] + 2 * (q[1] * c[1] - q[2] * c[0]);
}

static void survey_frame(const render_job *job, const skein_frame *f, survey *v)
{
  double lo[3], hi[3], p[3];
  if (!skein_look_bounds(job->look, f, lo, hi)) return;
  for (int k = 0; k < 3; k++) {
    v->lo[k] = v->any ? fmin(v->lo[k], lo[k]) : lo[k];
    v->hi[k] = v->any ? fmax(v->hi[k], hi[k]) : hi[k];
  }
  v->any = true;
  for (int i = 0; i < f->rods; i++)
    for (int k = f->point_start[i]; k < f->point_start[i + 1]; k++) {
      for (int j = 0; j < 3; j++) p[j] = f->point[3 * k + j];
      render_camera_fit_add(&v->fit, p, f->radius[i]);
    }
  for (int b = 0; b < f->bodies && b < skein_look_bodies(job->look); b++) {
    const skein_look_body *body = skein_look_body_at(job->look, b);
    for (int i = 0; !body->endless && !body->deforms && i < body->vertices; i++) {
      to_world(f->body_pose + 7 * b, body->vertex + 3 * i, p);
      render_camera_fit_add(&v->fit, p, 0);
    }
  }
  for (int s = 0; s < f->surfaces; s++)
    for (int i = f->surface_start[s]; i < f->surface_start[s + 1]; i++) {
      to_world(f->body_pose + 7 * f->surface_body[s], f->surface_vertex + 3 * i, p);
      render_camera_fit_add(&v->fit, p, 0);
    }
}

static bool is_scale(skein_colour by)
{
  return skein_colour_unit(by)[0] != 0;
}

/* Widens the range of the scale by the values of a frame. */
static skein_status survey_values(render_job *job, const skein_frame *before, const skein_frame *f)
{
  float *value = malloc(((size_t)f->points + 1) * sizeof(float));
  if (!value) return (skein_status){.code = SKEIN_NO_MEMORY, .message = "out of memory"};
  skein_status status = skein_look_values(job->look, job->set->colour, before, f, value);
  for (int i = 0; status.code == SKEIN_OK && i < f->points; i++) job->hi = fmax(job->hi, value[i]);
  free(value);
  return status;
}

static skein_status survey_one(render_job *job, int index, bool values, survey *v)
{
  skein_frame f = {0}, before = {0};
  skein_status status = skein_run_frame(job->run, index, &f);
  if (status.code == SKEIN_OK && values && index > 0) status = skein_run_frame(job->run, index - 1, &before);
  if (status.code == SKEIN_OK) survey_frame(job, &f, v);
  if (status.code == SKEIN_OK && values) status = survey_values(job, index > 0 ? &before : NULL, &f);
  skein_frame_destroy(&f);
  skein_frame_destroy(&before);
  return status;
}

/* ---- Camera ---- */

static void set_camera(render_job *job, const survey *v)
{
  const render_settings *s = job->set;
  render_camera *c = &job->def.camera;
  skein_look_camera given = skein_look_camera_of(job->look);
  *c = render_camera_fit_end(&v->fit, s->title ? 0.2 : 0.1, s->zoom);
  if (given.given && !s->angles_given) {
    memcpy(c->eye, given.eye, sizeof c->eye);
    memcpy(c->target, given.target, sizeof c->target);
    memcpy(c->up, given.up, sizeof c->up);
    c->fov = 2 * atan(tan((s->fov_given ? s->fov : given.fov) * 0.5 * 3.14159265358979 / 180) / s->zoom) * 180 /
             3.14159265358979;
  }
  for (int k = 0; k < 3; k++) {
    double way = c->eye[k] - c->target[k];
    if (s->target_given) c->target[k] = s->target[k], c->eye[k] = s->target[k] + way;
    if (s->eye_given) c->eye[k] = s->eye[k];
  }
}

static void set_def(render_job *job, const survey *v)
{
  const render_settings *s = job->set;
  render_def *d = &job->def;
  double size = 0;
  set_camera(job, v);
  for (int k = 0; k < 3; k++)
    d->centre[k] = (v->lo[k] + v->hi[k]) / 2, size += (v->hi[k] - v->lo[k]) * (v->hi[k] - v->lo[k]);
  d->size = fmax(sqrt(size) / 2, 1e-6);
  d->width = s->width, d->height = s->height, d->samples = s->samples, d->threads = s->threads;
  d->shading = s->shading, d->radius_scale = s->radius_scale, d->transparent = s->transparent;
  d->shutter = s->blur >= 0 ? s->blur : job->video ? 0.5 : 0;
  memcpy(d->background, s->background, sizeof d->background);
  render_light_studio(d);
  if (s->dark)
    for (int k = 0; k < 3; k++) d->sky[k] *= 0.7f, d->floor[k] *= 0.55f;
}

static int look_through(render_job *job, const volatile sig_atomic_t *stop)
{
  const render_settings *s = job->set;
  survey v = {.fit = render_camera_fit_begin(s->azimuth, s->elevation, s->fov, (double)s->width / s->height)};
  bool values = is_scale(s->colour) && !(s->lo < s->hi);
  int stride = (job->count + MOST_LOOKED_AT - 1) / MOST_LOOKED_AT;
  job->lo = s->lo, job->hi = s->hi;
  for (int k = 0; k < job->count; k += k + stride < job->count || k == job->count - 1 ? stride : job->count - 1 - k) {
    skein_status status = survey_one(job, job->first + k * job->step, values, &v);
    if (status.code != SKEIN_OK) return tool_fail(s->run, status);
    if (*stop) return TOOL_INTERRUPTED;
  }
  if (!v.any) return tool_error("%s: has neither rods nor bodies to show", s->run), TOOL_BAD;
  if (values && !(job->lo < job->hi)) job->hi = job->lo + 1;
  set_def(job, &v);
  return TOOL_OK;
}

int render_job_open(render_job *job, const volatile sig_atomic_t *stop)
{
  const char *path = job->set->run;
  skein_scene *scene = NULL;
  skein_status status = skein_run_open(path, false, &job->run);
  if (status.code == SKEIN_OK)
    status = skein_scene_parse(skein_run_source(job->run), path, skein_run_folder(job->run), NULL, 0, &scene);
  if (status.code == SKEIN_OK) status = skein_look_create(scene, &job->look);
  if (status.code == SKEIN_OK) status = tool_hairs_create(&job->set->hairs, job->run, scene, &job->hairs);
  skein_scene_destroy(scene);
  if (status.code != SKEIN_OK) return tool_fail_input(path, status, TOOL_RUN);
  int code = choose_frames(job);
  if (code == TOOL_OK && job->video && job->count < 2)
    return tool_error("%s: a video needs two frames at least; -o NAME.png writes one", path), TOOL_BAD;
  if (code == TOOL_OK && !job->video && job->count > 1 && !strchr(job->set->output, '%'))
    return tool_error("%s: cannot hold %d frames; use NAME_%%04d.png or NAME.mp4", job->set->output, job->count),
           TOOL_BAD;
  return code == TOOL_OK ? look_through(job, stop) : code;
}

void render_job_close(render_job *job)
{
  skein_hairs_destroy(job->hairs);
  skein_look_destroy(job->look);
  skein_run_close(job->run);
}

/* ---- Frames ---- */

static bool same_rods(const skein_frame *a, const skein_frame *b)
{
  return a->rods == b->rods && a->points == b->points && a->bodies == b->bodies &&
         memcmp(a->point_start, b->point_start, ((size_t)a->rods + 1) * sizeof(int)) == 0;
}

static render_pose pose_of(const double pose[7])
{
  return (render_pose){{pose[0], pose[1], pose[2]}, {pose[3], pose[4], pose[5], pose[6]}};
}

/* Bodies in their colours; in grey where colours have another meaning. */
static void body_colour(const render_job *job, const skein_look_body *body, float colour[3])
{
  float grey = 0.21f * body->colour[0] + 0.72f * body->colour[1] + 0.07f * body->colour[2];
  bool own = job->set->colour == SKEIN_BY_MATERIAL || job->set->colour == SKEIN_BY_GROUP;
  for (int k = 0; k < 3; k++) colour[k] = own ? body->colour[k] : 0.75f * grey + 0.1f;
}

/* Vertices, normals and vertices before of a body that deforms; false: no memory. */
static bool add_surface(const render_job *job, render_view *v, int b, render_mesh *m)
{
  size_t count = 3 * (size_t)m->vertices;
  float *at = v->surface[b] = malloc(3 * sizeof *at * (count + 1));
  if (!at) return false;
  skein_look_surface(job->look, &v->frame, b, at, at + count);
  skein_look_surface(job->look, v->before.bodies ? &v->before : &v->frame, b, at + 2 * count, NULL);
  m->vertex = at, m->normal = at + count, m->vertex_before = at + 2 * count;
  return true;
}

static bool add_body(const render_job *job, render_view *v, int b)
{
  const skein_look_body *body = skein_look_body_at(job->look, b);
  const double *pose = v->frame.body_pose + 7 * b, *before = v->before.bodies ? v->before.body_pose + 7 * b : pose;
  if (body->endless) {
    render_plane *p = &v->plane[v->scene.planes++];
    double tip[3];
    float end[3];
    for (int k = 0; k < 3; k++) end[k] = body->vertex[k] + body->normal[k];
    to_world(pose, body->vertex, p->point);
    to_world(pose, end, tip);
    for (int k = 0; k < 3; k++) p->normal[k] = tip[k] - p->point[k];
    body_colour(job, body, p->colour);
    for (int k = 0; k < 3; k++) p->colour[k] *= job->set->dark ? 0.3f : 0.8f; /* what lies on it is to be seen */
    return true;
  }
  render_mesh *m = &v->mesh[v->scene.meshes++];
  *m = (render_mesh){body->vertices, body->triangles, body->vertex,    body->normal, body->triangle,
                     {0, 0, 0},      pose_of(pose),   pose_of(before), NULL};
  body_colour(job, body, m->colour);
  return !body->deforms || add_surface(job, v, b, m);
}

/* The colours of the points that are shown. Hairs of one material differ a little, as they do on a head. */
static skein_status colour_points(const render_job *job, render_view *v, const skein_frame *shown)
{
  skein_colour by = job->set->colour;
  const skein_frame *f = &v->frame, *before = f->index > 0 && v->before.rods ? &v->before : NULL;
  double lo = job->lo, hi = job->hi;
  if (!job->hairs) return skein_look_colours(job->look, by, before, f, &lo, &hi, v->colour);
  float *value = v->colour + 2 * (size_t)shown->points;
  skein_status status = skein_hairs_values(job->hairs, job->look, by, before, f, value);
  if (status.code != SKEIN_OK) return status;
  skein_look_paint(job->look, by, value, shown->points, &lo, &hi, v->colour);
  for (int i = 0; by == SKEIN_BY_MATERIAL && i < job->set->hairs.def.hairs; i++) {
    float shade = 0.75f + 0.5f * (float)((uint32_t)i * 2654435769u >> 8) / 16777216;
    for (int k = 3 * shown->point_start[i]; k < 3 * shown->point_start[i + 1]; k++) v->colour[k] *= shade;
  }
  return status;
}

static skein_status fill_view(const render_job *job, render_view *v)
{
  const skein_frame *f = job->hairs ? &v->hairs : &v->frame, *before = job->hairs ? &v->hairs_before : &v->before;
  int bodies = f->bodies < skein_look_bodies(job->look) ? f->bodies : skein_look_bodies(job->look);
  bool data = job->set->colour != SKEIN_BY_MATERIAL && job->set->colour != SKEIN_BY_GROUP;
  v->colour = calloc((size_t)f->points + 1, 3 * sizeof(float));
  v->mesh = calloc((size_t)bodies + 1, sizeof *v->mesh);
  v->plane = calloc((size_t)bodies + 1, sizeof *v->plane);
  v->plain = data ? calloc((size_t)f->rods + 1, sizeof(float)) : NULL;
  v->surface = calloc((size_t)bodies + 1, sizeof *v->surface), v->bodies = bodies;
  bool room = v->colour && v->mesh && v->plane && v->surface && (!data || v->plain);
  for (int i = 0; room && data && i < f->rods; i++) v->plain[i] = 1;
  for (int b = 0; room && b < bodies; b++) room = add_body(job, v, b);
  if (!room) return (skein_status){.code = SKEIN_NO_MEMORY, .message = "out of memory"};
  skein_status status = colour_points(job, v, f);
  bool blur = job->def.shutter > 0 && before->points == f->points && same_rods(before, f);
  v->scene.mesh = v->mesh, v->scene.plane = v->plane;
  v->scene.strands = (render_strands){f->rods,   f->points, f->point_start, f->point, blur ? before->point : NULL,
                                      f->radius, v->colour, v->plain};
  return status;
}

skein_status render_view_read(const render_job *job, int frame, render_view *v)
{
  *v = (render_view){.scene = {.meshes = 0}};
  skein_status status = skein_run_frame(job->run, frame, &v->frame);
  if (status.code == SKEIN_OK && frame > 0) status = skein_run_frame(job->run, frame - 1, &v->before);
  if (status.code == SKEIN_OK && v->before.bodies != v->frame.bodies)
    skein_frame_destroy(&v->before), v->before = (skein_frame){0};
  if (status.code == SKEIN_OK && job->hairs) status = skein_hairs_frame(job->hairs, &v->frame, &v->hairs);
  if (status.code == SKEIN_OK && job->hairs && job->def.shutter > 0 && v->before.rods > 0)
    status = skein_hairs_frame(job->hairs, &v->before, &v->hairs_before);
  return status.code == SKEIN_OK ? fill_view(job, v) : status;
}

void render_view_free(render_view *v)
{
  skein_frame_destroy(&v->frame);
  skein_frame_destroy(&v->before);
  skein_frame_destroy(&v->hairs);
  skein_frame_destroy(&v->hairs_before);
  free(v->colour);
  free(v->plain);
  free(v->mesh);
  free(v->plane);
  for (int b = 0; v->surface && b < v->bodies; b++) free(v->surface[b]);
  free(v->surface);
}

/* ---- Over the picture ---- */

enum { MOST_NAMES = 64, STOPS = 33 };

static void draw_legend(const render_job *job, render_canvas *canvas, double scale)
{
  skein_colour by = job->set->colour;
  const char *names[MOST_NAMES];
  float colour[MOST_NAMES][3];
  render_legend legend = {.title = skein_colour_name(by),
                          .unit = skein_colour_unit(by),
                          .name = names,
                          .colour = (const float(*)[3])colour,
                          .lo = job->lo,
                          .hi = job->hi};
  skein_legend_entry entry;
  while (legend.entries < MOST_NAMES && skein_look_legend(job->look, by, legend.entries, &entry)) {
    names[legend.entries] = entry.name;
    memcpy(colour[legend.entries++], entry.colour, sizeof entry.colour);
  }
  for (int k = 0; is_scale(by) && k < STOPS; k++)
    skein_colour_ramp((double)k / (STOPS - 1), colour[k]), legend.stops = STOPS;
  render_draw_legend(canvas, &legend, scale, job->set->dark);
}

void render_draw_over(const render_job *job, render_canvas *canvas)
{
  const render_settings *s = job->set;
  double scale = fmax(fmin(canvas->height / 720.0, canvas->width / 720.0), 0.6);
  if (s->legend && s->colour_given) draw_legend(job, canvas, scale);
  if (s->title) render_draw_title(canvas, s->title[0] ? s->title : skein_run_title(job->run), scale, s->dark);
}
