/* Inside of the collision room: boxes in a grid that is hashed (grid.c), contacts of one pair (narrow.c), and the list
 * of what was found (order.c). An item is a piece (0 .. piece_count - 1) or a solid (the numbers after). */
#ifndef SK_COLLIDE_INSIDE_H
#define SK_COLLIDE_INSIDE_H

#include "collide/collide.h"

/* ---- order.c: what was found, sorted and merged ---- */

/* A candidate, and how far along a and b another one of neighbouring pieces is the same contact (m). */
typedef struct sk_found {
  sk_candidate c;
  double same_a, same_b;
} sk_found;

enum { SK_HAUL_ROOM = 256 };

typedef struct sk_haul_chunk {
  struct sk_haul_chunk *previous;
  int count;
  sk_found at[SK_HAUL_ROOM];
} sk_haul_chunk;

enum { SK_MEET_ROOM = 1024 };

typedef struct sk_meet_chunk {
  struct sk_meet_chunk *previous;
  int count;
  sk_meet at[SK_MEET_ROOM];
} sk_meet_chunk;

/* What one thread found. The arena is shared: chunks are taken one thread at a time. */
typedef struct sk_haul {
  sk_arena *arena;
  sk_haul_chunk *last;
  sk_meet_chunk *last_meet;
  int64_t count, meets;
  bool failed;
} sk_haul;

/* Room for one more; NULL when memory is out. */
sk_found *sk_haul_add(sk_haul *haul);
/* Notes that the two items may meet. */
void sk_haul_meet(sk_haul *haul, int i, int j, double distance, sk_vec3 normal, double t);
/* All of these as one list, in any order. */
skein_status sk_hauls_meets(const sk_haul *hauls, int haul_count, sk_arena *arena, sk_meets *out);
/* All hauls as one list: sorted by (a, b, sa, sb, feature, pieces), neighbours that meet in one point merged. */
skein_status sk_hauls_order(const sk_haul *hauls, int haul_count, sk_arena *arena, sk_candidate **out, int *count);

/* ---- narrow.c: contacts of one pair of items ---- */

/* What most pairs are sent away with, one cache line: the axis, radius + reach, and whose it is. */
typedef struct sk_core {
  alignas(64) sk_vec3 a;
  sk_vec3 b;
  double R;
  int item, object;
} sk_core;

/* Two pieces that cannot touch: their axes, as lines, pass at more than the sum of R, or they are neighbours of one
 * rod. Cheap, and true of most pairs whose boxes meet. */
static inline bool sk_core_is_idle(const sk_core *x, const sk_core *y)
{
  int next = x->item - y->item;
  sk_vec3 d = sk_sub(x->b, x->a), e = sk_sub(y->b, y->a), r = sk_sub(x->a, y->a), n = sk_cross(d, e);
  double along = sk_dot(r, n), R = x->R + y->R, scale = sk_dot(r, r) * sk_dot(d, d) * sk_dot(e, e);
  /* |r.n| > R |n|; the last term covers the rounding of r.n where n is small. */
  bool pass = along * along > R * R * sk_dot(n, n) * (1 + 1e-9) + 1e-26 * scale;
  return pass | ((x->object == y->object) & (next >= -1) & (next <= 1));
}
void sk_narrow(const sk_collide_input *in, int i, int j, sk_haul *haul);
/* How near a piece of that length and a solid may come. */
double sk_solid_reach(const sk_piece *a, const sk_solid *b, double length);

/* ---- grid.c: pairs of items whose boxes meet ---- */

/* Bounds in steps of the grid. x -> floor((x - origin) scale) never puts a before b when b is before a, so that boxes
 * that meet in space meet in numbers. */
typedef struct sk_box {
  int32_t lo[3], hi[3];
} sk_box;

/* A box in a cell, 16 bytes: hi and -lo modulo 2^16 in steps of its level (what shares a cell is near), and its rank.
 */
typedef struct sk_entry {
  uint16_t side[6];
  int32_t rank;
} sk_entry;

enum {
  SK_CELL_BITS = 8,  /* steps per cell of level 0 */
  SK_LEVEL_BITS = 2, /* a cell of the next level is four times as large */
  SK_LEVELS = 11,
  SK_LARGE = 64,  /* level of what is tested against everything */
  SK_ABSENT = 65, /* not a number somewhere */
  SK_BLOCK = 256, /* items that one thread takes at a time */
  SK_BATCH = 512
};

/* Items are kept by rank: in the order of a space-filling curve, so that what is near in space is near in memory. */
typedef struct sk_grid {
  const sk_collide_input *in;
  int items, blocks;
  double origin[3], scale, cell; /* steps per m; m, of level 0 */
  double span;                   /* m: half of the longest piece with its reach */
  sk_core *core;                 /* of a solid: its bounds with their reach in a and b */
  sk_box *box;
  uint8_t *level;
  unsigned levels; /* bit l: level l has cells */
  int *large, large_count;
  int table_bits;
  uint32_t *start;   /* of the entries in each slot */
  sk_entry *entries; /* by slot; in each by rank */
  uint16_t *cells;   /* how many an item is in */
  uint32_t **slots;  /* per block: the slots of its items, one after the other */
  uint32_t **places; /* and the entries they have there */
} sk_grid;

/* curve.c: what a search sees of piece i. */
sk_core sk_piece_core(const sk_collide_input *in, int i);
/* curve.c: origin, scale, cell and table_bits from the median item and from how crowded the pieces are; the cores. */
skein_status sk_grid_arrange(sk_grid *g, sk_arena *arena);

/* cells.c: the cells of an item at a level, as slots of the table. At most SK_CELLS_MAX; their number. */
enum { SK_CELLS_MAX = 1024, SK_WALK_MAX = 16 };
int sk_cells(const sk_grid *g, int i, int level, uint32_t *slots);
/* grid.c */
skein_status sk_grid_build(const sk_collide_input *in, sk_arena *arena, sk_grid *g);

/* Per thread: which items the present one has met, by rank. */
typedef struct sk_meeting {
  int *stamp; /* the last that met it */
  int *hits;  /* one more than there are items */
  int count;
  int64_t tests;
  int batch[SK_BATCH + 1], batched; /* boxes that meet, before repetitions are left out */
} sk_meeting;

/* Fills m with the items that meet the one of rank i, each pair of items from one side only. slots and places: of i. */
void sk_grid_meet(const sk_grid *g, int i, const uint32_t *slots, const uint32_t *places, sk_meeting *m);
/* Of those that m holds, leaves out pieces that cannot touch. */
void sk_grid_sift(const sk_grid *g, int i, sk_meeting *m);

/* ---- verlet.c ---- */

/* The contacts of the pairs in the caller's list, which is made anew where it must be; false: there is none. */
bool sk_verlet_find(const sk_collide_input *in, sk_haul *hauls, sk_arena *arena);

#endif
