/* What a step teaches for the next one: its length, its tolerance, and what it is asked for. */
#include "world/world.h"

#include <math.h>

/* Root of the mean of the squared speed over all mass that moves. */
static double mean_speed(const sk_model *m, double kinetic)
{
  double mass = 0;
  for (int i = 0; i < m->object_count; i++) mass += sk_model_mass(m, i);
  return mass > 0 ? sqrt(2 * kinetic / mass) : 0;
}

/* Whether a step moved so little that the solver may be exact: nothing moves by much of a radius in a step, or all
 * together by a hundredth; and slower than what falls through a tenth of one. In a full head some contact always
 * jitters within a loose tolerance: the mean sees through that, and with a finer tolerance it ends. */
static bool is_calm(const skein_world *w, const skein_step_info *info, double radius)
{
  const sk_scene_step *step = &w->model.scene->step;
  double g = sk_norm(sk_load3(w->live.env.gravity)), unit = radius / step->dt;
  if (!isfinite(radius)) return info->speed < sk_limit.calm.body;
  double share = fmin(sk_limit.calm.place, fmax(sk_limit.calm.place_least, sk_limit.calm.tols * step->tol)),
         mean = mean_speed(&w->model, info->kinetic);
  if (mean < sk_limit.calm.mean * unit && (g == 0 || 0.5 * mean * mean < sk_limit.calm.fall * g * radius)) return true;
  return info->speed < share * unit && (g == 0 || 0.5 * info->speed * info->speed < sk_limit.calm.fall * g * radius);
}

/* A contact that is pressed from all sides stays so: each time that push-out fails again, it is left alone for twice as
 * long. */
static void learn_gentle(sk_controller *c, bool gentle)
{
  if (!gentle) c->gentle_steps = c->gentle_last = 0;
  else if (c->gentle_steps > 0) c->gentle_steps--;
  else
    c->gentle_steps = c->gentle_last =
        SK_MAX(sk_limit.overlap.gentle_least, SK_MIN(sk_limit.overlap.gentle_most, 2 * c->gentle_last));
}

/* Half the step after trouble, slowly back to the default after clean ones. */
static void learn_length(skein_world *w, const skein_step_info *info, double wanted)
{
  const sk_scene_step *step = &w->model.scene->step;
  sk_controller *c = &w->controller;
  sk_state *next = sk_next(w);
  double shortest = sk_shortest(&w->model, next);
  bool deeper = info->penetration > sk_limit.length.deep * step->overlap &&
                info->penetration > sk_limit.length.more * next->penetration;
  if (info->dt < wanted) c->dt = fmax(shortest, info->dt), c->clean_steps = sk_limit.length.clean_steps;
  else if (deeper) c->dt = fmax(shortest, 0.5 * c->dt), c->clean_steps = sk_limit.length.clean_steps;
  else if (c->clean_steps > 0) c->clean_steps--;
  else c->dt = fmin(step->dt, sk_limit.length.grows * c->dt);
  next->penetration = info->penetration;
}

static void learn_tolerance(skein_world *w, const skein_step_info *info)
{
  sk_controller *c = &w->controller;
  double radius = HUGE_VAL;
  for (int i = 0; i < w->model.rod_count; i++) radius = fmin(radius, w->attempt.rods[i].radius);
  bool missed = info->tol > sk_tolerance(&w->attempt); /* solved as motion asks, no better */
  bool calm = is_calm(w, info, radius), rests = !missed && c->coarse_steps > 0;
  c->calm = !calm ? 0 : missed ? c->calm / 2 : rests ? c->calm : SK_MIN(c->calm + 1, sk_limit.calm.halvings);
  c->coarse_steps = !calm ? 0 : missed ? sk_limit.calm.coarse_steps : SK_MAX(0, c->coarse_steps - 1);
}

void sk_controller_learn(skein_world *w, const skein_step_info *info, double wanted)
{
  sk_state *next = sk_next(w);
  learn_gentle(&w->controller, w->attempt.plan.gentle);
  learn_length(w, info, wanted);
  for (int i = 0; i < w->model.rod_count; i++) {
    sk_look *look = next->look + i;
    look->extra =
        look->extra > sk_limit.stray.forgotten * w->attempt.rods[i].radius ? sk_limit.stray.fades * look->extra : 0;
    if (look->dense > 0) look->dense--;
  }
  learn_tolerance(w, info);
}
