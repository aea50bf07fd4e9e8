/* One step of the world (Moreau): attempts at it until one is accepted. A step that fails, that the solver could not
 * finish or that moved further than the search looked is taken again; never skipped. */
#include "world/world.h"

#include <math.h>
#include <string.h>

/* ---- The length of a step ---- */

/* The next moment that a step must not cross: `until`, an event, a force that begins or ends. */
static double horizon(const skein_world *w, double until)
{
  const skein_scene *scene = w->model.scene;
  const sk_state *now = sk_now(w);
  double t = fmin(until, sk_load_change(&w->model, now));
  if (sk_settling(now)) t = fmin(t, 0);
  if (now->next_event < scene->event_count) t = fmin(t, scene->events[now->next_event].time);
  return t;
}

/* Up to the horizon in steps of one length: contacts come and go with it, and the last impulses are a worse guess
 * (curls at rest: 1 to 4 sweeps a step, 34 to 391 where the length changed). Without a horizon, the length itself. */
static double choose_dt(const skein_world *w, double until)
{
  const sk_state *now = sk_now(w);
  double left = horizon(w, until) - now->time, dt = w->controller.dt, travel = w->model.scene->step.travel;
  if (travel > 0) {
    double fastest = 0, shortest = HUGE_VAL;
    for (int i = 0; i < w->model.rod_count; i++)
      fastest = fmax(fastest, now->look[i].speed), shortest = fmin(shortest, w->model.rods[i].rod->l);
    if (fastest * dt > travel * shortest) dt = travel * shortest / fastest;
    dt = fmax(dt, sk_shortest(&w->model, now));
  }
  double steps = ceil(left / dt * (1 - 1e-9)), even = left / steps;
  if (!isfinite(steps)) return dt;
  return steps > 1 && even > dt * (1 - 1e-6) ? dt : even;
}

/* ---- Judgement ---- */

static bool all_finite(const skein_step_info *info)
{
  double motion = info->kinetic + info->elastic + info->gravity + info->speed + info->penetration;
  return isfinite(motion + info->error + info->work + info->dissipated + info->dissipated_friction);
}

/* A motion that gained a thousand times all the energy that there was, or that forces gave, in one step. */
static bool runs_away(const sk_state *now, const skein_step_info *info)
{
  double scale = now->energy_scale + fabs(info->work);
  return now->steps > 0 && info->kinetic > sk_limit.length.runs_away * scale;
}

static skein_status blown_up(const skein_world *w, const skein_step_info *info)
{
  int worst = 0;
  double most = -1;
  const sk_state *next = sk_next(w);
  for (int i = 0; i < w->model.rod_count; i++) {
    double speed = 0;
    const sk_rod *rod = w->model.rods[i].rod;
    const double *v = next->v + w->model.rods[i].v;
    for (int k = 0; k < rod->n; k++)
      speed = fmax(speed, isfinite(v[k]) ? fabs(v[k]) / rod->ops->scale(rod, k) : HUGE_VAL);
    if (speed > most) most = speed, worst = i;
  }
  char name[160] = "bodies";
  if (w->model.rod_count > 0) sk_model_name(&w->model, worst, name, sizeof name);
  return sk_fail(SKEIN_BAD_INPUT,
                 "the motion blew up in step %lld (t = %g s, dt = %g s): kinetic energy %g J; fastest: %s",
                 (long long)sk_now(w)->steps + 1, sk_now(w)->time, info->dt, info->kinetic, name);
}

/* Largest overlap in radii, and 3 n / m. */
static void describe(const sk_attempt *w, skein_step_info *info)
{
  info->nu = w->linear.problem.dofs > 0 ? 3.0 * w->found.contacts.count / w->linear.problem.dofs : 0;
  for (int i = 0; i < w->model->scene->body_count; i++)
    if (w->model->scene->bodies[i].mode == SK_DYNAMIC) info->speed = fmax(info->speed, sk_norm(w->next->body[i].v));
  info->penetration = 0;
  for (int k = 0; k < w->found.contacts.count; k++) {
    const sk_contact *t = w->found.contacts.at + k;
    if (sk_is_rod(w, t->a)) info->penetration = fmax(info->penetration, -t->gap / w->rods[t->a].radius);
  }
}

/* The contacts of the step become those of the state next; those of sleepers stay, with impulses over this dt. */
static skein_status keep_contacts(sk_attempt *w)
{
  const sk_contacts *old = &w->now->contacts, *found = &w->found.contacts;
  double scale = w->now->last_dt > 0 ? w->plan.dt / w->now->last_dt : 1;
  sk_contact *all = SK_NEW_RAW(&w->work.arena, (size_t)found->count + (size_t)old->count, sk_contact);
  int count = 0, i = 0;
  if (w->work.arena.failed) return sk_no_memory();
  for (int k = 0; k < old->count; k++) {
    sk_contact stays = old->at[k];
    if (!sk_asleep(w->next, stays.a) && !sk_asleep(w->next, stays.b)) continue;
    stays.impulse = sk_mul(scale, stays.impulse);
    while (i < found->count && sk_contact_order(found->at + i, &stays) < 0) all[count++] = found->at[i++];
    all[count++] = stays;
  }
  while (i < found->count) all[count++] = found->at[i++];
  return sk_state_keep(w->next, all, count);
}

/* By status, those of sleepers too. */
static void count_contacts(const sk_state *s, skein_step_info *info)
{
  int count[3] = {0, 0, 0};
  for (int k = 0; k < s->contacts.count; k++) count[s->contacts.at[k].status]++;
  info->contacts = s->contacts.count, info->open = count[0], info->stick = count[1], info->slide = count[2];
}

/* ---- Attempts ---- */

/* The state next as it is before any attempt: a copy, which waking and looking further change from one to the next. */
static void begin_step(skein_world *w, double dt)
{
  sk_attempt *a = &w->attempt;
  sk_state_copy(&w->model, sk_now(w), sk_next(w));
  a->model = &w->model, a->now = sk_now(w), a->next = sk_next(w), a->live = &w->live, a->surfaces = w->surfaces;
  a->next->growth = sk_settle_growth(&w->model, a->now);
  for (int i = 0; i < w->model.rod_count; i++) a->next->look[i].finer = 0;
  a->work.last.count = 0;
  a->plan = (sk_plan){.dt = dt,
                      .end = a->now->time + dt,
                      .calm = w->controller.calm,
                      .gentle = w->controller.gentle_steps > 0,
                      .shortest = sk_shortest(&w->model, a->now),
                      .settles = sk_settling(a->now),
                      .grew = HUGE_VAL};
}

/* Whether push-out or arcs have thrown a rod: there is a velocity that opens all overlaps of a packed head at once, and
 * one hair leaves it at 8 m/s. Nothing else that touches makes the fastest so much faster in a step. */
static bool throws(const sk_attempt *w, const skein_step_info *info)
{
  double before = 0, L = 0, g = sk_norm(sk_load3(w->live->env.gravity));
  if (!sk_asks(w) || !(g > 0)) return false;
  for (int i = 0; i < w->model->rod_count; i++)
    before = fmax(before, w->next->look[i].speed), L = fmax(L, w->model->rods[i].rod->def.length);
  return info->speed > sk_limit.overlap.thrown * before + sk_limit.overlap.falls * sqrt(g * L);
}

/* What the motion met that the problem had not: wider where a point went further than its piece looked and met
 * something, or two that seemed too far apart met; finer where rods were bent. */
static void look_at_motion(sk_attempt *w, skein_step_info *info, sk_outcome *o)
{
  double last = sk_seconds(), deeper;
  bool missed, over = sk_pieces_left(w, &info->speed) && sk_verify_strays(w);
  deeper = sk_verify_deeper(w, &missed);
  bool coarse = sk_verify_coarse(w);
  if (over || missed || coarse) o->flaws |= 1u << SKEIN_FLAW_TOO_FAST;
  if (o->asks && throws(w, info)) o->flaws |= 1u << SKEIN_FLAW_UNBALANCED;
  if (info->converged && deeper > 0 && deeper < sk_limit.overlap.less * w->plan.grew) /* a shorter step made it less */
    o->flaws |= 1u << SKEIN_FLAW_TOO_DEEP, o->deeper = deeper;
  info->seconds_collide += sk_seconds() - last;
}

/* Energies, and whether the motion has any that means something. */
static bool is_sound(skein_world *w, skein_step_info *info)
{
  sk_attempt *a = &w->attempt;
  describe(a, info);
  sk_energies(&w->model, &w->live, a->next, a->work.threads, info);
  info->work = sk_attempt_load_work(a);
  return all_finite(info) && !runs_away(a->now, info);
}

/* One attempt by the plan, and what came of it. Only what may be accepted is looked at whole. */
static sk_outcome try_plan(skein_world *w, skein_step_info *info)
{
  sk_attempt *a = &w->attempt;
  sk_outcome o = {.status = sk_attempt_run(a, info)};
  o.status = sk_unless_stopped(o.status, a->work.stop);
  if (o.status.code != SKEIN_OK) {
    o.flaws = o.status.code == SKEIN_BAD_INPUT ? 1u << SKEIN_FLAW_DIVERGED : 0;
    return o;
  }
  if (a->found.woken) o.flaws |= 1u << SKEIN_FLAW_WOKEN;
  if (o.flaws) return o;
  o.asks = sk_asks(a);
  if (!info->converged) o.flaws |= 1u << SKEIN_FLAW_MISSED;
  bool refused = sk_decide(&a->plan, &o) > SKEIN_ACCEPT_FLAWED;
  if (refused && o.asks) return o;
  look_at_motion(a, info, &o);
  if (sk_decide(&a->plan, &o) > SKEIN_ACCEPT_FLAWED) return o;
  if (!is_sound(w, info)) o.flaws |= 1u << SKEIN_FLAW_DIVERGED, o.status = blown_up(w, info);
  else sk_able_see(a), o.status = sk_attempt_judge(a, info);
  return o;
}

/* The contacts of an attempt that was solved, for the next one of the same length. */
static skein_status keep_attempt(sk_attempt *w, const skein_step_info *info)
{
  int count = info->converged ? w->found.contacts.count : 0;
  sk_arena_reset(&w->work.last_kept);
  w->work.last = (sk_contacts){SK_NEW_RAW(&w->work.last_kept, count, sk_contact), 0};
  if (w->work.last_kept.failed) return sk_no_memory();
  if (count > 0) memcpy(w->work.last.at, w->found.contacts.at, sizeof(sk_contact) * (size_t)count);
  w->work.last.count = count;
  return sk_ok();
}

/* The plan of the next attempt. */
static skein_status plan_next(sk_attempt *w, const skein_step_info *info, const sk_outcome *o, skein_action action)
{
  sk_plan *p = &w->plan;
  p->number++, p->again = false, w->work.last.count = 0;
  if (p->number == SKEIN_ATTEMPTS - 1) sk_wake_all(w->model, w->next);
  if (action == SKEIN_SEARCH_FURTHER) return p->searches++, keep_attempt(w, info);
  if (action == SKEIN_ASK_LESS) p->again = (o->flaws & 1u << SKEIN_FLAW_MISSED) != 0, sk_plan_less(w);
  if (action != SKEIN_HALVE) return sk_ok();
  if (o->flaws & 1u << SKEIN_FLAW_TOO_DEEP) p->grew = o->deeper;
  p->dt = fmax(0.5 * p->dt, p->shortest), p->end = w->now->time + p->dt;
  return sk_ok();
}

static void note(skein_step_info *info, const sk_outcome *o, skein_action action, double since)
{
  if (info->attempts == SKEIN_ATTEMPTS) return;
  info->attempt[info->attempts++] = (skein_attempt){info->dt, o->flaws, action, info->sweeps, sk_seconds() - since};
}

static skein_status endless(const skein_world *w)
{
  return sk_fail(SKEIN_BAD_INPUT, "step %lld (t = %g s): none of %d attempts led to a motion",
                 (long long)sk_now(w)->steps + 1, sk_now(w)->time, SKEIN_ATTEMPTS);
}

/* Attempts until one is accepted, or none can be. */
static skein_status take_step(skein_world *w, double dt, skein_step_info *info)
{
  sk_attempt *a = &w->attempt;
  begin_step(w, dt);
  for (;;) {
    double since = sk_seconds();
    info->dt = a->plan.dt, info->retries = a->plan.number;
    sk_outcome o = try_plan(w, info);
    if (o.status.code == SKEIN_NO_MEMORY || o.status.code == SKEIN_STOPPED) return o.status;
    skein_action action = sk_decide(&a->plan, &o);
    if (action <= SKEIN_ACCEPT_FLAWED) {
      o.flaws |= info->verdict.flaws;
      note(info, &o, o.flaws ? SKEIN_ACCEPT_FLAWED : SKEIN_ACCEPT, since);
      return sk_ok();
    }
    note(info, &o, action, since);
    if (action == SKEIN_GIVE_UP) return o.status.code == SKEIN_OK ? endless(w) : o.status;
    skein_status s = plan_next(a, info, &o, action);
    if (s.code != SKEIN_OK) return s;
  }
}

/* The state next becomes now. */
static void accept(skein_world *w)
{
  w->current = !w->current;
  sk_surfaces_accept(w->surfaces);
  sk_world_show(w);
}

/* What the step was, and the rest of the state next. */
static skein_status finish(skein_world *w, double end, skein_step_info *info)
{
  sk_attempt *a = &w->attempt;
  sk_state *next = a->next;
  if (sk_settling(a->now)) sk_settle_damp(&w->model, &w->live, next, info->dt);
  next->energy_scale = fmax(next->energy_scale, fabs(info->kinetic) + fabs(info->elastic));
  next->time = a->now->time + info->dt >= end - 1e-12 * info->dt ? end : a->now->time + info->dt;
  skein_status s = keep_contacts(a);
  next->last_dt = info->dt, next->steps++;
  info->time = next->time;
  if (s.code == SKEIN_OK) s = sk_sleep_resting(a);
  info->rods = w->model.rod_count, info->rods_asleep = sk_rods_asleep(&w->model, next);
  count_contacts(next, info);
  return s;
}

skein_status skein_world_step(skein_world *w, double until, skein_step_info *info)
{
  *info = (skein_step_info){.time = sk_now(w)->time};
  if (!(until > info->time))
    return sk_fail(SKEIN_BAD_INPUT, "until is %g s, expected more than the world's %g s", until, info->time);
  w->stop.said = false;
  skein_status s = sk_world_apply_events(w);
  if (s.code != SKEIN_OK) return s;
  double wanted = choose_dt(w, until);
  s = take_step(w, wanted, info);
  if (s.code != SKEIN_OK) return s;
  double last = sk_seconds();
  bool settles = sk_settling(sk_now(w));
  s = finish(w, horizon(w, until), info);
  if (s.code != SKEIN_OK) return s;
  sk_controller_learn(w, info, wanted);
  accept(w);
  if (settles && !sk_settling(sk_now(w))) s = sk_world_launch(w);
  info->seconds_other += sk_seconds() - last;
  info->memory = sk_memory();
  return s;
}
