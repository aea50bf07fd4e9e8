/* Islands at rest. Objects that touch, or are about to, form an island; static and prescribed bodies join nothing. An
 * island all of whose objects have moved slower than `sleep_speed` radii per second for `sleep_after` seconds has shown
 * that rest solves its one-step problem: its velocities become zero, it leaves the problem, and its contacts keep their
 * impulses. It wakes, in the step before anything could act on it, when
 *   - something awake or a prescribed body that moves comes so near that they would be a contact of that step,
 *   - a held end of it, or a prescribed body that it touches, begins to move,
 *   - an event, a force of the scene or a call changes forces, friction or rods. */
#include "world/world.h"

#include <math.h>
#include <string.h>

static bool is_free(const sk_model *m, int object)
{
  return object < m->rod_count || m->scene->bodies[object - m->rod_count].mode == SK_DYNAMIC;
}

/* A prescribed body that moves in this step. */
static bool is_driven(const sk_attempt *w, int object)
{
  if (sk_is_rod(w, object) || w->model->scene->bodies[object - w->model->rod_count].mode != SK_PRESCRIBED) return false;
  const sk_body_motion *b = w->bodies + object - w->model->rod_count;
  return sk_norm(b->v) + sk_norm(b->w) + sk_surface_speed(w, object - w->model->rod_count) > 0;
}

static bool is_live(const sk_attempt *w, int object)
{
  return is_free(w->model, object) ? !sk_asleep(w->next, object) : is_driven(w, object);
}

/* ---- Waking ---- */

bool sk_wake(const sk_model *m, sk_state *s, int object)
{
  int island = s->rest[object].island;
  for (int i = 0; island > 0 && i < m->object_count; i++)
    if (s->rest[i].island == island) s->rest[i] = (sk_rest){0, 0};
  return island > 0;
}

void sk_wake_all(const sk_model *m, sk_state *s)
{
  memset(s->rest, 0, sizeof *s->rest * (size_t)m->object_count);
}

void sk_wake_driven(sk_attempt *w)
{
  const sk_model *m = w->model;
  for (int i = 0; i < m->rod_count; i++)
    if (sk_asleep(w->next, i) && sk_end_moves(m, w->surfaces, w->now, i, w->plan.dt)) sk_wake(m, w->next, i);
  for (int k = 0; k < w->now->contacts.count; k++) {
    const sk_contact *t = w->now->contacts.at + k;
    if (is_driven(w, t->b)) sk_wake(m, w->next, t->a);
    if (is_driven(w, t->a)) sk_wake(m, w->next, t->b);
  }
}

bool sk_both_asleep(const sk_attempt *w, const sk_contact *t)
{
  return !is_live(w, t->a) && !is_live(w, t->b);
}

bool sk_wake_touched(sk_attempt *w, int a, int b)
{
  bool woken = sk_wake(w->model, w->next, a);
  return sk_wake(w->model, w->next, b) || woken;
}

bool sk_all_asleep(const sk_attempt *w)
{
  for (int i = 0; i < w->model->object_count; i++)
    if (is_live(w, i)) return false;
  return true;
}

int sk_rods_asleep(const sk_model *m, const sk_state *s)
{
  int count = 0;
  for (int i = 0; i < m->rod_count; i++) count += sk_asleep(s, i);
  return count;
}

/* ---- Falling asleep ---- */

/* Speed of an object in this step, in its radii per second; a body's radius is a tenth of its size. */
static double pace(const sk_attempt *w, int object)
{
  if (sk_is_rod(w, object)) return w->next->look[object].moved / w->rods[object].radius;
  int body = object - w->model->rod_count;
  const sk_body_state *b = w->next->body + body;
  sk_vec3 lo, hi;
  sk_shape_bounds(&w->model->scene->bodies[body].shape, &b->pose, &lo, &hi);
  double size = sk_norm(sk_sub(hi, lo));
  return (sk_norm(b->v) + sk_norm(b->w) * size) / (sk_limit.rest.body * size);
}

/* How long every free object has been slow. Whether one is ready. */
static bool count_quiet(sk_attempt *w)
{
  const sk_scene_step *step = &w->model->scene->step;
  bool ready = false;
  for (int i = 0; i < w->model->object_count; i++) {
    sk_rest *r = w->next->rest + i;
    if (!is_free(w->model, i) || r->island > 0) continue;
    r->quiet = pace(w, i) < step->sleep_speed ? r->quiet + w->plan.dt : 0;
    ready |= r->quiet >= step->sleep_after;
  }
  return ready;
}

static int find_root(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Islands of free objects, by their smallest one. */
static void find_islands(const sk_attempt *w, int *parent)
{
  for (int i = 0; i < w->model->object_count; i++) parent[i] = i;
  for (int k = 0; k < w->next->contacts.count; k++) {
    const sk_contact *t = w->next->contacts.at + k;
    if (!is_free(w->model, t->a) || !is_free(w->model, t->b)) continue;
    int a = find_root(parent, t->a), b = find_root(parent, t->b);
    parent[SK_MAX(a, b)] = SK_MIN(a, b);
  }
}

static void put_to_sleep(sk_attempt *w, int object, int island)
{
  sk_state *next = w->next;
  next->rest[object].island = island;
  if (sk_is_rod(w, object)) {
    const sk_model_rod *rod = w->model->rods + object;
    memset(next->v + rod->v, 0, sizeof *next->v * (size_t)rod->rod->n);
    next->look[object].speed = next->look[object].moved = 0;
  } else next->body[object - w->model->rod_count].v = next->body[object - w->model->rod_count].w = sk_vec(0, 0, 0);
}

/* Islands that cannot sleep: something in them was not slow for long enough, is about to be moved, or lies on what
 * moves. */
static void find_awake(sk_attempt *w, int *parent, bool *awake)
{
  const sk_model *m = w->model;
  for (int i = 0; i < m->object_count; i++) {
    bool held = i < m->rod_count && sk_end_moves(m, w->surfaces, w->next, i, w->plan.dt);
    bool restless = w->next->rest[i].quiet < m->scene->step.sleep_after;
    if (is_free(m, i) && (restless || held)) awake[find_root(parent, i)] = true;
  }
  for (int k = 0; k < w->next->contacts.count; k++) {
    const sk_contact *t = w->next->contacts.at + k;
    if (is_driven(w, t->a)) awake[find_root(parent, t->b)] = true;
    if (is_driven(w, t->b)) awake[find_root(parent, t->a)] = true;
  }
}

skein_status sk_sleep_resting(sk_attempt *w)
{
  int count = w->model->object_count;
  if (!w->model->scene->step.sleep || !count_quiet(w)) return sk_ok();
  int *parent = SK_NEW_RAW(&w->work.arena, count, int);
  bool *awake = SK_NEW(&w->work.arena, count, bool); /* of an island, at its smallest object */
  if (w->work.arena.failed) return sk_no_memory();
  find_islands(w, parent);
  find_awake(w, parent, awake);
  for (int i = 0; i < count; i++) {
    int root = find_root(parent, i);
    if (is_free(w->model, i) && !awake[root] && !sk_asleep(w->next, i)) put_to_sleep(w, i, root + 1);
  }
  return sk_ok();
}
