/* The rivals of siconos_compare: methods of Siconos in several settings, and a problem in Siconos' storages. */
#ifndef SICONOS_RIVALS_H
#define SICONOS_RIVALS_H

#include "sparse/sparse.h"

enum { NSGS_AC, NSGS_QUARTIC, ADMM, NSN_AC, RIVALS };
extern const char *const rival_name[RIVALS];

/* One method of Siconos in one setting: a row of a table. */
typedef struct variant variant;
enum { VARIANTS = 21 };
const variant *variant_at(int k);
int variant_rival(const variant *v);
const char *variant_label(const variant *v);

/* The same reduced problem by 3 x 3 blocks and by compressed columns; b and mu are the caller's. */
typedef struct siconos_problem siconos_problem;

/* All memory is the arena's, or Siconos' own and never returned: a benchmark of a few files can afford it. */
skein_status siconos_make(const skein_problem *reduced, sk_arena *arena, siconos_problem **s);

/* Solves from r = u = 0 with Siconos' tolerance tol and returns the seconds of the solve alone; *info is 0 when
 * Siconos says that it has converged. */
double siconos_solve(const siconos_problem *s, const variant *v, double tol, double *r, double *u, int *info);

#endif
