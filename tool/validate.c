/* The table of tests, and the store of what they find: rows for the table, curves for the figures. */
#include "validate.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const validate_test validate_tests[VALIDATE_TESTS] = {
    {"cantilever", "straight rod clamped horizontally, under its weight: tip drop over extent H/W", false, true,
     validate_cantilever},
    {"order", "error of the cantilever when the elements double: by what it falls", false, true, validate_order},
    {"helix", "natural helix hanging from a clamp that points down: place of the tip", true, true, validate_helix},
    {"bend-twist", "natural circle hanging from a clamp that points down: planar or not, and the edges between", true,
     true, validate_bend_twist},
    {"release", "straight rod let go from the horizontal, Gamma = 10, no damping: place of the tip", false, false,
     validate_release},
    {"energy", "the same over ten periods of the first mode: largest change of the energy, over rho S g L^2 / 2", false,
     false, validate_energy},
    {"frequencies", "straight clamped-free rod: first three bending frequencies", false, true, validate_frequencies},
    {"euler", "axial force at which a straight rod buckles, tip free or pinned", false, true, validate_euler},
    {"column", "Gamma at which a standing rod buckles under its weight", false, true, validate_column},
    {"lateral", "weight at which a horizontal ribbon on edge turns over: q L^3 / sqrt(EI GJ)", true, true,
     validate_lateral},
    {"ring", "twist at which a closed ring leaves its plane", true, true, validate_ring}};

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
