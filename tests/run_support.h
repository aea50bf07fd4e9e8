/* Runs for the tests: frames, steps and states that are functions of their index, and whether they came back. */
#ifndef SKEIN_TESTS_RUN_SUPPORT_H
#define SKEIN_TESTS_RUN_SUPPORT_H

#include "support.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RODS = 40, STATE_MOST = 100 + 3000 * 3 };

static const char source[] = "{\n  \"title\": \"a heap of h\xc3\xa4r\"\n}\n";
static const char *const names[] = {"hair[0]", "hair[1]", "hair[2]", "head"};
static const skein_manifest manifest = {
    .title = "a heap of h\xc3\xa4r", .source = source, .fps = 25, .rods = 3, .bodies = 1, .name = names};

/* ---- Frames that are a function of their index ---- */

static inline void *numbers(size_t count, size_t size)
{
  void *p = sk_calloc(count, size);
  assert_non_null(p);
  return p;
}

/* Odd frames have contacts. */
static inline skein_frame make_frame(int index, int rods)
{
  sk_random g = sk_random_make((uint64_t)index + 1);
  skein_frame f = {.index = index, .time = index / 25.0, .dt = 1e-3 * (index + 1), .rods = rods, .bodies = 2};
  f.point_start = numbers((size_t)rods + 1, sizeof(int));
  for (int i = 0; i < rods; i++) f.point_start[i + 1] = f.point_start[i] + 3 + i % 5;
  f.points = f.point_start[rods];
  f.contacts = index % 2 ? 3 * rods : 0;
  size_t c = (size_t)f.contacts;
  f.point = numbers(3 * (size_t)f.points, sizeof(float)), f.radius = numbers((size_t)rods, sizeof(float));
  f.rod_source = numbers((size_t)rods, sizeof(int));
  f.rod_group = numbers((size_t)rods, sizeof(int)), f.body_pose = numbers(14, sizeof(double));
  f.contact_object = numbers(2 * c, sizeof(int)), f.contact_s = numbers(2 * c, sizeof(double));
  f.contact_point = numbers(3 * c, sizeof(double)), f.contact_normal = numbers(3 * c, sizeof(double));
  f.contact_impulse = numbers(3 * c, sizeof(double)), f.contact_gap = numbers(c, sizeof(double));
  f.contact_status = numbers(c, 1);
  for (int k = 0; k < 3 * f.points; k++) f.point[k] = (float)sk_random_normal(&g);
  for (int i = 0; i < rods; i++) f.radius[i] = 1e-3f, f.rod_group[i] = i % 3, f.rod_source[i] = rods - i;
  for (int k = 0; k < 14; k++) f.body_pose[k] = sk_random_normal(&g);
  for (size_t k = 0; k < c; k++) {
    f.contact_object[2 * k] = sk_random_int(&g, rods), f.contact_object[2 * k + 1] = rods + sk_random_int(&g, 2);
    f.contact_s[2 * k] = sk_random_uniform(&g, 0, 1), f.contact_gap[k] = sk_random_normal(&g);
    f.contact_status[k] = (signed char)sk_random_int(&g, 3);
    for (size_t j = 3 * k; j < 3 * k + 3; j++) {
      f.contact_point[j] = sk_random_normal(&g), f.contact_normal[j] = sk_random_normal(&g);
      f.contact_impulse[j] = sk_random_normal(&g);
    }
  }
  return f;
}

static inline void expect_same_frame(const skein_frame *a, const skein_frame *b)
{
  size_t rods = (size_t)a->rods, c = (size_t)a->contacts;
  assert_int_equal(a->index, b->index);
  assert_memory_equal(&a->time, &b->time, sizeof a->time);
  assert_memory_equal(&a->dt, &b->dt, sizeof a->dt);
  assert_int_equal(a->rods, b->rods);
  assert_int_equal(a->points, b->points);
  assert_int_equal(a->bodies, b->bodies);
  assert_int_equal(a->contacts, b->contacts);
  assert_memory_equal(a->point_start, b->point_start, (rods + 1) * sizeof(int));
  assert_memory_equal(a->point, b->point, 3 * (size_t)a->points * sizeof(float));
  assert_memory_equal(a->radius, b->radius, rods * sizeof(float));
  assert_memory_equal(a->rod_group, b->rod_group, rods * sizeof(int));
  assert_memory_equal(a->rod_source, b->rod_source, rods * sizeof(int));
  assert_memory_equal(a->body_pose, b->body_pose, 7 * (size_t)a->bodies * sizeof(double));
  assert_memory_equal(a->contact_object, b->contact_object, 2 * c * sizeof(int));
  assert_memory_equal(a->contact_s, b->contact_s, 2 * c * sizeof(double));
  assert_memory_equal(a->contact_point, b->contact_point, 3 * c * sizeof(double));
  assert_memory_equal(a->contact_normal, b->contact_normal, 3 * c * sizeof(double));
  assert_memory_equal(a->contact_impulse, b->contact_impulse, 3 * c * sizeof(double));
  assert_memory_equal(a->contact_gap, b->contact_gap, c * sizeof(double));
  assert_memory_equal(a->contact_status, b->contact_status, c);
}

/* A verdict that differs from step to step; that of every fifth is not finite, as what diverged is. */
static inline skein_verdict make_verdict(int k)
{
  double size = k % 5 == 4 ? INFINITY : 0.1 * k;
  return (skein_verdict){.flaws = (unsigned)k % (1u << SKEIN_FLAW_COUNT),
                         .overlap = {size, k, RODS},
                         .deeper = {0.25 * size, 1, k},
                         .curved = {1 + size, 2, -1},
                         .balance = {k % 5 == 3 ? NAN : 3, 3, -1},
                         .reach = {4, 4, -1},
                         .speed = {5, -1, -1},
                         .crossed = {k, 6, 7},
                         .made = 1e-6 * k,
                         .turnover = 1e-3};
}

/* `count` steps before frame `index`. */
static inline void make_steps(int index, int count, skein_step_info *steps)
{
  for (int k = 0; k < count; k++)
    steps[k] = (skein_step_info){.time = index + 0.1 * k,
                                 .dt = 1e-3,
                                 .retries = k % 2,
                                 .contacts = 10 * index,
                                 .islands = k,
                                 .rods_asleep = 3,
                                 .nu = 0.25 * k,
                                 .sweeps = 20 + k,
                                 .error = 1e-7,
                                 .tol = 1e-6,
                                 .converged = k % 3 != 0,
                                 .stick = 1,
                                 .slide = 2,
                                 .open = 3,
                                 .penetration = 0.01,
                                 .speed = 2,
                                 .kinetic = 3,
                                 .elastic = 4,
                                 .gravity = -5,
                                 .work = 12,
                                 .dissipated = 6,
                                 .dissipated_friction = 5,
                                 .seconds_rods = 7,
                                 .seconds_collide = 8,
                                 .seconds_assemble = 9,
                                 .seconds_solve = 10,
                                 .seconds_other = 11,
                                 .seconds_loop = 9.5,
                                 .memory = 100,
                                 .rods = RODS,
                                 .verdict = make_verdict(k),
                                 .attempts = k % 4};
  for (int k = 0; k < count; k++)
    for (int j = 0; j < steps[k].attempts; j++)
      steps[k].attempt[j] = (skein_attempt){1e-3 / (j + 1), 1u << j, (skein_action)(j + index % 4), 10 * j, 1e-4};
}

static inline bool same_finding(skein_finding a, skein_finding b)
{
  return (a.size == b.size || (isnan(a.size) && isnan(b.size))) && a.a == b.a && a.b == b.b;
}

static inline void expect_same_verdict(const skein_step_info *a, const skein_step_info *b)
{
  const skein_verdict *v = &a->verdict, *w = &b->verdict;
  assert_true(v->flaws == w->flaws && v->made == w->made && v->turnover == w->turnover);
  assert_true(same_finding(v->overlap, w->overlap) && same_finding(v->deeper, w->deeper));
  assert_true(same_finding(v->curved, w->curved) && same_finding(v->balance, w->balance));
  assert_true(same_finding(v->reach, w->reach) && same_finding(v->speed, w->speed));
  assert_true(same_finding(v->crossed, w->crossed) && a->rods == b->rods);
  assert_int_equal(a->attempts, b->attempts);
  for (int k = 0; k < a->attempts; k++) {
    const skein_attempt *x = &a->attempt[k], *y = &b->attempt[k];
    assert_true(x->dt == y->dt && x->flaws == y->flaws && x->action == y->action && x->sweeps == y->sweeps &&
                x->seconds == y->seconds);
  }
}

static inline int steps_before(int index)
{
  return index == 0 ? 0 : 1 + index % 4;
}

static inline size_t state_size(int index)
{
  return 100 + 3000 * (size_t)(index % 3);
}

static inline void make_state(int index, unsigned char *state)
{
  sk_random g = sk_random_make((uint64_t)index + 77);
  for (size_t k = 0; k < state_size(index); k++) state[k] = (unsigned char)sk_random_u64(&g);
}

static inline skein_status append(skein_run *run, int index, int rods)
{
  skein_step_info steps[8];
  unsigned char state[STATE_MOST];
  skein_frame f = make_frame(index, rods);
  make_steps(index, steps_before(index), steps);
  make_state(index, state);
  skein_status s = skein_run_append(run, &f, steps, steps_before(index), state, state_size(index));
  skein_frame_destroy(&f);
  return s;
}

/* ---- What a run holds ---- */

static inline void expect_steps(const skein_run *run, int frames)
{
  skein_step_info *steps, wanted[8];
  int count, at = 0;
  expect_ok(skein_run_steps(run, &steps, &count));
  for (int k = 0; k < frames; k++) {
    make_steps(k, steps_before(k), wanted);
    for (int j = 0; j < steps_before(k); j++, at++) {
      assert_true(at < count);
      const skein_step_info *a = &steps[at], *b = &wanted[j];
      assert_true(a->time == b->time && a->dt == b->dt && a->retries == b->retries && a->contacts == b->contacts);
      assert_true(a->islands == b->islands && a->rods_asleep == b->rods_asleep && a->nu == b->nu &&
                  a->sweeps == b->sweeps);
      assert_true(a->error == b->error && a->converged == b->converged && a->stick == b->stick && a->slide == b->slide);
      assert_true(a->open == b->open && a->penetration == b->penetration && a->speed == b->speed);
      assert_true(a->kinetic == b->kinetic && a->elastic == b->elastic && a->gravity == b->gravity);
      assert_true(a->dissipated == b->dissipated && a->work == b->work && a->seconds_rods == b->seconds_rods);
      assert_true(a->seconds_collide == b->seconds_collide && a->seconds_assemble == b->seconds_assemble);
      assert_true(a->seconds_solve == b->seconds_solve && a->seconds_other == b->seconds_other);
      assert_true(a->tol == b->tol && a->dissipated_friction == b->dissipated_friction);
      assert_true(a->seconds_loop == b->seconds_loop && a->memory == b->memory);
      expect_same_verdict(a, b);
    }
  }
  assert_int_equal(at, count);
  free(steps);
}

/* The state after frame `index`, with `count` steps behind it. */
static inline void expect_state(const skein_run *run, int index, int count)
{
  void *state;
  size_t size;
  skein_step_info *steps;
  int found;
  unsigned char wanted[STATE_MOST];
  make_state(index, wanted);
  expect_ok(skein_run_state(run, &state, &size, &steps, &found));
  assert_int_equal(size, state_size(index));
  assert_memory_equal(state, wanted, size);
  assert_int_equal(found, count);
  free(state);
  free(steps);
}

static inline void expect_frames(const skein_run *run, int frames, int rods)
{
  assert_int_equal(skein_run_frames(run), frames);
  for (int k = 0; k < frames; k++) {
    skein_frame f, wanted = make_frame(k, rods);
    expect_ok(skein_run_frame(run, k, &f));
    expect_same_frame(&f, &wanted);
    skein_frame_destroy(&f);
    skein_frame_destroy(&wanted);
  }
  skein_frame none;
  expect_bad(skein_run_frame(run, frames, &none), "has frames 0 to");
  expect_bad(skein_run_frame(run, -1, &none), "has frames 0 to");
}

static inline void expect_run(const char *path, int frames, int rods)
{
  skein_run *run;
  expect_ok(skein_run_open(path, false, &run));
  assert_string_equal(skein_run_source(run), source);
  assert_string_equal(skein_run_title(run), manifest.title);
  assert_string_equal(skein_run_version(run), skein_version());
  assert_true(skein_run_fps(run) == 25);
  expect_frames(run, frames, rods);
  expect_steps(run, frames);
  expect_state(run, frames - 1, 0);
  skein_run_close(run);
}

static inline bool there(const char *path)
{
  struct stat about;
  return lstat(path, &about) == 0;
}

static inline int entries(const char *folder)
{
  int count = 0;
  DIR *d = opendir(folder);
  if (!d) return -1;
  for (struct dirent *e; (e = readdir(d));) count += e->d_name[0] != '.';
  closedir(d);
  return count;
}

static inline void make_run(const char *path, int frames, int rods, bool finish)
{
  skein_run *run;
  expect_ok(skein_run_create(path, &manifest, &run));
  for (int k = 0; k < frames; k++) expect_ok(append(run, k, rods));
  if (finish) expect_ok(skein_run_finish(run));
  skein_run_close(run);
}

static inline void remove_run(const char *path)
{
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s' '%s.d'", path, path);
  assert_int_equal(system(command), 0);
}

/* ---- A folder of its own, which goes with the tests ---- */

static char start[1024], work[64];

static inline int set_up(void **unused)
{
  (void)unused;
  bool memory = access("/dev/shm", W_OK) == 0; /* where fsync costs nothing */
  snprintf(work, sizeof work, "%s/skein-test-run-XXXXXX", memory ? "/dev/shm" : "/tmp");
  return !getcwd(start, sizeof start) || !mkdtemp(work) || chdir(work);
}

static inline int tear_down(void **unused)
{
  (void)unused;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", work);
  return chdir(start) || system(command);
}

#endif
