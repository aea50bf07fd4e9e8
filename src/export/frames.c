/* A frame of the run as the file wants it: values per point, points evenly along each rod, then units and axes. */
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

/* ---- Points evenly along a rod: Catmull and Rom's cubic through those of the run, which are at equal steps ---- */

static float cubic(float a, float b, float c, float d, float t)
{
  return b + 0.5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

static void resample_rod(const float *from, int have, float *to, int want)
{
  for (int k = 0; k < want; k++) {
    double at = (double)k * (have - 1) / (want - 1);
    int i = SK_MAX(SK_MIN((int)at, have - 2), 0);
    float t = (float)(at - i);
    for (int c = 0; c < 3; c++) {
      float p = from[3 * i + c], q = have > 1 ? from[3 * i + 3 + c] : p;
      float before = i > 0 ? from[3 * i - 3 + c] : 2 * p - q, after = i + 2 < have ? from[3 * i + 6 + c] : 2 * q - p;
      to[3 * k + c] = cubic(before, p, q, after, t);
    }
  }
}

static skein_status resample(skein_frame *f, int want)
{
  if (want == 0 || f->rods == 0) return sk_ok();
  if ((int64_t)f->rods * want > INT32_MAX / 8)
    return sk_fail(SKEIN_BAD_INPUT, "points is %d, too many for %d rods", want, f->rods);
  float *point = sk_calloc(3 * (size_t)f->rods * (size_t)want, sizeof *point);
  if (!point) return sk_no_memory();
  for (int i = 0; i < f->rods; i++) {
    int have = f->point_start[i + 1] - f->point_start[i];
    if (have > 0)
      resample_rod(f->point + 3 * (size_t)f->point_start[i], have, point + 3 * (size_t)i * (size_t)want, want);
  }
  for (int i = 0; i <= f->rods; i++) f->point_start[i] = i * want;
  free(f->point);
  f->point = point, f->points = f->rods * want;
  return sk_ok();
}

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

/* guides: the frame as it is in the run, where hairs are shown. */
static skein_status make_values(const sk_export *x, int index, const skein_frame *guides, sk_view *view)
{
  static const skein_colour by[SK_VALUES] = {SKEIN_BY_SPEED, SKEIN_BY_STATUS, SKEIN_BY_FORCE, SKEIN_BY_ISLAND};
  skein_frame before = {0};
  skein_status s = index > 0 ? skein_run_frame(x->run, index - 1, &before) : sk_ok();
  if (s.code == SKEIN_OK && index > 0 && !x->hairs) s = resample(&before, x->def->points);
  for (int v = 0; v < SK_VALUES && s.code == SKEIN_OK; v++) {
    view->value[v] = sk_calloc((size_t)view->f.points, sizeof(float));
    if (!view->value[v]) s = sk_no_memory();
    else if (x->hairs)
      s = skein_hairs_values(x->hairs, x->look, by[v], index > 0 ? &before : NULL, guides, view->value[v]);
    else s = skein_look_values(x->look, by[v], index > 0 ? &before : NULL, &view->f, view->value[v]);
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

/* The frame as it is shown, and its values. */
static skein_status load_rods(const sk_export *x, int index, bool values, sk_view *view)
{
  skein_frame guides = {0};
  skein_status s = skein_run_frame(x->run, index, x->hairs ? &guides : &view->f);
  if (s.code == SKEIN_OK)
    s = x->hairs ? skein_hairs_frame(x->hairs, &guides, &view->f) : resample(&view->f, x->def->points);
  if (s.code == SKEIN_OK && values) s = make_values(x, index, &guides, view);
  skein_frame_destroy(&guides);
  return s;
}

skein_status sk_view_load(sk_export *x, int k, bool values, sk_view *view)
{
  int index = x->first + k * x->step;
  *view = (sk_view){0};
  if (x->def->progress && !x->def->progress(x->done, x->steps, x->def->user)) x->stopped = true;
  if (x->stopped) return sk_fail(SKEIN_BAD_INPUT, "stopped");
  skein_status s = load_rods(x, index, values, view);
  if (s.code != SKEIN_OK) return s;
  view->colour = sk_calloc(3 * (size_t)view->f.rods, sizeof(float));
  if (!view->colour) return sk_no_memory();
  for (int i = 0; i < view->f.rods; i++) skein_look_rod_colour(x->look, &view->f, i, view->colour + 3 * (size_t)i);
  convert(x, &view->f);
  if (values && !make_abscissae(view)) return sk_no_memory();
  x->done++;
  return s;
}

void sk_view_free(sk_view *view)
{
  skein_frame_destroy(&view->f);
  for (int v = 0; v < SK_VALUES; v++) free(view->value[v]);
  free(view->abscissa), free(view->colour);
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
