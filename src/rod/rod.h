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

/* ---- Models: one file each, one row of the table in rod.c ---- */
typedef struct sk_rod_ops {
  const char *name, *about;
  bool twists;
  bool explicit_step; /* K stays zero in a dynamic evaluation, dt is bounded (limit) */
  /* Sets n, kd, nx, works (and width) of the rod; everything that was checked before is valid. */
  void (*size)(skein_rod *rod);
  /* Fills rod->rest and x (poses of the ends are there already, the tip's is to be filled). */
  void (*init)(skein_rod *rod, double *x);
  /* sys->F, and M, K, Kb as wanted; these are zeroed before. */
  void (*eval)(const skein_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_system *sys);
  /* x moved by velocities v (and by the motion of the ends) during dt. */
  void (*move)(const skein_rod *rod, double *x, const double *v, const sk_rod_input *in, double dt);
  /* Point and frame at s. */
  void (*pose)(const skein_rod *rod, const double *x, double s, sk_vec3 *r, sk_mat3 *R);
  /* J, Jw: 3 x n by rows, zeroed by the callee; velocity = J v + drift, likewise the spin. Any may be NULL. */
  void (*jacobian)(const skein_rod *rod, const double *x, double s, const sk_rod_input *in, double *J, double *Jw,
                   sk_vec3 *drift, sk_vec3 *spin_drift);
  /* Columns first .. first + count - 1 of J at s are the only ones that are not zero. */
  void (*support)(const skein_rod *rod, double s, int *first, int *count);
  /* Velocity of the point at s. */
  sk_vec3 (*velocity)(const skein_rod *rod, const double *x, const double *v, double s, const sk_rod_input *in);
  /* Points (and velocities unless NULL) at s = k L / (pieces N), k = 0 .. pieces N. */
  void (*points)(const skein_rod *rod, const double *x, const double *v, const sk_rod_input *in, int pieces, sk_vec3 *r,
                 sk_vec3 *velocity);
  /* kinetic, elastic, gravity; in: gravity and the motion of the ends. */
  skein_rod_energy (*energy)(const skein_rod *rod, const double *x, const double *v, const sk_rod_input *in);
  /* The elastic part alone. */
  double (*elastic)(const skein_rod *rod, const double *x);
  /* The step that follows the common one, NULL: none. x0: the state before it; x and v are corrected. false: failed. */
  bool (*project)(const skein_rod *rod, const double *x0, double *x, double *v, const sk_rod_input *in, double dt,
                  sk_rod_system *sys);
  /* Longest stable step of an explicit model. */
  double (*limit)(const skein_rod *rod);
  /* A typical size of dof i (m, rad, 1/m): the unit of finite differences and of damping in Newton's method. */
  double (*scale)(const skein_rod *rod, int i);
} sk_rod_ops;

extern const sk_rod_ops sk_super_helix, sk_mass_spring, sk_corde, sk_corde_explicit, sk_der, sk_der_projection;

/* ---- The rod ---- */
typedef struct sk_section {
  double S, EI1, EI2, GJ, ES, GS;
  double rho_S, rho_I; /* mass per length, polar moment of inertia per length */
} sk_section;

struct skein_rod {
  skein_rod_def def; /* arrays are NULL */
  const sk_rod_ops *ops;
  int n, kd, nx, works;
  int width; /* chains: dofs of a segment, beside the three of a node */
  double l;  /* of an element */
  sk_section section;
  double *natural, *initial; /* cells as given (naturals, initials of them); NULL: straight */
  double *rest;              /* of the model: 6 (N + 2) numbers at most */
  double *x, *v;
  double *A, *b; /* of the last assembly */
  sk_motion root_motion, tip_motion;
  skein_pose root_next, tip_next; /* where held ends go */
  skein_rod_load *loads;
  skein_rod_hold *holds;
  int load_count, hold_count;
  sk_arena arena;
};

/* ---- define.c ---- */
const sk_rod_ops *sk_rod_ops_find(skein_rod_model m);
skein_status sk_pose_check(const char *field, const skein_pose *p);
skein_status sk_env_check(const skein_env *env);

/* ---- rod.c ---- */
/* Mean of the cells over s0 .. s1 (clipped to the rod). cells NULL: zero. */
sk_vec3 sk_cells_mean(const double *cells, int count, double length, double s0, double s1);
/* Motions of the ends as the state has them, and no further drive: after the state was set, or a step failed. */
void sk_rod_stay(skein_rod *rod);
/* F, M, K, Kb of the model, with loads and holds. */
void sk_rod_eval(const skein_rod *rod, const double *x, const double *v, const sk_rod_input *in, sk_rod_system *sys);
sk_rod_input sk_rod_input_make(const skein_rod *rod, const skein_env *env, bool dynamic, bool matrices);
/* Energy of holds, minus the work of dead forces. */
double sk_rod_held_energy(const skein_rod *rod, const double *x, double load);
void sk_rod_move(const skein_rod *rod, double *x, const double *v, const sk_rod_input *in, double dt);
/* Scratch for any of these rods. */
skein_status sk_rod_system_create(skein_rod *const *rods, int count, sk_arena *arena, sk_rod_system *sys);

/* Pieces per element whose chords miss the curve by at most `miss` (m); 1 for chains, which are their chords. */
int sk_rod_pieces(const skein_rod *rod, double miss);

/* ---- super_helix_points.c ---- */
/* Where the elements of a super-helix begin: with them a place of it costs one element, not all before it. */
typedef struct sk_rod_frame {
  sk_vec3 r;
  sk_mat3 R;
} sk_rod_frame;
void sk_helix_frames(const skein_rod *rod, const double *x, sk_rod_frame *out); /* out: elements */
/* As ops->pose, to the last bit. */
void sk_helix_pose_in(const skein_rod *rod, const double *x, const sk_rod_frame *frames, double s, sk_vec3 *r,
                      sk_mat3 *R);

/* The same for Jacobians and velocities: where an element begins and ends, how its start moves, what each of its dofs
 * does to its end: c + w x (what lies behind it). */
typedef struct sk_rod_element {
  sk_rod_frame start;
  sk_vec3 end, v, spin;
  sk_vec3 c[3], w[3];
} sk_rod_element;
void sk_helix_elements(const skein_rod *rod, const double *x, const double *v, const sk_rod_input *in,
                       sk_rod_element *out);
/* As ops->jacobian without turns, and ops->velocity, to the last bit. */
void sk_helix_jacobian_in(const skein_rod *rod, const double *x, const sk_rod_element *elements, double s,
                          const sk_rod_input *in, double *J, sk_vec3 *drift);
sk_vec3 sk_helix_velocity_in(const skein_rod *rod, const double *x, const double *v, const sk_rod_element *elements,
                             double s);

/* ---- step.c ---- */
/* A and b. */
skein_status sk_rod_assemble(skein_rod *rod, const skein_env *env, double dt, double theta, sk_rod_system *sys);
/* The factor of A into sys->L, and the free velocity v = A^-1 b. */
skein_status sk_rod_solve(const skein_rod *rod, double dt, double *v, sk_rod_system *sys);
/* Moves the rod with its new velocities v (n). */
skein_status sk_rod_advance(skein_rod *rod, const skein_env *env, double dt, double theta, const double *v,
                            sk_rod_system *sys);

/* ---- sag_free.c ---- */
/* The same super-helix, clamped, with the natural shape that keeps it as it is under gravity; the old one stays. */
skein_status sk_rod_sag_free(const skein_rod *old, const skein_env *env, skein_rod **out);

/* ---- change.c ---- */
/* Velocities of the rigid motion move + spin x (r - about). */
void sk_rod_rigid_velocity(const skein_rod *rod, const double *x, sk_vec3 move, sk_vec3 spin, sk_vec3 about, double *v);
/* The same rod with its root or tip free; the old one stays. */
skein_status sk_rod_release(const skein_rod *old, bool tip, skein_rod **out);
/* The rod in two at the joint nearest to s; the old one stays. */
skein_status sk_rod_cut(const skein_rod *old, double s, skein_rod **near, skein_rod **far);

#endif
