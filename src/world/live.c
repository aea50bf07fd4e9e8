/* A world that is changed by hand while it runs: pulls on rods, gravity, wind, friction.
 *
 * A pull is a spring with a damper between the point r at abscissa s of a rod and a target p. Both are taken at the end
 * of the step, whatever theta is, so that no stiffness k and no step dt make it unstable:
 *
 *     force = k (p - r - dt u) - c u,   u = J v+ + drift,   c = max(2 sqrt(k m), 8 dt0 k)
 *     A += (dt^2 k + dt c) J' J,        b += dt J' (k (p - r) - (dt k + c) drift)
 *
 * m is the mass of the rod: a rod that moves as a whole comes to the target with critical damping. The stiffest ones
 * take 8 of the scene's steps dt0 to come nearer by a factor e: else a target that jumps would be reached in one step,
 * at any speed. */
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pulls ---- */

static bool finite3(const double x[3])
{
  return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static sk_vec3 place_of(const sk_rod *rod, const double *x, double s)
{
  sk_vec3 r;
  sk_mat3 R;
  rod->ops->pose(rod, x, s, &r, &R);
  return r;
}

static double rod_mass(const sk_rod *rod)
{
  return rod->section.rho_S * rod->def.length;
}

/* A += a J' J, b += J' f; J has 3 rows of n, its columns are zero but for `count` from `first` on. */
static void add_point(sk_rod_part *p, const double *J, double a, sk_vec3 f, int first, int count)
{
  int n = p->rod->n;
  for (int i = first; i < first + count; i++) {
    p->b[i] += J[i] * f.x + J[n + i] * f.y + J[2 * n + i] * f.z;
    for (int j = first; j <= i; j++)
      p->A[sk_band_at(p->rod->kd, i, j)] += a * (J[i] * J[j] + J[n + i] * J[n + j] + J[2 * n + i] * J[2 * n + j]);
  }
}

/* What the direction of the force adds: under a tension T the turning of a tangent costs T dt^2 |w|^2 / 2 per length.
 * With T = |force| from the root to s, whatever the way of the rod, the step is stable and rest is where it was;
 * without it a rod of constant length under a large pull swings up. The rule of the midpoint over the elements. */
static void add_tension(sk_rod_part *p, double s, double force, double dt, const sk_rod_input *in, double *Jw)
{
  const sk_rod *rod = p->rod;
  int first, count;
  for (int e = 0; e < rod->def.elements && e * rod->l < s; e++) {
    double ds = fmin(rod->l, s - e * rod->l), at = e * rod->l + 0.5 * ds, a = dt * dt * force * ds;
    sk_vec3 spin;
    rod->ops->jacobian(rod, p->x, at, in, NULL, Jw, NULL, &spin);
    rod->ops->support(rod, at, &first, &count);
    add_point(p, Jw, a, sk_mul(-a, spin), first, count);
  }
}

static double damping_of(const sk_attempt *w, const sk_rod *rod, double k)
{
  return fmax(2 * sqrt(k * rod_mass(rod)), sk_limit.hand.steps * w->model->scene->step.dt * k);
}

static void add_pull(sk_attempt *w, sk_rod_part *part, const sk_pull *p, const sk_rod_input *in, double *J)
{
  const sk_rod *rod = part->rod;
  double k = p->stiffness, c = damping_of(w, rod, k), dt = w->plan.dt;
  int first, count;
  sk_vec3 drift;
  rod->ops->jacobian(rod, part->x, p->s, in, J, NULL, &drift, NULL);
  rod->ops->support(rod, p->s, &first, &count);
  sk_vec3 force = sk_mul(k, sk_sub(p->target, place_of(rod, part->x, p->s)));
  add_point(part, J, dt * (dt * k + c), sk_mul(dt, sk_axpy(force, -(dt * k + c), drift)), first, count);
  if (rod->ops->curved) add_tension(part, p->s, sk_norm(force), dt, in, J);
}

void sk_live_pull(sk_attempt *w, int i, sk_rod_system *sys)
{
  sk_rod_part *part = w->rods + i;
  sk_rod_input in = sk_rod_input_make(&part->drive, &w->live->env, true, false);
  for (int k = 0; k < w->live->pull_count; k++)
    if (w->live->pulls[k].rod == i) add_pull(w, part, w->live->pulls + k, &in, sys->spare);
  for (int k = 0; part->rod->ops->curved && k < in.load_count; k++)
    add_tension(part, in.loads[k].s, sk_norm(sk_load3(in.loads[k].force)), w->plan.dt, &in, sys->spare);
}

void sk_live_follow(skein_world *w)
{
  for (int i = 0; i < w->live.pull_count; i++) {
    sk_pull *p = w->live.pulls + i;
    const sk_model_rod *rods = w->model.rods;
    for (const sk_model_rod *at = rods + p->rod; p->s > at->rod->def.length && at->cut_off >= 0; at = rods + p->rod)
      p->s -= at->rod->def.length, p->rod = at->cut_off;
    p->s = fmin(p->s, rods[p->rod].rod->def.length);
  }
}

/* The pull that was set with this rod and s; pull_count: none. */
static int find_pull(const skein_world *w, int rod, double s)
{
  int i = 0;
  while (i < w->live.pull_count && !(w->live.pulls[i].key_rod == rod && w->live.pulls[i].key_s == s)) i++;
  return i;
}

static skein_status check_pull(const skein_world *w, int rod, double s, const double target[3], double stiffness)
{
  if (rod < 0 || rod >= w->model.rod_count)
    return sk_fail(SKEIN_BAD_INPUT, "rod is %d, expected 0 to %d", rod, w->model.rod_count - 1);
  double L = w->model.rods[rod].rod->def.length;
  if (!(s >= 0 && s <= L * (1 + 1e-6)))
    return sk_fail(SKEIN_BAD_INPUT, "s is %g m, expected 0 to %g m, the length of the rod", s, L);
  if (!finite3(target) || !(fmax(fmax(fabs(target[0]), fabs(target[1])), fabs(target[2])) <= 1e6))
    return sk_fail(SKEIN_BAD_INPUT, "target is [%g, %g, %g], expected finite numbers of at most 1e6 m", target[0],
                   target[1], target[2]);
  if (!(stiffness > 0 && stiffness <= 1e12))
    return sk_fail(SKEIN_BAD_INPUT, "stiffness is %g N/m, expected a positive number of at most 1e12", stiffness);
  return sk_ok();
}

static void end_pull(skein_world *w, int i)
{
  if (i == w->live.pull_count) return;
  sk_wake(&w->model, sk_now(w), w->live.pulls[i].rod);
  w->live.pull_count--;
  memmove(w->live.pulls + i, w->live.pulls + i + 1, sizeof *w->live.pulls * (size_t)(w->live.pull_count - i));
}

/* The motion that follows is no blow-up: `energy` (J) is in the world now. */
static void stir(skein_world *w, double energy)
{
  w->controller.calm = 0;
  sk_now(w)->energy_scale = fmax(sk_now(w)->energy_scale, energy);
}

skein_status skein_world_set_pull(skein_world *w, int rod, double s, const double target[3], double stiffness)
{
  int i = find_pull(w, rod, s);
  if (!target) {
    end_pull(w, i);
    stir(w, 0);
    return sk_ok();
  }
  bool fresh = i == w->live.pull_count; /* one that goes on may have been cut off its rod */
  skein_status status = fresh ? check_pull(w, rod, s, target, stiffness)
                              : check_pull(w, w->live.pulls[i].rod, w->live.pulls[i].s, target, stiffness);
  if (status.code != SKEIN_OK) return status;
  if (fresh) {
    sk_pull *more = realloc(w->live.pulls, sizeof *more * (size_t)(w->live.pull_count + 1));
    if (!more) return sk_no_memory();
    w->live.pulls = more;
    double L = w->model.rods[rod].rod->def.length;
    more[w->live.pull_count++] = (sk_pull){.key_rod = rod, .rod = rod, .key_s = s, .s = fmin(s, L)};
  }
  sk_pull *p = w->live.pulls + i;
  p->target = sk_load3(target), p->stiffness = stiffness;
  sk_vec3 gap = sk_sub(p->target, place_of(w->model.rods[p->rod].rod, skein_world_rod(w, p->rod)->x, p->s));
  sk_wake(&w->model, sk_now(w), p->rod);
  stir(w, 0.5 * stiffness * sk_dot(gap, gap));
  return sk_ok();
}

/* ---- Surroundings ---- */

skein_env skein_world_env(const skein_world *w)
{
  return w->live.env;
}

static skein_status check_vector(const char *name, const char *unit, const double x[3], double most)
{
  if (finite3(x) && fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2])) <= most) return sk_ok();
  return sk_fail(SKEIN_BAD_INPUT, "%s is [%g, %g, %g], expected finite numbers of at most %g %s", name, x[0], x[1],
                 x[2], most, unit);
}

skein_status skein_world_set_gravity(skein_world *w, const double gravity[3])
{
  skein_status s = check_vector("gravity", "m/s^2", gravity, 1e6);
  if (s.code != SKEIN_OK) return s;
  double sum = 0, g = sk_norm(sk_load3(gravity));
  for (int i = 0; i < w->model.rod_count; i++) {
    const sk_rod *rod = w->model.rods[i].rod;
    sum += rod_mass(rod) * g * rod->def.length;
  }
  for (int i = 0; i < w->model.scene->body_count; i++)
    if (w->model.scene->bodies[i].mode == SK_DYNAMIC) sum += w->model.scene->bodies[i].mass * g;
  memcpy(w->live.env.gravity, gravity, sizeof w->live.env.gravity);
  sk_wake_all(&w->model, sk_now(w));
  stir(w, sum);
  return s;
}

skein_status skein_world_set_wind(skein_world *w, const double wind[3])
{
  skein_status s = check_vector("wind", "m/s", wind, 1e6);
  if (s.code != SKEIN_OK) return s;
  double sum = 0, speed = sk_norm(sk_load3(wind));
  for (int i = 0; i < w->model.rod_count; i++) sum += 0.5 * rod_mass(w->model.rods[i].rod) * speed * speed;
  memcpy(w->live.env.wind, wind, sizeof w->live.env.wind);
  sk_wake_all(&w->model, sk_now(w));
  stir(w, sum);
  return s;
}

/* ---- Friction ---- */

static skein_status check_groups(const skein_world *w, int a, int b)
{
  for (int k = 0; k < 2; k++)
    if ((k ? b : a) < 0 || (k ? b : a) >= w->model.scene->group_count)
      return sk_fail(SKEIN_BAD_INPUT, "group_%c is %d, expected 0 to %d", k ? 'b' : 'a', k ? b : a,
                     w->model.scene->group_count - 1);
  return sk_ok();
}

skein_status skein_world_mu(const skein_world *w, int group_a, int group_b, double *mu)
{
  skein_status s = check_groups(w, group_a, group_b);
  if (s.code == SKEIN_OK) *mu = w->live.mu[group_a * w->model.scene->group_count + group_b];
  return s;
}

skein_status skein_world_set_mu(skein_world *w, int group_a, int group_b, double mu)
{
  int count = w->model.scene->group_count;
  skein_status s = check_groups(w, group_a, group_b);
  if (s.code != SKEIN_OK) return s;
  if (!(mu >= 0 && mu <= 1e6)) return sk_fail(SKEIN_BAD_INPUT, "mu is %g, expected 0 to 1e6", mu);
  if (w->live.mu[group_a * count + group_b] < 0)
    return sk_fail(SKEIN_BAD_INPUT,
                   "groups '%s' and '%s' pass through each other in this scene, expected two that touch",
                   w->model.scene->groups[group_a], w->model.scene->groups[group_b]);
  w->live.mu[group_a * count + group_b] = w->live.mu[group_b * count + group_a] = mu;
  sk_wake_all(&w->model, sk_now(w));
  stir(w, 0);
  return s;
}

skein_status sk_live_create(const skein_scene *scene, sk_live *live)
{
  size_t pairs = (size_t)scene->group_count * (size_t)scene->group_count;
  *live = (sk_live){.env = scene->env, .mu = sk_calloc(pairs, sizeof *live->mu)};
  if (live->mu && pairs > 0) memcpy(live->mu, scene->mu, sizeof *live->mu * pairs);
  return live->mu ? sk_ok() : sk_no_memory();
}

void sk_live_destroy(sk_live *live)
{
  free(live->mu), free(live->pulls);
  *live = (sk_live){0};
}
