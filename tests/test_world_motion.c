/* Motion in the world against what is known: rigid bodies that spin, stick, slide, roll, bounce and stand; held ends
 * that follow what holds them; events. */
#include "world_support.h"

static const double g = 9.81;

/* ---- Rigid bodies ---- */

/* Angular momentum of a box without forces after a second, against that of the start: relative. */
static double momentum_drift(double dt)
{
  const sk_vec3 size = {0.1, 0.2, 0.3};
  text t = {0};
  say(&t,
      "{\"gravity\": [0, 0, 0], \"time\": {\"dt\": %.17g}, \"bodies\": [{\"density\": 500, \"spin\": [40, 300, 60], "
      "\"velocity\": [1, 2, 3], \"shape\": {\"type\": \"box\", ",
      dt);
  say_vector(&t, "size", size), say(&t, "}}]}");
  play p = play_text(&t, 1);
  double mass = 500 * size.x * size.y * size.z, xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
  sk_vec3 inertia = sk_mul(mass / 12, sk_vec(yy + zz, xx + zz, xx + yy)), L[2];
  for (int k = 0; k < 2; k++) {
    if (k == 1) play_until(&p, 1);
    body_view b = look(&p, 0);
    sk_mat3 R = sk_quat_frame(b.q);
    sk_vec3 w = sk_apply_t(R, b.w);
    L[k] = sk_apply(R, sk_vec(inertia.x * w.x, inertia.y * w.y, inertia.z * w.z));
  }
  body_view b = look(&p, 0);
  expect_at_most(sk_norm(sk_sub(b.r, sk_vec(1, 2, 3))), 1e-12, "a body that nothing touches flies straight");
  expect_at_most(sk_norm(sk_sub(b.v, sk_vec(1, 2, 3))), 1e-14, "with the same velocity");
  play_close(&p);
  return sk_norm(sk_sub(L[1], L[0])) / sk_norm(L[0]);
}

static void spin_keeps_its_momentum(void **state)
{
  (void)state;
  double coarse = momentum_drift(4e-3), fine = momentum_drift(2e-3), finest = momentum_drift(1e-3);
  expect_at_most(coarse, 0.1, "drift at 4 ms");
  expect_at_most(fine, 0.6 * coarse, "drift at 2 ms");
  expect_at_most(finest, 0.6 * fine, "drift at 1 ms");
}

/* A box on a slope, mu a share of tan(theta). */
static play open_slope(double degrees, double share, double dt)
{
  double angle = degrees * SK_PI / 180;
  sk_vec3 normal = {sin(angle), 0, cos(angle)};
  text t = {0};
  say(&t, "{\"time\": {\"dt\": %.17g}, \"solver\": {\"tol\": 1e-13, \"sleep\": false}, \"friction\": %.17g, ", dt,
      share * tan(angle));
  say(&t, "\"bodies\": [{\"shape\": {\"type\": \"plane\", "), say_vector(&t, "normal", normal), say(&t, "}}, ");
  say(&t, "{\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.04]}, \"density\": 500, ");
  say_vector(&t, "position", sk_mul(0.02, normal));
  say(&t, ", \"rotation\": {\"axis\": [0, 1, 0], \"angle\": %.17g}}]}", degrees);
  return play_text(&t, 1);
}

static void slope_holds_or_not(void **state)
{
  (void)state;
  static const double degrees[] = {5, 20, 40}, shares[] = {1.001, 1.5};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) {
      play p = open_slope(degrees[i], shares[k], 2e-3);
      sk_vec3 before = look(&p, 1).r;
      for (int n = 0; n < 200; n++) {
        play_step(&p, 10);
        expect_at_most(sk_norm(look(&p, 1).v), 1e-10, "speed of a box that sticks");
      }
      expect_at_most(sk_norm(sk_sub(look(&p, 1).r, before)), 1e-10, "its way");
      play_close(&p);
    }
    play p = open_slope(degrees[i], 0.8, 2e-3);
    double angle = degrees[i] * SK_PI / 180, a = g * (sin(angle) - 0.8 * tan(angle) * cos(angle));
    play_until(&p, 0.4);
    sk_vec3 down = {cos(angle), 0, -sin(angle)};
    expect_at_most(fabs(sk_dot(look(&p, 1).v, down) / (a * 0.4) - 1), 0.01, "acceleration of a box that slides");
    expect_at_most(sk_norm(look(&p, 1).w), 1e-6, "its spin");
    play_close(&p);
  }
}

/* v0^2 / (2 mu g) - v0 dt / 2: implicit Euler, when it stops at the end of a step. */
static void stopping_distance_is_exact(void **state)
{
  (void)state;
  const double mu = 0.3, dt = 1e-3, v0 = 100 * mu * g * dt;
  text t = {0};
  say(&t,
      "{\"time\": {\"dt\": %.17g}, \"solver\": {\"tol\": 1e-13}, \"friction\": %.17g, \"bodies\": [{\"shape\": "
      "{\"type\": \"plane\"}}, "
      "{\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.02]}, \"density\": 500, \"position\": [0, 0, 0.01], "
      "\"velocity\": [%.17g, %.17g, 0]}]}",
      dt, mu, 0.6 * v0, 0.8 * v0);
  play p = play_text(&t, 1);
  play_until(&p, 0.2);
  sk_vec3 r = look(&p, 1).r;
  double expected = v0 * v0 / (2 * mu * g) - 0.5 * v0 * dt;
  expect_at_most(fabs(hypot(r.x, r.y) / expected - 1), 1e-6, "stopping distance");
  expect_at_most(fabs(r.x * 0.8 - r.y * 0.6) / expected, 1e-6, "it slides straight");
  expect_at_most(sk_norm(look(&p, 1).v), 1e-10, "it has stopped");
  play_close(&p);
}

/* A straight rod on a floor does the same, whatever its model. */
static void rods_stop_too(void **state)
{
  (void)state;
  static const char *const models[] = {"super-helix", "der", "mass-spring", "corde"};
  const double mu = 0.3, dt = 1e-3, v0 = 50 * mu * g * dt;
  for (int m = 0; m < 4; m++) {
    text t = {0};
    say(&t,
        "{\"time\": {\"dt\": %.17g}, \"solver\": {\"tol\": 1e-12, \"sleep\": false}, \"friction\": %.17g, \"bodies\": "
        "[{\"shape\": {\"type\": "
        "\"plane\"}}], \"materials\": {\"stuff\": {\"E\": 1e9, \"density\": 1000, \"radius\": 0.001}}, ",
        dt, mu);
    say(&t,
        "\"rods\": [{\"model\": \"%s\", \"elements\": 4, \"length\": 0.1, \"material\": \"stuff\", \"velocity\": [0, "
        "%.17g, 0], "
        "\"root\": {\"type\": \"free\", \"position\": [0, 0, 0.001], \"direction\": [1, 0, 0]}}]}",
        models[m], v0);
    play p = play_text(&t, 1);
    play_until(&p, 0.1);
    double expected = v0 * v0 / (2 * mu * g) - 0.5 * v0 * dt, middle = place(&p, 0, 0.05).y;
    expect_at_most(fabs(middle / expected - 1), 0.05,
                   models[m]); /* it rolls a little or bends: mu acts at its surface */
    expect_at_most(p.info.speed, 1e-6, models[m]);
    play_close(&p);
  }
}

static void ball_slides_then_rolls(void **state)
{
  (void)state;
  play p = play_open(
      "{\"friction\": 0.2, \"solver\": {\"tol\": 1e-12}, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}, {\"shape\": "
      "{\"type\": "
      "\"sphere\", \"radius\": 0.05}, \"density\": 1000, \"position\": [0, 0, 0.05], \"velocity\": [2, 0, 0]}]}",
      1);
  play_until(&p, 0.2);
  expect_at_most(fabs(look(&p, 1).v.x - (2 - 0.2 * g * 0.2)), 1e-6, "speed while it slides");
  play_until(&p, 0.6);
  body_view b = look(&p, 1);
  expect_at_most(fabs(b.v.x / (5.0 / 7 * 2) - 1), 0.01, "speed of rolling");
  expect_at_most(fabs(b.v.x - 0.05 * b.w.y), 1e-9, "it rolls");
  expect_at_most(fabs(b.r.z - 0.05), 1e-4, "on the floor");
  play_close(&p);
}

/* It rolls down a slope iff tan(theta) <= 7 mu / 2: with 5/7 g sin(theta). */
static void ball_rolls_down(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    double angle = 0.4, mu = (k ? 0.9 : 1.1) * tan(angle) * 2 / 7;
    sk_vec3 normal = {sin(angle), 0, cos(angle)}, down = {cos(angle), 0, -sin(angle)};
    text t = {0};
    say(&t, "{\"friction\": %.17g, \"solver\": {\"tol\": 1e-12}, \"bodies\": [{\"shape\": {\"type\": \"plane\", ", mu);
    say_vector(&t, "normal", normal);
    say(&t, "}}, {\"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"density\": 1000, ");
    say_vector(&t, "position", sk_mul(0.05, normal)), say(&t, "}]}");
    play p = play_text(&t, 1);
    play_until(&p, 0.5);
    double a = k ? g * (sin(angle) - mu * cos(angle)) : 5.0 / 7 * g * sin(angle);
    expect_at_most(fabs(sk_dot(look(&p, 1).v, down) / (0.5 * a) - 1), 1e-3, k ? "slides down" : "rolls down");
    play_close(&p);
  }
}

/* A ball bounces to e^2 h, within the way of a step. */
static void ball_bounces(void **state)
{
  (void)state;
  static const double shares[] = {0, 0.5, 0.9, 1};
  for (int k = 0; k < 4; k++) {
    double e = shares[k], h = 0.5, top = 0, dt = 2e-4;
    text t = {0};
    say(&t,
        "{\"time\": {\"dt\": %.17g}, \"restitution\": %g, \"bodies\": [{\"shape\": {\"type\": \"plane\"}}, {\"shape\": "
        "{\"type\": \"sphere\", "
        "\"radius\": 0.02}, \"density\": 1000, \"position\": [0, 0, %.17g]}]}",
        dt, e, h + 0.02);
    play p = play_text(&t, 1);
    play_until(&p, sqrt(2 * h / g) + 0.01);
    while (skein_world_time(p.world) < sqrt(2 * h / g) * (1 + e) + 0.02) {
      play_step(&p, 10);
      top = fmax(top, look(&p, 1).r.z - 0.02);
    }
    expect_at_most(fabs(top - e * e * h), 3 * sqrt(2 * g * h) * dt, "height of the first bounce");
    play_close(&p);
  }
}

static void stack_stands_still(void **state)
{
  (void)state;
  text t = {0};
  say(&t, "{\"time\": {\"dt\": 0.002}, \"friction\": 0.5, \"solver\": {\"sleep\": false}, \"bodies\": [{\"shape\": "
          "{\"type\": \"plane\"}}");
  for (int i = 0; i < 5; i++)
    say(&t,
        ", {\"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.1]}, \"density\": 600, \"position\": [0, 0, %.17g]}",
        0.05 + 0.1 * i);
  say(&t, "]}");
  play p = play_text(&t, 1);
  for (double end = SLOW_BUILD ? 0.3 : 2; skein_world_time(p.world) < end;) {
    play_step(&p, end);
    for (int i = 1; i <= 5; i++) expect_at_most(sk_norm(look(&p, i).v), 1e-6, "speed of a box in the stack");
  }
  assert_int_equal(p.retries, 0);
  play_close(&p);
}

/* ---- Held ends ---- */

/* Roots on a body that turns and swings: they are where the body is, tangent included; the rods come along. */
static void roots_follow_their_body(void **state)
{
  (void)state;
  static const char *const models[] = {"super-helix", "der", "mass-spring", "corde"};
  for (int m = 0; m < 4; m++) {
    text t = {0};
    say(&t,
        "{\"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"head\", \"shape\": {\"type\": \"sphere\", \"radius\": "
        "0.05}, \"motion\": {\"waves\": ["
        "{\"turn\": true, \"axis\": [0, 1, 0], \"amplitude\": 40, \"frequency\": 1}, "
        "{\"axis\": [1, 0, 0], \"amplitude\": 0.02, \"frequency\": 2}]}}], "
        "\"materials\": {\"stuff\": {\"E\": 1e9, \"density\": 1000, \"radius\": 0.0005, \"damping\": 0.01}}, \"rods\": "
        "[{\"model\": \"%s\", \"length\": "
        "0.1, \"material\": \"stuff\", \"root\": {\"position\": [0, 0, -0.05], \"body\": \"head\"}}]}",
        models[m]);
    play p = play_text(&t, 1);
    double tip = 0;
    while (skein_world_time(p.world) < 0.5) {
      play_step(&p, 0.5);
      body_view b = look(&p, 0);
      skein_pose root;
      skein_rod_point(skein_world_rod(p.world, 0), 0, &root);
      sk_vec3 down = sk_apply(sk_quat_frame(b.q), sk_vec(0, 0, -1));
      expect_at_most(sk_norm(sk_sub(sk_load3(root.r), sk_axpy(b.r, 0.05, down))), 1e-12, models[m]);
      /* the frame of the first segment of a chain is half an element away from the root */
      expect_at_most(sk_norm(sk_sub(sk_load3(root.d[2]), down)), m == 0 ? 1e-9 : 0.2, models[m]);
      tip = fmax(tip, sk_norm(sk_sub(place(&p, 0, 0.1), sk_axpy(b.r, 0.15, down))));
    }
    assert_int_equal(p.retries, 0);
    expect_at_most(tip, 0.01, "how far a stiff rod's tip stays behind");
    play_close(&p);
  }
}

/* ---- Events ---- */

/* A hanging rod is let go: its momentum is -m g t from then on, exactly; the fall of its middle is that of a stone. */
static void released_rods_fall(void **state)
{
  (void)state;
  static const char *const models[] = {"super-helix", "mass-spring", "corde", "der"};
  for (int m = 0; m < 4; m++)
    for (int curved = 0; curved < 2; curved++) {
      text t = {0};
      say(&t,
          "{\"rods\": [{\"name\": \"r\", \"model\": \"%s\", \"length\": 0.1, \"natural\": {\"curvature\": %d}, "
          "\"material\": "
          "\"rope\"}], \"events\": [{\"time\": 0.0205, \"release\": \"root\", \"rods\": \"r\"}]}",
          models[m], curved ? 10 : 0);
      play p = play_text(&t, 1);
      play_until(&p, 0.0205);
      sk_vec3 before = rod_momentum(skein_world_rod(p.world, 0));
      play_until(&p, 0.1205);
      const skein_rod *rod = skein_world_rod(p.world, 0);
      sk_vec3 now = rod_momentum(rod), gained = {0, 0, -0.1 * rod_mass(rod) * g};
      assert_int_equal(skein_rod_definition(rod).root, SKEIN_FREE);
      expect_at_most(sk_norm(sk_sub(sk_sub(now, before), gained)), (m == 0 ? 1e-3 : 1e-6) * sk_norm(gained), models[m]);
      play_close(&p);
    }
}

/* Kinetic + elastic + gravity before and after a cut, with nothing but a nanosecond between. */
static void cuts_keep_what_was(void **state)
{
  (void)state;
  static const char *const models[] = {"super-helix", "mass-spring", "corde", "der"};
  for (int m = 0; m < 4; m++)
    for (int held = 0; held < 2; held++) {
      text t = {0};
      say(&t, "{\"rods\": [{\"name\": \"r\", \"model\": \"%s\", \"elements\": 8, \"length\": 0.2, ", models[m]);
      say(&t, "\"initial\": {\"curvature\": [6, 2], \"twist\": 3}, \"material\": \"rope\"%s, ",
          held ? "" : ", \"velocity\": [1, 0.5, 2]");
      say(&t, "\"root\": {\"type\": \"%s\", \"direction\": [1, 0, 0]}}], ", held ? "clamped" : "free");
      say(&t, "\"events\": [{\"time\": 0.02, \"cut\": \"r\", \"at\": 0.4}]}");
      play p = play_text(&t, 1);
      play_until(&p, 0.02);
      assert_int_equal(skein_world_rods(p.world), 1);
      skein_step_info before = p.info;
      double mass = rod_mass(skein_world_rod(p.world, 0));
      sk_vec3 momentum = rod_momentum(skein_world_rod(p.world, 0)), middle = place(&p, 0, 0.1), tip = place(&p, 0, 0.2);
      play_step(&p, 0.02 + 1e-9);
      assert_int_equal(skein_world_rods(p.world), 2);
      const skein_rod *near = skein_world_rod(p.world, 0), *far = skein_world_rod(p.world, 1);
      double length = skein_rod_definition(near).length;
      expect_at_most(fabs(length - 0.2 * 3 / 8), 1e-12, "the cut is at the nearest joint");
      expect_at_most(fabs(rod_mass(near) + rod_mass(far) - mass), 1e-12 * mass, "mass");
      expect_at_most(sk_norm(sk_sub(sk_add(rod_momentum(near), rod_momentum(far)), momentum)),
                     1e-6 * (sk_norm(momentum) + mass), "momentum");
      expect_at_most(sk_norm(sk_sub(place(&p, 1, 0.1 - length), middle)), 1e-8, "a place on the second part");
      expect_at_most(sk_norm(sk_sub(place(&p, 1, 0.2 - length), tip)), 1e-8, "the tip");
      /* a super-helix counts the spin of its sections, tiny, as if it were straight from its root on */
      expect_at_most(fabs(p.info.kinetic - before.kinetic), (m == 0 ? 3e-4 : 1e-6) * before.kinetic, "kinetic energy");
      /* what bends in the joint itself is gone from models that bend in joints */
      expect_at_most(p.info.elastic, before.elastic * (1 + 1e-5) + 1e-12, "elastic energy");
      if (m == 0)
        expect_at_most(fabs(p.info.elastic - before.elastic), 1e-5 * before.elastic + 1e-12, "elastic energy");
      play_until(&p, 0.03);
      play_close(&p);
    }
}

/* The parts of a rod can be cut again. */
static void cuts_can_follow_each_other(void **state)
{
  (void)state;
  play p = play_open("{\"rods\": [{\"name\": \"r\", \"model\": \"der\", \"length\": 0.16}], \"events\": [{\"time\": "
                     "0.002, \"cut\": \"r\", \"at\": 0.25}, "
                     "{\"time\": 0.004, \"cut\": \"r\", \"at\": 0.75}]}",
                     1);
  play_until(&p, 0.003);
  assert_int_equal(skein_world_rods(p.world), 2);
  play_until(&p, 0.01);
  assert_int_equal(skein_world_rods(p.world), 4);
  play_close(&p);
}

static void gravity_changes(void **state)
{
  (void)state;
  play p = play_open("{\"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, \"density\": 1000}], "
                     "\"rods\": [{\"length\": 0.1, "
                     "\"root\": {\"type\": \"free\", \"position\": [1, 0, 0]}}], \"events\": [{\"time\": 0.0503, "
                     "\"gravity\": [3, 0, 1]}]}",
                     1);
  play_until(&p, 0.0503);
  expect_at_most(sk_norm(sk_sub(look(&p, 0).v, sk_vec(0, 0, -g * 0.0503))), 1e-12, "velocity before");
  play_until(&p, 0.1);
  sk_vec3 v = {3 * 0.0497, 0, -g * 0.0503 + 0.0497};
  expect_at_most(sk_norm(sk_sub(look(&p, 0).v, v)), 1e-12, "velocity of a ball");
  expect_at_most(sk_norm(sk_sub(velocity(&p, 0, 0.05), v)), 1e-9, "velocity of a rod");
  play_close(&p);
}

/* A straight hair that runs along its own axis into a wall: it does not stretch, nothing in it moves along the axis,
 * and it must buckle rather than blow up. */
static void straight_rods_buckle(void **state)
{
  (void)state;
  static const double speeds[] = {0.1, 1}, mus[] = {0, 0.5};
  for (int k = 0; k < 4; k++) {
    double v = speeds[k / 2], way = 0.02;
    text t = {0};
    say(&t,
        "{\"gravity\": [0, 0, 0], \"friction\": %g, \"time\": {\"dt\": %g}, \"rods\": [{\"length\": 0.1, "
        "\"root\": {\"position\": [0, 0, 0.101], \"motion\": {\"waves\": [{\"axis\": [0, 0, -1], \"rate\": "
        "%g}]}}}], \"bodies\": [{\"shape\": {\"type\": \"plane\"}}]}",
        mus[k % 2], v < 1 ? 0.001 : 0.0002, v);
    play p = play_text(&t, 1);
    play_until(&p, way / v);
    sk_vec3 tip = place(&p, 0, 0.1), middle = place(&p, 0, 0.05);
    expect_at_most(-tip.z, 1e-4, "the wall holds it");
    expect_at_most(0.005, hypot(middle.x, middle.y) + hypot(tip.x, tip.y), "it gave way sideways");
    expect_at_most(p.penetration, 3, "overlap while it was straight, in radii");
    expect_at_most(p.speed, 30 * (v + 0.1), "speed");
    play_close(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spin_keeps_its_momentum),
      cmocka_unit_test(slope_holds_or_not),
      cmocka_unit_test(stopping_distance_is_exact),
      cmocka_unit_test(rods_stop_too),
      cmocka_unit_test(ball_slides_then_rolls),
      cmocka_unit_test(ball_rolls_down),
      cmocka_unit_test(ball_bounces),
      cmocka_unit_test(stack_stands_still),
      cmocka_unit_test(roots_follow_their_body),
      cmocka_unit_test(released_rods_fall),
      cmocka_unit_test(cuts_keep_what_was),
      cmocka_unit_test(cuts_can_follow_each_other),
      cmocka_unit_test(gravity_changes),
      cmocka_unit_test(straight_rods_buckle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
