/* A loose trefoil (overhand) knot in a rod of radius h, pulled by its ends. Without weight, with a loop of radius R
 * much larger than h (Audoly, Clauvelin and Neukirch 2007):
 *
 *     F = EI/(2 R^2) +- 0.492 mu EI/(sqrt(h) R^(3/2))       + where it tightens, - where it opens
 *
 * so that, let go, it opens until mu = 1.016 sqrt(h/R), and holds there. EI = 1, mass per length 1.
 *
 * The formula is a limit: of epsilon = sqrt(h/R) -> 0, where the loop is a circle and the rest of the knot a short
 * braid (its length goes with epsilon R), and of mu/epsilon -> 0, where friction does not change what presses. What it
 * leaves out goes with epsilon. The forces are measured where nothing moves: a force is brought up slowly and held; the
 * knot slides until friction stops it, and then F is what the formula says for the R that it has come to, with no share
 * of drag or inertia. epsilon is 0.04, and 0.08 for comparison, shown but not judged; mu is epsilon/5, so that friction
 * is a fifth of F.
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
  char cells[28 * 1024];
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

/* A change of the force that pulls the ends apart along x, which comes on evenly. */
typedef struct pull {
  double from, ramp, change;
} pull;

typedef struct experiment {
  double mu, h, drag, dt;
  pull pulls[3]; /* ramp 0: none */
} experiment;

static void print_pulls(char *text, size_t size, const experiment *e)
{
  int used = 0;
  for (int k = 0; k < 6 && e->pulls[k / 2].ramp > 0; k++)
    used += snprintf(text + used, size - (size_t)used,
                     "%s{'rods': 'r', 'at': '%s', 'force': [%.9g, 0, 0], 'from': %.9g, 'ramp': %.9g}", k ? ", " : "",
                     k % 2 ? "tip" : "root", (k % 2 ? -1 : 1) * e->pulls[k / 2].change, e->pulls[k / 2].from,
                     e->pulls[k / 2].ramp);
}

/* The elements go with the braid, whose length is of the order of sqrt(h R). */
static contact_world knot_open(const validate_task *task, const experiment *e)
{
  contact_world none = {.status = {.code = SKEIN_NO_MEMORY, .message = "out of memory"}};
  double h = e->h;
  int elements = (int)((task->model == SKEIN_SUPER_HELIX ? 4.8 : 14) / sqrt(h));
  char pulls[1024];
  knot *k = calloc(1, sizeof *k);
  if (!k || !knot_make(k, 2 * elements)) return free(k), none;
  print_pulls(pulls, sizeof pulls, e);
  contact_world c = contact_open(
      "{'gravity': [0, 0, 0], 'friction': %.9g, 'time': {'dt': %g, 'duration': 1000}, 'materials': {'m': {'E': "
      "%.17g, 'density': %.17g, 'radius': %.9g, 'damping': 0.05, 'drag': %g}}, 'rods': [{'name': 'r', 'model': '%s', "
      "'elements': %d, 'material': 'm', 'length': %.17g, 'natural': 'straight', 'initial': {'cells': [%s]}, 'root': "
      "{'type': 'free', 'position': [%.17g, %.17g, %.17g], 'direction': [%.17g, %.17g, %.17g], 'normal': [%.17g, "
      "%.17g, %.17g]}}], 'forces': [%s], 'solver': {'tol': 1e-5, 'tol_rest': 1e-5, 'sleep': false}}",
      e->mu, e->dt, 4 / (validate_pi * pow(h, 4)), 1 / (validate_pi * h * h), h, e->drag,
      validate_model_name((int)task->model), elements, k->length, k->cells, k->root[0], k->root[1], k->root[2],
      k->direction[0], k->direction[1], k->direction[2], k->normal[0], k->normal[1], k->normal[2], pulls);
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
  const experiment e = {.h = 0.005, .drag = 0.3, .dt = 0.05, .pulls = {{0, 5, 0.5}}};
  contact_world c = knot_open(task, &e);
  contact_run(&c, 50);
  double R = loop_radius(&c);
  validate_add_number(task, "mu = 0, h = 0.005: F, at the R that it comes to", &c.status, theory(0, e.h, R, 0), 0.5,
                      0.1);
  validate_note(task, "R = %.4f, %d contacts", R, c.info.contacts);
  contact_close(&c);
}

static void add_force(const validate_task *task, const experiment *e, const contact_world *c, double way, double F,
                      double before, double allowed)
{
  double R = loop_radius(c);
  char label[VALIDATE_LABEL];
  snprintf(label, sizeof label, "mu = %g, h = %g: F where it %s", e->mu, e->h, way > 0 ? "tightens" : "opens");
  validate_add_number(task, label, &c->status, theory(e->mu, e->h, R, way), F, allowed);
  validate_note(task, "R = %.4f, %.1e in the last 5 time units, %d contacts", R, R / before - 1, c->info.contacts);
}

/* Drawn loosely together; tightened until it stops; opened until it stops. Then 2 R^2 F/EI = a +- 0.984 b mu sqrt(R/h)
 * with a = b = 1 in the limit. */
static void add_pulled(const validate_task *task, double h, double allowed)
{
  const experiment e = {
      .mu = 0.2 * sqrt(h), .h = h, .drag = 0.5, .dt = 0.1, .pulls = {{0, 5, 0.25}, {30, 35, 0.4}, {95, 30, -0.35}}};
  const double F[2] = {0.65, 0.3}, end[2] = {95, 170};
  contact_world c = knot_open(task, &e);
  double y[2], root[2];
  for (int k = 0; k < 2; k++) {
    contact_run(&c, end[k] - 5);
    double before = loop_radius(&c);
    contact_run(&c, end[k]);
    double R = loop_radius(&c);
    add_force(task, &e, &c, k ? -1 : 1, F[k], before, allowed);
    y[k] = 2 * R * R * F[k], root[k] = sqrt(R / h);
  }
  double b = (y[0] - y[1]) / (0.984 * e.mu * (root[0] + root[1]));
  char label[VALIDATE_LABEL];
  snprintf(label, sizeof label, "mu = %g, h = %g: both ways, F without friction over EI/(2 R^2)", e.mu, h);
  validate_add_number(task, label, &c.status, 1, y[0] - 0.984 * b * e.mu * root[0], NAN);
  snprintf(label, sizeof label, "mu = %g, h = %g: both ways, friction over its formula", e.mu, h);
  validate_add_number(task, label, &c.status, 1, b, NAN);
  contact_close(&c);
}

/* Let go slowly, it opens until it holds. */
static void add_let_go(const validate_task *task)
{
  const experiment e = {.mu = 0.09, .h = 0.01, .drag = 0.2, .dt = 0.05, .pulls = {{0, 5, 0.4}, {16, 10, -0.4}}};
  contact_world c = knot_open(task, &e);
  contact_run(&c, 75);
  double R = loop_radius(&c), before = R;
  contact_run(&c, 80);
  R = loop_radius(&c);
  validate_add_number(task, "let go, mu = 0.09, h = 0.01: mu sqrt(R/h) where it holds", &c.status, 1.016,
                      e.mu * sqrt(R / e.h), 0.1);
  validate_note(task, "R = %.4f, %d contacts", R, c.info.contacts);
  validate_add_number(task, "the same: growth of R in the last 5 time units", &c.status, 0, R / before - 1, 1e-3);
  contact_close(&c);
}

void validate_knot(const validate_task *task)
{
  add_smooth(task);
  add_pulled(task, 0.0064, NAN);
  add_pulled(task, 0.0016, 0.1);
  add_let_go(task);
}
