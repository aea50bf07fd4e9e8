/* What the tests of the world share: scenes as text, a world that plays one, its hash, its momentum. */
#ifndef SK_WORLD_SUPPORT_H
#define SK_WORLD_SUPPORT_H

#include "math/vec3.h"
#include "rod/rod.h"
#include "support.h"

/* ---- Text that grows ---- */

typedef struct text {
  char *at;
  size_t size, room;
} text;

__attribute__((format(printf, 2, 3))) static inline void say(text *t, const char *format, ...)
{
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  size_t more = (size_t)vsnprintf(NULL, 0, format, again) + 1;
  va_end(again);
  if (t->size + more > t->room) {
    t->room = 2 * (t->size + more);
    t->at = realloc(t->at, t->room);
    assert_non_null(t->at);
  }
  vsnprintf(t->at + t->size, more, format, args);
  t->size += more - 1;
  va_end(args);
}

static inline void say_vector(text *t, const char *field, sk_vec3 a)
{
  say(t, "\"%s\": [%.17g, %.17g, %.17g]", field, a.x, a.y, a.z);
}

/* ---- A world that plays a scene ---- */

typedef struct play {
  skein_scene *scene;
  skein_world *world;
  skein_step_info info;                /* of the last step */
  int steps, retries, unfinished;      /* unfinished: steps whose solve missed its tolerance */
  int contacts;                        /* most of them */
  double penetration, speed, gain;     /* largest; gain: of kinetic + elastic + gravity in one step, J */
  double dissipated, least_dissipated; /* sum, smallest of a step */
  double energy;                       /* kinetic + elastic + gravity after the last step */
} play;

static inline play play_open(const char *source, int threads)
{
  play p = {.least_dissipated = INFINITY, .gain = -INFINITY};
  expect_ok(skein_scene_parse(source, "test", ".", NULL, 0, &p.scene));
  expect_ok(skein_world_create(p.scene, threads, &p.world));
  return p;
}

/* The same of text that is not needed any more. */
static inline play play_text(text *t, int threads)
{
  play p = play_open(t->at, threads);
  free(t->at);
  *t = (text){0};
  return p;
}

static inline void play_close(play *p)
{
  skein_world_destroy(p->world);
  skein_scene_destroy(p->scene);
  *p = (play){0};
}

static inline void play_step(play *p, double until)
{
  expect_ok(skein_world_step(p->world, until, &p->info));
  double energy = p->info.kinetic + p->info.elastic + p->info.gravity;
  assert_true(isfinite(energy) && isfinite(p->info.dissipated) && isfinite(p->info.error));
  if (p->steps > 0) p->gain = fmax(p->gain, energy - p->energy);
  p->energy = energy, p->steps++, p->retries += p->info.retries, p->unfinished += !p->info.converged;
  p->contacts = SK_MAX(p->contacts, p->info.contacts);
  p->penetration = fmax(p->penetration, p->info.penetration), p->speed = fmax(p->speed, p->info.speed);
  p->dissipated += p->info.dissipated, p->least_dissipated = fmin(p->least_dissipated, p->info.dissipated);
}

static inline void play_until(play *p, double until)
{
  while (skein_world_time(p->world) < until) play_step(p, until);
}

/* ---- Looking ---- */

typedef struct body_view {
  sk_vec3 r, v, w;
  sk_quat q;
} body_view;

static inline body_view look(const play *p, int body)
{
  double r[3], q[4], v[3], w[3];
  skein_world_body(p->world, body, r, q, v, w);
  return (body_view){sk_load3(r), sk_load3(v), sk_load3(w), {q[0], sk_load3(q + 1)}};
}

static inline sk_vec3 place(const play *p, int rod, double s)
{
  skein_pose pose;
  skein_rod_point(skein_world_rod(p->world, rod), s, &pose);
  return sk_load3(pose.r);
}

static inline sk_vec3 velocity(const play *p, int rod, double s)
{
  double v[3];
  skein_rod_velocity(skein_world_rod(p->world, rod), s, v);
  return sk_load3(v);
}

static inline double rod_mass(const skein_rod *rod)
{
  return rod->fixed->section.rho_S * rod->fixed->def.length;
}

/* Momentum of a rod: of lumps at the nodes of a chain, by eight Gauss-Legendre-free midpoints per element else. */
static inline sk_vec3 rod_momentum(const skein_rod *rod)
{
  sk_vec3 sum = {0, 0, 0};
  bool chain = rod->fixed->def.model != SKEIN_SUPER_HELIX;
  int pieces = chain ? 1 : 16, count = pieces * rod->fixed->def.elements;
  double ds = rod->fixed->def.length / count, v[3];
  for (int k = 0; k <= count; k++) { /* Simpson for curves */
    double simpson = (k == 0 || k == count ? 1 : k % 2 ? 4 : 2) / 3.0, lump = k == 0 || k == count ? 0.5 : 1;
    skein_rod_velocity(rod, k * ds, v);
    sum = sk_axpy(sum, rod->fixed->section.rho_S * ds * (chain ? lump : simpson), sk_load3(v));
  }
  return sum;
}

/* Hash of the states of all rods and bodies. */
static inline uint64_t hash_of(const play *p)
{
  uint64_t h = 0;
  for (int i = 0; i < skein_world_rods(p->world); i++) {
    const skein_rod *rod = skein_world_rod(p->world, i);
    h = h * 31 + fnv(rod->x, sizeof(double) * (size_t)rod->fixed->nx);
    h = h * 31 + fnv(rod->v, sizeof(double) * (size_t)rod->fixed->n);
  }
  for (int i = 0; i < skein_world_bodies(p->world); i++) {
    body_view b = look(p, i);
    h = h * 31 + fnv(&b, sizeof b);
  }
  return h;
}

#endif
