/* Arena: memory of one piece of work, released at once. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { line = 64, smallest = 4 * 1024, largest = 1024 * 1024 }; /* bytes of a chunk; each is twice the last */
enum { page = 2 * 1024 * 1024 };                                /* a large one of the system */

struct sk_arena_chunk {
  alignas(line) sk_arena_chunk *previous;
  size_t used, size; /* bytes after this header */
};

/* A chunk with that much room; a large one on large pages where the system has them: what is read here and there all
 * over it is found without walking through tables. NULL: no memory. */
static sk_arena_chunk *chunk_create(size_t room)
{
  size_t size = sizeof(sk_arena_chunk) + room, even = (size + page - 1) / page * page;
  bool large = room >= 2 * (size_t)page;
  sk_arena_chunk *c = large ? aligned_alloc(page, even) : aligned_alloc(line, size);
#if defined(MADV_HUGEPAGE)
  if (large && c) madvise(c, even, MADV_HUGEPAGE); /* a wish */
#endif
  if (c) *c = (sk_arena_chunk){.size = room};
  return c;
}

void *sk_arena_alloc_raw(sk_arena *a, size_t count, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) return a->failed = true, NULL;
  bytes = (bytes + line) / line * line; /* never zero: every array has its own address */
  if (!a->last || a->last->size - a->last->used < bytes) {
    size_t grown = a->last ? SK_MIN(2 * a->last->size, (size_t)largest) : (size_t)smallest;
    size_t room = SK_MAX(bytes, SK_MAX(grown, a->ahead));
    sk_arena_chunk *c = chunk_create(room);
    if (!c && room > bytes) c = chunk_create(bytes);
    if (!c) return a->failed = true, NULL;
    a->ahead = 0, c->previous = a->last, a->last = c;
  }
  void *memory = (char *)(a->last + 1) + a->last->used;
  a->last->used += bytes;
  return memory;
}

void *sk_arena_alloc(sk_arena *a, size_t count, size_t size)
{
  void *memory = sk_arena_alloc_raw(a, count, size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

void sk_arena_free(sk_arena *a)
{
  while (a->last) {
    sk_arena_chunk *c = a->last;
    a->last = c->previous;
    free(c);
  }
  a->failed = false, a->ahead = 0;
}

/* Work that is done again and again ends up in one chunk that holds it all, and asks the system for nothing; a chunk of
 * usual size is kept for smaller work, too. Not where
 * addresses are checked: arrays side by side in a chunk have no fences. */
void sk_arena_reset(sk_arena *a)
{
  size_t total = 0;
  for (const sk_arena_chunk *c = a->last; c; c = c->previous) total += c->used;
  bool fits = a->last && !a->last->previous && (a->last->size <= largest || a->last->size / 8 <= total);
#if defined(__SANITIZE_ADDRESS__)
  fits = false, total = 0;
#endif
  if (fits) {
    a->last->used = 0;
  } else {
    sk_arena_free(a);
    a->ahead = (total + total / 8) / line * line;
  }
  a->failed = false;
}

void *sk_calloc(size_t count, size_t size)
{
  return calloc(count ? count : 1, size ? size : 1);
}
