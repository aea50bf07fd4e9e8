/* A rod without weight, clamped above and pointing down, is pushed by eps L onto a rough floor. It buckles; as long as
 * its end sticks, the floor's force leans over by H/V = mu_c(eps), an elastica with one end clamped and the other
 * pinned. With mu < mu_c the end slips.
 *
 * An inextensible rod that is straight cannot be pushed at all, so it starts a little buckled, its end below the clamp:
 * kappa = a (sin(k (L - s)) + b), tan k = k, the first mode of buckling with a small b that brings the end there. The
 * clamp goes down slowly. Length 1, EI = 1, mass per length 1; a thin section, so that chains are not compressed
 * either. */
#include "validate.h"

#include <math.h>
#include <string.h>

static const double rate = 0.005, thick = 0.01, thin = 1e-3;

enum { CELLS = 64 };

typedef struct shape {
  int elements;
  double cells[3 * CELLS], place[3]; /* place: of the end */
} shape;

/* The end of a rod of that shape which points down. */
static skein_status shape_eval(const validate_task *task, shape *s, double b)
{
  const double k = 4.493409457909064, a = 0.5;
  skein_rod_def def = validate_def(task->model, s->elements, thin, 2.0 / 3);
  skein_rod *rod = NULL;
  skein_pose tip;
  for (int i = 0; i < s->elements; i++) {
    double u = 1 - (i + 0.5) / s->elements;
    s->cells[3 * i] = a * (sin(k * u) + b), s->cells[3 * i + 1] = s->cells[3 * i + 2] = 0;
  }
  def.initial = s->cells, def.initials = s->elements;
  def.pose = validate_pose_down();
  skein_status status = skein_rod_create(&def, &rod);
  if (status.code == SKEIN_OK) {
    skein_rod_point(rod, 1, &tip);
    memcpy(s->place, tip.r, sizeof s->place);
  }
  skein_rod_destroy(rod);
  return status;
}

/* Curvature about d1 = x bends the rod along y: secant on the end's y. */
static skein_status shape_make(const validate_task *task, shape *s)
{
  double x[2] = {0, 0.01}, y[2];
  s->elements = validate_elements(task->model, 16);
  skein_status status = shape_eval(task, s, x[0]);
  y[0] = s->place[1];
  if (status.code == SKEIN_OK) status = shape_eval(task, s, x[1]);
  y[1] = s->place[1];
  for (int k = 0; k < 6 && status.code == SKEIN_OK && fabs(y[1]) > 1e-12; k++) {
    double next = x[1] - y[1] * (x[1] - x[0]) / (y[1] - y[0]);
    x[0] = x[1], y[0] = y[1], x[1] = next;
    status = shape_eval(task, s, next);
    y[1] = s->place[1];
  }
  return status;
}

/* Touches the floor, z = 0, at the start. */
static contact_world rod_open(const validate_task *task, const shape *s, double mu)
{
  double I = validate_pi * pow(thin, 4) / 4;
  char cells[CELLS * 40];
  int used = 0;
  for (int i = 0; i < s->elements; i++)
    used += snprintf(cells + used, sizeof cells - (size_t)used, "%s[%.17g, 0, 0]", i ? ", " : "", s->cells[3 * i]);
  return contact_open(
      "{'gravity': [0, 0, 0], 'friction': %g, 'time': {'dt': 0.02, 'duration': 1000, 'travel': 0}, 'materials': {'m': "
      "{'E': "
      "%.17g, 'density': %.17g, 'radius': %g, 'collision_radius': %g, 'damping': 0.002}}, 'rods': [{'model': '%s', "
      "'elements': %d, 'material': 'm', 'length': 1, 'initial': {'cells': [%s]}, 'root': {'position': [0, 0, %.17g], "
      "'normal': [1, 0, 0], 'motion': {'waves': [{'axis': [0, 0, -1], 'rate': %g}]}}}], 'bodies': [{'shape': {'type': "
      "'plane'}}], 'solver': {'tol': 1e-10, 'sleep': false, 'slop': 0}}",
      mu, 1 / I, 1 / (validate_pi * thin * thin), thin, thick, validate_model_name((int)task->model), s->elements,
      cells, thick - s->place[2], rate);
}

/* How far the end is from the axis of the clamp. */
static double gone(const contact_world *c)
{
  skein_pose tip;
  if (!c->world) return NAN;
  skein_rod_point(skein_world_rod(c->world, 0), 1, &tip);
  return hypot(tip.r[0], tip.r[1]);
}

/* It sticks all the way: the lean of the force at each eps. */
static void add_leans(const validate_task *task, const shape *s)
{
  const double table[][2] = {{0.01, 0.044854}, {0.05, 0.103545}, {0.1, 0.152793},
                             {0.15, 0.195916}, {0.2, 0.237774},  {0.3, 0.326491}};
  const double origin[3] = {0};
  contact_world c = rod_open(task, s, 0.5);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    char label[VALIDATE_LABEL];
    contact_run(&c, (table[k][0] - 1 - s->place[2]) / rate);
    contact_force sum = contact_sum(&c, origin);
    snprintf(label, sizeof label, "eps = %g: mu_c", table[k][0]);
    validate_add_number(task, label, &c.status, table[k][1], hypot(sum.force[0], sum.force[1]) / sum.force[2], 0.01);
  }
  validate_add_number(task, "mu = 0.5: way of the end while it sticks (L)", &c.status, 0, gone(&c),
                      task->model == SKEIN_SUPER_HELIX ? 1e-4 : 1e-9);
  if (task->model == SKEIN_SUPER_HELIX) validate_note(task, "its points follow their velocity to second order in dt");
  contact_close(&c);
}

void validate_stick_slip(const validate_task *task)
{
  shape s = {0};
  skein_status status = shape_make(task, &s);
  if (status.code != SKEIN_OK) return validate_add_number(task, "start", &status, 0, NAN, 0);
  add_leans(task, &s);
  contact_world c = rod_open(task, &s, 0.2);
  while (gone(&c) < 1e-4 && contact_step(&c, 0.3 / rate)) continue;
  double eps = c.world ? rate * skein_world_time(c.world) + 1 + s.place[2] : NAN;
  validate_add_number(task, "mu = 0.2: eps at which the end slips", &c.status, 0.1548, eps, 0.01);
  contact_close(&c);
}
