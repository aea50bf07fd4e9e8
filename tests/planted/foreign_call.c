/* As a file of the room collide: the public header is there, but nothing of rods is linked.
 * like: room_collide
 * expect: undefined reference to .skein_rod_destroy */
#include <skein/rod.h>

void planted(skein_rod *rod);

void planted(skein_rod *rod)
{
  skein_rod_destroy(rod);
}
