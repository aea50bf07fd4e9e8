/* What `skein validate` prints: a table per test, the summary, the matrix model x test, or JSON. */
#include "validate.h"

#include <math.h>
#include <string.h>

static const char *const verdict_names[] = {"pass", "FAIL", "cannot", "same", "-"};

int validate_count(const validate_results *r, validate_verdict verdict)
{
  int count = 0;
  for (int k = 0; k < r->rows; k++) count += r->row[k].verdict == verdict;
  return count;
}

/* ---- The table of one test ---- */

enum { columns = 7, cell_size = 192 };
typedef char table_line[columns][cell_size];

/* "0.2344" or "(0.2344, -0.1)"; nothing where it is not known. */
static void format_values(char *cell, const validate_row *row, const double *x)
{
  static const char *const shapes[] = {"planar", "3D"};
  cell[0] = 0;
  if (row->size == 0 || isnan(x[0])) return;
  if (row->kind == VALIDATE_SHAPE) snprintf(cell, cell_size, "%s", shapes[x[0] != 0]);
  else if (row->kind == VALIDATE_RATIO) snprintf(cell, cell_size, "%s%.3g", x == row->reference ? ">= " : "", x[0]);
  else if (row->size == 1) snprintf(cell, cell_size, "%.7g", x[0]);
  else {
    int used = snprintf(cell, cell_size, "(%.5f", x[0]);
    for (int i = 1; i < row->size; i++) used += snprintf(cell + used, cell_size - (size_t)used, ", %.5f", x[i]);
    snprintf(cell + used, cell_size - (size_t)used, ")");
  }
}

static void format_percent(char *cell, double x)
{
  cell[0] = 0;
  if (isnan(x)) return;
  if (x >= 1e-5 || x == 0) snprintf(cell, cell_size, "%.3g %%", 100 * x);
  else snprintf(cell, cell_size, "%.0e", x);
}

static void format_line(table_line line, const validate_row *row)
{
  bool mark = row->kind == VALIDATE_MARK;
  snprintf(line[0], cell_size, "%s", validate_model_name(row->model));
  snprintf(line[1], cell_size, "%s", row->label);
  format_values(line[2], row, row->reference);
  format_values(line[3], row, row->result);
  format_percent(line[4], row->error);
  format_percent(line[5], row->allowed);
  if (mark && row->verdict == VALIDATE_CANNOT) snprintf(line[6], cell_size, "cannot (%s)", row->note);
  else if (mark) snprintf(line[6], cell_size, "%s", row->note);
  else
    snprintf(line[6], cell_size, "%s%s%s", verdict_names[row->verdict], row->note[0] ? "  " : "",
             row->note[0] ? row->note : "");
}

static void print_line(const int *width, table_line line)
{
  for (int c = 0; c < columns; c++) {
    bool left = c <= 1 || c == columns - 1;
    if (c == columns - 1) printf("  %s\n", line[c]);
    else printf(left ? "  %-*s" : "  %*s", width[c], line[c]);
  }
}

static void widen(int *width, table_line line)
{
  for (int c = 0; c < columns; c++)
    if ((int)strlen(line[c]) > width[c]) width[c] = (int)strlen(line[c]);
}

void validate_print_test(const validate_results *r, int first, const validate_test *test, double seconds)
{
  table_line head = {"model", "case", "reference", "result", "error", "allowed", "verdict"}, line;
  int width[columns] = {0};
  if (first > 0) putchar('\n');
  printf("%s: %s (%.1f s)\n", test->name, test->about, seconds);
  widen(width, head);
  for (int k = first; k < r->rows; k++) {
    format_line(line, &r->row[k]);
    widen(width, line);
  }
  print_line(width, head);
  for (int k = first; k < r->rows; k++) {
    format_line(line, &r->row[k]);
    print_line(width, line);
  }
  fflush(stdout);
}

/* ---- Summary ---- */

/* The rows of one test and model in one word; "" where it was not run. */
static void sum_up(const validate_results *r, const char *test, int model, char word[32])
{
  int pass = 0, fail = 0, shown = 0;
  word[0] = 0;
  for (int k = 0; k < r->rows; k++) {
    const validate_row *row = &r->row[k];
    if (row->model != model || strcmp(row->test, test) != 0) continue;
    pass += row->verdict == VALIDATE_PASS;
    fail += row->verdict == VALIDATE_FAIL;
    shown += row->verdict == VALIDATE_SHOWN;
    if (row->verdict == VALIDATE_CANNOT) snprintf(word, 32, "cannot");
    if (row->verdict == VALIDATE_SAME) snprintf(word, 32, "%.31s", row->note);
  }
  if (fail > 0) snprintf(word, 32, "%d FAIL", fail);
  else if (pass > 0) snprintf(word, 32, "pass");
  else if (shown > 0) snprintf(word, 32, "shown");
}

static void print_matrix(const validate_results *r, const bool *tests, const bool *models)
{
  char word[32];
  printf("%-12s", "");
  for (int m = 0; m < VALIDATE_MODELS; m++)
    if (models[m]) printf("  %-14s", validate_model_name(m));
  putchar('\n');
  for (int t = 0; t < VALIDATE_TESTS; t++) {
    if (!tests[t]) continue;
    printf("%-12s", validate_tests[t].name);
    for (int m = 0; m < VALIDATE_MODELS; m++) {
      if (!models[m]) continue;
      sum_up(r, validate_tests[t].name, m, word);
      printf("  %-14s", word);
    }
    putchar('\n');
  }
}

void validate_print_summary(const validate_results *r, const bool *tests, const bool *models)
{
  putchar('\n');
  print_matrix(r, tests, models);
  printf("\n%d pass, %d fail, %d cannot\n", validate_count(r, VALIDATE_PASS), validate_count(r, VALIDATE_FAIL),
         validate_count(r, VALIDATE_CANNOT));
}

/* ---- JSON ---- */

/* A number, a point as an array, a word for a shape, null where there is none. */
static json_t *json_values(const validate_row *row, const double *x)
{
  if (row->size == 0) return json_null();
  if (row->kind == VALIDATE_SHAPE) return isnan(x[0]) ? json_null() : json_string(x[0] != 0 ? "3D" : "planar");
  if (row->size == 1) return tool_json_number(x[0]);
  json_t *array = json_array();
  for (int i = 0; i < row->size && array; i++) json_array_append_new(array, tool_json_number(x[i]));
  return array;
}

static json_t *json_row(const validate_row *row)
{
  static const char *const kinds[] = {"number", "point", "at least", "shape", "mark"};
  static const char *const words[] = {"pass", "fail", "cannot", "same", "shown"};
  return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:s, s:o}", "test", row->test, "model",
                   validate_model_name(row->model), "case", tool_json_text(row->label), "kind", kinds[row->kind],
                   "reference", json_values(row, row->reference), "result", json_values(row, row->result), "error",
                   tool_json_number(row->error), "allowed", tool_json_number(row->allowed), "verdict",
                   words[row->verdict], "note", tool_json_text(row->note));
}

int validate_print_json(const validate_results *r)
{
  json_t *rows = json_array();
  for (int k = 0; k < r->rows && rows; k++) json_array_append_new(rows, json_row(&r->row[k]));
  return tool_json_print(json_pack("{s:s, s:i, s:i, s:i, s:o}", "version", skein_version(), "pass",
                                   validate_count(r, VALIDATE_PASS), "fail", validate_count(r, VALIDATE_FAIL), "cannot",
                                   validate_count(r, VALIDATE_CANNOT), "rows", rows));
}
