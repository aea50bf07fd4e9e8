/* Things that slide on a plane and stop: a box, or a rod that lies on it askew. The plane is level; slopes and pulls
 * are directions of gravity, which is the same. With implicit Euler and friction mu m g a sliding thing has
 *
 *     v_k = v_(k-1) - mu g dt,   x_k = x_(k-1) + dt v_k:   it stops after v0^2/(2 mu g) - v0 dt/2. */
#include "validate.h"

#include <math.h>

static const double earth = 9.81;

typedef struct slide {
  int model; /* or VALIDATE_BODIES */
  double mu, dt, pull[3], velocity[3];
  const char *more; /* of the scene */
} slide;

static slide slide_make(const validate_task *task, double mu, double dt)
{
  return (slide){.model = (int)task->model, .mu = mu, .dt = dt, .pull = {0, 0, -earth}, .more = ""};
}

static contact_world slide_open(const slide *s)
{
  const double *g = s->pull, *v = s->velocity;
  char thing[1024];
  if (s->model == VALIDATE_BODIES)
    snprintf(
        thing, sizeof thing,
        "'bodies': [{'shape': {'type': 'box', 'size': [0.1, 0.08, 0.02]}, 'position': [0, 0, 0.01], 'density': 500, "
        "'velocity': [%.17g, %.17g, %.17g]}, {'shape': {'type': 'plane'}}]",
        v[0], v[1], v[2]);
  else
    snprintf(
        thing, sizeof thing,
        "'materials': {'rubber': {'E': 1e8, 'density': 1000, 'radius': 0.002, 'damping': 0.001}}, 'rods': [{'model': "
        "'%s', 'elements': 8, 'material': 'rubber', 'length': 0.2, 'root': {'type': 'free', 'position': [0, 0, "
        "0.002], 'direction': [0.8, 0.6, 0]}, 'velocity': [%.17g, %.17g, %.17g]}], 'bodies': [{'shape': {'type': "
        "'plane'}}]",
        validate_model_name(s->model), v[0], v[1], v[2]);
  return contact_open("{'gravity': [%.17g, %.17g, %.17g], 'friction': %.17g, 'time': {'dt': %.17g, 'dt_min': %.17g, "
                      "'duration': 100, 'travel': 0}, %s, 'solver': {'tol': 1e-11, 'sleep': false%s}}",
                      g[0], g[1], g[2], s->mu, s->dt, s->dt, thing, s->more);
}

/* Where the thing is, and how fast. */
static void slide_look(const slide *s, const contact_world *c, double place[3], double velocity[3])
{
  if (s->model == VALIDATE_BODIES) contact_body(c, 0, place, velocity);
  else contact_rod(c, 0, place, velocity);
}

static double length3(const double *x)
{
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* ---- Slope ---- */

/* On a slope with that tangent: the largest speed of 0.5 s, and the speed at its end. */
static skein_status run_slope(slide *s, double tangent, double *largest, double *end)
{
  double angle = atan(tangent), x[3], v[3];
  s->pull[0] = earth * sin(angle), s->pull[2] = -earth * cos(angle);
  contact_world c = slide_open(s);
  *largest = 0;
  while (contact_step(&c, 0.5)) {
    slide_look(s, &c, x, v);
    *largest = fmax(*largest, fmax(c.info.speed, length3(v)));
  }
  slide_look(s, &c, x, v);
  *end = v[0];
  skein_status status = c.status;
  contact_close(&c);
  return status;
}

void validate_incline(const validate_task *task)
{
  const double sticking[] = {0.5, 0.99, 0.9999}, sliding[] = {1.0001, 1.01, 1.5, 4};
  slide s = slide_make(task, 0.4, 0.005);
  char label[VALIDATE_LABEL];
  double largest, end;
  for (size_t k = 0; k < sizeof sticking / sizeof *sticking; k++) {
    skein_status status = run_slope(&s, sticking[k] * s.mu, &largest, &end);
    snprintf(label, sizeof label, "tan theta = %g mu: speed while stuck (m/s)", sticking[k]);
    validate_add_number(task, label, &status, 0, largest, 1e-10);
  }
  for (size_t k = 0; k < sizeof sliding / sizeof *sliding; k++) {
    double angle = atan(sliding[k] * s.mu), a = earth * (sin(angle) - s.mu * cos(angle));
    skein_status status = run_slope(&s, sliding[k] * s.mu, &largest, &end);
    snprintf(label, sizeof label, "tan theta = %g mu: acceleration (m/s^2)", sliding[k]);
    validate_add_number(task, label, &status, a, end / 0.5, 1e-7);
  }
}

/* ---- Stopping ---- */

void validate_stopping(const validate_task *task)
{
  const int steps[] = {20, 100};
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    double v0 = 0.5, mu = 0.3, dt = v0 / (mu * earth * steps[k]), before[3], after[3], v[3];
    slide s = slide_make(task, mu, dt);
    s.velocity[0] = v0;
    contact_world c = slide_open(&s);
    char label[VALIDATE_LABEL];
    slide_look(&s, &c, before, v);
    contact_run(&c, dt * (steps[k] + 5));
    slide_look(&s, &c, after, v);
    snprintf(label, sizeof label, "mu = 0.3, v0 = 0.5 m/s, %d steps: way (m)", steps[k]);
    validate_add_number(task, label, &c.status, v0 * v0 / (2 * mu * earth) - 0.5 * v0 * dt, after[0] - before[0], 1e-8);
    snprintf(label, sizeof label, "speed 5 steps later (m/s)");
    validate_add_number(task, label, &c.status, 0, length3(v), 1e-10);
    contact_close(&c);
  }
}

/* ---- Pull ---- */

/* The pull on every piece of the rod grows with time in steps, along the rod, across and between. */
static void pull_uniformly(const validate_task *task, double x, double y, const char *way)
{
  const double shares[] = {0.5, 0.99, 1.01, 2};
  slide s = slide_make(task, 0.4, 0.005);
  for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
    double pull = shares[k] * s.mu * earth, p[3], v[3];
    char label[VALIDATE_LABEL];
    s.pull[0] = pull * x, s.pull[1] = pull * y;
    contact_world c = slide_open(&s);
    contact_run(&c, 0.2);
    slide_look(&s, &c, p, v);
    double slides = fmax(0, shares[k] - 1) * s.mu * earth * 0.2;
    snprintf(label, sizeof label, "pulled %s with F = %g mu m g: speed after 0.2 s (m/s)", way, shares[k]);
    validate_add_number(task, label, &c.status, slides, length3(v), slides > 0 ? 1e-7 : 1e-10);
    contact_close(&c);
  }
}

/* Its root is drawn along by a clamp: in steady motion all contacts together hold it back with mu times what the floor
 * carries (the clamp carries the rest). It starts above the floor: a rod whose held root touches a body grows out of
 * it. */
static void pull_by_the_root(const validate_task *task)
{
  const double mu = 0.4, radius = 0.002, origin[3] = {0};
  contact_world c = contact_open(
      "{'friction': %g, 'time': {'dt': 0.002, 'duration': 100, 'travel': 0}, 'materials': {'rubber': {'E': 1e8, "
      "'density': 1000, 'radius': %g, 'damping': 0.01}}, 'rods': [{'model': '%s', 'elements': 8, 'material': 'rubber', "
      "'length': 0.2, 'root': {'type': 'clamped', 'position': [0, 0, %g], 'direction': [-1, 0, 0], 'motion': {'waves': "
      "[{'axis': [1, 0, 0], 'rate': 0.02}]}}}], 'bodies': [{'shape': {'type': 'plane'}}], 'solver': {'tol': 1e-10, "
      "'sleep': false}}",
      mu, radius, validate_model_name((int)task->model), 1.05 * radius);
  contact_run(&c, 0.5);
  contact_force sum = contact_sum(&c, origin);
  validate_add_number(task, "drawn by its root: friction over the weight that the floor carries", &c.status, mu,
                      -sum.force[0] / sum.normal, 1e-6);
  contact_close(&c);
}

void validate_pulled(const validate_task *task)
{
  pull_uniformly(task, 0.8, 0.6, "along");
  pull_uniformly(task, -0.6, 0.8, "across");
  pull_uniformly(task, 1, 0, "askew");
  pull_by_the_root(task);
}

/* ---- Isotropy ---- */

/* Pushed at each of several angles to x: the largest angle (rad) between push and way. */
static skein_status largest_turn(slide *s, double *turn)
{
  skein_status status = {0};
  *turn = 0;
  for (int k = 0; k <= 12 && status.code == SKEIN_OK; k++) {
    double angle = 15 * k * validate_pi / 180, a[3], b[3], v[3], x = cos(angle), y = sin(angle);
    s->velocity[0] = x, s->velocity[1] = y;
    contact_world c = slide_open(s);
    slide_look(s, &c, a, v);
    contact_run(&c, 0.15);
    slide_look(s, &c, b, v);
    double way[2] = {b[0] - a[0], b[1] - a[1]};
    *turn = fmax(*turn, fabs(atan2(x * way[1] - y * way[0], x * way[0] + y * way[1])));
    status = c.status;
    contact_close(&c);
  }
  return status;
}

void validate_isotropy(const validate_task *task)
{
  const char *const exact[] = {"secular", "mfb", "pac", "enum"};
  char more[128], label[VALIDATE_LABEL];
  slide s = slide_make(task, 0.5, 0.01);
  double turn;
  s.more = more;
  for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
    snprintf(more, sizeof more, ", 'method': 'gs', 'local': '%s+enum'", exact[k]);
    skein_status status = largest_turn(&s, &turn);
    snprintf(label, sizeof label, "%s: angle between push and way (rad)", exact[k]);
    validate_add_number(task, label, &status, 0, turn, 1e-6);
  }
  snprintf(more, sizeof more, ", 'method': 'gs', 'local': 'pyramid4', 'max_sweeps': 50");
  skein_status status = largest_turn(&s, &turn);
  validate_add_ratio(task, "pyramid4: angle between push and way (rad)", &status, 0.02, turn, true);
}
