/* Rods that change: an end let go, a cut in two, a rigid motion to start with. The new rods go on where the old one is.
 */
#include "rod/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sk_rod_rigid_velocity(const skein_rod *rod, const double *x, sk_vec3 move, sk_vec3 spin, sk_vec3 about, double *v)
{
  int N = rod->def.elements, n = rod->n;
  memset(v, 0, sizeof(double) * (size_t)n);
  if (rod->def.model == SKEIN_SUPER_HELIX) {
    sk_vec3 arm = sk_sub(sk_load3(x + SK_ROOT), about);
    if (rod->def.root == SKEIN_FREE) sk_store3(v + n - 6, sk_add(move, sk_cross(spin, arm)));
    if (rod->def.root != SKEIN_CLAMPED) sk_store3(v + n - 3, spin);
    return;
  }
  for (int i = 0; i <= N; i++) {
    int k = sk_chain_node_dof(rod, i);
    if (k >= 0) sk_store3(v + k, sk_add(move, sk_cross(spin, sk_sub(sk_chain_node(x, i), about))));
  }
  for (int j = 0; rod->width > 0 && j < N; j++) {
    sk_vec3 r;
    sk_mat3 R;
    rod->ops->pose(rod, x, (j + 0.5) * rod->l, &r, &R);
    double *p = v + sk_chain_segment_dof(rod, j);
    if (rod->width == 1) *p = sk_dot(spin, R.c[2]);
    else sk_store3(p, sk_apply_t(R, spin));
  }
}

/* ---- An end let go ---- */

/* Velocities of the freed rod: those of the old one, and what the held end did. */
static void freed_velocities(const skein_rod *old, bool tip, const skein_rod *rod)
{
  size_t size = sizeof(double) * (size_t)old->n;
  int more = rod->n - old->n;
  if (old->def.model == SKEIN_SUPER_HELIX) {
    int strains = rod->n - (rod->def.root == SKEIN_FREE ? 6 : rod->def.root == SKEIN_PINNED ? 3 : 0);
    memcpy(rod->v, old->v, sizeof(double) * (size_t)strains);
    if (tip) {
      memcpy(rod->v, old->v, size);
      return;
    }
    memcpy(rod->v + rod->n - 6, old->x + SK_ROOT_V, sizeof(double) * 6);
    if (old->def.root == SKEIN_PINNED) memcpy(rod->v + rod->n - 3, old->v + old->n - 3, sizeof(double) * 3);
    return;
  }
  memcpy(rod->v + (tip ? more : 0), old->v, size);
  memcpy(tip ? rod->v : rod->v + old->n, old->x + (tip ? SK_TIP_V : SK_ROOT_V), sizeof(double) * (size_t)more);
}

skein_status sk_rod_release(const skein_rod *old, bool tip, skein_rod **out)
{
  skein_rod_def def = old->def;
  def.natural = old->natural;
  if (tip) def.tip = SKEIN_FREE;
  else def.root = SKEIN_FREE;
  skein_status s = skein_rod_create(&def, out);
  if (s.code != SKEIN_OK) return s;
  memcpy((*out)->x, old->x, sizeof(double) * (size_t)old->nx);
  freed_velocities(old, tip, *out);
  s = skein_rod_set_loads(*out, old->loads, old->load_count);
  if (s.code == SKEIN_OK) s = skein_rod_set_holds(*out, old->holds, old->hold_count);
  if (s.code != SKEIN_OK) skein_rod_destroy(*out), *out = NULL;
  return s;
}

/* ---- A cut ---- */

/* The natural shape between two abscissae, two cells per element: what every model takes means over. */
static double *natural_between(const skein_rod *old, int first, int count)
{
  double *cells = sk_calloc(6 * (size_t)count, sizeof *cells);
  for (int i = 0; cells && i < 2 * count; i++)
    sk_store3(cells + 3 * i, sk_cells_mean(old->natural, old->def.naturals, old->def.length, (first + 0.5 * i) * old->l,
                                           (first + 0.5 * (i + 1)) * old->l));
  return cells;
}

/* Numbers that a chain keeps per segment after its nodes and pulls. */
static int per_segment(const skein_rod *rod)
{
  return rod->width == 0 ? 9 : rod->width == 1 ? 6 : 4;
}

/* State of the piece that begins with element `first` of the old rod. */
static void copy_state(const skein_rod *old, int first, skein_rod *rod)
{
  int N = old->def.elements, count = rod->def.elements, extra = per_segment(old);
  const double *x = old->x;
  double *y = rod->x;
  memcpy(y + SK_ROOT_V, x + SK_ROOT_V, sizeof(double) * (SK_LAST_DT - SK_ROOT_V)); /* and no last step */
  if (first == 0) memcpy(y, x, sizeof(double) * 12);
  else memset(y + SK_ROOT_V, 0, sizeof(double) * 6);
  if (old->def.model == SKEIN_SUPER_HELIX) {
    memcpy(y + SK_MODEL, x + SK_MODEL + 3 * first, sizeof(double) * 3 * (size_t)count);
    return;
  }
  memcpy(y + SK_MODEL, x + SK_MODEL + 3 * first, sizeof(double) * 3 * (size_t)(count + 1));
  memcpy(y + SK_MODEL + 3 * (count + 1), x + SK_MODEL + 3 * (N + 1) + first, sizeof(double) * (size_t)count);
  memcpy(y + sk_chain_extra(rod), x + sk_chain_extra(old) + extra * first, sizeof(double) * (size_t)(extra * count));
  if (old->width == 1) /* twists of the joints */
    memcpy(y + sk_chain_extra(rod) + extra * count, x + sk_chain_extra(old) + extra * N + first,
           sizeof(double) * (size_t)(count + 1));
}

static skein_status make_piece(const skein_rod *old, int first, int count, const skein_pose *pose, skein_rod **out)
{
  skein_rod_def def = old->def;
  double *cells = natural_between(old, first, count);
  int after = old->def.elements - first - count; /* elements beyond the piece */
  if (!cells) return sk_no_memory();
  def.natural = cells, def.naturals = 2 * count;
  def.elements = count, def.length = count * old->l;
  def.twist_locked = SK_MIN(count, SK_MAX(0, old->def.twist_locked - after));
  if (first > 0) def.root = SKEIN_FREE, def.pose = *pose;
  if (after > 0) def.tip = SKEIN_FREE;
  skein_status s = skein_rod_create(&def, out);
  if (s.code == SKEIN_OK) copy_state(old, first, *out);
  free(cells);
  return s;
}

/* Dofs go from the tip on: those beyond the cut come first. false: no memory. */
static bool split_velocities(const skein_rod *old, double s, skein_rod *near, skein_rod *far)
{
  sk_rod_input in = sk_rod_input_make(old, NULL, true, false);
  if (old->def.model != SKEIN_SUPER_HELIX) {
    int node = sk_chain_node_dof(old, near->def.elements);
    memcpy(far->v, old->v, sizeof(double) * (size_t)far->n);
    memcpy(near->v, old->v + node, sizeof(double) * (size_t)near->n);
    return true;
  }
  int beyond = far->n - 6;
  memcpy(far->v, old->v, sizeof(double) * (size_t)beyond);
  memcpy(near->v, old->v + beyond, sizeof(double) * (size_t)near->n);
  sk_store3(far->v + beyond, old->ops->velocity(old, old->x, old->v, s, &in));
  double *J = sk_calloc(3 * (size_t)old->n, sizeof *J);
  sk_vec3 spin, drift;
  if (!J) return false;
  old->ops->jacobian(old, old->x, s, &in, NULL, J, NULL, &drift);
  spin = drift;
  for (int i = 0; i < old->n; i++) spin = sk_axpy(spin, old->v[i], sk_vec(J[i], J[old->n + i], J[2 * old->n + i]));
  sk_store3(far->v + beyond + 3, spin);
  free(J);
  return true;
}

skein_status sk_rod_cut(const skein_rod *old, double s, skein_rod **near, skein_rod **far)
{
  int N = old->def.elements, k = (int)lround(s / old->l);
  *near = *far = NULL;
  if (N < 2 || !(s > 0) || !(s < old->def.length))
    return sk_fail(SKEIN_BAD_INPUT, "a cut at %g m: expected a place inside a rod of two elements or more", s);
  k = SK_MAX(1, SK_MIN(N - 1, k));
  skein_pose pose;
  skein_rod_point(old, k * old->l, &pose);
  skein_status status = make_piece(old, 0, k, NULL, near);
  if (status.code == SKEIN_OK) status = make_piece(old, k, N - k, &pose, far);
  if (status.code == SKEIN_OK && !split_velocities(old, k * old->l, *near, *far)) status = sk_no_memory();
  if (status.code != SKEIN_OK) {
    skein_rod_destroy(*near), skein_rod_destroy(*far);
    *near = *far = NULL;
  }
  return status;
}
