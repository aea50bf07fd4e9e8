/* Events of the scene: gravity and wind that change, ends that are let go, rods that are cut. They change the model and
 * the state between two steps: all of it is made first, and then takes the place of what was. */
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

/* What comes in the place of the model and its states. */
typedef struct change {
  sk_model model;
  sk_state states[2];
  skein_rod *views;
  sk_rod **made; /* rods that the old model has not: they are given back when the change fails */
  int made_count;
} change;

static void change_drop(change *c)
{
  for (int i = 0; i < c->made_count; i++) sk_rod_destroy(c->made[i]);
  sk_state_destroy(c->states), sk_state_destroy(c->states + 1);
  free(c->model.rods), free(c->views), free(c->made);
}

/* The model as it is, with room for as many rods more; states come later. */
static skein_status change_begin(const skein_world *w, int more, change *c)
{
  int count = w->model.rod_count;
  *c = (change){.model = w->model};
  c->model.rods = sk_calloc((size_t)(count + more), sizeof *c->model.rods);
  c->made = sk_calloc(2 * (size_t)(count + more), sizeof(sk_rod *));
  if (!c->model.rods || !c->made) return sk_no_memory();
  if (count > 0) memcpy(c->model.rods, w->model.rods, sizeof *c->model.rods * (size_t)count);
  return sk_ok();
}

/* Rod i is another one now, which begins where it starts. */
static void change_rod(change *c, int i, sk_rod *rod)
{
  c->model.rods[i].rod = rod, c->made[c->made_count++] = rod;
}

/* Rods and bodies as they were, and the rods that are made where they start. Objects behind the rods have other numbers
 * now: rest is told anew, and contacts only stay while no rod came. */
static skein_status make_states(const skein_world *w, change *c)
{
  const sk_state *now = sk_now(w);
  sk_state *state = c->states;
  bool more = c->model.rod_count != w->model.rod_count;
  sk_model_number(&c->model);
  skein_status s = sk_state_create(&c->model, state);
  if (s.code == SKEIN_OK) s = sk_state_create(&c->model, state + 1);
  c->views = sk_calloc((size_t)c->model.rod_count, sizeof *c->views);
  if (s.code == SKEIN_OK && !c->views) s = sk_no_memory();
  if (s.code == SKEIN_OK) s = sk_state_keep(state, now->contacts.at, more ? 0 : now->contacts.count);
  if (s.code != SKEIN_OK) return s;
  sk_state made = *state;
  *state = *now;
  state->x = made.x, state->v = made.v, state->body = made.body, state->rest = made.rest, state->look = made.look;
  state->contacts = made.contacts, state->kept = made.kept;
  if (c->model.scene->body_count > 0)
    memcpy(state->body, now->body, sizeof *now->body * (size_t)c->model.scene->body_count);
  if (w->model.rod_count > 0) memcpy(state->look, now->look, sizeof *now->look * (size_t)w->model.rod_count);
  for (int i = 0; i < w->model.rod_count; i++) /* what was cut off looks as far as it did */
    if (c->model.rods[i].cut_off >= w->model.rod_count) state->look[c->model.rods[i].cut_off] = now->look[i];
  for (int i = 0; i < c->model.rod_count; i++) {
    const sk_model_rod *rod = c->model.rods + i, *old = i < w->model.rod_count ? w->model.rods + i : NULL;
    bool same = old && old->rod == rod->rod;
    memcpy(state->x + rod->x, same ? now->x + old->x : rod->rod->start_x, sizeof(double) * (size_t)rod->rod->nx);
    memcpy(state->v + rod->v, same ? now->v + old->v : rod->rod->start_v, sizeof(double) * (size_t)rod->rod->n);
  }
  return s;
}

/* The change takes the place of what is; rods that it replaced go. */
static void change_accept(skein_world *w, change *c)
{
  for (int i = 0; i < w->model.rod_count; i++)
    if (c->model.rods[i].rod != w->model.rods[i].rod) sk_rod_destroy(w->model.rods[i].rod);
  sk_state_destroy(w->states), sk_state_destroy(w->states + 1);
  free(w->model.rods), free(w->views), free(c->made);
  w->model = c->model, w->views = c->views, w->current = 0;
  w->states[0] = c->states[0], w->states[1] = c->states[1];
  sk_world_show(w);
}

/* ---- Kinds of events ---- */

static bool is_about(const sk_event *e, const sk_model_rod *rod)
{
  return rod->source >= e->rod_first && rod->source < e->rod_first + e->rod_count;
}

static skein_status release(const skein_world *w, const sk_event *e, change *c)
{
  skein_status s = change_begin(w, 0, c);
  bool tip = e->kind == SK_EVENT_RELEASE_TIP;
  const sk_state *now = sk_now(w);
  for (int i = 0; i < w->model.rod_count && s.code == SKEIN_OK; i++) {
    sk_model_rod *rod = c->model.rods + i;
    if (!is_about(e, rod) || (tip ? rod->rod->def.tip : rod->rod->def.root) == SKEIN_FREE) continue;
    sk_rod *freed;
    s = sk_rod_release(rod->rod, now->x + rod->x, now->v + rod->v, tip, &freed);
    if (s.code != SKEIN_OK) break;
    change_rod(c, i, freed);
    if (tip) rod->tip_driven = false;
    else rod->root_driven = false, rod->rooted_in = -1;
  }
  return s;
}

/* Rod i becomes two; the second one stands at the end of the list. */
static skein_status cut_rod(const skein_world *w, const sk_event *e, int i, change *c)
{
  sk_model_rod *rod = c->model.rods + i, *more = c->model.rods + c->model.rod_count;
  const sk_state *now = sk_now(w);
  sk_rod *near, *far;
  double share = e->s / w->model.scene->rods[rod->source].def.length; /* of what earlier cuts have left of it, too */
  skein_status s = sk_rod_cut(rod->rod, now->x + rod->x, now->v + rod->v, share * rod->rod->def.length, &near, &far);
  if (s.code != SKEIN_OK) return s;
  *more = *rod;
  more->root_driven = false, more->rooted_in = -1, more->begin = rod->begin + near->def.length;
  rod->tip_driven = false, rod->cut_off = c->model.rod_count;
  change_rod(c, i, near), change_rod(c, c->model.rod_count++, far);
  return s;
}

static skein_status cut(const skein_world *w, const sk_event *e, change *c)
{
  int count = w->model.rod_count;
  skein_status s = change_begin(w, count, c);
  for (int i = 0; i < count && s.code == SKEIN_OK; i++)
    if (is_about(e, c->model.rods + i)) s = cut_rod(w, e, i, c);
  return s;
}

static skein_status apply(skein_world *w, const sk_event *e)
{
  change c = {0};
  if (e->kind == SK_EVENT_GRAVITY) memcpy(w->live.env.gravity, e->value, sizeof e->value);
  if (e->kind == SK_EVENT_WIND) memcpy(w->live.env.wind, e->value, sizeof e->value);
  if (e->kind != SK_EVENT_RELEASE_ROOT && e->kind != SK_EVENT_RELEASE_TIP && e->kind != SK_EVENT_CUT) return sk_ok();
  skein_status s = e->kind == SK_EVENT_CUT ? cut(w, e, &c) : release(w, e, &c);
  if (s.code == SKEIN_OK) s = make_states(w, &c);
  if (s.code == SKEIN_OK) change_accept(w, &c);
  else change_drop(&c);
  if (s.code == SKEIN_OK && e->kind == SK_EVENT_CUT) sk_live_follow(w);
  return s;
}

skein_status sk_world_apply_events(skein_world *w)
{
  skein_status s = sk_ok();
  const skein_scene *scene = w->model.scene;
  double slack = 1e-9 * scene->step.dt;
  for (; sk_now(w)->next_event < scene->event_count && s.code == SKEIN_OK; sk_now(w)->next_event++) {
    const sk_event *e = scene->events + sk_now(w)->next_event;
    if (e->time > sk_now(w)->time + slack) break;
    s = apply(w, e);
    sk_wake_all(&w->model, sk_now(w));
    w->controller.calm = 0;
  }
  return s;
}
