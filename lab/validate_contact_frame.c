/* What does not matter: the frame, and the order in which things are listed (which is the order of the contacts). Three
 * rods fall past a ball onto a floor and over each other, or three boxes do; the same again with everything turned by a
 * rotation, and with the list backwards. Places are compared after turning them back. */
#include "validate.h"

#include <math.h>
#include <string.h>

enum { FRAME_THINGS = 3, FRAME_SAMPLES = 5, FRAME_NUMBERS = FRAME_THINGS * FRAME_SAMPLES * 3 };

/* Quaternion, w first. */
typedef struct frame {
  double q[4];
  bool backwards;
} frame;

static void quat_mul(const double *a, const double *b, double *c)
{
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* q x q* (or q* x q when back). */
static void quat_turn(const double *q, bool back, const double *x, double *y)
{
  double sign = back ? -1 : 1, p[4] = {q[0], sign * q[1], sign * q[2], sign * q[3]},
         conjugate[4] = {p[0], -p[1], -p[2], -p[3]}, v[4] = {0, x[0], x[1], x[2]}, half[4], out[4];
  quat_mul(p, v, half), quat_mul(half, conjugate, out);
  memcpy(y, out + 1, 3 * sizeof *y);
}

/* "[x, y, z]" in the turned frame. */
static const char *vector(const frame *f, double x, double y, double z, char text[96])
{
  double in[3] = {x, y, z}, out[3];
  quat_turn(f->q, false, in, out);
  snprintf(text, 96, "[%.17g, %.17g, %.17g]", out[0], out[1], out[2]);
  return text;
}

static void print_rod(char *text, size_t size, const char *model, const frame *f, int k)
{
  char place[96], way[96], normal[96], velocity[96];
  snprintf(text, size,
           "{'model': '%s', 'elements': %d, 'material': 'rubber', 'length': 0.2, 'natural': {'curvature': 2}, 'root': "
           "{'type': 'free', 'position': %s, 'direction': %s, 'normal': %s}, 'velocity': %s}",
           model, strcmp(model, "super-helix") ? 12 : 5, vector(f, -0.1, 0.007 * k, 0.06 + 0.011 * k, place),
           vector(f, 1, 0.2 - 0.15 * k, 0.1, way), vector(f, 0, 0, 1, normal), vector(f, 0.5, 0.2, 0, velocity));
}

static void print_box(char *text, size_t size, const frame *f, int k)
{
  const double q[4] = {0.9, 0.25, 0.2 - 0.1 * k, 0.1};
  double turned[4];
  char place[96], velocity[96];
  quat_mul(f->q, q, turned);
  snprintf(text, size,
           "{'shape': {'type': 'box', 'size': [0.1, 0.08, 0.05]}, 'position': %s, 'rotation': [%.17g, %.17g, %.17g, "
           "%.17g], 'density': 700, 'velocity': %s}",
           vector(f, 0.01 * k, 0.01 * k, 0.1 + 0.13 * k, place), turned[0], turned[1], turned[2], turned[3],
           vector(f, 0.5, 0, 0, velocity));
}

static contact_world frame_open(const validate_task *task, const frame *f)
{
  bool bodies = (int)task->model == VALIDATE_BODIES;
  char thing[FRAME_THINGS][768], down[96], up[96], ball[96];
  for (int k = 0; k < FRAME_THINGS; k++) {
    int at = f->backwards ? FRAME_THINGS - 1 - k : k;
    if (bodies) print_box(thing[at], sizeof thing[at], f, k);
    else print_rod(thing[at], sizeof thing[at], validate_model_name((int)task->model), f, k);
  }
  return contact_open("{'gravity': %s, 'friction': 0.3, 'time': {'dt': 0.001, 'dt_min': 0.0001, 'duration': 10}, "
                      "'materials': {'rubber': {'E': 2e6, 'density': 1100, 'radius': 0.002, 'damping': 0.002}}, "
                      "'%s': [%s, %s, %s%s {'shape': {'type': 'plane', 'normal': %s}}, {'shape': {'type': 'sphere', "
                      "'radius': 0.02}, 'position': %s}], 'solver': {'tol': 1e-10, 'tol_rest': 1e-10, 'sleep': false}}",
                      vector(f, 0, 0, -9.81, down), bodies ? "bodies" : "rods", thing[0], thing[1], thing[2],
                      bodies ? "," : "], 'bodies': [", vector(f, 0, 0, 1, up), vector(f, 0.02, 0.01, 0.02, ball));
}

/* Places in the frame that is not turned, in the order that is not turned round. */
static int frame_sample(const validate_task *task, const contact_world *c, const frame *f, double *x)
{
  int count = 0;
  for (int k = 0; c->world && k < FRAME_THINGS; k++) {
    int at = f->backwards ? FRAME_THINGS - 1 - k : k;
    if ((int)task->model == VALIDATE_BODIES) {
      double place[3], velocity[3];
      contact_body(c, at, place, velocity);
      quat_turn(f->q, true, place, x + count), count += 3;
      continue;
    }
    for (int s = 0; s < FRAME_SAMPLES; s++, count += 3) {
      skein_pose pose;
      skein_rod_point(skein_world_rod(c->world, at), 0.2 * s / (FRAME_SAMPLES - 1), &pose);
      quat_turn(f->q, true, pose.r, x + count);
    }
  }
  return count;
}

void validate_frame(const validate_task *task)
{
  const frame plain = {.q = {1, 0, 0, 0}};
  const struct {
    const char *name;
    frame f;
  } others[] = {{"turned by 120 degrees about (1, 1, 1)", {.q = {0.5, 0.5, 0.5, 0.5}}},
                {"turned by 73.7 degrees about (0.64, 0.48, 0.6)", {.q = {0.8, 0.384, 0.288, 0.36}}},
                {"listed backwards", {.q = {1, 0, 0, 0}, .backwards = true}}};
  const double time = 0.15;
  double start[FRAME_NUMBERS], x[FRAME_NUMBERS], y[FRAME_NUMBERS];
  contact_world a = frame_open(task, &plain);
  int count = frame_sample(task, &a, &plain, start);
  contact_run(&a, time);
  frame_sample(task, &a, &plain, x);
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    contact_world b = frame_open(task, &others[k].f);
    double difference = 0, way = 0;
    char label[VALIDATE_LABEL];
    contact_run(&b, time);
    int same = frame_sample(task, &b, &others[k].f, y);
    for (int i = 0; i < count && i < same; i++)
      difference = fmax(difference, fabs(y[i] - x[i])), way = fmax(way, fabs(x[i] - start[i]));
    snprintf(label, sizeof label, "%s, after %g s: places, over the way", others[k].name, time);
    validate_add_number(task, label, a.status.code != SKEIN_OK ? &a.status : &b.status, 0,
                        same == count && way > 0 ? difference / way : NAN, 1e-6);
    validate_note(task, "%d contacts", b.info.contacts);
    contact_close(&b);
  }
  contact_close(&a);
}
