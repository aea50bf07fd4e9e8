/* The error handler of HDF5, put aside and put back. */
#include "base/hdf5_quiet.h"

sk_h5_quiet sk_h5_hide(void)
{
  sk_h5_quiet q = {0};
  unsigned version_2 = 0;
  if (H5Eauto_is_v2(H5E_DEFAULT, &version_2) < 0 || !version_2) return q; /* a handler of version 1 is the program's */
  q.saved = H5Eget_auto2(H5E_DEFAULT, &q.print, &q.user) >= 0 && H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0;
  return q;
}

void sk_h5_show(sk_h5_quiet q)
{
  if (q.saved) H5Eset_auto2(H5E_DEFAULT, q.print, q.user);
}
