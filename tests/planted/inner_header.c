/* As a file of the room world: it knows rods by their door alone.
 * like: room_world
 * expect: error: .?rod/helix\.h */
#include "rod/helix.h"
