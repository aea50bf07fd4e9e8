/* The whole state as bytes for those who go on: a header, every rod (what it is, its natural shape), what was changed
 * by hand, and the state. Written and read by the same functions, so that the two cannot differ. */
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x534b5737 }; /* "SKW7" */

typedef struct stream {
  unsigned char *bytes; /* NULL: only count */
  size_t at, size;
  bool reading, bad;
  bool starved; /* bad because memory is out */
} stream;

/* What the bytes are of. */
typedef struct whole {
  sk_model model;
  sk_state state;
  sk_live live;
  sk_controller controller;
} whole;

static void pass(stream *s, void *data, size_t bytes)
{
  if (s->reading && (bytes > s->size - s->at || s->bad)) {
    s->bad = true;
    return;
  }
  if (s->bytes && bytes > 0) {
    if (s->reading) memcpy(data, s->bytes + s->at, bytes);
    else memcpy(s->bytes + s->at, data, bytes);
  }
  s->at += bytes;
}

/* Memory for things of that size, of which the stream still has so many of at least `each` bytes. */
static void *make_room(stream *s, int64_t count, size_t size, size_t each)
{
  void *room = NULL;
  bool sane = !s->bad && count >= 0 && (size_t)count <= (s->size - s->at) / each + 1;
  if (sane) room = sk_calloc((size_t)count, size);
  if (!room) s->bad = true, s->starved = s->starved || sane;
  return room;
}

/* ---- Rods ---- */

typedef struct rod_record {
  int32_t source, elements, twist_locked, root, tip, naturals, root_driven, tip_driven, cut_off, rooted_in;
  double length, begin, rooted_until;
  sk_pose root_base, tip_base;
} rod_record;

static rod_record record_of(const sk_model_rod *rod)
{
  const sk_rod *r = rod->rod;
  rod_record out;
  memset(&out, 0, sizeof out); /* and what lies between its numbers */
  out.source = rod->source, out.elements = r->def.elements, out.twist_locked = r->def.twist_locked;
  out.root = r->def.root, out.tip = r->def.tip, out.naturals = r->def.naturals;
  out.root_driven = rod->root_driven, out.tip_driven = rod->tip_driven;
  out.cut_off = rod->cut_off, out.rooted_in = rod->rooted_in;
  out.length = r->def.length, out.begin = rod->begin, out.rooted_until = rod->rooted_until;
  out.root_base = rod->root_base, out.tip_base = rod->tip_base;
  return out;
}

/* The rod that the record is of. */
static skein_status make_rod(const skein_scene *scene, const rod_record *r, double *cells, sk_model_rod *rod)
{
  const sk_scene_rod *from = scene->rods + r->source;
  skein_rod_def def = from->def;
  def.elements = r->elements, def.twist_locked = r->twist_locked, def.length = r->length;
  def.root = (skein_rod_end)r->root, def.tip = (skein_rod_end)r->tip, def.initial = NULL;
  def.natural = r->naturals > 0 ? cells : NULL, def.naturals = r->naturals;
  *rod = (sk_model_rod){.source = r->source,
                        .group = from->group,
                        .radius = from->radius,
                        .begin = r->begin,
                        .cut_off = r->cut_off,
                        .rooted_in = r->rooted_in,
                        .rooted_until = r->rooted_until,
                        .root_driven = r->root_driven,
                        .tip_driven = r->tip_driven,
                        .root_base = r->root_base,
                        .tip_base = r->tip_base};
  return sk_rod_create(&def, &rod->rod);
}

/* Reading makes the rod anew: it may have changed since the scene (released, cut). */
static void pass_rod(stream *s, const skein_scene *scene, int rods, sk_model_rod *rod)
{
  rod_record r;
  if (!s->reading) r = record_of(rod);
  pass(s, &r, sizeof r);
  if (!s->reading) {
    pass(s, rod->rod->natural, sizeof(double) * 3 * (size_t)(rod->rod->natural ? r.naturals : 0));
    return;
  }
  bool sane = !s->bad && r.source >= 0 && r.source < scene->rod_count && r.elements > 0 && r.cut_off < rods &&
              r.rooted_in < scene->body_count;
  s->bad = !sane;
  double *cells = make_room(s, r.naturals, 3 * sizeof *cells, 3 * sizeof *cells);
  if (cells) pass(s, cells, sizeof *cells * 3 * (size_t)r.naturals);
  if (!s->bad) {
    skein_status made = make_rod(scene, &r, cells, rod);
    if (made.code != SKEIN_OK) s->bad = true, s->starved = made.code == SKEIN_NO_MEMORY;
  }
  free(cells);
}

static void pass_model(stream *s, whole *all)
{
  sk_model *m = &all->model;
  int32_t rods = m->rod_count;
  pass(s, &rods, sizeof rods);
  if (s->reading) m->rod_count = 0, m->rods = make_room(s, rods, sizeof *m->rods, sizeof(rod_record));
  for (int i = 0; i < rods && !s->bad; i++) {
    pass_rod(s, m->scene, rods, m->rods + i);
    if (s->reading && m->rods[i].rod) m->rod_count = i + 1;
  }
  if (!s->bad) sk_model_number(m);
}

/* ---- What was changed by hand ---- */

static void pass_live(stream *s, whole *all)
{
  sk_live *live = &all->live;
  int groups = all->model.scene->group_count;
  size_t pairs = (size_t)groups * (size_t)groups;
  int64_t count[2] = {groups, live->pull_count};
  pass(s, count, sizeof count);
  pass(s, &live->env, sizeof live->env);
  if (s->reading) {
    if (!s->bad && count[0] != groups) s->bad = true;
    live->mu = make_room(s, (int64_t)pairs, sizeof *live->mu, sizeof *live->mu);
    live->pulls = make_room(s, count[1], sizeof *live->pulls, sizeof *live->pulls);
    live->pull_count = s->bad ? 0 : (int)count[1];
  }
  if (s->bad) return;
  pass(s, live->mu, sizeof *live->mu * pairs);
  pass(s, live->pulls, sizeof *live->pulls * (size_t)count[1]);
  for (int i = 0; s->reading && i < live->pull_count; i++)
    if (live->pulls[i].rod < 0 || live->pulls[i].rod >= all->model.rod_count) s->bad = true;
}

/* ---- The state ---- */

typedef struct state_record {
  int64_t steps;
  double time, last_dt, growth, energy_scale, penetration;
  sk_able able;
  int32_t next_event, contacts;
} state_record;

static void pass_state(stream *s, whole *all)
{
  sk_state *at = &all->state;
  const sk_model *m = &all->model;
  state_record r = {at->steps,       at->time, at->last_dt,    at->growth,        at->energy_scale,
                    at->penetration, at->able, at->next_event, at->contacts.count};
  pass(s, &r, sizeof r);
  if (s->reading && !s->bad) {
    bool sane = r.contacts >= 0 && (size_t)r.contacts <= s->size / sizeof(sk_contact);
    skein_status made = sane ? sk_state_create(m, at) : sk_fail(SKEIN_BAD_INPUT, "contacts");
    if (made.code == SKEIN_OK) at->contacts.at = SK_NEW_RAW(&at->kept, r.contacts, sk_contact);
    if (made.code != SKEIN_OK || at->kept.failed) s->bad = true, s->starved = s->starved || sane;
    at->contacts.count = s->bad ? 0 : r.contacts, at->next_event = r.next_event, at->steps = r.steps;
    at->time = r.time, at->last_dt = r.last_dt, at->growth = r.growth;
    at->energy_scale = r.energy_scale, at->penetration = r.penetration, at->able = r.able;
  }
  if (s->bad) return;
  pass(s, at->x, sizeof *at->x * m->nx), pass(s, at->v, sizeof *at->v * m->nv);
  pass(s, at->body, sizeof *at->body * (size_t)m->scene->body_count);
  pass(s, at->rest, sizeof *at->rest * (size_t)m->object_count);
  pass(s, at->look, sizeof *at->look * (size_t)m->rod_count);
  pass(s, at->contacts.at, sizeof *at->contacts.at * (size_t)at->contacts.count);
  for (int i = 0; s->reading && !s->bad && i < m->rod_count; i++)
    if (sk_rod_state_check(m->rods[i].rod, at->x + m->rods[i].x, at->v + m->rods[i].v).code != SKEIN_OK) s->bad = true;
}

static void pass_whole(stream *s, whole *all)
{
  uint32_t magic = MAGIC;
  int32_t bodies = all->model.scene->body_count;
  pass(s, &magic, sizeof magic), pass(s, &bodies, sizeof bodies);
  if (s->reading && (magic != MAGIC || bodies != all->model.scene->body_count)) s->bad = true;
  pass(s, &all->controller, sizeof all->controller);
  if (!s->bad) pass_model(s, all);
  if (!s->bad) pass_live(s, all);
  if (!s->bad) pass_state(s, all);
}

skein_status skein_world_save(const skein_world *w, void **bytes, size_t *size)
{
  whole all = {w->model, *sk_now(w), w->live, w->controller}; /* the arrays are the world's, and only read */
  stream count = {0};
  pass_whole(&count, &all);
  stream s = {.bytes = sk_calloc(count.at, 1), .size = count.at};
  *bytes = s.bytes, *size = s.bytes ? count.at : 0;
  if (!s.bytes) return sk_no_memory();
  pass_whole(&s, &all);
  return sk_ok();
}

/* What was read becomes the world's. */
static void take(skein_world *w, whole *all, sk_state *next, skein_rod *views)
{
  sk_state_destroy(w->states), sk_state_destroy(w->states + 1);
  sk_model_destroy(&w->model), sk_live_destroy(&w->live), free(w->views);
  w->model = all->model, w->live = all->live, w->controller = all->controller, w->views = views;
  w->states[0] = all->state, w->states[1] = *next, w->current = 0;
  w->attempt.linear = (sk_linear){0};
  w->controller.calm = SK_MAX(0, SK_MIN(w->controller.calm, sk_limit.calm.halvings));
  sk_surfaces_set(w->surfaces, sk_now(w)->time);
  sk_world_show(w);
}

/* A state that cannot be read leaves the world as it is. */
skein_status skein_world_load(skein_world *w, const void *bytes, size_t size)
{
  whole all = {.model = {.scene = w->model.scene}};
  stream s = {.bytes = (unsigned char *)bytes, .size = size, .reading = true}; /* only read */
  sk_state next = {0};
  skein_rod *views = NULL;
  pass_whole(&s, &all);
  bool fits = !s.bad && s.at == size;
  if (fits) {
    views = sk_calloc((size_t)all.model.rod_count, sizeof *views);
    s.starved = sk_state_create(&all.model, &next).code != SKEIN_OK || !views;
  }
  if (fits && !s.starved) {
    take(w, &all, &next, views);
    return sk_ok();
  }
  sk_state_destroy(&all.state), sk_state_destroy(&next), free(views);
  sk_model_destroy(&all.model), sk_live_destroy(&all.live);
  if (s.starved) return sk_no_memory();
  return sk_fail(SKEIN_BAD_INPUT, "state: %zu bytes that are not a state of this scene", size);
}
