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

static int object_count(const skein_world *w)
{
  return w->strand_count + w->scene->body_count;
}

static bool is_free(const skein_world *w, int object)
{
  return sk_is_rod(w, object) || w->scene->bodies[object - w->strand_count].mode == SK_DYNAMIC;
}

/* A prescribed body that moves in this step. */
static bool is_driven(const skein_world *w, int object)
{
  if (sk_is_rod(w, object) || w->scene->bodies[object - w->strand_count].mode != SK_PRESCRIBED) return false;
  const sk_body_state *b = w->bodies + object - w->strand_count;
  return sk_norm(b->v) + sk_norm(b->w) + sk_world_surface_speed(w, object - w->strand_count) > 0;
}

static bool is_live(const skein_world *w, int object)
{
  return is_free(w, object) ? !sk_world_asleep(w, object) : is_driven(w, object);
}

/* ---- Waking ---- */

bool sk_world_wake(skein_world *w, int object)
{
  int island = w->rest[object].island;
  for (int i = 0; island > 0 && i < object_count(w); i++)
    if (w->rest[i].island == island) w->rest[i] = (sk_rest){0, 0};
  return island > 0;
}

void sk_world_wake_all(skein_world *w)
{
  memset(w->rest, 0, sizeof *w->rest * (size_t)object_count(w));
}

void sk_world_rouse(skein_world *w, double dt)
{
  for (int i = 0; i < w->strand_count; i++)
    if (sk_world_asleep(w, i) && sk_world_end_moves(w, i, dt)) sk_world_wake(w, i);
  for (int k = 0; k < w->touches.count; k++) {
    const sk_touch *t = w->touches.at + k;
    if (is_driven(w, t->b)) sk_world_wake(w, t->a);
    if (is_driven(w, t->a)) sk_world_wake(w, t->b);
  }
}

bool sk_world_dormant(const skein_world *w, const sk_touch *t)
{
  return !is_live(w, t->a) && !is_live(w, t->b);
}

bool sk_world_disturb(skein_world *w, int a, int b)
{
  bool woken = sk_world_wake(w, a);
  return sk_world_wake(w, b) || woken;
}

bool sk_world_all_asleep(const skein_world *w)
{
  for (int i = 0; i < object_count(w); i++)
    if (is_live(w, i)) return false;
  return true;
}

int sk_world_rods_asleep(const skein_world *w)
{
  int count = 0;
  for (int i = 0; i < w->strand_count; i++) count += sk_world_asleep(w, i);
  return count;
}

/* ---- Falling asleep ---- */

/* Speed of an object in this step, in its radii per second; a body's radius is a tenth of its size. */
static double pace(const skein_world *w, int object)
{
  if (sk_is_rod(w, object)) return w->strands[object].moved / w->strands[object].radius;
  int body = object - w->strand_count;
  const sk_body_state *b = w->bodies + body;
  sk_vec3 lo, hi;
  sk_shape_bounds(&w->scene->bodies[body].shape, &b->pose, &lo, &hi);
  double size = sk_norm(sk_sub(hi, lo));
  return (sk_norm(b->v) + sk_norm(b->w) * size) / (0.1 * size);
}

/* How long every free object has been slow. Whether one is ready. */
static bool count_quiet(skein_world *w, double dt)
{
  const sk_scene_step *step = &w->scene->step;
  bool ready = false;
  for (int i = 0; i < object_count(w); i++) {
    sk_rest *r = w->rest + i;
    if (!is_free(w, i) || r->island > 0) continue;
    r->quiet = pace(w, i) < step->sleep_speed ? r->quiet + dt : 0;
    ready |= r->quiet >= step->sleep_after;
  }
  return ready;
}

static int find_root(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Islands of what is awake: parent[i] is the smallest object of i's. */
static void find_islands(const skein_world *w, int *parent)
{
  for (int i = 0; i < object_count(w); i++) parent[i] = i;
  for (int k = 0; k < w->touches.count; k++) {
    const sk_touch *t = w->touches.at + k;
    if (!is_free(w, t->a) || !is_free(w, t->b)) continue;
    int a = find_root(parent, t->a), b = find_root(parent, t->b);
    parent[SK_MAX(a, b)] = SK_MIN(a, b);
  }
}

static void put_to_sleep(skein_world *w, int object, int island)
{
  w->rest[object].island = island;
  if (sk_is_rod(w, object)) {
    skein_rod *rod = w->strands[object].rod;
    memset(rod->v, 0, sizeof *rod->v * (size_t)rod->n);
    w->strands[object].speed = w->strands[object].moved = 0;
  } else w->bodies[object - w->strand_count].v = w->bodies[object - w->strand_count].w = sk_vec(0, 0, 0);
}

skein_status sk_world_doze(skein_world *w, double dt)
{
  int count = object_count(w);
  if (!w->scene->step.sleep || !count_quiet(w, dt)) return sk_ok();
  int *parent = SK_NEW_RAW(&w->arena, count, int);
  bool *awake = SK_NEW(&w->arena, count, bool); /* of an island, at its smallest object */
  if (w->arena.failed) return sk_no_memory();
  find_islands(w, parent);
  for (int i = 0; i < count; i++) {
    bool held = sk_is_rod(w, i) && sk_world_end_moves(w, i, dt);
    if (is_free(w, i) && (w->rest[i].quiet < w->scene->step.sleep_after || held)) awake[find_root(parent, i)] = true;
  }
  for (int k = 0; k < w->touches.count; k++) {
    const sk_touch *t = w->touches.at + k;
    if (is_driven(w, t->a)) awake[find_root(parent, t->b)] = true;
    if (is_driven(w, t->b)) awake[find_root(parent, t->a)] = true;
  }
  for (int i = 0; i < count; i++) {
    int root = find_root(parent, i);
    if (is_free(w, i) && !awake[root] && !sk_world_asleep(w, i)) put_to_sleep(w, i, root + 1);
  }
  return sk_ok();
}
