/* The inner loops over G, G' and blocks of W, in versions for what a processor has. Private to the friction room.
 *
 * Every version has the same lanes, four numbers side by side, and no contraction of a product with a sum: the same
 * bits. There is none for AVX-512: four lanes are one register of AVX2 already, and it brings fused instructions that
 * GCC 12 uses although it is told not to. */
#ifndef SK_KERNELS_H
#define SK_KERNELS_H

#include "friction/system.h"

struct sk_kernels {
  const char *name;
  /* u_i = b_i + G_i y */
  void (*pull)(const sk_system *s, const double *y, int i, double *u);
  /* y += G_i' dr */
  void (*push)(const sk_system *s, double *y, int i, const double *dr);
  /* u_j += W_ji dr, u with stride 4: lane 3 is padding that nobody reads. */
  void (*push_blocks)(const sk_system *s, double *u, int i, const double *dr);
  /* block += G_i G_j' over one object, from column `first` on; width and first are whole numbers of vectors of four. */
  void (*product)(const double *Gi, const double *Gj, int width, int first, double *block);
  /* L x = x from row `first` on, for four x side by side. */
  void (*forward)(const double *L, int size, int first, double *x);
};

typedef enum sk_cpu { SK_CPU_ANY, SK_CPU_AVX2, SK_CPU_COUNT } sk_cpu;

/* The version for a processor, NULL where this one is another; the best one for it. */
const sk_kernels *sk_kernels_of(sk_cpu cpu);
const sk_kernels *sk_kernels_best(void);

#endif
