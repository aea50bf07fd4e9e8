/* Hairs: which rods are guides, and the hairs that are tied to them. */
#include "hairs/hairs.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 20, MOST_HAIRS = 1000000, MOST_POINTS = 256 };

skein_hairs_def skein_default_hairs_def(void)
{
  return (skein_hairs_def){.hairs = 20000, .clump = 0.6, .frizz = 0.4, .vary = 0.25, .seed = 1};
}

static skein_status check(const skein_hairs_def *d)
{
  if (d->hairs < 1 || d->hairs > MOST_HAIRS)
    return sk_fail(SKEIN_BAD_INPUT, "hairs is %d, expected 1 to %d", d->hairs, MOST_HAIRS);
  if (!(d->clump >= 0 && d->clump <= 1)) return sk_fail(SKEIN_BAD_INPUT, "clump is %g, expected 0 to 1", d->clump);
  if (!(d->frizz >= 0 && d->frizz <= 10)) return sk_fail(SKEIN_BAD_INPUT, "frizz is %g, expected 0 to 10", d->frizz);
  if (!(d->width >= 0 && d->width <= 1))
    return sk_fail(SKEIN_BAD_INPUT, "width of hairs is %g m, expected 0 to 1", d->width);
  if (!(d->vary >= 0 && d->vary <= 0.9)) return sk_fail(SKEIN_BAD_INPUT, "vary is %g, expected 0 to 0.9", d->vary);
  if (d->points != 0 && (d->points < 2 || d->points > MOST_POINTS))
    return sk_fail(SKEIN_BAD_INPUT, "points of a hair is %d, expected 0 or 2 to %d", d->points, MOST_POINTS);
  if (d->threads < 0) return sk_fail(SKEIN_BAD_INPUT, "threads is %d, expected 0 or more", d->threads);
  return sk_ok();
}

/* ---- Which rods are guides ---- */

/* Whether `name` is one of the words of `list`, which commas divide. */
static bool listed(const char *list, const char *name)
{
  size_t n = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (!strncmp(at, name, n) && (at[n] == 0 || at[n] == ',')) return true;
  }
  return false;
}

static int group_of(const skein_scene *scene, const char *name, size_t length)
{
  for (int g = 0; g < scene->group_count; g++)
    if (strlen(scene->groups[g]) == length && !strncmp(scene->groups[g], name, length)) return g;
  return -1;
}

/* Every word of the list is a group that has rods. */
static skein_status check_groups(const skein_scene *scene, const char *list)
{
  for (const char *at = list; at;) {
    const char *end = strchr(at, ',');
    size_t length = end ? (size_t)(end - at) : strlen(at);
    int g = group_of(scene, at, length), rods = 0;
    for (int i = 0; i < scene->rod_count; i++) rods += scene->rods[i].group == g;
    if (g < 0) return sk_fail(SKEIN_BAD_INPUT, "the scene has no group '%.*s' for hairs", (int)length, at);
    if (rods == 0) return sk_fail(SKEIN_BAD_INPUT, "group '%.*s' has no rods for hairs", (int)length, at);
    at = end ? end + 1 : NULL;
  }
  return sk_ok();
}

/* Marks the rods of the scene that are guides; their number. */
static int choose(const skein_scene *scene, const char *groups, int *held, bool *chosen)
{
  int count = 0;
  for (int i = 0; i < scene->rod_count; i++) held[scene->rods[i].group] += scene->rods[i].root_body >= 0;
  for (int i = 0; i < scene->rod_count; i++) {
    const sk_scene_rod *rod = scene->rods + i;
    chosen[i] = groups ? listed(groups, scene->groups[rod->group]) : rod->root_body >= 0 && held[rod->group] >= MANY;
    count += chosen[i];
  }
  return count;
}

static double polyline_length(const skein_frame *f, int rod)
{
  double sum = 0;
  for (int k = f->point_start[rod]; k + 1 < f->point_start[rod + 1]; k++) {
    const float *p = f->point + 3 * (size_t)k;
    sum += sk_norm(sk_vec((double)p[3] - p[0], (double)p[4] - p[1], (double)p[5] - p[2]));
  }
  return sum;
}

static sk_guide make_guide(const skein_hairs *h, const skein_scene *scene, const skein_frame *f, int rod)
{
  const sk_scene_rod *from = scene->rods + f->rod_source[rod];
  const float *p = f->point + 3 * (size_t)f->point_start[rod];
  sk_guide g = {.source = f->rod_source[rod],
                .group = from->group,
                .body = from->root_body < h->bodies ? from->root_body : -1,
                .radius = f->radius[rod],
                .root = sk_vec(p[0], p[1], p[2]),
                .frame = sk_root_frame(p, f->point_start[rod + 1] - f->point_start[rod]),
                .length = polyline_length(f, rod)};
  g.normal = g.frame.c[0];
  return g;
}

/* On the skin when the root is no farther from it than the guides are from each other. */
static void find_skin(const skein_hairs *h, sk_guide *g)
{
  double d;
  sk_vec3 n;
  if (g->body < 0 || !sk_skin_find(&h->skin[g->body], sk_pose_in(&h->rest[g->body], g->root), &d, &n)) return;
  if (!(fabs(d) <= 0.5 * g->spacing + 2 * g->radius) || sk_norm(n) < 0.5) return;
  g->on_skin = true;
  g->normal = sk_apply(sk_quat_frame(h->rest[g->body].q), n);
}

static skein_status find_guides(skein_hairs *h, const skein_scene *scene, const skein_frame *f, const char *groups)
{
  sk_arena work = {0};
  int *held = SK_NEW(&work, scene->group_count, int);
  bool *chosen = SK_NEW(&work, scene->rod_count, bool);
  skein_status s = groups ? check_groups(scene, groups) : sk_ok();
  int count = s.code == SKEIN_OK && !work.failed ? choose(scene, groups, held, chosen) : 0;
  h->rods = scene->rod_count;
  h->of_rod = SK_NEW_RAW(&h->arena, h->rods, int), h->guide = SK_NEW(&h->arena, count, sk_guide);
  h->area = SK_NEW(&h->arena, (size_t)count + 1, double), h->first = SK_NEW_RAW(&h->arena, count, int);
  if (s.code == SKEIN_OK && (work.failed || h->arena.failed)) s = sk_no_memory();
  for (int i = 0; s.code == SKEIN_OK && i < h->rods; i++) h->of_rod[i] = -1;
  for (int i = 0; s.code == SKEIN_OK && i < f->rods; i++) {
    int source = f->rod_source[i];
    if (source < 0 || source >= h->rods || !chosen[source] || h->of_rod[source] >= 0) continue;
    if (f->point_start[i] == f->point_start[i + 1]) continue;
    h->of_rod[source] = h->guides;
    h->guide[h->guides++] = make_guide(h, scene, f, i);
  }
  sk_arena_free(&work);
  if (s.code == SKEIN_OK && h->guides == 0)
    s = sk_fail(SKEIN_BAD_INPUT,
                "no rods for hairs to follow: expected a group of which a body holds %d rods or more by their root, or "
                "the names of groups",
                MANY);
  return s;
}

/* ---- How many points ---- */

/* Eight for every turn of the curliest guide, as it is and by its nature, and eight more. */
static int points_needed(const skein_hairs *h, const skein_scene *scene, const skein_frame *f)
{
  double most = 0;
  for (int i = 0; i < f->rods; i++) {
    int source = f->rod_source[i];
    if (source < 0 || source >= h->rods || h->of_rod[source] < 0) continue;
    const skein_rod_def *def = &scene->rods[source].def;
    double turn = 0, natural = 0;
    for (int k = f->point_start[i] + 1; k + 1 < f->point_start[i + 1]; k++) {
      const float *p = f->point + 3 * (size_t)k;
      sk_vec3 a = sk_unit(sk_vec((double)p[0] - p[-3], (double)p[1] - p[-2], (double)p[2] - p[-1]));
      sk_vec3 b = sk_unit(sk_vec((double)p[3] - p[0], (double)p[4] - p[1], (double)p[5] - p[2]));
      turn += atan2(sk_norm(sk_cross(a, b)), sk_dot(a, b));
    }
    for (int k = 0; def->natural && k < def->naturals; k++)
      natural += hypot(def->natural[3 * k], def->natural[3 * k + 1]) * def->length / def->naturals;
    most = fmax(most, fmax(turn, natural));
  }
  return (int)fmin(8 + ceil(8 * most / (2 * SK_PI)), 64);
}

/* ---- Create ---- */

static bool make_skins(skein_hairs *h, const skein_scene *scene, const skein_frame *f)
{
  h->bodies = SK_MIN(scene->body_count, f->bodies);
  h->skin = SK_NEW(&h->arena, h->bodies, sk_skin), h->rest = SK_NEW(&h->arena, h->bodies, sk_pose);
  for (int i = 0; i < h->bodies && !h->arena.failed; i++) {
    h->rest[i] = sk_frame_pose(f, i);
    sk_skin_make(&h->arena, &scene->bodies[i].shape, h->def.threads, &h->skin[i]);
  }
  return !h->arena.failed;
}

static bool plant(skein_hairs *h)
{
  h->hair = SK_NEW_RAW(&h->arena, h->def.hairs, sk_hair);
  if (!h->hair) return false;
#pragma omp parallel for num_threads(h->def.threads) schedule(static, 256)
  for (int i = 0; i < h->def.hairs; i++) sk_hair_plant(h, i, h->hair + i);
  for (int g = 0; g < h->guides; g++) h->first[g] = -1;
  for (int i = h->def.hairs - 1; i >= 0; i--) h->first[h->hair[i].guide[0]] = i;
  return true;
}

static skein_status fill(skein_hairs *h, const skein_scene *scene, const skein_frame *f, const char *groups)
{
  if (!make_skins(h, scene, f)) return sk_no_memory();
  skein_status s = find_guides(h, scene, f, groups);
  if (s.code != SKEIN_OK) return s;
  sk_guides_relate(h->guide, h->guides, h->def.threads);
  for (int g = 0; g < h->guides; g++) find_skin(h, h->guide + g);
  sk_guides_measure(h->guide, h->guides, h->area);
  h->points = h->def.points > 0 ? h->def.points : points_needed(h, scene, f);
  h->grid = SK_MAX(2 * h->points, 16);
  h->radius = h->def.width > 0 ? h->def.width / 2 : 4e-5 * sqrt(fmax(1, 1e5 / h->def.hairs));
  return plant(h) ? s : sk_no_memory();
}

skein_status skein_hairs_create(const skein_scene *scene, const skein_frame *first, const skein_hairs_def *def,
                                skein_hairs **out)
{
  *out = NULL;
  skein_status s = check(def);
  if (s.code != SKEIN_OK) return s;
  skein_hairs *h = sk_calloc(1, sizeof *h);
  if (!h) return sk_no_memory();
  h->def = *def, h->def.groups = NULL;
  if (h->def.threads == 0) h->def.threads = omp_get_max_threads();
  s = fill(h, scene, first, def->groups);
  if (s.code == SKEIN_OK) *out = h;
  else skein_hairs_destroy(h);
  return s;
}

void skein_hairs_destroy(skein_hairs *hairs)
{
  if (!hairs) return;
  sk_arena_free(&hairs->arena);
  free(hairs);
}

int skein_hairs_guides(const skein_hairs *hairs)
{
  return hairs->guides;
}

int skein_hairs_points(const skein_hairs *hairs)
{
  return hairs->points;
}

int skein_hairs_guide_of(const skein_hairs *hairs, int hair)
{
  return hair >= 0 && hair < hairs->def.hairs ? hairs->guide[hairs->hair[hair].guide[0]].source : -1;
}
