/* Grooms: hair made by rule. Roots are spread over the scalp, strands are combed, and each combed line becomes the
 * initial shape of a rod; what it wants to be is the entry's "natural", varied from hair to hair. Neighbours vary
 * alike: part of the variation is smooth noise over the scalp. Same seed, same hair. */
#include "scene/fit.h"
#include "scene/groom.h"
#include "scene/rods.h"

#include <limits.h>
#include <math.h>

enum { MOST_STRANDS = 20000, TURNS = 6 };

/* What is varied, each with its own noise. */
typedef enum trait { LENGTH, CURL, TURN, PHASE, TRAITS } trait;

typedef struct groom {
  int count, body;
  uint64_t seed;
  double length, variation, curl_variation; /* of the entry */
  double stray;                             /* rad */
  double clump, clump_size;
  const double *natural; /* cells */
  int naturals;
  double spacing; /* of strands in a tie; 0: no tie */
  sk_vec3 tie, tie_direction;
  sk_comb comb;
  sk_root *roots;
  const sk_vec3 *places; /* in a tie */
} groom;

/* ---- Variation ---- */

/* A number from -1 to 1 that depends on the whole numbers only (splitmix64). */
static double scatter(uint64_t seed, int64_t i, int64_t j, int64_t k)
{
  uint64_t z =
      seed + 0x9e3779b97f4a7c15u * (uint64_t)i + 0xc2b2ae3d27d4eb4fu * (uint64_t)j + 0x165667b19e3779f9u * (uint64_t)k;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* Smooth noise: between the corners of a lattice of that size, by u^2 (3 - 2 u). */
static double noise(uint64_t seed, sk_vec3 x, double size)
{
  double p[3], f[3], sum = 0;
  int64_t at[3];
  sk_store3(p, sk_mul(1 / size, x));
  for (int k = 0; k < 3; k++) {
    double lo = floor(fmin(fmax(p[k], -1e15), 1e15)), u = p[k] - lo;
    at[k] = (int64_t)lo, f[k] = u * u * (3 - 2 * u);
  }
  for (int c = 0; c < 8; c++) {
    double w = 1;
    for (int k = 0; k < 3; k++) w *= c >> k & 1 ? f[k] : 1 - f[k];
    sum += w * scatter(seed, at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2));
  }
  return sum;
}

/* From -1 to 1: shared with the neighbours as far as the groom's clump says. */
static double vary(const groom *g, int strand, sk_vec3 x, trait what)
{
  uint64_t seed = g->seed * TRAITS + (uint64_t)what;
  double shared = fmin(fmax(1.6 * noise(seed, x, g->clump_size), -1), 1), own = scatter(~seed, strand, 0, 0);
  return g->clump * shared + (1 - g->clump) * own;
}

/* ---- One strand ---- */

/* Radius and rise per turn of the helix that the first natural cell makes; flat curls are drawn out a little. */
static void find_coil(const groom *g, double factor, sk_lock *l, double *along)
{
  const double *u = g->natural;
  double k = u ? factor * sqrt(u[0] * u[0] + u[1] * u[1]) : 0, t = u ? factor * fabs(u[2]) : 0, w = sqrt(k * k + t * t);
  *along = 1;
  if (!(k * g->length > SK_PI)) return; /* hardly bends */
  *along = fmax(t / w, 0.3);
  double arc = 2 * SK_PI / w; /* per turn; its length stays, and so its rise and radius follow */
  l->pitch = *along * arc, l->coil = arc * sqrt(1 - *along * *along) / (2 * SK_PI);
}

static sk_lock make_lock(const groom *g, int i, double *factor)
{
  sk_vec3 x = g->roots ? g->roots[i].r : sk_axpy(g->tie, 1, g->places[i]);
  double along;
  sk_lock l = {.turn = g->stray * vary(g, i, x, TURN), .phase = SK_PI * vary(g, i, x, PHASE)};
  *factor = 1 + g->curl_variation * vary(g, i, x, CURL);
  find_coil(g, *factor, &l, &along);
  l.length = g->length * (1 + g->variation * vary(g, i, x, LENGTH)) * along;
  if (g->roots) l.r = g->roots[i].r, l.n = g->roots[i].n;
  else {
    l.tied = true, l.r = g->tie, l.n = g->tie_direction, l.across = g->places[i];
    l.bunch = sk_norm(g->places[g->count - 1]);
  }
  if (l.tied || g->comb.raised) { /* no room for curls yet */
    l.curls = l.coil > 0 && !l.tied;
    l.coil = 0, l.length /= along;
  }
  return l;
}

/* The natural cells, times the factor, begun at that phase. */
static const double *vary_natural(const groom *g, double factor, double phase, double *out)
{
  double c = cos(phase), s = sin(phase);
  for (int k = 0; k < g->naturals; k++) {
    const double *u = g->natural + 3 * k;
    out[3 * k] = factor * (c * u[0] - s * u[1]), out[3 * k + 1] = factor * (s * u[0] + c * u[1]);
    out[3 * k + 2] = factor * u[2];
  }
  return out;
}

/* Where the curl begins: as the fitted strand does, if it is wound. */
static double phase_of(const groom *g, const sk_lock *l, const sk_fit *f)
{
  if (!(l->coil > 0)) return l->phase;
  double own = g->natural ? atan2(g->natural[1], g->natural[0]) : 0;
  return atan2(f->cells[1], f->cells[0]) - own;
}

/* How deep the fitted rod goes into bodies once it has left the skin. */
static double depth_of(const groom *g, const sk_fit *f, int elements)
{
  int steps = SK_MAX(1, (int)ceil(f->length / elements / 0.004));
  double ds = f->length / elements / steps, deepest = 0;
  sk_vec3 x = f->root;
  sk_mat3 R = f->frame;
  bool left = false;
  for (int k = 0; k < elements * steps; k++) {
    sk_mat3 half = sk_rotation(sk_mul(0.5 * ds, sk_load3(f->cells + 3 * (k / steps))));
    R = sk_mat_mul(R, half), x = sk_axpy(x, ds, R.c[2]), R = sk_mat_mul(R, half);
    double depth = sk_comb_depth(&g->comb, x);
    left |= depth < 0.1 * g->comb.radius || k * ds > 0.02;
    if (left) deepest = fmax(deepest, depth);
  }
  return deepest;
}

/* Combs and fits one strand; higher over the skin where the fit, of few elements, cuts into it. */
static skein_status grow(const groom *g, const sk_scene_rod *rod, int i, double *factor, sk_lock *l, sk_fit *fit)
{
  double points[3 * SK_LOCK_POINTS];
  *l = make_lock(g, i, factor);
  bool untwisted = !sk_rod_model_is_curved(rod->def.model) || !(l->coil > 0); /* a hair is not wrung by combing */
  for (int turn = 0;; turn++) {
    int count = sk_comb_grow(&g->comb, l, points);
    skein_status s = sk_fit_strand(points, count, rod->def.elements, untwisted, fit);
    if (s.code != SKEIN_OK || turn == TURNS) return s;
    double depth = depth_of(g, fit, rod->def.elements);
    if (!(depth > 0.1 * rod->radius)) return s;
    l->spare += depth + 0.2 * rod->radius;
  }
}

/* ---- All ---- */

typedef struct work {
  sk_lock *lock;
  sk_fit *fit;
  skein_status *status;
  double *factor, *natural;
  sk_stop *stop;
} work;

/* Each strand by itself, so that the bits do not depend on threads. */
static void grow_all(const groom *g, const sk_scene_rod *rod, work *w)
{
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < g->count; i++)
    if (!sk_stop_asked(w->stop)) w->status[i] = grow(g, rod, i, &w->factor[i], &w->lock[i], &w->fit[i]);
}

static void add_all(sk_reader *r, const sk_at *entry, const sk_at *at, const groom *g, const sk_scene_rod *rod)
{
  size_t cells = 3 * (size_t)rod->def.elements, naturals = 3 * (size_t)g->naturals, n = (size_t)g->count;
  work w = {SK_READ_NEW(r, n, sk_lock),           SK_READ_NEW(r, n, sk_fit),
            SK_READ_NEW(r, n, skein_status),      SK_READ_NEW(r, n, double),
            SK_READ_NEW(r, naturals * n, double), &r->scene->stop};
  double *fitted = SK_READ_NEW(r, cells * n, double);
  if (sk_failed(r)) return;
  for (size_t i = 0; i < n; i++) w.fit[i].cells = fitted + cells * i;
  grow_all(g, rod, &w);
  if (sk_read_stopped(r)) return;
  for (int i = 0; i < g->count && !sk_failed(r); i++) {
    sk_scene_rod one = *rod;
    const sk_fit *f = &w.fit[i];
    sk_at_refuse(r, at, w.status[i]);
    if (sk_failed(r)) return;
    one.def.length = f->length, one.fit = f->largest;
    one.def.initial = f->cells, one.def.initials = rod->def.elements;
    if (g->naturals)
      one.def.natural = vary_natural(g, w.factor[i], phase_of(g, &w.lock[i], f), w.natural + naturals * (size_t)i);
    one.def.naturals = g->naturals;
    sk_store3(one.def.pose.r, f->root);
    for (int c = 0; c < 3; c++) sk_store3(one.def.pose.d[c], f->frame.c[c]);
    sk_rods_add(r, entry, &one, i);
  }
}

/* ---- Fields ---- */

/* Strands packed on the hexagonal lattice, held where the tie is; in the axes of the body. */
static void read_tie(sk_reader *r, const sk_at *at, const sk_scene_rod *rod, groom *g)
{
  static const char *const fields[] = {"position", "direction", "spacing"};
  const sk_pose *pose = &r->scene->bodies[g->body].pose;
  sk_at given = sk_at_get(at, "spacing");
  if (!json_is_object(at->value)) sk_at_wrong(r, at, "an object { }");
  if (!sk_at_object(r, at, fields, 3) || !sk_at_need(r, at, "position")) return;
  g->tie = sk_pose_out(pose, sk_get_vector(r, at, "position", SK_LENGTH, sk_vec(0, 0, 0)));
  g->tie_direction = sk_apply(sk_quat_frame(pose->q), sk_get_direction(r, at, "direction", sk_vec(0, 1, 0)));
  g->spacing = sk_get_number(r, at, "spacing", SK_LENGTH, SK_POSITIVE, 2.1 * rod->radius);
  if (!sk_failed(r) && !(g->spacing >= 2 * rod->radius * (1 - 1e-9)))
    sk_at_fail(r, &given, "is too small for rods of radius %.6g, expected at least %.6g",
               rod->radius / r->factor[SK_LENGTH], 2 * rod->radius / r->factor[SK_LENGTH]);
  g->places = sk_rods_pack(r, g->count, g->spacing);
}

static groom read_groom(sk_reader *r, const sk_at *entry, const sk_at *at, const sk_scene_rod *rod)
{
  static const char *const fields[] = {"count", "variation", "curl_variation", "parting",    "lift", "stray",
                                       "scalp", "tie",       "clump",          "clump_size", "seed", "raised"};
  groom g = {.count = 0, .body = rod->root_body};
  if (!json_is_object(at->value)) sk_at_wrong(r, at, "an object { }");
  if (!sk_at_object(r, at, fields, SK_COUNT(fields)) || !sk_at_need(r, at, "count")) return g;
  g.count = sk_get_int(r, at, "count", 1, MOST_STRANDS, 1);
  g.seed = (uint64_t)sk_get_int(r, at, "seed", 0, INT_MAX, 1);
  g.length = sk_get_number(r, entry, "length", SK_LENGTH, SK_POSITIVE, 1);
  g.variation = sk_get_number(r, at, "variation", SK_ONE, SK_SHARE, 0.1);
  g.curl_variation = sk_get_number(r, at, "curl_variation", SK_ONE, SK_SHARE, 0.2);
  g.stray = sk_get_number(r, at, "stray", SK_ANGLE, SK_NOT_NEGATIVE, 10 * SK_PI / 180);
  g.clump = sk_get_number(r, at, "clump", SK_ONE, SK_SHARE, 0.5);
  g.clump_size = sk_get_number(r, at, "clump_size", SK_LENGTH, SK_POSITIVE, 0.02);
  g.natural = sk_get_cells(r, entry, "natural", &g.naturals);
  sk_at variation = sk_at_get(at, "variation");
  if (!sk_failed(r) && g.variation > 0.9) sk_at_fail(r, &variation, "is %g, expected at most 0.9", g.variation);
  return g;
}

/* Fields of the root that the groom says. */
static void check_root(sk_reader *r, const sk_at *entry, const sk_scene_rod *rod)
{
  static const char *const said[] = {"position", "direction", "normal"};
  sk_at root = sk_at_get(entry, "root"), groom_at = sk_at_get(entry, "groom");
  for (int k = 0; k < 3; k++) {
    sk_at field = sk_at_get(&root, said[k]);
    if (field.value) sk_at_fail(r, &field, "the 'groom' says it");
  }
  if (!sk_failed(r) && rod->root_body < 0)
    sk_at_fail(r, &groom_at, "the hair grows on nothing, expected 'root': {'body': name}");
}

void sk_rods_from_groom(sk_reader *r, const sk_at *entry, const sk_scene_rod *rod)
{
  static const char *const partings[] = {"none", "left", "middle", "right"};
  sk_at at = sk_at_get(entry, "groom"), tie = sk_at_get(&at, "tie");
  sk_scalp scalp = {0};
  check_root(r, entry, rod);
  if (sk_failed(r)) return;
  groom g = read_groom(r, entry, &at, rod);
  if (!sk_failed(r) && tie.value && sk_at_has(&at, "scalp"))
    sk_at_fail(r, &tie, "stands beside 'scalp', expected one of them");
  if (!sk_failed(r) && !tie.value) sk_scalp_read(r, entry, &at, g.body, &scalp);
  if (!sk_failed(r) && tie.value) read_tie(r, &tie, rod, &g);
  int parting = sk_get_choice(r, &at, "parting", "parting", partings, 4, SK_PARTING_NONE);
  double lift = sk_get_number(r, &at, "lift", SK_ANGLE, SK_NOT_NEGATIVE, 15 * SK_PI / 180);
  if (sk_failed(r) || !sk_rods_reserve(r, &at, g.count)) return;
  g.comb = sk_comb_make(r->scene, g.body, &scalp, rod->radius, g.count);
  g.comb.raised = sk_get_bool(r, &at, "raised", false);
  if (g.comb.raised) g.comb.thatch = 0;
  g.comb.parting = (sk_parting)parting, g.comb.lift = fmin(lift, 0.5 * SK_PI);
  double aside = 0.18 * (scalp.hi.x - scalp.lo.x) * (parting == SK_PARTING_LEFT ? -1 : parting == SK_PARTING_RIGHT);
  g.comb.front.x += aside, g.comb.crown.x += aside;
  if (!tie.value) g.roots = sk_scalp_roots(r, &scalp, g.count, g.seed);
  if (!sk_failed(r)) add_all(r, entry, &at, &g, rod);
}
