/* Camera: a pinhole that looks from the eye to the target.
 *
 * Fitting. In axes of the camera (x right, y up, z forward) a point is inside the picture when |x - e_x| <= (z - e_z)
 * tan_x and the same for y. With A = max(x - tan_x z) and B = max(-x - tan_x z) over all points, the nearest eye that
 * sees all of them has e_x = (A - B) / 2 and e_z = -(A + B) / (2 tan_x); the smaller e_z of both directions is taken.
 * So four numbers hold all that a whole movie asks of a camera that stands still. */
#include "render.h"

#include <math.h>

static const double degree = 3.14159265358979323846 / 180;

static void cross(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* a / |a|; false where there is no direction. */
static bool unit(double a[3])
{
  double n = sqrt(dot(a, a));
  if (!(n > 1e-12) || !isfinite(n)) return false;
  for (int k = 0; k < 3; k++) a[k] /= n;
  return true;
}

/* Axes of a camera that looks along `forward`, with `up` upwards in the picture; any upwards where they are parallel.
 */
static void axes(const double forward[3], const double up[3], double right[3], double top[3])
{
  cross(forward, up, right);
  if (!unit(right)) {
    const double other[3] = {0, fabs(forward[1]) < 0.9, fabs(forward[1]) >= 0.9};
    cross(forward, other, right);
    unit(right);
  }
  cross(right, forward, top);
}

render_fit render_camera_fit_begin(double azimuth, double elevation, double fov, double aspect)
{
  double a = azimuth * degree, e = elevation * degree;
  render_fit fit = {.near = INFINITY, .far = -INFINITY};
  fit.forward[0] = -cos(e) * sin(a);
  fit.forward[1] = cos(e) * cos(a);
  fit.forward[2] = -sin(e);
  /* Seen straight from above, the picture's up is where the camera would look when lowered. */
  fit.right[0] = cos(a), fit.right[1] = sin(a), fit.right[2] = 0;
  cross(fit.right, fit.forward, fit.up);
  fit.tan_y = tan(fov / 2 * degree);
  fit.tan_x = fit.tan_y * aspect;
  for (int k = 0; k < 4; k++) fit.reach[k] = -INFINITY;
  return fit;
}

void render_camera_fit_add(render_fit *fit, const double point[3], double radius)
{
  double x = dot(fit->right, point), y = dot(fit->up, point), z = dot(fit->forward, point);
  double wide_x = radius * sqrt(1 + fit->tan_x * fit->tan_x), wide_y = radius * sqrt(1 + fit->tan_y * fit->tan_y);
  if (!isfinite(x + y + z + wide_x + wide_y)) return;
  fit->reach[0] = fmax(fit->reach[0], x - fit->tan_x * z + wide_x);
  fit->reach[1] = fmax(fit->reach[1], -x - fit->tan_x * z + wide_x);
  fit->reach[2] = fmax(fit->reach[2], y - fit->tan_y * z + wide_y);
  fit->reach[3] = fmax(fit->reach[3], -y - fit->tan_y * z + wide_y);
  fit->near = fmin(fit->near, z - radius);
  fit->far = fmax(fit->far, z + radius);
}

render_camera render_camera_fit_end(const render_fit *given, double margin, double zoom)
{
  render_fit fit = *given;
  if (!(fit.near <= fit.far)) {
    const double origin[3] = {0, 0, 0};
    render_camera_fit_add(&fit, origin, 0.5);
  }
  const double *r = fit.reach;
  double x = (r[0] - r[1]) / 2, y = (r[2] - r[3]) / 2;
  double z = fmin(-(r[0] + r[1]) / (2 * fit.tan_x), -(r[2] + r[3]) / (2 * fit.tan_y));
  double middle = (fit.near + fit.far) / 2, distance = fmax(middle - z, 1e-6);
  distance *= (1 + margin) / zoom;
  render_camera camera = {.fov = 2 * atan(fit.tan_y) / degree};
  for (int k = 0; k < 3; k++) {
    camera.target[k] = x * fit.right[k] + y * fit.up[k] + middle * fit.forward[k];
    camera.eye[k] = camera.target[k] - distance * fit.forward[k];
    camera.up[k] = fabs(fit.forward[2]) > 0.999 ? fit.up[k] : k == 2;
  }
  return camera;
}

bool render_camera_project(const render_camera *camera, int width, int height, const double point[3], double pixel[2],
                           double *depth)
{
  double forward[3], right[3], up[3], to[3];
  for (int k = 0; k < 3; k++) forward[k] = camera->target[k] - camera->eye[k], to[k] = point[k] - camera->eye[k];
  if (!unit(forward)) return false;
  axes(forward, camera->up, right, up);
  double tan_y = tan(camera->fov / 2 * degree), tan_x = tan_y * width / height;
  *depth = dot(forward, to);
  if (!(*depth > 0)) return false;
  pixel[0] = width / 2.0 * (1 + dot(right, to) / (*depth * tan_x));
  pixel[1] = height / 2.0 * (1 - dot(up, to) / (*depth * tan_y));
  return true;
}
