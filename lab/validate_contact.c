/* Worlds for the contact tests: a scene from text, steps, and what the contacts of a step add up to. */
#include "validate.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

contact_world contact_open(const char *format, ...)
{
  enum { size = 32768 };
  contact_world c = {.status = {.code = SKEIN_NO_MEMORY, .message = "out of memory"}, .least_dt = INFINITY};
  char *text = malloc(size);
  if (!text) return c;
  va_list args;
  va_start(args, format);
  vsnprintf(text, size, format, args);
  va_end(args);
  for (char *at = text; (at = strchr(at, '\'')); at++) *at = '"';
  c.status = skein_scene_parse(text, "scene", ".", NULL, 0, &c.scene);
  if (c.status.code == SKEIN_OK) c.status = skein_world_create(c.scene, 1, &c.world);
  free(text);
  return c;
}

void contact_close(contact_world *c)
{
  skein_world_destroy(c->world);
  skein_scene_destroy(c->scene);
  c->world = NULL, c->scene = NULL;
}

bool contact_step(contact_world *c, double until)
{
  if (c->status.code != SKEIN_OK || !(skein_world_time(c->world) < until)) return false;
  c->status = skein_world_step(c->world, until, &c->info);
  if (c->status.code != SKEIN_OK) return false;
  c->least_dt = fmin(c->least_dt, c->info.dt);
  c->unfinished += !c->info.converged;
  return true;
}

void contact_run(contact_world *c, double until)
{
  while (contact_step(c, until)) continue;
}

void contact_body(const contact_world *c, int i, double place[3], double velocity[3])
{
  double quaternion[4], spin[3];
  for (int k = 0; k < 3; k++) place[k] = velocity[k] = NAN;
  if (c->world) skein_world_body(c->world, i, place, quaternion, velocity, spin);
}

void contact_rod(const contact_world *c, int i, double place[3], double velocity[3])
{
  for (int k = 0; k < 3; k++) place[k] = velocity[k] = c->world ? 0 : NAN;
  if (!c->world) return;
  const skein_rod *rod = skein_world_rod(c->world, i);
  skein_rod_def def = skein_rod_definition(rod);
  for (int p = 0; p <= def.elements; p++) {
    double weight = (p == 0 || p == def.elements ? 0.5 : 1) / def.elements, s = def.length * p / def.elements, v[3];
    skein_pose pose;
    skein_rod_point(rod, s, &pose), skein_rod_velocity(rod, s, v);
    for (int k = 0; k < 3; k++) place[k] += weight * pose.r[k], velocity[k] += weight * v[k];
  }
}

/* Adds contact k; its force is on its first object, a rod, and acts at a point of its axis. */
static void add_contact(const contact_world *c, const skein_frame *f, int k, const double about[3], contact_force *sum)
{
  const double *n = f->contact_normal + 3 * k, *r = f->contact_impulse + 3 * k;
  double F[3], x[3];
  skein_pose at;
  if (f->contact_status[k] == 0 || f->contact_object[2 * k] >= f->rods) return;
  skein_rod_point(skein_world_rod(c->world, f->contact_object[2 * k]), f->contact_s[2 * k], &at);
  for (int i = 0; i < 3; i++) F[i] = r[i] / c->info.dt, x[i] = at.r[i] - about[i], sum->normal += F[i] * n[i];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    sum->force[i] += F[i], sum->torque[i] += x[j] * F[l] - x[l] * F[j];
  }
  sum->contacts++;
  sum->stick += f->contact_status[k] == 1, sum->slide += f->contact_status[k] == 2;
}

contact_force contact_sum(contact_world *c, const double about[3])
{
  contact_force sum = {0};
  skein_frame frame = {0};
  if (c->status.code != SKEIN_OK) return sum;
  c->status = skein_world_frame(c->world, 0, &frame);
  for (int k = 0; c->status.code == SKEIN_OK && k < frame.contacts; k++) add_contact(c, &frame, k, about, &sum);
  skein_frame_destroy(&frame);
  return sum;
}
