/* Random numbers: xoshiro256** seeded by splitmix64 (Blackman and Vigna 2018). */
#include "base/base.h"

#include <math.h>

static uint64_t rotate(uint64_t x, int k)
{
  return (x << k) | (x >> (64 - k));
}

sk_random sk_random_make(uint64_t seed)
{
  sk_random g;
  for (int i = 0; i < 4; i++) {
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    g.s[i] = z ^ (z >> 31);
  }
  return g;
}

uint64_t sk_random_u64(sk_random *g)
{
  uint64_t *s = g->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

double sk_random_uniform(sk_random *g, double lo, double hi)
{
  return lo + (hi - lo) * (double)(sk_random_u64(g) >> 11) * 0x1p-53;
}

double sk_random_normal(sk_random *g)
{
  double a = 1.0 - sk_random_uniform(g, 0, 1), b = sk_random_uniform(g, 0, 1); /* a in (0, 1] */
  return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

int sk_random_int(sk_random *g, int below)
{
  return (int)(sk_random_u64(g) % (uint64_t)below);
}
