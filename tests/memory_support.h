/* A malloc that fails at call k: `calls_left` says how many calls still succeed. For the one source file of a test that
 * is linked with --wrap for malloc, calloc, realloc and aligned_alloc. */
#ifndef SK_MEMORY_SUPPORT_H
#define SK_MEMORY_SUPPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static atomic_int calls_left = -1; /* calls that still succeed; negative: all do */

static bool fails(void)
{
  return atomic_load(&calls_left) >= 0 && atomic_fetch_sub(&calls_left, 1) == 0;
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
  return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

#endif
