/* One step of the world (Moreau): scene -> rods, bodies -> collide -> one-step problem -> friction -> integrate.
 * A step that fails, that the solver could not finish or that moved further than the collision search looked is taken
 * again, shorter; never skipped. */
#include "world/world.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ---- Saving and restoring ---- */

static void save(skein_world *w)
{
  double *at = w->saved;
  for (int i = 0; i < w->strand_count; i++) {
    const skein_rod *rod = w->strands[i].rod;
    memcpy(at, rod->x, sizeof(double) * (size_t)rod->nx), at += rod->nx;
    memcpy(at, rod->v, sizeof(double) * (size_t)rod->n), at += rod->n;
  }
  if (w->scene->body_count > 0) memcpy(w->saved_bodies, w->bodies, sizeof *w->bodies * (size_t)w->scene->body_count);
}

/* Rods and bodies as they were, the latter as they are in `bodies`. */
static void restore(skein_world *w, const sk_body_state *bodies)
{
  const double *at = w->saved;
  for (int i = 0; i < w->strand_count; i++) {
    skein_rod *rod = w->strands[i].rod;
    memcpy(rod->x, at, sizeof(double) * (size_t)rod->nx), at += rod->nx;
    memcpy(rod->v, at, sizeof(double) * (size_t)rod->n), at += rod->n;
  }
  if (w->scene->body_count > 0) memcpy(w->bodies, bodies, sizeof *w->bodies * (size_t)w->scene->body_count);
}

/* Arrays of the step; the arena is emptied first, and with it goes the problem of the last try. */
static skein_status prepare(skein_world *w)
{
  size_t states = 0;
  int dofs = 0;
  sk_arena_reset(&w->arena);
  w->problem = (skein_problem){0}, w->guess = NULL;
  skein_rod **rods = SK_NEW(&w->arena, w->strand_count, skein_rod *);
  w->systems = SK_NEW(&w->arena, w->threads, sk_rod_system);
  w->v_start = SK_NEW(&w->arena, w->strand_count + 1, int);
  w->body_dof = SK_NEW(&w->arena, w->scene->body_count, int);
  w->saved_bodies = SK_NEW(&w->arena, w->scene->body_count, sk_body_state);
  w->driven = SK_NEW(&w->arena, w->scene->body_count, sk_body_state);
  if (w->arena.failed) return sk_no_memory();
  for (int i = 0; i < w->strand_count; i++) {
    rods[i] = w->strands[i].rod, w->v_start[i] = dofs, dofs += rods[i]->n;
    states += (size_t)rods[i]->nx + (size_t)rods[i]->n;
  }
  w->v = SK_NEW_RAW(&w->arena, dofs, double), w->saved = SK_NEW_RAW(&w->arena, states, double);
  skein_status s = w->arena.failed ? sk_no_memory() : sk_ok();
  for (int t = 0; t < w->threads && s.code == SKEIN_OK; t++)
    s = sk_rod_system_create(rods, w->strand_count, &w->arena, w->systems + t);
  return s;
}

/* ---- The parts of a step ---- */

typedef skein_status (*strand_job)(skein_world *w, int strand, double dt, sk_rod_system *sys);

/* The job for every rod; of several failures that of the first rod, with its name. */
static skein_status for_strands(skein_world *w, double dt, strand_job job)
{
  skein_status status = sk_ok();
  int failed = w->strand_count;
#pragma omp parallel for num_threads(sk_world_team(w, w->strand_count, 16)) schedule(dynamic, 16)
  for (int i = 0; i < w->strand_count; i++) {
    skein_status s = job(w, i, dt, w->systems + omp_get_thread_num());
    if (s.code == SKEIN_OK) continue;
#pragma omp critical
    if (i < failed) failed = i, status = s;
  }
  if (failed == w->strand_count) return status;
  return sk_status_prefix(status, w->scene->rods[w->strands[failed].source].name);
}

/* A, b, and the free velocity: how far the rod might go, and where it goes if it touches nothing. */
static skein_status assemble_strand(skein_world *w, int i, double dt, sk_rod_system *sys)
{
  if (sk_world_asleep(w, i)) {
    memset(w->v + w->v_start[i], 0, sizeof(double) * (size_t)w->strands[i].rod->n);
    return sk_ok();
  }
  skein_status s = sk_rod_assemble(w->strands[i].rod, &w->env, dt, w->scene->step.theta, sys);
  if (s.code == SKEIN_OK) sk_world_pull(w, i, dt, sys);
  return s.code == SKEIN_OK ? sk_rod_solve(w->strands[i].rod, dt, w->v + w->v_start[i], sys) : s;
}

static skein_status advance_strand(skein_world *w, int i, double dt, sk_rod_system *sys)
{
  if (sk_world_asleep(w, i)) return sk_ok();
  return sk_rod_advance(w->strands[i].rod, &w->env, dt, w->scene->step.theta, w->v + w->v_start[i], sys);
}

/* Adds the time since *last to *sum. */
static void lap(double *last, double *sum)
{
  double now = sk_seconds();
  *sum += now - *last, *last = now;
}

/* Where everything goes with its new velocities. */
static skein_status move(skein_world *w, double dt, skein_step_info *info)
{
  double last = sk_seconds();
  skein_status s = for_strands(w, dt, advance_strand);
  if (s.code == SKEIN_OK) sk_world_move_bodies(w, w->saved_bodies, dt);
  lap(&last, &info->seconds_rods);
  return s;
}

/* Friction, and where everything goes with it. */
static skein_status solve_and_move(skein_world *w, double dt, sk_round round, skein_step_info *info)
{
  double last = sk_seconds();
  bool distances = w->scene->step.rigid != SK_RIGID_VELOCITY;
  skein_status s = distances ? sk_world_rigid(w, dt, info) : sk_world_solve(w, dt, round, info);
  if (s.code == SKEIN_OK) sk_world_restrain(w, dt);
  lap(&last, &info->seconds_solve);
  return s.code == SKEIN_OK ? move(w, dt, info) : s;
}

/* Less: no push-out, for where contacts press from all sides there may be no velocity that opens all overlaps, while
 * there always is one that keeps them; then no arcs of the last step, for the same reason. */
static void ask_less(skein_world *w)
{
  if (!w->gentle && w->pushed > 0) w->gentle = true;
  else w->plain = true;
}

/* Where no answer was found, the same contacts are asked for less, from the same start. */
static skein_status soften(skein_world *w, double dt, skein_step_info *info)
{
  skein_status s = sk_ok();
  while (s.code == SKEIN_OK && !info->converged && !sk_world_settling(w) && sk_world_asks(w)) {
    double last = sk_seconds();
    int sweeps = info->sweeps;
    restore(w, w->driven);
    ask_less(w);
    sk_world_soften(w, dt, info->error);
    lap(&last, &info->seconds_assemble);
    s = solve_and_move(w, dt, SK_SOFTER, info);
    info->sweeps += sweeps, info->retries++;
  }
  return s;
}

/* Solves again for what the motion was beside the linear one, from the same start; what finds no answer is dropped. */
static skein_status correct(skein_world *w, double dt, skein_step_info *info)
{
  int most = sk_world_settling(w) || w->scene->step.theta < 1 ? 0 : w->scene->step.corrections;
  bool again = true;
  skein_status s = sk_ok();
  for (int k = 0; k < most && info->converged && s.code == SKEIN_OK; k++) {
    skein_step_info before = *info;
    double last = sk_seconds();
    s = sk_world_correct(w, dt, &again);
    lap(&last, &info->seconds_assemble);
    if (s.code != SKEIN_OK || !again) break;
    restore(w, w->driven);
    s = solve_and_move(w, dt, SK_CORRECTED, info);
    info->sweeps += before.sweeps;
    if (s.code != SKEIN_OK || info->converged) continue;
    restore(w, w->driven);
    sk_world_uncorrect(w);
    sk_world_take(w, dt, info);
    info->converged = true, info->error = before.error, info->islands = before.islands;
    return move(w, dt, info);
  }
  return s;
}

/* The line of the data flow. */
static skein_status try_step(skein_world *w, double dt, skein_step_info *info)
{
  double last = sk_seconds();
  skein_status s = sk_world_drive(w, dt);
  sk_world_rouse(w, dt);
  if (s.code == SKEIN_OK) s = for_strands(w, dt, assemble_strand);
  lap(&last, &info->seconds_rods);
  if (s.code == SKEIN_OK) s = sk_world_touch(w, dt);
  lap(&last, &info->seconds_collide);
  if (w->disturbed) return s;
  bool distances = w->scene->step.rigid != SK_RIGID_VELOCITY;
  if (s.code == SKEIN_OK && !distances) s = sk_world_assemble(w, dt);
  lap(&last, &info->seconds_assemble);
  if (w->scene->body_count > 0) memcpy(w->driven, w->bodies, sizeof *w->bodies * (size_t)w->scene->body_count);
  if (s.code == SKEIN_OK) s = solve_and_move(w, dt, SK_FIRST, info);
  if (s.code == SKEIN_OK && !distances) s = soften(w, dt, info);
  return s.code == SKEIN_OK && !distances ? correct(w, dt, info) : s;
}

/* ---- The length of a step ---- */

/* The next moment that a step must not cross: `until`, an event, a force that begins or ends. */
static double horizon(const skein_world *w, double until)
{
  double t = fmin(until, sk_world_load_change(w));
  if (sk_world_settling(w)) t = fmin(t, 0);
  if (w->next_event < w->scene->event_count) t = fmin(t, w->scene->events[w->next_event].time);
  return t;
}

/* Up to the horizon in steps of one length: contacts come and go with it, and the last impulses are a worse guess
 * (curls at rest: 1 to 4 sweeps a step, 34 to 391 where the length changed). */
static double choose_dt(const skein_world *w, double until)
{
  double left = horizon(w, until) - w->time, dt = w->dt;
  if (w->scene->step.travel > 0) {
    double fastest = 0, shortest = HUGE_VAL;
    for (int i = 0; i < w->strand_count; i++) {
      const sk_strand *s = w->strands + i;
      fastest = fmax(fastest, s->speed), shortest = fmin(shortest, s->rod->l);
    }
    if (fastest * dt > w->scene->step.travel * shortest) dt = w->scene->step.travel * shortest / fastest;
    dt = fmax(dt, sk_world_shortest(w));
  }
  double steps = ceil(left / dt * (1 - 1e-9)), even = left / steps;
  return steps > 1 && even > dt * (1 - 1e-6) ? dt : even;
}

/* ---- Judgement ---- */

static bool all_finite(const skein_step_info *info)
{
  return isfinite(info->kinetic + info->elastic + info->gravity + info->speed + info->error);
}

/* A motion that gained a thousand times all the energy that there was, or that forces gave, in one step. */
static bool runs_away(const skein_world *w, const skein_step_info *info)
{
  double scale = w->energy_scale + fabs(info->work);
  return w->steps > 0 && info->kinetic > 1000 * scale;
}

static skein_status blown_up(const skein_world *w, const skein_step_info *info)
{
  int worst = 0;
  double most = -1;
  for (int i = 0; i < w->strand_count; i++) {
    double speed = 0;
    const skein_rod *rod = w->strands[i].rod;
    for (int k = 0; k < rod->n; k++)
      speed = fmax(speed, isfinite(rod->v[k]) ? fabs(rod->v[k]) / rod->ops->scale(rod, k) : HUGE_VAL);
    if (speed > most) most = speed, worst = i;
  }
  const char *name = w->strand_count > 0 ? w->scene->rods[w->strands[worst].source].name : "bodies";
  return sk_fail(SKEIN_BAD_INPUT,
                 "the motion blew up in step %lld (t = %g s, dt = %g s): kinetic energy %g J; fastest: %s",
                 (long long)w->steps + 1, w->time, info->dt, info->kinetic, name);
}

/* Largest overlap in radii, and 3 n / m. */
static void describe(const skein_world *w, skein_step_info *info)
{
  info->nu = w->problem.dofs > 0 ? 3.0 * w->tried.count / w->problem.dofs : 0;
  for (int i = 0; i < w->scene->body_count; i++)
    if (w->scene->bodies[i].mode == SK_DYNAMIC) info->speed = fmax(info->speed, sk_norm(w->bodies[i].v));
  info->penetration = 0;
  for (int k = 0; k < w->tried.count; k++) {
    const sk_touch *t = w->tried.at + k;
    if (sk_is_rod(w, t->a)) info->penetration = fmax(info->penetration, -t->gap / w->strands[t->a].radius);
  }
}

/* Energies of rods, block by block in their order: the same bits on any number of threads. */
static void rod_energies(const skein_world *w, skein_step_info *info)
{
  enum { BLOCK = 32 };
  int blocks = (w->strand_count + BLOCK - 1) / BLOCK;
  for (int first = 0; first < blocks; first += BLOCK) {
    int count = SK_MIN(blocks - first, (int)BLOCK);
    skein_rod_energy sum[BLOCK] = {{0}};
#pragma omp parallel for num_threads(sk_world_team(w, count, 2)) schedule(dynamic, 1)
    for (int b = 0; b < count; b++) {
      int begin = (first + b) * BLOCK;
      for (int i = begin; i < SK_MIN(begin + (int)BLOCK, w->strand_count); i++) {
        const skein_rod *rod = w->strands[i].rod;
        sk_rod_input in = sk_rod_input_make(rod, &w->env, true, false);
        skein_rod_energy e = rod->ops->energy(rod, rod->x, rod->v, &in);
        sum[b].kinetic += e.kinetic, sum[b].elastic += e.elastic, sum[b].gravity += e.gravity;
      }
    }
    for (int b = 0; b < count; b++)
      info->kinetic += sum[b].kinetic, info->elastic += sum[b].elastic, info->gravity += sum[b].gravity;
  }
}

void sk_world_energies(const skein_world *w, skein_step_info *info)
{
  info->kinetic = info->elastic = info->gravity = 0;
  rod_energies(w, info);
  for (int i = 0; i < w->scene->body_count; i++) {
    const sk_body_state *b = w->bodies + i;
    const sk_scene_body *body = w->scene->bodies + i;
    if (body->mode != SK_DYNAMIC) continue;
    info->kinetic += 0.5 * body->mass * sk_dot(b->v, b->v) + 0.5 * sk_dot(b->w, sk_apply(sk_world_inertia(w, i), b->w));
    info->gravity -= body->mass * sk_dot(sk_load3(w->env.gravity), b->pose.r);
  }
}

/* The touches of the step become those of the last one; those of sleepers stay, with impulses over this dt. */
static skein_status keep_touches(skein_world *w, double scale)
{
  sk_touch *all = SK_NEW_RAW(&w->arena, (size_t)w->tried.count + (size_t)w->touches.count, sk_touch);
  int count = 0, i = 0;
  if (w->arena.failed) return sk_no_memory();
  for (int k = 0; k < w->touches.count; k++) {
    sk_touch *old = w->touches.at + k;
    if (!sk_world_asleep(w, old->a) && !sk_world_asleep(w, old->b)) continue;
    old->impulse = sk_mul(scale, old->impulse);
    while (i < w->tried.count && sk_touch_order(w->tried.at + i, old) < 0) all[count++] = w->tried.at[i++];
    all[count++] = *old;
  }
  while (i < w->tried.count) all[count++] = w->tried.at[i++];
  sk_arena_reset(&w->kept);
  w->touches.count = 0;
  w->touches.at = SK_NEW_RAW(&w->kept, count, sk_touch);
  if (w->kept.failed) return sk_no_memory();
  w->touches.count = count;
  if (count > 0) memcpy(w->touches.at, all, sizeof *all * (size_t)count);
  return sk_ok();
}

/* Root of the mean of the squared speed over all mass that moves. */
static double mean_speed(const skein_world *w, double kinetic)
{
  double mass = 0;
  for (int i = 0; i < w->strand_count; i++) mass += w->strands[i].rod->section.rho_S * w->strands[i].rod->def.length;
  for (int i = 0; i < w->scene->body_count; i++)
    if (w->scene->bodies[i].mode == SK_DYNAMIC) mass += w->scene->bodies[i].mass;
  return mass > 0 ? sqrt(2 * kinetic / mass) : 0;
}

/* Whether a step moved so little that the solver may be exact: nothing moves by much of a radius in a step, or all
 * together by a hundredth; and slower than what falls through a tenth of one. In a full head some contact always
 * jitters within a loose tolerance: the mean sees through that, and with a finer tolerance it ends. */
static bool is_calm(const skein_world *w, const skein_step_info *info, double radius)
{
  double g = sk_norm(sk_load3(w->env.gravity)), unit = radius / w->scene->step.dt;
  if (!isfinite(radius)) return info->speed < 0.01;
  double share = fmin(0.1, fmax(0.01, 50 * w->scene->step.tol)), mean = mean_speed(w, info->kinetic);
  if (mean < 0.01 * unit && (g == 0 || 0.5 * mean * mean < 0.1 * g * radius)) return true;
  return info->speed < share * unit && (g == 0 || 0.5 * info->speed * info->speed < 0.1 * g * radius);
}

enum { patience = 4 };                    /* steps of that length after a shorter one */
enum { meek_least = 8, meek_most = 256 }; /* steps without push-out after one without */
enum { weary_for = 8 }; /* steps until a finer tolerance is asked for again, after one that missed it */

/* A contact that is pressed from all sides stays so: each time that push-out fails again, it is left alone for twice as
 * long. */
static void grow_meek(skein_world *w)
{
  if (!w->gentle) w->meek = w->meek_next = 0;
  else if (w->meek > 0) w->meek--;
  else w->meek = w->meek_next = SK_MAX(meek_least, SK_MIN(meek_most, 2 * w->meek_next));
}

/* Half the step after trouble, slowly back to the default after calm ones. `wanted`: the step that was tried first. */
static void adapt(skein_world *w, const skein_step_info *info, double wanted)
{
  const sk_scene_step *step = &w->scene->step;
  double radius = HUGE_VAL;
  for (int i = 0; i < w->strand_count; i++) radius = fmin(radius, w->strands[i].radius);
  bool deeper = info->penetration > 2 * step->overlap && info->penetration > 1.05 * w->penetration;
  if (info->dt < wanted) w->dt = fmax(sk_world_shortest(w), info->dt), w->hold = patience;
  else if (deeper) w->dt = fmax(sk_world_shortest(w), 0.5 * w->dt), w->hold = patience;
  else if (w->hold > 0) w->hold--;
  else w->dt = fmin(step->dt, 1.2 * w->dt);
  w->penetration = info->penetration;
  for (int i = 0; i < w->strand_count; i++) {
    sk_strand *s = w->strands + i;
    s->extra = s->extra > 1e-3 * s->radius ? 0.9 * s->extra : 0;
    if (s->dense > 0) s->dense--;
  }
  bool missed = info->tol > sk_world_tolerance(w); /* solved as motion asks, no better */
  bool calm = is_calm(w, info, radius), rests = !missed && w->weary > 0;
  w->calm = !calm ? 0 : missed ? w->calm / 2 : rests ? w->calm : SK_MIN(w->calm + 1, SK_CALM_MOST);
  w->weary = !calm ? 0 : missed ? (int)weary_for : SK_MAX(0, w->weary - 1);
}

/* Whether the step that was just tried must be taken again with a better search: wider where a point went further than
 * its piece looked and met something, or two that seemed too far apart met; finer where rods were bent. *deeper: what
 * the linear problem did not see, in radii. */
static bool look_further(skein_world *w, skein_step_info *info, double *deeper)
{
  double last = sk_seconds();
  bool over = sk_world_overshoot(w, info->dt, &info->speed) && sk_world_collided(w), missed;
  *deeper = sk_world_deepened(w, &missed);
  bool coarse = sk_world_coarse(w);
  lap(&last, &info->seconds_collide);
  return over || missed || coarse;
}

/* Whether push-out or arcs have thrown a rod: there is a velocity that opens all overlaps of a packed head at once, and
 * one hair leaves it at 8 m/s. Nothing else that touches makes the fastest so much faster in a step. */
static bool throws(const skein_world *w, const skein_step_info *info)
{
  double before = 0, L = 0, g = sk_norm(sk_load3(w->env.gravity));
  if (!sk_world_asks(w) || !(g > 0)) return false;
  for (int i = 0; i < w->strand_count; i++)
    before = fmax(before, w->strands[i].speed), L = fmax(L, w->strands[i].rod->def.length);
  return info->speed > 1.5 * before + 0.2 * sqrt(g * L);
}

/* The touches of a try that was solved, for the next one of the same length. */
static skein_status keep_try(skein_world *w, const skein_step_info *info)
{
  int count = info->converged ? w->tried.count : 0;
  sk_arena_reset(&w->again);
  w->last_try = (sk_touches){SK_NEW_RAW(&w->again, count, sk_touch), 0};
  if (w->again.failed) return sk_no_memory();
  if (count > 0) memcpy(w->last_try.at, w->tried.at, sizeof(sk_touch) * (size_t)count);
  w->last_try.count = count;
  return sk_ok();
}

/* The step with what it takes: wider searches; less of what there need not be, where hair would be thrown; shorter
 * steps, also where overlaps grow and a shorter step made them grow less. */
static skein_status take_step(skein_world *w, double dt, skein_step_info *info)
{
  double deeper = 0, before = HUGE_VAL;
  skein_status s;
  w->gentle = w->meek > 0, w->plain = false, w->last_try.count = 0;
  for (int i = 0; i < w->strand_count; i++) w->strands[i].finer = 0;
  for (int tries = 0, wider = 0;; tries++) {
    s = prepare(w);
    if (s.code != SKEIN_OK) return s;
    save(w);
    info->dt = dt, info->retries = tries;
    s = try_step(w, dt, info);
    tries = info->retries;
    if (s.code == SKEIN_OK && w->disturbed) {
      restore(w, w->saved_bodies), tries--, w->last_try.count = 0;
      continue;
    }
    bool shortest = dt <= sk_world_shortest(w) * (1 + 1e-9) || tries >= 60;
    if (s.code == SKEIN_OK && look_further(w, info, &deeper) && wider++ < 8 && !sk_world_settling(w)) {
      restore(w, w->saved_bodies);
      s = keep_try(w, info);
      if (s.code != SKEIN_OK) return s;
      continue;
    }
    if (s.code == SKEIN_OK && sk_world_settling(w)) return s;
    bool thrown = s.code == SKEIN_OK && throws(w, info);
    bool sinks = s.code == SKEIN_OK && info->converged && deeper > 0 && deeper < 0.75 * before && !shortest;
    bool fine = !sinks && !thrown && (info->converged || (shortest && !sk_world_asks(w)));
    if (s.code == SKEIN_OK && fine) return s;
    restore(w, w->saved_bodies);
    w->last_try.count = 0;
    if (s.code == SKEIN_OK && (!sinks || thrown) && sk_world_asks(w)) {
      ask_less(w);
      continue;
    }
    if (s.code == SKEIN_NO_MEMORY || shortest) return s;
    if (sinks) before = deeper;
    dt = fmax(0.5 * dt, sk_world_shortest(w));
  }
}

/* By status, those of sleepers too. */
static void count_contacts(const skein_world *w, skein_step_info *info)
{
  int count[3] = {0, 0, 0};
  for (int k = 0; k < w->touches.count; k++) count[w->touches.at[k].status]++;
  info->contacts = w->touches.count, info->open = count[0], info->stick = count[1], info->slide = count[2];
}

skein_status skein_world_step(skein_world *w, double until, skein_step_info *info)
{
  *info = (skein_step_info){.time = w->time};
  if (!(until > w->time))
    return sk_fail(SKEIN_BAD_INPUT, "until is %g s, expected more than the world's %g s", until, w->time);
  skein_status s = sk_world_apply_events(w);
  if (s.code != SKEIN_OK) return s;
  sk_world_swell(w);
  double wanted = choose_dt(w, until);
  s = take_step(w, wanted, info);
  double last = sk_seconds();
  if (s.code == SKEIN_OK) s = sk_world_judge(w, info);
  if (s.code != SKEIN_OK) return s;
  sk_world_deform_done(w);
  double end = horizon(w, until);
  grow_meek(w);
  describe(w, info);
  sk_world_energies(w, info);
  info->work = sk_world_load_work(w);
  if (!all_finite(info) || runs_away(w, info)) return blown_up(w, info);
  bool settles = sk_world_settling(w);
  if (settles) sk_world_damp(w, info->dt);
  w->energy_scale = fmax(w->energy_scale, fabs(info->kinetic) + fabs(info->elastic));
  w->time = w->time + info->dt >= end - 1e-12 * info->dt ? end : w->time + info->dt;
  s = keep_touches(w, w->last_dt > 0 ? info->dt / w->last_dt : 1);
  w->last_dt = info->dt, w->steps++;
  info->time = w->time;
  if (s.code == SKEIN_OK) s = sk_world_doze(w, info->dt);
  info->rods_asleep = sk_world_rods_asleep(w);
  count_contacts(w, info);
  adapt(w, info, wanted);
  if (settles && !sk_world_settling(w) && s.code == SKEIN_OK) s = sk_world_launch(w);
  lap(&last, &info->seconds_other);
  info->memory = sk_memory();
  return s;
}
