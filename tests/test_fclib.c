/* FCLIB files: what we write libfclib reads, what libfclib writes we read, and what is broken is named.
 * SKEIN_FCLIB_DIR: a directory of real files that must all be readable. */
#define _XOPEN_SOURCE 700 /* mkdtemp, realpath */
#include "friction/fclib_io.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <fclib.h>
#include <hdf5_hl.h>

/* ---- A directory of our own ------------------------------------------------------------------------------------ */

static char directory[256];

typedef struct path {
  char text[600];
} path;

static path in_directory(const char *name)
{
  path p;
  snprintf(p.text, sizeof p.text, "%s/%s", directory, name);
  return p;
}

static int setup(void **state)
{
  (void)state;
  const char *base = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/skein-test-XXXXXX", base && *base ? base : "/tmp");
  return mkdtemp(directory) ? 0 : -1;
}

static int teardown(void **state)
{
  (void)state;
  DIR *d = opendir(directory);
  for (struct dirent *e; d && (e = readdir(d));)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) remove(in_directory(e->d_name).text);
  if (d) closedir(d);
  return rmdir(directory);
}

static void expect_ok(skein_status s)
{
  assert_string_equal(s.message, "");
  assert_int_equal(s.code, SKEIN_OK);
}

/* The status has this code; its message begins with the file and contains `part`. */
static void expect(skein_status s, skein_code code, path p, const char *part)
{
  if (s.code != code || strncmp(s.message, p.text, strlen(p.text)) || !strstr(s.message, part))
    fail_msg("code %d, \"%s\", expected code %d, \"%s: ... %s\"", s.code, s.message, code, p.text, part);
}

/* ---- Files to try ---------------------------------------------------------------------------------------------- */

/* Columns in descending order, one entry given twice, one zero: all of it is legal. */
static skein_csr make_matrix(int rows, int cols, bool mass)
{
  skein_csr A;
  expect_ok(sk_csr_create(rows, cols, (int64_t)rows * (cols + 1), &A));
  int64_t k = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = cols - 1; j >= 0; j--)
      A.col[k] = j, A.val[k++] = mass ? (i == j ? 10 : 1.0 / (1 + i + j)) : (i + j) % 4 ? i + 0.01 * j - 1 : 0;
    if (cols > 0) A.col[k] = i % cols, A.val[k++] = 0.5;
    A.start[i + 1] = k;
  }
  return A;
}

static double *make_vector(int count, double first)
{
  double *x = sk_calloc((size_t)count, sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < count; i++) x[i] = first + i / 7.0;
  return x;
}

static skein_problem make_problem(skein_form form, int d, int contacts, int dofs)
{
  int size = d * contacts;
  skein_problem p = {.form = form, .d = d, .contacts = contacts, .mu = make_vector(contacts, 0.1)};
  if (form == SKEIN_REDUCED) {
    p.W = make_matrix(size, size, false), p.b = make_vector(size, -1);
  } else {
    p.dofs = dofs, p.M = make_matrix(dofs, dofs, true), p.H = make_matrix(size, dofs, false);
    p.f = make_vector(dofs, 3), p.u_f = make_vector(size, -2);
  }
  return p;
}

static skein_solution make_solution(const skein_problem *p, double first)
{
  int size = p->d * p->contacts;
  return (skein_solution){.r = make_vector(size, first),
                          .u = make_vector(size, first + 100),
                          .v = p->form == SKEIN_GLOBAL ? make_vector(p->dofs, first + 200) : NULL};
}

static skein_fclib make_file(skein_form form, int d, int contacts, int dofs)
{
  skein_fclib file = {.problem = make_problem(form, d, contacts, dofs), .guesses = 2};
  file.guess = sk_calloc(2, sizeof *file.guess);
  assert_non_null(file.guess);
  for (int k = 0; k < 2; k++) file.guess[k] = make_solution(&file.problem, k);
  file.solution = make_solution(&file.problem, 50);
  file.title = strdup("a title"), file.description = strdup(""), file.math_info = strdup("none");
  return file;
}

/* ---- Comparisons ----------------------------------------------------------------------------------------------- */

static void same_numbers(const double *a, const double *b, int count)
{
  assert_true(!a == !b);
  for (int i = 0; a && i < count; i++) assert_true(a[i] == b[i]);
}

/* A as rows x cols numbers, duplicates added. */
static double *dense(const skein_csr *A)
{
  double *x = sk_calloc((size_t)A->rows * (size_t)A->cols, sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) x[i * A->cols + A->col[k]] += A->val[k];
  return x;
}

static void same_matrix(const skein_csr *A, const skein_csr *B)
{
  assert_int_equal(A->rows, B->rows);
  assert_int_equal(A->cols, B->cols);
  if (!A->start) return;
  double *a = dense(A), *b = dense(B);
  same_numbers(a, b, A->rows * A->cols);
  free(a);
  free(b);
}

static void same_problem(const skein_problem *p, const skein_problem *q)
{
  int size = p->d * p->contacts;
  assert_int_equal(p->form, q->form);
  assert_int_equal(p->d, q->d);
  assert_int_equal(p->contacts, q->contacts);
  assert_int_equal(p->dofs, q->dofs);
  same_numbers(p->mu, q->mu, p->contacts);
  same_matrix(&p->W, &q->W);
  same_matrix(&p->M, &q->M);
  same_matrix(&p->H, &q->H);
  same_numbers(p->b, q->b, size);
  same_numbers(p->f, q->f, p->dofs);
  same_numbers(p->u_f, q->u_f, size);
}

static void same_solution(const skein_problem *p, const skein_solution *s, const skein_solution *t)
{
  same_numbers(s->r, t->r, p->d * p->contacts);
  same_numbers(s->u, t->u, p->d * p->contacts);
  same_numbers(s->v, t->v, p->dofs);
}

static void same_file(const skein_fclib *f, const skein_fclib *g)
{
  same_problem(&f->problem, &g->problem);
  assert_int_equal(f->guesses, g->guesses);
  for (int k = 0; k < f->guesses; k++) same_solution(&f->problem, &f->guess[k], &g->guess[k]);
  same_solution(&f->problem, &f->solution, &g->solution);
  const char *texts[][2] = {{f->title, g->title}, {f->description, g->description}, {f->math_info, g->math_info}};
  for (int k = 0; k < 3; k++) {
    assert_true(!texts[k][0] == !texts[k][1]);
    if (texts[k][0]) assert_string_equal(texts[k][0], texts[k][1]);
  }
}

/* The file at p holds exactly this. */
static void holds(path p, const skein_fclib *file)
{
  skein_fclib back;
  expect_ok(skein_fclib_read(p.text, &back));
  same_file(file, &back);
  skein_fclib_destroy(&back);
}

/* ---- Round trips ----------------------------------------------------------------------------------------------- */

enum { shape_count = 3 };
static const int shapes[shape_count][3] = {{2, 3, 5}, {3, 2, 4}, {3, 5, 1}}; /* d, contacts, dofs */

static void ours_to_ours(void **state)
{
  (void)state;
  path p = in_directory("ours.hdf5");
  for (int form = SKEIN_REDUCED; form <= SKEIN_GLOBAL; form++)
    for (int k = 0; k < shape_count; k++) {
      skein_fclib file = make_file((skein_form)form, shapes[k][0], shapes[k][1], shapes[k][2]);
      expect_ok(skein_fclib_write(p.text, &file));
      holds(p, &file);
      free(file.solution.u); /* not known */
      file.solution.u = NULL;
      free(file.title);
      file.title = NULL;
      expect_ok(skein_fclib_write(p.text, &file));
      holds(p, &file);
      skein_fclib_destroy(&file);
    }
}

/* No contacts, no degrees of freedom, no entries; libfclib refuses such files, we do not. */
static void nothing_in_it(void **state)
{
  (void)state;
  path p = in_directory("nothing.hdf5");
  for (int form = SKEIN_REDUCED; form <= SKEIN_GLOBAL; form++)
    for (int dofs = 0; dofs < 3; dofs += 2) {
      skein_fclib file = make_file((skein_form)form, 3, 0, dofs);
      expect_ok(skein_fclib_write(p.text, &file));
      holds(p, &file);
      skein_fclib_destroy(&file);
    }
}

static void same_content_same_bytes(void **state)
{
  (void)state;
  path p = in_directory("a.hdf5"), q = in_directory("b.hdf5");
  sk_bytes a, b;
  skein_fclib file = make_file(SKEIN_GLOBAL, 3, 2, 4);
  expect_ok(skein_fclib_write(p.text, &file));
  sleep(1); /* time stamps would differ */
  expect_ok(skein_fclib_write(q.text, &file));
  expect_ok(sk_bytes_read(p.text, &a));
  expect_ok(sk_bytes_read(q.text, &b));
  assert_true(a.size == b.size && !memcmp(a.data, b.data, a.size));
  free(a.data), free(b.data);
  skein_fclib_destroy(&file);
}

/* The FCLIB matrix is A, or A' for the Jacobian. */
static void same_as_fclib(const skein_csr *A, const struct fclib_matrix *F, bool transposed)
{
  assert_int_equal(F->nz, -2);
  assert_int_equal(F->m, transposed ? A->cols : A->rows);
  assert_int_equal(F->n, transposed ? A->rows : A->cols);
  double *a = dense(A);
  for (int i = 0; i < F->m; i++)
    for (int k = F->p[i]; k < F->p[i + 1]; k++)
      a[transposed ? F->i[k] * A->cols + i : i * A->cols + F->i[k]] -= F->x[k];
  for (int k = 0; k < A->rows * A->cols; k++) assert_true(fabs(a[k]) < 1e-12);
  free(a);
}

static void same_solutions_as_fclib(const skein_fclib *file, path p)
{
  int count = 0;
  struct fclib_solution *s = fclib_read_solution(p.text), *g = fclib_read_guesses(p.text, &count);
  assert_non_null(s);
  assert_int_equal(count, file->guesses);
  skein_solution t = {.r = s->r, .u = s->u, .v = s->v};
  same_solution(&file->problem, &file->solution, &t);
  for (int k = 0; k < count; k++) {
    t = (skein_solution){.r = g[k].r, .u = g[k].u, .v = g[k].v};
    same_solution(&file->problem, &file->guess[k], &t);
  }
  fclib_delete_solutions(s, 1);
  fclib_delete_solutions(g, count);
}

static void ours_to_libfclib(void **state)
{
  (void)state;
  path p = in_directory("for_fclib.hdf5");
  for (int k = 0; k < shape_count; k++) {
    skein_fclib file = make_file(SKEIN_REDUCED, shapes[k][0], shapes[k][1], 0);
    expect_ok(skein_fclib_write(p.text, &file));
    struct fclib_local *L = fclib_read_local(p.text);
    assert_int_equal(L->spacedim, file.problem.d);
    same_as_fclib(&file.problem.W, L->W, false);
    same_numbers(L->q, file.problem.b, file.problem.d * file.problem.contacts);
    same_numbers(L->mu, file.problem.mu, file.problem.contacts);
    assert_string_equal(L->info->title, "a title");
    same_solutions_as_fclib(&file, p);
    fclib_delete_local(L);
    free(L);
    skein_fclib_destroy(&file);

    file = make_file(SKEIN_GLOBAL, shapes[k][0], shapes[k][1], shapes[k][2]);
    expect_ok(skein_fclib_write(p.text, &file));
    struct fclib_global *G = fclib_read_global(p.text);
    assert_int_equal(G->spacedim, file.problem.d);
    same_as_fclib(&file.problem.M, G->M, false);
    same_as_fclib(&file.problem.H, G->H, true);
    same_numbers(G->f, file.problem.f, file.problem.dofs);
    same_numbers(G->w, file.problem.u_f, file.problem.d * file.problem.contacts);
    same_numbers(G->mu, file.problem.mu, file.problem.contacts);
    assert_string_equal(G->info->math_info, "none");
    same_solutions_as_fclib(&file, p);
    fclib_delete_global(G);
    free(G);
    skein_fclib_destroy(&file);
  }
}

/* How a matrix is handed to libfclib: the four kinds that occur, and triplets the way Siconos writes them. */
typedef enum storage { ROWS, COLUMNS, TRIPLETS, SWAPPED, DENSE, STORAGE_COUNT } storage;

static struct fclib_matrix to_fclib(const skein_csr *A, storage kind)
{
  int64_t entries = A->start[A->rows], size = kind == DENSE ? (int64_t)A->rows * A->cols : entries;
  skein_csr T;
  expect_ok(sk_csr_transpose(A, &T));
  const skein_csr *by = kind == COLUMNS ? &T : A;
  struct fclib_matrix F = {.nzmax = (int)size, .m = A->rows, .n = A->cols, .nz = kind == COLUMNS ? -1 : -2};
  if (kind == TRIPLETS || kind == SWAPPED) F.nz = (int)entries;
  F.p = sk_calloc((size_t)(SK_MAX(entries, by->rows) + 1), sizeof *F.p);
  F.i = sk_calloc((size_t)size, sizeof *F.i);
  F.x = kind == DENSE ? dense(A) : sk_calloc((size_t)size, sizeof *F.x);
  assert_true(F.p && F.i && F.x);
  for (int i = 0; i < by->rows && kind != DENSE; i++) {
    if (F.nz < 0) F.p[i + 1] = (int)by->start[i + 1];
    for (int64_t k = by->start[i]; k < by->start[i + 1]; k++) {
      F.x[k] = by->val[k];
      F.i[k] = kind == SWAPPED ? i : by->col[k];
      if (F.nz >= 0) F.p[k] = kind == SWAPPED ? by->col[k] : i;
    }
  }
  sk_csr_destroy(&T);
  return F;
}

static void free_fclib(struct fclib_matrix *F)
{
  free(F->p), free(F->i), free(F->x);
}

static void add_solutions(const skein_fclib *file, path p)
{
  struct fclib_solution s = {.v = file->solution.v, .u = file->solution.u, .r = file->solution.r}, g[2];
  for (int k = 0; k < 2; k++)
    g[k] = (struct fclib_solution){.v = file->guess[k].v, .u = file->guess[k].u, .r = file->guess[k].r};
  assert_int_equal(fclib_write_solution(&s, p.text), 1);
  assert_int_equal(fclib_write_guesses(2, g, p.text), 1);
}

static void libfclib_to_ours_local(void **state)
{
  (void)state;
  path p = in_directory("fclib_local.hdf5");
  for (int kind = ROWS; kind < STORAGE_COUNT; kind++)
    for (int k = 0; k < shape_count; k++) {
      if (kind == SWAPPED) continue; /* a square matrix: the documented order is taken */
      skein_fclib file = make_file(SKEIN_REDUCED, shapes[k][0], shapes[k][1], 0);
      struct fclib_info info = {file.title, file.description, file.math_info};
      struct fclib_matrix W = to_fclib(&file.problem.W, (storage)kind);
      struct fclib_local L = {
          .W = &W, .mu = file.problem.mu, .q = file.problem.b, .spacedim = file.problem.d, .info = &info};
      remove(p.text);
      assert_int_equal(fclib_write_local(&L, p.text), 1);
      add_solutions(&file, p);
      holds(p, &file);
      free_fclib(&W);
      skein_fclib_destroy(&file);
    }
}

static void libfclib_to_ours_global(void **state)
{
  (void)state;
  path p = in_directory("fclib_global.hdf5");
  for (int kind = ROWS; kind < STORAGE_COUNT; kind++)
    for (int k = 0; k < shape_count; k++) {
      skein_fclib file = make_file(SKEIN_GLOBAL, shapes[k][0], shapes[k][1], shapes[k][2]);
      struct fclib_info info = {file.title, file.description, file.math_info};
      skein_csr T;
      expect_ok(sk_csr_transpose(&file.problem.H, &T));
      struct fclib_matrix M = to_fclib(&file.problem.M, (storage)kind), H = to_fclib(&T, (storage)kind);
      struct fclib_global G = {.M = &M,
                               .H = &H,
                               .mu = file.problem.mu,
                               .f = file.problem.f,
                               .w = file.problem.u_f,
                               .spacedim = file.problem.d,
                               .info = &info};
      remove(p.text);
      assert_int_equal(fclib_write_global(&G, p.text), 1);
      add_solutions(&file, p);
      holds(p, &file);
      free_fclib(&M);
      free_fclib(&H);
      sk_csr_destroy(&T);
      skein_fclib_destroy(&file);
    }
}

/* ---- Writing that fails, solutions that are saved -------------------------------------------------------------- */

/* No file may grow beyond 1 kB: what a full disk is to the writer. */
static void full_disk(void **state)
{
  (void)state;
  path p = in_directory("full.hdf5");
  struct rlimit limit, tiny;
  skein_fclib file = make_file(SKEIN_REDUCED, 3, 2, 0), other = make_file(SKEIN_GLOBAL, 2, 3, 5);
  expect_ok(skein_fclib_write(p.text, &file));
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
  tiny = (struct rlimit){.rlim_cur = 1024, .rlim_max = limit.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
  skein_status s = skein_fclib_write(p.text, &other);
  skein_status t = skein_fclib_save_solution(p.text, &file.problem, &file.guess[1]);
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, old);
  expect(s, SKEIN_IO_FAILURE, p, "cannot write: File too large");
  expect(t, SKEIN_IO_FAILURE, p, "cannot write: File too large");
  holds(p, &file);
  skein_fclib_destroy(&file);
  skein_fclib_destroy(&other);
}

static void refused_writes(void **state)
{
  (void)state;
  path p = in_directory("kept.hdf5"), nowhere = in_directory("no/such/place.hdf5"), here = in_directory(".");
  skein_fclib file = make_file(SKEIN_REDUCED, 3, 2, 0), other = make_file(SKEIN_REDUCED, 2, 3, 0);
  expect_ok(skein_fclib_write(p.text, &file));
  expect(skein_fclib_write(nowhere.text, &file), SKEIN_IO_FAILURE, nowhere, "No such file or directory");
  expect(skein_fclib_write(here.text, &file), SKEIN_IO_FAILURE, here, "is not a regular file");
  other.problem.mu[1] = -1;
  expect(skein_fclib_write(p.text, &other), SKEIN_BAD_INPUT, p, "mu[1] is -1");
  other.problem.mu[1] = 1, other.solution.r[2] = NAN;
  expect(skein_fclib_write(p.text, &other), SKEIN_BAD_INPUT, p, "solution.r[2]");
  other.solution.r[2] = 0, other.guess[1].u[0] = INFINITY;
  expect(skein_fclib_write(p.text, &other), SKEIN_BAD_INPUT, p, "guess[1].u[0]");
  other.guess[1].u[0] = 0;
  expect(skein_fclib_save_solution(p.text, &other.problem, &other.solution), SKEIN_BAD_INPUT, p,
         "holds 2 contacts in 3 dimensions, the solution has 3 in 2");
  expect(skein_fclib_save_solution(nowhere.text, &file.problem, &file.solution), SKEIN_IO_FAILURE, nowhere, "No such");
  if (geteuid() != 0) { /* root may write anywhere */
    chmod(p.text, 0444);
    expect(skein_fclib_write(p.text, &other), SKEIN_IO_FAILURE, p, "Permission denied");
    chmod(p.text, 0000);
    skein_fclib none;
    expect(skein_fclib_read(p.text, &none), SKEIN_IO_FAILURE, p, "cannot open: Permission denied");
    chmod(p.text, 0644);
  }
  holds(p, &file);
  skein_fclib_destroy(&file);
  skein_fclib_destroy(&other);
}

/* The rest of the file, its permissions and a link to it stay; the file does not grow with every solution. */
static void saved_solutions(void **state)
{
  (void)state;
  path p = in_directory("save.hdf5"), link = in_directory("link.hdf5");
  struct stat info;
  off_t size = 0;
  int answer = 42;
  skein_fclib file = make_file(SKEIN_GLOBAL, 3, 2, 4);
  expect_ok(skein_fclib_write(p.text, &file));
  hid_t h = H5Fopen(p.text, H5F_ACC_RDWR, H5P_DEFAULT);
  H5LTset_attribute_int(h, "fclib_global", "answer", &answer, 1);
  H5Fclose(h);
  assert_int_equal(chmod(p.text, 0640), 0);
  assert_int_equal(symlink("save.hdf5", link.text), 0);
  for (int k = 0; k < 5; k++) {
    skein_solution_destroy(&file.solution);
    file.solution = make_solution(&file.problem, 1000 + k);
    expect_ok(skein_fclib_save_solution(link.text, &file.problem, &file.solution));
    holds(p, &file);
    assert_int_equal(stat(p.text, &info), 0);
    if (k == 1) size = info.st_size;
  }
  assert_int_equal(info.st_size, size);
  assert_int_equal(info.st_mode & 07777, 0640);
  assert_int_equal(lstat(link.text, &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  same_solutions_as_fclib(&file, p);
  answer = 0;
  h = H5Fopen(p.text, H5F_ACC_RDONLY, H5P_DEFAULT);
  H5LTget_attribute_int(h, "fclib_global", "answer", &answer);
  H5Fclose(h);
  assert_int_equal(answer, 42);
  skein_fclib_destroy(&file);
}

/* The solution of the reduced problem goes into the file of the global one; v is not known. */
static void reduced_solution_of_global(void **state)
{
  (void)state;
  path p = in_directory("reduced_of_global.hdf5");
  skein_fclib file = make_file(SKEIN_GLOBAL, 3, 2, 4);
  skein_problem reduced = make_problem(SKEIN_REDUCED, 3, 2, 0);
  expect_ok(skein_fclib_write(p.text, &file));
  skein_solution_destroy(&file.solution);
  file.solution = make_solution(&reduced, 7);
  expect_ok(skein_fclib_save_solution(p.text, &reduced, &file.solution));
  holds(p, &file);
  skein_fclib_destroy(&file);
  skein_problem_destroy(&reduced);
}

/* A file of the newest format carries checksums and a mark that it is open: both must be right afterwards. */
static void saved_in_newest_format(void **state)
{
  (void)state;
  path p = in_directory("old.hdf5"), q = in_directory("newest.hdf5");
  const char *groups[] = {"fclib_local", "guesses", "solution"};
  skein_fclib file = make_file(SKEIN_REDUCED, 3, 2, 0);
  expect_ok(skein_fclib_write(p.text, &file));
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  hid_t from = H5Fopen(p.text, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t to = H5Fcreate(q.text, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  for (int k = 0; k < 3; k++) assert_true(H5Ocopy(from, groups[k], to, groups[k], H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(from);
  H5Fclose(to);
  H5Pclose(access);
  for (int k = 0; k < 3; k++) {
    file.solution.r[0] = k;
    expect_ok(skein_fclib_save_solution(q.text, &file.problem, &file.solution));
    holds(q, &file);
    to = H5Fopen(q.text, H5F_ACC_RDWR, H5P_DEFAULT); /* not marked as open by somebody else */
    assert_true(to >= 0);
    H5Fclose(to);
  }
  skein_fclib_destroy(&file);
}

static void real_files(void **state)
{
  (void)state;
  const char *name = getenv("SKEIN_FCLIB_DIR");
  DIR *d = name ? opendir(name) : NULL;
  if (!d) {
    print_message("SKEIN_FCLIB_DIR is %s: no real files read\n", name ? name : "not set");
    skip();
  }
  int files = 0;
  for (struct dirent *e; (e = readdir(d));) {
    char text[4096];
    skein_fclib file;
    if (!strstr(e->d_name, ".hdf5")) continue;
    snprintf(text, sizeof text, "%s/%s", name, e->d_name);
    expect_ok(skein_fclib_read(text, &file));
    assert_true(file.problem.contacts > 0);
    path copy = in_directory("copy.hdf5");
    expect_ok(skein_fclib_write(copy.text, &file));
    holds(copy, &file);
    skein_fclib_destroy(&file);
    files++;
  }
  closedir(d);
  print_message("%d files of %s\n", files, name);
}

/* The last test: no writer, failed or not, left its temporary file behind. */
static void nothing_left_behind(void **state)
{
  (void)state;
  DIR *d = opendir(directory);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) assert_null(strstr(e->d_name, ".skein-"));
  closedir(d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ours_to_ours),
      cmocka_unit_test(nothing_in_it),
      cmocka_unit_test(same_content_same_bytes),
      cmocka_unit_test(ours_to_libfclib),
      cmocka_unit_test(libfclib_to_ours_local),
      cmocka_unit_test(libfclib_to_ours_global),
      cmocka_unit_test(full_disk),
      cmocka_unit_test(refused_writes),
      cmocka_unit_test(saved_solutions),
      cmocka_unit_test(reduced_solution_of_global),
      cmocka_unit_test(saved_in_newest_format),
      cmocka_unit_test(real_files),
      cmocka_unit_test(nothing_left_behind),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
