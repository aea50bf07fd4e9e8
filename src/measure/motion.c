/* What moves between two frames, and how rods rub on bodies. */
#include "measure/measure.h"

#include <math.h>

static skein_status vet_both(const skein_frame *before, const skein_frame *f)
{
  skein_status s = sk_frame_vet(before);
  if (s.code == SKEIN_OK) s = sk_frame_vet(f);
  if (s.code == SKEIN_OK && !sk_frames_agree(before, f))
    s = sk_fail(SKEIN_BAD_INPUT, "the two frames have different rods");
  return s;
}

skein_status skein_measure_motion(const skein_frame *before, const skein_frame *f, skein_motion *out)
{
  double sum = 0, time = f->time - before->time, root = 0;
  *out = (skein_motion){0};
  skein_status s = vet_both(before, f);
  if (s.code != SKEIN_OK || f->rods == 0) return s;
  for (int i = 0; i < f->rods; i++)
    for (int k = 0; k <= SK_MEASURE_SAMPLES; k++) {
      double t = (double)k / SK_MEASURE_SAMPLES;
      double way = sk_norm(sk_sub(sk_frame_at(f, i, t), sk_frame_at(before, i, t)));
      if (k == 0) root = fmax(root, way);
      out->shift = fmax(out->shift, way), sum += way * way;
    }
  if (!(time > 0)) return s;
  out->root_speed = root / time, out->fastest = out->shift / time;
  out->speed = sqrt(sum / ((double)f->rods * (SK_MEASURE_SAMPLES + 1))) / time;
  return s;
}

/* ---- Rods on bodies ---- */

/* A place of the world in the axes of body b. */
static sk_vec3 in_body(const skein_frame *f, int b, sk_vec3 x)
{
  const double *pose = f->body_pose + 7 * (size_t)b;
  return sk_apply_t(sk_quat_frame(sk_quat_unit((sk_quat){pose[3], sk_load3(pose + 4)})), sk_sub(x, sk_load3(pose)));
}

/* The way of the rod's own point at share t along body b, since `before`; n: the normal now. */
static double slip_of(const skein_frame *before, const skein_frame *f, int rod, double t, int b, sk_vec3 n)
{
  const double *pose = f->body_pose + 7 * (size_t)b;
  sk_mat3 R = sk_quat_frame(sk_quat_unit((sk_quat){pose[3], sk_load3(pose + 4)}));
  sk_vec3 d = sk_sub(in_body(f, b, sk_frame_at(f, rod, t)), in_body(before, b, sk_frame_at(before, rod, t)));
  sk_vec3 way = sk_apply(R, d);
  return sk_norm(sk_axpy(way, -sk_dot(way, n), n));
}

skein_status skein_measure_rubs(const skein_frame *before, const skein_frame *f, double outer, skein_rub *rubs)
{
  skein_status s = vet_both(before, f);
  if (s.code != SKEIN_OK) return s;
  if (!(outer >= 0 && outer <= 1)) return sk_fail(SKEIN_BAD_INPUT, "outer is %g, expected 0 to 1", outer);
  for (int i = 0; i < f->rods; i++) rubs[i] = (skein_rub){.status = -1};
  for (int c = 0; c < f->contacts; c++) {
    int rod = f->contact_object[2 * c], body = f->contact_object[2 * c + 1] - f->rods;
    if (rod >= f->rods || body < 0) continue; /* rods come first */
    double length = sk_frame_length(f, rod), t = length > 0 ? f->contact_s[2 * c] / length : 0;
    if (t < outer) continue;
    sk_vec3 n = sk_load3(f->contact_normal + 3 * (size_t)c), r = sk_load3(f->contact_impulse + 3 * (size_t)c);
    skein_rub *rub = rubs + rod;
    rub->contacts++, rub->status = SK_MAX(rub->status, f->contact_status[c]);
    rub->slip += slip_of(before, f, rod, t, body, n);
    if (f->dt > 0) rub->force += sk_dot(r, n) / f->dt;
  }
  for (int i = 0; i < f->rods; i++)
    if (rubs[i].contacts > 0) rubs[i].slip /= rubs[i].contacts;
  return s;
}
