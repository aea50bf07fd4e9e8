/* What the files of the renderer share: vectors, random numbers, the scene as Embree has it, shading. */
#ifndef SK_RENDER_INSIDE_H
#define SK_RENDER_INSIDE_H

#include "render.h"

#include <embree3/rtcore.h>
#include <math.h>

static const float PI = 3.14159265358979f;

/* ---- Vectors ---- */

typedef struct vec {
  float x, y, z;
} vec;

/* One instruction each, where fmaxf and fminf are calls. */
static inline float maxf(float a, float b)
{
  return a > b ? a : b;
}

static inline float minf(float a, float b)
{
  return a < b ? a : b;
}

static inline vec v3(float x, float y, float z)
{
  return (vec){x, y, z};
}
static inline vec v_of(const float *a)
{
  return (vec){a[0], a[1], a[2]};
}
static inline vec v_add(vec a, vec b)
{
  return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec v_sub(vec a, vec b)
{
  return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline vec v_scale(float s, vec a)
{
  return (vec){s * a.x, s * a.y, s * a.z};
}
static inline vec v_mul(vec a, vec b)
{
  return (vec){a.x * b.x, a.y * b.y, a.z * b.z};
}
/* a + s b */
static inline vec v_along(vec a, float s, vec b)
{
  return (vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
/* (1 - t) a + t b */
static inline vec v_mix(vec a, vec b, float t)
{
  return v_along(a, t, v_sub(b, a));
}
static inline float v_dot(vec a, vec b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec v_cross(vec a, vec b)
{
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float v_length(vec a)
{
  return sqrtf(v_dot(a, a));
}
static inline vec v_unit(vec a)
{
  float n = v_length(a);
  return n > 0 ? v_scale(1 / n, a) : v3(0, 0, 1);
}
static inline float v_max(vec a)
{
  return maxf(a.x, maxf(a.y, a.z));
}
static inline float v_luminance(vec a)
{
  return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z;
}
static inline float clampf(float x, float lo, float hi)
{
  return x < lo ? lo : x > hi ? hi : x;
}
static inline float smooth(float lo, float hi, float x)
{
  float t = clampf((x - lo) / (hi - lo), 0, 1);
  return t * t * (3 - 2 * t);
}
/* Two directions that complete the unit vector n (Duff et al. 2017). */
static inline void v_frame(vec n, vec *a, vec *b)
{
  float s = copysignf(1, n.z), p = -1 / (s + n.z), q = n.x * n.y * p;
  *a = v3(1 + s * n.x * n.x * p, s * q, -s * n.x);
  *b = v3(q, s + n.y * n.y * p, -n.y);
}

/* ---- Samples: the first two dimensions of Sobol's sequence, scrambled per pixel and purpose ---- */

typedef struct sampler {
  uint32_t seed, index, mask; /* mask: samples rounded up to a power of two, less one */
} sampler;

enum { SAMPLE_PIXEL, SAMPLE_TIME, SAMPLE_AMBIENT, SAMPLE_LIGHT }; /* lights take the numbers from SAMPLE_LIGHT on */

static inline uint32_t hash32(uint32_t x)
{
  x ^= x >> 16, x *= 0x7feb352du;
  x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ x >> 16;
}
void sampler_draw(const sampler *s, int purpose, float u[2]);

/* ---- The scene in units of the distance from eye to target, the target at the origin ---- */

enum { GEOM_THIN, GEOM_THICK, GEOM_CAPS, GEOM_MESH }; /* meshes count from GEOM_MESH on */

/* Tubes: a strand has one vertex more at each end. */
typedef struct curves {
  int vertices, curves;
  float *vertex;    /* 4 each: place and radius */
  float *earlier;   /* the same when the shutter opens; NULL: nothing moves */
  uint32_t *index;  /* first of four vertices of a tube, of two of a ribbon */
  uint32_t *source; /* point of the caller at the start of the span between two points */
  uint16_t *part;   /* ribbons: which part of the span, see PART_* */
  float *plain;     /* per curve, NULL: all 0 */
} curves;

enum { PART_BITS = 15, PART_COUNT = 4, PART_FIRST = 256, PART_LAST = 512 }; /* part | parts << 4 | first or last span */

typedef struct caps {
  int count;
  float *vertex, *earlier;
  uint32_t *source;
} caps;

typedef struct plane {
  vec point, normal, colour;
} plane;

typedef struct lens {
  vec eye, right, up, forward, world_up;
  float tan_x, tan_y;
} lens;

typedef struct stage {
  const render_def *def;
  const render_scene *given;
  RTCScene scene;
  double origin[3], scale; /* stage = (world - origin) * scale */
  lens view;
  curves thin, thick;
  caps caps;
  int planes;
  plane *plane;
  vec centre;
  float size;
  struct {
    vec direction, side, other, colour;
    float radius; /* tan of the angle */
  } light[RENDER_LIGHTS];
  vec background[2];
  vec lo, hi;          /* bounds of everything but planes */
  unsigned char *mask; /* blocks of MASK_BLOCK x MASK_BLOCK pixels: MASK_* of what may be there */
  int mask_width, mask_height;
  size_t bytes;
  bool moves;
} stage;

enum { MASK_BLOCK = 4, MASK_STRAND = 1, MASK_BODY = 2 };

/* ---- stage.c, curves.c ---- */
skein_status stage_build(stage *s, RTCDevice device);
void stage_free(stage *s);
bool curves_build(stage *s);
bool curves_attach(stage *s, RTCDevice device);
vec stage_place(const stage *s, const double world[3]);
void *stage_array(stage *s, size_t count, size_t size, bool *ok);

/* ---- shade.c ---- */
typedef struct tracer {
  const stage *stage;
  sampler sampler;
  float time;
  int64_t rays;
} tracer;

enum { SOURCES = RENDER_LIGHTS + 1, KIND_NOTHING = -1, KIND_PLANE = -2 }; /* sources: the lights, then the sky */

/* What a ray found: light from each source as if nothing stood in its way, and where to look for what does. */
typedef struct sample {
  int kind;           /* geometry, or KIND_* */
  vec light[SOURCES]; /* towards the eye */
  vec from, normal;   /* start of rays to the sources, and around which direction the sky is */
  vec tint;           /* colour of what they start from */
  float near;         /* they start that far */
  bool hair;
  float own, far; /* planes: share of their own colour, and how far the shadows have faded */
  vec background;
} sample;

/* Rays from the eye that are traced together. */
enum { PACKET = 8 };
typedef struct packet {
  int count;
  vec direction[PACKET];
  float y[PACKET], time[PACKET]; /* place in the picture, 0 top to 1 bottom; moment, 0 to 1 */
  sample found[PACKET];
} packet;

/* objects: false where the pixel cannot show strands and bodies. */
void shade_packet(tracer *t, packet *p, bool objects);
/* Share of the light of source k that arrives, as its sample number `index` says. */
vec shade_visible(tracer *t, const sample *found, int k, int index);

/* ---- hair.c ---- */
typedef struct hair_point {
  vec tangent, view; /* unit; view: towards the eye */
  vec colour, log_colour;
  float plain;
} hair_point;

hair_point hair_make(vec tangent, vec view, vec colour, float plain);

/* Light towards the eye from a light of unit strength. */
vec hair_scatter(const hair_point *h, vec light);
/* What is left of light after `crossed` hairs. */
vec hair_transmit(vec colour, int crossed);

/* ---- surface.c ---- */
typedef struct surface_point {
  vec normal, view, colour;
  float roughness, reflectance, wrap;
} surface_point;

vec surface_scatter(const surface_point *p, vec light);

/* ---- smooth.c ---- */
/* Takes the grain out of pixels that show one thing only (kind[i] != KIND_MIXED), by the mean of near pixels of the
 * same kind and similar light. */
enum { KIND_MIXED = -9 };
bool smooth_image(float *rgba, const int16_t *kind, int width, int height, int threads);

/* The strands in a pixel: their light with and without what stands in the way, and the share of the pixel that they
 * have. */
typedef struct hair_pixel {
  vec lit, whole;
  float share;
} hair_pixel;

/* Adds the strands to the picture, with shadows shared among near pixels. */
void smooth_hair(float *rgba, const hair_pixel *hair, int width, int height, float exposure, int threads);

/* ---- tone.c ---- */
vec tone_map(vec colour);
vec tone_unmap(vec display);

#endif
