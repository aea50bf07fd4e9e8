/* A few contacts of a large island, solved on their own. Private to the friction room. */
#ifndef SK_PATCH_H
#define SK_PATCH_H

#include "friction/sweep.h"

/* Improves the impulses of the contacts that are not within the tolerance and of their neighbours, by the errors that
 * were measured last; *helped: there were few enough of them. */
skein_status sk_patch_solve(sk_work *w, sk_sweep *g, bool *helped);

#endif
