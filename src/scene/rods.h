/* Entries of "rods" that become many. */
#ifndef SK_SCENE_RODS_H
#define SK_SCENE_RODS_H

#include "rod/rod.h"
#include "scene/reader.h"

/* Room for more rods; false: failed. */
bool sk_rods_reserve(sk_reader *r, const sk_at *at, int64_t more);
/* Checks and appends; number: "name[number]", negative: "name". */
void sk_rods_add(sk_reader *r, const sk_at *entry, const sk_scene_rod *rod, int number);
/* expand.c: the rod itself, or its bundle or grid. */
void sk_rods_expand(sk_reader *r, const sk_at *entry, const sk_scene_rod *rod);
/* Places of the hexagonal lattice of that spacing (x, y), nearest to its origin first; NULL: failed. */
sk_vec3 *sk_rods_pack(sk_reader *r, int count, double spacing);
/* groom.c: hair that grows on a body. */
void sk_rods_from_groom(sk_reader *r, const sk_at *entry, const sk_scene_rod *rod);
/* strands.c: the strands of a file, or the "points" of the entry, as initial and natural shapes. */
void sk_rods_from_strands(sk_reader *r, const sk_at *entry, const sk_scene_rod *rod);

#endif
