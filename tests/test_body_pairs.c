/* Shapes against shapes, bounds, inertia, and motion along keys and waves. */
#include "body_support.h"

/* ---- Shapes and shapes ---- */

/* Points that fill the surface of a shape, in its own axes. */
static int surface(const sk_shape *s, int n, sk_vec3 *out)
{
  int count = 0;
  if (s->kind == SK_MESH) {
    const double *v = sk_mesh_vertex_data(s->mesh);
    const int *t = sk_mesh_triangle_data(s->mesh);
    for (int k = 0; k < sk_mesh_triangles(s->mesh); k++)
      for (int i = 0; i <= n / 8; i++)
        for (int j = 0; i + j <= n / 8; j++) {
          double a = (double)i / (n / 8), b = (double)j / (n / 8);
          out[count++] =
              sk_add(sk_mul(a, sk_load3(v + 3 * t[3 * k])), sk_add(sk_mul(b, sk_load3(v + 3 * t[3 * k + 1])),
                                                                   sk_mul(1 - a - b, sk_load3(v + 3 * t[3 * k + 2]))));
        }
    return count;
  }
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= n; j++) {
      double u = 2.0 * i / n - 1, v = 2.0 * j / n - 1, angle = SK_PI * v, c = cos(angle), w = sin(angle);
      double lat = SK_PI / 2 * u, r = s->radius, rise = lat > 0 ? s->half : -s->half;
      sk_vec3 e = s->edges;
      if (s->kind == SK_SPHERE) out[count++] = sk_vec(r * cos(lat) * c, r * cos(lat) * w, r * sin(lat));
      if (s->kind == SK_CAPSULE) {
        out[count++] = sk_vec(r * cos(lat) * c, r * cos(lat) * w, r * sin(lat) + rise);
        out[count++] = sk_vec(r * c, r * w, u * s->half);
      }
      if (s->kind == SK_CYLINDER) {
        out[count++] = sk_vec(r * c, r * w, u * s->half);
        out[count++] = sk_vec(fabs(u) * r * c, fabs(u) * r * w, u < 0 ? -s->half : s->half);
      }
      if (s->kind == SK_BOX)
        for (int f = -1; f < 2; f += 2) {
          out[count++] = sk_vec(f * e.x, u * e.y, v * e.z), out[count++] = sk_vec(u * e.x, f * e.y, v * e.z);
          out[count++] = sk_vec(u * e.x, v * e.y, f * e.z);
        }
    }
  return count;
}

/* Least distance of points of A to B. */
static double sampled_distance(const sk_shape *a, const sk_pose *pa, const sk_shape *b, const sk_pose *pb,
                               sk_vec3 *room)
{
  int n = surface(a, a->kind == SK_MESH || b->kind == SK_MESH ? 24 : 40, room);
  double least = INFINITY;
  for (int k = 0; k < n; k++) least = fmin(least, distance_to(b, pb, sk_pose_out(pa, room[k]), true));
  return least;
}

/* Contacts of A and B are true on both surfaces; apart, the nearest is the distance; with A and B exchanged it is the
 * same; overlapping, a push by the overlap along the normal leaves almost nothing. */
static void check_pair(const sk_shape *a, const sk_pose *pa, const sk_shape *b, const sk_pose *pb, double reach,
                       sk_vec3 *room)
{
  sk_near n[SK_NEAR_MAX], m[SK_NEAR_MAX];
  int found = sk_shape_shape(a, pa, b, pb, reach, n), back = sk_shape_shape(b, pb, a, pa, reach, m);
  double d = a->kind == SK_PLANE ? INFINITY : sampled_distance(a, pa, b, pb, room);
  if (b->kind != SK_PLANE) d = fmin(d, sampled_distance(b, pb, a, pa, room));
  const double grain = 0.03; /* of the samples: they see a little more than the distance */
  assert_int_equal(found > 0, back > 0);
  if (found == 0) {
    expect_at_most(reach - grain, d, "distance of what has no contact");
    return;
  }
  for (int k = 0; k < found; k++) {
    sk_vec3 x = sk_axpy(n[k].point, n[k].distance, n[k].normal);
    expect_at_most(fabs(sk_norm(n[k].normal) - 1), 1e-12, "length of the normal");
    expect_at_most(n[k].distance, reach, "within reach");
    if (n[0].distance < 0) continue;
    double on_b = distance_to(b, pb, n[k].point, true), on_a = distance_to(a, pa, x, true);
    bool ball = k > 0 && (a->kind == SK_CAPSULE || b->kind == SK_CAPSULE); /* further contacts: of a ball on the axis */
    expect_at_most(ball ? on_b : fabs(on_b), 1e-3 * reach + 1e-7, "point on B");
    expect_at_most(ball ? on_a : fabs(on_a), 1e-3 * reach + 1e-7, "point on A");
  }
  expect_at_most(fabs(n[0].distance - m[0].distance), n[0].distance > 0 ? 1e-3 * reach + 1e-5 : 0.3,
                 "seen from the other");
  if (d > 0.01) {
    expect_at_most(n[0].distance, d + 1e-3 * reach, "contact against sampled");
    expect_at_most(d - grain, n[0].distance, "sampled against contact");
  } else if (d < -0.02) {
    assert_true(n[0].distance < 0);
  }
}

static void test_pairs(void **state)
{
  (void)state;
  soup ball = make_ball(4, 6, 0.6), ring = make_torus(12, 6, 0.6, 0.25, 0), box = make_box(sk_vec(0.3, 0.4, 0.6), 2, 1);
  sk_mesh *convex = mesh_of(&ball, true), *torus = mesh_of(&ring, false), *brick = mesh_of(&box, true);
  sk_shape s[PLAIN + 3] = {{.kind = SK_PLANE}};
  sk_vec3 *room = sk_calloc(60000, sizeof *room);
  for (int k = 0; k < PLAIN; k++) s[k] = solids[k];
  s[PLAIN] = (sk_shape){.kind = SK_MESH, .mesh = convex}, s[PLAIN + 1] = (sk_shape){.kind = SK_MESH, .mesh = torus};
  s[PLAIN + 2] = (sk_shape){.kind = SK_MESH, .mesh = brick};
  sk_random g = sk_random_make(11);
  for (int i = 0; i < PLAIN + 3; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < (SLOW_BUILD ? 1 : i < PLAIN ? 8 : 2) && i + j > 0; k++) {
        sk_pose pa = pose_drawn(&g, 0.8), pb = pose_drawn(&g, 0.8);
        check_pair(&s[i], &pa, &s[j], &pb, 0.3, room);
      }
  sk_mesh_destroy(convex), sk_mesh_destroy(torus), sk_mesh_destroy(brick);
  soup_free(&ball), soup_free(&ring), soup_free(&box);
  free(room);
}

/* Boxes that overlap: moved out by the overlap along the normal, they only touch; half of that is not enough. */
static void test_box_overlap(void **state)
{
  (void)state;
  sk_random g = sk_random_make(21);
  sk_vec3 *room = sk_calloc(60000, sizeof *room);
  sk_shape a = {.kind = SK_BOX, .edges = {0.3, 0.5, 0.8}}, b = {.kind = SK_BOX, .edges = {0.6, 0.4, 0.5}};
  for (int k = 0, done = 0; done < (SLOW_BUILD ? 5 : 40) && k < 1000; k++) {
    sk_pose pa = pose_drawn(&g, 0.8), pb = pose_drawn(&g, 0.8);
    sk_near n[SK_NEAR_MAX];
    if (sk_shape_shape(&a, &pa, &b, &pb, 0.01, n) == 0 || n[0].distance > -0.05) continue;
    pa.r = sk_axpy(pa.r, -n[0].distance, n[0].normal);
    double d = fmin(sampled_distance(&a, &pa, &b, &pb, room), sampled_distance(&b, &pb, &a, &pa, room));
    expect_at_most(-d, 1e-3, "overlap that is left");
    pa.r = sk_axpy(pa.r, 0.02, n[0].normal);
    assert_true(sk_shape_shape(&a, &pa, &b, &pb, 0.03, n) > 0);
    expect_at_most(fabs(n[0].distance - 0.02), 2e-3, "gap after the push");
    done++;
  }
  free(room);
}

/* How many contacts within 1e-6 of the height h, and how far they spread along x and y. */
static int standing(const sk_shape *a, sk_pose pa, const sk_shape *b, double h, double *x, double *y)
{
  sk_near n[SK_NEAR_MAX];
  int found = sk_shape_shape(a, &pa, b, &home, 0.01, n), count = 0;
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
  for (int k = 0; k < found; k++) {
    if (fabs(n[k].distance - h) > 1e-6) continue;
    count++;
    expect_at_most(fabs(n[k].normal.z - 1), 1e-9, "normal of what stands");
    lo[0] = fmin(lo[0], n[k].point.x), hi[0] = fmax(hi[0], n[k].point.x);
    lo[1] = fmin(lo[1], n[k].point.y), hi[1] = fmax(hi[1], n[k].point.y);
  }
  *x = hi[0] - lo[0], *y = hi[1] - lo[1];
  return count;
}

/* Things that stand on things have four corners or more, wherever they stand and whatever the gap. */
static void test_standing(void **state)
{
  (void)state;
  soup brick = make_box(sk_vec(0.2, 0.3, 0.4), 3, 3), slab = make_box(sk_vec(1, 1, 0.5), 6, 6),
       flat = make_sheet(8, level);
  sk_mesh *bm = mesh_of(&brick, true), *fine = mesh_of(&brick, false), *sm = mesh_of(&slab, true),
          *fm = mesh_of(&flat, false);
  sk_shape top[] = {{.kind = SK_BOX, .edges = {0.2, 0.3, 0.4}},
                    {.kind = SK_MESH, .mesh = bm},
                    {.kind = SK_MESH, .mesh = fine},
                    {.kind = SK_CYLINDER, .radius = 0.25, .half = 0.4}};
  sk_shape under[] = {{.kind = SK_PLANE},
                      {.kind = SK_BOX, .edges = {1, 1, 0.5}},
                      {.kind = SK_MESH, .mesh = sm},
                      {.kind = SK_MESH, .mesh = fm},
                      {.kind = SK_CYLINDER, .radius = 1.2, .half = 0.5}};
  double rise[] = {0, 0.5, 0.5, 0, 0.5}, gaps[] = {1e-3, 0, -1e-3}, x, y;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 5; j++)
      for (int k = 0; k < 3; k++)
        for (int turn = 0; turn < 3; turn++) {
          if (j == 3 && gaps[k] <= 0) continue; /* a sheet has no inside */
          sk_pose p = {{0.1, -0.05, rise[j] + 0.4 + gaps[k]}, sk_quat_rotation(sk_vec(0, 0, 0.4 * turn))};
          int n = standing(&top[i], p, &under[j], gaps[k], &x, &y);
          if (!(n >= 4 && x >= 0.35 && y >= 0.35))
            fail_msg("%d on %d, gap %g, turn %d: %d contacts, %g x %g", i, j, gaps[k], turn, n, x, y);
        }
  sk_shape beam = {.kind = SK_BOX, .edges = {2, 0.1, 0.1}};
  for (int k = 0; k < 3; k++) { /* two beams crossed */
    sk_pose p = {{0.1, 0.05, 0.2 + gaps[k]}, sk_quat_rotation(sk_vec(0, 0, 0.5 * SK_PI))};
    assert_true(standing(&beam, p, &beam, gaps[k], &x, &y) >= 4);
    expect_at_most(fabs(x - 0.2) + fabs(y - 0.2), 1e-6, "crossing of the beams");
  }
  sk_shape roll = {.kind = SK_CYLINDER, .radius = 0.25, .half = 0.4}; /* lying */
  for (int j = 0; j < 4; j++) {
    sk_pose p = {{0.1, 0, rise[j] + 0.25 + 1e-3}, sk_quat_rotation(sk_vec(0, 0.5 * SK_PI, 0))};
    assert_true(standing(&roll, p, &under[j], 1e-3, &x, &y) >= 2);
    expect_at_most(fabs(x - 0.8), 1e-6, "length of what lies");
  }
  sk_mesh_destroy(bm), sk_mesh_destroy(fine), sk_mesh_destroy(sm), sk_mesh_destroy(fm);
  soup_free(&brick), soup_free(&slab), soup_free(&flat);
}

/* ---- Bounds and inertia ---- */

static void test_bounds(void **state)
{
  (void)state;
  soup ring = make_torus(12, 6, 0.6, 0.25, 0);
  sk_mesh *m = mesh_of(&ring, false);
  sk_vec3 *room = sk_calloc(60000, sizeof *room), lo, hi;
  sk_random g = sk_random_make(31);
  for (int i = 1; i <= PLAIN; i++)
    for (int k = 0; k < 5; k++) {
      sk_shape s = i == PLAIN ? (sk_shape){.kind = SK_MESH, .mesh = m} : solids[i];
      sk_pose p = pose_drawn(&g, 1);
      sk_shape_bounds(&s, &p, &lo, &hi);
      double most[3] = {-1e9, -1e9, -1e9}, least[3] = {1e9, 1e9, 1e9}, x[3], l[3], h[3];
      int n = surface(&s, 40, room);
      for (int j = 0; j < n; j++) {
        sk_store3(x, sk_pose_out(&p, room[j]));
        for (int c = 0; c < 3; c++) most[c] = fmax(most[c], x[c]), least[c] = fmin(least[c], x[c]);
      }
      sk_store3(l, lo), sk_store3(h, hi);
      for (int c = 0; c < 3; c++) {
        double loose = s.kind == SK_MESH ? 1 : 0.01; /* the box of a mesh turns with it */
        assert_true(l[c] <= least[c] + 1e-9 && h[c] >= most[c] - 1e-9);
        assert_true(l[c] >= least[c] - loose && h[c] <= most[c] + loose);
      }
    }
  sk_shape_bounds(&solids[0], &home, &lo, &hi);
  assert_true(isinf(lo.x) && isinf(hi.z));
  sk_mesh_destroy(m);
  soup_free(&ring);
  free(room);
}

static double inertia_difference(sk_mat3 A, sk_mat3 B)
{
  double a[9], b[9];
  sk_store33(a, A), sk_store33(b, B);
  return largest_difference(a, b, 9);
}

static void test_inertia(void **state)
{
  (void)state;
  double V, W;
  sk_vec3 c;
  sk_mat3 I, J;
  sk_shape box = {.kind = SK_BOX, .edges = {0.3, 0.5, 0.8}};
  assert_true(sk_shape_inertia(&box, &V, &c, &I));
  expect_at_most(fabs(V - 0.96) + fabs(I.c[0].x - 0.96 / 3 * (0.25 + 0.64)), 1e-14, "box");
  soup s = make_box(box.edges, 3, 2);
  for (int i = 0; i < s.nv; i++) s.v[3 * i] += 5, s.v[3 * i + 2] -= 7; /* away from the origin */
  sk_mesh *m = mesh_of(&s, true);
  sk_shape mesh = {.kind = SK_MESH, .mesh = m};
  assert_true(sk_shape_inertia(&mesh, &W, &c, &J));
  expect_at_most(fabs(W - V) + sk_norm(sk_sub(c, sk_vec(5, 0, -7))) + inertia_difference(I, J), 1e-12, "mesh box");
  sk_mesh_destroy(m), soup_free(&s);
  sk_random g = sk_random_make(41); /* Monte Carlo against the formulas */
  for (int i = 1; i < PLAIN; i++) {
    double sum[10] = {0}, lim = 1.0;
    int n = 200000 / (SLOW_BUILD ? 10 : 1);
    for (int k = 0; k < n; k++) {
      sk_vec3 x = drawn(&g, lim);
      if (distance_to(&solids[i], &home, x, false) > 0) continue;
      sum[0] += 1, sum[1] += x.y * x.y + x.z * x.z, sum[2] += x.z * x.z + x.x * x.x, sum[3] += x.x * x.x + x.y * x.y;
    }
    assert_true(sk_shape_inertia(&solids[i], &V, &c, &I));
    double unit = 8 * lim * lim * lim / n, loose = SLOW_BUILD ? 0.12 : 0.04;
    expect_at_most(fabs(sum[0] * unit / V - 1), loose, "volume");
    expect_at_most(fabs(sum[1] * unit / I.c[0].x - 1), loose, "inertia about x");
    expect_at_most(fabs(sum[2] * unit / I.c[1].y - 1), loose, "inertia about y");
    expect_at_most(fabs(sum[3] * unit / I.c[2].z - 1), loose, "inertia about z");
  }
  soup ball = make_ball(60, 90, 1), open = make_sheet(4, hills);
  m = mesh_of(&ball, true), mesh.mesh = m;
  assert_true(sk_shape_inertia(&mesh, &V, &c, &I));
  expect_at_most(fabs(V / (4.0 / 3 * SK_PI) - 1) + fabs(I.c[2].z / (0.4 * V) - 1), 5e-3, "mesh ball");
  sk_mesh_destroy(m);
  m = mesh_of(&open, false), mesh.mesh = m;
  assert_false(sk_shape_inertia(&mesh, &V, &c, &I));
  assert_false(sk_shape_inertia(&solids[0], &V, &c, &I));
  assert_false(sk_shape_inertia(&solids[SOLIDS - 1], &V, &c, &I));
  sk_mesh_destroy(m);
  soup_free(&ball), soup_free(&open);
}

/* ---- Motion ---- */

static sk_vec3 spin_between(sk_quat p, sk_quat q)
{
  return sk_rotation_log(sk_mat_mul(sk_quat_frame(q), sk_transpose3(sk_quat_frame(p))));
}

/* Keys are met, the motion rests outside of them, and its velocities have no jumps. */
static void test_keys(void **state)
{
  (void)state;
  sk_random g = sk_random_make(51);
  sk_key keys[6];
  double time = 0.5;
  for (int k = 0; k < 6; k++) {
    sk_pose p = pose_drawn(&g, 1);
    keys[k] = (sk_key){time, p.r, p.q};
    time += sk_random_uniform(&g, 0.2, 1.5);
  }
  sk_path path = {.keys = keys, .key_count = 6};
  for (int k = 0; k < 6; k++) {
    sk_pose p = sk_path_pose(&path, &home, keys[k].time);
    expect_at_most(sk_norm(sk_sub(p.r, keys[k].r)) + sk_norm(spin_between(p.q, keys[k].q)), 1e-7, "key");
    double h = 1e-5;
    sk_pose b = sk_path_pose(&path, &home, keys[k].time - h), a = sk_path_pose(&path, &home, keys[k].time + h);
    sk_vec3 dv = sk_sub(sk_sub(a.r, p.r), sk_sub(p.r, b.r)),
            dw = sk_sub(spin_between(p.q, a.q), spin_between(b.q, p.q));
    expect_at_most((sk_norm(dv) + sk_norm(dw)) / h, 3e-3, "jump of velocity at a key");
    if (k == 0 || k == 5) expect_at_most(sk_norm(sk_sub(a.r, b.r)) / h, 1e-3, "rest at the ends");
  }
  sk_pose before = sk_path_pose(&path, &home, -3), after = sk_path_pose(&path, &home, 100);
  expect_at_most(sk_norm(sk_sub(before.r, keys[0].r)) + sk_norm(sk_sub(after.r, keys[5].r)), 0, "before and after");
  for (int k = 0; k < 2000; k++) { /* inside: no jumps of velocity, within the keys' bounds */
    double t = sk_random_uniform(&g, keys[0].time, keys[5].time), h = 1e-4;
    sk_pose p = sk_path_pose(&path, &home, t), q = sk_path_pose(&path, &home, t + h),
            r = sk_path_pose(&path, &home, t + 2 * h);
    sk_vec3 dv = sk_sub(sk_sub(r.r, q.r), sk_sub(q.r, p.r)),
            dw = sk_sub(spin_between(q.q, r.q), spin_between(p.q, q.q));
    expect_at_most((sk_norm(dv) + sk_norm(dw)) / h, 5e-2, "jump of velocity");
    int i = 0;
    while (i < 4 && keys[i + 1].time < t) i++;
    assert_true(p.r.x >= fmin(keys[i].r.x, keys[i + 1].r.x) - 1e-12 &&
                p.r.x <= fmax(keys[i].r.x, keys[i + 1].r.x) + 1e-12);
    expect_at_most(fabs(p.q.w * p.q.w + sk_dot(p.q.v, p.q.v) - 1), 1e-12, "unit quaternion");
  }
}

/* Two keys: smoothstep in place and angle. A steady turn through many keys does not stop at them. Equal times: no NaN.
 */
static void test_key_timing(void **state)
{
  (void)state;
  sk_key keys[5];
  for (int k = 0; k < 5; k++) keys[k] = (sk_key){k, {k, 0, 0}, sk_quat_rotation(sk_vec(0, 0, k))};
  sk_path two = {.keys = keys, .key_count = 2}, five = {.keys = keys, .key_count = 5};
  sk_pose p = sk_path_pose(&two, &home, 0.25);
  double s = 0.25 * 0.25 * (3 - 0.5);
  expect_at_most(fabs(p.r.x - s) + sk_norm(sk_sub(spin_between(home.q, p.q), sk_vec(0, 0, s))), 1e-12, "smoothstep");
  sk_pose a = sk_path_pose(&five, &home, 2.3), b = sk_path_pose(&five, &home, 2.3 + 1e-6);
  expect_at_most(fabs(spin_between(a.q, b.q).z / 1e-6 - 1) + fabs((b.r.x - a.r.x) / 1e-6 - 1), 1e-6, "steady turn");
  keys[2].time = 1;
  for (int k = 0; k <= 40; k++) {
    p = sk_path_pose(&five, &home, 0.1 * k);
    assert_true(isfinite(p.r.x + p.q.w + p.q.v.z));
  }
  p = sk_path_pose(NULL, &home, 1);
  expect_at_most(fabs(p.q.w - 1), 0, "no path");
}

static void test_waves(void **state)
{
  (void)state;
  sk_wave waves[2] = {{true, {0, 0, 1}, 0.5, 2, 0.3, 0.25, 1}, {false, {1, 0, 0}, 0.1, 1, 0, 3, 0}};
  sk_path path = {.waves = waves, .wave_count = 2};
  sk_pose base = {{1, 2, 3}, sk_quat_rotation(sk_vec(0.3, 0, 0))}, p = sk_path_pose(&path, &base, 1.7);
  double angle = 0.5 * sin(4 * SK_PI * 0.7 + 0.3) + 0.25 * 0.7, x = 0.1 * sin(2 * SK_PI * 1.7) + 3 * 1.7;
  expect_at_most(sk_norm(sk_sub(p.r, sk_vec(1 + x, 2, 3))), 1e-12, "wave of place");
  expect_at_most(sk_norm(sk_sub(spin_between(base.q, p.q), sk_vec(0, 0, angle))), 1e-12, "wave of angle");
  sk_pose a = sk_path_pose(&path, &base, 1 - 1e-9), b = sk_path_pose(&path, &base, 1 + 1e-9);
  expect_at_most(sk_norm(spin_between(a.q, b.q)), 1e-6, "jump at the start");
  sk_path turn = {.waves = waves, .wave_count = 1, .pivot = {0.1, -0.2, 0.3}};
  p = sk_path_pose(&turn, &base, 1.7);
  expect_at_most(sk_norm(sk_sub(sk_pose_out(&p, turn.pivot), sk_pose_out(&base, turn.pivot))), 1e-12,
                 "the pivot stays");
  assert_true(sk_norm(sk_sub(p.r, base.r)) > 0.01);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs),      cmocka_unit_test(test_box_overlap),
                                     cmocka_unit_test(test_standing),   cmocka_unit_test(test_bounds),
                                     cmocka_unit_test(test_inertia),    cmocka_unit_test(test_keys),
                                     cmocka_unit_test(test_key_timing), cmocka_unit_test(test_waves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
