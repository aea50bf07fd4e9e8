/* A step of rigid bodies that enforces distances at its end: the contacts of the step as a non-linear function of the
 * poses, shared by rigid.c (the three methods), rigid_look.c (distances) and rigid_friction.c. Not a door. */
#ifndef SK_WORLD_RIGID_H
#define SK_WORLD_RIGID_H

#include "world/world.h"

/* A pair of features of two bodies, a < b. */
typedef struct sk_grip {
  int a, b;
  sk_feature feature;
  double mu;
  bool seen;    /* the shapes have this feature where they are now */
  bool active;  /* newton: it is bilateral */
  int released; /* how often in this step */
  struct {
    sk_vec3 n, x, y; /* normal from b to a, point on a, point on b */
    sk_vec3 ax, by;  /* x in the axes of a, y in those of b */
    double floor;    /* m: what the distance must not be below */
    double distance; /* m, above the floor */
  } place;           /* as last looked at, in the trial poses */
  struct {
    double f;     /* N s: along n */
    double press; /* the same by the last solve with friction */
    sk_vec3 drag; /* tangential, on a */
  } force;        /* impulses */
  struct {
    sk_vec3 arm[2];    /* from the centres of a and b to x and y */
    double row[12];    /* n' J of the six velocities of a, then of b */
    double turned[12]; /* the same for the change of the pose: the motion turns while it goes on */
    double weight;     /* m / (N s): what a unit of f does to the distance */
  } rows;              /* of the trial poses */
} sk_grip;

typedef struct sk_rigid {
  sk_attempt *w;
  double dt, tol, rough_tol; /* m: of distances; of them while friction is sought, which has a tolerance of its own */
  int bodies, dofs;
  int *dof; /* first of body i; -1: it does not move by forces */
  struct {
    double *mass;     /* 1/m */
    sk_mat3 *inertia; /* I^-1, world axes, at the start of the step */
  } inverse;
  struct {
    double *free, *u;      /* velocities without contacts, and of the trial */
    sk_pose *start, *pose; /* at the start (prescribed ones: at the end), and of the trial */
  } motion;
  struct {
    double *reach, *size; /* m */
    sk_vec3 *lo, *hi;     /* in the trial poses */
  } bounds;
  sk_grip *at;
  int count, room;
  int iterations;
  double error; /* m: largest |min(weight f, distance)| */
} sk_rigid;

/* ---- rigid_look.c ---- */
skein_status sk_rigid_create(sk_attempt *w, double dt, sk_rigid *r);
/* u = free + M^-1 (N' f + T' drag); without f: N' f left out. */
void sk_rigid_velocities(const sk_rigid *r, bool with_f, double *u);
/* These velocities as the trial's, and the poses that they lead to. */
void sk_rigid_move(sk_rigid *r);
/* Distances of the grips in the trial poses, by asking the shapes again. `refresh`: their geometry too, and grips that
 * are new and below -tol are added; their number, -1: no memory. */
int sk_rigid_look(sk_rigid *r, bool refresh);
/* Smallest distance of two bodies of the world as they are now, by all pairs; infinite when all are further than
 * reach. */
double sk_rigid_nearest(const skein_world *w, double reach);
/* d distance_i / d f_k = dt row_i M^-1 row_k'; `exact`: with the turn during the step. */
double sk_rigid_coupling(const sk_rigid *r, const sk_grip *i, const sk_grip *k, bool exact);
/* n' J u of the trial. */
double sk_rigid_speed(const sk_rigid *r, const sk_grip *g, const double *u);
double sk_rigid_error(sk_rigid *r);

/* ---- rigid_friction.c ---- */
bool sk_rigid_is_rough(const sk_rigid *r);
/* Coulomb's law at the grips as they are: their f, press and drag. */
skein_status sk_rigid_rub(sk_rigid *r, bool *converged);

#endif
