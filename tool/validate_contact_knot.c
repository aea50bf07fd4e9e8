/* A loose trefoil (overhand) knot in a rod of radius h, pulled by its ends. Without weight, with a loop of radius R
 * much larger than h (Audoly, Clauvelin and Neukirch 2007):
 *
 *     F = EI/(2 R^2) +- 0.492 mu EI/(sqrt(h) R^(3/2))       + where it tightens, - where it opens
 *
 * so that, let go, it opens until mu = 1.016 sqrt(h/R), and holds there. EI = 1, mass per length 1.
 *
 * It begins as the closed trefoil (sin t + 2 sin 2t, cos t - 2 cos 2t, -sin 3t) with one lobe cut away, and straight
 * tails where that was; the forces on the tails turn them apart and draw the knot together. */
#include "validate.h"

#include <math.h>
#include <stdlib.h>

enum { KNOT_STEPS = 100000 }; /* of the walk along the curve */
static const double knot_scale = 0.28, knot_cut = 0.62, knot_tail = 2.5;

/* ---- The shape at the start ---- */

static void trefoil(double t, double p[3], double tangent[3])
{
  p[0] = knot_scale * (sin(t) + 2 * sin(2 * t)), p[1] = knot_scale * (cos(t) - 2 * cos(2 * t));
  p[2] = -knot_scale * sin(3 * t);
  tangent[0] = knot_scale * (cos(t) + 4 * cos(2 * t)), tangent[1] = knot_scale * (4 * sin(2 * t) - sin(t));
  tangent[2] = -3 * knot_scale * cos(3 * t);
}

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c)
{
  for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double make_unit(double *a)
{
  double length = sqrt(dot(a, a));
  for (int i = 0; i < 3; i++) a[i] /= length;
  return length;
}

/* The rod at its start: root, tangent and normal there, and its curvatures in cells as JSON. */
typedef struct knot {
  double length, root[3], direction[3], normal[3];
  char cells[24 * 1024];
} knot;

/* Walks along the curve with a frame that does not twist; each cell gets what its part of the curve turns by, about the
 * two axes of the frame. n: the normal at the start. */
static void add_turns(double from, double to, double length, double n[3], int cells, double *turn)
{
  double p[3], t[3], last[3], w[3], b[3], s = knot_tail;
  trefoil(from, p, t), make_unit(t);
  for (int i = 0; i < KNOT_STEPS; i++) {
    for (int c = 0; c < 3; c++) last[c] = t[c];
    trefoil(from + (to - from) * (i + 0.5) / KNOT_STEPS, p, t);
    s += make_unit(t) * (to - from) / KNOT_STEPS;
    cross(last, t, w), cross(last, n, b);
    int cell = (int)(s / length * cells);
    turn[2 * cell] += dot(w, n), turn[2 * cell + 1] += dot(w, b);
    double along = dot(n, t);
    for (int c = 0; c < 3; c++) n[c] -= along * t[c];
    make_unit(n);
  }
}

/* Lobes are at t = pi/3, pi, 5 pi/3; the one at pi is cut away. false: no memory. */
static bool knot_make(knot *k, int cells)
{
  double from = validate_pi + knot_cut, to = 3 * validate_pi - knot_cut, p[3], t[3], n[3], loop = 0;
  const double up[3] = {0, 0, 1};
  double *turn = calloc(2 * (size_t)cells, sizeof *turn);
  if (!turn) return false;
  for (int i = 0; i < KNOT_STEPS; i++) {
    trefoil(from + (to - from) * (i + 0.5) / KNOT_STEPS, p, t);
    loop += make_unit(t) * (to - from) / KNOT_STEPS;
  }
  k->length = loop + 2 * knot_tail;
  trefoil(from, p, t), make_unit(t);
  cross(up, t, n), make_unit(n);
  for (int i = 0; i < 3; i++) k->root[i] = p[i] - knot_tail * t[i], k->direction[i] = t[i], k->normal[i] = n[i];
  add_turns(from, to, k->length, n, cells, turn);
  for (int i = 0, used = 0; i < cells; i++)
    used += snprintf(k->cells + used, sizeof k->cells - (size_t)used, "%s[%.9g,%.9g,0]", i ? "," : "",
                     turn[2 * i] * cells / k->length, turn[2 * i + 1] * cells / k->length);
  free(turn);
  return true;
}

/* ---- The experiment ---- */

/* Both ends are pulled apart along x by F(t): `hold` from the start, `more` on top that comes on evenly from `begin`
 * on, and all of it gone again in `fade` from `back` on. */
typedef struct pull {
  double hold, more, begin, rise, back, fade;
} pull;

static double share(double t, double from, double time)
{
  return fmin(1, fmax(0, (t - from) / time));
}

static double pull_at(const pull *f, double t)
{
  return f->hold * share(t, 0, 5) + f->more * share(t, f->begin, f->rise) -
         (f->hold + f->more) * share(t, f->back, f->fade);
}

static void print_pull(char *text, size_t size, const pull *f)
{
  const double part[3][3] = {{f->hold, 0, 5}, {f->more, f->begin, f->rise}, {-f->hold - f->more, f->back, f->fade}};
  int used = 0;
  for (int k = 0; k < 6; k++)
    used += snprintf(text + used, size - (size_t)used,
                     "%s{'rods': 'r', 'at': '%s', 'force': [%.9g, 0, 0], 'from': %.9g, 'ramp': %.9g}", k ? ", " : "",
                     k % 2 ? "tip" : "root", (k % 2 ? -1 : 1) * part[k / 2][0], part[k / 2][1], part[k / 2][2]);
}

/* The elements go with the braid, whose length is of the order of sqrt(h R). */
static contact_world knot_open(const validate_task *task, double mu, double h, double drag, const pull *f)
{
  contact_world none = {.status = {.code = SKEIN_NO_MEMORY, .message = "out of memory"}};
  int elements = (int)((task->model == SKEIN_SUPER_HELIX ? 4.8 : 14) / sqrt(h));
  char pulls[1024];
  knot *k = calloc(1, sizeof *k);
  if (!k || !knot_make(k, 2 * elements)) return free(k), none;
  print_pull(pulls, sizeof pulls, f);
  contact_world c = contact_open(
      "{'gravity': [0, 0, 0], 'friction': %.9g, 'time': {'dt': 0.05, 'duration': 1000}, 'materials': {'m': {'E': "
      "%.17g, 'density': %.17g, 'radius': %.9g, 'damping': 0.05, 'drag': %g}}, 'rods': [{'name': 'r', 'model': '%s', "
      "'elements': %d, 'material': 'm', 'length': %.17g, 'natural': 'straight', 'initial': {'cells': [%s]}, 'root': "
      "{'type': 'free', 'position': [%.17g, %.17g, %.17g], 'direction': [%.17g, %.17g, %.17g], 'normal': [%.17g, "
      "%.17g, %.17g]}}], 'forces': [%s], 'solver': {'tol': 1e-5, 'tol_rest': 1e-5, 'sleep': false}}",
      mu, 4 / (validate_pi * pow(h, 4)), 1 / (validate_pi * h * h), h, drag, validate_model_name((int)task->model),
      elements, k->length, k->cells, k->root[0], k->root[1], k->root[2], k->direction[0], k->direction[1],
      k->direction[2], k->normal[0], k->normal[1], k->normal[2], pulls);
  free(k);
  return c;
}

/* Radius of the loop: what the knot takes from the length between the ends is 2 pi R. */
static double loop_radius(const contact_world *c)
{
  if (!c->world) return NAN;
  const skein_rod *rod = skein_world_rod(c->world, 0);
  double L = skein_rod_definition(rod).length, line[3];
  skein_pose root, tip;
  skein_rod_point(rod, 0, &root), skein_rod_point(rod, L, &tip);
  for (int i = 0; i < 3; i++) line[i] = tip.r[i] - root.r[i];
  return (L - make_unit(line)) / (2 * validate_pi);
}

static double theory(double mu, double h, double R, double way)
{
  return 0.5 / (R * R) + way * 0.492 * mu / (sqrt(h) * pow(R, 1.5));
}

/* ---- Rows ---- */

static void add_smooth(const validate_task *task)
{
  const pull f = {.hold = 0.5, .begin = 1, .rise = 1, .back = 1000, .fade = 1};
  contact_world c = knot_open(task, 0, 0.005, 0.3, &f);
  contact_run(&c, 50);
  double R = loop_radius(&c);
  validate_add_number(task, "mu = 0, h = 0.005: F, at the R that it comes to", &c.status, theory(0, 0.005, R, 0), 0.5,
                      0.1);
  validate_note(task, "R = %.4f, %d contacts", R, c.info.contacts);
  contact_close(&c);
}

/* Force and radius where a knot that held still begins to move: R has changed by a hundredth since it was extreme. */
static void watch(const contact_world *c, const pull *f, double way, double *extreme, double *force, double *radius)
{
  double R = loop_radius(c);
  *extreme = isnan(*extreme) || way * (R - *extreme) > 0 ? R : *extreme;
  if (isnan(*force) && way * (*extreme - R) > 0.01 * R) *force = pull_at(f, skein_world_time(c->world)), *radius = R;
}

static void add_pulled(const validate_task *task)
{
  const double mu = 0.03, h = 0.01;
  const pull f = {.hold = 0.5, .more = 0.7, .begin = 36, .rise = 44, .back = 84, .fade = 80};
  contact_world c = knot_open(task, mu, h, 0.2, &f);
  double F[2] = {NAN, NAN}, R[2] = {NAN, NAN}, most = NAN, least = NAN;
  while (isnan(F[1]) && contact_step(&c, f.back + f.fade)) {
    double t = skein_world_time(c.world);
    if (t > f.begin + 8 && t < f.back) watch(&c, &f, 1, &most, &F[0], &R[0]);
    if (t > f.back) watch(&c, &f, -1, &least, &F[1], &R[1]);
  }
  validate_add_number(task, "mu = 0.03, h = 0.01: F where it opens", &c.status, theory(mu, h, R[1], -1), F[1], 0.1);
  validate_note(task, "R = %.4f", R[1]);
  validate_add_number(task, "mu = 0.03, h = 0.01: F where it tightens", &c.status, theory(mu, h, R[0], 1), F[0], 0.1);
  validate_note(task, "R = %.4f", R[0]);
  contact_close(&c);
}

/* Let go slowly, it opens until it holds. */
static void add_let_go(const validate_task *task)
{
  const double mu = 0.09, h = 0.01;
  const pull f = {.hold = 0.4, .begin = 1, .rise = 1, .back = 16, .fade = 10};
  contact_world c = knot_open(task, mu, h, 0.2, &f);
  contact_run(&c, 75);
  double R = loop_radius(&c), before = R;
  contact_run(&c, 80);
  R = loop_radius(&c);
  validate_add_number(task, "let go, mu = 0.09, h = 0.01: mu sqrt(R/h) where it holds", &c.status, 1.016,
                      mu * sqrt(R / h), 0.1);
  validate_note(task, "R = %.4f, %d contacts", R, c.info.contacts);
  validate_add_number(task, "the same: growth of R in the last 5 time units", &c.status, 0, R / before - 1, 1e-3);
  contact_close(&c);
}

void validate_knot(const validate_task *task)
{
  add_smooth(task);
  add_pulled(task);
  add_let_go(task);
}
