/* Inside the export room: a run in, files of other programs out; one file per format, a table of them in export.c. The
 * room has no door of its own: what others use is skein_export of the public header, and what it uses of others is
 * public too. */
#ifndef SK_EXPORT_H
#define SK_EXPORT_H

#include "base/base.h"
#include "math/vec3.h"

#include <skein/export.h>
#include <stdio.h>

/* ---- files.c: files that are there as a whole, all of them, or not at all ---- */

typedef struct sk_file {
  char *path, *temporary; /* temporary NULL: written directly, to a device or a pipe */
} sk_file;

typedef struct sk_files {
  sk_file *file;
  int count, room;
  char *folder; /* that was made; NULL: none */
  int64_t bytes;
} sk_files;

/* One that is being written. The first failure of a write is kept by the stream. */
typedef struct sk_out {
  FILE *stream;
  const char *path; /* of the list */
} sk_out;

skein_status sk_files_open(sk_files *files, const char *path, sk_out *out);
skein_status sk_files_close(sk_files *files, sk_out *out); /* flushed, not yet in its place */
skein_status sk_files_folder(sk_files *files, const char *path);
skein_status sk_files_commit(sk_files *files); /* each into its place; the list is empty then */
void sk_files_discard(sk_files *files);
bool sk_out_failed(const sk_out *out);
skein_status sk_out_failure(const sk_out *out); /* "path: cannot write: ..." */

/* ---- numbers.c: text and bytes ---- */

void sk_put_float(FILE *out, float x);   /* the fewest digits of 7 to 9 that read back as x */
void sk_put_double(FILE *out, double x); /* 15 digits, or 17 where needed */
void sk_put_point(FILE *out, const float *x, const char *between);
void sk_put_i32(FILE *out, int x); /* little-endian, as all bytes here */
void sk_put_u16(FILE *out, unsigned x);
void sk_put_f32(FILE *out, float x);
/* A letter or '_' first, then letters, digits and '_': a name for programs that are strict. */
void sk_put_identifier(const char *name, char *out, size_t size);
/* 0 to 255, as screens have it (sRGB), of a linear colour. */
int sk_srgb_byte(float linear);

/* ---- topology.c: the same strands with the same points in every frame ---- */

typedef struct sk_strand {
  int points, source, group;
  int parent;      /* the strand that it is cut from in the middle of the run; -1: it is there from the start */
  double from, to; /* m: of its parent's length, before */
} sk_strand;

/* A strand is cut, or comes off, in this frame: its points are of other material than before. */
typedef struct sk_change {
  int strand, frame;
} sk_change;

typedef struct sk_topology {
  sk_strand *strand;
  int count, points; /* points: of all strands */
  sk_change *change;
  int changes, change_room;
} sk_topology;

typedef struct sk_export sk_export;

skein_status sk_topology_make(sk_export *x); /* looks through the whole run; to be freed also after a failure */
void sk_topology_free(sk_topology *t);
skein_status sk_topology_fit(const sk_topology *t, skein_frame *f); /* f as sk_frame_shown has it */
void sk_topology_carry(const sk_topology *t, const skein_frame *from, const float *value, float *out);
void sk_topology_ranges(const sk_topology *t, int index, int *first, int *last);
/* Texture coordinates of its root, or of that of the strand that it is cut from; first: frame 0 as it is shown. */
void sk_topology_root_uv(const sk_export *x, const skein_frame *first, int strand, float uv[2]);

/* ---- frames.c: a frame of the run as the file wants it ---- */

enum { SK_SPEED, SK_STATUS, SK_FORCE, SK_ISLAND, SK_VALUES };

/* Lengths in units of the file, axes turned; values per point in SI. */
typedef struct sk_view {
  skein_frame f;
  float *value[SK_VALUES]; /* NULL unless asked for */
  float *abscissa;         /* of each point; with the values */
  float *colour;           /* 3 per rod, linear */
  float *velocity;         /* 3 per point, units of the file per second; NULL unless sk_export says so */
  float *surface_velocity; /* the same of the frame's surface_vertex, in axes of the bodies */
} sk_view;

enum { SK_RING = 5 }; /* frames that velocities are made of */

struct sk_export {
  const skein_run *run;
  const skein_export_def *def;
  const skein_look *look;
  const skein_hairs *hairs; /* NULL: rods as they are */
  sk_topology topology;
  bool velocities;           /* frames are loaded with them */
  skein_frame ring[SK_RING]; /* of velocity.c */
  sk_files *files;
  int first, step, count;  /* frames */
  double scale;            /* units per metre */
  int done, passes, steps; /* progress: frames read, of `steps` */
  bool stopped;
};

/* Frame `index` of the run as it is shown, rods or hairs, in SI; guides, unless NULL: as it is in the run, where hairs
 * are shown. */
skein_status sk_frame_shown(const sk_export *x, int index, skein_frame *guides, skein_frame *f);
/* Frame k of those to export, 0 .. count - 1. Asks progress. To be freed also after a failure. */
skein_status sk_view_load(sk_export *x, int k, bool values, sk_view *view);
/* Frame 0 of the run in the same way, whatever is exported, with points and colours alone. */
skein_status sk_view_rest(sk_export *x, sk_view *view);
void sk_view_free(sk_view *view);
/* What frame k of those to export is called: a number of the files' frames, whole unless they have a rate of their own.
 */
double sk_view_number(const sk_export *x, int k);
double sk_export_rate(const sk_export *x); /* frames per second of the files */
/* The mesh of body i in the frame, in units of the file and its own axes: 3 per vertex, to be freed; NULL: no memory.
 * Its normals come behind the vertices. */
float *sk_body_vertices(const sk_export *x, const sk_view *view, int i);
/* Velocities of its vertices in those axes, where it deforms: 3 per vertex, to be freed; NULL: no memory. */
float *sk_body_velocities(const sk_export *x, const sk_view *view, int i);
/* A point or a direction of body i in the frame: out of its axes. */
sk_vec3 sk_body_out(const sk_view *view, int i, const float *x);
sk_vec3 sk_body_turn(const sk_view *view, int i, const float *n);
int sk_view_bodies(const sk_export *x, const sk_view *view); /* 0 when bodies are not wanted */

/* ---- velocity.c ---- */
skein_status sk_velocities(sk_export *x, int index, sk_view *view); /* SI; of a view that is loaded */
void sk_ring_free(sk_export *x);

/* ---- one per format ---- */
skein_status sk_write_abc(sk_export *x);
skein_status sk_write_usda(sk_export *x);
skein_status sk_write_vtp(sk_export *x);
skein_status sk_write_csv(sk_export *x);
skein_status sk_write_hair(const sk_export *x, const sk_view *view, sk_out *out);
skein_status sk_write_obj(const sk_export *x, const sk_view *view, sk_out *out);
skein_status sk_write_ply(const sk_export *x, const sk_view *view, sk_out *out);

#endif
