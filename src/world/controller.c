/* What follows an attempt at a step: one table, read from the top; the first row that holds decides. Curved, too deep
 * and deep are found in what was accepted (the judge) and only reported, until the motion is rebuilt; but an overlap
 * that grows is halved for as long as that helps, and a rod that push-out or arcs have thrown is asked for less. */
#include "world/world.h"

typedef struct row {
  skein_flaw flaw;
  bool asks;             /* it holds only while the problem asks for what there need not be */
  int most;              /* how often `first` may be done in a step; 0: as often as attempts last */
  skein_action first;    /* what is done, */
  skein_action then;     /* when that is used up, */
  skein_action shortest; /* the same where the step cannot be shorter, */
  skein_action settling; /* and before t = 0 */
} row;

static const row table[] = {
    {SKEIN_FLAW_DIVERGED, false, 0, SKEIN_HALVE, SKEIN_HALVE, SKEIN_GIVE_UP, SKEIN_HALVE},
    {SKEIN_FLAW_WOKEN, false, 0, SKEIN_WAKE, SKEIN_WAKE, SKEIN_WAKE, SKEIN_WAKE},
    {SKEIN_FLAW_TOO_FAST, false, SK_SEARCHES, SKEIN_SEARCH_FURTHER, SKEIN_HALVE, SKEIN_ACCEPT_FLAWED,
     SKEIN_ACCEPT_FLAWED},
    {SKEIN_FLAW_UNBALANCED, true, 0, SKEIN_ASK_LESS, SKEIN_ASK_LESS, SKEIN_ASK_LESS, SKEIN_ACCEPT_FLAWED},
    {SKEIN_FLAW_TOO_DEEP, false, 0, SKEIN_HALVE, SKEIN_HALVE, SKEIN_ACCEPT_FLAWED, SKEIN_ACCEPT_FLAWED},
    {SKEIN_FLAW_MISSED, true, 0, SKEIN_ASK_LESS, SKEIN_ASK_LESS, SKEIN_ASK_LESS, SKEIN_ACCEPT_FLAWED},
    {SKEIN_FLAW_MISSED, false, 0, SKEIN_HALVE, SKEIN_HALVE, SKEIN_ACCEPT_FLAWED, SKEIN_ACCEPT_FLAWED}};

static bool holds(const row *r, const sk_outcome *o)
{
  return (o->flaws & 1u << r->flaw) && (!r->asks || o->asks);
}

/* The action of a row: what needs no shorter step may be done at any length, while it is not used up. The last attempt
 * is accepted if there is one: where something slept that was touched nothing was moved (and all is awake in the last
 * attempt, so that this does not come up). */
static skein_action action_of(const row *r, const sk_plan *p)
{
  bool shortest = p->dt <= p->shortest * (1 + 1e-9), last = p->number >= SKEIN_ATTEMPTS - 1;
  bool used_up = r->most > 0 && p->searches >= r->most;
  skein_action action = p->settles ? r->settling : used_up ? r->then : r->first;
  if (last || (shortest && action == SKEIN_HALVE)) action = r->shortest;
  if (last && action == SKEIN_WAKE) return SKEIN_GIVE_UP;
  return last && action != SKEIN_GIVE_UP ? SKEIN_ACCEPT_FLAWED : action;
}

skein_action sk_decide(const sk_plan *plan, const sk_outcome *outcome)
{
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (holds(table + k, outcome)) return action_of(table + k, plan);
  return SKEIN_ACCEPT;
}
