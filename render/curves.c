/* Strands as Embree's curves: Catmull-Rom splines through the points, with one mirrored point beyond each end. Thick
 * ones are tubes with round caps. Thin ones are ribbons that face the ray, cut into straight parts that stay within a
 * fraction of a pixel of the spline: Embree is fastest with these. Strands below `min_width` pixels are drawn that
 * wide, at their distance from the eye, so that hair stays connected and does not flicker. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

static const double thick_pixels = 3.2; /* from this width on a strand is a tube */
static const float most_sag = 0.12f;    /* pixels between a part and the spline */
enum { MOST_PARTS = 8 };

static bool finite_strand(const render_strands *s, int i)
{
  for (int k = 3 * s->start[i]; k < 3 * s->start[i + 1]; k++)
    if (!isfinite(s->point[k]) || (s->before && !isfinite(s->before[k]))) return false;
  return isfinite(s->radius[i]) && s->radius[i] > 0;
}

/* -1: not to be drawn (a single point, a number that is none), else GEOM_THIN or GEOM_THICK. */
static int kind_of(const stage *s, int i)
{
  const render_strands *strands = &s->given->strands;
  if (strands->start[i + 1] - strands->start[i] < 2 || !finite_strand(strands, i)) return -1;
  double pixel = 2 * s->view.tan_y / s->def->height;
  double width = 2 * strands->radius[i] * s->def->radius_scale * s->scale / pixel;
  return width < thick_pixels ? GEOM_THIN : GEOM_THICK;
}

static float depth_of(const stage *s, const float *vertex)
{
  return v_dot(s->view.forward, v_sub(v_of(vertex), s->view.eye));
}

static void put_vertex(const stage *s, const float *point, double radius, float *vertex)
{
  const double world[3] = {point[0], point[1], point[2]};
  vec p = stage_place(s, world);
  vertex[0] = p.x, vertex[1] = p.y, vertex[2] = p.z;
  float least = (float)s->def->min_width * depth_of(s, vertex) * s->view.tan_y / (float)s->def->height;
  vertex[3] = maxf((float)(radius * s->scale), least);
}

/* The n points of a strand with the mirrored ones: n + 2 vertices. */
static void put_strand(const stage *s, const float *point, int n, double radius, float *vertex)
{
  for (int k = 0; k < n; k++) put_vertex(s, point + 3 * k, radius, vertex + 4 * (k + 1));
  for (int k = 0; k < 4; k++) {
    vertex[k] = k < 3 ? 2 * vertex[4 + k] - vertex[8 + k] : vertex[7];
    vertex[4 * (n + 1) + k] = k < 3 ? 2 * vertex[4 * n + k] - vertex[4 * (n - 1) + k] : vertex[4 * n + 3];
  }
}

/* The same when the shutter opens: shutter of the way back to the frame before. */
static void put_earlier(const stage *s, int first, int n, double radius, float *place, float *vertex)
{
  const render_strands *strands = &s->given->strands;
  const float *now = strands->point + 3 * (size_t)first, *before = strands->before + 3 * (size_t)first;
  for (int k = 0; k < 3 * n; k++) place[k] = now[k] + (float)s->def->shutter * (before[k] - now[k]);
  put_strand(s, place, n, radius, vertex);
}

/* ---- Ribbons ---- */

/* Straight parts of the span p[1] p[2] of a spline: the sag of one part is about |p0 - p1 - p2 + p3| / 16. */
static int parts_of(const stage *s, const float *p)
{
  vec bend = v_add(v_sub(v_of(p), v_of(p + 4)), v_sub(v_of(p + 12), v_of(p + 8)));
  float pixel = 2 * s->view.tan_y / (float)s->def->height * maxf(depth_of(s, p + 4), 0.05f);
  float parts = ceilf(sqrtf(v_length(bend) / 16 / (most_sag * pixel)));
  return parts < 1 ? 1 : parts < MOST_PARTS ? (int)parts : MOST_PARTS;
}

/* Catmull-Rom between p[1] and p[2] at u, place and radius. */
static void spline(const float *p, float u, float *out)
{
  for (int k = 0; k < 4; k++) {
    float a = p[k], b = p[4 + k], c = p[8 + k], d = p[12 + k];
    out[k] = b + 0.5f * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
  }
  out[3] = p[7] + u * (p[11] - p[7]);
}

/* room: vertices of the strand now, and earlier after it. */
static void add_ribbon(stage *s, curves *c, int i, const float *now, const float *old)
{
  const render_strands *strands = &s->given->strands;
  int first = strands->start[i], n = strands->start[i + 1] - first;
  for (int k = 0; k + 1 < n; k++) {
    int parts = parts_of(s, now + 4 * k);
    for (int j = 0; j < parts; j++) {
      float u = (float)j / (float)parts;
      c->index[c->curves] = (uint32_t)c->vertices;
      c->source[c->curves] = (uint32_t)(first + k);
      c->part[c->curves] =
          (uint16_t)(j | parts << PART_COUNT | (k == 0 ? PART_FIRST : 0) | (k + 2 == n ? PART_LAST : 0));
      if (c->plain) c->plain[c->curves] = strands->plain[i];
      c->curves++;
      spline(now + 4 * k, u, c->vertex + 4 * (size_t)c->vertices);
      if (s->moves) spline(old + 4 * k, u, c->earlier + 4 * (size_t)c->vertices);
      c->vertices++;
    }
  }
  memcpy(c->vertex + 4 * (size_t)c->vertices, now + 4 * n, 4 * sizeof(float));
  if (s->moves) memcpy(c->earlier + 4 * (size_t)c->vertices, old + 4 * n, 4 * sizeof(float));
  c->vertices++;
}

/* ---- Tubes ---- */

static void add_tube(stage *s, curves *c, int i, const float *now, const float *old)
{
  const render_strands *strands = &s->given->strands;
  int first = strands->start[i], n = strands->start[i + 1] - first, ends[2] = {1, n};
  size_t bytes = 4 * sizeof(float);
  memcpy(c->vertex + 4 * (size_t)c->vertices, now, (size_t)(n + 2) * bytes);
  if (s->moves) memcpy(c->earlier + 4 * (size_t)c->vertices, old, (size_t)(n + 2) * bytes);
  for (int k = 0; k + 1 < n; k++) {
    c->index[c->curves] = (uint32_t)(c->vertices + k);
    c->source[c->curves] = (uint32_t)(first + k);
    if (c->plain) c->plain[c->curves] = strands->plain[i];
    c->curves++;
  }
  c->vertices += n + 2;
  for (int k = 0; k < 2; k++) { /* half a ball at each end */
    memcpy(s->caps.vertex + 4 * s->caps.count, now + 4 * ends[k], bytes);
    if (s->moves) memcpy(s->caps.earlier + 4 * s->caps.count, old + 4 * ends[k], bytes);
    s->caps.source[s->caps.count++] = (uint32_t)(first + ends[k] - 1);
  }
}

/* ---- All ---- */

typedef struct counts {
  size_t vertices[2], curves[2], tubes, longest;
} counts;

static bool allocate_curves(stage *s, curves *c, size_t vertices, size_t count, bool ribbons)
{
  bool ok = true;
  c->vertex = stage_array(s, vertices + 1, 4 * sizeof(float), &ok); /* Embree reads 16 bytes at a time */
  if (s->moves) c->earlier = stage_array(s, vertices + 1, 4 * sizeof(float), &ok);
  c->index = stage_array(s, count, sizeof(uint32_t), &ok);
  c->source = stage_array(s, count, sizeof(uint32_t), &ok);
  if (ribbons) c->part = stage_array(s, count, sizeof(uint16_t), &ok);
  if (s->given->strands.plain) c->plain = stage_array(s, count, sizeof(float), &ok);
  return ok;
}

static bool allocate(stage *s, const counts *n)
{
  bool ok = allocate_curves(s, &s->thin, n->vertices[0], n->curves[0], true);
  ok = allocate_curves(s, &s->thick, n->vertices[1], n->curves[1], false) && ok;
  s->caps.vertex = stage_array(s, 2 * n->tubes + 1, 4 * sizeof(float), &ok);
  s->caps.earlier = stage_array(s, 2 * n->tubes + 1, 4 * sizeof(float), &ok);
  s->caps.source = stage_array(s, 2 * n->tubes, sizeof(uint32_t), &ok);
  return ok;
}

static void count_strand(const stage *s, int i, float *room, counts *sum)
{
  const render_strands *strands = &s->given->strands;
  int kind = kind_of(s, i), first = strands->start[i], n = strands->start[i + 1] - first;
  if (kind < 0) return;
  if (kind == GEOM_THICK) {
    sum->vertices[1] += (size_t)n + 2, sum->curves[1] += (size_t)n - 1, sum->tubes++;
    return;
  }
  put_strand(s, strands->point + 3 * (size_t)first, n, strands->radius[i] * s->def->radius_scale, room);
  for (int k = 0; k + 1 < n; k++) {
    size_t parts = (size_t)parts_of(s, room + 4 * k);
    sum->vertices[0] += parts, sum->curves[0] += parts;
  }
  sum->vertices[0]++;
}

static void add_strand(stage *s, int i, float *now, float *old, float *place)
{
  const render_strands *strands = &s->given->strands;
  int kind = kind_of(s, i), first = strands->start[i], n = strands->start[i + 1] - first;
  if (kind < 0) return;
  double radius = strands->radius[i] * s->def->radius_scale;
  put_strand(s, strands->point + 3 * (size_t)first, n, radius, now);
  if (s->moves) put_earlier(s, first, n, radius, place, old);
  if (kind == GEOM_THIN) add_ribbon(s, &s->thin, i, now, old);
  else add_tube(s, &s->thick, i, now, old);
}

bool curves_build(stage *s)
{
  const render_strands *strands = &s->given->strands;
  size_t longest = 0;
  counts sum = {0};
  for (int i = 0; i < strands->strands; i++) {
    size_t n = (size_t)(strands->start[i + 1] - strands->start[i]);
    if (n > longest) longest = n;
  }
  float *room = malloc(11 * (longest + 2) * sizeof(float)), *old = room + 4 * (longest + 2),
        *place = old + 4 * (longest + 2);
  if (!room) return false;
  for (int i = 0; i < strands->strands; i++) count_strand(s, i, room, &sum);
  bool ok = allocate(s, &sum);
  for (int i = 0; ok && i < strands->strands; i++) add_strand(s, i, room, old, place);
  free(room);
  return ok;
}

/* ---- Embree ---- */

static void share(RTCGeometry g, unsigned slot, const float *vertex, int count)
{
  rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, slot, RTC_FORMAT_FLOAT4, vertex, 0, 4 * sizeof(float),
                             (size_t)count);
}

static void share_both(const stage *s, RTCGeometry g, const float *vertex, const float *earlier, int count)
{
  if (s->moves) rtcSetGeometryTimeStepCount(g, 2), share(g, 0, earlier, count);
  share(g, s->moves ? 1 : 0, vertex, count);
}

static void attach(stage *s, RTCGeometry g, unsigned id)
{
  rtcCommitGeometry(g);
  rtcAttachGeometryByID(s->scene, g, id);
  rtcReleaseGeometry(g);
}

static void attach_curves(stage *s, RTCDevice device, enum RTCGeometryType type, unsigned id, const curves *c)
{
  if (c->curves == 0) return;
  RTCGeometry g = rtcNewGeometry(device, type);
  share_both(s, g, c->vertex, c->earlier, c->vertices);
  rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, c->index, 0, sizeof(uint32_t),
                             (size_t)c->curves);
  attach(s, g, id);
}

bool curves_attach(stage *s, RTCDevice device)
{
  attach_curves(s, device, RTC_GEOMETRY_TYPE_FLAT_LINEAR_CURVE, GEOM_THIN, &s->thin);
  attach_curves(s, device, RTC_GEOMETRY_TYPE_ROUND_CATMULL_ROM_CURVE, GEOM_THICK, &s->thick);
  if (s->caps.count > 0) {
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    share_both(s, g, s->caps.vertex, s->caps.earlier, s->caps.count);
    attach(s, g, GEOM_CAPS);
  }
  return rtcGetDeviceError(device) == RTC_ERROR_NONE;
}
