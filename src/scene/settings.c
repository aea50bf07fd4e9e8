/* Title, surroundings, time, solver and output of a scene, with their defaults. */
#include "scene/reader.h"

#include <limits.h>
#include <string.h>

static void read_time(sk_reader *r, const sk_at *root)
{
  static const char *const fields[] = {"duration", "dt",     "dt_min", "dt_max",
                                       "theta",    "travel", "settle", "settle_friction"};
  sk_scene_step *s = &r->scene->step;
  sk_at at = sk_at_get(root, "time");
  if (at.value && !sk_at_object(r, &at, fields, SK_COUNT(fields))) return;
  r->scene->duration = sk_get_number(r, &at, "duration", SK_TIME, SK_POSITIVE, 1);
  s->dt = sk_get_number(r, &at, "dt", SK_TIME, SK_POSITIVE, 1e-3);
  s->dt_min = sk_get_number(r, &at, "dt_min", SK_TIME, SK_POSITIVE, s->dt / 1024);
  s->dt_max = sk_get_number(r, &at, "dt_max", SK_TIME, SK_POSITIVE, s->dt);
  s->theta = sk_get_number(r, &at, "theta", SK_ONE, SK_SHARE, 1);
  s->travel = sk_get_number(r, &at, "travel", SK_ONE, SK_NOT_NEGATIVE, 1);
  s->settle = sk_get_number(r, &at, "settle", SK_TIME, SK_NOT_NEGATIVE, 0);
  s->settle_friction = sk_get_number(r, &at, "settle_friction", SK_ONE, SK_SHARE, 1);
  if (sk_failed(r)) return;
  sk_at theta = sk_at_get(&at, "theta"), lo = sk_at_get(&at, "dt_min"), hi = sk_at_get(&at, "dt_max");
  if (s->theta < 0.5) sk_at_fail(r, &theta, "is %g, expected 0.5 to 1", s->theta);
  if (s->dt_min > s->dt) sk_at_fail(r, &lo, "is larger than dt, expected at most dt");
  if (s->dt_max < s->dt) sk_at_fail(r, &hi, "is smaller than dt, expected at least dt");
}

/* "secular", "mfb+enum": as on the command line. */
static void read_local(sk_reader *r, const sk_at *solver)
{
  sk_scene_step *s = &r->scene->step;
  const char *names[SKEIN_LOCAL_COUNT], *word = sk_get_string(r, solver, "local", NULL);
  sk_at at = sk_at_get(solver, "local");
  char name[64];
  s->local = SKEIN_SECULAR, s->failsafe = true;
  if (!word) return;
  for (int k = 0; k < SKEIN_LOCAL_COUNT; k++) names[k] = skein_local_name((skein_local)k);
  const char *plus = strchr(word, '+');
  size_t length = plus ? (size_t)(plus - word) : strlen(word);
  s->failsafe = plus && !strcmp(plus, "+enum");
  bool shape = length < sizeof name && (!plus || s->failsafe);
  if (shape) memcpy(name, word, length), name[length] = 0;
  int found = shape ? skein_local_find(name) : -1;
  if (found >= 0) s->local = (skein_local)found;
  else sk_at_unknown(r, &at, "local solver", shape ? name : word, names, SKEIN_LOCAL_COUNT);
}

static void read_solver(sk_reader *r, const sk_at *root)
{
  static const char *const fields[] = {"method",      "local",       "tol",         "tol_rest",    "max_seconds",
                                       "max_sweeps",  "slop",        "push",        "chord",       "sleep",
                                       "sleep_speed", "sleep_after", "rigid",       "passive",     "overlap",
                                       "spacing",     "push_share",  "corrections", "start_sweeps"};
  static const char *const rigid[SK_RIGID_COUNT] = {"velocity", "newton", "fischer", "lcp"};
  const char *methods[SKEIN_METHOD_COUNT];
  sk_scene_step *s = &r->scene->step;
  sk_at at = sk_at_get(root, "solver");
  if (at.value && !sk_at_object(r, &at, fields, SK_COUNT(fields))) return;
  for (int k = 0; k < SKEIN_METHOD_COUNT; k++) methods[k] = skein_method_name((skein_method)k);
  s->method = (skein_method)sk_get_choice(r, &at, "method", "method", methods, SKEIN_METHOD_COUNT, SKEIN_AUTO);
  s->rigid = (sk_rigid_method)sk_get_choice(r, &at, "rigid", "rigid method", rigid, SK_RIGID_COUNT, SK_RIGID_VELOCITY);
  read_local(r, &at);
  s->tol = sk_get_number(r, &at, "tol", SK_ONE, SK_POSITIVE, 1e-6);
  s->tol_rest = sk_get_number(r, &at, "tol_rest", SK_ONE, SK_POSITIVE, s->tol < 1e-8 ? s->tol : 1e-8);
  s->max_seconds = sk_get_number(r, &at, "max_seconds", SK_ONE, SK_NOT_NEGATIVE, 0);
  s->max_sweeps = sk_get_int(r, &at, "max_sweeps", 1, INT_MAX, 2000);
  s->start_sweeps = sk_get_int(r, &at, "start_sweeps", 0, INT_MAX, 0);
  s->slop = sk_get_number(r, &at, "slop", SK_ONE, SK_SHARE, 0.02);
  s->push = sk_get_number(r, &at, "push", SK_SPEED, SK_NOT_NEGATIVE, 0.1);
  s->push_share = sk_get_number(r, &at, "push_share", SK_ONE, SK_SHARE, 0);
  s->corrections = sk_get_int(r, &at, "corrections", 0, 10, 0);
  s->passive = sk_get_bool(r, &at, "passive", false);
  s->chord = sk_get_number(r, &at, "chord", SK_ONE, SK_SHARE, 0.05);
  s->sleep = sk_get_bool(r, &at, "sleep", true);
  s->sleep_speed = sk_get_number(r, &at, "sleep_speed", SK_ONE, SK_NOT_NEGATIVE, 0.01);
  s->sleep_after = sk_get_number(r, &at, "sleep_after", SK_TIME, SK_NOT_NEGATIVE, 0.1);
  s->overlap = sk_get_number(r, &at, "overlap", SK_ONE, SK_SHARE, 0.05);
  s->spacing = sk_get_number(r, &at, "spacing", SK_ONE, SK_SHARE, 0);
  sk_at chord = sk_at_get(&at, "chord"), overlap = sk_at_get(&at, "overlap");
  if (!sk_failed(r) && s->chord < 1e-3) sk_at_fail(r, &chord, "is %g, expected 0.001 to 1", s->chord);
  if (!sk_failed(r) && s->overlap < 1e-3) sk_at_fail(r, &overlap, "is %g, expected 0.001 to 1", s->overlap);
}

/* Methods that enforce distances have bodies only, no impact law, and poses by the velocity at the end of the step. */
void sk_check_rigid(sk_reader *r, const sk_at *root)
{
  const skein_scene *s = r->scene;
  sk_at solver = sk_at_get(root, "solver"), at = sk_at_get(&solver, "rigid");
  if (sk_failed(r) || s->step.rigid == SK_RIGID_VELOCITY) return;
  if (s->rod_count > 0) sk_at_fail(r, &at, "enforces distances of rigid bodies, expected a scene without rods");
  if (s->cache_count > 0) sk_at_fail(r, &at, "enforces distances of rigid bodies, expected no mesh with an animation");
  if (s->step.theta < 1) sk_at_fail(r, &at, "enforces distances, expected time.theta = 1, found %g", s->step.theta);
  for (int k = 0; k < s->group_count * s->group_count && !sk_failed(r); k++)
    if (s->restitution[k] > 0 && s->mu[k] >= 0)
      sk_at_fail(r, &at, "enforces distances and has no impact law, expected restitution 0, found %g",
                 s->restitution[k]);
}

static void read_output(sk_reader *r, const sk_at *root)
{
  static const char *const fields[] = {"fps", "every", "points", "contacts", "checkpoint_every"};
  static const char *const every[] = {"frame", "step"};
  sk_scene_output *o = &r->scene->output;
  sk_at at = sk_at_get(root, "output");
  if (at.value && !sk_at_object(r, &at, fields, SK_COUNT(fields))) return;
  o->fps = sk_get_number(r, &at, "fps", SK_ONE, SK_POSITIVE, 30);
  o->every_step = sk_get_choice(r, &at, "every", "choice", every, SK_COUNT(every), 0) == 1;
  o->points = sk_get_int(r, &at, "points", 0, 100000, 0);
  o->contacts = sk_get_bool(r, &at, "contacts", true);
  o->checkpoint_every = sk_get_int(r, &at, "checkpoint_every", 1, INT_MAX, 10);
  sk_at points = sk_at_get(&at, "points");
  if (!sk_failed(r) && o->points == 1) sk_at_fail(r, &points, "is 1, expected 0 (as many as needed) or at least 2");
}

/* The last part of a path. */
static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

void sk_read_settings(sk_reader *r, const sk_at *root)
{
  skein_env env = skein_default_env();
  const char *title = sk_get_string(r, root, "title", base_name(r->name));
  r->scene->title = sk_reader_copy(r, title);
  sk_store3(env.gravity, sk_get_vector(r, root, "gravity", SK_ACCELERATION, sk_load3(env.gravity)));
  sk_store3(env.wind, sk_get_vector(r, root, "wind", SK_SPEED, sk_load3(env.wind)));
  r->scene->env = env;
  read_time(r, root);
  read_solver(r, root);
  read_output(r, root);
}
