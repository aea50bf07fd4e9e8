/* How a world begins: where rods and bodies are, what their held ends go with, and the velocities of the scene. */
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sk_pose pose_from(const skein_pose *p)
{
  sk_mat3 R = {{sk_load3(p->d[0]), sk_load3(p->d[1]), sk_load3(p->d[2])}};
  return (sk_pose){sk_load3(p->r), sk_frame_quat(R)};
}

/* Ends on a surface that deforms, bound to it where they are at the start. */
static void bind_ends(skein_world *w, const sk_model_rod *rod)
{
  const sk_scene_rod *from = w->model.scene->rods + rod->source;
  for (int tip = 0; tip < 2; tip++) {
    int body = tip ? from->tip_body : from->root_body;
    if (body >= 0 && sk_surface_deforms(w->surfaces, body))
      sk_surface_anchor(w->surfaces, &w->model, rod->source, tip, body, tip ? &rod->tip_base : &rod->root_base);
  }
}

/* The rod moves with its held root, or with the velocity that the scene gives it. x, v: of it in the state. */
static skein_status start_velocity(skein_world *w, int i, double dt, double *x, double *v)
{
  const sk_model_rod *rod = w->model.rods + i;
  const sk_scene_rod *from = w->model.scene->rods + rod->source;
  sk_vec3 move = sk_load3(from->velocity), spin = {0, 0, 0}, about = rod->root_base.r;
  double time = sk_now(w)->time;
  for (int tip = 0; tip < 2; tip++) {
    if (!(tip ? rod->tip_driven : rod->root_driven)) continue;
    sk_pose at = sk_end_pose(&w->model, w->surfaces, i, tip, time),
            next = sk_end_pose(&w->model, w->surfaces, i, tip, time + dt);
    sk_vec3 velocity = sk_mul(1 / dt, sk_sub(next.r, at.r));
    sk_vec3 turn = sk_mul(1 / dt, sk_rotation_log(sk_quat_frame(sk_quat_mul(next.q, sk_quat_conj(at.q)))));
    sk_store3(x + (tip ? SK_TIP_V : SK_ROOT_V), velocity), sk_store3(x + (tip ? SK_TIP_V : SK_ROOT_V) + 3, turn);
    if (!tip) move = velocity, spin = turn;
  }
  sk_rod_rigid_velocity(rod->rod, x, move, spin, about, v);
  return sk_rod_state_check(rod->rod, x, v);
}

skein_status sk_world_launch(skein_world *w)
{
  skein_status s = sk_ok();
  const sk_model *m = &w->model;
  sk_state *now = sk_now(w);
  for (int i = 0; i < m->rod_count && s.code == SKEIN_OK; i++)
    s = start_velocity(w, i, m->scene->step.dt, now->x + m->rods[i].x, now->v + m->rods[i].v);
  for (int i = 0; i < m->scene->body_count; i++) {
    const sk_scene_body *b = m->scene->bodies + i;
    if (b->mode == SK_DYNAMIC) now->body[i].v = b->velocity, now->body[i].w = b->spin;
  }
  sk_wake_all(m, now);
  now->able = sk_able_start(m, &w->live, now);
  now->energy_scale = fmax(now->energy_scale, sk_model_energy_scale(m, &w->live, now));
  sk_world_show(w);
  return s;
}

/* The first body that a held root is in at the start (touching is not enough), and where the rod has left it, with a
 * little grace. */
static void find_root(skein_world *w, int i)
{
  sk_model_rod *p = w->model.rods + i;
  const sk_rod *rod = p->rod;
  const sk_state *now = sk_now(w);
  double radius = now->growth * p->radius;
  for (int b = 0; rod->def.root != SKEIN_FREE && p->rooted_in < 0 && b < w->model.scene->body_count; b++) {
    double at = 0, step = fmin(radius, rod->def.length);
    for (sk_near near; at <= rod->def.length; at += step) {
      sk_vec3 r;
      sk_mat3 R;
      rod->ops->pose(rod, now->x + p->x, at, &r, &R);
      bool found = sk_shape_point(sk_surface_now(w->surfaces, &w->model, b), &now->body[b].pose, r, radius, &near);
      if (!found || near.distance > sk_limit.roots.inside * radius) break;
    }
    if (at > 0) p->rooted_in = b, p->rooted_until = at + sk_limit.roots.grace * radius;
  }
}

static void place_rod(skein_world *w, int i)
{
  sk_model_rod *rod = w->model.rods + i;
  const sk_scene_rod *from = w->model.scene->rods + rod->source;
  sk_state *now = sk_now(w);
  memcpy(now->x + rod->x, rod->rod->start_x, sizeof(double) * (size_t)rod->rod->nx);
  const double *tip = rod->rod->start_x + SK_TIP;
  rod->root_base = pose_from(&from->def.pose);
  rod->tip_base = (sk_pose){sk_load3(tip), sk_frame_quat(sk_load33(tip + 3))};
  bind_ends(w, rod);
  rod->root_driven = sk_end_is_driven(&w->model, from, false);
  rod->tip_driven = sk_end_is_driven(&w->model, from, true);
}

skein_status sk_world_start(skein_world *w)
{
  sk_state *now = sk_now(w);
  double settle = w->model.scene->step.settle;
  if (settle > 0) now->time = -settle;
  for (int i = 0; i < w->model.rod_count; i++) place_rod(w, i);
  for (int i = 0; i < w->model.scene->body_count; i++)
    now->body[i] = (sk_body_state){.pose = sk_body_pose_at(&w->model, i, 0)};
  skein_status s = sk_settling(now) ? sk_ok() : sk_world_launch(w);
  for (int i = 0; i < w->model.rod_count && !sk_stop_asked(&w->stop); i++) find_root(w, i);
  now->energy_scale = sk_model_energy_scale(&w->model, &w->live, now);
  return s;
}
