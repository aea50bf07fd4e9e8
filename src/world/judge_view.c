/* The step as the judge sees it: the only place where the two know each other. */
#include "world/judge.h"
#include "world/world.h"

#include <math.h>
#include <omp.h>

/* Velocities of all rods before the step. */
static void fill_velocities(sk_attempt *w, sk_judge_rod *rods, sk_vec3 *velocity)
{
  size_t points = 1, states = 1, threads = (size_t)w->work.threads;
  int count = w->model->rod_count;
  for (int i = 0; i < count; i++)
    points = SK_MAX(points, (size_t)rods[i].count + 1), states = SK_MAX(states, (size_t)rods[i].rod->nx);
  sk_vec3 *places = SK_NEW_RAW(&w->work.arena, threads * points, sk_vec3);
  double *moved = SK_NEW_RAW(&w->work.arena, threads * states, double);
  if (w->work.arena.failed) return;
#pragma omp parallel for num_threads(sk_team(w, count, 16)) schedule(dynamic, 16)
  for (int i = 0; i < count; i++) {
    size_t t = (size_t)omp_get_thread_num();
    if (!rods[i].asleep)
      sk_judge_velocities(rods + i, w->model->scene->step.theta, moved + t * states, places + t * points,
                          velocity + 2 * (rods[i].first + i));
  }
}

static sk_judge_rod *view_rods(sk_attempt *w)
{
  int count = w->model->rod_count;
  sk_vec3 *velocity = SK_NEW(&w->work.arena, 2 * ((size_t)w->search.piece_count + (size_t)count), sk_vec3);
  sk_judge_rod *rods = SK_NEW_RAW(&w->work.arena, count, sk_judge_rod);
  for (int i = 0; rods && i < count; i++) {
    const sk_rod_part *p = w->rods + i;
    int at = p->first + i;
    rods[i] = (sk_judge_rod){.rod = p->rod,
                             .before = {p->x, p->v, w->search.before.points + at},
                             .after = {w->next->x + p->is->x, w->next->v + p->is->v, w->search.after.points + at},
                             .velocity = velocity + 2 * at,
                             .free = w->search.free + at,
                             .first = p->first,
                             .count = p->pieces * p->rod->def.elements,
                             .rooted_in = p->is->rooted_in < 0 ? -1 : count + p->is->rooted_in,
                             .cut_off = p->is->cut_off,
                             .rooted_until = p->is->rooted_until,
                             .radius = p->radius,
                             .asleep = sk_asleep(w->next, i)};
  }
  if (!w->work.arena.failed) fill_velocities(w, rods, velocity);
  return rods;
}

static sk_judge_body *view_bodies(sk_attempt *w)
{
  const skein_scene *scene = w->model->scene;
  sk_judge_body *bodies = SK_NEW_RAW(&w->work.arena, scene->body_count, sk_judge_body);
  for (int i = 0; bodies && i < scene->body_count; i++) {
    const sk_scene_body *b = scene->bodies + i;
    const sk_body_state *before = w->now->body + i, *after = w->next->body + i;
    bodies[i] = (sk_judge_body){.shape0 = sk_shape_now(w, i),
                                .shape1 = sk_shape_after(w, i),
                                .pose0 = before->pose,
                                .pose1 = after->pose,
                                .v0 = before->v,
                                .w0 = before->w,
                                .v1 = after->v,
                                .w1 = after->w,
                                .inertia = b->inertia,
                                .mass = b->mass,
                                .size = sk_model_body_size(w->model, i),
                                .surface = sk_surface_speed(w, i) * w->plan.dt,
                                .group = b->group,
                                .dynamic = b->mode == SK_DYNAMIC,
                                .asleep = sk_asleep(w->next, w->model->rod_count + i)};
  }
  return bodies;
}

/* Way along the normal in the linear problem: the mean of what it had before and after it, as the scheme has it. */
static sk_judge_contact view_contact(const sk_attempt *w, int k)
{
  const sk_contact *t = w->found.contacts.at + k;
  const sk_row *row = w->linear.rows + k;
  double theta = w->model->scene->step.theta, after = w->linear.solution.u[3 * k] - row->offset;
  double way = w->plan.dt * (theta * after + (1 - theta) * row->u_before[0]);
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
                        .way = row->axial ? NAN : way};
  for (int d = 0; d < 3; d++) c.u_before = sk_axpy(c.u_before, row->u_before[d], t->frame[d]);
  return c;
}

static sk_judge_contact *view_contacts(sk_attempt *w, int count)
{
  sk_judge_contact *c = SK_NEW_RAW(&w->work.arena, count, sk_judge_contact);
#pragma omp parallel for num_threads(sk_team(w, count, 256)) schedule(static, 256)
  for (int k = 0; k < (c ? count : 0); k++) c[k] = view_contact(w, k);
  return c;
}

static sk_judge_force *view_forces(sk_attempt *w, int *count)
{
  int most = w->live->pull_count, n = 0;
  for (int i = 0; i < w->model->rod_count; i++) most += w->rods[i].drive.load_count;
  sk_judge_force *f = SK_NEW_RAW(&w->work.arena, most, sk_judge_force);
  for (int i = 0; f && i < w->model->rod_count; i++)
    for (int k = 0; k < w->rods[i].drive.load_count; k++) {
      const skein_rod_load *load = w->rods[i].drive.loads + k;
      f[n++] = (sk_judge_force){.rod = i, .s = load->s, .force = sk_load3(load->force)};
    }
  for (int k = 0; f && k < w->live->pull_count; k++) {
    const sk_pull *p = w->live->pulls + k;
    f[n++] = (sk_judge_force){.rod = p->rod, .s = p->s, .stiffness = p->stiffness, .target = p->target};
  }
  *count = n;
  return f;
}

skein_status sk_attempt_judge(sk_attempt *w, skein_step_info *info)
{
  const skein_scene *scene = w->model->scene;
  bool distances = scene->step.rigid != SK_RIGID_VELOCITY;
  sk_judge_input in = {.pieces = w->search.pieces,
                       .piece_count = w->search.piece_count,
                       .meets = w->search.meets,
                       .dt = w->plan.dt,
                       .theta = scene->step.theta,
                       .error = info->error,
                       .tol = info->tol,
                       .g = sk_load3(w->live->env.gravity),
                       .wind = sk_load3(w->live->env.wind),
                       .places_only = w->plan.settles || distances,
                       .apart_roots = scene->step.settle > 0,
                       .able = sk_able_speed(w),
                       .threads = sk_team(w, w->model->object_count, 16)};
  info->verdict = sk_no_verdict();
  if (sk_all_asleep(w)) return sk_ok();
  int contacts = in.places_only ? 0 : w->found.contacts.count, forces = 0;
  in.objects = (sk_judge_objects){.rods = view_rods(w),
                                  .bodies = view_bodies(w),
                                  .rod_count = w->model->rod_count,
                                  .body_count = scene->body_count,
                                  .mu = w->live->mu,
                                  .groups = scene->group_count};
  in.actions = (sk_judge_actions){
      .contacts = view_contacts(w, contacts), .forces = view_forces(w, &forces), .contact_count = contacts};
  in.actions.force_count = forces;
  if (w->work.arena.failed) return sk_no_memory();
  return sk_judge(&in, &sk_limit, &w->work.arena, &info->verdict);
}
