/* A frame of the world for those who look, and its whole state as bytes for those who go on. */
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Frames ---- */

static int points_of(const skein_world *w, const sk_strand *s)
{
  int wanted = w->scene->output.points, N = s->rod->def.elements;
  if (wanted > 1) return SK_MAX(1, (wanted - 2 + N) / N);
  return sk_world_pieces(w, (int)(s - w->strands), w->scene->step.chord * s->radius);
}

static bool allocate(const skein_world *w, skein_frame *f)
{
  size_t rods = (size_t)f->rods, contacts = (size_t)f->contacts, points = (size_t)f->points;
  f->point = sk_calloc(3 * points, sizeof(float)), f->radius = sk_calloc(rods, sizeof(float));
  f->rod_group = sk_calloc(rods, sizeof(int)), f->rod_source = sk_calloc(rods, sizeof(int));
  f->body_pose = sk_calloc(7 * (size_t)w->scene->body_count, sizeof(double));
  f->contact_object = sk_calloc(2 * contacts, sizeof(int)), f->contact_s = sk_calloc(2 * contacts, sizeof(double));
  f->contact_point = sk_calloc(3 * contacts, sizeof(double));
  f->contact_normal = sk_calloc(3 * contacts, sizeof(double));
  f->contact_impulse = sk_calloc(3 * contacts, sizeof(double));
  f->contact_gap = sk_calloc(contacts, sizeof(double)), f->contact_status = sk_calloc(contacts, 1);
  return f->point && f->radius && f->rod_group && f->rod_source && f->body_pose && f->contact_object && f->contact_s &&
         f->contact_point && f->contact_normal && f->contact_impulse && f->contact_gap && f->contact_status;
}

static bool fill_rods(const skein_world *w, skein_frame *f)
{
  int most = 0;
  for (int i = 0; i < f->rods; i++) most = SK_MAX(most, f->point_start[i + 1] - f->point_start[i]);
  sk_vec3 *r = sk_calloc((size_t)most, sizeof *r);
  if (!r) return false;
  for (int i = 0; i < f->rods; i++) {
    const sk_strand *s = w->strands + i;
    int count = f->point_start[i + 1] - f->point_start[i];
    s->rod->ops->points(s->rod, s->rod->x, NULL, NULL, (count - 1) / s->rod->def.elements, r, NULL);
    float *p = f->point + 3 * (size_t)f->point_start[i];
    for (int k = 0; k < count; k++)
      p[3 * k] = (float)r[k].x, p[3 * k + 1] = (float)r[k].y, p[3 * k + 2] = (float)r[k].z;
    f->radius[i] = (float)s->radius, f->rod_group[i] = s->group, f->rod_source[i] = s->source;
  }
  free(r);
  return true;
}

static void fill_contacts(const skein_world *w, skein_frame *f)
{
  for (int k = 0; k < f->contacts; k++) {
    const sk_touch *t = w->touches.at + k;
    sk_vec3 half = sk_mul(0.5, sk_add(t->point_a, t->point_b));
    f->contact_object[2 * k] = t->a, f->contact_object[2 * k + 1] = t->b;
    f->contact_s[2 * k] = t->sa, f->contact_s[2 * k + 1] = t->sb;
    sk_store3(f->contact_point + 3 * k, sk_is_rod(w, t->b) ? half : t->point_b);
    sk_store3(f->contact_normal + 3 * k, t->frame[0]), sk_store3(f->contact_impulse + 3 * k, t->impulse);
    f->contact_gap[k] = t->gap, f->contact_status[k] = (signed char)t->status;
  }
}

/* Of the bodies that deform, as they are now. */
static bool fill_surfaces(const skein_world *w, skein_frame *f)
{
  if (!w->deforms) return true;
  for (int i = 0; i < f->bodies; i++) f->surfaces += sk_world_deforms(w, i);
  f->surface_body = sk_calloc((size_t)f->surfaces, sizeof(int));
  f->surface_start = sk_calloc((size_t)f->surfaces + 1, sizeof(int));
  if (!f->surface_body || !f->surface_start) return false;
  for (int i = 0, k = 0; i < f->bodies; i++) {
    if (!sk_world_deforms(w, i)) continue;
    f->surface_vertices += sk_mesh_vertices(sk_world_shape(w, i)->mesh);
    f->surface_body[k++] = i, f->surface_start[k] = f->surface_vertices;
  }
  f->surface_vertex = sk_calloc(3 * (size_t)f->surface_vertices, sizeof(float));
  for (int k = 0; f->surface_vertex && k < f->surfaces; k++) {
    const double *v = sk_mesh_vertex_data(sk_world_shape(w, f->surface_body[k])->mesh);
    float *out = f->surface_vertex + 3 * (size_t)f->surface_start[k];
    for (int i = 0; i < 3 * (f->surface_start[k + 1] - f->surface_start[k]); i++) out[i] = (float)v[i];
  }
  return f->surface_vertex != NULL;
}

skein_status skein_world_frame(const skein_world *w, int index, skein_frame *f)
{
  *f = (skein_frame){
      .index = index, .time = w->time, .dt = w->last_dt, .rods = w->strand_count, .bodies = w->scene->body_count};
  f->contacts = w->scene->output.contacts ? w->touches.count : 0;
  f->point_start = sk_calloc((size_t)f->rods + 1, sizeof(int));
  if (!f->point_start) return sk_no_memory();
  for (int i = 0; i < f->rods; i++)
    f->point_start[i + 1] = f->point_start[i] + points_of(w, w->strands + i) * w->strands[i].rod->def.elements + 1;
  f->points = f->point_start[f->rods];
  if (!allocate(w, f) || !fill_rods(w, f) || !fill_surfaces(w, f)) {
    skein_frame_destroy(f);
    return sk_no_memory();
  }
  for (int i = 0; i < f->bodies; i++) {
    const sk_pose *p = &w->bodies[i].pose;
    sk_store3(f->body_pose + 7 * i, p->r);
    f->body_pose[7 * i + 3] = p->q.w, sk_store3(f->body_pose + 7 * i + 4, p->q.v);
  }
  fill_contacts(w, f);
  return sk_ok();
}

/* ---- The state as bytes ----
 * A header, then every rod (what it is, its natural shape, its state), the bodies, the touches. Written and read by the
 * same function, so that the two cannot differ. */

enum { MAGIC = 0x534b5735 }; /* "SKW5" */

typedef struct stream {
  unsigned char *bytes; /* NULL: only count */
  size_t at, size;
  bool reading, bad;
  bool starved; /* bad because memory is out */
} stream;

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

typedef struct rod_record {
  int32_t source, elements, twist_locked, root, tip, naturals, root_driven, tip_driven;
  double length, speed, extra;
} rod_record;

/* The rod as it is in the stream; reading makes it anew when it has changed since the scene (released, cut). */
static void pass_rod(stream *s, const skein_world *w, sk_strand *strand)
{
  const skein_rod *now = strand->rod;
  rod_record r = {0};
  if (!s->reading)
    r = (rod_record){strand->source,  now->def.elements, now->def.twist_locked, now->def.root,
                     now->def.tip,    now->def.naturals, strand->root_driven,   strand->tip_driven,
                     now->def.length, strand->speed,     strand->extra};
  pass(s, &r, sizeof r);
  if (s->bad) return;
  if (s->reading) {
    bool sane = r.source >= 0 && r.source < w->scene->rod_count && r.naturals >= 0 &&
                (size_t)r.naturals <= (s->size - s->at) / 24 + 1 && r.elements > 0;
    double *cells = sane ? sk_calloc(3 * (size_t)r.naturals, sizeof *cells) : NULL;
    if (!cells) {
      s->bad = true, s->starved = sane;
      return;
    }
    pass(s, cells, sizeof(double) * 3 * (size_t)r.naturals);
    skein_rod_def def = w->scene->rods[r.source].def;
    def.elements = r.elements, def.twist_locked = r.twist_locked, def.length = r.length;
    def.root = (skein_rod_end)r.root, def.tip = (skein_rod_end)r.tip, def.initial = NULL;
    def.natural = r.naturals > 0 ? cells : NULL, def.naturals = r.naturals;
    strand->rod = NULL;
    skein_status made = s->bad ? sk_ok() : skein_rod_create(&def, &strand->rod);
    if (made.code != SKEIN_OK) s->bad = true, s->starved = made.code == SKEIN_NO_MEMORY;
    free(cells);
    strand->source = r.source, strand->root_driven = r.root_driven, strand->tip_driven = r.tip_driven;
    strand->speed = r.speed, strand->extra = r.extra, strand->group = w->scene->rods[r.source].group,
    strand->radius = w->scene->rods[r.source].radius;
    if (s->bad) return;
  } else pass(s, now->natural, sizeof(double) * 3 * (size_t)(now->natural ? r.naturals : 0));
  pass(s, &strand->root_base, sizeof strand->root_base), pass(s, &strand->tip_base, sizeof strand->tip_base);
  pass(s, &strand->rooted_in, sizeof strand->rooted_in), pass(s, &strand->rooted_until, sizeof strand->rooted_until);
  pass(s, &strand->cut_off, sizeof strand->cut_off), pass(s, &strand->begin, sizeof strand->begin);
  pass(s, &strand->dense, sizeof strand->dense);
  pass(s, strand->rod->x, sizeof(double) * (size_t)strand->rod->nx);
  pass(s, strand->rod->v, sizeof(double) * (size_t)strand->rod->n);
  if (s->reading && skein_rod_set_state(strand->rod, strand->rod->x, strand->rod->v).code != SKEIN_OK) s->bad = true;
  pass(s, &strand->rod->root_next, sizeof strand->rod->root_next); /* of ends that nobody drives, to the last bit */
  pass(s, &strand->rod->tip_next, sizeof strand->rod->tip_next);
}

typedef struct world_record {
  uint32_t magic;
  int32_t strands, bodies, touches, next_event, calm, hold, meek, meek_next, weary; /* no gap before the next */
  int64_t steps;
  double time, dt, last_dt, energy_scale, penetration;
  skein_env env;
} world_record;

/* What was changed by hand: friction and pulls (gravity and wind are in the record of the world). */
static void pass_live(stream *s, skein_world *w)
{
  size_t pairs = (size_t)w->scene->group_count * (size_t)w->scene->group_count;
  int64_t count[2] = {w->scene->group_count, w->pull_count};
  pass(s, count, sizeof count);
  if (s->reading) {
    bool sane = !s->bad && count[0] == w->scene->group_count && count[1] >= 0 &&
                (size_t)count[1] <= (s->size - s->at) / sizeof *w->pulls;
    if (sane) w->mu = sk_calloc(pairs, sizeof *w->mu), w->pulls = sk_calloc((size_t)count[1], sizeof *w->pulls);
    if (!sane || !w->mu || !w->pulls) {
      s->bad = true, s->starved = s->starved || sane;
      return;
    }
    w->pull_count = (int)count[1];
  }
  pass(s, w->mu, sizeof *w->mu * pairs);
  pass(s, w->pulls, sizeof *w->pulls * (size_t)count[1]);
  for (int i = 0; s->reading && i < w->pull_count; i++)
    if (w->pulls[i].rod < 0 || w->pulls[i].rod >= w->strand_count) s->bad = true;
}

static void pass_world(stream *s, skein_world *w)
{
  world_record r = {0};
  if (!s->reading)
    r = (world_record){MAGIC,   w->strand_count, w->scene->body_count, w->touches.count, w->next_event, w->calm,
                       w->hold, w->meek,         w->meek_next,         w->weary,         w->steps,      w->time,
                       w->dt,   w->last_dt,      w->energy_scale,      w->penetration,   w->env};
  pass(s, &r, sizeof r);
  if (s->reading) {
    if (s->bad || r.magic != MAGIC || r.bodies != w->scene->body_count || r.strands < 0 || r.touches < 0 ||
        (size_t)r.touches > s->size / sizeof(sk_touch) || (size_t)r.strands > s->size / sizeof(rod_record)) {
      s->bad = true;
      return;
    }
    w->strands = sk_calloc((size_t)r.strands, sizeof *w->strands);
    w->touches.at = SK_NEW_RAW(&w->kept, r.touches, sk_touch);
    w->rest = sk_calloc((size_t)r.strands + (size_t)r.bodies, sizeof *w->rest);
    if (!w->strands || !w->touches.at || !w->rest) s->bad = s->starved = true;
    if (s->bad) return;
    w->touches.count = r.touches, w->next_event = r.next_event, w->calm = SK_MAX(0, SK_MIN(r.calm, SK_CALM_MOST)),
    w->steps = r.steps;
    w->hold = r.hold, w->meek = r.meek, w->meek_next = r.meek_next, w->weary = r.weary;
    w->time = r.time, w->dt = r.dt, w->last_dt = r.last_dt, w->energy_scale = r.energy_scale,
    w->penetration = r.penetration, w->env = r.env;
  }
  for (int i = 0; i < r.strands && !s->bad; i++) {
    pass_rod(s, w, w->strands + i);
    if (s->reading && w->strands[i].rod) w->strand_count = i + 1;
  }
  pass(s, w->bodies, sizeof *w->bodies * (size_t)r.bodies);
  pass(s, w->rest, sizeof *w->rest * ((size_t)r.strands + (size_t)r.bodies));
  pass(s, w->touches.at, sizeof *w->touches.at * (size_t)r.touches);
  if (!s->bad) pass_live(s, w);
  if (w->deforms) pass(s, &w->surface_time, sizeof w->surface_time);
}

skein_status skein_world_save(const skein_world *w, void **bytes, size_t *size)
{
  stream count = {0};
  pass_world(&count, (skein_world *)w); /* only reads it */
  stream s = {.bytes = sk_calloc(count.at, 1), .size = count.at};
  *bytes = s.bytes, *size = s.bytes ? count.at : 0;
  if (!s.bytes) return sk_no_memory();
  pass_world(&s, (skein_world *)w);
  return sk_ok();
}

/* Into an empty copy of the world first: a state that cannot be read leaves the world as it is. */
skein_status skein_world_load(skein_world *w, const void *bytes, size_t size)
{
  skein_world *fresh = sk_calloc(1, sizeof *fresh);
  stream s = {.bytes = (unsigned char *)bytes, .size = size, .reading = true};
  if (!fresh) return sk_no_memory();
  fresh->scene = w->scene, fresh->threads = w->threads;
  fresh->solver = w->solver, fresh->verlet = w->verlet;
  fresh->stop = w->stop, fresh->before = w->before;
  fresh->before_size = w->before_size, fresh->before_room = w->before_room;
  fresh->deforms = w->deforms, fresh->anchors = w->anchors, fresh->places = w->places; /* depend on the scene only */
  fresh->bodies = sk_calloc((size_t)w->scene->body_count, sizeof *fresh->bodies);
  if (fresh->bodies) pass_world(&s, fresh);
  bool fits = fresh->bodies && !s.bad && s.at == size;
  if (fits) {
    skein_world swap = *w;
    *w = *fresh, *fresh = swap;
    sk_world_deform_restore(w);
  }
  fresh->deforms = NULL, fresh->anchors = NULL, fresh->places = NULL;
  fresh->solver = NULL, fresh->verlet = NULL, fresh->before = NULL;
  bool starved = !fits && (s.starved || !fresh->bodies);
  skein_world_destroy(fresh);
  if (starved) return sk_no_memory();
  return fits ? sk_ok() : sk_fail(SKEIN_BAD_INPUT, "state: %zu bytes that are not a state of this scene", size);
}

static bool is_stopped(void *user)
{
  skein_world *w = user;
  return sk_stop_asked(&w->stop);
}

skein_stop sk_world_stop(skein_world *w)
{
  return w->stop.by.ask ? (skein_stop){is_stopped, w} : (skein_stop){0};
}

/* Into the same memory step by step. */
skein_status sk_world_keep(skein_world *w)
{
  if (!w->stop.by.ask) return sk_ok();
  stream count = {0};
  pass_world(&count, w);
  if (count.at > w->before_room) {
    free(w->before);
    w->before_room = count.at + count.at / 4, w->before = sk_calloc(w->before_room, 1);
    if (!w->before) return w->before_room = 0, sk_no_memory();
  }
  stream s = {.bytes = w->before, .size = w->before_size = count.at};
  pass_world(&s, w);
  return sk_ok();
}

skein_status sk_world_go_back(skein_world *w)
{
  return skein_world_load(w, w->before, w->before_size);
}
