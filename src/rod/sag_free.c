/* A super-helix that hangs in its initial shape: the natural shape for which that is the equilibrium under gravity.
 *
 * The stiffness is constant and diagonal, K = diag(l EI1, l EI2, l GJ), so with the force Q of the weight at q
 *
 *     K (q - q0) = Q(q)   gives   q0 = q - K^-1 Q(q)
 *
 * exactly. A twist that is locked is not free, and stays what it is. */
#include "rod/super_helix.h"

#include <string.h>

/* natural (3 per element) = q - K^-1 Q; F: of a rod whose natural shape is q. */
static void find_natural(const sk_rod *rod, const double *F, double *natural)
{
  const sk_section *c = &rod->section;
  const double K[3] = {rod->l * c->EI1, rod->l * c->EI2, rod->l * c->GJ};
  for (int Q = 0; Q < rod->def.elements; Q++) {
    const double *force = F + sk_helix_first_dof(rod, Q);
    sk_store3(natural + 3 * Q, sk_helix_u(rod->start_x, Q));
    for (int k = 0; k < sk_helix_dof_count(rod, Q); k++) natural[3 * Q + k] -= force[k] / K[k];
  }
}

skein_status sk_rod_sag_free(const sk_rod *old, const skein_env *env, sk_rod **out)
{
  sk_arena arena = {0};
  int N = old->def.elements;
  sk_rod *relaxed = NULL;
  skein_rod_def def = old->def;
  double *q = SK_NEW(&arena, 3 * (size_t)N, double), *natural = SK_NEW(&arena, 3 * (size_t)N, double);
  *out = NULL;
  if (arena.failed) return sk_no_memory();
  memcpy(q, old->start_x + SK_MODEL, sizeof *q * 3 * (size_t)N);
  def.natural = q, def.naturals = N, def.initial = NULL, def.initials = 0;
  skein_status s = sk_rod_create(&def, &relaxed);
  sk_rod_system sys;
  if (s.code == SKEIN_OK) s = sk_rod_system_create(&(const sk_rod *){relaxed}, 1, &arena, &sys);
  if (s.code == SKEIN_OK) {
    sk_rod_input in = sk_rod_input_make(NULL, env, false, false);
    sk_rod_eval(relaxed, relaxed->start_x, relaxed->start_v, &in, &sys);
    find_natural(relaxed, sys.F, natural);
    def.natural = natural, def.initial = q, def.initials = N;
    s = sk_rod_create(&def, out);
  }
  sk_rod_destroy(relaxed);
  sk_arena_free(&arena);
  return s;
}
