/* Skein: thin elastic rods, and exact Coulomb friction for fibres, rigid bodies and finite elements.
 *
 * The front door, read top to bottom in the order of the data flow:
 *   status -> rods -> problem -> file -> error -> solver -> scene, world, run -> measures, look, export -> generator
 *
 * The one-step problem, for n contacts of dimension d (2 or 3, normal first) and m degrees of freedom:
 *
 *     M v = f + H' r          M: symmetric positive definite, block diagonal by object
 *     u = H v + u_f           u: relative velocities at the contacts, r: impulses
 *     (r_i, u_i) in C(mu_i)   Coulomb's law at every contact: take-off, stick or slide
 *
 * or, reduced to the contacts:  u = W r + b,  W = H M^-1 H',  b = u_f + H M^-1 f.
 *
 * Letters are those of docs/notation.md. The library never prints, never exits and keeps no global state. */
#ifndef SKEIN_SKEIN_H
#define SKEIN_SKEIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SKEIN_API __attribute__((visibility("default")))
#else
#define SKEIN_API
#endif

#define SKEIN_VERSION_MAJOR 0
#define SKEIN_VERSION_MINOR 1
#define SKEIN_VERSION_PATCH 0

/* "0.1.0": the version of the library that is running, not of the header. */
SKEIN_API const char *skein_version(void);

/* ---- Status: what the outside world did to us ------------------------------------------------------------------ */

typedef enum skein_code {
  SKEIN_OK = 0,
  SKEIN_BAD_INPUT,  /* a file, a field or an argument is not what it must be */
  SKEIN_IO_FAILURE, /* the file system said no: cannot open, full disk */
  SKEIN_NO_MEMORY
} skein_code;

/* One line that names file, field and what was expected. Not converged is data (skein_solve_info), never a code. */
typedef struct skein_status {
  skein_code code;
  char message[512];
} skein_status;

/* ---- Rods ------------------------------------------------------------------------------------------------------ */

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

/* ---- The problem ----------------------------------------------------------------------------------------------- */

/* Sparse matrix by compressed rows: row i holds entries start[i] .. start[i+1]-1, columns in any order;
 * entries that are given twice add up. */
typedef struct skein_csr {
  int rows, cols;
  int64_t *start; /* rows + 1 */
  int *col;       /* start[rows] */
  double *val;    /* start[rows] */
} skein_csr;

typedef enum skein_form {
  SKEIN_REDUCED, /* W, b */
  SKEIN_GLOBAL   /* M, H, f, u_f */
} skein_form;

/* The one-step problem in one of its two forms; the arrays of the other form are NULL.
 * Vectors over contacts hold d components per contact, ordered normal, tangent (, tangent). */
typedef struct skein_problem {
  skein_form form;
  int d;        /* 2 or 3 */
  int contacts; /* n */
  int dofs;     /* m; 0 where a reduced problem does not know it */
  double *mu;   /* n, >= 0 */
  skein_csr W;  /* reduced: d n x d n, used as given, not symmetrised */
  double *b;    /* reduced: d n */
  skein_csr M;  /* global: m x m, symmetric positive definite */
  skein_csr H;  /* global: d n x m */
  double *f;    /* global: m */
  double *u_f;  /* global: d n */
} skein_problem;

/* Sizes agree, every number is finite, mu >= 0, M is symmetric: or a status that names the field. */
SKEIN_API skein_status skein_problem_check(const skein_problem *p);

/* W = H M^-1 H' (block by block, objects are the diagonal blocks of M), b = u_f + H M^-1 f. */
SKEIN_API skein_status skein_problem_reduce(const skein_problem *global, skein_problem *reduced);

/* Frees the arrays and zeroes the struct. */
SKEIN_API void skein_problem_destroy(skein_problem *p);

/* What one sees of a problem without solving it. */
typedef struct skein_problem_info {
  int contacts, dofs, d;
  int objects;        /* diagonal blocks of M; 0 when reduced */
  int islands;        /* connected components of contacts */
  int largest_island; /* contacts in it */
  int64_t blocks;     /* non-zero d x d blocks of W */
  double nu;          /* d n / m; 0 when m is unknown */
  double mu_min, mu_max;
  double diag_min, diag_max; /* of the diagonal of W */
  double asymmetry;          /* max |W - W'| / max |W| */
  double local_cond;         /* largest condition number of a diagonal block W_ii (infinite when one is singular) */
  double b_max;              /* U = max |b|_inf */
  double w_mean;             /* w = mean trace(W_ii)/d */
  int closing;               /* contacts with b_N < 0 */
} skein_problem_info;

SKEIN_API skein_status skein_problem_describe(const skein_problem *p, skein_problem_info *info);

/* ---- Solutions and FCLIB files --------------------------------------------------------------------------------- */

/* Any array may be NULL: not known. */
typedef struct skein_solution {
  double *r; /* d n impulses */
  double *u; /* d n relative velocities */
  double *v; /* m velocities (global form) */
} skein_solution;

SKEIN_API skein_status skein_solution_create(const skein_problem *p, skein_solution *s); /* zeroed arrays */
SKEIN_API void skein_solution_destroy(skein_solution *s);

/* The content of an FCLIB file (HDF5): one problem, guesses and a solution where the file has them. */
typedef struct skein_fclib {
  skein_problem problem;
  int guesses;
  skein_solution *guess;                 /* guesses of them */
  skein_solution solution;               /* arrays are NULL where the file has none */
  char *title, *description, *math_info; /* may be NULL */
} skein_fclib;

SKEIN_API skein_status skein_fclib_read(const char *path, skein_fclib *file);
/* Writes to a temporary file beside path and renames it: path is the old file or the whole new one. */
SKEIN_API skein_status skein_fclib_write(const char *path, const skein_fclib *file);
/* Puts the solution into an existing FCLIB file, everything else in it kept, in the same safe way. */
SKEIN_API skein_status skein_fclib_save_solution(const char *path, const skein_problem *p, const skein_solution *s);
SKEIN_API void skein_fclib_destroy(skein_fclib *file);

/* ---- The error ------------------------------------------------------------------------------------------------- */

/* fb  = max_i | f_FB(r^_i, u^_i) |_inf in the problem's own units,
 * rel = the same function of u/U and r w/U, U = max |b|_inf, w = mean trace(W_ii)/d: free of units. */
typedef struct skein_error {
  double fb, rel;
  int worst; /* contact with the largest rel; -1 when there are no contacts */
} skein_error;

/* The complementarity error of r over all contacts, with u computed by the full operator. It knows no solver.
 * u_out (d n) and v_out (m, global form) receive the velocities unless NULL. */
SKEIN_API skein_status skein_problem_error(const skein_problem *p, const double *r, skein_error *error, double *u_out,
                                           double *v_out);

/* ---- The solver ------------------------------------------------------------------------------------------------ */

typedef enum skein_method {
  SKEIN_AUTO, /* looks at the problem and at its own progress, and switches */
  SKEIN_GS,
  SKEIN_NEWTON_AC,
  SKEIN_NEWTON_MFB,
  SKEIN_ADMM,
  SKEIN_IPM, /* interior point: over-constrained problems where Gauss-Seidel crawls */
  SKEIN_METHOD_COUNT
} skein_method;

typedef enum skein_local {
  SKEIN_SECULAR,
  SKEIN_MFB,
  SKEIN_PAC,
  SKEIN_DAC,
  SKEIN_ENUM,
  SKEIN_DURIEZ06,
  SKEIN_DURIEZ08,
  SKEIN_PYRAMID4,
  SKEIN_LOCAL_COUNT
} skein_local;

typedef enum skein_operator { SKEIN_OPERATOR_AUTO, SKEIN_EXPLICIT, SKEIN_FACTORED } skein_operator;
typedef enum skein_accelerate { SKEIN_ACCELERATE_NONE, SKEIN_ANDERSON, SKEIN_RELAX } skein_accelerate;
typedef enum skein_measure { SKEIN_ERROR_REL, SKEIN_ERROR_FB } skein_measure;

/* Names as on the command line ("newton-ac", "mfb"); find returns -1 when there is none. */
SKEIN_API const char *skein_method_name(skein_method m);
SKEIN_API const char *skein_local_name(skein_local l);
SKEIN_API const char *skein_method_about(skein_method m); /* one line for --help */
SKEIN_API const char *skein_local_about(skein_local l);
SKEIN_API int skein_method_find(const char *name);
SKEIN_API int skein_local_find(const char *name);

/* Called after every full error evaluation, one call at a time but from any thread (islands are solved side by side);
 * returning true stops the solve (not converged). Only the measure that is solved for is known, the other is NaN. */
typedef struct skein_progress {
  int iteration;
  double seconds;
  skein_error error;
  const char *method; /* what is running: "gs", "newton-ac", ... */
} skein_progress;
typedef bool (*skein_progress_fn)(void *user, const skein_progress *progress);

typedef struct skein_solve_def {
  skein_method method;
  skein_local local;
  bool failsafe; /* "+enum": enum when the local solver missed its tolerance (secular: has no answer), then r = 0 */
  double tol;    /* on the measure below */
  skein_measure measure; /* rel: the default; fb: the paper's, in the problem's units */
  double local_tol;      /* same measure, one contact */
  int max_sweeps;        /* sweeps or Newton iterations, per island */
  double max_seconds;    /* 0: no limit */
  int threads;           /* 0: all cores. The bits of the answer do not depend on it */
  skein_operator operator_form;
  skein_accelerate accelerate;
  bool freeze;     /* contact freezing (not with Anderson: its map must stay the same) */
  bool warm_start; /* start from solution->r */
  int look; /* sweeps between two full evaluations of the error, which progress sees; 0: 20, or 10 where there are
               patches */
  skein_progress_fn progress;
  void *user;
} skein_solve_def;

SKEIN_API skein_solve_def skein_default_solve_def(void);

typedef struct skein_solve_info {
  bool converged;
  skein_error error; /* over all contacts, full operator */
  int iterations;    /* largest over islands */
  int islands;
  double seconds;       /* wall clock, operator included */
  double seconds_setup; /* building the operator */
  int threads;
  skein_method method; /* what solved the largest island: never SKEIN_AUTO unless nothing had to be solved */
  skein_operator operator_form;
  int64_t local_solves;     /* calls of the local solver */
  int64_t local_alternates; /* calls of the fail-safe ("+enum") */
  int64_t local_failures;   /* local problems above the local tolerance in the end */
  int stick, slide, open;   /* contacts of the solution by status */
} skein_solve_info;

/* Solves the problem. solution->r is required and is the guess when def->warm_start; u and v are filled when given. */
SKEIN_API skein_status skein_solve(const skein_problem *p, const skein_solve_def *def, skein_solution *solution,
                                   skein_solve_info *info);

/* One contact by itself: r of d components is the guess and the answer; W is d x d by rows.
 * *converged tells whether the local error is within tol (relative measure). */
SKEIN_API skein_status skein_solve_one(int d, const double *W, const double *b, double mu, skein_local local,
                                       bool failsafe, double tol, double *r, bool *converged);

/* ---- Linear complementarity ------------------------------------------------------------------------------------ */

/* w = A z + b >= 0, z >= 0, z'w = 0: frictionless contacts, for instance. */
typedef struct skein_lcp_def {
  double tol;     /* on the error below */
  int max_pivots; /* 0: 100 + 20 n */
} skein_lcp_def;

SKEIN_API skein_lcp_def skein_default_lcp_def(void);

typedef struct skein_lcp_info {
  bool converged;
  bool ray; /* it ended on a ray: for a positive semidefinite A there is no solution; z is 0 then */
  int pivots;
  double error; /* as skein_lcp_error says */
} skein_lcp_info;

/* Solves it by Lemke's algorithm with the lexicographic rule, which cannot cycle. A: any n x n matrix by rows. z (n)
 * and, unless NULL, w (n) are filled. def NULL: the default. Where there are several solutions, one of them. */
SKEIN_API skein_status skein_lcp_solve(int n, const double *A, const double *b, const skein_lcp_def *def, double *z,
                                       double *w, skein_lcp_info *info);
/* max_i |min(k_i z_i, w_i)| / max |b| with w = A z + b, k_i = a_ii where that is positive, else max_j |a_ij|. It knows
 * no solver. */
SKEIN_API skein_status skein_lcp_error(int n, const double *A, const double *b, const double *z, double *error);

/* ---- Scenes and the world -------------------------------------------------------------------------------------- */

typedef struct skein_scene skein_scene;

/* Reads and checks a scene file (docs/scene.md). sets: "path=value" strings that replace fields ("time.dt=1e-3"). */
SKEIN_API skein_status skein_scene_read(const char *path, const char *const *sets, int set_count, skein_scene **scene);
/* The same from text; `name` stands in messages, files are relative to `folder`. */
SKEIN_API skein_status skein_scene_parse(const char *text, const char *name, const char *folder,
                                         const char *const *sets, int set_count, skein_scene **scene);
SKEIN_API void skein_scene_destroy(skein_scene *scene);             /* NULL is fine */
SKEIN_API const char *skein_scene_source(const skein_scene *scene); /* the JSON text, with the sets in it */
SKEIN_API const char *skein_scene_title(const skein_scene *scene);
SKEIN_API double skein_scene_duration(const skein_scene *scene);      /* s */
SKEIN_API double skein_scene_fps(const skein_scene *scene);           /* frames per second of simulated time */
SKEIN_API int skein_scene_checkpoint_every(const skein_scene *scene); /* frames between two states of a run */

/* How the rods of a scene got their initial shapes. Names are of rods, NULL where there is none. */
typedef struct skein_start_info {
  int rods;
  int fitted;                    /* to strands of files or points: the largest distance between a strand and its rod, */
  double fit_most, fit_mean;     /* m: over all of them, and the mean over rods; */
  double share_most, share_mean; /* the same as shares of the rod's length */
  const char *fit_worst;
  int moved;                              /* out of bodies ("start": {"outside": true}): */
  double moved_most;                      /* m: largest way of a point */
  int inside;                             /* that start inside bodies (those that are to be moved out: all the same): */
  double inside_most;                     /* m: the deepest place */
  const char *inside_worst, *inside_body; /* of which rod, and in which body */
} skein_start_info;

SKEIN_API skein_start_info skein_scene_start(const skein_scene *scene);

/* A value that is allowed but hardly meant, as a modulus of 4 Pa. Texts are the scene's. */
typedef struct skein_warning {
  const char *field;       /* "materials.hair.E" */
  int line;                /* of the file */
  double value, low, high; /* in SI units: what it is, and the usual range */
  const char *unit;        /* of these, "Pa"; "" for numbers without one */
  const char *meant;       /* the unit in which the same number would be usual, "GPa"; "": none is known */
  double instead;          /* what the scene would say then, in its own units; NaN: not known */
  const char *text;        /* all that in a sentence that begins with the field */
} skein_warning;

/* Those of a scene, in the order of docs/scene.md. */
SKEIN_API const skein_warning *skein_scene_warnings(const skein_scene *scene, int *count);

/* What may be wrong with a step, seen from outside: by positions and velocities before and after it. A set of these is
 * an unsigned with bit 1 << flaw; none: the step is solved. */
typedef enum skein_flaw {
  SKEIN_FLAW_DIVERGED,   /* not finite, or an object has more energy of nothing than it has at all */
  SKEIN_FLAW_WOKEN,      /* something that slept was touched; never of a step that was accepted */
  SKEIN_FLAW_TOO_FAST,   /* a place went further than contacts were looked for */
  SKEIN_FLAW_MISSED,     /* the friction solver missed its tolerance */
  SKEIN_FLAW_CURVED,     /* places went elsewhere than the linear problem had them */
  SKEIN_FLAW_TOO_DEEP,   /* two axes went through each other, or an overlap is large and grew */
  SKEIN_FLAW_DEEP,       /* an overlap is large and did not grow */
  SKEIN_FLAW_UNBALANCED, /* energy came from nothing, or a speed is above its bound */
  SKEIN_FLAW_COUNT
} skein_flaw;

SKEIN_API const char *skein_flaw_name(skein_flaw flaw); /* "too deep" */

/* The worst of its kind in a step. Objects: rods first, then bodies (rods + index), -1: none. */
typedef struct skein_finding {
  double size;
  int a, b;
} skein_finding;

/* What the step is worth. Lengths in contact lengths: the collision radius of the thinner rod, of two bodies a fiftieth
 * of the smaller one. */
typedef struct skein_verdict {
  unsigned flaws;
  skein_finding overlap; /* at the end of the step, between the true curves; of two rods, or a rod and a body */
  skein_finding deeper;  /* by how much one grew in the step */
  skein_finding curved;  /* largest way of a contact beside what the linear problem had */
  skein_finding balance; /* energy of nothing of an object, over its energy scale */
  skein_finding reach;   /* largest motion of a place over what was searched */
  skein_finding speed;   /* largest of a place over its bound */
  skein_finding crossed; /* the first pair whose axes went through each other; size: how many pairs did */
  double made;           /* J: energy of nothing, all objects */
  double turnover;       /* J: work of gravity, forces and driven ends, by size: what `made` is measured by */
} skein_verdict;

enum { SKEIN_ATTEMPTS = 24 }; /* of one step, at most */

/* What follows an attempt at a step. */
typedef enum skein_action {
  SKEIN_ACCEPT,
  SKEIN_ACCEPT_FLAWED,
  SKEIN_WAKE,
  SKEIN_SEARCH_FURTHER,
  SKEIN_SOLVE_ON,
  SKEIN_ASK_LESS,
  SKEIN_HALVE,
  SKEIN_GIVE_UP,
  SKEIN_ACTION_COUNT
} skein_action;

SKEIN_API const char *skein_action_name(skein_action action); /* "halve" */

typedef struct skein_attempt {
  double dt;      /* s */
  unsigned flaws; /* as in the verdict */
  skein_action action;
  int sweeps;
  double seconds; /* wall clock */
} skein_attempt;

/* What one step did. All in SI units; a row of the statistics. */
typedef struct skein_step_info {
  double time, dt; /* s: at the end of the step, and its length */
  int retries;     /* shorter tries before this one */
  int contacts, islands, rods_asleep;
  double nu;      /* 3 contacts / dofs of what is not asleep */
  int sweeps;     /* largest over islands */
  double error;   /* error_rel over all contacts */
  double tol;     /* what was asked for: less at rest than in motion */
  bool converged; /* error <= tol */
  int stick, slide, open;
  double penetration;               /* largest overlap, in radii */
  double speed;                     /* largest of any point, m/s */
  double kinetic, elastic, gravity; /* J, at the end of the step */
  double work;                      /* J, by the forces of the scene in this step */
  double dissipated;                /* J, by friction and impacts in this step */
  double dissipated_friction;       /* J, of that: by what is tangential */
  double seconds_rods, seconds_collide, seconds_assemble, seconds_solve, seconds_other; /* wall clock */
  double seconds_loop; /* of seconds_solve: the iterations alone, without building W */
  double memory;       /* MB, the most that the process has had so far */
  skein_verdict verdict;
  int attempts; /* at this step, the accepted one with them */
  skein_attempt attempt[SKEIN_ATTEMPTS];
} skein_step_info;

typedef struct skein_world skein_world;

/* threads 0: all cores. The bits of what follows do not depend on it. The scene must live as long as the world. */
SKEIN_API skein_status skein_world_create(const skein_scene *scene, int threads, skein_world **world);
SKEIN_API void skein_world_destroy(skein_world *world);
/* Negative while the world settles (time.settle of the scene), which its first steps do. */
SKEIN_API double skein_world_time(const skein_world *world);
/* One step, not beyond `until`. BAD_INPUT when the motion blew up (the message names the step and the rods); the
 * problem of that step is then what skein_world_problem returns. */
SKEIN_API skein_status skein_world_step(skein_world *world, double until, skein_step_info *info);
/* The one-step problem of the last step and its solution; valid until the next step. NULL: it had no contacts. */
SKEIN_API const skein_problem *skein_world_problem(const skein_world *world);
SKEIN_API const skein_solution *skein_world_solution(const skein_world *world);
/* The impulses that its solver began with: those of the step before, where contacts go on. NULL: no contacts. */
SKEIN_API const double *skein_world_guess(const skein_world *world);

/* What is in it, to look at: rod i (their number may grow by cuts), body i with its place, quaternion (w x y z),
 * velocity and angular velocity. */
SKEIN_API int skein_world_rods(const skein_world *world);
SKEIN_API const skein_rod *skein_world_rod(const skein_world *world, int i);
SKEIN_API int skein_world_bodies(const skein_world *world);
SKEIN_API void skein_world_body(const skein_world *world, int i, double place[3], double quaternion[4],
                                double velocity[3], double spin[3]);

/* The smallest distance of two bodies that may touch and of which one is dynamic, as they are now (negative: overlap);
 * infinite when all are further apart than reach (m). By all pairs of shapes, whatever the last step thought. */
SKEIN_API skein_status skein_world_nearest(const skein_world *world, double reach, double *distance);

/* ---- By hand, while it runs: between two steps; the state knows it ---- */

/* Pulls the point at abscissa s (m) of a rod to a target (m) with a critically damped spring (N/m), until set again
 * with the same rod and s; target NULL lets go. Stable for any stiffness. Several pulls at a time; cuts take them
 * along. */
SKEIN_API skein_status skein_world_set_pull(skein_world *world, int rod, double s, const double target[3],
                                            double stiffness);
SKEIN_API skein_env skein_world_env(const skein_world *world);                               /* as it is now */
SKEIN_API skein_status skein_world_set_gravity(skein_world *world, const double gravity[3]); /* m/s^2 */
SKEIN_API skein_status skein_world_set_wind(skein_world *world, const double wind[3]);       /* m/s */
/* Friction of two groups (numbers as in frames); negative: they pass through each other, and cannot be set. */
SKEIN_API skein_status skein_world_mu(const skein_world *world, int group_a, int group_b, double *mu);
SKEIN_API skein_status skein_world_set_mu(skein_world *world, int group_a, int group_b, double mu);

/* The whole state as bytes (warm starts included), and back: the world goes on with the same bits. The caller frees. */
SKEIN_API skein_status skein_world_save(const skein_world *world, void **bytes, size_t *size);
SKEIN_API skein_status skein_world_load(skein_world *world, const void *bytes, size_t size);

/* What a frame shows. Arrays belong to whoever made it (world or run). */
typedef struct skein_frame {
  int index; /* 0: the start */
  double time;
  double dt; /* s: of the last step before it; 0: none. Impulse / dt is a force */
  int rods, points;
  int *point_start; /* rods + 1: the points of rod i are point_start[i] .. point_start[i+1] - 1, root to tip */
  float *point;     /* 3 each, m */
  float *radius;    /* of each rod, m */
  int *rod_group;   /* of each rod */
  int *rod_source;  /* of each rod: which one of the scene it is, or was cut from */
  int bodies;
  double *body_pose; /* 7 each: place, quaternion w x y z */
  int contacts;
  int *contact_object;                                      /* 2 each: rods first, then bodies (rods + index) */
  double *contact_s;                                        /* 2 each: abscissa on a rod, 0 on a body */
  double *contact_point, *contact_normal, *contact_impulse; /* 3 each, world axes; impulse on the first object, N s */
  double *contact_gap;                                      /* m */
  signed char *contact_status;                              /* 0 open, 1 stick, 2 slide */
  int surfaces, surface_vertices;                           /* of bodies that deform; vertices of all together */
  int *surface_body;                                        /* of each surface: which body */
  int *surface_start;    /* surfaces + 1: the vertices of surface k are surface_start[k] .. surface_start[k+1] - 1 */
  float *surface_vertex; /* 3 each, m, axes of the body, in the order of the mesh's file */
} skein_frame;

SKEIN_API skein_status skein_world_frame(const skein_world *world, int index, skein_frame *frame);
SKEIN_API void skein_frame_destroy(skein_frame *frame);

/* ---- Runs: RUN.h5 ---------------------------------------------------------------------------------------------- */

typedef struct skein_run skein_run;

/* A new run (an existing file is replaced at the first frame); one that exists, to be continued or read.
 * While it is written, a run is a small file that refers to finished frames in the folder PATH.d; whatever kills the
 * program, PATH opens with every frame that was appended. skein_run_finish makes one file of it. */
SKEIN_API skein_status skein_run_create(const char *path, const skein_scene *scene, skein_run **run);
SKEIN_API skein_status skein_run_open(const char *path, bool write, skein_run **run);
SKEIN_API void skein_run_close(skein_run *run); /* NULL is fine; what was appended stays */
/* Appends a frame, the steps that led to it, and the state of the world after it. On failure (full disk) the file is as
 * before. state NULL: the one before stays; opened for writing again, the run goes on from there, and frames behind it
 * come again. */
SKEIN_API skein_status skein_run_append(skein_run *run, const skein_frame *frame, const skein_step_info *steps,
                                        int step_count, const void *state, size_t state_size);
/* The state between two frames, or before the first, with the steps since the last one: where a stopped run goes on. */
SKEIN_API skein_status skein_run_checkpoint(skein_run *run, const skein_step_info *steps, int step_count,
                                            const void *state, size_t state_size);
SKEIN_API skein_status skein_run_finish(skein_run *run);

SKEIN_API int skein_run_frames(const skein_run *run);
SKEIN_API double skein_run_fps(const skein_run *run);
SKEIN_API const char *skein_run_title(const skein_run *run);   /* of the scene */
SKEIN_API const char *skein_run_source(const skein_run *run);  /* the scene's JSON */
SKEIN_API const char *skein_run_version(const skein_run *run); /* of the library that wrote it */
/* Where the files that the scene names are: kept in the run, "" unless set before the first frame. */
SKEIN_API const char *skein_run_folder(const skein_run *run);
SKEIN_API skein_status skein_run_set_folder(skein_run *run, const char *folder);
/* The last state and the steps since the last frame (the caller frees both); size 0: none. */
SKEIN_API skein_status skein_run_state(const skein_run *run, void **state, size_t *size, skein_step_info **steps,
                                       int *step_count);
SKEIN_API skein_status skein_run_frame(const skein_run *run, int index, skein_frame *frame);
/* All steps of the frames, one after the other; the caller frees. */
SKEIN_API skein_status skein_run_steps(const skein_run *run, skein_step_info **steps, int *count);

/* ---- Measures: what a run shows (docs/measures.md) -------------------------------------------------------------- */

/* After each frame of a run; returning false stops, with BAD_INPUT. */
typedef bool (*skein_measure_fn)(void *user, int done, int all);

typedef struct skein_measure_def {
  double reach;              /* clumps: rods are close where their axes are within this many sums of their radii, */
  double share;              /* joined where that is so over this share of the length of one of them, */
  double hold;               /* s: and was so this long before, */
  double slip;               /* sums of radii: without sliding further than this along each other; INFINITY: any way */
  double cell;               /* m: edge of the cells that rods occupy */
  double outer;              /* contacts of rods with bodies are watched from this share of their length on */
  skein_measure_fn progress; /* of skein_measure_run; may be NULL */
  void *user;
} skein_measure_def;

SKEIN_API skein_measure_def skein_default_measure_def(void); /* 2 radii, half the length, 0.2 s, 1 radius; 1 cm; half */

/* Connected components of rods that run side by side and move as one. */
typedef struct skein_clumps {
  int clumps;    /* of two rods or more */
  int singles;   /* rods that are joined to none */
  int largest;   /* rods in the largest; 1: none is joined, 0: there are no rods */
  int pairs;     /* joined ones */
  double mean;   /* rods per clump; 0: there are none */
  double of_rod; /* size of the clump that a rod is in, 1 for singles: mean over the rods */
} skein_clumps;

/* before: an earlier frame of the same rods, in which places must have been close, too, and since which they have not
 * slid; NULL: close now is enough. clump (one number per rod, may be NULL) receives the first rod of its clump, -1:
 * single. */
SKEIN_API skein_status skein_measure_clumps(const skein_frame *before, const skein_frame *frame,
                                            const skein_measure_def *def, int *clump, skein_clumps *clumps);

typedef struct skein_volume {
  double occupied; /* m^3: cells that a rod passes through */
  double envelope; /* m^3: cells that have such ones on both sides, or are one, along two axes at least */
  double spread;   /* m: root mean square distance of the rods from their middle */
} skein_volume;

SKEIN_API skein_status skein_measure_volume(const skein_frame *frame, double cell, skein_volume *volume);

/* Between two frames with the same rods, 17 places of each. */
typedef struct skein_motion {
  double root_speed; /* m/s, the largest of a root: what holds the hair */
  double speed;      /* m/s, root mean square over all places */
  double fastest;    /* m/s, the largest */
  double shift;      /* m, the longest way of a place */
} skein_motion;

SKEIN_API skein_status skein_measure_motion(const skein_frame *before, const skein_frame *frame, skein_motion *motion);

/* How a rod rubs on bodies, with the outer part of its length. */
typedef struct skein_rub {
  int contacts;
  int status;   /* -1: touches none, 0 open, 1 stick, 2 slide: the largest of its contacts */
  double slip;  /* m along the bodies since the frame before, mean over its contacts */
  double force; /* N, normal, sum */
} skein_rub;

/* rubs: one per rod. */
SKEIN_API skein_status skein_measure_rubs(const skein_frame *before, const skein_frame *frame, double outer,
                                          skein_rub *rubs);

/* Over the last `window` s of the steps. */
typedef struct skein_rest {
  double from, to;         /* s */
  double speed, kinetic;   /* the largest: m/s, J */
  double speed_end;        /* m/s */
  double contacts_changed; /* largest change of the number of contacts of a status between two steps */
} skein_rest;

SKEIN_API skein_rest skein_measure_rest(const skein_step_info *steps, int count, double window);

/* All of it, for one frame of a run; with the steps that led to it. */
typedef struct skein_measure_row {
  double time; /* s */
  skein_motion motion;
  skein_clumps clumps;
  skein_volume volume;
  double contacts, stick, slide, open; /* mean number over the steps, and shares of it; NaN: no step, no contacts */
  double kinetic;                      /* J, at the frame */
  double dissipated, friction;         /* J since the frame before: by contacts, of that by friction */
} skein_measure_row;

typedef struct skein_measures {
  int frames, rods;       /* rods: of the first frame */
  skein_measure_row *row; /* frames of them */
  int strand;             /* the rod that both sticks and slides on bodies for the longest time; -1: none does */
  skein_rub *rub;         /* frames of them: how that one rubs */
  skein_rest rest;        /* over the last 2 s */
  double shift;           /* m: longest way of a place between the frames at the two ends of that time */
} skein_measures;

SKEIN_API skein_status skein_measure_run(const skein_run *run, const skein_measure_def *def, skein_measures *measures);
SKEIN_API void skein_measures_destroy(skein_measures *measures);

/* ---- What a run looks like: for pictures, pages and exported files --------------------------------------------- */

/* Meshes of the bodies, colours, groups and the camera of a scene; needs the scene only while it is created. That of a
 * run: skein_scene_parse of skein_run_source with skein_run_folder. */
typedef struct skein_look skein_look;

typedef struct skein_look_body {
  const char *name, *group;
  int vertices, triangles;
  const float *vertex, *normal; /* 3 per vertex, m, axes of the body (frame->body_pose takes them to the world) */
  const int *triangle;          /* 3 each, counter-clockwise from outside */
  float colour[3];              /* linear RGB, 0 to 1 */
  bool endless;                 /* a plane: the mesh is a square that covers the scene */
  bool moves;                   /* prescribed or dynamic */
  bool deforms;                 /* vertex and normal are those of t = 0: skein_look_surface has those of a frame */
} skein_look_body;

typedef struct skein_look_camera {
  bool given;
  double eye[3], target[3], up[3]; /* m; up is a unit vector */
  double fov;                      /* degrees, from the lower to the upper edge */
} skein_look_camera;

SKEIN_API skein_status skein_look_create(const skein_scene *scene, skein_look **look);
SKEIN_API void skein_look_destroy(skein_look *look); /* NULL is fine */
SKEIN_API int skein_look_bodies(const skein_look *look);
SKEIN_API const skein_look_body *skein_look_body_at(const skein_look *look, int i);
/* The vertices of body i in a frame and, unless NULL, their normals (3 per vertex of the body, its axes). */
SKEIN_API void skein_look_surface(const skein_look *look, const skein_frame *f, int i, float *vertex, float *normal);
SKEIN_API int skein_look_groups(const skein_look *look);
SKEIN_API const char *skein_look_group_name(const skein_look *look, int g);
SKEIN_API int skein_look_materials(const skein_look *look); /* those that rods are made of */
SKEIN_API const char *skein_look_material_name(const skein_look *look, int m);
/* By material; linear RGB. */
SKEIN_API void skein_look_rod_colour(const skein_look *look, const skein_frame *f, int rod, float colour[3]);
SKEIN_API skein_look_camera skein_look_camera_of(const skein_look *look); /* given = false: the scene has none */
/* Of rods with their radius and bodies without planes; false: there are none. */
SKEIN_API bool skein_look_bounds(const skein_look *look, const skein_frame *f, double lo[3], double hi[3]);

/* What colours show. */
typedef enum skein_colour {
  SKEIN_BY_MATERIAL,
  SKEIN_BY_GROUP,
  SKEIN_BY_SPEED,
  SKEIN_BY_STATUS,
  SKEIN_BY_FORCE,
  SKEIN_BY_ISLAND,
  SKEIN_COLOUR_COUNT
} skein_colour;

SKEIN_API const char *skein_colour_name(skein_colour by);
SKEIN_API int skein_colour_find(const char *name);         /* -1: none */
SKEIN_API const char *skein_colour_about(skein_colour by); /* one line for --help */
SKEIN_API const char *skein_colour_unit(skein_colour by);  /* "m/s", "N"; "": it is not a continuous scale */
SKEIN_API void skein_colour_ramp(double t, float rgb[3]);  /* the continuous scale, t from 0 to 1 */

/* One number per point of the frame, always finite: material, group (numbers as above), speed in m/s (by the difference
 * to `before`, an earlier frame; NULL: 0), status (0 none or open, 1 stick, 2 slide: of contacts near the point), force
 * in N (of contacts, fading over two diameters from each), island (the number of its first rod; -1: touches nothing).
 */
SKEIN_API skein_status skein_look_values(const skein_look *look, skein_colour by, const skein_frame *before,
                                         const skein_frame *f, float *value);
/* The same as colours, 3 per point, linear RGB. lo, hi: range of a continuous scale; where *lo == *hi it is taken from
 * the values and returned. Both NULL: taken, not returned. */
SKEIN_API skein_status skein_look_colours(const skein_look *look, skein_colour by, const skein_frame *before,
                                          const skein_frame *f, double *lo, double *hi, float *rgb);

/* Numbers of skein_look_values as colours, 3 per number, linear RGB; lo and hi as above. value may be the last third of
 * rgb. */
SKEIN_API void skein_look_paint(const skein_look *look, skein_colour by, const float *value, int count, double *lo,
                                double *hi, float *rgb);

typedef struct skein_legend_entry {
  const char *name;
  float colour[3];
} skein_legend_entry;

/* Entry i of a named scale (material, group, status), as long as it returns true; false at once: continuous (speed,
 * force: skein_colour_ramp) or without names (island). */
SKEIN_API bool skein_look_legend(const skein_look *look, skein_colour by, int i, skein_legend_entry *entry);

/* ---- Hairs: many strands for pictures, from the few that were simulated ----------------------------------------- */

/* Guides are simulated rods; hairs root between them on the skin of the body that holds them, and follow those nearest
 * (docs/hairs.md). */
typedef struct skein_hairs_def {
  int hairs;          /* 1 to 1,000,000 */
  double clump;       /* 0 to 1: how far hairs gather around their guide towards the tip */
  double frizz;       /* 0 to 10: how far a hair strays by itself, in radii of its guide */
  double width;       /* m: diameter of a hair; 0: 0.08 mm, thicker where there are few */
  double vary;        /* 0 to 0.9: hairs are shorter than their guides, by up to this share */
  int points;         /* of each hair, 2 to 256; 0: enough for the curls of the guides */
  uint64_t seed;      /* of the same seed, the first hairs are the same whatever their number */
  const char *groups; /* names of groups whose rods are guides, with commas; NULL: those of which a body holds 20 rods
                         or more by their root */
  int threads;        /* 0: all cores. The bits of the hairs do not depend on it */
} skein_hairs_def;

SKEIN_API skein_hairs_def skein_default_hairs_def(void);

typedef struct skein_hairs skein_hairs;

/* first: frame 0 of the run; hairs are rooted and tied to their guides there. Needs scene and frame only while it is
 * created. BAD_INPUT where no rods can be guides. */
SKEIN_API skein_status skein_hairs_create(const skein_scene *scene, const skein_frame *first,
                                          const skein_hairs_def *def, skein_hairs **hairs);
SKEIN_API void skein_hairs_destroy(skein_hairs *hairs); /* NULL is fine */
SKEIN_API int skein_hairs_guides(const skein_hairs *hairs);
SKEIN_API int skein_hairs_points(const skein_hairs *hairs); /* of each hair */
/* The guide of a hair: the rod of the scene (rod_source) that is nearest to it. */
SKEIN_API int skein_hairs_guide_of(const skein_hairs *hairs, int hair);
/* The frame with hairs in the place of the guides: hairs first, then rods that are no guides (and what was cut off from
 * guides). Contacts of a guide are those of its first hair; without one they are left out. The caller destroys it. */
SKEIN_API skein_status skein_hairs_frame(const skein_hairs *hairs, const skein_frame *frame, skein_frame *out);
/* As skein_look_values, one number per point of the frame above: a hair has the values of its guide. */
SKEIN_API skein_status skein_hairs_values(const skein_hairs *hairs, const skein_look *look, skein_colour by,
                                          const skein_frame *before, const skein_frame *frame, float *value);

/* ---- Export: a run as files of other programs (docs/formats.md) ------------------------------------------------- */

typedef enum skein_format {
  SKEIN_USDA, /* USD: animated curves and meshes, one file */
  SKEIN_VTP,  /* VTK: .pvd and a folder of PolyData files, with values per point and per contact */
  SKEIN_HAIR, /* Cem Yuksel's .hair, one file per frame */
  SKEIN_OBJ,  /* Wavefront, one file per frame */
  SKEIN_PLY,  /* vertices and edges, one file per frame */
  SKEIN_CSV,  /* a line per point, one file */
  SKEIN_FORMAT_COUNT
} skein_format;

SKEIN_API const char *skein_format_name(skein_format f);
SKEIN_API const char *skein_format_about(skein_format f); /* one line for --help */
SKEIN_API int skein_format_find(const char *name);        /* -1: none */
SKEIN_API int skein_format_of_path(const char *path);     /* by its ending; -1: none */
SKEIN_API bool skein_format_has_bodies(skein_format f);
SKEIN_API bool skein_format_has_contacts(skein_format f);

typedef struct skein_export_def {
  skein_format format;
  const char *path;      /* series: "out_%04d.hair", or "out.hair", which becomes that where there are several frames */
  int first, last, step; /* frames; last -1: the last one of the run */
  double unit;           /* m per unit of the file */
  bool y_up;             /* axes (x, z, -y): up is y, not z */
  int points;            /* of each rod, evenly along it; 0: those of the run, whose number may change with time */
  bool bodies, contacts;
  const skein_hairs_def *hairs; /* hairs instead of the rods that were simulated; NULL: none. `points`, where given, are
                                   those of a hair */
  bool (*progress)(int done, int all, void *user); /* after each frame; false stops. May be NULL */
  void *user;
} skein_export_def;

SKEIN_API skein_export_def skein_default_export_def(void); /* USD, all frames, metres, z up, with bodies */

typedef struct skein_export_info {
  int frames, files;
  int64_t bytes;
  bool stopped; /* by progress: nothing was left on the disk */
} skein_export_info;

/* Writes the files: all of them, whole, or none. The scene's files (meshes of bodies) must be where they were. */
SKEIN_API skein_status skein_export(const skein_run *run, const skein_export_def *def, skein_export_info *info);

/* ---- Problems to try it on ------------------------------------------------------------------------------------- */

typedef struct skein_hairlike_def {
  int rods, contacts, dofs_per_rod;
  double mu;
  uint64_t seed;
} skein_hairlike_def;

SKEIN_API skein_hairlike_def skein_default_hairlike_def(void);

/* Dense SPD rods on a lattice in contact with their neighbours, over-constrained as dense hair is. Global form. */
SKEIN_API skein_status skein_make_hairlike(const skein_hairlike_def *def, skein_problem *p);

typedef struct skein_manufactured_def {
  int d, objects, contacts, dofs_per_object;
  double mu;
  double open, stick; /* shares of contacts; the rest slides */
  uint64_t seed;
} skein_manufactured_def;

SKEIN_API skein_manufactured_def skein_default_manufactured_def(void);

/* A solution is chosen (open, stick, slide), W drawn, b derived: the answer is known. Global form. */
SKEIN_API skein_status skein_make_manufactured(const skein_manufactured_def *def, skein_problem *p,
                                               skein_solution *answer);

#ifdef __cplusplus
}
#endif
#endif
