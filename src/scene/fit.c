/* Fits a rod of N elements of constant u = (kappa1, kappa2, tau) to a polyline x_0 .. x_n.
 *
 * Abscissae: each edge is taken as an arc that turns by theta, the mean of the turns at its ends: its length is
 * |e| (theta/2) / sin(theta/2), so that samples of a smooth curve give its length to fourth order.
 * First guess: curvatures at the vertices in a frame carried along without twist (Bishop 1975); where that vector
 * turns steadily, the element gets the rate as its twist: a helix is one element.
 * Then least squares over the frame of the root and all u (Levenberg-Marquardt):
 *
 *     min sum_j w |r(s_j) - x_j|^2 / l^2  +  eps^2 sum_Q l^2 |u_Q - guess_Q|^2
 *
 * in windows of elements, each starting where the one before has settled. The root stays where it is. */
#include "scene/fit.h"

#include <math.h>
#include <string.h>

enum { WINDOW = 24, ADVANCE = 12, UNKNOWNS = 3 * WINDOW + 3, ITERATIONS = 30, PER_ELEMENT = 8 };
static const double held_helix = 1e-3, held_chain = 0.1; /* eps */
static const double joint = 1e-6; /* elements: points at the end of a window, which rounding would not place */

typedef struct strand {
  sk_vec3 *x; /* points, none twice */
  double *s;  /* their abscissae */
  sk_vec3 *k; /* curvature at each, in the carried frame (z unused) */
  int count;
  double length;
  sk_mat3 frame; /* at the root */
} strand;

/* ---- The polyline ---- */

static double angle(sk_vec3 a, sk_vec3 b)
{
  return atan2(sk_norm(sk_cross(a, b)), sk_dot(a, b));
}

static sk_vec3 edge(const strand *p, int j)
{
  return sk_sub(p->x[j + 1], p->x[j]);
}

/* Points that are not where the last one is. */
static void take_points(strand *p, const double *points, int count)
{
  double size = 0;
  for (int i = 1; i < count; i++)
    size = fmax(size, sk_norm(sk_sub(sk_load3(points + 3 * (size_t)i), sk_load3(points))));
  for (int i = 0; i < count; i++) {
    sk_vec3 x = sk_load3(points + 3 * (size_t)i);
    if (!p->count || sk_norm(sk_sub(x, p->x[p->count - 1])) > 1e-9 * size) p->x[p->count++] = x;
  }
}

static void find_abscissae(strand *p)
{
  int edges = p->count - 1;
  for (int j = 0; j < edges; j++) {
    double before = j > 0 ? angle(edge(p, j - 1), edge(p, j)) : NAN;
    double after = j + 1 < edges ? angle(edge(p, j), edge(p, j + 1)) : before;
    double theta = edges > 1 ? fmin(0.5 * ((j > 0 ? before : after) + after), 2) : 0, half = 0.5 * theta;
    p->s[j + 1] = p->s[j] + sk_norm(edge(p, j)) * (half > 1e-6 ? half / sin(half) : 1);
  }
  p->length = p->s[edges];
}

/* An axis clearly across t, the first that is: where two are as good, rounding does not choose between them. */
static sk_vec3 normal_of(sk_vec3 t)
{
  static const double slack = 1e-6;
  double x = fabs(t.x), y = fabs(t.y), z = fabs(t.z), least = fmin(x, fmin(y, z)) + slack;
  sk_vec3 e = x <= least ? sk_vec(1, 0, 0) : y <= least ? sk_vec(0, 1, 0) : sk_vec(0, 0, 1);
  return sk_unit(sk_axpy(e, -sk_dot(e, t), t));
}

/* The turn at each vertex over the length that it stands for. The frame of the root is set back by half an edge's
 * turn, since edges have their tangent in the middle. */
static void find_curvatures(strand *p)
{
  int edges = p->count - 1;
  sk_vec3 t = sk_unit(edge(p, 0)), d1 = normal_of(t);
  p->frame = (sk_mat3){{d1, sk_cross(t, d1), t}};
  sk_mat3 F = p->frame;
  for (int j = 1; j < edges; j++) {
    sk_vec3 next = sk_unit(edge(p, j)), b = sk_cross(t, next);
    double n = sk_norm(b), theta = atan2(n, sk_dot(t, next));
    sk_vec3 turn = n > 1e-14 ? sk_mul(theta / n, b) : sk_vec(0, 0, 0);
    sk_vec3 local = sk_apply_t(F, turn);
    p->k[j] = sk_mul(2 / (p->s[j + 1] - p->s[j - 1]), sk_vec(local.x, local.y, 0));
    F = sk_orthonormal(sk_mat_mul(sk_rotation(turn), F));
    t = next;
  }
  if (edges > 1) {
    p->k[0] = p->k[1], p->k[edges] = p->k[edges - 1];
    sk_vec3 back = sk_mul(-0.5 * p->s[1], p->k[1]);
    p->frame = sk_mat_mul(p->frame, sk_rotation(back));
  }
}

/* ---- First guess ---- */

/* The last point at or before s. */
static int point_before(const strand *p, double s)
{
  int lo = 0, hi = p->count - 1;
  while (hi - lo > 1) {
    int middle = lo + (hi - lo) / 2;
    if (p->s[middle] <= s) lo = middle;
    else hi = middle;
  }
  return lo;
}

/* Rate at which the curvature turns in [a, b]; small where there is little curvature to see it by. A turn by theta has
 * the weight |u| |v| (1 + cos theta) / 2: a planar curve that bends the other way after an inflection turns by pi, and
 * rounding would choose to which side. */
static double mean_twist(const strand *p, double a, double b)
{
  double sum = 0, weight = 0, bend = 0;
  for (int j = SK_MAX(1, point_before(p, a)); j + 2 < p->count && p->s[j] <= b; j++) {
    double part = (fmin(p->s[j + 1], b) - fmax(p->s[j], a)) / (p->s[j + 1] - p->s[j]);
    if (!(part > 0)) continue;
    sk_vec3 u = p->k[j], v = p->k[j + 1];
    double along = u.x * v.x + u.y * v.y, across = u.x * v.y - u.y * v.x;
    double size = sk_norm(u) * sk_norm(v), share = size > 0 ? part * 0.5 * fmax(0, 1 + along / size) : 0;
    double ds = p->s[j + 1] - p->s[j];
    sum += share * size * atan2(across, along), weight += share * size * ds,
        bend += share * fmin(sk_norm(u), sk_norm(v)) * ds;
  }
  return weight > 0 ? sum / weight * bend * bend / (bend * bend + 0.01) : 0;
}

/* Mean over [a, b] of the curvature (piecewise constant around vertices), seen from a frame that is turned by
 * alpha + tau (s - a). */
static sk_vec3 mean_curvature(const strand *p, double a, double b, double alpha, double tau)
{
  sk_vec3 sum = {0, 0, tau};
  for (int j = point_before(p, a); j < p->count && (j == 0 || p->s[j - 1] < b); j++) {
    double lo = j ? 0.5 * (p->s[j - 1] + p->s[j]) : 0,
           hi = j + 1 < p->count ? 0.5 * (p->s[j] + p->s[j + 1]) : p->length;
    lo = fmax(lo, a), hi = fmin(hi, b);
    if (!(hi > lo)) continue;
    double w = (hi - lo) / (b - a), t = alpha + tau * (0.5 * (lo + hi) - a), c = cos(t), s = sin(t);
    sum.x += w * (c * p->k[j].x + s * p->k[j].y), sum.y += w * (c * p->k[j].y - s * p->k[j].x);
  }
  return sum;
}

static void guess(const strand *p, int elements, bool twisted, double *cells)
{
  double l = p->length / elements, alpha = 0;
  for (int q = 0; q < elements; q++) {
    double a = q * l, b = q + 1 < elements ? a + l : p->length, tau = twisted ? mean_twist(p, a, b) : 0;
    sk_store3(cells + 3 * (size_t)q, mean_curvature(p, a, b, alpha, tau));
    alpha += tau * l;
  }
}

/* ---- The rod: R(s) = exp([u] s), p(s) = V(s) e3, V(s) = s I + s2 [u] + s3 [u]^2 ---- */

/* s2 and s3, and their derivatives by w2 = |u|^2. */
static void coefficients(double w2, double s, double c[2], double d[2])
{
  double x2 = w2 * s * s, t = s * s;
  if (x2 < 1e-2) {
    c[0] = t * (0.5 - x2 / 24 + x2 * x2 / 720), c[1] = t * s * (1.0 / 6 - x2 / 120 + x2 * x2 / 5040);
    d[0] = t * t * (-1.0 / 24 + x2 / 360 - x2 * x2 / 13440);
    d[1] = t * t * s * (-1.0 / 120 + x2 / 2520 - x2 * x2 / 120960);
    return;
  }
  double w = sqrt(w2), x = w * s, h = sin(0.5 * x), versed = 2 * h * h, rest = x - sin(x);
  c[0] = versed / w2, c[1] = rest / (w2 * w);
  d[0] = (0.5 * x * sin(x) - versed) / (w2 * w2), d[1] = (0.5 * x * versed - 1.5 * rest) / (w2 * w2 * w);
}

static sk_vec3 turn(sk_vec3 u, double s, sk_vec3 y)
{
  double c[2], d[2];
  sk_vec3 uy = sk_cross(u, y);
  coefficients(sk_dot(u, u), s, c, d);
  return sk_axpy(sk_axpy(sk_mul(s, y), c[0], uy), c[1], sk_cross(u, uy));
}

sk_vec3 sk_fit_piece(sk_vec3 u, double s)
{
  return turn(u, s, sk_vec(0, 0, 1));
}

/* ---- Least squares in a window ---- */

/* Elements first .. first + count - 1, the frame and place where they start, the points from..to - 1 they should meet
 * (every stride-th), and whether the start may turn. */
typedef struct window {
  const strand *p;
  double *cells;       /* of the first element */
  const double *guess; /* likewise */
  int first, count, from, to, stride;
  double l, weight, held;
  sk_vec3 r;
  sk_mat3 R;
  bool turns;
} window;

typedef struct step {
  double N[UNKNOWNS][UNKNOWNS], g[UNKNOWNS], x[UNKNOWNS];
} step;

/* Element, and abscissa in it, of the window's element of a point. */
static int element_of(const window *w, double s, double *inside)
{
  int q = (int)(s / w->l) - w->first;
  q = SK_MAX(0, SK_MIN(q, w->count - 1));
  *inside = s - (q + w->first) * w->l;
  return q;
}

/* Places and frames of the starts of the elements, and of the end. */
static void starts(const window *w, sk_vec3 *r, sk_mat3 *R)
{
  r[0] = w->r, R[0] = w->R;
  for (int q = 0; q < w->count; q++) {
    sk_vec3 u = sk_load3(w->cells + 3 * q);
    r[q + 1] = sk_add(r[q], sk_apply(R[q], sk_fit_piece(u, w->l)));
    R[q + 1] = sk_orthonormal(sk_mat_mul(R[q], sk_rotation(sk_mul(w->l, u))));
  }
}

static double cost(const window *w)
{
  sk_vec3 r[WINDOW + 1];
  sk_mat3 R[WINDOW + 1];
  double sum = 0, inside;
  starts(w, r, R);
  for (int j = w->from; j < w->to; j += w->stride) {
    int q = element_of(w, w->p->s[j], &inside);
    sk_vec3 x = sk_add(r[q], sk_apply(R[q], sk_fit_piece(sk_load3(w->cells + 3 * q), inside)));
    sk_vec3 d = sk_mul(1 / w->l, sk_sub(x, w->p->x[j]));
    sum += w->weight * sk_dot(d, d);
  }
  for (int i = 0; i < 3 * w->count; i++) {
    double d = w->held * w->l * (w->cells[i] - w->guess[i]);
    sum += d * d;
  }
  return sum;
}

/* Derivative of V(s) e3 by u_k: s2 and s3 depend on |u|^2. */
static sk_vec3 derive_piece(sk_vec3 u, double s, int k)
{
  static const sk_vec3 z = {0, 0, 1};
  sk_vec3 e = {k == 0, k == 1, k == 2}, uz = sk_cross(u, z), ez = sk_cross(e, z);
  double c[2], d[2], uk = 2 * sk_dot(u, e);
  coefficients(sk_dot(u, u), s, c, d);
  sk_vec3 first = sk_axpy(sk_mul(c[0], ez), uk * d[0], uz);
  return sk_axpy(sk_axpy(first, c[1], sk_add(sk_cross(e, uz), sk_cross(u, ez))), uk * d[1], sk_cross(u, uz));
}

/* What u_k of each element moves and turns the end of the element by, in the world. */
typedef struct ends {
  sk_vec3 move[3 * WINDOW], turn[3 * WINDOW];
} ends;

static void derive_ends(const window *w, const sk_mat3 *R, ends *e)
{
  static const sk_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3 * w->count; i++) {
    sk_vec3 u = sk_load3(w->cells + i / 3 * 3);
    e->move[i] = sk_apply(R[i / 3], derive_piece(u, w->l, i % 3));
    e->turn[i] = sk_apply(R[i / 3], turn(u, w->l, axis[i % 3]));
  }
}

/* Derivatives of the place x of a point in element q by all unknowns before it (u times l, then the turn of the start),
 * over l. */
static void derive(const window *w, const sk_vec3 *r, const sk_mat3 *R, const ends *e, int q, double inside, sk_vec3 x,
                   sk_vec3 *J)
{
  double l = w->l;
  for (int i = 0; i < 3 * q; i++)
    J[i] = sk_mul(1 / (l * l), sk_add(e->move[i], sk_cross(e->turn[i], sk_sub(x, r[i / 3 + 1]))));
  for (int k = 0; k < 3; k++) {
    sk_vec3 u = sk_load3(w->cells + 3 * q);
    J[3 * q + k] = sk_mul(1 / (l * l), sk_apply(R[q], derive_piece(u, inside, k)));
    J[3 * w->count + k] = sk_mul(1 / l, sk_cross(R[0].c[k], sk_sub(x, r[0])));
  }
}

/* Normal equations at the present place. */
static void assemble(const window *w, int n, step *m)
{
  sk_vec3 r[WINDOW + 1], J[UNKNOWNS];
  sk_mat3 R[WINDOW + 1];
  ends e;
  for (int i = 0; i < n; i++) memset(m->N[i], 0, sizeof(double) * (size_t)n), m->g[i] = 0;
  starts(w, r, R);
  derive_ends(w, R, &e);
  for (int j = w->from; j < w->to; j += w->stride) {
    double inside;
    int q = element_of(w, w->p->s[j], &inside), used[UNKNOWNS], count = 0;
    sk_vec3 x = sk_add(r[q], sk_apply(R[q], sk_fit_piece(sk_load3(w->cells + 3 * q), inside)));
    sk_vec3 d = sk_mul(1 / w->l, sk_sub(x, w->p->x[j]));
    derive(w, r, R, &e, q, inside, x, J);
    for (int i = 0; i < n; i++)
      if (i < 3 * (q + 1) || i >= 3 * w->count) used[count++] = i;
    for (int a = 0; a < count; a++) {
      m->g[used[a]] -= w->weight * sk_dot(J[used[a]], d);
      for (int b = 0; b <= a; b++) m->N[used[a]][used[b]] += w->weight * sk_dot(J[used[a]], J[used[b]]);
    }
  }
  for (int i = 0; i < n; i++) {
    m->N[i][i] += w->held * w->held;
    if (i < 3 * w->count) m->g[i] -= w->held * w->held * w->l * (w->cells[i] - w->guess[i]);
  }
}

/* (N + lambda diag N) x = g by Cholesky; N is kept. */
static void solve(step *m, int n, double lambda)
{
  double L[UNKNOWNS][UNKNOWNS];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double a = m->N[i][j] * (i == j ? 1 + lambda : 1);
      for (int k = 0; k < j; k++) a -= L[i][k] * L[j][k];
      L[i][j] = i == j ? sqrt(fmax(a, 1e-300)) : a / L[j][j];
    }
    m->x[i] = m->g[i];
    for (int k = 0; k < i; k++) m->x[i] -= L[i][k] * m->x[k];
    m->x[i] /= L[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) m->x[i] -= L[k][i] * m->x[k];
    m->x[i] /= L[i][i];
  }
}

/* Levenberg-Marquardt; stops when a step gains nothing to speak of. */
static void refine(window *w, step *m)
{
  double lambda = 1e-3, now = cost(w), keep[3 * WINDOW];
  int n = 3 * w->count + (w->turns ? 3 : 0);
  bool fresh = false;
  for (int i = 0; i < ITERATIONS && now > 1e-16 && lambda < 1e8; i++) {
    if (!fresh) assemble(w, n, m);
    solve(m, n, lambda);
    sk_mat3 R = w->R;
    memcpy(keep, w->cells, sizeof *keep * 3 * (size_t)w->count);
    for (int k = 0; k < 3 * w->count; k++) w->cells[k] += m->x[k] / w->l;
    if (w->turns) w->R = sk_orthonormal(sk_mat_mul(R, sk_rotation(sk_load3(m->x + 3 * w->count))));
    double then = cost(w);
    fresh = !(then < now);
    if (fresh) {
      memcpy(w->cells, keep, sizeof *keep * 3 * (size_t)w->count), w->R = R, lambda *= 8;
      continue;
    }
    bool done = then > now * (1 - 1e-3);
    now = then, lambda *= 0.1;
    if (done) break;
  }
}

/* ---- All windows ---- */

static void settle(const strand *p, int elements, double held, double *cells, const double *guessed, sk_mat3 *frame,
                   step *m)
{
  window w = {.p = p, .l = p->length / elements, .r = p->x[0], .R = *frame, .turns = true, .held = held};
  sk_vec3 r[WINDOW + 1];
  sk_mat3 R[WINDOW + 1];
  while (w.first < elements) {
    w.count = SK_MIN(WINDOW, elements - w.first), w.cells = cells + 3 * (size_t)w.first;
    w.guess = guessed + 3 * (size_t)w.first;
    double end = w.first + w.count < elements ? (w.first + w.count + joint) * w.l : INFINITY;
    while (w.from < p->count && p->s[w.from] <= (w.first + joint) * w.l) w.from++;
    for (w.to = w.from; w.to < p->count && p->s[w.to] <= end; w.to++) continue;
    w.stride = SK_MAX(1, (w.to - w.from) / (PER_ELEMENT * w.count));
    w.weight = SK_MIN(1.0, (double)w.count * w.stride / SK_MAX(w.to - w.from, 1));
    refine(&w, m);
    if (w.first == 0) *frame = w.R;
    bool last = w.first + w.count >= elements;
    if (last) break;
    starts(&w, r, R);
    w.r = r[ADVANCE], w.R = R[ADVANCE], w.first += ADVANCE, w.turns = false;
  }
}

/* The largest distance of a point from the rod at its abscissa. */
static double distance(const strand *p, int elements, const double *cells, sk_mat3 R)
{
  double l = p->length / elements, most = 0;
  sk_vec3 r = p->x[0];
  for (int q = 0, j = 0; q < elements; q++) {
    sk_vec3 u = sk_load3(cells + 3 * (size_t)q);
    for (; j < p->count && (q + 1 == elements || p->s[j] <= (q + 1) * l); j++)
      most = fmax(most, sk_norm(sk_sub(sk_add(r, sk_apply(R, sk_fit_piece(u, p->s[j] - q * l))), p->x[j])));
    r = sk_add(r, sk_apply(R, sk_fit_piece(u, l)));
    R = sk_orthonormal(sk_mat_mul(R, sk_rotation(sk_mul(l, u))));
  }
  return most;
}

/* From the better of two guesses, without and with twist; from the other too when that is not good. Chains: without. */
static void fit_best(const strand *p, int elements, bool chain, double *spare, step *m, sk_fit *fit)
{
  size_t n = 3 * (size_t)elements;
  double *cells = spare + 2 * n, miss[2];
  for (int twisted = 0; twisted < 2; twisted++) {
    guess(p, elements, twisted, spare + twisted * n);
    miss[twisted] = distance(p, elements, spare + twisted * n, p->frame);
  }
  int first = !chain && miss[1] < miss[0];
  fit->largest = miss[first], fit->frame = p->frame;
  memcpy(fit->cells, spare + first * n, n * sizeof *cells);
  for (int k = 0; k < 2 && !(k && (chain || fit->largest < 1e-3 * p->length)); k++) {
    const double *guessed = spare + (k ? 1 - first : first) * n;
    sk_mat3 frame = p->frame;
    memcpy(cells, guessed, n * sizeof *cells);
    settle(p, elements, chain ? held_chain : held_helix, cells, guessed, &frame, m);
    double most = distance(p, elements, cells, frame);
    if (most < fit->largest) fit->largest = most, fit->frame = frame, memcpy(fit->cells, cells, n * sizeof *cells);
  }
}

skein_status sk_fit_strand(const double *points, int count, int elements, bool chain, sk_fit *fit)
{
  sk_arena arena = {0};
  strand p = {.x = SK_NEW(&arena, count, sk_vec3),
              .s = SK_NEW(&arena, count, double),
              .k = SK_NEW(&arena, (size_t)count + 1, sk_vec3)};
  step *m = SK_NEW_RAW(&arena, 1, step);
  double *spare = SK_NEW(&arena, 9 * (size_t)elements, double);
  skein_status s = sk_ok();
  if (arena.failed) s = sk_no_memory();
  else take_points(&p, points, count);
  if (s.code == SKEIN_OK && p.count < 2) s = sk_fail(SKEIN_BAD_INPUT, "has no length, expected two points apart");
  if (s.code == SKEIN_OK) {
    find_abscissae(&p);
    find_curvatures(&p);
    memset(fit->cells, 0, 3 * sizeof(double) * (size_t)elements);
    fit->length = p.length, fit->root = p.x[0], fit->frame = p.frame;
    fit_best(&p, elements, chain, spare, m, fit);
    if (!isfinite(fit->largest)) s = sk_fail(SKEIN_BAD_INPUT, "cannot be fitted, expected points within 1e15");
  }
  sk_arena_free(&arena);
  return s;
}
