/* Wall clock for statistics and time limits; no decision of a solver depends on it. */
#include "base/base.h"

#include <time.h>

double sk_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
