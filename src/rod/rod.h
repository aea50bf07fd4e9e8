/* Door of the rod room: one rod of any model.
 *
 * Every model gives, at a state (x, v): M (mass), K (stiffness, positive semi-definite), F (generalised force), the
 * point and frame at abscissa s and their Jacobians. Everything else is common to all of them (rod.c, step.c,
 * statics.c):
 *
 *     A = (1 + theta dt eta) M + (theta dt nu + theta^2 dt^2) K          eta = drag / (density S), nu = damping
 *     b = M v + dt F(x_e) + (1-theta)^2 dt^2 K v - (1-theta) dt (nu K + eta M) v,   x_e = x moved by (1-theta) dt v
 *     A v+ = b + H' r,    x+ = x moved by dt (theta v+ + (1-theta) v)
 *
 * theta = 1 is implicit Euler, theta = 1/2 the midpoint rule. Dofs are numbered from tip to root. */
#ifndef SK_ROD_H
#define SK_ROD_H

#include "base/base.h"
#include "math/vec3.h"
#include "sparse/band.h"

#include <skein/rod.h>

/* ---- State ----
 * x begins with the poses and velocities of the ends, the same for all models; what the model adds follows. The pose of
 * an end is prescribed where the end is held; the root of a super-helix is always there, moved by dofs when free. */
enum {
  SK_ROOT = 0,    /* r, d1, d2, d3 */
  SK_ROOT_V = 12, /* velocity and angular velocity during the last step */
  SK_TIP = 18,
  SK_TIP_V = 30,
  SK_LAST_DT = 36, /* of the last step; 0: there was none */
  SK_MODEL = 37
};

/* Motion of a held end during one step: velocity, angular velocity and their derivatives. */
typedef struct sk_motion {
  sk_vec3 v, w, a, dw;
} sk_motion;

/* What acts on a rod during an evaluation. */
typedef struct sk_rod_input {
  sk_vec3 g, wind;
  sk_motion root, tip;
  const skein_rod_load *loads;
  const skein_rod_hold *holds;
  int load_count, hold_count;
  double load;   /* loads are multiplied by it: 1 but on a load path, which also has multiplied g */
  double dt;     /* of a step of implicit Euler (theta = 1); 0: anything else */
  bool dynamic;  /* with the forces that depend on velocities: inertia, wind; without: F = - grad of the energy */
  bool matrices; /* M and K are wanted too */
} sk_rod_input;

/* Result of an evaluation, and scratch: one per thread, large enough for every rod it meets. */
typedef struct sk_rod_system {
  double *M, *K; /* bands of the rod's n, kd */
  double *F;     /* n: elastic, gravity, - inertia, drag in the wind (all of drag that does not depend on v) */
  double *Kb;    /* n: K_fb v_b, stiffness times the velocity of what is prescribed (ends, ghosts) */
  double *work;  /* of the model */
  double *L;     /* band: a factor */
  double *xe;    /* nx: the state of the evaluation */
  double *spare; /* 8 n: of the common part */
} sk_rod_system;

typedef struct sk_rod sk_rod;

/* Where an element of a curve begins: with these of all elements, a place costs one of them, not all before it. */
typedef struct sk_rod_frame {
  sk_vec3 r;
  sk_mat3 R;
} sk_rod_frame;

/* The same for Jacobians and velocities: where an element begins and ends, how its start moves, what each of its dofs
 * does to its end: c + w x (what lies behind it). */
typedef struct sk_rod_element {
  sk_rod_frame start;
  sk_vec3 end, v, spin;
  sk_vec3 c[3], w[3];
} sk_rod_element;

/* ---- Models: one file each, one row of the table in rod.c ---- */
typedef struct sk_rod_ops {
  const char *name, *about;
  bool twists;
  bool explicit_step; /* K stays zero in a dynamic evaluation, dt is bounded (limit) */
  /* The rod is a curve beside its chords, its dofs are what bends it; false: it is its chords, its dofs are nodes. */
  bool curved;
  /* Sets n, kd, nx, works (and width) of the rod; everything that was checked before is valid. */
  void (*size)(sk_rod *rod);
  /* Fills rod->rest and x (poses of the ends are there already, the tip's is to be filled). frames: scratch, elements.
   */
  void (*init)(sk_rod *rod, double *x, sk_mat3 *frames);
  /* sys->F, and M, K, Kb as wanted; these are zeroed before. */
  void (*eval)(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_system *sys);
  /* x moved by velocities v (and by the motion of the ends) during dt. */
  void (*move)(const sk_rod *rod, double *x, const double *v, const sk_rod_input *in, double dt);
  /* Point and frame at s. */
  void (*pose)(const sk_rod *rod, const double *x, double s, sk_vec3 *r, sk_mat3 *R);
  /* J, Jw: 3 x n by rows, zeroed by the callee; velocity = J v + drift, likewise the spin. Any may be NULL. */
  void (*jacobian)(const sk_rod *rod, const double *x, double s, const sk_rod_input *in, double *J, double *Jw,
                   sk_vec3 *drift, sk_vec3 *spin_drift);
  /* Columns first .. first + count - 1 of J at s are the only ones that are not zero. */
  void (*support)(const sk_rod *rod, double s, int *first, int *count);
  /* Velocity of the point at s. */
  sk_vec3 (*velocity)(const sk_rod *rod, const double *x, const double *v, double s, const sk_rod_input *in);
  /* Points (and velocities unless NULL) at s = k L / (pieces N), k = 0 .. pieces N. */
  void (*points)(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, int pieces, sk_vec3 *r,
                 sk_vec3 *velocity);
  /* kinetic, elastic, gravity; in: gravity and the motion of the ends. */
  skein_rod_energy (*energy)(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in);
  /* The elastic part alone. */
  double (*elastic)(const sk_rod *rod, const double *x);
  /* The step that follows the common one, NULL: none. x0: the state before it; x and v are corrected. false: failed. */
  bool (*project)(const sk_rod *rod, const double *x0, double *x, double *v, const sk_rod_input *in, double dt,
                  sk_rod_system *sys);
  /* Longest stable step of an explicit model. */
  double (*limit)(const sk_rod *rod);
  /* A typical size of dof i (m, rad, 1/m): the unit of finite differences and of damping in Newton's method. */
  double (*scale)(const sk_rod *rod, int i);

  /* ---- The same with a view, which is made once per state: NULL, all of them, where a place costs little ---- */
  void (*frames)(const sk_rod *rod, const double *x, sk_rod_frame *out);
  void (*elements)(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_element *out);
  void (*pose_in)(const sk_rod *rod, const double *x, const sk_rod_frame *frames, double s, sk_vec3 *r, sk_mat3 *R);
  void (*jacobian_in)(const sk_rod *rod, const double *x, const sk_rod_element *elements, double s,
                      const sk_rod_input *in, double *J, sk_vec3 *drift);
  sk_vec3 (*velocity_in)(const sk_rod *rod, const double *x, const double *v, const sk_rod_element *elements, double s);
} sk_rod_ops;

extern const sk_rod_ops sk_super_helix, sk_mass_spring, sk_corde, sk_corde_explicit, sk_der, sk_der_projection;

/* ---- The rod ---- */
typedef struct sk_section {
  double S, EI1, EI2, GJ, ES, GS;
  double rho_S, rho_I; /* mass per length, polar moment of inertia per length */
} sk_section;

/* What a rod is: it never changes. Its state (x, v) and what acts on it belong to others. */
struct sk_rod {
  skein_rod_def def; /* arrays are NULL */
  const sk_rod_ops *ops;
  int n, kd, nx, works;
  int width; /* chains: dofs of a segment, beside the three of a node */
  double l;  /* of an element */
  sk_section section;
  double *natural, *initial; /* cells as given (naturals, initials of them); NULL: straight */
  double *rest;              /* of the model: 6 (N + 2) numbers at most */
  double *start_x, *start_v; /* nx, n: the state that it begins with */
  sk_arena arena;
};

/* What drives it in a step: where held ends go, and with which motion; dead loads, and springs that hold it. */
typedef struct sk_rod_drive {
  skein_pose root_next, tip_next;
  sk_motion root, tip;
  const skein_rod_load *loads;
  const skein_rod_hold *holds;
  int load_count, hold_count;
} sk_rod_drive;

/* A rod with a state of its own, as the front door has it. A world has many that only show its state. */
struct skein_rod {
  const sk_rod *fixed;
  double *x, *v;
  double *A, *b; /* of the last assembly */
  sk_rod_drive drive;
  bool owns; /* all that it refers to */
  sk_arena arena;
};

/* ---- define.c ---- */
const sk_rod_ops *sk_rod_ops_find(skein_rod_model m);
bool sk_rod_model_is_curved(skein_rod_model m); /* its elements are arcs, few are enough; false: it is its chords */
int sk_rod_model_elements(skein_rod_model m);   /* that a rod has when nobody says how many */
skein_status sk_pose_check(const char *field, const skein_pose *p);
skein_status sk_env_check(const skein_env *env);

/* ---- rod.c ---- */
/* Mean of the cells over s0 .. s1 (clipped to the rod). cells NULL: zero. */
sk_vec3 sk_cells_mean(const double *cells, int count, double length, double s0, double s1);
skein_pose sk_rod_pose(sk_vec3 r, sk_mat3 R);
skein_status sk_rod_create(const skein_rod_def *def, sk_rod **out);
void sk_rod_destroy(sk_rod *rod); /* NULL is fine */
/* The ends stay where they are, with the motions of the last step: before a drive, after the state was set. */
void sk_rod_stay(const double *x, sk_rod_drive *drive);
skein_status sk_rod_state_check(const sk_rod *rod, const double *x, const double *v); /* finite */
/* F, M, K, Kb of the model, with loads and holds. */
void sk_rod_eval(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_system *sys);
/* drive NULL: held ends rest, no loads, no holds. */
sk_rod_input sk_rod_input_make(const sk_rod_drive *drive, const skein_env *env, bool dynamic, bool matrices);
/* Energy of holds, minus the work of dead forces. */
double sk_rod_held_energy(const sk_rod *rod, const double *x, const sk_rod_input *in);
void sk_rod_move(const sk_rod *rod, double *x, const double *v, const sk_rod_input *in, double dt);
/* Scratch for any of these rods. */
skein_status sk_rod_system_create(const sk_rod *const *rods, int count, sk_arena *arena, sk_rod_system *sys);

/* Pieces per element whose chords miss the curve by at most `miss` (m); 1 for chains, which are their chords. */
int sk_rod_pieces(const sk_rod *rod, const double *x, double miss);

/* ---- view.c: what is at an abscissa, with a view where the model has one; to the last bit as without ---- */
void sk_rod_frames(const sk_rod *rod, const double *x, sk_rod_frame *out);
void sk_rod_elements(const sk_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_element *out);
void sk_rod_pose_in(const sk_rod *rod, const double *x, const sk_rod_frame *frames, double s, sk_vec3 *r, sk_mat3 *R);
/* Without turns. */
void sk_rod_jacobian_in(const sk_rod *rod, const double *x, const sk_rod_element *elements, double s,
                        const sk_rod_input *in, double *J, sk_vec3 *drift);
sk_vec3 sk_rod_velocity_in(const sk_rod *rod, const double *x, const double *v, const sk_rod_element *elements,
                           double s, const sk_rod_input *in);

/* ---- step.c ---- */
/* A step of a rod from the state x, v. */
typedef struct sk_rod_step {
  const sk_rod *rod;
  const double *x, *v;
  sk_rod_drive *drive; /* motions are filled by sk_rod_assemble */
  const skein_env *env;
  double dt, theta;
} sk_rod_step;
skein_status sk_rod_assemble(const sk_rod_step *step, double *A, double *b, sk_rod_system *sys);
/* The factor of A into sys->L, and v = A^-1 b: the free velocity. */
skein_status sk_rod_solve(const sk_rod *rod, double dt, const double *A, const double *b, double *v,
                          sk_rod_system *sys);
/* Where the rod goes with its new velocities `with` (n): x_next, v_next; may be x and v themselves. */
skein_status sk_rod_advance(const sk_rod_step *step, const double *with, double *x_next, double *v_next,
                            sk_rod_system *sys);

/* ---- sag_free.c ---- */
/* The same super-helix, clamped, with the natural shape that keeps it as it is under gravity; the old one stays. */
skein_status sk_rod_sag_free(const sk_rod *old, const skein_env *env, sk_rod **out);

/* ---- axial.c: a rod that is pushed along its own axis ---- */
/* Whether the rod is held, all but straight up to s, and pushed along its axis there, at that point. */
bool sk_rod_is_axial(const sk_rod *rod, const double *x, double s, sk_vec3 at, sk_vec3 normal);
/* Mass of the dof e' that such a push moves, in a step of that length. */
double sk_rod_axial_mass(const sk_rod *rod, double s, double dt, double theta);

/* ---- change.c: rods that go on as others ---- */
/* Velocities of the rigid motion move + spin x (r - about). */
void sk_rod_rigid_velocity(const sk_rod *rod, const double *x, sk_vec3 move, sk_vec3 spin, sk_vec3 about, double *v);
/* The rod, which is at (x, v), with its root or tip free. */
skein_status sk_rod_release(const sk_rod *old, const double *x, const double *v, bool tip, sk_rod **out);
/* The rod in two at the joint nearest to s. */
skein_status sk_rod_cut(const sk_rod *old, const double *x, const double *v, double s, sk_rod **near, sk_rod **far);

#endif
