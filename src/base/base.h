/* Ground floor: status, memory, clock, random numbers. No physics. */
#ifndef SK_BASE_H
#define SK_BASE_H

#include <skein/base.h>
#include <stdalign.h>

#define SK_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SK_MAX(a, b) ((a) > (b) ? (a) : (b))

/* ---- status.c ---- */
static inline skein_status sk_ok(void)
{
  return (skein_status){.code = SKEIN_OK, .message = ""};
}
__attribute__((format(printf, 2, 3))) skein_status sk_fail(skein_code code, const char *format, ...);
skein_status sk_no_memory(void);
/* Puts "prefix: " before the message of a failure. */
skein_status sk_status_prefix(skein_status s, const char *prefix);

/* ---- stop.c: whether the caller wants long work to end; one that said so keeps to it ---- */
typedef struct sk_stop {
  skein_stop by;
  bool said; /* read and written by all threads, as an atomic */
} sk_stop;

bool sk_stop_asked(sk_stop *s); /* NULL: nobody to ask */
skein_status sk_stopped(void);
/* s, or SKEIN_STOPPED where it is fine and the caller wants an end. */
skein_status sk_unless_stopped(skein_status s, sk_stop *stop);

/* ---- arena.c ----
 * All memory of one piece of work, released at once. A failed allocation returns NULL and is remembered in
 * `failed`, so that a group of allocations is checked once, before any of it is used. */
typedef struct sk_arena_chunk sk_arena_chunk;
typedef struct sk_arena {
  sk_arena_chunk *last;
  size_t ahead; /* bytes that the next chunk has at least: what the work took the last time */
  bool failed;
} sk_arena;

/* count * size bytes, zeroed, aligned to a cache line; NULL when memory is out or the product overflows. */
void *sk_arena_alloc(sk_arena *a, size_t count, size_t size);
/* The same, not zeroed: for arrays that are written before they are read. */
void *sk_arena_alloc_raw(sk_arena *a, size_t count, size_t size);
void sk_arena_free(sk_arena *a);
/* Forgets everything but keeps the largest chunk for the next piece of work. */
void sk_arena_reset(sk_arena *a);

#define SK_NEW(arena, count, type) ((type *)sk_arena_alloc((arena), (size_t)(count), sizeof(type)))
#define SK_NEW_RAW(arena, count, type) ((type *)sk_arena_alloc_raw((arena), (size_t)(count), sizeof(type)))

/* calloc that never returns NULL for zero sizes and refuses overflow: for arrays that a caller will own. */
void *sk_calloc(size_t count, size_t size);

/* ---- clock.c ---- */
double sk_seconds(void); /* monotonic */
double sk_memory(void);  /* MB: the most that the process has had */

/* ---- random.c: xoshiro256** (Blackman and Vigna 2018), the same numbers on every machine ---- */
typedef struct sk_random {
  uint64_t s[4];
} sk_random;

sk_random sk_random_make(uint64_t seed);
uint64_t sk_random_u64(sk_random *g);
double sk_random_uniform(sk_random *g, double lo, double hi);
double sk_random_normal(sk_random *g); /* Box-Muller */
int sk_random_int(sk_random *g, int below);

#endif
