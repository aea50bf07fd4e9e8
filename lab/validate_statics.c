/* Equilibria: the cantilever, its order of convergence, the hanging helix. */
#include "validate.h"

#include <math.h>
#include <string.h>

/* ---- The cantilever ---- */

enum { gammas = 9 };
static const double gamma_of[gammas] = {0.1, 1, 5, 10, 20, 50, 100, 200, 1000};
/* H/W, by shooting. */
static const double drop_of[gammas] = {0.012499554, 0.124561766, 0.585721183, 1.066802320, 1.863930144,
                                       3.705560992, 5.888104623, 8.906770727, 21.335440500};

/* Tip (x, z); outline (count pairs x, z over the length) may be NULL. */
static skein_status solve_cantilever(const skein_rod_def *def, const skein_env *env, double tip[2], int count,
                                     double *outline)
{
  skein_rod *rod = NULL;
  skein_pose pose = {.r = {NAN, NAN, NAN}};
  skein_status status = skein_rod_create(def, &rod);
  if (status.code == SKEIN_OK) status = validate_relax(rod, env, 4, 100);
  if (status.code == SKEIN_OK) {
    skein_rod_point(rod, def->length, &pose);
    if (outline) validate_outline(rod, 0, 2, count, outline);
  }
  tip[0] = pose.r[0], tip[1] = pose.r[2];
  skein_rod_destroy(rod);
  return status;
}

static skein_status sag(const validate_task *task, int elements, double gamma, double tip[2], int count,
                        double *outline)
{
  skein_rod_def def = validate_def(task->model, elements, 1e-3, 2.0 / 3);
  skein_env env = validate_gravity(gamma);
  def.pose = validate_pose_horizontal();
  return solve_cantilever(&def, &env, tip, count, outline);
}

/* H/W of a hair as long as Gamma asks for; units of length and mass in m and kg. */
static skein_status sag_of_hair(const validate_task *task, int elements, double gamma, double metre, double kilogram,
                                double *ratio)
{
  const double radius = 40e-6, g = 9.81, E = 3.89e9, density = 1320;
  double tip[2];
  skein_rod_def def = skein_default_rod_def();
  def.model = task->model;
  def.elements = elements;
  def.twist_locked = 0;
  def.E = E * kilogram / metre;
  def.G = 0.89e9 * kilogram / metre;
  def.density = density * kilogram / (metre * metre * metre);
  def.radius1 = def.radius2 = radius * metre;
  def.length = cbrt(gamma * E * radius * radius / (4 * density * g)) * metre;
  def.pose = validate_pose_horizontal();
  skein_env env = {.gravity = {0, 0, -g * metre}};
  skein_status status = solve_cantilever(&def, &env, tip, 0, NULL);
  *ratio = -tip[1] / tip[0];
  return status;
}

static void add_hair(const validate_task *task, int elements, double allowed)
{
  char label[VALIDATE_LABEL];
  double si, other = NAN;
  skein_status status = sag_of_hair(task, elements, gamma_of[3], 1, 1, &si);
  snprintf(label, sizeof label, "Gamma = %g, N = %d, hair in SI units", gamma_of[3], elements);
  validate_add_number(task, label, &status, drop_of[3], si, allowed);
  if (status.code == SKEIN_OK) status = sag_of_hair(task, elements, gamma_of[3], 1e3, 1e3, &other);
  validate_add_number(task, "the same hair in mm, g, s", &status, si, other, 1e-6);
}

void validate_cantilever(const validate_task *task)
{
  enum { points = 65 };
  int elements = validate_elements(task->model, 16), solved = 0;
  double outline[2 * points], tip[2], curve[2 * gammas], error[2 * gammas], reference[2 * gammas];
  double allowed = validate_allowed(task->model, 0.01);
  char label[VALIDATE_LABEL];
  for (int k = 0; k < gammas; k++) {
    skein_status status = sag(task, elements, gamma_of[k], tip, points, outline);
    double ratio = -tip[1] / tip[0];
    snprintf(label, sizeof label, "Gamma = %g, N = %d", gamma_of[k], elements);
    validate_add_number(task, label, &status, drop_of[k], ratio, gamma_of[k] <= 100 ? allowed : NAN);
    reference[2 * k] = gamma_of[k], reference[2 * k + 1] = drop_of[k];
    if (status.code != SKEIN_OK) continue;
    curve[2 * solved] = error[2 * solved] = gamma_of[k];
    curve[2 * solved + 1] = ratio;
    error[2 * solved++ + 1] = fabs(ratio / drop_of[k] - 1);
    snprintf(label, sizeof label, "%g", gamma_of[k]);
    validate_add_curve(task->results, "profiles", task->model, label, points, outline);
  }
  validate_add_curve(task->results, "cantilever", -1, "", gammas, reference);
  validate_add_curve(task->results, "cantilever", task->model, "drop", solved, curve);
  validate_add_curve(task->results, "cantilever", task->model, "error", solved, error);
  add_hair(task, elements, allowed);
}

/* ---- Order of convergence ---- */

enum { orders = 4 };
/* Tip (x, z) for the first four Gamma, by shooting: theta'' = -Gamma (1 - s) cos theta, theta(0) = theta'(1) = 0. */
static const double sag_of[orders][2] = {{0.9999107322, -0.0124984378},
                                         {0.9912463953, -0.1234714020},
                                         {0.8466571800, -0.4959050446},
                                         {0.6563537612, -0.7001997155}};

enum { most_levels = 4 };

/* Numbers of elements, each twice the one before, and from which one on the fall is judged. */
typedef struct level_list {
  int count, judged, elements[most_levels];
} level_list;

/* How the errors of the tip's place fall from one N to the next, and those of H/W. H/W is judged for the super-helix
 * only: the error that DER makes in it changes its sign between Gamma = 5 and 10, so that there it falls slower than
 * N^-2 for coarse rods. */
static void add_falls(const validate_task *task, const level_list *levels, double gamma, int done, const double *place,
                      const double *drop, const skein_status *status)
{
  char label[VALIDATE_LABEL];
  for (int k = 0; k + 1 < levels->count; k++) {
    bool known = done > k + 1, judged = k >= levels->judged;
    int from = levels->elements[k], to = levels->elements[k + 1];
    snprintf(label, sizeof label, "Gamma = %g, N = %d to %d, tip", gamma, from, to);
    validate_add_ratio(task, label, known ? NULL : status, 3.5, known ? place[k] / place[k + 1] : NAN, judged);
    if (known) validate_note(task, "error %.2e L to %.2e L", place[k], place[k + 1]);
    snprintf(label, sizeof label, "Gamma = %g, N = %d to %d, H/W", gamma, from, to);
    validate_add_ratio(task, label, known ? NULL : status, 3.5, known ? drop[k] / drop[k + 1] : NAN,
                       judged && task->model == SKEIN_SUPER_HELIX);
    if (known) validate_note(task, "error %.2e to %.2e", drop[k], drop[k + 1]);
  }
}

static void add_order(const validate_task *task, const level_list *levels, int which)
{
  double place[most_levels], drop[most_levels], curve[2 * most_levels], tip[2];
  int done = 0;
  char label[VALIDATE_LABEL];
  skein_status status = {0};
  for (int k = 0; k < levels->count && status.code == SKEIN_OK; k++) {
    status = sag(task, levels->elements[k], gamma_of[which], tip, 0, NULL);
    if (status.code != SKEIN_OK) break;
    place[k] = hypot(tip[0] - sag_of[which][0], tip[1] - sag_of[which][1]);
    drop[k] = fabs(-tip[1] / tip[0] / drop_of[which] - 1);
    curve[2 * k] = levels->elements[k], curve[2 * k + 1] = place[k];
    done++;
  }
  add_falls(task, levels, gamma_of[which], done, place, drop, &status);
  snprintf(label, sizeof label, "%g", gamma_of[which]);
  validate_add_curve(task->results, "order", task->model, label, done, curve);
}

/* DER is judged from 32 elements on and shown from 16: at Gamma = 10 the coarser step is not yet of second order. */
void validate_order(const validate_task *task)
{
  static const level_list super_helix = {3, 0, {8, 16, 32}}, chain = {3, 0, {16, 32, 64}},
                          der = {4, 1, {16, 32, 64, 128}};
  const level_list *levels = task->model == SKEIN_SUPER_HELIX ? &super_helix : task->model == SKEIN_DER ? &der : &chain;
  for (int k = 0; k < orders; k++) add_order(task, levels, k);
}

/* ---- The hanging helix ---- */

typedef struct helix_case {
  double curvature, twist, gamma, tip[3];
} helix_case;

/* Clamp: tangent d3 straight down, d1 along x, d2 along -y; natural curvature about d2 and twist about d3, both
 * positive: (0, kappa0, tau0). The tip is in world axes. */
static const helix_case helices[] = {{5, 2, 10, {0.02398946, -0.37837034, -0.44499247}},
                                     {10, 3, 10, {0.14070214, -0.30642280, -0.16956238}},
                                     {10, 3, 50, {0.12542046, -0.20056109, -0.50289482}}};

static skein_status solve_helix(skein_rod_model model, int elements, const helix_case *c, double tip[3], int count,
                                double *outline)
{
  skein_rod *rod = NULL;
  skein_pose pose = {0};
  double natural[3] = {0, c->curvature, c->twist};
  skein_rod_def def = validate_def(model, elements, 1e-3, 2.0 / 3);
  skein_env env = validate_gravity(c->gamma);
  def.pose = validate_pose_down();
  def.natural = natural;
  def.naturals = 1;
  skein_status status = skein_rod_create(&def, &rod);
  if (status.code == SKEIN_OK) status = validate_relax(rod, &env, 8, 100);
  if (status.code == SKEIN_OK) {
    skein_rod_point(rod, def.length, &pose);
    validate_outline(rod, 1, 2, count, outline);
  }
  memcpy(tip, pose.r, sizeof pose.r);
  skein_rod_destroy(rod);
  return status;
}

void validate_helix(const validate_task *task)
{
  enum { points = 129 };
  double tip[3], outline[2 * points];
  char label[VALIDATE_LABEL];
  int elements = validate_elements(task->model, 16);
  double allowed = validate_allowed(task->model, 0.005);
  for (size_t k = 0; k < sizeof helices / sizeof helices[0]; k++) {
    const helix_case *c = &helices[k];
    skein_status status = solve_helix(task->model, elements, c, tip, points, outline);
    snprintf(label, sizeof label, "kappa0 L = %g, tau0 L = %g, Gamma = %g, N = %d", c->curvature, c->twist, c->gamma,
             elements);
    validate_add_point(task, label, &status, 3, c->tip, tip, allowed);
    snprintf(label, sizeof label, "(%g, %g, %g)", c->curvature, c->twist, c->gamma);
    if (status.code == SKEIN_OK) validate_add_curve(task->results, "helix", task->model, label, points, outline);
    validate_add_curve(task->results, "helix", -1, label, 1, c->tip + 1);
  }
}
