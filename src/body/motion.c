/* Prescribed motion. Between keys, r is the cubic Hermite interpolant whose slopes are harmonic means of the secants
 * (Fritsch and Butland 1984): monotone where the keys are. The rotation is the cubic quaternion curve with given
 * angular velocities at its ends (Kim, Kim and Shin 1995),
 *     q(u) = q0 exp(w1 b1(u)) exp(w2 b2(u)) exp(w3 b3(u)),  b1 = 1 - (1 - u)^3, b2 = 3 u^2 - 2 u^3, b3 = u^3,
 * with the same means for its velocities: a slerp with the cubic's timing where the axis stays the same. Both are at
 * rest at the first and the last key, so that the motion is C1 for all times; two keys make a smoothstep. */
#include "body/inside.h"

/* Slope between two secants: 0 where they differ in sign. */
static double mean_slope(double h0, double s0, double h1, double s1)
{
  if (!(s0 * s1 > 0)) return 0;
  double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / s0 + w1 / s1);
}

/* The rotation vector, |w| <= pi, from p to q in the axes of p. */
static sk_vec3 turn_between(sk_quat p, sk_quat q)
{
  sk_quat d = sk_quat_mul(sk_quat_conj(p), q);
  if (d.w < 0) d = (sk_quat){-d.w, sk_mul(-1, d.v)};
  double s = sk_norm(d.v);
  return sk_mul(s < 1e-12 ? 2 : 2 * atan2(s, d.w) / s, d.v);
}

typedef struct velocity {
  sk_vec3 v, w; /* of the place; of the rotation, in the axes of the body */
} velocity;

/* Velocity in which key i is passed. */
static velocity key_velocity(const sk_path *p, int i)
{
  velocity out = {{0, 0, 0}, {0, 0, 0}};
  if (i <= 0 || i >= p->key_count - 1) return out;
  const sk_key *k = &p->keys[i];
  double h0 = k[0].time - k[-1].time, h1 = k[1].time - k[0].time;
  if (!(h0 > 0 && h1 > 0)) return out;
  sk_vec3 s0 = sk_mul(1 / h0, sk_sub(k[0].r, k[-1].r)), s1 = sk_mul(1 / h1, sk_sub(k[1].r, k[0].r));
  out.v = sk_vec(mean_slope(h0, s0.x, h1, s1.x), mean_slope(h0, s0.y, h1, s1.y), mean_slope(h0, s0.z, h1, s1.z));
  sk_vec3 w0 = sk_mul(1 / h0, turn_between(k[-1].q, k[0].q)), w1 = sk_mul(1 / h1, turn_between(k[0].q, k[1].q));
  double n0 = sk_norm(w0), n1 = sk_norm(w1), along = sk_dot(w0, w1);
  if (!(along > 0)) return out; /* turns back, or aside: stops */
  double speed = mean_slope(h0, n0, h1, n1) * along / (n0 * n1);
  out.w = sk_mul(speed, sk_unit(sk_add(sk_mul(1 / n0, w0), sk_mul(1 / n1, w1))));
  return out;
}

static sk_pose between(const sk_path *p, int i, double t)
{
  const sk_key *k = &p->keys[i];
  double h = k[1].time - k[0].time, u = sk_clamp01((t - k[0].time) / h), m = 1 - u;
  velocity v0 = key_velocity(p, i), v1 = key_velocity(p, i + 1);
  double b1 = 1 - m * m * m, b2 = u * u * (3 - 2 * u), b3 = u * u * u;
  sk_pose out;
  out.r = sk_axpy(k[0].r, b2, sk_sub(k[1].r, k[0].r));
  out.r = sk_axpy(sk_axpy(out.r, h * u * m * m, v0.v), -h * u * u * m, v1.v);
  sk_vec3 w1 = sk_mul(h / 3, v0.w), w3 = sk_mul(h / 3, v1.w);
  sk_quat to = sk_quat_mul(k[1].q, sk_quat_rotation(sk_mul(-1, w3)));
  sk_vec3 w2 = turn_between(sk_quat_mul(k[0].q, sk_quat_rotation(w1)), to);
  sk_quat q = sk_quat_mul(k[0].q, sk_quat_rotation(sk_mul(b1, w1)));
  q = sk_quat_mul(q, sk_quat_rotation(sk_mul(b2, w2)));
  out.q = sk_quat_unit(sk_quat_mul(q, sk_quat_rotation(sk_mul(b3, w3))));
  return out;
}

static sk_pose keyed(const sk_path *p, double t)
{
  const sk_key *first = &p->keys[0], *last = &p->keys[p->key_count - 1];
  if (!(t > first->time)) return (sk_pose){first->r, first->q};
  if (!(t < last->time)) return (sk_pose){last->r, last->q};
  int lo = 0, hi = p->key_count - 1;
  while (hi - lo > 1) {
    int mid = lo + (hi - lo) / 2;
    if (p->keys[mid].time <= t) lo = mid;
    else hi = mid;
  }
  return between(p, lo, t);
}

/* amplitude sin(2 pi f t + phase) + rate t, t from the start on; before, the value at the start. */
static double wave_value(const sk_wave *w, double t)
{
  double since = t > w->start ? t - w->start : 0;
  return w->amplitude * sin(2 * SK_PI * w->frequency * since + w->phase) + w->rate * since;
}

sk_pose sk_path_pose(const sk_path *path, const sk_pose *base, double t)
{
  if (!path) return *base;
  sk_pose pose = path->key_count > 0 ? keyed(path, t) : *base;
  for (int k = 0; k < path->wave_count; k++) {
    const sk_wave *w = &path->waves[k];
    sk_vec3 offset = sk_mul(wave_value(w, t), w->axis);
    if (w->turns) pose.q = sk_quat_unit(sk_quat_mul(sk_quat_rotation(offset), pose.q));
    else pose.r = sk_add(pose.r, offset);
  }
  if (sk_norm(path->pivot) > 0) {
    sk_vec3 arm = sk_sub(sk_pose_out(base, path->pivot), base->r);
    pose.r = sk_add(pose.r, sk_sub(arm, sk_sub(sk_pose_out(&pose, path->pivot), pose.r)));
  }
  return pose;
}
