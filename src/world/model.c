/* The model: what exists in a world, from its scene. */
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The rod of the scene, with the natural shape that its start asks for. */
static skein_status create_rod(const sk_scene_rod *from, const skein_env *env, sk_rod **out)
{
  sk_rod *rod;
  skein_status s = sk_rod_create(&from->def, &rod);
  *out = rod;
  if (s.code != SKEIN_OK || !from->sag_free) return s;
  s = sk_rod_sag_free(rod, env, out);
  sk_rod_destroy(rod);
  return s;
}

skein_status sk_model_create(const skein_scene *scene, const skein_env *env, sk_stop *stop, sk_model *m)
{
  *m = (sk_model){.scene = scene, .rods = sk_calloc((size_t)scene->rod_count, sizeof *m->rods)};
  skein_status s = m->rods ? sk_ok() : sk_no_memory();
  for (int i = 0; i < scene->rod_count && s.code == SKEIN_OK; i++) {
    if (sk_stop_asked(stop)) return sk_stopped();
    const sk_scene_rod *from = scene->rods + i;
    m->rods[i] =
        (sk_model_rod){.radius = from->radius, .group = from->group, .source = i, .cut_off = -1, .rooted_in = -1};
    s = sk_status_prefix(create_rod(from, env, &m->rods[i].rod), from->name);
    m->rod_count = i + (s.code == SKEIN_OK);
  }
  sk_model_number(m);
  return s;
}

void sk_model_destroy(sk_model *m)
{
  for (int i = 0; i < m->rod_count; i++) sk_rod_destroy(m->rods[i].rod);
  free(m->rods);
  *m = (sk_model){0};
}

void sk_model_number(sk_model *m)
{
  m->nx = m->nv = 0, m->object_count = m->rod_count + m->scene->body_count;
  for (int i = 0; i < m->rod_count; i++) {
    m->rods[i].x = m->nx, m->rods[i].v = m->nv;
    m->nx += (size_t)m->rods[i].rod->nx, m->nv += (size_t)m->rods[i].rod->n;
  }
}

void sk_model_name(const sk_model *m, int i, char *out, size_t size)
{
  const sk_scene_rod *rod = m->scene->rods + m->rods[i].source;
  if (rod->file) snprintf(out, size, "%.60s of '%.80s'", rod->name, rod->file);
  else snprintf(out, size, "%.140s", rod->name);
}

skein_status sk_model_blame(const sk_model *m, int i, skein_status s)
{
  char name[160];
  sk_model_name(m, i, name, sizeof name);
  return sk_status_prefix(s, name);
}

double sk_model_mass(const sk_model *m, int object)
{
  if (object < m->rod_count) return m->rods[object].rod->section.rho_S * m->rods[object].rod->def.length;
  const sk_scene_body *b = m->scene->bodies + (object - m->rod_count);
  return b->mode == SK_DYNAMIC ? b->mass : 0;
}

double sk_model_body_size(const sk_model *m, int body)
{
  const sk_shape *shape = &m->scene->bodies[body].shape;
  sk_vec3 lo, hi;
  if (shape->kind == SK_PLANE) return HUGE_VAL;
  sk_shape_bounds(shape, &(sk_pose){.q = {1, {0, 0, 0}}}, &lo, &hi);
  return sk_norm(sk_sub(hi, lo));
}

double sk_model_longest(const sk_model *m, const sk_state *s)
{
  double L = 0;
  for (int i = 0; i < m->rod_count; i++) L = fmax(L, m->rods[i].rod->def.length);
  for (int i = 0; i < m->scene->body_count; i++) {
    sk_vec3 lo, hi;
    if (m->scene->bodies[i].mode != SK_DYNAMIC) continue;
    sk_shape_bounds(&m->scene->bodies[i].shape, &s->body[i].pose, &lo, &hi);
    L = fmax(L, sk_norm(sk_sub(hi, lo)));
  }
  return L;
}

/* Weight times length, and the motion. */
double sk_model_energy_scale(const sk_model *m, const sk_live *live, const sk_state *s)
{
  double sum = 0, g = sk_norm(sk_load3(live->env.gravity));
  skein_step_info info;
  sk_energies(m, live, s, 1, &info);
  for (int i = 0; i < m->rod_count; i++) {
    const sk_rod *rod = m->rods[i].rod;
    double EI = fmax(rod->section.EI1, rod->section.EI2);
    sum += sk_model_mass(m, i) * g * rod->def.length + EI / rod->def.length;
  }
  for (int i = 0; i < m->scene->body_count; i++) sum += sk_model_mass(m, m->rod_count + i) * g;
  return sum + fabs(info.kinetic) + fabs(info.elastic);
}
