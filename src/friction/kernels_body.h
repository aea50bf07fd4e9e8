/* The loops of kernels.h, once for each version: TARGET is what the compiler is to use, VERSION(x) the name of x in it.
 * No guard: included several times, by kernels.c alone. */

TARGET static void VERSION(pull)(const sk_system *s, const double *y, int i, double *u)
{
  v4 a0 = {0}, a1 = {0}, a2 = {0};
  for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
    const double *G = s->G + s->g_at[k], *z = y + s->g_y[k];
    int width = s->g_width[k];
    for (int e = s->g_first[k]; e < width; e += 4) {
      v4 t = *(const v4 *)(z + e);
      a0 += *(const v4 *)(G + e) * t;
      a1 += *(const v4 *)(G + width + e) * t;
      a2 += *(const v4 *)(G + 2 * width + e) * t;
    }
  }
  u[0] = s->b[3 * i] + ((a0[0] + a0[1]) + (a0[2] + a0[3]));
  u[1] = s->b[3 * i + 1] + ((a1[0] + a1[1]) + (a1[2] + a1[3]));
  u[2] = s->b[3 * i + 2] + ((a2[0] + a2[1]) + (a2[2] + a2[3]));
}

TARGET static void VERSION(push)(const sk_system *s, double *y, int i, const double *dr)
{
  for (int64_t k = s->g_start[i]; k < s->g_start[i + 1]; k++) {
    const double *G = s->G + s->g_at[k];
    double *z = y + s->g_y[k];
    int width = s->g_width[k];
    for (int e = s->g_first[k]; e < width; e += 4)
      *(v4 *)(z + e) += *(const v4 *)(G + e) * dr[0] + *(const v4 *)(G + width + e) * dr[1] +
                        *(const v4 *)(G + 2 * width + e) * dr[2];
  }
}

/* The block rows of W' hold W_ji'. */
TARGET static void VERSION(push_blocks)(const sk_system *s, double *u, int i, const double *dr)
{
  const double *B = s->Wt.val + 9 * s->Wt.start[i];
  for (int64_t k = s->Wt.start[i]; k < s->Wt.start[i + 1]; k++, B += 9)
    *(v4 *)(u + 4 * (size_t)s->Wt.col[k]) +=
        *(const v4 *)B * dr[0] + *(const v4 *)(B + 3) * dr[1] + *(const v4 *)(B + 6) * dr[2];
}

TARGET static void VERSION(product)(const double *Gi, const double *Gj, int width, int first, double *block)
{
  for (int a = 0; a < 3; a++) {
    v4 s0 = {0}, s1 = {0}, s2 = {0};
    for (int e = first; e < width; e += 4) {
      v4 g = *(const v4 *)(Gi + a * width + e);
      s0 += g * *(const v4 *)(Gj + e);
      s1 += g * *(const v4 *)(Gj + width + e);
      s2 += g * *(const v4 *)(Gj + 2 * width + e);
    }
    block[3 * a] += (s0[0] + s0[1]) + (s0[2] + s0[3]);
    block[3 * a + 1] += (s1[0] + s1[1]) + (s1[2] + s1[3]);
    block[3 * a + 2] += (s2[0] + s2[1]) + (s2[2] + s2[3]);
  }
}

TARGET static void VERSION(forward)(const double *L, int size, int first, double *x)
{
  for (int j = first; j < size; j++) {
    const double *row = L + (size_t)j * (size_t)size;
    v4 sum = *(const v4 *)(x + 4 * j);
    for (int k = first; k < j; k++) sum -= row[k] * *(const v4 *)(x + 4 * k);
    *(v4 *)(x + 4 * j) = sum / row[j];
  }
}

static const sk_kernels VERSION(kernels) = {
    .name = KERNELS_NAME,
    .pull = VERSION(pull),
    .push = VERSION(push),
    .push_blocks = VERSION(push_blocks),
    .product = VERSION(product),
    .forward = VERSION(forward),
};
