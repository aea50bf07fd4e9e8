/* Loads at which an equilibrium loses its stability: the lowest eigenvalue omega^2 of (Hessian of the energy, M) at the
 * unbuckled state changes its sign. */
#include "validate.h"

#include <math.h>

typedef struct buckling {
  const char *name; /* of the panel in the figure */
  double reference;
  double ratio;           /* GJ / EI */
  double tol;             /* of the last extrapolation, a share of the load */
  validate_eigen_fn eval; /* of a search, at a share of the reference */
} buckling;

/* What eval gets. */
typedef struct search {
  const buckling *c;
  skein_rod_model model;
  int elements;
} search;

/* Lowest eigenvalue of a rod made ready, which is destroyed; its equilibrium is found first (extension). */
static skein_status finish(skein_status status, skein_rod *rod, const skein_env *env, double *eigenvalue)
{
  if (status.code == SKEIN_OK) status = validate_relax(rod, env, 1, 100);
  if (status.code == SKEIN_OK) status = skein_rod_modes(rod, env, 1, eigenvalue, NULL);
  skein_rod_destroy(rod);
  return status;
}

/* Standing rod without weight under a dead force; a pinned tip is held sideways by a spring of 1e6 EI / L^3. */
static skein_status eval_force(const search *s, double share, bool pinned, double *eigenvalue)
{
  skein_rod *rod = NULL;
  skein_rod_def def = validate_def(s->model, s->elements, 1e-3, s->c->ratio);
  skein_env env = validate_gravity(0);
  skein_rod_load load = {.s = 1, .force = {0, 0, -share * s->c->reference}};
  skein_rod_hold hold = {.s = 1, .target = skein_default_pose(), .stiffness = {1e6, 1e6, 0}};
  hold.target.r[2] = 1;
  skein_status status = skein_rod_create(&def, &rod);
  if (status.code == SKEIN_OK) status = skein_rod_set_loads(rod, &load, 1);
  if (status.code == SKEIN_OK && pinned) status = skein_rod_set_holds(rod, &hold, 1);
  return finish(status, rod, &env, eigenvalue);
}

static skein_status eval_free(const void *user, double share, double *eigenvalue)
{
  return eval_force(user, share, false, eigenvalue);
}

static skein_status eval_pinned(const void *user, double share, double *eigenvalue)
{
  return eval_force(user, share, true, eigenvalue);
}

static skein_status eval_column(const void *user, double share, double *eigenvalue)
{
  const search *s = user;
  skein_rod *rod = NULL;
  skein_rod_def def = validate_def(s->model, s->elements, 1e-3, s->c->ratio);
  skein_env env = validate_gravity(share * s->c->reference);
  skein_status status = skein_rod_create(&def, &rod);
  return finish(status, rod, &env, eigenvalue);
}

/* Ribbon on edge: 50 times as high (d1, up) as thick (d2). The reference holds for no deflection in the plane of the
 * weight, which is 2500 times as stiff. EI of the weak axis and GJ are 1. */
static skein_status eval_lateral(const void *user, double share, double *eigenvalue)
{
  const search *s = user;
  const double a = 0.05, b = 0.001;
  skein_rod *rod = NULL;
  skein_rod_def def = validate_def(s->model, s->elements, b, 1);
  skein_env env = validate_gravity(share * s->c->reference);
  def.radius1 = a;
  def.radius2 = b;
  def.E = 4 / (validate_pi * a * b * b * b);
  def.G = (a * a + b * b) / (validate_pi * a * a * a * b * b * b);
  def.density = 1 / (validate_pi * a * b);
  def.pose = (skein_pose){.d = {{0, 0, 1}, {0, -1, 0}, {1, 0, 0}}};
  skein_status status = skein_rod_create(&def, &rod);
  return finish(status, rod, &env, eigenvalue);
}

/* A straight rod bent to a ring that is closed after a turn of Theta about its tangent: both ends clamped at the same
 * place along the same tangent. In the material frame the curvature turns against the twist. A round section lets the
 * ring swing about the clamp's tangent while its sections roll back, for nothing: of the two lowest eigenvalues the one
 * that is not zero counts, and the load is not followed to where both are small. */
static skein_status eval_ring(const void *user, double share, double *eigenvalue)
{
  enum { cells = 1024 };
  const search *s = user;
  double initial[3 * cells], both[2], theta = share * s->c->reference, k = 2 * validate_pi;
  skein_rod *rod = NULL;
  skein_rod_def def = validate_def(s->model, s->elements, 1e-3, s->c->ratio);
  skein_env env = validate_gravity(0);
  for (int i = 0; i < cells; i++) {
    double phi = theta * (i + 0.5) / cells;
    initial[3 * i] = k * cos(phi), initial[3 * i + 1] = -k * sin(phi), initial[3 * i + 2] = theta;
  }
  def.initial = initial;
  def.initials = cells;
  def.tip = SKEIN_CLAMPED;
  skein_pose end = {.d = {{cos(theta), sin(theta), 0}, {-sin(theta), cos(theta), 0}, {0, 0, 1}}};
  skein_status status = skein_rod_create(&def, &rod);
  if (status.code == SKEIN_OK) status = skein_rod_drive(rod, NULL, &end);
  if (status.code == SKEIN_OK) status = validate_relax(rod, &env, 1, 30);
  if (status.code == SKEIN_OK) status = skein_rod_modes(rod, &env, 2, both, NULL);
  if (status.code == SKEIN_OK) *eigenvalue = fabs(both[0]) > fabs(both[1]) ? both[0] : both[1];
  skein_rod_destroy(rod);
  return status;
}

static const buckling euler_free = {"Euler, tip free", 2.4674011002723395, 2.0 / 3, 2e-4, eval_free};
static const buckling euler_pinned = {"Euler, tip pinned", 20.190729, 2.0 / 3, 2e-4, eval_pinned};
static const buckling column = {"heavy column", 7.837347, 2.0 / 3, 2e-4, eval_column};
static const buckling lateral = {"lateral buckling", 12.853763, 1, 2e-4, eval_lateral};
static const buckling ring = {"twisted ring", 10.882796185405306, 1, 0.01, eval_ring};
static const buckling ring_soft = {"twisted ring, GJ/EI = 2/3", 16.32419427810796, 2.0 / 3, 0.01, eval_ring};

static void add_buckling(const validate_task *task, const buckling *c, const char *label, int elements)
{
  static const double shares[] = {0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9};
  enum { samples = sizeof shares / sizeof shares[0] };
  search s = {c, task->model, elements};
  double critical = NAN, curve[2 * (samples + 1)], unloaded = 1;
  char full[VALIDATE_LABEL];
  skein_status status = {0};
  int done = 0;
  for (int k = 0; k < samples && status.code == SKEIN_OK; k++) {
    double eigenvalue;
    status = c->eval(&s, shares[k], &eigenvalue);
    if (k == 0) unloaded = eigenvalue;
    if (status.code != SKEIN_OK) break;
    curve[2 * k] = shares[k], curve[2 * k + 1] = eigenvalue / unloaded;
    done++;
  }
  if (status.code == SKEIN_OK) status = validate_critical(c->eval, &s, 0.7, 0.1, c->tol, &critical);
  snprintf(full, sizeof full, "%s, N = %d", label, elements);
  validate_add_number(task, full, &status, c->reference, critical * c->reference, 0.02);
  if (status.code == SKEIN_OK) curve[2 * done] = critical, curve[2 * done++ + 1] = 0;
  validate_add_curve(task->results, "buckling", task->model, c->name, done, curve);
}

void validate_euler(const validate_task *task)
{
  int elements = validate_elements(task->model, 16);
  add_buckling(task, &euler_free, "tip free: F L^2 / EI", elements);
  add_buckling(task, &euler_pinned, "tip pinned: F L^2 / EI", elements);
}

void validate_column(const validate_task *task)
{
  add_buckling(task, &column, "Gamma", validate_elements(task->model, 16));
}

void validate_lateral(const validate_task *task)
{
  add_buckling(task, &lateral, "q L^3 / sqrt(EI GJ)", validate_elements(task->model, 16));
}

void validate_ring(const validate_task *task)
{
  int elements = validate_elements(task->model, 32);
  add_buckling(task, &ring, "GJ/EI = 1: Theta", elements);
  add_buckling(task, &ring_soft, "GJ/EI = 2/3: Theta", elements);
}
