/* The hairs of a frame. Guide j carries the root's offset o_j along and says where the hair is:
 *
 *   p_j(s) = x_j(s) + k R_j(s) (o_j + m d_j)
 *
 * x_j: the guide, R_j: its frame, d_j: to the middle of the lock, k <= 1: how much nearer the guides are to each other
 * than at their roots. At the root all p_j agree. Where they do, the hair is their mean; a guide that has left the
 * nearest one (p_j is farther from p_0 than guides are from each other) has no say, and its weight goes to the hair's
 * place in the wisp of the nearest guide, q(s) = x_0(s) + R_0(s) w, where clumping takes the hair too:
 *
 *   p(s) = (1 - c) sum_j w_j g_j p_j + (1 - (1 - c) sum_j w_j g_j) q,   g_j = 1 - smoothstep(|p_j - p_0|)
 *
 * All of it is continuous in what the guides do, so that nothing jumps in time. Last, waves of the hair's own are
 * added, and what came to lie inside a body is put on its skin. */
#include "hairs/hairs.h"

#include <stdlib.h>
#include <string.h>

/* A body as it is in this frame. */
typedef struct obstacle {
  const sk_skin *skin;
  sk_vec3 place;
  sk_mat3 turn;
} obstacle;

typedef struct field {
  const skein_hairs *h;
  const sk_carried *carried;
  obstacle *obstacle;
  int obstacles;
} field;

static float smooth(float x)
{
  x = x < 0 ? 0 : x > 1 ? 1 : x;
  return x * x * (3 - 2 * x);
}

static float distance(const float a[3], const float b[3])
{
  float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return sqrtf(x * x + y * y + z * z);
}

/* ---- One point ---- */

/* Three guides at one abscissa: place, tangent, two across. */
typedef struct sample {
  float at[SK_HAIR_GUIDES][SK_CARRIED];
} sample;

static void sample_guides(const field *f, const sk_hair *a, float x, sample *s)
{
  int grid = f->h->grid, i = SK_MIN((int)x, grid - 2);
  float t = x - (float)i;
  for (int j = 0; j < SK_HAIR_GUIDES; j++) {
    const float *p = f->carried->point + SK_CARRIED * ((size_t)a->guide[j] * (size_t)grid + (size_t)i);
    for (int c = 0; c < SK_CARRIED; c++) s->at[j][c] = p[c] + t * (p[SK_CARRIED + c] - p[c]);
  }
}

/* k: how near the guides are to each other now; not below the width of the wisp. */
static float nearness(const sk_hair *a, const sample *s, float least)
{
  float sum = 0, count = 0;
  for (int j = 1; j < SK_HAIR_GUIDES; j++) {
    if (!(a->weight[j] > 0) || !(a->away[j] > 0)) continue;
    sum += distance(s->at[0], s->at[j]) / a->away[j], count += 1;
  }
  if (count == 0) return 1;
  sum /= count;
  return sum > 1 ? 1 : sum < least ? least : sum;
}

/* p_j */
static void follow(const sk_hair *a, const float at[SK_CARRIED], int j, float near, float gathered, float p[3])
{
  float o[3];
  for (int c = 0; c < 3; c++) o[c] = near * (a->root[j][c] + gathered * a->lock[j][c]);
  for (int c = 0; c < 3; c++) p[c] = at[c] + o[0] * at[3 + c] + o[1] * at[6 + c] + o[2] * at[9 + c];
}

/* What guide j still has to say at the share s of the length: nothing beyond a cut. */
static float says(const field *f, const sk_hair *a, int j, float s, float apart, float limit)
{
  float reach = f->carried->reach[a->guide[j]], left = reach < 1 ? (reach - s) * 10 : 1;
  left = left < 0 ? 0 : left > 1 ? 1 : left;
  return a->weight[j] * left * (1 - smooth(apart / limit - 0.5f));
}

static void place_point(const field *f, const sk_hair *a, const sk_guide *g, const sample *at, float s,
                        const float w[2], float p[3])
{
  float ease = smooth(s / 0.9f), clump = a->clump, c = clump * ease, sum;
  float limit = (float)(g->spacing + 2 * g->radius), near = nearness(a, at, (float)fmin(g->radius / g->cell, 1));
  float first[3], other[3], total[3];
  follow(a, at->at[0], 0, near, 0.9f * smooth(clump) * smooth(s / 0.6f), first);
  sum = a->weight[0];
  for (int k = 0; k < 3; k++) total[k] = sum * first[k];
  for (int j = 1; j < SK_HAIR_GUIDES; j++) {
    if (!(a->weight[j] > 0)) continue;
    follow(a, at->at[j], j, near, 0.9f * smooth(clump) * smooth(s / 0.6f), other);
    float say = says(f, a, j, s, distance(first, other), limit);
    for (int k = 0; k < 3; k++) total[k] += say * other[k];
    sum += say;
  }
  const float *x = at->at[0];
  float rest = 1 - (1 - c) * sum;
  for (int k = 0; k < 3; k++)
    p[k] = (1 - c) * total[k] + rest * (x[k] + a->wisp[0] * x[6 + k] + a->wisp[1] * x[9 + k]) + w[0] * x[6 + k] +
           w[1] * x[9 + k];
}

/* ---- Bodies ---- */

static void push_out(const field *f, float p[3])
{
  for (int i = 0; i < f->obstacles; i++) {
    const obstacle *o = f->obstacle + i;
    double d;
    sk_vec3 n, x = sk_sub(sk_vec(p[0], p[1], p[2]), o->place);
    if (!sk_skin_find(o->skin, sk_apply_t(o->turn, x), &d, &n) || d >= 0) continue;
    n = sk_mul(-d, sk_apply(o->turn, n));
    p[0] += (float)n.x, p[1] += (float)n.y, p[2] += (float)n.z;
  }
}

/* The bodies that a hair may meet: those whose skin comes near the points of the guides. */
static bool find_obstacles(const skein_hairs *h, const skein_frame *frame, field *f)
{
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, wide = 0;
  f->obstacle = sk_calloc((size_t)h->bodies, sizeof *f->obstacle);
  if (!f->obstacle) return false;
  for (int g = 0; g < h->guides; g++) wide = fmax(wide, 2 * h->guide[g].cell + 2 * h->guide[g].radius);
  for (size_t i = 0; i < (size_t)h->guides * (size_t)h->grid; i++)
    for (int k = 0; k < 3; k++) {
      double x = f->carried->point[SK_CARRIED * i + (size_t)k];
      lo[k] = fmin(lo[k], x - wide), hi[k] = fmax(hi[k], x + wide);
    }
  for (int b = 0; b < h->bodies && b < frame->bodies; b++) {
    const sk_skin *s = h->skin + b;
    sk_pose pose = sk_frame_pose(frame, b);
    obstacle o = {s, pose.r, sk_quat_frame(pose.q)};
    sk_vec3 half = sk_mul(0.5 * s->cell, sk_vec(s->n[0], s->n[1], s->n[2])), middle = sk_add(s->lo, half);
    sk_vec3 c = sk_pose_out(&pose, middle);
    double r = sk_norm(half), centre[3] = {c.x, c.y, c.z};
    bool meets = true;
    for (int k = 0; k < 3 && !s->plane; k++) meets = meets && centre[k] + r >= lo[k] && centre[k] - r <= hi[k];
    if (meets) f->obstacle[f->obstacles++] = o;
  }
  return true;
}

/* ---- One hair ---- */

static void grow(const field *f, const sk_hair *a, float *out)
{
  const skein_hairs *h = f->h;
  const sk_guide *g = h->guide + a->guide[0];
  float share = a->length * f->carried->reach[a->guide[0]] / (float)(h->points - 1);
  float wave[2][2], turn[2][2]; /* cosine and sine: of each wave here, and of what it turns by to the next point */
  sample at;
  for (int k = 0; k < 2; k++) {
    wave[k][0] = cosf(a->phase[k]), wave[k][1] = sinf(a->phase[k]);
    turn[k][0] = cosf(a->turn[k] * share), turn[k][1] = sinf(a->turn[k] * share);
  }
  for (int i = 0; i < h->points; i++) {
    float s = share * (float)i, size = a->frizz * smooth(s / 0.25f) * (0.5f + s), own[2];
    for (int c = 0; c < 2; c++) own[c] = size * (0.75f * wave[0][c] + 0.25f * wave[1][1 - c]);
    sample_guides(f, a, s * (float)(h->grid - 1), &at);
    place_point(f, a, g, &at, s, own, out + 3 * (size_t)i);
    push_out(f, out + 3 * (size_t)i);
    for (int k = 0; k < 2; k++) {
      float x = wave[k][0];
      wave[k][0] = x * turn[k][0] - wave[k][1] * turn[k][1];
      wave[k][1] = x * turn[k][1] + wave[k][1] * turn[k][0];
    }
  }
}

/* ---- The frame ---- */

/* Rods of the frame that are no guides, each into its new number; of a guide, its first hair or -1. The map's size:
 * rods of the frame. Returns the number of rods that stay. */
static int renumber(const skein_hairs *h, const skein_frame *f, const sk_carried *c, int *map)
{
  int kept = 0;
  for (int i = 0; i < f->rods; i++) map[i] = 0;
  for (int g = 0; g < h->guides; g++) map[c->rod[g]] = -1;
  for (int i = 0; i < f->rods; i++)
    if (map[i] == 0) map[i] = h->def.hairs + kept++;
  for (int g = 0; g < h->guides; g++) map[c->rod[g]] = h->first[g];
  return kept;
}

static bool allocate(skein_frame *f)
{
  size_t rods = (size_t)f->rods, n = (size_t)f->contacts;
  f->point = sk_calloc(3 * (size_t)f->points, sizeof(float)), f->radius = sk_calloc(rods, sizeof(float));
  f->rod_group = sk_calloc(rods, sizeof(int)), f->rod_source = sk_calloc(rods, sizeof(int));
  f->body_pose = sk_calloc(7 * (size_t)f->bodies, sizeof(double));
  f->contact_object = sk_calloc(2 * n, sizeof(int)), f->contact_s = sk_calloc(2 * n, sizeof(double));
  f->contact_point = sk_calloc(3 * n, sizeof(double)), f->contact_normal = sk_calloc(3 * n, sizeof(double));
  f->contact_impulse = sk_calloc(3 * n, sizeof(double)), f->contact_gap = sk_calloc(n, sizeof(double));
  f->contact_status = sk_calloc(n, 1);
  return f->point && f->radius && f->rod_group && f->rod_source && f->body_pose && f->contact_object && f->contact_s &&
         f->contact_point && f->contact_normal && f->contact_impulse && f->contact_gap && f->contact_status;
}

static bool open_frame(const skein_hairs *h, const skein_frame *f, const int *map, int kept, skein_frame *out)
{
  *out = (skein_frame){.index = f->index,
                       .time = f->time,
                       .dt = f->dt,
                       .rods = h->def.hairs + kept,
                       .bodies = f->bodies,
                       .contacts = f->contacts};
  out->point_start = sk_calloc((size_t)out->rods + 1, sizeof(int));
  if (!out->point_start) return false;
  for (int i = 0; i < h->def.hairs; i++) out->point_start[i + 1] = (i + 1) * h->points;
  for (int i = 0; i < f->rods; i++)
    if (map[i] >= h->def.hairs)
      out->point_start[map[i] + 1] = out->point_start[map[i]] + f->point_start[i + 1] - f->point_start[i];
  out->points = out->point_start[out->rods];
  return allocate(out);
}

static void copy_rods(const skein_hairs *h, const skein_frame *f, const int *map, skein_frame *out)
{
  for (int i = 0; i < f->rods; i++) {
    int to = map[i];
    if (to < h->def.hairs) continue;
    out->radius[to] = f->radius[i], out->rod_group[to] = f->rod_group[i], out->rod_source[to] = f->rod_source[i];
    memcpy(out->point + 3 * (size_t)out->point_start[to], f->point + 3 * (size_t)f->point_start[i],
           3 * sizeof(float) * (size_t)(f->point_start[i + 1] - f->point_start[i]));
  }
  if (f->bodies > 0) memcpy(out->body_pose, f->body_pose, 7 * sizeof(double) * (size_t)f->bodies);
}

static void copy_contacts(const skein_frame *f, const int *map, skein_frame *out)
{
  int n = 0;
  for (int c = 0; c < f->contacts; c++) {
    int to[2];
    for (int k = 0; k < 2; k++) {
      int object = f->contact_object[2 * (size_t)c + (size_t)k];
      to[k] = object >= f->rods ? object - f->rods + out->rods : map[object];
    }
    if (to[0] < 0 || to[1] < 0) continue;
    for (size_t k = 0; k < 2; k++)
      out->contact_object[2 * (size_t)n + k] = to[k],
                                          out->contact_s[2 * (size_t)n + k] = f->contact_s[2 * (size_t)c + k];
    for (size_t k = 0; k < 3; k++) {
      size_t i = 3 * (size_t)n + k, j = 3 * (size_t)c + k;
      out->contact_point[i] = f->contact_point[j], out->contact_normal[i] = f->contact_normal[j];
      out->contact_impulse[i] = f->contact_impulse[j];
    }
    out->contact_gap[n] = f->contact_gap[c], out->contact_status[n] = f->contact_status[c];
    n++;
  }
  out->contacts = n;
}

static void grow_all(const field *f, skein_frame *out)
{
  const skein_hairs *h = f->h;
#pragma omp parallel for num_threads(h->def.threads) schedule(static, 256)
  for (int i = 0; i < h->def.hairs; i++) {
    const sk_guide *g = h->guide + h->hair[i].guide[0];
    grow(f, h->hair + i, out->point + 3 * (size_t)i * (size_t)h->points);
    out->radius[i] = (float)h->radius, out->rod_group[i] = g->group, out->rod_source[i] = g->source;
  }
}

skein_status skein_hairs_frame(const skein_hairs *h, const skein_frame *frame, skein_frame *out)
{
  sk_carried carried;
  field f = {.h = h, .carried = &carried};
  *out = (skein_frame){0};
  skein_status s = sk_carry(h, frame, &carried);
  int *map = sk_calloc((size_t)frame->rods, sizeof *map);
  if (s.code == SKEIN_OK && (!map || !find_obstacles(h, frame, &f))) s = sk_no_memory();
  if (s.code == SKEIN_OK && !open_frame(h, frame, map, renumber(h, frame, &carried, map), out)) s = sk_no_memory();
  if (s.code == SKEIN_OK) {
    copy_rods(h, frame, map, out);
    copy_contacts(frame, map, out);
    grow_all(&f, out);
  } else skein_frame_destroy(out);
  free(map), free(f.obstacle);
  sk_carried_free(&carried);
  return s;
}
