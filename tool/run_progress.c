/* How far a run is: a bar on a terminal, now and then a line elsewhere. */
#include "run.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double bar_seconds = 0.1, line_seconds = 4, mark_seconds = 15;

double run_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

run_progress run_progress_make(bool quiet, int first, int last, double fps, double time)
{
  double now = run_clock();
  return (run_progress){.quiet = quiet,
                        .terminal = isatty(STDERR_FILENO),
                        .first = first,
                        .last = last,
                        .fps = fps,
                        .begun = now,
                        .said = now,
                        .time_begun = time,
                        .since = {now, now},
                        .time_since = {time, time}};
}

/* Simulated time per wall clock, over the last quarter or half minute. */
static double find_speed(run_progress *p, double time)
{
  double now = run_clock();
  if (now - p->since[1] > mark_seconds) {
    p->since[0] = p->since[1], p->time_since[0] = p->time_since[1];
    p->since[1] = now, p->time_since[1] = time;
  }
  return now > p->since[0] ? (time - p->time_since[0]) / (now - p->since[0]) : 0;
}

/* "12 s", "3:05", "2:07:45" */
static void write_duration(double seconds, char text[32])
{
  long s = isfinite(seconds) && seconds < 1e9 ? lround(seconds) : -1;
  if (s < 0) snprintf(text, 32, "?");
  else if (s < 60) snprintf(text, 32, "%ld s", s);
  else if (s < 3600) snprintf(text, 32, "%ld:%02ld", s / 60, s % 60);
  else snprintf(text, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

/* What is known after a step: the same words on a terminal and in a file. */
static int write_words(run_progress *p, const skein_step_info *step, int frame, char *text, size_t size)
{
  char left[32], flawed[32] = "";
  double speed = find_speed(p, step->time);
  bool settles = step->time < 0; /* the way to frame 0 */
  write_duration(((settles ? 0 : p->last / p->fps) - step->time) / speed, left);
  if (p->flawed > 0) snprintf(flawed, sizeof flawed, "  %d flawed", p->flawed);
  if (settles)
    return snprintf(text, size, "settling %7.4g s  %5d contacts  %4d sweeps%s  largest %.2g m/s  speed %-7.2g %6s left",
                    step->time, step->contacts, step->sweeps, flawed, step->speed, speed, left);
  int digits = snprintf(NULL, 0, "%d", p->last);
  return snprintf(text, size, "%7.4g s  frame %*d/%d  %5d contacts  %4d sweeps  error %.0e%s  speed %-7.2g %6s left",
                  step->time, digits, frame, p->last, step->contacts, step->sweeps, step->error, flawed, speed, left);
}

static int terminal_width(void)
{
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

/* The bar takes what the words leave; on a narrow terminal there is none, and the words are cut. */
static void show_bar(run_progress *p, const skein_step_info *step, int frame)
{
  char words[256], bar[41] = "";
  int width = terminal_width() - 1, used = write_words(p, step, frame, words, sizeof words);
  int room = width - used - 10;
  double share = p->last > 0 ? fmin(1, fmax(0, step->time * p->fps / p->last)) : 1;
  if (p->time_begun < 0) share = 1 - fmax(step->time / p->time_begun, 0);
  if (room > 40) room = 40;
  for (int k = 0; k < room; k++) bar[k] = k < (int)(share * room + 0.5) ? '#' : '.', bar[k + 1] = 0;
  char line[384];
  snprintf(line, sizeof line, "%s%s%s%3.0f %%  %s", room > 0 ? "[" : "", bar, room > 0 ? "] " : "", 100 * share, words);
  fprintf(stderr, "\r\033[K%.*s", width > 0 ? width : 0, line);
  fflush(stderr);
  p->shown = true;
}

void run_progress_step(run_progress *p, const skein_step_info *step, int frame)
{
  double now = run_clock();
  p->flawed += run_step_flawed(step);
  if (p->quiet || now - p->said < (p->terminal ? bar_seconds : line_seconds)) return;
  char words[256];
  p->said = now;
  if (p->terminal) show_bar(p, step, frame);
  else write_words(p, step, frame, words, sizeof words), fprintf(stderr, "%s\n", words);
}

void run_progress_frame(run_progress *p, const skein_step_info *step, int frame)
{
  int span = p->last - p->first;
  bool tenth = span > 0 && 10L * (frame - p->first) / span != 10L * (frame - 1 - p->first) / span;
  if (p->quiet || p->terminal || !step || !tenth) return;
  char words[256];
  write_words(p, step, frame, words, sizeof words);
  fprintf(stderr, "%s\n", words);
  p->said = run_clock();
}

void run_progress_clear(run_progress *p)
{
  if (p->shown) fputs("\r\033[K", stderr);
  p->shown = false;
}
