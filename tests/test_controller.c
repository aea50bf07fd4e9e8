/* The table of the controller: planted outcomes walk every row, at every place of a step. */
#include "support.h"
#include "world/world.h"

static const unsigned bit[SKEIN_FLAW_COUNT] = {1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7};

static skein_action decide(unsigned flaws, bool asks, sk_plan plan)
{
  sk_outcome o = {.flaws = flaws, .asks = asks};
  if (flaws & bit[SKEIN_FLAW_DIVERGED]) o.status = sk_fail(SKEIN_BAD_INPUT, "planted");
  return sk_decide(&plan, &o);
}

/* A plan in the middle of a step, at its shortest length, at the last attempt, before t = 0. */
static const sk_plan middle = {.dt = 1e-3, .shortest = 1e-4}, shortest = {.dt = 1e-4, .shortest = 1e-4},
                     last = {.dt = 1e-3, .shortest = 1e-4, .number = SKEIN_ATTEMPTS - 1},
                     settling = {.dt = 1e-3, .shortest = 1e-4, .settles = true};

typedef struct expected {
  skein_flaw flaw;
  bool asks;
  skein_action middle, shortest, last, settling;
} expected;

static void every_row(void **state)
{
  (void)state;
  static const expected rows[] = {
      {SKEIN_FLAW_DIVERGED, false, SKEIN_HALVE, SKEIN_GIVE_UP, SKEIN_GIVE_UP, SKEIN_HALVE},
      {SKEIN_FLAW_WOKEN, false, SKEIN_WAKE, SKEIN_WAKE, SKEIN_GIVE_UP, SKEIN_WAKE},
      {SKEIN_FLAW_TOO_FAST, false, SKEIN_SEARCH_FURTHER, SKEIN_SEARCH_FURTHER, SKEIN_ACCEPT_FLAWED,
       SKEIN_ACCEPT_FLAWED},
      {SKEIN_FLAW_UNBALANCED, true, SKEIN_ASK_LESS, SKEIN_ASK_LESS, SKEIN_ACCEPT_FLAWED, SKEIN_ACCEPT_FLAWED},
      {SKEIN_FLAW_UNBALANCED, false, SKEIN_ACCEPT, SKEIN_ACCEPT, SKEIN_ACCEPT, SKEIN_ACCEPT},
      {SKEIN_FLAW_TOO_DEEP, false, SKEIN_HALVE, SKEIN_ACCEPT_FLAWED, SKEIN_ACCEPT_FLAWED, SKEIN_ACCEPT_FLAWED},
      {SKEIN_FLAW_MISSED, true, SKEIN_ASK_LESS, SKEIN_ASK_LESS, SKEIN_ACCEPT_FLAWED, SKEIN_ACCEPT_FLAWED},
      {SKEIN_FLAW_MISSED, false, SKEIN_HALVE, SKEIN_ACCEPT_FLAWED, SKEIN_ACCEPT_FLAWED, SKEIN_ACCEPT_FLAWED},
      {SKEIN_FLAW_CURVED, false, SKEIN_ACCEPT, SKEIN_ACCEPT, SKEIN_ACCEPT, SKEIN_ACCEPT},
      {SKEIN_FLAW_DEEP, false, SKEIN_ACCEPT, SKEIN_ACCEPT, SKEIN_ACCEPT, SKEIN_ACCEPT}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const expected *e = rows + k;
    assert_int_equal(decide(bit[e->flaw], e->asks, middle), e->middle);
    assert_int_equal(decide(bit[e->flaw], e->asks, shortest), e->shortest);
    assert_int_equal(decide(bit[e->flaw], e->asks, last), e->last);
    assert_int_equal(decide(bit[e->flaw], e->asks, settling), e->settling);
  }
  assert_int_equal(decide(0, true, middle), SKEIN_ACCEPT);
}

static void the_first_row_decides(void **state)
{
  (void)state;
  unsigned all = bit[SKEIN_FLAW_TOO_FAST] | bit[SKEIN_FLAW_MISSED] | bit[SKEIN_FLAW_TOO_DEEP];
  assert_int_equal(decide(all | bit[SKEIN_FLAW_DIVERGED], false, middle), SKEIN_HALVE);
  assert_int_equal(decide(all | bit[SKEIN_FLAW_WOKEN], false, middle), SKEIN_WAKE);
  assert_int_equal(decide(all, false, middle), SKEIN_SEARCH_FURTHER);
  assert_int_equal(decide(all & ~bit[SKEIN_FLAW_TOO_FAST], false, middle), SKEIN_HALVE);
}

static void searches_are_used_up(void **state)
{
  (void)state;
  sk_plan plan = middle;
  plan.searches = SK_SEARCHES;
  assert_int_equal(decide(bit[SKEIN_FLAW_TOO_FAST], false, plan), SKEIN_HALVE);
  plan.dt = plan.shortest;
  assert_int_equal(decide(bit[SKEIN_FLAW_TOO_FAST], false, plan), SKEIN_ACCEPT_FLAWED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_row), cmocka_unit_test(the_first_row_decides),
                                     cmocka_unit_test(searches_are_used_up)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
