/* Wall clock for statistics and time limits, and memory; no decision of a solver depends on them. */
#include "base/base.h"

#include <sys/resource.h>
#include <time.h>

double sk_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double sk_memory(void)
{
  struct rusage use;
  return getrusage(RUSAGE_SELF, &use) == 0 ? 1024e-6 * (double)use.ru_maxrss : 0; /* Linux counts in KiB */
}
