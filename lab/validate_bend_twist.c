/* Bend-twist: a rod of uniform natural curvature hangs from a clamp that points straight down, GJ/EI = 2/3.
 *
 * In the plane (kappa0 L, Gamma) the equilibrium leaves its plane exactly inside a wedge: above the lower edge
 * Gamma_c(kappa0 L) the weight opens the arc by twisting it, beyond the upper edge it has pulled the rod straight. Seen
 * along Gamma the wedge begins at the lower edge; seen along kappa0 L it begins at the upper one. */
#include "validate.h"

#include <math.h>
#include <stdlib.h>

typedef struct edge {
  double curvature, gamma;
  bool lower; /* crossed along Gamma; otherwise along kappa0 L */
} edge;

static const edge edges[] = {{6, 11.86875, true},    {6.283185307179586, 12.18708, true},
                             {7, 14.53972, true},    {8, 19.24842, true},
                             {10, 28.76970, true},   {12, 33.67530, true},
                             {20, 65.91960, true},   {5.571289, 15, false},
                             {5.552622, 17, false},  {5.792996, 30, false},
                             {6.334009, 50, false},  {7.572960, 100, false},
                             {12.773096, 500, false}};
enum { edge_count = sizeof edges / sizeof edges[0] };

/* Out of plane beyond this the shape is three-dimensional (the perturbation is 1e-3). */
static const double planar_limit = 2e-3;

static skein_rod_def hanging_def(skein_rod_model model, int elements, const double natural[3])
{
  skein_rod_def def = validate_def(model, elements, 1e-3, 2.0 / 3);
  def.pose = validate_pose_down();
  def.natural = natural;
  def.naturals = 1;
  return def;
}

/* The equilibrium in the plane of x and z. */
static skein_status hang(skein_rod_model model, int elements, double curvature, const skein_env *env, skein_rod **rod)
{
  double natural[3] = {0, curvature, 0};
  skein_rod_def def = hanging_def(model, elements, natural);
  skein_status status = skein_rod_create(&def, rod);
  return status.code == SKEIN_OK ? validate_relax(*rod, env, 4, 100) : status;
}

/* Largest distance of the centreline from the plane. */
static double far_from_plane(const skein_rod *rod)
{
  enum { points = 33 };
  double outline[2 * points], distance = 0;
  validate_outline(rod, 1, 2, points, outline);
  for (int p = 0; p < points; p++) distance = fmax(distance, fabs(outline[2 * p]));
  return distance;
}

/* Moves the rod by 1e-3 along each of its lowest modes, some of which leave the plane. */
static skein_status perturb(skein_rod *rod, const skein_env *env)
{
  enum { modes = 4 };
  double lambda[modes];
  size_t n = (size_t)skein_rod_dofs(rod);
  skein_status status = {.code = SKEIN_NO_MEMORY, .message = "out of memory"};
  double *shape = malloc(modes * n * sizeof *shape);
  if (!shape) return status;
  status = skein_rod_modes(rod, env, modes, lambda, shape);
  for (size_t i = 0; i < n && status.code == SKEIN_OK; i++)
    shape[i] = 1e-3 * (shape[i] + shape[n + i] + shape[2 * n + i] + shape[3 * n + i]);
  if (status.code == SKEIN_OK) status = skein_rod_displace(rod, shape);
  free(shape);
  return status;
}

/* Distance from the plane after a perturbation. */
static skein_status leave_plane(skein_rod_model model, int elements, double curvature, double gamma, double *distance)
{
  skein_rod *rod = NULL;
  skein_env env = validate_gravity(gamma);
  skein_status status = hang(model, elements, curvature, &env, &rod);
  if (status.code == SKEIN_OK) status = perturb(rod, &env);
  if (status.code == SKEIN_OK) status = validate_relax(rod, &env, 1, 100);
  *distance = status.code == SKEIN_OK ? far_from_plane(rod) : 0;
  skein_rod_destroy(rod);
  return status;
}

/* ---- The edge itself: the lowest eigenvalue out of the plane is zero ---- */

typedef struct edge_search {
  skein_rod_model model;
  int elements;
  edge at;
  double *state; /* of the last equilibrium, which is near the next one; size 0: none yet */
  int size;
} edge_search;

/* The equilibrium that is near the last one; the first comes with the load. */
static skein_status hang_on(edge_search *s, double curvature, const skein_env *env, skein_rod **rod)
{
  double natural[3] = {0, curvature, 0};
  if (s->size == 0) {
    skein_status status = hang(s->model, s->elements, curvature, env, rod);
    if (status.code != SKEIN_OK) return status;
    s->size = skein_rod_state_size(*rod);
    s->state = malloc((size_t)s->size * sizeof *s->state);
    return s->state ? status : (skein_status){SKEIN_NO_MEMORY, "out of memory"};
  }
  skein_rod_def def = hanging_def(s->model, s->elements, natural);
  skein_status status = skein_rod_create(&def, rod);
  if (status.code == SKEIN_OK) status = skein_rod_set_state(*rod, s->state, NULL);
  return status.code == SKEIN_OK ? validate_relax(*rod, env, 1, 100) : status;
}

/* user: the place of a pointer to the search, which keeps the state. share: of the reference, along the direction in
 * which the edge is crossed. */
static skein_status eval_edge(const void *user, double share, double *eigenvalue)
{
  edge_search *s = *(edge_search *const *)user;
  skein_rod *rod = NULL;
  skein_env env = validate_gravity(s->at.lower ? share * s->at.gamma : s->at.gamma);
  skein_status status = hang_on(s, s->at.lower ? s->at.curvature : share * s->at.curvature, &env, &rod);
  if (status.code == SKEIN_OK && far_from_plane(rod) > 1e-6)
    status = (skein_status){SKEIN_BAD_INPUT, "the equilibrium has left its plane"};
  if (status.code == SKEIN_OK) status = validate_lowest(rod, &env, 1, eigenvalue);
  if (status.code == SKEIN_OK) skein_rod_state(rod, s->state, NULL);
  skein_rod_destroy(rod);
  return status;
}

static void add_edge(const validate_task *task, const edge *e, int elements, double *found)
{
  edge_search search = {.model = task->model, .elements = elements, .at = *e}, *user = &search;
  double share, reference = e->lower ? e->gamma : e->curvature;
  char label[VALIDATE_LABEL];
  skein_status status = validate_critical(eval_edge, &user, 0.9, 0.025, 2e-4, &share);
  snprintf(label, sizeof label, "%s = %.6g: edge in %s, N = %d", e->lower ? "kappa0 L" : "Gamma",
           e->lower ? e->curvature : e->gamma, e->lower ? "Gamma" : "kappa0 L", elements);
  validate_add_number(task, label, &status, reference, share * reference, validate_allowed(task->model, 0.02));
  free(search.state);
  found[0] = e->lower ? e->curvature : share * e->curvature;
  found[1] = e->lower ? share * e->gamma : e->gamma;
}

/* Points (curvature, gamma) of one kind. */
typedef struct point_list {
  int count;
  double xy[4 * edge_count];
} point_list;

static void add_point(point_list *list, double curvature, double gamma)
{
  list->xy[2 * list->count] = curvature;
  list->xy[2 * list->count++ + 1] = gamma;
}

/* 3 % on either side of an edge. */
static void add_sides(const validate_task *task, const edge *e, int elements, point_list *planar, point_list *spatial)
{
  char label[VALIDATE_LABEL];
  for (int inside = 0; inside <= 1; inside++) {
    double factor = inside ? 1.03 : 0.97, distance;
    double curvature = e->lower ? e->curvature : factor * e->curvature, gamma = e->lower ? factor * e->gamma : e->gamma;
    skein_status status = leave_plane(task->model, elements, curvature, gamma, &distance);
    bool out = distance > planar_limit;
    snprintf(label, sizeof label, "kappa0 L = %.6g, Gamma = %.6g, N = %d", curvature, gamma, elements);
    validate_add_shape(task, label, &status, inside, out);
    if (status.code != SKEIN_OK) continue;
    validate_note(task, "%.1e L out of plane", distance);
    add_point(out ? spatial : planar, curvature, gamma);
  }
}

/* Both edges, and the wedge between them: up the lower one from its tip, down the upper one. */
static void add_reference(validate_results *results)
{
  point_list upper = {0}, lower = {0}, wedge = {0};
  for (int k = 0; k < edge_count; k++) add_point(edges[k].lower ? &lower : &upper, edges[k].curvature, edges[k].gamma);
  for (int k = 0; k < lower.count; k++) add_point(&wedge, lower.xy[2 * k], lower.xy[2 * k + 1]);
  for (int k = upper.count - 1; k >= 0; k--) add_point(&wedge, upper.xy[2 * k], upper.xy[2 * k + 1]);
  validate_add_curve(results, "bend-twist", -1, "lower edge", lower.count, lower.xy);
  validate_add_curve(results, "bend-twist", -1, "upper edge", upper.count, upper.xy);
  validate_add_curve(results, "bend-twist", -1, "wedge", wedge.count, wedge.xy);
}

void validate_bend_twist(const validate_task *task)
{
  int elements = validate_elements(task->model, 32);
  point_list planar = {0}, spatial = {0}, found = {0};
  double at[2];
  for (int k = 0; k < edge_count; k++) add_sides(task, &edges[k], elements, &planar, &spatial);
  for (int k = 0; k < edge_count; k++) {
    add_edge(task, &edges[k], elements, at);
    if (!isnan(at[0] + at[1])) add_point(&found, at[0], at[1]);
  }
  add_reference(task->results);
  validate_add_curve(task->results, "bend-twist", task->model, "planar", planar.count, planar.xy);
  validate_add_curve(task->results, "bend-twist", task->model, "3D", spatial.count, spatial.xy);
  validate_add_curve(task->results, "bend-twist", task->model, "edge found", found.count, found.xy);
}
