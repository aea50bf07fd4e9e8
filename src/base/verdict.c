/* The words for what may be wrong with a step and for what follows an attempt. */
#include "base/base.h"

const char *skein_flaw_name(skein_flaw flaw)
{
  static const char *const names[SKEIN_FLAW_COUNT] = {"diverged", "woken",    "too fast", "missed",
                                                      "curved",   "too deep", "deep",     "unbalanced"};
  return (unsigned)flaw < SKEIN_FLAW_COUNT ? names[flaw] : "unknown";
}

const char *skein_action_name(skein_action action)
{
  static const char *const names[SKEIN_ACTION_COUNT] = {"accept",   "accept flawed", "wake",  "search further",
                                                        "solve on", "ask less",      "halve", "give up"};
  return (unsigned)action < SKEIN_ACTION_COUNT ? names[action] : "unknown";
}
