/* What pages want and what they see: everything between the requests and the thread of the simulation, under one lock
 * that is never held while anything is computed. */
#include "live.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Start and end ---- */

/* Conditions on the monotonic clock, the one of run_clock. */
static bool make_locks(live_sim *sim)
{
  pthread_condattr_t attributes;
  if (pthread_condattr_init(&attributes) != 0) return false;
  bool made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
              pthread_mutex_init(&sim->lock, NULL) == 0 && pthread_cond_init(&sim->wished, &attributes) == 0 &&
              pthread_cond_init(&sim->published, &attributes) == 0;
  pthread_condattr_destroy(&attributes);
  return made;
}

/* For a change, with the lock held. */
static void wait_until(live_sim *sim, pthread_cond_t *change, double until)
{
  struct timespec at = {.tv_sec = (time_t)until, .tv_nsec = (long)((until - floor(until)) * 1e9)};
  pthread_cond_timedwait(change, &sim->lock, &at);
}

static void release(live_sim *sim)
{
  pthread_mutex_destroy(&sim->lock), pthread_cond_destroy(&sim->wished), pthread_cond_destroy(&sim->published);
  view_bytes_free(&sim->newest);
  free(sim->steps.row), free(sim->length);
}

static skein_status failure(skein_code code, const char *message)
{
  skein_status s = {.code = code};
  snprintf(s.message, sizeof s.message, "%s", message);
  return s;
}

skein_status live_sim_start(live_sim *sim, const skein_scene *scene, const skein_look *look, const char *file,
                            int threads)
{
  *sim = (live_sim){.scene = scene, .look = look, .file = file, .threads = threads, .asked = -HUGE_VAL};
  sim->fps = fmin(fmax(skein_scene_fps(scene), 25), 60);
  live_run *run = NULL;
  if (!make_locks(sim)) return failure(SKEIN_NO_MEMORY, "no locks: out of memory");
  skein_status s = live_run_create(sim, &run);
  if (s.code == SKEIN_OK && pthread_create(&sim->thread, NULL, live_run_loop, run) != 0) {
    s = failure(SKEIN_NO_MEMORY, "no thread for the simulation: out of memory");
    live_run_destroy(run);
  }
  if (s.code != SKEIN_OK) release(sim);
  return s;
}

void live_sim_quit(live_sim *sim)
{
  pthread_mutex_lock(&sim->lock);
  sim->wish.quit = true, sim->wish.version++;
  pthread_cond_broadcast(&sim->wished), pthread_cond_broadcast(&sim->published);
  pthread_mutex_unlock(&sim->lock);
}

bool live_sim_stop(live_sim *sim)
{
  live_sim_quit(sim);
  double until = run_clock() + 3;
  pthread_mutex_lock(&sim->lock);
  while (!sim->ended && run_clock() < until) wait_until(sim, &sim->published, until);
  bool ended = sim->ended;
  pthread_mutex_unlock(&sim->lock);
  if (!ended) return false;
  pthread_join(sim->thread, NULL);
  release(sim);
  return true;
}

/* ---- Commands ---- */

static const double watch_seconds = 10;

/* With the lock held: somebody looks. */
static void look(live_sim *sim)
{
  double now = run_clock();
  if (now - sim->asked > watch_seconds) {
    sim->wish.version++;
    pthread_cond_broadcast(&sim->wished);
  }
  sim->asked = now;
}

bool live_sim_watched(live_sim *sim)
{
  pthread_mutex_lock(&sim->lock);
  bool watched = run_clock() - sim->asked <= watch_seconds;
  for (int h = 0; h < LIVE_HANDS && !watched; h++) sim->wish.hand[h].holds = false;
  pthread_mutex_unlock(&sim->lock);
  return watched;
}

static bool drag(live_sim *sim, const live_command *c, char *message)
{
  if (c->rod >= sim->rods) {
    snprintf(message, LIVE_MESSAGE, "rod: is %d, expected 0 to %d", c->rod, sim->rods - 1);
    return false;
  }
  double length = sim->length[c->rod];
  if (c->s > 1.5 * length) { /* a page measures along a rod that may be stretched */
    snprintf(message, LIVE_MESSAGE, "s: is %g m, expected 0 to %g m, the length of the rod", c->s, length);
    return false;
  }
  live_hand *hand = sim->wish.hand + c->hand;
  *hand = (live_hand){.holds = true, .rod = c->rod, .s = fmin(c->s, length)};
  memcpy(hand->target, c->target, sizeof hand->target);
  return true;
}

static bool play(live_sim *sim, const live_command *c, char *message)
{
  if (sim->failed) {
    snprintf(message, LIVE_MESSAGE, "%s: the simulation has stopped, reset it first",
             c->kind == LIVE_PLAY ? "play" : "step");
    return false;
  }
  sim->wish.paused = c->kind == LIVE_STEP;
  sim->wish.steps += c->kind == LIVE_STEP;
  return true;
}

static void set(live_sim *sim, const live_command *c)
{
  live_wish *wish = &sim->wish;
  if (c->has_mu) wish->set_mu = true, wish->controls.mu = sim->shown.mu = c->mu;
  for (int k = 0; k < 3; k++) {
    if (c->has_gravity) wish->set_gravity = true, wish->controls.gravity[k] = sim->shown.gravity[k] = c->gravity[k];
    if (c->has_wind) wish->set_wind = true, wish->controls.wind[k] = sim->shown.wind[k] = c->wind[k];
  }
  wish->sets++;
}

static void reset(live_sim *sim)
{
  sim->wish.resets++, sim->wish.steps = 0;
  for (int h = 0; h < LIVE_HANDS; h++) sim->wish.hand[h].holds = false;
  sim->failed = false, sim->error[0] = 0;
}

bool live_sim_command(live_sim *sim, const live_command *c, char message[LIVE_MESSAGE])
{
  bool done = true;
  pthread_mutex_lock(&sim->lock);
  look(sim);
  switch (c->kind) {
  case LIVE_PAUSE:
    sim->wish.paused = true;
    break;
  case LIVE_PLAY:
  case LIVE_STEP:
    done = play(sim, c, message);
    break;
  case LIVE_RESET:
    reset(sim);
    break;
  case LIVE_DRAG:
    done = drag(sim, c, message);
    break;
  case LIVE_DROP:
    sim->wish.hand[c->hand].holds = false;
    break;
  case LIVE_SET:
    set(sim, c);
    break;
  }
  if (done) sim->wish.version++;
  pthread_cond_broadcast(&sim->wished);
  pthread_mutex_unlock(&sim->lock);
  return done;
}

/* ---- What pages see ---- */

static json_t *vector(const double x[3])
{
  return json_pack("[o, o, o]", tool_json_number(x[0]), tool_json_number(x[1]), tool_json_number(x[2]));
}

static json_t *controls_json(const live_controls *c)
{
  return json_pack("{s:o, s:o, s:o}", "mu", tool_json_number(c->mu), "gravity", vector(c->gravity), "wind",
                   vector(c->wind));
}

static json_t *verdict_json(const live_verdict *v)
{
  return json_pack("{s:I, s:I, s:o, s:o}", "steps", (json_int_t)v->steps, "flawed", (json_int_t)v->flawed, "crossings",
                   tool_json_number(v->crossings), "last", v->flawed > 0 ? view_flaw_json(&v->last) : json_null());
}

json_t *live_sim_state(live_sim *sim)
{
  pthread_mutex_lock(&sim->lock);
  look(sim);
  json_t *o = json_pack("{s:b, s:b, s:o, s:o, s:I, s:o, s:o}", "paused", sim->wish.paused, "failed", sim->failed,
                        "error", sim->failed ? tool_json_text(sim->error) : json_null(), "time",
                        tool_json_number(sim->time), "sequence", (json_int_t)sim->sequence, "controls",
                        controls_json(&sim->shown), "verdict", verdict_json(&sim->verdict));
  pthread_mutex_unlock(&sim->lock);
  return o;
}

json_t *live_sim_head(live_sim *sim)
{
  view_head head = {.live = true,
                    .title = skein_scene_title(sim->scene),
                    .file = sim->file,
                    .version = skein_version(),
                    .fps = sim->fps,
                    .lo = sim->lo,
                    .hi = sim->hi};
  memcpy(head.gravity, sim->start.gravity, sizeof head.gravity);
  json_t *o = view_head_json(sim->look, &head);
  pthread_mutex_lock(&sim->lock);
  live_controls shown = sim->shown;
  pthread_mutex_unlock(&sim->lock);
  if (o && json_object_set_new(o, "controls", controls_json(&shown)) == 0) return o;
  json_decref(o);
  return NULL;
}

bool live_sim_frame(live_sim *sim, uint32_t after, double deadline, bool (*alive)(void *), void *context,
                    view_bytes *out)
{
  bool whole = true;
  pthread_mutex_lock(&sim->lock);
  look(sim);
  while (sim->sequence <= after && !sim->wish.quit) {
    double now = run_clock(), until = fmin(deadline, now + 0.25);
    if (now >= deadline || !alive(context)) break;
    wait_until(sim, &sim->published, until);
  }
  if (sim->sequence > after && !sim->wish.quit) {
    live_steps *s = &sim->steps;
    size_t row = sizeof *s->row * (size_t)s->columns;
    uint32_t rows = 0;
    whole = view_bytes_add(out, sim->newest.data, sim->newest.size);
    for (int k = 0; k < s->count && whole; k++) {
      int at = (s->next - s->count + k + LIVE_STEPS) % LIVE_STEPS;
      if (s->sequence[at] <= after) continue;
      whole = view_bytes_add(out, s->row + (size_t)at * (size_t)s->columns, row), rows++;
    }
    uint32_t size = (uint32_t)out->size;
    if (whole) memcpy(out->data + LIVE_SIZE_AT, &size, 4), memcpy(out->data + LIVE_STEPS_AT, &rows, 4);
  }
  pthread_mutex_unlock(&sim->lock);
  return whole && out->size > 0;
}
