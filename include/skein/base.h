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
  SKEIN_NO_MEMORY,
  SKEIN_STOPPED /* the caller wanted it to end (skein_stop) */
} skein_code;

/* One line that names file, field and what was expected. Not converged is data (skein_solve_info), never a code. */
typedef struct skein_status {
  skein_code code;
  char message[512];
} skein_status;

/* Whether the caller wants long work to end: asked from any thread, thousands of times a second, so it must be quick (a
 * look at an atomic flag). What is stopped returns SKEIN_STOPPED and leaves everything as it was. ask NULL: nobody. */
typedef struct skein_stop {
  bool (*ask)(void *user);
  void *user;
} skein_stop;

#ifdef __cplusplus
}
#endif
#endif
