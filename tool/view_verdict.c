/* What pages are told of the verdict of steps: which flaws, when, and whom to highlight (docs/viewer.md). */
#include "view.h"

#include <math.h>

enum { SLOTS = 400 }; /* of the time of a run: each has a mark per flaw at most */

view_flaw view_flaw_of(run_names names, const skein_step_info *step, skein_flaw flaw)
{
  view_flaw f = {.time = step->time, .flaw = flaw, .steps = 1, .rods = {-1, -1}, .bodies = {-1, -1}};
  skein_finding found = run_finding(step, flaw);
  const int object[] = {found.a, found.b};
  for (int k = 0; k < 2; k++) {
    if (object[k] >= step->rods) f.bodies[k] = object[k] - step->rods;
    else if (object[k] >= 0) f.rods[k] = object[k];
  }
  run_describe(names, step, flaw, f.text);
  return f;
}

static json_t *numbers(const int x[2])
{
  json_t *list = json_array();
  for (int k = 0; k < 2; k++)
    if (x[k] >= 0) json_array_append_new(list, json_integer(x[k]));
  return list;
}

json_t *view_flaw_json(const view_flaw *f)
{
  json_t *o = json_object();
  json_object_set_new(o, "flaw", json_integer(f->flaw));
  json_object_set_new(o, "steps", json_integer(f->steps));
  json_object_set_new(o, "time", tool_json_number(f->time));
  json_object_set_new(o, "text", tool_json_text(f->text));
  json_object_set_new(o, "rods", numbers(f->rods));
  json_object_set_new(o, "bodies", numbers(f->bodies));
  return o;
}

json_t *view_flaw_names(void)
{
  json_t *list = json_array();
  for (int f = 0; f < SKEIN_FLAW_COUNT; f++) json_array_append_new(list, json_string(skein_flaw_name(f)));
  return list;
}

/* The flaws of some steps that follow each other, each with the worst of these steps. */
static void add_flaws(json_t *list, run_names names, const skein_step_info *steps, const run_verdict *v)
{
  for (int k = 0; k < SKEIN_FLAW_COUNT; k++) {
    if (v->flaw[k].steps == 0) continue;
    view_flaw f = view_flaw_of(names, &steps[v->flaw[k].worst], k);
    f.steps = v->flaw[k].steps;
    json_array_append_new(list, view_flaw_json(&f));
  }
}

static json_t *marks(run_names names, const skein_step_info *steps, int count)
{
  json_t *list = json_array();
  double start = count > 0 ? steps[0].time : 0, slot = count > 0 ? (steps[count - 1].time - start) / SLOTS : 0;
  for (int k = 0, next; k < count; k = next) {
    next = k + 1;
    if (!run_step_flawed(&steps[k])) continue;
    double end = slot > 0 ? start + slot * (floor((steps[k].time - start) / slot) + 1) : INFINITY;
    while (next < count && steps[next].time < end) next++;
    run_verdict v = run_judge(steps + k, next - k);
    add_flaws(list, names, steps + k, &v);
  }
  return list;
}

json_t *view_verdict_json(run_names names, const skein_step_info *steps, int count)
{
  run_verdict v = run_judge(steps, count);
  char text[RUN_TEXT];
  json_t *o = json_object(), *flaws = json_array();
  const char *state = run_flawed(&v) ? "flawed" : run_within(&v) ? "within" : "unknown";
  run_headline(&v, text);
  add_flaws(flaws, names, steps, &v);
  json_object_set_new(o, "state", json_string(state));
  json_object_set_new(o, "text", tool_json_text(text));
  json_object_set_new(o, "flaws", flaws);
  json_object_set_new(o, "crossings", tool_json_number(v.crossings));
  run_made(&v, text);
  json_object_set_new(o, "made", v.judged > 0 ? tool_json_text(text) : json_null());
  json_object_set_new(o, "marks", marks(names, steps, count));
  return o;
}
