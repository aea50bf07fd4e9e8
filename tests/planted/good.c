/* As a file of the room world: its own headers, the doors it names and calls through them are fine.
 * like: room_world
 * expect: nothing */
#include "rod/rod.h"
#include "world/world.h"

double planted(const skein_rod *rod);

double planted(const skein_rod *rod)
{
  return skein_rod_dofs(rod) * sk_seconds();
}
