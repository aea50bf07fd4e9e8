/* Ctrl-C and the like, for commands that simulate. */
#define _XOPEN_SOURCE 700
#include "run.h"

#include <signal.h>
#include <stdatomic.h>

static atomic_bool interrupted;

static void on_interrupt(int signal)
{
  (void)signal;
  interrupted = true;
}

bool run_interrupted(void)
{
  return interrupted;
}

static bool is_interrupted(void *user)
{
  (void)user;
  return interrupted;
}

const skein_stop run_interrupt = {.ask = is_interrupted};

void run_catch_interrupts(void)
{
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  action = (struct sigaction){.sa_handler = SIG_IGN};
  sigaction(SIGXFSZ, &action, NULL);
}
