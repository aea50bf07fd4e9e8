/* A frame of the world for those who look. */
#include "world/world.h"

#include <stdlib.h>

/* Pieces per element. Frames of every step are for those who measure: their polyline misses the curve by an eighth of
 * the radius at most, however coarse the capsules are. */
static int points_of(const skein_world *w, int i)
{
  const sk_scene_output *out = &w->model.scene->output;
  const sk_model_rod *rod = w->model.rods + i;
  const sk_state *now = sk_now(w);
  int N = rod->rod->def.elements;
  if (out->points > 1) return SK_MAX(1, (out->points - 2 + N) / N);
  double chord = out->every_step ? sk_limit.frame.chord : w->model.scene->step.chord;
  return sk_pieces_of(&w->model, now, i, chord * now->growth * rod->radius);
}

static bool allocate(const skein_world *w, skein_frame *f)
{
  size_t rods = (size_t)f->rods, contacts = (size_t)f->contacts, points = (size_t)f->points;
  f->point = sk_calloc(3 * points, sizeof(float)), f->radius = sk_calloc(rods, sizeof(float));
  f->rod_group = sk_calloc(rods, sizeof(int)), f->rod_source = sk_calloc(rods, sizeof(int));
  f->body_pose = sk_calloc(7 * (size_t)w->model.scene->body_count, sizeof(double));
  f->contact_object = sk_calloc(2 * contacts, sizeof(int)), f->contact_s = sk_calloc(2 * contacts, sizeof(double));
  f->contact_point = sk_calloc(3 * contacts, sizeof(double));
  f->contact_normal = sk_calloc(3 * contacts, sizeof(double));
  f->contact_impulse = sk_calloc(3 * contacts, sizeof(double));
  f->contact_gap = sk_calloc(contacts, sizeof(double)), f->contact_status = sk_calloc(contacts, 1);
  return f->point && f->radius && f->rod_group && f->rod_source && f->body_pose && f->contact_object && f->contact_s &&
         f->contact_point && f->contact_normal && f->contact_impulse && f->contact_gap && f->contact_status;
}

static bool fill_rods(const skein_world *w, skein_frame *f)
{
  int most = 0;
  const sk_state *now = sk_now(w);
  for (int i = 0; i < f->rods; i++) most = SK_MAX(most, f->point_start[i + 1] - f->point_start[i]);
  sk_vec3 *r = sk_calloc((size_t)most, sizeof *r);
  if (!r) return false;
  for (int i = 0; i < f->rods; i++) {
    const sk_model_rod *rod = w->model.rods + i;
    int count = f->point_start[i + 1] - f->point_start[i], pieces = (count - 1) / rod->rod->def.elements;
    rod->rod->ops->points(rod->rod, now->x + rod->x, NULL, NULL, pieces, r, NULL);
    float *p = f->point + 3 * (size_t)f->point_start[i];
    for (int k = 0; k < count; k++)
      p[3 * k] = (float)r[k].x, p[3 * k + 1] = (float)r[k].y, p[3 * k + 2] = (float)r[k].z;
    f->radius[i] = (float)(now->growth * rod->radius), f->rod_group[i] = rod->group, f->rod_source[i] = rod->source;
  }
  free(r);
  return true;
}

static void fill_contacts(const skein_world *w, skein_frame *f)
{
  for (int k = 0; k < f->contacts; k++) {
    const sk_contact *t = sk_now(w)->contacts.at + k;
    sk_vec3 half = sk_mul(0.5, sk_add(t->point_a, t->point_b));
    f->contact_object[2 * k] = t->a, f->contact_object[2 * k + 1] = t->b;
    f->contact_s[2 * k] = t->sa, f->contact_s[2 * k + 1] = t->sb;
    sk_store3(f->contact_point + 3 * k, t->b < w->model.rod_count ? half : t->point_b);
    sk_store3(f->contact_normal + 3 * k, t->frame[0]), sk_store3(f->contact_impulse + 3 * k, t->impulse);
    f->contact_gap[k] = t->gap, f->contact_status[k] = (signed char)t->status;
  }
}

static const sk_mesh *surface_of(const skein_world *w, int body)
{
  return sk_surface_now(w->surfaces, &w->model, body)->mesh;
}

/* Of the bodies that deform, as they are now. */
static bool fill_surfaces(const skein_world *w, skein_frame *f)
{
  if (!w->surfaces) return true;
  for (int i = 0; i < f->bodies; i++) f->surfaces += sk_surface_deforms(w->surfaces, i);
  f->surface_body = sk_calloc((size_t)f->surfaces, sizeof(int));
  f->surface_start = sk_calloc((size_t)f->surfaces + 1, sizeof(int));
  if (!f->surface_body || !f->surface_start) return false;
  for (int i = 0, k = 0; i < f->bodies; i++) {
    if (!sk_surface_deforms(w->surfaces, i)) continue;
    f->surface_vertices += sk_mesh_vertices(surface_of(w, i));
    f->surface_body[k++] = i, f->surface_start[k] = f->surface_vertices;
  }
  f->surface_vertex = sk_calloc(3 * (size_t)f->surface_vertices, sizeof(float));
  for (int k = 0; f->surface_vertex && k < f->surfaces; k++) {
    const double *v = sk_mesh_vertex_data(surface_of(w, f->surface_body[k]));
    float *out = f->surface_vertex + 3 * (size_t)f->surface_start[k];
    for (int i = 0; i < 3 * (f->surface_start[k + 1] - f->surface_start[k]); i++) out[i] = (float)v[i];
  }
  return f->surface_vertex != NULL;
}

skein_status skein_world_frame(const skein_world *w, int index, skein_frame *f)
{
  const sk_state *now = sk_now(w);
  *f = (skein_frame){.index = index,
                     .time = now->time,
                     .dt = now->last_dt,
                     .rods = w->model.rod_count,
                     .bodies = w->model.scene->body_count};
  f->contacts = w->model.scene->output.contacts ? now->contacts.count : 0;
  f->point_start = sk_calloc((size_t)f->rods + 1, sizeof(int));
  if (!f->point_start) return sk_no_memory();
  for (int i = 0; i < f->rods; i++)
    f->point_start[i + 1] = f->point_start[i] + points_of(w, i) * w->model.rods[i].rod->def.elements + 1;
  f->points = f->point_start[f->rods];
  if (!allocate(w, f) || !fill_rods(w, f) || !fill_surfaces(w, f)) {
    skein_frame_destroy(f);
    return sk_no_memory();
  }
  for (int i = 0; i < f->bodies; i++) {
    const sk_pose *p = &now->body[i].pose;
    sk_store3(f->body_pose + 7 * i, p->r);
    f->body_pose[7 * i + 3] = p->q.w, sk_store3(f->body_pose + 7 * i + 4, p->q.v);
  }
  fill_contacts(w, f);
  return sk_ok();
}
