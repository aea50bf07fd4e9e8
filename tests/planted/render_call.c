/* As a file of the renderer: arrays in, pictures out, nothing of the library.
 * like: room_render
 * expect: undefined reference to .skein_run_close */
#include <skein/run.h>

void planted(skein_run *run);

void planted(skein_run *run)
{
  skein_run_close(run);
}
