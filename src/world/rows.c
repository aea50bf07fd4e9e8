/* The rows of the one-step problem: a row of H is a direction of a contact, n or a tangent, times J_a(s_a) - J_b(s_b).
 * u_f has the velocities of what is prescribed, and what gaps ask for (gaps.c). */
#include "world/world.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* Columns of one side of a contact: first and count, in the problem. */
int sk_side_columns(const sk_attempt *w, int object, double s, int *first)
{
  int count = 0;
  *first = 0;
  if (sk_is_rod(w, object)) w->rods[object].rod->ops->support(w->rods[object].rod, s, first, &count);
  else if (sk_is_dynamic(w, object)) count = 6;
  return count;
}

/* A push along the axis acts a hundredth of the radius beside it: no force meets the axis exactly. */
static const double beside = 0.01;

/* J of a place beside the axis: + w x arm. Jw lies behind J. */
static void add_arm(const sk_rod_part *p, double s, sk_vec3 arm, double *J)
{
  int n = p->rod->n;
  double *Jw = J + 3 * n;
  sk_rod_input in = sk_rod_input_make(&p->drive, NULL, true, false);
  p->rod->ops->jacobian(p->rod, p->x, s, &in, NULL, Jw, NULL, NULL);
  for (int j = 0; j < n; j++) {
    sk_vec3 v = sk_cross(sk_vec(Jw[j], Jw[n + j], Jw[2 * n + j]), arm);
    J[j] += v.x, J[n + j] += v.y, J[2 * n + j] += v.z;
  }
}

/* One side of a contact: where it is, its columns, and its part of the three rows. */
typedef struct side {
  int object;
  double sign, s;
  sk_vec3 point;
  int first, count, dof, n; /* columns first .. first + count - 1 of n, which begin at dof */
  sk_vec3 drift;
} side;

static side side_make(const sk_attempt *w, const sk_contact *t, bool second)
{
  side d = {.object = second ? t->b : t->a,
            .sign = second ? -1 : 1,
            .s = second ? t->sb : t->sa,
            .point = second ? t->point_b : t->point_a};
  d.count = sk_side_columns(w, d.object, d.s, &d.first);
  return d;
}

/* J of the place, and its drift. */
static void fill_jacobian(const sk_attempt *w, const sk_contact *t, side *d, double *J)
{
  if (sk_is_rod(w, d->object)) {
    const sk_rod_part *p = w->rods + d->object;
    sk_rod_input in = sk_rod_input_make(&p->drive, NULL, true, false);
    sk_rod_jacobian_in(p->rod, p->x, w->linear.elements + p->first_frame, d->s, &in, J, &d->drift);
    d->dof = p->dof, d->n = p->rod->n;
    return;
  }
  int body = d->object - w->model->rod_count;
  sk_vec3 arm = sk_sub(d->point, w->bodies[body].pose.r);
  d->dof = w->linear.body_dof[body], d->n = 6;
  if (d->count == 0) d->drift = sk_body_velocity(w, body, sk_contact_triangle(w, t), d->point);
  const double turn[18] = {1, 0, 0, 0, arm.z, -arm.y, 0, 1, 0, -arm.z, 0, arm.x, 0, 0, 1, arm.y, -arm.x, 0};
  memcpy(J, turn, sizeof turn); /* v + w x arm */
}

/* The dof of a push along the axis, and the place beside the axis where it acts. */
static void fill_axial(const sk_attempt *w, const sk_contact *t, int k, const side *d, double *J)
{
  const sk_rod_part *p = w->rods + d->object;
  const skein_csr *H = &w->linear.problem.H;
  sk_vec3 r;
  sk_mat3 R;
  p->rod->ops->pose(p->rod, p->x, d->s, &r, &R);
  add_arm(p, d->s, sk_mul(beside * p->radius, R.c[0]), J);
  for (int c = 0; c < 3; c++) {
    int64_t entry = H->start[3 * k + c + 1] - 1;
    H->col[entry] = w->linear.rows[k].axial_dof, H->val[entry] = d->sign * sk_dot(t->frame[c], R.c[2]);
  }
}

/* Adds one side, with its sign, to the three rows of contact k from entry `at` on; its drift to u_f. */
static int fill_side(const sk_attempt *w, int k, int at, bool second, double *J)
{
  const sk_contact *t = w->found.contacts.at + k;
  const skein_csr *H = &w->linear.problem.H;
  side d = side_make(w, t, second);
  fill_jacobian(w, t, &d, J);
  if (w->linear.rows[k].axial == 1 + second) fill_axial(w, t, k, &d, J);
  for (int c = 0; c < 3; c++) {
    sk_vec3 axis = t->frame[c];
    w->linear.problem.u_f[3 * k + c] += d.sign * sk_dot(axis, d.drift);
    int64_t entry = H->start[3 * k + c] + at;
    for (int i = 0; i < d.count; i++, entry++) {
      int j = d.first + i;
      H->col[entry] = d.dof + j;
      H->val[entry] = d.sign * (axis.x * J[j] + axis.y * J[d.n + j] + axis.z * J[2 * d.n + j]);
    }
  }
  return d.count;
}

/* Velocity of a place before the step. */
static sk_vec3 velocity_before(const sk_attempt *w, const sk_contact *t, bool second)
{
  int object = second ? t->b : t->a;
  if (!sk_is_rod(w, object))
    return sk_body_velocity(w, object - w->model->rod_count, sk_contact_triangle(w, t),
                            second ? t->point_b : t->point_a);
  const sk_rod_part *p = w->rods + object;
  sk_rod_input in = sk_rod_input_make(&p->drive, NULL, true, false);
  const sk_rod_element *elements = w->linear.elements + p->first_frame;
  return sk_rod_velocity_in(p->rod, p->x, p->v, elements, second ? t->sb : t->sa, &in);
}

static void fill_contact(const sk_attempt *w, int k, double *J)
{
  sk_contact *t = w->found.contacts.at + k;
  sk_row *row = w->linear.rows + k;
  const skein_problem *p = &w->linear.problem;
  int count = fill_side(w, k, 0, false, J);
  fill_side(w, k, count, true, J);
  p->mu[k] = t->mu;
  sk_vec3 va = velocity_before(w, t, false), vb = velocity_before(w, t, true), before = sk_sub(va, vb);
  row->approach = sk_dot(t->frame[0], before);
  for (int c = 0; c < 3; c++) row->u_before[c] = sk_dot(t->frame[c], before);
  row->offset = sk_gap_velocity(w, t, row, fmax(sk_norm(va), sk_norm(vb)));
  p->u_f[3 * k] += row->offset;
  if (w->plan.plain) t->miss = sk_vec(0, 0, 0);
  for (int c = 0; c < 3; c++) p->u_f[3 * k + c] += sk_dot(t->frame[c], t->miss);
  for (int c = 0; c < 3; c++) w->linear.solution.r[3 * k + c] = sk_dot(t->frame[c], t->impulse);
}

static void fill_elements(const sk_attempt *w, const sk_rod_part *p)
{
  if (p->dof < 0) return;
  sk_rod_input in = sk_rod_input_make(&p->drive, NULL, true, false);
  sk_rod_elements(p->rod, p->x, p->v, &in, w->linear.elements + p->first_frame);
}

skein_status sk_fill_contacts(sk_attempt *w)
{
  skein_csr *H = &w->linear.problem.H;
  int largest = 6, first, contacts = w->found.contacts.count, rods = w->model->rod_count;
  for (int k = 0; k < contacts; k++) {
    const sk_contact *t = w->found.contacts.at + k;
    int count = sk_side_columns(w, t->a, t->sa, &first) + sk_side_columns(w, t->b, t->sb, &first);
    for (int c = 0; c < 3; c++) H->start[3 * k + c + 1] = count + (w->linear.rows[k].axial != 0);
  }
  for (int i = 0; i < rods; i++) largest = SK_MAX(largest, w->rods[i].rod->n);
  double *J = SK_NEW_RAW(&w->work.arena, 6 * (size_t)largest * (size_t)w->work.threads, double);
  w->linear.elements = SK_NEW_RAW(&w->work.arena, w->search.frame_count, sk_rod_element);
  skein_status s = sk_allocate_entries(w, H);
  if (w->work.arena.failed) return sk_no_memory();
#pragma omp parallel for num_threads(sk_team(w, rods, 64)) schedule(dynamic, 16)
  for (int i = 0; i < rods; i++) fill_elements(w, w->rods + i);
#pragma omp parallel for num_threads(sk_team(w, contacts, 64)) schedule(static, 64)
  for (int k = 0; k < contacts; k++)
    if (!sk_stop_asked(w->work.stop)) fill_contact(w, k, J + 6 * (size_t)largest * (size_t)omp_get_thread_num());
  return sk_unless_stopped(s, w->work.stop);
}
