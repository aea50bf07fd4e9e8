/* The one-step problem: its form, files, error, solvers, and problems to try it on. For n contacts of dimension d
 * (2 or 3, normal first) and m degrees of freedom:
 *
 *     M v = f + H' r          M: symmetric positive definite, block diagonal by object
 *     u = H v + u_f           u: relative velocities at the contacts, r: impulses
 *     (r_i, u_i) in C(mu_i)   Coulomb's law at every contact: take-off, stick or slide
 *
 * or, reduced to the contacts:  u = W r + b,  W = H M^-1 H',  b = u_f + H M^-1 f. */
#ifndef SKEIN_PROBLEM_H
#define SKEIN_PROBLEM_H

#include <skein/base.h>

#ifdef __cplusplus
extern "C" {
#endif

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
  bool M_triangle;                       /* read: the file holds one triangle of M, which is whole here */
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
/* The radius of the ball on which the Alart-Curnier function projects: mu max(r_N - rho u_N, 0), as Alart and Curnier
 * have it, or mu max(r_N, 0), as in Bertails-Descoubes et al. 2011. */
typedef enum skein_ball { SKEIN_BALL_AUGMENTED, SKEIN_BALL_PLAIN } skein_ball;
typedef enum skein_measure { SKEIN_ERROR_REL, SKEIN_ERROR_FB } skein_measure;

/* Names as on the command line ("newton-ac", "mfb"); find returns -1 when there is none. */
SKEIN_API const char *skein_method_name(skein_method m);
SKEIN_API const char *skein_local_name(skein_local l);
SKEIN_API const char *skein_method_about(skein_method m); /* one line for --help */
SKEIN_API const char *skein_local_about(skein_local l);
SKEIN_API int skein_method_find(const char *name);
SKEIN_API int skein_local_find(const char *name);

/* Called with the error of the guess, after every evaluation of the error over all contacts, and between them as
 * skein_solve_def.look says; one call at a time but from any thread (islands are solved side by side). It changes no
 * bit of the answer, unless it returns true, which stops the solve (not converged). Only the measure that is solved for
 * is known, the other is NaN. */
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
  skein_ball ball; /* of newton-ac, pac and dac */
  bool freeze;     /* contact freezing (not with Anderson: its map must stay the same) */
  bool warm_start; /* start from solution->r */
  int look; /* progress is called every so many sweeps of Gauss-Seidel; 0: when the solver looks at the error itself */
  skein_progress_fn progress;
  void *user;
  skein_stop stop; /* asked after every sweep; true ends the solve as `progress` does */
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

/* The same by an object that keeps its memory: after a reduced problem it asks the system for none to solve another one
 * of that size or less, on one thread, as long as Gauss-Seidel does it. The bits are those of skein_solve, whatever it
 * solved before. */
typedef struct skein_solver skein_solver;

SKEIN_API skein_solver *skein_solver_create(void); /* NULL: no memory */
SKEIN_API void skein_solver_destroy(skein_solver *solver);
SKEIN_API skein_status skein_solver_solve(skein_solver *solver, const skein_problem *p, const skein_solve_def *def,
                                          skein_solution *solution, skein_solve_info *info);

/* `count` problems, of any sizes, side by side, each on one thread; the bits are those of skein_solve. All are solved,
 * whichever fails; the status is that of the first one that does. A progress function is called from any thread, of
 * several problems at a time. */
SKEIN_API skein_status skein_solve_batch(int count, const skein_problem *p, const skein_solve_def *def,
                                         skein_solution *solution, skein_solve_info *info);

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
