/* A rod by itself: definition, state, motion without contact, statics. */
#ifndef SKEIN_ROD_H
#define SKEIN_ROD_H

#include <skein/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum skein_rod_model {
  SKEIN_SUPER_HELIX, /* piecewise constant curvatures and twist (Bertails et al. 2006); the default */
  SKEIN_MASS_SPRING, /* implicit chain of points, no twist */
  SKEIN_CORDE,       /* points and quaternions (Spillmann and Teschner 2007), implicit */
  SKEIN_CORDE_EXPLICIT,
  SKEIN_DER,            /* discrete elastic rods (Bergou et al. 2008), stretching inside the implicit system */
  SKEIN_DER_PROJECTION, /* the same, inextensible by fast projection after the step (Goldenthal et al. 2007) */
  SKEIN_ROD_MODEL_COUNT
} skein_rod_model;

/* Names as on the command line ("super-helix"); find returns -1 when there is none. */
SKEIN_API const char *skein_rod_model_name(skein_rod_model m);
SKEIN_API const char *skein_rod_model_about(skein_rod_model m); /* one line for --help */
SKEIN_API int skein_rod_model_find(const char *name);
SKEIN_API bool skein_rod_model_twists(skein_rod_model m); /* whether the model knows twist */

typedef enum skein_rod_end { SKEIN_FREE, SKEIN_PINNED, SKEIN_CLAMPED } skein_rod_end;

/* A point and its material frame: d[0] and d[1] span the section, d[2] is the tangent, all in world axes. */
typedef struct skein_pose {
  double r[3]; /* m */
  double d[3][3];
} skein_pose;

SKEIN_API skein_pose skein_default_pose(void); /* origin, section in x and y, tangent along z */

typedef struct skein_rod_def {
  skein_rod_model model;
  int elements;            /* N >= 1, all of length / N */
  int twist_locked;        /* super-helix: elements at the tip that keep their natural twist (no dof); 6 elements with 2
                              locked make the 16 dofs of the literature */
  double length;           /* m */
  double radius1, radius2; /* m, semi-axes of the section along d1 and d2 */
  double E, G;             /* Pa, independent of each other */
  double density;          /* kg/m^3 */
  double damping;          /* s, internal forces -damping K v */
  double drag;             /* kg/(m s), force per length drag (wind - v) */
  /* Curvatures about d1 and d2 and twist (1/m), three numbers per cell; the cells divide the rod evenly, from root to
   * tip, and need not be elements: a model takes means. NULL: straight. */
  const double *natural;
  int naturals;
  const double *initial; /* shape at the start; NULL: the natural one */
  int initials;
  skein_rod_end root, tip;
  skein_pose pose;   /* of the root at the start */
  double alignment;  /* N, CoRdE: stiffness that keeps frames along the centreline; NaN: G S, the shear stiffness, when
                        explicit at most 4 EI / l^2 */
  double tip_factor; /* super-helix: a held tip is a spring of this many times EI / L^3 */
} skein_rod_def;

SKEIN_API skein_rod_def skein_default_rod_def(void); /* one hair: 0.1 m, 16 dofs, clamped, straight */
/* Every field is what it must be, or a status that names it. */
SKEIN_API skein_status skein_rod_def_check(const skein_rod_def *def);

/* What surrounds all rods. */
typedef struct skein_env {
  double gravity[3]; /* m/s^2 */
  double wind[3];    /* m/s */
} skein_env;

SKEIN_API skein_env skein_default_env(void); /* 9.81 m/s^2 along -z, no wind */

/* A dead force and torque (world axes) at abscissa s. */
typedef struct skein_rod_load {
  double s; /* m from the root */
  double force[3], torque[3];
} skein_rod_load;

/* A spring from the point at s to the target: stiffness along the world axes, and towards the axes of the target. */
typedef struct skein_rod_hold {
  double s;
  skein_pose target;
  double stiffness[3]; /* N/m */
  double torsion;      /* N m/rad */
} skein_rod_hold;

typedef struct skein_rod skein_rod;

SKEIN_API skein_status skein_rod_create(const skein_rod_def *def, skein_rod **rod);
SKEIN_API void skein_rod_destroy(skein_rod *rod); /* NULL is fine */
SKEIN_API int skein_rod_dofs(const skein_rod *rod);
/* The definition as used; its arrays are NULL. */
SKEIN_API skein_rod_def skein_rod_definition(const skein_rod *rod);

/* The whole state (poses of the ends included) as plain numbers: what a checkpoint keeps. */
SKEIN_API int skein_rod_state_size(const skein_rod *rod);
SKEIN_API void skein_rod_state(const skein_rod *rod, double *x, double *v); /* v: one per dof; each may be NULL */
SKEIN_API skein_status skein_rod_set_state(skein_rod *rod, const double *x, const double *v);
/* Moves the state along dq (one number per dof: a velocity times a time). */
SKEIN_API skein_status skein_rod_displace(skein_rod *rod, const double *dq);

/* Copied; they stay until set again. */
SKEIN_API skein_status skein_rod_set_loads(skein_rod *rod, const skein_rod_load *loads, int count);
SKEIN_API skein_status skein_rod_set_holds(skein_rod *rod, const skein_rod_hold *holds, int count);
/* Where the held ends are to be at the end of the next step (or of the next relaxation). NULL: they stay. */
SKEIN_API skein_status skein_rod_drive(skein_rod *rod, const skein_pose *root, const skein_pose *tip);

/* ---- What is at abscissa s, 0 .. length; beyond, the nearest end ---- */
SKEIN_API void skein_rod_point(const skein_rod *rod, double s, skein_pose *pose);
SKEIN_API void skein_rod_velocity(const skein_rod *rod, double s, double velocity[3]);
/* J (3 x dofs, by rows) with velocity = J v + drift; dofs are numbered from the tip to the root. drift may be NULL. */
SKEIN_API void skein_rod_jacobian(const skein_rod *rod, double s, double *J, double drift[3]);
/* The same for the angular velocity of the frame. */
SKEIN_API void skein_rod_spin_jacobian(const skein_rod *rod, double s, double *J);

typedef struct skein_rod_energy {
  double kinetic, elastic, gravity; /* J; gravity is zero at the origin of the world, loads and holds not counted */
  double held;                      /* of the holds and minus the work of the dead forces */
} skein_rod_energy;

SKEIN_API skein_status skein_rod_energies(const skein_rod *rod, const skein_env *env, skein_rod_energy *energy);

/* ---- Motion without contact ---- */
typedef struct skein_rod_step_def {
  double dt;    /* s */
  double theta; /* 1: implicit Euler; 1/2: midpoint, second order, keeps energy; between: damps less than 1 */
  int threads;  /* 0: all cores. The bits of the answer do not depend on it */
} skein_rod_step_def;

SKEIN_API skein_rod_step_def skein_default_rod_step_def(void);

/* One step of every rod: M, inertia, forces, factor, solve, move. A failure names the rod; the failed ones keep their
 * state, the others have moved. */
SKEIN_API skein_status skein_rods_step(skein_rod *const *rods, int count, const skein_env *env,
                                       const skein_rod_step_def *def);

/* ---- Statics: damped Newton on the energy ---- */
typedef struct skein_relax_def {
  double tol;         /* on the Newton decrement, relative to sqrt(EI / L) */
  int max_iterations; /* per load step */
  int load_steps;     /* gravity, loads and driven ends come on in this many steps; halved where Newton fails */
} skein_relax_def;

typedef struct skein_relax_info {
  bool converged;
  bool
      stable; /* the last Hessian was positive definite: a minimum, not a saddle (torques have no energy: no verdict) */
  int iterations, load_steps;
  double decrement;
} skein_relax_info;

SKEIN_API skein_relax_def skein_default_relax_def(void);
/* A minimum of the energy near the present state; velocities become zero. */
SKEIN_API skein_status skein_rod_relax(skein_rod *rod, const skein_env *env, const skein_relax_def *def,
                                       skein_relax_info *info);
/* The `count` lowest eigenvalues omega^2 of (Hessian of the energy, M) at the present state, ascending; negative: the
 * state is not stable. shapes (count x dofs, each of norm one in M) may be NULL. */
SKEIN_API skein_status skein_rod_modes(const skein_rod *rod, const skein_env *env, int count, double *omega2,
                                       double *shapes);

#ifdef __cplusplus
}
#endif
#endif
