/* Threads that work together on one large island, job after job. Private to the friction room. */
#ifndef SK_TEAM_H
#define SK_TEAM_H

#include "sparse/sparse.h"

/* A piece of a job. */
typedef void (*sk_team_fn)(void *ctx, int piece);

typedef struct sk_team sk_team;

/* A team for the pieces of the order, which must outlive it; NULL: no memory. With one thread it needs no members. */
sk_team *sk_team_make(const sk_order *order, int threads, sk_arena *arena);
void sk_team_destroy(sk_team *t); /* NULL is fine */
/* A job that the team can be asked for; its number. staged: pieces wait for those before them, as the order says; else
 * they are independent. */
int sk_team_learn(sk_team *t, sk_team_fn fn, void *ctx, bool staged);
/* The leader: asks for a job, takes part in it and waits for its end. */
void sk_team_run(sk_team *t, int job);
/* Before the other members come, after they were dismissed. */
void sk_team_gather(sk_team *t);
/* The other members: what they do until the leader dismisses them. thread: 1 .. threads - 1. */
void sk_team_help(sk_team *t, int thread);
void sk_team_dismiss(sk_team *t);

#endif
