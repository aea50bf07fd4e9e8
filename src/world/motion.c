/* What moves by itself: held ends, prescribed bodies, events, rigid bodies. */
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

/* ---- Poses ---- */

static sk_pose pose_from(const skein_pose *p)
{
  sk_mat3 R = {{sk_load3(p->d[0]), sk_load3(p->d[1]), sk_load3(p->d[2])}};
  return (sk_pose){sk_load3(p->r), sk_frame_quat(R)};
}

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

static sk_pose body_pose_at(const skein_world *w, int body, double time)
{
  const sk_scene_body *b = w->scene->bodies + body;
  return b->mode == SK_PRESCRIBED ? sk_path_pose(&b->path, &b->pose, time) : b->pose;
}

/* Where a held end is at that time: with its body, or along its own path. */
static sk_pose end_pose_at(const skein_world *w, const sk_strand *strand, bool tip, double time)
{
  const sk_scene_rod *rod = w->scene->rods + strand->source;
  int body = tip ? rod->tip_body : rod->root_body;
  const sk_pose *base = tip ? &strand->tip_base : &strand->root_base;
  if (body < 0) { /* keys are moves and turns from the pose at the start */
    const sk_pose still = {{0, 0, 0}, {1, {0, 0, 0}}};
    sk_pose m = sk_path_pose(tip ? &rod->tip_path : &rod->root_path, &still, time);
    return (sk_pose){sk_add(base->r, m.r), sk_quat_unit(sk_quat_mul(m.q, base->q))};
  }
  sk_pose to = body_pose_at(w, body, time);
  if (!sk_world_deforms(w, body)) return carried(base, &w->scene->bodies[body].pose, &to);
  sk_pose at = sk_world_anchored(w, strand->source, tip, body, time);
  return (sk_pose){sk_pose_out(&to, at.r), sk_quat_unit(sk_quat_mul(to.q, at.q))};
}

static bool end_is_driven(const skein_world *w, const sk_scene_rod *rod, bool tip)
{
  int body = tip ? rod->tip_body : rod->root_body;
  if ((tip ? rod->def.tip : rod->def.root) == SKEIN_FREE) return false;
  if (body < 0) return path_moves(tip ? &rod->tip_path : &rod->root_path);
  return w->scene->bodies[body].mode == SK_PRESCRIBED;
}

/* Ends on a surface that deforms, bound to it where they are at the start. */
static void bind_ends(skein_world *w, const sk_strand *strand)
{
  const sk_scene_rod *rod = w->scene->rods + strand->source;
  for (int tip = 0; tip < 2; tip++) {
    int body = tip ? rod->tip_body : rod->root_body;
    if (body >= 0 && sk_world_deforms(w, body))
      sk_world_anchor(w, strand->source, tip, body, tip ? &strand->tip_base : &strand->root_base);
  }
}

static skein_status drive_strand(skein_world *w, const sk_strand *strand, double time)
{
  sk_pose root, tip;
  skein_pose to_root, to_tip;
  if (strand->root_driven) root = end_pose_at(w, strand, false, time), to_root = pose_to(&root);
  if (strand->tip_driven) tip = end_pose_at(w, strand, true, time), to_tip = pose_to(&tip);
  return skein_rod_drive(strand->rod, strand->root_driven ? &to_root : NULL, strand->tip_driven ? &to_tip : NULL);
}

skein_status sk_world_drive(skein_world *w, double dt)
{
  skein_status s = sk_world_load(w, dt);
  double time = sk_world_path_time(w, dt);
  for (int i = 0; i < w->strand_count && s.code == SKEIN_OK; i++) s = drive_strand(w, w->strands + i, time);
  for (int i = 0; i < w->scene->body_count; i++) {
    sk_body_state *b = w->bodies + i;
    if (w->scene->bodies[i].mode != SK_PRESCRIBED) continue;
    b->next = body_pose_at(w, i, time);
    b->v = sk_mul(1 / dt, sk_sub(b->next.r, b->pose.r));
    sk_mat3 turn = sk_quat_frame(sk_quat_mul(b->next.q, sk_quat_conj(b->pose.q)));
    b->w = sk_mul(1 / dt, sk_rotation_log(turn));
  }
  sk_world_deform(w, dt);
  return s;
}

bool sk_world_end_moves(const skein_world *w, int i, double dt)
{
  const sk_strand *strand = w->strands + i;
  for (int tip = 0; tip < 2; tip++) {
    if (!(tip ? strand->tip_driven : strand->root_driven)) continue;
    sk_pose now = end_pose_at(w, strand, tip, sk_world_path_time(w, 0)),
            next = end_pose_at(w, strand, tip, sk_world_path_time(w, dt));
    if (memcmp(&now, &next, sizeof now) != 0) return true;
  }
  return false;
}

/* ---- Start ---- */

/* The rod moves with its held root, or with the velocity that the scene gives it. */
static skein_status start_velocity(skein_world *w, sk_strand *strand, double dt, double *x, double *v)
{
  skein_rod *rod = strand->rod;
  const sk_scene_rod *from = w->scene->rods + strand->source;
  sk_vec3 move = sk_load3(from->velocity), spin = {0, 0, 0}, about = strand->root_base.r;
  skein_rod_state(rod, x, v);
  for (int tip = 0; tip < 2; tip++) {
    if (!(tip ? strand->tip_driven : strand->root_driven)) continue;
    sk_pose at = end_pose_at(w, strand, tip, w->time), next = end_pose_at(w, strand, tip, w->time + dt);
    sk_vec3 velocity = sk_mul(1 / dt, sk_sub(next.r, at.r));
    sk_vec3 turn = sk_mul(1 / dt, sk_rotation_log(sk_quat_frame(sk_quat_mul(next.q, sk_quat_conj(at.q)))));
    sk_store3(x + (tip ? SK_TIP_V : SK_ROOT_V), velocity), sk_store3(x + (tip ? SK_TIP_V : SK_ROOT_V) + 3, turn);
    if (!tip) move = velocity, spin = turn;
  }
  sk_rod_rigid_velocity(rod, x, move, spin, about, v);
  return skein_rod_set_state(rod, x, v);
}

skein_status sk_world_launch(skein_world *w)
{
  skein_status s = sk_ok();
  int nx = 1;
  for (int i = 0; i < w->strand_count; i++) nx = SK_MAX(nx, w->strands[i].rod->nx + w->strands[i].rod->n);
  double *x = sk_calloc(2 * (size_t)nx, sizeof *x);
  if (!x) return sk_no_memory();
  for (int i = 0; i < w->strand_count && s.code == SKEIN_OK; i++)
    s = start_velocity(w, w->strands + i, w->scene->step.dt, x, x + nx);
  free(x);
  for (int i = 0; i < w->scene->body_count; i++) {
    const sk_scene_body *b = w->scene->bodies + i;
    if (b->mode == SK_DYNAMIC) w->bodies[i].v = b->velocity, w->bodies[i].w = b->spin;
  }
  sk_world_wake_all(w);
  w->energy_scale = fmax(w->energy_scale, sk_world_scale(w));
  return s;
}

skein_status sk_world_start(skein_world *w)
{
  for (int i = 0; i < w->strand_count; i++) {
    sk_strand *strand = w->strands + i;
    const sk_scene_rod *rod = w->scene->rods + strand->source;
    const double *tip = strand->rod->x + SK_TIP;
    strand->root_base = pose_from(&rod->def.pose);
    strand->tip_base = (sk_pose){sk_load3(tip), sk_frame_quat(sk_load33(tip + 3))};
    bind_ends(w, strand);
    strand->root_driven = end_is_driven(w, rod, false), strand->tip_driven = end_is_driven(w, rod, true);
  }
  for (int i = 0; i < w->scene->body_count; i++) {
    w->bodies[i] = (sk_body_state){.pose = body_pose_at(w, i, 0)};
    w->bodies[i].next = w->bodies[i].pose;
  }
  return sk_world_settling(w) ? sk_ok() : sk_world_launch(w);
}

/* ---- Rigid bodies ---- */

sk_mat3 sk_world_inertia(const skein_world *w, int body)
{
  sk_mat3 R = sk_quat_frame(w->bodies[body].pose.q);
  return sk_mat_mul(sk_mat_mul(R, w->scene->bodies[body].inertia), sk_transpose3(R));
}

/* Poses at the end of the step; v0, w0: velocities before it, of dynamic ones. */
void sk_world_move_bodies(skein_world *w, const sk_body_state *before, double dt)
{
  double theta = w->scene->step.theta;
  for (int i = 0; i < w->scene->body_count; i++) {
    sk_body_state *b = w->bodies + i;
    if (w->scene->bodies[i].mode == SK_PRESCRIBED) b->pose = b->next;
    if (w->scene->bodies[i].mode != SK_DYNAMIC || sk_world_asleep(w, w->strand_count + i)) continue;
    sk_vec3 v = sk_add(sk_mul(theta, b->v), sk_mul(1 - theta, before[i].v));
    sk_vec3 spin = sk_add(sk_mul(theta, b->w), sk_mul(1 - theta, before[i].w));
    b->pose.r = sk_axpy(b->pose.r, dt, v);
    b->pose.q = sk_quat_unit(sk_quat_mul(sk_quat_rotation(sk_mul(dt, spin)), b->pose.q));
  }
}

/* ---- Events ---- */

static skein_status release(skein_world *w, const sk_event *e)
{
  skein_status s = sk_ok();
  for (int i = 0; i < w->strand_count && s.code == SKEIN_OK; i++) {
    sk_strand *strand = w->strands + i;
    bool tip = e->kind == SK_EVENT_RELEASE_TIP;
    if (strand->source < e->rod_first || strand->source >= e->rod_first + e->rod_count) continue;
    if ((tip ? strand->rod->def.tip : strand->rod->def.root) == SKEIN_FREE) continue;
    skein_rod *freed;
    s = sk_rod_release(strand->rod, tip, &freed);
    if (s.code != SKEIN_OK) break;
    skein_rod_destroy(strand->rod);
    strand->rod = freed;
    if (tip) strand->tip_driven = false;
    else strand->root_driven = false, strand->rooted_in = -1;
  }
  return s;
}

/* One rod becomes two; the second one stands at the end of the list. */
static skein_status cut(skein_world *w, const sk_event *e)
{
  skein_status s = sk_ok();
  int count = w->strand_count;
  for (int i = 0; i < count && s.code == SKEIN_OK; i++) {
    sk_strand *strand = w->strands + i;
    if (strand->source < e->rod_first || strand->source >= e->rod_first + e->rod_count) continue;
    skein_rod *near, *far;
    double share = e->s / w->scene->rods[strand->source].def.length; /* of what earlier cuts have left of it, too */
    s = sk_rod_cut(strand->rod, share * strand->rod->def.length, &near, &far);
    if (s.code != SKEIN_OK) break;
    sk_strand *more = realloc(w->strands, sizeof *more * (size_t)(w->strand_count + 1));
    if (!more) {
      skein_rod_destroy(near), skein_rod_destroy(far);
      return sk_no_memory();
    }
    w->strands = more, strand = more + i;
    sk_rest *rest = realloc(w->rest, sizeof *rest * (size_t)(w->strand_count + 1 + w->scene->body_count));
    if (!rest) {
      skein_rod_destroy(near), skein_rod_destroy(far);
      return sk_no_memory();
    }
    w->rest = rest, rest[w->strand_count + w->scene->body_count] = (sk_rest){0, 0};
    skein_rod_destroy(strand->rod);
    more[w->strand_count] = *strand;
    more[w->strand_count].rod = far, more[w->strand_count].root_driven = false;
    more[w->strand_count].rooted_in = -1;
    more[w->strand_count].begin = strand->begin + near->def.length;
    strand->rod = near, strand->tip_driven = false, strand->cut_off = w->strand_count;
    w->strand_count++;
    for (int k = 0; k < w->strand_count; k++)
      w->strands[k].rooted_in += w->strands[k].rooted_in >= 0; /* bodies move up */
  }
  return s;
}

skein_status sk_world_apply_events(skein_world *w)
{
  skein_status s = sk_ok();
  double slack = 1e-9 * w->scene->step.dt;
  for (; w->next_event < w->scene->event_count && s.code == SKEIN_OK; w->next_event++) {
    const sk_event *e = w->scene->events + w->next_event;
    if (e->time > w->time + slack) break;
    sk_world_wake_all(w);
    if (e->kind == SK_EVENT_GRAVITY) memcpy(w->env.gravity, e->value, sizeof e->value);
    if (e->kind == SK_EVENT_WIND) memcpy(w->env.wind, e->value, sizeof e->value);
    if (e->kind == SK_EVENT_RELEASE_ROOT || e->kind == SK_EVENT_RELEASE_TIP) s = release(w, e);
    if (e->kind == SK_EVENT_CUT)
      s = cut(w, e), w->touches.count = 0, sk_world_pulls_follow(w); /* objects have new numbers */
    w->calm = 0;
  }
  return s;
}
