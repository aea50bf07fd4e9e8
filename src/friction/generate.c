/* Problems to try a solver on, both in global form: M v = f + H' r, u = H v + u_f.
 *
 * hairlike: rods rooted on a square lattice. Rod displacement at arc length s in [0, 1] is J(s) q,
 *     J(s) = [ phi_0(s) d_0 ... phi_k(s) d_k ... ],   phi_k(s) = s^1.5 cos(pi (order_k - 1) s),   order_k = 1 + k/3,
 * with directions d_k in random orthonormal triples: clamped at the root, softer modes first. Implicit step h:
 *     M = density int J' J ds + h^2 stiffness diag(order^4) + regularisation,   f = int J' load ds + noise.
 * A contact joins two lattice neighbours: rows n, t1, t2 of H are E' [J_A(s), -J_B(s')]. Many contacts per rod make
 * 3n/m about 2.4, as in dense hair (Daviet, Bertails-Descoubes, Boissieux 2011, section 7).
 *
 * manufactured: r and u are chosen to obey Coulomb's law, M, H and v are drawn, and
 *     f = M v - H' r,   u_f = u - H v
 * makes them a solution. */
#include "base/base.h"
#include "sparse/sparse.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { quadrature_points = 32, max_dofs = 1000 };
static const double pi = 3.141592653589793;

/* ---- What both kinds share ---- */

static skein_status check_range(const char *field, int64_t value, int64_t lo, int64_t hi)
{
  if (value >= lo && value <= hi) return sk_ok();
  return sk_fail(SKEIN_BAD_INPUT, "%s is %lld, expected %lld to %lld", field, (long long)value, (long long)lo,
                 (long long)hi);
}

static skein_status check_share(const char *field, double value, double hi)
{
  if (value >= 0 && value <= hi) return sk_ok(); /* false for NaN */
  return sk_fail(SKEIN_BAD_INPUT, "%s is %g, expected 0 to %g", field, value, hi);
}

/* objects x dofs and d x contacts must count in an int. */
static skein_status check_sizes(const char *objects_field, int objects, int least, const char *dofs_field, int dofs,
                                int d, int contacts, double mu)
{
  skein_status s = check_range(dofs_field, dofs, 1, max_dofs);
  if (s.code == SKEIN_OK) s = check_range(objects_field, objects, least, (INT_MAX - 1) / dofs);
  if (s.code == SKEIN_OK) s = check_range("contacts", contacts, 0, (INT_MAX - 1) / d);
  if (s.code == SKEIN_OK && !(mu >= 0 && isfinite(mu)))
    s = sk_fail(SKEIN_BAD_INPUT, "mu is %g, expected a finite number >= 0", mu);
  return s;
}

/* Arrays of a global problem with dense blocks of `dofs` in M, whose pattern is filled here. */
static skein_status create_problem(int d, int contacts, int objects, int dofs, double mu, int64_t H_entries,
                                   skein_problem *p)
{
  int m = objects * dofs, size = d * contacts;
  *p = (skein_problem){.form = SKEIN_GLOBAL, .d = d, .contacts = contacts, .dofs = m};
  p->mu = sk_calloc((size_t)contacts, sizeof *p->mu);
  p->f = sk_calloc((size_t)m, sizeof *p->f);
  p->u_f = sk_calloc((size_t)size, sizeof *p->u_f);
  skein_status s = p->mu && p->f && p->u_f ? sk_ok() : sk_no_memory();
  if (s.code == SKEIN_OK) s = sk_csr_create(m, m, (int64_t)m * dofs, &p->M);
  if (s.code == SKEIN_OK) s = sk_csr_create(size, m, H_entries, &p->H);
  if (s.code != SKEIN_OK) return s;
  for (int i = 0; i < contacts; i++) p->mu[i] = mu;
  for (int row = 0; row < m; row++) {
    p->M.start[row + 1] = (int64_t)(row + 1) * dofs;
    for (int k = 0; k < dofs; k++) p->M.col[(int64_t)row * dofs + k] = row / dofs * dofs + k;
  }
  return s;
}

static double dot3(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normalise3(double *a)
{
  double length = sqrt(dot3(a, a));
  for (int k = 0; k < 3; k++) a[k] /= length;
}

static void random_vector3(sk_random *g, double *a)
{
  for (int k = 0; k < 3; k++) a[k] = sk_random_normal(g);
}

/* E: three orthonormal rows, the first along `first` (any length but zero), the second turned at random. */
static void make_frame(sk_random *g, const double *first, double *E)
{
  double *n = E, *t = E + 3, *t2 = E + 6;
  for (int k = 0; k < 3; k++) n[k] = first[k];
  normalise3(n);
  random_vector3(g, t);
  double along = dot3(t, n);
  for (int k = 0; k < 3; k++) t[k] -= along * n[k];
  normalise3(t);
  t2[0] = n[1] * t[2] - n[2] * t[1];
  t2[1] = n[2] * t[0] - n[0] * t[2];
  t2[2] = n[0] * t[1] - n[1] * t[0];
}

/* ---- hairlike ---- */

typedef struct hair {
  const skein_hairlike_def *def;
  sk_random random;
  int side;          /* of the lattice */
  double *direction; /* d_k: 3 per dof of every rod */
  double *mean;      /* int phi_k ds, per dof */
  double *overlap;   /* int phi_k phi_l ds, dofs x dofs */
  double *shape;     /* phi at one point: two rods of a contact */
  sk_arena arena;
} hair;

skein_hairlike_def skein_default_hairlike_def(void)
{
  return (skein_hairlike_def){.rods = 1000, .contacts = 12800, .dofs_per_rod = 16, .mu = 0.3, .seed = 1};
}

static int shape_order(int k)
{
  return 1 + k / 3;
}

/* phi_k(s), k = 0 .. dofs-1 */
static void eval_shape(double s, int dofs, double *phi)
{
  double clamp = s * sqrt(s);
  for (int k = 0; k < dofs; k++) phi[k] = k % 3 ? phi[k - 1] : clamp * cos(pi * (shape_order(k) - 1) * s);
}

/* Midpoint rule for the integrals of phi_k and phi_k phi_l. */
static void integrate_shapes(hair *h)
{
  int dofs = h->def->dofs_per_rod;
  for (int q = 0; q < quadrature_points; q++) {
    eval_shape((q + 0.5) / quadrature_points, dofs, h->shape);
    for (int k = 0; k < dofs; k++) {
      h->mean[k] += h->shape[k] / quadrature_points;
      for (int l = 0; l < dofs; l++) h->overlap[k * dofs + l] += h->shape[k] * h->shape[l] / quadrature_points;
    }
  }
}

static skein_status create_hair(const skein_hairlike_def *def, hair *h)
{
  size_t dofs = (size_t)def->dofs_per_rod;
  *h = (hair){.def = def, .random = sk_random_make(def->seed), .side = (int)ceil(sqrt(def->rods))};
  h->direction = SK_NEW_RAW(&h->arena, 3 * dofs * (size_t)def->rods, double);
  h->mean = SK_NEW(&h->arena, dofs, double);
  h->overlap = SK_NEW(&h->arena, dofs * dofs, double);
  h->shape = SK_NEW(&h->arena, 2 * dofs, double);
  return h->arena.failed ? sk_no_memory() : sk_ok();
}

/* Directions, block of M and f of one rod: weight, a pull towards the middle of the bundle, noise. */
static void make_rod(hair *h, int rod, skein_problem *p)
{
  const double h2 = 0.02 * 0.02, stiffness = 5, regularisation = 1e-4;
  int dofs = h->def->dofs_per_rod;
  double *d = h->direction + 3 * (size_t)rod * (size_t)dofs, E[9], first[3];
  for (int k = 0; k < dofs; k++) {
    if (k % 3 == 0) random_vector3(&h->random, first), make_frame(&h->random, first, E);
    for (int a = 0; a < 3; a++) d[3 * k + a] = E[3 * (k % 3) + a];
  }

  double density = sk_random_uniform(&h->random, 0.8, 1.25), load[3];
  double *M = p->M.val + (int64_t)rod * dofs * dofs, *f = p->f + (int64_t)rod * dofs;
  random_vector3(&h->random, load);
  for (int a = 0; a < 3; a++) load[a] *= 0.4;
  load[0] += 1.5 * (0.5 - (double)(rod % h->side) / h->side);
  load[1] += 1.5 * (0.5 - (double)(rod / h->side) / h->side);
  load[2] -= 0.3;
  for (int k = 0; k < dofs; k++) {
    for (int l = 0; l < dofs; l++) M[k * dofs + l] = density * h->overlap[k * dofs + l] * dot3(d + 3 * k, d + 3 * l);
    M[k * dofs + k] += h2 * stiffness * pow(shape_order(k), 4) + regularisation;
    f[k] = h->mean[k] * dot3(d + 3 * k, load) + 0.02 * sk_random_normal(&h->random);
  }
}

/* A random rod and one of its neighbours on the lattice. */
static void draw_pair(hair *h, int *A, int *B)
{
  static const int neighbour[6][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 0}, {0, 2}};
  for (;;) {
    int rod = sk_random_int(&h->random, h->def->rods), k = sk_random_int(&h->random, 6);
    int x = rod % h->side + neighbour[k][0], y = rod / h->side + neighbour[k][1];
    if (x >= h->side || y < 0 || y >= h->side || y * h->side + x >= h->def->rods) continue;
    *A = rod, *B = y * h->side + x;
    return;
  }
}

/* Rows of contact i in the columns of one rod, from `offset` in every row on: sign E' J(s). */
static void put_rod(const hair *h, int i, int offset, int rod, double sign, const double *E, const double *phi,
                    skein_csr *H)
{
  int dofs = h->def->dofs_per_rod;
  const double *d = h->direction + 3 * (size_t)rod * (size_t)dofs;
  for (int a = 0; a < 3; a++) {
    int64_t at = (3 * (int64_t)i + a) * 2 * dofs + offset;
    for (int k = 0; k < dofs; k++) {
      H->col[at + k] = rod * dofs + k;
      H->val[at + k] = sign * phi[k] * dot3(E + 3 * a, d + 3 * k);
    }
    H->start[3 * (int64_t)i + a + 1] = (3 * (int64_t)i + a + 1) * 2 * dofs;
  }
}

/* Contact i: two neighbours at about the same arc length, the normal about along the line between their roots. */
static void make_hair_contact(hair *h, int i, skein_problem *p)
{
  int A, B, dofs = h->def->dofs_per_rod;
  draw_pair(h, &A, &B);
  double s = sqrt(sk_random_uniform(&h->random, 0.02, 1)), n[3], noise[3], E[9];
  double s2 = fmin(fmax(s + 0.03 * sk_random_normal(&h->random), 0.05), 1);
  n[0] = A % h->side - B % h->side, n[1] = A / h->side - B / h->side, n[2] = 0;
  normalise3(n);
  random_vector3(&h->random, noise);
  for (int a = 0; a < 3; a++) n[a] += 0.5 * noise[a];
  make_frame(&h->random, n, E);
  eval_shape(s, dofs, h->shape);
  eval_shape(s2, dofs, h->shape + dofs);
  put_rod(h, i, 0, A, 1, E, h->shape, &p->H);
  put_rod(h, i, dofs, B, -1, E, h->shape + dofs, &p->H);
}

skein_status skein_make_hairlike(const skein_hairlike_def *def, skein_problem *p)
{
  hair h = {0};
  *p = (skein_problem){0};
  skein_status s = check_sizes("rods", def->rods, 2, "dofs_per_rod", def->dofs_per_rod, 3, def->contacts, def->mu);
  if (s.code == SKEIN_OK) s = create_hair(def, &h);
  if (s.code == SKEIN_OK)
    s = create_problem(3, def->contacts, def->rods, def->dofs_per_rod, def->mu,
                       (int64_t)def->contacts * 6 * def->dofs_per_rod, p);
  if (s.code == SKEIN_OK) {
    integrate_shapes(&h);
    for (int rod = 0; rod < def->rods; rod++) make_rod(&h, rod, p);
    for (int i = 0; i < def->contacts; i++) make_hair_contact(&h, i, p);
  } else {
    skein_problem_destroy(p);
  }
  sk_arena_free(&h.arena);
  return s;
}

/* ---- manufactured ---- */

enum { ground = -1 };

skein_manufactured_def skein_default_manufactured_def(void)
{
  return (skein_manufactured_def){
      .d = 3, .objects = 100, .contacts = 100, .dofs_per_object = 6, .mu = 0.5, .open = 0.3, .stick = 0.4, .seed = 1};
}

static skein_status check_manufactured(const skein_manufactured_def *def)
{
  if (def->d != 2 && def->d != 3) return sk_fail(SKEIN_BAD_INPUT, "d is %d, expected 2 or 3", def->d);
  skein_status s =
      check_sizes("objects", def->objects, 1, "dofs_per_object", def->dofs_per_object, def->d, def->contacts, def->mu);
  if (s.code == SKEIN_OK) s = check_share("open", def->open, 1);
  if (s.code == SKEIN_OK) s = check_share("stick", def->stick, 1);
  if (s.code == SKEIN_OK && def->open + def->stick > 1 + 1e-12)
    s = sk_fail(SKEIN_BAD_INPUT, "open + stick is %g, expected at most 1", def->open + def->stick);
  return s;
}

/* M = I + A A'/dofs by objects, A drawn: eigenvalues from 1 to about 5. */
static skein_status draw_mass(sk_random *g, int objects, int dofs, skein_csr *M)
{
  double *A = sk_calloc((size_t)dofs * (size_t)dofs, sizeof *A);
  if (!A) return sk_no_memory();
  for (int object = 0; object < objects; object++) {
    double *block = M->val + (int64_t)object * dofs * dofs;
    for (int k = 0; k < dofs * dofs; k++) A[k] = sk_random_normal(g);
    for (int i = 0; i < dofs; i++)
      for (int j = 0; j < dofs; j++) {
        double sum = i == j ? dofs : 0;
        for (int k = 0; k < dofs; k++) sum += A[i * dofs + k] * A[j * dofs + k];
        block[i * dofs + j] = sum / dofs;
      }
  }
  free(A);
  return sk_ok();
}

/* The objects of contact i. The dofs are handed out in order, dofs/contacts to each contact: when that is d or more,
 * every row of H has a dof of its own, so that H has full rank and r is unique. A contact inside one object gets a
 * second one at random, or the ground. */
static void choose_objects(sk_random *g, const skein_manufactured_def *def, int i, int *A, int *B)
{
  int64_t m = (int64_t)def->objects * def->dofs_per_object, first = i * m / def->contacts;
  *A = (int)(first / def->dofs_per_object);
  *B = (int)(SK_MIN(first + def->d - 1, m - 1) / def->dofs_per_object);
  if (*B != *A) return;
  *B = sk_random_int(g, def->objects);
  if (sk_random_int(g, 4) == 0 || *B == *A) *B = ground;
}

/* Rows of every contact: random numbers in the columns of its objects. */
static void draw_jacobian(sk_random *g, const skein_manufactured_def *def, skein_csr *H)
{
  int64_t at = 0;
  int dofs = def->dofs_per_object;
  double size = 1 / sqrt(dofs);
  for (int i = 0; i < def->contacts; i++) {
    int object[2];
    choose_objects(g, def, i, &object[0], &object[1]);
    for (int a = 0; a < def->d; a++) {
      for (int side = 0; side < 2; side++)
        for (int k = 0; k < dofs && object[side] != ground; k++, at++) {
          H->col[at] = object[side] * dofs + k;
          H->val[at] = size * sk_random_normal(g);
        }
      H->start[(int64_t)def->d * i + a + 1] = at;
    }
  }
}

/* One contact by the law: open r = 0, u_N > 0; stick u = 0, |r_T| < mu r_N; slide u_N = 0, |r_T| = mu r_N and u_T
 * against r_T (without friction: anywhere). */
static void choose_contact(sk_random *g, const skein_manufactured_def *def, double *r, double *u)
{
  double status = sk_random_uniform(g, 0, 1), size = sk_random_uniform(g, 0.5, 1.5);
  double angle = sk_random_uniform(g, 0, 2 * pi), part = sk_random_uniform(g, 0, 0.9);
  double t[2] = {cos(angle), sin(angle)};
  if (def->d == 2) t[0] = angle < pi ? 1 : -1;
  for (int a = 0; a < def->d; a++) r[a] = u[a] = 0;
  if (status < def->open) {
    u[0] = size;
    for (int a = 1; a < def->d; a++) u[a] = part * t[a - 1];
    return;
  }
  bool stick = status < def->open + def->stick;
  r[0] = size;
  for (int a = 1; a < def->d; a++) {
    r[a] = (stick ? part : 1) * def->mu * size * t[a - 1];
    u[a] = stick ? 0 : -(0.1 + part) * t[a - 1];
  }
}

/* v is drawn; f = M v - H' r, u_f = u - H v. Nothing has to be factored. */
static void derive_free_terms(sk_random *g, skein_problem *p, const skein_solution *answer)
{
  for (int k = 0; k < p->dofs; k++) answer->v[k] = sk_random_normal(g);
  sk_csr_mul_add(&p->M, answer->v, 0, p->f, 1);
  for (int row = 0; row < p->H.rows; row++)
    for (int64_t k = p->H.start[row]; k < p->H.start[row + 1]; k++) p->f[p->H.col[k]] -= p->H.val[k] * answer->r[row];
  sk_csr_mul_add(&p->H, answer->v, 0, p->u_f, 1);
  for (int row = 0; row < p->H.rows; row++) p->u_f[row] = answer->u[row] - p->u_f[row];
}

skein_status skein_make_manufactured(const skein_manufactured_def *def, skein_problem *p, skein_solution *answer)
{
  *p = (skein_problem){0};
  *answer = (skein_solution){0};
  skein_status s = check_manufactured(def);
  if (s.code != SKEIN_OK) return s;
  sk_random g = sk_random_make(def->seed);
  int d = def->d, dofs = def->dofs_per_object;
  s = create_problem(d, def->contacts, def->objects, dofs, def->mu, (int64_t)def->contacts * d * 2 * dofs, p);
  if (s.code == SKEIN_OK) s = skein_solution_create(p, answer);
  if (s.code == SKEIN_OK) s = draw_mass(&g, def->objects, dofs, &p->M);
  if (s.code == SKEIN_OK) {
    draw_jacobian(&g, def, &p->H);
    for (int i = 0; i < def->contacts; i++)
      choose_contact(&g, def, answer->r + (size_t)d * (size_t)i, answer->u + (size_t)d * (size_t)i);
    derive_free_terms(&g, p, answer);
  } else {
    skein_problem_destroy(p);
    skein_solution_destroy(answer);
  }
  return s;
}
