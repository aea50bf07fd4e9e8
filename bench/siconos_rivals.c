/* Methods of Siconos as rivals: its options, its matrix storages, its driver. */
#include "siconos_rivals.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <math.h>
#include <string.h>

const char *const rival_name[RIVALS] = {"nsgs_ac", "nsgs_quartic", "admm", "nsn_ac"};

typedef struct setting {
  int index, value; /* iparam[index] = value */
} setting;

struct variant {
  int rival;
  const char *label;
  int solver, local; /* local: the one-contact solver inside NSGS, 0 for none */
  bool blocks;       /* 3 x 3 blocks (fastest for NSGS) or compressed columns (needed by the factorisations) */
  int max_iter;
  setting set[6]; /* ends at index 0 */
};

#define EVAL(mode)                                                                                                     \
  {                                                                                                                    \
    SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION, SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_##mode                      \
  }
#define LIGHT EVAL(LIGHT)
#define FULL EVAL(LIGHT_WITH_FULL_FINAL)
#define FILTER                                                                                                         \
  {                                                                                                                    \
    SICONOS_FRICTION_3D_NSGS_FILTER_LOCAL_SOLUTION, SICONOS_FRICTION_3D_NSGS_FILTER_LOCAL_SOLUTION_TRUE                \
  }
#define FREEZE                                                                                                         \
  {                                                                                                                    \
    SICONOS_FRICTION_3D_NSGS_FREEZING_CONTACT, 10                                                                      \
  }
#define RHO0(how)                                                                                                      \
  {                                                                                                                    \
    SICONOS_FRICTION_3D_ADMM_IPARAM_INITIAL_RHO, SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_##how                            \
  }
#define RHO(how)                                                                                                       \
  {                                                                                                                    \
    SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY, SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_##how                          \
  }
#define RESCALE                                                                                                        \
  {                                                                                                                    \
    SICONOS_FRICTION_3D_IPARAM_RESCALING, SICONOS_FRICTION_3D_RESCALING_SCALAR                                         \
  }
#define SPLIT_RHO                                                                                                      \
  {                                                                                                                    \
    SICONOS_FRICTION_3D_NSN_RHO_STRATEGY, SICONOS_FRICTION_3D_NSN_FORMULATION_RHO_STRATEGY_SPLIT_SPECTRAL_NORM         \
  }
#define JEAN_MOREAU                                                                                                    \
  {                                                                                                                    \
    SICONOS_FRICTION_3D_NSN_FORMULATION, SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_GENERATED                      \
  }
#define VI_FIRST                                                                                                       \
  {                                                                                                                    \
    SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY, SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN                         \
  }

#define GAUSS_SEIDEL(rival, label, local, ...)                                                                         \
  {                                                                                                                    \
    rival, label, SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_##local, true, 100000000,                   \
    {                                                                                                                  \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
#define SPLITTING(label, ...)                                                                                          \
  {                                                                                                                    \
    ADMM, label, SICONOS_FRICTION_3D_ADMM, 0, false, 10000000,                                                         \
    {                                                                                                                  \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
#define NEWTON(label, ...)                                                                                             \
  {                                                                                                                    \
    NSN_AC, label, SICONOS_FRICTION_3D_NSN_AC, 0, false, 100000,                                                       \
    {                                                                                                                  \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }

/* Gauss-Seidel: "light" stops on the change of the impulses, "full" also looks at the residual once that is small,
 * "freeze" skips settled contacts for ten sweeps; quartic_nu falls back on Newton where the quartic fails, and the
 * quartics set no local residual, so nothing can be filtered by it. Tried once on six files at 1e-6,
 * never the best of their rival: damped Newton without fallback, adaptive local tolerances; other initial rho and
 * rescaling of ADMM; constant rho, no line search and the other LU of NSN. */
static const variant variants[] = {
    GAUSS_SEIDEL(NSGS_AC, "nsn/light", NSN, LIGHT, FILTER),
    GAUSS_SEIDEL(NSGS_AC, "nsn/freeze", NSN, LIGHT, FILTER, FREEZE),
    GAUSS_SEIDEL(NSGS_AC, "nsn/full", NSN, FULL),
    GAUSS_SEIDEL(NSGS_AC, "gp_hybrid/light", NSN_GP_HYBRID, LIGHT, FILTER),
    GAUSS_SEIDEL(NSGS_AC, "gp_hybrid/freeze", NSN_GP_HYBRID, LIGHT, FILTER, FREEZE),
    GAUSS_SEIDEL(NSGS_AC, "gp_hybrid/full", NSN_GP_HYBRID, FULL),
    GAUSS_SEIDEL(NSGS_QUARTIC, "quartic/light", QUARTIC, LIGHT),
    GAUSS_SEIDEL(NSGS_QUARTIC, "quartic/freeze", QUARTIC, LIGHT, FREEZE),
    GAUSS_SEIDEL(NSGS_QUARTIC, "quartic/full", QUARTIC, FULL),
    GAUSS_SEIDEL(NSGS_QUARTIC, "quartic_nu/light", QUARTIC_NU, LIGHT),
    GAUSS_SEIDEL(NSGS_QUARTIC, "quartic_nu/freeze", QUARTIC_NU, LIGHT, FREEZE),
    SPLITTING("default", {0, 0}),
    SPLITTING("balanced", RHO(RESIDUAL_BALANCING)),
    SPLITTING("scaled", RHO(SCALED_RESIDUAL_BALANCING)),
    SPLITTING("norm_inf/balanced", RHO0(NORM_INF), RHO(RESIDUAL_BALANCING)),
    SPLITTING("norm_inf/scaled", RHO0(NORM_INF), RHO(SCALED_RESIDUAL_BALANCING)),
    SPLITTING("rescaled/balanced", RESCALE, RHO(RESIDUAL_BALANCING)),
    NEWTON("default", {0, 0}),
    NEWTON("split_rho", SPLIT_RHO),
    NEWTON("jean_moreau", JEAN_MOREAU),
    NEWTON("vi_first", VI_FIRST),
};
_Static_assert(sizeof variants / sizeof *variants == VARIANTS, "VARIANTS counts the rows");

const variant *variant_at(int k)
{
  return &variants[k];
}

int variant_rival(const variant *v)
{
  return v->rival;
}

const char *variant_label(const variant *v)
{
  return v->label;
}

static SolverOptions *options_create(const variant *v, double tol)
{
  SolverOptions *o = solver_options_create(v->solver);
  if (v->local) solver_options_update_internal(o, 0, v->local);
  o->iparam[SICONOS_IPARAM_MAX_ITER] = v->max_iter;
  o->dparam[SICONOS_DPARAM_TOL] = tol;
  for (const setting *s = v->set; s->index; s++) o->iparam[s->index] = s->value;
  return o;
}

/* ---- The problem in Siconos' storages -------------------------------------------------------------------------- */

struct siconos_problem {
  FrictionContactProblem blocks, columns;
};

/* W by blocks, each stored by columns; `start`, `col` and the blocks live as long as the program needs them. */
static NumericsMatrix *block_matrix(const sk_bsr *W, sk_arena *arena)
{
  int n = W->n;
  int64_t count = W->start[n];
  SparseBlockStructuredMatrix *B = SBM_new();
  B->nbblocks = (unsigned)count, B->blocknumber0 = B->blocknumber1 = (unsigned)n;
  B->filled1 = (size_t)n + 1, B->filled2 = (size_t)count;
  B->block = SK_NEW(arena, count, double *);
  B->blocksize0 = B->blocksize1 = SK_NEW(arena, n, unsigned);
  B->index1_data = SK_NEW(arena, n + 1, size_t);
  B->index2_data = SK_NEW(arena, count, size_t);
  double *val = SK_NEW(arena, 9 * count, double);
  if (arena->failed) return NULL;
  for (int i = 0; i < n; i++) B->blocksize0[i] = 3 * (unsigned)(i + 1), B->index1_data[i + 1] = (size_t)W->start[i + 1];
  for (int64_t k = 0; k < count; k++) {
    B->index2_data[k] = (size_t)W->col[k], B->block[k] = val + 9 * k;
    for (int e = 0; e < 9; e++) B->block[k][e] = W->val[9 * k + 3 * (e % 3) + e / 3];
  }
  return NM_new_SBM(3 * n, 3 * n, B);
}

/* W by compressed columns, stored zeros dropped: they would only fill the factors. */
static NumericsMatrix *column_matrix(const sk_bsr *W)
{
  int64_t count = W->start[W->n];
  NumericsMatrix *M = NM_create(NM_SPARSE, 3 * W->n, 3 * W->n);
  NM_triplet_alloc(M, 9 * count);
  M->matrix2->origin = NSM_TRIPLET;
  for (int i = 0; i < W->n; i++)
    for (int64_t k = W->start[i]; k < W->start[i + 1]; k++)
      for (int e = 0; e < 9; e++)
        if (W->val[9 * k + e] != 0) NM_entry(M, 3 * i + e / 3, 3 * W->col[k] + e % 3, W->val[9 * k + e]);
  NM_csc(M);
  return M;
}

/* max |A x - W x| / max |W x| for a fixed x: the copy is the same matrix. */
static double copy_error(NumericsMatrix *A, const skein_csr *W, sk_arena *arena)
{
  double *x = SK_NEW(arena, W->rows, double), *y = SK_NEW(arena, W->rows, double), *z = SK_NEW(arena, W->rows, double);
  if (arena->failed) return INFINITY;
  for (int i = 0; i < W->rows; i++) x[i] = sin(1 + 1.7 * i);
  sk_csr_mul_add(W, x, 0, y, 1);
  NM_gemv(1, A, x, 0, z);
  double error = 0, big = 0;
  for (int i = 0; i < W->rows; i++) error = fmax(error, fabs(y[i] - z[i])), big = fmax(big, fabs(y[i]));
  return big > 0 ? error / big : error;
}

skein_status siconos_make(const skein_problem *p, sk_arena *arena, siconos_problem **out)
{
  sk_bsr W;
  skein_status status = sk_bsr_from_csr(&p->W, 3, arena, &W);
  if (status.code) return status;
  siconos_problem *s = *out = SK_NEW(arena, 1, siconos_problem);
  if (!s) return sk_no_memory();
  s->blocks = (FrictionContactProblem){.dimension = 3, .numberOfContacts = p->contacts, .q = p->b, .mu = p->mu};
  s->columns = s->blocks;
  s->blocks.M = block_matrix(&W, arena);
  if (!s->blocks.M) return sk_no_memory();
  s->columns.M = column_matrix(&W);
  double error = fmax(copy_error(s->blocks.M, &p->W, arena), copy_error(s->columns.M, &p->W, arena));
  if (!(error < 1e-13)) return sk_fail(SKEIN_BAD_INPUT, "W: Siconos' copy differs by %g", error);
  return sk_ok();
}

double siconos_solve(const siconos_problem *s, const variant *v, double tol, double *r, double *u, int *info)
{
  FrictionContactProblem p = v->blocks ? s->blocks : s->columns;
  size_t bytes = 3 * (size_t)p.numberOfContacts * sizeof(double);
  SolverOptions *o = options_create(v, tol);
  memset(r, 0, bytes);
  memset(u, 0, bytes);
  numerics_set_verbose(0);
  double start = sk_seconds();
  *info = fc3d_driver(&p, r, u, o);
  return sk_seconds() - start; /* o is not deleted: some destructors crash, and the caller's process ends soon */
}
