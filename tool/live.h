/* `skein view --live`: a scene that is simulated while pages look at it. The protocol is in docs/viewer.md.
 *
 *     live_server.c   the command: scene in, address out, until Ctrl-C
 *     live_http.c     requests and answers, limits
 *     live_command.c  JSON in, a live_command out, or a message that names the field
 *     live_sim.c      what pages ask for and see: shared with the thread of the simulation, under one lock
 *     live_run.c      that thread: wishes -> steps -> frames, in real time where it can be */
#ifndef SKEIN_TOOL_LIVE_H
#define SKEIN_TOOL_LIVE_H

#include "view.h"

#include <pthread.h>

/* ---- live_server.c ---- */

enum { LIVE_SETS = 64 };

typedef struct live_def {
  const char *scene; /* path */
  const char *text;  /* the scene itself; NULL: it is read from its path */
  const char *sets[LIVE_SETS];
  int set_count;
  const char *host; /* NULL: this machine only */
  int port;         /* 0: any that is free */
  int threads;      /* 0: all cores */
  bool open;        /* a browser is started, where there is one */
} live_def;

/* Rows of a command's table of options, and what they do: `key` counts from the first of these rows. false after a
 * message. */
#define LIVE_OPTIONS                                                                                                   \
  {"port", 'p', "N", "live: port to listen on (default: 8420, or any when that is taken)"},                            \
      {"host", 0, "ADDR", "live: address to listen on (default: this machine only)"},                                  \
      {"threads", 'j', "N", "live: threads, 0: all cores (default)"},                                                  \
      {"set", 's', "PATH=VALUE", "live: replace a field of the scene, as in time.dt=1e-3; may be repeated"},           \
  {                                                                                                                    \
    "no-open", 0, NULL, "live: do not start a browser"                                                                 \
  }
bool live_option(live_def *def, int key, const char *value);

live_def live_default_def(void);
/* Serves until SIGINT or SIGTERM; the exit code. */
int tool_live_run(const live_def *def);

/* ---- live_command.c ---- */

typedef enum live_kind { LIVE_PAUSE, LIVE_PLAY, LIVE_STEP, LIVE_RESET, LIVE_DRAG, LIVE_DROP, LIVE_SET } live_kind;

typedef struct live_command {
  live_kind kind;
  int hand; /* drag, drop: several pulls at a time, 0 unless given */
  int rod;
  double s, target[3];
  bool has_mu, has_gravity, has_wind;
  double mu, gravity[3], wind[3];
} live_command;

enum { LIVE_HANDS = 10, LIVE_MESSAGE = 256 };

/* A command from the bytes of a request; false after a message that says which field and what was expected. */
bool live_command_read(const char *text, size_t size, live_command *command, char message[LIVE_MESSAGE]);

/* ---- live_sim.c ---- */

/* What was set by hand, or follows from the scene. */
typedef struct live_controls {
  double mu, gravity[3], wind[3]; /* mu NaN: pairs differ */
} live_controls;

typedef struct live_hand {
  bool holds;
  int rod;
  double s, target[3];
} live_hand;

/* What pages want. Counters only grow: the simulation does what it has not done yet, so that a flood of commands
 * costs no memory. */
typedef struct live_wish {
  uint64_t version; /* counts commands */
  bool paused, quit;
  uint32_t steps, resets, sets;
  bool set_mu, set_gravity, set_wind; /* by any page so far: kept over resets */
  live_controls controls;
  live_hand hand[LIVE_HANDS];
} live_wish;

/* Places in the header of a packed frame: its size, its steps, the numbers of a step. */
enum { LIVE_SIZE_AT = 4, LIVE_STEPS_AT = 68, LIVE_COLUMNS_AT = 72 };

/* One number per column of each step that was packed, with the sequence of its frame. */
enum { LIVE_STEPS = 1024 };
typedef struct live_steps {
  float *row; /* LIVE_STEPS rows, a ring */
  uint32_t sequence[LIVE_STEPS];
  int columns, count, next;
} live_steps;

/* What the steps since the start, or the last reset, are worth. */
typedef struct live_verdict {
  int64_t steps, flawed;
  double crossings;
  view_flaw last; /* where there is one */
} live_verdict;

typedef struct live_sim {
  const skein_scene *scene;
  const skein_look *look;
  const char *file; /* name of the scene, for the head */
  int threads;
  double fps;
  double lo[3], hi[3]; /* bounds at the start */
  skein_env start;     /* gravity and wind then */

  pthread_t thread;
  pthread_mutex_t lock; /* over all that follows */
  pthread_cond_t wished, published;
  live_wish wish;
  view_bytes newest; /* the frame as it was packed, without its steps: every page gets those that it has not seen */
  uint32_t sequence; /* of it */
  live_steps steps;
  double *length; /* of its rods */
  int rods;
  double time, asked; /* of the world; when a page last asked for something (run_clock) */
  bool failed, ended; /* ended: the thread is done with all of this */
  char error[512];
  live_controls shown;
  live_verdict verdict;
} live_sim;

/* Starts the simulation, or says why not. The scene and the look must outlive it. */
skein_status live_sim_start(live_sim *sim, const skein_scene *scene, const skein_look *look, const char *file,
                            int threads);
void live_sim_quit(live_sim *sim); /* nobody waits any more: before the server is stopped */
/* After it. false: a step takes long, the thread goes on and nothing was released. */
bool live_sim_stop(live_sim *sim);

/* Whether a page looks: nothing moves without one. Whoever looked and does not any more has let go. */
bool live_sim_watched(live_sim *sim);

/* Carries the command out, as far as the next step; false after a message. */
bool live_sim_command(live_sim *sim, const live_command *command, char message[LIVE_MESSAGE]);
/* The head of the scene and the state, as JSON; NULL: no memory. */
json_t *live_sim_head(live_sim *sim);
json_t *live_sim_state(live_sim *sim);
/* The newest frame that came after `after`, with its steps, into `out`. It waits for one until `deadline` (run_clock)
 * while `alive` says so. false: none came, or no memory. */
bool live_sim_frame(live_sim *sim, uint32_t after, double deadline, bool (*alive)(void *), void *context,
                    view_bytes *out);

/* ---- live_run.c ---- */

/* A world at its start, with a frame of it published. */
typedef struct live_run live_run;
skein_status live_run_create(live_sim *sim, live_run **run);
void live_run_destroy(live_run *run); /* NULL is fine */
void *live_run_loop(void *run);       /* the thread; ends when the wish says so, and destroys the run */

/* ---- live_http.c ---- */

typedef struct live_http live_http;

/* Listens on host:port and answers for `sim`. *port: the one that was taken. A failure says what the system said. */
skein_status live_http_start(live_sim *sim, const char *host, int *port, live_http **http);
void live_http_stop(live_http *http); /* NULL is fine */
/* Ends connections that have taken too long to send a request; to be called every second or so. */
void live_http_sweep(live_http *http);

#endif
