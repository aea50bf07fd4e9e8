/* The same strands with the same numbers of points in every frame, chosen once for the whole run: strand i is rod i of
 * the frames as they are shown, and has as many points as its curve needs in the frame where it needs most (or as many
 * as are asked for), evenly along it.
 *
 * A rod that is cut keeps its number and its points; what comes off is a rod of its own, at the end. In the frames
 * before, it lies with no width on the stretch of its parent that it comes from, so that nothing jumps. */
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

/* ---- Points evenly along a rod: Catmull and Rom's cubic through those of the run, which are at equal steps ---- */

static float cubic(float a, float b, float c, float d, float t)
{
  return b + 0.5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

static void resample_rod(const float *from, int have, float *to, int want)
{
  if (have == want) memcpy(to, from, 3 * sizeof *to * (size_t)want); /* to the bit */
  for (int k = 0; k < want && have != want; k++) {
    double at = (double)k * (have - 1) / (want - 1);
    int i = SK_MAX(SK_MIN((int)at, have - 2), 0);
    float t = (float)(at - i);
    for (int c = 0; c < 3; c++) {
      float p = from[3 * i + c], q = have > 1 ? from[3 * i + 3 + c] : p;
      float before = i > 0 ? from[3 * i - 3 + c] : 2 * p - q, after = i + 2 < have ? from[3 * i + 6 + c] : 2 * q - p;
      to[3 * k + c] = cubic(before, p, q, after, t);
    }
  }
}

static double segment(const float *p)
{
  return sk_norm(sk_vec((double)p[3] - p[0], (double)p[4] - p[1], (double)p[5] - p[2]));
}

static double polyline_length(const float *point, int count)
{
  double sum = 0;
  for (int k = 0; k + 1 < count; k++) sum += segment(point + 3 * (size_t)k);
  return sum;
}

/* `want` points at equal steps of the polyline's length, from `from` to `to` (m; at most its own). */
static void take_stretch(const float *point, int count, double from, double to, float *out, int want)
{
  double done = 0;
  int i = 0;
  for (int k = 0; k < want; k++) {
    double at = from + (to - from) * k / SK_MAX(want - 1, 1), step = 0;
    for (; i + 1 < count; i++) {
      step = segment(point + 3 * (size_t)i);
      if (done + step >= at || i + 2 == count) break;
      done += step;
    }
    const float *p = point + 3 * (size_t)i, *q = i + 1 < count ? p + 3 : p;
    double t = step > 0 ? fmin(fmax((at - done) / step, 0), 1) : 0;
    for (int c = 0; c < 3; c++) out[3 * k + c] = (float)(p[c] + t * ((double)q[c] - p[c]));
  }
}

/* ---- Looking through the run ---- */

static skein_status note_change(sk_topology *t, int strand, int frame)
{
  if (t->changes == t->change_room) {
    int room = SK_MAX(2 * t->change_room, 64);
    sk_change *grown = realloc(t->change, sizeof *grown * (size_t)room);
    if (!grown) return sk_no_memory();
    t->change = grown, t->change_room = room;
  }
  t->change[t->changes++] = (sk_change){strand, frame};
  return sk_ok();
}

/* The rod that lost most of its length since the frame before, of those with the source of rod i. */
static int parent_of(const skein_frame *before, const skein_frame *f, int i)
{
  int best = -1;
  double most = -INFINITY;
  for (int k = 0; k < before->rods; k++) {
    if (before->rod_source[k] != f->rod_source[i]) continue;
    int was = before->point_start[k], is = f->point_start[k];
    double lost = polyline_length(before->point + 3 * (size_t)was, before->point_start[k + 1] - was) -
                  polyline_length(f->point + 3 * (size_t)is, f->point_start[k + 1] - is);
    if (lost > most) most = lost, best = k;
  }
  return best;
}

static skein_status add_strand(sk_topology *t, const skein_frame *before, const skein_frame *f, int i, int index)
{
  sk_strand *s = &t->strand[i];
  *s = (sk_strand){.parent = -1, .source = f->rod_source[i], .group = f->rod_group[i]};
  if (index == 0) return sk_ok();
  s->parent = parent_of(before, f, i);
  if (s->parent >= 0) {
    int at = f->point_start[s->parent], own = f->point_start[i];
    s->from = polyline_length(f->point + 3 * (size_t)at, f->point_start[s->parent + 1] - at);
    for (int k = before->rods; k < i; k++)
      if (t->strand[k].parent == s->parent) s->from = t->strand[k].to;
    s->to = s->from + polyline_length(f->point + 3 * (size_t)own, f->point_start[i + 1] - own);
  }
  skein_status status = note_change(t, i, index);
  for (int k = 0; k < before->rods && status.code == SKEIN_OK; k++) /* hairs end where their guide is cut */
    if (before->rod_source[k] == f->rod_source[i]) status = note_change(t, k, index);
  return status;
}

static skein_status see_frame(sk_topology *t, const skein_frame *before, const skein_frame *f, int index)
{
  skein_status s = sk_ok();
  if (f->rods < t->count) return sk_fail(SKEIN_BAD_INPUT, "frame %d has fewer rods than the one before", index);
  for (int i = 0; i < t->count; i++)
    if (f->rod_source[i] != t->strand[i].source)
      return sk_fail(SKEIN_BAD_INPUT, "frame %d: rod %d is none of the frame before", index, i);
  if (f->rods > t->count) {
    sk_strand *grown = realloc(t->strand, sizeof *grown * (size_t)f->rods);
    if (!grown) return sk_no_memory();
    t->strand = grown;
  }
  for (; t->count < f->rods && s.code == SKEIN_OK; t->count++) s = add_strand(t, before, f, t->count, index);
  for (int i = 0; i < t->count; i++)
    t->strand[i].points = SK_MAX(t->strand[i].points, f->point_start[i + 1] - f->point_start[i]);
  return s;
}

static skein_status count_points(sk_topology *t, int points)
{
  int64_t all = 0;
  for (int i = 0; i < t->count; i++) {
    if (points > 0) t->strand[i].points = points;
    all += t->strand[i].points = SK_MAX(t->strand[i].points, 2);
  }
  if (all > INT32_MAX / 8) return sk_fail(SKEIN_BAD_INPUT, "points is %d, too many for %d rods", points, t->count);
  t->points = (int)all;
  return sk_ok();
}

skein_status sk_topology_make(sk_export *x)
{
  skein_frame before = {0};
  skein_status s = sk_ok();
  int frames = skein_run_frames(x->run);
  for (int k = 0; k < frames && s.code == SKEIN_OK; k++) {
    skein_frame f = {0};
    if (x->def->progress && !x->def->progress(0, x->steps, x->def->user)) x->stopped = true;
    s = x->stopped ? sk_fail(SKEIN_BAD_INPUT, "stopped") : sk_frame_shown(x, k, NULL, &f);
    if (s.code == SKEIN_OK) s = see_frame(&x->topology, &before, &f, k);
    skein_frame_destroy(&before);
    before = f;
  }
  skein_frame_destroy(&before);
  return s.code == SKEIN_OK ? count_points(&x->topology, x->hairs ? 0 : x->def->points) : s;
}

void sk_topology_free(sk_topology *t)
{
  free(t->strand), free(t->change);
  *t = (sk_topology){0};
}

/* ---- A frame as it is, in the strands of the run ---- */

static void fill_strand(const sk_topology *t, const skein_frame *f, int i, const int *start, float *point)
{
  const sk_strand *s = &t->strand[i];
  float *to = point + 3 * (size_t)start[i];
  int have = i < f->rods ? f->point_start[i + 1] - f->point_start[i] : 0;
  if (have > 0) resample_rod(f->point + 3 * (size_t)f->point_start[i], have, to, s->points);
  else if (s->parent >= 0)
    take_stretch(point + 3 * (size_t)start[s->parent], start[s->parent + 1] - start[s->parent], s->from, s->to, to,
                 s->points);
}

static bool grow_rods(const sk_topology *t, skein_frame *f)
{
  size_t n = (size_t)t->count;
  float *radius = sk_calloc(n, sizeof *radius);
  int *group = sk_calloc(n, sizeof *group), *source = sk_calloc(n, sizeof *source);
  for (int i = 0; radius && group && source && i < t->count; i++)
    radius[i] = i < f->rods ? f->radius[i] : 0, group[i] = t->strand[i].group, source[i] = t->strand[i].source;
  if (!radius || !group || !source) return free(radius), free(group), free(source), false;
  free(f->radius), free(f->rod_group), free(f->rod_source);
  f->radius = radius, f->rod_group = group, f->rod_source = source;
  for (size_t k = 0; k < 2 * (size_t)f->contacts; k++)
    if (f->contact_object[k] >= f->rods) f->contact_object[k] += t->count - f->rods; /* a body */
  f->rods = t->count;
  return true;
}

skein_status sk_topology_fit(const sk_topology *t, skein_frame *f)
{
  int *start = sk_calloc((size_t)t->count + 1, sizeof *start);
  float *point = sk_calloc(3 * (size_t)t->points, sizeof *point);
  for (int i = 0; start && point && i < t->count; i++) {
    start[i + 1] = start[i] + t->strand[i].points;
    fill_strand(t, f, i, start, point);
  }
  if (!start || !point || !grow_rods(t, f)) return free(start), free(point), sk_no_memory();
  free(f->point_start), free(f->point);
  f->point_start = start, f->point = point, f->points = t->points;
  return sk_ok();
}

/* A number per point of the frame as it was, carried to the points of the strands: that of the nearest one. */
void sk_topology_carry(const sk_topology *t, const skein_frame *from, const float *value, float *out)
{
  for (int i = 0; i < t->count; i++) {
    int have = i < from->rods ? from->point_start[i + 1] - from->point_start[i] : 0, want = t->strand[i].points;
    for (int k = 0; k < want; k++) {
      int nearest = (int)(0.5 + (double)k * (have - 1) / (want - 1));
      *out++ = have > 0 ? value[from->point_start[i] + nearest] : 0;
    }
  }
}

/* Frames of the run, within first[i] to last[i], in which strand i is of the same material as in frame `index`. */
void sk_topology_ranges(const sk_topology *t, int index, int *first, int *last)
{
  for (int k = 0; k < t->changes; k++) {
    const sk_change *c = &t->change[k];
    if (c->frame <= index) first[c->strand] = SK_MAX(first[c->strand], c->frame);
    else last[c->strand] = SK_MIN(last[c->strand], c->frame - 1);
  }
}

void sk_topology_root_uv(const sk_export *x, const skein_frame *first, int strand, float uv[2])
{
  const sk_topology *t = &x->topology;
  while (strand >= first->rods && t->strand[strand].parent >= 0) strand = t->strand[strand].parent;
  uv[0] = uv[1] = 0;
  if (strand < first->rods) skein_look_root_uv(x->look, first, strand, uv);
}
