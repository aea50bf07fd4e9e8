/* The versions of the inner loops, and which of them the processor can run. */
#include "friction/kernels.h"

typedef double v4 __attribute__((vector_size(32), aligned(8)));

#define KERNELS_NAME "any"
#define TARGET
#define VERSION(name) name##_any
#include "friction/kernels_body.h"
#undef KERNELS_NAME
#undef TARGET
#undef VERSION

#if defined(__x86_64__)
#define KERNELS_NAME "avx2"
#define TARGET __attribute__((target("avx2")))
#define VERSION(name) name##_avx2
#include "friction/kernels_body.h"
#endif

const sk_kernels *sk_kernels_of(sk_cpu cpu)
{
#if defined(__x86_64__)
  if (cpu == SK_CPU_AVX2) return __builtin_cpu_supports("avx2") ? &kernels_avx2 : NULL;
#endif
  return cpu == SK_CPU_ANY ? &kernels_any : NULL;
}

const sk_kernels *sk_kernels_best(void)
{
  const sk_kernels *best = sk_kernels_of(SK_CPU_AVX2);
  return best ? best : sk_kernels_of(SK_CPU_ANY);
}
