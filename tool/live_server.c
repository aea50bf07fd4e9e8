/* `skein view --live`: reads the scene, starts simulation and server, says where, and waits for Ctrl-C. */
#include "live.h"
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { USUAL_PORT = 8420 };
extern char **environ;
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
  (void)number;
  interrupted = 1;
}

live_def live_default_def(void)
{
  return (live_def){.port = -1, .open = true};
}

bool live_option(live_def *def, int key, const char *value)
{
  enum { PORT, HOST, THREADS, SET, NO_OPEN };
  if (key == PORT) return tool_parse_int("--port", value, 0, 65535, &def->port);
  if (key == THREADS) return tool_parse_int("--threads", value, 0, 1024, &def->threads);
  if (key == HOST) def->host = value;
  if (key == NO_OPEN) def->open = false;
  if (key == SET && def->set_count == LIVE_SETS) return tool_error("--set: at most %d of them", LIVE_SETS), false;
  if (key == SET) def->sets[def->set_count++] = value;
  return true;
}

/* Starts the desktop's browser, where there is a desktop; what it does is its own affair. */
static pid_t open_browser(const char *address)
{
  char *const words[] = {"xdg-open", (char *)address, NULL};
  posix_spawnattr_t attributes;
  sigset_t ignored;
  pid_t child = 0;
  if ((!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) || posix_spawnattr_init(&attributes) != 0) return 0;
  sigemptyset(&ignored), sigaddset(&ignored, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  if (posix_spawnp(&child, words[0], NULL, &attributes, words, environ) != 0) child = 0;
  posix_spawnattr_destroy(&attributes);
  return child;
}

/* The first Ctrl-C ends the server, the second one the process. */
static void catch_interrupts(void)
{
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  action = (struct sigaction){.sa_handler = SIG_IGN};
  sigaction(SIGPIPE, &action, NULL);
}

/* Until the end, with a sweep of the connections every second. (Waiting for the signal itself would not do: threads of
 * libraries, older than main, may get it.) */
static void wait_for_end(live_http *http)
{
  const struct timespec moment = {.tv_nsec = 50000000};
  for (int k = 1; !interrupted; k++) {
    nanosleep(&moment, NULL);
    if (k % 20 == 0) live_http_sweep(http);
  }
}

/* The port that was asked for; without one the usual, or any when that is taken. */
static skein_status start_http(live_sim *sim, const live_def *def, int *port, live_http **http)
{
  *port = def->port >= 0 ? def->port : USUAL_PORT;
  skein_status s = live_http_start(sim, def->host, port, http);
  if (s.code != SKEIN_IO_FAILURE || def->port >= 0) return s;
  *port = 0;
  return live_http_start(sim, def->host, port, http);
}

static int serve(live_sim *sim, const live_def *def)
{
  live_http *http = NULL;
  int port = 0;
  skein_status s = start_http(sim, def, &port, &http);
  if (s.code != SKEIN_OK) return tool_fail(NULL, s);
  const char *host = def->host ? def->host : "127.0.0.1";
  bool all = !strcmp(host, "0.0.0.0") || !strcmp(host, "::"), six = strchr(host, ':') && !all;
  char address[320];
  snprintf(address, sizeof address, "http://%s%s%s:%d/", six ? "[" : "", all ? "127.0.0.1" : host, six ? "]" : "",
           port);
  if (def->host) fprintf(stderr, "skein: warning: --host %s: whoever can reach it can watch and steer\n", host);
  printf("%s is live at %s (Ctrl-C ends it)\n", sim->file, address);
  fflush(stdout);
  pid_t child = def->open ? open_browser(address) : 0;
  wait_for_end(http);
  live_sim_quit(sim);
  live_http_stop(http);
  if (child > 0) waitpid(child, NULL, WNOHANG);
  return TOOL_OK;
}

int tool_live_run(const live_def *def)
{
  skein_scene *scene = NULL;
  skein_look *look = NULL;
  live_sim sim;
  skein_status s = def->text ? skein_scene_parse(def->text, def->scene, ".", def->sets, def->set_count, &scene)
                             : skein_scene_read(def->scene, def->sets, def->set_count, &scene);
  if (s.code == SKEIN_OK) s = skein_look_create(scene, &look);
  catch_interrupts();
  const char *slash = strrchr(def->scene, '/');
  if (s.code == SKEIN_OK) s = live_sim_start(&sim, scene, look, slash ? slash + 1 : def->scene, def->threads);
  int code = TOOL_OK;
  if (s.code == SKEIN_OK) {
    code = serve(&sim, def);
    if (!live_sim_stop(&sim)) { /* nothing is lost: there is nothing to save */
      fflush(stdout);
      _exit(code);
    }
  } else code = def->text ? tool_fail(def->scene, s) : tool_fail_input(def->scene, s, TOOL_SCENE);
  skein_look_destroy(look);
  skein_scene_destroy(scene);
  return code;
}
