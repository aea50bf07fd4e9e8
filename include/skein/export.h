/* Export: a run as files of other programs (docs/formats.md). */
#ifndef SKEIN_EXPORT_H
#define SKEIN_EXPORT_H

#include <skein/picture.h>
#include <skein/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum skein_format {
  SKEIN_USDA, /* USD: animated curves and meshes, one file */
  SKEIN_VTP,  /* VTK: .pvd and a folder of PolyData files, with values per point and per contact */
  SKEIN_HAIR, /* Cem Yuksel's .hair, one file per frame */
  SKEIN_OBJ,  /* Wavefront, one file per frame */
  SKEIN_PLY,  /* vertices and edges, one file per frame */
  SKEIN_CSV,  /* a line per point, one file */
  SKEIN_ABC,  /* Alembic: animated curves and meshes, camera, attributes of a groom, one file */
  SKEIN_FORMAT_COUNT
} skein_format;

SKEIN_API const char *skein_format_name(skein_format f);
SKEIN_API const char *skein_format_about(skein_format f); /* one line for --help */
SKEIN_API int skein_format_find(const char *name);        /* -1: none */
SKEIN_API int skein_format_of_path(const char *path);     /* by its ending; -1: none */
SKEIN_API bool skein_format_has_bodies(skein_format f);
SKEIN_API bool skein_format_has_contacts(skein_format f);

typedef struct skein_export_def {
  skein_format format;
  const char *path;      /* series: "out_%04d.hair", or "out.hair", which becomes that where there are several frames */
  int first, last, step; /* frames; last -1: the last one of the run */
  int start;             /* number that frame 0 of the run has in the files */
  double rate;           /* frames per second of the files: those of a run that has more lie between them (USD, Alembic);
                            0: the run's */
  double unit;           /* m per unit of the file */
  bool y_up;             /* axes (x, z, -y): up is y, not z */
  int points;            /* of each rod, evenly along it, the same in all frames; 0: as its curve needs over the run */
  bool bodies, contacts;
  const skein_hairs_def *hairs; /* hairs instead of the rods that were simulated; NULL: none. `points`, where given, are
                                   those of a hair */
  bool (*progress)(int done, int all, void *user); /* after each frame; false stops. May be NULL */
  void *user;
} skein_export_def;

SKEIN_API skein_export_def skein_default_export_def(void); /* USD, all frames, metres, z up, with bodies */

typedef struct skein_export_info {
  int frames, files;
  int64_t bytes;
  bool stopped; /* by progress: nothing was left on the disk */
} skein_export_info;

/* Writes the files: all of them, whole, or none. The scene's files (meshes of bodies) must be where they were. */
SKEIN_API skein_status skein_export(const skein_run *run, const skein_export_def *def, skein_export_info *info);

#ifdef __cplusplus
}
#endif
#endif
