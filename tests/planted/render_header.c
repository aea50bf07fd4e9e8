/* As a file of the renderer, which knows no room.
 * like: room_render
 * expect: error: .?math/vec3\.h */
#include "math/vec3.h"
