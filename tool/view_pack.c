/* Frames for the page: places as 16-bit numbers in a box, values as 8 bits, differences to the frame before where the
 * rods are the same (docs/viewer.md, "Frame"). A value v of 0 .. m is kept as q = 255 sqrt(v/m): small ones keep their
 * digits. */
#include "view.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little-endian");

const view_column view_columns[VIEW_COLUMNS] = {
    {"time", VIEW_LAST},    {"dt", VIEW_LEAST},     {"contacts", VIEW_MOST},  {"stick", VIEW_MOST},
    {"slide", VIEW_MOST},   {"sweeps", VIEW_MOST},  {"error", VIEW_MOST},     {"kinetic", VIEW_LAST},
    {"elastic", VIEW_LAST}, {"gravity", VIEW_LAST}, {"dissipated", VIEW_SUM}, {"speed", VIEW_MOST},
    {"flaws", VIEW_UNION}};

enum { WITH_RODS = 1, DIFFERENCES = 2, SURFACE_DIFFERENCES = 4 };
enum { SPEED, FORCE, STATUS, ISLAND, VALUES };

/* What stands in front of the arrays. */
typedef struct header {
  char magic[4];
  uint32_t size, flags;
  int32_t index;
  double time;
  uint32_t sequence, state, generation;
  float origin[3], cell;
  uint32_t rods, points, bodies, contacts, steps, columns;
  float speed_max, force_max, contact_max, speed_high, force_high;
} header;
static_assert(sizeof(header) == 96, "the header has 96 bytes");

/* Where the arrays of a frame begin, in bytes from its header. */
typedef struct layout {
  size_t start, radius, group, material, colour, point, value[VALUES], pose, contact_point, contact_force,
      contact_status;
  size_t step, surface_count, surface_box, surface, size;
} layout;

struct view_packer {
  const skein_look *look;
  const skein_hairs *hairs; /* NULL: rods as they are */
  bool boxed;               /* one box for all */
  double lo[3], hi[3];
  int column[VIEW_COLUMNS]; /* place in run_columns */
  int *count;               /* points of each rod */
  int rods;                 /* with a count */
  float *value;             /* of the points, as they come from the look */
  int room;
  size_t surface;    /* vertices of all bodies that deform */
  view_bytes before; /* the last frame, complete and without differences; empty: none */
  layout before_at;
};

static skein_status no_memory(void)
{
  return (skein_status){.code = SKEIN_NO_MEMORY, .message = "no memory for the page"};
}

skein_status view_packer_create(const skein_look *look, const double *lo, const double *hi, view_packer **packer)
{
  view_packer *p = *packer = calloc(1, sizeof *p);
  if (!p) return no_memory();
  p->look = look;
  p->boxed = lo && hi;
  if (p->boxed) view_packer_set_box(p, lo, hi);
  for (int i = 0; i < skein_look_bodies(look); i++) {
    const skein_look_body *b = skein_look_body_at(look, i);
    if (b->deforms) p->surface += (size_t)b->vertices;
  }
  for (int c = 0; c < VIEW_COLUMNS; c++)
    while (strcmp(run_columns[p->column[c]].name, view_columns[c].name)) p->column[c]++;
  return (skein_status){0};
}

void view_packer_destroy(view_packer *packer)
{
  if (!packer) return;
  view_bytes_free(&packer->before);
  free(packer->value);
  free(packer->count);
  free(packer);
}

void view_packer_set_hairs(view_packer *packer, const skein_hairs *hairs)
{
  packer->hairs = hairs;
}

void view_packer_set_box(view_packer *packer, const double lo[3], const double hi[3])
{
  packer->boxed = true;
  for (int k = 0; k < 3; k++) packer->lo[k] = lo[k], packer->hi[k] = hi[k];
}

skein_status view_packer_see(view_packer *packer, const skein_frame *frame)
{
  float *room = malloc(3 * sizeof *room * ((size_t)frame->points + 1));
  if (frame->rods > packer->rods) {
    int *grown = realloc(packer->count, sizeof *grown * (size_t)frame->rods);
    for (int r = packer->rods; grown && r < frame->rods; r++) grown[r] = 0;
    if (grown) packer->count = grown, packer->rods = frame->rods;
  }
  bool fits = room && frame->rods <= packer->rods;
  for (int r = 0; fits && r < frame->rods; r++) packer->count[r] = view_points_needed(frame, r, packer->count[r], room);
  free(room);
  return fits ? (skein_status){0} : no_memory();
}

/* ---- Layout ---- */

static size_t place(size_t *at, size_t bytes)
{
  size_t here = *at;
  *at += (bytes + 3) & ~(size_t)3;
  return here;
}

static layout lay_out(const header *h, bool with_rods, size_t surface)
{
  layout at = {0};
  size_t n = sizeof(header), rods = h->rods, points = h->points, contacts = h->contacts;
  if (with_rods) {
    at.start = place(&n, 4 * (rods + 1));
    at.radius = place(&n, 4 * rods);
    at.group = place(&n, 4 * rods);
    at.material = place(&n, 4 * rods);
    at.colour = place(&n, 4 * rods);
  }
  at.point = place(&n, 6 * points);
  for (int v = 0; v < VALUES; v++) at.value[v] = place(&n, points);
  at.pose = place(&n, 28 * (size_t)h->bodies);
  at.contact_point = place(&n, 6 * contacts);
  at.contact_force = place(&n, 4 * contacts);
  at.contact_status = place(&n, contacts);
  at.step = place(&n, 4 * (size_t)h->columns * h->steps);
  if (surface > 0) {
    at.surface_count = place(&n, 4), at.surface_box = place(&n, 16);
    at.surface = place(&n, 6 * surface);
  }
  at.size = n;
  return at;
}

/* ---- Numbers ---- */

/* Of all frames, or of the points and contacts of this one. */
static void find_box(const view_packer *p, const skein_frame *f, header *h)
{
  double widest = 0;
  for (int k = 0; k < 3; k++) {
    double lo = INFINITY, hi = -INFINITY;
    if (p->boxed) lo = p->lo[k], hi = p->hi[k];
    for (int i = 0; !p->boxed && i < f->points; i++) {
      lo = fmin(lo, f->point[3 * (size_t)i + (size_t)k]);
      hi = fmax(hi, f->point[3 * (size_t)i + (size_t)k]);
    }
    for (int i = 0; !p->boxed && i < f->contacts; i++) {
      lo = fmin(lo, f->contact_point[3 * (size_t)i + (size_t)k]);
      hi = fmax(hi, f->contact_point[3 * (size_t)i + (size_t)k]);
    }
    if (!(lo <= hi)) lo = hi = 0;
    widest = fmax(widest, hi - lo);
    h->origin[k] = (float)lo;
  }
  h->cell = (float)(fmax(widest, 1e-9) / 65535 * (1 + 1e-6)); /* the far side must not pass 65535 by rounding */
}

static uint16_t quantise(const header *h, int axis, double x)
{
  double q = (x - h->origin[axis]) / h->cell;
  return (uint16_t)(q > 0 ? fmin(q + 0.5, 65535) : 0);
}

static uint8_t root_of(double x, double largest)
{
  return (uint8_t)(largest > 0 ? fmin(255 * sqrt(fmax(x, 0) / largest) + 0.5, 255) : 0);
}

/* sRGB of a linear colour. */
static uint8_t screen(float x)
{
  double c = fmin(fmax(x, 0), 1);
  return (uint8_t)(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055) + 0.5);
}

/* ---- Arrays ---- */

static skein_status put_rods(view_packer *p, const skein_frame *f, unsigned char *out, const layout *at)
{
  skein_status status = skein_look_values(p->look, SKEIN_BY_MATERIAL, NULL, f, p->value);
  if (status.code != SKEIN_OK) return status;
  uint32_t *start = (uint32_t *)(out + at->start);
  for (int r = 0; r <= f->rods; r++) start[r] = (uint32_t)f->point_start[r];
  if (f->rods > 0) memcpy(out + at->radius, f->radius, sizeof(float) * (size_t)f->rods);
  for (int r = 0; r < f->rods; r++) {
    float rgb[3];
    skein_look_rod_colour(p->look, f, r, rgb);
    ((int32_t *)(out + at->group))[r] = f->rod_group[r];
    bool points = f->point_start[r] < f->point_start[r + 1];
    ((int32_t *)(out + at->material))[r] = points ? (int32_t)p->value[f->point_start[r]] : -1;
    for (int c = 0; c < 3; c++) out[at->colour + 4 * (size_t)r + (size_t)c] = screen(rgb[c]);
    out[at->colour + 4 * (size_t)r + 3] = 255;
  }
  return status;
}

static void put_points(const skein_frame *f, unsigned char *out, const layout *at, const header *h)
{
  uint16_t *q = (uint16_t *)(out + at->point);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < f->points; i++)
      q[(size_t)k * (size_t)f->points + (size_t)i] = quantise(h, k, f->point[3 * i + k]);
}

/* A value by its square root; largest, and what 99 of 100 points above zero stay below. */
static void put_continuous(const float *value, int points, uint8_t *q, float *largest, float *high)
{
  int count[256] = {0}, above = 0, some = 0, top = 255;
  *largest = 0;
  for (int i = 0; i < points; i++) *largest = fmaxf(*largest, value[i]);
  for (int i = 0; i < points; i++) count[q[i] = root_of(value[i], *largest)]++;
  for (int k = 1; k < 256; k++) some += count[k];
  while (top > 1 && 100 * (above + count[top]) <= some) above += count[top--];
  *high = *largest * (float)(top * top) / (255 * 255);
}

static skein_status put_values(view_packer *p, const view_input *in, unsigned char *out, const layout *at, header *h)
{
  static const skein_colour by[VALUES] = {SKEIN_BY_SPEED, SKEIN_BY_FORCE, SKEIN_BY_STATUS, SKEIN_BY_ISLAND};
  int points = in->frame->points;
  for (int v = 0; v < VALUES; v++) {
    uint8_t *q = out + at->value[v];
    skein_status status = p->hairs ? skein_hairs_values(p->hairs, p->look, by[v], in->before, in->guides, p->value)
                                   : skein_look_values(p->look, by[v], in->before, in->frame, p->value);
    if (status.code != SKEIN_OK) return status;
    if (v == SPEED) put_continuous(p->value, points, q, &h->speed_max, &h->speed_high);
    if (v == FORCE) put_continuous(p->value, points, q, &h->force_max, &h->force_high);
    for (int i = 0; v == STATUS && i < points; i++) q[i] = (uint8_t)p->value[i];
    for (int i = 0; v == ISLAND && i < points; i++) q[i] = p->value[i] < 0 ? 0 : (uint8_t)(1 + (int)p->value[i] % 255);
  }
  return (skein_status){0};
}

static double force_of(const skein_frame *f, int i)
{
  const double *r = f->contact_impulse + 3 * i;
  return f->dt > 0 ? sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) / f->dt : 0;
}

static void put_contacts(const skein_frame *f, unsigned char *out, const layout *at, header *h)
{
  uint16_t *q = (uint16_t *)(out + at->contact_point);
  double most = 0;
  for (int i = 0; i < f->contacts; i++) most = fmax(most, force_of(f, i));
  h->contact_max = (float)most;
  for (int i = 0; i < f->contacts; i++) {
    double size = force_of(f, i);
    unsigned char *force = out + at->contact_force + 4 * (size_t)i;
    for (int k = 0; k < 3; k++) {
      double part = size > 0 ? f->contact_impulse[3 * i + k] / f->dt / size : 0;
      q[(size_t)k * (size_t)f->contacts + (size_t)i] = quantise(h, k, f->contact_point[3 * i + k]);
      force[k] = (unsigned char)(signed char)lround(127 * part);
    }
    force[3] = root_of(size, most);
    out[at->contact_status + (size_t)i] = (unsigned char)f->contact_status[i];
  }
}

static void put_bodies(const skein_frame *f, unsigned char *out, const layout *at)
{
  float *pose = (float *)(out + at->pose);
  for (int k = 0; k < 7 * f->bodies; k++) pose[k] = (float)f->body_pose[k];
}

/* A box around x (3 each) that seldom changes with it: its cell is a power of two, its origin a multiple of 8192 cells,
 * so that frames differ little. */
static void find_steady_box(const float *x, size_t count, float box[4])
{
  double lo[3] = {x[0], x[1], x[2]}, widest = 1e-9;
  for (int k = 0; k < 3; k++) {
    double hi = lo[k];
    for (size_t i = 0; i < count; i++) lo[k] = fmin(lo[k], x[3 * i + (size_t)k]), hi = fmax(hi, x[3 * i + (size_t)k]);
    widest = fmax(widest, hi - lo[k]);
  }
  double cell = exp2(ceil(log2(1.2 * widest / 57000)));
  for (int k = 0; k < 3; k++) box[k] = (float)(8192 * cell * floor(lo[k] / (8192 * cell)));
  box[3] = (float)cell;
}

/* Vertices of the bodies that deform, one body after the other. */
static skein_status put_surface(const view_packer *p, const skein_frame *f, unsigned char *out, const layout *at)
{
  if (p->surface == 0) return (skein_status){0};
  float *x = malloc(3 * sizeof *x * p->surface), *next = x, box[4];
  if (!x) return no_memory();
  for (int i = 0; i < skein_look_bodies(p->look); i++) {
    const skein_look_body *b = skein_look_body_at(p->look, i);
    if (b->deforms) skein_look_surface(p->look, f, i, next, NULL), next += 3 * (size_t)b->vertices;
  }
  find_steady_box(x, p->surface, box);
  uint16_t *q = (uint16_t *)(out + at->surface);
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < p->surface; i++)
      q[k * p->surface + i] = (uint16_t)fmin(fmax((x[3 * i + k] - box[k]) / box[3] + 0.5, 0), 65535);
  memcpy(out + at->surface_count, &(uint32_t){(uint32_t)p->surface}, 4);
  memcpy(out + at->surface_box, box, sizeof box);
  free(x);
  return (skein_status){0};
}

static double merge(view_merge how, double a, double b)
{
  switch (how) {
  case VIEW_LEAST:
    return fmin(a, b);
  case VIEW_MOST:
    return fmax(a, b);
  case VIEW_SUM:
    return a + b;
  case VIEW_UNION: /* of sets; NaN: not known */
    return isnan(a) ? b : isnan(b) ? a : (unsigned)a | (unsigned)b;
  default:
    return b;
  }
}

/* Row k holds the steps k count / rows .. (k + 1) count / rows - 1. */
static void put_steps(const view_packer *p, const view_input *in, unsigned char *out, const layout *at, int rows)
{
  float *row = (float *)(out + at->step);
  for (int k = 0; k < rows; k++, row += VIEW_COLUMNS) {
    int from = (int)((int64_t)k * in->step_count / rows), to = (int)((int64_t)(k + 1) * in->step_count / rows);
    for (int c = 0; c < VIEW_COLUMNS; c++) {
      const run_column *column = &run_columns[p->column[c]];
      double x = run_value(&in->steps[from], column);
      for (int s = from + 1; s < to; s++) x = merge(view_columns[c].merge, x, run_value(&in->steps[s], column));
      row[c] = (float)x;
    }
  }
}

/* ---- The frame ---- */

static header describe(const view_packer *p, const view_input *in, int rows)
{
  const skein_frame *f = in->frame;
  header h = {.magic = {'S', 'K', 'F', '1'},
              .flags = WITH_RODS,
              .index = f->index,
              .time = f->time,
              .sequence = in->sequence,
              .state = in->state,
              .generation = in->generation,
              .rods = (uint32_t)f->rods,
              .points = (uint32_t)f->points,
              .bodies = (uint32_t)f->bodies,
              .contacts = (uint32_t)f->contacts,
              .steps = (uint32_t)rows,
              .columns = VIEW_COLUMNS};
  find_box(p, f, &h);
  return h;
}

/* The complete frame, without differences. */
static skein_status pack_complete(view_packer *p, const view_input *in, view_bytes *out, layout *at)
{
  const skein_frame *f = in->frame;
  int rows = in->step_limit > 0 && in->step_count > in->step_limit ? in->step_limit : in->step_count;
  header h = describe(p, in, rows);
  *at = lay_out(&h, true, p->surface);
  h.size = (uint32_t)at->size;
  if (at->size > UINT32_MAX || !view_bytes_add(out, NULL, at->size)) return no_memory();
  if (f->points > p->room) {
    float *grown = realloc(p->value, sizeof(float) * (size_t)f->points);
    if (!grown) return no_memory();
    p->value = grown, p->room = f->points;
  }
  unsigned char *data = out->data + out->size - at->size;
  skein_status status = put_rods(p, f, data, at);
  if (status.code == SKEIN_OK) status = put_values(p, in, data, at, &h);
  if (status.code == SKEIN_OK) status = put_surface(p, f, data, at);
  if (status.code != SKEIN_OK) return status;
  put_points(f, data, at, &h);
  put_bodies(f, data, at);
  put_contacts(f, data, at, &h);
  put_steps(p, in, data, at, rows);
  memcpy(data, &h, sizeof h);
  return status;
}

/* Whether the rods of the new frame are those of the frame before: the arrays from `start` to `point` are equal. */
static bool same_rods(const view_packer *p, const unsigned char *now, const layout *at)
{
  header a, b;
  if (p->before.size == 0) return false;
  memcpy(&a, p->before.data, sizeof a);
  memcpy(&b, now, sizeof b);
  if (a.rods != b.rods || a.points != b.points) return false;
  return !memcmp(p->before.data + p->before_at.start, now + at->start, at->point - at->start);
}

/* q - q0, and of these the differences along the array. */
static void differ(uint16_t *q, const uint16_t *q0, size_t count)
{
  for (size_t i = 0, last = 0, d; i < count; i++, last = d) d = (size_t)q[i] - q0[i], q[i] = (uint16_t)(d - last);
}

/* Appends the frame without its rods, as differences d in time, and those as differences to the point before:
 * neighbours move alike. */
static bool add_differences(const view_packer *p, const unsigned char *now, const layout *at, view_bytes *out)
{
  header h;
  memcpy(&h, now, sizeof h);
  size_t points = h.points;
  const unsigned char *old = p->before.data;
  bool steady = p->surface > 0 && !memcmp(now + at->surface_box, old + p->before_at.surface_box, 16);
  h.flags = DIFFERENCES | (steady ? SURFACE_DIFFERENCES : 0);
  h.size = (uint32_t)(at->size - (at->point - at->start));
  size_t from = out->size;
  if (!view_bytes_add(out, &h, sizeof h) || !view_bytes_add(out, now + at->point, at->size - at->point)) return false;
  unsigned char *body = out->data + from + sizeof h;
  differ((uint16_t *)body, (const uint16_t *)(old + p->before_at.point), 3 * points);
  if (steady)
    differ((uint16_t *)(body + (at->surface - at->point)), (const uint16_t *)(old + p->before_at.surface),
           3 * p->surface);
  for (int v = 0; v < VALUES; v++) {
    unsigned char *x = body + (at->value[v] - at->point);
    const unsigned char *x0 = old + p->before_at.value[v];
    for (size_t i = 0, last = 0, d; i < points; i++, last = d)
      d = (size_t)x[i] - x0[i], x[i] = (unsigned char)(d - last);
  }
  return true;
}

/* pack_complete with hairs in the place of the guides. */
static skein_status pack_hairs(view_packer *p, const view_input *in, view_bytes *out, layout *at)
{
  skein_frame frame;
  view_input with = *in;
  skein_status status = skein_hairs_frame(p->hairs, in->frame, &frame);
  with.frame = &frame, with.guides = in->frame;
  if (status.code == SKEIN_OK) status = pack_complete(p, &with, out, at);
  skein_frame_destroy(&frame);
  return status;
}

/* pack_complete with the points that the packer wants. */
static skein_status pack_resampled(view_packer *p, const view_input *in, view_bytes *out, layout *at)
{
  skein_frame frame = {0}, before = {0};
  view_input with = *in;
  skein_status status = view_packer_see(p, in->frame);
  bool both = in->before && in->before->rods <= p->rods; /* otherwise rods went, and any speed will do */
  if (status.code == SKEIN_OK && !view_resample(in->frame, p->count, &frame)) status = no_memory();
  if (status.code == SKEIN_OK && both && !view_resample(in->before, p->count, &before)) status = no_memory();
  with.frame = &frame;
  with.before = both ? &before : NULL;
  if (status.code == SKEIN_OK) status = pack_complete(p, &with, out, at);
  view_resample_free(&frame);
  view_resample_free(&before);
  return status;
}

skein_status view_pack(view_packer *packer, const view_input *in, view_bytes *out)
{
  view_bytes now = {0};
  layout at = {0};
  assert(out->size % 4 == 0);
  skein_status status = packer->hairs ? pack_hairs(packer, in, &now, &at) : pack_resampled(packer, in, &now, &at);
  if (status.code == SKEIN_OK) {
    bool differs = !in->complete && packer->boxed && same_rods(packer, now.data, &at);
    bool added = differs ? add_differences(packer, now.data, &at, out) : view_bytes_add(out, now.data, now.size);
    if (!added) status = no_memory();
  }
  view_bytes_free(&packer->before);
  packer->before = now;
  packer->before_at = at;
  if (status.code != SKEIN_OK) view_bytes_free(&packer->before);
  return status;
}

void view_tops(const unsigned char *frame, double *speed, double *force)
{
  header h;
  memcpy(&h, frame, sizeof h);
  *speed = h.speed_high;
  *force = h.force_high;
}
