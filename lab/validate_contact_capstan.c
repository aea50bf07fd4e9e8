/* The capstan. Everything lies in the plane of x and z; the rod comes up at x = -rho, goes round by phi = pi, and comes
 * down at x = rho; its root is driven slowly, its tip is held. The end forces follow from the contact forces R (sum)
 * and Q (torque about the axis, along y) alone:  T2 + T1 = R_z,  T2 |x_root| - T1 x_tip = Q.
 *
 * Over a drum, in tension: T2/T1 = e^(mu phi). The contacts are many, and where the rod touches is its own affair.
 *
 * With n point contacts of known normals: vertices of a chain on n flat faces that touch the circle from outside, each
 * normal half way between the two edges that meet there. There the chain is pushed, not pulled; the balance at a vertex
 * is the same, and the ratio is ((1 + mu tan(phi/2n)) / (1 - mu tan(phi/2n)))^n exactly. For chains only: a super-helix
 * has no corners, and the force between two contacts leaves their chord by what its bending moments there differ by. */
#include "validate.h"

#include <math.h>

enum { MAX_FACES = 16 };

/* Cells of half an element: `straight` elements at either end without curvature. */
static void print_cells(char *text, size_t size, int elements, double straight, double curvature)
{
  int used = 0;
  for (int i = 0; i < 2 * elements; i++) {
    double s = 0.5 * (i + 0.5);
    bool bent = s > straight && s < elements - straight;
    used += snprintf(text + used, size - (size_t)used, "%s[%.17g, 0, 0]", i ? "," : "", bent ? curvature : 0);
  }
}

/* Forces of the ends along z, root (2) and tip (1), and their ratio. */
static double end_forces(contact_world *c, double force[2], contact_force *sum)
{
  const double origin[3] = {0};
  *sum = contact_sum(c, origin);
  force[0] = force[1] = NAN;
  if (c->status.code != SKEIN_OK) return NAN;
  const skein_rod *rod = skein_world_rod(c->world, 0);
  skein_pose root, tip;
  skein_rod_point(rod, 0, &root);
  skein_rod_point(rod, skein_rod_definition(rod).length, &tip);
  double R = sum->force[2], Q = sum->torque[1], a = -root.r[0], b = tip.r[0];
  force[0] = (R * a - Q) / (a + b), force[1] = (R * b + Q) / (a + b);
  return force[1] / force[0];
}

/* ---- n point contacts ---- */

/* Radius 1, EA = 1, a section so thin that bending is nothing; pushed by 1e-7. */
static void add_faces(const validate_task *task, int n)
{
  double mu = 0.3, beta = validate_pi / n, l = 2 * sin(beta / 2), thick = 1e-3, thin = 1e-6,
         S = validate_pi * thin * thin;
  char cells[4096], faces[MAX_FACES * 160], label[VALIDATE_LABEL];
  int used = 0;
  print_cells(cells, sizeof cells, n + 1, 0.5, beta / l);
  for (int k = 0; k < n; k++) {
    double angle = validate_pi - (k + 0.5) * beta, x = cos(angle), z = sin(angle), d = 1 + thick;
    used += snprintf(faces + used, sizeof faces - (size_t)used,
                     "%s{'shape': {'type': 'plane', 'normal': [%.17g,0,%.17g]}, 'position': [%.17g,0,%.17g]}",
                     k ? ", " : "", -x, -z, d * x, d * z);
  }
  contact_world c = contact_open(
      "{'gravity': [0, 0, 0], 'friction': %.17g, 'time': {'dt': 1, 'duration': 1000, 'travel': 0}, 'materials': {'m': "
      "{'E': "
      "%.17g, 'density': %.17g, 'radius': %g, 'collision_radius': %g}}, 'rods': [{'model': '%s', 'elements': %d, "
      "'material': 'm', 'length': %.17g, 'natural': {'cells': [%s]}, 'root': {'type': 'pinned', 'position': [%.17g, 0, "
      "%.17g], 'direction': [0, 0, 1], 'normal': [0, 1, 0], 'motion': {'waves': [{'axis': [0, 0, 1], 'rate': 1e-9}]}}, "
      "'tip': {'type': 'pinned'}}], 'bodies': [%s], 'solver': {'tol': 1e-12, 'sleep': false}}",
      mu, 1 / S, 1e-3 / S, thin, thick, validate_model_name((int)task->model), n + 1, (n + 1) * l, cells,
      -cos(beta / 2), -sin(beta / 2), faces);
  double force[2], step = mu * tan(beta / 2);
  contact_force sum;
  contact_run(&c, 100);
  double ratio = end_forces(&c, force, &sum);
  snprintf(label, sizeof label, "%d point contacts: ratio of the forces", n);
  validate_add_number(task, label, &c.status, pow((1 + step) / (1 - step), n), ratio, 1e-6);
  validate_note(task, "%d slide", sum.slide);
  contact_close(&c);
}

/* ---- Drum ---- */

/* Radius 1 to the axis of the rod, EI = 1, mass per length 1. */
static void add_drum(const validate_task *task, double mu, int n, double allowed)
{
  bool helix = task->model == SKEIN_SUPER_HELIX;
  int spans = n / 4, elements = helix ? n + 2 * spans : n + 1 + 2 * spans;
  double beta = validate_pi / n, l = helix ? beta : 2 * tan(beta / 2), thick = 0.1, thin = 1e-3;
  double I = validate_pi * pow(thin, 4) / 4, below = helix ? spans * l : (spans + 0.5) * l;
  char cells[16384], label[VALIDATE_LABEL];
  print_cells(cells, sizeof cells, elements, helix ? spans : spans + 0.5, beta / l);
  contact_world c = contact_open(
      "{'gravity': [0, 0, 0], 'friction': %.17g, 'time': {'dt': 0.02, 'dt_min': 0.005, 'duration': 1000, 'travel': 0}, "
      "'materials': {'m': "
      "{'E': %.17g, 'density': %.17g, 'radius': %g, 'collision_radius': %g, 'damping': 0.01}}, 'rods': "
      "[{'model': '%s', "
      "'elements': %d, 'material': 'm', 'length': %.17g, 'initial': {'cells': [%s]}, 'tip_factor': 1e6, "
      "'root': {'type': "
      "'pinned', 'position': [-1, 0, %.17g], 'direction': [0, 0, 1], 'normal': [0, 1, 0], 'motion': "
      "{'waves': [{'axis': [0, "
      "0, -1], 'rate': 0.0055}]}}, 'tip': {'type': 'pinned'}}], 'bodies': [{'shape': {'type': 'cylinder', "
      "'radius': %.17g, "
      "'length': 1, 'axis': [0, 1, 0]}}], 'solver': {'tol': 1e-7, 'sleep': false}}",
      mu, 1 / I, 1 / (validate_pi * thin * thin), thin, thick, validate_model_name((int)task->model), elements,
      elements * l, cells, -below, 1 - thick);
  double force[2];
  contact_force sum;
  contact_run(&c, 2);
  double ratio = end_forces(&c, force, &sum);
  snprintf(label, sizeof label, "drum, mu = %g, %d elements round it: T2/T1", mu, n);
  validate_add_number(task, label, &c.status, exp(mu * validate_pi), ratio, allowed);
  validate_note(task, "%d contacts, %d slide; T1 rho^2/EI = %.3g", sum.contacts, sum.slide, force[0]);
  contact_close(&c);
}

void validate_capstan(const validate_task *task)
{
  if (task->model == SKEIN_DER)
    for (int n = 4; n <= MAX_FACES; n *= 2) add_faces(task, n);
  add_drum(task, 0.3, 16, task->model == SKEIN_DER ? NAN : 0.01); /* a chain of so few edges is a polygon: shown */
  add_drum(task, 0.3, 24, 0.01);
}
