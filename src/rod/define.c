/* Definition of a rod: defaults, names, and the check that names the field. */
#include "rod/rod.h"

#include <math.h>
#include <string.h>

static const sk_rod_ops *const table[SKEIN_ROD_MODEL_COUNT] = {
    [SKEIN_SUPER_HELIX] = &sk_super_helix,
    [SKEIN_MASS_SPRING] = &sk_mass_spring,
    [SKEIN_CORDE] = &sk_corde,
    [SKEIN_CORDE_EXPLICIT] = &sk_corde_explicit,
    [SKEIN_DER] = &sk_der,
    [SKEIN_DER_PROJECTION] = &sk_der_projection,
};

const sk_rod_ops *sk_rod_ops_find(skein_rod_model m)
{
  return (unsigned)m < SKEIN_ROD_MODEL_COUNT ? table[m] : NULL;
}

bool sk_rod_model_is_curved(skein_rod_model m)
{
  return (unsigned)m < SKEIN_ROD_MODEL_COUNT && table[m]->curved;
}

int sk_rod_model_elements(skein_rod_model m)
{
  return sk_rod_model_is_curved(m) ? 6 : 16;
}

const char *skein_rod_model_name(skein_rod_model m)
{
  return (unsigned)m < SKEIN_ROD_MODEL_COUNT ? table[m]->name : "?";
}

const char *skein_rod_model_about(skein_rod_model m)
{
  return (unsigned)m < SKEIN_ROD_MODEL_COUNT ? table[m]->about : "?";
}

bool skein_rod_model_twists(skein_rod_model m)
{
  return (unsigned)m < SKEIN_ROD_MODEL_COUNT && table[m]->twists;
}

int skein_rod_model_find(const char *name)
{
  for (int m = 0; m < SKEIN_ROD_MODEL_COUNT; m++)
    if (!strcmp(name, table[m]->name)) return m;
  return -1;
}

/* ---- Defaults ---- */

skein_pose skein_default_pose(void)
{
  return (skein_pose){.d = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

/* A Caucasian hair: section 4079 um^2, ellipticity 1.41. */
skein_rod_def skein_default_rod_def(void)
{
  return (skein_rod_def){.model = SKEIN_SUPER_HELIX,
                         .elements = 6,
                         .twist_locked = 2,
                         .length = 0.1,
                         .radius1 = 42.8e-6,
                         .radius2 = 30.3e-6,
                         .E = 3.89e9,
                         .G = 0.89e9,
                         .density = 1320,
                         .damping = 1e-3,
                         .root = SKEIN_CLAMPED,
                         .tip = SKEIN_FREE,
                         .pose = skein_default_pose(),
                         .alignment = NAN,
                         .tip_factor = 1e5};
}

skein_env skein_default_env(void)
{
  return (skein_env){.gravity = {0, 0, -9.81}};
}

/* ---- Checks ---- */

static skein_status positive(const char *field, double value, const char *unit)
{
  if (value > 0 && isfinite(value)) return sk_ok();
  return sk_fail(SKEIN_BAD_INPUT, "%s is %g, expected a positive number of %s", field, value, unit);
}

static skein_status not_negative(const char *field, double value, const char *unit)
{
  if (value >= 0 && isfinite(value)) return sk_ok();
  return sk_fail(SKEIN_BAD_INPUT, "%s is %g, expected a number >= 0 (%s)", field, value, unit);
}

/* limit: the largest turn of one element, in radians. */
static skein_status check_cells(const char *field, const double *cells, int count, double element, double limit)
{
  static const char *const parts[] = {"curvature about d1", "curvature about d2", "twist"};
  if (!cells) return sk_ok();
  if (count < 1) return sk_fail(SKEIN_BAD_INPUT, "%ss is %d, expected at least one cell of %s", field, count, field);
  for (int i = 0; i < 3 * count; i++) {
    if (!isfinite(cells[i]))
      return sk_fail(SKEIN_BAD_INPUT, "%s[%d] (%s of cell %d) is %g, expected a finite number", field, i, parts[i % 3],
                     i / 3, cells[i]);
    if (fabs(cells[i]) * element > limit)
      return sk_fail(
          SKEIN_BAD_INPUT,
          "%s[%d] (%s of cell %d) is %g 1/m, a turn of %.3g rad in one element of %g m, expected at most %g: "
          "more elements",
          field, i, parts[i % 3], i / 3, cells[i], fabs(cells[i]) * element, element, limit);
  }
  return sk_ok();
}

skein_status sk_pose_check(const char *field, const skein_pose *p)
{
  for (int i = 0; i < 3; i++)
    if (!isfinite(p->r[i]))
      return sk_fail(SKEIN_BAD_INPUT, "%s.r[%d] is %g, expected a finite number", field, i, p->r[i]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double dot = sk_dot(sk_load3(p->d[i]), sk_load3(p->d[j]));
      if (!(fabs(dot - (i == j)) <= 1e-6))
        return sk_fail(SKEIN_BAD_INPUT, "%s.d: axes %d and %d have the product %g, expected orthonormal axes", field,
                       i + 1, j + 1, dot);
    }
  if (!(sk_dot(sk_cross(sk_load3(p->d[0]), sk_load3(p->d[1])), sk_load3(p->d[2])) > 0))
    return sk_fail(SKEIN_BAD_INPUT, "%s.d is left-handed, expected d3 = d1 x d2", field);
  return sk_ok();
}

static skein_status check_material(const skein_rod_def *d)
{
  skein_status s = sk_ok();
  const struct {
    const char *name;
    double value;
    const char *unit;
  } fields[] = {{"length", d->length, "metres"},
                {"radius1", d->radius1, "metres"},
                {"radius2", d->radius2, "metres"},
                {"E", d->E, "pascals"},
                {"G", d->G, "pascals"},
                {"density", d->density, "kg/m^3"}};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0] && s.code == SKEIN_OK; i++)
    s = positive(fields[i].name, fields[i].value, fields[i].unit);
  if (s.code == SKEIN_OK) s = not_negative("damping", d->damping, "s");
  if (s.code == SKEIN_OK) s = not_negative("drag", d->drag, "kg/(m s)");
  if (s.code == SKEIN_OK && !isnan(d->alignment)) s = positive("alignment", d->alignment, "newtons, or NaN");
  if (s.code == SKEIN_OK && d->tip != SKEIN_FREE) s = positive("tip_factor", d->tip_factor, "times EI / L^3");
  return s;
}

skein_status skein_rod_def_check(const skein_rod_def *d)
{
  if ((unsigned)d->model >= SKEIN_ROD_MODEL_COUNT)
    return sk_fail(SKEIN_BAD_INPUT, "model is %d, expected one of the %d rod models", d->model, SKEIN_ROD_MODEL_COUNT);
  if (d->elements < 1 || d->elements > 100000)
    return sk_fail(SKEIN_BAD_INPUT, "elements is %d, expected 1 to 100000", d->elements);
  if (d->model == SKEIN_SUPER_HELIX && d->elements > 1000)
    return sk_fail(SKEIN_BAD_INPUT, "elements is %d, expected at most 1000 for a super-helix (its matrices are dense)",
                   d->elements);
  if (d->twist_locked < 0 || d->twist_locked > d->elements)
    return sk_fail(SKEIN_BAD_INPUT, "twist_locked is %d, expected 0 to elements = %d", d->twist_locked, d->elements);
  if ((unsigned)d->root > SKEIN_CLAMPED || (unsigned)d->tip > SKEIN_CLAMPED)
    return sk_fail(SKEIN_BAD_INPUT, "%s is %d, expected free, pinned or clamped",
                   (unsigned)d->root > SKEIN_CLAMPED ? "root" : "tip",
                   (unsigned)d->root > SKEIN_CLAMPED ? d->root : d->tip);
  if (d->model != SKEIN_SUPER_HELIX && d->elements < 2 && d->root != SKEIN_FREE && d->tip != SKEIN_FREE)
    return sk_fail(SKEIN_BAD_INPUT, "elements is %d, expected at least 2 when both ends are held", d->elements);
  skein_status s = check_material(d);
  double element = d->length / d->elements, limit = d->model == SKEIN_SUPER_HELIX ? 1000 : 2; /* a joint folds at pi */
  if (s.code == SKEIN_OK) s = check_cells("natural", d->natural, d->naturals, element, limit);
  if (s.code == SKEIN_OK) s = check_cells("initial", d->initial, d->initials, element, limit);
  if (s.code == SKEIN_OK) s = sk_pose_check("pose", &d->pose);
  return s;
}

skein_status sk_env_check(const skein_env *env)
{
  for (int i = 0; i < 3; i++) {
    if (!isfinite(env->gravity[i]))
      return sk_fail(SKEIN_BAD_INPUT, "gravity[%d] is %g, expected a finite number", i, env->gravity[i]);
    if (!isfinite(env->wind[i]))
      return sk_fail(SKEIN_BAD_INPUT, "wind[%d] is %g, expected a finite number", i, env->wind[i]);
  }
  return sk_ok();
}
