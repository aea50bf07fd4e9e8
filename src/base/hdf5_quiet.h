/* HDF5 prints its errors by itself: not between hide and show. The setting belongs to the calling thread. */
#ifndef SK_HDF5_QUIET_H
#define SK_HDF5_QUIET_H

#include <hdf5.h>
#include <stdbool.h>

typedef struct sk_h5_quiet {
  H5E_auto2_t print;
  void *user;
  bool saved;
} sk_h5_quiet;

sk_h5_quiet sk_h5_hide(void);
void sk_h5_show(sk_h5_quiet q);

#endif
