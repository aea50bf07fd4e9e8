/* Fast projection (Goldenthal, Harmon, Fattal, Bercovier, Grinspun 2007) of a chain onto edges of length l: Newton's
 * method for the point nearest in the metric of the masses,
 *
 *     C_j = |e_j|^2 / l - l = 0,     (G M^-1 G') lambda = C,     x <- x - a M^-1 G' lambda,     G = dC/dx,
 *
 * one tridiagonal system per iteration. Held nodes have infinite mass. Lengths are counted in l and masses in that of
 * an inner node. Three guards for chains that are far from their lengths: an edge shorter than l/2 enters G as if it
 * had l/2 (its own gradient vanishes with it), a small multiple of the identity is added where edges depend on each
 * other (a straight chain between held ends), and a is halved until |C| falls; the direction is one of descent with
 * either. */
#include "rod/der.h"

#include <string.h>

enum { MAX_ITERATIONS = 50, MAX_HALVINGS = 12 };
static const double strain_aim = 1e-10, strain_most = 1e-6;

/* Arrays of one projection, N edges. */
typedef struct chain {
  int N;
  double *y, *trial;      /* 3 (N + 1): nodes over l */
  double *G, *T, *lambda; /* 3 N: gradients, 2 N: band of G M^-1 G', N */
} chain;

static chain chain_make(const sk_rod *rod, double *work)
{
  int N = rod->def.elements;
  chain c = {.N = N, .y = work, .trial = work + 3 * (N + 1)};
  c.G = c.trial + 3 * (N + 1), c.T = c.G + 3 * N, c.lambda = c.T + 2 * N;
  return c;
}

int sk_der_project_works(const sk_rod *rod)
{
  return 12 * rod->def.elements + 6;
}

/* 1 / mass of node i in units of an inner node's; 0: held. */
static double mobility(const sk_rod *rod, int i)
{
  return sk_chain_node_dof(rod, i) < 0 ? 0 : rod->section.rho_S * rod->l / sk_chain_mass(rod, i);
}

static sk_vec3 edge_of(const double *y, int j)
{
  return sk_sub(sk_load3(y + 3 * (j + 1)), sk_load3(y + 3 * j));
}

/* Largest | |e| - 1 |, the sum of C^2 in *sum; NaN: not finite. */
static double misfit(int N, const double *y, double *sum)
{
  double worst = 0;
  *sum = 0;
  for (int j = 0; j < N; j++) {
    sk_vec3 e = edge_of(y, j);
    double C = sk_dot(e, e) - 1, strain = fabs(C) / (1 + sk_norm(e));
    *sum += C * C;
    worst = fmax(worst, strain);
  }
  return isfinite(*sum) ? worst : NAN;
}

/* G of every edge (its part at node j+1), and C in lambda. An edge without length points where its frame does. */
static void gradients(const sk_rod *rod, const double *x, chain *c)
{
  for (int j = 0; j < c->N; j++) {
    sk_vec3 e = edge_of(c->y, j);
    double length = sk_norm(e);
    sk_vec3 t = length > 0 ? sk_mul(1 / length, e) : sk_load3(x + sk_der_frame(rod, j));
    sk_store3(c->G + 3 * j, sk_mul(2 * fmax(length, 0.5), t));
    c->lambda[j] = sk_dot(e, e) - 1;
  }
}

/* T = G M^-1 G' + mu I, tridiagonal. */
static void tridiagonal(const sk_rod *rod, chain *c, double mu)
{
  for (int j = 0; j < c->N; j++) {
    sk_vec3 g = sk_load3(c->G + 3 * j);
    c->T[2 * j] = sk_dot(g, g) * (mobility(rod, j) + mobility(rod, j + 1)) + mu;
    c->T[2 * j + 1] = j + 1 < c->N ? -sk_dot(g, sk_load3(c->G + 3 * j + 3)) * mobility(rod, j + 1) : 0;
  }
}

/* lambda = T^-1 C; mu is raised until the factor exists. */
static bool multipliers(const sk_rod *rod, const double *x, chain *c)
{
  gradients(rod, x, c);
  for (double mu = 1e-13; mu < 1e3; mu *= 100) {
    tridiagonal(rod, c, mu);
    if (!sk_band_factor(c->N, 1, c->T)) continue;
    sk_band_solve(c->N, 1, c->T, c->lambda);
    return true;
  }
  return false;
}

/* trial = y - a M^-1 G' lambda */
static void advance(const sk_rod *rod, chain *c, double a)
{
  memcpy(c->trial, c->y, sizeof(double) * 3 * (size_t)(c->N + 1));
  for (int i = 0; i <= c->N; i++) {
    sk_vec3 d = {0, 0, 0};
    double w = a * mobility(rod, i);
    if (i > 0) d = sk_mul(c->lambda[i - 1], sk_load3(c->G + 3 * (i - 1)));
    if (i < c->N) d = sk_axpy(d, -c->lambda[i], sk_load3(c->G + 3 * i));
    if (w > 0) sk_store3(c->trial + 3 * i, sk_axpy(sk_load3(c->y + 3 * i), -w, d));
  }
}

/* Newton's method on y; the largest strain that is left. */
static double newton(const sk_rod *rod, const double *x, chain *c)
{
  double sum, worst = misfit(c->N, c->y, &sum);
  for (int it = 0; it < MAX_ITERATIONS && worst > strain_aim; it++) {
    double next = sum, strain = worst, a = 1;
    if (!multipliers(rod, x, c)) break;
    for (int k = 0; k < MAX_HALVINGS && !(next < sum); k++, a *= 0.5) {
      advance(rod, c, a);
      strain = misfit(c->N, c->trial, &next);
    }
    if (!(next < sum)) break;
    memcpy(c->y, c->trial, sizeof(double) * 3 * (size_t)(c->N + 1));
    sum = next, worst = strain;
  }
  return worst;
}

/* Length of the chain that is y drawn to its chord: trial_i = chord_i + s (y_i - chord_i), chord_i evenly spaced. */
static double drawn_length(chain *c, double s)
{
  double sum = 0;
  sk_vec3 a = sk_load3(c->y), D = sk_sub(sk_load3(c->y + 3 * c->N), a);
  for (int i = 0; i <= c->N; i++) {
    sk_vec3 chord = sk_axpy(a, (double)i / c->N, D);
    sk_store3(c->trial + 3 * i, sk_axpy(chord, s, sk_sub(sk_load3(c->y + 3 * i), chord)));
  }
  for (int j = 0; j < c->N; j++) sum += sk_norm(edge_of(c->trial, j));
  return sum;
}

/* y drawn to its chord until the whole chain is not too long (or straight). The length is convex in s: bisection. */
static void draw(chain *c)
{
  double lo = 0, hi = 1;
  if (drawn_length(c, hi) <= c->N) return;
  for (int k = 0; k < 60; k++) {
    double s = 0.5 * (lo + hi);
    if (drawn_length(c, s) <= c->N) lo = s;
    else hi = s;
  }
  drawn_length(c, lo);
  memcpy(c->y + 3, c->trial + 3, sizeof(double) * 3 * (size_t)(c->N - 1));
}

/* Between held ends that are nearly as far apart as the chain is long, Newton's method crawls: the only shape left is
 * straight, where G loses its rank. There the chain is first drawn straight enough. */
static double project(const sk_rod *rod, const double *x, chain *c)
{
  double worst = newton(rod, x, c);
  if (!(worst > strain_aim) || !sk_root_held(rod) || !sk_tip_held(rod)) return worst;
  draw(c);
  return newton(rod, x, c);
}

bool sk_der_project(const sk_rod *rod, const double *x0, double *x, double *v, const sk_rod_input *in, double dt,
                    sk_rod_system *sys)
{
  (void)x0, (void)in;
  chain c = chain_make(rod, sys->work);
  sk_vec3 origin = sk_chain_node(x, 0); /* small numbers near the rod: digits for the lengths */
  for (int i = 0; i <= c.N; i++) sk_store3(c.y + 3 * i, sk_mul(1 / rod->l, sk_sub(sk_chain_node(x, i), origin)));
  if (!(project(rod, x, &c) <= strain_most)) return false;
  for (int i = 0; i <= c.N; i++) {
    int dof = sk_chain_node_dof(rod, i);
    if (dof < 0) continue;
    sk_vec3 old = sk_chain_node(x, i), r = sk_axpy(origin, rod->l, sk_load3(c.y + 3 * i));
    sk_store3(v + dof, sk_axpy(sk_load3(v + dof), 1 / dt, sk_sub(r, old)));
    sk_store3(x + SK_MODEL + 3 * i, r);
  }
  sk_der_follow(rod, x, NULL, 0);
  return true;
}
