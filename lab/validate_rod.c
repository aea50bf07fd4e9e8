/* The rod without dimensions that the tests use, its equilibrium, its lowest eigenvalue and where that changes sign. */
#include "validate.h"

#include <math.h>
#include <stdlib.h>

const double validate_pi = 3.14159265358979323846;

skein_rod_def validate_def(skein_rod_model model, int elements, double radius, double ratio)
{
  double I = validate_pi * pow(radius, 4) / 4;
  skein_rod_def def = skein_default_rod_def();
  def.model = model;
  def.elements = elements;
  def.twist_locked = 0;
  def.length = 1;
  def.radius1 = def.radius2 = radius;
  def.E = 1 / I;
  def.G = ratio / (2 * I);
  def.density = 1 / (validate_pi * radius * radius);
  def.damping = def.drag = 0;
  def.natural = def.initial = NULL;
  def.naturals = def.initials = 0;
  def.root = SKEIN_CLAMPED;
  def.tip = SKEIN_FREE;
  def.pose = skein_default_pose();
  return def;
}

skein_pose validate_pose_horizontal(void)
{
  return (skein_pose){.d = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
}

skein_pose validate_pose_down(void)
{
  return (skein_pose){.d = {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
}

skein_env validate_gravity(double gamma)
{
  return (skein_env){.gravity = {0, 0, -gamma}};
}

int validate_elements(skein_rod_model model, int super_helix)
{
  return model == SKEIN_SUPER_HELIX ? super_helix : 64;
}

double validate_allowed(skein_rod_model model, double super_helix)
{
  return model == SKEIN_SUPER_HELIX ? super_helix : 0.02;
}

skein_status validate_relax(skein_rod *rod, const skein_env *env, int load_steps, int iterations)
{
  skein_relax_def def = skein_default_relax_def();
  skein_relax_info info = {0};
  def.load_steps = load_steps;
  def.max_iterations = iterations;
  skein_status status = skein_rod_relax(rod, env, &def, &info);
  if (status.code != SKEIN_OK || info.converged) return status;
  status.code = SKEIN_BAD_INPUT;
  snprintf(status.message, sizeof status.message, "no equilibrium after %d iterations in %d load steps, decrement %.1e",
           info.iterations, info.load_steps, info.decrement);
  return status;
}

bool validate_motion(const skein_rod *rod, const double *shape, double square[3])
{
  size_t n = (size_t)skein_rod_dofs(rod);
  double length = skein_rod_definition(rod).length, *J = malloc(3 * n * sizeof *J);
  if (!J) return false;
  square[0] = square[1] = square[2] = 0;
  for (int p = 1; p <= 10; p++) {
    skein_rod_jacobian(rod, 0.1 * p * length, J, NULL);
    for (size_t i = 0; i < 3; i++) {
      double v = 0;
      for (size_t k = 0; k < n; k++) v += J[i * n + k] * shape[k];
      square[i] += v * v;
    }
  }
  free(J);
  return true;
}

skein_status validate_lowest(const skein_rod *rod, const skein_env *env, int axis, double *omega2)
{
  enum { tried = 6 };
  double lambda[tried], square[3];
  size_t n = (size_t)skein_rod_dofs(rod);
  int count = n < tried ? (int)n : tried;
  skein_status status = {.code = SKEIN_NO_MEMORY, .message = "out of memory"};
  double *shape = malloc(tried * n * sizeof *shape);
  if (!shape) return status;
  status = skein_rod_modes(rod, env, count, lambda, shape);
  *omega2 = NAN;
  for (int k = 0; k < count && status.code == SKEIN_OK && isnan(*omega2); k++) {
    if (!validate_motion(rod, shape + (size_t)k * n, square)) break;
    if (square[axis] >= fmax(square[(axis + 1) % 3], square[(axis + 2) % 3])) *omega2 = lambda[k];
  }
  free(shape);
  return status;
}

void validate_outline(const skein_rod *rod, int i, int j, int count, double *xy)
{
  double length = skein_rod_definition(rod).length;
  skein_pose pose;
  for (int p = 0; p < count; p++) {
    skein_rod_point(rod, length * p / (count - 1), &pose);
    xy[2 * p] = pose.r[i];
    xy[2 * p + 1] = pose.r[j];
  }
}

/* The step from x[2] to the nearest zero of the parabola through three points, of the secant where there is none. */
static double step_to_zero(const double x[3], const double f[3])
{
  double h = x[2] - x[1], slope = (f[2] - f[1]) / h;
  double bend = (slope - (f[1] - f[0]) / (x[1] - x[0])) / (x[2] - x[0]), b = slope + bend * h;
  double square = b * b - 4 * bend * f[2];
  return square > 0 && b < 0 ? 2 * f[2] / (-b + sqrt(square)) : -f[2] / slope;
}

static skein_status no_zero(const double x[3], const double f[3])
{
  skein_status status = {.code = SKEIN_BAD_INPUT};
  snprintf(status.message, sizeof status.message, "the eigenvalue does not fall to zero: %.3g at %.4g, %.3g at %.4g",
           f[1], x[1], f[2], x[2]);
  return status;
}

/* Beyond the critical load Newton's method may leave for another equilibrium, where the eigenvalue has grown again, or
 * find none: then half the step is tried. */
static skein_status approach(validate_eigen_fn eval, const void *user, double step, double x[3], double f[3])
{
  double value;
  for (int k = 0; k < 5; k++, step *= 0.5) {
    skein_status status = eval(user, x[2] + step, &value);
    if (status.code != SKEIN_OK || !(fabs(value) < fabs(f[2]))) continue;
    for (int i = 0; i < 2; i++) x[i] = x[i + 1], f[i] = f[i + 1];
    x[2] += step, f[2] = value;
    return status;
  }
  return no_zero(x, f);
}

/* Steps go nine tenths of the way, so that they end below the critical load. */
skein_status validate_critical(validate_eigen_fn eval, const void *user, double from, double width, double tol,
                               double *critical)
{
  double x[3], f[3];
  skein_status status = {0};
  *critical = NAN;
  for (int i = 0; i < 3 && status.code == SKEIN_OK; i++) status = eval(user, x[i] = from + i * width, &f[i]);
  for (int k = 0; k < 8 && status.code == SKEIN_OK; k++) {
    double step = step_to_zero(x, f);
    if (!(fabs(step) < x[2])) return no_zero(x, f);
    *critical = x[2] + step;
    if (fabs(step) < tol * x[2]) break;
    status = approach(eval, user, 0.9 * step, x, f);
  }
  if (status.code != SKEIN_OK) *critical = NAN;
  return status;
}
