/* Rods that change: an end let go, a cut in two, a rigid motion to start with. The new rods go on where the old one is.
 */
#include "rod/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sk_rod_rigid_velocity(const sk_rod *rod, const double *x, sk_vec3 move, sk_vec3 spin, sk_vec3 about, double *v)
{
  int N = rod->def.elements, n = rod->n;
  memset(v, 0, sizeof(double) * (size_t)n);
  if (rod->ops->curved) {
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
static void freed_velocities(const sk_rod *old, const double *x, const double *v, bool tip, sk_rod *rod)
{
  size_t size = sizeof(double) * (size_t)old->n;
  int more = rod->n - old->n;
  double *out = rod->start_v;
  if (old->ops->curved) {
    int strains = rod->n - (rod->def.root == SKEIN_FREE ? 6 : rod->def.root == SKEIN_PINNED ? 3 : 0);
    memcpy(out, v, sizeof(double) * (size_t)strains);
    if (tip) {
      memcpy(out, v, size);
      return;
    }
    memcpy(out + rod->n - 6, x + SK_ROOT_V, sizeof(double) * 6);
    if (old->def.root == SKEIN_PINNED) memcpy(out + rod->n - 3, v + old->n - 3, sizeof(double) * 3);
    return;
  }
  memcpy(out + (tip ? more : 0), v, size);
  memcpy(tip ? out : out + old->n, x + (tip ? SK_TIP_V : SK_ROOT_V), sizeof(double) * (size_t)more);
}

skein_status sk_rod_release(const sk_rod *old, const double *x, const double *v, bool tip, sk_rod **out)
{
  skein_rod_def def = old->def;
  def.natural = old->natural;
  if (tip) def.tip = SKEIN_FREE;
  else def.root = SKEIN_FREE;
  skein_status s = sk_rod_create(&def, out);
  if (s.code != SKEIN_OK) return s;
  memcpy((*out)->start_x, x, sizeof(double) * (size_t)old->nx);
  freed_velocities(old, x, v, tip, *out);
  return s;
}

/* ---- A cut ---- */

/* The natural shape between two abscissae, two cells per element: what every model takes means over. */
static double *natural_between(const sk_rod *old, int first, int count)
{
  double *cells = sk_calloc(6 * (size_t)count, sizeof *cells);
  for (int i = 0; cells && i < 2 * count; i++)
    sk_store3(cells + 3 * i, sk_cells_mean(old->natural, old->def.naturals, old->def.length, (first + 0.5 * i) * old->l,
                                           (first + 0.5 * (i + 1)) * old->l));
  return cells;
}

/* Numbers that a chain keeps per segment after its nodes and pulls. */
static int per_segment(const sk_rod *rod)
{
  return rod->width == 0 ? 9 : rod->width == 1 ? 6 : 4;
}

/* State of the piece that begins with element `first` of the old rod. */
static void copy_state(const sk_rod *old, const double *x, int first, sk_rod *rod)
{
  int N = old->def.elements, count = rod->def.elements, extra = per_segment(old);
  double *y = rod->start_x;
  memcpy(y + SK_ROOT_V, x + SK_ROOT_V, sizeof(double) * (SK_LAST_DT - SK_ROOT_V)); /* and no last step */
  if (first == 0) memcpy(y, x, sizeof(double) * 12);
  else memset(y + SK_ROOT_V, 0, sizeof(double) * 6);
  if (old->ops->curved) {
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

static skein_status make_piece(const sk_rod *old, const double *x, int first, int count, sk_rod **out)
{
  skein_rod_def def = old->def;
  double *cells = natural_between(old, first, count);
  int after = old->def.elements - first - count; /* elements beyond the piece */
  if (!cells) return sk_no_memory();
  def.natural = cells, def.naturals = 2 * count;
  def.elements = count, def.length = count * old->l;
  def.twist_locked = SK_MIN(count, SK_MAX(0, old->def.twist_locked - after));
  if (first > 0) {
    sk_vec3 r;
    sk_mat3 R;
    old->ops->pose(old, x, first * old->l, &r, &R);
    def.root = SKEIN_FREE, def.pose = sk_rod_pose(r, R);
  }
  if (after > 0) def.tip = SKEIN_FREE;
  skein_status s = sk_rod_create(&def, out);
  if (s.code == SKEIN_OK) copy_state(old, x, first, *out);
  free(cells);
  return s;
}

/* Dofs go from the tip on: those beyond the cut come first. false: no memory. */
static bool split_velocities(const sk_rod *old, const double *x, const double *v, double s, sk_rod *near, sk_rod *far)
{
  sk_rod_drive drive = {0};
  if (!old->ops->curved) {
    int node = sk_chain_node_dof(old, near->def.elements);
    memcpy(far->start_v, v, sizeof(double) * (size_t)far->n);
    memcpy(near->start_v, v + node, sizeof(double) * (size_t)near->n);
    return true;
  }
  sk_rod_stay(x, &drive);
  sk_rod_input in = sk_rod_input_make(&drive, NULL, true, false);
  int beyond = far->n - 6;
  memcpy(far->start_v, v, sizeof(double) * (size_t)beyond);
  memcpy(near->start_v, v + beyond, sizeof(double) * (size_t)near->n);
  sk_store3(far->start_v + beyond, old->ops->velocity(old, x, v, s, &in));
  double *J = sk_calloc(3 * (size_t)old->n, sizeof *J);
  sk_vec3 spin, drift;
  if (!J) return false;
  old->ops->jacobian(old, x, s, &in, NULL, J, NULL, &drift);
  spin = drift;
  for (int i = 0; i < old->n; i++) spin = sk_axpy(spin, v[i], sk_vec(J[i], J[old->n + i], J[2 * old->n + i]));
  sk_store3(far->start_v + beyond + 3, spin);
  free(J);
  return true;
}

skein_status sk_rod_cut(const sk_rod *old, const double *x, const double *v, double s, sk_rod **near, sk_rod **far)
{
  int N = old->def.elements, k = (int)lround(s / old->l);
  *near = *far = NULL;
  if (N < 2 || !(s > 0) || !(s < old->def.length))
    return sk_fail(SKEIN_BAD_INPUT, "a cut at %g m: expected a place inside a rod of two elements or more", s);
  k = SK_MAX(1, SK_MIN(N - 1, k));
  skein_status status = make_piece(old, x, 0, k, near);
  if (status.code == SKEIN_OK) status = make_piece(old, x, k, N - k, far);
  if (status.code == SKEIN_OK && !split_velocities(old, x, v, k * old->l, *near, *far)) status = sk_no_memory();
  if (status.code != SKEIN_OK) {
    sk_rod_destroy(*near), sk_rod_destroy(*far);
    *near = *far = NULL;
  }
  return status;
}
