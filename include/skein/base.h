/* Version and status: what every other header needs. */
#ifndef SKEIN_BASE_H
#define SKEIN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SKEIN_API __attribute__((visibility("default")))
#else
#define SKEIN_API
#endif

#define SKEIN_VERSION_MAJOR 0
#define SKEIN_VERSION_MINOR 1
#define SKEIN_VERSION_PATCH 0

/* "0.1.0": the version of the library that is running, not of the header. */
SKEIN_API const char *skein_version(void);

/* ---- Status: what the outside world did to us ------------------------------------------------------------------ */

typedef enum skein_code {
  SKEIN_OK = 0,
  SKEIN_BAD_INPUT,  /* a file, a field or an argument is not what it must be */
  SKEIN_IO_FAILURE, /* the file system said no: cannot open, full disk */
  SKEIN_NO_MEMORY
} skein_code;

/* One line that names file, field and what was expected. Not converged is data (skein_solve_info), never a code. */
typedef struct skein_status {
  skein_code code;
  char message[512];
} skein_status;

#ifdef __cplusplus
}
#endif
#endif
SKEIN_API int skein_scene_rods(const skein_scene *scene);
SKEIN_API int skein_scene_bodies(const skein_scene *scene);
/* Rods first ("hair[17]"), then bodies; NULL: there is no such object. */
SKEIN_API const char *skein_scene_name(const skein_scene *scene, int object);
enum { SKEIN_FLAWS_UNKNOWN = 1 << 30 }; /* the set of a step that was never judged: of a run made before verdicts */
  int rods;            /* at the end of the step: objects of the verdict from here on are bodies */
/* The name of an object as a verdict numbers them, rods first; parts of a rod that was cut have its name. NULL: there
 * is no such object. */
SKEIN_API const char *skein_world_name(const skein_world *world, int object);

/* The name of an object of a verdict in a step with so many rods (skein_step_info.rods); NULL: there is no such object,
 * or the run was made before verdicts and has no names. */
SKEIN_API const char *skein_run_name(const skein_run *run, int rods, int object);
