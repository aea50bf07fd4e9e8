/* What comes along a ray: the nearest strand, body or plane, and the light it throws towards the eye from each source
 * (soft lights and the sky) as if nothing stood in the way. What does stand in the way is asked for separately, by one
 * ray to a point of the source that the sampler chooses: so a pixel can share these rays among its samples (frame.c).
 * They count the hairs they cross instead of ending at the first one: hair lets light through. Where the sky is
 * blocked, a little light of the surroundings comes back. */
#include "inside.h"

enum { MOST_HAIRS = 7 }; /* crossed; behind that many it is dark */

/* ---- Rays to the sources ---- */

typedef struct crossing {
  struct RTCIntersectContext context; /* first: Embree hands it back */
  bool thick_hair;
  int crossed;
} crossing;

/* Thin strands are counted, everything else ends the ray. */
static void count_hairs(const struct RTCFilterFunctionNArguments *a)
{
  crossing *c = (crossing *)a->context;
  unsigned id = ((const struct RTCHit *)a->hit)->geomID; /* N is 1 */
  if (id != GEOM_THIN && !(c->thick_hair && id == GEOM_THICK)) return;
  if (++c->crossed < MOST_HAIRS) a->valid[0] = 0;
}

/* Whether the ray meets the box around everything. */
static bool meets_bounds(const stage *s, vec from, vec d)
{
  float near = 0, far = INFINITY;
  const float lo[3] = {s->lo.x, s->lo.y, s->lo.z}, hi[3] = {s->hi.x, s->hi.y, s->hi.z};
  const float o[3] = {from.x, from.y, from.z}, way[3] = {d.x, d.y, d.z};
  for (int k = 0; k < 3; k++) {
    float inverse = 1 / (fabsf(way[k]) > 1e-12f ? way[k] : 1e-12f);
    float a = (lo[k] - o[k]) * inverse, b = (hi[k] - o[k]) * inverse;
    near = maxf(near, minf(a, b)), far = minf(far, maxf(a, b));
  }
  return near <= far;
}

/* Whether anything can stand between a place and a light: a cone against the ball around everything. */
static bool may_be_dark(const stage *s, vec from, int k)
{
  vec middle = v_scale(0.5f, v_add(s->lo, s->hi)), to = v_sub(middle, from);
  float radius = 0.5f * v_length(v_sub(s->hi, s->lo)), along = v_dot(to, s->light[k].direction);
  float reach = radius + maxf(along + radius, 0) * s->light[k].radius;
  return along > -radius && v_dot(to, to) - along * along < reach * reach;
}

/* How many hairs are on the way to the sky, MOST_HAIRS where something opaque is. */
static int look_out(tracer *t, vec from, vec d, float near)
{
  const stage *s = t->stage;
  if (!meets_bounds(s, from, d)) return 0;
  crossing c = {.thick_hair = s->def->shading == RENDER_HAIR};
  rtcInitIntersectContext(&c.context);
  if (s->thin.curves > 0 || c.thick_hair) c.context.filter = count_hairs;
  struct RTCRay ray = {.org_x = from.x,
                       .org_y = from.y,
                       .org_z = from.z,
                       .tnear = near,
                       .dir_x = d.x,
                       .dir_y = d.y,
                       .dir_z = d.z,
                       .time = t->time,
                       .tfar = INFINITY,
                       .mask = ~0u};
  rtcOccluded1(s->scene, &c.context, &ray);
  t->rays++;
  return ray.tfar < 0 ? MOST_HAIRS : c.crossed;
}

static vec light_direction(tracer *t, int k)
{
  const stage *s = t->stage;
  float u[2];
  sampler_draw(&t->sampler, SAMPLE_LIGHT + k, u);
  float r = s->light[k].radius * sqrtf(u[0]), a = 2 * PI * u[1];
  vec d = v_along(s->light[k].direction, r * cosf(a), s->light[k].side);
  return v_unit(v_along(d, r * sinf(a), s->light[k].other));
}

/* Around n, dense as the cosine. */
static vec sky_direction(tracer *t, vec n)
{
  float u[2];
  vec a, b;
  sampler_draw(&t->sampler, SAMPLE_AMBIENT, u);
  float r = sqrtf(u[0]), phi = 2 * PI * u[1];
  v_frame(n, &a, &b);
  return v_unit(v_along(v_along(v_scale(sqrtf(maxf(1 - u[0], 0)), n), r * cosf(phi), a), r * sinf(phi), b));
}

vec shade_visible(tracer *t, const sample *found, int k, int index)
{
  bool sky = k == t->stage->def->lights;
  if (!sky && !may_be_dark(t->stage, found->from, k)) return v3(1, 1, 1);
  t->sampler.index = (uint32_t)index;
  vec direction = sky ? sky_direction(t, found->normal) : light_direction(t, k);
  int crossed = look_out(t, found->from, direction, found->near);
  if (crossed == 0) return v3(1, 1, 1);
  const vec grey = v3(0.05f, 0.05f, 0.05f), none = v3(0, 0, 0);
  vec open = crossed < MOST_HAIRS ? hair_transmit(found->hair ? found->tint : grey, crossed) : none;
  if (!sky) return open;
  vec back = v_scale(found->hair ? 0.05f : 0.45f, found->tint); /* what the neighbours throw back */
  return v_add(open, v_mul(back, v_sub(v3(1, 1, 1), open)));
}

/* The sky along a direction (blur 1), or its mean around one, weighted by the cosine (blur 2/3). */
static vec sky(const stage *s, vec direction, float blur)
{
  float t = 0.5f + 0.5f * blur * v_dot(direction, s->view.world_up);
  return v_mix(v_of(s->def->floor), v_of(s->def->sky), t);
}

static const float blurred = 2.0f / 3;

/* ---- Surfaces and hair ---- */

/* off: how far from the surface rays to the sources start. */
static void light_surface(tracer *t, vec at, const surface_point *p, float off, sample *out)
{
  const stage *s = t->stage;
  int lights = s->def->lights;
  out->from = v_along(at, off, p->normal), out->normal = p->normal, out->near = 0, out->tint = p->colour,
  out->hair = false;
  for (int k = 0; k < lights; k++) out->light[k] = v_mul(surface_scatter(p, s->light[k].direction), s->light[k].colour);
  float facing = clampf(v_dot(p->normal, p->view), 0, 1), m = 1 - facing;
  float mirror = (1 - p->roughness) * (p->reflectance + (0.6f - p->reflectance) * m * m * m * m * m);
  vec reflected = v_sub(v_scale(2 * facing, p->normal), p->view);
  out->light[lights] = v_along(v_mul(p->colour, sky(s, p->normal, blurred)), mirror, sky(s, reflected, 1));
}

static void light_hair(tracer *t, vec at, const hair_point *h, float radius, sample *out)
{
  const stage *s = t->stage;
  int lights = s->def->lights;
  vec normal = v_unit(v_along(h->view, -v_dot(h->tangent, h->view), h->tangent));
  out->from = at, out->normal = normal, out->near = 2.2f * radius, out->tint = h->colour, out->hair = true;
  for (int k = 0; k < lights; k++) out->light[k] = v_mul(hair_scatter(h, s->light[k].direction), s->light[k].colour);
  out->light[lights] = v_mul(h->colour, sky(s, normal, blurred));
}

/* ---- What was hit ---- */

/* Direction of the strand at u of the span that starts at point p; mirrored points where it is the first or the last.
 */
static vec strand_tangent(const float *p, float u, bool first, bool last)
{
  float u2 = u * u;
  float a = 0.5f * (-1 + 4 * u - 3 * u2), b = 0.5f * (-10 * u + 9 * u2), c = 0.5f * (1 + 8 * u - 9 * u2);
  float d = 0.5f * (-2 * u + 3 * u2);
  vec p1 = v_of(p), p2 = v_of(p + 3), p0 = first ? v_sub(v_scale(2, p1), p2) : v_of(p - 3);
  vec p3 = last ? v_sub(v_scale(2, p2), p1) : v_of(p + 6);
  vec t = v_along(v_along(v_along(v_scale(a, p0), b, p1), c, p2), d, p3);
  return v_length(t) > 1e-9f * v_length(p2) ? v_unit(t) : v_unit(v_sub(p3, p0));
}

static surface_point strand_surface(vec normal, vec view, vec colour, float plain)
{
  if (v_dot(normal, view) < 0) normal = v_scale(-1, normal);
  return (surface_point){normal, view, colour, 0.42f + 0.2f * plain, 0.045f * (1 - 0.7f * plain), 0.15f};
}

static void light_ribbon(tracer *t, const struct RTCHit *hit, vec at, vec view, sample *out)
{
  const stage *s = t->stage;
  const curves *c = &s->thin;
  unsigned part = c->part[hit->primID], source = c->source[hit->primID];
  float u = ((float)(part & PART_BITS) + hit->u) / (float)(part >> PART_COUNT & PART_BITS);
  const float *a = c->vertex + 4 * (size_t)c->index[hit->primID], *b = a + 4;
  const float *colour = s->given->strands.colour + 3 * (size_t)source;
  vec tint = v_mix(v_of(colour), v_of(colour + 3), u);
  vec tangent = strand_tangent(s->given->strands.point + 3 * (size_t)source, u, part & PART_FIRST, part & PART_LAST);
  float plain = c->plain ? c->plain[hit->primID] : 0, radius = a[3] + hit->u * (b[3] - a[3]);
  if (s->def->shading != RENDER_SURFACE) {
    hair_point h = hair_make(tangent, view, tint, plain);
    light_hair(t, at, &h, radius, out);
    return;
  }
  /* The ribbon stands for a tube: where across it was hit says which way the tube faces there. */
  vec facing = v_unit(v_along(view, -v_dot(tangent, view), tangent)), side = v_cross(tangent, facing);
  float v = clampf(v_dot(v_sub(at, v_mix(v_of(a), v_of(b), hit->u)), side) / radius, -0.97f, 0.97f);
  surface_point p = strand_surface(v_along(v_scale(sqrtf(1 - v * v), facing), v, side), view, tint, plain);
  light_surface(t, at, &p, 2.2f * radius, out);
}

static void light_tube(tracer *t, const struct RTCHit *hit, vec at, vec view, sample *out)
{
  const stage *s = t->stage;
  const curves *c = &s->thick;
  const float *colour = s->given->strands.colour + 3 * (size_t)c->source[hit->primID];
  const float *p = c->vertex + 4 * (size_t)c->index[hit->primID];
  vec tint = v_mix(v_of(colour), v_of(colour + 3), hit->u);
  vec normal = v_unit(v3(hit->Ng_x, hit->Ng_y, hit->Ng_z));
  float plain = c->plain ? c->plain[hit->primID] : 0, radius = p[7] + hit->u * (p[11] - p[7]);
  if (s->def->shading == RENDER_HAIR) {
    const float q[12] = {p[0], p[1], p[2], p[4], p[5], p[6], p[8], p[9], p[10], p[12], p[13], p[14]};
    hair_point h = hair_make(strand_tangent(q + 3, hit->u, false, false), view, tint, plain);
    light_hair(t, at, &h, radius, out);
    return;
  }
  surface_point point = strand_surface(normal, view, tint, plain);
  light_surface(t, at, &point, 0.02f * radius + 1e-5f, out);
}

static void light_cap(tracer *t, const struct RTCHit *hit, vec at, vec view, sample *out)
{
  const stage *s = t->stage;
  vec normal = v_unit(v3(hit->Ng_x, hit->Ng_y, hit->Ng_z));
  vec tint = v_of(s->given->strands.colour + 3 * (size_t)s->caps.source[hit->primID]);
  surface_point p = strand_surface(normal, view, tint, s->given->strands.plain != NULL);
  light_surface(t, at, &p, 0.02f * s->caps.vertex[4 * hit->primID + 3] + 1e-5f, out);
}

/* R(q) x, in floats */
static vec turned(const double turn[4], vec x)
{
  vec q = v3((float)turn[1], (float)turn[2], (float)turn[3]);
  vec c = v_along(v_cross(q, x), (float)turn[0], x);
  return v_along(x, 2, v_cross(q, c));
}

static void light_mesh(tracer *t, const struct RTCHit *hit, vec at, vec view, sample *out)
{
  const render_mesh *m = &t->stage->given->mesh[hit->geomID - GEOM_MESH];
  vec flat = v_unit(v3(hit->Ng_x, hit->Ng_y, hit->Ng_z)), normal = flat;
  if (v_dot(flat, view) < 0) flat = v_scale(-1, flat);
  if (m->normal) {
    const int *corner = m->triangle + 3 * (size_t)hit->primID;
    vec n = v_scale(1 - hit->u - hit->v, v_of(m->normal + 3 * (size_t)corner[0]));
    n = v_along(v_along(n, hit->u, v_of(m->normal + 3 * (size_t)corner[1])), hit->v,
                v_of(m->normal + 3 * (size_t)corner[2]));
    normal = v_unit(turned(m->pose.turn, v_unit(n)));
  }
  if (v_dot(normal, flat) < 0) normal = v_scale(-1, normal);
  if (v_dot(normal, view) < 0.02f) normal = v_unit(v_along(normal, 0.02f - v_dot(normal, view), view));
  surface_point p = {normal, view, v_of(m->colour), 0.5f, 0.04f, 0};
  light_surface(t, v_along(at, 2e-4f, flat), &p, 1e-5f, out);
}

/* ---- Planes and background ---- */

static vec background(const stage *s, float y)
{
  return v_mix(s->background[0], s->background[1], smooth(0, 1, y));
}

/* The plane that the ray meets first before `far`; -1: none. */
static int find_plane(const stage *s, vec origin, vec direction, float *far)
{
  int found = -1;
  for (int k = 0; k < s->planes; k++) {
    float along = v_dot(direction, s->plane[k].normal);
    if (along > -1e-6f) continue;
    float distance = v_dot(v_sub(s->plane[k].point, origin), s->plane[k].normal) / along;
    if (distance > 1e-4f && distance < *far) *far = distance, found = k;
  }
  return found;
}

/* Near the middle a plane has its own colour, far away it is the background, darkened where there is shadow. */
static void light_plane(tracer *t, const plane *p, vec at, vec view, sample *out)
{
  const stage *s = t->stage;
  surface_point point = {p->normal, view, p->colour, 0.9f, 0, 0};
  light_surface(t, at, &point, 1e-4f, out);
  vec offset = v_sub(at, s->centre);
  float distance = v_length(v_along(offset, -v_dot(offset, p->normal), p->normal)) / maxf(s->size, 1e-6f);
  out->own = 1 - smooth(1, 4.5f, distance);
  out->far = smooth(3, 8, distance);
}

static void light_hit(tracer *t, const struct RTCHit *hit, vec at, vec view, sample *out)
{
  out->kind = (int)(hit->geomID == GEOM_CAPS ? GEOM_THICK : hit->geomID);
  if (hit->geomID == GEOM_THIN) light_ribbon(t, hit, at, view, out);
  else if (hit->geomID == GEOM_THICK) light_tube(t, hit, at, view, out);
  else if (hit->geomID == GEOM_CAPS) light_cap(t, hit, at, view, out);
  else light_mesh(t, hit, at, view, out);
}

static void trace(tracer *t, const packet *p, struct RTCRayHit8 *r)
{
  const vec eye = t->stage->view.eye;
  RTC_ALIGN(32) int valid[PACKET];
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  for (int i = 0; i < PACKET; i++) {
    int k = i < p->count ? i : 0;
    valid[i] = i < p->count ? -1 : 0;
    r->ray.org_x[i] = eye.x, r->ray.org_y[i] = eye.y, r->ray.org_z[i] = eye.z;
    r->ray.dir_x[i] = p->direction[k].x, r->ray.dir_y[i] = p->direction[k].y, r->ray.dir_z[i] = p->direction[k].z;
    r->ray.tnear[i] = 1e-4f, r->ray.tfar[i] = INFINITY, r->ray.time[i] = p->time[k], r->ray.mask[i] = ~0u;
    r->hit.geomID[i] = RTC_INVALID_GEOMETRY_ID, r->hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
  }
  rtcIntersect8(valid, t->stage->scene, &context, r);
  t->rays += p->count;
}

void shade_packet(tracer *t, packet *p, bool objects)
{
  const stage *s = t->stage;
  struct RTCRayHit8 r;
  if (objects) trace(t, p, &r);
  for (int i = 0; i < p->count; i++) {
    sample *out = &p->found[i];
    struct RTCHit hit = {.geomID = RTC_INVALID_GEOMETRY_ID};
    if (objects)
      hit = (struct RTCHit){.Ng_x = r.hit.Ng_x[i],
                            .Ng_y = r.hit.Ng_y[i],
                            .Ng_z = r.hit.Ng_z[i],
                            .u = r.hit.u[i],
                            .v = r.hit.v[i],
                            .primID = r.hit.primID[i],
                            .geomID = r.hit.geomID[i]};
    float far = objects ? r.ray.tfar[i] : INFINITY;
    int at_plane = find_plane(s, s->view.eye, p->direction[i], &far);
    vec at = v_along(s->view.eye, far, p->direction[i]), view = v_scale(-1, p->direction[i]);
    *out = (sample){.kind = at_plane >= 0 ? KIND_PLANE : KIND_NOTHING, .background = background(s, p->y[i])};
    if (at_plane >= 0) light_plane(t, &s->plane[at_plane], at, view, out);
    else if (hit.geomID != RTC_INVALID_GEOMETRY_ID) light_hit(t, &hit, at, view, out);
  }
}
