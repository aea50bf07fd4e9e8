/* The table of tests, and the store of what they find: rows for the table, curves for the figures. */
#include "validate.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Contact is tested with one curved model and one chain; the others differ in nothing that a contact sees. */
enum { CONTACT_RODS = 1 << SKEIN_SUPER_HELIX | 1 << SKEIN_DER, BODIES = 1 << VALIDATE_BODIES };

const validate_test validate_tests[VALIDATE_TESTS] = {
    {"cantilever", "straight rod clamped horizontally, under its weight: tip drop over extent H/W", false, true,
     validate_cantilever, 0},
    {"order", "error of the cantilever when the elements double: by what it falls", false, true, validate_order, 0},
    {"helix", "natural helix hanging from a clamp that points down: place of the tip", true, true, validate_helix, 0},
    {"bend-twist", "natural circle hanging from a clamp that points down: planar or not, and the edges between", true,
     true, validate_bend_twist, 0},
    {"release", "straight rod let go from the horizontal, Gamma = 10, no damping: place of the tip", false, false,
     validate_release, 0},
    {"energy", "the same over ten periods of the first mode: largest change of the energy, over rho S g L^2 / 2", false,
     false, validate_energy, 0},
    {"frequencies", "straight clamped-free rod: first three bending frequencies", false, true, validate_frequencies, 0},
    {"euler", "axial force at which a straight rod buckles, tip free or pinned", false, true, validate_euler, 0},
    {"column", "Gamma at which a standing rod buckles under its weight", false, true, validate_column, 0},
    {"lateral", "weight at which a horizontal ribbon on edge turns over: q L^3 / sqrt(EI GJ)", true, true,
     validate_lateral, 0},
    {"ring", "twist at which a closed ring leaves its plane", true, true, validate_ring, 0},
    {"incline", "on a slope: sticks iff tan theta <= mu, slides with g (sin theta - mu cos theta)",
     .run = validate_incline, .on = CONTACT_RODS | BODIES},
    {"stopping", "way of a body that friction stops: v0^2/(2 mu g) - v0 dt/2", .run = validate_stopping,
     .on = CONTACT_RODS | BODIES},
    {"pulled", "rod on a plane, pulled along: moves iff F > mu m g", .run = validate_pulled, .on = CONTACT_RODS},
    {"isotropy", "pushed in any direction on a plane, it slides in that direction; not so with pyramid4",
     .run = validate_isotropy, .on = CONTACT_RODS | BODIES},
    {"ball", "sliding turns to rolling at 5/7 v0; rolls on a slope iff tan theta <= 7 mu/2", .run = validate_ball,
     .on = BODIES},
    {"stick-slip", "vertical clamped rod whose free end is pushed onto a rough floor: when the end slips",
     .run = validate_stick_slip, .on = CONTACT_RODS},
    {"capstan", "rod over a drum: tensions T2/T1", .run = validate_capstan, .on = CONTACT_RODS},
    {"knot", "loose trefoil knot that is pulled and let go: force and friction against its radius",
     .run = validate_knot, .on = CONTACT_RODS},
    {"dissipation", "contact takes energy and never gives it: largest growth over the energy at the start",
     .run = validate_dissipation, .on = CONTACT_RODS | BODIES},
    {"units", "the same motion in SI, mm-g-s and cm-mg-ms: largest difference, over the way or the speed",
     .run = validate_units, .on = CONTACT_RODS | BODIES},
    {"frame",
     "the same motion in a turned frame, and with everything listed backwards: largest difference, over the way",
     .run = validate_frame, .on = CONTACT_RODS | BODIES}};

const char *validate_model_name(int model)
{
  return model == VALIDATE_BODIES ? "bodies" : skein_rod_model_name((skein_rod_model)model);
}

bool validate_is_about(const validate_test *test, int model)
{
  return test->on ? (test->on >> model & 1) : model != VALIDATE_BODIES;
}

/* The model with the same statics, -1: it has its own. */
static int static_twin(skein_rod_model model)
{
  return model == SKEIN_CORDE_EXPLICIT ? SKEIN_CORDE : model == SKEIN_DER_PROJECTION ? SKEIN_DER : -1;
}

/* ---- Rows ---- */

/* Room for one more of `count` things of `size` bytes: grows at powers of two. */
static void *grow(void *array, int count, size_t size)
{
  bool full = (count & (count - 1)) == 0;
  return full ? realloc(array, (count ? 2 * (size_t)count : 1) * size) : array;
}

static validate_row *add_row(const validate_task *task, validate_kind kind, const char *label,
                             const skein_status *status)
{
  validate_results *r = task->results;
  validate_row *grown = grow(r->row, r->rows, sizeof *grown);
  if (!grown) return r->no_memory = true, NULL;
  r->row = grown;
  validate_row *row = &r->row[r->rows++];
  *row = (validate_row){
      .test = task->test->name, .model = task->model, .kind = kind, .size = 1, .error = NAN, .allowed = NAN};
  snprintf(row->label, sizeof row->label, "%s", label);
  if (status && status->code != SKEIN_OK) {
    row->verdict = VALIDATE_FAIL;
    snprintf(row->note, sizeof row->note, "%.150s", status->message);
  }
  return row;
}

static void add_mark(const validate_task *task, validate_verdict verdict, const char *note)
{
  validate_row *row = add_row(task, VALIDATE_MARK, "", NULL);
  if (!row) return;
  row->verdict = verdict;
  row->size = 0;
  snprintf(row->note, sizeof row->note, "%s", note);
}

/* The verdict of an error; one that is NaN is never within what is allowed. */
static void judge(validate_row *row)
{
  if (isnan(row->allowed)) row->verdict = VALIDATE_SHOWN;
  else if (row->verdict != VALIDATE_FAIL) row->verdict = row->error <= row->allowed ? VALIDATE_PASS : VALIDATE_FAIL;
}

void validate_add_number(const validate_task *task, const char *label, const skein_status *status, double reference,
                         double result, double allowed)
{
  validate_row *row = add_row(task, VALIDATE_NUMBER, label, status);
  if (!row) return;
  row->reference[0] = reference;
  row->result[0] = row->verdict == VALIDATE_FAIL ? NAN : result;
  row->error = reference != 0 ? fabs(row->result[0] - reference) / fabs(reference) : fabs(row->result[0]);
  row->allowed = allowed;
  judge(row);
}

void validate_add_point(const validate_task *task, const char *label, const skein_status *status, int size,
                        const double *reference, const double *result, double allowed)
{
  validate_row *row = add_row(task, VALIDATE_POINT, label, status);
  double square = 0;
  if (!row) return;
  row->size = size;
  for (int i = 0; i < size; i++) {
    row->reference[i] = reference[i];
    row->result[i] = row->verdict == VALIDATE_FAIL ? NAN : result[i];
    square += (row->result[i] - reference[i]) * (row->result[i] - reference[i]);
  }
  row->error = sqrt(square);
  row->allowed = allowed;
  judge(row);
}

void validate_add_ratio(const validate_task *task, const char *label, const skein_status *status, double least,
                        double result, bool judged)
{
  validate_row *row = add_row(task, VALIDATE_RATIO, label, status);
  if (!row) return;
  row->reference[0] = least;
  row->result[0] = row->verdict == VALIDATE_FAIL ? NAN : result;
  if (row->verdict == VALIDATE_FAIL) return;
  row->verdict = !judged ? VALIDATE_SHOWN : result >= least ? VALIDATE_PASS : VALIDATE_FAIL;
}

void validate_add_shape(const validate_task *task, const char *label, const skein_status *status, bool reference,
                        bool result)
{
  validate_row *row = add_row(task, VALIDATE_SHAPE, label, status);
  if (!row) return;
  row->reference[0] = reference;
  row->result[0] = row->verdict == VALIDATE_FAIL ? NAN : result;
  if (row->verdict != VALIDATE_FAIL) row->verdict = reference == result ? VALIDATE_PASS : VALIDATE_FAIL;
}

void validate_note(const validate_task *task, const char *format, ...)
{
  validate_results *r = task->results;
  if (r->rows == 0 || r->row[r->rows - 1].note[0]) return;
  va_list args;
  va_start(args, format);
  vsnprintf(r->row[r->rows - 1].note, sizeof r->row->note, format, args);
  va_end(args);
}

/* ---- Curves ---- */

void validate_add_curve(validate_results *r, const char *figure, int model, const char *label, int points,
                        const double *xy)
{
  for (int k = 0; k < r->curves && model < 0; k++)
    if (r->curve[k].model < 0 && !strcmp(r->curve[k].figure, figure) && !strcmp(r->curve[k].label, label)) return;
  validate_curve *grown = grow(r->curve, r->curves, sizeof *grown);
  if (grown) r->curve = grown;
  double *copy = malloc((size_t)(points + 1) * 2 * sizeof *copy);
  if (!grown || !copy) {
    free(copy);
    r->no_memory = true;
    return;
  }
  memcpy(copy, xy, (size_t)points * 2 * sizeof *copy);
  validate_curve *curve = &r->curve[r->curves++];
  *curve = (validate_curve){.figure = figure, .model = model, .points = points, .xy = copy};
  snprintf(curve->label, sizeof curve->label, "%s", label);
}

void validate_results_append(validate_results *to, const validate_results *from)
{
  to->no_memory |= from->no_memory;
  for (int k = 0; k < from->rows; k++) {
    validate_row *grown = grow(to->row, to->rows, sizeof *grown);
    if (!grown) to->no_memory = true;
    else to->row = grown, to->row[to->rows++] = from->row[k];
  }
  for (int k = 0; k < from->curves; k++) {
    const validate_curve *c = &from->curve[k];
    validate_add_curve(to, c->figure, c->model, c->label, c->points, c->xy);
  }
}

void validate_results_destroy(validate_results *r)
{
  for (int k = 0; k < r->curves; k++) free(r->curve[k].xy);
  free(r->curve);
  free(r->row);
  *r = (validate_results){0};
}

/* ---- The runs ---- */

void validate_run(const validate_task *task)
{
  int twin = static_twin(task->model);
  char note[64];
  if (task->test->twist && !skein_rod_model_twists(task->model)) add_mark(task, VALIDATE_CANNOT, "no twist");
  else if (task->test->statics && twin >= 0) {
    snprintf(note, sizeof note, "as %s", skein_rod_model_name((skein_rod_model)twin));
    add_mark(task, VALIDATE_SAME, note);
  } else task->test->run(task);
}
