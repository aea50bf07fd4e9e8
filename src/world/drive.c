/* What is prescribed in a step: where held ends and bodies go. */
#include "world/world.h"

#include <string.h>

/* ---- Poses ---- */

static skein_pose pose_to(const sk_pose *p)
{
  skein_pose out;
  sk_mat3 R = sk_quat_frame(p->q);
  sk_store3(out.r, p->r);
  for (int k = 0; k < 3; k++) sk_store3(out.d[k], R.c[k]);
  return out;
}

static bool path_moves(const sk_path *path)
{
  return path->key_count > 0 || path->wave_count > 0;
}

/* p carried along by a body that went from one pose to another. */
static sk_pose carried(const sk_pose *p, const sk_pose *from, const sk_pose *to)
{
  sk_quat turn = sk_quat_mul(to->q, sk_quat_conj(from->q));
  sk_vec3 r = sk_add(to->r, sk_apply(sk_quat_frame(turn), sk_sub(p->r, from->r)));
  return (sk_pose){r, sk_quat_unit(sk_quat_mul(turn, p->q))};
}

sk_pose sk_body_pose_at(const sk_model *m, int body, double time)
{
  const sk_scene_body *b = m->scene->bodies + body;
  return b->mode == SK_PRESCRIBED ? sk_path_pose(&b->path, &b->pose, time) : b->pose;
}

/* With its body, or along its own path. */
sk_pose sk_end_pose(const sk_model *m, const sk_surfaces *surfaces, int i, bool tip, double time)
{
  const sk_model_rod *rod = m->rods + i;
  const sk_scene_rod *from = m->scene->rods + rod->source;
  int body = tip ? from->tip_body : from->root_body;
  const sk_pose *base = tip ? &rod->tip_base : &rod->root_base;
  if (body < 0) { /* keys are moves and turns from the pose at the start */
    const sk_pose still = {{0, 0, 0}, {1, {0, 0, 0}}};
    sk_pose move = sk_path_pose(tip ? &from->tip_path : &from->root_path, &still, time);
    return (sk_pose){sk_add(base->r, move.r), sk_quat_unit(sk_quat_mul(move.q, base->q))};
  }
  sk_pose to = sk_body_pose_at(m, body, time);
  if (!sk_surface_deforms(surfaces, body)) return carried(base, &m->scene->bodies[body].pose, &to);
  sk_pose at = sk_surface_anchored(surfaces, m, rod->source, tip, body, time);
  return (sk_pose){sk_pose_out(&to, at.r), sk_quat_unit(sk_quat_mul(to.q, at.q))};
}

bool sk_end_is_driven(const sk_model *m, const sk_scene_rod *rod, bool tip)
{
  int body = tip ? rod->tip_body : rod->root_body;
  if ((tip ? rod->def.tip : rod->def.root) == SKEIN_FREE) return false;
  if (body < 0) return path_moves(tip ? &rod->tip_path : &rod->root_path);
  return m->scene->bodies[body].mode == SK_PRESCRIBED;
}

bool sk_end_moves(const sk_model *m, const sk_surfaces *surfaces, const sk_state *s, int i, double dt)
{
  for (int tip = 0; tip < 2; tip++) {
    if (!(tip ? m->rods[i].tip_driven : m->rods[i].root_driven)) continue;
    sk_pose now = sk_end_pose(m, surfaces, i, tip, sk_path_time(s, 0)),
            next = sk_end_pose(m, surfaces, i, tip, sk_path_time(s, dt));
    if (memcmp(&now, &next, sizeof now) != 0) return true;
  }
  return false;
}

sk_mat3 sk_body_inertia(const sk_model *m, int body, const sk_pose *pose)
{
  sk_mat3 R = sk_quat_frame(pose->q);
  return sk_mat_mul(sk_mat_mul(R, m->scene->bodies[body].inertia), sk_transpose3(R));
}

/* ---- The step ---- */

/* Held ends stay where they are or go where they are driven. */
static skein_status drive_rod(sk_attempt *w, int i, double time)
{
  sk_rod_drive *d = &w->rods[i].drive;
  const sk_model_rod *rod = w->model->rods + i;
  skein_status s = sk_ok();
  sk_rod_stay(w->rods[i].x, d);
  for (int tip = 0; tip < 2 && s.code == SKEIN_OK; tip++) {
    if (!(tip ? rod->tip_driven : rod->root_driven)) continue;
    sk_pose pose = sk_end_pose(w->model, w->surfaces, i, tip, time);
    *(tip ? &d->tip_next : &d->root_next) = pose_to(&pose);
    s = sk_pose_check(tip ? "tip" : "root", tip ? &d->tip_next : &d->root_next);
  }
  return s;
}

static void drive_body(sk_attempt *w, int i, double time)
{
  const sk_body_state *now = w->now->body + i;
  sk_body_motion *b = w->bodies + i;
  double dt = w->plan.dt;
  *b = (sk_body_motion){now->pose, now->pose, now->v, now->w};
  if (w->model->scene->bodies[i].mode != SK_PRESCRIBED) return;
  b->next = sk_body_pose_at(w->model, i, time);
  b->v = sk_mul(1 / dt, sk_sub(b->next.r, b->pose.r));
  sk_mat3 turn = sk_quat_frame(sk_quat_mul(b->next.q, sk_quat_conj(b->pose.q)));
  b->w = sk_mul(1 / dt, sk_rotation_log(turn));
}

skein_status sk_attempt_drive(sk_attempt *w)
{
  double time = sk_path_time(w->now, w->plan.dt);
  skein_status s = sk_ok();
  for (int i = 0; i < w->model->rod_count && s.code == SKEIN_OK; i++) s = drive_rod(w, i, time);
  if (s.code == SKEIN_OK) s = sk_attempt_load(w);
  for (int i = 0; i < w->model->scene->body_count; i++) drive_body(w, i, time);
  sk_surfaces_move(w);
  return s;
}
