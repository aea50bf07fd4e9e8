/* One rod of any model: creation, state, loads and holds, and what is at an abscissa. */
#include "rod/rod.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ellipse of semi-axes a along d1 and b along d2: S = pi a b, I1 = pi a b^3/4, I2 = pi a^3 b/4, J = pi a^3
 * b^3/(a^2+b^2). */
static sk_section section_make(const skein_rod_def *d)
{
  double a = d->radius1, b = d->radius2, S = SK_PI * a * b, I1 = 0.25 * S * b * b, I2 = 0.25 * S * a * a;
  double J = S * a * a * b * b / (a * a + b * b);
  return (sk_section){.S = S,
                      .EI1 = d->E * I1,
                      .EI2 = d->E * I2,
                      .GJ = d->G * J,
                      .ES = d->E * S,
                      .GS = d->G * S,
                      .rho_S = d->density * S,
                      .rho_I = d->density * (I1 + I2)};
}

/* Numbers that are representable as a product of checked ones. */
static skein_status check_section(const sk_section *s)
{
  const struct {
    const char *name;
    double value;
  } all[] = {{"E, radius1 and radius2 (bending stiffness about d1)", s->EI1},
             {"E, radius1 and radius2 (bending stiffness about d2)", s->EI2},
             {"G, radius1 and radius2 (twisting stiffness)", s->GJ},
             {"E, radius1 and radius2 (stretching stiffness)", s->ES},
             {"density, radius1 and radius2 (mass per length)", s->rho_S}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (!(all[i].value > 1e-280 && all[i].value < 1e280))
      return sk_fail(SKEIN_BAD_INPUT, "%s: the product is %g, expected 1e-280 to 1e280", all[i].name, all[i].value);
  return sk_ok();
}

sk_vec3 sk_cells_mean(const double *cells, int count, double length, double s0, double s1)
{
  sk_vec3 sum = {0, 0, 0};
  s0 = fmax(s0, 0), s1 = fmin(s1, length);
  if (!cells || !(s1 > s0)) return sum;
  double h = length / count;
  for (int i = SK_MAX(0, (int)(s0 / h) - 1); i < count && i * h < s1; i++) {
    double overlap = fmin(s1, (i + 1) * h) - fmax(s0, i * h);
    if (overlap > 0) sum = sk_axpy(sum, overlap / (s1 - s0), sk_load3(cells + 3 * i));
  }
  return sum;
}

/* ---- Creation ---- */

static double *copy_cells(sk_arena *arena, const double *cells, int count)
{
  double *copy = cells ? SK_NEW_RAW(arena, 3 * (size_t)count, double) : NULL;
  if (copy) memcpy(copy, cells, sizeof(double) * 3 * (size_t)count);
  return copy;
}

static void load_pose(double *x, const skein_pose *p)
{
  memcpy(x, p->r, sizeof p->r);
  sk_mat3 R = {{sk_load3(p->d[0]), sk_load3(p->d[1]), sk_load3(p->d[2])}};
  sk_store33(x + 3, sk_orthonormal(R));
}

skein_pose sk_rod_pose(sk_vec3 r, sk_mat3 R)
{
  skein_pose p;
  sk_store3(p.r, r);
  for (int k = 0; k < 3; k++) sk_store3(p.d[k], R.c[k]);
  return p;
}

static bool allocate(sk_rod *rod)
{
  sk_arena *a = &rod->arena;
  rod->rest = SK_NEW(a, 6 * ((size_t)rod->def.elements + 2), double);
  rod->start_x = SK_NEW(a, rod->nx, double), rod->start_v = SK_NEW(a, rod->n, double);
  return !a->failed;
}

static skein_status build(sk_rod *rod, const skein_rod_def *def)
{
  rod->def = *def, rod->ops = sk_rod_ops_find(def->model);
  rod->l = def->length / def->elements;
  rod->section = section_make(def);
  skein_status s = check_section(&rod->section);
  if (s.code != SKEIN_OK) return s;
  rod->natural = copy_cells(&rod->arena, def->natural, def->naturals);
  rod->initial = copy_cells(&rod->arena, def->initial, def->initials);
  rod->def.natural = rod->def.initial = NULL;
  rod->ops->size(rod);
  if (rod->n < 1)
    return sk_fail(SKEIN_BAD_INPUT, "elements is %d: nothing of the rod can move, expected more elements",
                   def->elements);
  sk_mat3 *frames = sk_calloc((size_t)def->elements, sizeof *frames);
  bool there = !rod->arena.failed && allocate(rod) && frames;
  if (there) load_pose(rod->start_x + SK_ROOT, &def->pose), rod->ops->init(rod, rod->start_x, frames);
  free(frames);
  return there ? sk_ok() : sk_no_memory();
}

skein_status sk_rod_create(const skein_rod_def *def, sk_rod **out)
{
  *out = NULL;
  skein_status s = skein_rod_def_check(def);
  if (s.code != SKEIN_OK) return s;
  sk_rod *rod = sk_calloc(1, sizeof *rod);
  if (!rod) return sk_no_memory();
  s = build(rod, def);
  if (s.code != SKEIN_OK) sk_rod_destroy(rod);
  else *out = rod;
  return s;
}

void sk_rod_destroy(sk_rod *rod)
{
  if (rod) sk_arena_free(&rod->arena);
  free(rod);
}

void sk_rod_stay(const double *x, sk_rod_drive *drive)
{
  drive->root = (sk_motion){.v = sk_load3(x + SK_ROOT_V), .w = sk_load3(x + SK_ROOT_V + 3)};
  drive->tip = (sk_motion){.v = sk_load3(x + SK_TIP_V), .w = sk_load3(x + SK_TIP_V + 3)};
  drive->root_next = sk_rod_pose(sk_load3(x + SK_ROOT), sk_load33(x + SK_ROOT + 3));
  drive->tip_next = sk_rod_pose(sk_load3(x + SK_TIP), sk_load33(x + SK_TIP + 3));
}

/* ---- With a state of its own ---- */

static skein_status give_state(skein_rod *rod)
{
  const sk_rod *f = rod->fixed;
  sk_arena *a = &rod->arena;
  rod->owns = true;
  rod->x = SK_NEW_RAW(a, f->nx, double), rod->v = SK_NEW_RAW(a, f->n, double);
  rod->A = SK_NEW(a, sk_band_size(f->n, f->kd), double), rod->b = SK_NEW(a, f->n, double);
  if (a->failed) return sk_no_memory();
  memcpy(rod->x, f->start_x, sizeof(double) * (size_t)f->nx);
  memcpy(rod->v, f->start_v, sizeof(double) * (size_t)f->n);
  sk_rod_stay(rod->x, &rod->drive);
  return sk_ok();
}

skein_status skein_rod_create(const skein_rod_def *def, skein_rod **out)
{
  *out = NULL;
  sk_rod *fixed;
  skein_status s = sk_rod_create(def, &fixed);
  if (s.code != SKEIN_OK) return s;
  skein_rod *rod = sk_calloc(1, sizeof *rod);
  if (!rod) {
    sk_rod_destroy(fixed);
    return sk_no_memory();
  }
  rod->fixed = fixed;
  s = give_state(rod);
  if (s.code != SKEIN_OK) skein_rod_destroy(rod);
  else *out = rod;
  return s;
}

void skein_rod_destroy(skein_rod *rod)
{
  if (!rod || !rod->owns) return;
  sk_rod_destroy((sk_rod *)rod->fixed);
  sk_arena_free(&rod->arena);
  free((void *)rod->drive.loads), free((void *)rod->drive.holds);
  free(rod);
}

skein_status sk_rod_system_create(const sk_rod *const *rods, int count, sk_arena *arena, sk_rod_system *sys)
{
  size_t n = 1, nx = 1, band = 1, works = 1;
  for (int i = 0; i < count; i++) {
    n = SK_MAX(n, (size_t)rods[i]->n), works = SK_MAX(works, (size_t)rods[i]->works);
    nx = SK_MAX(nx, (size_t)rods[i]->nx);
    band = SK_MAX(band, sk_band_size(rods[i]->n, rods[i]->kd));
  }
  sys->M = SK_NEW(arena, band, double), sys->K = SK_NEW(arena, band, double);
  sys->F = SK_NEW(arena, n, double), sys->Kb = SK_NEW(arena, n, double);
  sys->L = SK_NEW(arena, band, double);
  sys->xe = SK_NEW(arena, nx, double), sys->spare = SK_NEW(arena, 8 * n, double);
  sys->work = SK_NEW(arena, works, double);
  return arena->failed ? sk_no_memory() : sk_ok();
}

/* ---- State ---- */

int skein_rod_dofs(const skein_rod *rod)
{
  return rod->fixed->n;
}

int skein_rod_state_size(const skein_rod *rod)
{
  return rod->fixed->nx;
}

skein_rod_def skein_rod_definition(const skein_rod *rod)
{
  return rod->fixed->def;
}

void skein_rod_state(const skein_rod *rod, double *x, double *v)
{
  if (x) memcpy(x, rod->x, sizeof(double) * (size_t)rod->fixed->nx);
  if (v) memcpy(v, rod->v, sizeof(double) * (size_t)rod->fixed->n);
}

skein_status sk_rod_state_check(const sk_rod *rod, const double *x, const double *v)
{
  for (int i = 0; x && i < rod->nx; i++)
    if (!isfinite(x[i])) return sk_fail(SKEIN_BAD_INPUT, "x[%d] is %g, expected a finite number", i, x[i]);
  for (int i = 0; v && i < rod->n; i++)
    if (!isfinite(v[i])) return sk_fail(SKEIN_BAD_INPUT, "v[%d] is %g, expected a finite number", i, v[i]);
  return sk_ok();
}

skein_status skein_rod_set_state(skein_rod *rod, const double *x, const double *v)
{
  skein_status s = sk_rod_state_check(rod->fixed, x, v);
  if (s.code != SKEIN_OK) return s;
  if (x) memcpy(rod->x, x, sizeof(double) * (size_t)rod->fixed->nx);
  if (v) memcpy(rod->v, v, sizeof(double) * (size_t)rod->fixed->n);
  sk_rod_stay(rod->x, &rod->drive);
  return s;
}

skein_status skein_rod_displace(skein_rod *rod, const double *dq)
{
  sk_rod_input in = {0};
  for (int i = 0; i < rod->fixed->n; i++)
    if (!isfinite(dq[i])) return sk_fail(SKEIN_BAD_INPUT, "dq[%d] is %g, expected a finite number", i, dq[i]);
  rod->fixed->ops->move(rod->fixed, rod->x, dq, &in, 1);
  return sk_ok();
}

skein_status skein_rod_drive(skein_rod *rod, const skein_pose *root, const skein_pose *tip)
{
  skein_status s = sk_ok();
  if (root && rod->fixed->def.root == SKEIN_FREE)
    return sk_fail(SKEIN_BAD_INPUT, "root is free, expected a pinned or clamped root to drive");
  if (tip && rod->fixed->def.tip == SKEIN_FREE)
    return sk_fail(SKEIN_BAD_INPUT, "tip is free, expected a pinned or clamped tip to drive");
  if (root) s = sk_pose_check("root", root);
  if (tip && s.code == SKEIN_OK) s = sk_pose_check("tip", tip);
  if (s.code != SKEIN_OK) return s;
  if (root) rod->drive.root_next = *root;
  if (tip) rod->drive.tip_next = *tip;
  return s;
}

/* ---- Loads and holds ---- */

static skein_status check_numbers(const char *list, int i, const char *field, const double *value, int count, double lo)
{
  for (int k = 0; k < count; k++)
    if (!isfinite(value[k]) || value[k] < lo)
      return sk_fail(SKEIN_BAD_INPUT, "%s[%d].%s: component %d is %g, expected a %s number", list, i, field, k,
                     value[k], lo < 0 ? "finite" : "finite, not negative");
  return sk_ok();
}

skein_status skein_rod_set_loads(skein_rod *rod, const skein_rod_load *loads, int count)
{
  if (count < 0) return sk_fail(SKEIN_BAD_INPUT, "count of loads is %d, expected >= 0", count);
  skein_status s = sk_ok();
  for (int i = 0; i < count && s.code == SKEIN_OK; i++) {
    s = check_numbers("loads", i, "s", &loads[i].s, 1, 0);
    if (s.code == SKEIN_OK) s = check_numbers("loads", i, "force", loads[i].force, 3, -HUGE_VAL);
    if (s.code == SKEIN_OK) s = check_numbers("loads", i, "torque", loads[i].torque, 3, -HUGE_VAL);
  }
  skein_rod_load *copy = s.code == SKEIN_OK ? sk_calloc((size_t)count, sizeof *copy) : NULL;
  if (s.code != SKEIN_OK) return s;
  if (!copy) return sk_no_memory();
  if (count > 0) memcpy(copy, loads, sizeof *copy * (size_t)count);
  free((void *)rod->drive.loads);
  rod->drive.loads = copy, rod->drive.load_count = count;
  return s;
}

skein_status skein_rod_set_holds(skein_rod *rod, const skein_rod_hold *holds, int count)
{
  if (count < 0) return sk_fail(SKEIN_BAD_INPUT, "count of holds is %d, expected >= 0", count);
  skein_status s = sk_ok();
  for (int i = 0; i < count && s.code == SKEIN_OK; i++) {
    s = check_numbers("holds", i, "s", &holds[i].s, 1, 0);
    if (s.code == SKEIN_OK) s = check_numbers("holds", i, "stiffness", holds[i].stiffness, 3, 0);
    if (s.code == SKEIN_OK) s = check_numbers("holds", i, "torsion", &holds[i].torsion, 1, 0);
    if (s.code == SKEIN_OK) s = sk_pose_check("holds.target", &holds[i].target);
  }
  skein_rod_hold *copy = s.code == SKEIN_OK ? sk_calloc((size_t)count, sizeof *copy) : NULL;
  if (s.code != SKEIN_OK) return s;
  if (!copy) return sk_no_memory();
  if (count > 0) memcpy(copy, holds, sizeof *copy * (size_t)count);
  free((void *)rod->drive.holds);
  rod->drive.holds = copy, rod->drive.hold_count = count;
  return s;
}

/* F += J' f of one point. */
static void add_force(int n, const double *J, sk_vec3 f, double *F)
{
  for (int i = 0; i < n; i++) F[i] += J[i] * f.x + J[n + i] * f.y + J[2 * n + i] * f.z;
}

/* K += k J_c' J_c for the three rows c of J. */
static void add_stiffness(const sk_rod *rod, const double *J, const double k[3], double *K)
{
  int n = rod->n;
  for (int c = 0; c < 3; c++) {
    const double *row = J + c * n;
    for (int i = 0; i < n; i++)
      for (int j = 0; row[i] != 0 && j <= i; j++)
        if (row[j] != 0) K[sk_band_at(rod->kd, i, j)] += k[c] * row[i] * row[j];
  }
}

static void add_loads(const sk_rod *rod, const double *x, const sk_rod_input *in, sk_rod_system *sys)
{
  double *J = sys->spare, *Jw = J + 3 * rod->n;
  for (int i = 0; i < in->load_count; i++) {
    const skein_rod_load *load = in->loads + i;
    rod->ops->jacobian(rod, x, load->s, in, J, Jw, NULL, NULL);
    add_force(rod->n, J, sk_mul(in->load, sk_load3(load->force)), sys->F);
    add_force(rod->n, Jw, sk_mul(in->load, sk_load3(load->torque)), sys->F);
  }
}

/* A spring to the target: force k (target - r), torque 1/2 kt sum d_i x D_i, the gradient of 1/2 k |r - target|^2 +
 * 1/2 kt (3 - sum d_i . D_i); K = J' k J + kt Jw' Jw. `motion`: of the target. */
static void add_hold(const sk_rod *rod, const double *x, const sk_rod_input *in, const skein_rod_hold *hold,
                     const sk_motion *motion, sk_rod_system *sys)
{
  double *J = sys->spare, *Jw = J + 3 * rod->n;
  const double kt[3] = {hold->torsion, hold->torsion, hold->torsion}, *k = hold->stiffness;
  sk_vec3 r, drift, spin, torque = {0, 0, 0};
  sk_mat3 R;
  rod->ops->pose(rod, x, hold->s, &r, &R);
  rod->ops->jacobian(rod, x, hold->s, in, J, Jw, &drift, &spin);
  for (int a = 0; a < 3; a++) torque = sk_axpy(torque, 0.5, sk_cross(R.c[a], sk_load3(hold->target.d[a])));
  sk_vec3 gap = sk_sub(sk_load3(hold->target.r), r), rate = sk_sub(drift, motion->v);
  add_force(rod->n, J, sk_vec(k[0] * gap.x, k[1] * gap.y, k[2] * gap.z), sys->F);
  if (hold->torsion > 0) add_force(rod->n, Jw, sk_mul(hold->torsion, torque), sys->F);
  if (!in->matrices) return;
  add_stiffness(rod, J, k, sys->K);
  add_force(rod->n, J, sk_vec(k[0] * rate.x, k[1] * rate.y, k[2] * rate.z), sys->Kb);
  if (hold->torsion > 0) {
    add_stiffness(rod, Jw, kt, sys->K);
    add_force(rod->n, Jw, sk_mul(hold->torsion, sk_sub(spin, motion->w)), sys->Kb);
  }
}

/* A curve has no dof at its tip: a held tip is a stiff spring to its pose. */
static bool tip_hold(const sk_rod *rod, const double *x, skein_rod_hold *hold)
{
  if (!rod->ops->curved || rod->def.tip == SKEIN_FREE) return false;
  double L = rod->def.length, EI = SK_MAX(rod->section.EI1, rod->section.EI2),
         k = rod->def.tip_factor * EI / (L * L * L);
  *hold = (skein_rod_hold){.s = L, .stiffness = {k, k, k}};
  hold->torsion = rod->def.tip == SKEIN_CLAMPED ? rod->def.tip_factor * EI / L : 0;
  hold->target = sk_rod_pose(sk_load3(x + SK_TIP), sk_load33(x + SK_TIP + 3));
  return true;
}

void sk_rod_eval(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_system *sys)
{
  static const sk_motion still = {0};
  size_t n = (size_t)rod->n, band = sk_band_size(rod->n, rod->kd);
  skein_rod_hold tip;
  memset(sys->F, 0, sizeof(double) * n);
  if (in->matrices) {
    memset(sys->M, 0, sizeof(double) * band), memset(sys->K, 0, sizeof(double) * band);
    memset(sys->Kb, 0, sizeof(double) * n);
  }
  rod->ops->eval(rod, x, v, in, sys);
  add_loads(rod, x, in, sys);
  for (int i = 0; i < in->hold_count; i++) add_hold(rod, x, in, in->holds + i, &still, sys);
  if (tip_hold(rod, x, &tip)) add_hold(rod, x, in, &tip, &in->tip, sys);
}

static double hold_energy(const sk_rod *rod, const double *x, const skein_rod_hold *hold)
{
  sk_vec3 r;
  sk_mat3 R;
  rod->ops->pose(rod, x, hold->s, &r, &R);
  sk_vec3 gap = sk_sub(sk_load3(hold->target.r), r);
  const double *k = hold->stiffness;
  double e = 0.5 * (k[0] * gap.x * gap.x + k[1] * gap.y * gap.y + k[2] * gap.z * gap.z);
  for (int a = 0; a < 3; a++) { /* 1 - d . D = |d - D|^2 / 2 */
    sk_vec3 d = sk_sub(R.c[a], sk_load3(hold->target.d[a]));
    e += 0.25 * hold->torsion * sk_dot(d, d);
  }
  return e;
}

double sk_rod_held_energy(const sk_rod *rod, const double *x, const sk_rod_input *in)
{
  double e = 0;
  skein_rod_hold tip;
  sk_vec3 r;
  sk_mat3 R;
  for (int i = 0; i < in->load_count; i++) {
    rod->ops->pose(rod, x, in->loads[i].s, &r, &R);
    e -= in->load * sk_dot(sk_load3(in->loads[i].force), r);
  }
  for (int i = 0; i < in->hold_count; i++) e += hold_energy(rod, x, in->holds + i);
  if (tip_hold(rod, x, &tip)) e += hold_energy(rod, x, &tip);
  return e;
}

/* ---- What is at s ---- */

sk_rod_input sk_rod_input_make(const sk_rod_drive *drive, const skein_env *env, bool dynamic, bool matrices)
{
  sk_rod_input in = {.load = 1, .dynamic = dynamic, .matrices = matrices};
  if (env) in.g = sk_load3(env->gravity), in.wind = sk_load3(env->wind);
  if (drive && dynamic) in.root = drive->root, in.tip = drive->tip;
  if (drive) {
    in.loads = drive->loads, in.load_count = drive->load_count;
    in.holds = drive->holds, in.hold_count = drive->hold_count;
  }
  return in;
}

void skein_rod_point(const skein_rod *rod, double s, skein_pose *pose)
{
  sk_vec3 r;
  sk_mat3 R;
  rod->fixed->ops->pose(rod->fixed, rod->x, s, &r, &R);
  *pose = sk_rod_pose(r, R);
}

/* The sagitta of an arc of length c is kappa c^2 / 8. Scenes are made of round numbers, and a rod in its natural shape
 * may miss by exactly what is allowed: a millionth more is let pass, so that its pieces are not a matter of rounding.
 */
int sk_rod_pieces(const sk_rod *rod, const double *x, double miss)
{
  if (!rod->ops->curved) return 1;
  double most = 0;
  for (int Q = 0; Q < rod->def.elements; Q++) {
    const double *u = x + SK_MODEL + 3 * Q;
    most = fmax(most, hypot(u[0], u[1]));
  }
  double pieces = ceil(rod->l * sqrt(most / (8 * miss)) * (1 - 1e-6));
  return pieces < 1 ? 1 : pieces < 10000 ? (int)pieces : 10000;
}

void skein_rod_velocity(const skein_rod *rod, double s, double velocity[3])
{
  sk_rod_input in = sk_rod_input_make(&rod->drive, NULL, true, false);
  sk_store3(velocity, rod->fixed->ops->velocity(rod->fixed, rod->x, rod->v, s, &in));
}

void skein_rod_jacobian(const skein_rod *rod, double s, double *J, double drift[3])
{
  sk_rod_input in = sk_rod_input_make(&rod->drive, NULL, true, false);
  sk_vec3 d;
  rod->fixed->ops->jacobian(rod->fixed, rod->x, s, &in, J, NULL, &d, NULL);
  if (drift) sk_store3(drift, d);
}

void skein_rod_spin_jacobian(const skein_rod *rod, double s, double *J)
{
  sk_rod_input in = sk_rod_input_make(&rod->drive, NULL, true, false);
  rod->fixed->ops->jacobian(rod->fixed, rod->x, s, &in, NULL, J, NULL, NULL);
}

skein_status skein_rod_energies(const skein_rod *rod, const skein_env *env, skein_rod_energy *energy)
{
  skein_status s = sk_env_check(env);
  if (s.code != SKEIN_OK) return s;
  sk_rod_input in = sk_rod_input_make(&rod->drive, env, true, false);
  *energy = rod->fixed->ops->energy(rod->fixed, rod->x, rod->v, &in);
  energy->held = sk_rod_held_energy(rod->fixed, rod->x, &in);
  return s;
}
