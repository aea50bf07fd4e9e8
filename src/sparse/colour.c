/* Greedy colouring: contacts in order, each gets the first colour that none of its neighbours has. The colours of a
 * contact's neighbours are bits; when 64 are not enough a second word is used, and so on. */
#include "sparse/sparse.h"

enum { words = 16, most = 64 * words, piece = 16 };

static int first_free(const uint64_t *used, const int *key, int64_t keys)
{
  for (int w = 0; w < words; w++) {
    uint64_t taken = 0;
    for (int64_t k = 0; k < keys; k++) taken |= used[(size_t)key[k] * words + (size_t)w];
    if (~taken) return 64 * w + __builtin_ctzll(~taken);
  }
  return -1;
}

/* The colour of each contact; from `most` on: alone in it. */
static void find_colours(const int *rows, int n, const int64_t *start, const int *key, uint64_t *used, int *colour)
{
  for (int i = 0; i < n; i++) {
    int c = first_free(used, key + start[rows[i]], start[rows[i] + 1] - start[rows[i]]);
    colour[i] = c < 0 ? (int)most + i : c;
    if (c >= 0) used[(size_t)rows[i] * words + (size_t)(c / 64)] |= (uint64_t)1 << (c % 64);
  }
}

bool sk_colour_order(const int *rows, int n, const int64_t *start, const int *key, int keys, sk_arena *arena,
                     int *order, sk_order *out)
{
  uint64_t *used = SK_NEW(arena, (size_t)keys * words, uint64_t);
  int *colour = SK_NEW(arena, n, int), *first = SK_NEW(arena, most + n + 1, int), room = n / piece + most + n + 1;
  out->start = SK_NEW(arena, room + 1, int), out->before = SK_NEW(arena, room, int);
  out->home = SK_NEW(arena, room, double), out->pieces = 0;
  if (arena->failed) return false;
  find_colours(rows, n, start, key, used, colour);
  for (int i = 0; i < n; i++) first[colour[i] + 1]++;
  for (int c = 0; c < most + n; c++) {
    int end = first[c] + first[c + 1], before = out->pieces;
    for (int i = first[c]; i < end; i += piece, out->pieces++) {
      out->start[out->pieces] = i, out->before[out->pieces] = before;
      out->home[out->pieces] = (i - first[c]) / (double)(end - first[c]);
    }
    first[c + 1] = end;
  }
  out->start[out->pieces] = n;
  for (int i = 0; i < n; i++) order[first[colour[i]]++] = rows[i];
  return true;
}
