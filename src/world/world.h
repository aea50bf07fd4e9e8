/* The world: the only room that knows the others. One step is
 *
 *     drive -> predict -> search -> assemble -> solve -> move -> verdict
 *
 * (step.c). What exists is the model, which no step changes; where everything is and how it moves is a state. An
 * attempt at a step reads the state `now` and writes the state `next`: accepted, the two change places; refused, there
 * is nothing to restore. All memory of an attempt is in its arena.
 *
 * Objects are numbered rods first, then bodies. Dofs of the one-step problem: those of the rods that touch something,
 * then six (velocity, angular velocity, world axes) of every dynamic body that does. */
#ifndef SK_WORLD_H
#define SK_WORLD_H

#include "world/limits.h"
#include "world/model.h"
#include "world/state.h"
#include "world/live.h"
#include "world/attempt.h"

struct skein_world {
  sk_model model;
  sk_state states[2];
  int current; /* which of the two is now */
  sk_live live;
  sk_surfaces *surfaces;
  sk_attempt attempt;
  sk_controller controller;
  skein_rod *views; /* of every rod, for those who look */
  sk_stop stop;
};

static inline sk_state *sk_now(const skein_world *w)
{
  return (sk_state *)w->states + w->current;
}

static inline sk_state *sk_next(const skein_world *w)
{
  return (sk_state *)w->states + !w->current;
}

/* ---- model.c ---- */
skein_status sk_model_create(const skein_scene *scene, const skein_env *env, sk_stop *stop, sk_model *m);
void sk_model_destroy(sk_model *m);
void sk_model_number(sk_model *m); /* where the numbers of each rod begin, and how many there are */
double sk_model_body_size(const sk_model *m, int body);        /* m: diagonal of its bounds; a plane: infinite */
double sk_model_longest(const sk_model *m, const sk_state *s); /* m: rod, or body that moves */
/* J: of the motion of the state, its weight and its stiffness: what a blow-up is measured by. */
double sk_model_energy_scale(const sk_model *m, const sk_live *live, const sk_state *s);
/* "hair[3] of 'groom.hair'": a rod for messages, and before that of a failure. */
void sk_model_name(const sk_model *m, int rod, char *out, size_t size);
skein_status sk_model_blame(const sk_model *m, int rod, skein_status s);
double sk_model_mass(const sk_model *m, int object); /* kg; 0: it does not move by forces */

/* ---- state.c ---- */
skein_status sk_state_create(const sk_model *m, sk_state *s); /* all zero */
void sk_state_destroy(sk_state *s);
void sk_state_copy(const sk_model *m, const sk_state *from, sk_state *to); /* all but contacts */
/* The contacts, from anywhere, become those of the state. */
skein_status sk_state_keep(sk_state *s, const sk_contact *contacts, int count);

/* ---- world.c ---- */
void sk_world_show(skein_world *w); /* the views show the state now */

/* ---- events.c ---- */
skein_status sk_world_apply_events(skein_world *w);

/* ---- start.c ---- */
skein_status sk_world_start(skein_world *w);
skein_status sk_world_launch(skein_world *w); /* the velocities that the scene starts with, at t = 0 */

/* ---- attempt.c ---- */
/* The job for every rod, on all threads; of several failures that of the first rod, with its name. */
typedef skein_status (*sk_rod_job)(sk_attempt *w, int rod, sk_rod_system *sys);
skein_status sk_for_rods(sk_attempt *w, sk_rod_job job);
skein_status sk_attempt_run(sk_attempt *w, skein_step_info *info);
void sk_plan_less(sk_attempt *w);

/* ---- controller.c ---- */
/* What follows an attempt, by the table. */
skein_action sk_decide(const sk_plan *plan, const sk_outcome *outcome);

/* ---- learn.c ---- */
/* After a step that the world wanted to be so long, before it is accepted. */
void sk_controller_learn(skein_world *w, const skein_step_info *info, double wanted);

/* ---- drive.c: where held ends and bodies go ---- */
skein_status sk_attempt_drive(sk_attempt *w);
/* Whether a held end of the rod moves in a step of that length from the state. */
bool sk_end_moves(const sk_model *m, const sk_surfaces *surfaces, const sk_state *s, int rod, double dt);
bool sk_end_is_driven(const sk_model *m, const sk_scene_rod *rod, bool tip);
sk_pose sk_end_pose(const sk_model *m, const sk_surfaces *surfaces, int rod, bool tip, double time);
sk_pose sk_body_pose_at(const sk_model *m, int body, double time);
sk_mat3 sk_body_inertia(const sk_model *m, int body, const sk_pose *pose); /* in world axes */

/* ---- predict.c ---- */
skein_status sk_attempt_predict(sk_attempt *w); /* A, b and the free velocities of the rods */

/* ---- move.c ---- */
skein_status sk_attempt_move(sk_attempt *w); /* next: where everything goes with its new velocities */

/* ---- energy.c ---- */
void sk_energies(const sk_model *m, const sk_live *live, const sk_state *s, int threads, skein_step_info *info);

/* ---- settle.c: before t = 0 ---- */
bool sk_settling(const sk_state *s);
double sk_settle_growth(const sk_model *m,
                        const sk_state *s);        /* share of their radii that rods have in a step from it */
double sk_path_time(const sk_state *s, double dt); /* that prescribed motions are at when it ends: not before 0 */
double sk_shortest(const sk_model *m, const sk_state *s); /* s: shortest step */
void sk_settle_restrain(sk_attempt *w);                   /* velocities that the step goes on with, after the solve */
void sk_settle_damp(const sk_model *m, const sk_live *live, sk_state *s, double dt); /* after a step of it */
void sk_settle_contact(const sk_attempt *w, sk_contact *t);                          /* its friction and its bounce */
void sk_settle_solver(const sk_attempt *w, skein_solve_def *def);                    /* how exactly it is solved */
double sk_settle_opening(const sk_attempt *w, const sk_contact *t, double overlap);  /* m/s: that overlaps open with */
bool sk_settle_tangled(const sk_attempt *w, const sk_contact *t); /* a contact that no motion could open */

/* ---- deform.c: bodies whose surface moves by itself ---- */
skein_status sk_surfaces_create(const skein_scene *scene, sk_surfaces **out); /* NULL: none deforms */
void sk_surfaces_destroy(sk_surfaces *s);
bool sk_surface_deforms(const sk_surfaces *s, int body);
const sk_shape *sk_surface_now(const sk_surfaces *s, const sk_model *m, int body);   /* of any body, at the start */
const sk_shape *sk_surface_after(const sk_surfaces *s, const sk_model *m, int body); /* at the end of the attempt */
void sk_surfaces_move(sk_attempt *w);                   /* moves the latter; poses are driven already */
void sk_surfaces_accept(sk_surfaces *s);                /* the step was taken */
void sk_surfaces_set(sk_surfaces *s, double time);      /* where they are at that time */
double sk_surface_speed(const sk_attempt *w, int body); /* m/s: largest in the step; 0 where none deforms */
/* Velocity over the step of the place of a body that is at `point` at its start, on that triangle of a mesh that
 * deforms; -1: on the nearest. */
sk_vec3 sk_body_velocity(const sk_attempt *w, int body, int triangle, sk_vec3 point);
/* Binds an end of a rod of the scene, which is at `base` at the start, to a body that deforms; where it is, in the
 * body's axes. */
void sk_surface_anchor(sk_surfaces *s, const sk_model *m, int rod, bool tip, int body, const sk_pose *base);
sk_pose sk_surface_anchored(const sk_surfaces *s, const sk_model *m, int rod, bool tip, int body, double time);

/* ---- loads.c: dead loads of the scene ---- */
skein_status sk_attempt_load(sk_attempt *w);                 /* the loads that rods have in the coming step */
double sk_attempt_load_work(const sk_attempt *w);            /* J: of the loads in the step to next */
double sk_load_change(const sk_model *m, const sk_state *s); /* s: when the next force begins or ends */

/* ---- live.c: changes by hand ---- */
skein_status sk_live_create(const skein_scene *scene, sk_live *live);
void sk_live_destroy(sk_live *live);
void sk_live_pull(sk_attempt *w, int rod, sk_rod_system *sys); /* the pulls on a rod, into its A and b */
void sk_live_follow(skein_world *w);                           /* after a cut */

/* ---- pieces.c: capsules of the rods ---- */
/* Pieces per element of a rod, so that chords miss it by at most that; none is shorter than a fifth of a radius: what
 * is curled more than that has run away, and must not take all memory with it. */
int sk_pieces_of(const sk_model *m, const sk_state *s, int rod, double miss);
skein_status sk_pieces_make(sk_attempt *w);
/* Whether a point went further than the reach of its piece, after the rods have moved; its rod will look further.
 * *speed: the largest. */
bool sk_pieces_left(sk_attempt *w, double *speed);

/* ---- find.c: the contacts of an attempt ---- */
skein_status sk_attempt_find(sk_attempt *w);
/* Velocity of a place of a contact, now or in the free motion; how far apart surfaces may be that matter. */
double sk_contact_range(const sk_attempt *w, const sk_contact *t);
bool sk_contact_ignored(const sk_attempt *w, const sk_contact *t); /* none: in the scalp, or across a cut */
bool sk_contact_remote(const sk_attempt *w, const sk_contact *t, double bow);

/* ---- refine.c: on the true curves ---- */
/* The nearest places of two rods on these curves, near the contact's, which is on these pieces. */
void sk_refine_rods(const sk_attempt *w, const sk_curves *c, sk_contact *t, int piece_a, int piece_b);
void sk_refine(const sk_attempt *w, const sk_candidate *c, sk_contact *t);
/* The place on the body that is nearest to the point r of the curve, within reach, and faces as before; false: none. */
bool sk_refine_place(const sk_attempt *w, sk_contact *t, sk_vec3 r, double reach);
sk_vec3 sk_curve_point(const sk_attempt *w, const sk_curves *c, int rod, double s);
void sk_contact_tangents(sk_contact *t);
/* m: edges of meshes that are not convex have no sure normal where they touch, so such bodies are kept this far apart
 * from those that have edges too. */
double sk_skin(const sk_model *m, int body_a, int body_b);

/* ---- carry.c: contacts that acted in the last step ---- */
skein_status sk_attempt_carry(sk_attempt *w);

/* ---- thin.c: contacts that say the same ---- */
void sk_thin(const sk_attempt *w, sk_contact *t, int count); /* t by (a, b): marks those that are spared */

/* ---- persist.c: from refined contacts to those of the step ---- */
/* found.contacts: merged, with the impulses of `old`, times scale, where they go on; the spared go to found.remote. */
skein_status sk_attempt_persist(sk_attempt *w, const sk_contacts *old, double scale);
int sk_contact_order(const sk_contact *x, const sk_contact *y);     /* by a, then b: < 0, 0, > 0 */
int sk_contacts_find(const sk_contacts *list, const sk_contact *t); /* the first that does not come before t */

/* ---- bend.c: the linear problem, corrected ---- */
/* After the rods and bodies have moved: what the motion over the step has that the problem had not, for the next step;
 * where it matters also into u_f, and the step is to be solved *again. */
skein_status sk_attempt_correct(sk_attempt *w, bool *again);
void sk_attempt_uncorrect(sk_attempt *w); /* problem and solution as they were before the last *again */

/* ---- verify.c, strays.c: the motion against the linear problem ---- */
/* Whether the step has bent rods so much that their pieces miss them by twice the share; they get more in the next
 * attempt. */
bool sk_verify_coarse(sk_attempt *w);
/* Largest growth of an overlap in this step, in radii; 0 while overlaps are small. *missed: remote or spared pairs
 * met all the same; their rods will look further, or have all their contacts. After sk_pieces_left. */
double sk_verify_deeper(sk_attempt *w, bool *missed);
/* Whether a piece that went further than it looked has met what nobody had in mind. After sk_pieces_left. */
bool sk_verify_strays(const sk_attempt *w);
/* Deepest place of a chord in a body, 0 outside. */
double sk_chord_gap(const sk_shape *shape, const sk_pose *pose, const sk_vec3 *ends, double radius);

/* ---- able.c ---- */
sk_able sk_able_start(const sk_model *m, const sk_live *live, const sk_state *s);
void sk_able_see(sk_attempt *w);           /* next.able, after the motion of this step */
double sk_able_speed(const sk_attempt *w); /* m/s; infinite: not known */

/* ---- judge_view.c ---- */
skein_status sk_attempt_judge(sk_attempt *w, skein_step_info *info); /* info->verdict */

/* ---- sleep.c: islands at rest ---- */
bool sk_wake(const sk_model *m, sk_state *s, int object); /* with its island; whether it slept */
void sk_wake_all(const sk_model *m, sk_state *s);
/* Wakes what its held ends or the bodies under it begin to move in this step; after sk_attempt_drive. */
void sk_wake_driven(sk_attempt *w);
bool sk_both_asleep(const sk_attempt *w, const sk_contact *t); /* nothing in it moves */
bool sk_wake_touched(sk_attempt *w, int a, int b);             /* wakes both sides; whether one slept */
bool sk_all_asleep(const sk_attempt *w);                       /* and no prescribed body moves */
int sk_rods_asleep(const sk_model *m, const sk_state *s);
/* Puts islands of next to sleep that are at rest; with its contacts. */
skein_status sk_sleep_resting(sk_attempt *w);

/* ---- rows.c, problem.c: M, H, f, u_f ---- */
skein_status sk_attempt_assemble(sk_attempt *w);
skein_status sk_fill_contacts(sk_attempt *w);                               /* H, u_f, mu */
int sk_side_columns(const sk_attempt *w, int object, double s, int *first); /* of one side of a contact: first, count */
bool sk_is_dynamic(const sk_attempt *w, int object);
skein_status sk_allocate_entries(sk_attempt *w, skein_csr *A); /* A->start has their numbers per row */

/* ---- gaps.c: what gaps and overlaps ask for ---- */
double sk_gap_velocity(const sk_attempt *w, const sk_contact *t, const sk_row *row, double speed);
skein_status sk_shift_bodies(sk_attempt *w);
double sk_contact_radius(const sk_attempt *w,
                         const sk_contact *t); /* by which overlaps are judged: the thinner side's */

/* ---- solve.c ---- */
/* Of one problem: the first solve, one that asks for less, one for what the motion was. */
typedef enum sk_round { SK_FIRST, SK_SOFTER, SK_CORRECTED } sk_round;
/* With few sweeps where there is another answer already, or will be another attempt. */
skein_status sk_attempt_solve(sk_attempt *w, sk_round round, skein_step_info *info);
/* The same contacts with what the plan leaves of push-out and arcs; error: of the last solve. */
void sk_attempt_soften(sk_attempt *w, double error);
void sk_attempt_take(sk_attempt *w, skein_step_info *info); /* velocities and impulses of the solution */
/* What the next solve aims at: that of motion, halved for each calm step, which was a good guess for the next one. */
double sk_tolerance(const sk_attempt *w);
skein_stop sk_solver_stop(const sk_attempt *w); /* what solvers ask */
void sk_count_asked(sk_attempt *w);             /* linear.pushed, linear.arched */

/* ---- rigid.c: instead of both, where distances at the end of the step are enforced ---- */
skein_status sk_attempt_rigid(sk_attempt *w, skein_step_info *info);

/* ---- Short ones ---- */

/* Threads for `count` pieces of work of which one thread does `each` in the time that it takes to call the others. */
static inline int sk_team(const sk_attempt *w, int count, int each)
{
  return SK_MAX(1, SK_MIN(w->work.threads, count / each));
}

/* Whether the problem of this attempt asks for velocities that there need not be: that overlaps open, that arcs go on.
 */
static inline bool sk_asks(const sk_attempt *w)
{
  return (!w->plan.gentle && w->linear.pushed > 0) || (!w->plan.plain && w->linear.arched > 0);
}

static inline const sk_shape *sk_shape_now(const sk_attempt *w, int body)
{
  return sk_surface_now(w->surfaces, w->model, body);
}

static inline const sk_shape *sk_shape_after(const sk_attempt *w, int body)
{
  return sk_surface_after(w->surfaces, w->model, body);
}

static inline bool sk_is_rod(const sk_attempt *w, int object)
{
  return object < w->model->rod_count;
}

/* The triangle of a rod's contact with a mesh; -1: not of a rod, whose features are other ones. */
static inline int sk_contact_triangle(const sk_attempt *w, const sk_contact *t)
{
  return sk_is_rod(w, t->a) ? sk_feature_face(t->feature) : -1;
}

#endif
