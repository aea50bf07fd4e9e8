/* Runs: frames, steps and states come back as they went in; whatever happens to the program, the disk or the files, a
 * run opens with what was appended, or says what is wrong. */
#include "run_support.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* ---- Tests ---- */

static void test_round_trip(void **unused)
{
  (void)unused;
  skein_run *run;
  skein_manifest elsewhere = manifest;
  elsewhere.folder = "/some/where";
  expect_ok(skein_run_create("a.h5", &elsewhere, &run));
  assert_int_equal(skein_run_frames(run), 0);
  assert_false(there("a.h5") || there("a.h5.d"));
  for (int k = 0; k < 6; k++) {
    expect_ok(append(run, k, RODS));
    expect_frames(run, k + 1, RODS);
    expect_run("a.h5", k + 1, RODS);
  }
  expect_state(run, 5, 0);
  assert_true(there("a.h5.d/000005.h5") && there("a.h5.d/state.h5"));
  expect_ok(skein_run_finish(run));
  assert_false(there("a.h5.d"));
  expect_frames(run, 6, RODS);
  expect_ok(skein_run_finish(run));
  skein_run_close(run);
  expect_run("a.h5", 6, RODS);
  expect_ok(skein_run_open("a.h5", false, &run));
  assert_string_equal(skein_run_folder(run), "/some/where");
  skein_run_close(run);
  assert_int_equal(entries("."), 1);
  remove_run("a.h5");
}

/* Nothing in it, no rods, no bodies: still a frame. */
static void test_empty_frame(void **unused)
{
  (void)unused;
  int zero[1] = {0};
  skein_run *run;
  skein_frame f = {.point_start = zero}, g;
  expect_ok(skein_run_create("e.h5", &manifest, &run));
  expect_ok(skein_run_append(run, &f, NULL, 0, NULL, 0));
  f.index = 1;
  expect_ok(skein_run_append(run, &f, NULL, 0, NULL, 0));
  expect_ok(skein_run_frame(run, 1, &g));
  assert_int_equal(g.rods + g.points + g.bodies + g.contacts, 0);
  skein_frame_destroy(&g);
  skein_run_close(run);
  expect_ok(skein_run_open("e.h5", true, &run)); /* without a state it goes on from its frames */
  assert_int_equal(skein_run_frames(run), 2);
  f.index = 2;
  expect_ok(skein_run_append(run, &f, NULL, 0, NULL, 0));
  expect_ok(skein_run_finish(run));
  skein_run_close(run);
  remove_run("e.h5");
}

static void test_wrong_calls(void **unused)
{
  (void)unused;
  skein_run *run;
  skein_frame f = make_frame(0, 3);
  expect_ok(skein_run_create("w.h5", &manifest, &run));
  expect_bad(skein_run_finish(run), "no frame");
  expect_bad(skein_run_checkpoint(run, NULL, 0, NULL, 0), "state is empty");
  f.index = 1;
  expect_bad(skein_run_append(run, &f, NULL, 0, "x", 1), "cannot follow");
  f.index = 0, f.point[4] = NAN;
  expect_bad(skein_run_append(run, &f, NULL, 0, "x", 1), "point 1 is not finite");
  f.point[4] = 0, f.point_start[1] = 100;
  expect_bad(skein_run_append(run, &f, NULL, 0, "x", 1), "point_start");
  f.point_start[1] = 3;
  expect_bad(skein_run_append(run, &f, NULL, 7, "x", 1), "step_count");
  assert_int_equal(entries("."), 0);
  expect_ok(skein_run_append(run, &f, NULL, 0, "x", 1));
  skein_run_close(run);
  expect_ok(skein_run_open("w.h5", false, &run));
  f.index = 1;
  expect_bad(skein_run_append(run, &f, NULL, 0, "x", 1), "read only");
  expect_bad(skein_run_finish(run), "read only");
  skein_run_close(run);
  skein_frame_destroy(&f);
  remove_run("w.h5");
}

static void test_checkpoint_and_resume(void **unused)
{
  (void)unused;
  skein_run *run;
  skein_step_info steps[8];
  unsigned char state[STATE_MOST];
  make_run("c.h5", 3, RODS, false);
  expect_ok(skein_run_open("c.h5", true, &run));
  make_steps(3, 2, steps);
  make_state(8, state);
  expect_ok(skein_run_checkpoint(run, steps, 2, state, state_size(8)));
  skein_run_close(run);
  expect_ok(skein_run_open("c.h5", true, &run));
  assert_int_equal(skein_run_frames(run), 3);
  expect_state(run, 8, 2);
  expect_ok(append(run, 3, RODS));
  skein_run_close(run);
  expect_run("c.h5", 4, RODS);
  remove_run("c.h5");
}

/* A finished run goes on, and is finished again. */
static void test_reopen_finished(void **unused)
{
  (void)unused;
  skein_run *run;
  make_run("r.h5", 3, RODS, true);
  expect_ok(skein_run_open("r.h5", true, &run));
  assert_false(there("r.h5.d")); /* not before there is something to write */
  skein_run_close(run);
  expect_run("r.h5", 3, RODS);
  expect_ok(skein_run_open("r.h5", true, &run));
  expect_ok(append(run, 3, RODS));
  expect_run("r.h5", 4, RODS);
  expect_ok(append(run, 4, RODS));
  skein_run_close(run);
  expect_run("r.h5", 5, RODS);
  expect_ok(skein_run_open("r.h5", true, &run)); /* and stopped before it is finished */
  expect_ok(append(run, 5, RODS));
  expect_ok(skein_run_finish(run));
  skein_run_close(run);
  expect_run("r.h5", 6, RODS);
  expect_ok(skein_run_open("r.h5", true, &run)); /* a checkpoint only */
  unsigned char state[STATE_MOST];
  make_state(5, state);
  expect_ok(skein_run_checkpoint(run, NULL, 0, state, state_size(5)));
  skein_run_close(run);
  expect_run("r.h5", 6, RODS);
  expect_ok(skein_run_open("r.h5", true, &run));
  skein_frame f = make_frame(6, RODS); /* and a frame without a state */
  expect_ok(skein_run_finish(run));
  expect_ok(skein_run_append(run, &f, NULL, 0, NULL, 0));
  skein_frame_destroy(&f);
  skein_run_close(run);
  expect_ok(skein_run_open("r.h5", true, &run)); /* it comes again */
  assert_int_equal(skein_run_frames(run), 6);
  expect_state(run, 5, 0);
  skein_run_close(run);
  remove_run("r.h5");
}

static void test_replace(void **unused)
{
  (void)unused;
  skein_run *run;
  make_run("p.h5", 5, RODS, false);
  expect_ok(skein_run_create("p.h5", &manifest, &run));
  expect_run("p.h5", 5, RODS); /* until the first frame */
  expect_ok(append(run, 0, 7));
  expect_run("p.h5", 1, 7);
  assert_int_equal(entries("p.h5.d"), 3);
  skein_run_close(run);
  make_run("p.h5", 2, 7, true);
  make_run("p.h5", 3, RODS, false);
  expect_run("p.h5", 3, RODS);
  remove_run("p.h5");
  FILE *precious = fopen("p.h5", "w");
  fputs("{\"a scene\": 1}", precious);
  fclose(precious);
  expect_bad(skein_run_create("p.h5", &manifest, &run), "not replaced");
  unlink("p.h5");
  assert_int_equal(skein_run_create("/", &manifest, &run).code, SKEIN_IO_FAILURE);
  assert_int_equal(skein_run_create("", &manifest, &run).code, SKEIN_IO_FAILURE);
  expect_ok(skein_run_create("no/such/folder/x.h5", &manifest, &run));
  assert_int_equal(append(run, 0, 3).code, SKEIN_IO_FAILURE);
  skein_run_close(run);
}

static void test_moved(void **unused)
{
  (void)unused;
  skein_run *run;
  make_run("m.h5", 3, RODS, false);
  assert_int_equal(system("mkdir sub && mv m.h5 m.h5.d sub/"), 0);
  expect_run("sub/m.h5", 3, RODS);
  assert_int_equal(system("mv sub/m.h5 sub/n.h5 && mv sub/m.h5.d sub/n.h5.d"), 0); /* both renamed */
  expect_run("sub/n.h5", 3, RODS);
  assert_int_equal(system("mv sub/n.h5 sub/o.h5 && mv sub/n.h5.d sub/m.h5.d"), 0); /* the file alone */
  expect_run("sub/o.h5", 3, RODS);
  expect_ok(skein_run_open("sub/o.h5", true, &run));
  expect_ok(append(run, 3, RODS));
  skein_run_close(run);
  expect_run("sub/o.h5", 4, RODS);
  assert_int_equal(symlink("sub/o.h5", "link.h5"), 0);
  expect_run("link.h5", 4, RODS);
  expect_ok(skein_run_open("link.h5", true, &run));
  expect_ok(skein_run_finish(run));
  skein_run_close(run);
  expect_run("sub/o.h5", 4, RODS);
  assert_int_equal(entries("sub"), 1);
  assert_int_equal(system("rm -rf sub link.h5"), 0);
}

/* A copy of the file alone reads the frames of its original, and does not take them away from it. */
static void test_copied(void **unused)
{
  (void)unused;
  skein_run *run;
  make_run("p.h5", 3, RODS, false);
  assert_int_equal(system("cp p.h5 q.h5"), 0);
  expect_run("q.h5", 3, RODS);
  skein_status s = skein_run_open("q.h5", true, &run);
  assert_int_equal(s.code, SKEIN_BAD_INPUT);
  assert_string_equal(s.message, "q.h5: is a copy of 'p.h5', whose frames are in 'p.h5.d': expected a copy of both");
  expect_run("p.h5", 3, RODS);
  assert_int_equal(system("cp -r p.h5.d q.h5.d"), 0);
  expect_ok(skein_run_open("q.h5", true, &run));
  expect_ok(skein_run_finish(run));
  skein_run_close(run);
  expect_run("q.h5", 3, RODS);
  expect_run("p.h5", 3, RODS);
  assert_int_equal(system("rm -rf p.h5 p.h5.d q.h5"), 0);
}

static void test_missing_pieces(void **unused)
{
  (void)unused;
  skein_run *run;
  skein_frame f;
  assert_int_equal(skein_run_open("none.h5", false, &run).code, SKEIN_IO_FAILURE);
  assert_null(run);
  make_run("g.h5", 3, RODS, false);
  assert_int_equal(rename("g.h5.d/000001.h5", "x"), 0);
  expect_ok(skein_run_open("g.h5", false, &run));
  assert_int_equal(skein_run_frame(run, 1, &f).code, SKEIN_IO_FAILURE);
  expect_ok(skein_run_frame(run, 2, &f));
  skein_frame_destroy(&f);
  skein_run_close(run);
  expect_bad(skein_run_open("g.h5", true, &run), "frame 1 is missing");
  assert_int_equal(rename("x", "g.h5.d/000001.h5"), 0);
  assert_int_equal(rename("g.h5.d/state.h5", "x"), 0);
  assert_int_equal(skein_run_open("g.h5", true, &run).code, SKEIN_IO_FAILURE);
  assert_int_equal(rename("g.h5.d", "h"), 0);
  skein_status s = skein_run_open("g.h5", false, &run);
  assert_int_equal(s.code, SKEIN_IO_FAILURE);
  assert_non_null(strstr(s.message, "its folder"));
  assert_int_equal(system("rm -rf g.h5 h x"), 0);
}

/* Two writers at once: the second one is told so. */
static void test_lock(void **unused)
{
  (void)unused;
  int state;
  make_run("l.h5", 2, 3, false);
  skein_run *run;
  expect_ok(skein_run_open("l.h5", true, &run));
  pid_t child = fork();
  if (child == 0) {
    skein_run *other;
    skein_status s = skein_run_open("l.h5", true, &other);
    bool told = s.code == SKEIN_IO_FAILURE && strstr(s.message, "another process");
    if (skein_run_create("l.h5", &manifest, &other).code != SKEIN_OK || append(other, 0, 3).code != SKEIN_IO_FAILURE)
      told = false;
    if (skein_run_open("l.h5", false, &other).code != SKEIN_OK) told = false; /* readers may */
    _exit(told ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &state, 0), child);
  assert_int_equal(state, 0);
  skein_run_close(run);
  expect_run("l.h5", 2, 3);
  remove_run("l.h5");
}

/* ---- Kills ---- */

static void pause_for(long microseconds)
{
  struct timespec t = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
  nanosleep(&t, NULL);
}

/* Goes on with the run to its last frame and finishes it; tells about every frame that is appended. */
static void child_writes(const char *path, int frames, int told)
{
  skein_run *run;
  if (there(path) ? skein_run_open(path, true, &run).code : skein_run_create(path, &manifest, &run).code) _exit(3);
  for (int k = skein_run_frames(run); k < frames; k++) {
    if (append(run, k, RODS).code != SKEIN_OK) _exit(4);
    if (write(told, &k, sizeof k) != sizeof k) _exit(5);
  }
  if (skein_run_finish(run).code != SKEIN_OK) _exit(6);
  skein_run_close(run);
  _exit(0);
}

/* Killed twenty times at random, opened each time; in the end it holds what a run holds that was left alone. */
static void test_kill(void **unused)
{
  (void)unused;
  enum { FRAMES = 120 };
  sk_random g = sk_random_make(4);
  int finished = 0, between = 0;
  for (int kill_count = 0; finished == 0; kill_count++) {
    int channel[2], last = -1, state;
    assert_int_equal(pipe(channel), 0);
    pid_t child = fork();
    if (child == 0) child_writes("k.h5", FRAMES, channel[1]);
    close(channel[1]);
    if (kill_count < 20) pause_for(1000 + sk_random_int(&g, SLOW_BUILD ? 200000 : 50000)), kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &state, 0), child);
    if (WIFEXITED(state)) assert_int_equal(WEXITSTATUS(state), 0);
    finished = WIFEXITED(state) && kill_count >= 20;
    for (int k; read(channel[0], &k, sizeof k) == sizeof k;) last = k;
    close(channel[0]);
    skein_run *run;
    if (!there("k.h5")) {
      assert_int_equal(last, -1); /* nothing was promised yet */
      continue;
    }
    expect_ok(skein_run_open("k.h5", false, &run));
    assert_true(skein_run_frames(run) >= last + 1);
    if (kill_count % 4 == 0) expect_frames(run, skein_run_frames(run), RODS);
    between += there("k.h5.d");
    skein_run_close(run);
    if (WIFEXITED(state) && !finished) remove_run("k.h5"); /* it was too fast: once more */
  }
  assert_true(between > 5);
  assert_false(there("k.h5.d"));
  expect_run("k.h5", FRAMES, RODS);
  remove_run("k.h5");
}

/* Every state of the disk between two renames, made by hand: the run goes on from the state. */
static void test_between_renames(void **unused)
{
  (void)unused;
  skein_run *run;
  for (int kind = 0; kind < 3; kind++) {
    make_run("b.h5", 3, RODS, false);
    assert_int_equal(system("cp b.h5 old.h5; cp b.h5.d/state.h5 old-state.h5"), 0);
    expect_ok(skein_run_open("b.h5", true, &run));
    expect_ok(append(run, 3, RODS));
    skein_run_close(run);
    if (kind == 0) assert_int_equal(system("cp old.h5 b.h5; cp old-state.h5 b.h5.d/state.h5"), 0); /* frame only */
    if (kind == 1) assert_int_equal(system("cp old.h5 b.h5"), 0); /* the state is newer than the file */
    if (kind == 2) assert_int_equal(system("cp old-state.h5 b.h5.d/state.h5"), 0); /* and older */
    expect_ok(skein_run_open("b.h5", true, &run));
    int frames = kind == 1 ? 4 : 3;
    expect_frames(run, frames, RODS);
    expect_state(run, frames - 1, 0);
    for (int k = frames; k < 6; k++) expect_ok(append(run, k, RODS));
    expect_ok(skein_run_finish(run));
    skein_run_close(run);
    expect_run("b.h5", 6, RODS);
    remove_run("b.h5");
  }
  /* Killed while a finished run was being reopened, or its folder removed: the folder does not matter. */
  make_run("b.h5", 3, RODS, true);
  assert_int_equal(system("mkdir b.h5.d; cp old.h5 b.h5.d/base.h5; cp old.h5 b.h5.d/000007.h5; cp old.h5 "
                          "b.h5.d/finished.new; cp old-state.h5 b.h5.d/state.h5"),
                   0);
  expect_run("b.h5", 3, RODS);
  expect_ok(skein_run_open("b.h5", true, &run));
  expect_ok(append(run, 3, RODS));
  assert_int_equal(entries("b.h5.d"), 4); /* base, frame 3, state, lock */
  expect_ok(skein_run_finish(run));
  skein_run_close(run);
  expect_run("b.h5", 4, RODS);
  assert_false(there("b.h5.d"));
  assert_int_equal(system("rm -rf b.h5 old.h5 old-state.h5"), 0);
}

/* ---- A full disk ---- */

/* No file may grow beyond `bytes` in the child: as if the disk were full there. */
static int with_limit(rlim_t bytes, void (*act)(void))
{
  int state;
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {bytes, bytes};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit)) _exit(99);
    act();
    exit(0); /* not _exit: HDF5 cleans up at exit, which is where it used to crash */
  }
  assert_int_equal(waitpid(child, &state, 0), child);
  assert_true(WIFEXITED(state));
  return WEXITSTATUS(state);
}

static void append_to_full(void)
{
  skein_run *run;
  if (skein_run_open("d.h5", true, &run).code != SKEIN_OK) exit(1);
  skein_status s = append(run, 3, 2000);
  if (s.code != SKEIN_IO_FAILURE || !strstr(s.message, "cannot write: File too large")) exit(2);
  skein_frame f;
  if (skein_run_frames(run) != 3 || skein_run_frame(run, 2, &f).code != SKEIN_OK) exit(3);
  skein_frame_destroy(&f);
  skein_run_close(run);
}

static void finish_on_full(void)
{
  skein_run *run;
  if (skein_run_open("d.h5", true, &run).code != SKEIN_OK) exit(1);
  skein_status s = skein_run_finish(run);
  if (s.code != SKEIN_IO_FAILURE || !strstr(s.message, "cannot write: File too large")) exit(2);
  skein_run_close(run);
}

static void create_on_full(void)
{
  skein_run *run;
  if (skein_run_create("d2.h5", &manifest, &run).code != SKEIN_OK) exit(1);
  if (append(run, 0, 2000).code != SKEIN_IO_FAILURE) exit(2);
  skein_run_close(run);
}

static void test_full_disk(void **unused)
{
  (void)unused;
  make_run("d.h5", 3, 2000, false);
  int before = entries("d.h5.d");
  const rlim_t limits[] = {0, 100, 5000, 20000, 60000};
  for (int k = 0; k < 5; k++) {
    int code = with_limit(limits[k], append_to_full);
    if (code == 1 && limits[k] < 100) continue; /* the lock itself */
    assert_int_equal(code, 0);
    expect_run("d.h5", 3, 2000);
    assert_int_equal(with_limit(limits[k], finish_on_full), 0);
    expect_run("d.h5", 3, 2000);
    assert_int_equal(with_limit(limits[k], create_on_full), 0);
    assert_false(there("d2.h5") || there("d2.h5.d"));
  }
  assert_int_equal(entries("d.h5.d"), before);
  remove_run("d.h5");
}

/* ---- Damage ---- */

/* Reads all there is; nobody crashes. Whether all was good. */
static bool read_all(const char *path, bool write)
{
  skein_run *run;
  skein_step_info *steps;
  void *state;
  size_t size;
  int count;
  skein_status s = skein_run_open(path, write, &run);
  assert_true(s.code == SKEIN_OK || s.message[0]);
  if (s.code != SKEIN_OK) return false;
  bool good = true;
  for (int k = 0; k < SK_MIN(skein_run_frames(run), 4); k++) {
    skein_frame f;
    good = skein_run_frame(run, k, &f).code == SKEIN_OK && good;
    skein_frame_destroy(&f);
  }
  if (skein_run_steps(run, &steps, &count).code == SKEIN_OK) free(steps);
  else good = false;
  if (skein_run_state(run, &state, &size, &steps, &count).code == SKEIN_OK) free(state), free(steps);
  else good = false;
  skein_run_close(run);
  return good;
}

static unsigned char *load(const char *path, size_t *size)
{
  FILE *in = fopen(path, "rb");
  unsigned char *data = numbers(1 << 20, 1);
  assert_non_null(in);
  *size = fread(data, 1, 1 << 20, in);
  fclose(in);
  return data;
}

static void store(const char *path, const unsigned char *data, size_t size)
{
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(data, 1, size, out), size);
  fclose(out);
}

/* Cuts and flips `file`, a part of the run at `run`. */
static void damage(const char *run, const char *file, uint64_t seed)
{
  size_t size;
  sk_random g = sk_random_make(seed);
  unsigned char *data = load(file, &size), *copy = numbers(size, 1);
  for (int k = 0; k < 10; k++) {
    store(file, data, (size_t)sk_random_int(&g, (int)size));
    assert_false(read_all(run, false));
    read_all(run, true);
  }
  for (int k = 0; k < 40; k++) {
    memcpy(copy, data, size);
    int flips = 1 + sk_random_int(&g, 8);
    for (int j = 0; j < flips; j++) copy[sk_random_int(&g, (int)size)] ^= (unsigned char)(1 << sk_random_int(&g, 8));
    store(file, copy, size);
    read_all(run, k % 2);
  }
  for (size_t k = 0; k < size; k++) copy[k] = (unsigned char)sk_random_u64(&g);
  store(file, copy, size);
  assert_false(read_all(run, false));
  memcpy(copy, data, 8); /* the signature, then noise */
  store(file, copy, size);
  assert_false(read_all(run, false));
  store(file, data, size);
  assert_true(read_all(run, false));
  free(copy);
  free(data);
}

/* A file whose steps say what no step can is refused, with the name of the column. */
static void test_odd_steps(void **unused)
{
  (void)unused;
  skein_run *run;
  skein_step_info odd[8], *steps;
  unsigned char state[STATE_MOST];
  int count;
  static const char *const columns[] = {"time", "nu", "error", "memory", "seconds_solve", "contacts", "retries"};
  for (int k = 0; k < 7; k++) {
    make_run("o.h5", 2, RODS, false);
    expect_ok(skein_run_open("o.h5", true, &run));
    make_steps(2, 2, odd), make_state(8, state);
    double *number[] = {&odd[1].time, &odd[1].nu, &odd[1].error, &odd[1].memory, &odd[1].seconds_solve};
    if (k < 5) *number[k] = k % 2 ? NAN : -INFINITY;
    else *(k == 5 ? &odd[1].contacts : &odd[1].retries) = -1;
    skein_status s = skein_run_checkpoint(run, odd, 2, state, state_size(8));
    skein_run_close(run);
    if (s.code == SKEIN_OK) s = skein_run_open("o.h5", false, &run);
    if (s.code == SKEIN_OK) {
      void *bytes = NULL;
      size_t size;
      s = skein_run_state(run, &bytes, &size, &steps, &count);
      skein_run_close(run);
      free(bytes);
    }
    expect_bad(s, columns[k]);
    remove_run("o.h5");
  }
}

static void test_damage(void **unused)
{
  (void)unused;
  make_run("x.h5", 2, 8, false);
  damage("x.h5", "x.h5", 1);
  damage("x.h5", "x.h5.d/state.h5", 2);
  damage("x.h5", "x.h5.d/000001.h5", 3);
  skein_run *run;
  expect_ok(skein_run_open("x.h5", true, &run));
  expect_ok(skein_run_finish(run));
  skein_run_close(run);
  damage("x.h5", "x.h5", 4);
  remove_run("x.h5");
  FILE *out = fopen("x.h5", "w");
  fclose(out);
  expect_bad(skein_run_open("x.h5", false, &run), "is empty");
  skein_problem p = make_hairlike(3, 5, 0.3, 1);
  skein_fclib file = {.problem = p};
  expect_ok(skein_fclib_write("y.h5", &file));
  expect_bad(skein_run_open("y.h5", false, &run), "not a run of skein");
  skein_problem_destroy(&p);
  unlink("x.h5");
  unlink("y.h5");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_empty_frame),
      cmocka_unit_test(test_wrong_calls),
      cmocka_unit_test(test_checkpoint_and_resume),
      cmocka_unit_test(test_reopen_finished),
      cmocka_unit_test(test_replace),
      cmocka_unit_test(test_moved),
      cmocka_unit_test(test_copied),
      cmocka_unit_test(test_missing_pieces),
      cmocka_unit_test(test_lock),
      cmocka_unit_test(test_kill),
      cmocka_unit_test(test_between_renames),
      cmocka_unit_test(test_full_disk),
      cmocka_unit_test(test_odd_steps),
      cmocka_unit_test(test_damage),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
