/* Results of `skein bench friction`, between the runs (cmd_bench.c), the table and the plot (bench_report.c). */
#ifndef SKEIN_TOOL_BENCH_H
#define SKEIN_TOOL_BENCH_H

#include "tool.h"

/* One row of the table: Gauss-Seidel with one local solver over all problems. */
typedef struct bench_solver {
  skein_local local;
  bool failsafe;
  skein_ball ball; /* of pac and dac */
  double tol;      /* of the global error */
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

/* Means over the problems of one solver. */
typedef struct bench_row {
  double alternates, failures; /* % of local solves: calls of the fail-safe, above the local tolerance in the end */
  double missed;               /* % of problems above the global tolerance */
  double sweeps, seconds;      /* of the iterations alone */
  double visits;               /* local solves */
} bench_row;

/* Plain Gauss-Seidel as in the paper: contact freezing, no acceleration, one thread, 2000 sweeps at most. */
skein_solve_def bench_default_def(void);
/* The tolerance of a solver: pyramid4 and duriez06 alone do not aim at the exact law, 5e-2 is asked of them. */
double bench_tol(const bench_solver *solver, double tol);
/* guess: impulses to begin with, NULL: zero. */
skein_status bench_solve(const skein_solve_def *def, const bench_solver *solver, const skein_problem *p,
                         const double *guess, bench_run *run);
bench_row bench_sum(const bench_run *run, int problems);

/* Table 2 of Daviet et al. 2011 on stdout. */
void bench_print_table(const bench_results *results);
/* A line per problem and solver. */
int bench_write_csv(const char *path, const bench_results *results);
/* Figure 11: share of problems not yet converged against sweeps, SVG by gnuplot. */
int bench_plot(const char *path, const bench_results *results);

#endif
