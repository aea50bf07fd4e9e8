/* Greedy colouring: contacts in order, each gets the first colour that none of its keys has. The colours that a key has
 * are bits; when 64 are not enough a second word is used, and so on. */
#include "sparse/sparse.h"

#include <string.h>

enum { words = 16, most = 64 * words };

static int first_free(const uint64_t *used, const int *key, int64_t keys)
{
  for (int w = 0; w < words; w++) {
    uint64_t taken = 0;
    for (int64_t k = 0; k < keys; k++) taken |= used[(size_t)key[k] * words + (size_t)w];
    if (~taken) return 64 * w + __builtin_ctzll(~taken);
  }
  return -1;
}

int sk_colour(const int *rows, int n, const int64_t *start, const int *key, int keys, bool edges, sk_arena *arena,
              int *order, int **colour_start)
{
  uint64_t *used = SK_NEW(arena, (size_t)keys * words, uint64_t);
  int *colour = SK_NEW(arena, n, int), *first = SK_NEW(arena, most + n + 2, int), colours = 0;
  if (arena->failed) return -1;
  for (int i = 0; i < n; i++) {
    const int *own = key + start[rows[i]];
    int64_t count = start[rows[i] + 1] - start[rows[i]];
    int c = first_free(used, own, count);
    if (c < 0) c = most + i; /* out of colours: one of its own, alone */
    if (edges) own = rows + i, count = 1;
    for (int64_t k = 0; c < most && k < count; k++)
      used[(size_t)own[k] * words + (size_t)(c / 64)] |= (uint64_t)1 << (c % 64);
    colour[i] = c;
  }
  for (int i = 0; i < n; i++) first[colour[i] + 1]++;
  int at = 0; /* squeeze out the empty colours */
  for (int c = 0; c < most + n; c++) {
    int count = first[c + 1];
    first[c] = at, at += count;
  }
  for (int i = 0; i < n; i++) order[first[colour[i]]++] = rows[i];
  for (int c = 0, last = 0; c < most + n; c++) /* first[c] is now the end of colour c */
    if (first[c] > last) last = first[c], first[colours++] = last;
  memmove(first + 1, first, (size_t)colours * sizeof *first);
  first[0] = 0;
  *colour_start = first;
  return colours;
}
