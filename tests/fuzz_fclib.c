/* Fuzzing the FCLIB reader: whatever the bytes, it answers; and what it accepts passes skein_problem_check.
 *
 * With libFuzzer:  clang -fsanitize=fuzzer,address,undefined, seeds are files of the writer.
 * Without (-DSKEIN_FUZZ_STANDALONE):  fuzz_fclib SECONDS [SEED-NUMBER [FILE ...]]
 *   mutates the files (its own where none is given) the same way in every run and reads each mutant in a child
 *   process, so that a crash is counted and the run goes on. A crash inside libhdf5 is counted by itself: HDF5 1.10 is
 *   known to crash on damaged metadata, and no check from outside can prevent all of it. Only ours fail the run. */
#define _GNU_SOURCE /* dladdr, MAP_ANONYMOUS */
#include "friction/fclib_io.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);

/* A damaged size makes HDF5 ask for more memory than there is: it is told so. What the sanitizer finds ends the process
 * as a crash does. */
const char *__asan_default_options(void)
{
  return "abort_on_error=1:allocator_may_return_null=1";
}

/* HDF5 1.10 loses memory on some damaged files. */
const char *__lsan_default_suppressions(void)
{
  return "leak:libhdf5";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  skein_fclib file;
  sk_bytes bytes = {.data = (unsigned char *)data, .size = size};
  skein_status s = sk_fclib_read_image(&bytes, &file);
  if (s.code == SKEIN_OK && skein_problem_check(&file.problem).code != SKEIN_OK) abort();
  if (s.code != SKEIN_OK && !s.message[0]) abort();
  skein_fclib_destroy(&file);
  return s.code == SKEIN_OK ? 0 : -1; /* -1: libFuzzer keeps only inputs that were accepted */
}

#ifdef SKEIN_FUZZ_STANDALONE

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Mutations ------------------------------------------------------------------------------------------------- */

/* size bytes at `at` become value, little-endian. */
static void put(sk_bytes *b, size_t at, uint64_t value, size_t size)
{
  for (size_t k = 0; k < size && at + k < b->size; k++) b->data[at + k] = (unsigned char)(value >> 8 * k);
}

static size_t place(sk_random *g, const sk_bytes *b)
{
  return (size_t)(sk_random_u64(g) % b->size);
}

static void splice(sk_random *g, sk_bytes *b)
{
  size_t from = place(g, b), to = place(g, b), length = 1 + (size_t)sk_random_int(g, 64);
  length = SK_MIN(length, b->size - SK_MAX(from, to));
  memmove(b->data + to, b->data + from, length);
}

/* One to four changes: a bit, a byte, a number that is likely to be special, a copied piece, a cut at the end. */
static void mutate(sk_random *g, sk_bytes *b)
{
  static const uint64_t magic[] = {0,
                                   1,
                                   0x7f,
                                   0x80,
                                   0xff,
                                   0x7fff,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000,
                                   0xfffffffe,
                                   0xffffffff,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0xffffffffffffffff,
                                   0x7ff0000000000000,
                                   0x7ff8000000000000};
  static const size_t widths[] = {1, 2, 4, 8};
  for (int count = 1 + sk_random_int(g, 4); count > 0; count--) {
    size_t at = place(g, b);
    switch (sk_random_int(g, 9)) {
    case 0:
    case 1:
      b->data[at] ^= (unsigned char)(1u << sk_random_int(g, 8));
      break;
    case 2:
    case 3:
      b->data[at] = (unsigned char)sk_random_u64(g);
      break;
    case 4:
    case 5:
    case 6:
      put(b, at, magic[sk_random_int(g, 16)], widths[sk_random_int(g, 4)]);
      break;
    case 7:
      splice(g, b);
      break;
    case 8:
      if (sk_random_int(g, 8) == 0) b->size = 1 + at;
    }
  }
}

/* ---- Children -------------------------------------------------------------------------------------------------- */

enum { batch = 500, seconds_per_input = 10 };
enum { EXIT_HDF5 = 101, EXIT_OURS = 102, EXIT_HANG = 103 };

typedef struct tally {
  long inputs, accepted, refused, hdf5, ours, hangs;
  long current; /* input that the child is at */
} tally;

/* libhdf5 calls nothing of ours but the memory of the image: whatever happens below one of its functions is its own. */
static bool inside_hdf5(void)
{
  void *frames[64];
  Dl_info info;
  int count = backtrace(frames, 64);
  for (int k = 0; k < count; k++)
    if (dladdr(frames[k], &info) && info.dli_fname && strstr(info.dli_fname, "libhdf5")) return true;
  return false;
}

static void crashed(int number)
{
  bool hdf5 = inside_hdf5();
  if (getenv("SKEIN_FUZZ_TRACE")) {
    void *frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), 2);
  }
  _exit(number == SIGALRM ? EXIT_HANG : hdf5 ? EXIT_HDF5 : EXIT_OURS);
}

/* Mutants first .. end - 1 of the seeds; every mutant depends on its number alone. */
static void run_batch(const sk_bytes *seeds, int count, uint64_t seed, long first, long end, tally *t)
{
  static char stack[1 << 16];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK};
  const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGALRM};
  void *warm[4];
  backtrace(warm, 4); /* loads libgcc now, not in the handler */
  sigaltstack(&alternative, NULL);
  for (int k = 0; k < 6; k++) sigaction(signals[k], &action, NULL);
  for (long k = first; k < end; k++) {
    sk_random g = sk_random_make(seed + 0x100000001b3u * (uint64_t)k);
    const sk_bytes *from = &seeds[sk_random_int(&g, count)];
    sk_bytes mutant = {.data = malloc(from->size), .size = from->size};
    if (!mutant.data) _exit(EXIT_OURS);
    memcpy(mutant.data, from->data, from->size);
    mutate(&g, &mutant);
    t->current = k;
    alarm(seconds_per_input);
    if (LLVMFuzzerTestOneInput(mutant.data, mutant.size) == 0) t->accepted++;
    else t->refused++;
    alarm(0);
    free(mutant.data);
  }
}

/* The same in a child process: 0 or how it ended. H5close makes HDF5 free, and by that test, all of its memory; what it
 * prints then is of no interest. */
static int run_child(const sk_bytes *seeds, int count, uint64_t seed, long first, long end, tally *t)
{
  int status = 0;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    run_batch(seeds, count, seed, first, end, t);
    if (end - first == 1 && freopen("/dev/null", "w", stderr)) H5close();
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) return perror("fork"), exit(2), 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_OURS;
}

/* Memory that HDF5 spoiled may bring us down later: an input that crashes HDF5 by itself is the culprit. */
static int find_culprit(const sk_bytes *seeds, int count, uint64_t seed, long first, long end)
{
  tally unused = {0};
  for (long k = first; k < end; k++)
    if (run_child(seeds, count, seed, k, k + 1, &unused) == EXIT_HDF5) return EXIT_HDF5;
  return EXIT_OURS;
}

/* Returns the number of the input after the last one that was done. */
static long run_next(const sk_bytes *seeds, int count, uint64_t seed, long first, tally *t)
{
  int code = run_child(seeds, count, seed, first, first + batch, t);
  if (code == 0) return t->inputs += batch, first + batch;
  if (code == EXIT_OURS) code = find_culprit(seeds, count, seed, first, t->current + 1);
  t->inputs += t->current + 1 - first;
  if (code == EXIT_HDF5) t->hdf5++;
  else if (code == EXIT_HANG) t->hangs++;
  else t->ours++;
  printf("input %ld: %s\n", t->current,
         code == EXIT_HDF5   ? "crashed inside libhdf5"
         : code == EXIT_HANG ? "did not end"
                             : "CRASHED IN OUR CODE");
  return t->current + 1;
}

/* ---- Seeds ----------------------------------------------------------------------------------------------------- */

/* Two contacts, one object: small, so that most mutations hit something that matters. */
static skein_status make_seed(skein_form form, sk_bytes *bytes)
{
  int64_t start[] = {0, 1, 2, 3, 4};
  int col[] = {0, 1, 2, 3};
  double two[] = {2, 2, 2, 2}, one[] = {1, 1, 1, 1}, mu[] = {0.3, 0};
  skein_csr A = {.rows = 4, .cols = 4, .start = start, .col = col, .val = two};
  skein_solution s = {.r = one, .u = one};
  skein_fclib file = {.problem = {.form = form, .d = 2, .contacts = 2, .mu = mu, .dofs = 4},
                      .guesses = 1,
                      .guess = &s,
                      .solution = s,
                      .title = "t"};
  if (form == SKEIN_GLOBAL) file.problem.M = file.problem.H = A, file.problem.f = file.problem.u_f = one;
  else file.problem.W = A, file.problem.b = one;
  char path[300];
  const char *base = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/skein-fuzz-%ld.hdf5", base && *base ? base : "/tmp", (long)getpid());
  skein_status status = skein_fclib_write(path, &file);
  if (status.code == SKEIN_OK) status = sk_bytes_read(path, bytes);
  remove(path);
  return status;
}

int main(int argc, char **argv)
{
  double end = sk_seconds() + (argc > 1 ? strtod(argv[1], NULL) : 5);
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  int count = argc > 3 ? SK_MIN(argc - 3, 16) : 2;
  sk_bytes seeds[16] = {0};
  for (int k = 0; k < count; k++) {
    skein_status s = argc > 3 ? sk_bytes_read(argv[3 + k], &seeds[k]) : make_seed((skein_form)k, &seeds[k]);
    if (s.code != SKEIN_OK) return fprintf(stderr, "%s\n", s.message), 2;
  }
  tally *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (t == MAP_FAILED) return perror("mmap"), 2;
  for (long next = 0; sk_seconds() < end;) next = run_next(seeds, count, seed, next, t);
  printf("%ld inputs: %ld accepted, %ld refused, %ld crashed inside libhdf5, %ld did not end in %d s, "
         "%ld crashed in our code\n",
         t->inputs, t->accepted, t->refused, t->hdf5, t->hangs, seconds_per_input, t->ours);
  for (int k = 0; k < count; k++) free(seeds[k].data);
  return t->ours > 0 || t->inputs == 0;
}

#endif
