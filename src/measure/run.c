/* All measures of a run, frame by frame, in one pass over the file. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

static const double rest_window = 2; /* s, at the end of a run */

skein_measure_def skein_default_measure_def(void)
{
  return (skein_measure_def){.reach = 2, .share = 0.5, .hold = 0.2, .slip = 1, .cell = 0.01, .outer = 0.5};
}

skein_status sk_measure_def_check(const skein_measure_def *d)
{
  if (!(d->reach > 0) || !isfinite(d->reach))
    return sk_fail(SKEIN_BAD_INPUT, "reach is %g radii, expected more than 0", d->reach);
  if (!(d->share > 0 && d->share <= 1)) return sk_fail(SKEIN_BAD_INPUT, "share is %g, expected 0 to 1", d->share);
  if (!(d->hold >= 0) || !isfinite(d->hold)) return sk_fail(SKEIN_BAD_INPUT, "hold is %g s, expected >= 0", d->hold);
  if (!(d->slip >= 0)) return sk_fail(SKEIN_BAD_INPUT, "slip is %g radii, expected >= 0", d->slip);
  if (!(d->cell > 0) || !isfinite(d->cell))
    return sk_fail(SKEIN_BAD_INPUT, "cell is %g m, expected more than 0", d->cell);
  if (!(d->outer >= 0 && d->outer <= 1)) return sk_fail(SKEIN_BAD_INPUT, "outer is %g, expected 0 to 1", d->outer);
  return sk_ok();
}

skein_rest skein_measure_rest(const skein_step_info *steps, int count, double window)
{
  skein_rest r = {0};
  if (count == 0) return r;
  const skein_step_info *end = &steps[count - 1];
  r.from = r.to = end->time, r.speed_end = end->speed;
  for (int k = count - 1; k >= 0 && steps[k].time > end->time - window; k--) {
    const skein_step_info *t = &steps[k], *next = k + 1 < count ? t + 1 : t;
    int change = SK_MAX(abs(t->stick - next->stick), SK_MAX(abs(t->slide - next->slide), abs(t->open - next->open)));
    r.from = t->time - t->dt;
    r.speed = fmax(r.speed, t->speed), r.kinetic = fmax(r.kinetic, t->kinetic);
    r.contacts_changed = SK_MAX(r.contacts_changed, change);
  }
  return r;
}

/* ---- One pass ---- */

typedef struct pass {
  const skein_run *run;
  const skein_measure_def *def;
  skein_measures *out;
  skein_step_info *steps;
  int step_count, next_step;
  skein_frame before, frame;
  sk_nears *nears; /* of the last `held` + 1 frames, frame k at k % (held + 1) */
  int held;
  signed char *status; /* frames x rods: how each rod rubs */
  float *slip, *force;
  short *touches;
  skein_rub *rubs;
  int rest_frame; /* where the time of rest begins */
  skein_frame rest;
} pass;

/* The steps that led to the frame. */
static void take_steps(pass *p, skein_measure_row *row)
{
  double stick = 0, slide = 0, open = 0;
  int first = p->next_step;
  double until = p->frame.time + 1e-9 * fmax(1, fabs(p->frame.time));
  for (; p->next_step < p->step_count && p->steps[p->next_step].time <= until; p->next_step++) {
    const skein_step_info *t = &p->steps[p->next_step];
    stick += t->stick, slide += t->slide, open += t->open;
    row->dissipated += t->dissipated, row->friction += t->dissipated_friction, row->kinetic = t->kinetic;
  }
  int count = p->next_step - first;
  double all = stick + slide + open;
  row->contacts = count > 0 ? all / count : NAN;
  row->stick = all > 0 ? stick / all : NAN, row->slide = all > 0 ? slide / all : NAN;
  row->open = all > 0 ? open / all : NAN;
}

static skein_status take_rubs(pass *p, int k)
{
  skein_status s = skein_measure_rubs(&p->before, &p->frame, p->def->outer, p->rubs);
  size_t at = (size_t)k * (size_t)p->out->rods;
  for (int i = 0; i < p->out->rods && s.code == SKEIN_OK; i++) {
    const skein_rub *rub = p->rubs + i;
    p->status[at + (size_t)i] = (signed char)rub->status, p->slip[at + (size_t)i] = (float)rub->slip;
    p->force[at + (size_t)i] = (float)rub->force, p->touches[at + (size_t)i] = (short)SK_MIN(rub->contacts, 30000);
  }
  return s;
}

static skein_status take_frame(pass *p, int k)
{
  skein_measure_row *row = p->out->row + k;
  const skein_frame *f = &p->frame;
  sk_nears *now = &p->nears[k % (p->held + 1)], *then = &p->nears[SK_MAX(0, k - p->held) % (p->held + 1)];
  bool same = k > 0 && sk_frames_agree(&p->before, f) && f->rods == p->out->rods;
  row->time = f->time;
  take_steps(p, row);
  skein_status s = sk_frame_vet(f);
  if (s.code == SKEIN_OK) s = sk_nears_find(f, p->def->reach, now);
  if (s.code == SKEIN_OK) s = sk_nears_clumps(then, now, p->def, NULL, &row->clumps);
  if (s.code == SKEIN_OK) s = skein_measure_volume(f, p->def->cell, &row->volume);
  if (s.code == SKEIN_OK && same) s = skein_measure_motion(&p->before, f, &row->motion);
  if (s.code == SKEIN_OK && same) s = take_rubs(p, k);
  return s;
}

/* Keeps the frame at which the time of rest begins. */
static skein_status keep_rest(pass *p, int k)
{
  if (k != p->rest_frame) return sk_ok();
  return skein_run_frame(p->run, k, &p->rest);
}

static skein_status read_frames(pass *p)
{
  skein_status s = sk_ok();
  for (int k = 0; k < p->out->frames && s.code == SKEIN_OK; k++) {
    if (k > 0) s = skein_run_frame(p->run, k, &p->frame);
    if (s.code == SKEIN_OK) s = take_frame(p, k);
    if (s.code == SKEIN_OK) s = keep_rest(p, k);
    skein_motion end = {0};
    if (s.code == SKEIN_OK && k == p->out->frames - 1 && sk_frames_agree(&p->rest, &p->frame))
      s = skein_measure_motion(&p->rest, &p->frame, &end), p->out->shift = end.shift;
    skein_frame_destroy(&p->before);
    p->before = p->frame, p->frame = (skein_frame){0};
    if (s.code == SKEIN_OK && p->def->progress && !p->def->progress(p->def->user, k + 1, p->out->frames))
      s = sk_fail(SKEIN_BAD_INPUT, "stopped after frame %d", k);
  }
  return s;
}

/* The rod that sticks and slides for the longest time: the largest min(frames that it sticks, frames that it slides).
 */
static void choose_strand(const pass *p)
{
  skein_measures *m = p->out;
  int most = 0;
  m->strand = -1;
  for (int i = 0; i < m->rods; i++) {
    int count[3] = {0};
    for (int k = 0; k < m->frames; k++) {
      int status = p->status[(size_t)k * (size_t)m->rods + (size_t)i];
      if (status >= 0 && status < 3) count[status]++;
    }
    int both = SK_MIN(count[1], count[2]);
    if (both > most) most = both, m->strand = i;
  }
  for (int k = 0; k < m->frames; k++) {
    size_t at = (size_t)k * (size_t)m->rods + (size_t)SK_MAX(m->strand, 0);
    m->rub[k] = (skein_rub){.status = -1};
    if (m->strand >= 0) m->rub[k] = (skein_rub){p->touches[at], p->status[at], p->slip[at], p->force[at]};
  }
}

/* Room for all frames, and the first of them. */
static skein_status begin(pass *p)
{
  skein_measures *m = p->out;
  double fps = skein_run_fps(p->run);
  m->frames = skein_run_frames(p->run);
  skein_status s = skein_run_frame(p->run, 0, &p->frame);
  if (s.code == SKEIN_OK) s = skein_run_steps(p->run, &p->steps, &p->step_count);
  if (s.code != SKEIN_OK) return s;
  m->rods = p->frame.rods;
  p->held = (int)fmin(round(p->def->hold * fps), m->frames - 1);
  p->rest_frame = (int)fmax(0, m->frames - 1 - round(rest_window * fps));
  size_t cells = (size_t)m->frames * (size_t)m->rods;
  m->row = sk_calloc((size_t)m->frames, sizeof *m->row), m->rub = sk_calloc((size_t)m->frames, sizeof *m->rub);
  p->nears = sk_calloc((size_t)p->held + 1, sizeof *p->nears);
  p->status = sk_calloc(cells, 1), p->slip = sk_calloc(cells, sizeof *p->slip);
  p->force = sk_calloc(cells, sizeof *p->force), p->touches = sk_calloc(cells, sizeof *p->touches);
  p->rubs = sk_calloc((size_t)m->rods, sizeof *p->rubs);
  bool memory = m->row && m->rub && p->nears && p->status && p->slip && p->force && p->touches && p->rubs;
  if (!memory) return sk_no_memory();
  for (size_t k = 0; k < cells; k++) p->status[k] = -1;
  return s;
}

static void end(pass *p)
{
  for (int k = 0; p->nears && k <= p->held; k++) sk_nears_free(&p->nears[k]);
  free(p->nears), free(p->status), free(p->slip), free(p->force), free(p->touches), free(p->rubs), free(p->steps);
  skein_frame_destroy(&p->before), skein_frame_destroy(&p->frame), skein_frame_destroy(&p->rest);
}

skein_status skein_measure_run(const skein_run *run, const skein_measure_def *def, skein_measures *out)
{
  pass p = {.run = run, .def = def, .out = out};
  *out = (skein_measures){.strand = -1};
  skein_status s = sk_measure_def_check(def);
  if (s.code == SKEIN_OK) s = begin(&p);
  if (s.code == SKEIN_OK) s = read_frames(&p);
  if (s.code == SKEIN_OK) choose_strand(&p);
  if (s.code == SKEIN_OK) out->rest = skein_measure_rest(p.steps, p.step_count, rest_window);
  end(&p);
  if (s.code != SKEIN_OK) skein_measures_destroy(out);
  return s;
}

void skein_measures_destroy(skein_measures *m)
{
  free(m->row), free(m->rub);
  *m = (skein_measures){.strand = -1};
}
