/* Curves and meshes as they are found in the objects of a file, put together: what the readers of Alembic and USD
 * share. */
#ifndef SK_SCENE_COLLECT_H
#define SK_SCENE_COLLECT_H

#include "scene/files.h"

/* A place above an object: rows are multiplied from the left, the last one is the translation. */
typedef struct sk_matrix {
  double m[4][4];
} sk_matrix;

extern const sk_matrix sk_matrix_identity;
sk_matrix sk_matrix_product(const sk_matrix *a, const sk_matrix *b);
/* 0 scale, 1 translate, 2 rotate about an axis by degrees, 3 matrix, 4 to 6 rotate about x, y, z: from its 3, 3, 4, 16,
 * 1 numbers. */
sk_matrix sk_matrix_operation(int type, const double *v);

typedef struct sk_collect {
  sk_list point, size, kind; /* of double, int, int: of curves; point: also vertices */
  sk_list face, uv;          /* of int, float */
  bool no_uv;                /* a mesh had none */
  size_t most;               /* numbers of a kind: what stands in a file many times is not taken without end */
} sk_collect;

/* Numbers of an object: NULL and 0 where it has none. */
typedef struct sk_numbers {
  double *x;
  size_t count;
} sk_numbers;

/* p (3 per point) is moved where it stands. */
skein_status sk_collect_points(sk_collect *c, sk_numbers p, const sk_matrix *place);
/* Curves of so many points each; guide: one for all or one each; width: those that have none at any point are none. */
skein_status sk_collect_curves(sk_collect *c, sk_numbers size, size_t points, sk_numbers guide, sk_numbers width);
/* Faces of so many corners each as fans, before the mesh's points; uv: 2 per corner. */
skein_status sk_collect_faces(sk_collect *c, sk_numbers count, sk_numbers corner, sk_numbers uv, size_t vertices,
                              bool clockwise);
/* Texture coordinates per corner, of values that are there per corner or by index; none where they do not fit. */
skein_status sk_collect_uv(sk_numbers value, sk_numbers index, size_t corners, sk_numbers *uv);
skein_status sk_collect_strands(const sk_collect *c, sk_strands *out);
skein_status sk_collect_triangles(sk_collect *c, sk_triangles *out);
/* The points as frame k of a cache, which must have as many. */
skein_status sk_collect_frame(const sk_collect *c, int k, sk_cache *cache);
skein_status sk_collect_cache(const sk_cache_def *def, uint64_t frames, int vertices, sk_cache **out);
void sk_collect_free(sk_collect *c);

#endif
