/* `skein validate`: rods, and contacts of rods and bodies, against solutions that were computed independently.
 *
 * cmd_validate.c (options) -> a row of the table of tests -> rows and curves (validate.c) -> table, JSON
 * (validate_report.c), figures (validate_plot.c).
 *
 * Rods without contact are without dimension: length 1, EI = 1, mass per length 1, so that gravity is Gamma = rho S g
 * L^3 / EI and times are in units of L^2 sqrt(rho S / EI). */
#ifndef SKEIN_TOOL_VALIDATE_H
#define SKEIN_TOOL_VALIDATE_H

#include "tool.h"

/* ---- Results ---- */

typedef enum validate_verdict {
  VALIDATE_PASS,
  VALIDATE_FAIL,
  VALIDATE_CANNOT, /* the model lacks what the test is about */
  VALIDATE_SAME,   /* another model has the same equations here */
  VALIDATE_SHOWN   /* reported, not judged */
} validate_verdict;

typedef enum validate_kind {
  VALIDATE_NUMBER, /* error relative to the reference */
  VALIDATE_POINT,  /* error: distance as a share of the length */
  VALIDATE_RATIO,  /* the result is to be at least the reference */
  VALIDATE_SHAPE,  /* 0: planar, 1: three-dimensional */
  VALIDATE_MARK    /* a verdict without numbers */
} validate_kind;

enum { VALIDATE_LABEL = 96 };

/* What a row is about: a rod model, or rigid bodies alone, which stand after the models. */
enum { VALIDATE_BODIES = SKEIN_ROD_MODEL_COUNT, VALIDATE_MODELS };

/* One line of the table. */
typedef struct validate_row {
  const char *test;
  int model;
  validate_kind kind;
  validate_verdict verdict;
  char label[VALIDATE_LABEL], note[160];
  int size; /* of reference and result */
  double reference[3], result[3], error, allowed;
} validate_row;

/* Points (x, y) of one line of a figure; model -1: the reference. */
typedef struct validate_curve {
  const char *figure;
  int model;
  char label[VALIDATE_LABEL];
  int points;
  double *xy;
} validate_curve;

typedef struct validate_results {
  validate_row *row;
  validate_curve *curve;
  int rows, curves;
  bool no_memory;
} validate_results;

/* ---- Tests: one row each of the table in validate.c ---- */

typedef struct validate_test validate_test;

/* One test of one model. */
typedef struct validate_task {
  const validate_test *test;
  skein_rod_model model; /* or VALIDATE_BODIES */
  validate_results *results;
} validate_task;

struct validate_test {
  const char *name, *about;
  bool twist;   /* only for models that know twist */
  bool statics; /* models that differ in their step only need not run it */
  void (*run)(const validate_task *task);
  unsigned on; /* bits of the models that it is about; 0: every rod model */
};

enum { VALIDATE_TESTS = 22 };
extern const validate_test validate_tests[VALIDATE_TESTS];
bool validate_is_about(const validate_test *test, int model);
const char *validate_model_name(int model); /* "bodies" after the rod models */

/* Runs the test, or marks the model that cannot. */
void validate_run(const validate_task *task);

void validate_cantilever(const validate_task *task); /* validate_statics.c */
void validate_order(const validate_task *task);
void validate_helix(const validate_task *task);
void validate_bend_twist(const validate_task *task); /* validate_bend_twist.c */
void validate_release(const validate_task *task);    /* validate_dynamics.c */
void validate_energy(const validate_task *task);
void validate_frequencies(const validate_task *task);
void validate_euler(const validate_task *task); /* validate_buckling.c */
void validate_column(const validate_task *task);
void validate_lateral(const validate_task *task);
void validate_ring(const validate_task *task);
void validate_incline(const validate_task *task); /* validate_contact_slide.c */
void validate_stopping(const validate_task *task);
void validate_pulled(const validate_task *task);
void validate_isotropy(const validate_task *task);
void validate_ball(const validate_task *task);        /* validate_contact_ball.c */
void validate_stick_slip(const validate_task *task);  /* validate_contact_stick_slip.c */
void validate_capstan(const validate_task *task);     /* validate_contact_capstan.c */
void validate_knot(const validate_task *task);        /* validate_contact_knot.c */
void validate_dissipation(const validate_task *task); /* validate_contact_laws.c */
void validate_units(const validate_task *task);
void validate_frame(const validate_task *task); /* validate_contact_frame.c */

/* ---- validate.c: rows and curves. A status that is not OK makes a row that failed, with its message. ---- */

/* allowed NaN: shown, not judged. */
void validate_add_number(const validate_task *task, const char *label, const skein_status *status, double reference,
                         double result, double allowed);
void validate_add_point(const validate_task *task, const char *label, const skein_status *status, int size,
                        const double *reference, const double *result, double allowed);
void validate_add_ratio(const validate_task *task, const char *label, const skein_status *status, double least,
                        double result, bool judged);
void validate_add_shape(const validate_task *task, const char *label, const skein_status *status, bool reference,
                        bool result);
/* The note of the last row. */
__attribute__((format(printf, 2, 3))) void validate_note(const validate_task *task, const char *format, ...);
/* A copy of `points` pairs; model -1: the reference, taken once. */
void validate_add_curve(validate_results *results, const char *figure, int model, const char *label, int points,
                        const double *xy);
void validate_results_append(validate_results *to, const validate_results *from); /* copies */
void validate_results_destroy(validate_results *results);

/* ---- validate_rod.c: the rod without dimensions ---- */

extern const double validate_pi;

/* Length 1, EI = 1, mass per length 1, GJ = ratio, round section of the given radius; clamped at the origin. */
skein_rod_def validate_def(skein_rod_model model, int elements, double radius, double ratio);
/* Root frames: tangent along x with d2 up; tangent straight down with d1 along x. */
skein_pose validate_pose_horizontal(void);
skein_pose validate_pose_down(void);
skein_env validate_gravity(double gamma); /* along -z */
/* 16 to 32 elements for the super-helix, 64 for chains. */
int validate_elements(skein_rod_model model, int super_helix);
double validate_allowed(skein_rod_model model, double super_helix); /* 2 % for the others */

/* Equilibrium under env, the load coming on in steps of so many iterations; an error where Newton does not arrive. */
skein_status validate_relax(skein_rod *rod, const skein_env *env, int load_steps, int iterations);
/* How much a shape (one number per dof) moves along each axis: squares summed over ten points. false: no memory. */
bool validate_motion(const skein_rod *rod, const double *shape, double square[3]);
/* Lowest eigenvalue omega^2 whose shape moves along `axis` (0, 1, 2) at least as much as along the others. */
skein_status validate_lowest(const skein_rod *rod, const skein_env *env, int axis, double *omega2);
/* Points of the centreline (share of s): count pairs of coordinates i and j. */
void validate_outline(const skein_rod *rod, int i, int j, int count, double *xy);

/* The load at which an eigenvalue falls to zero, from below: begins at from, from + width, from + 2 width and ends with
 * an extrapolation over less than the share tol. */
typedef skein_status (*validate_eigen_fn)(const void *user, double load, double *eigenvalue);
skein_status validate_critical(validate_eigen_fn eval, const void *user, double from, double width, double tol,
                               double *critical);

/* ---- validate_contact.c: worlds that tests step through ---- */

/* A world made from text; a status that is not OK stays, and nothing moves any more. */
typedef struct contact_world {
  skein_scene *scene;
  skein_world *world;
  skein_status status;
  skein_step_info info; /* of the last step */
  double least_dt;      /* of all steps */
  int unfinished;       /* steps whose solve did not arrive */
} contact_world;

/* The scene as JSON, written with ' for ". */
__attribute__((format(printf, 1, 2))) contact_world contact_open(const char *format, ...);
bool contact_step(contact_world *c, double until); /* one step; false: failed, or `until` is reached */
void contact_run(contact_world *c, double until);
void contact_close(contact_world *c);
/* Centre of what body i is, or of rod i (mean over its centreline): place and velocity. */
void contact_body(const contact_world *c, int i, double place[3], double velocity[3]);
void contact_rod(const contact_world *c, int i, double place[3], double velocity[3]);

/* The forces (N) on rods from bodies in the last step summed up, and their torque about a point. */
typedef struct contact_force {
  double force[3], torque[3], normal; /* normal: sum of the normal parts */
  int contacts, stick, slide;         /* contacts that press */
} contact_force;

contact_force contact_sum(contact_world *c, const double about[3]);

/* ---- validate_report.c ---- */
void validate_print_test(const validate_results *results, int first, const validate_test *test, double seconds);
/* Summary line and the matrix model x test. */
void validate_print_summary(const validate_results *results, const bool *tests, const bool *models);
int validate_print_json(const validate_results *results);
int validate_count(const validate_results *results, validate_verdict verdict);

/* ---- validate_plot.c, validate_figures.c ---- */
/* DIR is there and can be written, or an exit code after a message. */
int validate_plot_prepare(const char *directory);
int validate_plot(const char *directory, const validate_results *results);

typedef struct validate_figure {
  const char *name;
  int width, height; /* pixels */
  void (*write)(FILE *out, const validate_results *results, const struct validate_figure *figure);
} validate_figure;

enum { VALIDATE_FIGURES = 9 };
extern const validate_figure validate_figures[VALIDATE_FIGURES];
/* "#rrggbb" of a model. */
const char *validate_colour(int model);

#endif
