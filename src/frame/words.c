/* The words for what the front door lets one choose: solvers, by the names that scenes and the command line use; and
 * for what it says of a step. */
#include "frame/frame.h"

#include <skein/problem.h>
#include <string.h>

typedef struct word {
  const char *name, *about;
} word;

static const word methods[SKEIN_METHOD_COUNT] = {
    [SKEIN_AUTO] = {"auto", "gs, then what its progress asks for; the default"},
    [SKEIN_GS] = {"gs", "Gauss-Seidel over contacts with any local solver (Daviet et al. 2011)"},
    [SKEIN_NEWTON_AC] = {"newton-ac", "Newton on the Alart-Curnier function (Bertails-Descoubes et al. 2011)"},
    [SKEIN_NEWTON_MFB] = {"newton-mfb", "Newton on the Fischer-Burmeister function"},
    [SKEIN_ADMM] = {"admm", "alternating directions, one factorisation of W + rho"},
    [SKEIN_IPM] = {"ipm", "interior point with the exact law; for over-constrained problems"},
};

static const word locals[SKEIN_LOCAL_COUNT] = {
    [SKEIN_SECULAR] = {"secular", "scalar secular equation, bracketed; the default"},
    [SKEIN_MFB] = {"mfb", "Newton on the Fischer-Burmeister function (Daviet et al. 2011)"},
    [SKEIN_PAC] = {"pac", "pure Newton on the Alart-Curnier function"},
    [SKEIN_DAC] = {"dac", "damped Newton on the Alart-Curnier function"},
    [SKEIN_ENUM] = {"enum", "take-off, stick, slide by a quartic"},
    [SKEIN_DURIEZ06] = {"duriez06", "projection with a diagonal W; approximate"},
    [SKEIN_DURIEZ08] = {"duriez08", "projection repeated with the true residual"},
    [SKEIN_PYRAMID4] = {"pyramid4", "four-sided friction pyramid; approximate"},
};

static word get(const word *words, int count, unsigned k)
{
  return k < (unsigned)count ? words[k] : (word){"?", "?"};
}

static int find(const word *words, int count, const char *name)
{
  for (int k = 0; k < count; k++)
    if (!strcmp(name, words[k].name)) return k;
  return -1;
}

const char *skein_method_name(skein_method m)
{
  return get(methods, SKEIN_METHOD_COUNT, (unsigned)m).name;
}

const char *skein_method_about(skein_method m)
{
  return get(methods, SKEIN_METHOD_COUNT, (unsigned)m).about;
}

int skein_method_find(const char *name)
{
  return find(methods, SKEIN_METHOD_COUNT, name);
}

const char *skein_local_name(skein_local l)
{
  return get(locals, SKEIN_LOCAL_COUNT, (unsigned)l).name;
}

const char *skein_local_about(skein_local l)
{
  return get(locals, SKEIN_LOCAL_COUNT, (unsigned)l).about;
}

int skein_local_find(const char *name)
{
  return find(locals, SKEIN_LOCAL_COUNT, name);
}

/* ---- Steps ---- */

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
