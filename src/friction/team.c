/* A member does the pieces of its own part of the island first, the same ones in every job: what it wrote is still in
 * its cache, and reading what another core wrote costs more than computing it. Then it helps with what is left of the
 * stage. Progress hangs on work that is done and not on threads that arrive: when another program holds a core, the
 * threads that run go on without the one that waits for it. The team stays for the whole solve; its members spin for a
 * moment and then sleep until the next job. */
#include "friction/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { JOBS = 8 };

typedef struct job {
  sk_team_fn fn;
  void *ctx;
  bool staged;
} job;

struct sk_team {
  const sk_order *order;
  int threads, jobs;
  job job[JOBS];
  atomic_long *taken; /* the last call in which the piece was taken */
  atomic_long asked;  /* JOBS times the number of the call, and which job it asks for */
  atomic_long done;   /* pieces done, over all calls */
  atomic_int sleeping;
  atomic_bool quit;
  pthread_mutex_t lock;
  pthread_cond_t work;
};

sk_team *sk_team_make(const sk_order *order, int threads, sk_arena *arena)
{
  sk_team *t = SK_NEW(arena, 1, sk_team);
  atomic_long *taken = SK_NEW(arena, order->pieces, atomic_long);
  if (arena->failed) return NULL;
  t->order = order, t->threads = threads, t->taken = taken;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->work, NULL);
  return t;
}

void sk_team_destroy(sk_team *t)
{
  if (!t) return;
  pthread_mutex_destroy(&t->lock);
  pthread_cond_destroy(&t->work);
}

int sk_team_learn(sk_team *t, sk_team_fn fn, void *ctx, bool staged)
{
  t->job[t->jobs] = (job){fn, ctx, staged};
  return t->jobs++;
}

static inline void cpu_pause(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void wait_for(sk_team *t, long pieces)
{
  for (int waits = 1; atomic_load(&t->done) < pieces; waits++) {
    cpu_pause();
    if (waits % 1024 == 0) sched_yield();
  }
}

/* Does piece q in that call, unless another thread has taken it. */
static void try_piece(sk_team *t, const job *j, int q, long call)
{
  long last = call - 1;
  if (!atomic_compare_exchange_strong(&t->taken[q], &last, call)) return;
  j->fn(j->ctx, q);
  atomic_fetch_add(&t->done, 1);
}

/* What one thread does of a call. */
static void take_part(sk_team *t, int thread, long asked)
{
  const sk_order *o = t->order;
  const job *j = t->job + asked % JOBS;
  long call = asked / JOBS;
  for (int first = 0, end = 0; first < o->pieces; first = end) {
    if (j->staged) wait_for(t, (call - 1) * o->pieces + first);
    while (end < o->pieces && (!j->staged || o->before[end] == o->before[first])) end++;
    for (int q = first; q < end; q++)
      if ((int)(o->home[q] * t->threads) == thread) try_piece(t, j, q, call);
    for (int q = end - 1; q >= first; q--)
      if ((int)(o->home[q] * t->threads) != thread) try_piece(t, j, q, call);
  }
}

static void wake(sk_team *t)
{
  if (!atomic_load(&t->sleeping)) return;
  pthread_mutex_lock(&t->lock);
  pthread_cond_broadcast(&t->work);
  pthread_mutex_unlock(&t->lock);
}

static bool idle(sk_team *t, long last)
{
  return atomic_load(&t->asked) == last && !atomic_load(&t->quit);
}

void sk_team_help(sk_team *t, int thread)
{
  enum { spins = 20000 };
  for (long last = 0; !atomic_load(&t->quit);) {
    for (int k = 0; k < spins && idle(t, last); k++) cpu_pause();
    if (idle(t, last)) {
      pthread_mutex_lock(&t->lock);
      atomic_fetch_add(&t->sleeping, 1);
      while (idle(t, last)) pthread_cond_wait(&t->work, &t->lock);
      atomic_fetch_sub(&t->sleeping, 1);
      pthread_mutex_unlock(&t->lock);
    }
    long asked = atomic_load(&t->asked);
    if (asked != last) take_part(t, thread, last = asked);
  }
}

void sk_team_gather(sk_team *t)
{
  atomic_store(&t->quit, false);
}

void sk_team_dismiss(sk_team *t)
{
  atomic_store(&t->quit, true);
  wake(t);
}

void sk_team_run(sk_team *t, int number)
{
  const job *j = t->job + number;
  if (t->threads == 1) {
    for (int q = 0; q < t->order->pieces; q++) j->fn(j->ctx, q);
    return;
  }
  long call = atomic_load(&t->asked) / JOBS + 1, asked = call * JOBS + number;
  atomic_store(&t->asked, asked);
  wake(t);
  take_part(t, 0, asked);
  wait_for(t, call * t->order->pieces);
}
