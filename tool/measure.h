/* What `skein measure` and `skein reproduce` share: the measures of a run, by how what holds its roots moves. */
#ifndef SKEIN_TOOL_MEASURE_H
#define SKEIN_TOOL_MEASURE_H

#include "tool.h"

/* Parts of a run by the speed of its roots, the largest within half a second: still (below 1 mm/s), rough (above half
 * the largest of the run), gentle (what is between). */
typedef enum measure_phase { MEASURE_ALL, MEASURE_STILL, MEASURE_GENTLE, MEASURE_ROUGH, MEASURE_PHASES } measure_phase;
extern const char *const measure_phase_names[MEASURE_PHASES];

/* A number of a frame. */
typedef struct measure_column {
  const char *name, *unit;
  double scale;                /* of the number in SI, in tables */
  size_t offset;               /* in skein_measure_row */
  bool integer, sum, weighted; /* an int; added up over frames; a mean weighted by contacts. Else: a mean */
} measure_column;

enum { MEASURE_COLUMNS = 19 };
extern const measure_column measure_columns[MEASURE_COLUMNS];

double measure_value(const skein_measure_row *row, const measure_column *column);

/* Means and sums of a run: by phase. */
typedef struct measure_summary {
  int frames[MEASURE_PHASES];
  double value[MEASURE_PHASES][MEASURE_COLUMNS]; /* NaN: no such frame, or not known there */
  double rough_from;                             /* m/s */
  int sticks, slides, changes;   /* of the strand that is watched: frames, and how often one follows the other */
  double slip_stick, slip_slide; /* m: its way along bodies in them */
} measure_summary;

measure_phase measure_phase_of(const skein_measures *m, int frame, double rough_from);
measure_summary measure_summarise(const skein_measures *m);
/* Of a phase, by the column's name. */
double measure_find(const measure_summary *s, measure_phase phase, const char *column);

/* The run at path; progress on a terminal. */
skein_status measure_read(const char *path, const skein_measure_def *def, skein_measures *m);

/* measure_plot.c: clumps, volume, contacts, strand and energy as .gp, .svg and .png in the folder. */
int measure_plot(const char *folder, const char *title, const skein_measures *m);
/* A line per frame; separator and missing numbers as the file wants them. */
void measure_write_rows(FILE *out, const skein_measures *m, char separator, const char *missing);

#endif
