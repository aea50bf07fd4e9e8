/* The one-step problem of a world as an FCLIB file: with what its solver began with, and what it found. */
#include "run.h"

#include <string.h>

/* The first guess of the file: r, with the velocities that go with it. */
static skein_status make_guess(const skein_problem *p, const double *r, skein_solution *guess)
{
  skein_error error;
  skein_status s = skein_solution_create(p, guess);
  if (s.code != SKEIN_OK) return s;
  memcpy(guess->r, r, (size_t)p->d * (size_t)p->contacts * sizeof *r);
  return skein_problem_error(p, r, &error, guess->u, guess->v);
}

skein_status run_dump(const skein_world *world, const char *title, bool solved, const char *path)
{
  const skein_problem *p = skein_world_problem(world);
  const double *r = skein_world_guess(world);
  if (!p) return (skein_status){.code = SKEIN_BAD_INPUT, .message = "the step has no contacts"};
  skein_fclib file = {.problem = *p, .title = (char *)title};
  skein_solution guess = {0};
  skein_status s = {.code = SKEIN_OK};
  if (solved) file.solution = *skein_world_solution(world);
  if (solved && r) s = make_guess(p, r, &guess), file.guesses = 1, file.guess = &guess;
  if (s.code == SKEIN_OK) s = skein_fclib_write(path, &file);
  skein_solution_destroy(&guess);
  return s;
}
