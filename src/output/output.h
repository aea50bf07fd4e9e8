/* Inside the output room: HDF5 files that are whole or not there, frames and steps in them. The room has no door of its
 * own: what others use is skein_run_* and skein_frame_* of the public header.
 *
 * HDF5 reads and writes through a driver of ours (h5_file.c). Where the disk is full it remembers the error and lets
 * HDF5 go on: so HDF5 always closes its file cleanly (1.10 crashes at exit when it could not), the error is reported
 * with errno, and the file that was not written is a temporary one. Files are of the newest format, whose metadata
 * carries checksums: damage is an error, not a crash. */
#ifndef SK_OUTPUT_H
#define SK_OUTPUT_H

#include "base/base.h"
#include "base/hdf5_quiet.h"
#include "frame/frame.h"

#include <hdf5.h>

/* ---- h5_file.c: files ---- */

typedef struct sk_h5 {
  hid_t file;
  hid_t driver; /* what HDF5 knows ours by; 0: none yet */
  int fd;
  int error;    /* errno of the first write that failed; 0: none */
  bool failed;  /* HDF5 refused something */
  bool reads;   /* nothing is written to it */
  int64_t size; /* of a file that is read */
} sk_h5;

/* A new file at path, which is replaced; messages begin with the path. `h` must stay where it is until it is closed. */
skein_status sk_h5_create(const char *path, sk_h5 *h);
/* Closes what sk_h5_create made; sync: it is on the disk then. On failure the file is removed. */
skein_status sk_h5_commit(sk_h5 *h, const char *path, bool sync);
/* An existing file, to be read, or to be added to and then committed. */
skein_status sk_h5_open(const char *path, sk_h5 *h);
skein_status sk_h5_extend(const char *path, sk_h5 *h);
void sk_h5_close(sk_h5 *h); /* also what could not be opened */

/* h5_header.c: the object header at `at`, of which `known` bytes are there, has the right checksum. */
bool sk_h5_header_sound(const sk_h5 *h, uint64_t at, const unsigned char *start, size_t known);

/* ---- h5_data.c: what is in them. Writing remembers failures in h->failed, reading returns a status ---- */

enum { SK_H5_PACKED = 1, SK_H5_SUMMED = 2 }; /* compressed where large; with a checksum */

/* About `members` will be in it. To be closed by sk_h5_end. */
hid_t sk_h5_put_group(sk_h5 *h, hid_t in, const char *name, unsigned members);
void sk_h5_end(hid_t group);
/* rows x cols numbers; cols 0: a vector. */
void sk_h5_put(sk_h5 *h, hid_t in, const char *name, hid_t type, int64_t rows, int cols, const void *data, int how);
void sk_h5_put_text(sk_h5 *h, hid_t in, const char *name, const char *text);
/* `count` texts, each in `size` bytes with its closing zero. */
void sk_h5_put_texts(sk_h5 *h, hid_t in, const char *name, const char *text, size_t size, int count);
void sk_h5_put_attribute(sk_h5 *h, hid_t in, const char *name, hid_t type, const void *value);

skein_status sk_h5_get_group(hid_t in, const char *name, hid_t *group);
/* rows < 0: any number, which it receives; otherwise exactly that many. The caller frees *data. */
skein_status sk_h5_get(const sk_h5 *h, hid_t in, const char *name, hid_t type, int64_t *rows, int cols, void **data);
skein_status sk_h5_get_text(const sk_h5 *h, hid_t in, const char *name, char **text);
/* The caller frees *text; *count is 0 on failure. */
skein_status sk_h5_get_texts(const sk_h5 *h, hid_t in, const char *name, char **text, size_t *size, int *count);
skein_status sk_h5_get_attribute(hid_t in, const char *name, hid_t type, void *value);

/* ---- frame.c ---- */

void sk_frame_put(sk_h5 *h, hid_t group, const skein_frame *f);
skein_status sk_frame_get(const sk_h5 *h, hid_t group, skein_frame *f);

/* ---- steps.c ---- */

/* One dataset per field, in a group "steps"; without the group there are none. */
skein_status sk_steps_put(sk_h5 *h, hid_t in, const skein_step_info *steps, int count);
skein_status sk_steps_get(const sk_h5 *h, hid_t in, skein_step_info **steps, int *count);
/* Their times are numbers, their verdicts and attempts are ones. */
skein_status sk_steps_check(const skein_step_info *steps, int count);

/* ---- names.c: of rods and bodies ---- */

typedef struct sk_name_list {
  char *text; /* NULL: not known */
  size_t size;
  int count;
} sk_name_list;

typedef struct sk_names {
  sk_name_list rod, body; /* of the scene */
  int *source, sources;   /* which of these each rod was cut from; none: no rod was cut */
} sk_names;

bool sk_names_make(sk_names *names, const skein_manifest *m);
void sk_names_free(sk_names *names);
/* What the rods of a frame come from. */
bool sk_names_see(sk_names *names, const int *source, int rods);
/* Of an object where there are so many rods; NULL: not known. */
const char *sk_names_find(const sk_names *names, int rods, int object);
void sk_names_put(sk_h5 *h, const sk_names *names);
skein_status sk_names_get(const sk_h5 *h, sk_names *names); /* files of earlier versions have none */

/* ---- run.c: life and reading; run_write.c ---- */

struct skein_run {
  char *path;   /* of the file itself, through links */
  char *folder; /* path.d: frames that are not in the file yet */
  char *source, *title, *version, *files;
  sk_names names;
  double fps;
  int frames;
  int listed;    /* frames that the file on the disk knows of; 0: another file is there, or none */
  int base;      /* frames that lie in folder/base.h5: of a finished run that goes on */
  bool writes;   /* may be appended to */
  bool fresh;    /* nothing is on the disk yet */
  bool linked;   /* the file refers to the folder; false: it is finished, or fresh */
  int lock;      /* of the folder; -1: none */
  double synced; /* when all was last forced onto the disk; 0: never */
};

/* "folder/name"; NULL: out of memory. */
char *sk_path_join(const char *folder, const char *name);
/* Where frame k is: its file and its name there. */
skein_status sk_run_place(const skein_run *run, int k, char **file, char name[32]);
/* The state, the steps since the last frame, and the number of frames before it. Pointers may be NULL, pair by pair. */
skein_status sk_run_state_get(const skein_run *run, void **state, size_t *size, skein_step_info **steps, int *count,
                              int *frames);

/* run_folder.c: the folder of a run that is being written */
skein_status sk_folder_enter(skein_run *run); /* made and locked */
void sk_folder_leave(skein_run *run);         /* unlocked, and removed if it is empty */
/* Removes the files that a run puts there: those that were never finished (*.new), or the others. */
void sk_folder_clean(const skein_run *run, bool unfinished);
/* A second name for the file where `links` and the file system has them, otherwise a copy. */
skein_status sk_file_copy(const char *from, const char *to, bool links);
void sk_sync_directory(const char *path); /* of the file `path` */

#endif
