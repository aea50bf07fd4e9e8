/* Steps as a group of an HDF5 file: one dataset per quantity, the verdict in a group of its own, the attempts of all
 * steps one after the other in another (docs/runs.md has the layout). */
#include "output/output.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(unsigned) == sizeof(int) && sizeof(skein_action) == sizeof(int), "sets and actions are stored so");

enum { most_steps = 1000000 }; /* of a frame */

/* ---- Tables: structs as columns ---- */

typedef enum column_kind { NUMBER, INTEGER, TRUTH, PAIR } column_kind;

typedef struct column {
  const char *name;
  column_kind kind;
  size_t offset;
  bool optional; /* files of earlier versions have none: it is 0 there */
} column;

typedef struct table {
  const column *column;
  int columns;
  size_t size; /* of a struct */
} table;

#define COLUMN(kind, field)                                                                                            \
  {                                                                                                                    \
#field, kind, offsetof(skein_step_info, field), false                                                              \
  }
#define OPTIONAL(kind, field)                                                                                          \
  {                                                                                                                    \
#field, kind, offsetof(skein_step_info, field), true                                                               \
  }
static const column step_columns[] = {
    COLUMN(NUMBER, time),
    COLUMN(NUMBER, dt),
    COLUMN(INTEGER, retries),
    COLUMN(INTEGER, contacts),
    COLUMN(INTEGER, islands),
    COLUMN(INTEGER, rods_asleep),
    COLUMN(NUMBER, nu),
    COLUMN(INTEGER, sweeps),
    COLUMN(NUMBER, error),
    OPTIONAL(NUMBER, tol),
    COLUMN(TRUTH, converged),
    COLUMN(INTEGER, stick),
    COLUMN(INTEGER, slide),
    COLUMN(INTEGER, open),
    COLUMN(NUMBER, penetration),
    COLUMN(NUMBER, speed),
    COLUMN(NUMBER, kinetic),
    COLUMN(NUMBER, elastic),
    COLUMN(NUMBER, gravity),
    OPTIONAL(NUMBER, work),
    COLUMN(NUMBER, dissipated),
    OPTIONAL(NUMBER, dissipated_friction),
    COLUMN(NUMBER, seconds_rods),
    COLUMN(NUMBER, seconds_collide),
    COLUMN(NUMBER, seconds_assemble),
    COLUMN(NUMBER, seconds_solve),
    COLUMN(NUMBER, seconds_other),
    OPTIONAL(NUMBER, seconds_loop),
    OPTIONAL(NUMBER, memory),
    OPTIONAL(INTEGER, rods),
    OPTIONAL(INTEGER, attempts),
};
#undef COLUMN
#undef OPTIONAL

#define FINDING(field)                                                                                                 \
  {#field, NUMBER, offsetof(skein_step_info, verdict.field.size), false},                                              \
  {                                                                                                                    \
#field "_of", PAIR, offsetof(skein_step_info, verdict.field.a), false                                              \
  }
static const column verdict_columns[] = {
    {"flaws", INTEGER, offsetof(skein_step_info, verdict.flaws), false},
    FINDING(overlap),
    FINDING(deeper),
    FINDING(curved),
    FINDING(balance),
    FINDING(reach),
    FINDING(speed),
    FINDING(crossed),
    {"made", NUMBER, offsetof(skein_step_info, verdict.made), false},
    {"turnover", NUMBER, offsetof(skein_step_info, verdict.turnover), false},
};
#undef FINDING

static const column attempt_columns[] = {
    {"dt", NUMBER, offsetof(skein_attempt, dt), false},
    {"flaws", INTEGER, offsetof(skein_attempt, flaws), false},
    {"action", INTEGER, offsetof(skein_attempt, action), false},
    {"sweeps", INTEGER, offsetof(skein_attempt, sweeps), false},
    {"seconds", NUMBER, offsetof(skein_attempt, seconds), false},
};

#define TABLE(columns, type)                                                                                           \
  {                                                                                                                    \
    columns, sizeof columns / sizeof *columns, sizeof(type)                                                            \
  }
static const table step_table = TABLE(step_columns, skein_step_info);
static const table verdict_table = TABLE(verdict_columns, skein_step_info);
static const table attempt_table = TABLE(attempt_columns, skein_attempt);
#undef TABLE

static hid_t column_type(column_kind kind)
{
  return kind == NUMBER ? H5T_NATIVE_DOUBLE : kind == TRUTH ? H5T_NATIVE_SCHAR : H5T_NATIVE_INT;
}

/* The column c of the rows as an array, or from one. */
static void column_out(const table *t, const column *c, const void *rows, int64_t count, void *array)
{
  for (int64_t k = 0; k < count; k++) {
    const char *at = (const char *)rows + t->size * (size_t)k + c->offset;
    if (c->kind == NUMBER) ((double *)array)[k] = *(const double *)(const void *)at;
    else if (c->kind == INTEGER) ((int *)array)[k] = *(const int *)(const void *)at;
    else if (c->kind == PAIR) memcpy((int *)array + 2 * k, at, 2 * sizeof(int));
    else ((signed char *)array)[k] = *(const bool *)at;
  }
}

static void column_in(const table *t, const column *c, const void *array, void *rows, int64_t count)
{
  for (int64_t k = 0; k < count; k++) {
    char *at = (char *)rows + t->size * (size_t)k + c->offset;
    if (c->kind == NUMBER) *(double *)(void *)at = ((const double *)array)[k];
    else if (c->kind == INTEGER) *(int *)(void *)at = ((const int *)array)[k];
    else if (c->kind == PAIR) memcpy(at, (const int *)array + 2 * k, 2 * sizeof(int));
    else *(bool *)at = ((const signed char *)array)[k] != 0;
  }
}

/* array: room for a number per row. */
static void put_table(sk_h5 *h, hid_t group, const table *t, const void *rows, int64_t count, void *array)
{
  for (int k = 0; k < t->columns; k++) {
    const column *c = &t->column[k];
    column_out(t, c, rows, count, array);
    sk_h5_put(h, group, c->name, column_type(c->kind), count, c->kind == PAIR ? 2 : 0, array, SK_H5_PACKED);
  }
}

/* *rows NULL: they are allocated, for as many as the first column has. */
static skein_status get_table(const sk_h5 *h, hid_t group, const table *t, void **rows, int64_t *count)
{
  skein_status s = sk_ok();
  for (int k = 0; k < t->columns && s.code == SKEIN_OK; k++) {
    void *array;
    const column *c = &t->column[k];
    if (c->optional && H5Lexists(group, c->name, H5P_DEFAULT) == 0) continue;
    s = sk_h5_get(h, group, c->name, column_type(c->kind), count, c->kind == PAIR ? 2 : 0, &array);
    if (s.code == SKEIN_OK && *count > (int64_t)most_steps * SKEIN_ATTEMPTS)
      s = sk_fail(SKEIN_BAD_INPUT, "'%s' has %lld rows, expected fewer", c->name, (long long)*count);
    if (s.code == SKEIN_OK && !*rows && !(*rows = sk_calloc((size_t)*count, t->size))) s = sk_no_memory();
    if (s.code == SKEIN_OK) column_in(t, c, array, *rows, *count);
    free(array);
  }
  return s;
}

/* ---- What may stand in them ---- */

static bool is_set(unsigned flaws)
{
  return flaws == SKEIN_FLAWS_UNKNOWN || flaws < 1u << SKEIN_FLAW_COUNT;
}

/* Sizes may be anything: what diverged is not finite. */
static skein_status check_verdict(const skein_step_info *step)
{
  const skein_verdict *v = &step->verdict;
  const skein_finding *const found[] = {&v->overlap, &v->deeper, &v->curved, &v->balance,
                                        &v->reach,   &v->speed,  &v->crossed};
  if (!is_set(v->flaws)) return sk_fail(SKEIN_BAD_INPUT, "verdict/flaws is %#x, expected a set of flaws", v->flaws);
  for (size_t k = 0; k < sizeof found / sizeof *found; k++)
    if (found[k]->a < -1 || found[k]->b < -1)
      return sk_fail(SKEIN_BAD_INPUT, "verdict: objects %d and %d, expected -1 or more", found[k]->a, found[k]->b);
  return sk_ok();
}

static skein_status check_attempts(const skein_step_info *step)
{
  if (step->rods < 0) return sk_fail(SKEIN_BAD_INPUT, "rods is %d, expected 0 or more", step->rods);
  if (step->attempts < 0 || step->attempts > SKEIN_ATTEMPTS)
    return sk_fail(SKEIN_BAD_INPUT, "attempts is %d, expected 0 to %d", step->attempts, SKEIN_ATTEMPTS);
  for (int k = 0; k < step->attempts; k++) {
    const skein_attempt *a = &step->attempt[k];
    if (!isfinite(a->dt) || !isfinite(a->seconds) || !is_set(a->flaws) || (unsigned)a->action >= SKEIN_ACTION_COUNT ||
        a->sweeps < 0)
      return sk_fail(SKEIN_BAD_INPUT, "attempt: dt %g, flaws %#x, action %d, sweeps %d, seconds %g are no attempt",
                     a->dt, a->flaws, (int)a->action, a->sweeps, a->seconds);
  }
  return sk_ok();
}

/* Numbers are finite, counts are not negative. */
static skein_status check_columns(const skein_step_info *step)
{
  for (size_t c = 0; c < sizeof step_columns / sizeof *step_columns; c++) {
    const char *at = (const char *)step + step_columns[c].offset;
    double x = step_columns[c].kind == NUMBER ? *(const double *)(const void *)at : 0;
    if (step_columns[c].kind == INTEGER) x = *(const int *)(const void *)at;
    const char *wanted = step_columns[c].kind == NUMBER ? "a finite number" : "0 or more";
    if (!isfinite(x) || (step_columns[c].kind == INTEGER && x < 0))
      return sk_fail(SKEIN_BAD_INPUT, "%s is %g, expected %s", step_columns[c].name, x, wanted);
  }
  return sk_ok();
}

skein_status sk_steps_check(const skein_step_info *steps, int count)
{
  skein_status s = sk_ok();
  for (int k = 0; k < count && s.code == SKEIN_OK; k++) {
    s = check_columns(&steps[k]);
    if (s.code == SKEIN_OK) s = check_verdict(&steps[k]);
    if (s.code == SKEIN_OK) s = check_attempts(&steps[k]);
    if (s.code == SKEIN_OK) continue;
    char what[32];
    snprintf(what, sizeof what, "step %d", k);
    s = sk_status_prefix(s, what);
  }
  return s;
}

/* ---- The group ---- */

static int64_t count_attempts(const skein_step_info *steps, int64_t count)
{
  int64_t all = 0;
  for (int64_t k = 0; k < count; k++) all += steps[k].attempts;
  return all;
}

static skein_status put_attempts(sk_h5 *h, hid_t group, const skein_step_info *steps, int count)
{
  int64_t all = count_attempts(steps, count), at = 0;
  skein_attempt *row = sk_calloc((size_t)all, sizeof *row);
  double *array = sk_calloc((size_t)all, sizeof *array);
  skein_status s = row && array ? sk_ok() : sk_no_memory();
  for (int k = 0; k < count && s.code == SKEIN_OK; at += steps[k++].attempts)
    memcpy(row + at, steps[k].attempt, sizeof *row * (size_t)steps[k].attempts);
  if (s.code == SKEIN_OK) {
    hid_t in = sk_h5_put_group(h, group, "attempt", (unsigned)attempt_table.columns);
    put_table(h, in, &attempt_table, row, all, array);
    sk_h5_end(in);
  }
  free(array);
  free(row);
  return s;
}

skein_status sk_steps_put(sk_h5 *h, hid_t in, const skein_step_info *steps, int count)
{
  double *array = sk_calloc((size_t)count, sizeof *array);
  if (!array) return sk_no_memory();
  hid_t group = sk_h5_put_group(h, in, "steps", (unsigned)step_table.columns + 2);
  put_table(h, group, &step_table, steps, count, array);
  hid_t verdict = sk_h5_put_group(h, group, "verdict", (unsigned)verdict_table.columns);
  put_table(h, verdict, &verdict_table, steps, count, array);
  sk_h5_end(verdict);
  skein_status s = put_attempts(h, group, steps, count);
  sk_h5_end(group);
  free(array);
  return s;
}

/* Runs of earlier versions have no verdict. */
static skein_status get_verdicts(const sk_h5 *h, hid_t group, skein_step_info *steps, int64_t count)
{
  static const skein_finding nobody = {.a = -1, .b = -1};
  hid_t in;
  if (H5Lexists(group, "verdict", H5P_DEFAULT) == 0) {
    for (int64_t k = 0; k < count; k++)
      steps[k].verdict =
          (skein_verdict){SKEIN_FLAWS_UNKNOWN, nobody, nobody, nobody, nobody, nobody, nobody, nobody, 0, 0};
    return sk_ok();
  }
  void *rows = steps;
  skein_status s = sk_h5_get_group(group, "verdict", &in);
  if (s.code == SKEIN_OK) s = sk_status_prefix(get_table(h, in, &verdict_table, &rows, &count), "verdict");
  sk_h5_end(in);
  return s;
}

static skein_status get_attempts(const sk_h5 *h, hid_t group, skein_step_info *steps, int64_t count)
{
  void *rows = NULL;
  hid_t in;
  for (int64_t k = 0; k < count; k++)
    if (steps[k].attempts < 0 || steps[k].attempts > SKEIN_ATTEMPTS)
      return sk_fail(SKEIN_BAD_INPUT, "attempts is %d, expected 0 to %d", steps[k].attempts, SKEIN_ATTEMPTS);
  int64_t all = count_attempts(steps, count), at = 0;
  if (all == 0) return sk_ok();
  skein_status s = sk_h5_get_group(group, "attempt", &in);
  if (s.code == SKEIN_OK) s = sk_status_prefix(get_table(h, in, &attempt_table, &rows, &all), "attempt");
  sk_h5_end(in);
  for (int64_t k = 0; k < count && s.code == SKEIN_OK; at += steps[k++].attempts)
    memcpy(steps[k].attempt, (skein_attempt *)rows + at, sizeof(skein_attempt) * (size_t)steps[k].attempts);
  free(rows);
  return s;
}

static skein_status get_steps(const sk_h5 *h, hid_t group, skein_step_info **steps, int64_t *count)
{
  void *rows = NULL;
  skein_status s = get_table(h, group, &step_table, &rows, count);
  *steps = rows;
  if (s.code == SKEIN_OK && *count > most_steps)
    s = sk_fail(SKEIN_BAD_INPUT, "are %lld, expected at most %d", (long long)*count, most_steps);
  if (s.code == SKEIN_OK) s = get_verdicts(h, group, *steps, *count);
  if (s.code == SKEIN_OK) s = get_attempts(h, group, *steps, *count);
  return s.code == SKEIN_OK ? sk_steps_check(*steps, (int)*count) : s;
}

skein_status sk_steps_get(const sk_h5 *h, hid_t in, skein_step_info **steps, int *count)
{
  hid_t group;
  int64_t rows = -1;
  *steps = NULL, *count = 0;
  if (H5Lexists(in, "steps", H5P_DEFAULT) == 0) return sk_ok();
  skein_status s = sk_h5_get_group(in, "steps", &group);
  if (s.code != SKEIN_OK) return s;
  s = sk_status_prefix(get_steps(h, group, steps, &rows), "steps");
  sk_h5_end(group);
  if (s.code == SKEIN_OK) *count = (int)rows;
  else free(*steps), *steps = NULL;
  return s;
}
