/* Discrete elastic rods: forces, Jacobians and stiffness against finite differences along `move`, rest, rigid motion,
 * momentum, twist of many turns; the projection onto inextensible chains. */
#include "rod/rod.h"
#include "support.h"

enum { ENDS = 6, SHAPES = 3 };
static const skein_rod_end ends[ENDS][2] = {{SKEIN_CLAMPED, SKEIN_FREE},   {SKEIN_FREE, SKEIN_FREE},
                                            {SKEIN_PINNED, SKEIN_FREE},    {SKEIN_CLAMPED, SKEIN_CLAMPED},
                                            {SKEIN_PINNED, SKEIN_CLAMPED}, {SKEIN_FREE, SKEIN_CLAMPED}};
static const skein_env weight = {.gravity = {1, -2, -9.81}};
static const sk_rod_input still = {.load = 1};

/* A rod and what its evaluation needs. */
typedef struct trial {
  skein_rod *rod;
  sk_rod_system sys;
  sk_arena arena;
  sk_random g;
} trial;

/* A short thick rod (stretching and bending within two orders); shape 0: straight, 1: curved and twisted, round, 2: the
 * same, elliptic. */
static trial trial_make(skein_rod_model model, int elements, const skein_rod_end *held, int shape, uint64_t seed)
{
  static const double natural[] = {0.8, -1.2, 0.7, 1.9, 0.4, -2, -0.5, 1.6, 1.1};
  trial t = {.g = sk_random_make(seed)};
  skein_rod_def def = skein_default_rod_def();
  sk_mat3 R = sk_rotation(sk_vec(sk_random_normal(&t.g), sk_random_normal(&t.g), sk_random_normal(&t.g)));
  def.model = model, def.elements = elements, def.twist_locked = 0, def.length = 1;
  def.radius1 = 0.05, def.radius2 = shape == 2 ? 0.03 : 0.05, def.E = 2e5, def.G = 7e4, def.density = 1000;
  def.root = held[0], def.tip = held[1];
  def.natural = shape ? natural : NULL, def.naturals = shape ? 3 : 0;
  for (int k = 0; k < 3; k++) sk_store3(def.pose.d[k], R.c[k]), def.pose.r[k] = sk_random_normal(&t.g);
  expect_ok(skein_rod_create(&def, &t.rod));
  expect_ok(sk_rod_system_create(&t.rod, 1, &t.arena, &t.sys));
  return t;
}

static void trial_destroy(trial *t)
{
  skein_rod_destroy(t->rod);
  sk_arena_free(&t->arena);
}

static double *numbers(int count)
{
  double *a = sk_calloc((size_t)count, sizeof *a);
  assert_non_null(a);
  return a;
}

/* Every dof displaced by about `size` of its scale. */
static void disturb(trial *t, double size)
{
  double *dq = numbers(t->rod->n);
  for (int i = 0; i < t->rod->n; i++) dq[i] = size * t->rod->ops->scale(t->rod, i) * sk_random_normal(&t->g);
  expect_ok(skein_rod_displace(t->rod, dq));
  free(dq);
}

static sk_vec3 draw(trial *t)
{
  double x = sk_random_normal(&t->g), y = sk_random_normal(&t->g), z = sk_random_normal(&t->g);
  return sk_vec(x, y, z);
}

static sk_rod_input draw_motion(trial *t)
{
  sk_rod_input in = {.load = 1, .matrices = true};
  in.root.v = draw(t), in.root.w = draw(t), in.tip.v = draw(t), in.tip.w = draw(t);
  return in;
}

/* ---- Differences of sixth order ---- */

static const double weights[7] = {-1. / 60, 9. / 60, -45. / 60, 0, 45. / 60, -9. / 60, 1. / 60};

typedef void (*function)(trial *t, const double *x, double *value);

/* The rate of f when the rod moves by v and its ends by `in`; h: a short time. */
static void rate(trial *t, function f, int count, const double *v, const sk_rod_input *in, double h, double *out)
{
  size_t bytes = sizeof(double) * (size_t)t->rod->nx;
  double *x = numbers(t->rod->nx), *value = numbers(count);
  for (int k = 0; k < count; k++) out[k] = 0;
  for (int a = 0; a < 7; a++) {
    if (a == 3) continue;
    memcpy(x, t->rod->x, bytes);
    t->rod->ops->move(t->rod, x, v, in, (a - 3) * h);
    f(t, x, value);
    for (int k = 0; k < count; k++) out[k] += weights[a] / h * value[k];
  }
  free(x), free(value);
}

/* The same for a unit of dof i. */
static void derivative(trial *t, function f, int count, int i, double *out)
{
  double *v = numbers(t->rod->n);
  v[i] = 1;
  rate(t, f, count, v, &still, 4e-3 * t->rod->ops->scale(t->rod, i), out);
  free(v);
}

static void potential(trial *t, const double *x, double *value)
{
  sk_rod_input in = sk_rod_input_make(t->rod, &weight, false, false);
  skein_rod_energy e = t->rod->ops->energy(t->rod, x, t->rod->v, &in);
  *value = e.elastic + e.gravity;
}

static void forces(trial *t, const double *x, double *F)
{
  sk_rod_eval(t->rod, x, t->rod->v, &still, &t->sys);
  memcpy(F, t->sys.F, sizeof(double) * (size_t)t->rod->n);
}

enum { PLACES = 5 };
static const double places[PLACES] = {0, 0.19, 0.5, 0.83, 1};

/* Point and axes at all places: 12 numbers each. */
static void poses(trial *t, const double *x, double *value)
{
  sk_vec3 r;
  sk_mat3 R;
  for (int p = 0; p < PLACES; p++) {
    t->rod->ops->pose(t->rod, x, places[p], &r, &R);
    sk_store3(value + 12 * p, r), sk_store33(value + 12 * p + 3, R);
  }
}

/* ---- Derivatives ---- */

/* F is minus the gradient of the energy. */
static void forces_are_gradients(void **unused)
{
  (void)unused;
  double most = 0;
  for (int c = 0; c < ENDS * SHAPES * 4; c++) {
    bool one = ends[c % ENDS][0] == SKEIN_FREE || ends[c % ENDS][1] == SKEIN_FREE;
    int elements = c % 8 == 3 ? 2 : c % 8 == 7 ? (one ? 1 : 3) : 7;
    trial t = trial_make(c % 2 ? SKEIN_DER : SKEIN_DER_PROJECTION, elements, ends[c % ENDS], c / ENDS % SHAPES,
                         10 + (uint64_t)c);
    disturb(&t, c % 5 ? 0.25 : 0.02);
    sk_rod_input in = sk_rod_input_make(t.rod, &weight, false, true);
    sk_rod_eval(t.rod, t.rod->x, t.rod->v, &in, &t.sys);
    double scale = largest(t.sys.F, (size_t)t.rod->n);
    for (int i = 0; i < t.rod->n; i++) {
      double slope;
      derivative(&t, potential, 1, i, &slope);
      most = fmax(most, fabs(slope + t.sys.F[i]) / scale);
    }
    trial_destroy(&t);
  }
  expect_at_most(most, 1e-8, "F against the slope of the energy, relative");
}

/* Spin of a frame from the rates of its axes: R' = [w] R, w = 1/2 sum d x d'. */
static sk_vec3 spin_of(sk_mat3 R, const double *axes)
{
  sk_vec3 w = {0, 0, 0};
  for (int k = 0; k < 3; k++) w = sk_axpy(w, 0.5, sk_cross(R.c[k], sk_load3(axes + 3 * k)));
  return w;
}

/* J v + drift, Jw v + drift of any motion are the rates of points and frames. */
static void jacobians_are_rates(void **unused)
{
  (void)unused;
  double most = 0;
  for (int c = 0; c < ENDS * 4; c++) {
    trial t = trial_make(SKEIN_DER, 5, ends[c % ENDS], c % SHAPES, 300 + (uint64_t)c);
    int n = t.rod->n;
    double *J = numbers(3 * n), *Jw = numbers(3 * n), *v = numbers(n), value[12 * PLACES];
    sk_rod_input in = draw_motion(&t);
    disturb(&t, 0.2);
    for (int i = 0; i < n; i++) v[i] = sk_random_normal(&t.g);
    rate(&t, poses, 12 * PLACES, v, &in, 1e-4, value);
    for (int p = 0; p < PLACES; p++) {
      sk_vec3 r, drift, spin;
      sk_mat3 R;
      t.rod->ops->pose(t.rod, t.rod->x, places[p], &r, &R);
      t.rod->ops->jacobian(t.rod, t.rod->x, places[p], &in, J, Jw, &drift, &spin);
      for (int i = 0; i < n; i++) {
        drift = sk_axpy(drift, v[i], sk_vec(J[i], J[n + i], J[2 * n + i]));
        spin = sk_axpy(spin, v[i], sk_vec(Jw[i], Jw[n + i], Jw[2 * n + i]));
      }
      sk_vec3 direct = t.rod->ops->velocity(t.rod, t.rod->x, v, places[p], &in);
      most = fmax(most, sk_norm(sk_sub(drift, sk_load3(value + 12 * p))));
      most = fmax(most, sk_norm(sk_sub(drift, direct)));
      most = fmax(most, sk_norm(sk_sub(spin, spin_of(R, value + 12 * p + 3))) / (1 + sk_norm(spin)));
    }
    free(J), free(Jw), free(v);
    trial_destroy(&t);
  }
  expect_at_most(most, 1e-9, "J v against the rate of the pose");
}

/* Where nothing is strained K is the Hessian, Kb its part at what is prescribed, and there is no force. */
static void stiffness_is_the_hessian_at_rest(void **unused)
{
  (void)unused;
  double most = 0, force = 0;
  for (int c = 0; c < ENDS * SHAPES; c++) {
    trial t = trial_make(SKEIN_DER, 6, ends[c % ENDS], c / ENDS, 400 + (uint64_t)c);
    int n = t.rod->n, kd = t.rod->kd;
    double *slope = numbers(n), *zero = numbers(n);
    sk_rod_input in = draw_motion(&t);
    sk_rod_eval(t.rod, t.rod->x, t.rod->v, &in, &t.sys);
    double *K = numbers((int)sk_band_size(n, kd)), *Kb = numbers(n), scale = largest(t.sys.K, sk_band_size(n, kd));
    memcpy(K, t.sys.K, sizeof(double) * sk_band_size(n, kd)), memcpy(Kb, t.sys.Kb, sizeof(double) * (size_t)n);
    force = fmax(force, largest(t.sys.F, (size_t)n) / (scale * t.rod->l));
    for (int i = 0; i < n; i++) {
      derivative(&t, forces, n, i, slope);
      for (int j = 0; j < n; j++)
        most = fmax(most, fabs(slope[j] + (abs(i - j) <= kd ? K[sk_band_at(kd, i, j)] : 0)) / scale);
    }
    rate(&t, forces, n, zero, &in, 1e-4, slope);
    for (int j = 0; j < n; j++) most = fmax(most, fabs(slope[j] + Kb[j]) / scale);
    free(slope), free(zero), free(K), free(Kb);
    trial_destroy(&t);
  }
  expect_at_most(force, 1e-14, "force on a rod at rest, relative");
  expect_at_most(most, 1e-8, "K against the Hessian at rest, relative");
}

/* ---- Rigid motion ---- */

/* Velocities of the motion v + w x r, spins included. */
static void rigid(const skein_rod *rod, sk_vec3 v, sk_vec3 w, double *q)
{
  int N = rod->def.elements;
  bool root = rod->def.root != SKEIN_FREE, tip = rod->def.tip != SKEIN_FREE;
  int at = 0;
  for (int i = N; i >= 0; i--) {
    sk_vec3 r = sk_load3(rod->x + SK_MODEL + 3 * i), d = r;
    sk_mat3 R;
    if (!(i == 0 && root) && !(i == N && tip)) sk_store3(q + at, sk_add(v, sk_cross(w, r))), at += 3;
    if (i == 0) break;
    rod->ops->pose(rod, rod->x, (i - 0.5) * rod->l, &d, &R);
    q[at++] = sk_dot(w, R.c[2]);
  }
  assert_int_equal(at, rod->n);
}

/* K does not see a rigid motion of the rod with its clamps, at any state: no damping, no stiffness. */
static void rigid_motion_is_free(void **unused)
{
  (void)unused;
  double most = 0;
  for (int c = 0; c < ENDS * SHAPES * 2; c++) {
    trial t = trial_make(SKEIN_DER, 6, ends[c % ENDS], c / ENDS % SHAPES, 500 + (uint64_t)c);
    int n = t.rod->n;
    double *q = numbers(n);
    sk_rod_input in = {.load = 1, .matrices = true};
    disturb(&t, 0.2);
    sk_vec3 v = draw(&t), w = c % 3 ? draw(&t) : sk_mul(3, sk_load3(t.rod->x + SK_ROOT + 9));
    in.root.v = sk_add(v, sk_cross(w, sk_load3(t.rod->x + SK_ROOT))), in.root.w = w;
    in.tip.v = sk_add(v, sk_cross(w, sk_load3(t.rod->x + SK_TIP))), in.tip.w = w;
    rigid(t.rod, v, w, q);
    sk_rod_eval(t.rod, t.rod->x, t.rod->v, &in, &t.sys);
    sk_band_mul_add(n, t.rod->kd, t.sys.K, 1, q, t.sys.Kb);
    double scale = largest(t.sys.K, sk_band_size(n, t.rod->kd)) * largest(q, (size_t)n);
    most = fmax(most, largest(t.sys.Kb, (size_t)n) / scale);
    free(q);
    trial_destroy(&t);
  }
  expect_at_most(most, 1e-14, "K v + Kb of a rigid motion, relative");
}

/* Internal forces have no resultant and no moment: no work in a rigid motion. */
static void momentum_is_kept(void **unused)
{
  (void)unused;
  double most = 0;
  for (int c = 0; c < 20; c++) {
    trial t = trial_make(SKEIN_DER, 9, ends[1], c % SHAPES, 600 + (uint64_t)c);
    int n = t.rod->n;
    double *q = numbers(n);
    disturb(&t, 0.3);
    sk_rod_eval(t.rod, t.rod->x, t.rod->v, &still, &t.sys);
    for (int k = 0; k < 6; k++) {
      sk_vec3 e = {k % 3 == 0, k % 3 == 1, k % 3 == 2}, none = {0, 0, 0};
      double power = 0, sum = 0;
      rigid(t.rod, k < 3 ? e : none, k < 3 ? none : e, q);
      for (int i = 0; i < n; i++) power += q[i] * t.sys.F[i], sum += fabs(q[i] * t.sys.F[i]);
      most = fmax(most, fabs(power) / sum);
    }
    free(q);
    trial_destroy(&t);
  }
  expect_at_most(most, 1e-13, "resultant of internal forces, relative");
}

/* Three turns of the tip's clamp: the twist is counted on, the energy is GJ angle^2 / (2 L). */
static void twist_beyond_a_turn(void **unused)
{
  (void)unused;
  trial t = trial_make(SKEIN_DER, 2, ends[3], 0, 700);
  int steps = 60;
  double turn = 6 * SK_PI, v[5] = {0, 0, 0, 0, 0}, GJ = t.rod->section.GJ, most = 0; /* spin 1, node 1, spin 0 */
  sk_rod_input in = {.load = 1};
  in.tip.w = sk_mul(turn, sk_load3(t.rod->x + SK_TIP + 9));
  v[0] = 0.75 * turn, v[4] = 0.25 * turn;
  assert_int_equal(t.rod->n, 5);
  for (int k = 1; k <= steps; k++) {
    t.rod->ops->move(t.rod, t.rod->x, v, &in, 1. / steps);
    double angle = turn * k / steps, exact = 0.5 * GJ * angle * angle;
    skein_rod_energy e = t.rod->ops->energy(t.rod, t.rod->x, t.rod->v, &still);
    most = fmax(most, fabs(e.elastic - exact) / exact);
  }
  expect_at_most(most, 1e-12, "energy of a twisted rod, relative");
  trial_destroy(&t);
}

/* A frame that has lost its edge keeps everything finite. */
static void collapsed_edge_is_finite(void **unused)
{
  (void)unused;
  trial t = trial_make(SKEIN_DER, 4, ends[0], 2, 800);
  memcpy(t.rod->x + SK_MODEL + 6, t.rod->x + SK_MODEL + 3, 3 * sizeof(double)); /* node 2 onto node 1 */
  disturb(&t, 0);
  sk_rod_input in = {.load = 1, .matrices = true};
  sk_rod_eval(t.rod, t.rod->x, t.rod->v, &in, &t.sys);
  assert_true(isfinite(largest(t.sys.F, (size_t)t.rod->n)));
  assert_true(isfinite(largest(t.sys.K, sk_band_size(t.rod->n, t.rod->kd))));
  disturb(&t, 0.1);
  assert_true(isfinite(largest(t.rod->x, (size_t)t.rod->nx)));
  trial_destroy(&t);
}

/* ---- Projection ---- */

static double longest_strain(const skein_rod *rod)
{
  double most = 0;
  for (int i = 0; i < rod->def.elements; i++) {
    sk_vec3 e = sk_sub(sk_load3(rod->x + SK_MODEL + 3 * (i + 1)), sk_load3(rod->x + SK_MODEL + 3 * i));
    most = fmax(most, fabs(sk_norm(e) / rod->l - 1));
  }
  return most;
}

static bool project(trial *t, double dt)
{
  return t->rod->ops->project(t->rod, t->rod->x, t->rod->x, t->rod->v, &still, dt, &t->sys);
}

/* Chains that were pulled out of their lengths come back, wherever their ends; v takes what the nodes moved. */
static void projection_restores_lengths(void **unused)
{
  (void)unused;
  for (int c = 0; c < 60; c++) {
    trial t = trial_make(SKEIN_DER_PROJECTION, c % 2 ? 5 : 40, ends[c % 3], c % SHAPES, 900 + (uint64_t)c);
    size_t bytes = sizeof(double) * (size_t)t.rod->nx;
    double *x = numbers(t.rod->nx), v = t.rod->v[0], dt = 0.01;
    disturb(&t, c % 10 ? 0.05 * (c % 10) : 0);
    memcpy(x, t.rod->x, bytes);
    assert_true(project(&t, dt));
    expect_at_most(longest_strain(t.rod), 1e-10, "strain after projection");
    int tip = SK_MODEL + 3 * t.rod->def.elements; /* dof 0 is its first component */
    expect_at_most(fabs(t.rod->v[0] - v - (t.rod->x[tip] - x[tip]) / dt), 1e-12, "v against what the tip moved");
    free(x);
    trial_destroy(&t);
  }
}

/* The impulses of the projection are internal: a free chain keeps its momentum and its centre. */
static void projection_keeps_momentum(void **unused)
{
  (void)unused;
  trial t = trial_make(SKEIN_DER_PROJECTION, 12, ends[1], 1, 950);
  disturb(&t, 0.1);
  assert_true(project(&t, 0.1));
  sk_vec3 sum = {0, 0, 0};
  for (int i = 0; i <= 12; i++) sum = sk_axpy(sum, i % 12 ? 1 : 0.5, sk_load3(t.rod->v + 4 * i));
  expect_at_most(sk_norm(sum), 1e-13 * largest(t.rod->v, (size_t)t.rod->n), "momentum of the projection");
  trial_destroy(&t);
}

/* Ends further apart than the rod is long, no length at all, no numbers: it ends, says so, and leaves the state. */
static void projection_admits_failure(void **unused)
{
  (void)unused;
  for (int c = 0; c < 3; c++) {
    trial t = trial_make(SKEIN_DER_PROJECTION, 20, (const skein_rod_end[]){SKEIN_PINNED, SKEIN_PINNED}, 0, 970);
    double *x = numbers(t.rod->nx), *tip = t.rod->x + SK_MODEL + 60;
    sk_vec3 t0 = sk_load3(t.rod->x + SK_ROOT + 9);
    sk_store3(tip, sk_axpy(sk_load3(tip), c == 0 ? 0.01 : 30, t0));
    if (c == 2) t.rod->x[SK_MODEL + 15] = NAN;
    memcpy(x, t.rod->x, sizeof(double) * (size_t)t.rod->nx);
    assert_false(project(&t, 0.01));
    assert_memory_equal(x, t.rod->x, sizeof(double) * (size_t)t.rod->nx);
    free(x);
    trial_destroy(&t);
  }
}

/* Between ends as far apart as the chain is long, straight is the only shape left: the projection finds it. */
static void projection_draws_a_taut_chain_straight(void **unused)
{
  (void)unused;
  for (int elements = 2; elements <= 64; elements *= 2) {
    trial t = trial_make(SKEIN_DER_PROJECTION, elements, ends[3], 0, 975);
    disturb(&t, 0.1);
    assert_true(project(&t, 0.01));
    expect_at_most(longest_strain(t.rod), 1e-9, "strain of a taut chain");
    trial_destroy(&t);
  }
}

/* All nodes in one point: frames say where the edges were. */
static void projection_unfolds_a_point(void **unused)
{
  (void)unused;
  trial t = trial_make(SKEIN_DER_PROJECTION, 10, ends[2], 1, 980);
  for (int i = 1; i <= 10; i++) memcpy(t.rod->x + SK_MODEL + 3 * i, t.rod->x + SK_MODEL, 3 * sizeof(double));
  assert_true(project(&t, 0.01));
  expect_at_most(longest_strain(t.rod), 1e-10, "strain after projection");
  trial_destroy(&t);
}

/* A pinned chain falls: lengths kept in every step. */
static void falling_chain_keeps_its_length(void **unused)
{
  (void)unused;
  trial t = trial_make(SKEIN_DER_PROJECTION, 20, ends[2], 0, 990);
  skein_env env = skein_default_env();
  skein_rod_step_def step = skein_default_rod_step_def();
  double most = 0;
  for (int k = 0; k < 500; k++) {
    expect_ok(skein_rods_step(&t.rod, 1, &env, &step));
    most = fmax(most, longest_strain(t.rod));
  }
  expect_at_most(most, 1e-10, "strain of a falling chain");
  trial_destroy(&t);
}

/* Ends driven together leave slack and are followed; driven further apart than the rod is long, the step fails and the
 * rod stays. */
static void ends_too_far_apart_fail(void **unused)
{
  (void)unused;
  trial t = trial_make(SKEIN_DER_PROJECTION, 16, (const skein_rod_end[]){SKEIN_PINNED, SKEIN_PINNED}, 1, 995);
  skein_env env = skein_default_env();
  skein_rod_step_def step = skein_default_rod_step_def();
  skein_pose tip;
  skein_rod_point(t.rod, 1, &tip);
  for (int k = 0; k < 50; k++) {
    for (int i = 0; i < 3; i++) tip.r[i] += 0.01 * (t.rod->x[SK_ROOT + i] - tip.r[i]);
    expect_ok(skein_rod_drive(t.rod, NULL, &tip));
    expect_ok(skein_rods_step(&t.rod, 1, &env, &step));
    expect_at_most(longest_strain(t.rod), 1e-10, "strain between driven ends");
  }
  double *x = numbers(t.rod->nx);
  skein_rod_state(t.rod, x, NULL);
  tip.r[0] = t.rod->x[SK_ROOT] + 1.01, tip.r[1] = t.rod->x[SK_ROOT + 1], tip.r[2] = t.rod->x[SK_ROOT + 2];
  expect_ok(skein_rod_drive(t.rod, NULL, &tip));
  expect_bad(skein_rods_step(&t.rod, 1, &env, &step), "projection");
  assert_memory_equal(x, t.rod->x, sizeof(double) * (size_t)t.rod->nx);
  free(x);
  trial_destroy(&t);
}

/* A stretched rod that is projected feels it in statics and not in motion. */
static void projected_rod_moves_without_stretching_forces(void **unused)
{
  (void)unused;
  trial t = trial_make(SKEIN_DER_PROJECTION, 3, ends[0], 0, 997);
  double *dq = numbers(t.rod->n);
  sk_store3(dq, sk_mul(0.1, sk_load3(t.rod->x + SK_ROOT + 9))); /* the tip, along the rod */
  expect_ok(skein_rod_displace(t.rod, dq));
  sk_rod_input in = {.load = 1};
  sk_rod_eval(t.rod, t.rod->x, t.rod->v, &in, &t.sys);
  double pull = largest(t.sys.F, (size_t)t.rod->n), ES = t.rod->section.ES;
  assert_true(pull > 0.1 * ES);
  in.dynamic = true;
  sk_rod_eval(t.rod, t.rod->x, t.rod->v, &in, &t.sys);
  expect_at_most(largest(t.sys.F, (size_t)t.rod->n), 1e-13 * ES, "stretching force in motion");
  free(dq);
  trial_destroy(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_gradients),
      cmocka_unit_test(jacobians_are_rates),
      cmocka_unit_test(stiffness_is_the_hessian_at_rest),
      cmocka_unit_test(rigid_motion_is_free),
      cmocka_unit_test(momentum_is_kept),
      cmocka_unit_test(twist_beyond_a_turn),
      cmocka_unit_test(collapsed_edge_is_finite),
      cmocka_unit_test(projection_restores_lengths),
      cmocka_unit_test(projection_keeps_momentum),
      cmocka_unit_test(projection_admits_failure),
      cmocka_unit_test(projection_draws_a_taut_chain_straight),
      cmocka_unit_test(projection_unfolds_a_point),
      cmocka_unit_test(falling_chain_keeps_its_length),
      cmocka_unit_test(ends_too_far_apart_fail),
      cmocka_unit_test(projected_rod_moves_without_stretching_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
