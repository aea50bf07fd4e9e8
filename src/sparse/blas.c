/* One thread for OpenBLAS while we use it. The only state of the library that outlives a call, and only to leave the
 * host as it was. */
#include "sparse/sparse.h"

#include <cblas.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users, threads;

void sk_blas_hold(int change)
{
  pthread_mutex_lock(&lock);
  if (users == 0) threads = openblas_get_num_threads();
  users += change;
  int want = users ? 1 : threads;
  if (openblas_get_num_threads() != want) openblas_set_num_threads(want);
  pthread_mutex_unlock(&lock);
}
