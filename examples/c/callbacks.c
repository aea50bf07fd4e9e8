/* A callback sees the error fall, and may stop the solve: here as soon as it is below 1e-3. */
#include <skein/skein.h>

#include <stdio.h>

typedef struct watcher {
  int calls;
  double last;
} watcher;

/* Comes from any thread, one call at a time. */
static bool watch(void *user, const skein_progress *now)
{
  watcher *w = user;
  w->calls++, w->last = now->error.rel;
  printf("  %-4s %5d sweeps  error %.1e\n", now->method, now->iteration, now->error.rel);
  return now->error.rel < 1e-3;
}

int main(void)
{
  skein_hairlike_def hair = skein_default_hairlike_def();
  hair.rods = 40, hair.contacts = 300;
  watcher w = {0};
  skein_solve_def def = skein_default_solve_def();
  def.method = SKEIN_GS, def.tol = 1e-9, def.look = 10;
  def.progress = watch, def.user = &w;
  skein_problem p;
  skein_solution x = {0};
  skein_solve_info info = {0};
  skein_status s = skein_make_hairlike(&hair, &p);
  if (s.code != SKEIN_OK) return puts(s.message), 1;
  s = skein_solution_create(&p, &x);
  if (s.code == SKEIN_OK) s = skein_solve(&p, &def, &x, &info);
  if (s.code != SKEIN_OK) puts(s.message);
  else
    printf("stopped after %d sweeps with an error of %.1e: %s\n", info.iterations, info.error.rel,
           info.converged ? "converged" : "not converged, which is data");
  skein_solution_destroy(&x);
  skein_problem_destroy(&p);
  return s.code == SKEIN_OK && !info.converged && w.calls > 1 && w.last < 1e-3 ? 0 : 1;
}
