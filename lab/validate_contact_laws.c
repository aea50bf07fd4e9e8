/* What holds for every motion with contact: energy does not grow, no contact drives, units do not matter. The motion is
 * one of everything: three rods fall past a ball onto a floor with some sideways speed and slide there; or three boxes
 * and a ball do. */
#include "validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SI units per unit of the scene. */
typedef struct units {
  const char *name, *field;
  double L, T, M;
} units;

static const units si = {"SI", "'length': 'm', 'mass': 'kg', 'time': 's'", 1, 1, 1};
static const units others[] = {{"mm-g-s", "'length': 'mm', 'mass': 'g', 'time': 's'", 1e-3, 1, 1e-3},
                               {"cm-mg-ms", "'length': 'cm', 'mass': 'mg', 'time': 'ms'", 1e-2, 1e-3, 1e-6}};

static contact_world rods_open(const char *model, const units *u)
{
  double L = u->L, v = u->T / u->L;
  return contact_open(
      "{'units': {%s}, 'friction': 0.3, 'time': {'dt': %.17g, 'dt_min': %.17g, 'duration': %.17g}, 'materials': "
      "{'rubber': {'E': %.17g, "
      "'density': %.17g, 'radius': %.17g, 'damping': %.17g}}, 'rods': [{'model': '%s', 'elements': %d, 'material': "
      "'rubber', 'length': %.17g, 'natural': {'curvature': %.17g}, 'root': {'type': 'free', 'position': [%.17g, 0, "
      "%.17g], "
      "'direction': [1, 0.2, 0.1]}, 'velocity': [%.17g, %.17g, 0], 'bundle': {'count': 3, 'spacing': %.17g, 'jitter': "
      "0.5}}], 'bodies': [{'shape': {'type': 'plane'}}, {'shape': {'type': 'sphere', 'radius': %.17g}, 'position': "
      "[%.17g, "
      "%.17g, %.17g]}], 'solver': {'tol': 1e-9, 'push': %.17g, 'sleep': false}}",
      u->field, 1e-3 / u->T, 1e-4 / u->T, 10 / u->T, 2e6 * L * u->T * u->T / u->M, 1100 * L * L * L / u->M, 2e-3 / L,
      2e-3 / u->T, model, strcmp(model, "super-helix") ? 12 : 5, 0.2 / L, 2 * L, -0.1 / L, 0.06 / L, 0.5 * v, 0.2 * v,
      6e-3 / L, 0.02 / L, 0.02 / L, 0.01 / L, 0.02 / L, 0.1 * v);
}

static contact_world bodies_open(const units *u)
{
  double L = u->L, v = u->T / u->L, density = 700 * L * L * L / u->M;
  char box[3][512];
  for (int k = 0; k < 3; k++)
    snprintf(box[k], sizeof box[k],
             "{'shape': {'type': 'box', 'size': [%.17g, %.17g, %.17g]}, 'position': [%.17g, %.17g, %.17g], 'rotation': "
             "{'axis': [1, %d, 1], 'angle': 25}, 'density': %.17g, 'velocity': [%.17g, 0, 0]}",
             0.1 / L, 0.08 / L, 0.05 / L, 0.01 * k / L, 0.01 * k / L, (0.1 + 0.13 * k) / L, k, density, 0.5 * v);
  return contact_open(
      "{'units': {%s}, 'friction': 0.3, 'time': {'dt': %.17g, 'dt_min': %.17g, 'duration': %.17g}, 'bodies': [%s, %s, "
      "%s, "
      "{'shape': {'type': 'sphere', 'radius': %.17g}, 'position': [%.17g, 0, %.17g], 'density': %.17g}, "
      "{'shape': {'type': 'plane'}}], 'solver': {'tol': 1e-9, 'push': %.17g, 'sleep': false}}",
      u->field, 1e-3 / u->T, 1e-4 / u->T, 10 / u->T, box[0], box[1], box[2], 0.03 / L, 0.06 / L, 0.05 / L, density,
      0.1 * v);
}

static contact_world open_world(const validate_task *task, const units *u)
{
  return (int)task->model == VALIDATE_BODIES ? bodies_open(u) : rods_open(validate_model_name((int)task->model), u);
}

/* ---- Energy ---- */

/* The largest power of friction over the contacts of the last step: r_T . u_T, never positive. */
static double friction_work(const contact_world *c)
{
  const skein_problem *p = skein_world_problem(c->world);
  const skein_solution *s = skein_world_solution(c->world);
  double most = 0;
  for (int k = 0; p && k < p->contacts; k++) {
    const double *r = s->r + 3 * k, *u = s->u + 3 * k;
    most = fmax(most, r[1] * u[1] + r[2] * u[2]);
  }
  return most;
}

void validate_dissipation(const validate_task *task)
{
  contact_world c = open_world(task, &si);
  double start = NAN, last = 0, growth = 0, gain = 0, work = 0, moving = 0;
  while (contact_step(&c, 0.4)) {
    double energy = c.info.kinetic + c.info.elastic + c.info.gravity;
    if (isnan(start)) start = last = energy, moving = fabs(energy);
    growth = fmax(growth, energy - last), gain = fmax(gain, -c.info.dissipated), work = fmax(work, friction_work(&c));
    last = energy;
  }
  validate_add_number(task, "largest growth of kinetic + elastic + gravity in a step", &c.status, 0, growth / moving,
                      1e-6);
  validate_add_number(task, "largest gain by all contacts in a step", &c.status, 0, gain / moving, 1e-6);
  validate_add_number(task, "largest work of friction at a contact", &c.status, 0, work / moving, 1e-9);
  validate_add_ratio(task, "share of the energy that is lost in 0.4 s", &c.status, 0.1, (start - last) / moving, false);
  contact_close(&c);
}

/* ---- Units ---- */

enum { SAMPLES = 5, THINGS = 7 };

/* Places (m) of points of every rod, or of every moving body. */
static int sample(const contact_world *c, double *x)
{
  int count = 0;
  for (int i = 0; c->world && i < skein_world_rods(c->world) && i < THINGS; i++)
    for (int k = 0; k < SAMPLES; k++, count += 3) {
      const skein_rod *rod = skein_world_rod(c->world, i);
      skein_pose pose;
      skein_rod_point(rod, skein_rod_definition(rod).length * k / (SAMPLES - 1), &pose);
      memcpy(x + count, pose.r, sizeof pose.r);
    }
  for (int i = 0; c->world && i < 4 && i < skein_world_bodies(c->world); i++, count += 3) {
    double velocity[3];
    contact_body(c, i, x + count, velocity);
  }
  return count;
}

void validate_units(const validate_task *task)
{
  const double times[] = {0.1, 0.2};
  contact_world a = open_world(task, &si);
  double x[2][THINGS * SAMPLES * 3 + 12], y[THINGS * SAMPLES * 3 + 12], start[THINGS * SAMPLES * 3 + 12];
  int count = sample(&a, start);
  for (int t = 0; t < 2; t++) contact_run(&a, times[t]), sample(&a, x[t]);
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    contact_world b = open_world(task, &others[k]);
    for (int t = 0; t < 2; t++) {
      double difference = 0, way = 0;
      char label[VALIDATE_LABEL];
      contact_run(&b, times[t]);
      int same = sample(&b, y);
      for (int i = 0; i < count && i < same; i++)
        difference = fmax(difference, fabs(y[i] - x[t][i])), way = fmax(way, fabs(x[t][i] - start[i]));
      snprintf(label, sizeof label, "%s against SI after %g s: places, over the way", others[k].name, times[t]);
      validate_add_number(task, label, a.status.code != SKEIN_OK ? &a.status : &b.status, 0,
                          same == count && way > 0 ? difference / way : NAN, 1e-6);
    }
    contact_close(&b);
  }
  contact_close(&a);
}
