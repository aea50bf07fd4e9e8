/* The thread of the simulation: wishes of the pages -> steps -> frames. It keeps to real time where the machine can,
 * and is slower where it cannot. */
#include "live.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct live_run {
  live_sim *sim;
  skein_world *world;
  view_packer *packer;
  skein_frame last, before; /* the frame published last, and one of an earlier time, for speeds */
  void *start;              /* state of the world at the start */
  size_t start_size;
  skein_step_info *steps; /* since that frame */
  int step_count, step_room;
  uint32_t sequence, generation;
  int frame;      /* frames since the last reset */
  live_wish done; /* what has been carried out */
  live_verdict verdict;
  bool failed;
  double wall, time; /* where both clocks were when the pace was last set */
  double published;  /* when */
};

/* ---- Publishing ---- */

static bool holds_any(const live_wish *w)
{
  for (int h = 0; h < LIVE_HANDS; h++)
    if (w->hand[h].holds) return true;
  return false;
}

static uint32_t state_bits(const live_run *run)
{
  return (run->done.paused ? VIEW_PAUSED : 0u) | (run->failed ? VIEW_FAILED : 0u) |
         (holds_any(&run->done) ? VIEW_DRAGGED : 0u);
}

/* Friction of all pairs that touch, NaN when they differ. */
static double common_mu(const live_run *run)
{
  int groups = skein_look_groups(run->sim->look);
  double common = NAN, mu;
  for (int a = 0; a < groups; a++)
    for (int b = a; b < groups; b++) {
      if (skein_world_mu(run->world, a, b, &mu).code != SKEIN_OK || mu < 0) continue;
      if (!isnan(common) && mu != common) return NAN;
      common = mu;
    }
  return common;
}

static const char *name_in_world(const void *of, int rods, int object)
{
  (void)rods;
  return skein_world_name(of, object);
}

/* The steps since the last frame; of several flaws of a step the first: it is the one that was answered. */
static void judge_steps(live_run *run)
{
  live_verdict *v = &run->verdict;
  for (int k = 0; k < run->step_count; k++) {
    const skein_step_info *step = &run->steps[k];
    int flaw = 0;
    v->steps++;
    if (step->verdict.crossed.size > 0) v->crossings += step->verdict.crossed.size;
    if (!run_step_flawed(step)) continue;
    while (!(run_flaws(step) >> flaw & 1)) flaw++;
    v->flawed++;
    v->last = view_flaw_of((run_names){name_in_world, run->world}, step, flaw);
  }
}

/* Takes the steps off the end of a packed frame, into the ring. */
static void keep_steps(live_steps *s, view_bytes *packed, uint32_t sequence)
{
  uint32_t count, none = 0;
  memcpy(&count, packed->data + LIVE_STEPS_AT, 4);
  size_t row = sizeof *s->row * (size_t)s->columns;
  const unsigned char *from = packed->data + packed->size - row * count;
  for (uint32_t k = 0; k < count; k++) {
    memcpy(s->row + (size_t)s->next * (size_t)s->columns, from + row * k, row);
    s->sequence[s->next] = sequence;
    s->next = (s->next + 1) % LIVE_STEPS, s->count += s->count < LIVE_STEPS;
  }
  packed->size -= row * count;
  memcpy(packed->data + LIVE_STEPS_AT, &none, 4);
}

/* Room for what follows, before the lock is taken. */
static skein_status make_room(live_run *run, const view_bytes *packed, double **length)
{
  live_steps *s = &run->sim->steps;
  uint32_t columns;
  memcpy(&columns, packed->data + LIVE_COLUMNS_AT, 4);
  *length = calloc((size_t)skein_world_rods(run->world) + 1, sizeof **length);
  if (!s->row) s->columns = (int)columns, s->row = calloc((size_t)LIVE_STEPS * columns, sizeof *s->row);
  if (!*length || !s->row) return (skein_status){SKEIN_NO_MEMORY, "out of memory"};
  for (int i = 0; i < skein_world_rods(run->world); i++)
    (*length)[i] = skein_rod_definition(skein_world_rod(run->world, i)).length;
  return (skein_status){.code = SKEIN_OK};
}

/* Shows it to the pages. */
static void hand_over(live_run *run, view_bytes *packed, double *length)
{
  live_sim *sim = run->sim;
  skein_env env = skein_world_env(run->world);
  live_controls shown = {.mu = common_mu(run)};
  memcpy(shown.gravity, env.gravity, sizeof shown.gravity), memcpy(shown.wind, env.wind, sizeof shown.wind);
  pthread_mutex_lock(&sim->lock);
  keep_steps(&sim->steps, packed, run->sequence);
  view_bytes old = sim->newest;
  double *old_length = sim->length;
  sim->newest = *packed, sim->sequence = run->sequence, sim->length = length;
  sim->verdict = run->verdict;
  sim->rods = skein_world_rods(run->world), sim->time = skein_world_time(run->world);
  if (sim->wish.sets == run->done.sets) sim->shown = shown; /* else newer ones are on their way */
  pthread_cond_broadcast(&sim->published);
  pthread_mutex_unlock(&sim->lock);
  view_bytes_free(&old), free(old_length);
}

static skein_status publish(live_run *run)
{
  skein_frame frame = {0};
  view_bytes packed = {0};
  double *length = NULL;
  skein_status s = skein_world_frame(run->world, run->frame, &frame);
  if (s.code != SKEIN_OK) return s;
  bool again = run->last.point_start && run->last.time == frame.time; /* only its state is new */
  const skein_frame *before = again ? &run->before : &run->last;
  if (!before->point_start || before->rods != frame.rods) before = NULL;
  view_input in = {.before = before,
                   .frame = &frame,
                   .steps = run->steps,
                   .step_count = run->step_count,
                   .step_limit = 64,
                   .sequence = run->sequence + 1,
                   .state = state_bits(run),
                   .generation = run->generation,
                   .complete = true};
  s = view_pack(run->packer, &in, &packed);
  if (s.code == SKEIN_OK) s = make_room(run, &packed, &length);
  if (s.code != SKEIN_OK) {
    skein_frame_destroy(&frame), view_bytes_free(&packed), free(length);
    return s;
  }
  judge_steps(run);
  run->sequence++, run->step_count = 0, run->published = run_clock();
  hand_over(run, &packed, length);
  skein_frame_destroy(again ? &run->last : &run->before);
  if (!again) run->before = run->last;
  run->last = frame;
  return s;
}

/* The simulation stands still with a message until it is reset. */
static void fail(live_run *run, const char *message)
{
  run->failed = true;
  pthread_mutex_lock(&run->sim->lock);
  if (run->sim->wish.resets == run->done.resets) {
    run->sim->failed = true;
    snprintf(run->sim->error, sizeof run->sim->error, "%s", message);
  }
  pthread_mutex_unlock(&run->sim->lock);
}

static void publish_or_fail(live_run *run)
{
  skein_status s = publish(run);
  if (s.code != SKEIN_OK) fail(run, s.message);
}

/* ---- Wishes ---- */

static skein_status set_all_mu(live_run *run, double mu)
{
  int groups = skein_look_groups(run->sim->look);
  skein_status s = {.code = SKEIN_OK};
  for (int a = 0; a < groups && s.code == SKEIN_OK; a++)
    for (int b = a; b < groups && s.code == SKEIN_OK; b++) {
      double now;
      s = skein_world_mu(run->world, a, b, &now);
      if (s.code == SKEIN_OK && now >= 0) s = skein_world_set_mu(run->world, a, b, mu);
    }
  return s;
}

static skein_status apply_sets(live_run *run, const live_wish *wish)
{
  skein_status s = {.code = SKEIN_OK};
  if (wish->set_mu) s = set_all_mu(run, wish->controls.mu);
  if (wish->set_gravity && s.code == SKEIN_OK) s = skein_world_set_gravity(run->world, wish->controls.gravity);
  if (wish->set_wind && s.code == SKEIN_OK) s = skein_world_set_wind(run->world, wish->controls.wind);
  return s;
}

/* A spring that lifts the rod within a hundredth of its length and bends it; a hand as strong as thirty weights of the
 * rod, or as many times what bends it: more would only throw it about. */
static void pull(live_run *run, const live_hand *hand)
{
  const skein_rod *rod = skein_world_rod(run->world, hand->rod);
  skein_rod_def d = skein_rod_definition(rod);
  double r = fmax(d.radius1, d.radius2), S = 3.14159265358979 * d.radius1 * d.radius2, L = d.length;
  double weight = d.density * S * L * 9.81, bending = d.E * 0.25 * S * r * r / (L * L), target[3], away = 0;
  double k = (100 * weight + 30 * bending) / L, most = 30 * weight + 300 * bending;
  skein_pose at;
  skein_rod_point(rod, hand->s, &at);
  for (int c = 0; c < 3; c++) away += pow(hand->target[c] - at.r[c], 2);
  double share = fmin(1, fmin(3 * L, most / k) / sqrt(fmax(away, 1e-300)));
  for (int c = 0; c < 3; c++) target[c] = at.r[c] + share * (hand->target[c] - at.r[c]);
  if (skein_world_set_pull(run->world, hand->rod, hand->s, target, k).code != SKEIN_OK)
    (void)skein_world_set_pull(run->world, hand->rod, hand->s, NULL, 0); /* its place is gone: cut off meanwhile */
}

static void apply_hands(live_run *run, const live_wish *wish)
{
  for (int h = 0; h < LIVE_HANDS; h++) {
    const live_hand *was = run->done.hand + h, *now = wish->hand + h;
    if (was->holds && !(now->holds && now->rod == was->rod && now->s == was->s))
      (void)skein_world_set_pull(run->world, was->rod, was->s, NULL, 0);
    if (now->holds && now->rod < skein_world_rods(run->world)) pull(run, now);
  }
}

static skein_status back_to_start(live_run *run, const live_wish *wish)
{
  for (int h = 0; h < LIVE_HANDS; h++) run->done.hand[h].holds = false;
  skein_status s = skein_world_load(run->world, run->start, run->start_size);
  run->failed = false, run->frame = 0, run->step_count = 0, run->generation++;
  run->verdict = (live_verdict){0};
  pthread_mutex_lock(&run->sim->lock);
  run->sim->steps.count = 0;
  pthread_mutex_unlock(&run->sim->lock);
  skein_frame_destroy(&run->before), skein_frame_destroy(&run->last);
  run->before = run->last = (skein_frame){0};
  return s.code == SKEIN_OK ? apply_sets(run, wish) : s;
}

static live_wish wish_now(live_run *run)
{
  pthread_mutex_lock(&run->sim->lock);
  live_wish wish = run->sim->wish;
  pthread_mutex_unlock(&run->sim->lock);
  return wish;
}

static void set_pace(live_run *run)
{
  run->wall = run_clock(), run->time = skein_world_time(run->world);
}

/* Does what is wished and not done; whether a page must see it without a step. */
static bool carry_out(live_run *run, const live_wish *wish)
{
  skein_status s = {.code = SKEIN_OK};
  uint32_t bits = state_bits(run);
  bool again = wish->resets != run->done.resets, changed = wish->sets != run->done.sets;
  if (again) s = back_to_start(run, wish);
  else if (changed) s = apply_sets(run, wish);
  apply_hands(run, wish);
  uint32_t steps = again ? 0 : !wish->paused ? wish->steps : run->done.steps;
  run->done = *wish;
  run->done.steps = wish->steps - steps > 10 ? wish->steps - 10 : steps; /* a key held down does not go on for long */
  if (again) set_pace(run);
  if (s.code != SKEIN_OK) fail(run, s.message);
  return again || changed || bits != state_bits(run);
}

/* ---- Steps ---- */

static skein_status take_step(live_run *run, double until)
{
  if (run->step_count == run->step_room) {
    int room = run->step_room > 0 ? 2 * run->step_room : 64;
    skein_step_info *more = realloc(run->steps, sizeof *more * (size_t)room);
    if (!more) return (skein_status){SKEIN_NO_MEMORY, "out of memory"};
    run->steps = more, run->step_room = room;
  }
  skein_status s = skein_world_step(run->world, until, run->steps + run->step_count);
  run->step_count += s.code == SKEIN_OK;
  return s;
}

/* One frame's time, with wishes between the steps; a frame in between where that takes long. false: something else is
 * wished meanwhile. */
static bool advance(live_run *run)
{
  double until = skein_world_time(run->world) + 1 / run->sim->fps;
  bool single = run->done.paused;
  while (skein_world_time(run->world) < until && !run->failed) {
    live_wish wish = wish_now(run);
    if (wish.quit || wish.resets != run->done.resets || (wish.paused && !single)) return false;
    (void)carry_out(run, &wish);
    skein_status s = take_step(run, until);
    if (s.code != SKEIN_OK) fail(run, s.message);
    else if (run_clock() - run->published > 0.05) publish_or_fail(run);
  }
  run->frame++;
  if (single) run->done.steps++;
  publish_or_fail(run);
  return true;
}

/* Until the wall clock has come to the time of the world, or something is wished that cannot wait. A simulation that is
 * late does not make up for it. */
static void keep_pace(live_run *run)
{
  live_sim *sim = run->sim;
  double until = run->wall + skein_world_time(run->world) - run->time;
  if (run_clock() > until + 0.1) set_pace(run);
  struct timespec at = {.tv_sec = (time_t)until, .tv_nsec = (long)((until - floor(until)) * 1e9)};
  pthread_mutex_lock(&sim->lock);
  while (run_clock() < until && !sim->wish.quit && !sim->wish.paused && sim->wish.resets == run->done.resets)
    if (pthread_cond_timedwait(&sim->wished, &sim->lock, &at) != 0) break;
  pthread_mutex_unlock(&sim->lock);
}

/* Nothing to do: waits for the next command. */
static void rest(live_run *run)
{
  live_sim *sim = run->sim;
  pthread_mutex_lock(&sim->lock);
  while (sim->wish.version == run->done.version) pthread_cond_wait(&sim->wished, &sim->lock);
  pthread_mutex_unlock(&sim->lock);
  set_pace(run);
}

void *live_run_loop(void *argument)
{
  live_run *run = argument;
  set_pace(run);
  for (live_wish wish = wish_now(run); !wish.quit; wish = wish_now(run)) {
    bool changed = carry_out(run, &wish);
    bool idle = run->failed || (wish.paused && run->done.steps == wish.steps) || !live_sim_watched(run->sim);
    if (idle && changed) publish_or_fail(run);
    if (idle) rest(run);
    else if (advance(run) && !run->done.paused) keep_pace(run);
  }
  live_sim *sim = run->sim;
  live_run_destroy(run);
  pthread_mutex_lock(&sim->lock);
  sim->ended = true;
  pthread_cond_broadcast(&sim->published);
  pthread_mutex_unlock(&sim->lock);
  return NULL;
}

/* ---- Creation ---- */

skein_status live_run_create(live_sim *sim, live_run **out)
{
  live_run *run = calloc(1, sizeof *run);
  *out = NULL;
  if (!run) return (skein_status){SKEIN_NO_MEMORY, "out of memory"};
  run->sim = sim;
  skein_status s = skein_world_create(sim->scene, sim->threads, &run->world);
  if (s.code == SKEIN_OK) s = skein_world_save(run->world, &run->start, &run->start_size);
  if (s.code == SKEIN_OK) s = view_packer_create(sim->look, NULL, NULL, &run->packer);
  if (s.code == SKEIN_OK) s = publish(run);
  if (s.code == SKEIN_OK) {
    sim->start = skein_world_env(run->world);
    (void)skein_look_bounds(sim->look, &run->last, sim->lo, sim->hi); /* nothing but planes: a point */
    *out = run;
  } else live_run_destroy(run);
  return s;
}

void live_run_destroy(live_run *run)
{
  if (!run) return;
  skein_world_destroy(run->world);
  view_packer_destroy(run->packer);
  skein_frame_destroy(&run->before), skein_frame_destroy(&run->last);
  free(run->start), free(run->steps);
  free(run);
}
