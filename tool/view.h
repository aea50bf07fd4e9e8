/* What `skein view` and its live server share: the page, the head, packed frames. Formats: docs/viewer.md. */
#ifndef SKEIN_VIEW_H
#define SKEIN_VIEW_H

#include "run.h"

/* Bytes that grow; zeroed at first, released by view_bytes_free. */
typedef struct view_bytes {
  unsigned char *data;
  size_t size, room;
} view_bytes;

bool view_bytes_add(view_bytes *b, const void *data, size_t size); /* data NULL: zeros. false: no memory */
bool view_bytes_text(view_bytes *b, const char *text);
bool view_bytes_base64(view_bytes *b, const void *data, size_t size);
void view_bytes_free(view_bytes *b);

/* ---- view_page.c: the page with its mark, put into the tool by the build ---- */

/* The page before and after the mark; not terminated. */
void view_page(const char **head, size_t *head_size, const char **tail, size_t *tail_size);
/* The whole page for `GET /`: it will ask "api/..." beside itself. */
bool view_page_live(view_bytes *out);

/* ---- view_pack.c: frames ---- */

enum { VIEW_PAUSED = 1, VIEW_FAILED = 2, VIEW_DRAGGED = 4, VIEW_ENDED = 8 }; /* bits of view_input.state */

typedef struct view_input {
  const skein_frame *before; /* an earlier frame, for speeds; NULL: all rest */
  const skein_frame *frame;
  const skein_frame *guides;    /* set by the packer: the frame as it is in the run, where hairs are packed */
  const skein_step_info *steps; /* since the frame before */
  int step_count, step_limit;   /* more than step_limit are merged, neighbours with each other; 0: all are kept */
  uint32_t sequence, state, generation;
  bool complete; /* with its rods, no differences: always so when live */
} view_input;

typedef struct view_packer view_packer;

/* lo, hi: the box of all frames; NULL: each frame has its own (live). The look must outlive the packer. */
skein_status view_packer_create(const skein_look *look, const double *lo, const double *hi, view_packer **packer);
void view_packer_destroy(view_packer *packer); /* NULL is fine */
/* Frames have as many points per rod as those seen so far need. Pack sees its frame itself; to have all frames alike,
 * show them all first. */
skein_status view_packer_see(view_packer *packer, const skein_frame *frame);
/* Frames are packed with these hairs in the place of their guides; they must outlive the packer. */
void view_packer_set_hairs(view_packer *packer, const skein_hairs *hairs);
void view_packer_set_box(view_packer *packer, const double lo[3], const double hi[3]);
/* Appends the frame to `out`. */
skein_status view_pack(view_packer *packer, const view_input *in, view_bytes *out);
/* Of a packed frame: tops of the colour scales, speed in m/s and force in N. */
void view_tops(const unsigned char *frame, double *speed, double *force);

/* ---- view_resample.c: points ---- */

/* How many points the page needs for a rod, at least `least`, at most what it has or `least`. room: 3 floats per point.
 */
int view_points_needed(const skein_frame *f, int rod, int least, float *room);
/* The frame with count[r] points for rod r; other arrays are borrowed. false: no memory. */
bool view_resample(const skein_frame *f, const int *count, skein_frame *out);
void view_resample_free(skein_frame *resampled);

/* ---- view_head.c: the head ---- */

/* A number of a step that plots show, and how neighbours are merged. */
typedef enum view_merge { VIEW_LAST, VIEW_LEAST, VIEW_MOST, VIEW_SUM, VIEW_UNION } view_merge;
typedef struct view_column {
  const char *name; /* as in run_columns */
  view_merge merge;
} view_column;

enum { VIEW_COLUMNS = 13 };
extern const view_column view_columns[VIEW_COLUMNS]; /* view_pack.c */

typedef struct view_head {
  bool live;
  const char *title, *file, *version;
  double fps;
  const double *lo, *hi; /* bounds */
  double gravity[3];     /* m/s^2 */
  double speed, force;   /* tops of the colour scales, 0: not known */
} view_head;

/* The fields of the head that a run and a live scene share; the caller adds its own. NULL: no memory. */
json_t *view_head_json(const skein_look *look, const view_head *head);
/* As text that may stand inside a <script>. false: no memory. */
bool view_head_write(const json_t *head, view_bytes *out);

/* ---- view_verdict.c: what steps are worth ---- */

/* A flaw of one step, or of some: of the worst of them. */
typedef struct view_flaw {
  double time; /* s */
  skein_flaw flaw;
  int steps, rods[2], bodies[2]; /* numbers in the frame, -1: none */
  char text[RUN_TEXT];           /* how bad, and who */
} view_flaw;

view_flaw view_flaw_of(run_names names, const skein_step_info *step, skein_flaw flaw);
json_t *view_flaw_json(const view_flaw *flaw);
json_t *view_flaw_names(void);
/* The verdict of a run, with marks for its timeline. */
json_t *view_verdict_json(run_names names, const skein_step_info *steps, int count);

#endif
