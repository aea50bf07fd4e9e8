/* `newton-ac` on the problems that it was published for, sparse hair (nu < 1; Bertails-Descoubes et al. 2011): from the
 * impulses that the step began with and from zero, to 1e-4 in 200 iterations, with both balls.
 * SKEIN_HAIR_DIR, SKEIN_FCLIB_DIR: folders of saved and of real problems. */
#include "support.h"

#include <dirent.h>

enum { BALLS = 2, STARTS = 2 };
static const char *const balls[BALLS] = {"augmented", "plain"}, *const starts[STARTS] = {"guess", "zero"};

typedef struct tally {
  int problems, solved, iterations, most; /* iterations: of those that are solved */
} tally;

static skein_solve_info run_newton(const skein_problem *p, skein_ball ball, const double *guess)
{
  skein_solution s = {0};
  skein_solve_info info;
  skein_solve_def def = skein_default_solve_def();
  def.method = SKEIN_NEWTON_AC, def.ball = ball, def.tol = 1e-4, def.max_sweeps = 200, def.threads = 1;
  def.warm_start = guess != NULL;
  expect_ok(skein_solution_create(p, &s));
  if (guess) memcpy(s.r, guess, size_of(p) * sizeof *guess);
  expect_ok(skein_solve(p, &def, &s, &info));
  skein_solution_destroy(&s);
  return info;
}

static void count(tally *t, const skein_solve_info *info)
{
  t->problems++, t->solved += info->converged;
  if (!info->converged) return;
  t->iterations += info->iterations;
  if (info->iterations > t->most) t->most = info->iterations;
}

static void print_tally(const char *set, const char *start, const char *ball, const tally *t)
{
  printf("  %-12s %-6s %-10s %4d of %4d solved, iterations: mean %.1f, most %d\n", set, start, ball, t->solved,
         t->problems, (double)t->iterations / (t->solved ? t->solved : 1), t->most);
}

static bool nearly_all(const tally *t)
{
  return t->problems > 0 && t->solved >= 0.95 * t->problems;
}

/* Every problem of a folder whose name begins with `head`. */
static bool run_folder(const char *folder, const char *head, tally t[STARTS][BALLS])
{
  DIR *dir = folder ? opendir(folder) : NULL;
  if (!dir) return false;
  for (const struct dirent *e; (e = readdir(dir));) {
    char path[1024];
    skein_fclib file;
    if (strncmp(e->d_name, head, strlen(head)) != 0 || !strstr(e->d_name, ".hdf5")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    expect_ok(skein_fclib_read(path, &file));
    for (int s = 0; s < STARTS; s++)
      for (int b = 0; b < BALLS; b++) {
        if (s == 0 && file.guesses == 0) continue;
        skein_solve_info info = run_newton(&file.problem, (skein_ball)b, s == 0 ? file.guess[0].r : NULL);
        count(&t[s][b], &info);
      }
    skein_fclib_destroy(&file);
  }
  closedir(dir);
  return true;
}

static void saved_hair(void **unused)
{
  (void)unused;
  const char *folder = getenv("SKEIN_HAIR_DIR");
  tally t[STARTS][BALLS] = {0};
  if (!run_folder(folder, "wavy-hair", t)) {
    printf("  skipped: SKEIN_HAIR_DIR (%s) holds no saved problems\n", folder ? folder : "not set");
    skip();
    return;
  }
  for (int s = 0; s < STARTS; s++)
    for (int b = 0; b < BALLS; b++) print_tally("wavy hair", starts[s], balls[b], &t[s][b]);
  for (int s = 0; s < STARTS; s++) assert_true(nearly_all(&t[s][0]));
}

/* Beyond what it is for: rigid bodies, some with nu far above 1. */
static void real_problems(void **unused)
{
  (void)unused;
  const char *folder = getenv("SKEIN_FCLIB_DIR");
  tally t[STARTS][BALLS] = {0};
  if (!run_folder(folder, "", t)) {
    printf("  skipped: SKEIN_FCLIB_DIR (%s) holds no real problems\n", folder ? folder : "not set");
    skip();
    return;
  }
  for (int b = 0; b < BALLS; b++) print_tally("real", "zero", balls[b], &t[1][b]);
  assert_int_equal(t[1][0].solved, t[1][0].problems);
}

/* The steps of a run of its own. */
static void moving_hair(void **unused)
{
  (void)unused;
  skein_scene *scene;
  skein_world *world;
  skein_step_info info;
  tally t[STARTS][BALLS] = {0};
  expect_ok(skein_scene_read(SKEIN_SOURCE_DIR "/scenes/wavy-hair.json", NULL, 0, &scene));
  expect_ok(skein_world_create(scene, 1, &world));
  for (int step = 1; step <= (SLOW_BUILD ? 60 : 240); step++) {
    expect_ok(skein_world_step(world, 1e9, &info));
    const skein_problem *p = skein_world_problem(world);
    if (step % 3 != 0 || !p || p->contacts == 0) continue;
    for (int b = 0; b < BALLS; b++) {
      skein_solve_info solved = run_newton(p, (skein_ball)b, NULL);
      count(&t[1][b], &solved);
    }
  }
  for (int b = 0; b < BALLS; b++) print_tally("wavy hair", "zero", balls[b], &t[1][b]);
  assert_true(t[1][0].problems >= 10 && nearly_all(&t[1][0]));
  skein_world_destroy(world);
  skein_scene_destroy(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(saved_hair), cmocka_unit_test(real_problems),
                                     cmocka_unit_test(moving_hair)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
