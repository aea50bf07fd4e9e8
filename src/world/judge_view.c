/* The step as the judge sees it: the only place where the two know each other. */
#include "world/judge.h"
#include "world/world.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* Velocities of all rods before the step. */
static void fill_velocities(const skein_world *w, sk_judge_rod *rods, sk_vec3 *velocity, sk_arena *arena)
{
  size_t points = 1, states = 1, threads = (size_t)w->threads;
  for (int i = 0; i < w->strand_count; i++) {
    points = SK_MAX(points, (size_t)rods[i].count + 1), states = SK_MAX(states, (size_t)rods[i].rod->nx);
  }
  sk_vec3 *places = SK_NEW_RAW(arena, threads * points, sk_vec3);
  double *moved = SK_NEW_RAW(arena, threads * states, double);
  if (arena->failed) return;
#pragma omp parallel for num_threads(sk_world_team(w, w->strand_count, 16)) schedule(dynamic, 16)
  for (int i = 0; i < w->strand_count; i++) {
    size_t t = (size_t)omp_get_thread_num();
    if (!rods[i].asleep)
      sk_judge_velocities(rods + i, w->scene->step.theta, moved + t * states, places + t * points,
                          velocity + 2 * (rods[i].first + i));
  }
}

static sk_judge_rod *view_rods(const skein_world *w, sk_arena *arena)
{
  sk_vec3 *velocity = SK_NEW(arena, 2 * ((size_t)w->piece_count + (size_t)w->strand_count), sk_vec3);
  sk_judge_rod *rods = SK_NEW_RAW(arena, w->strand_count, sk_judge_rod);
  const double *saved = w->saved;
  for (int i = 0; rods && i < w->strand_count; i++) {
    const sk_strand *s = w->strands + i;
    int at = s->first + i;
    rods[i] = (sk_judge_rod){.rod = s->rod,
                             .x0 = saved,
                             .x1 = s->rod->x,
                             .r0 = w->points + at,
                             .r1 = w->after + at,
                             .velocity = velocity + 2 * at,
                             .free = w->free + at,
                             .first = s->first,
                             .count = s->pieces * s->rod->def.elements,
                             .rooted_in = s->rooted_in,
                             .cut_off = s->cut_off,
                             .rooted_until = s->rooted_until,
                             .radius = s->radius,
                             .straight = s->rod->def.model != SKEIN_SUPER_HELIX,
                             .asleep = sk_world_asleep(w, i)};
    saved += s->rod->nx + s->rod->n;
  }
  if (!arena->failed) fill_velocities(w, rods, velocity, arena);
  return rods;
}

static double size_of(const sk_shape *shape, const sk_pose *pose)
{
  sk_vec3 lo, hi;
  if (shape->kind == SK_PLANE) return HUGE_VAL;
  sk_shape_bounds(shape, pose, &lo, &hi);
  return sk_norm(sk_sub(hi, lo));
}

static sk_judge_body *view_bodies(const skein_world *w, double dt, sk_arena *arena)
{
  sk_judge_body *bodies = SK_NEW_RAW(arena, w->scene->body_count, sk_judge_body);
  for (int i = 0; bodies && i < w->scene->body_count; i++) {
    const sk_scene_body *b = w->scene->bodies + i;
    const sk_body_state *before = w->saved_bodies + i, *after = w->bodies + i;
    bodies[i] = (sk_judge_body){.shape0 = sk_world_shape(w, i),
                                .shape1 = sk_world_shape_after(w, i),
                                .pose0 = before->pose,
                                .pose1 = after->pose,
                                .v0 = before->v,
                                .w0 = before->w,
                                .v1 = after->v,
                                .w1 = after->w,
                                .inertia = b->inertia,
                                .mass = b->mass,
                                .size = size_of(&b->shape, &(sk_pose){.q = {1, {0, 0, 0}}}),
                                .surface = sk_world_surface_speed(w, i) * dt,
                                .group = b->group,
                                .dynamic = b->mode == SK_DYNAMIC,
                                .asleep = sk_world_asleep(w, w->strand_count + i)};
  }
  return bodies;
}

/* Way along the normal in the linear problem: the mean of what it had before and after it, as the scheme has it. */
static sk_judge_contact view_contact(const skein_world *w, int k, double dt)
{
  const sk_touch *t = w->tried.at + k;
  double theta = w->scene->step.theta, after = w->solution.u[3 * k] - t->offset;
  sk_judge_contact c = {.a = t->a,
                        .b = t->b,
                        .sa = t->sa,
                        .sb = t->sb,
                        .gap = t->gap,
                        .restitution = t->restitution,
                        .point_a = t->point_a,
                        .point_b = t->point_b,
                        .normal = t->frame[0],
                        .impulse = t->impulse,
                        .way = t->axial ? NAN : dt * (theta * after + (1 - theta) * t->u_before[0])};
  for (int d = 0; d < 3; d++) c.u_before = sk_axpy(c.u_before, t->u_before[d], t->frame[d]);
  return c;
}

static sk_judge_contact *view_contacts(const skein_world *w, double dt, int count, sk_arena *arena)
{
  sk_judge_contact *c = SK_NEW_RAW(arena, count, sk_judge_contact);
#pragma omp parallel for num_threads(sk_world_team(w, count, 256)) schedule(static, 256)
  for (int k = 0; k < (c ? count : 0); k++) c[k] = view_contact(w, k, dt);
  return c;
}

static sk_judge_force *view_forces(const skein_world *w, int *count, sk_arena *arena)
{
  int most = w->pull_count, n = 0;
  for (int i = 0; i < w->strand_count; i++) most += w->strands[i].rod->load_count;
  sk_judge_force *f = SK_NEW_RAW(arena, most, sk_judge_force);
  for (int i = 0; f && i < w->strand_count; i++)
    for (int k = 0; k < w->strands[i].rod->load_count; k++) {
      const skein_rod_load *load = w->strands[i].rod->loads + k;
      f[n++] = (sk_judge_force){.rod = i, .s = load->s, .force = sk_load3(load->force)};
    }
  for (int k = 0; f && k < w->pull_count; k++) {
    const sk_pull *p = w->pulls + k;
    f[n++] = (sk_judge_force){.rod = p->rod, .s = p->s, .stiffness = p->stiffness, .target = p->target};
  }
  *count = n;
  return f;
}

skein_status sk_world_judge(skein_world *w, skein_step_info *info)
{
  bool distances = w->scene->step.rigid != SK_RIGID_VELOCITY;
  sk_judge_input in = {.pieces = w->pieces,
                       .piece_count = w->piece_count,
                       .meets = w->meets,
                       .dt = info->dt,
                       .theta = w->scene->step.theta,
                       .error = info->error,
                       .tol = info->tol,
                       .g = sk_load3(w->env.gravity),
                       .wind = sk_load3(w->env.wind),
                       .places_only = sk_world_settling(w) || distances,
                       .apart_roots = w->scene->step.settle > 0,
                       .threads = sk_world_team(w, w->strand_count + w->scene->body_count, 16)};
  info->verdict = sk_no_verdict();
  if (sk_world_all_asleep(w)) return sk_ok();
  int contacts = in.places_only ? 0 : w->tried.count, forces = 0;
  in.objects = (sk_judge_objects){.rods = view_rods(w, &w->arena),
                                  .bodies = view_bodies(w, info->dt, &w->arena),
                                  .rod_count = w->strand_count,
                                  .body_count = w->scene->body_count,
                                  .mu = w->mu,
                                  .groups = w->scene->group_count};
  in.actions = (sk_judge_actions){.contacts = view_contacts(w, info->dt, contacts, &w->arena),
                                  .forces = view_forces(w, &forces, &w->arena),
                                  .contact_count = contacts};
  in.actions.force_count = forces;
  if (w->arena.failed) return sk_no_memory();
  return sk_judge(&in, &sk_default_limits, &w->arena, &info->verdict);
}
