/* The order of a sweep for several threads, by blocks of objects that lie together.
 *
 * The objects are cut in two along the walk (breadth first) from one end of the graph of who touches whom to the other,
 * the halves again, and so on. First come the contacts inside of blocks, a piece for each block, all independent; then
 * those between two blocks, a piece for each pair: pairs that share no block have one colour (greedily, large ones
 * first) and are independent. So a sweep waits for other threads about ten times, and not once for each contact of the
 * rod that has the most, as it would if contacts were coloured one by one; and a thread finds the objects of its block
 * in its cache. */
#include "sparse/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { contacts_per_block = 400, most_blocks = 64, colour_words = 2 };

typedef struct graph {
  int n;           /* objects */
  int *id;         /* key -> object, or -1 */
  int *start, *to; /* neighbours, once for each contact */
  int *weight;     /* contacts */
  int *block, *mark, *queue, *list;
  int stamp;
} graph;

/* A piece of the sweep: contacts inside of block a = b, between a < b, or (a = -1) of three blocks and more. */
typedef struct piece {
  int a, b, size, colour;
} piece;

/* ---- The graph ---- */

static bool make_graph(const int *rows, int n, const int64_t *start, const int *key, int keys, sk_arena *arena,
                       graph *g)
{
  g->id = SK_NEW_RAW(arena, keys, int);
  if (arena->failed) return false;
  for (int k = 0; k < keys; k++) g->id[k] = -1;
  for (int i = 0; i < n; i++)
    for (int64_t k = start[rows[i]]; k < start[rows[i] + 1]; k++)
      if (g->id[key[k]] < 0) g->id[key[k]] = g->n++;
  g->start = SK_NEW(arena, g->n + 2, int), g->weight = SK_NEW(arena, g->n, int);
  g->block = SK_NEW(arena, g->n, int), g->mark = SK_NEW(arena, g->n, int);
  g->queue = SK_NEW_RAW(arena, g->n, int), g->list = SK_NEW_RAW(arena, g->n, int);
  if (arena->failed) return false;
  int64_t edges = 0;
  for (int i = 0; i < n; i++) {
    int64_t first = start[rows[i]], end = start[rows[i] + 1];
    for (int64_t k = first; k < end; k++) g->weight[g->id[key[k]]]++;
    for (int64_t k = first + 1; k < end; k++)
      g->start[g->id[key[first]] + 2]++, g->start[g->id[key[k]] + 2]++, edges += 2;
  }
  g->to = SK_NEW_RAW(arena, edges, int);
  if (arena->failed) return false;
  for (int k = 0; k < g->n; k++) g->start[k + 2] += g->start[k + 1];
  for (int i = 0; i < n; i++) {
    int64_t first = start[rows[i]], end = start[rows[i] + 1];
    for (int64_t k = first + 1; k < end; k++) {
      int a = g->id[key[first]], b = g->id[key[k]];
      g->to[g->start[a + 1]++] = b, g->to[g->start[b + 1]++] = a;
    }
  }
  return true;
}

/* ---- Blocks ---- */

/* The n objects of the list, all of one block, breadth first from `from`, into the queue. */
static void walk(graph *g, const int *list, int n, int from)
{
  int head = 0, tail = 0, next = 0, stamp = ++g->stamp;
  g->mark[from] = stamp, g->queue[tail++] = from;
  while (tail < n || head < tail) {
    if (head == tail) { /* what is left hangs together with nothing so far */
      while (g->mark[list[next]] == stamp) next++;
      g->mark[list[next]] = stamp, g->queue[tail++] = list[next];
    }
    int at = g->queue[head++];
    for (int k = g->start[at]; k < g->start[at + 1]; k++) {
      int to = g->to[k];
      if (g->block[to] != g->block[at] || g->mark[to] == stamp) continue;
      g->mark[to] = stamp, g->queue[tail++] = to;
    }
  }
}

/* Cuts the objects of the list, which are block `first`, into `count` blocks (a power of two): first, first + 1, ... */
static void cut(graph *g, int *list, int n, int first, int count)
{
  if (count == 1 || n < 2) return;
  walk(g, list, n, list[0]);
  walk(g, list, n, g->queue[n - 1]); /* from one end to the other */
  memcpy(list, g->queue, (size_t)n * sizeof *list);
  int64_t all = 0, so_far = 0;
  for (int k = 0; k < n; k++) all += g->weight[list[k]];
  int half = 0;
  while (half < n && 2 * so_far < all) so_far += g->weight[list[half++]];
  for (int k = half; k < n; k++) g->block[list[k]] = first + count / 2;
  cut(g, list, half, first, count / 2);
  cut(g, list + half, n - half, first + count / 2, count / 2);
}

static int count_blocks(int contacts)
{
  int blocks = 1;
  while (blocks < most_blocks && blocks * (int)contacts_per_block < contacts) blocks *= 2;
  return blocks;
}

/* ---- Pieces ---- */

/* The slot of a contact in the table of pairs of blocks: b + a blocks, a <= b; the last one: of three and more. */
static int slot_of(const graph *g, const int *key, int64_t count, int blocks)
{
  int a = blocks, b = -1;
  for (int64_t k = 0; k < count; k++) {
    int own = g->block[g->id[key[k]]];
    a = SK_MIN(a, own), b = SK_MAX(b, own);
  }
  for (int64_t k = 0; k < count; k++) {
    int own = g->block[g->id[key[k]]];
    if (own != a && own != b) return blocks * blocks;
  }
  return count ? b + a * blocks : 0;
}

static int compare_pieces(const void *x, const void *y)
{
  const piece *p = x, *q = y;
  if (p->colour != q->colour) return p->colour < q->colour ? -1 : 1;
  if (p->size != q->size) return p->size > q->size ? -1 : 1;
  return p->a != q->a ? (p->a < q->a ? -1 : 1) : (p->b > q->b) - (p->b < q->b);
}

/* Colour 0: inside of blocks; then pairs of blocks; what has more of them, last. */
static void colour_pieces(piece *p, int count)
{
  uint64_t used[most_blocks][colour_words] = {{0}};
  for (int k = 0; k < count; k++) p[k].colour = p[k].a < 0 ? 2 : p[k].a != p[k].b;
  qsort(p, (size_t)count, sizeof *p, compare_pieces);
  for (int k = 0; k < count; k++) {
    if (p[k].colour == 2) p[k].colour = 64 * colour_words + 1;
    if (p[k].colour != 1) continue;
    for (int w = 0; w < colour_words; w++) { /* two blocks have less than 2 most_blocks neighbours: one is free */
      uint64_t taken = used[p[k].a][w] | used[p[k].b][w];
      if (!~taken) continue;
      int bit = __builtin_ctzll(~taken);
      used[p[k].a][w] |= (uint64_t)1 << bit, used[p[k].b][w] |= (uint64_t)1 << bit;
      p[k].colour = 1 + 64 * w + bit;
      break;
    }
  }
  qsort(p, (size_t)count, sizeof *p, compare_pieces);
}

/* The pieces that have contacts, in order. */
static int list_pieces(const int *size, int blocks, piece *p)
{
  int count = 0;
  for (int slot = 0; slot <= blocks * blocks; slot++) {
    if (!size[slot]) continue;
    bool many = slot == blocks * blocks;
    p[count++] = (piece){many ? -1 : slot / blocks, many ? -1 : slot % blocks, size[slot], 0};
  }
  colour_pieces(p, count);
  return count;
}

bool sk_block_order(const int *rows, int n, const int64_t *start, const int *key, int keys, sk_arena *arena, int *order,
                    sk_order *out)
{
  graph g = {0};
  int blocks = count_blocks(n), slots = blocks * blocks + 1;
  if (!make_graph(rows, n, start, key, keys, arena, &g)) return false;
  int *slot = SK_NEW_RAW(arena, n, int), *at = SK_NEW(arena, slots, int);
  piece *pieces = SK_NEW_RAW(arena, slots, piece);
  if (arena->failed) return false;
  for (int k = 0; k < g.n; k++) g.list[k] = k;
  cut(&g, g.list, g.n, 0, blocks);
  for (int i = 0; i < n; i++) {
    slot[i] = slot_of(&g, key + start[rows[i]], start[rows[i] + 1] - start[rows[i]], blocks);
    at[slot[i]]++;
  }
  out->pieces = list_pieces(at, blocks, pieces);
  out->start = SK_NEW(arena, out->pieces + 1, int), out->before = SK_NEW(arena, out->pieces, int);
  out->home = SK_NEW(arena, out->pieces, double);
  if (arena->failed) return false;
  for (int q = 0; q < out->pieces; q++) {
    out->start[q + 1] = out->start[q] + pieces[q].size;
    out->before[q] = q && pieces[q].colour == pieces[q - 1].colour ? out->before[q - 1] : q;
    out->home[q] = fmax(0, (pieces[q].a + pieces[q].b) % 2 ? pieces[q].b : pieces[q].a) / blocks;
    at[pieces[q].a < 0 ? slots - 1 : pieces[q].b + pieces[q].a * blocks] = out->start[q];
  }
  for (int i = 0; i < n; i++) order[at[slot[i]]++] = rows[i];
  return true;
}
