/* What the files that write Alembic share.
 *
 * An archive is a tree of groups in an Ogawa file (alembic_file.c). Objects have properties, properties have samples
 * (alembic_tree.c): data goes to the file as it comes, groups and headers when all is known. What is in it for a run is
 * in alembic.c and alembic_bodies.c. */
#ifndef SK_EXPORT_ALEMBIC_H
#define SK_EXPORT_ALEMBIC_H

#include "export/export.h"

/* ---- alembic_file.c: data and groups; the same bytes are stored once ---- */

typedef struct sk_digest {
  uint64_t a, b;
} sk_digest;

typedef struct sk_stored {
  sk_digest digest;
  uint64_t size, place; /* place 0: free */
} sk_stored;

typedef struct sk_ogawa {
  sk_out out;
  uint64_t at;       /* bytes written */
  sk_stored *stored; /* a hash table; room is a power of two */
  size_t count, room;
  bool starved; /* no memory */
} sk_ogawa;

/* Places of children: data has the top bit. */
typedef struct sk_children {
  uint64_t *place;
  size_t count, room;
} sk_children;

#define SK_OGAWA_DATA (UINT64_C(1) << 63)

sk_digest sk_digest_make(const void *data, size_t size);
void sk_digest_add(sk_digest *sum, const void *data, size_t size); /* mixes more into it */

void sk_ogawa_start(sk_ogawa *o);
void sk_ogawa_finish(sk_ogawa *o, uint64_t root); /* says where the tree begins, and that the file is whole */
uint64_t sk_ogawa_put(sk_ogawa *o, const void *data, size_t size);
/* With its digest in front, once for all samples that have these bytes; the place. */
uint64_t sk_ogawa_put_sample(sk_ogawa *o, const void *data, size_t size, sk_digest *digest);
uint64_t sk_ogawa_put_group(sk_ogawa *o, const sk_children *children);
void sk_children_add(sk_ogawa *o, sk_children *c, uint64_t place);

/* ---- alembic_tree.c ---- */

typedef enum sk_abc_pod {
  SK_ABC_BOOL = 0,
  SK_ABC_U8 = 1,
  SK_ABC_I16 = 4,
  SK_ABC_U32 = 5,
  SK_ABC_I32 = 6,
  SK_ABC_F32 = 10,
  SK_ABC_F64 = 11,
  SK_ABC_STRING = 12
} sk_abc_pod;

typedef enum sk_abc_kind { SK_ABC_COMPOUND, SK_ABC_SCALAR, SK_ABC_ARRAY } sk_abc_kind;

typedef struct sk_abc_property sk_abc_property;
struct sk_abc_property {
  char *name, *meta;
  sk_abc_kind kind;
  sk_abc_pod pod;
  int extent;  /* numbers in an element */
  bool moves;  /* its samples are frames; else it has one */
  bool single; /* every sample has one element */
  bool even;   /* every sample has as many elements */
  sk_children data;
  uint32_t samples, first_change, last_change;
  uint64_t last_place;
  size_t elements;
  sk_digest last, all;
  sk_abc_property *child, *next; /* a compound's first; of the same compound */
};

typedef struct sk_abc_object sk_abc_object;
struct sk_abc_object {
  char *name, *meta;
  sk_abc_property top;
  sk_abc_object *child, *next;
};

typedef struct sk_abc {
  sk_ogawa file;
  sk_abc_object top;
  double start, step; /* s: time of the first sample, from one to the next */
  uint32_t most;      /* samples of a property that moves */
  char **meta;        /* those that properties and objects name by number */
  int metas;
} sk_abc;

sk_abc_object *sk_abc_add_object(sk_abc *abc, sk_abc_object *parent, const char *name, const char *meta);
sk_abc_property *sk_abc_add_compound(sk_abc *abc, sk_abc_property *parent, const char *name, const char *meta);
sk_abc_property *sk_abc_add(sk_abc *abc, sk_abc_property *parent, const char *name, const char *meta, sk_abc_kind kind,
                            sk_abc_pod pod, int extent, bool moves);
/* A sample of `elements` elements; the same as the one before costs nothing. Properties that are NULL (there was no
 * memory for them) take it and do nothing. */
void sk_abc_put(sk_abc *abc, sk_abc_property *p, const void *data, size_t elements);
/* Strings one after the other, each with its zero byte. */
void sk_abc_put_strings(sk_abc *abc, sk_abc_property *p, const char *text, size_t size, size_t elements);
void sk_abc_write(sk_abc *abc, const char *about); /* the tree: no more can be added */
void sk_abc_free(sk_abc *abc);

/* alembic_bodies.c: bodies and the camera, before the frames; then each frame. */
typedef struct sk_abc_body {
  sk_abc_property *place, *points, *velocities, *normals, *bounds;
} sk_abc_body;

typedef struct sk_abc_bodies {
  sk_abc_body *body;
  int count;
} sk_abc_bodies;

skein_status sk_abc_bodies_make(sk_abc *abc, sk_export *x, sk_abc_bodies *b);
skein_status sk_abc_bodies_put(sk_abc *abc, sk_export *x, sk_abc_bodies *b, const sk_view *view, int k);
void sk_abc_camera_put(sk_abc *abc, const sk_export *x);
sk_abc_object *sk_abc_add_place(sk_abc *abc, sk_abc_object *parent, const char *name);

#endif
