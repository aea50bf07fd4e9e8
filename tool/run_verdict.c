/* What the steps of a run are worth, in words: which flaws, when, who, how often. */
#include "run.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const double made_most = 0.02, balance_most = 0.02; /* of the work; of an object's energy scale */

/* ---- Counting ---- */

unsigned run_flaws(const skein_step_info *step)
{
  if (step->verdict.flaws & SKEIN_FLAWS_UNKNOWN) return SKEIN_FLAWS_UNKNOWN;
  return step->verdict.flaws | (step->converged ? 0 : 1u << SKEIN_FLAW_MISSED);
}

bool run_step_flawed(const skein_step_info *step)
{
  return (run_flaws(step) & ~(unsigned)SKEIN_FLAWS_UNKNOWN) != 0;
}

/* How bad a flaw is, comparable between steps; not finite is the worst. */
static double badness(const skein_step_info *step, skein_flaw flaw)
{
  const skein_verdict *v = &step->verdict;
  const double size[SKEIN_FLAW_COUNT] = {[SKEIN_FLAW_DIVERGED] = v->balance.size,
                                         [SKEIN_FLAW_WOKEN] = 0,
                                         [SKEIN_FLAW_TOO_FAST] = v->reach.size,
                                         [SKEIN_FLAW_MISSED] = step->error,
                                         [SKEIN_FLAW_CURVED] = v->curved.size,
                                         [SKEIN_FLAW_TOO_DEEP] = v->overlap.size,
                                         [SKEIN_FLAW_DEEP] = v->overlap.size,
                                         [SKEIN_FLAW_UNBALANCED] = fmax(v->balance.size / balance_most, v->speed.size)};
  return isfinite(size[flaw]) ? size[flaw] : INFINITY;
}

static void count_flaws(run_verdict *v, const skein_step_info *steps, int k, unsigned flaws)
{
  for (int f = 0; f < SKEIN_FLAW_COUNT; f++) {
    run_flaw *flaw = &v->flaw[f];
    if (!(flaws >> f & 1)) continue;
    if (flaw->steps == 0) flaw->first = flaw->worst = k;
    else if (badness(&steps[k], f) > badness(&steps[flaw->worst], f)) flaw->worst = k;
    flaw->steps++, flaw->seconds += steps[k].dt;
  }
}

/* By the first flaw that holds: the order of the flaws is that in which they are answered. */
static void count_attempts(run_verdict *v, const skein_step_info *step)
{
  for (int k = 0; k < step->attempts && k < SKEIN_ATTEMPTS; k++) {
    const skein_attempt *a = &step->attempt[k];
    int reason = 0;
    while (reason < SKEIN_FLAW_COUNT && !(a->flaws >> reason & 1)) reason++;
    if ((unsigned)a->action < SKEIN_ACTION_COUNT) v->attempt[reason][a->action]++, v->attempts++;
  }
}

run_verdict run_judge(const skein_step_info *steps, int count)
{
  run_verdict v = {.steps = count, .first = -1, .crossed = -1};
  for (int k = 0; k < count; k++) {
    const skein_step_info *step = &steps[k];
    unsigned flaws = run_flaws(step);
    v.simulated += step->dt, v.missed += !step->converged;
    if (flaws & SKEIN_FLAWS_UNKNOWN) continue;
    v.judged++;
    v.made += step->verdict.made, v.turnover += step->verdict.turnover;
    count_attempts(&v, step);
    count_flaws(&v, steps, k, flaws);
    if (!(step->verdict.crossed.size <= 0)) { /* NaN is no number of crossings to rely on */
      if (v.crossed < 0) v.crossed = k;
      v.crossings += step->verdict.crossed.size;
    }
    if (flaws) v.flawed++, v.seconds += step->dt;
    if (flaws && v.first < 0) v.first = k;
  }
  return v;
}

bool run_made_much(const run_verdict *v)
{
  return !(v->made <= 0) && !(v->made < made_most * v->turnover);
}

bool run_flawed(const run_verdict *v)
{
  return v->flawed > 0 || v->crossed >= 0 || run_made_much(v);
}

bool run_within(const run_verdict *v)
{
  return v->judged == v->steps && !run_flawed(v);
}

/* ---- Words ---- */

static const char *name_in_run(const void *of, int rods, int object)
{
  return skein_run_name(of, rods, object);
}

run_names run_names_of(const skein_run *run)
{
  return (run_names){name_in_run, run};
}

void run_object(run_names names, int rods, int object, char text[RUN_NAME])
{
  const char *name = object >= 0 ? names.find(names.of, rods, object) : NULL;
  if (name) snprintf(text, RUN_NAME, "%.80s", name);
  else if (object < 0) text[0] = 0;
  else if (object < rods) snprintf(text, RUN_NAME, "rod %d", object);
  else snprintf(text, RUN_NAME, "body %d", object - rods);
}

void run_count(double n, char text[32])
{
  char digits[32];
  int length = snprintf(digits, sizeof digits, "%.0f", n), at = 0;
  for (int k = 0; k < length && at < 30; k++) {
    text[at++] = digits[k];
    if (digits[k] >= '0' && digits[k] <= '9' && k + 1 < length && (length - k - 1) % 3 == 0) text[at++] = ',';
  }
  text[at] = 0;
}

static void write_percent(double share, char text[32])
{
  double percent = 100 * share;
  snprintf(text, 32, percent > 0 && percent < 10 ? "%.2g %%" : "%.0f %%", percent);
}

/* "1.3 collision radii", "1 collision radius"; two bodies have a fiftieth of the smaller one for a radius. */
static void write_length(double size, bool bodies, char text[64])
{
  char number[32];
  snprintf(number, sizeof number, size >= 100 ? "%.0f" : "%.2g", bodies ? 2 * size : size);
  if (!isfinite(size)) snprintf(text, 64, "not finite");
  else if (bodies) snprintf(text, 64, "%s %% of the smaller body", number);
  else snprintf(text, 64, "%s collision %s", number, strcmp(number, "1") ? "radii" : "radius");
}

/* "1.3 collision radii, hair[3] in hair[5]" */
static void describe_length(run_names names, const skein_step_info *step, skein_finding found, const char *beside,
                            const char *between, char text[RUN_TEXT])
{
  char a[RUN_NAME], b[RUN_NAME], length[64];
  run_object(names, step->rods, found.a, a), run_object(names, step->rods, found.b, b);
  write_length(found.size, found.a >= step->rods && found.b >= step->rods, length);
  snprintf(text, RUN_TEXT, "%s%s%s%s%s%s%s", length, beside, a[0] ? ", " : "", a, b[0] ? " " : "", b[0] ? between : "",
           b[0] ? " " : "");
  size_t used = strlen(text);
  if (b[0]) snprintf(text + used, RUN_TEXT - used, "%s", b);
}

/* "3.1 times the way that was searched, hair[3]" */
static void describe_ratio(run_names names, const skein_step_info *step, skein_finding found, const char *what,
                           char text[RUN_TEXT])
{
  char a[RUN_NAME];
  run_object(names, step->rods, found.a, a);
  if (!isfinite(found.size)) snprintf(text, RUN_TEXT, "not finite%s%s", a[0] ? ", " : "", a);
  else
    snprintf(text, RUN_TEXT, found.size >= 100 ? "%.0f times %s%s%s" : "%.2g times %s%s%s", found.size, what,
             a[0] ? ", " : "", a);
}

/* What makes a step too deep: a crossing without an overlap to speak of; or another pair than that of the largest
 * overlap, which did not grow. */
static bool is_crossing(const skein_verdict *v)
{
  return v->crossed.size > 0 && !(v->overlap.size > 0.25);
}

static bool is_elsewhere(const skein_verdict *v)
{
  return !(v->crossed.size > 0) && v->deeper.size > 0 && (v->deeper.a != v->overlap.a || v->deeper.b != v->overlap.b);
}

skein_finding run_finding(const skein_step_info *step, skein_flaw flaw)
{
  const skein_verdict *v = &step->verdict;
  switch (flaw) {
  case SKEIN_FLAW_DIVERGED:
    return v->balance;
  case SKEIN_FLAW_TOO_FAST:
    return v->reach;
  case SKEIN_FLAW_CURVED:
    return v->curved;
  case SKEIN_FLAW_TOO_DEEP:
    return is_crossing(v) ? v->crossed : is_elsewhere(v) ? v->deeper : v->overlap;
  case SKEIN_FLAW_DEEP:
    return v->overlap;
  case SKEIN_FLAW_UNBALANCED:
    return v->speed.size > v->balance.size / balance_most ? v->speed : v->balance;
  default:
    return (skein_finding){step->error, -1, -1};
  }
}

static void describe_crossing(run_names names, const skein_step_info *step, char text[RUN_TEXT])
{
  char a[RUN_NAME], b[RUN_NAME];
  run_object(names, step->rods, step->verdict.crossed.a, a), run_object(names, step->rods, step->verdict.crossed.b, b);
  snprintf(text, RUN_TEXT, "%s through %s", a, b);
}

void run_describe(run_names names, const skein_step_info *step, skein_flaw flaw, char text[RUN_TEXT])
{
  skein_finding found = run_finding(step, flaw);
  const skein_verdict *v = &step->verdict;
  bool fast = flaw == SKEIN_FLAW_UNBALANCED && v->speed.size > v->balance.size / balance_most;
  text[0] = 0;
  if (flaw == SKEIN_FLAW_TOO_DEEP && is_crossing(v)) describe_crossing(names, step, text);
  else if (flaw == SKEIN_FLAW_TOO_DEEP && is_elsewhere(v)) describe_length(names, step, found, " deeper", "in", text);
  else if (flaw == SKEIN_FLAW_DIVERGED && found.size <= 1) snprintf(text, RUN_TEXT, "not finite");
  else if (flaw == SKEIN_FLAW_TOO_FAST && found.size <= 1) run_object(names, step->rods, found.a, text);
  else if (flaw == SKEIN_FLAW_TOO_FAST) describe_ratio(names, step, found, "the way that was searched", text);
  else if (fast) describe_ratio(names, step, found, "the bound of its speed", text);
  else if (flaw == SKEIN_FLAW_DIVERGED || flaw == SKEIN_FLAW_UNBALANCED)
    describe_ratio(names, step, found, "its energy from nothing", text);
  else if (flaw == SKEIN_FLAW_CURVED) describe_length(names, step, found, " beside the linear motion", "and", text);
  else if (flaw == SKEIN_FLAW_TOO_DEEP || flaw == SKEIN_FLAW_DEEP) describe_length(names, step, found, "", "in", text);
  else if (flaw == SKEIN_FLAW_MISSED) snprintf(text, RUN_TEXT, "error %.1e, tolerance %.1e", step->error, step->tol);
}

/* ---- Lines ---- */

static void print_flaw(const run_verdict *v, run_names names, const skein_step_info *steps, skein_flaw f)
{
  char number[32], text[RUN_TEXT];
  const run_flaw *flaw = &v->flaw[f];
  const skein_step_info *first = &steps[flaw->first], *worst = &steps[flaw->worst];
  run_describe(names, worst, f, text);
  run_count(flaw->steps, number);
  printf("  %-10s %s step%s", skein_flaw_name(f), number, flaw->steps == 1 ? "" : "s");
  if (flaw->steps == 1) printf(" at %.5g s", first->time);
  else printf(", first at %.5g s, worst at %.5g s", first->time, worst->time);
  printf("%s%s\n", text[0] ? ": " : "", text);
}

static void print_crossings(const run_verdict *v, run_names names, const skein_step_info *steps)
{
  char number[32], text[RUN_TEXT];
  describe_crossing(names, &steps[v->crossed], text);
  run_count(v->crossings, number);
  if (v->crossings == 1) printf("  crossings  1 at %.5g s: %s\n", steps[v->crossed].time, text);
  else printf("  crossings  %s, first at %.5g s: %s\n", number, steps[v->crossed].time, text);
}

void run_made(const run_verdict *v, char text[RUN_TEXT])
{
  char share[32];
  write_percent(v->made / v->turnover, share);
  if (v->turnover > 0 && isfinite(v->made)) snprintf(text, RUN_TEXT, "%s of the work came from nothing", share);
  else if (v->made > 0 && isfinite(v->made))
    snprintf(text, RUN_TEXT, "%.2g J came from nothing, without any work", v->made);
  else snprintf(text, RUN_TEXT, v->made == 0 ? "no energy came from nothing" : "energy is not finite");
}

void run_headline(const run_verdict *v, char text[RUN_TEXT])
{
  char flawed[32], judged[32], unknown[32], share[32], time[32], made[RUN_TEXT];
  run_count(v->flawed, flawed), run_count(v->judged, judged), run_count(v->steps - v->judged, unknown);
  write_percent((double)v->flawed / v->judged, share), write_percent(v->seconds / v->simulated, time);
  run_made(v, made);
  const char *steps = v->judged == 1 ? "step" : "steps";
  if (v->flawed > 0)
    snprintf(text, RUN_TEXT, "flawed: %s of %s %s (%s; %s of the time)", flawed, judged, steps, share, time);
  else if (run_flawed(v)) snprintf(text, RUN_TEXT, "flawed: none of %s %s by itself", judged, steps);
  else if (run_within(v))
    snprintf(text, RUN_TEXT, "within tolerance: none of %s %s flawed, no crossing, %.200s", judged, steps, made);
  else if (v->judged == 0) snprintf(text, RUN_TEXT, "unknown: this run was made before verdicts");
  else
    snprintf(text, RUN_TEXT, "unknown: %s %s made before verdicts, no other is flawed", unknown,
             v->steps - v->judged == 1 ? "step was" : "steps were");
}

void run_print_verdict(const run_verdict *v, run_names names, const skein_step_info *steps)
{
  char unknown[32], text[RUN_TEXT];
  if (v->steps == 0) return;
  run_headline(v, text);
  printf("verdict      %s\n", text);
  for (int f = 0; f < SKEIN_FLAW_COUNT; f++)
    if (v->flaw[f].steps > 0) print_flaw(v, names, steps, f);
  if (v->judged == 0 && v->missed > 0) printf("  missed     %d step%s\n", v->missed, v->missed == 1 ? "" : "s");
  if (v->crossed >= 0) print_crossings(v, names, steps);
  if (!run_flawed(v)) return;
  run_made(v, text), run_count(v->steps - v->judged, unknown);
  printf("  energy     %s%s\n", text, run_made_much(v) ? ", expected less than 2 %" : "");
  if (v->judged < v->steps)
    printf("  unknown    %s step%s made before verdicts\n", unknown, v->steps - v->judged == 1 ? " was" : "s were");
}

void run_print_attempts(const run_verdict *v)
{
  int used[SKEIN_ACTION_COUNT] = {0};
  if (v->attempts == 0) return;
  printf("\n%-12s", "attempts");
  for (int a = 0; a < SKEIN_ACTION_COUNT; a++) {
    for (int f = 0; f <= SKEIN_FLAW_COUNT; f++) used[a] += v->attempt[f][a] > 0;
    if (used[a]) printf(" %14s", skein_action_name(a));
  }
  putchar('\n');
  for (int k = 0; k <= SKEIN_FLAW_COUNT; k++) {
    int f = k == 0 ? SKEIN_FLAW_COUNT : k - 1; /* what was solved stands first */
    int64_t any = 0;
    for (int a = 0; a < SKEIN_ACTION_COUNT; a++) any += v->attempt[f][a];
    if (any == 0) continue;
    printf("%-12s", f == SKEIN_FLAW_COUNT ? "solved" : skein_flaw_name(f));
    for (int a = 0; a < SKEIN_ACTION_COUNT; a++)
      if (used[a]) printf(" %14lld", (long long)v->attempt[f][a]);
    putchar('\n');
  }
}
