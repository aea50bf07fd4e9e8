/* Files that scenes name: strands (Cem Yuksel's .hair, OBJ lines, PLY edges, Alembic curves) and triangles (OBJ,
 * Alembic). Numbers are as in the file. Messages do not name the file: the caller knows it. */
#ifndef SK_SCENE_FILES_H
#define SK_SCENE_FILES_H

#include "base/base.h"
#include "body/body.h"

/* What a file says of its own lengths and axes. */
typedef struct sk_units {
  double metres; /* per unit; 0: it says nothing, as most */
  bool y_up;     /* else z is up */
  bool guessed;  /* by the program that wrote it */
} sk_units;

/* Polylines; arrays on the heap. */
typedef struct sk_strands {
  int count;
  int *start;    /* count + 1: strand i has the points start[i] .. start[i+1] - 1, root first */
  double *point; /* 3 each */
  sk_units units;
} sk_strands;

typedef struct sk_triangles {
  int vertices, triangles;
  double *v; /* 3 each */
  int *t;    /* 3 each */
  float *uv; /* 6 each: texture coordinates of the corners; NULL: not all have them */
  sk_units units;
} sk_triangles;

/* A list on the heap that grows; at most INT_MAX/4 numbers. */
typedef struct sk_list {
  void *data;
  size_t count, room;
} sk_list;

/* Room for `more` items of that size; false: too many, or no memory (then `data` is as before). */
bool sk_list_grow(sk_list *l, size_t more, size_t size);
bool sk_list_push(sk_list *l, const void *items, size_t count, size_t size);

/* The whole file, with a zero byte after it (heap). Fails for what is no regular file or larger than `most`. */
skein_status sk_file_read(const char *path, size_t most, char **bytes, size_t *size);

/* By the ending of the name. Every strand has two points at least. */
skein_status sk_strands_read(const char *path, sk_strands *out);
void sk_strands_destroy(sk_strands *s);
skein_status sk_triangles_read(const char *path, sk_triangles *out);
/* Marks the triangles, of which there are `triangles`, in the group, object or material of that name. */
skein_status sk_triangles_mark(const char *path, const char *name, int triangles, uint8_t *marked);
void sk_triangles_destroy(sk_triangles *t);

/* Vertices of a mesh over time (file_cache.c). */
typedef enum sk_cache_format {
  SK_CACHE_PC2,
  SK_CACHE_MDD,
  SK_CACHE_OBJ,
  SK_CACHE_ABC,
  SK_CACHE_USDA,
  SK_CACHE_COUNT
} sk_cache_format;

typedef struct sk_cache_def {
  const char *path; /* OBJ: with a number, "head_%04d.obj" */
  sk_cache_format format;
  double fps;   /* 1/s: PC2, OBJ */
  double start; /* s: when the first frame comes */
  double scale;
  int first, last; /* numbers of the OBJ files */
  int axis[3];     /* coordinate of the cache that is x, y, z of the mesh: 1, 2, 3, or negative */
} sk_cache_def;

/* Checked against the mesh: the same vertices, for OBJ files also the same faces. */
skein_status sk_cache_read(const sk_cache_def *def, const sk_triangles *mesh, sk_cache **out);

/* One format each, from memory (text formats write zero bytes into it). */
skein_status sk_hair_parse(const char *bytes, size_t size, sk_strands *out);
skein_status sk_obj_strands_parse(char *text, size_t size, sk_strands *out);
skein_status sk_obj_triangles_parse(char *text, size_t size, sk_triangles *out);
skein_status sk_obj_mark_parse(char *text, size_t size, const char *name, int triangles, uint8_t *marked);
skein_status sk_ply_parse(char *bytes, size_t size, sk_strands *out);

/* file_abc.c */
skein_status sk_abc_strands_parse(const char *bytes, size_t size, sk_strands *out);
skein_status sk_abc_triangles_parse(const char *bytes, size_t size, sk_triangles *out);
skein_status sk_abc_cache_parse(const char *bytes, size_t size, const sk_cache_def *def, int vertices, sk_cache **out);

/* file_usda.c: there is a zero byte behind the text */
skein_status sk_usda_strands_parse(const char *text, size_t size, sk_strands *out);
skein_status sk_usda_triangles_parse(const char *text, size_t size, sk_triangles *out);
skein_status sk_usda_cache_parse(const char *text, size_t size, const sk_cache_def *def, int vertices, sk_cache **out);

/* Edges (pairs of vertices, from root to tip where they can) made into open chains, in the order of their first
 * vertex. base: the number that messages call vertex 0 by. */
skein_status sk_strands_chain(const double *v, int vertices, const int *edges, int count, int base, sk_strands *out);

#endif
