/* Results of `skein bench friction`, between the runs (cmd_bench.c), the table and the plot (bench_report.c). */
#ifndef SKEIN_TOOL_BENCH_H
#define SKEIN_TOOL_BENCH_H

#include "tool.h"

/* One row of the table: Gauss-Seidel with one local solver over all problems. */
typedef struct bench_solver {
  skein_local local;
  bool failsafe;
  double tol; /* of the global error */
} bench_solver;

/* One problem by one solver. */
typedef struct bench_run {
  const char *path;
  int contacts;
  skein_solve_info info;
} bench_run;

typedef struct bench_results {
  int solvers, problems;
  const bench_solver *solver;
  const bench_run *run; /* solvers x problems: run[s * problems + p] */
  int max_sweeps;
} bench_results;

/* Table 2 of Daviet et al. 2011 on stdout. */
void bench_print_table(const bench_results *results);
/* A line per problem and solver. */
int bench_write_csv(const char *path, const bench_results *results);
/* Figure 11: share of problems not yet converged against sweeps, SVG by gnuplot. */
int bench_plot(const char *path, const bench_results *results);

#endif
