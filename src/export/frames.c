/* A frame of the run as the file wants it: in the strands of the run, with values per point, then units and axes. */
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

/* ---- Units and axes ---- */

static void turn_floats(float *x, size_t count, double scale, bool y_up)
{
  for (size_t k = 0; k < count; k++, x += 3) {
    double a = scale * x[0], b = scale * x[1], c = scale * x[2];
    x[0] = (float)a, x[1] = (float)(y_up ? c : b), x[2] = (float)(y_up ? -b : c);
  }
}

static void turn_doubles(double *x, size_t count, double scale, bool y_up)
{
  for (size_t k = 0; k < count; k++, x += 3) {
    double a = scale * x[0], b = scale * x[1], c = scale * x[2];
    x[0] = a, x[1] = y_up ? c : b, x[2] = y_up ? -b : c;
  }
}

static void convert(const sk_export *x, skein_frame *f)
{
  bool y_up = x->def->y_up;
  const sk_quat turn = y_up ? (sk_quat){sqrt(0.5), {-sqrt(0.5), 0, 0}} : (sk_quat){1, {0, 0, 0}};
  turn_floats(f->point, (size_t)f->points, x->scale, y_up);
  for (int i = 0; i < f->rods; i++) f->radius[i] = (float)(x->scale * f->radius[i]);
  for (int i = 0; i < f->bodies; i++) {
    double *p = f->body_pose + 7 * (size_t)i;
    sk_quat q = sk_quat_unit(sk_quat_mul(turn, (sk_quat){p[3], sk_load3(p + 4)}));
    turn_doubles(p, 1, x->scale, y_up);
    p[3] = q.w, sk_store3(p + 4, q.v);
  }
  size_t contacts = (size_t)f->contacts;
  turn_doubles(f->contact_point, contacts, x->scale, y_up), turn_doubles(f->contact_normal, contacts, 1, y_up);
  turn_doubles(f->contact_impulse, contacts, 1, y_up);
  for (size_t c = 0; c < contacts; c++) f->contact_gap[c] *= x->scale;
}

/* ---- Values ---- */

skein_status sk_frame_shown(const sk_export *x, int index, skein_frame *guides, skein_frame *f)
{
  skein_frame own = {0};
  if (!x->hairs) return skein_run_frame(x->run, index, f);
  skein_status s = skein_run_frame(x->run, index, &own);
  if (s.code == SKEIN_OK) s = skein_hairs_frame(x->hairs, &own, f);
  if (s.code == SKEIN_OK && guides) *guides = own;
  else skein_frame_destroy(&own);
  return s;
}

/* Of hairs: those of the frame as it was, carried to the strands. */
static skein_status hair_values(const sk_export *x, skein_colour by, const skein_frame *before,
                                const skein_frame *guides, const skein_frame *raw, float *value)
{
  float *from = sk_calloc((size_t)raw->points, sizeof *from);
  if (!from) return sk_no_memory();
  skein_status s = skein_hairs_values(x->hairs, x->look, by, before, guides, from);
  if (s.code == SKEIN_OK) sk_topology_carry(&x->topology, raw, from, value);
  free(from);
  return s;
}

/* guides: the frame as it is in the run, where hairs are shown; raw: as it is shown, before it is fitted. */
static skein_status make_values(const sk_export *x, int index, const skein_frame *guides, const skein_frame *raw,
                                sk_view *view)
{
  static const skein_colour by[SK_VALUES] = {SKEIN_BY_SPEED, SKEIN_BY_STATUS, SKEIN_BY_FORCE, SKEIN_BY_ISLAND};
  skein_frame before = {0}, *earlier = index > 0 ? &before : NULL;
  skein_status s = earlier ? skein_run_frame(x->run, index - 1, earlier) : sk_ok();
  if (s.code == SKEIN_OK && earlier && !x->hairs) s = sk_topology_fit(&x->topology, earlier);
  for (int v = 0; v < SK_VALUES && s.code == SKEIN_OK; v++) {
    view->value[v] = sk_calloc((size_t)view->f.points, sizeof(float));
    if (!view->value[v]) s = sk_no_memory();
    else if (x->hairs) s = hair_values(x, by[v], earlier, guides, raw, view->value[v]);
    else s = skein_look_values(x->look, by[v], earlier, &view->f, view->value[v]);
  }
  skein_frame_destroy(&before);
  return s;
}

static bool make_abscissae(sk_view *view)
{
  const skein_frame *f = &view->f;
  float *s = view->abscissa = sk_calloc((size_t)f->points, sizeof *s);
  for (int i = 0; s && i < f->rods; i++)
    for (int k = f->point_start[i] + 1; k < f->point_start[i + 1]; k++) {
      const float *p = f->point + 3 * (size_t)k;
      double dx = (double)p[0] - p[-3], dy = (double)p[1] - p[-2], dz = (double)p[2] - p[-1];
      s[k] = s[k - 1] + (float)sqrt(dx * dx + dy * dy + dz * dz);
    }
  return s != NULL;
}

/* The frame as it is shown, in the strands of the run, and its values. */
static skein_status load_rods(const sk_export *x, int index, bool values, sk_view *view)
{
  skein_frame guides = {0}, raw = {0}; /* raw: only what carrying values takes */
  bool hairs = values && x->hairs;
  skein_status s = sk_frame_shown(x, index, hairs ? &guides : NULL, &view->f);
  if (s.code == SKEIN_OK && hairs) {
    raw.rods = view->f.rods, raw.points = view->f.points;
    raw.point_start = sk_calloc((size_t)raw.rods + 1, sizeof(int));
    if (!raw.point_start) s = sk_no_memory();
    else memcpy(raw.point_start, view->f.point_start, ((size_t)raw.rods + 1) * sizeof(int));
  }
  if (s.code == SKEIN_OK) s = sk_topology_fit(&x->topology, &view->f);
  if (s.code == SKEIN_OK && values) s = make_values(x, index, &guides, &raw, view);
  skein_frame_destroy(&guides), skein_frame_destroy(&raw);
  return s;
}

static skein_status load(sk_export *x, int index, bool values, bool velocities, sk_view *view)
{
  skein_status s = load_rods(x, index, values, view);
  if (s.code != SKEIN_OK) return s;
  view->colour = sk_calloc(3 * (size_t)view->f.rods, sizeof(float));
  if (!view->colour) return sk_no_memory();
  for (int i = 0; i < view->f.rods; i++) skein_look_rod_colour(x->look, &view->f, i, view->colour + 3 * (size_t)i);
  if (velocities) s = sk_velocities(x, index, view);
  if (s.code != SKEIN_OK) return s;
  convert(x, &view->f);
  if (view->velocity) turn_floats(view->velocity, (size_t)view->f.points, x->scale, x->def->y_up);
  for (size_t c = 0; view->surface_velocity && c < 3 * (size_t)view->f.surface_vertices; c++)
    view->surface_velocity[c] *= (float)x->scale;
  return values && !make_abscissae(view) ? sk_no_memory() : sk_ok();
}

skein_status sk_view_load(sk_export *x, int k, bool values, sk_view *view)
{
  *view = (sk_view){0};
  if (x->def->progress && !x->def->progress(x->done, x->steps, x->def->user)) x->stopped = true;
  if (x->stopped) return sk_fail(SKEIN_BAD_INPUT, "stopped");
  skein_status s = load(x, x->first + k * x->step, values, x->velocities, view);
  if (s.code == SKEIN_OK) view->f.index += x->def->start;
  if (s.code == SKEIN_OK) x->done++;
  return s;
}

double sk_export_rate(const sk_export *x)
{
  return x->def->rate > 0 ? x->def->rate : skein_run_fps(x->run);
}

double sk_view_number(const sk_export *x, int k)
{
  double index = x->first + (double)k * x->step;
  return x->def->start + (x->def->rate > 0 ? index * x->def->rate / skein_run_fps(x->run) : index);
}

skein_status sk_view_rest(sk_export *x, sk_view *view)
{
  *view = (sk_view){0};
  return load(x, 0, false, false, view);
}

void sk_view_free(sk_view *view)
{
  skein_frame_destroy(&view->f);
  for (int v = 0; v < SK_VALUES; v++) free(view->value[v]);
  free(view->abscissa), free(view->colour), free(view->velocity), free(view->surface_velocity);
  *view = (sk_view){0};
}

/* ---- Bodies ---- */

float *sk_body_vertices(const sk_export *x, const sk_view *view, int i)
{
  size_t count = 3 * (size_t)skein_look_body_at(x->look, i)->vertices;
  float *v = sk_calloc(2 * count, sizeof *v);
  if (!v) return NULL;
  skein_look_surface(x->look, &view->f, i, v, v + count);
  for (size_t k = 0; k < count; k++) v[k] = (float)(x->scale * v[k]);
  return v;
}

float *sk_body_velocities(const sk_export *x, const sk_view *view, int i)
{
  skein_frame rates = view->f; /* the same vertices of the same surfaces */
  float *v = sk_calloc(3 * (size_t)skein_look_body_at(x->look, i)->vertices, sizeof *v);
  rates.surface_vertex = view->surface_velocity;
  if (v) skein_look_surface(x->look, &rates, i, v, NULL);
  return v;
}

sk_vec3 sk_body_turn(const sk_view *view, int i, const float *n)
{
  const double *p = view->f.body_pose + 7 * (size_t)i;
  return sk_apply(sk_quat_frame((sk_quat){p[3], sk_load3(p + 4)}), sk_vec(n[0], n[1], n[2]));
}

sk_vec3 sk_body_out(const sk_view *view, int i, const float *x)
{
  return sk_add(sk_load3(view->f.body_pose + 7 * (size_t)i), sk_body_turn(view, i, x));
}

int sk_view_bodies(const sk_export *x, const sk_view *view)
{
  return x->def->bodies ? SK_MIN(view->f.bodies, skein_look_bodies(x->look)) : 0;
}
