/* Pairs that may meet now or soon (Verlet 1967). A search with a margin finds them once; as long as every piece is
 * within its margin, no others can meet, and each call tests these alone. It changes no candidate.
 *
 * Between two pieces: with x in the axes of the carrier, which turn and travel with what most share,
 *     a pair that is not listed was further apart than Rm + Rm',   |x - x0| + R <= Rm of both: it is further than R +
 * R' Between a piece and a solid the same in the solid's axes, with the reach of the piece towards it. Margins are what
 * a piece travels in some steps, as it goes now. Where that is much, or the list did not last, the grid alone is
 * cheaper. */
#include "collide/inside.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
  STEPS = 6,      /* that margins are for */
  PIECES = 1000,  /* fewer are not worth it */
  SOLIDS = 4,     /* more are not listed */
  LASTS = 4,      /* calls that a list must serve to be worth its making */
  PATIENCE = 8,   /* calls without a list after one that was not; twice as many after the next, at most */
  LONG = 256,     /* so many */
  PORTION = 2048, /* pairs, or pieces, that a thread takes at a time */
  EACH = 256      /* pairs of a piece, in the mean: more is a heap on one spot, which the grid alone must report */
};
static const int64_t most_tests = (int64_t)1 << 31;
static const double most_margin = 4; /* radii: beyond, in the mean, a list has too many pairs */
static const double sure = 1 + 1e-9;

typedef struct pair {
  int i, j; /* items */
} pair;

typedef struct pairs {
  pair *at;
  int64_t count, room;
} pairs;

/* Where a piece was: in the axes of the carrier and with which R, or of a solid and with which reach. */
typedef struct place {
  sk_vec3 a, b;
  double R;
} place;

struct sk_verlet {
  bool listed; /* the rest is there */
  int pieces, solids, carrier;
  int age, rest; /* calls that the list has served; calls until the next one */
  int patience;  /* the last such rest; 0: the last list was worth it */
  sk_arena arena;
  int (*name)[2]; /* object and number of each piece */
  place *place;   /* 1 + solids of each piece */
  pairs list;
};

sk_verlet *sk_verlet_create(void)
{
  return sk_calloc(1, sizeof(sk_verlet));
}

void sk_verlet_destroy(sk_verlet *v)
{
  if (!v) return;
  free(v->list.at);
  sk_arena_free(&v->arena);
  free(v);
}

int sk_verlet_age(const sk_verlet *v)
{
  return v->listed ? v->age : 0;
}

static sk_vec3 inside(const sk_pose *p, const sk_mat3 *R, sk_vec3 x)
{
  return sk_apply_t(*R, sk_sub(x, p->r));
}

/* Axes k: of the carrier, then of the solids. */
static const sk_pose *axes(const sk_collide_input *in, int k)
{
  return k == 0 ? &in->carrier_pose : &in->solids[k - 1].pose;
}

/* Where piece i is now in axes k, with the R or reach that it has. */
static place place_of(const sk_collide_input *in, const sk_core *core, const sk_mat3 *R, int i, int k)
{
  const sk_piece *p = in->pieces + i;
  double reach = k == 0 ? core[i].R : sk_solid_reach(p, in->solids + k - 1, sk_norm(sk_sub(p->b, p->a)));
  return (place){inside(axes(in, k), R, p->a), inside(axes(in, k), R, p->b), reach};
}

/* How far piece i travels beside axes k in this step. */
static double travel(const sk_collide_input *in, int i, int k)
{
  const sk_piece *p = in->pieces + i;
  const sk_move *m = k == 0 ? &in->carrier : &in->solids[k - 1].move;
  return sk_norm(sk_sub(p->way, sk_moved(m, sk_mul(0.5, sk_add(p->a, p->b)))));
}

/* ---- Is the list still good? ---- */

static bool is_same_layout(const sk_verlet *v, const sk_collide_input *in)
{
  return v->listed && v->pieces == in->piece_count && v->solids == in->solid_count && v->carrier == in->carrier_object;
}

static bool is_within(const sk_verlet *v, const sk_collide_input *in, const sk_core *core, const sk_mat3 *R, int i)
{
  const sk_piece *p = in->pieces + i;
  if (v->name[i][0] != p->object || v->name[i][1] != p->piece) return false;
  for (int k = 0; k <= in->solid_count; k++) {
    const place *was = v->place + (size_t)i * (size_t)(1 + in->solid_count) + k;
    place now = place_of(in, core, R + k, i, k);
    double moved = fmax(sk_norm(sk_sub(now.a, was->a)), sk_norm(sk_sub(now.b, was->b)));
    if (!((now.R + moved) * sure <= was->R)) return false;
  }
  return true;
}

static bool is_good(const sk_verlet *v, const sk_collide_input *in, const sk_core *core, const sk_mat3 *R)
{
  bool good = is_same_layout(v, in);
  if (!good) return false;
#pragma omp parallel for num_threads(in->threads) schedule(static) reduction(&& : good)
  for (int i = 0; i < in->piece_count; i++) good = good && is_within(v, in, core, R, i);
  return good;
}

/* ---- A new list ---- */

static bool add_pair(pairs *p, int i, int j)
{
  if (p->count == p->room) {
    int64_t room = 2 * p->room + 4096;
    pair *grown = realloc(p->at, (size_t)room * sizeof *grown);
    if (!grown) return false;
    p->at = grown, p->room = room;
  }
  p->at[p->count++] = (pair){i, j};
  return true;
}

/* Margins, in the mean in radii: what each piece travels in some steps and half a radius. */
static double fill_margins(const sk_collide_input *in, double *margin)
{
  double sum = 0;
#pragma omp parallel for num_threads(in->threads) schedule(static)
  for (int i = 0; i < in->piece_count; i++) margin[i] = STEPS * travel(in, i, 0) + 0.5 * in->pieces[i].radius;
  for (int i = 0; i < in->piece_count; i++) sum += margin[i] / in->pieces[i].radius;
  return sum / in->piece_count;
}

/* The pieces that rank i of the grid may meet; of solids, pieces and solids find each other below. */
static bool list_rank(const sk_grid *g, int i, const sk_meeting *m, pairs *out)
{
  int pieces = g->in->piece_count;
  const sk_core *x = g->core + i;
  for (int c = 0; c < m->count; c++) {
    const sk_core *y = g->core + m->hits[c];
    double R = x->R + y->R, s, t;
    if (x->item >= pieces || y->item >= pieces || x->item == y->item) continue;
    if (!(sk_segment_segment(x->a, x->b, y->a, y->b, &s, &t) <= R * R)) continue;
    if (!add_pair(out, x->item, y->item)) return false;
  }
  return true;
}

static bool list_block(const sk_grid *g, int k, sk_meeting *m, pairs *out)
{
  const uint32_t *slots = g->slots[k], *places = g->places[k];
  for (int i = k * SK_BLOCK; i < SK_MIN((k + 1) * SK_BLOCK, g->items); i++) {
    if (sk_stop_asked(g->in->stop)) return false;
    sk_grid_meet(g, i, slots, places, m);
    sk_grid_sift(g, i, m);
    slots += g->cells[i], places += g->cells[i];
    if (m->tests > most_tests || out->count > (int64_t)EACH * g->items || !list_rank(g, i, m, out)) return false;
  }
  return true;
}

/* The places of piece i with their margins, and the solids that it may meet. */
static bool list_solids(sk_verlet *v, const sk_collide_input *in, const sk_core *core, const sk_mat3 *R,
                        const double *margin, int i, pairs *out)
{
  const sk_piece *p = in->pieces + i;
  sk_near near[SK_NEAR_MAX];
  v->name[i][0] = p->object, v->name[i][1] = p->piece;
  for (int k = 0; k <= in->solid_count; k++) {
    place *at = v->place + (size_t)i * (size_t)(1 + in->solid_count) + k;
    *at = place_of(in, core, R + k, i, k);
    at->R = at->R * sure + (k == 0 ? margin[i] : STEPS * travel(in, i, k) + 0.5 * p->radius);
    if (k == 0) continue;
    const sk_solid *solid = in->solids + k - 1;
    if (sk_shape_segment(solid->shape, &solid->pose, p->a, p->b, (at->R + p->radius) * sure, near) == 0) continue;
    if (!add_pair(out, i, in->piece_count + k - 1)) return false;
  }
  return true;
}

/* What the threads have, as one list. */
static bool join(sk_verlet *v, pairs *of, int threads)
{
  v->list.count = 0;
  for (int t = 0; t < threads; t++)
    for (int64_t k = 0; k < of[t].count; k++)
      if (!add_pair(&v->list, of[t].at[k].i, of[t].at[k].j)) return false;
  return true;
}

/* A list with margins; false: there is none, for want of memory or of sense. */
static bool make_list(sk_verlet *v, const sk_collide_input *given, const sk_core *core, const sk_mat3 *R,
                      sk_arena *arena)
{
  sk_collide_input in = *given;
  sk_grid grid;
  double *margin = SK_NEW_RAW(arena, in.piece_count, double);
  sk_meeting *m = SK_NEW(arena, in.threads, sk_meeting);
  pairs *of = SK_NEW(arena, in.threads, pairs);
  sk_arena_reset(&v->arena);
  v->listed = false;
  v->name = (int(*)[2])sk_arena_alloc_raw(&v->arena, (size_t)in.piece_count, sizeof *v->name);
  v->place = SK_NEW_RAW(&v->arena, (size_t)in.piece_count * (size_t)(1 + in.solid_count), place);
  if (arena->failed || v->arena.failed || fill_margins(&in, margin) > most_margin) return false;
  in.margin = margin;
  if (sk_grid_build(&in, arena, &grid).code != SKEIN_OK) return false;
  for (int t = 0; t < in.threads; t++) {
    m[t] = (sk_meeting){.stamp = SK_NEW_RAW(arena, grid.items, int), .hits = SK_NEW_RAW(arena, grid.items + 1, int)};
    if (arena->failed) return false;
    memset(m[t].stamp, 0xff, (size_t)grid.items * sizeof(int));
  }
  bool good = true;
#pragma omp parallel num_threads(in.threads) reduction(&& : good)
  {
    int t = omp_get_thread_num();
#pragma omp for schedule(dynamic, 1) nowait
    for (int k = 0; k < grid.blocks; k++) good = good && list_block(&grid, k, m + t, of + t);
#pragma omp for schedule(dynamic, PORTION)
    for (int i = 0; i < in.piece_count; i++) good = good && list_solids(v, given, core, R, margin, i, of + t);
  }
  good = good && join(v, of, in.threads);
  for (int t = 0; t < in.threads; t++) free(of[t].at);
  v->pieces = in.piece_count, v->solids = in.solid_count, v->carrier = in.carrier_object, v->age = 0;
  return v->listed = good;
}

/* ---- From the list ---- */

static void narrow_pair(const sk_collide_input *in, const sk_core *core, pair p, sk_haul *haul)
{
  if (p.j < in->piece_count) {
    const sk_core *x = core + p.i, *y = core + p.j;
    double R = x->R + y->R, s, t;
    if (!(sk_segment_segment(x->a, x->b, y->a, y->b, &s, &t) <= R * R)) return;
  }
  sk_narrow(in, p.i, p.j, haul);
}

/* No list for some calls. */
static void give_up(sk_verlet *v)
{
  v->rest = v->patience = v->patience > 0 ? SK_MIN(2 * v->patience, (int)LONG) : (int)PATIENCE;
}

bool sk_verlet_find(const sk_collide_input *in, sk_haul *hauls, sk_arena *arena)
{
  sk_verlet *v = in->verlet;
  int n = in->piece_count;
  if (!v || n < PIECES || in->solid_count > SOLIDS || (v->rest > 0 && v->rest--)) return false;
  sk_core *core = SK_NEW_RAW(arena, n, sk_core);
  sk_mat3 R[1 + SOLIDS];
  if (!core) return false;
  for (int k = 0; k <= in->solid_count; k++) R[k] = sk_quat_frame(axes(in, k)->q);
#pragma omp parallel for num_threads(in->threads) schedule(static)
  for (int i = 0; i < n; i++) core[i] = sk_piece_core(in, i);
  bool listed = v->listed, good = is_good(v, in, core, R);
  if (listed && v->age >= LASTS) v->patience = 0;
  if (!good && listed && v->age < LASTS) give_up(v);
  if (!good && v->rest == 0 && !make_list(v, in, core, R, arena)) give_up(v);
  if (!good && v->rest > 0) return v->listed = false;
  v->age++;
#pragma omp parallel for num_threads(in->threads) schedule(dynamic, PORTION)
  for (int64_t k = 0; k < v->list.count; k++)
    if (!sk_stop_asked(in->stop)) narrow_pair(in, core, v->list.at[k], hauls + omp_get_thread_num());
  for (int a = 0; a < in->solid_count; a++)
    for (int b = 0; b < a; b++) sk_narrow(in, n + a, n + b, hauls);
  return true;
}
