/* Table 2 and figure 11 of Daviet, Bertails-Descoubes and Boissieux 2011, from our own runs. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- The table ---- */

static double percent(double part, double whole)
{
  return whole > 0 ? 100 * part / whole : 0;
}

bench_row bench_sum(const bench_run *run, int problems)
{
  double solves = 0, alternates = 0, failures = 0, missed = 0;
  bench_row row = {0};
  for (int p = 0; p < problems; p++) {
    const skein_solve_info *i = &run[p].info;
    solves += (double)i->local_solves;
    alternates += (double)i->local_alternates;
    failures += (double)i->local_failures;
    missed += !i->converged;
    row.sweeps += (double)i->iterations / problems;
    row.seconds += (i->seconds - i->seconds_setup) / problems;
  }
  row.alternates = percent(alternates, solves), row.failures = percent(failures, solves);
  row.missed = percent(missed, problems), row.visits = problems > 0 ? solves / problems : 0;
  return row;
}

static void print_row(const bench_solver *solver, const bench_run *run, int problems)
{
  bench_row r = bench_sum(run, problems);
  char name[32], alt[16] = "-";
  tool_local_name(solver->local, solver->failsafe, solver->ball, name);
  if (solver->failsafe) snprintf(alt, sizeof alt, "%.3g", r.alternates);
  printf("%-15s %8.0e %9s %9.3g %9.3g %9.1f %10.4g\n", name, solver->tol, alt, r.failures, r.missed, r.sweeps,
         1e3 * r.seconds);
}

void bench_print_table(const bench_results *r)
{
  printf("%-15s %8s %9s %9s %9s %9s %10s\n", "local solver", "tol", "%alt", "%fail", "%>tol", "sweeps", "time (ms)");
  for (int s = 0; s < r->solvers; s++) print_row(&r->solver[s], r->run + (size_t)s * (size_t)r->problems, r->problems);
  printf("\n%d problems, at most %d sweeps of gs, no acceleration.\n"
         "%%alt: calls of the fail-safe, %%fail: local problems above tolerance, in %% of local solves;\n"
         "%%>tol: problems above the global tolerance; sweeps and time of the solve alone: means.\n"
         "pyramid4 and duriez06 alone do not aim at Coulomb's law: judged at 5e-2, as pyramids are in the paper.\n",
         r->problems, r->max_sweeps);
}

/* ---- CSV ---- */

static void write_run(FILE *out, const bench_solver *solver, const bench_run *run)
{
  char name[32];
  const skein_solve_info *i = &run->info;
  const double numbers[] = {i->error.rel, i->error.fb, i->seconds - i->seconds_setup, i->seconds_setup};
  tool_local_name(solver->local, solver->failsafe, solver->ball, name);
  tool_csv_text(out, run->path);
  fprintf(out, ",%d,%s,%g,%d,%d", run->contacts, name, solver->tol, i->converged, i->iterations);
  for (int k = 0; k < 4; k++) fputc(',', out), tool_csv_number(out, numbers[k]);
  fprintf(out, ",%lld,%lld,%lld,%d\n", (long long)i->local_solves, (long long)i->local_alternates,
          (long long)i->local_failures, i->threads);
}

int bench_write_csv(const char *path, const bench_results *r)
{
  tool_file file;
  int code = tool_file_open(path, &file);
  if (code != TOOL_OK) return code;
  fputs("file,contacts,local,tol,converged,iterations,error_rel,error_fb,seconds_solve,seconds_setup,local_solves,"
        "local_alternates,local_failures,threads\n",
        file.stream);
  for (int s = 0; s < r->solvers; s++)
    for (int p = 0; p < r->problems; p++)
      write_run(file.stream, &r->solver[s], &r->run[(size_t)s * (size_t)r->problems + (size_t)p]);
  return tool_file_commit(&file);
}

/* ---- The plot ---- */

static int compare_ints(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Points (sweeps, % of problems that need more), a staircase down from 100 %. */
static bool write_curve(FILE *out, int index, const bench_run *run, int problems, int max_sweeps)
{
  int *sweeps = malloc((size_t)problems * sizeof *sweeps), count = 0;
  if (!sweeps) return false;
  for (int p = 0; p < problems; p++)
    if (run[p].info.converged) sweeps[count++] = run[p].info.iterations < 1 ? 1 : run[p].info.iterations;
  qsort(sweeps, (size_t)count, sizeof *sweeps, compare_ints);
  fprintf(out, "$c%d << END\n1 100\n", index);
  for (int k = 0; k < count; k++)
    if (k + 1 == count || sweeps[k] != sweeps[k + 1])
      fprintf(out, "%d %.6g\n", sweeps[k], percent(problems - k - 1, problems));
  fprintf(out, "%d %.6g\nEND\n", max_sweeps, percent(problems - count, problems));
  free(sweeps);
  return true;
}

/* One colour per local solver, dashed alone, solid with +enum; wide lines first, so that equal curves are all seen. */
static bool write_script(FILE *out, const bench_results *r)
{
  double tightest = 1e300;
  static const char *const colours[] = {"#d62728", "#1f77b4", "#ff7f0e", "#2ca02c",
                                        "#9467bd", "#8c564b", "#e377c2", "#7f7f7f"};
  char name[32];
  for (int s = 0; s < r->solvers; s++)
    if (!write_curve(out, s, r->run + (size_t)s * (size_t)r->problems, r->problems, r->max_sweeps)) return false;
  fprintf(out,
          "set terminal svg size 900,560 dynamic font 'sans-serif,13' background 'white'\n"
          "set logscale x\nset xrange [1:%d]\nset yrange [0:102]\nset format y '%%g %%%%'\n"
          "set xlabel 'Gauss-Seidel sweeps'\nset ylabel 'problems not yet converged'\n"
          "set key outside right\nset grid lc rgb '#dddddd'\nset border 3\nset tics nomirror\nplot ",
          r->max_sweeps > 1 ? r->max_sweeps : 2);
  for (int s = 0; s < r->solvers; s++) tightest = r->solver[s].tol < tightest ? r->solver[s].tol : tightest;
  for (int s = 0; s < r->solvers; s++) {
    const bench_solver *solver = &r->solver[s];
    tool_local_name(solver->local, solver->failsafe, solver->ball, name);
    double width = 1.5 + 5.0 * (r->solvers - 1 - s) / r->solvers;
    fprintf(out, "%s$c%d with steps lw %.2f dt %d lc rgb '%s' title '%s", s ? ", " : "", s, width,
            solver->failsafe ? 1 : 2, colours[(int)solver->local % 8], name);
    if (solver->tol > tightest) fprintf(out, " (to %g)", solver->tol);
    fputc('\'', out);
  }
  fputc('\n', out);
  return true;
}

int bench_plot(const char *path, const bench_results *r)
{
  tool_file svg;
  int code = tool_file_open(path, &svg);
  if (code != TOOL_OK) return code;
  FILE *script = tmpfile();
  bool ready = script && write_script(script, r) && fflush(script) == 0;
  int drawn = ready ? tool_gnuplot(&(tool_gnuplot_def){.in = script, .out = svg.stream}) : -1;
  if (script) fclose(script);
  if (ready && drawn == 0) return tool_file_commit(&svg);
  tool_file_discard(&svg);
  if (!ready) return tool_error("%s: cannot write the plot script: %s", path, strerror(errno)), TOOL_IO;
  return tool_gnuplot_report(path, drawn);
}
