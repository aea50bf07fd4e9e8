/* Plain data that rooms hand each other: frames, and the words for what the front door lets one choose. */
#ifndef SK_FRAME_H
#define SK_FRAME_H

#include "base/base.h"

#include <skein/run.h>

/* Sizes agree, every number is finite, objects are there: or a status that names the field. */
skein_status sk_frame_check(const skein_frame *f);

#endif
