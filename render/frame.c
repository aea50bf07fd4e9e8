/* A frame: samples of every pixel, drawn as densely as the filter weighs them (a tent of radius one), averaged
 * for each thing they hit, tone mapped and added up. Random numbers depend on pixel and sample alone,
 * and the tree is built by one thread: the same bits for any number of threads. Where no strand passes and the first
 * samples agree, the rest is spared. */
#define _POSIX_C_SOURCE 200809L
#include "inside.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { TILE = 16 };

struct render_studio {
  RTCDevice device;
  int64_t in_use, most; /* bytes of Embree */
};

static double clock_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Samples ---- */

static uint32_t reverse_bits(uint32_t x)
{
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}

/* Second dimension of Sobol's sequence. */
static uint32_t sobol(uint32_t i)
{
  uint32_t x = 0;
  for (uint32_t v = 1u << 31; i; i >>= 1, v ^= v >> 1)
    if (i & 1) x ^= v;
  return x;
}

/* Exclusive-or with a mask below a power of two visits each block of samples in another order, and keeps it even. */
void sampler_draw(const sampler *s, int purpose, float u[2])
{
  uint32_t a = hash32(s->seed + 0x9e3779b9u * (uint32_t)(purpose + 1)), b = hash32(a ^ 0x5bd1e995u);
  uint32_t i = s->index ^ (purpose == SAMPLE_PIXEL ? 0 : hash32(b) & s->mask);
  u[0] = (float)((reverse_bits(i) ^ a) >> 8) * 0x1p-24f;
  u[1] = (float)((sobol(i) ^ b) >> 8) * 0x1p-24f;
}

/* -1 .. 1, dense as a tent. */
static float tent(float u)
{
  return u < 0.5f ? sqrtf(2 * u) - 1 : 1 - sqrtf(2 - 2 * u);
}

/* ---- Pixels ---- */

enum { CLASSES = 4, EVERY = 4 }; /* kinds of things told apart in a pixel; first samples that ask all sources */

/* Samples of a pixel that hit the same thing. The light of each source and how much of it arrives are averaged apart:
 * so one ray to one source per sample is enough, and shadows are as smooth as the samples allow. */
typedef struct tally {
  int kind, count, asked[SOURCES];
  vec light[SOURCES], arrives[SOURCES], background;
  float own, far;
  bool mixed; /* a light that arrives for some and not for others */
} tally;

typedef struct pixel {
  int count, classes;
  tally of[CLASSES];
} pixel;

static tally *tally_of(pixel *p, int kind)
{
  for (int k = 0; k < p->classes; k++)
    if (p->of[k].kind == kind) return &p->of[k];
  if (p->classes == CLASSES) return &p->of[CLASSES - 1];
  p->of[p->classes] = (tally){.kind = kind};
  return &p->of[p->classes++];
}

static void ask(tracer *t, const sample *found, int k, tally *sum)
{
  if (v_max(found->light[k]) <= 0) return; /* turned away from it */
  vec arrives = shade_visible(t, found, k, sum->asked[k]);
  float light = v_luminance(arrives) * (float)sum->asked[k], before = v_luminance(sum->arrives[k]);
  if (k < t->stage->def->lights && fabsf(light - before) > 0.01f) sum->mixed = true; /* the sky is smooth anyway */
  sum->arrives[k] = v_add(sum->arrives[k], arrives);
  sum->asked[k]++;
}

/* every: first samples of a thing that ask all sources; later ones ask one, by turns, and every other one of a hair. */
static void add_sample(tracer *t, const sample *found, int every, pixel *p)
{
  tally *sum = tally_of(p, found->kind);
  p->count++;
  sum->background = v_add(sum->background, found->background);
  sum->own += found->own, sum->far += found->far;
  int sources = t->stage->def->lights + 1,
      turn = (int)(((uint32_t)(sum->count / (found->hair ? 2 : 1)) + t->sampler.seed % 64) % (uint32_t)sources);
  for (int k = 0; found->kind != KIND_NOTHING && k < sources; k++) {
    sum->light[k] = v_add(sum->light[k], found->light[k]);
    if (sum->count < every || (k == turn && !(found->hair && sum->count % 2))) ask(t, found, k, sum);
  }
  sum->count++;
}

/* Samples first .. first + count - 1 of a pixel. */
static void take_samples(tracer *t, int x, int y, int first, int count, int mask, pixel *sum)
{
  const stage *s = t->stage;
  const lens *v = &s->view;
  float w = (float)s->def->width, h = (float)s->def->height;
  packet p;
  p.count = count;
  for (int i = 0; i < count; i++) {
    float u[2];
    t->sampler.index = (uint32_t)(first + i);
    sampler_draw(&t->sampler, SAMPLE_PIXEL, u);
    float px = (float)x + 0.5f + tent(u[0]), py = (float)y + 0.5f + tent(u[1]);
    vec d = v_along(v->forward, (2 * px / w - 1) * v->tan_x, v->right);
    p.direction[i] = v_unit(v_along(d, (1 - 2 * py / h) * v->tan_y, v->up));
    p.y[i] = py / h, p.time[i] = 0;
    if (s->moves) sampler_draw(&t->sampler, SAMPLE_TIME, u), p.time[i] = u[0];
  }
  shade_packet(t, &p, mask != 0);
  for (int i = 0; i < count; i++) {
    t->time = p.time[i];
    add_sample(t, &p.found[i], mask & MASK_STRAND ? 1 : EVERY, sum);
  }
}

/* Light of the samples of one kind, with what stands in its way, and without. */
static void add_light(const stage *s, const tally *sum, vec *lit, vec *whole)
{
  float n = 1 / (float)sum->count;
  *lit = *whole = v3(0, 0, 0);
  for (int k = 0; k <= s->def->lights; k++) {
    if (sum->asked[k] == 0) continue;
    *lit = v_add(*lit, v_scale(n / (float)sum->asked[k], v_mul(sum->light[k], sum->arrives[k])));
    *whole = v_along(*whole, n, sum->light[k]);
  }
}

/* Colour of the samples of one kind, and how much of the background they hide. */
static vec resolve(const stage *s, const tally *sum, float *alpha)
{
  float n = 1 / (float)sum->count;
  vec lit, whole, behind = v_scale(n, sum->background), none = v3(0, 0, 0);
  *alpha = 1;
  if (sum->kind == KIND_NOTHING) {
    *alpha = s->def->transparent ? 0 : 1;
    return s->def->transparent ? none : tone_map(behind);
  }
  add_light(s, sum, &lit, &whole);
  vec seen = v_scale((float)s->def->exposure, lit);
  if (sum->kind == KIND_PLANE) {
    float left = clampf(v_luminance(lit) / maxf(v_luminance(whole), 1e-6f), 0, 1);
    left += (1 - left) * sum->far * n;
    *alpha = s->def->transparent ? 1 - left : 1;
    if (s->def->transparent) return none;
    seen = v_mix(v_scale(left, behind), seen, sum->own * n);
  }
  return tone_map(seen);
}

/* Nothing but background, or one smooth thing that all sources reach, or none. */
static bool is_quiet(const pixel *p)
{
  return p->classes == 1 && (p->of[0].kind == KIND_NOTHING || !p->of[0].mixed);
}

/* What a frame keeps of its pixels until they are smooth. */
typedef struct film {
  float *rgba;
  int16_t *kind;    /* what a pixel shows if it is one thing */
  hair_pixel *hair; /* strands, not yet in rgba */
} film;

static void keep_pixel(const stage *s, const pixel *p, size_t at, const film *f)
{
  float *rgba = f->rgba + 4 * at;
  f->hair[at] = (hair_pixel){.share = 0};
  for (int k = 0; k < 4; k++) rgba[k] = 0;
  for (int k = 0; k < p->classes; k++) {
    float alpha = 1, share = (float)p->of[k].count / (float)p->count;
    vec c = v3(0, 0, 0);
    hair_pixel *hair = &f->hair[at];
    bool strand = p->of[k].kind == GEOM_THIN || p->of[k].kind == GEOM_THICK;
    if (strand && hair->share == 0) add_light(s, &p->of[k], &hair->lit, &hair->whole), hair->share = share;
    else c = resolve(s, &p->of[k], &alpha);
    rgba[0] += share * c.x, rgba[1] += share * c.y, rgba[2] += share * c.z, rgba[3] += share * alpha;
  }
  bool one = p->classes == 1 && f->hair[at].share == 0 && p->of[0].kind < 9999;
  f->kind[at] = (int16_t)(one ? p->of[0].kind : KIND_MIXED);
}

static void take_pixel(tracer *t, int x, int y, const film *f)
{
  const stage *s = t->stage;
  int samples = s->def->samples, mask = s->mask[y / MASK_BLOCK * s->mask_width + x / MASK_BLOCK];
  uint32_t block = 1;
  while (block < (uint32_t)samples) block *= 2;
  pixel p = {0};
  t->sampler.seed = hash32((uint32_t)y * 0x10001u + hash32((uint32_t)x));
  t->sampler.mask = block - 1;
  for (int i = 0, count; i < samples; i += count) {
    int most = mask ? PACKET : EVERY;
    count = samples - i < most ? samples - i : most;
    take_samples(t, x, y, i, count, mask, &p);
    int only = p.classes == 1 ? p.of[0].kind : KIND_MIXED;
    bool beside = only == KIND_NOTHING && !s->moves && 4 * p.count >= samples; /* of the strands in its block */
    bool inside =
        (only == GEOM_THIN || only == GEOM_THICK) && 2 * p.count >= samples; /* no edge, and shadows are shared */
    if (mask & MASK_STRAND ? beside || inside : is_quiet(&p)) break;
  }
  keep_pixel(s, &p, (size_t)y * (size_t)s->def->width + (size_t)x, f);
}

static int64_t take_tile(const stage *s, int tile, const film *f)
{
  int across = (s->def->width + TILE - 1) / TILE, x0 = tile % across * TILE, y0 = tile / across * TILE;
  tracer t = {.stage = s};
  for (int y = y0; y < y0 + TILE && y < s->def->height; y++)
    for (int x = x0; x < x0 + TILE && x < s->def->width; x++) take_pixel(&t, x, y, f);
  return t.rays;
}

/* Embree wants denormal numbers to be zero; the caller's mode comes back at the end. */
static unsigned fast_floats(void)
{
#if defined(__SSE2__)
  unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);
  return mode;
#else
  return 0;
#endif
}

static void same_floats(unsigned mode)
{
#if defined(__SSE2__)
  _mm_setcsr(mode);
#else
  (void)mode;
#endif
}

static int threads_of(const render_def *def)
{
  return def->threads > 0 ? def->threads : omp_get_max_threads();
}

static int64_t take_tiles(const stage *s, const film *f, const volatile sig_atomic_t *stop)
{
  int across = (s->def->width + TILE - 1) / TILE, tiles = across * ((s->def->height + TILE - 1) / TILE);
  int64_t rays = 0;
#pragma omp parallel num_threads(threads_of(s->def)) reduction(+ : rays)
  {
    unsigned mode = fast_floats();
#pragma omp for schedule(dynamic)
    for (int tile = 0; tile < tiles; tile++)
      if (!stop || !*stop) rays += take_tile(s, tile, f);
    same_floats(mode);
  }
  return rays;
}

/* ---- The door ---- */

static bool count_memory(void *pointer, ssize_t bytes, bool post)
{
  render_studio *studio = pointer;
  (void)post;
  int64_t now = __atomic_add_fetch(&studio->in_use, (int64_t)bytes, __ATOMIC_RELAXED);
  if (now > studio->most) studio->most = now;
  return true;
}

skein_status render_create(render_studio **studio)
{
  *studio = calloc(1, sizeof **studio);
  if (*studio) (*studio)->device = rtcNewDevice("threads=1");
  if (*studio && (*studio)->device) {
    rtcSetDeviceMemoryMonitorFunction((*studio)->device, count_memory, *studio);
    return (skein_status){.code = SKEIN_OK};
  }
  free(*studio);
  *studio = NULL;
  return (skein_status){.code = SKEIN_NO_MEMORY, .message = "cannot start Embree"};
}

void render_destroy(render_studio *studio)
{
  if (!studio) return;
  rtcReleaseDevice(studio->device);
  free(studio);
}

skein_status render_frame(render_studio *studio, const render_def *def, const render_scene *scene, float *rgba,
                          const volatile sig_atomic_t *stop, render_info *info)
{
  stage s = {.def = def, .given = scene};
  render_info none, *out = info ? info : &none;
  double begun = clock_now();
  *out = (render_info){0};
  studio->most = studio->in_use;
  skein_status status = stage_build(&s, studio->device);
  out->seconds_build = clock_now() - begun;
  bool room = true;
  size_t pixels = (size_t)def->width * (size_t)def->height;
  film f = {rgba, stage_array(&s, pixels, sizeof(int16_t), &room), stage_array(&s, pixels, sizeof(hair_pixel), &room)};
  if (status.code == SKEIN_OK && room) {
    out->rays = take_tiles(&s, &f, stop);
    room = (stop && *stop) || smooth_image(rgba, f.kind, def->width, def->height, threads_of(def));
    if (!stop || !*stop) smooth_hair(rgba, f.hair, def->width, def->height, (float)def->exposure, threads_of(def));
  }
  if (!room) status = (skein_status){.code = SKEIN_NO_MEMORY, .message = "out of memory for the picture"};
  free(f.kind);
  free(f.hair);
  out->seconds_trace = clock_now() - begun - out->seconds_build;
  out->bytes = (size_t)studio->most + s.bytes + (size_t)def->width * (size_t)def->height * 12 * sizeof(float);
  stage_free(&s);
  return status;
}

render_def render_default_def(void)
{
  return (render_def){
      .width = 960,
      .height = 720,
      .samples = 16,
      .camera = {.eye = {0, -1, 0.3}, .up = {0, 0, 1}, .fov = 30},
      .radius_scale = 1,
      .min_width = 1,
      .size = 1,
      .exposure = 1,
      .sky = {0.44f, 0.47f, 0.51f},
      .floor = {0.21f, 0.20f, 0.19f},
      .background = {{0.80f, 0.83f, 0.87f}, {0.55f, 0.58f, 0.62f}},
  };
}

static void set_light(render_light *light, vec direction, float strength, vec colour, float angle)
{
  vec d = v_unit(direction), c = v_scale(strength, colour);
  *light = (render_light){{d.x, d.y, d.z}, {c.x, c.y, c.z}, angle};
}

void render_light_studio(render_def *def)
{
  const render_camera *c = &def->camera;
  vec up = v_unit(v3((float)c->up[0], (float)c->up[1], (float)c->up[2]));
  vec to = v_unit(
      v3((float)(c->target[0] - c->eye[0]), (float)(c->target[1] - c->eye[1]), (float)(c->target[2] - c->eye[2])));
  vec right = v_cross(to, up);
  if (v_length(right) < 1e-3f) right = v_cross(to, fabsf(to.y) < 0.9f ? v3(0, 1, 0) : v3(0, 0, 1));
  right = v_unit(right);
  vec ahead = v_cross(up, right); /* level */
  vec key = v_along(v_along(v_scale(1.0f, up), -0.8f, right), -0.25f, ahead);
  vec rim = v_along(v_along(v_scale(0.75f, up), 0.9f, right), 0.75f, ahead);
  def->lights = 2;
  set_light(&def->light[0], key, 1.12f, v3(1, 0.96f, 0.90f), 6);
  set_light(&def->light[1], rim, 0.5f, v3(0.88f, 0.94f, 1), 8);
}
