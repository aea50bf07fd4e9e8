/* Alembic archives as they are read: objects, properties and samples of an Ogawa file in memory. Every place and length
 * is checked against the size of the file; what does not fit is a failure, never a crash. */
#ifndef SK_SCENE_ARCHIVE_H
#define SK_SCENE_ARCHIVE_H

#include "base/base.h"

/* Bytes in the file. */
typedef struct sk_span {
  const unsigned char *at;
  size_t size;
} sk_span;

typedef struct sk_sampling {
  double step; /* s, from one cycle to the next */
  int count;   /* times of a cycle; or all, where there are no cycles: */
  bool acyclic;
  sk_span times; /* doubles */
} sk_sampling;

typedef struct sk_archive {
  sk_span file, about; /* about: what it says of itself, "key=value;..." */
  sk_span top;         /* the top object: places of its children */
  sk_sampling *sampling;
  int samplings;
  sk_span *meta; /* 0: empty */
  int metas;
  int budget; /* objects and properties that are still looked at: groups may be in each other */
} sk_archive;

enum { SK_ARCHIVE_BUDGET = 1000000 };

typedef enum sk_archive_kind { SK_PROPERTY_COMPOUND, SK_PROPERTY_SCALAR, SK_PROPERTY_ARRAY } sk_archive_kind;
enum { SK_POD_U8 = 1, SK_POD_I8, SK_POD_U16, SK_POD_I16, SK_POD_U32, SK_POD_I32, SK_POD_F32 = 10, SK_POD_F64 = 11 };

typedef struct sk_property {
  sk_archive_kind kind;
  int pod, extent, sampling;
  uint32_t samples, first, last; /* samples; the first and the last one that differ from the one before */
  sk_span group, name;
} sk_property;

/* An object among the children of another one. */
typedef struct sk_node {
  sk_span name, meta, group;
} sk_node;

skein_status sk_archive_open(const char *bytes, size_t size, sk_archive *a);
void sk_archive_close(sk_archive *a);

skein_status sk_archive_children(sk_archive *a, sk_span object, int *count);
skein_status sk_archive_child(sk_archive *a, sk_span object, int k, sk_node *child);
/* The compound of an object, or one in a compound: *found false: there is none of this name. */
skein_status sk_archive_properties(sk_archive *a, sk_span object, sk_property *top);
skein_status sk_archive_find(sk_archive *a, const sk_property *in, const char *name, sk_property *found, bool *is);

/* The number of the sample at time t, and the time of a sample. */
uint32_t sk_archive_sample_at(const sk_archive *a, const sk_property *p, double t);
double sk_archive_time(const sk_archive *a, int sampling, uint32_t sample);
/* Numbers of a sample, on the heap; NULL and 0: none. Integers or not, whatever the type. */
skein_status sk_archive_numbers(sk_archive *a, const sk_property *p, uint32_t sample, double **x, size_t *count);

/* Whether "key=value" is in a list of such, or the value of a key. */
bool sk_archive_says(sk_span meta, const char *key, const char *value);
bool sk_archive_value(sk_span meta, const char *key, char *value, size_t size);

#endif
