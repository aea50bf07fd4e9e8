/* A ball on a plane. Thrown without spin it slides until v = w r: at 5/7 v0, whatever mu. On a slope it rolls with
 * 5/7 g sin theta where mu suffices, tan theta <= 7 mu/2; beyond it slides with g (sin theta - mu cos theta) and spins
 * up with 5/2 mu g cos theta / r. */
#include "validate.h"

#include <math.h>

static const double earth = 9.81, radius = 0.05;

static contact_world ball_open(double mu, double angle, double v0)
{
  return contact_open(
      "{'gravity': [%.17g, 0, %.17g], 'friction': %.17g, 'time': {'dt': 0.001, 'duration': 100}, "
      "'bodies': [{'shape': {'type': 'sphere', 'radius': %.17g}, 'position': [0, 0, %.17g], 'density': "
      "800, 'velocity': [%.17g, 0, 0]}, {'shape': {'type': 'plane'}}], 'solver': {'tol': 1e-11, 'sleep': "
      "false}}",
      earth * sin(angle), -earth * cos(angle), mu, radius, radius, v0);
}

/* Speed of the centre, and of the point that touches. */
static void look(const contact_world *c, double *speed, double *slip)
{
  double place[3], quaternion[4], v[3], spin[3];
  *speed = *slip = NAN;
  if (!c->world) return;
  skein_world_body(c->world, 0, place, quaternion, v, spin);
  *speed = v[0], *slip = v[0] - radius * spin[1];
}

static void add_throws(const validate_task *task)
{
  const double mus[] = {0.1, 0.5};
  for (int k = 0; k < 2; k++) {
    contact_world c = ball_open(mus[k], 0, 1);
    char label[VALIDATE_LABEL];
    double speed, slip;
    contact_run(&c, 0.6);
    look(&c, &speed, &slip);
    snprintf(label, sizeof label, "thrown with 1 m/s, mu = %g: speed when it rolls (m/s)", mus[k]);
    validate_add_number(task, label, &c.status, 5.0 / 7, speed, 1e-7);
    snprintf(label, sizeof label, "the same: speed of the point that touches (m/s)");
    validate_add_number(task, label, &c.status, 0, slip, 1e-9);
    contact_close(&c);
  }
}

static void add_slopes(const validate_task *task)
{
  const double mu = 0.2, time = 0.5, shares[] = {0.5, 0.999, 1.001, 1.5};
  for (int k = 0; k < 4; k++) {
    double angle = atan(3.5 * mu * shares[k]), speed, slip;
    contact_world c = ball_open(mu, angle, 0);
    char label[VALIDATE_LABEL];
    bool rolls = shares[k] <= 1;
    double a = rolls ? 5.0 / 7 * earth * sin(angle) : earth * (sin(angle) - mu * cos(angle));
    contact_run(&c, time);
    look(&c, &speed, &slip);
    snprintf(label, sizeof label, "tan theta = %g 7 mu/2: acceleration (m/s^2)", shares[k]);
    validate_add_number(task, label, &c.status, a, speed / time, 1e-6);
    snprintf(label, sizeof label, "the same: slip of the point that touches (m/s)");
    double slides = rolls ? 0 : (a - 2.5 * mu * earth * cos(angle)) * time;
    validate_add_number(task, label, &c.status, slides, slip, rolls ? 1e-9 : 1e-4);
    contact_close(&c);
  }
}

void validate_ball(const validate_task *task)
{
  add_throws(task);
  add_slopes(task);
}
